"""The logs of both sides: scores by one metric, if nothing stops these from being compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.auditing.looking import audit
from betterthan.io.problems import listed
from betterthan.logs.choosing import chosen_records
from betterthan.logs.pivoting import scores_of
from betterthan.logs.record import OK, Frame, Logs

SIDES = BASELINE, CANDIDATE = "baseline", "candidate"
OF_LOGS = ("task", "metric", "filter", "epoch", "join", "errors", "unscored")
OWN = ("verdict",)  # what a gate tells by its own rule
_TREATMENT = ("prompt",)  # what a candidate may change: it is what is gated
_CHOSEN = ("content",)  # who says how to join has seen that ids and contents disagree


@dataclass(frozen=True)
class Sides:
    """Scores of baseline and candidate, in this order; or what stops them from being compared.

    Attributes
    ----------
    scores : xarray.DataArray or None, dims (item, system)
    stops : tuple of str
        Why they cannot be compared.
    warned, said : tuple of str
        What should be known of them.
    """

    scores: xr.DataArray | None = None
    stops: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    said: tuple[str, ...] = field(default=())


def asked_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What says which records are read."""
    return {k: given[k] for k in ("task", "metric", "filter", "epoch") if k in given}


def of_logs(logs: Logs, given: Mapping[str, Any]) -> Sides:
    """The scores of logs by one metric, if the audit finds nothing that stops a comparison."""
    refuse_several(logs, SIDES)
    found: Frame = logs.records
    if not (found["status"] == OK).any():
        return Sides(stops=("no item has a score in any of the logs",))
    records, _ = chosen_records(logs, **asked_of(given))
    metric, there = str(records["metric"].iloc[0]), set(records["system"].unique())
    absent = [side for side in SIDES if side not in there]
    if absent:
        return Sides(stops=(f"the {absent[0]} has no score by {metric}",))
    how: dict[str, Any] = {k: given[k] for k in OF_LOGS if k in given}
    how |= {"metric": metric, "filter": None}
    stops, warned, said = _found_by_audit(logs, how)
    if stops:
        return Sides(stops=stops)
    scores = scores_of(logs, **how, higher_is_better=given.get("higher_is_better"))
    return Sides(scores.sel({names.SYSTEM: list(SIDES)}), (), warned, said)


def _found_by_audit(logs: Logs, how: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """What stops, what warns, and what is gated."""
    found: Frame = audit(logs, BASELINE, **how).findings
    found = found[~found["code"].isin(OWN)]
    gated = found["code"].isin(_TREATMENT)
    chosen = found["code"].isin(_CHOSEN if how.get("join") is not None else ())
    stop, warn = found["level"] == "stop", found["level"] == "warn"
    parts = stop & ~gated & ~chosen, (warn & ~gated) | (stop & chosen), gated
    return tuple(tuple(found["message"][part]) for part in parts)


def refuse_several(logs: Logs, sides: Sequence[str]) -> None:
    """Refuse a side with several systems or several settings of one, or with none.

    Raises
    ------
    ValueError
        With the systems of the side.
    """
    systems = list(dict.fromkeys(logs.runs["system"].tolist()))
    for side in sides:
        starts = f"{side} |", f"{side} ("
        own = [name for name in systems if name == side or name.startswith(starts)]
        if len(own) > 1:
            told = listed([name.removeprefix(side).strip(" |()") or name for name in own])
            raise ValueError(f"the {side} holds {len(own)} systems ({told}); give the logs of one")
        if not own:
            raise ValueError(f"the {side} holds no log of a known tool")

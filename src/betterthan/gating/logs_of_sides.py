"""Read the logs of both sides: scores by one metric, unless the audit finds an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.auditing.looking import audit
from betterthan.io.problems import listed
from betterthan.logs.choosing import chosen_records
from betterthan.logs.pivoting import pivot_scores
from betterthan.logs.record import OK, Frame, Logs

SIDES = BASELINE, CANDIDATE = "baseline", "candidate"
LOG_CHOICES = ("task", "metric", "filter", "epoch", "join", "errors", "unscored")
GATE_CODES = ("verdict",)  # what a gate tells by its own rule
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
    warned, messages : tuple of str
        What should be known of them.
    """

    scores: xr.DataArray | None = None
    stops: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    messages: tuple[str, ...] = field(default=())


def record_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Select the choices that determine which records are read."""
    return {k: choices[k] for k in ("task", "metric", "filter", "epoch") if k in choices}


def sides_from_logs(logs: Logs, choices: Mapping[str, Any]) -> Sides:
    """Return the scores of logs by one metric, unless the audit finds an error."""
    refuse_several(logs, SIDES)
    records_read: Frame = logs.records
    if not (records_read["status"] == OK).any():
        return Sides(stops=("no item has a score in any of the logs",))
    records, _ = chosen_records(logs, **record_choices(choices))
    metric, systems = str(records["metric"].iloc[0]), set(records["system"].unique())
    absent = [side for side in SIDES if side not in systems]
    if absent:
        return Sides(stops=(f"the {absent[0]} has no score by {metric}",))
    how: dict[str, Any] = {k: choices[k] for k in LOG_CHOICES if k in choices}
    how |= {"metric": metric, "filter": None}
    stops, warned, messages = _audit_messages(logs, how)
    if stops:
        return Sides(stops=stops)
    scores = pivot_scores(logs, **how, higher_is_better=choices.get("higher_is_better"))
    return Sides(scores.sel({names.SYSTEM: list(SIDES)}), (), warned, messages)


def _audit_messages(logs: Logs, how: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the messages that stop the comparison, those that warn, and those that are gated."""
    findings: Frame = audit(logs, BASELINE, **how).findings
    findings = findings[~findings["code"].isin(GATE_CODES)]
    gated = findings["code"].isin(_TREATMENT)
    chosen = findings["code"].isin(_CHOSEN if how.get("join") is not None else ())
    stop, warn = findings["level"] == "stop", findings["level"] == "warn"
    parts = stop & ~gated & ~chosen, (warn & ~gated) | (stop & chosen), gated
    return tuple(tuple(findings["message"][part]) for part in parts)


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
        side_systems = [name for name in systems if name == side or name.startswith(starts)]
        if len(side_systems) > 1:
            settings = listed(
                [name.removeprefix(side).strip(" |()") or name for name in side_systems]
            )
            raise ValueError(
                f"the {side} holds {len(side_systems)} systems ({settings}); give the logs of one"
            )
        if not side_systems:
            raise ValueError(f"the {side} holds no log of a known tool")

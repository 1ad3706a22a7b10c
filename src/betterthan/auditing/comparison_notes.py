"""The part of an audit that needs scores alone: notes for the result of a comparison."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.auditing.answer_checks import verdict_formatter
from betterthan.auditing.finding import MAX_LISTED, NOTE, shares
from betterthan.logs.record import ERROR, UNSCORED
from betterthan.posterior.bounds import missing_bounds

_ELSEWHERE = ("mnar",)  # what `compare` tells by itself


def status_lines(scores: xr.DataArray) -> list[str]:
    """What stops a comparison of scores or warns of it, in words: all checks of scores that have a
    ``status`` (from logs); nothing of others.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Before any policy for missing ones.
    """
    if "status" not in scores.coords:
        return []
    from betterthan.auditing.roster import CHECKS, SCORES

    messages: list[str] = []
    meanings = scores["status"].attrs["flag_meanings"].split()
    systems = scores[names.SYSTEM].values.astype(str)
    labels = {ERROR: "runs that ended in an error", UNSCORED: "runs without a score"}
    for status, label in labels.items():
        number = (scores["status"].values == meanings.index(status)).sum(0)
        cells = scores.sizes[names.ITEM]
        counts = {s: (int(n), cells) for s, n in zip(systems, number, strict=True) if n}
        messages += [f"{label}: {shares(counts)}"] if counts else []
    for check in CHECKS:
        if check.subject == SCORES and check.level != NOTE and check.code not in _ELSEWHERE:
            warned = [finding.message for finding in check.find(scores) if finding.level != NOTE]
            messages += warned[:MAX_LISTED]
    return messages


def bounds_lines(
    scores: xr.DataArray,
    *,
    baseline: str | None = None,
    by: str = "",
    bounds: xr.Dataset | None = None,
    **how: Any,
) -> list[str]:
    """Whether the verdicts hold for every value of the missing scores, in words.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Before any policy for missing ones.
    baseline : str, optional
        Pairs without it are not looked at.
    by : str
        What the verdicts are by, where the answer is by something else.
    bounds : xarray.Dataset, optional
        Of `posterior.missing_bounds`, where it is known.
    **how
        Of `posterior.missing_bounds`.
    """
    missing = np.isnan(scores.values.astype(float))
    if not missing.any() or missing.all():
        return []
    limits = missing_bounds(scores, **how) if bounds is None else bounds
    return list(_verdict_messages(limits, baseline, by))


def _verdict_messages(bounds: xr.Dataset, baseline: str | None, by: str) -> Iterator[str]:
    """Say whether each verdict holds; of many pairs, count those that do not and list the first."""
    systems = bounds[names.SYSTEM_A].values.astype(str).tolist()
    upper = np.triu(bounds["n_missing"].values > 0, 1)
    pairs = [
        (i, j) for i, j in np.argwhere(upper).tolist() if baseline in (None, systems[i], systems[j])
    ]
    wavering = [pair for pair in pairs if not bounds["holds"].values[pair]]
    suffix, describe = f", {by}" if by else "", verdict_formatter(bounds)
    if len(pairs) == 1:
        yield describe(*pairs[0]) + suffix
    elif pairs:
        n = len(pairs) - len(wavering)
        yield f"{n} of {len(pairs)} verdicts hold for every value of the missing scores{suffix}"
        yield from (describe(*pair) for pair in wavering[:MAX_LISTED])

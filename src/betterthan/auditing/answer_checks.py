"""Checks of how missing scores affect an answer, and the notes of an audit under a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import MAX_LISTED, NOTE, WARN, Finding, shares
from betterthan.counts.missing_scores import missing_by_difficulty
from betterthan.logs.record import ERROR, UNSCORED
from betterthan.posterior.bounds import missing_bounds
from betterthan.results import numbers

# of the AUC from one half, from which missing scores depend on difficulty
_MIN_AUC_DISTANCE = 0.1


def missing_with_difficulty(scores: xr.DataArray, seed: Any = 0) -> Iterator[Finding]:
    """Find systems whose scores are missing on items that are hard, or easy, for the others."""
    if not np.isnan(scores.values.astype(float)).any():
        return
    tests = missing_by_difficulty(scores, rng=seed)
    tested = int(tests["p_value"].notnull().sum())
    for system in tests[names.SYSTEM].values[tests["differs"].values].tolist():
        row = tests.sel({names.SYSTEM: system})
        if abs(row["auc"].item() - 0.5) >= _MIN_AUC_DISTANCE:
            n, message = int(row["n_missing"]), difficulty_message(row, tested)
            of = n + int(row["n_present"])
            yield Finding("mnar", message, WARN, (str(system),), n=n, of=of)


def difficulty_message(row: Any, tested: int) -> str:
    """Describe one system of `missing_by_difficulty` in a sentence."""
    harder = row["auc"].item() > 0.5
    kind, favors = ("harder", "favors it") if harder else ("easier", "is to its disadvantage")
    p = numbers.p_value(row["p_adjusted"].item())
    corrected = f", corrected for {tested} systems" if tested > 1 else ""
    lacks = "of which it lacks a run" if row.attrs.get("runs") else "that it lacks"
    return (
        f"Scores of {row[names.SYSTEM].item()} are missing on {kind} items: the mean of the other "
        f"systems is {row['mean_missing'].item():.2f} on the {int(row['n_missing']):,} items "
        f"{lacks} and {row['mean_present'].item():.2f} on the {int(row['n_present']):,} that it "
        f"has (AUC {row['auc'].item():.2f}, p = {p}{corrected}). Leaving these items out {favors}."
    )


def open_verdicts(
    bounds: xr.Dataset, baseline: str | None = None, by: str = ""
) -> Iterator[Finding]:
    """Pairs whose verdict some values of the missing scores would change; `by` says what verdicts
    are by, where that is not what a comparison is by.
    """
    systems = bounds[names.SYSTEM_A].values.astype(str).tolist()
    items = int(bounds["counts"].values[0, 0, -1].sum())
    missing, describe = bounds["n_missing"].values, verdict_formatter(bounds)
    for i, j in np.argwhere(np.triu(~bounds["holds"].values, 1)).tolist():
        pair = (systems[i], systems[j])
        if baseline in (None, *pair):
            n = int(missing[i, j])
            message = describe(i, j) + (f", {by}" if by else "")
            yield Finding("verdict", message, WARN, pair, n=n, of=2 * items)


_PAIRWISE = "pairwise "  # as bounds are, where three systems or more may have a joint answer


def verdict_formatter(bounds: xr.Dataset) -> Callable[[int, int], str]:
    """What says of a pair whether the verdict holds, with P(better) of the one that is ahead in
    the worst and the best case.
    """
    systems = bounds[names.SYSTEM_A].values.astype(str).tolist()
    verdicts = bounds["verdict"].isel(case=0, missing_dims="ignore").values
    better = bounds["prob_better"].values
    missing, holds = bounds["n_missing"].values, bounds["holds"].values
    the_verdict = f"the {_PAIRWISE * (len(systems) > 2)}verdict"
    # some values reach bounds of wins; none need reach those of means
    depends = "depends on" if "counts" in bounds else "may depend on"

    def describe(i: int, j: int) -> str:
        if better[i, j, 0] < 0.5:  # told from the side that is ahead
            i, j = j, i
        a, b, verdict = systems[i], systems[j], str(verdicts[i, j]).replace("_", " ")
        low, high = (numbers.probability(p) for p in better[i, j, 1:])
        n = int(missing[i, j])
        values = "the missing score" if n == 1 else f"the {n} missing scores"
        if verdict == "no verdict":
            return (
                f"{the_verdict} on {a} and {b} {depends} {values}: P({a} better) is between {low} "
                f"and {high}"
            )
        verdict_text = f'{the_verdict} on {a} and {b}, "{verdict}",'
        if verdict == "a better":
            verdict_text = f'{the_verdict} "{a} better than {b}"'
        holding = "holds for every value of" if holds[i, j] else depends
        return f"{verdict_text} {holding} {values}: P({a} better) is between {low} and {high}"

    return describe


_ELSEWHERE = ("mnar",)  # what `compare` tells by itself


def status_lines(scores: xr.DataArray) -> list[str]:
    """What stops a comparison of scores or warns of it, in words: all checks of scores that have a
    ``status`` (from logs); nothing of others.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Before any policy for missing ones.
    """
    if "flag_meanings" not in getattr(scores.coords.get("status"), "attrs", ()):
        return []
    from betterthan.auditing.audit import CHECKS, SCORES

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
    bounds : xarray.Dataset, optional
        Of `posterior.missing_bounds`, where it is known.
    **how
        Of `posterior.missing_bounds`.
    """
    missing = np.isnan(scores.values.astype(float))
    if not missing.any() or missing.all():
        return []
    limits = missing_bounds(scores, **how) if bounds is None else bounds
    return list(_verdict_messages(limits, baseline))


def _verdict_messages(bounds: xr.Dataset, baseline: str | None) -> Iterator[str]:
    """Say whether each verdict holds; of many pairs, count those that do not and list the first."""
    systems = bounds[names.SYSTEM_A].values.astype(str).tolist()
    upper = np.triu(bounds["n_missing"].values > 0, 1)
    places = np.argwhere(upper).tolist()
    pairs = [(i, j) for i, j in places if baseline in (None, systems[i], systems[j])]
    wavering = [pair for pair in pairs if not bounds["holds"].values[pair]]
    describe = verdict_formatter(bounds)
    if len(pairs) == 1:
        yield describe(*pairs[0])
    elif pairs:
        n = len(pairs) - len(wavering)
        pairwise = _PAIRWISE * (len(systems) > 2)
        yield f"{n} of {len(pairs)} {pairwise}verdicts hold for every value of the missing scores"
        yield from (describe(*pair) for pair in wavering[:MAX_LISTED])

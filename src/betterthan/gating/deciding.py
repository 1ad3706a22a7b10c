"""The one call of a gate: read both sides, weigh what they share, decide."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.wins import intervals
from betterthan.gating.answer import Gate
from betterthan.gating.decision import Evidence
from betterthan.gating.ends import Paired, paired
from betterthan.gating.further import Further, further_items, further_units
from betterthan.gating.on_counts import Cases, cases_of, chances_of_counts
from betterthan.gating.on_means import chances_of_means, observed
from betterthan.gating.rule import INCONCLUSIVE, NOT_COMPARABLE, Chances
from betterthan.gating.sequential import Looked, Plan, look
from betterthan.gating.sides import Sides, read_sides

MAX_MISSING = 0.1


def gate(
    baseline: Any,
    candidate: Any,
    *,
    margin: float,
    threshold: float = names.VERDICT_PROB,
    max_missing: float = MAX_MISSING,
    looks: Sequence[int] | None = None,
    **choices: Any,
) -> Gate:
    """Whether a candidate may replace a baseline: it passes, is worse, or neither can be said.

    With d the difference candidate - baseline, more being better: *pass* if P(d > -margin) reaches
    the threshold, else *worse* if P(d < 0) does, else *inconclusive*. A verdict that values of the
    missing scores could turn is inconclusive.

    Parameters
    ----------
    baseline, candidate : path, list of paths, pandas.DataFrame or Logs
        What `read` reads, of one system each: a table, or logs, also those that `read_logs`
        returned. The baseline may be a file that ``betterthan gate --accept`` wrote.
    margin : float above 0
        By how much the candidate may be behind and still pass: a difference of accuracies, below 1;
        of scores beyond 0 and 1 a difference of means, in units of the score.
    threshold : float, default 0.95
        Probability from which there is a verdict.
    max_missing : float in [0, 1], default 0.1
        The largest share of items that one side has no score on; with more the two are not
        comparable.
    looks : two int, optional
        The number of this look, and how many are planned; see the page "Gate in CI".
    **choices
        As of `read`: ``item, score, metric, task, errors, higher_is_better`` and more.

    Returns
    -------
    Gate
        ``.verdict``, ``.exit_code``, ``.evidence``; print it to read it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file cannot be read or holds several systems, or an argument is not valid.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> old = pd.DataFrame({"item": range(60), "score": [1] * 40 + [0] * 20})
    >>> new = pd.DataFrame({"item": range(60), "score": [1] * 39 + [0] * 19 + [1] * 2})
    >>> found = bt.gate(old, new, margin=0.1)
    >>> found.verdict, found.exit_code, found.evidence.lost
    ('pass', 0, ['39'])
    """
    margin, threshold = _margin(margin), checks.threshold(threshold)
    if not 0 <= checks.real(max_missing, "max_missing") <= 1:
        raise ValueError(f"max_missing is {max_missing:g}; give a share of items, from 0 to 1")
    plan = None if looks is None else Plan.checked(looks)
    sides = read_sides(baseline, candidate, choices)
    if sides.scores is None or sides.stops:
        return _not_comparable(sides, margin, threshold, sides.stops)
    of = paired(sides.scores)
    _fits(of, margin)
    if stops := _lacking(of, max_missing):
        return _not_comparable(sides, margin, threshold, stops)
    return _weighed(sides, of, margin, threshold, plan)


def _margin(margin: float) -> float:
    value = checks.real(margin, "margin")
    if not (np.isfinite(value) and value > 0):
        raise ValueError(
            f"margin is {value:g}; give by how much the candidate may be behind, above 0, such as "
            "0.05"
        )
    return value


def _fits(of: Paired, margin: float) -> None:
    """Refuse a margin that every candidate would pass."""
    width = of.limits[1] - of.limits[0]
    if margin >= width > 0:
        what = "within 0 and 1" if of.shares else f"no further apart than {width:g}"
        raise ValueError(
            f"margin is {margin:g}, and scores are {what}: every candidate would pass; give less"
        )


def _lacking(of: Paired, most: float) -> tuple[str, ...]:
    """Why too few items are shared."""
    n, shared = len(of.ids), int(of.scored.sum())
    if not shared:
        return ("no item has a score in both the baseline and the candidate",)
    if n - shared <= most * n:
        return ()
    by = " and ".join(
        f"{int(np.isnan(of.mean[:, k]).sum())} by the {side}"
        for k, side in enumerate(("baseline", "candidate"))
    )
    return (
        f"{n - shared} of {n} items are not scored by both ({by}), more than max-missing {most:g}",
    )


def _not_comparable(sides: Sides, margin: float, threshold: float, stops: tuple[str, ...]) -> Gate:
    reading = "" if sides.scores is None else str(sides.scores.attrs.get("reading", ""))
    told = {"reading": reading, "warned": sides.warned, "said": sides.said}
    return replace(Gate(NOT_COMPARABLE, margin, threshold, stops), **told)


def _weighed(sides: Sides, of: Paired, margin: float, threshold: float, plan: Plan | None) -> Gate:
    """What the shared items say, and the verdict."""
    cases = cases_of(of) if of.counted else None
    looked: Looked | None = None
    if plan is not None:
        looked = look(plan, _counts_alone(cases), margin, threshold)
        chances = looked.chances
    elif cases is not None:
        chances = chances_of_counts(cases, margin, threshold)
    else:
        chances = chances_of_means(of, margin, threshold)
    further = None
    if chances.verdict == INCONCLUSIVE and plan is None and not chances.turned:
        further = _further(of, cases, margin, threshold)
    found = evidence_of(of, cases, chances, further)
    scores = sides.scores
    reading = "" if scores is None else str(scores.attrs.get("reading", ""))
    return Gate(
        verdict=chances.verdict,
        margin=margin,
        threshold=threshold,
        why=_why(found) if chances.verdict == INCONCLUSIVE else (),
        evidence=found,
        looked=looked,
        reading=reading,
        warned=sides.warned,
        said=sides.said,
    )


def _counts_alone(cases: Cases | None) -> Cases:
    if cases is None:
        raise ValueError(
            "looks is for scores of 0 and 1, one run of each item, without clusters: there the "
            "boundary is of decisive items"
        )
    return cases


def _why(found: Evidence) -> tuple[str, ...]:
    """What makes a verdict inconclusive, beside too few items."""
    if found.chances.turned:
        n = found.cells
        scores = "the missing score" if n == 1 else f"the {n} missing scores"
        return (f"it would be {found.chances.observed.verdict}, but {scores} could turn that",)
    if found.units < 2 and found.cases is None:
        return (f"one {found.per} says nothing of how far others differ",)
    if np.isnan(found.chances.observed.passes):
        return ("all scores are the same, which says nothing of how far others differ",)
    return ()


def _further(of: Paired, cases: Cases | None, margin: float, threshold: float) -> Further | None:
    """How many units more would help."""
    if cases is not None:
        return further_items(cases.observed, margin, threshold)
    found = observed(of)
    error, df = float(found.error[0]), float(found.df[0])
    if error == 0 or df <= DF_MIN:
        return None
    worth = df + 1
    return further_units(
        float(found.difference[0]),
        error * np.sqrt(worth),
        int(found.units[0]),
        margin,
        threshold,
        worth=worth,
    )


def evidence_of(
    of: Paired, cases: Cases | None, chances: Chances, further: Further | None
) -> Evidence:
    """What is known of the two, in numbers and in items."""
    seen, sign = of.scored, 1 if of.higher_is_better else -1
    before, now = (sign * of.mean[seen].mean(0)).tolist()
    missing = np.isnan(of.mean).sum(0).tolist()
    return Evidence(
        quantity="accuracy" if of.binary else "mean",
        per=of.per,
        items=int(seen.sum()),
        units=len(np.unique(of.unit[seen])),
        runs=of.runs,
        missing=(missing[0], missing[1]),
        cells=of.gone,
        won=_by_size(of, 1),
        lost=_by_size(of, -1),
        means=(before, now),
        **_size(of, cases),
        effective=_effective(of, cases),
        higher_is_better=of.higher_is_better,
        chances=chances,
        cases=cases,
        further=further,
    )


def _effective(of: Paired, cases: Cases | None) -> float | None:
    """How many units of equal size clusters of unequal size are worth."""
    if cases is not None:
        return None
    found = observed(of)
    equal = found.units[0] < 2 or found.df[0] == found.units[0] - 1
    return None if equal else float(found.df[0] + 1)


def _by_size(of: Paired, sign: int) -> list[str]:
    """Items on which the candidate is better, or worse, the largest difference first."""
    apart = sign * np.nan_to_num(of.apart)
    order = np.argsort(-apart, kind="stable")
    return [of.ids[k] for k in order if apart[k] > 0]


def _size(of: Paired, cases: Cases | None) -> dict[str, float]:
    """The difference and the ends of its interval."""
    if cases is None:
        found = observed(of)
        ends = (float(end[0]) for end in found.interval(names.CI_PROB))
        parts = (float(found.difference[0]), *ends)
    else:
        won, lost, tied = cases.observed
        a, b, t = np.add(cases.observed, names.PRIOR).tolist()
        low, high, _ = intervals.hdi(a, b, t, names.CI_PROB)
        parts = ((won - lost) / (won + lost + tied), float(low), float(high))
    return dict(zip(("difference", "lower", "upper"), parts, strict=True))

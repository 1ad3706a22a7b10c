"""Decide a gate: read both sides, compare the items that both have, return a verdict."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from betterthan import checks, names
from betterthan.counts.runs import BINARY_RUNS, Reliability, successes_of
from betterthan.counts.units import CLUSTER, alike_items, pooled, several
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.wins import intervals
from betterthan.gating import rule
from betterthan.gating.answer import Evidence, Gate
from betterthan.gating.boundaries import Further, further_items, further_units
from betterthan.gating.inputs import Sides, read_sides
from betterthan.gating.rule import Cases, Chances, Paired
from betterthan.io.items import as_array
from betterthan.io.score_values import marks_next_to_ratings

if TYPE_CHECKING:
    from betterthan.gating.sequential import Looked, Plan

MAX_MISSING = 0.1


def gate(
    baseline: Any,
    candidate: Any,
    *,
    margin: float,
    threshold: float = names.VERDICT_PROB,
    max_missing: float = MAX_MISSING,
    looks: Sequence[int] | None = None,
    quantity: str | None = None,
    limits: Sequence[float] | None = None,
    **choices: Any,
) -> Gate:
    """Decide whether a candidate system may replace a baseline: a non-inferiority test.

    Let d be the difference candidate - baseline, oriented so that more is better. The verdict is
    *pass* if P(d > -margin) reaches the threshold, else *worse* if P(d < 0) does, else
    *inconclusive*. It is also inconclusive if the values of missing scores could change it.

    Parameters
    ----------
    baseline, candidate : path, list of paths, pandas.DataFrame or Logs
        Results of one system each, in any form that `read` accepts: a table, or logs, also those
        from `read_logs`. The baseline may be a file that ``betterthan gate --accept`` wrote. If the
        environment variable ``BETTERTHAN_GATE_KEY`` is set, a baseline that is read from a file
        must be signed with that key, or the two are not comparable.
    margin : float above 0
        Non-inferiority margin: how much worse the candidate may be and still pass. A difference of
        accuracies, below 1; for scores outside 0 to 1, a difference of means in units of the score.
    threshold : float, default 0.95
        Posterior probability needed for a verdict.
    max_missing : float in [0, 1], default 0.1
        Largest proportion of items without a score on one side; above it the two are not
        comparable.
    looks : two int, optional
        Number of planned interim looks, and the largest number of non-tied items; see the page
        "Gate in CI".
    quantity : {"pass^k", "pass@k"}, optional
        For repeated runs that succeed or fail, with a number for k: compare the probability that k
        runs of an item all succeed ("pass^3"), or that any does ("pass@3"). By default the mean of
        the runs decides.
    limits : two float, optional
        Smallest and largest possible score, such as ``(1, 5)``. Default: 0 and 1 if all scores are
        within these. For other scores the candidate cannot pass without limits while a score is
        missing, which may be worse than any that was seen.
    **choices
        Options of `read`: ``item, score, metric, task, errors, higher_is_better``, and more.

    Returns
    -------
    Gate
        ``.verdict``, ``.exit_code``, and ``.evidence``; print it to read it.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file cannot be read or holds several systems, an argument is not valid, or the key in
        ``BETTERTHAN_GATE_KEY`` is shorter than 16 bytes.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> old = pd.DataFrame({"item": range(60), "score": [1] * 40 + [0] * 20})
    >>> new = pd.DataFrame({"item": range(60), "score": [1] * 39 + [0] * 19 + [1] * 2})
    >>> decision = bt.gate(old, new, margin=0.1)
    >>> decision.verdict, decision.exit_code, decision.evidence.lost
    ('pass', 0, ['39'])
    """
    written, margin, threshold = margin, _margin(margin), checks.threshold(threshold)
    if not 0 <= checks.real(max_missing, "max_missing") <= 1:
        raise ValueError(f"max_missing is {max_missing:g}; give a proportion of items, from 0 to 1")
    plan = None
    if looks is not None:
        from betterthan.gating.sequential import Plan

        plan = Plan.checked(looks)
    reliability = Reliability.parse(quantity)
    if quantity is not None and reliability is None:
        raise ValueError(
            f"quantity is {checks.quoted(quantity)}; choose pass^k or pass@k, such as pass^3, or "
            "leave it out"
        )
    sides = read_sides(baseline, candidate, choices)
    if reliability is not None and sides.scores is not None:
        sides = replace(
            sides,
            scores=reliability.scores(successes_of(as_array(sides.scores), right=BINARY_RUNS)),
        )
    if sides.scores is None or sides.stops:
        return _gate(sides, rule.NOT_COMPARABLE, margin, threshold, sides.stops)
    if limits is None and (scales := marks_next_to_ratings(sides.scores)):
        scales += "; write both on one scale, or pass 'limits', its smallest and largest score"
        return _gate(sides, rule.NOT_COMPARABLE, margin, threshold, (scales,))
    if unequal := pooled(sides.scores):
        sides = replace(sides, warned=(*sides.warned, f"{unequal}; gate each alone, too"))
    shared = several(sides.scores, names.DATASET)
    if shared and (alike := alike_items(as_array(sides.scores))):
        sides = replace(sides, warned=(*sides.warned, alike))
    pairs = rule.paired(sides.scores, limits)
    _fits(pairs, margin, in_percent=isinstance(written, names.Percentage))
    if stops := _lacking(pairs, max_missing):
        return _gate(sides, rule.NOT_COMPARABLE, margin, threshold, stops)
    return _decide(sides, pairs, margin, threshold, plan)


def _margin(margin: float) -> float:
    value = checks.real(margin, "margin")
    if not (np.isfinite(value) and value > 0):
        raise ValueError(
            f"margin is {value:g}; give by how much the candidate may be behind, above 0, such as "
            "0.05"
        )
    return value


def _fits(pairs: Paired, margin: float, in_percent: bool) -> None:
    """Refuse a margin that every candidate would pass, or a percentage of other scores."""
    if in_percent and not pairs.shares:
        low, high = sorted(pairs.limits if pairs.higher_is_better else np.negative(pairs.limits))
        raise ValueError(
            f"margin {100 * margin:g}% is for scores within 0 and 1; these go from {low:g} to "
            f"{high:g}: pass the margin in units of the score, without a percent sign"
        )
    width = pairs.limits[1] - pairs.limits[0]
    if margin >= width > 0:
        range_text = "within 0 and 1" if pairs.shares else f"no further apart than {width:g}"
        raise ValueError(
            f"margin is {margin:g}, and scores are {range_text}: every candidate would pass; give "
            "less"
        )


def _lacking(pairs: Paired, max_missing: float) -> tuple[str, ...]:
    """Explain why both sides share too few items; empty if they share enough."""
    n, shared = len(pairs.ids), int(pairs.scored.sum())
    if not shared:
        return ("no item has a score in both the baseline and the candidate",)
    if n - shared <= max_missing * n:
        return ()
    by = " and ".join(
        f"{int(np.isnan(pairs.mean[:, k]).sum())} of the {side}"
        for k, side in enumerate(("baseline", "candidate"))
    )
    return (
        f"{n - shared} of {n} items lack a score ({by}), more than max-missing {max_missing:g} "
        "allows",
    )


def _gate(
    sides: Sides, verdict: str, margin: float, threshold: float, why: tuple[str, ...], **more: Any
) -> Gate:
    """The result, with what was read on the way."""
    reading = "" if sides.scores is None else str(sides.scores.attrs.get("reading", ""))
    read = {"reading": reading, "warned": sides.warned, "notes": sides.messages}
    return Gate(verdict, margin, threshold, why, **more, **read)


def _decide(
    sides: Sides, pairs: Paired, margin: float, threshold: float, plan: "Plan | None"
) -> Gate:
    """Compare the shared items, and decide."""
    cases = rule.count_cases(pairs) if pairs.counted else None
    looked: Looked | None = None
    if plan is not None:
        from betterthan.gating.sequential import look

        if cases is None:
            raise ValueError(
                "looks needs scores of 0 and 1, one run of each item and no clusters, because "
                "interim looks are planned in non-tied items"
            )
        looked = look(plan, cases, margin, threshold)
        chances = looked.chances
    elif cases is not None:
        chances = rule.count_chances(cases, margin, threshold)
    else:
        chances = rule.mean_chances(pairs, margin, threshold)
    further = None
    if chances.verdict == rule.INCONCLUSIVE and plan is None and not chances.could_change:
        further = _further(pairs, cases, margin, threshold)
    evidence = collect_evidence(pairs, cases, chances, further)
    verdict = chances.verdict
    why = _why(evidence) if verdict == rule.INCONCLUSIVE else ()
    if verdict == rule.PASS and pairs.per == CLUSTER:
        worst = pairs.low[:, 1] - pairs.high[:, 0]
        if rule.rests_on_few(pairs, pairs.differences, margin, threshold):
            verdict, why = rule.INCONCLUSIVE, (_FEW_HOLD.format(evidence.units),)
        elif evidence.cells and rule.rests_on_few(pairs, worst, margin, threshold):
            verdict, why = rule.INCONCLUSIVE, (_could_change(evidence),)
    return _gate(sides, verdict, margin, threshold, why, evidence=evidence, looked=looked)


_FEW_HOLD = (
    "the observed scores lead to pass, but few of the {} clusters hold most of the losses, and "
    "other clusters may hold as many"
)


def _could_change(evidence: Evidence) -> str:
    n = evidence.cells
    scores = "the missing score" if n == 1 else f"the {n} missing scores"
    verdict = evidence.chances.observed.verdict
    if verdict == rule.PASS and not evidence.chances.known:
        worse = f"{scores} may be worse than any that was seen"
        right = "pass limits (--limits), the lowest and the highest possible score"
        return f"the observed scores lead to {verdict}, but {worse}; {right}"
    return f"the observed scores lead to {verdict}, but {scores} could change that"


def _why(evidence: Evidence) -> tuple[str, ...]:
    """Explain an inconclusive verdict that has another cause than too few items."""
    if evidence.chances.could_change:
        return (_could_change(evidence),)
    if evidence.units < 2 and evidence.cases is None:
        return (f"with a single {evidence.per}, the variance cannot be estimated",)
    if np.isnan(evidence.chances.observed.passes):
        return ("all scores are the same, so the variance cannot be estimated",)
    return ()


def _further(pairs: Paired, cases: Cases | None, margin: float, threshold: float) -> Further | None:
    """Compute how many more units would help."""
    if cases is not None:
        return further_items(cases.observed, margin, threshold)
    means = rule.observed(pairs)
    error, df = float(means.error[0]), float(means.df[0])
    if error == 0 or df <= DF_MIN:
        return None
    difference, effective = float(means.difference[0]), df + 1
    if special.stdtr(df, (difference + margin) / error) >= threshold:
        return None  # what Student's t does not see is why there is no pass: skewness
    return further_units(
        difference,
        error * np.sqrt(effective),
        int(means.units[0]),
        margin,
        threshold,
        worth=effective,
    )


def collect_evidence(
    pairs: Paired, cases: Cases | None, chances: Chances, further: Further | None
) -> Evidence:
    """Collect what is known of the two sides, in numbers and in items."""
    scored, sign = pairs.scored, 1 if pairs.higher_is_better else -1
    before, now = (sign * pairs.mean[scored].mean(0)).tolist()
    missing = np.isnan(pairs.mean).sum(0).tolist()
    return Evidence(
        quantity=pairs.quantity,
        per=pairs.per,
        items=int(scored.sum()),
        units=len(np.unique(pairs.unit[scored])),
        runs=pairs.runs,
        missing=(missing[0], missing[1]),
        cells=pairs.gone,
        won=_by_size(pairs, 1),
        lost=_by_size(pairs, -1),
        means=(before, now),
        **_size(pairs, cases),
        higher_is_better=pairs.higher_is_better,
        chances=chances,
        cases=cases,
        further=further,
    )


def _by_size(pairs: Paired, sign: int) -> list[str]:
    """List the items on which the candidate is better (sign 1) or worse (-1), largest difference
    first.
    """
    differences = sign * np.nan_to_num(pairs.differences)
    return [pairs.ids[k] for k in np.argsort(-differences, kind="stable") if differences[k] > 0]


def _size(pairs: Paired, cases: Cases | None) -> dict[str, Any]:
    """The difference, the limits of its interval, and the effective number of units, if clusters
    have unequal sizes.
    """
    if cases is not None:
        won, lost, tied = cases.observed
        a, b, t = np.add(cases.observed, names.PRIOR).tolist()
        lower, upper, _ = intervals.hdi(a, b, t, names.CI_PROB)
        difference, effective = (won - lost) / (won + lost + tied), None
    else:
        means = rule.observed(pairs)
        lower, upper = (limit[0] for limit in means.interval(names.CI_PROB))
        equal = means.units[0] < 2 or means.df[0] == means.units[0] - 1
        difference, effective = means.difference[0], None if equal else float(means.df[0] + 1)
    limits = {"lower": float(lower), "upper": float(upper)}
    return limits | {"difference": float(difference), "effective": effective}

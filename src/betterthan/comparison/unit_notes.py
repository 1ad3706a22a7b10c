"""Sentences on the units of an answer: what unequal clusters are worth, and where another
reasonable answer differs.
"""

from typing import Any

import numpy as np

from betterthan import names
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.options import Options
from betterthan.comparison.units import UnitTotals
from betterthan.counts.shapes import Table, pair_indices
from betterthan.exact.joint.student import too_skewed
from betterthan.results import numbers

HALF = 0.5  # a unit with so much of the items dominates the answer
UNEQUAL = 1.25  # sizes are unequal where there are so many times more units than they are worth
_DISAGREE = 0.1  # two-sided p-values above this do not support a verdict at 0.95
_NAMED = 3  # pairs that are listed


def worth(answers: Table) -> tuple[float, int]:
    """The effective number of units, df + 1, and how many units there are, of the pair whose
    units are worth the least for their number.
    """
    at = pair_indices(len(answers[names.SYSTEM_A]))
    df, units = (answers[k][at] for k in ("difference_df", "n_units"))
    some = units > 1
    if not some.any():
        return float("nan"), int(units.max(initial=0))
    least = int(np.where(some, (df + 1) / np.maximum(units, 1), np.inf).argmin())
    return float(df[least] + 1), int(units[least])


def unequal(answers: Table) -> bool:
    """Whether the units are worth clearly less than as many of equal size."""
    if "difference_df" not in answers:
        return False
    effective, units = worth(answers)
    return bool(UNEQUAL * effective < units)


def unit_notes(answers: Table, evaluation: Evaluation, options: Options) -> tuple[str, ...]:
    """The sentences that stand under the answer; none where units are single items of a count.

    Those that change what a reader should do begin with an exclamation mark.
    """
    if evaluation.raw_counts.attrs.get("unit") == names.MEASURE:
        return (_MEASURES,)
    if "difference_df" not in answers:
        return ()
    clusters = evaluation.clusters
    unit = evaluation.unit if clusters is not None else "item"
    lines = [_skewed(answers)]
    if unequal(answers):
        lines.append(_sizes(answers, evaluation, options, f"{unit}s"))
        if "pairwise_verdict" not in answers:
            lines.append(_each_once(answers, unit, options))
    if clusters is not None:
        lines += [_few(answers, evaluation), _chance(answers, options)]
    return tuple(filter(None, lines))


_MEASURES = (
    "n counts measures, not items or people: the answer is on how many measures a system is ahead, "
    "not how far or how certainly."
)


def notes_on_weights(answers: Table, evaluation: Evaluation, options: Options) -> tuple[str, ...]:
    """What changes if each unit counts once: of pairs alone, next to a joint answer."""
    if "pairwise_verdict" not in answers or "unit_verdict" not in answers:
        return ()
    unit = evaluation.unit if evaluation.clusters is not None else "item"
    return (_each_once(answers, unit, options),)


_ENOUGH = 10  # clusters below which intervals are rough


def _few(answers: Table, evaluation: Evaluation) -> str:
    """A warning of few clusters, or of clusters that are worth few."""
    effective, number = worth(answers)
    if number < 2 or effective >= _ENOUGH - 1e-9:
        return ""
    n = evaluation.item_scores.sizes.get(names.ITEM) if evaluation.kind == "scores" else None
    items = f" ({n:,} items)" if n else ""
    rough = f"With fewer than {_ENOUGH} the intervals are only rough."
    if unequal(answers):
        equal = f"count as {effective:.1f} clusters of equal size"
        return f"! Few clusters: {number:,} of unequal size{items} {equal}. {rough}"
    return f"! Few clusters: {number:,}{items}. {rough}"


def notes_on_tests(evaluation: Evaluation, options: Options) -> tuple[str, ...]:
    """Where no test on clusters can reach its level."""
    if evaluation.clusters is None:
        return ()
    number = evaluation.clusters.most_decisive
    least = min(1.0, 2.0 * 0.5**number)
    if least <= options.tests.alpha or least == 1:
        return ()
    line = f"{number} clusters differ, so no test on clusters can have a p-value below {least:.3g}."
    return (line,)


def _sizes(answers: Table, evaluation: Evaluation, options: Options, units: str) -> str:
    """How much of the data the largest units hold, and what they are worth."""
    effective, number = worth(answers)
    digits = 1 if effective < 100 else 0
    worth_of = f"the {number:,} {units} count as {effective:,.{digits}f} of equal size"
    if options.weight == "unit":
        return ""
    share = np.sort(_shares(evaluation))[::-1]
    largest = int(np.searchsorted(share.cumsum(), HALF - 1e-12)) + 1
    held = f"{100 * share[:largest].sum():.0f}% of the items"
    if largest == 1:
        return f"One {units[:-1]} holds {held}, so {worth_of}."
    return f"The {largest:,} largest {units} hold {held}, so {worth_of}."


def _shares(evaluation: Evaluation) -> np.ndarray:
    """The share of each unit in the items."""
    if evaluation.clusters is None:
        assert isinstance(evaluation.totals, UnitTotals)  # blocks have no units
        total = np.bincount(evaluation.totals.unit, weights=evaluation.totals.sizes.sum(1))
    else:
        sums = evaluation.clusters.sums()
        total = np.sum([(size_a + size_b).sum(1) for _, size_a, _, size_b in sums], 0)
    return total / total.sum()


def _each_once(answers: Table, unit: str, options: Options) -> str:
    """The answer of units that each count once."""
    if "unit_verdict" not in answers:
        return ""
    if len(answers[names.SYSTEM_A]) == 2:
        return _once_of_two(answers, unit, options)
    at = pair_indices(len(answers[names.SYSTEM_A]))
    pairwise = answers.get("pairwise_verdict", answers["verdict"])
    now, then = (verdicts[at].astype(str) for verdicts in (pairwise, answers["unit_verdict"]))
    changed = np.flatnonzero(now != then)
    if not len(changed):
        return f"If each {unit} counts once, every pairwise verdict is the same."
    which = _pairs(answers, changed)
    return (
        f"If each {unit} counts once, {len(changed):,} of {len(now):,} pairwise verdicts change: "
        f"{which}."
    )


def _once_of_two(answers: Table, unit: str, options: Options) -> str:
    """The same of two systems, the one ahead first."""
    better = answers["unit_prob_better"]
    a, b = (0, 1) if better[0, 1] >= 0.5 else (1, 0)
    first, second = (str(answers[names.SYSTEM_A][k]) for k in (a, b))
    sizes = (answers[f"unit_difference_{k}"][a, b] for k in ("mean", "lower", "upper"))
    mean, _, ends = numbers.difference(*map(float, sizes)).partition(" [")
    interval = f"{100 * options.question.ci_prob:g}% {options.question.ci_kind.upper()}"
    return (
        f"If each {unit} counts once, {first} is better than {second} with probability "
        f"{numbers.probability(better[a, b])} (difference {mean}, {interval} [{ends})."
    )


def _chance(answers: Table, options: Options) -> str:
    """Where swaps of whole clusters do not support a verdict."""
    tests = answers[names.TEST].tolist() if "p_value" in answers else []
    if "randomization" not in tests:
        return ""
    at = pair_indices(len(answers[names.SYSTEM_A]))
    p = answers["p_value"][tests.index("randomization")][at]
    sided = np.isin(answers["verdict"][at].astype(str), ("a_better", "b_better"))
    reachable = answers["smallest_p"][at] <= _DISAGREE
    against = np.flatnonzero(sided & reachable & (p > _DISAGREE))
    if not len(against):
        return ""
    p_of = ", ".join(f"{p[k]:.2g}" for k in against[:_NAMED])
    return (
        f"! Swapping whole clusters at random does as well (p = {p_of}): "
        f"{_pairs(answers, against)}."
    )


def _skewed(answers: Table) -> str:
    """Pairs whose differences are too skewed for so few items."""
    if "difference_skewness" not in answers:
        return ""
    at = pair_indices(len(answers[names.SYSTEM_A]))
    held: dict[str, Any] = {k: answers[k][at] for k in ("difference_skewness", "n_units")}
    differ = answers["counts"][..., :2].sum(-1)[at]
    there = answers["difference_error"][at] > 0
    skewed = too_skewed(held["difference_skewness"], held["n_units"], differ) & there
    places = np.flatnonzero(skewed)
    if not len(places):
        return ""
    pairs = f"in {len(places):,} of {len(skewed):,} pairs" if len(skewed) > 1 else "here"
    which = f" ({_pairs(answers, places)})" if len(skewed) > 1 else ""
    return (
        f"! Differences of so few items are too skewed for Student's t {pairs}{which}: "
        "verdicts and intervals are wrong more often than stated."
    )


def _pairs(answers: Table, at: np.ndarray) -> str:
    """Names of pairs, the first few."""
    systems = [str(s) for s in answers[names.SYSTEM_A]]
    first, second = pair_indices(len(systems))
    listed = [f"{systems[first[k]]} and {systems[second[k]]}" for k in at[:_NAMED].tolist()]
    more = f" and {len(at) - _NAMED:,} more" if len(at) > _NAMED else ""
    return "; ".join(listed) + more

"""How an answer was computed: its record, notes on its units, and the audit of its scores."""

from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.comparison.averages import Suite, notes_of
from betterthan.comparison.data import UnitTotals
from betterthan.comparison.engines import Answer
from betterthan.comparison.evaluation import Evaluation
from betterthan.comparison.missing_bounds import bounds_answer
from betterthan.comparison.options import Options
from betterthan.counts.shapes import Table, pair_indices
from betterthan.counts.units import CLUSTER, EPOCH, several
from betterthan.exact.joint.student import too_skewed
from betterthan.results import numbers
from betterthan.signed import Signature

HALF = 0.5  # a unit with so much of the items dominates the answer
UNEQUAL = 1.25  # sizes are unequal where there are so many times more units than they are worth
_DISAGREE = 0.1  # two-sided p-values above this do not support a verdict at 0.95
_NAMED = 3  # pairs that are listed
_ENOUGH = 10  # clusters below which intervals are rough


def provenance(
    evaluation: Evaluation,
    options: Options,
    answers: list[Answer],
    table: Table,
    bounds: xr.Dataset | None,
    left_out: tuple[str, ...],
    suite: Suite | None = None,
) -> Signature:
    """How an answer was computed.

    Parameters
    ----------
    evaluation : Evaluation
    options : Options
    answers : list of Answer
        Of each engine, the one that is read first in front.
    table : Table
        All of the answer.
    bounds : xarray.Dataset, optional
        Of missing scores.
    left_out : tuple of str
        Notes on fits that are not stored.
    suite : Suite, optional
        The data sets of an average.
    """
    first, advice, counts = answers[0], evaluation.advice, evaluation.counts
    quantity = evaluation.quantity
    by_t = (
        "n_units" in first.table if suite is None else suite.by_means
    )  # Student's t has no prior of win, loss and tie
    own_prior = by_t or (advice is not None and advice.spec.own_prior)
    # with ties dropped, or given to one side, that of a pair is no longer a difference in accuracy
    pairwise = quantity.lead == "accuracy" and "pairwise_verdict" not in table
    moved = pairwise and options.ties in ("drop", "to_a", "to_b")
    # what is taken as independent items
    kinds = {CLUSTER: "clusters", EPOCH: "runs of an item"} if evaluation.kind == "scores" else {}
    ignored = [
        words
        for k, words in kinds.items()
        if k not in evaluation.takes and several(evaluation.observed, k)
    ]
    record: dict[str, Any] = {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": None if own_prior else checks.prior(options.prior, counts.sizes[names.OUTCOME]),
        "ties": "unknown" if counts.attrs.get("ties") == "unknown" else options.ties,
        "method": options.method,
        "engine": first.engine,
        "quantity": quantity.name,
        "beside_quantity": quantity.other,
        "splits": None if quantity.other is None else not quantity.chosen,
        "difference_is": names.DIFFERENCES["wins"] if moved else quantity.difference_is,
        "baseline": options.baseline,
        "advice": None if advice is None else str(advice),
        "notes": (
            *evaluation.notes,
            *left_out,
            *notes_on_tests(evaluation, options),
            *notes_on_weights(table, evaluation, options),
        ),
        "ignored": " and the ".join(ignored) or None,
        "weight": None if options.weight == "item" else options.weight,
        "unit_notes": unit_notes(table, evaluation, options),
        "over": None if suite is None else f"{suite.over}, {suite.how}",
    }
    if by_t:
        record |= _units(evaluation)
        graded = (
            quantity.name == "mean" and evaluation.totals is not None and evaluation.totals.graded
        )
        record["difference_most"] = None if graded else 1.0  # the largest that there can be
        record["prior_sd"] = options.prior_sd or None
    if suite is not None:
        record["unit_notes"] = notes_of(suite, table)
    if unequal(table):
        record["n_effective"] = worth(table)[0]
    settings = {k: v for answer in reversed(answers) for k, v in answer.settings.items()}
    audit, robust = audit_lines(evaluation, options, bounds)
    return Signature(
        **evaluation.attrs | record | vars(options.question) | settings,
        audit=audit or None,
        bounds=robust or None,
    )


def _units(evaluation: Evaluation) -> dict[str, Any]:
    """What the units are, where they are not single items."""
    if evaluation.unit == CLUSTER:
        labels = {str(v) for v in evaluation.item_scores[CLUSTER].values.tolist()}
        return {"unit": CLUSTER, "n_units": len(labels)}
    totals = evaluation.totals
    if not isinstance(totals, UnitTotals) or not totals.runs:
        return {}
    return {"unit": "repeated item", "n_units": totals.units}


def audit_lines(
    evaluation: Evaluation, options: Options, bounds: xr.Dataset | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The audit of scores from logs, as lines under an answer; and whether verdicts hold for every
    value of the missing scores.

    Where bounds are not of what the answer is of, but of wins by item, the line says so.
    """
    scores = evaluation.observed
    if evaluation.kind != "scores" or options.missing != "pairwise":
        return (), ()
    if "status" not in scores.coords and not np.isnan(scores.values.astype(float)).any():
        return (), ()
    from betterthan.auditing.answer_checks import bounds_lines, status_lines

    by = "" if bounds_answer(evaluation, options) else "by wins on items"
    robust = bounds_lines(scores, baseline=options.baseline, by=by, bounds=bounds)
    return tuple(status_lines(scores)), tuple(robust)


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

"""How missing scores could change verdicts, and which verdicts are withheld because of them.

Bounds are of what the answer is of: of wins on items in closed form, of means and of wins on units
by Student's t, which `spans` bounds.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.comparison.engines import closed_form
from betterthan.comparison.evaluation import LEFT_OUT, Evaluation, load
from betterthan.comparison.options import Options
from betterthan.counts.counting import gaps_in, with_gaps_filled
from betterthan.counts.shapes import Arrays, Table, pair_indices, without_attrs
from betterthan.counts.units import CLUSTER, ids_of
from betterthan.exact.joint.units import Spans, once, spans, summed
from betterthan.posterior.bounds import (
    ScoreBounds,
    bounds_from_limits,
    bounds_from_right,
    planned_bounds,
    score_limits,
)
from betterthan.posterior.parameters import prior_of

_NET = ("third", "half")  # policies for ties that leave wins less losses as they are
_AT_ONCE = 2**22  # numbers


def missing_bounds(evaluation: Evaluation, options: Options, answers: Table) -> xr.Dataset | None:
    """Bounds of every pair, where scores are missing that the answer leaves out.

    Parameters
    ----------
    evaluation : Evaluation
    options : Options
    answers : Table
        With ``prob_better`` and ``verdict`` over (system_a, system_b).

    Returns
    -------
    xarray.Dataset or None
        ``prob_better`` (system_a, system_b, case), ``verdict``, ``n_missing`` and ``holds`` as of
        `posterior.missing_bounds`; of wins on items also ``counts``.
    """
    if evaluation.kind == "blocks":
        return _of_blocks(evaluation, options)
    if evaluation.kind != "scores" or options.missing not in LEFT_OUT:
        return None
    observed = evaluation.observed
    if not gaps_in(observed).any() or np.isnan(observed.values.astype(float)).all():
        return None
    ends, unit = _ends(evaluation)
    choices = _choices(options) | {"margin": options.margin}
    if evaluation.quantity.lead == "mean":
        choices["rope"] = 0.0
    wins = _with_priors(partial(bounds_from_limits, ends, evaluation.systems, **choices), options)
    if of_units(evaluation, options):
        return _of_means(evaluation, options, answers, ends, unit, wins)
    if by_items(evaluation):
        return wins
    return wins.assign(holds=wins["n_missing"] == 0)  # no bounds of such an answer are known


def columns_of_bounds(evaluation: Evaluation, options: Options, bounds: xr.Dataset) -> Table:
    """Of each pair ``n_missing``, ``missing_holds``, whether its verdict is the same for every
    value of the missing scores, and ``missing_probability``, P(better) in the worst and the best
    case for system_a; of wins also ``counts_worst``, all of them for system_b.
    """
    columns = {"n_missing": bounds["n_missing"], "missing_holds": bounds["holds"]}
    if not bounds_answer(evaluation, options):
        return Table.of(without_attrs(xr.Dataset(columns)))
    columns["missing_probability"] = bounds["prob_better"].sel(case=CASES)
    if evaluation.counts.sizes[names.OUTCOME] == bounds.sizes.get(names.OUTCOME):  # ties were kept
        columns["counts_worst"] = bounds["counts"].sel(case="worst", drop=True)
    return Table.of(without_attrs(xr.Dataset(columns)))


def extreme_answers(evaluation: Evaluation, options: Options) -> Table:
    """Of two systems the answers with every missing score the worst, and the best, for system_a:
    ``extreme_`` difference, P(better) and verdict over (system_a, system_b, case), and
    ``extreme_score`` over (system, case), the missing scores of a system in its own worst and
    best case, whichever of the two is named first.
    """
    if evaluation.kind == "blocks" or len(evaluation.systems) > 2:
        return Table()
    if not bounds_answer(evaluation, options) or options.method != "exact":
        return Table()
    scores = evaluation.observed.drop_vars("status", errors="ignore")
    limits = score_limits(scores, None)[:2]
    worst, best = limits if scores.attrs.get("higher_is_better", True) else limits[::-1]
    missing = gaps_in(scores)
    options = replace(options, systems=None, reliability=None)  # chances are scores by now
    by_case = []
    for best_of in ([False, True], [True, False]):
        filled = with_gaps_filled(scores, limits, best_of)
        answer = closed_form(load(filled, options), options).table
        by_case.append({name: answer[name] for name in _EXTREMES if name in answer})
    dims = (*names.SQUARE, "case")
    columns: Arrays = {"case": (("case",), np.array(CASES))}
    for name in by_case[0]:
        values = np.stack([answers[name] for answers in by_case], axis=-1)
        values[1, 0] = values[1, 0, ::-1]  # the worst for one is the best for the other
        columns[_EXTREMES[name]] = dims, values
    filled = np.where(missing.any(0)[:, None], [worst, best], np.nan)
    columns["extreme_score"] = (names.SYSTEM, "case"), filled
    return Table(columns)


CASES = ["worst", "best"]  # values of the missing scores, for system_a
_EXTREMES = {
    "prob_better": "extreme_probability",
    "verdict": "extreme_verdict",
    **{f"difference_{k}": f"extreme_difference_{k}" for k in ("mean", "lower", "upper")},
}


def withheld(evaluation: Evaluation, bounds: xr.Dataset) -> np.ndarray | None:
    """Pairs (system_a, system_b) without a verdict: some values of the missing scores lead to
    another, and the scores of one of the two are missing with the difficulty of the items.
    """
    if "missing_differs" not in evaluation.columns:
        return None
    differs = evaluation.columns["missing_differs"][1]
    pairs = (differs[:, None] | differs) & ~bounds["holds"].transpose(*names.SQUARE).values
    return pairs if pairs.any() else None


def without_verdicts(answers: Table, where: np.ndarray | None) -> Table:
    """Answers with ``no_verdict`` on some pairs, and the ``reason`` of each that has none."""
    verdict = answers["verdict"].astype(f"U{max(map(len, names.VERDICTS))}")
    reason = np.where(verdict == "no_verdict", names.NOT_CONVERGED, "")
    if where is not None:
        open_ = where & (verdict != "no_data") & (reason == "")
        verdict = np.where(open_, "no_verdict", verdict)
        reason = np.where(open_, names.MISSING_DECIDES, reason)
    if not (reason != "").any():
        return answers
    changed = {
        name: answers[name] & (verdict != "no_verdict")
        for name in ("also_ahead", "beyond_rope")
        if name in answers
    }
    changed |= {"verdict": verdict, "reason": reason}
    return answers.with_arrays({name: (names.SQUARE, values) for name, values in changed.items()})


def as_answered(bounds: xr.Dataset, answers: Table) -> xr.Dataset:
    """Bounds of verdicts as the answer has them, where the answer gives none."""
    none = answers["verdict"] == "no_verdict"
    verdict = bounds["verdict"].transpose(*names.SQUARE, ...)
    none = none[(...,) + (None,) * (verdict.ndim - 2)]
    return bounds.assign(verdict=verdict.copy(data=np.where(none, "no_verdict", verdict.values)))


def of_units(evaluation: Evaluation, options: Options) -> bool:
    """Whether Student's t on units answers, in a quantity whose bounds are known."""
    if by_items(evaluation) or evaluation.totals is None or options.prior_sd:
        return False
    return evaluation.quantity.lead != "wins" or options.ties in _NET


def by_items(evaluation: Evaluation) -> bool:
    """Whether wins on items answer, in closed form."""
    if evaluation.quantity.lead == "wins":
        return evaluation.unit != CLUSTER
    return evaluation.quantity.lead != "mean" and (
        evaluation.totals is None or evaluation.totals.single
    )


def bounds_answer(evaluation: Evaluation, options: Options) -> bool:
    """Whether the bounds are of what the answer is of."""
    return of_units(evaluation, options) or by_items(evaluation)


def _ends(evaluation: Evaluation) -> tuple[ScoreBounds, np.ndarray]:
    """Between which numbers the score of each item lies, more being better; and its unit."""
    scores = evaluation.observed
    if evaluation.totals is not None and not evaluation.totals.runs:
        scores = scores.drop_vars(names.ITEM, errors="ignore")  # each row is an item
    ends, _, place = planned_bounds(scores, score_limits(scores, None)[:2])
    first = np.unique(place, return_index=True)[1]
    if evaluation.unit != CLUSTER:
        return ends, np.arange(len(first))
    return ends, np.asarray(pd.factorize(ids_of(scores, CLUSTER)[first])[0])


def _with_priors(bounds_with: Callable[..., xr.Dataset], options: Options) -> xr.Dataset:
    """Bounds with the prior of the answer; of a skeptical one, which follows the ties, also with
    that of the fewest and of the most ties there can be: P(better) moves one way with it.
    """
    bounds = bounds_with(prior=options.prior)
    if not options.prior_sd or len(options.prior) < len(names.OUTCOMES):
        return bounds
    counts = bounds["counts"].sum(names.SQUARE)  # each pair from both sides
    systems = bounds.sizes[names.SYSTEM_A]
    n = int(counts.sel(case="worst").sum()) * (systems - 1) // (2 * systems)
    for case in ("worst", "best"):
        decisive = min(int(counts.sel({"case": case, names.OUTCOME: "win"})), n)
        ties = xr.DataArray([decisive, 0, n - decisive], dims=names.OUTCOME)
        bounds = _wider(bounds, bounds_with(prior=prior_of(names.SKEPTICAL, ties)))
    return bounds


def _wider(bounds: xr.Dataset, other: xr.Dataset) -> xr.Dataset:
    """Bounds that hold those with another prior, too."""
    p, also = bounds["prob_better"].values, other["prob_better"].values
    p = np.stack([p[..., 0], np.minimum(p, also)[..., 1], np.maximum(p, also)[..., 2]], axis=-1)
    alike = (other["verdict"] == bounds["verdict"].isel(case=0)).all("case")
    holds = bounds["holds"] & other["holds"] & (alike | (bounds["n_missing"] == 0))
    return bounds.assign(prob_better=(bounds["prob_better"].dims, p), holds=holds)


def _choices(options: Options) -> dict[str, Any]:
    """What bounds of wins depend on, but for the prior."""
    return {
        "ties": options.tie_policy,
        "rope": options.question.rope if options.question.rope < 1 else names.ROPE,
        "threshold": options.question.threshold,
    }


def _of_blocks(evaluation: Evaluation, options: Options) -> xr.Dataset | None:
    """Bounds of right and wrong in blocks, from what was counted."""
    totals: Any = evaluation.totals
    tables = totals.tables
    if tables.graded or not tables.blank or options.missing != "pairwise" or options.margin >= 1:
        return None
    right, wins = np.diag(tables.sums).astype(np.int64), tables.wins
    if not totals.higher_is_better:  # where 0 is right
        right, wins = totals.scored - right, wins.T
    counted = wins, tables.shared, right, tables.items, totals.systems
    return _with_priors(partial(bounds_from_right, *counted, **_choices(options)), options)


def _of_means(
    evaluation: Evaluation,
    options: Options,
    answers: Table,
    ends: ScoreBounds,
    unit: np.ndarray,
    wins: xr.Dataset,
) -> xr.Dataset:
    """Bounds of means, or of wins less losses, on units."""
    low, high = ends.low, ends.high
    first, second = pair_indices(low.shape[1])
    missing = wins["n_missing"].transpose(*names.SQUARE).values
    at = np.flatnonzero(missing[first, second] > 0)
    better, verdict = answers["prob_better"], answers["verdict"]
    square = np.repeat(better[..., None], 3, axis=-1)
    holds = np.ones(missing.shape, dtype=bool)
    step = max(1, _AT_ONCE // max(len(low), 1))
    for start in range(0, len(at), step):
        i, j = first[at[start : start + step]], second[at[start : start + step]]
        beyond = low[:, i] - high[:, j], high[:, i] - low[:, j]
        of = _spans(evaluation, options, *beyond, unit)
        above = of.least_above(0.0), of.most_above(0.0)
        below = of.least_below(0.0), of.most_below(0.0)
        kept = _kept(of, verdict[i, j], options)
        square[i, j, 1:], square[j, i, 1:] = (np.stack(p, axis=-1) for p in (above, below))
        if not evaluation.quantity.chosen:
            kept &= _as_won(wins, verdict[i, j], i, j)
        holds[i, j] = holds[j, i] = kept
    arrays = {"prob_better": ((*names.SQUARE, "case"), square), "verdict": (names.SQUARE, verdict)}
    arrays |= {"n_missing": (names.SQUARE, missing), "holds": (names.SQUARE, holds)}
    coords = {"case": wins["case"].values} | {k: wins[k].values for k in names.SQUARE}
    return xr.Dataset(arrays, coords)


def _spans(
    evaluation: Evaluation, options: Options, low: np.ndarray, high: np.ndarray, unit: np.ndarray
) -> Spans:
    """Of differences on items, in the quantity and with the weights of the answer."""
    totals: Any = evaluation.totals
    most = np.inf if totals.graded else 1.0
    skewed = evaluation.unit != CLUSTER and evaluation.quantity.lead != "wins"
    if evaluation.quantity.lead == "wins":
        low, high = (np.where(np.abs(x) > options.margin, np.sign(x), 0.0) for x in (low, high))
        most = 1.0
    if evaluation.weight == "unit":
        ones = np.ones_like(low)
        low, high = (once(summed(x, unit), summed(ones, unit))[0] for x in (low, high))
        unit = np.arange(len(low))
    return spans(low, high, unit, most=most, skewed=skewed)


def _kept(of: Spans, verdict: np.ndarray, options: Options) -> np.ndarray:
    """Whether every value of the missing scores leads to these verdicts."""
    sure, rope = options.question.threshold, options.question.rope
    above, below = of.least_above(0.0) >= sure, of.least_below(0.0) >= sure
    open_ = (of.most_above(0.0) < sure) & (of.most_below(0.0) < sure)
    within = np.zeros_like(above)
    if rope:
        within = 1 - of.most_above(rope) - of.most_below(-rope) >= sure
        beyond = 1 - of.least_above(rope) - of.least_below(-rope) < sure
        above, below, open_ = above & beyond, below & beyond, open_ & beyond
    kept = {"a_better": above, "b_better": below, "undecided": open_, "equivalent": within}
    kept["split"] = above | below
    return np.select([verdict == kind for kind in kept], list(kept.values()))


def _as_won(wins: xr.Dataset, verdict: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Whether wins favor, for every value, the side that makes these verdicts split or not."""
    net = wins["counts"].transpose(*names.SQUARE, "case", names.OUTCOME).values[i, j]
    net = net[..., 0] - net[..., 1]
    worst, best = net[:, 1], net[:, 2]
    split = np.where(net[:, 0] > 0, worst > 0, best < 0)
    kinds = ("a_better", "b_better", "split")
    return np.select([verdict == kind for kind in kinds], [worst >= 0, best <= 0, split], True)

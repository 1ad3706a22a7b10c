"""How missing scores could change verdicts, and which verdicts are withheld because of them.

Bounds are of what the answer is of: of wins on items in closed form, of means and of wins on units
by Student's t, which `spans` bounds.
"""

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.given import Given
from betterthan.counts.arrays import without_attrs
from betterthan.counts.picking import systems_of
from betterthan.counts.shapes import pair_indices
from betterthan.counts.units import CLUSTER, ids_of
from betterthan.exact.joint.spans import Spans, spans
from betterthan.exact.joint.units import once, summed
from betterthan.posterior.open_scores import ScoreBounds, planned_bounds, score_limits

_LEFT_OUT = ("pairwise", "complete")  # policies under which a missing score is not used
_NET = ("third", "half")  # policies for ties that leave wins less losses as they are
_HELD = 2**22  # numbers held at once


def bounds_of(given: Given, asked: Asked, answers: xr.Dataset) -> xr.Dataset | None:
    """Bounds of every pair, where scores are missing that the answer leaves out.

    Parameters
    ----------
    given : Given
    asked : Asked
    answers : xarray.Dataset
        With ``prob_better`` and ``verdict`` over (system_a, system_b).

    Returns
    -------
    xarray.Dataset or None
        ``prob_better`` (system_a, system_b, case), ``verdict``, ``n_missing`` and ``holds`` as of
        `posterior.missing_bounds`; of wins on items also ``counts``.
    """
    if given.found.kind == "blocks":
        return _of_blocks(given, asked)
    if given.found.kind != "scores" or asked.missing not in _LEFT_OUT:
        return None
    missing = np.isnan(given.found.before.values.astype(float))
    if not missing.any() or missing.all():
        return None
    ends, unit = _ends(given)
    wins = _of_wins(given, asked, ends)
    if not of_units(given, asked):
        return wins
    return _of_means(given, asked, answers, ends, unit, wins)


def holding(given: Given, asked: Asked, bounds: xr.Dataset | None) -> xr.Dataset:
    """Of each pair ``n_missing`` and ``missing_holds``, whether its verdict is the same for every
    value of the missing scores; of wins on items ``counts_worst``, before any policy for ties.
    """
    if bounds is None or not told(given, asked):
        return xr.Dataset()
    held = {"missing_holds": bounds["holds"]}
    kept = given.counts.sizes[names.OUTCOME] == bounds.sizes.get(names.OUTCOME)
    if kept:  # ties were kept
        held["counts_worst"] = bounds["counts"].sel(case="worst", drop=True)
    return without_attrs(bounds[["n_missing"]].assign(held))


def withheld(given: Given, bounds: xr.Dataset | None) -> np.ndarray | None:
    """Pairs (system_a, system_b) without a verdict: some values of the missing scores lead to
    another, and the scores of one of the two are missing with the difficulty of the items.
    """
    differs = given.facts.get("missing_differs")
    if bounds is None or differs is None:
        return None
    one = differs.values
    found = (one[:, None] | one) & ~bounds["holds"].transpose(*names.SQUARE).values
    return found if found.any() else None


def without_verdicts(answers: xr.Dataset, where: np.ndarray | None) -> xr.Dataset:
    """Answers with ``no_verdict`` on some pairs, and the ``reason`` of each that has none."""
    verdict = answers["verdict"].transpose(..., *names.SQUARE)
    values = verdict.values.astype(f"U{max(len(one) for one in names.VERDICTS)}")
    reason = np.where(values == "no_verdict", names.NOT_CONVERGED, "")
    if where is not None:
        open_ = where & (values != "no_data") & (reason == "")
        values = np.where(open_, "no_verdict", values)
        reason = np.where(open_, names.MISSING_DECIDES, reason)
    if not (reason != "").any():
        return answers
    kept = {
        name: answers[name] & (verdict.copy(data=values) != "no_verdict")
        for name in ("also_ahead", "beyond_rope")
        if name in answers
    }
    changed = {"verdict": verdict.copy(data=values), "reason": verdict.copy(data=reason)}
    return answers.assign(changed | kept)


def as_answered(bounds: xr.Dataset | None, answers: xr.Dataset) -> xr.Dataset | None:
    """Bounds of verdicts as the answer has them, where the answer gives none."""
    if bounds is None or "reason" not in answers:
        return bounds
    none = answers["verdict"].transpose(*names.SQUARE).values == "no_verdict"
    verdict = bounds["verdict"].transpose(*names.SQUARE, ...)
    none = none[(...,) + (None,) * (verdict.ndim - 2)]
    return bounds.assign(verdict=verdict.copy(data=np.where(none, "no_verdict", verdict.values)))


def of_units(given: Given, asked: Asked) -> bool:
    """Whether Student's t on units answers, in a quantity whose bounds are known."""
    if by_items(given) or given.scores is None or asked.prior_sd:
        return False
    return given.quantity.lead != "wins" or asked.ties in _NET


def by_items(given: Given) -> bool:
    """Whether wins on items answer, in closed form."""
    if given.quantity.lead == "wins":
        return given.unit != CLUSTER
    return given.quantity.lead != "mean" and (given.scores is None or given.scores.single)


def told(given: Given, asked: Asked) -> bool:
    """Whether the bounds are of what the answer is of; a skeptical prior moves with the scores."""
    return not asked.prior_sd and (of_units(given, asked) or by_items(given))


def _ends(given: Given) -> tuple[ScoreBounds, np.ndarray]:
    """Between which numbers the score of each item lies, more being better; and its unit."""
    scores = given.found.before
    if given.scores is not None and not given.scores.runs:
        scores = scores.drop_vars(names.ITEM, errors="ignore")  # each row is an item
    ends, _, place = planned_bounds(scores, score_limits(scores, None)[:2])
    first = np.unique(place, return_index=True)[1]
    if given.unit != CLUSTER:
        return ends, np.arange(len(first))
    return ends, np.asarray(pd.factorize(ids_of(scores, CLUSTER)[first])[0])


def _of_wins(given: Given, asked: Asked, ends: ScoreBounds) -> xr.Dataset:
    from betterthan.posterior.bounds import bounds_from_limits

    rope = 0.0 if given.quantity.lead == "mean" else asked.question.rope
    return bounds_from_limits(
        ends,
        systems_of(given.counts),
        margin=asked.margin,
        ties="third" if asked.ties == "all" else asked.ties,
        prior=asked.prior,
        rope=rope if rope < 1 else names.ROPE,
        threshold=asked.question.threshold,
    )


def _of_blocks(given: Given, asked: Asked) -> xr.Dataset | None:
    """Bounds of right and wrong in blocks, from what was counted."""
    found, scores = given.scores.found, given.scores
    if found.graded or not found.blank or asked.missing != "pairwise" or asked.margin >= 1:
        return None
    from betterthan.posterior.bounds import bounds_from_right

    right, wins = np.diag(found.sums).astype(np.int64), found.wins
    if not scores.higher_is_better:  # where 0 is right
        right, wins = scores.scored - right, wins.T
    return bounds_from_right(
        wins,
        found.shared,
        right,
        found.items,
        scores.systems,
        ties="third" if asked.ties == "all" else asked.ties,
        prior=asked.prior,
        rope=asked.question.rope if asked.question.rope < 1 else names.ROPE,
        threshold=asked.question.threshold,
    )


def _of_means(
    given: Given,
    asked: Asked,
    answers: xr.Dataset,
    ends: ScoreBounds,
    unit: np.ndarray,
    wins: xr.Dataset,
) -> xr.Dataset:
    """Bounds of means, or of wins less losses, on units."""
    low, high = ends.low, ends.high
    first, second = pair_indices(low.shape[1])
    missing = wins["n_missing"].transpose(*names.SQUARE).values
    at = np.flatnonzero(missing[first, second] > 0)
    better, verdict = (
        answers[name].transpose(*names.SQUARE).values for name in ("prob_better", "verdict")
    )
    square = np.repeat(better[..., None], 3, axis=-1)
    holds = np.ones(missing.shape, dtype=bool)
    step = max(1, _HELD // max(len(low), 1))
    for start in range(0, len(at), step):
        i, j = first[at[start : start + step]], second[at[start : start + step]]
        apart = low[:, i] - high[:, j], high[:, i] - low[:, j]
        of = _spans(given, asked, *apart, unit)
        above, below = (
            (of.least_above(0.0), of.most_above(0.0)),
            (of.least_below(0.0), of.most_below(0.0)),
        )
        kept = _kept(of, verdict[i, j], asked)
        square[i, j, 1:], square[j, i, 1:] = (np.stack(p, axis=-1) for p in (above, below))
        if not given.quantity.chosen:
            kept &= _as_won(wins, verdict[i, j], i, j)
        holds[i, j] = holds[j, i] = kept
    by_case = (*names.SQUARE, "case")
    found = {"prob_better": (by_case, square), "verdict": (names.SQUARE, verdict)}
    found |= {"n_missing": (names.SQUARE, missing), "holds": (names.SQUARE, holds)}
    coords = {"case": wins["case"].values} | {k: wins[k].values for k in names.SQUARE}
    return xr.Dataset(found, coords)


def _spans(
    given: Given, asked: Asked, low: np.ndarray, high: np.ndarray, unit: np.ndarray
) -> Spans:
    """Of differences on items, in the quantity and with the weights of the answer."""
    scores, most = given.scores, np.inf if given.scores.graded else 1.0
    skewed = given.unit != CLUSTER and given.quantity.lead != "wins"
    if given.quantity.lead == "wins":
        low, high = (np.where(np.abs(x) > asked.margin, np.sign(x), 0.0) for x in (low, high))
        most = 1.0
    if scores.weight == "unit":
        ones = np.ones_like(low)
        low, high = (once(summed(x, unit), summed(ones, unit))[0] for x in (low, high))
        unit = np.arange(len(low))
    return spans(low, high, unit, most=most, skewed=skewed)


def _kept(of: Spans, verdict: np.ndarray, asked: Asked) -> np.ndarray:
    """Whether every value of the missing scores leads to these verdicts."""
    sure, rope = asked.question.threshold, asked.question.rope
    above, below = of.least_above(0.0) >= sure, of.least_below(0.0) >= sure
    open_ = (of.most_above(0.0) < sure) & (of.most_below(0.0) < sure)
    within = np.zeros_like(above)
    if rope:
        within = 1 - of.most_above(rope) - of.most_below(-rope) >= sure
        apart = 1 - of.least_above(rope) - of.least_below(-rope) < sure
        above, below, open_ = above & apart, below & apart, open_ & apart
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

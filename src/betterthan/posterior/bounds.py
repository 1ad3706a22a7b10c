"""Missing scores: the bounds of each score, and the worst and the best case of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import oriented
from betterthan.counts.shapes import pair_indices, square_from_pairs
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import LACKING, LEAST, MOST, item_ids, planned_runs, sums_by_unit
from betterthan.exact.numeric import counting
from betterthan.exact.planning.verdicts import other_side
from betterthan.exact.wins import beta
from betterthan.posterior.parameters import Parameters, posterior_parameters, prior_of
from betterthan.posterior.verdicts import decide
from betterthan.signed import provenance_attrs

PER = ("item", "run")
SEEN = "the scores there are"  # the source of limits that are not known


@dataclass(frozen=True)
class ScoreBounds:
    """Bounds of the score of each item, (item, system); more is better."""

    low: np.ndarray
    high: np.ndarray
    observed: np.ndarray  # NaN where missing
    missing: np.ndarray  # how many scores are

    @property
    def open(self) -> np.ndarray:
        """Items with some score that is not fixed by the data, (item,)."""
        return (self.low < self.high).any(1) | np.isnan(self.observed).any(1)


def score_limits(scores: xr.DataArray, limits: Sequence[float] | None) -> tuple[float, float, str]:
    """Smallest and largest possible score, and where they come from."""
    values = scores.values.astype(float)
    if np.isnan(values).all():
        raise ValueError("scores hold not one score; there is nothing to bound")
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if limits is None:
        share = low >= 0 and high <= 1
        return (0.0, 1.0, "scores within 0 and 1") if share else (low, high, SEEN)
    try:
        first, last = (checks.real(x, "limits") for x in limits)
    except (TypeError, ValueError):
        raise ValueError(f"limits is {checks.quoted(limits)}; give two numbers") from None
    if not (np.isfinite([first, last]).all() and first <= low and high <= last):
        raise ValueError(
            f"limits are {first:g} and {last:g}, but the scores run from {low:g} to {high:g}; give "
            "the smallest and the largest score that there can be"
        )
    return first, last, "given"


def item_bounds(
    scores: xr.DataArray, limits: tuple[float, float], per: str, runs: int | None
) -> ScoreBounds:
    """Bounds of each item, of which several rows may be runs.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    limits : two float
        As the scores stand.
    per : {"item", "run"}
        What may be missing: items without any score, or each of the planned runs.
    runs : int or None
        How many were planned, where that is known.
    """
    checks.one_of(per, PER, "per")
    values = oriented(scores)
    better = scores.attrs.get("higher_is_better", True)
    low, high = limits if better else (-limits[1], -limits[0])
    place, labels = pd.factorize(item_ids(scores))
    ids = np.asarray(labels)
    if per == "item" and len(ids) == len(values):
        gone = np.isnan(values)
        first, last = np.where(gone, low, values), np.where(gone, high, values)
        return ScoreBounds(first, last, values, gone.astype(np.int64))
    sums, number = sums_by_unit(values, place, len(ids))
    rows = planned_runs(scores)[2].max(1) if per == "run" else None
    return run_bounds(sums, number, (low, high), _planned(ids, rows, number, runs))


def planned_bounds(
    scores: xr.DataArray, limits: tuple[float, float]
) -> tuple[ScoreBounds, np.ndarray, np.ndarray]:
    """The ends of each item, of whose planned runs each may be missing; how many these are, (item,
    system); and which item each row is of, numbered from 0.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
    limits : two float
        As the scores stand.
    """
    better = scores.attrs.get("higher_is_better", True)
    if LACKING in scores.coords:
        least, most, lacking = (scores[key].values for key in (LEAST, MOST, LACKING))
        bounds = ScoreBounds(least, most, scores.values.astype(float), lacking)
        return bounds, np.ones(scores.shape, np.int64), np.arange(len(scores))
    place, _, planned = planned_runs(scores)
    sums, number = sums_by_unit(oriented(scores).astype(float), place, len(planned))
    limits = limits if better else (-limits[1], -limits[0])
    return run_bounds(sums, number, limits, planned), planned, place


def run_bounds(
    sums: np.ndarray, number: np.ndarray, limits: tuple[float, float], planned: np.ndarray
) -> ScoreBounds:
    """The ends of items from the sums of their runs; where no run is planned, they are those there
    are. Where nothing is missing both ends are the mean, to the digit.
    """
    mean = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
    gone = np.where(planned > 0, planned - number, number == 0)
    size = np.where(planned > 0, planned, 1)
    first, last = (np.where(gone > 0, (sums + end * gone) / size, mean) for end in limits)
    return ScoreBounds(first, last, mean, gone.astype(np.int64))


def _planned(
    ids: np.ndarray, rows: np.ndarray | None, number: np.ndarray, runs: int | None
) -> np.ndarray:
    """How many runs each item was to have, (item, 1); 0 where that does not matter."""
    if rows is None:
        return np.zeros((len(ids), 1))
    if runs is None:
        return rows[:, None]
    over = (number > checks.whole(runs, "runs")).any(1)
    if over.any():
        k = int(over.argmax())
        most = int(number[k].max())
        raise ValueError(f"item {str(ids[k])!r} has {most} runs, but runs={runs}")
    return np.full((len(ids), 1), runs)


CASES = ("observed", "worst", "best")
_WORST, _BEST = 1, 2
_MIRRORED = [1, 0, 2]  # win, loss and tie of the other system


def missing_bounds(
    scores: xr.DataArray,
    *,
    limits: Sequence[float] | None = None,
    per: str = "item",
    runs: int | None = None,
    margin: float = 0.0,
    ties: str = "third",
    prior: Any = None,
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
) -> xr.Dataset:
    """Compute the best and worst case of the missing scores for every pair.

    A missing score may be any number within `limits`. In the worst case for A, every missing score
    is as bad for A and as good for B as possible; the best case is the reverse. All values of the
    missing scores lead to results between the two, and both can occur.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one; before any policy for missing scores.
    limits : two float, optional
        Smallest and largest possible score. Default: 0 and 1 if all scores are within these, else
        the smallest and the largest score.
    per : {"item", "run"}, default "item"
        Unit of missingness for repeated runs. "item": an item is the mean of its scored runs, and
        missing if none is scored. "run": it is the mean of all planned runs, each of which may be
        missing.
    runs : int, optional
        For ``per="run"``: number of planned runs per item. Default: the most that it has in any
        system.
    margin, ties
        Difference up to which scores tie, and policy for ties; see `count`.
    prior : str or sequence of float, optional
        Prior; see `prob_better`.
    rope, threshold
        Half-width of the ROPE (a difference of probabilities), and probability needed for a
        verdict; see `compare`.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b, case), with the cases observed, worst, and best for system_a:

        - ``counts`` (outcome), ``prob_better``, ``verdict``

        Over (system_a, system_b):

        - ``n_missing``: missing scores of both systems
        - ``holds``: whether all values of the missing scores lead to the observed verdict
        - ``difference_lower``, ``difference_upper``: bounds of the difference of means A - B, in
          units of the score, whether higher or lower is better

        ``attrs["limits"]`` holds the two limits, and ``attrs["limits_from"]`` their origin.

    Raises
    ------
    ValueError
        If the data are not scores, there is no score, a score is outside the limits, or an argument
        is not valid.

    References
    ----------
    C. F. Manski (1990), Nonparametric Bounds on Treatment Effects, American Economic Review 80(2),
    319-323: bounds that hold whatever is missing.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> values = [[1, 0], [1, 0], [1, 1], [1, np.nan], [0, 0], [1, 0]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> result = missing_bounds(scores).sel(system_a="A", system_b="B")
    >>> result["prob_better"].values.round(4).tolist(), bool(result["holds"])
    ([0.9375, 0.9375, 0.9688], False)
    """
    scores = schemas.scores(scores)
    low, high, source = score_limits(scores, limits)
    score_bounds = item_bounds(scores, (low, high), per, runs)
    checks.one_of(ties, tuple(t for t in names.TIES if t != "all"), "ties")
    options = {"margin": checks.margin(margin), "ties": ties, "prior": prior}
    options |= {"rope": checks.rope(rope), "threshold": checks.threshold(threshold)}
    systems = scores[names.SYSTEM].values.astype(str).tolist()
    result = bounds_from_limits(score_bounds, systems, **options)
    higher = bool(scores.attrs.get("higher_is_better", True))
    lower = score_bounds.low.mean(0)[:, None] - score_bounds.high.mean(0)
    np.fill_diagonal(lower, 0.0)
    parts = (lower, -lower.T) if higher else (lower.T, -lower)
    both = zip(("difference_lower", "difference_upper"), parts, strict=True)
    result = result.assign({name: (names.SQUARE, part) for name, part in both})
    signed = provenance_attrs(ties=ties, margin=margin, rope=rope)
    mine = {"limits": [low, high], "limits_from": source, "per": per, "threshold": threshold}
    return result.assign_attrs(result.attrs | signed | mine)


def bounds_from_limits(score_bounds: ScoreBounds, systems: list[str], **options: Any) -> xr.Dataset:
    """The answers of `missing_bounds` on pairs, without the difference.

    Parameters
    ----------
    score_bounds : ScoreBounds
    systems : list of str
    **options
        ``margin, ties, prior, rope`` and ``threshold``.
    """
    counts, ties = _counts(score_bounds, options["margin"]), options["ties"]
    counted = policy_applied(counts, ties)
    prior = prior_of(options["prior"], counted.isel(case=0))  # of the scores there are
    parameters = posterior_parameters(counted, prior, ties)
    answers = _answers(parameters, options["rope"], options["threshold"])
    missing, items = score_bounds.missing.sum(0), len(score_bounds.low)
    result = _pairs(counts.values, missing, items, answers, systems)
    return result.assign_attrs(prior=list(parameters.prior))


def bounds_from_right(
    wins: np.ndarray,
    shared: np.ndarray,
    right: np.ndarray,
    items: int,
    systems: list[str],
    **options: Any,
) -> xr.Dataset:
    """``counts``, ``prob_better``, ``verdict``, ``n_missing`` and ``holds`` of `missing_bounds`,
    of scores of 0 and 1 that were counted.

    Parameters
    ----------
    wins : numpy.ndarray of int, (system, system)
        Items that the first has right and the second wrong.
    shared : numpy.ndarray of int, (system, system)
        Items that both have a score on; of one system with itself, those it has a score on.
    right : numpy.ndarray of int, (system,)
        Items that each has right.
    items : int
        With those that nobody has a score on.
    systems : list of str
    **options
        ``ties, prior, rope`` and ``threshold``.
    """
    scored = np.diag(shared)
    lost = wins.T  # in the best case for A what is missing is right of A, and wrong of B
    ahead = items - (scored - right)[:, None] - right + lost
    best = np.stack([ahead, lost, items - ahead - lost], axis=-1)
    counts = _by_case(np.stack([wins, lost, shared - wins - lost], axis=-1), best)
    ties = options["ties"]
    parameters = posterior_parameters(policy_applied(counts, ties), options["prior"], ties)
    answers = _answers(parameters, options["rope"], options["threshold"])
    return _pairs(counts.values, items - scored, items, answers, systems)


def _counts(score_bounds: ScoreBounds, margin: float) -> xr.DataArray:
    """Wins, losses and ties of every pair in each case, (case, pair, outcome)."""
    allowed = counting.slack(np.stack([score_bounds.low, score_bounds.high]), margin)
    some = score_bounds.open
    closed = counting.count(score_bounds.observed[~some], margin)
    observed = closed + counting.count(score_bounds.observed[some], margin)
    low, high = score_bounds.low[some], score_bounds.high[some]
    # the scores of each system are the highest, and all others the lowest
    ahead, behind = (np.zeros((low.shape[1], low.shape[1]), np.int64) for _ in range(2))
    for k in range(low.shape[1]):
        difference = high[:, k, None] - low
        ahead[k], behind[k] = (difference > allowed).sum(0), (difference < -allowed).sum(0)
    best = closed + np.stack([ahead, behind, len(low) - ahead - behind], axis=-1)
    return _by_case(observed, best)


def _by_case(observed: np.ndarray, best: np.ndarray) -> xr.DataArray:
    """Counts (case, pair, outcome) from (system, system, outcome): worst for A is best for B."""
    worst = np.swapaxes(best, 0, 1)[..., _MIRRORED]
    first, second = pair_indices(len(best))
    cases = np.stack([square[first, second] for square in (observed, worst, best)])
    dims = ("case", names.PAIR, names.OUTCOME)
    return xr.DataArray(cases, dims=dims, coords={names.OUTCOME: [*names.OUTCOMES]})


def _answers(parameters: Parameters, rope: float, threshold: float) -> dict[str, np.ndarray]:
    """P(A better), P(B better) and the verdict in each case, (case, pair); and whether that
    observed holds for all that lies between the other two.
    """
    a, b, _ = parameters.values
    better, worse = beta.prob_above_half(a, b), beta.prob_above_half(b, a)
    within, sure, unsure = np.zeros(()), np.zeros((), bool), np.zeros((), bool)
    if rope:
        from betterthan.posterior import closed

        below, within, above = np.moveaxis(closed.masses(parameters, rope), -1, 0)
        # of the mass within the rope, the least and the most that any values lead to
        sure = 1 - above[_BEST] - below[_WORST] >= threshold
        unsure = 1 - above[_WORST] - below[_BEST] >= threshold
    verdict = decide(better, worse, within, rope, threshold)[0].astype("U16")
    alike = (verdict == verdict[0]).all(0)
    holds = alike & np.where(verdict[0] == "equivalent", sure, np.logical_not(unsure))
    answers = {"better": better, "worse": worse, "verdict": verdict, "holds": holds}
    return answers | {"itself": np.array("equivalent" if rope else "undecided")}


def _pairs(
    counts: np.ndarray,
    missing: np.ndarray,
    items: int,
    answers: dict[str, np.ndarray],
    systems: list[str],
) -> xr.Dataset:
    """All answers over (system_a, system_b), of so many missing scores of each system."""
    both = missing[:, None] + missing - np.diag(missing)
    none = counts[0].sum(-1) == 0
    held = answers["holds"] & ~none
    verdict = answers["verdict"].copy()
    verdict[0, none] = "no_data"
    by_case = (*names.SQUARE, "case")
    tied = _by_case_square(counts, counts[..., _MIRRORED], (0, 0, items))
    table: dict[str, Any] = {
        "counts": ((*by_case, names.OUTCOME), tied),
        "prob_better": (by_case, _by_case_square(answers["better"], answers["worse"], 0.5)),
        "verdict": (by_case, _by_case_square(verdict, other_side(verdict), answers["itself"])),
        "n_missing": (names.SQUARE, both),
        "holds": (names.SQUARE, square_from_pairs(held, held, True) | (both == 0)),
    }
    coords: dict[str, Any] = {"case": [*CASES], names.OUTCOME: [*names.OUTCOMES]}
    return xr.Dataset(table, coords=coords | dict.fromkeys(names.SQUARE, systems))


def _by_case_square(values: np.ndarray, reversed_values: np.ndarray, itself: Any) -> np.ndarray:
    """Answers (case, pair, ...) over (system, system, case, ...): for B and A, the best case of A
    is the worst.
    """
    lower = reversed_values[[0, _BEST, _WORST]]
    itself = np.asarray(itself, values.dtype)
    return square_from_pairs(np.moveaxis(values, 0, 1), np.moveaxis(lower, 0, 1), itself)

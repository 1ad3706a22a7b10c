"""What missing scores could do to an answer: the worst and the best case of every pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names, schemas
from betterthan.counts.shapes import pair_indices
from betterthan.counts.ties import policy_applied
from betterthan.exact.numeric import counting
from betterthan.exact.wins import beta
from betterthan.posterior import differences
from betterthan.posterior.open_scores import Ends, ends_of, limits_of
from betterthan.posterior.parameters import Parameters, prior_of, settled
from betterthan.posterior.verdicts import decide
from betterthan.signed import Signature

CASES = ("observed", "worst", "best")
_WORST, _BEST = 1, 2
_TURNED = [1, 0, 2]  # win, loss and tie of the other system


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
    """Answers of every pair in the best and in the worst case of the missing scores.

    A missing score may be any number within `limits`. In the worst case for A every one is as bad
    for A, and as good for B, as it can be; in the best case the other way round. No values of the
    missing scores lead to an answer outside of the two, and some lead to each.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        NaN is missing; before any policy for missing scores.
    limits : two float, optional
        The smallest and the largest score that there can be. 0 and 1 where all scores are within
        these, else the smallest and the largest there are, when not given.
    per : {"item", "run"}, default "item"
        Of items that were run several times: an item is the mean of its scored runs, and missing if
        none is scored; or the mean of all planned runs, of which each may be missing.
    runs : int, optional
        For ``per="run"``: how many runs of an item were planned; as many as it has in any system
        when not given.
    margin, ties
        See `count`.
    prior : str or sequence of float, optional
        See `prob_better`.
    rope, threshold
        See `compare`; the rope is a difference of probabilities.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b, case), the cases observed, worst and best for system_a:
        ``counts`` (outcome), ``prob_better`` and ``verdict``. Over (system_a, system_b):
        ``n_missing``, missing scores of both; ``holds``, whether all values of the missing scores
        lead to the observed verdict; ``difference_lower`` and ``difference_upper``, ends of the
        difference of means A - B, in units of the score as it stands.
        ``attrs["limits"]`` are the two numbers, ``attrs["limits_from"]`` says where they are from.

    Raises
    ------
    ValueError
        If the scores are no scores, there is not one, a score is outside of the limits, or an
        argument is not valid.

    References
    ----------
    C. F. Manski (1990), Nonparametric Bounds on Treatment Effects, American Economic Review 80(2),
    319-323: bounds that hold whatever is missing.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> values = [[1, 0], [1, 0], [1, 1], [1, np.nan], [0, 0], [1, 0]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> found = missing_bounds(scores).sel(system_a="A", system_b="B")
    >>> found["prob_better"].values.round(4).tolist(), bool(found["holds"])
    ([0.9375, 0.9375, 0.9688], False)
    """
    scores = schemas.scores(scores)
    low, high, said = limits_of(scores, limits)
    ends = ends_of(scores, (low, high), per, runs)
    checks.one_of(ties, tuple(t for t in names.TIES if t != "all"), "ties")
    asked = {"margin": checks.margin(margin), "ties": ties, "prior": prior}
    asked |= {"rope": checks.rope(rope), "threshold": checks.threshold(threshold)}
    found = bounds_of_ends(ends, scores[names.SYSTEM].values.astype(str).tolist(), **asked)
    found = found.assign(_difference(ends, bool(scores.attrs.get("higher_is_better", True))))
    made = Signature(version=betterthan.__version__, ties=ties, margin=margin, rope=rope)
    mine = {"limits": [low, high], "limits_from": said, "per": per, "threshold": threshold}
    return found.assign_attrs(found.attrs | made.to_attrs() | mine)


def bounds_of_ends(ends: Ends, systems: list[str], **asked: Any) -> xr.Dataset:
    """What `missing_bounds` says of pairs, without the difference.

    Parameters
    ----------
    ends : Ends
    systems : list of str
    **asked
        ``margin, ties, prior, rope`` and ``threshold``.
    """
    counts, ties = _counts(ends, asked["margin"]), asked["ties"]
    counted = policy_applied(counts, ties)
    prior = prior_of(asked["prior"], counted.isel(case=0))  # of the scores there are
    of = settled(counted, prior, ties)
    answers = _answers(of, asked["rope"], asked["threshold"])
    found = _pairs(counts.values, ends.missing.sum(0), len(ends.low), answers, systems)
    return found.assign_attrs(prior=list(of.prior))


def bounds_of_right_or_wrong(
    wins: np.ndarray,
    shared: np.ndarray,
    right: np.ndarray,
    items: int,
    systems: list[str],
    **asked: Any,
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
    **asked
        ``ties, prior, rope`` and ``threshold``.
    """
    first, second = pair_indices(len(systems))
    seen = np.diag(shared)
    lost = wins.T  # in the best case for A what is missing is right of A, and wrong of B
    ahead = items - (seen - right)[:, None] - right + lost
    best = np.stack([ahead, lost, items - ahead - lost], axis=-1)
    worst = np.swapaxes(best, 0, 1)[..., _TURNED]
    observed = np.stack([wins, lost, shared - wins - lost], axis=-1)
    counts = _by_case([square[first, second] for square in (observed, worst, best)])
    ties = asked["ties"]
    of = settled(policy_applied(counts, ties), asked["prior"], ties)
    answers = _answers(of, asked["rope"], asked["threshold"])
    return _pairs(counts.values, items - seen, items, answers, systems)


def _counts(ends: Ends, margin: float) -> xr.DataArray:
    """Wins, losses and ties of every pair in each case, (case, pair, outcome)."""
    allowed = counting.slack(np.stack([ends.low, ends.high]), margin)
    some = ends.open
    whole = counting.count(ends.observed[~some], margin)
    observed = whole + counting.count(ends.observed[some], margin)
    best = whole + _best(ends.low[some], ends.high[some], allowed)
    worst = np.swapaxes(best, 0, 1)[..., _TURNED]
    first, second = pair_indices(len(whole))
    return _by_case([square[first, second] for square in (observed, worst, best)])


def _by_case(cases: list[np.ndarray]) -> xr.DataArray:
    dims = ("case", names.PAIR, names.OUTCOME)
    return xr.DataArray(np.stack(cases), dims=dims, coords={names.OUTCOME: [*names.OUTCOMES]})


def _best(low: np.ndarray, high: np.ndarray, allowed: float) -> np.ndarray:
    """What each system wins, loses and ties if its scores are the highest and all others the
    lowest.
    """
    ahead, behind = (np.zeros((low.shape[1], low.shape[1]), np.int64) for _ in range(2))
    for k in range(low.shape[1]):
        apart = high[:, k, None] - low
        ahead[k], behind[k] = (apart > allowed).sum(0), (apart < -allowed).sum(0)
    return np.stack([ahead, behind, len(low) - ahead - behind], axis=-1)


def _answers(of: Parameters, rope: float, threshold: float) -> dict[str, np.ndarray]:
    """P(A better), P(B better) and the verdict in each case, (case, pair); and whether that
    observed holds for all that lies between the other two.
    """
    a, b, _ = of.values
    better, worse = beta.prob_above_half(a, b), beta.prob_above_half(b, a)
    within, sure, unsure = np.zeros(()), np.zeros((), bool), np.zeros((), bool)
    if rope:
        below, within, above = np.moveaxis(differences.masses(of, rope), -1, 0)
        # of the mass within the rope, the least and the most that any values lead to
        sure = 1 - above[_BEST] - below[_WORST] >= threshold
        unsure = 1 - above[_WORST] - below[_BEST] >= threshold
    verdict = decide(better, worse, within, rope, threshold)[0].astype("U16")
    alike = (verdict == verdict[0]).all(0)
    holds = alike & np.where(verdict[0] == "equivalent", sure, np.logical_not(unsure))
    found = {"better": better, "worse": worse, "verdict": verdict, "holds": holds}
    return found | {"itself": np.array("equivalent" if rope else "undecided")}


def _pairs(
    counts: np.ndarray,
    missing: np.ndarray,
    items: int,
    answers: dict[str, np.ndarray],
    systems: list[str],
) -> xr.Dataset:
    """All answers over (system_a, system_b), of so many missing scores of each system."""
    n = len(systems)
    both = missing[:, None] + missing - np.diag(missing)
    none = counts[0].sum(-1) == 0
    by_case = (*names.SQUARE, "case")
    tied = _square(n, counts, counts[..., _TURNED], (0, 0, items))
    table: dict[str, Any] = {
        "counts": ((*by_case, names.OUTCOME), tied),
        "prob_better": (by_case, _square(n, answers["better"], answers["worse"], 0.5)),
        "verdict": (by_case, _square(n, *_told(answers["verdict"], none), answers["itself"])),
        "n_missing": (names.SQUARE, both),
        "holds": (names.SQUARE, _holds(answers["holds"] & ~none, n) | (both == 0)),
    }
    coords: dict[str, Any] = {"case": [*CASES], names.OUTCOME: [*names.OUTCOMES]}
    return xr.Dataset(table, coords=coords | dict.fromkeys(names.SQUARE, systems))


def _told(verdict: np.ndarray, none: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Verdicts (case, pair), and what they are from the other side."""
    verdict = verdict.copy()
    verdict[0, none] = "no_data"
    sides = [verdict == "a_better", verdict == "b_better"]
    return verdict, np.select(sides, ["b_better", "a_better"], verdict)


def _square(n: int, values: np.ndarray, turned: np.ndarray, itself: Any) -> np.ndarray:
    """Answers (case, pair, ...) over (system, system, case, ...): told of B and A, the best case of
    A is the worst.
    """
    first, second = pair_indices(n)
    full = np.empty((n, n, len(CASES), *values.shape[2:]), values.dtype)
    full[:] = itself
    full[first, second] = np.moveaxis(values, 0, 1)
    full[second, first] = np.moveaxis(turned[[0, _BEST, _WORST]], 0, 1)
    return full


def _holds(of: np.ndarray, n: int) -> np.ndarray:
    """One answer a pair over (system, system)."""
    first, second = pair_indices(n)
    full = np.ones((n, n), bool)
    full[first, second] = full[second, first] = of
    return full


def _difference(ends: Ends, higher_is_better: bool) -> dict[str, Any]:
    """The ends of the difference of means, as the scores stand."""
    lower = ends.low.mean(0)[:, None] - ends.high.mean(0)
    np.fill_diagonal(lower, 0.0)
    parts = (lower, -lower.T) if higher_is_better else (lower.T, -lower)
    both = zip(("difference_lower", "difference_upper"), parts, strict=True)
    return {name: (names.SQUARE, part) for name, part in both}

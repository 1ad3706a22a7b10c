"""Answers on pairs and on systems from draws, each with its Monte Carlo error."""

from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr

from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import probability_error, quantile_error
from betterthan.progress import with_bar

SAMPLES = ("chain", "draw")
_LONG = 2e8  # differences above which a bar is shown, some seconds


def better(d: np.ndarray, *, higher_is_better: bool = True) -> dict[str, np.ndarray]:
    """Who is better, from draws (chain, draw, pair) of differences A - B.

    Parameters
    ----------
    d : numpy.ndarray, (chain, draw, pair)
    higher_is_better : bool, default True
        If not, A is better where the difference is below 0.

    Returns
    -------
    dict of str to numpy.ndarray, (pair,)
        ``prob_better`` (equal draws count half), ``prob_better_mcse``, and ``ess`` of its
        indicator.
    """
    ahead = d if higher_is_better else -d
    p, number = share((ahead > 0) + 0.5 * (ahead == 0), d)
    return {"prob_better": p, "prob_better_mcse": probability_error(p, number), "ess": number}


def masses(d: np.ndarray, rope: float, *, higher_is_better: bool = True) -> dict[str, np.ndarray]:
    """``mass`` (pair, region) of B better, within the rope and A better, and ``mass_mcse``; see
    `better`.
    """
    ahead = d if higher_is_better else -d
    regions = (ahead < -rope, np.abs(ahead) <= rope, ahead > rope)
    parts = [share(region, d) for region in regions]
    mass, number = (np.stack(part, axis=-1) for part in zip(*parts, strict=True))
    return {"mass": mass, "mass_mcse": probability_error(mass, number)}


def sizes(d: np.ndarray, ci_prob: float, ci_kind: str) -> dict[str, np.ndarray]:
    """By how much, from draws (chain, draw, pair) of differences A - B.

    Returns
    -------
    dict of str to numpy.ndarray, (pair,)
        ``difference_mean``, ``difference_lower``, ``difference_upper`` and their ``*_mcse``; that
        of an end is of the quantile found there: a narrowest interval as a whole may slide by more.
    """
    parts = means(d)
    ordered = np.sort(d.reshape(-1, d.shape[-1]), axis=0)
    bounds = monte_carlo.sorted_interval(ordered, ci_prob, ci_kind)
    for key, end in zip(("lower", "upper"), bounds, strict=True):
        level, number = share(d <= end, d)
        parts[f"difference_{key}"] = end
        parts[f"difference_{key}_mcse"] = quantile_error(ordered, level, number)
    return parts


def means(d: np.ndarray, *, independent: bool = False) -> dict[str, np.ndarray]:
    """``difference_mean`` (pair,) and its ``difference_mean_mcse``, from draws (chain, draw, pair);
    their effective number is found from the chains, unless they are independent.
    """
    mean = d.reshape(-1, d.shape[-1]).mean(0)
    error = mean_error(d, independent=independent)
    return {"difference_mean": mean, "difference_mean_mcse": error}


def joint_pairs(
    draws: np.ndarray,
    answer: Callable[[np.ndarray], dict[str, np.ndarray]],
    difference: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Answers on every pair of joint draws, row by row: never draws x systems x systems at once.

    Parameters
    ----------
    draws : numpy.ndarray, (chain, draw, system)
    answer : function of (chain, draw, pair) to a dict of (pair, ...)
    difference : function of (chain, draw, 1) and (chain, draw, pair), optional
        An odd function of two systems' draws that rises with the first. Default: their
        difference.

    Returns
    -------
    dict of str to numpy.ndarray
        In the order of a square's upper triangle.
    """
    systems = draws.shape[-1]
    between = difference or np.subtract
    if systems == 1:  # one alone is in no pair
        return {key: v[:0] for key, v in answer(between(draws, draws)).items()}
    long = float(draws.size) * systems > _LONG
    # numpy is slow across the long side
    draws = np.moveaxis(np.ascontiguousarray(np.moveaxis(draws, -1, 0)), 0, -1)
    rows = [
        answer(between(draws[..., k : k + 1], draws[..., k + 1 :]))
        for k in with_bar(range(systems - 1), systems - 1, "pairs", long=long)
    ]
    return {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}


def ranks(draws: np.ndarray, *, independent: bool = False) -> dict[str, np.ndarray]:
    """Ranks from joint draws (chain, draw, system), of which the highest is the best.

    Returns
    -------
    dict of str to numpy.ndarray, (system,)
        ``prob_rank`` (system, rank), of which the first is ``prob_best``, and ``expected_rank``;
        ``*_mcse`` of each. Equal systems share their ranks.
    """
    flat = draws.reshape(-1, draws.shape[-1])
    counts = _places(flat) if independent else None
    if counts is not None:
        result = _ranks_from_places(counts, len(flat))
        return _first(result) | result
    best = _best_other(draws)
    rows = [_system_ranks(draws, best, k, independent) for k in range(draws.shape[-1])]
    result = {key: np.concatenate([row[key] for row in rows]) for key in rows[0]}
    return _first(result) | result


def _first(ranked: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {f"prob_best{end}": ranked[f"prob_rank{end}"][:, 0] for end in ("", "_mcse")}


_HELD = 2**14  # numbers (draw, system) that are sorted at once


def _places(flat: np.ndarray) -> np.ndarray | None:
    """How often each system has each place (system, place), the best first; None where draws
    (draw, system) may be equal.

    The last bits of each number are replaced by its system, and the numbers sorted.
    """
    number, cells = flat.shape[1], np.empty(flat.shape, dtype=np.int64)
    systems = np.arange(number, dtype=np.uint64)
    bits, step = np.uint64(2 ** (number - 1).bit_length() - 1), max(1, _HELD // number)
    for start in range(0, len(flat), step):
        rows = slice(start, start + step)
        draws = flat[rows] + 0.0  # of which 0 has one sign
        if not np.isfinite(draws).all():
            return None
        keys = draws.view(np.uint64)
        keys &= ~bits
        keys |= systems
        draws.sort(axis=1)
        if (keys[:, 1:] ^ keys[:, :-1] <= bits).any():
            return None
        np.add(keys & bits, systems[::-1] * np.uint64(number), out=cells[rows], casting="unsafe")
    return np.bincount(cells.ravel(), minlength=number**2).reshape(number, number).T.copy()


def _ranks_from_places(counts: np.ndarray, draws: int) -> dict[str, np.ndarray]:
    """`ranks` of independent draws without ties, from how often each system has each place."""
    p, places = counts / draws, np.arange(1, len(counts) + 1)
    rank, squares = p @ places, p @ places**2.0
    spread = np.sqrt(np.maximum(squares - rank**2, 0.0) * draws / (draws - 1))
    return {
        "expected_rank": rank,
        "expected_rank_mcse": spread / np.sqrt(draws),
        "prob_rank": p,
        "prob_rank_mcse": probability_error(p, float(draws)),
    }


def _system_ranks(
    draws: np.ndarray, best: np.ndarray, k: int, independent: bool
) -> dict[str, np.ndarray]:
    """`ranks` of one system."""
    system = draws[..., k : k + 1]
    above, tied = (f(draws, system).sum(-1, keepdims=True) for f in (np.greater, np.equal))
    places = np.arange(draws.shape[-1])
    indicator = ((places >= above) & (places < above + tied)) / tied
    p, number = share(indicator, system - best[..., k : k + 1], independent)
    rank = above + (tied + 1) / 2
    return {
        "expected_rank": rank.mean((0, 1)),
        "expected_rank_mcse": mean_error(rank, independent=independent),
        "prob_rank": p[None],
        "prob_rank_mcse": probability_error(p, number)[None],
    }


def _best_other(draws: np.ndarray) -> np.ndarray:
    """Highest value among all other systems, (chain, draw, system)."""
    if draws.shape[-1] == 1:  # one alone is the best, and by itself
        return draws
    second, first = np.moveaxis(np.partition(draws, -2, axis=-1)[..., -2:], -1, 0)[..., None]
    is_top = np.arange(draws.shape[-1]) == draws.argmax(-1)[..., None]
    return np.where(is_top, second, first)


def share(
    indicator: np.ndarray, behind: np.ndarray, independent: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of indicators (chain, draw, column), and their effective sample size.

    For a constant indicator it is that of `behind`, the draws it was computed from. It is at most
    the number of draws.
    """
    total = indicator.shape[0] * indicator.shape[1]
    mean = indicator.mean((0, 1))
    number = np.full(mean.shape, float(total))
    if not independent:
        values = np.broadcast_to(behind, indicator.shape).astype(float)
        varies = indicator.min((0, 1)) != indicator.max((0, 1))
        values = np.where(varies, indicator, values)
        number = np.minimum(effective(values), total)
    return mean, number


def mean_error(draws: np.ndarray, *, independent: bool = False) -> np.ndarray:
    """Monte Carlo error of the mean of draws (chain, draw, column)."""
    flat = draws.reshape(-1, draws.shape[-1])
    number = len(flat) if independent else effective(draws)
    return flat.std(0, ddof=1) / np.sqrt(number)


def effective(draws: np.ndarray) -> np.ndarray:
    """Effective number of draws (chain, draw, column) for a mean; all of them, where unknown."""
    from betterthan.libraries import az

    array = xr.DataArray(draws.astype(float), dims=("chain", "draw", "column"))
    with np.errstate(invalid="ignore", divide="ignore"):
        number = az.ess(array, method="mean").values
    return np.where(np.isfinite(number), number, float(draws.shape[0] * draws.shape[1]))


def of_independent(
    d: np.ndarray, rope: float, ci_prob: float, ci_kind: str, *, higher_is_better: bool = True
) -> dict[str, np.ndarray]:
    """`better`, `masses` and `sizes` of independent draws (chain, draw, pair), without means and
    the number of draws: (pair, ...).
    """
    flat = d.reshape(-1, d.shape[-1])
    draws, count = len(flat), partial(np.count_nonzero, axis=0)
    minus, plus = count(flat < 0), count(flat > 0)
    lower, upper = (count(flat < -rope), count(flat > rope)) if rope else (minus, plus)
    if not higher_is_better:
        minus, plus, lower, upper = plus, minus, upper, lower
    p = (plus + 0.5 * (draws - minus - plus)) / draws
    mass = np.stack([lower, draws - lower - upper, upper], axis=-1) / draws
    parts = {"prob_better": p, "prob_better_mcse": probability_error(p, draws)}
    parts |= {"mass": mass, "mass_mcse": probability_error(mass, draws)}
    outside = draws - int(ci_prob * draws)
    ordered = _with_ordered_tails(flat, outside + int(2 * outside**0.5) + 4)
    bounds = monte_carlo.sorted_interval(ordered, ci_prob, ci_kind)
    places = [count(flat <= bound) for bound in bounds]
    if (places[0] > outside).any():  # many draws are equal: the errors need those between, too
        ordered = np.sort(flat, axis=0)
    for key, bound, place in zip(("lower", "upper"), bounds, places, strict=True):
        error = quantile_error(ordered, place / draws, np.full(place.shape, float(draws)))
        parts |= {f"difference_{key}": bound, f"difference_{key}_mcse": error}
    return parts


def _with_ordered_tails(flat: np.ndarray, number: int) -> np.ndarray:
    """Draws (draw, pair), of which this number of the lowest and of the highest are in order."""
    if 2 * number >= len(flat):
        return np.sort(flat, axis=0)
    ordered = flat.copy(order="K")
    # one place after the other: two at once would not be vectorized
    ordered.partition(len(flat) - number, axis=0)
    ordered[:-number].partition(number, axis=0)
    for tail in (ordered[:number], ordered[-number:]):
        tail.sort(axis=0)
    return ordered

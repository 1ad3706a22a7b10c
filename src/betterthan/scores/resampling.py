"""Bayesian bootstrap: joint draws of all systems' scores from one set of weighted items."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.counts.responses import (
    Responses,
    numbers_of,
    of_means,
    responses_from,
    responses_of,
    score_of,
)
from betterthan.exact.numeric import weights
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.swaps import ratios
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior.joint_draws import pairs_of_draws, share_error
from betterthan.posterior.verdicts import decide

_NUMBERS = 2**17  # weights held at once: 1 MB stays in the cache


def bootstrap_draws(
    data: xr.DataArray,
    *,
    statistic: Any = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.DataArray:
    """Draw the scores of all systems jointly, by giving random weights to the items they share.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system) without gaps, or tallies (item, system, tally), with or without a dim
        label; for a function of your own any numbers (item, system, ...).
    statistic : str or callable, optional
        For scores "mean" (default) or "accuracy"; for tallies "f1" (default), "precision",
        "recall", "f_beta" or "macro_f1"; see `randomization_test`. Or a vectorised function from
        weighted means (draw, system, ...) to scores (draw, system): any ratio of sums, such as
        ``lambda m: m[..., 0] / m[..., 1]``.
    beta : float, default 1
        For "f_beta".
    unit : str, default "item"
        Name of an item coordinate: items with the same value of it, such as one document's, share
        one weight.
    draws : int, default 4,000
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.DataArray, dims (draw, system)
        One row is one draw of the population of items, the same for all systems.

    Raises
    ------
    ValueError
        If the data are neither scores nor tallies, or lack a score, or an argument is not valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134,
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray([[1, 0], [1, 1], [0, 1]], dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> bootstrap_draws(scores, draws=100, rng=1).sizes
    Frozen({'draw': 100, 'system': 2})
    """
    responses = _responses(data, statistic, beta, unit)
    return _drawn(responses, checks.whole(draws, "draws"), one_seed(rng))


def bootstrap(
    data: xr.DataArray,
    *,
    statistic: Any = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems by a score of all items together, such as F1, with its uncertainty.

    The Bayesian counterpart of `randomization_test`: the items get random weights, the same for all
    systems, and the scores are computed anew for each draw. The prior is zero: an item that was not
    seen has no weight, so a few items read as certain where they are not. Below 5 items in favour
    of either system there is a warning and no verdict.

    Parameters
    ----------
    data, statistic, beta, unit, draws, rng
        See `scores.bootstrap_draws`.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the score.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``prob_better`` (equal draws count half), ``difference_mean``,
        ``difference_lower``, ``difference_upper``, ``mass`` (region), ``verdict``, and ``wins``:
        items on which A scores higher by itself. For scores of 0 and 1 also ``prob_better_closed``,
        the closed form with its prior of one win and one loss, and ``gap``: how much further from
        one half the bootstrap goes. Over system: ``score`` (of the data), ``score_mean``,
        ``score_lower``, ``score_upper``, ``prob_best``, ``expected_rank``, ``tied_with_top`` (the
        system of the highest score is not found better) and ``in_best_set`` (the fewest systems
        that hold the best one with probability `ci_prob`); ``prob_rank`` over (system, rank). Monte
        Carlo errors stand beside what is sampled, as ``*_mcse``. Higher scores are better, or lower
        where the data say so.

    Raises
    ------
    ValueError
        As `scores.bootstrap_draws`, or if rope, ci_prob or ci_kind is not valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134,
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0]] * 12 + [[0, 1]] * 6 + [[1, 1]] * 20, dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> result = bootstrap(scores, rng=1)
    >>> round(result["prob_better"].sel(system_a="A", system_b="B").item(), 1)
    0.9
    """
    rope, ci_prob = checks.margin(rope, "rope"), checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    responses = _responses(data, statistic, beta, unit)
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    scores = _drawn(responses, draws, seed)
    oriented = _oriented(scores.values, responses)
    table = pairs_of_draws(scores.values, oriented, rope, ci_prob, ci_kind)
    wins = _wins(responses)
    table["wins"] = wins
    verdict = decide(table["prob_better"], table["prob_better"].T, table["mass"][..., 1], rope)[0]
    few = (np.minimum(wins, wins.T) < names.BOOTSTRAP_WINS_MIN) & ~np.eye(len(wins), dtype=bool)
    if few.any():
        warnings.warn(_few_message(few, responses.systems), stacklevel=2)
    table["verdict"] = np.where(few, "no_verdict", verdict)
    table |= _gap(responses, wins, table["prob_better"])
    of_system, ranks = _by_system(responses, scores.values, oriented, ci_prob, ci_kind)
    top = int(np.argmax(_oriented(of_system["score"], responses)))
    of_system["tied_with_top"] = ~_found_better(table, top)
    systems = responses.systems
    result = xr.Dataset(
        {
            name: ((*names.SQUARE, names.REGION) if v.ndim == 3 else names.SQUARE, v)
            for name, v in table.items()
        }
        | {name: (names.SYSTEM, v) for name, v in of_system.items()}
        | {"prob_rank": ((names.SYSTEM, "rank"), ranks)},
        coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), systems)
        | {names.REGION: list(names.REGIONS), "rank": np.arange(1, len(systems) + 1)},
    )
    result.attrs = {
        "model": "Bayesian bootstrap",
        "prior": "zero",
        "version": betterthan.__version__,
        "seed": seed,
        "draws": draws,
        "statistic": responses.statistic,
        "unit": unit,
        "rope": rope,
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
        "n_items": len(responses.values),
        "higher_is_better": int(responses.higher_is_better),
    }
    return result


def _by_system(
    responses: Responses, scores: np.ndarray, oriented: np.ndarray, ci_prob: float, ci_kind: str
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Answers over system, and the probability of each rank (system, rank)."""
    draws, systems = scores.shape
    chances, places = weights.ranks(oriented), np.arange(1, systems + 1)
    low, high = weights.interval(scores, ci_prob, ci_kind)
    rank = chances @ places
    return {
        "score": score_of(responses),
        "score_mean": scores.mean(0),
        "score_mean_mcse": scores.std(0) / np.sqrt(draws),
        "score_lower": low,
        "score_upper": high,
        "prob_best": chances[:, 0],
        "prob_best_mcse": share_error(chances[:, 0], draws),
        "expected_rank": rank,
        "expected_rank_mcse": np.sqrt(np.maximum(chances @ places**2 - rank**2, 0) / draws),
        "in_best_set": weights.best_set(chances[:, 0], ci_prob),
    }, chances


def _oriented(scores: np.ndarray, responses: Responses) -> np.ndarray:
    """With the sign that makes higher better."""
    return scores if responses.higher_is_better else -scores


def _found_better(table: dict[str, np.ndarray], top: int) -> np.ndarray:
    """Which systems the top one is found better than; where there is no verdict, by its wins with a
    uniform prior.
    """
    wins, losses = table["wins"][top], table["wins"][:, top]
    counted = (prob_above_half(1.0 + wins, 1.0 + losses) >= names.VERDICT_PROB) & (
        table["prob_better"][top] >= names.VERDICT_PROB
    )
    return (table["verdict"][top] == "a_better") | (
        (table["verdict"][top] == "no_verdict") & counted
    )


def _gap(responses: Responses, wins: np.ndarray, sampled: np.ndarray) -> dict[str, np.ndarray]:
    """For scores of 0 and 1: the closed form, and by how much the bootstrap is surer than it."""
    values = responses.values
    if (
        responses.kind != "sum"
        or not np.isin(values, (0, responses.scale)).all()
        or (responses.seen != 1).any()
    ):
        return {}
    closed = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    return {"prob_better_closed": closed, "gap": np.abs(sampled - 0.5) - np.abs(closed - 0.5)}


def _few_message(few: np.ndarray, systems: list[str]) -> str:
    i, j = np.argwhere(np.triu(few))[0]
    count = int(np.triu(few).sum())
    pairs = f"{systems[i]!r} and {systems[j]!r}" + (
        f" and {count - 1:,} more pairs" if count > 1 else ""
    )
    return (
        f"fewer than {names.BOOTSTRAP_WINS_MIN} wins or losses between {pairs}: no verdict there, "
        f"because the "
        "bootstrap has no prior and reads few items as certain"
    )


def _responses(data: xr.DataArray, statistic: Any, beta: float, unit: str) -> Responses:
    if callable(statistic):
        return numbers_of(data, statistic, unit)
    if statistic is not None:
        checks.one_of(statistic, names.STATISTICS, "statistic")
    responses = responses_of(data, statistic, beta, unit)
    if responses.gaps:
        k = int((responses.seen == 0).any(0).argmax())
        raise ValueError(
            f"{responses.systems[k]!r} lacks a score; the bootstrap weighs items that all systems "
            f"share, so complete "
            "it or leave the item out"
        )
    return responses


def drawn_scores(scores: xr.DataArray, unit: str, seed: int) -> np.ndarray:
    """Mean scores (draw, system) of checked scores without gaps, under random weights of units."""
    return _drawn(responses_from(scores, unit=unit), names.BOOTSTRAP_DRAWS, seed).values


def _drawn(responses: Responses, draws: int, seed: int) -> xr.DataArray:
    """Scores (draw, system) under random weights."""
    values = responses.values
    columns = values.reshape(len(values), -1).astype(float)
    # weights over their sum, and over how many items a unit holds
    if responses.kind in ("sum", "means"):
        columns = np.concatenate([columns, responses.seen.astype(float)[:, :1]], axis=1)
    rows = max(1, _NUMBERS // len(columns))
    chunks = [
        _scored(responses, sums) for sums in weights.weighted_sums(columns, draws, seed, rows)
    ]
    return xr.DataArray(
        np.concatenate(chunks),
        dims=("draw", names.SYSTEM),
        coords={"draw": np.arange(draws), names.SYSTEM: responses.systems},
        attrs={
            "seed": seed,
            "statistic": responses.statistic,
            "higher_is_better": int(responses.higher_is_better),
        },
        name="score",
    )


def _scored(responses: Responses, sums: np.ndarray) -> np.ndarray:
    """Scores (rows, system) from weighted sums (rows, column)."""
    if responses.kind == "sum":
        mean = sums[:, :-1] / sums[:, -1:] / responses.scale
        return mean if responses.higher_is_better else -mean
    if responses.kind == "means":
        means = (sums[:, :-1] / sums[:, -1:]).reshape(len(sums), *responses.values.shape[1:])
        found = of_means(responses, means)
        if not np.isfinite(found).all():
            raise ValueError(
                f"statistic {responses.statistic!r} gave {found[~np.isfinite(found)][0]}; it must "
                f"be finite"
            )
        return found
    shaped = sums.reshape(len(sums), *responses.values.shape[1:])
    x, y = shaped[..., 0], shaped[..., 1]
    bottom = responses.k * x + y
    score = responses.k * x / np.where(bottom > 0, bottom, 1)
    return score.mean(-1) if responses.kind == "macro" else score


def _wins(responses: Responses) -> np.ndarray:
    """Units on which the system of the row scores higher by itself, (system, system)."""
    if responses.kind == "sum":
        own = responses.values / responses.seen
    elif responses.kind == "means":
        # 0 / 0 of one item wins and loses nothing
        with np.errstate(invalid="ignore", divide="ignore"):
            sizes = responses.seen.reshape(
                *responses.seen.shape, *[1] * (responses.values.ndim - 2)
            )
            own = of_means(responses, responses.values / sizes)
    else:
        own = ratios.score(responses.values[..., 0], responses.values[..., 1], responses.k)
        own = own.mean(-1) if responses.kind == "macro" else own
    return np.stack([(own[:, k : k + 1] > own).sum(0) for k in range(own.shape[1])])

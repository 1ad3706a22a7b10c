"""Bayesian bootstrap: joint draws of all systems' scores from one set of weighted items."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.bayes.verdicts import decide
from betterthan.exact import ratios, weights
from betterthan.exact.seeds import one_seed
from betterthan.outcomes.responses import Responses, responses_of, score_of
from betterthan.progress import with_bar

_SQUARE = (names.SYSTEM_A, names.SYSTEM_B)
_NUMBERS = 2**20  # weights held at once
_LONG = 2e8  # differences above which a bar is shown, some seconds


def bootstrap_scores(
    data: xr.DataArray,
    *,
    statistic: str | None = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.DataArray:
    """Draw the scores of all systems jointly, by giving random weights to the items they share.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system) without gaps, or tallies (item, system, tally), with or without a dim label.
    statistic : str, optional
        For scores "mean" (default) or "accuracy"; for tallies "f1" (default), "precision", "recall", "f_beta" or
        "macro_f1"; see `randomization_test`.
    beta : float, default 1
        For "f_beta".
    unit : str, default "item"
        Name of an item coordinate: items with the same value of it, such as one document's, share one weight.
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
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134, doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray([[1, 0], [1, 1], [0, 1]], dims=("item", "system"), coords={"system": ["A", "B"]})
    >>> bootstrap_scores(scores, draws=100, rng=1).sizes
    Frozen({'draw': 100, 'system': 2})
    """
    responses = _responses(data, statistic, beta, unit)
    return _drawn(responses, checks.whole(draws, "draws"), one_seed(rng))


def bayesian_bootstrap(
    data: xr.DataArray,
    *,
    statistic: str | None = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
    rope: float = names.ROPE,
    prob: float = names.CI_PROB,
    kind: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems by a score of all items together, such as F1, with its uncertainty.

    The Bayesian counterpart of `randomization_test`: the items get random weights, the same for all systems, and the
    scores are computed anew for each draw. The prior is zero: an item that was not seen has no weight, so a few items
    read as certain where they are not. Below 5 items in favour of either system there is a warning and no verdict.

    Parameters
    ----------
    data, statistic, beta, unit, draws, rng
        See `bootstrap_scores`.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence, in units of the score.
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``prob_better`` (equal draws count half) with ``prob_better_mcse``,
        ``difference_mean``, ``difference_lower``, ``difference_upper``, ``mass`` (region), ``verdict``, and ``wins``:
        items on which A scores higher by itself. Over system: ``score`` (of the data), ``score_mean``,
        ``score_lower``, ``score_upper``, ``prob_best`` and ``expected_rank``; ``prob_rank`` over (system, rank).
        Higher scores are better, or lower where the data say so.

    Raises
    ------
    ValueError
        As `bootstrap_scores`, or if rope, prob or kind is not valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134, doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0]] * 12 + [[0, 1]] * 6 + [[1, 1]] * 20, dims=("item", "system"), coords={"system": ["A", "B"]}
    ... )
    >>> result = bayesian_bootstrap(scores, rng=1)
    >>> round(result["prob_better"].sel(system_a="A", system_b="B").item(), 1)
    0.9
    """
    rope, prob = checks.rope(rope), checks.probability(prob, "prob")
    checks.one_of(kind, names.CI_KINDS, "kind")
    responses = _responses(data, statistic, beta, unit)
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    scores = _drawn(responses, draws, seed)
    oriented = scores.values if responses.higher_is_better else -scores.values
    table = _pairs(scores.values, oriented, rope, prob, kind)
    wins = _wins(responses)
    table["wins"] = wins
    verdict = decide(table["prob_better"], table["prob_better"].T, table["mass"][..., 1], rope)[0]
    few = (np.minimum(wins, wins.T) < names.BOOTSTRAP_WINS_MIN) & ~np.eye(len(wins), dtype=bool)
    if few.any():
        warnings.warn(_few_message(few, responses.systems), stacklevel=2)
    table["verdict"] = np.where(few, "no_verdict", verdict)
    chances = weights.ranks(oriented)
    low, high = weights.interval(scores.values, prob, kind)
    systems = responses.systems
    of_system = {
        "score": score_of(responses), "score_mean": scores.values.mean(0), "score_lower": low, "score_upper": high,
        "prob_best": chances[:, 0], "expected_rank": chances @ np.arange(1, len(systems) + 1),
    }  # fmt: skip
    result = xr.Dataset(
        {name: ((*_SQUARE, names.REGION) if name == "mass" else _SQUARE, v) for name, v in table.items()}
        | {name: (names.SYSTEM, v) for name, v in of_system.items()}
        | {"prob_rank": ((names.SYSTEM, "rank"), chances)},
        coords=dict.fromkeys((*_SQUARE, names.SYSTEM), systems)
        | {names.REGION: list(names.REGIONS), "rank": np.arange(1, len(systems) + 1)},
    )
    result.attrs = {
        "model": "Bayesian bootstrap", "prior": "zero", "version": betterthan.__version__, "seed": seed, "draws": draws,
        "statistic": responses.statistic, "unit": unit, "rope": rope, "ci_prob": prob, "ci_kind": kind,
        "n_items": len(responses.values), "higher_is_better": int(responses.higher_is_better),
    }  # fmt: skip
    return result


def _few_message(few: np.ndarray, systems: list[str]) -> str:
    i, j = np.argwhere(np.triu(few))[0]
    count = int(np.triu(few).sum())
    pairs = f"{systems[i]!r} and {systems[j]!r}" + (f" and {count - 1:,} more pairs" if count > 1 else "")
    return (
        f"fewer than {names.BOOTSTRAP_WINS_MIN} wins or losses between {pairs}: no verdict there, because the "
        "bootstrap has no prior and reads few items as certain"
    )


def _responses(data: xr.DataArray, statistic: str | None, beta: float, unit: str) -> Responses:
    if statistic is not None:
        checks.one_of(statistic, names.STATISTICS, "statistic")
    responses = responses_of(data, statistic, beta, unit)
    if responses.gaps:
        k = int((responses.seen == 0).any(0).argmax())
        raise ValueError(
            f"{responses.systems[k]!r} lacks a score; the bootstrap weighs items that all systems share, so complete "
            "it or leave the item out"
        )
    return responses


def _drawn(responses: Responses, draws: int, seed: int) -> xr.DataArray:
    """Scores (draw, system) under random weights."""
    values = responses.values
    if responses.kind == "sum":  # a mean over items: weights over their sum, and over how many items a unit holds
        sizes = responses.seen.astype(float)[:, :1]
        values = np.concatenate([values.astype(float), sizes], axis=1)
    columns = values.reshape(len(values), -1).astype(float)
    rows = max(1, _NUMBERS // len(columns))
    chunks = [_scored(responses, sums) for sums in weights.weighted_sums(columns, draws, seed, rows)]
    return xr.DataArray(
        np.concatenate(chunks),
        dims=("draw", names.SYSTEM),
        coords={"draw": np.arange(draws), names.SYSTEM: responses.systems},
        attrs={"seed": seed, "statistic": responses.statistic, "higher_is_better": int(responses.higher_is_better)},
        name="score",
    )


def _scored(responses: Responses, sums: np.ndarray) -> np.ndarray:
    """Scores (rows, system) from weighted sums (rows, column)."""
    if responses.kind == "sum":
        mean = sums[:, :-1] / sums[:, -1:] / responses.scale
        return mean if responses.higher_is_better else -mean
    shaped = sums.reshape(len(sums), *responses.values.shape[1:])
    x, y = shaped[..., 0], shaped[..., 1]
    bottom = responses.k * x + y
    score = responses.k * x / np.where(bottom > 0, bottom, 1)
    return score.mean(-1) if responses.kind == "macro" else score


def _pairs(scores: np.ndarray, oriented: np.ndarray, rope: float, prob: float, kind: str) -> dict[str, np.ndarray]:
    """Squares over systems, one row of pairs at a time; never draws x systems x systems."""
    draws, systems = scores.shape
    shape = (systems, systems)
    better, within, above = np.full(shape, 0.5), np.ones(shape), np.zeros(shape)
    mean, low, high = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    bar = with_bar(range(systems - 1), systems - 1, "pairs", long=float(draws) * systems**2 > _LONG)
    for k in bar:
        rest = slice(k + 1, None)
        ahead = oriented[:, k : k + 1] - oriented[:, rest]
        better[k, rest] = (ahead > 0).mean(0) + (ahead == 0).mean(0) / 2
        better[rest, k] = 1 - better[k, rest]
        within[k, rest] = within[rest, k] = (np.abs(ahead) <= rope).mean(0)
        above[k, rest], above[rest, k] = (ahead > rope).mean(0), (ahead < -rope).mean(0)
        d = scores[:, k : k + 1] - scores[:, rest]
        mean[k, rest] = d.mean(0)
        low[k, rest], high[k, rest] = weights.interval(d, prob, kind)
        mean[rest, k], low[rest, k], high[rest, k] = -mean[k, rest], -high[k, rest], -low[k, rest]
    # a probability of 0 or 1 among draws is not one: the error is that of one more draw on either side
    seen = (better * draws + 1) / (draws + 2)
    error = np.sqrt(seen * (1 - seen) / draws) * ~np.eye(systems, dtype=bool)
    return {
        "prob_better": better, "prob_better_mcse": error, "difference_mean": mean, "difference_lower": low,
        "difference_upper": high, "mass": np.stack([above.T, within, above], axis=-1),
    }  # fmt: skip


def _wins(responses: Responses) -> np.ndarray:
    """Units on which the system of the row scores higher by itself, (system, system)."""
    if responses.kind == "sum":
        own = responses.values / responses.seen
    else:
        own = ratios.score(responses.values[..., 0], responses.values[..., 1], responses.k)
        own = own.mean(-1) if responses.kind == "macro" else own
    return np.stack([(own[:, k : k + 1] > own).sum(0) for k in range(own.shape[1])])

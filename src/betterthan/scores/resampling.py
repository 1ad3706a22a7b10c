"""Bayesian bootstrap: joint draws of all systems' scores from one set of weighted items."""

import warnings
from dataclasses import asdict
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.counts.responses import Responses, numbers_of, responses_of, score_of
from betterthan.exact.numeric import weights
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import table
from betterthan.posterior.table import Question
from betterthan.scores.weighted import scored, wins_of
from betterthan.signed import Signature

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
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray([[1, 0], [1, 1], [0, 1]], **named)
    >>> bootstrap_draws(scores, draws=100, rng=1).sizes
    Frozen({'draw': 100, 'system': 2})
    """
    responses = _responses(data, statistic, beta, unit)
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    made = _signed(responses, seed=seed, unit=unit)
    return xr.DataArray(
        _drawn(responses, draws, seed),
        dims=("draw", names.SYSTEM),
        coords={"draw": np.arange(draws), names.SYSTEM: responses.systems},
        attrs=made.to_attrs(),
        name="score",
    )


def bootstrap(
    data: xr.DataArray,
    *,
    statistic: Any = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
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
    threshold : float, default 0.95
        Probability at which a verdict is given, above 0.5.

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
        As `scores.bootstrap_draws`, or if rope, ci_prob, ci_kind or threshold is not valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134,
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray([[1, 0]] * 12 + [[0, 1]] * 6 + [[1, 1]] * 20, **named)
    >>> result = bootstrap(scores, rng=1)
    >>> round(result["prob_better"].sel(system_a="A", system_b="B").item(), 1)
    0.9
    """
    asked = Question.checked(rope, ci_prob, ci_kind, threshold, of_score=True)
    responses = _responses(data, statistic, beta, unit)
    draws, seed = checks.whole(draws, "draws"), one_seed(rng)
    drawn = _drawn(responses, draws, seed)[None]  # independent, so one chain
    which: Any = {"higher_is_better": responses.higher_is_better, "independent": True}
    found = table.of_joint_draws(drawn, responses.systems, asked, **which)
    found = table.with_verdicts(found, asked).assign(_counted(responses, found["prob_better"]))
    found = found.assign(_withheld(found))
    ranks = table.of_systems(drawn, responses.systems, ci_prob=asked.ci_prob, **which)
    scores = table.by_system("score_mean", drawn, asked, prefix="score_", independent=True)
    scores["score"] = (names.SYSTEM, score_of(responses))
    found = found.merge(ranks, join="exact").assign(scores)
    found["tied_with_top"] = (names.SYSTEM, ~_behind_top(found, asked.threshold, responses))
    made = _signed(responses, answer="pairs", unit=unit, seed=seed, draws=draws, **asdict(asked))
    return found.assign_attrs(made.to_attrs())


def drawn_scores(
    data: xr.DataArray, unit: str, seed: int, draws: int = names.BOOTSTRAP_DRAWS
) -> np.ndarray:
    """Draws (draw, system) of mean scores, of scores that were checked and have no gaps."""
    return _drawn(responses_of(data, None, 1.0, unit), draws, seed)


def _responses(data: xr.DataArray, statistic: Any, beta: float, unit: str) -> Responses:
    if not isinstance(data, xr.DataArray):
        raise ValueError(
            f"data is a {type(data).__name__}; give an xarray.DataArray of scores (item, system) "
            "or tallies (item, system, tally)"
        )
    if callable(statistic):
        return numbers_of(data, statistic, unit)
    if statistic is not None:
        checks.one_of(statistic, names.STATISTICS, "statistic")
    responses = responses_of(data, statistic, beta, unit)
    if responses.gaps:
        k = int((responses.seen == 0).any(0).argmax())
        raise ValueError(
            f"{responses.systems[k]!r} lacks a score; the bootstrap weighs items that all systems "
            "share, so complete it or leave the item out"
        )
    return responses


def _drawn(responses: Responses, draws: int, seed: int) -> np.ndarray:
    """Scores (draw, system) under random weights."""
    values = responses.values
    columns = values.reshape(len(values), -1).astype(float)
    # weights over their sum, and over how many items a unit holds
    if responses.kind in ("sum", "means"):
        columns = np.concatenate([columns, responses.seen.astype(float)[:, :1]], axis=1)
    rows = max(1, _NUMBERS // len(columns))
    sums = weights.weighted_sums(columns, draws, seed, rows)
    return np.concatenate([scored(responses, part) for part in sums])


def _signed(responses: Responses, **also: Any) -> Signature:
    return Signature(
        version=__version__,
        model="bayesian_bootstrap",
        statistic=responses.statistic,
        n_items=len(responses.values),
        higher_is_better=responses.higher_is_better,
        **also,
    )


def _counted(responses: Responses, sampled: xr.DataArray) -> dict[str, Any]:
    """Wins; and for scores of 0 and 1 the closed form, and by how much the bootstrap is surer."""
    wins = wins_of(responses)
    values = responses.values
    right_or_wrong = np.isin(values, (0, responses.scale)).all() and (responses.seen == 1).all()
    if responses.kind != "sum" or not right_or_wrong:
        return {"wins": (names.SQUARE, wins)}
    closed = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    gap = np.abs(sampled.values - 0.5) - np.abs(closed - 0.5)
    parts = {"wins": wins, "prob_better_closed": closed, "gap": gap}
    return {name: (names.SQUARE, part) for name, part in parts.items()}


def _withheld(found: xr.Dataset) -> dict[str, Any]:
    """Verdicts, but not on pairs seen to differ too rarely for draws without a prior."""
    wins = found["wins"].values
    few = np.minimum(wins, wins.T) < names.BOOTSTRAP_WINS_MIN
    few &= ~np.eye(len(few), dtype=bool)
    if few.any():
        message = _few_message(few, found[names.SYSTEM_A].values.tolist())
        warnings.warn(message, stacklevel=3)
    verdict = np.where(few, "no_verdict", found["verdict"].values)
    also_ahead = found["also_ahead"].values & ~few
    return {"verdict": (names.SQUARE, verdict), "also_ahead": (names.SQUARE, also_ahead)}


def _behind_top(found: xr.Dataset, threshold: float, responses: Responses) -> np.ndarray:
    """Which systems the one of the highest score is found better than; where there is no verdict,
    by its wins with a uniform prior.
    """
    score = found["score"].values
    top = int(np.argmax(score if responses.higher_is_better else -score))
    better, verdict = (found[name].values[top] for name in ("prob_better", "verdict"))
    wins, losses = found["wins"].values[top], found["wins"].values[:, top]
    counted = prob_above_half(1.0 + wins, 1.0 + losses)
    sure = (counted >= threshold) & (better >= threshold)
    return (verdict == "a_better") | ((verdict == "no_verdict") & sure)


def _few_message(few: np.ndarray, systems: list[str]) -> str:
    i, j = np.argwhere(np.triu(few))[0]
    count = int(np.triu(few).sum())
    more = f" and {count - 1:,} more pairs" if count > 1 else ""
    return (
        f"fewer than {names.BOOTSTRAP_WINS_MIN} wins or losses between {systems[i]!r} and "
        f"{systems[j]!r}{more}: no verdict there, because the bootstrap has no prior and reads few "
        "items as certain"
    )

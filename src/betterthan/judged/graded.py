"""Combine graded scores of a judge and of people: the prediction-powered mean."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names


def prediction_powered(judge: Any, human: Any, *, ci_prob: float = names.CI_PROB) -> xr.Dataset:
    """Estimate the mean of human scores with the help of a judge's scores (PPI).

    The estimate is mean(human) + weight (mean of judge on the other items - mean of judge on the
    labeled items). The weight minimizes the variance and is estimated from the labeled items.

    Parameters
    ----------
    judge : array_like of float, (item,)
        Judge's score of each item, or its score of A minus that of B.
    human : array_like of float, (item,)
        The same by people; NaN if there is none. Labeled items must be a random sample.
    ci_prob : float, default 0.95
        Level of the confidence interval.

    Returns
    -------
    xarray.Dataset
        - ``mean``, ``se``, ``lower``, ``upper``: estimate and interval (Student's t with the number
          of labels minus one as degrees of freedom)
        - ``weight``: weight of the judge
        - ``human_mean``: mean of the human scores only
        - ``n_gold``, ``n``: labeled items, and all items

    Raises
    ------
    ValueError
        If the lengths differ, a score of the judge is missing, there are fewer than three labels or
        no item without one, or the judge scores all labeled items the same.

    References
    ----------
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++: Efficient prediction-powered
    inference, arXiv:2311.01453.

    Examples
    --------
    >>> import numpy as np
    >>> human = np.array([0.2, 0.5, -0.1, 0.4, np.nan, np.nan, np.nan])
    >>> judge = np.array([0.3, 0.6, 0.1, 0.4, 0.5, 0.2, 0.4])
    >>> result = prediction_powered(judge, human)
    >>> round(result["mean"].item(), 3), round(result["human_mean"].item(), 3)
    (0.263, 0.25)
    """
    checks.probability(ci_prob, "ci_prob")
    judge_scores, truth = _scores(judge, human)
    gold = ~np.isnan(truth)
    mean, se, weight = _powered(truth[gold], judge_scores[gold], judge_scores[~gold])
    m = int(gold.sum())
    half = special.stdtrit(m - 1, (1 + ci_prob) / 2) * se
    estimates = {"mean": mean, "se": se, "lower": mean - half, "upper": mean + half}
    estimates |= {"weight": weight, "human_mean": truth[gold].mean()}
    estimates |= {"n_gold": m, "n": judge_scores.size}
    return xr.Dataset(estimates, attrs={"ci_prob": ci_prob})


def _powered(y: np.ndarray, f: np.ndarray, f_unlabelled: np.ndarray) -> tuple[float, float, float]:
    """Mean, its standard error, and the weight: people's and the judge's scores of labelled items,
    and the judge's of the others.
    """
    m, more = y.size, f_unlabelled.size
    spread = np.var(np.concatenate([f, f_unlabelled]), ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + m / more) * spread)
    mean = y.mean() + weight * (f_unlabelled.mean() - f.mean())
    se = np.sqrt(np.var(y - weight * f, ddof=1) / m + weight**2 * np.var(f_unlabelled) / more)
    return float(mean), float(se), float(weight)


def _numbers(values: Any, argument: str) -> np.ndarray:
    return checks.reals(values, argument, "one score an item").ravel()


def _scores(judge: Any, human: Any) -> tuple[np.ndarray, np.ndarray]:
    judge_scores, truth = _numbers(judge, "judge"), _numbers(human, "human")
    if judge_scores.size != truth.size:
        raise ValueError(
            f"judge has {judge_scores.size} scores and human {truth.size}; give both for each "
            "item, nan where people gave none"
        )
    if not np.isfinite(judge_scores).all():
        k = int((~np.isfinite(judge_scores)).argmax())
        raise ValueError(
            f"judge: score {k + 1} is {judge_scores[k]:g}; the judge scores every item"
        )
    gold = ~np.isnan(truth)
    if gold.sum() < 3 or gold.all():
        raise ValueError(
            f"human: {int(gold.sum())} of {truth.size} items have a score by people; give three or "
            "more, and items without one"
        )
    if np.ptp(judge_scores[gold]) == 0:
        raise ValueError("judge: it scores all labelled items the same, which says nothing")
    return judge_scores, truth

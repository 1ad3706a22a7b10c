"""Answers from differences of means on units: Student's t, in closed form."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.skeptical import Skeptical
from betterthan.exact.joint.units import PairMeans
from betterthan.posterior import table
from betterthan.posterior.table import Question


def of_units(
    means: PairMeans, systems: Sequence[str], question: Question, *, higher_is_better: bool = True
) -> xr.Dataset:
    """The answers of `by_pair` over (system_a, system_b)."""
    parts = by_pair(means, question, higher_is_better=higher_is_better)
    return table.square_of(parts, list(systems), *pair_indices(len(systems)))


def by_pair(
    means: PairMeans, question: Question, *, higher_is_better: bool = True, prior_sd: float = 0.0
) -> dict[str, np.ndarray]:
    """``prob_better``, ``difference_*``, ``mass`` and ``n_units`` of each pair; also the standard
    error, degrees of freedom and, of items, skewness of the difference.

    Parameters
    ----------
    means : PairMeans
        Of scores of which more is better.
    question : Question
    higher_is_better : bool, default True
        If not, differences are told as the scores stand: below 0 where A is better.
    prior_sd : float, default 0
        Standard deviation of a normal prior of the differences, in their unit; 0 for none.
    """
    if prior_sd:
        means = Skeptical.of(means, prior_sd)
    low, high = means.interval(question.ci_prob, question.ci_kind)
    middle = means.expected()
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    better, worse = means.prob_above(), means.prob_below()
    beyond, behind, within = better, worse, np.zeros_like(better)
    if question.rope:
        beyond, behind = means.prob_above(question.rope), means.prob_below(-question.rope)
        within = np.clip(1 - beyond - behind, 0.0, 1.0)
    parts = {
        "prob_better": better,
        "prob_worse": worse,
        "difference_mean": np.where(means.units > 1, middle, np.nan),
        "difference_lower": low,
        "difference_upper": high,
        "mass": np.stack([behind, within, beyond], axis=-1),
        "n_units": np.asarray(means.units, dtype=np.int64),
        "difference_error": means.error,
        "difference_df": np.where(means.units > 1, means.df, np.nan),
    }
    if means.skewness is not None:
        parts["difference_skewness"] = means.skewness if higher_is_better else -means.skewness
    return parts

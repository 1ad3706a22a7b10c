"""Answers from differences of means on units: Student's t, in closed form."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint.skeptical import Skeptical
from betterthan.exact.joint.units import PairMeans, differences
from betterthan.posterior import table
from betterthan.posterior.table import Question


def of_units(
    found: PairMeans,
    systems: Sequence[str],
    asked: Question,
    *,
    higher_is_better: bool = True,
    prior_sd: float = 0.0,
) -> xr.Dataset:
    """``prob_better``, ``difference_*``, ``mass`` and ``n_units`` over (system_a, system_b); also
    the standard error, degrees of freedom and, of items, skewness of the difference.

    Parameters
    ----------
    found : PairMeans
        Of scores of which more is better.
    systems : sequence of str
    asked : Question
    higher_is_better : bool, default True
        If not, differences are told as the scores stand: below 0 where A is better.
    prior_sd : float, default 0
        Standard deviation of a normal prior of the differences, in their unit; 0 for none.
    """
    if prior_sd:
        found = Skeptical.from_means(found, prior_sd)
    low, high = found.interval(asked.ci_prob, asked.ci_kind)
    middle = found.expected()
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    better, worse = found.prob_above(), found.prob_below()
    beyond, behind, within = better, worse, np.zeros_like(better)
    if asked.rope:
        beyond, behind = found.prob_above(asked.rope), found.prob_below(-asked.rope)
        within = np.clip(1 - beyond - behind, 0.0, 1.0)
    parts = {
        "prob_better": better,
        "prob_worse": worse,
        "difference_mean": np.where(found.units > 1, middle, np.nan),
        "difference_lower": low,
        "difference_upper": high,
        "mass": np.stack([behind, within, beyond], axis=-1),
        "n_units": np.asarray(found.units, dtype=np.int64),
        "difference_error": found.error,
        "difference_df": np.where(found.units > 1, found.df, np.nan),
    }
    if found.skewness is not None:
        parts["difference_skewness"] = found.skewness if higher_is_better else -found.skewness
    return table.square_of(parts, list(systems), *pair_indices(len(systems)))


def of_net_wins(
    net: np.ndarray,
    size: np.ndarray,
    systems: Sequence[str],
    asked: Question,
    *,
    prior_sd: float = 0.0,
) -> xr.Dataset:
    """The same of wins less losses of each unit (unit, pair), and of how many examples (unit,
    pair).
    """
    nothing = np.zeros(net.shape)
    found = differences(net, size, nothing, size, most=1.0)
    return of_units(found, systems, asked, prior_sd=prior_sd)

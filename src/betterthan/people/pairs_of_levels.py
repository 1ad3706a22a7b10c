"""Levels of a factor compared pair by pair."""

import numpy as np
from scipy import stats

from betterthan.exact.swaps.corrections import holm
from betterthan.people.lines import ROUNDING

PAIRED, TUKEY = "paired t, Holm", "Tukey & Kramer"


def apart(values: np.ndarray) -> np.ndarray:
    """Differences of the means of levels."""
    mean = np.nanmean(values, axis=0)
    return mean[:, None] - mean


def paired(values: np.ndarray) -> np.ndarray:
    """Of levels within units, (unit, level): each pair by its own differences, whose spread may be
    another than that of other pairs; corrected over pairs. NaN where a difference never varies.
    """
    n, levels = values.shape
    first, second = np.triu_indices(levels, 1)
    differences = values[:, first] - values[:, second]
    mean, error = differences.mean(0), differences.std(0, ddof=1) / np.sqrt(n)
    rounding = ROUNDING * np.abs(values).max()
    error[error <= rounding] = np.nan
    p = 2 * stats.t.sf(np.abs(mean / error), n - 1)
    p[np.isnan(error) & (np.abs(mean) <= rounding)] = 1.0
    p_values = np.ones((levels, levels))
    p_values[first, second] = p_values[second, first] = holm(p)
    return p_values


def tukey(values: np.ndarray, error: float, df: float) -> np.ndarray:
    """Of levels between units, NaN where there is none: by the studentized range."""
    n = (~np.isnan(values)).sum(0)
    below = np.sqrt(error * (1 / n[:, None] + 1 / n) / 2)
    p = stats.studentized_range.sf(np.abs(apart(values)) / below, len(n), df)
    return np.where(np.eye(len(n), dtype=bool), 1.0, p)

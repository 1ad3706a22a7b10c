"""Least-squares lines, one a subject or one through means of texts, and tests of their slopes."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

KEYS = ("slope", "standard_error", "t", "df", "p_value", "lower", "upper")
ROUNDING = 1e-13  # spreads below this share of the values are theirs


def line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, int]:
    """Slope, intercept and correlation of y on x, NaN where there is none, and how many rows."""
    off_x, off_y = x - x.mean(), y - y.mean()
    spread = (off_x**2).sum()
    slope = (off_x * off_y).sum() / spread if len(x) > 2 and spread > 0 else np.nan
    down = np.sqrt(spread * (off_y**2).sum())
    r = slope * spread / down if down > 0 else np.nan
    return slope, y.mean() - slope * x.mean(), r, len(x)


def mean_slope(slopes: np.ndarray, ci_prob: float) -> dict[str, float]:
    """Student's t test that the mean is 0; NaN where all are the same, but for rounding."""
    mean, spread = slopes.mean(), slopes.std(ddof=1)
    error = spread / np.sqrt(len(slopes))
    alike = spread <= 1e3 * ROUNDING * np.abs(slopes).max()
    return _tested(mean, np.nan if alike else error, len(slopes) - 1, ci_prob)


def slope_by_text(
    data: pd.DataFrame, response: str, predictor: str, text: str, ci_prob: float
) -> dict[str, float]:
    """The slope with texts as the sample: through their means, or, where the predictor varies
    within most of them, the mean of a slope for each text.
    """
    groups: Any = data.groupby(text, sort=False)
    extremes = groups[predictor].agg(["min", "max"])
    if ((extremes["max"] - extremes["min"]) > 1e-9 * extremes.abs().max(axis=1)).mean() > 0.5:
        slopes = [line(p[predictor].to_numpy(), p[response].to_numpy())[0] for _, p in groups]
        defined = np.array(slopes)[~np.isnan(slopes)]
        return mean_slope(defined, ci_prob) if len(defined) > 1 else dict.fromkeys(KEYS, np.nan)
    means = groups[[response, predictor]].mean()
    return _through(means[predictor].to_numpy(), means[response].to_numpy(), ci_prob)


def _through(x: np.ndarray, y: np.ndarray, ci_prob: float) -> dict[str, float]:
    """Least squares, and Student's t test of the slope."""
    slope, intercept, _, n = line(x, y)
    if np.isnan(slope):
        return dict.fromkeys(KEYS, np.nan)
    off = y - intercept - slope * x
    spread = np.sqrt((off**2).sum() / (n - 2))
    exact = spread <= 1e3 * ROUNDING * np.abs(y).max()
    error = spread / np.sqrt(((x - x.mean()) ** 2).sum())
    return _tested(slope, np.nan if exact else error, n - 2, ci_prob)


def _tested(slope: float, error: float, df: int, ci_prob: float) -> dict[str, float]:
    """Return the test of a slope; nan without a standard error."""
    half = stats.t.ppf((1 + ci_prob) / 2, df) * error
    p = 2 * stats.t.sf(abs(slope / error), df)
    values = slope, error, slope / error, df, p, slope - half, slope + half
    return dict(zip(KEYS, map(float, values), strict=True))

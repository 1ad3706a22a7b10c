"""Repeated measures: one slope for each subject, and analysis of variance by subjects and by
items.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import checks, names


def slopes(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = "subject",
    ci_prob: float = names.CI_PROB,
) -> xr.Dataset:
    """Regress within each subject, and test whether the mean slope is 0.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each text that a subject saw.
    response, predictor : str
        Columns of numbers, such as the reading time and tau. Rows that lack one are left out and
        counted.
    subject : str, default "subject"
        Column that names the subject.
    ci_prob : float, default 0.95
        Mass of the interval.

    Returns
    -------
    xarray.Dataset
        Over subject ``slope``, ``intercept``, ``r``, ``n``; and ``mean_slope`` with
        ``standard_error``, ``t``, ``df``, ``p_value`` (two-sided), ``lower``, ``upper``. Subjects
        with fewer than 3 rows or a constant predictor have no slope; ``attrs`` count them and the
        rows left out.

    Raises
    ------
    ValueError
        If a column is not there or no number, or fewer than 2 subjects have a slope.

    References
    ----------
    R. F. Lorch and J. L. Myers (1990), Regression analyses of repeated measures data in cognitive
    research, Journal of Experimental Psychology: Learning, Memory, and Cognition 16(1), 149-157
    (their method 3).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"subject": list("aaabbbccc"), "tau": [0, 0.5, 1] * 3,
    ...                       "time": [9, 8, 6, 7, 7, 5.5, 9, 7, 8]})
    >>> found = slopes(table, "time", "tau")
    >>> found["slope"].values.tolist(), round(found["p_value"].item(), 3)
    ([-3.0, -1.5, -1.0], 0.093)
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    data = _columns(table, [response, predictor], [subject])
    whole: Any = data.dropna()
    rows: list[Any] = []
    for name, part in whole.groupby(subject, sort=False):
        x, y = part[predictor].to_numpy(), part[response].to_numpy()
        spread = ((x - x.mean()) ** 2).sum()
        slope = (
            ((x - x.mean()) * (y - y.mean())).sum() / spread
            if len(x) > 2 and spread > 0
            else np.nan
        )
        down = np.sqrt(spread * ((y - y.mean()) ** 2).sum())
        r = slope * spread / down if down > 0 else np.nan
        rows.append((str(name), slope, y.mean() - slope * x.mean(), r, len(x)))
    subjects, slopes, intercepts, correlations, sizes = (
        np.array(v) for v in zip(*rows, strict=True)
    )
    known = slopes[~np.isnan(slopes)]
    if len(known) < 2:
        raise ValueError(f"{len(known)} subjects have a slope; the test needs 2, with 3 rows each")
    error, df = known.std(ddof=1) / np.sqrt(len(known)), len(known) - 1
    test: Any = stats.ttest_1samp(known, 0.0)
    half = stats.t.ppf((1 + ci_prob) / 2, df) * error
    each = {"slope": slopes, "intercept": intercepts, "r": correlations, "n": sizes}
    sums = {
        "mean_slope": known.mean(),
        "standard_error": error,
        "t": float(test.statistic),
        "df": df,
        "p_value": float(test.pvalue),
        "lower": known.mean() - half,
        "upper": known.mean() + half,
    }
    return xr.Dataset(
        {k: ("subject", v) for k, v in each.items()} | sums,
        coords={"subject": subjects},
        attrs={
            "n_subjects": len(known),
            "n_undefined": len(slopes) - len(known),
            "n_dropped": len(data) - len(whole),
            "ci_prob": ci_prob,
        },
    )


def anova(table: pd.DataFrame, response: str, factor: str, *, unit: str = "subject") -> xr.Dataset:
    """Analyse variance over the levels of one factor, by subjects or by items, with Tukey's
    comparisons.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each observation.
    response, factor : str
        Columns: a number, and the level it was observed under.
    unit : str, default "subject"
        Column of the units that vary at random: subjects give F1, items F2. Observations of a unit
        at a level are averaged first. Where every unit has all levels they are compared within
        units; where each has one, between.

    Returns
    -------
    xarray.Dataset
        ``f``, ``df1``, ``df2``, ``p_value``, ``p_corrected`` (within units: Greenhouse & Geisser's,
        with ``epsilon``); over level ``mean``, ``sd``, ``n``; over (level_a, level_b)
        ``difference`` and ``p_tukey``. ``attrs["design"]`` is within or between.

    Raises
    ------
    ValueError
        If a column is not there, there are fewer than 2 levels, a unit has some of the levels only,
        or nothing varies.

    References
    ----------
    S. W. Greenhouse and S. Geisser (1959), On methods in the analysis of profile data,
    Psychometrika 24, 95-112.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"subject": list("abcd") * 2, "bin": ["high"] * 4 + ["low"] * 4,
    ...                       "rating": [6, 5, 7, 6, 4, 4, 5, 3]})
    >>> found = anova(table, "rating", "bin")
    >>> round(found["f"].item(), 2), found["df2"].item(), round(found["p_value"].item(), 4)
    (24.0, 3, 0.0163)
    """
    data: Any = _columns(table, [response], [factor, unit]).dropna()
    cells: Any = data.groupby([unit, factor], sort=False)[response].mean().unstack(factor)
    cells = cells[list(dict.fromkeys(data[factor]))]
    levels, values = [str(c) for c in cells.columns], cells.to_numpy(dtype=float)
    if len(levels) < 2:
        raise ValueError(
            f"column {factor!r} has one level ({levels[0]}); there is nothing to compare"
        )
    seen = ~np.isnan(values)
    if seen.all() and len(values) > 1:
        found, design = _within(values), "within"
    elif (seen.sum(1) == 1).all() and (seen.sum(0) > 1).all():
        found, design = _between(values, seen), "between"
    else:
        k = int((~seen.all(1)).argmax())
        lacking = ", ".join(
            repr(level) for level, there in zip(levels, seen[k], strict=True) if not there
        )
        raise ValueError(
            f"{unit} {str(cells.index[k])!r} has no {response!r} at {lacking}; every {unit} needs "
            f"all levels, or each "
            "one level, two or more a level"
        )
    mean, n = np.nanmean(values, axis=0), seen.sum(0)
    below = np.sqrt(found["error"] * (1 / n[:, None] + 1 / n) / 2)
    difference = mean[:, None] - mean
    p = stats.studentized_range.sf(np.abs(difference) / below, len(levels), found["df2"])
    pair = ("level_a", "level_b")
    sums = {k: v for k, v in found.items() if k != "error"}
    spread = np.nanstd(values, axis=0, ddof=1)
    return xr.Dataset(
        sums
        | {"mean": ("level", mean), "sd": ("level", spread), "n": ("level", n)}
        | {
            "difference": (pair, difference),
            "p_tukey": (pair, np.where(np.eye(len(levels), dtype=bool), 1.0, p)),
        },
        coords=dict.fromkeys(("level", *pair), levels),
        attrs={
            "design": design,
            "unit": unit,
            "n_units": len(values),
            "n_dropped": len(table) - len(data),
        },
    )


def _within(values: np.ndarray) -> dict[str, float]:
    """Every unit at every level: levels x units as the error."""
    n, k = values.shape
    centred = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    df1, df2 = k - 1, (k - 1) * (n - 1)
    error = (centred**2).sum() / df2
    covariance = np.atleast_2d(np.cov(values, rowvar=False))
    double = covariance - covariance.mean(0) - covariance.mean(1, keepdims=True) + covariance.mean()
    epsilon = float(np.trace(double) ** 2 / ((k - 1) * (double**2).sum())) if error > 0 else 1.0
    return _tested(
        n * ((values.mean(0) - values.mean()) ** 2).sum() / df1, error, df1, df2, min(epsilon, 1.0)
    )


def _between(values: np.ndarray, seen: np.ndarray) -> dict[str, float]:
    """Each unit at one level: units within levels as the error."""
    mean, n = np.nanmean(values, axis=0), seen.sum(0)
    grand = np.nansum(values) / n.sum()
    df1, df2 = values.shape[1] - 1, int(n.sum()) - values.shape[1]
    error = np.nansum((values - mean) ** 2) / df2
    return _tested((n * (mean - grand) ** 2).sum() / df1, error, df1, df2, 1.0)


def _tested(between: float, error: float, df1: int, df2: int, epsilon: float) -> dict[str, float]:
    if error <= 0:
        raise ValueError("nothing varies within the levels; there is no error to compare with")
    f = between / error
    return {
        "f": f,
        "df1": df1,
        "df2": df2,
        "p_value": float(stats.f.sf(f, df1, df2)),
        "epsilon": epsilon,
        "p_corrected": float(stats.f.sf(f, df1 * epsilon, df2 * epsilon)),
        "error": float(error),
    }


def _columns(table: pd.DataFrame, numbers: list[str], labels: list[str]) -> pd.DataFrame:
    """The columns in question, the first ones as numbers; labels must not be missing."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is a {type(table).__name__}; give a pandas.DataFrame")
    for name in (*numbers, *labels):
        if name not in table.columns:
            raise ValueError(
                f"there is no column {name!r} among {', '.join(map(repr, table.columns))}"
            )
    data: Any = table[[*numbers, *labels]].copy()
    for name in numbers:
        try:
            data[name] = data[name].astype(float)
        except (TypeError, ValueError):
            raise ValueError(f"column {name!r} holds something that is no number") from None
    for name in labels:
        if data[name].isna().any():
            row = data.index[data[name].isna()][0]
            raise ValueError(f"row {row}, column {name!r}: missing; every row needs its {name}")
    return data

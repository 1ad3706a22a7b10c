"""Repeated measures: one slope for each subject, and analysis of variance by subjects and by
items.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import checks, names
from betterthan.signed import Signature


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
    parts = [
        (str(name), *_line(part[predictor].to_numpy(), part[response].to_numpy()))
        for name, part in whole.groupby(subject, sort=False)
    ]
    lines: Any = pd.DataFrame(parts, columns=["subject", "slope", "intercept", "r", "n"])
    known = lines["slope"].dropna().to_numpy()
    if len(known) < 2:
        raise ValueError(f"{len(known)} subjects have a slope; the test needs 2, with 3 rows each")
    each = {k: ("subject", lines[k].to_numpy()) for k in ("slope", "intercept", "r", "n")}
    return xr.Dataset(
        each | _mean_slope(known, ci_prob),
        coords={"subject": lines["subject"].to_list()},
        attrs=Signature(ci_prob=ci_prob).to_attrs()
        | {
            "n_subjects": len(known),
            "n_undefined": len(lines) - len(known),
            "n_dropped": len(data) - len(whole),
        },
    )


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float, int]:
    """Slope, intercept and correlation of y on x, NaN where there is none, and how many rows."""
    off_x, off_y = x - x.mean(), y - y.mean()
    spread = (off_x**2).sum()
    slope = (off_x * off_y).sum() / spread if len(x) > 2 and spread > 0 else np.nan
    down = np.sqrt(spread * (off_y**2).sum())
    r = slope * spread / down if down > 0 else np.nan
    return slope, y.mean() - slope * x.mean(), r, len(x)


def _mean_slope(slopes: np.ndarray, ci_prob: float) -> dict[str, float]:
    """Student's t test that the mean is 0."""
    mean, df = slopes.mean(), len(slopes) - 1
    error = slopes.std(ddof=1) / np.sqrt(len(slopes))
    test: Any = stats.ttest_1samp(slopes, 0.0)
    half = stats.t.ppf((1 + ci_prob) / 2, df) * error
    return {
        "mean_slope": mean,
        "standard_error": error,
        "t": float(test.statistic),
        "df": df,
        "p_value": float(test.pvalue),
        "lower": mean - half,
        "upper": mean + half,
    }


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
    cells = _cells(data, response, factor, unit)
    levels, values = [str(level) for level in cells.columns], cells.to_numpy(dtype=float)
    design = _design(cells, response)
    found = _within(values) if design == "within" else _between(values)
    pairs = ("level_a", "level_b")
    difference, p_tukey = _tukey(values, found.pop("error"), found["df2"])
    by_level = {
        "mean": ("level", np.nanmean(values, axis=0)),
        "sd": ("level", np.nanstd(values, axis=0, ddof=1)),
        "n": ("level", cells.count().to_numpy()),
    }
    return xr.Dataset(
        found | by_level | {"difference": (pairs, difference), "p_tukey": (pairs, p_tukey)},
        coords=dict.fromkeys(("level", *pairs), levels),
        attrs=Signature(unit=unit).to_attrs()
        | {"design": design, "n_units": len(values), "n_dropped": len(table) - len(data)},
    )


def _cells(data: Any, response: str, factor: str, unit: str) -> pd.DataFrame:
    """Mean of each unit at each level, in order of appearance."""
    levels = list(dict.fromkeys(data[factor]))
    if len(levels) < 2:
        found = f"one level ({levels[0]})" if levels else "no level"
        raise ValueError(f"column {factor!r} has {found}; there is nothing to compare")
    return data.groupby([unit, factor], sort=False)[response].mean().unstack(factor)[levels]


def _design(cells: pd.DataFrame, response: str) -> str:
    """Whether levels are compared within units or between them, from cells (unit, level)."""
    seen = cells.notna().to_numpy()
    if seen.all() and len(seen) > 1:
        return "within"
    if (seen.sum(1) == 1).all() and (seen.sum(0) > 1).all():
        return "between"
    k, unit = int((~seen.all(1)).argmax()), cells.index.name
    if seen.all():
        raise ValueError(f"there is one {unit}, {str(cells.index[k])!r}; a comparison needs two")
    lacking = ", ".join(repr(str(c)) for c in cells.columns[~seen[k]])
    raise ValueError(
        f"{unit} {str(cells.index[k])!r} has no {response!r} at {lacking}; every {unit} needs all "
        f"levels, or each one level, two or more a level"
    )


def _tukey(values: np.ndarray, error: float, df: float) -> tuple[np.ndarray, np.ndarray]:
    """Differences of the means of all levels, and p-values of the studentized range."""
    mean, n = np.nanmean(values, axis=0), (~np.isnan(values)).sum(0)
    below = np.sqrt(error * (1 / n[:, None] + 1 / n) / 2)
    difference = mean[:, None] - mean
    p = stats.studentized_range.sf(np.abs(difference) / below, len(n), df)
    return difference, np.where(np.eye(len(n), dtype=bool), 1.0, p)


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


def _between(values: np.ndarray) -> dict[str, float]:
    """Each unit at one level: units within levels as the error."""
    mean, n = np.nanmean(values, axis=0), (~np.isnan(values)).sum(0)
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
    checks.of_type(table, pd.DataFrame, "table is", "pandas.DataFrame")
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

"""Correlate a score with human judgments, and human judgments with each other."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from betterthan import checks, names
from betterthan.people import arrangements
from betterthan.people.screening import as_numbers
from betterthan.signed import Signature

MEASURES = ("pearson", "spearman", "kendall")
_LEAST = 4  # pairs of values below which no interval exists


def correlation(x: Any, y: Any, *, ci_prob: float = names.CI_PROB) -> xr.Dataset:
    """Correlate a score with people's judgments of the same texts.

    Parameters
    ----------
    x, y : sequence of float, pandas.Series or xarray.DataArray
        As long as each other; two Series or DataArrays must name the same texts in the same order.
        Pairs with a missing value are left out and counted.
    ci_prob : float, default 0.95
        Mass of the intervals.

    Returns
    -------
    xarray.Dataset
        Over measure (pearson, spearman, kendall's tau-b): ``r``, ``lower`` and ``upper`` (Fisher's
        z with the standard errors of Bonett & Wright 2000), ``p_value`` (two-sided). Up to 9 pairs
        the p of ranks is exact, over all arrangements (``attrs["p_of_ranks"]``). Where r is 1 or
        -1 (``attrs["perfect"]``), p is the share of arrangements as perfect, ranks have the
        interval of the next value below 1 with its far end at 1, and Pearson's r has none (NaN).
        ``attrs`` hold n and how many pairs were left out.

    Raises
    ------
    ValueError
        If the lengths or names differ, fewer than 4 pairs are whole, or one of the two is constant.

    References
    ----------
    D. G. Bonett and T. A. Wright (2000), Sample size requirements for estimating Pearson, Kendall
    and Spearman correlations, Psychometrika 65(1), 23-28, doi:10.1007/BF02294183.

    Examples
    --------
    >>> found = correlation([0.1, 0.4, 0.5, 0.9, 1.0], [2, 3, 3, 5, 4])
    >>> found["r"].round(2).values.tolist()
    [0.91, 0.87, 0.74]
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    a, b, dropped = _whole_pairs(x, y)
    tested: list[Any] = [stats.pearsonr(a, b), stats.spearmanr(a, b), stats.kendalltau(a, b)]
    r = np.array([float(t[0]) for t in tested])
    lower, upper = _ends(r, b, ci_prob)
    parts = {"r": r, "lower": lower, "upper": upper, "p_value": _p_values(r, tested, a, b)}
    attrs = {
        "n": len(a),
        "n_dropped": dropped,
        "p_of_ranks": "exact" if len(a) <= arrangements.EXACT else "asymptotic",
        "perfect": [
            name
            for name, is_perfect in zip(MEASURES, arrangements.perfect(r), strict=True)
            if is_perfect
        ],
    }
    return xr.Dataset(
        {k: ("measure", v) for k, v in parts.items()},
        coords={"measure": list(MEASURES)},
        attrs=Signature(ci_prob=ci_prob).to_attrs() | attrs,
    )


def _p_values(r: np.ndarray, tested: list[Any], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Over all arrangements where these are few or the order is perfect; never 0."""
    p = np.array([float(t[1]) for t in tested])
    if len(a) <= arrangements.EXACT:
        p[1:] = arrangements.exact_p(a, b)
    perfect = arrangements.perfect(r)
    p[perfect] = arrangements.perfect_p(b)
    return np.maximum(p, np.finfo(float).tiny)


def _ends(r: np.ndarray, y: np.ndarray, ci_prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Of the intervals. Of a perfect order of ranks the end beyond is 1, and the other one that of
    the next value below; of a perfect line there is none.
    """
    perfect = arrangements.perfect(r)
    correlations = np.where(perfect, np.nan, r)
    if perfect[1:].any():
        below = np.sign(r[1:]) * arrangements.next_to_perfect(y)
        correlations[1:] = np.where(perfect[1:], below, correlations[1:])
    width = stats.norm.ppf((1 + ci_prob) / 2) * np.sqrt(_variances_of_z(correlations, len(y)))
    z = np.arctanh(correlations)
    lower, upper = np.tanh(z - width), np.tanh(z + width)
    lower[1:], upper[1:] = (
        np.where(perfect[1:] & (np.sign(r[1:]) == side), side, v[1:])
        for side, v in ((-1, lower), (1, upper))
    )
    return lower, upper


def _whole_pairs(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the complete pairs, and the number of incomplete ones."""
    a, b = _matched(x, y)
    complete = ~(np.isnan(a) | np.isnan(b))
    n = int(complete.sum())
    if n < _LEAST:
        raise ValueError(
            f"x and y share {n} pairs of values; a correlation with its interval needs {_LEAST}"
        )
    for name, values in (("x", a[complete]), ("y", b[complete])):
        if np.ptp(values) == 0:
            raise ValueError(f"{name} is constant ({values[0]:g}); it correlates with nothing")
    return a[complete], b[complete], len(a) - n


def _variances_of_z(r: np.ndarray, n: int) -> np.ndarray:
    """Of Fisher's z of Pearson's r, Spearman's and Kendall's (Bonett & Wright 2000)."""
    kendall = 0.437 / (n - 4) if n > 4 else np.inf
    return np.array([1 / (n - 3), (1 + r[1] ** 2 / 2) / (n - 3), kendall])


def agreement(ratings: Any) -> xr.Dataset:
    """Correlate each subject's ratings with the mean of all others': how well people themselves
    agree.

    Parameters
    ----------
    ratings : pandas.DataFrame or xarray.DataArray
        Subjects in rows (first dim), texts in columns; NaN where a subject did not rate a text.

    Returns
    -------
    xarray.Dataset
        ``r`` over subject (Pearson, over the texts that the subject and somebody else rated),
        ``n_texts``; and over subjects ``mean``, ``lowest``, ``highest``, ``sd``. A subject with
        fewer than 3 texts or constant ratings has no r; ``attrs`` count them.

    Raises
    ------
    ValueError
        If there are fewer than 3 subjects, or no subject has an r.

    References
    ----------
    Leave-one-out resampling as in Lapata (2006), section 3.2: 179 subjects give 179 correlations
    (printed: 178).

    Examples
    --------
    >>> import pandas as pd
    >>> found = agreement(pd.DataFrame([[1, 2, 3, 4], [2, 2, 3, 4], [4, 3, 2, 2]]))
    >>> found["r"].round(2).values.tolist()
    [0.0, 0.87, -0.9]
    """
    values, subjects = _rated(ratings)
    if len(values) < 3:
        raise ValueError(f"ratings have {len(values)} subjects; leaving one out needs 3")
    r, n = _with_the_others(values)
    defined = r[~np.isnan(r)]
    if not len(defined):
        raise ValueError("ratings: no subject rated 3 texts differently that another rated too")
    sums = {"mean": defined.mean(), "lowest": defined.min(), "highest": defined.max()}
    sums["sd"] = defined.std(ddof=1) if len(defined) > 1 else np.nan
    return xr.Dataset(
        {"r": ("subject", r), "n_texts": ("subject", n)} | sums,
        coords={"subject": subjects},
        attrs={"n_subjects": len(defined), "n_undefined": int(np.isnan(r).sum())},
    )


def _rated(ratings: Any) -> tuple[np.ndarray, list[str]]:
    """Ratings (subject, text), and the subjects."""
    values = as_numbers(ratings, "ratings")
    if values.ndim != 2:
        raise ValueError(
            f"ratings have shape {values.shape}; give a table, subjects in rows, texts in columns"
        )
    if isinstance(ratings, xr.DataArray):
        ratings = ratings.to_pandas()
    index = ratings.index if isinstance(ratings, pd.DataFrame) else range(len(values))
    subjects = [str(s) for s in index]
    checks.fit(subjects, "subject")
    return values, subjects


def _with_the_others(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Correlate each subject with the mean of all others; return the numbers of texts, too."""
    observed = ~np.isnan(values)
    total, count = np.where(observed, values, 0).sum(0), observed.sum(0)
    r, n = np.full(len(values), np.nan), np.zeros(len(values), dtype=int)
    for k in range(len(values)):
        shared = observed[k] & (count > 1)
        n[k] = int(shared.sum())
        ratings, mean_of_others = (
            values[k, shared],
            (total[shared] - values[k, shared]) / (count[shared] - 1),
        )
        if n[k] >= 3 and np.ptp(ratings) > 0 and np.ptp(mean_of_others) > 0:
            r[k] = np.corrcoef(ratings, mean_of_others)[0, 1]
    return r, n


def _matched(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    labels = []
    for value in (x, y):
        if isinstance(value, pd.Series):
            labels.append(list(value.index))
        elif isinstance(value, xr.DataArray) and value.ndim == 1 and value.dims[0] in value.indexes:
            labels.append(list(value.indexes[value.dims[0]]))
    a, b = as_numbers(x, "x"), as_numbers(y, "y")
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"x has shape {a.shape} and y {b.shape}; give two lists of the same length"
        )
    if len(labels) == 2 and labels[0] != labels[1]:
        k = next(k for k, (p, q) in enumerate(zip(*labels, strict=True)) if p != q)
        raise ValueError(
            f"x and y name different texts: {labels[0][k]!r} and {labels[1][k]!r} at place {k + 1}"
        )
    return a, b

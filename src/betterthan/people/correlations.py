"""Correlations of scores with human judgments, their exact p-values, and screening of ratings."""

from collections.abc import Sequence
from functools import cache
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special, stats

from betterthan import checks, names
from betterthan.people.shared_texts import people_in_rows
from betterthan.rounding import without_rounding
from betterthan.signed import Signature

EXACT = 9  # pairs of values up to which all arrangements are gone through: 362,880
_PERFECT = 1 - 1e-12
_LEAST_P = float(np.finfo(float).tiny)


def is_perfect(r: np.ndarray) -> np.ndarray:
    """Whether a correlation is 1 or -1, but for rounding."""
    return np.abs(r) >= _PERFECT


def exact_p(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Two-sided p of Spearman's r and of Kendall's tau-b: the share of all arrangements of y that
    go with x as far or further, up or down. Compared in whole numbers.
    """
    a, b = (np.rint(2 * stats.rankdata(v)).astype(np.int64) for v in (x, y))
    arranged = b[_arrangements(len(b))]
    products = len(a) * (arranged @ a) - a.sum() * b.sum()
    first, second = np.triu_indices(len(a), 1)
    sign = np.sign(a[second] - a[first])
    signs = np.zeros(len(arranged), dtype=np.int64)
    for i, j, s in zip(first, second, sign, strict=True):
        signs += s * np.sign(arranged[:, j] - arranged[:, i])
    # the first arrangement is the one observed
    spearman, kendall = (float((np.abs(v) >= abs(v[0])).mean()) for v in (products, signs))
    return spearman, kendall


def perfect_p(y: np.ndarray) -> np.ndarray:
    """Two-sided p of perfect correlations with these values, however many, (measure,): the share of
    arrangements that are one; the reverse is for Pearson's r if the values are symmetric.
    """
    ties = np.unique(y, return_counts=True)[1]
    log = special.gammaln(ties + 1).sum() - special.gammaln(len(y) + 1)
    ordered = np.sort(y)
    ways = np.full(len(MEASURES), 1 + np.array_equal(ties, ties[::-1]))  # the reverse is perfect
    ways[0] = 1 + np.allclose(ordered + ordered[::-1], ordered[0] + ordered[-1], atol=0)
    return np.maximum(ways * np.exp(log), _LEAST_P)


def next_to_perfect(y: np.ndarray) -> tuple[float, float]:
    """Return the largest Spearman's r and Kendall's tau-b below 1 with these ties."""
    ordered = np.sort(y)
    correlations = []
    for k in np.flatnonzero(np.diff(ordered)):
        swapped = ordered.copy()
        swapped[[k, k + 1]] = ordered[[k + 1, k]]
        tests: list[Any] = [stats.spearmanr(ordered, swapped), stats.kendalltau(ordered, swapped)]
        correlations.append([float(test[0]) for test in tests])
    spearman, kendall = np.max(correlations, axis=0)
    return float(spearman), float(kendall)


@cache
def _arrangements(n: int) -> np.ndarray:
    """Return all permutations of n, (n!, n); the first is the identity."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.int8)
    shorter = _arrangements(n - 1)
    permutations = np.empty((factorial(n), n), dtype=np.int8)
    for k in range(n):
        others = np.delete(np.arange(n, dtype=np.int8), k)
        part = permutations[k * len(shorter) : (k + 1) * len(shorter)]
        part[:, 0], part[:, 1:] = k, others[shorter]
    return permutations


def bin_by(values: Any, score: Any, edges: Sequence[float]) -> xr.Dataset:
    """Summarize values in bins of a score.

    Parameters
    ----------
    values, score : sequence of float
        Values and scores, of equal length; pairs with a missing value are left out and counted.
    edges : sequence of float
        Limits of the bins, rising. A score on a limit belongs to the bin above it, on the last
        limit to the last bin.

    Returns
    -------
    xarray.Dataset
        Over bin: ``low`` and ``high`` (limits), ``n``, ``mean``, ``min``, ``max``, ``sd`` (NaN for
        a single value). ``attrs`` count the pairs left out and those outside the limits.

    Raises
    ------
    ValueError
        If the lengths differ or the edges do not rise.

    Examples
    --------
    >>> result = bin_by([5, 6, 2, 3], [0.9, 0.7, -0.5, -0.2], [-1, 0, 1])
    >>> result["mean"].values.tolist(), result["n"].values.tolist()
    ([2.5, 5.5], [2, 2])
    """
    y, x = _pairs(values, score)
    limits = rising(edges)
    whole = ~(np.isnan(x) | np.isnan(y))
    place = bin_of(x, limits)
    inside = whole & (place >= 0)
    bins = np.arange(len(limits) - 1)
    described = np.array([_described(y[inside & (place == k)]) for k in bins])
    table = {"low": limits[:-1], "high": limits[1:], "n": described[:, 0].astype(int)}
    table |= dict(zip(("mean", "min", "max", "sd"), described.T[1:], strict=True))
    return xr.Dataset(
        {name: ("bin", column) for name, column in table.items()},
        coords={"bin": bins + 1},
        attrs={"n_dropped": int((~whole).sum()), "n_outside": int((whole & ~inside).sum())},
    )


def _pairs(values: Any, score: Any) -> tuple[np.ndarray, np.ndarray]:
    checks.same_items({"values": values, "score": score}, "texts")
    y, x = as_numbers(values, "values"), as_numbers(score, "score")
    if y.ndim != 1 or y.shape != x.shape:
        raise ValueError(
            f"values have shape {y.shape} and the score {x.shape}; give two lists of the same "
            f"length"
        )
    return y, x


def rising(edges: Any) -> np.ndarray:
    """Limits of bins, each above the one before."""
    limits = as_numbers(edges, "edges", finite=False)
    if limits.ndim != 1 or len(limits) < 2 or not (np.diff(limits) > 0).all():
        raise ValueError("edges must be two numbers or more, each larger than the one before")
    return limits


def bin_of(score: np.ndarray, limits: np.ndarray) -> np.ndarray:
    """Number of the bin of each score from 0, -1 outside."""
    last = len(limits) - 2
    place = np.where(score == limits[-1], last, np.searchsorted(limits, score, side="right") - 1)
    return np.where(place <= last, place, -1)


def _described(values: np.ndarray) -> tuple[float, ...]:
    """Number, mean, least, largest and standard deviation; NaN where there is none."""
    n = len(values)
    if n == 0:
        return (0, *[np.nan] * 4)
    sd = values.std(ddof=1) if n > 1 else np.nan
    return n, values.mean(), values.min(), values.max(), sd


def winsorise(times: Any, *, by: Any, sd: float = 2.5, wrong: Any = None) -> xr.Dataset:
    """Remove wrong answers, and set each participant's outliers to a cutoff (winsorizing).

    Parameters
    ----------
    times : sequence of float
        Reading times, one for each text that a participant read.
    by : sequence
        Participant of each time.
    sd : float, default 2.5
        Cutoff, in standard deviations from the participant's mean. Both are computed once, before
        any change. Of n times, none can be further away than (n - 1) / sqrt(n) standard deviations:
        with 2.5, nothing can change below 9 times.
    wrong : sequence of bool, optional
        Whether the question on the text was answered wrongly; those times are removed first.

    Returns
    -------
    xarray.Dataset
        Over row: ``time`` (NaN if removed or missing), ``removed``, ``changed``. ``attrs``: ``n``,
        ``n_missing``, ``n_removed``, ``n_changed``, and ``n_too_few``, participants none of whose
        times could have changed; for these there is a warning.

    Raises
    ------
    ValueError
        If lengths differ, sd is not positive, a participant is missing, or `wrong` is not true and
        false.

    Examples
    --------
    >>> times = [1.0, 1.1, 0.9, 1.0, 9.0, 1.2]
    >>> clean = winsorise(times, by=["a"] * 6, sd=1.5, wrong=[0, 0, 0, 0, 0, 1])
    >>> clean["time"].round(2).values.tolist(), clean.attrs["n_removed"], clean.attrs["n_changed"]
    ([1.0, 1.1, 0.9, 1.0, 7.97, nan], 1, 1)
    """
    values = as_numbers(times, "times")
    if values.ndim != 1 or not len(values):
        raise ValueError(f"times have shape {values.shape}; give a list of one or more")
    sd = checks.positive_real(sd, "sd")
    for name, other in {"by": by, "wrong": wrong}.items():
        checks.same_items({"times": times, name: other}, "times")
    people = _one_each(by, "by", len(values))
    if pd.isna(people).any():
        place = int(pd.isna(people).argmax()) + 1
        raise ValueError(f"by is missing at place {place}; every time needs its participant")
    removed, missing = _truths(wrong, len(values)), np.isnan(values)
    kept = pd.Series(np.where(removed, np.nan, values))
    # within so many standard deviations of each one's mean, both from the times as they are
    groups: Any = kept.groupby(people)
    mean, spread = groups.transform("mean"), groups.transform("std").fillna(0.0)
    cut, too_few = kept.clip(mean - sd * spread, mean + sd * spread), _too_few(kept, people, sd)
    changed = (kept.notna() & ((kept - cut).abs() > 1e-12 * kept.abs())).to_numpy()
    counted = {"n_missing": missing, "n_removed": removed, "n_changed": changed}
    return xr.Dataset(
        {"time": ("row", cut.to_numpy()), "removed": ("row", removed), "changed": ("row", changed)},
        attrs={"n": len(values), **{k: int(v.sum()) for k, v in counted.items()}, "sd": sd}
        | {"n_too_few": too_few},
    )


def _one_each(values: Any, what: str, size: int) -> np.ndarray:
    if isinstance(values, xr.Dataset):
        raise ValueError(f"{what} is {checks.quoted(values)}; give one entry for each time")
    array = np.asarray(values)
    if array.shape != (size,):
        raise ValueError(
            f"{what} has {array.size} entries and there are {size} times; give one for each"
        )
    return array


def _too_few(times: pd.Series, people: np.ndarray, sd: float) -> int:
    """How many participants have too few times for any of them to be so far out; a warning."""
    n: Any = times.groupby(people).count()
    few = int(((n > 0) & ((n - 1) / np.sqrt(n.clip(lower=1)) <= sd)).sum())
    if few:
        least = int(np.floor((sd + np.sqrt(sd**2 + 4)) ** 2 / 4)) + 1
        checks.warn(
            f"nothing was screened for {few} of {int((n > 0).sum())} participants: they have fewer "
            f"than {least} times, of which none can be {sd:g} standard deviations from their mean"
        )
    return few


def _truths(wrong: Any, size: int) -> np.ndarray:
    if wrong is None:
        return np.zeros(size, dtype=bool)
    flags = _one_each(wrong, "wrong", size)
    if not np.isin(flags, (0, 1)).all():
        raise ValueError("wrong must be true or false for each time")
    return flags.astype(bool)


def as_numbers(values: Any, what: str, *, finite: bool = True) -> np.ndarray:
    """The values as a float array; NaN is missing."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ValueError(f"{what} is a {type(values).__name__}; give numbers, one after the other")
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} holds something that is no number") from None
    checks.no_times(np.asarray(values).dtype, what)
    if finite and (bad := np.flatnonzero(np.isinf(array))).size:
        value = array.ravel()[bad[0]]
        raise ValueError(f"{what} holds {value:g} at position {bad[0]}; give finite numbers")
    return array


MEASURES = ("pearson", "spearman", "kendall")
_LEAST = 4  # pairs of values below which no interval exists
_JACKKNIFED = 10  # pairs from which on the jackknife is more than a guess
_CELLS, _MOST_DISTINCT = 2**20, 5000  # signs at once, and pairs of values of which one is left out


def correlation(x: Any, y: Any, *, ci_prob: float = names.CI_PROB) -> xr.Dataset:
    """Correlate a score with human judgments of the same texts.

    Parameters
    ----------
    x, y : sequence of float, pandas.Series or xarray.DataArray
        Scores and judgments, of equal length. Two Series or DataArrays must name the same texts in
        the same order. Pairs with a missing value are left out and counted.
    ci_prob : float, default 0.95
        Level of the confidence intervals.

    Returns
    -------
    xarray.Dataset
        Over measure (pearson, spearman, kendall's tau-b):

        - ``r``
        - ``lower``, ``upper``: Fisher's z with the standard errors of Bonett & Wright (2000), but
          at least as wide as Student's t with the jackknife of z, as skewed values, heavy tails
          and ties need (of 10 pairs or more, or with ties on both sides; up to 5,000 different
          pairs)
        - ``p_value``: two-sided; for ranks of up to 9 pairs exact, over all permutations
          (``attrs["p_of_ranks"]``)

        If r is 1 or -1 (``attrs["perfect"]``), p is the proportion of permutations that are as
        perfect. Rank correlations then have the interval of the next value below 1, with its outer
        bound at 1, and Pearson's r has none (NaN). ``attrs`` hold n and the number of pairs left
        out.

    Raises
    ------
    ValueError
        If the lengths or names differ, fewer than 4 pairs are complete, or one of the two is
        constant.

    References
    ----------
    D. G. Bonett and T. A. Wright (2000), Sample size requirements for estimating Pearson, Kendall
    and Spearman correlations, Psychometrika 65(1), 23-28, doi:10.1007/BF02294183.

    Examples
    --------
    >>> result = correlation([0.1, 0.4, 0.5, 0.9, 1.0], [2, 3, 3, 5, 4])
    >>> result["r"].round(2).values.tolist()
    [0.91, 0.87, 0.74]
    """
    ci_prob = checks.probability(ci_prob, "ci_prob")
    a, b, dropped = _whole_pairs(x, y)
    tested: list[Any] = [stats.pearsonr(a, b), stats.spearmanr(a, b), stats.kendalltau(a, b)]
    r = np.array([float(t[0]) for t in tested])
    lower, upper = _ends(r, a, b, ci_prob)
    # over all arrangements where these are few or the order is perfect; never 0
    p = np.array([float(t[1]) for t in tested])
    if len(a) <= EXACT:
        p[1:] = exact_p(a, b)
    perfect = is_perfect(r)
    p[perfect] = perfect_p(b)[perfect]
    parts = {"r": r, "lower": lower, "upper": upper, "p_value": np.maximum(p, np.finfo(float).tiny)}
    attrs = {
        "n": len(a),
        "n_dropped": dropped,
        "p_of_ranks": "exact" if len(a) <= EXACT else "asymptotic",
        "perfect": np.array(MEASURES)[perfect].tolist(),
    }
    return xr.Dataset(
        {k: ("measure", v) for k, v in parts.items()},
        coords={"measure": list(MEASURES)},
        attrs=Signature(ci_prob=ci_prob).to_attrs() | attrs,
    )


def _ends(
    r: np.ndarray, x: np.ndarray, y: np.ndarray, ci_prob: float
) -> tuple[np.ndarray, np.ndarray]:
    """Of the intervals. Of a perfect order of ranks the end beyond is 1, and the other one that of
    the next value below; of a perfect line there is none.
    """
    perfect = is_perfect(r)
    correlations = np.where(perfect, np.nan, r)
    if perfect[1:].any():
        below = np.sign(r[1:]) * next_to_perfect(y)
        correlations[1:] = np.where(perfect[1:], below, correlations[1:])
    width = stats.norm.ppf((1 + ci_prob) / 2) * np.sqrt(_variances_of_z(correlations, len(y)))
    ties = all(len(np.unique(side)) < len(side) for side in (x, y))
    if ties or len(y) >= _JACKKNIFED:
        far = stats.t.ppf((1 + ci_prob) / 2, len(y) - 1) * _jackknife_errors(x, y)
        width = np.fmax(width, np.where(np.isfinite(far), far, np.nan))
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


def _jackknife_errors(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Standard errors of Fisher's z of each measure, by leaving out one pair of values after the
    other.
    """
    both = np.stack([x, y])
    pairs, place, times = np.unique(both, axis=1, return_index=True, return_counts=True)
    n, m = len(x), len(times)
    if m > _MOST_DISTINCT:
        return np.full(len(MEASURES), np.nan)
    ranks = np.stack([stats.rankdata(side)[place] for side in (x, y)])
    sums = np.empty((3, 3, m))  # without one of a pair: (measure, product and squares, pair)
    for rows in np.array_split(np.arange(m), 1 + m * m // _CELLS):
        others = times - (rows[:, None] == np.arange(m))
        signs = np.sign(pairs[:, None] - pairs[:, rows, None])
        # ranks beyond the pair left out are 1 less, equal ones 1/2
        values = np.stack(
            [np.broadcast_to(pairs[:, None], signs.shape), ranks[:, None] - signs / 2]
        )
        values -= (values * others).sum(-1, keepdims=True) / (n - 1)
        for measure, (a, b) in enumerate((*values, signs)):
            products = (a * b, a * a, b * b)
            sums[measure][:, rows] = [(product * others).sum(-1) for product in products]
    sums[2] = (sums[2] * times).sum(-1, keepdims=True) / 2 - sums[2]  # of signs: all but its own
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.arctanh(sums[:, 0] / np.sqrt(sums[:, 1] * sums[:, 2]))
        off = z - (z * times).sum(-1, keepdims=True) / n
        return np.sqrt((n - 1) / n * (off**2 * times).sum(-1))


def agreement(ratings: Any) -> xr.Dataset:
    """Compute each subject's correlation with the mean of all other subjects.

    It shows how well people agree with each other.

    Parameters
    ----------
    ratings : pandas.DataFrame or xarray.DataArray
        Ratings with subjects as rows (first dim) and texts as columns; NaN if a subject did not
        rate a text. Of an array with dims (item, ...) the second dim has the subjects.

    Returns
    -------
    xarray.Dataset
        - ``r`` (subject): Pearson correlation, over the texts that the subject and somebody else
          rated
        - ``n_texts`` (subject)
        - ``mean``, ``lowest``, ``highest``, ``sd``: of r over subjects

        A subject with fewer than 3 texts or constant ratings has no r; ``attrs`` count them.

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
    >>> result = agreement(pd.DataFrame([[1, 2, 3, 4], [2, 2, 3, 4], [4, 3, 2, 2]]))
    >>> result["r"].round(2).values.tolist()
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
    ratings = people_in_rows(ratings, "subjects")
    values = as_numbers(ratings, "ratings")
    if values.ndim != 2:
        raise ValueError(
            f"ratings have shape {values.shape}; give a table, subjects in rows, texts in columns"
        )
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
        ratings = values[k, shared]
        others = (total[shared] - ratings) / (count[shared] - 1)
        mean_of_others = without_rounding(others[None])[0]
        if n[k] >= 3 and np.ptp(ratings) > 0 and np.ptp(mean_of_others) > 0:
            r[k] = np.corrcoef(ratings, mean_of_others)[0, 1]
    return r, n


def _matched(x: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
    a, b = as_numbers(x, "x"), as_numbers(y, "y")
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"x has shape {a.shape} and y {b.shape}; give two lists of the same length"
        )
    checks.same_items({"x": x, "y": y}, "texts")
    # means of the same sum are equal
    return without_rounding(a[None])[0], without_rounding(b[None])[0]

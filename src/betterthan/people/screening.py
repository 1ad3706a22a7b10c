"""Ratings by bins of a score, and reading times without wrong answers and outliers."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names


def bin_by(values: Any, score: Any, edges: Sequence[float]) -> xr.Dataset:
    """Describe values in bins of a score.

    Parameters
    ----------
    values, score : sequence of float
        As long as each other; pairs with a missing value are left out and counted.
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
    >>> found = bin_by([5, 6, 2, 3], [0.9, 0.7, -0.5, -0.2], [-1, 0, 1])
    >>> found["mean"].values.tolist(), found["n"].values.tolist()
    ([2.5, 5.5], [2, 2])
    """
    y, x = _pairs(values, score)
    limits = _rising(edges)
    whole = ~(np.isnan(x) | np.isnan(y))
    place = _bin_of(x, limits)
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
    y, x = as_numbers(values, "values"), as_numbers(score, "score")
    if y.ndim != 1 or y.shape != x.shape:
        raise ValueError(
            f"values have shape {y.shape} and the score {x.shape}; give two lists of the same "
            f"length"
        )
    return y, x


def _rising(edges: Any) -> np.ndarray:
    limits = as_numbers(edges, "edges")
    if limits.ndim != 1 or len(limits) < 2 or not (np.diff(limits) > 0).all():
        raise ValueError("edges must be two numbers or more, each larger than the one before")
    return limits


def _bin_of(score: np.ndarray, limits: np.ndarray) -> np.ndarray:
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
    """Take out wrong answers, then set each participant's outliers to a cutoff.

    Parameters
    ----------
    times : sequence of float
        Reading times, one for each text that a participant read.
    by : sequence
        The participant of each.
    sd : float, default 2.5
        Values further from the participant's mean than this many standard deviations are set to
        that cutoff; both are computed once, before anything is changed. Of n times none can be
        further away than (n - 1) / sqrt(n) of them: with 2.5, nothing can change below 9 times.
    wrong : sequence of bool, optional
        Where the question on the text was answered wrongly: those times are removed first.

    Returns
    -------
    xarray.Dataset
        Over row: ``time`` (NaN where removed or missing), ``removed``, ``changed``; ``attrs``:
        ``n``, ``n_missing``, ``n_removed``, ``n_changed``, and ``n_too_few``: participants none
        of whose times could have been changed, of which a warning is given.

    Raises
    ------
    ValueError
        If lengths differ, sd is not positive, a participant is missing, or `wrong` is not true and
        false.

    Examples
    --------
    >>> times = [1.0, 1.1, 0.9, 1.0, 9.0, 1.2]
    >>> found = winsorise(times, by=["a"] * 6, sd=1.5, wrong=[0, 0, 0, 0, 0, 1])
    >>> found["time"].round(2).values.tolist(), found.attrs["n_removed"], found.attrs["n_changed"]
    ([1.0, 1.1, 0.9, 1.0, 7.97, nan], 1, 1)
    """
    values = as_numbers(times, "times")
    if values.ndim != 1 or not len(values):
        raise ValueError(f"times have shape {values.shape}; give a list of one or more")
    sd = float(checks.positive(sd, "sd"))
    people = _participants(by, len(values))
    removed, missing = _truths(wrong, len(values)), np.isnan(values)
    kept = pd.Series(np.where(removed, np.nan, values))
    cut, too_few = _clipped(kept, people, sd), _too_few(kept, people, sd)
    changed = (kept.notna() & ((kept - cut).abs() > 1e-12 * kept.abs())).to_numpy()
    counted = {"n_missing": missing, "n_removed": removed, "n_changed": changed}
    return xr.Dataset(
        {"time": ("row", cut.to_numpy()), "removed": ("row", removed), "changed": ("row", changed)},
        attrs={"n": len(values), **{k: int(v.sum()) for k, v in counted.items()}, "sd": sd}
        | {"n_too_few": too_few},
    )


def _one_each(values: Any, what: str, size: int) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != (size,):
        raise ValueError(
            f"{what} has {array.size} entries and there are {size} times; give one for each"
        )
    return array


def _participants(by: Any, size: int) -> np.ndarray:
    people = _one_each(by, "by", size)
    if pd.isna(people).any():
        place = int(pd.isna(people).argmax()) + 1
        raise ValueError(f"by is missing at place {place}; every time needs its participant")
    return people


def _too_few(times: pd.Series, people: np.ndarray, sd: float) -> int:
    """How many participants have too few times for any of them to be so far out; a warning."""
    n: Any = times.groupby(people).count()
    few = int(((n > 0) & ((n - 1) / np.sqrt(n.clip(lower=1)) <= sd)).sum())
    if few:
        least = int(np.floor((sd + np.sqrt(sd**2 + 4)) ** 2 / 4)) + 1
        warnings.warn(
            f"{few} of {int((n > 0).sum())} participants have fewer than {least} times: none of "
            f"theirs can be {sd:g} standard deviations from their mean, so nothing was screened",
            skip_file_prefixes=names.PACKAGE,
        )
    return few


def _truths(wrong: Any, size: int) -> np.ndarray:
    if wrong is None:
        return np.zeros(size, dtype=bool)
    given = _one_each(wrong, "wrong", size)
    if not np.isin(given, (0, 1)).all():
        raise ValueError("wrong must be true or false for each time")
    return given.astype(bool)


def _clipped(times: pd.Series, people: np.ndarray, sd: float) -> pd.Series:
    """Within so many standard deviations of each one's mean, both from the times as they are."""
    groups: Any = times.groupby(people)
    mean, spread = groups.transform("mean"), groups.transform("std").fillna(0.0)
    return times.clip(mean - sd * spread, mean + sd * spread)


def as_numbers(values: Any, what: str) -> np.ndarray:
    """The values as a float array."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ValueError(f"{what} is a {type(values).__name__}; give numbers, one after the other")
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} holds something that is no number") from None

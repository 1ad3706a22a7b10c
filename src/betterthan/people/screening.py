"""Ratings by bins of a score, and reading times without wrong answers and outliers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks


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
    given = (values, "values"), (score, "score"), (edges, "edges")
    y, x, limits = (as_numbers(*one) for one in given)
    if y.ndim != 1 or y.shape != x.shape:
        raise ValueError(
            f"values have shape {y.shape} and the score {x.shape}; give two lists of the same "
            f"length"
        )
    if len(limits) < 2 or not (np.diff(limits) > 0).all():
        raise ValueError("edges must be two numbers or more, each larger than the one before")
    whole = ~(np.isnan(x) | np.isnan(y))
    place = np.where(x == limits[-1], len(limits) - 2, np.searchsorted(limits, x, side="right") - 1)
    inside = whole & (place >= 0) & (place < len(limits) - 1)
    groups = [y[inside & (place == k)] for k in range(len(limits) - 1)]
    table = {
        "low": limits[:-1],
        "high": limits[1:],
        "n": [len(g) for g in groups],
        "mean": [g.mean() if len(g) else np.nan for g in groups],
        "min": [g.min(initial=np.inf) for g in groups],
        "max": [g.max(initial=-np.inf) for g in groups],
        "sd": [g.std(ddof=1) if len(g) > 1 else np.nan for g in groups],
    }
    found = xr.Dataset(
        {k: ("bin", np.asarray(v)) for k, v in table.items()}, coords={"bin": range(1, len(limits))}
    )
    found["min"], found["max"] = (
        found["min"].where(found["n"] > 0),
        found["max"].where(found["n"] > 0),
    )
    found.attrs = {"n_dropped": int((~whole).sum()), "n_outside": int((whole & ~inside).sum())}
    return found


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
        that cutoff; both are computed once, before anything is changed.
    wrong : sequence of bool, optional
        Where the question on the text was answered wrongly: those times are removed first.

    Returns
    -------
    xarray.Dataset
        Over row: ``time`` (NaN where removed or missing), ``removed``, ``changed``; ``attrs``:
        ``n``, ``n_missing``, ``n_removed``, ``n_changed``.

    Raises
    ------
    ValueError
        If lengths differ, sd is not positive, or `wrong` is not true and false.

    Examples
    --------
    >>> found = winsorise([1.0, 1.1, 0.9, 1.0, 9.0, 1.2], by=["a"] * 6, sd=1.5, wrong=[0, 0, 0, 0, 0, 1])
    >>> found["time"].round(2).values.tolist(), found.attrs["n_removed"], found.attrs["n_changed"]
    ([1.0, 1.1, 0.9, 1.0, 7.97, nan], 1, 1)
    """
    values = as_numbers(times, "times")
    checks.positive(sd, "sd")
    people = pd.Series(np.asarray(by))
    out = np.zeros(len(values), dtype=bool) if wrong is None else np.asarray(wrong)
    for what, other in (("by", people), ("wrong", out)):
        if len(other) != len(values):
            raise ValueError(
                f"{what} has {len(other)} entries and there are {len(values)} times; give one for "
                f"each"
            )
    if not np.isin(out, (0, 1)).all():
        raise ValueError("wrong must be true or false for each time")
    removed, missing = out.astype(bool), np.isnan(values)
    kept = pd.Series(np.where(removed, np.nan, values))
    groups = kept.groupby(people.to_numpy())
    mean: Any
    spread: Any
    mean, spread = groups.transform("mean"), groups.transform("std").fillna(0.0)
    cut = kept.clip(mean - float(sd) * spread, mean + float(sd) * spread)
    changed = (kept.notna() & ((kept - cut).abs() > 1e-12 * kept.abs())).to_numpy()
    return xr.Dataset(
        {"time": ("row", cut.to_numpy()), "removed": ("row", removed), "changed": ("row", changed)},
        attrs={
            "n": len(values),
            "n_missing": int(missing.sum()),
            "n_removed": int(removed.sum()),
            "n_changed": int(changed.sum()),
            "sd": float(sd),
        },
    )


def as_numbers(values: Any, what: str) -> np.ndarray:
    """The values as a float array."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{what} holds something that is no number") from None

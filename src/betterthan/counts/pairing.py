"""Counts as pairs for a likelihood, and its answers back in the shape of the counts."""

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.arrays import without_attrs
from betterthan.counts.shapes import to_pairs, to_square


def as_pairs(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Counts with each unordered pair once, and whether they came as a square.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)

    Returns
    -------
    tuple of xarray.DataArray with dims (pair, outcome) and coordinates system_a, system_b on pair,
    and bool

    Raises
    ------
    ValueError
        If the counts are not counts, have a further dim, or do not say which systems a pair
        compares.
    """
    counts = schemas.counts(counts)
    square = names.SYSTEM_A in counts.dims and names.SYSTEM_B in counts.dims
    wanted = (
        (names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME) if square else (names.PAIR, names.OUTCOME)
    )
    if set(counts.dims) != set(wanted):
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give (system_a, system_b, "
            "outcome) or (pair, outcome): select or sum over the others first"
        )
    if square:
        checks.at_least_two([str(s) for s in counts[names.SYSTEM_A].values])
        return _bare(to_pairs(counts)), True
    if names.SYSTEM_A not in counts.coords or names.SYSTEM_B not in counts.coords:
        raise ValueError(
            "counts by pair need coordinates system_a and system_b on pair; see "
            "betterthan.counts.to_pairs"
        )
    return _bare(counts.transpose(*wanted)), False


def as_given(
    answer: xr.DataArray, square: bool, *, mirror: str, diagonal: float = 0.0
) -> xr.DataArray:
    """An answer by pair, as a square where the counts came as one; see `counts.to_square` for
    `mirror`.
    """
    return to_square(answer, mirror=mirror, diagonal=diagonal) if square else answer


def probability_as_given(
    pairs: xr.DataArray, better: np.ndarray, worse: np.ndarray, square: bool
) -> xr.DataArray:
    """P(A better than B) in the shape of the counts, from both of its tails: 1 - x would lose a
    small one.

    Parameters
    ----------
    pairs : xarray.DataArray, dims (pair, outcome)
    better, worse : numpy.ndarray, one number a pair
        P(A better than B) and P(B better than A).
    square : bool
        Whether the counts came as a square.
    """
    answer = without_attrs(
        pairs.isel({names.OUTCOME: 0}, drop=True).copy(data=better).rename("prob_better")
    )
    if not square:
        return answer
    upper = to_square(answer, mirror="same", diagonal=0.5)
    lower = to_square(answer.copy(data=worse), mirror="same", diagonal=0.5)
    return upper.where(to_square(xr.ones_like(answer), mirror="difference") >= 0, lower)


def _bare(pairs: xr.DataArray) -> xr.DataArray:
    """The counts and the names alone: other coordinates are not the posterior's."""
    a = [str(s) for s in pairs[names.SYSTEM_A].values]
    b = [str(s) for s in pairs[names.SYSTEM_B].values]
    labels = (
        pairs[names.PAIR].values
        if names.PAIR in pairs.coords
        else [f"{x} vs {y}" for x, y in zip(a, b, strict=True)]
    )
    coords = {
        names.PAIR: [str(label) for label in labels],
        names.SYSTEM_A: (names.PAIR, a),
        names.SYSTEM_B: (names.PAIR, b),
        names.OUTCOME: [str(v) for v in pairs[names.OUTCOME].values],
    }
    return xr.DataArray(
        pairs.values.astype("int64"),
        dims=(names.PAIR, names.OUTCOME),
        coords=coords,
        attrs=pairs.attrs,
    )

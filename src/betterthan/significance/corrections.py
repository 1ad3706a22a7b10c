"""p-values of many pairs, corrected for how many there are."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.swaps import corrections

_ROUNDED = 1e-9


def adjust(p: xr.DataArray, *, correction: str = names.CORRECTION) -> xr.DataArray:
    """Adjust p-values for being many.

    Parameters
    ----------
    p : xarray.DataArray, dims (system_a, system_b) or any one dim
        NaN is no test. In a square the diagonal is no test either, and a pair whose two cells agree
        (to 1e-9 of their value, as rounding leaves them) is one hypothesis; if any two cells
        differ, the tests are one-sided and every cell is a hypothesis of its own.
    correction : {"holm", "bh", "none"}, default "holm"
        ``holm`` keeps the probability of any false rejection at the level, ``bh``
        (Benjamini-Hochberg) the expected share of false ones among the rejections; its guarantee is
        for independent or positively dependent tests, and pairs that share a system need not be.

    Returns
    -------
    xarray.DataArray
        Same dims; never below p. ``attrs`` tell the ``correction`` and the number of
        ``hypotheses``.

    Raises
    ------
    ValueError
        If the correction is unknown, p has other dims, or holds what is not a probability.

    References
    ----------
    S. Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70. Y. Benjamini and Y. Hochberg
    (1995), JRSS B 57(1), 289-300, doi:10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> import xarray as xr
    >>> adjust(xr.DataArray([0.01, 0.04, 0.03], dims="measure")).round(4).values.tolist()
    [0.03, 0.06, 0.06]
    """
    checks.one_of(correction, names.CORRECTIONS, "correction")
    result, hypotheses = adjusted(*_hypotheses(p), correction)
    return p.copy(data=result).assign_attrs(correction=correction, hypotheses=hypotheses)


def adjusted_square(p: np.ndarray, correction: str) -> xr.Variable:
    """`adjust` of a checked square of p-values."""
    result, hypotheses = adjusted(*_cells(p), correction)
    attrs = {"correction": correction, "hypotheses": hypotheses}
    return xr.Variable(names.SQUARE, result, attrs)


def adjusted(values: np.ndarray, cells: np.ndarray, correction: str) -> tuple[np.ndarray, int]:
    """Adjusted p-values, and the number of hypotheses: the cells that are one each."""
    family = values[cells]
    by = {"none": np.array, "holm": corrections.holm, "bh": corrections.benjamini_hochberg}[
        correction
    ]
    result = values.copy()
    result[cells] = by(family)
    if values.ndim == 2 and not cells[-1, 0]:  # only the upper triangle was adjusted
        result = np.where(np.tri(len(values), k=-1, dtype=bool), result.T, result)
    return result, int(np.count_nonzero(~np.isnan(family)))


def _hypotheses(p: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """p-values, and the cells that are a hypothesis each."""
    values = _numbers(p)
    if p.ndim == 1:
        return values, np.ones(values.shape, dtype=bool)
    if p.shape[0] != p.shape[1]:
        raise ValueError(
            f"p is {p.shape[0]} by {p.shape[1]} systems; give the same systems in both dims"
        )
    return _cells(values)


def _cells(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a square."""
    same = (values == values.T).all()  # as a rule; asked first, for it is far quicker
    if same or np.allclose(values, values.T, rtol=_ROUNDED, atol=0, equal_nan=True):
        return np.maximum(values, values.T), ~np.tri(len(values), dtype=bool)
    return values, ~np.eye(len(values), dtype=bool)


def _numbers(p: Any) -> np.ndarray:
    """p-values in one dim or a square; NaN is no test."""
    if not isinstance(p, xr.DataArray):
        raise ValueError(
            f"p is {type(p).__name__}; give a DataArray, such as the variable p_value of a test"
        )
    if p.ndim != 1 and set(p.dims) != set(names.SQUARE):
        dims = ", ".join(map(str, p.dims)) or "none"
        raise ValueError(
            f"p has dims {dims}; give (system_a, system_b) or one dim, and take one test at a time"
        )
    if p.dtype.kind != "f":
        return checks.p_values(p.values).copy()
    values = p.values.astype(float)
    checks.p_values(values[~np.isnan(values)])
    return values

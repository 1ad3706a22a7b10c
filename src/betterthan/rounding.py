"""What of numbers is rounding alone: scores that differ by it are equal.

Scores that were computed differ in their last digits, and those of 32 bits in the eighth: counted
as they are, one of two equal systems would win.
"""

import numpy as np

from betterthan import names

_FEW, _PROBED = 10, 100  # rows that are looked at first
_PLACES = 12  # decimals that a number of 32 bits is looked for with


def slack(values: np.ndarray, margin: float) -> float:
    """The margin plus rounding: a few units in the last place of the largest score."""
    # by its two ends: absolute values would be a copy of all
    high, low = np.nanmax(values, initial=0.0), np.nanmin(values, initial=0.0)
    largest = max(float(high), -float(low), margin)
    return margin + names.SCORE_ULPS * float(np.finfo(values.dtype).eps) * largest


def without_rounding(values: np.ndarray) -> np.ndarray:
    """Values (item, system) of which those of an item that differ by rounding alone are equal."""
    if not (values % 1).any():
        return values
    order, ascending, steps = in_order(values)
    lowest = np.maximum.accumulate(np.where(steps, ascending, -np.inf), axis=1)
    result = np.empty_like(values)
    np.put_along_axis(result, order, lowest, 1)
    return result


def in_order(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The order of each item's values (item, system), these in order, nan last, and which of them
    are more than the one before by more than rounding.
    """
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, 1)
    steps = np.diff(ascending, axis=1, prepend=-np.inf) > slack(values, 0.0)
    return order, ascending, steps | np.isnan(ascending)


def without_float_errors(values: np.ndarray) -> np.ndarray:
    """Scores (item, system), equal where they differ by rounding to 32 bits alone, also where they
    have since been written, or put next to others, in 64.
    """
    if is_short(values.dtype):  # of 16 bits a few units in the last place are a difference
        return in_decimals(values if values.dtype == np.float16 else without_rounding(values))
    if values.dtype.kind != "f":
        return values
    if not _fit_32_bits(values[:_FEW]).any():  # as good as always, of scores that are computed
        return values
    some = values[:: max(1, len(values) // _PROBED)]
    some, columns = some[:, fit := _fit_32_bits(some)], np.flatnonzero(fit)
    if not (some % 1 > 0).any():
        return values
    differ = ((in_decimals(some.astype(np.float32)) != some) & ~np.isnan(some)).any(0)
    short = [k for k in columns[differ] if _fit_32_bits(values[:, k])]  # others are decimals
    if not short:
        return values
    values = values.copy()
    values[:, short] = in_decimals(values[:, short].astype(np.float32))
    return values


def _fit_32_bits(values: np.ndarray) -> np.ndarray:
    """Whether 32 bits hold all numbers of a column."""
    with np.errstate(over="ignore"):
        return ((values.astype(np.float32) == values) | np.isnan(values)).all(0)


def is_short(dtype: np.dtype) -> bool:
    """Whether numbers are floats of 32 or 16 bits."""
    return dtype.kind == "f" and dtype.itemsize < 8


def in_decimals(values: np.ndarray) -> np.ndarray:
    """Floats of 32 or 16 bits as the shortest decimals that they stand for, in 64; others as they
    are.

    Examples
    --------
    >>> in_decimals(np.array([0.1, 0.25], np.float32)).tolist()
    [0.1, 0.25]
    """
    if values.dtype.kind == "O" and np.float32 in set(map(type, values.flat)):
        short = np.array([isinstance(x, np.float32) for x in values.flat]).reshape(values.shape)
        values = values.copy()
        values[short] = in_decimals(values[short].astype(np.float32))
    if not is_short(values.dtype):
        return values
    exact = decimals = values.astype(float)
    for places in range(_PLACES, -1, -1):
        rounded = exact.round(places)
        decimals = np.where(rounded.astype(values.dtype) == values, rounded, decimals)
    return decimals

"""Precision, recall and F as ratios of two whole sums, and differences of them compared without
rounding.

With x = tp and y = errors, a score is k x / (k x + y): precision has k = 1 and y = fp, recall k = 1
and y = fn, and F-beta with beta**2 = p / q has k = p + q and y = q fp + p fn (van Rijsbergen 1979,
Information Retrieval, ch. 7). A score of 0 / 0, where nothing was found and nothing was to be
found, is 0.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

_CLOSE = 1e-11  # relative gap below which floats do not decide and whole numbers do
_FLOAT64 = 2.0**53  # below this a float holds whole numbers
_DENOMINATOR_MAX = 1000  # of beta


@dataclass(frozen=True)
class Ratio:
    """Whole weights that make a score of tallies."""

    k: int
    fp: int
    fn: int


def ratio_of(statistic: str, beta: float = 1.0) -> Ratio:
    """The weights of precision, recall, f1, macro_f1 or f_beta.

    Raises
    ------
    ValueError
        If beta is not positive, or not a ratio of small whole numbers.
    """
    if statistic == "precision":
        return Ratio(1, 1, 0)
    if statistic == "recall":
        return Ratio(1, 0, 1)
    if statistic != "f_beta":
        return Ratio(2, 1, 1)
    if not (0 < beta < math.inf):
        raise ValueError(f"beta is {beta}; give a positive number")
    exact = Fraction(beta).limit_denominator(_DENOMINATOR_MAX)
    if abs(float(exact) - beta) > 1e-12 * beta:
        raise ValueError(
            f"beta is {beta}; give a ratio of whole numbers up to {_DENOMINATOR_MAX}, such as 0.5 "
            f"or 1.25"
        )
    square = exact**2
    return Ratio(square.numerator + square.denominator, square.denominator, square.numerator)


def sums_of(tallies: np.ndarray, ratio: Ratio) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) of tallies (..., tp fp fn), int64."""
    return tallies[..., 0], ratio.fp * tallies[..., 1] + ratio.fn * tallies[..., 2]


def score(x: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """K x / (k x + y), and 0 for 0 / 0."""
    return k * x / np.maximum(k * x + y, 1)


def gap(swapped: tuple[Any, ...], observed: tuple[Any, ...], k: int, two_sided: bool) -> np.ndarray:
    """A number with the exact sign of a swapped difference less the observed one.

    `swapped` and `observed` are (x, y) of A, then (x, y) of B, whole numbers of any dtype, and
    broadcast against each other; what is swapped adds up to what was observed. With `two_sided`
    both differences are taken without their signs.
    """
    cross, bottom = _cross(*swapped, k=k)
    reference, reference_bottom = _cross(*observed, k=k)
    if two_sided:
        cross, reference = np.abs(cross), np.abs(reference)
    if _room(observed, k) < _FLOAT64:
        return cross * reference_bottom - reference * bottom
    return _long_gap(swapped, observed, k, two_sided)


def macro_gap(
    swapped: tuple[Any, ...], observed: tuple[Any, ...], k: int, two_sided: bool
) -> np.ndarray:
    """As `gap`, for the mean score over labels, which are the first axis of every array."""
    delta, reference = _macro_difference(swapped, k), _macro_difference(observed, k)
    if two_sided:
        delta, reference = np.abs(delta), np.abs(reference)
    gaps = delta - reference
    close = np.abs(gaps) <= _CLOSE
    if close.any():
        labels = len(swapped[0])
        parts = [
            np.broadcast_to(v, (labels, *close.shape))[:, close] for v in (*swapped, *observed)
        ]
        rows = np.stack(parts, axis=-1).astype(np.int64).swapaxes(0, 1)
        distinct, back = np.unique(rows.reshape(len(rows), -1), axis=0, return_inverse=True)
        signs = [_macro_sign(row.reshape(labels, 8), k, two_sided) for row in distinct]
        gaps[close] = np.array(signs, dtype=float)[back.reshape(-1)]
    return gaps


def _cross(xa: Any, ya: Any, xb: Any, yb: Any, k: int) -> tuple[Any, Any]:
    """Numerator and denominator of the difference of two scores, over k."""
    bottom_a, bottom_b = np.maximum(k * xa + ya, 1), np.maximum(k * xb + yb, 1)
    return xa * bottom_b - xb * bottom_a, bottom_a * bottom_b


def _room(observed: tuple[Any, ...], k: int) -> float:
    """A bound on the products of `gap`: no system can get more than both have."""
    xa, ya, xb, yb = (float(v.max()) if v.size else 0.0 for v in map(np.asarray, observed))
    return (xa + xb) * max(k * (xa + xb) + ya + yb, 1) ** 3


def _long_gap(
    swapped: tuple[Any, ...], observed: tuple[Any, ...], k: int, two_sided: bool
) -> np.ndarray:
    """`gap` where products do not fit a float: floats decide, and Python's whole numbers where they
    are close.
    """
    cross, bottom = _cross(*(np.asarray(v, dtype=np.longdouble) for v in swapped), k=k)
    reference, reference_bottom = _cross(
        *(np.asarray(v, dtype=np.longdouble) for v in observed), k=k
    )
    if two_sided:
        cross, reference = np.abs(cross), np.abs(reference)
    left, right = cross * reference_bottom, reference * bottom
    gaps = np.asarray(left - right, dtype=float)
    # what cancels inside a cross product is rounded too
    size = _cross_size(swapped, k) * reference_bottom + _cross_size(observed, k) * bottom
    close = np.abs(left - right) <= _CLOSE * size
    parts = [np.broadcast_to(v, close.shape)[close].tolist() for v in (*swapped, *observed)]
    gaps[close] = [
        _exact_sign([int(v) for v in row], k, two_sided) for row in zip(*parts, strict=True)
    ]
    return gaps


def _cross_size(sums: tuple[Any, ...], k: int) -> Any:
    xa, ya, xb, yb = (np.asarray(v, dtype=float) for v in sums)
    return xa * np.maximum(k * xb + yb, 1) + xb * np.maximum(k * xa + ya, 1)


def _exact_sign(row: list[int], k: int, two_sided: bool) -> int:
    def difference(xa: int, ya: int, xb: int, yb: int) -> tuple[int, int]:
        bottom_a, bottom_b = max(k * xa + ya, 1), max(k * xb + yb, 1)
        top = xa * bottom_b - xb * bottom_a
        return (abs(top) if two_sided else top), bottom_a * bottom_b

    (top, bottom), (reference, reference_bottom) = difference(*row[:4]), difference(*row[4:])
    return _sign(top * reference_bottom - reference * bottom)


def _macro_difference(sums: tuple[Any, ...], k: int) -> np.ndarray:
    xa, ya, xb, yb = sums
    return (score(xa, ya, k) - score(xb, yb, k)).mean(0)


def _macro_sign(row: np.ndarray, k: int, two_sided: bool) -> int:
    """Sign of the gap of one row (label, 8): swapped, then observed, in fractions."""

    def total(part: np.ndarray) -> Fraction:
        return sum(
            (
                Fraction(k * x, max(k * x + y, 1)) - Fraction(k * u, max(k * u + v, 1))
                for x, y, u, v in part.tolist()
            ),
            Fraction(0),
        )

    swapped, observed = total(row[:, :4]), total(row[:, 4:])
    if two_sided:
        swapped, observed = abs(swapped), abs(observed)
    return _sign(swapped - observed)


def _sign(value: int | Fraction) -> int:
    return (value > 0) - (value < 0)

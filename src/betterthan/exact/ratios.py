"""Precision, recall and F as ratios of two whole sums, and differences of them compared without rounding.

With x = tp and y = errors, a score is k x / (k x + y): precision has k = 1 and y = fp, recall k = 1 and y = fn, and
F-beta with beta**2 = p / q has k = p + q and y = q fp + p fn (van Rijsbergen 1979, Information Retrieval, ch. 7).
A score of 0 / 0, where nothing was found and nothing was to be found, is 0.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

_CLOSE = 1e-11  # relative gap below which floats do not decide and whole numbers do
_INT64 = 2.0**62
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
        raise ValueError(f"beta is {beta}; give a ratio of whole numbers up to {_DENOMINATOR_MAX}, such as 0.5 or 1.25")
    square = exact**2
    return Ratio(square.numerator + square.denominator, square.denominator, square.numerator)


def sums_of(tallies: np.ndarray, ratio: Ratio) -> tuple[np.ndarray, np.ndarray]:
    """(x, y) of tallies (..., tp fp fn), int64."""
    return tallies[..., 0], ratio.fp * tallies[..., 1] + ratio.fn * tallies[..., 2]


def score(x: np.ndarray, y: np.ndarray, k: int) -> np.ndarray:
    """k x / (k x + y), and 0 for 0 / 0."""
    return k * x / np.maximum(k * x + y, 1)


def gap(
    swapped: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    observed: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    k: int,
    two_sided: bool,
) -> np.ndarray:
    """A number with the sign of a swapped difference less the observed one, exactly.

    `swapped` and `observed` are (x, y) of A, then (x, y) of B, int64, and broadcast against each other. With
    `two_sided` both differences are taken without their signs.
    """
    cross, bottom = _cross(*swapped, k)
    seen, seen_bottom = _cross(*observed, k)
    if two_sided:
        cross, seen = np.abs(cross), np.abs(seen)
    largest = float(np.max(np.abs(cross), initial=0)) * float(np.max(seen_bottom, initial=1))
    largest = max(largest, float(np.max(np.abs(seen), initial=0)) * float(np.max(bottom, initial=1)))
    if largest < _INT64:
        return cross * seen_bottom - seen * bottom
    left, right = cross * seen_bottom.astype(float), seen * bottom.astype(float)
    found = left - right
    close = np.abs(found) <= _CLOSE * np.maximum(np.abs(left), np.abs(right))
    found[close] = [  # few, and Python's whole numbers have no limit
        _sign(int(c) * int(sb) - int(s) * int(b))
        for c, sb, s, b in zip(
            *(np.broadcast_to(v, close.shape)[close] for v in (cross, seen_bottom, seen, bottom)), strict=True
        )
    ]
    return found


def macro_gap(swapped: np.ndarray, observed: np.ndarray, k: int, two_sided: bool) -> np.ndarray:
    """As `gap`, for the mean score over labels.

    `swapped` is (..., label, 4) with (x, y) of A, then of B, in the last axis; `observed` is (label, 4) or broadcasts.
    """
    delta, seen = _macro_difference(swapped, k), _macro_difference(observed, k)
    if two_sided:
        delta, seen = np.abs(delta), np.abs(seen)
    found = delta - seen
    close = np.abs(found) <= _CLOSE
    if close.any():
        rows = np.concatenate(np.broadcast_arrays(swapped, observed), axis=-1)[close]
        distinct, back = np.unique(rows.reshape(len(rows), -1), axis=0, return_inverse=True)
        labels = rows.shape[1]
        signs = [_macro_sign(row.reshape(labels, 8), k, two_sided) for row in distinct]
        found[close] = np.array(signs, dtype=float)[back.reshape(-1)]
    return found


def _cross(xa: np.ndarray, ya: np.ndarray, xb: np.ndarray, yb: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of the difference of two scores, over k."""
    bottom_a, bottom_b = np.maximum(k * xa + ya, 1), np.maximum(k * xb + yb, 1)
    return xa * bottom_b - xb * bottom_a, bottom_a * bottom_b


def _macro_difference(sums: np.ndarray, k: int) -> np.ndarray:
    xa, ya, xb, yb = np.moveaxis(sums, -1, 0)
    return (score(xa, ya, k) - score(xb, yb, k)).mean(-1)


def _macro_sign(row: np.ndarray, k: int, two_sided: bool) -> int:
    """Sign of the gap of one row (label, 8): swapped, then observed, in fractions."""

    def total(part: np.ndarray) -> Fraction:
        return sum(
            (Fraction(k * x, max(k * x + y, 1)) - Fraction(k * u, max(k * u + v, 1)) for x, y, u, v in part.tolist()),
            Fraction(0),
        )

    swapped, observed = total(row[:, :4]), total(row[:, 4:])
    if two_sided:
        swapped, observed = abs(swapped), abs(observed)
    return _sign(swapped - observed)


def _sign(value: int | Fraction) -> int:
    return (value > 0) - (value < 0)

"""Pairs of systems with the same parameters: each is computed once, and its tail interpolated.

The tail of d = theta_win - theta_loss near one end of an interval is smooth. A polynomial through
u = -ndtri(P(d > y)) and du/dy at two or three points within half a standard deviation has an error
below 1e-6, mostly far below. The last of its Chebyshev coefficients tells where it may not: there
the integral answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.polynomial import chebyshev
from scipy import special

from betterthan.exact.wins.inverse_laplace import beyond

_POINTS = 3  # of each interpolant; one fewer in a narrow window
_NARROW = 0.1  # half of the width of such a window, in standard deviations
_LAST = 3e-7  # largest coefficient of the highest degree: the error is far below
_MARGIN = 0.06  # of a standard deviation: how far an end may lie from where it is looked for
_LARGEST = 2**62  # of a code


class Distinct:
    """The pairs that differ in their parameters, turned so that A leads: each is computed once."""

    def __init__(self, a: np.ndarray, b: np.ndarray, t: np.ndarray) -> None:
        self.behind = np.asarray(a < b)
        columns = [np.maximum(a, b).ravel(), np.minimum(a, b).ravel()]
        columns.append(np.broadcast_to(t, self.behind.shape).ravel())
        code, size = np.zeros(self.behind.size, dtype=np.int64), 1
        for column in columns:
            place, number = _places(column)
            size *= number
            if size > _LARGEST:
                code = np.unique(code, return_inverse=True)[1]
                size = (int(code.max(initial=0)) + 1) * number
            code = code * number + place
        _, first, self.back = np.unique(code, return_index=True, return_inverse=True)
        self.parameters = [column[first] for column in columns]

    def at_work(self, work: Any, function: Callable[..., Any], outputs: int) -> list[np.ndarray]:
        """What a function returns of the distinct pairs, for each pair."""
        answers = work(function, *self.parameters, outputs=outputs)
        return [np.asarray(x)[self.back].reshape(self.behind.shape) for x in answers]

    def turned(self, ahead: np.ndarray, behind: np.ndarray) -> np.ndarray:
        """Of pairs where A leads, and of those where B does, whose difference is the negative."""
        return np.where(self.behind, behind, ahead)


def _places(column: np.ndarray) -> tuple[np.ndarray, int]:
    """A whole number of each value, and how many these are at most: counts differ by whole ones."""
    if column.size:
        steps, wide = column - column.min(), column.max() - column.min()
        if wide < column.size + 1000 and (steps == np.floor(steps)).all():
            return steps.astype(np.int64), int(wide) + 1
    values, place = np.unique(column, return_inverse=True)
    return place, max(len(values), 1)


@dataclass(frozen=True)
class Windows:
    """Interpolants of the tail of distinct pairs near both ends of their intervals; those of the
    upper ends come after those of the lower ones.
    """

    behind: np.ndarray  # (pair,): B leads, and the pair is that of its mirror image
    back: np.ndarray  # (pair,): place of the distinct pair
    centre: np.ndarray  # (window,)
    half: np.ndarray  # (window,): half of its width
    power: np.ndarray  # (degree + 1, window): coefficients, in halves from the centre
    valid: np.ndarray  # (window,)

    @classmethod
    def near(cls, ends: np.ndarray, distinct: Distinct, sd: np.ndarray) -> Self:
        """Around ends (2, pair) of pairs whose distinct ones have these standard deviations."""
        number, places = len(sd), distinct.back + np.array([[0], [len(sd)]])
        turned = np.where(distinct.behind, -ends[::-1], ends)
        low, high = np.full(2 * number, np.inf), np.full(2 * number, -np.inf)
        np.minimum.at(low, places, turned)
        np.maximum.at(high, places, turned)
        centre, half = (low + high) / 2, (high - low) / 2 + _MARGIN * np.tile(sd, 2)
        power, valid = np.zeros((2 * _POINTS, 2 * number)), np.zeros(2 * number, dtype=bool)
        narrow = half < _NARROW * np.tile(sd, 2)
        for points, windows in ((_POINTS - 1, narrow), (_POINTS, ~narrow)):
            some = np.flatnonzero(windows)
            a, b, t = (parameter[some % number] for parameter in distinct.parameters)
            parts = _interpolant(a, b, t, centre[some], half[some], points)
            power[: 2 * points, some], valid[some] = parts
        return cls(distinct.behind, distinct.back, centre, half, power, valid)

    def chart(self, pairs: np.ndarray, end: int, d: np.ndarray) -> tuple[np.ndarray, ...]:
        """u, du/dd and the slope of its log near the lower end, 0, or the upper; nan elsewhere."""
        behind, number = self.behind[pairs], len(self.centre) // 2
        sign = np.where(behind, -1.0, 1.0)
        window = self.back[pairs] + number * np.where(behind, 1 - end, end)
        half = self.half[window]
        s = (sign * d - self.centre[window]) / half
        power = self.power[:, window]
        u, first, second = power[-1].copy(), np.zeros(s.shape), np.zeros(s.shape)
        for coefficient in power[-2::-1]:
            second *= s
            second += first
            first *= s
            first += u
            u *= s
            u += coefficient
        inside = self.valid[window] & (np.abs(s) <= 1)
        u, bend = sign * u, sign * 2 * second / first / half
        return tuple(np.where(inside, x, np.nan) for x in (u, first / half, bend))


def _interpolant(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, centre: np.ndarray, half: np.ndarray, number: int
) -> tuple[np.ndarray, np.ndarray]:
    """Powers of u through so many points of each window, and whether these are enough."""
    points, to_coefficients, to_powers = _basis(number)
    y = (centre + half * points[:, None]).ravel()
    a, b, t = (np.tile(x, number) for x in (a, b, t))
    tail = beyond(a, b, t, y, parts=2, rough=True)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u = np.where(tail.converged, -special.ndtri(tail.mass), np.nan)
        steep = tail.density * np.sqrt(2 * np.pi) * np.exp(0.5 * u * u)
        data = np.stack([u, steep * np.tile(half, number)]).reshape(2 * number, -1)
        coefficients = to_coefficients @ data
        return to_powers @ coefficients, np.abs(coefficients[-1]) <= _LAST


@cache
def _basis(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """So many points between -1 and 1, what makes Chebyshev coefficients of values and slopes
    there, and powers of those.
    """
    degrees = np.eye(2 * number)
    points = np.cos(np.pi * (np.arange(number) + 0.5) / number)
    slopes = [chebyshev.chebval(points, chebyshev.chebder(k)) for k in degrees]
    values = [chebyshev.chebval(points, k) for k in degrees]
    to_coefficients = np.linalg.inv(np.concatenate([values, slopes], axis=1).T)
    to_powers = [np.resize(np.r_[chebyshev.cheb2poly(k), 0 * k], 2 * number) for k in degrees]
    return points, to_coefficients, np.stack(to_powers, axis=1)

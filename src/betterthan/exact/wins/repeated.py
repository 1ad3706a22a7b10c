"""Pairs of systems with the same parameters: each is computed once, and its tail interpolated.

The tail of d = theta_win - theta_loss near one end of an interval is smooth. A polynomial through
u = -ndtri(P(d > y)) and du/dy at four points within half a standard deviation has an error of about
1e-13. The last of its Chebyshev coefficients tells where it has not: there the integral answers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.polynomial import chebyshev

_Array = Any  # an array of floats
Chart = Callable[[_Array, _Array, _Array, _Array], tuple[_Array, _Array, _Array]]
_POINTS = 4  # of each interpolant
_LAST = 1e-11  # largest coefficient of the highest degree: the error is far below
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
    def near(cls, ends: np.ndarray, distinct: Distinct, sd: np.ndarray, chart: Chart) -> Self:
        """Around ends (2, pair) of pairs whose distinct ones have these standard deviations;
        `chart` is from a, b, t and points to u, du/dy and anything else.
        """
        number, places = len(sd), distinct.back + np.array([[0], [len(sd)]])
        turned = np.where(distinct.behind, -ends[::-1], ends)
        low, high = np.full(2 * number, np.inf), np.full(2 * number, -np.inf)
        np.minimum.at(low, places, turned)
        np.maximum.at(high, places, turned)
        centre, half = (low + high) / 2, (high - low) / 2 + _MARGIN * np.tile(sd, 2)
        points = np.cos(np.pi * (np.arange(_POINTS) + 0.5) / _POINTS)
        three = (np.tile(x, 2 * _POINTS) for x in distinct.parameters)
        u, steep, *_ = chart(*three, (centre + half * points[:, None]).ravel())
        data = np.concatenate([x.reshape(_POINTS, -1) for x in (u, steep)])
        data[_POINTS:] *= half
        coefficients = _interpolation(points) @ data
        valid = np.abs(coefficients[-1]) <= _LAST  # not of nan
        to_powers = np.stack([_powers(k) for k in range(2 * _POINTS)], axis=1)
        power = to_powers @ coefficients
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


def _interpolation(points: np.ndarray) -> np.ndarray:
    """From values and slopes at these points to coefficients of Chebyshev polynomials."""
    number = 2 * len(points)
    slopes = [
        chebyshev.chebval(points, chebyshev.chebder(np.eye(number)[k])) for k in range(number)
    ]
    return np.linalg.inv(
        np.concatenate([chebyshev.chebvander(points, number - 1), np.stack(slopes, 1)])
    )


def _powers(k: int) -> np.ndarray:
    """The Chebyshev polynomial of degree k, by its powers."""
    coefficients = chebyshev.cheb2poly(np.eye(2 * _POINTS)[k])
    return np.pad(coefficients, (0, 2 * _POINTS - len(coefficients)))

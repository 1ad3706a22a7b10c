"""Tails, density and slope of d = theta_win - theta_loss by an inverse Laplace transform.

Tails, density and slope of d = theta_win - theta_loss under Dirichlet(a, b, t), all three from
one integral along a line of the complex plane.

With independent Gamma variables G and their sum N, which does not depend on d, N (d - y) = (1 - y)
G_win - (1 + y) G_loss - y G_tie, whose cumulant function is K(u) = - sum of alpha log(1 - c u). So

    P(d > y)         = 1 / (2 pi i)       * integral of exp(K(u)) / u du,
    density at y     = (n - 1) / (2 pi i) * integral of exp(K(u)) du,
    its slope        = (n - 1) / (2 pi i) * integral of dK/dy exp(K(u)) du,      n = a + b + t,

along any vertical line right of 0 (Daniels 1954, Saddlepoint approximations in statistics, Annals
of Mathematical Statistics 25(4), 631-650, doi:10.1214/aoms/1177728652, for such a line). The one
just right of the saddle point, the root of a quadratic, has a smooth hump with no cancellation; the
trapezoid rule on it needs a dozen nodes. As in `numeric.quadrature`, the rule with every second
node left out tells the error; rows that do not settle are for `dirichlet` to answer.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

_Array = Any  # an array of floats


class Rule(NamedTuple):
    """Nodes of the line s + i width g with g = 4 sinh(x), x from 0; the other half is the mirror
    image.
    """

    steps: int
    size: float  # of a step
    bent: bool = False
    gap: float = 1.5e-6  # relative, to the rule of half the nodes: the error is about its square
    steady: float = 0.1  # likewise to the rule of a quarter of the nodes, against luck
    faded: float = 1e-13  # the last node, relative to the sum


# tried in turn by rows that have not settled
_SCHEDULE = (
    Rule(14, 0.11),
    Rule(24, 0.07),
    Rule(28, 0.08, bent=True, gap=1e-8),
    Rule(152, 0.05),
    Rule(152, 0.03, bent=True, gap=1e-8),
)
_ROUGH = Rule(9, 0.17, gap=1e-3, steady=0.5, faded=1e-10)  # tried before them
_SPREAD = 4.0
_AWAY = 2.2  # widths from the pole at 0, which sets how fast the rule converges
_LOG_ZERO = -690.0  # smaller masses are left to others
_TURN, _UNSEEN = 1.5, 1e-11  # phase from node to node, and what may lie where it is greater
_HELD = 15_000  # numbers (node, row) at once, which the processor's cache holds


class Tail(NamedTuple):
    """P(d > y), and the density of d at y and its slope; valid only where `converged`."""

    mass: _Array
    density: _Array
    slope: _Array
    converged: _Array


@np.errstate(under="ignore")  # what is far away is rightly 0
def beyond(
    a: _Array, b: _Array, t: _Array, y: _Array, parts: int = 3, *, rough: bool = False
) -> Tail:
    """P(d > y) for 1-d arrays of the same length, with density and slope as they are wanted.

    Parameters
    ----------
    a, b, t : numpy.ndarray
        Dirichlet parameters of win, loss and tie, at least 1 (others never settle).
    y : numpy.ndarray
        Between -1 and 1.
    parts : {1, 2, 3}, default 3
        What is wanted: the mass; density, too; slope, too.
    rough : bool, default False
        Whether a relative error of about 1e-6 is small enough, at most; it is mostly below 1e-7.

    Returns
    -------
    Tail
        Where `converged`, the mass has a relative error below 1e-10 up to parameters of 1e6.

    Examples
    --------
    >>> result = beyond(*(np.array([v]) for v in (40.0, 30.0, 30.0, 0.2)))
    >>> float(result.mass[0].round(9)), bool(result.converged[0])
    (0.113082765, True)
    """
    mirrored = y * (a + b + t) < a - b  # the other tail is the smaller one
    four = np.where(mirrored, b, a), np.where(mirrored, a, b), t, np.where(mirrored, -y, y)
    tail = Tail(*np.zeros((3, y.size)), converged=np.zeros(y.size, dtype=bool))
    rows = np.flatnonzero((np.minimum(np.minimum(a, b), t) >= 1) & (np.abs(y) < 1))
    for rule in (_ROUGH, *_SCHEDULE) if rough else _SCHEDULE:
        _put(tail, rows, four, rule, parts)
        rows = rows[~tail.converged[rows]]
    mass = np.where(mirrored, 1 - tail.mass, tail.mass)
    return tail._replace(mass=mass, slope=np.where(mirrored, -tail.slope, tail.slope))


def _put(tail: Tail, rows: _Array, four: tuple[_Array, ...], rule: Rule, parts: int) -> None:
    """Evaluate a rule at these rows, block by block, and store the results."""
    step = _HELD // (rule.steps + 1)
    for start in range(0, rows.size, step):
        block = rows[start : start + step]
        with np.errstate(all="ignore"):  # then it does not settle
            results = _along(Line.through(*(z[block] for z in four)), rule, parts)
        for full, some in zip(tail, results, strict=True):
            full[block] = some


@dataclass(frozen=True)
class Line:
    """The vertical lines of many rows."""

    weights: _Array  # alpha, (3, rows)
    slants: _Array  # c, (3, rows)
    s: _Array  # where the line crosses the real axis
    rests: _Array  # 1 - c s, (3, rows)

    @classmethod
    def through(cls, a: _Array, b: _Array, t: _Array, y: _Array) -> "Line":
        """Just right of the saddle point, off the pole at 0 and the branch point at 1 / (1 - y)."""
        weights, slants = np.stack([a, b, t]), np.stack([1 - y, -(1 + y), -y])
        saddle = np.maximum(tilt(a, b, t, y), 0.0)
        width = _width(weights, slants, 1 - slants * saddle)
        s = np.maximum(saddle / 2 + np.sqrt(saddle**2 / 4 + width**2), _AWAY * width)
        s = np.minimum(s, saddle + 0.7 * (1 / slants[0] - saddle))
        s = s.astype(np.float32).astype(float)  # so that 1 - c s has no error near the branch
        return cls(weights, slants, s, _complement(slants, s))

    @cached_property
    def width(self) -> _Array:
        """Of the hump along the line."""
        return _width(self.weights, self.slants, self.rests)

    @cached_property
    def log_height(self) -> _Array:
        """K at s."""
        x = self.slants * self.s
        with np.errstate(invalid="ignore", divide="ignore"):
            logs = np.where(np.abs(x) < 0.5, np.log1p(-x), np.log(self.rests))
        return -(self.weights * logs).sum(0)

    @cached_property
    def paces(self) -> _Array:
        """Of c (u - s) / (1 - c s) per width, (3, rows)."""
        return self.slants * self.width / self.rests

    @cached_property
    def bend(self) -> _Array:
        """Curvature of the steepest path at s: along it nothing turns as far as the third order."""
        return np.maximum((self.weights * self.paces * self.paces * self.paces).sum(0) / 3, 0.0)

    def wave(self, g: _Array, right: _Array) -> tuple[_Array, _Array]:
        """Size and phase of exp(K(u) - K(s)) at u = s + width (right + i g), (nodes, rows)."""
        size, turn = 0.0, 0.0
        for alpha, pace in zip(self.weights, self.paces, strict=True):
            back, r = pace * right, g * pace
            size = size + alpha * np.log1p(r * r + back * (back - 2))
            turn = turn + alpha * np.arctan2(r, 1 - back)
        return np.exp(-0.5 * size), turn

    def straight_wave(self, g: _Array) -> tuple[_Array, _Array]:
        """`wave` on the straight line, where `right` is 0."""
        size, turn = 0.0, 0.0
        for alpha, pace in zip(self.weights, self.paces, strict=True):
            r = g * pace
            size = size + alpha * np.log1p(r * r)
            turn = turn + alpha * np.arctan(r)
        return np.exp(-0.5 * size), turn

    def drift(self, g: _Array, right: _Array) -> tuple[_Array, _Array]:
        """dK/dy there: real and imaginary parts."""
        real, imaginary = 0.0, 0.0
        for alpha, pace, base in zip(self.weights, self.paces, self.rests, strict=True):
            forth, r = 1 - pace * right, g * pace
            part = (alpha / base) / (forth * forth + r * r)
            real = real + part * forth
            imaginary = imaginary + part * r
        w, real_part = g * self.width, self.s + right * self.width
        return w * imaginary - real_part * real, -real_part * imaginary - w * real


def tilt(a: _Array, b: _Array, t: _Array, y: _Array) -> _Array:
    """The saddle point: where K has its minimum."""
    up, down = 1 - y, 1 + y
    square = (a + b + t) * up * down * y
    linear = a * up * (1 + 2 * y) - b * down * (2 * y - 1) - 2 * t * y * y
    constant = a * up - b * down - t * y
    root = np.sqrt(np.maximum(linear * linear - 4 * square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        root_s = np.where(
            linear > 0, -2 * constant / (linear + root), (root - linear) / (2 * square)
        )
    return np.clip(np.nan_to_num(root_s), (1e-15 - 1) / down, (1 - 1e-15) / up)


def _along(line: Line, rule: Rule, parts: int) -> Tail:
    """The trapezoid rule on the line, or on the parabola that bends from it."""
    g, weights = _nodes(rule)
    bend = line.bend if rule.bent else np.zeros(1)
    right = bend * g * g
    height, turn = line.wave(g, right) if rule.bent else line.straight_wave(g)
    height *= weights
    half = np.tan(turn / 2)  # several times as fast as a cosine and a sine
    part = height / (1 + half * half)
    cos, sin = 2 * part - height, 2 * part * half
    if rule.bent:  # times the direction of the path
        cos, sin = cos + 2 * bend * g * sin, sin - 2 * bend * g * cos
    away = line.s / line.width + right
    terms = (away * cos + g * sin) / (away * away + g * g)
    total = terms.sum(0)
    converged = _converged(terms, total, rule) & _followed(height, turn, total)
    converged &= line.log_height > _LOG_ZERO
    top = np.exp(line.log_height) / np.pi
    tail = Tail(top * total, 0 * total, 0 * total, converged)
    if parts == 1:
        return tail
    flat = cos.sum(0)
    converged &= _converged(cos, flat, rule)
    scale = (line.weights.sum(0) - 1) * line.width * top
    slope = scale * _lean(line, g, right, cos, sin) if parts == 3 else 0 * total
    return Tail(tail.mass, scale * flat, slope, converged)


@cache
def _nodes(rule: Rule) -> tuple[_Array, _Array]:
    """Nodes g of the upper half and their weights, (nodes, 1)."""
    x = rule.size * np.arange(rule.steps + 1)[:, None]
    weights = rule.size * _SPREAD * np.cosh(x)
    weights[0] /= 2
    return _SPREAD * np.sinh(x), weights


def _lean(line: Line, g: _Array, right: _Array, cos: _Array, sin: _Array) -> _Array:
    """The integral of the slope, for which the rule of half the nodes is precise enough."""
    real, imaginary = line.drift(g[::2], right[::2])
    return 2 * (cos[::2] * real - sin[::2] * imaginary).sum(0)


def _converged(terms: _Array, total: _Array, rule: Rule) -> _Array:
    """Rows whose sum is the integral, by the rules of half and of a quarter of the nodes."""
    half, quarter = 2 * terms[::2].sum(0), 4 * terms[::4].sum(0)
    return (
        (np.abs(half - total) <= rule.gap * total)
        & (np.abs(quarter - total) <= rule.steady * total)
        & (np.abs(terms[-1]) <= rule.faded * total)
    )


def _followed(size: _Array, turn: _Array, total: _Array) -> _Array:
    """Rows whose nodes are close enough to follow the turns wherever these count."""
    lost = np.abs(turn[1:] - turn[:-1]) > _TURN
    return (size[1:] * lost).max(0) <= _UNSEEN * total


def _width(weights: _Array, slants: _Array, rests: _Array) -> _Array:
    """One over the root of the second derivative of K."""
    return 1 / np.sqrt((weights * (slants / rests) ** 2).sum(0))


def _complement(c: _Array, s: _Array) -> _Array:
    """1 - c s with no cancellation left, for an s of 24 bits."""
    short = c.astype(np.float32).astype(float)
    return (1 - short * s) - (c - short) * s

"""The trinomial test: wins minus losses when ties are an outcome of their own.

Under the null every item gives +1, -1 or 0 with probabilities q / 2, q / 2, 1 - q, and q is
estimated by the share of decisive items. Summing over the number of decisive items and the binomial
tail given it takes up to n terms; here the tail is the inverse of the generating function M(z) = (1
- q + q cosh z)**n along a line through the saddle point s: P(D >= d) = 1 / (2 pi) * integral of M(s
+ i u) exp(-d (s + i u)) / (1 - exp(-s - i u)) over -pi < u < pi, a periodic function whose
trapezoid rule is exact but for tails N steps away, so that some 200 points are enough for any n
(Daniels 1987, Tail probability approximations, International Statistical Review 55(1), 37-48,
doi:10.2307/1403269, for the contour).
"""

from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.exact.wins.halves import over_distinct, upper_tail

ITEMS_MAX = 1_000_000
_ROWS = 1_000  # at once, of at most some 200 numbers: 2 MB an array
_DIGITS = 40.0  # what is left out is below exp(-40) of the answer
_UNDERFLOW = 760.0  # exp(-760) is 0, also times the number of items
# standard deviations of the tilted law up to which its characteristic function is summed
_REACH = 14.0


def trinomial_p(wins: Any, losses: Any, ties: Any, alternative: str = "two-sided") -> np.ndarray:
    """P-value of the trinomial test, for paired data with ties.

    Parameters
    ----------
    wins, losses, ties : array_like of int
        Of system A; they broadcast. At most 1e6 items each.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        ``greater``: A is better, P(D >= wins - losses). ``two-sided``: P(abs(D) >= abs(wins -
        losses)).

    Returns
    -------
    numpy.ndarray
        1 where nothing was decisive; without ties the p of the sign test.

    Raises
    ------
    ValueError
        If a count is negative or fractional, there are more than 1e6 items, or the alternative is
        unknown.

    References
    ----------
    G. Bian, M. McAleer and W.-K. Wong (2011), A trinomial test for paired data when there are many
    ties, Mathematics and Computers in Simulation 81(6), 1153-1160,
    doi:10.1016/j.matcom.2010.11.002.

    Examples
    --------
    >>> float(trinomial_p(8, 1, 11, "greater").round(10))
    0.0145149903
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    w, l, t = np.broadcast_arrays(
        *(checks.nonnegative_integers(v, "counts") for v in (wins, losses, ties))
    )
    n, d = w + l + t, w - l
    if (n > ITEMS_MAX).any():
        raise ValueError(
            f"a pair has {n.max()} items; the trinomial test takes up to {ITEMS_MAX}, use "
            f"ties='drop'"
        )
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * trinomial_tail(np.abs(d), n, t))[()]
    return trinomial_tail(d if alternative == "greater" else -d, n, t)[()]


def trinomial_tail(d: np.ndarray, n: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """P(D >= d) of n items, each a tie with probability ties / n."""
    above = d > 0  # the upper half is computed, and the other is one minus it
    tail = over_distinct(_upper, _ROWS, np.where(above, d, 1 - d), n, ties)
    return np.where(above, tail, 1 - tail)


def _upper(d: np.ndarray, n: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """P(D >= d) for d >= 1."""
    tail = np.zeros(d.shape)
    all_tied, none_tied = n == ties, (ties == 0) & (d <= n)
    tail[none_tied] = upper_tail((n + d + 1)[none_tied] // 2, (n - d)[none_tied] // 2)
    rows = np.flatnonzero(~all_tied & ~none_tied & (d <= n - ties))
    if rows.size:
        tail[rows] = _inverted(
            d[rows].astype(float), n[rows].astype(float), ties[rows].astype(float)
        )
    return tail


def _inverted(d: np.ndarray, n: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The inverse transform for ties >= 1 and 1 <= d <= n - ties."""
    q, s, spread = _line(d, n, ties)
    level = s * d - n * np.log1p(2 * q * np.sinh(s / 2) ** 2)  # about minus the log of the answer
    tail = np.zeros(d.shape)
    live = level < _UNDERFLOW
    if live.any():
        tail[live] = _trapezoid(*(z[live, None] for z in (d, n, q, s, spread, level)))[:, 0]
    return tail


def _trapezoid(
    d: np.ndarray,
    n: np.ndarray,
    q: np.ndarray,
    s: np.ndarray,
    spread: np.ndarray,
    level: np.ndarray,
) -> np.ndarray:
    """The rule on the line, of as few steps as leave the neighbouring tails out of sight; all
    columns.
    """
    steps = 2 * np.ceil(np.maximum(12 * spread, (_DIGITS + np.maximum(level, 0)) / s) / 2 + 20)
    reach = np.minimum(np.ceil(_REACH * steps / (2 * np.pi * spread)), steps // 2)
    k = np.arange(int(reach.max()) + 1)
    inner = np.where(k <= reach, k, np.nan)
    # a second hump where few ties leave the parity of D nearly certain
    outer = steps / 2 - k
    outer = np.where((k <= reach) & (outer > reach), outer, np.nan)
    total = np.zeros(d.shape)
    for place in (inner, outer):
        weight = np.where((place == 0) | (place == steps / 2), 1.0, 2.0)
        height = _height(d, n, q, s, level, 2 * np.pi * place / steps)
        total += np.nansum(weight * height, axis=1, keepdims=True)
    return total / steps * np.exp(-level)


def _line(
    d: np.ndarray, n: np.ndarray, ties: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of decisive items, real part of the line, and standard deviation of D tilted there.

    The line runs through the saddle point, where the tilted mean is d, but keeps off the pole at 0.
    """
    q, t, r = (n - ties) / n, ties / n, d / n
    y = (r * t + np.sqrt((r * t) ** 2 + q * q * (1 - r) * (1 + r))) / (q * (1 - r))
    s = np.maximum(np.log(y), 1 / np.sqrt(n * q + 1))
    mass = t + q * np.cosh(s)
    mean = q * np.sinh(s) / mass
    return q, s, np.sqrt(n * (q * np.cosh(s) / mass - mean**2))


def _height(d: Any, n: Any, q: Any, s: Any, level: Any, u: np.ndarray) -> np.ndarray:
    """Real part of M(z) exp(-d z) / (1 - exp(-z)) at z = s + i u, times exp(level)."""
    sin, cos = np.sin(u / 2), np.cos(u / 2)
    a = 2 * q * ((np.sinh(s / 2) * cos) ** 2 - (np.cosh(s / 2) * sin) ** 2)  # M is (1 + a + i b)**n
    b = q * np.sinh(s) * np.sin(u)
    with np.errstate(divide="ignore"):
        size = 0.5 * n * np.log1p(np.maximum(a * (2 + a) + b * b, -1.0)) - s * d + level
    turn = n * np.arctan2(b, 1 + a) - d * u
    below = np.exp(-s)
    real, imaginary = -np.expm1(-s) + 2 * below * sin**2, below * np.sin(u)
    return (
        np.exp(size) * (np.cos(turn) * real + np.sin(turn) * imaginary) / (real**2 + imaginary**2)
    )

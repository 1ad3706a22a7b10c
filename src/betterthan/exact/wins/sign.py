"""The sign test on counts: exact, mid-p, and trinomial, accurate in the tail for any n.

Among n decisive items the wins are Bin(n, 1/2) under the null. P(X >= w) is the incomplete Beta
function, whose implementations lose digits for large n. Above 10,000 it is integrated here, on the
log odds of the Beta: P(X >= w) = w P(X = w) / 2 * integral of exp(-(w - (n + 1) / 2) t) /
cosh(t / 2)**(n + 1) over t > 0.

The trinomial test takes wins minus losses, with ties as an outcome. Under the null every item gives
+1, -1 or 0 with probabilities q / 2, q / 2, 1 - q, and q is estimated by the share of decisive
items. The tail is the inverse of the generating function M(z) = (1 - q + q cosh z)**n along a line
through the saddle point s: P(D >= d) = 1 / (2 pi) * integral of M(s + i u) exp(-d (s + i u)) /
(1 - exp(-s - i u)) over -pi < u < pi. The integrand is periodic, so the trapezoid rule is exact but
for tails N steps away, and some 200 points are enough for any n. The contour is that of Daniels
(1987), Tail probability approximations, International Statistical Review 55(1), 37-48,
doi:10.2307/1403269.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from betterthan import checks, names
from betterthan.exact.numeric.limits import fewest
from betterthan.exact.wins.beta import stirling

_BETAINC_MAX = 10_000  # up to here scipy's incomplete Beta is good to 1e-13; at 1e9 to 1e-10
_ROWS = 4_000  # integrals at once: 80 nodes each, some 3 MB an array
_TABLE = 8  # numbers a tuple, up to which a table of all that could be is faster than sorting
_FEW = 16  # pairs for which finding the distinct ones takes longer than it saves
# in widths of the integrand, which falls at least as fast as exp(-v)
_PANELS = (0.0, 4.0, 10.0, 20.0, 42.0)


def upper_tail(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for X ~ Bin(w + l, 1/2); 0 where l is -1 and 1 where w is -1."""
    flip = w <= l  # the smaller side is computed, and the other is one minus it
    p = over_distinct(_upper, _ROWS, np.where(flip, l + 1, w), np.where(flip, w - 1, l))
    return np.where(flip, 1 - p, p)


def exactly(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X = w) for X ~ Bin(w + l, 1/2): Loader's saddle point form, its deviance written free of
    cancellation.
    """
    n = (w + l).astype(float)
    none = (w == 0) | (l == 0)
    a, b = np.where(none, 1.0, w), np.where(none, 1.0, l)
    x = (a - b) / (a + b)
    deviance = 0.5 * (a + b) * (np.log1p(-x * x) + 2 * x * np.arctanh(x))
    correction = stirling(a) + stirling(b) - stirling(a + b)
    inside = np.sqrt((a + b) / (2 * np.pi * (a * b))) * np.exp(-deviance - correction)
    return np.where(none, np.exp2(-n), inside)


def over_distinct(
    function: Callable[..., np.ndarray], rows: int, *counts: np.ndarray
) -> np.ndarray:
    """`function` of 1-d arrays, called once for each distinct tuple of counts, so many rows at a
    time.
    """
    counts = tuple(np.broadcast_arrays(*counts))
    if counts[0].size <= _FEW:
        return function(*(c.ravel() for c in counts)).reshape(counts[0].shape)
    first, back = _distinct([c.ravel() for c in counts])
    distinct = [c.ravel()[first] for c in counts]
    blocks = range(0, len(first), rows)
    parts = [function(*(c[k : k + rows] for c in distinct)) for k in blocks]
    return np.concatenate(parts)[back].reshape(counts[0].shape)


def _distinct(counts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Index of the first of each distinct tuple of counts, and the inverse index of all tuples."""
    low = [int(c.min()) for c in counts]
    sizes = [int(c.max()) - least + 1 for c, least in zip(counts, low, strict=True)]
    cells = math.prod(sizes)
    if cells >= 2**63:
        rows = np.stack(counts)
        _, first, back = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        return first, back.ravel()
    key = np.zeros(counts[0].shape, dtype=np.int64)  # a tuple as one number
    for c, least, size in zip(counts, low, sizes, strict=True):
        key = key * size + (c - least)
    if cells > _TABLE * key.size:
        _, first, back = np.unique(key, return_index=True, return_inverse=True)
        return first, back
    place = np.full(cells, -1)
    place[key] = np.arange(key.size)
    present = np.flatnonzero(place >= 0)
    first = place[present]
    place[present] = np.arange(present.size)
    return first, place[key]


def _upper(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for w > l, 0 where l < 0."""
    p = np.where(l == 0, np.exp2(-w.astype(float)), 0.0)
    small, large = (l > 0) & (w + l <= _BETAINC_MAX), (l > 0) & (w + l > _BETAINC_MAX)
    p[small] = special.betainc(w[small], l[small] + 1.0, 0.5)
    if large.any():
        p[large] = _integrated(w[large], l[large])
    return p


def _integrated(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for w > l > 0, both large."""
    n = (w + l).astype(float)[:, None]
    slope = 0.5 * (w - l - 1)[:, None]
    width = 1 / (slope + 0.5 * np.sqrt(n + 1))
    x, weight = special.roots_legendre(20)
    edges = np.array(_PANELS)
    halves = 0.5 * np.diff(edges)[:, None]
    v, dv = (edges[:-1, None] + halves * (1 + x)).ravel(), (halves * weight).ravel()
    t = width * v
    log_cosh = np.log1p(2 * np.sinh(0.25 * t) ** 2)
    integral = (np.exp(-slope * t - (n + 1) * log_cosh) * dv).sum(-1) * width[:, 0]
    return 0.5 * w * exactly(w, l) * integral


ITEMS_MAX = 1_000_000
_TRINOMIAL_ROWS = 1_000  # at once, of at most some 200 numbers: 2 MB an array
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
    tail = over_distinct(_trinomial_upper, _TRINOMIAL_ROWS, np.where(above, d, 1 - d), n, ties)
    return np.where(above, tail, 1 - tail)


def _trinomial_upper(d: np.ndarray, n: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """P(D >= d) for d >= 1."""
    tail = np.zeros(d.shape)
    all_tied, none_tied = n == ties, (ties == 0) & (d <= n)
    tail[none_tied] = upper_tail((n + d + 1)[none_tied] // 2, (n - d)[none_tied] // 2)
    every = ~all_tied & ~none_tied & (d == n)
    tail[every] = ((n - ties)[every] / (2 * n[every])) ** n[every]
    rows = np.flatnonzero(~all_tied & ~none_tied & (d < n))
    if rows.size:
        tail[rows] = _inverted(
            d[rows].astype(float), n[rows].astype(float), ties[rows].astype(float)
        )
    return tail


def _inverted(d: np.ndarray, n: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """The inverse transform for ties >= 1 and 1 <= d < n."""
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


def sign_p(wins: Any, losses: Any, alternative: str = "two-sided") -> np.ndarray:
    """Exact p of the sign test: the binomial tail of the decisive items.

    Parameters
    ----------
    wins, losses : array_like of int
        Of system A; they broadcast.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        ``greater``: A is better, P(X >= wins). ``two-sided``: twice the smaller one-sided p, at
        most 1.

    Returns
    -------
    numpy.ndarray
        1 where nothing was decisive. Relative error below 1e-12 up to a count of 1e9, also in the
        tail.

    Raises
    ------
    ValueError
        If a count is negative or fractional, or the alternative unknown.

    References
    ----------
    S. Siegel and N. J. Castellan (1988), Nonparametric Statistics for the Behavioral Sciences,
    McGraw-Hill.

    Examples
    --------
    >>> float(sign_p(9, 1, "greater"))
    0.0107421875
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    w, l = _counted(wins, losses)
    if alternative != "two-sided":
        return (upper_tail(w, l) if alternative == "greater" else upper_tail(l, w))[()]
    return _sided(upper_tail(w, l), upper_tail(l, w), alternative)


def sign_mid_p(wins: Any, losses: Any, alternative: str = "two-sided") -> np.ndarray:
    """Mid-p of the sign test: outcomes as extreme as the observed one count half.

    Parameters
    ----------
    wins, losses, alternative
        See `sign_p`. ``greater`` is P(X > wins) + P(X = wins) / 2.

    Returns
    -------
    numpy.ndarray
        Where wins equal losses, also where both are 0: 1 if two-sided, 1/2 if one-sided.

    Raises
    ------
    ValueError
        As `sign_p`.

    References
    ----------
    H. O. Lancaster (1961), Significance tests in discrete distributions, JASA 56(294), 223-234,
    doi:10.1080/01621459.1961.10482105.

    Examples
    --------
    >>> float(sign_mid_p(9, 1, "greater"))
    0.005859375
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    w, l = _counted(wins, losses)
    half = np.where(w == l, 0.5, 0.5 * exactly(w, l))
    greater = np.where(w == l, 0.5, upper_tail(w + 1, l - 1) + half)
    less = np.where(w == l, 0.5, upper_tail(l + 1, w - 1) + half)
    return _sided(greater, less, alternative)


def settle_ties(wins: Any, losses: Any, ties: Any, policy: str) -> tuple[np.ndarray, np.ndarray]:
    """Wins and losses under a tie policy of `names.TIES`; ``half`` leaves out an odd tie."""
    checks.one_of(policy, names.TIES[:-1], "ties")
    w, l, t = _counted(wins, losses, ties)
    if policy == "half":
        return w + t // 2, l + t // 2
    return w + t * (policy == "to_a"), l + t * (policy == "to_b")


def smallest_p(
    decisive: Any, ties: Any, policy: str = "drop", alternative: str = "two-sided"
) -> np.ndarray:
    """The smallest p attainable with so many decisive and tied items: all decisive ones for one
    side.

    Parameters
    ----------
    decisive, ties : array_like of int
        Number of items; they broadcast.
    policy : {"third", "drop", "half", "to_a", "to_b"}, default "drop"
        What happens to the ties; ``third`` is the trinomial test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    ValueError
        As `sign_p`; or if the policy is unknown.

    Examples
    --------
    >>> float(smallest_p(5, 0)), float(smallest_p(5, 4, "half"))
    (0.0625, 0.1796875)
    """
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.one_of(policy, names.TIES[:-1], "ties")
    m, t = _counted(decisive, ties)
    if policy == "third":
        p = trinomial_tail(m, m + t, t)
        return np.minimum(1.0, p * (2.0 if alternative == "two-sided" else 1.0))[()]
    p = [sign_p(*settle_ties(*split, t, policy), alternative) for split in ((m, 0), (0, m))]
    return np.minimum(*p)


def decisive_needed(
    ties: Any, policy: str = "drop", alternative: str = "two-sided", alpha: float = names.ALPHA
) -> np.ndarray:
    """The smallest number of decisive items with which p <= alpha can be reached at all, the ties
    being as they are.

    Parameters
    ----------
    ties : array_like of int
    policy, alternative
        See `smallest_p`.
    alpha : float, default 0.05

    Returns
    -------
    numpy.ndarray of int64
        0 where the ties alone, given to one side, reach it.

    Raises
    ------
    ValueError
        As `smallest_p`, or if alpha is not between 0 and 1.

    Examples
    --------
    >>> int(decisive_needed(0)), int(decisive_needed(10, "half"))
    (6, 10)
    """
    alpha = checks.probability(alpha, "alpha")
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.one_of(policy, names.TIES[:-1], "ties")
    (t,) = _counted(ties)
    distinct, back = np.unique(t, return_inverse=True)
    needed = _fewest_decisive(tuple(distinct.tolist()), policy, alternative, alpha)
    return needed[back].reshape(t.shape)[()]


@lru_cache(maxsize=128)
def _fewest_decisive(
    ties: tuple[int, ...], policy: str, alternative: str, alpha: float
) -> np.ndarray:
    """`decisive_needed` of distinct ties; kept, as many tables have the same ties."""
    t = np.array(ties, dtype=np.int64)

    def reachable(m: np.ndarray) -> np.ndarray:
        return smallest_p(m.astype(np.int64), t, policy, alternative) <= alpha

    return fewest(reachable, np.zeros_like(t), np.zeros_like(t))[0].astype(np.int64)


def _counted(*values: Any) -> list[np.ndarray]:
    return list(np.broadcast_arrays(*(checks.nonnegative_integers(v, "counts") for v in values)))


def _sided(greater: np.ndarray, less: np.ndarray, alternative: str) -> np.ndarray:
    if alternative == "two-sided":
        return np.minimum(1.0, 2 * np.minimum(greater, less))[()]
    return (greater if alternative == "greater" else less)[()]

"""The Beta distribution on the scale of log odds, and the probability that one Beta variable
exceeds another.

On the log odds u = log(x / (1 - x)) the density of Beta(a, b) is one smooth hump for every a, b >
0, with its top at log(a / b); relative to the top it is exp(a t - (a + b) log(q + p e^t)), t = u -
log(a / b), p = a / (a + b).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import integrate, log_mix, panel_masses

# log of what is taken for 0, 1e-284: not far below, at 1e-290, scipy's incomplete Beta function
# loses digits, and at 1e-300 it is 0
LOG_ZERO = -655.0
_MILD = 5.0  # growth of log density per width up to which six points a panel are exact enough
_RAISED = 8.0  # parameters that make a tail thick are raised to this by recurrence


def prob_above_half(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """P(p > 1/2) for p ~ Beta(a, b), exact in the tail.

    Parameters
    ----------
    a, b : array_like of positive float
        They broadcast.

    Returns
    -------
    numpy.ndarray

    Examples
    --------
    >>> float(prob_above_half(13, 3))
    0.996307373046875
    """
    return special.betainc(b, a, 0.5)


def stirling(z: np.ndarray) -> np.ndarray:
    """What Stirling's formula leaves out of log Gamma: log Gamma(z) - (z - 1/2) log z + z - log(2
    pi) / 2.
    """
    z = np.asarray(z, dtype=float)
    small = z < 16
    w = 1 / np.where(small, 16.0, z)
    w2 = w * w
    series = w * (1 / 12 - w2 * (1 / 360 - w2 * (1 / 1260 - w2 * (1 / 1680 - w2 / 1188))))
    if not small.any():
        return series
    s = np.where(small, z, 1.0)
    direct = special.gammaln(s) - (s - 0.5) * np.log(s) + s - 0.5 * np.log(2 * np.pi)
    return np.where(small, direct, series)


def log_top(a: Any, b: Any) -> np.ndarray:
    """Logarithm of the density of log odds of Beta(a, b) at its top, log(a / b); free of
    cancellation.
    """
    n = a + b
    return 0.5 * (np.log(a) + np.log(b / n) - np.log(2 * np.pi)) - (
        stirling(a) + stirling(b) - stirling(n)
    )


def log_density_of_log_odds(a: Any, b: Any, u: np.ndarray) -> np.ndarray:
    """Logarithm of the density of u = log(x / (1 - x)), x ~ Beta(a, b)."""
    n = a + b
    t = u - np.log(a / b)
    return log_top(a, b) + a * t - n * log_mix(a / n, b / n, t)


def density(a: Any, b: Any, x: np.ndarray) -> np.ndarray:
    """Density of Beta(a, b) at x, between 0 and 1."""
    log_odds = np.log(x / (1 - x))
    return np.exp(log_density_of_log_odds(np.asarray(a), np.asarray(b), log_odds)) / (x * (1 - x))


def log_fall(a: Any, b: Any, u: np.ndarray) -> np.ndarray:
    """The same relative to its top."""
    n = a + b
    t = u - np.log(a / b)
    return a * t - n * log_mix(a / n, b / n, t)


def log_beta(a: Any, b: Any) -> np.ndarray:
    """Logarithm of the Beta function, without the cancellation of three log Gammas."""
    return -(a * np.log1p(b / a) + b * np.log1p(a / b)) - log_top(a, b)


def log_bayes_factor_half(
    wins: np.ndarray, losses: np.ndarray, a: float = 1.0, b: float = 1.0
) -> np.ndarray:
    """Log of BF01: p = 1/2 exactly, against p ~ Beta(a, b), given wins and losses."""
    n = wins + losses
    return log_beta(a, b) - log_beta(a + wins, b + losses) - n * np.log(2.0)


def odds_mass(a: Any, b: Any, w: Any, kind: str) -> np.ndarray:
    """P(L > w), P(L < w) or P(|L| < w) for the log odds L of Beta(a, b), w >= 0."""
    if kind == "beyond":
        return special.betainc(b, a, special.expit(-w))
    if kind == "below":
        return special.betaincc(b, a, special.expit(-w))
    return _odds_within(a, b, w)


def _odds_within(a: Any, b: Any, w: Any) -> np.ndarray:
    """P(|L| < w), a >= b: a difference of lower tails, or Gauss-Legendre where these would
    cancel.
    """
    below = special.expit(-w)
    result = special.betaincc(b, a, below) - special.betainc(a, b, below)
    narrow = np.abs(a - b) * w + (a + b) * w * w < 2
    if narrow.any():
        aa, bb = a[narrow], b[narrow]
        nodes = np.stack([-w[narrow], np.zeros_like(aa), w[narrow]], axis=-1)
        sums = panel_masses(
            lambda u: np.exp(log_density_of_log_odds(aa[:, None, None], bb[:, None, None], u)),
            nodes,
        )
        result[narrow] = sums.sum(-1)
    return result


def prob_greater(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """P(X > Y) for independent X ~ Beta(a, b) and Y ~ Beta(c, d).

    Parameters
    ----------
    a, b, c, d : array_like of positive float
        They broadcast.

    Returns
    -------
    numpy.ndarray
        Relative error below 1e-9 for parameters from 0.01 to 1e6, also where the probability is
        tiny.

    Raises
    ------
    ValueError
        If a parameter is not positive and finite.

    Notes
    -----
    One integral per pair, over the log odds of the narrower of the two; the side that is at most
    about a half is computed, and the other is one minus it. Parameters below 8 that would leave a
    thick tail are raised by the recurrences of [1]_, whose terms are all positive in the direction
    taken.

    References
    ----------
    .. [1] J. D. Cook, Exact calculation of beta inequalities, UT MD Anderson technical report
       UTMDABTR-005-05, 2005.

    Examples
    --------
    >>> float(prob_greater(211, 791, 201, 801).round(10))
    0.7099604608
    """
    arrays = np.broadcast_arrays(*(np.asarray(z, dtype=float) for z in (a, b, c, d)))
    shape = arrays[0].shape
    a, b, c, d = (z.ravel() for z in arrays)
    for z in (a, b, c, d):
        if not (np.isfinite(z) & (z > 0)).all():
            raise ValueError("every parameter of a Beta distribution must be positive and finite")
    flip = a * d > c * b  # X is the larger on average: compute P(Y > X)
    small = _smaller_beats_larger(*np.where(flip, [c, d, a, b], [a, b, c, d]))
    return np.where(flip, 1 - small, small).reshape(shape)[()]


def _smaller_beats_larger(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """P(X > Y) where X is on average the smaller; changes its arguments."""
    added = _raise(a, b, c, d)
    turn = c + d > a + b  # P(X > Y) = P(1 - Y > 1 - X): integrate over the narrower
    return added + _overlap(*np.where(turn, [d, c, b, a], [a, b, c, d]))


def _overlap(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Integral of the density of X times P(Y < x), over the log odds of x."""
    x, y = (a + c) / (a + b + c + d), (b + d) / (a + b + c + d)  # top of the product of densities
    centre = np.log(x / y)
    width = 0.75 / np.sqrt((a + b) * x * y)  # the product is narrower than the density of X
    live = log_fall(a, b, centre) + log_fall(c, d, centre) > LOG_ZERO  # Chernoff's bound
    mild = np.abs(c - (c + d) * x) * width < _MILD
    result = np.zeros(a.shape)
    for log_cdf, group in ((_log_cdf_by_panels, live & mild), (_log_cdf, live & ~mild)):
        rows = np.flatnonzero(group)
        four = a[rows], b[rows], c[rows], d[rows]
        product, careful = _log_product(*four, log_cdf), _log_product(*four, _log_cdf)
        with np.errstate(divide="ignore", under="ignore"):
            result[rows] = integrate(product, centre[rows], width[rows], careful)
    return result


def _log_product(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, log_cdf: Callable[..., np.ndarray]
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Log of the integrand of `_overlap`, as `integrate` wants it."""

    def product(u: np.ndarray, rows: np.ndarray) -> np.ndarray:
        aa, bb, cc, dd = (z[rows, None] for z in (a, b, c, d))
        return log_density_of_log_odds(aa, bb, u) + log_cdf(cc, dd, u)

    return product


def _log_cdf(c: np.ndarray, d: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Log of P(Y < x) at log odds u, Y ~ Beta(c, d)."""
    return np.log(special.betainc(c, d, special.expit(u)))


def _log_cdf_by_panels(c: np.ndarray, d: np.ndarray, u: np.ndarray) -> np.ndarray:
    """The same by adding up the mass between nodes, ascending in a row."""
    top = log_top(c, d)

    def density(v: np.ndarray) -> np.ndarray:
        return np.exp(log_fall(c[..., None], d[..., None], v))

    start = special.betainc(c, d, special.expit(u[:, :1])) / np.exp(top)
    masses = np.concatenate([start, panel_masses(density, u)], axis=1)
    return np.log(masses.cumsum(1)) + top


def _raise(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Raise b and c to at least 8 in place; return what the recurrences P(b) = P(b + 1) + h / b
    add.
    """
    added = np.zeros(a.shape)
    for z, other, partner in ((b, a, d), (c, d, a)):
        low = np.flatnonzero(z < _RAISED)
        h = np.exp(_log_both(a[low], b[low], c[low], d[low]))
        while low.size:
            added[low] += h / z[low]
            total = a[low] + b[low] + c[low] + d[low]
            h = h * (z[low] + partner[low]) * (z[low] + other[low]) / (total * z[low])
            z[low] += 1
            keep = z[low] < _RAISED
            low, h = low[keep], h[keep]
    return added


def _log_both(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Log of h of [1]: B(a + c, b + d) / (B(a, b) B(c, d))."""
    return log_beta(a + c, b + d) - log_beta(a, b) - log_beta(c, d)

"""The Beta distribution on the scale of log odds, and the probability that one Beta variable
exceeds another.

On the log odds u = log(x / (1 - x)) the density of Beta(a, b) is one smooth hump for every a, b >
0, with its top at log(a / b); relative to the top it is exp(a t - (a + b) log(q + p e^t)), t = u -
log(a / b), p = a / (a + b).
"""

from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import integrate, log_mix, panel_masses

# log of what is taken for 0, 1e-260: not far below, the incomplete Beta function underflows
LOG_ZERO = -600.0
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


def log_density_of_log_odds(a: np.ndarray, b: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Logarithm of the density of u = log(x / (1 - x)), x ~ Beta(a, b)."""
    n = a + b
    t = u - np.log(a / b)
    return log_top(a, b) + a * t - n * log_mix(a / n, b / n, t)


def log_beta(a: Any, b: Any) -> np.ndarray:
    """Logarithm of the Beta function, without the cancellation of three log Gammas."""
    return -(a * np.log1p(b / a) + b * np.log1p(a / b)) - log_top(a, b)


def log_bayes_factor_half(
    wins: np.ndarray, losses: np.ndarray, a: float = 1.0, b: float = 1.0
) -> np.ndarray:
    """Log of BF01: p = 1/2 exactly, against p ~ Beta(a, b), given wins and losses."""
    n = wins + losses
    return log_beta(a, b) - log_beta(a + wins, b + losses) - n * np.log(2.0)


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
    .. [1] J. D. Cook, Exact calculation of beta inequalities, UT MD Anderson technical report UTMDABTR-005-05, 2005.

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
    a, b, c, d = (
        np.where(flip, c, a),
        np.where(flip, d, b),
        np.where(flip, a, c),
        np.where(flip, b, d),
    )
    small = _prob_greater_small(a.copy(), b.copy(), c.copy(), d.copy())
    return np.where(flip, 1 - small, small).reshape(shape)[()]


def _prob_greater_small(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """P(X > Y) where X is on average the smaller; changes its arguments."""
    head = _raise(a, b, c, d)
    turn = c + d > a + b  # P(X > Y) = P(1 - Y > 1 - X): integrate over the narrower
    a, b, c, d = (
        np.where(turn, d, a),
        np.where(turn, c, b),
        np.where(turn, b, c),
        np.where(turn, a, d),
    )
    x = (a + c) / (a + b + c + d)  # top of the product of the two densities
    y = (b + d) / (a + b + c + d)
    centre = np.log(x / y)
    width = 0.75 / np.sqrt((a + b) * x * y)  # the product is narrower than the density
    mode_x, mode_y = np.log(a / b), np.log(c / d)
    n_x, n_y = a + b, c + d
    p_x, q_x, p_y, q_y = a / n_x, b / n_x, c / n_y, d / n_y
    top_x, top_y = log_top(a, b), log_top(c, d)
    base_y = c * (centre - mode_y) - n_y * log_mix(p_y, q_y, centre - mode_y)
    bound = a * (centre - mode_x) - n_x * log_mix(p_x, q_x, centre - mode_x) + base_y  # Chernoff
    live = bound > LOG_ZERO
    mild = np.abs(c - n_y * x) * width < _MILD

    def log_cdf_by_panels(u: np.ndarray, r: np.ndarray) -> np.ndarray:
        cc, nn, pp, qq, mode = (z[r, None, None] for z in (c, n_y, p_y, q_y, mode_y))

        def density(z: np.ndarray) -> np.ndarray:
            t = z - mode
            return np.exp(cc * t - nn * log_mix(pp, qq, t))

        start = special.betainc(c[r], d[r], special.expit(u[:, 0])) / np.exp(top_y[r])
        masses = np.concatenate([start[:, None], panel_masses(density, u)], axis=1)
        return np.log(masses.cumsum(1)) + top_y[r, None]

    def log_density_x(u: np.ndarray, k: np.ndarray) -> np.ndarray:
        t = u - mode_x[k]
        return top_x[k] + a[k] * t - n_x[k] * log_mix(p_x[k], q_x[k], t)

    def by_panels(u: np.ndarray, r: np.ndarray) -> np.ndarray:
        return log_density_x(u, r[:, None]) + log_cdf_by_panels(u, r)

    def by_tails(u: np.ndarray, r: np.ndarray) -> np.ndarray:
        k = r[:, None]
        return log_density_x(u, k) + np.log(special.betainc(c[k], d[k], special.expit(u)))

    with np.errstate(divide="ignore", under="ignore"):
        for kernel, group in (
            (by_panels, np.flatnonzero(live & mild)),
            (by_tails, np.flatnonzero(live & ~mild)),
        ):
            head[group] += integrate(
                lambda u, r, f=kernel, g=group: f(u, g[r]),
                centre[group],
                width[group],
                lambda u, r, g=group: by_tails(u, g[r]),
            )
    return head


def _raise(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Raise b and c to at least 8 in place; return what the recurrences P(b) = P(b + 1) + h / b
    add.
    """
    head = np.zeros(a.shape)
    for z, other, partner in ((b, a, d), (c, d, a)):
        low = np.flatnonzero(z < _RAISED)
        if not low.size:
            continue
        first, second, third, fourth = a[low], b[low], c[low], d[low]
        log_h = (
            log_beta(first + third, second + fourth)
            - log_beta(first, second)
            - log_beta(third, fourth)
        )
        h = np.exp(log_h)
        while low.size:
            head[low] += h / z[low]
            total = a[low] + b[low] + c[low] + d[low]
            h = h * (z[low] + partner[low]) * (z[low] + other[low]) / (total * z[low])
            z[low] += 1
            keep = z[low] < _RAISED
            low, h = low[keep], h[keep]
    return head

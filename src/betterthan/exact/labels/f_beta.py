"""The exact posterior of F-beta of one system, for any beta.

With (tp, fp, fn) shares Dirichlet(a1, a2, a3), t = tp share ~ Beta(a1, a2 + a3) and u = fn / (fp +
fn) ~ Beta(a3, a2) are independent, and F = (1 + b^2) t / ((1 + b^2) t + (b^2 u + 1 - u) (1 - t)).
Given u, F rises with t, so every probability is a mean over u of an incomplete beta function: one
Gauss-Jacobi sum.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy import linalg, special

from betterthan.exact.labels import f_scores

_NODES = 80


@lru_cache(maxsize=32)  # an interval asks for the same ones some hundred times
def nodes(a: float, b: float, count: int = _NODES) -> tuple[np.ndarray, np.ndarray]:
    """Gauss nodes and weights for the mean under Beta(a, b): exact for polynomials (Golub & Welsch
    1969).
    """
    k = np.arange(count)
    s = a + b
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = 0.5 * (1 + (a - b) * (s - 2) / ((2 * k + s - 2) * (2 * k + s)))
        square = (
            k
            * (k + a - 1)
            * (k + b - 1)
            * (k + s - 2)
            / ((2 * k + s - 1) * (2 * k + s - 2) ** 2 * (2 * k + s - 3))
        )
    middle[0] = a / s
    if count > 1:
        square[1] = a * b / (s**2 * (s + 1))
    x, vectors = linalg.eigh_tridiagonal(middle, np.sqrt(square[1:]))
    return np.clip(x, 0.0, 1.0), vectors[0] ** 2


def above(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """P(F > x) for values x, given Dirichlet parameters (tp, fp, fn)."""
    u, weight = nodes(alpha[2], alpha[1])
    return (
        special.betaincc(alpha[0], alpha[1] + alpha[2], _share(beta, u, np.asarray(x)[..., None]))
        @ weight
    )


def below(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """P(F <= x), from the lower tail."""
    u, weight = nodes(alpha[2], alpha[1])
    return (
        special.betainc(alpha[0], alpha[1] + alpha[2], _share(beta, u, np.asarray(x)[..., None]))
        @ weight
    )


def density(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """Density of F, for 0 < x < 1."""
    u, weight = nodes(alpha[2], alpha[1])
    x = np.asarray(x, dtype=float)[..., None]
    a, b = alpha[0], alpha[1] + alpha[2]
    t = _share(beta, u, x)
    c = (beta**2 * u + 1 - u) / (1 + beta**2)
    slope = c / (1 - x + c * x) ** 2
    log = (a - 1) * np.log(t) + (b - 1) * np.log1p(-t) - special.betaln(a, b)
    return (np.exp(log) * slope) @ weight


def mean(alpha: np.ndarray, beta: float) -> float:
    """Posterior mean: a sum over both independent parts."""
    u, wu = nodes(alpha[2], alpha[1])
    t, wt = nodes(alpha[0], alpha[1] + alpha[2])
    c = (beta**2 * u + 1 - u)[:, None]
    top = (1 + beta**2) * t
    return float(wu @ (top / (top + c * (1 - t))) @ wt)


def quantile(alpha: np.ndarray, beta: float, prob: float) -> float:
    """Posterior quantile."""
    if prob <= 0 or prob >= 1:
        return float(prob > 0)

    def gap(x: float) -> float:
        if prob < 0.5:
            return float(below(alpha, beta, np.array(x))) - prob
        return (1 - prob) - float(above(alpha, beta, np.array(x)))

    from scipy import optimize  # slow to import

    root: Any = optimize.brentq(gap, 0.0, 1.0, xtol=1e-13)
    return float(root)


def interval(alpha: np.ndarray, beta: float, prob: float, kind: str) -> tuple[float, float]:
    """Bounds of the equal-tailed or of the narrowest interval."""

    def limits(left: float) -> tuple[float, float]:
        return quantile(alpha, beta, left), quantile(alpha, beta, min(left + prob, 1.0))

    if kind == "eti":
        return limits((1 - prob) / 2)
    from scipy import optimize  # slow to import

    optimum: Any = optimize.minimize_scalar(
        lambda left: np.diff(limits(left))[0],
        bounds=(0.0, 1 - prob),
        method="bounded",
        options={"xatol": 1e-8},
    )
    return min(
        (limits(left) for left in (0.0, 1 - prob, float(optimum.x))), key=lambda e: e[1] - e[0]
    )


def summary(
    alpha: np.ndarray, statistic: str, beta: float, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Posterior mean and ends of the interval of precision, recall, f1 or f_beta, of Dirichlet
    parameters (..., tp fp fn).
    """
    if statistic != "f_beta":
        a, b = f_scores.beta_parameters(alpha, statistic, (0.0, 0.0, 0.0))
        return f_scores.mean(a, b, statistic), *f_scores.interval(a, b, statistic, prob, kind)
    center, low, high = (np.empty(alpha.shape[:-1]) for _ in range(3))
    for index in np.ndindex(center.shape):
        center[index] = mean(alpha[index], beta)
        low[index], high[index] = interval(alpha[index], beta, prob, kind)
    return center, low, high


def _share(beta: float, u: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The share of true positives at which F is x, given u."""
    c = (beta**2 * u + 1 - u) / (1 + beta**2)
    return c * x / (1 - x + c * x)

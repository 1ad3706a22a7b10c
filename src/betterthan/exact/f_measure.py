"""The exact posterior of precision, recall, F1 and F-beta of one system.

Counts of tp, fp and fn with a Dirichlet prior make tp / (tp + fp), tp / (tp + fn) and t = tp / (tp
+ fp + fn) Betas (Goutte & Gaussier 2005, ECIR, for precision and recall). F1 = 2t / (1 + t) rises
with t, so its quantiles are those of t.

For any other beta, with (tp, fp, fn) shares Dirichlet(a1, a2, a3), t = tp share ~ Beta(a1, a2 + a3)
and u = fn / (fp + fn) ~ Beta(a3, a2) are independent, and F = (1 + b^2) t / ((1 + b^2) t + (b^2 u +
1 - u) (1 - t)). Given u, F rises with t, so every probability is a mean over u of an incomplete
beta function: one Gauss-Jacobi sum.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy import linalg, special

# of tp, fp and fn: uniform for the Beta behind each score. A wrong item is an fp or an fn, so that
# all ones would put twice as many wrong items as right ones into F
PRIOR = {
    "precision": (1.0, 1.0, 1.0),
    "recall": (1.0, 1.0, 1.0),
    "f1": (1.0, 0.5, 0.5),
    "f_beta": (1.0, 0.5, 0.5),
}

_TERMS = 60  # of a series whose terms at least halve


def beta_parameters(
    tallies: np.ndarray, statistic: str, prior: tuple[float, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters of the Beta behind precision, recall or f1, from tallies (..., tp fp fn)."""
    tp, fp, fn = np.moveaxis(tallies + np.asarray(prior), -1, 0)
    return tp, {"precision": fp, "recall": fn, "f1": fp + fn}[statistic]


def mean(a: np.ndarray, b: np.ndarray, statistic: str) -> np.ndarray:
    """Posterior mean. Of F1, E[2t / (1 + t)] = a / (a + b) * sum over k of (b)_k / (a + b + 1)_k /
    2**k.
    """
    if statistic != "f1":
        return a / (a + b)
    total, term = np.zeros(np.shape(a)), np.ones(np.shape(a))
    for k in range(_TERMS):
        total = total + term
        term = term * (b + k) / (a + b + 1 + k) / 2
    return a / (a + b) * total


def quantile(a: np.ndarray, b: np.ndarray, statistic: str, prob: float | np.ndarray) -> np.ndarray:
    """Posterior quantile."""
    t = special.betaincinv(a, b, prob)
    return 2 * t / (1 + t) if statistic == "f1" else t


def interval(
    a: np.ndarray, b: np.ndarray, statistic: str, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed or of the narrowest interval, from how much mass is left below
    it.
    """
    left = np.full(np.shape(a), (1 - prob) / 2)
    if kind == "hdi":
        for index in np.ndindex(np.shape(a)):
            limit = partial(quantile, a[index], b[index], statistic)
            left[index] = _narrowest(limit, prob, 1e-10)
    return quantile(a, b, statistic, left), quantile(a, b, statistic, np.minimum(left + prob, 1.0))


def _narrowest(limit: Callable[[float], Any], prob: float, tolerance: float) -> float:
    """How much mass is left below the narrowest interval, from the limit below which a mass is."""
    from scipy import optimize  # slow to import

    def width(left: float) -> float:
        return limit(min(left + prob, 1.0)) - limit(left)

    optimum: Any = optimize.minimize_scalar(
        width, bounds=(0.0, 1 - prob), method="bounded", options={"xatol": tolerance}
    )
    # a posterior that only falls or rises leaves nothing on one side
    return min((0.0, 1 - prob, float(optimum.x)), key=width)


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


def f_beta_above(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """P(F > x) for values x, given Dirichlet parameters (tp, fp, fn)."""
    return _f_beta_tail(special.betaincc, alpha, beta, x)


def f_beta_below(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """P(F <= x), from the lower tail."""
    return _f_beta_tail(special.betainc, alpha, beta, x)


def _f_beta_tail(
    mass: Callable[..., np.ndarray], alpha: np.ndarray, beta: float, x: np.ndarray
) -> np.ndarray:
    """A tail of F, from that of the share of true positives."""
    u, weight = nodes(alpha[2], alpha[1])
    share = _f_beta_share(beta, u, np.asarray(x)[..., None])
    return mass(alpha[0], alpha[1] + alpha[2], share) @ weight


def f_beta_density(alpha: np.ndarray, beta: float, x: np.ndarray) -> np.ndarray:
    """Density of F, for 0 < x < 1."""
    u, weight = nodes(alpha[2], alpha[1])
    x = np.asarray(x, dtype=float)[..., None]
    a, b = alpha[0], alpha[1] + alpha[2]
    t = _f_beta_share(beta, u, x)
    c = (beta**2 * u + 1 - u) / (1 + beta**2)
    slope = c / (1 - x + c * x) ** 2
    log = (a - 1) * np.log(t) + (b - 1) * np.log1p(-t) - special.betaln(a, b)
    return (np.exp(log) * slope) @ weight


def f_beta_mean(alpha: np.ndarray, beta: float) -> float:
    """Posterior mean: a sum over both independent parts."""
    u, wu = nodes(alpha[2], alpha[1])
    t, wt = nodes(alpha[0], alpha[1] + alpha[2])
    c = (beta**2 * u + 1 - u)[:, None]
    top = (1 + beta**2) * t
    return float(wu @ (top / (top + c * (1 - t))) @ wt)


def f_beta_quantile(alpha: np.ndarray, beta: float, prob: float) -> float:
    """Posterior quantile."""
    if prob <= 0 or prob >= 1:
        return float(prob > 0)

    def gap(x: float) -> float:
        if prob < 0.5:
            return float(f_beta_below(alpha, beta, np.array(x))) - prob
        return (1 - prob) - float(f_beta_above(alpha, beta, np.array(x)))

    from scipy import optimize  # slow to import

    root: Any = optimize.brentq(gap, 0.0, 1.0, xtol=1e-13)
    return float(root)


def f_beta_interval(alpha: np.ndarray, beta: float, prob: float, kind: str) -> tuple[float, float]:
    """Bounds of the equal-tailed or of the narrowest interval."""
    limit, left = partial(f_beta_quantile, alpha, beta), (1 - prob) / 2
    if kind == "hdi":
        left = _narrowest(limit, prob, 1e-8)
    return limit(left), limit(min(left + prob, 1.0))


def summary(
    alpha: np.ndarray, statistic: str, beta: float, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Posterior mean and ends of the interval of precision, recall, f1 or f_beta, of Dirichlet
    parameters (..., tp fp fn).
    """
    if statistic != "f_beta":
        a, b = beta_parameters(alpha, statistic, (0.0, 0.0, 0.0))
        return mean(a, b, statistic), *interval(a, b, statistic, prob, kind)
    center, low, high = (np.empty(alpha.shape[:-1]) for _ in range(3))
    for index in np.ndindex(center.shape):
        center[index] = f_beta_mean(alpha[index], beta)
        low[index], high[index] = f_beta_interval(alpha[index], beta, prob, kind)
    return center, low, high


def _f_beta_share(beta: float, u: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The share of true positives at which F is x, given u."""
    c = (beta**2 * u + 1 - u) / (1 + beta**2)
    return c * x / (1 - x + c * x)

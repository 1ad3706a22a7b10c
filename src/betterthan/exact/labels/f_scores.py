"""The exact posterior of precision, recall and F1 of one system.

Counts of tp, fp and fn with a Dirichlet prior make tp / (tp + fp), tp / (tp + fn) and t = tp / (tp
+ fp + fn) Betas (Goutte & Gaussier 2005, ECIR, for precision and recall). F1 = 2t / (1 + t) rises
with t, so its quantiles are those of t.
"""

from typing import Any

import numpy as np
from scipy import special

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


def above(a: np.ndarray, b: np.ndarray, statistic: str, value: float) -> np.ndarray:
    """P(score > value), from the upper tail."""
    t = value / (2 - value) if statistic == "f1" else value
    return special.betaincc(a, b, t)


def interval(
    a: np.ndarray, b: np.ndarray, statistic: str, prob: float, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the equal-tailed or of the narrowest interval, from how much mass is left below
    it.
    """
    left = np.full(np.shape(a), (1 - prob) / 2)
    if kind == "hdi":
        for index in np.ndindex(np.shape(a)):
            left[index] = _narrowest(float(a[index]), float(b[index]), statistic, prob)
    return quantile(a, b, statistic, left), quantile(a, b, statistic, np.minimum(left + prob, 1.0))


def _narrowest(a: float, b: float, statistic: str, prob: float) -> float:
    def width(left: float) -> float:
        low, high = quantile(
            np.array(a), np.array(b), statistic, np.array([left, min(left + prob, 1.0)])
        )
        return high - low

    from scipy import optimize  # slow to import

    optimum: Any = optimize.minimize_scalar(
        width, bounds=(0.0, 1 - prob), method="bounded", options={"xatol": 1e-10}
    )
    # a posterior that only falls or rises leaves nothing on one side
    candidates = [0.0, 1 - prob, float(optimum.x)]
    return min(candidates, key=width)

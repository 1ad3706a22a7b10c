"""Log densities of priors at draws, (draw, ...), as PyMC has them; without PyMC."""

from typing import Any

import numpy as np
from scipy import special

_LOG_ROOT = np.log(2 * np.pi) / 2


def normal(x: np.ndarray, mean: Any, sd: Any) -> np.ndarray:
    """Of a normal variable."""
    return -(((x - mean) / sd) ** 2) / 2 - np.log(sd) - _LOG_ROOT


def half_normal(x: np.ndarray, sd: float) -> np.ndarray:
    """Of the size of a normal variable around 0."""
    return normal(x, 0.0, sd) + np.log(2)


def log_normal(x: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Of a variable whose logarithm is normal."""
    return normal(np.log(x), mean, sd) - np.log(x)


def gamma(x: np.ndarray, shape: float, rate: float) -> np.ndarray:
    """Of a gamma variable."""
    constant = shape * np.log(rate) - special.gammaln(shape)
    return constant + special.xlogy(shape - 1, x) - rate * x


def beta(x: np.ndarray, a: float, b: float) -> np.ndarray:
    """Of a beta variable."""
    return special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)


def dirichlet(x: np.ndarray, shape: Any) -> np.ndarray:
    """Of shares (..., outcome)."""
    shape = np.asarray(shape)
    constant = special.gammaln(shape.sum()) - special.gammaln(shape).sum()
    return constant + special.xlogy(shape - 1, x).sum(-1)

"""Nodes and weights of Gauss's rules between 0 and 1."""

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=8)
def eased(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre by a cubic that is flat at both ends: nodes stand closest where an integrand
    may be steep.

    Examples
    --------
    >>> u, weight = eased(20)
    >>> float((weight @ u**3).round(12))
    0.25
    """
    node, weight = np.polynomial.legendre.leggauss(count)
    t = (node + 1) / 2
    return t**2 * (3 - 2 * t), 6 * t * (1 - t) * weight / 2


@lru_cache(maxsize=8)
def legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre, made when first asked for: those of hundreds of
    points take as long as an import.
    """
    return np.polynomial.legendre.leggauss(count)

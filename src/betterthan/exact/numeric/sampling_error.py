"""How far a sampled probability lies from the exact one, in Monte Carlo standard errors."""

import numpy as np
from scipy.special import bdtr, bdtrc, ndtri

_FEW = 5  # expected draws on one side below which the normal approximation is not used


def probability_z(exact: np.ndarray, sampled: np.ndarray, ess: np.ndarray) -> np.ndarray:
    """Signed distance of sampled from exact probabilities, in Monte Carlo standard errors.

    The standard error is sqrt(p (1 - p) / ESS) with the exact p. Where fewer than 5 of the ESS
    draws are expected on one side, the normal approximation fails and the distance is the standard
    normal deviate of the exact binomial tail, 0 where the tail is at least one half.

    Examples
    --------
    >>> exact, sampled = np.array([0.5, 1 - 1e-9]), np.array([0.51, 1.0])
    >>> probability_z(exact, sampled, np.array([2500, 4000])).round(6) + 0.0
    array([1., 0.])
    """
    p, found, ess = np.broadcast_arrays(
        *(np.asarray(x, dtype=float) for x in (exact, sampled, ess))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (found - p) / np.sqrt(p * (1 - p) / ess)
    few = ess * np.minimum(p, 1 - p) < _FEW
    return np.where(few, _binomial_z(p, found, ess), z)


def _binomial_z(p: np.ndarray, found: np.ndarray, ess: np.ndarray) -> np.ndarray:
    # count on the rarer side, so that its tail is never 1 minus something tiny
    flip = p > 0.5
    rare, share = np.where(flip, 1 - p, p), np.where(flip, 1 - found, found)
    n = np.maximum(np.round(ess), 1)
    k = np.clip(np.round(share * n), 0, n)
    above = np.where(k > 0, bdtrc(np.maximum(k - 1, 0), n.astype(np.int64), rare), 1.0)  # P(K >= k)
    below = bdtr(k, n.astype(np.int64), rare)  # P(K <= k)
    tiny = np.finfo(float).tiny
    z = np.maximum(-ndtri(np.clip(above, tiny, 1 - 1e-16)), 0) - np.maximum(
        -ndtri(np.clip(below, tiny, 1 - 1e-16)), 0
    )
    return np.where(flip, -z, z)

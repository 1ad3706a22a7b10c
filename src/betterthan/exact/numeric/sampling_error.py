"""Monte Carlo errors of what is sampled, and how far it lies from what is exact in their units."""

import numpy as np
from scipy.special import bdtr, bdtrc, betaincinv, ndtr, ndtri

_FEW = 5  # draws on one side below which the normal approximation is not used


def probability_error(share: np.ndarray, ess: np.ndarray | float) -> np.ndarray:
    """Monte Carlo error of a probability that is a share of draws.

    sqrt(p (1 - p) / ESS), with the ESS of the indicator. Where fewer than 5 of the ESS draws lie on
    one side this fails (it is 0 where all agree); there the error is the distance to the upper
    Clopper-Pearson bound of the rarer side, at the level of one standard normal deviate.

    Parameters
    ----------
    share : array_like of float
    ess : array_like of float
        Effective number of draws.

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26(4), 404-413, doi:10.1093/biomet/26.4.404.

    Examples
    --------
    >>> probability_error(np.array([0.5, 1.0]), 4000).round(6)
    array([0.007906, 0.00046 ])
    """
    p, n = np.broadcast_arrays(np.asarray(share, dtype=float), np.asarray(ess, dtype=float))
    rare = np.minimum(p, 1 - p)
    k = rare * n
    few = k < _FEW * (1 - 1e-9)  # five draws are five, however 1 - p is rounded
    error = np.array(np.sqrt(p * (1 - p) / n))  # also of single numbers
    # there are few such numbers
    distinct, back = np.unique(np.stack([k[few], n[few]]), axis=1, return_inverse=True)
    hits, size = distinct
    bound = betaincinv(hits + 1, np.maximum(size - hits, np.finfo(float).tiny), ndtr(1.0))
    error[few] = bound[back.ravel()] - rare[few]
    return error[()]


def quantile_error(ordered: np.ndarray, level: np.ndarray, ess: np.ndarray) -> np.ndarray:
    """Monte Carlo error of quantiles at `level` of sorted draws (draw, column).

    Half the distance of the two draws between which the quantile lies with the probability of one
    standard normal deviate to either side.

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, Bayesian Analysis 16(2), section 4.4,
    doi:10.1214/20-BA1221.
    """
    draws = len(ordered)
    low, high = (
        betaincinv(ess * level + 1, ess * (1 - level) + 1, ndtr(side)) * draws - 1
        for side in (-1.0, 1.0)
    )
    below = np.floor(np.maximum(low, 0)).astype(int)
    above = np.ceil(np.minimum(high, draws - 1)).astype(int)
    limits = (np.take_along_axis(ordered, index[None], 0)[0] for index in (below, above))
    return np.subtract(*reversed(list(limits))) / 2


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
    p, share, ess = np.broadcast_arrays(
        *(np.asarray(x, dtype=float) for x in (exact, sampled, ess))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (share - p) / np.sqrt(p * (1 - p) / ess)
    few = ess * np.minimum(p, 1 - p) < _FEW
    return np.where(few, _binomial_z(p, share, ess), z)


def _binomial_z(p: np.ndarray, sampled: np.ndarray, ess: np.ndarray) -> np.ndarray:
    # count on the rarer side, so that its tail is never 1 minus something tiny
    flip = p > 0.5
    rare, share = np.where(flip, 1 - p, p), np.where(flip, 1 - sampled, sampled)
    n = np.maximum(np.round(ess), 1)
    k = np.clip(np.round(share * n), 0, n)
    above = np.where(k > 0, bdtrc(np.maximum(k - 1, 0), n.astype(np.int64), rare), 1.0)  # P(K >= k)
    below = bdtr(k, n.astype(np.int64), rare)  # P(K <= k)
    tiny = np.finfo(float).tiny
    z = np.maximum(-ndtri(np.clip(above, tiny, 1 - 1e-16)), 0) - np.maximum(
        -ndtri(np.clip(below, tiny, 1 - 1e-16)), 0
    )
    return np.where(flip, -z, z)

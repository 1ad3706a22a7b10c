"""Scores of cross-validation folds and of data sets: Student's t of folds, and shares of signs.

Folds share training data. Nadeau & Bengio (2003), Inference for the generalization error, Machine
Learning 52, 239-281; Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated
algorithms on multiple data sets, Machine Learning 100, 285-304.
"""

import numpy as np
from scipy import special

from betterthan.exact.numeric.quadrature import eased


def correlated(differences: np.ndarray, correlation: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Centre, scale and degrees of freedom of the mean difference, (fold, ...) -> (...): Student's
    t, flat prior.
    """
    n = len(differences)
    variance = differences.var(axis=0, ddof=1) * (1 / n + correlation / (1 - correlation))
    return differences.mean(axis=0), np.sqrt(variance), n - 1


def masses(centre: np.ndarray, scale: np.ndarray, df: int, rope: float) -> np.ndarray:
    """Probability below, within and above the region, (..., 3); all of it at the centre where
    nothing varies.
    """
    from scipy import stats  # slow to import

    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = ((edge - centre) / scale for edge in (-rope, rope))
        below, above = stats.t.cdf(low, df), stats.t.sf(high, df)
    still = scale == 0
    below, above = np.where(still, centre < -rope, below), np.where(still, centre > rope, above)
    half = np.where(still & (centre == 0) & (rope == 0), 0.5, 0.0)
    below, above = below + half, above + half
    return np.stack([below, np.clip(1 - below - above, 0, 1), above], axis=-1)


def prob_largest(parameters: np.ndarray, points: int = 400) -> np.ndarray:
    """Probability that each share of a Dirichlet is the largest, from parameters (..., outcome); 0
    where one is 0.

    Shares are independent gammas over their sum, so the largest gamma is the largest share: an
    integral of its density times the distribution functions of the others, taken over its
    quantiles.
    """
    u, weight = eased(points)
    positive, safe = parameters > 0, np.where(parameters > 0, parameters, 1.0)
    probabilities = np.empty(parameters.shape)
    for k in range(parameters.shape[-1]):
        x = special.gammaincinv(safe[..., k, None], u)[..., None, :]
        others, counted = (np.delete(v, k, axis=-1)[..., None] for v in (safe, positive))
        probabilities[..., k] = (
            np.where(counted, special.gammainc(others, x), 1.0).prod(-2) @ weight
        )
    probabilities = np.where(positive, probabilities, 0.0)
    return probabilities / probabilities.sum(-1, keepdims=True)

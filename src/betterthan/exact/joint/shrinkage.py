"""Many systems on the same units: their means drawn to each other as far as they are alike.

The contrasts of S means have a covariance that is itself drawn to a multiple of one (Ledoit & Wolf
2004, Journal of Multivariate Analysis 88(2), 365-411), and the prior N(0, tau^2 I), tau ~
half-Cauchy(scale); with probability 1/2 one system, any of them, stands apart from the rest. Given
tau and who is apart everything is normal, so the posterior is a mixture of normals over nodes of
tau: probabilities of pairs are sums, without draws.
"""

from dataclasses import dataclass

import numpy as np

SCALE = 0.25  # of tau for scores of 0 and 1
SHARE_OF_SD = 0.5  # of tau for other scores: times their pooled sd
UNITS_MIN = 5  # below, a covariance is a guess
DF_MIN = 2.0  # at so few degrees of freedom or fewer, t has no variance
PSEUDO = 4  # items of coin flips that scores of 0 and 1 have before any is seen
APART = np.array([0.2, 0.4, 0.8, 1.6])  # how far one system may stand apart, times the scale


@dataclass(frozen=True)
class Contrasts:
    """What the data say of the differences between systems, in the axes of their errors."""

    basis: np.ndarray  # (system, contrast), B = Q U: abilities = B @ contrasts
    at: np.ndarray  # (contrast,), z
    variance: np.ndarray  # (contrast,), w
    shrunk: float  # lambda: how far the covariance was drawn to a multiple of one
    scale: float

    @property
    def covariance(self) -> np.ndarray:
        """Of the abilities, (system, system): Q V Q'."""
        return (self.basis * self.variance) @ self.basis.T


@dataclass(frozen=True)
class Moments:
    """Of what units add to the error of the contrasts, y (unit, contrast) in a Helmert basis."""

    units: int
    raw: np.ndarray  # (contrast, contrast): mean of y y'
    squares: float  # mean of |y|^4


def moments(rows: np.ndarray) -> Moments:
    """From what each unit adds to the error of each mean (unit, system)."""
    n, systems = rows.shape
    y = rows @ helmert(systems)
    return Moments(n, y.T @ y / n, float(((y**2).sum(1) ** 2).mean()))


def contrasts(mean: np.ndarray, rows: np.ndarray, *, pseudo: int, scale: float) -> Contrasts:
    """From means (system,) and what each unit adds to their error (unit, system).

    Parameters
    ----------
    mean, rows
        Of `units.Means`.
    pseudo : int
        4 for scores of 0 and 1, one run an item, else 0.
    scale : float
        Of the spread of systems before any data.
    """
    return contrasts_of(mean, moments(rows), pseudo=pseudo, scale=scale)


def contrasts_of(mean: np.ndarray, of: Moments, *, pseudo: int, scale: float) -> Contrasts:
    """The same from moments."""
    n, systems, raw = of.units, len(mean), of.raw
    q = helmert(systems)
    shrunk, mu = _drawn_together(of)
    covariance = (1 - shrunk) * raw + shrunk * mu * np.eye(systems - 1)
    covariance = covariance / (n - 3)  # the variance of t, and the mean of n units
    if pseudo:
        covariance = (n * covariance + np.eye(systems - 1) / n) / (n + pseudo)
    variance, axes = np.linalg.eigh(covariance)
    return Contrasts(q @ axes, (mean @ q) @ axes, np.maximum(variance, 0.0), shrunk, scale)


def helmert(systems: int) -> np.ndarray:
    """An orthonormal basis (system, contrast) of what sums to zero.

    Examples
    --------
    >>> (helmert(3).T @ helmert(3)).round(12).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    k = np.arange(1, systems)
    basis = np.triu(np.ones((systems, systems - 1)))
    basis[k, k - 1] = -k
    return basis / np.sqrt(k * (k + 1))


def _drawn_together(of: Moments) -> tuple[float, float]:
    """How far the covariance is drawn to a multiple of one, and that multiple (Ledoit & Wolf)."""
    p = len(of.raw)
    mu = float(np.trace(of.raw)) / p
    far = float((of.raw**2).sum()) - p * mu**2
    noise = (of.squares - float((of.raw**2).sum())) / of.units
    return (min(1.0, noise / far) if far > 1e-14 * p * mu**2 else 1.0), mu

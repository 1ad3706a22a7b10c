"""The Mallows model with Kendall distance: P(order) is proportional to exp(-theta x inversions
against a reference).

theta = 0 is chance, above 0 better than chance, below 0 worse. Mallows (1957), Non-null ranking
models I, Biometrika 44, 114-130; Fligner & Verducci (1986), Distance based ranking models, JRSS B
48(3), 359-369, for the normaliser.
"""

from collections.abc import Callable

import numpy as np

from betterthan.exact.numeric.quadrature import legendre

_POINTS = 200
_DROP = 45.0  # the log density may fall by this much before it counts as nothing: e-45 is 3e-20


def log_normaliser(theta: np.ndarray, n: int) -> np.ndarray:
    """Log of the sum of exp(-theta x inversions) over all orders of n items: a product of geometric
    series.
    """
    j, half = np.arange(2, n + 1), np.asarray(theta, dtype=float)[..., None] / 2
    return -np.asarray(theta) * _middle(n) + (
        np.log(j) + _log_sinhc(j * half) - _log_sinhc(half)
    ).sum(-1)


def expected_inversions(theta: np.ndarray, n: int) -> np.ndarray:
    """Mean number of inversions: minus the slope of the log normaliser."""
    j, half = np.arange(2, n + 1), np.asarray(theta, dtype=float)[..., None] / 2
    return _middle(n) - ((j * _slope(j * half) - _slope(half)) / 2).sum(-1)


def inversion_variance(theta: np.ndarray, n: int) -> np.ndarray:
    """Variance of the number of inversions: the curvature of the log normaliser."""
    j, half = np.arange(2, n + 1), np.asarray(theta, dtype=float)[..., None] / 2
    return ((j**2 * _curvature(j * half) - _curvature(half)) / 4).sum(-1)


def expected_tau(theta: np.ndarray, n: int) -> np.ndarray:
    """Mean of Kendall's tau against the reference."""
    return 1 - expected_inversions(theta, n) / _middle(n)


def mean_tau(theta: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Mean of the expected tau over documents of n items."""
    sizes, counts = np.unique(n, return_counts=True)
    taus = [c * expected_tau(theta, int(k)) for k, c in zip(sizes, counts, strict=True)]
    return np.sum(taus, axis=0) / len(n)


def draw_inversions(theta: np.ndarray, n: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Inversions of random orders: item j passes 0 to j - 1 others, a geometric number cut off
    there.
    """
    theta, n = np.broadcast_arrays(np.asarray(theta, dtype=float), n)
    steep = np.where(np.abs(theta) < 1e-12, 1e-12, np.abs(theta))
    total = np.zeros(theta.shape, dtype=np.int64)
    for j in range(2, int(n.max(initial=1)) + 1):
        share = -np.expm1(-steep * j) * random.random(theta.shape)
        passed = np.minimum(np.floor(-np.log1p(-share) / steep), j - 1).astype(np.int64)
        total += np.where(j <= n, passed, 0)
    return np.where(theta < 0, n * (n - 1) // 2 - total, total)


def approximation(
    inversions: np.ndarray, n: np.ndarray, sd: float
) -> tuple[np.ndarray, np.ndarray]:
    """Centre and information of the normal curve that is nearest to each order's likelihood.

    Taken at the top of likelihood times Normal(0, sd), so that it stays finite where an order is
    perfect.
    """
    theta, slope, information = (np.zeros(len(n)) for _ in range(3))
    for step in range(30):
        for size in np.unique(n):
            mask = n == size
            slope[mask] = expected_inversions(theta[mask], int(size)) - inversions[mask]
            information[mask] = inversion_variance(theta[mask], int(size))
        if step < 29:
            theta = theta + np.clip((slope - theta / sd**2) / (information + 1 / sd**2), -1, 1)
    return theta + slope / information, information


def log_posterior(
    inversions: np.ndarray, n: np.ndarray, sd: float
) -> Callable[[np.ndarray], np.ndarray]:
    """Log density, up to a constant, of one theta ~ Normal(0, sd) of all documents; concave."""
    sizes, counts = np.unique(n[n >= 2], return_counts=True)
    total = float(inversions[n >= 2].sum())

    def density(theta: np.ndarray) -> np.ndarray:
        normalisers = sum(
            c * log_normaliser(theta, int(k)) for k, c in zip(sizes, counts, strict=True)
        )
        return -((theta / sd) ** 2) / 2 - theta * total - normalisers

    return density


def quadrature(
    density: Callable[[np.ndarray], np.ndarray], sd: float
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes over the support of a concave log density, and their posterior weights, which sum to
    1.
    """
    low, high = support(density, sd)
    node, share = legendre(_POINTS)
    nodes = low + (high - low) * (node + 1) / 2
    log = density(nodes)
    weight = share * np.exp(log - log.max())
    return nodes, weight / weight.sum()


def support(density: Callable[[np.ndarray], np.ndarray], sd: float) -> tuple[float, float]:
    """Interval on which a concave log density is above its maximum less 45."""
    left, right = -12.0 * sd, 12.0 * sd
    for _ in range(200):  # golden-free ternary search for the top
        a, b = left + (right - left) / 3, right - (right - left) / 3
        fa, fb = density(np.array([a, b]))
        left, right = (a, right) if fa < fb else (left, b)
        if right - left < 1e-9 * sd:
            break
    top = (left + right) / 2
    peak = float(density(np.array([top]))[0])
    limits = []
    for sign in (-1, 1):
        close, far = 0.0, 40.0 * sd
        for _ in range(80):
            middle = (close + far) / 2
            below = float(density(np.array([top + sign * middle]))[0]) < peak - _DROP
            close, far = (close, middle) if below else (middle, far)
        limits.append(top + sign * far)
    return limits[0], limits[1]


def prob_greater(
    a: Callable[[np.ndarray], np.ndarray], b: Callable[[np.ndarray], np.ndarray], sd: float
) -> float:
    """P(theta of a > theta of b), the two independent given their data."""
    nodes, weights = quadrature(a, sd)
    low, high = support(b, sd)
    node, share = legendre(_POINTS)
    nodes_b = low + (high - low) * (node + 1) / 2
    peak = b(nodes_b).max()
    mass = (high - low) * (share @ np.exp(b(nodes_b) - peak))
    cuts = np.clip(nodes, low, high)
    inner = low + (cuts - low)[:, None] * (node + 1) / 2
    below = (cuts - low) * (np.exp(b(inner) - peak) @ share)
    return float(weights @ (below / mass))


def _middle(n: int) -> float:
    return n * (n - 1) / 4


def _log_sinhc(x: np.ndarray) -> np.ndarray:
    """log(sinh(x) / x), even, 0 at 0."""
    size = np.abs(x)
    safe = np.where(size < 1e-2, 1.0, size)
    return np.where(
        size < 1e-2,
        x**2 / 6 - x**4 / 180 + x**6 / 2835,
        safe + np.log(-np.expm1(-2 * safe) / (2 * safe)),
    )


def _slope(x: np.ndarray) -> np.ndarray:
    """Derivative of `_log_sinhc`: coth(x) - 1 / x."""
    safe = np.where(np.abs(x) < 1e-2, 1.0, x)
    return np.where(
        np.abs(x) < 1e-2, x / 3 - x**3 / 45 + 2 * x**5 / 945, 1 / np.tanh(safe) - 1 / safe
    )


def _curvature(x: np.ndarray) -> np.ndarray:
    """Second derivative of `_log_sinhc`: 1 / x**2 - 1 / sinh(x)**2."""
    safe = np.where(np.abs(x) < 3e-2, 1.0, np.minimum(np.abs(x), 300.0))
    exact = np.where(
        np.abs(x) < 300, 1 / safe**2 - 1 / np.sinh(safe) ** 2, 1 / np.maximum(x**2, 1.0)
    )
    return np.where(np.abs(x) < 3e-2, 1 / 3 - x**2 / 15 + 2 * x**4 / 189 - x**6 / 675, exact)

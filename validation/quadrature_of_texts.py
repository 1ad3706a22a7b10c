"""Slopes of subjects over texts that they share, without draws: the exact answer on a small design.

Given the four standard deviations all else is normal; they are summed over a grid.
"""

from functools import reduce

import numpy as np
from scipy import special

_BLOCK = 20_000  # points of the grid at once


def slope_by_quadrature(
    y: np.ndarray, x: np.ndarray, of: np.ndarray, text_of: np.ndarray, points: int = 32
) -> dict[str, float]:
    """Posterior mean and standard deviation of the slope, and P(slope > 0)."""
    design = _design(x, of, text_of)
    sds, mass = _grid(y, design, points)
    sizes = (of.max() + 1, of.max() + 1, text_of.max() + 1)
    parts = [_slope(y, design, sizes, sds[k : k + _BLOCK]) for k in range(0, len(mass), _BLOCK)]
    log, slope, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
    weight = mass * np.exp(log - log.max())
    weight /= weight.sum()
    expected = float(weight @ slope)
    return {
        "mean": expected,
        "sd": float(np.sqrt(weight @ (variance + slope**2) - expected**2)),
        "positive": float(weight @ special.ndtr(slope / np.sqrt(variance))),
    }


def _design(x: np.ndarray, of: np.ndarray, text_of: np.ndarray) -> np.ndarray:
    """Columns: intercept, slope, then those of subjects' intercepts and slopes, and of texts."""
    subjects, texts = np.eye(of.max() + 1)[of], np.eye(text_of.max() + 1)[text_of]
    return np.column_stack([np.ones_like(x), x, subjects, subjects * x[:, None], texts])


def _grid(y: np.ndarray, design: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of sigma and of the spreads of intercepts, slopes and texts, and their mass."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    unit, mass = (nodes + 1) / 2, weights / 2
    nodes, weights = np.polynomial.legendre.leggauss(points // 2)  # sigma is known best
    fitted, _, rank, _ = np.linalg.lstsq(design, y)
    free = len(y) - int(rank)
    about = np.sqrt(np.square(y - design @ fitted).sum() / free)
    width = min(6 / np.sqrt(2 * free), 1.6)  # of log(sigma), some six of its errors
    sigma, wide = about * np.exp(width * nodes), 4 * unit**2 * (3 - 2 * unit)  # more near 0
    each = [width * weights * sigma, *[24 * unit * (1 - unit) * mass] * 3]
    sds = np.meshgrid(sigma, wide, wide, wide, indexing="ij")
    return np.stack([s.ravel() for s in sds], axis=1), reduce(np.multiply.outer, each).ravel()


def _slope(
    y: np.ndarray, design: np.ndarray, sizes: tuple[int, ...], sds: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Log posterior of each point but for a constant, and mean and variance of the slope there."""
    sigma = sds[:, 0]
    prior = np.repeat(sds[:, 1:], sizes, axis=1)  # of each effect
    fixed = np.ones((len(sds), 2))
    precision = design.T @ design / sigma[:, None, None] ** 2
    at = np.arange(design.shape[1])
    precision[:, at, at] += 1 / np.concatenate([fixed, prior], axis=1) ** 2
    pull = (design.T @ y) / sigma[:, None] ** 2
    wanted = np.stack([pull, np.broadcast_to(at == 1, pull.shape)], axis=-1)
    mean, slope = np.moveaxis(np.linalg.solve(precision, wanted), -1, 0)
    log = -np.square(sds).sum(1) / 2 - len(y) * np.log(sigma) - y @ y / (2 * sigma**2)
    log += (mean * pull).sum(1) / 2 - np.log(prior).sum(1) - np.linalg.slogdet(precision)[1] / 2
    return log, mean[:, 1], slope[:, 1]

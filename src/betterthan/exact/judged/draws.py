"""Exact draws of theta: independent Dirichlet draws of the signals, and of the truth under each."""

import numpy as np


def draws(cells: np.ndarray, size: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """theta, (draw, pair, truth), from cells (pair, signal, truth) and size (pair, signal).

    Examples
    --------
    >>> import numpy as np
    >>> theta = draws(np.ones((1, 3, 3)), np.full((1, 3), 5.0), 4, np.random.default_rng(1))
    >>> theta.shape, theta.sum(-1).round(12).tolist()
    ((4, 1, 3), [[1.0], [1.0], [1.0], [1.0]])
    """
    share = dirichlet(size, number, rng)
    theta = np.zeros((number, len(size), cells.shape[-1]))
    for y in range(size.shape[-1]):  # signals are few, draws are many
        theta += share[..., y, None] * dirichlet(cells[:, y], number, rng)
    return theta


def dirichlet(shape: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Dirichlet over the last dim, draws first; a gamma of a small shape from one that is not."""
    size = (number, *shape.shape)
    logs = np.log(rng.standard_gamma(shape + 1, size=size)) - rng.standard_exponential(size) / shape
    heights = np.exp(logs - logs.max(-1, keepdims=True))
    return heights / heights.sum(-1, keepdims=True)

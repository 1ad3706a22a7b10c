"""Exact draws of judged outcomes, and the effective number of labels that a judge is worth."""

from functools import reduce

import numpy as np

from betterthan.exact.numeric.monte_carlo import interval


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
    heights = np.exp(logs - _over_last(np.maximum, logs)[..., None])
    return heights / _over_last(np.add, heights)[..., None]


def _over_last(combine: np.ufunc, values: np.ndarray) -> np.ndarray:
    """`combine.reduce` over the last dim, which as a rule has few places: a fifth of the time."""
    if values.shape[-1] >= 8:  # from which on numpy adds in another order
        return combine.reduce(values, axis=-1)
    return reduce(combine, np.moveaxis(values, -1, 0))


_DRAWS, _SEED = 4_000, 0
_HELD = 2**23  # numbers held at once


def correlation_ratio(cells: np.ndarray, size: np.ndarray) -> np.ndarray:
    """R2 = Var E(x | y) / Var x of x = 1, -1, 0 (win, loss, tie), at the posterior mean of phi.

    Parameters
    ----------
    cells : numpy.ndarray, (..., signal, truth)
    size : numpy.ndarray, (..., signal)

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.array([[332.0, 71, 19], [86, 360, 26], [42, 45, 18]]).T
    >>> round(float(correlation_ratio(cells[..., [0, 1, 2]], cells.sum(-1))), 4)
    0.3425
    """
    share = size / _over_last(np.add, size)[..., None]
    truth = cells / _over_last(np.add, cells)[..., None]
    mean, decisive = truth[..., 0] - truth[..., 1], truth[..., 0] + truth[..., 1]
    centre = _over_last(np.add, share * mean)
    explained = _over_last(np.add, share * (mean - centre[..., None]) ** 2)
    return explained / (_over_last(np.add, share * decisive) - centre**2)


def ratio_range(cells: np.ndarray, size: np.ndarray, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of R2 from draws of its posterior, whose seed is fixed: those of the narrowest and the
    equal-tailed interval together, for either alone holds too little.

    Parameters
    ----------
    cells : numpy.ndarray, (pair, signal, truth)
    size : numpy.ndarray, (pair, signal)
    prob : float
        Between the bounds.
    """
    cells, size = _canonical_order(cells, size)
    limits = np.empty((2, len(cells)))
    step = max(1, _HELD // (_DRAWS * max(cells[0].size, 1))) if len(cells) else 1
    for start in range(0, len(cells), step):
        block = slice(start, start + step)
        rng = np.random.default_rng(_SEED)
        drawn = dirichlet(cells[block], _DRAWS, rng), dirichlet(size[block], _DRAWS, rng)
        r2 = correlation_ratio(*drawn)
        both = [interval(r2, prob, kind) for kind in ("hdi", "eti")]
        limits[:, block] = np.minimum(*(b[0] for b in both)), np.maximum(*(b[1] for b in both))
    return limits[0], limits[1]


def _canonical_order(cells: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sort cells so that draws, like R2, do not depend on which system of a pair comes first."""
    lost = cells[..., 1].sum(1) > cells[..., 0].sum(1)
    mirrored = cells[..., [1, 0, *range(2, cells.shape[-1])]]
    cells = np.where(lost[:, None, None], mirrored, cells)
    order = np.lexsort((*np.moveaxis(cells, -1, 0), size), axis=-1)
    return np.take_along_axis(cells, order[..., None], 1), np.take_along_axis(size, order, 1)


def effective_gold(r2: np.ndarray, gold: np.ndarray, judged: np.ndarray) -> np.ndarray:
    """As many gold items as would say the same alone, of `gold` among `judged` items.

    Examples
    --------
    >>> [round(float(effective_gold(r2, 50, 1000)), 1) for r2 in (0.25, 0.35, 0.5, 0.7)]
    [65.6, 74.9, 95.2, 149.3]
    """
    return gold / (1 - r2 + r2 * gold / judged)


def best_ratio(r2: np.ndarray, cost_human: float, cost_judge: float) -> np.ndarray:
    """Judged items for each gold one at which a budget says most."""
    return np.sqrt(r2 / (1 - r2) * cost_human / cost_judge)

"""How probable a number of inversions is under the Mallows model."""

from typing import Any

import numpy as np

from betterthan.exact.orders import mallows


def log_probability(k: Any, theta: Any, n: Any) -> Any:
    """Of k inversions, up to the number of orders that have so many, which does not depend on
    theta.

    The normaliser is a product of geometric series, and around the middle number of inversions an
    even function of theta: below 1e-6 it is taken as flat, which it nearly is.
    """
    import pytensor.tensor as pt

    items = np.asarray(n.data if hasattr(n, "data") else n)
    sizes = np.arange(2, int(items.max()) + 1)
    steep: Any = pt.maximum(pt.abs(theta), 1e-6)
    above: Any = pt.expm1(-sizes * steep[:, None])
    series: Any = pt.log(above / pt.expm1(-steep[:, None]))
    normaliser: Any = pt.sum(pt.switch(sizes <= items[:, None], series, 0.0), axis=-1)
    middle = items * (items - 1) / 4
    return -theta * (k - middle) - (normaliser + steep * middle)


def random(theta: Any, n: Any, rng: Any = None, size: Any = None) -> np.ndarray:
    """Numbers of inversions."""
    thetas = np.broadcast_to(theta, size) if size is not None else theta
    return mallows.draw_inversions(thetas, n, rng).astype(float)

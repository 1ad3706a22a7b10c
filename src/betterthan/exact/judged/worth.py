"""What judged items are worth: how much of the truth the signals tell, in gold items."""

import numpy as np


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
    share = size / size.sum(-1, keepdims=True)
    truth = cells / cells.sum(-1, keepdims=True)
    mean, decisive = truth[..., 0] - truth[..., 1], truth[..., 0] + truth[..., 1]
    centre = (share * mean).sum(-1)
    told = (share * (mean - centre[..., None]) ** 2).sum(-1)
    return told / ((share * decisive).sum(-1) - centre**2)


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

"""Mean and standard deviation of d = sum_y m_y (r_wy - r_ly), without integrals."""

import numpy as np


def mean_and_sd(cells: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of d, where the truth under signal y is Dirichlet(cells), and the signals Dirichlet(size).

    Parameters
    ----------
    cells : numpy.ndarray, (..., signal, truth), of win, loss, tie
    size : numpy.ndarray, (..., signal)

    Examples
    --------
    >>> import numpy as np
    >>> mean, sd = mean_and_sd(np.full((3, 3), 1 / 3), np.array([211.0, 121.0, 171.0]))
    >>> float(mean), round(float(sd), 9)
    (0.0, 0.341905154)
    """
    mean, spread = signal_moments(cells)
    total = size.sum(-1)
    centre = (size * mean).sum(-1) / total
    # E d^2 - centre^2, as a sum of positive terms
    around = size * (mean - centre[..., None]) ** 2 + size * (size + 1) * spread
    return centre, np.sqrt(around.sum(-1) / (total * (total + 1)))


def signal_moments(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of g = r_w - r_l under each signal, (..., signal)."""
    win, loss, total = cells[..., 0], cells[..., 1], cells.sum(-1)
    mean = (win - loss) / total
    return mean, ((win + loss) / total - mean**2) / (total + 1)

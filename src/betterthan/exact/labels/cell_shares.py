"""The posterior of averages over labels: shares of the cells of a confusion matrix, in logs.

Shares are Dirichlet, drawn as gammas. A cell that holds nothing has a parameter of a thousandth or
less, and most of its gammas are below the smallest float: ln Gamma(a) is drawn as ln Gamma(a + 1) +
ln(U) / a, and every ratio is a difference of logs.
"""

import numpy as np


def spread(cells: np.ndarray, items: float) -> np.ndarray:
    """So many made-up items over cells (predicted, actual): half of them right, half wrong.

    Every label has the same number of them. A label that was never predicted has its own evenly
    over its column: without one prediction, half right would be a precision out of nothing.
    """
    rows, labels = cells.shape
    per_label = items / labels
    if rows == 1:
        return np.full(cells.shape, per_label)
    wrong = np.full(cells.shape, per_label / 2 / (rows - 1))
    np.fill_diagonal(wrong[:labels], per_label / 2)
    return np.where(cells[:labels].any(1), wrong, per_label / rows)


def drawn(
    alpha: np.ndarray, beta: float, draws: int, sources: tuple[np.random.Generator, ...]
) -> np.ndarray:
    """Averages (draw, average, measure) of shares Dirichlet(alpha), (predicted, actual).

    Of the two sources each has its own stream, so that chunks go on where the last one ended.
    """
    size = (draws, *alpha.shape)
    logs = np.log(sources[0].standard_gamma(alpha + 1, size))
    logs -= sources[1].standard_exponential(size) / alpha  # ln U of a uniform U
    logs -= logs.max((1, 2), keepdims=True)
    labels = alpha.shape[1]
    right = np.diagonal(logs[:, :labels], axis1=1, axis2=2)
    return _averages(right, _log_sum(logs[:, :labels], axis=2), _log_sum(logs, axis=1), beta)


def _averages(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    """From logs (draw, label) of shares: nothing is 0, so that nothing is divided by 0."""
    measures = _measures(right, predicted, actual, beta)
    total = _log_sum(actual, 1)
    size = np.exp(actual - total[:, None])[..., None]
    pooled = _measures(_log_sum(right, 1), _log_sum(predicted, 1), total, beta)
    return np.stack([measures.mean(1), (measures * size).sum(1), pooled], axis=1)


def _measures(
    right: np.ndarray, predicted: np.ndarray, actual: np.ndarray, beta: float
) -> np.ndarray:
    square = np.log(beta**2)
    f = np.log1p(beta**2) + right - np.logaddexp(square + actual, predicted)
    return np.exp(np.minimum(np.stack([right - predicted, right - actual, f], axis=-1), 0.0))


def _log_sum(logs: np.ndarray, axis: int) -> np.ndarray:
    most = logs.max(axis, keepdims=True)
    return np.log(np.exp(logs - most).sum(axis)) + most.squeeze(axis)

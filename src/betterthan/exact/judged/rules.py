"""Gauss rules for the difference g = r_win - r_loss of a Dirichlet (win, loss, tie) variable.

g = q (2 p - 1), where q ~ Beta(win + loss, tie) is the share that is decisive and p ~ Beta(win,
loss), independent of q. A product of Gauss-Jacobi rules in q and p is exact for polynomials in
both; the n points that it is turned into are exact for those in g up to degree 2 n - 1.
"""

import numpy as np


def rules(cells: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights, (row, points), of g under Dirichlet(cells), cells (row, truth).

    Examples
    --------
    >>> import numpy as np
    >>> node, weight = rules(np.array([[4.0, 2.0, 1.0]]), 8)
    >>> round(float((weight * node).sum()), 12)
    0.285714285714
    """
    win, loss, tie = cells.T
    p, of_p = beta_rule(win, loss, points)
    q, of_q = beta_rule(win + loss, tie, points)
    g = (q[:, :, None] * (2 * p[:, None, :] - 1)).reshape(len(cells), -1)
    weight = (of_q[:, :, None] * of_p[:, None, :]).reshape(len(cells), -1)
    return _rule_of(*_recurrence(g, weight, points))


def beta_rule(a: np.ndarray, b: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's rule of Beta(a, b), (row, points): that of Jacobi, moved to (0, 1)."""
    k = np.arange(points)[:, None]
    total = 2 * k + a + b
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 in the first two, set below
        square = k * (k + a - 1) * (k + b - 1) * (k + a + b - 2)
        square = square / ((total - 3) * (total - 2) ** 2 * (total - 1))
        centre = 0.5 + (a + b - 2) * (a - b) / (2 * total * (total - 2))
    centre[0] = a / (a + b)
    square[1] = a * b / ((a + b) ** 2 * (a + b + 1))
    return _rule_of(centre.T, np.sqrt(square[1:]).T)


def _recurrence(
    place: np.ndarray, weight: np.ndarray, points: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of the polynomials that are orthogonal under weights at places (Stieltjes)."""
    before, now = np.zeros_like(place), np.ones_like(place)
    centre, step = np.empty((len(place), points)), np.zeros((len(place), points))
    for k in range(points):
        centre[:, k] = (weight * now**2 * place).sum(1)
        after = (place - centre[:, k, None]) * now - step[:, k, None] * before
        if k + 1 < points:
            step[:, k + 1] = np.sqrt((weight * after**2).sum(1))
            before, now = now, after / step[:, k + 1, None]
    return centre, step[:, 1:]


def _rule_of(centre: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights from the coefficients of the recurrence (Golub and Welsch 1969)."""
    rows, points = centre.shape
    at = np.arange(points)
    matrix = np.zeros((rows, points, points))
    matrix[:, at, at] = centre
    matrix[:, at[1:], at[:-1]] = step
    node = np.linalg.eigvalsh(matrix)
    before, now, total = np.zeros_like(node), np.ones_like(node), np.ones_like(node)
    behind = np.zeros((rows, 1))
    for k in range(points - 1):
        after = (node - centre[:, k, None]) * now - behind * before
        behind = step[:, k, None]
        before, now = now, after / behind
        total += now**2
    return node, 1 / total

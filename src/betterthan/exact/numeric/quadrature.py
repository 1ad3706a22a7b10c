"""One-dimensional integrals of positive, smooth, one-humped functions, many at a time.

The trapezoid rule on a line converges faster than any power of the step once the integrand is
smooth and has died away at both ends. The nodes are spread as sinh, so that thick tails are reached
with few of them, and the rule with every second node left out tells the error: it is about the
square root of the full rule's error. An integrand with a bend too sharp for that goes to
`adaptive.bisect`.
"""

from collections.abc import Callable

import numpy as np

from betterthan.exact.numeric.adaptive import bisect

# Nodes lie at centre + 4 width sinh(tau): nearly even over the hump, then ever wider. (step, reach)
# of tau, tried
# in turn by the rows not yet settled; what is left goes to `adaptive.bisect`.
_SPREAD = 4.0
_SCHEDULE = ((0.1, 1.7), (0.1, 2.2), (0.05, 2.2), (0.05, 3.8), (0.05, 7.6))
# gap between the two rules of half the nodes; the error is about its square, unless it is luck
_HALF_TOLERANCE = 5e-6
_STEADY = 4e-3  # gap between the four rules of a quarter of the nodes, which luck cannot make small
# a second difference of logs m below the top may be _BENT / (_DEPTH - m)
_DEPTH, _BENT = 25.0, 20.0
_FADED = 1e-12  # height at the ends, relative to the sum
_MOVES = 40
_CANCELS = -0.9  # below, 1 + p expm1(delta) has lost a digit, and all of them where q is tiny
_ROWS = 256  # integrals done at once: keeps the work in the processor's cache

_LEGENDRE = {points: np.polynomial.legendre.leggauss(points) for points in (3, 6)}


def log_mix(p: np.ndarray, q: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """``log(q + p exp(delta))`` for p + q = 1, without overflow, exact near delta = 0 and for tiny
    q or p.
    """
    if delta.max(initial=0.0) < 700:
        above, other, size, change = 0.0, q, p, delta
    else:  # q + p e^x = e^x (p + q e^-x)
        up = delta > 0
        above, size, other = np.maximum(delta, 0), np.where(up, q, p), np.where(up, p, q)
        change = -np.abs(delta)
    rise = size * np.expm1(change)
    if rise.min(initial=0.0) > _CANCELS:
        return above + np.log1p(rise)
    exact = np.log(other + size * np.exp(np.minimum(change, 0)))
    return above + np.where(rise > _CANCELS, np.log1p(np.maximum(rise, _CANCELS)), exact)


def panel_masses(
    density: Callable[[np.ndarray], np.ndarray], nodes: np.ndarray, points: int = 6
) -> np.ndarray:
    """Integral of `density` between neighbouring nodes; nodes (rows, k) to masses (rows, k - 1).

    `density` takes and returns arrays of shape (rows, k - 1, points).
    """
    places, weights = _LEGENDRE[points]
    half = np.diff(nodes, axis=-1) / 2
    centre = (nodes[..., 1:] + nodes[..., :-1]) / 2
    values = density(centre[..., None] + half[..., None] * places)
    return (values @ weights) * half


def integrate(
    log_integrand: Callable[[np.ndarray, np.ndarray], np.ndarray],
    centre: np.ndarray,
    width: np.ndarray,
    careful: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> np.ndarray:
    """Integrate exp(log_integrand) over the whole line, for many integrands at once.

    Parameters
    ----------
    log_integrand : callable
        Takes nodes of shape (rows, k), ascending in k, and the indices of these rows, of shape
        (rows,); returns the logarithm of the integrand there, of shape (rows, k).
    centre, width : numpy.ndarray, shape (n,)
        First guess of where the hump is, and of its width.
    careful : callable, optional
        The same as `log_integrand`, for nodes that lie anywhere.

    Returns
    -------
    numpy.ndarray, shape (n,)
        The integrals, to about 1e-11 relative.

    Raises
    ------
    ArithmeticError
        If an integral does not settle.

    Examples
    --------
    >>> import numpy as np
    >>> normal = lambda v, rows: -(v**2) / 2 - np.log(2 * np.pi) / 2
    >>> integrate(normal, np.array([0.3]), np.array([2.0])).round(10).tolist()
    [1.0]
    """
    result = np.empty(centre.shape)
    for start in range(0, centre.size, _ROWS):
        block = np.arange(start, min(start + _ROWS, centre.size))
        result[block] = _integrate_block(
            log_integrand,
            careful or log_integrand,
            block,
            centre[block].copy(),
            width[block].copy(),
        )
    return result


def _integrate_block(
    log_integrand: Callable[[np.ndarray, np.ndarray], np.ndarray],
    careful: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rows: np.ndarray,
    centre: np.ndarray,
    width: np.ndarray,
) -> np.ndarray:
    """Changes centre and width as it learns where the humps are."""
    result = np.zeros(rows.size)
    open_ = np.arange(rows.size)
    moves = _MOVES
    for step, reach in _SCHEDULE:
        later = [open_[:0]]
        while open_.size:
            tau, v = _nodes(centre[open_], width[open_], step, reach)
            logs = log_integrand(v, rows[open_]) + np.log(np.cosh(tau))
            top = logs.max(axis=1)
            heights = np.exp(logs - np.where(np.isfinite(top), top, 0.0)[:, None])
            done = _trusted(logs, top, heights)
            mass = np.exp(top) * heights.sum(1) * step * _SPREAD * width[open_]
            result[open_[done]] = mass[done]
            moved = ~done
            moved[~done] = _replace(
                centre, width, open_[~done], v[~done], heights[~done] / np.cosh(tau)
            )
            later.append(open_[~done & ~moved])
            open_ = open_[moved]
            if not moves:
                later.append(open_)
                break
            moves -= bool(open_.size)
        open_ = np.concatenate(later)
    if open_.size:
        result[open_] = bisect(careful, rows[open_], centre[open_], width[open_])
    return result


def _trusted(logs: np.ndarray, top: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Rows whose sum over the nodes is the integral."""
    total = heights.sum(1)
    faded = np.maximum(heights[:, 0], heights[:, -1]) <= _FADED * total
    return faded & _converged(heights, total) & ~_bent(logs, top) & np.isfinite(top)


def _converged(heights: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Rows where rules of half and of a quarter of the nodes agree as well as an exact rule makes
    them.
    """
    first, second, third, fourth = (heights[:, k::4].sum(1) for k in range(4))
    half = np.abs(first + third - second - fourth)
    quarter = 2 * np.hypot(first - third, second - fourth)
    return (half <= _HALF_TOLERANCE * total) & (quarter <= _STEADY * total)


def _bent(logs: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Rows with a bend too sharp for the nodes, where the two rules may agree by luck and both be
    wrong.

    The rule with step h on exp(-c x^2 / 2) is off by exp(-2 pi^2 / (c h^2)), and c h^2 is the
    second difference.
    """
    floor = np.where(np.isfinite(top), top, 0.0)[:, None] - _DEPTH
    depth = np.maximum(logs, floor) - floor  # _DEPTH at the top, 0 where nothing counts
    bend = np.abs(depth[:, 2:] - 2 * depth[:, 1:-1] + depth[:, :-2])
    return (bend * depth[:, 1:-1] > _BENT).any(1)


def _nodes(
    centre: np.ndarray, width: np.ndarray, step: float, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    count = round(reach / step)
    tau = step * np.arange(-count, count + 1)
    return tau, centre[:, None] + _SPREAD * width[:, None] * np.sinh(tau)


def _replace(
    centre: np.ndarray, width: np.ndarray, rows: np.ndarray, v: np.ndarray, density: np.ndarray
) -> np.ndarray:
    """Put centre at the highest node, width at the steeper side's; say which rows moved much.

    Where the integrand is 0 at every node, look further away.
    """
    index, top = np.arange(rows.size), density.argmax(axis=1)
    peak, height = v[index, top], density[index, top]
    empty = ~(np.isfinite(height) & (height > 0))
    low = density < height[:, None] * np.exp(-0.5)
    half = np.where(low, np.abs(v - peak[:, None]), np.inf).min(axis=1)
    half = np.where(np.isfinite(half), half, 4 * width[rows])
    off = (
        (np.abs(peak - centre[rows]) > 2.5 * width[rows])
        | (half < width[rows] / 2)
        | (half > 3 * width[rows])
    ) & ~empty
    width[rows[empty]] *= 4
    centre[rows[off]] = peak[off]
    width[rows[off]] = np.clip(half, width[rows] / 8, width[rows] * 8)[off]
    return off | empty

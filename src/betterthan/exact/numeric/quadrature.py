"""One-dimensional integrals, many at a time: Gauss's rules, bisection, and smooth humps.

The trapezoid rule on a line converges faster than any power of the step once the integrand is
smooth and has died away at both ends. The nodes are spread as sinh, so that thick tails are reached
with few of them, and the rule with every second node left out tells the error: it is about the
square root of the full rule's error. An integrand with a bend too sharp for that goes to
`bisect`.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=8)
def eased(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre by a cubic that is flat at both ends: nodes stand closest where an integrand
    may be steep.

    Examples
    --------
    >>> u, weight = eased(20)
    >>> float((weight @ u**3).round(12))
    0.25
    """
    node, weight = np.polynomial.legendre.leggauss(count)
    t = (node + 1) / 2
    return t**2 * (3 - 2 * t), 6 * t * (1 - t) * weight / 2


@lru_cache(maxsize=8)
def legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre, made when first asked for: those of hundreds of
    points take as long as an import.
    """
    return np.polynomial.legendre.leggauss(count)


# Kronrod's 15 points on (0, 1) and the weights of the Gauss rule on every second of them (QUADPACK,
# qk15).
_K = (
    0.991455371120812639206854697526329,
    0.949107912342758524526189684047851,
    0.864864423359769072789712788640926,
    0.741531185599394439863864773280788,
    0.586087235467691130294144691693013,
    0.405845151377397166906606412076961,
    0.207784955007898467600689403773245,
    0.0,
)
_K_WEIGHTS = (
    0.022935322010529224963732008058970,
    0.063092092629978553290700663189204,
    0.104790010322250183839876322541518,
    0.140653259715525918745189590510238,
    0.169004726639267902826583426598550,
    0.190350578064785409913256402421014,
    0.204432940075298892414161999234649,
    0.209482141084727828012999174891714,
)
_G_WEIGHTS = (
    0.129484966168869693270611432679082,
    0.279705391489276667901467771423780,
    0.381830050505118944950369775488975,
    0.417959183673469387755102040816327,
)
_NODES = np.concatenate([-np.array(_K), np.array(_K)[-2::-1]])
_KRONROD = np.concatenate([np.array(_K_WEIGHTS), np.array(_K_WEIGHTS)[-2::-1]])
_GAUSS = np.zeros(15)
_GAUSS[1::2] = np.concatenate([np.array(_G_WEIGHTS), np.array(_G_WEIGHTS)[-2::-1]])

# edges of the first panels, in widths from the centre
_FIRST = 4 * np.sinh(np.linspace(-30, 30, 73))
# gap between the two rules, relative to the whole, below which a panel is left alone
_ENOUGH = 1e-12
_DEEP = 12  # bisections after which more and more of a gap is let be
_BISECTIONS = 80
_PANELS = 4096  # panels done at once: bounds the memory
_MOST = 2**18  # panels of one bisection: an integral that settles takes a few hundred
_UNSETTLED = "an integral did not settle; please report the counts and the prior"


def bisect(
    log_integrand: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rows: np.ndarray,
    centre: np.ndarray,
    width: np.ndarray,
) -> np.ndarray:
    """Integrate exp(log_integrand) over the whole line; `centre` is near the top, `width` about
    that of the hump.

    `log_integrand` takes nodes of shape (panels, 15) and the index in `rows` of each panel, as
    `integrate`.

    Examples
    --------
    >>> import numpy as np
    >>> bend = lambda v, rows: -np.abs(v - 0.1) - np.log(2)
    >>> bisect(bend, np.array([0]), np.array([0.0]), np.array([1.0])).round(10).tolist()
    [1.0]
    """
    edges = centre[:, None] + width[:, None] * _FIRST
    owner = np.repeat(np.arange(centre.size), edges.shape[1] - 1)
    low, high = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    logs = _logs(log_integrand, rows, owner, low, high)
    top = np.full(rows.size, -np.inf)
    np.maximum.at(top, owner, logs.max(1))
    top = np.where(np.isfinite(top), top, 0.0)
    done = np.zeros(rows.size)
    for step in range(_BISECTIONS):
        heights = np.exp(logs - top[owner, None])
        half = (high - low) / 2
        masses = (heights @ _KRONROD) * half
        gaps = np.abs((heights @ _GAUSS) * half - masses)
        total = done + np.bincount(owner, masses, rows.size)
        if not np.isfinite(total).all():  # no bisection mends it
            raise ArithmeticError(_UNSETTLED)
        narrow = half <= 1e-15 * (np.abs(low) + np.abs(high))
        # deeper, the gap is rounding of huge parameters, which no bisection mends
        enough = _ENOUGH * 4.0 ** max(0, step - _DEEP)
        keep = (gaps <= enough * total[owner]) | narrow
        done += np.bincount(owner[keep], masses[keep], rows.size)
        low, high, owner = low[~keep], high[~keep], owner[~keep]
        if not owner.size:
            return done * np.exp(top)
        if 2 * owner.size > _MOST:
            raise ArithmeticError(_UNSETTLED)
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        owner = np.concatenate([owner, owner])
        logs = _logs(log_integrand, rows, owner, low, high)
    raise ArithmeticError(_UNSETTLED)


def _logs(
    log_integrand: Callable[[np.ndarray, np.ndarray], np.ndarray],
    rows: np.ndarray,
    owner: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """At the nodes of every panel."""
    nodes = ((low + high) / 2)[:, None] + ((high - low) / 2)[:, None] * _NODES
    blocks = [slice(k, k + _PANELS) for k in range(0, owner.size, _PANELS)]
    return np.concatenate([log_integrand(nodes[block], rows[owner[block]]) for block in blocks])


# Nodes lie at centre + 4 width sinh(tau): nearly even over the hump, then ever wider. (step, reach)
# of tau, tried
# in turn by the rows not yet settled; what is left goes to `bisect`.
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
    return (density(centre[..., None] + half[..., None] * places) @ weights) * half


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
            count = round(reach / step)
            tau = step * np.arange(-count, count + 1)
            v = centre[open_][:, None] + _SPREAD * width[open_][:, None] * np.sinh(tau)
            logs = log_integrand(v, rows[open_]) + np.log(np.cosh(tau))
            top = logs.max(axis=1)
            heights = np.exp(logs - np.where(np.isfinite(top), top, 0.0)[:, None])
            total = heights.sum(1)
            faded = np.maximum(heights[:, 0], heights[:, -1]) <= _FADED * total
            done = faded & _converged(heights, total) & ~_bent(logs, top) & np.isfinite(top)
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

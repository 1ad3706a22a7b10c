"""Bin(n, 1/2), the law of the wins among n decisive items, accurate in the tail for any n.

P(X >= w) is the incomplete Beta function, whose implementations lose digits for large n; above
10,000 it is integrated here, on the log odds of the Beta: P(X >= w) = w P(X = w) / 2 * integral of
exp(-(w - (n + 1) / 2) t) / cosh(t / 2)**(n + 1) over t > 0.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import special

from betterthan.exact.wins.beta import stirling

_BETAINC_MAX = 10_000  # up to here scipy's incomplete Beta is good to 1e-13; at 1e9 to 1e-10
_ROWS = 4_000  # integrals at once: 80 nodes each, some 3 MB an array
_TABLE = 8  # numbers a tuple, up to which a table of all that could be is faster than sorting
_FEW = 16  # pairs for which finding the distinct ones takes longer than it saves
# in widths of the integrand, which falls at least as fast as exp(-v)
_PANELS = (0.0, 4.0, 10.0, 20.0, 42.0)


def upper_tail(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for X ~ Bin(w + l, 1/2); 0 where l is -1 and 1 where w is -1."""
    flip = w <= l  # the smaller side is computed, and the other is one minus it
    p = over_distinct(_upper, _ROWS, np.where(flip, l + 1, w), np.where(flip, w - 1, l))
    return np.where(flip, 1 - p, p)


def exactly(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X = w) for X ~ Bin(w + l, 1/2): Loader's saddle point form, its deviance written free of
    cancellation.
    """
    n = (w + l).astype(float)
    none = (w == 0) | (l == 0)
    a, b = np.where(none, 1.0, w), np.where(none, 1.0, l)
    x = (a - b) / (a + b)
    deviance = 0.5 * (a + b) * (np.log1p(-x * x) + 2 * x * np.arctanh(x))
    correction = stirling(a) + stirling(b) - stirling(a + b)
    inside = np.sqrt((a + b) / (2 * np.pi * (a * b))) * np.exp(-deviance - correction)
    return np.where(none, np.exp2(-n), inside)


def over_distinct(
    function: Callable[..., np.ndarray], rows: int, *counts: np.ndarray
) -> np.ndarray:
    """`function` of 1-d arrays, called once for each distinct tuple of counts, so many rows at a
    time.
    """
    counts = tuple(np.broadcast_arrays(*counts))
    if counts[0].size <= _FEW:
        return function(*(c.ravel() for c in counts)).reshape(counts[0].shape)
    first, back = _distinct([c.ravel() for c in counts])
    distinct = [c.ravel()[first] for c in counts]
    blocks = range(0, len(first), rows)
    parts = [function(*(c[k : k + rows] for c in distinct)) for k in blocks]
    return np.concatenate(parts)[back].reshape(counts[0].shape)


def _distinct(counts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Index of the first of each distinct tuple of counts, and the inverse index of all tuples."""
    low = [int(c.min()) for c in counts]
    sizes = [int(c.max()) - least + 1 for c, least in zip(counts, low, strict=True)]
    cells = math.prod(sizes)
    if cells >= 2**63:
        rows = np.stack(counts)
        _, first, back = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        return first, back.ravel()
    key = np.zeros(counts[0].shape, dtype=np.int64)  # a tuple as one number
    for c, least, size in zip(counts, low, sizes, strict=True):
        key = key * size + (c - least)
    if cells > _TABLE * key.size:
        _, first, back = np.unique(key, return_index=True, return_inverse=True)
        return first, back
    place = np.full(cells, -1)
    place[key] = np.arange(key.size)
    present = np.flatnonzero(place >= 0)
    first = place[present]
    place[present] = np.arange(present.size)
    return first, place[key]


def _upper(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for w > l, 0 where l < 0."""
    p = np.where(l == 0, np.exp2(-w.astype(float)), 0.0)
    small, large = (l > 0) & (w + l <= _BETAINC_MAX), (l > 0) & (w + l > _BETAINC_MAX)
    p[small] = special.betainc(w[small], l[small] + 1.0, 0.5)
    if large.any():
        p[large] = _integrated(w[large], l[large])
    return p


def _integrated(w: np.ndarray, l: np.ndarray) -> np.ndarray:
    """P(X >= w) for w > l > 0, both large."""
    n = (w + l).astype(float)[:, None]
    slope = 0.5 * (w - l - 1)[:, None]
    width = 1 / (slope + 0.5 * np.sqrt(n + 1))
    x, weight = special.roots_legendre(20)
    edges = np.array(_PANELS)
    halves = 0.5 * np.diff(edges)[:, None]
    v, dv = (edges[:-1, None] + halves * (1 + x)).ravel(), (halves * weight).ravel()
    t = width * v
    log_cosh = np.log1p(2 * np.sinh(0.25 * t) ** 2)
    integral = (np.exp(-slope * t - (n + 1) * log_cosh) * dv).sum(-1) * width[:, 0]
    return 0.5 * w * exactly(w, l) * integral

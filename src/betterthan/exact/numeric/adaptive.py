"""Integrals by bisection with Gauss-Kronrod pairs, many at a time: slower, for integrands with a
bend.
"""

from collections.abc import Callable

import numpy as np

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
    `quadrature.integrate`.

    Examples
    --------
    >>> import numpy as np
    >>> bend = lambda v, rows: -np.abs(v - 0.1) - np.log(2)
    >>> bisect(bend, np.array([0]), np.array([0.0]), np.array([1.0])).round(10).tolist()
    [1.0]
    """
    low, high, owner = _first_panels(centre, width)
    logs = _logs(log_integrand, rows, owner, low, high)
    top = _tops(logs, owner, rows.size)
    done = np.zeros(rows.size)
    for step in range(_BISECTIONS):
        masses, gaps = _both_rules(np.exp(logs - top[owner, None]), (high - low) / 2)
        total = done + np.bincount(owner, masses, rows.size)
        if not np.isfinite(total).all():  # no bisection mends it
            raise ArithmeticError(_UNSETTLED)
        keep = _let_be(gaps, total[owner], low, high, step)
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


def _first_panels(
    centre: np.ndarray, width: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Low and high ends of panels, and whose they are."""
    edges = centre[:, None] + width[:, None] * _FIRST
    owner = np.repeat(np.arange(centre.size), edges.shape[1] - 1)
    return edges[:, :-1].ravel(), edges[:, 1:].ravel(), owner


def _tops(logs: np.ndarray, owner: np.ndarray, rows: int) -> np.ndarray:
    """The highest log of each row, 0 where there is none."""
    top = np.full(rows, -np.inf)
    np.maximum.at(top, owner, logs.max(1))
    return np.where(np.isfinite(top), top, 0.0)


def _both_rules(heights: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kronrod's mass of each panel, and how far Gauss's is from it."""
    masses = (heights @ _KRONROD) * half
    return masses, np.abs((heights @ _GAUSS) * half - masses)


def _let_be(
    gaps: np.ndarray, total: np.ndarray, low: np.ndarray, high: np.ndarray, step: int
) -> np.ndarray:
    """Which panels are good enough, or too narrow to be halved."""
    narrow = (high - low) / 2 <= 1e-15 * (np.abs(low) + np.abs(high))
    # deeper, the gap is rounding of huge parameters, which no bisection mends
    enough = _ENOUGH * 4.0 ** max(0, step - _DEEP)
    return (gaps <= enough * total) | narrow


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

"""Exact null distributions of randomization: every one of the 2**n ways to swap two systems'
responses.

Nothing is enumerated. For a sum of whole differences the distribution is a convolution, item by
item. For a ratio such as F, swapping leaves two sums over both systems fixed, so a lattice of two
dimensions holds the whole distribution: tp and errors moved from A to B (Noreen 1989, Computer
Intensive Methods for Testing Hypotheses, for the test; the lattice after Streitberg & Roehmel 1986,
Statistical Software Newsletter 12, who shift and add for sums). All terms are positive, so every
probability keeps its relative accuracy.
"""

import math

import numpy as np

from betterthan import names
from betterthan.exact.swaps import ratios
from betterthan.exact.wins.sign import sign_p

_TINY = float(np.finfo(float).tiny)  # the least p, where halving has no room left
_DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 18, 20, 25, 30, 32, 40, 50, 60, 64, 100)
_SCALES = (*_DIGITS, 128, 256, 1000, 1024, 10_000, 100_000, 1_000_000)
_HALVINGS = 1000  # at once: 2**1000 is still a float
_REACH = 10.5  # standard deviations: beyond them is less than 1e-15 of any p above 1e-8
_ROUNDING = 1e-15  # relative, of p
_LARGEST = 2**40  # of a score in whole units


def whole_scores(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """Scores as whole numbers and the scale that made them so, or None where no small scale does;
    NaN becomes 0.

    Scores in tenths become tenths: 0.1 + 0.2 and 0.3 are the same score.
    """
    filled = np.where(np.isnan(values), 0.0, values)
    allowed = 8 * np.finfo(float).eps
    for scale in _SCALES:
        scaled = filled * scale
        rounded = np.rint(scaled)
        if np.abs(rounded).max(initial=0) > _LARGEST:
            return None
        if (np.abs(scaled - rounded) <= allowed * np.maximum(np.abs(scaled), 1)).all():
            return rounded.astype(np.int64), scale
    return None


def sum_cells(differences: np.ndarray) -> int:
    """Cells of the null distribution of a sum of whole differences."""
    return int(np.abs(differences).sum()) // _common(differences) + 1


def sum_null(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums moved from A to B under all swaps, ascending, and their probabilities."""
    step = _common(differences)
    reduced = differences[differences != 0] // step
    start = int(np.minimum(reduced, 0).sum())
    p, _ = _lattice(np.abs(reduced)[:, None], np.zeros((reduced.size, 1), dtype=bool))
    return (start + np.arange(p.size)) * step, p


def sum_tails(differences: np.ndarray) -> tuple[float, float, float]:
    """Exact p, two-sided, greater and less, of the sum of whole differences (A - B) under swapping
    of A and B.
    """
    total = int(differences.sum())
    size = np.unique(np.abs(differences[differences != 0]))
    if size.size == 1:  # wins and losses of one size: a binomial
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        two, greater, less = (
            float(sign_p(wins, losses, alternative)) for alternative in names.ALTERNATIVES
        )
        return two, greater, less
    moved, p = sum_null(differences)
    swapped = total - 2 * moved
    return _tails(*_masses(p, np.abs(swapped) - abs(total), swapped - total))


def ratio_null(
    dx: np.ndarray, dy: np.ndarray, reach: float = math.inf
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, y) moved from A to B under all swaps, and their probabilities: arrays (x, 1), (1, y) and
    (x, y).

    With `reach`, sums that get farther than so many standard deviations from the middle are left
    out: at most `_beyond` of the mass.
    """
    keep = (dx != 0) | (dy != 0)
    step_x, step_y = _common(dx), _common(dy)
    steps = np.stack([dx[keep] // step_x, dy[keep] // step_y], axis=1)
    # one sum rising while the other falls is a step along the other diagonal
    p, first = _lattice(np.abs(steps), steps < 0, reach)
    start = np.minimum(steps, 0).sum(0) + first
    x = (start[0] + np.arange(p.shape[0])) * step_x
    y = (start[1] + np.arange(p.shape[1])) * step_y
    return x[:, None], y[None, :], p


def ratio_tails(
    xa: np.ndarray, ya: np.ndarray, xb: np.ndarray, yb: np.ndarray, k: int
) -> tuple[float, float, float]:
    """Exact p, two-sided, greater and less, of the difference of two ratios under swapping of A and
    B.

    Parameters are per item, int64; the score is k x / (k x + y) of the sums.
    """
    totals = tuple(np.asarray(v.sum()) for v in (xa, ya, xb, yb))
    reach = _REACH
    reached, left = _ratio_masses(*ratio_null(xa - xb, ya - yb, reach), totals, k)
    least = float(reached.min())
    if _beyond(reach) > _ROUNDING * least:  # what was left out would be seen in a p so small
        reach = math.sqrt(2 * math.log(8 / _ROUNDING / least)) if least > 0 else math.inf
        reached, left = _ratio_masses(*ratio_null(xa - xb, ya - yb, reach), totals, k)
    return _tails(reached, left)


def _beyond(reach: float) -> float:
    """Most of the mass whose sums, on their way, get so many standard deviations from the middle on
    one of two axes: Hoeffding's bound for the end, twice (Levy) for the way, two sides, two axes.
    """
    return 8 * math.exp(-(reach**2) / 2)


def _ratio_masses(
    x: np.ndarray, y: np.ndarray, p: np.ndarray, totals: tuple[np.ndarray, ...], k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mass of the tails, and what is left, of a distribution of sums moved."""
    # at a time: the comparison needs several arrays of this size
    rows = max(1, 500_000 // p.shape[1])
    reached, left = np.zeros(3), np.zeros(3)
    for start in range(0, p.shape[0], rows):
        part = slice(start, start + rows)
        mass = p[part]
        swapped = (totals[0] - x[part], totals[1] - y, totals[2] + x[part], totals[3] + y)
        # where no swap leads, sums may be negative
        swapped = tuple(np.where(mass > 0, v, 0) for v in swapped)
        two = ratios.gap(swapped, totals, k, two_sided=True)
        signed = ratios.gap(swapped, totals, k, two_sided=False)
        inside, outside = _masses(mass, two, signed)
        reached, left = reached + inside, left + outside
    return reached, left


def _lattice(
    steps: np.ndarray, falling: np.ndarray, reach: float = math.inf
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of all sums of steps, each taken or not with probability 1/2; (steps, axes) of
    sizes >= 0; and the sum at the first index of each axis.

    Where an axis is `falling`, not taking the step is what leads to the higher index.
    """
    # small steps first: the array stays small for longer
    order = np.argsort(steps.sum(1), kind="stable")
    low, high = _windows(steps[order], reach)
    shapes = high - low + 1
    cells = int(shapes.prod(1).max(initial=1))
    room, spare = np.empty(cells), np.empty(cells)
    p, origin = room[:1].reshape((1,) * steps.shape[1]), [0] * steps.shape[1]
    p[...] = 1
    ways = (steps[order], falling[order], low, shapes)
    columns = zip(*(way.tolist() for way in ways), strict=True)
    for k, (step, down, first, shape) in enumerate(columns, 1):
        grown = spare[: math.prod(shape)].reshape(shape)
        _take_or_leave(p, origin, grown, first, step, down)
        p, origin, room, spare = grown, first, spare, room
        if k % _HALVINGS == 0:  # the factors 1/2, in one pass over the array for all of them
            p *= 0.5**_HALVINGS
    p *= 0.5 ** (len(steps) % _HALVINGS)
    return p, np.array(origin)


def _take_or_leave(
    p: np.ndarray,
    origin: list[int],
    grown: np.ndarray,
    first: list[int],
    step: list[int],
    down: list[bool],
) -> None:
    """Add to `grown`, which starts at `first`, the sums of `p` with and without a step."""
    grown[...] = 0
    for take in (False, True):
        moved = [s if d != take else 0 for s, d in zip(step, down, strict=True)]
        source, target = _overlap(origin, p.shape, moved, first, list(grown.shape))
        grown[target] += p[source]


def _windows(steps: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """After each step the first and the last sum that is kept on each axis."""
    total = steps.cumsum(0)
    if not len(total) or math.isinf(reach):
        return np.zeros_like(total), total
    far = reach * np.sqrt((steps.astype(float) ** 2).sum(0))  # twice that many deviations
    low = np.maximum(np.ceil((total - far) / 2), 0).astype(np.int64)
    return low, total - low


def _overlap(
    origin: list[int], size: tuple[int, ...], moved: list[int], first: list[int], shape: list[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Slices of the moved sums inside the next window, and of their places there."""
    source, target = [], []
    for a, n, s, f, m in zip(origin, size, moved, first, shape, strict=True):
        begin, end = max(a + s, f), min(a + s + n, f + m)
        source.append(slice(begin - a - s, max(end - a - s, begin - a - s)))
        target.append(slice(begin - f, max(end - f, begin - f)))
    return tuple(source), tuple(target)


def _masses(
    p: np.ndarray, two_sided: np.ndarray, signed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mass where the gaps say that a tail is reached, and where not; two-sided, greater, less."""
    tails = two_sided >= 0, signed >= 0, signed <= 0
    return np.array([p[t].sum() for t in tails]), np.array([p[~t].sum() for t in tails])


def _tails(reached: np.ndarray, left: np.ndarray) -> tuple[float, float, float]:
    """Exactly 1 where no swap is left out, whatever rounding says, and never 0: the observed swap
    counts.
    """
    two, greater, less = np.where(left == 0, 1.0, np.clip(reached, _TINY, 1.0)).tolist()
    return two, greater, less


def _common(values: np.ndarray) -> int:
    """Greatest common divisor of the values, at least 1."""
    distinct = np.unique(np.abs(values))
    return max(1, math.gcd(*distinct.tolist()))

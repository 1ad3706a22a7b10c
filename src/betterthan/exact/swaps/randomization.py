"""Randomization: sets of swaps, exact null distributions, and p-values of counted exceedances.

A swap is a row of bits, one for each item: where it is 1 the two systems exchange their responses.
One set of swaps serves all pairs of systems. The bits stay packed, eight items in a byte, the first
one lowest. They come straight from the generator, a whole number of words for each swap, so the
size of a chunk does not change them.

If b of n random swaps are at least as extreme, the true p has the posterior Beta(1 + b, 1 + n - b)
under a uniform prior. The confidence in a level is its mass at or below the level.

The exact null distribution is that of all 2**n swaps, without enumeration. For a sum of whole
differences it is a convolution, item by item. For a ratio such as F, swapping leaves two sums over
both systems fixed, so a lattice of two dimensions holds it: tp and errors moved from A to B
(Noreen 1989, Computer Intensive Methods for Testing Hypotheses, for the test; the lattice after
Streitberg & Roehmel 1986, Statistical Software Newsletter 12, who shift and add for sums). All
terms are positive, so every probability keeps its relative accuracy.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.special import betainc, ndtr

from betterthan import names
from betterthan.exact.numeric.limits import fewest
from betterthan.exact.swaps import ratios
from betterthan.exact.wins.sign import sign_p

_WORD = 64
_FEW, _CACHED = 32, 2**20  # columns, and bits that stay in the processor's cache next to so few
_ALIGNED = 8  # columns that a matrix product takes at once
_FLOAT32 = 2**22  # sums below this, and four of them, float32 holds exactly
_HALF = 2**31  # below this two whole numbers share an int64
_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(
    np.int64
)


def random_swaps(items: int, shuffles: int, seed: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of at most `rows` random swaps, packed: uint8 (rows, bytes)."""
    words = max(1, -(-items // _WORD))
    source = np.random.PCG64(seed)
    for start in range(0, shuffles, rows):
        size = min(rows, shuffles - start)
        raw = source.random_raw(size * words).astype("<u8", copy=False)
        yield raw.view(np.uint8).reshape(size, words * 8)


def all_swaps(items: int, rows: int) -> Iterator[np.ndarray]:
    """Chunks of all 2**items swaps, packed; at most 63 items."""
    total = 2**items
    for start in range(0, total, rows):
        numbers = np.arange(start, min(start + rows, total), dtype="<u8")
        yield numbers.view(np.uint8).reshape(len(numbers), 8)


def unpacked(swaps: np.ndarray, items: int) -> np.ndarray:
    """One 0 or 1 for each item, uint8 (rows, item)."""
    bits = np.unpackbits(swaps, bitorder="little")  # flat is twice as fast as along an axis
    return bits.reshape(len(swaps), -1)[:, :items]


def tabled(responses: np.ndarray) -> bool:
    """Whether `moved` looks sums up by the byte: for one or two columns of whole numbers that is
    fastest.
    """
    columns = responses.reshape(len(responses), -1)
    few = columns.shape[1] <= 2 and columns.dtype.kind in "iu"
    return few and float(np.abs(columns).sum(0).max(initial=0)) < _HALF


def moved(swaps: np.ndarray, responses: np.ndarray) -> np.ndarray:
    """Sums of the swapped items' responses, (..., rows) from (item, ...), as floats; whole numbers
    stay exact.
    """
    flat = responses.reshape(len(responses), -1)
    if tabled(flat):
        return _looked_up(swaps, flat).reshape(*responses.shape[1:], len(swaps))
    integral = flat.dtype.kind in "iu"
    small = integral and float(np.abs(flat).sum(0).max(initial=0)) < _FLOAT32
    kind = np.float32 if small else np.float64
    items, number = flat.shape
    columns = np.zeros((items, -(-number // _ALIGNED) * _ALIGNED), kind)
    columns[:, :number] = flat
    sums = np.empty((number, len(swaps)), kind)
    rows = max(64, _CACHED // max(1, items)) if number < _FEW else len(swaps)
    buffer = np.empty((min(rows, len(swaps)), items), kind)
    for start in range(0, len(swaps), rows):
        part = slice(start, start + rows)
        bits = buffer[: len(swaps[part])]
        np.copyto(bits, unpacked(swaps[part], items))
        sums[:, part] = (bits @ columns)[:, :number].T
    return sums.reshape(*responses.shape[1:], len(swaps))


def _looked_up(swaps: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(column, rows): a table of 256 sums for every byte of items, both columns in one int64."""
    groups = -(-len(columns) // 8)
    packed = np.zeros(groups * 8, dtype=np.int64)
    packed[: len(columns)] = (
        columns[:, 0] * (2 * _HALF) + columns[:, 1] if columns.shape[1] == 2 else columns[:, 0]
    )
    tables = packed.reshape(groups, 8) @ _BYTES.T
    by_group = swaps[:, :groups].T.astype(np.intp, order="C")
    total, sums_byte = np.zeros((2, len(swaps)), dtype=np.int64)
    for table, byte in zip(tables, by_group, strict=True):
        # no byte is out of range; clip skips the search for one
        total += table.take(byte, out=sums_byte, mode="clip")
    if columns.shape[1] == 1:
        return total.astype(float)[None]
    sums = np.empty((2, len(swaps)))
    sums[1] = low = ((total + _HALF) & (2 * _HALF - 1)) - _HALF
    sums[0] = (total - low) >> 32
    return sums


_MORE_MAX = 2**50


def monte_carlo_p(exceedances: np.ndarray, shuffles: np.ndarray) -> np.ndarray:
    """(b + 1) / (n + 1), never 0 (Davison & Hinkley 1997, Bootstrap Methods and their Application,
    sec. 4.2).
    """
    return (exceedances + 1) / (shuffles + 1)


def monte_carlo_error(exceedances: np.ndarray, shuffles: np.ndarray) -> np.ndarray:
    """Standard error of a sampled p: the standard deviation of the posterior of the true one."""
    a, b = exceedances + 1.0, shuffles - exceedances + 1.0
    return np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))


def confidence_below(
    exceedances: np.ndarray, shuffles: np.ndarray, cutoff: np.ndarray | float
) -> np.ndarray:
    """Posterior probability that the true p is at or below the cutoff."""
    return betainc(exceedances + 1.0, shuffles - exceedances + 1.0, cutoff)


def more_shuffles(
    exceedances: np.ndarray, shuffles: np.ndarray, cutoff: float, confidence: float
) -> np.ndarray:
    """How many more shuffles would settle on which side of the cutoff p lies, if they go on as they
    have.

    0 where it is settled; inf where the share of exceedances is the cutoff itself.
    """
    b, n = (z.astype(float) for z in np.broadcast_arrays(exceedances, shuffles))
    rate = (b + 1) / (n + 2)

    def decided(more: np.ndarray) -> np.ndarray:
        sure = confidence_below(b + rate * more, n + more, cutoff)
        return (sure >= confidence) | (sure <= 1 - confidence)

    none = np.zeros(b.shape)
    more, never = fewest(decided, none, none, _MORE_MAX, 0.005)  # two digits are enough
    return np.where(never, np.inf, np.ceil(more))


def stopping_points(exceeds: np.ndarray, before: np.ndarray, stop_after: int) -> np.ndarray:
    """The shuffle (from 1) at which each pair reaches `stop_after` exceedances, 0 where it does
    not.

    `exceeds` is (pair, shuffle); `before` are the exceedances of earlier chunks (Besag & Clifford
    1991, Biometrika 78, 301-304).
    """
    total = before[:, None] + np.cumsum(exceeds, axis=1, dtype=np.int64)
    reached = total >= stop_after
    return np.where(reached.any(1), reached.argmax(1) + 1, 0)


_TINY = float(np.finfo(float).tiny)  # the least p, where halving has no room left
_DIGITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 18, 20, 25, 30, 32, 40, 50, 60, 64, 100)
_SCALES = np.array([*_DIGITS, 128, 256, 1000, 1024, 10_000, 100_000, 1_000_000])
_HALVINGS = 1000  # at once: 2**1000 is still a float
_ROUNDING = 1e-15  # relative, of p
_LARGEST = 2**40  # of a score in whole units
_TRIED = 64  # scores of which a scale is tried before it is of all


def whole_scores(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """Scores as whole numbers and the scale that made them so, or None where no small scale does;
    NaN becomes 0.

    Scores in tenths become tenths: 0.1 + 0.2 and 0.3 are the same score.
    """
    filled = np.where(np.isnan(values), 0.0, values)
    first, size = filled.ravel()[:_TRIED], np.abs(filled).max(initial=0)
    for k in np.flatnonzero(_whole(first[:, None] * _SCALES)):
        scale = int(_SCALES[k])
        scaled = filled * scale
        if np.rint(size * scale) > _LARGEST:
            return None
        if _whole(scaled).all():
            return np.rint(scaled).astype(np.int64), scale
    return None


def two_valued(scores: np.ndarray) -> bool:
    """Whether there are at most two distinct ones; without NaN."""
    if not scores.size:
        return True
    return bool(((scores == scores.min()) | (scores == scores.max())).all())


def _whole(scaled: np.ndarray) -> np.ndarray:
    """Whether all numbers of a column are whole but for rounding."""
    allowed = 8 * np.finfo(float).eps * np.maximum(np.abs(scaled), 1)
    return (np.abs(scaled - np.rint(scaled)) <= allowed).all(0)


def sum_tails(differences: np.ndarray) -> tuple[float, float, float]:
    """Exact p, two-sided, greater and less, of the sum of whole differences (A - B) under swapping
    of A and B.

    Each half of the items has its own distribution, in a quarter of the time of the whole one; the
    tail of their sum is one product with cumulated probabilities.
    """
    size = np.unique(np.abs(differences[differences != 0]))
    if size.size == 1:  # wins and losses of one size: a binomial
        wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
        two, greater, less = (
            float(sign_p(wins, losses, alternative)) for alternative in names.ALTERNATIVES
        )
        return two, greater, less
    reduced = differences[differences != 0] // _common(differences)
    ahead, behind = int(reduced[reduced > 0].sum()), int(-reduced[reduced < 0].sum())
    steps = np.sort(np.abs(reduced))
    first, rest = _sums(steps[::2]), _sums(steps[1::2])
    cumulated = np.cumsum(rest.astype(np.longdouble)).astype(float)

    def up_to(most: int) -> np.ndarray:
        """P(rest <= most - sum) for each sum of the first half."""
        index = most - np.arange(len(first))
        return np.where(index >= 0, cumulated[np.clip(index, 0, len(rest) - 1)], 0.0)

    # sums that move from A to B, from the lowest on: the same from both ends
    greater, less = (float(first @ up_to(most)) for most in (behind, ahead))
    low, high = sorted((ahead, behind))
    left = [first @ (up_to(high - 1) - up_to(low)) if low < high else 0.0, ahead, behind]
    return _tails(np.array([2 * min(greater, less), greater, less]), np.array(left))


def _sums(steps: np.ndarray) -> np.ndarray:
    """Probability of each sum of ascending steps, each taken or not with probability 1/2."""
    room = np.empty((2, int(steps.sum()) + 1))
    p = room[0, :1]
    p[:] = 1
    for k, step in enumerate(steps.tolist(), 1):
        size, grown = len(p), room[k % 2, : len(p) + step]
        both = min(step, size)
        grown[:both] = p[:both]
        grown[both:step] = 0
        np.add(p[both:], p[: size - both], out=grown[both:size])
        grown[max(step, size) :] = p[size - both :]
        p = grown
        if k % _HALVINGS == 0:  # the factors 1/2, in one pass over the array for all of them
            p *= 0.5**_HALVINGS
    p *= 0.5 ** (len(steps) % _HALVINGS)
    return p


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
    # a normal law of the gradients says about how small p is
    weights = float(ya.sum() + yb.sum()) * (xa - xb) - float(xa.sum() + xb.sum()) * (ya - yb)
    far = abs(weights.sum()) / max(math.sqrt((weights**2).sum()), _TINY)
    reach = _reach(float(ndtr(-far)) / 4)
    reached, left = _ratio_masses(*ratio_null(xa - xb, ya - yb, reach), totals, k)
    least = float(reached.min())
    if _beyond(reach) > _ROUNDING * least:  # what was left out would be seen in a p so small
        reached, left = _ratio_masses(*ratio_null(xa - xb, ya - yb, _reach(least)), totals, k)
    return _tails(reached, left)


def _reach(least: float) -> float:
    """How many standard deviations are kept, of a p not below `least`: see `_beyond`."""
    return math.sqrt(2 * math.log(8 / _ROUNDING / least)) if least > 0 else math.inf


def _beyond(reach: float) -> float:
    """Most of the mass whose sums, on their way, get so many standard deviations from the middle on
    one of two axes: Hoeffding's bound for the end, twice (Levy) for the way, two sides, two axes.
    """
    return 8 * math.exp(-(reach**2) / 2)


def _ratio_masses(
    x: np.ndarray, y: np.ndarray, p: np.ndarray, totals: tuple[np.ndarray, ...], k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mass of the tails, two-sided, greater and less, and what is left, of sums moved.

    The difference rises with the errors moved, so each x has a first y in a tail. The array is
    symmetric: what its other end holds is the swap of all others, with the negative difference.
    """
    first = np.zeros((2, *x.shape), dtype=np.int64)  # not below what is observed, and above it
    last = np.full_like(first, p.shape[1])
    while (first < last).any():
        middle = (first + last) // 2
        moved = y[0, np.minimum(middle, p.shape[1] - 1)]
        swapped = (totals[0] - x, totals[1] - moved, totals[2] + x, totals[3] + moved)
        gaps = ratios.gap(swapped, totals, k, two_sided=False)
        inside = np.stack([gaps[0] >= 0, gaps[1] > 0])
        inside |= middle == p.shape[1]
        first, last = np.where(inside, first, middle + 1), np.where(inside, middle, last)
    greater, above = np.arange(p.shape[1]) >= first
    xa, ya, xb, yb = (int(total) for total in totals)
    ahead = xa * max(k * xb + yb, 1) >= xb * max(k * xa + ya, 1)
    two = greater if ahead else ~above
    tails = two | two[::-1, ::-1], greater, ~above
    return np.array([p[t].sum() for t in tails]), np.array([p[~t].sum() for t in tails])


def _lattice(
    steps: np.ndarray, falling: np.ndarray, reach: float = math.inf
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of all sums of steps, each taken or not with probability 1/2; (steps, axes) of
    sizes >= 0; and the sum at the first index of each axis.

    Where an axis is `falling`, not taking the step is what leads to the higher index.
    """
    # small steps first: the array stays small for longer
    order = np.argsort(steps.sum(1), kind="stable")
    steps, leaving = steps[order], np.where(falling[order], steps[order], 0)
    low, high = _windows(steps, reach)
    shapes, moved = high - low + 1, np.diff(low, axis=0, prepend=0)
    # around the sums are zeros, so that one addition takes all of them with and without a step
    margin = steps.max(0, initial=0)
    row, column = margin.tolist()
    rooms = np.zeros((2, *(shapes.max(0, initial=1) + 2 * margin + 1)))
    p = rooms[0, row : row + 1, column : column + 1]
    p[...] = 1
    ways = (margin + moved - leaving, margin + moved - steps + leaving, shapes)
    columns = zip(*(way.tolist() for way in ways), strict=True)
    for k, ((i, j), (u, v), (rows, wide)) in enumerate(columns, 1):
        old, new = rooms[(k - 1) % 2], rooms[k % 2]
        p = new[row : row + rows, column : column + wide]
        np.add(old[i : i + rows, j : j + wide], old[u : u + rows, v : v + wide], out=p)
        new[row + rows] = new[:, column + wide] = 0  # a window may be smaller by one
        if k % _HALVINGS == 0:  # the factors 1/2, in one pass over the array for all of them
            p *= 0.5**_HALVINGS
    p *= 0.5 ** (len(steps) % _HALVINGS)
    return p, low[-1] if len(low) else np.zeros(2, dtype=np.int64)


def _windows(steps: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """After each step the first and the last sum that is kept on each axis."""
    total = steps.cumsum(0)
    if not len(total) or math.isinf(reach):
        return np.zeros_like(total), total
    far = reach * np.sqrt((steps.astype(float) ** 2).sum(0))  # twice that many deviations
    low = np.maximum(np.ceil((total - far) / 2), 0).astype(np.int64)
    return low, total - low


def _tails(reached: np.ndarray, left: np.ndarray) -> tuple[float, float, float]:
    """Exactly 1 where no swap is left out, whatever rounding says, and never 0: the observed swap
    counts.
    """
    two, greater, less = np.where(left == 0, 1.0, np.clip(reached, _TINY, 1.0)).tolist()
    return two, greater, less


def _common(values: np.ndarray) -> int:
    """Greatest common divisor of the values, at least 1."""
    return max(1, math.gcd(*np.unique(np.abs(values)).tolist()))

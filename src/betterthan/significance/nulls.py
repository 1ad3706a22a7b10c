"""Null distributions of all pairs: statistics under swaps, exact or sampled."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betterthan import names
from betterthan.counts.responses import Responses, evaluate
from betterthan.counts.shapes import pair_indices
from betterthan.exact.numeric import counting
from betterthan.exact.swaps import corrections, randomization, ratios
from betterthan.exact.wins.sign import upper_tail
from betterthan.progress import with_bar

_LONG_PERMUTATION = 1e8  # numbers permuted above which a bar is shown, some seconds
_ROUNDING = 1e-12  # relative; where sums are not of whole numbers, differences this close are equal


class Pairs:
    """All unordered pairs of systems, and their differences under a chunk of swaps.

    Methods take swaps, packed (rows, bytes), and answer (pair, rows); nothing of rows x systems x
    systems x items is ever made.
    """

    def __init__(self, responses: Responses) -> None:
        """Take the responses; sum what needs to be summed once."""
        self.responses = responses
        self.first, self.second = pair_indices(len(responses.systems))
        # with few pairs, or where every pair has its own shared items, differences are summed,
        # otherwise systems
        self.paired = self.first.size <= len(responses.systems) or responses.gaps
        if responses.kind == "custom":
            self.scores = evaluate(responses, np.moveaxis(responses.values, 1, 0))
            return
        self.totals: Any  # of a sum half of them, (pair, 1)
        self._differences = np.empty(0)
        columns = self.item_differences() if self.paired else responses.values
        self.columns = np.moveaxis(columns, 1, -1)  # (item, ..., pair or system)
        if responses.kind == "sum":
            self._half = half = columns.sum(0)[:, None] / 2
            self.totals = half if self.paired else half[self.first] - half[self.second]
        else:
            totals = responses.values.sum(0).astype(float)[..., None]
            a, b = totals[self.first], totals[self.second]
            self.totals = (*_components(a), *_components(b))

    def item_differences(self) -> np.ndarray:
        """Differences (item, pair, ...), 0 where a score is missing."""
        r = self.responses
        differences = r.values[:, self.first] - r.values[:, self.second]
        if r.gaps:
            differences = np.where(
                (r.observed[:, self.first] > 0) & (r.observed[:, self.second] > 0), differences, 0
            )
        return differences

    def width(self) -> int:
        """Numbers made for each swap."""
        r = self.responses
        inner = int(np.prod(r.values.shape[2:]))
        if r.kind == "custom":
            return len(r.values) * inner
        return max(
            len(r.values) // (8 if randomization.tabled(self.columns) else 1),
            self.first.size * inner,
        )

    def reached(self, swaps: np.ndarray, tails: list[int]) -> np.ndarray:
        """(tail, pair, rows): whether a swap is at least as extreme as what was observed."""
        if self.responses.kind == "sum":
            moved, near, half = self._moved(swaps), self._rounding / 2, self.totals
            kind = moved.dtype
            reached = {GREATER: moved <= (near - half).astype(kind)} if GREATER in tails else {}
            if LESS in tails:
                reached[LESS] = moved >= (-near - half).astype(kind)
            if TWO_SIDED in tails:  # in place, for a new array would take longer
                size = np.abs(moved, out=moved)
                reached[TWO_SIDED] = size >= (np.abs(half) - near).astype(kind)
            return np.stack([reached[t] for t in tails]) if tails[1:] else reached[tails[0]][None]
        gaps = {
            two_sided: self._gaps(swaps, two_sided) for two_sided in {t == TWO_SIDED for t in tails}
        }
        return np.stack(
            [gaps[False] <= 0 if t == LESS else gaps[t == TWO_SIDED] >= 0 for t in tails]
        )

    def _gaps(self, swaps: np.ndarray, two_sided: bool) -> np.ndarray:
        """Numbers with the sign of the swapped difference less the observed one."""
        r = self.responses
        if r.kind == "ratio":
            return ratios.gap(self._swapped(swaps), self.totals, r.k, two_sided)
        if r.kind == "macro":
            return ratios.macro_gap(self._swapped(swaps), self.totals, r.k, two_sided)
        observed = (self.scores[self.first] - self.scores[self.second])[:, None]
        signs = self._custom(swaps)
        signs = np.abs(signs) - np.abs(observed) if two_sided else signs - observed
        signs[np.abs(signs) <= _ROUNDING * np.abs(self.scores).max()] = 0
        return signs

    def sizes(self, swaps: np.ndarray) -> np.ndarray:
        """The swapped difference without its sign."""
        r = self.responses
        if r.kind == "custom":
            return np.abs(self._custom(swaps))
        if r.kind == "sum":
            return np.abs(2 * self._moved(swaps))
        xa, ya, xb, yb = self._swapped(swaps)
        difference = ratios.score(xa, ya, r.k) - ratios.score(xb, yb, r.k)
        return np.abs(difference.mean(0) if r.kind == "macro" else difference)

    def observed_sizes(self) -> np.ndarray:
        """(pair,): the observed difference without its sign, in the units of `sizes`."""
        return self.sizes(np.zeros((1, -(-len(self.responses.values) // 8)), dtype=np.uint8))[:, 0]

    def _moved(self, swaps: np.ndarray) -> np.ndarray:
        """(..., pair, rows): what the swaps take from A and give to B; of a sum less half of the
        difference, so that it is half of the swapped one, B - A.
        """
        moved = randomization.moved(swaps, self.columns)
        if self.responses.kind == "sum":
            moved -= self._half.astype(moved.dtype)
        if self.paired:
            return moved
        *inner, systems, rows = moved.shape
        shape = *inner, self.first.size, rows
        if self._differences.shape != shape or self._differences.dtype != moved.dtype:
            self._differences = np.empty(shape, moved.dtype)
        differences = self._differences  # of the chunk before, for a new array would take longer
        start = 0  # pairs of a first system stand together: each is a difference of slices
        for a in range(systems - 1):
            stop = start + systems - 1 - a
            a_moved, others = moved[..., a : a + 1, :], moved[..., a + 1 :, :]
            np.subtract(a_moved, others, out=differences[..., start:stop, :])
            start = stop
        return differences

    def _swapped(self, swaps: np.ndarray) -> tuple[np.ndarray, ...]:
        """(x, y) of A, then of B, after the swaps; each ([label,] pair, rows)."""
        moved = self._moved(swaps)
        x, y = moved[..., 0, :, :], moved[..., 1, :, :]
        xa, ya, xb, yb = self.totals
        return xa - x, ya - y, xb + x, yb + y

    def _custom(self, swaps: np.ndarray) -> np.ndarray:
        """Differences of the caller's function, (pair, rows)."""
        values, pairs = self.responses.values, zip(self.first, self.second, strict=True)
        mask = randomization.unpacked(swaps, len(values)).astype(bool)
        mask = mask.reshape(*mask.shape, *[1] * (values.ndim - 2))

        def score(kept: int, swapped: int) -> np.ndarray:
            return evaluate(self.responses, np.where(mask, values[:, swapped], values[:, kept]))

        return np.stack([score(a, b) - score(b, a) for a, b in pairs])

    @cached_property
    def _rounding(self) -> np.ndarray | float:
        """How far apart sums are that count as equal, (pair, 1)."""
        if self.responses.values.dtype.kind != "f":
            return 0
        return _ROUNDING * np.abs(self.item_differences()).sum(0)[:, None]


def _components(totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """X and y, each ([label,] pair, 1), of totals (pair, [label,] x y, 1)."""
    x, y = totals[..., 0, :], totals[..., 1, :]
    return x.swapaxes(0, -2), y.swapaxes(0, -2)


def permuted_ranges(responses: Responses, shuffles: int, seed: int, rows: int) -> np.ndarray:
    """Largest difference between any two systems, when systems are permuted within every item;
    (shuffles,).
    """
    values = responses.values
    items, systems = values.shape[:2]
    score = _scorer(responses)
    source, ranges = np.random.default_rng(seed), []
    starts = range(0, shuffles, rows)
    for start in with_bar(
        starts, len(starts), "permutations", long=float(shuffles) * values.size > _LONG_PERMUTATION
    ):
        order = source.random((min(rows, shuffles - start), items, systems)).argsort(-1)
        order = order.reshape(*order.shape, *[1] * (values.ndim - 2))
        sums = np.take_along_axis(values[None], order, axis=2).sum(1)
        ranges.append(np.ptp(score(sums), axis=1))
    return np.concatenate(ranges)


def _scorer(responses: Responses) -> Callable[[np.ndarray], np.ndarray]:
    """From sums (rows, system, ...) to scores in the units of `Pairs.sizes`."""
    if responses.kind == "sum":
        return lambda sums: sums
    if responses.kind == "ratio":
        return lambda sums: ratios.score(sums[..., 0], sums[..., 1], responses.k)
    return lambda sums: ratios.score(sums[..., 0], sums[..., 1], responses.k).mean(-1)


_NUMBERS = 2**20  # held at once by a chunk of swaps: they stay in the processor's cache
_LONG = 2e9  # additions above which a bar is shown

TWO_SIDED, GREATER, LESS = 0, 1, 2


@dataclass(frozen=True)
class Tails:
    """Tail probabilities (tail, pair), and the shuffles they were counted in, where they were
    sampled.
    """

    p: np.ndarray
    exceedances: np.ndarray | None = None
    shuffles: np.ndarray | None = None
    adjusted: np.ndarray | None = None  # (pair,), by max_t or tukey
    critical: tuple[float, float] | None = None  # of tukey: the critical difference and its error


@dataclass(frozen=True)
class Drawn:
    """How swaps are drawn at random."""

    shuffles: int
    seed: int
    stop_after: int | None = None  # exceedances at which a pair needs no more
    joint: str | None = None  # max_t or tukey
    cutoff: float = names.CUTOFF  # of the critical difference


def plan(responses: Responses, method: str, most: int | None = None) -> tuple[str, str]:
    """(how, why): binomial, convolution, lattice, enumeration or monte_carlo; with at most so many
    additions, by default `names.LATTICE_WORK_MAX`.
    """
    most = names.LATTICE_WORK_MAX if most is None else most
    if method == "monte_carlo":
        return method, "asked for"
    items = len(responses.values)
    how = _exact_way(responses)
    if how != "enumeration":
        limit = np.inf if method == "exact" else most
        largest, work = _cost(responses, limit) if how != "binomial" else (0, 0)
        if largest <= names.LATTICE_CELLS_MAX and (method == "exact" or work <= most):
            return how, "every swap counts"
        why = f"the exact null would need {largest:,} cells of at most {names.LATTICE_CELLS_MAX:,}"
        if largest <= names.LATTICE_CELLS_MAX:
            why = f"the exact nulls would need more than {most:.0e} additions"
    else:
        why = (
            f"{items} items are more than the {names.ENUMERATION_MAX} of which all swaps are tried"
        )
    if items <= names.ENUMERATION_MAX:
        return "enumeration", f"all {2**items:,} swaps tried"
    if method == "exact":
        raise ValueError(
            f"method='exact' is not possible here: {why}; use method='monte_carlo' or 'auto'"
        )
    return "monte_carlo", why


def exact_tails(responses: Responses, how: str) -> Tails:
    """All three tails of every pair, without sampling."""
    pairs = Pairs(responses)
    if how == "binomial":
        return Tails(_binomial(responses, pairs))
    if how == "enumeration":
        items = len(responses.values)
        counted = np.zeros((3, pairs.first.size))
        for swaps in randomization.all_swaps(items, _rows(pairs, 2**items)):
            counted += pairs.reached(swaps, [TWO_SIDED, GREATER, LESS]).sum(-1)
        return Tails(counted / 2**items)
    total = pairs.first.size
    columns = zip(pairs.first, pairs.second, strict=True)
    bar = with_bar(columns, total, "exact null distributions", long=_cost(responses)[1] > _LONG)
    return Tails(np.array([_pair_tails(responses, pairs, n) for n, _ in enumerate(bar)]).T)


def sampled_tails(responses: Responses, tails: list[int], drawn: Drawn) -> Tails:
    """The asked tails of every pair, counted in one set of random swaps for all."""
    pairs = Pairs(responses)
    tally = _Tally.empty((len(tails), pairs.first.size), drawn)
    squares = np.zeros(pairs.first.size)
    before = 0
    for swaps in _chunks(pairs, drawn):
        tally.add(pairs.reached(swaps, tails), before)
        if drawn.joint == "max_t":
            squares += (pairs.sizes(swaps) ** 2).sum(-1)
        if not tally.open.any():
            break
        before += len(swaps)
    adjusted, critical = None, None
    if drawn.joint == "tukey":
        adjusted, critical = _tukey(pairs, drawn)
    elif drawn.joint:
        adjusted = _max_t(pairs, drawn, squares)
    return Tails(tally.p(), tally.counted, tally.done, adjusted, critical)


def _count(reached: np.ndarray) -> np.ndarray:
    """The true of each row, by eight at once where that is possible."""
    if reached.shape[-1] % 8 or not reached.flags.c_contiguous:
        return reached.sum(-1, dtype=np.int32)
    return np.bitwise_count(reached.view(np.uint64)).sum(-1, dtype=np.int32)


@dataclass
class _Tally:
    """How often swaps reached the observed difference (tail, pair), and in how many of them."""

    counted: np.ndarray
    done: np.ndarray
    open: np.ndarray  # not stopped yet
    stop_after: int | None

    @classmethod
    def empty(cls, shape: tuple[int, int], drawn: Drawn) -> "_Tally":
        counted, done = np.zeros(shape, dtype=np.int64), np.full(shape, drawn.shuffles)
        return cls(counted, done, np.ones(shape, dtype=bool), drawn.stop_after)

    def add(self, reached: np.ndarray, before: int) -> None:
        """Count a chunk (tail, pair, rows) that comes after `before` swaps."""
        if self.stop_after is None:
            self.counted += _count(reached)
            return
        for tail, rows in enumerate(reached):
            point = randomization.stopping_points(rows, self.counted[tail], self.stop_after)
            stopped = self.open[tail] & (point > 0)
            self.done[tail, stopped] = before + point[stopped]
            self.counted[tail] += np.where(self.open[tail] & ~stopped, rows.sum(-1), 0)
            self.counted[tail, stopped] = self.stop_after
            self.open[tail] &= ~stopped

    def p(self) -> np.ndarray:
        """Tail probabilities: b + 1 of n + 1, or b of n where it was stopped at the b-th."""
        sampled = randomization.monte_carlo_p(self.counted, self.done)
        return np.where(self.open, sampled, self.counted / self.done)


_SLACK = 1 - 1e-12  # sizes are floats here: what differs by rounding counts as reached


def _tukey(pairs: Pairs, drawn: Drawn) -> tuple[np.ndarray, tuple[float, float]]:
    """Adjusted p-values, and the critical difference, of permutations of all systems."""
    responses, shuffles = pairs.responses, drawn.shuffles
    rows = max(1, 8 * _NUMBERS // responses.values.size)
    ranges = np.sort(permuted_ranges(responses, shuffles, drawn.seed, rows))
    above = shuffles - np.searchsorted(ranges, pairs.observed_sizes() * _SLACK, side="left")
    adjusted = randomization.monte_carlo_p(above, np.full(above.shape, shuffles))
    if responses.kind == "sum":  # from sums to means
        ranges = ranges / np.max(responses.items) / responses.scale
    return adjusted, corrections.critical_difference(ranges / _SLACK, drawn.cutoff)


def _max_t(pairs: Pairs, drawn: Drawn, squares: np.ndarray) -> np.ndarray:
    """Adjusted p-values of standardized differences under joint swaps, step-down."""
    shuffles, observed = drawn.shuffles, pairs.observed_sizes()
    scale = np.sqrt(squares / shuffles)
    scale[scale == 0] = np.inf  # never differs, in no swap
    counted = np.zeros(observed.size, dtype=np.int64)
    for swaps in _chunks(pairs, drawn):
        counted += corrections.step_down_maxima(
            observed / scale * _SLACK, pairs.sizes(swaps).T / scale
        )
    return corrections.monotone_p(observed / scale, counted, shuffles)


def _chunks(pairs: Pairs, drawn: Drawn) -> Iterator[np.ndarray]:
    rows, items = _rows(pairs, drawn.shuffles), len(pairs.responses.values)
    chunks = randomization.random_swaps(items, drawn.shuffles, drawn.seed, rows)
    long = float(drawn.shuffles) * pairs.width() > _LONG
    return with_bar(chunks, -(-drawn.shuffles // rows), "shuffles", long)


def _rows(pairs: Pairs, most: int) -> int:
    return int(np.clip(_NUMBERS // max(1, pairs.width()), 16, most))


def _exact_way(responses: Responses) -> str:
    if responses.kind == "ratio":
        return "lattice"
    if responses.kind == "sum" and responses.values.dtype.kind in "iu":
        return "binomial" if _two_levels(responses) else "convolution"
    return "enumeration"


def _two_levels(responses: Responses) -> bool:
    present = responses.values[responses.observed > 0]
    return randomization.two_valued(present) and responses.observed.max() <= 1


def _cost(responses: Responses, most: float = np.inf) -> tuple[int, int]:
    """Cells of the largest exact null, and additions for all; or for some, if more than `most`."""
    ratio = responses.kind == "ratio"
    # (system, [x y,] item): sums over items are faster along memory
    values = np.ascontiguousarray(np.moveaxis(responses.values, 0, -1))
    observed = np.ascontiguousarray(responses.observed.T > 0)
    largest, work = 0, 0.0
    for k in range(1, len(values)):
        steps = np.abs(values[:k] - values[k])
        if responses.gaps:
            both = observed[:k] & observed[k]
            steps *= both[:, None] if ratio else both
        cells = steps.sum(-1) + 1.0
        if ratio:
            cells, steps = cells.prod(-1), steps.any(1)
        largest = max(largest, int(cells.max()))
        work += float((cells * np.count_nonzero(steps, axis=-1)).sum())
        if work > most:
            break
    return largest, int(work)


def _binomial(responses: Responses, pairs: Pairs) -> np.ndarray:
    """Scores of two values: the sign test with ties dropped."""
    if pairs.paired:
        won, lost = pairs.columns > 0, pairs.columns < 0
        wins, losses = np.count_nonzero(won, axis=0), np.count_nonzero(lost, axis=0)
    else:
        values = np.where(responses.observed > 0, responses.values, np.nan).astype(float)
        wins, losses, _ = counting.count(values, 0.0)[pairs.first, pairs.second].T
    greater, less = upper_tail(np.stack([wins, losses]), np.stack([losses, wins]))
    return np.stack([np.minimum(1.0, 2 * np.minimum(greater, less)), greater, less])


def _pair_tails(responses: Responses, pairs: Pairs, n: int) -> tuple[float, float, float]:
    a, b = pairs.first[n], pairs.second[n]
    if responses.kind == "ratio":
        x, y = responses.values[..., 0], responses.values[..., 1]
        return randomization.ratio_tails(x[:, a], y[:, a], x[:, b], y[:, b], responses.k)
    both = (responses.observed[:, a] > 0) & (responses.observed[:, b] > 0)
    return randomization.sum_tails(
        np.where(both, responses.values[:, a] - responses.values[:, b], 0)
    )

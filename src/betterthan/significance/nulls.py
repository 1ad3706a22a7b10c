"""Tails of the null distribution for all pairs: exact where it can be held in memory, sampled
otherwise.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from betterthan import names
from betterthan.counts.responses import Responses
from betterthan.exact.numeric import counting
from betterthan.exact.swaps import corrections, levels, randomization, shuffling
from betterthan.exact.wins.halves import upper_tail
from betterthan.progress import with_bar
from betterthan.significance.swapping import Pairs, permuted_ranges

_NUMBERS = 2**18  # held at once by a chunk of swaps: they stay in the processor's cache
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


@dataclass(frozen=True)
class Drawn:
    """How swaps are drawn at random."""

    shuffles: int
    seed: int
    stop_after: int | None = None  # exceedances at which a pair needs no more
    joint: str | None = None  # max_t or tukey


def plan(responses: Responses, method: str) -> tuple[str, str]:
    """(how, why): binomial, convolution, lattice, enumeration or monte_carlo."""
    if method == "monte_carlo":
        return method, "asked for"
    items = len(responses.values)
    how = _exact_way(responses)
    if how != "enumeration":
        largest, work = _cost(responses) if how != "binomial" else (0, 0)
        if largest <= names.LATTICE_CELLS_MAX and (
            method == "exact" or work <= names.LATTICE_WORK_MAX
        ):
            return how, "every swap counts"
        why = f"the exact null would need {largest:,} cells of at most {names.LATTICE_CELLS_MAX:,}"
        if largest <= names.LATTICE_CELLS_MAX:
            most = f"{names.LATTICE_WORK_MAX:.0e}"
            why = f"the exact nulls would need {work:.1e} additions of at most {most}"
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
        for swaps in shuffling.all_swaps(items, _rows(pairs, 2**items)):
            counted += _reached(pairs, swaps, [TWO_SIDED, GREATER, LESS]).sum(-1)
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
        tally.add(_reached(pairs, swaps, tails), before)
        if drawn.joint == "max_t":
            squares += (pairs.sizes(swaps) ** 2).sum(-1)
        if not tally.open.any():
            break
        before += len(swaps)
    adjusted = _joint(pairs, drawn, squares) if drawn.joint else None
    return Tails(tally.p(), tally.counted, tally.done, adjusted)


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
            self.counted += reached.sum(-1)
            return
        for tail, rows in enumerate(reached):
            point = levels.stopping_points(rows, self.counted[tail], self.stop_after)
            stopped = self.open[tail] & (point > 0)
            self.done[tail, stopped] = before + point[stopped]
            self.counted[tail] += np.where(self.open[tail] & ~stopped, rows.sum(-1), 0)
            self.counted[tail, stopped] = self.stop_after
            self.open[tail] &= ~stopped

    def p(self) -> np.ndarray:
        """Tail probabilities: b + 1 of n + 1, or b of n where it was stopped at the b-th."""
        sampled = levels.monte_carlo_p(self.counted, self.done)
        return np.where(self.open, sampled, self.counted / self.done)


def _joint(pairs: Pairs, drawn: Drawn, squares: np.ndarray) -> np.ndarray:
    shuffles = drawn.shuffles
    observed = pairs.observed_sizes()
    slack = 1 - 1e-12  # sizes are floats here: what differs by rounding counts as reached
    if drawn.joint == "tukey":
        responses = pairs.responses
        rows = max(1, 8 * _NUMBERS // responses.values.size)
        ranges = np.sort(permuted_ranges(responses, shuffles, drawn.seed, rows))
        above = shuffles - np.searchsorted(ranges, observed * slack, side="left")
        return levels.monte_carlo_p(above, np.full(above.shape, shuffles))
    scale = np.sqrt(squares / shuffles)
    scale[scale == 0] = np.inf  # never differs, in no swap
    counted = np.zeros(observed.size, dtype=np.int64)
    for swaps in _chunks(pairs, drawn):
        counted += corrections.step_down_maxima(
            observed / scale * slack, pairs.sizes(swaps).T / scale
        )
    return corrections.monotone_p(observed / scale, counted, shuffles)


def _chunks(pairs: Pairs, drawn: Drawn) -> Iterator[np.ndarray]:
    rows, items = _rows(pairs, drawn.shuffles), len(pairs.responses.values)
    chunks = shuffling.random_swaps(items, drawn.shuffles, drawn.seed, rows)
    long = float(drawn.shuffles) * pairs.width() > _LONG
    return with_bar(chunks, -(-drawn.shuffles // rows), "shuffles", long)


def _rows(pairs: Pairs, most: int) -> int:
    return int(np.clip(_NUMBERS // max(1, pairs.width()), 16, most))


def _reached(pairs: Pairs, swaps: np.ndarray, tails: list[int]) -> np.ndarray:
    """(tail, pair, rows): whether a swap is at least as extreme as what was observed."""
    if tails == [TWO_SIDED]:
        return (pairs.gaps(swaps, two_sided=True) >= 0)[None]
    signed = pairs.gaps(swaps, two_sided=False)
    both = pairs.gaps(swaps, two_sided=True) if TWO_SIDED in tails else signed
    by_tail = {TWO_SIDED: both >= 0, GREATER: signed >= 0, LESS: signed <= 0}
    return np.stack([by_tail[tail] for tail in tails])


def _exact_way(responses: Responses) -> str:
    if responses.kind == "ratio":
        return "lattice"
    if responses.kind == "sum" and responses.values.dtype.kind in "iu":
        return "binomial" if _two_levels(responses) else "convolution"
    return "enumeration"


def _two_levels(responses: Responses) -> bool:
    present = responses.values[responses.seen > 0]
    return (
        bool(present.size == 0 or ((present == present.min()) | (present == present.max())).all())
        and responses.seen.max() <= 1
    )


def _cost(responses: Responses) -> tuple[int, int]:
    """Cells of the largest exact null, and additions for all."""
    values = responses.values if responses.kind == "ratio" else responses.values[..., None]
    largest, work = 0, 0.0
    for k in range(1, values.shape[1]):
        steps = np.abs(values[:, :k] - values[:, k : k + 1])
        if responses.gaps:
            steps *= ((responses.seen[:, :k] > 0) & (responses.seen[:, k : k + 1] > 0))[..., None]
        cells = np.prod(steps.sum(0).astype(float) + 1, axis=-1)
        largest = max(largest, int(cells.max()))
        work += float((cells * (steps.any(-1)).sum(0)).sum())
    return largest, int(work)


def _binomial(responses: Responses, pairs: Pairs) -> np.ndarray:
    """Scores of two values: the sign test with ties dropped."""
    if pairs.paired:
        won, lost = pairs.columns > 0, pairs.columns < 0
        wins, losses = np.count_nonzero(won, axis=0), np.count_nonzero(lost, axis=0)
    else:
        values = np.where(responses.seen > 0, responses.values, np.nan).astype(float)
        wins, losses, _ = counting.count(values, 0.0)[pairs.first, pairs.second].T
    greater, less = upper_tail(np.stack([wins, losses]), np.stack([losses, wins]))
    return np.stack([np.minimum(1.0, 2 * np.minimum(greater, less)), greater, less])


def _pair_tails(responses: Responses, pairs: Pairs, n: int) -> tuple[float, float, float]:
    a, b = pairs.first[n], pairs.second[n]
    if responses.kind == "ratio":
        x, y = responses.values[..., 0], responses.values[..., 1]
        return randomization.ratio_tails(x[:, a], y[:, a], x[:, b], y[:, b], responses.k)
    both = (responses.seen[:, a] > 0) & (responses.seen[:, b] > 0)
    return randomization.sum_tails(
        np.where(both, responses.values[:, a] - responses.values[:, b], 0)
    )

"""Scores that come in blocks of items: what each block says, in tables that add up.

Wins and shared items of all pairs, and sums that say the rest, of one block; two can be added. Of
scores of 0 and 1 everything follows from products of "right" and "has a score", exact in float32
within a leaf and in whole numbers across leaves. Of graded scores there are sums of products about
means that are known; a unit is an item.

Random weights and swaps of items depend on the seed and the item's number alone, so that blocks can
be cut and shared out in any way. Each group of 64 items, by their number, has a place of its own on
the counter of Philox (Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3,
doi:10.1145/2063384.2063405).
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from operator import add, or_
from typing import Self

import numpy as np

from betterthan import names
from betterthan.exact.joint.units import PairMeans, width_of
from betterthan.exact.numeric import counting

LEAF = 8192  # items: a copy of them as float32 stays small, and their sums exact


@dataclass(frozen=True)
class Rule:
    """How numbers of a block are read as scores."""

    systems: tuple[str, ...]
    code: int | None = None  # stands for a missing score in whole numbers
    missing: str = "pairwise"
    worst: float = 0.0  # of a missing score that counts as wrong


@dataclass(frozen=True)
class Leaf:
    """Scores (item, system), 0 where missing, and a mask of those present (None: all)."""

    first: int  # number of the first item
    values: np.ndarray
    present: np.ndarray | None
    blank: int  # scores missing before any policy

    @cached_property
    def right_or_wrong(self) -> bool:
        """Whether all scores are 0 and 1."""
        x = self.values
        if x.dtype.kind in "iub":
            return bool(x.max(initial=0) <= 1) and bool(x.min(initial=0) >= 0)
        return bool(((x == 0) | (x == 1)).all())


def leaves(block: np.ndarray, start: int, rule: Rule) -> Iterator[Leaf]:
    """The leaves of a block whose first item has the number `start`.

    Raises
    ------
    ValueError
        If a number is no score, or one is missing where none may be.
    """
    offset = 0
    while offset < len(block):
        size = LEAF - (start + offset) % LEAF
        yield from _read(block[offset : offset + size], start + offset, rule)
        offset += size


def _read(x: np.ndarray, first: int, rule: Rule) -> Iterator[Leaf]:
    gone = _gaps(x, first, rule)
    blank = 0 if gone is None else int(gone.sum())
    if gone is None or not blank:
        yield Leaf(first, x, None, 0)
        return
    if rule.missing == "error":
        row, column = np.argwhere(gone)[0]
        raise ValueError(
            f"item {first + int(row)} has no score for {rule.systems[column]!r}; complete it, or "
            "pass missing='pairwise', 'complete' or 'wrong'"
        )
    if rule.missing == "complete":
        yield Leaf(first, x[~gone.any(1)], None, blank)
    elif rule.missing == "wrong":
        yield Leaf(first, np.where(gone, x.dtype.type(rule.worst), x), None, blank)
    else:
        yield Leaf(first, np.where(gone, x.dtype.type(0), x), ~gone, blank)


def _gaps(x: np.ndarray, first: int, rule: Rule) -> np.ndarray | None:
    """Where a score is missing; None where none can be."""
    if x.dtype.kind == "f":
        if np.isinf(x).any():
            _refuse(x, np.isinf(x), first, rule, "infinite; give a finite number or leave blank")
        return np.isnan(x)
    if x.dtype.kind in "ub":
        return None if rule.code is None else x == rule.code
    gone = None if rule.code is None else x == rule.code
    if x.min(initial=0) < 0:
        odd = x < 0 if gone is None else (x < 0) & ~gone
        if odd.any():
            value = x[odd].flat[0]
            _refuse(
                x,
                odd,
                first,
                rule,
                f"{value} in {x.dtype}: if that stands for a missing score, say so: "
                f"attrs['missing_value'] = {value}",
            )
    return gone


def _refuse(x: np.ndarray, odd: np.ndarray, first: int, rule: Rule, why: str) -> None:
    row, column = np.argwhere(odd)[0]
    raise ValueError(f"the score of item {first + int(row)} and {rule.systems[column]!r} is {why}")


_COLUMNS = 4
_EXACT = 2**24  # below, float32 holds whole numbers
_STEP = np.uint64(0x9E3779B97F4A7C15)


def marked(leaf: Leaf, rule: Rule) -> int:
    """Fingerprint of one leaf; it depends on the order of items, not of systems."""
    rows = _row_hashes(leaf, rule)
    numbers = np.arange(leaf.first, leaf.first + len(rows), dtype=np.uint64)
    return int(_mixed(rows + _mixed(numbers * _STEP)).sum(dtype=np.uint64))


def _row_hashes(leaf: Leaf, rule: Rule) -> np.ndarray:
    right, blank, odd = _system_numbers(rule.systems)
    if leaf.right_or_wrong:
        keys = leaf.values.astype(np.float32) @ right
        if leaf.present is not None:
            keys = keys + (~leaf.present).astype(np.float32) @ blank
    else:
        bits = np.ascontiguousarray(leaf.values, dtype=float).view(np.uint64)
        hashes = _mixed(bits * odd)
        if leaf.present is not None:
            hashes = np.where(leaf.present, hashes, _mixed(odd))
        return hashes.sum(1, dtype=np.uint64)
    rows = np.zeros(len(keys), np.uint64)
    for column in keys.T.astype(np.uint64):
        rows = _mixed(rows * _STEP + column)
    return rows


@lru_cache(maxsize=4)
def _system_numbers(systems: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random numbers of each system, seeded by its name."""
    most = max(2, _EXACT // (2 * len(systems)))
    generators = [np.random.default_rng(zlib.crc32(name.encode())) for name in systems]
    small = np.array([r.integers(1, most, 2 * _COLUMNS) for r in generators], dtype=np.float32)
    odd = np.array(
        [r.integers(2**63, dtype=np.uint64) * 2 + 1 for r in generators], dtype=np.uint64
    )
    return small[:, :_COLUMNS], small[:, _COLUMNS:], odd


def _mixed(x: np.ndarray) -> np.ndarray:
    """Finisher of splitmix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


# how two blocks are added up where not by their sum
_JOINED: dict[str, Callable[..., object]] = {
    "low": min,
    "high": max,
    "nearest": min,
    "graded": or_,
    "mark": lambda first, second: (first + second) % 2**64,
}


class Summed:
    """What blocks say that can be added up."""

    def plus(self, other: Self) -> Self:
        """What two blocks say together."""
        both = zip(vars(self).items(), vars(other).values(), strict=True)
        return type(self)(*(_JOINED.get(k, add)(a, b) for (k, a), b in both))


@dataclass(frozen=True)
class Tables(Summed):
    """Of so many items; pairs are (system, system)."""

    items: int  # that are counted: without those a policy leaves out
    wins: np.ndarray  # int64: the first scores more than the second by more than the slack
    shared: np.ndarray  # int64: both have a score
    sums: np.ndarray  # float: scores of the first on items that both have
    low: float
    high: float
    graded: bool  # other scores than 0 and 1
    nearest: float  # the smallest difference above the slack
    blank: int  # scores missing before any policy
    mark: int  # of the numbers themselves

    @property
    def largest(self) -> float:
        """Size of the largest score."""
        return max(abs(self.low), abs(self.high)) if self.low <= self.high else 0.0


def block_tables(
    block: np.ndarray,
    start: int,
    rule: Rule,
    margin: float,
    slack: float | None = None,
    mark: bool = False,
) -> Tables:
    """Of a block (item, system) whose first item has the number `start`.

    Parameters
    ----------
    slack : float, optional
        Beyond which scores differ; that of the margin and of the scores in the leaf, if not given.
    mark : bool, default False
        Whether a fingerprint is wanted.
    """
    total, plain, marks = _nothing(len(rule.systems)), _Plain(len(rule.systems)), 0
    for leaf in leaves(block, start, rule):
        simple = leaf.right_or_wrong and margin < 1
        if simple and leaf.present is None:
            plain.add(leaf)
        else:
            part = _right_or_wrong(leaf) if simple else _graded(leaf, margin, slack)
            total = total.plus(part)
        marks += marked(leaf, rule) if mark else 0
    return replace(total.plus(plain.tables()), mark=marks % 2**64)


def added[S: Summed](parts: list[S]) -> S:
    """What several blocks say together, in their order."""
    return reduce(lambda total, part: total.plus(part), parts)


def _nothing(size: int) -> Tables:
    none, zero = np.zeros((size, size), np.int64), np.zeros((size, size))
    return Tables(0, none, none, zero, np.inf, -np.inf, False, np.inf, 0, 0)


class _Plain:
    """Leaves of 0 and 1 without gaps, which most are: one product, added in place."""

    def __init__(self, size: int) -> None:
        self.both = np.zeros((size, size), np.int64)
        # memory for one leaf, used again: dask workers return freed memory to the system at once
        self._right, self._product = (np.empty((n, size), np.float32) for n in (LEAF, size))
        self.items, self.low, self.high = 0, np.inf, -np.inf
        self.blank = 0

    def add(self, leaf: Leaf) -> None:
        """Take a leaf."""
        right = self._right[: len(leaf.values)]
        right[:] = leaf.values
        np.matmul(right.T, right, out=self._product)
        np.add(self.both, self._product, out=self.both, casting="unsafe")
        self.items, self.blank = self.items + len(right), self.blank + leaf.blank
        self.low = min(self.low, float(leaf.values.min(initial=1)))
        self.high = max(self.high, float(leaf.values.max(initial=0)))

    def tables(self) -> Tables:
        """Counts of all leaves so far."""
        sums = np.broadcast_to(np.diag(self.both)[:, None], self.both.shape)
        shared = np.full(self.both.shape, self.items, np.int64)
        limits = self.low, self.high
        wins = sums - self.both
        return Tables(
            self.items, wins, shared, sums.astype(float), *limits, False, 1.0, self.blank, 0
        )


def _right_or_wrong(leaf: Leaf) -> Tables:
    right, present = leaf.values.astype(np.float32), np.asarray(leaf.present, np.float32)
    sums, shared = _integers(right.T @ present), _integers(present.T @ present)
    wins = sums - _integers(right.T @ right)
    limits = float(leaf.values.min(initial=1)), float(leaf.values.max(initial=0))
    return Tables(len(right), wins, shared, sums.astype(float), *limits, False, 1.0, leaf.blank, 0)


def _integers(product: np.ndarray) -> np.ndarray:
    return product.astype(np.int64)


def _graded(leaf: Leaf, margin: float, slack: float | None) -> Tables:
    """Graded scores: by their levels if these are few, else one system against all others."""
    values = leaf.values if leaf.values.dtype.kind == "f" else leaf.values.astype(float)
    present = leaf.present
    gapped = values if present is None else np.where(present, values, np.nan)
    allowed = counting.slack(gapped, margin) if slack is None else slack
    wins, shared, nearest = counting.with_nearest(gapped, allowed)
    indicator = np.ones(values.shape) if present is None else present.astype(float)
    sums = values.astype(float).T @ indicator
    low, high = (
        float(f(gapped, initial=i)) for f, i in ((np.nanmin, np.inf), (np.nanmax, -np.inf))
    )
    graded = not leaf.right_or_wrong
    return Tables(len(values), wins, shared, sums, low, high, graded, nearest, leaf.blank, 0)


def slack_of(counts: Tables, margin: float, kind: np.dtype) -> float:
    """Smallest difference that counts as one, for the scores of all blocks."""
    eps = float(np.finfo(kind if kind.kind == "f" else float).eps)
    return margin + names.SCORE_ULPS * eps * max(counts.largest, margin)


_ULPS = 8
_ALIKE = 1e-13  # of a sum of squares: what is left of scores that differ by a constant


@dataclass(frozen=True)
class Spreads(Summed):
    """Of a block; two can be added. Pairs are (system, system), z is score less mean."""

    products: np.ndarray  # z_a z_b
    squares: np.ndarray  # z_a^2 where both have a score
    sums: np.ndarray  # z_a where both have a score
    cubes: np.ndarray  # z_a^3 where both have a score
    mixed: np.ndarray  # z_a^2 z_b


def means_of(counts: Tables) -> np.ndarray:
    """Mean score, (system,); 0 for a system without scores."""
    number, total = np.diag(counts.shared), np.diag(counts.sums)
    return total / np.maximum(number, 1)


def spreads_of(block: np.ndarray, start: int, rule: Rule, mean: np.ndarray) -> Spreads:
    """Of a block (item, system) of graded scores whose first item has the number `start`."""
    none = Spreads(*np.zeros((5, len(mean), len(mean))))
    return added([none, *(_leaf_sums(leaf, mean) for leaf in leaves(block, start, rule))])


def _leaf_sums(leaf: Leaf, mean: np.ndarray) -> Spreads:
    z = leaf.values.astype(float) - mean
    if leaf.present is not None:
        z = np.where(leaf.present, z, 0.0)
    present = np.ones(z.shape) if leaf.present is None else leaf.present.astype(float)
    square = z * z
    return Spreads(
        z.T @ z, square.T @ present, z.T @ present, (square * z).T @ present, square.T @ z
    )


def pair_means(counts: Tables, mean: np.ndarray, spreads: Spreads, sign: int) -> PairMeans:
    """Differences of means on the items that both have, of graded scores; `sign` -1 where less is
    better.
    """
    a, b = np.triu_indices(len(mean), 1)
    n = counts.shared[a, b]
    with np.errstate(invalid="ignore", divide="ignore"):
        z_a, z_b = spreads.sums[a, b] / n, spreads.sums[b, a] / n
        difference = mean[a] - mean[b] + z_a - z_b
        both = spreads.squares[a, b] + spreads.squares[b, a]
        left = both - 2 * spreads.products[a, b] - n * (z_a - z_b) ** 2
        error = np.sqrt(np.maximum(left, 0.0) / np.maximum(n - 1, 1) / n)
    slack = _ULPS * np.finfo(float).eps * counts.largest
    error = np.where((error > slack) & (left > _ALIKE * both), error, 0.0)
    difference = sign * np.where(np.abs(difference) > slack, difference, 0.0)
    mixed, cubes = spreads.mixed, spreads.cubes
    third = cubes[a, b] - cubes[b, a] - 3 * (mixed[a, b] - mixed[b, a])
    skewness = sign * skewness_of(n, z_a - z_b, left, third)
    # only used where the standard error is 0, and all items show the same difference
    won, lost = n * (difference > 0), n * (difference < 0)
    width = width_of(counts.low, counts.high)
    return PairMeans(difference, error, n, won, lost, n - 1.0, skewness, width=width)


def skewness_of(
    n: np.ndarray, mean: np.ndarray, squares: np.ndarray, cubes: np.ndarray
) -> np.ndarray:
    """From sums of squares about the mean, and of cubes about 0; 0 without a spread."""
    with np.errstate(invalid="ignore", divide="ignore"):
        third = cubes / n - 3 * mean * squares / n - mean**3
        skewness = third / (squares / n) ** 1.5
    return np.where(np.isfinite(skewness), skewness, 0.0)


_GROUP = 64  # items
_TOGETHER = 2**22  # random numbers held at once
_WEIGHTS, _SWAPS = 1, 2  # streams
_Random = Callable[[int, int], np.ndarray]  # of items from a number on, so many: (item, draw)


@dataclass(frozen=True)
class Sums(Summed):
    """Of random multiples of items, (draw, column); `items` says how many there were."""

    sums: np.ndarray
    totals: np.ndarray  # (column,): with each item once
    sizes: np.ndarray  # (column,): of absolute values
    items: int
    graded: bool


def weighted(block: np.ndarray, start: int, rule: Rule, draws: int, seed: int) -> Sums:
    """Sums of scores under exponential weights of the items; the last column sums the weights."""
    return _summed(block, start, rule, draws, lambda first, n: exponentials(first, n, draws, seed))


def swapped(block: np.ndarray, start: int, rule: Rule, draws: int, seed: int) -> Sums:
    """Sums of the scores of items that random swaps take; the last column counts these."""
    return _summed(block, start, rule, draws, lambda first, n: bits(first, n, draws, seed))


@dataclass(frozen=True)
class Counted:
    """Pairs that were counted, and sums that swaps take, if these are wanted."""

    tables: Tables
    sums: Sums | None


def counted_and_swapped(
    block: np.ndarray, start: int, rule: Rule, draws: int, seed: int, always: bool
) -> Counted:
    """Counts, and swaps unless all scores are 0 and 1: there p has a closed form. `always` keeps
    the swaps.
    """
    counts = block_tables(block, start, rule, 0.0)
    wanted = always or counts.graded
    return Counted(counts, swapped(block, start, rule, draws, seed) if wanted else None)


def both_added(parts: list[Counted]) -> Counted:
    """Add up several blocks; without swap sums if any block has none."""
    sums = [part.sums for part in parts if part.sums is not None]
    total = added(sums) if len(sums) == len(parts) else None
    return Counted(added([part.tables for part in parts]), total)


def exponentials(first: int, items: int, draws: int, seed: int) -> np.ndarray:
    """Weights (item, draw) of items from number `first` on.

    Examples
    --------
    >>> whole = exponentials(0, 200, 5, seed=1)
    >>> bool((exponentials(70, 10, 5, seed=1) == whole[70:80]).all())
    True
    """
    groups = [
        np.random.Generator(source).standard_exponential((_GROUP, draws))
        for source in _sources(first, items, seed, _WEIGHTS)
    ]
    return np.concatenate(groups)[first % _GROUP :][:items]


def bits(first: int, items: int, draws: int, seed: int) -> np.ndarray:
    """Whether each draw swaps an item, 0 or 1, (item, draw)."""
    words = -(-draws // 64)
    groups = [
        source.random_raw(_GROUP * words).astype("<u8", copy=False).view(np.uint8)
        for source in _sources(first, items, seed, _SWAPS)
    ]
    rows = np.concatenate(groups).reshape(-1, words * 8)[first % _GROUP :][:items]
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :draws]


def _sources(first: int, items: int, seed: int, stream: int) -> Iterator[np.random.Philox]:
    """Generators of the groups that contain some of the items."""
    for group in range(first // _GROUP, -(-(first + items) // _GROUP)):
        yield np.random.Philox(key=[seed, stream], counter=[0, 0, group, 0])


def _summed(block: np.ndarray, start: int, rule: Rule, draws: int, drawn: _Random) -> Sums:
    size = len(rule.systems) + 1
    sums, totals, sizes = np.zeros((draws, size)), np.zeros(size), np.zeros(size)
    graded, items = False, 0
    for leaf in leaves(block, start, rule):
        ones = np.ones((len(leaf.values), 1))
        columns = np.concatenate([leaf.values.astype(float), ones], axis=1)
        for first, part in _parts(leaf.first, columns, draws):
            sums += drawn(first, len(part)).T.astype(float) @ part
        totals, sizes = totals + columns.sum(0), sizes + np.abs(columns).sum(0)
        graded, items = graded or not leaf.right_or_wrong, items + len(columns)
    return Sums(sums, totals, sizes, items, graded)


def _parts(first: int, columns: np.ndarray, draws: int) -> Iterator[tuple[int, np.ndarray]]:
    """Parts that end at a whole number of groups, small enough for their random numbers."""
    step = max(_GROUP, _TOGETHER // draws // _GROUP * _GROUP)
    done = 0
    while done < len(columns):
        size = step - (first + done) % step
        yield first + done, columns[done : done + size]
        done += size

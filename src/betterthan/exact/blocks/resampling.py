"""Random weights and swaps of items in blocks, from the seed and the item's number.

Random weights and swaps of items that depend on the seed and the item's number alone, so that
blocks can be cut and shared out in any way.

Each group of 64 items, by their number, has a place of its own on the counter of Philox (Salmon et
al. 2011, Parallel random numbers: as easy as 1, 2, 3, doi:10.1145/2063384.2063405).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from betterthan.exact.blocks import outcomes
from betterthan.exact.blocks.outcomes import Rule, Tables, leaves, tables

_GROUP = 64  # items
_TOGETHER = 2**22  # random numbers held at once
_WEIGHTS, _SWAPS = 1, 2  # streams
_Random = Callable[[int, int], np.ndarray]  # of items from a number on, so many: (item, draw)


@dataclass(frozen=True)
class Sums:
    """Of random multiples of items, (draw, column); `items` says how many there were."""

    sums: np.ndarray
    totals: np.ndarray  # (column,): with each item once
    sizes: np.ndarray  # (column,): of absolute values
    items: int
    graded: bool

    def plus(self, other: "Sums") -> "Sums":
        """What two blocks say together."""
        return Sums(
            self.sums + other.sums,
            self.totals + other.totals,
            self.sizes + other.sizes,
            self.items + other.items,
            self.graded or other.graded,
        )


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
    counts = tables(block, start, rule, 0.0)
    wanted = always or counts.graded
    return Counted(counts, swapped(block, start, rule, draws, seed) if wanted else None)


def both_added(parts: list[Counted]) -> Counted:
    """Add up several blocks; without swap sums if any block has none."""
    sums = [part.sums for part in parts if part.sums is not None]
    total = added(sums) if len(sums) == len(parts) else None
    return Counted(outcomes.added([part.tables for part in parts]), total)


def added(parts: list[Sums]) -> Sums:
    """Add up the sums of several blocks, in their order."""
    total = parts[0]
    for part in parts[1:]:
        total = total.plus(part)
    return total


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

"""Wins, losses and ties of scores in blocks: leaves of a block, their tables, and a fingerprint.

Wins and shared items of all pairs, and sums that say the rest, of one block; two can be added.

Of scores of 0 and 1 everything follows from products of "right" and "has a score", exact in float32
within a leaf and in whole numbers across leaves.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce

import numpy as np

from betterthan import names
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


@dataclass(frozen=True)
class Tables:
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

    def plus(self, other: "Tables") -> "Tables":
        """What two blocks say together."""
        return Tables(
            self.items + other.items,
            self.wins + other.wins,
            self.shared + other.shared,
            self.sums + other.sums,
            min(self.low, other.low),
            max(self.high, other.high),
            self.graded or other.graded,
            min(self.nearest, other.nearest),
            self.blank + other.blank,
            (self.mark + other.mark) % 2**64,
        )

    @property
    def largest(self) -> float:
        """Size of the largest score."""
        return max(abs(self.low), abs(self.high)) if self.low <= self.high else 0.0


def tables(
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


def added(parts: list[Tables]) -> Tables:
    """What several blocks say together, in their order."""
    return reduce(Tables.plus, parts)


def _nothing(size: int) -> Tables:
    none, zero = np.zeros((size, size), np.int64), np.zeros((size, size))
    return Tables(0, none, none, zero, np.inf, -np.inf, False, np.inf, 0, 0)


class _Plain:
    """Leaves of 0 and 1 without gaps, which most are: one product, added in place."""

    def __init__(self, size: int) -> None:
        self.both = np.zeros((size, size), np.int64)
        self.items, self.low, self.high = 0, np.inf, -np.inf
        self.blank = 0

    def add(self, leaf: Leaf) -> None:
        """Take a leaf."""
        right = leaf.values.astype(np.float32)
        np.add(self.both, right.T @ right, out=self.both, casting="unsafe")
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

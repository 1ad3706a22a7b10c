"""Wins and shared items of all pairs, and sums that say the rest, of one block; two can be added.

Of scores of 0 and 1 everything follows from products of "right" and "has a score", exact in float32
within a leaf and in whole numbers across leaves.
"""

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from betterthan import names
from betterthan.exact.blocks.leaves import Leaf, Rule, leaves
from betterthan.exact.blocks.marking import marked
from betterthan.exact.numeric import counting


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

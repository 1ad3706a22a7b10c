"""A block of scores cut into leaves, at the same items however the blocks lie."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

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
            "say missing='pairwise', 'complete' or 'wrong'"
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

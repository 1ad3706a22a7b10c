"""A fingerprint of numbers that come in any blocks: a sum over items of a hash of the item's number
and scores.
"""

import zlib
from functools import lru_cache

import numpy as np

from betterthan.exact.blocks.leaves import Leaf, Rule

_COLUMNS = 4
_EXACT = 2**24  # below, float32 holds whole numbers
_STEP = np.uint64(0x9E3779B97F4A7C15)


def marked(leaf: Leaf, rule: Rule) -> int:
    """Of one leaf; the order of systems does not matter, that of items does."""
    rows = _of_rows(leaf, rule)
    at = np.arange(leaf.at, leaf.at + len(rows), dtype=np.uint64)
    return int(_mixed(rows + _mixed(at * _STEP)).sum(dtype=np.uint64))


def _of_rows(leaf: Leaf, rule: Rule) -> np.ndarray:
    right, blank, odd = _numbers_of(rule.systems)
    if leaf.right_or_wrong:
        keys = leaf.values.astype(np.float32) @ right
        if leaf.seen is not None:
            keys = keys + (~leaf.seen).astype(np.float32) @ blank
    else:
        bits = np.ascontiguousarray(leaf.values, dtype=float).view(np.uint64)
        each = _mixed(bits * odd)
        if leaf.seen is not None:
            each = np.where(leaf.seen, each, _mixed(odd))
        return each.sum(1, dtype=np.uint64)
    rows = np.zeros(len(keys), np.uint64)
    for column in keys.T.astype(np.uint64):
        rows = _mixed(rows * _STEP + column)
    return rows


@lru_cache(maxsize=4)
def _numbers_of(systems: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random numbers of each system, from its name."""
    most = max(2, _EXACT // (2 * len(systems)))
    each = [np.random.default_rng(zlib.crc32(name.encode())) for name in systems]
    small = np.array([r.integers(1, most, 2 * _COLUMNS) for r in each], dtype=np.float32)
    odd = np.array([r.integers(2**63, dtype=np.uint64) * 2 + 1 for r in each], dtype=np.uint64)
    return small[:, :_COLUMNS], small[:, _COLUMNS:], odd


def _mixed(x: np.ndarray) -> np.ndarray:
    """Finisher of splitmix64 (Steele, Lea & Flood 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))

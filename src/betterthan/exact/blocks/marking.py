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

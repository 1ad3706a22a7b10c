"""Tests on whole clusters: the signs of their differences, and swaps of all in a cluster."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import labels, pair_indices, square_array
from betterthan.exact.joint.units import PairMeans, differences, joined
from betterthan.exact.swaps import flips, levels

_HELD = 2**18  # numbers (cluster, pair) that are tested at once
Sums = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # totals and sizes (cluster, pair) of both systems


def _together(parts: Iterable[Sums]) -> Iterator[Sums]:
    """The same sums, with more pairs at a time."""
    held: list[Sums] = []
    for sums in parts:
        held.append(sums)
        if sum(part[0].size for part in held) >= _HELD:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(held: list[Sums]) -> Sums:
    total_a, size_a, total_b, size_b = (np.concatenate(x, axis=1) for x in zip(*held, strict=True))
    return total_a, size_a, total_b, size_b


@dataclass(frozen=True)
class OnClusters:
    """Clusters of a comparison, by pairs in the order of the upper triangle."""

    systems: list[str]
    pairs: PairMeans
    sums: Callable[[], Iterable[Sums]]

    @classmethod
    def from_sums(
        cls,
        systems: list[str],
        sums: Callable[[], Iterable[Sums]],
        pairs: PairMeans | None = None,
    ) -> "OnClusters":
        """From a function that gives the sums of some pairs at a time; `pairs` are their
        differences, where these are known.
        """
        return cls(systems, pairs or joined([differences(*arrays) for arrays in sums()]), sums)

    @cached_property
    def counts(self) -> xr.DataArray:
        """Clusters won, lost and tied, (system_a, system_b, outcome)."""
        means = self.pairs
        outcomes = np.stack(
            [means.won, means.lost, means.units - means.won - means.lost], axis=-1
        ).astype(np.int64)
        square = self._square(outcomes, outcomes[:, [1, 0, 2]], 0)
        array = square_array(square, self.systems, {})
        return array.assign_attrs(unit="cluster", ties="third")

    @property
    def most_decisive(self) -> int:
        """The most clusters in which two systems differ."""
        return int((self.pairs.won + self.pairs.lost).max(initial=0))

    def swapped(self, draws: int, seed: int) -> tuple[xr.Dataset, str]:
        """Two-sided ``p_value`` of swapping whole clusters, ``difference`` of the means, and where
        it was sampled ``exceedances`` and ``p_value_mcse``; and how it was computed.
        """
        parts, clusters = [], 0
        for arrays in _together(self.sums()):
            parts.append(flips.swaps(*arrays, draws, seed))
            clusters = len(arrays[0])
        p, extreme = (np.concatenate(part) for part in zip(*parts, strict=True))
        d = self.pairs.difference
        variables = {"p_value": self._square(p, p, 1.0), "difference": self._square(d, -d, 0.0)}
        sampled = extreme >= 0
        if sampled.any():
            error = np.where(sampled, levels.monte_carlo_error(extreme, np.array(draws)), 0.0)
            variables["exceedances"] = self._square(extreme, extreme, -1)
            variables["p_value_mcse"] = self._square(error, error, 0.0)
        how = "monte_carlo" if sampled.any() else "flips"
        large = clusters > flips.NORMAL
        how = "normal" if large and self.most_decisive > flips.EXACT else how
        coords = labels(tuple(self.systems), *names.SQUARE)
        return xr.Dataset({k: (names.SQUARE, v) for k, v in variables.items()}, coords), how

    def _square(self, values: np.ndarray, swapped: np.ndarray, diagonal: float) -> np.ndarray:
        """Square of answers over both systems, with this `diagonal`."""
        n = len(self.systems)
        first, second = pair_indices(n)
        full = np.full((n, n, *values.shape[1:]), diagonal, dtype=values.dtype)
        full[first, second], full[second, first] = values, swapped
        return full

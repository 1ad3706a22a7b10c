"""Swapped statistics of all pairs of systems at once: which swaps reach the observed difference."""

from collections.abc import Callable
from typing import Any

import numpy as np

from betterthan.counts.responses import Responses, evaluate
from betterthan.counts.shapes import pair_indices
from betterthan.exact.swaps import ratios, shuffling
from betterthan.progress import with_bar

_LONG = 1e8  # numbers permuted above which a bar is shown, some seconds
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
        self.totals: Any
        columns = self.item_differences() if self.paired else responses.values
        self.columns = np.moveaxis(columns, 1, -1)  # (item, ..., pair or system)
        if responses.kind == "sum":
            differences = columns if self.paired else self.item_differences()
            self.totals = differences.sum(0)[:, None]
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
                (r.seen[:, self.first] > 0) & (r.seen[:, self.second] > 0), differences, 0
            )
        return differences

    def width(self) -> int:
        """Numbers made for each swap."""
        r = self.responses
        inner = int(np.prod(r.values.shape[2:]))
        if r.kind == "custom":
            return len(r.values) * inner
        return max(
            len(r.values) // (8 if shuffling.tabled(self.columns) else 1),
            4 * self.first.size * inner,
        )

    def gaps(self, swaps: np.ndarray, two_sided: bool) -> np.ndarray:
        """Numbers with the sign of the swapped difference less the observed one."""
        r = self.responses
        if r.kind == "ratio":
            return ratios.gap(self._swapped(swaps), self.totals, r.k, two_sided)
        if r.kind == "macro":
            return ratios.macro_gap(self._swapped(swaps), self.totals, r.k, two_sided)
        swapped, observed = self._differences(swaps), self._observed()
        if two_sided:
            swapped, observed = np.abs(swapped), np.abs(observed)
        signs = swapped - observed
        if r.kind == "custom" or r.values.dtype.kind == "f":
            signs[np.abs(signs) <= self._rounding()] = 0
        return signs

    def sizes(self, swaps: np.ndarray) -> np.ndarray:
        """The swapped difference without its sign."""
        r = self.responses
        if r.kind in ("sum", "custom"):
            return np.abs(self._differences(swaps))
        xa, ya, xb, yb = self._swapped(swaps)
        difference = ratios.score(xa, ya, r.k) - ratios.score(xb, yb, r.k)
        return np.abs(difference.mean(0) if r.kind == "macro" else difference)

    def observed_sizes(self) -> np.ndarray:
        """(pair,): the observed difference without its sign, in the units of `sizes`."""
        return self.sizes(np.zeros((1, -(-len(self.responses.values) // 8)), dtype=np.uint8))[:, 0]

    def _differences(self, swaps: np.ndarray) -> np.ndarray:
        if self.responses.kind == "custom":
            return np.stack(
                [self._custom(swaps, a, b) for a, b in zip(self.first, self.second, strict=True)]
            )
        return self.totals - 2 * self._moved(swaps)

    def _observed(self) -> Any:
        if self.responses.kind == "custom":
            return (self.scores[self.first] - self.scores[self.second])[:, None]
        return self.totals

    def _moved(self, swaps: np.ndarray) -> np.ndarray:
        """(..., pair, rows): what the swaps take from A and give to B."""
        moved = shuffling.moved(swaps, self.columns)
        return moved if self.paired else moved[..., self.first, :] - moved[..., self.second, :]

    def _swapped(self, swaps: np.ndarray) -> tuple[np.ndarray, ...]:
        """(x, y) of A, then of B, after the swaps; each ([label,] pair, rows)."""
        moved = self._moved(swaps)
        x, y = moved[..., 0, :, :], moved[..., 1, :, :]
        xa, ya, xb, yb = self.totals
        return xa - x, ya - y, xb + x, yb + y

    def _custom(self, swaps: np.ndarray, a: int, b: int) -> np.ndarray:
        values = self.responses.values
        mask = shuffling.unpacked(swaps, len(values)).astype(bool)
        mask = mask.reshape(*mask.shape, *[1] * (values.ndim - 2))
        first = np.where(mask, values[:, b], values[:, a])
        second = np.where(mask, values[:, a], values[:, b])
        return evaluate(self.responses, first) - evaluate(self.responses, second)

    def _rounding(self) -> np.ndarray | float:
        if self.responses.kind == "custom":
            return _ROUNDING * float(np.abs(self.scores).max())
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
        starts, len(starts), "permutations", long=float(shuffles) * values.size > _LONG
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

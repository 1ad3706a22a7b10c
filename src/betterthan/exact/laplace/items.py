"""Log likelihood of abilities on shared items, difficulties summed out, of many parameters at once.

The result of a system on an item is a success or a failure (Rasch), or a number of successes in
repeated trials; items may also differ in slope. The last two use a table of all results possible on
an item. The integral is that of the PyMC model, on the same nodes. Its curvature is that of a sum
over latent values (Louis 1982, JRSS B 44(2), 226-233).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.laplace.nested import Curved, Spread

Bent = tuple[np.ndarray, np.ndarray, np.ndarray]


def distinct_cells(successes: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Distinct successes and trials (kind, 2), of cells that were tried."""
    return np.unique(np.stack([successes, trials], axis=-1)[trials > 0], axis=0)


@dataclass(frozen=True)
class Repeated:
    """Beta-binomial successes; the rest of the parameters: log spread of difficulties, and what
    says how alike the trials of a cell are.
    """

    kinds: np.ndarray
    node: np.ndarray
    alike: Spread

    def log(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        odds, kappa = self._log_odds(ability, others)
        sums = []
        for log_share in log_success_failure(odds):
            share = kappa * np.exp(log_share)
            terms = [np.log(kappa) + log_share]
            terms += [np.log(share + j) for j in range(1, self._most)]
            sums.append(_summed(terms))
        below = _summed([np.log(kappa + j) for j in range(self._most)])
        return self._by_kind(sums[0], sums[1], below)

    def bent(self, ability: np.ndarray, others: np.ndarray) -> Bent:
        """The same, with its derivatives in the ability."""
        odds, kappa = self._log_odds(ability, others)
        right, wrong = (np.exp(log) for log in log_success_failure(odds))
        both = right * wrong
        turn = kappa * both * (wrong - right)
        first, second = [], []
        for way, share in ((1, right), (-1, wrong)):
            slopes = [way * kappa * both / (kappa * share + j) for j in range(1, self._most)]
            bends = [
                way * turn / (kappa * share + j) - slope**2 for j, slope in enumerate(slopes, 1)
            ]
            first.append(_summed([way * (1 - share), *slopes]))
            second.append(_summed([-both, *bends]))
        return self.log(ability, others), self._by_kind(*first), self._by_kind(*second)

    @property
    def _most(self) -> int:
        return int(self.kinds[:, 1].max())

    def _log_odds(self, ability: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log odds (point, system, node), and the concentration (point, 1, 1)."""
        kappa = 1 / self.alike(others[:, 1]) - 1
        place = np.exp(others[:, :1]) * self.node
        return ability[:, :, None] - place[:, None, :], kappa[:, None, None]

    def _by_kind(self, right: list[Any], wrong: list[Any], below: Any = None) -> np.ndarray:
        return np.stack(
            [right[y] + wrong[n - y] - (below[n] if below else 0.0) for y, n in self.kinds], axis=2
        )


def log_success_failure(odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log probabilities of success and failure at log odds."""
    log = np.minimum(odds, 0) - np.log1p(np.exp(-np.abs(odds)))
    return log, log - odds


def _summed(terms: list[np.ndarray]) -> list[Any]:
    """Sums of the first 0, 1, ... terms."""
    return list(accumulate(terms, initial=0.0))


@dataclass(frozen=True)
class Steep:
    """Items that differ in slope, too (2PL); the rest of the parameters: log spread of
    difficulties, and what says how far log slopes spread.
    """

    kinds: np.ndarray
    node: np.ndarray  # of difficulty and of slope, every pair of them
    slope: np.ndarray
    spread: Spread

    def log(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        odds, _ = self._log_odds(ability, others)
        return self._log(odds)

    def bent(self, ability: np.ndarray, others: np.ndarray) -> Bent:
        """The same, with its derivatives in the ability."""
        odds, steep = self._log_odds(ability, others)
        chance = special.expit(odds)
        first = (self.kinds[:, 0, None] - chance) * steep
        second = np.broadcast_to(-chance * (1 - chance) * steep**2, first.shape)
        return self._log(odds), first, second

    def _log(self, odds: np.ndarray) -> np.ndarray:
        return self.kinds[:, 0, None] * odds + log_success_failure(odds)[1]

    def _log_odds(self, ability: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log odds (point, system, 1, node), and slopes (point, 1, 1, node)."""
        steep = np.exp(self.spread(others[:, 1])[:, None] * self.slope)[:, None, None, :]
        place = np.exp(others[:, :1]) * self.node
        return (ability[:, :, None] - place[:, None, :])[:, :, None, :] * steep, steep


_BLOCK = 1_000_000  # numbers held at a time
_STEP = 1e-3  # of the differences by which all but abilities are looked at
_OVERFLOW = 600.0  # of an exponent
type Table = Repeated | Steep  # log probabilities of kinds of cells
# log likelihood with slope and curvature in the abilities, given the other parameters
type AbilityLikelihood = Rasch | Cells


@dataclass(frozen=True)
class Items:
    """Likelihood of one vector, abilities first; slopes in the other parameters by differences."""

    inner: AbilityLikelihood

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        return self._in_blocks(self.inner.total, x)

    def pointwise(self, x: np.ndarray) -> np.ndarray:
        """(point, item)."""
        return self._in_blocks(self.inner.pointwise, x)

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature, point by point."""
        points = [self._curvature(point) for point in x]
        return Curved(*(np.stack(part) for part in zip(*points, strict=True)))

    def _in_blocks(
        self, function: Callable[[np.ndarray, np.ndarray], np.ndarray], x: np.ndarray
    ) -> np.ndarray:
        size = max(1, _BLOCK // self.inner.cells)
        return np.concatenate(
            [function(*self._parts(x[k : k + size])) for k in range(0, len(x), size)]
        )

    def _parts(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[:, : self.inner.systems], x[:, self.inner.systems :]

    def _curvature(self, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        center = self.inner.curved(*self._parts(x[None]), bent=True)
        step = _STEP * np.eye(len(x))[self.inner.systems :]
        more, height = len(step), center.height[0]
        # a step forward in each other parameter, back in each, and forward in all
        points = np.concatenate([x + step, x - step, x + step.sum(0)[None]])
        stepped = self.inner.curved(*self._parts(points), bent=False)
        after, before = np.split(stepped.height[:-1], 2)
        mixed = np.diff(np.split(stepped.slope[:-1], 2), axis=0)[0] / (2 * _STEP)
        diagonal = -np.diag(after + before - 2 * height)
        if more == 2:
            diagonal += (np.eye(2) - 1) * (stepped.height[-1] - after.sum() + height)
        diagonal /= _STEP**2
        slope = np.concatenate([center.slope[0], (after - before) / (2 * _STEP)])
        return float(height), slope, np.block([[center.down[0], mixed.T], [mixed, diagonal]])


@dataclass(frozen=True)
class Rasch:
    """Each system tries an item at most once: of an item it matters who tried, and how many solved
    it.
    """

    tried: np.ndarray  # (pattern, system), 0 and 1
    pattern: np.ndarray  # (group,): of the items of a group, who tried
    solved: np.ndarray  # (group,): by how many
    items: np.ndarray  # (group,): how many there are
    group: np.ndarray  # (item,)
    successes: np.ndarray  # (item, system)
    node: np.ndarray
    log_weight: np.ndarray

    @classmethod
    def from_counts(
        cls, successes: np.ndarray, trials: np.ndarray, node: np.ndarray, log_weight: np.ndarray
    ) -> "Rasch":
        """Of successes and trials (item, system)."""
        tried, item_pattern = np.unique(trials, axis=0, return_inverse=True)
        kinds = np.column_stack([item_pattern.ravel(), successes.sum(1)])
        groups, group, items = np.unique(kinds, axis=0, return_inverse=True, return_counts=True)
        data = items, group.ravel(), successes.astype(float)
        pattern, solved = groups.T
        return cls(tried.astype(float), pattern, solved, *data, node, log_weight)

    @cached_property
    def wins(self) -> np.ndarray:
        """Items solved, (system,)."""
        return self.successes.sum(0)

    @property
    def systems(self) -> int:
        """How many."""
        return len(self.wins)

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        single = len(self.tried) == 1  # and then no system is held by itself
        return len(self.node) * (10 if single else len(self.tried) + self.systems)

    def rows(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Log probability of each group of items, without the term of who solved it."""
        joint = self._joint(ability, np.exp(others[:, 0]))
        return np.stack([_log_sum(log)[0] for log in joint])

    def total(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point,)."""
        return ability @ self.wins + self.rows(ability, others) @ self.items

    def pointwise(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, item)."""
        return ability @ self.successes.T + self.rows(ability, others)[:, self.group]

    def curved(self, ability: np.ndarray, others: np.ndarray, *, bent: bool) -> Curved:
        """In the abilities."""
        spread = np.exp(others[:, 0])
        log, share = self._held(ability, spread)
        height = ability @ self.wins + log @ self.items
        share *= self.items[:, None]  # (point, group, node): items, by where their difficulty is
        chance = special.expit(ability[:, :, None] - (spread[:, None] * self.node)[:, None, :])
        by_pattern = np.matmul(np.arange(len(self.tried))[:, None] == self.pattern, share)
        tries = np.matmul(self.tried.T, by_pattern)  # (point, system, node)
        slope = self.wins - (tries * chance).sum(2)
        if not bent:
            return Curved(height, slope, np.zeros((len(ability), 0, 0)))
        return Curved(height, slope, self._bend(chance, share, by_pattern, tries))

    def _bend(
        self, chance: np.ndarray, share: np.ndarray, by_pattern: np.ndarray, tries: np.ndarray
    ) -> np.ndarray:
        """Less the second derivatives, from chances (point, system, node), and how many items are
        where by group, by pattern, and by system.
        """
        down = -self._together(chance, by_pattern)
        index = np.arange(self.systems)
        down[:, index, index] += (tries * chance * (1 - chance)).sum(2)
        solves = np.matmul(share, chance.swapaxes(1, 2)) * self.tried[self.pattern]
        return down + np.matmul(solves.swapaxes(1, 2) / self.items, solves)

    def _together(self, chance: np.ndarray, by_pattern: np.ndarray) -> np.ndarray:
        """Expected items that two systems solve, difficulties known, (point, system, system)."""
        if len(self.tried) == 1:
            both = np.outer(self.tried[0], self.tried[0])
            return both * np.matmul(chance * by_pattern, chance.swapaxes(1, 2))
        expected = np.zeros((len(chance), self.systems, self.systems))
        for k in range(len(self.node)):
            both = np.matmul(self.tried.T * by_pattern[:, None, :, k], self.tried)
            expected += both * chance[:, :, None, k] * chance[:, None, :, k]
        return expected

    def _held(self, ability: np.ndarray, spread: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of each group (point, group), and the posterior of its difficulty."""
        log, share = zip(*map(_log_sum, self._joint(ability, spread)), strict=True)
        shares = np.stack(share)
        return np.stack(log), np.divide(shares, shares.sum(2, keepdims=True), out=shares)

    def _joint(self, ability: np.ndarray, spread: np.ndarray) -> Iterator[np.ndarray]:
        """Log probability of each group and its difficulty, (group, node), point by point: that of
        one point stays near the processor.
        """
        place = -spread[:, None] * self.node  # (point, node)
        base = self.log_weight - self._missed(ability, place)
        several = len(self.tried) > 1
        for point, weights in zip(place, base, strict=True):
            log = self.solved[:, None] * point
            log += weights[self.pattern] if several else weights
            yield log

    def _missed(self, ability: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Less the log probability that nobody who tried solves it, (point, pattern, node)."""
        most = float(ability.max() + place.max())
        if len(self.tried) > 1 or most > _OVERFLOW:
            return -np.matmul(
                self.tried, log_success_failure(ability[:, :, None] + place[:, None, :])[1]
            )
        odds, harder = np.exp(ability), np.exp(place)
        room = max(1, int(_OVERFLOW / max(most, 1.0)))  # factors before the product is too large
        log, product = np.zeros_like(place), np.ones_like(place)
        for count, k in enumerate(np.flatnonzero(self.tried[0]), 1):
            product *= 1 + odds[:, [k]] * harder
            if count % room == 0:
                log += np.log(product)
                product.fill(1.0)
        return (log + np.log(product))[:, None]


def _log_sum(log: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log of what each row sums to, and the row over its largest value, in its place."""
    top = log.max(1, keepdims=True)
    log -= top
    share = np.exp(log, out=log)
    return top[:, 0] + np.log(share.sum(1)), share


_NOWHERE = 1e-9  # items at a node that say nothing of the curvature


@dataclass(frozen=True)
class Cells:
    """Any number of trials, or slopes: log probabilities of what is seen in a cell are tabled.

    ``table`` gives, at each node, the log probability of every kind of cell and its two derivatives
    in the ability.
    """

    table: Table
    indicator: np.ndarray  # (row, system, kind): 0 and 1
    items: np.ndarray  # (row,)
    row: np.ndarray  # (item,)
    log_weight: np.ndarray

    @cached_property
    def flat(self) -> np.ndarray:
        """What is seen, (row, system and kind)."""
        return self.indicator.reshape(len(self.indicator), -1)

    @cached_property
    def kind(self) -> np.ndarray:
        """Which kind a cell is, from 1, (row, system); 0 where nothing was tried."""
        return np.where(self.indicator.any(2), self.indicator.argmax(2) + 1, 0)

    @classmethod
    def from_counts(
        cls, table: Table, successes: np.ndarray, trials: np.ndarray, log_weight: np.ndarray
    ) -> "Cells":
        """Of successes and trials (item, system)."""
        both = np.hstack([successes, trials])
        rows, row, items = np.unique(both, axis=0, return_inverse=True, return_counts=True)
        y, n = np.split(rows, 2, axis=1)
        indicator = (y[..., None] == table.kinds[:, 0]) & (n[..., None] == table.kinds[:, 1])
        return cls(table, indicator.astype(float), items, row.ravel(), log_weight)

    @property
    def systems(self) -> int:
        """How many."""
        return self.indicator.shape[1]

    @property
    def cells(self) -> int:
        """Numbers held for one point."""
        return len(self.log_weight) * (len(self.items) + 4 * self.flat.shape[1])

    def rows(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Log probability of each distinct row."""
        return self._held(self.table.log(ability, others))[0]

    def total(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point,)."""
        return self.rows(ability, others) @ self.items

    def pointwise(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, item)."""
        return self.rows(ability, others)[:, self.row]

    def curved(self, ability: np.ndarray, others: np.ndarray, *, bent: bool) -> Curved:
        """In the abilities."""
        log, first, second = self.table.bent(ability, others)  # (point, system, kind, node)
        height, share = self._held(log)
        share *= self.items[:, None]
        often = np.matmul(self.flat.T, share).reshape(log.shape)
        slope = (often * first).sum((2, 3))
        if not bent:
            return Curved(height @ self.items, slope, np.zeros((len(ability), 0, 0)))
        points = zip(first, share, strict=True)
        down = -np.stack([self._spread(*point) for point in points])
        index = np.arange(self.systems)
        down[:, index, index] -= (often * second).sum((2, 3))
        return Curved(height @ self.items, slope, down)

    def _spread(self, first: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Covariance of slopes over the difficulty of each row, summed, at one point."""
        nodes = np.flatnonzero(share.max(0) > _NOWHERE)
        padded = np.zeros((len(nodes), len(first), first.shape[1] + 1))
        padded[..., 1:] = first[..., nodes].transpose(2, 0, 1)
        slopes = padded[:, np.arange(self.systems), self.kind]  # (node, row, system)
        weighed = slopes * share.T[nodes][:, :, None]
        mean = weighed.sum(0)
        both = np.matmul(weighed.swapaxes(1, 2), slopes).sum(0)
        return both - (mean.T / self.items) @ mean

    def _held(self, log: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of each row (point, row), and the posterior of its difficulty."""
        logs = np.matmul(self.flat, log.reshape(len(log), -1, log.shape[-1])) + self.log_weight
        top = logs.max(2, keepdims=True)
        share = np.exp(logs - top, out=logs)
        total = share.sum(2, keepdims=True)
        share /= total
        return (top + np.log(total))[..., 0], share

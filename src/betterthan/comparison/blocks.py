"""Scores that come in blocks of items: counted, and summed, in two readings of each block."""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.blocks.lazy import Blocks, folded
from betterthan.comparison.options import Options
from betterthan.counts.in_blocks import rule_of, tables_of
from betterthan.counts.shapes import Arrays
from betterthan.counts.units import CLUSTER, EPOCH, several
from betterthan.exact.blocks import (
    Spreads,
    Tables,
    added,
    means_of,
    pair_means,
    skewness_of,
    spreads_of,
)
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import PairMeans


@dataclass(frozen=True)
class BlockMeans:
    """Means of systems, more is better, with what a joint posterior needs of their errors."""

    mean: np.ndarray
    covariance: np.ndarray  # of the means, (system, system)
    df: float  # items less one
    law: Student  # of each mean by itself


@dataclass(frozen=True)
class BlockTotals:
    """As `UnitTotals`, from sums over blocks: each item is an example of its own."""

    tables: Tables
    average: np.ndarray  # (system,), of the scores as they stand
    spread: Spreads | None  # of a second reading, where one was needed
    systems: list[str]
    higher_is_better: bool

    runs, single, weight = False, True, "item"
    dataset = np.zeros(1, dtype=int)  # data sets are pooled

    @property
    def graded(self) -> bool:
        """More than right and wrong."""
        return self.tables.graded

    @property
    def units(self) -> int:
        """Items."""
        return self.tables.items

    @property
    def gaps(self) -> bool:
        """Whether a score is missing."""
        return bool((self.scored < self.units).any())

    @property
    def scored(self) -> np.ndarray:
        """Items that each system has a score on."""
        return np.diag(self.tables.shared)

    @property
    def mean(self) -> np.ndarray:
        """Of the scores as they stand; nan where there is none."""
        return np.where(self.scored > 0, self.average, np.nan)

    @property
    def limits(self) -> tuple[float, float]:
        """The range of a mean, of which more is better, where it is known."""
        if self.graded:
            return -np.inf, np.inf
        return (0.0, 1.0) if self.higher_is_better else (-1.0, 0.0)

    @property
    def score_limits(self) -> tuple[float, float]:
        """The smallest and the largest score that there can be, as `posterior.bounds` has them."""
        low, high = self.tables.low, self.tables.high
        return (0.0, 1.0) if 0 <= low <= high <= 1 else (low, high)

    def sd(self) -> float:
        """Standard deviation of the graded scores of all systems together."""
        assert self.spread is not None  # graded scores are read twice
        mean = np.average(self.average, weights=self.scored)
        squares = np.diag(self.spread.products) + self.scored * (self.average - mean) ** 2
        return float(np.sqrt(squares.sum() / self.scored.sum()))

    def both_right(self) -> tuple[np.ndarray, int]:
        """On how many items both of two systems are right, (system, system), and the items."""
        ones, n = np.diag(self.tables.sums), self.units
        both = self.tables.sums - self.tables.wins
        return (both if self.higher_is_better else n - ones - ones[:, None] + both), n

    @cached_property
    def means(self) -> BlockMeans:
        """Of each system on its own items, of graded scores."""
        assert self.spread is not None  # graded scores are read twice
        sign, scored = 1 if self.higher_is_better else -1, np.maximum(self.scored, 1)
        squares, less_one = np.diag(self.spread.products), np.maximum(scored - 1.0, 1.0)
        error = np.where(self.scored > 1, np.sqrt(squares / less_one / scored), 0.0)
        skewness = skewness_of(scored, np.zeros(len(scored)), squares, np.diag(self.spread.cubes))
        law = Student(sign * self.mean, error, less_one, skewness=sign * skewness, units=scored)
        covariance = self.spread.products / max(self.units * (self.units - 1), 1)
        return BlockMeans(law.mean, covariance, self.units - 1.0, law)

    def shared_scores(self) -> np.ndarray:
        """The score of the system of the row on the items that it and that of the column have, as
        the scores stand; nan where there are none.
        """
        number = self.tables.shared
        return np.where(number > 0, self.tables.sums / np.maximum(number, 1), np.nan)

    @cached_property
    def pairs(self) -> PairMeans:
        """Of each pair, on the items that both have."""
        assert self.spread is not None  # graded scores are read twice
        sign = 1 if self.higher_is_better else -1
        return pair_means(self.tables, self.average, self.spread, sign)


def refuse_units(scores: xr.DataArray, options: Options) -> None:
    """Refuse items of one cluster, or runs of one item."""
    if options.weight == "unit":
        raise ValueError(
            "weight='unit' is for clusters, and of scores in blocks each row is an example of its "
            "own; load the data with .compute()"
        )
    for name in (CLUSTER, EPOCH):
        if options.unit != names.ITEM and several(scores, name):
            raise ValueError(
                f"items have a coordinate {name!r}, and of scores in blocks each row is an example "
                "of its own; take their mean first, load the data with .compute(), or say "
                "unit='item'"
            )


def block_totals(blocks: Blocks, options: Options) -> BlockTotals:
    """The first reading, and the second where means alone do not do."""
    tables = tables_of(blocks, options.margin, options.missing, mark=True)
    average, spread = means_of(tables), None
    if tables.graded:
        rule = rule_of(blocks, options.missing)
        spread = folded(blocks, partial(spreads_of, rule=rule, mean=average), added)
    return BlockTotals(tables, average, spread, list(blocks.systems), blocks.higher_is_better)


def columns_of(totals: BlockTotals, raw_counts: xr.DataArray) -> Arrays:
    """The score of each system, and the items of each system and pair."""
    of_systems = {"score": totals.mean, "n_scored": totals.scored}
    columns: Arrays = {name: ((names.SYSTEM,), values) for name, values in of_systems.items()}
    columns["n_dropped"] = names.SQUARE, raw_counts["n_dropped"].values
    columns[names.SYSTEM] = (names.SYSTEM,), np.array(totals.systems)
    return columns

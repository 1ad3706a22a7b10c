"""Scores that come in blocks of items: counted, and summed, in two readings of each block."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.folding import folded
from betterthan.blocks.lazy import Blocks, blocks_of
from betterthan.comparison.asked import Asked
from betterthan.comparison.dependence import pooled_note
from betterthan.comparison.given import Found, Given, notes_of_counting, of_data, scored
from betterthan.comparison.measured import oriented_scores
from betterthan.comparison.quantity import quantity_of
from betterthan.counts.in_blocks import counts_of, rule_of, tables_of
from betterthan.counts.picking import systems_of
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import CLUSTER, EPOCH, several
from betterthan.exact.blocks import spreads
from betterthan.exact.blocks.outcomes import Tables
from betterthan.exact.blocks.spreads import Spreads
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import PairMeans
from betterthan.posterior.table import Question

_NOTE = (
    "The scores were read in blocks: they were not audited, not searched for a reason why some are "
    "missing, and single items were not looked at."
)


@dataclass(frozen=True)
class SummedMeans:
    """Means of systems, more is better, with what a joint posterior needs of their errors."""

    mean: np.ndarray
    scored: np.ndarray
    of: "Summed"

    @property
    def vary(self) -> bool:
        """Whether units say anything else than the means."""
        return bool((self.of.squares() > 0).any())

    @property
    def covariance(self) -> np.ndarray:
        """Of the means, (system, system)."""
        assert self.of.seen is not None  # graded scores are read twice
        return self.of.seen.products / (self.of.units * (self.of.units - 1))

    @property
    def df(self) -> float:
        """Items less one."""
        return self.of.units - 1.0

    @property
    def law(self) -> Student:
        """Of each mean by itself."""
        squares, n = self.of.squares(), np.maximum(self.scored, 1)
        error = np.sqrt(squares / np.maximum(n - 1, 1) / n)
        skewness = None
        if self.of.graded and self.of.seen is not None:
            sign = 1 if self.of.higher_is_better else -1
            cubes = np.diag(self.of.seen.cubes)
            skewness = sign * spreads.skewness_of(n, np.zeros(len(n)), squares, cubes)
        error = np.where(self.scored > 1, error, 0.0)
        return Student(self.mean, error, np.maximum(n - 1.0, 1.0), skewness=skewness, units=n)


@dataclass(frozen=True)
class Summed:
    """What `Measured` says of scores, from sums over blocks: each item is an example of its own."""

    found: Tables
    average: np.ndarray  # (system,), of the scores as they stand
    seen: Spreads | None  # of a second reading, where one was needed
    systems: list[str]
    higher_is_better: bool

    runs, single = False, True

    @property
    def graded(self) -> bool:
        """More than right and wrong."""
        return self.found.graded

    @property
    def units(self) -> int:
        """Items."""
        return self.found.items

    @property
    def gaps(self) -> bool:
        """Whether a score is missing."""
        return bool((self.scored < self.units).any())

    @cached_property
    def dataset(self) -> np.ndarray:
        """Data sets are pooled."""
        return np.zeros(1, dtype=int)

    @property
    def scored(self) -> np.ndarray:
        """Items that each system has a score on."""
        return np.diag(self.found.shared)

    @property
    def mean(self) -> np.ndarray:
        """Of the scores as they stand; nan where there is none."""
        return np.where(self.scored > 0, self.average, np.nan)

    def squares(self) -> np.ndarray:
        """Sum over items of the squared distance from the mean, (system,)."""
        if self.seen is not None and self.graded:
            return np.diag(self.seen.products)
        return self.scored * self.average * (1 - self.average)

    @property
    def limits(self) -> tuple[float, float]:
        """The range of a mean, of which more is better, where it is known."""
        if self.graded:
            return -np.inf, np.inf
        return (0.0, 1.0) if self.higher_is_better else (-1.0, 0.0)

    def sd(self) -> float:
        """Standard deviation of the scores of all systems together."""
        mean = np.average(self.average, weights=self.scored)
        squares = self.squares() + self.scored * (self.average - mean) ** 2
        return float(np.sqrt(squares.sum() / self.scored.sum()))

    def both_right(self) -> tuple[np.ndarray, int]:
        """On how many items both of two systems are right, (system, system), and the items."""
        ones, n = np.diag(self.found.sums), self.units
        both = self.found.sums - self.found.wins
        return (both if self.higher_is_better else n - ones - ones[:, None] + both), n

    def means(self) -> SummedMeans:
        """Of each system on its own items."""
        sign = 1 if self.higher_is_better else -1
        return SummedMeans(sign * self.mean, self.scored, self)

    def told(self, question: Question) -> dict[str, tuple[str, np.ndarray]]:
        """``score`` of each system, as the scores stand, with the bounds of its interval."""
        of = self.means()
        ends = of.law.interval(question.ci_prob, question.ci_kind)
        return oriented_scores(of.mean, *ends, self.higher_is_better)

    def pairs(self) -> PairMeans:
        """Of each pair, on the items that both have."""
        assert self.seen is not None  # graded scores are read twice
        sign = 1 if self.higher_is_better else -1
        return spreads.pair_means(self.found, self.average, self.seen, sign)


def count_given_blocks(found: Found, asked: Asked) -> Given:
    """As `count_given`, of scores in blocks: each is read at most twice, and none is kept.

    Raises
    ------
    ValueError
        If rows belong together, which blocks do not know.
    """
    of = blocks_of(found.plain)
    _alone(found.plain, asked)
    scores = _summed(of, asked)
    quantity = quantity_of("scores", scores, asked, None)
    raw = counts_of(of, scores.found, asked.margin).assign_attrs(missing=asked.missing)
    facts = _facts(scores, raw)
    facts = facts.assign(scored(scores, facts, asked))
    raw = raw.drop_vars(["n_used", "n_dropped"])
    counts = policy_applied(raw, "third" if asked.ties == "all" else asked.ties)
    notes = (_NOTE, *_pooled(found.plain), *notes_of_counting(raw, counts, asked, quantity))
    if asked.baseline is not None:
        checks.one_of(asked.baseline, systems_of(counts), "baseline")
    signed = of_data(found, raw) | {
        "data_hash": f"{scores.found.mark:016x}",
        "n_blank": scores.found.blank,
    }
    return Given(
        found, found.plain, raw, counts, facts, scores, quantity, names.ITEM, notes, (), signed
    )


def _alone(plain: xr.DataArray, asked: Asked) -> None:
    """Refuse items of one cluster, or runs of one item."""
    if asked.weight == "unit":
        raise ValueError(
            "weight='unit' is for clusters, and of scores in blocks each row is an example of its "
            "own; load the data with .compute()"
        )
    for name in (CLUSTER, EPOCH):
        if asked.unit != names.ITEM and several(plain, name):
            raise ValueError(
                f"items have a coordinate {name!r}, and of scores in blocks each row is an example "
                "of its own; take their mean first, load the data with .compute(), or say "
                "unit='item'"
            )


def _summed(of: Blocks, asked: Asked) -> Summed:
    """The first reading, and the second where means alone do not do."""
    found = tables_of(of, asked.margin, asked.missing, mark=True)
    average, seen = spreads.means(found), None
    if found.graded:
        rule = rule_of(of, asked.missing)
        seen = folded(of, partial(spreads.spreads, rule=rule, mean=average), spreads.added)
    return Summed(found, average, seen, list(of.systems), of.higher_is_better)


def _facts(scores: Summed, raw: xr.DataArray) -> xr.Dataset:
    """What is known of the systems beside the counts."""
    table: dict[str, Any] = {
        "score": (names.SYSTEM, scores.mean),
        "n_scored": (names.SYSTEM, scores.scored),
        "n_dropped": (names.SQUARE, raw["n_dropped"].values),
    }
    coords = dict.fromkeys((names.SYSTEM, *names.SQUARE), scores.systems)
    return xr.Dataset(table, coords=coords)


def _pooled(plain: xr.DataArray) -> list[str]:
    if not several(plain, names.DATASET):
        return []
    return [pooled_note(len(set(plain[names.DATASET].values.tolist())))]

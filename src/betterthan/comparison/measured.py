"""Scores as sums on the units of evidence, and what a difference of them is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.scoring import oriented
from betterthan.counts.units import CLUSTER, EPOCH, ids_of, item_ids, several
from betterthan.exact.joint import units
from betterthan.exact.joint.units import Means, PairMeans
from betterthan.io.text_arrays import text_array
from betterthan.posterior.table import Question


@dataclass(frozen=True)
class Measured:
    """Of scores, or of successes of trials: sums (item, system) of which more is better."""

    totals: np.ndarray
    sizes: np.ndarray  # how many scores or runs they are; 0 is a gap
    unit: np.ndarray  # (item,), which unit each belongs to, numbered from 0
    dataset: np.ndarray  # (item,), which data set
    systems: list[str]
    higher_is_better: bool
    graded: bool  # more than right and wrong
    runs: bool  # an item was run several times
    weight: str = "item"  # what counts once in a mean: an item, or a unit

    @property
    def units(self) -> int:
        """Their number."""
        return int(self.unit.max(initial=-1)) + 1

    @property
    def single(self) -> bool:
        """Whether each score of an item is an example of its own."""
        return not self.runs and self.units == len(self.unit)

    @property
    def gaps(self) -> bool:
        """Whether a score is missing."""
        return bool((self.sizes == 0).any())

    @property
    def scored(self) -> np.ndarray:
        """Cells that each system has a score on."""
        return (self.sizes > 0).sum(0)

    def sd(self) -> float:
        """Standard deviation of the means of units, of all systems together."""
        totals, sizes = self._of_units
        return float(np.nanstd(np.where(sizes > 0, totals, np.nan) / np.maximum(sizes, 1)))

    def both_right(self) -> tuple[np.ndarray, int]:
        """On how many items both of two systems are right, (system, system), and the items."""
        right = self.totals - self.limits[0]
        return right.T @ right, len(right)

    @property
    def limits(self) -> tuple[float, float]:
        """The range of a mean, of which more is better, where it is known."""
        if self.graded:
            return -np.inf, np.inf
        return (0.0, 1.0) if self.higher_is_better else (-1.0, 0.0)

    @property
    def of_items(self) -> bool:
        """Whether units are items, with all their runs; else clusters."""
        return self.units == len(self.unit)

    def means(self) -> Means:
        """Of each system on its own cells."""
        return self._means

    @cached_property
    def _means(self) -> Means:
        return units.means(*self._of_units, limits=self.limits, skewed=self.of_items)

    @cached_property
    def _of_units(self) -> tuple[np.ndarray, np.ndarray]:
        """Totals and sizes (unit, system)."""
        sums = self.totals, self.sizes
        if not self.of_items:
            sums = units.summed(sums[0], self.unit), units.summed(sums[1], self.unit)
        return units.once(*sums) if self.weight == "unit" else sums

    def told(self, question: Question) -> dict[str, tuple[str, np.ndarray]]:
        """``score`` of each system, as the scores stand, with the bounds of its interval."""
        of = self.means()
        ends = of.law.interval(question.ci_prob, question.ci_kind)
        return oriented_scores(of.mean, *ends, self.higher_is_better)

    def pairs(self) -> PairMeans:
        """Of each pair, on the cells that both have."""
        return self._pairs

    @cached_property
    def _pairs(self) -> PairMeans:
        low, high = self.limits
        return units.pair_means(
            self.totals,
            self.sizes,
            self.unit,
            most=high - low,
            skewed=self.of_items,
            each_once=self.weight == "unit",
        )


def oriented_scores(
    mean: np.ndarray, lower: np.ndarray, upper: np.ndarray, higher_is_better: bool
) -> dict[str, tuple[str, np.ndarray]]:
    """Means of which more is better and their bounds, as the scores stand."""
    ends = (mean, lower, upper) if higher_is_better else (-mean, -upper, -lower)
    names_of = ("score", "score_lower", "score_upper")
    return {name: (names.SYSTEM, values) for name, values in zip(names_of, ends, strict=True)}


def measured(found: Any, unit: str, *, together: bool) -> Measured | None:
    """What was found, as sums; None of tallies, counts and judgments.

    Parameters
    ----------
    found : Found
    unit : {"item", "cluster"}
    together : bool
        Whether runs of an item are taken together; else each is an example.
    """
    if found.kind == "trials":
        return _of_trials(found, unit)
    if found.kind != "scores":
        return None
    values = oriented(found.plain).astype(float)
    seen = ~np.isnan(values)
    graded = not np.isin(found.plain.values[seen], (0.0, 1.0)).all()
    plain, totals, sizes = found.plain, np.where(seen, values, 0.0), seen.astype(float)
    runs = together and several(plain, EPOCH)
    if runs:
        place = pd.factorize(item_ids(plain))[0]
        totals, sizes = units.summed(totals, place), units.summed(sizes, place)
        plain = plain.isel({names.ITEM: np.unique(place, return_index=True)[1]})
    return _measured(plain, totals, sizes, unit, runs=runs, graded=graded)


def _of_trials(found: Any, unit: str) -> Measured:
    made = [found.data[k].transpose(names.ITEM, names.SYSTEM) for k in ("successes", "trials")]
    successes, trials = (part.values.astype(float) for part in made)
    runs = bool((trials > 1).any())
    return _measured(found.plain, successes, trials, unit, runs=runs, graded=False)


def _measured(
    plain: xr.DataArray,
    totals: np.ndarray,
    sizes: np.ndarray,
    unit: str,
    runs: bool,
    graded: bool,
) -> Measured:
    rows = np.arange(len(totals))
    unit_of_row = pd.factorize(ids_of(plain, CLUSTER))[0] if unit == CLUSTER else rows
    known = names.DATASET in plain.coords and several(plain, names.DATASET)
    return Measured(
        totals,
        sizes,
        np.asarray(unit_of_row),
        pd.factorize(text_array(plain[names.DATASET].values))[0] if known else 0 * rows,
        [str(s) for s in plain[names.SYSTEM].values],
        bool(plain.attrs.get("higher_is_better", True)),
        graded=graded,
        runs=runs,
    )

"""The data of a comparison: their kind, checked, and their sums on the units of evidence."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import blocks_of, in_blocks
from betterthan.comparison.options import Options
from betterthan.counts import counting
from betterthan.counts.judgments import JUDGMENT, count_judgments
from betterthan.counts.responses import tally_scores
from betterthan.counts.runs import trials_of
from betterthan.counts.shapes import Arrays, pair_indices, picked, to_pairs
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import CLUSTER, EPOCH, ids_of, runs_together, several
from betterthan.exact.joint import units
from betterthan.exact.joint.units import Means, PairMeans, once
from betterthan.io.texts import text_array


@dataclass(frozen=True)
class LoadedData:
    """Data of one kind: what a model and `advise` look at."""

    kind: str  # scores, blocks (of scores), tallies, counts, judgments or trials
    data: Any
    observed: xr.DataArray  # scores by item, tallies, or counts, as they were observed
    scores: xr.DataArray  # the same under the policy for missing scores
    margin: float = 0.0

    @property
    def graded(self) -> bool:
        """Whether these are scores other than 0 and 1."""
        values = self.scores.values if self.kind == "scores" else np.empty(0)
        return not np.isin(values[~np.isnan(values.astype(float))], (0, 1)).all()

    @property
    def by_item(self) -> bool:
        """Whether items are known, and not only how many were won."""
        return names.ITEM in self.scores.dims

    def of_systems(self, systems: Any) -> Self:
        """Data of some systems, or under other names; see `picked`."""
        if systems is None:
            return self
        observed = picked(self.observed, systems)
        return replace(self, data=picked(self.data, systems), observed=observed, scores=observed)

    def with_policy(self, missing: str, margin: float) -> Self:
        """Scores under a policy for missing ones; of other data the policy is refused."""
        if self.kind == "scores":
            filled = counting.apply_missing(self.data, missing)
            counting.refuse_margin_of_all(filled, margin)
            return replace(self, data=filled, scores=filled, margin=margin)
        if missing != "pairwise" and self.kind == "trials":
            raise ValueError(
                f"missing={missing!r} is for scores; a trial that was not made is no failure"
            )
        if self.kind in ("counts", "judgments"):
            checks.for_scores_only(missing=missing, margin=margin)
        return replace(self, margin=margin)


def recognise(data: Any) -> LoadedData:
    """Data in memory, checked, and of which kind they are.

    Raises
    ------
    ValueError
        If they are none of these, or not valid.
    """
    if isinstance(data, xr.Dataset):
        data = schemas.with_plain_labels(data)
    if isinstance(data, xr.Dataset) and "trials" in data:
        trials_of(data)
        with np.errstate(invalid="ignore"):
            share = data["successes"] / data["trials"].where(data["trials"] > 0)
        share = share.transpose(names.ITEM, names.SYSTEM).assign_attrs(data.attrs)
        return LoadedData("trials", data, share, share)
    if isinstance(data, xr.Dataset) and JUDGMENT in data.dims:
        counts = count_judgments(data)
        return LoadedData("judgments", data, counts, counts)
    dims = data.dims if isinstance(data, xr.DataArray) else ()
    if names.ITEM in dims and in_blocks(data):
        data = blocks_of(data).scores
        return LoadedData("blocks", data, data, data)
    for dim, kind in _ARRAYS.items():
        if dim in dims:
            data = getattr(schemas, kind)(data)
            return LoadedData(kind, data, data, data)
    if isinstance(data, xr.DataTree):
        raise ValueError(
            "data is a DataTree; give draws to betterthan.fits.compare, your own by "
            "betterthan.fits.adopt"
        )
    what = type(data).__name__
    what += f" with dims ({', '.join(map(str, dims))})" if dims else ""
    raise ValueError(
        f"data is {what}; give scores, tallies, counts, trials or judgments (see betterthan.read), "
        "a path, a DataFrame, logs, a dict of scores by system, or an array (item, system)"
    )


# the kind, and its check in `schemas`, by the dim that tells it: the first that is there
_ARRAYS = {names.TALLY: "tallies", names.ITEM: "scores", names.OUTCOME: "counts"}


@dataclass(frozen=True)
class UnitTotals:
    """Sums of scores, or of successes of trials, (item, system), of which more is better."""

    totals: np.ndarray
    sizes: np.ndarray  # how many scores they are, the mean of an item's runs being one; 0 is a gap
    unit: np.ndarray  # (item,), which unit each belongs to, numbered from 0
    dataset: np.ndarray  # (item,), which data set
    systems: list[str]
    higher_is_better: bool
    graded: bool  # more than right and wrong
    runs: bool  # an item was run several times
    weight: str = "item"  # what counts once in a mean: an item, or a unit
    reliability: str | None = None  # pass^k or pass@k, where scores are the chances of it

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
        if self.graded and self.reliability is None:
            return -np.inf, np.inf
        return (0.0, 1.0) if self.higher_is_better else (-1.0, 0.0)

    @property
    def of_items(self) -> bool:
        """Whether units are items, with all their runs; else clusters."""
        return self.units == len(self.unit)

    @cached_property
    def means(self) -> Means:
        """Of each system on its own cells."""
        return units.means(*self._of_units, limits=self.limits, skewed=self.of_items)

    @cached_property
    def _of_units(self) -> tuple[np.ndarray, np.ndarray]:
        """Totals and sizes (unit, system)."""
        sums = self.totals, self.sizes
        if not self.of_items:
            sums = units.summed(sums[0], self.unit), units.summed(sums[1], self.unit)
        return once(*sums) if self.weight == "unit" else sums

    def shared_scores(self) -> np.ndarray:
        """The score of the system of the row on the cells that it and that of the column have,
        as the scores stand; nan where there are none.
        """
        sums = units.pair_sums(self.totals, self.sizes, self.unit, each_once=self.weight == "unit")
        means = [np.stack([_mean(*block[:2]), _mean(*block[2:])]) for block in sums]
        own = _mean(*self._of_units) if len(self.totals) else np.full(len(self.systems), np.nan)
        shared = np.diag(own)
        first, second = pair_indices(len(self.systems))
        shared[first, second], shared[second, first] = np.concatenate(means, axis=1)
        return shared if self.higher_is_better else -shared

    @cached_property
    def pairs(self) -> PairMeans:
        """Of each pair, on the cells that both have."""
        low, high = self.limits
        return units.pair_means(
            self.totals,
            self.sizes,
            self.unit,
            most=high - low,
            skewed=self.of_items,
            each_once=self.weight == "unit",
        )


def _mean(totals: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Over units; nan without any."""
    number = sizes.sum(0)
    return np.where(number > 0, totals.sum(0) / np.maximum(number, 1), np.nan)


def oriented_scores(
    mean: np.ndarray, lower: np.ndarray, upper: np.ndarray, higher_is_better: bool
) -> Arrays:
    """Means of which more is better and their bounds, as the scores stand."""
    ordered = (mean, lower, upper) if higher_is_better else (-mean, -upper, -lower)
    columns = ("score", "score_lower", "score_upper")
    return {name: ((names.SYSTEM,), v) for name, v in zip(columns, ordered, strict=True)}


def unit_totals(loaded: LoadedData, unit: str, *, together: bool) -> UnitTotals | None:
    """Scores, or successes of trials, as sums; None of tallies, counts and judgments.

    Parameters
    ----------
    loaded : LoadedData
    unit : {"item", "cluster"}
    together : bool
        Whether runs of an item are taken together; else each is an example.
    """
    if loaded.kind == "trials":
        arrays = [loaded.data[k].transpose(names.ITEM, names.SYSTEM) for k in _TRIALS]
        successes, trials = (array.values.astype(float) for array in arrays)
        runs = bool((trials > 1).any())
        return _unit_totals(loaded.scores, *once(successes, trials), unit, runs=runs, graded=False)
    if loaded.kind != "scores":
        return None
    scores, reliability = loaded.scores, loaded.scores.attrs.get("reliability")
    written = scores.values.astype(float)
    graded = bool(reliability) or not np.isin(written[~np.isnan(written)], (0.0, 1.0)).all()
    runs = together and several(scores, EPOCH)
    if runs:
        scores = runs_together(scores)
    values = counting.oriented(scores).astype(float)
    present = ~np.isnan(values)
    totals, sizes = np.where(present, values, 0.0), present.astype(float)
    sums = _unit_totals(scores, totals, sizes, unit, runs=runs, graded=graded)
    return replace(sums, reliability=reliability)


_TRIALS = ("successes", "trials")


def _unit_totals(
    scores: xr.DataArray, totals: np.ndarray, sizes: np.ndarray, unit: str, runs: bool, graded: bool
) -> UnitTotals:
    scored = (sizes > 0).any(1)
    if scored.any() and not scored.all():  # what no system has a score on says nothing
        scores, totals, sizes = scores.isel({names.ITEM: scored}), totals[scored], sizes[scored]
    rows = np.arange(len(totals))
    unit_of_row = pd.factorize(ids_of(scores, CLUSTER))[0] if unit == CLUSTER else rows
    labelled = names.DATASET in scores.coords and several(scores, names.DATASET)
    return UnitTotals(
        totals,
        sizes,
        np.asarray(unit_of_row),
        pd.factorize(text_array(scores[names.DATASET].values))[0] if labelled else 0 * rows,
        [str(s) for s in scores[names.SYSTEM].values],
        bool(scores.attrs.get("higher_is_better", True)),
        graded=graded,
        runs=runs,
    )


def wins_of_items(scores: xr.DataArray, margin: float, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """Wins less losses, and examples, of each cluster (cluster, pair), from scores or tallies."""
    by_item = tally_scores(scores) if names.TALLY in scores.dims else scores
    outcomes = counting.item_outcomes(by_item, margin=margin)
    outcome, shared = outcomes["outcome"].values, outcomes["observed"].values
    if ties in ("to_a", "to_b"):
        outcome = np.where(outcome == 0, 1 if ties == "to_a" else -1, outcome) * shared
    counted = (outcome != 0) if ties == "drop" else shared
    place = pd.factorize(ids_of(scores, CLUSTER))[0]
    return units.summed(outcome.astype(float), place), units.summed(counted.astype(float), place)


def wins_of_counts(counts: xr.DataArray, ties: str) -> tuple[np.ndarray, np.ndarray]:
    """The same of counts with a dim cluster, pooled over data sets and more."""
    dims = (*names.SQUARE, names.PAIR, names.OUTCOME, CLUSTER)
    counts = counts.sum([d for d in counts.dims if d not in dims], keep_attrs=True)
    under = policy_applied(counts, "third" if ties == "all" else ties)
    pairs = to_pairs(under) if names.SYSTEM_A in under.dims else under
    each = pairs.transpose(CLUSTER, names.PAIR, names.OUTCOME).values.astype(float)
    return each[..., 0] - each[..., 1], each.sum(-1)


@dataclass(frozen=True)
class Quantity:
    """``lead`` decides; ``other`` is reported next to it, where there is one.

    For scores of 0 and 1 wins and mean are one thing, accuracy. Once scores are graded they are
    two, and may name different systems.
    """

    lead: str  # wins, accuracy or mean
    other: str | None = None
    chosen: bool = True  # asked for; else the two may be split
    reliability: str | None = None  # pass^k or pass@k, of which means are compared

    @property
    def name(self) -> str:
        """What is compared: wins, accuracy, mean, or such as "pass^3"."""
        return self.reliability or self.lead

    @property
    def difference_is(self) -> str:
        """In words."""
        return names.DIFFERENCES.get(self.name, f"difference in {self.name}")


def quantity_of(
    kind: str, scores: Any, options: Options, advised: str | None, *, together: bool = True
) -> Quantity:
    """The quantity of data of a kind, given what was asked, or advised, and whether the runs of an
    item are taken together.

    Raises
    ------
    ValueError
        If it cannot be computed from these data.
    """
    wanted = options.quantity or advised
    if options.quantity == "mean" and options.method in ("mcmc", "both"):
        raise ValueError(
            f"method={options.method!r} samples wins; quantity='mean' has a closed form, "
            "method='exact'"
        )
    if kind == "trials" and not together:
        return Quantity("wins")
    if scores is None:
        if options.quantity == "mean":
            raise ValueError(
                f"quantity='mean' needs scores by item; for {kind}, pass quantity='wins'"
            )
        return Quantity("wins")
    if options.ties == "all" and (options.quantity == "mean" or options.reliability is not None):
        raise ValueError(
            "ties='all' compares policies for ties, and a mean has none; leave it out, or pass "
            "quantity='wins'"
        )
    if options.reliability is not None:
        return Quantity("mean", reliability=options.reliability.name)
    if not scores.graded:
        # a margin is of the means of an item's runs, which tie within it
        if not scores.single and (wanted == "wins" or (options.margin and scores.runs)):
            return Quantity("wins", "mean", chosen=wanted is not None)
        # an accuracy on units has no ties that a policy could move
        if not scores.single and options.ties in ("drop", "to_a", "to_b"):
            raise ValueError(
                f"ties={options.ties!r} moves wins, and accuracy on units has no ties; also give "
                "quantity='wins', or unit='item'"
            )
        return Quantity("accuracy")
    other = {"wins": "mean", "mean": "wins"}
    # of graded scores the mean, but what speaks of wins is answered by wins
    of_wins = options.margin or options.ties != "third" or options.method in ("mcmc", "both")
    of_wins = of_wins or not (options.prior is None or options.skeptical)
    lead = options.quantity or ("wins" if of_wins else advised or "mean")
    return Quantity(lead, other[lead], chosen=wanted is not None)

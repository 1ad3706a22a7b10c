"""The decision rule of a gate: probabilities from counts or means, a verdict, and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.units import CLUSTER, ids_of, item_ids, unit_of
from betterthan.exact.averages import prob_above_0
from betterthan.exact.joint.student import TOO_SKEWED
from betterthan.exact.joint.units import PairMeans, pair_means, spans
from betterthan.exact.wins import dirichlet
from betterthan.gating.boundaries import chance_behind, chance_to_pass
from betterthan.posterior.bounds import SEEN, planned_bounds, score_limits
from betterthan.rounding import without_float_errors

VERDICTS = ("pass", "worse", "inconclusive", "not comparable")
PASS, WORSE, INCONCLUSIVE, NOT_COMPARABLE = VERDICTS
EXIT_CODES = {PASS: 0, WORSE: 1, INCONCLUSIVE: 3, NOT_COMPARABLE: 4}  # 2 is a wrong use
INCONCLUSIVE_AS = ("pass", "fail")  # what it can be made


@dataclass(frozen=True)
class Chance:
    """What one reading of the data says of d = candidate - baseline, more being better.

    Attributes
    ----------
    passes, behind : float
        P(d > -margin) and P(d < 0); nan where they cannot be computed.
    pass_holds, behind_holds : bool
        Whether each is enough for a verdict: a threshold reached, or a boundary.
    """

    passes: float
    behind: float
    pass_holds: bool
    behind_holds: bool

    @classmethod
    def at_threshold(cls, passes: float, behind: float, threshold: float) -> Chance:
        """Compare both probabilities with the threshold; nan holds nowhere."""
        passes, behind = float(passes), float(behind)
        return cls(passes, behind, passes >= threshold, behind >= threshold)

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`: where both hold it is a pass, of a candidate that is behind by less
        than the margin.
        """
        return PASS if self.pass_holds else WORSE if self.behind_holds else INCONCLUSIVE


@dataclass(frozen=True)
class Chances:
    """Probabilities as observed, and in the worst and the best case of the missing scores."""

    observed: Chance
    worst: Chance
    best: Chance
    known: bool = True  # whether the range of the missing scores is

    @property
    def verdict(self) -> str:
        """That of the observed data, if no values of what is missing could turn it.

        Nothing missing can be worse than the worst case, nor better than the best: a pass stands if
        the worst case passes, worse stands if the best case is worse.
        """
        return INCONCLUSIVE if self.could_change else self.observed.verdict

    @property
    def outside(self) -> bool:
        """Whether the observed data lie outside the range, which counts one side's scores, too."""
        cases = self.observed, self.worst, self.best
        now, *limits = np.array([(case.passes, case.behind) for case in cases])
        return bool(((now < np.min(limits, 0)) | (now > np.max(limits, 0))).any())

    @property
    def could_change(self) -> bool:
        """Whether values of the missing scores could change the observed verdict."""
        verdict = self.observed.verdict
        if verdict == PASS:  # a missing score may be worse than any that was seen
            return not (self.worst.pass_holds and self.known)
        return verdict == WORSE and self.best.verdict != WORSE


def exit_code(verdict: str, inconclusive: str | None = None) -> int:
    """What the process ends with.

    Parameters
    ----------
    verdict : str
        One of `VERDICTS`.
    inconclusive : {"pass", "fail"}, optional
        Whether to end as a pass or as worse where it is inconclusive; with a code of its own when
        not given.

    Examples
    --------
    >>> [exit_code(verdict) for verdict in VERDICTS]
    [0, 1, 3, 4]
    >>> exit_code("inconclusive", "pass"), exit_code("inconclusive", "fail")
    (0, 1)
    """
    if verdict == INCONCLUSIVE and inconclusive is not None:
        return EXIT_CODES[PASS if inconclusive == "pass" else WORSE]
    return EXIT_CODES[verdict]


@dataclass(frozen=True)
class Paired:
    """Both sides on all items that either has; column 0 is the baseline, 1 the candidate.

    Attributes
    ----------
    ids : list of str
        Of the items, in the order of the baseline.
    low, high, mean : numpy.ndarray, (item, side)
        The least and the most that the mean of an item's runs can be, and the mean of those that
        are scored, nan where none is; more is better.
    unit : numpy.ndarray of int, (item,)
        Which unit of evidence each item belongs to.
    per : {"item", "cluster"}
        What a unit is.
    runs : int
        The most runs that an item has.
    gone : int
        Scores that are missing, of both sides.
    binary : bool
        Whether every score is 0 or 1.
    limits : two float
        The smallest and the largest score there can be, more being better.
    known : bool
        Whether these are known, and not those that were seen.
    higher_is_better : bool
    reliability : str or None
        pass^k or pass@k, where scores are the chances of it.
    """

    ids: list[str]
    low: np.ndarray
    high: np.ndarray
    mean: np.ndarray
    unit: np.ndarray
    per: str
    runs: int
    gone: int
    binary: bool
    limits: tuple[float, float]
    known: bool
    higher_is_better: bool
    reliability: str | None = None

    @property
    def quantity(self) -> str:
        """What a difference is of: accuracy, mean, or such as pass^3."""
        return self.reliability or ("accuracy" if self.binary else "mean")

    @property
    def units(self) -> int:
        """Their number."""
        return int(self.unit.max(initial=-1)) + 1

    @property
    def scored(self) -> np.ndarray:
        """Items that both sides have a score on, (item,)."""
        return ~np.isnan(self.mean).any(1)

    @property
    def differences(self) -> np.ndarray:
        """Candidate - baseline on each item, nan where a score is missing."""
        return self.mean[:, 1] - self.mean[:, 0]

    @property
    def counted(self) -> bool:
        """Whether items are wins, losses and ties: scored 0 or 1, once, and standing alone."""
        single = self.runs == 1 and self.per == names.ITEM
        return self.binary and single and self.reliability is None

    @property
    def most(self) -> float:
        """The largest difference there can be, where the law of a mean knows it."""
        return 1.0 if self.binary or self.reliability else np.inf

    @property
    def shares(self) -> bool:
        """Whether every score lies within 0 and 1, so that a margin is a share."""
        return set(map(abs, self.limits)) == {0.0, 1.0}


def paired(scores: xr.DataArray, limits: Sequence[float] | None = None) -> Paired:
    """Scores of two systems, baseline and candidate in this order, as ends.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        NaN is missing. Of items that were run several times each run may be.
    limits : two float, optional
        The smallest and the largest score there can be.

    Examples
    --------
    >>> values = [[1, 0], [1, np.nan], [0, 1]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["old", "new"]})
    >>> result = paired(scores)
    >>> result.low[1].tolist(), result.high[1].tolist(), result.differences.tolist()
    ([1.0, 0.0], [1.0, 1.0], [-1.0, nan, 1.0])
    """
    scores = scores.copy(data=without_float_errors(scores.values))
    low, high, source = score_limits(scores, limits)
    better = bool(scores.attrs.get("higher_is_better", True))
    bounds, planned, place = planned_bounds(scores, (low, high))
    values = scores.values.astype(float)
    return Paired(
        list(dict.fromkeys(item_ids(scores).tolist())),
        bounds.low,
        bounds.high,
        bounds.observed,
        unit=_units(scores, place),
        per=unit_of(scores, None),
        runs=int(planned.max()),
        gone=int(bounds.missing.sum()),
        binary=bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all()),
        limits=(low, high) if better else (-high, -low),
        known=source != SEEN,
        higher_is_better=better,
        reliability=scores.attrs.get("reliability"),
    )


def _units(scores: xr.DataArray, place: np.ndarray) -> np.ndarray:
    """The unit of evidence of each item: its cluster, where they come in clusters."""
    first = np.unique(place, return_index=True)[1]
    if unit_of(scores, None) != CLUSTER:
        return np.arange(len(first))
    return np.asarray(pd.factorize(ids_of(scores, CLUSTER)[first])[0])


Counts = tuple[int, int, int]


@dataclass(frozen=True)
class Cases:
    """Wins, losses and ties of the candidate: as observed, in the worst and in the best case."""

    observed: Counts
    worst: Counts
    best: Counts


def count_cases(pairs: Paired) -> Cases:
    """Count wins, losses and ties of the items; a missing score may be 0 or 1.

    Examples
    --------
    >>> import xarray as xr
    >>> from betterthan.gating.rule import paired
    >>> values = [[1, 0], [1, np.nan], [0, 1], [np.nan, 1]]
    >>> scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["old", "new"]})
    >>> count_cases(paired(scores))
    Cases(observed=(1, 1, 0), worst=(1, 2, 1), best=(2, 1, 1))
    """
    worst, best = pairs.low[:, 1] - pairs.high[:, 0], pairs.high[:, 1] - pairs.low[:, 0]
    return Cases(*map(_counts, (pairs.differences[pairs.scored], worst, best)))


def _counts(differences: np.ndarray) -> Counts:
    won, lost = int((differences > 0).sum()), int((differences < 0).sum())
    return won, lost, len(differences) - won - lost


def count_chances(cases: Cases, margin: float, threshold: float) -> Chances:
    """Compute P(d > -margin) and P(d < 0) under a uniform prior."""

    def chance(counts: Counts) -> Chance:
        won, lost, tied = map(np.asarray, counts)
        passes, behind = chance_to_pass(won, lost, tied, margin), chance_behind(won, lost)
        return Chance.at_threshold(float(passes), float(behind), threshold)

    return evaluate_cases(cases, chance)


def evaluate_cases(cases: Cases, chance: Callable[[Counts], Chance]) -> Chances:
    """Evaluate `chance` for each case."""
    if cases.observed == cases.worst == cases.best:
        result = chance(cases.observed)
        return Chances(result, result, result)
    return Chances(chance(cases.observed), chance(cases.worst), chance(cases.best))


def mean_chances(pairs: Paired, margin: float, threshold: float) -> Chances:
    """Compute P(d > -margin) and P(d < 0) of the mean difference, and their bounds from `spans`."""
    now = Chance.at_threshold(*_as_observed(pairs, observed(pairs), margin), threshold)
    if pairs.scored.all() and np.array_equal(pairs.low, pairs.high):
        return Chances(now, now, now)
    low, high = pairs.low[:, 1:] - pairs.high[:, :1], pairs.high[:, 1:] - pairs.low[:, :1]
    bounds = spans(low, high, pairs.unit, most=pairs.most, skewed=pairs.per == names.ITEM)
    worst = bounds.least_above(-margin), bounds.most_below(0.0)
    best = bounds.most_above(-margin), bounds.least_below(0.0)
    worst, best = (Chance.at_threshold(a[0], b[0], threshold) for a, b in (worst, best))
    return Chances(now, worst, best, pairs.known)


def observed(pairs: Paired) -> PairMeans:
    """Compute candidate - baseline on the items that both sides scored."""
    scored = pairs.scored
    return pair_means(
        np.where(scored[:, None], pairs.mean, 0.0)[:, ::-1],
        np.repeat(scored[:, None], 2, axis=1).astype(float),
        pairs.unit,
        most=pairs.most,
        skewed=pairs.per == names.ITEM,
    )


def rests_on_few(pairs: Paired, differences: np.ndarray, margin: float, threshold: float) -> bool:
    """Whether a pass rests on few units: losses are too skewed for Student's t, and one more unit
    that loses all there is to lose may take the mean below -margin.

    A candidate that fails rarely, and then wholly, looks better to Student's t than it is.
    """
    scored = ~np.isnan(differences)
    _, unit = np.unique(pairs.unit[scored], return_inverse=True)
    size, total = np.bincount(unit), np.bincount(unit, differences[scored])
    off = total - size * total.sum() / size.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness = (off**3).mean() / (off**2).mean() ** 1.5
    if not -skewness > TOO_SKEWED * np.sqrt(len(size)):
        return False
    width = pairs.limits[1] - pairs.limits[0]
    larger = (size**2).sum() / size.sum()  # of the cluster of an item, on average
    above = np.append(total + margin * size, larger * (margin - width))
    return prob_above_0(above) < threshold


def _as_observed(pairs: Paired, means: PairMeans, margin: float) -> tuple[float, float]:
    if means.units[0] > 1 and means.error[0] == 0:
        return all_alike(float(means.difference[0]), int(means.units[0]), pairs.limits, margin)
    return float(means.prob_above(-margin)[0]), float(means.prob_below()[0])


def all_alike(
    difference: float, units: int, limits: tuple[float, float], margin: float
) -> tuple[float, float]:
    """Compute P(d > -margin) and P(d < 0) where every unit shows the same difference: there is no
    spread to estimate.

    P(d < 0) counts the units that lost, as `compare` does. P(d > -margin) allows for units that
    were not seen: one may differ from these by as much as two scores can.

    Examples
    --------
    >>> [round(all_alike(0.0, units, (0, 1), 0.05)[0], 3) for units in (10, 60)]
    [0.73, 0.979]
    """
    width = limits[1] - limits[0]
    if not width:
        return np.nan, np.nan
    won, lost = np.array([difference > 0, difference < 0]) * units
    behind = float(chance_behind(won, lost))
    if difference < -margin:
        return 1.0 - behind, behind
    passes = dirichlet.prob_above(1.0, 1.0, 1.0 + units, -(margin + difference) / width)
    return max(float(passes), 1.0 - behind), behind

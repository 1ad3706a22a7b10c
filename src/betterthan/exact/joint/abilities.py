"""The joint model of many systems on the same items: abilities, pairs and checks.

Two systems in the same group are drawn towards each other by the factor k of `groups`, two in
different groups towards the distance of their centres. Each pair keeps its own error and its own
posterior, so with much data the joint answer is the pairwise one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.joint.groups import MANY, Groups, Partitions, fit_groups
from betterthan.exact.joint.mixture import Averages, Mixture, PairPosterior, Wins, interval
from betterthan.exact.joint.units import PairMeans

_Array = Any  # an array of floats
SCALE = 0.25  # of abilities, for items that are right or wrong
SD_FRACTION = 0.5  # of abilities otherwise: of the standard deviation of all scores
FEWEST = 5  # items or units, below which nothing is learned of how systems differ
_PSEUDO = 4  # items of coin flips that right and wrong items have before any is seen
_DF = 2.5  # least degrees of freedom for the variance of t
_EXACT = 2e4  # (component, pair) up to which no components are merged
_SLACK = 5e-5  # of a probability: what merging may move it under one tau
_SHORT, _ALIKE = 0.0064, 0.017  # how much merging moves it, by shift^3 and by variance^2
_LEAST = 1e-7  # components to which no pair gives more weight are left out
_JITTER = 1e-12  # of the largest variance: errors of copies differ by that
_NEAR = 4.0  # errors from 0 within which the chart of a pair is taken to be straight
_ROWS = 1000  # draws at once, whose random numbers take little memory
_HELD = 2**18  # numbers (component, pair) held at once


@dataclass(frozen=True)
class Evidence:
    """Scores and their errors, of systems and of pairs in the order of the upper triangle."""

    score: _Array  # (system,), more is better
    covariance: _Array  # (system, system), of their errors
    df: float | None  # of all systems together; None of normal errors
    error: _Array  # (pair,)
    pairwise: PairPosterior  # the pairwise posterior of each pair
    scale: float  # of abilities

    @property
    def variance(self) -> float:
        """Of the error of a system, the same for all: what the groups are learned with."""
        df = self.pairwise.df
        wide = 1.0 if df is None else np.maximum(df, _DF) / (np.maximum(df, _DF) - 2)
        return float((wide * self.error**2).mean() / 2)

    def errors(self, number: int, random: np.random.Generator) -> _Array:
        """Draws (draw, system) of the errors of all systems; of many, the second half mirrors the
        first, which takes half the time and makes no error of a rank or of P(best) larger.
        """
        small = _JITTER * np.diag(self.covariance).max() * np.eye(len(self.score))
        factor = np.linalg.cholesky(self.covariance + small)
        fresh = number if len(factor) < MANY else -(-number // 2)
        draws = np.empty((number, len(factor)))
        for start in range(0, fresh, _ROWS):
            rows = draws[start : min(start + _ROWS, fresh)]
            np.matmul(random.standard_normal(rows.shape), factor.T, out=rows)
        np.negative(draws[: number - fresh], out=draws[fresh:])
        if self.df is None:
            return draws
        return draws * np.sqrt(self.df / random.chisquare(self.df, (number, 1)))


def evidence_from_right(
    both: _Array, items: float, prior: tuple[float, ...], share: float = 1.0
) -> Evidence:
    """From how many items each two systems have right, (system, system), without missing scores.

    Items are weighed by a Dirichlet process whose base is four items of a fair coin for every
    system (Ferguson 1973, Annals of Statistics 1(2), 209-230).

    Parameters
    ----------
    both : numpy.ndarray, (system, system)
        On the diagonal how many items a system has right.
    items : int
    prior : tuple of three float
        Dirichlet parameters of win, loss and tie of a pair.
    share : float, default 1
        Which part of the four items these have: a data set its weight.
    """
    coins = _PSEUDO * share
    right, n = np.diag(both).astype(float), items + coins
    score = (right + coins / 2) / n
    square = (both + coins / 4 * (1 + np.eye(len(right)))) / n
    covariance = (square - np.outer(score, score)) / (n + 1)
    first, second = np.triu_indices(len(right), 1)
    won, lost = right[first] - both[first, second], right[second] - both[first, second]
    pairwise = Wins(won + prior[0], lost + prior[1], items - won - lost + prior[2])
    error = np.sqrt(_difference_variance(covariance, first, second))
    return Evidence(score, covariance, None, error, pairwise, SCALE)


def evidence_from_means(
    mean: _Array, covariance: _Array, df: float, pairs: PairMeans, sd: float
) -> Evidence:
    """From means of systems and of pairs on units, without missing scores.

    Parameters
    ----------
    mean, covariance, df
        Of `units.Means`.
    pairs : PairMeans
    sd : float
        Standard deviation of the scores of all systems on all units.
    """
    error = np.maximum(pairs.error, 1e-12 * pairs.error.max())
    return Evidence(mean, covariance, df, error, Averages(pairs), SD_FRACTION * sd)


def _difference_variance(covariance: _Array, first: _Array, second: _Array) -> _Array:
    variance = np.diag(covariance)
    return variance[first] + variance[second] - 2 * covariance[first, second]


@dataclass(frozen=True)
class Answers:
    """Of pairs, each (pair,)."""

    better: _Array
    worse: _Array
    mean: _Array
    lower: _Array
    upper: _Array
    mass: _Array  # (pair, region): below, within and above the rope


@dataclass(frozen=True)
class Abilities:
    """The joint posterior of the abilities of all systems."""

    evidence: Evidence
    groups: Groups

    @classmethod
    def fit(cls, evidence: Evidence) -> "Abilities":
        """Posterior given the evidence, whose variance must be above 0."""
        return cls(evidence, fit_groups(evidence.score, evidence.variance, evidence.scale))

    @np.errstate(under="ignore")  # weights and densities of what is far away are rightly 0
    def pairs(self, prob: float, kind: str, rope: float, *, alone: bool = False) -> Answers:
        """Probabilities, intervals and masses of all pairs.

        Parameters
        ----------
        prob : float
            Of the intervals.
        kind : {"hdi", "eti"}
        rope : float
            Half width of the region of practical equivalence.
        alone : bool, default False
            Whether the masses are those of each pair by itself.
        """
        parts, z = [], []
        for _, pairwise, mixture in self.mixtures():
            limits = interval(mixture, pairwise, prob, kind)
            parts.append(_answers(mixture, pairwise, limits, rope, alone))
            z.append(pairwise.z)
        answers = {k: np.concatenate([getattr(p, k) for p in parts]) for k in vars(parts[0])}
        score, (first, second) = self.evidence.score, np.triu_indices(len(self.evidence.score), 1)
        even = (score[first] == score[second]) & (np.concatenate(z) == 0)
        # exactly, whatever the rounding
        answers |= {k: np.where(even, 0.5, answers[k]) for k in ("better", "worse")}
        return Answers(**answers)

    def mixtures(self) -> Iterator[tuple[slice, PairPosterior, Mixture]]:
        """The pairwise posteriors and the mixtures of the pairs, a block of them at a time."""
        first, second = np.triu_indices(len(self.evidence.score), 1)
        atoms = self._atoms  # which take much memory, and are not kept
        step = max(1, _HELD // (1 + 2 * len(atoms.start)))
        for start in range(0, len(first), step):
            block = slice(start, start + step)
            pairwise = self.evidence.pairwise.take(block)
            error = self.evidence.error[block]
            sides = first[block], second[block]
            yield block, pairwise, self._mixture(atoms, pairwise, error, *sides)

    def draws(self, number: int, random: np.random.Generator) -> _Array:
        """Joint draws (draw, system) of the abilities."""
        return self.groups.draws(self.evidence.errors(number, random), random)

    def _mixture(
        self,
        atoms: "GroupAtoms",
        pairwise: PairPosterior,
        error: _Array,
        first: _Array,
        second: _Array,
    ) -> Mixture:
        z, score = pairwise.z, self.evidence.score
        error = _per_unit(score[first] - score[second], error, z)
        node, taus = np.tile(atoms.node[atoms.likely], 2), len(atoms.tau_k)
        k = np.concatenate([atoms.tau_k, atoms.tau_k[node]])[:, None]
        weight, centre, sd = (np.empty((len(k), len(z))) for _ in range(3))
        shift = atoms.pair_components(first, second, weight[taus:], sd[taus:])
        in_groups = (node == np.arange(taus)[:, None]).astype(float) @ weight[taus:]
        np.maximum(atoms.tau_weight[:, None] - in_groups, 0.0, out=weight[:taus])
        weight /= weight.sum(0)
        np.multiply(k - 1, z, out=centre)
        shift /= error
        centre[taus:] += shift
        sd[:taus] = 0.0
        sd[taus:] /= error**2
        sd += k
        np.sqrt(sd, out=sd)
        return Mixture(weight, centre, sd, pairwise.df, rough=atoms.merges and len(score) >= MANY)

    @property
    def _atoms(self) -> "GroupAtoms":
        """Components for pairs in different groups; merged ones of many systems in single
        precision, as merging moves a weight by more.
        """
        number = sum(len(part.weight) * comb(part.groups, 2) for part in self.groups.parts)
        merging = 2 * number * len(self.evidence.error) > _EXACT
        digits = np.float32 if merging and len(self.evidence.score) >= MANY else np.float64
        atoms = GroupAtoms.from_groups(self.groups, self._alike, digits)
        return atoms.merged(float(self.evidence.error.min()) ** 2) if merging else atoms

    @cached_property
    def _alike(self) -> _Array:
        """Sums of squared errors of pairs over the systems up to each two, by score."""
        number = len(self.evidence.score)
        first, second = np.triu_indices(number, 1)
        square = np.zeros((number, number))
        square[first, second] = self.evidence.error**2
        order = np.argsort(self.evidence.score, kind="stable")
        sums = np.zeros((number + 1, number + 1))
        sums[1:, 1:] = (square + square.T)[np.ix_(order, order)].cumsum(0).cumsum(1)
        return sums


@dataclass(frozen=True)
class GroupAtoms:
    """Pairs of groups of a partition: one pair is an atom, merged atoms are a cell."""

    tau_k: _Array  # (tau,): k of each tau
    tau_weight: _Array  # (tau,)
    upper: _Array  # (atom, level): weight times the probability to be in the upper group
    lower: _Array  # (atom, level): probability to be in the lower group
    shift: _Array  # (atom,): how far the upper lies above
    extra: _Array  # (atom,): variance of that
    node: _Array  # (cell,): place of its tau
    start: _Array  # (cell,): its first atom
    level: _Array  # (system,): of its score

    @classmethod
    def from_groups(cls, groups: Groups, alike: _Array, digits: Any = np.float64) -> "GroupAtoms":
        """One cell for each atom, in floats of these digits."""
        tau = np.concatenate([part.tau for part in groups.parts])
        k_all = np.concatenate([part.k for part in groups.parts])
        weight = np.concatenate([part.weight for part in groups.parts])
        first, place = np.unique(tau, return_index=True, return_inverse=True)[1:]
        atoms = [
            _between(part, low, high, groups.variance, alike, digits)
            for part in groups.parts
            for low, high in combinations(range(part.groups), 2)
        ]
        nobody, none = np.zeros((0, groups.level.max() + 1), digits), np.zeros(0)
        columns = zip((nobody, nobody, none, none, none), *atoms, strict=True)
        upper, lower, shift, extra, k = (np.concatenate(x) for x in columns)
        node = np.searchsorted(k_all[first], k)
        cells = node, np.arange(len(shift)), groups.level
        return cls(k_all[first], np.bincount(place, weight), upper, lower, shift, extra, *cells)

    def merged(self, least: float) -> "GroupAtoms":
        """Atoms of one tau that differ by little, next to the smallest squared error of a pair."""
        weight = np.bincount(self.node, self.upper.max(1) * self.lower.max(1), len(self.tau_k))
        spread = self.tau_k[self.node] * least + self.extra
        with np.errstate(divide="ignore"):
            narrow = np.full(len(weight), np.inf)
            np.minimum.at(narrow, self.node, spread)
            width = np.cbrt(_SLACK / (_SHORT * weight)) * np.sqrt(narrow)
            ratio = np.sqrt(_SLACK / (_ALIKE * weight))
        keys = self.node, self.shift / width[self.node], np.log(spread) / ratio[self.node]
        rounded = np.round(np.stack(keys))
        order = np.lexsort(rounded[::-1])
        cell = rounded[:, order]
        start = np.flatnonzero(np.r_[True, (cell[:, 1:] != cell[:, :-1]).any(0)])
        sorted_ = {k: getattr(self, k)[order] for k in ("upper", "lower", "shift", "extra")}
        return replace(self, **sorted_, node=self.node[order][start], start=start)

    @property
    def merges(self) -> bool:
        """Whether cells have several atoms."""
        return len(self.start) < len(self.shift)

    def pair_components(
        self, first: _Array, second: _Array, weight: _Array, variance: _Array
    ) -> _Array:
        """Write weights and variances of the components (component, pair), and return shifts: the
        first system is in the upper group of a likely cell, then the second.
        """
        levels, half, shift = self.lower.shape[1], len(weight) // 2, np.empty(weight.shape)
        ways = (slice(half), first, second), (slice(half, None), second, first)
        for rows, upper, lower in ways:
            way = self.level[upper] * levels + self.level[lower]
            for part, out in zip(self._likely_cells, (weight, shift, variance), strict=True):
                out[rows] = part.take(way, axis=1)
        shift[half:] *= -1
        return shift

    @cached_property
    def likely(self) -> _Array:
        """Cells to which some pair gives weight, (cell,)."""
        levels = self.lower.shape[1]
        pairs = ~np.eye(levels, dtype=bool) | (np.bincount(self.level, minlength=levels) > 1)
        return self._cells[0].max(1, where=pairs.ravel(), initial=0.0) >= _LEAST

    @cached_property
    def _likely_cells(self) -> list[_Array]:
        return [part if self.likely.all() else part[self.likely] for part in self._cells]

    @cached_property
    def _cells(self) -> tuple[_Array, _Array, _Array]:
        """Weight, mean and variance of the shifts in each cell, of each two scores: (cell, level of
        the upper x level of the lower).
        """
        levels = self.lower.shape[1]
        if not self.merges:
            weight = self.upper[:, :, None] * self.lower[:, None, :]
            shift, extra = (x[:, None, None] + 0 * weight for x in (self.shift, self.extra))
            return tuple(x.reshape(len(x), levels**2) for x in (weight, shift, extra))
        # moments about a shift of the cell, of which few digits are lost
        sizes = np.diff([*self.start, len(self.shift)])
        digits = self.upper.dtype
        base = self.shift[self.start].astype(digits)
        away = self.shift - np.repeat(base, sizes)
        moments = np.stack([away**0, away, self.extra + away**2], axis=1).astype(digits)
        sums = np.empty((len(sizes), 3 * levels, levels), dtype=digits)
        for product, start, size in zip(sums, self.start, sizes, strict=True):
            rows = slice(start, start + size)
            weighed = self.upper[rows, None] * moments[rows, :, None]  # (atom, moment, level)
            np.matmul(weighed.reshape(-1, 3 * levels).T, self.lower[rows], out=product)
        weight, shift, extra = sums.reshape(len(sizes), 3, -1).swapaxes(0, 1)
        whole = np.maximum(weight, digits.type(1e-30))
        shift /= whole
        extra /= whole
        extra -= shift * shift
        shift += base[:, None]
        return weight, shift, np.maximum(extra, 0, out=extra)


def _per_unit(difference: _Array, error: _Array, z: _Array) -> _Array:
    """How much of a score one unit of u is, between d = 0, at u = -z, and the middle, at u = 0.

    That is an error where z is small. Far from 0 the tail of right and wrong items is heavier than
    a normal's: a pull of both systems to where they are, which moves nothing, must move u by 0.
    """
    far = np.clip((np.abs(z) - _NEAR) / _NEAR, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(far > 0, (1 - far) * error + far * difference / z, error)


def _between(
    part: Partitions, low: int, high: int, variance: float, alike: _Array, digits: Any
) -> tuple[_Array, ...]:
    """Two groups of each partition: members of the upper and the lower group, their difference, its
    variance, and k.
    """
    k, retained, sizes = part.k, part.retained[:, [low, high]], part.sizes[:, [low, high]]
    shift = (1 - k) * (part.centre[:, high] - part.centre[:, low])
    extra = (1 - k) * variance * (retained / sizes).sum(1)
    extra += (1 - k) ** 2 * (retained[:, 0] - retained[:, 1]) ** 2 * part.common
    beyond = _shared_error(part, low, high, alike) - variance * (1 / sizes).sum(1)
    extra += (1 - k) ** 2 * retained.prod(1) * np.maximum(beyond, 0.0)
    upper = np.multiply(part.label[:, high], part.weight[:, None], dtype=digits)
    return upper, part.label[:, low].astype(digits), shift, extra, k


def _shared_error(part: Partitions, low: int, high: int, alike: _Array) -> _Array:
    """Squared error of the difference of the means of two groups, (way,): more than that of
    independent systems where the systems of a group err alike.
    """
    edges = np.concatenate([np.zeros((len(part.sizes), 1), int), part.sizes.cumsum(1)], axis=1)
    limits = [(edges[:, g], edges[:, g + 1]) for g in (low, high)]

    def mean(i: int, j: int) -> _Array:
        (a, b), (c, d) = limits[i], limits[j]
        return (alike[b, d] - alike[a, d] - alike[b, c] + alike[a, c]) / ((b - a) * (d - c))

    return mean(0, 1) - mean(0, 0) / 2 - mean(1, 1) / 2


def _answers(
    mixture: Mixture,
    pairwise: PairPosterior,
    limits: tuple[_Array, _Array],
    rope: float,
    alone: bool,
) -> Answers:
    worse, better = mixture.sides(-pairwise.z)
    behind, beyond = worse, better
    if rope:
        u, v = pairwise.score(-rope), pairwise.score(rope)
        unknown = np.isnan(u) | alone  # without an error there is nothing to draw together
        behind, beyond = (mixture.below(u), mixture.above(v)) if not alone else (u, v)
        if unknown.any():
            behind[unknown], beyond[unknown] = pairwise.take(unknown).outside(rope)
    within = np.clip(1 - behind - beyond, 0.0, 1.0) if rope else np.zeros(len(better))
    mean = pairwise.mean(*mixture.moments)
    return Answers(better, worse, mean, *limits, np.stack([behind, within, beyond], axis=-1))


_PROBABLE = 0.5  # that there are several groups
_TYPICAL = 0.75  # quantile of the distances of pairs
_CLOSE = 0.5  # of a typical distance: nearer systems err alike
_BY_CHANCE = 0.25  # systems whose nearest neighbor is that near by chance, at most on average
_DOMINATES = 0.5  # of the sum of squares of all units
_ALPHA = 0.05
_FAMILIES = 3  # one of so many systems must err like another


def in_groups(groups: Groups) -> int:
    """Most probable number of groups, if several are more probable than one; else 1."""
    prob = groups.prob_groups
    return 2 + int(prob[1:].argmax()) if prob[1:].sum() > _PROBABLE else 1


def err_alike(evidence: Evidence, units: int) -> _Array:
    """Systems whose errors are clearly more like those of another than is typical, (system,).

    The distance of two systems is the squared error of their difference over that of independent
    systems. Near copies have a distance of less than half of a typical one.

    Parameters
    ----------
    evidence : Evidence
    units : int
        Items or units, on which the distances rest.

    Examples
    --------
    >>> from betterthan.exact.joint.abilities import evidence_from_right
    >>> right = np.random.default_rng(0).random((200, 4)) < 0.6
    >>> right = np.concatenate([right, right[:, :1]], axis=1).astype(float)
    >>> err_alike(evidence_from_right(right.T @ right, 200, (1.0, 1.0, 1.0)), 200).tolist()
    [True, False, False, False, True]
    """
    variance = np.diag(evidence.covariance)
    first, second = np.triu_indices(len(variance), 1)
    distance = evidence.error**2 / np.maximum(variance[first] + variance[second], 1e-300)
    # a distance is a sum of squares of so many units, and each system has many neighbors
    chance, half = _BY_CHANCE / len(variance), (units - 1) / 2
    low = special.gammaincinv(half, chance) / half  # what the smallest ratio is by chance
    close = distance < _CLOSE * low * np.quantile(distance, _TYPICAL)
    flagged = np.zeros(len(variance), dtype=bool)
    flagged[first[close]] = flagged[second[close]] = True
    return flagged


def families(evidence: Evidence, units: int) -> int:
    """How many systems err like another, where that is at least a third of them; else 0."""
    alike = err_alike(evidence, units)
    return int(alike.sum()) if _FAMILIES * alike.sum() >= len(alike) else 0


def dominating(parts: _Array) -> tuple[int, float] | None:
    """The unit that adds more to the errors of differences than all others together, and its share;
    None where that can be chance among equally variable units.

    Parameters
    ----------
    parts : numpy.ndarray, (unit, system)
        Of `units.Means`.

    Examples
    --------
    >>> parts = np.random.default_rng(0).normal(size=(12, 3))
    >>> dominating(parts), dominating(parts * np.r_[12, np.ones(11)][:, None])
    (None, (0, 0.872))
    """
    deviation = parts - parts.mean(1, keepdims=True)
    squares = (deviation**2).sum(1)
    total = squares.sum()
    if not total:
        return None
    unit, k = int(squares.argmax()), len(parts)
    # by its distance from the mean of the others, of which it is no part
    share, others = squares[unit] / total * k / (k - 1), np.delete(deviation, unit, axis=0)
    others = others - others.mean(0)
    # as many independent contrasts as have squares that vary like those of the other units
    contrasts = (others**2).sum() ** 2 / max(((others.T @ others) ** 2).sum(), 1e-300)
    chance = k * special.betainc((k - 2) * contrasts / 2, contrasts / 2, 1 - share)
    if share <= _DOMINATES or chance > _ALPHA:
        return None
    return unit, round(min(float(share), 1.0), 3)

"""Many systems on the same items: what each pair says by itself, drawn together by what all say.

Two systems in the same group are drawn towards each other by the factor k of `groups`, two in
different groups towards the distance of their centres. Each pair keeps its own error and its own
posterior, so that much data make its answer the one it has by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from betterthan.exact.joint.groups import Groups, Partitions, groups_of
from betterthan.exact.joint.mixture import Mixture, interval
from betterthan.exact.joint.own import Averages, Own, Wins
from betterthan.exact.joint.student import distribution
from betterthan.exact.joint.units import PairMeans

_Array = Any  # an array of floats
SCALE = 0.25  # of abilities, for items that are right or wrong
_SHARE_OF_SD = 0.5  # of abilities otherwise: of the standard deviation of all scores
FEWEST = 5  # items or units, below which nothing is learned of how systems differ
_PSEUDO = 4  # items of coin flips that right and wrong items have before any is seen
_DF = 2.5  # least degrees of freedom for the variance of t
_EXACT = 2e4  # (component, pair) up to which no components are merged
_SLACK = 5e-5  # of a probability: what merging may move it under one tau
_SHORT, _ALIKE = 0.0064, 0.017  # how much merging moves it, by shift^3 and by variance^2
_LEAST = 1e-7  # components to which no pair gives more weight are left out
_JITTER = 1e-12  # of the largest variance: errors of copies differ by that
_CELLS = 2**15  # numbers (cell, system, system) of cells whose atoms are summed at once
_HELD = 2**21  # numbers (component, pair) held at once


@dataclass(frozen=True)
class Evidence:
    """What the data say of systems and of pairs, in the order of a square's upper triangle."""

    score: _Array  # (system,), more is better
    covariance: _Array  # (system, system), of their errors
    df: float | None  # of all systems together; None of normal errors
    error: _Array  # (pair,)
    own: Own  # the posterior of each pair by itself
    scale: float  # of abilities

    @property
    def variance(self) -> float:
        """Of the error of a system, the same for all: what the groups are learned with."""
        df = self.own.df
        wide = 1.0 if df is None else np.maximum(df, _DF) / (np.maximum(df, _DF) - 2)
        return float((wide * self.error**2).mean() / 2)

    def errors(self, number: int, random: np.random.Generator) -> _Array:
        """Draws (draw, system) of the errors of all systems."""
        small = _JITTER * np.diag(self.covariance).max() * np.eye(len(self.score))
        factor = np.linalg.cholesky(self.covariance + small)
        found = random.standard_normal((number, len(factor))) @ factor.T
        if self.df is None:
            return found
        return found * np.sqrt(self.df / random.chisquare(self.df, (number, 1)))


def of_right(both: _Array, items: int, prior: tuple[float, float, float]) -> Evidence:
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
    """
    right, n = np.diag(both).astype(float), items + _PSEUDO
    score = (right + _PSEUDO / 2) / n
    square = (both + 1 + np.eye(len(right))) / n
    covariance = (square - np.outer(score, score)) / (n + 1)
    first, second = np.triu_indices(len(right), 1)
    won, lost = right[first] - both[first, second], right[second] - both[first, second]
    own = Wins(won + prior[0], lost + prior[1], items - won - lost + prior[2])
    error = np.sqrt(_of_differences(covariance, first, second))
    return Evidence(score, covariance, None, error, own, SCALE)


def of_means(mean: _Array, covariance: _Array, df: float, pairs: PairMeans, sd: float) -> Evidence:
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
    return Evidence(mean, covariance, df, error, Averages(pairs), _SHARE_OF_SD * sd)


def _of_differences(covariance: _Array, first: _Array, second: _Array) -> _Array:
    own = np.diag(covariance)
    return own[first] + own[second] - 2 * covariance[first, second]


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

    of: Evidence
    groups: Groups

    @classmethod
    def fit(cls, of: Evidence) -> "Abilities":
        """The posterior, given the evidence, whose variance must be above 0."""
        return cls(of, groups_of(of.score, of.variance, of.scale))

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
        parts = [
            _answers(mixture, self.of.own.take(at), prob, kind, rope, alone)
            for at, mixture in self.mixtures()
        ]
        found = {k: np.concatenate([getattr(p, k) for p in parts]) for k in vars(parts[0])}
        score, (first, second) = self.of.score, np.triu_indices(len(self.of.score), 1)
        even = (score[first] == score[second]) & (self.of.own.z == 0)
        # but for rounding, they are
        found |= {k: np.where(even, 0.5, found[k]) for k in ("better", "worse")}
        return Answers(**found)

    def mixtures(self) -> Iterator[tuple[slice, Mixture]]:
        """The mixtures of the pairs, a block of them at a time."""
        first, second = np.triu_indices(len(self.of.score), 1)
        step = max(1, _HELD // (1 + 2 * len(self._apart.start)))
        for start in range(0, len(first), step):
            at = slice(start, start + step)
            yield at, self._mixture(first[at], second[at], at)

    def draws(self, number: int, random: np.random.Generator) -> _Array:
        """Joint draws (draw, system) of the abilities."""
        return self.groups.draws(self.of.errors(number, random), random)

    def _mixture(self, first: _Array, second: _Array, at: slice) -> Mixture:
        own, error = self.of.own.take(at), self.of.error[at]
        apart, z = self._apart, own.z
        weight, shift, extra, node = apart.of_pairs(first, second)
        within = np.array([weight[node == t].sum(0) for t in range(len(apart.tau_k))])
        within = np.maximum(apart.tau_weight[:, None] - within, 0.0)
        k = np.concatenate([apart.tau_k, apart.tau_k[node]])[:, None]
        none = np.zeros(within.shape)
        weight = np.concatenate([within, weight])
        centre = (k - 1) * z + np.concatenate([none, shift]) / error
        sd = np.sqrt(k + np.concatenate([none, extra]) / error**2)
        weight, centre, sd = map(np.asfortranarray, (weight / weight.sum(0), centre, sd))
        return Mixture(weight, centre, sd, own.df)

    @cached_property
    def _apart(self) -> "Apart":
        """Pairs of different groups."""
        found = Apart.of(self.groups, self._alike)
        if 2 * len(found.shift) * len(self.of.error) <= _EXACT:
            return found
        return found.merged(float(self.of.error.min()) ** 2)

    @cached_property
    def _alike(self) -> _Array:
        """Sums of squared errors of pairs over the systems up to each two, by score."""
        number = len(self.of.score)
        first, second = np.triu_indices(number, 1)
        square = np.zeros((number, number))
        square[first, second] = self.of.error**2
        order = np.argsort(self.of.score, kind="stable")
        whole = np.zeros((number + 1, number + 1))
        whole[1:, 1:] = (square + square.T)[np.ix_(order, order)].cumsum(0).cumsum(1)
        return whole


@dataclass(frozen=True)
class Apart:
    """Two groups of a partition, one pair of groups an atom; and atoms that were merged, a cell."""

    tau_k: _Array  # (tau,): k of each tau
    tau_weight: _Array  # (tau,)
    upper: _Array  # (atom, system): weight times the probability to be in the upper group
    lower: _Array  # (atom, system): probability to be in the lower group
    shift: _Array  # (atom,): how far the upper lies above
    extra: _Array  # (atom,): variance of that
    node: _Array  # (cell,): place of its tau
    start: _Array  # (cell,): its first atom

    @classmethod
    def of(cls, groups: Groups, alike: _Array) -> "Apart":
        """Each atom by itself."""
        tau = np.concatenate([part.tau for part in groups.parts])
        kept = np.concatenate([part.k for part in groups.parts])
        weight = np.concatenate([part.weight for part in groups.parts])
        first, place = np.unique(tau, return_index=True, return_inverse=True)[1:]
        atoms = [
            _between(part, low, high, groups.variance, alike)
            for part in groups.parts
            for low, high in combinations(range(part.groups), 2)
        ]
        nobody, none = np.zeros((0, len(groups.score))), np.zeros(0)
        each = zip((nobody, nobody, none, none, none), *atoms, strict=True)
        upper, lower, shift, extra, k = (np.concatenate(x) for x in each)
        node = np.searchsorted(kept[first], k)
        cells = node, np.arange(len(shift))
        return cls(kept[first], np.bincount(place, weight), upper, lower, shift, extra, *cells)

    def merged(self, least: float) -> "Apart":
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
        return Apart(
            self.tau_k,
            self.tau_weight,
            self.upper[order],
            self.lower[order],
            self.shift[order],
            self.extra[order],
            self.node[order][start],
            start,
        )

    def of_pairs(self, first: _Array, second: _Array) -> tuple[_Array, _Array, _Array, _Array]:
        """Weights, shifts and variances (component, pair), and the place of each tau: the first
        system is in the upper group of a cell, then the second.
        """
        up, down = self._merged(first, second) if self._cut else self._single(first, second)
        # both or neither, so that systems of equal score stay even
        counts = np.maximum(up[0].max(1, initial=0.0), down[0].max(1, initial=0.0)) >= _LEAST
        weight, shift, extra = (np.r_[x[counts], y[counts]] for x, y in zip(up, down, strict=True))
        shift[counts.sum() :] *= -1
        return weight, shift, extra, np.tile(self.node[counts], 2)

    @property
    def _cut(self) -> bool:
        """Whether cells have several atoms."""
        return len(self.start) < len(self.shift)

    def _single(self, first: _Array, second: _Array) -> list[tuple[_Array, _Array, _Array]]:
        shift, extra = (np.repeat(x[:, None], len(first), 1) for x in (self.shift, self.extra))
        ways = (first, second), (second, first)
        return [(self.upper[:, a] * self.lower[:, b], shift, extra) for a, b in ways]

    def _merged(self, first: _Array, second: _Array) -> list[tuple[_Array, _Array, _Array]]:
        """Weight, mean and variance of the shifts in each cell."""
        moments = np.stack([self.shift**0, self.shift, self.extra + self.shift**2], axis=1)
        weighed = self.upper[:, None] * moments[:, :, None]  # (atom, moment, system)
        systems = self.lower.shape[1]
        places = first * systems + second, second * systems + first
        sums = np.empty((2, len(self.start), 3, len(first)))
        ends = [*self.start[1:], len(self.shift)]
        weighed = weighed.reshape(-1, 3 * systems)
        step = max(1, _CELLS // systems**2)
        for some in range(0, len(ends), step):
            cells = slice(some, some + step)
            atoms = list(map(slice, self.start[cells], ends[cells]))
            products = np.empty((len(atoms), 3 * systems, systems))
            for product, at in zip(products, atoms, strict=True):
                np.matmul(weighed[at].T, self.lower[at], out=product)
            products = products.reshape(len(atoms), 3, systems * systems)
            for way, place in enumerate(places):
                np.take(products, place, axis=2, out=sums[way, cells])
        weight, once, twice = np.moveaxis(sums, 2, 0)
        shift = once / np.maximum(weight, 1e-300)
        extra = np.maximum(twice / np.maximum(weight, 1e-300) - shift**2, 0.0)
        return [(weight[way], shift[way], extra[way]) for way in range(2)]


def _between(
    part: Partitions, low: int, high: int, variance: float, alike: _Array
) -> tuple[_Array, ...]:
    """Of two groups of each partition: who is in the upper and in the lower, by how much it lies
    above, the variance of that, and k.
    """
    k, kept, sizes = part.k, part.kept[:, [low, high]], part.sizes[:, [low, high]]
    shift = (1 - k) * (part.centre[:, high] - part.centre[:, low])
    extra = (1 - k) * variance * (kept / sizes).sum(1)
    extra += (1 - k) ** 2 * (kept[:, 0] - kept[:, 1]) ** 2 * part.common
    beyond = _shared_error(part, low, high, alike) - variance * (1 / sizes).sum(1)
    extra += (1 - k) ** 2 * kept.prod(1) * np.maximum(beyond, 0.0)
    return part.label[:, :, high] * part.weight[:, None], part.label[:, :, low], shift, extra, k


def _shared_error(part: Partitions, low: int, high: int, alike: _Array) -> _Array:
    """Squared error of the difference of the means of two groups, (way,): more than that of
    independent systems where the systems of a group err alike.
    """
    edges = np.concatenate([np.zeros((len(part.sizes), 1), int), part.sizes.cumsum(1)], axis=1)
    ends = [(edges[:, g], edges[:, g + 1]) for g in (low, high)]

    def mean(one: int, other: int) -> _Array:
        (a, b), (c, d) = ends[one], ends[other]
        return (alike[b, d] - alike[a, d] - alike[b, c] + alike[a, c]) / ((b - a) * (d - c))

    return mean(0, 1) - mean(0, 0) / 2 - mean(1, 1) / 2


def _answers(
    mixture: Mixture, own: Own, prob: float, kind: str, rope: float, alone: bool
) -> Answers:
    z = own.z
    worse, better = mixture.sides(-z)
    lower, upper = interval(mixture, own, prob, kind)
    behind, beyond = worse, better
    if rope:
        u, v = own.score(-rope), own.score(rope)
        behind, beyond = mixture.below(u), mixture.above(v)
        if alone:
            behind, beyond = distribution(u, own.df), distribution(-v, own.df)
    within = np.clip(1 - behind - beyond, 0.0, 1.0) if rope else np.zeros(len(better))
    mean = own.mean(*mixture.moments)
    mass = np.stack([behind, within, beyond], axis=-1)
    return Answers(better, worse, mean, lower, upper, mass)

"""Abilities of many systems in one, two or three groups, and what is learned of the groups.

An ability is the centre of its group plus Normal(0, tau^2), with tau ~ half-Cauchy(scale). One,
two and three groups are equally probable; the sizes of groups are Dirichlet(1, .., 1), their
centres Normal(m, (omega scale)^2) about a mean m with a flat prior, omega .4 or 1.

Groups and tau are learned from a working likelihood, in which the scores of all systems have one
error variance v. The sum over groups takes those that are contiguous in the sorted scores; a
system belongs to each group with a probability of its own, so systems of equal score are treated
alike.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy import special

MOST_GROUPS = 3
_OMEGA = (0.4, 1.0)  # spread of the centres of groups, times the scale; equally probable
_PANELS = np.array([0.0, 0.5, 1.5, 4.0, 12.0, np.inf])  # of tau, in units of sqrt(v)
_NODES = 5  # of Gauss and Legendre, a panel
_CUT = 1e-4  # partitions that together weigh less are left out, the least first
_FAR, _BELOW = 45.0, 25.0  # nats below an upper bound of the largest weight, and below one: nothing
_HELD = 2**15  # numbers (draw, system) held at once
MANY = 64  # systems from which on draws save half of the random numbers


@dataclass(frozen=True)
class Partitions:
    """Partitions of the sorted scores into a number of groups, each with a tau, (way, ...)."""

    tau: np.ndarray  # (way,)
    k: np.ndarray  # (way,): tau^2 / (tau^2 + v), the shrinkage factor of differences
    weight: np.ndarray  # (way,)
    sizes: np.ndarray  # (way, group)
    centre: np.ndarray  # (way, group), posterior means
    retained: np.ndarray  # (way, group): weight of a group's mean in its centre
    common: np.ndarray  # (way,): variance of the mean of the centres
    label: np.ndarray  # (way, group, level): probability of a score to belong to a group

    @property
    def groups(self) -> int:
        """Their number."""
        return self.sizes.shape[1]

    def drawn_centres(
        self, way: np.ndarray, variance: float, random: np.random.Generator
    ) -> np.ndarray:
        """The centres of the groups, (draw, group)."""
        error = (self.tau[way] ** 2 + variance)[:, None] / self.sizes[way]
        centre = self.centre[way]
        centre = centre + np.sqrt(self.retained[way] * error) * random.standard_normal(error.shape)
        shared = np.sqrt(self.common[way])[:, None] * random.standard_normal((len(way), 1))
        return centre + (1 - self.retained[way]) * shared


@dataclass(frozen=True)
class Groups:
    """Posterior of tau and of the groups, given scores of which more is better."""

    score: np.ndarray  # (system,)
    level: np.ndarray  # (system,): place of the score among the distinct ones
    variance: float  # v
    parts: tuple[Partitions, ...]  # by the number of groups; weights sum to 1

    @property
    def spread(self) -> float:
        """Posterior mean of tau, the spread of abilities within a group."""
        return sum(float(part.weight @ part.tau) for part in self.parts)

    @property
    def mean_k(self) -> float:
        """Posterior mean of k: 1 without any shrinkage."""
        return sum(float(part.weight @ part.k) for part in self.parts)

    @cached_property
    def prob_groups(self) -> np.ndarray:
        """Probability of one, two and three groups."""
        probabilities = [part.weight.sum() for part in self.parts]
        return np.array(probabilities + [0.0] * (MOST_GROUPS - len(probabilities)))

    def mean(self) -> np.ndarray:
        """Posterior means of the abilities, (system,)."""
        means = self.mean_k * self.score
        for part in self.parts:
            away = part.weight * (1 - part.k)
            moved = np.einsum("w,wgl,wg->l", away, part.label, part.centre)
            means = means + moved[self.level]
        return means

    def members(self, groups: int) -> np.ndarray:
        """The most probable group of each system among so many, 0 the lowest, (system,)."""
        part = self.parts[groups - 1]
        return np.einsum("w,wgl->gl", part.weight, part.label).argmax(0)[self.level]

    def draws(self, errors: np.ndarray, random: np.random.Generator) -> np.ndarray:
        """Joint draws (draw, system) of the abilities, in place of those of the systems' errors."""
        edges = np.cumsum([0, *(len(part.weight) for part in self.parts)])
        weight = np.concatenate([part.weight for part in self.parts])
        drawn = np.sort(random.choice(len(weight), len(errors), p=weight / weight.sum()))
        step = max(1, _HELD // len(self.score))  # what the cache of the processor holds
        for part, low, high in zip(self.parts, edges, edges[1:], strict=False):
            begin, end = np.searchsorted(drawn, [low, high])
            ways = drawn[begin:end] - low
            centres = part.drawn_centres(ways, self.variance, random)
            for start in range(0, len(ways), step):
                way, centre = ways[start : start + step], centres[start : start + step]
                abilities = errors[begin + start : begin + start + len(way)]
                k, placed, edge = part.k[way][:, None], centre[:, :1], 0.0
                if part.groups > 1:
                    digits = np.float32 if len(self.level) >= MANY else np.float64
                    chance = random.random((len(way), len(self.level)), dtype=digits)
                    for group in range(1, part.groups):
                        edge = edge + part.label[way, group - 1].take(self.level, axis=1)
                        placed = np.where(chance > edge, centre[:, group, None], placed)
                abilities *= np.sqrt(k)
                abilities += k * self.score
                abilities += placed * (1 - k)
        return errors


def fit_groups(score: np.ndarray, variance: float, scale: float, most: int = MOST_GROUPS) -> Groups:
    """The posterior of tau and of at most `most` groups.

    Parameters
    ----------
    score : numpy.ndarray, (system,)
    variance : float
        v, above 0.
    scale : float
        Of tau, and of the distance between groups.
    most : int, default 3

    Examples
    --------
    >>> result = fit_groups(np.array([0.2, 0.22, 0.6, 0.61]), 0.0004, 0.25)
    >>> result.prob_groups.round(3).tolist(), result.members(2).tolist()
    ([0.324, 0.569, 0.107], [0, 0, 1, 1])
    """
    most = min(most, len(score))
    tau, mass = _tau(variance, scale)
    squares = tau**2 + variance
    prior = np.log(mass / most) - 0.5 * (len(score) - 1) * np.log(squares)
    cuts = [_Cuts.from_scores(score, groups) for groups in range(1, most + 1)]
    bounds = [cut.bounds(prior, squares) for cut in cuts]
    least = max(bound.max() for bound in bounds) - _FAR
    ways = []
    for cut, bound in zip(cuts, bounds, strict=True):
        near = cut.take(bound > least)
        mask = prior + near.log_prior[:, None] - 0.5 * near.squares[:, None] / squares > least
        ways.append(_weighed(near, mask, prior, tau, variance, scale))
        least = max(least, ways[-1].weight.max(initial=-np.inf) - _BELOW)
    weights = [way.weight for way in ways]
    top = max(weight.max(initial=-np.inf) for weight in weights)  # of some numbers of groups none
    ordered = np.exp(np.sort(np.concatenate(weights)) - top)
    least, total = ordered[np.searchsorted(ordered.cumsum(), _CUT * ordered.sum())], 0.0
    parts, (levels, level) = [], np.unique(score, return_inverse=True)
    for way in ways:
        weight = np.exp(way.weight - top)
        mask = weight >= least
        part = replace(way, **{k: v[mask] for k, v in vars(replace(way, weight=weight)).items()})
        total += part.weight.sum()
        parts.append(replace(part, label=_labels(levels, part, variance)))
    parts = [replace(part, weight=part.weight / total) for part in parts]
    return Groups(score, level, variance, tuple(parts))


def _tau(variance: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of tau and their weights: the prior is flat in the angle of tau / scale."""
    edges = np.arctan(np.sqrt(variance) * _PANELS / scale)
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    angle = middle[:, None] + half[:, None] * x
    return scale * np.tan(angle.ravel()), (half[:, None] * w).ravel()


@dataclass(frozen=True)
class _Cuts:
    """Possible cuts of the sorted scores into a number of groups, (cut, ...)."""

    sizes: np.ndarray  # (cut, group)
    means: np.ndarray  # (cut, group)
    squares: np.ndarray  # within groups, summed
    log_prior: np.ndarray

    @classmethod
    def from_scores(cls, score: np.ndarray, groups: int) -> Self:
        number, middle = len(score), score.mean()
        inner: list[np.ndarray] = []
        if groups == 2:
            inner = [np.arange(1, number)]
        elif groups == 3:
            inner = [pair + 1 for pair in np.triu_indices(number - 1, 1)]
        ways = len(inner[0]) if inner else 1
        edges = np.stack([np.zeros(ways, int), *inner, np.full(ways, number)], axis=1)
        ordered = np.sort(score) - middle
        sums, squares = (np.r_[0, x.cumsum()][edges] for x in (ordered, ordered**2))
        sizes, sums = np.diff(edges, axis=1), np.diff(sums, axis=1)
        within = (np.diff(squares, axis=1) - sums**2 / sizes).sum(1)
        log = special.gammaln
        prior = log(groups + 1) + log(groups) - log(number + groups) + log(sizes + 1).sum(1)
        return cls(sizes, middle + sums / sizes, np.maximum(within, 0.0), prior)

    def bounds(self, prior: np.ndarray, squares: np.ndarray) -> np.ndarray:
        """Upper bounds of the log weight of each cut under any tau, of this prior and these
        variances, without a shared constant, (cut,).
        """
        largest = np.full(len(self.squares), -np.inf)
        for log, square in zip(prior, squares, strict=True):
            bound = self.log_prior + log
            bound -= self.squares * (0.5 / square)
            np.maximum(largest, bound, out=largest)
        return largest

    def take(self, mask: np.ndarray) -> Self:
        """Some of the cuts."""
        parts = (self.sizes, self.means, self.squares, self.log_prior)
        return type(self)(*(part[mask] for part in parts))


def _weighed(
    cuts: _Cuts,
    mask: np.ndarray,
    prior: np.ndarray,
    tau: np.ndarray,
    variance: float,
    scale: float,
) -> Partitions:
    """Log weights of the selected cuts and taus (cut, tau), and the posterior of the centres;
    without labels.
    """
    cut, node = np.nonzero(mask)
    omega = np.array(_OMEGA if cuts.sizes.shape[1] > 1 else (0.0,))
    cut, node = np.repeat(cut, len(omega)), np.repeat(node, len(omega))
    wide = (np.tile(omega * scale, len(cut) // len(omega)) ** 2)[:, None]
    sizes, means = cuts.sizes[cut], cuts.means[cut]
    squares = tau[node] ** 2 + variance
    error = squares[:, None] / sizes  # of the mean of a group
    precision = 1 / (wide + error)
    each = np.ones(sizes.shape[1])  # of the groups, which this sums faster than `sum`
    total = precision @ each
    middle = ((precision * means) @ each / total)[:, None]
    away = (precision * (means - middle) ** 2) @ each
    log = prior[node] + cuts.log_prior[cut] - 0.5 * cuts.squares[cut] / squares
    log += 0.5 * (np.log(error * precision) @ each - np.log(total * squares) - away)
    return Partitions(
        tau=tau[node],
        k=tau[node] ** 2 / squares,
        weight=log - np.log(len(omega)),
        sizes=sizes,
        centre=middle + wide * precision * (means - middle),
        retained=wide * precision,
        common=1 / total,
        label=np.zeros((len(cut), 0, 0)),
    )


def _labels(levels: np.ndarray, part: Partitions, variance: float) -> np.ndarray:
    """Probabilities of scores to belong to groups of one variance, so that the better of two is
    never the less probable in an upper group.
    """
    squares = (part.tau**2 + variance)[:, None, None]
    odds = levels - part.centre[:, :, None]
    odds *= odds
    odds *= -0.5
    odds /= squares
    odds += np.log(part.sizes + 1.0)[:, :, None]
    odds -= odds.max(1, keepdims=True)
    np.exp(odds, out=odds)
    odds /= odds.sum(1, keepdims=True)
    return odds

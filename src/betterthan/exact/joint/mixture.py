"""The posterior of the abilities of all systems: a mixture of normals, summed without draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from betterthan.exact.joint.shrinkage import APART, Contrasts

_PANELS = np.array([0.0, 0.5, 1.5, 4.0, 12.0, np.inf])  # of tau, times the size of an error
_NODES = 10  # a panel
_LEAST = 1e-12  # a component of less weight says nothing
_SURE = 1e-200  # variance of what has none
_STEPS = 6  # of Newton at most, from the end of a normal
_NEAR = 1e-4  # of a standard deviation: a step so short was the last one that mattered
_HELD = 2**21  # numbers held at once
_NONE = 0  # place of "no system stands apart" among those who may


@dataclass(frozen=True)
class Mixture:
    """Components (node of tau, who stands apart, how far): none apart is the first of the second,
    and has the first distance alone.
    """

    of: Contrasts
    tau: np.ndarray  # (node,)
    weight: np.ndarray  # (node, 1 + system, distance), which sum to 1

    @property
    def spread(self) -> float:
        """Posterior mean of tau."""
        return float(self.weight.sum((1, 2)) @ self.tau)

    @property
    def prob_apart(self) -> np.ndarray:
        """How probable it is that each system stands apart, (system,)."""
        return self.weight[:, _NONE + 1 :].sum((0, 2))

    @cached_property
    def _shares(self) -> np.ndarray:
        """D = 1 / (w + tau^2), (node, contrast)."""
        return 1 / (self.of.variance + self.tau[:, None] ** 2)

    @cached_property
    def _moved(self) -> tuple[np.ndarray, np.ndarray]:
        """Gain g and score c of each component (node, system, distance), and (node, system)."""
        a, c = _apart(self.of, self._shares)
        kappa = (self.of.scale * APART) ** 2
        return kappa / (1 + kappa * a[..., None]), c

    def prob_above(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """P(ability of `first` > ability of `second`), (pair,)."""
        found = np.empty(len(first))
        for at in self._blocks(len(first)):
            weight, mean, narrow = self._pairs(first[at], second[at])
            found[at] = special.ndtr(mean * narrow) @ weight
        return found

    def mean(self) -> np.ndarray:
        """Of the abilities, (system,)."""
        g, c = self._moved
        along = np.einsum("tsk,tsk,ts->ts", self.weight[:, 1:], g, c)
        towards = (along @ self.of.basis) * self.of.variance * self._shares
        plain = self.weight.sum((1, 2))[:, None] * self._plain_mean
        return self.of.basis @ (plain + towards).sum(0)

    @cached_property
    def _plain_mean(self) -> np.ndarray:
        """Of the contrasts where none stands apart, (node, contrast)."""
        return self.tau[:, None] ** 2 * self._shares * self.of.at

    @cached_property
    def _plain_variance(self) -> np.ndarray:
        return self.tau[:, None] ** 2 * self._shares * self.of.variance

    def interval(
        self, first: np.ndarray, second: np.ndarray, prob: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the equal-tailed interval of the differences, (pair,)."""
        ends = np.empty((2, len(first)))
        for at in self._blocks(len(first)):
            parts = self._pairs(first[at], second[at])
            for k, level in enumerate(((1 - prob) / 2, (1 + prob) / 2)):
                ends[k, at] = _quantile(*parts, float(special.ndtri(level)))
        return ends[0], ends[1]

    def draws(self, number: int, rng: np.random.Generator) -> np.ndarray:
        """Joint draws (draw, system) of the abilities, which sum to 0."""
        shape = self.weight.shape
        picked = rng.choice(self.weight.size, size=number, p=self.weight.ravel())
        node, who, how = np.unravel_index(np.sort(picked), shape)
        z = rng.standard_normal((number, shape[1] - 2 if shape[1] > 2 else 1))
        contrast = self._plain_mean[node] + np.sqrt(self._plain_variance[node]) * z
        along = rng.standard_normal(number)
        g, c = self._moved
        out = who != _NONE
        at = node[out], who[out] - 1, how[out]
        moved = g[at] * c[at[:2]] + np.sqrt(g[at]) * along[out]
        towards = self.of.basis[at[1]] * (self.of.variance * self._shares[node[out]])
        contrast[out] += moved[:, None] * towards
        return contrast @ self.of.basis.T

    def _pairs(
        self, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights (component,), means and one over standard deviations (pair, component)."""
        apart = self.of.basis[first] - self.of.basis[second]
        means, variances = apart @ self._plain_mean.T, apart**2 @ self._plain_variance.T
        kept = self.weight[:, _NONE, 0] > _LEAST
        parts = [(self.weight[kept, _NONE, 0], means[:, kept], variances[:, kept])]
        for t in range(len(self.tau)):
            weight, shift, more = self._out(t, first, second)
            parts.append((weight, means[:, t, None] + shift, variances[:, t, None] + more))
        weight, mean, variance = (np.concatenate(p, axis=-1) for p in zip(*parts, strict=True))
        return weight, mean, 1 / np.sqrt(np.maximum(variance, _SURE))

    def _out(
        self, t: int, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where a system stands apart, at a node: weights, and what that adds to means and
        variances of the pairs.
        """
        weight = self.weight[t, _NONE + 1 :]
        who, how = np.nonzero(weight > _LEAST)
        g, c = self._moved
        gain = g[t, who, how]
        towards = (self.of.basis * self.of.variance * self._shares[t]) @ self.of.basis.T
        h = towards[first][:, who] - towards[second][:, who]
        return weight[who, how], gain * c[t, who] * h, gain * h**2

    def _blocks(self, pairs: int) -> Iterator[slice]:
        step = max(1, _HELD // int((self.weight > _LEAST).sum()))
        return (slice(k, k + step) for k in range(0, pairs, step))


def _quantile(
    weight: np.ndarray, mean: np.ndarray, narrow: np.ndarray, wanted: float
) -> np.ndarray:
    """By Newton on the normal scale, on which a mixture is close to a line."""
    middle = mean @ weight
    sd = np.sqrt((mean**2 + narrow**-2.0) @ weight - middle**2)
    found = middle + wanted * sd
    for _ in range(_STEPS):
        z = (found[:, None] - mean) * narrow
        score = special.ndtri(np.clip(special.ndtr(z) @ weight, 1e-12, 1 - 1e-12))
        # the slope of the normal score of F is f over the normal density there
        slope = (np.exp(-0.5 * z * z) * narrow) @ weight * np.exp(0.5 * score * score)
        step = np.clip((score - wanted) / slope, -sd, sd)
        found -= step
        if (np.abs(step) <= _NEAR * sd).all():
            break
    return found


def mixture(of: Contrasts) -> Mixture:
    """The posterior, its weights by Gauss-Legendre on the angle of tau, on which its prior is
    flat.
    """
    tau, at_node = _nodes(of)
    d = 1 / (of.variance + tau[:, None] ** 2)
    plain = np.log(at_node) + 0.5 * (np.log(d) - d * of.at**2).sum(1)
    a, c = _apart(of, d)
    kappa = (of.scale * APART) ** 2
    grown = 1 + kappa * a[..., None]
    moved = -0.5 * np.log(grown) + 0.5 * kappa / grown * c[..., None] ** 2
    log = np.full((len(tau), 1 + len(of.basis), len(APART)), -np.inf)
    log[:, _NONE, 0] = plain
    log[:, 1:] = plain[:, None, None] + moved - np.log(len(of.basis) * len(APART))
    weight = np.exp(log - log.max())
    return Mixture(of, tau, weight / weight.sum())


def _nodes(of: Contrasts) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of tau and their weights, on panels by the size of an error."""
    least = max(1e-12 * of.variance.max(initial=0.0), 1e-300)
    size = np.exp(0.5 * np.log(np.maximum(of.variance, least)).mean())
    edges = np.arctan(size * _PANELS / of.scale)
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    angle = (middle[:, None] + half[:, None] * x).ravel()
    return of.scale * np.tan(angle), (half[:, None] * w).ravel()


def _apart(of: Contrasts, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each system a = b_s' D b_s and c = b_s' D z, (node, system)."""
    return d @ (of.basis**2).T, (d * of.at) @ of.basis.T

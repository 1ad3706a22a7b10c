"""The posterior of the abilities of all systems: a mixture of normals, summed without draws."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from betterthan.exact.joint.differences import Apart, Differences, Node, differences
from betterthan.exact.joint.shrinkage import APART, Contrasts

_PANELS = np.array([0.0, 0.5, 1.5, 4.0, 12.0, np.inf])  # of tau, times the size of an error
_NODES = 10  # a panel
_LEAST = 1e-12  # a component of less weight says nothing
_SURE = 1e-200  # variance of what has none
_HELD = 2**16  # numbers held at once
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
        return self._of_pairs(first, second, lambda of: [of.above(np.zeros(len(of.mean)))])[0]

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
        levels = (1 - prob) / 2, (1 + prob) / 2
        low, high = self._of_pairs(first, second, lambda of: [of.quantile(p) for p in levels])
        return low, high

    def answers(
        self, first: np.ndarray, second: np.ndarray, prob: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """P(better), P(worse) and the ends of the interval, (pair,), at once."""

        def told(of: Differences) -> list[np.ndarray]:
            none = np.zeros(len(of.mean))
            sides = [of.above(none), of.above(none, -1.0)]
            return [*sides, of.quantile((1 - prob) / 2), of.quantile((1 + prob) / 2)]

        better, worse, low, high = self._of_pairs(first, second, told)
        return better, worse, low, high

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

    @cached_property
    def _apart(self) -> dict[int, Apart]:
        """Who stands apart, by the nodes whose weight says anything."""
        said = np.where(self.weight > _LEAST, self.weight, 0.0)
        (g, c), basis, shares = self._moved, self.of.basis, self.of.variance * self._shares
        return {
            int(t): Apart(
                float(said[t, _NONE, 0]),
                said[t, _NONE + 1 :],
                g[t],
                c[t],
                (basis * shares[t]) @ basis.T,
            )
            for t in np.flatnonzero(said.sum((1, 2)) > 0)
        }

    def _of_pairs(
        self,
        first: np.ndarray,
        second: np.ndarray,
        told: Callable[[Differences], list[np.ndarray]],
    ) -> list[np.ndarray]:
        """What is told of the pairs, in blocks."""
        step = max(1, _HELD // len(self.of.basis))
        blocks = [slice(k, k + step) for k in range(0, max(len(first), 1), step)]
        parts = [told(differences(self._nodes(first[at], second[at]))) for at in blocks]
        return [np.concatenate(part) for part in zip(*parts, strict=True)]

    def _nodes(self, first: np.ndarray, second: np.ndarray) -> list[Node]:
        """Of these pairs, where the weight says anything."""
        apart = self.of.basis[first] - self.of.basis[second]
        means, variances = apart @ self._plain_mean.T, apart**2 @ self._plain_variance.T
        return [
            Node(means[:, t], np.maximum(variances[:, t], _SURE), apart, towards)
            for t, apart in self._apart.items()
            for towards in [apart.towards[first] - apart.towards[second]]
        ]


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

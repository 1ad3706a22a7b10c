"""Differences of pairs under a mixture of normals with thousands of components, in a few.

Who stands apart moves a pair much if it is one of the two, and hardly at all if it is another
system. For a normal of mean m and variance v,

    sum of w Phi((x - m - shift) / sqrt(v + more)) = sum over k of moment_k d^k/dx^k Phi(.),

where the moments are those of exp(-shift D + more D^2 / 2): of short shifts four say it all. A
component with a longer one stays by itself.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

_Array = Any  # an array of floats
_SHORT = 0.02  # of a standard deviation: the fifth moment is below 1e-10 of what is summed
_ORDER = 4
_STEPS = 6  # of Newton at most, from the end of a normal
_NEAR = 1e-4  # of a standard deviation: a step so short was the last one that mattered


@dataclass(frozen=True)
class Apart:
    """Who stands apart at a node of the mixture, and how far."""

    none: float  # weight of nobody
    weight: _Array  # (system, distance)
    gain: _Array  # (system, distance)
    score: _Array  # (system,)
    towards: _Array  # (system, system): how much of a move of the second reaches the first

    @cached_property
    def each(self) -> _Array:
        """Weight of each system."""
        return self.weight.sum(1)

    @cached_property
    def reach(self) -> _Array:
        """How far each system moves at most, times what reaches a pair."""
        moves = np.maximum(np.abs(self.gain * self.score[:, None]), np.sqrt(self.gain))
        return np.where(self.weight > 0, moves, 0.0).max(1)

    @cached_property
    def per_system(self) -> list[_Array]:
        """Coefficients of exp(-shift D + more D^2 / 2) by powers of what reaches a pair."""
        w, g = self.weight, self.gain
        u = g * self.score[:, None]
        parts = (-u, u**2 / 2 + g / 2, -(u**3) / 6 - u * g / 2, u**4 / 24 + u**2 * g / 4 + g**2 / 8)
        return [(w * part).sum(1) for part in parts]


@dataclass(frozen=True)
class Node:
    """What one node of the mixture says of many pairs."""

    mean: _Array  # (pair,), of the difference where none stands apart
    variance: _Array
    apart: Apart
    reached: _Array  # (pair, system): how much of a move reaches the pair


@dataclass(frozen=True)
class Differences:
    """Normals with moments (pair, node), and those that stay by themselves (component,)."""

    mean: _Array
    narrow: _Array  # one over the standard deviation
    moments: _Array  # (order, pair, node), in standard deviations
    row: _Array  # the pair of a component
    weight: _Array
    at: _Array
    steep: _Array

    def above(self, x: _Array, sign: float = 1.0) -> _Array:
        """P(d > x), or with sign -1 P(d < x), of each pair."""
        z = (x[:, None] - self.mean) * self.narrow
        found = self.moments[0] * special.ndtr(-sign * z)
        for k, wave in enumerate(_waves(z, _ORDER), 1):
            found -= sign * self.moments[k] * wave
        alone = self.weight * special.ndtr(sign * (self.at - x[self.row]) * self.steep)
        return found.sum(1) + self._summed(alone)

    def density(self, x: _Array) -> _Array:
        """Of each pair at its x."""
        z = (x[:, None] - self.mean) * self.narrow
        waves = _waves(z, _ORDER + 1)
        found = sum(m * wave for m, wave in zip(self.moments, waves, strict=True))
        far = (x[self.row] - self.at) * self.steep
        alone = self.weight * self.steep * np.exp(-0.5 * far * far) / np.sqrt(2 * np.pi)
        return (found * self.narrow).sum(1) + self._summed(alone)

    def middle(self) -> tuple[_Array, _Array]:
        """Mean and standard deviation of each pair."""
        m0, m1, m2 = self.moments[:3]
        shift, square = -m1 / self.narrow, (m0 + 2 * m2) / self.narrow**2
        mean = (m0 * self.mean + shift).sum(1) + self._summed(self.weight * self.at)
        raw = (m0 * self.mean**2 + 2 * self.mean * shift + square).sum(1)
        raw += self._summed(self.weight * (self.at**2 + self.steep**-2.0))
        return mean, np.sqrt(np.maximum(raw - mean**2, 0.0))

    def quantile(self, prob: float) -> _Array:
        """By Newton on the normal scale, on which a mixture is close to a line."""
        wanted = float(special.ndtri(prob))
        mean, sd = self.middle()
        found = mean + wanted * sd
        for _ in range(_STEPS):
            score = special.ndtri(np.clip(self.above(found, -1.0), 1e-12, 1 - 1e-12))
            # the slope of the normal score of F is f over the normal density there; far out it is 0
            slope = self.density(found) * np.sqrt(2 * np.pi) * np.exp(0.5 * score * score)
            step = np.clip((score - wanted) / np.maximum(slope, 1e-300), -sd, sd)
            found = found - step
            if (np.abs(step) <= _NEAR * sd).all():
                break
        return found

    def _summed(self, alone: _Array) -> _Array:
        return np.bincount(self.row, alone, minlength=len(self.mean))


def differences(nodes: list[Node]) -> Differences:
    """Of pairs under the nodes of a mixture."""
    parts = [_collapsed(node) for node in nodes]
    moments, rows, *alone = zip(*parts, strict=True)
    mean, variance = (np.stack([getattr(n, k) for n in nodes], 1) for k in ("mean", "variance"))
    weight, at, more = (np.concatenate(z) for z in alone)
    return Differences(
        mean,
        1 / np.sqrt(variance),
        np.stack(moments, axis=2),
        np.concatenate(rows),
        weight,
        at,
        1 / np.sqrt(more),
    )


def _collapsed(node: Node) -> tuple[_Array, _Array, _Array, _Array, _Array]:
    """Moments (order, pair), and rows, weights, means and variances of what stays by itself."""
    apart = node.apart
    h = node.reached / np.sqrt(node.variance)[:, None]
    row, who = np.nonzero(np.abs(h) * apart.reach > _SHORT)
    left = np.bincount(row, apart.each[who], minlength=len(h))
    h[row, who] = 0.0
    moments, power = [apart.none + apart.each.sum() - left], h
    for per in apart.per_system:
        moments.append(power @ per)
        power = power * h
    return np.stack(moments), *_alone(node, row, who)


def _alone(node: Node, row: _Array, who: _Array) -> tuple[_Array, _Array, _Array, _Array]:
    """Rows, weights, means and variances of these pairs and systems, distance by distance."""
    apart, own = node.apart, node.reached[row, who]
    gain, weight = apart.gain[who], apart.weight[who]
    at = node.mean[row][:, None] + gain * (apart.score[who] * own)[:, None]
    variance = node.variance[row][:, None] + gain * own[:, None] ** 2
    kept = weight > 0
    where = np.broadcast_to(row[:, None], kept.shape)
    return where[kept], weight[kept], at[kept], variance[kept]


def _waves(z: _Array, number: int) -> list[_Array]:
    """The first derivatives of the normal distribution function at z."""
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    waves = [density, -z * density]
    for k in range(2, number):
        waves.append(-z * waves[-1] - (k - 1) * waves[-2])
    return waves[:number]

"""Draws of a posterior whose parameters have normal priors given their spreads: the spreads'
marginal by Laplace's method, the rest given them near to normal, each draw weighted exactly.

Rue, Martino & Chopin (2009), JRSS B 71(2), 319-392, less their approximations: what is near serves
as a proposal alone. Spreads stand in coordinates in which their prior is standard normal.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from betterthan import names
from betterthan.exact.laplace import newton, pareto
from betterthan.exact.laplace.grid import REACH, Grid, Tabled, between
from betterthan.exact.laplace.newton import Curved

_NODES = {1: (9, 15), 2: (7, 9), 3: (5, 7)}  # of each spread, by how many there are: coarse, fine
_DEEP = {1: 18.0, 2: 10.0, 3: 9.0}  # by how much the log density of spreads falls to the ends
_PASSES = 6  # until the grid is where the density is
# how far along an axis it is seen how far the density reaches; the last of few parameters alone: of
# many, what a few draws would gain all others lose
_SIDE = 1.5, 3.0, 6.0
_WIDEST = 5.0
# at how many values of each spread that is seen: of several spreads or many parameters, and else
_PLACES = 3, 9
_ROOTS = {1: 15, 2: 5, 3: 5}  # at how many values of each spread the axes are known
_MANY = 40
_MORE = 4  # times as many draws at most, where weights are uneven
_MOST = 16  # where they are even, and k-hat is high


class Likelihood(Protocol):
    """Log likelihood at parameters (point, parameter)."""

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""
        ...

    def pointwise(self, x: np.ndarray) -> np.ndarray:
        """Log likelihood of every item or row, (point, item)."""
        ...

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature."""
        ...


class Prior(Protocol):
    """Normal given the coordinates v (point, spread), which are standard normal."""

    @property
    def spreads(self) -> int:
        """How many."""
        ...

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        ...

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        ...

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Of both, (point,), up to a constant."""
        ...

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        ...


@dataclass(frozen=True)
class Posterior:
    """A prior and a likelihood."""

    prior: Prior
    likelihood: Likelihood

    def draws(self, number: int, random: np.random.Generator) -> "Drawn":
        """Draws of equal weight; see `draws`."""
        return draws(self, number, random)

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of the prior, (draw, spread) and (draw, parameter)."""
        return self.prior.draw(number, random)

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihood of every item or row, (point, item)."""
        return self.likelihood.pointwise(x)

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log density (point,), up to a constant."""
        return self.prior.log(v, x) + self.likelihood.log(x)

    def modes(self, v: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, Curved]:
        """Modes of the parameters given each v, with the curvature there."""
        precision = self.prior.precision(v)

        def derivatives(x: np.ndarray, which: np.ndarray) -> Curved:
            likelihood, prior_precision = self.likelihood.curved(x), precision[which]
            pull = (prior_precision @ (x - self.prior.centre)[..., None])[..., 0]
            height = likelihood.height + self.prior.log(v[which], x)
            return Curved(height, likelihood.slope - pull, likelihood.down + prior_precision)

        return newton.largest(derivatives, start)


class Weighted(NamedTuple):
    """Draws with their log weights."""

    v: np.ndarray  # (draw, spread)
    x: np.ndarray  # (draw, parameter)
    log_ratio: np.ndarray


@dataclass(frozen=True)
class Drawn:
    """Draws of equal weight, and how good the weights were of which they were made."""

    v: np.ndarray
    x: np.ndarray
    k_hat: float
    effective: float
    proposed: int


def draws(posterior: Posterior, number: int, random: np.random.Generator) -> Drawn:
    """So many draws of equal weight; as many are proposed as are worth that number, within
    reason.

    Raises
    ------
    ValueError
        If a log density has no largest value near by.
    """
    proposal = Proposal.around(posterior)
    drawn = proposal.weighted(number, random)
    weight, k = pareto.smoothed(drawn.log_ratio)
    while again := more(number, weight, k):
        extra = proposal.weighted(again, random)
        drawn = Weighted(*map(np.concatenate, zip(drawn, extra, strict=True)))
        weight, k = pareto.smoothed(drawn.log_ratio)
    index = pareto.evenly(weight, number, random)
    return Drawn(drawn.v[index], drawn.x[index], k, pareto.effective(weight), len(weight))


def more(number: int, weight: np.ndarray, k: float) -> int:
    """How many to propose beside those weighed so far; 0: no more."""
    worth, so_far = pareto.effective(weight), len(weight)
    if k <= names.PARETO_K_MAX:
        missing = so_far * (number / worth - 1) * 1.1
        return max(0, min(math.ceil(missing), _MORE * number - so_far))
    # of few draws k-hat is off by 0.1 or more: weights that are nearly even are looked at again
    even = worth > so_far / 2 and 4 * so_far <= _MOST * number
    return 3 * so_far if even else 0


@dataclass(frozen=True)
class Proposal:
    """The proposal: a tabled density of v, and given v a multivariate t whose centre and root
    change with v, and whose axes reach to either side as far as the posterior does.
    """

    posterior: Posterior
    grid: Grid
    tabled: Tabled
    modes: np.ndarray  # (node, parameter)
    fewer: Grid  # of v, at which the axes are known
    root: np.ndarray  # (fewer, parameter, parameter), lower triangular
    places: Grid  # of v, at which is known how far the axes reach
    wide: np.ndarray  # (place, side, parameter): its logarithm

    @classmethod
    def around(cls, posterior: Posterior) -> "Proposal":
        """The proposal of this posterior."""
        grid, modes, down, log = _on_grid(posterior)
        few = _PLACES[0] if grid.nodes.shape[1] > 1 or modes.shape[1] > _MANY else _PLACES[1]
        places, index = grid.part(few)
        axes = _roots(down[index])
        wide = np.stack(
            [
                _reach(posterior, grid.nodes[k], modes[k], root)
                for k, root in zip(index, axes, strict=True)
            ]
        )
        log = log + places.linear(grid.nodes) @ np.log(wide.sum(1)).sum(1)
        tabled = Tabled.from_log_density(grid, log)
        fewer, index = grid.part(_ROOTS[grid.nodes.shape[1]])
        return cls(posterior, grid, tabled, modes, fewer, _roots(down[index]), places, np.log(wide))

    def weighted(self, number: int, random: np.random.Generator) -> Weighted:
        """Draws, and the log of posterior over proposal."""
        from scipy.linalg.blas import dtrmm  # pyright: ignore[reportAttributeAccessIssue]

        v, log_v = self.tabled.draw(number, random)
        z, log_z = self._away(v, random)
        x, weights = self.grid.weights(v) @ self.modes, self.fewer.weights(v)
        log_det = np.log(np.abs(weights @ self.root.diagonal(0, 1, 2))).sum(1)
        for node, root in enumerate(self.root):
            x += weights[:, [node]] * dtrmm(1.0, root, z.T, lower=1).T
        return Weighted(v, x, self.posterior.log(v, x) - (log_v + log_z - log_det))

    def _away(self, v: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """How far from the centre along each axis, (draw, axis), and its log density: of a t with
        tails heavier than the posterior's, and not by much.
        """
        size = self.modes.shape[1]
        freedom = 2 * size + 5
        z = random.standard_normal((len(v), size))
        z *= np.sqrt(freedom / random.chisquare(freedom, (len(v), 1)))
        log = -(freedom + size) / 2 * np.log1p((z**2).sum(1) / freedom)
        between = self.places.linear(v)
        low, high = (np.exp(between @ side) for side in self.wide.swapaxes(0, 1))
        up = random.random(z.shape) < high / (low + high)
        return np.abs(z) * np.where(up, high, -low), log - np.log(low + high).sum(1)


def _on_grid(posterior: Posterior) -> tuple[Grid, np.ndarray, np.ndarray, np.ndarray]:
    """A grid of v where its density is not near to nothing; modes given each, the curvature there,
    and the log density of v by Laplace's method.
    """
    spreads, centre = posterior.prior.spreads, posterior.prior.centre
    coarse, fine = _NODES[spreads]
    grid = between(np.tile([-REACH, REACH], (spreads, 1)), coarse)
    start = np.broadcast_to(centre, (len(grid.nodes), centre.size))
    for _ in range(_PASSES):
        modes, curved = posterior.modes(grid.nodes, start)
        root = newton.lower(curved.down)
        log = curved.height - np.log(root.diagonal(0, 1, 2)).sum(1)
        limits = grid.needed(log, _DEEP[spreads])
        if grid.fits(limits) and len(grid.axes[0]) == fine:
            break
        finer = between(limits, fine)
        start, grid = grid.weights(finer.nodes) @ modes, finer
    else:
        raise ValueError("the spread's density has no end within reach")
    return grid, modes, curved.down, log


def _roots(down: np.ndarray) -> np.ndarray:
    """Of the covariances that go with curvatures."""
    return newton.lower(np.linalg.inv(down))


def _reach(posterior: Posterior, v: np.ndarray, mode: np.ndarray, root: np.ndarray) -> np.ndarray:
    """How far the density reaches to either side of each axis, (side, axis), in widths of the
    normal (Geweke 1989, Econometrica 57(6), 1317-1339); at least one.
    """
    reach = np.ones((2, len(mode)))
    out = _SIDE if len(mode) <= _MANY else _SIDE[:-1]
    steps = np.array([[side * far for far in out] for side in (-1, 1)])  # (side, far)
    x = mode + steps[:, :, None, None] * root.T
    flat = np.concatenate([mode[None], x.reshape(-1, len(mode))])
    height = posterior.log(np.broadcast_to(v, (len(flat), len(v))), flat)
    fall = np.maximum(height[0] - height[1:].reshape(x.shape[:3]), 1e-9)
    reach = np.abs(steps)[:, :, None] / np.sqrt(2 * fall)
    return np.clip(reach.max(1), 1.0, _WIDEST)

"""Nested Laplace: draws of a posterior whose parameters have normal priors given their spreads.

The spreads' marginal is by Laplace's method, the rest given them near to normal, each draw weighted
exactly. Largest values of many log densities are reached at once, by Newton's method, with their
curvature there.

Rue, Martino & Chopin (2009), JRSS B 71(2), 319-392, less their approximations: what is near serves
as a proposal alone. Spreads stand in coordinates in which their prior is standard normal.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.numeric import monte_carlo

_STEPS = 100
_LONGEST = 30.0  # of a step: beside these log odds a share is 0 to a dozen digits
_HALVINGS = 30
_ROUNDING = 1e-9  # of the height, relative
_FLAT = 1e-8  # of the largest curvature: a direction that bends less is taken to bend so much


class Curved(NamedTuple):
    """Log densities at points, one each, with slope and less the second derivatives."""

    height: np.ndarray  # (point,)
    slope: np.ndarray  # (point, parameter)
    down: np.ndarray  # (point, parameter, parameter)


Derivatives = Callable[
    [np.ndarray, np.ndarray], Curved
]  # of points, and the index of each point's density


def largest(
    derivatives: Derivatives, start: np.ndarray, tolerance: float = 1e-4
) -> tuple[np.ndarray, Curved]:
    """Points (density, parameter) where each density is largest, and what it is there.

    Parameters
    ----------
    derivatives : function of points and of the index of the density of each
    start : numpy.ndarray, (density, parameter)
    tolerance : float
        Of a step, in widths of the density: the next one would be about its square.

    Raises
    ------
    ValueError
        If one has no largest value within 100 steps.
    """
    x = start.copy()
    left = np.arange(len(x))
    values = derivatives(x, left)
    for _ in range(_STEPS):
        now = Curved(*(part[left] for part in values))
        step = np.linalg.solve(_upwards(now.down), now.slope[..., None])[..., 0]
        far = np.sqrt((now.slope * step).sum(1))
        step *= np.minimum(1, _LONGEST / np.maximum(np.abs(step).max(1), 1e-300))[:, None]
        moved = _uphill(derivatives, x[left], step, now.height, left)
        for part, new in zip(values, moved[1], strict=True):
            part[left] = new
        x[left] = moved[0]
        left = left[far > tolerance]
        if not len(left):
            return x, values
    raise ValueError(f"{len(left)} of {len(x)} log densities have no largest value near by")


def lower(down: np.ndarray) -> np.ndarray:
    """Lower triangular roots of curvatures; where one is none, it is bent until it is."""
    try:
        return np.linalg.cholesky(down)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(_bent(down))


def _upwards(down: np.ndarray) -> np.ndarray:
    """Curvatures, with which a step leads up."""
    try:
        np.linalg.cholesky(down)
    except np.linalg.LinAlgError:
        return _bent(down)
    return down


def _bent(down: np.ndarray) -> np.ndarray:
    value, axes = np.linalg.eigh(down)
    value = np.maximum(np.abs(value), _FLAT * np.abs(value).max(-1, keepdims=True))
    return (axes * value[..., None, :]) @ axes.swapaxes(-1, -2)


def _uphill(
    derivatives: Derivatives, x: np.ndarray, step: np.ndarray, before: np.ndarray, which: np.ndarray
) -> tuple[np.ndarray, Curved]:
    """Points after steps that are halved until none decreases the density, with values there."""
    slack = _ROUNDING * np.maximum(np.abs(before), 1.0)
    after = derivatives(x + step, which)
    for _ in range(_HALVINGS):
        down = np.flatnonzero(~((after.height >= before - slack) & (after.height < np.inf)))
        if not len(down):
            break
        step[down] /= 2
        for part, new in zip(after, derivatives((x + step)[down], which[down]), strict=True):
            part[down] = new
    return x + step, after


Spread = Callable[[np.ndarray], np.ndarray]
_EDGE = 1e-9


def gamma(shape: float, rate: float) -> Spread:
    """A gamma variable as a function of a standard normal one."""
    return lambda v: (
        np.where(
            v < 0,
            special.gammaincinv(shape, special.ndtr(np.minimum(v, 0.0))),
            special.gammainccinv(shape, special.ndtr(-np.maximum(v, 0.0))),
        )
        / rate
    )


def log_normal(centre: float, sd: float) -> Spread:
    """A log-normal variable of a standard normal one."""
    return lambda v: np.exp(centre + sd * v)


def beta(a: float, b: float) -> Spread:
    """A beta variable of a standard normal one, not nearer to 0 or 1 than 1e-9."""

    def spread(v: np.ndarray) -> np.ndarray:
        low = special.betaincinv(a, b, special.ndtr(np.minimum(v, 0.0)))
        high = special.betainccinv(a, b, special.ndtr(-np.maximum(v, 0.0)))
        return np.clip(np.where(v < 0, low, high), _EDGE, 1 - _EDGE)

    return spread


def half_normal(sd: float) -> Spread:
    """A half-normal variable of a standard normal one."""
    return lambda v: -sd * special.ndtri(special.ndtr(-v) / 2)


def _normal(moments: np.ndarray, number: int, random: np.random.Generator) -> np.ndarray:
    """Draws of means and standard deviations (parameter, 2)."""
    return moments[:, 0] + moments[:, 1] * random.standard_normal((number, len(moments)))


@dataclass(frozen=True)
class Around:
    """Abilities of a spread around a mean that has its own prior, and more parameters.

    The parameters are mean + ability of each system, where abilities sum to zero, and the rest.
    """

    systems: int
    spread: Spread
    mean_sd: float
    others: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """One."""
        return 1

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(self.systems), self.others[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, 1))
        ability = self.spread(v) * random.standard_normal((number, self.systems))
        mean = self.mean_sd * random.standard_normal((number, 1))
        abilities = mean + ability - ability.mean(1, keepdims=True)
        return v, np.hstack([abilities, _normal(self.others, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        sd, (abilities, others) = self.spread(v[:, 0]), np.split(x, [self.systems], axis=1)
        mean = abilities.mean(1)
        squared = ((abilities - mean[:, None]) ** 2).sum(1) / sd**2
        squared_others = (((others - self.others[:, 0]) / self.others[:, 1]) ** 2).sum(1)
        squares = v[:, 0] ** 2 + squared + (mean / self.mean_sd) ** 2 + squared_others
        return -squares / 2 - (self.systems - 1) * np.log(sd)

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        n = self.systems
        precision = np.zeros((len(v), n + len(self.others), n + len(self.others)))
        sd = self.spread(v[:, 0])[:, None, None]
        precision[:, :n, :n] = (np.eye(n) - 1 / n) / sd**2 + 1 / (n * self.mean_sd) ** 2
        index = np.arange(n, n + len(self.others))
        precision[:, index, index] = self.others[:, 1] ** -2.0
        return precision


@dataclass(frozen=True)
class Effects:
    """Effects of several kinds around 0, each kind with a spread of its own, and more parameters.

    The parameters are the effects, kind by kind, and the rest.
    """

    kinds: tuple[tuple[int, Spread], ...]  # how many effects there are, and their spread
    others: np.ndarray  # (parameter, 2): mean and standard deviation

    @property
    def spreads(self) -> int:
        """How many."""
        return len(self.kinds)

    @property
    def centre(self) -> np.ndarray:
        """(parameter,)."""
        return np.append(np.zeros(sum(n for n, _ in self.kinds)), self.others[:, 0])

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Of both, (draw, spread) and (draw, parameter)."""
        v = random.standard_normal((number, self.spreads))
        effects = [
            spread(column)[:, None] * random.standard_normal((number, n))
            for column, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        return v, np.hstack([*effects, _normal(self.others, number, random)])

    def log(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(point,), up to a constant."""
        *groups, others = np.split(x, np.cumsum([n for n, _ in self.kinds]), axis=1)
        squares = (((others - self.others[:, 0]) / self.others[:, 1]) ** 2).sum(1) + (v**2).sum(1)
        log = -squares / 2
        for effects, column, (n, spread) in zip(groups, v.T, self.kinds, strict=True):
            sd = spread(column)
            log -= n * np.log(sd) + (effects**2).sum(1) / (2 * sd**2)
        return log

    def precision(self, v: np.ndarray) -> np.ndarray:
        """(point, parameter, parameter)."""
        blocks = [
            np.repeat(spread(column)[:, None] ** -2.0, n, axis=1)
            for column, (n, spread) in zip(v.T, self.kinds, strict=True)
        ]
        others = np.broadcast_to(self.others[:, 1] ** -2.0, (len(v), len(self.others)))
        diagonal = np.concatenate([*blocks, others], axis=1)
        return diagonal[:, :, None] * np.eye(diagonal.shape[1])


REACH = 5.0  # of standard normal coordinates
_FINE = {1: 2000, 2: 150, 3: 40}  # steps of each coordinate, by how many there are
_FITTING = 1.6  # how much longer than need be a side may be


@dataclass(frozen=True)
class Grid:
    """Nodes of each coordinate, and every combination of them."""

    axes: tuple[np.ndarray, ...]

    @property
    def nodes(self) -> np.ndarray:
        """(node, coordinate)."""
        return np.stack([m.ravel() for m in np.meshgrid(*self.axes, indexing="ij")], axis=1)

    def weights(self, v: np.ndarray) -> np.ndarray:
        """Of the nodes (point, node) in a cubic spline at points (point, coordinate); beyond the
        grid as on its edge.
        """
        splines = (_cardinal(axis, column) for axis, column in zip(self.axes, v.T, strict=True))
        return reduce(_products, splines)

    def part(self, count: int) -> tuple["Grid", np.ndarray]:
        """So many nodes of each coordinate, from end to end, and their places among all."""
        chosen = [
            np.unique(np.linspace(0, len(a) - 1, count).round().astype(int)) for a in self.axes
        ]
        places = np.arange(len(self.nodes)).reshape([len(a) for a in self.axes])[np.ix_(*chosen)]
        return Grid(tuple(a[k] for a, k in zip(self.axes, chosen, strict=True))), places.ravel()

    def linear(self, v: np.ndarray) -> np.ndarray:
        """Weights of the nodes (point, node) by linear interpolation."""
        hats = (
            np.stack([np.interp(column, axis, row) for row in np.eye(len(axis))], axis=1)
            for axis, column in zip(self.axes, v.T, strict=True)
        )
        return reduce(_products, hats)

    def fine(self, values: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
        """Ends of fine steps of each coordinate, and values (step, ...) in their middles."""
        count = _FINE[len(self.axes)]
        edges = [np.linspace(axis[0], axis[-1], count + 1) for axis in self.axes]
        fine = values.reshape([len(axis) for axis in self.axes])
        for k, (axis, steps) in enumerate(zip(self.axes, edges, strict=True)):
            middle = _cardinal(axis, (steps[1:] + steps[:-1]) / 2)
            fine = np.moveaxis(np.tensordot(middle, fine, axes=(1, k)), 0, k)
        return edges, fine

    def needed(self, log: np.ndarray, deep: float) -> np.ndarray:
        """Ends (coordinate, 2) where a log density, (node,), has fallen so far; further out where
        it has not.
        """
        # a spline through a fall of thousands rings, so that its peaks are not those of the density
        edges, height = self.fine(np.maximum(log, log.max() - _FLOOR * deep))
        limits = []
        for k, steps in enumerate(edges):
            others = tuple(j for j in range(len(edges)) if j != k)
            profile = height.max(axis=others)
            high = np.flatnonzero(profile > profile.max() - deep)
            low, top = steps[high[0]], steps[high[-1] + 1]
            more = (steps[-1] - steps[0]) / 2
            shallow = profile.max() - profile[[0, -1]] < deep / 2
            limits.append([low - more * shallow[0], top + more * shallow[1]])
        return np.clip(limits, -REACH, REACH)

    def fits(self, limits: np.ndarray) -> bool:
        """Whether the grid covers these limits, and not much more."""
        span = np.array([[axis[0], axis[-1]] for axis in self.axes])
        reaches = (span[:, 0] <= limits[:, 0]).all() and (span[:, 1] >= limits[:, 1]).all()
        return bool(reaches and (np.diff(span) <= _FITTING * np.diff(limits)).all())


def between(limits: np.ndarray, count: int) -> Grid:
    """Grid of `count` nodes of each coordinate between its limits (coordinate, 2)."""
    return Grid(tuple(np.linspace(low, high, count) for low, high in limits))


@dataclass(frozen=True)
class Tabled:
    """A density that is constant on each of fine steps."""

    edges: list[np.ndarray]
    chance: np.ndarray

    @classmethod
    def from_log_density(cls, grid: Grid, log: np.ndarray) -> "Tabled":
        """From a log density at the nodes of a grid."""
        edges, height = grid.fine(log)
        chance = np.exp(height - height.max())
        return cls(edges, chance / chance.sum())

    def draw(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points (point, coordinate), and their log density up to a constant."""
        flat = random.choice(self.chance.size, size=number, p=self.chance.ravel())
        steps = np.unravel_index(flat, self.chance.shape)
        low = np.stack([edges[k] for edges, k in zip(self.edges, steps, strict=True)], axis=1)
        width = np.array([edges[1] - edges[0] for edges in self.edges])
        v = low + width * random.random(low.shape)
        return v, np.log(self.chance[steps])


def _cardinal(axis: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Splines (point, node) that are 1 at one node and 0 at the others."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(axis, np.eye(len(axis)))(np.clip(v, axis[0], axis[-1]))


def _products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Products of all columns of two tables with the same rows."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


_NODES = {1: (9, 15), 2: (7, 9), 3: (5, 7)}  # of each spread, by how many there are: coarse, fine
_DEEP = {1: 18.0, 2: 10.0, 3: 9.0}  # by how much the log density of spreads falls to the ends
_FLOOR = 4  # depths below which a log density is flat for finding where it ends
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


type Prior = Around | Effects  # normal given the coordinates v (point, spread)


class Likelihood(Protocol):
    """Log likelihood at parameters (point, parameter)."""

    def log(self, x: np.ndarray) -> np.ndarray:
        """(point,)."""

    def pointwise(self, x: np.ndarray) -> np.ndarray:
        """Log likelihood of every item or row, (point, item)."""

    def curved(self, x: np.ndarray) -> Curved:
        """With slope and curvature."""


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

        return largest(derivatives, start)


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
    weight, k = monte_carlo.smoothed(drawn.log_ratio)
    while again := more(number, weight, k):
        extra = proposal.weighted(again, random)
        drawn = Weighted(*map(np.concatenate, zip(drawn, extra, strict=True)))
        weight, k = monte_carlo.smoothed(drawn.log_ratio)
    index = monte_carlo.evenly(weight, number, random)
    return Drawn(drawn.v[index], drawn.x[index], k, monte_carlo.effective(weight), len(weight))


def more(number: int, weight: np.ndarray, k: float) -> int:
    """How many to propose beside those weighed so far; 0: no more."""
    worth, so_far = monte_carlo.effective(weight), len(weight)
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
        from scipy.linalg.blas import dtrmm

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
        root = lower(curved.down)
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
    return lower(np.linalg.inv(down))


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

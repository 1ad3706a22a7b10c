"""Tables of groups that differ, Beta-binomial or Dirichlet-multinomial, many at once.

Each table has one number that says how alike its groups are, and a few log odds beside it: draws of
both, each weighted exactly. How alike groups are is the correlation rho, as r, logit rho = stretch
sinh r. On nodes of r the density of the log odds has its largest value and widths by Newton's
method; in between, and beside them, the proposal is a t with a reach of its own on either side of
each axis.

The log odds are those of the mean of a share that differs between clusters; or of wins, losses and
ties that differ between groups, whose mean stands as log odds of a win among decisive examples, and
of a decisive one among all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from betterthan.exact.laplace import nested
from betterthan.exact.laplace.nested import Curved, more
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.wins.clusters import KAPPA, LEAST, log_gamma_beyond

_LOGS = 20  # logarithms take as long as a gamma function and its difference
_SQUARED = 1e-150  # x whose square, and its inverse, are numbers; the limit at 0 is reached before


@dataclass(frozen=True)
class Rising:
    """How many clusters of a table reach beyond each step, or which values k they have."""

    beyond: np.ndarray  # (step, table): clusters with k > 1, 2, ...; of no step where k are large
    value: np.ndarray  # (kind, table): distinct k, where they are large
    often: np.ndarray  # (kind, table): of how many clusters

    @classmethod
    def from_counts(cls, k: np.ndarray) -> "Rising":
        """Of k (cluster, table)."""
        most, none = int(k.max(initial=0)), np.zeros((0, k.shape[1]))
        kinds = [np.unique(values[values > 0], return_counts=True) for values in k.T]
        several = max((len(value) for value, _ in kinds), default=0)
        if most > _LOGS * max(several, 1):
            value, often = np.zeros((2, several, k.shape[1]))
            for table, (values, times) in enumerate(kinds):
                value[: len(values), table], often[: len(values), table] = values, times
            return cls(none, value, often)
        steps = [(k > j).sum(0) for j in range(1, most)]
        return cls(np.array(steps, float).reshape(-1, k.shape[1]), none, none)

    def log(self, x: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log of the products at points, each of its table."""
        x, total = np.maximum(x, LEAST), np.zeros(x.shape)
        for j, many in enumerate(self.beyond, 1):
            total += many[table] * np.log1p(j / x)
        for k, many in zip(self.value, self.often, strict=True):
            total += many[table] * log_gamma_beyond(x, k[table])
        return total

    def bent(self, x: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums over steps j of j / (x + j), and of j x / (x + j)^2."""
        x = np.maximum(x, _SQUARED)
        first, second = np.zeros(x.shape), np.zeros(x.shape)
        for j, many in enumerate(self.beyond, 1):
            share = j / (x + j)
            first += many[table] * share
            second += many[table] * share * (1 - share)
        for k, many in zip(self.value, self.often, strict=True):
            # sums of x / (x + j) and of (x / (x + j))^2
            ratio = x * (special.psi(x + k[table]) - special.psi(x))
            square = x**2 * (special.polygamma(1, x) - special.polygamma(1, x + k[table]))
            first += many[table] * (k[table] - ratio)
            second += many[table] * (ratio - square)
        return first, second


_END = 4.3  # of r: beyond, the prior has less than e^-60
_NODES, _STEPS = 41, 400  # of r: where the odds are looked at, and where r is drawn
_DEEP = 18.0  # by how much the log density of r falls to its ends
_PASSES = 6  # until r is looked at where its density is
_NARROWER = 0.6  # what is left of r where it is worth another look
# how far it is seen how far the odds reach, and the most that a t takes after them
_SIDE, _WIDEST = (1.5, 3.0, 6.0, 12.0, 24.0), 10.0
# the proposal is to fall so much less than the density: the largest weights are then many alike
# near the centre, and not a few far out, which k-hat would take for a heavy tail
_LESS, _FREEDOM = 0.6, 7
_FIRST = 1.5  # times as many proposed as are to be worth


@dataclass(frozen=True)
class Alike:
    """How alike groups are: the prior of rho, or kappa = 1 / rho - 1, which is held."""

    prior: tuple[float, float]
    stretch: float = 1.0
    held: float | None = None

    def logit(self, r: np.ndarray) -> np.ndarray:
        """Of rho."""
        return self.stretch * np.sinh(r)

    def kappa(self, r: np.ndarray) -> np.ndarray:
        """Kept where it says something."""
        if self.held is not None:
            return np.full(r.shape, self.held)
        return np.exp(np.clip(-self.logit(r), *np.log(KAPPA)))

    def log_prior(self, r: np.ndarray) -> np.ndarray:
        """Log density of r, up to a constant; uniform where kappa is held."""
        if self.held is not None:
            return np.zeros(r.shape)
        (a, b), logit = self.prior, self.logit(r)
        return np.log(np.cosh(r)) + a * special.log_expit(logit) + b * special.log_expit(-logit)


type Density = Shares | Thirds  # of log odds, in each table by itself


class Drawn(NamedTuple):
    """Draws of equal weight, and how good the weights were, (table,)."""

    r: np.ndarray  # (draw, table)
    x: np.ndarray  # (draw, table, parameter)
    k_hat: np.ndarray
    effective: np.ndarray
    proposed: int


def draws(density: Density, number: int, random: np.random.Generator) -> Drawn:
    """So many draws of each table; as many are proposed as are worth that number, within reason."""
    proposal = Proposal.around(density)
    drawn = proposal.weighted(int(_FIRST * number), random)
    smoothed = _smoothed(drawn[2])
    while again := _more(number, *smoothed):
        extra = proposal.weighted(again, random)
        drawn = tuple(np.concatenate(both) for both in zip(drawn, extra, strict=True))
        smoothed = _smoothed(drawn[2])
    weight, k_hat = smoothed
    index = np.stack([monte_carlo.evenly(column, number, random) for column in weight], axis=1)
    r, x = (part[index, np.arange(index.shape[1])] for part in drawn[:2])
    worth = np.array([monte_carlo.effective(column) for column in weight])
    return Drawn(r, x, k_hat, worth, weight.shape[1])


def _smoothed(log_ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (table, draw) and k-hat (table,)."""
    weight, k_hat = zip(*map(monte_carlo.smoothed, log_ratio.T), strict=True)
    return np.stack(weight), np.array(k_hat)


def _more(number: int, weight: np.ndarray, k_hat: np.ndarray) -> int:
    """Largest number of further draws that any table needs."""
    return max(more(number, column, float(k)) for column, k in zip(weight, k_hat, strict=True))


@dataclass(frozen=True)
class Shape:
    """Of the odds given r: (..., parameter), and their root (..., parameter, parameter)."""

    centre: np.ndarray
    root: np.ndarray  # of the covariance, lower triangular
    log_down: np.ndarray  # how far each axis reaches
    log_up: np.ndarray

    @property
    def packed(self) -> np.ndarray:
        """As numbers between which a curve may go, (..., number)."""
        row, column = _below(self.centre.shape[-1])
        diagonal = np.log(np.diagonal(self.root, axis1=-2, axis2=-1))
        parts = self.centre, diagonal, self.root[..., row, column], self.log_down, self.log_up
        return np.concatenate(parts, axis=-1)

    @classmethod
    def unpacked(cls, numbers: np.ndarray, size: int) -> "Shape":
        """The shape of `size` parameters, from `packed` numbers."""
        row, column = _below(size)
        sizes = [size, size, len(row), size]
        centre, diagonal, below, down, up = np.split(numbers, np.cumsum(sizes), axis=-1)
        root = np.zeros((*centre.shape, size))
        root[..., range(size), range(size)] = np.exp(diagonal)
        root[..., row, column] = below
        return cls(centre, root, down, up)


def _below(size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.tril_indices(size, -1)


@dataclass(frozen=True)
class Proposal:
    """The proposal of each table: a tabled density of r, and given r a t of the odds."""

    density: Density
    limits: np.ndarray  # (2, table): of r
    chance: np.ndarray  # (step, table): of a step of r
    edges: np.ndarray  # (edge of a step, table, number): shapes, packed

    @classmethod
    def around(cls, density: Density) -> "Proposal":
        """The proposal of this density."""
        from scipy.interpolate import CubicSpline

        limits, log, shape = _node_values(density)
        # as wide as it reaches, r is proposed as often
        log = log + np.log(np.exp(shape.log_down) + np.exp(shape.log_up)).sum(-1)
        u, steps = np.linspace(0, 1, _NODES), np.linspace(0, 1, _STEPS + 1)
        edges = CubicSpline(u, shape.packed)(steps)
        height = CubicSpline(u, log)((steps[1:] + steps[:-1]) / 2)
        chance = np.exp(height - height.max(0))
        return cls(density, limits, chance / chance.sum(0), edges)

    def weighted(
        self, number: int, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws of r (draw, table) and the odds, and the log of density over proposal."""
        tables = np.arange(self.chance.shape[1])
        step, part = self._steps(number, random), random.random((number, len(tables)))
        low, high = self.limits
        r = low + (high - low) * (step + part) / _STEPS
        log_r = np.log(self.chance[step, tables] / (high - low))
        before, after = (self.edges[step + k, tables] for k in (0, 1))
        numbers = before + part[..., None] * (after - before)
        shape = Shape.unpacked(numbers, self.density.start.shape[1])
        # how far from the centre along each axis, of a t that reaches so far to either side
        z = np.abs(random.standard_t(_FREEDOM, shape.centre.shape))
        down, up = np.exp(shape.log_down), np.exp(shape.log_up)
        above = random.random(z.shape) < up / (up + down)
        log = -(_FREEDOM + 1) / 2 * np.log1p(z**2 / _FREEDOM) - np.log(up + down)
        away, log_away = z * np.where(above, up, -down), log.sum(-1)
        x = shape.centre + np.einsum("...ij,...j->...i", shape.root, away)
        log_root = np.log(np.diagonal(shape.root, axis1=-2, axis2=-1)).sum(-1)
        return r, x, _log(self.density, r, x) - log_r - (log_away - log_root)

    def _steps(self, number: int, random: np.random.Generator) -> np.ndarray:
        """Steps of each table, drawn with their probabilities."""
        tables = self.chance.shape[1]
        total = self.chance.cumsum(0)
        edges = total / total[-1] + np.arange(tables)
        u = random.random((number, tables)) + np.arange(tables)
        places = np.searchsorted(edges.T.ravel(), u.ravel(), side="right").reshape(u.shape)
        return np.minimum(places - _STEPS * np.arange(tables), _STEPS - 1)


def _log(density: Density, r: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Log density of r and the odds, (draw, table)."""
    table = np.broadcast_to(np.arange(r.shape[1]), r.shape).ravel()
    alike = density.alike
    log = density.log(x.reshape(len(table), -1), alike.kappa(r).ravel(), table)
    return log.reshape(r.shape) + alike.log_prior(r)


def _node_values(density: Density) -> tuple[np.ndarray, np.ndarray, Shape]:
    """Ends of r, (2, table), where its density is not near to nothing; on nodes between them, its
    log density by Laplace's method (node, table), and the shape of the odds.
    """
    start = np.broadcast_to(density.start, (_NODES, *density.start.shape))
    limits = np.outer([-_END, _END], np.ones(start.shape[1]))
    for _ in range(_PASSES):
        r = limits[0] + (limits[1] - limits[0]) * np.linspace(0, 1, _NODES)[:, None]
        mode, root, log = _modes(density, r, start)
        inside = log > log.max(0) - _DEEP
        first = np.maximum(inside.argmax(0) - 1, 0)
        last = np.minimum(_NODES - inside[::-1].argmax(0), _NODES - 1)
        if (last - first >= _NARROWER * (_NODES - 1)).all():
            return limits, log, Shape(mode, root, *_reach(density, r, mode, root))
        low, size = limits[0], limits[1] - limits[0]
        limits = low + size * np.stack([first, last]) / (_NODES - 1)
        start = np.broadcast_to(mode[log.argmax(0), np.arange(mode.shape[1])], mode.shape)
    raise ValueError("how alike groups are has no density within reach")


def _modes(
    density: Density, r: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the odds are largest given r, roots of their covariance, and the log density of r."""
    kappa, table = density.alike.kappa(r).ravel(), np.tile(np.arange(r.shape[1]), len(r))

    def derivatives(x: np.ndarray, which: np.ndarray) -> Curved:
        return density.curved(x, kappa[which], table[which])

    mode, curved = nested.largest(derivatives, start.reshape(len(table), -1))
    root = nested.lower(np.linalg.inv(curved.down))
    log = curved.height + np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(-1)
    root, mode = root.reshape(*start.shape, -1), mode.reshape(start.shape)
    return mode, root, log.reshape(r.shape) + density.alike.log_prior(r)


def _reach(
    density: Density, r: np.ndarray, mode: np.ndarray, root: np.ndarray
) -> Iterator[np.ndarray]:
    """Log of how far the density reaches down and up each axis, (node, table, axis), in widths; at
    least 1.
    """
    height = _log(density, r, mode)
    for way in (-1, 1):
        reach = np.ones(mode.shape)
        for out in _SIDE:
            for axis in range(mode.shape[-1]):
                fall = height - _log(density, r, mode + way * out * root[..., axis])
                fall = np.maximum(_LESS * fall, 1e-9)  # of a t that reaches so far
                wide = out / np.sqrt(_FREEDOM * np.expm1(2 * fall / (_FREEDOM + 1)))
                reach[..., axis] = np.maximum(reach[..., axis], wide)
        yield np.log(np.minimum(reach, _WIDEST))


@dataclass(frozen=True)
class Shares:
    """Clusters of one share, table by table."""

    won: Rising
    lost: Rising
    both: Rising
    wins: np.ndarray  # (table,), of all clusters and of the prior
    losses: np.ndarray
    alike: Alike

    @classmethod
    def from_counts(
        cls, won: np.ndarray, lost: np.ndarray, prior: tuple[float, float], alike: Alike
    ) -> "Shares":
        """From won and lost (cluster, table), with a Beta prior of the mean."""
        return cls(
            won=Rising.from_counts(won),
            lost=Rising.from_counts(lost),
            both=Rising.from_counts(won + lost),
            wins=prior[0] + won.sum(0),
            losses=prior[1] + lost.sum(0),
            alike=alike,
        )

    @property
    def start(self) -> np.ndarray:
        """Log odds of all clusters together, (table, 1)."""
        return np.log(self.wins / self.losses)[:, None]

    def log(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log density of points, each of its table, up to a constant."""
        t = x[:, 0]
        log = self.wins[table] * special.log_expit(t) + self.losses[table] * special.log_expit(-t)
        up, down = kappa * special.expit(t), kappa * special.expit(-t)
        return (
            log + self.won.log(up, table) + self.lost.log(down, table) - self.both.log(kappa, table)
        )

    def curved(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> Curved:
        """With its slope and less its second derivative."""
        p, q = special.expit(x[:, 0]), special.expit(-x[:, 0])
        (up, up_bend), (down, down_bend) = (
            rising.bent(kappa * share, table) for rising, share in ((self.won, p), (self.lost, q))
        )
        slope = self.wins[table] * q - self.losses[table] * p - q * up + p * down
        bend = -(self.wins[table] + self.losses[table]) * p * q
        bend += p * q * (up + down) + q**2 * up_bend + p**2 * down_bend
        return Curved(self.log(x, kappa, table), slope[:, None], -bend[:, None, None])


@dataclass(frozen=True)
class Thirds:
    """Groups of three outcomes, table by table."""

    by_outcome: tuple[Rising, Rising, Rising]  # wins, losses and ties
    all: Rising
    sums: np.ndarray  # (outcome, table), of all groups and of the prior
    alike: Alike

    @classmethod
    def from_counts(cls, values: np.ndarray, prior: tuple[float, ...], alike: Alike) -> "Thirds":
        """From values (group, table, outcome), with a Dirichlet prior of the mean."""
        win, loss, tie = (Rising.from_counts(part) for part in np.moveaxis(values, -1, 0))
        return cls(
            by_outcome=(win, loss, tie),
            all=Rising.from_counts(values.sum(-1)),
            sums=np.array(prior)[:, None] + values.sum(0).T,
            alike=alike,
        )

    @property
    def start(self) -> np.ndarray:
        """Log odds of all groups together, (table, 2)."""
        win, loss, tie = self.sums
        return np.stack([np.log(win / loss), np.log((win + loss) / tie)], axis=-1)

    def log(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log density of points, each of its table, up to a constant."""
        win, loss, tie = self.sums[:, table]
        up, down = special.log_expit(x).T, special.log_expit(-x).T
        log = win * up[0] + loss * down[0] + (win + loss) * up[1] + tie * down[1]
        for rising, share in zip(self.by_outcome, mean_probabilities(x).T, strict=True):
            log += rising.log(kappa * share, table)
        return log - self.all.log(kappa, table)

    def curved(self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray) -> Curved:
        """With its slope and less its second derivatives."""
        (p, s), (q, u) = special.expit(x).T, special.expit(-x).T
        (win, loss, tie), (win_bend, loss_bend, tie_bend) = self._by_log_mean(x, kappa, table)
        slope = np.stack([win * q - loss * p, (win + loss) * u - tie * s], axis=-1)
        down = np.empty((len(x), 2, 2))
        down[:, 0, 0] = (win + loss) * p * q - q**2 * win_bend - p**2 * loss_bend
        down[:, 1, 1] = (win + loss + tie) * s * u - u**2 * (win_bend + loss_bend) - s**2 * tie_bend
        down[:, 0, 1] = down[:, 1, 0] = u * (p * loss_bend - q * win_bend)
        return Curved(self.log(x, kappa, table), slope, down)

    def _by_log_mean(
        self, x: np.ndarray, kappa: np.ndarray, table: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Slopes by log mu of win, loss and tie, and second derivatives, (outcome, point)."""
        steps = zip(self.by_outcome, mean_probabilities(x).T, strict=True)
        bent = [rising.bent(kappa * mu, table) for rising, mu in steps]
        first, second = (np.stack(part) for part in zip(*bent, strict=True))
        return self.sums[:, table] - first, second


def mean_probabilities(x: np.ndarray) -> np.ndarray:
    """Probabilities of win, loss and tie, (..., outcome), at their log odds (..., 2)."""
    (p, s), (q, tie) = (np.moveaxis(special.expit(sign * x), -1, 0) for sign in (1, -1))
    return np.stack([s * p, s * q, tie], axis=-1)

"""A share that differs between clusters, which are Beta-binomial, in many tables at once: draws of
its mean and of how alike clusters are, each weighted exactly.

The mean stands as log odds t, the correlation rho as r, logit rho = 6 sinh r. On nodes of r the
density of t has its largest value and width by Newton's method; in between, and beside them, the
proposal is a t with a reach of its own on either side.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from betterthan.exact.laplace import newton, pareto
from betterthan.exact.laplace.nested import more
from betterthan.exact.laplace.newton import Curved
from betterthan.exact.laplace.rising import Rising
from betterthan.exact.wins.clusters import CORRELATION, KAPPA

STRETCH = 6.0
_END = 4.3  # of r: beyond, the prior has less than e^-60
_NODES, _STEPS = 41, 400  # of r: where t is looked at, and where r is drawn
_DEEP = 18.0  # by how much the log density of r falls to its ends
_PASSES = 6  # until r is looked at where its density is
_NARROWER = 0.6  # what is left of r where it is worth another look
_SIDE, _WIDEST = (1.5, 3.0), 5.0  # how far it is seen how far t reaches, and the most
_FREEDOM = 7
_FIRST = 1.15  # times as many proposed as are to be worth


@dataclass(frozen=True)
class Shares:
    """Clusters of one share, table by table."""

    won: Rising
    lost: Rising
    both: Rising
    wins: np.ndarray  # (table,), of all clusters and of the prior
    losses: np.ndarray
    held: float | None  # kappa, where it is not estimated

    @classmethod
    def of(
        cls, won: np.ndarray, lost: np.ndarray, prior: tuple[float, float], held: float | None
    ) -> "Shares":
        """Of won and lost (cluster, table), with a Beta prior of the mean."""
        return cls(
            won=Rising.of(won),
            lost=Rising.of(lost),
            both=Rising.of(won + lost),
            wins=prior[0] + won.sum(0),
            losses=prior[1] + lost.sum(0),
            held=held,
        )

    def kappa(self, r: np.ndarray) -> np.ndarray:
        """How alike clusters are."""
        if self.held is not None:
            return np.full(r.shape, self.held)
        return np.exp(np.clip(-STRETCH * np.sinh(r), *np.log(KAPPA)))

    def log_prior(self, r: np.ndarray) -> np.ndarray:
        """Log density of r, up to a constant; uniform where kappa is held."""
        if self.held is not None:
            return np.zeros(r.shape)
        a, b = CORRELATION
        logit = STRETCH * np.sinh(r)
        return np.log(np.cosh(r)) + a * special.log_expit(logit) + b * special.log_expit(-logit)

    def log(self, t: np.ndarray, kappa: np.ndarray, of: np.ndarray) -> np.ndarray:
        """Log density of t at points, each of its table, up to a constant."""
        found = self.wins[of] * special.log_expit(t) + self.losses[of] * special.log_expit(-t)
        x, y = kappa * special.expit(t), kappa * special.expit(-t)
        return found + self.won.log(x, of) + self.lost.log(y, of) - self.both.log(kappa, of)

    def curved(self, t: np.ndarray, kappa: np.ndarray, of: np.ndarray) -> Curved:
        """With its slope and less its second derivative."""
        p, q = special.expit(t), special.expit(-t)
        (up, up_bend), (down, down_bend) = (
            rising.bent(kappa * share, of) for rising, share in ((self.won, p), (self.lost, q))
        )
        slope = self.wins[of] * q - self.losses[of] * p - q * up + p * down
        bend = -(self.wins[of] + self.losses[of]) * p * q
        bend += p * q * (up + down) + q**2 * up_bend + p**2 * down_bend
        return Curved(self.log(t, kappa, of), slope[:, None], -bend[:, None, None])


class Drawn(NamedTuple):
    """Draws of equal weight, (draw, table), and how good the weights were, (table,)."""

    t: np.ndarray
    r: np.ndarray
    k_hat: np.ndarray
    effective: np.ndarray
    proposed: int


def draws(shares: Shares, number: int, random: np.random.Generator) -> Drawn:
    """So many draws of each table; as many are proposed as are worth that number, within reason."""
    near = Near.of(shares)
    found = near.weighted(int(_FIRST * number), random)
    smoothed = _smoothed(found[2])
    while again := _more(number, *smoothed):
        rest = near.weighted(again, random)
        found = tuple(np.concatenate(both) for both in zip(found, rest, strict=True))
        smoothed = _smoothed(found[2])
    weight, k_hat = smoothed
    at = np.stack([pareto.evenly(own, number, random) for own in weight], axis=1)
    t, r = (np.take_along_axis(part, at, axis=0) for part in found[:2])
    worth = np.array([pareto.effective(own) for own in weight])
    return Drawn(t, r, k_hat, worth, weight.shape[1])


def _smoothed(log_ratio: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (table, draw) and k-hat (table,)."""
    weight, k_hat = zip(*map(pareto.smoothed, log_ratio.T), strict=True)
    return np.stack(weight), np.array(k_hat)


def _more(number: int, weight: np.ndarray, k_hat: np.ndarray) -> int:
    """As many as the table asks for that asks for most."""
    return max(more(number, own, float(k)) for own, k in zip(weight, k_hat, strict=True))


@dataclass(frozen=True)
class Near:
    """The proposal of each table: a tabled density of r, and given r a t of t."""

    shares: Shares
    ends: np.ndarray  # (2, table): of r
    chance: np.ndarray  # (step, table): of a step of r
    edges: np.ndarray  # (4, edge of a step, table): centre, log of width, log reach down and up

    @classmethod
    def of(cls, shares: Shares) -> "Near":
        """Made around the density."""
        from scipy.interpolate import CubicSpline

        ends, mode, width, log = _on_nodes(shares)
        reach = np.log(_reach(shares, ends, mode, width))
        log = log + np.log(np.exp(reach).sum(0))
        u, steps = np.linspace(0, 1, _NODES), np.linspace(0, 1, _STEPS + 1)
        edges = CubicSpline(u, np.stack([mode, np.log(width), *reach], axis=1))(steps)
        height = CubicSpline(u, log)((steps[1:] + steps[:-1]) / 2)
        chance = np.exp(height - height.max(0))
        return cls(shares, ends, chance / chance.sum(0), edges.swapaxes(0, 1))

    def weighted(
        self, number: int, random: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws of t and r, and the log of density over proposal, (draw, table)."""
        tables = self.chance.shape[1]
        step, part = self._steps(number, random), random.random((number, tables))
        low, high = self.ends
        r = low + (high - low) * (step + part) / _STEPS
        log_r = np.log(np.take_along_axis(self.chance, step, axis=0) / (high - low))
        centre, log_width, down, up = (
            (1 - part) * np.take_along_axis(edge, step, axis=0)
            + part * np.take_along_axis(edge, step + 1, axis=0)
            for edge in self.edges
        )
        away, log_away = _away(np.exp(down), np.exp(up), random)
        t = centre + np.exp(log_width) * away
        return t, r, self._log(t, r) - log_r - (log_away - log_width)

    def _steps(self, number: int, random: np.random.Generator) -> np.ndarray:
        """Of each table, steps drawn with their chance."""
        tables = self.chance.shape[1]
        total = self.chance.cumsum(0)
        ends = total / total[-1] + np.arange(tables)
        u = random.random((number, tables)) + np.arange(tables)
        found = np.searchsorted(ends.T.ravel(), u.ravel(), side="right").reshape(u.shape)
        return np.minimum(found - _STEPS * np.arange(tables), _STEPS - 1)

    def _log(self, t: np.ndarray, r: np.ndarray) -> np.ndarray:
        of = np.broadcast_to(np.arange(t.shape[1]), t.shape).ravel()
        log = self.shares.log(t.ravel(), self.shares.kappa(r).ravel(), of)
        return log.reshape(t.shape) + self.shares.log_prior(r)


def _away(
    down: np.ndarray, up: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """How far from the centre, of a t that reaches so far to either side, and its log density."""
    z = np.abs(random.standard_t(_FREEDOM, down.shape))
    above = random.random(z.shape) < up / (up + down)
    log = -(_FREEDOM + 1) / 2 * np.log1p(z**2 / _FREEDOM) - np.log(up + down)
    return z * np.where(above, up, -down), log


def _on_nodes(shares: Shares) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ends of r, (2, table), where its density is not near to nothing; on nodes between them,
    (node, table), modes of t, widths, and the log density of r by Laplace's method.
    """
    wins, losses = shares.wins, shares.losses
    ends = np.outer([-_END, _END], np.ones(len(wins)))
    start = np.broadcast_to(np.log(wins / losses), (_NODES, len(wins)))
    for _ in range(_PASSES):
        mode, width, log = _modes(shares, ends, start)
        near = log > log.max(0) - _DEEP
        first = np.maximum(near.argmax(0) - 1, 0)
        last = np.minimum(_NODES - near[::-1].argmax(0), _NODES - 1)
        if (last - first >= _NARROWER * (_NODES - 1)).all():
            return ends, mode, width, log
        low, size = ends[0], ends[1] - ends[0]
        ends = low + size * np.stack([first, last]) / (_NODES - 1)
        start = np.broadcast_to(np.take_along_axis(mode, log.argmax(0)[None], axis=0), mode.shape)
    raise ValueError("how alike clusters are has no density within reach")


def _nodes(ends: np.ndarray) -> np.ndarray:
    """Of r, (node, table)."""
    return ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, _NODES)[:, None]


def _modes(
    shares: Shares, ends: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r = _nodes(ends)
    kappa, of = shares.kappa(r).ravel(), np.tile(np.arange(r.shape[1]), len(r))

    def at(x: np.ndarray, which: np.ndarray) -> Curved:
        return shares.curved(x[:, 0], kappa[which], of[which])

    mode, here = newton.largest(at, start.reshape(-1, 1))
    width = 1 / np.sqrt(np.abs(here.down[:, 0, 0]))
    log = here.height + np.log(width)
    return mode.reshape(r.shape), width.reshape(r.shape), log.reshape(r.shape) + shares.log_prior(r)


def _reach(shares: Shares, ends: np.ndarray, mode: np.ndarray, width: np.ndarray) -> np.ndarray:
    """How far the density of t reaches down and up, (side, node, table), in widths; at least 1."""
    kappa, of = shares.kappa(_nodes(ends)), np.broadcast_to(np.arange(mode.shape[1]), mode.shape)

    def height(t: np.ndarray) -> np.ndarray:
        return shares.log(t.ravel(), kappa.ravel(), of.ravel()).reshape(t.shape)

    far = np.array(_SIDE)[:, None, None]
    fall = [[height(mode) - height(mode + way * out * width) for out in _SIDE] for way in (-1, 1)]
    found = far / np.sqrt(2 * np.maximum(np.array(fall), 1e-9))  # (side, far, node, table)
    return np.clip(found.max(1), 1.0, _WIDEST)

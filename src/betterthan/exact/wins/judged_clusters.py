"""Abilities from judgments that come in clusters: random weights of the clusters, and what the
clusters cost.

Weights on clusters are Dirichlet(1, ..., 1), as in the Bayesian bootstrap (Rubin 1981, Annals of
Statistics 9(1), 130-134; with a penalty, Newton, Polson & Xu 2021, Canadian Journal of Statistics
49(2), 421-437). The centre of the prior is drawn anew for each fit: where judgments say nothing,
draws are the prior's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.wins import davidson
from betterthan.exact.wins.davidson import Meetings, Penalty

Sparse = Any  # a scipy.sparse.csr_array, of whose attributes type checkers know little
_SPREADS = 40  # equally probable spreads of abilities
_NUMBERS = 2**21  # in one array of a chunk of fits


@dataclass(frozen=True)
class Prior:
    """Abilities ~ Normal(0, spread), spread ~ Gamma(shape, rate); tie and the advantage of the
    first place normal, (mean, standard deviation).
    """

    shape: float
    rate: float
    tie: tuple[float, float]
    place: tuple[float, float]


@dataclass(frozen=True)
class Weighed:
    """Draws, and how many times the variance is that of independent judgments."""

    draws: np.ndarray  # (draw, parameter); abilities sum to zero
    design_effect: np.ndarray  # (system,)
    overall: float
    clusters: int


def weighed(counts: Sparse, meet: Meetings, prior: Prior, draws: int, seed: int) -> Weighed:
    """Draws of all parameters, by weights on clusters.

    Parameters
    ----------
    counts : scipy.sparse.csr_array, (cluster, outcome and row)
    meet : Meetings
    prior : Prior
    draws, seed : int

    Notes
    -----
    Counts are divided by the overall design effect: the prior then meets as many judgments as they
    are worth. Deviations from the centre are multiplied by sqrt((K + 1) / q), q ~ chi2(K - 1): of a
    mean over K clusters that makes Student's t with K - 1 degrees of freedom of the draws.
    """
    random, table = np.random.default_rng([seed, 0]), counts.tocoo()
    clusters, cells = (int(k) for k in table.shape)
    total = np.bincount(table.coords[1], table.data, cells).reshape(1, 3, -1)
    fixed, _ = _penalties(prior, np.array([prior.shape / prior.rate]), meet)
    mode = davidson.fit(total, meet, fixed, fixed.centre)[0]
    effects, overall = _design_effects(mode, counts, total, meet, fixed)
    modes, spreads, chance = _by_spread(total / overall, meet, prior, mode)
    chosen = random.choice(len(spreads), size=draws, p=chance)
    drawn = _drawn(prior, spreads[chosen], meet, random)
    drawn_parameters = _refitted(counts / overall, meet, drawn, modes[chosen], seed)
    drawn_parameters = modes[chosen] + _inflation(clusters, draws, random) * (
        drawn_parameters - modes[chosen]
    )
    return Weighed(_centred(drawn_parameters, meet), effects, overall, clusters)


def _inflation(clusters: int, draws: int, random: np.random.Generator) -> np.ndarray:
    """By what each draw (draw, 1) is moved further, for the clusters are few."""
    return np.sqrt((clusters + 1) / random.chisquare(clusters - 1, size=(draws, 1)))


def _centred(x: np.ndarray, meet: Meetings) -> np.ndarray:
    """Shift abilities to sum to zero."""
    abilities = np.arange(meet.parameters) < meet.systems
    return x - abilities * x[:, abilities].mean(1, keepdims=True)


def _refitted(
    counts: Sparse, meet: Meetings, drawn: Penalty, start: np.ndarray, seed: int
) -> np.ndarray:
    """A fit for each draw of the prior, to counts whose clusters have random weights of mean 1."""
    fits, (clusters, cells) = np.empty_like(start), counts.shape
    source = np.random.default_rng([seed, 1])  # the weights do not depend on the chunk
    rows = max(_NUMBERS // max(cells, clusters, meet.parameters**2), 1)
    for low in range(0, len(start), rows):
        now = slice(low, low + rows)
        weight = source.standard_exponential((len(start[now]), clusters))
        weight *= clusters / weight.sum(1, keepdims=True)
        tables = (counts.T @ weight.T).T.reshape(len(weight), 3, -1)
        penalty = Penalty(drawn.centre[now], drawn.precision[now])
        fits[now] = davidson.fit(tables, meet, penalty, start[now])
    return fits


def _penalties(prior: Prior, spreads: np.ndarray, meet: Meetings) -> tuple[Penalty, np.ndarray]:
    """The prior at each spread, and its standard deviations (spread, parameter)."""
    others = [prior.tie, prior.place][: 1 + meet.place]
    centre = np.concatenate([np.zeros(meet.systems), [mean for mean, _ in others]])
    sd = np.empty((len(spreads), meet.parameters))
    sd[:, : meet.systems] = spreads[:, None]
    sd[:, meet.systems :] = [scale for _, scale in others]
    return Penalty(np.tile(centre, (len(spreads), 1)), 1 / sd**2), sd


def _drawn(
    prior: Prior, spreads: np.ndarray, meet: Meetings, random: np.random.Generator
) -> Penalty:
    """Priors whose centres are drawn from them."""
    fixed, sd = _penalties(prior, spreads, meet)
    return Penalty(fixed.centre + sd * random.normal(size=sd.shape), fixed.precision)


def _by_spread(
    total: np.ndarray, meet: Meetings, prior: Prior, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The fit at each of some spreads, the spreads, and their posterior by Laplace's formula."""
    level = (np.arange(_SPREADS) + 0.5) / _SPREADS
    spreads = special.gammaincinv(prior.shape, level) / prior.rate
    penalty, _ = _penalties(prior, spreads, meet)
    tables = np.broadcast_to(total, (_SPREADS, *total.shape[1:]))
    modes = davidson.fit(tables, meet, penalty, start[None])
    _, information = np.linalg.slogdet(davidson.curvature(modes, tables, meet, penalty))
    log = davidson.height(modes, tables, meet, penalty) - information / 2
    log -= meet.systems * np.log(spreads)
    chance = np.exp(log - log.max())
    return modes, spreads, chance / chance.sum()


def _design_effects(
    mode: np.ndarray, counts: Sparse, total: np.ndarray, meet: Meetings, penalty: Penalty
) -> tuple[np.ndarray, float]:
    """Variance of abilities from sums over clusters, over that from single judgments: of each
    system, and of all together, which is 1 at least.
    """
    inverse = np.linalg.inv(davidson.curvature(mode[None], total, meet, penalty)[0])
    moved = (counts @ davidson.slopes(mode, meet)).toarray() @ inverse
    clusters = len(moved)
    moved = (moved - moved.mean(0))[:, : meet.systems]
    together = (moved**2).sum(0) * clusters / (clusters - 1)
    single = np.diag(inverse @ davidson.spread(mode, total[0], meet) @ inverse)[: meet.systems]
    return together / single, max(float(together.sum() / single.sum()), 1.0)

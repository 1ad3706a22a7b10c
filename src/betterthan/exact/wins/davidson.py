"""Paired comparisons: Davidson's abilities, weighted clusters of judgments, and circular triads.

Circular triads of paired comparisons: A beats B, B beats C, C beats A.

Kendall & Babington Smith (1940), On the method of paired comparisons, Biometrika 31, 324-345.

Davidson's abilities by Newton's method: the penalised fits of many weighted tables at once.

win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of abilities and, where
asked, the advantage of the first place. Parameters are the abilities, tie, and that advantage.

Abilities from judgments that come in clusters: random weights of the clusters, and what the
clusters cost.

Weights on clusters are Dirichlet(1, ..., 1), as in the Bayesian bootstrap (Rubin 1981, Annals of
Statistics 9(1), 130-134; with a penalty, Newton, Polson & Xu 2021, Canadian Journal of Statistics
49(2), 421-437). The centre of the prior is drawn anew for each fit: where judgments say nothing,
draws are the prior's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse, special

from betterthan.exact.joint.units import Shares
from betterthan.exact.laplace.judgments import davidson_bent, log_sum, net_and_tied
from betterthan.exact.laplace.nested import Curved, largest


def net_wins(counts: np.ndarray, a: np.ndarray, b: np.ndarray, systems: int) -> np.ndarray:
    """Wins less losses of every ordered pair (draw, system, system), from counts (draw, row,
    outcome).
    """
    wins = np.zeros((len(counts), systems, systems))
    net = (counts[..., 0] - counts[..., 1]).astype(float)
    by_pair = np.moveaxis(wins, 0, -1)  # a view
    np.add.at(by_pair, (a, b), net.T)
    np.add.at(by_pair, (b, a), -net.T)
    return wins


def circular(margins: np.ndarray) -> np.ndarray:
    """Number of circular triads of each of many tables (draw, system, system); even pairs make
    none.

    Examples
    --------
    >>> circular(np.array([[[0, 1, -1], [-1, 0, 2], [1, -2, 0]]]))
    array([1.])
    """
    beats = (margins > 0).astype(float)
    return np.einsum("dij,dji->d", beats @ beats, beats) / 3


_TOLERANCE = 1e-5  # of a step in standard errors; the next step would be about its square


@dataclass(frozen=True)
class Meetings:
    """Which systems meet in a row: each ordered pair once."""

    a: np.ndarray  # (row,) places of the systems
    b: np.ndarray
    systems: int
    place: bool = False  # whether the first has an advantage

    @property
    def parameters(self) -> int:
        """How many there are."""
        return self.systems + 1 + self.place


@dataclass(frozen=True)
class Penalty:
    """Normal priors of the parameters: one for all tables, or one each."""

    centre: np.ndarray  # (table or 1, parameter)
    precision: np.ndarray


def fit(counts: np.ndarray, meet: Meetings, penalty: Penalty, start: np.ndarray) -> np.ndarray:
    """The parameters (table, parameter) where likelihood times prior are largest.

    Parameters
    ----------
    counts : numpy.ndarray, (table, outcome, row)
        Wins, losses and ties, of any weight.
    meet : Meetings
    penalty : Penalty
        Abilities need a precision above 0: the likelihood knows their differences alone.
    start : numpy.ndarray, (table or 1, parameter)

    Raises
    ------
    ValueError
        If a table has no largest value near by.
    """

    def derivatives(x: np.ndarray, tables: np.ndarray) -> Curved:
        return curved(x, counts[tables], meet, _select(penalty, tables))

    first = np.broadcast_to(start, (len(counts), meet.parameters))
    return largest(derivatives, first, _TOLERANCE)[0]


def curved(x: np.ndarray, counts: np.ndarray, meet: Meetings, penalty: Penalty) -> Curved:
    """Log likelihood and log prior (table,), up to a constant, with slope and curvature."""
    likelihood, by_d, by_tie, *second = davidson_bent(np.moveaxis(counts, 1, 0), *_logits(x, meet))
    parts = [_netted(by_d, meet), by_tie.sum(1, keepdims=True)]
    parts += [by_d.sum(1, keepdims=True)] if meet.place else []
    d_d, d_tie, tie_tie = (-part for part in second)
    down, index = _assembled(d_d, d_tie, tie_tie.sum(1), meet), np.arange(meet.parameters)
    down[:, index, index] += penalty.precision
    away = x - penalty.centre
    return Curved(
        likelihood.sum(1) - 0.5 * (penalty.precision * away**2).sum(1),
        np.concatenate(parts, axis=1) - penalty.precision * away,
        down,
    )


def spread(x: np.ndarray, counts: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sum over the judgments of one table, (outcome, row), of the products of slopes: the variance
    of the slope where judgments are independent, (parameter, parameter).
    """
    by_d, by_tie = _slopes(x, meet)
    squares, both, tied = (
        (counts * product).sum(0) for product in (by_d * by_d, by_d * by_tie, by_tie * by_tie)
    )
    return _assembled(squares[None], both[None], tied.sum(keepdims=True), meet)[0]


def slopes(x: np.ndarray, meet: Meetings) -> sparse.csr_array:
    """What one judgment adds to the slope, (outcome and row, parameter), at x (parameter,)."""
    by_d, by_tie = (part.ravel() for part in _slopes(x, meet))
    index = np.arange(by_d.size)
    tie = np.full(index.shape, meet.systems)
    parts = [(by_d, np.tile(meet.a, 3)), (-by_d, np.tile(meet.b, 3)), (by_tie, tie)]
    parts += [(by_d, tie + 1)] if meet.place else []
    values, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array(
        (values, (np.tile(index, len(parts)), columns)), shape=(index.size, meet.parameters)
    )


def _slopes(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """Slopes of each outcome and row, in the difference and in the tie parameter."""
    d, tie = _logits(x[None], meet)
    net, tied = net_and_tied(d, tie, log_sum(d, tie))
    won, tie = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]])[..., None]
    return (won - net) / 2, tie - tied


def _logits(x: np.ndarray, meet: Meetings) -> tuple[np.ndarray, np.ndarray]:
    """Differences (table, row), and tie (table, 1)."""
    d = x[:, meet.a] - x[:, meet.b]
    if meet.place:
        d = d + x[:, meet.systems + 1 :]
    return d, x[:, meet.systems, None]


def _netted(by_d: np.ndarray, meet: Meetings) -> np.ndarray:
    """Sums over rows for each system: of its rows as the first, less those as the second."""
    square = np.zeros((len(by_d), meet.systems, meet.systems))
    square[:, meet.a, meet.b] = by_d
    return square.sum(2) - square.sum(1)


def _assembled(by_d: np.ndarray, both: np.ndarray, tied: np.ndarray, meet: Meetings) -> np.ndarray:
    """Symmetric (table, parameter, parameter) of terms of each row: of its difference, of its
    difference and tie, and (table,) of tie.
    """
    n = meet.systems
    matrix = np.zeros((len(by_d), meet.parameters, meet.parameters))
    matrix[:, meet.a, meet.b] = -by_d
    matrix[:, :n, :n] += matrix[:, :n, :n].swapaxes(1, 2)
    index = np.arange(n)
    matrix[:, index, index] = -matrix[:, :n, :n].sum(2)
    borders = [(n, _netted(both, meet), tied)]
    if meet.place:
        total = by_d.sum(1)
        borders.append((n + 1, np.column_stack([_netted(by_d, meet), both.sum(1)]), total))
    for place, border, corner in borders:
        matrix[:, place, :place] = matrix[:, :place, place] = border
        matrix[:, place, place] = corner
    return matrix


def _select(penalty: Penalty, tables: np.ndarray) -> Penalty:
    """The penalty of some tables."""
    arrays = (penalty.centre, penalty.precision)
    return Penalty(*(part if len(part) == 1 else part[tables] for part in arrays))


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
    mean over K clusters that makes Student's t with K - 1 degrees of freedom of the draws. Clusters
    with shares w have the degrees of freedom of `Shares`, and their variance is divided by what it
    is of that of clusters that vary alike: sum w^2 (1 - 2 w + Q) / Q with Q = sum w^2.
    """
    random, table = np.random.default_rng([seed, 0]), counts.tocoo()
    clusters, cells = (int(k) for k in table.shape)
    total = np.bincount(table.coords[1], table.data, cells).reshape(1, 3, -1)
    fixed, _ = _penalties(prior, np.array([prior.shape / prior.rate]), meet)
    mode = fit(total, meet, fixed, fixed.centre)[0]
    effects, overall = _design_effects(mode, counts, total, meet, fixed)
    modes, spreads, chance = _by_spread(total / overall, meet, prior, mode)
    chosen = random.choice(len(spreads), size=draws, p=chance)
    around, sd = _penalties(prior, spreads[chosen], meet)
    drawn = Penalty(around.centre + sd * random.normal(size=sd.shape), around.precision)
    drawn_parameters = _refitted(counts / overall, meet, drawn, modes[chosen], seed)
    shares = Shares.from_sizes(np.bincount(table.coords[0], table.data, clusters)[:, None])
    squares = shares.share**2
    part = (squares * (1 - 2 * shares.share + squares.sum())).sum() / squares.sum()
    freedom = float(shares.df[0])
    wider = np.sqrt((1 + 1 / clusters) / part * freedom / random.chisquare(freedom, (draws, 1)))
    drawn_parameters = modes[chosen] + wider * (drawn_parameters - modes[chosen])
    return Weighed(_centred(drawn_parameters, meet), effects, overall, clusters)


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
        fits[now] = fit(tables, meet, penalty, start[now])
    return fits


def _penalties(prior: Prior, spreads: np.ndarray, meet: Meetings) -> tuple[Penalty, np.ndarray]:
    """The prior at each spread, and its standard deviations (spread, parameter)."""
    others = [prior.tie, prior.place][: 1 + meet.place]
    centre = np.concatenate([np.zeros(meet.systems), [mean for mean, _ in others]])
    sd = np.empty((len(spreads), meet.parameters))
    sd[:, : meet.systems] = spreads[:, None]
    sd[:, meet.systems :] = [scale for _, scale in others]
    return Penalty(np.tile(centre, (len(spreads), 1)), 1 / sd**2), sd


def _by_spread(
    total: np.ndarray, meet: Meetings, prior: Prior, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The fit at each of some spreads, the spreads, and their posterior by Laplace's formula."""
    level = (np.arange(_SPREADS) + 0.5) / _SPREADS
    spreads = special.gammaincinv(prior.shape, level) / prior.rate
    penalty, _ = _penalties(prior, spreads, meet)
    tables = np.broadcast_to(total, (_SPREADS, *total.shape[1:]))
    modes = fit(tables, meet, penalty, start[None])
    at_modes = curved(modes, tables, meet, penalty)
    log = at_modes.height - np.linalg.slogdet(at_modes.down)[1] / 2
    log -= meet.systems * np.log(spreads)
    chance = np.exp(log - log.max())
    return modes, spreads, chance / chance.sum()


def _design_effects(
    mode: np.ndarray, counts: Sparse, total: np.ndarray, meet: Meetings, penalty: Penalty
) -> tuple[np.ndarray, float]:
    """Variance of abilities from sums over clusters, over that from single judgments: of each
    system, and of all together, which is 1 at least.
    """
    inverse = np.linalg.inv(curved(mode[None], total, meet, penalty).down[0])
    moved = (counts @ slopes(mode, meet)).toarray() @ inverse
    clusters = len(moved)
    moved = (moved - moved.mean(0))[:, : meet.systems]
    together = (moved**2).sum(0) * clusters / (clusters - 1)
    single = np.diag(inverse @ spread(mode, total[0], meet) @ inverse)[: meet.systems]
    return together / single, max(float(together.sum() / single.sum()), 1.0)

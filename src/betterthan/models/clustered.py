"""Items that come in clusters: translations of one text, turns of one dialogue, repeated runs.

Question
--------
Is A better than B when the items of a cluster are correlated?

Model
-----
For each pair of systems by itself

    non-tied items of cluster c ~ Binomial(n_c, s_c),    s_c ~ Beta(mean s, correlation decisive)
    wins among them ~ Binomial(non-tied_c, p_c),         p_c ~ Beta(mean p, correlation win)

s_c and p_c are integrated out. A is better when `p > 1/2`. Over the population of clusters the
difference of probabilities is s (2 p - 1). Both correlations together give the correlation of the
outcomes of two items of a cluster, and from it the design effect.

Priors
------
(win, loss, tie) of the population ~ Dirichlet(1, 1, 1), that is p ~ Beta(1, 1) and s ~ Beta(2, 1).
Both correlations ~ Beta(0.3, 0.2). This is U-shaped: items of a cluster may be all but independent,
or, as repeated runs of one item, all but the same. The first takes an array with one prior for each
pair or a PyMC distribution.

When it misleads
----------------
- Each pair has two correlations, which are the same in all clusters. Outcomes are taken as
  unrelated to the size of the cluster, and p_c as unrelated to s_c.
- A few clusters show little of how much clusters differ. Below ten the prior counts, and below five
  it costs more than a third of the power.
- With repeated runs, each run of A meets each run of B. Pairs that share a run are more correlated
  than the model assumes. With clusters of one size the answer is about right.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.counts.shapes import probability_like, without_attrs
from betterthan.exact.laplace import tables
from betterthan.exact.laplace.nested import Drawn
from betterthan.exact.laplace.tables import Alike, Shares
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins import clusters
from betterthan.exact.wins.clusters import log_gamma_beyond
from betterthan.models import importance, likelihood_data, priors
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented
from betterthan.models.importance import Values, Variable
from betterthan.models.likelihood_data import CLUSTER, Groups
from betterthan.models.priors import Prior
from betterthan.models.sampling import held

if TYPE_CHECKING:
    import pymc as pm

_CELL = (CLUSTER, names.PAIR, names.OUTCOME)
CORRELATIONS = ("win_correlation", "decisive_correlation")


def simulate(
    count: int, *, size: int = 4, pairs: int = 1, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Simulate true values from the prior, and counts of every cluster from these.

    Parameters
    ----------
    count : int
        Number of clusters.
    size : int, default 4
        Number of items in each cluster.
    pairs : int, default 1
        Number of pairs of systems.
    prior : str or sequence of three float, optional
        Dirichlet parameters of the mean of (win, loss, tie).
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``counts`` (cluster, pair, outcome), and the true values: ``p``, ``s``, ``win_correlation``,
        ``decisive_correlation``, and ``difference`` (pair).

    Raises
    ------
    ValueError
        If a number is not whole or too small, or the prior is not valid.

    Examples
    --------
    >>> simulate(10, size=5, rng=1)["counts"].sum(("cluster", "outcome")).item()
    50
    """
    checks.whole(count, "count", 2)
    checks.whole(size, "size")
    numbers, shape = checks.prior(prior), checks.whole(pairs, "pairs")
    random = np.random.default_rng(one_seed(rng))
    win, loss, tie = numbers
    p, s = random.beta(win, loss, shape), random.beta(win + loss, tie, shape)
    rho = random.beta(*clusters.CORRELATION, size=(2, shape))
    truth = {"p": p, "s": s} | dict(zip(CORRELATIONS, rho, strict=True))
    truth = truth | {"difference": s * (2 * p - 1)}
    p_c, s_c = (
        clusters.draw_shares(truth[mean], truth[rho], count, random)
        for mean, rho in zip(("p", "s"), CORRELATIONS, strict=True)
    )
    decisive = random.binomial(size, s_c)
    wins = random.binomial(decisive, p_c)
    values = np.stack([wins, decisive - wins, size - decisive], axis=-1)
    return xr.Dataset(
        {"counts": (_CELL, values)} | {k: (names.PAIR, v) for k, v in truth.items()},
        coords=likelihood_data.simulated(shape)
        | {names.OUTCOME: list(names.OUTCOMES), CLUSTER: [f"c{k}" for k in range(count)]},
    )


describe = describer(__name__)


def build(
    counts: xr.DataArray, *, prior: Any = None, correlation: float | None = None
) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts with dims (system_a, system_b, outcome) or (pair, outcome), with ties, and
        ``cluster``; see `betterthan.count`.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of the mean of (win, loss, tie). An array has a row for each pair, in
        the order of `counts.to_pairs` or by its labels. A PyMC distribution, such as
        ``pm.Dirichlet.dist(a=[2, 2, 1])``, is the prior of each pair. If a parameter of it has a
        distribution, that parameter is shared by all pairs, so they learn from each other.
    correlation : float, optional
        Fixed value of both correlations; near 0 items are independent. Default: they are estimated.

    Returns
    -------
    pymc.Model
        ``p``, ``s``, and, unless fixed, ``win_correlation`` and ``decisive_correlation`` (pair).
        Observed ``y`` (cluster, pair, outcome).

    Raises
    ------
    ValueError
        If the data are not counts of several clusters, ties are unknown, there are too many pairs,
        or an argument is not valid.
    """
    from betterthan.libraries import pm

    data = likelihood_data.by_cluster(counts)
    pair_prior = Prior.parse(prior, data.pairs)
    with pm.Model(coords=likelihood_data.coords(data.pairs) | data.levels) as model:
        likelihood_data.name_systems(model, data.pairs)
        theta = _theta(pair_prior)
        observed = pm.Data("counts", data.values, dims=_CELL)
        n = pm.math.sum(observed, axis=-1)
        pm.CustomDist(
            "y",
            n,
            theta,
            *_concentrations(correlation),
            logp=_log_probability(data.values),
            random=_random_counts,
            signature="(),(k),(),()->(k)",
            observed=observed,
            dims=_CELL,
            dtype="int64",
        )
    return model


@documented()
def fit(
    counts: xr.DataArray,
    *,
    prior: Any = None,
    correlation: float | None = None,
    sampler: str | None = None,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of all pairs, by importance sampling or with PyMC.

    Parameters
    ----------
    counts, prior, correlation
        See `build`.
    sampler : {"laplace", "nuts"} or None
        ``laplace``: importance sampling from an approximation of the posterior, resampled to draws
        of equal weight, in seconds. ``nuts``: PyMC. Default: ``laplace``, and NUTS with a warning
        if the weights of a pair are not reliable (k-hat above 0.7), or the prior is an array or a
        PyMC distribution.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw, pair): the variables of `build`; ``theta`` (also
        outcome) and ``difference`` of the population of clusters; ``correlation`` of the outcomes
        (1, 0, -1) of two items of a cluster; and ``design_effect``, the variance relative to as
        many independent items. The counts are in group constant_data. For ``laplace``,
        ``posterior.attrs`` hold ``pareto_k`` (k-hat) and ``weights_ess`` (effective number of
        draws) of the worst pair, and ``proposed``. Pass it to `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid, or if the weights are not
        reliable with ``sampler="laplace"``.

    See Also
    --------
    closed_form : The same result without sampling.
    """
    run = Run.from_options(options)
    data = likelihood_data.by_cluster(counts)
    pair_prior = Prior.parse(prior, data.pairs)
    attrs: dict[str, Any] = {
        "model": "clustered",
        "prior": pair_prior.recorded,
        "square": int(data.square),
    }
    if correlation is not None:
        attrs["correlation"] = correlation
        checks.probability(correlation, "correlation")
    weighted = pair_prior.weighted
    posterior = Clusters(data.values, pair_prior.columns(), correlation) if weighted else None
    builder = partial(build, counts, prior=prior, correlation=correlation)
    tree = importance.fit_groups(posterior, data, pair_prior, builder, attrs, sampler, run)
    posterior = tree["posterior"].to_dataset()
    added = _population(posterior, data, correlation or 0.0)
    tree["posterior"] = posterior.assign({k: without_attrs(v) for k, v in added.items()})
    constant = {"counts": (_CELL, data.values)} | pair_prior.constant_data
    tree["constant_data"] = xr.Dataset(constant, coords=data.coords)
    return tree


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """Compute P(A better) by quadrature over p and its correlation.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts by cluster; see `build`.
    prior : str, sequence of three float or array, optional
        Dirichlet parameters of the mean of (win, loss, tie).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,)
        Probabilities that A is better.

    Raises
    ------
    ValueError
        For the reasons of `build`.

    Examples
    --------
    >>> counts = simulate(10, size=5, rng=1)["counts"]
    >>> alone = closed_form(counts.where(counts > 9, 0))  # no example at all: the prior
    >>> round(alone.item(), 6)
    0.5
    """
    data = likelihood_data.by_cluster(counts)
    win, loss, _ = Prior.parse(prior, data.pairs).columns()
    by_pair = np.broadcast_arrays(win, loss, np.arange(data.values.shape[1]))
    both = [
        clusters.prob_above_half(data.values[:, k, 0], data.values[:, k, 1], a, b)
        for a, b, k in zip(*by_pair, strict=True)
    ]
    better, worse = np.array(both).reshape(-1, 2).T
    return probability_like(data.pairs, better, worse, data.square)


def _theta(prior: Prior) -> Any:
    """Mean of (win, loss, tie) of each pair, and ``p`` and ``s``, from which it follows or which
    follow from it.
    """
    from betterthan.libraries import pm

    if prior.numbers is None:
        theta = prior.simplex("theta")
        decisive = pm.Deterministic("s", theta[:, 0] + theta[:, 1], dims=names.PAIR)
        pm.Deterministic("p", theta[:, 0] / decisive, dims=names.PAIR)
        return theta
    win, loss, tie = prior.by_outcome()
    p = pm.Beta("p", win, loss, dims=names.PAIR)
    s = pm.Beta("s", win + loss, tie, dims=names.PAIR)
    parts: Any = pm.math.stack([s * p, s * (1 - p), 1 - s], axis=-1)
    return pm.Deterministic("theta", parts, dims=_CELL[1:])


def _concentrations(correlation: float | None) -> list[Any]:
    """Kappa of the wins and of the decisive examples of a cluster."""
    if correlation is not None:
        return [1 / checks.probability(correlation, "correlation") - 1] * 2
    return [priors.alike(k, *clusters.CORRELATION, names.PAIR) for k in CORRELATIONS]


def _population(posterior: xr.Dataset, data: Groups, correlation: float) -> dict[str, xr.DataArray]:
    """What follows for the population of clusters; `correlation` is the one that was held, if
    any.
    """
    held = xr.zeros_like(posterior["p"]) + correlation
    p, s, win, decisive = (posterior.get(k, held) for k in ("p", "s", *CORRELATIONS))
    rho = clusters.outcome_correlation(p, s, win, decisive)
    n = data.values.sum(-1)
    with np.errstate(invalid="ignore"):
        sizes = (n**2).sum(0) / n.sum(0)  # of the cluster of an example
    size = xr.DataArray(sizes, dims=names.PAIR, coords={names.PAIR: posterior[names.PAIR]})
    return {
        "difference": s * (2 * p - 1),
        "correlation": rho,
        "design_effect": 1 + rho * (size.fillna(1.0) - 1),
    }


def _log_probability(values: np.ndarray) -> Callable[..., Any]:
    """A function from counts and parameters to the log probability of each cluster of each pair."""
    rising, pairs = _rising(values), values.shape[1]
    # in how many orders the data could have come: a constant, computed once
    constant = held("orders", clusters.log_orders(values))

    def log_probability(counts: Any, n: Any, theta: Any, win: Any, decisive: Any) -> Any:
        wins, losses, ties = (counts[..., k] for k in range(3))
        theta, win, decisive = (
            _pair_parameter(z, pairs, d) for z, d in ((theta, 2), (win, 1), (decisive, 1))
        )
        s: Any = theta[:, 0] + theta[:, 1]
        p = theta[:, 0] / s
        won = _beta_binomial(rising, wins, losses, p, win)
        return constant + won + _beta_binomial(rising, wins + losses, ties, s, decisive)

    return log_probability


def _random_counts(
    n: Any, theta: Any, win: Any, decisive: Any, rng: Any = None, size: Any = None
) -> np.ndarray:
    """Counts of clusters."""
    s = theta[..., 0] + theta[..., 1]
    p = theta[..., 0] / s
    some = rng.binomial(n, rng.beta(s * decisive, (1 - s) * decisive, size=size))
    wins = rng.binomial(some, rng.beta(p * win, (1 - p) * win, size=size))
    return np.stack([wins, some - wins, n - some], axis=-1)


def _rising(values: np.ndarray) -> Callable[..., Any]:
    """A function from x (pair) and k (cluster, pair) to log (x (x + 1) ... (x + k - 1)).

    It looks them up in a table of each pair: clusters are many, sizes and parameters few.
    """
    import pytensor.tensor as pt

    largest, pairs = int(values.sum(-1).max(initial=0)), values.shape[1]
    steps = held("steps", np.arange(largest, dtype=float))
    start = held("start", np.arange(pairs) * (largest + 1))

    def rising(x: Any, k: Any) -> Any:
        logs: Any = pt.log(x[:, None] + steps)
        table: Any = pt.concatenate([pt.zeros((pairs, 1)), pt.cumsum(logs, axis=1)], axis=1)
        index = pt.cast(k + start, "int64")
        return table.flatten()[index.flatten()].reshape(index.shape)

    return rising


def _beta_binomial(rising: Callable[..., Any], k: Any, others: Any, mean: Any, kappa: Any) -> Any:
    """Log B(k + kappa mean, others + kappa (1 - mean)) / B(kappa mean, kappa (1 - mean)): the log
    probability of k of k + others, without the binomial coefficient.
    """
    return rising(kappa * mean, k) + rising(kappa * (1 - mean), others) - rising(kappa, k + others)


def _pair_parameter(parameter: Any, pairs: int, dims: int) -> Any:
    """A parameter without the broadcast over clusters."""
    import pytensor.tensor as pt

    while parameter.ndim > dims:
        parameter = parameter[0]
    if dims == 1:
        return pt.broadcast_to(parameter, (pairs,))
    return pt.broadcast_to(parameter, (pairs, 3))


@dataclass(frozen=True)
class Clusters:
    """Counts of clusters and their prior; the parameters are log odds of p of every pair and then
    of s, the spreads how alike clusters are, in the same order.
    """

    values: np.ndarray  # (cluster, pair, outcome)
    prior: tuple[float, ...]  # of win, loss and tie
    correlation: float | None  # where it is held

    @property
    def priors(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Beta priors of p and s."""
        win, loss, tie = self.prior
        return (win, loss), (win + loss, tie)

    @property
    def alike(self) -> Alike:
        """How alike clusters are."""
        held = None if self.correlation is None else 1 / self.correlation - 1
        return Alike(clusters.CORRELATION, clusters.STRETCH, held)

    @property
    def shares(self) -> tuple[Shares, Shares]:
        """Wins of the non-tied items, and non-tied items of all items."""
        win, loss, tie = np.moveaxis(self.values, -1, 0)
        first, second = self.priors
        return (
            Shares.from_counts(win, loss, first, self.alike),
            Shares.from_counts(win + loss, tie, second, self.alike),
        )

    def draws(self, number: int, random: np.random.Generator) -> Drawn:
        """Of equal weight; k-hat and what they are worth are those of the worst pair."""
        both = [tables.draws(half, number, random) for half in self.shares]
        return Drawn(
            v=np.hstack([half.r for half in both]),
            x=np.hstack([half.x[..., 0] for half in both]),
            k_hat=float(max(half.k_hat.max() for half in both)),
            effective=float(min(half.effective.min() for half in both)),
            proposed=max(half.proposed for half in both),
        )

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of correlations and shares, (draw, half and pair)."""
        size = number, self.values.shape[1]
        odds = [priors.draw_log_odds(*prior, random, size) for prior in self.priors]
        alike = priors.draw_log_odds(*clusters.CORRELATION, random, (number, 2 * size[1]))
        return np.arcsinh(alike / clusters.STRETCH), np.hstack(odds)

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihood of each cluster of each pair, (draw, cluster, pair)."""
        win, loss, tie = np.moveaxis(self.values, -1, 0)
        parts = [(win, loss), (win + loss, tie)]
        halves = zip(parts, self.shares, np.hsplit(x, 2), np.hsplit(v, 2), strict=True)
        log_density = sum(
            _pointwise(*counts, t, half.alike.kappa(r)) for counts, half, t, r in halves
        )
        return log_density + clusters.log_orders(self.values)

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw."""
        (p, s), (q, tie) = (np.split(special.expit(sign * x), 2, axis=1) for sign in (1, -1))
        theta = np.stack([s * p, s * q, tie], axis=-1)
        variables: dict[str, Variable] = {
            "p": (_CELL[1:2], p),
            "s": (_CELL[1:2], s),
            "theta": (_CELL[1:], theta),
        }
        if self.correlation is None:
            for name, raw in zip(CORRELATIONS, np.hsplit(v, 2), strict=True):
                variables[f"{name}_raw"] = (_CELL[1:2], raw)
                variables[name] = (_CELL[1:2], special.expit(self.alike.logit(raw)))
        return variables

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of shares, and of the coordinates of correlations, of each draw."""
        shares = zip(("p", "s"), self.priors, strict=True)
        densities = {name: importance.beta(values[name], *prior) for name, prior in shares}
        raw = [f"{k}_raw" for k in CORRELATIONS] if self.correlation is None else []
        return densities | {name: self.alike.log_prior(values[name]) for name in raw}

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated counts of clusters, (draw, cluster, pair, outcome)."""
        n = self.values.sum(-1)
        alike = [values[k] if k in values else np.array(self.correlation) for k in CORRELATIONS]
        share = [
            clusters.draw_shares(values[mean], correlation, len(n), random)
            for mean, correlation in zip(("p", "s"), alike, strict=True)
        ]
        some = random.binomial(n, share[1])
        wins = random.binomial(some, share[0])
        return np.stack([wins, some - wins, n - some], axis=-1)


def _pointwise(k: np.ndarray, others: np.ndarray, t: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    """Beta-binomial log probability of k and others (cluster, pair), without the binomial
    coefficient, (draw, cluster, pair), at log odds t of its mean and kappa, (draw, pair).
    """
    log_density = np.zeros((len(t), *k.shape))
    p, q = special.expit(t), special.expit(-t)
    for count, other in np.unique(np.stack([k, others], axis=-1).reshape(-1, 2), axis=0):
        cluster, pair = ((k == count) & (others == other)).nonzero()
        some, back = np.unique(pair, return_inverse=True)
        log = count * special.log_expit(t[:, some]) + other * special.log_expit(-t[:, some])
        log += log_gamma_beyond((p * kappa)[:, some], count)
        log += log_gamma_beyond((q * kappa)[:, some], other)
        log -= log_gamma_beyond(kappa[:, some], count + other)
        log_density[:, cluster, pair] = log[:, back]
    return log_density

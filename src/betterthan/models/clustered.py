"""Examples that come in clusters: translations of one item, turns of one dialogue, repeated runs.

Of cluster c, A and B differ on s_c of the examples, and of these A wins p_c. Both vary over
clusters as Beta variables: p_c with mean p and correlation `win`, s_c with mean s and correlation
`decisive`; both are integrated out.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.counts.pairing import as_pairs, probability_as_given
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.wins import clusters
from betterthan.models import of_pairs, simplex
from betterthan.models.sampling import Sampling, fit_model

if TYPE_CHECKING:
    import pymc as pm

_CELL = ("cluster", names.PAIR, names.OUTCOME)


def simulate(
    count: int, *, size: int = 4, pairs: int = 1, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Draw the truth from the prior, and counts of every cluster from the truth.

    Parameters
    ----------
    count : int
        Clusters.
    size : int, default 4
        Examples of each cluster.
    pairs : int, default 1
    prior : str or sequence of three float, optional
        Dirichlet parameters of the mean of (win, loss, tie).
    rng : int, numpy.random.Generator or None

    Returns
    -------
    xarray.Dataset
        ``counts`` (cluster, pair, outcome), and the truth: ``p``, ``s``, ``win_correlation``,
        ``decisive_correlation`` and ``difference`` (pair).

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
    win, loss, tie = checks.prior(prior)
    random = np.random.default_rng(one_seed(rng))
    shape = checks.whole(pairs, "pairs")
    p, s = random.beta(win, loss, shape), random.beta(win + loss, tie, shape)
    rho = random.beta(*clusters.CORRELATION, size=(2, shape))
    p_c, s_c = (clusters.draw_shares(m, r, count, random) for m, r in ((p, rho[0]), (s, rho[1])))
    decisive = random.binomial(size, s_c)
    wins = random.binomial(decisive, p_c)
    values = np.stack([wins, decisive - wins, size - decisive], axis=-1)
    return xr.Dataset(
        {
            "counts": (_CELL, values),
            "p": (names.PAIR, p),
            "s": (names.PAIR, s),
            "win_correlation": (names.PAIR, rho[0]),
            "decisive_correlation": (names.PAIR, rho[1]),
            "difference": (names.PAIR, s * (2 * p - 1)),
        },
        coords=of_pairs.simulated(shape)
        | {names.OUTCOME: list(names.OUTCOMES), "cluster": [f"c{k}" for k in range(count)]},
    )


def build(
    counts: xr.DataArray, *, prior: Any = None, correlation: float | None = None
) -> "pm.Model":
    """The PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray
        Dims (system_a, system_b, outcome) or (pair, outcome), with ties, and ``cluster``: see
        `betterthan.count`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of the mean of (win, loss, tie).
    correlation : float, optional
        Holds both correlations: near 0 examples are independent. Default: they are estimated.

    Returns
    -------
    pymc.Model
        ``p``, ``s``, and unless held ``win_correlation`` and ``decisive_correlation`` (pair).
        Observed ``y`` (cluster, pair, outcome).

    Raises
    ------
    ValueError
        If the counts are no counts of several clusters, ties are unknown, there are too many pairs,
        or an argument is not valid.
    """
    import pymc as pm

    values, pairs, _, labels = _clusters(counts)
    win, loss, tie = checks.prior(prior)
    with pm.Model(coords=of_pairs.coords(pairs) | {"cluster": labels}) as model:
        p, s = (
            pm.Beta("p", win, loss, dims=names.PAIR),
            pm.Beta("s", win + loss, tie, dims=names.PAIR),
        )
        kappa = []
        for name in ("win_correlation", "decisive_correlation"):
            if correlation is None:
                rho: Any = pm.Beta(name, *clusters.CORRELATION, dims=names.PAIR)
                kappa.append(simplex.concentration(rho))
            else:
                kappa.append(1 / checks.probability(correlation, "correlation") - 1)
        observed = pm.Data("counts", values, dims=_CELL)
        n = pm.math.sum(observed, axis=-1)
        parts: Any = pm.math.stack([s * p, s * (1 - p), 1 - s], axis=-1)
        theta = pm.Deterministic("theta", parts, dims=_CELL[1:])
        pm.CustomDist(
            "y",
            n,
            theta,
            *kappa,
            logp=_log_probability(values),
            random=_random,
            signature="(),(k),(),()->(k)",
            observed=observed,
            dims=_CELL,
            dtype="int64",
        )
    return model


def fit(
    counts: xr.DataArray,
    *,
    prior: Any = None,
    correlation: float | None = None,
    sampling: Sampling = Sampling(),
    rng: Any = None,
    predictive: bool = True,
) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts, prior, correlation
        See `build`.
    sampling : Sampling, optional
        How many draws and chains; its ``target_accept`` is 0.9 here unless given.
    rng : int, numpy.random.Generator or None
        The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
        draws.
    predictive : bool, default True
        Whether to add the groups prior, prior_predictive, posterior_predictive and log_likelihood.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw, pair): the variables of `build`, ``theta`` (also
        outcome) and ``difference`` of the population of clusters, ``correlation`` of the outcomes
        (1, 0, -1) of two examples of a cluster, and ``design_effect``: how many times the variance
        is that of as many independent examples. The counts are in group constant_data. For
        `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        As `build`, or if an argument is not valid.

    See Also
    --------
    closed_form : the same answer without sampling.
    """
    values, pairs, square, labels = _clusters(counts)
    attrs: dict[str, Any] = {
        "model": "clustered",
        "prior": list(checks.prior(prior)),
        "square": int(square),
    }
    if correlation is not None:
        attrs["correlation"] = correlation
    model = build(counts, prior=prior, correlation=correlation)
    tree = fit_model(
        model,
        attrs,
        sampling,
        pairs=pairs,
        rng=rng,
        predictive=predictive,
    )
    posterior = tree["posterior"].to_dataset()
    held = xr.zeros_like(posterior["p"]) + (correlation or 0.0)
    p, s, win, decisive = (
        posterior.get(k, held) for k in ("p", "s", "win_correlation", "decisive_correlation")
    )
    rho = clusters.outcome_correlation(p, s, win, decisive)
    n = values.sum(-1)
    with np.errstate(invalid="ignore"):
        larger = xr.DataArray(
            (n**2).sum(0) / n.sum(0), dims=names.PAIR, coords={names.PAIR: posterior[names.PAIR]}
        )
    added = {
        "difference": s * (2 * p - 1),
        "correlation": rho,
        "design_effect": 1 + rho * (larger.fillna(1.0) - 1),
    }
    tree["posterior"] = posterior.assign({k: v.drop_attrs() for k, v in added.items()})
    coords = {k: pairs[k] for k in (names.PAIR, names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)}
    tree["constant_data"] = xr.Dataset(
        {"counts": (_CELL, values)}, coords=coords | {"cluster": labels}
    )
    return tree


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """P(A better) by quadrature over p and its correlation.

    Parameters
    ----------
    counts : xarray.DataArray
        As for `build`.
    prior : str or sequence of three float, optional
        Dirichlet parameters of the mean of (win, loss, tie).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,)

    Raises
    ------
    ValueError
        As `build`.

    Examples
    --------
    >>> counts = simulate(10, size=5, rng=1)["counts"]
    >>> alone = closed_form(counts.where(counts > 9, 0))  # no example at all: the prior
    >>> round(alone.item(), 6)
    0.5
    """
    values, pairs, square, _ = _clusters(counts)
    win, loss, _ = checks.prior(prior)
    both = [
        clusters.prob_above_half(values[:, k, 0], values[:, k, 1], win, loss)
        for k in range(values.shape[1])
    ]
    better, worse = np.array(both).reshape(-1, 2).T
    return probability_as_given(pairs, better, worse, square)


def _clusters(counts: xr.DataArray) -> tuple[np.ndarray, xr.DataArray, bool, list[str]]:
    """Counts (cluster, pair, outcome), the pairs, whether they came as a square, and the clusters'
    names.
    """
    counts = schemas.counts(counts)
    schemas.ties_known(counts, "a model of clusters")
    if "cluster" not in counts.dims:
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give a dim 'cluster': see "
            f"count_clusters"
        )
    if counts.sizes["cluster"] < 2:
        raise ValueError(
            "there is 1 cluster; how much clusters differ is seen from two on: pool it, or give "
            "more"
        )
    names_of = (
        counts["cluster"].values
        if "cluster" in counts.coords
        else np.arange(counts.sizes["cluster"])
    )
    pairs, square = of_pairs.to_fit(counts.sum("cluster", keep_attrs=True))
    counts = counts.transpose("cluster", ...)
    each = [
        as_pairs(counts.isel({"cluster": k}, drop=True))[0].values for k in range(len(names_of))
    ]
    values = np.stack(each)
    if values.shape[-1] != 3:
        raise ValueError(
            "a model of clusters needs win, loss and tie; keep ties as a third outcome"
        )
    return values, pairs, square, [str(v) for v in names_of]


def _log_probability(values: np.ndarray) -> Any:
    """A function from counts and parameters to the log probability of each cluster of each pair.

    It looks up log (x (x + 1) ... (x + k - 1)) in a table of each pair: clusters are many, sizes
    and parameters few.
    """
    import pytensor.tensor as pt

    largest, pairs = int(values.sum(-1).max(initial=0)), values.shape[1]
    steps = np.arange(largest, dtype=float)
    # in how many orders the data could have come: a constant, computed once
    choices = special.gammaln(values.sum(-1) + 1) - special.gammaln(values + 1).sum(-1)
    start = np.arange(pairs) * (largest + 1)

    def rising(x: Any, k: Any) -> Any:
        logs: Any = pt.log(x[:, None] + steps)
        table: Any = pt.concatenate([pt.zeros((pairs, 1)), pt.cumsum(logs, axis=1)], axis=1)
        at = pt.cast(k + start, "int64")
        return table.flatten()[at.flatten()].reshape(at.shape)

    def beta_binomial(k: Any, rest: Any, mean: Any, kappa: Any) -> Any:
        # up to the number of orders: B(k + kappa mean, rest + kappa (1 - mean)) / B(kappa mean,
        # kappa (1 - mean))
        return rising(kappa * mean, k) + rising(kappa * (1 - mean), rest) - rising(kappa, k + rest)

    def log_probability(counts: Any, n: Any, theta: Any, win: Any, decisive: Any) -> Any:
        wins, losses, ties = (counts[..., k] for k in range(3))
        theta, win, decisive = (
            _of_pair(z, pairs, d) for z, d in ((theta, 2), (win, 1), (decisive, 1))
        )
        s: Any = theta[:, 0] + theta[:, 1]
        p = theta[:, 0] / s
        return (
            choices
            + beta_binomial(wins, losses, p, win)
            + beta_binomial(wins + losses, ties, s, decisive)
        )

    return log_probability


def _of_pair(parameter: Any, pairs: int, dims: int) -> Any:
    """A parameter as it was before it was broadcast over clusters."""
    import pytensor.tensor as pt

    while parameter.ndim > dims:
        parameter = parameter[0]
    if dims == 1:
        return pt.broadcast_to(parameter, (pairs,))
    return pt.broadcast_to(parameter, (pairs, 3))


def _random(
    n: Any, theta: Any, win: Any, decisive: Any, rng: Any = None, size: Any = None
) -> np.ndarray:
    s = theta[..., 0] + theta[..., 1]
    p = theta[..., 0] / s
    some = rng.binomial(n, rng.beta(s * decisive, (1 - s) * decisive, size=size))
    wins = rng.binomial(some, rng.beta(p * win, (1 - p) * win, size=size))
    return np.stack([wins, some - wins, n - some], axis=-1)

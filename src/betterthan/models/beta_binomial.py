"""Wins among the items that are not ties are binomial, their probability Beta.

Question
--------
Does A win more than half of the items on which the two systems differ? The model needs wins and
losses only. Use it where a paper prints no ties.

Model
-----
For each pair of systems, with n = wins + losses

    wins ~ Binomial(n, p)
    p ~ Beta(a_win, a_loss)

A is better when `p > 1/2`. All pairs are sampled at once over the dim `pair`; they share no
parameter.

Priors
------
The default is Beta(1, 1): every p is equally likely. From a prior of three numbers (win, loss, tie)
the model uses the first two. P(A better) is then the same as under `dirichlet_multinomial`. An
array has one prior for each pair, and a PyMC distribution is accepted too.

When it misleads
----------------
- It shows who is better, never by how much. Without ties there is no difference of probabilities
  and no ROPE, and both raise an error. 12 wins to 2 losses give the same answer among 14 items as
  among 14,000.
- Items that are not independent, and several pairs on one test set: as for
  `dirichlet_multinomial`.
- With a prior near zero and no win on one side, p rounds to exactly 1. Transitions diverge and the
  draws are wrong: with prior 0.01 and no items, 0.23 where the truth is 0.50. The convergence
  checks refuse such a fit. Use the closed form.
- `arviz.loo` would leave out a whole pair, not an item. It does not compare systems.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import as_pairs, probability_like
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins.beta import prob_above_half
from betterthan.models import likelihood_data
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.priors import Prior

if TYPE_CHECKING:
    import pymc as pm


def simulate(
    n: int | Sequence[int], *, pairs: int = 1, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Simulate true values from the prior, and counts from these.

    Parameters
    ----------
    n : int or sequence of int
        Number of non-tied items of each pair.
    pairs : int, default 1
        Number of pairs of systems.
    prior : str or sequence of two float, optional
        Beta parameters of win and loss.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``p`` (pair) and ``counts`` (pair, outcome) of win and loss.

    Raises
    ------
    ValueError
        If n is negative, pairs is not positive, or the prior is not valid.

    Examples
    --------
    >>> simulate(40, pairs=2, rng=1)["counts"].sum("outcome").values.tolist()
    [40, 40]
    """
    numbers = checks.prior(prior, 2)
    size = likelihood_data.sizes(n, pairs)
    random = np.random.default_rng(one_seed(rng))
    p = random.beta(*numbers, size=pairs)
    wins = random.binomial(size, p)
    return xr.Dataset(
        {
            "p": (names.PAIR, p),
            "counts": ((names.PAIR, names.OUTCOME), np.stack([wins, size - wins], axis=-1)),
        },
        coords=likelihood_data.simulated(pairs) | {names.OUTCOME: list(names.DECISIVE)},
    )


describe = describer(__name__)


def build(counts: xr.DataArray, *, prior: Any = None) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts; ties are left out. The posterior of a pair without items is the prior.
    prior : str, sequence of two or three float, array or PyMC distribution, optional
        Beta parameters of win and loss; of three numbers the first two. An array has a row for each
        pair, in the order of `counts.to_pairs` or by its labels. A PyMC distribution, such as
        ``pm.Beta.dist(2, 2)``, is the prior of each pair. If a parameter of it has a distribution,
        that parameter is shared by all pairs, so they learn from each other.

    Returns
    -------
    pymc.Model
        Variable ``p`` (pair), data ``wins`` and ``n`` (pair), observed ``y``. The data ``prior``
        record the prior.

    Raises
    ------
    ValueError
        If the counts are not counts, there are too many pairs, or the prior is not valid.
    """
    from betterthan.libraries import pm

    pairs, _ = likelihood_data.to_fit(counts)
    wins, losses = pairs.values[:, 0], pairs.values[:, 1]
    with pm.Model(coords=likelihood_data.coords(pairs[:, :2])) as model:
        likelihood_data.name_systems(model, pairs)
        data = pm.Data("wins", wins, dims=names.PAIR)
        n = pm.Data("n", wins + losses, dims=names.PAIR)
        (p,) = Prior.parse(prior, pairs, names.DECISIVE).probabilities("p")
        pm.Binomial("y", n=n, p=p, observed=data, dims=names.PAIR)
    return model


@documented()
def fit(counts: xr.DataArray, *, prior: Any = None, **options: Unpack[FitOptions]) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts; ties are left out. Each unordered pair is used once.
    prior : str, sequence of two or three float, array or PyMC distribution, optional
        Beta parameters of win and loss; of three numbers the first two. For an array or a PyMC
        distribution see `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        ``p`` (chain, draw, pair) in group posterior.

    Raises
    ------
    ValueError
        If the counts are not counts, there are too many pairs, or an argument is not valid.

    See Also
    --------
    closed_form : The same result without sampling.
    """
    run = Run.from_options(options)
    pairs, square = likelihood_data.to_fit(counts)
    pair_prior = Prior.parse(prior, pairs, names.DECISIVE)
    attrs = {"model": "beta_binomial", "prior": pair_prior.recorded, "square": int(square)}
    return fit_model(build(pairs, prior=prior), attrs, run, pairs=pairs)


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """Compute P(p > 1/2) exactly.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts; ties are left out.
    prior : str, sequence of two or three float or array, optional
        Beta parameters of win and loss; of three numbers the first two.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,)
        Probabilities that A is better.

    Raises
    ------
    ValueError
        If the counts are not counts, or the prior is not valid.

    References
    ----------
    Balodis & Deksne 2019, Information 10(5), 161, Tables A2 and A3, doi:10.3390/info10050161.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("NN[n] W", "NN W"): (26, 21)})
    >>> float(closed_form(counts).sel(system_a="NN[n] W", system_b="NN W").round(4))
    0.7646
    """
    pairs, square = as_pairs(counts)
    win, loss = Prior.parse(prior, pairs, names.DECISIVE).columns()
    a, b = win + pairs.values[:, 0], loss + pairs.values[:, 1]
    return probability_like(pairs, prob_above_half(a, b), prob_above_half(b, a), square)

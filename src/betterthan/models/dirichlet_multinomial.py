"""Wins, losses and ties of each pair are multinomial, their probabilities Dirichlet.

Question
--------
On a new item, is A more likely to beat B than B to beat A, and by how much?

Model
-----
Each item is a win, a loss or a tie of A against B. For each pair of systems

    (wins, losses, ties) ~ Multinomial(n, theta)
    theta = (theta_win, theta_loss, theta_tie) ~ Dirichlet(a_win, a_loss, a_tie)
    difference = theta_win - theta_loss

A is better when `difference > 0`. All pairs are sampled at once over the dim `pair`; they share no
parameter.

Priors
------
The default is Dirichlet(1, 1, 1): every theta is equally likely. Jeffreys' prior is (0.5, 0.5,
0.5). The prior counts as that many items of each outcome. An array has one prior for each pair. A
PyMC distribution is accepted too. If its concentration has a prior, all pairs share it, and pool:
`theta ~ Dirichlet(c, c, c)`, `c ~ Gamma(2, 0.1)`.

When it misleads
----------------
- Items that are not independent, such as translations of one text or turns of one dialogue, count
  as more evidence than they are. Use `clustered`, or the t on units of `betterthan.compare`.
- The pairs of one test set share items. The answer for each pair is right, but the pairs are not
  independent of each other. Do not multiply their probabilities, and do not rank many systems by
  their luckiest pair.
- With a prior near zero (0.01 for each outcome) and a count of 0, the tails are too long for NUTS.
  The convergence checks then refuse the fit. Use the closed form or exact draws.
- If ties are unknown, the model raises an error. Use `beta_binomial`.
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
        Number of items of each pair.
    pairs : int, default 1
        Number of pairs of systems.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``theta`` and ``counts`` (pair, outcome), ``difference`` (pair).

    Raises
    ------
    ValueError
        If n is negative, pairs is not positive, or the prior is not valid.

    Examples
    --------
    >>> simulate(40, pairs=2, rng=1)["counts"].sum("outcome").values.tolist()
    [40, 40]
    """
    numbers = checks.prior(prior)
    size = likelihood_data.sizes(n, pairs)
    random = np.random.default_rng(one_seed(rng))
    theta = random.dirichlet(numbers, size=pairs)
    dims = (names.PAIR, names.OUTCOME)
    return xr.Dataset(
        {
            "theta": (dims, theta),
            "difference": (names.PAIR, theta[:, 0] - theta[:, 1]),
            "counts": (dims, random.multinomial(size, theta)),
        },
        coords=likelihood_data.simulated(pairs) | {names.OUTCOME: list(names.OUTCOMES)},
    )


describe = describer(__name__)


def build(counts: xr.DataArray, *, prior: Any = None) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties. The posterior of a pair without items is the prior.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, and tie. An array has a row for each pair, in the order
        of `counts.to_pairs` or by its labels. A PyMC distribution, such as
        ``pm.Dirichlet.dist(a=[2, 2, 1])``, is the prior of each pair. If a parameter of it has a
        distribution, that parameter is shared by all pairs, so they learn from each other.

    Returns
    -------
    pymc.Model
        Variables ``theta`` (pair, outcome), ``difference`` (pair), data ``counts``, observed ``y``.

    Raises
    ------
    ValueError
        If the counts are not counts, ties are unknown, there are too many pairs, or the prior is
        not valid.
    """
    from betterthan.libraries import pm

    pairs, _ = likelihood_data.to_fit(counts)
    likelihood_data.need_ties(pairs, "the three-way model")
    with pm.Model(coords=likelihood_data.coords(pairs)) as model:
        likelihood_data.name_systems(model, pairs)
        dims = (names.PAIR, names.OUTCOME)
        data = pm.Data("counts", pairs.values, dims=dims)
        theta = Prior.parse(prior, pairs).simplex("theta")
        pm.Deterministic("difference", theta[:, 0] - theta[:, 1], dims=names.PAIR)
        pm.Multinomial("y", n=pm.math.sum(data, axis=-1), p=theta, observed=data, dims=dims)
    return model


@documented()
def fit(counts: xr.DataArray, *, prior: Any = None, **options: Unpack[FitOptions]) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties. Each unordered pair is used once.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, and tie. For an array or a PyMC distribution see `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        ``theta`` (chain, draw, pair, outcome) and ``difference`` (chain, draw, pair) in group
        posterior.

    Raises
    ------
    ValueError
        If the counts are not counts, ties are unknown, there are too many pairs, or an argument is
        not valid.

    See Also
    --------
    closed_form : The same result without sampling.
    """
    run = Run.from_options(options)
    pairs, square = likelihood_data.to_fit(counts)
    attrs = {
        "model": "dirichlet_multinomial",
        "prior": Prior.parse(prior, pairs).recorded,
        "square": int(square),
    }
    return fit_model(build(pairs, prior=prior), attrs, run, pairs=pairs)


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """Compute P(theta_win > theta_loss) exactly; ties do not change it.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties.
    prior : str, sequence of three float or array, optional
        Dirichlet parameters of win, loss, and tie.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,)
        Probabilities that A is better.

    Raises
    ------
    ValueError
        If the counts are not counts, ties are unknown, or the prior is not valid.

    References
    ----------
    Balodis & Deksne 2019, Information 10(5), 161, Appendix A, doi:10.3390/info10050161.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> float(closed_form(counts).sel(system_a="A", system_b="B").round(4))
    0.9963
    """
    pairs, square = as_pairs(counts)
    likelihood_data.need_ties(pairs, "the three-way model")
    win, loss, _ = Prior.parse(prior, pairs).columns()
    a, b = win + pairs.values[:, 0], loss + pairs.values[:, 1]
    return probability_like(pairs, prob_above_half(a, b), prob_above_half(b, a), square)

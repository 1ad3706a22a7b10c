"""Wins and losses as if they were two independent binomials, their probabilities two independent
Betas.

Question
--------
How probable is it that A is better than B, if wins and losses came from two separate test sets?
This is a published approximation, to reproduce and to compare with. For an answer use
`dirichlet_multinomial`.

Model
-----
For each pair of systems and n = wins + losses + ties

    wins   ~ Binomial(n, p_win)     p_win  ~ Beta(a, b)
    losses ~ Binomial(n, p_loss)    p_loss ~ Beta(a, b)
    difference = p_win - p_loss

with p_win and p_loss independent. A is better when `difference > 0`. All pairs are sampled at once
over the dim `pair`.

Priors
------
The default is (a, b) = (1, 1), success and failure, for wins and for losses alike. An array has one
prior for each pair, and a PyMC distribution is accepted too.

When it misleads
----------------
- On one test set p_win + p_loss cannot exceed 1, and the two are negatively correlated. The model
  does not know this. Its difference varies too little, and its probability is too large.
- The error grows as ties get fewer. With 60 wins and 50 losses the exact P(A better) is 0.829. The
  model gives 0.836 with 890 ties, 0.868 with 90, and 0.910 with none.
- Under this model ties move P(A better). In truth they do not.
- Dependent items, several pairs on one test set and `arviz.loo`: as for `dirichlet_multinomial`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import as_pairs, probability_like
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins.beta import prob_greater
from betterthan.models import likelihood_data
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.priors import Prior

if TYPE_CHECKING:
    import pymc as pm


def simulate(
    n: int | Sequence[int], *, pairs: int = 1, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Simulate true values from the prior, and independent wins and losses from these.

    Parameters
    ----------
    n : int or sequence of int
        Number of items of each pair.
    pairs : int, default 1
        Number of pairs of systems.
    prior : str or sequence of two float, optional
        Beta parameters of success and failure.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``p_win``, ``p_loss``, ``difference``, ``n`` (pair), and ``decisive`` (pair, outcome): wins
        and losses, which may sum to more than n, so they are not counts of a test set.

    Raises
    ------
    ValueError
        If n is negative, pairs is not positive, or the prior is not valid.

    Examples
    --------
    >>> data = simulate(40, pairs=2, rng=1)
    >>> bool((data["decisive"] <= data["n"]).all())
    True
    """
    numbers = checks.prior(prior, 2)
    _refuse_three(prior)
    size = likelihood_data.sizes(n, pairs)
    random = np.random.default_rng(one_seed(rng))
    p = random.beta(*numbers, size=(pairs, 2))
    return xr.Dataset(
        {
            "p_win": (names.PAIR, p[:, 0]),
            "p_loss": (names.PAIR, p[:, 1]),
            "difference": (names.PAIR, p[:, 0] - p[:, 1]),
            "n": (names.PAIR, size),
            "decisive": ((names.PAIR, names.OUTCOME), random.binomial(size[:, None], p)),
        },
        coords=likelihood_data.simulated(pairs) | {names.OUTCOME: list(names.DECISIVE)},
    )


describe = describer(__name__)


def build(counts: xr.DataArray, *, prior: Any = None) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties. The posterior of a pair without items is the prior.
    prior : str, sequence of two float, array or PyMC distribution, optional
        Beta parameters of success and failure, for wins and for losses alike; default (1, 1). An
        array has a row for each pair, in the order of `counts.to_pairs` or by its labels. A PyMC
        distribution, such as ``pm.Beta.dist(2, 2)``, is the prior of each pair. If a parameter of
        it has a distribution, that parameter is shared by all pairs, so they learn from each other.

    Returns
    -------
    pymc.Model
        Variables ``p_win``, ``p_loss``, ``difference`` (pair), data ``decisive`` and ``n``,
        observed ``y``. The data ``prior`` record the prior.

    Raises
    ------
    ValueError
        If the counts are not counts, ties are unknown, there are too many pairs, or the prior is
        not valid.
    """
    from betterthan.libraries import pm

    pairs, _ = likelihood_data.to_fit(counts)
    likelihood_data.need_ties(pairs, "the independent-Beta model")
    pair_prior = _prior(prior, pairs)
    with pm.Model(coords=likelihood_data.coords(pairs[:, :2])) as model:
        likelihood_data.name_systems(model, pairs)
        dims = (names.PAIR, names.OUTCOME)
        data = pm.Data("decisive", pairs.values[:, :2], dims=dims)
        n = pm.Data("n", pairs.values.sum(-1), dims=names.PAIR)
        p_win, p_loss = pair_prior.probabilities("p_win", "p_loss")
        pm.Deterministic("difference", p_win - p_loss, dims=names.PAIR)
        # one observed variable, so that arviz.loo needs no choice
        both = {"n": pm.math.stack([n, n], axis=-1), "p": pm.math.stack([p_win, p_loss], axis=-1)}
        pm.Binomial("y", **both, observed=data, dims=dims)
    return model


@documented()
def fit(counts: xr.DataArray, *, prior: Any = None, **options: Unpack[FitOptions]) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties. Each unordered pair is used once.
    prior : str, sequence of two float, array or PyMC distribution, optional
        Beta parameters of success and failure, for wins and for losses alike; default (1, 1). For
        an array or a PyMC distribution see `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        ``p_win``, ``p_loss`` and ``difference`` (chain, draw, pair) in group posterior.

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
    pair_prior = _prior(prior, pairs)
    attrs = {"model": "independent_betas", "prior": pair_prior.recorded, "square": int(square)}
    return fit_model(build(pairs, prior=prior), attrs, run, pairs=pairs)


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """Compute P(p_win > p_loss) of the two independent Betas exactly.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties.
    prior : str, sequence of two float or array, optional
        Beta parameters of success and failure; default (1, 1).

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
    Balodis & Deksne 2019, Information 10(5), 161, Appendix A, doi:10.3390/info10050161: "slightly
    inaccurate", as p_win and p_loss are not independent.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (210, 200, 590)})
    >>> result = closed_form(counts).sel(system_a="A", system_b="B")
    >>> float(result.round(3))  # the exact model says 0.689
    0.71
    """
    pairs, square = as_pairs(counts)
    likelihood_data.need_ties(pairs, "the independent-Beta model")
    a, b = _prior(prior, pairs).columns()
    wins, losses, n = pairs.values[:, 0], pairs.values[:, 1], pairs.values.sum(-1)
    win, loss = (a + wins, b + n - wins), (a + losses, b + n - losses)
    return probability_like(pairs, prob_greater(*win, *loss), prob_greater(*loss, *win), square)


def _prior(prior: Any, pairs: xr.DataArray) -> Prior:
    """Two numbers, or two of each pair, or a distribution."""
    pair_prior = Prior.parse(prior, pairs, names.DECISIVE)
    if pair_prior.numbers is not None:
        by_label = pair_prior.by_pair and isinstance(prior, xr.DataArray)
        _refuse_three(prior.transpose(names.PAIR, names.OUTCOME) if by_label else prior)
    return pair_prior


def _refuse_three(prior: Any) -> None:
    """Those of win, loss and tie would mean something else."""
    if np.shape(prior)[-1:] == (3,):
        raise ValueError(
            "prior has 3 numbers; give two numbers, of success and failure, for wins and losses "
            "alike"
        )

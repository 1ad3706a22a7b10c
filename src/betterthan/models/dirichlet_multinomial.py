"""Wins, losses and ties of each pair are multinomial, their probabilities Dirichlet.

(win, loss, tie) ~ Multinomial(n, theta), theta ~ Dirichlet(prior). A is better when theta_win >
theta_loss.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.pairing import as_pairs, probability_as_given
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.wins.beta import prob_above_half
from betterthan.models import of_pairs
from betterthan.models.priors import Prior
from betterthan.models.sampling import Options, Sampling, asked, fit_model

if TYPE_CHECKING:
    import pymc as pm


def simulate(
    n: int | Sequence[int], *, pairs: int = 1, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Draw the truth from the prior and counts from the truth.

    Parameters
    ----------
    n : int or sequence of int
        Examples of each pair.
    pairs : int, default 1
    prior : str or sequence of three float, optional
    rng : int, numpy.random.Generator or None

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
    each = of_pairs.sizes(n, pairs)
    random = np.random.default_rng(one_seed(rng))
    theta = random.dirichlet(numbers, size=pairs)
    dims = (names.PAIR, names.OUTCOME)
    return xr.Dataset(
        {
            "theta": (dims, theta),
            "difference": (names.PAIR, theta[:, 0] - theta[:, 1]),
            "counts": (dims, random.multinomial(each, theta)),
        },
        coords=of_pairs.simulated(pairs) | {names.OUTCOME: list(names.OUTCOMES)},
    )


def build(counts: xr.DataArray, *, prior: Any = None) -> "pm.Model":
    """The PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        With ties. A pair without examples is fine: its posterior is the prior.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, tie.
        An array has a row for each pair, in the order of `counts.to_pairs` or by its labels. A
        PyMC distribution, as ``pm.Dirichlet.dist(a=[2, 2, 1])``, is that of each pair. A parameter
        of it that has a distribution itself is one for all pairs: they learn from each other.

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
    import pymc as pm

    pairs, _ = of_pairs.to_fit(counts)
    _need_ties(pairs)
    with pm.Model(coords=of_pairs.coords(pairs)) as model:
        of_pairs.name_systems(model, pairs)
        dims = (names.PAIR, names.OUTCOME)
        data = pm.Data("counts", pairs.values, dims=dims)
        theta = Prior.of(prior, pairs).simplex("theta")
        pm.Deterministic("difference", theta[:, 0] - theta[:, 1], dims=names.PAIR)
        pm.Multinomial("y", n=pm.math.sum(data, axis=-1), p=theta, observed=data, dims=dims)
    return model


def fit(
    counts: xr.DataArray,
    *,
    prior: Any = None,
    sampling: Sampling = Sampling(),
    rng: Any = None,
    predictive: bool = True,
    **options: Unpack[Options],
) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        With ties. Each unordered pair is seen once.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, tie.
        An array or a PyMC distribution: see `build`.
    sampling : Sampling, optional
        How many draws and chains; its ``target_accept`` is 0.9 here unless given.
    rng : int, numpy.random.Generator or None
        The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
        draws.
    predictive : bool, default True
        Whether to add the groups prior, prior_predictive, posterior_predictive, log_likelihood and
        log_prior.
    **options
        ``draws``, ``tune``, ``chains``, ``target_accept`` and ``nuts_sampler`` of `Sampling`, and
        ``random_seed``, which is `rng`, under the names that ``pm.sample`` has for them.

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
    closed_form : the same answer without sampling.
    """
    sampling, rng = asked(sampling, rng, options)
    pairs, square = of_pairs.to_fit(counts)
    attrs = {
        "model": "dirichlet_multinomial",
        "prior": Prior.of(prior, pairs).recorded,
        "square": int(square),
    }
    return fit_model(
        build(pairs, prior=prior),
        attrs,
        sampling,
        pairs=pairs,
        rng=rng,
        predictive=predictive,
    )


def closed_form(counts: xr.DataArray, *, prior: Any = None) -> xr.DataArray:
    """P(theta_win > theta_loss) exactly: ties do not move it.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        With ties.
    prior : str, sequence of three float or array, optional
        Dirichlet parameters of win, loss, tie.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,)

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
    _need_ties(pairs)
    win, loss, _ = Prior.of(prior, pairs).columns()
    a, b = win + pairs.values[:, 0], loss + pairs.values[:, 1]
    return probability_as_given(pairs, prob_above_half(a, b), prob_above_half(b, a), square)


def _need_ties(pairs: xr.DataArray) -> None:
    if pairs.sizes[names.OUTCOME] == 2:
        schemas.ties_known(pairs.assign_attrs(ties="unknown"), "the three-way model")

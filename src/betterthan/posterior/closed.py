"""Who is better, in closed form: the discordant examples and their Beta posterior."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.wins import beta
from betterthan.exact.wins.sign import over_distinct
from betterthan.judged.dataset import is_judged
from betterthan.posterior import sampled
from betterthan.posterior.parameters import Parameters, across, parameters, real_numbers

_BLOCK = 1_000_000  # pairs at once


def prob_better(
    data: xr.DataArray | xr.Dataset | xr.DataTree,
    *,
    model: str = "dirichlet",
    prior: Any = None,
    ties: str = "third",
) -> xr.DataArray:
    """Return the posterior probability that A is better than B, P(theta_win > theta_loss).

    Parameters
    ----------
    data : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts; judged counts from `judged.count`, whose human labels are the truth; or a posterior
        from `posterior.draws`, from the ``fit`` of a model, or from `fits.adopt`. A posterior has
        its own model and prior.
    model : {"dirichlet", "independent"}, default "dirichlet"
        ``dirichlet``: wins, losses, and ties are multinomial; ties do not change the probability.
        ``independent``: an approximation with two independent Beta variables, the win rates of A
        and of B.
    prior : str or sequence of float, optional
        Dirichlet parameters of win, loss, and tie, or a name in `names.PRIORS`; for
        ``independent``, the two Beta parameters (success, failure). Default: all ones. In a square,
        "win" refers to system_a.
    ties : {"third", "drop", "half", "to_a", "to_b"}, default "third"
        How to treat ties; see `counts.apply_ties`.

    Returns
    -------
    xarray.DataArray
        Probabilities, with the dims of the counts without ``outcome``. For a posterior, the
        coordinate ``mcse`` holds the Monte Carlo standard error.

    Raises
    ------
    ValueError
        If the counts, the model, the prior, or the tie policy are not valid, or ties are needed and
        unknown.

    See Also
    --------
    difference : Estimate the size of the difference.
    compare : Compare all systems, with verdicts.

    References
    ----------
    Balodis & Deksne 2019, Information 10(5), 161, Appendix A, doi:10.3390/info10050161.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (210, 200, 590)})
    >>> float(bt.prob_better(counts).sel(system_a="A", system_b="B").round(4))
    0.6891
    >>> float(bt.prob_better(counts, model="independent").sel(system_a="A", system_b="B").round(4))
    0.71
    """
    if isinstance(data, xr.DataTree):
        sampled.refuse_choices(prior, ties, model)
        return sampled.draws_prob_better(data)
    if is_judged(data):
        from betterthan.posterior import of_judged

        return of_judged.better(data, prior, ties, model)
    if not isinstance(data, xr.DataArray):
        raise ValueError(
            f"data is a {type(data).__name__}; give an xarray.DataArray of counts, with a dim "
            "'outcome' (win, loss, tie), or a posterior"
        )
    if checks.one_of(model, names.PROB_MODELS, "model") == "independent":
        return _independent(data, prior, ties)
    posterior = parameters(data, prior, ties)
    return posterior.wrap(better(posterior), "prob_better")


def better(posterior: Parameters) -> np.ndarray:
    """P(A better than B) of counts that were checked, in their shape without outcome."""
    win, loss = posterior.prior[:2]
    if win != loss:
        return posterior.with_diagonal(beta.prob_above_half(*posterior.values[:2]), 0.5)
    wins, losses = posterior.counts.values[..., 0], posterior.counts.values[..., 1]
    probability = over_distinct(
        lambda w, l: beta.prob_above_half(w + win, l + loss), _BLOCK, wins, losses
    )
    return posterior.with_diagonal(probability, 0.5)


def _independent(counts: xr.DataArray, prior: Any, ties: str) -> xr.DataArray:
    posterior = parameters(counts, None, ties)
    schemas.ties_known(posterior.counts, "model='independent'")
    success, failure = numbers = checks.prior((1.0, 1.0) if prior is None else prior, 2)
    wins, losses = posterior.counts.values[..., 0], posterior.counts.values[..., 1]
    n = posterior.counts.values.sum(-1)
    probability = beta.prob_greater(
        success + wins, failure + n - wins, success + losses, failure + n - losses
    )
    answer = posterior.wrap(posterior.with_diagonal(probability, 0.5), "prob_better")
    return answer.assign_attrs(prior=list(numbers))


def decisive(
    counts: xr.DataArray | xr.DataTree, *, prior: Any = None, ties: str = "third"
) -> xr.Dataset:
    """Return the Beta posterior of p, the probability that A wins a non-tied item.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts (ties may be unknown), or a posterior; see `prob_better`.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.Dataset
        For counts: ``a`` and ``b`` (Beta parameters) and ``mean``, with the dims of the counts
        without ``outcome``. For a posterior, whose draws have no parameters: ``mean``, ``sd``, and
        ``mcse_mean``.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> result = bt.posterior.decisive(bt.counts.from_table({("A", "B"): (12, 2)}))
    >>> float(result["a"].sel(system_a="A", system_b="B"))
    13.0
    """
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.decisive(counts)
    posterior = parameters(counts, prior, ties)
    a, b, _ = posterior.values
    parts = {"a": a, "b": b, "mean": a / (a + b)}
    return xr.Dataset({k: posterior.wrap(v, k) for k, v in parts.items()}, attrs=posterior.attrs)


def decisive_density(
    counts: xr.DataArray | xr.DataTree, p: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return the posterior density of p, the probability that A wins a non-tied item.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts (ties may be unknown), or a posterior, whose density is a kernel estimate.
    p : float or array_like of float in (0, 1)
        One or many values of p. An array adds a last dim ``p``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Densities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (1, 0)})
    >>> density = bt.posterior.decisive_density(counts, [0.25, 0.5])
    >>> density.sel(system_a="A", system_b="B").values.round(4).tolist()
    [0.5, 1.0]
    """
    at = real_numbers(p, "p")
    if not ((at > 0) & (at < 1)).all():
        wrong = at[~((at > 0) & (at < 1))].flat[0]
        raise ValueError(f"p holds {wrong:g}; give probabilities between 0 and 1, both excluded")
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.decisive_density(counts, at)
    posterior = parameters(counts, prior, ties)

    def height(a: np.ndarray, b: np.ndarray, t: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.exp(beta.log_density_of_log_odds(a, b, np.log(x / (1 - x)))) / (x * (1 - x))

    return across(posterior, at, "p", height, name="density")


def bayes_factor(counts: xr.DataArray, *, prior: Any = None, ties: str = "third") -> xr.DataArray:
    """Return the Bayes factor BF01 for "no difference" over "one system is better".

    It is the ratio of two probabilities of the observed wins and losses: with p = 1/2, and with p
    from its Beta prior.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome)
        Counts. Ties may be unknown; they do not change the Bayes factor.
    prior : str or sequence of float, optional
        Prior of the alternative, p ~ Beta(prior of win, prior of loss). The Bayes factor depends on
        it much more than the posterior does. Default: Beta(1, 1).
    ties
        How to treat ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Bayes factors, with the dims of the counts without ``outcome``. A value above 1 favors no
        difference. ``attrs["prior"]`` is the prior.

    Raises
    ------
    ValueError
        If an argument is not valid.

    References
    ----------
    Kass & Raftery 1995, JASA 90(430), 773-795, doi:10.1080/01621459.1995.10476572.

    Examples
    --------
    >>> import betterthan as bt
    >>> factor = bt.posterior.bayes_factor(bt.counts.from_table({("A", "B"): (12, 2)}))
    >>> float(factor.sel(system_a="A", system_b="B").round(4))
    0.0833
    """
    sampled.refuse(counts, "a Bayes factor", "it is of the prior as much as of the posterior")
    posterior = parameters(counts, prior, ties)
    return posterior.wrap(bayes(posterior), "bayes_factor_01")


def bayes(posterior: Parameters) -> np.ndarray:
    """The Bayes factor of counts that were checked, in their shape without outcome."""
    wins, losses = posterior.counts.values[..., 0], posterior.counts.values[..., 1]
    first, second = posterior.prior[:2]
    upper = np.exp(beta.log_bayes_factor_half(wins, losses, first, second))
    if first != second and posterior.square:
        # below the diagonal, "win" of the prior is of the column
        lower = np.exp(beta.log_bayes_factor_half(wins, losses, second, first))
        upper = posterior.by_triangle(upper, lower)
    return posterior.with_diagonal(upper, 1.0)

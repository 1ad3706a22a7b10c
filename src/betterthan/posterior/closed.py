"""Answers on a pair in closed form: who is better, and by how much (d = theta_win - theta_loss)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import Work, run_locally
from betterthan.exact.wins import beta, dirichlet, intervals
from betterthan.exact.wins.repeated import Distinct
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
    return across(posterior, at, "p", lambda a, b, t, x: beta.density(a, b, x), name="density")


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


def difference(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    *,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    prior: Any = None,
    ties: str = "third",
) -> xr.Dataset:
    """Estimate the difference d = theta_win - theta_loss: mean, SD, and credible interval.

    The result for counts is exact; nothing is sampled.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts with ties (or under a `ties` policy that removes them), judged counts, or a
        posterior; see `prob_better`.
    ci_prob : float, default 0.95
        Level of the credible interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density (narrowest) or equal-tailed.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``sd``, ``lower``, and ``upper``, with the dims of the counts without ``outcome``.
        The bounds are accurate to 1e-10. For a posterior also ``mcse_mean``, ``mcse_lower``, and
        ``mcse_upper``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Warns
    -----
    UserWarning
        If a density has more than one mode, which a single interval hides.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> bt.difference(counts).sel(system_a="A", system_b="B").to_array().values.round(4).tolist()
    [0.01, 0.004, 0.0024, 0.018]
    """
    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.draws_difference(counts, ci_prob=ci_prob, ci_kind=ci_kind)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.size(counts, ci_prob, ci_kind, prior, ties)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    sizes = size(posterior, ci_prob, ci_kind)
    parts = {name: posterior.wrap(values, name) for name, values in sizes.items()}
    return xr.Dataset(parts, attrs=posterior.attrs | {"ci_prob": ci_prob, "ci_kind": ci_kind})


def size(
    posterior: Parameters, ci_prob: float, ci_kind: str, at_work: Work = run_locally
) -> dict[str, np.ndarray]:
    """``mean``, ``sd``, ``lower`` and ``upper`` of counts that were checked, in their shape without
    outcome.
    """
    a, b, t = posterior.pairs
    ends = partial(intervals.eti if ci_kind == "eti" else intervals.hdi, prob=ci_prob)
    distinct = Distinct(a, b, t)
    lower, upper, *modes = distinct.at_work(at_work, ends, outputs=2 if ci_kind == "eti" else 3)
    lower, upper = distinct.turned(lower, -upper), distinct.turned(upper, -lower)
    hidden = int((np.asarray(modes) > 1).sum())
    if hidden:
        checks.warn(
            f"one interval hides modes: {hidden} of the posteriors have more than one; look at "
            "posterior.pdf, or use a prior of at least 1"
        )
    mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
    both = {"mean": (mean, -mean), "sd": (sd, sd)}
    both |= {"lower": (lower, -upper), "upper": (upper, -lower)}
    return {key: posterior.square_of(*triangles, diagonal=0.0) for key, triangles in both.items()}


def prob_equivalent(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    rope: float = names.ROPE,
    *,
    prior: Any = None,
    ties: str = "third",
) -> xr.DataArray:
    """Return the posterior probabilities below, within, and above the ROPE.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts with ties (or under a `ties` policy that removes them), judged counts, or a
        posterior; see `prob_better`.
    rope : float in [0, 1), default 0
        Half-width of the region of practical equivalence (ROPE), as a difference of probabilities:
        0.01 is one point of accuracy. For an adopted difference, any number from 0 on, in its unit.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities of d = theta_win - theta_loss, with the dims of the counts and ``region``
        (b_beyond, rope, a_beyond) in place of ``outcome``. Each is integrated separately, accurate
        to 1e-9 relative however small. For a posterior, the coordinate ``mcse`` holds the Monte
        Carlo standard errors.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> bt.prob_equivalent(counts, 0.01).sel(system_a="A", system_b="B").values.round(4).tolist()
    [0.0, 0.5245, 0.4755]
    """
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.draws_masses(counts, rope)
    rope = checks.rope(rope)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.masses(counts, rope, prior, ties)
    posterior = parameters(counts, prior, ties, question="the probability within a rope")
    wrapped = [posterior.wrap(mass, "mass") for mass in np.moveaxis(masses(posterior, rope), -1, 0)]
    regions = xr.DataArray(np.array(names.REGIONS), dims=names.REGION, name=names.REGION)
    stacked = xr.concat(wrapped, regions, join="exact").transpose(..., names.REGION)
    return stacked.assign_attrs(posterior.attrs | {"rope": rope})


def by_region(
    a: np.ndarray, b: np.ndarray, t: np.ndarray, rope: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Below, within and above the rope."""
    within = dirichlet.prob_within(a, b, t, rope) if rope else np.zeros(np.shape(a))
    below, above = dirichlet.prob_below(a, b, t, -rope), dirichlet.prob_above(a, b, t, rope)
    return np.asarray(below), np.asarray(within), np.asarray(above)


def masses(posterior: Parameters, rope: float, at_work: Work = run_locally) -> np.ndarray:
    """The same of counts that were checked, in their shape with the region in place of outcome."""
    distinct = Distinct(*posterior.pairs)
    below, within, above = distinct.at_work(at_work, partial(by_region, rope=rope), outputs=3)
    below, above = distinct.turned(below, above), distinct.turned(above, below)
    parts = [(below, above), (within, within), (above, below)]
    diagonal = (0.0, 1.0, 0.0) if rope else (0.5, 0.0, 0.5)
    squares = [posterior.square_of(*both, d) for both, d in zip(parts, diagonal, strict=True)]
    return np.stack(squares, axis=-1)


def sf(
    counts: xr.DataArray | xr.Dataset | xr.DataTree,
    delta: float,
    *,
    prior: Any = None,
    ties: str = "third",
) -> xr.DataArray:
    """Return the posterior probability P(theta_win - theta_loss > delta).

    It is accurate to 1e-9 relative however small.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), xarray.Dataset or xarray.DataTree
        Counts, judged counts, or a posterior; for the latter, the proportion of draws.
    delta : float
        Difference of probabilities, from -1 to 1.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> float(bt.posterior.sf(counts, 0.01).sel(system_a="A", system_b="B").round(4))
    0.4755
    """
    at = checks.real(delta, "delta")
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.along(counts, at, "delta", "prob_above")
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.beyond(counts, at, prior, ties)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    above = posterior.with_diagonal(dirichlet.prob_above(*posterior.values, at), float(at < 0))
    return posterior.wrap(above, "prob_above")


def cdf(
    counts: xr.DataArray | xr.DataTree, x: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return the posterior probability P(theta_win - theta_loss < x).

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    x : float or array_like of float
        One or many differences of probabilities, from -1 to 1. An array adds a last dim ``x``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Probabilities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.cdf(nothing_yet, [-0.5, 0, 0.5]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [0.125, 0.5, 0.875]
    """
    return _along(counts, x, "x", "cdf", dirichlet.prob_below, prior, ties)


def pdf(
    counts: xr.DataArray | xr.DataTree, x: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return the posterior density of d = theta_win - theta_loss.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    x : float or array_like of float
        One or many differences of probabilities, from -1 to 1. An array adds a last dim ``x``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Densities, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.pdf(nothing_yet, [-0.5, 0.0]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [0.5, 1.0]
    """
    return _along(counts, x, "x", "density", dirichlet.density, prior, ties)


def ppf(
    counts: xr.DataArray | xr.DataTree, q: Any, *, prior: Any = None, ties: str = "third"
) -> xr.DataArray:
    """Return posterior quantiles of d = theta_win - theta_loss, accurate to 1e-10.

    Parameters
    ----------
    counts : xarray.DataArray, dims (..., outcome), or xarray.DataTree
        Counts, or a posterior (see `prob_better`), whose density is a kernel estimate.
    q : float or array_like of float in [0, 1]
        One or many probabilities. An array adds a last dim ``quantile``.
    prior, ties
        Prior, and policy for ties; see `prob_better`.

    Returns
    -------
    xarray.DataArray
        Quantiles, with the dims of the counts without ``outcome``.

    Raises
    ------
    ValueError
        If an argument is not valid, or ties are needed and unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> nothing_yet = bt.counts.from_table({("A", "B"): (0, 0, 0)})
    >>> result = bt.posterior.ppf(nothing_yet, [0.125, 0.98]).sel(system_a="A", system_b="B")
    >>> result.values.round(4).tolist()
    [-0.5, 0.8]
    """
    levels = real_numbers(q, "q")
    if not ((levels >= 0) & (levels <= 1)).all():
        wrong = levels[~((levels >= 0) & (levels <= 1))].flat[0]
        raise ValueError(f"q holds {wrong:g}; give numbers from 0 to 1")
    return _along(counts, levels, "quantile", "quantile", intervals.quantile, prior, ties)


def _along(
    counts: xr.DataArray | xr.DataTree,
    points: Any,
    dim: str,
    name: str,
    answer: Callable[..., np.ndarray],
    prior: Any,
    ties: str,
) -> xr.DataArray:
    """An answer on the difference at one point or along many, of counts exactly, or of draws."""
    if isinstance(counts, xr.DataTree):
        sampled.refuse_choices(prior, ties)
        return sampled.along(counts, points, dim, name)
    posterior = parameters(counts, prior, ties, question="the size of the difference")
    return across(posterior, points, dim, answer, name)

"""Independent draws from the exact posterior, and answers of `posterior` from draws, exact or from
PyMC, each with its Monte Carlo error.

A posterior is an `xarray.DataTree` whose group ``posterior`` has dims (chain, draw, pair),
coordinates ``system_a`` and ``system_b`` on pair, and attrs ``model``, ``prior``, ``square``,
``seed``. Its variables: ``theta`` and ``difference`` (dirichlet_multinomial), ``p``
(beta_binomial), ``p_win``, ``p_loss`` and ``difference`` (independent_betas).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, softmax, stdtr, stdtrit

from betterthan import __version__, checks, names
from betterthan.counts.shapes import as_pairs, pair_coords, pair_indices, to_square, without_attrs
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed, probability_error, quantile_error
from betterthan.judged.dataset import is_judged
from betterthan.posterior import from_draws
from betterthan.posterior.from_draws import SAMPLES, draws_of_pairs, masses, posterior_of, sizes
from betterthan.posterior.parameters import real_numbers
from betterthan.posterior.table import of_pairs, of_signs
from betterthan.signed import Signature


def draws(
    counts: Any,
    *,
    prior: Any = None,
    draws: int = names.DRAWS,
    chains: int = names.CHAINS,
    rng: Any = None,
) -> xr.DataTree:
    """Draw independent samples from the exact posterior, in the format of an MCMC fit.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Counts with ties give draws of theta = (win, loss, tie) and of ``difference`` = theta_win -
        theta_loss. Counts without ties give draws of ``p``, the probability that A wins a non-tied
        item. Judged counts give draws of theta of the truth.

        A comparison in closed form is drawn with its data, prior, and quantity. For means, and for
        wins on clusters, these are draws of ``difference`` by Student's t, above 0 if A is better,
        without the correction for skewed items.
    prior : str or sequence of float, optional
        Dirichlet parameters of win, loss, and tie, or a name in `betterthan.names.PRIORS`.
    draws, chains : int
        Number of draws in each chain, and of chains. The tree holds chains x draws x pairs x
        outcomes numbers.
    rng : int, numpy.random.Generator or None
        Seed, which ``posterior.attrs["seed"]`` records.

    Returns
    -------
    xarray.DataTree
        Tree with the groups posterior and observed_data.

    Raises
    ------
    ValueError
        If the counts or the prior are not valid, or draws or chains are not positive.

    References
    ----------
    Gamma draws of shape below 1 as G(a) = G(a + 1) U^(1/a), in logarithms so that a tiny prior does
    not underflow: Marsaglia & Tsang 2000, doi:10.1145/358407.358414.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (18, 9, 13)})
    >>> difference = draws(counts, rng=1)["posterior"]["difference"]
    >>> float((difference > 0).mean().round(2))  # exact: 0.956
    0.96
    """
    comparison = getattr(counts, "data", None)  # of a Comparison, whose module imports this one
    if isinstance(comparison, xr.Dataset):
        return comparison_draws(comparison, draws, chains, rng)
    if is_judged(counts):
        from betterthan.posterior import of_judged

        return of_judged.judged_draws(counts, prior, draws, chains, rng)
    pairs, square = as_pairs(counts)
    numbers = checks.prior(prior, pairs.sizes[names.OUTCOME])
    shape = (checks.whole(chains, "chains"), checks.whole(draws, "draws"))
    seed = one_seed(rng)
    alpha, random = pairs.values + np.array(numbers), np.random.default_rng(seed)
    logs = monte_carlo.log_gammas(alpha, shape, random)
    ties = len(numbers) == 3
    shares = _three_way(logs) if ties else {"p": expit(logs[..., 0] - logs[..., 1])}
    observed = pairs if ties else pairs.isel({names.OUTCOME: 0}, drop=True)
    groups = {"observed_data": without_attrs(observed.to_dataset(name="y"))}
    tree = xr.DataTree.from_dict(groups | {"posterior": draws_of_pairs(shares, pairs)})
    provenance = Signature(
        model="dirichlet_multinomial" if ties else "beta_binomial",
        prior=numbers,
        seed=seed,
        inference_library="betterthan",
    )
    tree["posterior"].attrs = provenance.to_attrs() | {
        "square": int(square),
        "inference_library_version": __version__,
        "versions": f"betterthan {__version__}, numpy {np.__version__}",
    }
    return tree


def comparison_draws(data: xr.Dataset, number: int, chains: int, rng: Any) -> xr.DataTree:
    """Draws of the posterior that a comparison has in closed form."""
    provenance = Signature.from_attrs(data.attrs)
    if provenance.answer != "comparison" or provenance.method not in ("exact", "both"):
        raise ValueError(
            "no exact draws are known of this answer; give a comparison by method='exact', or the "
            "counts"
        )
    if "difference_df" not in data:
        counts = data["counts"].assign_attrs(ties=provenance.ties or "third")
        return draws(counts, prior=provenance.prior, draws=number, chains=chains, rng=rng)
    if provenance.prior_sd:
        raise ValueError("no exact draws are known under a normal prior; leave the prior out")
    shape = checks.whole(chains, "chains"), checks.whole(number, "draws")
    seed = one_seed(rng)
    systems = data[names.SYSTEM_A].values.tolist()
    first, second = pair_indices(len(systems))
    alone = "pairwise_" if "pairwise_difference_mean" in data else ""
    t_names = (f"{alone}difference_mean", "difference_error", "difference_df")
    mean, error, df = (
        data[name].transpose(*names.SQUARE).values[first, second] for name in t_names
    )
    if not (error > 0).all():
        index = int(np.argmin(error))
        raise ValueError(
            f"{systems[first[index]]} and {systems[second[index]]} differ by the same on all "
            f"{provenance.unit}s: their difference has no posterior of which to draw"
        )
    most = provenance.difference_most or np.inf
    mean = -mean if provenance.lower_mean else mean
    low, high = (stdtr(df, (end - mean) / error) for end in (-most, most))
    level = low + (high - low) * np.random.default_rng(seed).random((*shape, mean.size))
    labels = xr.Dataset(coords=pair_coords(systems, first, second))
    d = {"difference": mean + error * stdtrit(df, level)}
    drawn = Signature(model=names.STUDENT_T, seed=seed, inference_library="betterthan")
    tree = xr.DataTree.from_dict({"posterior": draws_of_pairs(d, labels)})
    tree["posterior"].attrs = drawn.to_attrs() | {
        "square": 1,
        "draws": shape[1],
        "chains": shape[0],
        "versions": f"betterthan {__version__}, numpy {np.__version__}",
    }
    return tree


def _three_way(logs: np.ndarray) -> dict[str, np.ndarray]:
    theta = softmax(logs, axis=-1)
    d = theta[..., 0] - theta[..., 1]
    # where both underflow the difference still has a sign, and who is better depends on it
    flat = d == 0
    d[flat] = np.sign(logs[..., 0] - logs[..., 1])[flat] * np.finfo(float).tiny
    return {"theta": theta, "difference": d}


_KERNEL_POINTS = 512


def summary(
    tree: xr.DataTree, *, ci_prob: float = names.CI_PROB, ci_kind: str = names.CI_KIND
) -> Any:
    """Summarize a posterior in a table: mean, SD, interval, Monte Carlo error, and diagnostics.

    Parameters
    ----------
    tree : xarray.DataTree
        Posterior, from `posterior.draws` or a model's ``fit``.
    ci_prob : float, default 0.95
        Level of the credible interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.

    Returns
    -------
    pandas.DataFrame
        One row for each scalar, unrounded, from ``arviz.summary``. Coefficients of
        `models.performance_function` are shrunk towards 0; its documentation reports by how much.

    Raises
    ------
    ValueError
        If the tree holds no posterior, ci_prob is not between 0 and 1, or ci_kind is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (18, 9, 13)}), rng=1)
    >>> table = summary(tree)
    >>> bool(abs(table.loc["difference[A vs B]", "mean"] - 9 / 43) < 0.01)
    True
    """
    from betterthan.libraries import az

    posterior = posterior_of(tree)
    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    bare = posterior.drop_vars(names.SQUARE, errors="ignore")  # ArviZ wants the same of all
    return az.summary(
        xr.DataTree.from_dict({"posterior": bare}),
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        round_to="none",
    )


def draws_prob_better(tree: xr.DataTree) -> xr.DataArray:
    """P(A better than B) from draws, with its Monte Carlo standard error.

    Equal draws count half. The error is that of a share of so many independent draws as the ESS of
    its indicator says; of the parameter, where all draws agree.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior, from `posterior.draws` or a model's ``fit``.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,), with coordinates ``mcse`` and ``ess`` on
    the same dims
        A system against itself: 0.5, without error.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> answer = draws_prob_better(tree).sel(system_a="A", system_b="B")
    >>> bool(abs(answer - 0.9963) < 4 * answer.mcse)
    True
    """
    posterior = counted(tree)
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    signs = of_signs(margin, square=bool(posterior.attrs["square"]))
    answer = signs["prob_better"]
    errors = {"mcse": signs["prob_better_mcse"], "ess": signs["ess"]}
    coords = {key: (answer.dims, value.values) for key, value in errors.items()}
    return answer.assign_coords(coords).assign_attrs(_provenance(posterior))


def draws_difference(
    tree: xr.DataTree, *, ci_prob: float = names.CI_PROB, ci_kind: str = names.CI_KIND
) -> xr.Dataset:
    """Mean and interval of theta_win - theta_loss from draws, each with its Monte Carlo error.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior of a model that has ``difference``.
    ci_prob : float, default 0.95
        Mass of the interval.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Highest density or equal-tailed interval.

    Returns
    -------
    xarray.Dataset, dims (system_a, system_b) or (pair,)
        ``mean``, ``sd``, ``lower``, ``upper`` and ``mcse_mean``, ``mcse_lower``, ``mcse_upper``.

    Raises
    ------
    ValueError
        If ci_prob or ci_kind is not valid, or the posterior has no difference because ties are
        unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> float(draws_difference(tree)["mean"].sel(system_a="B", system_b="A").round(3))
    -0.01
    """
    checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    posterior = counted(tree)
    d = difference_draws(posterior, "the size of the difference")
    parts = sizes(d.values, ci_prob, ci_kind) | {"sd": d.values.std((0, 1))}
    result = of_pairs(parts, d, square=bool(posterior.attrs["square"]))
    shorter = {f"difference_{key}": key for key in ("mean", "lower", "upper")}
    shorter |= {f"{name}_mcse": f"mcse_{key}" for name, key in shorter.items()}
    choice = {"ci_kind": ci_kind, "ci_prob": ci_prob}
    return result.rename(shorter).assign_attrs(_provenance(posterior) | choice)


def draws_masses(tree: xr.DataTree, rope: float) -> xr.DataArray:
    """Posterior mass of "B better", "within the rope" and "A better" from draws, with its error.

    Parameters
    ----------
    tree : xarray.DataTree
        A posterior of a model that has ``difference``.
    rope : float
        Half width of the region of practical equivalence, as a difference of probabilities, or in
        the unit of an adopted difference.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, region) or (pair, region), with a coordinate
    ``mcse``
        A system against itself lies within the rope, without error.

    Raises
    ------
    ValueError
        If the rope is not within 0 and 1, or below 0 in another unit, or the posterior has no
        difference because ties are unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (12, 2, 986)}), rng=1)
    >>> draws_masses(tree, 0.05).sel(system_a="A", system_b="B").round(2).values.tolist()
    [0.0, 1.0, 0.0]
    """
    posterior = counted(tree)
    rope = checked_rope(posterior, rope)
    d = difference_draws(posterior, "the probability within a rope")
    result = of_pairs(masses(d.values, rope), d, square=bool(posterior.attrs["square"]))
    mass = result["mass"]
    return mass.assign_coords(mcse=(mass.dims, result["mass_mcse"].values)).assign_attrs(
        _provenance(posterior) | {"rope": rope}
    )


def counted(tree: Any) -> xr.Dataset:
    """The posterior of counts in a tree, refused where it is another one."""
    posterior = posterior_of(tree)
    missing = {"model", "square"} - set(posterior.attrs)
    if missing or not {"difference", "p"} & set(posterior.data_vars):
        raise ValueError(
            "tree is no posterior of counts; give draws from betterthan.posterior.draws, from a "
            "model's fit, or your own by betterthan.fits.adopt"
        )
    return posterior


def in_other_unit(posterior: xr.Dataset) -> bool:
    """Whether the difference may not be one of probabilities: of means, or as a user defined it."""
    other_unit = posterior.attrs["model"] in (names.ADOPTED, names.STUDENT_T)
    if not other_unit or "difference" not in posterior:
        return False
    return "theta" not in posterior or bool((np.abs(posterior["difference"]) > 1).any())


def checked_rope(posterior: xr.Dataset, rope: float) -> float:
    """The rope, checked in the unit of the difference."""
    if in_other_unit(posterior):
        return checks.margin(rope, "rope", names.OF_DIFFERENCE)
    return checks.rope(rope)


def difference_draws(posterior: xr.Dataset, question: str) -> xr.DataArray:
    """Draws of the difference over (chain, draw, pair), refused where ties are unknown."""
    if "difference" not in posterior:
        raise ValueError(no_difference(str(posterior.attrs["model"]), question))
    return posterior["difference"].transpose(*SAMPLES, names.PAIR)


def no_difference(model: str, question: str) -> str:
    """The error for a question that draws of p do not answer."""
    if model == names.ADOPTED:
        return (
            f"{question} needs theta or difference, and the adopted model has p alone; add one of "
            "them to the model, or ask prob_better"
        )
    return (
        f"{question} needs the number of ties, which {model} does not know; give counts with ties"
    )


def _provenance(posterior: xr.Dataset) -> dict[str, Any]:
    """Provenance of an answer from this posterior."""
    provenance = Signature.from_attrs(posterior.attrs)
    kept = ("model", "prior", "prior_text", "seed", "inference_library")
    return Signature(**{name: getattr(provenance, name) for name in kept}).to_attrs()


def refuse_choices(prior: Any = None, ties: str = "third", model: str = "dirichlet") -> None:
    """Refuse to pass over what was asked: the draws were made under choices of their own."""
    chosen = {"prior": prior is not None, "ties": ties != "third", "model": model != "dirichlet"}
    for name in (name for name, changed in chosen.items() if changed):
        raise ValueError(
            f"{name} is for counts; a posterior knows its own: leave {name} out, or give counts"
        )


def refuse(data: Any, answer: str, why: str) -> None:
    """Refuse a posterior where only counts can answer."""
    if isinstance(data, xr.DataTree):
        raise ValueError(f"{answer} needs counts, not a posterior: {why}; give the counts")


def along(tree: xr.DataTree, points: Any, dim: str, name: str) -> xr.DataArray:
    """An answer of `_ANSWERS` on the difference at one point, or at many along `dim`."""
    posterior = counted(tree)
    d = difference_draws(posterior, "the size of the difference")
    d = to_square(d, mirror="difference") if posterior.attrs["square"] else d
    return _over_points(d, points, dim, _ANSWERS[name], name)


def decisive(tree: xr.DataTree) -> xr.Dataset:
    """``mean`` and ``sd`` of p, the probability that A wins an example that is not a tie, and
    ``mcse_mean``: draws have no parameters of a Beta.
    """
    p = _shares(tree)
    values = p.values.reshape(*p.shape[:2], -1)
    flat = values.reshape(-1, values.shape[-1])
    parts = {"mean": flat.mean(0), "sd": flat.std(0), "mcse_mean": from_draws.mean_error(values)}
    like = p.isel(chain=0, draw=0, drop=True)
    return xr.Dataset(
        {k: (like.dims, v.reshape(like.shape)) for k, v in parts.items()}, like.coords
    )


def decisive_density(tree: xr.DataTree, p: Any) -> xr.DataArray:
    """Density of p by a kernel."""
    return _over_points(_shares(tree), p, "p", _height, "density")


def kernel(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and density of draws (draw,) by ArviZ's kernel, with corrected ends."""
    from arviz_stats.base.array import array_stats

    x, y, _ = array_stats.kde(draws, axis=-1, grid_len=_KERNEL_POINTS)
    return x, y


def by_pair(posterior: xr.Dataset, name: str, *more: str) -> bool:
    """Whether the posterior has the variable over pair, and `more`, and nothing else."""
    return name in posterior and set(posterior[name].dims) == {*SAMPLES, names.PAIR, *more}


Answer = tuple[np.ndarray, np.ndarray | None]  # (column,), and its Monte Carlo error


def _shares(tree: xr.DataTree) -> xr.DataArray:
    """Draws of p, both ways round where pairs came as a square."""
    posterior = counted(tree)
    if by_pair(posterior, "p"):
        p = posterior["p"]
    elif by_pair(posterior, "theta", names.OUTCOME):
        win, loss = (posterior["theta"].sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
        p = (win / (win + loss)).fillna(0.5)
    else:
        raise ValueError(
            f"a decisive example needs p or theta over pair, which {posterior.attrs['model']} does "
            "not have; ask for the difference"
        )
    p = p.transpose(*SAMPLES, names.PAIR)
    square = bool(posterior.attrs["square"])
    return to_square(p, mirror="probability", diagonal=0.5) if square else p


def _over_points(
    draws: xr.DataArray,
    numbers: Any,
    dim: str,
    answer: Callable[[np.ndarray, float], Answer],
    name: str,
) -> xr.DataArray:
    """An answer at one number, or at many, which then are a last dim."""
    points = real_numbers(numbers, dim)
    like = draws.isel(chain=0, draw=0, drop=True)
    columns = draws.values.reshape(*draws.shape[:2], -1)
    answers, errors = zip(*(answer(columns, x) for x in points.ravel()), strict=True)
    shape = (*like.shape, *points.shape)
    dims = (*like.dims, dim) if points.ndim else like.dims
    coords = {k: (v.dims, v.values) for k, v in like.coords.items() if k != names.OUTCOME}
    coords |= {dim: points} if points.ndim else {}
    if errors[0] is not None:
        coords["mcse"] = (dims, np.stack(errors, axis=-1).reshape(shape))
    return xr.DataArray(np.stack(answers, axis=-1).reshape(shape), coords, dims, name)


def _share(indicator: np.ndarray, behind: np.ndarray) -> Answer:
    p, number = from_draws.share(indicator, behind)
    constant = behind.min((0, 1)) == behind.max((0, 1))  # a system against itself
    return p, np.where(constant, 0.0, probability_error(p, number))


def _quantile(d: np.ndarray, level: float) -> Answer:
    ordered = np.sort(d.reshape(-1, d.shape[-1]), axis=0)
    end = np.quantile(ordered, level, axis=0)
    share, number = from_draws.share(d <= end, d)
    return end, quantile_error(ordered, share, number)


def _height(d: np.ndarray, x: float) -> Answer:
    heights: list[float] = []
    for column in d.reshape(-1, d.shape[-1]).T:
        if column.min() == column.max():  # a system against itself
            heights.append(np.inf if x == column[0] else 0.0)
        else:
            heights.append(float(np.interp(x, *kernel(column), left=0.0, right=0.0)))
    return np.array(heights), None


# what is asked of draws (draw, ..., column) at one point; equal draws count half in a cdf
_ANSWERS: dict[str, Callable[[np.ndarray, float], Answer]] = {
    "prob_above": lambda d, x: _share(d > x, d),
    "cdf": lambda d, x: _share((d < x) + 0.5 * (d == x), d),
    "quantile": _quantile,
    "density": _height,
}

"""Check a fit: its diagnosis, its summary, its distance from the closed form, what it predicts.

Also whether judgments go round in circles, and how well a model predicts what was left out: of
several the best, and one data set by one.
"""

import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.scheduling import shared_map
from betterthan.counts.shapes import pair_indices, to_pairs, to_square
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed, probability_z
from betterthan.exact.wins import davidson
from betterthan.judged.dataset import is_judged
from betterthan.models import (
    clustered,
    hierarchical,
    likelihood_data,
    mallows,
    paired_judgments,
    priors,
)
from betterthan.models.likelihood_data import Groups
from betterthan.models.priors import ARRAY, Prior, is_table
from betterthan.posterior import from_draws
from betterthan.posterior.closed import prob_better
from betterthan.posterior.from_draws import diagnose as diagnose
from betterthan.posterior.from_draws import posterior_of
from betterthan.posterior.pairwise import MODELS, check_model, prior_in
from betterthan.posterior.sampled import draws_prob_better
from betterthan.posterior.sampled import summary as summary
from betterthan.posterior.table import square_of
from betterthan.progress import with_bar
from betterthan.signed import provenance_attrs

_INDEPENDENT = "independent_betas"
_FAR = 4.0  # distance, in Monte Carlo errors, that two right answers keep only once in 16,000


def cross_check(counts: Any, tree: xr.DataTree, *, prior: Any = None) -> xr.Dataset:
    """Compare the sampled P(A better) of a fit with the exact one.

    Use it to check a sampler, or a model of your own, against the closed form.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        Data of the fit, or judged counts. Pairs and systems that are not in the fit are ignored.
        For a fit of ``models.clustered``: counts with a dim ``cluster``. For a fit of
        ``models.mallows`` with complete pooling: the Dataset of `orders.kendall_tau` that it was
        fitted to; the check is then of P(theta of A > theta of B).
    tree : xarray.DataTree
        Posterior draws, from `posterior.draws`, a model's ``fit``, or `fits.adopt`.
    prior : str, sequence of float or array, optional
        Prior of the draws, if they do not record it, as those of your own model. An array has a row
        for each pair, in the order of the draws or by its labels. The prior of
        ``dirichlet_multinomial``, ``beta_binomial``, and ``independent_betas`` is recorded by
        ``build``.

    Returns
    -------
    xarray.Dataset
        - ``exact``, ``sampled``: both probabilities
        - ``mcse``, ``ess``: Monte Carlo error, and effective sample size of the draws
        - ``z``: their distance in Monte Carlo standard errors sqrt(p (1 - p) / ESS), with the exact
          p; if fewer than 5 draws are expected on one side, the normal deviate of the exact
          binomial tail
        - ``agrees``: whether z is from -4 to 4, and the draws have converged

    Raises
    ------
    ValueError
        If the counts and the draws do not have the same systems, the prior of the draws is unknown
        or differs, or the model has no closed form.

    Warns
    -----
    UserWarning
        If the draws have not converged: ``agrees`` is then False everywhere.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.datasets.contingency_case("b")
    >>> checked = bt.fits.cross_check(counts, bt.posterior.draws(counts, rng=1))
    >>> bool(checked["agrees"].all())
    True
    """
    result, diagnosis = distance(counts, tree, prior=prior), diagnose(tree)
    if diagnosis.passed:
        return result
    warnings.warn(f"not converged, so nothing agrees: {' '.join(diagnosis.failures)}", stacklevel=2)
    return result.assign(agrees=xr.zeros_like(result["agrees"]))


def distance(counts: Any, tree: xr.DataTree, *, prior: Any = None) -> xr.Dataset:
    """`cross_check` without a check of convergence."""
    posterior = posterior_of(tree)
    fitted = posterior.attrs.get("model")
    if fitted == "mallows":
        return _dispersions(counts, posterior)
    _refuse_without_closed_form(tree)
    sampled = draws_prob_better(tree)
    if is_judged(counts):
        counts = _judged_as_draws(counts, sampled)
    else:
        counts = _as_draws(schemas.counts(counts), sampled)
    _refuse_others(counts, sampled)
    _refuse_other_kind(counts, str(fitted))
    recorded = _recorded_prior(tree)
    if prior is None and recorded is None:
        raise ValueError(
            "the draws do not record their prior, so no closed form is known to be theirs; give "
            "prior=, such as (1, 1, 1), if it is a Dirichlet or Beta prior of each pair by itself; "
            "other models have no closed form"
        )
    if recorded is None and is_table(prior) and not is_judged(counts):
        labels = names.OUTCOMES if _kind(posterior) == "dirichlet_multinomial" else names.DECISIVE
        rows = Prior.parse(prior, posterior, labels).numbers
        coords = {names.PAIR: posterior[names.PAIR].values, names.OUTCOME: list(labels)}
        recorded, prior = xr.DataArray(rows, coords, (names.PAIR, names.OUTCOME)), None
    if isinstance(recorded, xr.DataArray):
        return _by_pair(counts, tree, recorded, prior, sampled)
    prior = recorded if prior is None else prior
    if is_judged(counts):
        return _checked(prob_better(counts, prior=prior), sampled, "judge")
    if fitted == "clustered":
        _refuse_other_prior(checks.prior(prior), recorded)
        return _checked(clustered.closed_form(counts, prior=prior), sampled, "clustered")
    kind = _kind(posterior)
    independent = kind == _INDEPENDENT
    ties = "drop" if kind == "beta_binomial" else "third"
    numbers = checks.prior(prior, 3 if kind == "dirichlet_multinomial" else 2)
    _refuse_other_prior(numbers, recorded)
    model = "independent" if independent else "dirichlet"
    exact = prob_better(counts, model=model, prior=numbers, ties=ties)
    return _checked(exact, sampled, model)


def _refuse_without_closed_form(tree: xr.DataTree) -> None:
    """Refuse draws of which no closed form here is the exact answer."""
    attrs = tree["posterior"].attrs
    fitted = attrs.get("model")
    if fitted not in (None, "clustered", *MODELS):
        raise ValueError(
            f"the draws are of the model {fitted}, which has no closed form; cross_check is for "
            f"{', '.join((*MODELS, 'clustered', 'mallows'))}"
        )
    if fitted == "clustered" and "correlation" in attrs:
        raise ValueError(
            f"the draws were made with correlation={attrs['correlation']:g} held, which has no "
            "closed form; fit without correlation"
        )
    if attrs.get("labels") == "elsewhere":
        raise ValueError(
            "the draws were made with labels='elsewhere', which has no closed form; fit with "
            "labels='inside'"
        )
    if fitted == names.ADOPTED and "constant_data" in tree.children:
        constant = tree["constant_data"].to_dataset()
        dims = constant["counts"].dims if "counts" in constant else ()
        more = [str(d) for d in dims if d not in (names.PAIR, names.OUTCOME)]
        if more:
            raise ValueError(
                f"the adopted model has counts by {more[0]}, and no closed form is known to be its "
                "own; cross_check a model of counts by pair"
            )


def _refuse_other_kind(counts: xr.DataArray | xr.Dataset, fitted: str) -> None:
    """Refuse counts that the model of the draws cannot have had."""
    if is_judged(counts):
        if fitted not in ("judge", names.ADOPTED):
            raise ValueError(
                f"the counts are judged, the draws are of {fitted}; give the counts it was fitted "
                "to"
            )
        return
    if fitted == "judge":
        raise ValueError(
            "the draws are of judge, and the counts are not judged; give those of judged.count"
        )
    standard = {names.PAIR, *names.SQUARE, names.OUTCOME}
    by = [str(d) for d in counts.dims if d not in standard]
    wanted = ["cluster"] if fitted == "clustered" else []
    if by != wanted:
        described = f"by {', '.join(by)}" if by else "without clusters"
        right = "counts with a dim cluster" if wanted else "counts without a further dim"
        raise ValueError(f"the draws are of {fitted}, the counts are {described}; give {right}")


def _refuse_other_prior(numbers: tuple[float, ...], recorded: tuple[float, ...] | None) -> None:
    if recorded is not None and numbers != tuple(recorded)[: len(numbers)]:
        raise ValueError(
            f"prior is {numbers}, but the draws were made with {recorded}; leave prior out"
        )


def _by_pair(
    counts: Any, tree: xr.DataTree, recorded: xr.DataArray, prior: Any, sampled: xr.DataArray
) -> xr.Dataset:
    """Draws under a prior for each pair, against the closed form of their model."""
    if prior is not None:
        raise ValueError("the draws record a prior for each pair; leave prior out")
    posterior = tree["posterior"]
    fitted = str(posterior.attrs["model"])
    if fitted == names.ADOPTED:
        fitted = _kind(posterior)
    model = import_module(f"betterthan.models.{fitted}")
    if names.SYSTEM_A in sampled.dims:
        recorded = _in_direction(recorded, posterior_of(tree), to_pairs(counts), fitted)
    return _checked(model.closed_form(counts, prior=recorded), sampled, fitted)


def _kind(posterior: Any) -> str:
    """The core model that has the variables of an adopted posterior."""
    if "p_win" in posterior and "p_loss" in posterior:
        return _INDEPENDENT
    binary = "p" in posterior and "theta" not in posterior
    return "beta_binomial" if binary else "dirichlet_multinomial"


def _in_direction(
    recorded: xr.DataArray, posterior: xr.Dataset, pairs: xr.DataArray, model: str
) -> xr.DataArray:
    """The prior of each pair as a square of counts has them, from that of the draws: win and loss
    exchange where a pair is reversed, and success and failure of independent Betas do not.
    """
    rows = recorded.transpose(names.PAIR, names.OUTCOME)
    n = rows.sizes[names.OUTCOME]
    swapped = list(range(n)) if model == _INDEPENDENT else [1, 0, 2][:n]
    by_sides: dict[tuple[str, str], np.ndarray] = {}
    a, b = (posterior[side].values.astype(str).tolist() for side in names.SQUARE)
    for x, y, row in zip(a, b, rows.values, strict=True):
        by_sides |= {(x, y): row, (y, x): row[swapped]}
    sides = (pairs[side].values.astype(str).tolist() for side in names.SQUARE)
    values = [by_sides[pair] for pair in zip(*sides, strict=True)]
    coords = {names.PAIR: pairs[names.PAIR].values, names.OUTCOME: rows[names.OUTCOME].values}
    return xr.DataArray(values, coords, (names.PAIR, names.OUTCOME))


def _recorded_prior(tree: xr.DataTree) -> tuple[float, ...] | xr.DataArray | None:
    """The numbers of the prior, of a fit in its attrs, of an adopted tree in its data; those by
    pair are an array.
    """
    prior = prior_in(tree["posterior"].attrs)
    constant = tree["constant_data"].to_dataset() if "constant_data" in tree.children else {}
    if prior in (None, ARRAY) and "prior" in constant and constant["prior"].ndim == 2:
        return constant["prior"].reset_coords(drop=True)
    if isinstance(prior, str):
        raise ValueError(
            f"the draws were made with the prior {prior}, for which there is no closed form here"
        )
    if prior is None and "prior" in constant:
        numbers = np.asarray(constant["prior"].values, float)
        if np.isnan(numbers).any():
            raise ValueError(
                "the model was built with a PyMC distribution as its prior, for which there is no "
                "closed form here"
            )
        return tuple(numbers.tolist())
    return prior


def _as_draws(counts: xr.DataArray, sampled: xr.DataArray) -> xr.DataArray:
    """The counts of the pairs of the draws, by pair or in a square as their answer is."""
    dims = {names.PAIR, names.SYSTEM_A} & set(counts.dims)
    if not dims or not set(names.SQUARE) <= set(counts.coords):
        return counts
    if {names.PAIR} <= {*sampled.dims} & {*counts.dims}:
        count_labels, draw_labels = (x[names.PAIR].values.tolist() for x in (counts, sampled))
        if set(draw_labels) <= set(count_labels):  # the same systems may stand in several pairs
            some = counts.isel({names.PAIR: [count_labels.index(label) for label in draw_labels]})
            if all((some[side].values == sampled[side].values).all() for side in names.SQUARE):
                return some
    square = to_square(counts) if names.PAIR in counts.dims else counts
    systems = [str(s) for s in square[names.SYSTEM_A].values]
    a, b = ([str(s) for s in sampled[side].values] for side in names.SQUARE)
    pairs = zip(a, b, strict=True) if names.PAIR in sampled.dims else combinations(a, 2)
    if names.PAIR in counts.dims:
        sides = zip(*(counts[side].values.astype(str) for side in names.SQUARE), strict=True)
        held = {frozenset(pair) for pair in sides}
        wanted = [pair for pair in pairs if {*pair} <= {*systems}]
        for x, y in (pair for pair in wanted if frozenset(pair) not in held):
            raise ValueError(
                f"the draws have the pair {x!r} and {y!r}, the counts do not; give the counts that "
                "the draws were made for"
            )
    if not {*a, *b} <= set(systems):
        return square if names.SYSTEM_A in sampled.dims else to_pairs(square)
    square = square.assign_coords(dict.fromkeys(names.SQUARE, systems))
    if names.SYSTEM_A in sampled.dims:
        return square.sel(dict.fromkeys(names.SQUARE, a))
    index = {
        side: xr.DataArray(labels, dims=names.PAIR)
        for side, labels in zip(names.SQUARE, (a, b), strict=True)
    }
    by_pair = square.sel(index).assign_coords({names.PAIR: sampled[names.PAIR].values})
    return by_pair.transpose(..., names.PAIR, names.OUTCOME)


def _judged_as_draws(counts: xr.Dataset, sampled: xr.DataArray) -> xr.Dataset:
    """The judged counts of the pairs of the draws, in their order."""
    labels = counts[names.PAIR].values.tolist()
    wanted = sampled[names.PAIR].values.tolist() if names.PAIR in sampled.dims else []
    if not wanted or not set(wanted) <= set(labels):
        return counts
    return counts.isel({names.PAIR: [labels.index(label) for label in wanted]})


def _refuse_others(counts: xr.DataArray | xr.Dataset, sampled: xr.DataArray) -> None:
    for d in sampled.dims:
        if d not in counts.dims or list(counts[d].values) != list(sampled[d].values):
            raise ValueError(
                "the counts and the draws do not name the same systems; give the counts that the "
                "draws were made for"
            )


def _dispersions(data: Any, posterior: xr.Dataset) -> xr.Dataset:
    """The Mallows model of one theta a system, against quadrature."""
    attrs = posterior.attrs
    if attrs["pooling"] != "complete":
        raise ValueError(
            "partial pooling has no closed form; fit with pooling='complete' to check the sampler"
        )
    prior_sd = float(np.atleast_1d(attrs["prior"])[0])
    exact = mallows.closed_form(data, tied=attrs["tied"], prior_sd=prior_sd)["prob_better"]
    theta = posterior["theta"].transpose("chain", "draw", names.SYSTEM)
    systems = theta[names.SYSTEM].values.tolist()
    if systems != exact[names.SYSTEM_A].values.tolist():
        raise ValueError("the data and the draws do not name the same systems in the same order")
    parts = from_draws.joint_pairs(theta.values, from_draws.better)
    answers = square_of(parts, systems, *pair_indices(len(systems)))
    errors = {"mcse": answers["prob_better_mcse"].values, "ess": answers["ess"].values}
    coords = {name: (exact.dims, values) for name, values in errors.items()}
    sampled = exact.copy(data=answers["prob_better"].values).assign_coords(coords)
    return _checked(exact, sampled, "mallows")


def _checked(exact: xr.DataArray, sampled: xr.DataArray, model: str) -> xr.Dataset:
    z = probability_z(
        exact.values, sampled.values, np.where(sampled["ess"].values > 0, sampled["ess"].values, 1)
    )
    z = np.where(exact.values == sampled.values, 0.0, z)
    parts = {
        "exact": exact.values,
        "sampled": sampled.values,
        "mcse": sampled["mcse"].values,
        "ess": sampled["ess"].values,
        "z": z,
        "agrees": np.abs(z) <= _FAR,
    }
    plain = sampled.drop_vars(["mcse", "ess"])
    return xr.Dataset(
        {k: (plain.dims, v) for k, v in parts.items()}, coords=plain.coords, attrs={"model": model}
    )


_REPLICATIONS = 1000


def transitivity(tree: xr.DataTree) -> xr.Dataset:
    """Test whether one ability per system is enough to explain the judgments.

    It is not enough if judgments form more cycles (A beats B, B beats C, C beats A) than the model
    expects.

    Parameters
    ----------
    tree : xarray.DataTree
        Result of ``betterthan.models.davidson.fit`` with its predictive groups.

    Returns
    -------
    xarray.Dataset
        Over check: ``observed``, ``expected``, and ``p_value``, the proportion of replications with
        as much or more. The checks are ``circular_triads`` (A mostly beats B, B beats C, C beats A)
        and ``misfit``: the squared distances of wins minus losses from the expectation of each
        draw, over their variances, summed over rows.

    Raises
    ------
    ValueError
        If the tree is of another model, or has no replications.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("davidson")  # as models.davidson.fit returns it
    >>> bool(bt.fits.transitivity(tree)["p_value"].min() > 0.01)
    True
    """
    check_model(tree, ("davidson",))
    posterior, constant = (tree[group].to_dataset() for group in ("posterior", "constant_data"))
    if "posterior_predictive" not in tree.children:
        raise ValueError("the fit has no replications; fit with predictive=True")
    again = tree["posterior_predictive"].to_dataset()["y"]
    again = again.transpose("chain", "draw", "row", names.OUTCOME).values
    again = again.reshape(-1, *again.shape[2:])
    step = max(1, len(again) // _REPLICATIONS)
    again = again[::step]
    chances = np.exp(_chances(posterior, constant))[::step]
    both, systems = (constant["counts"].values[None], again), posterior.sizes[names.SYSTEM]
    pair = constant["a"].values, constant["b"].values
    net_wins = [davidson.net_wins(counts, *pair, systems) for counts in both]
    rows = {
        "circular_triads": [davidson.circular(net) for net in net_wins],
        "misfit": [_misfit(counts, chances) for counts in both],
    }
    signed = provenance_attrs(model="davidson", seed=posterior.attrs["seed"])
    return xr.Dataset(
        {
            "observed": ("check", [o.mean() for o, _ in rows.values()]),
            "expected": ("check", [r.mean() for _, r in rows.values()]),
            "p_value": ("check", [(r >= o - 1e-9).mean() for o, r in rows.values()]),
        },
        coords={"check": list(rows)},
        attrs=signed | {"replications": len(again)},
    )


def _chances(posterior: xr.Dataset, constant: xr.Dataset) -> np.ndarray:
    """Log probabilities of win, loss and tie of every row, (draw, row, outcome), in each draw."""
    flat = posterior.stack(_draw=("chain", "draw")).transpose("_draw", ...)
    ability = flat["ability"].transpose("_draw", names.SYSTEM).values
    d = ability[:, constant["a"].values] - ability[:, constant["b"].values]
    tie = np.broadcast_to(flat["tie"].values[:, None], d.shape)
    if "position" in flat:
        d = d + flat["position"].values[:, None]
    for name in ("judge_tie", "judge_position"):
        if f"{name}_effect" not in flat:
            continue
        effect = flat[f"{name}_effect"].transpose("_draw", "judge").values
        effect = effect[:, constant["judge_of"].values]
        d, tie = (d, tie + effect) if name == "judge_tie" else (d + effect, tie)
    return paired_judgments.log_probabilities(d, tie, str(posterior.attrs["tie_model"]))


def _misfit(counts: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Sum over rows of the squared distance of wins less losses from its expectation, over its
    variance, (draw,).
    """
    n = counts.sum(-1)
    net = chances[..., 0] - chances[..., 1]
    spread = n * (chances[..., 0] + chances[..., 1] - net**2)
    return ((counts[..., 0] - counts[..., 1] - n * net) ** 2 / np.maximum(spread, 1e-12)).sum(-1)


def loo(trees: Mapping[str, xr.DataTree], *, weighting: str = "stacking") -> Any:
    """Compare models of one data set by leave-one-out prediction (PSIS-LOO).

    Parameters
    ----------
    trees : mapping of name to xarray.DataTree
        Two fits or more, of the same data and with their predictive groups. Left out is a row of
        the likelihood: a data set of a pair, a cluster, a row of judgments, or an item. A model of
        counts has one row for each pair, so its prediction would rest on the prior; it raises an
        error.
    weighting : {"stacking", "BB-pseudo-BMA"}, default "stacking"
        Method for the weights of the models.

    Returns
    -------
    pandas.DataFrame
        Table from ``arviz.compare``, unrounded, best first: ``rank``, ``elpd``, ``elpd_diff`` (at
        most 0) with its error ``dse``, ``weight``, and ArviZ's notes on each estimate in
        ``diag_elpd`` and ``diag_diff``. ``attrs["warnings"]`` lists its warnings, which are also
        raised.

    Raises
    ------
    ValueError
        If there are fewer than two fits, one has no log likelihood or one observation for each
        pair, or they are of different data.

    References
    ----------
    Vehtari, Gelman & Gabry 2017, Statistics and Computing 27, 1413-1432,
    doi:10.1007/s11222-016-9696-4.

    Examples
    --------
    >>> import warnings, betterthan as bt
    >>> models = ("davidson", "rao_kupper")  # of the same judgments
    >>> fits = {model: bt.datasets.example_fit(model) for model in models}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # three pairs are few to leave out
    ...     table = bt.fits.loo(fits)
    >>> sorted(table.index)
    ['davidson', 'rao_kupper']
    """
    from betterthan.libraries import az

    checks.one_of(weighting, ("stacking", "BB-pseudo-BMA", "pseudo-BMA"), "weighting")
    _refuse_different(trees)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = az.compare(dict(trees), method=weighting, round_to="none")
    messages = list(dict.fromkeys(str(w.message) for w in caught))
    for line in messages:
        checks.warn(line)
    table.attrs["warnings"] = messages
    return table


def leave_one_dataset_out(
    counts: xr.DataArray, *, prior: Any = None, rng: Any = None
) -> xr.Dataset:
    """Predict each data set from the others, with partial and with complete pooling.

    Use it to check whether the hierarchical model predicts a new data set better than pooled data
    do. If a dask client is open, its workers refit.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts with dims (dataset, system_a, system_b, outcome) or (dataset, pair, outcome), with
        ties and two data sets or more.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Over (dataset, pair):

        - ``elpd``: log probability of the data set's counts, predicted from the others
        - ``elpd_pooled``: the same with complete pooling
        - ``level``: predicted probability of a smaller value of wins minus losses than observed
          (equal ones count half); it is uniform over data sets if the model is correct

    Raises
    ------
    ValueError
        If the data are not counts of several data sets of one factor.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.models.hierarchical.simulate(3, n=40, rng=1)["counts"]
    >>> bt.fits.leave_one_dataset_out(counts, rng=1)["elpd"].sizes
    Frozen({'dataset': 3, 'pair': 1})
    """
    groups = likelihood_data.by_dataset(counts)
    values, pairs, levels = groups.values, groups.pairs, groups.levels
    if len(levels) != 1 or len(values) < 2:
        raise ValueError("leaving one out takes two data sets or more, of one factor")
    seed, numbers = one_seed(rng), np.array(checks.prior(prior))
    (dim, labels), *_ = levels.items()
    predict = partial(_predict_left_out, groups, numbers, seed)
    predictions = shared_map(predict, range(len(values)))
    scores, divergences = zip(
        *with_bar(predictions, len(values), "data sets", long=True), strict=True
    )
    return xr.Dataset(
        {
            key: ((str(dim), names.PAIR), np.array([score[key] for score in scores]))
            for key in ("elpd", "elpd_pooled", "level")
        },
        coords={c: pairs[c] for c in (names.PAIR, *names.SQUARE)} | {str(dim): labels},
        attrs=provenance_attrs(
            answer="left_out",
            model="hierarchical",
            prior=tuple(numbers.tolist()),
            seed=seed,
            divergences=sum(divergences),
        ),
    )


def _predict_left_out(
    groups: Groups, prior: np.ndarray, seed: int, k: int
) -> tuple[dict[str, np.ndarray], int]:
    """Predictive scores of a data set given the others, and divergences of their fit."""
    others = groups.values.copy()
    others[k] = 0  # without examples a data set has likelihood one
    left = xr.DataArray(others, groups.coords, groups.dims)
    tree = hierarchical.fit(left, prior=prior, rng=seed + k, predictive=False)
    random = np.random.default_rng([seed, k])
    posterior = tree["posterior"].to_dataset()
    held = groups.values[k]
    mu = posterior["mu"].values.reshape(-1, *held.shape)
    kappa = 1 / posterior["correlation"].values.reshape(-1, len(held)) - 1
    shape = kappa[..., None] * mu
    foreseen = {
        "elpd": monte_carlo.log_mean_exp(monte_carlo.log_probability(held, shape)),
        "level": monte_carlo.level(held, priors.draw_dirichlet(random, shape), random),
    }
    foreseen["elpd_pooled"] = monte_carlo.log_probability(groups.values[k], prior + others.sum(0))
    return foreseen, diagnose(tree).divergences


def _refuse_different(trees: Any) -> None:
    """Refuse fits that do not leave out the same observations."""
    if isinstance(trees, xr.DataTree) or not isinstance(trees, Mapping) or len(trees) < 2:
        single = isinstance(trees, xr.DataTree) or not isinstance(trees, Mapping)  # a tree is both
        described = type(trees).__name__ if single else f"{len(trees)} of them"
        raise ValueError(
            f"trees is {described}; give two fits or more, as a mapping from name to fit"
        )
    named = list(trees.items())
    for name, tree in named:
        if "log_likelihood" not in getattr(tree, "children", {}):
            raise ValueError(
                f"{name!r} has no log likelihood; fit with predictive=True, or for draws of your "
                "own call pm.compute_log_likelihood(tree) in the context of their model"
            )
        if _left_out(tree)[0].keys() <= {names.PAIR, names.OUTCOME}:
            raise ValueError(
                f"{name!r} has one observation for each pair: left out, it leaves the prior alone "
                "and says nothing of the model; fit models.graded, models.item_response or "
                "models.clustered, or check the fit with fits.cross_check"
            )
    first, (rows, observed) = named[0][0], _left_out(named[0][1])
    for name, tree in named[1:]:
        others, again = _left_out(tree)
        if others != rows or again.shape != observed.shape:
            raise ValueError(
                f"{name!r} leaves out {others}, {first!r} {rows}; compare models of the same data, "
                "seen in the same rows"
            )
        if (again != observed).any():
            raise ValueError(f"{name!r} and {first!r} are fits of different data")


def _left_out(tree: xr.DataTree) -> tuple[dict[Any, int], np.ndarray]:
    """Sizes of the observations that a fit leaves out one by one, and their values."""
    groups = tree["log_likelihood"].to_dataset()
    observed = ["y"] if "y" in groups else list(groups.data_vars)
    if len(observed) != 1:
        raise ValueError(
            f"log_likelihood holds {', '.join(map(str, observed)) or 'nothing'}; give fits of one "
            "observed variable"
        )
    rows = {d: n for d, n in groups[observed[0]].sizes.items() if d not in ("chain", "draw")}
    return rows, tree["observed_data"].to_dataset()[observed[0]].values

"""How well a model predicts what was left out: of several the best, and one data set by one."""

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names
from betterthan.blocks.scheduling import shared_map
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import hierarchical, likelihood_data, simplex
from betterthan.models.likelihood_data import Groups
from betterthan.posterior.from_draws import diagnose
from betterthan.progress import with_bar
from betterthan.signed import Signature


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
        warnings.warn(line, skip_file_prefixes=names.PACKAGE)
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
    scores, divergences = zip(*_predictions(groups, numbers, seed), strict=True)
    labelled = {c: pairs[c] for c in (names.PAIR, *names.SQUARE)}
    return xr.Dataset(
        {
            key: ((str(dim), names.PAIR), np.array([score[key] for score in scores]))
            for key in ("elpd", "elpd_pooled", "level")
        },
        coords=labelled | {str(dim): labels},
        attrs=Signature(
            answer="left_out",
            version=__version__,
            model="hierarchical",
            prior=tuple(numbers.tolist()),
            seed=seed,
            divergences=sum(divergences),
        ).to_attrs(),
    )


def _predictions(groups: Groups, *how: Any) -> Iterator[Any]:
    """`_predict_left_out` of every data set, with a progress bar."""
    predictions = shared_map(partial(_predict_left_out, groups, *how), range(len(groups.values)))
    return with_bar(predictions, len(groups.values), "data sets", long=True)


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
        "level": monte_carlo.level(held, simplex.draw(random, shape), random),
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
    likelihood = groups[observed[0]]
    rows = {d: n for d, n in likelihood.sizes.items() if d not in ("chain", "draw")}
    return rows, tree["observed_data"].to_dataset()[observed[0]].values

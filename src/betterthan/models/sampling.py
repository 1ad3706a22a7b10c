"""The one place where a model is sampled, and what every fit has in common."""

import contextlib
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.pairing import as_pairs
from betterthan.exact.numeric.seeds import one_seed

if TYPE_CHECKING:
    import pymc as pm

COUNT_MAX = 2**31 - 1  # PyMC holds data as int32
SAMPLER = "nutpie"
# forward draws need no compiled code; compiling costs seconds
_PREDICTIVE_MODE = {"mode": "FAST_COMPILE"}


def pairs_to_fit(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Counts by pair, and whether they came as a square; refuse what a joint fit cannot hold.

    Raises
    ------
    ValueError
        If the counts are not counts, hold more than `names.MCMC_PAIRS_MAX` pairs, or a count is too
        large.
    """
    pairs, square = as_pairs(counts)
    n = pairs.sizes[names.PAIR]
    closed = "the closed form has no such limit: betterthan.prob_better(counts)"
    if n > names.MCMC_PAIRS_MAX:
        raise ValueError(
            f"{n} pairs are more than the {names.MCMC_PAIRS_MAX} that are sampled jointly; {closed}"
        )
    if n and int(pairs.values.max()) > COUNT_MAX:
        raise ValueError(
            f"a count of {int(pairs.values.max())} is more than a sampled model holds; {closed}"
        )
    return pairs, square


def coords(pairs: xr.DataArray) -> dict[str, Any]:
    """Coordinates of a PyMC model over these pairs."""
    return {
        names.PAIR: pairs[names.PAIR].values.tolist(),
        names.OUTCOME: pairs[names.OUTCOME].values.tolist(),
    }


def fit_model(
    model: "pm.Model",
    pairs: xr.DataArray | None,
    *,
    attrs: dict[str, Any],
    draws: int = names.DRAWS,
    tune: int = names.TUNE,
    chains: int = names.CHAINS,
    target_accept: float = names.TARGET_ACCEPT,
    rng: Any = None,
    predictive: bool = True,
) -> xr.DataTree:
    """Sample a model and return a tree that says how it was made.

    Parameters
    ----------
    model : pymc.Model
        With one observed variable, ``y``.
    pairs : xarray.DataArray, dims (pair, outcome), or None
        Whose names of systems go onto the tree, for a model over pairs.
    attrs : dict
        ``model``, ``prior`` and more, to be kept in ``posterior.attrs``.
    draws, tune, chains : int
    target_accept : float
    rng : int, numpy.random.Generator or None
    predictive : bool
        Whether to add the groups prior, prior_predictive, posterior_predictive and log_likelihood.

    Returns
    -------
    xarray.DataTree
    """
    seed = one_seed(rng)
    options = {
        "draws": checks.whole(draws, "draws"),
        "tune": checks.whole(tune, "tune"),
        "chains": checks.whole(chains, "chains"),
        "target_accept": checks.probability(target_accept, "target_accept"),
    }
    with steady_arithmetic(), _quiet_logger():
        tree = sample(model, seed=seed, **options)
        if predictive:
            _add_predictive(model, tree, seed)
    record = tree["posterior"].attrs
    kept = {k: record[k] for k in ("inference_library", "inference_library_version") if k in record}
    kept["versions"] = ", ".join(
        f"{lib} {version(lib)}" for lib in ("betterthan", "pymc", "nutpie", "pytensor")
    )
    _tidy(tree, pairs)
    tree["posterior"].attrs = attrs | {"seed": seed} | options | kept
    return tree


def sample(
    model: "pm.Model", *, seed: int, draws: int, tune: int, chains: int, target_accept: float
) -> xr.DataTree:
    """Draw from the posterior with every choice passed on: defaults of the sampler depend on the
    machine.
    """
    import pymc as pm

    shown = sys.stdout.isatty() and sys.stderr.isatty()
    # convergence is judged by betterthan.fits.diagnose: on this sampler pymc skips its own checks
    return pm.sample(
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores(chains),
        target_accept=target_accept,
        nuts_sampler=SAMPLER,
        random_seed=seed,
        progressbar=shown,
        quiet=not shown,
        model=model,
    )


def cores(chains: int) -> int:
    """Processors to use: the draws do not depend on it."""
    return max(1, min(chains, os.cpu_count() or 1))


@contextlib.contextmanager
def steady_arithmetic() -> Iterator[None]:
    """Compile without fastmath: with it, fresh and cached code round differently and chains
    part.
    """
    from pytensor.configdefaults import config

    with config.change_flags(numba__fastmath=False):
        yield


def simulated_pairs(count: int) -> dict[str, Any]:
    """Coordinates of `count` made-up pairs, each of two systems of its own."""
    a, b = [f"A{k}" for k in range(count)], [f"B{k}" for k in range(count)]
    return {
        names.PAIR: [f"{x} vs {y}" for x, y in zip(a, b, strict=True)],
        names.SYSTEM_A: (names.PAIR, a),
        names.SYSTEM_B: (names.PAIR, b),
    }


def sizes(n: int | Sequence[int], pairs: int) -> np.ndarray:
    """Number of examples of each pair: one for all, or one each."""
    return np.broadcast_to(
        checks.nonnegative_integers(np.asarray(n), "n"), (checks.whole(pairs, "pairs"),)
    )


def _add_predictive(model: "pm.Model", tree: xr.DataTree, seed: int) -> None:
    import pymc as pm

    choice = {"random_seed": seed, "compile_kwargs": _PREDICTIVE_MODE, "model": model}
    before = pm.sample_prior_predictive(draws=names.DRAWS, **choice)
    after = pm.sample_posterior_predictive(tree, progressbar=False, **choice)
    for source, groups in (
        (before, ("prior", "prior_predictive")),
        (after, ("posterior_predictive",)),
    ):
        for group in groups:
            tree[group] = source[group].to_dataset()
    with model:
        pm.compute_log_likelihood(tree, progressbar=False)
    _drop_pairs_without_data(tree)


def _drop_pairs_without_data(tree: xr.DataTree) -> None:
    """A pair without examples has likelihood 1 whatever the draw: arviz.loo cannot take it, and
    needs it not.
    """
    likelihood = tree["log_likelihood"].to_dataset()
    values = likelihood["y"]
    varies = (values != 0).any([d for d in values.dims if d != names.PAIR])
    if names.PAIR in values.dims and varies.any():
        tree["log_likelihood"] = likelihood.isel({names.PAIR: varies.values.nonzero()[0]})


def _tidy(tree: xr.DataTree, pairs: xr.DataArray | None) -> None:
    """Put system_a and system_b on every group over pairs, and drop the hour at which it was
    made.
    """
    for group in tree.children:
        data = tree[group].to_dataset()
        if pairs is not None and names.PAIR in data.dims:
            here = pairs.sel({names.PAIR: data[names.PAIR].values.tolist()})
            labels = (names.PAIR, names.SYSTEM_A, names.SYSTEM_B)
            data = data.assign_coords({k: (names.PAIR, here[k].values) for k in labels})
        data.attrs = {
            k: v for k, v in data.attrs.items() if k not in ("created_at", "sampling_time")
        }
        tree[group] = data


@contextlib.contextmanager
def _quiet_logger() -> Iterator[None]:
    """Predictive sampling has no switch for its log lines."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)

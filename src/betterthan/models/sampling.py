"""The one place where a model is sampled, and what every fit has in common."""

import contextlib
import logging
import os
import sys
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric.seeds import one_seed
from betterthan.progress import on_terminal
from betterthan.signed import Signature

if TYPE_CHECKING:
    import pymc as pm

SAMPLER = "nutpie"
# forward draws need no compiled code; compiling costs seconds
_PREDICTIVE_MODE = {"mode": "FAST_COMPILE"}


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How a model is sampled: the same record for every model's ``fit``.

    Parameters
    ----------
    draws : int, default 1000
        Draws kept in each chain.
    tune : int, default 1000
        Steps of adaptation before them, which are not kept.
    chains : int, default 4
        R-hat needs two or more; `betterthan.fits.diagnose` gives no verdict on one.
    target_accept : float, optional
        Nearer to 1 means smaller steps. Default: the model's own, 0.9, 0.95 or 0.99.

    Raises
    ------
    ValueError
        If draws, tune or chains is no whole number of at least 1, or target_accept is not between 0
        and 1.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.models.Sampling(draws=2000)
    Sampling(draws=2000, tune=1000, chains=4, target_accept=None)
    """

    draws: int = names.DRAWS
    tune: int = names.TUNE
    chains: int = names.CHAINS
    target_accept: float | None = None

    def __post_init__(self) -> None:
        for name in ("draws", "tune", "chains"):
            checks.whole(getattr(self, name), name)
        if self.target_accept is not None:
            checks.probability(self.target_accept, "target_accept")

    def settings(self, target_accept: float) -> dict[str, Any]:
        """As the sampler takes them; `target_accept` is the model's own, where none was given."""
        given = self.target_accept
        return {
            "draws": int(self.draws),
            "tune": int(self.tune),
            "chains": int(self.chains),
            "target_accept": float(target_accept if given is None else given),
        }


def checked(sampling: Any) -> Sampling:
    """How to sample, refused where it is something else."""
    if not isinstance(sampling, Sampling):
        raise ValueError(
            f"sampling is {type(sampling).__name__}; give betterthan.models.Sampling(draws=..., "
            f"chains=...)"
        )
    return sampling


def own_target(model: ModuleType) -> float:
    """The target_accept of a model, where none is asked for."""
    return getattr(model, "TARGET_ACCEPT", names.TARGET_ACCEPT)


def fit_model(
    model: "pm.Model",
    attrs: dict[str, Any],
    sampling: Sampling,
    *,
    rng: Any,
    predictive: bool,
    pairs: xr.DataArray | None = None,
    target_accept: float = names.TARGET_ACCEPT,
) -> xr.DataTree:
    """Sample a model and return a tree that says how it was made.

    Parameters
    ----------
    model : pymc.Model
        With one observed variable, ``y``.
    attrs : dict
        ``model``, ``prior`` and more, to be kept in ``posterior.attrs``.
    sampling : Sampling
    rng : int, numpy.random.Generator or None
    predictive : bool
        Whether to add the groups prior, prior_predictive, posterior_predictive and log_likelihood.
    pairs : xarray.DataArray, dims (pair, outcome), optional
        Whose names of systems go onto the tree, for a model over pairs.
    target_accept : float, default 0.9
        The model's own, where `sampling` has none.

    Returns
    -------
    xarray.DataTree
    """
    settings, seed = checked(sampling).settings(target_accept), one_seed(rng)
    with steady_arithmetic(), quiet_logger():
        tree = sample(model, seed=seed, **settings)
        if predictive:
            add_predictive(model, tree, seed)
    made = _how(tree["posterior"].attrs, settings, seed)
    tidy(tree, pairs)
    tree["posterior"].attrs = attrs | made
    return tree


def sample(
    model: "pm.Model", *, seed: int, draws: int, tune: int, chains: int, target_accept: float
) -> xr.DataTree:
    """Draw from the posterior with every choice passed on: defaults of the sampler depend on the
    machine.

    As ``pm.sample`` of the same seed, but that a model is compiled once and not at every call.
    """
    import nutpie
    from pymc.backends.arviz import patch_nutpie_idata

    from betterthan.models import compiling

    shown = on_terminal(sys.stdout) and on_terminal(sys.stderr)
    if shown and not compiling.is_compiled(model):
        print("compiling the model: 2 to 30 s, once", file=sys.stderr)
    tree = nutpie.sample(
        compiling.compiled(model),
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores(chains),
        seed=_first_seed(seed),
        target_accept=target_accept,
        save_warmup=False,
        progress_bar=shown,
    )
    _label(tree, model)
    patch_nutpie_idata(tree, model, sampling_time=0.0)  # observed_data and constant_data
    return tree


def _first_seed(seed: int) -> int:
    """That of the first chain, from which the sampler takes those of the others."""
    return int(np.random.default_rng(seed).spawn(1)[0].integers(2**30))


def _label(tree: xr.DataTree, model: "pm.Model") -> None:
    """Coordinates of this model: it may have been compiled for one with other names."""
    posterior = tree["posterior"].to_dataset()
    own = {d: np.array(model.coords[d]) for d in map(str, posterior.dims) if d in model.coords}
    own = {d: v.astype(object) if v.dtype.kind == "U" else v for d, v in own.items()}
    tree["posterior"] = posterior.assign_coords(own)


def cores(chains: int) -> int:
    """Processors to use: the draws do not depend on it."""
    return max(1, min(chains, os.cpu_count() or 1))


@contextlib.contextmanager
def without_compiler() -> Generator[None]:
    """For a few evaluations: operations as Python and numpy have them; each that is compiled to C
    takes half a second.
    """
    from pytensor.configdefaults import config

    with config.change_flags(cxx=""):
        yield


@contextlib.contextmanager
def steady_arithmetic() -> Generator[None]:
    """Compile without fastmath: with it, fresh and cached code round differently and chains
    part.
    """
    from pytensor.configdefaults import config

    with config.change_flags(numba__fastmath=False):
        yield


def _how(record: Mapping[Any, Any], settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """How draws were made: what was asked for, the sampler, and the versions of what ran."""
    signature = Signature(
        seed=seed,
        draws=settings["draws"],
        chains=settings["chains"],
        inference_library=record.get("inference_library"),
    )
    libraries = ("betterthan", "pymc", "nutpie", "pytensor")
    told = {"versions": ", ".join(f"{lib} {version(lib)}" for lib in libraries)}
    if "inference_library_version" in record:
        told["inference_library_version"] = record["inference_library_version"]
    return settings | signature.to_attrs() | told


def add_predictive(model: "pm.Model", tree: xr.DataTree, seed: int) -> None:
    """Add the groups prior, prior_predictive, posterior_predictive and log_likelihood."""
    import pymc as pm

    choice: dict[str, Any] = {
        "random_seed": seed,
        "compile_kwargs": _PREDICTIVE_MODE,
        "model": model,
    }
    before = pm.sample_prior_predictive(draws=names.DRAWS, **choice)
    # the draws are of these data, also where priors take their scale from them
    drawn = [str(v.name) for v in model.free_RVs]
    after = pm.sample_posterior_predictive(tree, freeze_vars=drawn, progressbar=False, **choice)
    for source, groups in (
        (before, ("prior", "prior_predictive")),
        (after, ("posterior_predictive",)),
    ):
        for group in groups:
            tree[group] = source[group].to_dataset()
    with model:
        pm.compute_log_likelihood(tree, progressbar=False, compile_kwargs=_PREDICTIVE_MODE)
    drop_pairs_without_data(tree)


def drop_pairs_without_data(tree: xr.DataTree) -> None:
    """A pair without examples has likelihood 1 whatever the draw: arviz.loo cannot take it, and
    needs it not.
    """
    likelihood = tree["log_likelihood"].to_dataset()
    values = likelihood["y"]
    varies = (values != 0).any([d for d in values.dims if d != names.PAIR])
    if names.PAIR in values.dims and varies.any():
        tree["log_likelihood"] = likelihood.isel({names.PAIR: varies.values.nonzero()[0]})


def tidy(tree: xr.DataTree, pairs: xr.DataArray | None = None) -> None:
    """Put system_a and system_b on every group over pairs, and drop the hour at which it was
    made.
    """
    for group in tree.children:
        data = tree[group].to_dataset()
        if group == "constant_data":  # systems are coordinates of pair below
            data = data.drop_vars([*names.IS_SYSTEM, *names.SQUARE], errors="ignore")
        if pairs is not None and names.PAIR in data.dims:
            here = pairs.sel({names.PAIR: data[names.PAIR].values.tolist()})
            labels = (names.PAIR, *names.SQUARE)
            data = data.assign_coords({k: (names.PAIR, here[k].values) for k in labels})
        data.attrs = {
            k: v for k, v in data.attrs.items() if k not in ("created_at", "sampling_time")
        }
        tree[group] = data


@contextlib.contextmanager
def quiet_logger() -> Generator[None]:
    """Predictive sampling has no switch for its log lines."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)

"""Sampling: the one place where models are compiled and sampled.

One compile a model: the next fit of the same graph takes new data, of whatever length.

Compiling takes seconds, sampling often a fraction of one. Two models are the same where their log
density and all that is kept of a draw are the same computation, up to the values of what `held` and
``pm.Data`` hold. That is looked at node by node: nothing is taken for the same that is not.
"""

import contextlib
import logging
import os
import sys
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import without_attrs
from betterthan.progress import on_terminal

if TYPE_CHECKING:
    import pymc as pm


SAMPLER = "nutpie"
NUTS_SAMPLERS = (SAMPLER, "pymc", "numpyro", "blackjax")
LIBRARY_NEEDS = {"numpyro": ("jax", "numpyro"), "blackjax": ("jax", "blackjax")}
# forward draws need no compiled code; compiling costs seconds
_PREDICTIVE_MODE = {"mode": "FAST_COMPILE"}
_BLOCK = 100  # draws whose log densities are computed at a time


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Sampler settings that every model's ``fit`` accepts.

    Parameters
    ----------
    draws : int, default 1000
        Number of draws kept in each chain.
    tune : int, default 1000
        Number of adaptation steps before them, which are not kept.
    chains : int, default 4
        Number of chains. R-hat needs two or more, so `betterthan.fits.diagnose` gives no verdict on
        one.
    target_accept : float, optional
        Target acceptance rate; closer to 1 means smaller steps. Default: the model's own, 0.9,
        0.95, or 0.99.
    nuts_sampler : {"nutpie", "pymc", "numpyro", "blackjax"}, optional
        Implementation of NUTS, as ``pm.sample`` names it. Default: nutpie, which compiles a model
        once; the others compile it in each fit. If you name one, a model that is drawn by weights
        is sampled by NUTS.

    Raises
    ------
    ValueError
        If draws, tune, or chains is not a whole number of at least 1, target_accept is not between
        0 and 1, or nuts_sampler is none of these.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.models.Sampling(draws=2000)
    Sampling(draws=2000, tune=1000, chains=4, target_accept=None, nuts_sampler=None)
    """

    draws: int = names.DRAWS
    tune: int = names.TUNE
    chains: int = names.CHAINS
    target_accept: float | None = None
    nuts_sampler: str | None = None

    def __post_init__(self) -> None:
        for name in ("draws", "tune", "chains"):
            checks.whole(getattr(self, name), name)
        if self.target_accept is not None:
            checks.probability(self.target_accept, "target_accept")
        if self.nuts_sampler is not None:
            checks.one_of(self.nuts_sampler, NUTS_SAMPLERS, "nuts_sampler")

    def settings(self, target_accept: float) -> dict[str, Any]:
        """Return the settings of the sampler; `target_accept` is the model's default."""
        default = checks.probability(target_accept, "target_accept")
        choice = default if self.target_accept is None else self.target_accept
        return {
            "draws": int(self.draws),
            "tune": int(self.tune),
            "chains": int(self.chains),
            "target_accept": float(choice),
        }

    @property
    def library(self) -> str:
        """Return the implementation that runs NUTS."""
        return self.nuts_sampler or SAMPLER


def default_target_accept(model: ModuleType) -> float:
    """Default target_accept of a model."""
    return getattr(model, "TARGET_ACCEPT", names.TARGET_ACCEPT)


def sample(
    model: "pm.Model", *, seed: int, draws: int, tune: int, chains: int, target_accept: float
) -> xr.DataTree:
    """Draw from the posterior with every choice passed on: defaults of the sampler depend on the
    machine.

    As ``pm.sample`` of the same seed, but that a model is compiled once and not at every call.
    """
    from betterthan.libraries import nutpie

    interactive = on_terminal(sys.stdout) and on_terminal(sys.stderr)
    if interactive and not is_compiled(model):
        print("compiling the model: 2 to 30 s, once", file=sys.stderr)
    tree = nutpie.sample(
        compiled(model),
        draws=draws,
        tune=tune,
        chains=chains,
        cores=cores(chains),
        seed=_first_seed(seed),
        target_accept=target_accept,
        save_warmup=False,
        progress_bar=interactive,
    )
    # of this model: it may have been compiled for one with other names
    posterior = tree["posterior"].to_dataset()
    coords = {d: np.array(model.coords[d]) for d in map(str, posterior.dims) if d in model.coords}
    coords = {d: v.astype(object) if v.dtype.kind == "U" else v for d, v in coords.items()}
    tree["posterior"] = posterior.assign_coords(coords)
    for group, data in data_groups(model).items():
        tree[group] = data
    return tree


def data_groups(model: "pm.Model") -> dict[str, xr.Dataset]:
    """Groups constant_data and observed_data, as ``pm.sample`` makes them: what the model was given
    and what it has observed, with their dims and labels. Data that are observed and nothing else
    are no constants.
    """
    from pymc.backends import arviz

    coords, dims = arviz.coords_and_dims_for_inferencedata(model)
    return {
        group: without_attrs(arviz.dict_to_dataset(data, coords=coords, dims=dims, sample_dims=[]))
        for group, data in (
            ("constant_data", arviz.find_constants(model)),
            ("observed_data", arviz.find_observations(model)),
        )
    }


def by_pymc(
    library: str,
    model: "pm.Model",
    *,
    seed: int,
    draws: int,
    tune: int,
    chains: int,
    target_accept: float,
) -> xr.DataTree:
    """Draw with ``pm.sample`` and the sampler that is named; the model is compiled at each call.

    Chains run one after another: to fork a process in which threads have run may lock it.
    """
    from betterthan.libraries import pm

    return pm.sample(
        draws=draws,
        tune=tune,
        chains=chains,
        cores=1,
        random_seed=seed,
        target_accept=target_accept,
        nuts_sampler=library,  # type: ignore[arg-type]
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,  # `betterthan.fits.diagnose` makes them
        model=model,
    )


def _first_seed(seed: int) -> int:
    """That of the first chain, from which the sampler takes those of the others."""
    return int(np.random.default_rng(seed).spawn(1)[0].integers(2**30))


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

    try:
        _ = config.compiledir  # PyTensor makes the folder here
    except ValueError:
        raise ValueError(
            f"PyTensor keeps compiled models in {config.base_compiledir}, which cannot be written; "
            "set PYTENSOR_FLAGS=base_compiledir=FOLDER to a folder that you may write to"
        ) from None
    with config.change_flags(numba__fastmath=False):
        yield


def add_predictive(model: "pm.Model", tree: xr.DataTree, seed: int) -> None:
    """Add the groups prior, prior_predictive, posterior_predictive, log_likelihood and
    log_prior.
    """
    from betterthan.libraries import pm

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
    for group in ("log_likelihood", "log_prior"):
        tree[group] = log_density(model, tree["posterior"].to_dataset(), group)
    drop_pairs_without_data(tree)


def log_density(model: "pm.Model", posterior: xr.Dataset, group: str) -> xr.Dataset:
    """Log density of data or parameters at each draw, as PyMC computes it, for many draws at a
    time.
    """
    from pymc.backends.arviz import coords_and_dims_for_inferencedata, dict_to_dataset
    from pymc.model.transform.conditioning import remove_value_transforms
    from pytensor.graph.replace import vectorize_graph

    from betterthan.libraries import pm

    model = remove_value_transforms(model)
    variables = model.observed_RVs if group == "log_likelihood" else model.free_RVs
    values = [model.rvs_to_values[v] for v in model.free_RVs]
    blocks = {v: v.type.clone(shape=(None, *v.type.shape))(v.name) for v in values}
    evaluate = model.compile_fn(
        vectorize_graph(model.logp(vars=variables, sum=False), blocks),
        inputs=list(blocks.values()),
        mode=_PREDICTIVE_MODE["mode"],
        on_unused_input="ignore",
    )
    sampled = posterior.stack(sample=("chain", "draw")).transpose("sample", ...)
    draws = {v.name: sampled[v.name].values.astype(v.dtype, copy=False) for v in values}
    results = [
        evaluate({name: array[start : start + _BLOCK] for name, array in draws.items()})
        for start in range(0, sampled.sizes["sample"], _BLOCK)
    ]
    shape = (posterior.sizes["chain"], posterior.sizes["draw"])
    arrays = {
        str(v.name): np.concatenate(parts).reshape(*shape, *parts[0].shape[1:])
        for v, parts in zip(variables, zip(*results, strict=True), strict=True)
    }
    coords, dims = coords_and_dims_for_inferencedata(model)
    labels = {d: posterior[d] for d in ("chain", "draw")}
    return dict_to_dataset(
        arrays, dims=dims, coords=coords | labels, skip_event_dims=True, inference_library=pm
    )


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

    Data always have them. Of draws and log densities ArviZ joins the variables of a group, which
    has them where all are over pairs.
    """
    for group in tree.children:
        data = tree[group].to_dataset()
        if group == "constant_data":  # systems are coordinates of pair below
            data = data.drop_vars([*names.IS_SYSTEM, *names.SQUARE], errors="ignore")
        over = [names.PAIR in array.dims for array in data.values()]
        if pairs is not None and (any(over) if group.endswith("_data") else all(over)):
            selected = pairs.sel({names.PAIR: data[names.PAIR].values.tolist()})
            labels = (names.PAIR, *names.SQUARE)
            data = data.assign_coords({k: (names.PAIR, selected[k].values) for k in labels})
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


_CACHE: "deque[Graph]" = deque(maxlen=8)


def held(name: str, values: Any) -> Any:
    """What is known of the data, as a variable whose value and length may change after compiling.

    Unlike ``pm.Data`` it is not stored with the draws. Each takes half a second to compile: put
    what belongs together into one.
    """
    from pytensor.compile.sharedvalue import shared

    values = np.asarray(values)
    return shared(values, name=name, shape=(None,) * values.ndim)


def compiled(model: "pm.Model") -> Any:
    """The model, ready to be sampled: an earlier one with the data of this one where they differ in
    data alone, compiled anew where not.
    """
    graph = Graph.from_model(model)
    for earlier in _CACHE:
        if earlier.same_as(graph):
            return earlier.with_data(graph)
    _CACHE.append(graph)
    return graph.compiled()


def is_compiled(model: "pm.Model") -> bool:
    """Whether the model needs no compilation."""
    graph = Graph.from_model(model)
    return any(earlier.same_as(graph) for earlier in _CACHE)


@dataclass(eq=False)
class Graph:
    """The graph of a model, and the data that may change."""

    model: Any
    outputs: list[Any]  # log density, and all that is kept of a draw
    parameters: dict[str, Any]
    data: dict[str, Any]
    shapes: dict[str, tuple[int, ...] | None]  # of what is kept; None where no dims are named
    _compiled: Any = None

    @classmethod
    def from_model(cls, model: "pm.Model") -> "Graph":
        """The graph of a model; building its log density takes a tenth of a second."""
        from pytensor.compile.sharedvalue import SharedVariable
        from pytensor.graph.traversal import graph_inputs

        outputs: list[Any] = [model.logp(), *model.unobserved_value_vars]
        inputs = list(graph_inputs(outputs))
        return cls(
            model=model,
            outputs=outputs,
            parameters={str(v.name): v for v in model.value_vars},
            data={str(v.name): v for v in inputs if isinstance(v, SharedVariable)},
            shapes={str(v.name): _shape(model, v) for v in model.unobserved_RVs},
        )

    def same_as(self, other: "Graph") -> bool:
        """Whether the two differ in data alone; not where a shape is unknown."""
        from pytensor.graph.basic import equal_computations

        named = (self.shapes, list(self.parameters), self.data.keys())
        if named != (other.shapes, list(other.parameters), other.data.keys()):
            return False
        if None in self.shapes.values():
            return False
        mine, others = (
            [*graph.parameters.values(), *(graph.data[name] for name in self.data)]
            for graph in (self, other)
        )
        return equal_computations(self.outputs, other.outputs, in_xs=mine, in_ys=others)

    def compiled(self) -> Any:
        """Compiled once."""
        from betterthan.libraries import nutpie

        if self._compiled is None:
            self._compiled = nutpie.compile_pymc_model(self.model)
        return self._compiled

    def with_data(self, other: "Graph") -> Any:
        """The compiled graph with the data of another, from which starting points follow too."""
        values = {name: variable.get_value() for name, variable in other.data.items()}
        for name, value in values.items():
            self.data[name].set_value(value)
        compiled = self.compiled()
        used = {
            variable.name for variable in compiled.shared_var_keys
        }  # not lengths of what is kept
        return compiled.with_data(**{k: v for k, v in values.items() if k in used})


def _shape(model: "pm.Model", variable: Any) -> tuple[int, ...] | None:
    if variable.ndim == 0:
        return ()
    dims = model.named_vars_to_dims.get(variable.name)
    if dims is None or None in dims:
        return None
    lengths: list[Any] = [model.dim_lengths[str(d)] for d in dims]
    return tuple(int(length.eval(mode="FAST_COMPILE")) for length in lengths)

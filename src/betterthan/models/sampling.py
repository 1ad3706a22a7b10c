"""Sampling: the one place where models are compiled and sampled, and what all fits share.

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
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.progress import on_terminal
from betterthan.signed import Signature

if TYPE_CHECKING:
    import pymc as pm


SAMPLER = "nutpie"
NUTS_SAMPLERS = (SAMPLER, "pymc", "numpyro", "blackjax")
_NEEDS = {"numpyro": ("jax", "numpyro"), "blackjax": ("jax", "blackjax")}
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
    nuts_sampler : {"nutpie", "pymc", "numpyro", "blackjax"}, optional
        What runs NUTS, as ``pm.sample`` names it. Default: nutpie, which compiles a model once; the
        others compile it in each fit. A model that is drawn by weights is sampled by NUTS where one
        is named.

    Raises
    ------
    ValueError
        If draws, tune or chains is no whole number of at least 1, target_accept is not between 0
        and 1, or nuts_sampler is none of these.

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
        """Settings for the sampler; `target_accept` is the model's default."""
        choice = self.target_accept
        return {
            "draws": int(self.draws),
            "tune": int(self.tune),
            "chains": int(self.chains),
            "target_accept": float(target_accept if choice is None else choice),
        }

    @property
    def library(self) -> str:
        """What runs NUTS."""
        return self.nuts_sampler or SAMPLER


def checked(sampling: Any) -> Sampling:
    """How to sample, refused where it is something else."""
    if not isinstance(sampling, Sampling):
        raise ValueError(
            f"sampling is {type(sampling).__name__}; give betterthan.models.Sampling(draws=..., "
            f"chains=...)"
        )
    return sampling


class Options(TypedDict, total=False):
    """What ``fit`` takes beside `Sampling`, under the names of ``pm.sample``."""

    draws: int
    tune: int
    chains: int
    target_accept: float
    nuts_sampler: str
    random_seed: Any


def resolve_sampling(sampling: Any, rng: Any, options: Options) -> tuple[Sampling, int]:
    """How to sample and the seed, each from ``fit``'s own argument or from PyMC's.

    Raises
    ------
    ValueError
        If something is asked for twice or is not valid, or the package of a sampler is missing.
    TypeError
        If there is no such option.
    """
    record, choices = checked(sampling), dict(options)
    for name in choices.keys() - Options.__annotations__.keys():
        allowed = ", ".join(Options.__annotations__)
        raise TypeError(f"{name!r} is no option of fit; choose of {allowed}")
    if "random_seed" in choices:
        if rng is not None:
            raise ValueError("rng and random_seed are both given; give one, they are the same seed")
        rng = choices.pop("random_seed")
    for field in fields(Sampling):
        value = getattr(record, field.name)
        if field.name in choices and value != field.default:
            raise ValueError(
                f"{field.name} is {checks.shown(choices[field.name])}, and {checks.shown(value)} "
                "in sampling; give it once"
            )
    record = replace(record, **choices)
    for package in _NEEDS.get(record.library, ()):
        if find_spec(package) is None:
            raise ValueError(
                f"nuts_sampler={record.nuts_sampler!r} needs {package}, which is not installed: "
                f"pip install {package}"
            )
    return record, one_seed(rng)


def default_target_accept(model: ModuleType) -> float:
    """Default target_accept of a model."""
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
        Whether to add the groups prior, prior_predictive, posterior_predictive, log_likelihood and
        log_prior.
    pairs : xarray.DataArray, dims (pair, outcome), optional
        Whose names of systems go onto the tree, for a model over pairs.
    target_accept : float, default 0.9
        The model's own, where `sampling` has none.

    Returns
    -------
    xarray.DataTree
    """
    settings, seed = sampling.settings(target_accept), one_seed(rng)
    with steady_arithmetic(), quiet_logger():
        draw = sample if sampling.library == SAMPLER else partial(by_pymc, sampling.library)
        tree = draw(model, seed=seed, **settings)
        if predictive:
            add_predictive(model, tree, seed)
    provenance = _how(sampling.library, settings, seed)
    tidy(tree, pairs)
    tree["posterior"].attrs = attrs | provenance
    return tree


def sample(
    model: "pm.Model", *, seed: int, draws: int, tune: int, chains: int, target_accept: float
) -> xr.DataTree:
    """Draw from the posterior with every choice passed on: defaults of the sampler depend on the
    machine.

    As ``pm.sample`` of the same seed, but that a model is compiled once and not at every call.
    """
    import nutpie

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
    _label(tree, model)
    for group, data in data_groups(model).items():
        tree[group] = data
    return tree


def data_groups(model: "pm.Model") -> dict[str, xr.Dataset]:
    """Groups constant_data and observed_data, as ``pm.sample`` makes them: what the model was given
    and what it has observed, with their dims and labels. Data that are observed and nothing else
    are no constants.
    """
    from pytensor.graph.traversal import ancestors

    used = set(ancestors([*model.basic_RVs, *model.deterministics, *model.potentials]))
    observed_values = {str(v.name): model.rvs_to_values[v] for v in model.observed_RVs}
    observed = set(observed_values.values())
    held = {str(v.name): v for v in model.data_vars if v not in observed or v in used}
    return {
        "constant_data": _dataset(model, held),
        "observed_data": _dataset(model, observed_values),
    }


def _dataset(model: "pm.Model", variables: dict[str, Any]) -> xr.Dataset:
    """Values of variables of a model; where a dim has no labels, its numbers."""
    arrays: dict[str, tuple[list[str], np.ndarray]] = {}
    for name, variable in variables.items():
        values = _value(variable)
        dims = model.named_vars_to_dims.get(name) or [None] * values.ndim
        named = [str(d) if d is not None else f"{name}_dim_{k}" for k, d in enumerate(dims)]
        arrays[name] = (named, values)
    sizes = {d: n for dims, v in arrays.values() for d, n in zip(dims, v.shape, strict=True)}
    coords = {d: (d, np.array(_labels(model, d, n))) for d, n in sizes.items()}
    return xr.Dataset(arrays, coords)


def _value(variable: Any) -> np.ndarray:
    """Value of a data variable: shared, constant, or computed from these."""
    for attribute in ("get_value", "data"):
        if hasattr(variable, attribute):
            value = getattr(variable, attribute)
            return np.asarray(value() if callable(value) else value)
    return np.asarray(variable.eval(mode="FAST_COMPILE"))


def _labels(model: "pm.Model", dim: str, length: int) -> Any:
    labels = model.coords.get(dim)
    return np.arange(length) if labels is None else labels


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
    import pymc as pm

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


def _label(tree: xr.DataTree, model: "pm.Model") -> None:
    """Coordinates of this model: it may have been compiled for one with other names."""
    posterior = tree["posterior"].to_dataset()
    coords = {d: np.array(model.coords[d]) for d in map(str, posterior.dims) if d in model.coords}
    coords = {d: v.astype(object) if v.dtype.kind == "U" else v for d, v in coords.items()}
    tree["posterior"] = posterior.assign_coords(coords)


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


def _how(library: str, settings: dict[str, Any], seed: int) -> dict[str, Any]:
    """Provenance of the draws: settings, sampler, and versions of the libraries."""
    signature = Signature(
        seed=seed,
        draws=settings["draws"],
        chains=settings["chains"],
        inference_library=library,
    )
    libraries = dict.fromkeys(("betterthan", "pymc", library, "pytensor"))
    versions = {"versions": ", ".join(f"{lib} {version(lib)}" for lib in libraries)}
    return (
        settings | signature.to_attrs() | versions | {"inference_library_version": version(library)}
    )


def add_predictive(model: "pm.Model", tree: xr.DataTree, seed: int) -> None:
    """Add the groups prior, prior_predictive, posterior_predictive, log_likelihood and
    log_prior.
    """
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
        for compute in (pm.compute_log_likelihood, pm.stats.compute_log_prior):
            compute(tree, progressbar=False, compile_kwargs=_PREDICTIVE_MODE)
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

    Unlike ``pm.Data`` it is not stored with the draws.
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
        import nutpie

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

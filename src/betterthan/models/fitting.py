"""Fit any model: options, their documentation, and the tree of draws."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from inspect import Parameter
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import sampling
from betterthan.models.sampling import Sampling
from betterthan.signed import Signature

if TYPE_CHECKING:
    import pymc as pm


class Options(TypedDict, total=False):
    """Settings of `Sampling`, under the names of ``pm.sample``."""

    draws: int
    tune: int
    chains: int
    target_accept: float
    nuts_sampler: str
    random_seed: Any


class FitOptions(Options, total=False):
    """What every ``fit`` takes besides its data and the choices of its model."""

    sampling: Sampling
    rng: Any
    predictive: bool


_SHORT = """**options
    How to sample: see `betterthan.models.Sampling`.
"""
_FULL = """sampling : Sampling, optional
    How many draws and chains; {target}
rng : int, numpy.random.Generator or None
    The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
    draws.
predictive : bool, default True
    Whether to add the groups prior, prior_predictive, posterior_predictive, log_likelihood and
    log_prior.
**options
    ``draws``, ``tune``, ``chains``, ``target_accept`` and ``nuts_sampler`` of `Sampling`, and
    ``random_seed``, which is `rng`, under the names that ``pm.sample`` has for them.
"""
_NUTS = "its ``target_accept`` is {:g} here unless given."
_WEIGHTED = "of NUTS also ``tune`` and ``target_accept``, {:g} here unless\n    given."
_Fit = TypeVar("_Fit", bound=Callable[..., xr.DataTree])


def documented(target_accept: float = names.TARGET_ACCEPT) -> Callable[[_Fit], _Fit]:
    """Write `FitOptions` out in signature and docstring of a ``fit``, whose calls do not change.

    Parameters
    ----------
    target_accept : float, default 0.9
        The model's own.
    """
    shared = [
        Parameter("sampling", Parameter.KEYWORD_ONLY, default=Sampling(), annotation=Sampling),
        Parameter("rng", Parameter.KEYWORD_ONLY, default=None, annotation=Any),
        Parameter("predictive", Parameter.KEYWORD_ONLY, default=True, annotation=bool),
        Parameter("options", Parameter.VAR_KEYWORD, annotation=Unpack[Options]),
    ]

    def document(fit: _Fit) -> _Fit:
        signature = inspect.signature(fit)
        *parameters, _ = signature.parameters.values()
        target = _WEIGHTED if "sampler" in signature.parameters else _NUTS
        full = _FULL.format(target=target.format(target_accept))
        fit.__doc__ = fit.__doc__ and inspect.cleandoc(fit.__doc__).replace(_SHORT, full)
        vars(fit)["__signature__"] = signature.replace(parameters=parameters + shared)
        return fit

    return document


@dataclass(frozen=True)
class Run:
    """How to sample, which seed, and whether to add the groups of predictions."""

    sampling: Sampling
    seed: int
    predictive: bool

    @classmethod
    def from_options(cls, options: FitOptions) -> Self:
        """From the options of ``fit``, each by its own name or by that of PyMC.

        Raises
        ------
        ValueError
            If something is asked for twice or is not valid, or the package of a sampler is missing.
        TypeError
            If there is no such option.
        """
        record, rng = options.get("sampling", Sampling()), options.get("rng")
        predictive = options.get("predictive", True)
        own = ("sampling", "rng", "predictive")
        choices: dict[str, Any] = {k: v for k, v in options.items() if k not in own}
        right = "betterthan.models.Sampling(draws=..., chains=...)"
        checks.instance(record, Sampling, "sampling is", right)
        for name in choices:
            if name not in Options.__annotations__:
                allowed = ", ".join(Options.__annotations__)
                raise TypeError(f"{name!r} is no option of fit; choose of {allowed}")
        if "random_seed" in choices:
            if rng is not None:
                raise ValueError(
                    "rng and random_seed are both given; give one, they are the same seed"
                )
            rng = choices.pop("random_seed")
        for field in fields(Sampling):
            value = getattr(record, field.name)
            if field.name in choices and value != field.default:
                raise ValueError(
                    f"{field.name} is {checks.quoted(choices[field.name])}, and "
                    f"{checks.quoted(value)} in sampling; give it once"
                )
        record = replace(record, **choices)
        for package in sampling.LIBRARY_NEEDS.get(record.library, ()):
            if find_spec(package) is None:
                raise ValueError(
                    f"nuts_sampler={record.nuts_sampler!r} needs {package}, which is not "
                    f"installed: pip install {package}"
                )
        return cls(record, one_seed(rng), checks.flag(predictive, "predictive"))


def fit_model(
    model: "pm.Model",
    attrs: dict[str, Any],
    run: Run,
    *,
    pairs: xr.DataArray | None = None,
    target_accept: float = names.TARGET_ACCEPT,
) -> xr.DataTree:
    """Sample a model by NUTS and return the tree of a fit, with its provenance.

    Parameters
    ----------
    model : pymc.Model
        With one observed variable, ``y``.
    attrs : dict
        ``model``, ``prior`` and more, for ``posterior.attrs``.
    run : Run
    pairs : xarray.DataArray, dims (pair, outcome), optional
        Whose names of systems go onto the tree, for a model over pairs.
    target_accept : float, default 0.9
        The model's own, where `run` has none.

    Returns
    -------
    xarray.DataTree
    """
    settings, library = run.sampling.settings(target_accept), run.sampling.library
    by_nutpie = library == sampling.SAMPLER
    with sampling.steady_arithmetic(), sampling.quiet_logger():
        draw = sampling.sample if by_nutpie else partial(sampling.by_pymc, library)
        tree = draw(model, seed=run.seed, **settings)
        if run.predictive:
            sampling.add_predictive(model, tree, run.seed)
    sampling.tidy(tree, pairs)
    signature = Signature(
        seed=run.seed, draws=settings["draws"], chains=settings["chains"], inference_library=library
    )
    libraries = dict.fromkeys(("betterthan", "pymc", library, "pytensor"))
    versions = ", ".join(f"{name} {version(name)}" for name in libraries)
    used = {"versions": versions, "inference_library_version": version(library)}
    tree["posterior"].attrs = attrs | settings | signature.to_attrs() | used
    return tree

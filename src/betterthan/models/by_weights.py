"""A posterior drawn by weights instead of a sampler: when that may be trusted, and the tree it
makes.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.laplace import nested
from betterthan.models import forward, of_pairs
from betterthan.models.forward import Values, Variable
from betterthan.models.of_groups import Groups
from betterthan.models.priors import Prior
from betterthan.models.sampling import (
    Sampling,
    drop_pairs_without_data,
    fit_model,
    tidy,
)
from betterthan.signed import Signature

SAMPLERS = ("laplace", "nuts")
LIBRARY = "nested Laplace, weighted"


class Posterior(Protocol):
    """A posterior that is drawn by weights."""

    def draws(self, number: int, random: np.random.Generator) -> nested.Drawn:
        """Draws of equal weight."""
        ...

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of spreads and parameters, (draw, ...)."""
        ...

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihoods (draw, *dims of the observed less the last)."""
        ...


@dataclass(frozen=True, kw_only=True)
class WeightedModel:
    """A model that can be drawn by weights, or else by PyMC."""

    posterior: Posterior
    # all of the PyMC model, of each draw of spreads and parameters
    variables: Callable[[np.ndarray, np.ndarray], dict[str, Variable]]
    log_prior: Callable[[Values], dict[str, np.ndarray]]  # of what has a prior, of each draw
    outcomes: Callable[[Values, np.random.Generator], np.ndarray]  # drawn anew, of each draw
    observed: xr.DataArray  # what the model sees
    labels: dict[str, Any]  # of dims of the variables
    build: Callable[[], Any]  # the PyMC model
    target_accept: float = names.TARGET_ACCEPT
    pairs: xr.DataArray | None = None  # of a model over pairs


class GroupPosterior(Posterior, Protocol):
    """A posterior of pairs in groups, with the variables of its PyMC model."""

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All of the PyMC model, of each draw of spreads and parameters."""
        ...

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the variables of the PyMC model that have a prior, of each draw."""
        ...

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated counts, of each draw."""
        ...


def group_model(posterior: GroupPosterior, data: Groups, build: Callable[[], Any]) -> WeightedModel:
    """The model of counts of pairs in groups."""
    labels = of_pairs.coords(data.pairs) | data.levels
    return WeightedModel(
        posterior=posterior,
        variables=posterior.variables,
        log_prior=posterior.log_prior,
        outcomes=posterior.outcomes,
        observed=xr.DataArray(data.values, {d: labels[d] for d in data.dims}, data.dims),
        labels=labels,
        build=build,
        pairs=data.pairs,
    )


def fit_weighted(
    model: WeightedModel,
    attrs: dict[str, Any],
    sampler: str | None,
    sampling: Sampling,
    *,
    seed: int,
    predictive: bool,
) -> xr.DataTree:
    """The tree of a fit, by weights where they are to be trusted; see `sampling.fit_model`."""
    if sampling.nuts_sampler is not None:
        sampler = _nuts_named(sampler, sampling.nuts_sampler)
    draws = drawn(model.posterior, sampler, sampling, seed)
    if draws is not None:
        return _tree(model, draws, attrs, sampling, seed, predictive=predictive)
    return fit_model(
        model.build(),
        attrs,
        sampling,
        rng=seed,
        predictive=predictive,
        pairs=model.pairs,
        target_accept=model.target_accept,
    )


def _nuts_named(sampler: str | None, library: str) -> str:
    if sampler == "laplace":
        raise ValueError(
            f"sampler='laplace' and nuts_sampler={library!r} exclude each other; give one of them"
        )
    return checks.one_of(sampler or "nuts", SAMPLERS, "sampler")


def warn_nuts_only(prior: Prior, sampler: str | None) -> None:
    """Warn that a model is sampled by NUTS, as its prior does not allow weights.

    Raises
    ------
    ValueError
        If sampler is not valid, or weights were asked for.
    """
    if sampler is None:
        warnings.warn(
            "sampled by NUTS, as draws by weights take one prior of numbers, and prior is "
            f"{prior.text}",
            skip_file_prefixes=names.PACKAGE,
        )
    elif checks.one_of(sampler, SAMPLERS, "sampler") == "laplace":
        raise ValueError(
            f"sampler='laplace' takes one prior of numbers, and prior is {prior.text}; give "
            "sampler='nuts'"
        )


def drawn(
    posterior: Posterior, sampler: str | None, sampling: Sampling, seed: int
) -> nested.Drawn | None:
    """The draws, or nothing where the model is to be sampled by NUTS.

    Parameters
    ----------
    posterior : Posterior
    sampler : {"laplace", "nuts"} or None
        None: by weights, and by NUTS where they are not to be trusted.
    sampling : Sampling
    seed : int

    Raises
    ------
    ValueError
        If sampler is not valid, or weights were asked for and are not to be trusted.
    """
    if sampler is not None:
        checks.one_of(sampler, SAMPLERS, "sampler")
    if sampler == "nuts":
        return None
    draws, why = _tried(posterior, sampling, seed)
    if not why:
        return draws
    if sampler == "laplace":
        raise ValueError(f"sampler='laplace' is not to be trusted here: {why}; give sampler='nuts'")
    warnings.warn(
        f"sampled by NUTS, as weights are not to be trusted here: {why}",
        skip_file_prefixes=names.PACKAGE,
    )
    return None


def _tried(posterior: Posterior, sampling: Sampling, seed: int) -> tuple[nested.Drawn | None, str]:
    """The draws, and a message if they cannot be trusted."""
    number = int(sampling.chains) * int(sampling.draws)
    try:
        with np.errstate(all="ignore"):
            draws = posterior.draws(number, np.random.default_rng(seed))
    except np.linalg.LinAlgError:
        return None, "a log density has no largest value near by"
    except ValueError as error:
        return None, str(error)
    if not draws.k_hat <= names.PARETO_K_MAX:
        return draws, f"k-hat is {draws.k_hat:.2f}, above {names.PARETO_K_MAX:g}"
    if draws.effective < min(names.ESS_MIN, number):
        return draws, f"{draws.proposed:,} weighted draws are worth {draws.effective:.0f}"
    return draws, ""


def _tree(
    model: WeightedModel,
    draws: nested.Drawn,
    attrs: dict[str, Any],
    sampling: Sampling,
    seed: int,
    *,
    predictive: bool,
) -> xr.DataTree:
    shape = int(sampling.chains), int(sampling.draws)
    variables = model.variables(draws.v, draws.x)
    posterior = forward.dataset(variables, shape, model.labels)
    groups = {"posterior": posterior, "observed_data": model.observed.to_dataset(name="y")}
    if predictive:
        groups |= forward.groups(_forward(model, draws), variables, shape, seed)
    tree = xr.DataTree.from_dict(groups)
    tidy(tree, model.pairs)
    if predictive:
        drop_pairs_without_data(tree)
    tree["posterior"].attrs = attrs | _how(draws, shape, seed)
    return tree


def _forward(model: WeightedModel, draws: nested.Drawn) -> forward.Forward:
    from_prior = model.posterior.from_prior
    return forward.Forward(
        prior=lambda number, random: model.variables(*from_prior(number, random)),
        outcomes=model.outcomes,
        log_prior=model.log_prior,
        log_likelihood=model.posterior.pointwise(draws.v, draws.x),
        observed=model.observed,
        labels=model.labels,
    )


def _how(draws: nested.Drawn, shape: tuple[int, int], seed: int) -> dict[str, Any]:
    """Provenance of the draws, and diagnostics of the weights."""
    signature = Signature(seed=seed, draws=shape[1], chains=shape[0], inference_library=LIBRARY)
    quality = {
        "pareto_k": draws.k_hat,
        "weights_ess": draws.effective,
        "proposed": draws.proposed,
        "sampler": "laplace",
    }
    return signature.to_attrs() | quality | {"versions": f"betterthan {version('betterthan')}"}

"""Importance sampling: a posterior drawn by weights, when to trust it, the tree it becomes, and the
log densities of priors at draws, without PyMC.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.laplace import nested
from betterthan.models import likelihood_data
from betterthan.models.fitting import Run, fit_model
from betterthan.models.likelihood_data import Groups
from betterthan.models.priors import Prior
from betterthan.models.sampling import Sampling, drop_pairs_without_data, tidy
from betterthan.signed import Signature

_BLOCK = 130_000  # outcomes drawn at a time
_FEW = 4  # judgments of a row, up to which they are drawn one by one

Variable = tuple[tuple[str, ...], np.ndarray]  # dims, and values (draw, ...)
Values = Mapping[str, np.ndarray]  # (draw, ...), by name


def draw_tables(
    win: np.ndarray, loss: np.ndarray, n: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Multinomial tables (draw, row, outcome) of n (row,), at chances of win and loss (draw, row);
    a uniform number each, where there are few.
    """
    counts = np.zeros((*win.shape, 3), np.int64)
    few = n <= _FEW
    for j in range(int(n[few].max(initial=0))):
        some = np.flatnonzero(few & (n > j))
        u = random.random((len(win), len(some)))
        first = win[:, some]
        fell = (u >= first).astype(np.int8) + (u >= first + loss[:, some])
        for outcome in range(3):
            counts[:, some, outcome] += fell == outcome
    many = np.flatnonzero(~few)
    both = win[:, many], loss[:, many]
    chances = np.stack([*both, np.maximum(1 - both[0] - both[1], 0.0)], axis=-1)
    counts[:, many] = random.multinomial(n[many], chances)
    return counts


SAMPLERS = ("laplace", "nuts")
LIBRARY = "nested Laplace, weighted"


class Posterior(Protocol):
    """A posterior that is drawn by weights."""

    def draws(self, number: int, random: np.random.Generator) -> nested.Drawn:
        """Draws of equal weight."""

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of spreads and parameters, (draw, ...)."""

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihoods (draw, *dims of the observed less the last)."""


class Weights(Protocol):
    """The variables of a PyMC model whose posterior is drawn by weights."""

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All of the PyMC model, of each draw of spreads and parameters."""

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the variables of the PyMC model that have a prior, of each draw."""

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated data, of each draw."""


@dataclass(frozen=True, kw_only=True)
class WeightedModel:
    """A model that can be drawn by weights, or else by PyMC."""

    posterior: Posterior
    weights: Weights
    observed: xr.DataArray  # what the model sees
    labels: dict[str, Any]  # of dims of the variables
    build: Callable[[], Any]  # the PyMC model
    target_accept: float = names.TARGET_ACCEPT
    pairs: xr.DataArray | None = None  # of a model over pairs


class GroupPosterior(Posterior, Weights, Protocol):
    """A posterior of pairs in groups, with the variables of its PyMC model."""


def fit_weighted(
    model: WeightedModel, attrs: dict[str, Any], sampler: str | None, run: Run
) -> xr.DataTree:
    """The tree of a fit, by weights where they are to be trusted; see `fitting.fit_model`."""
    if (library := run.sampling.nuts_sampler) is not None:
        if sampler == "laplace":
            raise ValueError(
                f"sampler='laplace' and nuts_sampler={library!r} exclude each other; give one of "
                "them"
            )
        sampler = checks.one_of(sampler or "nuts", SAMPLERS, "sampler")
    draws = drawn(model.posterior, sampler, run.sampling, run.seed)
    if draws is not None:
        return _tree(model, draws, attrs, run)
    return fit_model(
        model.build(), attrs, run, pairs=model.pairs, target_accept=model.target_accept
    )


def fit_groups(
    posterior: GroupPosterior | None,
    data: Groups,
    prior: Prior,
    build: Callable[[], Any],
    attrs: dict[str, Any],
    sampler: str | None,
    run: Run,
) -> xr.DataTree:
    """The tree of a fit of counts in groups; without a posterior to weight, by NUTS."""
    if posterior is not None:
        labels = likelihood_data.coords(data.pairs) | data.levels
        model = WeightedModel(
            posterior=posterior,
            weights=posterior,
            observed=xr.DataArray(data.values, {d: labels[d] for d in data.dims}, data.dims),
            labels=labels,
            build=build,
            pairs=data.pairs,
        )
        return fit_weighted(model, attrs, sampler, run)
    built = build()
    _warn_nuts_only(prior, sampler)
    return fit_model(built, attrs, run, pairs=data.pairs)


def _warn_nuts_only(prior: Prior, sampler: str | None) -> None:
    """Warn that a model is sampled by NUTS, as its prior does not allow weights.

    Raises
    ------
    ValueError
        If sampler is not valid, or weights were asked for.
    """
    if sampler is None:
        checks.warn(
            "sampled by NUTS, as draws by weights take one prior of numbers, and prior is "
            f"{prior.text}"
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
    checks.warn(f"sampled by NUTS, as weights are not to be trusted here: {why}")
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
    model: WeightedModel, draws: nested.Drawn, attrs: dict[str, Any], run: Run
) -> xr.DataTree:
    shape = int(run.sampling.chains), int(run.sampling.draws)
    variables = model.weights.variables(draws.v, draws.x)
    posterior = _as_dataset(variables, shape, model.labels)
    groups = {"posterior": posterior, "observed_data": model.observed.to_dataset(name="y")}
    if run.predictive:
        groups |= _predictive_groups(model, draws, variables, run)
    tree = xr.DataTree.from_dict(groups)
    tidy(tree, model.pairs)
    if run.predictive:
        drop_pairs_without_data(tree)
    signature = Signature(seed=run.seed, draws=shape[1], chains=shape[0], inference_library=LIBRARY)
    quality = {
        "pareto_k": draws.k_hat,
        "weights_ess": draws.effective,
        "proposed": draws.proposed,
        "sampler": "laplace",
    }
    versions = {"versions": f"betterthan {version('betterthan')}"}
    tree["posterior"].attrs = attrs | signature.to_attrs() | quality | versions
    return tree


def _predictive_groups(
    model: WeightedModel, draws: nested.Drawn, posterior: Mapping[str, Variable], run: Run
) -> dict[str, xr.Dataset]:
    """Groups prior, prior_predictive, posterior_predictive, log_likelihood and log_prior.

    Parameters
    ----------
    model : WeightedModel
    draws : Drawn
        Of the posterior.
    posterior : mapping
        Variables of each draw.
    run : Run
    """
    random = np.random.default_rng([run.seed, 2])
    shape = int(run.sampling.chains), int(run.sampling.draws)
    once, y_dims = (1, names.DRAWS), model.observed.dims
    prior = model.weights.variables(*model.posterior.from_prior(names.DRAWS, random))
    densities = model.weights.log_prior({name: values for name, (_, values) in posterior.items()})
    log_prior = {k: (posterior[k][0][: v.ndim - 1], v) for k, v in densities.items()}
    labels = {str(d): model.observed[d].values for d in y_dims}
    likelihood = model.posterior.pointwise(draws.v, draws.x)

    def group(dims: tuple[Any, ...], values: np.ndarray, sizes: tuple[int, int]) -> xr.Dataset:
        return _as_dataset({"y": (dims, values)}, sizes, labels)

    return {
        "prior": _as_dataset(prior, once, model.labels),
        "prior_predictive": group(y_dims, _replicated(model, prior, random), once),
        "posterior_predictive": group(y_dims, _replicated(model, posterior, random), shape),
        "log_likelihood": group(y_dims[:-1], likelihood, shape),
        "log_prior": _as_dataset(log_prior, shape, model.labels),
    }


def _replicated(
    model: WeightedModel, variables: Mapping[str, Variable], random: np.random.Generator
) -> np.ndarray:
    """Replicated data of each draw, some draws at a time."""
    values = {name: value for name, (_, value) in variables.items()}
    number = len(next(iter(values.values())))
    outcomes = np.empty((number, *model.observed.shape), np.int64)
    size = max(1, _BLOCK // max(1, model.observed.size))
    for k in range(0, number, size):
        some = {name: value[k : k + size] for name, value in values.items()}
        outcomes[k : k + size] = model.weights.outcomes(some, random)
    return outcomes


def _as_dataset(
    variables: Mapping[str, Variable], shape: tuple[int, int], labels: Mapping[str, Any]
) -> xr.Dataset:
    """Variables over (chain, draw, ...), with the labels of their dims."""
    data = {
        name: (("chain", "draw", *dims), values.reshape(shape + values.shape[1:]))
        for name, (dims, values) in variables.items()
    }
    used = {d for dims, _ in variables.values() for d in dims}
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    return xr.Dataset(data, coords | {d: labels[d] for d in used})


_LOG_ROOT = np.log(2 * np.pi) / 2


def normal(x: np.ndarray, mean: Any, sd: Any) -> np.ndarray:
    """Of a normal variable."""
    return -(((x - mean) / sd) ** 2) / 2 - np.log(sd) - _LOG_ROOT


def half_normal(x: np.ndarray, sd: float) -> np.ndarray:
    """Of the size of a normal variable around 0."""
    return normal(x, 0.0, sd) + np.log(2)


def log_normal(x: np.ndarray, mean: float, sd: float) -> np.ndarray:
    """Of a variable whose logarithm is normal."""
    return normal(np.log(x), mean, sd) - np.log(x)


def gamma(x: np.ndarray, shape: float, rate: float) -> np.ndarray:
    """Of a gamma variable."""
    constant = shape * np.log(rate) - special.gammaln(shape)
    return constant + special.xlogy(shape - 1, x) - rate * x


def beta(x: np.ndarray, a: float, b: float) -> np.ndarray:
    """Of a beta variable."""
    return special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)


def dirichlet(x: np.ndarray, shape: Any) -> np.ndarray:
    """Of shares (..., outcome)."""
    shape = np.asarray(shape)
    constant = special.gammaln(shape.sum()) - special.gammaln(shape).sum()
    return constant + special.xlogy(shape - 1, x).sum(-1)

"""How able all systems are, from one set of items that they share: the Rasch model, difficulties
integrated out.

Question
--------
How able is each of many systems, from items that all of them share, and how much of the winner's
lead is luck?

Model
-----

    P(system s solves item i) = logistic(mean + ability_s - difficulty_i)
    difficulty_i ~ Normal(0, difficulty_sd)

Difficulties are integrated out by the trapezoidal rule. In repeated trials (k of n), each item has,
for each system, a Beta-distributed probability around that value, with correlation
`trial_correlation`. Otherwise five runs of an item would count as five items.
`discrimination=True` (2PL) lets the slope of items vary.

Priors
------
Abilities are normal with standard deviation `ability_sd ~ Gamma(3, 4)`, less their mean.
`log difficulty_sd ~ Normal(0.3, 0.6)`, `mean ~ Normal(0, 1.5)`, `trial_correlation ~ Beta(1, 3)`.
The standard deviation of log discriminations is half-normal with 0.5.

When it misleads
----------------
- Items are taken as draws of one population that differ in difficulty only. A system that is good
  at one kind of item and bad at another has one ability.
- All systems are shrunk towards one mean. Leave out a system that is known to be apart, such as a
  person.
- Two abilities are never exactly equal. `tied_with_top` lists the systems that are not worse than
  the best one with sufficient probability.

References
----------
Bock & Aitkin 1981, Psychometrika 46, 443-459.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.runs import trials_of
from betterthan.exact.laplace import items, nested
from betterthan.exact.laplace.nested import Posterior
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins import rasch
from betterthan.models import importance, likelihood_data, repeated_trials, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented
from betterthan.models.importance import Values, Variable

if TYPE_CHECKING:
    import pymc as pm

Tensors = Callable[..., Any]
MEAN = 1.5
ITEM = (0.3, 0.6)  # mean and standard deviation of the logarithm of the spread of difficulties
TRIALS = (1.0, 3.0)  # Beta prior of the correlation of two trials beyond ability and difficulty
DISCRIMINATION = 0.5  # prior of the spread of log discriminations
SLOPES = 9  # nodes of the integral over a slope

# what has a parameter of its own: its name, and its value at a standard normal coordinate
MORE: dict[str, tuple[str, nested.Spread]] = {
    "repeated": ("trial_correlation", nested.beta(*TRIALS)),
    "discrimination": ("discrimination_sd", nested.half_normal(DISCRIMINATION)),
}
_SD = nested.gamma(shrinkage.SHAPE, shrinkage.RATE)
TARGET_ACCEPT = 0.95
_CELL = (names.ITEM, names.SYSTEM)


def simulate(items: int, *, systems: int = 4, trials: int = 1, rng: Any = None) -> xr.Dataset:
    """Simulate true values from the prior, and the systems' successes from these.

    Parameters
    ----------
    items : int
        Number of items.
    systems : int, default 4
        Number of systems.
    trials : int, default 1
        Number of trials of every system on every item.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), and the true values: ``ability`` (system),
        ``mean``, ``ability_sd``, ``difficulty_sd``, and for repeated trials ``trial_correlation``.

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(20, systems=3, rng=1)["successes"].sizes
    Frozen({'item': 20, 'system': 3})
    """
    shape = checks.whole(items, "items", 2), checks.whole(systems, "systems", 2)
    n = np.full(shape, checks.whole(trials, "trials"))
    random = np.random.default_rng(one_seed(rng))
    sd, ability = shrinkage.draw_abilities(shape[1], random)
    mean, spread = random.normal(scale=MEAN), np.exp(random.normal(*ITEM))
    rho = random.beta(*TRIALS)
    eta = mean + ability - random.normal(size=(shape[0], 1)) * spread
    truth: dict[str, Any] = {"ability": (names.SYSTEM, ability), "ability_sd": sd}
    truth |= {"mean": mean, "difficulty_sd": spread}
    if trials > 1:
        truth["trial_correlation"] = rho
    successes = rasch.draw_successes(eta, n, truth.get("trial_correlation", 0.0), random)
    data = {"successes": (_CELL, successes), "trials": (_CELL, n)}
    return xr.Dataset(data | truth, coords=likelihood_data.simulated_labels(_CELL, shape))


describe = describer(__name__)


def build(
    data: xr.DataArray | xr.Dataset, *, discrimination: bool = False, nodes: int | None = None
) -> "pm.Model":
    """Build the PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system) of 0 and 1, where items of one id in several epochs are trials; or
        ``successes`` of ``trials`` (item, system), from `betterthan.counts.trials` or
        `betterthan.counts.trials_from_table`. Missing values are left out.
    discrimination : bool, default False
        Whether items differ in how well they distinguish systems (2PL). It takes many systems to
        estimate that; expect divergences.
    nodes : int, optional
        Number of quadrature nodes over difficulties. Default: by the number of systems and trials.

    Returns
    -------
    pymc.Model
        ``ability`` (system), log odds with sum zero; ``ability_sd``, ``difficulty_sd``, ``mean``;
        ``trial_correlation`` for repeated trials, ``discrimination_sd`` if requested. Observed
        ``y`` (item, system).

    Raises
    ------
    ValueError
        If the scores are not 0 and 1, successes exceed trials, items do not connect the systems, or
        an argument is not valid.
    """
    from betterthan.libraries import pm

    successes, trials, items, systems = trials_of(data)
    kind = _kind(trials, discrimination)
    x, log_weight = rasch.nodes(_node_count(trials, nodes, discrimination))
    with pm.Model(coords={names.ITEM: items, names.SYSTEM: systems}) as model:
        ability = shrinkage.abilities(successes.sum(0), trials.sum(0))
        mean, spread = pm.Normal("mean", 0.0, MEAN), pm.LogNormal("difficulty_sd", *ITEM)
        more, draw = 0.0, repeated_trials.draw
        if kind == "repeated":
            more = pm.Beta("trial_correlation", *TRIALS)
        if kind == "discrimination":
            more, draw = pm.HalfNormal("discrimination_sd", DISCRIMINATION), _draw_discriminating
        observed = pm.Data("successes", successes, dims=_CELL)
        pm.CustomDist(
            "y",
            trials,
            ability,
            mean,
            spread,
            more,
            logp=_log_probability(kind, trials, x, log_weight),
            random=draw,
            signature="(s),(s),(),(),()->(s)",
            observed=observed,
            dims=_CELL,
            dtype="int64",
        )
    return model


@documented(TARGET_ACCEPT)
def fit(
    data: xr.DataArray | xr.Dataset,
    *,
    discrimination: bool = False,
    nodes: int | None = None,
    sampler: str | None = None,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of all systems, by importance sampling or with PyMC.

    Parameters
    ----------
    data, discrimination, nodes
        See `build`.
    sampler : {"laplace", "nuts"} or None
        ``laplace``: importance sampling from an approximation of the posterior, resampled to draws
        of equal weight, in seconds. ``nuts``: PyMC. Default: ``laplace``, and NUTS with a warning
        if the weights are not reliable (k-hat above 0.7).
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): ``ability`` (system) and the other variables of
        `build`, and ``expected_score`` (system), the proportion of all such items that a system
        solves. The log likelihood is of whole items. ``posterior.attrs`` hold ``quadrature_error``,
        the change of the log likelihood with twice the nodes; for ``laplace`` also ``pareto_k``
        (k-hat), ``weights_ess`` (effective number of draws), and ``proposed``. Pass it to
        `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid, or if the weights are not
        reliable with ``sampler="laplace"``.
    """
    run = Run.from_options(options)
    successes, trials, items, systems = trials_of(data)
    kind = _kind(trials, discrimination)
    number = _node_count(trials, nodes, discrimination)
    weights = Weights(kind, successes, trials, number, run.seed)
    coords = {names.ITEM: items, names.SYSTEM: systems}
    counts = xr.Dataset({"successes": (_CELL, successes), "trials": (_CELL, trials)}, coords)
    model = importance.WeightedModel(
        posterior=weights.posterior(),
        weights=weights,
        observed=counts["successes"],
        labels=coords,
        build=partial(build, data, discrimination=discrimination, nodes=nodes),
        target_accept=TARGET_ACCEPT,
    )
    attrs = _attrs(trials, number, discrimination)
    tree = importance.fit_weighted(model, attrs, sampler, run)
    expected = repeated_trials.expected_score
    posterior = tree["posterior"].to_dataset().assign(expected_score=expected)
    error = weights.quadrature_error(posterior)
    tree["posterior"] = posterior.assign_attrs(quadrature_error=error)
    tree["constant_data"] = counts
    return tree


def _attrs(trials: np.ndarray, nodes: int, discrimination: bool) -> dict[str, Any]:
    return {
        "model": "item_response",
        "prior": [shrinkage.SHAPE, shrinkage.RATE, *ITEM],
        "discrimination": int(discrimination),
        "nodes": nodes,
        "n_items": len(trials),
        "n_missing": int((trials == 0).sum()),
    }


def _kind(trials: np.ndarray, discrimination: bool) -> str:
    repeated = bool((trials > 1).any())
    if checks.flag(discrimination, "discrimination") and repeated:
        raise ValueError(
            "discrimination=True is for one trial of each system on each item; these are repeated"
        )
    return "repeated" if repeated else "discrimination" if discrimination else "rasch"


def _node_count(trials: np.ndarray, nodes: int | None, discrimination: bool) -> int:
    if nodes is not None:
        return checks.whole(nodes, "nodes", 5)
    return min(rasch.nodes_needed(trials), 61 if discrimination else 401)


def _log_probability(kind: str, trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Any:
    """A function from successes (item, system) and parameters to the log probability of each item's
    row.
    """
    likelihoods = {
        "rasch": _tried_once,
        "repeated": repeated_trials.log_probability,
        "discrimination": _discriminating,
    }
    return likelihoods[kind](trials, x, log_weight)


def _draw_discriminating(
    n: Any, ability: Any, mean: Any, spread: Any, sd: Any, rng: Any = None, size: Any = None
) -> np.ndarray:
    shape = size if size is not None else n.shape[:-1]
    eta = np.asarray(mean)[..., None] + ability - (spread * rng.normal(size=shape))[..., None]
    slope = np.exp(sd * rng.normal(size=shape))[..., None]
    return rasch.draw_successes(slope * eta, np.asarray(n), 0.0, rng)


# Log probability of an item's row of successes, its difficulty integrated out: once tried, and
# items that differ in how well they tell systems apart; for repeated trials see `repeated_trials`.
#
# Each is made for the numbers of trials (item, system) and the nodes of the integral, and is a
# function of successes, trials and parameters, which come with a dim of items.


def _tried_once(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """The Rasch model."""
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    vectors, item_vector = np.unique(trials, axis=0, return_inverse=True)
    item_vector = item_vector.ravel()
    totals = np.arange(int(trials.sum(1).max()) + 1)

    def items(y: Any, _: Any, ability: Any, mean: Any, spread: Any, __: Any) -> Any:
        ability, (mean, spread) = ability[-1], (z.flatten()[0] for z in (mean, spread))
        eta: Any = mean + ability[:, None] - spread * x
        not_solved: Any = pt.dot(vectors.astype(float), pt.softplus(eta))
        # given the total of an item, its difficulty does not depend on who solved it
        solved = totals[:, None] * (mean - spread * x)
        table: Any = pm.math.logsumexp(solved[None] - not_solved[:, None] + log_weight, axis=-1)
        return pt.dot(y.astype("float64"), ability) + table[item_vector, y.sum(-1)]

    return items


def _discriminating(trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Tensors:
    """The 2PL: the slope of an item is integrated out, too."""
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    z, w = rasch.hermite(9)
    weight = (w[:, None] + log_weight).ravel()

    def items(y: Any, _: Any, ability: Any, mean: Any, spread: Any, sd: Any) -> Any:
        ability, (mean, spread, sd) = ability[-1], (v.flatten()[0] for v in (mean, spread, sd))
        eta: Any = mean + ability[:, None] - spread * x
        slope: Any = pt.exp(sd * z)
        steep: Any = (slope[None, :, None] * eta[:, None]).reshape((len(trials[0]), -1))
        total: Any = pt.dot(y.astype("float64"), steep) - pt.dot(
            trials.astype(float), pt.softplus(steep)
        )
        return pm.math.logsumexp(total + weight, axis=-1)

    return items


@dataclass(frozen=True)
class Weights:
    """The model for importance sampling, of successes and trials (item, system)."""

    kind: str
    successes: np.ndarray
    trials: np.ndarray
    nodes: int  # difficulties
    seed: int = 0

    def posterior(self) -> Posterior:
        """Density of spreads and parameters."""
        others = np.array([ITEM] + [(0.0, 1.0)] * (self.kind in MORE))
        prior = nested.Around(self.successes.shape[1], _SD, MEAN, others)
        more = MORE[self.kind][1] if self.kind in MORE else _itself
        return Posterior(prior, items.Items(self._likelihood(self.nodes, more)))

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw."""
        abilities, others = np.split(x, [self.successes.shape[1]], axis=1)
        sd, mean = _SD(v[:, 0]), abilities.mean(1)
        ability = abilities - mean[:, None]
        # of the mean of abilities, which is taken from them, nothing depends: it is as its prior
        # says
        normal = np.random.default_rng([self.seed, 1]).normal(size=len(sd))
        free = sd * normal / np.sqrt(ability.shape[1])
        raw = shrinkage.free_abilities(ability + free[:, None], sd, *self._tried)
        system_dims = (names.SYSTEM,)
        variables: dict[str, Variable] = {
            "ability_raw": (system_dims, raw),
            "ability_sd": ((), sd),
            "mean": ((), mean),
            "difficulty_sd": ((), np.exp(others[:, 0])),
        }
        if self.kind in MORE:
            name, spread = MORE[self.kind]
            variables[name] = ((), spread(others[:, 1]))
        return variables | {"ability": (system_dims, ability)}

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the variables that have a prior, of each draw."""
        densities = shrinkage.abilities_log_prior(values, *self._tried)
        densities["mean"] = importance.normal(values["mean"], 0.0, MEAN)
        densities["difficulty_sd"] = importance.log_normal(values["difficulty_sd"], *ITEM)
        if self.kind == "repeated":
            densities["trial_correlation"] = importance.beta(values["trial_correlation"], *TRIALS)
        if self.kind == "discrimination":
            sd = values["discrimination_sd"]
            densities["discrimination_sd"] = importance.half_normal(sd, DISCRIMINATION)
        return densities

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated successes of all systems on all items, (draw, item, system)."""
        size = len(values["mean"]), len(self.trials)
        place = values["mean"][:, None] + values["ability"]
        difficulty = values["difficulty_sd"][:, None] * random.standard_normal(size)
        if self.kind == "repeated":
            alike = values["trial_correlation"]
            return rasch.succeeded(place, difficulty, alike, self.trials, random)
        slope = None
        if self.kind == "discrimination":
            slope = np.exp(values["discrimination_sd"][:, None] * random.standard_normal(size))
        return rasch.solved(place, difficulty, slope, self.trials > 0, random)

    def quadrature_error(self, posterior: xr.Dataset) -> float:
        """By how much the log likelihood at the posterior mean changes with twice the nodes."""
        more = [MORE[self.kind][0]] if self.kind in MORE else []
        parameters = [
            posterior[k].mean(("chain", "draw")).values
            for k in ("ability", "mean", "difficulty_sd", *more)
        ]
        values = [self.log_likelihood(k * self.nodes, parameters) for k in (1, 2)]
        return abs(values[0] - values[1])

    def log_likelihood(self, nodes: int, parameters: list[np.ndarray]) -> float:
        """At abilities (system,), their mean, spread of difficulties, and the others."""
        ability, mean, spread, *more = parameters
        others = np.append(np.log(spread), more)
        likelihood = self._likelihood(nodes, _itself)
        return float(likelihood.total((mean + ability)[None], others[None])[0])

    @property
    def _tried(self) -> tuple[np.ndarray, np.ndarray]:
        """Successes and trials of each system."""
        return self.successes.sum(0), self.trials.sum(0)

    def _likelihood(
        self, nodes: int, more: Callable[[np.ndarray], np.ndarray]
    ) -> items.AbilityLikelihood:
        (x, log_weight), data = rasch.nodes(nodes), (self.successes, self.trials)
        if self.kind == "rasch":
            return items.Rasch.from_counts(*data, x, log_weight)
        kinds = items.distinct_cells(*data)
        if self.kind == "repeated":
            table = items.Repeated(kinds, x, more)
            return items.Cells.from_counts(table, *data, log_weight)
        z, w = rasch.hermite(SLOPES)
        steep = items.Steep(kinds, np.tile(x, SLOPES), np.repeat(z, len(x)), more)
        return items.Cells.from_counts(steep, *data, (w[:, None] + log_weight).ravel())


def _itself(v: np.ndarray) -> np.ndarray:
    return v

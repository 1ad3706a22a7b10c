"""The item-response model as a posterior that is normal given its spread, or nearly so."""

from collections.abc import Callable

import numpy as np

from betterthan import names
from betterthan.exact.laplace import cells, items, rows_of_cells, spreads
from betterthan.exact.laplace.nested import Posterior
from betterthan.exact.wins import rasch, rasch_draws
from betterthan.models import log_priors, shrinkage
from betterthan.models.forward import Values, Variable

MEAN = 1.5
ITEM = (0.3, 0.6)  # mean and standard deviation of the logarithm of the spread of difficulties
TRIALS = (1.0, 3.0)  # Beta prior of the correlation of two trials beyond ability and difficulty
DISCRIMINATION = 0.5  # prior of the spread of log discriminations
SLOPES = 9  # nodes of the integral over a slope

# what has a parameter of its own: its name, and its value at a standard normal coordinate
MORE: dict[str, tuple[str, spreads.Spread]] = {
    "repeated": ("trial_correlation", spreads.beta(*TRIALS)),
    "discrimination": ("discrimination_sd", spreads.half_normal(DISCRIMINATION)),
}
_SD = spreads.gamma(shrinkage.SHAPE, shrinkage.RATE)


def build_posterior(kind: str, successes: np.ndarray, trials: np.ndarray, nodes: int) -> Posterior:
    """Posterior of successes and trials (item, system), with `nodes` difficulties."""
    others = np.array([ITEM] + [(0.0, 1.0)] * (kind in MORE))
    prior = spreads.Around(successes.shape[1], _SD, MEAN, others)
    more = MORE[kind][1] if kind in MORE else _itself
    return Posterior(prior, items.Items(_likelihood(kind, successes, trials, nodes, more)))


def variables(
    kind: str,
    v: np.ndarray,
    x: np.ndarray,
    *,
    successes: np.ndarray,
    trials: np.ndarray,
    seed: int,
) -> dict[str, Variable]:
    """All variables of the PyMC model, of each draw."""
    abilities, others = np.split(x, [successes.shape[1]], axis=1)
    sd, mean = _SD(v[:, 0]), abilities.mean(1)
    ability = abilities - mean[:, None]
    # of the mean of abilities, which is taken from them, nothing depends: it is as its prior says
    free = sd * np.random.default_rng([seed, 1]).normal(size=len(sd)) / np.sqrt(ability.shape[1])
    data = successes.sum(0), trials.sum(0)
    raw = shrinkage.free_abilities(ability + free[:, None], sd, *data)
    system_dims = (names.SYSTEM,)
    variables: dict[str, Variable] = {
        "ability_raw": (system_dims, raw),
        "ability_sd": ((), sd),
        "mean": ((), mean),
        "difficulty_sd": ((), np.exp(others[:, 0])),
    }
    if kind in MORE:
        name, spread = MORE[kind]
        variables[name] = ((), spread(others[:, 1]))
    return variables | {"ability": (system_dims, ability)}


def log_prior(
    kind: str, successes: np.ndarray, trials: np.ndarray, values: Values
) -> dict[str, np.ndarray]:
    """Log densities of the variables that have a prior, of each draw."""
    densities = shrinkage.abilities_log_prior(values, successes.sum(0), trials.sum(0))
    densities["mean"] = log_priors.normal(values["mean"], 0.0, MEAN)
    densities["difficulty_sd"] = log_priors.log_normal(values["difficulty_sd"], *ITEM)
    if kind == "repeated":
        densities["trial_correlation"] = log_priors.beta(values["trial_correlation"], *TRIALS)
    if kind == "discrimination":
        sd = values["discrimination_sd"]
        densities["discrimination_sd"] = log_priors.half_normal(sd, DISCRIMINATION)
    return densities


def outcomes(
    kind: str, trials: np.ndarray, values: Values, random: np.random.Generator
) -> np.ndarray:
    """Successes of all systems on all items drawn anew, (draw, item, system)."""
    size = len(values["mean"]), len(trials)
    place = values["mean"][:, None] + values["ability"]
    difficulty = values["difficulty_sd"][:, None] * random.standard_normal(size)
    if kind == "repeated":
        alike = values["trial_correlation"]
        return rasch_draws.succeeded(place, difficulty, alike, trials, random)
    slope = None
    if kind == "discrimination":
        slope = np.exp(values["discrimination_sd"][:, None] * random.standard_normal(size))
    return rasch_draws.solved(place, difficulty, slope, trials > 0, random)


def log_likelihood(
    kind: str, successes: np.ndarray, trials: np.ndarray, nodes: int, parameters: list[np.ndarray]
) -> float:
    """Log likelihood at abilities (system,), their mean, spread of difficulties, and the others."""
    ability, mean, spread, *more = parameters
    others = np.append(np.log(spread), more)
    likelihood = _likelihood(kind, successes, trials, nodes, _itself)
    return float(likelihood.total((mean + ability)[None], others[None])[0])


def _likelihood(
    kind: str,
    successes: np.ndarray,
    trials: np.ndarray,
    nodes: int,
    more: Callable[[np.ndarray], np.ndarray],
) -> items.AbilityLikelihood:
    x, log_weight = rasch.nodes(nodes)
    if kind == "rasch":
        return items.Rasch.from_counts(successes, trials, x, log_weight)
    kinds = cells.distinct_cells(successes, trials)
    if kind == "repeated":
        table = cells.Repeated(kinds, x, more)
        return rows_of_cells.Cells.from_counts(table, successes, trials, log_weight)
    z, w = rasch.hermite(SLOPES)
    steep = cells.Steep(kinds, np.tile(x, SLOPES), np.repeat(z, len(x)), more)
    return rows_of_cells.Cells.from_counts(
        steep, successes, trials, (w[:, None] + log_weight).ravel()
    )


def _itself(v: np.ndarray) -> np.ndarray:
    return v

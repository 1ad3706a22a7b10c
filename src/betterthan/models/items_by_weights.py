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


def posterior_of(kind: str, successes: np.ndarray, trials: np.ndarray, nodes: int) -> Posterior:
    """Of successes of trials (item, system), the integral at so many difficulties."""
    rest = np.array([ITEM] + [(0.0, 1.0)] * (kind in MORE))
    prior = spreads.Around(successes.shape[1], _SD, MEAN, rest)
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
    each, rest = np.split(x, [successes.shape[1]], axis=1)
    sd, mean = _SD(v[:, 0]), each.mean(1)
    ability = each - mean[:, None]
    # of the mean of abilities, which is taken from them, nothing depends: it is as its prior says
    free = sd * np.random.default_rng([seed, 1]).normal(size=len(sd)) / np.sqrt(ability.shape[1])
    seen = successes.sum(0), trials.sum(0)
    raw = shrinkage.free_abilities(ability + free[:, None], sd, *seen)
    of_system = (names.SYSTEM,)
    told: dict[str, Variable] = {
        "ability_raw": (of_system, raw),
        "ability_sd": ((), sd),
        "mean": ((), mean),
        "difficulty_sd": ((), np.exp(rest[:, 0])),
    }
    if kind in MORE:
        name, spread = MORE[kind]
        told[name] = ((), spread(rest[:, 1]))
    return told | {"ability": (of_system, ability)}


def log_prior(
    kind: str, successes: np.ndarray, trials: np.ndarray, told: Values
) -> dict[str, np.ndarray]:
    """Log densities of the variables that have a prior, of each draw."""
    found = shrinkage.log_prior_of_abilities(told, successes.sum(0), trials.sum(0))
    found["mean"] = log_priors.normal(told["mean"], 0.0, MEAN)
    found["difficulty_sd"] = log_priors.log_normal(told["difficulty_sd"], *ITEM)
    if kind == "repeated":
        found["trial_correlation"] = log_priors.beta(told["trial_correlation"], *TRIALS)
    if kind == "discrimination":
        sd = told["discrimination_sd"]
        found["discrimination_sd"] = log_priors.half_normal(sd, DISCRIMINATION)
    return found


def outcomes(
    kind: str, trials: np.ndarray, told: Values, random: np.random.Generator
) -> np.ndarray:
    """Successes of all systems on all items drawn anew, (draw, item, system)."""
    size = len(told["mean"]), len(trials)
    place = told["mean"][:, None] + told["ability"]
    difficulty = told["difficulty_sd"][:, None] * random.standard_normal(size)
    if kind == "repeated":
        alike = told["trial_correlation"]
        return rasch_draws.succeeded(place, difficulty, alike, trials, random)
    slope = None
    if kind == "discrimination":
        slope = np.exp(told["discrimination_sd"][:, None] * random.standard_normal(size))
    return rasch_draws.solved(place, difficulty, slope, trials > 0, random)


def log_likelihood(
    kind: str, successes: np.ndarray, trials: np.ndarray, nodes: int, parameters: list[np.ndarray]
) -> float:
    """At abilities (system,), their mean, the spread of difficulties, and what more there is."""
    ability, mean, spread, *more = parameters
    rest = np.append(np.log(spread), more)
    at = _likelihood(kind, successes, trials, nodes, _itself)
    return float(at.total((mean + ability)[None], rest[None])[0])


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

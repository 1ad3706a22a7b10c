"""Evidence for the model of repeated runs: calibration, importance sampling from the prior, a
published Beta-binomial fit, and how often intervals contain pass^k if the model is wrong.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import optimize, special

from betterthan import names
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.wins import rasch
from betterthan.fits import of_runs
from betterthan.models import repeated, repeated_trials, shrinkage
from betterthan.models.sampling import without_compiler
from betterthan.posterior.pairwise import Fit
from validation import distances, refit
from validation.calibration import Form, Scalars, numbered, one_by_one

ITEMS, BEYOND = 10, 12
_KEPT = ("trial_correlation", "ability_sd", "difficulty_sd", "mean")
_DRAWS, _BLOCK = 400_000, 20_000
_NODES = np.linspace(-6, 6, 49)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Two systems on 8 items, and what is printed."""
    data = repeated.simulate(8, systems=2, trials=3, rng=seed)
    tree = repeated.fit(data, rng=seed, predictive=False)
    quantities, weight = weighted(data["successes"].values, 3, seed)
    found = scalars(tree["posterior"].to_dataset(), BEYOND)
    rows = [
        {"quantity": k} | distances.from_weights(_as_draws(found[k]), (quantities[k], weight))
        for k in quantities
    ]
    return {
        "importance_sampling": rows,
        "ess": float(1 / (weight @ weight)),
        "divergences": distances.diverged(tree),
        "published": published(reference["table"]),
    }


def weighted(
    successes: np.ndarray, trials: int, seed: int
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Draws of the prior of two systems, and their posterior weights, by gamma functions."""
    random = np.random.default_rng(seed)
    sd = random.gamma(shrinkage.SHAPE, 1 / shrinkage.RATE, size=_DRAWS)
    half = sd * random.normal(size=_DRAWS) / np.sqrt(2)  # of two systems: half their difference
    ability = np.stack([half, -half], axis=-1)
    mean = random.normal(scale=repeated.MEAN, size=_DRAWS)
    spread = np.exp(random.normal(*repeated.ITEM, size=_DRAWS))
    correlation = random.beta(*repeated.TRIALS, size=(_DRAWS, 2))
    log = [
        _log_likelihood(successes, trials, mean[k, None] + ability[k], spread[k], correlation[k])
        for k in np.array_split(np.arange(_DRAWS), _DRAWS // _BLOCK)
    ]
    beyond = rasch.all_succeed(mean[:, None] + ability, spread, correlation, [BEYOND])[0]
    found = {"ability_1": half, "mean": mean, "difficulty_sd": spread, "ability_sd": sd}
    found |= {"trial_correlation_1": correlation[:, 0], f"all_of_{BEYOND}": beyond[:, 0]}
    return found, distances.weights(np.concatenate(log))


def _log_likelihood(
    successes: np.ndarray,
    trials: int,
    log_odds: np.ndarray,
    spread: np.ndarray,
    correlation: np.ndarray,
) -> np.ndarray:
    """Of draws (draw, system): the sum over a fine grid of difficulties."""
    eta = log_odds[..., None] - spread[:, None, None] * _NODES
    kappa = (1 / correlation - 1)[..., None]
    a, b = (np.maximum(kappa * special.expit(side), 1e-200) for side in (eta, -eta))
    log_a, log_b, below = special.gammaln(a), special.gammaln(b), special.gammaln(kappa)
    below = special.gammaln(kappa + trials) - below
    table = [
        special.gammaln(a + y) - log_a + special.gammaln(b + (trials - y)) - log_b - below
        for y in range(trials + 1)
    ]
    weight = np.exp(-(_NODES**2) / 2)
    rows = (sum(table[y][:, s] for s, y in enumerate(row)) for row in successes)
    return np.sum([np.log(np.exp(row) @ (weight / weight.sum())) for row in rows], axis=0)


def published(table: dict[str, Any]) -> dict[str, float]:
    """A Beta-binomial without difficulties, by the model's own graph: its largest likelihood."""
    import pytensor.tensor as pt
    from pytensor.compile.maker import function

    count = np.array(table["count"])
    y = np.arange(len(count))[:, None]
    log_row = repeated_trials.log_probability(np.full_like(y, len(count) - 1), *rasch.nodes(5))
    mean, correlation = pt.dscalar(), pt.dscalar()
    numbers: Any = (np.zeros((1, 1)), pt.stack([mean]), np.array([1e-9]), pt.stack([correlation]))
    with without_compiler():
        rows = function(
            [mean, correlation], log_row(pt.as_tensor(y), None, *numbers), mode="FAST_COMPILE"
        )
    ways = special.gammaln(len(count)) - special.gammaln(y + 1) - special.gammaln(len(count) - y)

    def log_likelihood(parameters: np.ndarray) -> float:
        return float(count @ (rows(parameters[0], special.expit(parameters[1])) + ways[:, 0]))

    best = optimize.minimize(lambda p: -log_likelihood(p), [0.0, -3.0], method="BFGS")
    kappa, share = np.exp(-best.x[1]), special.expit(best.x[0])
    return {
        "error_of_log_likelihood": abs(-best.fun - table["log_likelihood"]),
        "relative_error_of_alpha": abs(kappa * share / table["alpha"] - 1),
        "relative_error_of_beta": abs(kappa * (1 - share) / table["beta"] - 1),
    }


def _of_the_model(size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    chance = special.expit(0.4 - 1.5 * random.normal(size=(size[0], 1)))
    return random.beta(3 * chance, 3 * (1 - chance), size=size)


def _two_kinds(size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    """Three in ten items always succeed, three in ten never, the others in half of the runs."""
    kind = random.choice([1.0, 0.0, 0.5], p=[0.3, 0.3, 0.4], size=(size[0], 1))
    return np.broadcast_to(kind, size)


# probabilities of success, (item, system); the first is of the form of the model
TRUTHS: dict[str, Callable[[tuple[int, int], np.random.Generator], np.ndarray]] = {
    "difficulties and Beta": _of_the_model,
    "Beta(0.5, 0.5)": lambda size, random: random.beta(0.5, 0.5, size=size),
    "always, never, and half": _two_kinds,
    "0.8 on every item": lambda size, random: np.full(size, 0.8),
}
_SIZE, _RUNS, _NUMBERS = (40, 2), 4, (1, 4, 8, 16)


def extrapolation(replications: int = 40, seed: int = 1) -> dict[str, Any]:
    """Shares of intervals, and of bounds of any shape, that contain the true pass^k, (k,)."""
    compiled = refit.compiled(repeated.build(repeated.simulate(_SIZE[0], systems=2, trials=_RUNS)))
    truths = {name: _covered(compiled, truth, replications, seed) for name, truth in TRUTHS.items()}
    design = {"items": _SIZE[0], "runs": _RUNS, "replications": replications, "k": list(_NUMBERS)}
    return {"extrapolation": design | {"truths": truths}}


def _covered(compiled: Any, truth: Any, replications: int, seed: int) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    p = truth((1_000_000, 1), random)
    exact = np.array([(p**k).mean() for k in _NUMBERS])
    inside: dict[str, list[np.ndarray]] = {"interval": [], "bounds": []}
    means = []
    for k in range(replications):
        y = random.binomial(_RUNS, truth(_SIZE, random))
        tree = refit.sampled(compiled.with_data(successes=y), seed + k)
        tree["posterior"].attrs["model"] = "repeated"
        fit = Fit.from_tree(tree, ("repeated",))
        drawn = of_runs.of_draws(fit, _NUMBERS, np.full(2, _RUNS), "all")
        value, low, high = (draws.reshape(-1, *draws.shape[2:]) for draws in drawn)
        means.append(value.mean(0))
        for name, ends in (("interval", (value, value)), ("bounds", (low, high))):
            lower = monte_carlo.interval(ends[0], names.CI_PROB, names.CI_KIND)[0]
            upper = monte_carlo.interval(ends[1], names.CI_PROB, names.CI_KIND)[1]
            inside[name].append((lower <= exact) & (exact <= upper))
    shares = {name: np.mean(hits, axis=(0, 1)).tolist() for name, hits in inside.items()}
    return {"exact": exact.tolist(), "mean": np.mean(means, axis=(0, 1)).tolist()} | shares


def scalars(data: xr.Dataset, beyond: int) -> Scalars:
    """What is ranked: parameters, and the reliability of a system for more runs than it had."""
    data = data.transpose(..., names.SYSTEM)
    place = data["mean"].values[..., None] + data["ability"].values
    spread, correlation = data["difficulty_sd"].values, data["trial_correlation"].values
    value = rasch.all_succeed(place, spread, correlation, [beyond])[0]
    found = numbered(data, ("ability",), most=1) | numbered(data, _KEPT, most=2)
    return found | {f"all_of_{beyond}": value[..., 0]}


def _as_draws(values: np.ndarray) -> xr.DataArray:
    return xr.DataArray(values, dims=("chain", "draw"))


def _form(name: str, trials: tuple[int, ...]) -> Form:
    return Form(
        name=name,
        model=repeated,
        simulate=one_by_one(partial(repeated.simulate, ITEMS, systems=len(trials), trials=trials)),
        build=repeated.build,
        data=lambda truth: {"successes": truth["successes"].values},
        scalars=partial(scalars, beyond=BEYOND),
        design={"items": ITEMS, "runs": list(trials)},
        part=2,
    )


FORMS = (_form("repeated", (3, 3)), _form("unequal", (2, 3, 4)))

"""Evidence for the item-response model: two systems against sums over a grid, and a published test
of five questions by maximum likelihood.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import optimize, special, stats

from betterthan.exact.wins import rasch
from betterthan.models import item_response
from betterthan.models.sampling import Sampling
from validation import distances, refit
from validation.calibration import Form, Scalars, numbered, one_by_one
from validation.designs import Design, scores_of
from validation.of_davidson import ability_prior

ITEMS, SYSTEMS, TRIALS = 40, 4, 3
_MANY = Sampling(draws=2000)
_AS_REFITS = Sampling(draws=refit.DRAWS)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Two systems on 40 items, and what is printed."""
    data = item_response.simulate(40, systems=2, rng=seed)
    tree = item_response.fit(data, sampler="nuts", rng=seed, sampling=_MANY, predictive=False)
    ability = distances.drawn(tree, "ability").isel(system=0)
    row = distances.from_weights(ability, two_systems(data["successes"].values))
    error = tree["posterior"].attrs["quadrature_error"]
    return {
        "quadrature": [row | {"quadrature_error": error}],
        "published": published(reference["table"]),
    }


def published(table: dict[str, Any]) -> dict[str, float]:
    """The parameters of most likelihood less the printed ones."""
    patterns = np.array([[int(c) for c in p] for p in table["patterns"]])
    node, log_weight = rasch.nodes(101)

    def loss(parameters: np.ndarray) -> float:
        eta = parameters[:-1, None] - parameters[-1] * node
        log = patterns @ special.log_expit(eta) + (1 - patterns) @ special.log_expit(-eta)
        return -float(np.array(table["count"]) @ special.logsumexp(log + log_weight, axis=1))

    best = optimize.minimize(loss, np.append(np.zeros(patterns.shape[1]), 1.0), method="BFGS")
    # the sign of the slope is free: people are normal around 0
    found = np.append(best.x[:-1], abs(best.x[-1]))
    errors = np.abs(found - np.append(table["intercept"], table["slope"]))
    return {
        "max_error_of_parameters": float(errors.max()),
        "error_of_log_likelihood": float(abs(-best.fun - table["log_likelihood"])),
    }


def two_systems(y: np.ndarray) -> distances.Weighed:
    """Values of the first of two abilities and their posterior weights, mean and spread of items
    summed out.
    """
    x, mean = np.linspace(-5, 5, 301), np.linspace(-7, 7, 141)
    z, w = rasch.hermite(30)
    first, second = y.T
    # how many items both solve, the first alone, the second alone, and neither
    seen = [int(((first == a) & (second == b)).sum()) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    log = np.full((len(x), len(mean)), -np.inf)
    for spread, weight in zip(np.exp(_spread(z)), w, strict=True):
        found = sum(n * c for n, c in zip(seen, _log_chances(x, mean, spread), strict=True))
        log = np.logaddexp(log, found + weight)
    log = special.logsumexp(log + stats.norm.logpdf(mean, 0, item_response.MEAN), axis=1)
    return x, distances.weights(log + ability_prior(x))


def _spread(z: np.ndarray) -> np.ndarray:
    return item_response.ITEM[0] + item_response.ITEM[1] * z


def _log_chances(x: np.ndarray, mean: np.ndarray, spread: float) -> list[Any]:
    """Log probabilities (ability, mean) that both solve an item, the first, the second, neither."""
    node, log_weight = rasch.nodes(81)
    at, weight = mean[:, None] - spread * node, np.exp(log_weight)
    first = special.expit(at + x[:, None, None])
    second = first[::-1]  # x is symmetric
    both, alone, neither = (
        (a * b) @ weight for a, b in ((first, second), (first, 1 - second), (1 - first, 1 - second))
    )
    return [np.log(chance) for chance in (both, alone, alone[::-1], neither)]


def fit_design(design: Design, seed: int) -> xr.DataTree:
    """One of the twenty designs at the default settings."""
    scores = scores_of(design, seed)
    return item_response.fit(scores, sampler="nuts", rng=seed, predictive=False)


def _scalars(data: xr.Dataset, kept: tuple[str, ...]) -> Scalars:
    found = numbered(data, kept, most=2)
    return found | {"ability_1_less_2": found["ability_1"] - found["ability_2"]}


def _form(name: str, trials: int, *more: str, items: int = ITEMS, systems: int = SYSTEMS) -> Form:
    kept = ("ability", "ability_sd", "difficulty_sd", "mean", *more)
    return Form(
        name=name,
        model=item_response,
        simulate=one_by_one(partial(item_response.simulate, items, systems=systems, trials=trials)),
        build=item_response.build,
        data=lambda truth: {"successes": truth["successes"].values},
        scalars=partial(_scalars, kept=kept),
        weighted=lambda truth, seed: item_response.fit(
            truth, sampler="laplace", sampling=_AS_REFITS, rng=seed, predictive=False
        ),
    )


FORMS = (_form("item_response", 1), _form("trials", TRIALS, "trial_correlation"))
LARGER = _form("larger", 1, items=100, systems=20)

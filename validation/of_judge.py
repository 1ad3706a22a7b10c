"""Evidence for the model of a judge that errs: the closed form where labels are of the items at
hand, importance sampling where they are from elsewhere, and published tables dealt to its signals.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.judged.dataset import GOLD, JUDGED, from_table
from betterthan.models import judge
from betterthan.models.sampling import Sampling
from betterthan.posterior.of_judged import checked_pairs
from validation import distances
from validation.calibration import EXAMPLES, Form, Scalars

_LABELLED = (6, 12, 30)  # of the examples of a simulated pair, in turn
_MANY = Sampling(draws=2000)
_IMPORTANCE = 1_000_000
# few labels, signals that hardly occur, no item without a label
_THREE: dict[tuple[str, str], tuple[Any, Any]] = {
    ("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170)),
    ("C", "D"): ([[16, 1, 0], [3, 6, 1], [1, 2, 0]], (60, 28, 6)),
    ("E", "F"): ([[3, 0, 0], [0, 1, 0], [0, 0, 1]], (400, 350, 2)),
    ("G", "H"): ([[9, 1, 2], [4, 12, 1], [2, 2, 7]], (15, 15, 10)),
}
_NINE = (
    [[1, 1, 0, 0, 0, 0, 0, 0, 1], [1, 3, 0, 0, 2, 0, 0, 0, 0], [0, 3, 2, 0, 2, 0, 1, 0, 3]],
    (53, 80, 34, 10, 45, 12, 11, 33, 42),
)
_FROM_ELSEWHERE = ("A", "B"), ("C", "D")


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Fits beside what is known without them."""
    fit = partial(judge.fit, sampling=_MANY, rng=seed, predictive=False)
    grids = {"three signals": _THREE, "nine signals": {("A", "B"): _NINE}}
    exact = {name: _of_closed_form(fit, from_table(grid)) for name, grid in grids.items()}
    return {
        "published": _published(fit, reference["case"], seed),
        "closed_form": exact,
        "elsewhere": _elsewhere(fit, seed),
    }


def _of_closed_form(fit: Any, counts: xr.Dataset) -> dict[str, float]:
    tree, (_, pairs) = fit(counts), checked_pairs(counts, None, "third")
    mean, sd = pairs.mean_and_sd()
    known = {"mean": mean, "sd": sd, "positive": pairs.above(0.0)}
    z = distances.from_moments(distances.drawn(tree, "difference"), known)
    told = {f"max_abs_z_{name}": value for name, value in z.items()}
    return {"pairs": len(mean)} | told | {"divergences": distances.diverged(tree)}


def _published(fit: Any, cases: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Labels alone, dealt to signals at random: what the judge said adds nothing."""
    random = np.random.default_rng(seed)
    table = {}
    for k, case in enumerate(cases):
        gold = random.multinomial(case["counts"], [0.5, 0.3, 0.2])
        table[f"A{k}", f"B{k}"] = gold, gold.sum(0)
    counts = from_table(table)
    exact = judge.closed_form(counts).values
    drawn = distances.drawn(fit(counts), "difference")
    return {
        "cases": len(cases),
        "reproduced_by_closed_form": distances.reproduced(exact, cases),
        "max_abs_z_probability": distances.from_probability(drawn, exact),
    }


def _elsewhere(fit: Any, seed: int) -> list[dict[str, Any]]:
    """The same labels as if of another population, and as a random part of the items."""
    counts = from_table({pair: _THREE[pair] for pair in _FROM_ELSEWHERE})
    tree = fit(counts, labels="elsewhere")
    drawn, inside = distances.drawn(tree, "difference"), checked_pairs(counts, None, "third")[1]
    found = []
    for k, sd in enumerate(inside.mean_and_sd()[1]):
        one = counts.isel({names.PAIR: k})
        gold = one[GOLD].values
        d, weight = _weighed(gold, one[JUDGED].values - gold.sum(0), seed)
        mean = float(weight @ d)
        row = {"mean": mean, "sd": float(np.sqrt(weight @ (d - mean) ** 2)), "sd_inside": float(sd)}
        row |= {"prob_better": float(weight[d > 0].sum()), "ess": float(1 / (weight @ weight))}
        z = distances.from_weights(drawn.isel({names.PAIR: k}), (d, weight))
        found.append(row | z | {"divergences": distances.diverged(tree)})
    return found


def _weighed(gold: np.ndarray, rest: np.ndarray, seed: int) -> distances.Weighed:
    """Differences and weights: theta from its prior, confusions from the labels alone."""
    random = np.random.default_rng(seed)
    theta = random.dirichlet(np.ones(3), size=_IMPORTANCE)
    rows = (random.dirichlet(1 + row, size=_IMPORTANCE) for row in gold)
    signal = sum(theta[:, z, None] * row for z, row in enumerate(rows))
    return theta[:, 0] - theta[:, 1], distances.weights(np.log(signal) @ rest)


def _simulated(labels: str, count: int, seed: int) -> list[xr.Dataset]:
    sizes = zip(np.resize(EXAMPLES, count), np.resize(_LABELLED, count), strict=True)
    return [
        judge.simulate(int(n), gold=int(m), labels=labels, rng=seed + k)
        for k, (n, m) in enumerate(sizes)
    ]


def _observed(truth: xr.Dataset) -> dict[str, np.ndarray]:
    seen = truth[GOLD].values
    return {"labelled": seen, "others": truth[JUDGED].values - seen.sum(1)}


def _scalars(data: xr.Dataset) -> Scalars:
    one = data.isel({names.PAIR: 0})
    theta = {f"theta_{k}": one["theta"].sel({names.OUTCOME: k}).values for k in names.OUTCOMES}
    return theta | {"difference": one["difference"].values}


def _form(name: str, labels: str) -> Form:
    return Form(
        name=name,
        model=judge,
        simulate=partial(_simulated, labels),
        build=lambda truth: judge.build(truth, labels=labels),
        data=_observed,
        scalars=_scalars,
        design={"examples_per_pair": list(EXAMPLES), "labelled": list(_LABELLED)},
        part=2,
    )


FORMS = (_form("judge", "inside"), _form("elsewhere", "elsewhere"))

"""Twenty data sets on which the sampler of a joint model must do well, and how well it does."""

import json
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.models import likelihood_data


@dataclass(frozen=True)
class Design:
    """Examples, the share on which all systems agree, systems, and data sets."""

    n: int
    ties: float
    systems: int
    datasets: int
    sweep: bool = False  # whether one system solves everything


DESIGNS = (
    Design(20, 0.0, 2, 1, True),
    Design(20, 0.5, 2, 2),
    Design(20, 0.9, 3, 3),
    Design(40, 0.2, 2, 5, True),
    Design(40, 0.9, 2, 4),
    Design(60, 0.0, 5, 1),
    Design(60, 0.6, 5, 3, True),
    Design(100, 0.3, 3, 10),
    Design(100, 0.8, 10, 2),
    Design(100, 0.5, 30, 1, True),
    Design(150, 0.0, 2, 15),
    Design(200, 0.4, 8, 4),
    Design(200, 0.9, 5, 5, True),
    Design(300, 0.7, 4, 15),
    Design(400, 0.2, 15, 3),
    Design(500, 0.5, 20, 2, True),
    Design(600, 0.85, 6, 6),
    Design(1000, 0.3, 3, 15),
    Design(1000, 0.6, 10, 8, True),
    Design(2000, 0.5, 2, 12),
)


Fit = Callable[[Design, int], xr.DataTree]


def scores_of(design: Design, seed: int) -> xr.DataArray:
    """Scores of 0 and 1 of systems whose abilities differ, also by data set; no model here has
    exactly this form.
    """
    random = np.random.default_rng([seed, design.n, design.systems, design.datasets])
    solved, of = _draw_solved(design, random)
    if design.sweep:
        solved[:, -1] = 1.0
    coords = {
        names.ITEM: [f"i{k}" for k in range(design.n)],
        names.SYSTEM: [f"s{k}" for k in range(design.systems)],
        names.DATASET: (names.ITEM, [f"d{k}" for k in of]),
        "cluster": (names.ITEM, [f"c{k // 4}" for k in range(design.n)]),
    }
    return xr.DataArray(solved, dims=(names.ITEM, names.SYSTEM), coords=coords)


def graded_scores(design: Design, seed: int) -> xr.DataArray:
    """The same with noise of heavy tails where systems do not all agree."""
    solved = scores_of(design, seed)
    random = np.random.default_rng([seed, design.n])
    noise = 0.3 * random.standard_t(4, size=solved.shape)
    agree = (solved.values == solved.values[:, :1]).all(1, keepdims=True)
    return solved.copy(data=np.round(np.where(agree, solved.values, solved.values + noise), 3))


def judgments_of(design: Design, seed: int) -> xr.Dataset:
    """Judgments of pairs drawn at random, one for each item, by as many judges as there are data
    sets.
    """
    solved = scores_of(design, seed)
    random = np.random.default_rng([seed, design.systems])
    n = max(design.n, 2 * design.systems)
    a, b = likelihood_data.random_pairs(random, design.systems, n)
    item = random.integers(design.n, size=n)
    outcome = np.sign(solved.values[item, a] - solved.values[item, b]).astype(int)
    judge = [f"j{k}" for k in random.integers(design.datasets, size=n)]
    judge[: design.datasets] = [f"j{k}" for k in range(design.datasets)]
    return likelihood_data.as_judgments(solved[names.SYSTEM].values, a, b, outcome, judge)


def _draw_solved(design: Design, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """What each system solves (item, system), and of which data set each item is."""
    ability = 0.7 * random.normal(size=design.systems)
    shared, easy = random.random(design.n) < design.ties, random.random(design.n) < 0.5
    difficulty = random.normal(size=design.n)
    apart = 0.4 * random.normal(size=(design.datasets, design.systems))
    share = random.dirichlet(np.full(design.datasets, 2.0))
    of = np.sort(random.choice(design.datasets, design.n, p=share))
    of[: design.datasets] = np.arange(design.datasets)  # each has one at least
    chance = 1 / (1 + np.exp(difficulty[:, None] - ability - apart[of]))
    alone = random.random(chance.shape) < chance
    return np.where(shared[:, None], easy[:, None], alone).astype(float), of


def quality(fit: Fit, place: int, seed: int) -> dict[str, Any]:
    """How well the sampler does on one design at the default settings.

    Returns
    -------
    dict
        The design; over all variables of the posterior but those that only help sampling, the
        largest R-hat and the least bulk and tail ESS; divergences; seconds, compiling included.
    """
    design = DESIGNS[place]
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of systems that win all, and pairs without a difference
        tree = fit(design, seed + place)
    seconds = time.perf_counter() - start
    posterior = tree["posterior"].to_dataset()
    told = posterior[[v for v in posterior.data_vars if not str(v).endswith("_raw")]]
    return asdict(design) | {
        **_worst(told),
        "divergences": int(tree["sample_stats"].to_dataset()["diverging"].sum()),
        "seconds": round(seconds, 1),
    }


def qualities(fit: Fit, seed: int, kept: Path) -> list[dict[str, Any]]:
    """Of all designs; a run that was stopped goes on from what is in the file `kept`."""
    rows = json.loads(kept.read_text("utf-8")) if kept.is_file() else []
    for place in range(len(rows), len(DESIGNS)):
        rows.append(quality(fit, place, seed))
        kept.write_text(json.dumps(rows), encoding="utf-8")
    return rows


def _worst(posterior: xr.Dataset) -> dict[str, float]:
    import arviz as az

    with np.errstate(invalid="ignore", divide="ignore"):
        rhat = max(float(np.nanmax(v.values)) for v in az.rhat(posterior).data_vars.values())
        bulk, tail = (
            min(float(np.nanmin(v.values)) for v in az.ess(posterior, method=m).data_vars.values())
            for m in ("bulk", "tail")
        )
    return {
        "rhat_max": round(rhat, 5),
        "ess_bulk_min": round(bulk, 1),
        "ess_tail_min": round(tail, 1),
    }

"""Calibration of the models beyond two systems: one compilation, then new data each time; it can be
taken up again.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.evidence import calibration
from betterthan.models import (
    clustered,
    davidson,
    graded,
    hierarchical,
    item_response,
    refit,
    sampling,
)

KEEP_EVERY = 20  # simulations after which what was found is written down
DATASETS, EXAMPLES = 5, 30
CROSSED, CROSSED_EXAMPLES = (3, 4), 25
CLUSTERS, SIZE = 25, 4
SYSTEMS, JUDGES, JUDGMENTS = 4, 3, 240
ITEMS, ITEM_SYSTEMS, TRIALS = 40, 4, 3
DIFFERENCES, GRADED_DATASETS = 15, 4


def simulations_of(name: str, seed: int, count: int) -> list[xr.Dataset]:
    """Truths from the prior, and data from the truths, on the small design of a model."""
    simulate: dict[str, Callable[[int], xr.Dataset]] = {
        "hierarchical": lambda rng: hierarchical.simulate(DATASETS, n=EXAMPLES, rng=rng),
        "crossed": lambda rng: hierarchical.simulate(CROSSED, n=CROSSED_EXAMPLES, rng=rng),
        "clustered": lambda rng: clustered.simulate(CLUSTERS, size=SIZE, rng=rng),
        "davidson": lambda rng: davidson.simulate(
            SYSTEMS, judgments=JUDGMENTS, judges=JUDGES, position=True, rng=rng
        ),
        "rao_kupper": lambda rng: davidson.simulate(
            SYSTEMS, judgments=JUDGMENTS, tie_model="rao_kupper", rng=rng
        ),
        "item_response": lambda rng: item_response.simulate(ITEMS, systems=ITEM_SYSTEMS, rng=rng),
        "trials": lambda rng: item_response.simulate(
            ITEMS, systems=ITEM_SYSTEMS, trials=TRIALS, rng=rng
        ),
        "graded": lambda rng: graded.simulate(DIFFERENCES, datasets=GRADED_DATASETS, rng=rng),
    }
    return [simulate[name](seed + k) for k in range(count)]


def calibrate(
    name: str, simulations: int, seed: int, keep: Path | None = None
) -> calibration.Calibration:
    """Rank each truth among the draws of its refit.

    Parameters
    ----------
    name : str
        A model, or a second form of one.
    simulations, seed : int
    keep : pathlib.Path, optional
        A folder that holds what was found so far; a run that was stopped goes on from there.
    """
    import nutpie

    truths = simulations_of(name, seed, simulations)
    target = 0.95 if name in _SMALL_STEPS else names.TARGET_ACCEPT
    done = _found(keep, name)
    compiled: Any = None
    if len(done) < simulations:
        with sampling.steady_arithmetic():
            compiled = nutpie.compile_pymc_model(_BUILD[name](truths[0]))
    for k in range(len(done), simulations):
        tree = refit.sampled(compiled.with_data(**_DATA[name](truths[k])), seed + k, target)
        scalars = _scalars(tree["posterior"].to_dataset(), truths[k], name)
        scalars["divergences"] = (
            tree["sample_stats"].to_dataset()["diverging"].values.sum(keepdims=True)
        )
        done.append(scalars)
        if keep is not None and (k + 1) % KEEP_EVERY == 0:
            _write(keep, name, done)
    known = [_scalars(truth, truth, name) for truth in truths]
    divergences = int(sum(one.pop("divergences").sum() for one in done[:simulations]))
    draws, truth = (
        {n: np.stack([one[n] for one in many[:simulations]]) for n in known[0]}
        for many in (done, known)
    )
    return calibration.ranked(draws, truth, divergences)


def prior_predictive(name: str, seed: int) -> dict[str, list[float]]:
    """What the prior expects to see, 5, 50 and 95 % quantiles over simulated data sets."""
    seen: dict[str, list[float]] = {}
    for data in simulations_of(name, seed, 500):
        for key, value in _look(data).items():
            seen.setdefault(key, []).append(value)
    return {
        k: [round(float(q), 4) for q in np.quantile(v, [0.05, 0.5, 0.95])] for k, v in seen.items()
    }


def _look(data: xr.Dataset) -> dict[str, float]:
    if "counts" in data:
        win, loss, tie = (
            data["counts"].sum([d for d in data["counts"].dims if d != names.OUTCOME])
        ).values
        return {
            "wins_less_losses": float((win - loss) / (win + loss + tie)),
            "ties": float(tie / (win + loss + tie)),
        }
    if "outcome" in data:
        return {
            "first_wins": float((data["outcome"] == 1).mean()),
            "ties": float((data["outcome"] == 0).mean()),
        }
    if "successes" in data:
        share = data["successes"].sum(names.ITEM) / data["trials"].sum(names.ITEM)
        return {"solved": float(share.mean()), "best_less_worst": float(share.max() - share.min())}
    y = data["difference"].values
    return {"mean_over_sd": float(y.mean() / y.std()), "positive": float((y > 0).mean())}


_SMALL_STEPS = ("davidson", "rao_kupper", "item_response", "trials", "graded")
_KEPT: dict[str, tuple[str, ...]] = {
    "hierarchical": ("mu", "correlation"),
    "crossed": ("mu", "sigma", "theta"),
    "clustered": ("p", "s", "win_correlation", "decisive_correlation", "difference"),
    "davidson": ("ability", "ability_sd", "tie", "position", "judge_tie_sd", "judge_position_sd"),
    "rao_kupper": ("ability", "ability_sd", "tie"),
    "item_response": ("ability", "ability_sd", "difficulty_sd", "mean"),
    "trials": ("ability", "ability_sd", "difficulty_sd", "mean", "trial_correlation"),
    "graded": ("centre", "scale", "tail", "centre_sd", "dataset_centre"),
}


def _scalars(data: xr.Dataset, _: xr.Dataset, name: str) -> dict[str, np.ndarray]:
    """Some scalars of each variable: the first two along each dim, and how the first two systems
    differ.
    """
    found = {}
    whole = (
        data.assign(difference=data["p"] * 2 * data["s"] - data["s"])
        if name == "clustered"
        else data
    )
    for key in _KEPT[name]:
        array = whole[key]
        own = [d for d in array.dims if d not in ("chain", "draw")]
        if not own:
            found[key] = array.values
            continue
        flat = array.stack(_all=own).transpose("_all", ...).values
        for place in range(min(2, len(flat))):
            found[f"{key}_{place + 1}"] = flat[place]
    if "ability" in _KEPT[name]:
        found["ability_1_less_2"] = found["ability_1"] - found["ability_2"]
    if name in ("hierarchical", "crossed"):
        found["mu_win_less_loss"] = found["mu_1"] - found["mu_2"]
    return found


def _full_rows(data: xr.Dataset, *, judges: bool, position: bool) -> tuple[xr.Dataset, np.ndarray]:
    """One judgment of every pair before every judge, so that the rows are the same for all data;
    and the counts.
    """
    systems = data[names.SYSTEM].values
    who = [f"j{k}" for k in range(JUDGES if judges else 1)]
    order = [
        (a, b, j) for a in range(len(systems)) for b in range(len(systems)) for j in who if a != b
    ]
    order = [row for row in order if position or row[0] < row[1]]
    full = xr.Dataset(
        {
            "system_a": ("judgment", [systems[a] for a, _, _ in order]),
            "system_b": ("judgment", [systems[b] for _, b, _ in order]),
            "outcome": ("judgment", np.zeros(len(order), dtype=int)),
        },
        coords={names.SYSTEM: systems, "judge": ("judgment", [j for _, _, j in order])},
    )
    place = {(str(systems[a]), str(systems[b]), j): k for k, (a, b, j) in enumerate(sorted(order))}
    counts = np.zeros((len(order), 3), dtype=np.int64)
    judge = data["judge"].values if judges else ["j0"] * data.sizes["judgment"]
    for a, b, j, outcome in zip(
        data["system_a"].values, data["system_b"].values, judge, data["outcome"].values, strict=True
    ):
        key = (str(a), str(b), str(j))
        if key not in place:
            key, outcome = (str(b), str(a), str(j)), -outcome
        counts[place[key], [2, 0, 1][int(outcome)]] += 1
    return full, counts


def _graded_model(truth: xr.Dataset) -> Any:
    """The model on made-up scores whose differences are those of the truth; it takes them as they
    are.
    """
    difference = truth["difference"].values[:, 0]
    scores = xr.DataArray(
        np.stack([difference, 0 * difference], axis=1),
        dims=(names.ITEM, names.SYSTEM),
        coords={
            names.SYSTEM: ["A0", "B0"],
            names.DATASET: (names.ITEM, truth[names.DATASET].values[truth["dataset_of"].values]),
        },
    )
    return graded.build(scores, standardise=False)


def _graded_data(truth: xr.Dataset) -> dict[str, np.ndarray]:
    y, of = truth["difference"].values[:, 0], truth["dataset_of"].values
    middle = np.array([[np.median(y[of == k])] for k in range(GRADED_DATASETS)])
    return {"difference": y, "middle": middle}


_BUILD: dict[str, Callable[[xr.Dataset], Any]] = {
    "hierarchical": lambda t: hierarchical.build(t["counts"]),
    "crossed": lambda t: hierarchical.build(t["counts"]),
    "clustered": lambda t: clustered.build(t["counts"]),
    "davidson": lambda t: davidson.build(
        _full_rows(t, judges=True, position=True)[0], position=True, judges=True
    ),
    "rao_kupper": lambda t: davidson.build(
        _full_rows(t, judges=False, position=False)[0], tie_model="rao_kupper"
    ),
    "item_response": lambda t: item_response.build(t),
    "trials": lambda t: item_response.build(t),
    "graded": _graded_model,
}
_DATA: dict[str, Callable[[xr.Dataset], dict[str, np.ndarray]]] = {
    "hierarchical": lambda t: {"counts": t["counts"].values},
    "crossed": lambda t: {"counts": t["counts"].values},
    "clustered": lambda t: {"counts": t["counts"].values},
    "davidson": lambda t: {"counts": _full_rows(t, judges=True, position=True)[1]},
    "rao_kupper": lambda t: {"counts": _full_rows(t, judges=False, position=False)[1]},
    "item_response": lambda t: {"successes": t["successes"].values},
    "trials": lambda t: {"successes": t["successes"].values},
    "graded": _graded_data,
}


def _found(keep: Path | None, name: str) -> list[dict[str, np.ndarray]]:
    """Draws of the simulations done so far."""
    if keep is None or not (keep / f"{name}.npz").is_file():
        return []
    with np.load(keep / f"{name}.npz") as stored:
        whole = {k: stored[k] for k in stored.files}
    return [{k: v[i] for k, v in whole.items()} for i in range(len(next(iter(whole.values()))))]


def _write(keep: Path, name: str, done: list[dict[str, np.ndarray]]) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    fresh = keep / f"{name}.part.npz"
    stacked: dict[str, Any] = {k: np.stack([one[k] for one in done]) for k in done[0]}
    np.savez_compressed(fresh, **stacked)
    fresh.replace(keep / f"{name}.npz")

"""Five systems on an average over data sets, jointly: ``python -m validation.suite_of_systems``.

Systems are equal, or differ by normal abilities, which also vary between data sets. The truth of a
system is its mean accuracy over the data sets; no part of it is a prior of the package.
"""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy.special import expit

import betterthan as bt
from betterthan.counts.shapes import pair_indices

SYSTEMS, SETS = 5, 400
SIZES = ((20, 60, 200), (30, 30, 30, 30, 30))
_SPREAD, _LOCAL = 0.6, 0.3  # standard deviations of abilities, and of these between data sets
_DIFFICULTY = np.linspace(-4, 4, 161)
_WEIGHT = np.exp(-(_DIFFICULTY**2) / 2) / np.exp(-(_DIFFICULTY**2) / 2).sum()


def accuracy(ability: np.ndarray) -> np.ndarray:
    """Expected accuracy over items of normal difficulty."""
    return (expit(ability[:, None] + _DIFFICULTY) * _WEIGHT).sum(1)


def simulated(
    sizes: Sequence[int], runs: int, equal: bool, random: np.random.Generator
) -> tuple[xr.DataArray, np.ndarray]:
    """Scores of `runs` items of each cluster, and the true average accuracy of each system."""
    ability = random.normal(0, 0.0 if equal else _SPREAD, SYSTEMS)
    scores, truth, datasets, clusters = [], [], [], []
    for dataset, size in enumerate(sizes):
        local = ability + random.normal(0, 0.0 if equal else _LOCAL, SYSTEMS)
        truth.append(accuracy(local))
        difficulty = np.repeat(random.normal(size=size), runs)[:, None]
        scores.append(random.logistic(size=(size * runs, SYSTEMS)) < local + difficulty)
        datasets += [f"d{dataset}"] * (size * runs)
        clusters += [f"d{dataset}-{k // runs}" for k in range(size * runs)]
    coords = {"system": [f"s{k}" for k in range(SYSTEMS)], "dataset": ("item", datasets)}
    if runs > 1:
        coords["cluster"] = ("item", clusters)
    values = np.concatenate(scores).astype(float)
    return xr.DataArray(values, dims=("item", "system"), coords=coords), np.mean(truth, axis=0)


def rates(sizes: Sequence[int], runs: int, equal: bool, random: np.random.Generator) -> str:
    """Wrong and all verdicts a set, how often intervals hold, and the best set the best."""
    first, second = pair_indices(SYSTEMS)
    verdicts, wrong, inside, best = [], [], [], []
    for _ in range(SETS):
        scores, truth = simulated(sizes, runs, equal, random)
        answer = bt.compare(scores, over="dataset")
        difference = (truth[:, None] - truth)[first, second]
        verdict = answer["verdict"].values[first, second]
        a, b = verdict == "a_better", verdict == "b_better"
        verdicts.append((a | b).sum())
        wrong.append((a & (difference <= 0)).sum() + (b & (difference >= 0)).sum())
        low, high = (answer[f"difference_{k}"].values[first, second] for k in ("lower", "upper"))
        inside.append(((low <= difference + 1e-12) & (difference <= high + 1e-12)).mean())
        in_set = answer["in_best_set"].values
        best.append(in_set.mean() if equal else in_set[truth.argmax()])
    error = np.std(inside) / np.sqrt(SETS)
    return (
        f"{np.mean(wrong):.2f} ± {np.std(wrong) / np.sqrt(SETS):.2f} | {np.mean(verdicts):.2f} | "
        f"{np.mean(inside):.3f} ± {error:.3f} | "
        f"{np.mean(best):.3f} ± {np.std(best) / np.sqrt(SETS):.3f}"
    )


def main() -> None:
    """Print the table."""
    random = np.random.default_rng(20261126)
    for sizes in SIZES:
        for runs in (1, 4):
            for equal in (True, False):
                kind = "equal" if equal else "different"
                print(f"| {sizes} | {runs} | {kind} | {rates(sizes, runs, equal, random)} |")


if __name__ == "__main__":
    main()

"""Evidence for the models of wins, losses and ties of pairs: one pair a simulation, a grid of
counts against the closed form, and published tables.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.exact.wins.beta import prob_above_half, prob_greater
from betterthan.models import likelihood_data
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import EXAMPLES, Form, Scalars

DRAWS = 2000
# (win, loss, tie): none, few, many, one-sided, all ties, nearly equal, and the two published cases
GRID = [
    *[(w, l, t) for w in (0, 1, 5, 30) for l in (0, 2, 25) for t in (0, 100)],
    *[(1000, 0, 0), (0, 1000, 0), (0, 0, 1000), (0, 1, 10_000)],
    *[(500, 500, 0), (100_000, 99_500, 1), (12, 2, 986), (210, 200, 590)],
]
# wins, losses and examples for which the approximation is shown
APPROXIMATED = (
    *((12, 2, 1000), (210, 200, 1000), (60, 50, 1000), (60, 50, 200)),
    *((60, 50, 110), (5, 2, 20), (9, 1, 10)),
)
_PARAMETERS = ("theta", "p", "p_win", "p_loss", "difference")


def form(model: ModuleType) -> Form:
    """A pair a simulation, of few examples, of some and of many in turn."""
    return Form(
        name=model.__name__.rpartition(".")[2],
        model=model,
        simulate=lambda count, seed: _one_pair_each(model, count, seed),
        build=lambda _: model.build(_counts([(1, 1, 1)])),
        data=_observed,
        scalars=_scalars,
        design={"examples_per_pair": list(EXAMPLES)},
    )


def agreement(model: ModuleType, reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Fit the grid and the published cases at once, and compare with the closed form and with
    print.
    """
    cases = reference["case"]
    grid = [(*case["counts"], 0)[:3] for case in cases] + GRID
    counts = _counts(grid)
    tree = model.fit(counts, sampling=Sampling(draws=DRAWS), rng=seed, predictive=False)
    exact = model.closed_form(counts).values
    share, ess = _share_better(tree)
    z = probability_z(exact, share, ess)
    found = {
        "pairs": len(grid),
        "draws": DRAWS * names.CHAINS,
        "max_abs_z_probability": float(np.abs(z).max()),
        "worst_counts": list(grid[int(np.abs(z).argmax())]),
        "max_abs_error_probability": float(np.abs(share - exact).max()),
    } | _convergence(tree, np.array(grid))
    k = len(cases)
    published = {
        "cases": k,
        "reproduced_by_closed_form": distances.reproduced(exact[:k], cases),
        "max_abs_z_probability": float(np.abs(z[:k]).max()),
    }
    return {"grid": found, "published": published}


def approximation_error() -> dict[str, Any]:
    """On one test set the independent Betas are an approximation: by how much they miss the exact
    answer.
    """
    rows = []
    for wins, losses, n in APPROXIMATED:
        betas = prob_greater(
            *map(np.array, (1.0 + wins, 1.0 + n - wins, 1.0 + losses, 1.0 + n - losses))
        )
        exact = float(prob_above_half(np.array(1.0 + wins), np.array(1.0 + losses)))
        row = {"counts": [wins, losses, n - wins - losses], "independent": float(betas)}
        rows.append(row | {"exact": exact, "error": float(betas) - exact})
    return {"error_on_one_test_set": rows}


def _one_pair_each(model: ModuleType, count: int, seed: int) -> list[xr.Dataset]:
    truth = model.simulate(np.resize(EXAMPLES, count), pairs=count, rng=seed)
    return [truth.isel({names.PAIR: [k]}) for k in range(count)]


def _observed(truth: xr.Dataset) -> dict[str, np.ndarray]:
    """The simulated data under the names the models give their data."""
    if "decisive" in truth:
        return {"decisive": truth["decisive"].values, "n": truth["n"].values}
    counts = truth["counts"].values
    if counts.shape[1] == 2:
        return {"wins": counts[:, 0], "n": counts.sum(1)}
    return {"counts": counts}


def _scalars(data: xr.Dataset) -> Scalars:
    """Each scalar parameter on its own: theta as theta_win, theta_loss, theta_tie."""
    found = {}
    for name in (v for v in data.data_vars if v in _PARAMETERS):
        array = data[name].isel({names.PAIR: 0})
        if names.OUTCOME in array.dims:
            for label in array[names.OUTCOME].values:
                found[f"{name}_{label}"] = array.sel({names.OUTCOME: label}).values
        else:
            found[str(name)] = array.values
    return found


def _counts(grid: Sequence[Sequence[int]]) -> xr.DataArray:
    coords = likelihood_data.simulated(len(grid)) | {names.OUTCOME: list(names.OUTCOMES)}
    return xr.DataArray(np.array(grid), dims=(names.PAIR, names.OUTCOME), coords=coords)


def _share_better(tree: xr.DataTree) -> tuple[np.ndarray, np.ndarray]:
    """Of each pair the share of draws in which A is better, and its effective draws."""
    import arviz as az

    posterior = tree["posterior"].to_dataset()
    margin = posterior["difference"] if "difference" in posterior else posterior["p"] - 0.5
    better = (margin > 0).astype(float)
    ess = az.ess(better, method="mean").clip(max=better.sizes["chain"] * better.sizes["draw"])
    return better.mean(("chain", "draw")).values, ess.values


def _convergence(tree: xr.DataTree, counts: np.ndarray) -> dict[str, Any]:
    import arviz as az

    posterior = tree["posterior"].to_dataset()
    looked_at = posterior[[v for v in posterior.data_vars if v != "difference"]]
    return {
        "max_abs_z_mean": _mean_z(looked_at, counts),
        "rhat_max": _extreme(az.rhat(looked_at), np.max),
        "ess_min": min(_extreme(az.ess(looked_at, method=m), np.min) for m in ("bulk", "tail")),
        "divergences": distances.diverged(tree),
    }


def _mean_z(posterior: xr.Dataset, counts: np.ndarray) -> float:
    """Largest distance of a posterior mean from its closed form, in Monte Carlo standard errors."""
    import arviz as az

    wins, losses, n = counts[:, 0], counts[:, 1], counts.sum(1)
    expected = {
        "theta": (counts + 1) / (n + 3)[:, None],
        "p": (wins + 1) / (wins + losses + 2),
        "p_win": (wins + 1) / (n + 2),
        "p_loss": (losses + 1) / (n + 2),
    }
    apart = {k: v.mean(("chain", "draw")).values - expected[str(k)] for k, v in posterior.items()}
    z = [np.abs(d / az.mcse(posterior[k], method="mean").values).max() for k, d in apart.items()]
    return float(max(z))


def _extreme(values: Any, pick: Any) -> float:
    return float(pick([pick(v.values) for v in values.data_vars.values()]))

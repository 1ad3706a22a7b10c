"""Evidence for the Mallows model: calibration over documents, quadrature for one theta, and
published orders.
"""

from types import ModuleType
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.evidence import calibration
from betterthan.exact.numeric.sampling_error import probability_z
from betterthan.exact.orders import mallows
from betterthan.models import refit, sampling
from betterthan.models.sampling import Sampling

DOCUMENTS, SYSTEMS, ITEMS = 20, 2, 6
DRAWS = 2000
# documents, systems, items of fits with one theta a system: one order of few items, many of many
GRID = [(1, 2, 3), (1, 4, 10), (5, 3, 8), (40, 2, 8), (10, 3, 30), (200, 2, 5)]


def collect(
    model: ModuleType, reference: dict[str, Any], *, simulations: int, seed: int
) -> dict[str, Any]:
    """All of it, as the evidence holds it."""
    calibrated = calibrate(model, simulations, seed)
    shape = {"documents": DOCUMENTS, "systems": SYSTEMS, "items": ITEMS}
    return {
        "calibration": calibration.summary(calibrated, simulations) | shape,
        "coverage": calibrated.coverage,
        "agreement": {"quadrature": agreement(model, seed), "published": published(reference)},
    }


def calibrate(model: ModuleType, simulations: int, seed: int) -> calibration.Calibration:
    """Fit data sets drawn from the model itself, with one compilation, and rank each truth among
    its draws.
    """
    import nutpie

    truths = [
        model.simulate(DOCUMENTS, systems=SYSTEMS, items=ITEMS, rng=seed + k)
        for k in range(simulations)
    ]
    with sampling.steady_arithmetic():
        compiled: Any = nutpie.compile_pymc_model(model.build(truths[0]))
    draws: list[dict[str, np.ndarray]] = []
    divergences = 0
    for k, data in enumerate(truths):
        inversions, n = (
            data["inversions"].values.ravel().astype(float),
            data["n_items"].values.ravel(),
        )
        centre, information = mallows.approximation(inversions, n, model._NEAR)
        tree = refit.sampled(
            compiled.with_data(inversions=inversions, centre=centre, information=information),
            seed + k,
            names.TARGET_ACCEPT,
        )
        divergences += int(tree["sample_stats"].to_dataset()["diverging"].sum())
        posterior = tree["posterior"].to_dataset()
        posterior["theta_document"] = posterior["theta_cell"].isel(cell=0)
        draws.append(_scalars(posterior))
    known = [_scalars(data.assign(theta_document=data["theta_document"][0, 0])) for data in truths]
    stacked, truth = (
        {n: np.stack([one[n] for one in many]) for n in many[0]} for many in (draws, known)
    )
    return calibration.ranked(stacked, truth, divergences)


def agreement(model: ModuleType, seed: int) -> list[dict[str, Any]]:
    """Fits of one theta a system against quadrature, in Monte Carlo errors."""
    import arviz as az

    rows = []
    for k, (documents, systems, items) in enumerate(GRID):
        data = model.simulate(
            documents, systems=systems, items=items, pooling="complete", rng=seed + k
        )
        tree = model.fit(
            data, pooling="complete", sampling=Sampling(draws=DRAWS), rng=seed, predictive=False
        )
        exact = model.closed_form(data)
        theta = tree["posterior"]["theta"]
        better = (theta.isel(system=0) > theta.isel(system=1)).astype(float)
        ess = az.ess(better, method="mean").clip(max=better.size)
        z = {
            "mean": (theta.mean(("chain", "draw")) - exact["mean"]) / az.mcse(theta, method="mean"),
            "sd": (theta.std(("chain", "draw")) - exact["sd"]) / az.mcse(theta, method="sd"),
            "probability": probability_z(
                exact["prob_better"].values[0, 1],
                np.array(float(better.mean())),
                np.array(float(ess)),
            ),
        }
        row: dict[str, Any] = {"documents": documents, "systems": systems, "items": items}
        row |= {f"max_abs_z_{name}": float(np.abs(v).max()) for name, v in z.items()}
        rows.append(
            row | {"divergences": int(tree["sample_stats"].to_dataset()["diverging"].sum())}
        )
    return rows


def published(reference: dict[str, Any]) -> dict[str, Any]:
    """The printed numbers of orders, from the normaliser alone; the printed taus, and what theta
    they speak for.
    """
    n, orders = reference["items"], np.array(reference["orders"])
    theta = np.array([-1.0, 0.0, 0.5, 2.0])
    sums = [np.log((orders * np.exp(-t * np.arange(len(orders)))).sum()) for t in theta]
    table = reference["table"]
    pairs = table["items"] * (table["items"] - 1) / 2
    taus = [round(1 - 2 * k / pairs, 2) for k in table["inversions"]]
    means = []
    for k in table["inversions"]:
        nodes, weight = mallows.quadrature(
            mallows.log_posterior(np.array([k]), np.array([table["items"]]), 1.0), 1.0
        )
        means.append(float(weight @ nodes))
    return {
        "max_error_of_log_normaliser": float(np.abs(mallows.log_normaliser(theta, n) - sums).max()),
        "taus_reproduced": int(sum(a == b for a, b in zip(taus, table["tau"], strict=True))),
        "posterior_mean_of_theta": means,
    }


def _scalars(data: xr.Dataset) -> dict[str, np.ndarray]:
    """Each scalar on its own, (chain, draw) or without dims."""
    found = {name: data[name].values for name in ("document_sd", "cell_sd", "theta_document")}
    found |= {
        f"theta_{k}": data["theta"].isel(system=k).values for k in range(data.sizes[names.SYSTEM])
    }
    found["difference"] = found["theta_0"] - found["theta_1"]
    return found

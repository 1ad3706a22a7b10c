"""Evidence for the Mallows model: calibration over documents, quadrature for one theta, and
published orders.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan.exact import mallows as exact_mallows
from betterthan.exact.numeric.monte_carlo import probability_z
from betterthan.models import mallows
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import Form, Scalars, numbered, one_by_one

_SHAPE = {"documents": 20, "systems": 2, "items": 6}
# documents, systems, items of fits with one theta a system: one order of few items, many of many
GRID = [(1, 2, 3), (1, 4, 10), (5, 3, 8), (40, 2, 8), (10, 3, 30), (200, 2, 5)]


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """One theta a system, and what is printed."""
    rows = [_row(seed, k, *shape) for k, shape in enumerate(GRID)]
    return {"quadrature": rows, "published": published(reference)}


def published(reference: dict[str, Any]) -> dict[str, Any]:
    """The printed numbers of orders, from the normaliser alone; the printed taus, and what theta
    they speak for.
    """
    n, orders = reference["items"], np.array(reference["orders"])
    theta = np.array([-1.0, 0.0, 0.5, 2.0])
    sums = [np.log((orders * np.exp(-t * np.arange(len(orders)))).sum()) for t in theta]
    errors = np.abs(exact_mallows.log_normaliser(theta, n) - sums)
    table = reference["table"]
    pairs = table["items"] * (table["items"] - 1) / 2
    taus = [round(1 - 2 * k / pairs, 2) for k in table["inversions"]]
    return {
        "max_error_of_log_normaliser": float(errors.max()),
        "taus_reproduced": int(sum(a == b for a, b in zip(taus, table["tau"], strict=True))),
        "posterior_mean_of_theta": [_mean(k, table["items"]) for k in table["inversions"]],
    }


def _mean(inversions: int, items: int) -> float:
    """Posterior mean of theta after one order."""
    log = exact_mallows.log_posterior(np.array([inversions]), np.array([items]), 1.0)
    nodes, weight = exact_mallows.quadrature(log, 1.0)
    return float(weight @ nodes)


def _row(seed: int, k: int, documents: int, systems: int, items: int) -> dict[str, Any]:
    """A fit of one theta a system against quadrature."""
    shape = {"documents": documents, "systems": systems, "items": items}
    data = mallows.simulate(**shape, pooling="complete", rng=seed + k)
    many = Sampling(draws=2000)
    tree = mallows.fit(data, pooling="complete", sampling=many, rng=seed, predictive=False)
    z = _distance(distances.drawn(tree, "theta"), mallows.closed_form(data))
    told = {f"max_abs_z_{name}": float(np.abs(v).max()) for name, v in z.items()}
    return shape | told | {"divergences": distances.diverged(tree)}


def _distance(theta: xr.DataArray, exact: xr.Dataset) -> dict[str, Any]:
    import arviz as az

    better = (theta.isel(system=0) > theta.isel(system=1)).astype(float)
    ess = np.array(float(az.ess(better, method="mean").clip(max=better.size)))
    p = exact["prob_better"].values[0, 1]
    samples = ("chain", "draw")
    return {
        "mean": (theta.mean(samples) - exact["mean"]) / az.mcse(theta, method="mean"),
        "sd": (theta.std(samples) - exact["sd"]) / az.mcse(theta, method="sd"),
        "probability": probability_z(p, np.array(float(better.mean())), ess),
    }


def _data(truth: xr.Dataset) -> dict[str, np.ndarray]:
    k, n = truth["inversions"].values.ravel().astype(float), truth["n_items"].values.ravel()
    centre, information = exact_mallows.approximation(k, n, mallows._APPROXIMATION_SD)
    return {"inversions": k, "centre": centre, "information": information}


def _scalars(data: xr.Dataset) -> Scalars:
    """Of the cells the first alone, which a posterior has in a row and a truth in a table."""
    if "theta_cell" in data:
        first = data["theta_cell"].isel(cell=0)
    else:
        first = data["theta_document"][0, 0]
    found = {"document_sd": data["document_sd"].values, "cell_sd": data["cell_sd"].values}
    found |= {"theta_document": first.values} | numbered(data, ("theta",), first=0)
    return found | {"difference": found["theta_0"] - found["theta_1"]}


FORM = Form(
    name="mallows",
    model=mallows,
    simulate=one_by_one(partial(mallows.simulate, **_SHAPE)),
    build=mallows.build,
    data=_data,
    scalars=_scalars,
    design=_SHAPE,
)

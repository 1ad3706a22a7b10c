"""Evidence for the slopes of subjects: calibration, quadrature of the spread, and a published mixed
model.
"""

from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.evidence import calibration
from betterthan.models import refit, sampling
from betterthan.models.sampling import Sampling

SUBJECTS, ROWS = 12, 6
DRAWS = 2000
_KEPT = (
    "slope_standardised",
    "intercept_standardised",
    "sigma",
    "slope_sd",
    "intercept_sd",
    "subject_slope",
)


def collect(
    model: ModuleType, reference: dict[str, Any], *, simulations: int, seed: int
) -> dict[str, Any]:
    """All of it, as the evidence holds it."""
    calibrated = calibrate(model, simulations, seed)
    return {
        "calibration": calibration.summary(calibrated, simulations)
        | {"subjects": SUBJECTS, "rows_each": ROWS},
        "coverage": calibrated.coverage,
        "agreement": {
            "quadrature": agreement(model, seed),
            "published": published(model, reference, seed),
        },
    }


def calibrate(model: ModuleType, simulations: int, seed: int) -> calibration.Calibration:
    """Fit data sets drawn from the model itself, with one compilation, and rank each truth among
    its draws.
    """
    import nutpie

    truths = [model.simulate(SUBJECTS, rows=ROWS, rng=seed + k) for k in range(simulations)]
    built = model.build(as_table(truths[0]), "response", "predictor", standardise=False)
    with sampling.steady_arithmetic():
        compiled: Any = nutpie.compile_pymc_model(built)
    draws: list[dict[str, np.ndarray]] = []
    divergences = 0
    for k, data in enumerate(truths):
        y, x = data["response"].values, data["predictor"].values
        tree = refit.sampled(
            compiled.with_data(y_data=y, x=x, **model._sums(y, x, data["subject_of"].values)),
            seed + k,
            names.TARGET_ACCEPT,
        )
        divergences += int(tree["sample_stats"].to_dataset()["diverging"].sum())
        draws.append(_scalars(tree["posterior"].to_dataset()))
    known = [_scalars(data) for data in truths]
    stacked, truth = (
        {n: np.stack([one[n] for one in many]) for n in many[0]} for many in (draws, known)
    )
    return calibration.ranked(stacked, truth, divergences)


def by_quadrature(
    y: np.ndarray, x: np.ndarray, of: np.ndarray, points: int = 60
) -> dict[str, float]:
    """Posterior mean and standard deviation of the slope, and P(slope > 0), without draws.

    Given the three standard deviations, everything else is normal and integrates out; they are
    summed over a grid of Gauss-Legendre nodes.
    """
    from scipy import special

    nodes, weights = np.polynomial.legendre.leggauss(points)
    unit, mass = (nodes + 1) / 2, weights / 2
    deviations = [
        y[of == s] - np.polyval(np.polyfit(x[of == s], y[of == s], 1), x[of == s])
        for s in np.unique(of)
    ]
    within = np.concatenate(deviations)
    about = np.sqrt(within @ within / max(len(y) - 2 * len(deviations), 1))
    # of log(sigma), some eight of its errors
    width = min(8 / np.sqrt(2 * max(len(y) - 2 * len(deviations), 1)), 1.6)
    sigmas, wide = about * np.exp(width * nodes), 4 * unit**2 * (3 - 2 * unit)  # more nodes near 0
    jacobians = [width * weights * sigmas, *[4 * 6 * unit * (1 - unit) * mass] * 2]
    design = np.stack([np.ones_like(x), x], axis=1)
    inner = [
        (design[of == s].T @ design[of == s], design[of == s].T @ y[of == s]) for s in np.unique(of)
    ]
    n, squares = len(y), y @ y
    sigma, a_sd, b_sd = (g.ravel() for g in np.meshgrid(sigmas, wide, wide, indexing="ij"))
    log = -(sigma**2 + a_sd**2 + b_sd**2) / 2 - n * np.log(sigma) - squares / (2 * sigma**2)
    precision = np.broadcast_to(np.eye(2), (len(sigma), 2, 2)).copy()
    pull = np.zeros((len(sigma), 2))
    spread = np.zeros((len(sigma), 2, 2))
    spread[:, 0, 0], spread[:, 1, 1] = a_sd**2, b_sd**2
    for gram, cross in inner:
        # per subject: y ~ Normal(design @ fixed, sigma**2 + design @ spread @ design.T), by its two
        # sums
        middle = np.eye(2) + spread @ gram / sigma[:, None, None] ** 2
        shrink = np.linalg.solve(middle, spread) / sigma[:, None, None] ** 4
        log -= 0.5 * np.log(np.linalg.det(middle)) - 0.5 * np.einsum(
            "i,kij,j->k", cross, shrink, cross
        )
        precision += gram / sigma[:, None, None] ** 2 - gram @ shrink @ gram
        pull += cross / sigma[:, None] ** 2 - (gram @ shrink) @ cross
    mean = np.linalg.solve(precision, pull[..., None])[..., 0]
    covariance = np.linalg.inv(precision)
    log += 0.5 * (mean * pull).sum(-1) - 0.5 * np.log(np.linalg.det(precision))
    weight = np.einsum("i,j,k->ijk", *jacobians).ravel() * np.exp(log - log.max())
    weight /= weight.sum()
    slope, variance = mean[:, 1], covariance[:, 1, 1]
    expected = float(weight @ slope)
    return {
        "mean": expected,
        "sd": float(np.sqrt(weight @ (variance + slope**2) - expected**2)),
        "positive": float(weight @ special.ndtr(slope / np.sqrt(variance))),
    }


def agreement(model: ModuleType, seed: int) -> list[dict[str, Any]]:
    """Fits against quadrature, in Monte Carlo errors."""
    import arviz as az

    rows = []
    for subjects, each, k in ((6, 4, 1), (20, 8, 2), (40, 3, 3)):
        table = as_table(model.simulate(subjects, rows=each, rng=seed + k))
        data = model._data(table, "response", "predictor", "subject", True)
        exact = by_quadrature(data.y, data.x, data.of)
        tree = model.fit(
            table,
            "response",
            "predictor",
            sampling=Sampling(draws=DRAWS),
            rng=seed + 10 * k,
            predictive=False,
        )
        slope = tree["posterior"]["slope_standardised"]
        above = (slope > 0).astype(float)
        ess = (
            float(az.ess(above, method="mean"))
            if 0 < float(above.mean()) < 1
            else float(above.size)
        )
        error = np.sqrt(max(exact["positive"] * (1 - exact["positive"]), 1 / ess) / ess)
        z = {
            "mean": (float(slope.mean()) - exact["mean"]) / float(az.mcse(slope, method="mean")),
            "sd": (float(slope.std()) - exact["sd"]) / float(az.mcse(slope, method="sd")),
            "positive": (float(above.mean()) - exact["positive"]) / error,
        }
        row: dict[str, Any] = {"subjects": subjects, "rows_each": each}
        row |= {f"abs_z_{name}": abs(v) for name, v in z.items()}
        rows.append(
            row | {"divergences": int(tree["sample_stats"].to_dataset()["diverging"].sum())}
        )
    return rows


def published(model: ModuleType, reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """The published mixed model: posterior means beside the printed estimates."""
    tree = model.fit(
        published_table(reference),
        "time",
        "days",
        sampling=Sampling(draws=DRAWS),
        rng=seed,
        predictive=False,
    )
    posterior = tree["posterior"].to_dataset()
    return {
        "slope": float(posterior["slope"].mean()),
        "printed": reference["slope"],
        "standard_errors_apart": (float(posterior["slope"].mean()) - reference["slope"])
        / reference["slope_error"],
        "sd_of_slope": float(posterior["slope"].std()),
        "printed_error": reference["slope_error"],
    }


def published_table(reference: dict[str, Any]) -> pd.DataFrame:
    """The published times, one row for each."""
    rows = [(s, d, t) for s, times in reference["times"].items() for d, t in enumerate(times)]
    return pd.DataFrame(rows, columns=["subject", "days", "time"])


def as_table(data: xr.Dataset) -> pd.DataFrame:
    """A simulated data set as `fit` takes it."""
    columns = {name: data[name].values for name in ("response", "predictor")}
    return pd.DataFrame(columns | {"subject": data["subject_of"].values.astype(str)})


def _scalars(data: xr.Dataset) -> dict[str, np.ndarray]:
    return {
        k: (data[k].isel(subject=0) if "subject" in data[k].dims else data[k]).values for k in _KEPT
    }

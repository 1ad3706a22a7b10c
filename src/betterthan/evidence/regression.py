"""Evidence for the regression on component scores: calibration, quadrature for two features, and a
published fit.
"""

from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan.evidence import calibration
from betterthan.exact.regression import least_squares
from betterthan.models import refit, sampling
from betterthan.models.sampling import Sampling

DIALOGUES, FEATURES = 35, 5  # the shape of the seed's study, with fewer features
GROUPS, LEVELS, RATINGS = 12, 5, 60  # of the ordinal variant
DRAWS = 2000
TARGET_ACCEPT = 0.99
_NUMBER = ("r2", "sigma", "intercept_standardised", "standardised")
_ORDINAL = ("r2", "group_sd", "standardised", "cutpoints")


def collect(
    model: ModuleType, reference: dict[str, Any], *, simulations: int, seed: int
) -> dict[str, Any]:
    """All of it, as the evidence holds it."""
    number = calibrate(model, simulations, seed)
    few = max(simulations // 4, 1)
    ordinal = calibrate(model, few, seed, ordinal=True)
    return {
        "calibration": calibration.summary(number, simulations)
        | {"dialogues": DIALOGUES, "features": FEATURES},
        "coverage": number.coverage,
        "ordinal": {
            "calibration": calibration.summary(ordinal, few)
            | {"groups": GROUPS, "levels": LEVELS, "rows": RATINGS},
            "coverage": ordinal.coverage,
        },
        "agreement": {
            "quadrature": agreement(model, seed),
            "published": published(model, reference, seed),
        },
    }


def calibrate(
    model: ModuleType, simulations: int, seed: int, *, ordinal: bool = False
) -> calibration.Calibration:
    """Fit data sets drawn from the model itself, with one compilation, and rank each truth among
    its draws.
    """
    import nutpie

    shape = (
        {"features": 3, "groups": GROUPS, "levels": LEVELS} if ordinal else {"features": FEATURES}
    )
    truths = [
        model.simulate(RATINGS if ordinal else DIALOGUES, **shape, rng=seed + k)
        for k in range(simulations)
    ]
    kept = _ORDINAL if ordinal else _NUMBER
    first = next(d for d in truths if not ordinal or len(np.unique(d["response"])) == LEVELS)
    groups = first["group_of"].values if ordinal else None
    built = model.build(
        first["features"], first["response"], by=groups, ordinal=ordinal, standardise=False
    )
    with sampling.steady_arithmetic():
        compiled: Any = nutpie.compile_pymc_model(built)
    kind = built["response"].get_value().dtype
    draws: list[dict[str, np.ndarray]] = []
    divergences = 0
    for k, data in enumerate(truths):
        tree = refit.sampled(
            compiled.with_data(
                features=data["features"].values, response=data["response"].values.astype(kind)
            ),
            seed + k,
            TARGET_ACCEPT,
        )
        divergences += int(tree["sample_stats"].to_dataset()["diverging"].sum())
        draws.append(_scalars(tree["posterior"].to_dataset(), kept))
    known = [_scalars(_as_posterior(data), kept) for data in truths]
    stacked, truth = (
        {n: np.stack([one[n] for one in many]) for n in many[0]} for many in (draws, known)
    )
    return calibration.ranked(stacked, truth, divergences)


def by_quadrature(x: np.ndarray, y: np.ndarray, points: int = 60) -> dict[str, np.ndarray]:
    """Posterior mean and standard deviation of two standardised coefficients, and P(coefficient >
    0), without draws.

    Given R2, the split of its variance and sigma, intercept and coefficients are normal and
    integrate out; the three that are left are summed over a grid of Gauss-Legendre nodes.
    """
    from scipy import special

    nodes, weights = np.polynomial.legendre.leggauss(points)
    t, weight = (nodes + 1) / 2, weights / 2
    # more nodes near 0 and 1, where the prior is steep
    unit, denser = t * t * (3 - 2 * t), 6 * t * (1 - t)
    error = least_squares.residuals(x, y)[0]
    s = np.sqrt(error @ error / (len(y) - 3))
    sigma, r2, share = (
        a.ravel() for a in np.meshgrid(s / 3 + (5 - 1 / 3) * s * unit, unit, unit, indexing="ij")
    )
    mass = np.multiply.outer(
        weight * denser, np.multiply.outer(weight * denser, weight * denser)
    ).ravel()
    tau2 = r2 / (1 - r2)
    prior = np.stack(
        [np.ones_like(sigma), sigma**2 * tau2 * share, sigma**2 * tau2 * (1 - share)], axis=-1
    )
    design = least_squares.design(x)
    precision = (design.T @ design)[None] / sigma[:, None, None] ** 2
    precision[:, range(3), range(3)] += 1 / prior
    mean = np.linalg.solve(precision, ((design.T @ y)[None] / sigma[:, None] ** 2)[..., None])[
        ..., 0
    ]
    covariance = np.linalg.inv(precision)
    log = (
        -len(y) * np.log(sigma)
        - 0.5 * (y @ y) / sigma**2
        + 0.5 * (mean * (design.T @ y)).sum(-1) / sigma**2
        - 0.5 * np.log(prior).sum(-1)
        - 0.5 * np.linalg.slogdet(precision)[1]
        - 0.5 * sigma**2
    )
    weight_of = mass * np.exp(log - log.max())
    weight_of /= weight_of.sum()
    beta, variance = mean[:, 1:], np.diagonal(covariance, axis1=1, axis2=2)[:, 1:]
    expected = weight_of @ beta
    sd = np.sqrt(weight_of @ (variance + beta**2) - expected**2)
    return {
        "mean": expected,
        "sd": sd,
        "positive": weight_of @ special.ndtr(beta / np.sqrt(variance)),
    }


def agreement(model: ModuleType, seed: int) -> list[dict[str, Any]]:
    """Fits of two features against quadrature, in Monte Carlo errors."""
    rows = []
    for n, k in ((12, 1), (35, 2), (35, 3), (100, 4)):
        data = model.simulate(n, features=2, rng=seed + k)
        x, y = data["features"], data["response"]
        y = (y - y.mean()) / y.std(ddof=1)
        tree = model.fit(x, y, sampling=Sampling(draws=DRAWS), rng=seed, predictive=False)
        exact = by_quadrature(x.values, y.values)
        rows.append({"dialogues": n, "r2": float(data["r2"])} | _distance(tree, exact))
    return rows


def _distance(tree: xr.DataTree, exact: dict[str, np.ndarray]) -> dict[str, Any]:
    import arviz as az

    beta = tree["posterior"]["standardised"]
    dims = ("chain", "draw")
    above = (beta > 0).astype(float)
    ess = az.ess(above, method="mean").values
    error = np.sqrt(np.maximum(exact["positive"] * (1 - exact["positive"]), 1 / ess) / ess)
    z = {
        "mean": (beta.mean(dims).values - exact["mean"]) / az.mcse(beta, method="mean").values,
        "sd": (beta.std(dims).values - exact["sd"]) / az.mcse(beta, method="sd").values,
        "positive": (above.mean(dims).values - exact["positive"]) / error,
    }
    found: dict[str, Any] = {f"max_abs_z_{k}": float(np.abs(v).max()) for k, v in z.items()}
    found["divergences"] = int(tree["sample_stats"].to_dataset()["diverging"].sum())
    return found


def published(model: ModuleType, reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """A published least-squares fit: by how many of its standard errors the posterior means differ
    from it.
    """
    frame = pd.DataFrame(reference["rows"], columns=reference["columns"])
    names_of = list(reference["coefficients"])
    tree = model.fit(
        frame[[*names_of, reference["response"]]], reference["response"], rng=seed, predictive=False
    )
    means = tree["posterior"]["coefficient"].mean(("chain", "draw"))
    apart = {
        name: (float(means.sel(feature=name)) - reference["coefficients"][name])
        / reference["standard_errors"][name]
        for name in names_of
    }
    return {"response": reference["response"], "standard_errors_apart": apart}


def _as_posterior(data: xr.Dataset) -> xr.Dataset:
    return data.rename({"intercept": "intercept_standardised"}) if "intercept" in data else data


def _scalars(data: xr.Dataset, kept: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Each scalar on its own, (chain, draw) or without dims."""
    found = {}
    for name in kept:
        extra = [d for d in data[name].dims if d not in ("chain", "draw")]
        if not extra:
            found[name] = data[name].values
            continue
        for k in range(data.sizes[extra[0]]):
            found[f"{name}_{k}"] = data[name].isel({extra[0]: k}).values
    return found

"""Evidence for the regression on component scores: calibration, quadrature for two features, and a
published fit.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import names
from betterthan.exact import regression
from betterthan.models import performance_function
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import Form, Scalars, numbered, one_by_one

DIALOGUES, FEATURES = 35, 5  # the shape of the seed's study, with fewer features
GROUPS, LEVELS, RATINGS = 12, 5, 60  # of the ordinal variant


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Fits of two features, and what is printed."""
    rows = [_row(seed, *shape) for shape in ((12, 1), (35, 2), (35, 3), (100, 4))]
    return {"quadrature": rows, "published": published(reference, seed)}


def published(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """A published least-squares fit: by how many of its standard errors the posterior means differ
    from it.
    """
    frame = pd.DataFrame(reference["rows"], columns=reference["columns"])
    printed, response = reference["coefficients"], reference["response"]
    table = frame[[*printed, response]]
    tree = performance_function.fit(table, response, rng=seed, predictive=False)
    means = distances.drawn(tree, "coefficient").mean(("chain", "draw"))
    errors = reference["standard_errors"]
    apart = {k: (float(means.sel(feature=k)) - v) / errors[k] for k, v in printed.items()}
    return {"response": response, "standard_errors_apart": apart}


def by_quadrature(x: np.ndarray, y: np.ndarray, points: int = 60) -> dict[str, np.ndarray]:
    """Posterior mean and standard deviation of two standardised coefficients, and P(coefficient >
    0), without draws.

    Given R2, the split of its variance and sigma, intercept and coefficients are normal and
    integrate out; the three that are left are summed over a grid of Gauss-Legendre nodes.
    """
    (sigma, r2, share), mass = _grid(x, y, points)
    variance = sigma**2 * r2 / (1 - r2)
    prior = np.stack([np.ones_like(sigma), variance * share, variance * (1 - share)], axis=-1)
    design = regression.design(x)
    precision = (design.T @ design)[None] / sigma[:, None, None] ** 2
    precision[:, range(3), range(3)] += 1 / prior
    pull = (design.T @ y)[None] / sigma[:, None] ** 2
    mean = np.linalg.solve(precision, pull[..., None])[..., 0]
    log = (
        -len(y) * np.log(sigma)
        - 0.5 * (y @ y) / sigma**2
        + 0.5 * (mean * pull).sum(-1)
        - 0.5 * np.log(prior).sum(-1)
        - 0.5 * np.linalg.slogdet(precision)[1]
        - 0.5 * sigma**2
    )
    weight = mass * np.exp(log - log.max())
    covariance = np.linalg.inv(precision)
    return _of_mixture(
        weight / weight.sum(), mean[:, 1:], np.diagonal(covariance, axis1=1, axis2=2)[:, 1:]
    )


def _grid(x: np.ndarray, y: np.ndarray, points: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Values of sigma, R2 and the first share, and what each stands for."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    t, weight = (nodes + 1) / 2, weights / 2
    # more nodes near 0 and 1, where the prior is steep
    unit, mass = t * t * (3 - 2 * t), weight * 6 * t * (1 - t)
    error = regression.residuals(x, y)[0]
    s = np.sqrt(error @ error / (len(y) - 3))
    axes = (s / 3 + (5 - 1 / 3) * s * unit, unit, unit)
    grid = [a.ravel() for a in np.meshgrid(*axes, indexing="ij")]
    return grid, np.einsum("i,j,k->ijk", mass, mass, mass).ravel()


def _of_mixture(weight: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> dict[str, Any]:
    """Mean, standard deviation and P(> 0) of mixtures of normals."""
    expected = weight @ mean
    return {
        "mean": expected,
        "sd": np.sqrt(weight @ (variance + mean**2) - expected**2),
        "positive": weight @ special.ndtr(mean / np.sqrt(variance)),
    }


def _row(seed: int, n: int, k: int) -> dict[str, Any]:
    data = performance_function.simulate(n, features=2, rng=seed + k)
    x, y = data["features"], data["response"]
    y = (y - y.mean()) / y.std(ddof=1)
    many = Sampling(draws=2000)
    tree = performance_function.fit(x, y, sampling=many, rng=seed, predictive=False)
    exact = by_quadrature(x.values, y.values)
    z = distances.from_moments(distances.drawn(tree, "standardised"), exact)
    told = {f"max_abs_z_{name}": v for name, v in z.items()}
    divergences = distances.diverged(tree)
    return {"dialogues": n, "r2": float(data["r2"])} | told | {"divergences": divergences}


def _scalars(data: xr.Dataset, kept: tuple[str, ...]) -> Scalars:
    if "intercept_standardised" not in data and "intercept" in data:  # a truth is standardised
        data = data.rename({"intercept": "intercept_standardised"})
    return numbered(data, kept, first=0)


def _data(truth: xr.Dataset) -> dict[str, np.ndarray]:
    return {"features": truth["features"].values, "response": truth["response"].values}


def _ordinal(truth: xr.Dataset) -> Any:
    """All levels are seen in it, whatever is drawn of them."""
    response = np.resize(np.arange(LEVELS), truth.sizes[names.DIALOGUE]).astype(float)
    return performance_function.build(
        truth["features"],
        response,
        by=truth["group_of"].values,
        ordinal=True,
        standardise=False,
    )


FORMS = (
    Form(
        name="performance_function",
        model=performance_function,
        simulate=one_by_one(partial(performance_function.simulate, DIALOGUES, features=FEATURES)),
        build=lambda t: performance_function.build(t["features"], t["response"], standardise=False),
        data=_data,
        scalars=partial(_scalars, kept=("r2", "sigma", "intercept_standardised", "standardised")),
        design={"dialogues": DIALOGUES, "features": FEATURES},
    ),
    Form(
        name="ordinal",
        model=performance_function,
        simulate=one_by_one(
            partial(
                performance_function.simulate, RATINGS, features=3, groups=GROUPS, levels=LEVELS
            )
        ),
        build=_ordinal,
        data=_data,
        scalars=partial(_scalars, kept=("r2", "group_sd", "standardised", "cutpoints")),
        design={"groups": GROUPS, "levels": LEVELS, "rows": RATINGS},
        part=4,
    ),
)

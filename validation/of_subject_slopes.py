"""Evidence for the slopes of subjects: calibration, quadrature of the spread, and a published mixed
model.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan.models import likelihood_data, subject_slopes
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import Form, Scalars, numbered, one_by_one
from validation.quadrature_of_texts import slope_by_quadrature

SUBJECTS, ROWS = 12, 6
_MANY = Sampling(draws=2000)
_KEPT = (
    "slope_standardised",
    "intercept_standardised",
    "sigma",
    "slope_sd",
    "intercept_sd",
    "subject_slope",
)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Fits against quadrature, and what is printed."""
    rows = [_row(seed, *shape) for shape in ((6, 4, 1), (20, 8, 2), (40, 3, 3))]
    rows += [_row(seed, *shape, texts=True) for shape in ((6, 5, 4), (5, 8, 5))]
    return {"quadrature": rows, "published": published(reference, seed)}


def published(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """The published mixed model: posterior means beside the printed estimates."""
    table = published_table(reference)
    tree = subject_slopes.fit(
        table, "time", "days", text=None, sampling=_MANY, rng=seed, predictive=False
    )
    slope = distances.drawn(tree, "slope")
    printed, error = reference["slope"], reference["slope_error"]
    return {
        "slope": float(slope.mean()),
        "printed": printed,
        "standard_errors_apart": (float(slope.mean()) - printed) / error,
        "sd_of_slope": float(slope.std()),
        "printed_error": error,
    }


def published_table(reference: dict[str, Any]) -> pd.DataFrame:
    """The published times, one row for each."""
    rows = [(s, d, t) for s, times in reference["times"].items() for d, t in enumerate(times)]
    return pd.DataFrame(rows, columns=["subject", "days", "time"])


def as_table(data: xr.Dataset) -> pd.DataFrame:
    """A simulated data set as `fit` takes it."""
    columns = {name: data[name].values for name in ("response", "predictor")}
    texts = {"text": data["text_of"].values.astype(str)} if "text_of" in data else {}
    return pd.DataFrame(columns | {"subject": data["subject_of"].values.astype(str)} | texts)


def by_quadrature(
    y: np.ndarray, x: np.ndarray, of: np.ndarray, points: int = 60
) -> dict[str, float]:
    """Posterior mean and standard deviation of the slope, and P(slope > 0), without draws.

    Given the three standard deviations, everything else is normal and integrates out; they are
    summed over a grid of Gauss-Legendre nodes.
    """
    (sigma, a_sd, b_sd), mass = _grid(y, x, of, points)
    log = -(sigma**2 + a_sd**2 + b_sd**2) / 2 - len(y) * np.log(sigma) - y @ y / (2 * sigma**2)
    precision, pull, more = _fixed_effects(y, x, of, sigma, np.stack([a_sd, b_sd], axis=-1))
    mean = np.linalg.solve(precision, pull[..., None])[..., 0]
    log += more + 0.5 * (mean * pull).sum(-1) - 0.5 * np.log(np.linalg.det(precision))
    weight = mass * np.exp(log - log.max())
    weight /= weight.sum()
    slope, variance = mean[:, 1], np.linalg.inv(precision)[:, 1, 1]
    expected = float(weight @ slope)
    return {
        "mean": expected,
        "sd": float(np.sqrt(weight @ (variance + slope**2) - expected**2)),
        "positive": float(weight @ special.ndtr(slope / np.sqrt(variance))),
    }


def _grid(
    y: np.ndarray, x: np.ndarray, of: np.ndarray, points: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Values of sigma and of the spreads of intercepts and slopes, and what each stands for."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    unit, mass = (nodes + 1) / 2, weights / 2
    subjects = [of == s for s in np.unique(of)]
    within = np.concatenate([y[s] - np.polyval(np.polyfit(x[s], y[s], 1), x[s]) for s in subjects])
    free = max(len(y) - 2 * len(subjects), 1)
    about = np.sqrt(within @ within / free)
    width = min(8 / np.sqrt(2 * free), 1.6)  # of log(sigma), some eight of its errors
    sigma, wide = about * np.exp(width * nodes), 4 * unit**2 * (3 - 2 * unit)  # more nodes near 0
    jacobians = [width * weights * sigma, *[4 * 6 * unit * (1 - unit) * mass] * 2]
    grid = [g.ravel() for g in np.meshgrid(sigma, wide, wide, indexing="ij")]
    return grid, np.einsum("i,j,k->ijk", *jacobians).ravel()


def _fixed_effects(
    y: np.ndarray, x: np.ndarray, of: np.ndarray, sigma: np.ndarray, sd: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision of intercept and slope, that times their mean, and what else the log likelihood
    holds, at each point of the grid: the effects of subjects are integrated out.
    """
    design = np.stack([np.ones_like(x), x], axis=1)
    precision = np.broadcast_to(np.eye(2), (len(sigma), 2, 2)).copy()
    pull, log = np.zeros((len(sigma), 2)), np.zeros(len(sigma))
    spread = sd[:, :, None] ** 2 * np.eye(2)
    variance = sigma[:, None, None] ** 2
    for s in np.unique(of):
        # y ~ Normal(design @ fixed, sigma**2 + design @ spread @ design.T), by its two sums
        gram, cross = design[of == s].T @ design[of == s], design[of == s].T @ y[of == s]
        middle = np.eye(2) + spread @ gram / variance
        shrink = np.linalg.solve(middle, spread) / variance**2
        log -= 0.5 * np.log(np.linalg.det(middle))
        log += 0.5 * np.einsum("i,kij,j->k", cross, shrink, cross)
        precision += gram / variance - gram @ shrink @ gram
        pull += cross / variance[..., 0] - (gram @ shrink) @ cross
    return precision, pull, log


def exact(table: pd.DataFrame) -> dict[str, float]:
    """The slope of a simulated data set by quadrature."""
    data = likelihood_data.repeated(table, "response", "predictor", "subject", "text")
    if data.texts:
        return slope_by_quadrature(data.y, data.x, data.subject, data.text)
    return by_quadrature(data.y, data.x, data.subject)


def _row(seed: int, subjects: int, each: int, k: int, *, texts: bool = False) -> dict[str, Any]:
    table = as_table(subject_slopes.simulate(subjects, rows=each, texts=texts, rng=seed + k))
    tree = subject_slopes.fit(
        table, "response", "predictor", sampling=_MANY, rng=seed + 10 * k, predictive=False
    )
    z = distances.from_moments(distances.drawn(tree, "slope_standardised"), exact(table))
    told = {f"abs_z_{name}": v for name, v in z.items()}
    divergences = distances.diverged(tree)
    return (
        {"subjects": subjects, "rows_each": each, "texts": texts}
        | told
        | {"divergences": divergences}
    )


def _data(truth: xr.Dataset) -> dict[str, np.ndarray]:
    y, x, of = (truth[k].values for k in ("response", "predictor", "subject_of"))
    found = {"y_data": y, "x": x} | likelihood_data.sums(y, x, of)
    if "text_of" not in truth:
        return found
    text_of = truth["text_of"].values
    of_texts = likelihood_data.rotated(y, x, text_of)
    return found | of_texts | likelihood_data.crossed(x, of, text_of)


def _scalars(data: xr.Dataset) -> Scalars:
    shared = {"text_sd", "text_effect"} & set(data)
    return numbered(
        data.isel({d: 0 for d in ("subject", "text") if d in data.dims}),
        _KEPT + tuple(sorted(shared)),
    )


def _form(name: str, texts: bool) -> Form:
    return Form(
        name=name,
        model=subject_slopes,
        simulate=one_by_one(partial(subject_slopes.simulate, SUBJECTS, rows=ROWS, texts=texts)),
        build=lambda t: subject_slopes.build(
            as_table(t), "response", "predictor", standardise=False
        ),
        data=_data,
        scalars=_scalars,
        design={"subjects": SUBJECTS, "rows_each": ROWS},
        part=2,
    )


FORMS = (_form("subject_slopes", False), _form("shared_texts", True))

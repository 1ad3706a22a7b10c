"""How a response such as a reading time follows a score, with a slope for each subject that is
drawn to their mean.

response = intercept + its subject's + (slope + its subject's) x score + noise: repeated measures in
one model.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks
from betterthan.exact.numeric.seeds import one_seed
from betterthan.models import shrinkage
from betterthan.models.sampling import Sampling, fit_model

if TYPE_CHECKING:
    import pymc as pm

SUBJECT, ROW = "subject", "row"


@dataclass(frozen=True)
class Repeated:
    """Rows of subjects, as the model takes them."""

    y: np.ndarray
    x: np.ndarray
    of: np.ndarray  # (row,) places of the subjects
    subjects: list[str]
    y_scale: tuple[float, float]  # mean and standard deviation that were taken out
    x_scale: tuple[float, float]


def simulate(subjects: int, *, rows: int = 8, rng: Any = None) -> xr.Dataset:
    """Draw the truth from the prior, and a response from the truth, in standardised units.

    Parameters
    ----------
    subjects : int
    rows : int, default 8
        Texts that each subject sees; their scores are standard normal.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    xarray.Dataset
        ``response``, ``predictor`` and ``subject_of`` (row), and the truth:
        ``intercept_standardised``, ``slope_standardised``, ``sigma``, ``intercept_sd``,
        ``slope_sd``, ``subject_slope`` (subject).

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(10, rng=1).sizes["row"]
    80
    """
    count, each = checks.whole(subjects, "subjects", 2), checks.whole(rows, "rows", 2)
    random = np.random.default_rng(one_seed(rng))
    alpha, beta = random.normal(size=2)
    sigma, a_sd, b_sd = np.abs(random.normal(size=3))
    a, b = random.normal(size=count) * a_sd, random.normal(size=count) * b_sd
    of = np.repeat(np.arange(count), each)
    x = random.normal(size=len(of))
    y = alpha + a[of] + (beta + b[of]) * x + random.normal(size=len(of)) * sigma
    truth = {
        "intercept_standardised": alpha,
        "slope_standardised": beta,
        "sigma": sigma,
        "intercept_sd": a_sd,
        "slope_sd": b_sd,
        "subject_slope": (SUBJECT, beta + b),
    }
    data = {"response": (ROW, y), "predictor": (ROW, x), "subject_of": (ROW, of)}
    return xr.Dataset(data | truth, coords={SUBJECT: [f"s{k}" for k in range(count)]})


def build(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = SUBJECT,
    standardise: bool = True,
) -> "pm.Model":
    """The PyMC model.

    Parameters
    ----------
    table : pandas.DataFrame
        One row for each text that a subject saw.
    response, predictor : str
        Columns of numbers; rows that lack one are left out.
    subject : str, default "subject"
        Column that names the subject.
    standardise : bool, default True
        Bring both to mean 0 and standard deviation 1; the priors are in those units. False takes
        them as they are.

    Returns
    -------
    pymc.Model
        ``slope`` and ``intercept`` in the units given, ``subject_slope`` (subject);
        ``slope_standardised``, ``intercept_standardised``, ``sigma``, ``slope_sd``,
        ``intercept_sd`` in standard deviations.

    Raises
    ------
    ValueError
        If a column is not there, holds no numbers or is constant, or there are fewer than two
        subjects.
    """
    import pymc as pm

    data = _data(table, response, predictor, subject, standardise)
    with pm.Model(coords={SUBJECT: data.subjects, ROW: np.arange(len(data.y))}) as model:
        y, x = pm.Data("y_data", data.y, dims=ROW), pm.Data("x", data.x, dims=ROW)
        alpha = pm.Normal("intercept_standardised", 0.0, 1.0)
        beta = pm.Normal("slope_standardised", 0.0, 1.0)
        sigma = pm.HalfNormal("sigma", 1.0)
        a, b = _effects(data, alpha, beta, sigma)
        mean = alpha + a[data.of] + (beta + b[data.of]) * x
        pm.Normal("y", mean, sigma, observed=y, dims=ROW)
        (y_mean, y_sd), (x_mean, x_sd) = data.y_scale, data.x_scale
        ratio = y_sd / x_sd
        slope: Any = pm.Deterministic("slope", beta * ratio)
        pm.Deterministic("intercept", y_mean + y_sd * alpha - slope * x_mean)
        pm.Deterministic("subject_slope", (beta + b) * ratio, dims=SUBJECT)
    return model


def fit(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = SUBJECT,
    sampling: Sampling = Sampling(),
    rng: Any = None,
    predictive: bool = True,
) -> xr.DataTree:
    """Sample the posterior with PyMC.

    Parameters
    ----------
    table, response, predictor, subject
        See `build`.
    sampling : Sampling, optional
        How many draws and chains; its ``target_accept`` is 0.9 here unless given.
    rng : int, numpy.random.Generator or None
        The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
        draws.
    predictive : bool, default True
        Whether to add the groups prior, prior_predictive, posterior_predictive and log_likelihood.

    Returns
    -------
    xarray.DataTree
        ``slope`` (chain, draw): how the response of a typical subject changes with the predictor.
        ``posterior.attrs`` count the rows that were left out.

    Raises
    ------
    ValueError
        As `build`, or if an argument is not valid.

    See Also
    --------
    betterthan.people.slopes : a regression of each subject, and a t test of the slopes.
    """
    data = _data(table, response, predictor, subject, True)
    attrs = {
        "model": "subject_slopes",
        "prior": [1.0],
        "response": response,
        "predictor": predictor,
        "n": len(data.y),
        "n_dropped": len(table) - len(data.y),
        "n_subjects": len(data.subjects),
    }
    return fit_model(
        build(table, response, predictor, subject=subject),
        attrs,
        sampling,
        rng=rng,
        predictive=predictive,
    )


def _data(
    table: pd.DataFrame, response: str, predictor: str, subject: str, standardise: bool
) -> Repeated:
    """The whole rows of a table."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is {checks.told(table)}; give a pandas.DataFrame")
    for name in (response, predictor, subject):
        if name not in table.columns:
            raise ValueError(
                f"there is no column {name!r} among {', '.join(map(repr, table.columns))}"
            )
    whole: Any = table[[response, predictor, subject]].dropna()
    (y, y_scale), (x, x_scale) = (
        _column(whole, name, standardise) for name in (response, predictor)
    )
    of, subjects = pd.factorize(whole[subject].to_numpy())
    if len(subjects) < 2:
        raise ValueError(f"there is {len(subjects)} subject; slopes vary over two subjects or more")
    return Repeated(y, x, of, [str(s) for s in subjects], y_scale, x_scale)


def _column(
    whole: pd.DataFrame, name: str, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """A column's numbers, and the mean and standard deviation that were taken out of them."""
    try:
        values = whole[name].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} holds something that is no number") from None
    if len(values) < 3 or np.ptp(values) == 0:
        raise ValueError(
            f"column {name!r} is constant in the {len(values)} whole rows; nothing follows from it"
        )
    mean, sd = (values.mean(), values.std(ddof=1)) if standardise else (0.0, 1.0)
    return (values - mean) / sd, (mean, sd)


def _effects(data: Repeated, alpha: Any, beta: Any, sigma: Any) -> tuple[Any, Any]:
    """What each subject adds to intercept and slope; the coordinates judge slopes within subjects,
    and intercepts given the slope.
    """
    import pymc as pm

    n, x_mean, y_mean, spread, cross = (
        pm.Data(k, v, dims=SUBJECT) for k, v in _sums(data.y, data.x, data.of).items()
    )
    slope_sd, intercept_sd = pm.HalfNormal("slope_sd", 1.0), pm.HalfNormal("intercept_sd", 1.0)
    pull = (cross - beta * spread) / sigma**2
    b = shrinkage.effects("slope", slope_sd, spread / sigma**2, pull, SUBJECT)
    pull = n * (y_mean - alpha - (beta + b) * x_mean) / sigma**2
    return shrinkage.effects("intercept", intercept_sd, n / sigma**2, pull, SUBJECT), b


def _sums(y: np.ndarray, x: np.ndarray, of: np.ndarray) -> dict[str, np.ndarray]:
    """Of each subject: rows, means, and sums of squares and products around them."""
    n = np.bincount(of)
    x_mean, y_mean = np.bincount(of, x) / n, np.bincount(of, y) / n
    dx, dy = x - x_mean[of], y - y_mean[of]
    return {
        "rows": n.astype(float),
        "x_mean": x_mean,
        "y_mean": y_mean,
        "spread": np.bincount(of, dx * dx),
        "cross": np.bincount(of, dx * dy),
    }

"""How a response such as a reading time follows a score, with a slope for each subject that is
drawn to their mean.

Question
--------
How does what people do, such as their reading time, change with a score, for a typical subject?

Model
-----
Subject j reads several texts. For text i, with response and score in standard deviations from their
mean

    response_ij ~ Normal(intercept + a_j + u_i + (slope + b_j) x score_ij, sigma)
    a_j ~ Normal(0, intercept_sd),    b_j ~ Normal(0, slope_sd),    u_i ~ Normal(0, text_sd)

The effects u of texts are there where a column names the texts (`text`) and several subjects read
the same ones. The slope is then one for other subjects and other texts. Where no two subjects read
the same text, u is part of the noise.

Priors
------
intercept, slope ~ Normal(0, 1); sigma, intercept_sd, slope_sd, text_sd ~ HalfNormal(1).

When it misleads
----------------
- Without a column of texts the answer is for other subjects and these texts only. Where texts that
  all read differ by half as much as single readings do, the model finds a slope where there is none
  in a third to a half of studies. It warns where subjects share values of the score and no column
  names the texts.
- A text has the same effect on all its readers. That a score matters more in one text than in
  another is not modelled.
- Fewer than ten texts show little of text_sd, and its prior, of standard deviation 0.6, widens the
  slope.
- a_j and b_j are independent, a_j at the mean score.
- Reading times are skewed. Take their logarithm, or screen them with `betterthan.people.winsorise`,
  before this.
- A slope shows what goes together, not what causes what.
"""

import warnings
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import likelihood_data, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.likelihood_data import Repeated, repeated
from betterthan.models.sampling import held
from betterthan.people.shared_texts import TEXT

if TYPE_CHECKING:
    import pymc as pm

SUBJECT, ROW, AXIS = "subject", "row", "axis"
TARGET_ACCEPT = 0.95


def simulate(subjects: int, *, rows: int = 8, texts: bool = False, rng: Any = None) -> xr.Dataset:
    """Simulate true values from the prior, and a standardized response from these.

    Parameters
    ----------
    subjects : int
        Number of subjects.
    rows : int, default 8
        Number of texts that each subject sees; their scores are standard normal.
    texts : bool, default False
        Whether all subjects see the same texts, which have effects of their own.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``response``, ``predictor``, and ``subject_of`` (row), and the true values:
        ``intercept_standardised``, ``slope_standardised``, ``sigma``, ``intercept_sd``,
        ``slope_sd``, ``subject_slope`` (subject). If all see the same texts also ``text_of`` (row),
        ``text_sd``, and ``text_effect`` (text).

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(10, rng=1).sizes["row"]
    80
    """
    count, size = checks.whole(subjects, "subjects", 2), checks.whole(rows, "rows", 2)
    checks.flag(texts, "texts")
    random = np.random.default_rng(one_seed(rng))
    alpha, beta = random.normal(size=2)
    sigma, a_sd, b_sd = np.abs(random.normal(size=3))
    a, b = random.normal(size=count) * a_sd, random.normal(size=count) * b_sd
    subject = np.repeat(np.arange(count), size)
    x = np.tile(random.normal(size=size), count) if texts else random.normal(size=len(subject))
    y = alpha + a[subject] + (beta + b[subject]) * x + random.normal(size=len(subject)) * sigma
    truth: dict[str, Any] = {
        "intercept_standardised": alpha,
        "slope_standardised": beta,
        "sigma": sigma,
        "intercept_sd": a_sd,
        "slope_sd": b_sd,
        "subject_slope": (SUBJECT, beta + b),
    }
    if texts:
        text_sd = np.abs(random.normal())
        effect = random.normal(size=size) * text_sd
        truth |= {"text_of": (ROW, np.tile(np.arange(size), count))}
        truth |= {"text_sd": text_sd, "text_effect": (TEXT, effect)}
        y = y + np.tile(effect, count)
    data = {"response": (ROW, y), "predictor": (ROW, x), "subject_of": (ROW, subject)}
    return xr.Dataset(data | truth, coords={SUBJECT: [f"s{k}" for k in range(count)]})


describe = describer(__name__)


def build(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = SUBJECT,
    text: str | None = TEXT,
    standardise: bool = True,
) -> "pm.Model":
    """Build the PyMC model of a slope that varies over subjects.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with one row for each text that a subject saw.
    response, predictor : str
        Names of columns of numbers; rows without one are left out.
    subject : str, default "subject"
        Column that names the subject.
    text : str or None, default "text"
        Column that names the text. Texts that several subjects read have effects of their own, so
        the slope generalizes to other texts, too. With None, or without the default column, there
        are no such effects.
    standardise : bool, default True
        Whether to scale both columns to mean 0 and standard deviation 1; the priors are in those
        units. False keeps the original units.

    Returns
    -------
    pymc.Model
        ``slope`` and ``intercept`` in the original units, ``subject_slope`` (subject);
        ``slope_standardised``, ``intercept_standardised``, ``sigma``, ``slope_sd``,
        ``intercept_sd`` in standard deviations. If texts are shared, ``text_sd`` and, in units of
        the response, ``text_effect`` (text).

    Raises
    ------
    ValueError
        If a column is missing, has no numbers, or is constant, a row lacks its text, or there are
        fewer than two subjects.
    """
    from betterthan.libraries import pm

    data = repeated(table, response, predictor, subject, text, standardise=standardise)
    coords = {SUBJECT: data.subjects, ROW: np.arange(len(data.y))}
    more = {TEXT: data.texts, AXIS: np.arange(len(data.texts))} if data.texts else {}
    with pm.Model(coords=coords | more) as model:
        y, x = pm.Data("y_data", data.y, dims=ROW), pm.Data("x", data.x, dims=ROW)
        alpha: Any = pm.Normal("intercept_standardised", 0.0, 1.0)
        beta = pm.Normal("slope_standardised", 0.0, 1.0)
        sigma = pm.HalfNormal("sigma", 1.0)
        effects: Any = _effects(data, alpha, beta, sigma)
        a, b, text_term = effects
        subject_index = held("subject_of", data.subject)
        mean = alpha + a[subject_index] + (beta + b[subject_index]) * x + text_term
        pm.Normal("y", mean, sigma, observed=y, dims=ROW)
        scales = held("scales", [*data.y_scale, *data.x_scale])
        y_mean, y_sd, x_mean, x_sd = (scales[k] for k in range(4))
        ratio = y_sd / x_sd
        slope: Any = pm.Deterministic("slope", beta * ratio)
        pm.Deterministic("intercept", y_mean + y_sd * alpha - slope * x_mean)
        pm.Deterministic("subject_slope", (beta + b) * ratio, dims=SUBJECT)
    return model


@documented(TARGET_ACCEPT)
def fit(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    *,
    subject: str = SUBJECT,
    text: str | None = TEXT,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of a slope that varies over subjects with PyMC.

    Parameters
    ----------
    table, response, predictor, subject, text
        See `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        ``slope`` (chain, draw): the change of a typical subject's response with the predictor.
        ``posterior.attrs`` count the rows that were left out, and record whether subjects share
        texts.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid.

    See Also
    --------
    betterthan.people.slopes : A regression for each subject, and a t test of the slopes.
    """
    run = Run.from_options(options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `build` gives them
        data = repeated(table, response, predictor, subject, text)
    attrs = {
        "model": "subject_slopes",
        "prior": [1.0],
        "response": response,
        "predictor": predictor,
        "n": len(data.y),
        "n_dropped": len(table) - len(data.y),
        "n_subjects": len(data.subjects),
        "texts": data.texts_are,
        "n_texts": len(data.texts),
    }
    return fit_model(
        build(table, response, predictor, subject=subject, text=text),
        attrs,
        run,
        target_accept=TARGET_ACCEPT,
    )


def _effects(data: Repeated, alpha: Any, beta: Any, sigma: Any) -> tuple[Any, Any, Any]:
    """What each subject adds to the intercept and the slope of its rows, and each text to its rows;
    the coordinates judge texts by their means, then slopes within subjects, and intercepts given
    both.
    """
    from betterthan.libraries import pm

    summaries = likelihood_data.sums(data.y, data.x, data.subject)
    n, x_mean, y_mean, spread, cross = (pm.Data(k, v, dims=SUBJECT) for k, v in summaries.items())
    slope_sd, intercept_sd = pm.HalfNormal("slope_sd", 1.0), pm.HalfNormal("intercept_sd", 1.0)
    text_term, mean, along = _text_effects(data, alpha, beta, (sigma, intercept_sd, slope_sd))
    pull = (cross - along - beta * spread) / sigma**2
    b = shrinkage.effects("slope", slope_sd, spread / sigma**2, pull, SUBJECT)
    pull = n * (y_mean - mean - alpha - (beta + b) * x_mean) / sigma**2
    a = shrinkage.effects("intercept", intercept_sd, n / sigma**2, pull, SUBJECT)
    return a, b, text_term


def _text_effects(
    data: Repeated, alpha: Any, beta: Any, spreads: tuple[Any, Any, Any]
) -> tuple[Any, Any, Any]:
    """Effects of texts on rows, on the mean of each subject, and on the sum of products with its
    scores; 0 where subjects share no texts.
    """
    import pytensor.tensor as pt

    from betterthan.libraries import pm

    if not data.texts:
        return 0.0, 0.0, 0.0
    summaries = likelihood_data.rotated(data.y, data.x, data.text)
    rows = pm.Data("text_rows", summaries.pop("text_rows"))
    axes = pm.Data("text_axes", summaries.pop("text_axes"), dims=(TEXT, AXIS))
    ones, x, y = (pm.Data(k, v, dims=AXIS) for k, v in summaries.items())
    summaries = likelihood_data.crossed(data.x, data.subject, data.text)
    share, cross = (pm.Data(k, v, dims=(SUBJECT, TEXT)) for k, v in summaries.items())
    text_sd: Any = pm.HalfNormal("text_sd", 1.0)
    # subjects are not known yet: what they add to all texts alike is noise
    sigma, intercept_sd, slope_sd = spreads
    weight = rows / (sigma**2 + (intercept_sd * ones) ** 2 + (slope_sd * x) ** 2)
    along = shrinkage.effects("text", text_sd, weight, weight * (y - alpha * ones - beta * x), AXIS)
    effect: Any = pt.dot(axes, along)
    pm.Deterministic("text_effect", effect * held("y_sd", data.y_scale[1]), dims=TEXT)
    return effect[held("text_of", data.text)], pt.dot(share, effect), pt.dot(cross, effect)

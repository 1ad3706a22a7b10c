"""A response as a weighted sum of component scores, all of them kept and shrunk together (R2D2
prior).

Question
--------
Which component scores predict an outcome that matters (learning gain, a rating), how well, and
which of two components has the better predicted outcome?

Model
-----
Features x are standardized, and so is an outcome that is a number. For dialogue i

    line_i    = sum over features of standardised_f * x_if  (+ group_effect of its user or rater)
    outcome_i ~ Normal(intercept + line_i, sigma)                        a number
    outcome_i ~ OrderedLogistic(line_i, cutpoints)                       ordered categories

All features stay in; none is selected.

Priors
------
`r2 ~ Beta(1, 1)` is the proportion of variance that the features explain, and `share ~ Dirichlet(1,
..., 1)` splits it: `standardised_f ~ Normal(0, sigma * sqrt(share_f * r2 / (1 - r2)))`. `intercept
~ Normal(0, 1)`, `sigma ~ HalfNormal(1)`, `group_sd ~ HalfNormal(0.5)`. For categories sigma is that
of the logistic distribution, pi / sqrt(3), which is also the scale of `group_sd`. The categories of
an average dialogue are uniform over all proportions. `prior_r2` changes the first.

When it misleads
----------------
- A coefficient shows what predicts, not what would happen if a score were raised.
- Coefficients are shrunk towards 0, by design. At 20 dialogues and 3 features a true standardized
  coefficient of 0.6 was estimated at 0.37 to 0.39 on average. Differences that
  `betterthan.features.predict` gives are shrunk with them.
- Rows of one dialogue with the same features are taken as independent unless `by=` names the
  dialogue. The model then warns.
- Components outside the range of the training data are extrapolated.
  `betterthan.features.predict` names the features.
- The training data show nothing of confusions that they lack. `betterthan.features.predict` raises
  an error for a component that mostly makes others.
- With few rows in each group `group_sd` mixes slowly. Ask for more draws.
- `arviz.loo` leaves out one row, not one user or dialogue. With groups it is too optimistic.

References
----------
Zhang and others 2022, JASA 117(538), 862-874, whose coefficients are double-exponential.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact import regression
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.features import tables
from betterthan.features.tables import FeatureTable, feature_table
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.sampling import held

if TYPE_CHECKING:
    import pymc as pm

_LOGISTIC_SD = np.pi / np.sqrt(3)
# the density of a coefficient has a spike at 0 that larger steps visit too rarely
TARGET_ACCEPT = 0.99
_LEVELS_MAX = 20


def simulate(
    n: int,
    *,
    features: int = 5,
    groups: int = 0,
    levels: int = 0,
    prior_r2: Sequence[float] = (1.0, 1.0),
    rng: Any = None,
) -> xr.Dataset:
    """Simulate true values from the prior, and a standardized response from these.

    Parameters
    ----------
    n : int
        Number of dialogues.
    features : int, default 5
        Number of features; their values are standard normal, standardized over the dialogues.
    groups : int, default 0
        Number of groups that dialogues belong to in turn; 0 for none.
    levels : int, default 0
        Number of levels of an ordinal response; 0 for a number.
    prior_r2 : two float, default (1, 1)
        Parameters of the Beta prior of R2.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``features`` (dialogue, feature), ``response`` (dialogue), and the true values: ``r2``,
        ``standardised`` (feature), and, if present, ``intercept``, ``sigma``, ``cutpoints``,
        ``group_sd``, ``group_effect`` (group).

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(35, features=3, rng=1).sizes
    Frozen({'dialogue': 35, 'feature': 3})
    """
    n, p = checks.whole(n, "n", 3), checks.whole(features, "features")
    checks.whole(groups, "groups", 0)
    checks.whole(levels, "levels", 0)
    random = np.random.default_rng(one_seed(rng))
    x = regression.standardise(random.normal(size=(n, p)))[0]
    r2, share = random.beta(*_r2_beta(prior_r2)), random.dirichlet(np.ones(p))
    width = np.sqrt(r2 / (1 - r2) * share)  # of the coefficients over that of the noise
    noise = _LOGISTIC_SD if levels else abs(random.normal())
    beta = random.normal(size=p) * noise * width
    truth: dict[str, Any] = {"r2": r2, "standardised": (names.FEATURE, beta)}
    line = x @ beta
    if groups:
        group = np.arange(n) % groups
        sd = abs(random.normal(scale=noise if levels else 0.5))
        effect = random.normal(size=groups) * sd
        line = line + effect[group]
        truth |= {"group_sd": sd, "group_effect": ("group", effect)}
        truth |= {"group_of": (names.DIALOGUE, group)}
    drawn = _draw_categories(line, levels, random) if levels else _draw_numbers(line, noise, random)
    data = {"features": ((names.DIALOGUE, names.FEATURE), x)}
    labels = {names.FEATURE: [f"x{k}" for k in range(p)]}
    labels[names.DIALOGUE] = [str(k) for k in range(n)]
    return xr.Dataset(data | drawn | truth, coords=labels)


describe = describer(__name__)


def build(
    features: Any,
    response: Any,
    *,
    columns: Sequence[str] | None = None,
    by: Any = None,
    ordinal: bool = False,
    prior_r2: Sequence[float] = (1.0, 1.0),
    standardise: bool = True,
) -> "pm.Model":
    """Build the PyMC model of a response and its features.

    Parameters
    ----------
    features, response, columns
        See `betterthan.features.performance_function`. Collinear features, and more features than
        dialogues, are supported.
    by : str or array-like, optional
        Group of each row: a column, an index level, or one label for each row. Dialogues of one
        group, such as a user or rater, share an intercept. Rows with one label of the index, or
        with the same features, are still treated as independent, with a warning; "row" confirms
        that they are.
    ordinal : bool, default False
        Whether the response is ordered categories, such as ratings from 1 to 5, rather than a
        number.
    prior_r2 : two float, default (1, 1)
        Parameters of the Beta prior of R2, the proportion of variance that the features explain.
    standardise : bool, default True
        Whether to scale features, and a response that is a number, to mean 0 and standard deviation
        1; the priors are in those units. False keeps the original units.

    Returns
    -------
    pymc.Model
        ``standardised`` (feature), ``r2``, ``share`` (feature); for numbers
        ``intercept_standardised`` and ``sigma``, for categories ``cutpoints``; ``group_sd`` and
        ``group_effect`` (group) if there are groups; ``coefficient`` (feature) and ``intercept`` in
        the original units.

    Raises
    ------
    ValueError
        For the reasons of `betterthan.features.performance_function`, or if an ordinal response has
        more than 20 levels.
    """
    table = feature_table(features, response, columns=columns, by=by)
    tables.warn_of_model(table)
    return _model(table, ordinal, prior_r2, standardise)


@documented(TARGET_ACCEPT)
def fit(
    features: Any,
    response: Any,
    *,
    columns: Sequence[str] | None = None,
    by: Any = None,
    ordinal: bool = False,
    prior_r2: Sequence[float] = (1.0, 1.0),
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of a response and its features with PyMC.

    Parameters
    ----------
    features, response, columns, by, ordinal, prior_r2
        See `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        Posterior for `betterthan.features.predict`, ``arviz.loo`` (which leaves out one row), and
        ``arviz.compare``. ``posterior.attrs`` count the rows that were dropped for missing values.

        Coefficients are shrunk towards 0 by design: at 20 to 35 dialogues a true standardized
        coefficient of 0.6 is estimated as 0.38 on average, and its 95% interval contains it in 0.82
        of simulations; one of 1.5 in 0.90, one of 0 in 0.99.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid.

    See Also
    --------
    betterthan.features.performance_function : Least squares with a choice of features.

    References
    ----------
    Y. D. Zhang, B. P. Naughton, H. D. Bondell and B. J. Reich (2022), Bayesian regression using a
    prior on the model fit: the R2-D2 shrinkage prior, JASA 117(538),
    doi:10.1080/01621459.2020.1825449.
    """
    run = Run.from_options(options)
    table = feature_table(features, response, columns=columns, by=by)
    tables.warn_of_model(table)
    attrs = {
        "model": "performance_function",
        "prior": list(_r2_beta(prior_r2)),
        "response": table.response,
        "ordinal": int(checks.flag(ordinal, "ordinal")),
        "n": len(table.y),
        "n_dropped_response": table.dropped_response,
        "n_dropped_feature": table.dropped_feature,
        "grouped_by": table.grouped_by,
        "confusions": list(table.confusions),
        "levels": _levels(table.y).tolist() if ordinal else [],
        "features": list(map(str, table.features)),
        "feature_low": table.x.min(0).tolist(),
        "feature_high": table.x.max(0).tolist(),
    }
    return fit_model(
        _model(table, ordinal, prior_r2, True), attrs, run, target_accept=TARGET_ACCEPT
    )


def _model(
    table: FeatureTable, ordinal: bool, prior_r2: Sequence[float], standardise: bool
) -> "pm.Model":
    from betterthan.libraries import pm

    r2_prior = _r2_beta(prior_r2)
    checks.flag(ordinal, "ordinal")
    checks.flag(standardise, "standardise")
    centre, scale = _location_and_scale(table.x, standardise)
    mean, sd = _location_and_scale(table.y, standardise and not ordinal)
    x = (table.x - centre) / scale
    with pm.Model(coords=_coords(table, ordinal)) as model:
        data = pm.Data("features", x, dims=(names.DIALOGUE, names.FEATURE))
        of_x, of_y = held("of_x", np.stack([centre, scale])), held("of_y", [len(x), mean, sd])
        centre, scale, rows, mean, sd = of_x[0], of_x[1], of_y[0], of_y[1], of_y[2]
        r2 = pm.Beta("r2", *r2_prior)
        sigma: Any = _LOGISTIC_SD if ordinal else pm.HalfNormal("sigma", 1.0)
        beta = _r2d2_coefficients(r2, sigma, x.shape[1], rows)
        effect = _group_effect(table, sigma, _LOGISTIC_SD if ordinal else 0.5)
        line = pm.math.dot(data, beta) + effect
        start: Any = 0.0
        if ordinal:
            _ordinal_likelihood(table, line)
        else:
            start = pm.Normal("intercept_standardised", 0.0, 1.0)
            y = pm.Data("response", table.y, dims=names.DIALOGUE)
            pm.Normal("y", mean + sd * (start + line), sd * sigma, observed=y, dims=names.DIALOGUE)
        pm.Deterministic("coefficient", sd * beta / scale, dims=names.FEATURE)
        pm.Deterministic("intercept", mean + sd * (start - pm.math.dot(beta, centre / scale)))
    return model


def _location_and_scale(values: np.ndarray, standardise: bool) -> tuple[Any, Any]:
    """Mean and standard deviation down the rows; 0 and 1 where values are taken as they are."""
    if standardise:
        return values.mean(0), values.std(0, ddof=1)
    nothing = np.zeros(values.shape[1:])
    return nothing, nothing + 1


def _draw_numbers(line: np.ndarray, noise: float, random: np.random.Generator) -> dict[str, Any]:
    intercept = random.normal()
    y = intercept + line + random.normal(size=len(line)) * noise
    return {"response": (names.DIALOGUE, y), "intercept": intercept, "sigma": noise}


def _draw_categories(line: np.ndarray, levels: int, random: np.random.Generator) -> dict[str, Any]:
    below = random.dirichlet(np.ones(levels)).cumsum()[:-1]
    cuts = np.log(below) - np.log1p(-below)
    y = ((line + random.logistic(size=len(line)))[:, None] > cuts).sum(1).astype(float)
    return {"response": (names.DIALOGUE, y), "cutpoints": ("cut", cuts)}


def _group_effect(table: FeatureTable, sigma: Any, scale: float) -> Any:
    from betterthan.libraries import pm

    if not table.grouped_by:
        return 0.0
    sd = pm.HalfNormal("group_sd", scale)
    rows = held("rows_a_group", len(table.y) / len(table.group_names))
    effects = _r2d2_effects("group_raw", sd / sigma, rows, "group")
    effect: Any = pm.Deterministic("group_effect", sigma * effects, dims="group")
    return effect[held("group_of", table.groups)]


def _ordinal_likelihood(table: FeatureTable, line: Any) -> None:
    from betterthan.libraries import pm

    levels = _levels(table.y)
    shares = pm.Dirichlet("level_share", np.ones(len(levels)), dims="level")
    below = pm.math.cumsum(shares)[:-1]  # type: ignore
    cuts = pm.Deterministic("cutpoints", pm.math.log(below) - pm.math.log1p(-below), dims="cut")  # type: ignore
    y = pm.Data("response", np.searchsorted(levels, table.y), dims=names.DIALOGUE)
    pm.OrderedLogistic(
        "y", eta=line, cutpoints=cuts, observed=y, dims=names.DIALOGUE, compute_p=False
    )


def _coords(table: FeatureTable, ordinal: bool) -> dict[str, Any]:
    distinct = len(set(table.rows)) == len(table.rows)
    rows = table.rows if distinct else [str(k) for k in range(len(table.rows))]
    coords: dict[str, Any] = {names.FEATURE: table.features, names.DIALOGUE: rows}
    if table.grouped_by:
        coords["group"] = table.group_names
    if ordinal:
        levels = _levels(table.y)
        coords |= {"level": levels, "cut": [f"{a:g}|{b:g}" for a, b in pairwise(levels)]}
    return coords


def _levels(y: np.ndarray) -> np.ndarray:
    levels = np.unique(y)
    if len(levels) > _LEVELS_MAX:
        raise ValueError(
            f"the response has {len(levels)} levels, more than {_LEVELS_MAX}; take it as a number"
        )
    return levels


def _r2_beta(values: Sequence[float]) -> tuple[float, float]:
    """The two parameters of a Beta."""
    numbers = tuple(checks.positive(values, "prior_r2").reshape(-1).tolist())
    if len(numbers) != 2:
        raise ValueError(
            f"prior_r2 has {checks.numbered(len(numbers), 'number')}; give the two parameters of a "
            "Beta"
        )
    return numbers[0], numbers[1]


def _r2d2_coefficients(r2: Any, sigma: Any, features: int, rows: Any) -> Any:
    """Standardised coefficients whose prior variance is what R2 leaves them, split by the
    shares.
    """
    from betterthan.libraries import pm

    share: Any = np.ones(1)
    if features > 1:
        share = pm.Dirichlet("share", np.ones(features), dims=names.FEATURE)
    raw = _r2d2_effects("raw", pm.math.sqrt(r2 / (1 - r2) * share), rows, names.FEATURE)
    return pm.Deterministic("standardised", sigma * raw, dims=names.FEATURE)


def _r2d2_effects(name: str, width: Any, rows: Any, dim: str) -> Any:
    """Normal effects of this width (in units of the noise), each seen in so many rows.

    NUTS moves on the effect over its conditional posterior width: well behaved when the rows tell
    much (where an effect over its prior width is not) and when they tell little (where the effect
    itself is not).
    """
    from betterthan.libraries import pm

    growth = pm.math.sqrt(1 + rows * width**2)
    return pm.Normal(name, 0.0, growth, dims=dim) * width / growth

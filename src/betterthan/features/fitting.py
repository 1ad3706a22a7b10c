"""A performance function: a response as a weighted sum of component scores, by least squares on
features chosen by AIC.

How often a feature is chosen again when dialogues are drawn anew: its inclusion frequency.

Folds that differ by one row choose nearly the same features from noise, too; bootstrap samples
differ as data sets do (Heinze, Wallisch & Dunkler 2018, Biometrical Journal 60(3),
doi:10.1002/bimj.201700067). As rows stand in them twice, they choose more than fresh data would (De
Bin, Janitza, Sauerbrei & Boulesteix 2016, Biometrics 72(1), doi:10.1111/biom.12381): there is room
for as many features as different rows allow, and noise has a frequency well above 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact import regression
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.features import tables
from betterthan.features.tables import FeatureTable, feature_table, from_confusion, refuse_collinear
from betterthan.signed import provenance_attrs


@dataclass(frozen=True)
class PerformanceFunction:
    """Linear function that predicts a response from component scores.

    Create it from data with `features.performance_function`, or from printed coefficients with
    `from_coefficients`.

    Attributes
    ----------
    intercept : float
        Constant of the function.
    coefficients : dict of str to float
        Coefficient of each feature; other features do not count.
    response : str
        Name of the response.
    confusions : tuple of str
        Confusions that the training data had enough of. A function that uses one of them raises an
        error for a component whose errors are mostly of other kinds.
    fit : xarray.Dataset or None
        Details of the fit; None for a published formula.
    """

    intercept: float
    coefficients: dict[str, float]
    response: str = "response"
    confusions: tuple[str, ...] = ()
    fit: xr.Dataset | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_coefficients(
        cls,
        intercept: float,
        coefficients: Mapping[str, float],
        *,
        response: str = "response",
        confusions: Iterable[str] = (),
    ) -> "PerformanceFunction":
        """Create a performance function from a published formula.

        Parameters
        ----------
        intercept : float
            Constant of the function.
        coefficients : mapping of str to float
            Coefficient of each feature.
        response : str, default "response"
            Name of the response.
        confusions : iterable of str, optional
            Confusions that the function was trained on, at least those it uses.

        Returns
        -------
        PerformanceFunction
            The function, without a fit.

        Raises
        ------
        ValueError
            If a coefficient is not a finite number.

        Examples
        --------
        >>> import betterthan as bt
        >>> gain = bt.features.PerformanceFunction.from_coefficients(
        ...     0.32, {"f.weighted": 0.56}, response="learning gain"
        ... )
        >>> print(gain)
        learning gain = 0.32 + 0.56 f.weighted
        >>> round(gain.predict(bt.datasets.beetle_confusion()), 4)
        0.6076
        """
        hint = "mapping from names of features to numbers"
        checks.of_type(coefficients, Mapping, "coefficients is", hint)
        for name, value in {"intercept": intercept, **coefficients}.items():
            what = f"coefficient of {checks.quoted(name)}"
            if not np.isfinite(checks.real(value, what, "a finite number")):
                raise ValueError(f"{what} is {value!r}; give a finite number")
        used = [name for name in coefficients if name.startswith("freq.")]
        all_confusions = tuple(dict.fromkeys([*checks.labels(confusions, "confusions"), *used]))
        return cls(
            float(intercept),
            {k: float(v) for k, v in coefficients.items()},
            response,
            all_confusions,
        )

    def __str__(self) -> str:
        """The formula, as it would be printed."""
        terms = [
            f"{'-' if c < 0 else '+'} {abs(c):.4g} {name}" for name, c in self.coefficients.items()
        ]
        return " ".join([f"{self.response} = {self.intercept:.4g}", *terms])

    def predict(self, component: Any) -> Any:
        """Predict the response of components from their scores.

        Parameters
        ----------
        component : xarray.DataArray, pandas.DataFrame, pandas.Series or mapping
            Confusion matrix, scores (label, measure), or features by name: a dim, columns, index,
            or keys. Other dims are kept.

        Returns
        -------
        float, pandas.Series or xarray.DataArray
            One number for one component.

        Raises
        ------
        ValueError
            If a feature is missing or, for a single component, has no value; or if the function
            uses confusions and the component makes none or mostly others.

        Examples
        --------
        >>> import betterthan as bt
        >>> paradise = bt.features.PerformanceFunction
        >>> gain = paradise.from_coefficients(0.37, {"recall.weighted": 0.56})
        >>> round(gain.predict({"recall.weighted": 0.53}), 4)
        0.6668
        """
        values = values_by_name(component)
        if any(name in self.confusions for name in self.coefficients):
            refuse_unknown_confusions(values, self.confusions)
        total: Any = self.intercept
        for name, coefficient in self.coefficients.items():
            total = total + coefficient * _one(values, name)
        if isinstance(total, pd.Series | xr.DataArray) and total.ndim:
            return total.rename(self.response)
        like = next(iter(values.values()), None)
        if isinstance(like, pd.Series | xr.DataArray) and like.ndim:  # an intercept alone
            return like * 0 + total
        number: Any = total
        self._refuse_no_number(values, float(number))
        return float(number)

    def _refuse_no_number(self, values: Mapping[str, Any], number: float) -> None:
        if np.isnan(number):
            lacking = [k for k in self.coefficients if np.isnan(float(values[k]))]
            raise ValueError(
                f"feature {', '.join(map(repr, lacking))} has no value, as the scores of a class "
                "that no item has; use a function without it"
            )


def refuse_unknown_confusions(
    values: Mapping[str, Any], confusions: Iterable[str], who: str = ""
) -> None:
    """Of the errors of a component, enough must be of kinds that the training data had."""
    share = np.min(np.asarray(sum(_one(values, name) for name in confusions)))
    if share < names.KNOWN_CONFUSIONS_MIN:
        known_kinds = ", ".join(c.removeprefix("freq.") for c in confusions)
        raise ValueError(
            f"{who}only {100 * share:.0f} % of the component's errors are confusions that the "
            f"training data had enough of ({known_kinds}); at least "
            f"{100 * names.KNOWN_CONFUSIONS_MIN:.0f} % are needed, so use a function without "
            "confusions"
        )


def values_by_name(component: Any) -> Mapping[str, Any]:
    """The scores of a component, by the names of features."""
    if isinstance(component, pd.Series):
        return {str(name): value for name, value in component.items()}
    if isinstance(component, pd.DataFrame | Mapping):
        return {str(name): component[name] for name in component}
    dims = set(component.dims) if isinstance(component, xr.DataArray) else set()
    if {names.PREDICTED, names.ACTUAL} <= dims:
        component, dims = from_confusion(component, unclassified=True), {names.FEATURE}
    if names.FEATURE in dims:
        named = component[names.FEATURE].values
        return {str(k): component.sel({names.FEATURE: k}, drop=True) for k in named}
    if {names.LABEL, "measure"} <= dims:
        measures, labels = component["measure"].values, component[names.LABEL].values
        pairs = [(measure, label) for measure in measures for label in labels]
        return {
            f"{m}.{x}": component.sel({"measure": m, names.LABEL: x}, drop=True) for m, x in pairs
        }
    kind = type(component).__name__
    raise ValueError(f"component is a {kind}; give a confusion matrix, or features by name")


def _one(values: Mapping[str, Any], name: str) -> Any:
    if name not in values:
        raise ValueError(
            f"feature {name!r} is needed and missing; component has "
            f"{', '.join(map(str, list(values)[:8])) or 'none'}"
        )
    return values[name]


_MOVES = {
    "both": (True, True),
    "forward": (True, False),
    "backward": (False, True),
    "none": (False, False),
}


def performance_function(
    features: Any,
    response: Any,
    *,
    columns: Sequence[str] | None = None,
    direction: str = "both",
    leave_out: Any = None,
    ci_prob: float = names.CI_PROB,
    resamples: int = names.RESAMPLES,
    rng: Any = None,
) -> PerformanceFunction:
    """Predict a response from component scores by linear regression, with features chosen by AIC.

    It is the performance function of PARADISE: which component metrics predict an end-to-end
    outcome?

    Parameters
    ----------
    features : pandas.DataFrame or xarray.DataArray, dims (dialogue, feature)
        Features with one row for each dialogue, from `features.from_confusion` or a table of your
        own.
    response : str, pandas.Series, xarray.DataArray or array-like
        Response to predict, such as `features.learning_gain`: the name of a column of `features`,
        or its values.
    columns : sequence of str, optional
        Features to choose from. Default: all columns except the response and the groups.
    direction : {"both", "forward", "backward", "none"}, default "both"
        Moves of the stepwise search, which go on while AIC falls, as in R's ``step``. "forward" and
        "both" start with no feature, "backward" with all of them; "none" keeps all. Of moves with
        the same AIC the first is made: removals before additions, then in the order of the
        features.
    leave_out : str or array-like, optional
        Group to leave out at once in cross-validation: a column, an index level, or one label for
        each row, such as the dialogue if one dialogue has several raters. Default: one row at a
        time, but rows with one label of the index, or with the same features, are left out
        together, with a warning. "row" (if no column has that name) treats every row as
        independent.
    ci_prob : float, default 0.95
        Level of the confidence intervals of the coefficients (equal-tailed, Student's t).
    resamples : int, default 500
        Number of bootstrap samples in which the choice of features is repeated.
    rng : int, numpy.random.Generator or None
        Seed of the bootstrap, which ``fit.attrs["seed"]`` records.

    Returns
    -------
    PerformanceFunction
        Its ``fit`` is an xarray.Dataset. Over feature:

        - ``chosen``, ``coefficient``, and ``standardised`` (per standard deviation)
        - ``standard_error`` with its degrees of freedom ``df``, ``lower``, ``upper``: clustered if
          rows are left out together (CR2, with the degrees of freedom of Bell and McCaffrey, for
          few groups). They ignore the choice of features, so they are too narrow after one.
        - ``inclusion``: proportion of bootstrap samples, of groups that are left out together, in
          which the feature is chosen. For a chosen feature of pure noise it is about two thirds;
          related features divide it between them.

        Over step: ``change`` and ``aic`` (n log(RSS / n) + 2 coefficients), and ``aic_after``
        (step, feature) of every possible move. Over dialogue: ``observed``, ``fitted``,
        ``held_out``, and ``held_out_chosen``. And the measures:

        - ``r2``: of the fit itself
        - ``r2_training``: mean over the folds of the R2 on the training rows, with
          ``r2_training_sd``
        - ``r2_held_out``: 1 - PRESS / SST, with the features chosen from all rows
        - ``r2_held_out_chosen``: the same with the choice repeated inside every fold (nested
          cross-validation); the only one without selection bias, for one set of features
        - ``r2_held_out_se`` and ``r2_held_out_chosen_se``: their standard errors over the groups
          that are left out together
        - ``mse`` and ``mse_chosen``: mean squared errors of held-out rows, with ``mse_sd`` and
          ``mse_chosen_sd``

    Raises
    ------
    ValueError
        If a column is not numeric, constant, or follows from others; if dialogues do not match, or
        there are too few; if the features fit the response perfectly; or if an argument is not
        valid.

    References
    ----------
    M. Walker, C. Kamm and D. Litman (2000), Towards developing general models of usability with
    PARADISE, Natural Language Engineering 6(3-4), doi:10.1017/S1351324900002503.

    R. M. Bell and D. F. McCaffrey (2002), Bias reduction in standard errors for linear regression
    with multi-stage samples, Survey Methodology 28(2), 169-181.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> function = bt.features.performance_function(table, "rating")
    >>> print(function)
    rating = 0.4362 + 5.086 f
    >>> bool(function.fit["r2_held_out_chosen"] < function.fit["r2_training"])
    True
    """
    table = tables.grouped(feature_table(features, response, columns=columns, by=leave_out))
    samples = checks.whole(resamples, "resamples")
    return fit_table(table, direction, ci_prob, samples, one_seed(rng))


def fit_table(
    table: FeatureTable,
    direction: str,
    ci_prob: float = names.CI_PROB,
    resamples: int = 0,
    seed: int = 0,
) -> PerformanceFunction:
    """Choose, fit and cross-validate; see `features.performance_function`."""
    checks.one_of(direction, names.DIRECTIONS, "direction")
    ci_prob = checks.probability(ci_prob, "ci_prob")
    refuse_collinear(table)
    _refuse_perfect(table)
    search = _Search.of(table, direction)
    coords = {
        names.FEATURE: table.features,
        names.DIALOGUE: table.rows,
        "group": (names.DIALOGUE, table.groups),
    }
    parts = _final(table, search.inside, ci_prob) | _path(search) | _held_out(search)
    attrs = _provenance(table, direction, ci_prob)
    if resamples:
        parts["inclusion"] = (names.FEATURE, search.inclusion(resamples, seed))
        attrs |= {"resamples": resamples, "seed": seed}
    fit = xr.Dataset(parts, coords, attrs)
    chosen = {f: float(fit["coefficient"].sel({names.FEATURE: f})) for f in search.chosen}
    return PerformanceFunction(
        float(fit["intercept"]), chosen, table.response, table.confusions, fit
    )


def _provenance(table: FeatureTable, direction: str, ci_prob: float) -> dict[str, Any]:
    """Return the provenance of a fit."""
    return provenance_attrs(ci_prob=ci_prob) | {
        "response": table.response,
        "direction": direction,
        "n": len(table.y),
        "n_dropped_response": table.dropped_response,
        "n_dropped_feature": table.dropped_feature,
        "left_out_by": table.grouped_by or names.ROW,
        "n_in_other_folds": tables.number_shared(table),
        "folds": len(table.group_names),
        "response_sd": float(table.y.std(ddof=1)),
        "errors": f"clustered by {table.grouped_by}, CR2" if table.grouped_by else "independent",
    }


@dataclass(frozen=True)
class _Search:
    """The choice of features among standardised columns z for a centred y."""

    table: FeatureTable
    direction: str
    z: np.ndarray
    y: np.ndarray
    result: regression.Search

    @classmethod
    def of(cls, table: FeatureTable, direction: str) -> "_Search":
        """The choice from all rows."""
        z, _, _ = regression.standardise(table.x)
        y = table.y - table.y.mean()
        return cls(table, direction, z, y, _searched(z, y, direction))

    @property
    def inside(self) -> np.ndarray:
        """Which features were chosen."""
        return self.result.inside[0]

    def inclusion(self, resamples: int, seed: int) -> np.ndarray:
        """The share of bootstrap samples of groups in which each feature is chosen."""
        if self.direction == "none":
            return np.ones(self.z.shape[1])
        groups, how = self.table.groups, searched_as(self.direction)
        number = int(groups.max()) + 1
        random = np.random.default_rng(seed)
        times = random.multinomial(number, np.full(number, 1 / number), size=resamples)
        products, sizes, distinct = regression.resampled(self.z, self.y, groups, times)
        return regression.search(products, sizes, distinct=distinct, **how).inside.mean(0)

    @property
    def chosen(self) -> list[str]:
        """Their names."""
        return [f for f, k in zip(self.table.features, self.inside, strict=True) if k]


def searched_as(direction: str) -> dict[str, Any]:
    """What a search may do, and where it starts."""
    add, drop = _MOVES[direction]
    return {"add": add, "drop": drop, "everything": _starts_full(direction)}


def _searched(
    z: np.ndarray, y: np.ndarray, direction: str, groups: np.ndarray | None = None
) -> regression.Search:
    """The choice from all rows, or repeated without each of the groups."""
    products, sizes = regression.cross_products(z, y, groups)
    return regression.search(products, sizes, **searched_as(direction))


def _starts_full(direction: str) -> bool:
    return direction in ("backward", "none")


def _final(table: FeatureTable, inside: np.ndarray, ci_prob: float) -> dict[str, Any]:
    """Fit the chosen features; errors are clustered if rows are grouped."""
    groups = table.groups if table.grouped_by else None
    ols = regression.fit(table.x[:, inside], table.y, groups)
    lower, upper = ols.interval(ci_prob)
    slopes = _spread(ols.coefficients, inside, 0.0)
    by_feature = {
        "coefficient": slopes,
        "standard_error": _spread(ols.errors, inside),
        "df": _spread(ols.freedom, inside),
        "lower": _spread(lower, inside),
        "upper": _spread(upper, inside),
        "standardised": slopes * (table.x.std(0, ddof=1) / table.y.std(ddof=1)),
        "chosen": inside,
    }
    parts: dict[str, Any] = {"intercept": float(ols.coefficients[0]), "r2": ols.r2}
    parts |= {name: (names.FEATURE, values) for name, values in by_feature.items()}
    by_dialogue = {"observed": table.y, "fitted": ols.fitted}
    return parts | {name: (names.DIALOGUE, values) for name, values in by_dialogue.items()}


def _path(search: _Search) -> dict[str, Any]:
    """What was done at each step, and the AIC of everything that could have been."""
    add, drop = _MOVES[search.direction]
    features = search.table.features
    inside = np.full(len(features), _starts_full(search.direction))
    products, size = regression.cross_products(search.z, search.y)
    changes, costs = [], []
    for moved, _ in search.result.steps:
        k = int(moved[0])
        if k >= 0:
            inside = inside.copy()
            inside[k] ^= True
        changes.append("start" if k < 0 else f"{'+' if inside[k] else '-'} {features[k]}")
        after = regression.candidates(products[0], int(size[0]), inside)
        costs.append(np.where(np.where(inside, drop, add), after, np.nan))
    return {
        "change": ("step", changes),
        "aic": ("step", [float(aic[0]) for _, aic in search.result.steps]),
        "aic_after": (("step", names.FEATURE), np.array(costs)),
    }


def _held_out(search: _Search) -> dict[str, Any]:
    """Predict every group by the fit without it, and compute the measures."""
    table, z, y = search.table, search.z, search.y
    errors, rss = regression.left_out(z[:, search.inside], y, table.groups)
    _refuse_lonely(table, errors)
    training = 1 - rss / regression.left_out(z[:, :0], y, table.groups)[1]
    refits = _searched(z, y, search.direction, table.groups)
    predicted = (regression.design(z) * refits.coefficients[table.groups]).sum(1)
    parts: dict[str, Any] = {
        "held_out": (names.DIALOGUE, table.y - errors),
        "held_out_chosen": (names.DIALOGUE, predicted + table.y.mean()),
        "r2_training": float(training.mean()),
        "r2_training_sd": float(training.std(ddof=1)),
    }
    chosen = _measures("_chosen", y - predicted, y, table.groups)
    return parts | _measures("", errors, y, table.groups) | chosen


def _refuse_lonely(table: FeatureTable, errors: np.ndarray) -> None:
    """Refuse a group without which there is no fit."""
    if not np.isfinite(errors).all():
        where = table.group_names[int(table.groups[np.isinf(errors).argmax()])]
        raise ValueError(
            f"without {where!r} a coefficient cannot be estimated; leave out a feature that varies "
            "only there"
        )


def _measures(name: str, errors: np.ndarray, y: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """Of predictions of rows that were not seen."""
    square = errors**2
    r2, error = regression.held_out_r2(errors, y, groups)
    return {
        f"r2_held_out{name}": r2,
        f"r2_held_out{name}_se": error,
        f"mse{name}": float(square.mean()),
        f"mse{name}_sd": float(square.std(ddof=1)),
    }


def _refuse_perfect(table: FeatureTable) -> None:
    error = regression.residuals(regression.standardise(table.x)[0], table.y)[0]
    if error @ error < 1e-14 * ((table.y - table.y.mean()) ** 2).sum():
        raise ValueError(
            f"the features fit {table.response!r} perfectly, so there is nothing to choose or to "
            "predict; is the response computed from one of them?"
        )


def _spread(values: np.ndarray, inside: np.ndarray, other: float = np.nan) -> np.ndarray:
    """Over all features, from the intercept and those that are inside."""
    spread = np.full(len(inside), other)
    spread[inside] = values[1:]
    return spread

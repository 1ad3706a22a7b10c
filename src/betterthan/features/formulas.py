"""A performance function: a response as a weighted sum of component scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.features.of_confusions import from_confusion


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
        numbers = {"intercept": intercept, **coefficients}
        for name, value in numbers.items():
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
        return dict(component)
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

"""Which kinds of features predict the response: one row for each set."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import xarray as xr

from betterthan import checks, names
from betterthan.features.fitting import fit_table
from betterthan.features.formulas import PerformanceFunction
from betterthan.features.tables import FeatureTable, feature_table

_MEASURES = (
    "r2",
    "r2_training",
    "r2_training_sd",
    "r2_held_out",
    "r2_held_out_chosen",
    "mse",
    "mse_sd",
    "mse_chosen",
    "mse_chosen_sd",
)


def compare(
    features: Any,
    response: Any,
    sets: Mapping[str, Sequence[str]],
    *,
    direction: str = "both",
    leave_out: Any = None,
) -> xr.Dataset:
    """Fit a performance function on each of several sets of features.

    Parameters
    ----------
    features, response, direction, leave_out
        See `features.performance_function`.
    sets : mapping of str to sequence of str
        Names of sets and the features each may choose from.

    Returns
    -------
    xarray.Dataset
        Over feature_set: the measures of `features.performance_function`, ``n_features`` (given),
        ``n_chosen``, and ``formula``. All sets are fitted to the same rows: those that lack no
        feature of any set.

    Raises
    ------
    ValueError
        As `features.performance_function`; or if there are no sets.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, Table 5.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> found = compare(table, "rating", {"scores": ["f"], "length": ["words"]})
    >>> found["formula"].values.tolist()
    ['rating = 0.4362 + 5.086 f', 'rating = 4.343 - 0.185 words']
    """
    if not sets:
        raise ValueError(
            "there are no feature sets; give at least one, such as {'scores': ['f.weighted']}"
        )
    union = list(dict.fromkeys(column for columns in sets.values() for column in _listed(columns)))
    whole = feature_table(features, response, columns=union, by=leave_out)
    fitted = {
        name: _fitted(whole, name, _listed(columns), direction) for name, columns in sets.items()
    }
    fits = [f.fit for f in fitted.values() if f.fit is not None]
    parts: dict[str, Any] = {
        m: (names.FEATURE_SET, [float(fit[m]) for fit in fits]) for m in _MEASURES
    }
    parts["n_features"] = (names.FEATURE_SET, [fit.sizes[names.FEATURE] for fit in fits])
    parts["n_chosen"] = (names.FEATURE_SET, [int(fit["chosen"].sum()) for fit in fits])
    parts["formula"] = (names.FEATURE_SET, [str(f) for f in fitted.values()])
    result = xr.Dataset(parts, coords={names.FEATURE_SET: list(map(str, fitted))})
    kept = (
        "response",
        "direction",
        "n",
        "n_dropped_response",
        "n_dropped_feature",
        "left_out_by",
        "folds",
    )
    result.attrs = {"answer": "feature_sets"} | {k: fits[0].attrs[k] for k in kept}
    return result


def _listed(columns: Sequence[str]) -> list[str]:
    return [columns] if isinstance(columns, str) else list(columns)


def _fitted(
    whole: FeatureTable, name: str, columns: list[str], direction: str
) -> PerformanceFunction:
    """Fit the same rows on some of the columns."""
    try:
        checks.unique(columns, "feature")
        if not columns:
            raise ValueError("there are no features; give at least one")
        at = [whole.features.index(column) for column in columns]
        return fit_table(replace(whole, x=whole.x[:, at], features=columns), direction)
    except ValueError as error:
        raise ValueError(f"feature set {name!r}: {error}") from None

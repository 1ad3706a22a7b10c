"""How much recall should count: the beta of F-beta that predicts the response best."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.labels import confusion as formulas
from betterthan.exact.regression import least_squares
from betterthan.features.of_confusions import macro_of_present
from betterthan.features.tables import FeatureTable, feature_table

_BETAS = np.exp2(np.linspace(-5, 5, 201))
_CHI2_95 = 3.841458820694124  # chi-square with 1 degree of freedom


def fit_beta(confusion: xr.DataArray, response: Any, *, average: str = "weighted") -> xr.Dataset:
    """Fit beta: the weight of recall at which F-beta of a dialogue predicts its response best.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (dialogue, predicted, actual)
        From `labels.confusion_matrix` with ``by``.
    response : xarray.DataArray, pandas.Series or array-like
        One number for each dialogue; dialogues without one are left out and counted.
    average : {"weighted", "macro", "pooled"}, default "weighted"
        Over labels; see `labels.precision_recall_f`, but macro is over the labels that a dialogue
        has.

    Returns
    -------
    xarray.Dataset
        ``best`` beta, its ``lower`` and ``upper`` (95 % by profile likelihood; an end of the grid,
        1/32 or 32, says that the data set no limit), ``intercept`` and ``slope`` of the response on
        F, ``r2``, ``r2_held_out`` with beta fitted anew without each dialogue, and ``profile``: R2
        over ``beta``. A negative slope, a better F that goes with a lower response, is warned of:
        beta then says nothing of what counts.

    Raises
    ------
    ValueError
        If it is not a confusion matrix for each dialogue, dialogues do not match, or F or the
        response is constant.

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(1)
    >>> gold, by = random.choice(["a", "b"], 600), np.repeat(np.arange(30), 20)
    >>> right = random.random(600) < np.repeat(random.uniform(0.5, 0.95, 30), 20)
    >>> from betterthan.labels.matrices import confusion_matrix
    >>> confusion = confusion_matrix(gold, np.where(right, gold, None), by=by)
    >>> gain = [m.sum() / 20 for m in confusion.values]  # the share of right answers: recall alone
    >>> found = fit_beta(confusion, np.array(gain) + 0.01 * random.normal(size=30))
    >>> bool(found["best"] > 4)
    True
    """
    matrix, actual, _ = schemas.confusion(confusion)
    checks.one_of(average, names.AVERAGES, "average")
    if confusion.ndim != 3 or confusion.dims[0] != names.DIALOGUE:
        dims = ", ".join(map(str, confusion.dims))
        raise ValueError(f"confusion has dims ({dims}); give (dialogue, predicted, actual)")
    # (dialogue, beta)
    scores = np.stack([_f(matrix, actual, beta, average) for beta in _BETAS], axis=-1)
    dialogues = confusion[names.DIALOGUE].values
    checks.unique([str(dialogue) for dialogue in dialogues], "dialogue")
    table = _joined(scores[:, len(_BETAS) // 2], dialogues, response)
    place = {str(dialogue): k for k, dialogue in enumerate(dialogues)}
    scores = scores[[place[row] for row in table.rows]]
    profile = _profile(scores, table)
    _warn_of_slope(float(profile["slope"]), table.response)
    attrs = {"average": average, "n": len(table.y), "n_dropped": table.dropped}
    return profile.assign_attrs(attrs | {"response": table.response})


def _warn_of_slope(slope: float, response: str) -> None:
    if slope < 0:
        warnings.warn(
            f"a better F goes with a lower {response!r} (slope {slope:.3g}), as by chance in half "
            "of all data where neither predicts the other; take beta for no weight of recall",
            skip_file_prefixes=names.PACKAGE,
        )


def _joined(middle: np.ndarray, dialogues: np.ndarray, response: Any) -> FeatureTable:
    """The response, with the F of a middling beta as its only feature."""
    coords = {names.DIALOGUE: dialogues, names.FEATURE: ["F"]}
    return feature_table(xr.DataArray(middle[:, None], coords, dims=tuple(coords)), response)


def _profile(scores: np.ndarray, table: FeatureTable) -> xr.Dataset:
    """How well each beta predicts, and the best of them, from scores (dialogue, beta)."""
    y = table.y - table.y.mean()
    columns = [scores[:, [k]] for k in range(len(_BETAS))]
    rss = np.array([(least_squares.residuals(column, y)[0] ** 2).sum() for column in columns])
    best = int(rss.argmin())
    inside = np.flatnonzero(len(y) * np.log(rss / rss[best]) <= _CHI2_95)
    slope, intercept = np.polyfit(scores[:, best], table.y, 1)
    errors = _held_out(columns, y, table.groups)
    total = float(y @ y)
    estimates = {"best": _BETAS[best], "lower": _BETAS[inside[0]], "upper": _BETAS[inside[-1]]}
    estimates |= {"intercept": intercept, "slope": slope, "r2": 1 - rss[best] / total}
    estimates |= {"r2_held_out": 1 - float(errors @ errors) / total}
    return xr.Dataset(estimates | {"profile": ("beta", 1 - rss / total)}, coords={"beta": _BETAS})


def _held_out(columns: list[np.ndarray], y: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Error of every dialogue under the beta that is best without it."""
    fits = [least_squares.left_out(column, y, groups) for column in columns]
    errors, remaining = np.stack([f[0] for f in fits]), np.stack([f[1] for f in fits])
    return errors[remaining.argmin(0), np.arange(len(y))]


def _f(matrix: np.ndarray, actual: np.ndarray, beta: float, average: str) -> np.ndarray:
    """F-beta of every dialogue."""
    if average == "pooled":
        return formulas.pooled(matrix, actual, beta)[:, 2]
    by_label = formulas.by_label(matrix, actual, beta)
    if average == "macro":
        return macro_of_present(by_label, actual)[:, 2]
    return formulas.weighted(by_label, actual)[:, 2]

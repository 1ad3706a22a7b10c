"""Precision, recall and F of classes, and their averages."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names, schemas
from betterthan.exact.labels import confusion as formulas


def precision_recall_f(confusion: xr.DataArray, *, beta: float = 1.0) -> xr.Dataset:
    """Score a classifier: precision, recall and F of each label, and their averages.

    Two different averages are called "micro" in the literature. ``pooled`` puts all labels into one
    pot before dividing; ``weighted`` is the mean of the labels' scores, weighted by how many items
    each has. Their recall is the same number, their precision and F are not.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        From `labels.confusion_matrix` or `labels.from_table`. Items left unclassified count in
        recall. Other dims, such as dialogue, are kept.
    beta : float, default 1
        Recall counts beta times as much as precision.

    Returns
    -------
    xarray.Dataset
        ``by_label`` (label, measure), ``averaged`` (average, measure) and ``n_actual`` (label).
        Measures are precision, recall and f; averages are macro (plain mean over labels), weighted
        and pooled. What would be 0 / 0 is 0: a label that is predicted but that no item has enters
        macro with 0, as in scikit-learn.

    Raises
    ------
    ValueError
        If it is not a confusion matrix, or beta is not positive.

    References
    ----------
    C. J. van Rijsbergen (1979), Information Retrieval, ch. 7.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = precision_recall_f(bt.datasets.beetle_confusion())
    >>> scores["averaged"].sel(average="weighted").round(4).values.tolist()
    [0.6988, 0.4312, 0.5136]
    """
    matrix, actual, labels = schemas.confusion(confusion)
    if not (beta > 0 and np.isfinite(beta)):
        raise ValueError(f"beta is {beta}; give a positive number")
    by_label = formulas.by_label(matrix, actual, beta)
    averages = formulas.averages(by_label, matrix, actual, beta)
    coords: dict[Any, Any] = {names.LABEL: labels, "measure": list(names.MEASURES)}
    coords["average"] = list(names.AVERAGES)
    leading_dims = [d for d in confusion.dims if d not in (names.PREDICTED, names.ACTUAL)]
    coords |= {d: confusion[d] for d in leading_dims if d in confusion.coords}
    return xr.Dataset(
        {
            "by_label": ((*leading_dims, names.LABEL, "measure"), by_label),
            "averaged": ((*leading_dims, "average", "measure"), averages),
            "n_actual": ((*leading_dims, names.LABEL), actual),
        },
        coords=coords,
        attrs={"beta": float(beta)},
    )


def frequencies(confusion: xr.DataArray) -> xr.DataArray:
    """Which confusions the errors consist of: each wrong cell over all wrongly classified items.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Unclassified items are left out.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        0 on the diagonal; sums to 1 unless nothing is wrong.

    Raises
    ------
    ValueError
        If it is not a confusion matrix.

    Examples
    --------
    >>> import betterthan as bt
    >>> share = frequencies(bt.datasets.beetle_confusion())
    >>> round(share.sel(predicted="pc_incomplete", actual="contradictory").item(), 4)
    0.2331
    """
    matrix, _, _ = schemas.confusion(confusion)
    ordered = confusion.transpose(..., names.PREDICTED, names.ACTUAL)
    return ordered.copy(data=formulas.frequencies(matrix)).rename("frequency")


def majority_baseline(confusion: xr.DataArray) -> xr.DataArray:
    """What always predicting the most frequent class would do on the same items.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        A confusion matrix with one row that is not zero; of equally frequent classes the first is
        taken.

    Raises
    ------
    ValueError
        If it is not a confusion matrix.

    Examples
    --------
    >>> import betterthan as bt
    >>> baseline = majority_baseline(bt.datasets.beetle_confusion())
    >>> precision_recall_f(baseline)["averaged"].sel(average="macro").round(2).values.tolist()
    [0.09, 0.2, 0.12]
    """
    matrix, actual, _ = schemas.confusion(confusion)
    ordered = confusion.transpose(..., names.PREDICTED, names.ACTUAL)
    most = actual.reshape(-1, actual.shape[-1]).sum(0).argmax()
    predicted = np.zeros_like(matrix)
    predicted[..., int(most), :] = actual
    return ordered.copy(data=predicted)

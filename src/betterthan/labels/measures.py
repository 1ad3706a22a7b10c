"""Precision, recall and F of classes, and their averages."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.exact.labels import confusion as formulas


def precision_recall_f(confusion: xr.DataArray, *, beta: float = 1.0) -> xr.Dataset:
    """Compute precision, recall, and F1 of each label, and their averages.

    The literature calls two different averages "micro". ``pooled`` is the micro-average of
    scikit-learn: it sums the counts of all labels before dividing. ``weighted`` is the mean of the
    labels' scores, weighted by the number of their items. Both have the same recall, but not the
    same precision and F1.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix from `labels.confusion_matrix` or `labels.from_table`. Unclassified items
        count in recall. Other dims, such as dialogue, are kept.
    beta : float, default 1
        Weight of recall relative to precision in F.

    Returns
    -------
    xarray.Dataset
        ``by_label`` (label, measure), ``averaged`` (average, measure), and ``n_actual`` (label).
        Measures are precision, recall, and f; averages are macro (mean over labels), weighted, and
        pooled. 0 / 0 is 0: a label that is predicted but that no item has enters macro with 0, as
        in scikit-learn.

    Raises
    ------
    ValueError
        If the data are not a confusion matrix, or beta is not positive.

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
    beta = checks.positive_real(beta, "beta")
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
        attrs={"beta": beta},
    )


def frequencies(confusion: xr.DataArray) -> xr.DataArray:
    """Compute the proportion of the classification errors that each confusion makes up.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix; unclassified items are left out.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        Proportions: 0 on the diagonal, with a sum of 1 unless there is no error.

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
    """Return the confusion matrix of a classifier that always predicts the most frequent class.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix of a system, for the numbers of items of each class.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        Confusion matrix on the same items, with one row that is not zero. Of equally frequent
        classes the first is predicted.

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

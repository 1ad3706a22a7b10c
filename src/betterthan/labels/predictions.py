"""Predicted labels of several systems as confusion matrices, and as tallies of each label."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.text_arrays import text_array
from betterthan.labels.matrices import confusion_matrix

_MOST = 2**27  # counts, 1 GB of them


def confusions(labels: xr.DataArray) -> xr.DataArray:
    """Count the confusions of every system.

    Parameters
    ----------
    labels : xarray.DataArray, dims (item, system), str
        From `labels.read`: an empty label is unclassified; coordinate ``gold`` (item).

    Returns
    -------
    xarray.DataArray, dims (system, predicted, actual), int64
        With ``n_actual`` (system, actual), for `labels.precision_recall_f`.

    Raises
    ------
    ValueError
        If these are no labels.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> said = pd.DataFrame({"gold": ["a", "b"], "A": ["a", "a"], "B": ["a", "b"]})
    >>> labels = bt.labels.read(said)
    >>> confusions(labels).sel(system="A").values.tolist()
    [[1, 1], [0, 0]]
    """
    gold, all_labels = _gold(labels)
    _refuse_texts(labels.sizes[names.SYSTEM] * len(all_labels) ** 2)
    matrices = [
        confusion_matrix(gold, labels.isel({names.SYSTEM: k}).values.tolist(), labels=all_labels)
        for k in range(labels.sizes[names.SYSTEM])
    ]
    return xr.concat(matrices, dim=labels[names.SYSTEM], coords="different", compat="equals")


def tallies(labels: xr.DataArray) -> xr.DataArray:
    """Tally true positives, false positives and false negatives of every label on every item.

    Parameters
    ----------
    labels : xarray.DataArray, dims (item, system), str
        From `labels.read`: an empty label is unclassified, which is a miss but no false alarm.

    Returns
    -------
    xarray.DataArray, dims (item, system, label, tally), int64
        0 and 1; for `scores.bootstrap` and `randomization_test`.

    Raises
    ------
    ValueError
        If these are no labels.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> labels = bt.labels.read(pd.DataFrame({"gold": ["a", "b"], "A": ["a", "a"], "B": ["a", ""]}))
    >>> tallies(labels).sum("item").sel(system="B", label="b").values.tolist()
    [0, 0, 1]
    """
    gold, all_labels = _gold(labels)
    predicted = labels.transpose(names.ITEM, names.SYSTEM).values
    _refuse_texts(predicted.size * len(all_labels))
    numbers = np.arange(len(all_labels))
    is_gold = (_coded(gold, all_labels) == numbers)[:, None, :]
    is_predicted = _coded(predicted, all_labels) == numbers
    tallies = np.stack(
        [is_gold & is_predicted, ~is_gold & is_predicted, is_gold & ~is_predicted], axis=-1
    ).astype(np.int64)
    coords: dict[Any, Any] = {
        name: coord
        for name, coord in labels.coords.items()
        if set(coord.dims) <= {names.ITEM, names.SYSTEM}
    }
    coords |= {names.LABEL: all_labels, names.TALLY: list(names.TALLIES)}
    dims = (names.ITEM, names.SYSTEM, names.LABEL, names.TALLY)
    return xr.DataArray(tallies, dims=dims, coords=coords, attrs={"scale": 1}, name="tallies")


def _coded(values: np.ndarray, all_labels: np.ndarray) -> np.ndarray:
    """Return the code of each label, -1 if empty, with a last axis of length 1."""
    place = {label: k for k, label in enumerate(all_labels.tolist())}
    codes = [place.get(label, -1) for label in values.ravel().tolist()]
    return np.array(codes).reshape(*values.shape, 1)


def _refuse_texts(cells: int) -> None:
    """Refuse so many different labels that they must be texts: each has a count of its own."""
    if cells > _MOST:
        raise ValueError(
            f"labels are so many that they take {cells:,} counts; these are texts rather than "
            "labels, of which only right and wrong can be told: see betterthan.read"
        )


def _gold(labels: xr.DataArray) -> tuple[Any, Any]:
    """Return the gold labels, and all labels in order of appearance."""
    if (
        set(getattr(labels, "dims", ())) != {names.ITEM, names.SYSTEM}
        or "gold" not in labels.coords
    ):
        raise ValueError(
            "expected labels with dims (item, system) and a coordinate 'gold'; see "
            "betterthan.labels.read"
        )
    gold = text_array(labels["gold"].values)
    predicted = labels.transpose(names.SYSTEM, names.ITEM).values.reshape(-1)
    distinct = dict.fromkeys([*gold.tolist(), *(x for x in predicted.tolist() if x)])
    return gold, text_array(list(distinct))

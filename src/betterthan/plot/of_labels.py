"""A confusion matrix as a figure."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import schemas
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS_MAX = 25


def confusion(confusion: xr.DataArray, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a confusion matrix: counts, shaded by their share of the actual class.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Items that were left unclassified make one more row.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Rows are predicted, columns actual; each column shades to its whole. Up to 25 labels cells
        hold counts.

    Raises
    ------
    ValueError
        If it is not one confusion matrix.

    Examples
    --------
    >>> import betterthan as bt
    >>> ax = bt.plot.confusion(bt.datasets.beetle_confusion())
    >>> [label.get_text() for label in ax.get_yticklabels()][-1]
    '(unclassified)'
    """
    matrix, actual, labels = schemas.confusion(confusion)
    if matrix.ndim != 2:
        dims = ", ".join(map(str, confusion.dims))
        raise ValueError(f"confusion has dims ({dims}); give one matrix (predicted, actual)")
    lost = actual - matrix.sum(0)
    cells = np.vstack([matrix, lost]) if lost.any() else matrix
    share = cells / np.maximum(actual, 1)
    with drawing.style():
        columns = drawing.labels(labels)
        rows = [*columns, "(unclassified)"] if lost.any() else columns
        wide = drawing.inches(columns)
        width = max(0.62 * len(columns) + wide + 0.8, 4.2)
        ax = drawing.axes(ax, width, 0.42 * len(rows) + 0.7 * wide + 1.2)
        _draw_cells(ax, cells, share)
        ax.set_yticks(np.arange(len(rows)), rows, fontsize=8)
        drawing.name_columns(ax, columns)
        ax.set_ylabel("predicted")
        return drawing.finish(ax, _title(int(np.trace(matrix)), int(actual.sum())))


def _title(right: int, items: int) -> str:
    return f"{right:,} of {items:,} items right\nColumns: actual class. Darker: more of it"


def _draw_cells(ax: "Axes", cells: np.ndarray, share: np.ndarray) -> None:
    drawing.shade(ax, share)
    height, width = share.shape
    ax.hlines(np.arange(height + 1) - 0.5, -0.5, width - 0.5, colors="white", linewidth=0.8)
    ax.vlines(np.arange(width + 1) - 0.5, -0.5, height - 0.5, colors="white", linewidth=0.8)
    if width <= _NUMBERS_MAX:
        _write(ax, cells, share)


def _write(ax: "Axes", cells: np.ndarray, share: np.ndarray) -> None:
    middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
    for i, j in np.ndindex(*cells.shape):
        middle["color"] = "white" if share[i, j] > 0.55 else drawing.INK
        ax.text(j, i, f"{cells[i, j]:,}", fontweight="bold" if i == j else "normal", **middle)

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
        raise ValueError(
            f"confusion has dims {tuple(map(str, confusion.dims))}; give one matrix (predicted, "
            f"actual)"
        )
    lost = actual - matrix.sum(0)
    cells = np.vstack([matrix, lost]) if lost.any() else matrix
    share = cells / np.maximum(actual, 1)
    n = len(labels)
    with drawing.style():
        named = drawing.labels(labels)
        wide = 0.075 * max(map(len, named))
        ax = drawing.axes(ax, max(0.62 * n + wide + 0.8, 4.2), 0.42 * len(cells) + 0.7 * wide + 1.2)
        ax.imshow(
            share, cmap=drawing.ramp(), vmin=0, vmax=1, aspect="auto", interpolation="nearest"
        )
        ax.spines[:].set_visible(False)
        ax.hlines(np.arange(len(cells) + 1) - 0.5, -0.5, n - 0.5, colors="white", linewidth=0.8)
        ax.vlines(np.arange(n + 1) - 0.5, -0.5, len(cells) - 0.5, colors="white", linewidth=0.8)
        rows = [*named, "(unclassified)"] if lost.any() else named
        ax.set_yticks(np.arange(len(rows)), rows, fontsize=8)
        drawing.name_columns(ax, named)
        ax.set_ylabel("predicted")
        if n <= _NUMBERS_MAX:
            _write(ax, cells, share)
        right = int(np.trace(matrix))
        return drawing.finish(
            ax,
            f"{right:,} of {int(actual.sum()):,} items right\nColumns: actual class. Darker: more "
            f"of it",
        )


def _write(ax: "Axes", cells: np.ndarray, share: np.ndarray) -> None:
    for i, j in np.ndindex(*cells.shape):
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
        look["fontweight"] = "bold" if i == j else "normal"
        ax.text(
            j, i, f"{cells[i, j]:,}", color="white" if share[i, j] > 0.55 else drawing.INK, **look
        )

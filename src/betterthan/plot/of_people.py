"""Plot people's judgments against a score of what they judged."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import names
from betterthan.people import correlations
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def correlation(
    x: Any,
    y: Any,
    *,
    edges: Sequence[float] | None = None,
    ci_prob: float = names.CI_PROB,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot human judgments against a score, with Pearson's correlation and means of bins.

    Parameters
    ----------
    x, y : sequence of float, pandas.Series or xarray.DataArray
        Scores and judgments, as in `people.correlation`; the names of Series and DataArrays label
        the axes.
    edges : sequence of float, optional
        Limits of bins of x, rising. Each bin shows the mean of its y, a bar of one standard
        deviation on either side, and its number of values, from `people.bin_by`.
    ci_prob : float, default 0.95
        Level of the confidence interval of the correlation.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with the scatter plot.

    Raises
    ------
    ValueError
        For the reasons of `people.correlation` and `people.bin_by`.

    References
    ----------
    Lapata (2006), Computational Linguistics 32(4), Figure 3 and Table 3.

    Examples
    --------
    >>> ax = correlation([0.1, 0.4, 0.5, 0.9, 1.0], [2, 3, 3, 5, 4])
    >>> ax.get_title(loc="left")
    "Pearson's r 0.91 of 5 pairs, 95% interval 0.15 to 0.99"
    """
    result = correlations.correlation(x, y, ci_prob=ci_prob).sel(measure="pearson")
    bins = None if edges is None else correlations.bin_by(y, x, edges)
    with drawing.canvas(ax, 4.8, 3.6) as ax:
        dots: dict[str, Any] = {"color": drawing.BETTER, "markersize": 4, "markeredgewidth": 0}
        values = [correlations.as_numbers(v, name) for v, name in ((x, "x"), (y, "y"))]
        ax.plot(*values, "o", alpha=0.55, **dots)
        if bins is not None:
            _draw_bins(ax, bins)
        ax.set(xlabel=drawing.labels([_name(x, "x")])[0], ylabel=drawing.labels([_name(y, "y")])[0])
        title = f"Pearson's r {result['r'].item():.2f} of {result.attrs['n']} pairs"
        if np.isfinite(result["lower"]):
            lower, upper = (f"{result[k].item():.2f}" for k in ("lower", "upper"))
            title += f", {100 * ci_prob:g}% interval {lower} to {upper}"
        title += "" if bins is None else "\nBars: mean and standard deviation of each bin"
        return drawing.finish(ax, title)


def _draw_bins(ax: "Axes", bins: Any) -> None:
    """Mean of each bin over its width, one standard deviation to either side, and how many."""
    filled = bins.isel(bin=np.flatnonzero(bins["n"].values))
    low, high, mean = (filled[k].values for k in ("low", "high", "mean"))
    spread, middle = np.nan_to_num(filled["sd"].values), (low + high) / 2
    ax.hlines(mean, low, high, colors=drawing.WORSE, linewidth=2)
    ax.vlines(middle, mean - spread, mean + spread, colors=drawing.WORSE, linewidth=1)
    ax.vlines(bins["low"].values[1:], *ax.get_ylim(), colors=drawing.GRID, linewidth=0.8, zorder=0)
    bottom, top = ax.get_ylim()
    for place, number in zip(middle, filled["n"].values, strict=True):
        words: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": drawing.SMALL}
        ax.text(place, bottom, f"n {number}", color=drawing.WORSE, **words)
    ax.set_ylim(bottom, top)


def _name(values: Any, default: str) -> str:
    return str(getattr(values, "name", None) or default)

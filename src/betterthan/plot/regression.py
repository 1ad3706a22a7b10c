"""Plot a regression and its predictions, and the correlation of judgments with a score."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric import monte_carlo
from betterthan.features.fitting import PerformanceFunction
from betterthan.people import correlations
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def coefficients(
    source: Any, *, ci_prob: float = names.CI_PROB, limit: int = 40, ax: "Axes | None" = None
) -> "Axes":
    """Plot the standardized coefficients of a performance function with their intervals.

    Parameters
    ----------
    source : PerformanceFunction or xarray.DataTree
        Result of `features.performance_function` or ``betterthan.models.performance_function.fit``.
    ci_prob : float, default 0.95
        Level of the credible intervals of a posterior (HDI). Confidence intervals of least squares
        have the level of the fit.
    limit : int, default 40
        Largest number of features to draw: those with the largest coefficients.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Features that were not chosen are hollow marks at 0.

    Raises
    ------
    ValueError
        If the source is neither, or a published formula without a fit.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> ax = bt.plot.coefficients(bt.features.performance_function(table, "rating"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['f', 'words']
    """
    is_tree = isinstance(source, xr.DataTree)
    rows, title = _tree_rows(source, ci_prob) if is_tree else _function_rows(source)
    order = np.argsort(-np.abs(rows["mean"]), kind="stable")[: checks.whole(limit, "limit")]
    rows = {name: values[order] for name, values in rows.items()}
    with drawing.canvas(ax, 7.0, 0.9 + 0.24 * (len(order) + 1)) as ax:
        drawing.name_rows(ax, drawing.labels([str(f) for f in rows["feature"]], 40))
        place = np.arange(len(rows["mean"]))
        ax.vlines(0, -0.7, len(place) - 0.4, colors=drawing.INK, linewidth=0.8, linestyle=":")
        ax.hlines(place, rows["lower"], rows["upper"], colors=drawing.BETTER, linewidth=1.4)
        for filled in (True, False):
            selected = rows["chosen"] == filled
            face = drawing.BETTER if filled else "white"
            look: dict[str, Any] = {"markersize": 5, "markeredgecolor": drawing.BETTER}
            ax.plot(rows["mean"][selected], place[selected], "o", markerfacecolor=face, **look)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("Standardized coefficient")
        return drawing.finish(ax, title)


def predictions(function: PerformanceFunction, *, ax: "Axes | None" = None) -> "Axes":
    """Plot observed against predicted responses, each predicted without its own dialogue.

    Parameters
    ----------
    function : PerformanceFunction
        Result of `features.performance_function`; the choice of features is repeated without the
        dialogue.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with one point for each dialogue.

    Raises
    ------
    ValueError
        If the function was not fitted.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> bt.plot.predictions(bt.features.performance_function(table, "rating")).get_xlabel()
    'Predicted rating'
    """
    fit = _checked_fit(function, "function")
    with drawing.canvas(ax, 4.8, 4.4) as ax:
        _draw_dots(ax, fit)
        response = drawing.labels([str(fit.attrs["response"])])[0]
        ax.set(xlabel=f"Predicted {response}", ylabel=f"Observed {response}")
        ax.legend(loc="upper left")
        return drawing.finish(ax, "Observed against predicted")


def _draw_dots(ax: "Axes", fit: xr.Dataset) -> None:
    """Draw every dialogue twice: hollow for the full fit, filled for the fit without it."""
    observed, held_out = fit["observed"].values, fit["held_out_chosen"].values
    limits = np.array([min(observed.min(), held_out.min()), max(observed.max(), held_out.max())])
    line: dict[str, Any] = {"color": drawing.FAINT, "linewidth": 1, "linestyle": ":"}
    ax.plot(limits, limits, label="observed = predicted", **line)
    hollow: dict[str, Any] = {"markerfacecolor": "white", "markeredgecolor": drawing.FAINT}
    by_all = f"by the fit to all (R² {float(fit['r2']):.2f})"
    ax.plot(fit["fitted"], observed, "o", markersize=4, label=by_all, **hollow)
    honest = f"by a fit without it (R² {float(fit['r2_held_out_chosen']):.2f})"
    ax.plot(held_out, observed, "o", markersize=4, color=drawing.BETTER, label=honest)
    # room for the legend
    ax.set_ylim(limits[0] - 0.05 * np.ptp(limits), limits[1] + 0.25 * np.ptp(limits))


def _function_rows(source: Any) -> tuple[dict[str, np.ndarray], str]:
    fit = _checked_fit(source, "source")
    coefficient, standardised = fit["coefficient"].values, fit["standardised"].values
    nothing = np.zeros_like(coefficient)
    scale = np.divide(standardised, coefficient, out=nothing, where=coefficient != 0)
    chosen = fit["chosen"].values
    rows = {"feature": fit[names.FEATURE].values, "mean": standardised, "chosen": chosen}
    rows |= {end: np.where(chosen, fit[end].values * scale, 0.0) for end in ("lower", "upper")}
    title = f"Least squares: coefficients with {100 * fit.attrs['ci_prob']:g}% intervals"
    if fit.attrs["direction"] != "none":
        title += "\nas if nothing had been chosen: too narrow after a choice"
    return rows, title


def _tree_rows(source: xr.DataTree, ci_prob: float) -> tuple[dict[str, np.ndarray], str]:
    if "posterior" not in source or "standardised" not in source["posterior"]:
        raise ValueError(
            "source is a DataTree, but no fit of betterthan.models.performance_function"
        )
    beta = source["posterior"]["standardised"].transpose("chain", "draw", names.FEATURE)
    flat = beta.values.reshape(-1, beta.sizes[names.FEATURE])
    low, high = monte_carlo.interval(flat, checks.probability(ci_prob, "ci_prob"), "hdi")
    rows = {"feature": beta[names.FEATURE].values, "mean": flat.mean(0)}
    rows |= {"lower": low, "upper": high, "chosen": np.ones(len(low), dtype=bool)}
    return rows, f"Posterior: mean and {100 * ci_prob:g}% HDI"


def _checked_fit(function: Any, argument: str) -> xr.Dataset:
    """Return the fit of a function; `argument` is the name for messages."""
    if not isinstance(function, PerformanceFunction):
        also = " or a fit of betterthan.models.performance_function" if argument == "source" else ""
        quoted = checks.quoted(function)
        raise ValueError(
            f"{argument} is {quoted}; give what betterthan.features.performance_function "
            f"returns{also}"
        )
    if function.fit is None:
        raise ValueError(f"{argument} was entered as a formula and has no fit to draw")
    return function.fit


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
        values = [correlations.as_numbers(v, name) for v, name in ((x, "x"), (y, "y"))]
        ax.plot(*values, "o", alpha=0.55, color=drawing.BETTER, markersize=4, markeredgewidth=0)
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

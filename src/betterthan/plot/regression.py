"""Which features predict a response, and how well it is predicted."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric import weights
from betterthan.features.formulas import PerformanceFunction
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def coefficients(
    source: Any, *, ci_prob: float = names.CI_PROB, limit: int = 40, ax: "Axes | None" = None
) -> "Axes":
    """Forest of standardised coefficients with their intervals.

    Parameters
    ----------
    source : PerformanceFunction or xarray.DataTree
        From `features.performance_function` or ``betterthan.models.performance_function.fit``.
    ci_prob : float, default 0.95
        Mass of the intervals of a posterior (HDI); those of least squares have the one they were
        fitted with.
    limit : int, default 40
        Features to draw at most: those with the largest coefficients.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Features that were not chosen stand hollow at 0.

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
    rows, title = (
        _of_tree(source, ci_prob) if isinstance(source, xr.DataTree) else _of_function(source)
    )
    order = np.argsort(-np.abs(rows["mean"]), kind="stable")[: checks.whole(limit, "limit")]
    rows = {name: values[order] for name, values in rows.items()}
    place = np.arange(len(order))
    with drawing.style():
        ax = drawing.axes(ax, 7.0, 0.9 + 0.24 * (len(order) + 1))
        drawing.name_rows(ax, drawing.labels([str(f) for f in rows["feature"]], (48, 60, 90)))
        ax.vlines(0, -0.7, len(order) - 0.4, colors=drawing.INK, linewidth=0.8, linestyle=":")
        ax.hlines(place, rows["lower"], rows["upper"], colors=drawing.COLOUR_A, linewidth=1.4)
        for filled in (True, False):
            at = rows["chosen"] == filled
            look: dict[str, Any] = {"markersize": 5, "markeredgecolor": drawing.COLOUR_A}
            look["markerfacecolor"] = drawing.COLOUR_A if filled else "white"
            ax.plot(rows["mean"][at], place[at], "o", **look)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("standardised coefficient")
        return drawing.finish(ax, title)


def predictions(function: PerformanceFunction, *, ax: "Axes | None" = None) -> "Axes":
    """Observed against predicted response, each dialogue predicted by a fit that has not seen it.

    Parameters
    ----------
    function : PerformanceFunction
        From `features.performance_function`; the choice of features is repeated without the
        dialogue.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes

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
    'predicted rating'
    """
    fit = _fit_of(function)
    observed = fit["observed"].values
    with drawing.style():
        ax = drawing.axes(ax, 4.8, 4.4)
        ends = np.array(
            [
                min(observed.min(), fit["held_out_chosen"].min()),
                max(observed.max(), fit["held_out_chosen"].max()),
            ]
        )
        ax.plot(
            ends,
            ends,
            color=drawing.FAINT,
            linewidth=1,
            linestyle=":",
            label="observed = predicted",
        )
        hollow: dict[str, Any] = {
            "markerfacecolor": "white",
            "markeredgecolor": drawing.FAINT,
            "markersize": 4,
        }
        ax.plot(
            fit["fitted"],
            observed,
            "o",
            label=f"by the fit to all (R² {float(fit['r2']):.2f})",
            **hollow,
        )
        full: dict[str, Any] = {"color": drawing.COLOUR_A, "markersize": 4}
        honest = f"by a fit without it (R² {float(fit['r2_held_out_chosen']):.2f})"
        ax.plot(fit["held_out_chosen"], observed, "o", label=honest, **full)
        response = drawing.labels([str(fit.attrs["response"])])[0]
        ax.set_xlabel(f"predicted {response}")
        ax.set_ylabel(f"observed {response}")
        # room for the legend
        ax.set_ylim(ends[0] - 0.05 * np.ptp(ends), ends[1] + 0.25 * np.ptp(ends))
        ax.legend(loc="upper left")
        return drawing.finish(ax, "Observed against predicted")


def _of_function(function: Any) -> tuple[dict[str, np.ndarray], str]:
    fit = _fit_of(function)
    coefficient = fit["coefficient"].values
    scale = np.divide(
        fit["standardised"].values,
        coefficient,
        out=np.zeros_like(coefficient),
        where=coefficient != 0,
    )
    rows = {
        "feature": fit[names.FEATURE].values,
        "mean": fit["standardised"].values,
        "chosen": fit["chosen"].values,
    }
    rows |= {
        end: np.where(fit["chosen"], fit[end].values * scale, 0.0) for end in ("lower", "upper")
    }
    share = f"{100 * fit.attrs['ci_prob']:g} %"
    note = (
        ""
        if fit.attrs["direction"] == "none"
        else "\nas if nothing had been chosen: too narrow after a choice"
    )
    return rows, f"Least squares: coefficients with {share} intervals{note}"


def _of_tree(tree: xr.DataTree, ci_prob: float) -> tuple[dict[str, np.ndarray], str]:
    if "standardised" not in tree["posterior"]:
        raise ValueError("expected a fit of betterthan.models.performance_function")
    beta = tree["posterior"]["standardised"].transpose("chain", "draw", names.FEATURE)
    flat = beta.values.reshape(-1, beta.sizes[names.FEATURE])
    low, high = weights.interval(flat, checks.probability(ci_prob, "ci_prob"), "hdi")
    rows = {
        "feature": beta[names.FEATURE].values,
        "mean": flat.mean(0),
        "lower": low,
        "upper": high,
    }
    return rows | {
        "chosen": np.ones(len(low), dtype=bool)
    }, f"Posterior: mean and {100 * ci_prob:g} % HDI"


def _fit_of(function: Any) -> xr.Dataset:
    if not isinstance(function, PerformanceFunction):
        raise ValueError(
            f"expected a PerformanceFunction or a DataTree, got {type(function).__name__}"
        )
    if function.fit is None:
        raise ValueError("this function was entered as a formula and has no fit to draw")
    return function.fit

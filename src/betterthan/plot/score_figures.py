"""Figures of confusion matrices, and of precision, recall and F of several systems."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.counts.responses import tally_totals
from betterthan.exact import f_measure
from betterthan.plot import drawing
from betterthan.plot.inputs import chosen
from betterthan.scores.comparing import posterior

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBERS_MAX = 25


def confusion(confusion: xr.DataArray, *, ax: "Axes | None" = None) -> "Axes":
    """Plot a confusion matrix: counts, shaded by their proportion of the actual class.

    Parameters
    ----------
    confusion : xarray.DataArray, dims (predicted, actual)
        Confusion matrix. Unclassified items add one row.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Rows are predicted, columns actual; the cells of a column are shaded by their proportion of
        it. Up to 25 labels, cells show counts.

    Raises
    ------
    ValueError
        If the data are not one confusion matrix.

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
    columns = drawing.labels(labels)
    rows = [*columns, "(unclassified)"] if lost.any() else columns
    wide = drawing.inches(columns)
    width = max(0.62 * len(columns) + wide + 0.8, 4.2)
    with drawing.canvas(ax, width, 0.42 * len(rows) + 0.7 * wide + 1.2) as ax:
        _draw_cells(ax, cells, share)
        ax.set_yticks(np.arange(len(rows)), rows, fontsize=8)
        drawing.name_columns(ax, columns)
        ax.set_ylabel("predicted")
        right, items = int(np.trace(matrix)), int(actual.sum())
        caption = "Columns: actual class. Darker: more of it"
        return drawing.finish(ax, f"{right:,} of {items:,} items correct\n{caption}")


def _draw_cells(ax: "Axes", cells: np.ndarray, share: np.ndarray) -> None:
    drawing.shade(ax, share)
    height, width = share.shape
    ax.hlines(np.arange(height + 1) - 0.5, -0.5, width - 0.5, colors="white", linewidth=0.8)
    ax.vlines(np.arange(width + 1) - 0.5, -0.5, height - 0.5, colors="white", linewidth=0.8)
    if width <= _NUMBERS_MAX:
        middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
        for i, j in np.ndindex(*cells.shape):
            middle["color"] = "white" if share[i, j] > 0.55 else drawing.INK
            ax.text(j, i, f"{cells[i, j]:,}", fontweight="bold" if i == j else "normal", **middle)


_POINTS = 401
_LOOKS = ((drawing.BETTER, "-"), (drawing.WORSE, "--"), (drawing.FAINT, "-."), (drawing.INK, ":"))
_TAIL = 1e-5  # mass that may lie outside of the figure, on either side


def scores(
    tallies: xr.DataArray,
    *,
    systems: Any = None,
    statistic: str = "f1",
    beta: float = 1.0,
    prior: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the posterior density of a score, one curve for each system.

    The curves show the uncertainty of each score, not that of a difference: on the same documents
    scores are correlated. To compare systems use `scores.bootstrap`.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally)
        TP/FP/FN counts; labels are summed.
    systems : list of str or mapping of str to str, optional
        Systems to draw, at most four; a mapping renames them. Default: all, if there are so few.
    statistic : {"f1", "precision", "recall", "f_beta"}, default "f1"
        Score to show.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    prior : str or sequence of three float, optional
        Prior; see `scores.posterior`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with the curves.

    Raises
    ------
    ValueError
        If the counts or an argument are not valid, a system is unknown, or there are more than
        four.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> rows = [("A", 1, 30, 5, 5), ("B", 1, 25, 9, 9)]
    >>> frame = pd.DataFrame(rows, columns=["system", "item", "tp", "fp", "fn"])
    >>> ax = bt.plot.scores(bt.io.tallies_from_table(frame))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['A: 0.857', 'B: 0.735']
    """
    tallies = schemas.tallies(tallies)
    if names.LABEL in tallies.dims:
        tallies = tallies.sum(names.LABEL, keep_attrs=True)
    name = chosen(systems, [str(s) for s in tallies[names.SYSTEM].values])
    if len(name) > len(_LOOKS):
        raise ValueError(
            f"{len(name)} curves are too many to tell apart; give systems=, at most {len(_LOOKS)}"
        )
    posterior_scores = posterior(tallies, statistic=statistic, beta=beta, prior=prior)
    used = posterior_scores.attrs["prior"]
    values = posterior_scores["score"].sel({names.SYSTEM: list(name)}).values
    curves = [_curve(alpha, statistic, beta) for alpha in _alphas(tallies, list(name), used)]
    with drawing.canvas(ax, 6.0, 3.4) as ax:
        labels = drawing.labels(list(name.values()))
        _draw(ax, curves, [f"{n}: {v:.3f}" for n, v in zip(labels, values, strict=True)])
        score_name = {"f1": "F1", "f_beta": f"F{beta:g}"}.get(statistic, statistic)
        ax.set_xlabel(score_name)
        return drawing.finish(ax, f"Posterior of {score_name}")


def _alphas(tallies: xr.DataArray, systems: list[str], prior: Any) -> np.ndarray:
    """Dirichlet parameters (system, tally) of the posterior."""
    weights = np.asarray(checks.prior(prior, labels=names.TALLIES))
    totals = tally_totals(tallies).transpose(..., names.TALLY).sel({names.SYSTEM: systems})
    return totals.values / float(tallies.attrs.get("scale", 1)) + weights


def _draw(ax: "Axes", curves: list[tuple[np.ndarray, np.ndarray]], labels: list[str]) -> None:
    lines = []
    for (x, y), label, (colour, line) in zip(curves, labels, _LOOKS, strict=False):
        lines += ax.plot(x, y, color=colour, linestyle=line, linewidth=1.8, label=label)
        ax.fill_between(x, 0, y, color=colour, alpha=0.12, linewidth=0)
    ax.margins(x=0)
    ax.set(ylim=(0, 1.1 * max(float(y.max()) for _, y in curves)), yticks=[], ylabel="density")
    drawing.plain_numbers(ax.xaxis)
    heading: dict[str, Any] = {"title": "score of the data", "title_fontsize": 8}
    ax.legend(handles=lines, loc="upper left", alignment="left", **heading)


def _curve(alpha: np.ndarray, statistic: str, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and density."""
    if statistic in ("precision", "recall"):
        a, b = alpha[0], alpha[1] if statistic == "precision" else alpha[2]
        x = _span(*special.betaincinv(a, b, [_TAIL, 1 - _TAIL]))
        return x, np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - special.betaln(a, b))
    beta = beta if statistic == "f_beta" else 1.0
    x = _span(*(f_measure.f_beta_quantile(alpha, beta, p) for p in (_TAIL, 1 - _TAIL)))
    return x, f_measure.f_beta_density(alpha, beta, x)


def _span(low: float, high: float) -> np.ndarray:
    return np.linspace(max(low, 1e-6), min(high, 1 - 1e-6), _POINTS)

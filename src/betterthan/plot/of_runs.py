"""Plot repeated runs: pass^k against k, and where the variance of a mean comes from."""

from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import checks, names
from betterthan.plot import drawing
from betterthan.results.numbers import on_one_line
from betterthan.results.text import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LINES = 8  # systems that have a line each; of more, those with the highest estimates
_STYLES = ("-", "--", "-.", ":")
_COLORS = (drawing.BETTER, drawing.WORSE, drawing.EQUIVALENT, drawing.INK)
_BARS = 30  # systems that have a bar


def reliability(runs: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Plot pass^k against k for each system, with intervals.

    For k above the number of runs, a bracket shows the bounds.

    Parameters
    ----------
    runs : Runs
        Result of `runs.reliability`. Of more than 8 systems, those with the highest estimates for
        the smallest k are shown.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with a line for each system.

    Raises
    ------
    ValueError
        If it is another answer.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": "A", "item": list("uvwxyz"), "successes": [3, 3, 2, 0, 1, 3], "trials": 3}
    ... )
    >>> result = bt.runs.reliability(bt.counts.trials_from_table(table), k=(1, 2, 3))
    >>> ax = bt.plot.reliability(result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['A']
    """
    data = _data(runs, "reliability")
    ks, estimates = data["k"].values, data["pass_k"].values
    order = np.argsort(-np.nan_to_num(estimates[0]), kind="stable")[:_LINES]
    labels = _labels(data[names.SYSTEM].values[order])
    spread = 0.08 * np.diff(ks, prepend=ks[0] - 1).min()
    with drawing.canvas(ax, 5.5, 3.4) as ax:
        for place, (i, label) in enumerate(zip(order, labels, strict=True)):
            color, style = _COLORS[place % 4], _STYLES[place // 4 % 4]
            x = ks + spread * (place - (len(order) - 1) / 2)
            low, high = (data[f"pass_k_{end}"].values[:, i] for end in ("lower", "upper"))
            known = ~np.isnan(estimates[:, i])
            ax.plot(
                x[known], estimates[known, i], style, color=color, marker="o", ms=4, label=label
            )
            ax.vlines(x[known], low[known], high[known], color=color, lw=1.2)
            if not known.all():
                within = [data[f"bound_{end}"].values[~known, i] for end in ("lower", "upper")]
                ax.vlines(x[~known], *within, color=color, lw=4, alpha=0.35)
        name = "pass^k" if runs.attrs["kind"] == "all" else "pass@k"
        interval = f"{100 * runs.attrs['ci_prob']:g}% {runs.attrs['ci_kind'].upper()}"
        beyond = "; bands: bounds without more runs" if np.isnan(estimates).any() else ""
        ax.set(xlabel="k", ylabel=name, ylim=(0, 1), xticks=ks)
        ax.set_title(f"{name}: estimate and {interval}{beyond}", loc="left")
        ax.legend(**drawing.LEGEND)
    return ax


def noise(runs: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Plot how much of the variance of each mean is due to its runs.

    Parameters
    ----------
    runs : Runs
        Result of `runs.noise`. Of more than 30 systems, the first are shown.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with a bar for each system.

    Raises
    ------
    ValueError
        If it is another answer.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": "A", "item": list("uvwxyz"), "successes": [5, 5, 4, 1, 0, 5], "trials": 5}
    ... )
    >>> ax = bt.plot.noise(bt.runs.noise(bt.counts.trials_from_table(table)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['items', 'runs']
    """
    data = _data(runs, "noise")
    part = data.isel({names.SYSTEM: slice(0, _BARS)})
    labels = _labels(part[names.SYSTEM].values)
    total, of_runs = (np.nan_to_num(part[k].values) ** 2 for k in ("error", "error_of_runs"))
    of_runs = np.minimum(of_runs, total)
    place = np.arange(len(labels))
    with drawing.canvas(ax, 5.5, 1.2 + 0.28 * len(labels)) as ax:
        ax.barh(place, total - of_runs, color=drawing.BETTER, height=0.6, label="items")
        ax.barh(
            place, of_runs, left=total - of_runs, color=drawing.TIE, height=0.6, hatch="////",
            edgecolor=drawing.FAINT, label="runs",
        )  # fmt: skip
        for y, (whole, noise_) in enumerate(zip(total, of_runs, strict=True)):
            text = f" SE {np.sqrt(whole):.3f}; runs only {np.sqrt(noise_):.3f}"
            ax.text(whole, y, text, va="center", fontsize=drawing.SMALL)
        ax.set_yticks(place, labels)
        ax.invert_yaxis()
        ax.set_xlim(0, 1.6 * max(total.max(initial=0.0), 1e-12))
        ax.set_xlabel("Variance of the mean (square of its standard error)")
        ax.legend(**drawing.LEGEND, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    return ax


def _labels(systems: np.ndarray) -> list[str]:
    every = [on_one_line(str(system)) for system in systems]
    short = short_names(every)
    return [short.get(name, name) for name in every]


def _data(runs: Any, answer: str) -> Any:
    """The Dataset of an answer of `runs`."""
    attrs = getattr(runs, "attrs", {})
    if not hasattr(runs, "data") or attrs.get("answer") != answer:
        raise ValueError(f"runs is {checks.quoted(runs)}; give what runs.{answer} returns")
    return runs.data

"""Plot plans and repeated runs: predictive probabilities, boundaries, pass^k, and variances."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import read_pairs
from betterthan.plot import drawing
from betterthan.results.result import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# of each verdict: what it is called, its colour, its line
_LOOKS = {
    "a_better": ("first better", drawing.BETTER, "-"),
    "b_better": ("second better", drawing.WORSE, "--"),
    "equivalent": ("equivalent", drawing.EQUIVALENT, "-."),
    "undecided": ("undecided", drawing.INK, ":"),
}


def assurance(plan: Plan, *, target: float | None = None, ax: "Axes | None" = None) -> "Axes":
    """Plot the probability of each verdict against the number of items.

    Parameters
    ----------
    plan : Plan
        Result of `plan.assurance` with several n.
    target : float, optional
        Probability at which to draw a line.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with a curve for each verdict.

    Raises
    ------
    ValueError
        If it is another plan, or the target is not a probability.

    Examples
    --------
    >>> import betterthan as bt
    >>> ax = bt.plot.assurance(bt.plan.assurance(range(1, 201), design=(6, 3, 11)))
    >>> [text.get_text() for text in ax.texts]
    ['second better', 'undecided', 'first better']
    """
    data = _data(plan, "plan", "assurance", "plan.assurance with several n", dim="n")
    n, probability = data["n"].values, data["probability"]
    with drawing.canvas(ax, 5.5, 3.4) as ax:
        end_values = {}
        for verdict, (name, colour, line) in _LOOKS.items():
            p = probability.sel(verdict=verdict).values
            if p.any():
                ax.plot(n, p, line, color=colour, lw=1.6)
                end_values[name] = float(p[-1])
        x, least = float(n[-1]), -1.0
        for name, y in sorted(end_values.items(), key=lambda named_value: named_value[1]):
            least = max(y, least + 0.07)  # labels that would overlap are stacked
            place = x * 1.02, least
            ax.annotate(name, (x, y), place, va="center", fontsize=8, annotation_clip=False)
        if target is not None:
            ax.axhline(checks.probability(target, "target"), color=drawing.FAINT, lw=0.8)
        ax.set(xlabel="Items", ylabel="Probability of the verdict", ylim=(0, 1), xlim=(0, n[-1]))
    return ax


def boundary(plan: Plan, counts: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the stopping boundary of interim looks, with the counts so far.

    The figure shows wins minus losses of the first system against the number of non-tied items.
    Above the upper marks the first system is better, below the lower ones the second is.

    Parameters
    ----------
    plan : Plan
        Result of `plan.stopping_boundary`.
    counts : xarray.DataArray of one pair, or (wins, losses, ties), optional
        Counts so far.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with the upper and lower marks.

    Raises
    ------
    ValueError
        If it is another plan, or the counts are not those of one pair.

    Examples
    --------
    >>> import betterthan as bt
    >>> ax = bt.plot.boundary(bt.plan.stopping_boundary(100, looks=5), (30, 14, 60))
    >>> [text.get_text() for text in ax.texts]
    ['first better', 'go on', 'second better', 'now: 30 to 14']
    """
    data = _data(plan, "plan", "stopping boundary", "plan.stopping_boundary")
    look, wins, losses = (data[k].values.astype(float) for k in ("look", "wins", "losses"))
    with drawing.canvas(ax, 5.5, 3.4) as ax:
        _side(ax, look, wins, 1, drawing.BETTER)
        _side(ax, look, losses, -1, drawing.WORSE)
        top = max(float(np.max(2 * wins - look, initial=1)), 1.0) * 1.35
        for name, y in (("first better", 0.9 * top), ("go on", 0.0), ("second better", -0.9 * top)):
            ax.text(look[-1] * 0.98, y, name, ha="right", va="center", fontsize=8)
        if counts is not None:
            rows = read_pairs(counts, None, 0.0).counts
            if len(rows) != 1:
                raise ValueError(f"counts are of {len(rows)} pairs; give those of one")
            w, l = (int(x) for x in rows[0, :2])
            ax.plot([w + l], [w - l], "D", color=drawing.INK, ms=6, mfc="white", mew=1.4)
            style: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
            ax.annotate(f"now: {w} to {l}", (w + l, w - l), (8, 0), **style)
            top = max(top, 1.2 * abs(w - l))
        ax.axhline(0, color=drawing.FAINT, lw=0.8, zorder=0)
        ax.set(xlabel="Non-tied items", ylabel="Wins − losses of the first system")
        ax.set(xlim=(0, look[-1] * 1.02), ylim=(-top, top))
    return ax


def _side(ax: "Axes", look: np.ndarray, need: np.ndarray, side: int, colour: str) -> None:
    """Draw what one system needs at each look, if it can be reached."""
    reachable, line = need >= 0, "o" if len(look) <= _MARKED else "-"
    ax.plot(look[reachable], side * (2 * need - look)[reachable], line, color=colour, ms=4, lw=1.6)


_MARKED = 40  # looks up to which each has a mark


def _data(source: Any, what: str, answer: str, function: str, dim: str | None = None) -> xr.Dataset:
    """The Dataset of an answer of a function, over a dim where one is asked for."""
    wrong = not isinstance(source, Summary) or source.attrs.get("answer") != answer
    if wrong or (dim and dim not in source.data.dims):
        raise ValueError(f"{what} is {checks.quoted(source)}; give what {function} returns")
    return source.data


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
    data = _data(runs, "runs", "reliability", "runs.reliability")
    ks, estimates = data["k"].values, data["pass_k"].values
    order = np.argsort(-np.nan_to_num(estimates[0]), kind="stable")[:_LINES]
    labels = drawing.labels(data[names.SYSTEM].values[order].tolist())
    spread = 0.08 * np.diff(ks, prepend=ks[0] - 1).min()
    lines: list[Any] = []
    with drawing.canvas(ax, 5.5, 3.4) as ax:
        for place, (i, label) in enumerate(zip(order, labels, strict=True)):
            color, style = _COLORS[place % 4], _STYLES[place // 4 % 4]
            x = ks + spread * (place - (len(order) - 1) / 2)
            low, high = (data[f"pass_k_{end}"].values[:, i] for end in ("lower", "upper"))
            known = ~np.isnan(estimates[:, i])
            look: dict[str, Any] = {"color": color, "marker": "o", "ms": 4, "label": label}
            lines += ax.plot(x[known], estimates[known, i], style, **look)
            ax.vlines(x[known], low[known], high[known], color=color, lw=1.2)
            if not known.all():
                within = [data[f"bound_{end}"].values[~known, i] for end in ("lower", "upper")]
                ax.vlines(x[~known], *within, color=color, lw=4, alpha=0.35)
        name = "pass^k" if runs.attrs["kind"] == "all" else "pass@k"
        interval = f"{100 * runs.attrs['ci_prob']:g}% {runs.attrs['ci_kind'].upper()}"
        beyond = "; bands: bounds without more runs" if np.isnan(estimates).any() else ""
        ax.set(xlabel="k", ylabel=name, ylim=(0, 1), xticks=ks)
        ax.set_title(f"{name}: estimate and {interval}{beyond}", loc="left")
        ax.legend(handles=lines, **drawing.LEGEND)
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
    data = _data(runs, "runs", "noise", "runs.noise")
    part = data.isel({names.SYSTEM: slice(0, _BARS)})
    labels = drawing.labels(part[names.SYSTEM].values.tolist())
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

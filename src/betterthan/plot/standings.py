"""Plot every system with its score, from the best to the worst."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from betterthan import checks, names
from betterthan.plot import drawing, inputs
from betterthan.plot.systems import chosen
from betterthan.results import rows
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH = 3.5  # inches: one column of a paper


def leaderboard(
    data: Any, *, systems: Any = None, limit: int = 150, ax: "Axes | None" = None
) -> "Axes":
    """Forest of the systems: score and interval of each, the best first.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        From `compare`. ``score`` with ``score_lower`` and ``score_upper`` over system where it has
        them, else the mean probability of being better than another system.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them. Their order is by rank.
    limit : int, default 150
        Systems to draw at most, the best ones.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Filled marks are the systems among which the best one is, with the mass of the intervals;
        at the right P(best), in percent. Intervals are of each system by itself: whether two
        systems differ is not told by whether theirs overlap.

    Raises
    ------
    ValueError
        If the data are no comparison, a system is unknown, or the limit is not positive.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (3, 12, 6)})
    >>> ax = bt.plot.leaderboard(bt.compare(counts))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B', 'A']
    """
    limit = checks.whole(limit, "limit")
    dataset = inputs.compared(data)
    table, axis_label = _table(dataset)
    name = chosen(systems, table["system"].tolist())
    table = table[table["system"].isin(list(name))].head(limit)
    labels = drawing.labels([name[system] for system in table["system"]])
    with drawing.style():
        step = 0.19 if len(table) <= 60 else 0.125
        ax = drawing.axes(ax, _WIDTH + drawing.inches(labels) / 2, 1.0 + step * len(table))
        drawing.name_rows(ax, labels, _best_probabilities(table))
        _draw(ax, table)
        ax.set_xlabel(axis_label)
        return drawing.finish(ax, _title(dataset, table, len(name)))


def _table(dataset: Any) -> tuple[Any, str]:
    """Tabulate systems, best first, with the columns middle, low and high."""
    table: Any = rows.systems(dataset)
    if "score" in table:
        limits = {"low": table.get("score_lower"), "high": table.get("score_upper")}
        lower = Signature.from_attrs(dataset.attrs).higher_is_better is False
        axis_label = "score, lower is better" if lower else "score"
        return table.assign(middle=table["score"], **limits), axis_label
    leading = rows.leading(dataset)
    square = rows.square(leading.assign(prob_better=inputs.answered(leading)))
    values = square.to_numpy(copy=True)
    np.fill_diagonal(values, np.nan)
    observed = np.isfinite(values)
    mean = np.where(observed, values, 0).sum(1) / np.maximum(observed.sum(1), 1)
    middle = pd.Series(mean, square.index).reindex(table["system"]).to_numpy()
    table = table.assign(middle=middle, low=None, high=None)
    if "expected_rank" not in table:
        table = table.sort_values("middle", ascending=False, kind="stable")
    return table, "mean probability of being better than another"


def _best_probabilities(table: Any) -> list[str]:
    if "prob_best" not in table:
        return []
    return [drawing.percent(float(p)) for p in table["prob_best"]]


def _draw(ax: "Axes", table: Any) -> None:
    place = np.arange(len(table))
    in_best_set = table.get("in_best_set", pd.Series(False, index=table.index)).to_numpy(bool)
    if table["low"].notna().any():
        limits = (table[k].to_numpy(float) for k in ("low", "high"))
        ax.hlines(place, *limits, colors=drawing.COLOUR_A, linewidth=1.2, zorder=2)
    _mark(ax, table["middle"].to_numpy(float), in_best_set)
    ax.margins(x=0.05)
    ax.grid(axis="x", color=drawing.COLOUR_TIE, linewidth=0.6)
    ax.set_axisbelow(True)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)


def _mark(ax: "Axes", middle: np.ndarray, in_best_set: np.ndarray) -> None:
    """Draw a marker for each system, filled if it may be the best."""
    look: dict[str, Any] = {"markersize": 4.5, "markeredgewidth": 1.0, "zorder": 3}
    look["markeredgecolor"] = drawing.COLOUR_A
    for selected, face, label in (
        (in_best_set, drawing.COLOUR_A, "may be the best"),
        (~in_best_set, "white", None),
    ):
        ax.plot(
            middle[selected],
            np.flatnonzero(selected),
            "o",
            **look,
            markerfacecolor=face,
            label=label,
        )
    if in_best_set.any():
        ax.legend(loc="upper left", borderaxespad=0, borderpad=0.2, handletextpad=0.3)


def _title(dataset: Any, table: Any, total: int) -> str:
    provenance = Signature.from_attrs(dataset.attrs)
    count_text = f"{len(table)} of {total} systems" if len(table) < total else f"{total} systems"
    interval_text = ""
    if table["low"].notna().any():
        interval_text = f", score with {100 * (provenance.ci_prob or names.CI_PROB):g} % interval"
    best = "\nAt the right P(best), in percent" if "prob_best" in table else ""
    return count_text + interval_text + best

"""Plot which systems are not significantly different: bars over the ranking."""

from typing import TYPE_CHECKING, Any

import numpy as np

from betterthan import checks, names
from betterthan.exact.swaps.cliques import maximal_cliques
from betterthan.plot import drawing, inputs
from betterthan.plot.systems import chosen
from betterthan.results import rows
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DECIDED = ("a_better", "b_better")


def cliques(data: Any, *, systems: Any = None, limit: int = 40, ax: "Axes | None" = None) -> "Axes":
    """Systems from the best to the worst, and a bar over each largest set of them in which no
    verdict names a better one.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        From `compare`. A verdict is that among all systems where it is told, else of the pair.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them.
    limit : int, default 40
        Bars to draw at most: the longest. The title says so where there are more.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        A bar has a mark on each of its members; a system between its ends without a mark is no
        member. To share a bar is to be open, not to be equal. A system that every other is told
        apart from has no bar.

    Raises
    ------
    ValueError
        If the data are no comparison, a system is unknown, the limit is not positive, or there are
        more than 1000 sets.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table(
    ...     {("A", "B"): (9, 8, 3), ("A", "C"): (15, 2, 3), ("B", "C"): (9, 5, 6)}
    ... )
    >>> ax = bt.plot.cliques(bt.compare(counts))
    >>> [line.get_ydata().tolist() for line in ax.lines]  # A and B, B and C
    [[0, 1], [1, 2]]
    """
    limit = checks.whole(limit, "limit")
    dataset = inputs.compared(data)
    ranked = rows.systems(dataset)["system"].tolist()
    name = chosen(systems, ranked)
    selected = [system for system in ranked if system in name]
    all_cliques = [c for c in maximal_cliques(_similar(dataset, selected)) if len(c) > 1]
    longest = sorted(all_cliques, key=len, reverse=True)[:limit]
    labels = drawing.labels([name[system] for system in selected])
    with drawing.style():
        step = 0.19 if len(selected) <= 60 else 0.125
        width = 1.2 + 0.13 * len(longest) + drawing.inches(labels)
        ax = drawing.axes(ax, max(width, 3.5), 0.9 + step * len(selected))
        drawing.name_rows(ax, labels)
        _draw(ax, sorted(longest))
        return drawing.finish(ax, _title(dataset, len(longest), len(all_cliques)))


def _similar(dataset: Any, selected: list[str]) -> np.ndarray:
    """Mark pairs without a verdict for either system, in the order of the rows."""
    final = rows.final(rows.leading(dataset))["verdict"]
    if final.dims == (names.PAIR,):  # a pair that was not compared has no verdict
        places = {system: k for k, system in enumerate(selected)}
        similar = np.ones((len(selected), len(selected)), dtype=bool)
        a, b = inputs.pair_names(final)
        for x, y, verdict in zip(a, b, final.values.astype(str), strict=True):
            if verdict in _DECIDED and x in places and y in places:
                similar[places[x], places[y]] = similar[places[y], places[x]] = False
        return similar
    verdict = final.transpose(*names.SQUARE).sel(dict.fromkeys(names.SQUARE, selected))
    return ~np.isin(verdict.values.astype(str), _DECIDED)


def _draw(ax: "Axes", bars: list[tuple[int, ...]]) -> None:
    for k, members in enumerate(bars):
        colour = drawing.COLOUR_A if k % 2 == 0 else drawing.FAINT
        look: dict[str, Any] = {"color": colour, "linewidth": 1.4, "solid_capstyle": "round"}
        ax.plot([k] * len(members), list(members), "-o", markersize=3, **look)
    ax.set_xlim(-0.8, max(len(bars), 1) - 0.2)
    ax.set_xticks([])
    ax.spines[["left", "bottom"]].set_visible(False)


def _title(dataset: Any, n_drawn: int, total: int) -> str:
    provenance = Signature.from_attrs(dataset.attrs)
    level = f"{100 * (provenance.threshold or names.VERDICT_PROB):g} %"
    if not total:
        return f"Every two systems are told apart, at {level}"
    more = f"\nThe {n_drawn} longest of {total:,} bars" if n_drawn < total else ""
    return f"Systems that share a bar are not told apart, at {level}{more}"

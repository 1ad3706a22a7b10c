"""Orders and their tau: chance, crossing lines, and documents."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.orders import chance
from betterthan.orders.ranked import DOCUMENT, ranked_of
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ITEMS_MAX = 60  # lines that can still be told apart


def tau_distribution(items: int, observed: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Distribution of Kendall's tau of random orders, with what was observed.

    Parameters
    ----------
    items : int
        From 2 to 200.
    observed : float or mapping of str to float, optional
        Taus to mark, by name where it is a mapping.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If `items` is not a whole number from 2 to 200, or a tau is outside -1 and 1.

    Examples
    --------
    >>> ax = tau_distribution(10, {"System 1": 0.82, "System 2": 0.24})
    >>> ax.get_xlabel()
    "Kendall's tau"
    """
    found = chance.tau_distribution(items)
    marked = (
        {"": observed}
        if observed is not None and not hasattr(observed, "items")
        else dict(observed or {})
    )
    for tau in marked.values():
        if not -1 <= float(tau) <= 1:
            raise ValueError(f"tau is {tau}; it lies between -1 and 1")
    with drawing.style():
        ax = drawing.axes(ax, 5.2, 3.2)
        x, y = found["tau"].values, found["probability"].values
        ax.bar(
            x,
            y,
            width=0.9 * float(x[0] - x[1]),
            color=drawing.COLOUR_TIE,
            edgecolor=drawing.FAINT,
            linewidth=0.4,
        )
        ax.set_ylim(0, 1.32 * float(y.max()))
        label = dict(zip(marked, drawing.labels(list(marked)), strict=True))
        right = sorted((n for n in marked if float(marked[n]) > 0), key=lambda n: -float(marked[n]))
        left = sorted((n for n in marked if float(marked[n]) <= 0), key=lambda n: float(marked[n]))
        # text towards 0, the outermost highest: no line is crossed
        for side, several in ((-1, right), (1, left)):
            for k, name in enumerate(several):
                tau, high = float(marked[name]), (1.27 - 0.085 * min(k, 6)) * float(y.max())
                ax.plot([tau, tau], [0, high], color=drawing.COLOUR_A, linewidth=1.4)
                at_least = drawing.probability(float(y[x >= tau - 1e-9].sum()))
                ax.annotate(
                    f"{label[name]} {tau:.2f}, P(tau ≥) {at_least}".strip(),
                    (tau, high),
                    xytext=(4 * side, 0),
                    textcoords="offset points",
                    fontsize=8,
                    ha="right" if side < 0 else "left",
                    va="top",
                )
        ax.set(xlabel="Kendall's tau", ylabel="probability", xlim=(-1.05, 1.05))
        return drawing.finish(ax, f"Kendall's tau of random orders of {items} items")


def orders(
    orders: Any, systems: Any = None, *, document: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Two or more orders side by side, with a line for each item: lines cross where a pair is
    inverted.

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        From `orders.read`, `orders.from_lists` or `orders.from_ranks`, or lists.
    systems : sequence of str, optional
        Which, from left to right; default all.
    document : str, optional
        Which document, where there are several.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Lines that cross others between two neighbours are dark, the more the darker.

    Raises
    ------
    ValueError
        If there are fewer than two orders, more than 60 items, no such system or document, or
        `document` is not given though there are several.

    Examples
    --------
    >>> ax = orders({"reference": list("ABCD"), "system": list("BACD")})
    >>> len(ax.get_lines())
    4
    """
    ranked = ranked_of(orders)
    chosen = list(systems) if systems is not None else ranked.systems
    for system in chosen:
        if system not in ranked.systems:
            raise ValueError(
                f"there is no system {system!r}; there are {', '.join(ranked.systems)}"
            )
    checks.at_least_two(chosen)
    if document is None and len(ranked.documents) > 1:
        raise ValueError(
            f"there are {len(ranked.documents)} documents; say which one with document="
        )
    if document is not None and document not in ranked.documents:
        raise ValueError(f"there is no document {document!r}")
    d = ranked.documents.index(document) if document is not None else 0
    ranks = ranked.of(chosen).ranks[d]
    here = ~np.isnan(ranks).any(0)
    if not here.any():
        raise ValueError("the orders have no item in common")
    ranks, items = ranks[:, here], [str(i) for i in ranked.items[d][here]]
    if len(items) > _ITEMS_MAX:
        raise ValueError(
            f"there are {len(items)} items; more than {_ITEMS_MAX} lines cannot be told apart"
        )
    crossed = _crossings(ranks)
    with drawing.style():
        shown = drawing.labels(items)
        wide = 0.075 * max(map(len, shown))
        ax = drawing.axes(ax, min(1.5 * len(chosen) + 2 * wide, 12.0), 0.19 * len(items) + 1.3)
        colours = drawing.ramp()(0.25 + 0.65 * crossed / max(crossed.max(), 1))
        for k in np.argsort(crossed, kind="stable"):
            ax.plot(
                range(len(chosen)),
                ranks[:, k],
                color=colours[k],
                linewidth=1.3,
                marker="o",
                markersize=2.5,
            )
        for side, column in ((-1, 0), (1, len(chosen) - 1)):
            for rank in np.unique(ranks[column]):
                name = " = ".join(n for n, r in zip(shown, ranks[column], strict=True) if r == rank)
                ax.annotate(
                    name,
                    (column, rank),
                    xytext=(7 * side, 0),
                    textcoords="offset points",
                    va="center",
                    ha="left" if side > 0 else "right",
                    fontsize=7.5,
                    annotation_clip=False,
                )
        ax.set_xticks(range(len(chosen)), drawing.labels(chosen), fontsize=8)
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
        ax.set_xlim(-0.1 - wide / 1.5, len(chosen) - 0.9 + wide / 1.5)
        ax.invert_yaxis()
        count = int(crossed.sum() / 2)
        between = "their neighbours" if len(chosen) > 2 else "the two"
        return drawing.finish(ax, f"{len(items)} items; {count} pairs inverted between {between}")


def tau(scores: xr.DataArray | xr.Dataset, *, ax: "Axes | None" = None) -> "Axes":
    """Kendall's tau of every document, one row for each system, with their mean.

    Parameters
    ----------
    scores : xarray.DataArray or xarray.Dataset
        From `orders.tau_scores`, or from `orders.kendall_tau` against one reference.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Systems from the highest mean down; a dot for each document, a bar at the mean, and at the
        right of how many.

    Raises
    ------
    ValueError
        If these are no taus of documents by systems.

    Examples
    --------
    >>> documents = {f"d{k}": {"ref": list("abcd"), "A": list("abdc"), "B": list("bcda")} for k in range(3)}
    >>> import betterthan as bt
    >>> ax = tau(bt.orders.tau_scores(documents, "ref"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B']
    """
    data = scores["tau"] if isinstance(scores, xr.Dataset) and "tau" in scores else scores
    row = DOCUMENT if DOCUMENT in getattr(data, "dims", ()) else names.ITEM
    if not isinstance(data, xr.DataArray) or set(data.dims) != {row, names.SYSTEM}:
        raise ValueError(
            "expected taus of documents by systems, as betterthan.orders.tau_scores returns them"
        )
    values = data.transpose(names.SYSTEM, row).values
    seen = ~np.isnan(values)
    mean = np.array(
        [v[s].mean() if s.any() else -np.inf for v, s in zip(values, seen, strict=True)]
    )
    order = np.argsort(-mean, kind="stable")
    # so that equal taus do not hide each other
    spread = np.random.default_rng(0).uniform(-0.28, 0.28, values.shape)
    with drawing.style():
        systems = drawing.labels([str(data[names.SYSTEM].values[k]) for k in order])
        wide = 0.075 * max(map(len, systems))
        ax = drawing.axes(ax, 4.6 + wide, 0.42 * len(order) + 1.2)
        for place, k in enumerate(order):
            ax.plot(
                values[k],
                place + spread[k],
                "o",
                color=drawing.COLOUR_A,
                markersize=3,
                alpha=0.45,
                markeredgewidth=0,
            )
            if seen[k].any():
                ax.plot([mean[k]] * 2, [place - 0.38, place + 0.38], color=drawing.INK, linewidth=2)
            place_at = {
                "xycoords": ax.get_yaxis_transform(),
                "textcoords": "offset points",
                "annotation_clip": False,
            }
            text = f"{mean[k]:+.2f} of {int(seen[k].sum())}" if seen[k].any() else "none"
            ax.annotate(text, (1, place), xytext=(6, 0), va="center", fontsize=8, **place_at)
        ax.axvline(0, color=drawing.FAINT, linewidth=0.8, zorder=0)
        ax.set_yticks(range(len(order)), systems, fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.set(xlim=(-1.05, 1.05), ylim=(len(order) - 0.5, -0.5), xlabel="Kendall's tau")
        return drawing.finish(
            ax,
            f"Tau of each of {data.sizes[row]} documents\nAt the right the mean, and of how many",
        )


def _crossings(ranks: np.ndarray) -> np.ndarray:
    """How many lines each item's line crosses, summed over neighbours, from ranks (system,
    item).
    """
    ahead = np.sign(ranks[:, :, None] - ranks[:, None, :])
    return (ahead[1:] * ahead[:-1] < 0).sum((0, 2))

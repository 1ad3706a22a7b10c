"""Plot rankings and their Kendall tau: chance, crossing lines, and documents."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.orders import chance
from betterthan.orders.ranked import DOCUMENT, Ranked, ranked_of
from betterthan.plot import drawing
from betterthan.plot.inputs import chosen, picked
from betterthan.results import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ITEMS_MAX = 60  # lines that can still be told apart
_LINE = 0.085  # height of a text, as a share of that of the bars


def tau_distribution(items: int, observed: Any = None, *, ax: "Axes | None" = None) -> "Axes":
    """Plot the distribution of Kendall's tau for random rankings, with observed values.

    Parameters
    ----------
    items : int
        Number of items, from 2 to 200.
    observed : float or mapping of str to float, optional
        Observed taus to mark; a mapping names them.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with the distribution.

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
    distribution = chance.tau_distribution(items)
    marked = _taus_to_mark(observed)
    with drawing.canvas(ax, 5.2, 3.2 + 0.1 * max(len(marked) - 4, 0)) as ax:
        x, y = distribution["tau"].values, distribution["probability"].values
        look: dict[str, Any] = {"color": drawing.TIE, "edgecolor": drawing.FAINT}
        ax.bar(x, y, width=0.9 * float(x[0] - x[1]), linewidth=0.4, **look)
        top = 1.1 + _LINE * max(len(marked), 2)  # room above the bars, a line of text for each tau
        ax.set_ylim(0, (top + 0.05) * float(y.max()))
        for place, (name, tau) in enumerate(marked.items()):
            high = (top - _LINE * place) * float(y.max())
            _mark_tau(ax, name, tau, float(y[x >= tau - 1e-9].sum()), high)
        ax.set(xlabel="Kendall's tau", ylabel="probability", xlim=(-1.05, 1.05))
        return drawing.finish(ax, f"Kendall's tau of random orders of {items} items")


def _taus_to_mark(observed: Any) -> dict[str, float]:
    """By what they are called in the figure, the outermost first: its text is the highest."""
    if observed is None:
        return {}
    taus_by_name = dict(observed) if isinstance(observed, Mapping) else {"": observed}
    for tau in taus_by_name.values():
        if not -1 <= checks.real(tau, "observed", "taus, numbers between -1 and 1") <= 1:
            raise ValueError(f"observed is {tau}; a tau lies between -1 and 1")
    labels = drawing.labels(list(map(str, taus_by_name)))
    named = zip(labels, map(float, taus_by_name.values()), strict=True)
    return dict(sorted(named, key=lambda named_tau: -abs(named_tau[1])))


def _mark_tau(ax: "Axes", name: str, tau: float, p: float, high: float) -> None:
    """A line at one tau and, from it towards 0, how probable it is to be at least as high."""
    ax.plot([tau, tau], [0, high], color=drawing.BETTER, linewidth=1.4)
    side, ha = (-4, "right") if tau > 0 else (4, "left")
    text = f"{name} {tau:.2f}, P(tau ≥) {numbers.equal_to(p)}".strip()
    look: dict[str, Any] = {"textcoords": "offset points", "ha": ha, "va": "top", "fontsize": 8}
    look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # over other lines
    ax.annotate(text, (tau, high), (side, 0), **look)


def orders(
    orders: Any, systems: Any = None, *, document: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Plot two or more rankings side by side; lines cross at inverted pairs.

    Parameters
    ----------
    orders : xarray.DataArray or mapping
        Rankings from `orders.read`, `orders.from_lists`, or `orders.from_ranks`, or lists.
    systems : list of str or mapping of str to str, optional
        Systems to draw, from left to right; a mapping renames them. Default: all.
    document : str, optional
        Document to draw, if there are several.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Lines that cross others between two neighbors are dark; the more crossings, the darker.

    Raises
    ------
    ValueError
        If there are fewer than two rankings, more than 60 items, no such system or document, or
        several documents and `document` is not passed.

    Examples
    --------
    >>> ax = orders({"reference": list("ABCD"), "system": list("BACD")})
    >>> len(ax.get_lines())
    4
    """
    ranked = ranked_of(orders)
    name = chosen(systems, ranked.systems)
    checks.at_least_two(list(name))
    ranks, items = _document_ranks(ranked.of(list(name)), document)
    # how many lines each item's crosses, summed over neighbours
    ahead = np.sign(ranks[:, :, None] - ranks[:, None, :])
    crossed = (ahead[1:] * ahead[:-1] < 0).sum((0, 2))
    last = len(name) - 1
    item_labels = drawing.labels(items)
    label_width = drawing.inches(item_labels)
    width = min(1.5 * len(name) + 2 * label_width, 12.0)
    with drawing.canvas(ax, width, 0.19 * len(items) + 1.3) as ax:
        colours = drawing.ramp()(0.25 + 0.65 * crossed / max(crossed.max(), 1))
        look: dict[str, Any] = {"linewidth": 1.3, "marker": "o", "markersize": 2.5}
        for k in np.argsort(crossed, kind="stable"):
            ax.plot(range(len(ranks)), ranks[:, k], color=colours[k], **look)
        _name_items(ax, item_labels, ranks[0], (0, -7), "right")
        _name_items(ax, item_labels, ranks[last], (last, 7), "left")
        _name_tops(ax, drawing.labels(list(name.values())))
        ax.set_xlim(-0.1 - label_width / 1.5, last + 0.1 + label_width / 1.5)
        ax.invert_yaxis()
        between = "their neighbours" if len(name) > 2 else "the two"
        inverted = int(crossed.sum() / 2)
        title = f"{len(items)} items; {inverted} pairs inverted between {between}"
        return drawing.finish(ax, title)


def _document_ranks(ranked: Ranked, document: str | None) -> tuple[np.ndarray, list[str]]:
    """Return ranks (system, item) of one document, for items in all rankings, and the names."""
    if document is None and len(ranked.documents) > 1:
        raise ValueError(
            f"orders are of {len(ranked.documents)} documents; say which one with document="
        )
    if document is not None and str(document) not in ranked.documents:
        raise ValueError(f"document is {checks.quoted(document)}; there is no such document")
    d = 0 if document is None else ranked.documents.index(str(document))
    common = ~np.isnan(ranked.ranks[d]).any(0)
    if not common.any():
        raise ValueError("the orders have no item in common")
    if common.sum() > _ITEMS_MAX:
        raise ValueError(
            f"there are {common.sum()} items; more than {_ITEMS_MAX} lines cannot be distinguished"
        )
    return ranked.ranks[d][:, common], [str(item) for item in ranked.items[d][common]]


def _name_tops(ax: "Axes", systems: list[str]) -> None:
    ax.set_xticks(range(len(systems)), systems, fontsize=8)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def _name_items(
    ax: "Axes", item_labels: list[str], ranks: np.ndarray, position: tuple[int, int], ha: str
) -> None:
    """Label the items of one column, tied ones together; `position` is column and distance."""
    column, offset = position
    look: dict[str, Any] = {"textcoords": "offset points", "va": "center", "ha": ha}
    for rank in np.unique(ranks):
        name = " = ".join(n for n, r in zip(item_labels, ranks, strict=True) if r == rank)
        ax.annotate(name, (column, rank), (offset, 0), fontsize=7.5, annotation_clip=False, **look)


def tau(
    scores: xr.DataArray | xr.Dataset, *, systems: Any = None, ax: "Axes | None" = None
) -> "Axes":
    """Plot Kendall's tau of every document, one row for each system, with means.

    Parameters
    ----------
    scores : xarray.DataArray or xarray.Dataset
        Result of `orders.tau_scores`, or of `orders.kendall_tau` against one reference.
    systems : list of str or mapping of str to str, optional
        Systems to draw, from the top; a mapping renames them. Default: all, from the highest mean
        down.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        A dot for each document, a bar at the mean, and on the right the number of documents.

    Raises
    ------
    ValueError
        If the data are not taus of documents by systems, or a system is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> lists = {"ref": list("abcd"), "A": list("abdc"), "B": list("bcda")}
    >>> ax = tau(bt.orders.tau_scores({f"d{k}": lists for k in range(3)}, "ref"))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B']
    """
    taus = _taus(scores)
    best = np.argsort(-taus.mean([taus.dims[1]]).fillna(-np.inf).values, kind="stable")
    taus = picked(taus, (names.SYSTEM,), systems, best)
    labels = drawing.labels(taus[names.SYSTEM].values.tolist())
    width = 4.6 + drawing.inches(labels)
    with drawing.canvas(ax, width, 0.42 * len(labels) + 1.2) as ax:
        _draw_taus(ax, taus.values)
        observed = [values[~np.isnan(values)] for values in taus.values]
        means = [f"{of.mean():+.2f} of {len(of)}" if len(of) else "none" for of in observed]
        drawing.write_at_right(ax, means)
        ax.set_yticks(range(len(labels)), labels, fontsize=8)
        ax.tick_params(axis="y", length=0)
        ax.set(xlim=(-1.05, 1.05), ylim=(len(labels) - 0.5, -0.5), xlabel="Kendall's tau")
        title = f"Tau of each of {taus.shape[1]} documents"
        return drawing.finish(ax, f"{title}\nAt the right the mean, and of how many")


def _taus(scores: Any) -> xr.DataArray:
    """Taus (system, document)."""
    data = scores["tau"] if isinstance(scores, xr.Dataset) and "tau" in scores else scores
    row = DOCUMENT if DOCUMENT in getattr(data, "dims", ()) else names.ITEM
    if not isinstance(data, xr.DataArray) or set(data.dims) != {row, names.SYSTEM}:
        raise ValueError(
            f"scores are a {type(scores).__name__}, not taus of documents by systems, as "
            "betterthan.orders.tau_scores returns them"
        )
    return data.transpose(names.SYSTEM, row)


def _draw_taus(ax: "Axes", taus: np.ndarray) -> None:
    """Draw a row of dots for each system, and a bar at the mean."""
    # so that equal taus do not hide each other
    spread = np.random.default_rng(0).uniform(-0.28, 0.28, taus.shape)
    dots: dict[str, Any] = {"color": drawing.BETTER, "markersize": 3, "markeredgewidth": 0}
    for row, values in enumerate(taus):
        ax.plot(values, row + spread[row], "o", alpha=0.45, **dots)
        if not np.isnan(values).all():
            mean, bar = float(np.nanmean(values)), [row - 0.38, row + 0.38]
            ax.plot([mean, mean], bar, color=drawing.INK, linewidth=2)
    ax.axvline(0, color=drawing.FAINT, linewidth=0.8, zorder=0)


def tau_bins(items: int, edges: Sequence[float] | int = 8, *, ax: "Axes | None" = None) -> "Axes":
    """Plot bins of Kendall's tau, with the proportion of all rankings in each.

    Parameters
    ----------
    items : int
        Number of items, from 2 to 200.
    edges : int or sequence of float, default 8
        Number of bins of equal width from -1 to 1, or their limits, rising; as in `people.bin_by`
        a tau on a limit belongs to the bin above it.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        A bar for each value of tau, shaded by bins in turn; above each bin its number, as in
        `people.bin_by`, and its proportion of all rankings.

    Raises
    ------
    ValueError
        If `items` is not a whole number from 2 to 200, or the edges do not rise.

    References
    ----------
    Lapata (2006), Computational Linguistics 32(4), Figure 2.

    Examples
    --------
    >>> ax = tau_bins(8)
    >>> len(ax.patches), ax.get_title(loc="left")
    (29, "8 bins of Kendall's tau of 8 items")
    """
    distribution = chance.tau_distribution(items)
    x, y = distribution["tau"].values, distribution["probability"].values
    place, limits = chance.tau_bins(x, edges)
    with drawing.canvas(ax, 5.6, 3.2) as ax:
        look: dict[str, Any] = {"edgecolor": drawing.INK, "linewidth": 0.4}
        shades = [drawing.RAMP[1 + k % 2] if k >= 0 else drawing.TIE for k in place]
        ax.bar(x, y, width=0.9 * float(x[0] - x[1]), color=shades, **look)
        ax.vlines(limits, 0, 1.05 * y.max(), colors=drawing.FAINT, linewidth=0.8, linestyle=":")
        for k, (low, high) in enumerate(pairwise(limits)):
            share = numbers.percent(float(y[place == k].sum()))
            words: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": drawing.SMALL}
            ax.text((low + high) / 2, 1.06 * y.max(), f"bin {k + 1}\n{share}%", **words)
        ax.set(xlabel="Kendall's tau", ylabel="probability", ylim=(0, 1.25 * float(y.max())))
        return drawing.finish(ax, f"{len(limits) - 1} bins of Kendall's tau of {items} items")

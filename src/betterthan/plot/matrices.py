"""The pairwise matrix as a heat map."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betterthan import names
from betterthan.plot import drawing, inputs
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_NUMBERS_MAX = 20  # systems up to which cells hold numbers
_NAMED_MAX = 40  # systems up to which columns are named; above, they carry the numbers of the rows
_PITCH = 7.2  # points from row to row that a label needs
_SHORT = 14  # characters of names where numbers have no room next to longer ones
_CELL = 0.235  # inches from cell to cell that a number needs


def matrix(
    data: Any, *, systems: Any = None, columns: int | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Plot a heat map of P(row better than column).

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        Result of `compare`, of which the first engine is drawn, with the joint result if there is
        one; probabilities (system_a, system_b) that system_a is better than system_b, with NaN for
        none, drawn hatched; scores or counts, from which `prob_better` is computed; or draws from
        `posterior.draws`, from the ``fit`` of a core model, or from `fits.adopt`. For other fits
        pass the result of `fits.compare`. The diagonal has no number.
    systems : list of str or mapping of str to str, optional
        Systems to show, in this order; a mapping renames them. Default: all, in the order of the
        table of a comparison, else by mean probability, best first.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches, and at most 9 inches high.
        Default: the width that the content needs, and the height that the names of all rows need.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Seven classes of color over the full range of 0 to 1; the threshold of a verdict bounds the
        outer two. Numbers are in percent, up to 20 systems, if cells are large enough, and bold if
        there is a verdict for one side; none if draws have not converged. If names do not fit above
        the columns, rows are numbered and columns carry these numbers.

    Raises
    ------
    ValueError
        If the data are none of these, draws are of another model, `systems` names an unknown
        system or one twice, or `columns` is not 1 or 2.

    Examples
    --------
    >>> import betterthan as bt
    >>> ax = bt.plot.matrix(bt.counts.from_table({("A", "B"): (3, 12, 6)}))
    >>> [text.get_text() for text in ax.texts]  # B is the better one and comes first
    ['99', '1']
    >>> ax.figure.savefig("matrix.png")  # doctest: +SKIP
    """
    prob = inputs.probabilities(data, systems)
    values, n = prob.values, prob.sizes[names.SYSTEM_A]
    provenance = Signature.from_attrs(prob.attrs)
    needed = provenance.threshold or names.VERDICT_PROB
    systems_drawn = prob[names.SYSTEM_A].values.tolist()
    labels = drawing.labels(systems_drawn)
    layout = _layout(n, labels, columns)
    if n <= _NUMBERS_MAX and not layout.has_numbers:
        labels = drawing.labels(systems_drawn, _SHORT)
        layout = _layout(n, labels, columns)
    with drawing.canvas(ax, layout.width, layout.height) as ax:
        _draw_cells(ax, values, needed)
        note = _name_few(ax, labels, layout) if n <= _NAMED_MAX else _name_many(ax, labels)
        if layout.has_numbers:
            certain = np.maximum(values, 1 - values) >= needed
            bold = prob["decided"].values if "decided" in prob.coords else certain
            _write_numbers(ax, values, bold, needed)
            note += f"In percent; bold: verdict (P ≥ {needed:g})"
            if provenance.failures:
                note = "In percent; no verdict: the draws have not converged"
        else:
            _color_bar(ax)
        joint = "From the joint model of all systems" if prob.attrs.get("joint") else ""
        draws = f", from {inputs.sampled(provenance)}" if provenance.draws else ""
        lines = (f"P(row better than column){draws}", joint, note)
        return drawing.finish(ax, "\n".join(filter(None, lines)))


class _Layout(NamedTuple):
    """Size in inches, and what the cells and the heads of the columns have room for."""

    width: float
    height: float
    has_numbers: bool
    has_names: bool  # above the columns, else the numbers of the rows


def _layout(n: int, labels: list[str], columns: int | None) -> _Layout:
    """The size of a figure of n systems: cells as small as their content allows."""
    names_left = drawing.inches(labels) + 0.3
    if n > _NAMED_MAX:
        width = drawing.width(columns, drawing.PAGE)
        tallest = 14.0 if columns is None else drawing.PAGE_HEIGHT
        return _Layout(width, min(n * _PITCH / 72 + 1.0, tallest), False, False)
    slanted = 0.8 * drawing.inches(labels)
    bar = 0.0 if n <= _NUMBERS_MAX else 0.8
    cell = 0.3 if n <= _NUMBERS_MAX else 0.11
    width = drawing.width(columns, n * cell + names_left + bar)
    free = width - names_left - bar
    has_names = n * cell + max(slanted - bar, 0) <= free
    cell = min((free - max(slanted - bar, 0) * has_names) / n, 0.42)
    has_numbers = n <= _NUMBERS_MAX and cell >= _CELL
    if n <= _NUMBERS_MAX and not has_numbers:
        cell = min((free - 0.8) / n, cell)
    height = n * cell + (slanted if has_names else 0.2) + 0.75
    return _Layout(width, height, has_numbers, has_names)


def _draw_cells(ax: "Axes", values: np.ndarray, threshold: float) -> None:
    colors, norm = drawing.classes(threshold)
    # shows through where NaN
    ax.patch.set(facecolor="white", edgecolor=drawing.FAINT, hatch="////")
    aspect = "equal" if len(values) <= _NAMED_MAX else "auto"
    colors = colors.with_extremes(bad=(0, 0, 0, 0))
    ax.imshow(values, cmap=colors, norm=norm, aspect=aspect, interpolation="nearest")
    ax.set_anchor("W")
    ax.spines[:].set_visible(False)
    if len(values) <= _NAMED_MAX:
        edges = np.arange(len(values) + 1) - 0.5
        ax.hlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)
        ax.vlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)


def _color_bar(ax: "Axes") -> None:
    figure: Any = ax.figure
    look: dict[str, Any] = {"shrink": 0.9, "aspect": 30, "pad": 0.02, "spacing": "uniform"}
    norm: Any = ax.images[-1].norm
    edges = norm.boundaries.tolist()
    bar = figure.colorbar(ax.images[-1], ax=ax, ticks=edges, **look)
    bar.ax.set_yticklabels([f"{edge:.3g}" for edge in edges])
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2)


def _name_few(ax: "Axes", systems: list[str], layout: _Layout) -> str:
    size = 7.5 if len(systems) <= _NUMBERS_MAX else drawing.SMALL
    places = np.arange(len(systems))
    rows, heads = systems, systems
    if not layout.has_names:
        rows = [f"{name}  {k + 1}" for k, name in enumerate(systems)]
        heads = [str(k + 1) for k in places]
    ax.set_yticks(places, rows, fontsize=size)
    drawing.name_columns(ax, heads, size)
    return "" if layout.has_names else "Columns have the numbers of the rows. "


def _name_many(ax: "Axes", systems: list[str]) -> str:
    """Number and name the rows, as many as there is room for; number the columns."""
    n = len(systems)
    every = max(int(np.ceil(_PITCH * 0.95 * n / drawing.size(ax)[1])), 1)
    rows = np.arange(0, n, every)
    ax.set_yticks(rows, [f"{systems[r]}  {r + 1}" for r in rows], fontsize=drawing.SMALL)
    step = 10 if drawing.size(ax)[0] * 10 / n > 14 else 10 * int(np.ceil(n / 60))
    columns = np.unique(np.r_[0, np.arange(step - 1, n, step)])
    ax.set_xticks(columns, [str(c + 1) for c in columns], fontsize=7.5)
    ax.tick_params(length=2, labeltop=True, labelbottom=True, top=True)
    left_out = "" if every == 1 else f"; one row in {every} is named"
    return f"{n} systems, numbered by row{left_out}"


def _write_numbers(ax: "Axes", values: np.ndarray, bold: np.ndarray, threshold: float) -> None:
    middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": drawing.SMALL}
    kinds = drawing.class_of(np.nan_to_num(values, nan=0.5), threshold)
    for i, j in np.ndindex(*values.shape):
        if i == j:
            continue
        p = float(values[i, j])
        look: dict[str, Any] = middle | {"color": "white" if kinds[i, j] in (0, 6) else drawing.INK}
        look["fontweight"] = "bold" if bold[i, j] else "normal"
        if np.isnan(p):
            look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(j, i, drawing.percent(p), **look)

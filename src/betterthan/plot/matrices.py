"""The pairwise matrix as a heat map, and as an SVG of many systems.

The matrix of many systems as a picture with names: made by hand, for the layout of hundreds of
labels takes a drawing library seconds.
"""

import base64
import struct
import zlib
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.plot import drawing, inputs
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_NUMBERS_MAX = 20  # systems up to which cells hold numbers
_NAMED_MAX = 40  # systems up to which columns are named; above, they carry the numbers of the rows
_PITCH = 7.2  # points from row to row that a label needs


def matrix(data: Any, *, systems: Any = None, ax: "Axes | None" = None) -> "Axes":
    """Heat map of P(row better than column).

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        From `compare`, of whose engines the first is drawn, the joint answer where there is one; or
        probabilities (system_a, system_b)
        that system_a is better than system_b, NaN where there is no answer, drawn hatched; or
        scores or counts, of which `prob_better` is taken; or draws from `posterior.draws`, from the
        ``fit`` of a core model or from `fits.adopt`. Other fits: give `fits.compare` of them. The
        diagonal is coloured but carries no number.
    systems : list of str or mapping of str to str, optional
        Systems to show, in this order; a mapping says what to call them. Default: all, by mean
        probability, best first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Numbers in the cells up to 20 systems, in percent, bold where there is a verdict for one
        side: none where draws have not converged. Above 40 systems rows are numbered and columns
        carry these numbers.

    Raises
    ------
    ValueError
        If the data are none of these, draws are of another model, or `systems` names an unknown
        system or one twice.

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
    with drawing.style():
        labels = drawing.labels(prob[names.SYSTEM_A].values.tolist())
        ax = drawing.axes(ax, *_inches(n, max(map(len, labels))))
        _draw_cells(ax, values)
        note = _name_few(ax, labels) if n <= _NAMED_MAX else _name_many(ax, labels)
        if n <= _NUMBERS_MAX:
            certain = np.maximum(values, 1 - values) >= needed
            bold = prob["decided"].values if "decided" in prob.coords else certain
            _write_numbers(ax, values, bold)
            note = f"In percent; bold where one side has at least {100 * needed:g}"
            if provenance.failures:
                note = "In percent; no verdict, as the draws have not converged"
        else:
            _colour_bar(ax)
        suffix = ", from the joint model of all systems" if prob.attrs.get("joint") else ""
        suffix += f", from {inputs.sampled(provenance)}" if provenance.draws else ""
        title = f"Probability that the row is better than the column{suffix}"
        return drawing.finish(ax, f"{title}\n{note}")


def _inches(n: int, longest: int) -> tuple[float, float]:
    """Width and height of a figure of n systems: cells as small as their content allows."""
    label = longest * 0.07
    if n > _NAMED_MAX:
        side = n * _PITCH / 72
        return min(side + label + 1.2, 14.0), min(side + 1.0, 14.0)
    side = n * (0.42 if n <= _NUMBERS_MAX else 0.2) + 1.4 / n  # two systems get larger cells
    slanted = 0.72 * label
    bar = 0.0 if n <= _NUMBERS_MAX else 0.9
    return max(side + label + max(slanted, bar) + 0.3, 4.6), side + slanted + 1.0


def _draw_cells(ax: "Axes", values: np.ndarray) -> None:
    ramp = drawing.ramp().with_extremes(bad=(0, 0, 0, 0))
    # shows through where NaN
    ax.patch.set(facecolor="white", edgecolor=drawing.FAINT, hatch="////")
    aspect = "equal" if len(values) <= _NAMED_MAX else "auto"
    ax.imshow(values, cmap=ramp, vmin=0, vmax=1, aspect=aspect, interpolation="nearest")
    ax.set_anchor("W")
    ax.spines[:].set_visible(False)
    if len(values) <= _NAMED_MAX:
        edges = np.arange(len(values) + 1) - 0.5
        ax.hlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)
        ax.vlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)


def _colour_bar(ax: "Axes") -> None:
    figure: Any = ax.figure
    look: dict[str, Any] = {"shrink": 0.9, "aspect": 30, "pad": 0.02}
    bar = figure.colorbar(ax.images[-1], ax=ax, ticks=[0, 0.25, 0.5, 0.75, 1], **look)
    bar.ax.set_yticklabels(["0", "0.25", "0.5", "0.75", "1"])
    bar.set_label("P(row better than column)")
    bar.outline.set_visible(False)


def _name_few(ax: "Axes", systems: list[str]) -> str:
    size = 8 if len(systems) <= _NUMBERS_MAX else drawing.SMALL
    ax.set_yticks(np.arange(len(systems)), systems, fontsize=size)
    drawing.name_columns(ax, systems, size)
    return "Darker: more probable"


def _name_many(ax: "Axes", systems: list[str]) -> str:
    """Number and name the rows, as many as there is room for; number the columns."""
    n = len(systems)
    every = max(int(np.ceil(_PITCH * 0.95 * n / drawing.size(ax)[1])), 1)
    rows = np.arange(0, n, every)
    ax.set_yticks(rows, [f"{systems[r]}  {r + 1}" for r in rows], fontsize=drawing.SMALL)
    columns = np.unique(np.r_[0, np.arange(9, n, 10)])
    ax.set_xticks(columns, [str(c + 1) for c in columns], fontsize=8)
    ax.tick_params(length=2, labeltop=True, labelbottom=True, top=True)
    left_out = "" if every == 1 else f"; one row in {every} is named"
    return f"{n} systems, numbered by row{left_out}. Darker: more probable"


def _write_numbers(ax: "Axes", values: np.ndarray, bold: np.ndarray) -> None:
    middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
    for i, j in np.ndindex(*values.shape):
        if i == j:
            continue
        p = float(values[i, j])
        look: dict[str, Any] = middle | {"color": "white" if p > 0.55 else drawing.INK}
        look["fontweight"] = "bold" if bold[i, j] else "normal"
        if np.isnan(p):
            look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(j, i, drawing.percent(p), **look)


_SVG_PITCH = 8  # units from row to row
_NAMES = 150  # units for the names at the left
_EVERY = 10  # columns of which one has its number
_LIGHT, _DARK = np.array([255.0, 255.0, 255.0]), np.array([31.0, 78.0, 121.0])
_BLANK = np.array([200.0, 200.0, 200.0])  # pairs that were never compared


def matrix_svg(comparison: xr.Dataset, caption: str) -> str:
    """P(row better than column) of every pair, systems as they stand, as SVG.

    Parameters
    ----------
    comparison : xarray.Dataset
        A comparison by one engine.
    caption : str
        What it shows, for those who do not see it.
    """
    n, is_compared = (
        comparison.sizes[names.SYSTEM_A],
        comparison["verdict"].transpose(*names.SQUARE) != "no_data",
    )
    p = comparison["prob_better"].transpose(*names.SQUARE).where(is_compared).values
    side, top = n * _SVG_PITCH, 2 * _SVG_PITCH
    place = f'x="{_NAMES}" y="{top}" width="{side}" height="{side}"'
    picture = f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" '
    picture += f'href="data:image/png;base64,{_png(_colours(p))}"/>'
    box = f'viewBox="0 0 {_NAMES + side + 8} {top + side + 4}" width="{_NAMES + side + 8}"'
    attributes = f'role="img" aria-label="{escape(caption)}" font-family="sans-serif" font-size="7"'
    labels = _names([str(s) for s in comparison[names.SYSTEM_A].values], top)
    return f"<svg {attributes} {box}>{picture}{labels}</svg>"


def _names(systems: list[str], top: int) -> str:
    """Every row with its name and number, and the numbers of some columns."""
    rows = [
        _text(_NAMES - 4, top + (k + 0.78) * _SVG_PITCH, f"{name}  {k + 1}", "end")
        for k, name in enumerate(drawing.labels(systems))
    ]
    marked = [0, *range(_EVERY - 1, len(systems), _EVERY)]
    columns = [
        _text(_NAMES + (k + 0.5) * _SVG_PITCH, top - 4, str(k + 1), "middle") for k in marked
    ]
    return "".join(rows + columns)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    printable_text = "".join(c if c.isprintable() else " " for c in text)
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(printable_text)}</text>'


def _colours(p: np.ndarray) -> np.ndarray:
    """From light to dark, (row, column, colour)."""
    share = np.nan_to_num(p)[..., None]
    shades = np.where(np.isnan(p)[..., None], _BLANK, _LIGHT + share * (_DARK - _LIGHT))
    return np.round(shades).astype(np.uint8)


def _png(colours: np.ndarray) -> str:
    """As a picture in base64 (ISO/IEC 15948): a header, the rows each after a filter byte of 0."""
    height, width, _ = colours.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), colours.reshape(height, -1)], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    encoded = (_chunk(name, data) for name, data in chunks)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(encoded)).decode()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

"""Shared parts of figures (style, axes, titles), and the figures of a comparison as files."""

import textwrap
from bisect import bisect_right
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import betterthan.plot as plot
from betterthan import checks, names
from betterthan.files import write_all
from betterthan.progress import with_bar
from betterthan.results import marks
from betterthan.results.comparison import Comparison
from betterthan.results.text import short_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BETTER, WORSE, EQUIVALENT, UNDECIDED = "#0b5cad", "#a8480a", "#0f6f66", "#5d6875"
INK, FAINT, GRID = "#15181c", "#828d9b", "#e9ecf0"
TIE, ROPE = "#eef0f2", "#e9e4f3"
# From improbable to probable, with the middle class around one half.
CLASSES = ("#a8480a", "#eda566", "#f9e1ca", "#eef0f2", "#d3e4f6", "#86b5e6", BETTER)
# One ramp from light to dark: what is darker is higher, in grayscale too.
RAMP = ("#f8fafc", "#d3e4f6", "#86b5e6", BETTER, "#06325f")
SMALL = 7.0  # points; no text is smaller
COLUMN, PAGE = 3.4, 7.0  # inches: widths of one column and of two columns of a paper
PAGE_HEIGHT = 9.0


class Look(NamedTuple):
    """Mark of a verdict, and its text in a legend, in which {:g} is the threshold."""

    marker: str
    color: str
    filled: bool
    label: str


LOOKS = {
    "better": Look("o", BETTER, True, "better (P ≥ {:g})"),
    "worse": Look("s", WORSE, True, "worse (P ≥ {:g})"),
    "equivalent": Look("D", EQUIVALENT, True, "practically equivalent (P ≥ {:g})"),
    "undecided": Look("o", UNDECIDED, False, "undecided"),
    "split": Look("^", UNDECIDED, False, "split: wins and means disagree"),
    "no_verdict": Look("v", UNDECIDED, False, "no verdict"),
    "no_data": Look("x", UNDECIDED, False, "no data: prior only"),
}

_STYLE: dict[Any, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "normal",
    "axes.labelsize": 8.0,
    "axes.edgecolor": INK,
    "axes.facecolor": "white",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.grid": False,
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "hatch.linewidth": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "text.color": INK,
    "text.parse_math": False,  # a name may hold $ or _
    "text.usetex": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": INK,
    "ytick.color": INK,
}
# Fonts that hold what the usual ones lack; used where they are installed.
_WIDE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Arial Unicode MS",
)
LEGEND: dict[str, Any] = {"borderaxespad": 0, "borderpad": 0.2, "handletextpad": 0.4}


@contextmanager
def canvas(ax: Any, width: float, height: float) -> Generator["Axes"]:
    """The style of the package, and in it the given axes, or those of a new figure (inches) of
    which pyplot knows nothing.
    """
    from matplotlib import rc_context
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({**_STYLE, "font.family": _families()}):
        if ax is None:
            figure: Any = Figure(figsize=(width, height), layout="constrained")
            FigureCanvasAgg(figure)  # it keeps the sizes of texts from one layout to the next
            # what a notebook asks for where no backend has said how figures are shown
            figure._repr_png_ = partial(_png, figure)
            ax = figure.add_subplot()
        checks.of_type(ax, Axes, "ax is", "matplotlib Axes, or None for a new figure")
        ax.spines[["top", "right"]].set_visible(False)
        yield ax


def width(columns: Any, needed: float) -> float:
    """Width in inches of one or two columns of a paper; without a choice the one that is needed."""
    if columns is None:
        return COLUMN if needed <= COLUMN else PAGE
    if isinstance(columns, bool) or not isinstance(columns, int) or columns not in (1, 2):
        raise ValueError(f"columns is {checks.quoted(columns)}; choose 1 or 2")
    return COLUMN if columns == 1 else PAGE


def _png(figure: Any) -> bytes:
    written = BytesIO()
    figure.savefig(written, format="png", dpi=144, metadata={"Software": None})
    return written.getvalue()


def ramp() -> Any:
    """The color map of the package."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("betterthan", RAMP)


def classes(threshold: float) -> tuple[Any, Any]:
    """Color map and norm of P(row better): seven classes over 0 to 1, of which the threshold of a
    verdict bounds the outer two.
    """
    from matplotlib.colors import BoundaryNorm, ListedColormap

    low, high = np.nextafter(1 - threshold, 1), threshold
    edges = [0.0, *sorted({low, *(edge for edge in marks.BOUNDS if low < edge < high), high}), 1.0]
    middles = np.array([(low + high) / 2 for low, high in pairwise(edges)])
    colors = [CLASSES[k] for k in class_of(middles, threshold)]
    return ListedColormap(colors), BoundaryNorm(edges, len(colors))


def class_of(p: np.ndarray, threshold: float) -> np.ndarray:
    """The class of each probability, from 0 to 6."""
    return marks.matrix_classes(p, (p <= 1 - threshold) | (p >= threshold))


def shade(ax: "Axes", shares: np.ndarray) -> None:
    """Cells from light to dark, 0 to 1."""
    ax.imshow(shares, cmap=ramp(), vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    ax.spines[:].set_visible(False)


def inches(labels: Sequence[str]) -> float:
    """Width that the longest of the labels needs."""
    return 0.065 * max(len(line) for label in labels for line in label.split("\n"))


def name_columns(ax: "Axes", labels: Sequence[str], size: float = 7.5) -> None:
    """Label the columns 0, 1, ... above the axes, slanted if the labels are long."""
    slanted: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    longest = max(map(len, labels))
    ax.set_xticks(np.arange(len(labels)), labels, fontsize=size, **(slanted if longest > 3 else {}))
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)


def size(ax: "Axes") -> tuple[float, float]:
    """Width and height of the axes in points, after layout."""
    figure: Any = ax.get_figure(root=True)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    ax.apply_aspect()
    box = ax.get_window_extent()
    return box.width * 72 / figure.dpi, box.height * 72 / figure.dpi


def finish(ax: "Axes", title: str) -> "Axes":
    """Set the title from the left edge of the figure, break it and the axis labels to their room,
    and draw all text as written.
    """
    from matplotlib.text import Text

    points, height = size(ax)
    _thin_ticks(ax, points)
    ax.set_title(_broken(title, _title_room(ax)[1], _STYLE["axes.titlesize"]), loc="left")
    ax.set_xlabel(_broken(ax.get_xlabel(), points, _STYLE["axes.labelsize"]))
    ax.set_ylabel(_broken(ax.get_ylabel(), height, _STYLE["axes.labelsize"]))
    for text in ax.findobj(Text):  # axes that were given may hold text made in another style
        text.set_parse_math(False)  # type: ignore[attr-defined]
        text.set_usetex(False)  # type: ignore[attr-defined]
    for _ in range(1 if ax.get_aspect() == "auto" else 2):  # a fixed aspect moves with the title
        size(ax)
        ax.set_title(ax.get_title(loc="left"), loc="left", x=_title_room(ax)[0])
    return ax


def _thin_ticks(ax: "Axes", points: float) -> None:
    """Fewer ticks where labels of numbers would touch on an axis of so many points."""
    from matplotlib.ticker import MaxNLocator

    if not isinstance(ax.xaxis.get_major_locator(), MaxNLocator):
        return
    labels = [text.get_text() for text in ax.get_xticklabels() if text.get_text()]
    widths = [_text_width(label, _STYLE["xtick.labelsize"]) for label in labels]
    room = max(widths, default=0.0) + _BETWEEN
    if len(labels) * room > points:
        ax.locator_params(axis="x", nbins=max(2, int(points / room)))


_BETWEEN = 6  # points between labels of ticks


def _title_room(ax: "Axes") -> tuple[float, float]:
    """Where a title starts, as a share of the axes, and the points that it may take."""
    figure: Any = ax.get_figure(root=True)
    box, scale = ax.get_window_extent(), 72 / figure.dpi
    is_only_axes = all(other is ax or other.get_label() == "<colorbar>" for other in figure.axes)
    if not is_only_axes:
        return 0.0, box.width * scale
    edge = 4 / scale
    return (edge - box.x0) / box.width, (figure.bbox.width - 2 * edge) * scale


def mark_verdicts(
    ax: "Axes", x: np.ndarray, place: np.ndarray, verdicts: Sequence[str], threshold: float
) -> None:
    """Draw the mark of its verdict at each of the rows, and label each kind of mark once."""
    kinds = np.array(verdicts)
    for verdict, (marker, color, filled, label) in LOOKS.items():
        selected = kinds == verdict
        if selected.any():
            look: dict[str, Any] = {"markersize": 4.5, "markeredgewidth": 1.1, "zorder": 3}
            look |= {"markeredgecolor": color, "markerfacecolor": color if filled else "white"}
            look["label"] = label.format(threshold)
            ax.plot(x[selected], place[selected], marker, **look)


def colors_of(verdicts: Sequence[str]) -> list[str]:
    """The color of each verdict."""
    return [LOOKS[verdict].color if verdict in LOOKS else INK for verdict in verdicts]


def labels(systems: Sequence[str], most: int = 24) -> list[str]:
    """Names short enough to draw, and still different from each other."""
    drawable = _characters(tuple(_families()))
    full_names = ["".join(_drawn(c, drawable) for c in str(system)) for system in systems]
    short = short_names(full_names, most)
    drawn = [short.get(name, name) for name in full_names]
    if len(set(drawn)) < len({*map(str, systems)}):  # names that differ only in what is not drawn
        return [f"{name} #{k + 1}" for k, name in enumerate(drawn)]
    return drawn


def short_label(system: str, systems: Iterable[str]) -> str:
    """The name of one system, as short as it may be next to the names of all."""
    return labels(list(dict.fromkeys([system, *systems])))[0]


def wrapped(label: str) -> str:
    """A label of a legend in lines that fit one column of a paper."""
    return textwrap.fill(label, 40, break_on_hyphens=False)


def plain_numbers(axis: Any) -> None:
    """Tick labels as plain numbers, without an offset or powers of ten."""
    from matplotlib.ticker import ScalarFormatter

    formatter = ScalarFormatter(useOffset=False, useMathText=False)
    formatter.set_scientific(False)
    axis.set_major_formatter(formatter)


def name_rows(
    ax: "Axes", left: Sequence[str], right: Sequence[str] = (), above: float = 1.1
) -> None:
    """Name the rows 0, 1, ... from the top, with so many rows left free above for a legend."""
    height = SMALL if len(left) > 40 else 7.5
    ax.set_yticks(np.arange(len(left)), left, fontsize=height)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(left) - 0.4, -0.5 - above)
    write_at_right(ax, right, height, 4)


def write_at_right(
    ax: "Axes", texts: Sequence[str], height: float = 7.5, offset: float = 6, first: float = 0
) -> None:
    """Write a text to the right of each row from the first, `offset` points from the axes."""
    place: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
    look: dict[str, Any] = {"va": "center", "fontsize": height, "annotation_clip": False}
    for row, text in enumerate(texts):
        ax.annotate(text, (1, first + row), (offset, 0), **place, **look)


def _broken(text: str, points: float, size: float) -> str:
    """Text in lines that are no wider than this, whatever the names in it; a long word stays."""
    most = 0.95 * points  # as hinting may widen it
    lines: list[str] = []
    for paragraph in text.split("\n"):
        words = paragraph.split() or [""]
        while words:
            starts = [" ".join(words[: k + 1]) for k in range(len(words))]
            fit = max(bisect_right(starts, most, key=lambda line: _text_width(line, size)), 1)
            lines.append(starts[fit - 1])
            words = words[fit:]
    return "\n".join(lines)


def _text_width(text: str, size: float) -> float:
    """Points that a line of text takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=_families(), size=size)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]


def _drawn(character: str, drawable: frozenset[int]) -> str:
    if character.isspace():
        return " "
    if ord(character) in drawable:
        return character
    return character.encode("unicode_escape").decode("ascii")


def _families() -> list[str]:
    import matplotlib
    from matplotlib import font_manager

    usual = matplotlib.rcParams["font.family"]
    installed = set(font_manager.get_font_names())
    return list(dict.fromkeys([*usual, *(f for f in _WIDE_FONTS if f in installed)]))


@cache
def _characters(families: tuple[str, ...]) -> frozenset[int]:
    """Code points that one of the fonts can draw; others would leave a box and a warning."""
    from matplotlib import font_manager

    paths = [font_manager.findfont(font_manager.FontProperties(family=[f])) for f in families]
    return frozenset().union(*(font_manager.get_font(path).get_charmap() for path in paths))


SUFFIXES = ("pdf", "svg", "png")
_DPI = 300
# no date and no random ids: the same answer gives the same file
_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_SUBJECTS = {"pdf": "Subject", "svg": "Description", "png": "Description"}


@dataclass(frozen=True)
class Drawn:
    """A figure, and up to how many systems it can be read."""

    name: str
    most: int = 1_000


# a figure more is a row more
FIGURES = (
    Drawn("leaderboard"),
    Drawn("matrix"),
    Drawn("differences"),
    Drawn("rope_curve"),
    Drawn("ranks"),
    Drawn("outcomes", 8),
    Drawn("densities", 2),
    Drawn("simplex", 2),
    Drawn("cliques"),
)


def write_figures(comparison: Comparison, folder: str | Path) -> tuple[list[Path], list[str]]:
    """Write every figure that suits a comparison into a folder, each as PDF, SVG and PNG.

    Parameters
    ----------
    comparison : Comparison
        From `compare`.
    folder : str or pathlib.Path
        Made where it is missing.

    Returns
    -------
    list of pathlib.Path
        What was written.
    list of str
        Which figures were left out, and why.

    Raises
    ------
    ValueError
        If the folder is a file, or cannot be written.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--figures {str(folder)!r} is a file; give a folder")
    written: dict[Path, str | bytes] = {}
    left_out = []
    for figure in with_bar(FIGURES, len(FIGURES), "figures"):
        why, files = _files(figure, comparison)
        written |= {folder / f"{figure.name}.{suffix}": data for suffix, data in files.items()}
        left_out += [f"{figure.name}: {why}"] if why else []
    folder.mkdir(parents=True, exist_ok=True)
    write_all(written)
    return list(written), left_out


def _files(figure: Drawn, comparison: Comparison) -> tuple[str, dict[str, bytes]]:
    """Why it is left out, or its files by suffix."""
    systems = comparison.data.sizes[names.SYSTEM_A]
    if systems > figure.most:
        return f"{systems} systems are too many to read", {}
    try:
        drawn = getattr(plot, figure.name)(comparison).figure
    except ValueError as error:  # it needs what this comparison does not have
        return str(error), {}
    data = f"data={comparison.data.attrs.get('data_hash')}"
    return "", {suffix: _saved(drawn, suffix, data) for suffix in SUFFIXES}


def _saved(figure: Any, suffix: str, data: str) -> bytes:
    """The figure as a file, whose metadata say which data it shows."""
    from matplotlib import rc_context

    buffer, metadata = BytesIO(), _METADATA[suffix] | {_SUBJECTS[suffix]: data}
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan", "pdf.fonttype": 42}):
        figure.savefig(buffer, format=suffix, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()

"""Shared parts of figures: style, axes, titles, and literal names.

Every colour differs from its neighbours in lightness too, so that a figure can be read in
greyscale.
"""

import math
import textwrap
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOUR_A, COLOUR_B, COLOUR_TIE = "#1f4e79", "#e39a3b", "#e2e2e2"
INK, FAINT = "#222222", "#8a8a8a"
# One ramp from light to dark: what is darker is higher, in greyscale too.
RAMP = ("#f8fafc", "#d3e0ec", "#94b6d3", "#4f81ae", "#1f4e79", "#0b2440")
SMALL = 7.0  # points; no text is smaller

_STYLE: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "normal",
    "axes.labelsize": 9.0,
    "axes.edgecolor": INK,
    "axes.facecolor": "white",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.grid": False,
    "axes.unicode_minus": True,
    "figure.facecolor": "white",
    "hatch.linewidth": 0.7,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "text.color": INK,
    "text.parse_math": False,  # a name may hold $ or _
    "text.usetex": False,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
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
_LENGTHS = (24, 36, 48)


@contextmanager
def style() -> Generator[None]:
    """The style of the package's figures, for as long as the context lasts."""
    import matplotlib

    with matplotlib.rc_context({**_STYLE, "font.family": _families()}):
        yield


def axes(ax: Any, width: float, height: float) -> "Axes":
    """The axes given, or those of a new figure (inches) of which pyplot knows nothing."""
    from matplotlib.figure import Figure

    if ax is None:
        figure: Any = Figure(figsize=(width, height), layout="constrained")
        # what a notebook asks for where no backend has said how figures are shown
        figure._repr_png_ = partial(_png, figure)
        ax = figure.add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _png(figure: Any) -> bytes:
    written = BytesIO()
    figure.savefig(written, format="png", bbox_inches="tight", metadata={"Software": None})
    return written.getvalue()


def ramp() -> Any:
    """The colour map of the package."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("betterthan", RAMP)


def shade(ax: "Axes", shares: np.ndarray) -> None:
    """Cells from light to dark, 0 to 1."""
    look: dict[str, Any] = {"aspect": "auto", "interpolation": "nearest"}
    ax.imshow(shares, cmap=ramp(), vmin=0, vmax=1, **look)
    ax.spines[:].set_visible(False)


def inches(labels: Sequence[str]) -> float:
    """Width that the longest of the labels needs."""
    return 0.075 * max(map(len, labels))


def name_columns(ax: "Axes", labels: Sequence[str], size: float = 8) -> None:
    """Label the columns 0, 1, ... above the axes, slanted if the labels are long."""
    slanted: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    longest = max(map(len, labels))
    ax.set_xticks(np.arange(len(labels)), labels, fontsize=size, **(slanted if longest > 3 else {}))
    ax.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)


def size(ax: "Axes") -> tuple[float, float, float]:
    """Width and height of the axes in points, after layout, and the width that a title may take."""
    figure: Any = ax.get_figure(root=True)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    ax.apply_aspect()
    box = ax.get_window_extent()
    is_only_axes = all(other is ax or other.get_label() == "<colorbar>" for other in figure.axes)
    right = figure.bbox.width if is_only_axes else box.x1
    width, height, title = (x * 72 / figure.dpi for x in (box.width, box.height, right - box.x0))
    return width, height, title


def finish(ax: "Axes", title: str) -> "Axes":
    """Set the title, break it and the label of x to the room, and take all text as written."""
    from matplotlib.text import Text

    width, _, room = size(ax)
    ax.set_title(_broken(title, room, _STYLE["axes.titlesize"]), loc="left")
    ax.set_xlabel(_broken(ax.get_xlabel(), width, _STYLE["axes.labelsize"]))
    for text in ax.findobj(Text):  # axes that were given may hold text made in another style
        text.set_parse_math(False)  # type: ignore[attr-defined]
        text.set_usetex(False)  # type: ignore[attr-defined]
    if ax.get_aspect() != "auto":
        size(ax)  # a fixed aspect needs a second round of layout
    return ax


def labels(systems: Sequence[str], lengths: Sequence[int] = _LENGTHS) -> list[str]:
    """Names short enough to draw, and still different from each other."""
    drawable = _characters(tuple(_families()))
    full_names = ["".join(_drawn(c, drawable) for c in str(system)) for system in systems]
    for length in lengths:
        short = [elide(name, length) for name in full_names]
        if len(set(short)) == len(short):
            return short
    return [f"{elide(name, lengths[0])} #{k + 1}" for k, name in enumerate(full_names)]


def elide(name: str, length: int) -> str:
    """At most `length` characters of a name: its beginning and its end, where it is longer."""
    if len(name) <= length:
        return name
    tail = (length - 1) // 2
    return f"{name[: length - 1 - tail]}…{name[len(name) - tail :]}"


def probability(p: float) -> str:
    """A probability behind its sign, in three digits that never round to 0 or 1."""
    if p < 0.0005:
        return "< 0.001"
    return "> 0.999" if p >= 0.9995 else f"= {p:.3f}"


def percent(p: float) -> str:
    """A probability in whole percent that never rounds to 0 or 100."""
    if math.isnan(p):
        return "–"
    if p < 0.005:
        return "<1"
    return ">99" if p >= 0.995 else f"{100 * p:.0f}"


def plain_numbers(axis: Any) -> None:
    """Tick labels as plain numbers, without an offset or powers of ten."""
    from matplotlib.ticker import ScalarFormatter

    formatter = ScalarFormatter(useOffset=False, useMathText=False)
    formatter.set_scientific(False)
    axis.set_major_formatter(formatter)


def name_rows(ax: "Axes", left: Sequence[str], right: Sequence[str] = ()) -> None:
    """Name the rows 0, 1, ... from the top, with one row's height left free above for a legend."""
    height = SMALL if len(left) > 60 else 8
    ax.set_yticks(np.arange(len(left)), left, fontsize=height)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(left) - 0.4, -1.6)
    write_at_right(ax, right, height, 4)


def write_at_right(ax: "Axes", texts: Sequence[str], height: float = 8, offset: float = 6) -> None:
    """Write a text beside each of the rows 0, 1, ..., `offset` points from the end of the axes."""
    place: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points"}
    look: dict[str, Any] = {"va": "center", "fontsize": height, "annotation_clip": False}
    for row, text in enumerate(texts):
        ax.annotate(text, (1, row), (offset, 0), **place, **look)


def _broken(text: str, points: float, size: float) -> str:
    """Text in lines that are no wider than this, whatever the names in it."""
    characters = max(int(points / (0.56 * size)), 28)
    return "\n".join(
        textwrap.fill(line, characters, break_on_hyphens=False) for line in text.split("\n")
    )


def _drawn(character: str, drawable: frozenset[int]) -> str:
    if character.isspace():
        return " "
    return (
        character
        if ord(character) in drawable
        else character.encode("unicode_escape").decode("ascii")
    )


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

"""Bars of wins, ties and losses."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan.plot import drawing, inputs
from betterthan.plot.systems import called, check_system

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS_MAX = 40
_FACES: dict[str, dict[str, Any]] = {
    "win": {"facecolor": drawing.COLOUR_A, "edgecolor": "white"},
    "tie": {"facecolor": drawing.COLOUR_TIE, "edgecolor": "white"},
    "loss": {
        "facecolor": drawing.COLOUR_B,
        "edgecolor": "#9a5f12",
        "hatch": "////",
        "linewidth": 0,
    },
}
_UNITS = {"item": "items", "judgment": "judgments"}


def outcomes(
    data: Any, *, systems: Any = None, baseline: str | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Bars of wins, ties and losses, one for each pair or for each system against a baseline.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`; or counts (system_a, system_b, outcome) or (pair, outcome); or scores, which
        are counted. Where ties are unknown, wins and losses alone are drawn.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them.
    baseline : str, optional
        Draw only the pairs with this system, told from the side of the other one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        A bar starts with the wins of the system named at its left and ends with those of the other.
        Without a baseline the left one is the one that wins more often. Sorted by (wins - losses) /
        examples.

    Raises
    ------
    ValueError
        If the data are none of these, a system is unknown, or there are more than 40 bars.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> ax = bt.plot.outcomes(counts)
    >>> [int(bar.get_width()) for bar in ax.patches]  # win, tie, loss
    [12, 986, 2]
    """
    pairs = inputs.pairs(data, systems)
    baseline = None if baseline is None else called(baseline, systems)
    left, right, values = _oriented(pairs, baseline)
    _refuse_too_many(left, "give systems=" if baseline else "give baseline= or systems=")
    ties = values.shape[1] == 3
    systems_drawn = list(dict.fromkeys([*left, *right]))
    with drawing.style():
        ax = drawing.axes(ax, 8.0, 0.95 + 0.27 * (len(left) + 1))
        _draw_bars(ax, values)
        name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
        others = [] if baseline else [name[s] for s in right]
        drawing.name_rows(ax, [name[s] for s in left], others)
        ax.set_xlabel(_axis_label(pairs, ties))
        _legend(ax, ties, "the baseline" if baseline else "the system at the right")
        subject = "Wins, ties and losses" if ties else "Wins and losses"
        against = f"against {name[baseline]}" if baseline else "of each pair"
        drawing.finish(
            ax, f"{subject} {against}"
        )  # before the numbers, which need the room there is
        _write_numbers(ax, values)
        return ax


def _oriented(pairs: xr.DataArray, baseline: str | None) -> tuple[list[str], list[str], np.ndarray]:
    """Order pairs by net share of wins, each from the side of its left system."""
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(pairs))
    values, exchanged = pairs.values, inputs.exchanged(pairs).values
    rows, flip = np.arange(len(a)), values[:, 1] > values[:, 0]
    if baseline is not None:
        check_system(baseline, [*a, *b], "baseline")
        rows, flip = np.flatnonzero((a == baseline) | (b == baseline)), a == baseline
    values = np.where(flip[:, None], exchanged, values)
    net = (values[:, 0] - values[:, 1]) / np.maximum(values.sum(1), 1)
    rows = rows[np.argsort(-net[rows], kind="stable")]
    left, right = np.where(flip, b, a), np.where(flip, a, b)
    return left[rows].tolist(), right[rows].tolist(), values[rows]


def _refuse_too_many(bars: list[str], advice: str) -> None:
    if len(bars) > _BARS_MAX:
        raise ValueError(f"{len(bars)} pairs are too many bars (at most {_BARS_MAX}); {advice}")


def _axis_label(pairs: xr.DataArray, ties: bool) -> str:
    unit = _UNITS.get(str(pairs.attrs.get("unit")), "examples")
    return f"number of {unit}" if ties else f"number of {unit} that are not ties ({_absent(pairs)})"


def _absent(pairs: xr.DataArray) -> str:
    return (
        "ties are unknown"
        if pairs.attrs.get("ties", "unknown") == "unknown"
        else "ties were resolved or left out"
    )


def _segments(values: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Name, start and width of the parts of every bar, from left to right."""
    win, loss = values[:, 0], values[:, 1]
    if values.shape[1] == 2:
        return [("win", np.zeros_like(win), win), ("loss", win, loss)]
    tie = values[:, 2]
    return [("win", np.zeros_like(win), win), ("tie", win, tie), ("loss", win + tie, loss)]


def _draw_bars(ax: "Axes", values: np.ndarray) -> None:
    for outcome, start, width in _segments(values):
        ax.barh(np.arange(len(values)), width, left=start, height=0.74, **_FACES[outcome])
    ax.set_xlim(0, max(int(values.sum(1).max()), 1))
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)


def _legend(ax: "Axes", ties: bool, other: str) -> None:
    from matplotlib.patches import Patch

    labels = {"win": "wins of the system at the left", "tie": "ties", "loss": f"wins of {other}"}
    drawn = [o for o in labels if ties or o != "tie"]
    handles = [Patch(label=labels[o], **_FACES[o]) for o in drawn]
    tight: dict[str, Any] = {"borderaxespad": 0, "borderpad": 0.2, "columnspacing": 1.4}
    ax.legend(handles=handles, loc="upper left", ncols=3, **tight)


def _write_numbers(ax: "Axes", values: np.ndarray) -> None:
    """Write every number in its part of the bar, or in the ties beside it, where it fits."""
    points = drawing.size(ax)[0] / ax.get_xlim()[1]
    for row, counts in enumerate(values):
        win, loss, tie = (int(c) for c in (*counts, 0)[:3])
        _write_row(ax, row, win, loss, tie, points)


def _write_row(ax: "Axes", row: int, win: int, loss: int, tie: int, points: float) -> None:
    need = {c: (len(str(c)) * 0.64 * 8 + 5) / points for c in (win, loss, tie)}
    free = tie - need[tie]  # room that the number of ties leaves, half of it on each side
    total = win + loss + tie
    if win >= need[win]:
        _number(ax, win / 2, row, win, "win")
    elif win and need[win] <= free / 2:
        _number(ax, win + need[win] / 2, row, win, "tie")
    if loss >= need[loss]:
        _number(ax, total - loss / 2, row, loss, "loss")
    elif loss and need[loss] <= free / 2:
        _number(ax, total - loss - need[loss] / 2, row, loss, "tie")
    if tie >= need[tie]:
        _number(ax, win + tie / 2, row, tie, "tie")


def _number(ax: "Axes", x: float, row: int, number: int, on: str) -> None:
    colour = "white" if on == "win" else drawing.INK
    box = {"facecolor": drawing.COLOUR_B, "edgecolor": "none", "pad": 1} if on == "loss" else None
    ax.text(x, row, str(number), ha="center", va="center", fontsize=8, color=colour, bbox=box)

"""The simplex of win, loss and tie."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact import beta
from betterthan.plots import drawing, inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MASSES = (0.95, 0.80, 0.50)
_SHADES = ("#c9d8e6", "#7ea6c8", drawing.COLOUR_A)
_LATTICE = 160  # points along an edge
_TAIL = 2e-4  # posterior mass that may lie beyond an edge of the window
_ROOT3 = 3.0**0.5


class _Window(NamedTuple):
    """The part of the simplex that is drawn."""

    low: np.ndarray  # win, loss and tie are at least this
    side: float  # what remains of 1
    step: float  # from grid line to grid line

    def corners(self) -> np.ndarray:
        """Win, loss, tie at the corners of loss, win and tie."""
        return self.low + self.side * np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])


_WHOLE = _Window(np.zeros(3), 1.0, 0.2)


def plot_simplex(
    counts: xr.DataArray,
    *,
    systems: Any = None,
    prior: Any = None,
    rope: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Posterior of (win, loss, tie) of one pair, as regions of highest density in a triangle.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome)
        With ties.
    systems : pair of str, optional
        The pair to show, told from the side of the first. Needed where counts hold more than one.
    prior : str or sequence of float, optional
        Dirichlet parameters of win, loss and tie, or a name: see `betterthan.names.PRIORS`.
    rope : float, optional
        Half width of a band to shade around win = loss.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        The exact Dirichlet density, no draws. x is the difference win - loss, y is the tie probability
        times the root of 3. Where the posterior is narrow, the part of the simplex that holds it is
        drawn, and a small triangle shows where that part lies.

    Raises
    ------
    ValueError
        If the counts, the prior or the rope are not valid, ties are unknown, or the pair is not in the counts.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts_from_table({("A", "B"): (9, 4, 7)})
    >>> ax = bt.plot_simplex(counts, rope=0.1)
    >>> ax.get_title(loc="left").splitlines()[0]
    'Posterior of win, loss and tie, A against B'
    """
    a, b, pair = inputs.one_pair(counts, systems)
    _need_ties(pair)
    half = checks.rope(names.ROPE if rope is None else rope)
    alpha = pair.values + np.array(checks.prior(prior))
    window = _window(alpha)
    with drawing.style():
        ax = drawing.axes(ax, 6.4, 5.6)
        first, second = drawing.labels([a, b])
        _frame(ax, window)
        _regions(ax, alpha, window)
        _middle(ax, window, half)
        _corner_names(ax, window, first, second)
        if window.side < 1:
            _locate(ax, window)
        better = drawing.probability(float(beta.prob_above_half(alpha[0], alpha[1])))
        title = f"Posterior of win, loss and tie, {first} against {second}\nP({first} better) = {better}"
        return drawing.finish(ax, title)


def _need_ties(pair: xr.DataArray) -> None:
    if pair.size == 2:
        # left out is as good as unknown here
        checks.ties_known(pair.assign_attrs(ties="unknown"), "the simplex")


def _plane(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where (win, loss, tie) lies: x is the difference win - loss, so that win = loss is upright."""
    return theta[..., 0] - theta[..., 1], theta[..., 2] * _ROOT3


def _window(alpha: np.ndarray) -> _Window:
    """The smallest window with round edges that holds the posterior, or all where it is wide."""
    least = special.betaincinv(alpha, alpha.sum() - alpha, _TAIL)
    side = 1 - least.sum()
    if side > 0.6:
        return _WHOLE
    power = 10.0 ** np.floor(np.log10(side / 3))
    step = next(s for s in (5 * power, 2 * power, power) if s <= side / 3)
    low = np.floor(least / step) * step
    return _Window(low, float(1 - low.sum()), float(step))


def _lattice(window: _Window) -> np.ndarray:
    """Points spread evenly over the window, as (win, loss, tie)."""
    i, j = (k.ravel() for k in np.meshgrid(np.arange(_LATTICE + 1), np.arange(_LATTICE + 1)))
    keep = i + j <= _LATTICE
    share = np.stack([i, j, _LATTICE - i - j], axis=-1)[keep] / _LATTICE
    return window.low + window.side * share


def _regions(ax: "Axes", alpha: np.ndarray, window: _Window) -> None:
    from matplotlib.patches import Patch, Polygon

    theta = _lattice(window)
    # half a step inside, where the density is finite for any prior
    log_density = (special.xlogy(alpha - 1, np.maximum(theta, 0.25 * window.side / _LATTICE))).sum(-1)
    log_density = np.maximum(log_density - log_density.max(), -60.0)
    handles = [Patch(facecolor=c, label=f"{100 * m:.0f} %") for m, c in zip(_MASSES, _SHADES, strict=True)]
    if log_density.min() > -1e-9:  # flat: no region is denser than another
        corners = np.stack(_plane(window.corners()), axis=-1)
        ax.add_patch(Polygon(corners, closed=True, facecolor=_SHADES[0], zorder=1))
        handles = [Patch(facecolor=_SHADES[0], label="all alike")]
    else:
        levels = [*_levels(log_density), 0.01]
        ax.tricontourf(*_plane(theta), log_density, levels=levels, colors=_SHADES, zorder=1)
        ax.tricontour(*_plane(theta), log_density, levels=levels[:-1], colors=drawing.INK, linewidths=0.6, zorder=2)
    title = "highest density"
    ax.legend(handles=handles, loc="upper right", title=title, title_fontsize=8, alignment="left")


def _levels(log_density: np.ndarray) -> list[float]:
    """Log densities that enclose the masses, lowest first and all different."""
    ranked = np.sort(log_density)[::-1]
    mass = np.exp(ranked).cumsum()
    levels = [float(ranked[min(np.searchsorted(mass, m * mass[-1]), ranked.size - 1)]) for m in _MASSES]
    return [level - 1e-7 * (len(levels) - k) for k, level in enumerate(levels)]


def _frame(ax: "Axes", window: _Window) -> None:
    from matplotlib.patches import Polygon

    x, y = _plane(window.corners())
    ax.add_patch(Polygon(np.stack([x, y], axis=-1), closed=True, fill=False, edgecolor=drawing.INK, zorder=4))
    ax.set_aspect("equal")
    ax.set_axis_off()
    side = window.side
    ax.set_xlim(x[0] - 0.22 * side, x[1] + 0.22 * side)
    ax.set_ylim(y[0] - 0.28 * side, y[2] + 0.16 * side)
    lines = int(round(side / window.step))
    for outcome in range(3):
        for k in range(lines + 1):
            _grid_line(ax, window, outcome, k, lines)


# Corner where each outcome's numbers begin on the edge that carries them, and where the line goes, as the
# outcome that fills what is left: win below, tie at the right, loss at the left.
_RUNS = ((1, 2, (0, -9)), (2, 0, (-14, 2)), (0, 1, (14, 2)))


def _grid_line(ax: "Axes", window: _Window, outcome: int, k: int, lines: int) -> None:
    """The line of one value of one outcome, its number where it leaves the triangle."""
    start, end, offset = _RUNS[outcome]
    value = window.low[outcome] + k * window.step
    ends = np.tile(window.low, (2, 1))
    ends[:, outcome] = value
    ends[[0, 1], [start, end]] += window.side - k * window.step
    x, y = _plane(ends)
    if 0 < k < lines:
        ax.plot(x, y, color=drawing.FAINT, linewidth=0.5, alpha=0.6, zorder=0)
        digits = max(-int(np.floor(np.log10(window.step) + 1e-9)), 0)
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7.5, "color": drawing.INK}
        ax.annotate(f"{value:.{digits}f}", (x[0], y[0]), xytext=offset, textcoords="offset points", **look)


def _middle(ax: "Axes", window: _Window, rope: float) -> None:
    """The line win = loss and the band around it, cut to the window."""
    from matplotlib.patches import Polygon

    x, y = _plane(window.corners())
    clip = Polygon(np.stack([x, y], axis=-1), closed=True, transform=ax.transData)
    if rope:
        band = ax.axvspan(-rope, rope, facecolor=drawing.COLOUR_B, alpha=0.35, hatch="...", edgecolor="white", zorder=3)
        band.set_clip_path(clip)
    line = ax.axvline(0, color=drawing.INK, linewidth=1.4, linestyle="--", zorder=5)
    line.set_clip_path(clip)


def _corner_names(ax: "Axes", window: _Window, first: str, second: str) -> None:
    x, y = _plane(window.corners())
    whole = window.side == 1
    told = (
        f"{second} wins every example" if whole else f"more wins of {second}",
        f"{first} wins every example" if whole else f"more wins of {first}",
        "every example is a tie" if whole else "more ties",
    )
    for k, (text, va, down) in enumerate(zip(told, ("top", "top", "bottom"), (-22, -22, 5), strict=True)):
        place: dict[str, Any] = {"xytext": (0, down), "textcoords": "offset points", "annotation_clip": False}
        ax.annotate(text, (x[k], y[k]), ha="center", va=va, fontsize=8, **place)


def _locate(ax: "Axes", window: _Window) -> None:
    """A small whole simplex with the window marked."""
    from matplotlib.patches import Polygon

    small = ax.inset_axes((0.0, 0.78, 0.2, 0.2))
    whole = np.stack(_plane(_WHOLE.corners()), axis=-1)
    part = np.stack(_plane(window.corners()), axis=-1)
    small.add_patch(Polygon(whole, closed=True, fill=False, edgecolor=drawing.FAINT))
    small.add_patch(Polygon(part, closed=True, color=drawing.INK))
    small.plot(*part.mean(0), "o", color=drawing.INK, markersize=3)
    small.set(xlim=(-1.1, 1.1), ylim=(-0.1, _ROOT3 + 0.1), aspect="equal")
    small.set_axis_off()
    small.set_title("part shown", fontsize=drawing.SMALL, pad=1)

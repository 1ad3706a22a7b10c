"""Plot the simplex of win, loss and tie."""

import textwrap
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.exact.wins import beta
from betterthan.plot import curves, drawing, inputs
from betterthan.posterior import sampled
from betterthan.results import numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MASSES = (0.95, 0.80, 0.50)
_SHADES = (drawing.RAMP[1], drawing.RAMP[2], drawing.BETTER)
_LATTICE = 150  # points along an edge
_POINTS = 2000  # draws that are shown at most
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

    def outline(self, **look: Any) -> Any:
        """Its edge, as a patch."""
        from matplotlib.patches import Polygon

        return Polygon(np.stack(_plane(self.corners()), axis=-1), closed=True, **look)


_FULL_WINDOW = _Window(np.zeros(3), 1.0, 0.2)


class _Posterior(NamedTuple):
    """What is drawn of (win, loss, tie), from counts or from draws."""

    least: np.ndarray  # all but a trace of the mass is above it
    better: float
    rope: float
    fill: Callable[["Axes", _Window], list[Any]]  # draws it; what a legend shows of it
    sampled: str = ""
    of_joint: bool = False  # one pair of a joint comparison


def simplex(
    data: Any,
    *,
    systems: Any = None,
    prior: Any = None,
    rope: float | None = None,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the posterior of (win, loss, tie) of one pair in a triangle.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        Result of `compare`; counts (system_a, system_b, outcome) or (pair, outcome); scores, which
        are counted; or draws of theta from `posterior.draws`, from the ``fit`` of a core model, or
        from `fits.adopt`. Ties must be known.
    systems : pair of str or mapping of two, optional
        Pair to show, from the side of the first; a mapping renames them. Needed if data hold more
        than one pair.
    prior : str or sequence of float, optional
        Dirichlet parameters of win, loss, and tie, or a name in `betterthan.names.PRIORS`. Default:
        that of the comparison, else all ones. Draws have their own prior.
    rope : float, optional
        Half-width of a band to shade around win = loss. Default: that of the comparison, else none.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: 2.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        For counts, regions of highest density of the exact Dirichlet posterior. For draws, points,
        at most 2,000 of them, evenly thinned, and P(A better) as the proportion of all draws. x is
        the difference win - loss, y is the tie probability times the root of 3. If the posterior is
        narrow, only the part of the simplex around it is drawn, and a small triangle shows where
        that part lies.

    Raises
    ------
    ValueError
        If the data, the prior, or the ROPE are not valid, ties are unknown, the pair is not in the
        data, or draws are of another model or without theta.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (9, 4, 7)})
    >>> ax = bt.plot.simplex(counts, rope=0.1)
    >>> ax.get_title(loc="left").splitlines()[0]
    'Posterior of win, loss and tie, A against B'
    """
    read_posterior = _drawn_posterior if isinstance(data, xr.DataTree) else _closed_posterior
    a, b, posterior = read_posterior(data, systems, prior, rope)
    window = _window(posterior.least)
    first, second = drawing.labels([a, b])
    width = drawing.width(columns, drawing.PAGE)
    narrow = width == drawing.COLUMN
    with drawing.canvas(ax, width, 4.5 if narrow else 5.2) as ax:
        _frame(ax, window)
        handles = [*posterior.fill(ax, window), *_middle(ax, window, posterior.rope)]
        place: dict[str, Any] = {"loc": "upper right"}
        if narrow:  # under the triangle
            place = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2), "ncols": 2}
        ax.legend(handles=handles, **place, **drawing.LEGEND)
        sides = drawing.labels([a, b], 14) if narrow else [first, second]
        _name_sides(ax, window, *sides, under=-46 if narrow else -28)
        if window.side < 1:
            _locate(ax, window)
        title = f"Posterior of win, loss and tie, {first} against {second}"
        title += f"\n{inputs.PAIRWISE}" if posterior.of_joint else ""
        better = f"P({first} better) {numbers.equal_to(posterior.better)}"
        how = f", from {posterior.sampled}" if posterior.sampled else ""
        return drawing.finish(ax, f"{title}\n{better}{how}")


def _closed_posterior(
    data: Any, systems: Any, prior: Any, rope: float | None
) -> tuple[str, str, _Posterior]:
    a, b, pair = inputs.one_pair(data, systems)
    if pair.size == 2:
        # left out is as good as unknown here
        schemas.ties_known(pair.assign_attrs(ties="unknown"), "the simplex")
    half, alpha = inputs.effective_rope(pair, rope), inputs.posterior(pair, prior)
    least = special.betaincinv(alpha, alpha.sum() - alpha, _TAIL)
    better = float(beta.prob_above_half(alpha[0], alpha[1]))
    joint = bool(pair.attrs.get("joint"))
    return a, b, _Posterior(least, better, half, partial(_regions, alpha), of_joint=joint)


def _drawn_posterior(
    tree: xr.DataTree, systems: Any, prior: Any, rope: float | None
) -> tuple[str, str, _Posterior]:
    sampled.refuse_choices(prior)
    half = checks.rope(names.ROPE if rope is None else rope)
    a, b, draws = inputs.pair_draws(tree, systems)
    if "theta" not in draws:
        model = tree["posterior"].attrs["model"]
        raise ValueError(
            f"the simplex needs theta, which the draws of {model} do not hold; use plot.densities"
        )
    theta = draws["theta"]
    better, _, _ = curves.shares(theta[:, 0] - theta[:, 1])
    least = np.quantile(theta, _TAIL, axis=0)
    fill = partial(_scattered, theta)
    return a, b, _Posterior(least, better, half, fill, f"{len(theta):,} draws")


def _plane(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where (win, loss, tie) lies: x is win - loss, so that win = loss is upright."""
    return theta[..., 0] - theta[..., 1], theta[..., 2] * _ROOT3


def _window(least: np.ndarray) -> _Window:
    """The smallest window with round edges that holds the posterior, or all where it is wide."""
    side = 1 - least.sum()
    if side > 0.6:
        return _FULL_WINDOW
    power = 10.0 ** np.floor(np.log10(side / 3))
    step = next(s for s in (5 * power, 2 * power, power) if s <= side / 3)
    low = np.floor(least / step) * step
    return _Window(low, float(1 - low.sum()), float(step))


@cache
def _lattice() -> tuple[np.ndarray, np.ndarray]:
    """Points (win, loss, tie) spread evenly over the simplex, and the triangles between them."""
    from matplotlib.tri import Triangulation

    i, j = (k.ravel() for k in np.meshgrid(np.arange(_LATTICE + 1), np.arange(_LATTICE + 1)))
    share = np.stack([i, j, _LATTICE - i - j], axis=-1)[i + j <= _LATTICE] / _LATTICE
    return share, Triangulation(*_plane(share)).triangles


def _regions(alpha: np.ndarray, ax: "Axes", window: _Window) -> list[Any]:
    """Fill the regions of highest density; return the legend entries."""
    from matplotlib.patches import Patch
    from matplotlib.tri import Triangulation

    share, triangles = _lattice()
    theta = window.low + window.side * share
    # not quite on the edge, where the density may be infinite
    inside = np.maximum(theta, 0.25 * window.side / _LATTICE)
    log_density = special.xlogy(alpha - 1, inside).sum(-1)
    log_density = np.maximum(log_density - log_density.max(), -60.0)
    if log_density.min() > -1e-9:  # no region is denser than another
        ax.add_patch(window.outline(facecolor=_SHADES[0], zorder=1))
        return [Patch(facecolor=_SHADES[0], label="the same density everywhere")]
    levels = [*_levels(log_density, np.bincount(triangles.ravel())), 0.01]
    mesh = Triangulation(*_plane(theta), triangles)
    ax.tricontourf(mesh, log_density, levels=levels, colors=_SHADES, zorder=1)
    edge: dict[str, Any] = {"colors": drawing.INK, "linewidths": 0.6, "linestyles": "solid"}
    ax.tricontour(mesh, log_density, levels=levels[:-1], zorder=2, **edge)
    regions = zip(_MASSES, _SHADES, strict=True)
    return [Patch(facecolor=shade, label=f"densest {100 * mass:.0f}%") for mass, shade in regions]


def _scattered(theta: np.ndarray, ax: "Axes", window: _Window) -> list[Any]:
    """Draw points, evenly thinned if there are many."""
    from matplotlib.lines import Line2D

    points_drawn = theta
    if len(theta) > _POINTS:
        points_drawn = theta[np.linspace(0, len(theta) - 1, _POINTS).round().astype(int)]
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markeredgewidth": 0}
    look["color"] = drawing.BETTER
    points = ax.plot(*_plane(points_drawn), markersize=2.2, alpha=0.3, zorder=1, **look)[0]
    points.set_clip_path(window.outline(transform=ax.transData))
    few = f"{len(points_drawn):,} of the " if len(points_drawn) < len(theta) else ""
    return [Line2D([], [], markersize=4, label=f"{few}{len(theta):,} draws", **look)]


def _levels(log_density: np.ndarray, weight: np.ndarray) -> list[float]:
    """Log densities that enclose the masses, lowest first and all different; points at an edge have
    a smaller `weight`.
    """
    order = np.argsort(-log_density, kind="stable")
    ranked = log_density[order]
    mass = (np.exp(ranked) * weight[order]).cumsum()
    places = (np.searchsorted(mass, m * mass[-1]) for m in _MASSES)
    levels = [float(ranked[min(k, ranked.size - 1)]) for k in places]
    return [level - 1e-7 * (len(levels) - k) for k, level in enumerate(levels)]


def _frame(ax: "Axes", window: _Window) -> None:
    x, y = _plane(window.corners())
    ax.add_patch(window.outline(fill=False, edgecolor=drawing.INK, zorder=4))
    ax.set_aspect("equal")
    ax.set_axis_off()
    side = window.side
    ax.set_xlim(x[0] - 0.25 * side, x[1] + 0.25 * side)
    ax.set_ylim(y[0] - 0.2 * side, y[2] + 0.16 * side)
    lines = int(round(side / window.step))
    for outcome in range(3):
        for k in range(1, lines):
            _grid_line(ax, window, outcome, k)


# For win, loss and tie: what fills the rest where a line of one value begins (below, at the left,
# at the right), what fills it where the line ends, and how its number is set at the beginning.
_RUNS: tuple[tuple[int, int, dict[str, Any]], ...] = (
    (1, 2, {"ha": "center", "va": "top"}),
    (2, 0, {"ha": "right", "va": "bottom"}),
    (0, 1, {"ha": "left", "va": "center"}),
)


def _grid_line(ax: "Axes", window: _Window, outcome: int, k: int) -> None:
    """Draw the line of one value of an outcome, past the edge at its number."""
    start, end, where = _RUNS[outcome]
    value, length = window.low[outcome] + k * window.step, window.side - k * window.step
    line_ends = np.tile(window.low, (2, 1))
    line_ends[:, outcome] = value
    line_ends[[0, 1], [start, end]] += length
    x, y = _plane(line_ends)
    overhang = 0.02 * window.side / length
    x[0], y[0] = x[0] + overhang * (x[0] - x[1]), y[0] + overhang * (y[0] - y[1])
    ax.plot(x, y, color=drawing.FAINT, linewidth=0.5, zorder=0)
    digits = max(-int(np.floor(np.log10(window.step) + 1e-9)), 0)
    ax.annotate(f"{value:.{digits}f}", (x[0], y[0]), fontsize=7.5, **where)


def _middle(ax: "Axes", window: _Window, rope: float) -> list[Any]:
    """Draw the line win = loss and the ROPE around it, cut to the window."""
    clip = window.outline(transform=ax.transData)
    line: dict[str, Any] = {"linewidth": 1.4, "zorder": 5}
    even = ax.axvline(0, color=drawing.INK, linestyle="--", label="win = loss", **line)
    drawn: list[Any] = [even]
    edges = []
    if rope:
        look: dict[str, Any] = {"facecolor": drawing.ROPE, "edgecolor": drawing.EQUIVALENT}
        look |= {"linewidth": 1.4, "zorder": 0.5, "label": f"|win − loss| ≤ {rope:g}"}
        drawn.append(ax.axvspan(-rope, rope, **look))
        # over the regions, which hide the band
        edges = [ax.axvline(edge, color=drawing.EQUIVALENT, **line) for edge in (-rope, rope)]
    for artist in (*drawn, *edges):
        artist.set_clip_path(clip)
    return drawn


# The corners that an edge joins, how its scale is turned, and how far (points) it stands outside.
_EDGES = ((0, 1, 0, (0, -28)), (0, 2, 60, (-34, 20)), (1, 2, -60, (34, 20)))


def _name_sides(ax: "Axes", window: _Window, first: str, second: str, under: float) -> None:
    """Name the corners and, along the edges, the scales."""
    if window.side == 1:
        wins, ties = "{} wins\nevery item", "every item is a tie"
    else:
        wins, ties = "more wins of\n{}", "more ties"
    x, y = _plane(window.corners())
    _name_corner(ax, wins.format(second), (x[0], y[0]), top=False)
    _name_corner(ax, wins.format(first), (x[1], y[1]), top=False)
    _name_corner(ax, ties, (x[2], y[2]), top=True)
    scales = f"P({first} wins) →", f"← P({second} wins)", "← P(tie)"
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center"}
    for text, (i, j, angle, offset) in zip(scales, _EDGES, strict=True):
        offset = offset if angle else (0, under)
        middle = ((x[i] + x[j]) / 2, (y[i] + y[j]) / 2)
        ax.annotate(text, middle, offset, rotation=angle, fontsize=7.5, **look)


def _name_corner(ax: "Axes", text: str, corner: tuple[float, float], *, top: bool) -> None:
    """Above the corner at the top, below the others."""
    lines = "\n".join(textwrap.fill(line, 24) for line in text.split("\n"))
    offset, va = ((0, 5), "bottom") if top else ((0, -14), "top")
    ax.annotate(lines, corner, offset, fontsize=7.5, textcoords="offset points", ha="center", va=va)


def _locate(ax: "Axes", window: _Window) -> None:
    """Draw a small simplex with the window marked."""
    small = ax.inset_axes((-0.02, 0.78, 0.17, 0.17))
    small.add_patch(_FULL_WINDOW.outline(fill=False, edgecolor=drawing.FAINT))
    small.add_patch(window.outline(color=drawing.INK))
    middle = (part.mean() for part in _plane(window.corners()))
    small.plot(*middle, "o", color=drawing.INK, markersize=3)
    small.set(xlim=(-1.1, 1.1), ylim=(-0.1, _ROOT3 + 0.1), aspect="equal")
    small.set_axis_off()
    small.set_title("part shown", fontsize=drawing.SMALL, pad=1)

"""Posterior densities of one pair."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betterthan import checks, names
from betterthan.plot import drawing, shapes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = ("outcomes", "decisive", "difference")
_LOOKS = ((drawing.COLOUR_A, "-", "\\\\\\"), (drawing.COLOUR_B, "--", "///"))  # of A and of B


def densities(
    data: Any,
    *,
    systems: Any = None,
    prior: Any = None,
    show: str = "outcomes",
    rope: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Posterior density of one pair of systems.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        From `compare`; or counts (system_a, system_b, outcome) or (pair, outcome); or scores, which
        are counted; or draws from `posterior.draws`, from the ``fit`` of a core model or from
        `fits.adopt`, which are drawn by a kernel.
    systems : pair of str or mapping of two, optional
        The pair to show, told from the side of the first; a mapping says what to call them. Needed
        where data hold more than one.
    prior : str or sequence of float, optional
        Parameters of win, loss and tie, or a name: see `betterthan.names.PRIORS`; for
        ``show="outcomes"`` of success and failure. Default: that of the comparison (not for
        "outcomes"), else all ones. Not for draws, which have their own.
    show : {"outcomes", "decisive", "difference"}, default "outcomes"
        ``outcomes``: the probability that A wins an example, beside the probability that B does,
        each as a Beta of its own (an approximation: together they cannot exceed 1). ``decisive``:
        p, the probability that A wins an example that is not a tie; its mass above 1/2 is P(A
        better). ``difference``: d = P(A wins) - P(B wins). Draws without ties have p alone, draws
        of ``models.independent_betas`` do not have it.
    rope : float, optional
        Half width of the region of practical equivalence, for ``show="difference"``. Default: that
        of the comparison, else none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Of draws, masses are shares of draws, and the title says how many there are.

    Raises
    ------
    ValueError
        If the data, the prior, `show` or the rope are not valid, the pair is not in the data, ties
        are unknown and `show` is not ``"decisive"``, a rope is given for another kind than the
        difference, or draws are of another model or do not hold what `show` needs.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.densities(counts, show="decisive")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['P(A better) = 0.996', 'P(B better) = 0.004']
    """
    checks.one_of(show, _KINDS, "show")
    if (rope or names.ROPE) and show != "difference":
        raise ValueError(f"rope is {rope}, but show={show!r} has no rope; use show='difference'")
    a, b, source, half = shapes.pair_densities(data, systems, prior, show, rope)
    with drawing.style():
        ax = drawing.axes(ax, 6.0, 3.6)
        both = _Named(*drawing.labels([a, b]))
        if show == "outcomes":
            title = _outcomes(ax, source.outcomes(), both)
        elif show == "decisive":
            title = _decisive(ax, source.decisive(), both)
        else:
            title = _difference(ax, source.difference(half), half, both, source.per_example)
        _frame(ax)
        how = f"\nKernel density of {source.sampled}" if source.sampled else ""
        return drawing.finish(ax, title + how)


class _Named(NamedTuple):
    """What the two systems are called in the figure."""

    first: str
    second: str


def _outcomes(ax: "Axes", won: shapes.Won, both: _Named) -> str:
    for y, text, name, look in zip(won.densities, won.texts, both, _LOOKS, strict=True):
        colour, line, hatch = look
        _shade(ax, won.x, y, colour, hatch)
        ax.plot(won.x, y, color=colour, linestyle=line, linewidth=1.8, label=f"by {name}: {text}")
    ax.legend(loc="upper left", title="examples won", alignment="left", title_fontsize=8)
    ax.set_xlabel("probability of winning an example")
    first, second = both
    return f"Posterior probabilities that {first} wins an example and that {second} does"


def _decisive(ax: "Axes", sides: shapes.Sides, both: _Named) -> str:
    _two_sides(ax, sides, 0.5, both)
    ax.set_xlabel(f"p = probability that {both.first} wins an example that is not a tie")
    return f"Posterior of the discordant examples, {both.first} against {both.second}"


def _difference(
    ax: "Axes", sides: shapes.Sides, rope: float, pair_names: _Named, per_example: bool
) -> str:
    if rope:
        _shade_rope(ax, rope, sides)
    _two_sides(ax, sides, 0.0, pair_names, rope)
    first, second = pair_names
    definition = f" = P({first} wins) − P({second} wins), per example" if per_example else ""
    ax.set_xlabel(f"difference d{definition or f', above 0 where {first} is better'}")
    return f"Posterior of the difference, {first} against {second}"


def _shade_rope(ax: "Axes", rope: float, sides: shapes.Sides) -> None:
    look: dict[str, Any] = {"color": drawing.COLOUR_TIE, "linewidth": 0, "zorder": 0}
    inside = f"P(|d| ≤ {rope:g}) {drawing.probability(sides.within)}"
    ax.fill_between([-rope, rope], 0, 1.04 * np.nanmax(sides.density), label=inside, **look)


def _two_sides(
    ax: "Axes", sides: shapes.Sides, middle: float, pair_names: _Named, rope: float = 0.0
) -> None:
    """Draw a density, shade both sides of the middle, and label their probabilities."""
    x, y = sides.x, sides.density
    beyond = f" by more than {rope:g}" if rope else ""
    where = ((x >= middle + rope, sides.above), (x <= middle - rope, sides.below))
    for (side, mass), name, (colour, _, hatch) in zip(where, pair_names, _LOOKS, strict=True):
        label = f"P({name} better{beyond}) {drawing.probability(mass)}"
        _shade(ax, x, np.where(side, y, np.nan), colour, hatch, label)
    ax.plot(x, y, color=drawing.INK, linewidth=1.6)
    ax.vlines(middle, 0, 1.04 * np.nanmax(y), colors=drawing.INK, linewidth=1.0, linestyle=":")
    ax.legend(loc="upper left")


def _shade(
    ax: "Axes", x: np.ndarray, y: np.ndarray, colour: str, hatch: str, label: str | None = None
) -> None:
    look: dict[str, Any] = {
        "facecolor": (colour, 0.35),
        "edgecolor": colour,
        "hatch": hatch,
        "linewidth": 0,
    }
    ax.fill_between(x, 0, y, label=label, **look)


def _frame(ax: "Axes") -> None:
    """Room above the curves for the legend; the height of a density needs no numbers."""
    curves = [np.asarray(line.get_ydata(), dtype=float) for line in ax.lines]
    legend: Any = ax.get_legend()
    entries = len(legend.get_texts()) + bool(legend.get_title().get_text())
    ax.margins(x=0)
    top = max(float(np.nanmax(y)) for y in curves if y.size == shapes.POINTS)
    ax.set_ylim(0, top * (1.08 + 0.09 * entries))
    ax.set_yticks([])
    ax.set_ylabel("density")
    drawing.plain_numbers(ax.xaxis)

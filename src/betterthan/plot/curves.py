"""Posterior densities of one pair."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.exact.wins import beta, dirichlet
from betterthan.plot import drawing, inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KINDS = ("outcomes", "decisive", "difference")
_POINTS = 401
_TAIL = 1e-5  # mass that may lie outside of the figure, on either side


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
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`; or counts (system_a, system_b, outcome) or (pair, outcome); or scores, which
        are counted.
    systems : pair of str or mapping of two, optional
        The pair to show, told from the side of the first; a mapping says what to call them. Needed
        where data hold more than one.
    prior : str or sequence of float, optional
        Parameters of win, loss and tie, or a name: see `betterthan.names.PRIORS`; for
        ``show="outcomes"`` of success and failure. Default: that of the comparison (not for
        "outcomes"), else all ones.
    show : {"outcomes", "decisive", "difference"}, default "outcomes"
        ``outcomes``: the probability that A wins an example, beside the probability that B does,
        each as a Beta of its own (an approximation: together they cannot exceed 1). ``decisive``:
        p, the probability that A wins an example that is not a tie; its mass above 1/2 is P(A
        better). ``difference``: d = P(A wins) - P(B wins).
    rope : float, optional
        Half width of the region of practical equivalence, for ``show="difference"``. Default: that
        of the comparison, else none.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the data, the prior, `show` or the rope are not valid, the pair is not in the data, ties
        are unknown and `show` is not ``"decisive"``, or a rope is given for another kind than the
        difference.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.densities(counts, show="decisive")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['P(A better) = 0.996', 'P(B better) = 0.004']
    """
    checks.one_of(show, _KINDS, "show")
    if checks.rope(rope or names.ROPE) and show != "difference":
        raise ValueError(f"rope is {rope}, but show={show!r} has no rope; use show='difference'")
    a, b, pair = inputs.one_pair(data, systems)
    _refuse_unknown_ties(pair, show)
    with drawing.style():
        ax = drawing.axes(ax, 6.0, 3.6)
        both = _Named(*drawing.labels([a, b]))
        if show == "outcomes":
            title = _outcomes(ax, pair, _success_prior(prior), both)
        elif show == "decisive":
            title = _decisive(ax, inputs.posterior(pair, prior), both)
        else:
            half = inputs.rope_of(pair, rope)
            title = _difference(ax, inputs.posterior(pair, prior), half, both)
        _frame(ax)
        return drawing.finish(ax, title)


class _Named(NamedTuple):
    """What the two systems are called in the figure."""

    first: str
    second: str


def _refuse_unknown_ties(pair: xr.DataArray, show: str) -> None:
    if show == "decisive":
        return
    # a sum over wins and losses alone is not the number of examples
    asked = pair.assign_attrs(ties="unknown") if show == "outcomes" else pair
    schemas.ties_known(asked, f"show={show!r}")


def _success_prior(prior: Any) -> tuple[float, ...]:
    """Two numbers: three, of win, loss and tie, would mean something else."""
    if not (prior is None or isinstance(prior, str)) and len(tuple(prior)) != 2:
        raise ValueError(
            f"prior has {len(tuple(prior))} numbers; show='outcomes' takes two numbers, of success "
            "and failure"
        )
    return checks.prior(prior, 2)


def _outcomes(ax: "Axes", pair: xr.DataArray, prior: tuple[float, ...], both: _Named) -> str:
    n = int(pair.sum())
    wins = [int(v) for v in pair.values[:2]]
    shapes = [(prior[0] + k, prior[1] + n - k) for k in wins]
    x = _grid(*_span(shapes), 0.0)
    looks = ((drawing.COLOUR_A, "-", "\\\\\\"), (drawing.COLOUR_B, "--", "///"))
    for (s, f), k, name, look in zip(shapes, wins, both, looks, strict=True):
        colour, line, hatch = look
        y = _beta_density(s, f, x)
        _shade(ax, x, y, colour, hatch)
        ax.plot(x, y, color=colour, linestyle=line, linewidth=1.8, label=f"by {name}: {k} of {n}")
    ax.legend(loc="upper left", title="examples won", alignment="left", title_fontsize=8)
    ax.set_xlabel("probability of winning an example")
    first, second = both
    return f"Posterior probabilities that {first} wins an example and that {second} does"


def _decisive(ax: "Axes", alpha: np.ndarray, both: _Named) -> str:
    a, b = alpha[0], alpha[1]
    low, high = _span([(a, b)])
    x = _grid(min(low, 0.5), max(high, 0.5), 0.0)
    masses = float(beta.prob_above_half(a, b)), float(beta.prob_above_half(b, a))
    _two_sides(ax, x, _beta_density(a, b, x), 0.5, _better(both, masses))
    ax.set_xlabel(f"p = probability that {both.first} wins an example that is not a tie")
    return f"Posterior of the discordant examples, {both.first} against {both.second}"


def _difference(ax: "Axes", alpha: np.ndarray, rope: float, both: _Named) -> str:
    a, b, t = (np.asarray(v) for v in (*alpha, 0.0)[:3])  # without ties d = 2 p - 1
    edge = np.asarray(rope)
    mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
    x = _around(float(mean), float(sd), rope)
    y = dirichlet.density(a, b, t, x)
    above, below = dirichlet.prob_above(a, b, t, edge), dirichlet.prob_below(a, b, t, -edge)
    if rope:
        _shade_rope(ax, rope, float(dirichlet.prob_within(a, b, t, edge)), y)
    told = _better(both, (float(above), float(below)), f" by more than {rope:g}" if rope else "")
    _two_sides(ax, x, np.where(np.isfinite(y), y, np.nan), 0.0, told, rope)
    ax.set_xlabel(f"difference d = P({both.first} wins) − P({both.second} wins), per example")
    return f"Posterior of the difference, {both.first} against {both.second}"


def _shade_rope(ax: "Axes", rope: float, mass: float, y: np.ndarray) -> None:
    top = 1.04 * np.max(y[np.isfinite(y)])
    look: dict[str, Any] = {"color": drawing.COLOUR_TIE, "linewidth": 0, "zorder": 0}
    inside = f"P(|d| ≤ {rope:g}) {drawing.probability(mass)}"
    ax.fill_between([-rope, rope], 0, top, label=inside, **look)


def _around(mean: float, sd: float, rope: float) -> np.ndarray:
    """Points within five standard deviations of the mean, and past both ends of the rope."""
    low, high = max(mean - 5 * sd, -1.0), min(mean + 5 * sd, 1.0)
    return _grid(min(low, -1.3 * rope, 0.0), max(high, 1.3 * rope, 0.0), -1.0)


def _better(both: _Named, masses: tuple[float, float], beyond: str = "") -> list[str]:
    pairs = zip(both, masses, strict=True)
    return [f"P({name} better{beyond}) {drawing.probability(mass)}" for name, mass in pairs]


def _two_sides(
    ax: "Axes", x: np.ndarray, y: np.ndarray, middle: float, told: list[str], edge: float = 0.0
) -> None:
    """Draw a density, shade its mass on either side of the middle, and say how much it is."""
    _shade(ax, x, np.where(x >= middle + edge, y, np.nan), drawing.COLOUR_A, "\\\\\\", told[0])
    _shade(ax, x, np.where(x <= middle - edge, y, np.nan), drawing.COLOUR_B, "///", told[1])
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
    top = max(float(np.nanmax(y)) for y in curves if y.size == _POINTS)
    ax.set_ylim(0, top * (1.08 + 0.09 * entries))
    ax.set_yticks([])
    ax.set_ylabel("density")
    drawing.plain_numbers(ax.xaxis)


def _span(shapes: list[tuple[float, float]]) -> tuple[float, float]:
    """Where all but a trace of the mass of the Betas lies."""
    low = min(float(special.betaincinv(a, b, _TAIL)) for a, b in shapes)
    high = max(float(special.betainccinv(a, b, _TAIL)) for a, b in shapes)
    return low, high


def _grid(low: float, high: float, least: float) -> np.ndarray:
    """Points from a little below `low` to a little above `high`, between `least` and 1."""
    pad = 0.04 * (high - low)
    low, high = max(low - pad, least), min(high + pad, 1.0)
    step = (high - low) / _POINTS
    # at the very ends it may be infinite
    return np.linspace(max(low, least + step), min(high, 1 - step), _POINTS)


def _beta_density(a: float, b: float, x: np.ndarray) -> np.ndarray:
    """Density of Beta(a, b)."""
    return np.exp(beta.log_density_of_log_odds(np.asarray(a), np.asarray(b), special.logit(x))) / (
        x * (1 - x)
    )

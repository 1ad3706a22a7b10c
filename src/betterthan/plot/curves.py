"""Densities and probabilities of one pair, in closed form or from draws, and their figure."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.exact.wins import beta, dirichlet
from betterthan.plot import drawing, inputs
from betterthan.posterior import sampled
from betterthan.posterior.sampled import checked_rope, in_other_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes


POINTS = 401
_TAIL = 1e-5  # mass that may lie outside of the figure, on either side
# of each figure, the variable it takes and what that is
_NEEDED = {
    "outcomes": ("p_win", "the probabilities of a win and of a loss"),
    "decisive": ("p", "p or theta"),
    "difference": ("difference", "the difference"),
}


class Won(NamedTuple):
    """Densities of the probabilities that A wins and that B wins, and a text of each."""

    x: np.ndarray
    densities: tuple[np.ndarray, np.ndarray]
    texts: tuple[str, str]


class Sides(NamedTuple):
    """A density, and its masses above, below and within the rope around the middle."""

    x: np.ndarray
    density: np.ndarray
    above: float
    below: float
    within: float = 0.0


class Source(Protocol):
    """One pair, from the side of the first."""

    sampled: str  # in words, of how many draws; empty in closed form
    per_example: bool  # whether the difference is P(A wins) - P(B wins)
    of_joint: bool  # whether it is one pair of a joint comparison

    def outcomes(self) -> Won:
        """Of an example: that A wins it, and that B does."""
        ...

    def decisive(self) -> Sides:
        """Of an example that is not a tie: that A wins it."""
        ...

    def difference(self, rope: float) -> Sides:
        """The first of the two less the second."""
        ...


class Closed:
    """Densities from counts (outcome) and a prior."""

    sampled = ""
    per_example = True

    def __init__(self, pair: xr.DataArray, prior: Any, show: str) -> None:
        if show != "decisive":
            # a sum over wins and losses alone is not the number of examples
            pair_checked = pair.assign_attrs(ties="unknown") if show == "outcomes" else pair
            schemas.ties_known(pair_checked, f"show={show!r}")
        self._pair, self._prior = pair, prior
        self.of_joint = bool(pair.attrs.get("joint"))

    def outcomes(self) -> Won:
        """Each as a Beta of its own."""
        success, failure = _success_prior(self._prior)
        n = int(self._pair.sum())
        wins, losses = (int(v) for v in self._pair.values[:2])
        shapes = [(success + k, failure + n - k) for k in (wins, losses)]
        x = _grid(*_span(shapes), 0.0)
        first, second = (_beta_density(s, f, x) for s, f in shapes)
        return Won(x, (first, second), (f"{wins} of {n}", f"{losses} of {n}"))

    def decisive(self) -> Sides:
        """A Beta."""
        a, b = inputs.posterior(self._pair, self._prior)[:2]
        low, high = _span([(a, b)])
        x = _grid(min(low, 0.5), max(high, 0.5), 0.0)
        above, below = float(beta.prob_above_half(a, b)), float(beta.prob_above_half(b, a))
        return Sides(x, _beta_density(a, b, x), above, below)

    def difference(self, rope: float) -> Sides:
        """Of a Dirichlet; without ties d = 2 p - 1."""
        alpha = inputs.posterior(self._pair, self._prior)
        a, b, t = (np.asarray(v) for v in (*alpha, 0.0)[:3])
        edge = np.asarray(rope)
        mean, sd = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
        # five standard deviations on either side
        low, high = max(float(mean - 5 * sd), -1.0), min(float(mean + 5 * sd), 1.0)
        x = _grid(*_past_rope(low, high, rope), -1.0)
        y = dirichlet.density(a, b, t, x)
        return Sides(
            x,
            np.where(np.isfinite(y), y, np.nan),
            float(dirichlet.prob_above(a, b, t, edge)),
            float(dirichlet.prob_below(a, b, t, -edge)),
            float(dirichlet.prob_within(a, b, t, edge)) if rope else 0.0,
        )


class Sampled:
    """Of draws of the variables of a pair, by a kernel; masses are shares of draws."""

    of_joint = False

    def __init__(
        self, draws: dict[str, np.ndarray], model: str, show: str, has_own_unit: bool
    ) -> None:
        needed, required = _NEEDED[show]
        if needed not in draws:
            can = [repr(kind) for kind, (name, _) in _NEEDED.items() if name in draws]
            raise ValueError(
                f"show={show!r} needs {required}, which the draws of {model} do not hold; "
                f"use show={' or '.join(can)}"
            )
        self._draws = draws
        self.sampled = f"{len(draws[needed]):,} draws"
        self.per_example = not has_own_unit

    def outcomes(self) -> Won:
        """Each by itself."""
        both = self._draws["p_win"], self._draws["p_loss"]
        x = _grid(min(d.min() for d in both), max(d.max() for d in both), 0.0)
        first, second = (_kernel(d, x) for d in both)
        return Won(x, (first, second), (f"mean {both[0].mean():.3f}", f"mean {both[1].mean():.3f}"))

    def decisive(self) -> Sides:
        """Equal draws count half on either side."""
        p = self._draws["p"]
        x = _grid(min(p.min(), 0.5), max(p.max(), 0.5), 0.0)
        return _sides(p - 0.5, x, _kernel(p, x), 0.0)

    def difference(self, rope: float) -> Sides:
        """The density of the difference, from its draws."""
        d = self._draws["difference"]
        limits = _past_rope(d.min(), d.max(), rope)
        x = _grid(*limits, -1.0) if self.per_example else np.linspace(*limits, POINTS)
        return _sides(d, x, _kernel(d, x), rope)


def pair_densities(
    data: Any, systems: Any, prior: Any, show: str, rope: float | None
) -> tuple[str, str, Source, float]:
    """Return both systems to draw, their densities, and the ROPE."""
    if isinstance(data, xr.DataTree):
        sampled.refuse_choices(prior)
        a, b, draws = inputs.pair_draws(data, systems)
        posterior = data["posterior"].to_dataset()
        half = checked_rope(posterior, names.ROPE if rope is None else rope)
        source = Sampled(draws, posterior.attrs["model"], show, in_other_unit(posterior))
        return a, b, source, half
    a, b, pair = inputs.one_pair(data, systems)
    return a, b, Closed(pair, prior, show), inputs.effective_rope(pair, rope)


def shares(margin: np.ndarray, rope: float = 0.0) -> tuple[float, float, float]:
    """Of the draws (draw,) of a margin: above, below and within a rope; equal ones count half."""
    if rope:
        above, below = (margin > rope).mean(), (margin < -rope).mean()
        return float(above), float(below), float((np.abs(margin) <= rope).mean())
    even = 0.5 * (margin == 0).mean()
    return float((margin > 0).mean() + even), float((margin < 0).mean() + even), 0.0


def _sides(margin: np.ndarray, x: np.ndarray, density: np.ndarray, rope: float) -> Sides:
    return Sides(x, density, *shares(margin, rope))


def _kernel(draws: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Density at points; draws that are all one number have none."""
    if draws.min() == draws.max():
        raise ValueError(
            f"all {len(draws):,} draws are {draws[0]:g}: they have no density; give draws that "
            "differ"
        )
    return np.interp(x, *sampled.kernel(draws), left=0.0, right=0.0)


def _success_prior(prior: Any) -> tuple[float, ...]:
    """Two numbers: three, of win, loss and tie, would mean something else."""
    if prior is None or isinstance(prior, str):
        return checks.prior(prior, 2)
    try:
        number = len(tuple(prior))
    except TypeError:
        raise ValueError(f"prior is {checks.quoted(prior)}; give two numbers") from None
    if number != 2:
        raise ValueError(
            f"prior has {checks.numbered(number, 'number')}; show='outcomes' takes two "
            "numbers, of success and failure"
        )
    return checks.prior(prior, 2)


def _past_rope(low: float, high: float, rope: float) -> tuple[float, float]:
    """Ends with 0 and both edges of the rope between them."""
    return min(low, -1.3 * rope, 0.0), max(high, 1.3 * rope, 0.0)


def _span(shapes: list[tuple[float, float]]) -> tuple[float, float]:
    """Where all but a trace of the mass of the Betas lies."""
    low = min(float(special.betaincinv(a, b, _TAIL)) for a, b in shapes)
    high = max(float(special.betainccinv(a, b, _TAIL)) for a, b in shapes)
    return low, high


def _grid(low: float, high: float, least: float) -> np.ndarray:
    """Points from a little below `low` to a little above `high`, between `least` and 1."""
    pad = 0.04 * (high - low)
    low, high = max(low - pad, least), min(high + pad, 1.0)
    step = (high - low) / POINTS
    # at the very ends it may be infinite
    return np.linspace(max(low, least + step), min(high, 1 - step), POINTS)


def _beta_density(a: float, b: float, x: np.ndarray) -> np.ndarray:
    """Density of Beta(a, b)."""
    return np.exp(beta.log_density_of_log_odds(np.asarray(a), np.asarray(b), special.logit(x))) / (
        x * (1 - x)
    )


_KINDS = ("outcomes", "decisive", "difference")
_LOOKS = ((drawing.BETTER, "-", "\\\\\\"), (drawing.WORSE, "--", "///"))  # of A and of B


def densities(
    data: Any,
    *,
    systems: Any = None,
    prior: Any = None,
    show: str = "outcomes",
    rope: float | None = None,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the posterior density of one pair of systems.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        Result of `compare`; counts (system_a, system_b, outcome) or (pair, outcome); scores, which
        are counted; or draws from `posterior.draws`, from the ``fit`` of a core model, or from
        `fits.adopt`, which are shown as a kernel density.
    systems : pair of str or mapping of two, optional
        Pair to show, from the side of the first; a mapping renames them. Needed if data hold more
        than one pair. For a joint comparison the pairwise posterior is drawn, and the title reports
        it.
    prior : str or sequence of float, optional
        Parameters of win, loss, and tie, or a name in `betterthan.names.PRIORS`; for
        ``show="outcomes"``, those of success and failure. Default: that of the comparison (not for
        "outcomes"), else all ones. Draws have their own prior.
    show : {"outcomes", "decisive", "difference"}, default "outcomes"
        Quantity to show. ``outcomes``: the probability that A wins an item, next to the probability
        that B does, as two Beta densities (an approximation: together they cannot exceed 1).
        ``decisive``: p, the probability that A wins a non-tied item; its probability above 1/2 is
        P(A better). ``difference``: d = P(A wins) - P(B wins). Draws without ties have only p;
        draws of ``models.independent_betas`` do not have it.
    rope : float, optional
        Half-width of the region of practical equivalence (ROPE), for ``show="difference"``.
        Default: that of the comparison, else none.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: 1.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Axes with the density. For draws, probabilities are proportions of draws, and the title
        reports their number.

    Raises
    ------
    ValueError
        If the data, the prior, `show`, or the ROPE are not valid, the pair is not in the data, ties
        are unknown and `show` is not ``"decisive"``, a ROPE is passed for another kind than the
        difference, or draws are of another model or do not hold the quantity to show.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.densities(counts, show="decisive")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['P(A better) = 0.996', 'P(B better) = 0.004']
    """
    checks.one_of(show, _KINDS, "show")
    if rope is not None and checks.real(rope, "rope") and show != "difference":
        raise ValueError(f"rope is {rope}, but show={show!r} has no rope; use show='difference'")
    a, b, source, half = pair_densities(data, systems, prior, show, rope)
    with drawing.canvas(ax, drawing.width(columns, drawing.COLUMN), 2.6) as ax:
        both = _Named(*drawing.labels([a, b]))
        if show == "outcomes":
            title = _outcomes(ax, source.outcomes(), both)
        elif show == "decisive":
            title = _decisive(ax, source.decisive(), both)
        else:
            title = _difference(ax, source.difference(half), half, both, source.per_example)
        ax.margins(x=0)
        ax.set_ylim(bottom=0)
        ax.set_yticks([])
        ax.set_ylabel("Posterior density")
        ax.locator_params(axis="x", nbins=6)
        drawing.plain_numbers(ax.xaxis)
        how = f"\nKernel density of {source.sampled}" if source.sampled else ""
        how += f"\n{inputs.PAIRWISE}" if source.of_joint else ""
        drawing.finish(ax, title + how)
        _leave_room(ax)
        return ax


class _Named(NamedTuple):
    """What the two systems are called in the figure."""

    first: str
    second: str


def _outcomes(ax: "Axes", won: Won, both: _Named) -> str:
    for y, text, name, look in zip(won.densities, won.texts, both, _LOOKS, strict=True):
        colour, line, hatch = look
        _shade(ax, won.x, y, colour, hatch)
        ax.plot(won.x, y, color=colour, linestyle=line, linewidth=1.8, label=f"by {name}: {text}")
    ax.legend(loc="upper left", title="Items won", alignment="left", title_fontsize=7.5)
    ax.set_xlabel("Probability of winning an item")
    first, second = both
    return f"Posterior probability of winning an item, {first} and {second}"


def _decisive(ax: "Axes", sides: Sides, both: _Named) -> str:
    _two_sides(ax, sides, 0.5, both)
    ax.set_xlabel(f"Probability that {both.first} wins a non-tied item")
    return f"Posterior of the non-tied items, {both.first} against {both.second}"


def _difference(
    ax: "Axes", sides: Sides, rope: float, pair_names: _Named, per_example: bool
) -> str:
    if rope:
        look: dict[str, Any] = {"color": drawing.ROPE, "linewidth": 0, "zorder": 0}
        inside = f"P(|d| ≤ {rope:g}) {drawing.probability(sides.within)}"
        ax.fill_between([-rope, rope], 0, 1.04 * np.nanmax(sides.density), label=inside, **look)
    _two_sides(ax, sides, 0.0, pair_names, rope)
    first, second = pair_names
    rates = f"Difference in win rate ({first} − {second})"
    ax.set_xlabel(rates if per_example else f"Difference, above 0 where {first} is better")
    return f"Posterior of the difference, {first} against {second}"


def _two_sides(
    ax: "Axes", sides: Sides, middle: float, pair_names: _Named, rope: float = 0.0
) -> None:
    """Draw a density, shade both sides of the middle, and label their probabilities."""
    x, y = sides.x, sides.density
    beyond = f" by more than {rope:g}" if rope else ""
    where = ((x >= middle + rope, sides.above), (x <= middle - rope, sides.below))
    for (side, mass), name, (colour, _, hatch) in zip(where, pair_names, _LOOKS, strict=True):
        label = drawing.wrapped(f"P({name} better{beyond}) {drawing.probability(mass)}")
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


def _leave_room(ax: "Axes") -> None:
    """Above the curves, for the legend, as high as it is after layout."""
    curves = [np.asarray(line.get_ydata(), dtype=float) for line in ax.lines]
    highest = max(float(np.nanmax(y)) for y in curves if y.size == POINTS)
    legend: Any = ax.get_legend()
    share = legend.get_window_extent().height / ax.get_window_extent().height
    ax.set_ylim(0, 1.1 * highest / max(1 - share, 0.2))

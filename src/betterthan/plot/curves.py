"""Densities and probabilities of one pair, in closed form or from draws, and both compared."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import checks, names, schemas
from betterthan.counts.shapes import pair_indices
from betterthan.exact.wins import beta, dirichlet
from betterthan.plot import drawing, inputs
from betterthan.posterior import sampled
from betterthan.posterior.sampled import checked_rope, in_other_unit
from betterthan.results import numbers
from betterthan.results.tables import select_pairs

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


class Closed:
    """Densities from counts (outcome) and a prior."""

    sampled = ""  # in words, of how many draws
    per_example = True  # whether the difference is P(A wins) - P(B wins)

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
        first, second = (beta.density(s, f, x) for s, f in shapes)
        return Won(x, (first, second), (f"{wins} of {n}", f"{losses} of {n}"))

    def decisive(self) -> Sides:
        """A Beta."""
        a, b = inputs.posterior(self._pair, self._prior)[:2]
        low, high = _span([(a, b)])
        x = _grid(min(low, 0.5), max(high, 0.5), 0.0)
        above, below = float(beta.prob_above_half(a, b)), float(beta.prob_above_half(b, a))
        return Sides(x, beta.density(a, b, x), above, below)

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
        return Sides(x, _kernel(p, x), *shares(p - 0.5))

    def difference(self, rope: float) -> Sides:
        """The density of the difference, from its draws."""
        d = self._draws["difference"]
        limits = _past_rope(d.min(), d.max(), rope)
        x = _grid(*limits, -1.0) if self.per_example else np.linspace(*limits, POINTS)
        return Sides(x, _kernel(d, x), *shares(d, rope))


def shares(margin: np.ndarray, rope: float = 0.0) -> tuple[float, float, float]:
    """Of the draws (draw,) of a margin: above, below and within a rope; equal ones count half."""
    if rope:
        above, below = (margin > rope).mean(), (margin < -rope).mean()
        return float(above), float(below), float((np.abs(margin) <= rope).mean())
    even = 0.5 * (margin == 0).mean()
    return float((margin > 0).mean() + even), float((margin < 0).mean() + even), 0.0


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
    checks.one_of(show, tuple(_NEEDED), "show")
    if rope is not None and checks.real(rope, "rope") and show != "difference":
        raise ValueError(f"rope is {rope}, but show={show!r} has no rope; use show='difference'")
    source: Closed | Sampled
    if isinstance(data, xr.DataTree):
        sampled.refuse_choices(prior)
        a, b, draws = inputs.pair_draws(data, systems)
        posterior = data["posterior"].to_dataset()
        half = checked_rope(posterior, names.ROPE if rope is None else rope)
        source = Sampled(draws, posterior.attrs["model"], show, in_other_unit(posterior))
    else:
        a, b, pair = inputs.one_pair(data, systems)
        source, half = Closed(pair, prior, show), inputs.effective_rope(pair, rope)
    with drawing.canvas(ax, drawing.width(columns, drawing.COLUMN), 2.6) as ax:
        both = drawing.labels([a, b])
        if show == "outcomes":
            title = _outcomes(ax, source.outcomes(), both)
        elif show == "decisive":
            title = _decisive(ax, source.decisive(), both)
        else:
            title = _difference(ax, source.difference(half), half, both, source.per_example)
        ax.margins(x=0)
        ax.set(ylim=(0, None), yticks=[], ylabel="Posterior density")
        ax.locator_params(axis="x", nbins=6)
        drawing.plain_numbers(ax.xaxis)
        how = f"\nKernel density of {source.sampled}" if source.sampled else ""
        how += f"\n{inputs.PAIRWISE}" if source.of_joint else ""
        drawing.finish(ax, title + how)
        _leave_room(ax)
        return ax


def _outcomes(ax: "Axes", won: Won, both: list[str]) -> str:
    for y, text, name, look in zip(won.densities, won.texts, both, _LOOKS, strict=True):
        colour, line, hatch = look
        _shade(ax, won.x, y, colour, hatch)
        ax.plot(won.x, y, color=colour, linestyle=line, linewidth=1.8, label=f"by {name}: {text}")
    ax.legend(loc="upper left", title="Items won", alignment="left", title_fontsize=7.5)
    ax.set_xlabel("Probability of winning an item")
    first, second = both
    return f"Posterior probability of winning an item, {first} and {second}"


def _decisive(ax: "Axes", sides: Sides, both: list[str]) -> str:
    _two_sides(ax, sides, 0.5, both)
    first, second = both
    ax.set_xlabel(f"Probability that {first} wins a non-tied item")
    return f"Posterior of the non-tied items, {first} against {second}"


def _difference(
    ax: "Axes", sides: Sides, rope: float, pair_names: list[str], per_example: bool
) -> str:
    if rope:
        look: dict[str, Any] = {"color": drawing.ROPE, "linewidth": 0, "zorder": 0}
        inside = f"P(|d| ≤ {rope:g}) {numbers.equal_to(sides.within)}"
        ax.fill_between([-rope, rope], 0, 1.04 * np.nanmax(sides.density), label=inside, **look)
    _two_sides(ax, sides, 0.0, pair_names, rope)
    first, second = pair_names
    rates = f"Difference in win rate ({first} − {second})"
    ax.set_xlabel(rates if per_example else f"Difference, above 0 where {first} is better")
    return f"Posterior of the difference, {first} against {second}"


def _two_sides(
    ax: "Axes", sides: Sides, middle: float, pair_names: list[str], rope: float = 0.0
) -> None:
    """Draw a density, shade both sides of the middle, and label their probabilities."""
    x, y = sides.x, sides.density
    beyond = f" by more than {rope:g}" if rope else ""
    where = ((x >= middle + rope, sides.above), (x <= middle - rope, sides.below))
    for (side, mass), name, (colour, _, hatch) in zip(where, pair_names, _LOOKS, strict=True):
        label = drawing.wrapped(f"P({name} better{beyond}) {numbers.equal_to(mass)}")
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


_CHECK_COLUMNS = ("exact", "sampled", "mcse", "ess", "z", "agrees")
_WIDTHS = 2  # Monte Carlo errors on either side of the band
_NAMED = 10  # pairs that are named at most
_LINE_SPACING, _MAX_DISTANCE = 9.0, 0.4  # points from name to name, of pairs as near as this on x
_ENOUGH = 5  # pairs from which on their z are worth a histogram
_END = 6.0  # of the histogram; what is further off stands there


def cross_check(checked: xr.Dataset, *, ax: "Axes | None" = None) -> "Axes":
    """Plot how closely sampled probabilities agree with exact ones, in Monte Carlo errors.

    Parameters
    ----------
    checked : xarray.Dataset
        Result of `fits.cross_check`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        One point for each unordered pair: the exact P(A better) on x, sampled minus exact on y,
        with a bar of one Monte Carlo error on either side. The band is two errors wide on either
        side of 0, for draws of the median ESS. Pairs that do not agree have a mark of their own,
        and those with the largest distance, up to 10, are named.

        With 5 pairs or more, a small histogram compares all z with the standard normal density,
        which they follow if the sampler is correct. Pairs with a common system share draws, so
        their z are not independent.

    Raises
    ------
    ValueError
        If it is not a Dataset from `fits.cross_check`.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.datasets.contingency_case("b")
    >>> checked = bt.fits.cross_check(counts, bt.posterior.draws(counts, rng=1))
    >>> ax = bt.plot.cross_check(checked)
    >>> ax.get_title(loc="left").splitlines()[0]
    'Sampled and exact P(better) agree on 1 of 1 pair'
    """
    rows = _rows(checked)
    with drawing.canvas(ax, 5.6, 3.6) as ax:
        _draw(ax, rows)
        _name_disagreeing(ax, rows)
        if len(rows.z) >= _ENOUGH:
            _histogram(ax, rows.z)
        total, good = len(rows.z), int(rows.agrees.sum())
        farthest = f"The largest |z| is {np.abs(rows.z).max():.1f}; pairs agree up to 4"
        count_text = f"{good:,} of {total:,} pair{'s' if total != 1 else ''}"
        return drawing.finish(ax, f"Sampled and exact P(better) agree on {count_text}\n{farthest}")


def _rows(checked: Any) -> Any:
    """A table of each unordered pair once."""
    if not isinstance(checked, xr.Dataset) or not set(_CHECK_COLUMNS) <= set(checked):
        description = f"checked is a {type(checked).__name__}"
        if isinstance(checked, xr.Dataset):
            missing = next(name for name in _CHECK_COLUMNS if name not in checked)
            description += f" without {missing!r}"
        raise ValueError(f"{description}; give what betterthan.fits.cross_check returned")
    by_pair = checked
    if names.PAIR not in checked.dims:
        by_pair = select_pairs(checked, *pair_indices(checked.sizes[names.SYSTEM_A]))
    a, b = inputs.pair_names(by_pair)
    return pd.DataFrame({"a": a, "b": b} | {k: by_pair[k].values for k in _CHECK_COLUMNS})


def _draw(ax: "Axes", rows: Any) -> None:
    """The band, and a point with its bar for each pair; room above for legend and histogram."""
    p, ess = np.linspace(0, 1, 201), float(np.median(rows.ess))
    band = _WIDTHS * np.sqrt(p * (1 - p) / max(ess, 1.0))
    label = f"two errors, at an ESS of {ess:,.0f}"
    ax.fill_between(p, -band, band, color=drawing.TIE, linewidth=0, zorder=0, label=label)
    ax.axhline(0, color=drawing.INK, linewidth=0.8, linestyle=":", zorder=1)
    away = rows.sampled - rows.exact
    agrees = rows.agrees.astype(bool)
    looks = (
        (agrees, "o", drawing.BETTER, "white", "agrees, ± one error"),
        (~agrees, "D", drawing.INK, drawing.WORSE, "does not agree, ± one error"),
    )
    for selected, marker, edge, face, label in looks:
        if selected.any():
            look: dict[str, Any] = {"color": edge, "markerfacecolor": face, "elinewidth": 0.9}
            look |= {"markersize": 4, "linestyle": "", "zorder": 3, "label": label}
            points = rows.exact[selected], away[selected], rows.mcse[selected]
            ax.errorbar(*points, marker=marker, **look)
    most = 1.15 * max(float(np.max(np.abs(away) + rows.mcse)), float(band.max()))
    ax.set(xlim=(-0.02, 1.02), ylim=(-most, most * (2.6 if len(rows.z) >= _ENOUGH else 2.0)))
    ax.set(xlabel="Exact P(better)", ylabel="Sampled − exact")
    for axis in (ax.xaxis, ax.yaxis):
        drawing.plain_numbers(axis)
    ax.legend(loc="upper left", borderaxespad=0.2)


def _name_disagreeing(ax: "Axes", rows: Any) -> None:
    """Name the pairs that disagree next to their points, the largest difference first."""
    far = np.flatnonzero(~rows.agrees.astype(bool))
    far = far[np.argsort(-np.abs(rows.z[far]), kind="stable")][:_NAMED]
    systems_drawn = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
    bottom, top = ax.get_ylim()
    height = drawing.size(ax)[1] / (top - bottom)  # points of a unit
    line: dict[str, Any] = {"arrowstyle": "-", "color": drawing.FAINT, "linewidth": 0.5}
    away = rows.sampled - rows.exact
    placed: list[tuple[float, float]] = []
    for k in far[np.argsort(-away[far], kind="stable")]:
        x, right = float(rows.exact[k]), rows.exact[k] > 0.5
        earlier = [y for other, y in placed if abs(other - x) < _MAX_DISTANCE]
        y = min([float(height * away[k]), *(y - _LINE_SPACING for y in earlier)])
        placed.append((x, y))
        look: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
        look |= {"ha": "right" if right else "left", "fontsize": drawing.SMALL}
        offset = (-10 if right else 10, y - height * away[k])
        text = f"{name[rows.a[k]]}, {name[rows.b[k]]}"
        ax.annotate(text, (x, away[k]), offset, arrowprops=line, **look)


def _histogram(ax: "Axes", z: np.ndarray) -> None:
    """All z with the standard normal density, at the top right."""
    small = ax.inset_axes((0.66, 0.68, 0.33, 0.27))
    end = 4.0 if np.abs(z).max() <= 4 else _END
    bins = np.linspace(-end, end, int(4 * end) + 1 if len(z) > 200 else int(2 * end) + 1)
    inside = np.clip(z, -end, end)
    look: dict[str, Any] = {"color": drawing.RAMP[2], "edgecolor": "white", "linewidth": 0.4}
    small.hist(inside, bins=bins.tolist(), density=True, **look)
    x = np.linspace(-end, end, 201)
    small.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), color=drawing.INK, linewidth=1.0)
    small.spines[["top", "right", "left"]].set_visible(False)
    small.set_yticks([])
    end_labels = ("≤ −6", "≥ 6") if end == _END else ("−4", "4")
    small.set_xticks([-end, -2, 0, 2, end], [end_labels[0], "−2", "0", "2", end_labels[1]])
    small.tick_params(labelsize=drawing.SMALL, length=2)
    small.set_title("z and the standard normal", fontsize=drawing.SMALL, pad=2)

"""Figures of pairs: outcomes, differences with intervals, and the choice of ROPE."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.wins import dirichlet
from betterthan.plot import drawing, inputs
from betterthan.plot.inputs import called, check_system
from betterthan.results.rows import difference_label
from betterthan.signed import Signature

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
    left, right, values = _oriented_outcomes(pairs, baseline)
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


def _oriented_outcomes(
    pairs: xr.DataArray, baseline: str | None
) -> tuple[list[str], list[str], np.ndarray]:
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


# Filled where there is a verdict, hollow where there is none.
_LOOKS: dict[str, tuple[str, bool, str]] = {
    "better": ("o", True, "one is better (P ≥ {:g})"),
    "equivalent": ("s", True, "equivalent (P ≥ {:g})"),
    "split": ("^", False, "split: wins and mean favour different systems"),
    "undecided": ("o", False, "undecided"),
    "no_verdict": ("D", False, "no verdict: not converged, or missing scores decide"),
    "no_data": ("x", False, "no data: prior alone"),
}
_COLUMN, _PLOT, _WIDEST = 3.3, 2.1, 7.0  # inches: of a paper's column, of what is drawn, of all
_LINE = 0.18  # inches of a line of the legend
_FLIPPED = {"a_better": "b_better", "b_better": "a_better"}


class _Rows(NamedTuple):
    """One row for each pair."""

    a: np.ndarray
    b: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    verdict: np.ndarray

    def take(self, rows: np.ndarray) -> "_Rows":
        return _Rows(*(column[rows] for column in self))


def differences(
    data: Any,
    *,
    systems: Any = None,
    rope: float | None = None,
    baseline: str | None = None,
    limit: int = 40,
    ax: "Axes | None" = None,
) -> "Axes":
    """Forest of the differences d = A - B with their intervals, the ROPE band and the verdicts.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        From `compare`, of whose engines the first is drawn: difference_mean,
        difference_lower, difference_upper and verdict over (system_a, system_b), and ``attrs``
        rope, threshold, ci_prob and ci_kind. Or scores or counts, of which the posterior is taken
        in closed form. Or draws from `posterior.draws`, from the ``fit`` of a core model or from
        `fits.adopt`; of other fits give `fits.compare`.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them.
    rope : float, optional
        Half width of the band; default that of the comparison. For scores, counts and draws it is
        the rope of the verdicts, too.
    baseline : str, optional
        Draw only the pairs with this system, as the other one minus the baseline.
    limit : int, default 40
        Pairs to draw at most. Where there are more, those nearest to a decision are drawn and the
        title says so: those whose P(d > 0), or mass within the ROPE, is nearest to the probability
        that a verdict needs, by the normal approximation to mean and interval.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Each unordered pair once, the largest mean at the top. Without a baseline, A is the system
        that is ahead.

    Raises
    ------
    ValueError
        If the data are none of these, draws are of another model, data lack a variable or the
        number of ties, a verdict is unknown, the rope or the limit is not valid, a system is
        unknown, or no pair has a difference.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 30, 60)})
    >>> ax = bt.plot.differences(bt.compare(counts, rope=0.01))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B − A']
    """
    limit = checks.whole(limit, "limit")
    chosen = inputs.differences(data, systems, rope)
    provenance, rope = Signature.from_attrs(chosen.attrs), inputs.effective_rope(chosen, rope)
    baseline = None if baseline is None else called(baseline, systems)
    all_rows = _oriented_differences(chosen, baseline)
    if not len(all_rows.mean):
        raise ValueError("no pair has a difference: nothing to draw")
    rows = all_rows.take(_nearest(all_rows, rope, limit, provenance))
    height = _height(len(rows.mean)) * len(rows.mean) + _LINE * _legend_lines(rows, rope)
    with drawing.style():
        labels = _row_names(rows, baseline)
        width = min(max(drawing.inches(labels) + _PLOT, _COLUMN), _WIDEST)
        ax = drawing.axes(ax, width, 1.2 + height)
        drawing.name_rows(ax, labels)
        _draw(ax, rows, rope, provenance.threshold or names.VERDICT_PROB)
        ax.set_xlabel(
            difference_label("first", "second", provenance).rstrip(",").replace(" - ", " − ")
        )
        title = _title(provenance, len(rows.mean), len(all_rows.mean), baseline)
        joint = "\nFrom the joint model of all systems"
        return drawing.finish(ax, title + joint * bool(chosen.attrs.get("joint")))


def _oriented_differences(pairs: xr.Dataset, baseline: str | None) -> _Rows:
    """Orient pairs with a difference: the better system first, or all against the baseline."""
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(pairs))
    mean, lower, upper = (pairs[k].values.astype(float) for k in ("mean", "lower", "upper"))
    verdict = pairs["verdict"].values.astype(str)
    drawn, flip = np.isfinite(mean), mean < 0
    if baseline is not None:
        check_system(baseline, [*a, *b], "baseline")
        drawn, flip = drawn & ((a == baseline) | (b == baseline)), a == baseline
    return _Rows(
        np.where(flip, b, a),
        np.where(flip, a, b),
        np.where(flip, -mean, mean),
        np.where(flip, -upper, lower),
        np.where(flip, -lower, upper),
        np.where(flip, np.array([_FLIPPED.get(v, v) for v in verdict.tolist()]), verdict),
    ).take(np.flatnonzero(drawn))


def _nearest(rows: _Rows, rope: float, limit: int, provenance: Signature) -> np.ndarray:
    """Select the rows to draw, by mean: all, or those closest to a change of verdict."""
    reach = special.ndtri((1 + (provenance.ci_prob or names.CI_PROB)) / 2)
    sd = (rows.upper - rows.lower) / (2 * reach)
    sd = np.maximum(sd, np.finfo(float).eps)
    needed = special.ndtri(provenance.threshold or names.VERDICT_PROB)
    distance = np.abs(np.abs(rows.mean) / sd - needed)
    if rope:
        inside = special.ndtr((rope - rows.mean) / sd) - special.ndtr((-rope - rows.mean) / sd)
        distance = np.minimum(distance, np.abs(special.ndtri(inside) - needed))
    selected = np.argsort(distance, kind="stable")[:limit]
    return selected[np.lexsort((selected, -rows.mean[selected]))]


def _row_names(rows: _Rows, baseline: str | None) -> list[str]:
    systems_drawn = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
    if baseline is not None:
        return [name[a] for a in rows.a]
    return [f"{name[a]} − {name[b]}" for a, b in zip(rows.a, rows.b, strict=True)]


def _height(rows: int) -> float:
    """Inches of a row."""
    return 0.23 if rows <= 60 else 0.14


def _legend_lines(rows: _Rows, rope: float) -> int:
    """Lines of the legend, which stands above the rows."""
    return len({"better" if v in _FLIPPED else v for v in rows.verdict.tolist()}) + bool(rope)


def _draw(ax: "Axes", rows: _Rows, rope: float, needed: float) -> None:
    place = np.arange(len(rows.mean))
    limits = (-0.7, len(place) - 0.4)  # not behind the legend
    if rope:
        look: dict[str, Any] = {"color": drawing.COLOUR_TIE, "linewidth": 0, "zorder": 0}
        ax.fill_betweenx(limits, -rope, rope, **look, label=f"ROPE: |d| ≤ {rope:g}")
    ax.vlines(0, *limits, colors=drawing.INK, linewidth=0.8, linestyle=":", zorder=1)
    ax.hlines(place, rows.lower, rows.upper, colors=drawing.COLOUR_A, linewidth=1.3, zorder=2)
    _mark(ax, rows, place, needed)
    ax.margins(x=0.03)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)
    tight = {"borderaxespad": 0, "borderpad": 0.2, "columnspacing": 1.4, "handletextpad": 0.4}
    ax.legend(loc="upper left", ncols=1, **tight)
    ax.set_ylim(len(place) - 0.4, -0.6 - _legend_lines(rows, rope) * _LINE / _height(len(place)))


def _mark(ax: "Axes", rows: _Rows, place: np.ndarray, needed: float) -> None:
    """Draw a marker at every mean; its shape shows the verdict."""
    kinds = np.array(["better" if v in _FLIPPED else v for v in rows.verdict])
    edge = {"markeredgecolor": drawing.COLOUR_A, "markersize": 5, "markeredgewidth": 1.1}
    for kind, (marker, filled, label) in _LOOKS.items():
        selected = kinds == kind
        if not selected.any():
            continue
        face = drawing.COLOUR_A if filled else "white"
        look: dict[str, Any] = edge | {"markerfacecolor": face, "zorder": 3}
        ax.plot(rows.mean[selected], place[selected], marker, label=label.format(needed), **look)


def _title(provenance: Signature, n_drawn: int, total: int, baseline: str | None) -> str:
    interval = "interval"
    if provenance.ci_kind and provenance.ci_prob:
        interval = f"{100 * provenance.ci_prob:g} % {provenance.ci_kind.upper()}"
    subject = "each pair"
    if baseline is not None:
        subject = f"each system from {drawing.labels([baseline])[0]}"
    title = f"Difference of {subject}: mean and {interval}"
    if provenance.draws:
        title += f", from {inputs.sampled(provenance)}"
    if n_drawn < total:
        title += f"\n{n_drawn} of {total:,} pairs: those nearest to a decision"
    return title


_POINTS = ((1, 81), (2000, 21))  # up to so many pairs; above them 11
_UNSURE = (0.5, 0.99999)  # what the normal approximation says where the exact mass is computed


def rope_curve(
    data: Any, *, systems: Any = None, widest: float = 0.2, ax: "Axes | None" = None
) -> "Axes":
    """Masses below, within and above the rope against its half width; of many pairs how their
    verdicts change with it.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`, answered by counts in closed form; or scores or counts, with the number of
        ties.
    systems : list of str or mapping of str to str, optional
        Draw only these, of two the masses; a mapping says what to call them.
    widest : float, default 0.2
        The half width up to which is drawn, a difference of probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Of two systems three curves and the threshold of a verdict. Of more, pairs by verdict,
        stacked: better, and by more than the rope; better; equivalent; undecided.

    Raises
    ------
    ValueError
        If the answers are not of counts, the ties are unknown, a system is unknown, or the widest
        rope is not between 0 and 1.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.rope_curve(bt.compare(counts), widest=0.05)
    >>> within = ax.lines[1].get_ydata()
    >>> float(within[0]), float(within[-1].round(3))
    (0.0, 1.0)
    """
    if not checks.rope(widest) > 0:
        raise ValueError("widest is 0; give the half width up to which to draw, below 1")
    counts = inputs.pairs(_check_counts(data), systems)
    posterior_parameters: Any = _parameters(counts)
    provenance = Signature.from_attrs(counts.attrs)
    threshold = provenance.threshold or names.VERDICT_PROB
    width = np.linspace(0, widest, _points(len(counts)))
    with drawing.style():
        ax = drawing.axes(ax, 3.7, 2.7)
        if len(counts) == 1:
            title = _draw_masses(
                ax, width, _masses(width, *posterior_parameters), counts, threshold
            )
        else:
            title = _draw_verdicts(ax, width, posterior_parameters, threshold)
        ax.set_xlim(0, widest)
        ax.set_xlabel("half width of the rope")
        drawing.plain_numbers(ax.xaxis)
        return drawing.finish(ax, title)


def _points(pairs: int) -> int:
    """Fewer widths where there are many pairs, of which each costs."""
    return next((points for most, points in _POINTS if pairs <= most), 11)


def _check_counts(data: Any) -> Any:
    """Refuse answers that do not come from counts: on units, or drawn."""
    dataset = inputs.comparison_dataset(data)
    if isinstance(dataset, xr.Dataset) and "n_units" in dataset:
        raise ValueError(
            "these answers are of means on units, which no counts stand for; say unit='item', or "
            "give counts"
        )
    return data


def _parameters(counts: xr.DataArray) -> Any:
    if counts.sizes[names.OUTCOME] == 2 and counts.attrs.get("ties", "unknown") == "unknown":
        raise ValueError("a rope needs the number of ties, which these data do not have")
    prior = checks.prior(Signature.from_attrs(counts.attrs).prior, counts.sizes[names.OUTCOME])
    values = counts.transpose(names.PAIR, names.OUTCOME).values + np.asarray(prior)
    return (*values.T, *([np.zeros(len(values))] if values.shape[1] == 2 else []))


def _masses(width: np.ndarray, a: Any, b: Any, t: Any) -> np.ndarray:
    """Below, within and above, (region, width), of one pair."""
    within = np.where(width > 0, dirichlet.prob_within(a, b, t, width), 0.0)
    above = dirichlet.prob_above(a, b, t, width)
    return np.stack([dirichlet.prob_below(a, b, t, -width), within, above])


def _draw_masses(
    ax: "Axes", width: np.ndarray, masses: np.ndarray, counts: Any, threshold: float
) -> str:
    """The three curves of one pair."""
    first, second = drawing.labels([side[0] for side in inputs.pair_names(counts)])
    below, within, above = masses
    looks = (
        (above, f"{first} better by more", drawing.COLOUR_A, "-"),
        (within, "within the rope", drawing.INK, "--"),
        (below, f"{second} better by more", drawing.COLOUR_B, ":"),
    )
    for mass, label, colour, line in looks:
        ax.plot(width, mass, color=colour, linestyle=line, linewidth=1.6, label=label)
    ax.axhline(threshold, color=drawing.FAINT, linewidth=0.8)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("probability")
    ax.legend(loc="center right", fontsize=drawing.SMALL)
    reached = np.flatnonzero(within >= threshold)
    if not reached.size:
        return f"No rope up to {width[-1]:g} holds {100 * threshold:g} %"
    return f"A rope of about {width[reached[0]]:.2g} holds {100 * threshold:g} % of the difference"


def _draw_verdicts(
    ax: "Axes", width: np.ndarray, posterior_parameters: Any, threshold: float
) -> str:
    """Stack the shares of the pairs by verdict."""
    parts = _verdicts(width, *posterior_parameters, threshold=threshold)
    labels = ("better, by more than the rope", "better", "equivalent", "undecided")
    colours = (drawing.COLOUR_A, drawing.RAMP[2], drawing.COLOUR_B, "white")
    look: dict[str, Any] = {"edgecolor": drawing.INK, "linewidth": 0.5}
    shares = [part.mean(0) for part in parts]
    ax.stackplot(width, *shares, labels=labels, colors=colours, **look)
    ax.set_ylim(0, 1)
    ax.set_ylabel("share of the pairs")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, fontsize=drawing.SMALL)
    return (
        f"Verdicts on {len(posterior_parameters[0]):,} pairs, each by itself, at "
        f"{100 * threshold:g} %"
    )


def _verdicts(
    width: np.ndarray, win: np.ndarray, loss: np.ndarray, t: np.ndarray, *, threshold: float
) -> list[np.ndarray]:
    """Where, (pair, width), a pair is better by more than the rope, better, equivalent, open."""
    a, b = np.maximum(win, loss)[:, None], np.minimum(win, loss)[:, None]
    sure = dirichlet.prob_above(a, b, 1.0, 0.0) >= threshold
    four = np.broadcast_arrays(a, b, t[:, None], width)
    mean, sd = dirichlet.mean_difference(*four[:3]), dirichlet.sd_difference(*four[:3])
    above = special.ndtr((mean - width) / sd)
    within = special.ndtr((width - mean) / sd) - special.ndtr((-width - mean) / sd)
    beyond = _reaches(above, dirichlet.prob_above, four, threshold) & sure
    equal = _reaches(within, dirichlet.prob_within, four, threshold) & (width > 0)
    return [beyond & ~equal, sure & ~beyond & ~equal, equal, ~sure & ~equal]


def _reaches(approximate: np.ndarray, exact: Any, four: Any, threshold: float) -> np.ndarray:
    """Return whether a probability reaches the threshold: exact unless the normal approximation is
    far from it.
    """
    least, most = _UNSURE
    unsure = (approximate > min(least, threshold / 2)) & (approximate < most)
    reached = approximate >= threshold
    reached[unsure] = exact(*(v[unsure] for v in four)) >= threshold
    return reached

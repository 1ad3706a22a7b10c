"""Figures of pairs: outcomes, differences with intervals, and the choice of ROPE."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.wins import dirichlet
from betterthan.plot import drawing, inputs
from betterthan.plot.inputs import called, check_system
from betterthan.results import numbers
from betterthan.results.score_sentences import statistic_label
from betterthan.results.sentences import difference_name
from betterthan.results.tables import interval_label
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS_MAX = 40
_FACES: dict[str, dict[str, Any]] = {
    "win": {"facecolor": drawing.BETTER, "edgecolor": "white"},
    "tie": {"facecolor": drawing.TIE, "edgecolor": "white"},
    "loss": {
        "facecolor": drawing.CLASSES[1],
        "edgecolor": drawing.WORSE,
        "hatch": "////",
        "linewidth": 0,
    },
}
_UNITS = {"judgment": "judgments"}
_BARS = 1.8  # inches that bars need


def outcomes(
    data: Any,
    *,
    systems: Any = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot wins, ties, and losses as bars, for each pair or against a baseline.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        Result of `compare`; counts (system_a, system_b, outcome) or (pair, outcome); or scores,
        which are counted. If ties are unknown, only wins and losses are drawn.
    systems : list of str or mapping of str to str, optional
        Systems to draw; a mapping renames them.
    baseline : str, optional
        System whose pairs to draw, from the side of the other one. Default, for a comparison of
        three systems or more: its baseline, else the system that is most probably the best, if
        known.
    all_pairs : bool, default False
        Whether to draw every pair of systems, even if there is a reference.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: the width that the
        content needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        A bar starts with the wins of the system on its left and ends with those of the other. With
        a reference the systems have the order of the table. Without one, the system that wins more
        often is on the left, and bars are sorted by (wins - losses) / items.

    Raises
    ------
    ValueError
        If the data are none of these, a system is unknown, there are more than 40 bars, or
        `columns` is not 1 or 2.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> ax = bt.plot.outcomes(counts)
    >>> [int(bar.get_width()) for bar in ax.patches]  # win, tie, loss
    [12, 986, 2]
    """
    pairs = inputs.pairs(data, systems)
    dataset = inputs.comparison_dataset(data)
    against = inputs.chosen_reference(dataset, systems, baseline, all_pairs)
    order = [inputs.called(system, systems) for system in inputs.table_order(dataset)]
    left, right, values = _oriented_outcomes(pairs, against, order)
    if len(left) > _BARS_MAX:
        advice = "give systems=" if against else "give baseline= or systems="
        raise ValueError(f"{len(left)} pairs are too many bars (at most {_BARS_MAX}); {advice}")
    ties = values.shape[1] == 3
    systems_drawn = list(dict.fromkeys([*left, *right]))
    names_width = drawing.inches(drawing.labels(systems_drawn)) * (1 + (against is None))
    width = drawing.width(columns, _BARS + names_width)
    most = 24 if against or width == drawing.PAGE else 14
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn, most), strict=True))
    others = [] if against else [name[s] for s in right]
    names_left = [name[s] for s in left]
    legend = 2.4 if width == drawing.COLUMN else 1.1
    height = 0.8 + 0.24 * (len(left) + legend) + 0.1 * (width == drawing.COLUMN)
    with drawing.canvas(ax, width, height) as ax:
        _draw_bars(ax, values)
        drawing.name_rows(ax, names_left, others, legend)
        unit = _UNITS.get(str(pairs.attrs.get("unit")), "items")
        unknown = pairs.attrs.get("ties", "unknown") == "unknown"
        why = "ties are unknown" if unknown else "ties were resolved or left out"
        ax.set_xlabel(f"Number of {unit}" if ties else f"Number of non-tied {unit} ({why})")
        _legend(ax, ties, bool(against), 3 if width == drawing.PAGE else 1)
        subject = "Wins, ties and losses" if ties else "Wins and losses"
        to = f"against {name[against.system]}" if against else "of each pair"
        drawing.finish(ax, f"{subject} {to}")  # before the numbers, which need the final size
        _write_numbers(ax, values)
        return ax


def _oriented_outcomes(
    pairs: xr.DataArray, against: inputs.Reference | None, order: list[str]
) -> tuple[list[str], list[str], np.ndarray]:
    """Each pair from the side of its left system: in the order of the table against a reference
    of a comparison, else by net share of wins.
    """
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(pairs))
    values, exchanged = pairs.values, inputs.exchanged(pairs).values
    rows, flip = np.arange(len(a)), values[:, 1] > values[:, 0]
    if against is not None:
        check_system(against.system, [*a, *b], "baseline")
        rows = np.flatnonzero((a == against.system) | (b == against.system))
        flip = a == against.system
    values = np.where(flip[:, None], exchanged, values)
    left, right = np.where(flip, b, a), np.where(flip, a, b)
    net = (values[:, 0] - values[:, 1]) / np.maximum(values.sum(1), 1)
    by = -net[rows]
    if against is not None and order:
        by = np.array([order.index(system) for system in left[rows]])
    rows = rows[np.argsort(by, kind="stable")]
    return left[rows].tolist(), right[rows].tolist(), values[rows]


def _draw_bars(ax: "Axes", values: np.ndarray) -> None:
    start = np.zeros(len(values), dtype=int)
    for outcome, column in (("win", 0), ("tie", 2), ("loss", 1)):
        if column < values.shape[1]:
            width = values[:, column]
            ax.barh(np.arange(len(values)), width, left=start, height=0.74, **_FACES[outcome])
            start = start + width
    ax.set_xlim(0, max(int(values.sum(1).max()), 1))
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)


def _legend(ax: "Axes", ties: bool, has_reference: bool, ncols: int) -> None:
    from matplotlib.patches import Patch

    left, other = ("", "reference") if has_reference else ("left ", "right system")
    labels = {"win": f"wins of the {left}system", "tie": "ties", "loss": f"wins of the {other}"}
    handles = [Patch(label=labels[o], **_FACES[o]) for o in labels if ties or o != "tie"]
    ax.legend(handles=handles, loc="upper left", ncols=ncols, columnspacing=1.4, **drawing.LEGEND)


def _write_numbers(ax: "Axes", values: np.ndarray) -> None:
    """Write every number in its part of the bar, or in the ties beside it, where it fits."""
    points = drawing.size(ax)[0] / ax.get_xlim()[1]
    for row, counts in enumerate(values):
        win, loss, tie = (int(c) for c in (*counts, 0)[:3])
        need = {c: (len(str(c)) * 0.64 * 7.5 + 5) / points for c in (win, loss, tie)}
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
    box = {"facecolor": drawing.CLASSES[1], "edgecolor": "none", "pad": 1}
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7.5, "color": colour}
    ax.text(x, row, str(number), bbox=box if on == "loss" else None, **look)


_PLOT, _NUMBERS = 1.4, 0.45  # inches: of the intervals, and of the numbers on the right
_LINE = 0.17  # inches of a line of the legend
_FLIPPED = {"better": "worse", "worse": "better"}


def differences(
    data: Any,
    *,
    systems: Any = None,
    rope: float | None = None,
    baseline: str | None = None,
    all_pairs: bool = False,
    limit: int = 40,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the differences from a reference, or of every pair, with intervals and ROPE.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        Result of `compare`, of which the first engine is drawn: difference_mean, difference_lower,
        difference_upper, and verdict over (system_a, system_b), and ``attrs`` rope, threshold,
        ci_prob, and ci_kind. Or scores or counts, whose posterior is computed in closed form. Or
        draws from `posterior.draws`, from the ``fit`` of a core model, or from `fits.adopt`; for
        other fits pass the result of `fits.compare`.
    systems : list of str or mapping of str to str, optional
        Systems to draw; a mapping renames them.
    rope : float, optional
        Half-width of the band. Default: that of the comparison. For scores, counts, and draws it is
        the ROPE of the verdicts, too.
    baseline : str, optional
        Reference system: draw the difference of each other system from it. Default, for a
        comparison of three systems or more: its baseline, else the system that is most probably the
        best, if known, as in the printed picture.
    all_pairs : bool, default False
        Whether to draw every pair of systems, even if there is a reference.
    limit : int, default 40
        Largest number of differences to draw; the title reports how many there are. With a
        reference, systems without a verdict come first, then the best ones. For all pairs, those
        are drawn whose P(d > 0), or probability within the ROPE, is closest to the threshold, by
        the normal approximation to mean and interval.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: the width that the
        content needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        With a reference, systems have the order of the table, and the numbers on the right are the
        differences. Otherwise each unordered pair is drawn once, with the system that is ahead
        first and the largest difference at the top. If a lower score is better, the axis is
        reversed: better is always on the right.

    Raises
    ------
    ValueError
        If the data are none of these, draws are of another model, data lack a variable or the
        number of ties, a verdict is unknown, the ROPE, the limit, or `columns` is not valid, a
        system is unknown, or no pair has a difference.

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
    dataset = inputs.comparison_dataset(data)
    against = inputs.chosen_reference(dataset, systems, baseline, all_pairs)
    all_rows = _oriented_differences(chosen, against, -1 if provenance.lower_mean else 1)
    if all_rows.empty:
        raise ValueError("no pair has a difference: nothing to draw")
    order = [called(system, systems) for system in inputs.table_order(dataset)] if against else []
    if order:  # rows without a verdict, then in the order of the table
        decided = all_rows.verdict.isin(["better", "worse", "equivalent"])
        places = [order.index(a) for a in all_rows.a]
        chosen_rows = np.sort(np.lexsort((places, decided))[:limit])
    else:
        chosen_rows = _nearest(all_rows, rope, limit, provenance)
    rows = all_rows.iloc[chosen_rows]
    listed = [name for name in order if name in {*rows.a, *rows.b}]
    place = np.array([listed.index(a) for a in rows.a]) if listed else np.arange(len(rows))
    labels = drawing.labels(listed) if listed else _row_names(rows, against)
    width = drawing.width(columns, drawing.inches(labels) + _PLOT + _NUMBERS)
    if width == drawing.COLUMN and drawing.inches(labels) > drawing.COLUMN - _PLOT - _NUMBERS:
        labels = [label.replace(" − ", " −\n") for label in labels]
    step = 0.3 if "\n" in labels[0] else 0.19 if len(labels) <= 60 else 0.14
    lines = len({*rows.verdict}) + bool(rope)
    with drawing.canvas(ax, width, 1.05 + step * len(labels) + _LINE * lines) as ax:
        drawing.name_rows(ax, labels, above=0.1 + lines * _LINE / step)
        _draw(ax, rows, place, rope, provenance.threshold or names.VERDICT_PROB)
        texts = [""] * (int(place.max()) + 1)
        for k, *limits in zip(place, rows.middle, rows.lower, rows.upper, strict=True):
            texts[k] = numbers.difference(*limits).partition(" ")[0]
        drawing.write_at_right(ax, texts, 7.5, 4)
        if listed:
            middle = listed.index(against.system) if against else 0
            ax.vlines(0, middle - 0.3, middle + 0.3, colors=drawing.INK, linewidth=2.2, zorder=3)
        if provenance.lower_mean:
            ax.invert_xaxis()
        sides = "system − reference" if against else "first − second"
        lower = "; lower is better" if provenance.lower_mean else ""
        quantity = difference_name(provenance)
        if provenance.statistic:
            quantity = f"Difference in {statistic_label(chosen)}"
        ax.set_xlabel(f"{quantity} ({sides}{lower})")
        label = drawing.short_label(against.system, order) if against else ""
        reference = f"{label} ({against.role})" if against else ""
        title = _title(provenance, quantity, len(rows), len(all_rows), reference)
        joint = "\nFrom the joint model of all systems"
        return drawing.finish(ax, title + joint * bool(chosen.attrs.get("joint")))


def _oriented_differences(pairs: xr.Dataset, against: inputs.Reference | None, sign: int) -> Any:
    """A table of pairs with a difference: the system ahead first, or each other one against a
    reference; the verdict is of the first system (better, worse, equivalent, ...).
    """
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(pairs))
    mean, lower, upper = (pairs[k].values.astype(float) for k in ("mean", "lower", "upper"))
    verdict = np.array([inputs.SIDES.get(str(v), str(v)) for v in pairs["verdict"].values])
    drawn, flip = np.isfinite(mean), sign * mean < 0
    if against is not None:
        check_system(against.system, [*a, *b], "baseline")
        drawn &= (a == against.system) | (b == against.system)
        flip = a == against.system
    flipped = np.array([_FLIPPED.get(v, v) for v in verdict.tolist()])
    rows = {
        "a": np.where(flip, b, a),
        "b": np.where(flip, a, b),
        "middle": np.where(flip, -mean, mean),
        "lower": np.where(flip, -upper, lower),
        "upper": np.where(flip, -lower, upper),
        "verdict": np.where(flip, flipped, verdict),
    }
    return pd.DataFrame(rows)[drawn]


def _nearest(rows: Any, rope: float, limit: int, provenance: Signature) -> np.ndarray:
    """Select the rows to draw, by mean: all, or those closest to a change of verdict."""
    middle = rows.middle.to_numpy()
    reach = special.ndtri((1 + (provenance.ci_prob or names.CI_PROB)) / 2)
    sd = (rows.upper - rows.lower).to_numpy() / (2 * reach)
    sd = np.maximum(sd, np.finfo(float).eps)
    needed = special.ndtri(provenance.threshold or names.VERDICT_PROB)
    distance = np.abs(np.abs(middle) / sd - needed)
    if rope:
        inside = special.ndtr((rope - middle) / sd) - special.ndtr((-rope - middle) / sd)
        distance = np.minimum(distance, np.abs(special.ndtri(inside) - needed))
    selected = np.argsort(distance, kind="stable")[:limit]
    mean = -middle if provenance.lower_mean else middle
    return selected[np.lexsort((selected, -mean[selected]))]


def _row_names(rows: Any, against: inputs.Reference | None) -> list[str]:
    systems_drawn = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
    if against is not None:
        return [name[a] for a in rows.a]
    return [f"{name[a]} − {name[b]}" for a, b in zip(rows.a, rows.b, strict=True)]


def _draw(ax: "Axes", rows: Any, place: np.ndarray, rope: float, needed: float) -> None:
    limits = (-0.6, ax.get_ylim()[0])  # not behind the legend
    if rope:
        look: dict[str, Any] = {"color": drawing.ROPE, "linewidth": 0, "zorder": 0}
        ax.fill_betweenx(limits, -rope, rope, **look, label=f"ROPE: |d| ≤ {rope:g}")
    ax.vlines(0, *limits, colors=drawing.INK, linewidth=0.8, zorder=1)
    colors = drawing.colors_of(rows.verdict.tolist())
    ax.hlines(place, rows.lower, rows.upper, colors=colors, linewidth=1.3, zorder=2)
    drawing.mark_verdicts(ax, rows.middle.to_numpy(), place, rows.verdict.tolist(), needed)
    ax.margins(x=0.03)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)
    ax.locator_params(axis="x", nbins=5)
    ax.legend(loc="upper left", ncols=1, **drawing.LEGEND)


def _title(provenance: Signature, quantity: str, n_drawn: int, total: int, reference: str) -> str:
    interval = "interval"
    if provenance.ci_kind and provenance.ci_prob:
        interval = interval_label(vars(provenance))
    subject = f"from {reference}" if reference else "of each pair"
    title = f"{quantity} {subject}: mean and {interval}"
    if provenance.draws:
        title += f", from {inputs.sampled(provenance)}"
    if n_drawn < total and reference:
        title += f"\n{n_drawn} of {total:,} systems: those without a verdict, then the best"
    elif n_drawn < total:
        title += f"\n{n_drawn} of {total:,} pairs: those closest to a change of verdict"
    return title


_POINTS = ((1, 81), (2000, 21))  # up to so many pairs; above them 11
_UNSURE = (0.5, 0.99999)  # what the normal approximation says where the exact mass is computed


def rope_curve(
    data: Any,
    *,
    systems: Any = None,
    widest: float = 0.2,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot how the probabilities, or the verdicts, depend on the half-width of the ROPE.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        Result of `compare` from counts in closed form; or scores or counts, with the number of
        ties.
    systems : list of str or mapping of str to str, optional
        Systems to draw; with two, their probabilities. A mapping renames them.
    widest : float, default 0.2
        Largest half-width to draw, a difference of probabilities.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: 1.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        For two systems, three curves (below, within, and above the ROPE) and the threshold of a
        verdict. For more, pairs by verdict, stacked: better, and by more than the ROPE; better;
        equivalent; undecided.

    Raises
    ------
    ValueError
        If the results are not from counts, the ties are unknown, a system is unknown, or the widest
        ROPE is not between 0 and 1.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.rope_curve(bt.compare(counts), widest=0.05)
    >>> within = ax.lines[1].get_ydata()
    >>> float(within[0]), float(within[-1].round(3))
    (0.0, 1.0)
    """
    if not checks.rope(widest, "widest") > 0:
        raise ValueError("widest is 0; give the half width up to which to draw, below 1")
    inputs.refuse_means(data)
    counts = inputs.pairs(data, systems)
    posterior_parameters: Any = _parameters(counts)
    threshold = Signature.from_attrs(counts.attrs).threshold or names.VERDICT_PROB
    # fewer widths where there are many pairs, of which each costs
    points = next((points for most, points in _POINTS if len(counts) <= most), 11)
    width = np.linspace(0, widest, points)
    with drawing.canvas(ax, drawing.width(columns, drawing.COLUMN), 3.2) as ax:
        if len(counts) == 1:
            masses = _masses(width, *posterior_parameters)
            title = _draw_masses(ax, width, masses, counts, threshold)
        else:
            title = _draw_verdicts(ax, width, posterior_parameters, threshold)
        if counts.attrs.get("joint") and len(counts) == 1:
            title += f"\n{inputs.PAIRWISE}"
        ax.set(xlim=(0, widest), xlabel="Half width of the ROPE")
        drawing.plain_numbers(ax.xaxis)
        return drawing.finish(ax, title)


def _parameters(counts: xr.DataArray) -> Any:
    if counts.sizes[names.OUTCOME] == 2 and counts.attrs.get("ties", "unknown") == "unknown":
        raise ValueError("a ROPE needs the number of ties, which these data do not have")
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
        (above, f"{first} better", drawing.BETTER, "-"),
        (within, "within the ROPE", drawing.EQUIVALENT, "--"),
        (below, f"{second} better", drawing.WORSE, ":"),
    )
    lines = [
        ax.plot(width, mass, color=color, linestyle=line, linewidth=1.6, label=label)[0]
        for mass, label, color, line in looks
    ]
    ax.axhline(threshold, color=drawing.FAINT, linewidth=0.8)
    ax.set(ylim=(-0.02, 1.02), ylabel="Posterior probability")
    _below_axis(ax, handles=lines)  # by themselves, matplotlib leaves out names such as _base
    reached = np.flatnonzero(within >= threshold)
    if not reached.size:
        return f"No ROPE up to {width[-1]:g} has probability {threshold:g}"
    return f"A ROPE of about {width[reached[0]]:.2g} has probability {threshold:g}"


def _below_axis(ax: "Axes", **entries: Any) -> None:
    """The legend under the label of x."""
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.26), **drawing.LEGEND, **entries)


def _draw_verdicts(
    ax: "Axes", width: np.ndarray, posterior_parameters: Any, threshold: float
) -> str:
    """Stack the proportions of the pairs by verdict."""
    parts = _verdicts(width, *posterior_parameters, threshold=threshold)
    labels = ("better by more than the ROPE", "better", "practically equivalent", "undecided")
    colors = (drawing.BETTER, drawing.CLASSES[5], drawing.EQUIVALENT, "white")
    shares = [part.mean(0) for part in parts]
    ax.stackplot(width, *shares, labels=labels, colors=colors, edgecolor=drawing.INK, linewidth=0.5)
    ax.set(ylim=(0, 1), ylabel="Proportion of pairs")
    _below_axis(ax)
    n = len(posterior_parameters[0])
    return f"Pairwise verdicts on {n:,} pairs, threshold {threshold:g}"


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

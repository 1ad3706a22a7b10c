"""Figures of all systems: the pairwise matrix, ranks, the leaderboard, and groups."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact.swaps.cliques import maximal_cliques
from betterthan.plot import drawing, inputs
from betterthan.plot.inputs import chosen, picked
from betterthan.results import numbers, tables
from betterthan.results.facts import score_label, score_noun
from betterthan.results.score_sentences import statistic_label
from betterthan.results.sentences import capital
from betterthan.scores.resampling import bootstrap
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ranks(
    data: Any,
    *,
    systems: Any = None,
    limit: int = 30,
    rng: Any = None,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot the probability of each rank of each system.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        Result of `compare`, `scores.bootstrap`, or `fits.compare`, with ``prob_rank`` (system,
        rank), the ranks from the best, and ``expected_rank`` (system). Or scores, for which
        `scores.bootstrap` is run.
    systems : list of str or mapping of str to str, optional
        Systems to draw, in this order; a mapping renames them. Ranks still refer to all systems.
        Default: in the order of the table, else by expected rank, best first.
    limit : int, default 30
        Largest number of systems to draw.
    rng : int, numpy.random.Generator or None
        Seed, for scores.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: the width that the
        content needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Rows are systems, with P(best) on the right; columns are ranks.

    Raises
    ------
    ValueError
        If the data have no ranks and are not scores, a system is unknown, or the limit is not
        positive.

    Examples
    --------
    >>> import betterthan as bt, numpy as np, xarray as xr
    >>> scores = xr.DataArray(
    ...     np.random.default_rng(1).random((40, 3)) + [0, 0.1, 0.3],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> ax = bt.plot.ranks(bt.scores.bootstrap(scores, rng=1, draws=500))
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'C'
    """
    limit = checks.whole(limit, "limit")
    ranked = _ranked(inputs.comparison_dataset(data), rng)
    best: Any = np.argsort(ranked["expected_rank"].values, kind="stable")
    present = [str(system) for system in ranked[names.SYSTEM].values]
    best = [present.index(system) for system in inputs.table_order(ranked)] or best
    rows = picked(ranked, (names.SYSTEM,), systems, best)[{names.SYSTEM: slice(limit)}]
    probabilities = rows["prob_rank"].transpose(names.SYSTEM, "rank").values
    if len(probabilities) < probabilities.shape[1]:  # up to the last rank that one may have
        last = int(np.flatnonzero(probabilities.max(0) >= 0.005).max()) + 1
        probabilities = probabilities[:, :last]
    labels = drawing.labels(rows[names.SYSTEM].values.tolist())
    needed = max(0.12 * probabilities.shape[1], 1.2) + drawing.inches(labels) + 0.6
    height = 0.17 * len(probabilities) + 1.1
    with drawing.canvas(ax, drawing.width(columns, needed), height) as ax:
        drawing.shade(ax, probabilities)
        ax.set_yticks(np.arange(len(labels)), labels, fontsize=7.5)
        last = probabilities.shape[1]
        ticks = np.arange(0, last, max(int(np.ceil(last / 12)), 1))
        ax.set_xticks(ticks, [str(tick + 1) for tick in ticks], fontsize=7.5)
        ax.tick_params(length=0)
        ax.set_xlabel("Rank")
        best = zip(rows["prob_best"].values, tables.best_errors(rows), strict=True)
        best_texts = [numbers.probability(float(p), float(mcse)) for p, mcse in best]
        drawing.write_at_right(ax, best_texts)
        n_drawn, total = len(probabilities), ranked.sizes[names.SYSTEM]
        drawn = f"{n_drawn} of {total}" if n_drawn < total else f"{total}"
        title = f"Posterior probability of each rank, {drawn} systems\nOn the right: P(best)"
        return drawing.finish(ax, title)


def _ranked(data: Any, rng: Any) -> xr.Dataset:
    if isinstance(data, xr.DataArray) and names.OUTCOME not in data.dims:
        data = bootstrap(data, rng=rng)
    if isinstance(data, xr.Dataset) and {"prob_rank", "expected_rank", "prob_best"} <= set(data):
        return data
    attrs = getattr(data, "attrs", {})
    why = attrs.get("no_joint", "there is no 'prob_rank'")
    if "no_joint" not in attrs and isinstance(data, xr.Dataset) and "prob_better" in data:
        why = "P(better) says all of two systems"
        if model := attrs.get("model"):
            why = f"{inputs.named(model)} is pairwise"
    raise ValueError(
        f"data hold no ranks: {why}; give scores, what betterthan.scores.bootstrap returns, or "
        "what betterthan.fits.compare returns of davidson, item_response or mallows"
    )


_PAGE_ROWS = 60  # systems that fit on a page of a paper
_PLOT, _NUMBERS = 1.4, 0.5  # inches: of the scores, and of the numbers on the right


def leaderboard(
    data: Any,
    *,
    systems: Any = None,
    limit: int = 150,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot a leaderboard: the score, interval, and verdict of each system, best first.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        Result of `compare`. It shows ``score`` with ``score_lower`` and ``score_upper`` over system
        or, without these, the mean probability of being better than another system.
    systems : list of str or mapping of str to str, optional
        Systems to draw; a mapping renames them. Their order is by rank.
    limit : int, default 150
        Largest number of systems to draw, the best ones; at most 60 if `columns` is passed.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: the width that the
        content needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Marks show the verdict on each system against the reference of the printed picture. The
        contenders (systems that may be the best) are in bold, and P(best) is on the right. Each
        interval is of one system: overlapping intervals do not show that two systems are equal.

    Raises
    ------
    ValueError
        If the data are not a comparison, a system is unknown, the limit is not positive, or
        `columns` is not 1 or 2.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (3, 12, 6)})
    >>> ax = bt.plot.leaderboard(bt.compare(counts))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B', 'A']
    """
    limit = checks.whole(limit, "limit")
    dataset = inputs.compared(data)
    table, axis_label = _table(dataset)
    name = chosen(systems, table["system"].tolist())
    limit = limit if columns is None else min(limit, _PAGE_ROWS)
    table = table[table["system"].isin(list(name))].head(limit)
    labels = drawing.labels([name[system] for system in table["system"]])
    best: Any = []
    if "prob_best" in table:
        errors = table["prob_best_mcse"] if "prob_best_mcse" in table else 0 * table["prob_best"]
        best = list(map(numbers.probability, table["prob_best"], errors))
    compared_with = inputs.reference(dataset)
    against = inputs.verdicts_against(dataset, compared_with)
    verdicts = [against.get(system, "") for system in table["system"]]
    step = 0.17 if len(table) <= 40 else 0.125
    width = drawing.width(columns, _PLOT + drawing.inches(labels) + _NUMBERS * bool(best))
    lines = len({*verdicts} - {""}) + bool(against)
    with drawing.canvas(ax, width, 1.1 + step * len(table) + _LINE * lines) as ax:
        drawing.name_rows(ax, labels, above=0.6 + lines * _LINE / step)
        drawing.write_at_right(ax, ["P(best)", *best] if best else [], offset=4, first=-1)
        _draw_leaderboard(ax, table, verdicts, dataset)
        ax.set_xlabel(axis_label)
        title = _leaderboard_title(dataset, table, len(name))
        if against and compared_with:
            label = drawing.short_label(inputs.called(compared_with.system, systems), name.values())
            title += f"\nVerdicts against {label} ({compared_with.role})"
        return drawing.finish(ax, title)


_LINE = 0.17  # inches of a line of the legend


def _table(dataset: Any) -> tuple[Any, str]:
    """Tabulate systems, best first, with the columns middle, low and high."""
    table: Any = tables.systems(dataset)
    if "score" in table:
        limits = {"low": table.get("score_lower"), "high": table.get("score_upper")}
        provenance = Signature.from_attrs(dataset.attrs)
        axis_label = _score_label(dataset, table)
        axis_label += " (lower is better)" if provenance.higher_is_better is False else ""
        return table.assign(middle=table["score"], **limits), axis_label
    leading = tables.leading(dataset)
    square = tables.square(leading.assign(prob_better=inputs.answered(leading)))
    values = square.to_numpy(copy=True)
    np.fill_diagonal(values, np.nan)
    observed = np.isfinite(values)
    mean = np.where(observed, values, 0).sum(1) / np.maximum(observed.sum(1), 1)
    middle = pd.Series(mean, square.index).reindex(table["system"]).to_numpy()
    table = table.assign(middle=middle, low=None, high=None)
    if "expected_rank" not in table:
        table = table.sort_values("middle", ascending=False, kind="stable")
    return table, "Mean P(better than another system)"


def _score_label(dataset: Any, table: Any) -> str:
    """What the score of a system is, such as "Accuracy" or "F1"."""
    if "statistic" in dataset.attrs:
        return capital(statistic_label(dataset))
    return score_label(Signature.from_attrs(dataset.attrs), "n_right" in table)


def _draw_leaderboard(ax: "Axes", table: Any, verdicts: list[str], dataset: Any) -> None:
    place, middle = np.arange(len(table)), table["middle"].to_numpy(float)
    if table["low"].notna().any():
        limits = (table[k].to_numpy(float) for k in ("low", "high"))
        ax.hlines(place, *limits, colors=drawing.colors_of(verdicts), linewidth=1.2, zorder=2)
    threshold = Signature.from_attrs(dataset.attrs).threshold or names.VERDICT_PROB
    drawing.mark_verdicts(ax, middle, place, verdicts, threshold)
    without = np.array([not verdict for verdict in verdicts])
    look: dict[str, Any] = {"color": drawing.INK, "markersize": 4.5, "zorder": 3}
    label = "reference" if not without.all() else None
    ax.plot(middle[without], place[without], "|" if label else "o", mew=2, label=label, **look)
    if label:
        ax.legend(loc="upper left", **drawing.LEGEND)
    in_best_set = table.get("in_best_set", pd.Series(False, index=table.index)).to_numpy(bool)
    for text, best in zip(ax.get_yticklabels(), in_best_set, strict=True):
        text.set_fontweight("bold" if best else "normal")
    ax.margins(x=0.05)
    ax.grid(axis="x", color=drawing.GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.locator_params(axis="x", nbins=5)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)


def _leaderboard_title(dataset: Any, table: Any, total: int) -> str:
    provenance = Signature.from_attrs(dataset.attrs)
    title = f"{len(table)} of {total} systems" if len(table) < total else f"{total} systems"
    if table["low"].notna().any():
        quantity = score_noun(_score_label(dataset, table))
        title += f": {quantity} with {100 * (provenance.ci_prob or names.CI_PROB):g}% interval"
    return title + "; bold: may be the best" * ("in_best_set" in table)


_SIMILAR = ("split", "equivalent", "undecided", "no_verdict")


def cliques(
    data: Any,
    *,
    systems: Any = None,
    limit: int = 40,
    columns: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Plot groups of systems without a verdict between them, best system first.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        Result of `compare`, or of `significance.groups`.
    systems : list of str or mapping of str to str, optional
        Systems to draw; a mapping renames them.
    limit : int, default 40
        Largest number of bars to draw: the longest of each system, then the longest of all. The
        title reports if there are more.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches. Default: the width that the
        content needs.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        A bar covers each largest set of systems in which no pair has a better system, or differs
        significantly. It has a mark on each of its members; a system without a mark is not a
        member. Systems that share a bar are undecided, split or practically equivalent. A system
        without a bar is better or worse than every other, or was not compared with it.

    Raises
    ------
    ValueError
        If the data are not a comparison, a system is unknown, the limit is not positive, or there
        are more than 1000 sets.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table(
    ...     {("A", "B"): (9, 8, 3), ("A", "C"): (15, 2, 3), ("B", "C"): (9, 5, 6)}
    ... )
    >>> ax = bt.plot.cliques(bt.compare(counts))
    >>> [line.get_ydata().tolist() for line in ax.lines]  # A and B, B and C
    [[0, 1], [1, 2]]
    """
    limit = checks.whole(limit, "limit")
    grouped = isinstance(data, xr.Dataset) and names.GROUP in data.dims
    dataset = data if grouped else inputs.compared(data)
    ranked = dataset[names.SYSTEM].values.tolist() if grouped else inputs.table_order(dataset)
    name = chosen(systems, ranked)
    selected = [system for system in ranked if system in name]
    if grouped:  # pairs that are marked in both directions
        square = dataset["similar"].transpose(*names.SQUARE)
        marked = square.sel(dict.fromkeys(names.SQUARE, selected)).values
        similar = (marked & marked.T).astype(bool)
    else:
        similar = _similar(dataset, selected)
    all_cliques = [c for c in maximal_cliques(similar) if len(c) > 1]
    by_length = sorted(all_cliques, key=len, reverse=True)
    longest_bar = {system: bar for bar in reversed(by_length) for system in bar}
    first = [bar for bar in by_length if bar in set(longest_bar.values())]
    longest = list(dict.fromkeys(first + by_length))[:limit]
    labels = drawing.labels([name[system] for system in selected])
    step = 0.17 if len(selected) <= 60 else 0.115
    width = drawing.width(columns, 0.5 + 0.12 * len(longest) + drawing.inches(labels))
    with drawing.canvas(ax, width, 0.8 + step * len(selected)) as ax:
        drawing.name_rows(ax, labels, above=0.1)
        bars = sorted(longest)
        for k, members in enumerate(bars):
            color = drawing.INK if k % 2 == 0 else drawing.UNDECIDED
            look: dict[str, Any] = {"color": color, "linewidth": 1.4, "solid_capstyle": "round"}
            ax.plot([k] * len(members), list(members), "-o", markersize=3, **look)
        ax.set(xlim=(-0.8, max(len(bars), _BARS) - 0.2), xticks=[])
        ax.spines[["left", "bottom"]].set_visible(False)
        return drawing.finish(ax, _groups_title(dataset, grouped, len(longest), len(all_cliques)))


def _similar(dataset: Any, selected: list[str]) -> np.ndarray:
    """Mark pairs that were compared, without a better system, in the order of the rows."""
    final = tables.leading(dataset)["verdict"]
    if final.dims == (names.PAIR,):
        places = {system: k for k, system in enumerate(selected)}
        similar = np.eye(len(selected), dtype=bool)
        a, b = inputs.pair_names(final)
        for x, y, verdict in zip(a, b, final.values.astype(str), strict=True):
            if verdict in _SIMILAR and x in places and y in places:
                similar[places[x], places[y]] = similar[places[y], places[x]] = True
        return similar
    verdict = final.transpose(*names.SQUARE).sel(dict.fromkeys(names.SQUARE, selected))
    return np.isin(verdict.values.astype(str), _SIMILAR) | np.eye(len(selected), dtype=bool)


_BARS = 6  # few bars stay near the names


def _groups_title(dataset: Any, grouped: bool, n_drawn: int, total: int) -> str:
    if grouped:
        level = f"p ≤ {dataset.attrs['cutoff']:g}"
        none, shared = "All systems differ significantly", " do not differ significantly"
    else:
        level = f"threshold {dataset.attrs.get('threshold') or names.VERDICT_PROB:g}"
        none, shared = "Every compared pair has a better system", ": no better system in any pair"
    more = f"\n{n_drawn} of {total:,} bars, each system's longest first" if n_drawn < total else ""
    return f"Systems that share a bar{shared}, {level}{more}" if total else f"{none}, {level}"


_NUMBERS_MAX = 20  # systems up to which cells hold numbers
_NAMED_MAX = 40  # systems up to which columns are named; above, they carry the numbers of the rows
_PITCH = 7.2  # points from row to row that a label needs
_SHORT = 14  # characters of names where numbers have no room next to longer ones
_CELL = 0.235  # inches from cell to cell that a number needs


def matrix(
    data: Any, *, systems: Any = None, columns: int | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Plot a heat map of P(row better than column).

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        Result of `compare`, of which the first engine is drawn, with the joint result if there is
        one; probabilities (system_a, system_b) that system_a is better than system_b, with NaN for
        none, drawn hatched; scores or counts, from which `prob_better` is computed; or draws from
        `posterior.draws`, from the ``fit`` of a core model, or from `fits.adopt`. For other fits
        pass the result of `fits.compare`. The diagonal has no number.
    systems : list of str or mapping of str to str, optional
        Systems to show, in this order; a mapping renames them. Default: all, in the order of the
        table of a comparison, else by mean probability, best first.
    columns : {1, 2}, optional
        Width of the figure in columns of a paper, 3.4 or 7 inches, and at most 9 inches high.
        Default: the width that the content needs, and the height that the names of all rows need.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        Seven classes of color over the full range of 0 to 1; the threshold of a verdict bounds the
        outer two. Numbers are in percent, up to 20 systems, if cells are large enough, and bold if
        there is a verdict for one side; none if draws have not converged. If names do not fit above
        the columns, rows are numbered and columns carry these numbers.

    Raises
    ------
    ValueError
        If the data are none of these, draws are of another model, `systems` names an unknown
        system or one twice, or `columns` is not 1 or 2.

    Examples
    --------
    >>> import betterthan as bt
    >>> ax = bt.plot.matrix(bt.counts.from_table({("A", "B"): (3, 12, 6)}))
    >>> [text.get_text() for text in ax.texts]  # B is the better one and comes first
    ['99', '1']
    >>> ax.figure.savefig("matrix.png")  # doctest: +SKIP
    """
    prob = inputs.probabilities(data, systems)
    values, n = prob.values, prob.sizes[names.SYSTEM_A]
    provenance = Signature.from_attrs(prob.attrs)
    needed = provenance.threshold or names.VERDICT_PROB
    systems_drawn = prob[names.SYSTEM_A].values.tolist()
    labels = drawing.labels(systems_drawn)
    layout = _layout(n, labels, columns)
    if n <= _NUMBERS_MAX and not layout.has_numbers:
        labels = drawing.labels(systems_drawn, _SHORT)
        layout = _layout(n, labels, columns)
    with drawing.canvas(ax, layout.width, layout.height) as ax:
        _draw_cells(ax, values, needed)
        note = _name_few(ax, labels, layout) if n <= _NAMED_MAX else _name_many(ax, labels)
        if layout.has_numbers:
            certain = np.maximum(values, 1 - values) >= needed
            bold = prob["decided"].values if "decided" in prob.coords else certain
            _write_numbers(ax, values, bold, needed)
            note += f"In percent; bold: one is better (P ≥ {needed:g})"
            if provenance.failures:
                note = "In percent; no verdict: the draws have not converged"
        else:
            _color_bar(ax)
        joint = "From the joint model of all systems" if prob.attrs.get("joint") else ""
        draws = f", from {inputs.sampled(provenance)}" if provenance.draws else ""
        lines = (f"P(row better than column){draws}", joint, note)
        return drawing.finish(ax, "\n".join(filter(None, lines)))


class _Layout(NamedTuple):
    """Size in inches, and what the cells and the heads of the columns have room for."""

    width: float
    height: float
    has_numbers: bool
    has_names: bool  # above the columns, else the numbers of the rows


def _layout(n: int, labels: list[str], columns: int | None) -> _Layout:
    """The size of a figure of n systems: cells as small as their content allows."""
    names_left = drawing.inches(labels) + 0.3
    if n > _NAMED_MAX:
        width = drawing.width(columns, drawing.PAGE)
        tallest = 14.0 if columns is None else drawing.PAGE_HEIGHT
        return _Layout(width, min(n * _PITCH / 72 + 1.0, tallest), False, False)
    slanted = 0.8 * drawing.inches(labels)
    bar = 0.0 if n <= _NUMBERS_MAX else 0.8
    cell = 0.3 if n <= _NUMBERS_MAX else 0.11
    width = drawing.width(columns, n * cell + names_left + bar)
    free = width - names_left - bar
    has_names = n * cell + max(slanted - bar, 0) <= free
    cell = min((free - max(slanted - bar, 0) * has_names) / n, 0.42)
    has_numbers = n <= _NUMBERS_MAX and cell >= _CELL
    if n <= _NUMBERS_MAX and not has_numbers:
        cell = min((free - 0.8) / n, cell)
    height = n * cell + (slanted if has_names else 0.2) + 0.75
    return _Layout(width, height, has_numbers, has_names)


def _draw_cells(ax: "Axes", values: np.ndarray, threshold: float) -> None:
    colors, norm = drawing.classes(threshold)
    # shows through where NaN
    ax.patch.set(facecolor="white", edgecolor=drawing.FAINT, hatch="////")
    aspect = "equal" if len(values) <= _NAMED_MAX else "auto"
    colors = colors.with_extremes(bad=(0, 0, 0, 0))
    ax.imshow(values, cmap=colors, norm=norm, aspect=aspect, interpolation="nearest")
    ax.set_anchor("W")
    ax.spines[:].set_visible(False)
    if len(values) <= _NAMED_MAX:
        edges = np.arange(len(values) + 1) - 0.5
        ax.hlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)
        ax.vlines(edges, -0.5, len(values) - 0.5, colors="white", linewidth=0.8)


def _color_bar(ax: "Axes") -> None:
    figure: Any = ax.figure
    look: dict[str, Any] = {"shrink": 0.9, "aspect": 30, "pad": 0.02, "spacing": "uniform"}
    norm: Any = ax.images[-1].norm
    edges = norm.boundaries.tolist()
    bar = figure.colorbar(ax.images[-1], ax=ax, ticks=edges, **look)
    bar.ax.set_yticklabels([f"{edge:.3g}" for edge in edges])
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=2)


def _name_few(ax: "Axes", systems: list[str], layout: _Layout) -> str:
    size = 7.5 if len(systems) <= _NUMBERS_MAX else drawing.SMALL
    places = np.arange(len(systems))
    rows, heads = systems, systems
    if not layout.has_names:
        rows = [f"{name}  {k + 1}" for k, name in enumerate(systems)]
        heads = [str(k + 1) for k in places]
    ax.set_yticks(places, rows, fontsize=size)
    drawing.name_columns(ax, heads, size)
    return "" if layout.has_names else "Columns have the numbers of the rows. "


def _name_many(ax: "Axes", systems: list[str]) -> str:
    """Number and name the rows, as many as there is room for; number the columns."""
    n = len(systems)
    every = max(int(np.ceil(_PITCH * 0.95 * n / drawing.size(ax)[1])), 1)
    rows = np.arange(0, n, every)
    ax.set_yticks(rows, [f"{systems[r]}  {r + 1}" for r in rows], fontsize=drawing.SMALL)
    step = 10 if drawing.size(ax)[0] * 10 / n > 14 else 10 * int(np.ceil(n / 60))
    columns = np.unique(np.r_[0, np.arange(step - 1, n, step)])
    ax.set_xticks(columns, [str(c + 1) for c in columns], fontsize=7.5)
    ax.tick_params(length=2, labeltop=True, labelbottom=True, top=True)
    left_out = "" if every == 1 else f"; one row in {every} is named"
    return f"{n} systems, numbered by row{left_out}"


def _write_numbers(ax: "Axes", values: np.ndarray, bold: np.ndarray, threshold: float) -> None:
    middle: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": drawing.SMALL}
    kinds = drawing.class_of(np.nan_to_num(values, nan=0.5), threshold)
    for i, j in np.ndindex(*values.shape):
        if i == j:
            continue
        p = float(values[i, j])
        look: dict[str, Any] = middle | {"color": "white" if kinds[i, j] in (0, 6) else drawing.INK}
        look["fontweight"] = "bold" if bold[i, j] else "normal"
        if np.isnan(p):
            look["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        ax.text(j, i, numbers.percent(p, threshold), **look)

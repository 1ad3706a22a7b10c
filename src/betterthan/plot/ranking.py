"""Figures of all systems: ranks, the leaderboard, and groups not significantly different."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.exact.swaps.cliques import maximal_cliques
from betterthan.plot import drawing, inputs
from betterthan.plot.inputs import chosen, picked
from betterthan.results import rows
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
    ax: "Axes | None" = None,
) -> "Axes":
    """Probability of each rank of each system, from joint draws.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`, `scores.bootstrap` or `fits.compare`: ``prob_rank`` (system, rank), the
        ranks from the best, and ``expected_rank`` (system). Or scores, of which `scores.bootstrap`
        is taken.
    systems : list of str or mapping of str to str, optional
        Systems to draw, in this order; a mapping says what to call them. Ranks stay those among all
        systems. Default: by expected rank, the best first.
    limit : int, default 30
        Systems to draw at most.
    rng : int, numpy.random.Generator or None
        For scores.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Rows are systems, the best expected rank at the top, with P(best) at the right; columns are
        ranks.

    Raises
    ------
    ValueError
        If the data hold no ranks and are no scores, a system is unknown, or the limit is not
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
    best = np.argsort(ranked["expected_rank"].values, kind="stable")
    rows = picked(ranked, (names.SYSTEM,), systems, best)[{names.SYSTEM: slice(limit)}]
    probabilities = rows["prob_rank"].transpose(names.SYSTEM, "rank").values
    probabilities = probabilities[:, : _last_rank(probabilities)]
    with drawing.style():
        labels = drawing.labels(rows[names.SYSTEM].values.tolist())
        width = max(0.3 * probabilities.shape[1], 2.5) + drawing.inches(labels) + 1.4
        ax = drawing.axes(ax, min(width, 12.0), 0.21 * len(probabilities) + 1.2)
        _draw_cells(ax, probabilities, labels)
        drawing.write_at_right(ax, [drawing.percent(float(p)) for p in rows["prob_best"].values])
        return drawing.finish(ax, _title(len(probabilities), ranked.sizes[names.SYSTEM]))


def _title(n_drawn: int, total: int) -> str:
    count_text = f"{n_drawn} of {total}" if n_drawn < total else f"{total}"
    return f"Probability of each rank, {count_text} systems\nAt the right P(best), in percent"


def _ranked(data: Any, rng: Any) -> xr.Dataset:
    if isinstance(data, xr.DataArray) and names.OUTCOME not in data.dims:
        data = bootstrap(data, rng=rng)
    if isinstance(data, xr.Dataset) and {"prob_rank", "expected_rank", "prob_best"} <= set(data):
        return data
    attrs = getattr(data, "attrs", {})
    why = attrs.get("no_joint", "there is no 'prob_rank'")
    if "no_joint" not in attrs and isinstance(data, xr.Dataset) and "prob_better" in data:
        why = f"{inputs.named(attrs.get('model'))} answers each pair by itself"
    raise ValueError(
        f"data hold no ranks: {why}; give scores, what betterthan.scores.bootstrap returns, or "
        "what betterthan.fits.compare returns of davidson, item_response or mallows"
    )


def _last_rank(chances: np.ndarray) -> int:
    """All ranks where all systems are shown; else up to the last that one of them may have."""
    if len(chances) == chances.shape[1]:
        return len(chances)
    return int(np.flatnonzero(chances.max(0) >= 0.005).max()) + 1


def _draw_cells(ax: "Axes", chances: np.ndarray, labels: list[str]) -> None:
    drawing.shade(ax, chances)
    ax.set_yticks(np.arange(len(labels)), labels, fontsize=8)
    last = chances.shape[1]
    ranks = np.arange(0, last, max(last // 15, 1))
    ax.set_xticks(ranks, [str(r + 1) for r in ranks], fontsize=8)
    ax.tick_params(length=0)
    ax.set_xlabel("rank")


_WIDTH = 3.5  # inches: one column of a paper


def leaderboard(
    data: Any, *, systems: Any = None, limit: int = 150, ax: "Axes | None" = None
) -> "Axes":
    """Forest of the systems: score and interval of each, the best first.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        From `compare`. ``score`` with ``score_lower`` and ``score_upper`` over system where it has
        them, else the mean probability of being better than another system.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them. Their order is by rank.
    limit : int, default 150
        Systems to draw at most, the best ones.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Filled marks are the systems among which the best one is, with the mass of the intervals;
        at the right P(best), in percent. Intervals are of each system by itself: whether two
        systems differ is not told by whether theirs overlap.

    Raises
    ------
    ValueError
        If the data are no comparison, a system is unknown, or the limit is not positive.

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
    table = table[table["system"].isin(list(name))].head(limit)
    labels = drawing.labels([name[system] for system in table["system"]])
    with drawing.style():
        step = 0.19 if len(table) <= 60 else 0.125
        ax = drawing.axes(ax, _WIDTH + drawing.inches(labels) / 2, 1.0 + step * len(table))
        drawing.name_rows(ax, labels, _best_probabilities(table))
        _draw_leaderboard(ax, table)
        ax.set_xlabel(axis_label)
        return drawing.finish(ax, _leaderboard_title(dataset, table, len(name)))


def _table(dataset: Any) -> tuple[Any, str]:
    """Tabulate systems, best first, with the columns middle, low and high."""
    table: Any = rows.systems(dataset)
    if "score" in table:
        limits = {"low": table.get("score_lower"), "high": table.get("score_upper")}
        lower = Signature.from_attrs(dataset.attrs).higher_is_better is False
        axis_label = "score, lower is better" if lower else "score"
        return table.assign(middle=table["score"], **limits), axis_label
    leading = rows.leading(dataset)
    square = rows.square(leading.assign(prob_better=inputs.answered(leading)))
    values = square.to_numpy(copy=True)
    np.fill_diagonal(values, np.nan)
    observed = np.isfinite(values)
    mean = np.where(observed, values, 0).sum(1) / np.maximum(observed.sum(1), 1)
    middle = pd.Series(mean, square.index).reindex(table["system"]).to_numpy()
    table = table.assign(middle=middle, low=None, high=None)
    if "expected_rank" not in table:
        table = table.sort_values("middle", ascending=False, kind="stable")
    return table, "mean probability of being better than another"


def _best_probabilities(table: Any) -> list[str]:
    if "prob_best" not in table:
        return []
    return [drawing.percent(float(p)) for p in table["prob_best"]]


def _draw_leaderboard(ax: "Axes", table: Any) -> None:
    place = np.arange(len(table))
    in_best_set = table.get("in_best_set", pd.Series(False, index=table.index)).to_numpy(bool)
    if table["low"].notna().any():
        limits = (table[k].to_numpy(float) for k in ("low", "high"))
        ax.hlines(place, *limits, colors=drawing.COLOUR_A, linewidth=1.2, zorder=2)
    _mark(ax, table["middle"].to_numpy(float), in_best_set)
    ax.margins(x=0.05)
    ax.grid(axis="x", color=drawing.COLOUR_TIE, linewidth=0.6)
    ax.set_axisbelow(True)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)


def _mark(ax: "Axes", middle: np.ndarray, in_best_set: np.ndarray) -> None:
    """Draw a marker for each system, filled if it may be the best."""
    look: dict[str, Any] = {"markersize": 4.5, "markeredgewidth": 1.0, "zorder": 3}
    look["markeredgecolor"] = drawing.COLOUR_A
    for selected, face, label in (
        (in_best_set, drawing.COLOUR_A, "may be the best"),
        (~in_best_set, "white", None),
    ):
        ax.plot(
            middle[selected],
            np.flatnonzero(selected),
            "o",
            **look,
            markerfacecolor=face,
            label=label,
        )
    if in_best_set.any():
        ax.legend(loc="upper left", borderaxespad=0, borderpad=0.2, handletextpad=0.3)


def _leaderboard_title(dataset: Any, table: Any, total: int) -> str:
    provenance = Signature.from_attrs(dataset.attrs)
    count_text = f"{len(table)} of {total} systems" if len(table) < total else f"{total} systems"
    interval_text = ""
    if table["low"].notna().any():
        interval_text = f", score with {100 * (provenance.ci_prob or names.CI_PROB):g} % interval"
    best = "\nAt the right P(best), in percent" if "prob_best" in table else ""
    return count_text + interval_text + best


_DECIDED = ("a_better", "b_better")


def cliques(data: Any, *, systems: Any = None, limit: int = 40, ax: "Axes | None" = None) -> "Axes":
    """Systems from the best to the worst, and a bar over each largest set of them in which no
    verdict names a better one.

    Parameters
    ----------
    data : Comparison or xarray.Dataset
        From `compare`.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them.
    limit : int, default 40
        Bars to draw at most: the longest. The title says so where there are more.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        A bar has a mark on each of its members; a system between its ends without a mark is no
        member. To share a bar is to be open, not to be equal. A system that every other is told
        apart from has no bar.

    Raises
    ------
    ValueError
        If the data are no comparison, a system is unknown, the limit is not positive, or there are
        more than 1000 sets.

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
    dataset = inputs.compared(data)
    ranked = rows.systems(dataset)["system"].tolist()
    name = chosen(systems, ranked)
    selected = [system for system in ranked if system in name]
    all_cliques = [c for c in maximal_cliques(_similar(dataset, selected)) if len(c) > 1]
    longest = sorted(all_cliques, key=len, reverse=True)[:limit]
    labels = drawing.labels([name[system] for system in selected])
    with drawing.style():
        step = 0.19 if len(selected) <= 60 else 0.125
        width = 1.2 + 0.13 * len(longest) + drawing.inches(labels)
        ax = drawing.axes(ax, max(width, 3.5), 0.9 + step * len(selected))
        drawing.name_rows(ax, labels)
        _draw_cliques(ax, sorted(longest))
        return drawing.finish(ax, _cliques_title(dataset, len(longest), len(all_cliques)))


def _similar(dataset: Any, selected: list[str]) -> np.ndarray:
    """Mark pairs without a verdict for either system, in the order of the rows."""
    final = rows.leading(dataset)["verdict"]
    if final.dims == (names.PAIR,):  # a pair that was not compared has no verdict
        places = {system: k for k, system in enumerate(selected)}
        similar = np.ones((len(selected), len(selected)), dtype=bool)
        a, b = inputs.pair_names(final)
        for x, y, verdict in zip(a, b, final.values.astype(str), strict=True):
            if verdict in _DECIDED and x in places and y in places:
                similar[places[x], places[y]] = similar[places[y], places[x]] = False
        return similar
    verdict = final.transpose(*names.SQUARE).sel(dict.fromkeys(names.SQUARE, selected))
    return ~np.isin(verdict.values.astype(str), _DECIDED)


def _draw_cliques(ax: "Axes", bars: list[tuple[int, ...]]) -> None:
    for k, members in enumerate(bars):
        colour = drawing.COLOUR_A if k % 2 == 0 else drawing.FAINT
        look: dict[str, Any] = {"color": colour, "linewidth": 1.4, "solid_capstyle": "round"}
        ax.plot([k] * len(members), list(members), "-o", markersize=3, **look)
    ax.set_xlim(-0.8, max(len(bars), 1) - 0.2)
    ax.set_xticks([])
    ax.spines[["left", "bottom"]].set_visible(False)


def _cliques_title(dataset: Any, n_drawn: int, total: int) -> str:
    provenance = Signature.from_attrs(dataset.attrs)
    level = f"{100 * (provenance.threshold or names.VERDICT_PROB):g}%"
    if not total:
        return f"All systems are different, at {level}"
    more = f"\nThe {n_drawn} longest of {total:,} bars" if n_drawn < total else ""
    return f"Systems that share a bar are not different, at {level}{more}"

"""Tables with a row for each pair: verdicts, the matrix, data sets, ties, more items."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.tables import to_table
from betterthan.results import numbers, tables
from betterthan.results.context import (
    BRIEF_SYSTEMS,
    PAGE_SYSTEMS,
    PAIRS_SYSTEMS,
    PAIRS_VISIBLE,
    ReportContext,
)
from betterthan.results.document import PAIRWISE_VERDICT, VERDICT, Part, Table
from betterthan.results.methods import ENGINES, MODEL_REASONS
from betterthan.results.numbers import labels_on_one_line
from betterthan.results.robustness import outlook_lines, wins_counted_on
from betterthan.results.sentences import difference_name, unit_label, verdict_label

ONE_SIDED_MARK = " †"
_ALTERNATIVES = {"mean": "P(mean better)", "wins": "P(wins more)"}
_COUNTED = ("wins", "losses", "ties")
P_BETTER = tables.deciding("P(better)", "prob_better")
COUNTS = [tables.count(name.capitalize(), name) for name in _COUNTED]
WINS, LOSSES = COUNTS[:2]


def pairs_at(table: xr.Dataset, places: Sequence[tuple[int, int]]) -> xr.Dataset:
    """The pairs at these places of a table over both systems, over (pair,), with their counts by
    name.
    """
    first, second = np.array(places, int).reshape(-1, 2).T
    pairs = tables.select_pairs(table, first, second)
    if "counts" not in pairs:
        return pairs
    counts = pairs["counts"].transpose(names.OUTCOME, names.PAIR).values
    return pairs.assign({k: (names.PAIR, n) for k, n in zip(_COUNTED, counts, strict=False)})


def table_by_pair(
    rows: Any,
    columns: Sequence[tables.Column],
    caption: str = "",
    *,
    left: int = 2,
    name: str = "",
    **folding: Any,
) -> Table:
    """One row for each pair: its systems, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the columns ``system_a`` (the system ahead) and ``system_b``.
    columns : sequence of Column
    caption, left, name, seen
        Of the `Table`.
    """
    heads, cells = tables.written_cells(rows, columns, rows["verdict"].values.astype(str))
    keys = list(sides(rows))
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    heads = ("System", "Other", *heads)
    return Table(heads, written, caption, left=left, name=name, keys=keyed, **folding)


def sides(rows: Any) -> Iterator[tuple[str, str]]:
    """The two systems of each row."""
    return zip(*(labels_on_one_line(rows[k].values) for k in names.SQUARE), strict=True)


def rope_columns(rope: float | None) -> list[tables.Column]:
    """The probability of a difference within the rope, where there is one."""

    def cells(rows: xr.Dataset) -> Any:
        held = [name for name in ("mass", "mass_mcse") if name in rows]
        return tables.deciding("", "mass").write(rows[held].sel({names.REGION: "rope"}))

    return [tables.Column(f"P(|d| ≤ {rope:g})", cells, "mass")] if rope else []


def verdict(
    heading: str = VERDICT,
    name: str = "verdict",
    *,
    unit: str = "",
    reasons: Mapping[str, str] | None = None,
) -> tables.Column:
    """The verdict in words, with the name of the better system.

    Parameters
    ----------
    head, name : str
    unit : str, optional
        What a pair has a single one of where that is why it has no verdict, such as a cluster.
    reasons : mapping, optional
        Words for verdicts of pairs that have none.
    """
    words = reasons or {}

    def cells(rows: Any) -> list[str]:
        single = np.where(tables.single_unit(rows), unit, "") if unit else [""] * len(rows[name])
        verdicts = zip(rows[name].values.astype(str), sides(rows), single, strict=True)
        return [words.get(v) or verdict_label(v, *pair, str(label)) for v, pair, label in verdicts]

    return tables.Column(heading, cells, name, ())


def p_value(
    heading: str, name: str, favours: str = "favours", *, blank: tuple[str, ...] = ()
) -> tables.Column:
    """A p-value, and in brackets the system that it speaks for: the first where `favours` is 1, the
    other where it is -1.
    """

    def cells(rows: Any) -> list[str]:
        errors = rows.get(f"{name}_mcse", rows[name] * 0).values.tolist()
        tests = zip(rows[name].values, errors, rows[favours].values, sides(rows), strict=True)
        return [
            numbers.p_value(p, mcse, with_error=True)
            + ({1: f" ({a})", -1: f" ({b})"}.get(int(favoured), "") if p < 1 else "")
            for p, mcse, favoured, (a, b) in tests
        ]

    return tables.Column(heading, cells, name, blank)


def pairs_table(context: ReportContext, *, brief: bool = False) -> Table:
    """One row for each pair that matters: its difference, P(better), counts and verdict; in full
    also the answer of the pair alone, of the second engine, and of another quantity.
    """
    pairs = context.brief_pairs if brief else context.pairs
    rows = pairs_at(context.data, pairs)
    if not brief and len(context.engine_names) > 1:
        second = tables.pairwise(context.engines.isel({names.ENGINE: 1}))
        both = [v for v in ("prob_better", "prob_better_mcse") if v in second]
        other = pairs_at(second[both], pairs)
        rows = rows.assign({f"engine_{v}": other[v] for v in both})
    total = len(context.systems) * (len(context.systems) - 1) // 2
    caption, elsewhere = "The pair", ""
    if len(pairs) < total:
        base = " and with the baseline" if context.provenance.baseline else ""
        wanted = len(context.wanted)
        some = brief and len(pairs) < wanted
        first = f"{len(pairs):,} of the {wanted:,} pairs" if some else "Pairs"
        caption = f"{first} with the first system{base}, the system ahead first"
        caption += "" if brief else "; and pairs of neighbors"
        left_out = context.n_not_compared(brief)
        caption += f"; {left_out:,} more cannot be compared" if left_out else ""
        elsewhere = f"all {total:,} are in .pairs of the comparison"
        if not brief:
            elsewhere += ", and in pairs.csv"
        elif len(context.systems) <= PAGE_SYSTEMS:
            elsewhere += ", and in the report"
    elif total > 1:
        caption = f"All {total:,} pairs, the system ahead first"
    folding: Any = {"visible": PAIRS_VISIBLE, "elsewhere": elsewhere}
    interval = tables.interval_label(context.provenance.to_attrs())
    size = tables.difference(difference_name(context.provenance), bracketed=interval)
    size, caption = with_marks(size, rows, caption, interval)
    columns = [
        size,
        *rope_columns(context.rope),
        P_BETTER,
        *COUNTS,
        verdict(unit=unit_label(context.provenance)),
        *([] if brief else _further_columns(context)),
    ]
    return table_by_pair(rows, columns, caption, name="pairs", **folding)


def with_marks(
    size: tables.Column, rows: Any, caption: str, interval: str = "interval"
) -> tuple[tables.Column, str]:
    """A column of differences with a mark where a verdict is one-sided and the interval includes 0,
    and the caption that explains the mark.
    """
    if size.needs not in rows or not any(_marks(rows)):
        return size, caption
    marks = tables.Column("", _marks)
    marked = tables.joined(size.heading, "", size, marks, blank=tables.NO_VERDICT)
    return marked, f"{caption}.{ONE_SIDED_MARK}: one-sided; the {interval} includes 0"


def _marks(rows: Any) -> list[str]:
    """A mark on verdicts whose interval includes 0."""
    verdict, *bounds = (rows[k].values for k in ("verdict", "difference_lower", "difference_upper"))
    return np.where(tables.one_sided(verdict, *bounds), ONE_SIDED_MARK, "").tolist()


def _further_columns(context: ReportContext) -> list[tables.Column]:
    wrong = tables.probability("", "prob_better_if_wrong")
    sign = tables.probability("Sign error", "sign_error", error="prob_better_mcse")
    return [
        tables.joined("Missing as wrong", ", ", verdict(name="verdict_if_wrong"), wrong),
        tables.deciding("Pairwise P(better)", "pairwise_prob_better", blank=tables.NO_DATA),
        verdict(PAIRWISE_VERDICT, "pairwise_verdict"),
        *(
            tables.probability(ENGINES[name].column, "engine_prob_better", blank=tables.NO_DATA)
            for name in context.engine_names[1:2]
        ),
        *(
            tables.probability(heading, f"{k}_prob_better", blank=tables.NO_DATA)
            for k, heading in _ALTERNATIVES.items()
        ),
        tables.number("z", "z", "{:+.1f}".format, blank=tables.NO_DATA),
        tables.number("BF01", "bayes_factor_01", numbers.bayes_factor),
        tables.number("MC error", "prob_better_mcse", "{:.1g}".format),
        *([sign] if context.many else []),
    ]


def unmarked_verdicts(context: ReportContext) -> set[str]:
    """Verdicts of pairs that the matrix does not mark, as they name no better system."""
    verdicts = context.data["verdict"].transpose(*names.SQUARE).values.astype(str)
    return {"equivalent", "split"} & set(verdicts[np.triu_indices(len(verdicts), 1)])


def matrix_table(context: ReportContext) -> Table:
    """The matrix of P(row better than column) in whole per cent, without the diagonal and pairs
    that have no verdict; cells of a better system are marked.
    """
    main, systems = context.data, context.systems
    joint = "pairwise_verdict" in main
    p, decided = matrix_values(main)
    threshold = context.provenance.threshold or names.VERDICT_PROB
    percents = [["" if v != v else numbers.percent(v, threshold) for v in row] for row in p]
    cells = np.char.add(percents, np.where(decided, "*", "")).tolist()
    how = ", from the joint model of all systems" if joint else ""
    star = "one of the two is better" if unmarked_verdicts(context) else "decided"
    return Table(
        ("", *systems),
        [(name, *row) for name, row in zip(systems, cells, strict=True)],
        "Probability, in per cent, that the system of the row is better than the system of the "
        f"column{how}; * {star}{'; empty: no verdict' if np.isnan(p).sum() > len(p) else ''}",
        shades=[[np.nan, *row] for row in p],
        decided=[[False, *row] for row in decided.tolist()],
        name="matrix",
        keys=[(system,) for system in systems],
    )


def matrix_values(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """P(row better than column), nan without a verdict; and which verdicts name a system."""
    p, verdicts = (data[k].transpose(*names.SQUARE).values for k in ("prob_better", "verdict"))
    empty = np.isin(verdicts, tables.NO_VERDICT) | np.eye(len(p), dtype=bool)
    return np.where(empty, np.nan, p), np.isin(verdicts, ("a_better", "b_better"))


def wins_part(context: ReportContext) -> Part | None:
    """Wins and losses of all pairs as papers print them, in the order of the data; a few systems
    have them in the table of pairs.
    """
    fits = BRIEF_SYSTEMS <= len(context.systems) <= PAIRS_SYSTEMS
    if not fits or "counts" not in context.data:
        return None
    order = dict.fromkeys(names.SQUARE, context.input_order)
    table = to_table(context.data["counts"].sel(order))
    rows = [(str(s), str(k), *cells) for k, (s, *cells) in enumerate(table.itertuples(), 1)]
    heads = ("System", "#", *(str(k) for k in range(1, len(rows) + 1)))
    caption = "Wins and losses of the system of the row against that of the column"
    return Part("Wins and losses", tables=[Table(heads, rows, caption, marks=True)])


def datasets_part(context: ReportContext) -> Part | None:
    """P(better) on each data set and on a new one, from a model of both."""
    if context.provenance.over or "prob_better_dataset" not in context.data:
        return None
    better = tables.probability("", "prob_better_dataset", blank=())
    labels = enumerate(context.data[names.DATASET].values)
    columns = [tables.along(str(label), better, names.DATASET, k) for k, label in labels]
    columns.append(tables.probability("a new one", "prob_better_new", blank=()))
    caption = "P(better) on each data set, drawn to what they have in common, and on one not seen"
    rows = pairs_at(context.data, context.pairs[:PAIRS_VISIBLE])
    return Part("Each data set", tables=[table_by_pair(rows, columns, caption)])


def ties_part(context: ReportContext) -> Part | None:
    """The verdict under every policy for ties, where all were asked for."""
    if "verdict_by_ties" not in context.data:
        return None
    p = p_value("", "p_value_by_ties", "favours_by_ties")
    answer = tables.joined("", ", p ", verdict(name="verdict_by_ties"), p, blank=tables.NO_DATA)
    policies = enumerate(context.data[names.TIES_POLICY].values)
    columns = [tables.along(str(policy), answer, names.TIES_POLICY, k) for k, policy in policies]
    columns.append(tables.Column("Flips", _flips, blank=tables.NO_DATA))
    caption = (
        "Verdict and two-sided p under every policy for ties (third: the trinomial test); to_a and "
        f"to_b give them to the system or the other of the row; in brackets: for whom the test "
        f"speaks; a test flips at {context.provenance.alpha:g}, or to the other system"
    )
    rows = pairs_at(context.data, context.pairs[:PAIRS_VISIBLE])
    return Part("Ties", tables=[table_by_pair(rows, columns, caption, left=99)])


def _flips(rows: xr.Dataset) -> list[str]:
    """What a policy changes: the verdict, the result of the test."""
    flags = zip(rows["ties_flip"].values, rows["p_flips"].values, strict=True)
    words = ("verdict", "test")
    return [", ".join(compress(words, pair)) for pair in flags]


_NAMED = 4  # pairs that are named; more are counted
_WHY = {
    "weights": "the model weighs every data set alike, the closed form every example",
    "clusters": "the model counts wins and losses within clusters, the closed form weighs clusters "
    "by Student's t",
    "sizes": "the model weighs how large the differences are, the closed form counts which system "
    "was ahead",
    "together": "the model estimates all systems jointly, the closed form each pair separately",
    "model": "the model uses more than wins and losses of the pair",
}


def opposed_notes(context: ReportContext) -> list[str]:
    """A sentence on the pairs that two engines answer for different systems; none without any."""
    if len(context.engine_names) < 2:
        return []
    engines = tables.pairwise(context.engines)
    cells = [tables.pair_cell(engines, *pair) for pair in context.pairs[:PAIRS_VISIBLE]]
    opposed = [cell for cell in cells if _opposed(cell, float(context.provenance.threshold or 1.0))]
    if not opposed:
        return []
    named = "; ".join(_opposed_pair(cell) for cell in opposed[:_NAMED])
    more = f" and {len(opposed) - _NAMED} more" if len(opposed) > _NAMED else ""
    model = MODEL_REASONS.get(context.engine_names[0], "model")
    why = f": {_WHY[model]}" if context.provenance.method == "advised" else ""
    return [
        f"The second answer favors the other system on {len(opposed)} of {len(cells)} pairs: "
        f"{named}{more}{why}."
    ]


def _opposed(cell: xr.Dataset, threshold: float) -> bool:
    """Whether the first two engines favour different systems, and one of them surely."""
    if str(cell["verdict"].values[0]) in ("no_data", "no_verdict"):
        return False
    first, second = cell["prob_better"].values[:2].tolist()
    sure = max(abs(first - 0.5), abs(second - 0.5)) >= threshold - 0.5
    return sure and (first - 0.5) * (second - 0.5) < 0


def _opposed_pair(cell: xr.Dataset) -> str:
    a, b = tables.names_in(cell)
    first, second = (numbers.probability(p) for p in cell["prob_better"].values[:2].tolist())
    return f"{a} better than {b} {first} by {_engine(cell, 0)}, {second} by {_engine(cell, 1)}"


def _engine(cell: xr.Dataset, k: int) -> str:
    engine = str(cell[names.ENGINE].values[k])
    return {"exact": "closed form", "mcmc": "PyMC"}.get(engine, engine.replace("_", " "))


def _looking(context: ReportContext) -> str:
    """That looks after each item raise the rate of false verdicts, with the rates at 0.95."""
    usual = (context.provenance.threshold or names.VERDICT_PROB) == names.VERDICT_PROB
    rates = "in 33% of cases by 20 non-tied items, and in 60% by 200" if usual else "far more often"
    return (
        "These numbers hold for a single look at the data. If you look again after each item until "
        f"there is a verdict, two equal systems get one {rates}. "
        "betterthan.plan.stopping_boundary returns the wins at which you may stop."
    )


def outlook_part(context: ReportContext) -> Part | None:
    """Of the pairs that have rows: how many more items, would it come again, what would undo it."""
    outlook = context.outlook
    if not (lines := outlook_lines(outlook)):
        return None
    heading = "More items and replication"
    if outlook.sizes[names.PAIR] == 1:
        return Part(heading, lines=[*lines, _looking(context)])
    table = _outlook_table(outlook, context.pairwise_heading)
    return Part(heading, tables=[table], notes=[_looking(context)])


def _outlook_table(data: xr.Dataset, verdict: str = VERDICT) -> Table:
    """A row a pair, without columns that say nothing."""
    units, items = data.attrs["of"], wins_counted_on(data.attrs)
    flip, remove = (f"{items.capitalize()} to {change}" for change in ("flip", "remove"))
    pairs = data.to_dataframe().to_dict("records")
    columns = {
        f"More {units}": [_more(pair) for pair in pairs],
        "Replication probability": [
            _or_dash(pair["replicates"], numbers.probability) for pair in pairs
        ],
        flip: [_or_dash(pair["turn"], "{:,.0f}".format) for pair in pairs],
        remove: [_or_dash(pair["drop"], "{:,.0f}".format) for pair in pairs],
    }
    filled = {heading: cells for heading, cells in columns.items() if set(cells) != {"–"}}
    a, b = (data[k].values.tolist() for k in names.SQUARE)
    now = zip(data["now"].values, a, b, strict=True)
    verdicts = [verdict_label(str(v), x, y) for v, x, y in now]
    rows = list(zip(a, b, verdicts, *filled.values(), strict=True))
    tied = "non-tied " * ("decisive" in data)
    meanings = {
        f"More {units}": f"for a verdict with probability {data.attrs['target']:g}, given the data "
        "so far",
        "Replication probability": f"of the same verdict on as many new {units}",
        flip: f"the fewest {tied}{items} whose winner must change to overturn the verdict",
        remove: f"the fewest {tied}{items} to leave out to overturn it",
    }
    meant = (f"{heading}: {meanings[heading]}" for heading in filled)
    caption = ". ".join(("Stability of the verdicts", *meant))
    return Table(("System", "Other", verdict, *filled), rows, caption, left=2)


def outlook_columns(context: ReportContext) -> dict[str, Any]:
    """The same columns for the card of a pair on a page: pairs by the places of their systems in
    the data, and what each column has of them.
    """
    if not outlook_lines(context.outlook):
        return {"pairs": [], "columns": []}
    table = _outlook_table(context.outlook)
    place = {system: k for k, system in enumerate(context.input_order)}
    columns = zip(table.heads[3:], list(zip(*table.rows, strict=True))[3:], strict=True)
    return {
        "pairs": [[place[system] for system in row[:2]] for row in table.rows],
        "columns": [{"name": heading, "cells": cells} for heading, cells in columns],
    }


def _more(pair: Mapping[Any, Any]) -> str:
    if pair["now"] == "undecided" and not pair["n"]:
        return "–"  # nothing but the prior
    if np.isnan(pair["more_items"]) and not np.isnan(pair["more_probability"]):
        return "above 10,000"
    return _or_dash(pair["more_items"], "{:,.0f}".format)


def _or_dash(value: float, write: Callable[[float], str]) -> str:
    return "–" if np.isnan(value) else write(value)


_SYSTEMS = 6  # systems whose scores on each data set are listed
_ROWS = 20  # data sets that are always visible


def suite_part(context: ReportContext) -> Part | None:
    """Items of each data set; of two systems wins, losses, ties and P(better), of more the scores
    of the first ones.
    """
    if not context.provenance.over:
        return None
    data = context.data
    labels = labels_on_one_line(data[names.DATASET].values)
    items, weight = data["dataset_items"].values, data["dataset_weight"].values
    columns = {"Items": [f"{n:,}" for n in items]}
    if np.ptp(weight) > 1e-9:
        columns["Weight"] = [f"{w:.3f}" for w in weight]
    columns |= _of_systems(context) if context.many else _of_pair(context)
    heads = (context.provenance.over.split(",")[0].capitalize().replace("Dataset", "Data set"),)
    rows = list(zip(labels, *columns.values(), strict=True))
    caption = "Each data set by itself"
    return Part("Data sets", tables=[Table((*heads, *columns), rows, caption, visible=_ROWS)])


def _of_pair(context: ReportContext) -> dict[str, list[str]]:
    """Of two systems, from the side of the one that is ahead."""
    data = context.data
    a, b = context.pairs[0]
    at = dict(zip(names.SQUARE, (a, b), strict=True))
    counts = data["counts_dataset"].isel(at).transpose(names.DATASET, names.OUTCOME).values
    heads = ("Wins", "Losses", "Ties")[: counts.shape[1]]
    columns = {head: [f"{n:,}" for n in counts[:, k]] for k, head in enumerate(heads)}
    better = data["prob_better_dataset"].isel(at).values.tolist()
    name = f"P({context.systems[a]} better)"
    return columns | {name: ["–" if p != p else numbers.probability(p) for p in better]}


def _of_systems(context: ReportContext) -> dict[str, list[str]]:
    """Scores of the first systems."""
    if "score_dataset" not in context.data:
        return {}
    scores = context.data["score_dataset"]
    held = labels_on_one_line(scores[names.SYSTEM].values)
    first = context.systems[:_SYSTEMS]
    return {s: [numbers.score(v) for v in scores.values[:, held.index(s)].tolist()] for s in first}

"""A comparison as a report shows it: systems, best first, pairs that matter, and items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.results import numbers, tables
from betterthan.results.document import PAIRWISE_VERDICT, VERDICT, Part, Table
from betterthan.results.facts import Answer, answer_facts, score_label
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.robustness import outlook_table
from betterthan.signed import Signature

PAIRS_SYSTEMS = 12  # systems whose pairs have rows, in tables that choose no pairs
ALL_PAIRS_SYSTEMS = 10  # with more systems than this, only pairs that matter have rows
BRIEF_SYSTEMS = 5  # systems all of whose pairs are in the brief answer
BRIEF_PAIRS = 12  # of more systems, so many of the pairs that matter
PAIRS_VISIBLE = 60  # rows that are seen at once
PAGE_SYSTEMS = 200  # systems of which a page contains all pairs, and Markdown all rows
MATRIX_SYSTEMS = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class ReportContext:
    """A comparison, its systems from best to worst, names on one line."""

    data: xr.Dataset  # by the first engine
    engines: xr.Dataset  # by every engine
    provenance: Signature
    systems: list[str]
    many: bool  # whether there are more than two systems
    input_order: list[str]  # all systems, in the order of the data
    engine_names: list[str]  # the engine that is read first, and others
    rope: float  # 0 for none
    pairwise_heading: str  # heads a column of pairwise verdicts

    @cached_property
    def answer(self) -> Answer:
        """The facts that its sentences state."""
        return answer_facts(self.data)

    @cached_property
    def outlook(self) -> xr.Dataset:
        """What the pairs that have rows are to expect of more items."""
        pairs = [(self.systems[i], self.systems[j]) for i, j in self.pairs[:PAIRS_VISIBLE]]
        return outlook_table(self.data, 0.8, pairs, PAIRS_VISIBLE)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Places of the pairs that matter, the system ahead first: all of few systems; of many
        those with the best, with the baseline, and of neighbours, where they were compared.
        """
        if len(self.systems) <= ALL_PAIRS_SYSTEMS:
            return tables.ahead_first(self.data)
        matter = self.wanted | self._neighbors
        pairs = sorted(self._compared(matter) or matter, key=lambda pair: (pair[1], pair[0]))
        return tables.ahead_first(self.data, pairs)

    @property
    def _pairs_with_baseline(self) -> set[tuple[int, int]]:
        if self.provenance.baseline is None:
            return set()
        base = self.systems.index(on_one_line(self.provenance.baseline))
        return {(min(k, base), max(k, base)) for k in range(len(self.systems)) if k != base}

    @property
    def wanted(self) -> set[tuple[int, int]]:
        """Pairs with the first system and with the baseline."""
        return self._pairs_with_baseline | {(0, k) for k in range(1, len(self.systems))}

    @property
    def _neighbors(self) -> set[tuple[int, int]]:
        return {(k, k + 1) for k in range(len(self.systems) - 1)}

    def _compared(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        verdict = self.data["verdict"].transpose(*names.SQUARE).values
        return [pair for pair in pairs if verdict[pair] != "no_data"]

    def n_not_compared(self, brief: bool) -> int:
        """Pairs that matter, and have no row as they were not compared."""
        matter = self.wanted if brief else self.wanted | self._neighbors
        rows = {(min(pair), max(pair)) for pair in (self.brief_pairs if brief else self.pairs)}
        return len(matter - rows - {*self._compared(matter)})

    @cached_property
    def brief_pairs(self) -> list[tuple[int, int]]:
        """Of few systems all pairs; of more at most twelve: with the baseline, then with the first
        system, undecided ones first.
        """
        if len(self.systems) <= BRIEF_SYSTEMS:
            return self.pairs
        verdict = self.data["verdict"].transpose(*names.SQUARE).values.astype(str)
        with_base = self._pairs_with_baseline
        compared = self._compared(sorted(self.wanted))
        rank = {p: (p not in with_base, verdict[p] in ("a_better", "b_better")) for p in compared}
        pairs = sorted(sorted(compared, key=rank.__getitem__)[:BRIEF_PAIRS])
        return tables.ahead_first(self.data, pairs)


def report_context(comparison: xr.Dataset) -> ReportContext:
    """Order the systems of a comparison.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.
    """
    if names.ENGINE not in comparison.dims:
        raise ValueError(
            "result is the .data of a comparison, which is a part of it; give the comparison itself"
        )
    engines = printable(tables.best_first(comparison))
    data = engines.isel({names.ENGINE: 0})
    provenance = Signature.from_attrs(comparison.attrs)
    systems = [str(s) for s in data[names.SYSTEM_A].values]
    return ReportContext(
        data=data,
        engines=engines,
        provenance=provenance,
        systems=systems,
        many=len(systems) > 2,
        input_order=labels_on_one_line(comparison[names.SYSTEM_A].values),
        engine_names=[str(engine) for engine in engines[names.ENGINE].values],
        rope=provenance.rope or 0.0,
        pairwise_heading=PAIRWISE_VERDICT if "pairwise_verdict" in data else VERDICT,
    )


def printable(table: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    dims = tables.systems_dims(table)
    labels = {dim: table[dim].values.tolist() for dim in dims if dim in table.coords}
    new = {dim: labels_on_one_line(old) for dim, old in labels.items()}
    return table if new == labels else table.assign_coords(new)


SYSTEMS_VISIBLE = 40  # rows that are seen at once
P_BEST = tables.probability("P(best)", "prob_best")
PAIR_COUNTS = {name: name.replace("_", " ").capitalize() for name in tables.BY_VERDICT}
PAIR_COUNTS["never_compared"] = "Not compared"


def table_by_system(
    rows: Any,
    columns: Sequence[tables.Column],
    caption: str = "",
    *,
    heading: str = "System",
    name: str = "",
    **folding: Any,
) -> Table:
    """One row for each system: its name, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the column ``system``.
    columns : sequence of Column
    caption, name, seen
        Of the `Table`.
    heading : str
        Of the names.
    """
    heads, cells = tables.written_cells(rows, columns)
    keys = [(on_one_line(str(system)),) for system in rows[names.SYSTEM].values]
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    return Table((heading, *heads), written, caption, name=name, keys=keyed, **folding)


def systems_table(context: ReportContext, *, brief: bool = False) -> Table:
    """Every system of a comparison, the best first; briefly, without Monte Carlo errors, and where
    there is a joint answer without how its pairs ended.
    """
    data = context.data
    variables = (*tables.SYSTEM_COLUMNS, "prob_best_mcse")
    numbers = {name: data[name].values for name in variables if name in data}
    marks, legend = contenders(context)
    systems = {"system": context.systems, "best_mark": marks}
    rows: Any = pd.DataFrame(systems | numbers | tables.pair_counts(data))
    mass = f"{100 * (context.provenance.ci_prob or names.CI_PROB):g}%"
    always = {"better_than", "worse_than", "undecided"}
    columns = [*_score_columns(rows, context), *_joint_columns(rows, mass, brief=brief)]
    brief = brief and "prob_best" in rows
    if not brief:
        columns += [
            tables.count(heading, name)
            for name, heading in PAIR_COUNTS.items()
            if name in always or bool(rows[name].to_numpy().any())
        ]
    total, visible = len(rows), BRIEF_ROWS if brief else SYSTEMS_VISIBLE
    elsewhere = f".systems of the comparison has all {total:,}" if total > visible else ""
    folding: Any = {"visible": visible, "elsewhere": elsewhere}
    caption = "Systems, best first" if brief else _systems_caption(context, mass)
    caption += f" ({legend})" if brief and legend else ""
    if "score_shared" in data:
        caption += "; each score is on all items that the system has a score for"
    return table_by_system(rows, columns, caption, name="systems", **folding)


BRIEF_ROWS = 20  # rows of the brief table


def contenders(context: ReportContext) -> tuple[list[str], str]:
    """The mark of each system that may be the best, and what it means; none where it marks one of
    them, or all.
    """
    best, n = context.data.get("in_best_set"), len(context.systems)
    if best is None or "prob_best" not in context.data or not 1 < best.sum() < n:
        return [""] * n, ""
    return np.where(best.values, "* ", "").tolist(), "* may be the best"


def spread_table(context: ReportContext) -> list[Table]:
    """How the graded scores of each system spread; right and wrong have their accuracy."""
    data = context.data
    if "score_quantile" not in data:
        return []
    three = "{:.3g}".format
    quantile = tables.number("", "score_quantile", three)
    quantiles = enumerate(data["quantile"].values)
    columns = [
        tables.number("Std. deviation", "score_sd", three),
        *(tables.along(f"{100 * q:g}%", quantile, "quantile", k) for k, q in quantiles),
        tables.number("Mean of the worst tenth", "score_worst_tenth", three),
    ]
    caption = "How the scores of each system spread over the items: quantiles, and the worst tenth"
    table = table_by_system(data, columns, caption, name="spread", visible=SYSTEMS_VISIBLE)
    return [replace(table, keys=())]


def _score_columns(rows: pd.DataFrame, context: ReportContext) -> list[tables.Column]:
    """The score, its interval, and of how many examples it is."""
    if "score" not in rows:
        return []
    # two decimals of few examples, three of many; one of large scores
    most = rows["n_scored"].to_numpy().max() if "n_scored" in rows else 0
    places = 2 if 0 < most <= 100 else 3
    largest = np.nanmax(np.abs(rows["score"]), initial=0.0)
    places = numbers.decimals(largest, places)
    if largest >= 10:
        places = 1 if largest < 1000 else 0
    if largest <= 1:  # nothing is printed as 0 or 1 that is not
        shares = rows["score"][(rows["score"] > 0) & (rows["score"] < 1)].to_numpy()
        while places < 6 and np.isin(shares.round(places), (0, 1)).any():
            places += 1

    def score(value: float, low: float = np.nan, up: float = np.nan) -> str:
        value, low, up = (round(number, places) + 0.0 for number in (value, low, up))
        interval = f" [{low:,.{places}f}, {up:,.{places}f}]" if low == low else ""
        return f"{value:,.{places}f}{interval}".replace("-", "−")

    variables = [name for name in ("score", "score_lower", "score_upper") if name in rows]
    heading = score_label(context.provenance, "n_right" in context.data)
    heading += ", lower is better" if context.provenance.higher_is_better is False else ""
    interval = tables.interval_label(vars(context.provenance))
    heading += f" [{interval}]" if len(variables) > 1 else ""
    return [
        tables.values(heading, variables, score),
        tables.values("Correct", ["n_right", "n_scored"], "{:,} of {:,}".format),
        *([] if "n_right" in rows else [tables.count("Items scored", "n_scored")]),
    ]


def _joint_columns(rows: pd.DataFrame, mass: str, *, brief: bool) -> list[tables.Column]:
    """How probable it is that it is the best of all, and its rank."""
    rank = tables.number("Expected rank", "expected_rank", "{:.1f}".format)
    if "rank_lower" in rows:
        variables = ["expected_rank", "rank_lower", "rank_upper"]
        rank = tables.values(f"Rank ({mass})", variables, "{:.1f} [{:g}, {:g}]".format)
    if brief:
        marks = tables.Column("", lambda rows: rows["best_mark"].tolist(), "prob_best")
        return [tables.joined("P(best)", "", marks, P_BEST), rank]
    error = tables.number("MC error", "prob_best_mcse", "{:.1g}".format)
    return [P_BEST, error, rank, tables.flag("Contender", "in_best_set")]


def _systems_caption(context: ReportContext, mass: str) -> str:
    if not context.many:
        return "The two systems"
    how = "joint verdicts" if "pairwise_verdict" in context.data else "pairwise verdicts"
    best = ""
    if "in_best_set" in context.data:
        best = f"; contenders: with probability {mass} the best system is one of these"
    first = "best first" if "expected_rank" in context.data else "highest mean P(better) first"
    return f"Systems, {first}, with their numbers of {how}{best}"


CELLS = ("both_right", "a_only", "b_only", "both_wrong")


def agreement_cells(data: xr.Dataset, first: Any, second: Any) -> dict[str, np.ndarray] | None:
    """Cells and coefficients of pairs, given by their places; None where they are not known.

    Parameters
    ----------
    whole : xarray.Dataset
        A comparison by one engine.
    first, second : sequence of int
        Places of the systems of each pair.

    Returns
    -------
    dict or None
        ``both_right``, ``a_only``, ``b_only``, ``both_wrong``; ``phi``, the correlation of right
        and wrong, and Cohen's ``kappa``, both NaN where a system is always right or always wrong;
        -1 in cells, and NaN, of pairs that do not share all their examples.
    """
    counts = data["counts"].transpose(*names.SQUARE, names.OUTCOME).values
    if (counts_right := right_counts(data)) is None:
        return None
    right, scored = (np.array(values) for values in counts_right)
    first, second = np.asarray(first), np.asarray(second)
    wins, losses, ties = counts[first, second].T.astype(int)
    both = right[first] - wins
    cells = np.stack([both, wins, losses, ties - both])
    n = cells.sum(0)
    complete = (scored[first] == n) & (scored[second] == n) & (right[second] == both + losses)
    cells = np.where(complete & (cells >= 0).all(0), cells, -1)
    a, b, c, d = np.where(cells[0] < 0, np.nan, cells.astype(float))
    with np.errstate(invalid="ignore", divide="ignore"):
        phi = (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
        kappa = 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    return dict(zip(CELLS, cells, strict=True)) | {
        "phi": phi,
        "kappa": np.where(np.isfinite(phi), kappa, np.nan),
    }


def right_counts(data: xr.Dataset) -> tuple[list[int], list[int]] | None:
    """On how many examples each system is right, and of how many; None where that is not known, or
    pairs are not of single examples.
    """
    if "n_right" not in data or data.sizes[names.OUTCOME] != 3 or "n_units" in data:
        return None
    right, scored = (data[k].values.astype(int).tolist() for k in ("n_right", "n_scored"))
    return right, scored


def difference_law(data: xr.Dataset) -> str:
    """What the difference of a pair follows."""
    sampled = "prob_better_mcse" in data and (data["prob_better_mcse"].values > 0).any()
    if sampled or data.attrs.get("prior_sd") or data.attrs.get("over"):
        return "drawn"
    if "n_units" in data:
        return "units"
    return "counts" if "difference_mean" in data else "signs"


def agreement_part(context: ReportContext) -> Part | None:
    """The cells of the pairs that have rows."""
    pairs = context.pairs
    agreement = agreement_cells(context.data, *zip(*pairs, strict=True)) if pairs else None
    if agreement is None:
        return None
    rows = []
    for k, (i, j) in enumerate(pairs):
        if agreement["both_right"][k] >= 0:
            cells = [f"{int(agreement[name][k]):,}" for name in CELLS]
            cells += [numbers.signed(float(agreement[name][k])) for name in ("phi", "kappa")]
            rows.append((context.systems[i], context.systems[j], *cells))
    heads = ("System", "Other", "Both right", "Only system", "Only other")
    heads += ("Both wrong", "phi", "kappa")
    caption = "Right and wrong on the same items"
    table = Table(heads, rows, caption, left=2, name="agreement", visible=PAIRS_VISIBLE)
    part = Part("Agreement", tables=[table], notes=[_AGREEMENT_NOTE], folded=len(rows) > 1)
    return part if rows else None


_AGREEMENT_NOTE = (
    "phi: the correlation of right and wrong; kappa: agreement beyond that of chance (Cohen). Two "
    "systems of the same accuracy may be right on other items: then a choice by item, or a "
    "vote, could be better than both; that they agree does not say that they are right."
)


_FEW = 4  # systems whose scores on an item have columns


def items_part(context: ReportContext) -> Part | None:
    """A row an item: its scores, how far they are apart, and whether it goes with the others."""
    data = context.data
    if "item_spread" not in data or not data.sizes[names.ITEM]:
        return None
    heads, columns = _item_scores(context)
    items = labels_on_one_line(data[names.ITEM].values)
    rows = [(item, *cells) for item, cells in zip(items, columns, strict=True)]
    note = _NOTE_PAIR
    if context.many:
        heads, note = (*heads, "Spread", "With the rest"), _NOTE_SEVERAL
        more = zip(data["item_spread"].values, data["item_with_rest"].values, strict=True)
        rows = [
            (*row, f"{spread:.2f}", numbers.signed(along))
            for row, (spread, along) in zip(rows, more, strict=True)
        ]
    n, total = len(rows), int(data["n_differing"])
    caption = "Items on which systems differ most" + (f", {n} of {total:,}" if n < total else "")
    table = Table(("Item", *heads), rows, caption, name="items")
    return Part("Items", tables=[table], notes=[note], folded=True)


def _item_scores(context: ReportContext) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and cells: the scores of each of few systems, how many of many are right, or their
    mean.
    """
    scores = context.data["item_score"].transpose(names.ITEM, names.SYSTEM)
    if len(context.systems) <= _FEW:
        values = scores.sel({names.SYSTEM: context.systems}).values
        cells = [tuple("–" if x != x else f"{x:.3g}" for x in row) for row in values]
        return tuple(context.systems), cells
    if "n_right" in context.data:
        right, number = scores.sum(names.SYSTEM).values, scores.count(names.SYSTEM).values
        return ("Correct",), [(f"{k:g} of {n}",) for k, n in zip(right, number, strict=True)]
    return ("Mean score",), [(f"{x:.3g}",) for x in scores.mean(names.SYSTEM).values]


_NOTE_SEVERAL = (
    "Spread: the standard deviation of the systems' scores on the item. With the rest: the "
    "correlation, over systems, of these scores with the means on all other items; of one spread "
    "the lowest come first. Below 0 an item goes against all others: read it for a wrong key, or a "
    "question that can be taken in two ways. counts.disagreements gives every item."
)
_NOTE_PAIR = (
    "Of equal differences those come first on which the system that is behind on all other items "
    "is ahead: read these for a wrong key, or a question that can be taken in two ways. "
    "counts.disagreements gives every item."
)


_ROWS = 40


def runs_part(context: ReportContext) -> Part | None:
    """Of each system how its runs vary, and both standard errors of its mean."""
    if "run_error" not in context.data:
        return None
    columns = [
        tables.number("Runs of an item", "run_number", "{:.3g}".format),
        tables.number("Items with mixed runs", "run_mixed", numbers.share),
        tables.number("SE, items like these", "run_error", "{:.3f}".format),
        tables.number("SE, these items only", "run_error_of_runs", "{:.3f}".format),
    ]
    caption = "Repeated runs: standard errors of the mean of all runs"
    table = table_by_system(context.data, columns, caption, visible=_ROWS)
    note = (
        "Error bars of the runs only understate what new items would show: verdicts are for items "
        "like these. betterthan.plan.runs finds the best number of runs for a budget."
    )
    return Part("Repeated runs", tables=[table], notes=[note])

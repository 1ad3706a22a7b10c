"""Layouts of tables: roles of columns by name, one row a layout, which one a table has, and which
option reads what it holds.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from betterthan import names
from betterthan.io.cells import as_written, holds_numbers
from betterthan.io.measure_names import RESULTS
from betterthan.io.problems import counted, listed, printable, problem, quoted
from betterthan.io.table import NAMELESS, Reading, Table, unread
from betterthan.io.texts import Coded, Numbers, coded

DIRECTION = "higher_is_better"  # the column that gives a table of measures away

# The first name present wins; letter case does not matter.
_NAMES = {
    "item": "item item_id id example example_id instance_id question_id sample_id doc_id uid idx "
    "index i doc document",
    "system": "system model method classifier approach algorithm llm agent model_name model_id "
    "system_name system_id",
    "score": "score",
    "dataset": "dataset task language",
    "cluster": "cluster",
    "epoch": "epoch",
    "judge": "judge",
    "gold": "gold label answer reference expected truth labels gold_standard true y_true ytrue "
    "y_test gt actual references",
    "winner": "winner preferred",
    "wins": "wins wins_a",
    "losses": "losses wins_b",
    "ties": "ties tie draws draw",
    "total": "n n_items items total games battles matches",
    "class": "label type class",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
}
ALIASES = {role: tuple(aliases.split()) for role, aliases in _NAMES.items()}
PAIRS = (
    ("system_a", "system_b"),
    ("model_a", "model_b"),
    ("left", "right"),
    ("model_x", "model_y"),
    ("model_1", "model_2"),
    ("system_1", "system_2"),
    ("model1", "model2"),
    ("system1", "system2"),
)


def candidates(table: Table, role: str) -> list[str]:
    """All columns whose name stands for `role`, the most telling first."""
    by_name = table.by_name
    if role in (names.SYSTEM_A, names.SYSTEM_B):
        side = (names.SYSTEM_A, names.SYSTEM_B).index(role)
        return [by_name[pair[side]] for pair in PAIRS if set(pair) <= set(by_name)]
    matches = [by_name[name] for name in ALIASES[role] if name in by_name]
    if role == "item" and not matches:
        matches = [column for column in NAMELESS if column in table.columns]
    return matches


def find(table: Table, role: str) -> str | None:
    """Return the column that plays `role`, or None."""
    matches = candidates(table, role)
    return matches[0] if matches else None


def missing(table: Table, roles: Sequence[str]) -> list[str]:
    """The roles that no column plays."""
    return [role for role in roles if find(table, role) is None]


@dataclass(frozen=True)
class Layout:
    """A way to lay out results in columns.

    A new layout is a row of `LAYOUTS` with a reader from a table to a `Reading`, its name in
    `names.LAYOUTS`, its names of columns in `roles.ALIASES`, and its sentence in the docstring of
    `betterthan.read`.
    """

    name: str
    needs: tuple[str, ...]  # roles that columns must play, the one that gives it away first
    gives: str  # scores, counts, tallies or judgments
    read_in: str  # file and function of its reader; loaded where there is one to read
    sentence: str  # its columns
    takes: tuple[str, ...] = ()  # choices of `betterthan.read` that apply to it
    unit: str | None = None  # what one count stands for, unless told
    by: str = "columns"  # how it is recognised; or by gold, as the rest, or only when asked for

    @property
    def reader(self) -> Callable[..., Reading]:
        """From a table to what was read."""
        file, function = self.read_in.split(".")
        return getattr(import_module(f"betterthan.io.{file}"), function)


LAYOUTS = (
    Layout(
        "wide",
        (),
        "scores",
        "items.wide_scores",
        "a column of item ids (may be absent), and a column of scores for each system",
        takes=("higher_is_better", "systems"),
        by="rest",
    ),
    Layout(
        "long",
        ("system", "item", "score"),
        "scores",
        "items.long_scores",
        "``system, item, score``",
        takes=("higher_is_better",),
    ),
    Layout(
        "predictions",
        ("gold",),
        "scores",
        "items.predicted_scores",
        "item ids, ``gold``, and a column of predicted labels for each system",
        takes=("systems",),
        by="gold",
    ),
    Layout(
        "votes",
        ("system_a", "system_b", "winner"),
        "counts",
        "pair_counts.vote_counts",
        "``model_a, model_b, winner``; the winner is a side, a name, or a tie",
        takes=("unit",),
        unit="judgment",
    ),
    Layout(
        "counts",
        ("system_a", "system_b", "wins", "losses"),
        "counts",
        "pair_counts.pair_counts",
        "``system_a, system_b, wins, losses``; ties are unknown without a column ``ties``",
        takes=("unit",),
        unit="unknown",
    ),
    Layout(
        "tallies",
        ("system", "item", "tp", "fp", "fn"),
        "tallies",
        "items.tallies",
        "``system, item, tp, fp, fn`` and an optional ``label``; see `io.tallies_from_table`",
        takes=("scale",),
    ),
    Layout(
        "judgments",
        ("system_a", "system_b", "winner"),
        "judgments",
        "pair_counts.judgments",
        "those of votes, and an optional ``judge``, each judgment by itself; see "
        "`io.read_judgments`",
        unit="judgment",
        by="asking",
    ),
)


def layout_by_name(name: str) -> Layout:
    """Return the layout of this name."""
    return next(layout for layout in LAYOUTS if layout.name == name)


def that_take(choice: str) -> str:
    """The layouts that a choice is for, as they stand in a message."""
    return " and ".join(sorted(layout.name for layout in LAYOUTS if choice in layout.takes))


def recognise(table: Table, *, of_one_system: bool = False) -> str:
    """The one layout that fits; an error where none or several do.

    A table of one system has no further one that is called ``label``: it holds the labels.
    """
    if DIRECTION in table.by_name:
        reason = f"has a column {DIRECTION!r}, so that rows are measures and not items"
        right = f"pass layout='measures', or leave the column out: ignore=[{DIRECTION!r}]"
        raise problem(table.source, f"{reason}; {right}")
    fits = [x.name for x in LAYOUTS if x.by == "columns" and not missing(table, x.needs)]
    if not fits:
        _refuse_incomplete(table)
        fits = _predictions_or_wide(table)
    if of_one_system and fits[0] == "predictions":
        return "predictions"
    if len(fits) > 1:
        choices = " or ".join(f"layout={layout!r}" for layout in fits)
        reason = f"fits {' and '.join(fits)} (columns {listed(table.columns)}); pass {choices}"
        if "predictions" in fits:
            labels = quoted(str(find(table, "gold")))
            reason = f"column {labels} holds the labels, or is a system; pass {choices}"
            results = [c for c in table.columns if c.casefold() in RESULTS]
            reason += f", or score={quoted(results[0])} if each file is a system" if results else ""
        raise problem(table.source, reason)
    return fits[0]


def require(table: Table, layout: str) -> None:
    """Refuse a layout whose columns are not there."""
    needs = layout_by_name(layout).needs
    if absent := missing(table, needs):
        there = f"no {', '.join(absent)} among {listed(table.columns)}"
        raise problem(table.source, f"layout {layout!r} needs columns {', '.join(needs)}; {there}")


def _refuse_incomplete(table: Table) -> None:
    """Refuse a table that began like a layout that its columns give away: read as wide, its names
    would be the error; and a column of winners in a table without scores.
    """
    by_columns = [layout for layout in LAYOUTS if layout.by == "columns"]
    for role in dict.fromkeys(layout.needs[0] for layout in by_columns):
        column = find(table, role)
        if column is None or holds_numbers(table, column):
            continue
        begun = [(x.name, missing(table, x.needs)) for x in by_columns if x.needs[0] == role]
        absent = " and ".join(f"no {', '.join(roles)} ({name})" for name, roles in begun)
        named = _where_scores_are(table, column) if "no score" in absent else ""
        reason = f"has a column {column!r} but {absent} among {listed(table.columns)}{named}"
        raise problem(table.source, rows_of_averages(table, column) or reason)
    winner = find(table, "winner")
    if winner and not any(holds_numbers(table, column) for column in _others(table, winner)):
        reason = f"has a column {winner!r} of votes, but no columns of the two systems among "
        reason += f"{listed(table.columns)}; name them 'model_a' and 'model_b'"
        raise problem(table.source, reason)


def _where_scores_are(table: Table, system: str) -> str:
    """What to pass for the scores: the one column of numbers, if there is one."""
    numbers = [column for column in _others(table, system) if holds_numbers(table, column)]
    if len(numbers) == 1:
        return f"; pass score={quoted(numbers[0])} if that holds the scores"
    if not numbers and find(table, "gold") is not None:
        return "; pass layout='predictions' if each column holds the labels of a system"
    return "; pass score= with the column of scores"


def _others(table: Table, *used: str) -> list[str]:
    """The columns that are neither these nor say which item a row is of."""
    roles = ("item", "dataset", "cluster", "epoch")
    return unread(table, {*used, *table.unused, *(find(table, role) for role in roles)})


def _predictions_or_wide(table: Table) -> list[str]:
    if find(table, "gold") is None:
        return ["wide"]
    # Gold that is a number, beside numbers: labels 0 and 1, or a system that is called "answer"?
    if all(holds_numbers(table, column) for column in _others(table)):
        return ["predictions", "wide"]
    return ["predictions"]


def summary_line(
    source: str,
    layout: Layout,
    data: Any,
    readings: Sequence[Reading],
    datasets: Sequence[str] = (),
) -> str:
    """Describe `data` and its source in one line."""
    summary = f"{source} read as {layout.name}: {_size(layout, data, _detail(layout, readings))}"
    summary += f", datasets {', '.join(datasets)}" if datasets else ""
    ignored = list(dict.fromkeys(column for reading in readings for column in reading.ignored))
    summary += f", ignored columns {listed(ignored)}" if ignored else ""
    return printable(" ".join(summary.splitlines()))


def named_systems(systems: Sequence[str]) -> str:
    """How many systems there are, and which: a column that is none is seen here."""
    return f"{counted(len(systems), 'system')} ({listed(systems)})"


def _detail(layout: Layout, readings: Sequence[Reading]) -> str:
    """Describe what was read: counts and votes of tables that differ one by one."""
    details = list(dict.fromkeys(reading.summary for reading in readings))
    if layout.gives != "counts" or len(details) == 1:
        return details[0]
    more = len(details) - _TABLES
    return ", then ".join(details[:_TABLES]) + f", then {more} more" * (more > 0)


def _size(layout: Layout, data: Any, detail: str) -> str:
    missing = data.attrs.get("n_missing", 0)
    if layout.gives == "scores":
        systems = named_systems(data[names.SYSTEM].values.tolist())
        if "epoch" not in data.coords:
            missed = f"{counted(missing, 'score')} missing"
            return f"{counted(data.sizes[names.ITEM], 'item')} x {systems}, {detail}, {missed}"
        rows, runs = data.sizes[names.ITEM], int(np.count_nonzero(~np.isnan(data.values)))
        size = f"{counted(rows, 'row')} of runs x {systems}"
        return f"{size}, {detail}, {counted(runs, 'run')} with a score"
    if "n" in data.attrs:  # of votes or judgments
        blank = f", {missing} more without a winner left out" if missing else ""
        return f"{counted(data.attrs['n'], layout.name.removesuffix('s'))} {detail}{blank}"
    return detail


_TABLES = 3  # that a summary describes
_RIGHT = ("yes", "y", "correct", "right", "pass", "passed", "success", "solved", "c", "t")
_WRONG = ("no", "n", "incorrect", "wrong", "fail", "failed", "failure", "unsolved", "i", "f")
_PERCENT = re.compile(r"[+-]?\d+([.,]\d+)?\s*%")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
_LARGE = 100  # more than a percentage, which may have three decimals
_SOME = 3  # scores that are whole and large: fewer may be outliers
_PLAINLY = 250  # times as large are those of which fewer tell: as thousands within a factor of 4
RUNS = ("run", "seed", "trial", "repeat", "repetition", "replicate", "attempt")
_METRICS = ("metric", "metrics", "measure", "measures", "statistic", "score_name", "scorer")
_MANY = 9  # columns of numbers: more are items rather than metrics
_FEWEST = 3  # groups of items: two may be anything


def not_scores(table: Table, column: str) -> str:
    """Why a column of text is no column of scores, and what reads it."""
    right = f"pass ignore={quoted(column)} to leave the column out, dataset= or cluster= if it"
    reason = f"text, not scores; {right} groups the items, or item= if it holds their ids"
    return as_text(table, column) or rows_of_averages(table, column) or reason


def as_text(table: Table, column: str) -> str:
    """What reads scores that are written as percentages, with commas or as words; else empty."""
    words = [str(cell).strip() for cell in _codes(table, column).distinct if cell is not None]
    words = [word for word in words if word]
    folded = {word.casefold() for word in words}
    if all(map(_PERCENT.fullmatch, words)):
        return "percentages, not numbers; pass percent=True"
    if all(map(_THOUSANDS.fullmatch, words)):
        right = "leave the commas out if they separate thousands"
        return f"numbers with commas; {right}, or pass decimal=',' if they are decimal commas"
    if all(map(_COMMA.fullmatch, words)):
        return "numbers with decimal commas; pass decimal=','"
    if folded <= {*_RIGHT, *_WRONG}:
        right = next((word for word in words if word.casefold() in _RIGHT), "yes")
        wrong = next((word for word in words if word.casefold() in _WRONG), "no")
        return f"text, not scores; pass true={right!r} and false={wrong!r}"
    return ""


def refuse_thousands(table: Table, columns: Sequence[str], values: np.ndarray) -> None:
    """Refuse scores of which points seem to separate thousands, such as 1.037 next to 942: as
    thousands they are nearer to the others.
    """
    if not _LARGE < np.fmax.reduce(values, axis=None, initial=0.0) < 1000:
        return
    numbers = values[~np.isnan(values)]
    large, fractions = numbers[(numbers % 1 == 0) & (numbers > _LARGE)], numbers[numbers % 1 > 0]
    if not len(large) or not len(fractions):
        return
    ratio = np.median(large) / np.median(fractions)
    if ratio < (np.sqrt(1000) if len(large) >= _SOME else _PLAINLY):
        return
    texts: dict[str, str] = {}
    for column in columns:
        entries = table.columns[column]
        distinct = entries.cells.distinct if isinstance(entries, Numbers) else entries
        texts |= {cell.strip(): column for cell in distinct if isinstance(cell, str)}
    pointed = [text for text in texts if "." in text]
    integers = [text for text in texts if text.isdecimal() and int(text) > _LARGE]
    if pointed and integers and all(map(_POINTS.fullmatch, pointed)):
        reason = f"{pointed[0]} next to {integers[0]}; leave points out that separate thousands, or"
        right = f"write {integers[0]}.000 if they are decimal points"
        raise problem(table.source, f"{reason} {right}", column=texts[pointed[0]])


def rows_of_averages(table: Table, column: str) -> str:
    """What is wrong if each row is a system or a metric; empty if it is not."""
    others = [name for name in table.columns if name != column]
    numeric = all(holds_numbers(table, name) for name in others)
    if not others or not numeric or len(_codes(table, column).distinct) < len(table.rows):
        return ""
    if len(others) > max(_MANY, len(table.rows)):
        right = "transpose the table: one row per item, one column per system"
        return f"each row is a system and each column an item; {right}"
    named = column.casefold()
    if named in (*_METRICS, "model", "system"):
        what = "metric" if named in _METRICS else named
        reason = f"one row per {what}, so these are averages, which show no uncertainty"
        return f"{reason}; give one row per item"
    return ""


def metric_of(table: Table) -> str | None:
    """The metric that a column of a long table names, such as ``metric``.

    Raises
    ------
    ValueError
        If it names several, whose scores are not compared with each other.
    """
    column, metrics = metrics_in(table)
    if len(metrics) > 1:
        reason = f"column {column!r} names {counted(len(metrics), 'metric')} ({listed(metrics)})"
        right = f"pass metric={quoted(metrics[0])}, or ignore={quoted(column)} if their scores are "
        raise problem(table.source, f"{reason}; {right}one measure")
    return next(iter(metrics), None)


def rows_of_metric(table: Table, metric: str) -> Table:
    """The rows of one metric; the beginning of its name is enough.

    Raises
    ------
    ValueError
        If no column names metrics, or it names none or several that begin so.
    """
    column, metrics = metrics_in(table)
    chosen = [name for name in metrics if name == metric] or [
        name for name in metrics if name.startswith(metric)
    ]
    if not metrics:
        reason = "does not apply: no column names metrics"
        raise problem(table.source, f"metric={quoted(metric)} {reason}")
    if len(chosen) != 1:
        number = "the beginning of several" if chosen else "none"
        reason = f"metric={quoted(metric)} is {number} of {listed(metrics)}"
        raise problem(table.source, reason, column=column)
    named = [cell.strip() for cell in as_written(table, column)]
    if "" in named:  # which may be of the metric that is read
        raise table.problem(named.index(""), "blank; give each row its metric", column=column)
    places = [k for k, name in enumerate(named) if name == chosen[0]]
    columns = {
        name: values[places] if isinstance(values, np.ndarray) else [values[k] for k in places]
        for name, values in table.columns.items()
    }
    return Table(table.source, columns, [table.rows[k] for k in places])


def metrics_in(table: Table) -> tuple[str, list[str]]:
    """The column of a long table that names metrics, such as ``metric``, and these; else none."""
    roles = ("system", "item", "score", "dataset", "cluster", "epoch")
    used = {find(table, role) for role in roles}
    named = (table.by_name[name] for name in _METRICS if name in table.by_name)
    column = next((column for column in named if column not in used), None)
    if column is None or holds_numbers(table, column):
        return "", []
    cells: Any = table.columns[column]
    distinct = cells.distinct if isinstance(cells, Coded) else as_written(table, column)
    metrics = list(dict.fromkeys(filter(None, (str(text).strip() for text in distinct))))
    if len(metrics) > 1 and (averages := rows_of_averages(table, column)):
        raise table.cell_problem(0, column, averages)
    return column, metrics


def for_runs(table: Table) -> str:
    """How to read several rows of one item and system."""
    column = next((table.by_name[name] for name in RUNS if name in table.by_name), "")
    named = f"pass run={column!r} if these are repeated runs"
    return named if column else "pass run= with the column that numbers repeated runs"


def of_groups(table: Table, item: str | None, columns: Sequence[str]) -> str:
    """Which of some columns group the items, in words; empty if none does."""
    if item is None:
        return ""
    items, gold = _codes(table, item), find(table, "gold")
    n_items, labels = len(items.distinct), {*_codes(table, gold).distinct} if gold else set()
    for column in columns:
        groups = _codes(table, column)
        n_groups = len(groups.distinct)
        answers = len(labels.intersection(groups.distinct)) > n_groups / 2  # of another system
        if answers or not _FEWEST <= n_groups <= n_items / 2:
            continue
        group_of_item = np.empty(n_items, dtype=np.int64)
        group_of_item[items.codes] = groups.codes
        if np.array_equal(group_of_item[items.codes], groups.codes):
            groups = f"column {column!r} groups {counted(n_items, 'item')} into {n_groups}"
            return f"; {groups}: if items of a group are alike, pass cluster={column!r}"
    return ""


def _codes(table: Table, column: str) -> Coded:
    values: Any = table.columns[column]
    if isinstance(values, Coded):
        return values
    values = values.values if isinstance(values, Numbers) else values
    return coded(values if isinstance(values, np.ndarray) else list(map(str, values)))

"""Files and frames, one or several, to scores, counts, tallies or judgments, and what their
columns mean.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from filecmp import cmp
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.cells import holds_numbers, numbers
from betterthan.io.files import PATHS, dataset_name, read_file, table_of
from betterthan.io.frames import is_frame, table_from_frame
from betterthan.io.items import as_array, items_of, question_columns, tallies
from betterthan.io.layouts import (
    ALIASES,
    Layout,
    find,
    layout_by_name,
    metric_of,
    metrics_in,
    of_groups,
    recognise,
    require,
    rows_of_metric,
    summary_line,
    that_take,
)
from betterthan.io.measure_names import (
    is_named_measure,
    refuse_other_measures,
    refuse_unknown_direction,
)
from betterthan.io.pair_counts import copied_rows, judgments_by, votes_in_several_tables
from betterthan.io.problems import in_python, listed, problem, quoted, warn
from betterthan.io.score_values import (
    refuse_doubtful,
    refuse_shares,
    warn_appended_percentages,
    warn_of_data_sets_on_other_scales,
    warn_of_numbers_in_two_spellings,
)
from betterthan.io.several_tables import (
    all_votes,
    are_runs,
    cell_list,
    is_called_id,
    is_file_per_system,
    joined,
    of_other_systems,
    predictions_as_scores,
    refuse_confidences,
    refuse_files_of_runs,
    refuse_other_ids,
    score_columns,
    side_by_side,
)
from betterthan.io.system_names import (
    named_systems,
    refuse_melted,
    renamed,
    row_blocks,
    select_systems,
)
from betterthan.io.table import Reading, Table, unread
from betterthan.signed import Signature
from betterthan.text import stripped

_POINT = re.compile(r"[+-]?[\d.,]*\.[\d.,]*%?")  # 1.200 may be 1200, or 1.2
_COORDINATES = ("dataset", "cluster", "epoch", "judge")
# the name of a column by the option that names another
_ROLES = {role: role for role in ("item", "system", "score", "dataset", "cluster")}
_ROLES |= {"run": "epoch"}


@dataclass(frozen=True)
class Columns:
    """What the columns and cells of a table mean, where their names do not say it.

    Attributes
    ----------
    item, system, score, dataset, cluster, run : str, optional
        Columns.
    metric : str, optional
        Of a long table: the metric whose rows are read.
    ignore : tuple of str
        Columns that nothing is read from.
    true, false : tuple of str
        Words that are 1 and 0.
    percent : bool
        Whether scores are per cent.
    decimal : {".", ","}
    sep : str, optional
        What stands between cells of CSV.
    """

    item: str | None = None
    system: str | None = None
    score: str | None = None
    dataset: str | None = None
    cluster: str | None = None
    run: str | None = None
    metric: str | None = None
    ignore: tuple[str, ...] = ()
    true: tuple[str, ...] = ()
    false: tuple[str, ...] = ()
    percent: bool = False
    decimal: str = "."
    sep: str | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise ValueError(f"decimal is {quoted(self.decimal)}; give '.' or ','")
        if self.sep is not None and len(self.sep) != 1:
            raise ValueError(f"sep is {quoted(self.sep)}; give one character, such as ';'")
        if both := {w.casefold() for w in self.true} & {w.casefold() for w in self.false}:
            raise ValueError(f"{sorted(both)[0]!r} is both true and false; give it to one of them")

    @property
    def named(self) -> set[str]:
        """The columns that play a role, and those that play none."""
        return {column for role in _ROLES if (column := getattr(self, role))} | {*self.ignore}


def words(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """One word or several, as a tuple."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def applied(table: Table, spec: Columns, *, one_of_several: bool = False) -> Table:
    """The table as it would have been written with the usual names, words and numbers; one of
    several tables may be of one system.

    Raises
    ------
    ValueError
        If there is no such column, or no cell is a word of `true` or `false`.
    """
    if spec == Columns(sep=spec.sep):
        return table
    if spec.metric is not None:
        table = rows_of_metric(table, spec.metric)
    table = _renamed(table, spec, one_of_several)
    if not (spec.true or spec.false or spec.percent or spec.decimal == ","):
        return table
    plain = [role for role in ("item", "system", "gold", *_COORDINATES) if find(table, role)]
    unscored = {*table.unused, *(find(table, role) for role in plain)}
    met: set[str] = set()
    columns = {
        name: values if name in unscored else _scored(table, name, values, spec, met)
        for name, values in table.columns.items()
    }
    absent = [w for w in (*spec.true, *spec.false) if w.casefold() not in met]
    if (spec.true or spec.false) and not met:
        raise problem(table.source, f"no cell holds {listed(absent)}; check true= and false=")
    return replace(table, columns=columns)


def _renamed(table: Table, spec: Columns, one_of_several: bool) -> Table:
    """Rename the specified columns to the known names, and drop the ignored ones."""
    columns_by_role = {
        role: column for role in _ROLES if (column := getattr(spec, role)) is not None
    }
    new = {column: _ROLES[role] for role, column in columns_by_role.items()}
    for role, name in (*columns_by_role.items(), *(("ignore", name) for name in spec.ignore)):
        if name not in table.columns:
            reason = f"has no column {quoted(name)} among {listed(table.columns)}"
            raise problem(table.source, f"{reason}; pass one of them as {role}=")
    if len(new) < len(columns_by_role):
        twice = next(c for c in new if [*columns_by_role.values()].count(c) > 1)
        roles = [f"{role}=" for role, column in columns_by_role.items() if column == twice]
        raise problem(table.source, f"column {twice!r} is passed as {' and '.join(roles)}")
    _refuse_groups(table, spec, one_of_several)
    aliases = {alias for role in new.values() for alias in ALIASES[role]}
    columns = {}
    for name, values in table.columns.items():
        if name in new or name not in {*spec.ignore, *new.values()}:
            columns[new.get(name, name)] = values
    # another column of such a name is not what was meant
    unused = tuple(c for c in columns if c.casefold() in aliases and c not in new.values())
    if spec.score and not spec.system and find(table, "system") is None:
        others = (find(table, role) for role in ("item", *_COORDINATES))
        named = {"item", *new.values(), metrics_in(table)[0]}
        needed = {*named, *others, *question_columns(table)}
        ids = [name for name in columns if name not in needed and is_called_id(name)]
        columns = {name: values for name, values in columns.items() if name in {*needed, *ids}}
        unused += tuple(name for name in ids if name not in unused)
    written = {usual: column for column, usual in new.items() if column != usual}
    return replace(table, columns=columns, unused=unused, written=written)


def _refuse_groups(table: Table, spec: Columns, one_of_several: bool) -> None:
    """Refuse a column of data sets, clusters or runs that is plainly something else."""
    for role in ("dataset", "cluster", "run"):
        column, usual = getattr(spec, role), _ROLES[role]
        if column is None:
            continue
        other = find(table, usual)
        if other not in (None, column, *spec.ignore):
            reason = f"has a column {other!r}, too; pass ignore={other!r} with {role}={column!r}"
            raise problem(table.source, reason)
        distinct = set(cell_list(table.columns[column]))
        item = spec.item or find(table, "item")
        if column == item and len(distinct) == len(table.rows):
            reason = f"{role}={column!r} has another value in each row; pass a column of {role}s"
            raise problem(table.source, reason)
        numbered = role == "run" and item in table.columns and _numbers_rows(table, item, column)
        wide = spec.system is None and find(table, "system") is None
        if not wide or numbered:
            continue
        roles = {find(table, name) for name in _COORDINATES}
        used = {item, spec.cluster, spec.run, *roles, *spec.ignore}
        others = [name for name in unread(table, used) if holds_numbers(table, name)]
        too_few = not others if one_of_several or spec.score else checks.too_few(others)
        if _holds_scores(table, column, distinct, others, too_few):
            reason = f"{role}={column!r} is a column of scores; pass a column of {role}s"
            raise problem(table.source, reason)


def _numbers_rows(table: Table, item: str, column: str) -> bool:
    """Whether items have several rows, and a column numbers the rows of each."""
    items, numbers = cell_list(table.columns[item]), cell_list(table.columns[column])
    return len(set(items)) < len(table.rows) == len(set(zip(items, numbers, strict=True)))


def _holds_scores(
    table: Table, column: str, distinct: set[Any], others: Sequence[str], too_few: bool
) -> bool:
    """Whether a column has numbers that are all scores in other columns, and could not number
    groups: fractions, or numbers without which too few columns of scores are left.
    """
    if not holds_numbers(table, column):
        return False
    written = numbers(table, column)
    whole = bool((np.isnan(written) | (written == np.floor(written))).all())
    values = {cell for name in others for cell in cell_list(table.columns[name])}
    return (too_few or not whole) and distinct <= values


def _scored(table: Table, name: str, values: Any, spec: Columns, met: set[str]) -> Any:
    """Convert words, and numbers of another notation, to numbers."""
    if isinstance(values, np.ndarray):
        return values / 100 if spec.percent and values.dtype.kind in "iuf" else values
    value_by_word = dict.fromkeys((w.casefold() for w in spec.true), 1.0)
    value_by_word |= dict.fromkeys((w.casefold() for w in spec.false), 0.0)
    cells = []
    for k, value in enumerate(values):
        word = stripped(value) if isinstance(value, str) else value
        if isinstance(word, str) and word.casefold() in value_by_word:
            met.add(word.casefold())
            cells.append(value_by_word[word.casefold()])
            continue
        if spec.decimal == "," and isinstance(word, str) and _POINT.fullmatch(word):
            reason = "a point where the decimal sign is a comma; write the number without it"
            raise table.cell_problem(k, name, reason)
        cells.append(_number(word, spec))
    if spec.percent:
        _refuse_some_signs(values, cells, table, name)
    changed = replace(table, columns={name: cells})
    return cells if holds_numbers(changed, name) or cells != list(values) else values


def _refuse_some_signs(values: Any, cells: list[Any], table: Table, name: str) -> None:
    """Refuse a number of up to 1 without a percent sign in a column where others have one."""
    signed = [isinstance(v, str) and v.rstrip().endswith("%") for v in values]
    shares = (
        k for k, v in enumerate(cells) if isinstance(v, float) and 0 < v <= 0.01 and not signed[k]
    )
    if any(signed) and (k := next(shares, None)) is not None:
        reason = "no % sign, which other cells of the column have; write all alike"
        raise table.cell_problem(k, name, reason)


def _number(word: Any, spec: Columns) -> Any:
    """Convert a cell with a decimal comma or a percentage to a number; leave others as they are."""
    if isinstance(word, bool) or word is None:
        return word
    text = str(word)
    if spec.decimal == ",":
        text = text.replace(",", ".")
    if spec.percent:
        text = text.removesuffix("%").strip()
    try:
        number = float(text)
    except ValueError:
        return word
    return number / 100 if spec.percent else number


def tallies_from_table(table: pd.DataFrame, *, scale: int = 1) -> xr.DataArray:
    """Convert a table of TP/FP/FN counts, one row per system and item, to an array.

    Parameters
    ----------
    table : pandas.DataFrame
        Table with columns ``system``, ``item`` (or ``doc``, ``document``), ``tp``, ``fp``, ``fn``;
        optionally ``label`` (or ``type``, ``class``), ``dataset`` and ``epoch`` (which distinguish
        items with the same id), and ``cluster`` (the same in all rows of an item).
    scale : int, default 1
        Factor that makes the counts whole numbers: 2 if partial credit comes in halves. Scores do
        not change.

    Returns
    -------
    xarray.DataArray, dims (item, system, tally), or (item, system, label, tally), int64
        Counts with items in the order of their first row, joined by id within dataset and epoch.
        ``attrs["scale"]`` keeps the scale. A label without a row has counts of 0 if the system has
        another row for that item; ``attrs["reading"]`` reports how many.

    Raises
    ------
    ValueError
        If a column is missing, a count is negative or not whole, a row occurs twice, or a system
        has no row at all for an item: missing is not zero.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"], "doc": ["d1", "d1"], "tp": [3, 1.5], "fp": [1, 0], "fn": [0, 2]}
    ... )
    >>> tallies_from_table(frame, scale=2).sel(system="B").values.tolist()
    [[3, 0, 4]]
    """
    checks.of_type(
        table, pd.DataFrame, "table is", "pandas.DataFrame, or a path to betterthan.read"
    )
    parsed = table_from_frame(table, "DataFrame")
    require(parsed, "tallies")
    reading = tallies(parsed, scale)
    summary = summary_line(parsed.source, layout_by_name("tallies"), reading.data, [reading])
    return reading.data.assign_attrs(reading=summary)


def read_judgments(
    source: str | Path | pd.DataFrame, *, judge: str | None = None, cluster: str | None = None
) -> xr.Dataset:
    """Read pairwise judgments of two systems, one judgment per row.

    Parameters
    ----------
    source : path or pandas.DataFrame
        Table with columns ``model_a, model_b, winner`` (or ``system_a, system_b``, ``left,
        right``). The winner is a side, a name, or a tie. The first system is the one that was shown
        first.
    judge : str, optional
        Column that names the judge.
    cluster : str, optional
        Column that names the judged object, such as the prompt; judgments of one prompt are a
        cluster.

    Returns
    -------
    xarray.Dataset
        Over judgment: ``system_a``, ``system_b``, and ``outcome`` (1 if the first won, 0 for a tie,
        -1 if it lost), with coordinates ``judge`` and ``cluster`` if named; ``system`` lists all
        systems. ``attrs["unit"]`` is judgment; ``attrs["reading"]`` is the import summary. Rows
        without a winner are left out and counted.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a column is missing, a winner is unknown, a system meets itself, or a judge or cluster is
        blank; the message names file, row, column, and value.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
    >>> votes["who"] = ["x", "y"]
    >>> read_judgments(votes, judge="who")["outcome"].values.tolist()
    [1, 0]
    """
    table = table_of(source)
    require(table, "judgments")
    reading = judgments_by(table, {"judge": judge, "cluster": cluster})
    noted = {"cluster", "dependent"} & {*reading.data.coords, *reading.data.attrs}
    if copies := "" if noted else copied_rows([table]):
        reading.data.attrs["dependent"] = copies
    summary = summary_line(table.source, layout_by_name("judgments"), reading.data, [reading])
    signed = Signature(unit="judgment", source=table.source, reading=summary)
    return reading.data.assign_attrs(signed.to_attrs())


_DEFAULTS: dict[str, Any] = {"higher_is_better": None, "unit": None, "scale": 1}
_log = logging.getLogger("betterthan")


def read_tables(
    source: Any,
    *,
    layout: str | None = None,
    systems: Any = None,
    higher_is_better: bool | None = None,
    unit: str | None = None,
    scale: int = 1,
    meanings: Columns | None = None,
    names_are: str | None = None,
    plain: bool = False,
    folder: bool = False,
) -> Any:
    """Scores of each item, or counts of each pair, from tables; see `betterthan.read`.

    Parameters
    ----------
    source : path, pandas.DataFrame, list of paths, or mapping of name to path or DataFrame
    layout, systems, higher_is_better, unit, scale
        See `betterthan.read`.
    meanings : Columns, optional
        What columns and cells mean.
    names_are : {"systems", "datasets"}, optional
        What several tables are; see `several_tables.is_file_per_system`.
    folder : bool, default False
        Whether a mapping has names of files, and not of systems.
    plain : bool, default False
        Whether scores without clusters, runs and data sets are `PlainScores`, without xarray.
    """
    choices = {"higher_is_better": higher_is_better, "unit": unit, "scale": scale}
    meanings = Columns() if meanings is None else meanings
    named = _named(source)
    sep = meanings.sep
    several = len(named) > 1
    if names_are is not None and not several and not isinstance(source, Mapping):
        reason = f"names={quoted(names_are)} is for several tables, and there is one"
        raise ValueError(f"{reason}; leave it out")
    by_name = {
        name: applied(_table(x, name, sep, meanings.named), meanings, one_of_several=several)
        for name, x in named.items()
    }
    metric = None if meanings.metric is None else metric_of(next(iter(by_name.values())))
    by_name, predicted = predictions_as_scores(by_name, layout, names_are)
    by_file = layout is None or names_are == "systems" or bool(predicted)
    by_file = by_file and is_file_per_system(by_name, names_are)
    if meanings.system or meanings.score:
        _refuse_columns_of_long_tables(by_name.values(), meanings, layout, by_file)
    columns: list[str] = []
    if by_file:
        scored = [
            (table.source, metric_of(table) or column)
            for table in by_name.values()
            for column in score_columns(table)
        ]
        columns = [column for _, column in scored]
        if not predicted:
            refuse_other_measures(scored, higher_is_better)
        by_name = {"": side_by_side(by_name, mapping=isinstance(source, Mapping) and not folder)}
    several = not by_file and (len(named) > 1 or isinstance(source, Mapping))
    datasets = list(named) if several else []
    chosen_layout = (
        layout_by_name("long") if by_file else _one_layout(list(by_name.values()), layout)
    )
    _check_choices(chosen_layout, choices)
    for choice in ("true", "false", "percent"):
        if (value := getattr(meanings, choice)) and chosen_layout.gives != "scores":
            written = value if value is True else in_python(value)
            reason = f"{choice}={written} is for scores"
            raise ValueError(f"{reason}; this was read as {chosen_layout.name}")
    of_scores = chosen_layout.name in ("long", "wide")
    metrics = [metric_of(t) for t in by_name.values()] if of_scores else []
    for role in ("cluster", "run"):
        grouped = ("scores", "tallies", *["judgments"] * (role == "cluster"))
        if getattr(meanings, role) and chosen_layout.gives not in grouped:
            what = f"{role}={getattr(meanings, role)!r} is for scores and TP/FP/FN counts"
            votes = role == "cluster" and chosen_layout.name == "votes"
            right = "; pass layout='judgments', too" if votes else ""
            raise ValueError(f"{what}; this was read as {chosen_layout.name}{right}")
    for table in by_name.values() if chosen_layout.name == "long" else ():
        refuse_other_ids(table)
        refuse_confidences(table)
    result = _read(chosen_layout, by_name, datasets, systems, choices, plain, names_are)
    if several:
        _refuse_copies(named)
    if higher_is_better is None and chosen_layout.gives == "scores":
        alone = [name for name in (meanings.score, *metrics) if name]
        if chosen_layout.name == "long" and not by_file:
            columns = [str(find(table, "score")) for table in by_name.values()]
        compared = [columns, *([name] for name in alone)]
        if not any(map(is_named_measure, chain(*compared))):  # then systems may be called by it
            compared.append(result[names.SYSTEM].values.tolist())
        for named_columns in compared:
            refuse_unknown_direction(result.attrs["source"], named_columns, result.values)
    if of_scores and named_systems(systems) is None:
        refuse_doubtful(result)
        if chosen_layout.name == "long":
            refuse_melted(result, by_file)
    if "fold" in {str(column).casefold() for column in (meanings.item, meanings.run)}:
        reason = "folds share training data, so a comparison of items would be too confident"
        warn(result.attrs["source"], f"{reason}; use betterthan.scores.compare_folds")
    if of_scores:
        scale = 100 if meanings.percent else 1  # of what was written
        warn_of_data_sets_on_other_scales(result, scale)
        warn_appended_percentages(result, scale)
        warn_of_numbers_in_two_spellings(result)
    if meanings.percent and chosen_layout.gives == "scores":
        refuse_shares(result)
    result = renamed(result, systems)
    for role in ("item", "dataset", "cluster", "run"):
        if column := getattr(meanings, role):
            usual = ["item ids from", "joined by"] if role == "item" else [f"{_ROLES[role]} from"]
            for phrase in usual:
                was, now = (f"{phrase} column {name!r}" for name in (_ROLES[role], column))
                result.attrs["reading"] = result.attrs["reading"].replace(was, now)
    if of_scores and (compared := metric or meanings.score):
        result.attrs["metric"] = compared
    if metric is not None:
        result.attrs["reading"] += f", rows of metric {quoted(metric)}"
    if by_file:
        result.attrs["reading"] += f"{predicted}, each file a system"
    _log.info(result.attrs["reading"])
    return result


def _read(
    layout: Layout,
    by_name: dict[str, Table],
    datasets: list[str],
    systems: Any,
    choices: dict[str, Any],
    plain: bool,
    names_are: str | None,
) -> Any:
    """What tables of one layout hold, with what they say of themselves; several of one run of the
    same items each are runs, and not data sets, unless `names_are` names these.
    """
    wanted, tables = named_systems(systems), list(by_name.values())
    if wanted is not None and layout.gives == "judgments":
        raise ValueError("systems is for scores, tallies and counts; judgments are read whole")
    if datasets and names_are is None and layout.gives != "scores" and (stack := all_votes(tables)):
        tables, datasets = [stack], []
    readings = [_reading(layout, table, wanted, choices["scale"]) for table in tables]
    if datasets or not plain or getattr(readings[0].data, "along_items", None):
        readings = [replace(reading, data=as_array(reading.data)) for reading in readings]
    several, unnamed = bool(datasets), names_are is None and layout.gives == "scores"
    runs = several and unnamed and are_runs(readings, tables)
    if several and unnamed:
        refuse_files_of_runs(by_name, readings)
    counts = several and layout.gives == "counts" and names_are is None
    datasets = [] if runs or (counts and of_other_systems(readings)) else datasets
    result = _joined(layout, readings, datasets, tables) if several else readings[0].data
    sources = ", ".join(table.source for table in tables)
    result.attrs = _attrs(layout, result, readings, choices) | {"source": sources}
    votes = layout.name in ("votes", "judgments") and "cluster" not in result.coords
    reason = votes_in_several_tables(tables) if layout.name == "votes" and several else ""
    if reason := reason or (
        copied_rows(tables) if votes and "dependent" not in result.attrs else ""
    ):
        result.attrs["dependent"] = reason  # which the answer repeats
    summary = summary_line(sources, layout, result, readings, datasets)
    summary += ", each table with runs of the same items" if runs else ""
    if layout.gives == "scores":
        table, ignored = tables[0], readings[0].ignored
        may_be = [
            column
            for column in ignored  # numbers of a wide table may be scores
            if layout.name == "long" or column in table.unused or not holds_numbers(table, column)
        ]
        summary += of_groups(table, find(table, "item"), may_be)
    result.attrs["reading"] = summary
    return result


def _refuse_columns_of_long_tables(
    tables: Iterable[Table], meanings: Columns, layout: str | None, by_file: bool
) -> None:
    """Refuse a column of systems, or of all scores, where each column is a system."""
    for table in tables:
        read_as = layout or recognise(table)
        if read_as not in ("wide", "predictions"):
            continue
        if meanings.system and read_as == "wide":
            columns = unread(table, items_of(table).used)
            columns = [meanings.system if name == "system" else name for name in columns]
            reason = f"system={meanings.system!r} is for the names of systems in rows, and this was"
            reason += f" read as wide, where columns are systems ({listed(columns)}); leave it out"
            raise ValueError(reason)
        if meanings.score and not by_file and checks.too_few(["score"]):
            what = "scores" if read_as == "wide" else "predictions"
            reason = f"score={meanings.score!r} is for the only column of scores, and this was "
            reason += f"read as {read_as}, where each column of {what} is a system; leave it out"
            raise ValueError(reason)


def _refuse_copies(named: Mapping[str, Any]) -> None:
    """Refuse one table as two data sets, which would count each item twice."""
    for (name, table), (other, copy) in combinations(named.items(), 2):
        paths = isinstance(table, str | Path) and isinstance(copy, str | Path)
        same_size = paths and os.path.getsize(table) == os.path.getsize(copy)
        if table is copy or (same_size and cmp(table, copy, shallow=False)):
            same = f"{table} and {copy} are the same, byte for byte"
            what = same if paths else "one table is two"
            raise ValueError(f"data sets {quoted(name)}, {quoted(other)}: {what}; give it once")


def _named(source: Any) -> dict[str, Any]:
    """Name the sources by dataset; a single source keeps its own name."""
    if isinstance(source, Mapping):
        if not source:
            raise ValueError("source is an empty mapping; give at least one file or DataFrame")
        checks.fit(map(str, source), "table")
        return {str(name): item_source for name, item_source in source.items()}
    if not isinstance(source, list | tuple):
        return {"DataFrame" if is_frame(source) else "": source}
    named: dict[str, Any] = {}
    for path in source:
        checks.instance(path, str | Path, "source holds a", PATHS)
        name = dataset_name(Path(path))
        if name in named:
            raise ValueError(f"two files are called {name!r}; give a mapping of name to file")
        named[name] = path
    checks.fit(named, "the name of the file")
    return named


def _table(source: Any, name: str, sep: str | None, levels: Container[Any]) -> Table:
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        return read_file(Path(source), sep)
    if isinstance(source, pd.DataFrame):
        return table_from_frame(source, name, levels=levels)
    right = "give a path, a DataFrame, a list of paths, or a mapping of name to path or DataFrame"
    raise ValueError(f"source is a {type(source).__name__}; {right}")


def _reading(layout: Layout, table: Table, systems: list[str] | None, scale: int) -> Reading:
    """Read one table, with the requested systems."""
    options: dict[str, Any] = {"scale": scale} if "scale" in layout.takes else {}
    if "systems" in layout.takes:
        return layout.reader(table, systems=systems, **options)
    reading = layout.reader(table, **options)
    return replace(reading, data=select_systems(table.source, reading.data, systems))


def _one_layout(tables: list[Table], layout: str | None) -> Layout:
    """The layout that all tables have."""
    if layout is not None:
        checks.one_of(layout, names.LAYOUTS, "layout")
        for table in tables:
            require(table, layout)
        return layout_by_name(layout)
    first, *others = [recognise(table) for table in tables]
    if set(others) - {first}:
        reason = f"is {others[-1]}, but {tables[0].source} is {first}; give files of one layout"
        raise problem(tables[-1].source, reason)
    return layout_by_name(first)


def _check_choices(layout: Layout, choices: dict[str, Any]) -> None:
    better = choices["higher_is_better"]
    if better is not None:
        checks.flag(better, "higher_is_better")
        if "higher_is_better" not in layout.takes:
            reason = f"{layout.name} already say which system is better"
            raise ValueError(f"higher_is_better={better} is for scores; {reason}")
    if choices["unit"] is not None:
        checks.one_of(choices["unit"], names.UNITS, "unit")
    for choice, value in choices.items():
        if value != _DEFAULTS[choice] and choice not in layout.takes:
            reason = f"{choice}={quoted(value)} is for {that_take(choice)}"
            raise ValueError(f"{reason}; this was read as {layout.name}")


def _joined(layout: Layout, readings: list[Reading], datasets: list[str], tables: Any) -> Any:
    if layout.gives not in ("scores", "counts"):
        hint = ", with a column 'dataset'" if layout.gives == "tallies" else ""
        raise ValueError(f"several files of {layout.name} are not joined; give one table{hint}")
    arrays, sources = [x.data for x in readings], [table.source for table in tables]
    return joined(arrays, datasets, sources)


def _attrs(
    layout: Layout, result: Any, readings: list[Reading], choices: dict[str, Any]
) -> dict[str, Any]:
    """Build the attrs of the result: only str and int, which netCDF keeps."""
    first = readings[0].data.attrs
    numbers = [k for k in ("n", "n_missing") if k in first]
    attrs = {k: sum(reading.data.attrs[k] for reading in readings) for k in numbers}
    attrs |= {"scale": first["scale"]} if "scale" in first else {}
    dependent = [why for reading in readings if (why := reading.data.attrs.get("dependent"))]
    attrs |= {"dependent": "; ".join(dependent)} if dependent else {}
    better = None
    if layout.gives == "scores":
        better = choices["higher_is_better"] is not False
        attrs["n_missing"] = sum(int(np.isnan(rows).sum()) for rows in row_blocks(result.values))
    unit, ties = choices["unit"] or layout.unit, first.get("ties")
    signed = Signature(layout=layout.name, unit=unit, ties=ties, higher_is_better=better)
    return signed.to_attrs() | attrs

"""Tables of items: ids and coordinates, and the wide and long layouts of scores and tallies."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.cells import labels, read_once
from betterthan.io.labels import check_labels, distinct_labels
from betterthan.io.layouts import (
    as_text,
    candidates,
    find,
    for_runs,
    metric_of,
    metrics_in,
    not_scores,
    refuse_thousands,
)
from betterthan.io.measure_names import refuse_rightness, refuse_several_measures
from betterthan.io.plain_scores import PlainScores
from betterthan.io.problems import counted, listed, problem, quoted, warn
from betterthan.io.system_names import (
    PLAIN_NUMBER,
    chosen,
    columns_of_runs,
    no_names,
    refuse_alike_by_scores,
    refuse_odd,
    refuse_other_numbers,
    refuse_runs,
    refuse_square,
    refuse_total,
    row_blocks,
    tell_alike,
)
from betterthan.io.table import (
    MOST_CELLS,
    NAMELESS,
    Reading,
    Table,
    most_cells,
    refuse_large,
    unread,
)
from betterthan.io.texts import (
    BLOCK,
    Coded,
    Texts,
    array_from_codes,
    as_coded,
    coded,
    dtype_of,
    few,
    first_rows,
    narrow,
    repeated,
)

COORDINATES = ("dataset", "cluster", "epoch")  # optional coordinates on item, in this order
_MOST_NUMBERED = 300_000  # rows without ids
_FEW = 10  # rows that may be systems, where columns are many
_NUMBERED = 5, 10, 20  # rows whose numbers are no scores: in order, in any order, with gaps
_WITHIN = ("dataset", "epoch")  # an item is one within these


@dataclass(frozen=True)
class Items:
    """The items of a table with one row for each."""

    ids: Sequence[str]
    coords: dict[str, np.ndarray]
    used: set[str]  # columns that are therefore not systems
    ignored: list[str]  # of these, the ones that nothing was read from
    summary: str


def items_of(table: Table) -> Items:
    """Item ids and coordinates of a table with one row for each item; rows are numbered without
    ids.
    """
    column = sole(table, "item")
    columns_by_role, coords = _coordinates(table)
    ignored = [name for name in NAMELESS if name in table.columns and name != column]
    ignored += table.unused
    metric_of(table)  # several are refused as such, not for the items that they repeat
    used = {*columns_by_role.values(), *ignored, metrics_in(table)[0]}
    if column is None:
        _refuse_runs_without_items(table, columns_by_role, coords)
        if len(table.rows) > _MOST_NUMBERED:
            reason = f"holds {len(table.rows):,} rows and no column of item ids"
            right = f"more than {_MOST_NUMBERED:,} rows need one; add a column 'item'"
            raise problem(table.source, f"{reason}; {right}")
        ids, summary = numbered(len(table.rows)), "items are row numbers (no column of item ids)"
    else:
        coded_ids = item_ids(table, column, "each item an id")
        _refuse_repeated(table, column, coded_ids, coords)
        ids, summary = coded_ids.texts, f"item ids from column {column!r}"
        used.add(column)
    return Items(ids, coords, used, ignored, summary + describe_coordinates(columns_by_role))


def _refuse_runs_without_items(
    table: Table, columns: dict[str, str], coords: dict[str, np.ndarray]
) -> None:
    """Refuse runs without ids of items: each row would be an item, and each run a further one."""
    runs = coords.get("epoch", np.empty(0))
    if len(runs) and (runs != runs[0]).any():
        reason = f"column {columns['epoch']!r} numbers runs, and no column holds the ids of items"
        raise problem(table.source, f"{reason}; pass item= with the column of items")


def numbered(n: int) -> Sequence[str]:
    """Ids of items that have none: 1, 2, 3, ..."""
    numbers = range(1, n + 1)
    return few(Texts(list(map(str, numbers[k : k + BLOCK])) for k in range(0, n, BLOCK)))


def item_ids(table: Table, column: str, requirement: str) -> Coded:
    """Ids of items, none of them blank."""
    return read_once(table, column, lambda part, name: labels(part, name, requirement))


def units(ids: Coded, coords: dict[str, np.ndarray]) -> np.ndarray:
    """One number for each item within its dataset and epoch, in the order they first occur."""
    if not set(coords) & set(_WITHIN):
        return ids.codes
    return narrow(pd.factorize(_keys(ids, coords))[0], len(ids))


def _keys(ids: Coded, coords: dict[str, np.ndarray]) -> np.ndarray:
    """Return a key for each row, equal where item, dataset and epoch are equal."""
    key = ids.codes
    for place, role in enumerate(role for role in _WITHIN if role in coords):
        codes = coded(coords[role].tolist())
        key = (pd.factorize(key)[0] if place else key) * np.int64(len(codes.distinct))
        key += codes.codes
    return key


def sole(table: Table, role: str) -> str | None:
    """The one column that plays `role`, or None; two are refused, for one would pass as a
    system.
    """
    matches = candidates(table, role)
    if role in ("item", "gold") and len(matches) > 1:
        right = f"pass {role}= for the right one" if role == "item" else ""
        right = right or f"pass ignore={matches[-1]!r} if the other holds the right labels"
        right += f", or cluster={matches[-1]!r} if it groups the items" if role == "item" else ""
        raise problem(table.source, f"columns {listed(matches)} could each be the {role}; {right}")
    return matches[0] if matches else None


def _coordinates(table: Table) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """The columns of the optional coordinates, by role, and what each row has there."""
    columns = {role: column for role in COORDINATES if (column := find(table, role)) is not None}
    return columns, {role: coordinate(table, column, role) for role, column in columns.items()}


def coordinate(table: Table, column: str, role: str) -> np.ndarray:
    """The values of an optional coordinate: int64 for epochs that are whole numbers, otherwise
    str.
    """
    cells = item_ids(table, column, f"each item its {role}, or leave the column out")
    values = cells.distinct
    if role == "epoch" and all(
        value.isascii() and value.isdigit() and len(value) < 10 for value in values
    ):
        return np.array([int(value) for value in values], dtype=np.int64)[cells.codes]
    tell_alike(table.source, values, f"{role}s")
    return array_from_codes(values, cells.codes)


def as_array(scores: Any) -> Any:
    """Plain scores as a DataArray; what is one already, or holds no scores, as it is."""
    if not isinstance(scores, PlainScores):
        return scores
    array = scores_array(scores.values, scores.ids, scores.systems, scores.along_items)
    return array.assign_attrs(scores.attrs)


def scores_array(
    values: np.ndarray, ids: Sequence[str], systems: Sequence[str], coords: dict[str, np.ndarray]
) -> xr.DataArray:
    """Scores over (item, system)."""
    coordinates: dict[Hashable, Any] = {role: (names.ITEM, array) for role, array in coords.items()}
    axes = text_axes({names.ITEM: ids, names.SYSTEM: systems})
    scores = xr.DataArray(values, axes, dims=(names.ITEM, names.SYSTEM), name="scores")
    return scores.assign_coords(coordinates)  # which takes the arrays as they are, without a copy


def text_axes(axes: Mapping[str, Sequence[str]]) -> xr.Coordinates:
    """Dims and the texts along each: what `text_array` would give, whose array is not made, as
    pandas keeps texts of an index in its own way.
    """
    indexes = {dim: _index(dim, texts) for dim, texts in axes.items()}
    variables = {dim: index.create_variables()[dim] for dim, index in indexes.items()}
    return xr.Coordinates(variables, indexes=indexes)


def _index(dim: str, texts: Sequence[str]) -> xr.indexes.PandasIndex:
    dtype = dtype_of(texts)
    kind = object if dtype.kind == "O" or not len(texts) else None
    try:
        index = _index_from_blocks(texts, dim, kind)
    except UnicodeEncodeError:  # half a letter, which some JSON holds
        index = _index_from_blocks(texts, dim, object)
    return xr.indexes.PandasIndex(index, dim, coord_dtype=dtype)


def _index_from_blocks(texts: Sequence[str], name: str, dtype: Any) -> pd.Index:
    if not isinstance(texts, Texts):
        return pd.Index(list(texts), name=name, dtype=dtype)
    parts = [pd.Series(block, dtype=dtype) for block in texts.blocks()]
    return pd.Index(pd.concat(parts, ignore_index=True), name=name, dtype=dtype)


def at_least_two(table: Table, systems: Sequence[str]) -> None:
    """Refuse a table with fewer than two systems."""
    if checks.too_few(systems):
        count = f"only one system, {quoted(systems[0])}" if len(systems) else "no system"
        raise problem(table.source, f"{count}; a comparison needs at least two")


def describe_coordinates(columns: dict[str, str]) -> str:
    """Describe the columns of the optional coordinates for the import summary."""
    return "".join(f", {role} from column {column!r}" for role, column in columns.items())


def _refuse_repeated(table: Table, column: str, ids: Coded, coords: dict[str, np.ndarray]) -> None:
    if ids.once or not len(repeated(_keys(ids, coords))):
        return
    first = first_rows(unit := units(ids, coords))
    k = int((first[unit] != np.arange(len(unit))).argmax())
    within = [role for role in _WITHIN if role in coords]
    same = "".join(f" and {role} {quoted(coords[role][k].item())}" for role in within)
    before = table.rows[int(first[unit[k]])]
    reason = f"duplicate item id{same}, already in row {before}; give each item one row"
    reason += "" if "epoch" in within else f", or {for_runs(table)}"
    raise table.cell_problem(k, column, reason, ids)


def _of_runs(
    table: Table, items: Items, runs: dict[str, list[str]], columns: Sequence[str], values: Any
) -> Reading:
    """Scores of systems whose runs are columns; a system without a name has that of the table."""
    systems, each = [system or table.source for system in runs], len(next(iter(runs.values())))
    place = {column: k for k, column in enumerate(columns)}
    order = [[place[own[k]] for own in runs.values()] for k in range(each)]  # run, system
    ids = np.repeat(np.asarray(items.ids, dtype=object), each).tolist()
    coords = {role: np.repeat(array, each) for role, array in items.coords.items()}
    coords["epoch"] = np.tile(np.arange(1, each + 1), len(items.ids))
    scores = PlainScores(values[:, order].reshape(-1, len(systems)), ids, systems, coords)
    summary = f"{items.summary}, {each} runs of a system from columns {listed(columns)}"
    return Reading(scores, summary, [*items.ignored, *unread(table, {*items.used, *columns})])


def wide_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """Scores of a wide table, of all its columns or of the ones that are named."""
    items = items_of(table)
    named, systems = systems is not None, chosen(table, unread(table, items.used), systems)
    at_least_two(table, systems)
    values = np.empty((len(items.ids), len(systems)))
    for k, system in enumerate(systems):
        values[:, k] = cells.scores(table, system, partial(not_scores, table, system))
    refuse_thousands(table, systems, values)
    if items.summary.startswith("items are") or not (named or len(values) < _NUMBERED[1]):
        _refuse_row_numbers(table, systems, values, named)
    runs = columns_of_runs(systems) if not named and "epoch" not in items.coords else {}
    if runs:
        if checks.too_few(systems[:1]):  # runs are not what is asked for
            refuse_runs(table.source, systems)
        return _of_runs(table, items, runs, systems, values)
    if not named:
        refuse_square(table, items.ids, systems)
        refuse_several_measures(table.source, systems)
        refuse_other_numbers(table, systems, values)
    refuse_total(table.source, items.ids, values)
    if len(values) < _FEW and len(systems) > max(20, 4 * len(values)):
        sizes = f"{counted(len(values), 'item')} and {len(systems)} systems"
        warn(table.source, f"{sizes}; if each row is a system, transpose the table")
    refuse_alike_by_scores(table.source, systems, items.ids, lambda: ~np.isnan(values))
    ignored = [*items.ignored, *unread(table, {*items.used, *systems})]
    return Reading(PlainScores(values, items.ids, systems, items.coords), items.summary, ignored)


def predicted_scores(table: Table, systems: Sequence[str] | None = None) -> Reading:
    """1 where a prediction equals gold, 0 where it does not, NaN where it is blank."""
    items, candidates = items_of(table), prediction_columns(table)
    named, systems = systems is not None, chosen(table, candidates, systems)
    at_least_two(table, systems)
    if not named:
        refuse_rightness(table.source, systems)
    values, summary = right_or_wrong(table, systems, named)
    if not named:
        refuse_several_measures(table.source, systems)
        refuse_odd(table, systems, *no_names(systems))
    refuse_alike_by_scores(table.source, systems, items.ids, lambda: ~np.isnan(values))
    ignored = [*items.ignored, *unread(table, {*items.used, sole(table, "gold"), *systems})]
    scores = PlainScores(values, items.ids, systems, items.coords)
    return Reading(scores, items.summary + summary, ignored)


def prediction_columns(table: Table) -> list[str]:
    """The columns that may hold predictions."""
    return unread(table, items_of(table).used | {sole(table, "gold")})


def right_or_wrong(
    table: Table, systems: Sequence[str], named: bool, *, one: bool = False
) -> tuple[np.ndarray, str]:
    """Whether each prediction equals gold, (item, system), and what the reading says of that; see
    `check_labels`.
    """
    column = str(sole(table, "gold"))
    gold = cells.read_once(table, column, cells.gold)
    predicted = {system: cells.read_once(table, system, cells.predictions) for system in systems}
    summary = f", 1 where a prediction equals column {column!r}"
    summary += check_labels(table, (column, gold), predicted, named, one=one)
    return _right(gold, predicted), summary


def _right(gold: Coded, predicted: dict[str, Coded]) -> np.ndarray:
    """Score each prediction: 1 if it equals gold, else 0; NaN where it is blank."""
    values, labels = np.empty((len(gold), len(predicted))), gold.distinct
    place = {label: k for k, label in enumerate(labels)} | {"": -2}
    for k, predictions in enumerate(predicted.values()):
        code_by_distinct = narrow(
            np.array([place.get(text, -1) for text in predictions.distinct]), len(labels)
        )
        codes = code_by_distinct[predictions.codes]
        values[:, k] = codes == gold.codes
        values[codes == -2, k] = np.nan
    return values


def _refuse_row_numbers(table: Table, systems: list[str], values: np.ndarray, named: bool) -> None:
    """Refuse a system whose scores count the rows, or of many rows in another order or with gaps
    unless systems are named: it is an id by an unknown name, and would always win.
    """
    n = len(values)
    spans = values.max(0) - values.min(0) if n >= _NUMBERED[0] else np.empty(0)
    near = np.flatnonzero((spans >= n - 1) & (spans < 2 * n))  # as far as numbers of rows go
    in_order = [k for k in near if (np.diff(values[:, k]) == 1).all()]
    most = 1 + (n >= _NUMBERED[2])  # the next number, or with a gap
    differ = [k for k in near if _all_differ(values[:, k], most * n)]
    shuffled = differ if n >= _NUMBERED[1] and not named and len(differ) < len(systems) else []
    for k in (*in_order, *shuffled):
        right = f"pass item={systems[k]!r} if it holds the item ids, or ignore={systems[k]!r}"
        raise problem(table.source, f"counts the rows; {right}", column=systems[k])


def _all_differ(column: np.ndarray, most: int) -> bool:
    """Whether these are whole numbers that all differ, within a range of so many."""
    ordered = np.sort(column)
    return bool((np.diff(ordered) >= 1).all() and not (column % 1).any()) and np.ptp(column) < most


def long_scores(table: Table) -> Reading:
    """Scores of a long table, joined by item, dataset and epoch; what never occurs is NaN."""
    item, system, score = (str(find(table, role)) for role in ("item", "system", "score"))
    rows = item_rows(table, item)
    for column in question_columns(table):
        _refuse_two_questions(table, column, rows)
    systems = cells.read_once(table, system, cells.system_names)
    at_least_two(table, systems.distinct)
    _refuse_exchanged_columns(table, item, rows.ids, systems)
    scores_by_row = cells.scores(table, score, partial(as_text, table, score))
    refuse_thousands(table, [score], scores_by_row)
    if "epoch" in rows.by_row and np.isnan(scores_by_row).any():
        _refuse_blank_run(table, rows.by_row["epoch"], systems, scores_by_row)
    values = _square(table, rows, systems, scores_by_row)
    refuse_total(table.source, rows.names, values)
    refuse_alike_by_scores(table.source, systems.distinct, rows.names, lambda: ~np.isnan(values))
    written = {role: table.written.get(c, c) for role, c in rows.coord_columns.items()}
    summary = f"joined by column {table.written.get(item, item)!r}{describe_coordinates(written)}"
    used = {item, system, score, metrics_in(table)[0], *rows.coord_columns.values()}
    scores = PlainScores(values, rows.names, systems.distinct, rows.coords)
    return Reading(scores, summary, unread(table, used))


def _refuse_exchanged_columns(table: Table, item: str, items: Coded, systems: Coded) -> None:
    """Refuse rows that were appended with items and systems exchanged."""
    both = set(systems.distinct).intersection(items.distinct)
    both = {name for name in both if not PLAIN_NUMBER.fullmatch(name)}
    if not both:
        return
    for part, other, kinds in (
        (items, systems, ("an item", "a system")),
        (systems, items, ("a system", "an item")),
    ):
        rows = dict(zip(other.distinct, other.first.tolist(), strict=True))
        firsts = zip(part.distinct, part.first.tolist(), strict=True)
        before = np.array([name in both and rows[name] < row for name, row in firsts])
        exchanged = before[part.codes]  # the name was in the other column before
        codes = other.codes
        if exchanged.any() and not np.isin(codes[exchanged], codes[~exchanged]).any():
            k = int(exchanged.argmax())
            place = f"is {kinds[0]} here and {kinds[1]} in row {table.rows[rows[part[k]]]}"
            reason = f"{quoted(part[k])} {place}; are two columns exchanged?"
            raise table.problem(k, reason, column=item)


@dataclass(frozen=True)
class ItemRows:
    """The items of a table with several rows for each."""

    ids: Coded  # of each row
    unit: np.ndarray  # the item of each row, as a number
    coord_columns: dict[str, str]  # columns of the optional coordinates
    by_row: dict[str, np.ndarray]  # the coordinates of each row

    @property
    def items(self) -> int:
        """How many there are."""
        return len(self.ids.distinct if self.unit is self.ids.codes else self.first)

    @cached_property
    def first(self) -> np.ndarray:
        """The first row of each item."""
        return self.ids.first if self.unit is self.ids.codes else first_rows(self.unit)

    @cached_property
    def names(self) -> Sequence[str]:
        """The id of each item."""
        if self.unit is self.ids.codes:
            return self.ids.distinct
        return Coded(self.ids.distinct, self.ids.codes[self.first]).texts

    @property
    def coords(self) -> dict[str, np.ndarray]:
        """The coordinates of each item."""
        return {role: values[self.first] for role, values in self.by_row.items()}

    def named(self, row: int) -> str:
        """The item of a row in a message, with dataset and epoch."""
        within = [role for role in _WITHIN if role in self.by_row]
        fields = {names.ITEM: self.ids[row]} | {k: self.by_row[k][row].item() for k in within}
        return ", ".join(f"{role} {quoted(value)}" for role, value in fields.items())


def item_rows(table: Table, column: str) -> ItemRows:
    """Join rows to items by id within dataset and epoch."""
    ids = item_ids(table, column, "each row an item id")
    columns, by_row = _coordinates(table)
    unit = units(ids, by_row)
    rows = ItemRows(ids, unit, columns, by_row)
    if "cluster" in by_row:
        refuse_two_clusters(table, columns["cluster"], by_row["cluster"], rows.first[unit])
    return rows


def _square(table: Table, rows: ItemRows, systems: Coded, scores: np.ndarray) -> np.ndarray:
    """The scores of rows over (item, system), NaN where there is no row."""
    shape = rows.items, len(systems.distinct)
    refuse_large(table.source, most_cells(len(table.rows)), items=shape[0], systems=shape[1])
    place = rows.unit.astype(np.int32 if shape[0] * shape[1] < 2**31 else np.int64)
    place *= shape[1]
    place += systems.codes
    values = np.full(shape, np.nan)
    values.ravel()[place] = scores
    filled = sum(np.count_nonzero(~np.isnan(block)) for block in row_blocks(values))
    if filled < len(scores):  # some are blank, or of one cell
        _refuse_repeated_scores(table, rows, systems, place)
    return values


def _refuse_blank_run(table: Table, runs: np.ndarray, systems: Coded, scores: np.ndarray) -> None:
    """Refuse a run of which no item has a score: it failed as a whole, or was not made."""
    labels, label = np.unique(runs, return_inverse=True)
    rows, scored = (
        np.bincount(label * len(systems.distinct) + systems.codes, weights)
        for weights in (None, ~np.isnan(scores))
    )
    system_scores = np.bincount(systems.codes, ~np.isnan(scores))
    for cell in np.flatnonzero((rows > 1) & (scored == 0)).tolist():
        run, system = divmod(cell, len(systems.distinct))
        if system_scores[system]:
            name, number = quoted(systems.distinct[system]), counted(int(rows[cell]), "item")
            reason = f"run {labels[run]} of system {name} has no score on any of its {number}"
            right = "leave its rows out if it was not made, or give the worst score if it failed"
            raise problem(table.source, f"{reason}; {right}")


def _refuse_repeated_scores(table: Table, rows: ItemRows, systems: Coded, cell: np.ndarray) -> None:
    if (twice := first_twice(cell, rows.items * len(systems.distinct))) is None:
        return
    k, before = twice[0], table.rows[twice[1]]
    reason = f"duplicate score of system {quoted(systems[k])} on {rows.named(k)}"
    right = f"give each system one score per item, {for_runs(table)}"
    right += ", or pass item= with the column of item ids"
    raise table.problem(k, f"{reason}, already in row {before}; {right}")


def first_twice(places: np.ndarray, size: int) -> tuple[int, int] | None:
    """The first row whose place an earlier row has, and that row; all places are below `size`."""
    if size <= MOST_CELLS:
        met = np.zeros(size, dtype=bool)
        met[places] = True
        if int(np.count_nonzero(met)) == len(places):
            return None
    again = pd.Series(places).duplicated().to_numpy()
    k = int(again.argmax())
    return (k, int((places == places[k]).argmax())) if again[k] else None


def refuse_two_clusters(table: Table, column: str, cluster: np.ndarray, first: np.ndarray) -> None:
    """Refuse an item whose rows differ in cluster; `first` is the first row of the item of each
    row.
    """
    differs = cluster != cluster[first]
    if differs.any():
        k = int(differs.argmax())
        before = table.rows[int(first[k])]
        other = quoted(str(cluster[first[k]]))
        reason = f"the same item is in cluster {other} in row {before}; give it one cluster"
        raise table.problem(k, reason, column=column, value=str(cluster[k]))


def question_columns(table: Table) -> list[str]:
    """The columns that hold what an item asks; two rows of one item ask the same."""
    columns = (table.by_name.get(name) for name in _QUESTIONS)
    return [c for c in columns if c is not None and not cells.holds_numbers(table, c)]


_QUESTIONS = ("question", "input", "prompt", "instruction", "query", "problem", "user_input")


def _refuse_two_questions(table: Table, column: str, rows: ItemRows) -> None:
    """Refuse an item of which two rows ask different questions; a blank asks none."""
    values = table.columns[column]
    text = as_coded(values) or coded([_as_text(value) for value in values])
    blank = np.array([not str(value).strip() for value in text.distinct])
    first = text.codes[rows.first[rows.unit]]
    differs = (text.codes != first) & ~blank[text.codes] & ~blank[first]
    if differs.any():
        k = int(differs.argmax())
        before = int(rows.first[rows.unit[k]])
        reason = f"{rows.named(k)} is {quoted(text[before])} in row {table.rows[before]}"
        right = f"give each {column} an id of its own, or pass ignore={column!r} if they are the"
        raise table.problem(k, f"{reason}; {right} same item", column=column, value=text[k])


def _as_text(value: Any) -> str:
    """A cell as text: a question may be a list of messages."""
    return "" if value is None or (isinstance(value, float) and value != value) else str(value)


_ROUNDING_TOLERANCE = 1e-9  # of a unit: what scaling may be off by rounding


@dataclass(frozen=True)
class _Cells:
    """Where the rows of a table belong: items, systems and, where there is a column, labels."""

    items: ItemRows
    systems: list[str]
    labels: list[str]
    item_column: str
    label_column: str | None
    system: np.ndarray  # of each row, as a number
    label: np.ndarray

    @property
    def shape(self) -> tuple[int, int, int]:
        """Items, systems, labels."""
        return self.items.items, len(self.systems), len(self.labels)

    @cached_property
    def place(self) -> np.ndarray:
        """Of each row in an array of that shape, laid out in one dimension."""
        return np.ravel_multi_index((self.items.unit, self.system, self.label), self.shape)

    @property
    def columns(self) -> list[str | None]:
        """Columns of item ids, coordinates of items, and labels."""
        return [self.item_column, *self.items.coord_columns.values(), self.label_column]


def tallies(table: Table, scale: int = 1) -> Reading:
    """Tallies of a table, joined by item, dataset and epoch."""
    scale = checks.whole(scale, "scale")
    rows = _read_cells(table)
    _refuse_repeated_tallies(table, rows)
    sizes = dict(zip(("items", "systems", "labels"), rows.shape, strict=True))
    refuse_large(table.source, most_cells(len(table.rows)), **sizes, columns=3)
    present = np.zeros(rows.shape, dtype=bool)
    present.reshape(-1)[rows.place] = True
    refuse_alike_by_scores(table.source, rows.systems, rows.items.names, lambda: present.any(2))
    _refuse_absent(table, rows, present.any(2))
    columns = [str(find(table, tally)) for tally in names.TALLIES]
    values = np.zeros((*rows.shape, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        values.reshape(-1, len(columns))[rows.place, k] = _integers(table, column, scale)
    _refuse_lost_gold(table.source, rows, values, present)
    used = {find(table, "system"), *columns, *rows.columns}
    summary = _summary(rows, int((~present).sum())) + (f", scaled by {scale}" if scale != 1 else "")
    tell_alike(table.source, distinct_labels(table.source, rows.labels), "labels")
    return Reading(_array(values, rows, scale), summary, unread(table, used))


def _refuse_lost_gold(source: str, rows: _Cells, values: np.ndarray, present: np.ndarray) -> None:
    """Refuse an absent row of an item and label of which another system has gold mentions: they are
    misses of this system, and not zero.
    """
    gold = values[..., names.TALLIES.index("tp")] + values[..., names.TALLIES.index("fn")]
    lost = ~present & (gold.max(1, keepdims=True) > 0)
    if not lost.any():
        return
    item, system, label = np.argwhere(lost)[0]
    other = int(gold[item, :, label].argmax())
    number = int(lost.sum())
    raise problem(
        source,
        f"item {quoted(rows.items.names[item])}, label {quoted(rows.labels[label])} has no row of "
        f"{quoted(rows.systems[system])}, and {gold[item, other, label]} gold mentions by that of "
        f"{quoted(rows.systems[other])} ({number} such rows are absent); give its misses",
    )


def _read_cells(table: Table) -> _Cells:
    item = str(find(table, "item"))
    items = item_rows(table, item)
    systems = cells.read_once(table, str(find(table, "system")), cells.system_names)
    at_least_two(table, systems.distinct)
    column = find(table, "class")
    labels = Coded([""], np.zeros(len(table.rows), dtype=np.int8))
    if column is not None:
        labels = item_ids(table, column, "each row its label")
    system_names, label_names = list(systems.distinct), list(labels.distinct)
    return _Cells(items, system_names, label_names, item, column, systems.codes, labels.codes)


def _summary(rows: _Cells, absent: int) -> str:
    systems = f"{counted(rows.shape[1], 'system')} ({listed(rows.systems)})"
    summary = f"{counted(rows.shape[0], 'item')} x {systems}, item ids from column "
    summary += f"{rows.item_column!r}{describe_coordinates(rows.items.coord_columns)}"
    if rows.label_column is None:
        return summary
    summary += f", {counted(len(rows.labels), 'label')} from column {rows.label_column!r}"
    return summary + (f" ({counted(absent, 'row')} absent and taken as 0)" if absent else "")


def _array(values: np.ndarray, rows: _Cells, scale: int) -> xr.DataArray:
    axes = {names.ITEM: rows.items.names, names.SYSTEM: rows.systems, names.LABEL: rows.labels}
    if rows.label_column is None:
        values = values[:, :, 0]
        del axes[names.LABEL]
    coords: dict[Any, Any] = {k: (names.ITEM, array) for k, array in rows.items.coords.items()}
    coords[names.TALLY] = list(names.TALLIES)
    dims, attrs = (*axes, names.TALLY), {"scale": scale}
    array = xr.DataArray(values, text_axes(axes), dims, name="tallies", attrs=attrs)
    return array.assign_coords(coords)


def _integers(table: Table, column: str, scale: int) -> np.ndarray:
    values = cells.numbers(table, column)
    rounded = np.rint(values * scale)
    fractional = f"not whole after scaling by {scale}; give a scale that makes every tally whole"
    if scale == 1:
        right = "for partial credit give a scale, such as scale=2 where there are halves"
        fractional = f"not whole; {right}"
    for bad, requirement in (
        (np.isnan(values), "blank; give a tally, 0 where there is nothing: missing is not zero"),
        (values < 0, "negative; a tally is at least 0"),
        (np.abs(values * scale - rounded) > _ROUNDING_TOLERANCE, fractional),
        (np.abs(rounded) > 2**40, "too large for a tally"),
    ):
        table.refuse_first(bad, column, requirement, values)
    return rounded.astype(np.int64)


def _refuse_repeated_tallies(table: Table, rows: _Cells) -> None:
    if (twice := first_twice(rows.place, math.prod(rows.shape))) is None:
        return
    k, before = twice[0], table.rows[twice[1]]
    label = f", label {quoted(rows.labels[rows.label[k]])}" if rows.label_column else ""
    system, item = quoted(rows.systems[rows.system[k]]), rows.items.named(k)
    reason = f"duplicate tallies of system {system} on {item}{label}, already in row {before}"
    right = "give each item its own id, or a column 'dataset' or 'epoch' that tells them apart"
    raise table.problem(k, f"{reason}; {right}")


def _refuse_absent(table: Table, rows: _Cells, present: np.ndarray) -> None:
    if not present.all():
        i, j = np.argwhere(~present)[0]
        item, system = rows.items.named(int(rows.items.first[i])), quoted(rows.systems[j])
        reason = f"{item} has no row for system {system} ({int((~present).sum())} missing in all)"
        right = "give every system a row for every item, zeros where it found nothing"
        raise problem(table.source, f"{reason}; {right}")

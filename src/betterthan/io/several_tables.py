"""Several tables: a system each, joined by item, or a data set each, one after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.items import (
    COORDINATES,
    items_of,
    prediction_columns,
    question_columns,
    right_or_wrong,
    scores_array,
    sole,
)
from betterthan.io.layouts import RUNS, find, recognise
from betterthan.io.measure_names import refuse_rightness
from betterthan.io.pair_counts import cell_codes, counts_array, pair_columns
from betterthan.io.problems import listed, problem, quoted
from betterthan.io.system_names import PLAIN_NUMBER, alike, columns_of_runs, no_names
from betterthan.io.table import Reading, Table, unread
from betterthan.io.texts import coded, first_rows
from betterthan.text import looks_like

NAMES = ("systems", "datasets")
_EPOCH = "epoch"
_NUMBERED = "items are row numbers"


def predictions_as_scores(
    tables: dict[str, Table], layout: str | None, names_are: str | None
) -> tuple[dict[str, Table], str]:
    """Tables of gold and the predictions of one system, as scores of 0 and 1; others as they are.
    And what the reading says of that.

    Raises
    ------
    ValueError
        If an item has another label in another table.
    """
    if len(tables) < 2 or names_are == "datasets" or layout not in (None, "predictions"):
        return tables, ""
    one = names_are == "systems"
    columns = {
        name: prediction_columns(table)
        for name, table in tables.items()
        if (layout or recognise(table, of_one_system=one)) == "predictions"
    }
    if not columns or any(len(own) != 1 for own in columns.values()):
        for name, own in columns.items() if one else ():
            # which refuses what are no predictions
            right_or_wrong(tables[name], own, named=False, one=True)
        return tables, ""
    _refuse_other_labels([tables[name] for name in columns])
    scores, summary = dict(tables), ""
    for name, (column,) in columns.items():
        table = tables[name]
        if layout is None:
            refuse_rightness(table.source, [column])
        values, summary = right_or_wrong(table, [column], named=False)
        rest = {c: cells for c, cells in table.columns.items() if c in items_of(table).used}
        scores[name] = replace(table, columns=rest | {column: values[:, 0]})
    return scores, summary


def _refuse_other_labels(tables: Sequence[Table]) -> None:
    """Refuse an item that has one label in one table and another in another."""
    labels: dict[tuple[Any, ...], tuple[Any, str]] = {}
    for table in tables:
        if find(table, "item") is None:
            return  # which is refused where the tables are joined
        keys = [c for role in ("item", "dataset") if (c := find(table, role)) is not None]
        gold = str(sole(table, "gold"))
        cells_of_rows = zip(*(cells.texts(table, column) for column in (*keys, gold)), strict=True)
        for k, (*key, label) in enumerate(cells_of_rows):
            other, source = labels.setdefault(tuple(key), (label, table.source))
            if label != other:
                reason = f"item {quoted(key[0])} has label {quoted(other)} in {source}"
                reason += "; give the systems one test set"
                raise table.problem(k, reason, column=gold, value=label)


def is_file_per_system(tables: Mapping[str, Table], names_are: str | None) -> bool:
    """Whether each table is of one system: it has one column of scores, or names one system.

    Parameters
    ----------
    tables : mapping of str to Table
    names_are : {"systems", "datasets"}, optional
        What the names of the tables are; decided by what is in them when not given.
    """
    if names_are is not None and names_are not in NAMES:
        raise ValueError(f"names is {quoted(names_are)}; give 'systems' or 'datasets'")
    if names_are == "datasets" or len(tables) < 2:
        return False
    systems = [(table, _systems(table)) for table in tables.values()]
    single = [table.source for table, own in systems if len(own) == 1]
    several = [(table, own) for table, own in systems if len(own) != 1]
    if several and (single or names_are == "systems"):
        table, own = several[0]
        contrast = f", while {single[0]} has one" if single else ""
        what = f"{len(own)} systems ({listed(own)})" if own else "no system"
        labels = recognise(table) == "predictions"
        right = "give it one column of predictions" if labels else "name one column with score="
        raise problem(table.source, f"holds {what}{contrast}; {right}")
    return not several


def side_by_side(tables: Mapping[str, Table], *, mapping: bool) -> Table:
    """One long table of all, with the system of each as a mapping, the table or its file names it.

    Raises
    ------
    ValueError
        If a table has no column of item ids: nothing says which rows belong together. If two
        tables are of one system, or one names its scores as another is called.
    """
    parts = [_long(name, table) for name, table in _by_system(tables, mapping)]
    roles = [role for role in COORDINATES if all(role in part.columns for part in parts)]
    for part in parts:
        if only := [role for role in COORDINATES if role in part.columns and role not in roles]:
            raise problem(part.source, f"alone has a column of {only[0]}s; give it in all or none")
    questions = question_columns(parts[0])
    ids = parts[0].unused
    shared = [name for name in (*questions, *ids) if all(name in p.columns for p in parts)]
    roles += shared
    columns = {
        name: [cell for part in parts for cell in part.columns[name]]
        for name in ("system", "item", "score", *roles)
    }
    rows = [f"{row} of {part.source}" for part in parts for row in part.rows]
    written = dict(set.intersection(*(set(part.written.items()) for part in parts)))
    unused = tuple(name for name in ids if name in shared)
    return Table(", ".join(part.source for part in parts), columns, rows, unused, written)


_SCORE_NAMES = {"correct", "match", "matches", "same", "total", "sum", "mean", "average", "avg"}


def _by_system(tables: Mapping[str, Table], mapping: bool) -> list[tuple[str, Table]]:
    """The tables with their systems; several may name one in a column."""
    named = {name: _named_system(table) for name, table in tables.items()}
    columns = {score_columns(table)[0]: table for table in tables.values()}
    reason, odd = no_names([*columns])
    odd = [c for c in odd if c not in tables and c.casefold() not in _SCORE_NAMES]
    if len(odd) < len(columns) and odd:
        right = "leave the table out, or name the column of scores as the others do"
        raise problem(columns[odd[0]].source, f"{reason}; {right}", column=odd[0])
    own = [named[name] or score_columns(table)[0] for name, table in tables.items()]
    systems = list(tables) if mapping else [named[name] or name for name in tables]
    by_system: dict[str, Table] = {}
    for table, name, system in zip(tables.values(), own, systems, strict=True):
        first = by_system.setdefault(system, table)
        if first is not table and not _continues(table, first):
            reason = f"is of system {quoted(system)}, as {first.source} is"
            right = "give a mapping of name to file if they are two, else one table of all items"
            run = next((first.by_name[k] for k in RUNS if k in first.by_name), "")
            right += f", or run={run!r} if these are repeated runs" * bool(run)
            raise problem(table.source, f"{reason}; {right}")
        if name != system and name in systems and len(set(own)) > 1:
            reason = f"scores called {quoted(name)} would be those of {quoted(system)}, and another"
            right = f"table is {quoted(name)}; give both the name of their system"
            raise problem(table.source, f"{reason} {right}")
    return list(zip(systems, tables.values(), strict=True))


def _continues(table: Table, first: Table) -> bool:
    """Whether a table of the system of another one has other items, or numbers its runs."""
    if None in map(_named_system, (table, first)):
        return False
    if all(find(one, "epoch") or find(one, "dataset") for one in (table, first)):
        return True
    ids = [{*cells.texts(one, str(find(one, "item")))} for one in (table, first)]
    return ids[0].isdisjoint(ids[1])


def _named_system(table: Table) -> str | None:
    """Return the only system that a column names."""
    return _systems(table)[0] if recognise(table) == "long" else None


def _systems(table: Table) -> list[str]:
    """The systems that a table holds: named in a column, or a column each."""
    if recognise(table) == "long":
        column = str(find(table, "system"))
        return list(dict.fromkeys(text.strip() for text in cells.texts(table, column)))
    if recognise(table) == "predictions":
        return prediction_columns(table)
    if recognise(table) != "wide":
        return []
    return unread(table, {*items_of(table).used, *question_columns(table)})


def score_columns(table: Table) -> list[str]:
    """The columns of scores of a table of one system."""
    return [str(find(table, "score"))] if recognise(table) == "long" else _systems(table)


def _long(name: str, table: Table) -> Table:
    """Convert a table to the long layout."""
    if recognise(table) == "long":
        item, score = (str(find(table, role)) for role in ("item", "score"))
    else:
        if items_of(table).summary.startswith(_NUMBERED):
            reason = "has no column of item ids, so nothing says which rows of the files belong "
            raise problem(table.source, f"{reason}together; name it with item=")
        (score,) = score_columns(table)
        item = str(find(table, "item"))
    columns: dict[str, Any] = {role: c for role in COORDINATES if (c := find(table, role))}
    columns |= {"item": item, "score": score} | {c.casefold(): c for c in question_columns(table)}
    ids = tuple(c for c in unread(table, {*columns, *columns.values()}) if is_called_id(c))
    columns |= {c: c for c in ids}
    cells_by_role = {role: cell_list(table.columns[column]) for role, column in columns.items()}
    written = {role: table.written.get(column, column) for role, column in columns.items()}
    columns = cells_by_role | {"system": [name] * len(table.rows)}
    return replace(table, columns=columns, unused=ids, written=written)


_ID = re.compile(
    r"(.*[ _-])?(id|uuid|qid|key|hash|index|doc|document|file_?name|path)", re.IGNORECASE
)
_PERSONS = re.compile(
    r".*(user|rater|judge|annotator|worker|participant|person|subject|session|run|response|request"
    r"|system|model).*",
    re.IGNORECASE,
)
_TEXT = 20  # letters on average, of what an item may be


def is_called_id(column: str) -> bool:
    """Whether a column may say which item a row is of."""
    return _ID.fullmatch(column) is not None and _PERSONS.fullmatch(column) is None


def refuse_other_ids(table: Table) -> None:
    """Refuse a long table whose items are numbers, where another column joins its rows otherwise:
    the numbers may be those of the rows of each system, in an order of its own.
    """
    item, system = (str(find(table, role)) for role in ("item", "system"))
    if find(table, "epoch") or find(table, "dataset") or not cells.holds_numbers(table, item):
        return
    used = (item, system, find(table, "score"), find(table, "cluster"), *question_columns(table))
    columns = [c for c in unread(table, used) if is_called_id(c) or _holds_texts(table, c)]
    if not columns:
        return
    ids, systems = (coded(cells.as_written(table, column)) for column in (item, system))
    for column in columns:
        codes = cell_codes([table], column)
        n, first = int(codes.max(initial=-1)) + 1, first_rows(codes)
        if n == len(codes) or pd.Series(systems.codes * np.int64(n) + codes).duplicated().any():
            continue
        other, again = ids.codes != ids.codes[first][codes], first[codes] != np.arange(len(codes))
        n_shared, n_other = (len(np.unique(codes[k])) for k in (again, other))
        if n_shared > len(ids.distinct) / 2 and n_other > n_shared / 2:
            k = int(other.argmax())
            before, value = int(first[codes[k]]), table.columns[column][k]
            name = table.written.get(item, item)
            reason = f"{quoted(cells.plain_text(value))} is item {ids[k]} by column {name!r} here,"
            reason += f" and item {ids[before]} in row {table.rows[before]}"
            right = f"pass item={column!r} if it holds the ids, else ignore={column!r}"
            raise table.problem(k, f"{reason}; {right}", column=column)


_CLASSES = 4  # rows of each label, at least


def refuse_confidences(table: Table) -> None:
    """Refuse a long table of labels next to gold, whose scores may say how sure each label is."""
    gold, score = find(table, "gold"), str(find(table, "score"))
    if gold is None or not cells.holds_numbers(table, score):
        return
    scores = cells.numbers(table, score)
    if ((scores == np.floor(scores)) | np.isnan(scores)).all():
        return
    labels = {*map(str, table.columns[gold])}
    used = (gold, score, *(find(table, role) for role in ("item", "system", "dataset", "cluster")))
    for column in unread(table, used) if len(labels) * _CLASSES <= len(scores) else ():
        if {*map(str, table.columns[column])} <= labels and len(labels) > 1:
            reason = f"scores may be how sure the labels in column {quoted(column)} are, next to"
            right = f"pass ignore={quoted(column)} if they say how good each answer is, else give"
            right += " a column of labels for each system"
            raise problem(table.source, f"{reason} column {quoted(gold)}; {right}", column=score)


def _holds_texts(table: Table, column: str) -> bool:
    """Whether the first cells of a column are sentences or the like."""
    first = [*islice(table.columns[column], 100)]
    if not all(isinstance(cell, str) for cell in first):
        return False
    letters = [sum(map(str.isalpha, cell)) for cell in first]
    return sum(letters) >= _TEXT * len(letters) and any(" " in cell for cell in first)


def cell_list(values: Any) -> Sequence[Any]:
    """The cells of a column, as they are."""
    return values.tolist() if isinstance(values, np.ndarray) else values


_SHARED = 0.9  # of all items that each table has, where tables are runs of the same items


def are_runs(readings: Sequence[Reading], tables: Sequence[Table]) -> bool:
    """Whether each array has scores of runs of its own, by their epochs, of the same items: those
    have ids, and each one question and gold label.
    """
    arrays = [reading.data for reading in readings]
    numbered = any(_NUMBERED in reading.summary for reading in readings)
    if len(arrays) < 2 or numbered or any(_EPOCH not in array.coords for array in arrays):
        return False
    epochs, items = (
        [set(array[name].values.tolist()) for array in arrays] for name in (_EPOCH, names.ITEM)
    )
    if len(set().union(*epochs)) < sum(map(len, epochs)):
        return False
    fewest = _SHARED * len(set().union(*items))
    return all(len(held) >= fewest for held in items) and not _items_differ(tables)


def refuse_files_of_runs(tables: Mapping[str, Table], readings: Sequence[Reading]) -> None:
    """Refuse tables of the same items that are called runs and do not number them: each would be a
    data set of other items.
    """
    first, *others = (set(reading.data[names.ITEM].values.tolist()) for reading in readings)
    numbered = any(_EPOCH in reading.data.coords for reading in readings)
    if not others or numbered or any(items != first for items in others):
        return
    run = next((name for name in RUNS if all(name in t.by_name for t in tables.values())), "")
    run_cells = [{*cells.as_written(t, t.by_name[run])} for t in tables.values() if run]
    if run and max(map(len, run_cells)) == 1 < len(set().union(*run_cells)):
        reason = f"{listed([*tables])} hold the same items, and differ in column {run!r}"
        raise ValueError(f"{reason}; pass run={run!r} if these are runs, or names='datasets'")
    if not columns_of_runs([*tables]):
        return
    raise ValueError(
        f"{listed([*tables])} are called runs, and hold the same items; give each a column 'epoch' "
        "with the number of its run, or pass names='datasets' if they are data sets"
    )


def _items_differ(tables: Sequence[Table]) -> bool:
    """Whether an item has one gold label or question in one table and another in another."""
    texts: dict[tuple[str, str], str] = {}
    for table in tables:
        item, gold = (find(table, role) for role in ("item", "gold"))
        for column in filter(None, (gold, *question_columns(table))):
            if item is None:
                return False
            pairs = zip(cells.texts(table, item), cells.texts(table, column), strict=True)
            kind = column.casefold()
            if any(texts.setdefault((kind, key), text) != text for key, text in pairs):
                return True
    return False


def of_other_systems(readings: Sequence[Reading]) -> bool:
    """Whether counts of some table are not of the systems of the others."""
    return len({frozenset(x.data[names.SYSTEM_A].values.tolist()) for x in readings}) > 1


def all_votes(tables: Sequence[Table]) -> Table | None:
    """All votes of tables with the same columns, if these are on different systems which meet; else
    none: each table is then a data set, or refused.
    """
    columns = tables[0].columns
    if find(tables[0], "winner") is None or any({*t.columns} != {*columns} for t in tables):
        return None
    if find(tables[0], "item") is None:  # else votes on the same items are looked for
        _warn_continued_votes(tables)
    every = []
    for table in tables:
        sides = (cells.read_once(table, c, cells.system_names) for c in pair_columns(table))
        every.append([*dict.fromkeys(name for side in sides for name in side.distinct)])
    if len({*map(frozenset, every)}) == 1 or _unlike(every) is not None:
        return None
    cells_of = {c: [*chain.from_iterable(table.columns[c] for table in tables)] for c in columns}
    rows = [f"{row} of {table.source}" for table in tables for row in table.rows]
    source = ", ".join(table.source for table in tables)
    return Table(source, cells_of, rows, tables[0].unused, tables[0].written)


_REPEATED = 15  # votes, in two numbers or more: as many agree by chance rarely


def _warn_continued_votes(tables: Sequence[Table]) -> None:
    """Warn of a table whose votes another one begins with: they count twice."""
    for first, second in combinations(sorted(tables, key=lambda table: len(table.rows)), 2):
        n = len(first.rows)  # most tables differ in the first rows
        if n >= _REPEATED and all(_begin_alike(first, second, k) for k in (_REPEATED, n)):
            reason = f"{second.source} begins with the {n} votes of {first.source}"
            checks.warn(f"{reason}, which both count; leave {first.source} out if they are these")


def _begin_alike(first: Table, second: Table, n: int) -> bool:
    others = second.columns
    return all([*islice(cs, n)] == [*islice(others[c], n)] for c, cs in first.columns.items())


def joined(arrays: list[xr.DataArray], datasets: list[str], sources: list[str]) -> xr.DataArray:
    """The arrays one after the other: along item for scores, with the data set of each if they have
    names; along a new dim dataset for counts, or as their sum.
    """
    is_scores = names.SYSTEM in arrays[0].dims
    axis = names.SYSTEM if is_scores else names.SYSTEM_A
    for array, source in zip(arrays, sources, strict=True):
        if names.DATASET in array.coords:
            reason = "has a column for the dataset of its own"
            raise problem(source, f"{reason}; leave it out, or read this file alone")
        if is_scores or datasets:
            _refuse_other_systems(arrays[0], array, axis, sources[0], source)
    if not (is_scores or datasets):
        _refuse_names_alike(arrays, axis, sources)
    systems = list(dict.fromkeys(chain.from_iterable(a[axis].values.tolist() for a in arrays)))
    if is_scores:
        return _joined_scores(arrays, systems, datasets, sources)
    return _joined_counts(arrays, systems, datasets, sources)


def _joined_scores(
    arrays: list[xr.DataArray], systems: list[str], datasets: list[str], sources: list[str]
) -> xr.DataArray:
    arrays = [array.sel({names.SYSTEM: systems}) for array in arrays]
    coordinate_roles = [[role for role in COORDINATES if role in array.coords] for array in arrays]
    for roles, source in zip(coordinate_roles, sources, strict=True):
        if roles != coordinate_roles[0]:
            differ = sorted(set(roles) ^ set(coordinate_roles[0]))
            only = f"only one of this file and {sources[0]} has {' and '.join(differ)}"
            raise problem(source, f"{only}; give it in all or none")
    numbers = all(PLAIN_NUMBER.fullmatch(name) for name in datasets)
    for array, source in zip(arrays, sources, strict=True):
        summed = not numbers and array.sizes[names.ITEM] > 1
        if summed and {*array[names.ITEM].values.tolist()} <= {*datasets}:
            reason = "has the other tables as items, so its numbers are not those of items"
            raise problem(source, f"{reason}; leave it out")
    sizes = [array.sizes[names.ITEM] for array in arrays]
    coords: dict[str, Any] = {names.DATASET: np.repeat(datasets, sizes)} if datasets else {}
    for role in coordinate_roles[0]:
        coords[role] = np.concatenate([array[role].values for array in arrays])
    ids = np.concatenate([array[names.ITEM].values for array in arrays])
    values = np.concatenate([array.values for array in arrays])
    return scores_array(values, ids.tolist(), systems, coords)


def _joined_counts(
    arrays: list[xr.DataArray], systems: list[str], datasets: list[str], sources: list[str]
) -> xr.DataArray:
    for array, source in zip(arrays, sources, strict=True):
        if array.attrs["ties"] != arrays[0].attrs["ties"]:
            only = f"only one of this file and {sources[0]} has a column 'ties'"
            raise problem(source, f"{only}; give it in all files or none")
    place = {system: k for k, system in enumerate(systems)}
    square = np.zeros(
        (len(arrays), len(systems), len(systems), arrays[0].sizes[names.OUTCOME]), int
    )
    for counts, array in zip(square, arrays, strict=True):  # of a pair that never met, none
        own = [place[system] for system in array[names.SYSTEM_A].values.tolist()]
        counts[np.ix_(own, own)] = array.values
    if "n" not in arrays[0].attrs:  # else they are of votes
        _warn_repeated_counts(square, systems, sources)
    return counts_array(square if datasets else square.sum(0, keepdims=True), systems, datasets)


def _warn_repeated_counts(square: np.ndarray, systems: list[str], sources: list[str]) -> None:
    """Warn of two files whose common pairs have the same counts: they may be one."""
    for (j, first), (k, second) in combinations(enumerate(square), 2):
        both = first.any(-1) & second.any(-1)
        free = np.count_nonzero(first[both]) - np.count_nonzero(both)  # numbers, of each pair twice
        several = free >= 4 and first[both].sum() >= 2 * _REPEATED
        if several and (first[both] == second[both]).all():
            a, b = np.argwhere(both)[0]
            reason = f"{quoted(systems[a])} and {quoted(systems[b])} have the same counts in"
            right = "which both count; leave one out if they are the same votes"
            checks.warn(f"{reason} {sources[j]} and {sources[k]}, {right}")


def _refuse_names_alike(arrays: list[xr.DataArray], axis: str, sources: list[str]) -> None:
    """Refuse counts of no system of the other files, or of one that is called nearly as one."""
    if (k := _unlike([array[axis].values.tolist() for array in arrays])) is not None:
        other = 0 if k else 1
        _refuse_other_systems(arrays[other], arrays[k], axis, sources[other], sources[k])


def _unlike(every: list[list[str]]) -> int | None:
    """The first table with no system of the others, or with one that is called nearly as one."""
    for k, systems in enumerate(every):
        others = {*chain.from_iterable(every[:k] + every[k + 1 :])}
        before = {*chain.from_iterable(every[:k])}
        extra = sorted({*systems} - before) if k else []
        absent = sorted(before - {*systems})
        nearly = any(looks_like(system, absent) for system in extra) or alike([*absent, *extra])
        if nearly or not others & {*systems}:
            return k
    return None


def _refuse_other_systems(
    first: xr.DataArray, array: xr.DataArray, axis: str, first_source: str, source: str
) -> None:
    systems, first_systems = array[axis].values.tolist(), first[axis].values.tolist()
    absent = [system for system in first_systems if system not in set(systems)]
    extra = [system for system in systems if system not in set(first_systems)]
    if absent or extra:
        parts = [f"lacks {listed(absent)}"] if absent else []
        parts += [f"has {listed(extra)} besides"] if extra else []
        reason = f"{' and '.join(parts)}, compared with {first_source}"
        like = next(filter(None, (looks_like(system, extra) for system in absent)), "")
        raise problem(source, f"{reason}{like}; give files of the same systems")

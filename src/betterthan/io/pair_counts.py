"""Read tables with one row for each pair: wins, losses and, if known, ties."""

import numpy as np

from betterthan.io import cells
from betterthan.io.alike import refuse_alike_by_pairs
from betterthan.io.items import at_least_two
from betterthan.io.problems import counted, problem, shown
from betterthan.io.roles import find
from betterthan.io.squares import (
    counts_array,
    dataset_column,
    empty_square,
    pair_columns,
    paired,
    read_datasets,
)
from betterthan.io.table import Reading, Table, unread


def pair_counts(table: Table) -> Reading:
    """Counts of a table of pairs, each given once or in both directions."""
    columns = pair_columns(table)
    systems, a, b = _systems(table, columns)
    values, read = _numbers(table)
    datasets, dataset = read_datasets(table)
    _refuse_against_itself(table, a == b, values)
    pairs = list(zip(dataset.tolist(), a.tolist(), b.tolist(), strict=True))
    mirrored = values[:, [1, 0, 2][: values.shape[1]]]
    _refuse_repeated(table, pairs, systems, values, mirrored)
    square = empty_square(table.source, datasets, systems, values.shape[1])
    square[dataset, b, a] = mirrored
    square[dataset, a, b] = values
    counts = counts_array(square, systems, datasets)
    ties = read[2] if len(read) == 3 else None
    counts.attrs = {"ties": "unknown" if ties is None else "third", "n_missing": 0}
    ignored = unread(table, {*columns, *read, dataset_column(table)})
    return Reading(counts, _summary(systems, pairs, ties), ignored)


def _systems(table: Table, columns: tuple[str, str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The systems, and the two of each row as numbers."""
    first, second = (cells.read_once(table, c, cells.system_names) for c in columns)
    systems, a, b = paired(first, second)
    at_least_two(table, systems)
    refuse_alike_by_pairs(table.source, systems, a, b)
    return systems, a, b


def _summary(systems: list[str], pairs: list[tuple[int, int, int]], ties: str | None) -> str:
    distinct = len({(d, *sorted(pair)) for d, *pair in pairs if pair[0] != pair[1]})
    ties_text = "ties unknown (no column 'ties')" if ties is None else f"ties from column {ties!r}"
    return f"{len(systems)} systems, {counted(distinct, 'pair')}, {ties_text}"


def _numbers(table: Table) -> tuple[np.ndarray, list[str]]:
    """Return wins, losses and, with a column, ties of each row; and the columns."""
    matches = [find(table, role) for role in ("wins", "losses", "ties")]
    columns = [column for column in matches if column is not None]
    return np.stack([cells.whole_numbers(table, column) for column in columns], axis=-1), columns


def _refuse_against_itself(table: Table, same: np.ndarray, values: np.ndarray) -> None:
    bad = same & (values[:, :2] != 0).any(axis=-1)
    if bad.any():
        k, column = int(bad.argmax()), pair_columns(table)[1]
        system = cells.system_names(table, column)[k]
        reason = f"{shown(system)} is compared with itself; wins and losses there must be 0"
        raise problem(table.source, reason, row=table.rows[k], column=column, value=system)


def _refuse_repeated(
    table: Table,
    pairs: list[tuple[int, int, int]],
    systems: list[str],
    values: np.ndarray,
    mirrored: np.ndarray,
) -> None:
    """Refuse a pair given twice in one direction, or in two directions that contradict each
    other.
    """
    first: dict[tuple[int, int, int], int] = {}
    for k, (dataset, a, b) in enumerate(pairs):
        named = f"{shown(systems[a])} against {shown(systems[b])}"
        if (dataset, a, b) in first:
            first_row = table.rows[first[dataset, a, b]]
            reason = f"{named} is already in row {first_row}; give each pair one row"
            raise problem(table.source, reason, row=table.rows[k])
        first[dataset, a, b] = k
        other = first.get((dataset, b, a), k)
        if a != b and other != k and (values[k] != mirrored[other]).any():
            reverse = f"row {table.rows[other]} has {values[other].tolist()} the other way round"
            right = "one must be the other with wins and losses exchanged"
            reason = f"{named} is {values[k].tolist()}, but {reverse}; {right}"
            raise problem(table.source, reason, row=table.rows[k])

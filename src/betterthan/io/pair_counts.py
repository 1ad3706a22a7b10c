"""One row for each pair of systems: wins, losses and, where they are known, ties."""

import numpy as np
import xarray as xr

from betterthan.io import cells
from betterthan.io.items import at_least_two
from betterthan.io.problems import counted, problem, shown
from betterthan.io.roles import find
from betterthan.io.squares import counts_array, datasets_of, pair_columns
from betterthan.io.table import Table


def pair_counts(table: Table) -> tuple[xr.DataArray, str]:
    """Counts of a table of pairs, each given once or in both directions, and what to say about
    it.
    """
    names_a, names_b = (cells.system_names(table, column) for column in pair_columns(table))
    ties = find(table, "ties")
    columns = [str(find(table, "wins")), str(find(table, "losses")), *([ties] if ties else [])]
    values = np.stack([cells.whole_numbers(table, column) for column in columns], axis=-1)
    datasets, dataset = datasets_of(table)
    systems = list(
        dict.fromkeys(name for pair in zip(names_a, names_b, strict=True) for name in pair)
    )
    at_least_two(table, systems)
    place = {name: k for k, name in enumerate(systems)}
    a, b = np.array([place[name] for name in names_a]), np.array([place[name] for name in names_b])
    pairs = list(zip(dataset.tolist(), a.tolist(), b.tolist(), strict=True))
    _refuse_against_itself(table, names_a, a == b, values)
    mirrored = values[:, [1, 0, 2][: len(columns)]]
    _refuse_repeated(table, pairs, systems, values, mirrored)
    square = np.zeros(
        (max(len(datasets), 1), len(systems), len(systems), len(columns)), dtype=np.int64
    )
    square[dataset, b, a] = mirrored
    square[dataset, a, b] = values
    counts = counts_array(square, systems, datasets)
    counts.attrs = {"ties": "third" if ties else "unknown"}
    distinct = len({(d, *sorted(pair)) for d, *pair in pairs if pair[0] != pair[1]})
    told = f"ties from column {ties!r}" if ties else "ties unknown (no column 'ties')"
    return counts, f"{len(systems)} systems, {counted(distinct, 'pair')}, {told}"


def _refuse_against_itself(
    table: Table, systems: list[str], same: np.ndarray, values: np.ndarray
) -> None:
    bad = same & (values[:, :2] != 0).any(axis=-1)
    if bad.any():
        k = int(bad.argmax())
        what = f"{shown(systems[k])} is compared with itself; wins and losses there must be 0"
        raise problem(
            table.source, what, row=table.rows[k], column=pair_columns(table)[1], value=systems[k]
        )


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
            what = f"{named} is already in row {table.rows[first[dataset, a, b]]}; give each pair one row"
            raise problem(table.source, what, row=table.rows[k])
        first[dataset, a, b] = k
        other = first.get((dataset, b, a), k)
        if a != b and other != k and (values[k] != mirrored[other]).any():
            reverse = f"row {table.rows[other]} has {values[other].tolist()} the other way round"
            right = "one must be the other with wins and losses exchanged"
            what = f"{named} is {values[k].tolist()}, but {reverse}; {right}"
            raise problem(table.source, what, row=table.rows[k])

"""Build the array of counts from tables of pairs and votes."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.io.alike import tell_alike
from betterthan.io.items import item_ids
from betterthan.io.roles import find
from betterthan.io.table import Table, refuse_large
from betterthan.io.written import Coded, narrow


def pair_columns(table: Table) -> tuple[str, str]:
    """The columns that name the two systems."""
    return str(find(table, names.SYSTEM_A)), str(find(table, names.SYSTEM_B))


def dataset_column(table: Table) -> str | None:
    """The column 'dataset'; a 'task' beside pairs is often a prompt, so no other name will do."""
    column = find(table, "dataset")
    return column if column is not None and column.casefold() == "dataset" else None


def read_datasets(table: Table) -> tuple[list[str], np.ndarray]:
    """The datasets in the order they first occur (none without a column), and the one of each
    row.
    """
    column = dataset_column(table)
    if column is None:
        return [], np.zeros(len(table.rows), dtype=np.int8)
    ids = item_ids(table, column, "each row its dataset, or leave the column out")
    tell_alike(table.source, ids.distinct, "datasets")
    return list(ids.distinct), ids.codes


def paired(names_a: Coded, names_b: Coded) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the systems in order of first occurrence, and both of each row as codes."""
    first_rows_by_side = [
        zip(coded_names.first.tolist(), coded_names.distinct, strict=True)
        for coded_names in (names_a, names_b)
    ]
    ordered = sorted(
        (row, side, name)
        for side, side_names in enumerate(first_rows_by_side)
        for row, name in side_names
    )
    place = {name: k for k, name in enumerate(dict.fromkeys(name for *_, name in ordered))}
    a, b = (
        narrow(np.array([place[name] for name in coded_names.distinct]), len(place))[
            coded_names.codes
        ]
        for coded_names in (names_a, names_b)
    )
    return list(place), a, b


def empty_square(source: str, datasets: list[str], systems: list[str], outcomes: int) -> np.ndarray:
    """Zeros (dataset, system, system, outcome), with a leading axis also without datasets."""
    number = len(systems)
    refuse_large(source, systems=number, opponents=number, datasets=max(len(datasets), 1))
    return np.zeros((max(len(datasets), 1), len(systems), len(systems), outcomes), dtype=np.int64)


def counts_array(square: np.ndarray, systems: list[str], datasets: list[str]) -> xr.DataArray:
    """Counts over ([dataset,] system_a, system_b, outcome) from int64 with a leading axis for the
    dataset.
    """
    coords: dict[Any, Any] = {
        names.SYSTEM_A: systems,
        names.SYSTEM_B: systems,
        names.OUTCOME: list(names.OUTCOMES[: square.shape[-1]]),
    }
    if datasets:
        coords = {names.DATASET: datasets} | coords
    return xr.DataArray(
        square if datasets else square[0], dims=tuple(coords), coords=coords, name="counts"
    )

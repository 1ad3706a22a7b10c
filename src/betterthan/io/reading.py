"""A file, a frame or several of them to scores or counts."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.files import dataset_name, read_file
from betterthan.io.frames import table_from_frame
from betterthan.io.items import beside_columns
from betterthan.io.long import long_scores
from betterthan.io.pair_counts import pair_counts
from betterthan.io.problems import counted, listed, problem
from betterthan.io.recognition import recognise, require
from betterthan.io.roles import NEEDED, find
from betterthan.io.several import joined
from betterthan.io.squares import dataset_column
from betterthan.io.table import NAMELESS, Table
from betterthan.io.tallied import table_tallies
from betterthan.io.votes import vote_counts
from betterthan.io.wide import predicted_scores, wide_scores

_LAYOUTS = {
    "wide": wide_scores,
    "long": long_scores,
    "predictions": predicted_scores,
    "counts": pair_counts,
    "votes": vote_counts,
}
_UNIT = {"counts": "unknown", "votes": "judgment"}  # what one count stands for, unless told
_log = logging.getLogger("betterthan")


def read(
    source: str
    | Path
    | pd.DataFrame
    | Sequence[str | Path]
    | Mapping[str, str | Path | pd.DataFrame],
    *,
    layout: str | None = None,
    higher_is_better: bool = True,
    unit: str | None = None,
    scale: int = 1,
) -> xr.DataArray:
    """Read the results of several systems: scores of each item, or counts of each pair.

    Parameters
    ----------
    source : path, pandas.DataFrame, list of paths, or mapping of name to path or DataFrame
        A file is CSV, TSV, JSON Lines, JSON (a list of objects) or Parquet, known by its extension,
        each also with ``.gz``; text is UTF-8. Several files are several datasets of the same
        systems, named by the file or by the mapping.
    layout : {"wide", "long", "predictions", "counts", "votes", "tallies"}, optional
        What the columns mean; recognised from their names when not given.

        - ``wide``: a column of item ids (may be absent), and a column of scores for each system.
        - ``long``: ``system, item, score``.
        - ``predictions``: item ids, ``gold``, and a column of predicted labels for each system.
        - ``counts``: ``system_a, system_b, wins, losses``; ties are unknown without a column
          ``ties``.
        - ``votes``: ``model_a, model_b, winner``; the winner is a side, a name, or a tie.
        - ``tallies``: ``system, item, tp, fp, fn`` and an optional ``label``; see
          `io.tallies_from_table`.

        Columns ``dataset``, ``cluster`` and ``epoch`` may stand beside the items.
    higher_is_better : bool, default True
        False where the scores are errors or costs.
    unit : {"item", "judgment", "unknown"}, optional
        For counts and votes: what was counted, items that all systems share or separate judgments.
        ``judgment`` for votes and ``unknown`` for counts when not given.
    scale : int, default 1
        For tallies: see `io.tallies_from_table`.

    Returns
    -------
    xarray.DataArray
        From wide, long and predictions: scores over (item, system), float64, NaN where missing,
        with item coordinates ``dataset``, ``cluster`` and ``epoch`` where they are given. From
        counts and votes: counts over (system_a, system_b, outcome), int64, with a leading
        ``dataset`` where that is given. From tallies: see `io.tallies_from_table`.
        ``attrs["reading"]`` says in one line what was read and how; it is logged too.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file cannot be read as what its extension says, or is not UTF-8.
        If no layout fits the columns, or more than one.
        If a cell is not what its column needs; the message names file, row, column and value.
        If an item, a system, a pair or a score is given twice, or counts contradict each other.
        If there are fewer than two systems, or several files differ in their systems.
        If an argument does not apply to the layout.

    Notes
    -----
    Rows are joined by item id, never by their order, unless there are no ids. A blank cell is
    missing: never a tie and never wrong. In columns of numbers NA, N/A, NaN, null and None are
    blank too; elsewhere they are text like any other. The row in a message is the line in a text
    file, the record in JSON and Parquet, and the index label in a DataFrame.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> frame = pd.DataFrame({"item": ["q1", "q2", "q3"], "A": [1, 0, 1], "B": [1, 1, None]})
    >>> scores = bt.read(frame)
    >>> scores.attrs["reading"]
    "DataFrame read as wide: 3 items x 2 systems, item ids from column 'item', 1 score missing"
    >>> votes = pd.DataFrame({"model_a": ["A", "B"], "model_b": ["B", "A"], "winner": ["model_a", "tie"]})
    >>> bt.read(votes).sel(system_a="A", system_b="B").values.tolist()
    [1, 0, 1]
    """
    if layout is not None:
        checks.one_of(layout, names.LAYOUTS, "layout")
    named = _named(source)
    tables = [_table(one, name) for name, one in named.items()]
    found = [_layout(table, layout) for table in tables]
    if len(set(found)) > 1:
        what = f"is {found[-1]}, but {tables[0].source} is {found[0]}; give files of one layout"
        raise problem(tables[-1].source, what)
    _check_choices(found[0], higher_is_better, unit)
    if scale != 1 and found[0] != "tallies":
        raise ValueError(f"scale={scale} is for tallies; this was read as {found[0]}")
    read_one = partial(table_tallies, scale=scale) if found[0] == "tallies" else _LAYOUTS[found[0]]
    read_each = [read_one(table) for table in tables]
    arrays = [array for array, _ in read_each]
    several = len(arrays) > 1 or isinstance(source, Mapping)
    if several and found[0] == "tallies":
        raise ValueError(
            "several files of tallies are not joined; give one table, with a column 'dataset'"
        )
    result = (
        joined(arrays, list(named), [table.source for table in tables]) if several else arrays[0]
    )
    result.attrs = _attrs(result, arrays, tables, found[0], higher_is_better, unit)
    result.attrs["reading"] = _reading(
        result, tables, list(named) if several else [], read_each[0][1]
    )
    _log.info(result.attrs["reading"])
    return result


def _named(source: Any) -> dict[str, Any]:
    """The sources by the name of their dataset; a single source has its own name."""
    if isinstance(source, Mapping):
        if not source:
            raise ValueError("source is an empty mapping; give at least one file or DataFrame")
        return {str(name): one for name, one in source.items()}
    if not isinstance(source, list | tuple):
        return {"DataFrame" if isinstance(source, pd.DataFrame) else "": source}
    if not source:
        raise ValueError("source is an empty list; give at least one file")
    named: dict[str, Any] = {}
    for one in source:
        if not isinstance(one, str | Path):
            raise ValueError(
                f"source holds a {type(one).__name__}; give paths, or a mapping of name to path "
                f"or DataFrame"
            )
        name = dataset_name(Path(one))
        if name in named:
            raise ValueError(f"two files are called {name!r}; give a mapping of name to file")
        named[name] = one
    return named


def _table(source: Any, name: str) -> Table:
    if isinstance(source, str | Path):
        return read_file(Path(source))
    if isinstance(source, pd.DataFrame):
        return table_from_frame(source, name)
    raise ValueError(
        f"source is a {type(source).__name__}; give a path, a DataFrame, a list of paths, "
        "or a mapping of name to path or DataFrame"
    )


def _layout(table: Table, layout: str | None) -> str:
    if layout is None:
        return recognise(table)
    require(table, layout)
    return layout


def _check_choices(layout: str, higher_is_better: bool, unit: str | None) -> None:
    if not isinstance(higher_is_better, bool | np.bool_):
        raise ValueError(f"higher_is_better is {higher_is_better!r}; give True or False")
    if not higher_is_better and layout not in ("wide", "long"):
        raise ValueError(
            f"higher_is_better=False is for scores; {layout} already say which system is better"
        )
    if unit is not None:
        checks.one_of(unit, names.UNITS, "unit")
        if layout not in _UNIT:
            raise ValueError(f"unit={unit!r} is for counts and votes; this was read as {layout}")


def _attrs(
    result: xr.DataArray,
    arrays: list[xr.DataArray],
    tables: list[Table],
    layout: str,
    higher_is_better: bool,
    unit: str | None,
) -> dict[str, Any]:
    """What the result says of itself: only str and int, so that netCDF keeps it."""
    attrs: dict[str, Any] = {
        "source": ", ".join(table.source for table in tables),
        "layout": layout,
    }
    if layout == "tallies":
        return attrs | {"scale": result.attrs["scale"]}
    if layout in _UNIT:
        attrs |= {"unit": unit or _UNIT[layout], "ties": arrays[0].attrs["ties"]}
        attrs["n_missing"] = sum(array.attrs.get("n_missing", 0) for array in arrays)
        return attrs | (
            {"n": sum(array.attrs["n"] for array in arrays)} if layout == "votes" else {}
        )
    return attrs | {
        "higher_is_better": int(higher_is_better),
        "n_missing": int(np.isnan(result.values).sum()),
    }


def _reading(result: xr.DataArray, tables: list[Table], datasets: list[str], said: str) -> str:
    """One line on what was read, and how."""
    layout, missing = result.attrs["layout"], result.attrs.get("n_missing", 0)
    start = f"{result.attrs['source']} read as {layout}: "
    if layout in ("counts", "tallies"):
        line = start + said
    elif layout == "votes":
        line = start + said + (f", {missing} more without a winner left out" if missing else "")
    else:
        items, systems = result.sizes[names.ITEM], result.sizes[names.SYSTEM]
        missed = f"{counted(missing, 'score')} missing"
        line = f"{start}{counted(items, 'item')} x {systems} systems, {said}, {missed}"
    if datasets:
        line += f", datasets {', '.join(datasets)}"
    ignored = list(dict.fromkeys(column for table in tables for column in _ignored(table, layout)))
    return " ".join(
        (line + (f", ignored columns {listed(ignored)}" if ignored else "")).splitlines()
    )


def _ignored(table: Table, layout: str) -> list[str]:
    """The columns nothing was read from."""
    if layout in ("wide", "predictions"):
        return [
            column
            for column in NAMELESS
            if column in table.columns and column != find(table, "item")
        ]
    used = {find(table, role) for role in NEEDED[layout]}
    if layout in ("long", "tallies"):
        used |= {find(table, "class")} if layout == "tallies" else set()
        used |= set(beside_columns(table).values())
    else:
        used |= {dataset_column(table), find(table, "ties") if layout == "counts" else None}
    return [column for column in table.columns if column not in used]

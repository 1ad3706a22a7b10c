"""A file, a frame or several of them to scores, counts, tallies or judgments."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.choosing import chosen_of, named_systems
from betterthan.io.files import dataset_name, read_file
from betterthan.io.frames import table_from_frame
from betterthan.io.layouts import Layout, of_name, that_take
from betterthan.io.problems import problem
from betterthan.io.recognition import recognise, require
from betterthan.io.saying import line
from betterthan.io.several import joined
from betterthan.io.table import Reading, Table
from betterthan.signed import Signature

_Source = str | Path | pd.DataFrame | Sequence[str | Path] | Mapping[str, str | Path | pd.DataFrame]
_DEFAULTS: dict[str, Any] = {"higher_is_better": True, "unit": None, "scale": 1}
_log = logging.getLogger("betterthan")


# a layout that is any text may be that of judgments too: the first of both is asked first
@overload
def read(  # pyright: ignore[reportOverlappingOverload]
    source: _Source, *, layout: Literal["judgments"]
) -> xr.Dataset: ...
@overload
def read(
    source: _Source,
    *,
    layout: str | None = None,
    systems: Sequence[str] | None = None,
    higher_is_better: bool = True,
    unit: str | None = None,
    scale: int = 1,
) -> xr.DataArray: ...
def read(
    source: _Source,
    *,
    layout: str | None = None,
    systems: Sequence[str] | None = None,
    higher_is_better: bool = True,
    unit: str | None = None,
    scale: int = 1,
) -> xr.DataArray | xr.Dataset:
    """Read the results of several systems: scores of each item, or counts of each pair.

    Parameters
    ----------
    source : path, pandas.DataFrame, list of paths, or mapping of name to path or DataFrame
        A file is CSV, TSV, JSON Lines, JSON (a list of objects) or Parquet, known by its extension,
        each also with ``.gz``; text is UTF-8. Several files are several datasets of the same
        systems, named by the file or by the mapping.
    layout : str, optional
        What the columns mean; recognised from their names when not given.

        - ``wide``: a column of item ids (may be absent), and a column of scores for each system.
        - ``long``: ``system, item, score``.
        - ``predictions``: item ids, ``gold``, and a column of predicted labels for each system.
        - ``votes``: ``model_a, model_b, winner``; the winner is a side, a name, or a tie.
        - ``counts``: ``system_a, system_b, wins, losses``; ties are unknown without a column
          ``ties``.
        - ``tallies``: ``system, item, tp, fp, fn`` and an optional ``label``; see
          `io.tallies_from_table`.
        - ``judgments``: those of votes, and an optional ``judge``, each judgment by itself; see
          `io.read_judgments`. Only where the layout is given.

        Columns ``dataset``, ``cluster`` and ``epoch`` may stand beside the items.
    systems : list of str, optional
        The systems to read, in this order; all when not given. Of wide and predictions these are
        columns, and no other column is read.
    higher_is_better : bool, default True
        False where the scores are errors or costs.
    unit : {"item", "judgment", "unknown"}, optional
        For counts and votes: what was counted, items that all systems share or separate judgments.
        ``judgment`` for votes and ``unknown`` for counts when not given.
    scale : int, default 1
        For tallies: see `io.tallies_from_table`.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        From wide, long and predictions: scores over (item, system), float64, NaN where missing,
        with item coordinates ``dataset``, ``cluster`` and ``epoch`` where they are given. From
        counts and votes: counts over (system_a, system_b, outcome), int64, with a leading
        ``dataset`` where that is given. From tallies: see `io.tallies_from_table`. From judgments:
        the Dataset of `io.read_judgments`.
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
        If a column of numbers is plainly no system: a mean or a sum of the others, or of a range
        that no score has; name the systems then.
        If two ids or systems differ only by blanks, case or unicode form and never stand side by
        side; where they do, a warning names them.
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
    "DataFrame read as wide: 3 items x 2 systems ('A', 'B'), item ids from column 'item', 1 score
    missing"
    >>> votes = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
    >>> bt.read(votes).sel(system_a="A", system_b="B").values.tolist()
    [1, 0, 1]
    """
    choices = {"higher_is_better": higher_is_better, "unit": unit, "scale": scale}
    wanted = named_systems(systems)
    named = _named(source)
    tables = [_table(one, name) for name, one in named.items()]
    found = _one_layout(tables, layout)
    _check_choices(found, choices)
    _refuse_choosing(found, wanted)
    readings = [_reading(found, table, wanted, scale) for table in tables]
    result = readings[0].data
    datasets = list(named) if len(named) > 1 or isinstance(source, Mapping) else []
    if datasets:
        result = _joined(found, readings, datasets, tables)
    sources = ", ".join(table.source for table in tables)
    result.attrs = _attrs(found, result, readings, choices) | {"source": sources}
    result.attrs["reading"] = line(sources, found, result, readings, datasets)
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


def _reading(layout: Layout, table: Table, systems: list[str] | None, scale: int) -> Reading:
    """What one table holds, of the systems that are asked for."""
    options: dict[str, Any] = {"scale": scale} if "scale" in layout.takes else {}
    if "systems" in layout.takes:
        return layout.reader(table, systems=systems, **options)
    found = layout.reader(table, **options)
    return replace(found, data=chosen_of(table.source, found.data, systems))


def _refuse_choosing(layout: Layout, systems: list[str] | None) -> None:
    if systems is not None and layout.gives == "judgments":
        raise ValueError("systems is for scores, tallies and counts; judgments are read whole")


def _one_layout(tables: list[Table], layout: str | None) -> Layout:
    """The layout that all tables have."""
    if layout is not None:
        checks.one_of(layout, names.LAYOUTS, "layout")
        for table in tables:
            require(table, layout)
        return of_name(layout)
    first, *others = [recognise(table) for table in tables]
    if set(others) - {first}:
        what = f"is {others[-1]}, but {tables[0].source} is {first}; give files of one layout"
        raise problem(tables[-1].source, what)
    return of_name(first)


def _check_choices(layout: Layout, choices: dict[str, Any]) -> None:
    better = choices["higher_is_better"]
    if not isinstance(better, bool | np.bool_):
        raise ValueError(f"higher_is_better is {better!r}; give True or False")
    if not better and "higher_is_better" not in layout.takes:
        raise ValueError(
            f"higher_is_better=False is for scores; {layout.name} already say which system is "
            f"better"
        )
    if choices["unit"] is not None:
        checks.one_of(choices["unit"], names.UNITS, "unit")
    for choice, value in choices.items():
        if value != _DEFAULTS[choice] and choice not in layout.takes:
            raise ValueError(
                f"{choice}={value!r} is for {that_take(choice)}; this was read as {layout.name}"
            )


def _joined(
    layout: Layout, readings: list[Reading], datasets: list[str], tables: list[Table]
) -> xr.DataArray:
    if layout.gives not in ("scores", "counts"):
        hint = ", with a column 'dataset'" if layout.gives == "tallies" else ""
        raise ValueError(f"several files of {layout.name} are not joined; give one table{hint}")
    return joined([one.data for one in readings], datasets, [table.source for table in tables])


def _attrs(
    layout: Layout, result: Any, readings: list[Reading], choices: dict[str, Any]
) -> dict[str, Any]:
    """What the result says of itself: only str and int, so that netCDF keeps it."""
    first = readings[0].data.attrs
    own = {k: sum(one.data.attrs[k] for one in readings) for k in ("n", "n_missing") if k in first}
    own |= {"scale": first["scale"]} if "scale" in first else {}
    better = None
    if layout.gives == "scores":
        better = bool(choices["higher_is_better"])
        own["n_missing"] = int(np.isnan(result.values).sum())
    signed = Signature(
        layout=layout.name,
        unit=choices["unit"] or layout.unit,
        ties=first.get("ties"),
        higher_is_better=better,
    )
    return signed.to_attrs() | own

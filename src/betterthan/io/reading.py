"""A file, a frame or several of them to scores, counts, tallies or judgments."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.apart import is_file_per_system, named_system, side_by_side
from betterthan.io.choosing import named_systems, renamed, select_systems
from betterthan.io.columns import Columns, applied
from betterthan.io.files import dataset_name, read_file
from betterthan.io.frames import table_from_frame
from betterthan.io.layouts import Layout, layout_by_name, that_take
from betterthan.io.problems import problem
from betterthan.io.recognition import recognise, require
from betterthan.io.saying import line
from betterthan.io.table import Reading, Table
from betterthan.signed import Signature

_DEFAULTS: dict[str, Any] = {"higher_is_better": True, "unit": None, "scale": 1}
_log = logging.getLogger("betterthan")


def read_tables(
    source: Any,
    *,
    layout: str | None = None,
    systems: Any = None,
    higher_is_better: bool = True,
    unit: str | None = None,
    scale: int = 1,
    told: Columns | None = None,
    names_are: str | None = None,
) -> Any:
    """Scores of each item, or counts of each pair, from tables; see `betterthan.read`.

    Parameters
    ----------
    source : path, pandas.DataFrame, list of paths, or mapping of name to path or DataFrame
    layout, systems, higher_is_better, unit, scale
        See `betterthan.read`.
    told : Columns, optional
        What columns and cells mean.
    names_are : {"systems", "datasets"}, optional
        What several tables are; see `apart.is_file_per_system`.
    """
    choices = {"higher_is_better": higher_is_better, "unit": unit, "scale": scale}
    told = Columns() if told is None else told
    named = _named(source)
    by_name = {
        name: applied(_table(item_source, name, told.sep), told)
        for name, item_source in named.items()
    }
    by_file = (layout is None or names_are == "systems") and is_file_per_system(by_name, names_are)
    if by_file:
        by_name = {"": side_by_side(_by_system(by_name, isinstance(source, Mapping)))}
    several = not by_file and (len(named) > 1 or isinstance(source, Mapping))
    chosen_layout = (
        layout_by_name("long") if by_file else _one_layout(list(by_name.values()), layout)
    )
    _check_choices(chosen_layout, choices)
    result = _read(chosen_layout, by_name, list(named) if several else [], systems, choices)
    if told.percent and chosen_layout.gives == "scores":
        _refuse_shares(result)
    result = renamed(result, systems)
    if by_file:
        result.attrs["reading"] += ", each file a system"
    _log.info(result.attrs["reading"])
    return result


def _read(
    layout: Layout,
    by_name: dict[str, Table],
    datasets: list[str],
    systems: Any,
    choices: dict[str, Any],
) -> Any:
    """What tables of one layout hold, with what they say of themselves."""
    wanted, tables = named_systems(systems), list(by_name.values())
    _refuse_choosing(layout, wanted)
    readings = [_reading(layout, table, wanted, choices["scale"]) for table in tables]
    result = _joined(layout, readings, datasets, tables) if datasets else readings[0].data
    sources = ", ".join(table.source for table in tables)
    result.attrs = _attrs(layout, result, readings, choices) | {"source": sources}
    result.attrs["reading"] = line(sources, layout, result, readings, datasets)
    return result


def _refuse_shares(scores: xr.DataArray) -> None:
    """Refuse a system of which no score is above 1 per cent where others have more: its scores may
    be shares, a hundred times as large.
    """
    high = np.nan_to_num(scores.max(names.ITEM).values)
    small = np.flatnonzero((high > 0) & (high <= 0.01))
    if len(small) and high.max() > 0.01:
        system = scores[names.SYSTEM].values[small[0]]
        raise ValueError(
            f"percent=True, but no score of {str(system)!r} is above {100 * high[small[0]]:g}, "
            f"while others reach {100 * high.max():g}: shares beside per cent? Write all in one "
            "unit"
        )


def _by_system(tables: dict[str, Table], mapping: bool) -> dict[str, Table]:
    """The tables by their systems: as a mapping names them, else as they do, else by file."""
    if mapping:
        return tables
    return {named_system(table) or name: table for name, table in tables.items()}


def _named(source: Any) -> dict[str, Any]:
    """Name the sources by dataset; a single source keeps its own name."""
    if isinstance(source, Mapping):
        if not source:
            raise ValueError("source is an empty mapping; give at least one file or DataFrame")
        checks.fit(map(str, source), "table")
        return {str(name): item_source for name, item_source in source.items()}
    if not isinstance(source, list | tuple):
        return {"DataFrame" if isinstance(source, pd.DataFrame) else "": source}
    if not source:
        raise ValueError("source is an empty list; give at least one file")
    named: dict[str, Any] = {}
    for path in source:
        if not isinstance(path, str | Path):
            raise ValueError(
                f"source holds a {type(path).__name__}; give paths, or a mapping of name to path "
                f"or DataFrame"
            )
        name = dataset_name(Path(path))
        if name in named:
            raise ValueError(f"two files are called {name!r}; give a mapping of name to file")
        named[name] = path
    checks.fit(named, "the name of the file")
    return named


def _table(source: Any, name: str, sep: str | None) -> Table:
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        return read_file(Path(source), sep)
    if isinstance(source, pd.DataFrame):
        return table_from_frame(source, name)
    raise ValueError(
        f"source is a {type(source).__name__}; give a path, a DataFrame, a list of paths, "
        "or a mapping of name to path or DataFrame"
    )


def _reading(layout: Layout, table: Table, systems: list[str] | None, scale: int) -> Reading:
    """Read one table, with the requested systems."""
    options: dict[str, Any] = {"scale": scale} if "scale" in layout.takes else {}
    if "systems" in layout.takes:
        return layout.reader(table, systems=systems, **options)
    reading = layout.reader(table, **options)
    return replace(reading, data=select_systems(table.source, reading.data, systems))


def _refuse_choosing(layout: Layout, systems: list[str] | None) -> None:
    if systems is not None and layout.gives == "judgments":
        raise ValueError("systems is for scores, tallies and counts; judgments are read whole")


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
    from betterthan.io.several import joined

    return joined(
        [reading.data for reading in readings], datasets, [table.source for table in tables]
    )


def _attrs(
    layout: Layout, result: Any, readings: list[Reading], choices: dict[str, Any]
) -> dict[str, Any]:
    """Build the attrs of the result: only str and int, which netCDF keeps."""
    first = readings[0].data.attrs
    attrs = {
        k: sum(reading.data.attrs[k] for reading in readings)
        for k in ("n", "n_missing")
        if k in first
    }
    attrs |= {"scale": first["scale"]} if "scale" in first else {}
    better = None
    if layout.gives == "scores":
        better = bool(choices["higher_is_better"])
        attrs["n_missing"] = int(np.isnan(result.values).sum())
    signed = Signature(
        layout=layout.name,
        unit=choices["unit"] or layout.unit,
        ties=first.get("ties"),
        higher_is_better=better,
    )
    return signed.to_attrs() | attrs

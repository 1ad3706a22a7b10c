"""Whatever a function of the public API takes as its data: read, or put together, where needed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan.logs.record import Logs
from betterthan.reading.any_source import read, refuse
from betterthan.reading.options import ReadOptions
from betterthan.reading.other_layouts import OTHERS
from betterthan.reading.sequences import (
    TO_READ,
    common_kind,
    scores_from_array,
    scores_from_sequences,
    system_names,
)

_WITHOUT_SYSTEMS = ("judgments", *OTHERS)  # layouts of which `read` picks no systems


def data_of(
    data: Any, systems: Any, options: Mapping[str, Any], function: str, other: Any = None
) -> Any:
    """Scores, tallies, counts, judgments or trials; what is none of these comes back as it is.

    Parameters
    ----------
    data : path, DataFrame, Logs, list of paths, mapping, array, or any other data
        See `compare`.
    systems : sequence of str, mapping of str to str, or None
        Of what is read, those that are listed, so that no other column is taken for one; of an
        array, the names of its columns.
    options : mapping of str to any
        Of `read`.
    function : str
        That was called, for messages.
    other : sequence of scores or path, optional
        A second system's.

    Raises
    ------
    TypeError
        If `read` has no such option.
    ValueError
        If nothing is read and there are options, or the parts of the data do not fit together.
    """
    unknown = [name for name in options if name not in ReadOptions.__optional_keys__]
    if unknown:
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown[0]!r}")
    data = _put_together(data, other, systems)
    if not _is_read(data) and not _is_mapping(data):
        refuse(options, "data are in memory, and nothing is read")
        return data
    picked = isinstance(systems, Sequence) and not isinstance(systems, str) and other is None
    selects_no_systems = (
        options.get("layout") in _WITHOUT_SYSTEMS or options.get("human") is not None
    )
    return read(data, systems=systems if picked and not selects_no_systems else None, **options)


def _put_together(data: Any, other: Any, systems: Any) -> Any:
    """Scores that are in memory as parts, as one array; all else as it is."""
    if other is not None:
        return _two(data, other)
    if _is_mapping(data):
        return _by_name(data)
    is_array = isinstance(data, np.ndarray) and data.ndim == 2
    return scores_from_array(data, systems) if is_array else data


def _two(data: Any, other: Any) -> Any:
    """Two paths as a list, or the scores of two sequences."""
    sides = {"data": data, "other": other}
    kind = common_kind(sides)
    if kind not in TO_READ:
        return scores_from_sequences(sides)
    if any(isinstance(side, pd.DataFrame) for side in sides.values()):
        raise ValueError("data and other are DataFrames; give {name: DataFrame}, to name each")
    return [data, other]


def _by_name(data: Mapping[Any, Any]) -> Any:
    """The scores of systems that a mapping names; a mapping of what is read as it is."""
    if not data:
        raise ValueError("data is an empty dict; give the scores of each system, or its path")
    if all(map(_is_read, data.values())):
        return data
    systems = system_names(data)
    sides = {f"system {name!r}": side for name, side in zip(systems, data.values(), strict=True)}
    return scores_from_sequences(sides, systems)


def _is_mapping(data: Any) -> bool:
    return isinstance(data, Mapping) and not isinstance(data, xr.Dataset | xr.DataTree)


def _is_read(data: Any) -> bool:
    """Whether this is a path, several paths, a DataFrame or logs."""
    if isinstance(data, Sequence) and not isinstance(data, str):
        return bool(data) and all(isinstance(path, str | Path) for path in data)
    return isinstance(data, str | Path | pd.DataFrame | Logs)

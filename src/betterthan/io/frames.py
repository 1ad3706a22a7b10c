"""Data frames and Parquet."""

from __future__ import annotations

import io
from collections.abc import Container, Mapping, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from betterthan.io.compression import max_expanded
from betterthan.io.layouts import ALIASES, PAIRS
from betterthan.io.problems import problem
from betterthan.io.table import MOST_CELLS, Table, make_table
from betterthan.io.texts import BLOCK, Coded, Coding, Texts, few
from betterthan.rounding import in_decimals, is_short

_CELLS = 2**20  # of a file of Parquet that are read together
_TEXT = ("string", "large_string")  # of Arrow
_CODE = 4  # bytes of a cell that is a code; a text takes 4 and its letters


def is_frame(data: Any) -> bool:
    """Whether data are a DataFrame; for paths and tables pandas need not be loaded."""
    paths = isinstance(data, str | Path | Table | Mapping | Sequence)
    return not paths and isinstance(data, pd.DataFrame)


def parse_parquet(data: bytes, source: str) -> Table:
    """The table in Parquet bytes; rows are numbered from 1."""
    try:
        pyarrow = import_module("pyarrow")
    except ImportError:
        raise problem(source, "reading Parquet needs pyarrow; run: pip install pyarrow") from None
    try:
        header, columns, (groups, repeating) = [], [], _read_together(data)
        for names in groups:
            cells = _read_columns(data, names, repeating)
            header += names
            columns += [_small(cells[name]) for name in names]
            pyarrow.default_memory_pool().release_unused()
        frame = None if groups else pd.read_parquet(io.BytesIO(data), engine="pyarrow")
    except _TooManyError as error:
        raise problem(source, str(error)) from None
    except Exception as error:  # a damaged file can fail anywhere in the reader, with any error
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise problem(source, f"not readable as Parquet ({reason})") from None
    if frame is not None:
        return table_from_frame(frame, source, range(1, len(frame) + 1))
    return make_table(source, header, columns, range(1, len(columns[0]) + 1))


def _read_columns(data: bytes, names: list[str], repeating: list[str]) -> dict[str, Any]:
    """The cells of some columns; of texts that repeat the codes that the file holds."""
    from pyarrow import BufferReader, parquet

    cells = {}
    for name in set(names).intersection(repeating):
        column = parquet.read_table(
            BufferReader(data), columns=[name], read_dictionary=[name], use_pandas_metadata=False
        )[0]
        if len(column) > BLOCK and not column.null_count:
            codes = column.unify_dictionaries().combine_chunks()
            distinct = codes.dictionary.to_pylist()
            if len({*distinct}) == len(distinct):
                cells[name] = _in_first_order(codes.indices.to_numpy(), distinct)
    if rest := [name for name in names if name not in cells]:
        part = pd.read_parquet(io.BytesIO(data), engine="pyarrow", columns=rest)
        cells |= {name: _cells(part.iloc[:, k]) for k, name in enumerate(rest)}
    return cells


class _TooManyError(Exception):
    """A file of Parquet names more cells than anyone's results have."""


def _read_together(data: bytes) -> tuple[list[list[str]], list[str]]:
    """The columns that are read together, few where they are long; none where only all can be. And
    those of texts that repeat, whose codes the file holds.

    Refuse a table that takes far more memory than its file: equal cells are packed as one.
    """
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(data))
    metadata, columns = file.metadata, file.schema_arrow.names
    size = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    if metadata.num_rows * metadata.num_columns > MOST_CELLS or size > max_expanded(len(data)):
        shape = f"{metadata.num_rows:,} rows of {metadata.num_columns:,} columns"
        raise _TooManyError(f"holds {shape}, more than can be read at once; give parts of it")
    pandas_metadata = file.schema_arrow.pandas_metadata or {}
    indexes = pandas_metadata.get("index_columns", ())  # those that are more than row numbers:
    index = [x for x in indexes if not isinstance(x, dict) or x.get("name") is not None]
    levels = pandas_metadata.get("column_indexes", ())
    nested = any("." in file.schema.column(k).path for k in range(metadata.num_columns))
    if index or nested or len(levels) > 1 or len({*columns}) < len(columns):
        return [], []
    step = max(1, _CELLS // max(1, metadata.num_rows))
    together = [columns[k : k + step] for k in range(0, len(columns), step)]
    texts = [k for k, column in enumerate(file.schema_arrow) if str(column.type) in _TEXT]
    return together, [columns[k] for k in texts if _repeats(metadata, k)]


def _repeats(metadata: Any, k: int) -> bool:
    """Whether a column takes so few bytes a cell that they are codes."""
    chunks = [metadata.row_group(g).column(k) for g in range(metadata.num_row_groups)]
    return sum(chunk.total_uncompressed_size for chunk in chunks) <= _CODE * metadata.num_rows


def _small(cells: Any) -> Any:
    """Whole numbers in a byte each where that holds them, as it holds most scores."""
    if not isinstance(cells, np.ndarray) or cells.dtype.kind not in "iu":
        return cells
    small = cells.astype(np.int8)
    return small if (small == cells).all() else cells


def table_from_frame(
    frame: pd.DataFrame,
    source: str,
    rows: Sequence[Any] | None = None,
    *,
    levels: Container[Any] = (),
) -> Table:
    """The table in a frame; an index with a name, or of text, is read too, and so are the levels of
    it that an option names.
    """
    if isinstance(frame.columns, pd.MultiIndex):
        raise problem(source, "has column names of several levels; give one name for each column")
    index = frame.index
    plain = isinstance(index, pd.RangeIndex)
    labels = range(index.start, index.stop, index.step) if plain else index.tolist()
    labels = labels if rows is None else rows
    frame = _with_index(frame, source, levels)
    columns = [_cells(frame.iloc[:, k]) for k in range(frame.shape[1])]
    return make_table(source, list(frame.columns), columns, labels)


def _with_index(frame: pd.DataFrame, source: str, named: Container[Any]) -> pd.DataFrame:
    """Turn the index into columns: roles by name or by option, items by any name or as text."""
    index, known_names = frame.index, {*chain(*ALIASES.values(), *PAIRS)}
    roles = [str(n).strip().casefold() in known_names or n in named for n in index.names]
    if isinstance(index, pd.MultiIndex) and not all(roles):
        level = index.names[roles.index(False)]
        reason = f"index level {level!r} is not a known name; name it or reset the index"
        raise problem(source, reason)
    if all(roles):
        for name in index.names:
            if name in frame.columns:
                reason = f"{name!r} is both a column and the index; drop one of them"
                raise problem(source, reason)
        return frame.reset_index()
    has_items = any(str(name).strip().casefold() in ALIASES["item"] for name in frame.columns)
    if not has_items and (index.name is not None or index.inferred_type == "string"):
        return frame.reset_index(names="item")
    return frame


def _cells(series: pd.Series) -> Any:
    """A numeric array where the dtype says so, distinct texts where all are such, otherwise a list
    with None for what is missing.
    """
    dtype: Any = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        return in_decimals(series.to_numpy())
    numbers: Any = getattr(dtype, "numpy_dtype", None)  # of a type that knows what is missing
    if numbers is not None and is_short(numbers):
        return in_decimals(series.to_numpy(numbers, na_value=np.nan))
    if isinstance(dtype, pd.StringDtype) and len(series) > BLOCK and not series.hasnans:
        if series.iloc[:BLOCK].nunique() < BLOCK:
            codes, distinct = pd.factorize(series)
            return _coded(codes, distinct.tolist())
        coding = Coding()
        for begin in range(0, len(series), BLOCK):
            coding.add(series.iloc[begin : begin + BLOCK].tolist())
        return coding.done()
    distinct: Any = getattr(dtype, "categories", None)
    texts = getattr(distinct, "inferred_type", "") == "string"
    if texts and len(series) > BLOCK and not series.hasnans:
        return _in_first_order(series.cat.codes.to_numpy(), distinct.tolist())
    values: Any = series.astype(object)
    return in_decimals(values.where(values.notna(), None).to_numpy()).tolist()


def _in_first_order(codes: np.ndarray, distinct: list[str]) -> Coded:
    """The cells of these codes, whose distinct texts become those that occur, by first row."""
    if not _in_order(codes, len(distinct)):
        codes, places = pd.factorize(codes)
        distinct = [distinct[k] for k in places]
    return _coded(codes, distinct)


def _in_order(codes: np.ndarray, distinct: int) -> bool:
    """Whether codes are numbered as they first occur, and each of them does."""
    most = -1
    for begin in range(0, len(codes), BLOCK):
        highest = np.maximum.accumulate(np.r_[most, codes[begin : begin + BLOCK]])
        if (np.diff(highest) > 1).any():
            return False
        most = int(highest[-1])
        if most == distinct - 1:
            return True
    return False


def _coded(codes: np.ndarray, distinct: Sequence[str]) -> Coded:
    blocks = (distinct[k : k + BLOCK] for k in range(0, len(distinct), BLOCK))
    return Coded(few(Texts(blocks)), codes)

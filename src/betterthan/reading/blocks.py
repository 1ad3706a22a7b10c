"""Read scores block by block from files: a Zarr store, or Parquet files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from pandas.util import hash_array

from betterthan import names
from betterthan.blocks.lazy import MOST, blocks_of
from betterthan.blocks.scheduling import needed
from betterthan.counts.shapes import picked
from betterthan.io.frames import table_from_frame
from betterthan.io.measure_names import refuse_unknown_direction
from betterthan.io.problems import listed, problem
from betterthan.io.reading import read_tables
from betterthan.reading.sources import is_store
from betterthan.text import first_flawed, flaw

_FIRST = 1000  # rows that say which columns are systems
_MOST_IDS = 50_000_000  # items; a mark of each takes eight bytes


@dataclass(frozen=True)
class Part:
    """Ids that follow each other in a file."""

    file: str
    row: int  # of the first, from 1
    read: Callable[[], np.ndarray]


def refuse_twice(parts: list[Part]) -> None:
    """Refuse an id that has two rows.

    Parts are compared by marks of 64 bits; what looks the same is read again, and compared itself.

    Raises
    ------
    ValueError
        With both rows; or with the row of an id that no item may have.
    """
    marks = [_marks(part) for part in parts]
    all_marks = np.sort(np.concatenate(marks)) if marks else np.empty(0, np.uint64)
    twice = np.unique(all_marks[1:][all_marks[1:] == all_marks[:-1]])
    first_places: dict[str, str] = {}
    for name, file, row in _with_marks(parts, marks, twice):
        if name in first_places:
            where = f"row {row:,}, column 'item', value {name!r}"
            reason = f"duplicate item id, already in {first_places[name]}"
            raise problem(file, f"{where}: {reason}; give each item one row")
        first_places[name] = f"{file}, row {row:,}"


def _marks(part: Part) -> np.ndarray:
    ids = part.read()
    if ids.dtype.kind not in "iufb":
        texts = list(map(str, ids.tolist()))
        if (k := first_flawed(texts)) is not None:
            row, reason = part.row + k, flaw(texts[k])
            raise problem(part.file, reason, row=row, column="item", value=texts[k])
    marked: Any = hash_array  # lazily loaded, so that its type is not known
    return marked(np.asarray(ids).astype(str).astype(object), categorize=False)


def _with_marks(
    parts: list[Part], marks: list[np.ndarray], wanted: np.ndarray
) -> Iterator[tuple[str, str, int]]:
    """Yield ids with one of these marks, with file and row."""
    for part, part_marks in zip(parts, marks, strict=True):
        matches = np.flatnonzero(np.isin(part_marks, wanted))
        ids = part.read() if len(matches) else part_marks
        yield from ((str(ids[k]), part.file, part.row + int(k)) for k in matches)


_GROUPS = (names.DATASET, "cluster", "epoch")  # items that are not alone
_BLOCK = MOST // 8  # bytes that small chunks of a file are read together up to
_IDS = 2**20  # ids of a store that are read together
_NONE = -128  # in int8, for a blank cell


def read_blocks(
    source: Any, *, systems: Any = None, higher_is_better: bool | None = None, ignore: Any = ()
) -> xr.DataArray:
    """Scores (item, system) in blocks; their outline is read, and the ids of items.

    Parameters
    ----------
    source : path or list of paths
        A Zarr store with an array over (item, system); or Parquet files, one column a system, whose
        rows follow each other: they are parts of one table. Ids of items are read to see that
        none comes twice, up to 50,000,000.
    systems : list of str, or mapping of str to str, optional
        See `read`.
    higher_is_better : bool, optional
    ignore : sequence of str
        Of Parquet files: columns that are no system.

    Raises
    ------
    ValueError
        If the source is neither, or not of this form; if an item comes twice, or items have
        clusters, epochs or data sets, which blocks cannot heed.
    """
    needed("dask", "xarray")
    if is_store(source):
        scores, source_text = _read_store(Path(source)), Path(source).name
        parts = _store_ids(Path(source))
    else:
        paths = _parquet(source)
        columns = systems if isinstance(systems, Sequence) else None
        columns = columns or _columns(paths[0], tuple(ignore or ()), higher_is_better)
        scores = _read_parquet(paths, tuple(ignore or ()), columns)
        several = f"{len(paths)} files, one after the other,"
        source_text = paths[0].name if len(paths) == 1 else several
        parts = _parquet_ids(paths)
    scores = picked(scores, systems)
    if higher_is_better is not None:
        scores = scores.assign_attrs(higher_is_better=higher_is_better)
    elif "higher_is_better" not in scores.attrs:
        for labels in (scores[names.SYSTEM].values.tolist(), [str(scores.name)]):
            refuse_unknown_direction(source_text, labels)
    ids_checked = len(parts) > 0 and scores.sizes[names.ITEM] <= _MOST_IDS
    if ids_checked:
        refuse_twice(parts)
    return scores.assign_attrs(reading=_reading(scores, source_text, ids_checked))


def _reading(scores: xr.DataArray, source_text: str, ids_checked: bool) -> str:
    """Summarize in one line what was read."""
    ids = "no item id comes twice" if ids_checked else "ids of items are not looked at"
    layout = blocks_of(scores)
    code = f", {layout.code} is missing" if layout.code is not None else ""
    blocks = "one block" if len(layout.sizes) == 1 else f"{len(layout.sizes):,} blocks"
    size = f"{layout.items:,} items x {len(layout.systems):,} systems ({scores.dtype}{code})"
    return f"{source_text} read as scores in {blocks}: {size}; {ids}"


def _read_store(path: Path) -> xr.DataArray:
    """The array of scores of a Zarr store, whole numbers as they are."""
    needed("zarr")
    opened = xr.open_zarr(
        path, chunks=None, mask_and_scale=False, consolidated=False, drop_variables=[names.ITEM]
    )
    name = _name_in(opened, path)
    chosen = opened[name]
    _refuse_groups(path, list(chosen.coords), "open it with xarray, and drop that")
    if chosen.dtype.kind == "f" or "scale_factor" in chosen.attrs:  # gaps as NaN
        opened = xr.open_zarr(path, chunks=None, consolidated=False, drop_variables=[names.ITEM])
        chosen = opened[name]
    _refuse_absent_chunks(path, name, chosen)
    rows = int(chosen.encoding.get("preferred_chunks", {}).get(names.ITEM, 1))
    width = chosen.sizes[names.SYSTEM] * chosen.dtype.itemsize
    return chosen.chunk({names.ITEM: rows * max(1, _BLOCK // (rows * width)), names.SYSTEM: -1})


def _refuse_absent_chunks(path: Path, name: str, scores: xr.DataArray) -> None:
    """Refuse a store without some of its chunks, unless what is read in their place is missing."""
    import zarr

    array: Any = zarr.open_array(path / name, mode="r")
    absent = array.nchunks - array.nchunks_initialized
    fill = 0 if array.fill_value is None else array.fill_value
    missing = [scores.attrs.get(key) for key in ("missing_value", "_FillValue")]
    if absent and fill == fill and fill not in [*missing, scores.encoding.get("_FillValue")]:
        reason = f"has {absent:,} of {array.nchunks:,} chunks of {name!r} not in the store, which"
        right = "copy the whole store, or write it with write_empty_chunks=True"
        raise problem(path.name, f"{reason} would be read as scores of {fill}; {right}")


def _name_in(opened: xr.Dataset, path: Path) -> Any:
    """Return the name of the array of scores: the only one over items and systems, or
    ``scores``.
    """
    candidates = [k for k, v in opened.items() if set(v.dims) == {names.ITEM, names.SYSTEM}]
    if not candidates or (len(candidates) > 1 and "scores" not in candidates):
        arrays = listed([f"{k} ({', '.join(map(str, v.dims))})" for k, v in opened.items()])
        problem_text = "has several arrays" if candidates else "has no array"
        raise problem(path.name, f"{problem_text} over (item, system): {arrays}; name one 'scores'")
    return "scores" if "scores" in candidates else candidates[0]


def _parquet(source: Any) -> list[Path]:
    """Return the paths; refuse a missing file, and one that is not Parquet."""
    many = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    if isinstance(source, Mapping) or not all(isinstance(entry, str | Path) for entry in many):
        kind = type(source).__name__
        raise ValueError(f"source is a {kind}; give a Zarr store, or Parquet files")
    if not many:
        raise ValueError("source is an empty list; give at least one file")
    paths = [Path(entry) for entry in many]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {path}")
        if path.suffix.lower() != ".parquet":
            raise problem(path.name, "is read in blocks only as a Zarr store, or as Parquet")
    return paths


def _read_parquet(
    paths: list[Path], ignore: tuple[str, ...], columns: Sequence[str]
) -> xr.DataArray:
    """One column a system, one block a row group."""
    needed("pyarrow")
    from dask import array
    from dask.delayed import delayed
    from pyarrow import parquet

    outlines = [parquet.ParquetFile(path).metadata for path in paths]
    for path, outline in zip(paths, outlines, strict=True):
        columns_present = {*outline.schema.names}
        _refuse_groups(path, sorted(columns_present - {*ignore}), "give ignore")
        if absent := [name for name in columns if name not in columns_present]:
            raise problem(path.name, f"has no column {absent[0]!r}, which the others have")
    kind = np.dtype(np.int8 if all(_small(o, columns) for o in outlines) else float)
    rows = delayed(_rows)
    blocks = [
        array.from_delayed(
            rows(path, k, columns, kind), (outline.row_group(k).num_rows, len(columns)), kind
        )
        for path, outline in zip(paths, outlines, strict=True)
        for k in range(outline.num_row_groups)
    ]
    attrs = {"missing_value": _NONE} if kind.kind == "i" else {}
    coords, dims = {names.SYSTEM: columns}, (names.ITEM, names.SYSTEM)
    return xr.DataArray(array.concatenate(blocks), coords, dims, name="scores", attrs=attrs)


def _columns(path: Path, ignore: tuple[str, ...], higher_is_better: bool | None) -> list[str]:
    """Return the columns of systems, as a table of the first rows has them."""
    from pyarrow import parquet

    opened = parquet.ParquetFile(path)
    rows = next(opened.iter_batches(_FIRST), opened.schema_arrow.empty_table())
    frame = rows.to_pandas().drop(columns=list(ignore), errors="ignore")
    table = table_from_frame(frame, path.name)  # the index is what pandas or dask wrote
    _refuse_groups(path, list(table.columns), "give ignore")
    scores = read_tables(table, layout="wide", higher_is_better=higher_is_better)
    return scores[names.SYSTEM].values.tolist()


def _refuse_groups(path: Path, columns: Sequence[Any], way: str) -> None:
    """Refuse coordinates that make items dependent and would be lost."""
    if groups := [name for name in _GROUPS if name in columns]:
        reason = f"has {groups[0]!r} of the items, which blocks cannot use"
        right = f"load it into memory, or {way} if each item is independent"
        raise problem(path.name, f"{reason}; {right}")


def _parquet_ids(paths: list[Path]) -> list[Part]:
    """Ids of each row group of files that have them."""
    from pyarrow import parquet

    def read(path: Path, group: int) -> np.ndarray:
        table = parquet.ParquetFile(path).read_row_group(group, columns=[names.ITEM])
        return table.column(names.ITEM).to_pandas().to_numpy()

    parts = []
    for path in paths:
        outline, row = parquet.ParquetFile(path).metadata, 1
        for group in range(outline.num_row_groups) if names.ITEM in outline.schema.names else ():
            parts.append(Part(path.name, row, partial(read, path, group)))
            row += outline.row_group(group).num_rows
    return parts


def _store_ids(path: Path) -> list[Part]:
    """Ids of a store that has them."""
    opened = xr.open_zarr(path, chunks=None, consolidated=False, create_default_indexes=False)
    if names.ITEM not in opened.variables:
        return []
    ids = opened[names.ITEM].variable

    def read(first: int) -> np.ndarray:
        return np.asarray(ids[first : first + _IDS].values)

    starts = range(0, ids.size, _IDS)
    return [Part(path.name, first + 1, partial(read, first)) for first in starts]


def _small(outline: Any, columns: Sequence[str]) -> bool:
    """Return whether all numbers are integers that fit into int8 next to a missing-value code."""
    wanted = [k for k, name in enumerate(outline.schema.names) if name in {*columns}]
    for group in range(outline.num_row_groups):
        for k in wanted:
            column = outline.row_group(group).column(k)
            if column.physical_type == "BOOLEAN":
                continue
            statistics = column.statistics
            if column.physical_type not in ("INT32", "INT64") or statistics is None:
                return False
            if statistics.has_min_max and not _NONE < statistics.min <= statistics.max < -_NONE:
                return False
            if not statistics.has_min_max and statistics.null_count != column.num_values:
                return False
    return True


def _rows(path: Path, group: int, columns: list[str], kind: np.dtype) -> np.ndarray:
    """The numbers of one row group, (item, system)."""
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read_row_group(group, columns=columns)
    values = np.empty((table.num_rows, len(columns)), kind)
    blank = _NONE if kind.kind == "i" else np.nan
    for k, name in enumerate(columns):
        column = table.column(name).cast("int8" if kind.kind == "i" else "double")
        values[:, k] = column.fill_null(blank).to_numpy()
    return values

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
from betterthan.io.cells import plain_text
from betterthan.io.frames import table_from_frame
from betterthan.io.layouts import candidates, find, recognise
from betterthan.io.measure_names import refuse_unknown_direction
from betterthan.io.problems import in_python, listed, problem, quoted
from betterthan.io.reading import read_tables
from betterthan.io.score_values import (
    marks_next_to_ratings,
    other_scales,
    warn_of_data_sets_on_other_scales,
    warn_unlike_scales,
)
from betterthan.io.table import Table
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
    column: str = names.ITEM


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
    for name, part, row in _with_marks(parts, marks, twice):
        if name in first_places:
            where = f"row {row:,}, column {part.column!r}, value {name!r}"
            reason = f"duplicate item id, already in {first_places[name]}"
            right = "give each item one row"
            if part.column != names.ITEM:
                right += f", or pass ignore={part.column!r} if these are no ids"
            raise problem(part.file, f"{where}: {reason}; {right}")
        first_places[name] = f"{part.file}, row {row:,}"


def _marks(part: Part) -> np.ndarray:
    texts = _texts(part.read())
    blank = np.flatnonzero(texts == "")
    k = int(blank[0]) if len(blank) else first_flawed(texts.tolist())
    if k is not None:
        reason = flaw(texts[k]) or "blank; give each item an id"
        raise problem(part.file, reason, row=part.row + k, column=part.column, value=texts[k])
    marked: Any = hash_array  # lazily loaded, so that its type is not known
    return marked(texts, categorize=False)


def _texts(ids: np.ndarray) -> np.ndarray:
    """Ids as tables in memory have them: 7.0 is 7, and what is missing is blank."""
    if ids.dtype.kind in "iub":
        return ids.astype(str).astype(object)
    return np.array([plain_text(value).strip() for value in ids.tolist()], object)


def _with_marks(
    parts: list[Part], marks: list[np.ndarray], wanted: np.ndarray
) -> Iterator[tuple[str, Part, int]]:
    """Yield ids with one of these marks, with their part and row."""
    for part, part_marks in zip(parts, marks, strict=True):
        matches = np.flatnonzero(np.isin(part_marks, wanted))
        ids = _texts(part.read()) if len(matches) else part_marks
        yield from ((str(ids[k]), part, part.row + int(k)) for k in matches)


_GROUPS = (names.DATASET, "cluster", "epoch")  # items that are not independent
_BLOCK = MOST // 8  # bytes that small chunks of a file are read together up to
_IDS = 2**20  # ids of a store that are read together
_NONE = -128  # in int8, for a blank cell
_NUMBERS = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
_OFTEN = 4  # times two: of fewer scores a range says nothing
_LOOKED_AT = 16  # row groups that decide whether two systems are on one scale


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
        files = [_Outline(path, tuple(ignore or ())) for path in paths]
        for file in files:
            _refuse_groups(file.path, file.columns, "give ignore")
        named = isinstance(systems, Sequence) and not isinstance(systems, str) and len(systems) > 0
        if named:
            columns = list(systems)
        else:
            columns = _columns(files[0], higher_is_better)
            _refuse_further_columns(files)
        ranges = [file.ranges(columns) for file in files]
        scores = _read_parquet(files, columns, small=all(part.small for part in ranges))
        several = f"{len(paths)} files, one after the other,"
        source_text = paths[0].name if len(paths) == 1 else several
        _check_scales(files, ranges, columns, higher_is_better, named=named)
        parts = _parquet_ids(files)
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
    by_item = [key for key, array in opened.variables.items() if array.dims == (names.ITEM,)]
    _refuse_groups(path, by_item, "open it with xarray, and drop that")
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


class _Outline:
    """What a Parquet file says of itself; ignored columns are left out."""

    def __init__(self, path: Path, ignore: tuple[str, ...]) -> None:
        needed("pyarrow")
        from pyarrow import parquet

        self.path, self.ignore = path, ignore
        with parquet.ParquetFile(path) as opened:  # there may be more files than can be open
            self.metadata, self.schema = opened.metadata, opened.schema_arrow
        self.columns = [name for name in self.schema.names if name not in ignore]
        self.written = {name.strip(): name for name in self.schema.names}  # by names of systems
        groups = map(self.metadata.row_group, range(self.metadata.num_row_groups))
        self.rows = [group.num_rows for group in groups]
        self.index = (self.schema.pandas_metadata or {}).get("index_columns", [])

    def ranges(self, columns: Sequence[str]) -> "_Ranges":
        """What the file says of the numbers in these columns."""
        written = self.metadata.schema
        paths = {written.column(k).path: k for k in range(len(written))}
        places = [(n, paths[name]) for n, name in enumerate(self.names(columns)) if name in paths]
        kinds = [_kind(written.column(place)) for _, place in places]
        low, high = np.full((2, len(self.rows), len(columns)), np.nan)
        small = all(kind in ("BOOLEAN", "INT32", "INT64") for kind in kinds)
        for k, size in enumerate(self.rows):
            group = self.metadata.row_group(k)
            for (n, place), kind in zip(places, kinds, strict=True):
                statistics = group.column(place).statistics
                if statistics is not None and statistics.has_min_max and kind != "other":
                    low[k, n], high[k, n] = statistics.min, statistics.max
                elif kind != "BOOLEAN":
                    small &= statistics is not None and statistics.null_count == size
        outside = (low <= _NONE) | (high >= -_NONE)
        # infinite ones are refused where they are counted
        low, high = (np.where(np.isfinite(end), end + 0.0, np.nan) for end in (low, high))
        return _Ranges(small and not outside.any(), low, high)

    def names(self, columns: Sequence[str]) -> list[str]:
        """These columns as the file has them, with the spaces around them."""
        return [self.written.get(name, name) for name in columns]

    def id_column(self) -> str | None:
        """The column of item ids: one that is called so, or an index of texts."""
        if column := find(_named(self.path, self.columns), names.ITEM):
            return column
        texts = (name for name in self.index if isinstance(name, str) and name in self.columns)
        texts = [name for name in texts if "string" in str(self.schema.field(name).type)]
        return texts[0] if len(self.index) == 1 and texts else None


@dataclass(frozen=True)
class _Ranges:
    """The lowest and the highest number of each row group and column, nan where the file does not
    say; and whether all are integers that fit into int8 next to a missing-value code.
    """

    small: bool
    low: np.ndarray  # (row group, column)
    high: np.ndarray


def _kind(column: Any) -> str:
    """The physical type of numbers, "other" of what only looks so, such as dates and decimals."""
    plain = column.logical_type.type in ("NONE", "INT")
    physical = column.physical_type
    return physical if plain and physical in _NUMBERS else "other"


def _named(path: Path, columns: Sequence[Any]) -> Table:
    """A table of these columns, without rows."""
    return Table(path.name, dict.fromkeys(map(str, columns)), ())


def _read_parquet(files: list[_Outline], columns: Sequence[str], *, small: bool) -> xr.DataArray:
    """One column a system, one block a row group."""
    from dask import array
    from dask.delayed import delayed

    for file in files:
        if absent := [name for name in columns if name not in file.written]:
            others = file is not files[0] and absent[0] in files[0].written
            right = ", which the others have" if others else f"; it has {listed(file.columns)}"
            raise problem(file.path.name, f"has no column {absent[0]!r}{right}")
    kind = np.dtype(np.int8 if small else float)
    rows = delayed(_rows)
    width = len(columns)
    blocks = [
        array.from_delayed(rows(file.path, k, file.names(columns), kind), (size, width), kind)
        for file in files
        for k, size in enumerate(file.rows)
    ]
    attrs = {"missing_value": _NONE} if kind.kind == "i" else {}
    coords, dims = {names.SYSTEM: columns}, (names.ITEM, names.SYSTEM)
    return xr.DataArray(array.concatenate(blocks), coords, dims, name="scores", attrs=attrs)


def _columns(file: _Outline, higher_is_better: bool | None) -> list[str]:
    """Return the columns of systems, as a table of the first rows has them."""
    from pyarrow import parquet

    with parquet.ParquetFile(file.path) as opened:
        rows = next(opened.iter_batches(_FIRST), file.schema.empty_table())
    frame = rows.to_pandas().drop(columns=list(file.ignore), errors="ignore")
    if frame.index.name in file.ignore:
        frame = frame.reset_index(drop=True)
    # the index is what pandas or dask wrote
    table = table_from_frame(frame, file.path.name, range(1, len(frame) + 1))
    try:
        layout = recognise(table)
    except ValueError:
        if not (gold := find(table, "gold")):
            raise
        reason = f"column {quoted(gold)} holds the labels, or is a system"
        raise problem(table.source, f"{reason}; pass systems, the columns of scores") from None
    if layout != "wide":
        right = "give one column a system, or load it into memory"
        raise problem(table.source, f"has the columns of layout {layout!r}; {right}")
    scores = read_tables(table, layout="wide", higher_is_better=higher_is_better)
    return scores[names.SYSTEM].values.tolist()


def _refuse_further_columns(files: list[_Outline]) -> None:
    """Refuse a column that the first file lacks: it may be a system."""
    for file in files[1:]:
        columns = {*files[0].written, *(name for name in file.index if isinstance(name, str))}
        if further := [name for name in file.columns if name.strip() not in columns]:
            reason = f"has a column {further[0]!r}, which {files[0].path.name} has not"
            raise problem(file.path.name, f"{reason}; write it in all, pass systems, or ignore it")


def _refuse_groups(path: Path, columns: Sequence[Any], way: str) -> None:
    """Refuse columns, or coordinates, that make items dependent and would be lost."""
    table = _named(path, columns)
    if groups := [column for role in _GROUPS for column in candidates(table, role)]:
        reason = f"has {groups[0]!r} of the items, which blocks cannot use"
        right = f"load it into memory, or {way} if each item is independent"
        raise problem(path.name, f"{reason}; {right}")


def _check_scales(
    files: list[_Outline],
    ranges: list[_Ranges],
    columns: list[str],
    higher_is_better: bool | None,
    *,
    named: bool,
) -> None:
    """Refuse systems that are not on one scale, or warn of them where they were named: the ranges
    say where to look, and rows from all files decide, as one number may be far from the others.
    """
    lows, highs = (np.concatenate(x) for x in zip(*((r.low, r.high) for r in ranges), strict=True))
    low, high = np.fmin.reduce(lows), np.fmax.reduce(highs)
    size = np.fmax(np.abs(low), np.abs(high))
    size[size == 0] = np.nan  # on any scale
    if len(columns) < 2 or np.isnan(size).all():
        return
    source = files[0].path.name if len(files) == 1 else f"{len(files)} files"
    attrs: dict[str, Any] = {"source": source}
    if higher_is_better is not None:
        attrs |= {"higher_is_better": higher_is_better}
    pair = [columns[k] for k in (int(np.nanargmax(size)), int(np.nanargmin(size)))]
    groups = [(file, k) for file in files for k in range(len(file.rows))]
    if not _unlike(_as_scores(np.stack([low, high] * _OFTEN), columns, attrs)):
        _warn_unlike_parts(groups, np.fmax.reduce(highs, axis=1), pair, attrs)
        return
    some = groups[:: -(-len(groups) // _LOOKED_AT)]
    parts = [_rows(file.path, k, file.names(pair), np.dtype(float)) for file, k in some]
    scores = _as_scores(np.concatenate(parts), pair, attrs)
    if not named and (reason := other_scales(scores)):
        right = f"write all on one scale, or pass systems={in_python(columns)} if it is right"
        raise problem(source, f"{reason}; {right}")
    warn_unlike_scales(scores)


def _warn_unlike_parts(
    groups: Sequence[tuple[_Outline, int]],
    highest: np.ndarray,
    columns: list[str],
    attrs: Mapping[str, Any],
) -> None:
    """Warn of a row group of shares next to one of percentages or ratings, if rows are unsorted."""
    sizes = np.array([file.rows[k] for file, k in groups])
    shares, others = (np.where(x, sizes, 0) for x in (highest <= 1, highest > 1))
    if not (shares.any() and others.any()):
        return
    two = [groups[int(x.argmax())] for x in (shares, others)]
    parts = [_rows(file.path, k, file.names(columns), np.dtype(float)) for file, k in two]
    steps = np.diff(parts[0][:, 0])
    if (steps >= 0).all() or (steps <= 0).all():
        return
    one_file = two[0][0] is two[1][0]
    labels = [f"row group {k + 1}" if one_file else file.path.name for file, k in two]
    scores = _as_scores(np.concatenate(parts), columns, dict(attrs))
    datasets = np.repeat(labels, list(map(len, parts)))
    warn_of_data_sets_on_other_scales(
        scores.assign_coords({names.DATASET: (names.ITEM, datasets)}), 1
    )


def _unlike(scores: xr.DataArray) -> str:
    return other_scales(scores) or marks_next_to_ratings(scores)


def _as_scores(values: np.ndarray, columns: list[str], attrs: dict[str, Any]) -> xr.DataArray:
    return xr.DataArray(values, {names.SYSTEM: columns}, (names.ITEM, names.SYSTEM), attrs=attrs)


def _parquet_ids(files: list[_Outline]) -> list[Part]:
    """Ids of each row group, of files that have them."""
    columns = [file.id_column() for file in files]
    if None in columns and (has := next((c for c in columns if c), None)):
        path = files[columns.index(None)].path
        right = f"name them in all, or pass ignore={quoted(has)}"
        raise problem(path.name, f"has no item ids, such as {quoted(has)} of the others; {right}")
    return [
        Part(file.path.name, 1 + sum(file.rows[:k]), partial(_ids, file.path, k, column), column)
        for file, column in zip(files, columns, strict=True)
        for k in range(len(file.rows) if column else 0)
        if column
    ]


def _ids(path: Path, group: int, column: str) -> np.ndarray:
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read_row_group(group, columns=[column])
    return table.column(column).to_pandas(integer_object_nulls=True).to_numpy()


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


def _rows(path: Path, group: int, columns: list[str], kind: np.dtype) -> np.ndarray:
    """The numbers of one row group, (item, system)."""
    from pyarrow import ArrowInvalid, ArrowNotImplementedError, parquet

    table = parquet.ParquetFile(path).read_row_group(group, columns=columns)
    values = np.empty((table.num_rows, len(columns)), kind)
    blank = _NONE if kind.kind == "i" else np.nan
    for k, name in enumerate(columns):
        try:
            column = table.column(name).cast("int8" if kind.kind == "i" else "double")
        except (ArrowInvalid, ArrowNotImplementedError):
            right = "write numbers, or load it into memory"
            raise problem(
                path.name, f"holds something that is no number; {right}", column=name
            ) from None
        values[:, k] = column.fill_null(blank).to_numpy()
    return values

"""Whatever a function of the public API takes as its data: read, or put together, where needed."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.counting import count_data
from betterthan.io.layouts import ALIASES
from betterthan.io.measure_names import (
    other_measures,
    refuse_several_measures,
    unknown_direction,
)
from betterthan.io.problems import in_python
from betterthan.io.score_values import doubtful, marks_next_to_ratings
from betterthan.io.system_names import (
    columns_of_runs,
    named_systems,
    no_systems,
    refuse_runs,
    refuse_total,
    tell_alike,
)
from betterthan.logs.record import Logs
from betterthan.reading.read import (
    OTHERS,
    ReadOptions,
    check_options,
    read,
    refuse,
)
from betterthan.reading.sources import in_pandas
from betterthan.rounding import in_decimals
from betterthan.text import stripped

TO_READ = PATH, FRAME = "a path", "a DataFrame"
_LABELLED, _LIST = "labelled", "a list"


def common_kind(sides: Mapping[str, Any]) -> str:
    """The kind that all sides have: a list, labelled, or one of `TO_READ`, which may be mixed.

    Parameters
    ----------
    sides : mapping of str to Series, DataArray, list, array, path or DataFrame
        Each under the name that it has in messages.

    Raises
    ------
    ValueError
        If a side is of no such kind, or two are of different kinds.
    """
    kinds = {name: _kind(side, name) for name, side in sides.items()}
    (first, kind), *others = kinds.items()
    for name, other in others:
        if other != kind and not {kind, other} <= {*TO_READ}:
            count = "two" if len(kinds) == 2 else "all"
            raise ValueError(f"{first} is {kind} and {name} is {other}; give {count} of one kind")
    return kind


def scores_from_sequences(
    sides: Mapping[str, Any], systems: Sequence[str] | None = None
) -> xr.DataArray:
    """Scores of several systems, one sequence each.

    Parameters
    ----------
    sides : mapping of str to Series or DataArray, or to list or array
        Series and DataArrays are joined by their labels, which must be the same; lists and arrays
        by position, of equal length.
    systems : sequence of str, optional
        Names of the systems. Two systems are called as the Series or DataArrays are, else A and B,
        when not given.

    Returns
    -------
    xarray.DataArray, dims (item, system)

    Raises
    ------
    ValueError
        If they are of different kinds or lengths, or their labels differ.
    """
    items, coords, attrs = None, {}, {}
    if common_kind(sides) == _LABELLED:
        labelled = {name: _labelled(side, name) for name, side in sides.items()}
        systems = systems or _series_names(labelled)
        coords, attrs = _shared(sides, labelled)
        sides, items = _by_label(labelled)
    values = {name: _numbers(side, name) for name, side in sides.items()}
    (first, column), *others = values.items()
    for name, other in others:
        if len(other) != len(column):
            reason = f"{first} has {len(column)} scores and {name} {len(other)}"
            right = "by position they must be equally many: give the same items, or Series that"
            raise ValueError(f"{reason}; {right} name them")
    scores = _scores(np.stack([*values.values()], axis=1), systems or ["A", "B"], items)
    return scores.assign_coords(coords).assign_attrs(attrs)


def scores_from_array(data: np.ndarray, systems: Any) -> xr.DataArray:
    """Scores of an array of two dims, whose rows are items and whose columns are systems.

    Raises
    ------
    ValueError
        If systems are not named, or have another number of names.
    """
    columns = checks.numbered(data.shape[1], "column")
    if not isinstance(systems, Sequence) or isinstance(systems, str):
        right = f"give scores (item, system), or pass systems=[...], names for its {columns}"
        raise ValueError(f"data is {type(data).__name__}; {right}")
    if len(systems) != data.shape[1]:
        n_names = checks.numbered(len(systems), "name")
        raise ValueError(f"systems has {n_names} and data {columns}; give one name for each column")
    return _scores(_numbers(data, "data", 2), system_names(systems), None)


def system_names(labels: Iterable[Any]) -> list[str]:
    """Names as text without white space around it; a warning tells of those that look the same.

    Raises
    ------
    ValueError
        If two are the same.
    """
    systems = [stripped(str(name)) for name in labels]
    checks.unique(systems, "system")
    tell_alike("data", systems, "systems")
    return systems


def _kind(side: Any, name: str) -> str:
    if isinstance(side, str | Path):
        return PATH
    if isinstance(side, pd.DataFrame):
        return FRAME
    if isinstance(side, pd.Series | xr.DataArray):
        return _LABELLED
    if isinstance(side, list | tuple | np.ndarray):
        return _LIST
    if isinstance(side, dict):
        raise ValueError(f"{name} is dict; give its scores by item as pandas.Series(scores)")
    right = "give a list of scores, a Series, a DataArray or a path"
    raise ValueError(f"{name} is {type(side).__name__}; {right}")


def _labelled(side: Any, name: str) -> pd.Series:
    if isinstance(side, xr.DataArray):
        if side.ndim != 1 or side.dims[0] not in side.coords:
            raise ValueError(f"{name} is a DataArray of {side.ndim} dims; give one dim with labels")
        label = side.coords.get(names.SYSTEM)  # of one system of an array
        side = side.to_series()
        if label is not None and not label.ndim:
            side.name = label.item()
    if not side.index.is_unique:
        twice = side.index[side.index.duplicated()][0]
        raise ValueError(f"{name} has item {str(twice)!r} twice; give each item one score")
    return side


def _series_names(sides: Mapping[str, pd.Series]) -> list[str] | None:
    """Return the names of two Series, A or B for an unnamed one; None if both have the same."""
    first, second = (
        None if side.name is None else stripped(str(side.name)) for side in sides.values()
    )
    if first == second:
        return None
    systems = [first or "A", second or "B"]
    if systems[0] == systems[1]:
        which = "second" if first else "first"
        reason = f"the {which} has no name, and would be {systems[0]!r}, as the other one is"
        raise ValueError(f"{reason}; name it with .rename(...)")
    checks.fit(systems, "system")
    return system_names(systems)


_COORDINATES = ("dataset", "cluster", "epoch")
_LABELS = ("label", "labels", "gold", "gold_standard", "y_true", "ytrue", "y_test", "gt")


def _shared(
    sides: Mapping[str, Any], labelled: Mapping[str, pd.Series]
) -> tuple[dict[str, tuple[str, np.ndarray]], dict[str, Any]]:
    """Return coordinates of the items, and the direction as attrs, if all systems agree; else raise
    an error that names the differing one.
    """
    (first, first_side), *others = sides.items()
    up, coords = _direction(first_side), _item_coordinates(first_side)
    index = labelled[first].index
    for name, side in others:
        if _direction(side) != up:
            here, there = ("better", "worse") if up else ("worse", "better")
            reason = f"higher scores of {first} are {here}, and those of {name} {there}"
            raise ValueError(f"{reason}; give all the same higher_is_better")
        theirs = _item_coordinates(side)
        for coord in coords.keys() | theirs.keys():
            coordinate, other_coordinate = coords.get(coord), theirs.get(coord)
            if coordinate is None or other_coordinate is None:
                lacks = first if coordinate is None else name
                raise ValueError(f"{lacks} has no coordinate {coord!r}; give it to all systems")
            differing = index[(coordinate != other_coordinate.reindex(index)).to_numpy(bool)]
            if len(differing):
                item = f"item {str(differing[0])!r}"
                reason = f"{name} has another {coord} than {first} for {item}"
                raise ValueError(f"{reason}; give all the same")
    attrs = {} if up else {"higher_is_better": False}
    return {name: (names.ITEM, values.to_numpy()) for name, values in coords.items()}, attrs


def _direction(side: Any) -> bool:
    return bool(side.attrs.get("higher_is_better", True))


def _item_coordinates(side: Any) -> dict[str, pd.Series]:
    """Coordinates of the items of a DataArray, or levels of the index of a Series."""
    if not isinstance(side, xr.DataArray):
        index: Any = getattr(side, "index", None)
        return {
            name: index.get_level_values(name).to_series(index=index)
            for name in _coordinate_levels(index)
        }
    held = [name for name in _COORDINATES if name in side.coords and name != side.dims[0]]
    return {name: side[name].to_series() for name in held if side[name].dims == side.dims}


def _coordinate_levels(index: Any) -> list[str]:
    """Levels next to those that hold the ids of items."""
    levels = [name for name in getattr(index, "names", ()) if name in _COORDINATES]
    other = [name for name in getattr(index, "names", ()) if name not in (None, *levels)]
    unknown = [name for name in other if str(name).strip().casefold() not in ALIASES["item"]]
    if len(other) > 1 and unknown:  # a single one holds the ids
        raise ValueError(
            f"index level {unknown[0]!r} is not a known name; rename it to 'epoch' if it numbers "
            "runs of an item, to 'cluster', 'dataset' or 'item', or reset the index"
        )
    return levels if levels and len(levels) < index.nlevels else []


def _by_label(sides: Mapping[str, pd.Series]) -> tuple[dict[str, np.ndarray], list[str]]:
    """The scores of each in the order of the first, and the items."""
    (name_of_first, first), *others = sides.items()
    for name, side in others:
        for series, reference, where in ((first, side, name), (side, first, name_of_first)):
            missing = series.index.difference(reference.index, sort=False)
            if len(missing):
                text, kind = str(missing[0]), type(missing[0]).__name__
                if text in map(str, reference.index):
                    reason = f"has no item {text!r} of type {kind}, and one of another type"
                    raise ValueError(f"{where} {reason}; write the labels of all in one type")
                reason = f"has no item {str(missing[0])!r} ({len(missing)} missing in all)"
                which = "both" if len(sides) == 2 else "all"
                raise ValueError(f"{where} {reason}; give {which} systems the same items")
    items = [str(x) for x in first.index.droplevel(_coordinate_levels(first.index))]
    checks.fit(items, "item")
    ordered = {name: _plain(side.loc[first.index]) for name, side in sides.items()}
    return {name: side.to_numpy(na_value=np.nan) for name, side in ordered.items()}, items


def _plain(side: pd.Series) -> pd.Series:
    """Categories and sparse values as numbers."""
    special = isinstance(side.dtype, pd.CategoricalDtype | pd.SparseDtype)
    return side.astype(object) if special else side


def _numbers(side: Any, name: str, dims: int = 1) -> np.ndarray:
    """Scores as floats; what a mask hides is missing."""
    try:
        values = np.asarray(side)
        if values.dtype.kind == "O":  # pd.NA is missing, too
            values = np.where(pd.isna(values), np.nan, values)
        texts = values.dtype.kind == "O" and any(isinstance(x, str | bytes) for x in values.flat)
        if texts or values.dtype.kind in "cmMSU":  # complex numbers, dates, text
            raise TypeError
        values = in_decimals(values).astype(float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds what is no number; give one score an item") from None
    if isinstance(side, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(side), np.nan, values)
    if (np.abs(values) >= names.EXACT).any():
        checks.refuse_rounded(np.asarray(side, dtype=object).flat, f"scores of {name}")
    if values.ndim != dims or not len(values):
        shape = f"{values.ndim} dims and {values.size} scores"
        raise ValueError(f"{name} has {shape}; give one an item")
    return values


def _scores(values: np.ndarray, systems: Sequence[str], items: list[str] | None) -> xr.DataArray:
    coords = {names.SYSTEM: list(systems)} | ({} if items is None else {names.ITEM: items})
    return xr.DataArray(values, dims=(names.ITEM, names.SYSTEM), coords=coords)


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
    check_options(options, function)
    data = in_pandas(data)
    data = _put_together(data, other, systems)
    if not _is_read(data) and not _is_mapping(data):
        refuse(options, "data are in memory, and nothing is read")
        return data
    picked = isinstance(systems, Sequence) and not isinstance(systems, str) and other is None
    whole = options.get("layout") in _WITHOUT_SYSTEMS or options.get("human") is not None
    return read(data, systems=systems if picked and not whole else None, **options)


def _put_together(data: Any, other: Any, systems: Any) -> Any:
    """Scores that are in memory as parts, as one array; all else as it is."""
    sides = [data, other]
    if other is not None:
        scores = _two(data, other)
    elif isinstance(data, Mapping) and _is_mapping(data):
        scores, sides = _by_name(data), [*data.values()]
    elif isinstance(data, np.ndarray) and data.ndim == 2:
        scores, systems = scores_from_array(data, systems), None  # which name it, whatever it holds
    elif isinstance(data, list) and data and isinstance(data[0], Mapping):
        raise ValueError("data is a list of rows; give them as pandas.DataFrame(data)")
    else:
        _refuse_unknown_direction(data)
        return data
    if isinstance(scores, xr.DataArray):
        _refuse_doubtful(scores, sides, systems)
    return scores


def _refuse_unknown_direction(data: Any) -> None:
    """Refuse an array of scores whose systems are called by a measure of which less is better, and
    that states no direction.
    """
    if not isinstance(data, xr.DataArray) or set(data.dims) != {names.ITEM, names.SYSTEM}:
        return
    stated = "higher_is_better" in data.attrs or names.SYSTEM not in data.coords
    if stated or data.chunks is not None or data.dtype.kind not in "biuf":
        return
    columns = [str(name) for name in data[names.SYSTEM].values]
    if reason := unknown_direction(columns, data.transpose(names.ITEM, names.SYSTEM).values):
        right = ".assign_attrs(higher_is_better=False), or True if more is better"
        raise ValueError(f"{reason}; pass the array with {right}")


def _refuse_doubtful(scores: xr.DataArray, sides: Sequence[Any], systems: Any) -> None:
    """Refuse scores in memory for what a table is refused for."""
    if (np.abs(scores.values) > names.SCORE_MAX).any():
        return  # which is refused, with its place, where scores are checked
    every = scores[names.SYSTEM].values.tolist()
    refuse_total("data", [str(item) for item in scores[names.ITEM].values], scores.values)
    if named_systems(systems) is None:
        if reason := doubtful(scores):
            right = f"pass a DataFrame with systems={in_python(every)} if it is right"
            raise ValueError(f"{reason}, or {right}")
        if reason := marks_next_to_ratings(scores):
            checks.warn(f"{reason}; write all on one scale")
        _refuse_other_columns(every, scores.values, array=np.ndim(sides[0]) > 1)
    if any("higher_is_better" in getattr(side, "attrs", ()) for side in sides):
        return
    labels = [str(label) for side in sides if (label := getattr(side, "name", None)) is not None]
    if reason := other_measures([("the other system", label) for label in labels])[1]:
        raise ValueError(reason)
    for columns in (every, labels):
        if reason := unknown_direction(columns, scores.values):
            right = "pass a DataFrame with higher_is_better=False, or True if more is better"
            raise ValueError(f"{reason}; {right}")


_ITEM_IDS = frozenset(ALIASES["item"]) - {"i", "doc", "document", "example"}
_IN_MEMORY = "data"


def _refuse_other_columns(systems: Sequence[str], values: np.ndarray, *, array: bool) -> None:
    """Refuse what a table of scores has next to the scores."""
    reason, odd = no_systems(systems, values)
    if not odd and (odd := [system for system in systems if system.casefold() in _LABELS]):
        reason = "by its name holds the labels"
    if not odd and (odd := [system for system in systems if system.casefold() in _ITEM_IDS]):
        reason = "by its name holds the ids of items"
    refuse_several_measures(_IN_MEMORY, systems)
    if columns_of_runs(systems):
        refuse_runs(_IN_MEMORY, systems)
    rest = [system for system in systems if system not in odd]
    if odd and rest:
        named = in_python(rest if len(rest) > 1 else systems)
        right = f"pass {'a DataFrame with ' * array}systems={named} to name the systems"
        raise ValueError(f"system {odd[0]!r}: {reason}; {right}")


def _two(data: Any, other: Any) -> Any:
    """Two paths as a list, or the scores of two sequences."""
    sides = {"data": data, "other": other}
    if common_kind(sides) not in TO_READ:
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


def named_column(data: Any, name: str) -> bool:
    """Whether a coordinate of items is a column of tables to read, under a name of its own."""
    tables = [*data.values()] if _is_mapping(data) else [data]
    read = all(_is_read(table) and not isinstance(table, Logs) for table in tables)
    return read and name not in _COORDINATES


def _is_mapping(data: Any) -> bool:
    return isinstance(data, Mapping) and not isinstance(data, xr.Dataset | xr.DataTree)


def _is_read(data: Any) -> bool:
    """Whether this is a path, several paths, a DataFrame or logs."""
    if isinstance(data, Sequence) and not isinstance(data, str):
        return bool(data) and all(isinstance(path, str | Path) for path in data)
    return isinstance(data, str | Path | pd.DataFrame | Logs)


def count(
    data: Any,
    *,
    systems: Sequence[str] | Mapping[str, str] | None = None,
    by: str | Sequence[str] | None = None,
    margin: float = 0.0,
    missing: str = "pairwise",
    **options: Unpack[ReadOptions],
) -> xr.DataArray:
    """Count wins, losses, and ties of every pair of systems.

    Counts are the data of the functions for a single number, such as `prob_better` and
    `difference`. `compare` counts on its own.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset, dict or numpy.ndarray
        Scores (item, system), with NaN for a missing score and ``attrs["higher_is_better"]``
        (default True) for the direction; judgments from `io.read_judgments`; or successes of trials
        from `counts.trials`.

        A path, a folder, a DataFrame, or the logs from `read_logs` are read by `read`. A dict holds
        the scores of each system, or its path. A NumPy array has items as rows and systems as
        columns, named by `systems`.

        If dask holds the scores in blocks of items, each block is read once and none is kept. For
        scores of whole numbers, ``attrs["missing_value"]`` is then the code of a missing score.
    systems : sequence of str, or mapping of str to str, optional
        Systems to count: a list selects and orders them, a mapping renames them. For a NumPy array,
        a list names the columns.
    by : str or sequence of str, optional
        Item coordinate: count within each of its values, such as each ``"dataset"``. For scores,
        several names count within each combination, such as ``["dataset", "language"]``. For
        judgments: ``"cluster"`` or ``"judge"``.

        ``"cluster"`` and ``"item"`` keep dependent rows together: the items of a cluster (without
        clusters, the items), or the repeated runs of an item. Runs have no common order, so every
        run of A meets every run of B on the same item. An item of k runs counts k x k times, which
        `betterthan.models.clustered` takes into account.
    margin : float, default 0
        Largest difference of scores that is a tie, in units of the score. A difference of a few
        units in the last place is rounding and always ties.
    missing : {"pairwise", "complete", "wrong", "error"}, default "pairwise"
        How to treat an item without a score. ``pairwise``: leave it out of the pairs of this
        system. ``complete``: leave it out of all pairs. ``wrong``: count it as the worst score
        (scores must lie in [0, 1]). ``error``: raise an error.
    **options
        Options of `read`, if the data are read, such as ``metric``, ``task``, or ``item``.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Counts. `by` adds a leading dim of each name; it is ``cluster`` for clusters, items, and
        judges.

        Counts of scores have coordinates ``n_used`` and ``n_dropped`` (system_a, system_b): the
        numbers of items counted and left out. ``attrs`` hold the policies and the ``unit``, item or
        judgment.

    Raises
    ------
    ValueError
        If the data are none of these, an argument is not one of its choices or does not apply to
        the data, or an option of `read` is passed and nothing is read. If a score is missing under
        ``missing="error"``, there is nothing to group by, or no two systems have an item in common.
        (A single pair without common items has counts of 0.)

    Examples
    --------
    >>> import numpy as np, xarray as xr, betterthan as bt
    >>> scores = xr.DataArray(
    ...     [[1, 0, 1], [1, 1, np.nan], [0, 1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> counts = bt.count(scores)
    >>> counts.sel(system_a="A", system_b="B").values.tolist()
    [1, 1, 1]
    >>> int(counts.n_dropped.sel(system_a="A", system_b="C"))
    1
    >>> bt.count({"A": [1, 1, 0, 1], "B": [1, 0, 0, 0]}).sel(system_a="A", system_b="B").values
    array([2, 0, 2])
    """
    data = data_of(data, systems, options, "count")
    return count_data(data, systems=systems, by=by, margin=margin, missing=missing)

"""Counts from published tables, and from measures in different units and directions.

Wins and losses of systems that are right or wrong on the same items add up: A's wins less losses
against C are those of A against B plus those of B against C, for all three are differences of
numbers of right items. Wins and losses together are squared distances, which give the covariance
of all differences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import count_outcomes
from betterthan.counts.shapes import square_array, systems_of, to_square
from betterthan.signed import Signature


def from_table(
    table: Mapping[tuple[str, str], tuple[int, ...]],
    *,
    unit: str = "unknown",
    n_items: int | None = None,
) -> xr.DataArray:
    """Convert wins, losses, and ties that a paper reports to counts.

    Parameters
    ----------
    table : mapping of (system_a, system_b) to (win, loss, tie) or (win, loss)
        Numbers for each pair, in one direction or in both; both must then agree. All entries have
        two numbers or all have three. An absent pair has no items.
    unit : {"item", "judgment", "unknown"}, default "unknown"
        Meaning of a count: items that all systems share, or separate judgments of one pair each.
    n_items : int, optional
        Number of items, for (win, loss) on the same items; the others are ties. From a table of
        three or more systems with ties and ``unit="item"``, `compare` computes the joint result and
        P(best).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Counts. Without ties, the dim ``outcome`` has only win and loss, and ``attrs["ties"]`` is
        "unknown".

    Raises
    ------
    ValueError
        If a count is negative or fractional, a system meets itself with wins or losses, the
        directions contradict each other, entries differ in length, or a pair has more wins and
        losses than `n_items`.

    Warns
    -----
    UserWarning
        If `unit` is "item" and wins minus losses do not add up over three systems, as they do for
        correct and wrong items; the message names the systems.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> counts.sel(system_a="B", system_b="A").values.tolist()
    [2, 12, 986]
    """
    checks.one_of(unit, names.UNITS, "unit")
    if n_items is not None:
        table = _with_ties(table, unit, checks.whole(n_items, "n_items", most=names.EXACT))
    width = _width(table)
    systems = list(dict.fromkeys(str(s) for pair in table for s in pair))
    checks.several_systems(systems)
    cells = {(str(a), str(b)): _cell(a, b, entry) for (a, b), entry in table.items()}
    square = _filled(cells, systems, width)
    provenance = Signature(unit=unit, ties="third" if width == len(names.OUTCOMES) else "unknown")
    counts = square_array(square, systems, {}).assign_attrs(provenance.to_attrs())
    warn_of_other_items(counts)
    return counts


def to_table(counts: xr.DataArray) -> pd.DataFrame:
    """Convert counts to a table of wins and losses as papers print them.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome)
        Counts of one data set.

    Returns
    -------
    pandas.DataFrame
        Cells such as "28-44" with the wins of the row first, and a row and a column for each system
        in the order of the data. A cell is empty for a pair that was not compared, and for a system
        against itself.

    Raises
    ------
    ValueError
        If the data are not counts, or are of several data sets.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.counts.to_table(bt.datasets.intent_detection()).loc["NN W"].tolist()
    ['21-26', '34-39', '', '27-48', '28-30', '17-58', '28-52', '78-62']
    """
    counts = schemas.counts(counts)
    square = to_square(counts) if names.PAIR in counts.dims else counts
    if extra := set(square.dims) - {*names.SQUARE, names.OUTCOME}:
        raise ValueError(
            f"counts have the dim {sorted(map(str, extra))[0]!r}; take one part, or their sum"
        )
    systems, values = systems_of(square), square.transpose(*names.SQUARE, names.OUTCOME).values
    compared = values.any(-1) & ~np.eye(len(systems), dtype=bool)
    cells = [
        [f"{row[0]:g}-{row[1]:g}" if known else "" for row, known in zip(rows, some, strict=True)]
        for rows, some in zip(values, compared, strict=True)
    ]
    return pd.DataFrame(cells, systems, systems)


def warn_of_other_items(counts: xr.DataArray) -> None:
    """Warn of wins on the same items that do not add up over three systems, in any data set."""
    if counts.attrs.get("unit") != names.ITEM:
        return
    parts = list(counts) if counts.dims[0] == names.DATASET else [counts]
    if triple := next(filter(None, map(triple_that_does_not_add_up, parts)), ""):
        checks.warn(
            f"the table may have a typing error: {triple}. Wins less losses of items that are "
            "right or wrong add up; only those of graded scores need not."
        )


def _with_ties(
    table: Mapping[tuple[str, str], tuple[int, ...]], unit: str, n_items: int
) -> dict[tuple[str, str], tuple[int, ...]]:
    """The table, with as many ties as leave `n_items` to each pair."""
    if unit != names.ITEM:
        raise ValueError(f"n_items={n_items} is the number of shared items; pass unit='item', too")
    if _width(table) == len(names.OUTCOMES):
        raise ValueError(f"n_items={n_items} is for a table without ties; this one has them")
    cells = {pair: tuple(_cell(*pair, entry).tolist()) for pair, entry in table.items()}
    for pair, (win, loss) in cells.items():
        if win + loss > n_items:
            raise ValueError(
                f"{pair!r} has {win} wins and {loss} losses, which are more than n_items={n_items}"
            )
    return {pair: (win, loss, n_items - win - loss) for pair, (win, loss) in cells.items()}


def _cell(a: str, b: str, entry: tuple[int, ...]) -> np.ndarray:
    """One entry as whole numbers; a system against itself neither wins nor loses."""
    where = f"({a!r}, {b!r})"
    values = checks.nonnegative_integers(entry, f"counts of {where}")
    if str(a) == str(b) and values[:2].any():
        checks.not_against_itself(a, b, where)
    return values


def _filled(cells: dict[tuple[str, str], np.ndarray], systems: list[str], width: int) -> np.ndarray:
    """A square (system, system, outcome) of cells given in one direction or in both."""
    place = {system: k for k, system in enumerate(systems)}
    square = np.zeros((len(systems), len(systems), width), dtype=np.int64)
    for (a, b), values in cells.items():
        other = cells.get((b, a))
        if other is not None and a != b and (other != _mirrored(values)).any():
            raise ValueError(
                f"({b!r}, {a!r}) is {other.tolist()} but ({a!r}, {b!r}) is {values.tolist()}; "
                "one must be the other with win and loss exchanged"
            )
        square[place[a], place[b]] = values
        if a != b:
            square[place[b], place[a]] = _mirrored(values)
    return square


def _mirrored(values: np.ndarray) -> np.ndarray:
    """The same with win and loss exchanged."""
    return values[[1, 0, 2][: len(values)]]


def from_contingency(
    both_right: int,
    only_a: int,
    only_b: int,
    both_wrong: int,
    *,
    systems: tuple[str, str] = ("A", "B"),
) -> xr.DataArray:
    """Convert the 2 x 2 contingency table of two systems to counts.

    Use it for a paper that reports on how many items both, one, or neither system was correct.

    Parameters
    ----------
    both_right, only_a, only_b, both_wrong : int
        Numbers of items that both, only the first, only the second, or neither system got right.
    systems : tuple of two str, default ("A", "B")
        Names of the systems.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Counts. Items that both got right or both got wrong are ties.

    Raises
    ------
    ValueError
        If a number is negative or fractional, or the two systems have one name.

    Examples
    --------
    >>> from_contingency(698, 12, 2, 288).sel(system_a="A", system_b="B").values.tolist()
    [12, 2, 986]
    """
    two = () if isinstance(systems, str) else checks.labels(systems, "systems", "two names")
    if len(two) != 2:
        raise ValueError(f"systems is {checks.quoted(systems)}; give two names")
    first, second = two
    checks.not_against_itself(first, second, "systems")
    right, a, b, wrong = contingency_cells(both_right, only_a, only_b, both_wrong)
    counts = from_table({(first, second): (a, b, right + wrong)}, unit="item")
    n = right + a + b + wrong
    counts.values[[0, 1], [0, 1], 2] = n  # a system ties with itself on every item
    return counts.assign_attrs(n_items=n)


def contingency_cells(both_right: int, only_a: int, only_b: int, both_wrong: int) -> list[int]:
    """The four numbers of items, checked."""
    cells = {"both_right": both_right, "only_a": only_a, "only_b": only_b, "both_wrong": both_wrong}
    return [checks.whole(value, name, 0, names.EXACT) for name, value in cells.items()]


def _width(table: Mapping[Any, Any]) -> int:
    """How many numbers each entry has: 3, or 2 where ties are unknown."""
    checks.instance(table, Mapping, "table is", "a mapping of (system_a, system_b) to counts")
    for pair, entry in table.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or any(name != name for name in pair):
            raise ValueError(
                f"{checks.quoted(pair)} is not a pair of systems; give (system_a, system_b) in "
                "table"
            )
        if isinstance(entry, str) or not hasattr(entry, "__len__"):
            raise ValueError(
                f"{pair!r} has {checks.quoted(entry)}; give (win, loss, tie), or (win, loss) where "
                "ties are unknown"
            )
    lengths = {len(entry) for entry in table.values()}
    if lengths not in ({2}, {3}):
        raise ValueError(
            "every entry of table must be (win, loss, tie), or every entry (win, loss) where ties "
            "are unknown"
        )
    return lengths.pop()


_FLAGS = ("higher_is_better", "independent")
_NO_SYSTEMS = (*_FLAGS, "p_value")


def from_measures(measures: pd.DataFrame) -> xr.DataArray:
    """Count on how many measures each system is ahead, whatever the size of the lead.

    Parameters
    ----------
    measures : pandas.DataFrame
        One row for each measure, named by a column ``measure`` or by the index, with these columns:
        a numeric column for each system; ``higher_is_better`` (0 or 1); optionally ``independent``
        (0 or 1, default 1); optionally ``p_value``, of a test on this measure, which counts ignore.
        A measure with ``independent`` 0 follows from another one, so it is left out.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Counts as from `count`, with ``attrs["unit"] = "measure"``. ``attrs["left_out"]`` lists the
        measures that are not independent, and ``attrs["measures"]`` holds the table as JSON, for
        `sign_test`. A measure with a missing value is left out of the pairs of that system.

    Raises
    ------
    ValueError
        If it is not a DataFrame, or a column, a flag, or a value is not valid; the message says
        where.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = from_measures(bt.datasets.diag_measures())
    >>> counts.sel(system_a="DIAG-NLP", system_b="DIAG-orig").values.tolist()
    [8, 1, 1]
    """
    table = measure_table(measures)
    independent = table["independent"].values
    excluded = table[names.MEASURE].values[~independent].tolist()
    scores = table["rank"].isel({names.MEASURE: independent}).rename({names.MEASURE: names.ITEM})
    attrs = {"unit": "measure", "n_left_out": len(excluded), "left_out": ", ".join(excluded)}
    attrs["measures"] = json.dumps(
        {name: variable.values.tolist() for name, variable in table.variables.items()}
    )
    return count_outcomes(scores).assign_attrs(table.attrs | attrs)


def measure_table(measures: Any) -> xr.Dataset:
    """A table of measures, checked: over (measure, system) ``value``, ``rank`` within the measure
    (higher is better) and ``best``, whether no system is ahead of it; over measure ``independent``,
    ``higher_is_better``, and ``single_p`` where a column ``p_value`` has them.
    """
    wanted = "pandas.DataFrame, one row for each measure"
    checks.of_type(measures, pd.DataFrame, "measures are", wanted)
    frame = measures.set_index("measure") if "measure" in measures.columns else measures
    labels = [str(label) for label in frame.index]
    checks.unique(labels, "measure")
    systems = [str(c) for c in frame.columns if c not in _NO_SYSTEMS]
    checks.several_systems(systems)
    independent, higher = _independent(frame, labels), _flags(frame, "higher_is_better", labels)
    values = _numbers(frame, [c for c in frame.columns if c not in _NO_SYSTEMS], labels)
    rank = np.array([_ranks(row) for row in np.where(higher[:, None], values, -values)])
    several = np.isfinite(values).sum(1) > 1
    best = several[:, None] & (rank == np.fmax.reduce(rank, axis=1, keepdims=True))
    both, by_measure = (names.MEASURE, names.SYSTEM), {"independent": independent}
    by_measure |= {"higher_is_better": higher}
    if "p_value" in frame.columns:
        p = _numbers(frame, ["p_value"], labels)[:, 0]
        checks.p_values(p[~np.isnan(p)], "p_value of a measure")
        by_measure["single_p"] = p
    return xr.Dataset(
        {"value": (both, values), "rank": (both, rank), "best": (both, best)}
        | {k: (names.MEASURE, v) for k, v in by_measure.items()},
        coords={names.MEASURE: labels, names.SYSTEM: systems},
        attrs={k: measures.attrs[k] for k in ("source", "citation") if k in measures.attrs},
    )


def counted_measures(counts: xr.DataArray) -> xr.Dataset:
    """The table of measures that counts are of, as `measure_table` has it; empty without one."""
    held = json.loads(counts.attrs.get("measures", "{}"))
    both, by_measure = (names.MEASURE, names.SYSTEM), ("independent", "higher_is_better")
    dims = {"value": both, "rank": both, "best": both}
    dims |= {k: (k,) for k in both} | dict.fromkeys((*by_measure, "single_p"), (names.MEASURE,))
    table = xr.Dataset({name: (dims[name], np.array(values)) for name, values in held.items()})
    systems = [str(s) for s in counts[names.SYSTEM_A].values]
    return table.sel({names.SYSTEM: systems}) if held else table


def _independent(frame: pd.DataFrame, labels: list[str]) -> np.ndarray:
    """Return which measures are independent evidence; all without such a column."""
    flags = np.ones(len(frame), bool)
    if "independent" in frame.columns:
        flags = _flags(frame, "independent", labels)
    if not flags.any():
        raise ValueError("no measure is independent; at least one must be")
    return flags


def _flags(frame: pd.DataFrame, column: str, labels: list[str]) -> np.ndarray:
    if column not in frame.columns:
        raise ValueError(
            f"measures have no column {column!r}; say for each whether higher is better (1) or "
            "lower (0)"
        )
    values = frame[column].tolist()
    for label, value in zip(labels, values, strict=True):
        if value is pd.NA or value not in (0, 1):
            raise ValueError(f"measure {label!r}, column {column!r} is {value!r}; give 0 or 1")
    return np.array(values, dtype=bool)


def _numbers(frame: pd.DataFrame, columns: list[Any], labels: list[str]) -> np.ndarray:
    values = np.empty((len(frame), len(columns)))
    for j, column in enumerate(columns):
        for i, value in enumerate(frame[column].tolist()):
            values[i, j] = _number(value, labels[i], str(column))
    return values


def _number(value: Any, label: str, column: str) -> float:
    if value is None or value is pd.NA:
        return np.nan
    number = np.inf  # where it is no number, or too large for one
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        with suppress(OverflowError):
            number = float(value)
    if np.isinf(number):
        raise ValueError(
            f"measure {label!r}, column {column!r} is {value!r}; give a finite number, or leave "
            "it blank"
        )
    return number


def _ranks(row: np.ndarray) -> np.ndarray:
    """Dense ranks, with values that differ by rounding alone in one rank: units differ from row to
    row.
    """
    slack = names.SCORE_ULPS * np.finfo(float).eps * np.nanmax(np.abs(row), initial=0.0)
    order = np.argsort(row, kind="stable")
    ranks = np.empty(row.shape)
    ranks[order] = np.concatenate([[0], np.cumsum(np.diff(row[order]) > slack)])
    return np.where(np.isnan(row), np.nan, ranks)


_ROUNDING = 1e-9  # of the largest squared distance


def triple_that_does_not_add_up(counts: xr.DataArray) -> str:
    """The pair that most other pairs contradict, with two that do; empty where all add up.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome)

    Examples
    --------
    >>> from betterthan.counts.tables import from_table
    >>> wins = {("A", "B"): (12, 10), ("B", "C"): (10, 60), ("A", "C"): (14, 50)}
    >>> triple_that_does_not_add_up(from_table(wins))
    'A - C -36 and C - B +50 make A - B +14, and it is +2'
    """
    square = counts.transpose(*names.SQUARE, names.OUTCOME).values
    net = np.where(square.any(-1), square[..., 0] - square[..., 1], np.nan).astype(float)
    np.fill_diagonal(net, 0)
    broken = np.array([_off(net, k).sum(0) for k in range(len(net))])
    if not broken.any():
        return ""
    a, c = np.unravel_index(int(broken.argmax()), broken.shape)
    b = int(_off(net, int(a))[:, c].argmax())
    systems = systems_of(counts)
    first, second, third = systems[a], systems[b], systems[c]
    return (
        f"{first} - {second} {net[a, b]:+.0f} and {second} - {third} {net[b, c]:+.0f} make "
        f"{first} - {third} {net[a, b] + net[b, c]:+.0f}, and it is {net[a, c]:+.0f}"
    )


def _off(net: np.ndarray, k: int) -> np.ndarray:
    """Whether the way from system k over b to c is another number than from k to c, (b, c)."""
    return np.abs(np.nan_to_num(net[k][:, None] + net - net[k])) > 0


def both_right(counts: xr.DataArray) -> tuple[np.ndarray, int] | str:
    """On how many items both of two systems are right, (system, system), and the number of items;
    or why counts do not tell it.

    How many items are right for all systems is in no table of wins and losses: it is put in the
    middle of what is possible. No difference between systems depends on it.

    Parameters
    ----------
    counts : xarray.DataArray, dims (system_a, system_b, outcome)
        Wins, losses and ties on the same items.

    Examples
    --------
    >>> import betterthan as bt
    >>> both_right(bt.counts.from_contingency(698, 12, 2, 288))
    (array([[505., 493.],
           [493., 495.]]), 1000)
    """
    if counts.attrs.get("graded"):
        return "wins of graded scores do not tell how errors go together"
    if counts.attrs.get("dependent"):
        return "items come in clusters or runs, which counts do not tell; give the scores"
    square = counts.transpose(*names.SQUARE, names.OUTCOME).values.astype(float)
    win, loss, tie = np.moveaxis(square, -1, 0)
    pairs = ~np.eye(len(win), dtype=bool)
    number = (win + loss + tie)[pairs]
    if not number.all():
        return "not every pair was compared"
    items, net = int(number[0]), win - loss
    if counts.attrs.get("missing") == "pairwise" and (number != counts.attrs.get("n_items")).any():
        return (
            "scores are missing, and pairs are then on different items; count those that all have, "
            "by missing='complete'"
        )
    if (number != items).any():
        return "pairs are of different numbers of items"
    if triple := triple_that_does_not_add_up(counts):
        return f"wins less losses do not add up, as those of right and wrong items do ({triple})"
    np.fill_diagonal(win, 0)
    np.fill_diagonal(loss, 0)
    right = net[:, 0]  # more than the first system
    low, high = (win - right[:, None]).max(), (items - loss - right[:, None]).min()
    distance = win + loss
    centred = distance - distance.mean(0) - distance.mean(1)[:, None] + distance.mean()
    impossible = np.linalg.eigvalsh(-centred)[0] < -_ROUNDING * distance.max(initial=1.0)
    if low > high or impossible:
        return "no right and wrong answers lead to these wins and losses"
    return right[:, None] + (low + high) / 2 - win, items

"""Counts straight out of a paper."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import square_array


def from_table(
    table: Mapping[tuple[str, str], tuple[int, ...]], *, unit: str = "unknown"
) -> xr.DataArray:
    """Counts straight from a paper: (win, loss, tie), or (win, loss) where ties are not printed.

    Parameters
    ----------
    table : mapping of (system_a, system_b) to (win, loss, tie) or (win, loss)
        Each unordered pair may be given once or in both directions; both must then agree. All
        entries have two numbers or all have three. A pair that is absent has no examples.
    unit : {"item", "judgment", "unknown"}, default "unknown"
        What was counted: items all systems share, or separate judgments of one pair each.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Without ties the dim ``outcome`` holds win and loss alone and ``attrs["ties"]`` is
        "unknown".

    Raises
    ------
    ValueError
        If a count is negative or fractional, a system meets itself with wins or losses, the
        directions contradict each other, or entries differ in length.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    >>> counts.sel(system_a="B", system_b="A").values.tolist()
    [2, 12, 986]
    """
    checks.one_of(unit, names.UNITS, "unit")
    _table_shape(table)
    lengths = {len(entry) for entry in table.values()}
    if lengths not in ({2}, {3}):
        raise ValueError(
            "every entry must be (win, loss, tie), or every entry (win, loss) where ties are "
            "unknown"
        )
    width = lengths.pop()
    systems = list(dict.fromkeys(str(s) for pair in table for s in pair))
    checks.at_least_two(systems)
    position = {system: k for k, system in enumerate(systems)}
    square = np.zeros((len(systems), len(systems), width), dtype=np.int64)
    given: dict[tuple[str, str], list[int]] = {}
    for (a, b), entry in table.items():
        where = f"({a!r}, {b!r})"
        values = checks.nonnegative_integers(np.asarray(entry), f"counts of {where}")
        if str(a) == str(b):
            if values[:2].any():
                checks.not_against_itself(a, b, where)
            square[position[str(a)], position[str(a)]] = values
            continue
        mirrored = values[[1, 0, 2][:width]]
        other = given.get((str(b), str(a)))
        if other is not None and other != mirrored.tolist():
            raise ValueError(
                f"{where} is {values.tolist()} but ({b!r}, {a!r}) is {other}; "
                "one must be the other with win and loss exchanged"
            )
        given[(str(a), str(b))] = values.tolist()
        i, j = position[str(a)], position[str(b)]
        square[i, j], square[j, i] = values, mirrored
    counts = square_array(square, systems, {})
    counts.attrs = {"unit": unit, "ties": "third" if width == 3 else "unknown"}
    return counts


def from_contingency(
    both_right: int,
    only_a: int,
    only_b: int,
    both_wrong: int,
    *,
    systems: tuple[str, str] = ("A", "B"),
) -> xr.DataArray:
    """Counts from the 2 x 2 table of two systems: right or wrong, on the same items.

    Parameters
    ----------
    both_right, only_a, only_b, both_wrong : int
        Items that both, only the first, only the second, or neither system got right.
    systems : tuple of two str, default ("A", "B")
        Names of the systems.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome), int64
        Items on which both were right or both wrong are ties.

    Raises
    ------
    ValueError
        If a number is negative or fractional, or the two systems have one name.

    Examples
    --------
    >>> from_contingency(698, 12, 2, 288).sel(system_a="A", system_b="B").values.tolist()
    [12, 2, 986]
    """
    if isinstance(systems, str) or len(systems) != 2:
        raise ValueError(f"systems is {systems!r}; give two names")
    first, second = systems
    checks.not_against_itself(first, second, "systems")
    cells = checks.nonnegative_integers(np.array([both_right, only_a, only_b, both_wrong]), "cells")
    counts = from_table({(first, second): (cells[1], cells[2], cells[0] + cells[3])}, unit="item")
    n = int(cells.sum())
    values = counts.values
    values[[0, 1], [0, 1], 2] = n  # a system ties with itself on every item
    counts.attrs["n_items"] = n
    return counts


def _table_shape(table: Any) -> None:
    if not isinstance(table, Mapping):
        raise ValueError(
            f"expected a mapping of (system_a, system_b) to counts, got {type(table).__name__}"
        )
    for pair, entry in table.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or any(name != name for name in pair):
            raise ValueError(f"{pair!r} is not a pair of systems; give (system_a, system_b)")
        if isinstance(entry, str) or not hasattr(entry, "__len__"):
            raise ValueError(
                f"{pair!r} has {entry!r}; give (win, loss, tie), or (win, loss) where ties are "
                f"unknown"
            )

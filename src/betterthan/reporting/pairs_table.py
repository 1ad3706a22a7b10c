"""The table of pairs of every answer: one row a pair, the system ahead first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.answers.rows import of_pairs
from betterthan.comparison.pair_rows import in_one_unit
from betterthan.reporting.columns import Column, cells_of, count, probability
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.page import VERDICT, Table
from betterthan.reporting.sentences import title_of_verdict

_COUNTED = ("wins", "losses", "ties")
P_BETTER = probability("P(better)", "prob_better")
COUNTS = [count(name.capitalize(), name) for name in _COUNTED]
WINS, LOSSES = COUNTS[:2]


def pairs_of(table: xr.Dataset, places: Sequence[tuple[int, int]]) -> xr.Dataset:
    """The pairs at these places of a table over both systems, over (pair,), with their counts by
    name.
    """
    first, second = np.array(places, int).reshape(-1, 2).T
    found = of_pairs(table, first, second)
    if "counts" not in found:
        return found
    counts = found["counts"].transpose(names.OUTCOME, names.PAIR).values
    return found.assign({k: (names.PAIR, n) for k, n in zip(_COUNTED, counts, strict=False)})


def table_of_pairs(
    rows: Any,
    columns: Sequence[Column],
    caption: str = "",
    *,
    left: int = 2,
    name: str = "",
    **seen: Any,
) -> Table:
    """One row for each pair: its systems, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the columns ``system_a`` (the system ahead) and ``system_b``.
    columns : sequence of Column
    caption, left, name, seen
        Of the `Table`.
    """
    heads, cells = cells_of(rows, columns, rows["verdict"].values.astype(str))
    keys = list(sides(rows))
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    heads = ("System", "Other", *heads)
    return Table(heads, written, caption, left=left, name=name, keys=keyed, **seen)


def sides(rows: Any) -> Iterator[tuple[str, str]]:
    """The two systems of each row."""
    return zip(*([on_one_line(str(s)) for s in rows[k].values] for k in names.SQUARE), strict=True)


def rope_columns(rope: float | None) -> list[Column]:
    """The probability of a difference within the rope, where there is one."""

    def cells(rows: xr.Dataset) -> Any:
        held = [name for name in ("mass", "mass_mcse") if name in rows]
        return probability("", "mass").write(rows[held].sel({names.REGION: "rope"}))

    return [Column(f"P(|d| ≤ {rope:g})", cells, "mass")] if rope else []


def verdict(
    head: str = VERDICT,
    name: str = "verdict",
    *,
    unit: str = "",
    reasons: Mapping[str, str] | None = None,
) -> Column:
    """The verdict in words, with the name of the better system.

    Parameters
    ----------
    head, name : str
    unit : str, optional
        What a pair has a single one of where that is why it has no verdict, such as a cluster.
    reasons : mapping, optional
        Words for verdicts of pairs that have none.
    """
    words = reasons or {}

    def cells(rows: Any) -> list[str]:
        single = np.where(in_one_unit(rows), unit, "") if unit else [""] * len(rows[name])
        each = zip(rows[name].values.astype(str), sides(rows), single, strict=True)
        return [words.get(v) or title_of_verdict(v, *pair, str(one)) for v, pair, one in each]

    return Column(head, cells, name, ())


def p_value(
    head: str, name: str, favours: str = "favours", *, blank: tuple[str, ...] = ()
) -> Column:
    """A p-value, and in brackets the system that it speaks for: the first where `favours` is 1, the
    other where it is -1.
    """

    def cells(rows: Any) -> list[str]:
        errors = rows.get(f"{name}_mcse", rows[name] * 0).values.tolist()
        each = zip(rows[name].values, errors, rows[favours].values, sides(rows), strict=True)
        return [numbers.p_value(p, mcse) + _for_whom(p, of, pair) for p, mcse, of, pair in each]

    return Column(head, cells, name, blank)


def _for_whom(p: float, favours: float, sides: tuple[str, str]) -> str:
    """The system that a p-value speaks for, as it stands after it; nothing of p = 1."""
    a, b = sides
    return {1: f" ({a})", -1: f" ({b})"}.get(int(favours), "") if p < 1 else ""

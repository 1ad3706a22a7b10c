"""Columns of tables, and single cells: how the numbers of an answer are written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.numbers import on_one_line

NO_DATA = ("no_data",)
NO_VERDICT = ("no_data", "no_verdict")


@dataclass(frozen=True)
class Column:
    """One column. Its rows are a Dataset over one dim, or a DataFrame."""

    heading: str
    write: Callable[[Any], Iterable[str]]  # one cell a row
    needs: str = ""  # the variable without which the column is left out
    blank: tuple[str, ...] = NO_VERDICT  # of pairs with these verdicts the cell is a dash


def values(
    heading: str,
    variables: Sequence[str],
    write: Callable[..., str],
    *,
    blank: tuple[str, ...] = NO_VERDICT,
    error: str = "",
) -> Column:
    """Several variables in one cell, with their Monte Carlo error where there is one."""

    def cells(rows: Any) -> Iterable[str]:
        used = (*variables, error) if error in rows else variables
        return map(write, *(rows[name].values.tolist() for name in used))

    return Column(heading, cells, variables[0], blank)


def number(heading: str, name: str, write: Callable[..., str], **choices: Any) -> Column:
    """A variable, with its Monte Carlo error where it has one."""
    choices.setdefault("error", f"{name}_mcse")
    return values(heading, [name], write, **choices)


def probability(heading: str, name: str, **choices: Any) -> Column:
    """A probability, with its Monte Carlo error where it has one."""
    return number(heading, name, numbers.probability, **choices)


def count(heading: str, name: str) -> Column:
    """Whole numbers, also of pairs without a verdict."""
    return number(heading, name, lambda n: f"{int(n):,}", blank=())


def difference(heading: str, prefix: str = "", *, bracketed: str, **choices: Any) -> Column:
    """A difference with its interval."""
    mean, *bounds = (f"{prefix}difference_{end}" for end in ("mean", "lower", "upper"))
    choices.setdefault("error", f"{mean}_mcse")
    return values(f"{heading} [{bracketed}]", [mean, *bounds], numbers.difference, **choices)


def joined(heading: str, between: str, *columns: Column, blank: tuple[str, ...] = ()) -> Column:
    """Several columns in one."""

    def cells(rows: Any) -> Iterable[str]:
        return map(between.join, zip(*(column.write(rows) for column in columns), strict=True))

    return Column(heading, cells, columns[0].needs, blank)


def along(heading: str, column: Column, dim: str, place: int) -> Column:
    """The column at one place of a further dim."""
    return replace(
        column, heading=heading, write=lambda rows: column.write(rows.isel({dim: place}))
    )


def flag(heading: str, name: str) -> Column:
    """Yes where it is true, else nothing."""
    return Column(
        heading, lambda rows: ["yes" if value else "" for value in rows[name].values], name
    )


def written_cells(
    rows: Any, columns: Sequence[Column], verdict: np.ndarray | None = None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Heads of the columns whose variables there are, and the cells of each row."""
    present = [column for column in columns if not column.needs or column.needs in rows]
    written = [list(column.write(rows)) for column in present]
    if verdict is not None:
        for k, column in enumerate(present):
            blank = np.isin(verdict, column.blank).tolist()
            written[k] = ["–" if b else cell for b, cell in zip(blank, written[k], strict=True)]
    return [column.heading for column in present], list(zip(*written, strict=True))


def pair_cell(table: xr.Dataset, i: int, j: int) -> xr.Dataset:
    """One pair of a table over both systems."""
    return table.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})


def names_in(cell: xr.Dataset) -> tuple[str, str]:
    """The two systems of a cell."""
    a, b = (on_one_line(str(cell[dim].item())) for dim in names.SQUARE)
    return a, b


def probability_in(cell: xr.Dataset, name: str) -> str:
    """A probability, with its Monte Carlo error where it has one."""
    return numbers.probability(cell[name].item(), _error(cell, name))


def p_value_in(cell: xr.Dataset, name: str = "p_value") -> str:
    """A p-value, with its Monte Carlo error where it has one."""
    return numbers.p_value(cell[name].item(), _error(cell, name))


def interval_label(attrs: Mapping[str, Any]) -> str:
    """Mass and kind of the intervals.

    Examples
    --------
    >>> interval_label({"ci_prob": 0.95, "ci_kind": "hdi"})
    '95% HDI'
    """
    return f"{100 * attrs['ci_prob']:g}% {attrs['ci_kind'].upper()}"


def sampled_by(attrs: Mapping[str, Any]) -> str:
    """How many draws, from which seed."""
    return f"{attrs['draws']} draws, seed {attrs['seed']}"


def _error(cell: xr.Dataset, name: str) -> float:
    error = f"{name}_mcse"
    return float(cell[error].item()) if error in cell else 0.0

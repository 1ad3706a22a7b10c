"""Columns of tables, and single cells: how the numbers of an answer are written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.escapes import on_one_line

NO_DATA = ("no_data",)
NO_VERDICT = ("no_data", "no_verdict")


@dataclass(frozen=True)
class Column:
    """One column. Its rows are a Dataset over one dim, or a DataFrame."""

    head: str
    write: Callable[[Any], Iterable[str]]  # one cell a row
    needs: str = ""  # the variable without which the column is left out
    blank: tuple[str, ...] = NO_VERDICT  # of pairs with these verdicts the cell is a dash


def values(
    head: str,
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

    return Column(head, cells, variables[0], blank)


def number(head: str, name: str, write: Callable[..., str], **choices: Any) -> Column:
    """A variable, with its Monte Carlo error where it has one."""
    choices.setdefault("error", f"{name}_mcse")
    return values(head, [name], write, **choices)


def probability(head: str, name: str, **choices: Any) -> Column:
    """A probability, with its Monte Carlo error where it has one."""
    return number(head, name, numbers.probability, **choices)


def count(head: str, name: str) -> Column:
    """Whole numbers, also of pairs without a verdict."""
    return number(head, name, lambda n: f"{int(n):,}", blank=())


def difference(head: str, prefix: str = "", *, bracketed: str, **choices: Any) -> Column:
    """A difference with its interval."""
    mean, *ends = (f"{prefix}difference_{end}" for end in ("mean", "lower", "upper"))
    choices.setdefault("error", f"{mean}_mcse")
    return values(f"{head} [{bracketed}]", [mean, *ends], numbers.difference, **choices)


def joined(head: str, between: str, *columns: Column, blank: tuple[str, ...] = ()) -> Column:
    """Several columns in one."""

    def cells(rows: Any) -> Iterable[str]:
        return map(between.join, zip(*(one.write(rows) for one in columns), strict=True))

    return Column(head, cells, columns[0].needs, blank)


def along(head: str, column: Column, dim: str, place: int) -> Column:
    """The column at one place of a further dim."""
    return replace(column, head=head, write=lambda rows: column.write(rows.isel({dim: place})))


def flag(head: str, name: str) -> Column:
    """Yes where it is true, else nothing."""
    return Column(head, lambda rows: ["yes" if value else "" for value in rows[name].values], name)


def cells_of(
    rows: Any, columns: Sequence[Column], verdict: np.ndarray | None = None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Heads of the columns whose variables there are, and the cells of each row."""
    there = [column for column in columns if not column.needs or column.needs in rows]
    written = [list(column.write(rows)) for column in there]
    if verdict is not None:
        for k, column in enumerate(there):
            blank = np.isin(verdict, column.blank).tolist()
            written[k] = ["–" if b else cell for b, cell in zip(blank, written[k], strict=True)]
    return [column.head for column in there], list(zip(*written, strict=True))


def cell_of(table: xr.Dataset, i: int, j: int) -> xr.Dataset:
    """One pair of a table over both systems."""
    return table.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})


def names_in(cell: xr.Dataset) -> tuple[str, str]:
    """The two systems of a cell."""
    a, b = (on_one_line(str(cell[dim].item())) for dim in names.SQUARE)
    return a, b


def probability_in(at: xr.Dataset, name: str) -> str:
    """A probability, with its Monte Carlo error where it has one."""
    return numbers.probability(at[name].item(), _error(at, name))


def p_value_in(at: xr.Dataset, name: str = "p_value") -> str:
    """A p-value, with its Monte Carlo error where it has one."""
    return numbers.p_value(at[name].item(), _error(at, name))


def difference_in(at: xr.Dataset) -> str:
    """A difference, its Monte Carlo error and its interval."""
    ends = [at[f"difference_{end}"].item() for end in ("mean", "lower", "upper")]
    return numbers.difference(*ends, mcse=_error(at, "difference_mean"))


def within_rope(at: xr.Dataset) -> str:
    """The probability of a difference within the rope."""
    masses = [name for name in ("mass", "mass_mcse") if name in at]
    return probability_in(at[masses].sel({names.REGION: "rope"}), "mass")


def interval_of(attrs: Mapping[str, Any]) -> str:
    """Mass and kind of the intervals.

    Examples
    --------
    >>> interval_of({"ci_prob": 0.95, "ci_kind": "hdi"})
    '95% HDI'
    """
    return f"{100 * attrs['ci_prob']:g}% {attrs['ci_kind'].upper()}"


def sampled_by(attrs: Mapping[str, Any]) -> str:
    """How many draws, from which seed."""
    return f"{attrs['draws']} draws, seed {attrs['seed']}"


def _error(at: xr.Dataset, name: str) -> float:
    error = f"{name}_mcse"
    return float(at[error].item()) if error in at else 0.0

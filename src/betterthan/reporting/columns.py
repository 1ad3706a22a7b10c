"""Columns of tables: a heading, and how the rows of an answer are written under it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.answers import numbers
from betterthan.answers.rows import one_sided

NO_DATA = ("no_data",)
NO_VERDICT = ("no_data", "no_verdict")


@dataclass(frozen=True)
class Column:
    """One column. Its rows are a Dataset over one dim, or a DataFrame."""

    head: str
    write: Callable[[Any], Iterable[str]]  # one cell a row
    needs: str = ""  # the variable without which the column is left out
    blank: tuple[str, ...] = NO_VERDICT  # of pairs with these verdicts the cell is a dash


def number(
    head: str,
    name: str,
    write: Callable[..., str],
    *,
    blank: tuple[str, ...] = NO_VERDICT,
    error: str = "",
) -> Column:
    """A variable, with its Monte Carlo error where it has one."""

    def cells(rows: Any) -> Iterator[str]:
        return map(write, *_with_error(rows, [name], error or f"{name}_mcse"))

    return Column(head, cells, name, blank)


def probability(
    head: str, name: str, *, blank: tuple[str, ...] = NO_VERDICT, error: str = ""
) -> Column:
    """A probability, with its Monte Carlo error where it has one."""
    return number(head, name, numbers.probability, blank=blank, error=error)


def count(head: str, name: str) -> Column:
    """Whole numbers, also of pairs without a verdict."""
    return number(head, name, lambda n: f"{int(n):,}", blank=())


def bounds(head: str, prefix: str, write: Callable[..., str], *, error: str = "") -> Column:
    """The interval of a variable."""
    both = [f"{prefix}lower", f"{prefix}upper"]
    return Column(head, lambda rows: map(write, *_with_error(rows, both, error)), both[0])


def difference(
    head: str,
    prefix: str = "",
    *,
    bracketed: str,
    mark: str = "",
    blank: tuple[str, ...] = NO_VERDICT,
) -> Column:
    """A difference with its interval; `mark` is for a verdict whose interval includes 0."""
    names = [f"{prefix}difference_{end}" for end in ("mean", "lower", "upper")]

    def cells(rows: Any) -> Iterator[str]:
        written = map(numbers.difference, *_with_error(rows, names, f"{names[0]}_mcse"))
        if not mark:
            return written
        return map(
            "".join,
            zip(
                written,
                np.where(one_sided(*(rows[k].values for k in ("verdict", *names[1:]))), mark, ""),
                strict=True,
            ),
        )

    return Column(f"{head} [{bracketed}]", cells, names[0], blank)


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


def _with_error(rows: Any, names: Sequence[str], error: str) -> list[list[Any]]:
    return [rows[name].values.tolist() for name in (*names, *([error] if error in rows else []))]

"""A page as text for the terminal."""

import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from betterthan.reporting.page import Page, Part, Table

WIDTH = 110
_HEAD = 10  # characters of a name that may head a column
_NAME = 36  # characters of a name before it is folded
_WIDEST = 1000
_MATRIX_OF = 10  # systems whose matrix fits a terminal
_JUSTIFY = {"l": "left", "r": "right", "c": "center"}


def as_text(page: Page) -> str:
    """A page in columns of at most `WIDTH` characters where names allow."""
    out = _console(StringIO(), WIDTH)
    out.print(page.title)
    out.print("=" * min(len(page.title), WIDTH))
    if page.question:
        out.print(page.question)
    for part in page.parts:
        _part(out, part)
    if page.limits:
        out.print("\nLimits")
        _list(out, page.limits)
    if page.signatures:
        out.print()
    for signature in page.signatures:
        out.print(signature, soft_wrap=True)
    lines = out.file.getvalue().split("\n")  # type: ignore[attr-defined]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines))


def _part(out: Console, part: Part) -> None:
    """A table needs no heading: its caption says the same."""
    tables = [table for table in part.tables if not (table.shades and len(table.rows) > _MATRIX_OF)]
    if part.facts or ((part.notes or part.lines) and not tables):
        out.print(f"\n{part.heading}")
    if part.facts:
        _facts(out, part.facts)
    for table in tables:
        _grid(out, _numbered(table) if table.shades else table)
    if part.notes or part.lines:
        _list(out, [*part.notes, *part.lines])


def _console(file: Any, width: int) -> Console:
    """Plain characters whatever the surroundings: a notebook or FORCE_COLOR changes nothing."""
    return Console(
        file=file,
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


def _numbered(matrix: Table) -> Table:
    """A matrix whose columns are numbered where its names are too long to head them."""
    if max(map(len, matrix.heads)) <= _HEAD:
        return matrix
    heads = ("", *(str(k + 1) for k in range(len(matrix.rows))))
    rows = [(f"{k + 1} {row[0]}", *row[1:]) for k, row in enumerate(matrix.rows)]
    return replace(matrix, heads=heads, rows=rows)


def _facts(out: Console, facts: Sequence[tuple[str, str]]) -> None:
    grid = Grid.grid(padding=(0, 2))
    for key, value in facts:
        grid.add_row(Text(f"  {key}"), Text(value))
    out.print(grid)


def _list(out: Console, lines: Sequence[str]) -> None:
    grid = Grid.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(Text("  -"), Text(line))
    out.print(grid)


def _grid(out: Console, table: Table) -> None:
    out.print(f"\n{table.caption}")
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for head, side in zip(table.heads, table.sides, strict=True):
        name = {"overflow": "fold", "max_width": _NAME} if side == "l" else {"no_wrap": True}
        grid.add_column(Text(head), justify=_JUSTIFY[side], **name)  # type: ignore[arg-type]
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    # a number is never cropped: a table may be wider than the text
    _console(out.file, _WIDEST).print(grid)

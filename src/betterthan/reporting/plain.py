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
_NARROW = 18  # characters that a name has at least, if it is so long
_BETWEEN = (3, 2)  # characters from one column to the next, and where these are too many
_MATRIX_OF = 10  # systems whose matrix fits a terminal
_JUSTIFY = {"l": "left", "r": "right", "c": "center"}


def as_text(page: Page, width: int = WIDTH, *, colour: bool = False) -> str:
    """A page in columns of at most `width` characters.

    Parameters
    ----------
    page : Page
    width : int, default 110
    colour : bool, default False
        Headings and the answer in bold, what is beside in grey: for a terminal.
    """
    out = _console(StringIO(), width, colour)
    if page.title:
        out.print(Text(page.title, "bold"))
        out.print("=" * min(len(page.title), width))
    if page.chapters:
        _list(out, page.contents)
    for _, chapter in page.told:
        if page.chapters:
            out.print(Text(f"\n{chapter.title}\n{'-' * min(len(chapter.title), width)}", "bold"))
        _chapter(out, chapter)
    if page.limits:
        out.print("\nLimits", style="bold")
        _list(out, page.limits)
    if page.signatures:
        out.print()
    for signature in page.signatures:
        out.print(Text(signature, "bright_black"), soft_wrap=True)
    lines = out.file.getvalue().split("\n")  # type: ignore[attr-defined]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).lstrip("\n")


def _chapter(out: Console, page: Page) -> None:
    """The question, the answer, and the sections."""
    if page.question:
        out.print(Text(page.question, "bright_black"))
    if page.answer and page.title:
        out.print("\nAnswer", style="bold")
        _list(out, page.answer, "bold")
    for line in () if page.title else page.answer:
        out.print(Text(line, "bold"))
    for part in page.parts:
        _part(out, part)


def _part(out: Console, part: Part) -> None:
    """A section without what a terminal cannot show; a table needs no heading, its caption says
    the same.
    """
    tables = [table for table in part.tables if not (table.shades and len(table.rows) > _MATRIX_OF)]
    if not (part.facts or tables or part.notes or part.lines):
        return
    if part.facts or not tables:
        out.print(f"\n{part.heading}", style="bold")
    if part.facts:
        _facts(out, part.facts)
    for table in tables:
        _grid(out, _numbered(table) if table.shades else table.seen)
    if part.notes or part.lines:
        _list(out, [*part.notes, *part.lines])


def _console(file: Any, width: int, colour: bool) -> Console:
    """Plain characters whatever the surroundings: a notebook or FORCE_COLOR changes nothing."""
    return Console(
        file=file,
        width=width,
        color_system="standard" if colour else None,
        force_terminal=colour,
        no_color=not colour,
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


def _list(out: Console, lines: Sequence[str], style: str = "") -> None:
    grid = Grid.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(Text("  -"), Text(line, style))
    out.print(grid)


def _grid(out: Console, table: Table) -> None:
    """A table in as many pieces as it takes: no number is cropped or wrapped."""
    out.print(Text(f"\n{table.caption}", "bold"))
    gap, widths, pieces = fitted(table, out.width - 1)  # one is the edge
    for columns in pieces:
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, gap - 2))
        for k in columns:
            side: Any = _JUSTIFY[table.sides[k]]
            width: Any = {"min_width": widths[k], "max_width": widths[k]}
            grid.add_column(Text(table.heads[k]), justify=side, overflow="fold", **width)
        for row in table.rows:
            grid.add_row(*(Text(row[k]) for k in columns))
        out.print(grid)


def fitted(table: Table, width: int) -> tuple[int, list[int], list[list[int]]]:
    """Characters between columns, how wide each is, and which stand in each piece of a table, of
    which every piece has the names: one piece where all fit, with names folded if need be.
    """
    wide = [max(_widest(table, k), len(head)) for k, head in enumerate(table.heads)]
    if sum(wide) + _BETWEEN[0] * len(wide) > width:  # headings break before names do
        wide = [_widest(table, k) for k in range(len(table.heads))]
    texts = [k for k, side in enumerate(table.sides) if side == "l"]
    wide = [min(w, _NAME) if k in texts else w for k, w in enumerate(wide)]
    gap = next((gap for gap in _BETWEEN if sum(wide) + gap * len(wide) <= width), _BETWEEN[-1])
    over = sum(wide) + gap * len(wide) - width
    for _ in range(over):
        longest = max(texts, key=lambda k: wide[k], default=None)
        if longest is not None and wide[longest] > _NARROW:
            wide[longest] -= 1
    return gap, wide, _pieces(wide, min(table.left, 2), gap, width)


def _pieces(wide: list[int], names: int, gap: int, width: int) -> list[list[int]]:
    """Columns in pieces that fit, each with those of names."""
    kept = list(range(names))
    pieces = [kept[:]]
    for k in range(names, len(wide)):
        used = sum(wide[c] + gap for c in pieces[-1])
        if used + wide[k] > width and len(pieces[-1]) > names:
            pieces.append(kept[:])
        pieces[-1].append(k)
    return pieces


def _widest(table: Table, column: int) -> int:
    """The widest cell, or the longest word of the heading, which may break."""
    cells = (len(row[column]) for row in table.rows)
    return max([1, *cells, *map(len, table.heads[column].split())])

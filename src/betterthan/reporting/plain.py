"""A report as text for the terminal."""

import re
from dataclasses import replace
from io import StringIO
from typing import Any

import xarray as xr
from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from betterthan.reporting.of_comparison import Content, build_content
from betterthan.reporting.page import Page
from betterthan.reporting.tables import Table

WIDTH = 110
_HEAD = 10  # characters of a name that may head a column
_NAME = 36  # characters of a name before it is folded
_WIDEST = 1000
_MATRIX_OF = 10  # systems whose matrix fits a terminal


def text(content: Content) -> str:
    """The report in columns of at most `WIDTH` characters where names allow."""
    out = _page(content.title)
    out.print(content.question)
    _facts(out, "Data", content.data)
    _facts(out, "Model", content.model)
    if content.ranking is not None:
        _grid(out, content.ranking)
    if content.matrix is not None and len(content.matrix.rows) <= _MATRIX_OF:
        _grid(out, _numbered(content.matrix))
    if content.joint is not None:
        _grid(out, content.joint)
    if content.joint_notes:
        _list(out, "", content.joint_notes)
    if content.by_dataset is not None:
        _grid(out, content.by_dataset)
    _grid(out, content.pairs)
    if content.tests is not None:
        _grid(out, content.tests)
        _list(out, "", content.reasons)
    if content.groups is not None:
        _grid(out, content.groups)
    if content.group_notes:
        _list(out, "", content.group_notes)
    if content.ties is not None:
        _grid(out, content.ties)
    _list(out, "In words", content.sentences)
    _facts(out, "Diagnostics", content.diagnostics)
    _list(out, "Limits", content.limits)
    out.print()
    out.print(content.signature, soft_wrap=True)
    return _written(out)


def page_text(page: Page) -> str:
    """A page in columns of at most `WIDTH` characters where names allow."""
    out = _page(page.title)
    out.print(page.question)
    for part in page.parts:
        if part.facts:
            _facts(out, part.heading, part.facts)
        elif part.lines and not part.tables:
            out.print(f"\n{part.heading}")
        for table in part.tables:
            _grid(out, _numbered(table) if table.shades else table)
        if part.notes or part.lines:
            _list(out, "", [*part.notes, *part.lines])
    _list(out, "Limits", page.limits)
    out.print()
    out.print(page.signature, soft_wrap=True)
    return re.sub(r"\n{3,}", "\n\n", _written(out))


def brief(comparison: xr.Dataset, title: str) -> str:
    """The pair, or the matrix, with the verdicts' diagnostics: a report in a few lines."""
    content = build_content(comparison, title)
    out = _page(title)
    _grid(out, content.pairs if content.matrix is None else _numbered(content.matrix))
    for line in content.sentences if content.matrix is None else []:
        out.print(line)
    _facts(out, "Diagnostics", content.diagnostics)
    return _written(out)


def _page(title: str) -> Console:
    out = _console(StringIO(), WIDTH)
    out.print(title)
    out.print("=" * min(len(title), WIDTH))
    return out


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


def _written(out: Console) -> str:
    lines = out.file.getvalue().split("\n")  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


def _numbered(matrix: Table) -> Table:
    """A matrix whose columns are numbered where its names are too long to head them."""
    if max(map(len, matrix.heads)) <= _HEAD:
        return matrix
    heads = ("", *(str(k + 1) for k in range(len(matrix.rows))))
    rows = [(f"{k + 1} {row[0]}", *row[1:]) for k, row in enumerate(matrix.rows)]
    return replace(matrix, heads=heads, rows=rows)


def _facts(out: Console, head: str, facts: list[tuple[str, str]]) -> None:
    out.print(f"\n{head}")
    grid = Grid.grid(padding=(0, 2))
    for key, value in facts:
        grid.add_row(Text(f"  {key}"), Text(value))
    out.print(grid)


def _list(out: Console, head: str, lines: list[str]) -> None:
    if head:
        out.print(f"\n{head}")
    grid = Grid.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(Text("  -"), Text(line))
    out.print(grid)


def _grid(out: Console, table: Table) -> None:
    out.print(f"\n{table.caption}")
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    for k, head in enumerate(table.heads):
        left = k < table.left or head == "Verdict"
        name = {"overflow": "fold", "max_width": _NAME} if left else {"no_wrap": True}
        grid.add_column(Text(head), justify="left" if left else "right", **name)  # type: ignore[arg-type]
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    # a number is never cropped: a table may be wider than the text
    _console(out.file, _WIDEST).print(grid)

"""A report as text for the terminal."""

from io import StringIO

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from betterthan.reporting.content import Content, Table

WIDTH = 110
_MATRIX_OF = 10  # systems whose matrix fits a terminal


def text(content: Content) -> str:
    """The report in columns of at most `WIDTH` characters where names allow."""
    out = Console(file=StringIO(), width=WIDTH, no_color=True, highlight=False, emoji=False, markup=False)
    out.print(content.title)
    out.print("=" * min(len(content.title), WIDTH))
    out.print(content.question)
    _facts(out, "Data", content.data)
    _facts(out, "Model", content.model)
    for table in (content.ranking, content.matrix):
        if table is not None and not (table is content.matrix and len(table.rows) > _MATRIX_OF):
            _grid(out, table)
    _grid(out, content.pairs)
    if content.ties is not None:
        _grid(out, content.ties)
    _list(out, "In words", content.sentences)
    _facts(out, "Diagnostics", content.diagnostics)
    _list(out, "Limits", content.limits)
    out.print()
    out.print(content.signature, soft_wrap=True)
    written = out.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in written.split("\n"))


def _facts(out: Console, head: str, facts: list[tuple[str, str]]) -> None:
    out.print(f"\n{head}")
    grid = Grid.grid(padding=(0, 2))
    for key, value in facts:
        grid.add_row(Text(f"  {key}"), Text(value))
    out.print(grid)


def _list(out: Console, head: str, lines: list[str]) -> None:
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
        grid.add_column(Text(head), justify="left" if left else "right", overflow="fold", no_wrap=not left)
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    out.print(grid)

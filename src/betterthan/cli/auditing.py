"""The command `audit`: what would make a comparison wrong, and an exit code for scripts."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from betterthan import names
from betterthan.cli.options import (
    Again,
    Epoch,
    Files,
    Filter,
    Join,
    Layout,
    Metric,
    Rope,
    Systems,
    Task,
    Tool,
)
from betterthan.cli.sources import chosen, source_of

if TYPE_CHECKING:
    from betterthan.auditing.answer import Audit

_STYLES = {"stop": "bold red", "warn": "yellow", "note": "dim"}


def audit(
    logs: Files,
    task: Task = None,
    metric: Metric = None,
    filter: Filter = None,
    epoch: Epoch = None,
    systems: Systems = None,
    join: Join = None,
    again: Again = None,
    tool: Tool = None,
    layout: Layout = None,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are told against.")
    ] = None,
    rope: Rope = names.ROPE,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 also on a warning.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, as for a step summary.")
    ] = False,
) -> None:
    """Look for what would make a comparison wrong; exit code 1 where something stops it."""
    import betterthan as bt

    of_logs = chosen(task=task, metric=metric, filter=filter, epoch=epoch, systems=systems)
    of_logs |= chosen(join=join, again=again, format=tool, layout=layout)
    if json and markdown:
        raise ValueError("--json and --markdown are two; give one of them")
    found = bt.audit(source_of(logs), baseline, rope=rope, **of_logs)
    _print(found, "json" if json else "markdown" if markdown else "text")
    if found.level == "stop" or (strict and found.level == "warn"):
        raise SystemExit(1)


def _print(found: "Audit", form: str) -> None:
    """To a terminal in colours, else as plain lines."""
    if form != "text":
        print(found.to_json() if form == "json" else found.to_markdown(), end="")
    elif sys.stdout.isatty():
        _print_in_colours(found)
    else:
        print(found)


def _print_in_colours(found: "Audit") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from betterthan.auditing import shown

    console = Console()
    console.print(Text(found.source), Text(shown.headline(found), style="bold"), sep="\n")
    grid = Table.grid(padding=(0, 2))
    for level, code, said in shown.lines(found):
        grid.add_row(Text(level, style=_STYLES[level]), Text(code), Text(said))
    console.print(grid)
    console.print(Text(shown.denominators(found)))

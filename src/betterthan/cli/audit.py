"""The command `audit`: what would make a comparison wrong, and an exit code for scripts."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from betterthan import names

if TYPE_CHECKING:
    from betterthan.auditing.answer import Audit

_STYLES = {"stop": "bold red", "warn": "yellow", "note": "dim"}


def audit(
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS...", help="Logs, folders of logs, or tables; name=PATH names a system."
        ),
    ],
    task: Annotated[
        str | None, typer.Option(help="Which task of the logs; comma-separated for several.")
    ] = None,
    metric: Annotated[str | None, typer.Option(help="Which metric; all when not given.")] = None,
    filter: Annotated[str | None, typer.Option(help="Of lm-eval: which filter.")] = None,
    join: Annotated[
        str | None, typer.Option(help="What makes records one item: id, content or order.")
    ] = None,
    again: Annotated[
        str | None, typer.Option(help="Of runs again of one system: last, first or epochs.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are told against.")
    ] = None,
    rope: Annotated[
        float, typer.Option(help="Difference up to which two systems are practically equivalent.")
    ] = names.ROPE,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 also on a warning.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, as for a step summary.")
    ] = False,
) -> None:
    """Look for what would make a comparison wrong: exit code 1 if anything stops it."""
    import betterthan as bt

    given = {"metric": metric, "filter": filter, "join": join, "again": again}
    choices: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if task is not None:
        choices["task"] = task.split(",")
    found = bt.audit(_source(logs), baseline, rope=rope, **choices)
    _print(found, "json" if json else "markdown" if markdown else "text")
    if found.level == "stop" or (strict and found.level == "warn"):
        raise SystemExit(1)


def _source(logs: list[str]) -> Any:
    """One path, several, or paths by the names of their systems."""
    named = [one.partition("=") for one in logs]
    if all(path and not Path(one).exists() for one, (_, _, path) in zip(logs, named, strict=True)):
        systems: dict[str, list[str]] = {}
        for name, _, path in named:
            systems.setdefault(name, []).append(path)
        return {name: paths[0] if len(paths) == 1 else paths for name, paths in systems.items()}
    return logs[0] if len(logs) == 1 else logs


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

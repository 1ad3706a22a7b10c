"""The command `show`."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from betterthan import names
from betterthan.cli.console import put, say
from betterthan.cli.options import Files, Layout, Lower, Rope, Systems
from betterthan.cli.sources import inputs_of, read_given
from betterthan.files import refuse_inputs
from betterthan.progress import working


def show(
    files: Files,
    quantity: Annotated[
        str | None,
        typer.Option(help="Of graded scores, what decides: mean (default) or wins."),
    ] = None,
    rope: Rope = names.ROPE,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are told against.")
    ] = None,
    systems: Systems = None,
    layout: Layout = None,
    lower_is_better: Lower = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where the page is kept, .html."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
) -> None:
    """Compare, and open the page; or open what `compare -o` saved (.nc), several on one page."""
    import betterthan as bt

    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{output}: give a file that ends in .html")
    refuse_inputs([output] if output is not None else [], inputs_of(files))
    saved = [Path(name).suffix.lower() == ".nc" for name in files]
    if any(saved) and not all(saved):
        raise ValueError("some files are saved answers (.nc), others are not; give one kind")
    if all(saved):
        answers: list[Any] = [bt.load(name) for name in files]
    else:
        better = False if lower_is_better else None
        data = read_given(files, layout=layout, higher_is_better=better, systems=systems)
        answers = [bt.compare(data, quantity=quantity, rope=rope, baseline=baseline)]
    target = output or Path(tempfile.mkdtemp(prefix="betterthan-")) / "report.html"
    put(_page(answers), target)
    if browser and not webbrowser.open(target.resolve().as_uri()):
        say(f"there is no browser to open {target} with")


def _page(answers: list[Any]) -> str:
    """The page on them; what they say is said on the terminal, too."""
    import betterthan as bt

    for answer in answers:
        for line in answer.statement():
            say(line)
    with working("writing the page"):
        return bt.report(*answers, format="html")

"""The command line: one command is one call of the public API."""

import inspect
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from betterthan import __version__, names
from betterthan.cli import auditing, comparing, gating, options, planning, studies
from betterthan.cli.console import deliver, ended, one_file, put, say, where
from betterthan.cli.options import (
    READING,
    Files,
    Format,
    Method,
    Output,
    Rope,
    Seed,
    Shuffles,
    Systems,
)
from betterthan.cli.sources import inputs_of, read_arguments, reading_options
from betterthan.files import refuse_inputs
from betterthan.progress import working

_OF_TYPE = {float: "NUMBER", int: "NUMBER", Path: "FILE", str: "TEXT"}
_OF_NAME = {
    "baseline": "NAME",
    "components": "FILE",
    "figures": "FOLDER",
    "human": "COLUMN",
    "item": "COLUMN",
    "judge": "COLUMN",
    "outcome": "COLUMN",
    "output": "FOLDER or FILE",
    "pilot": "FILE",
    "reference": "NAME",
    "score": "COLUMN",
    "strata": "COLUMNS",
    "system": "COLUMN",
    "systems": "NAMES",
}


class Plain(TyperCommand):
    """A command whose help shows its arguments by name alone."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; of an argument a type would stand behind its name."""
        parameters: list[Any] = super().get_params(ctx)
        for parameter in parameters:
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = _nothing
        return parameters


def register(
    app: typer.Typer, function: Callable[..., Any], without: Sequence[str] = ()
) -> Callable[..., Any]:
    """Make a command of a function; its options say in words what they take.

    Parameters
    ----------
    app : typer.Typer
    function : callable
        With ``**reading`` it takes the options for reading tables and logs.
    without : sequence of str, optional
        Those of them that it cannot use.
    """
    namespace = vars(options) | {"typer": typer} | function.__globals__
    function.__annotations__ = get_type_hints(function, namespace, include_extras=True)
    if function.__annotations__.pop("reading", None) is not None:
        reading = {name: option for name, option in READING.items() if name not in without}
        function.__annotations__ |= {name: kind for name, (kind, _) in reading.items()}
        signature = inspect.signature(function)
        parameters = list(signature.parameters.values())[:-1]
        by_name = inspect.Parameter.KEYWORD_ONLY
        parameters += [
            inspect.Parameter(name, by_name, default=default, annotation=kind)
            for name, (kind, default) in reading.items()
        ]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    for name, hint in function.__annotations__.items():
        kind, *metadata = get_args(hint) or (hint,)
        for option in (x for x in metadata if isinstance(x, OptionInfo)):
            option.metavar = option.metavar or _OF_NAME.get(name) or _word(kind)
    return app.command(cls=Plain)(function)


def _word(kind: Any) -> str | None:
    """Return the metavar of a type; None for a switch."""
    kinds = (kind, *get_args(kind))
    return next((word for option_type, word in _OF_TYPE.items() if option_type in kinds), None)


def _nothing(ctx: Any) -> str:
    return ""


def show(
    files: Files,
    quantity: Annotated[
        str | None,
        typer.Option(help="Of graded scores, what decides: mean (default) or wins."),
    ] = None,
    rope: Rope = names.ROPE,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are compared with.")
    ] = None,
    systems: Systems = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where the page is kept, .html."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    **reading: Any,
) -> None:
    """Compare, and open the page; or open what `compare -o` saved (.nc), several on one page."""
    import betterthan as bt

    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{output}: give a file that ends in .html")
    refuse_inputs([output] if output is not None else [], inputs_of(files))
    saved = [Path(name).suffix.lower() == ".nc" for name in files]
    if any(saved) and not all(saved):
        raise ValueError("some files are saved answers (.nc), others are not; give one kind")
    if all(saved) and reading_options(**reading):
        raise ValueError("saved answers (.nc) are not read again; leave out options for reading")
    if all(saved):
        answers: list[Any] = [bt.load(name) for name in files]
    else:
        data = read_arguments(files, systems=systems, **reading)
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


app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    rich_markup_mode=None,  # whose library takes twice as long to load as all of this
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


register(app, comparing.compare)
register(app, show)
register(app, auditing.audit)
register(app, gating.gate, without=("layout", "scale", "names", "cluster"))
register(app, planning.plan)


@partial(register, app)
def groups(
    files: Files,
    test: Annotated[
        str, typer.Option(help="randomization (swaps responses) or sign (counts wins).")
    ] = "randomization",
    statistic: Annotated[str | None, typer.Option(help=", ".join(names.STATISTICS))] = None,
    beta: Annotated[float, typer.Option(help="For f_beta: the weight of recall.")] = 1.0,
    unit: Annotated[
        str | None,
        typer.Option(help="Item column whose items are swapped together; by default clusters."),
    ] = None,
    method: Annotated[str, typer.Option(help=", ".join(names.RANDOMIZATIONS))] = "auto",
    shuffles: Shuffles = names.SHUFFLES,
    cutoff: Annotated[
        float, typer.Option(help="Two systems differ only at p up to this,")
    ] = names.CUTOFF,
    confidence: Annotated[
        float, typer.Option(help="and with this confidence in it.")
    ] = names.CONFIDENCE,
    correction: Annotated[
        str,
        typer.Option(
            help=", ".join(names.CORRECTIONS + names.JOINT_CORRECTIONS)
            + "; tukey also gives the critical difference of scores."
        ),
    ] = names.CORRECTION,
    systems: Systems = None,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
    **reading: Any,
) -> None:
    """Show which systems cannot be told from each other, as the MUC evaluations did."""
    import betterthan as bt

    form, target = one_file(format, output, "groups", inputs_of(files))
    from betterthan import checks

    checks.one_of(test, ("randomization", "sign"), "test")
    data = read_arguments(files, systems=systems, **reading)
    joint = correction if correction in names.JOINT_CORRECTIONS else "none"
    if test == "sign" and joint != "none":
        raise ValueError(f"--correction {joint} permutes responses; use --test randomization")
    if test == "sign":
        result = bt.sign_test(data)
    else:
        result = bt.randomization_test(
            data,
            statistic=statistic,
            beta=beta,
            unit=unit,
            method=method,
            shuffles=shuffles,
            correction=joint,
            cutoff=cutoff,
            rng=seed,
        )
    together = bt.significance.groups(
        result, cutoff=cutoff, confidence=confidence, correction=correction
    )
    put(bt.report(together, format=form), target)


@partial(register, app)
def demo(
    rope: Rope = 0.01,
    method: Method = "both",
    seed: Seed = 7,
    format: Format = None,
    output: Output = None,
) -> None:
    """Compare published tables and five LLMs that ship with the package; -o also writes the report
    on the eight systems.
    """
    import betterthan as bt
    from betterthan.results.brief import brief_text

    form, target = where(format, output)
    cases = {
        case: bt.compare(bt.datasets.contingency_case(case), rope=rope, method=method, rng=seed)
        for case in "ab"
    }
    table = bt.compare(bt.datasets.intent_detection(), method=method, rng=seed)
    if form != "json":
        for case, comparison in cases.items():
            print(
                brief_text(
                    comparison, f"Case ({case}): A is right on 710 of 1000 examples, B on 700"
                )
            )
        print(brief_text(table, "Eight intent detection systems"))
        llms = bt.compare(bt.datasets.pandalm("gpt-3.5"), rng=seed)
        print(f"\nFive LLMs: GPT-3.5 as judge, corrected with labels by people\n\n{llms}")
    if form == "json" or target is not None:
        deliver(table, form, target)


register(app, studies.measures)
register(app, studies.outcome)
register(app, studies.order)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"betterthan {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and exit code 2."""
    ended(partial(app, standalone_mode=False))


if __name__ == "__main__":
    main()

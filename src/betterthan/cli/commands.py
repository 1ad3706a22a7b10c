"""The command line: one command is one call of the public API."""

import inspect
import tempfile
import webbrowser
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

import betterthan as bt
from betterthan import __version__, names
from betterthan.cli import comparing, gating, options, planning, studies
from betterthan.cli.console import deliver, ended, one_file, put, put_report, say, where
from betterthan.files import refuse_inputs
from betterthan.progress import working

_PLACES = {name: place for place, name in enumerate(options.OPTIONS)}
_EXAMPLES = "For example:\n"


class Command(TyperCommand):
    """A command whose help has examples, and its options in groups."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an option that is there twice is an error."""
        words = [word.partition("=")[0] for word in args]
        for parameter in self.get_params(ctx):
            there = sum(words.count(flag) for flag in parameter.opts if flag.startswith("-"))
            if there > 1 and not parameter.multiple:  # type: ignore[attr-defined]
                raise ValueError(f"{parameter.opts[0]} is given {there} times; give it once")
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments by name."""
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return ["[OPTIONS]", *(str(argument.metavar) for argument in arguments)]  # type: ignore[attr-defined]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What the command does."""
        help, self.help = self.help, (self.help or "").partition(_EXAMPLES)[0].rstrip()
        super().format_help_text(ctx, formatter)
        self.help = help

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments, examples, and the options by group."""
        lines: dict[str, list[tuple[str, str]]] = {}
        last = len(_PLACES)  # --help
        for parameter in sorted(self.get_params(ctx), key=lambda p: _PLACES.get(str(p.name), last)):
            group = getattr(parameter, "rich_help_panel", None) or "Output"
            if parameter.param_type_name == "argument":
                # a type would follow its name
                parameter.display_type_rich = lambda ctx: ""  # type: ignore[attr-defined]
                group = "Arguments"
            if record := parameter.get_help_record(ctx):
                lines.setdefault(group, []).append(record)
        _write(formatter, "Arguments", lines)
        if examples := (self.help or "").partition(_EXAMPLES)[2]:
            formatter.write("\nExamples:\n")
            formatter.write("".join(f"  {line.strip()}\n" for line in examples.splitlines()))
        for group in options.GROUPS:
            _write(formatter, group, lines)


def _write(formatter: Any, group: str, lines: dict[str, list[tuple[str, str]]]) -> None:
    """A group of a help page, if it has options."""
    if group in lines:
        with formatter.section(group):
            formatter.write_dl(lines[group])


def register(
    app: typer.Typer, function: Callable[..., Any], without: Sequence[str] = ()
) -> Callable[..., Any]:
    """Make a command of a function, whose options `OPTIONS` describes.

    Parameters
    ----------
    app : typer.Typer
    function : callable
        With ``**reading`` it takes the options for reading tables and logs.
    without : sequence of str, optional
        Those of them that it cannot use.
    """
    command, kinds = function.__name__, get_type_hints(function)
    parameters = dict(inspect.signature(function).parameters)
    if parameters.pop("reading", None) is not None:
        for name in (name for name in options.READING if name not in without):
            kinds[name] = options.kind_of(options.row_of(command, name)[1])
            kind, default = inspect.Parameter.KEYWORD_ONLY, False if kinds[name] is bool else None
            parameters[name] = inspect.Parameter(name, kind, default=default)
    typed = {
        name: parameter.replace(annotation=_annotated(command, name, kinds[name]))
        for name, parameter in parameters.items()
    }
    function.__annotations__ = {name: p.annotation for name, p in typed.items()}
    function.__signature__ = inspect.Signature([*typed.values()])  # type: ignore[attr-defined]
    first = " ".join((function.__doc__ or "").partition("\n\n")[0].split())
    return app.command(cls=Command, short_help=first)(function)


def _annotated(command: str, name: str, kind: Any) -> Any:
    """The type of a parameter with its option or argument."""
    group, takes, help = options.row_of(command, name)
    if group == "Arguments":
        return Annotated[kind, typer.Argument(metavar=takes, help=help)]
    flags = options.FLAGS.get(name, () if name == "browser" else (f"--{name.replace('_', '-')}",))
    parser = _number if float in (kind, *get_args(kind)) else None
    option = typer.Option(
        *flags, metavar=takes or None, help=help, rich_help_panel=group, parser=parser
    )
    return Annotated[kind, option]


def _number(text: Any) -> float:
    """A number, also as a percentage."""
    try:
        return options.number(str(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number; give one such as 0.05 or 5%") from None


def show(
    files: list[str],
    baseline: str | None = None,
    systems: str | None = None,
    quantity: str | None = None,
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    page: Path | None = None,
    title: str | None = None,
    browser: bool = True,
    **reading: Any,
) -> None:
    """Compare systems and open the result as a page in the browser.

    Saved comparisons (.nc) open without computing again, several on one page.

    For example:
      betterthan show results.csv --baseline base
      betterthan show logs/ --metric acc -o report.html
      betterthan show report/comparison.nc
    """
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{page}: give a file that ends in .html")
    refuse_inputs([page] if page is not None else [], options.inputs_of(files))
    saved = [Path(name).suffix.lower() == ".nc" for name in files]
    if any(saved) and not all(saved):
        raise ValueError("some files are saved answers (.nc), others are not; give one kind")
    if all(saved) and options.reading_options(**reading):
        raise ValueError("saved answers (.nc) are not read again; leave out options for reading")
    how: dict[str, Any] = {"rope": rope, "threshold": threshold, "baseline": baseline}
    how |= {"quantity": quantity}
    if all(saved):
        from betterthan.cli.reading import changed, refuse_unused

        passed = changed(show, how | {"systems": systems})
        refuse_unused(passed, "comparing results", f"{files[0]} is a saved answer")
        answers: list[Any] = [bt.load(name) for name in files]
    else:
        data = options.read_arguments(files, systems=systems, **reading)
        if quantity != "wins":
            options.refuse_percentages(data, rope=rope)
        answers = [bt.compare(data, **how)]
    target = page or Path(tempfile.mkdtemp(prefix="betterthan-")) / "report.html"
    for answer in answers:
        for line in answer.statement():
            say(line)
    with working("writing the page"):
        written = bt.report(*answers, format="html", title=title)
    put(written, target)
    if browser and not webbrowser.open(target.resolve().as_uri()):
        say(f"there is no browser to open {target} with")


app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    rich_markup_mode=None,  # whose library takes twice as long to load as all of this
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


for command in (comparing.compare, show, gating.audit):
    register(app, command)
register(app, gating.gate, without=("layout", "scale", "names"))
register(app, planning.plan)


@partial(register, app)
def groups(
    files: list[str],
    systems: str | None = None,
    statistic: str | None = None,
    beta: float = 1.0,
    unit: str | None = None,
    test: str = "randomization",
    cutoff: float = names.CUTOFF,
    confidence: float = names.CONFIDENCE,
    correction: str = names.CORRECTION,
    permutations: str = "auto",
    shuffles: int = names.SHUFFLES,
    seed: int | None = None,
    format: str | None = None,
    page: Path | None = None,
    **reading: Any,
) -> None:
    """Group systems that are not significantly different (compact letter display).

    For example:
      betterthan groups results.csv
      betterthan groups results.csv --correction tukey
      betterthan groups tallies.csv --statistic f1 --cutoff 0.05
    """
    form, target = one_file(format, page, "groups", options.inputs_of(files))
    from betterthan import checks
    from betterthan.cli.reading import changed, refuse_unused

    if checks.one_of(test, ("randomization", "sign"), "test") == "sign":
        sampled = {"statistic": statistic, "beta": beta, "permutations": permutations}
        sampled |= {"shuffles": shuffles, "seed": seed}
        refuse_unused(changed(groups, sampled), "--test randomization", "the test is --test sign")
    data = options.read_arguments(files, systems=systems, **reading)
    options.say_pooled(data)
    joint = correction if correction in names.JOINT_CORRECTIONS else "none"
    if test == "sign" and joint != "none":
        raise ValueError(f"--correction {joint} permutes responses; use --test randomization")
    if test == "sign":
        result = bt.sign_test(data, unit=unit)
    else:
        result = bt.randomization_test(
            data,
            statistic=statistic,
            beta=beta,
            unit=unit,
            method=checks.one_of(permutations, names.RANDOMIZATIONS, "permutations"),
            shuffles=shuffles,
            correction=joint,
            cutoff=cutoff,
            rng=seed,
        )
    together = bt.significance.groups(
        result, cutoff=cutoff, confidence=confidence, correction=correction
    )
    put_report([together], form, target)


@partial(register, app)
def demo(
    rope: float = 0.01,
    method: str = "both",
    seed: int | None = 7,
    format: str | None = None,
    output: Path | None = None,
) -> None:
    """Compare published tables and five LLMs that come with the package.

    With -o it also writes the report on the eight systems of one table.

    For example:
      betterthan demo --method exact
      betterthan demo -o demo/report.html
    """
    from betterthan.results.brief import brief_page_of
    from betterthan.results.text import as_text, encodable

    form, target = where(format, output)
    cases = {
        case: bt.compare(bt.datasets.contingency_case(case), rope=rope, method=method, rng=seed)
        for case in "ab"
    }
    table = bt.compare(bt.datasets.intent_detection(), method=method, rng=seed)
    if form != "json":
        for case, comparison in cases.items():
            title = f"Case ({case}): A is right on 710 of 1000 items, B on 700"
            print(encodable(as_text(brief_page_of(comparison, title=title))))
        print(encodable(as_text(brief_page_of(table, title="Eight intent detection systems"))))
        llms = bt.compare(bt.datasets.pandalm("gpt-3.5"), rng=seed)
        print(f"\nFive LLMs: GPT-3.5 as judge, corrected with labels by people\n\n{llms}")
    if form == "json" or target is not None:
        deliver(table, form, target)


for command in (planning.runs, studies.measures, studies.outcome, studies.order):
    register(app, command)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"betterthan {__version__}")
        raise typer.Exit


@cache
def parser() -> Any:
    """All commands with their options, built once in a process."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and exit code 2."""
    ended(partial(parser(), standalone_mode=False))


if __name__ == "__main__":
    main()

"""The command line: one command is one call of the public API."""

from functools import partial
from typing import Annotated

import typer

from betterthan import __version__, names
from betterthan.cli import auditing, comparing, gating, planning, showing, studies
from betterthan.cli.console import deliver, one_file, put, where
from betterthan.cli.ending import ended
from betterthan.cli.options import (
    Files,
    Format,
    Layout,
    Lower,
    Method,
    Output,
    Rope,
    Scale,
    Seed,
    Shuffles,
    Systems,
)
from betterthan.cli.sources import inputs_of, read_given
from betterthan.cli.words import register

app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    rich_markup_mode=None,  # whose library takes twice as long to load as all of this
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


register(app, comparing.compare)
register(app, showing.show)
register(app, auditing.audit)
register(app, gating.gate)
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
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = names.CORRECTION,
    systems: Systems = None,
    layout: Layout = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Show which systems cannot be told from each other, as the MUC evaluations did."""
    import betterthan as bt

    form, target = one_file(format, output, "groups", inputs_of(files))
    from betterthan import checks

    checks.one_of(test, ("randomization", "sign"), "test")
    better = False if lower_is_better else None
    data = read_given(files, layout=layout, higher_is_better=better, scale=scale, systems=systems)
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
    """Run the main job on the published tables of the package; -o also writes the report on the
    eight systems.
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

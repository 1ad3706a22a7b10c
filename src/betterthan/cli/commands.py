"""The command line: one command is one call of the public API."""

import sys
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from betterthan import __version__, names
from betterthan.cli import studies
from betterthan.cli.console import INTERRUPTED, deliver, fail, one_file, put, say, where
from betterthan.cli.options import (
    Again,
    Decimal,
    Epoch,
    Errors,
    FalseWords,
    Files,
    Filter,
    Format,
    Ignore,
    Interval,
    Item,
    Join,
    Layout,
    Lower,
    Method,
    Metric,
    Names,
    Output,
    Percent,
    Prob,
    Rope,
    Scale,
    Score,
    Seed,
    Sep,
    Shuffles,
    System,
    Systems,
    Task,
    Tool,
    TrueWords,
    Unscored,
)
from betterthan.cli.sources import chosen, inputs_of, source_of

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.command()
def compare(
    files: Files,
    quantity: Annotated[
        str | None,
        typer.Option(help="Of graded scores, what decides: wins or mean. Default: both are told."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="item: take items of a cluster, and runs of an item, as independent."),
    ] = None,
    rope: Rope = names.ROPE,
    prior: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(names.PRIORS)}, or three numbers for win,loss,tie; win is of the "
            f"system named first."
        ),
    ] = "uniform",
    ties: Annotated[str, typer.Option(help=", ".join(names.TIES))] = "third",
    missing: Annotated[str, typer.Option(help=", ".join(names.MISSING))] = "pairwise",
    margin: Annotated[
        float, typer.Option(help="Score difference up to which two systems tie on an example.")
    ] = 0.0,
    systems: Systems = None,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are told against.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Probability from which a verdict is given.")
    ] = names.VERDICT_PROB,
    method: Method = "exact",
    layout: Layout = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    tests: Annotated[
        str | None, typer.Option(help=f"{', '.join(names.TESTS)}; comma-separated.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = names.ALPHA,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    shuffles: Shuffles = names.SHUFFLES,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    judge: Annotated[
        str | None, typer.Option(help="Of votes, for --method advised: the column of the judge.")
    ] = None,
    task: Task = None,
    metric: Metric = None,
    filter: Filter = None,
    epoch: Epoch = None,
    join: Join = None,
    again: Again = None,
    errors: Errors = None,
    unscored: Unscored = None,
    tool: Tool = None,
    names_are: Names = None,
    item: Item = None,
    system: System = None,
    score: Score = None,
    ignore: Ignore = None,
    true: TrueWords = None,
    false: FalseWords = None,
    percent: Percent = False,
    decimal: Decimal = None,
    sep: Sep = None,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Compare systems by their results, all with each other."""
    import betterthan as bt

    form, target = where(format, output, inputs_of(files))
    picked = systems.split(",") if systems is not None else None
    data = _read(
        files,
        layout=layout,
        higher_is_better=False if lower_is_better else None,
        scale=scale,
        systems=systems,
        task=task,
        metric=metric,
        filter=filter,
        epoch=epoch,
        join=join,
        again=again,
        errors=errors,
        unscored=unscored,
        format=tool,
        names=names_are,
        item=item,
        system=system,
        score=score,
        ignore=ignore,
        true=true,
        false=false,
        percent=percent or None,
        decimal=decimal,
        sep=sep,
    )
    comparison = bt.compare(
        _one_by_one(files, data, judge) if method == "advised" or judge is not None else data,
        quantity=quantity,
        unit=unit,
        rope=rope,
        method=method,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=_prior(prior),
        ci_kind=interval,
        ci_prob=ci_prob,
        systems=picked,
        baseline=baseline,
        threshold=threshold,
        tests=bt.significance.Tests(
            tests.split(",") if tests is not None else None,
            alpha=alpha,
            correction=correction,
            shuffles=shuffles,
        ),
        rng=seed,
    )
    deliver(comparison, form, target)


@app.command()
def groups(
    files: Files,
    test: Annotated[
        str, typer.Option(help="randomization (swaps responses) or sign (counts wins).")
    ] = "randomization",
    statistic: Annotated[str | None, typer.Option(help=", ".join(names.STATISTICS))] = None,
    beta: Annotated[float, typer.Option(help="For f_beta: the weight of recall.")] = 1.0,
    unit: Annotated[
        str, typer.Option(help="Item column whose items are swapped together.")
    ] = names.ITEM,
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
    data = _read(files, layout=layout, higher_is_better=better, scale=scale, systems=systems)
    if test == "sign":
        found = bt.sign_test(data)
    else:
        found = bt.randomization_test(
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
        found, cutoff=cutoff, confidence=confidence, correction=correction
    )
    put(bt.report(together, format=form), target)


@app.command()
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
    from betterthan.reporting.rendering import brief

    form, target = where(format, output)
    cases = {
        case: bt.compare(bt.datasets.contingency_case(case), rope=rope, method=method, rng=seed)
        for case in "ab"
    }
    table = bt.compare(bt.datasets.intent_detection(), method=method, rng=seed)
    if form != "json":
        for case, comparison in cases.items():
            print(brief(comparison, f"Case ({case}): A is right on 710 of 1000 examples, B on 700"))
        print(brief(table, "Eight intent detection systems"))
    if form == "json" or target is not None:
        deliver(table, form, target)


app.command()(studies.measures)
app.command()(studies.outcome)
app.command()(studies.order)


@app.callback(invoke_without_command=True)
def _main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        print(f"betterthan {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and exit code 2."""
    warnings.showwarning = lambda message, *_args, **_kwargs: say(f"warning: {message}")
    try:
        code = app(standalone_mode=False) or 0
        if code == INTERRUPTED:  # the argument parser says so in silence
            raise KeyboardInterrupt
        sys.exit(code)
    except (ValueError, OSError, ArithmeticError) as error:
        fail(str(error))
    except ModuleNotFoundError as error:  # installed without what samples
        fail(
            f"this needs {error.name}, which is not installed; install it, or choose the method "
            f"exact"
        )
    except MemoryError:
        fail("there is not enough memory for this; give fewer systems, items or draws")
    except RecursionError:
        fail("what was given is nested too deeply; give plain tables")
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # as the argument parser wraps it
            raise KeyboardInterrupt from None
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # no arguments: that is a question, and the answer is the help
        if not message or "\n" in message:
            print(message)
            raise SystemExit(2) from None
        fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")


def _read(files: list[str], **choices: Any) -> "xr.DataArray":
    import betterthan as bt

    data = bt.read(source_of(files), **chosen(**choices))
    say(str(data.attrs["reading"]))
    return data


def _one_by_one(
    files: list[str], data: "xr.DataArray", judge: str | None
) -> "xr.DataArray | xr.Dataset":
    """Votes with who was shown first and who judged, which counts of them do not say."""
    import betterthan as bt

    if data.attrs.get("layout") == "votes" and len(files) == 1 and names.DATASET not in data.dims:
        judged = bt.io.read_judgments(files[0], judge=judge)
        say(str(judged.attrs["reading"]))
        return judged
    if judge is not None:
        raise ValueError(f"--judge {judge} is for votes, in one file of one data set")
    return data


def _prior(text: str) -> str | tuple[float, ...]:
    if text in names.PRIORS:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        known = ", ".join(names.PRIORS)
        raise ValueError(
            f"prior is {text!r}; give one of {known}, or three numbers such as 1,1,1"
        ) from None


if __name__ == "__main__":
    main()

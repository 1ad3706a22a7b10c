"""The command line: one command is one call of the public API."""

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from betterthan import __version__, checks, names
from betterthan.cli.console import deliver, fail, one_file, put, say, where

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Rope = Annotated[
    float, typer.Option(help="Difference up to which two systems are practically equivalent.")
]
Method = Annotated[
    str,
    typer.Option(
        help="exact (closed form), mcmc (PyMC), both, or advised (the model for the data)."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="A folder (report, pairs.csv, comparison.nc) or one file by its suffix.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", "-f", help="text, markdown, html, latex or json; text on the screen."),
]
Seed = Annotated[int | None, typer.Option(help="Seed of whatever is sampled.")]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="Results; several files are several data sets."),
]
File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Labels, tallies, scores or a confusion matrix.")
]
Interval = Annotated[str, typer.Option(help="Kind of interval: hdi or eti.")]
Prob = Annotated[float, typer.Option(help="Mass of the interval.")]
Layout = Annotated[
    str | None, typer.Option(help=f"{', '.join(names.LAYOUTS)}; recognised when not given.")
]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="Lower scores are better.")]
Shuffles = Annotated[
    int, typer.Option(help="Random swaps, where a randomization test has to sample.")
]
Scale = Annotated[
    int, typer.Option(help="Of tallies with partial credit: 2 where there are halves.")
]


@app.command()
def compare(
    files: Files,
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
    systems: Annotated[
        str | None, typer.Option(help="Systems to compare, in this order; comma-separated.")
    ] = None,
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
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Compare the systems of a table of results, all with each other."""
    import betterthan as bt

    form, target = where(format, output)
    data = _read(files, layout, lower_is_better, scale)
    comparison = bt.compare(
        _one_by_one(files, data, judge) if method == "advised" or judge is not None else data,
        rope=rope,
        method=method,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=_prior(prior),
        ci_kind=interval,
        ci_prob=ci_prob,
        systems=systems.split(",") if systems is not None else None,
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
    swap: Annotated[
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
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "none",
    layout: Layout = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Show which systems cannot be told from each other, as the MUC evaluations did."""
    import betterthan as bt

    form, target = one_file(format, output, "groups")
    checks.one_of(test, ("randomization", "sign"), "test")
    data = _read(files, layout, lower_is_better, scale)
    if test == "sign":
        found = bt.sign_test(data)
    else:
        found = bt.randomization_test(
            data,
            statistic=statistic,
            beta=beta,
            unit=swap,
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
def measures(
    file: File,
    statistic: Annotated[str | None, typer.Option(help=", ".join(names.STATISTICS))] = None,
    beta: Annotated[float, typer.Option(help="For f_beta: the weight of recall.")] = 1.0,
    unit: Annotated[
        str, typer.Option(help="Item column whose items stay together, such as dialogue.")
    ] = names.ITEM,
    rope: Rope = names.ROPE,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    draws: Annotated[
        int, typer.Option(help="Joint draws of the Bayesian bootstrap.")
    ] = names.BOOTSTRAP_DRAWS,
    shuffles: Shuffles = names.SHUFFLES,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    layout: Annotated[
        str | None,
        typer.Option(
            help="confusion, predictions, tallies, wide or long; recognised when not given."
        ),
    ] = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Precision, recall and F with their uncertainty, and systems compared by them on the same
    items.
    """
    import betterthan as bt
    from betterthan.cli.reading import measured, with_seed

    form, target = one_file(format, output, "measures")
    data, confusions, default = measured(
        file, layout, higher_is_better=not lower_is_better, scale=scale
    )
    say(str((data if data is not None else confusions).attrs["reading"]))
    answers = [] if confusions is None else [with_seed(confusions, seed)]
    if data is not None:
        found = bt.scores.compare(
            data,
            statistic=statistic or default,
            beta=beta,
            unit=unit,
            rope=rope,
            ci_prob=ci_prob,
            ci_kind=interval,
            draws=draws,
            shuffles=shuffles,
            correction=correction,
            rng=seed,
        )
        answers.insert(0, found)
    put(bt.report(*answers, format=form), target)


@app.command()
def outcome(
    file: Annotated[
        Path,
        typer.Argument(metavar="FEATURES", help="One row for each dialogue, one column a feature."),
    ],
    outcome: Annotated[str, typer.Option(help="The column to predict.")],
    features: Annotated[
        str | None, typer.Option(help="Columns to choose from, comma-separated; all others.")
    ] = None,
    direction: Annotated[
        str, typer.Option(help=f"Of the stepwise search: {', '.join(names.DIRECTIONS)}.")
    ] = "both",
    leave_out: Annotated[
        str | None, typer.Option(help="Column whose rows are left out together.")
    ] = None,
    method: Annotated[
        str, typer.Option(help="exact (least squares), or both (the PyMC model beside it).")
    ] = "exact",
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="PyMC: the outcome is ordered categories.")
    ] = False,
    draws: Annotated[int, typer.Option(help="PyMC: draws kept in each chain.")] = 2 * names.DRAWS,
    components: Annotated[
        Path | None,
        typer.Option(help="PyMC: a table of components and their features, to compare by outcome."),
    ] = None,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Which component scores predict an outcome, and which component it makes the better one."""
    import betterthan as bt
    from betterthan.cli.reading import component_table, plain_table

    form, target = one_file(format, output, "outcome")
    checks.one_of(method, ("exact", "both"), "method")
    if method == "exact" and (ordinal or components is not None):
        raise ValueError("--ordinal and --components need the PyMC model: add --method both")
    table = plain_table(file)
    columns = [name.strip() for name in features.split(",")] if features is not None else None
    function = bt.features.performance_function(
        table, outcome, columns=columns, direction=direction, leave_out=leave_out
    )
    posterior = predicted = None
    if method == "both":
        posterior = bt.models.performance_function.fit(
            table,
            outcome,
            columns=columns,
            by=leave_out,
            ordinal=ordinal,
            sampling=bt.models.Sampling(draws=draws),
            rng=seed,
        )
        if components is not None:
            predicted = bt.features.predict(posterior, component_table(components))
    answers = [answer for answer in (function, posterior, predicted) if answer is not None]
    put(bt.report(*answers, format=form), target)


@app.command()
def order(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Orders or ranks of systems (or judges).")
    ],
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="System that is the reference; several times for several. None: agreement."
        ),
    ] = None,
    references: Annotated[
        str, typer.Option(help="Several: mean, weighted, best or consensus.")
    ] = "mean",
    restrict: Annotated[
        str | None, typer.Option(help="common: compare the items that both orders have.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Fit the Mallows model with PyMC, too.")
    ] = False,
    rope: Rope = names.ROPE,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    draws: Annotated[
        int, typer.Option(help="Joint draws of the Bayesian bootstrap.")
    ] = names.BOOTSTRAP_DRAWS,
    shuffles: Shuffles = names.SHUFFLES,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Kendall's tau of orders against a reference, chance and each other; without a reference,
    agreement.
    """
    import betterthan as bt
    from betterthan.cli.reading import ordered, told_of

    form, target = one_file(format, output, "order")
    orders, names_of, several = ordered(file, reference, restrict)
    answers: list[Any] = told_of(orders, names_of, restrict)
    if several:
        compared = bt.orders.compare(
            orders,
            names_of,
            references=references,
            rope=rope,
            ci_prob=ci_prob,
            ci_kind=interval,
            draws=draws,
            shuffles=shuffles,
            correction=correction,
            rng=seed,
        )
        answers.append(compared)
    if model:
        taus = bt.orders.kendall_tau(
            orders, names_of or bt.orders.consensus(orders)["order"], restrict=restrict
        )
        pooling = "partial" if taus.sizes.get("document", 1) > 1 else "complete"
        dispersions = bt.fits.compare(
            bt.models.mallows.fit(taus, pooling=pooling, tied="half", rng=seed)
        )
        answers.append(dispersions)
    put(bt.report(orders, *answers, format=form), target)


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
        sys.exit(app(standalone_mode=False) or 0)
    except (ValueError, OSError, ArithmeticError) as error:
        fail(str(error))
    except ModuleNotFoundError as error:  # installed without what samples
        fail(
            f"this needs {error.name}, which is not installed; install it, or choose the method exact"
        )
    except Exception as error:
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # no arguments: that is a question, and the answer is the help
        if not message or "\n" in message:
            print(message)
            raise SystemExit(2) from None
        fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")


def _read(
    files: list[Path], layout: str | None, lower_is_better: bool, scale: int
) -> "xr.DataArray":
    import betterthan as bt

    source = files[0] if len(files) == 1 else list(files)
    data = bt.read(source, layout=layout, higher_is_better=not lower_is_better, scale=scale)
    say(str(data.attrs["reading"]))
    return data


def _one_by_one(
    files: list[Path], data: "xr.DataArray", judge: str | None
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

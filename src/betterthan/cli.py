"""The command line: one command is one call of the public API."""

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from betterthan import __version__, checks, names

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    help="Is my system better than yours, and how sure can we be?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
_SUFFIXES = {".txt": "text", ".md": "markdown", ".html": "html", ".htm": "html", ".tex": "latex", ".json": "json"}
_FILES = {"text": "report.txt", "markdown": "report.md", "html": "report.html", "latex": "report.tex"}

Rope = Annotated[float, typer.Option(help="Difference up to which two systems are practically equivalent.")]
Method = Annotated[str, typer.Option(help="exact (closed form), mcmc (PyMC), or both.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="A folder (report, pairs.csv, comparison.nc) or one file by its suffix."),
]
Format = Annotated[
    str | None, typer.Option("--format", "-f", help="text, markdown, html, latex or json; text on the screen.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of whatever is sampled.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Results; several files are several data sets.")]
Layout = Annotated[str | None, typer.Option(help=f"{', '.join(names.LAYOUTS)}; recognised when not given.")]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="Lower scores are better.")]
Shuffles = Annotated[int, typer.Option(help="Random swaps, where a randomization test has to sample.")]
Scale = Annotated[int, typer.Option(help="Of tallies with partial credit: 2 where there are halves.")]


@app.command()
def compare(
    files: Files,
    rope: Rope = names.ROPE,
    prior: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(names.PRIORS)}, or three numbers for win,loss,tie; win is of the system named first."
        ),
    ] = "uniform",
    ties: Annotated[str, typer.Option(help=", ".join(names.TIES))] = "third",
    missing: Annotated[str, typer.Option(help=", ".join(names.MISSING))] = "pairwise",
    margin: Annotated[float, typer.Option(help="Score difference up to which two systems tie on an example.")] = 0.0,
    method: Method = "exact",
    layout: Layout = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    tests: Annotated[str | None, typer.Option(help=f"{', '.join(names.TESTS)}; comma-separated.")] = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = names.ALPHA,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    shuffles: Shuffles = names.SHUFFLES,
    interval: Annotated[str, typer.Option(help="Kind of interval: hdi or eti.")] = names.CI_KIND,
    prob: Annotated[float, typer.Option(help="Mass of the interval.")] = names.CI_PROB,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Compare the systems of a table of results, all with each other."""
    import betterthan as bt

    form, target = _where(format, output)
    data = _read(files, layout, lower_is_better, scale)
    comparison = bt.compare(
        data,
        rope=rope,
        method=method,
        ties=ties,
        missing=missing,
        margin=margin,
        prior=_prior(prior),
        kind=interval,
        prob=prob,
        tests=tests.split(",") if tests is not None else None,
        alpha=alpha,
        correction=correction,
        shuffles=shuffles,
        rng=seed,
    )
    _deliver(comparison, form, target)


@app.command()
def groups(
    files: Files,
    test: Annotated[str, typer.Option(help="randomization (swaps responses) or sign (counts wins).")] = "randomization",
    statistic: Annotated[str | None, typer.Option(help=", ".join(names.STATISTICS))] = None,
    beta: Annotated[float, typer.Option(help="For f_beta: the weight of recall.")] = 1.0,
    swap: Annotated[str, typer.Option(help="Item column whose items are swapped together.")] = names.ITEM,
    method: Annotated[str, typer.Option(help=", ".join(names.RANDOMIZATIONS))] = "auto",
    shuffles: Shuffles = names.SHUFFLES,
    cutoff: Annotated[float, typer.Option(help="Two systems differ only at p up to this,")] = names.CUTOFF,
    confidence: Annotated[float, typer.Option(help="and with this confidence in it.")] = names.CONFIDENCE,
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
    from betterthan.files import write_whole

    form, target = _where(format, output)
    checks.one_of(form, names.FORMATS, "format")
    if target is not None and not target.suffix:
        raise ValueError(f"{target}: give one file, such as {target}.html; groups are one table")
    checks.one_of(test, ("randomization", "sign"), "test")
    data = _read(files, layout, lower_is_better, scale)
    if test == "sign":
        found = bt.sign_test(data)
    else:
        found = bt.randomization_test(
            data, statistic=statistic, beta=beta, swap=swap, method=method, shuffles=shuffles, cutoff=cutoff, rng=seed
        )
    together = bt.groups(found, cutoff=cutoff, confidence=confidence, correction=correction)
    written = bt.group_table(together, format=form)
    if target is None:
        print(written, end="" if written.endswith("\n") else "\n")
    else:
        write_whole(target, written)
        _say(f"wrote {target}")


@app.command()
def demo(
    rope: Rope = 0.01,
    method: Method = "both",
    seed: Seed = 7,
    format: Format = None,
    output: Output = None,
) -> None:
    """Run the main job on the published tables of the package; -o also writes the report on the eight systems."""
    import betterthan as bt
    from betterthan.reporting.plain import brief

    form, target = _where(format, output)
    cases = {case: bt.compare(bt.datasets.contingency_case(case), rope=rope, method=method, rng=seed) for case in "ab"}
    table = bt.compare(bt.datasets.intent_detection(), method=method, rng=seed)
    if form != "json":
        for case, comparison in cases.items():
            print(brief(comparison, f"Case ({case}): A is right on 710 of 1000 examples, B on 700"))
        print(brief(table, "Eight intent detection systems"))
    if form == "json" or target is not None:
        _deliver(table, form, target)


@app.callback(invoke_without_command=True)
def _main(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"betterthan {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and exit code 2."""
    warnings.showwarning = lambda message, *_args, **_kwargs: _say(f"warning: {message}")
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except (ValueError, OSError, ArithmeticError) as error:
        _fail(str(error))
    except Exception as error:
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        if not message or "\n" in message:  # no arguments: that is a question, and the answer is the help
            print(message)
            raise SystemExit(2) from None
        _fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")


def _where(format: str | None, output: Path | None) -> tuple[str, Path | None]:
    """Format and target, agreed before any work is done."""
    by_suffix = _SUFFIXES.get(output.suffix.lower()) if output is not None else None
    if output is not None and not str(output).strip("."):
        raise ValueError("output is empty; give a folder or a file")
    form = format or by_suffix or ("html" if output is not None else "text")
    checks.one_of(form, (*names.FORMATS, "json"), "format")
    if output is not None and output.suffix and by_suffix is None and not output.is_dir():
        raise ValueError(f"{output}: unknown suffix {output.suffix!r}; give a folder, or one of {', '.join(_SUFFIXES)}")
    if by_suffix and form != by_suffix:
        raise ValueError(f"{output}: its suffix says {by_suffix}, but the format is {form}; give one of the two")
    return form, output


def _read(files: list[Path], layout: str | None, lower_is_better: bool, scale: int) -> "xr.DataArray":
    import betterthan as bt

    source = files[0] if len(files) == 1 else list(files)
    data = bt.read(source, layout=layout, higher_is_better=not lower_is_better, scale=scale)
    _say(str(data.attrs["reading"]))
    return data


def _prior(text: str) -> str | tuple[float, ...]:
    if text in names.PRIORS:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        known = ", ".join(names.PRIORS)
        raise ValueError(f"prior is {text!r}; give one of {known}, or three numbers such as 1,1,1") from None


def _deliver(comparison: "xr.Dataset", form: str, target: Path | None) -> None:
    """Print, or write one file, or fill a folder; everything is made before the first byte is written."""
    import betterthan as bt
    from betterthan.files import write_all, write_whole
    from betterthan.reporting.records import as_json

    written = as_json(comparison) if form == "json" else bt.report(comparison, format=form)
    if target is None:
        print(written, end="" if written.endswith("\n") else "\n")
    elif target.suffix:
        write_whole(target, written)
        _say(f"wrote {target}")
    else:
        contents: dict[str, str | bytes] = {_FILES.get(form, "report.json"): written}
        contents["pairs.csv"] = bt.pair_table(comparison).to_csv(index=False)
        contents["comparison.nc"] = bytes(comparison.to_netcdf(engine="h5netcdf"))
        write_all({target / name: content for name, content in contents.items()})
        _say(f"wrote {', '.join(str(target / name) for name in contents)}")


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _fail(message: str) -> NoReturn:
    _say("error: " + " ".join(message.split()))
    raise SystemExit(2)


if __name__ == "__main__":
    main()

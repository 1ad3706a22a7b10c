"""The command `compare`; its annotations are read when it is registered with the parser, without
which it runs where there is nothing to parse.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from betterthan import names
from betterthan.blocks.scheduling import scheduled
from betterthan.cli.console import deliver, say, where
from betterthan.cli.sources import inputs_of, read_arguments
from betterthan.files import refuse_inputs, write_whole

if TYPE_CHECKING:
    import typer
    import xarray as xr

    from betterthan.cli.options import (
        Figures,
        Files,
        Github,
        Interval,
        Junit,
        Method,
        Output,
        PaperFormat,
        Prob,
        Rope,
        Scheduler,
        Seed,
        Shuffles,
        Systems,
    )
    from betterthan.results.comparison import Comparison


def compare(
    files: Files,
    quantity: Annotated[
        str | None,
        typer.Option(help="Of graded scores, what decides: mean (default) or wins."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="item: take items of a cluster, and runs of an item, as independent."),
    ] = None,
    weight: Annotated[
        str,
        typer.Option(help="unit: count each cluster, or repeatedly run item, once in a mean."),
    ] = "item",
    over: Annotated[
        str | None,
        typer.Option(help="The average over the values of this column, such as dataset."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="With --over: size, or a weight of each value, NAME=WEIGHT, comma-separated. "
            "Default: each counts once."
        ),
    ] = None,
    rope: Rope = names.ROPE,
    prior: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(names.PRIORS)}, {names.SKEPTICAL}, or three numbers for "
            "win,loss,tie; win is of the system named first."
        ),
    ] = "uniform",
    ties: Annotated[str, typer.Option(help=", ".join(names.TIES))] = "third",
    missing: Annotated[str, typer.Option(help=", ".join(names.MISSING))] = "pairwise",
    margin: Annotated[
        float, typer.Option(help="Score difference up to which two systems tie on an example.")
    ] = 0.0,
    systems: Systems = None,
    baseline: Annotated[
        str | None, typer.Option(help="The system that the others are compared with.")
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Probability from which a verdict is given.")
    ] = names.VERDICT_PROB,
    method: Method = "exact",
    tests: Annotated[
        str | None, typer.Option(help=f"{', '.join(names.TESTS)}; comma-separated.")
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = names.ALPHA,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    shuffles: Shuffles = names.SHUFFLES,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    judge: Annotated[
        str | None,
        typer.Option(
            help="With --human, the column of the judge's answers; two, comma-separated, where it "
            "was asked in both orders. Else, of votes, the column that says who judged."
        ),
    ] = None,
    human: Annotated[
        str | None,
        typer.Option(help="Of judged outcomes: the column of labels by people, blank for none."),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option(help="With --human: columns that tell the judge's answers apart."),
    ] = None,
    drop: Annotated[
        bool,
        typer.Option(
            "--drop", help="With --human: leave out labels on items that the judge did not answer."
        ),
    ] = False,
    seed: Seed = None,
    scheduler: Scheduler = None,
    format: PaperFormat = None,
    p_values: Annotated[
        str | None,
        typer.Option(
            help="With --format latex-table: a test whose p-values against the baseline, or else "
            "the system most likely the best, get a column."
        ),
    ] = None,
    output: Output = None,
    figures: Figures = None,
    github: Github = False,
    junit: Junit = None,
    full: Annotated[
        bool,
        typer.Option("--full", help="Print the full report: tests, priors, diagnostics, data."),
    ] = False,
    no_picture: Annotated[
        bool, typer.Option("--no-picture", help="Print no picture of the intervals.")
    ] = False,
    **reading: Any,
) -> None:
    """Compare systems by their results, all with each other."""
    import betterthan as bt

    form, target = where(format, output, inputs_of(files))
    if p_values is not None and form != "latex-table":
        raise ValueError(f"--p-values {p_values} is for --format latex-table")
    refuse_inputs([junit] if junit is not None else [], inputs_of(files))
    picked = systems.split(",") if systems is not None else None
    judged_columns = _of_judged(judge, human, strata, drop)
    lazy = scheduler is not None
    data = read_arguments(files, systems=systems, lazy=lazy, **judged_columns, **reading)
    compared = partial(
        bt.compare,
        _votes(files, data, method, judge) if human is None else data,
        quantity=quantity,
        unit=unit,
        weight=weight,
        over=over,
        weights=_weights(weights),
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
    with scheduled(scheduler):
        comparison = compared()
    deliver(comparison, form, target, p_values=p_values, full=full, picture=not no_picture)
    if figures is not None:
        _draw(comparison, figures)
    if github or junit is not None:
        _to_machines(comparison, github, junit)


def _weights(text: str | None) -> str | dict[str, float] | None:
    """The weights of data sets, each as NAME=WEIGHT."""
    if text is None or text == "size":
        return text
    weights = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            weights[name.strip()] = float(number)
        except ValueError:
            raise ValueError(
                f"--weights holds {part!r}; give size, or NAME=WEIGHT of each, comma-separated"
            ) from None
    return weights


def _of_judged(
    judge: str | None, human: str | None, strata: str | None, drop: bool
) -> dict[str, Any]:
    """Return the columns of judged outcomes, if given."""
    if human is not None:
        return {"judge": judge, "human": human, "strata": strata, "drop": drop}
    for option, is_set in (("--strata", strata is not None), ("--drop", drop)):
        if is_set:
            raise ValueError(
                f"{option} is for judged outcomes; name the labels by people with --human"
            )
    return {}


def _to_machines(comparison: Comparison, github: bool, junit: Path | None) -> None:
    """Tell GitHub and a reader of JUnit's XML, too."""
    import betterthan as bt
    from betterthan.results import machines

    if github:
        machines.step_summary(bt.report(comparison, format="markdown"))
    if junit is not None:
        write_whole(junit, machines.junit("comparison", machines.pair_cases(comparison)))
        say(f"wrote {junit}")


def _draw(comparison: Comparison, folder: Path) -> None:
    """Figures for a paper, and which of them were left out."""
    from betterthan.plot.figure_files import write_figures

    written, left_out = write_figures(comparison, folder)
    for line in left_out:
        say(f"left out {line}")
    say(f"wrote {len(written)} files into {folder}")


def _votes(
    files: list[str], data: xr.DataArray, method: str, judge: str | None
) -> xr.DataArray | xr.Dataset:
    """Votes with who was shown first and who judged, which counts of them do not say, where that is
    asked.
    """
    import betterthan as bt

    if method != "advised" and judge is None:
        return data
    if data.attrs.get("layout") == "votes" and len(files) == 1 and names.DATASET not in data.dims:
        judged = bt.io.read_judgments(files[0], judge=judge)
        say(str(judged.attrs["reading"]))
        return judged
    if judge is not None:
        raise ValueError(
            f"--judge {judge} is for votes, in one file of one data set; or, with --human COLUMN, "
            "for outcomes that a judge gave"
        )
    return data


def _prior(text: str) -> str | tuple[float, ...]:
    named_priors = (*names.PRIORS, names.SKEPTICAL)
    if text in named_priors:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"prior is {text!r}; give one of {', '.join(named_priors)}, or three numbers such as "
            "1,1,1"
        ) from None

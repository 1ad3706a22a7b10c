"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from betterthan import names

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
Page = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Also write a page: .html, .md, .tex or .txt."
    ),
]
PaperFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help="text, markdown, html, latex or json; for a paper latex-table, latex-macros or "
        "sentence; pull-request. Default: text on the screen.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Seed of whatever is sampled.")]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Tables or logs of evaluation tools: files, folders, patterns, or NAME=FILE for each "
        "system. Several tables of the same systems are several data sets.",
    ),
]


File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Labels, tallies, scores or a confusion matrix.")
]
Interval = Annotated[str, typer.Option(help="Kind of interval: hdi or eti.")]
Prob = Annotated[float, typer.Option(help="Mass of the interval.")]
Ignore = Annotated[str | None, typer.Option(help="Columns that nothing is read from.")]
Lower = Annotated[bool, typer.Option("--lower-is-better", help="Lower scores are better.")]
Scale = Annotated[
    int, typer.Option(help="Of tallies with partial credit: 2 where there are halves.")
]
Shuffles = Annotated[
    int, typer.Option(help="Random swaps, where a randomization test has to sample.")
]
Systems = Annotated[
    str | None, typer.Option(help="Systems to compare, in this order; comma-separated.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        help="Address of a dask scheduler whose workers read blocks of scores (a Zarr store, or "
        "Parquet files, which then are parts of one table); or threads, of this machine."
    ),
]
Github = Annotated[
    bool, typer.Option("--github", help="Add the answer to the step summary of GitHub Actions.")
]
Junit = Annotated[Path | None, typer.Option(help="Write the answer as JUnit's XML.")]
Figures = Annotated[
    Path | None,
    typer.Option("--figures", help="A folder to draw the figures into, as PDF, SVG and PNG."),
]


def _of(panel: str, kind: Any, help: str, *flags: str) -> tuple[Any, Any]:
    """A type and its option, and the default: not set."""
    option = typer.Option(*flags, help=help, rich_help_panel=panel)
    return Annotated[kind if kind is bool else kind | None, option], False if kind is bool else None


_LOGS, _TABLES = "Of logs", "Of tables"
# How tables and logs are read: option, and default; commands take those that they can use.
READING = {
    "layout": _of(_TABLES, str, f"{', '.join(names.LAYOUTS)}; recognised when not given."),
    "lower_is_better": _of(_TABLES, bool, "Lower scores are better.", "--lower-is-better"),
    "scale": _of(_TABLES, int, "Of tallies with partial credit: 2 where there are halves."),
    "names": _of(_TABLES, str, "systems or datasets: what several tables are."),
    "item": _of(_TABLES, str, "The column of item ids."),
    "system": _of(_TABLES, str, "The column of systems."),
    "score": _of(_TABLES, str, "The column of scores."),
    "ignore": _of(_TABLES, str, "Columns that nothing is read from."),
    "true": _of(_TABLES, str, "Words that are 1, such as C,pass."),
    "false": _of(_TABLES, str, "Words that are 0, such as I,fail."),
    "percent": _of(_TABLES, bool, "Scores are per cent.", "--percent"),
    "decimal": _of(_TABLES, str, "The decimal sign: . or ,"),
    "sep": _of(_TABLES, str, "What stands between cells, such as ;"),
    "task": _of(_LOGS, str, "Tasks to read; comma-separated."),
    "metric": _of(_LOGS, str, "The metric, or the beginning of its name."),
    "filter": _of(_LOGS, str, "The filter, of lm-eval."),
    "epoch": _of(_LOGS, int, "One run of each item."),
    "join": _of(_LOGS, str, "auto, id, content or order: what makes one item of two."),
    "again": _of(_LOGS, str, "last, first or epochs: of several finished runs of one system."),
    "errors": _of(_LOGS, str, "missing, raw or worst: what a sample counts as that failed."),
    "unscored": _of(_LOGS, str, "missing, raw or worst: what a sample counts as without a score."),
    "tool": _of(_LOGS, str, "The tool that wrote them; recognised when not given."),
    "items": _of(_LOGS, Path, "A file with the ids of the data set, one a line, for SWE-bench."),
    "cluster": _of(_LOGS, str, "content, or a metadata of samples: what items of a cluster share."),
}

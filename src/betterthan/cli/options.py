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


def _of(panel: str, help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=panel)


_LOGS = "Of logs"
Task = Annotated[str | None, _of(_LOGS, "Tasks to read; comma-separated.")]
Metric = Annotated[str | None, _of(_LOGS, "The metric, or the beginning of its name.")]
Filter = Annotated[str | None, _of(_LOGS, "The filter, of lm-eval.")]
Epoch = Annotated[int | None, _of(_LOGS, "One run of each item.")]
Join = Annotated[str | None, _of(_LOGS, "auto, id, content or order: what makes one item of two.")]
Again = Annotated[
    str | None, _of(_LOGS, "last, first or epochs: of several finished runs of one system.")
]
Errors = Annotated[
    str | None, _of(_LOGS, "missing, raw or worst: what a sample counts as that failed.")
]
Unscored = Annotated[
    str | None, _of(_LOGS, "missing, raw or worst: what a sample counts as without a score.")
]
Tool = Annotated[str | None, _of(_LOGS, "The tool that wrote them; recognised when not given.")]
Items = Annotated[
    Path | None, _of(_LOGS, "A file with the ids of the data set, one a line, for SWE-bench.")
]
Cluster = Annotated[
    str | None,
    _of(_LOGS, "content, or a metadata of samples: what items of one cluster share."),
]
_TABLES = "Of tables"
Names = Annotated[
    str | None, _of(_TABLES, "systems or datasets: what several tables are.", "--names")
]
Item = Annotated[str | None, _of(_TABLES, "The column of item ids.")]
System = Annotated[str | None, _of(_TABLES, "The column of systems.")]
Score = Annotated[str | None, _of(_TABLES, "The column of scores.")]
Ignore = Annotated[str | None, _of(_TABLES, "Columns that nothing is read from.")]
TrueWords = Annotated[str | None, _of(_TABLES, "Words that are 1, such as C,pass.", "--true")]
FalseWords = Annotated[str | None, _of(_TABLES, "Words that are 0, such as I,fail.", "--false")]
Percent = Annotated[bool, _of(_TABLES, "Scores are per cent.", "--percent")]
Decimal = Annotated[str | None, _of(_TABLES, "The decimal sign: . or ,")]
Sep = Annotated[str | None, _of(_TABLES, "What stands between cells, such as ;")]
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

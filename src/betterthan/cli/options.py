"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

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
Systems = Annotated[
    str | None, typer.Option(help="Systems to compare, in this order; comma-separated.")
]

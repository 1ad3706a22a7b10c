"""The figures of an HTML report, as SVG that needs nothing from outside."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.plot.bars import outcomes
from betterthan.plot.curves import densities as plot_densities
from betterthan.plot.forest import differences
from betterthan.plot.squares import matrix as plot_matrix
from betterthan.plot.ternary import simplex
from betterthan.reporting.of_comparison import MATRIX_OF, order_of

_BARS_OF = 8  # systems whose pairs all fit a bar chart


def draw(comparison: xr.Dataset) -> list[tuple[str, str]]:
    """(caption, svg) of each figure that suits the number of systems."""
    systems = comparison.sizes[names.SYSTEM_A]
    order = order_of(comparison)
    ordered = comparison.isel({names.SYSTEM_A: order, names.SYSTEM_B: order}).drop_dims(
        names.SYSTEM, errors="ignore"
    )
    counts, three = ordered["counts"], ordered.sizes[names.OUTCOME] == 3
    prior = ordered.attrs["prior"]
    drawn = []
    with steady_svg():
        if systems == 2:
            if three:
                axes = plot_densities(
                    counts, prior=prior, show="difference", rope=ordered.attrs["rope"]
                )
                drawn.append(("Posterior of the difference", axes))
                drawn.append(("Posterior of win, loss and tie", simplex(counts, prior=prior)))
            decisive = plot_densities(counts, prior=prior, show="decisive")
            drawn.append(("Posterior of the probability of winning a decisive example", decisive))
        elif systems > MATRIX_OF:  # with fewer the page has the matrix as a table
            better = ordered["prob_better"].isel({names.ENGINE: 0}, drop=True)
            drawn.append(
                ("Probability that the row is better than the column", plot_matrix(better))
            )
        if "difference_mean" in ordered:
            drawn.append(("Differences with their intervals", differences(ordered)))
        if systems <= _BARS_OF:
            drawn.append(("Wins, ties and losses", outcomes(counts)))
        return [(caption, as_svg(axes)) for caption, axes in drawn]


@contextmanager
def steady_svg() -> Iterator[None]:
    """Paths instead of fonts, and no date: the page looks the same everywhere and every time."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        yield


def as_svg(axes: Any) -> str:
    """A figure as SVG, without the XML before it."""
    buffer = StringIO()
    axes.figure.savefig(
        buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )
    svg = buffer.getvalue()
    return svg[svg.index("<svg") :]

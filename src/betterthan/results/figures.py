"""Figures of a page: those of a comparison, of rankings, and any of them as SVG."""

import re
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.context import MATRIX_OF, Shown
from betterthan.results.document import Figure, Part, plotted

# what is written shorter: a glyph at a place, and coordinates to a hundredth of a point
_SHORTER = (
    (re.compile(r"<!--.*?-->", re.S), ""),
    (re.compile(r"\n\s*"), "\n"),
    (re.compile(r"(\d{2,}\.\d\d)\d+"), r"\1"),
    (re.compile(r"(?<=[\"#])DejaVuSans-"), "dv"),
    (re.compile(r'xlink:href="#'), 'href="#'),
    (
        re.compile(r'(<use href="#\w+") transform="translate\((-?\d+)(?:\.\d+)? 0\)"/>'),
        r'\1 x="\2"/>',
    ),
)


def as_svg(figure: Figure) -> str:
    """A figure as SVG, without the XML before it.

    Paths instead of fonts, and no date: the page looks the same everywhere and every time.
    """
    found = figure.draw()
    if isinstance(found, str):
        return found
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        drawn = found.figure
        drawn.set_layout_engine("none")  # it was laid out when it was finished
        drawn.savefig(
            buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    svg = buffer.getvalue()
    said = f'<svg role="img" aria-label="{escape(figure.caption)}" '
    shown = svg[svg.index("<svg") :].replace("<svg ", said, 1)
    for pattern, short in _SHORTER:
        shown = pattern.sub(short, shown)
    return "".join(c if c.isprintable() or c == "\n" else " " for c in shown)


_BARS_OF = 8  # systems whose pairs all fit a bar chart
_DRAWN_OF = 60  # systems up to which the matrix is drawn with all a figure has
_FOREST_OF = 40  # systems of the forest, the best ones


def figures_part(shown: Shown) -> Part | None:
    """Those that suit the number of systems."""
    figures = [*(_of_many(shown) if shown.many else _of_a_pair(shown)), *_of_any(shown)]
    return Part("Figures", figures=figures) if figures else None


def _of_a_pair(shown: Shown) -> list[Figure]:
    """Posteriors of wins on single items, where these are the answer."""
    if shown.made.quantity == "mean" or shown.made.n_units is not None:
        return []
    counts, prior = shown.whole["counts"], shown.made.prior

    def posterior(of: str, **rope: Any) -> Any:
        return plotted("densities", counts, prior=prior, show=of, **rope)

    wins = Figure(
        "Posterior of the probability of winning a discordant example", posterior("decisive")
    )
    if counts.sizes[names.OUTCOME] == 2:
        return [wins]
    return [
        Figure("Posterior of the difference", posterior("difference", rope=shown.rope)),
        Figure("Posterior of win, loss and tie", plotted("simplex", counts, prior=prior)),
        wins,
    ]


def _of_many(shown: Shown) -> list[Figure]:
    figures = [Figure("Systems", plotted("leaderboard", shown.whole, limit=_FOREST_OF))]
    if len(shown.systems) > MATRIX_OF:
        caption = "Probability that the row is better than the column"
        whole = shown.whole.drop_vars(names.ENGINE, errors="ignore")
        by_hand = len(shown.systems) > _DRAWN_OF
        draw = (
            plotted("painted.matrix_svg", whole, caption) if by_hand else plotted("matrix", whole)
        )
        note = "; rows are numbered, grey: never compared" if by_hand else ""
        figures.append(Figure(caption + note, draw))
    return figures


def _of_any(shown: Shown) -> list[Figure]:
    figures = []
    few = len(shown.systems) <= _FOREST_OF  # of more, 40 of thousands of pairs tell little
    if "difference_mean" in shown.whole and few and _told(shown):
        sized = shown.whole.drop_dims(names.SYSTEM, errors="ignore")
        figures.append(Figure("Differences with their intervals", plotted("differences", sized)))
    if len(shown.systems) <= _BARS_OF:
        counts = shown.whole["counts"]
        figures.append(Figure("Wins, ties and losses", plotted("outcomes", counts)))
    return figures


def _told(shown: Shown) -> bool:
    """Whether any pair has a difference."""
    known = shown.whole["difference_mean"].notnull() & (shown.whole["verdict"] != "no_data")
    return bool((known.values & ~np.eye(len(shown.systems), dtype=bool)).any())


_JUDGES_DRAWN = 12
_ITEMS_DRAWN = 60
_ITEMS_OF_CHANCE = 200
_MARKED = 6  # systems in the figure of chance


def tau_figures(taus: xr.Dataset) -> list[Figure]:
    """Tau of every document; of one, tau and chance."""
    if names.DOCUMENT in taus.dims:
        return [Figure("Tau of every document", plotted("tau", _mean_taus(taus)))]
    items = np.unique(taus["n_items"].values)
    if names.REFERENCE in taus.dims or len(items) > 1 or items[0] > _ITEMS_OF_CHANCE:
        return []
    return [Figure("Tau and chance", _chance(taus, int(items[0])))]


def order_figures(orders: xr.DataArray) -> list[Figure]:
    """The orders side by side, where they are few and short."""
    items = orders.sizes.get(names.POSITION, orders.sizes.get(names.ITEM, 0))
    if names.DOCUMENT in orders.dims or items > _ITEMS_DRAWN:
        return []
    systems = [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]]
    return [Figure("Orders side by side", plotted("orders", orders, systems))]


def _mean_taus(taus: xr.Dataset) -> xr.DataArray:
    return taus["tau"].mean(names.REFERENCE) if names.REFERENCE in taus.dims else taus["tau"]


def _chance(taus: xr.Dataset, items: int) -> Callable[[], Any]:
    highest = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:_MARKED]})
    systems = map(str, highest[names.SYSTEM].values)
    marks = dict(zip(systems, highest["tau"].values.tolist(), strict=True))
    return plotted("tau_distribution", items, marks)

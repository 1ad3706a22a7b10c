"""The figures of a comparison."""

from typing import Any

import numpy as np

from betterthan import names
from betterthan.results.context import MATRIX_OF, Shown
from betterthan.results.document import Figure, Part, plotted

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

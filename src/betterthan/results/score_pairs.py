"""Pairs of systems compared by a score: the table, and the words."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.cells import (
    cell_of,
    interval_of,
    names_in,
    p_value_in,
    probability_in,
)
from betterthan.results.columns import Column, difference, probability
from betterthan.results.context import PAIRS_OF, printable, systems_dims
from betterthan.results.document import Figure, Part, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.pairs_table import (
    LOSSES,
    P_BETTER,
    WINS,
    p_value,
    pairs_of,
    rope_columns,
    table_of_pairs,
    verdict,
)
from betterthan.results.rows import ahead_first
from betterthan.results.sentences import title_of_verdict

_TOLD = 4  # systems whose pairs are told in words
_SAID = {"f1": "F1", "macro_f1": "macro F1", "mean": "mean score", "tau": "mean tau"}
_NO_VERDICT = {"no_verdict": "no verdict: rare label", "no_data": "no verdict: one unit"}
_CORRECTED = {"holm": "Holm p", "bh": "BH p"}


def in_order(found: xr.Dataset) -> xr.Dataset:
    """Systems by expected rank, their names on one line."""
    order = np.argsort(found["expected_rank"].values, kind="stable")
    return printable(found.isel(dict.fromkeys(systems_dims(found), order)))


def first_of(found: xr.Dataset, count: int) -> xr.Dataset:
    """The first systems alone."""
    return found.isel(dict.fromkeys(systems_dims(found), slice(count)))


def said_of(found: xr.Dataset) -> str:
    """The statistic, in words."""
    statistic = str(found.attrs["statistic"])
    return _SAID.get(statistic, statistic)


def pairs_part(found: xr.Dataset) -> Part:
    """Every pair: difference, probability, test."""
    shown, total = first_of(found, PAIRS_OF), found.sizes[names.SYSTEM]
    places = ahead_first(shown)
    caption = f"All {len(places)} pairs" if len(places) > 1 else "The pair"
    if shown.sizes[names.SYSTEM] < total:
        pairs = total * (total - 1) // 2
        caption = f"The first {PAIRS_OF} systems: {len(places)} of {pairs:,} pairs"
    units = units_of(found)
    notes = [
        f"Wins and losses: {units} on which the system, or the other, scores higher by itself.",
        "In brackets: the system that p speaks for.",
    ]
    if "prob_better_closed" in found:
        notes.append("Closed form: of wins and losses alone, with a prior of one each.")
    elif _counts_wins(found):
        notes.append(f"P(wins more): of the {units} ahead alone, with a prior of one each.")
    table = table_of_pairs(pairs_of(_both_sides(shown), places), _columns(found), caption)
    return Part("Pairs", tables=[table], notes=notes, figures=_figures(found))


def _both_sides(found: xr.Dataset) -> xr.Dataset:
    """With the wins of the other, and the system whose score is better on the data."""
    better = 1 if found.attrs.get("higher_is_better", True) else -1
    score = better * found["score"].values
    losses = found["wins"].transpose(names.SYSTEM_B, names.SYSTEM_A).values
    favours = np.sign(np.subtract.outer(score, score))
    return found.assign(losses=(names.SQUARE, losses), favours=(names.SQUARE, favours))


def _columns(found: xr.Dataset) -> list[Column]:
    corrected = _CORRECTED.get(found.attrs["correction"])
    more = [probability("P(wins more)", "prob_more_wins", blank=())] if _counts_wins(found) else []
    several = found.sizes[names.SYSTEM] > 2
    return [
        difference("Difference", bracketed=interval_of(found.attrs)),
        P_BETTER,
        probability("closed form", "prob_better_closed", blank=()),
        *more,
        *rope_columns(found.attrs["rope"]),
        p_value("p", "p_value"),
        *([p_value(corrected, "p_adjusted")] if corrected and several else []),
        WINS,
        LOSSES,
        verdict(reasons=_NO_VERDICT),
    ]


def units_of(found: xr.Dataset) -> str:
    """What was weighed."""
    unit = str(found.attrs.get("unit", names.ITEM))
    unit = names.DOCUMENT if found.attrs.get("statistic") == "tau" else unit
    return f"{unit}s"


def _counts_wins(found: xr.Dataset) -> bool:
    """Whether wins counted alone stand beside, and in no other column or table."""
    return "prob_more_wins" in found and not {"prob_better_closed", "prob_ahead"} & set(found)


def words_part(found: xr.Dataset) -> Part | None:
    """The first pairs of several in sentences; of two systems the answer says it."""
    if found.sizes[names.SYSTEM] == 2:
        return None
    few, told = first_of(found, _TOLD), said_of(found)
    cells = [cell_of(few, i, j) for i, j in ahead_first(few)]
    return Part("In words", lines=[_sentence(cell, told) for cell in cells])


def _sentence(cell: xr.Dataset, told: str) -> str:
    (a, b), verdict = names_in(cell), str(cell["verdict"].item())
    p, tested = probability_in(cell, "prob_better"), p_value_in(cell)
    reason = of_wins(cell, verdict) or why(
        verdict, cell["p_value"].item(), favours(cell), cell.attrs["alpha"]
    )
    speaks = {1: f", for {a}", -1: f", for {b}"}.get(favours(cell), "")
    if verdict in ("no_verdict", "no_data"):
        reason = withheld(cell)
        return f"No verdict on the {told} of {a} and {b} ({reason}); two-sided p {tested}{speaks}."
    return (
        f"{told[:1].upper()}{told[1:]} of {a} is better than that of {b} with probability {p}; "
        f"two-sided p {tested}{speaks}. Verdict: {title_of_verdict(verdict, a, b)}"
        f"{f' ({reason})' if reason else ''}."
    )


def favours(cell: xr.Dataset) -> int:
    """The system whose score is better on the data, for which the test of that score speaks."""
    better = 1 if cell.attrs.get("higher_is_better", True) else -1
    a, b = (cell["score"].sel({names.SYSTEM: name}).item() for name in names_in(cell))
    return better * int(np.sign(a - b))


def withheld(cell: xr.Dataset) -> str:
    """Why no verdict is given."""
    rare = cell.attrs.get("rare_labels")
    if str(cell["verdict"].item()) == "no_data" or not rare:
        return "a single unit shows no spread"
    return f"labels with too few gold items: {on_one_line(str(rare))}"


def of_wins(cell: xr.Dataset, verdict: str) -> str:
    """Why a sure score is no verdict: the number of wins does not agree."""
    better = cell["prob_better"].item()
    threshold = cell.attrs.get("threshold", names.VERDICT_PROB)
    if (
        verdict != "undecided"
        or "prob_more_wins" not in cell
        or max(better, 1 - better) < threshold
    ):
        return ""
    if cell.get("too_close", False):
        return "the threshold is within two Monte Carlo errors; more draws may decide"
    told = probability_in(cell, "prob_more_wins")
    return (
        f"a verdict needs the number of {units_of(cell)} ahead to agree; counted alone they give "
        f"{names_in(cell)[0]} a probability of {told}"
    )


def why(verdict: str, p: float, favours: int, alpha: float) -> str:
    """One clause where posterior and test do not say the same: first for whom, then how surely."""
    decided, small = verdict in ("a_better", "b_better"), p <= alpha
    if decided and small and favours != (1 if verdict == "a_better" else -1):
        return (
            "the test is significant for the other system: the mean of the draws and the score "
            "of the data are on different sides"
        )
    if decided and not small and p / 2 <= alpha:
        return "the probability looks at one side, the p-value at two"
    if decided and not small:
        return "the posterior approximates where items are few; the test is exact on them"
    if verdict == "equivalent" and small:
        return "the difference is real but too small to matter"
    if not decided and small:
        return "the test is significant, the posterior not sure enough"
    return ""


def _figures(found: xr.Dataset) -> list[Figure]:
    if found.sizes[names.SYSTEM] == 2:
        return []

    caption = "Probability that the row is better than the column"
    return [Figure(caption, plotted("matrix", found["prob_better"]))]

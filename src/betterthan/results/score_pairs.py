"""Pairs of systems compared by a score: the table, and the words."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.cells import (
    cell_of,
    difference_in,
    interval_of,
    names_in,
    p_value_in,
    probability_in,
    within_rope,
)
from betterthan.results.context import PAIRS_OF, printable, systems_dims
from betterthan.results.document import Figure, Part, Table, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.rows import ahead_first
from betterthan.results.sentences import title_of_verdict
from betterthan.results.significance_tables import for_whom

_TOLD = 4  # systems whose pairs are told in words
_SAID = {"f1": "F1", "macro_f1": "macro F1", "mean": "mean score", "tau": "mean tau"}
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
    corrected = _CORRECTED.get(found.attrs["correction"]) if total > 2 else None
    rows = [_row(shown, i, j, bool(corrected)) for i, j in ahead_first(shown)]
    caption = f"All {len(rows)} pairs" if len(rows) > 1 else "The pair"
    if shown.sizes[names.SYSTEM] < total:
        pairs = total * (total - 1) // 2
        caption = f"The first {PAIRS_OF} systems: {len(rows)} of {pairs:,} pairs"
    units = units_of(found)
    notes = [
        f"System ahead, other ahead: {units} on which one scores higher by itself.",
        "In brackets: the system that p speaks for.",
    ]
    if "prob_better_closed" in found:
        notes.append("Closed form: of wins and losses alone, with a prior of one each.")
    elif _counts_wins(found):
        notes.append(f"P(ahead more often): of the {units} ahead alone, with a prior of one each.")
    return Part(
        "Pairs",
        tables=[Table(_heads(found, corrected), rows, caption, left=2)],
        notes=notes,
        figures=_figures(found),
    )


def _heads(found: xr.Dataset, corrected: str | None) -> tuple[str, ...]:
    rope = found.attrs["rope"]
    heads = ["System", "Other", f"Difference [{interval_of(found.attrs)}]", "P(better)"]
    heads += ["closed form"] if "prob_better_closed" in found else []
    heads += ["P(ahead more often)"] if _counts_wins(found) else []
    heads += [f"P(|d| ≤ {rope:g})"] if rope else []
    return (
        *heads,
        "p",
        *([corrected] if corrected else []),
        "System ahead",
        "Other ahead",
        "Verdict",
    )


def _row(found: xr.Dataset, i: int, j: int, corrected: bool) -> tuple[str, ...]:
    cell, back = cell_of(found, i, j), cell_of(found, j, i)
    drawn = [difference_in(cell), probability_in(cell, "prob_better")]
    withheld = str(cell["verdict"].item()) in ("no_verdict", "no_data")
    row = [*names_in(cell), *(["–"] * len(drawn) if withheld else drawn)]
    row += [probability_in(cell, "prob_better_closed")] if "prob_better_closed" in found else []
    row += [probability_in(cell, "prob_more_wins")] if _counts_wins(found) else []
    row += ["–" if withheld else within_rope(cell)] if found.attrs["rope"] else []
    row += [_p_for_whom(cell, k) for k in ("p_value", *(["p_adjusted"] if corrected else []))]
    row += [f"{int(side['wins']):,}" for side in (cell, back)]
    return (*row, _verdict(str(cell["verdict"].item()), *names_in(cell)))


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
        f"two-sided p {tested}{speaks}. Verdict: {_verdict(verdict, a, b)}"
        f"{f' ({reason})' if reason else ''}."
    )


def favours(cell: xr.Dataset) -> int:
    """The system whose score is better on the data, for which the test of that score speaks."""
    better = 1 if cell.attrs.get("higher_is_better", True) else -1
    a, b = (cell["score"].sel({names.SYSTEM: name}).item() for name in names_in(cell))
    return better * int(np.sign(a - b))


def _p_for_whom(cell: xr.Dataset, name: str) -> str:
    return p_value_in(cell, name) + for_whom(cell[name].item(), favours(cell), names_in(cell))


def _verdict(verdict: str, a: str, b: str) -> str:
    withheld = {"no_verdict": "no verdict: rare label", "no_data": "no verdict: one unit"}
    return withheld.get(verdict) or title_of_verdict(verdict, a, b)


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

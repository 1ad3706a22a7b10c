"""Posterior and tests side by side, for whom each speaks, and why they differ where they do."""

from collections.abc import Sequence

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import names_in, probability_in
from betterthan.results.context import Shown
from betterthan.results.document import Part, Table
from betterthan.results.item_differences import REASONS, reasons
from betterthan.results.rows import in_one_unit
from betterthan.results.sentences import title_of_verdict, unit_of
from betterthan.signed import Signature
from betterthan.significance.roster import spec_of

_CORRECTED = {"holm": "Holm", "bh": "BH"}
_TIES = {"drop": "ties dropped", "half": "ties split half and half"}


def tests_of(comparison: xr.Dataset) -> list[str]:
    """The tests a comparison holds; none in one that was made without."""
    return [str(t) for t in comparison[names.TEST].values] if names.TEST in comparison.dims else []


def tests_part(shown: Shown) -> Part | None:
    """The section: a row each pair, and the reasons that the numbers of its last column stand
    for.
    """
    if not tests_of(shown.whole):
        return None
    cells = shown.cells
    why = [reasons(cell, shown.made) for cell in cells]
    used = [reason for reason in REASONS if any(reason in each for each in why)]
    heads = _heads(shown)
    rows = [_row(cell, len(heads), shown) for cell in cells]
    pointed = [", ".join(str(used.index(reason) + 1) for reason in each) for each in why]
    caption = (
        "Posterior and tests side by side; in brackets: the system that the test speaks for; a "
        "number in the last column says why they differ"
    )
    table = Table(
        (*heads, "Differ, why"),
        [(*row, number) for row, number in zip(rows, pointed, strict=True)],
        caption,
        left=2,
        name="tests",
        keys=[names_in(cell) for cell in cells],
    )
    compared = [p for p, cell in zip(pointed, cells, strict=True) if _known(cell)]
    return Part("Posterior and tests", tables=[table], notes=_notes(shown, used, compared))


def _known(cell: xr.Dataset) -> bool:
    """Whether the pair has a common example."""
    return str(cell["verdict"].item()) != "no_data"


def _heads(shown: Shown) -> list[str]:
    tests = [spec_of(test).head for test in tests_of(shown.whole)]
    corrected = _CORRECTED.get(str(shown.made.correction)) if shown.many else None
    last = [f"{corrected} {tests[-1]}"] if corrected else []
    return ["System", "Other", "P(better)", shown.verdict_head, *tests, *last]


def _row(cell: xr.Dataset, width: int, shown: Shown) -> list[str]:
    sides = names_in(cell)
    one = unit_of(shown.made) if in_one_unit(cell) else ""
    said = title_of_verdict(str(cell["verdict"].item()), *sides, one)
    if not _known(cell):
        return [*names_in(cell), "–", said, *["–"] * (width - 4)]
    row = [*names_in(cell), probability_in(cell, "prob_better"), said]
    favours = cell["favours"].values.tolist()
    for k, test in enumerate(tests_of(cell)):
        p = cell["p_value"].values[k]
        row.append(numbers.p_value(p, _error(cell, test)) + for_whom(p, favours[k], sides))
    if len(row) < width:
        p = cell["p_adjusted"].values[-1]
        row.append(numbers.p_value(p) + for_whom(p, favours[-1], sides))
    return row


def for_whom(p: float, favours: float, sides: tuple[str, str]) -> str:
    """The system that a p-value speaks for, as it stands after it; nothing of p = 1."""
    a, b = sides
    return {1: f" ({a})", -1: f" ({b})"}.get(int(favours), "") if p < 1 else ""


def _error(cell: xr.Dataset, test: str) -> float:
    sampled = test == "randomization" and "p_value_mcse" in cell
    return float(cell["p_value_mcse"].item()) if sampled else 0.0


def _notes(shown: Shown, used: Sequence[str], pointed: Sequence[str]) -> list[str]:
    """The reasons that the rows of compared pairs point to, one sentence each, and whether the rest
    agree.
    """
    systems = len(shown.systems)
    told = {
        "alpha": shown.made.alpha,
        "pairs": systems * (systems - 1) // 2,
        "threshold": shown.made.threshold,
    }
    notes = [f"{k + 1}. {REASONS[reason].format_map(told)}" for k, reason in enumerate(used)]
    agreeing = sum(not number for number in pointed)
    if agreeing == len(pointed) > 0:
        every = "every pair" if 2 * len(pointed) == systems * (systems - 1) else "every pair shown"
        notes.append(
            f"Posterior and tests agree on {every}: the verdict names a system where the tests are "
            "significant for the same one, and none where they are not significant."
        )
    elif agreeing:
        notes.append(
            f"On the other {agreeing} of {len(pointed)} pairs posterior and tests agree, on the "
            "system too."
        )
    notes += _all_at_once(shown)
    notes.append(
        "A p-value is the probability of a result at least this extreme if the systems were equal; "
        "it is not the probability that they are equal."
    )
    return notes


def _all_at_once(shown: Shown) -> list[str]:
    if "friedman_p" not in shown.whole:
        return []
    statistic, p, n = (shown.whole[f"friedman_{k}"].item() for k in ("statistic", "p", "n"))
    systems, unit = len(shown.systems), shown.made.unit or names.ITEM
    told = f"Friedman's test of all {systems} systems at once, on the {n:,} {unit}s that all have: "
    if statistic != statistic:
        return [told + "no two differ on any."]
    return [
        f"{told}chi-square {statistic:.1f} on {systems - 1} degrees of freedom, p = "
        f"{numbers.p_value(p)}; it asks whether any differ, not which."
    ]


def settings_of_tests(shown: Shown) -> list[tuple[str, str]]:
    """How the tests were done, for the list of settings."""
    on = f" on {shown.made.tests_on}" if shown.made.tests_on else ""
    said = [_how(test, shown.made) + on for test in tests_of(shown.whole)]
    told = f"two-sided, at {shown.made.alpha:g}: {'; '.join(said)}" if said else ""
    return [("Tests", told)] if said else []


def _how(test: str, made: Signature) -> str:
    ties = _TIES.get(str(made.sign_ties), str(made.sign_ties))
    if test == "sign":
        return f"sign test ({ties})"
    if test == "mid_p":
        return f"mid-p sign test ({ties})"
    if test == "trinomial":
        return "trinomial test (ties kept)"
    how = f"exact, {made.randomization_method}"
    if made.randomization_method == "monte_carlo":
        how = f"{made.shuffles:,} random permutations, seed {made.shuffle_seed}"
    return f"randomization of {made.randomization_statistic} ({how})"

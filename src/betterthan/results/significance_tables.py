"""Posterior and tests side by side, for whom each speaks, and why they differ where they do."""

from collections.abc import Sequence

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.columns import NO_DATA, Column, probability
from betterthan.results.context import PAIRS_SEEN, Shown
from betterthan.results.document import Part
from betterthan.results.item_differences import REASONS, reasons
from betterthan.results.pairs_table import p_value, pairs_of, table_of_pairs, verdict
from betterthan.results.sentences import unit_of
from betterthan.signed import Signature
from betterthan.significance.roster import get_spec

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
    pointed = [", ".join(str(used.index(reason) + 1) for reason in each) for each in why]
    caption = (
        "Posterior and tests side by side; in brackets: the system that the test speaks for; a "
        "number in the last column says why they differ"
    )
    rows = _by_test(pairs_of(shown.whole, shown.pairs[:PAIRS_SEEN]))
    columns = [*_columns(shown), Column("Differ, why", lambda _: pointed, blank=())]
    table = table_of_pairs(rows, columns, caption, name="tests")
    compared = [p for p, cell in zip(pointed, cells, strict=True) if _known(cell)]
    return Part("Posterior and tests", tables=[table], notes=_notes(shown, used, compared))


def _known(cell: xr.Dataset) -> bool:
    """Whether the pair has a common example."""
    return str(cell["verdict"].item()) != "no_data"


def _columns(shown: Shown) -> list[Column]:
    tests = tests_of(shown.whole)
    corrected = _CORRECTED.get(str(shown.made.correction)) if shown.many else None
    heads = {f"p_value_{test}": get_spec(test).header for test in tests}
    if corrected:
        heads[f"p_adjusted_{tests[-1]}"] = f"{corrected} {get_spec(tests[-1]).header}"
    return [
        probability("P(better)", "prob_better", blank=NO_DATA),
        verdict(shown.verdict_head, unit=unit_of(shown.made)),
        *(
            p_value(head, name, f"favours_{name.split('_', 2)[2]}", blank=NO_DATA)
            for name, head in heads.items()
        ),
    ]


def _by_test(rows: xr.Dataset) -> xr.Dataset:
    """With the p-values of each test by its name."""
    values = {
        f"{name}_{test}": rows[name].sel({names.TEST: test}, drop=True)
        for name in ("p_value", "p_adjusted", "favours")
        for test in tests_of(rows)
        if name in rows
    }
    if "p_value_mcse" in rows:
        values["p_value_randomization_mcse"] = rows["p_value_mcse"]
    return rows.assign(values)


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

"""Posterior and tests side by side, and why they differ where they do."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.wins.sign import sign_mid_p
from betterthan.reporting import numbers
from betterthan.reporting.sentences import title_of_verdict
from betterthan.signed import Signature
from betterthan.significance.roster import spec_of

_CORRECTED = {"holm": "Holm", "bh": "BH"}


def tests_of(comparison: xr.Dataset) -> list[str]:
    """The tests a comparison holds; none in one that was made without."""
    return [str(t) for t in comparison[names.TEST].values] if names.TEST in comparison.dims else []


def agreement_rows(
    shown: xr.Dataset, pairs: list[tuple[int, int]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]], list[str]]:
    """Heads and rows of the table, and the reasons that the numbers of its last column stand
    for.
    """
    tests = tests_of(shown)
    corrected = (
        _CORRECTED.get(shown.attrs["correction"]) if shown.sizes[names.SYSTEM_A] > 2 else None
    )
    heads = ["A", "B", "P(A better)", "Verdict", *(spec_of(t).head for t in tests)]
    heads += [f"{corrected} {spec_of(tests[-1]).head}"] if corrected else []
    rows, why = [], []
    for i, j in pairs:
        cell = shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        verdict = str(cell["verdict"].item())
        row = [str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())]
        if verdict == "no_data":
            rows.append([*row, "–", title_of_verdict(verdict, "A", "B"), *["–"] * (len(heads) - 4)])
            why.append([])
            continue
        row += [numbers.probability(cell["prob_better"].item(), cell["prob_better_mcse"].item())]
        row += [title_of_verdict(verdict, "A", "B")]
        row += [
            numbers.p_value(cell["p_value"].values[k], _error(cell, t)) for k, t in enumerate(tests)
        ]
        row += [numbers.p_value(cell["p_adjusted"].values[-1])] if corrected else []
        rows.append(row)
        why.append(reasons(cell, shown.attrs))
    given = {reason for each in why for reason in each}
    used = [reason for reason in _REASONS if reason in given]
    numbered = [", ".join(str(used.index(reason) + 1) for reason in each) for each in why]
    return (*heads, "Differ, why"), [(*row, n) for row, n in zip(rows, numbered, strict=True)], used


def reasons(cell: xr.Dataset, attrs: dict[str, Any]) -> list[str]:
    """Why the verdict on a pair and its tests differ: keys of the reasons, none where they
    agree.
    """
    alpha, verdict = float(attrs["alpha"]), str(cell["verdict"].item())
    modelled = attrs["method"] == "advised" and "model" in attrs
    tests = [str(t) for t in cell[names.TEST].values]
    p = dict(zip(tests, cell["p_value"].values.tolist(), strict=True))
    adjusted = float(cell["p_adjusted"].values[-1])
    decided = verdict in ("a_better", "b_better")
    found = []
    if verdict == "no_verdict":
        return ["chains"]
    many = ["many"] if decided and p[tests[-1]] <= alpha < adjusted else []
    if modelled:
        return (
            ["model"] if any(decided != (value <= alpha) for value in p.values()) else []
        ) + many
    signs = [value for test, value in p.items() if not spec_of(test).needs_items]
    if decided and any(value > alpha for value in signs):
        found.append(_why_not_significant(cell, attrs, min(signs)))
    if not decided and any(value <= alpha for value in signs):
        found.append("rope" if verdict == "equivalent" else "prior")
    wins, losses = (int(v) for v in cell["counts"].values[:2])
    if decided and (wins - losses) * (1 if verdict == "a_better" else -1) < 0:
        found.append("prior")
    if (
        "randomization" in p
        and not found
        and _sizes_decide(cell, p["randomization"] <= alpha, verdict, attrs)
    ):
        found.append("sizes")
    return list(dict.fromkeys(found + many))


def reason_notes(
    rows: list[tuple[str, ...]], used: list[str], attrs: dict[str, Any], systems: int
) -> list[str]:
    """The reasons that the rows point to, one sentence each, and whether the rest agree."""
    pairs = systems * (systems - 1) // 2
    notes = [
        f"{k + 1}. " + _REASONS[r].format(alpha=attrs["alpha"], pairs=pairs)
        for k, r in enumerate(used)
    ]
    if not used:
        notes.append(
            "Posterior and tests agree on every pair: decided where significant, undecided where "
            "not."
        )
    agreeing = sum(not row[-1] for row in rows)
    if used and agreeing:
        notes.append(f"On the other {agreeing} of {len(rows)} pairs posterior and tests agree.")
    notes.append(
        "A p-value is the probability of a result at least this extreme if the systems were "
        "equal; it is not the "
        "probability that they are equal."
    )
    return notes


def settings_of_tests(comparison: xr.Dataset) -> list[tuple[str, str]]:
    """How the tests were done, for the list of settings."""
    made = Signature.from_attrs(comparison.attrs)
    said = [spec_of(test).words(made) for test in tests_of(comparison)]
    return [("Tests", f"two-sided, at {made.alpha:g}: {'; '.join(said)}")] if said else []


def _why_not_significant(cell: xr.Dataset, attrs: dict[str, Any], p: float) -> str:
    alpha = float(attrs["alpha"])
    if float(cell["smallest_p"].item()) > alpha:
        return "few"
    if p / 2 <= alpha:
        return "sides"
    wins, losses = (int(v) for v in cell["counts"].values[:2])
    if float(np.asarray(sign_mid_p(wins, losses, "two-sided"))) / 2 <= alpha:
        return "steps"
    return "prior"


def _sizes_decide(cell: xr.Dataset, significant: bool, verdict: str, attrs: dict[str, Any]) -> bool:
    """Whether randomization says something else than the verdict: another answer, or the other
    system.
    """
    if significant != (verdict in ("a_better", "b_better")):
        return True
    ahead = float(cell["swapped_difference"].item()) * (1 if attrs["higher_is_better"] else -1)
    return significant and (ahead > 0) != (verdict == "a_better")


def _error(cell: xr.Dataset, test: str) -> float:
    return (
        float(cell["p_value_mcse"].item())
        if test == "randomization" and "p_value_mcse" in cell
        else 0.0
    )


_REASONS = {
    "few": "No result with so few decisive items could reach a two-sided p of {alpha:g}, "
    "whichever way they fell.",
    "sides": "The probability looks at one side, the p-value at two: the one-sided p is at most "
    "{alpha:g}.",
    "steps": "With few decisive items p moves in steps and counts the whole of the observed one; "
    "counting half of it "
    "(mid-p, one-sided) p is at most {alpha:g}.",
    "sizes": "Randomization weighs how large the differences are; the posterior and the sign test "
    "count only which "
    "system was ahead on an item.",
    "many": "Significant alone, but not after correction for {pairs:,} pairs; a posterior "
    "probability speaks of one "
    "pair and is not corrected.",
    "rope": "The difference is real but too small to matter: the test asks whether it is 0, the "
    "verdict whether it "
    "lies within the rope.",
    "prior": "The posterior starts from a prior, and a verdict needs a probability of its own; "
    "the p-value knows "
    "neither.",
    "model": "The posterior is that of a model which knows more than wins and losses of this pair "
    "(data sets, "
    "clusters, other systems, sizes of differences); the test does not.",
    "chains": "The chains have not converged, so only the tests speak.",
}

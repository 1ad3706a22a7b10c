"""What `print` shows of a gate: the decision, the evidence in words of the field, the verdict."""

import pandas as pd
import pytest
from golden.cases import CASES

import betterthan as bt

FIRST_LINES = {
    "gate_passes": "pass: the candidate is non-inferior to the baseline. "
    "P(accuracy drop < 0.1) = 0.999.",
    "gate_inconclusive_with_looks": "inconclusive: the data do not show whether the candidate is "
    "non-inferior to the baseline. P(accuracy drop < 0.05) = 0.366, P(candidate worse) = 0.773.",
    "gate_graded_and_missing": "worse: the candidate is worse than the baseline. "
    "P(candidate worse) > 0.999.",
}


@pytest.fixture(scope="module", params=FIRST_LINES)
def printed(request):
    return request.param, str(CASES[request.param]())


def test_the_decision_is_first_and_alone_last(printed):
    name, text = printed
    assert " ".join(text.split("\n\n")[0].split()) == FIRST_LINES[name]
    assert text.splitlines()[-1] == f"gate: {FIRST_LINES[name].partition(':')[0]}"


def test_evidence_is_in_words_of_the_field(printed):
    text = printed[1]
    rows = [line.split("  ")[1] for line in text.splitlines() if line.startswith("  ")]
    assert rows[1:3] == ["items", "non-inferiority margin"]
    assert rows[3].startswith("P(drop < ")
    assert rows[4] == "P(candidate worse)"
    assert "±" not in text
    for word in ("decisive", "behind", " won", " lost", "tied of"):
        assert word not in text


def test_interim_looks_count_non_tied_items():
    text = str(CASES["gate_inconclusive_with_looks"]())
    assert "4 planned, at 30, 60, 90, 120 non-tied items; now 15 of 120" in text


def test_a_probability_just_below_the_threshold_is_not_rounded_up_to_it():
    wins, losses, ties = 29, 43, 30  # P(candidate worse) is 0.94968
    rows = [(0, 1)] * wins + [(1, 0)] * losses + [(1, 1)] * ties
    old, new = (
        pd.DataFrame({"item": range(len(rows)), "score": [row[k] for row in rows]}) for k in (0, 1)
    )
    decision = bt.gate(old, new, margin=0.01)
    assert decision.verdict == "inconclusive"
    text = " ".join(str(decision).split())
    assert text.count("0.9497") == 2
    assert "0.950" not in text
    assert "0.950" not in bt.report(decision, format="text")
    plan = bt.plan.foresee((43, 29, 30), until=150)
    assert plan.lines[0] == "Undecided: P(A better) = 0.9497 after 102 items."


def test_a_probability_outside_of_its_range_says_why():
    """Where a failed run settles pass^2 of an item, no value of its missing run matters."""
    complete = [(1, 1)] * 30 + [(0, 1)] * 15 + [(0, 0)] * 5
    old, new = (
        pd.DataFrame(
            [(k, run, score) for k, runs in enumerate(rows) for run, score in enumerate(runs)],
            columns=["item", "run", "score"],
        )
        for rows in (complete + [(1, 1)] * 6, complete + [(0, None)] * 6)
    )
    decision = bt.gate(old, new, margin=0.1, quantity="pass^2", run="run", max_missing=0.2)
    text = " ".join(str(decision).split())
    assert "(0.432 for every value of the missing scores)" in text
    assert "candidate without a score on 6 items, baseline on 0; only the range counts" in text

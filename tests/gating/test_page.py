"""The page on a gate: the printed answer, the difference with its margin, the next step."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.gating.answer import facts, headline
from betterthan.results.kinds import build_page


def run_of(scores):
    return pd.DataFrame({"item": [f"q{k}" for k in range(len(scores))], "score": scores})


def gated(won, lost, tied, **choices):
    old = [0] * won + [1] * lost + [1] * tied
    new = [1] * won + [0] * lost + [1] * tied
    return bt.gate(run_of(old), run_of(new), **{"margin": 0.05} | choices)


PASSES, WORSE, OPEN = (4, 3, 193), (2, 20, 38), (5, 6, 29)


def test_the_decision_is_the_printed_one():
    for counts in (PASSES, WORSE, OPEN):
        decision = gated(*counts)
        page = build_page(decision)
        assert page.answer[0] == headline(decision)
        assert page.answer[0] in " ".join(str(decision).split())
        html = decision.report(format="html")
        assert html.count("<svg") > 1
        assert f">{decision.verdict}</span>" in html


def test_numbers_are_those_of_the_printed_facts():
    decision = gated(*WORSE)
    printed = dict(facts(decision))
    page = build_page(decision)
    assert f"Accuracy: {printed['accuracy']}." in page.screen.lede
    [row, base] = page.screen.picture.rows
    assert row.size in printed["accuracy"]
    assert row.limits == (
        decision.evidence.lower,
        decision.evidence.difference,
        decision.evidence.upper,
    )
    assert base.verdict == "baseline"
    [table] = page.parts[0].tables
    assert table.rows[0][1:4] == ("2", "20", "38")


@pytest.mark.parametrize(
    ("counts", "choices", "do"),
    [
        (PASSES, {}, "By accuracy alone, the candidate may replace the baseline."),
        (WORSE, {}, "Do not replace the baseline: the candidate is worse by 0.300 [0.15"),
        (OPEN, {}, "Add "),
        (OPEN, {"looks": (4, 40)}, "Continue to the next look."),
    ],
)
def test_the_next_step_follows_the_verdict(counts, choices, do):
    screen = build_page(gated(*counts, **choices)).screen
    assert screen.step.do.startswith(do)


def test_missing_scores_that_decide_are_the_next_step():
    old = run_of([1] * 100)
    new = run_of([1] * 94 + [np.nan] * 6)
    decision = bt.gate(old, new, margin=0.05)
    assert decision.verdict == "inconclusive"
    page = build_page(decision)
    assert page.screen.step.do == "Obtain the 6 missing scores."
    assert len(page.parts[0].tables[0].rows) == 3


def test_what_cannot_be_compared_has_a_page_without_a_picture():
    decision = bt.gate(run_of([1] * 9), run_of([1] * 3 + [np.nan] * 6), margin=0.05)
    assert decision.verdict == "not comparable"
    page = build_page(decision)
    assert page.screen.picture is None
    assert page.screen.step.do.startswith("Remove what stops the comparison")
    assert "not comparable: " in decision.report(format="html")


def test_the_margin_is_a_band_below_zero():
    screen = build_page(gated(*PASSES)).screen
    row = screen.row(screen.picture.rows[0])
    left, zero = screen.scale.share(-0.05), screen.scale.share(0.0)
    assert 0 < left < zero
    assert f'<rect class="rope" x="{100 * left:.2f}'.rstrip("0") in row


def test_lower_is_better_says_which_side_is_better():
    old, new = run_of([1.5, 2.5, 3.0, 4.0] * 6), run_of([2.5, 3.5, 4.5, 5.0] * 6)
    decision = bt.gate(old, new, margin=0.1, higher_is_better=False)
    html = decision.report(format="html")
    assert decision.verdict == "worse"
    assert "positive where the candidate is better" in html
    assert build_page(decision).screen.picture.rows[0].limits[2] < 0


def test_a_path_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.pdf; give one of"):
        gated(*PASSES).report(path=tmp_path / "gate.pdf")
    assert not list(tmp_path.iterdir())


def test_several_answers_are_chapters():
    plan = bt.plan.items_needed((12, 6, 22))
    written = bt.report(gated(*PASSES), plan, format="html")
    assert 'id="c2-decision"' in written
    assert "May the candidate replace the baseline?" in written


def test_the_page_has_the_digits_of_small_scores():
    random = np.random.default_rng(1)
    old = random.gamma(4, 0.0005, 300)
    new = old * np.exp(random.normal(0.12, 0.2, 300))
    sides = (pd.DataFrame({"item": range(300), "cost": cost}) for cost in (old, new))
    gated = bt.gate(*sides, margin=0.0001, score="cost", higher_is_better=False)
    text = bt.report(gated, format="html", figures=False)
    assert gated.verdict == "worse"
    assert f"worse by {-gated.evidence.difference:.5f} [" in text
    assert "0.000 [" not in text

"""The page on a plan: the printed lines, the curve with its goal, the next step."""

import re

import pytest

import betterthan as bt
from betterthan.results.kinds import build_page

COUNTS = bt.counts.from_table({("new", "old"): (12, 6, 22)})


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("of", ["a_better", "either", "any"])
def test_the_curve_passes_the_goal_where_the_plan_says(keep, of):
    plan = bt.plan.items_needed(COUNTS, keep=keep, of=of)
    assert plan.signature().endswith(f" | of {of} | keep={keep}")
    page = build_page(plan)
    [table] = [t for part in page.parts if part.folded for t in part.tables]
    first, p = int(plan["first"]), float(plan["probability"])
    rows = {int(n.replace(",", "")): float(value) for n, value in table.rows}
    assert rows[first] == round(p, 3)
    assert all(value <= round(p, 3) for n, value in rows.items() if n < first)
    assert page.answer == list(plan.lines)
    assert page.screen.step.do == f"Plan for {first:,} {'more ' if keep else ''}items."


def test_the_curve_is_that_of_the_assurance():
    plan = bt.plan.items_needed(COUNTS, prior="jeffreys", threshold=0.9)
    [table] = [t for part in build_page(plan).parts if part.folded for t in part.tables]
    n = [int(row[0].replace(",", "")) for row in table.rows]
    curve = bt.plan.assurance(n, design=COUNTS, prior="jeffreys", threshold=0.9)["probability"]
    expected = curve.sel(verdict="a_better").values
    assert [float(row[1]) for row in table.rows] == pytest.approx(expected, abs=5e-4)


def test_a_known_difference_is_drawn_too():
    plan = bt.plan.items_needed(theta=(0.3, 0.15, 0.55))
    html = plan.report(format="html")
    assert "goal 0.8" in html
    assert "asks for too few items" in html


def test_no_number_of_items_is_a_page_with_a_limit():
    page = build_page(bt.plan.items_needed((5, 5, 30)))
    assert page.screen.step.do == "Choose by cost, speed or risk."
    assert "limit, with ever more items: 0.500" in page.screen.drawing


PLANS = {
    "assurance": lambda: bt.plan.assurance([20, 50, 100], design=COUNTS),
    "sign": lambda: bt.plan.sign_power(theta=0.7),
    "mcnemar": lambda: bt.plan.mcnemar_power(theta=(0.2, 0.1)),
    "clusters": lambda: bt.plan.cluster_power(0.1, sd=0.4, icc=0.1, clusters=[5, 10, 20], size=8),
    "looks": lambda: bt.plan.peeking(100, looks=[20, 40, 100], theta=(0.6, 0.4)),
    "foresee": lambda: bt.plan.foresee(COUNTS, until=200),
    "foresee many": lambda: bt.plan.foresee(COUNTS, more=[10, 50, 100]),
    "replication": lambda: bt.plan.replication(COUNTS),
}


@pytest.mark.parametrize("name", PLANS)
def test_probabilities_are_drawn(name):
    plan = PLANS[name]()
    page = build_page(plan)
    assert page.screen.drawing.startswith("<svg")
    assert page.answer[0] == plan.lines[0]
    html = plan.report(format="html")
    assert "nan" not in re.sub(r"<script.*?</script>", "", html, flags=re.S)


OTHERS = {
    "fragility": lambda: bt.plan.fragility((12, 2, 986)),
    "boundary": lambda: bt.plan.stopping_boundary(100, looks=range(20, 101, 20)),
    "e-value": lambda: bt.plan.e_value(COUNTS),
    "sequence": lambda: bt.plan.confidence_sequence(COUNTS),
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_plan_has_a_page_in_every_format(name):
    plan = OTHERS[name]()
    for form in ("text", "markdown", "html", "latex"):
        assert plan.signature().split(" | ")[0] in plan.report(format=form)


def test_hostile_names_are_text():
    counts = bt.counts.from_table({("<script>alert(1)</script>", "b\nc"): (12, 6, 22)})
    html = bt.plan.items_needed(counts).report(format="html")
    assert "<script>alert" not in html


def test_a_path_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.csv; give one of"):
        bt.plan.items_needed(COUNTS).report(path=tmp_path / "plan.csv")

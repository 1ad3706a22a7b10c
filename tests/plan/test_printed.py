"""What `print` shows of a plan: the sentence, then a table with headers that need no caption."""

import re

import pytest
from golden.cases import CASES

import betterthan as bt

FIRST_LINES = {
    "plan_fragility": "A is better: flipping 2 of the 14 non-tied items would overturn this "
    "verdict; so would removing 5.",
    "plan_items_needed": "326 items lead to the verdict A better with probability 0.8.",
    "plan_labels_of_people": "A vs B: 60 human labels among 500 judged items have an effective "
    "number of about 78 human labels; with ever more judged items, of at most 81.",
    "plan_outlook": "Pairwise, A is better than B: flipping 4 of the 32 non-tied items would "
    "overturn this verdict; the replication probability (same verdict on as many new items) is "
    "0.798.",
    "plan_stopping": "Stop at an interim look as soon as one system has enough wins: 16 of 20 "
    "non-tied items at the earliest, 63 of 100 at the last look.",
}
HEADERS = {
    "plan_fragility": "Verdict|Non-tied items|Items|Items to remove|Items to flip",
    "plan_items_needed": "Items needed|Sufficient from|Limiting probability|Non-tied items",
    "plan_labels_of_people": "Human labels|System|Other|Width, random items",
    "plan_outlook": "System|Other|Pairwise verdict|Items|Non-tied items|More items",
    "plan_stopping": "Look after items|Wins|Losses|Cumulative error",
}


@pytest.fixture(scope="module", params=FIRST_LINES)
def plan(request):
    return request.param, CASES[request.param]()


def test_the_answer_is_first(plan):
    name, answer = plan
    assert answer.lines[0] == FIRST_LINES[name]
    assert str(answer).startswith(FIRST_LINES[name][:60])


def test_headers_are_words_of_the_field(plan):
    name, answer = plan
    page = answer._repr_html_()
    heads = re.findall("<th[^>]*>(?:<[^>]*>)*([^<]+)", page.partition("<table")[2])
    expected = HEADERS[name].split("|")
    assert heads[: len(expected)] == expected


def test_no_private_word_and_no_monte_carlo_error_is_printed(plan):
    text = str(plan[1]).rpartition("\n\n")[0]  # without the provenance line
    for word in ("±", "decisive", "Drop", "Turn", "Ceiling", "ceiling", "a_better", "fresh"):
        assert word not in text


def test_verdicts_have_the_name_of_the_better_system():
    rows = [line.split() for line in str(CASES["plan_outlook"]()).splitlines()]
    assert ["A", "B", "A", "better", "60", "32"] in [row[:6] for row in rows]


def test_one_item_is_one():
    pilot = bt.counts.from_table({("A", "B"): (8, 3, 0)})
    plan = bt.plan.items_needed(pilot, keep=True, target=0.5)
    assert int(plan["first"]) == 1
    assert plan.lines[0].startswith("1 more item leads to the verdict A better")


@pytest.mark.parametrize(
    ("of", "rope", "verdict", "limit"),
    [
        ("a_better", 0.0, "the verdict A better", "0.987"),
        ("a_better", 0.17, "the verdict A better", "0.052"),
        ("any", 0.17, "a verdict", "> 0.999"),
    ],
)
def test_a_verdict_that_the_pilot_has_needs_no_more_items(of, rope, verdict, limit):
    pilot = bt.counts.from_table({("A", "B"): (15, 5, 80)})
    plan = bt.plan.items_needed(pilot, keep=True, of=of, rope=rope, most=500)
    assert float(plan["first"]) == 0
    assert plan.lines == (
        f"The items so far already give {verdict}: no more items are needed. If you add items, the "
        f"limiting probability, with ever more items, is {limit}.",
    )
    assert "Plan for 0" not in bt.report(plan, format="html")


def test_a_confidence_sequence_without_0_does_not_end_at_0():
    plan = bt.plan.confidence_sequence((60, 30, 110))
    assert 0 < plan.data["lower"] < 0.0005
    assert "(A − B): [+0.0002, +0.2996] (95% confidence sequence" in str(plan)

"""What a page embeds for its scripts: numbers and choices, and no sentences."""

import json
import re

import pytest
from browser.pages import graded, right_or_wrong

import betterthan as bt

DATA = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.S)


@pytest.fixture(scope="module")
def embedded():
    """The data of a page on two comparisons."""
    two = bt.compare(bt.datasets.contingency_case("a"))
    report = bt.report(bt.compare(right_or_wrong(5)), two, format="html", figures=False)
    return [json.loads(text) for text in DATA.findall(report)]


def texts(value):
    """Every string in JSON, keys included."""
    if isinstance(value, dict):
        return [one for key, each in value.items() for one in [key, *texts(each)]]
    if isinstance(value, list):
        return [one for each in value for one in texts(each)]
    return [value] if isinstance(value, str) else []


def test_a_page_embeds_data_alone(embedded):
    assert [list(one) for one in embedded] == [["data"], ["data"]]


def test_no_sentence_is_embedded(embedded):
    for text in texts(embedded):
        assert not re.search(r"\{\w+(:\w+)?\}|\.$", text), text
        assert len(text) < 60, text
    keys = set(texts(embedded))
    assert not keys & {"sentences", "facts", "when", "text", "group", "line"}


@pytest.mark.parametrize("make", [right_or_wrong, graded])
def test_data_say_whether_there_is_a_best_system(make):
    comparison = bt.compare(make())
    report = bt.report(comparison, format="html", figures=False)
    (embedded,) = DATA.findall(report)
    assert json.loads(embedded)["data"]["has_best"] == ("prob_best" in comparison.data)


def test_what_follows_from_wins_and_losses_is_not_embedded():
    report = bt.report(bt.compare(right_or_wrong(5)), format="html", figures=False)
    (embedded,) = DATA.findall(report)
    data = json.loads(embedded)["data"]
    assert data["pairs"]["t"] == "rest"
    assert data["pairs"]["tf0"] == "sign"
    assert all(isinstance(value, int) for value in data["pairs"]["ad"])
    assert data["per"]["ad"] >= 10_000

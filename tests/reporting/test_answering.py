"""What is said of facts: a table of situations, which the page has to say in the same words."""

import json
import re
from pathlib import Path

import pytest

from betterthan.reporting.answering import filled, holds, said, sentences

IN_JSON = {"answer", "pair", "paper", "scores", "judged"}  # the others: test_kind_sentences.py
SITUATIONS = [
    one
    for one in json.loads(Path(__file__).with_name("situations.json").read_text("utf-8"))
    if one["of"] in IN_JSON
]


@pytest.mark.parametrize("one", SITUATIONS, ids=lambda one: one["name"])
def test_what_is_said_in_a_situation(one):
    assert said(one["facts"], one["of"]) == one["said"]


def test_every_sentence_is_said_in_some_situation():
    """In all situations together, whatever holds; a sentence that none needs has no test."""
    from betterthan.reporting.answering import chosen

    found = {held["id"] for one in SITUATIONS for held in chosen(one["facts"], one["of"])}
    assert found == {one["id"] for one in sentences() if "piece" not in one["of"]}


def test_ids_are_unique_and_pieces_are_there():
    ids = [one["id"] for one in sentences()]
    assert len(ids) == len(set(ids))
    told = re.findall(r'"say": "(\w+)"', json.dumps(sentences()))
    assert set(told) <= set(ids)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ({}, True),
        ({"has": "a"}, True),
        ({"has": "b"}, False),
        ({"has": "none"}, False),
        ({"eq": ["a", 1]}, True),
        ({"ne": ["a", 1]}, False),
        ({"ne": ["b", 1]}, False),
        ({"not": {"eq": ["b", 1]}}, True),
        ({"lt": ["a", 2]}, True),
        ({"gt": ["b", 0]}, False),
        ({"ge": ["a", {"fact": "one"}]}, True),
        ({"ge": ["a", {"fact": "b"}]}, False),
        ({"in": ["a", [3, 1]]}, True),
        ({"in": ["b", [None]]}, False),
        ({"all": []}, True),
        ({"any": []}, False),
        ({"all": [{"has": "a"}, {"any": [{"has": "b"}, {"le": ["a", 1]}]}]}, True),
    ],
)
def test_conditions(when, expected):
    assert holds(when, {"a": 1, "one": 1, "none": None}) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{p:p}", "0.832 ± 0.004"),
        ("{q:p}", ">0.999"),
        ("{k:n}", "12,345"),
        ("{share:pct}", "95%"),
        ("{d:diff} {d:ends}", "+0.0100 [+0.0024, +0.0180]"),
        ("{e:diff}", "+0.25"),
        ("{s:score} {s:range}", "0.710 [0.682, 0.737]"),
        ("{few}; {many}", "A and B; A, B, C, D and 2 more"),
        ("{share} {k}", "0.95 12345"),
        ("{name}", "{p:p}"),
        (["a", {"when": {"has": "x"}, "text": "b"}, {"when": {"has": "p"}, "text": ["c"]}], "ac"),
    ],
)
def test_slots(text, expected):
    facts = {
        **{"p": 0.8317, "p_mcse": 0.0037, "q": 0.9999, "k": 12345, "share": 0.95, "name": "{p:p}"},
        **{"d": 0.00997, "d_lower": 0.00241, "d_upper": 0.01801, "e": 0.25},
        **{"s": 0.71, "s_lower": 0.6816, "s_upper": 0.7371, "few": ["A", "B"]},
        "many": list("ABCDEF"),
    }
    assert filled(text, facts) == expected


def test_a_slot_without_its_fact_is_an_error():
    with pytest.raises(KeyError):
        filled("{nothing}", {})

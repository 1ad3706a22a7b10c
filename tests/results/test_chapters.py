"""Several answers on one page: chapters, contents, ids."""

import re

import pytest

import betterthan as bt
from betterthan.results.document import Document, Part, Table, joined

TABLE = Part("Pairs", tables=[Table(("x",), [("1",)])])
FACTS = Part("Data", facts=[("a", "1")])


@pytest.fixture(scope="module")
def several():
    pair = bt.compare(bt.datasets.contingency_case("a"))
    other = bt.compare(bt.datasets.contingency_case("b"), rope=0.01)
    return pair, bt.datasets.beetle_confusion(), other


def test_each_answer_is_a_chapter():
    found = joined(
        [Document("One", "?", [TABLE], answer=["a."]), Document("Two", "?", [FACTS], answer=["b."])]
    )
    assert [one.title for one in found.chapters] == ["One", "Two"]
    assert found.title == "One, and 1 more answer"
    assert found.contents == ["One: a.", "Two: b."]
    assert [mark for mark, _ in found.numbered_chapters] == ["", "c2-"]


def test_what_has_no_answer_goes_beside_and_titles_join():
    beside = Document("Orders", parts=[FACTS])
    taus = Document("Orders", "Near?", [TABLE], ["l"], ["s"], answer=["a."])
    more = Document(
        "Orders", "Nearer?", [Part("More", lines=["x"])], ["l", "m"], ["s"], answer=["b."]
    )
    found = joined([beside, taus, more])
    assert not found.chapters
    assert found.question == "Near?"
    assert found.answer == ["a.", "b."]
    assert [part.heading for part in found.parts] == ["Pairs", "More", "Data"]
    assert (found.limits, found.signatures) == (["l", "m"], ["s"])


def test_living_pages_are_never_one():
    page = Document("Same", "?", [FACTS], answer=["a."], data=dict)
    assert len(joined([page, page]).chapters) == 2


@pytest.mark.parametrize("format", ["text", "markdown", "html", "latex"])
def test_every_format_has_contents_and_all_answers(several, format):
    written = bt.report(*several, format=format, figures=False)
    plain = " ".join(re.sub(r"<[^>]+>|\\", "", written).split())
    assert plain.count("A is better than B (probability 0.996)") == 2  # in the contents, too
    assert "Macro F1 is 0.435" in plain
    assert "and 2 more answers" in plain
    assert plain.count("Limits") in (1, 2)


def test_ids_are_unique_and_links_lead_somewhere(several):
    html = bt.report(*several, format="html", figures=False)
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    links = re.findall(r'href="#([^"]+)"', html)
    assert links
    assert set(links) <= set(ids)
    assert {"chapter", "c2-chapter", "c3-chapter", "c3-systems", "c3-bt-data"} - set(ids) == {
        "c3-systems"  # counts say no scores
    }


def test_each_comparison_embeds_its_data(several):
    html = bt.report(*several, format="html", figures=False)
    assert html.count('class="bt-data"') == 2

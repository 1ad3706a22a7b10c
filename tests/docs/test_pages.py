"""What the pages promise without being built: links lead somewhere, every figure is drawn, every
public name is told, pictures are of today's answer.
"""

import re
from pathlib import Path

import pytest
from PIL import Image

import betterthan as bt

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if not {"_build", "notebooks"} & set(p.parts))
FENCED = re.compile(r"^```.*?^```", re.S | re.M)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ROAD = ("Comparison", "Audit", "Gate")


def text(page):
    return page.read_text(encoding="utf-8")


def headings(page):
    """Anchors as MyST makes them."""
    found = re.findall(r"^#+ (.+)$", FENCED.sub("", text(page)), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in found}


def linked(page):
    """Each link to a file or a heading: where it leads."""
    for target in LINK.findall(FENCED.sub("", text(page))):
        if "://" not in target:
            file, _, anchor = target.partition("#")
            yield target, (page.parent / file).resolve() if file else page, anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())
def test_every_link_leads_somewhere(page):
    for target, file, anchor in linked(page):
        assert file.is_file(), target
        if anchor and file.stem != "models":
            assert anchor in headings(file), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(DOCS).as_posix())
def test_no_page_has_a_magic_that_a_reader_sees(page):
    """Two are taken away before a page is shown: see docs/_ext/plain_cells.py."""
    magics = re.findall(r"^%\S+", text(page), re.M)
    assert set(magics) <= {"%%bash", "%%writefile"}


def test_models_link_their_cards():
    for target, _, anchor in linked(DOCS / "models.md"):
        if anchor:
            card = DOCS.parent / "models" / anchor / "card.md"
            assert text(card).startswith(f"# {anchor}\n"), target


def test_every_row_of_the_questions_names_a_page():
    lines = [x for x in text(DOCS / "questions.md").splitlines() if x.startswith("| ")]
    rows = [x for x in lines if not x.startswith("| question")]
    assert len(rows) > 90
    for row in rows:
        assert LINK.search(row.strip(" |").split("|")[-1]), row


def test_every_function_a_question_names_is_there():
    for name in set(re.findall(r"`(bt(?:\.\w+)+)\(", text(DOCS / "questions.md"))):
        found = bt
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        assert callable(found), name


@pytest.mark.parametrize("name", bt.plot.__all__)
def test_every_figure_is_drawn_in_the_gallery(name):
    assert re.search(rf"bt\.plot\.{name}\(", text(DOCS / "figures.md"))


def sections():
    """Of the API page: the names under each heading."""
    parts = re.split(r"^## ", text(DOCS / "api.md"), flags=re.M)[1:]
    return {p.splitlines()[0].strip("`"): re.findall(r"^   ([\w.]+)$", p, re.M) for p in parts}


def test_the_api_page_is_grouped_as_the_namespaces_are():
    told = sections()
    road = [n for n in bt.__all__ if not hasattr(getattr(bt, n), "__path__")]
    assert {n.split(".")[-1] for n in told["bt"]} == {*road, *ROAD}
    rooms = sorted(set(bt.__all__) - set(road))
    assert sorted(told) == sorted(["bt", "Names and defaults", *(f"bt.{n}" for n in rooms)])
    for room in rooms:
        listed = {n.split(".")[1] for n in told[f"bt.{room}"]}
        assert listed == set(getattr(bt, room).__all__), room


def test_the_page_on_the_first_page_has_the_answer_of_today(monkeypatch):
    """Else: python docs/first_screen.py, where a browser is."""
    monkeypatch.syspath_prepend(DOCS)
    import first_screen

    with Image.open(DOCS / "_static" / "page.png") as picture:
        told, size = picture.text["Answer"], picture.size
    found = bt.compare(first_screen.results(), baseline="base")
    assert told == "\n".join(found.statement())
    assert size == (first_screen.WIDTH, first_screen.HEIGHT)


def test_reports_that_are_linked_are_written():
    pages = text(DOCS / "index.md") + text(DOCS / "reports.md")
    named = set(re.findall(r"reports/([\w-]+\.html)", pages))
    assert named == set(re.findall(r'path="([\w-]+\.html)"', pages))
    assert len(named) == 7

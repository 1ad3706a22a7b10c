"""A page of so many systems that it does not contain all pairs."""

import pytest
from browser.pages import right_or_wrong

import betterthan as bt
from betterthan.results import comparison_page

pytestmark = pytest.mark.browser
SYSTEMS, TOP, NEAR = 30, 4, 2


@pytest.fixture(scope="module")
def report():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_page, "PAGE_SYSTEMS", 25)
        patch.setattr(comparison_page, "_TOP", TOP)
        patch.setattr(comparison_page, "_NEAR", NEAR)
        return bt.report(bt.compare(right_or_wrong(SYSTEMS), rope=0.01), format="html")


def in_order(page):
    return page.evaluate("betterthan.view.data.order.map((k) => betterthan.view.data.systems[k])")


def compare(page, one, other):
    for label, system in (("Compare", one), ("with", other)):
        box = page.get_by_label(label, exact=True)
        box.fill(system)
        box.dispatch_event("change")


def test_the_page_says_which_pairs_it_contains(open_page, report):
    page = open_page(report)
    number = page.evaluate("betterthan.view.model.number")
    note = page.locator(".livepairs > p").first.inner_text()
    assert f"This page contains {number} of 435 pairs" in note
    assert f"the first {TOP} systems" in note
    assert "c.pairs" in note
    assert page.errors == []


@pytest.mark.parametrize(("places", "known"), [((10, 11), True), ((0, 29), True), ((9, 25), False)])
def test_two_systems_are_compared_by_name(open_page, report, places, known):
    page = open_page(report)
    order = in_order(page)
    one, other = (order[k] for k in places)
    compare(page, one, other)
    card = page.locator("#bt-card").inner_text()
    assert one in card
    assert other in card
    assert ("Verdict" in card) == known
    if not known:
        assert "does not contain the pair" in card
        first, second = page.evaluate(
            "betterthan.view.at.slice(0, 2).map((k) => betterthan.view.data.systems[k])"
        )
        assert f'c.data.sel(system_a="{first}", system_b="{second}")' in card
        assert "pair=" not in page.evaluate("location.hash")
    page.set("threshold", 0.8)  # the card follows
    assert page.locator("#bt-card").is_visible()
    assert page.errors == []


def test_settings_leave_what_needs_all_pairs_as_reported(open_page, report):
    page = open_page(report)
    counts = "[...document.querySelectorAll('table[data-table=systems] td')].map(e => e.innerText)"
    drawn = "document.querySelector('svg.big').innerHTML"
    before = page.evaluate(counts), page.evaluate(drawn)
    page.set("threshold", 0.6)
    assert (page.evaluate(counts), page.evaluate(drawn)) == before
    assert "pairs on this page" in page.locator(".change").inner_text()
    page.set("baseline", page.evaluate("String(betterthan.view.data.order[20])"))
    page.set("ties", "drop")
    assert page.errors == []


def test_a_search_lists_the_pairs_of_a_system_and_finds_no_strange_name(open_page, report):
    page = open_page(report)
    name = in_order(page)[20]
    page.get_by_label("Filter pairs by system").fill(name)
    rows = page.locator("table.live tbody tr")
    assert rows.count() == 2 * NEAR + 1  # neighbors, and the first system
    compare(page, name, "nobody")
    assert not page.locator("#bt-card").is_visible()
    assert page.errors == []


def test_the_drawing_shows_the_card_of_a_pair_that_is_elsewhere(open_page, report):
    page = open_page(report)
    svg = page.locator("svg.big")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    svg.click(position={"x": box["width"] * 9.5 / SYSTEMS, "y": box["height"] * 25.5 / SYSTEMS})
    assert "does not contain the pair" in page.locator("#bt-card").inner_text()
    assert page.errors == []

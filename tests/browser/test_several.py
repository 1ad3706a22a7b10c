"""Several comparisons on one page: all are alive, each by itself."""

import os

import pytest
from browser.pages import graded, right_or_wrong

import betterthan as bt

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def written():
    first = bt.compare(right_or_wrong(5))
    scores = bt.scores.compare(graded(3), draws=300, shuffles=200, rng=1)
    second = bt.compare(right_or_wrong(4, seed=9), rope=0.05, baseline="system 1")
    return bt.report(first, scores, second, format="html", figures=False)


def lines(page, mark):
    return page.locator(f"#{mark}answer [data-line]").all_inner_texts()


def change_line(page, mark):
    """The line on changed settings; "" where it is hidden."""
    line = page.locator(f"#{mark}try .change")
    return line.inner_text() if line.is_visible() else ""


def test_each_has_controls_of_its_own(open_page, written):
    page = open_page(written)
    assert page.errors == []
    assert page.requests == [page.url]
    assert page.evaluate("betterthan.views.map((view) => view.pre)") == ["", "c3-"]
    before = lines(page, ""), lines(page, "c3-"), page.locator("#chapters li").all_inner_texts()
    page.set("threshold", 0.6)
    assert change_line(page, "").startswith("At threshold 0.60, ")
    assert change_line(page, "c3-") == ""
    page.locator("#c3-try summary").click()
    number = page.locator("#c3-bt-threshold ~ input[type=number]")
    number.fill("0.55")
    number.dispatch_event("change")
    assert change_line(page, "c3-").startswith("At threshold 0.55, ")
    after = lines(page, ""), lines(page, "c3-"), page.locator("#chapters li").all_inner_texts()
    assert after == before
    assert page.locator("section.chapter.moved").count() == 2
    page.shot("several", full=True)


def test_cards_give_way_to_each_other(open_page, written):
    page = open_page(written)
    page.locator("#chapter table.live button.pick").first.click()
    assert page.locator("#bt-card").is_visible()
    page.locator("#c3-chapter table.live button.pick").first.click()
    assert page.locator("#c3-bt-card").is_visible()
    assert page.locator("#bt-card").is_hidden()
    assert page.evaluate("location.hash") == "#c3-pair=0"
    page.keyboard.press("Escape")
    assert page.locator("#c3-bt-card").is_hidden()


def test_a_link_keeps_the_state_of_each(open_page, written):
    page = open_page(written, "#threshold=0.8&c3-rope=0.1&c3-baseline=none&c2-rope=0.3")
    again = page.evaluate("location.hash")
    assert again == "#threshold=0.8&c3-rope=0.1&c3-baseline=none"
    assert page.evaluate("betterthan.views.map((v) => v.settings.rope)") == [0, 0.1]
    page.evaluate("location.hash = '#c3-threshold=0.7'")
    page.until("betterthan.views[1].settings.threshold === 0.7")
    assert page.evaluate("betterthan.views[0].settings.threshold") == 0.95
    assert page.evaluate("location.hash") == "#c3-threshold=0.7"


def test_axe_finds_nothing_on_it(open_page, written):
    path = os.environ.get("BETTERTHAN_AXE")
    if not path:
        pytest.skip("axe-core is not installed (BETTERTHAN_AXE); make browser does so with npm")
    page = open_page(written, "#pair=2", bypass_csp=True)
    page.add_script_tag(path=path)
    found = page.evaluate("axe.run().then((result) => result.violations)")
    assert [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found] == []
    assert page.evaluate(
        "new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size"
    ) == (page.locator("[id]").count())

"""Tables of the page: bars of wins and losses, cards on a telephone, names cut in the middle."""

import re

import pytest
from browser.pages import right_or_wrong

import betterthan as bt

pytestmark = pytest.mark.browser

LONG = [f"2025{k:04d}_agent-with-a-long-name_some-model-4-{k % 2}" for k in range(5)]
SEEN = """cell => { const clone = cell.cloneNode(true);
  for (const cut of clone.querySelectorAll(".cut")) cut.textContent = "…";
  return clone.textContent.trim(); }"""


@pytest.fixture(scope="module")
def comparison():
    return bt.compare(right_or_wrong(5).assign_coords(system=LONG))


@pytest.fixture(scope="module")
def report(comparison):
    return bt.report(comparison, format="html", figures=False)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_bar_has_the_wins_ties_and_losses_of_its_row(open_page, report, scripts):
    page = open_page(report, ready=scripts, java_script_enabled=scripts)
    table = "table.live" if scripts else "table[data-table=pairs]"
    rows = page.evaluate(
        """table => [...document.querySelectorAll(table + " tbody tr")].map((row) => {
          const [head] = row.closest("table").tHead.rows;
          const heads = [...head.cells].map((cell) => cell.textContent.trim());
          const count = (name) => Number(row.cells[heads.indexOf(name)].textContent);
          const wide = (mark) => mark.getBoundingClientRect().width;
          return { counts: ["Wins", "Ties", "Losses"].map(count),
            width: wide(row.querySelector(".tally svg")),
            drawn: [...row.querySelectorAll(".tally rect")].map(wide),
            hidden: row.querySelector(".tally svg").getAttribute("aria-hidden") }; })""",
        table,
    )
    assert len(rows) == 10
    for row in rows:
        shares = [n / sum(row["counts"]) * row["width"] for n in row["counts"]]
        assert row["drawn"] == pytest.approx(shares, abs=0.5)
        assert row["hidden"] == "true"


@pytest.mark.parametrize("scripts", [True, False])
def test_pairs_are_cards_on_a_telephone(open_page, report, scripts):
    size = {"width": 390, "height": 844}
    page = open_page(report, ready=scripts, java_script_enabled=scripts, viewport=size)
    table = page.locator("table.live" if scripts else "table[data-table=pairs]").first
    assert table.evaluate("e => e.scrollWidth") <= 390
    assert table.evaluate("e => e.parentElement.scrollWidth <= e.parentElement.clientWidth")
    labels = table.evaluate(
        """e => [...e.tBodies[0].rows[0].cells].map((cell) =>
          getComputedStyle(cell, "::before").content.replaceAll('"', ""))"""
    )
    assert "Wins " in labels
    assert "P(better) " in labels
    heads = table.evaluate("e => [...e.tHead.rows[0].cells].map((cell) => cell.textContent)")
    for label, heading in zip(labels[2:], heads[2:], strict=True):
        assert label in (f"{heading} ", "", "none") or heading == "Verdict"
    verdict = table.evaluate(
        "e => getComputedStyle(e.querySelector('td.verdict'), '::before').content"
    )
    assert re.search("[●■◆○]", verdict)
    if scripts:
        button = table.locator("button.sort").first
        assert button.is_visible()
        button.click()
        assert table.locator("th[aria-sort]").count() == 1


@pytest.mark.parametrize("scripts", [True, False])
def test_long_names_are_cut_in_the_middle_and_stay_whole_as_text(open_page, report, scripts):
    page = open_page(report, ready=scripts, java_script_enabled=scripts)
    cells = {
        "picture": ".forest tbody .name",
        "systems": "table[data-table=systems] tbody th",
        "pairs": "table.live tbody td:nth-child(2)" if scripts else "table[data-table=pairs] th",
        "matrix": "table.matrix tbody th",
    }
    for name, selector in cells.items():
        found = page.locator(selector)
        named = set()
        for k in range(found.count()):
            cell = found.nth(k)
            if cell.locator(".cut").count() == 0:
                continue
            title, seen = cell.get_attribute("title"), cell.evaluate(SEEN)
            assert title in LONG, name
            assert title in cell.text_content()
            short = re.search(r"2025\S*…\S*", seen)[0]
            assert len(short) == 24
            assert cell.locator(".cut").bounding_box()["width"] < 25
            named.add((title, short))
        wide = 4 if name == "pairs" else 5
        assert len(named) >= wide
        assert len({short for _, short in named}) == len(named)


def test_the_verdict_of_a_pair_cuts_its_name_after_a_control_moved(open_page, report):
    page = open_page(report)
    before = page.locator("table.live tbody").inner_text()
    page.set("threshold", 0.99)
    page.get_by_role("button", name="Back to the report").click()
    assert page.locator("table.live tbody").inner_text() == before
    decided = page.locator("table.live td.v-better")
    assert decided.count() == decided.locator(".cut").count() > 0


def test_names_in_the_data_and_to_the_ear_are_whole(open_page, report):
    page = open_page(report)
    assert sorted(page.evaluate("betterthan.view.data.systems")) == LONG
    tree = page.locator("table[data-table=systems]").aria_snapshot()
    for name in LONG:
        assert name in tree.replace(" ", "")

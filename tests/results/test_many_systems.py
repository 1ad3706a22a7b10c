"""Reports of many systems: a page that does not contain all pairs, and texts of a sane length."""

import json
import re

import numpy as np
import pytest
from browser.pages import right_or_wrong

import betterthan as bt
from betterthan.results import comparison_page
from betterthan.results.tables import best_first, order_best_first

DATA = re.compile(r'<script type="application/json"[^>]*>(.*?)</script>', re.S)


def page_of(comparison):
    return bt.report(comparison, format="html", figures=False)


def embedded(page):
    (text,) = DATA.findall(page)
    return json.loads(text)["data"]


@pytest.fixture(scope="module")
def comparison():
    return bt.compare(right_or_wrong(30), baseline="system 20", rope=0.02)


@pytest.fixture(scope="module")
def few_pairs(comparison):
    """The page that does not contain all pairs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_page, "PAGE_SYSTEMS", 25)
        patch.setattr(comparison_page, "_TOP", 5)
        patch.setattr(comparison_page, "_NEAR", 2)
        return page_of(comparison)


def test_the_pairs_of_a_page_are_those_that_a_reader_needs():
    n, random = 1000, np.random.default_rng(1)
    order = random.permutation(n)
    first, second = comparison_page.kept_pairs(order, [order[0], order[500]])
    assert (first < second).all()
    kept = set(zip(first.tolist(), second.tolist(), strict=True))
    assert len(kept) == first.size
    place = np.argsort(order)
    a, b = np.triu_indices(n, 1)
    low, high = np.sort([place[a], place[b]], axis=0)
    needed = (high < 50) | (high - low <= 10) | (low == 0) | (low == 500) | (high == 500)
    assert kept == set(zip(a[needed].tolist(), b[needed].tolist(), strict=True))
    assert len(kept) < 14_000  # of 499,500


def test_a_page_of_200_systems_contains_all_pairs_and_one_of_201_does_not():
    assert comparison_page.kept_pairs(np.arange(200), [0])[0].size == 19_900
    assert comparison_page.kept_pairs(np.arange(201), [0])[0].size < 5_000


def test_kept_pairs_have_the_numbers_of_the_complete_page(comparison, few_pairs):
    few = embedded(few_pairs)
    whole = embedded(page_of(comparison))
    assert "kept" not in whole
    codes = [i * 30 + j for i in range(30) for j in range(i + 1, 30)]
    places = [codes.index(code) for code in few["kept"]]
    assert len(places) < few["number"] == len(codes)
    for name, column in whole["pairs"].items():
        part = few["pairs"][name]
        if isinstance(column, list):
            scale = few["per"].get(name, 1) / whole["per"].get(name, 1)
            expected = [None if column[k] is None else column[k] * scale for k in places]
            shown = part if isinstance(part, list) else [part] * len(places)
            np.testing.assert_allclose(
                np.array(shown, float), np.array(expected, float), atol=max(1, scale) * 0.51
            )
        else:
            assert part == column


def test_pairs_with_the_baseline_and_the_first_system_are_kept(few_pairs):
    data = embedded(few_pairs)
    pairs = {frozenset(divmod(code, 30)) for code in data["kept"]}
    for leader in (20, data["order"][0]):
        assert all(frozenset((leader, k)) in pairs for k in range(30) if k != leader)


def test_a_page_without_all_pairs_says_which_it_contains(few_pairs):
    (note,) = re.findall(r'data-elsewhere="([^"]*)"', few_pairs)
    assert f"contains {len(embedded(few_pairs)['kept'])} of 435 pairs" in note
    assert "the first 5 systems" in note
    assert "the baseline" in note


def test_order_best_first_orders_as_best_first_does(comparison):
    data = comparison.by_engine()
    names = data["system_a"].values[order_best_first(data)].tolist()
    ordered = best_first(data)
    assert ordered["system_a"].values.tolist() == names
    assert comparison.systems["system"].tolist() == names
    assert best_first(ordered) is ordered  # no copy of what is in order


@pytest.fixture(scope="module")
def many():
    random = np.random.default_rng(3)
    return bt.compare(right_or_wrong(260, items=60, seed=int(random.integers(9))))


def test_reports_of_many_systems_are_short(many):
    page = bt.report(many, format="html", figures=False)
    assert len(page.encode()) < 1_500_000
    assert bt.report(many, format="markdown").count("\n") < 900
    text = str(many)
    assert text.count("\n") < 80
    assert "all 33,670 are in .pairs of the comparison\n" in re.sub(r"\n(?=\S)", " ", text) + "\n"

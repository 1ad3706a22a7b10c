"""Pages on gates, plans, judged outcomes, rankings, labels, features, fits and scores: as readable
as those on comparisons.
"""

import os

import numpy as np
import pandas as pd
import pytest
from browser.pages import HOSTILE, graded

import betterthan as bt

pytestmark = pytest.mark.browser


def run_of(scores):
    return pd.DataFrame({"item": [f"q{k}" for k in range(len(scores))], "score": scores})


def gate(new, **choices):
    return bt.gate(run_of([1] * 40 + [0] * 20), run_of(new), **{"margin": 0.1} | choices)


def judged():
    table = [[18, 2, 5], [3, 9, 4], [4, 3, 12]]
    pairs = [("A", "B"), ("A", "C"), ("B", "C")]
    return bt.compare(bt.judged.from_table(dict.fromkeys(pairs, (table, (210, 120, 170)))))


def rankings():
    random, items = np.random.default_rng(7), [*"ABCDEF"]
    lists = {
        f"d{d}": {"gold": items, "near": [*random.permutation(items[:4]), "E", "F"]}
        | {"far": list(random.permutation(items))}
        for d in range(12)
    }
    return bt.orders.compare(lists, "gold", draws=500, shuffles=200, rng=1)


def features():
    random = np.random.default_rng(11)
    frame = pd.DataFrame(random.random((24, 3)).round(2), columns=["f", "words", "turns"])
    frame["rating"] = (1 + 3 * frame["f"] - frame["turns"] + random.random(24) * 0.4).round(2)
    return bt.features.performance_function(frame, "rating", resamples=20, rng=1)


COUNTS = {(HOSTILE[0], "old"): (12, 6, 22)}
ANSWERS = {
    "gate passes": lambda: gate([1] * 39 + [0] * 18 + [1] * 3),
    "gate worse": lambda: gate([1] * 20 + [0] * 40),
    "gate open": lambda: gate([1] * 36 + [0] * 20 + [1] * 2 + [np.nan] * 2),
    "gate not comparable": lambda: gate([1] * 9 + [np.nan] * 51),
    "plan": lambda: bt.plan.items_needed(bt.counts.from_table(COUNTS)),
    "plan never": lambda: bt.plan.items_needed((5, 5, 30)),
    "plan replication": lambda: bt.plan.replication((12, 6, 22)),
    "plan looks": lambda: bt.plan.peeking(100, looks=[20, 60, 100], theta=(0.6, 0.4)),
    "judged": judged,
    "rankings": rankings,
    "labels": bt.datasets.beetle_confusion,
    "features": features,
    "fit": lambda: bt.fits.compare(bt.datasets.example_fit("davidson")),
    "scores": lambda: bt.scores.compare(graded(3), draws=300, shuffles=200, rng=1),
}
WITHOUT_PICTURE = ("gate not comparable",)


@pytest.fixture(scope="module")
def pages():
    answers = {name: make() for name, make in ANSWERS.items()}
    return {name: bt.report(one, format="html", figures=False) for name, one in answers.items()}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_first_screen_has_the_answer_and_loads_nothing(open_page, pages, name):
    page = open_page(pages[name])
    assert page.errors == []
    assert page.requests == [page.url]
    assert page.locator("#decision").inner_text()
    assert page.locator("#picture").count() == (name not in WITHOUT_PICTURE)
    bottoms = "[...document.querySelectorAll('#decision, #picture, .warn, .next')]"
    bottoms += ".map((e) => e.getBoundingClientRect().bottom)"
    page.set_viewport_size({"width": 1280, "height": 800})
    assert max(page.evaluate(bottoms)) <= 800


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("name", ANSWERS)
def test_no_page_scrolls_sideways(open_page, pages, name, width):
    page = open_page(pages[name], viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ANSWERS)
def test_without_scripts_the_answer_is_the_same(open_page, pages, name):
    with_scripts = open_page(pages[name])
    without = open_page(pages[name], ready=False, java_script_enabled=False)
    for part in ("#answer", "main table"):
        texts = [found.locator(part).all_text_contents() for found in (with_scripts, without)]
        plain = [[" ".join(t.replace("↕", "").split()) for t in found] for found in texts]
        assert plain[0] == plain[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ANSWERS)
def test_axe_finds_nothing(open_page, pages, name, width, scheme):
    path = os.environ.get("BETTERTHAN_AXE")
    if not path:
        pytest.skip("axe-core is not installed (BETTERTHAN_AXE); make browser does so with npm")
    viewport = {"width": width, "height": 844}
    page = open_page(pages[name], bypass_csp=True, color_scheme=scheme, viewport=viewport)
    page.add_script_tag(path=path)
    found = page.evaluate("axe.run().then((result) => result.violations)")
    assert [(one["impact"], one["id"], one["nodes"][0]["html"]) for one in found] == []


@pytest.mark.parametrize("name", ["gate worse", "plan", "labels"])
def test_it_prints_open(open_page, pages, name):
    page = open_page(pages[name])
    page.emulate_media(media="print")
    assert page.locator("button.theme:visible, .filter:visible").count() == 0
    assert page.locator("#picture").is_visible()

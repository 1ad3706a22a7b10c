"""How often equal systems get a verdict: once looked at, and looked at again and again."""

import itertools
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from plan.walks import verdict_rates

import betterthan as bt

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("n", "rate"), [(20, 0.1153), (50, 0.1189), (200, 0.1036)])
def test_one_look(n, rate):
    found = verdict_rates([n])
    assert found.shape == (1, 2)
    assert found.sum().round(4) == rate
    assert found[0, 0] == pytest.approx(found[0, 1], rel=1e-12)  # one in twenty for each


@pytest.mark.parametrize(("n", "rate"), [(20, 0.3302), (100, 0.5282), (1000, 0.7280)])
def test_a_look_after_every_decisive_item(n, rate):
    found = verdict_rates(range(1, n + 1)).sum(1)
    assert found[-1].round(4) == rate
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize("threshold", [0.9, 0.95])
@pytest.mark.parametrize("win", [0.5, 0.7])
def test_the_recursion_is_what_every_sequence_says(win, threshold):
    """Every order of nine wins and losses, by the verdict of compare."""
    looks, told = [3, 4, 6, 9], np.zeros((4, 2))
    for sequence in itertools.product([1, 0], repeat=9):
        chance = np.prod([win if x else 1 - win for x in sequence])
        for k, m in enumerate(looks):
            side = verdict(sum(sequence[:m]), m - sum(sequence[:m]), threshold)
            if side is not None:
                told[k:, side] += chance
                break
    np.testing.assert_allclose(verdict_rates(looks, win=win, threshold=threshold), told, atol=1e-12)


@cache
def verdict(wins, losses, threshold):
    """0 for A, 1 for B, None for none, by `compare`."""
    counts = bt.counts.from_table({("A", "B"): (wins, losses, 0)})
    found = bt.compare(counts, threshold=threshold)["verdict"]
    said = found.sel(system_a="A", system_b="B").item()
    return {"a_better": 0, "b_better": 1}.get(said)


def test_better_systems_get_their_verdict_and_seldom_the_other():
    for_a, for_b = verdict_rates([200], win=0.6)[0]
    assert for_a > 0.8
    assert for_b < 1e-4


@pytest.mark.parametrize(
    ("threshold", "said"),
    [(0.95, "10 times in 100 (5 for each"), (0.99, "2 times in 100 (1 for each")],
)
def test_the_report_says_it_in_the_line_of_the_verdict(threshold, said):
    found = bt.compare(bt.counts.from_table({("A", "B"): (9, 1, 5)}), threshold=threshold)
    text = " ".join(bt.report(found).split())
    line = re.search(r"Verdict when its .*?(?=The pair|$)", text).group()
    assert said in line
    assert "far more often" in line


def test_readme_and_the_page_on_verdicts_say_it():
    for name in ("README.md", "docs/methods/verdicts.md"):
        text = " ".join((ROOT / name).read_text("utf-8").split())
        assert "one time in ten" in text
        assert "far more often" in text
    assert "bt.plan.peeking(" in (ROOT / "docs/methods/verdicts.md").read_text("utf-8")

"""A warning that always appears is not read: how often verdicts come with one."""

import numpy as np

import betterthan as bt
from betterthan.exact.planning.edges import Rule, fewest_from_wins
from betterthan.exact.wins.beta import prob_above_half
from betterthan.results.robustness import FRAGILE

RULE = Rule((1, 1, 1), 0.95, 0.0)


def test_few_verdicts_on_independent_items_are_fragile():
    """Items 50 to 1,000, of which a third are not tied, differences of 0.02 to 0.2."""
    random = np.random.default_rng(1)
    items = random.choice([50, 100, 200, 500, 1000], 20_000)
    half = random.uniform(0.02, 0.2, items.size) / 2
    shares = np.stack([1 / 6 + half, 1 / 6 - half, np.full(items.size, 2 / 3)], axis=1)
    wins, losses, _ = random.multinomial(items, shares).T
    decided = prob_above_half(wins + 1.0, losses + 1.0) >= 0.95
    flips = fewest_from_wins(wins[decided], losses[decided], RULE)[1]
    assert (flips <= FRAGILE).mean() < 0.10
    assert (flips <= 5).mean() > 0.30  # the former rule


def test_the_fewest_flips_are_those_of_the_closed_form():
    counts = bt.counts.from_table({("A", "B"): (20, 10, 30)})
    flipped = bt.counts.from_table({("A", "B"): (19, 11, 30)})
    assert bt.compare(counts).pairs["verdict"][0] == "better"
    assert bt.compare(flipped).pairs["verdict"][0] == "undecided"
    assert any("if 1 of the 30" in line for line in bt.compare(counts).statement())

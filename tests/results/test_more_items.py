"""Which pair the answer says how many more items for."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.facts import answer_facts


@pytest.fixture(scope="module")
def scores():
    """A is best and undecided with B; the baseline C is undecided with B as well."""
    rng = np.random.default_rng(3)
    hard = rng.normal(size=(80, 1))
    right = rng.normal(size=(80, 4)) + hard < [0.9, 0.7, 0.4, -1.2]
    coords = {"system": list("ABCD")}
    return xr.DataArray(right.astype(float), dims=("item", "system"), coords=coords)


def pair_of(comparison):
    more = answer_facts(comparison).more
    return more and {more.first, more.second}


def test_an_undecided_pair_with_the_baseline_comes_first(scores):
    comparison = bt.compare(scores, baseline="C")
    verdicts = {
        frozenset((row["system"], row["other"])): row["verdict"]
        for row in comparison.pairs.to_dict("records")
    }
    assert verdicts[frozenset("BC")] == "undecided"
    assert "C" in pair_of(comparison)
    assert "C" not in pair_of(bt.compare(scores))


def test_a_baseline_that_is_decided_with_all_leaves_the_leaders(scores):
    comparison = bt.compare(scores, baseline="D")
    assert answer_facts(comparison).baseline.undecided == ()
    assert pair_of(comparison) == pair_of(bt.compare(scores))

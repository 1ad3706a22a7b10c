"""Pairs of equal counts, or of counts that are each other's mirror, are computed once."""

from functools import partial

import numpy as np
import pytest

import betterthan as bt
from betterthan.blocks.lazy import run_locally
from betterthan.exact.wins import intervals
from betterthan.posterior.closed import Distinct

PAIRS = np.random.default_rng(3).integers(1, 6, (3, 400)).astype(float)


@pytest.mark.parametrize("answer", [intervals.hdi, intervals.eti])
def test_each_pair_has_what_it_has_by_itself(answer):
    distinct = Distinct(*PAIRS)
    outputs = 3 if answer is intervals.hdi else 2
    lower, upper = distinct.at_work(run_locally, partial(answer, prob=0.9), outputs)[:2]
    both = distinct.turned(lower, -upper), distinct.turned(upper, -lower)
    np.testing.assert_allclose(both, answer(*PAIRS, 0.9)[:2], atol=1e-12)


def test_each_distinct_pair_is_computed_once():
    computed = []

    def record(a, b, t):
        computed.extend(zip(a, b, t, strict=True))
        return a, b

    Distinct(*PAIRS).at_work(run_locally, record, 2)
    mirrored = {(max(a, b), min(a, b), t) for a, b, t in PAIRS.T}
    assert len(computed) == len(mirrored)
    assert set(computed) == mirrored


def test_intervals_and_masses_of_mirrored_pairs_are_mirrored_to_the_last_digit():
    wins = {("A", "B"): (7, 3, 2), ("B", "C"): (3, 7, 2), ("A", "C"): (5, 5, 2)}
    counts = bt.counts.from_table(wins)
    size = bt.difference(counts)
    first, second = (size.sel(system_a=a, system_b=b) for a, b in (("A", "B"), ("B", "C")))
    assert first["lower"] == -second["upper"]
    assert first["upper"] == -second["lower"]
    same = bt.prob_equivalent(counts, 0.1)
    first, second = (same.sel(system_a=a, system_b=b) for a, b in (("A", "B"), ("B", "C")))
    assert first.values.tolist() == second.values[::-1].tolist()
    assert same.sel(system_a="A", system_b="C").values[0] == pytest.approx(
        same.sel(system_a="A", system_b="C").values[2], rel=1e-12
    )

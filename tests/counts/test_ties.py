"""One row a tie policy: what it does with ties, its mirror, and what is refused."""

import numpy as np
import pytest

import betterthan as bt
from betterthan import names
from betterthan.counts.ties import POLICIES, mirror_of, policy_of
from betterthan.exact.wins.sign import settle_ties

BY_HAND = {  # (win, loss, tie) = (8, 1, 11)
    "third": (8, 1, 0),
    "drop": (8, 1, 11),
    "half": (13, 6, 1),
    "to_a": (19, 1, 0),
    "to_b": (8, 12, 0),
}
GRID = np.array(np.meshgrid(*[range(6)] * 3)).reshape(3, -1)


def test_every_policy_stands_in_one_row():
    assert (*(policy.name for policy in POLICIES), "all") == names.TIES
    assert {policy.name for policy in POLICIES} == set(BY_HAND)
    assert len({policy.words for policy in POLICIES}) == len(POLICIES)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_ties_settled_by_hand(policy):
    assert (*policy.settle(8, 1, 11), policy.left_out(11)) == BY_HAND[policy.name]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_the_mirror_is_the_policy_seen_from_the_other_side(policy):
    wins, losses, ties = GRID
    mirror = policy_of(mirror_of(policy.name))
    assert mirror_of(mirror.name) == policy.name
    assert (mirror.keeps_ties, mirror.needs_ties) == (policy.keeps_ties, policy.needs_ties)
    seen = mirror.settle(losses, wins, ties)
    np.testing.assert_array_equal(policy.settle(wins, losses, ties), seen[::-1])
    np.testing.assert_array_equal(policy.left_out(ties), mirror.left_out(ties))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_no_tie_is_lost_and_exact_settles_them_alike(policy):
    wins, losses, ties = GRID
    settled = policy.settle(wins, losses, ties)
    np.testing.assert_array_equal(settled, settle_ties(wins, losses, ties, policy.name))
    kept = ties if policy.keeps_ties else 0
    total = settled[0] + settled[1] + kept + policy.left_out(ties)
    np.testing.assert_array_equal(total, wins + losses + ties)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda p: p.name)
def test_counts_under_a_policy_are_those_of_its_row(policy):
    counts = bt.counts.from_table({("A", "B"): (8, 1, 11), ("A", "C"): (2, 3, 4)})
    found = bt.counts.apply_ties(counts, policy.name)
    for pair, cells in {("A", "B"): (8, 1, 11), ("A", "C"): (2, 3, 4)}.items():
        one = found.sel(system_a=pair[0], system_b=pair[1]).values
        assert tuple(one[:2]) == policy.settle(*cells)
        assert len(one) == (3 if policy.keeps_ties else 2)
    back = found.transpose("system_b", "system_a", "outcome").values[..., [1, 0]]
    np.testing.assert_array_equal(found.values[..., :2], back)


def test_half_of_the_ties_against_itself_is_no_win():
    counts = bt.counts.from_contingency(3, 2, 1, 4)
    half = bt.counts.apply_ties(counts, "half")
    assert half.sel(system_a="A", system_b="A").values.tolist() == [0, 0]


def test_small_integers_do_not_overflow():
    counts = bt.counts.from_table({("A", "B"): (0, 0, 100)}).astype(np.int8)
    given = bt.counts.apply_ties(counts, "to_a").sel(system_a="A", system_b="B")
    assert given.values.tolist() == [100, 0]


def test_ties_that_are_not_there():
    unknown = bt.counts.from_table({("A", "B"): (8, 1)})
    assert bt.counts.apply_ties(unknown, "third").sizes["outcome"] == 2
    with pytest.raises(ValueError, match="ties='half' needs the number of ties"):
        bt.counts.apply_ties(unknown, "half")
    dropped = bt.counts.apply_ties(bt.counts.from_table({("A", "B"): (8, 1, 2)}), "drop")
    with pytest.raises(ValueError, match="ties='to_b' needs ties, and in these counts 'drop' is"):
        bt.counts.apply_ties(dropped, "to_b")


def test_an_unknown_policy():
    counts = bt.counts.from_table({("A", "B"): (8, 1, 2)})
    for ties in ("all", "split", None):
        with pytest.raises(ValueError, match=r"ties is .*; choose one of third, drop, half, to_a"):
            bt.counts.apply_ties(counts, ties)

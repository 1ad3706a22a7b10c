"""How few items a verdict hangs on: the published table, and every mix of small counts."""

import itertools

import numpy as np
import pytest

import betterthan as bt
from betterthan.exact.planning import edges
from betterthan.exact.planning.edges import Rule

NONE = None
TABLE = [
    ((12, 2, 986), 0.996307, 5, 2, 9, NONE),
    ((60, 30, 110), 0.999242, 16, 8, 23, 42),
    ((8, 2, 10), 0.967285, 1, 1, 6, NONE),
    ((14, 6, 30), 0.960823, 1, 1, 8, 13),
    ((27, 14, 59), 0.978221, 3, 2, 12, 21),
    ((5, 0, 15), 0.984375, 2, 1, 5, NONE),
]


@pytest.mark.parametrize(("counts", "prob", "drop", "turn", "turn_over", "drop_over"), TABLE)
def test_table(counts, prob, drop, turn, turn_over, drop_over):
    found = bt.plan.fragility(counts)
    assert float(bt.plan.replication(counts)["prob_better"]) == pytest.approx(prob, abs=5e-7)
    assert (float(found["drop"]), float(found["turn"])) == (drop, turn)
    assert float(found["turn_to_other"]) == turn_over
    if drop_over is NONE:
        assert np.isnan(found["drop_to_other"])
    else:
        assert float(found["drop_to_other"]) == drop_over


def test_ropes():
    found = bt.plan.fragility((0, 0, 60), rope=0.1)
    assert float(found["drop"]) == 34
    assert found["dropped"].values.tolist() == [0, 0, 34]
    found = bt.plan.fragility((2, 2, 96), rope=0.1)
    assert float(found["drop"]) == 49
    assert sorted(found["dropped"].values.tolist()) == [0, 2, 47]


def test_an_equivalent_pair_of_1000():
    """667 dropped ties, or 29 ties that become wins, undo it; a mix needs still fewer."""

    def held(*counts):
        return edges.verdicts(np.array([counts]), Rule(rope=0.05))[0] == edges.EQUIVALENT

    assert held(12, 2, 986 - 666)
    assert not held(12, 2, 986 - 667)
    assert held(12 + 28, 2, 986 - 28)
    assert not held(12 + 29, 2, 986 - 29)
    found = bt.plan.fragility((12, 2, 986), rope=0.05)
    assert (float(found["drop"]), float(found["turn"])) == (634, 28)
    assert found["dropped"].values.tolist() == [0, 2, 632]
    assert not held(12, 0, 986 - 632)
    assert not held(12 + 28, 0, 986 - 26)


def mixes(k, parts):
    """Ways to take k of so many wins, losses and ties."""
    w, l, _ = parts
    for i, j in itertools.product(range(min(w, k) + 1), range(min(l, k) + 1)):
        if 0 <= k - i - j <= parts[2]:
            yield i, j, k - i - j


def around(k, counts):
    """All counts that k items which turn out otherwise lead to."""
    n = sum(counts)
    for w, l in itertools.product(range(n + 1), repeat=2):
        other = (w, l, n - w - l)
        if other[2] >= 0 and sum(abs(a - b) for a, b in zip(other, counts, strict=True)) == 2 * k:
            yield other


def brute(counts, verdicts, other, kind):
    """The least number by trying all."""
    now = verdicts[counts]
    for k in range(1, sum(counts) + 1):
        if kind == "drop":
            all_ = [tuple(np.subtract(counts, mix)) for mix in mixes(k, counts)]
        else:
            all_ = list(around(k, counts))
        found = verdicts[tuple(np.array(all_, dtype=int).reshape(-1, 3).T)]
        if (found == 1 - now).any() if other else (found != now).any():
            return k
    return np.nan


RULES = [
    Rule(),
    Rule(rope=0.25, threshold=0.8),
    Rule(rope=0.4),
    Rule(rope=0.3, threshold=0.7),
    Rule((0.5, 2.0, 1.0), 0.8, 0.3),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_brute_force_over_all_mixes(rule):
    rng = np.random.default_rng(5)
    every = [c for c in itertools.product(range(8), range(4), range(7)) if sum(c)]
    counts = np.array([every[k] for k in rng.permutation(len(every))[:40]])
    now = edges.verdicts(counts, rule)
    most = counts.sum(1).max()
    within = np.argwhere(np.indices((most + 1,) * 3).sum(0) <= most)
    verdicts = np.full((most + 1,) * 3, -1)
    verdicts[tuple(within.T)] = edges.verdicts(within, rule)
    for kind, search in (("drop", edges.fewest_dropped), ("turn", edges.fewest_flips)):
        for other in (False, True):
            asked = (now <= edges.B) if other else (now != edges.UNDECIDED)
            told = [
                brute(tuple(c), verdicts, other, kind) if ask else np.nan
                for c, ask in zip(counts.tolist(), asked, strict=True)
            ]
            np.testing.assert_array_equal(search(counts, rule, other=other).fewest, told)
    assert len(set(now.tolist())) > 1


def test_closed_form_is_the_search():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 40, (200, 3))
    found = bt.plan.fragility(as_pairs(counts))
    for name, search, other in (
        ("drop", edges.fewest_dropped, False),
        ("turn", edges.fewest_flips, False),
        ("drop_to_other", edges.fewest_dropped, True),
        ("turn_to_other", edges.fewest_flips, True),
    ):
        told = search(counts, Rule(), other=other).fewest
        np.testing.assert_array_equal(found[name].values, told)


def as_pairs(counts):
    import xarray as xr

    return xr.DataArray(
        counts, dims=("pair", "outcome"), coords={"outcome": ["win", "loss", "tie"]}
    )


def test_one_below_keeps_and_the_number_itself_undoes():
    for counts in ((12, 2, 986), (60, 30, 110), (27, 14, 59)):
        found = bt.plan.fragility(counts)
        w, l, t = counts
        for name, move in (("drop", (1, 0, 0)), ("turn", (1, -1, 0))):
            k = int(found[name])
            for by, same in ((k - 1, True), (k, False)):
                now = tuple(c - by * m for c, m in zip((w, l, t), move, strict=True))
                assert (str(bt.plan.foresee(now, more=0)["now"].values) == "a_better") == same


def test_words():
    assert "flipping 2 of the 14 non-tied items" in str(bt.plan.fragility((12, 2, 986)))
    assert "no verdict" in bt.plan.fragility((5, 4, 20)).lines[0]
    assert "removing 49" in bt.plan.fragility((2, 2, 96), rope=0.1).lines[0]


def test_columns_of_a_comparison_on_demand():
    table = {
        ("old", "new"): (6, 12, 32),
        ("old", "tiny"): (20, 8, 22),
        ("new", "tiny"): (3, 16, 31),
    }
    comparison = bt.compare(bt.counts.from_table(table))
    assert "turn" not in comparison.pairs
    found = bt.plan.fragility(comparison)
    comparison.data["drop"], comparison.data["turn"] = found["drop"], found["turn"]
    rows = comparison.pairs.set_index(["system", "other"])
    assert rows.loc[("old", "tiny"), ["drop", "turn"]].tolist() == [4, 2]
    assert rows.loc[("tiny", "new"), ["drop", "turn"]].tolist() == [8, 3]
    assert np.isnan(rows.loc[("new", "old"), "turn"])


@pytest.mark.parametrize("choice", [{"threshold": 0.999}, {"rope": 0.3}, {"prior": (20, 20, 20)}])
def test_plans_of_a_comparison_keep_its_choices(choice):
    """Of 30 wins and 14 losses A is better at 0.95, and undecided at 0.999."""
    comparison = bt.compare(bt.counts.from_table({("A", "B"): (30, 14, 60)}), **choice)
    verdict = comparison.data["verdict"].values[0, 1]
    for plan in (
        bt.plan.fragility(comparison),
        bt.plan.replication(comparison),
        bt.plan.foresee(comparison, more=50),
    ):
        assert plan["now"].values[0, 1] == verdict
        assert plan.data.attrs["threshold"] == choice.get("threshold", 0.95)

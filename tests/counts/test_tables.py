import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt


def test_contingency_table():
    counts = bt.counts.from_contingency(698, 12, 2, 288, systems=("new", "old"))
    assert counts.sel(system_a="new", system_b="old").values.tolist() == [12, 2, 986]
    assert counts.sel(system_a="old", system_b="old").values.tolist() == [0, 0, 1000]
    assert counts.attrs["unit"] == "item"


def test_both_directions_may_be_given_when_they_agree():
    once = bt.counts.from_table({("A", "B"): (3, 1, 2)})
    twice = bt.counts.from_table({("A", "B"): (3, 1, 2), ("B", "A"): (1, 3, 2)})
    np.testing.assert_array_equal(once.values, twice.values)


def test_without_ties_they_are_unknown():
    counts = bt.counts.from_table({("A", "B"): (3, 1)})
    assert counts.outcome.values.tolist() == ["win", "loss"]
    assert counts.attrs["ties"] == "unknown"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({("A", "B"): (3, -1, 2)}, "'B'.* hold -1; a count is at least 0"),
        ({("A", "B"): (3.5, 1, 2)}, "hold 3.5; give whole numbers"),
        ({("A", "B"): (float("nan"), 1, 2)}, "hold nan"),
        ({("A", "B"): ("x", 1, 2)}, "give whole numbers"),
        ({("A", "A"): (3, 1, 2), ("A", "B"): (1, 1, 1)}, "'A' is compared with itself"),
        ({("A", "B"): (3, 1, 2), ("B", "A"): (3, 1, 2)}, "win and loss exchanged"),
        ({("A", "B"): (3, 1, 2), ("B", "C"): (3, 1)}, "every entry"),
        ({("A", "A"): (0, 0, 4)}, "at least two systems"),
        ({}, "every entry"),
        ({("A", "B", "C"): (1, 2, 3)}, "is not a pair of systems"),
        ({"AB": (1, 2, 3)}, "'AB' is not a pair of systems"),
        ({("A", float("nan")): (1, 2, 3)}, "is not a pair of systems"),
        ({("A", "B"): 3}, "has 3; give .win, loss, tie."),
        ([("A", "B")], "table is list; give a mapping of"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.counts.from_table(table)
    assert "\n" not in str(caught.value)


def test_bad_contingency():
    with pytest.raises(ValueError, match="only_b is -2; give a whole number of at least 0"):
        bt.counts.from_contingency(1, 1, -2, 0)
    with pytest.raises(ValueError, match="compared with itself"):
        bt.counts.from_contingency(1, 1, 1, 0, systems=("A", "A"))


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("drop", [8, 1]),
        ("half", [13, 6]),
        ("to_a", [19, 1]),
        ("to_b", [8, 12]),
        ("third", [8, 1, 11]),
    ],
)
def test_tie_policies(policy, expected):
    counts = bt.counts.from_table({("A", "B"): (8, 1, 11)})
    for shaped in (counts, bt.counts.to_pairs(counts)):
        chosen = bt.counts.apply_ties(shaped, policy)
        one = (
            chosen.sel(system_a="A", system_b="B")
            if "system_a" in chosen.dims
            else chosen.isel(pair=0)
        )
        assert one.values.tolist() == expected


def test_tie_policies_that_need_ties_refuse_unknown_ones():
    counts = bt.counts.from_table({("A", "B"): (8, 1)})
    assert bt.counts.apply_ties(counts, "drop").attrs["ties"] == "drop"
    for policy in ("half", "to_a", "to_b"):
        with pytest.raises(ValueError, match="needs the number of ties"):
            bt.counts.apply_ties(counts, policy)
    with pytest.raises(ValueError, match="ties is 'ignore'; choose one of"):
        bt.counts.apply_ties(counts, "ignore")


COUNTS = st.tuples(*[st.integers(0, 50)] * 3)


@given(st.lists(COUNTS, min_size=1, max_size=6))
def test_pairs_and_square_are_two_shapes_of_one_thing(rows):
    table = {("x vs y", f"z{k}"): row for k, row in enumerate(rows)}
    square = bt.counts.from_table(table)
    pairs = bt.counts.to_pairs(square)
    back = bt.counts.to_square(pairs)
    np.testing.assert_array_equal(
        back.sel(system_a=square.system_a, system_b=square.system_b).values, square.values
    )
    np.testing.assert_array_equal(
        bt.counts.swap(square).transpose(*square.dims).values, square.values[..., [1, 0, 2]]
    )
    assert pairs.pair.to_index().is_unique


def test_labels_stay_apart_when_names_hold_vs():
    square = bt.counts.from_table({("a vs b", "c"): (1, 2, 3), ("a", "b vs c"): (4, 5, 6)})
    pairs = bt.counts.to_pairs(square)
    assert pairs.pair.to_index().is_unique
    assert pairs.isel(pair=0).system_a.item() == "a vs b"


def test_published_tables():
    counts = bt.datasets.intent_detection()
    assert counts.sizes == {"system_a": 8, "system_b": 8, "outcome": 2}
    assert counts.sel(system_a="Wit", system_b="LUIS").values.tolist() == [81, 41]
    np.testing.assert_array_equal(counts.values, np.swapaxes(counts.values, 0, 1)[..., ::-1])
    with pytest.raises(ValueError, match="case is 'c'; choose one of a, b"):
        bt.datasets.contingency_case("c")

"""What must hold for any table: layouts say the same, and order of rows says nothing."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import betterthan as bt
from betterthan.io.system_names import PLAIN_NUMBER
from betterthan.text import spelling

WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0↓⬇", exclude_categories=["C", "Z"]),
    min_size=1,
)
SCORES = st.one_of(
    st.none(), st.integers(0, 1), st.floats(allow_nan=False, allow_infinity=False, width=32)
)


def same(word):
    """What two names have in common that are one name, or one number, in two spellings."""
    return float(word) if PLAIN_NUMBER.fullmatch(word) else spelling(word)


@st.composite
def tables(draw):
    """A wide frame with items and systems of any name."""
    items = draw(st.lists(WORDS, min_size=1, max_size=6, unique_by=same))
    systems = draw(
        st.lists(WORDS.map(lambda w: f"s {w}"), min_size=2, max_size=5, unique_by=spelling)
    )
    row = st.lists(SCORES, min_size=len(systems), max_size=len(systems))
    values = draw(st.lists(row, min_size=len(items), max_size=len(items)))
    frame = pd.DataFrame(values, columns=systems, dtype=float)
    frame.insert(0, "item", items)
    return frame


def melted(frame):
    return frame.melt("item", var_name="system", value_name="score")


@settings(max_examples=30, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_long_and_wide_agree_in_any_order_of_rows(frame, random):
    wide = bt.read(frame, systems=[*frame.columns[1:]])
    long = melted(frame)
    order = list(range(len(long)))
    random.shuffle(order)
    again = bt.read(long.iloc[order].reset_index(drop=True)).sel(
        item=wide["item"], system=wide.system
    )
    np.testing.assert_array_equal(again.values, wide.values)


@settings(max_examples=30, deadline=None)
@given(tables())
def test_text_and_frame_agree(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("io") / "results.csv"
    systems = [*frame.columns[1:]]  # named, so that numbers of any size are scores
    wide = bt.read(frame, systems=systems)
    frame.to_csv(path, index=False)
    again = bt.read(path, systems=systems)
    np.testing.assert_array_equal(again.values, wide.values)
    assert again["item"].values.tolist() == wide["item"].values.tolist()
    assert again.system.values.tolist() == wide.system.values.tolist()
    path.write_text(melted(frame).to_csv(index=False))
    again = bt.read(path).sel(item=wide["item"], system=wide.system)
    np.testing.assert_array_equal(again.values, wide.values)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.permutations("ABCD").map(lambda p: p[:2]),
            st.sampled_from(["model_a", "model_b", "tie", ""]),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_votes_are_antisymmetric_and_none_is_lost(votes):
    frame = pd.DataFrame(
        [(a, b, w) for (a, b), w in votes], columns=["model_a", "model_b", "winner"]
    )
    counts = bt.read(frame)
    mirrored = counts.values.swapaxes(0, 1)[..., [1, 0, 2]]
    np.testing.assert_array_equal(counts.values, mirrored)
    assert counts.values.sum() == 2 * counts.attrs["n"]
    assert counts.attrs["n"] + counts.attrs["n_missing"] == len(votes)
    turned = frame.set_axis(["model_b", "model_a", "winner"], axis=1)
    turned["winner"] = (
        turned["winner"].map({"model_a": "model_b", "model_b": "model_a"}).fillna(turned["winner"])
    )
    again = bt.read(turned).sel(system_a=counts.system_a.values, system_b=counts.system_b.values)
    np.testing.assert_array_equal(again.values, counts.values)


def refused(rows):
    """The first row that repeats or contradicts one before it, and what is said of it."""
    known = {}
    for k, (a, b, wins, losses) in enumerate(rows):
        if (a, b) in known:
            return k, rf"already in row {known[a, b][0]};"
        if (b, a) in known and known[b, a][1:] != (losses, wins):
            return k, rf"row {known[b, a][0]} has \[.*\] the other way round"
        known[a, b] = k, wins, losses
    return None


@example([("A", "B", 1, 0), ("B", "A", 0, 1), ("A", "B", 1, 0)])
@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from("ABC")] * 2, *[st.integers(0, 1)] * 2), min_size=1))
def test_counts_of_pairs_are_read_as_one_row_after_the_other(rows):
    rows = [("A", "D", 300, 0), *(row for row in rows if row[0] != row[1])]
    frame = pd.DataFrame(rows, columns=["system_a", "system_b", "wins", "losses"])
    if wrong := refused(rows):
        with pytest.raises(ValueError, match=rf"row {wrong[0]}: .*{wrong[1]}"):
            bt.read(frame)
        return
    counts = bt.read(frame)
    expected = {}
    for a, b, wins, losses in rows:
        expected[a, b], expected[b, a] = [wins, losses], [losses, wins]
    for a, b in permutations(counts["system_a"].values.tolist(), 2):
        found = counts.sel(system_a=a, system_b=b).values.tolist()
        assert found == expected.get((a, b), [0, 0])
    pairs = len(expected) // 2
    assert f"{pairs} pair" in counts.attrs["reading"]

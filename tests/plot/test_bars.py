from itertools import pairwise

import pytest

import betterthan as bt

THREE = {("A", "B"): (5, 20, 75), ("A", "C"): (30, 10, 60), ("B", "C"): (8, 8, 84)}


def _bars(ax):
    """Start and width of each part of each bar, from the top."""
    rows = len(ax.get_yticklabels())
    parts = ax.patches
    return [[(p.get_x(), p.get_width()) for p in parts[row::rows]] for row in range(rows)]


def _right(ax):
    """Names at the right end: the annotations, numbers are plain text."""
    return [t.get_text() for t in ax.texts if hasattr(t, "xyann") and not t.get_text().isdigit()]


def test_bars_are_the_counts_from_the_side_of_the_one_ahead():
    ax = bt.plot.outcomes(bt.counts.from_table(THREE))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "B"]
    assert _right(ax) == ["C", "A", "C"]
    assert _bars(ax) == [
        [(0, 30), (30, 60), (90, 10)],
        [(0, 20), (20, 75), (95, 5)],
        [(0, 8), (8, 84), (92, 8)],
    ]
    assert ax.get_xlim() == (0, 100)


def test_against_a_baseline_every_bar_is_the_other_system():
    ax = bt.plot.outcomes(bt.counts.from_table(THREE), baseline="B")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["C", "A"]
    assert _bars(ax) == [[(0, 8), (8, 84), (92, 8)], [(0, 5), (5, 75), (80, 20)]]
    assert _right(ax) == []
    assert ax.get_title(loc="left") == "Wins, ties and losses against B"


def test_pairs_and_squares_are_the_same():
    counts = bt.counts.from_table(THREE)
    assert _bars(bt.plot.outcomes(counts)) == _bars(bt.plot.outcomes(bt.counts.to_pairs(counts)))


def test_numbers_stand_inside_or_beside_and_never_overlap():
    ax = bt.plot.outcomes(bt.counts.from_table({("A", "B"): (12, 2, 986)}))
    numbers = [t for t in ax.texts if t.get_text().isdigit()]
    assert sorted(t.get_text() for t in numbers) == ["12", "2", "986"]
    ax.figure.draw_without_rendering()
    boxes = sorted((t.get_window_extent() for t in numbers), key=lambda box: box.x0)
    assert all(a.x1 < b.x0 for a, b in pairwise(boxes))


def test_a_number_without_room_is_left_out():
    ax = bt.plot.outcomes(bt.counts.from_table({("A", "B"): (990, 4, 6)}))
    assert [t.get_text() for t in ax.texts if t.get_text().isdigit()] == ["990"]


def test_unknown_ties_are_said():
    ax = bt.plot.outcomes(bt.counts.from_table({("A", "B"): (12, 30)}))
    assert _bars(ax) == [[(0, 30), (30, 12)]]
    assert ax.get_xlabel() == "Number of non-tied items (ties are unknown)"
    assert len(ax.get_legend().get_texts()) == 2


def test_dropped_ties_are_said():
    ax = bt.plot.outcomes(bt.counts.apply_ties(bt.counts.from_table(THREE), "drop"))
    assert "ties were resolved or left out" in " ".join(ax.get_xlabel().split())


def test_no_examples_is_an_empty_bar():
    ax = bt.plot.outcomes(bt.counts.from_table({("A", "B"): (0, 0, 0)}))
    assert _bars(ax) == [[(0, 0), (0, 0), (0, 0)]]


def test_parts_differ_in_lightness():
    ax = bt.plot.outcomes(bt.counts.from_table({("A", "B"): (9, 5, 6)}))
    light = sorted(
        sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), p.get_facecolor()[:3], strict=True))
        for p in ax.patches
    )
    assert light[1] - light[0] > 0.2
    assert light[2] - light[1] > 0.2


@pytest.mark.parametrize(
    ("systems", "baseline", "message"),
    [
        (10, None, "45 pairs are too many bars .at most 40.; give baseline= or systems="),
        (42, "s0", "41 pairs are too many bars .at most 40.; give systems="),
        (3, "nobody", "baseline names 'nobody', which is not among the systems: s0, s1, s2"),
    ],
)
def test_bad_input_is_one_line(systems, baseline, message):
    table = {(f"s{a}", f"s{b}"): (3, 2, 1) for a in range(systems) for b in range(a + 1, systems)}
    with pytest.raises(ValueError, match=message):
        bt.plot.outcomes(bt.counts.from_table(table), baseline=baseline)


def test_forty_bars_are_drawn():
    table = {("base", f"s{b}"): (3, 2, 1) for b in range(40)}
    assert len(bt.plot.outcomes(bt.counts.from_table(table), baseline="base").patches) == 120

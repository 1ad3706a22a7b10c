"""The picture of intervals in text: every mark stands where its number is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.results.marks import ASCII, UNICODE, WIDTH, Row, Scale, draw

THREE = [
    Row("fine-tuned", "better", (0.16, 0.27, 0.37), ("+0.27", "> 0.999")),
    Row("new prompt", "undecided", (-0.03, 0.08, 0.18), ("+0.08", "< 0.001")),
    Row("base", "baseline", None, ("", "< 0.001")),
]
HEADINGS = ["Difference", "P(best)"]


def plots(rows, **choices):
    """The columns of the plot of each row."""
    label = max(len(row.label) for row in rows)
    lines = draw("Difference", HEADINGS, rows, **choices)[2 : 2 + len(rows)]
    return [line.ljust(200)[label + 3 : label + 3 + WIDTH] for line in lines]


def test_three_systems():
    assert draw("Difference from base (baseline), point and 95% CrI", HEADINGS, THREE) == [
        " Difference from base (baseline), point and 95% CrI",
        "                 0       +0.1       +0.2      +0.3         Difference  P(best)  Verdict",
        " fine-tuned      │               ├───────────●─────────┤        +0.27  > 0.999  better",
        " new prompt   ├──┼───────○──────────┤                           +0.08  < 0.001  undecided",
        " base            ┃                                                     < 0.001  baseline",
    ]


numbers = st.floats(-1, 1).map(lambda x: round(x, 4))
intervals = st.tuples(numbers, numbers, numbers).map(sorted).map(tuple)


@settings(deadline=None)
@given(st.lists(intervals, min_size=1, max_size=9), st.booleans())
def test_marks_stand_where_their_numbers_are(drawn, reverse):
    rows = [Row(f"s{k}", "undecided", interval) for k, interval in enumerate(drawn)]
    scale = Scale.over([v for interval in drawn for v in interval], reverse)
    width = (scale.high - scale.low) / (WIDTH - 1)
    for (low, point, high), plot in zip(drawn, plots(rows, reverse=reverse), strict=True):
        at = plot.index("○")
        place = WIDTH - 1 - at if reverse else at
        assert scale.low + place * width == pytest.approx(point, abs=width / 2 + 1e-9)
        assert {plot[scale.column(low)], plot[scale.column(high)]} <= set("├┤○")


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=6))
def test_ticks_are_few_round_and_on_the_scale(values):
    scale = Scale.over(values)
    ticks = scale.ticks()
    assert 0.0 in ticks
    assert len(ticks) <= 7
    assert all(scale.low <= t <= scale.high for t in ticks)
    assert len({scale.label(t, UNICODE) for t in ticks}) == len(ticks)


def test_where_lower_is_better_better_is_to_the_right():
    (first, _, _), (turned, _, _) = plots(THREE), plots(THREE, reverse=True)
    assert first.index("●") == WIDTH - 1 - turned.index("●")
    axis = draw("Difference", HEADINGS, THREE, reverse=True)[1]
    assert axis.index("+0.3") < axis.index(" 0 ")


def test_each_verdict_has_its_mark():
    verdicts = {"better": "●", "worse": "■", "equivalent": "◆", "undecided": "○", "split": "○"}
    rows = [Row(v, v, (0.1, 0.2, 0.3)) for v in verdicts]
    assert [plot[UNICODE_POINT] for plot in plots(rows)] == list(verdicts.values())


UNICODE_POINT = Scale.over([0.3]).column(0.2)


def test_the_rope_is_dotted_and_named():
    lines = draw("Difference", HEADINGS, THREE, rope=0.05, more="4 more systems: all worse")
    assert lines[-1] == " 4 more systems: all worse   (dotted: ROPE ±0.05)"
    assert "┊" in lines[2]
    beyond = draw("Difference", HEADINGS, THREE, rope=9)
    assert beyond[-1] == " (ROPE ±9: beyond the scale)"
    assert "┊" not in "".join(beyond)


def test_a_pair_without_data_has_no_mark():
    (empty, *_) = plots([Row("a", "no data"), *THREE])
    assert empty.strip() == "│"


def test_ascii_can_be_encoded():
    lines = draw("Difference", HEADINGS, THREE, marks=ASCII)
    "\n".join(lines).encode("ascii")
    assert lines[2].count("*") == 1


def test_labels_of_large_numbers_do_not_touch():
    row = Row("x", "better", (2.2e10, 4.0e10, 5.7e10), ("+40,123,456,429",))
    axis = draw("", ["Difference"], [row, Row("y", "reference")])[1]
    assert axis.split() == ["0", "+40,000,000,000", "Difference", "Verdict"]


SMALL, LARGE = [(3e-14, "+5e−15"), (3e-4, "+0.00005")], [(9e12, "+2,000,")]


@pytest.mark.parametrize(("value", "first"), [*SMALL, *LARGE])
def test_labels_of_very_small_and_large_differences_stay_different(value, first):
    scale = Scale.over([0, value])
    ticks = scale.ticks()
    labels = [scale.label(tick, UNICODE) for tick in ticks]
    assert labels[0] == "0"
    assert labels[1].startswith(first)
    assert len(set(labels)) == len(ticks) >= 3
    assert ticks == pytest.approx([k * scale.step for k in range(len(ticks))], rel=1e-9)

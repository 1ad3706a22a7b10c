"""Every form of an answer has the same digits, and rows line up under any names."""

import betterthan as bt
from betterthan.results.machines import pair_cases
from betterthan.results.marks import Row, draw
from betterthan.results.numbers import score_range


def test_an_undecided_pair_never_has_the_threshold_as_its_probability():
    table = {("A", "B"): (43, 29, 13), ("A", "C"): (12, 11, 25), ("B", "C"): (9, 8, 23)}
    comparison = bt.compare(bt.counts.from_table(table))
    assert 0.9495 < float(comparison["prob_better"][0, 1]) < 0.95
    assert pair_cases(comparison)[1].message == "A undecided: P 0.9497"
    assert "P(first better) 0.9497" in bt.report(comparison, format="html", figures=False)


def test_rows_of_a_picture_line_up_under_wide_letters():
    rows = [Row("通义千问", "better", (0.1, 0.2, 0.3)), Row("plain", "baseline")]
    wide, plain = draw("Difference", [], rows)[2:4]
    assert wide.index("│") + 4 == plain.index("┃")  # four letters take two places each


def test_bounds_of_small_scores_keep_their_digits():
    assert score_range(0.0019, 0.0028) == "[0.0019, 0.0028]"
    assert score_range(0.61, 0.73) == "[0.610, 0.730]"


def test_the_odd_tie_of_half_each_is_counted_as_dropped():
    right = {"new": [1] * 15 + [0] * 7 + [1] * 19, "old": [0] * 15 + [1] * 7 + [1] * 19}
    text = " ".join(bt.compare(right, ties="half").statement())
    assert "On 41 items: 24 wins, 16 losses for new; 1 tie is dropped; 9 ties count" in text


def test_an_equivalence_is_not_undone_by_a_prior_that_moves_who_is_ahead():
    counts = bt.counts.from_table({("A", "B"): (32, 20, 2000)})
    statement = " ".join(bt.compare(counts, rope=0.05).statement())
    assert "practically equivalent" in statement
    assert "Fragile" not in statement

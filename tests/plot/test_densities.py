import numpy as np
import pytest
from scipy import stats

import betterthan as bt

pytestmark = pytest.mark.usefixtures("no_layout")

A = bt.counts.from_contingency(698, 12, 2, 288)
B = bt.counts.from_contingency(500, 210, 200, 90)
THREE = bt.counts.from_table(
    {("A", "B"): (5, 20, 75), ("A", "C"): (30, 10, 60), ("B", "C"): (8, 8, 84)}
)


def _curves(ax):
    return [line.get_xydata().T for line in ax.lines if len(line.get_xdata()) > 2]


def _legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_outcomes_are_two_betas():
    ax = bt.plot.densities(B)
    (x, first), (_, second) = _curves(ax)
    np.testing.assert_allclose(first, stats.beta(211, 791).pdf(x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(second, stats.beta(201, 801).pdf(x), rtol=1e-9, atol=1e-12)
    assert _legend(ax) == ["by A: 210 of 1000", "by B: 200 of 1000"]
    assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()


def test_decisive_is_one_beta_with_half_in_view():
    ax = bt.plot.densities(A, show="decisive")
    ((x, y),) = _curves(ax)
    np.testing.assert_allclose(y, stats.beta(13, 3).pdf(x), rtol=1e-9, atol=1e-12)
    low, high = ax.get_xlim()
    assert low < 0.5 < high
    assert _legend(ax) == ["P(A better) = 0.996", "P(B better) = 0.004"]


def test_difference_integrates_to_one_and_names_three_masses():
    ax = bt.plot.densities(B, show="difference", rope=0.02)
    ((x, y),) = _curves(ax)
    assert np.trapezoid(y, x) == pytest.approx(1, abs=1e-4)
    assert np.trapezoid(x * y, x) == pytest.approx(10 / 1003, abs=1e-5)
    assert _legend(ax) == [
        "P(|d| ≤ 0.02) = 0.621",
        "P(A better by more than 0.02) = 0.310",
        "P(B better by more than 0.02) = 0.069",
    ]


def test_without_a_rope_the_difference_names_two_masses():
    assert _legend(bt.plot.densities(A, show="difference")) == [
        "P(A better) = 0.996",
        "P(B better) = 0.004",
    ]


@pytest.mark.parametrize("show", ["outcomes", "decisive", "difference"])
def test_the_other_way_round_is_the_mirror_image(show):
    one = _curves(bt.plot.densities(THREE, systems=("A", "C"), show=show))
    two = _curves(bt.plot.densities(THREE, systems=("C", "A"), show=show))
    tops = [[x[np.nanargmax(y)] for x, y in curves] for curves in (one, two)]
    if show == "outcomes":
        assert tops[0] == tops[1][::-1]
    else:
        assert sum(tops[0] + tops[1]) == pytest.approx(0 if show == "difference" else 1, abs=1e-9)


@pytest.mark.parametrize("show", ["outcomes", "decisive", "difference"])
@pytest.mark.parametrize("cells", [(0, 0, 0), (1, 0, 0), (10**9, 10**9 - 10**5, 10**8)])
def test_extreme_counts_are_in_view(show, cells):
    ax = bt.plot.densities(bt.counts.from_table({("A", "B"): cells}), show=show, prior="haldane")
    for x, y in _curves(ax):
        left, right = ax.get_xlim()
        assert left <= x[0] < x[-1] <= right
        assert 0 < np.nanmax(y) < ax.get_ylim()[1]


def test_ties_unknown_leave_the_decisive_density():
    counts = bt.counts.from_table({("A", "B"): (12, 2)})
    assert _legend(bt.plot.densities(counts, show="decisive"))[0] == "P(A better) = 0.996"
    assert (
        _legend(bt.plot.densities(bt.counts.apply_ties(A, "drop"), show="difference"))[0]
        == "P(A better) = 0.996"
    )


@pytest.mark.parametrize(
    ("counts", "choice", "message"),
    [
        (A, {"show": "both"}, "show is 'both'; choose one of outcomes, decisive, difference"),
        (THREE, {}, "data hold 3 pairs; give systems="),
        (THREE, {"systems": ("A", "X")}, "systems names 'X'"),
        (THREE, {"systems": ("A", "A")}, "compared with itself"),
        (THREE, {"systems": "AB"}, "give the names of two systems"),
        (bt.counts.to_pairs(THREE)[:2], {"systems": ("B", "C")}, "data compare no two of 'B', 'C'"),
        (A, {"rope": 0.1}, "show='outcomes' has no rope"),
        (A, {"rope": -1, "show": "difference"}, "rope is -1"),
        (A, {"prior": (1, 1, 1)}, "two numbers, of success and failure"),
        (A, {"prior": (1, 0, 1), "show": "difference"}, "must be positive"),
        (
            bt.counts.from_table({("A", "B"): (1, 2)}),
            {},
            "show='outcomes' needs the number of ties",
        ),
        (
            bt.counts.from_table({("A", "B"): (1, 2)}),
            {"show": "difference"},
            "needs the number of ties",
        ),
        (bt.counts.apply_ties(A, "drop"), {}, "needs the number of ties"),
        (np.ones(3), {}, "data is a ndarray; give a comparison, scores .* or counts"),
    ],
)
def test_bad_input_is_one_line(counts, choice, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.plot.densities(counts, **choice)
    assert "\n" not in str(caught.value)

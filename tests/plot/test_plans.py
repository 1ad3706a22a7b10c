"""Figures of plans show the plan's numbers, in lines that differ without colour."""

import matplotlib
import numpy as np
import pytest

import betterthan as bt

matplotlib.use("agg")


def test_assurance():
    plan = bt.plan.assurance(range(1, 101), design=(10, 10, 180), rope=0.1)
    ax = bt.plot.assurance(plan, target=0.8)
    curves, (line,) = ax.lines[:-1], ax.lines[-1:]
    shown = {"a_better": 0, "b_better": 1, "equivalent": 2, "undecided": 3}
    for verdict, k in shown.items():
        np.testing.assert_array_equal(
            curves[k].get_ydata(), plan["probability"].sel(verdict=verdict).values
        )
    assert len({curve.get_linestyle() for curve in curves}) == 4
    assert line.get_ydata()[0] == 0.8
    heights = sorted(text.xyann[1] for text in ax.texts)
    assert min(np.diff(heights)) >= 0.07 - 1e-12


@pytest.mark.parametrize("looks", [5, None])
def test_boundary(looks):
    plan = bt.plan.stopping_boundary(100, looks=looks)
    ax = bt.plot.boundary(plan, (10, 60, 5))
    there = plan["wins"].values >= 0
    np.testing.assert_array_equal(
        ax.lines[0].get_ydata(), (2 * plan["wins"] - plan["look"]).values[there]
    )
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), -ax.lines[0].get_ydata())
    assert ax.get_ylim()[0] < -50
    assert ax.texts[-1].get_text() == "now: 10 to 60"


def test_drawn_where_asked():
    from matplotlib.figure import Figure

    both = Figure().subplots(1, 2)
    plan = bt.plan.stopping_boundary(50)
    assert bt.plot.boundary(plan, ax=both[0]) is both[0]
    curve = bt.plan.assurance([10, 20])
    assert bt.plot.assurance(curve, ax=both[1]) is both[1]


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: bt.plot.assurance(3), "plan is 3; give what plan.assurance"),
        (lambda: bt.plot.assurance(bt.plan.assurance(10)), "with several n"),
        (lambda: bt.plot.boundary(bt.plan.assurance([1, 2])), "give what plan.stopping_boundary"),
        (
            lambda: bt.plot.boundary(
                bt.plan.stopping_boundary(20),
                bt.counts.from_table({("A", "B"): (1, 2, 3), ("A", "C"): (1, 2, 3)}),
            ),
            "counts are of 3 pairs",
        ),
    ],
)
def test_bad_input(draw, said):
    with pytest.raises(ValueError, match=said):
        draw()

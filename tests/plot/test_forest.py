import numpy as np
import pytest
import xarray as xr

import betterthan as bt

pytestmark = pytest.mark.usefixtures("no_layout")

DIMS = ("system_a", "system_b")


def _comparison(mean, verdict=None, half=0.05, **attrs):
    """A comparison from the upper triangle of the means."""
    mean = np.triu(np.asarray(mean, dtype=float), 1)
    mean = mean - mean.T
    n = len(mean)
    flipped = {"a_better": "b_better", "b_better": "a_better"}
    verdicts = np.full((n, n), "undecided", dtype="U12")
    for (i, j), v in (verdict or {}).items():
        verdicts[i, j], verdicts[j, i] = v, flipped.get(v, v)
    return xr.Dataset(
        {
            "difference_mean": (DIMS, mean),
            "difference_lower": (DIMS, mean - half),
            "difference_upper": (DIMS, mean + half),
            "verdict": (DIMS, verdicts),
        },
        coords={dim: [f"s{k}" for k in range(n)] for dim in DIMS},
        attrs={"rope": 0.02, "ci_prob": 0.95, "ci_kind": "hdi"} | attrs,
    )


THREE = _comparison(
    [[0, -0.2, 0.005], [0, 0, 0.1], [0, 0, 0]],
    {(0, 1): "b_better", (0, 2): "equivalent", (1, 2): "undecided"},
)


def _rows(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def _intervals(ax):
    """Lower and upper end of every row: the last collection of lines."""
    from matplotlib.collections import LineCollection

    segments = [c for c in ax.collections if isinstance(c, LineCollection)][-1].get_segments()
    return np.array([segment[:, 0] for segment in segments])


def _title(ax):
    """Without its line breaks."""
    return " ".join(ax.get_title(loc="left").split())


def test_the_one_ahead_comes_first():
    ax = bt.plot.differences(THREE)
    assert _rows(ax) == ["s1 − s0", "s1 − s2", "s0 − s2"]
    np.testing.assert_allclose(_intervals(ax), [[0.15, 0.25], [0.05, 0.15], [-0.045, 0.055]])


def test_the_shape_is_the_verdict():
    ax = bt.plot.differences(THREE)
    shapes = {
        line.get_label(): (line.get_marker(), line.get_markerfacecolor(), *line.get_xdata())
        for line in ax.lines
    }
    assert shapes["better (P ≥ 0.95)"] == ("o", "#0b5cad", pytest.approx(0.2))
    assert shapes["practically equivalent (P ≥ 0.95)"] == (
        *("D", "#0f6f66"),
        pytest.approx(0.005),
    )
    assert shapes["undecided"] == ("o", "white", pytest.approx(0.1))


def test_against_a_baseline_nothing_is_turned():
    ax = bt.plot.differences(THREE, baseline="s1")
    assert _rows(ax) == ["s2", "s0"]
    np.testing.assert_allclose(_intervals(ax), [[-0.15, -0.05], [-0.25, -0.15]])


def test_the_swapped_comparison_gives_the_same_figure():
    one, two = (
        bt.plot.differences(THREE),
        bt.plot.differences(THREE.transpose("system_b", "system_a")),
    )
    assert _rows(one) == _rows(two)


def test_all_intervals_and_the_rope_are_in_view():
    ax = bt.plot.differences(THREE, rope=0.4)
    left, right = ax.get_xlim()
    assert left < -0.4
    assert right > 0.4
    assert "ROPE: |d| ≤ 0.4" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_the_rope_and_the_interval_come_from_the_comparison():
    ax = bt.plot.differences(THREE)
    assert "ROPE: |d| ≤ 0.02" in [t.get_text() for t in ax.get_legend().get_texts()]
    assert _title(ax) == "Difference of each pair: mean and 95% HDI"


def test_the_first_engine_is_drawn():
    both = xr.concat([THREE, THREE.assign(difference_mean=THREE["difference_mean"] * 2)], "engine")
    assert _rows(bt.plot.differences(both)) == _rows(bt.plot.differences(THREE))
    np.testing.assert_allclose(
        _intervals(bt.plot.differences(both)), _intervals(bt.plot.differences(THREE))
    )


def test_too_many_pairs_leaves_those_nearest_to_a_decision_and_says_so():
    half = 0.1
    needed = 1.6448536 * half / 1.959964  # mean at which P(d > 0) is 0.95
    mean = np.zeros((4, 4))
    mean[np.triu_indices(4, 1)] = [0.0, 0.02, needed - 0.003, needed + 0.004, 0.3, -0.5]
    ax = bt.plot.differences(_comparison(mean, half=half, rope=0.0), limit=2)
    assert _rows(ax) == ["s1 − s2", "s0 − s3"]
    assert _title(ax).endswith("2 of 6 pairs: those closest to a change of verdict")


def test_nearest_to_equivalence_counts_too():
    mean = np.array([[0, 0.0, 0.3], [0, 0, 0.3], [0, 0, 0]])
    ax = bt.plot.differences(_comparison(mean, half=0.1, rope=0.1), limit=1)
    assert _rows(ax) == ["s0 − s1"]


def test_134_systems_are_drawn():
    mean = np.random.default_rng(5).normal(0, 0.1, (134, 134))
    ax = bt.plot.differences(_comparison(mean))
    assert len(_rows(ax)) == 40
    assert "40 of 8,911 pairs" in _title(ax)


def test_pairs_without_a_difference_are_left_out():
    gap = THREE.copy(deep=True)
    gap["difference_mean"][0, 1] = gap["difference_mean"][1, 0] = np.nan
    assert _rows(bt.plot.differences(gap)) == ["s1 − s2", "s0 − s2"]


def test_it_draws_what_compare_returns():
    comparison = bt.compare(bt.counts.from_contingency(698, 12, 2, 288), rope=0.02)
    ax = bt.plot.differences(comparison)
    assert "practically equivalent (P ≥ 0.95)" in [
        t.get_text() for t in ax.get_legend().get_texts()
    ]


@pytest.mark.parametrize(
    ("comparison", "choice", "message"),
    [
        (THREE.drop_vars("difference_lower"), {}, "variable 'difference_lower'"),
        ([1], {}, "data is a list; give a comparison"),
        (
            THREE.assign(verdict=THREE["verdict"].copy(data=np.full((3, 3), "maybe"))),
            {},
            "verdict is 'maybe'",
        ),
        (THREE.where(False).assign(verdict=THREE["verdict"]), {}, "no pair has a difference"),
        (THREE.isel(system_a=0), {}, "data have dims .system_b.; give .system_a, system_b."),
        (THREE, {"rope": 1.5}, "rope is 1.5"),
        (THREE, {"limit": 0}, "limit is 0"),
        (THREE, {"baseline": "X"}, "baseline names 'X'"),
        (
            THREE.drop_vars("difference_mean").assign_attrs(ties="unknown"),
            {},
            "needs the number of ties",
        ),
    ],
)
def test_bad_input_is_one_line(comparison, choice, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.plot.differences(comparison, **choice)
    assert "\n" not in str(caught.value)

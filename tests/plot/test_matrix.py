import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.plot import drawing


def _square(values, systems=None):
    systems = systems or [f"s{k}" for k in range(len(values))]
    dims = ("system_a", "system_b")
    return xr.DataArray(
        np.asarray(values, dtype=float), dims=dims, coords=dict.fromkeys(dims, systems)
    )


def _random(n):
    p = np.random.default_rng(n).random((n, n))
    p = np.triu(p, 1)
    return _square(p + np.tril(1 - p.T, -1) + 0.5 * np.eye(n))


def test_cells_say_percent_and_never_certainty():
    prob = _square(
        [[0.5, 0.999999, 0.95], [0.000001, 0.5, 0.42], [0.05, 0.58, 0.5]], ["A", "B", "C"]
    )
    ax = bt.plot.matrix(prob, systems=["A", "B", "C"])
    assert [t.get_text() for t in ax.texts] == [">99", "95", "<1", "42", "5", "58"]
    assert [t.get_fontweight() for t in ax.texts] == [
        "bold",
        "bold",
        "bold",
        "normal",
        "bold",
        "normal",
    ]
    assert ax.texts[0].get_position() == (1, 0)  # row A, column B
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "C"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["A", "B", "C"]


def test_the_best_system_comes_first():
    ax = bt.plot.matrix(
        _square([[0.5, 0.1, 0.6], [0.9, 0.5, 0.7], [0.4, 0.3, 0.5]], ["A", "B", "C"])
    )
    assert [t.get_text() for t in ax.get_yticklabels()] == ["B", "A", "C"]
    shown = ax.images[0].get_array()
    assert shown.tolist() == [[0.5, 0.9, 0.7], [0.1, 0.5, 0.6], [0.3, 0.4, 0.5]]


def test_a_list_picks_and_orders():
    prob = _random(6)
    ax = bt.plot.matrix(prob, systems=["s4", "s1"])
    np.testing.assert_array_equal(ax.images[0].get_array(), prob.values[np.ix_([4, 1], [4, 1])])


def test_dims_are_taken_by_name():
    prob = _random(4)
    one, two = bt.plot.matrix(prob), bt.plot.matrix(prob.transpose("system_b", "system_a"))
    np.testing.assert_array_equal(one.images[0].get_array(), two.images[0].get_array())


def test_a_gap_is_no_number():
    ax = bt.plot.matrix(_square([[0.5, np.nan], [np.nan, 0.5]]))
    assert [t.get_text() for t in ax.texts] == ["–", "–"]
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize(("n", "numbers", "bars"), [(20, 380, 0), (21, 0, 1), (134, 0, 1)])
def test_size_decides_what_is_written(n, numbers, bars):
    ax = bt.plot.matrix(_random(n))
    assert len(ax.texts) == numbers
    assert len(ax.figure.axes) == 1 + bars
    assert max(ax.figure.get_size_inches()) <= 14
    assert len(ax.get_yticklabels()) == n  # all 134 have room


def test_where_there_is_no_room_every_kth_row_is_named():
    ax = bt.plot.matrix(_random(300))
    rows = ax.get_yticks()
    assert len(rows) < 300
    assert set(np.diff(rows)) == {3}
    assert "one row in 3 is named" in ax.get_title(loc="left")


def test_classes_darken_from_the_middle_to_both_sides():
    image = bt.plot.matrix(_random(3)).images[0]
    p = np.array([0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    luminance = image.cmap(image.norm(p))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance[:4]) > 0).all()
    assert (np.diff(luminance[3:]) < 0).all()


def test_the_ramp_of_ranks_only_darkens():
    luminance = drawing.ramp()(np.linspace(0, 1, 50))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(luminance) < 0).all()


@pytest.mark.parametrize(
    ("prob", "systems", "message"),
    [
        ([[0.5]], None, "data is a list; give a comparison, scores"),
        (_square([[0.5, 1.2], [-0.2, 0.5]]), None, "data hold the probability 1.2"),
        (_square([[0.5]]), None, "at least two systems"),
        (_square([[0.5, 0.5], [0.5, 0.5]], ["A", "A"]), None, "more than once"),
        (_square([[0.5, 0.5], [0.5, 0.5]]).drop_vars("system_b"), None, "coordinate 'system_b'"),
        (_random(3).isel(system_a=slice(2)), None, "same systems"),
        (
            _random(3).expand_dims(method=["exact", "mcmc"]),
            None,
            "data have dims .method, system_a, system_b.; give .system_a, system_b.",
        ),
        (_random(3), ["s0", "s9"], "systems names 's9'"),
        (_random(3), ["s0", "s0"], "more than once"),
        (_random(3), ["s0"], "at least two systems"),
    ],
)
def test_bad_input_is_one_line(prob, systems, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.plot.matrix(prob, systems=systems)
    assert "\n" not in str(caught.value)

"""Adjusted p-values on labelled pairs."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import false_discovery_control

from betterthan import names
from betterthan.exact.swaps.corrections import benjamini_hochberg, holm
from betterthan.significance.corrections import adjust as adjust_p


def square(values, diagonal=1.0):
    values = np.array(values, dtype=float)
    np.fill_diagonal(values, diagonal)
    labels = [f"s{k}" for k in range(len(values))]
    coords = {"system_a": labels, "system_b": labels}
    return xr.DataArray(values, dims=("system_a", "system_b"), coords=coords, name="p")


def random_square(n, seed=1):
    upper = np.triu(np.random.default_rng(seed).random((n, n)) ** 3, 1).round(3)
    return upper + upper.T


@pytest.mark.parametrize(("correction", "adjust"), [("holm", holm), ("bh", benjamini_hochberg)])
def test_every_unordered_pair_counts_once(correction, adjust):
    values = random_square(6)
    found = adjust_p(square(values), correction=correction)
    upper = np.triu_indices(6, 1)
    np.testing.assert_array_equal(found.values[upper], adjust(values[upper]))
    np.testing.assert_array_equal(found.values, found.values.T)
    assert (np.diagonal(found) == 1).all()
    assert found.attrs == {"correction": correction, "hypotheses": 15}
    assert found.name == "p"


def test_bh_of_a_square_is_that_of_scipy():
    values = random_square(8)
    upper = np.triu_indices(8, 1)
    found = adjust_p(square(values), correction="bh").values[upper]
    np.testing.assert_allclose(found, false_discovery_control(values[upper]), rtol=1e-12)


def test_pairs_without_a_test_do_not_count():
    values = random_square(5)
    values[0, 3] = values[3, 0] = np.nan
    found = adjust_p(square(values, diagonal=np.nan))
    assert found.attrs["hypotheses"] == 9
    assert np.isnan(found.values[0, 3])
    assert np.isnan(np.diagonal(found)).all()
    assert np.isfinite(found.values[0, 1])


def test_one_sided_cells_are_hypotheses_of_their_own():
    values = np.array([[1, 0.01, 0.3], [0.99, 1, 0.02], [0.7, 0.98, 1]])
    found = adjust_p(square(values))
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_array_equal(found.values[off], holm(values[off]))
    assert found.attrs["hypotheses"] == 6


def test_order_of_the_dims_and_one_dim_and_none():
    p = square(random_square(4))
    xr.testing.assert_equal(adjust_p(p.T).T, adjust_p(p))
    xr.testing.assert_equal(adjust_p(p, correction="none"), p)
    pairs = xr.DataArray([0, 1], dims="pair", coords={"pair": ["A vs B", "A vs C"]})
    found = adjust_p(pairs)
    assert found.values.tolist() == [0.0, 1.0]
    assert found["pair"].values.tolist() == ["A vs B", "A vs C"]
    assert pairs.dtype.kind == "i"


def test_input_is_left_alone():
    p = square(random_square(4))
    before = p.copy(deep=True)
    adjust_p(p)
    xr.testing.assert_identical(p, before)


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (xr.DataArray([0.1, 1.2], dims="x"), "p-value 1.2 is outside 0 and 1"),
        (
            xr.DataArray(np.zeros((2, 2)), dims=("x", "y")),
            r"p has dims x, y; give \(system_a, system_b\) or one dim",
        ),
        (xr.DataArray(0.5), "p has dims none"),
        (xr.DataArray(np.zeros((2, 3)), dims=("system_a", "system_b")), "p is 2 by 3 systems"),
        ([0.1, 0.2], "p is list; give a DataArray"),
        (xr.DataArray(["a"], dims="x"), "numbers between 0 and 1"),
    ],
)
def test_bad_p(p, message):
    with pytest.raises(ValueError, match=message) as caught:
        adjust_p(p)
    assert "\n" not in str(caught.value)


def test_bad_correction():
    with pytest.raises(
        ValueError, match=f"correction is 'max_t'; choose one of {', '.join(names.CORRECTIONS)}"
    ):
        adjust_p(square(random_square(3)), correction="max_t")

"""Two ways to sum up strata, which may name different systems."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt


def counts(*rows):
    labels = {"outcome": ["win", "loss", "tie"]}
    return xr.DataArray([[r] for r in rows], dims=("dataset", "pair", "outcome"), coords=labels)


def test_micro_and_macro_reverse():
    found = bt.plan.micro_macro(counts((30, 20, 40), (0, 4, 6)))
    assert found["micro"].item() == pytest.approx(0.06)
    assert found["macro"].item() == pytest.approx((10 / 90 - 0.4) / 2)
    assert round(found["macro"].item(), 3) == -0.144
    assert found["differ"].item()
    assert "different systems in 1 pair" in found.lines[0]
    assert str(found).startswith("! ")


def test_strata_cannot_all_reverse():
    """With the same items for both systems the sum is a mean of the strata."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        found = bt.plan.micro_macro(counts(*rng.integers(1, 14, (4, 3))))
        each = found["difference"].values
        for sums in (found["micro"].item(), found["macro"].item()):
            assert each.min() - 1e-12 <= sums <= each.max() + 1e-12


def test_of_scores():
    rng = np.random.default_rng(2)
    values = (rng.random((60, 3)) < [0.7, 0.5, 0.4]).astype(float)
    dataset = np.repeat(["a", "b", "c"], [30, 20, 10])
    labels = {"system": ["A", "B", "C"], "dataset": ("item", dataset)}
    scores = xr.DataArray(values, dims=("item", "system"), coords=labels)
    found = bt.plan.micro_macro(scores, by="dataset")
    pair = {"system_a": "A", "system_b": "C"}
    apart = values[:, 0] - values[:, 2]
    assert float(found["micro"].sel(pair)) == pytest.approx(apart.mean())
    means = [apart[dataset == d].mean() for d in "abc"]
    np.testing.assert_allclose(found["difference"].sel(pair).values, means)
    assert float(found["macro"].sel(pair)) == pytest.approx(np.mean(means))
    assert float(found["micro"].sel(system_a="C", system_b="A")) == pytest.approx(-apart.mean())
    alone = bt.prob_better(bt.count(scores, by="dataset"))
    np.testing.assert_allclose(found["prob_better"].sel(pair), alone.sel(pair), rtol=1e-12)
    dead = [np.ptp(values[dataset == d], axis=1) == 0 for d in "abc"]
    np.testing.assert_allclose(found["dead"].values, [x.mean() for x in dead])
    values[:25, 2] = np.nan  # of which it is not known whether they are alike for all
    found = bt.plan.micro_macro(scores.copy(data=values), by="dataset")
    dead[0] = dead[0][25:]
    np.testing.assert_allclose(found["dead"].values, [x.mean() for x in dead])
    assert "different systems in no pair" in found.lines[0] or found.lines[0].startswith("! ")


def test_an_empty_stratum_counts_in_neither():
    found = bt.plan.micro_macro(counts((3, 1, 0), (0, 0, 0)))
    assert found["macro"].item() == found["micro"].item() == 0.5


def test_bad_input():
    scores = xr.DataArray([[1, 0], [1, 1]], dims=("item", "system"), coords={"system": ["A", "B"]})
    with pytest.raises(ValueError, match="by is None"):
        bt.plan.micro_macro(scores)
    with pytest.raises(ValueError, match="give those of strata"):
        bt.plan.micro_macro(bt.count(scores))
    with pytest.raises(ValueError, match="data is 3"):
        bt.plan.micro_macro(3)

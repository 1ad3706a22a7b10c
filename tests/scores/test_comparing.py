"""Posterior and test of one score side by side: each is what its own function says."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.shapes import fingerprint
from betterthan.counts.units import unlike_gold

AB = {"system_a": "A", "system_b": "B"}
# random counts of each system are of no common gold
pytestmark = pytest.mark.filterwarnings("ignore:The gold mentions")


@pytest.fixture(scope="module")
def tallies():
    values = np.random.default_rng(1).poisson([5, 1.5, 1.5], (30, 3, 3))
    values[:, 0, 0] += 1
    coords = {
        "system": list("ABC"),
        "tally": ["tp", "fp", "fn"],
        "item": [f"d{k}" for k in range(30)],
    }
    return xr.DataArray(values, dims=("item", "system", "tally"), coords=coords)


@pytest.fixture(scope="module")
def found(tallies):
    with pytest.warns(UserWarning, match="of systems differ on 30 of 30 items"):
        return bt.scores.compare(tallies, rope=0.01, rng=3)


def test_systems_of_one_gold_are_not_warned_of():
    gold, found = np.arange(4, 34) % 6 + 1, np.random.default_rng(1).random((2, 30))
    tp = (found * gold).round().astype(int)
    values = np.stack([tp, np.zeros((2, 30), int), gold - tp], axis=-1).swapaxes(0, 1)
    data = xr.DataArray(
        values,
        dims=("item", "system", "tally"),
        coords={"system": ["A", "B"], "tally": ["tp", "fp", "fn"]},
    ).assign_coords(item=range(30))
    assert unlike_gold(data) == ""
    assert "gold" not in str(bt.compare(data))
    data[:4, 1, 2] += 1
    assert "systems differ on 4 of 30 items" in unlike_gold(data)
    assert "! The gold mentions (TP + FN) of systems differ on 4 of 30" in str(bt.compare(data))


def test_everything_is_what_its_own_function_says(tallies, found):
    bootstrap = bt.scores.bootstrap(tallies, rope=0.01, rng=3)
    for name in bootstrap.data_vars:
        np.testing.assert_array_equal(found[name], bootstrap[name])
    test = bt.randomization_test(tallies, correction="holm", rng=3)
    np.testing.assert_array_equal(found["p_value"], test["p_value"])
    np.testing.assert_array_equal(found["p_adjusted"], test["p_adjusted"])
    assert "alone_lower" not in found  # a row is more than one mention
    assert found.attrs["data_hash"] == fingerprint(tallies)
    assert found.attrs["test_method"] == "lattice"


def test_scores_have_no_interval_alone_and_labels_are_summed(tallies):
    scores = xr.DataArray(
        np.random.default_rng(2).integers(0, 2, (60, 2)).astype(float),
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    found = bt.scores.compare(scores, correction="none", rng=1)
    assert "alone_lower" not in found
    assert "gap" in found
    np.testing.assert_array_equal(found["p_adjusted"], found["p_value"])
    labelled = (
        xr.concat([tallies, tallies], "label")
        .assign_coords(label=["x", "y"])
        .transpose("item", "system", ...)
    )
    values = np.random.default_rng(4).multinomial(1, (0.6, 0.2, 0.2), (30, 3))
    single = labelled.copy(data=np.stack([values, 0 * values], axis=2))
    np.testing.assert_allclose(
        bt.scores.compare(single, rng=1)["alone_lower"],
        bt.scores.posterior(single.sum("label"))["lower"],
        rtol=1e-6,
    )
    macro = bt.scores.compare(labelled, statistic="macro_f1", shuffles=200, rng=1)
    assert "p_value_mcse" in macro
    assert macro.attrs["shuffles"] == 200


def test_result_survives_netcdf(found, tmp_path):
    found.save(tmp_path / "m.nc")
    xr.testing.assert_identical(bt.load(tmp_path / "m.nc").data, found.data)


def test_loads_neither_pymc_nor_matplotlib():
    import subprocess
    import sys

    code = (
        "import sys, betterthan as bt, pandas as pd\n"
        "rows = [{'system': s, 'item': k, 'tp': 5 + (k + (s == 'A')) % 3, 'fp': k % 2, 'fn': (k + "
        "(s == 'B')) % 4}"
        " for s in 'AB' for k in range(40)]\n"
        "bt.report(bt.scores.compare(bt.io.tallies_from_table(pd.DataFrame(rows)), "
        "rng=1))\n"
        "bt.report(bt.datasets.beetle_confusion())\n"
        "print(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"pymc", "arviz", "matplotlib", "nutpie", "statsmodels"}


def test_bad_arguments(tallies):
    for choice, words in (
        ({"correction": "max_t"}, "correction is 'max_t'"),
        ({"alpha": 0}, "alpha is 0"),
    ):
        with pytest.raises(ValueError, match=words):
            bt.scores.compare(tallies, **choice)
    with pytest.raises(ValueError, match="needs scores"):
        bt.scores.compare(tallies, statistic="mean")


def test_frame_and_labels_reach_the_same_answer():
    random = np.random.default_rng(4)
    gold = random.choice(list("abc"), 80)
    said = {
        s: np.where(random.random(80) < p, gold, random.choice(list("abc"), 80))
        for s, p in (("A", 0.7), ("B", 0.5))
    }
    labels = bt.labels.read(pd.DataFrame({"gold": gold} | said))
    found = bt.scores.compare(bt.labels.tallies(labels), rng=1)
    right = xr.DataArray(
        np.stack([said[s] == gold for s in "AB"], 1).astype(float),
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    accuracy = bt.scores.compare(right, rng=1)
    # one label for each item: pooled F1 is accuracy
    np.testing.assert_allclose(found["score"], accuracy["score"])
    np.testing.assert_allclose(found["prob_better"].sel(AB), accuracy["prob_better"].sel(AB))
    assert found["p_value"].sel(AB).item() == pytest.approx(accuracy["p_value"].sel(AB).item())

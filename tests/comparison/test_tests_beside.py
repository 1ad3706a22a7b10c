"""The tests beside the posterior: which are chosen, what they say, and what travels with them."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.significance.roster import Tests


def graded(seed=0, items=40, systems=4):
    values = np.random.default_rng(seed).integers(0, 5, (items, systems)) / 4
    return xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(systems)]}
    )


def tallies(seed=0, items=30, systems=3):
    values = np.random.default_rng(seed).poisson([4, 1, 1], (items, systems, 3))
    coords = {"system": [f"s{k}" for k in range(systems)], "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(values, dims=("item", "system", "tally"), coords=coords)


@pytest.mark.parametrize(
    ("data", "tests"),
    [
        (graded(), ["sign", "randomization"]),
        (graded() > 0.4, ["sign"]),
        (tallies(), ["sign", "randomization"]),
        (bt.datasets.contingency_case("a"), ["sign"]),
        (bt.datasets.intent_detection(), ["sign"]),
    ],
)
def test_the_default_tests(data, tests):
    assert bt.compare(data)["test"].values.tolist() == tests


def test_p_values_are_those_of_the_functions():
    data = graded()
    found = bt.compare(
        data, tests=Tests(["mid_p", "trinomial", "randomization", "sign"], correction="bh")
    )
    counts = bt.count(data)
    expected = {
        "sign": bt.sign_test(counts)["p_value"],
        "mid_p": bt.sign_test(counts)["mid_p"],
        "trinomial": bt.sign_test(counts, ties="third")["p_value"],
        "randomization": bt.randomization_test(data)["p_value"],
    }
    for test, p in expected.items():
        np.testing.assert_allclose(found["p_value"].sel(test=test), p)
        np.testing.assert_allclose(
            found["p_adjusted"].sel(test=test), bt.significance.adjust(p, correction="bh")
        )


def test_tallies_are_compared_item_by_item_and_over_all_items():
    data = tallies()
    found = bt.compare(data)
    counts = bt.count(bt.counts.tally_scores(data))
    np.testing.assert_array_equal(found["counts"], counts)
    np.testing.assert_allclose(
        found["p_value"].sel(test="randomization"), bt.randomization_test(data)["p_value"]
    )
    assert "F1 over all of them" in found.attrs["notes"]


def test_policies_for_ties_reach_the_sign_test():
    data = graded()
    half = bt.compare(data, ties="half", tests=["sign"])
    np.testing.assert_allclose(
        half["p_value"].sel(test="sign"), bt.sign_test(data, ties="half")["p_value"]
    )
    every = bt.compare(data, ties="all")
    np.testing.assert_allclose(every["p_value_by_ties"], bt.sign_test(data, ties="all")["p_value"])
    assert every["p_flips"].dtype == bool


def test_what_is_sampled_carries_its_error_and_its_seed():
    values = np.random.default_rng(1).normal(0, 1, (30, 3))
    data = xr.DataArray(values, dims=("item", "system"), coords={"system": ["a", "b", "c"]})
    found = bt.compare(data, rng=5, tests=Tests(shuffles=999))
    assert found.attrs["shuffle_seed"] == 5
    assert (found["p_value_mcse"].values[0, 1:] > 0).all()
    assert "mean by monte_carlo, 999 permutations, seed 5" in bt.signature(found)
    assert " ± " in bt.report(found).split("Posterior and tests")[1]


def test_missing_policies_reach_the_randomization_test():
    data = graded()
    data[3, 1] = np.nan
    wrong = bt.compare(data, missing="wrong")
    np.testing.assert_allclose(
        wrong["p_value"].sel(test="randomization"), bt.randomization_test(data.fillna(0))["p_value"]
    )


def test_p_values_travel_to_netcdf_rows_and_json(tmp_path):
    found = bt.compare(graded())
    found.save(tmp_path / "c.nc")
    xr.testing.assert_identical(bt.load(tmp_path / "c.nc").data, found.data)
    rows = found.pairs
    told = {
        f"{what}_{test}" for what in ("p_value", "p_adjusted") for test in ("sign", "randomization")
    }
    assert told <= set(rows)
    first = {"system_a": rows["system"][0], "system_b": rows["other"][0], "test": "sign"}
    assert rows["p_value_sign"][0] == found["p_value"].sel(first).item()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"tests": ["signs"]},
            "tests is 'signs'; choose one of sign, mid_p, mcnemar, trinomial",
        ),
        ({"tests": ["sign", "sign"]}, "test 'sign' occurs more than once"),
        ({"tests": ["randomization"]}, "and these are counts; choose one of sign"),
        ({"tests": []}, "tests is empty; give one or more of sign, mid_p"),
        ({"alpha": 0}, "alpha is 0; give a number between 0 and 1"),
        ({"correction": "max_t"}, "correction is 'max_t'; choose one of none, holm, bh"),
        ({"shuffles": 0}, "shuffles is 0"),
    ],
)
def test_bad_choices(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(
            bt.datasets.contingency_case("a"),
            tests=choices["tests"] if "tests" in choices else Tests(**choices),
        )


def test_the_trinomial_test_needs_ties():
    with pytest.raises(ValueError, match="the trinomial test needs the number of ties"):
        bt.compare(bt.datasets.intent_detection(), tests=["trinomial"])


@pytest.mark.parametrize(
    ("unit", "counted"),
    [
        (None, "tests count clusters"),
        ("item", "tests count items as independent, and ignore the clusters"),
    ],
)
@pytest.mark.filterwarnings("ignore:The answers are too certain")
def test_p_values_say_whether_they_count_clusters(unit, counted):
    right = np.random.default_rng(0).random((60, 2)) < [0.8, 0.6]
    coords = {"system": ["a", "b"], "cluster": ("item", np.arange(60) // 6)}
    data = xr.DataArray(right.astype(float), dims=("item", "system"), coords=coords)
    text = " ".join(bt.report(bt.compare(data, unit=unit)).split())
    assert counted in text
    assert ("Both ignore the clusters, and are too certain." in text) == (unit == "item")

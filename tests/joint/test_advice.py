"""Advice follows the data, and a comparison follows the advice."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from betterthan.models import designs

DESIGN = designs.Design(60, 0.4, 3, 3)


@pytest.fixture(scope="module")
def scores():
    return designs.scores_of(DESIGN, 5)


def kinds(scores):
    graded = designs.graded_scores(DESIGN, 5)
    return {
        "clustered": scores,
        "hierarchical": scores.drop_vars("cluster"),
        "item_response": scores.drop_vars(["cluster", "dataset"]),
        "dirichlet_multinomial": scores.drop_vars(["cluster", "dataset"]).isel(system=[0, 1]),
        "graded": graded.drop_vars("cluster"),
        "davidson": designs.judgments_of(DESIGN, 5),
    }


def test_each_kind_of_data_has_its_model(scores):
    for model, data in kinds(scores).items():
        advice = bt.advise(data)
        assert advice.model == model
        assert len(str(advice).split("\n")) == 3
        assert model in advice.call or model == "dirichlet_multinomial"


def test_counts_and_trials(scores):
    plain = scores.drop_vars(["cluster", "dataset"])
    assert bt.advise(bt.count_outcomes(scores, by="dataset")).model == "hierarchical"
    assert bt.advise(bt.count_clusters(scores)).model == "clustered"
    assert bt.advise(bt.count_judgments(designs.judgments_of(DESIGN, 5))).model == "davidson"
    assert bt.advise(bt.count_trials(plain)).model == "item_response"
    of_items = bt.advise(bt.count_outcomes(plain))
    assert of_items.model == "dirichlet_multinomial"
    assert "shared items" in of_items.why
    assert "unknown" in bt.advise(bt.count_outcomes(plain).assign_attrs(unit="unknown")).why
    tallies = bt.tallies_from_table(
        pd.DataFrame({"system": list("ABAB"), "doc": [1, 1, 2, 2], "tp": [1, 2, 3, 4], "fp": 0, "fn": 1})
    )
    assert bt.advise(tallies).model == "bayesian_bootstrap"


def test_calls_of_the_advice_run(scores):
    for model, data in kinds(scores).items():
        if model in ("hierarchical", "dirichlet_multinomial"):
            found = eval(bt.advise(data).call, {"betterthan": bt, "data": data})
            assert "prob_better" in found


def test_other_data_are_refused():
    with pytest.raises(ValueError, match="expected scores, tallies, counts"):
        bt.advise(np.zeros(3))


@pytest.mark.parametrize("model", ["clustered", "item_response", "davidson"])
def test_comparison_follows_the_advice(scores, model):
    data = kinds(scores)[model]
    comparison = bt.compare(data, method="advised", rng=1)
    assert comparison["engine"].values.tolist() == [model, "exact"]
    p = comparison["prob_better"].sel(engine=model).values
    assert p + p.T == pytest.approx(1.0)
    assert comparison["prob_best"].sum().item() == pytest.approx(1.0)
    assert comparison.attrs["advice"] == str(bt.advise(data))
    assert f"method=advised ({model})" in bt.signature(comparison)
    text = bt.report(comparison)
    assert f"({model})" in text
    assert "P(best of all)" in text
    for form in ("markdown", "html", "latex"):
        assert "Advised" in bt.report(comparison, format=form)


def test_closed_form_is_advised_for_two_systems(scores):
    data = kinds(scores)["dirichlet_multinomial"]
    comparison = bt.compare(data, method="advised", rng=1)
    assert comparison["engine"].values.tolist() == ["exact"]
    assert "prob_best" not in comparison


def test_choices_that_do_not_fit_the_advice(scores):
    with pytest.raises(ValueError, match="method='advised' keeps ties"):
        bt.compare(scores, method="advised", ties="drop")
    with pytest.raises(ValueError, match="units of the score"):
        bt.compare(kinds(scores)["graded"], method="advised", rope=0.01)


def test_comparison_survives_netcdf(scores, tmp_path):
    comparison = bt.compare(kinds(scores)["item_response"], method="advised", rng=1)
    comparison.to_netcdf(tmp_path / "c.nc", engine="h5netcdf")
    import xarray as xr

    with xr.open_dataset(tmp_path / "c.nc", engine="h5netcdf") as back:
        assert bt.report(back) == bt.report(comparison)

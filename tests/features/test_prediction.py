"""Components compared by predicted response: against the draws and against simulation."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

AB = {"system_a": "A", "system_b": "B"}
COMPONENTS = pd.DataFrame({"f": [0.6, 0.4, 0.6], "words": [110, 110, 110]}, index=["A", "B", "C"])


@pytest.fixture
def tree(regression_tree):
    return regression_tree


def test_prediction_is_that_of_the_draws(tree):
    found = bt.features.predict(tree, COMPONENTS, ci_kind="eti")
    posterior = tree["posterior"].to_dataset()
    lines = {
        name: (
            posterior["intercept"]
            + (posterior["coefficient"] * COMPONENTS.loc[name].to_numpy()).sum("feature")
        ).values
        for name in COMPONENTS.index
    }
    for name, line in lines.items():
        at = found.sel(system=name)
        assert at["predicted"].item() == pytest.approx(line.mean())
        assert [at["lower"].item(), at["upper"].item()] == pytest.approx(
            np.quantile(line, [0.025, 0.975]).tolist()
        )
    assert found["prob_better"].sel(AB).item() == pytest.approx((lines["A"] > lines["B"]).mean())
    assert found["difference_mean"].sel(AB).item() == pytest.approx(
        (lines["A"] - lines["B"]).mean()
    )
    assert found["prob_better"].sel(system_a="A", system_b="C").item() == 0.5  # the same scores
    np.testing.assert_allclose(found["prob_better"] + found["prob_better"].values.T, 1)
    assert (found["predicted_mcse"] > 0).all()
    assert found["prob_best"].sum().item() == pytest.approx(1)


def test_the_report_names_failed_checks_only_where_checks_failed(tree):
    predicted = bt.features.predict(tree, COMPONENTS)
    assert "Failed checks" not in bt.report(predicted, format="markdown")
    failed = predicted.assign_attrs(failures=["R-hat is 1.2."])
    assert "R-hat is 1.2." in bt.report(failed, format="markdown")


def test_direction_and_rope(tree):
    found = bt.features.predict(tree, COMPONENTS, higher_is_better=False, rope=100)
    plain = bt.features.predict(tree, COMPONENTS)
    assert found["prob_better"].sel(AB).item() == pytest.approx(
        1 - plain["prob_better"].sel(AB).item()
    )
    assert found["verdict"].sel(AB).item() == "equivalent"
    assert plain["verdict"].sel(AB).item() in ("a_better", "b_better", "undecided")


def test_features_outside_the_training_data_are_named(tree):
    found = bt.features.predict(
        tree, {"near": {"f": 0.5, "words": 100}, "far": {"f": 9, "words": 100}}
    )
    assert found["outside"].values.tolist() == ["", "f"]


def test_a_fit_that_has_not_converged_gives_no_verdict(tree):
    with pytest.warns(UserWarning, match="no verdict: .*ESS"):
        found = bt.features.predict(tree.isel(draw=slice(0, 30)), COMPONENTS)
    assert found["verdict"].sel(AB).item() == "no_verdict"
    assert found.attrs["failures"]


def test_a_component_with_other_confusions_is_refused(tree):
    beetle = bt.datasets.beetle_confusion()
    known = "freq.predicted.pc_incomplete.actual.correct"
    posterior = tree["posterior"].to_dataset().assign_coords(feature=[known, "f.weighted"])
    posterior.attrs["confusions"] = [known, "freq.predicted.pc_incomplete.actual.contradictory"]
    renamed = xr.DataTree.from_dict(
        {"posterior": posterior, "sample_stats": tree["sample_stats"].to_dataset()}
    )
    alone = bt.features.predict(renamed, {"beetle": beetle})
    assert np.isfinite(alone["predicted"]).all()
    with pytest.raises(ValueError, match="'baseline': only 0 % of the component's errors"):
        bt.features.predict(
            renamed, {"beetle": beetle, "baseline": bt.labels.majority_baseline(beetle)}
        )


@pytest.mark.parametrize(
    ("components", "words"),
    [
        ({"A": {"f": 1}}, "component 'A' lacks the feature 'words'"),
        ({"A": {"f": 1, "words": np.nan}}, "feature 'words' of 'A' is not a number"),
        ({}, "give components as"),
        ([1, 2], "give components as"),
    ],
)
def test_bad_components(tree, components, words):
    with pytest.raises(ValueError, match=words):
        bt.features.predict(tree, components)


def test_another_model_is_refused():
    tree = bt.posterior.draws(bt.datasets.contingency_case("a"), rng=1)
    with pytest.raises(ValueError, match="tree is a fit of dirichlet_multinomial; give a fit of"):
        bt.features.predict(tree, COMPONENTS)


def test_components_with_the_same_label_are_refused(tree):
    twice = pd.concat([COMPONENTS, COMPONENTS.loc[["A"]] / 2])
    with pytest.raises(ValueError, match="component 'A' occurs more than once"):
        bt.features.predict(tree, twice)


def test_a_report_of_some_components_needs_their_pairs(tree):
    prediction = bt.features.predict(tree, COMPONENTS)
    with pytest.raises(ValueError, match=r"a part of what features\.predict returned; give all"):
        bt.report(prediction.sel(system=["A", "B"]))

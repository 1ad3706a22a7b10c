"""Confusions, scores, ranks, coefficients and predictions: what is drawn is what was computed."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

pytestmark = pytest.mark.usefixtures("no_layout")


def test_cells_of_a_confusion_matrix_are_its_counts():
    beetle = bt.datasets.beetle_confusion()
    ax = bt.plot.confusion(beetle)
    numbers = [int(t.get_text().replace(",", "")) for t in ax.texts]
    lost = beetle["n_actual"].values - beetle.values.sum(0)
    assert numbers == [*beetle.values.ravel(), *lost]
    shade = ax.images[0].get_array()
    np.testing.assert_allclose(shade.sum(0), 1)
    assert ax.get_title(loc="left").startswith("1,457 of 3,379 items correct")


def test_nothing_unclassified_has_no_row_for_it():
    ax = bt.plot.confusion(bt.labels.confusion_matrix(["a", "b"], ["a", "a"]))
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    with pytest.raises(ValueError, match="give one matrix"):
        bt.plot.confusion(bt.labels.confusion_matrix(["a", "b"], ["a", "a"], by=["x", "y"]))


@pytest.mark.parametrize(
    ("statistic", "beta"), [("f1", 1), ("f_beta", 2), ("precision", 1), ("recall", 1)]
)
def test_curves_have_the_mean_of_the_posterior_and_mass_one(statistic, beta):
    frame = pd.DataFrame(
        {"system": ["A", "B"], "item": 1, "tp": [30, 25], "fp": [5, 9], "fn": [5, 19]}
    )
    tallies = bt.io.tallies_from_table(frame)
    ax = bt.plot.scores(tallies, statistic=statistic, beta=beta)
    posterior = bt.scores.posterior(tallies, statistic=statistic, beta=beta)
    for line, system in zip(ax.lines, "AB", strict=True):
        x, y = line.get_data()
        assert np.trapezoid(y, x) == pytest.approx(1, abs=1e-3)
        assert np.trapezoid(x * y, x) == pytest.approx(
            posterior["mean"].sel(system=system).item(), abs=1e-3
        )


def test_too_many_curves():
    frame = pd.DataFrame({"system": list("ABCDE"), "item": 1, "tp": 3, "fp": 1, "fn": 1})
    tallies = bt.io.tallies_from_table(frame)
    with pytest.raises(ValueError, match="5 curves are too many"):
        bt.plot.scores(tallies)
    with pytest.raises(ValueError, match="systems names 'Z'"):
        bt.plot.scores(tallies, systems=["A", "Z"])
    assert len(bt.plot.scores(tallies, systems=["A", "D"]).lines) == 2


def test_ranks_are_drawn_best_first():
    random = np.random.default_rng(3)
    values = random.random((60, 40)) + np.linspace(0, 0.4, 40)
    scores = xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(40)]}
    )
    found = bt.scores.bootstrap(scores[:, ::3], draws=300, rng=1)
    ax = bt.plot.ranks(found, limit=5)
    order = found["expected_rank"].values.argsort()[:5]
    shown = ax.images[0].get_array()
    np.testing.assert_array_equal(shown, found["prob_rank"].values[order][:, : shown.shape[1]])
    assert "5 of 14 systems" in " ".join(ax.get_title(loc="left").split())
    with pytest.raises(ValueError, match="data hold no ranks"):
        bt.plot.ranks(xr.Dataset())


def test_coefficients_of_least_squares_and_of_a_posterior(regression_frame, regression_tree):
    function = bt.features.performance_function(regression_frame, "gain", direction="none")
    ax = bt.plot.coefficients(function)
    named = [t.get_text() for t in ax.get_yticklabels()]
    drawn = np.concatenate([line.get_xdata() for line in ax.lines])
    expected = function.fit["standardised"].sel(feature=named)
    np.testing.assert_allclose(drawn, expected)
    assert (np.diff(np.abs(expected.values)) <= 0).all()
    segments = ax.collections[1].get_segments()
    scale = regression_frame[named].std().to_numpy() / regression_frame["gain"].std()
    np.testing.assert_allclose(
        [s[:, 0] for s in segments],
        (np.array([function.fit[e].sel(feature=named) for e in ("lower", "upper")]) * scale).T,
    )
    posterior = bt.plot.coefficients(regression_tree)
    assert sorted(t.get_text() for t in posterior.get_yticklabels()) == sorted(named)
    with pytest.raises(ValueError, match="has no fit to draw"):
        bt.plot.coefficients(bt.datasets.beetle_functions()["full"])
    with pytest.raises(ValueError, match=r"source is 3; give what .* returns or a fit of"):
        bt.plot.coefficients(3)


def test_predictions_are_held_out(regression_frame):
    function = bt.features.performance_function(regression_frame, "gain")
    ax = bt.plot.predictions(function)
    _, fitted, held_out = ax.lines
    np.testing.assert_array_equal(held_out.get_xdata(), function.fit["held_out_chosen"])
    np.testing.assert_array_equal(held_out.get_ydata(), function.fit["observed"])
    np.testing.assert_array_equal(fitted.get_xdata(), function.fit["fitted"])

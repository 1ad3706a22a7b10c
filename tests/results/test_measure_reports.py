"""The reports on measures and outcomes: every format says the numbers, and takes any name."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt

# random counts of each system are of no common gold
pytestmark = pytest.mark.filterwarnings("ignore:The gold mentions")

HOSTILE = ["a_b$%&", "<b>|`x`\\"]
FORMATS = ["text", "markdown", "html", "latex"]


def tallies(systems):
    random = np.random.default_rng(1)
    values = random.poisson([5, 1.5, 1.5], (30, len(systems), 3))
    coords = {"system": systems, "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(values, dims=("item", "system", "tally"), coords=coords)


@pytest.fixture(scope="module")
def three():
    return bt.scores.compare(tallies(["A", "B", "C"]), rope=0.01, rng=3)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_the_scores(three, format):
    written = bt.report(three, format=format, figures=False)
    for system in range(3):
        assert f"{three['score'].values[system]:.4f}" in written
    assert "jackknife standard errors" in written
    assert "exact" in written
    assert three.attrs["data_hash"] in written


def test_rows_are_ordered_and_pairs_counted(three):
    written = bt.report(three)
    order = [str(s) for s in three["system"].values[np.argsort(three["expected_rank"].values)]]
    lines = [
        line.split()[0]
        for line in written.splitlines()
        if line.split()[:1] and line.split()[0] in "ABC"
    ]
    assert lines[:3] == order
    assert "All 3 pairs" in written
    many = bt.scores.compare(tallies([f"s{k}" for k in range(14)]), draws=200, rng=1)
    assert "The first 12 systems: 66 of 91 pairs" in bt.report(many)


def test_reasons_where_posterior_and_test_differ():
    scores = xr.DataArray(
        [[1.0, 0]] * 15 + [[0, 1]] * 6 + [[1, 1]] * 20,
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    written = bt.report(bt.scores.compare(scores, rng=1))
    assert "the posterior probability is one-sided, the p-value two-sided" in " ".join(
        written.split()
    )
    assert "Closed form" in bt.report(bt.scores.compare(scores, rng=1), format="markdown")
    few = bt.scores.compare(scores[:18], rng=1)
    assert few["wins"].values[1, 0] == 3
    assert "A better" in bt.report(few)


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_names_of_systems_and_labels(format):
    found = bt.scores.compare(tallies(HOSTILE), rng=3)
    gold, said = [*HOSTILE, "c"] * 9, [HOSTILE[0], *HOSTILE] * 9
    confusions = bt.labels.confusions(bt.labels.read(pd.DataFrame({"gold": gold, "x\ny": said})))
    written = bt.report(found, confusions, format=format)
    assert "<b>" not in written or format == "text"
    if format == "latex":
        assert "a_b$" not in written
    if format == "html":
        assert written.count("<figure>") == 1  # two systems need no ranks


def test_confusions_alone():
    written = bt.report(bt.datasets.beetle_confusion())
    assert "1,064 of 3,379 items were left unclassified" in written
    assert "0.570 [" in written
    assert "macro F1 0.119" in written
    assert "36.9%" in written
    assert bt.report(bt.datasets.beetle_confusion()) == written
    seeded = bt.report(bt.datasets.beetle_confusion().assign_attrs(seed=7))
    assert "draws, seed 7" in seeded
    assert "draws, seed 0" in written
    with pytest.raises(ValueError, match="answers hold a Dataset that no report is written of"):
        bt.report(xr.Dataset())
    with pytest.raises(ValueError, match="format is 'pdf'"):
        bt.report(bt.datasets.beetle_confusion(), format="pdf")


def test_a_posterior_of_labels_alone():
    found = bt.labels.posterior(bt.datasets.beetle_confusion(), rng=7)
    score, _, low, high, _ = found["by_label"].sel(label="irrelevant", measure="recall").values
    written = bt.report(found)
    assert f"{score:.3f} [{low:.3f}, {high:.3f}]" in written
    assert "draws, seed 7" in written


def test_confusions_in_either_order_of_dims():
    matrix = bt.datasets.beetle_confusion()
    assert bt.report(matrix.transpose()) == bt.report(matrix)


@pytest.mark.parametrize("format", FORMATS)
def test_a_function_says_every_measure(regression_frame, regression_tree, format):
    function = bt.features.performance_function(regression_frame, "gain")
    sets = bt.features.compare(regression_frame, "gain", {"f": ["f"], "both": ["f", "words"]})
    components = pd.DataFrame({"f": [0.5, 99], "words": [100, 110]}, index=HOSTILE)
    predicted = bt.features.predict(regression_tree, components)
    written = bt.report(function, sets, regression_tree, predicted, format=format, figures=False)
    for name in ("r2", "r2_training", "r2_held_out", "r2_held_out_chosen"):
        assert f"{function.fit[name].item():.3f}" in written
    assert "35 of 35" in written
    assert "R2D2" in written
    assert "Components by predicted gain" in written or format == "text"
    assert "<b>" not in written or format == "text"


def test_a_function_draws_and_counts_what_was_dropped(regression_frame, tmp_path):
    holed = regression_frame.copy()
    holed.loc[[2, 4], "gain"] = np.nan
    function = bt.features.performance_function(holed, "gain", direction="none")
    written = bt.report(function, path=tmp_path / "o.html", title="Mine")
    assert written.count("<figure>") == 1  # observed and predicted
    assert written.count('<svg class="row"') == len(function.fit["chosen"]) == 2  # coefficients
    assert (tmp_path / "o.html").read_text("utf-8") == written
    assert "<h1>Mine</h1>" in written
    text = bt.report(function)
    assert "33 of 35" in text
    assert "2 without a response" in text
    assert "choice repeated" not in text
    with pytest.raises(ValueError, match="answers hold a PerformanceFunction of a published"):
        bt.report(bt.datasets.beetle_functions()["full"])


def test_an_unconverged_posterior_is_not_to_be_trusted(regression_frame, regression_tree):
    function = bt.features.performance_function(regression_frame, "gain")
    written = bt.report(function, regression_tree.isel(draw=slice(0, 30)))
    assert "Failed checks" in written

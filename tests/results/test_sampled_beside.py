"""Where a Monte Carlo error stands in a report, none of its texts says that nothing was sampled."""

import warnings

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

FORMATS = ("text", "markdown", "html", "latex")
NOTHING = "nothing was sampled"


def scores(systems="ABC", *, clusters=0, seed=1):
    rng = np.random.default_rng(seed)
    values = (rng.random((60, len(systems))) < np.linspace(0.4, 0.6, len(systems))).astype(float)
    items = {"cluster": ("item", np.arange(60) % clusters)} if clusters else {}
    dims = ("item", "system")
    return xr.DataArray(values, dims=dims, coords={"system": list(systems)} | items)


def told(found, form):
    text = bt.report(found, format=form).partition("<script")[0]
    return " ".join(text.replace("~", " ").replace("\\,", "").split())


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("clusters", [0, 12])
def test_the_best_of_several_has_an_error_and_its_draws_are_named(form, clusters):
    text = told(bt.compare(scores(clusters=clusters), rng=4), form)
    assert "±" in text or "\\pm" in text
    assert NOTHING not in text
    assert "closed form, no sampling error on pairs" in text
    assert "pairs were not sampled" in text
    assert text.count("draws of the joint posterior, seed 4") == 3  # model, diagnostics, BARG


@pytest.mark.parametrize("form", FORMATS)
def test_a_sampled_p_value_has_an_error_and_its_permutations_are_named(form):
    rng = np.random.default_rng(2)
    graded = xr.DataArray(
        rng.normal(size=(300, 2)), dims=("item", "system"), coords={"system": ["A", "B"]}
    )
    found = bt.compare(graded, quantity="mean", rng=4)
    text = told(found, form)
    assert NOTHING not in text
    assert text.count("10,000 random permutations, seed 4") == 4  # model, tests, diagnostics, BARG


@pytest.mark.parametrize("form", FORMATS)
def test_two_systems_in_closed_form_are_not_sampled(form):
    text = told(bt.compare(scores("AB")), form)
    assert NOTHING in text
    assert "closed form, no sampling error;" in text
    assert "±" not in text


@pytest.mark.sampled
def test_verdicts_next_to_a_sampler_that_failed_are_those_of_the_closed_form():
    counts = bt.counts.from_table({("A", "B"): (38, 4, 3)})
    few = bt.models.Sampling(draws=40, tune=40, chains=2)
    for method, words in (("both", "verdicts are of the closed form"), ("mcmc", "no verdict is")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 40 draws are too few for any check
            found = bt.compare(counts, method=method, rng=1, sampling=few)
        assert (
            found.data["verdict"].values[0, 1] == {"both": "a_better", "mcmc": "no_verdict"}[method]
        )
        assert f"FAILED, so {words}" in " ".join(bt.report(found, format="text").split())

"""The report on what a fit says of all pairs."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

COUNTS = bt.counts.from_table(
    {("A", "B"): (18, 9, 13), ("A", "C"): (20, 9, 11), ("B", "C"): (9, 12, 19)}
)


def _adopted(draws=1000):
    return bt.fits.adopt(bt.posterior.draws(COUNTS, draws=draws, rng=1))


@pytest.mark.parametrize("name", ["hierarchical", "davidson", "clustered", "graded"])
def test_every_comparison_of_a_fit_has_a_report(name):
    found = bt.fits.compare(bt.datasets.example_fit(name))
    text = found.report()
    assert found.statement()[0].partition(" (")[0] in " ".join(text.split())
    assert f"model={name}" in text


def test_a_tree_is_reported_as_its_comparison_is():
    tree = bt.posterior.draws(COUNTS, rng=1)
    assert bt.report(tree) == bt.fits.compare(tree).report()
    page = bt.report(tree, format="html")
    assert page.count("<svg") + page.count("data:image/png") >= 2  # differences and matrix


def test_nothing_is_claimed_of_an_adopted_model():
    text = bt.report(_adopted())
    assert "How often its verdicts are correct was not examined." in text
    assert "model=adopted model" in text
    assert "prior=" not in text
    assert "the tree has no group sample_stats" in text
    assert "calibrat" not in text


def test_divergences_are_reported_where_they_are_known():
    assert "ESS at least" in bt.report(_adopted())
    assert "divergences not known" in bt.report(_adopted())
    assert "0 divergences" not in bt.report(_adopted())
    assert "divergences" not in bt.fits.compare(_adopted()).attrs
    tree, cells = _adopted(), np.zeros((4, 1000))
    tree["sample_stats"] = xr.Dataset({"accept": (("chain", "draw"), cells)})
    text = bt.report(bt.fits.adopt(tree))
    assert "divergences not known" in text
    assert "group sample_stats has no 'diverging'" in text
    tree["sample_stats"] = xr.Dataset({"diverging": (("chain", "draw"), cells > 0)})
    assert "0 divergences" in bt.report(bt.fits.adopt(tree))
    assert "0 divergences" in bt.report(bt.posterior.draws(COUNTS, rng=1))  # no sampler


def test_no_verdict_where_chains_disagree():
    tree = bt.posterior.draws(COUNTS, rng=1)
    apart = tree["posterior"].to_dataset()[["theta"]]
    apart["theta"] = apart["theta"].copy()
    apart["theta"][0, :, :, 0] += 0.2
    apart["theta"][0, :, :, 2] -= 0.2
    apart["theta"] = np.abs(apart["theta"])
    apart["theta"] = apart["theta"] / apart["theta"].sum("outcome")
    tree["posterior"] = apart
    with pytest.warns(UserWarning, match="not converged: R-hat of"):
        adopted = bt.fits.adopt(tree)
    with pytest.warns(UserWarning, match="no verdict"):
        text = bt.report(adopted)
    assert "No verdict: R-hat of" in text
    assert "better " not in text.split("Limits")[0].replace("Prob better", "").replace(
        "is better?", ""
    )


@pytest.mark.parametrize("format", ["sentence", "latex-table", "latex-macros", "pull-request"])
def test_a_format_for_papers_says_that_it_is_of_another_comparison(format):
    tree = bt.datasets.example_fit("davidson")
    for answer in (tree, bt.fits.compare(tree)):
        with pytest.raises(
            ValueError, match=r"and the answer is of fits\.compare; choose one of text"
        ):
            bt.report(answer, format=format)


def test_a_tree_that_was_not_adopted_is_sent_to_adopt():
    own = xr.DataTree.from_dict(
        {"posterior": xr.Dataset({"p": (("chain", "draw"), np.full((4, 9), 0.6))})}
    )
    said = r"a DataTree of no known model; give betterthan\.fits\.adopt\(tree\)"
    for function in (bt.report, bt.fits.compare):
        with pytest.raises(ValueError, match=said):
            function(own)
    with pytest.raises(ValueError, match=r"your own by betterthan\.fits\.adopt"):
        bt.compare(own)


def test_what_is_no_fit_is_refused():
    empty = xr.DataTree.from_dict({"posterior": xr.Dataset()})
    with pytest.raises(ValueError, match="that no report is written of"):
        bt.report(empty)


def test_the_answer_is_that_of_the_weights_which_were_passed():
    fit = bt.datasets.example_fit("hierarchical")
    sets = fit["posterior"]["dataset"].values.tolist()
    weights = dict.fromkeys(sets, 0.02) | {sets[-1]: 1 - 0.02 * (len(sets) - 1)}
    compared = bt.fits.compare(fit, weights=weights)
    right, other = (
        compared.data["difference_mean"].sel(target=name).item() for name in ("given", "equal")
    )
    assert abs(right - other) > 0.01
    text = " ".join(str(compared).split())
    assert f"Difference (A0 − B0): +{right:.2f} [" in text
    assert f"This averages the {len(sets)} data sets with the weights that were passed." in text
    assert f"| weights={', '.join(f'{k} {v:g}' for k, v in weights.items())} |" in text


def test_an_answer_over_data_sets_says_what_it_averages_and_of_a_new_one():
    compared = bt.fits.compare(bt.datasets.example_fit("hierarchical"))
    text = " ".join(str(compared).split())
    assert "This averages the 4 data sets with equal weights." in text
    (new,) = compared.pairs[compared.pairs["target"] == "new"].itertuples()
    assert new.verdict == "undecided"
    said = f"On a new data set: undecided (P({new.system} better) = {new.prob_better:.3f})."
    assert said in text
    assert said in bt.report(compared, format="html")


def test_an_undecided_pair_above_the_threshold_is_explained():
    compared = bt.fits.compare(bt.posterior.draws(COUNTS, draws=1000, rng=4))
    assert compared.data["too_close"].values.sum() == 2
    close = "1 undecided pair is within two Monte Carlo errors of a verdict: more draws may decide."
    assert close in " ".join(str(compared).split())

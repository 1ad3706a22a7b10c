"""A prior that expects systems to be alike, by the ties of the data."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names
from betterthan.exact.wins import dirichlet
from betterthan.posterior.parameters import prior_of

AB = {"system_a": "A", "system_b": "B"}
TABLE = {("A", "B"): (20, 10, 70), ("A", "C"): (9, 4, 87), ("B", "C"): (2, 2, 96)}


def test_the_difference_has_its_standard_deviation_and_ties_the_share_of_all_pairs():
    counts = bt.counts.from_table(TABLE)
    win, loss, tie = prior_of("skeptical", counts)
    assert win == loss
    assert float(dirichlet.sd_difference(win, loss, tie)) == pytest.approx(0.05, rel=1e-9)
    assert tie / (win + loss + tie) == pytest.approx((70 + 87 + 96) / 300)


def test_without_ties_win_and_loss_have_the_same_standard_deviation():
    counts = bt.counts.apply_ties(bt.counts.from_table(TABLE), "drop")
    win, loss = prior_of("skeptical", counts)[:2]
    beta_sd = 2 * np.sqrt(win * loss / (win + loss) ** 2 / (win + loss + 1))
    assert beta_sd == pytest.approx(0.05, rel=2e-3)  # one pseudo-tie in 400 is left


@pytest.mark.parametrize("counts", [(0, 0, 500), (30, 2, 0), (0, 0, 0)])
def test_all_ties_none_and_nothing_have_a_proper_prior(counts):
    prior = prior_of("skeptical", bt.counts.from_table({("A", "B"): counts}))
    assert all(number > 0 for number in prior)


def test_it_is_a_prior_like_others():
    counts = bt.counts.from_table(TABLE)
    numbers = prior_of("skeptical", counts)
    better = bt.prob_better(counts, prior="skeptical")
    xr.testing.assert_identical(better, bt.prob_better(counts, prior=numbers))
    found = bt.compare(counts, prior="skeptical")
    assert found.provenance.prior == numbers
    np.testing.assert_array_equal(found.data["prob_better"], better)
    assert float(better.sel(AB)) < float(bt.prob_better(counts).sel(AB))


def test_the_sweep_has_it():
    swept = bt.posterior.prior_sweep(bt.counts.from_table(TABLE))
    assert swept["prior"].values.tolist() == [*names.PRIORS, "skeptical"]
    at = swept.sel(AB)
    assert at["verdict"].values.tolist() == ["a_better"] * 3 + ["undecided"]
    assert bool(at["flips"])


def test_the_report_tries_it():
    text = " ".join(bt.compare(bt.counts.from_table(TABLE)).report(format="markdown").split())
    numbers = ", ".join(f"{p:g}" for p in prior_of("skeptical", bt.counts.from_table(TABLE)))
    assert f"Dirichlet({numbers})" in text


def graded(scale=1.0):
    rng = np.random.default_rng(0)
    values = scale * (0.5 * rng.random((60, 3)) + [0.1, 0.05, 0])
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B", "C"]})


def test_means_get_a_normal_prior_of_their_scale():
    plain, found = bt.compare(graded()), bt.compare(graded(), prior="skeptical")
    assert found.provenance.quantity == "mean"
    assert found.provenance.prior_sd == pytest.approx(0.05)
    assert "prior=normal(0, 0.05) of a difference" in found.signature()
    for k in (0, 1):
        before, after = (c.data["difference_mean"].values[k, 2] for c in (plain, found))
        assert 0 < after < before
        before, after = (c.data["prob_better"].values[k, 2] for c in (plain, found))
        assert 0.5 < after < before
    large = bt.compare(graded(1000), prior="skeptical")
    ratio = 0.05 * float(np.ptp(graded(1000).values))
    assert large.provenance.prior_sd == pytest.approx(ratio)
    assert "prob_best" not in found.data
    assert "prior of its own" in found.provenance.no_joint


def test_nothing_is_planned_or_computed_by_t_under_it():
    found = bt.compare(graded(), prior="skeptical")
    assert bt.plan.outlook(found)["more_items"].isnull().all()
    assert found.report(format="html")


def test_the_same_on_clusters_swapped():
    scores = graded().assign_coords(cluster=("item", np.arange(60) // 4))
    one = bt.compare(scores, prior="skeptical").data["prob_better"].values
    np.testing.assert_allclose(one + one.T, 1, atol=1e-9)


def test_where_all_units_show_one_difference_wins_decide_under_the_same_prior():
    values = np.array([[0.5, 0.25]] * 30)
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    plain, found = bt.compare(scores), bt.compare(scores, prior="skeptical")
    assert 0.5 < found.data["prob_better"].values[0, 1] < plain.data["prob_better"].values[0, 1]


def test_few_items_of_a_prior_that_undo_a_verdict_are_said():
    said = " ".join(str(bt.compare(bt.counts.from_table({("A", "B"): (9, 3, 50)}))).split())
    assert "a prior worth 1 more item, half won by each, would undo the verdict" in said
    firm = str(bt.compare(bt.counts.from_table({("A", "B"): (30, 2, 50)})))
    assert "prior worth" not in firm

"""Folds and data sets: against scipy, enumeration, simulation, and published values where the data
are at hand.
"""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.exact import folds

AB = {"system_a": "A", "system_b": "B"}
ACCURACIES = (
    Path(__file__).parents[3] / "shared" / "data" / "cv_accuracies" / "accuracies_long.csv.gz"
)
# Benavoli, Corani, Demsar & Zaffalon 2017: first better, equivalent (1 percent), second better
PUBLISHED = {
    ("squash-stored", "nbc", "j48"): (0.01265, 0.01160, 0.97575),
    ("squash-unstored", "nbc", "aode"): (0.07800, 0.65125, 0.27075),
    ("iris", "nbc", "j48"): (0.12393, 0.62480, 0.25127),
}


def scores_of(values, systems=("A", "B"), **attrs):
    return xr.DataArray(
        np.asarray(values, float),
        dims=("item", "system"),
        coords={"system": list(systems)},
        attrs=attrs,
    )


@pytest.fixture
def random_folds():
    random = np.random.default_rng(3)
    return scores_of(random.normal([0.82, 0.8, 0.79], 0.02, (50, 3)), "ABC")


def test_correlated_t_is_students(random_folds):
    found = bt.scores.compare_folds(random_folds, test_share=0.1, rope=0.01)
    assert " | test_share=0.1 | " in bt.signature(found)
    d = (random_folds.sel(system="A") - random_folds.sel(system="B")).values
    t = stats.t(49, d.mean(), np.sqrt(d.var(ddof=1) * (1 / 50 + 0.1 / 0.9)))
    below, within = t.cdf(-0.01), t.cdf(0.01) - t.cdf(-0.01)
    assert found["mass"].sel(AB).values == pytest.approx([below, within, t.sf(0.01)], abs=1e-14)
    assert found["prob_better"].sel(AB).item() == pytest.approx(t.sf(0))
    assert (
        found["difference_lower"].sel(AB).item(),
        found["difference_upper"].sel(AB).item(),
    ) == pytest.approx(t.interval(0.95))
    swapped = found.data.sel(system_a="B", system_b="A")
    assert swapped["mass"].values == pytest.approx(found["mass"].sel(AB).values[::-1])
    assert swapped["difference_lower"].item() == pytest.approx(
        -found["difference_upper"].sel(AB).item()
    )
    wider = bt.scores.compare_folds(random_folds, test_share=0.5)
    # folds that share more know less
    assert wider["difference_upper"].sel(AB) > found["difference_upper"].sel(AB)


def test_lower_is_better_and_equal_systems():
    values = np.random.default_rng(1).normal(size=(20, 2))
    up, down = scores_of(values), scores_of(values, higher_is_better=False)
    found = [
        bt.scores.compare_folds(s, test_share=0.1, rope=0.1)["mass"].sel(AB).values
        for s in (up, down)
    ]
    assert found[0] == pytest.approx(found[1][::-1])
    same = scores_of(np.repeat(values[:, :1], 2, axis=1))
    assert bt.scores.compare_folds(same, test_share=0.1)["prob_better"].sel(AB).item() == 0.5
    assert bt.scores.signed_rank(same, rope=0.1, rng=1, draws=50)["mass"].sel(
        AB
    ).values.tolist() == [0, 1, 0]


@pytest.mark.parametrize("sign", [1, -1])
def test_folds_that_all_differ_alike_make_nobody_certain(sign):
    """They do not show how they vary: 5 folds are worth 1 / (1/5 + .2/.8) independent ones."""
    folds_of = np.array([0.82, 0.84, 0.9, 0.7, 0.74])
    ahead = np.stack([folds_of, folds_of - sign * 0.02], axis=1)
    answer = bt.scores.compare_folds(scores_of(ahead), test_share=0.2, rope=0)
    worth = 1 / (1 / 5 + 0.25)
    wanted = stats.beta.sf(0.5, *(1 + worth, 1)[::sign])
    assert answer["prob_better"].sel(AB).item() == pytest.approx(wanted)
    assert answer["verdict"].sel(AB).item() == "undecided"
    assert np.isnan(answer["difference_lower"].sel(AB).item())
    text = str(answer).partition("\n\n")[0]
    assert "0.02" in text
    assert "[" not in text


def test_one_number_of_an_unknown_scale_shows_no_equivalence():
    alike = bt.scores.compare_folds(scores_of(np.full((5, 2), 70.0)), test_share=0.2, rope=1)
    assert np.isnan(alike["mass"].sel(AB).values).all()
    assert alike["verdict"].sel(AB).item() == "undecided"
    assert "equivalent" not in str(alike).partition("\n\n")[0]


def test_equal_folds_are_equivalent_only_where_they_are_many():
    same = np.repeat(np.linspace(0.7, 0.9, 10)[:, None], 2, axis=1)
    law = {"test_share": 0.1, "rope": 0.1}
    few = bt.scores.compare_folds(scores_of(same), **law)
    worth = 1 / (1 / 10 + 1 / 9)
    draws = np.random.default_rng(1).dirichlet([1, 1, 1 + worth], 200_000) @ [1, -1, 0]
    mass = few["mass"].sel(AB).values
    np.testing.assert_allclose(mass[1], (np.abs(draws) < 0.1).mean(), atol=0.005)
    assert few["verdict"].sel(AB).item() == "undecided"
    many = bt.scores.compare_folds(scores_of(np.tile(same, (20, 1))), test_share=0.02, rope=0.1)
    assert many["verdict"].sel(AB).item() == "equivalent"


@pytest.mark.parametrize(
    "parameters", [(1, 1, 1), (21, 16, 18), (0.5, 2, 0), (40, 1, 3), (0, 1, 4)]
)
def test_largest_share_is_that_of_draws(parameters):
    found = folds.prob_largest(np.array(parameters, float))
    assert found.sum() == pytest.approx(1)
    gammas = np.random.default_rng(2).gamma(np.maximum(parameters, 1e-12), size=(200_000, 3))
    drawn = np.bincount(gammas.argmax(1), minlength=3) / 200_000
    assert np.abs(found - drawn).max() < 4 * 0.5 / np.sqrt(200_000)
    if 0 in parameters:
        a, b = (p for p in parameters if p)
        assert found[parameters.index(a)] == pytest.approx(stats.beta.sf(0.5, a, b), rel=1e-10)


def test_signed_rank_is_that_of_its_definition():
    random = np.random.default_rng(6)
    values = random.normal([0.4, 0.0], 1.0, (7, 2))
    found = bt.scores.signed_rank(scores_of(values), rope=0.2, draws=4000, rng=5)
    z = np.append(0, values[:, 0] - values[:, 1])
    weights = np.random.default_rng(9).dirichlet([0.5] + [1] * 7, 4000)
    won = np.zeros(3)
    for w in weights:
        shares = np.zeros(3)
        for i, j in itertools.product(range(8), repeat=2):
            total = z[i] + z[j]
            shares[0 if total < -0.4 else 2 if total > 0.4 else 1] += w[i] * w[j]
        won[shares.argmax()] += 1
    error = np.hypot(*[np.sqrt(0.25 / 4000)] * 2)
    assert np.abs(found["mass"].sel(AB).values - won / 4000).max() < 4 * error
    again = bt.scores.signed_rank(scores_of(values), rope=0.2, draws=4000, rng=5)
    assert again["mass"].equals(found["mass"])
    assert (found["mass_mcse"].sel(AB) > 0).all()


def test_signs_are_counted_with_a_prior_in_the_region():
    values = [[1.0, 0], [1, 0], [1, 0], [0, 1], [0.5, 0.5]]
    found = bt.scores.sign(scores_of(values), rope=0.1)
    assert found["count"].sel(AB).values.tolist() == [1, 1, 3]
    assert found["mass"].sel(AB).values == pytest.approx(
        folds.prob_largest(np.array([1.0, 2.0, 3.0]))
    )
    assert found["mass"].sel(system_a="B", system_b="A").values == pytest.approx(
        found["mass"].sel(AB).values[::-1]
    )


def test_equal_differences_are_no_wins_by_rounding():
    """0.3 - 0.2 is above 0.1, and 0.7 - 0.6 below."""
    values = [[0.3, 0.2], [0.7, 0.6], [0.9, 0.8], [0.4, 0.3]]
    found = bt.scores.sign(scores_of(values), rope=0.1)
    assert found["count"].sel(AB).values.tolist() == [0, 4, 0]
    ranked = bt.scores.signed_rank(scores_of(values), rope=0.1, rng=1, draws=50)
    assert ranked["mass"].sel(AB).values.tolist() == [0, 1, 0]
    same = scores_of([[0.1 + 0.2, 0.3], [0.3, 0.3], [0.6, 0.3 + 0.3]])
    assert bt.scores.sign(same)["count"].sel(AB).values.tolist() == [0, 3, 0]


def test_wins_of_a_score_of_which_less_is_better_have_the_better_score():
    values = np.random.default_rng(1).normal(size=(20, 2)) - [0, 1]
    compared = bt.scores.compare(scores_of(values, higher_is_better=False), rng=1)
    assert compared["wins"].sel(AB).item() == (values[:, 0] < values[:, 1]).sum()
    assert "on which the system scores better, or worse, than the other" in compared.report()


def test_bad_scores(random_folds):
    holed = random_folds.copy()
    holed[3, 1] = np.nan
    for function in (
        bt.scores.sign,
        bt.scores.signed_rank,
        lambda s: bt.scores.compare_folds(s, test_share=0.1),
    ):
        with pytest.raises(ValueError, match="system 'B' has no score at place 4"):
            function(holed)
        with pytest.raises(ValueError, match="a spread needs two"):
            function(random_folds[:1])
    for choice in (
        {"test_share": 1},
        {"test_share": 0.1, "rope": -1},
        {"test_share": 0.1, "ci_prob": 2},
    ):
        with pytest.raises(ValueError, match="give a number"):
            bt.scores.compare_folds(random_folds, **choice)


def test_a_rope_that_no_difference_exceeds_is_refused():
    shares = scores_of(np.random.default_rng(1).random((20, 2)))
    for function in (
        bt.scores.sign,
        bt.scores.signed_rank,
        lambda s, rope: bt.scores.compare_folds(s, test_share=0.1, rope=rope),
    ):
        with pytest.raises(ValueError, match="rope is 2; give a number from 0 up to"):
            function(shares, rope=2)
        assert "mass" in function(100 * shares, rope=2)


@pytest.mark.parametrize(
    ("column", "reason", "averaged"),
    [
        ("epoch", "several runs of an item", "groupby('item').mean(keep_attrs=True)"),
        ("cluster", "several items of a cluster", "groupby('cluster').mean(keep_attrs=True)"),
        ("dataset", "several items of a data set", "groupby('dataset').mean(keep_attrs=True)"),
    ],
)
def test_rows_of_one_unit_are_no_data_sets(column, reason, averaged, random_folds):
    units = [f"d{k % 3}" for k in range(random_folds.sizes["item"])]
    rows = random_folds.sizes["item"]
    ids, values = (units, range(rows)) if column == "epoch" else (range(rows), units)
    grouped = random_folds.assign_coords({"item": list(ids), column: ("item", list(values))})
    means = grouped.groupby("item" if column == "epoch" else column).mean(keep_attrs=True)
    means = means if column == "epoch" else means.rename({column: "item"})
    single = means.assign_coords(
        {column: means["item"] if column != "epoch" else ("item", [1] * 3)}
    )
    for function in (bt.scores.sign, lambda s: bt.scores.signed_rank(s, rng=1)):
        with pytest.raises(ValueError, match=reason) as refused:
            function(grouped)
        assert averaged in str(refused.value)
        assert ("bt.sign_test" in str(refused.value)) == (column != "dataset")
        assert function(single)["mass"].equals(function(means)["mass"])
    assert bt.scores.compare_folds(grouped, test_share=0.1)  # whose rows are folds of runs


# mean and standard deviation of the 100 published differences in accuracy, in percent
MOMENTS = {
    ("squash-stored", "nbc", "j48"): (-15.6, 21.001202467256658),
    ("squash-unstored", "nbc", "aode"): (-0.4, 2.8141058827257943),
    ("iris", "nbc", "j48"): (-0.26669, 3.1312101178169423),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_published_values_from_their_moments(case):
    """All that the correlated t knows of a hundred differences is their mean and their standard
    deviation.
    """
    mean, sd = MOMENTS[case]
    spread = np.linspace(-1, 1, 100)
    differences = mean + sd * spread / spread.std(ddof=1)
    scores = scores_of(np.stack([differences, np.zeros(100)], axis=1))
    found = bt.scores.compare_folds(scores, test_share=0.1, rope=1)["mass"].sel(AB).values
    assert found[::-1] == pytest.approx(PUBLISHED[case], abs=5e-6)


def test_published_signs_from_their_counts():
    # second better, equivalent and one prior, first better
    found = folds.prob_largest(np.array([21.0, 15 + 1, 18]))
    # printed by 50,000 draws
    assert found[::-1] == pytest.approx([0.26508, 0.13274, 0.60218], abs=0.006)


@pytest.mark.skipif(
    not ACCURACIES.exists(),
    reason="the accuracies of Benavoli et al. 2017 are somebody else's data, which this project "
    "does not hold; "
    "test_published_values_from_their_moments and test_published_signs_from_their_counts check "
    "the values of folds and "
    "signs without them; the published signed-rank value, which needs every accuracy, is checked "
    "here alone",
)
def test_published_values_from_the_accuracies():
    data = pd.read_csv(ACCURACIES)
    for (dataset, first, second), printed in PUBLISHED.items():
        rows = data[data["dataset"] == dataset].pivot(
            index=["run", "fold"], columns="classifier", values="accuracy"
        )
        found = (
            bt.scores.compare_folds(scores_of(rows[[first, second]]), test_share=0.1, rope=1)[
                "mass"
            ]
            .sel(AB)
            .values
        )
        assert found[::-1] == pytest.approx(printed, abs=5e-6)
    means = scores_of(
        data.groupby(["dataset", "classifier"])["accuracy"].mean().unstack()[["nbc", "j48"]]
    )
    rank = bt.scores.signed_rank(means, rope=1, rng=1)["mass"].sel(AB).values[::-1]
    assert rank == pytest.approx([0.23124, 0.00666, 0.7621], abs=0.015)  # both by draws
    sign = bt.scores.sign(means, rope=1)["mass"].sel(AB).values[::-1]
    assert sign == pytest.approx([0.26508, 0.13274, 0.60218], abs=0.006)  # printed by 50,000 draws

"""Clusters of unequal size: what is answered, tested, planned and refused."""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import betterthan as bt
from betterthan.exact.joint.units import differences
from tests.comparison.test_joint import scores

REFERENCE = tomllib.loads(
    (Path(__file__).parents[1] / "reference" / "unequal_units.toml").read_text("utf-8")
)
AB = {"system_a": "A", "system_b": "B"}
ONE_LARGE = (200, 5, 5, 5, 5)


def clusters(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def by_size(sizes, seed=0, systems=2):
    """0/1 scores whose clusters favor a system of their own."""
    random, of = np.random.default_rng(seed), clusters(sizes)
    p = 0.5 + 0.3 * random.uniform(-1, 1, (len(sizes), systems))
    return scores(random.random((len(of), systems)) < p[of], cluster=of)


def graded(sizes, seed=0, systems=2):
    random, of = np.random.default_rng(seed), clusters(sizes)
    effect = random.normal(size=(len(sizes), systems))
    return scores(random.normal(size=(len(of), systems)) + effect[of], cluster=of)


def pair(found, name):
    return found[name].sel(AB).item()


def statement(found):
    return " ".join(found.statement())


# what is answered


@pytest.mark.parametrize("sizes", [ONE_LARGE, (300, *[10] * 7)])
def test_equal_systems_with_one_large_cluster_seldom_get_a_verdict(sizes):
    random = np.random.default_rng(1)
    size = np.array(sizes, dtype=float)[:, None]
    total = size * random.normal(size=(len(sizes), 2000)) * 0.3
    total += np.sqrt(size) * random.normal(size=total.shape)
    wide = np.broadcast_to(size, total.shape)
    p = differences(total, wide, 0 * total, wide).prob_above()
    assert ((p >= 0.95) | (p <= 0.05)).mean() < 0.08  # by t on K - 1 it was above .7


def test_compare_gate_and_plan_give_one_probability():
    data = by_size((30, 12, 9, 7, 5, 4, 20), seed=3)
    found = bt.compare(data)
    assert pair(found, "difference_df") < 6
    old, new = (
        pd.DataFrame(
            {"item": range(len(data)), "score": data.values[:, k], "cluster": data.cluster}
        )
        for k in (1, 0)
    )
    gate = bt.gate(old, new, margin=0.05)
    assert gate.evidence.chances.observed.behind == pytest.approx(
        found["prob_better"].sel(system_a="B", system_b="A").item()
    )
    assert gate.evidence.lower == pytest.approx(pair(found, "difference_lower"))
    assert gate.evidence.effective == pytest.approx(pair(found, "difference_df") + 1)
    assert "in 7 clusters (effective number of clusters 3.8)" in " ".join(str(gate).split())
    plan = bt.plan.foresee(data, more=4)
    assert plan["error"].sel(AB).item() == pytest.approx(pair(found, "difference_error"))


def test_wins_on_clusters_are_a_mean_of_net_wins():
    data = graded((30, 12, 9, 7, 5, 4, 20), seed=4)
    found = bt.compare(data, quantity="wins")
    net = np.sign(data.values[:, 0] - data.values[:, 1])
    again = bt.compare(scores(np.c_[net, 0 * net], cluster=data.cluster.values), quantity="mean")
    assert pair(found, "difference_error") == pytest.approx(pair(again, "difference_error"))
    assert pair(found, "difference_df") == pytest.approx(pair(again, "difference_df"))
    # but a difference of wins is at most 1
    assert pair(found, "prob_better") != pytest.approx(pair(again, "prob_better"), abs=1e-6)


@pytest.mark.parametrize("sizes", [(20,) * 3, ONE_LARGE, (3, 2, 2)])
def test_no_interval_leaves_what_is_possible(sizes):
    for seed in range(6):
        found = bt.compare(by_size(sizes, seed))
        assert -1 <= pair(found, "difference_lower") <= pair(found, "difference_upper") <= 1
        assert (found["score_lower"] >= 0).all()
        assert (found["score_upper"] <= 1).all()


def test_two_clusters_are_plain_t_with_an_interval_cut_at_what_is_possible():
    right = np.repeat([[1, 0], [1, 0], [1, 0], [1, 1], [0, 0], [1, 0]], 2, axis=0)
    found = bt.compare(scores(right, cluster=np.repeat([0, 1], 6)))
    test = stats.ttest_1samp([1.0, 1 / 3], 0, alternative="greater")
    assert pair(found, "prob_better") == pytest.approx(1 - test.pvalue)
    assert pair(found, "difference_upper") == 1.0


def test_two_clusters_and_a_single_item_are_no_more_certain_than_plain_t():
    """It had 1.01 degrees of freedom, and truncated named equal systems in .127 of sets."""
    random, size = np.random.default_rng(3), np.array([100.0, 100.0, 1.0])[:, None]
    mean = np.clip(random.normal(0, 0.36, (3, 8000)), -1, 1)
    wide = np.broadcast_to(size, mean.shape)
    p = differences(size * mean, wide, 0 * mean, wide, most=1.0).prob_above()
    assert ((p >= 0.95) | (p <= 0.05)).mean() < 0.11


def test_each_cluster_once_is_the_t_test_of_cluster_means():
    data = graded((40, 3, 9, 12, 6, 25), seed=5)
    found = bt.compare(data, quantity="mean", weight="unit")
    means = pd.DataFrame(data.values).groupby(data.cluster.values).mean()
    test = stats.ttest_rel(means[0], means[1], alternative="greater")
    assert pair(found, "prob_better") == pytest.approx(1 - test.pvalue, abs=1e-12)
    assert pair(found, "difference_df") == 5
    beside = bt.compare(data, quantity="mean")
    assert pair(beside, "unit_prob_better") == pytest.approx(pair(found, "prob_better"))
    assert "each once" in found.signature()


def test_equal_sizes_have_no_second_answer():
    found = bt.compare(by_size((10,) * 8))
    assert "unit_prob_better" not in found.data
    assert found.provenance.n_effective is None
    assert pair(found, "difference_df") == 7


def test_the_answer_says_what_unequal_clusters_are_worth():
    one = bt.compare(by_size(ONE_LARGE, seed=2))
    assert (
        "One cluster holds 91% of the items, so the 5 clusters count as 2.1 of equal size."
        in statement(one)
    )
    assert "If each cluster counts once, " in statement(one)
    assert "units=5 clusters, worth 2.09" in one.signature()
    several = bt.compare(by_size((400, 400, *[2] * 100), seed=2))
    held = "clusters hold 80% of the items, so the 102 clusters count as 2.4 of equal size."
    assert held in statement(several)
    for form in ("text", "markdown", "html", "latex"):
        assert "One cluster holds 91" in " ".join(bt.report(one, format=form).split())


def test_documents_with_tallies_in_clusters_say_how_much_the_largest_hold():
    random, sizes = np.random.default_rng(4), (30, 4, 5, 3, 4, 4)
    values = random.poisson([4, 1, 1], (50, 2, 3))
    data = xr.DataArray(
        values,
        dims=("item", "system", "tally"),
        coords=documents().coords | {"cluster": ("item", clusters(sizes))},
    )
    found = bt.compare(data)
    assert "One cluster holds 60% of the items" in statement(found)
    assert found["p_value"].sel(AB).sel(test="randomization").item() in np.arange(1, 65) / 64


def test_it_survives_a_file(tmp_path):
    found = bt.compare(by_size(ONE_LARGE, seed=2))
    found.save(tmp_path / "c.nc")
    again = bt.load(tmp_path / "c.nc")
    assert again.statement() == found.statement()
    assert again.signature() == found.signature()


# few units: no joint model, no prediction


def test_at_two_degrees_of_freedom_there_is_no_joint_model_and_no_prediction():
    data = graded((300, *[10] * 7), seed=1, systems=3)
    found = bt.compare(data, quantity="mean")
    assert "prob_best" not in found.data
    assert "of unequal size, worth" in found.provenance.no_joint
    outlook = bt.plan.outlook(found)
    assert outlook["more_items"].isnull().all()
    assert outlook["replicates"].isnull().all()
    plan = bt.plan.replication(data.isel(system=[0, 1]))
    assert np.isnan(plan["same"].sel(AB).item())
    assert "Nothing can be predicted: the effective number of units is 3 or less" in plan.lines[1]


def test_items_keep_their_joint_model():
    found = bt.compare(graded((9, 14, 7, 12, 10, 8, 11), seed=1, systems=3), quantity="mean")
    assert "prob_best" in found.data


# tests next to the answer


def test_tests_and_bayes_factors_count_clusters():
    won = np.repeat([1, 1, 1, 1, 0], 20)
    found = bt.compare(scores(np.c_[won, 1 - won], cluster=clusters([20] * 5)))
    assert pair(found, "bayes_factor_01") == pytest.approx(REFERENCE["bayes_factor"]["4 1"])
    p = found["p_value"].sel(AB)
    assert p.sel(test="sign").item() == REFERENCE["sign"]["4 1"]
    assert p.sel(test="randomization").item() == REFERENCE["sign"]["4 1"]
    assert found["cluster_counts"].sel(AB).values.tolist() == [4, 1, 0]
    limit = "5 clusters differ, so no test on clusters can have a p-value below 0.0625."
    assert limit in found.provenance.notes


@pytest.mark.parametrize("key", REFERENCE["bayes_factor"])
def test_bayes_factors_of_clusters_won_and_lost(key):
    won, lost = map(int, key.split())
    sides = np.repeat([1] * won + [0] * lost, 3)
    found = bt.compare(scores(np.c_[sides, 1 - sides], cluster=clusters([3] * (won + lost))))
    assert pair(found, "bayes_factor_01") == pytest.approx(REFERENCE["bayes_factor"][key])


def test_sign_and_randomization_tests_take_clusters_unless_asked():
    data = scores(np.repeat([[1, 0], [1, 0], [0, 1], [1, 1]], 3, axis=0), cluster=clusters([3] * 4))
    for test in (bt.sign_test, bt.randomization_test):
        assert test(data)["p_value"].sel(AB).item() == 1.0
        assert test(data, unit="item")["p_value"].sel(AB).item() == pytest.approx(
            stats.binomtest(6, 9).pvalue
        )
    with pytest.raises(ValueError, match=r"margin=0\.1 is of single items"):
        bt.sign_test(data, margin=0.1)
    with pytest.raises(ValueError, match="no item coordinate 'cluster'"):
        bt.sign_test(data.drop_vars("cluster"), unit="cluster")


def test_swaps_that_do_as_well_by_chance_are_named():
    """The largest of six clusters decides for A; the others are split."""
    sizes = (12, 10, 9, 10, 11, 10)
    of = clusters(sizes)
    effect = np.array([1.1, 0.9, 0.3, -0.25, 1.0, 0.2])
    data = scores(np.c_[effect[of] + 0.01 * np.sin(np.arange(len(of))), 0 * of], cluster=of)
    found = bt.compare(data, quantity="mean")
    p = found["p_value"].sel(AB).sel(test="randomization").item()
    named = "Swapping whole clusters does as well by chance" in statement(found)
    assert named == (pair(found, "verdict") == "a_better" and p > 0.1)
    assert p == pytest.approx(np.round(p * 64) / 64)


# models and strata


COPIES = scores(
    np.repeat(np.array([[1, 0]] * 5 + [[0, 1]] * 2 + [[1, 1]] * 5), 5, axis=0),
    cluster=clusters([5] * 12),
    dataset=np.repeat([0, 1], 30),
)


def test_data_sets_and_strata_of_clustered_items_are_refused():
    named = r"items come in clusters.*betterthan.compare\(data, over='dataset'\)"
    counts = bt.count(COPIES, by="dataset")
    with pytest.raises(ValueError, match=named):
        bt.models.hierarchical.build(counts)
    for data, choice in ((COPIES, {"by": "dataset"}), (counts, {})):
        with pytest.raises(ValueError, match=named):
            bt.plan.micro_macro(data, **choice)
    plain = COPIES.drop_vars("cluster")
    assert bt.plan.micro_macro(plain, by="dataset")["micro"].sel(AB).item() == pytest.approx(0.25)


@pytest.mark.sampled
def test_a_model_next_to_clusters_never_changes_the_exact_answer():
    exact, both = bt.compare(COPIES), bt.compare(COPIES, method="both", rng=1)
    for name in ("prob_better", "difference_lower", "verdict", "bayes_factor_01"):
        np.testing.assert_array_equal(both[name].values, exact[name].values)
    beside = both.alternatives["clustered"]
    closed = bt.models.clustered.closed_form(bt.count(COPIES, by="cluster")).sel(AB).item()
    error = beside["prob_better_mcse"].sel(AB).item()
    assert abs(beside["prob_better"].sel(AB).item() - closed) < 4 * error
    sampled = bt.compare(COPIES, method="mcmc", rng=1)
    assert list(sampled.by_engine()["engine"].values) == ["clustered"]


# F1 of documents


def documents():
    reference = REFERENCE["f1"]
    values = np.stack([np.array(reference[k]) for k in ("tp", "fp", "fn")], axis=-1)
    coords = {"system": ["A", "B"], "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(values, dims=("item", "system", "tally"), coords=coords)


def test_f1_of_documents_leaves_out_one_at_a_time():
    from betterthan.counts.responses import responses_from
    from betterthan.exact.joint.units import Shares
    from betterthan.scores.resampling import left_out

    reference, data = REFERENCE["f1"], documents()
    found = left_out(responses_from(data), (0.0, 1.0)).pairs()
    assert found.difference[0] == pytest.approx(reference["difference"], abs=5e-13)
    assert found.error[0] == pytest.approx(reference["error"], abs=5e-13)
    size = (data.values * [2, 1, 1]).sum((1, 2)).astype(float)[:, None]
    assert Shares.from_sizes(size).constant[0] == pytest.approx(reference["constant"], abs=6e-12)

    def f1(tallies):
        tp, fp, fn = tallies.sum(0).T
        return 2 * tp / (2 * tp + fp + fn)

    whole = f1(data.values)
    without = [f1(np.delete(data.values, k, 0)) - whole for k in range(5)]
    squares = np.square([a - b for a, b in without]).sum()
    assert found.error[0] == pytest.approx(np.sqrt(squares / reference["constant"]), rel=1e-10)
    answer = bt.scores.bootstrap(data, rng=1)
    assert answer.attrs["model"] == "jackknife"
    t = stats.t(found.df[0], found.difference[0], found.error[0])
    truncated = (t.cdf(1) - t.cdf(0)) / (t.cdf(1) - t.cdf(-1))
    assert answer["prob_better"].sel(AB).item() == pytest.approx(truncated)
    draws = bt.scores.bootstrap_draws(data, draws=20_000, rng=2)
    apart = (draws.sel(system="A") - draws.sel(system="B")).values
    assert (apart > 0).mean() == pytest.approx(
        special.stdtr(found.df[0], found.difference[0] / found.error[0]), abs=0.015
    )


def test_a_document_without_which_nothing_is_left_is_told():
    values = np.zeros((5, 2, 3), dtype=int)
    values[0] = [[8, 1, 2], [7, 2, 3]]
    values[1:, 1] = [2, 1, 1]
    data = documents().copy(data=values)
    with pytest.warns(UserWarning, match="no error of the f1 of 'A': without one unit nothing is"):
        found = bt.scores.bootstrap(data, rng=1)
    assert found["difference_lower"].sel(AB).isnull().item()
    assert found["prob_better"].sel(AB).item() == pytest.approx(
        found["prob_more_wins"].sel(AB).item()
    )


def test_many_documents_keep_random_weights():
    random = np.random.default_rng(1)
    values = random.poisson([4, 1, 1], (60, 2, 3))
    assert (
        bt.scores.bootstrap(documents().isel(item=[0] * 60).copy(data=values), rng=1).attrs["model"]
        == "bayesian_bootstrap"
    )


# planning


@pytest.mark.parametrize(
    ("sizes", "icc", "key"),
    [((20,) * 10, 0.1, "equal"), ((159, 140, 129, 70, 31), 0.05, "unequal")],
)
def test_a_plan_of_clusters_before_any_data(sizes, icc, key):
    reference = REFERENCE["plan"][key]
    found = bt.plan.cluster_power(0.15, sd=0.6, icc=icc, sizes=sizes)
    assert found["error"].item() == pytest.approx(reference[0], abs=5e-13)
    assert found["effective_items"].item() == pytest.approx(reference[1], abs=5e-9)
    df = found["df"].item()
    power = stats.nct.sf(stats.t.ppf(0.95, df), df, 0.15 / reference[0])
    assert found["probability"].sel(verdict="a_better").item() == pytest.approx(power, rel=1e-8)
    assert found["probability"].sum().item() == pytest.approx(1)
    if key == "equal":
        assert df == reference[2]
        assert power == pytest.approx(reference[3], abs=5e-12)


def test_a_plan_of_numbers_of_clusters_is_a_curve():
    found = bt.plan.cluster_power(0.1, sd=0.5, icc=0.2, clusters=[10, 20, 40], size=15, cv=0.6)
    better = found["probability"].sel(verdict="a_better").values
    assert (np.diff(better) > 0).all()
    assert found["items"].values == pytest.approx([150, 300, 600])
    assert (found["df"].values < np.array([9, 19, 39])).all()
    assert len(found.table) == 3


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"sizes": ONE_LARGE}, "leave 1.1 degrees of freedom; a plan needs more than 2"),
        ({}, "pass sizes= or clusters=, one of the two"),
        ({"clusters": 5}, "pass size="),
        ({"clusters": 5, "size": 4, "cv": -1}, "cv is -1"),
        ({"sizes": [3, 0, 5, 4, 4]}, "numbers of items above 0"),
        ({"clusters": [], "size": 4}, "clusters is empty"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.plan.cluster_power(0.1, sd=0.5, icc=0.1, **choices)
    with pytest.raises(ValueError, match=r"icc is 1\.5"):
        bt.plan.cluster_power(0.1, sd=0.5, icc=1.5, clusters=10, size=4)


# bad input


def test_a_cluster_that_differs_by_system_is_refused_with_its_place():
    rows = [
        {"item": i, "system": s, "score": i % 2, "cluster": f"{s}{i // 3}"}
        for i in range(6)
        for s in "AB"
    ]
    with pytest.raises(ValueError, match="row 1, column 'cluster', value 'B0'"):
        bt.read(pd.DataFrame(rows))


def test_a_blank_cluster_takes_items_as_independent_with_a_warning():
    data = by_size((4,) * 5)
    labels = np.array([f"c{k}" for k in data.cluster.values], dtype=object)
    labels[3] = None
    with pytest.warns(UserWarning, match="come in clusters"):
        found = bt.compare(data.assign_coords(cluster=("item", labels)))
    assert "n_units" not in found.data


def test_clusters_of_one_item_are_items():
    data = by_size((1,) * 30, seed=6)
    alone = bt.compare(data.drop_vars("cluster"))
    assert pair(bt.compare(data), "prob_better") == pair(alone, "prob_better")


@pytest.mark.filterwarnings("ignore:Scores of C are missing")
def test_a_system_without_scores_in_whole_clusters_is_compared_on_the_rest():
    data = graded((6, 9, 7, 5, 8), seed=7, systems=3)
    values = data.values.copy()
    values[data.cluster.values < 2, 2] = np.nan
    found = bt.compare(data.copy(data=values), quantity="mean")
    kept = bt.compare(data.isel(item=data.cluster.values >= 2), quantity="mean")
    at = {"system_a": "A", "system_b": "C"}
    assert found["prob_better"].sel(at).item() == pytest.approx(kept["prob_better"].sel(at).item())
    assert found["n_units"].sel(at).item() == 3


@pytest.mark.parametrize(("sizes", "verdict"), [((12,), "no_data"), ((9, 3), "undecided")])
def test_one_or_two_clusters(sizes, verdict):
    data = by_size((12,), seed=1).assign_coords(cluster=("item", clusters(sizes)))
    found = bt.compare(data)
    assert pair(found, "verdict") == verdict
    assert np.isnan(pair(found, "difference_lower")) == (len(sizes) == 1)


def test_clusters_that_all_say_the_same_have_no_interval():
    same = np.c_[np.ones(12), np.zeros(12)]
    found = bt.compare(scores(same, cluster=clusters((6, 2, 4))))
    assert np.isnan(pair(found, "difference_lower"))
    assert pair(found, "prob_better") == 0.9375  # three of three


def test_a_hundred_thousand_clusters():
    random = np.random.default_rng(8)
    of = clusters(random.integers(1, 4, 100_000))
    found = bt.compare(scores(random.random((len(of), 2)) < [0.51, 0.5], cluster=of), tests="sign")
    assert pair(found, "n_units") == 100_000
    assert 50_000 < pair(found, "difference_df") < 100_000


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"weight": "unit", "method": "both"}, "weight='unit' has a closed form"),
        ({"weight": "cluster"}, "weight is 'cluster'; choose one of item, unit"),
    ],
)
def test_weights_that_cannot_be_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.compare(by_size((4,) * 5), **choices)
    with pytest.raises(ValueError, match="weight='unit' counts each cluster"):
        bt.compare(by_size((4,) * 5).drop_vars("cluster"), weight="unit")


# skewed means


def test_means_too_skewed_for_so_few_items_are_named():
    skewed = np.array([0.0] * 9 + [1, 2, 30])
    found = bt.compare(scores(np.c_[skewed, 0 * skewed]), quantity="mean")
    assert "too skewed for Student's t here" in statement(found)
    even = np.random.default_rng(9).normal(size=(40, 2))
    assert "skewed" not in statement(bt.compare(scores(even), quantity="mean"))
    # a margin leaves few wins, and the differences as they are
    assert "skewed" not in statement(bt.compare(scores(even), quantity="mean", margin=3.0))


@pytest.mark.parametrize("form", ["text", "sentence", "latex-table", "pull-request"])
def test_an_answer_says_that_each_cluster_counts_once(form):
    random, cluster = np.random.default_rng(0), np.repeat(np.arange(18), [60, 50] + [4] * 16)
    values = random.normal(0.6, 0.05, (len(cluster), 2))
    coords = {"system": ["long", "short"], "cluster": ("item", cluster)}
    scores = xr.DataArray(values, coords, ("item", "system"))
    once = "in 18 clusters, each cluster counted once"
    for weight in ("item", "unit"):
        text = " ".join(bt.report(bt.compare(scores, weight=weight), format=form).split())
        assert (once in text) == (weight == "unit")


def test_swaps_of_three_clusters_say_nothing_against_a_verdict():
    coords = {"cluster": ("item", list("abc") * 10), "system": ["A", "B"]}
    values = np.array([[1, 0]] * 29 + [[1, 1]])
    c = bt.compare(xr.DataArray(values, coords, ("item", "system")))
    assert c["verdict"].values[0, 1] == "a_better"
    assert not any("Swapping" in note for note in c.provenance.unit_notes)

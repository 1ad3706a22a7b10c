import re

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.shapes import fingerprint
from betterthan.results.tables import pairwise


def scores(seed=0, items=60, systems=4, gaps=0.0):
    rng = np.random.default_rng(seed)
    values = (rng.random((items, systems)) < np.linspace(0.3, 0.8, systems)).astype(float)
    values[rng.random(values.shape) < gaps] = np.nan
    return xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(systems)]}
    )


@pytest.mark.parametrize(
    "data",
    [scores(gaps=0.1), bt.datasets.contingency_case("a"), bt.datasets.intent_detection()],
    ids=["scores", "three-way", "unknown ties"],
)
def test_netcdf_and_back_loses_nothing(data, tmp_path):
    rope = 0.0 if data.sizes.get("outcome") == 2 else 0.02
    comparison = bt.compare(data, rope=rope, ties="third")
    comparison.save(tmp_path / "c.nc")
    back = bt.load(tmp_path / "c.nc")
    xr.testing.assert_identical(comparison.data, back.data)
    assert bt.signature(back) == bt.signature(comparison)
    assert bt.report(back) == bt.report(comparison)
    assert bt.report(back, format="latex") == bt.report(comparison, format="latex")


def test_all_answers_are_those_of_the_functions():
    data = scores()
    counts = bt.count(data)
    found = pairwise(bt.compare(data, rope=0.05, prior="jeffreys").data)
    np.testing.assert_array_equal(found["prob_better"], bt.prob_better(counts, prior="jeffreys"))
    size = bt.difference(counts, prior="jeffreys")
    np.testing.assert_array_equal(found["difference_lower"], size["lower"])
    np.testing.assert_array_equal(found["mass"], bt.prob_equivalent(counts, 0.05, prior="jeffreys"))
    np.testing.assert_allclose(found["score"], data.mean("item"))


def test_permuting_systems_and_items_permutes_the_answers():
    data = scores(gaps=0.1)
    order = [2, 0, 3, 1]
    items = np.random.default_rng(1).permutation(data.sizes["item"])
    first = bt.compare(data, rope=0.05)
    second = bt.compare(data.isel(system=order, item=items), rope=0.05)
    for name in ("prob_better", "difference_mean", "mass", "verdict", "n_dropped"):
        expected = first[name].sel(system_a=second["system_a"], system_b=second["system_b"])
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(second[name].values, expected.values, rtol=1e-9, atol=1e-12)
        else:
            np.testing.assert_array_equal(second[name].values, expected.values)


def test_every_ties_policy_and_its_flip():
    counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    found = bt.compare(counts, ties="all").data.sel(system_a="A", system_b="B")
    assert dict(zip(found.ties_policy.values, found.verdict_by_ties.values, strict=True)) == {
        "third": "a_better",
        "drop": "a_better",
        "half": "undecided",
        "to_a": "a_better",
        "to_b": "b_better",
    }
    assert found.ties_flip.item()
    assert found.verdict.item() == "a_better"


def test_no_examples_is_no_verdict():
    counts = bt.counts.from_table({("A", "B"): (9, 0, 2), ("B", "C"): (1, 1, 1)})
    verdict = bt.compare(counts)["verdict"]
    assert verdict.sel(system_a="A", system_b="C").item() == "no_data"
    assert verdict.sel(system_a="B", system_b="A").item() == "b_better"


def test_all_ties_is_answered():
    counts = bt.counts.from_table({("A", "B"): (0, 0, 500)})
    found = bt.compare(counts, rope=0.02).data.sel(system_a="A", system_b="B")
    assert (found.prob_better.item(), found.verdict.item()) == (0.5, "equivalent")


def test_dependence_is_noted():
    data = scores().assign_coords(dataset=("item", ["x"] * 30 + ["y"] * 30))
    clusters = scores().assign_coords(cluster=("item", np.arange(60) // 3))
    with pytest.warns(UserWarning, match="independent items"):
        notes = bt.compare(clusters, unit="item").attrs["notes"]
    assert "not 60 independent items" in notes
    runs = scores().assign_coords(
        item=[f"q{k // 3}" for k in range(60)], epoch=("item", np.arange(60) % 3)
    )
    with pytest.warns(UserWarning, match="run repeatedly"):
        notes = bt.compare(runs, unit="item").attrs["notes"]
    assert "betterthan.advise" in notes
    stacked = bt.count(data, by="dataset")
    pooled = bt.compare(stacked)
    np.testing.assert_array_equal(pooled["counts"].values, bt.compare(data)["counts"].values)
    assert "2 data sets are pooled" in pooled.attrs["notes"]


def test_the_answer_says_that_large_data_sets_weigh_more():
    sentence = "The 2 data sets are pooled, so large ones weigh more"
    data = scores().assign_coords(dataset=("item", ["x"] * 40 + ["y"] * 20))
    assert sentence in str(bt.compare(data)).replace("\n", " ")
    assert sentence not in str(bt.compare(data, over="dataset")).replace("\n", " ")
    equal = scores().assign_coords(dataset=("item", ["x"] * 30 + ["y"] * 30))
    assert "pooled" not in str(bt.compare(equal))


def test_signature_says_how_it_was_made():
    line = bt.signature(
        bt.compare(
            scores(gaps=0.1), rope=0.02, ties="half", margin=0.5, missing="pairwise", ci_kind="eti"
        )
    )
    for part in (
        f"betterthan {bt.__version__}",
        "prior=Beta(1, 1)",
        "ties=half",
        "missing=pairwise",
        "margin=0.5",
        "rope=0.02",
        "95% ETI",
        "n=60",
        "systems=4",
    ):
        assert part in line
    assert re.search(r"data=[0-9a-f]{12}$", line)
    assert line != bt.signature(
        bt.compare(scores(seed=1), rope=0.02, ties="half", margin=0.5, ci_kind="eti")
    )


def test_cross_check_agrees_and_can_fail():
    counts = bt.datasets.intent_detection()
    tree = bt.posterior.draws(counts, rng=3)
    checked = bt.fits.cross_check(counts, tree)
    assert checked["agrees"].all()
    assert float(abs(checked["z"]).max()) > 0.5
    other = counts.copy()
    other.loc[{"system_a": "Wit", "system_b": "LUIS"}] = [60, 62]
    other.loc[{"system_a": "LUIS", "system_b": "Wit"}] = [62, 60]
    wrong = bt.fits.cross_check(other, tree)
    assert not wrong["agrees"].sel(system_a="Wit", system_b="LUIS").item()
    assert wrong["agrees"].sel(system_a="CNN T", system_b="LUIS").item()
    with pytest.raises(ValueError, match="do not name the same systems"):
        bt.fits.cross_check(bt.datasets.contingency_case("a"), tree)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"rope": 0.1}, "a rope needs the number of ties"),
        ({"ties": "all"}, "ties='all' needs the number of ties"),
        ({"method": "gibbs"}, "method is 'gibbs'; choose one of exact, mcmc, both"),
        ({"ci_kind": "central"}, "ci_kind is 'central'"),
        ({"ci_prob": 0}, "ci_prob is 0"),
        ({"prior": (1, 1, 1, 1)}, "prior has 4 numbers"),
    ],
)
def test_bad_choices_are_one_line(choice, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.compare(bt.datasets.intent_detection(), **choice)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["exact", "mcmc", "both", "advised"])
@pytest.mark.parametrize("kind", ["rows", "array", "labels", "distribution"])
def test_a_prior_that_fits_alone_take_is_refused_before_anything_is_sampled(method, kind):
    rows = np.ones((3, 3))
    labels = xr.DataArray(rows, dims=("pair", "outcome"))
    what = "an array with one prior per pair"
    if kind == "distribution":
        pm, what = pytest.importorskip("pymc"), "a PyMC distribution"
        prior = pm.Dirichlet.dist(a=[2, 2, 1])
    else:
        prior = {"rows": rows.tolist(), "array": rows, "labels": labels}[kind]
    match = rf"prior is {what}, .*models\.dirichlet_multinomial\.fit\(.*fits\.compare$"
    with pytest.raises(ValueError, match=match) as caught:
        bt.compare(scores(systems=3), method=method, prior=prior)
    assert "\n" not in str(caught.value)


def test_too_many_pairs_for_a_joint_fit_are_refused():
    with pytest.raises(ValueError, match="pairs are more than the 500"):
        bt.compare(scores(systems=33), method="mcmc")


def test_the_fingerprint_knows_the_same_data_in_any_order():
    data = scores(gaps=0.1).assign_coords(item=[f"q{k}" for k in range(60)])
    shuffled = data.isel(item=np.random.default_rng(2).permutation(60), system=[3, 1, 0, 2])
    first = bt.compare(data).attrs["data_hash"]
    assert bt.compare(shuffled).attrs["data_hash"] == first
    changed = data.copy()
    changed[0, 0] = 1 - changed[0, 0].fillna(0)
    assert bt.compare(changed).attrs["data_hash"] != first
    counts = bt.count(data)
    assert (
        bt.compare(counts).attrs["data_hash"]
        == bt.compare(bt.counts.to_pairs(counts)).attrs["data_hash"]
    )


@pytest.mark.parametrize("kind", [bool, np.int8, np.int64, np.float32])
def test_the_fingerprint_knows_the_same_numbers_of_any_type(kind):
    data = scores()
    assert fingerprint(data.astype(kind)) == fingerprint(data)
    assert fingerprint(1 - data.astype(np.int8)) != fingerprint(data)


def test_the_fingerprint_knows_runs_of_items_in_any_order():
    items, runs = [f"q{k // 2}" for k in range(60)], ("item", [1, 2] * 30)
    data = scores(gaps=0.1).assign_coords(item=items, epoch=runs)
    for order in (np.random.default_rng(2).permutation(60), np.arange(60).reshape(-1, 2)[:, ::-1]):
        assert fingerprint(data.isel(item=order.ravel())) == fingerprint(data)
    assert fingerprint(data.assign_coords(item=items[::-1])) != fingerprint(data)


@pytest.mark.parametrize(
    ("data", "choice", "message"),
    [
        (
            bt.datasets.contingency_case("a"),
            {"margin": 1},
            "margin=1 is for scores; these are counts",
        ),
        (bt.datasets.contingency_case("a"), {"missing": "wrong"}, "missing='wrong' is for scores"),
        (scores().astype(object), {}, "scores are object; give numbers"),
        (scores().astype(complex), {}, "scores are complex128"),
        (
            scores().assign_attrs(higher_is_better="no"),
            {},
            "higher_is_better'.* is 'no'; give True or False",
        ),
        (scores().assign_coords(item=["q"] * 60), {}, "item 'q' occurs more than once"),
        (scores().expand_dims(run=2), {}, "give .item, system. alone"),
        (scores(), {"rope": "0.1"}, "rope is '0.1'; give a number"),
    ],
)
def test_what_cannot_be_meant_is_one_line(data, choice, message):
    with pytest.raises(ValueError, match=message) as caught:
        bt.compare(data, **choice)
    assert "\n" not in str(caught.value)


def many(n=60, systems=3, **coords):
    random = np.random.default_rng(2)
    solved = (random.random((n, systems)) < np.linspace(0.7, 0.4, systems)).astype(float)
    return xr.DataArray(
        solved, dims=("item", "system"), coords={"system": list("ABCDEFGH"[:systems])} | coords
    )


def test_names_of_systems_may_be_numbers():
    found = bt.compare(many().assign_coords(system=[1, 2, 3]), rng=1)
    assert found["system"].values.tolist() == ["1", "2", "3"]
    assert found["score"].values == pytest.approx(many().mean("item").values)


def test_a_joint_answer_needs_more_than_a_few_examples():
    few = xr.DataArray(
        [[1, 1, 0], [1, 0, 1], [1, 1, 1]], dims=("item", "system"), coords={"system": list("ABC")}
    )
    found = bt.compare(few)
    assert "prob_best" not in found
    assert "3 items are too few" in found.attrs["no_joint"]
    assert "There is no joint answer here" in bt.report(found)
    clusters = many().assign_coords(cluster=("item", ["a"] * 30 + ["b"] * 30))
    assert "2 clusters are too few" in bt.compare(clusters).attrs["no_joint"]
    labels = [1, "a", 1, *range(3, 60)]  # of mixed types they are text
    assert "prob_best" in bt.compare(many().assign_coords(cluster=("item", labels)))


@pytest.mark.parametrize("policy", ["complete", "wrong"])
def test_the_joint_answer_sees_the_scores_that_are_counted(policy):
    gaps = many()
    gaps[3, 1] = np.nan
    assert "scores are missing" in bt.compare(gaps).attrs["no_joint"]
    chosen = (
        gaps.fillna(0.0) if policy == "wrong" else gaps.isel(item=[k for k in range(60) if k != 3])
    )
    found = bt.compare(gaps, missing=policy, rng=1)
    np.testing.assert_array_equal(
        found["prob_best"].values, bt.compare(chosen, rng=1)["prob_best"].values
    )


def test_an_epoch_that_is_one_costs_nothing():
    # a warning would be an error
    assert bt.compare(many(epoch=("item", [1] * 60))).attrs["notes"] == ""


def test_items_without_a_cluster_leave_the_rest_as_it_was():
    labels = np.array([""] * 5 + [str(k // 3) for k in range(55)])
    with pytest.warns(UserWarning, match="come in clusters"):
        found = bt.compare(many().assign_coords(cluster=("item", labels)))
    assert found.attrs["no_joint"] == "some items have no cluster"
    np.testing.assert_array_equal(
        found["prob_better"].values, bt.compare(many())["pairwise_prob_better"].values
    )


def test_counts_of_clusters_are_summed_with_a_warning():
    data = many().assign_coords(cluster=("item", np.arange(60) // 3))
    with pytest.warns(UserWarning, match="not 60 independent items"):
        summed = bt.compare(bt.count(data, by="cluster"), unit="item")
    np.testing.assert_array_equal(summed["counts"].values, bt.compare(many())["counts"].values)
    crossed = bt.models.hierarchical.simulate((3, 4), rng=1)["counts"]
    assert "12 data sets are pooled" in bt.compare(crossed).attrs["notes"]

import arviz as az
import numpy as np
import pytest
import xarray as xr
from scipy import stats
from scipy.special import betainc

import betterthan as bt
from betterthan.posterior import from_draws
from betterthan.posterior.sampled import draws_difference, draws_masses, draws_prob_better

TABLE = {
    ("A", "B"): (18, 9, 13),
    ("A", "C"): (12, 2, 986),
    ("B", "C"): (210, 200, 590),
    ("A", "D"): (0, 0, 40),
}


@pytest.fixture(scope="module")
def counts():
    return bt.counts.from_table(TABLE)


@pytest.fixture(scope="module")
def tree(counts):
    return bt.posterior.draws(counts, rng=3)


@pytest.fixture(scope="module")
def decisive(counts):
    return bt.posterior.draws(bt.counts.apply_ties(counts, "drop"), rng=3)


def exact_square(counts):
    win, loss = (counts.sel(outcome=o, drop=True) for o in ("win", "loss"))
    return betainc(loss + 1.0, win + 1.0, 0.5)


def test_tree_keeps_the_contract(tree, decisive):
    assert dict(tree["posterior"]["theta"].sizes) == {
        "chain": 4,
        "draw": 1000,
        "pair": 6,
        "outcome": 3,
    }
    assert set(tree["posterior"].data_vars) == {"theta", "difference"}
    assert set(decisive["posterior"].data_vars) == {"p"}
    attrs = tree["posterior"].attrs
    assert attrs["model"] == "dirichlet_multinomial"
    assert attrs["prior"] == [1.0, 1.0, 1.0]
    assert (attrs["square"], attrs["seed"], attrs["inference_library"]) == (1, 3, "betterthan")
    assert decisive["posterior"].attrs["prior"] == [1.0, 1.0]
    assert tree["posterior"]["system_b"].values.tolist() == ["B", "C", "D", "C", "D", "D"]


def test_draws_sum_to_one_and_have_the_conjugate_moments(tree, counts):
    theta = tree["posterior"]["theta"]
    np.testing.assert_allclose(theta.sum("outcome"), 1, rtol=1e-12)
    alpha = bt.counts.to_pairs(counts).values + 1
    total = alpha.sum(1, keepdims=True)
    mean, sd = alpha / total, np.sqrt(alpha * (total - alpha) / total**2 / (total + 1))
    assert (np.abs(theta.mean(("chain", "draw")).values - mean) < 4.5 * sd / np.sqrt(4000)).all()
    np.testing.assert_allclose(theta.std(("chain", "draw")).values, sd, rtol=0.06)


@pytest.mark.parametrize("which", ["tree", "decisive"])
def test_prob_better_agrees_with_the_incomplete_beta(which, counts, request):
    answer = draws_prob_better(request.getfixturevalue(which))
    exact = exact_square(counts).values
    off = ~np.eye(4, dtype=bool)
    assert (np.abs(answer.values - exact)[off] < 4 * answer.mcse.values[off]).all()
    np.testing.assert_allclose(answer.values + answer.values.T, 1, rtol=1e-15)
    np.testing.assert_array_equal(np.diag(answer.values), 0.5)
    np.testing.assert_array_equal(np.diag(answer.mcse.values), 0)
    np.testing.assert_array_equal(answer.mcse.values, answer.mcse.values.T)


def test_mcse_is_that_of_a_proportion(tree):
    answer = draws_prob_better(tree).sel(system_a="B", system_b="C")
    p = float(answer)
    assert float(answer.mcse) == pytest.approx(np.sqrt(p * (1 - p) / 4000), rel=0.15)


def test_mcse_is_never_zero_when_all_draws_agree():
    tree = bt.posterior.draws(bt.counts.from_table({("A", "B"): (5000, 0, 0)}), rng=1)
    answer = draws_prob_better(tree).sel(system_a="A", system_b="B")
    assert float(answer) == 1
    assert 1 / 10_000 < float(answer.mcse) < 3 / 4000
    masses = draws_masses(tree, 0.1).sel(system_a="A", system_b="B")
    assert (masses.mcse > 0).all()


def test_pairs_in_pairs_out(counts):
    tree = bt.posterior.draws(bt.counts.to_pairs(counts), rng=3)
    assert draws_prob_better(tree).dims == ("pair",)
    assert draws_difference(tree)["mean"].dims == ("pair",)
    assert draws_masses(tree, 0.1).dims == ("pair", "region")


def test_same_seed_same_draws(counts, tree):
    again = bt.posterior.draws(counts, rng=3)
    np.testing.assert_array_equal(
        again["posterior"]["theta"].values, tree["posterior"]["theta"].values
    )
    drawn = bt.posterior.draws(counts, rng=np.random.default_rng(5), draws=10)
    repeated = bt.posterior.draws(counts, rng=drawn["posterior"].attrs["seed"], draws=10)
    np.testing.assert_array_equal(
        drawn["posterior"]["theta"].values, repeated["posterior"]["theta"].values
    )


@pytest.mark.parametrize("prior", ["haldane", (1e-4, 2e-4, 1e-4)])
def test_a_tiny_prior_gives_numbers_and_the_right_answer(prior):
    counts = bt.counts.from_table(
        {("A", "B"): (0, 0, 0), ("A", "C"): (0, 3, 2), ("B", "C"): (0, 0, 9)}
    )
    tree = bt.posterior.draws(counts, prior=prior, rng=2)
    assert np.isfinite(tree["posterior"]["theta"].values).all()
    win, loss, _ = tree["posterior"].attrs["prior"]
    wins, losses = (bt.counts.to_pairs(counts).sel(outcome=o).values for o in ("win", "loss"))
    exact = betainc(losses + loss, wins + win, 0.5)
    upper = np.triu_indices(3, 1)
    answer = draws_prob_better(tree)
    assert (np.abs(answer.values[upper] - exact) < 4 * answer.mcse.values[upper]).all()


@pytest.mark.parametrize("kind", ["eti", "hdi"])
def test_difference_is_antisymmetric_and_has_errors(tree, kind):
    answer = draws_difference(tree, ci_prob=0.8, ci_kind=kind)
    assert answer.attrs["ci_kind"] == kind
    assert answer.attrs["ci_prob"] == 0.8
    for name, mirrored in (("mean", "mean"), ("lower", "upper"), ("upper", "lower")):
        np.testing.assert_array_equal(answer[name].values, -answer[mirrored].values.T)
    np.testing.assert_array_equal(answer["mcse_lower"].values, answer["mcse_upper"].values.T)
    off = ~np.eye(4, dtype=bool)
    assert (answer["lower"].values[off] < answer["mean"].values[off]).all()
    assert (answer["mcse_lower"].values[off] > 0).all()


def test_difference_agrees_with_a_long_simulation(tree, counts):
    answer = draws_difference(tree, ci_prob=0.8, ci_kind="eti").sel(system_a="A", system_b="B")
    assert abs(float(answer["mean"]) - 9 / 43) < 4 * float(answer["mcse_mean"])
    theta = np.random.default_rng(0).dirichlet([19, 10, 14], size=400_000)
    low, high = np.quantile(theta[:, 0] - theta[:, 1], [0.1, 0.9])
    assert abs(float(answer["lower"]) - low) < 4 * float(answer["mcse_lower"])
    assert abs(float(answer["upper"]) - high) < 4 * float(answer["mcse_upper"])


def test_error_of_an_equal_tailed_end_is_the_quantile_error(tree):
    answer = draws_difference(tree, ci_prob=0.8, ci_kind="eti").sel(system_a="A", system_b="B")
    d = tree["posterior"]["difference"].isel(pair=0)
    assert float(answer["mcse_lower"]) == pytest.approx(
        float(az.mcse(d, method="quantile", prob=0.1)), rel=0.05
    )


def test_masses_sum_to_one_and_mirror(tree):
    masses = draws_masses(tree, 0.02)
    np.testing.assert_allclose(masses.sum("region"), 1, rtol=1e-12)
    flipped = masses.sel(region=["a_beyond", "rope", "b_beyond"])
    np.testing.assert_array_equal(masses.values, np.swapaxes(flipped.values, 0, 1))
    np.testing.assert_array_equal(masses.values[range(4), range(4)], [[0, 1, 0]] * 4)
    assert masses.mcse.dims == masses.dims == ("system_a", "system_b", "region")
    np.testing.assert_array_equal(
        draws_masses(tree, 0.0).sel(region="a_beyond").values[np.triu_indices(4, 1)],
        draws_prob_better(tree).values[np.triu_indices(4, 1)],
    )


@pytest.mark.parametrize("ask", [lambda t: draws_masses(t, 0.1), draws_difference])
def test_questions_that_need_ties_are_refused(decisive, ask):
    with pytest.raises(ValueError, match="needs the number of ties") as caught:
        ask(decisive)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda t: draws_masses(t, -0.1), "rope is -0.1"),
        (lambda t: draws_difference(t, ci_prob=1), "ci_prob is 1"),
        (lambda t: draws_difference(t, ci_kind="89"), "ci_kind is '89'"),
        (lambda t: bt.fits.summary(t, ci_kind="x"), "ci_kind is 'x'"),
        (lambda t: bt.fits.summary(t, ci_prob=0), "ci_prob is 0"),
    ],
)
def test_bad_arguments(tree, ask, words):
    with pytest.raises(ValueError, match=words):
        ask(tree)


def test_a_foreign_tree_is_refused():
    foreign = az.from_dict({"posterior": {"p": np.zeros((2, 5, 1))}})
    with pytest.raises(ValueError, match="tree is no posterior of counts"):
        draws_prob_better(foreign)


def test_summary_is_unrounded_and_names_its_interval(tree):
    table = bt.fits.summary(tree)
    assert {"mean", "sd", "hdi95_lb", "hdi95_ub"} <= set(table.columns)
    mean = float(tree["posterior"]["difference"].isel(pair=0).mean())
    assert table.loc["difference[A vs B]", "mean"] == pytest.approx(mean, rel=1e-12)
    assert "eti50_lb" in bt.fits.summary(tree, ci_prob=0.5, ci_kind="eti").columns


def test_arviz_accepts_exact_draws(tree):
    az.plot_forest(tree, var_names=["difference"], backend="none")
    az.plot_dist(tree, var_names=["difference"], backend="none")


def test_netcdf_round_trip(tree, decisive, tmp_path):
    for k, each in enumerate((tree, decisive)):
        path = tmp_path / f"{k}.nc"
        each.to_netcdf(path, engine="h5netcdf")
        with az.from_netcdf(path) as back:
            answer = draws_prob_better(back)
            np.testing.assert_array_equal(answer.values, draws_prob_better(each).values)
            assert answer.attrs["prior"] == each["posterior"].attrs["prior"]


def test_decisive_draws_have_the_beta_quantiles(decisive):
    p = decisive["posterior"]["p"].isel(pair=0).values.ravel()
    assert stats.kstest(p, stats.beta(19, 10).cdf).pvalue > 1e-3


@pytest.mark.parametrize("tied", [False, True])
def test_ranks_of_all_draws_at_once_are_those_of_each_system(tied):
    draws = np.random.default_rng(3).normal(size=(1, 400, 6)) + np.arange(6) / 3
    if tied:
        draws = draws.round(1)
    best = from_draws._best_other(draws)
    rows = [from_draws._system_ranks(draws, best, k, True) for k in range(6)]
    found = from_draws.ranks(draws, independent=True)
    for name in rows[0]:
        np.testing.assert_allclose(found[name], np.concatenate([row[name] for row in rows]), 1e-12)
    np.testing.assert_allclose(found["prob_rank"].sum(0), 1, rtol=1e-12)


COUNTS = {("C", "B"): (18, 9, 13), ("A", "C"): (120, 9, 11), ("A", "B"): (0, 0, 0)}


def test_pairs_that_were_left_out_are_not_invented():
    tree = bt.posterior.draws(bt.counts.from_table(COUNTS), rng=1)
    kept = ["C vs B", "B vs A"]
    part = tree.sel(pair=kept)
    for some in (part, bt.fits.adopt(part), bt.fits.adopt(tree).sel(pair=kept)):
        answer = bt.fits.compare(some, rope=0.05)
        assert answer.data["prob_better"].dims == ("pair",)
        assert [*map(set, answer.pairs[["system", "other"]].values)] == [set("CB"), set("BA")]
    checked = bt.fits.cross_check(bt.counts.from_table(COUNTS), part)
    assert checked.sizes["pair"] == 2


def test_items_are_those_of_their_pair_in_any_order():
    counts = bt.counts.from_table(COUNTS)
    tree = bt.posterior.draws(counts, rng=1)
    tree["constant_data"] = bt.counts.to_pairs(counts).rename("counts").to_dataset()
    expected = {("C", "B"): 40, ("A", "C"): 140, ("A", "B"): 0}
    for change in (lambda x: x, lambda x: x.sortby("pair"), lambda x: x.isel(pair=[0, 1])):
        moved = tree.copy()
        moved["posterior"] = change(tree["posterior"].to_dataset())
        pairs = bt.fits.compare(moved).pairs
        for row in pairs.to_dict("records"):
            assert row["n"] == expected[row["system"], row["other"]]
            assert (row["verdict"] == "no_data") == (row["n"] == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.sel(pair="C vs A"), r"pair 'C vs A' alone; .* \.sel\(pair=\[...\]\)"),
        (lambda t: t.sel(chain=0), r"chain 0 alone; select it as a list"),
    ],
)
def test_one_of_several_is_selected_as_a_list(change, message):
    tree = bt.posterior.draws(bt.counts.from_table(COUNTS), rng=1)
    for function in (bt.prob_better, bt.fits.compare):
        with pytest.raises(ValueError, match=message):
            function(change(tree))


def test_fits_in_blocks_answer_and_one_without_its_data_says_so(tmp_path):
    tree = bt.datasets.example_fit("clustered")
    tree.to_zarr(tmp_path / "fit.zarr", consolidated=False)
    lazy = xr.open_datatree(tmp_path / "fit.zarr", engine="zarr", chunks={}, consolidated=False)
    xr.testing.assert_equal(bt.fits.compare(lazy).data, bt.fits.compare(tree).data)
    assert bt.fits.diagnose(lazy).ess_min == bt.fits.diagnose(tree).ess_min
    alone = xr.DataTree.from_dict({"posterior": tree["posterior"].to_dataset()})
    with pytest.raises(ValueError, match="tree has no group constant_data, the data of its fit"):
        bt.fits.compare(alone)

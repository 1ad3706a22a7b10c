"""The Bayesian bootstrap against its closed form for 0/1 scores, against plain resampling, and its
traps.
"""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import beta, t

import betterthan as bt
from betterthan.scores import resampling

AB = {"system_a": "A", "system_b": "B"}


def scores_of(*columns, **attrs):
    values = np.array(columns, dtype=float).T
    coords = {"system": [chr(65 + k) for k in range(values.shape[1])]}
    return xr.DataArray(values, dims=("item", "system"), coords=coords, attrs=attrs)


def right_or_wrong(wins, losses, both, neither=0):
    a = [1] * wins + [0] * losses + [1] * both + [0] * neither
    b = [0] * wins + [1] * losses + [1] * both + [0] * neither
    return scores_of(a, b)


def tallies(seed=0, items=30, systems=3, labels=2):
    values = np.random.default_rng(seed).poisson([4, 1, 1], (items, systems, labels, 3))
    coords = {"system": [f"s{k}" for k in range(systems)], "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(values, dims=("item", "system", "label", "tally"), coords=coords)


@pytest.mark.parametrize(("wins", "losses", "both"), [(12, 6, 20), (30, 28, 100), (5, 9, 0)])
def test_right_and_wrong_answers_are_a_beta_moved_apart(wins, losses, both):
    data = right_or_wrong(wins, losses, both)
    result = bt.scores.bootstrap(data, draws=40_000, rng=1)
    # without a prior: (win, loss, tie) ~ Dirichlet of their numbers
    random, n = np.random.default_rng(8), wins + losses + both
    shares = [random.standard_gamma(k, 200_000) if k else 0.0 for k in (wins, losses, both)]
    apart = (shares[0] - shares[1]) / sum(shares)
    middle = (wins - losses) / n
    moved = middle + (apart - middle) * np.sqrt((n + 1) / random.chisquare(n - 1, 200_000))
    exact = (moved > 0).mean()
    found, error = (result[v].sel(AB).item() for v in ("prob_better", "prob_better_mcse"))
    assert abs(found - exact) < 4 * error
    assert abs(error - np.sqrt(exact * (1 - exact) / 40_000)) < 0.1 * error


def spread(units):
    """By how much the variance of draws is more than that of the weights."""
    return (units + 1) / (units - 3)


def test_the_score_of_one_system_is_a_beta_moved_apart():
    data = right_or_wrong(10, 5, 7, 8)
    draws = bt.scores.bootstrap_draws(data, draws=40_000, rng=2).sel(system="A")
    posterior = beta(17, 13)
    assert abs(draws.mean() - posterior.mean()) < 4 * posterior.std() / 200
    assert float(draws.std()) == pytest.approx(posterior.std() * np.sqrt(spread(30)), rel=0.02)
    result = bt.scores.bootstrap(data, draws=40_000, rng=2, ci_kind="eti").sel(system="A")
    # a normal moved apart is a t
    half = t.ppf(0.975, 29) * posterior.std() * np.sqrt(31 / 29)
    assert result["score_lower"].item() == pytest.approx(17 / 30 - half, abs=0.012)
    assert result["score_upper"].item() == pytest.approx(17 / 30 + half, abs=0.012)


def test_f1_against_weights_drawn_by_hand():
    data = tallies()
    weights = np.random.default_rng(9).dirichlet(np.ones(30), 20_000)
    tp, fp, fn = np.moveaxis(np.einsum("di,islt->dst", weights, data.values), -1, 0)
    by_hand = 2 * tp / (2 * tp + fp + fn)
    draws = bt.scores.bootstrap_draws(data, draws=20_000, rng=3).values
    error = by_hand.std(0) / np.sqrt(20_000)
    assert (np.abs(draws.mean(0) - by_hand.mean(0)) < 6 * error).all()
    # a covariance of n draws is off by about sqrt(variance x variance / n), here 2e-6
    np.testing.assert_allclose(np.cov(draws.T), spread(30) * np.cov(by_hand.T), atol=1e-5)


def test_macro_f1_is_the_mean_over_labels():
    data = tallies(items=60)
    macro = bt.scores.bootstrap_draws(data, statistic="macro_f1", draws=50, rng=1)
    each = [bt.scores.bootstrap_draws(data.isel(label=[k]), draws=50, rng=1) for k in range(2)]
    assert {one.attrs["n_weighed"] for one in (macro, *each)} == {60}
    np.testing.assert_allclose(macro, (each[0] + each[1]) / 2)


@pytest.mark.filterwarnings("ignore:no interval where")
def test_identical_systems_are_exactly_even():
    one = tallies(systems=1)
    data = xr.concat([one, one.assign_coords(system=["copy"])], "system")
    result = bt.scores.bootstrap(data, draws=500, rng=1)
    assert result["prob_better"].values[0, 1] == 0.5
    assert result["difference_mean"].values[0, 1] == 0
    assert result["prob_best"].values.tolist() == [0.5, 0.5]
    assert result["expected_rank"].values.tolist() == [1.5, 1.5]


def test_ranks_agree_with_pairs():
    result = bt.scores.bootstrap(tallies(systems=6, items=60), draws=2000, rng=4)
    np.testing.assert_allclose(result["prob_rank"].sum("rank"), 1)
    np.testing.assert_allclose(result["prob_rank"].sum("system"), 1)
    # how often each other system is ahead
    behind = result["prob_better"].values.T - 0.5 * np.eye(6)
    np.testing.assert_allclose(result["expected_rank"], 1 + behind.sum(1))


def test_masses_sum_to_one_and_mirror():
    result = bt.scores.bootstrap(tallies(), draws=1000, rng=4, rope=0.02)
    np.testing.assert_allclose(result["mass"].sum("region"), 1)
    np.testing.assert_array_equal(
        result["mass"].values, result["mass"].values.swapaxes(0, 1)[..., ::-1]
    )
    np.testing.assert_array_equal(result["difference_lower"], -result["difference_upper"].values.T)


@pytest.mark.parametrize("numbers", [1, 1000])
def test_chunks_change_nothing(monkeypatch, numbers):
    expected = bt.scores.bootstrap_draws(tallies(), draws=101, rng=5)
    monkeypatch.setattr(resampling, "_NUMBERS", numbers)
    xr.testing.assert_allclose(
        bt.scores.bootstrap_draws(tallies(), draws=101, rng=5), expected, rtol=1e-12
    )


def test_documents_share_a_weight():
    data = tallies(items=24)
    document = np.repeat([f"d{k}" for k in range(8)], 3)
    summed = xr.DataArray(
        data.values.reshape(8, 3, 3, 2, 3).sum(1), dims=data.dims, coords=data.coords
    )
    together = bt.scores.bootstrap_draws(
        data.assign_coords(document=("item", document)), unit="document", draws=50, rng=6
    )
    np.testing.assert_allclose(together, bt.scores.bootstrap_draws(summed, draws=50, rng=6))
    values = np.random.default_rng(0).random((6, 2))
    scores = scores_of(*values.T).assign_coords(document=("item", list("aaabbc")))
    drawn = bt.scores.bootstrap_draws(scores, unit="document", draws=4000, rng=7)
    # items count the same, not documents
    assert (np.abs(drawn.mean("draw") - scores.mean("item")) < 0.05).all()
    with pytest.warns(UserWarning, match="rests on 3 units, fewer than 5"):
        assert bt.scores.bootstrap(scores, unit="document", rng=7).attrs["n_items"] == 3


def test_lower_is_better():
    data = right_or_wrong(12, 6, 20).assign_attrs(higher_is_better=False)
    result = bt.scores.bootstrap(data, rng=1)
    assert result["prob_better"].sel(AB).item() < 0.5
    assert result["difference_mean"].sel(AB).item() > 0
    assert result["score"].sel(system="A").item() > result["score"].sel(system="B").item()


def test_enough_wins_and_losses_give_one():
    assert (
        bt.scores.bootstrap(right_or_wrong(40, 5, 10), rng=1)["verdict"].sel(AB).item()
        == "a_better"
    )


def test_a_function_of_ones_own_is_the_built_in_one():
    data = tallies(items=60)  # of fewer units of unequal size F1 is answered without weights
    f1 = bt.scores.bootstrap(data, draws=500, rng=3)
    own = bt.scores.bootstrap(data, statistic=f1_of_means, draws=500, rng=3)
    for name in ("prob_better", "score", "score_mean", "difference_lower", "wins", "expected_rank"):
        np.testing.assert_allclose(own[name], f1[name], rtol=1e-12)
    assert own.attrs["statistic"] == "f1_of_means"


def f1_of_means(means):
    """The pooled F1 of weighted means of tallies (draw, system, label, tally)."""
    tp, fp, fn = np.moveaxis(means.sum(2), -1, 0)
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(2 * tp / (2 * tp + fp + fn))


def test_a_weighted_mean_is_a_ratio_of_sums():
    random = np.random.default_rng(5)
    score, length = random.random((20, 2)), random.integers(1, 9, 20)
    columns = np.stack([score * length[:, None], np.repeat(length[:, None], 2, 1)], axis=-1)
    data = xr.DataArray(columns, dims=("item", "system", "part"), coords={"system": ["A", "B"]})
    found = bt.scores.bootstrap(data, statistic=lambda m: m[..., 0] / m[..., 1], draws=4000, rng=1)
    np.testing.assert_allclose(found["score"], np.average(score, axis=0, weights=length))
    assert found["wins"].sel(AB).item() == (score[:, 0] > score[:, 1]).sum()
    weights = random.dirichlet(np.ones(20), 20_000) * length
    by_hand = weights @ score / weights.sum(1, keepdims=True)
    assert (abs(found["score_mean"] - by_hand.mean(0)) < 5 * by_hand.std(0) / np.sqrt(4000)).all()


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_a_function_of_ones_own_has_the_direction_of_the_data(higher_is_better):
    rng = np.random.default_rng(1)
    data = scores_of(
        rng.gamma(2, 1, 40), rng.gamma(2, 1, 40) + 1.0, higher_is_better=higher_is_better
    )
    built_in, own = (
        bt.scores.bootstrap(data, statistic=statistic, draws=500, rng=3)
        for statistic in ("mean", lambda means: means)
    )
    assert built_in["verdict"].values[0, 1] == ("b_better" if higher_is_better else "a_better")
    xr.testing.assert_equal(own["verdict"], built_in["verdict"])
    for name in ("score", "score_lower", "prob_better", "difference_lower", "prob_best", "wins"):
        np.testing.assert_allclose(own[name], built_in[name], rtol=1e-9, atol=1e-12)
    assert bool(own.attrs["higher_is_better"]) is higher_is_better
    tests = [
        bt.randomization_test(data[:10], statistic=statistic, alternative="greater")
        for statistic in ("mean", lambda batch: batch.mean(1))
    ]
    for name in ("p_value", "score", "difference"):
        np.testing.assert_allclose(tests[1][name], tests[0][name], rtol=1e-9, atol=1e-12)


def test_a_function_of_ones_own_must_answer_for_every_draw():
    for function, words in (
        (lambda m: m.sum(), r"gave shape \(\) for means of shape"),
        (lambda m: m.sum((-1, -2)) * np.nan, "gave nan; it must be finite"),
    ):
        with pytest.raises(ValueError, match=words):
            bt.scores.bootstrap_draws(tallies(), statistic=function, draws=5, rng=1)
    with pytest.raises(ValueError, match=r"data is a ndarray; give an xarray\.DataArray"):
        bt.scores.bootstrap_draws(np.ones((3, 2)), statistic=np.sum)


@pytest.mark.parametrize(("wins", "losses"), [(12, 6), (6, 12), (40, 38)])
def test_gap_to_the_closed_form_with_its_prior(wins, losses):
    result = bt.scores.bootstrap(right_or_wrong(wins, losses, 20), draws=40_000, rng=1)
    closed = bt.prob_better(bt.counts.from_table({("A", "B"): (wins, losses, 20)})).sel(AB).item()
    assert result["prob_better_closed"].sel(AB).item() == pytest.approx(closed, rel=1e-12)
    gap = abs(result["prob_better"].sel(AB).item() - 0.5) - abs(closed - 0.5)
    assert result["gap"].sel(AB).item() == pytest.approx(gap, abs=1e-12)
    assert abs(gap) < 0.01  # without a prior, yet for so few items
    assert result["prob_more_wins"].sel(AB).item() == pytest.approx(closed, rel=1e-12)
    assert "gap" not in bt.scores.bootstrap(tallies(), draws=50, rng=1)
    assert "gap" not in bt.scores.bootstrap(
        scores_of(*np.random.default_rng(1).random((2, 30))), draws=50, rng=1
    )


def test_tied_with_the_top_and_the_set_of_the_best():
    random = np.random.default_rng(2)
    data = scores_of(*(random.random(60) + shift for shift in (0.5, 0.45, 0.0, 0.5)))
    result = bt.scores.bootstrap(data, draws=4000, rng=3)
    top = int(result["score"].values.argmax())
    assert result["tied_with_top"][top]
    for k in range(4):
        decided = result["prob_better"].values[top, k] >= 0.95
        assert bool(result["tied_with_top"][k]) != decided
    assert not result["tied_with_top"].sel(system="C")
    inside = result["in_best_set"].values
    assert result["prob_best"].values[inside].sum() >= 0.95
    assert (
        result["prob_best"].values[inside].sum() - result["prob_best"].values[inside].min() < 0.95
    )
    assert result["prob_best"].values[inside].min() >= result["prob_best"].values[~inside].max(
        initial=0
    )


def test_errors_are_those_of_repeated_runs():
    names = ("score_mean", "prob_best", "expected_rank", "difference_mean", "mass", "prob_better")
    runs = [bt.scores.bootstrap(tallies(items=60), draws=200, rng=k, rope=0.01) for k in range(150)]
    for name in names:
        spread = np.std([run[name].values for run in runs], axis=0)
        told = np.mean([run[f"{name}_mcse"].values for run in runs], axis=0)
        moving = spread > 1e-3
        if name in ("prob_best", "mass", "prob_better"):
            # with fewer than 5 draws on one side the error told is an exact bound, which is more
            seen = np.mean([run[name].values for run in runs], axis=0)
            few = np.minimum(seen, 1 - seen) < 5 / 200
            moving &= ~few
            assert (told >= spread)[few].all()
        np.testing.assert_allclose(told[moving], spread[moving], rtol=0.3, err_msg=name)
        assert (told >= spread * 0.7).all()


def test_results_share_nothing():
    data = right_or_wrong(12, 6, 20)
    first = bt.scores.bootstrap(data, draws=50, rng=1)
    kept = first.copy(deep=True)
    for name in ("system_a", "system", "region", "rank", "prob_better"):
        first[name].attrs["told"] = 1
    first["prob_better"].values[:] = -1
    first.coords["system_b"] = ["x", "y"]
    assert bt.scores.bootstrap(data, draws=50, rng=1).identical(kept)


def test_a_seed_repeats_and_netcdf_keeps(tmp_path):
    first = bt.scores.bootstrap(tallies())
    again = bt.scores.bootstrap(tallies(), rng=first.attrs["seed"])
    xr.testing.assert_identical(first, again)
    first.to_netcdf(tmp_path / "b.nc")
    with xr.open_dataset(tmp_path / "b.nc") as back:
        xr.testing.assert_identical(back.load(), first)


@pytest.mark.parametrize(
    ("data", "choices", "message"),
    [
        (
            scores_of([1, np.nan], [0, 1]),
            {},
            "'A' lacks a score; the bootstrap weighs items that all systems share",
        ),
        (tallies(), {"statistic": "mean"}, "needs scores; these are tallies"),
        (tallies(), {"statistic": 7}, "statistic is 7; choose one of"),
        (tallies(), {"statistic": len}, r"statistic 'len' gave shape \(\)"),
        (tallies(), {"draws": 1}, "draws is 1; give a whole number of at least 2"),
        (tallies(), {"rope": -0.1}, "rope is -0.1; give a number of at least 0"),
        (tallies(), {"ci_kind": "sd"}, "ci_kind is 'sd'"),
        (tallies(), {"unit": "page"}, "is 'page'; give one of item"),
    ],
)
def test_bad_input(data, choices, message):
    with pytest.raises(ValueError, match=message):
        bt.scores.bootstrap(data, **choices)


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_scores_of_minus_one_are_neither_right_nor_wrong(higher_is_better):
    columns = np.repeat([[-1, 0], [0, 1], [1, 1]], [20, 5, 3], axis=0).T
    scores = scores_of(*columns, higher_is_better=higher_is_better)
    result, doubled = (
        bt.scores.bootstrap(x, rng=1) for x in (scores, scores.copy(data=2 * scores))
    )
    assert "prob_better_closed" not in result
    for name in ("score_lower", "score_upper", "difference_lower", "difference_upper"):
        np.testing.assert_allclose(doubled[name], 2 * result[name], rtol=1e-12)
    assert (result["score_lower"] < result["score"]).all()


@pytest.mark.filterwarnings("ignore:no interval where all units")
@pytest.mark.parametrize("systems", ["AB", "ABC"])
def test_no_system_is_surer_to_be_the_best_than_better_than_another(systems):
    """Of items on which all systems differ by the same, draws of the bootstrap are all alike."""
    base = np.array([0.25, 0.5, 0.75, 0.5, 0.25])
    values = np.stack([base + 0.125 * (k == 0) - 0.125 * (k == 2) for k in range(len(systems))], 1)
    coords = {"system": list(systems)}
    scores = xr.DataArray(values, dims=("item", "system"), coords=coords)
    found = bt.scores.bootstrap(scores, rng=1)
    better = found["prob_better"].values[0, 1:].min()
    assert better == 1 - 0.5**6  # five wins of five, with one win and one loss before
    assert found["prob_best"].values[0] == better
    assert found["prob_best"].sum() == pytest.approx(1)
    assert found["in_best_set"].values.tolist() == [True] + [False] * (len(systems) - 1)

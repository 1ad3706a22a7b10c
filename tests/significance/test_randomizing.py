"""Randomization: exact against every swap, sampled against exact, and the traps."""

import itertools
import json

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binomtest, permutation_test

import betterthan as bt
from betterthan.significance import nulls
from betterthan.significance.randomizing import randomization_test
from tests.exact.swaps.test_randomization import brute, fraction_of

AB = {"system_a": "A", "system_b": "B"}


def scores_of(*columns, **attrs):
    names = [chr(65 + k) for k in range(len(columns))]
    values = np.array(columns, dtype=float).T
    items = [f"q{k}" for k in range(len(values))]
    return xr.DataArray(
        values, dims=("item", "system"), coords={"item": items, "system": names}, attrs=attrs
    )


def tallies_of(values, **coords):
    """(item, system, [label,] tally) as labelled tallies."""
    values = np.asarray(values)
    dims = ("item", "system", "label", "tally") if values.ndim == 4 else ("item", "system", "tally")
    labels = {"system": [chr(65 + k) for k in range(values.shape[1])], "tally": ["tp", "fp", "fn"]}
    return xr.DataArray(
        values, dims=dims, coords=labels | {k: ("item", v) for k, v in coords.items()}
    )


def random_tallies(seed, items=9, systems=2, largest=3, labels=None):
    shape = (items, systems, 3) if labels is None else (items, systems, labels, 3)
    return np.random.default_rng(seed).integers(0, largest + 1, shape)


def p_of(result, variable="p_value"):
    return result[variable].sel(AB).item()


@pytest.mark.parametrize("statistic", ["precision", "recall", "f1", "f_beta"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_is_every_swap(statistic, alternative):
    beta = 2.0 if statistic == "f_beta" else 1.0
    values = random_tallies(1)
    expected = brute(values[:, 0], values[:, 1], lambda t: fraction_of(t, statistic, beta))
    place = {"two-sided": 0, "greater": 1, "less": 2}[alternative]
    result = randomization_test(
        tallies_of(values), statistic=statistic, beta=beta, alternative=alternative
    )
    assert p_of(result) == pytest.approx(expected[place], rel=1e-12)
    assert result.attrs["method"] == "lattice"


def test_macro_f_is_every_swap():
    values = random_tallies(2, labels=3)

    def macro(totals):
        return sum(fraction_of(t, "f1") for t in totals) / 3

    result = randomization_test(tallies_of(values), statistic="macro_f1")
    assert p_of(result) == pytest.approx(brute(values[:, 0], values[:, 1], macro)[0], rel=1e-12)
    assert result.attrs["method"] == "enumeration"


def test_labels_are_summed_for_micro_scores():
    values = random_tallies(3, labels=4)
    assert p_of(randomization_test(tallies_of(values))) == p_of(
        randomization_test(tallies_of(values.sum(2)))
    )


@pytest.mark.parametrize("statistic", ["precision", "recall", "f1", "macro_f1"])
def test_sampled_within_four_errors_of_exact(statistic):
    data = tallies_of(random_tallies(4, items=14, systems=4, labels=2))
    exact = randomization_test(data, statistic=statistic, method="exact")
    sampled = randomization_test(
        data, statistic=statistic, method="monte_carlo", shuffles=20_000, rng=1
    )
    z = (sampled["p_value"] - exact["p_value"]) / np.sqrt(
        exact["p_value"] * (1 - exact["p_value"]) / 20_000
    ).where(exact["p_value"] < 1, 1)
    assert float(np.abs(z).max()) < 4
    assert exact.attrs["sampled"] == 0
    assert sampled.attrs["sampled"] == 1
    np.testing.assert_allclose(exact["difference"], sampled["difference"])


def test_sampled_mean_within_four_errors_of_exact():
    data = scores_of(*np.random.default_rng(5).normal(0, 1, (3, 60)).round(1))
    exact = randomization_test(data)
    sampled = randomization_test(data, method="monte_carlo", shuffles=20_000, rng=1)
    z = (sampled["p_value"] - exact["p_value"]) / np.sqrt(
        exact["p_value"] * (1 - exact["p_value"]) / 20_000
    ).where(exact["p_value"] < 1, 1)
    assert float(np.abs(z).max()) < 4
    assert exact.attrs["method"] == "convolution"


def test_mean_against_scipy():
    a, b = np.random.default_rng(6).normal(0, 1, (2, 11)).round(2)
    other = permutation_test(
        (a, b), lambda x, y, axis: (x - y).mean(axis), permutation_type="samples", vectorized=True
    )
    assert p_of(randomization_test(scores_of(a, b))) == pytest.approx(other.pvalue, rel=1e-9)


@pytest.mark.parametrize("method", ["exact", "monte_carlo"])
@pytest.mark.parametrize("statistic", [None, "precision", "recall", "macro_f1"])
def test_identical_systems(method, statistic):
    one = random_tallies(7, items=12, systems=1, labels=2)
    data = tallies_of(np.concatenate([one, one], axis=1))
    assert p_of(randomization_test(data, statistic=statistic, method=method, rng=0)) == 1


@pytest.mark.parametrize("method", ["exact", "monte_carlo"])
def test_identical_scores(method):
    result = randomization_test(scores_of([1, 0, 1, 0.5], [1, 0, 1, 0.5]), method=method, rng=0)
    assert p_of(result) == 1
    assert p_of(result, "n_differ") == 0
    assert p_of(result, "smallest_p") == 1


@pytest.mark.parametrize("method", ["exact", "monte_carlo"])
def test_nothing_found_and_nothing_to_find(method):
    result = randomization_test(tallies_of(np.zeros((5, 2, 3), dtype=int)), method=method, rng=0)
    assert p_of(result) == 1
    assert result["score"].values.tolist() == [0, 0]


def test_one_item_says_nothing():
    assert p_of(randomization_test(scores_of([1], [0]))) == 1
    assert p_of(randomization_test(tallies_of([[[1, 0, 0], [0, 1, 1]]]))) == 1


@pytest.mark.parametrize(
    ("wins", "losses", "ties"), [(8, 2, 0), (9, 1, 5), (5, 5, 3), (0, 0, 7), (7, 0, 0)]
)
def test_wins_and_losses_are_the_sign_test_with_ties_dropped(wins, losses, ties):
    a, b = [1] * wins + [0] * losses + [1] * ties, [0] * wins + [1] * losses + [1] * ties
    expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1
    for values in (1, 0.1, 3):
        result = randomization_test(scores_of(np.array(a) * values, np.array(b) * values))
        assert p_of(result) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["exact", "monte_carlo"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_swapping_the_systems(method, alternative):
    values = random_tallies(8, items=15, systems=3)
    there = randomization_test(tallies_of(values), method=method, alternative=alternative, rng=3)
    back = randomization_test(
        tallies_of(values)[:, ::-1], method=method, alternative=alternative, rng=3
    )
    xr.testing.assert_allclose(
        there["p_value"], back["p_value"].sel(there["p_value"].coords), rtol=1e-12
    )


def test_greater_below_the_diagonal_is_less_above_it():
    data = tallies_of(random_tallies(9, systems=3))
    greater = randomization_test(data, alternative="greater")["p_value"]
    less = randomization_test(data, alternative="less")["p_value"]
    np.testing.assert_allclose(greater.values, less.values.T)


def test_the_sign_of_a_one_sided_test():
    scores = scores_of([1] * 6, [0] * 6)
    assert p_of(randomization_test(scores, alternative="greater")) == 1 / 64
    lower = scores_of([1] * 6, [0] * 6, higher_is_better=False)
    result = randomization_test(lower, alternative="greater")
    assert p_of(result) == 1
    assert p_of(result, "difference") == 1


def test_tenths_are_whole_numbers():
    whole = np.random.default_rng(10).integers(0, 10, (2, 30))
    tenths = whole / 10
    tenths[0] = tenths[0] + 0.1 + 0.2 - 0.3  # off by a rounding, as sums of tenths are
    for method in ("exact", "monte_carlo"):
        counted = [randomization_test(scores_of(*x), method=method, rng=1) for x in (whole, tenths)]
        assert p_of(counted[0]) == p_of(counted[1])


def test_scores_of_any_size_are_sampled_with_ties_counted():
    noise = np.random.default_rng(11).normal(0, 1, 30)
    data = scores_of(noise * np.pi, np.roll(noise, 1) * np.pi)
    result = randomization_test(data, rng=1)
    assert result.attrs["method"] == "monte_carlo"
    swapped = randomization_test(data[:, ::-1], rng=1)
    assert p_of(result) == p_of(swapped)
    same = randomization_test(scores_of(noise, noise), rng=1)
    assert p_of(same) == 1


@pytest.mark.parametrize("numbers", [16, 1000, 10**7])
def test_chunks_change_nothing(monkeypatch, numbers):
    data = tallies_of(random_tallies(12, items=20, systems=4, labels=2))
    choices = [
        {},
        {"alternative": "greater"},
        {"stop_after": 30},
        {"correction": "max_t"},
        {"correction": "tukey"},
    ]
    choices = [c | {"statistic": s} for c in choices for s in ("f1", "macro_f1")]

    def run():
        return [
            randomization_test(data, method="monte_carlo", shuffles=501, rng=5, **c)
            for c in choices
        ]

    expected = run()
    monkeypatch.setattr(nulls, "_NUMBERS", numbers)
    for one, other in zip(run(), expected, strict=True):
        xr.testing.assert_identical(one, other)


def test_a_pair_is_the_same_alone_and_among_others():
    data = tallies_of(random_tallies(13, items=40, systems=5))
    among = randomization_test(data, method="monte_carlo", rng=5)
    alone = randomization_test(data[:, [0, 3]], method="monte_carlo", rng=5)
    xr.testing.assert_identical(
        among["exceedances"].sel(system_a="A", system_b="D").drop_vars(["system_a", "system_b"]),
        alone["exceedances"].sel(system_a="A", system_b="D").drop_vars(["system_a", "system_b"]),
    )


def test_sampled_p_is_never_zero_and_its_seed_repeats_it():
    data = scores_of(np.ones(200), np.zeros(200))
    result = randomization_test(data, method="monte_carlo", shuffles=99)
    assert p_of(result) == 0.01
    assert p_of(result, "smallest_p") == 0.01
    again = randomization_test(data, method="monte_carlo", shuffles=99, rng=result.attrs["seed"])
    xr.testing.assert_identical(result, again)


def test_swap_by_document():
    values = random_tallies(14, items=24, systems=2)
    document = np.repeat([f"d{k}" for k in range(8)], 3)
    summed = values.reshape(8, 3, 2, 3).sum(1)
    by_document = randomization_test(tallies_of(values, document=document), unit="document")
    assert p_of(by_document) == p_of(randomization_test(tallies_of(summed)))
    assert p_of(by_document, "n") == 8
    scores = scores_of(*values[..., 0].T).assign_coords(document=("item", document))
    result = randomization_test(scores, unit="document")
    assert p_of(result) == p_of(randomization_test(scores_of(*summed[..., 0].T)))
    np.testing.assert_allclose(result["score"], scores.mean("item"))


def test_missing_scores_leave_their_pairs_alone():
    a, b, c = np.random.default_rng(15).integers(0, 4, (3, 20)).astype(float)
    b[3] = c[[3, 7]] = np.nan
    for method in ("exact", "monte_carlo"):
        result = randomization_test(scores_of(a, b, c), method=method, rng=1)
        keep = ~np.isnan(c) & ~np.isnan(a)
        alone = randomization_test(scores_of(a, np.where(keep, c, np.nan)), method=method, rng=1)
        assert result["p_value"].values[0, 2] == alone["p_value"].values[0, 1]
        assert result["n"].values.tolist() == [[20, 19, 18], [19, 19, 18], [18, 18, 18]]
        assert result["difference"].values[0, 2] == pytest.approx((a - c)[keep].mean())


def test_a_function_of_your_own():
    a, b = np.random.default_rng(16).integers(0, 5, (2, 13))
    data = scores_of(a, b)
    own = randomization_test(data, statistic=lambda x: x.mean(-1))
    assert p_of(own) == pytest.approx(p_of(randomization_test(data)), rel=1e-12)
    assert own.attrs["method"] == "enumeration"
    larger = tallies_of(random_tallies(17, items=20))

    def f1(x):
        tp, fp, fn = np.moveaxis(x.sum(1), -1, 0)
        return 2 * tp / (2 * tp + fp + fn)

    sampled = randomization_test(larger, statistic=f1, rng=2)
    assert sampled.attrs["statistic"] == "f1"
    same = randomization_test(larger, method="monte_carlo", rng=2)
    assert sampled["exceedances"].equals(same["exceedances"])


def test_confidence_and_more_shuffles():
    data = tallies_of(random_tallies(18, items=30, systems=6))
    result = randomization_test(data, method="monte_carlo", shuffles=2000, rng=1, cutoff=0.3)
    settled = (result["confidence"] >= 0.99) | (result["confidence"] <= 0.01)
    assert ((result["more_shuffles"] == 0) == settled).all()
    assert 0 < int(settled.sum()) < settled.size


def test_sequential_stop():
    data = tallies_of(random_tallies(19, items=30, systems=4))
    full = randomization_test(data, method="monte_carlo", shuffles=5000, rng=1)
    short = randomization_test(data, method="monte_carlo", shuffles=5000, rng=1, stop_after=20)
    stopped = short["shuffles"].values[np.triu_indices(4, 1)] < 5000
    assert stopped.any()
    assert (short["exceedances"].values[np.triu_indices(4, 1)][stopped] == 20).all()
    # relative error 1 / sqrt(20)
    error = np.sqrt(full["p_value"] * (1 - full["p_value"]) / 20 * full["p_value"])
    assert (
        np.abs(short["p_value"] - full["p_value"]) < 4 * error + 4 * full["p_value_mcse"] + 1e-9
    ).all()
    xr.testing.assert_identical(
        randomization_test(data, method="monte_carlo", shuffles=5000, rng=1, stop_after=10**6)[
            "p_value"
        ],
        full["p_value"],
    )


def test_sequential_stop_is_valid():
    """P(p <= alpha) <= alpha under the null, where p is (shuffles at the stop) in the
    denominator.
    """
    rng = np.random.default_rng(20)
    null = rng.random((4000, 1)) > rng.random((4000, 99))  # exceedances with a uniform true p
    reached = np.cumsum(null, axis=1) >= 10
    at = np.where(reached.any(1), reached.argmax(1) + 1, 0)
    p = np.where(at > 0, 10 / np.maximum(at, 1), (null.sum(1) + 1) / 100)
    for alpha in (0.05, 0.1, 0.2):
        assert (p <= alpha).mean() < alpha + 4 * np.sqrt(alpha * (1 - alpha) / 4000)


def test_max_t_is_step_down_over_the_same_swaps():
    data = tallies_of(random_tallies(21, items=12, systems=4))
    result = randomization_test(data, method="monte_carlo", shuffles=400, rng=4, correction="max_t")
    from betterthan.exact.swaps import randomization

    swaps = randomization.unpacked(next(randomization.random_swaps(12, 400, 4, 400)), 12)
    values, first, second = data.values, *np.triu_indices(4, 1)

    def f1(t):
        return 2 * t[..., 0] / np.maximum(2 * t[..., 0] + t[..., 1] + t[..., 2], 1)

    null = np.empty((400, 6))
    for n, (i, j) in enumerate(zip(first, second, strict=True)):
        m = swaps[:, :, None].astype(bool)
        one, other = (
            np.where(m, values[:, j], values[:, i]).sum(1),
            np.where(m, values[:, i], values[:, j]).sum(1),
        )
        null[:, n] = np.abs(f1(one) - f1(other))
    totals = f1(values.sum(0))
    scale = np.sqrt((null**2).mean(0))
    observed = np.abs(totals[first] - totals[second]) / scale
    null /= scale
    order = np.argsort(-observed)
    adjusted, least = np.empty(6), 0.0
    for rank, n in enumerate(order):
        reached = (null[:, order[rank:]].max(1) >= observed[n] - 1e-9).sum()
        least = max(least, (reached + 1) / 401)
        adjusted[n] = least
    np.testing.assert_allclose(result["p_adjusted"].values[first, second], adjusted)
    assert (result["p_adjusted"] >= result["p_value"] - 1e-12).all()


def test_tukey_is_every_permutation_within_items():
    values = random_tallies(22, items=4, systems=3)

    def f1(t):
        return 2 * t[..., 0] / np.maximum(2 * t[..., 0] + t[..., 1] + t[..., 2], 1)

    orders = list(itertools.permutations(range(3)))
    ranges = np.array(
        [
            np.ptp(f1(sum(values[k][list(order)] for k, order in enumerate(choice))))
            for choice in itertools.product(orders, repeat=4)
        ]
    )
    scores = f1(values.sum(0))
    exact = (ranges[:, None, None] >= np.abs(scores[:, None] - scores) - 1e-12).mean(0)
    result = randomization_test(tallies_of(values), correction="tukey", shuffles=20_000, rng=1)
    z = (result["p_adjusted"].values - exact) / np.sqrt(
        np.maximum(exact * (1 - exact), 1e-9) / 20_000
    )
    assert np.abs(z[~np.eye(3, dtype=bool)]).max() < 4


def test_two_systems_need_no_correction():
    data = tallies_of(random_tallies(23, items=12))
    for correction in ("holm", "bh"):
        result = randomization_test(data, correction=correction)
        assert result["p_adjusted"].equals(result["p_value"])
    joint = randomization_test(data, method="monte_carlo", correction="max_t", rng=1)
    np.testing.assert_allclose(joint["p_adjusted"], joint["p_value"])


def test_result_survives_netcdf():
    result = randomization_test(tallies_of(random_tallies(24)), correction="max_t", rng=1)
    back = xr.load_dataset(bytes(result.to_netcdf(engine="h5netcdf")), engine="h5netcdf")
    assert back.equals(result)
    assert json.dumps({k: v.item() if hasattr(v, "item") else v for k, v in back.attrs.items()})


def test_method_exact_refuses_what_it_cannot_hold(monkeypatch):
    from betterthan import names

    data = tallies_of(random_tallies(25, items=30))
    monkeypatch.setattr(names, "LATTICE_CELLS_MAX", 10)
    with pytest.raises(ValueError, match=r"the exact null would need [0-9,]+ cells of at most 10"):
        randomization_test(data, method="exact")
    result = randomization_test(data, rng=1)
    assert result.attrs["method"] == "monte_carlo"
    assert "cells of at most 10" in result.attrs["reason"]


def test_a_comparison_samples_where_exact_p_takes_long(monkeypatch):
    import betterthan as bt
    from betterthan import names

    values = np.random.default_rng(0).integers(0, 11, (20, 3)) / 10
    scores = xr.DataArray(
        values, dims=("item", "system"), coords={"system": list("abc"), "item": range(20)}
    )
    exact = bt.compare(scores)
    assert exact.attrs["randomization_method"] == "convolution"
    monkeypatch.setattr(names, "COMPARISON_WORK_MAX", 10)
    sampled = bt.compare(scores)
    assert sampled.attrs["randomization_method"] == "monte_carlo"
    assert "need more than 1e+01 additions" in sampled.attrs["randomization_reason"]
    assert randomization_test(scores).attrs["method"] == "convolution"


WRONG = random_tallies(26, items=30, labels=2)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"statistic": "f2"}, "statistic is 'f2'; choose one of mean"),
        ({"statistic": "mean"}, "needs scores; these are tallies"),
        ({"alternative": "two"}, "alternative is 'two'"),
        ({"method": "fast"}, "method is 'fast'"),
        ({"correction": "sidak"}, "correction is 'sidak'"),
        ({"cutoff": 1.0}, "cutoff is 1.0; give a number between 0 and 1"),
        ({"shuffles": 0}, "shuffles is 0; give a whole number of at least 1"),
        ({"beta": 2.0}, "beta=2 is for statistic='f_beta'"),
        ({"statistic": "f_beta", "beta": -1.0}, "beta is -1.0; give a positive number"),
        ({"statistic": "f_beta", "beta": "x"}, "beta is 'x'; give a positive number"),
        ({"method": "monte_carlo", "rng": "x"}, "rng is 'x'; give a whole number of at least 0"),
        ({"unit": "doc"}, "unit is 'doc'; give one of item"),
        ({"statistic": "macro_f1", "method": "exact"}, "30 items are more than the 16"),
        ({"stop_after": 5}, "the exact p is at hand"),
        ({"correction": "max_t", "alternative": "less"}, "is two-sided"),
        ({"correction": "max_t", "method": "monte_carlo", "stop_after": 5}, "needs every shuffle"),
        ({"statistic": lambda x: x.sum(), "rng": 1}, r"gave shape \(\) for responses of shape"),
        (
            {"statistic": lambda x: x.sum((1, 2, 3)) * np.nan, "rng": 1},
            "gave nan; it must be finite",
        ),
    ],
)
def test_bad_choices(choices, message):
    with pytest.raises(ValueError, match=message):
        randomization_test(tallies_of(WRONG), **choices)


def test_bad_data():
    values = WRONG.astype(float)
    for where, value, message in (
        ((3, 1, 0, 2), -1, "tally of item 3, system 'B', label 0, tally 'fn' is -1: negative"),
        (
            (3, 1, 0, 2),
            0.5,
            "is 0.5: fractional; give partial credit as whole numbers and their scale",
        ),
        ((3, 1, 0, 2), np.nan, "is nan: missing; every system needs tallies for every item"),
    ):
        broken = values.copy()
        broken[where] = value
        with pytest.raises(ValueError, match=message):
            randomization_test(tallies_of(broken))
    with pytest.raises(ValueError, match="needs tallies"):
        randomization_test(scores_of([1, 0], [0, 1]), statistic="f1")
    with pytest.raises(ValueError, match=r"accuracy needs scores of 0 and 1; one is 0\.5"):
        randomization_test(scores_of([1, 0.5], [0, 1]), statistic="accuracy")
    with pytest.raises(ValueError, match="macro_f1 is a mean over labels"):
        randomization_test(tallies_of(WRONG.sum(2)), statistic="macro_f1")
    with pytest.raises(ValueError, match="'A' and 'B' have no item in common"):
        randomization_test(scores_of([1, np.nan], [np.nan, 1]))
    gaps = scores_of([1, np.nan], [0, 1]).assign_coords(document=("item", ["d", "d"]))
    with pytest.raises(
        ValueError, match="item 'q1' has no score for 'A': swapping by document needs every score"
    ):
        randomization_test(gaps, unit="document")
    with pytest.raises(ValueError, match="tukey' needs a score of every system"):
        randomization_test(gaps, correction="tukey")


def test_results_share_nothing():
    data = scores_of([1, 0, 1], [0, 0, 1])
    first = randomization_test(data)
    first["system_a"].attrs["told"] = 1
    first["p_value"].values[:] = -1
    first.coords["system_b"] = ["x", "y"]
    again = randomization_test(data)
    assert again["system_a"].attrs == {}
    assert again["system_b"].values.tolist() == ["A", "B"]
    assert p_of(again) == 1


def pair_of(values):
    return xr.DataArray(values, {"system": ["A", "B"]}, ("item", "system"))


@pytest.mark.parametrize("higher", [True, False])
def test_the_difference_with_gaps_is_of_the_scores_as_they_stand(higher):
    scores = pair_of([[3.0, 1], [4, 2], [5, np.nan], [2, 2]])
    test = bt.randomization_test(scores.assign_attrs(higher_is_better=higher))
    assert test["difference"].sel(system_a="A", system_b="B") == 4 / 3


def test_items_that_one_system_lacks_do_not_differ():
    test = bt.randomization_test(pair_of([[1, 0]] * 3 + [[1, np.nan]] * 2))
    test = test.sel(system_a="A", system_b="B")
    assert (test["n"], test["n_differ"], test["smallest_p"]) == (3, 3, 0.25)


def test_p_of_a_stopped_pair_is_the_share_up_to_there():
    scores = pair_of(np.random.default_rng(1).random((40, 2)))
    test = bt.randomization_test(scores, method="monte_carlo", stop_after=5, rng=1)
    test = test.sel(system_a="A", system_b="B")
    assert test["exceedances"] == 5
    assert test["shuffles"] < 10_000
    assert test["p_value"] == test["exceedances"] / test["shuffles"]

"""The critical difference of a test set, and groups by the test that it comes from."""

import itertools

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact.swaps.corrections import critical_difference


def scores_of(values):
    systems = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(values, dims=("item", "system"), coords={"system": systems})


@pytest.fixture(scope="module")
def five():
    random = np.random.default_rng(0)
    return scores_of((random.random((100, 5)) < [0.5, 0.55, 0.6, 0.62, 0.8]).astype(float))


@pytest.fixture(scope="module")
def tukey(five):
    return bt.randomization_test(five, correction="tukey", cutoff=0.05, rng=1)


def test_it_is_the_quantile_of_all_permutations():
    """Three systems on four items: all 6**4 orders of the systems within items."""
    values = np.random.default_rng(5).random((4, 3))
    orders = list(itertools.permutations(range(3)))
    ranges = np.sort(
        [
            np.ptp(np.mean([row[list(order)] for row, order in zip(values, way, strict=True)], 0))
            for way in itertools.product(orders, repeat=4)
        ]
    )
    exact = ranges[int(np.ceil(0.9 * len(ranges))) - 1]
    test = bt.randomization_test(
        scores_of(values), correction="tukey", cutoff=0.1, shuffles=20_000, rng=2
    )
    error = float(test["critical_difference_mcse"])
    assert abs(float(test["critical_difference"]) - exact) <= 4 * error + 1e-12
    assert error < 0.05 * exact


def test_systems_differ_where_their_scores_are_further_apart(tukey):
    apart = abs(tukey["difference"]) > tukey["critical_difference"] + 1e-12
    differ = tukey["p_adjusted"] <= 0.05
    upper = np.triu_indices(5, 1)
    np.testing.assert_array_equal(apart.values[upper], differ.values[upper])
    assert 0 < differ.values[upper].sum() < 10


def test_it_is_in_units_of_the_statistic():
    """F1 and means in per cent: a hundred times the scores, a hundred times the difference."""
    random = np.random.default_rng(1)
    values = random.integers(0, 5, (40, 3)) / 4
    small, large = (
        bt.randomization_test(scores_of(scale * values), correction="tukey", rng=3)
        for scale in (1, 100)
    )
    assert 100 * small["critical_difference"] == pytest.approx(float(large["critical_difference"]))
    tallies = xr.DataArray(
        random.integers(0, 9, (40, 3, 3)),
        dims=("item", "system", "tally"),
        coords={"system": list("ABC"), "tally": ["tp", "fp", "fn"]},
    )
    of_f1 = bt.randomization_test(tallies, correction="tukey", rng=3)
    assert 0 < of_f1["critical_difference"] < 1


def test_of_two_systems_it_is_the_quantile_of_their_own_swaps():
    values = np.random.default_rng(2).random((10, 2))
    signs = np.array(list(itertools.product((-1, 1), repeat=10)))
    swapped = np.sort(abs(signs @ (values[:, 0] - values[:, 1])) / 10)
    exact = swapped[int(np.ceil(0.95 * len(swapped))) - 1]
    test = bt.randomization_test(
        scores_of(values), correction="tukey", cutoff=0.05, shuffles=20_000, rng=2
    )
    assert abs(float(test["critical_difference"]) - exact) <= 4 * test["critical_difference_mcse"]


def test_of_clusters_it_is_in_units_of_the_score(five):
    """Each item a cluster of its own: the same test; larger ones: p and difference agree."""
    by_item = bt.randomization_test(five, correction="tukey", cutoff=0.05, rng=1)
    single = five.assign_coords(cluster=("item", np.arange(100)))
    xr.testing.assert_allclose(
        bt.randomization_test(single, correction="tukey", cutoff=0.05, rng=1), by_item
    )
    clusters = five.assign_coords(cluster=("item", np.repeat(np.arange(20), [4, 6] * 10)))
    test = bt.randomization_test(clusters, correction="tukey", cutoff=0.05, rng=1)
    assert_differ_where_further_apart(test)


def test_scores_that_are_exactly_so_far_apart_do_not_differ():
    """Differences of right answers are whole numbers of items, and many are equal."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        values = random.random((60, 5)) < [0.75, 0.7, 0.55, 0.5, 0.45]
        assert_differ_where_further_apart(
            bt.randomization_test(
                scores_of(values * 1.0), correction="tukey", cutoff=0.05, shuffles=500, rng=2
            )
        )


def assert_differ_where_further_apart(test):
    apart = abs(test["difference"]) > test["critical_difference"]
    np.testing.assert_array_equal(apart.values, test["p_adjusted"].values <= 0.05)


def test_where_lower_scores_are_better_the_lowest_is_first(five):
    lower = five.assign_attrs(higher_is_better=0)
    in_blocks = lower.chunk(item=25)
    for test in (
        bt.randomization_test(lower, correction="tukey", rng=1),
        bt.randomization_test(lower),
        bt.randomization_test(in_blocks),
        bt.randomization_test(lower, statistic=lambda scores: np.median(scores, -1), rng=1),
    ):
        groups = bt.significance.groups(test)
        assert groups["score"].values.tolist() == sorted(test["score"].values)
        assert "Score (lower is better)" in " ".join(bt.report(groups).split())


def test_too_few_permutations_for_the_level():
    assert np.isnan(critical_difference(np.arange(50.0), 0.01)).all()
    assert critical_difference(np.arange(99.0), 0.01)[0] == 98


def test_groups_by_the_test_agree_with_it(tukey):
    groups = bt.significance.groups(tukey, cutoff=0.05, confidence=0.5)
    assert groups.attrs["correction"] == "tukey"
    square = dict.fromkeys(("system_a", "system_b"), groups["system"].values)
    expected = (tukey["p_adjusted"] > 0.05).sel(square) | np.eye(5, dtype=bool)
    np.testing.assert_array_equal(groups["similar"], expected)
    assert groups["critical_difference"] == tukey["critical_difference"]
    np.testing.assert_allclose(groups["p_adjusted"], tukey["p_adjusted"].sel(square))
    n = tukey.attrs["shuffles"]
    p = groups["p_adjusted"].values
    upper = np.triu_indices(5, 1)
    np.testing.assert_allclose(
        groups["p_adjusted_mcse"].values[upper], np.sqrt(p * (1 - p) / n)[upper], rtol=0.15
    )


def test_at_another_cutoff_the_difference_is_not_repeated(tukey):
    assert "critical_difference" not in bt.significance.groups(tukey, cutoff=0.01)


def test_by_its_permutations_only_where_there_are_some(five, tukey):
    with pytest.raises(ValueError, match="correction='tukey' needs the permutations"):
        bt.significance.groups(bt.randomization_test(five), correction="tukey")
    max_t = bt.significance.groups(bt.randomization_test(five, correction="max_t", rng=1))
    assert max_t.attrs["correction"] == "max_t"
    assert bt.significance.groups(tukey, correction="holm").attrs["correction"] == "holm"


def test_the_page_has_p_confidence_and_the_critical_difference(tukey):
    groups = bt.significance.groups(tukey, cutoff=0.05)
    text = " ".join(bt.report(groups).split())
    assert "Critical difference: 0.19. Two systems whose scores are no further apart" in text
    best, third = groups["system"].values[[0, 2]]
    pair = {"system_a": best, "system_b": third}
    assert f"{float(groups['p_adjusted'].sel(pair)):.3f}" in text
    assert "Below it: the confidence that the true p is at or below the cutoff" in text
    exact = bt.report(bt.significance.groups(bt.sign_test(bt.count(scores_of(np.eye(6))))))
    assert "Above the diagonal" in exact
    assert "Below it" not in exact


def test_the_figure_has_a_bar_for_each_group(tukey):
    groups = bt.significance.groups(tukey, cutoff=0.05)
    ax = bt.plot.cliques(groups)
    assert [t.get_text() for t in ax.get_yticklabels()] == groups["system"].values.tolist()
    bars = [set(line.get_ydata().astype(int).tolist()) for line in ax.lines]
    members = [set(np.flatnonzero(row).tolist()) for row in groups["member"].values.T]
    assert bars == [m for m in members if len(m) > 1]
    assert ax.get_title(loc="left").split()[-3:] == ["p", "≤", "0.05"]


def test_the_figure_of_printed_marks_joins_what_is_marked_both_ways():
    groups = bt.significance.groups(bt.datasets.muc6_similarity("template_element"))
    bars = bt.plot.cliques(groups).lines
    assert not any({6, 8} <= set(line.get_ydata().tolist()) for line in bars)

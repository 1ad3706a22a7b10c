"""The unit of evidence is the cluster, or the item with all its runs; one unit is one example."""

import re

import numpy as np
import pandas as pd
import pytest

import betterthan as bt
from tests.comparison.test_joint import scores

RIGHT = np.repeat(np.r_[np.ones(8), np.zeros(4)], 5)
RUNS = np.c_[RIGHT, 1 - RIGHT]


def better(found):
    return found["prob_better"].values[0, 1]


def test_identical_runs_say_no_more_than_one_each():
    once = bt.compare(scores(RUNS[::5]))
    runs = bt.compare(scores(RUNS, item=np.arange(60) // 5, epoch=np.arange(60) % 5))
    clusters = bt.compare(scores(RUNS, cluster=np.arange(60) // 5))
    assert better(once) == pytest.approx(0.867, abs=5e-4)
    # by t .8671384; truncated to differences of at most 1; of skewed items Hall's is less certain
    assert better(clusters) == pytest.approx(0.8648000828, abs=5e-10)
    assert better(runs) == pytest.approx(0.8427941439, abs=5e-10)
    assert runs["verdict"].values[0, 1] == clusters["verdict"].values[0, 1] == "undecided"
    with pytest.warns(UserWarning, match="come in clusters"):
        alone = bt.compare(scores(RUNS, cluster=np.arange(60) // 5), unit="item")
    assert better(alone) > 0.99


@pytest.mark.parametrize(
    "coords",
    [{"cluster": ["x"] * 60}, {"item": np.zeros(60), "epoch": np.arange(60)}],
    ids=["one cluster", "one item run 60 times"],
)
def test_one_unit_is_no_verdict(coords):
    data = scores(np.c_[np.ones(60), np.zeros(60)], **coords)
    found = bt.compare(data)
    assert found["verdict"].values[0, 1] == "no_data"
    assert "so there is only one independent observation" in found.statement()[0]
    advice = bt.advise(data)
    assert "which is one example" in advice.why
    assert bt.compare(data, method="advised")["verdict"].values[0, 1] == "no_data"


def test_counts_of_clusters_are_answered_on_clusters():
    data = scores(RUNS, cluster=np.arange(60) // 5)
    counted = bt.compare(bt.count(data, by="cluster"))
    assert better(counted) == pytest.approx(better(bt.compare(data)), rel=1e-12)
    assert counted.provenance.n_units == 12


def test_trials_are_answered_as_the_runs_they_sum():
    rng = np.random.default_rng(3)
    data = scores(
        rng.random((90, 3)) < [0.7, 0.5, 0.4], item=np.arange(90) // 3, epoch=np.arange(90) % 3
    )
    runs, trials = bt.compare(data), bt.compare(bt.counts.trials(data))
    np.testing.assert_allclose(runs["prob_better"].values, trials["prob_better"].values)
    np.testing.assert_allclose(runs["prob_better"].values, trials["prob_better"].values)


def test_advised_calls_do_not_fail_beyond_the_systems_a_model_takes():
    rng = np.random.default_rng(1)
    data = scores(rng.random((40, 33)) < 0.5, dataset=np.arange(40) // 20)
    advice = bt.advise(data)
    assert not advice.spec.fitted
    assert bt.compare(data, method="advised").provenance.n_items == 40


def test_the_pooling_of_data_sets_with_runs_is_told():
    runs = scores(
        RUNS, item=np.arange(60) // 5, epoch=np.arange(60) % 5, dataset=np.arange(60) // 30
    )
    assert "pools the 2 data sets" in bt.advise(runs).why
    assert "2 data sets are pooled" in " ".join(bt.compare(runs).provenance.notes)


def equal_in_units(rng, sets, units, size, alike):
    """Outcomes (set, unit, size) of equal systems, decisive with .4, alike within a unit."""
    own = rng.random((sets, units, size)) < np.sqrt(alike)
    side = np.where(own, rng.choice([-1, 1], (sets, units, 1)), rng.choice([-1, 1], own.shape))
    tells = np.where(own, rng.random((sets, units, 1)), rng.random(own.shape)) < 0.4
    return side * tells


@pytest.mark.parametrize(("units", "size", "alike"), [(5, 20, 0.6), (10, 5, 1.0), (20, 20, 0.3)])
def test_equal_systems_get_a_verdict_about_as_often_as_said(units, size, alike):
    """Student's t on units: about .10 at most; as independent examples up to .79."""
    from betterthan.exact.joint.units import differences

    rng = np.random.default_rng(units + size)
    net = equal_in_units(rng, 2000, units, size, alike).sum(2).T.astype(float)
    nothing, sizes = np.zeros(net.shape), np.full(net.shape, float(size))
    p = differences(net, sizes, nothing, sizes).prob_above()
    rate = ((p >= 0.95) | (p <= 0.05)).mean()
    assert rate < 0.12 + 2 * np.sqrt(0.1 * 0.9 / 2000)


def test_what_has_no_verdict_is_told_in_every_form():
    """A page without a difference has no figure of differences, and no posterior of items."""
    one = scores(np.random.default_rng(1).random((30, 3)) < 0.5, cluster=["x"] * 30)
    pair = bt.compare(scores(RUNS, cluster=np.arange(60) // 5))
    for form in ("text", "markdown", "latex", "html"):
        text = " ".join(bt.report(bt.compare(one), format=form).split())
        assert "all items belong to a single cluster" in text
    picture = re.compile("<(figure|div|section|table)[^>]*(picture|forest)")
    assert picture.search(bt.report(pair, format="html"))
    assert not picture.search(bt.report(bt.compare(one), format="html"))


@pytest.mark.parametrize("coords", [{}, {"cluster": np.arange(60) // 5}])
def test_fewer_errors_are_more_accuracy_on_items_and_on_units(coords):
    errors = np.random.default_rng(2).random((60, 3)) < [0.1, 0.4, 0.7]
    data = scores(errors, **coords).assign_attrs(higher_is_better=False)
    found = bt.compare(data)
    for name in ("difference_mean", "pairwise_difference_mean"):
        assert found[name].values[0, 2] > 0.3
    assert found["verdict"].values[0, 2] == found["pairwise_verdict"].values[0, 2] == "a_better"
    shown = str(found).split("betterthan 0")[0]
    assert "Error rate (lower is better): A" in shown  # of the scores, and never of a difference
    assert "lower is better" not in re.sub(r"Error rate(, | \()lower is better", "", shown)


def test_a_policy_for_ties_is_never_passed_over_on_units():
    data = scores(np.random.default_rng(4).random((60, 2)) < 0.6, cluster=np.arange(60) // 5)
    with pytest.raises(ValueError, match="ties='to_a' moves wins"):
        bt.compare(data, ties="to_a")
    with pytest.raises(ValueError, match="ties='all' tells every policy of independent items"):
        bt.compare(data, ties="all")
    runs = scores(np.arange(60 * 2).reshape(60, 2) % 3 < 1, epoch=np.arange(60) % 5)
    runs = runs.assign_coords(item=np.arange(60) // 5)
    for choice in ({"ties": "all"}, {"prior": "jeffreys"}):
        with pytest.raises(ValueError, match=r"of independent items.* repeated runs; "):
            bt.compare(runs, **choice)
    a, b = (better(bt.compare(data, ties=t, quantity="wins")) for t in ("to_a", "to_b"))
    assert a > better(bt.compare(data)) > b


@pytest.mark.parametrize("ties", ["to_a", "to_b", "drop", "half"])
def test_settled_ties_of_examples_are_no_unknown_counts_beside_those_of_clusters(ties):
    data = scores(np.random.default_rng(4).random((60, 2)) < 0.6, cluster=np.arange(60) // 5)
    found = bt.compare(data, ties=ties, quantity="wins")
    assert found["counts"]["outcome"].values.tolist() == ["win", "loss", "tie"]
    assert found["counts"].dtype.kind == "i"
    row = found.pairs.iloc[0]
    assert (row["wins"] + row["losses"], row["ties"]) == (row["n"], 0)
    assert "Wins Losses Ties" in " ".join(bt.report(found).split())


@pytest.mark.parametrize("items", [5, 10, 20, 40, 57, 80, 120])
def test_rare_large_differences_are_seldom_taken_for_equivalence(items):
    from betterthan.exact.joint.units import pair_means

    rng, wrong = np.random.default_rng(items), []
    for _ in range(40):  # the true mean difference is 0.054, outside of the ROPE of 0.05
        base = rng.choice([0.9, 1.0], (items, 1))
        scores = np.hstack([base, base - 0.9 * (rng.random((items, 99)) < 0.06)])
        pairs = pair_means(scores, np.ones_like(scores), np.arange(items), skewed=True)
        pairs = pairs.take(np.arange(99))  # of the first system with all others
        within = 1 - pairs.prob_above(0.05) - pairs.prob_below(-0.05)
        wrong.append((within >= 0.95).mean())
    assert np.mean(wrong) < 0.05


def unequal_runs(rng=1):
    """Items of 1 to 6 runs, easier the more runs they have; the runs of some are missing."""
    random = np.random.default_rng(rng)
    item = np.repeat(np.arange(25), 1 + np.arange(25) % 6)
    chance = np.stack([0.3 + 0.1 * (item % 6), 0.7 - 0.05 * (item % 6), 0.5 + 0 * item], axis=1)
    values = chance + random.normal(0, 0.3, (len(item), 3))
    values[random.random(values.shape) < 0.1] = np.nan
    epoch = np.concatenate([np.arange(n) for n in np.bincount(item)])
    return scores(values, item=item, epoch=epoch)


def item_means(data):
    values = data.to_pandas().groupby(data["item"].values).mean()
    return scores(values.values, item=values.index.values)


ON_ITEMS = {
    "sign test": lambda data: bt.sign_test(data)["p_value"],
    "randomization test": lambda data: bt.randomization_test(data, rng=1)["p_value"],
    "bootstrap": lambda data: bt.scores.bootstrap(data, rng=1)["prob_better"],
    "replication": lambda data: bt.plan.replication(data)["same"],
    "comparison": lambda data: bt.compare(data)["difference_lower"],
    "complete items": lambda data: bt.compare(data, missing="complete")["prob_better"],
}


@pytest.mark.parametrize("name", ON_ITEMS)
def test_an_item_counts_once_however_often_it_was_run(name):
    data = unequal_runs()
    if name == "bootstrap":  # which takes no missing scores
        data = data.fillna(0.0)
    answer = ON_ITEMS[name]
    np.testing.assert_allclose(answer(data).values, answer(item_means(data)).values, rtol=1e-9)


@pytest.mark.parametrize("name", ON_ITEMS)
def test_runs_have_no_order(name):
    data = unequal_runs()
    if name == "bootstrap":
        data = data.fillna(0.0)
    random = np.random.default_rng(2)
    moved = data.copy()
    for item in np.unique(data["item"].values):
        rows = np.flatnonzero(data["item"].values == item)
        for system in range(3):
            moved.values[rows, system] = data.values[random.permutation(rows), system]
    answer = ON_ITEMS[name]
    np.testing.assert_allclose(answer(moved).values, answer(data).values, rtol=1e-9)


def test_the_gate_and_the_comparison_agree_on_unequal_runs():
    data = unequal_runs()[:, :2].fillna(0.5)
    old, new = ({"score": data[:, k].values, "item": data["item"].values} for k in (0, 1))
    frames = [pd.DataFrame(side | {"epoch": data["epoch"].values}) for side in (old, new)]
    gate = bt.gate(*frames, margin=0.05)
    found = bt.compare(data)
    assert gate.evidence.difference == pytest.approx(
        -found["difference_mean"].values[0, 1], rel=1e-9
    )


def test_complete_items_are_counted_without_their_runs():
    data = unequal_runs()
    means = item_means(data)
    complete = int(means.notnull().all("system").sum())
    found = bt.compare(data, missing="complete")
    assert complete < 25
    assert set(found.pairs["n_units"]) == {complete}
    assert set(found.pairs["n_dropped"]) == {25 - complete}


def test_identical_runs_give_tests_no_more_than_one_each():
    once = scores(RUNS[::5], item=np.arange(12))
    runs = scores(RUNS, item=np.arange(60) // 5, epoch=np.arange(60) % 5)
    for test in (bt.sign_test, bt.randomization_test):
        assert test(runs)["p_value"].values[0, 1] == test(once)["p_value"].values[0, 1]
        assert test(runs, unit="item")["p_value"].values[0, 1] < 0.02


def test_tallies_of_runs_are_summed_within_items():
    frame = pd.DataFrame(
        [
            {"system": s, "item": k, "epoch": e, "tp": 3 + (k + n) % 3, "fp": k % 2, "fn": n}
            for n, s in enumerate("AB")
            for k in range(9)
            for e in range(4)
        ]
    )
    runs = bt.io.tallies_from_table(frame)
    once = bt.io.tallies_from_table(frame[frame.epoch == 0].drop(columns="epoch"))
    p = [bt.randomization_test(data)["p_value"].values for data in (runs, once)]
    np.testing.assert_allclose(*p, rtol=1e-12)


def test_a_margin_of_repeated_runs_decides_by_wins_of_their_means():
    values = (np.random.default_rng(3).random((200, 2)) < [0.6, 0.5]).astype(float)
    runs = scores(values, item=np.arange(200) // 5, epoch=np.arange(200) % 5)
    found, means = bt.compare(runs, margin=0.3), bt.compare(item_means(runs), margin=0.3)
    assert found.provenance.quantity == "wins"
    for name in ("prob_better", "difference_lower", "counts"):
        np.testing.assert_array_equal(found[name].values, means[name].values)
    assert better(found) != pytest.approx(better(bt.compare(runs)), abs=1e-3)

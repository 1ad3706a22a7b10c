"""compare(over="dataset"): the average over data sets."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.comparison.averages import average_of_means
from betterthan.exact.joint.units import differences

TASKS = np.array([[14, 2, 14], [120, 140, 340], [30, 20, 40], [9, 4, 7]])
EQUAL = [
    *("prob_better", "difference_mean", "difference_lower", "difference_upper", "mass"),
    *("score", "score_lower", "score_upper"),
]


def counts(tasks=TASKS):
    return xr.DataArray(
        tasks[:, None],
        dims=("dataset", "pair", "outcome"),
        coords={
            "dataset": [f"task {k}" for k in range(len(tasks))],
            "outcome": ["win", "loss", "tie"],
            "system_a": ("pair", ["A"]),
            "system_b": ("pair", ["B"]),
        },
    )


def items_of(tasks=TASKS, over="dataset"):
    """Scores of 0 and 1 with these wins, losses and ties."""
    rows, label = [], []
    for k, (win, loss, tie) in enumerate(tasks):
        rows += [(1, 0)] * win + [(0, 1)] * loss + [(1, 1)] * tie
        label += [f"task {k}"] * int(win + loss + tie)
    coords = {"system": ["A", "B"], over: ("item", label)}
    return xr.DataArray(np.array(rows, dtype=float), dims=("item", "system"), coords=coords)


def scores(sizes, systems=2, *, graded=False, cluster=None, seed=0):
    rng, n = np.random.default_rng(seed), sum(sizes)
    values = (rng.random((n, 1)) * 0.6 + rng.random((n, systems)) * 0.4 < 0.5).astype(float)
    values += rng.normal(0, 0.3, values.shape) * graded
    label = np.repeat([f"d{k}" for k in range(len(sizes))], sizes)
    coords = {"system": [f"s{k}" for k in range(systems)], "dataset": ("item", label)}
    if cluster:
        coords["cluster"] = "item", [f"{d} {k // cluster}" for k, d in enumerate(label)]
    return xr.DataArray(values, dims=("item", "system"), coords=coords)


def drawn(tasks, weights, draws=1_000_000):
    """Draws of the average: an item of n counts (n - 1) / (n + 1), each task has its weight of the
    uniform prior, and varies by (n^2 + 1) / (n^2 - 1) more.
    """
    rng, total = np.random.default_rng(0), 0.0
    for counted, weight in zip(np.asarray(tasks, float), weights, strict=True):
        n = counted.sum()
        cells = counted * (n - 1) / (n + 1) + weight
        total_cells = (cells.sum() + 1) * (n**2 - 1) / (n**2 + 1) - 1
        win, loss, _ = rng.dirichlet(cells / cells.sum() * total_cells, draws).T
        total = total + weight * (win - loss)
    return total


@pytest.mark.parametrize("data", [counts(), items_of()], ids=["counts", "items"])
@pytest.mark.parametrize("weights", [None, "size"])
def test_the_average_of_four_tasks_is_that_of_their_draws(data, weights):
    size = TASKS.sum(1)
    average = bt.compare(data, over="dataset", weights=weights, rope=0.05)
    draws = drawn(TASKS, np.full(4, 0.25) if weights is None else size / size.sum())
    np.testing.assert_allclose(average["difference_mean"].values[0, 1], draws.mean(), atol=3e-4)
    for name, at, rate in (
        ("prob_better", (0, 1), (draws > 0).mean()),
        ("mass", (0, 1, 2), (draws > 0.05).mean()),
    ):
        np.testing.assert_allclose(average[name].values[at], rate, atol=0.002)
    low, high = (average[f"difference_{k}"].values[0, 1] for k in ("lower", "upper"))
    assert ((low < draws) & (draws < high)).mean() == pytest.approx(0.95, abs=0.001)


def test_the_answer_next_to_an_average_is_of_all_items_pooled():
    average = bt.compare(counts(), over="dataset")
    by_size = bt.compare(counts(), over="dataset", weights="size")
    np.testing.assert_allclose(average["prob_better_by_size"], by_size["prob_better"])
    np.testing.assert_allclose(average["prob_better_pooled"].values[0, 1], 0.647859616, atol=5e-10)


@pytest.mark.parametrize(("sets", "items"), [(57, 5), (20, 5), (100, 2)])
def test_priors_of_many_small_data_sets_do_not_add_up(sets, items):
    """With a uniform prior of each data set, hardly one of these intervals contained the truth."""
    rng, low, high = np.random.default_rng(1), [], []
    label = np.repeat([f"d{k}" for k in range(sets)], items)
    for _ in range(12):
        values = rng.random((sets * items, 2)) < [0.85, 0.5]
        coords = {"system": ["A", "B"], "dataset": ("item", label)}
        data = xr.DataArray(values.astype(float), dims=("item", "system"), coords=coords)
        answer = bt.compare(data, over="dataset", tests="sign")
        a, b = answer["score"].values
        assert answer["difference_mean"].values[0, 1] == pytest.approx(a - b, abs=0.03)
        assert (answer["score_lower"] < answer["score"]).all()
        assert (answer["score"] < answer["score_upper"]).all()
        for ends, name in ((low, "lower"), (high, "upper")):
            ends.append(answer[f"difference_{name}"].values[0, 1])
    assert sum(a < 0.35 < b for a, b in zip(low, high, strict=True)) >= 10


def test_joint_differences_of_many_small_data_sets_contain_those_observed():
    rng, label = np.random.default_rng(2), np.repeat([f"d{k}" for k in range(30)], 5)
    coords = {"system": ["A", "B", "C"], "dataset": ("item", label)}
    values = rng.random((150, 3)) < [0.9, 0.7, 0.4]
    data = xr.DataArray(values.astype(float), dims=("item", "system"), coords=coords)
    answer = bt.compare(data, over="dataset", tests="sign", rng=1)
    observed = answer["score"].values[:, None] - answer["score"].values
    assert (answer["difference_lower"].values <= observed).all()
    assert (observed <= answer["difference_upper"].values).all()


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("cluster", [None, 4])
@pytest.mark.parametrize("systems", [2, 4])
def test_one_data_set_is_ordinary_compare(graded, cluster, systems):
    data = scores([60], systems, graded=graded, cluster=cluster)
    one, ordinary = bt.compare(data, over="dataset", rng=1), bt.compare(data, rng=1)
    for name in EQUAL:
        np.testing.assert_allclose(one[name], ordinary[name], atol=1e-12)
    assert "nothing is averaged" in "".join(one.provenance.notes)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("cluster", [None, 4])
def test_exchanging_systems_mirrors(graded, cluster):
    data = scores([20, 60, 40], graded=graded, cluster=cluster)
    first = bt.compare(data, over="dataset")
    second = bt.compare(data, over="dataset", systems=["s1", "s0"])
    pair = {"system_a": "s0", "system_b": "s1"}
    back = {"system_a": "s1", "system_b": "s0"}
    for name in ("prob_better", "difference_lower", "difference_upper", "verdict"):
        for places in (pair, back):
            one, two = first.data[name].sel(places), second.data[name].sel(places)
            if name == "verdict":
                swapped = {"a_better": "b_better", "b_better": "a_better"}
                assert str(one.values) == str(two.values) or str(one.values) in swapped
            else:
                np.testing.assert_allclose(one, two, atol=1e-8)
    better = first["prob_better"]
    np.testing.assert_allclose(better.sel(pair) + better.sel(back), 1, atol=1e-12)


def test_an_average_of_means_has_the_degrees_of_freedom_of_welch():
    """Of two data sets, each counted once, it is Welch's test of one against minus the other."""
    random = np.random.default_rng(3)
    first, second = random.normal(0.2, 1, (8, 1)), random.normal(0.3, 3, (30, 1))
    parts = [
        differences(x, np.ones_like(x), np.zeros_like(x), np.ones_like(x), skewed=False)
        for x in (first, second)
    ]
    law = average_of_means(parts, np.array([0.5, 0.5]))
    welch = stats.ttest_ind(first[:, 0], -second[:, 0], equal_var=False)
    assert law.df[0] == pytest.approx(welch.df)
    assert 2 * law.prob_below()[0] == pytest.approx(welch.pvalue)
    ends = np.array(welch.confidence_interval(0.95)) / 2
    np.testing.assert_allclose(np.ravel(law.interval(0.95)), ends)
    alone = average_of_means(parts, np.array([0.0, 1.0]))
    assert alone.prob_above()[0] == pytest.approx(parts[1].prob_above()[0])


def test_graded_scores_average_students_t_of_each_data_set():
    data = scores([20, 60, 40], graded=True, cluster=4)
    average = bt.compare(data, over="dataset", weights={"d0": 1, "d1": 2, "d2": 1})
    at = {"system_a": "s0", "system_b": "s1"}
    parts = [bt.compare(data.sel(item=data["dataset"] == label)) for label in ("d0", "d1", "d2")]
    mean, error, df = (
        np.array([float(part[f"difference_{k}"].sel(at)) for part in parts])
        for k in ("mean", "error", "df")
    )
    squares, weights = (error * [0.25, 0.5, 0.25]) ** 2, [0.25, 0.5, 0.25]
    law = stats.t(
        squares.sum() ** 2 / (squares**2 / df).sum(), mean @ weights, squares.sum() ** 0.5
    )
    assert float(average["prob_better"].sel(at)) == pytest.approx(law.sf(0))
    ends = [float(average[f"difference_{k}"].sel(at)) for k in ("lower", "upper")]
    np.testing.assert_allclose(ends, law.interval(0.95))


def test_data_sets_on_two_scales_have_one_average_in_any_order():
    """Right or wrong, and scores up to 100: the range of the average is not that of the first."""
    random = np.random.default_rng(1)
    right = (random.random((40, 2)) < [0.6, 0.5]).astype(float)
    graded = np.round(random.normal(60, 10, (40, 1)) + random.normal([8, 0], 8, (40, 2)), 1)
    coords = {"system": ["A", "B"], "item": [f"q{k}" for k in range(80)]}

    def average(parts, labels):
        data = xr.DataArray(np.concatenate(parts), dims=("item", "system"), coords=coords)
        return bt.compare(
            data.assign_coords(dataset=("item", np.repeat(labels, 40))), over="dataset"
        )

    one, other = average([right, graded], ["em", "bleu"]), average([graded, right], ["bleu", "em"])
    for name in ("prob_better", "difference_upper", "score_lower", "score_upper"):
        np.testing.assert_allclose(one[name], other[name], rtol=1e-10)
    gap = (right[:, 0] - right[:, 1]), (graded[:, 0] - graded[:, 1])
    middle = sum(x.mean() for x in gap) / 2
    assert float(one["difference_upper"].values[0, 1]) > middle > 1


@pytest.mark.parametrize("ahead", [(0.1, 0.2), (0.1, -0.2)])
def test_data_sets_in_which_all_units_are_alike_are_won_or_lost(ahead):
    random = np.random.default_rng(1)
    base = np.round(random.uniform(0, 0.7, 40), 2)
    values = np.stack([base + np.repeat(ahead, 20), base], axis=1)
    coords = {"system": ["A", "B"], "dataset": ("item", np.repeat(["d1", "d2"], 20))}
    data = xr.DataArray(values + 0.25, dims=("item", "system"), coords=coords)
    better = float(bt.compare(data, over="dataset", quantity="mean")["prob_better"].values[0, 1])
    assert better > 0.999 if ahead[1] > 0 else better == 0.5


def test_scores_of_systems_are_averaged():
    data = items_of()
    average = bt.compare(data, over="dataset")
    share = data.groupby("dataset").mean("item").mean("dataset")
    np.testing.assert_allclose(average["score"].sel(system=["A", "B"]), share, atol=1e-12)
    assert "n_right" not in average.data
    np.testing.assert_array_equal(average["counts_dataset"].values[:, 0, 1], TASKS)


def test_several_systems_have_a_joint_posterior_of_averages():
    data = scores([60, 200, 40], 3)
    data[:, 2] = data[:, 0]  # a copy, which ties on every item
    average = bt.compare(data, over="dataset")
    assert average.provenance.joint_model
    np.testing.assert_allclose(average["prob_best"].sum(), 1)
    pairs = bt.compare(data, over="dataset", systems=["s0", "s1"])["prob_better"]
    alone = average["pairwise_prob_better"]
    at = {"system_a": "s0", "system_b": "s1"}
    np.testing.assert_allclose(alone.sel(at), pairs.sel(at), atol=1e-12)
    np.testing.assert_allclose(alone.sel({"system_a": "s0", "system_b": "s2"}), 0.5, atol=1e-9)


def test_a_column_of_another_name_and_a_sequence_of_weights():
    data = items_of(over="language")
    average = bt.compare(data, over="language", weights=[1, 1, 1, 1])
    by_name = bt.compare(items_of(), over="dataset")
    np.testing.assert_array_equal(average["prob_better"], by_name["prob_better"])
    assert "values of language" in " ".join(average.statement())


def test_the_answer_says_what_was_averaged(tmp_path):
    average = bt.compare(items_of(), over="dataset")
    text = str(average)
    assert "The answer is the average over 4 data sets, each counted once." in text
    assert "0.648 with all items pooled" in text
    assert "Data set   Items   Wins   Losses   Ties" in text
    assert "over=dataset, each counted once" in text
    for form in ("html", "markdown", "latex", "sentence", "pull-request"):
        written = average.report(format=form)
        assert re.search("averaged? over 4 data sets", " ".join(written.split()))
    average.save(tmp_path / "average.nc")
    again = bt.load(tmp_path / "average.nc")
    assert str(again) == text


def test_items_that_are_alike_in_one_data_set_do_not_make_certain():
    data = scores([20, 60, 40], cluster=4)
    first = (data["dataset"] == "d0").values[:, None]
    same = data.copy(data=np.where(first, [[1.0, 0.0]], data))
    average = bt.compare(same, over="dataset")
    assert "differ by the same on every unit" in " ".join(average.provenance.notes)
    assert np.isfinite(average["difference_lower"].values[0, 1])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"over": "task"}, "over='task' is not a column of the items; choose one of dataset"),
        ({"over": 3}, "over is 3; pass the name of a column"),
        ({"weights": "size"}, "weights are of data sets; also pass over='dataset'"),
        ({"over": "dataset", "weights": "n"}, "weights is 'n'"),
        ({"over": "dataset", "weights": {"task 0": 1}}, "weights lack dataset 'task 1'"),
        ({"over": "dataset", "weights": {"copa": 1}}, "weights name 'copa', which is no dataset"),
        ({"over": "dataset", "weights": [1, 2]}, "weights hold 2 numbers for 4 values"),
        ({"over": "dataset", "weights": [1, -1, 1, 1]}, "give numbers of at least 0"),
        ({"over": "dataset", "weights": [0, 0, 0, 0]}, "that sum to more than 0"),
        ({"over": "dataset", "weights": 3}, "weights is 3; pass None"),
        ({"over": "dataset", "ties": "half"}, "ties='half' is without over="),
        ({"over": "dataset", "method": "mcmc"}, "method='mcmc' is without over="),
        ({"over": "dataset", "prior": "haldane"}, "prior='haldane' is below 0.5"),
        ({"over": "dataset", "prior": "skeptical"}, "prior='skeptical' is of one data set"),
    ],
)
def test_choices_that_do_not_fit_are_refused(choices, message):
    with pytest.raises(ValueError, match=rf"^[^\n]*{re.escape(message)}[^\n]*$"):
        bt.compare(items_of(), **choices)


def test_items_that_lack_a_score_are_left_out_of_clusters():
    right = (np.random.default_rng(0).random((40, 2)) < [0.5, 0.7]).astype(float)
    right[3, 0] = np.nan
    coords = {"system": ["old", "new"], "item": [f"q{k}" for k in range(40)]}
    coords["dataset"] = "item", np.repeat(["x", "y"], 20)
    coords["cluster"] = "item", [f"doc{k // 4}" for k in range(40)]
    data = xr.DataArray(right, dims=("item", "system"), coords=coords)
    complete = bt.compare(data, over="dataset", missing="complete")
    without = bt.compare(data.isel(item=[k for k in range(40) if k != 3]), over="dataset")
    np.testing.assert_array_equal(complete["prob_better"], without["prob_better"])


def test_a_column_that_no_item_has_is_refused():
    data = items_of().drop_vars("dataset")
    with pytest.raises(ValueError, match="give items such a coordinate, or a table such a column"):
        bt.compare(data, over="language")
    with pytest.raises(ValueError, match="has no column 'language' among 'item', 'A', 'B'"):
        bt.compare(data.to_pandas(), over="language")


@pytest.mark.parametrize("column", ["dataset", "benchmark", "task", "cluster of tasks"])
def test_over_names_the_column_of_data_sets_in_a_table(column):
    data = items_of()
    frame = data.to_pandas().assign(**{column: data["dataset"].values}).reset_index()
    average = bt.compare(frame, over=column)
    np.testing.assert_array_equal(
        average["prob_better"], bt.compare(data, over="dataset")["prob_better"]
    )


def test_data_that_cannot_be_averaged_are_refused():
    data = items_of()
    single = data.isel(item=[*range(60), *range(30, 31)][:31])
    with pytest.raises(ValueError, match="dataset 'task 1' has one item"):
        bt.compare(single, over="dataset")
    absent = data.where((data["dataset"] != "task 3") | (data["system"] == "A"))
    with pytest.raises(ValueError, match="dataset 'task 3' has no scores of B"):
        bt.compare(absent, over="dataset")
    shared = data.assign_coords(cluster=("item", [str(k % 50) for k in range(data.sizes["item"])]))
    with pytest.raises(ValueError, match="is in dataset 'task 0' and 'task 1'"):
        bt.compare(shared, over="dataset")
    one = data.assign_coords(cluster=("item", data["dataset"].values))
    with pytest.raises(ValueError, match="has one cluster"):
        bt.compare(one, over="dataset")


def test_what_is_of_pooled_counts_is_not_computed():
    average = bt.compare(items_of(), over="dataset")
    assert "outlook" not in average.report(format="text").lower()
    with pytest.raises(ValueError, match="no draws of counts"):
        average.to_datatree()
    with pytest.raises(ValueError, match="average over data sets, whose counts"):
        bt.plot.simplex(average)


def test_data_sets_with_clusters_are_advised_and_refusals_name_the_call():
    data = scores([20, 60, 40], cluster=4)
    advice = bt.advise(data)
    assert advice.call == 'betterthan.compare(data, over="dataset")'.replace('"', "'")
    assert "each of the 3 data sets counts once" in advice.why
    with pytest.raises(ValueError, match=r"compare\(data, over='dataset'\)"):
        bt.plan.micro_macro(data, by="dataset")
    with pytest.raises(ValueError, match=r"compare\(data, over='dataset'\)"):
        bt.models.hierarchical.build(bt.count(data, by="dataset"))


def test_counts_are_within_each_combination_of_two_columns():
    data = items_of()
    language = np.where(np.arange(data.sizes["item"]) % 3, "de", "en")
    data = data.assign_coords(language=("item", language))
    both = bt.count(data, by=["dataset", "language"])
    assert both.dims[:2] == ("dataset", "language")
    xr.testing.assert_equal(both.sum("language"), bt.count(data, by="dataset"))
    at = {"dataset": "task 1", "language": "de"}
    rows = (data["dataset"] == "task 1") & (data["language"] == "de")
    np.testing.assert_array_equal(both.sel(at), bt.count(data.sel(item=rows)))
    with pytest.raises(ValueError, match="no item coordinate 'task'"):
        bt.count(data, by=["dataset", "task"])


def test_a_column_language_is_one_of_data_sets(tmp_path):
    rows = ["item,language,A,B"]
    rows += [f"{k},{lang},{k % 2},{int(k % 3 == 0)}" for lang in ("de", "en") for k in range(6)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    data = bt.read(path)
    assert set(data["dataset"].values) == {"de", "en"}
    assert bt.compare(path, over="dataset").provenance.over == "dataset, each counted once"


def test_a_data_set_of_weight_0_does_not_count():
    for data in (items_of(), scores([30, 60, 40, 20], graded=True)):
        labels = list(dict.fromkeys(data["dataset"].values.tolist()))
        some = bt.compare(data, over="dataset", weights=[1, 0, 1, 1])
        without = bt.compare(data.sel(item=data["dataset"] != labels[1]), over="dataset")
        for name in EQUAL[:4]:
            np.testing.assert_allclose(some[name], without[name], atol=1e-9)


def test_unknown_ties_are_refused():
    decisive = counts().isel(outcome=slice(2))
    with pytest.raises(
        ValueError, match="over='dataset' averages differences, which need the number of"
    ):
        bt.compare(decisive, over="dataset")


def test_scores_missing_with_the_difficulty_of_the_items_are_refused():
    """B lacks half of the items that it has wrong: of two equal systems it would look better."""
    rng = np.random.default_rng(1)
    right = (rng.logistic(size=(600, 2)) < rng.normal(0, 2, (600, 1))).astype(float)
    lacks = (right[:, 1] == 0) & (rng.random(600) < 0.6)
    right[lacks, 1] = np.nan
    coords = {"system": ["A", "B"], "dataset": ("item", np.repeat(["x", "y", "z"], 200))}
    scores = xr.DataArray(right, dims=("item", "system"), coords=coords)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="scores of B are missing with the difficulty"):
            bt.compare(scores, over="dataset")
        assert bt.compare(scores, over="dataset", missing="wrong")["n"].values[0, 1] == 600


def test_complete_items_are_those_of_the_data_set():
    scores = items_of()
    scores[[0, 15, 20, 40, 200, 700], 0] = np.nan
    chosen = bt.compare(scores, over="dataset", missing="complete").data
    whole = bt.compare(scores.dropna("item"), over="dataset").data
    for name in EQUAL:
        np.testing.assert_array_equal(chosen[name].values, whole[name].values)
    scores[:30, 0] = np.nan
    message = "dataset 'task 0' has no item with a score of every system"
    with pytest.raises(ValueError, match=message):
        bt.compare(scores, over="dataset", missing="complete")


def test_other_missing_scores_are_warned_of_in_the_answer():
    rng = np.random.default_rng(2)
    right = (rng.random((90, 2)) < 0.6).astype(float)
    right[rng.choice(90, 5, replace=False), 0] = np.nan
    coords = {"system": ["A", "B"], "dataset": ("item", np.repeat(["x", "y", "z"], 30))}
    answer = bt.compare(xr.DataArray(right, dims=("item", "system"), coords=coords), over="dataset")
    lines = answer.statement()
    assert "if the missing scores are missing at random" in lines[0]
    assert any(line.startswith("! Missing data: 5 scores are missing.") for line in lines)


def with_a_gap(systems):
    """A large data set on which systems hardly differ, with a missing score, and a small one."""
    right = {"new": (5, 10), "old": (5, 3), "mid": (6, 1)}
    columns = [
        np.r_[np.arange(100) % 10 < right[name][0], np.arange(10) < right[name][1]]
        for name in systems
    ]
    values = np.stack(columns, axis=1).astype(float)
    values[0, 0] = np.nan
    coords = {"system": systems, "dataset": ("item", ["big"] * 100 + ["small"] * 10)}
    return xr.DataArray(values, dims=("item", "system"), coords=coords)


def test_scores_on_shared_items_are_averaged_as_the_difference_is():
    scores = with_a_gap(["new", "old"])
    answer = bt.compare(scores, over="dataset")
    text = " ".join(answer.statement())
    # of 99 and 10 shared items: (49 / 99 + 1) / 2 and (49 / 99 + 0.3) / 2
    assert f"new {(49 / 99 + 1) / 2:.3f}, old {(49 / 99 + 0.3) / 2:.3f}" in text
    assert "holds for every value" not in bt.report(answer)


@pytest.mark.parametrize("missing", ["pairwise", "complete", "wrong"])
def test_an_average_of_many_systems_is_called_one_next_to_a_warning(missing):
    scores = with_a_gap(["new", "old", "mid"])
    text = " ".join(bt.compare(scores, over="dataset", missing=missing).statement())
    assert "The answer is the average over 2 data sets" in text
    assert ("1 score is missing" in text) == (missing == "pairwise")


def translated(rng, *, alike, n=40, languages=5):
    """Two equal systems on items of the same ids in each language, translated or not."""
    shared = rng.random((n, 2)) < 0.5
    parts = []
    for k in range(languages):
        own = np.where(rng.random((n, 2)) < alike, shared, rng.random((n, 2)) < 0.5)
        parts.append(pd.DataFrame(own.astype(int), columns=["A", "B"]))
        parts[-1] = parts[-1].assign(item=[f"q{i}" for i in range(n)], dataset=f"language {k}")
    return pd.concat(parts, ignore_index=True)


def test_translations_of_items_are_warned_of_and_items_of_the_same_number_are_not():
    rng, note = np.random.default_rng(1), "! Items of one id are alike in several data sets (p "
    table = translated(rng, alike=0.9)
    for choices in ({}, {"over": "dataset"}):
        answer = bt.compare(bt.read(table), **choices)
        assert note in " ".join(answer.provenance.unit_notes)
        assert note in " ".join(str(answer).split())
        for _ in range(20):
            answer = bt.compare(bt.read(translated(rng, alike=0.0)), **choices)
            assert note not in " ".join(answer.provenance.unit_notes)
    runs = pd.concat([table.assign(epoch=1), table.assign(epoch=2)])
    assert note in " ".join(str(bt.compare(bt.read(runs))).split())
    unlike = translated(rng, alike=0.0)
    runs = pd.concat([unlike.assign(epoch=1), unlike.assign(epoch=2)])
    assert note not in " ".join(str(bt.compare(bt.read(runs))).split())
    clustered = bt.read(table.assign(cluster=table["item"]))
    assert note not in " ".join(str(bt.compare(clustered)).split())
    once = table[table["dataset"] == "language 0"]
    copied = pd.concat([once, once.assign(dataset="again")])
    assert note in " ".join(str(bt.compare(bt.read(copied))).split())
    tied = copied.assign(B=copied["A"])  # which shows nothing of either system
    assert note not in " ".join(str(bt.compare(bt.read(tied))).split())
    apart = table.assign(item=table["dataset"] + table["item"])
    assert note not in " ".join(str(bt.compare(bt.read(apart))).split())


def test_a_few_shared_differences_are_no_copies():
    """Systems that rarely differ: one id on which they do in two data sets has a tiny p."""
    rng, warned = np.random.default_rng(1), 0
    for _ in range(100):
        same = rng.random((200, 1)) < 0.7
        values = np.where(rng.random((200, 2)) < 0.02, ~same, same).astype(int)
        frame = pd.DataFrame(values, columns=["A", "B"])
        frame = frame.assign(item=np.arange(200) % 100, dataset=np.arange(200) // 100)
        warned += "are alike in several" in str(bt.compare(frame))
    assert warned == 0


def test_translations_are_warned_of_by_other_answers_on_scores():
    rng, note = np.random.default_rng(1), "Items of one id are alike in several data sets"
    for alike in (0.9, 0.0):
        table = translated(rng, alike=alike)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            bt.scores.compare(bt.read(table), rng=1, draws=200, shuffles=200)
        assert any(note in str(one.message) for one in caught) == (alike > 0)
        sides = (table[[name, "item", "dataset"]].rename(columns={name: "score"}) for name in "AB")
        assert (note in " ".join(str(bt.gate(*sides, margin=0.3)).split())) == (alike > 0)


def test_over_is_another_column_than_that_of_data_sets():
    data = items_of()
    frame = data.to_pandas().assign(benchmark=data["dataset"].values).reset_index()
    with pytest.raises(ValueError, match="'language' is not a column of the items; choose one of"):
        bt.compare(frame, dataset="benchmark", over="language")

"""Noise of runs and of items, one system against itself, plans of runs, and their figures."""

import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import betterthan as bt
from betterthan.counts.runs import RunSums, successes_of
from betterthan.exact.runs import best_runs_range, share_of_runs, spread_of_runs, variances
from betterthan.plot import plans
from betterthan.results import numbers
from tests.runs.test_reliability import ANTE, FACTORY, simulated, terminalbench, trials  # noqa: F401


@pytest.fixture(scope="module")
def scores():
    """Scores of 40 items in 4 runs, graded."""
    random = np.random.default_rng(6)
    rows = pd.MultiIndex.from_product([[f"q{k}" for k in range(40)], range(1, 5)])
    item = np.repeat(random.normal(0, 1, 40), 4)
    table = pd.DataFrame({"item": rows.get_level_values(0), "epoch": rows.get_level_values(1)})
    noise = random.normal(0, [0.5, 0.8], (160, 2))
    return bt.read(table.assign(A=item + noise[:, 0], B=0.9 * item + noise[:, 1] - 0.1))


def test_errors_are_those_of_items_and_of_runs(terminalbench):  # noqa: F811
    many = terminalbench["trials"].sum("item") >= 5 * 85
    result = bt.runs.noise(terminalbench.isel(system=many.values))
    assert result.data.sizes["system"] == 60
    error, of_runs_only = (result[k].values for k in ("error", "error_of_runs"))
    np.testing.assert_allclose(np.median(error), 0.0427, atol=5e-5)
    np.testing.assert_allclose(np.median(of_runs_only), 0.0141, atol=6e-5)
    assert np.median(error / of_runs_only) == pytest.approx(2.93, abs=0.005)


def test_errors_of_differences_and_best_runs_have_the_reference_values(terminalbench):  # noqa: F811
    share = terminalbench["successes"].sum("item") / terminalbench["trials"].sum("item")
    top = share.to_series().sort_values(ascending=False).index[:6].tolist()
    result = bt.runs.noise(terminalbench.sel(system=top))
    pairs = result.pairs
    assert pairs["difference_error"].median() == pytest.approx(0.0339, abs=5e-5)
    item, run = pairs["difference_item_variance"].median(), None
    plan = bt.plan.runs(terminalbench, systems=top, cost_item=1, cost_run=1)
    run = np.median(plan["run_variance"].values[np.triu_indices(6, 1)])
    for cost, best in ((1, 1.69), (4, 3.39), (25, 8.46)):
        of = bt.plan.runs(item_variance=item, run_variance=run, cost_item=cost, cost_run=1)
        assert float(of["best"]) == pytest.approx(best, abs=0.01)


def test_graded_scores_have_the_variances_of_their_runs(scores):
    result = bt.runs.noise(scores)
    values = scores.values.reshape(40, 4, 2)
    np.testing.assert_allclose(result["run_variance"], values.var(1, ddof=1).mean(0), rtol=1e-12)
    means = values.mean(1)
    np.testing.assert_allclose(result["error"], means.std(0, ddof=1) / np.sqrt(40), rtol=1e-12)
    d = (means[:, 0] - means[:, 1]).std(ddof=1) / np.sqrt(40)
    np.testing.assert_allclose(result.pairs["difference_error"], d, rtol=1e-12)
    comparison = bt.compare(scores, quantity="mean")
    np.testing.assert_allclose(comparison["difference_error"].values[0, 1], d, rtol=1e-9)
    np.testing.assert_allclose(comparison["run_error"], result["error"])
    assert "Repeated runs" in comparison.report()


def test_runs_that_differ_by_rounding_alone_are_not_mixed():
    rows = [(f"q{k}", e, 0.1 * k, 0.2 if e < 3 else 0.7) for k in range(8) for e in range(4)]
    scores = bt.read(pd.DataFrame(rows, columns=["item", "epoch", "A", "B"]))
    assert bt.runs.noise(scores)["mixed"].values.tolist() == [0, 1]


def test_copies_are_named():
    result = bt.runs.noise(trials([[5, 5], [0, 3], [5, 4], [0, 0], [5, 5]]))
    assert result["identical"].values.tolist() == [True, False]
    assert result.lines[-1].startswith("! All runs of an item agree, for every item of A")
    assert "nan" not in result.report()  # the ICC of A is as unknown as its noise


def test_noise_that_no_item_shows_is_unknown_and_has_no_best_number_of_runs():
    """B has one run of each item; A alone succeeds in all its runs."""
    one = trials([[5, 1], [0, 0], [4, 1], [2, 0]], [5, 1])
    result = bt.runs.noise(one)
    assert np.isnan(result["best_runs"].values[0, 1])
    assert "unknown for these items only" in result.lines[1]
    assert result.lines[2].endswith("do not show what more runs would change.")
    text = bt.runs.noise(trials([[5], [5], [5]], 5, "A")).lines[0]
    assert "1.000: unknown for items like these, unknown for these items only" in text
    apart = bt.runs.noise(trials([[3, 0], [4, 1], [0, 1]], [[5, 0], [5, 5], [0, 5]]))
    assert "They share fewer than two items" in apart.lines[2]
    for answer in (result, apart):
        assert "nan" not in answer.report()
        with pytest.raises(ValueError, match="the variances of A and B are unknown"):
            bt.plan.runs(one, cost_item=1, cost_run=1)


def test_a_system_whose_runs_never_differ_may_still_differ_from_itself():
    outcomes = runs_of([[1, 1]] * 3 + [[0, 0]] * 2)
    result = bt.runs.same_system(outcomes, outcomes, run="run")
    assert result.lines[-1].startswith("No runs of an item differ: how much")
    assert "0.000:" not in result.report()


def test_errors_with_clusters_are_those_of_clusters(simulated):  # noqa: F811
    cluster = np.repeat([f"c{k}" for k in range(10)], 4)
    clustered = simulated.assign_coords(cluster=("item", cluster))
    result = bt.runs.noise(clustered)
    share = simulated["successes"].values / 5
    means = share.reshape(10, 4, 2).mean(1)
    np.testing.assert_allclose(result["error"], means.std(0, ddof=1) / np.sqrt(10), rtol=1e-9)
    assert result["difference_error"].values[0, 1] == pytest.approx(
        bt.compare(clustered, quantity="pass^1")["difference_error"].values[0, 1]
    )


def test_an_error_below_the_noise_of_its_runs_is_said_to_be_chance():
    """Each item succeeds in two of four runs: items do not vary, and their runs do."""
    columns = {"item": [*range(20)] * 2, "system": ["A"] * 20 + ["B"] * 20}
    columns |= {"successes": [2] * 20 + [1, 3] * 10, "trials": [4] * 40}
    result = bt.runs.noise(bt.counts.trials_from_table(pd.DataFrame(columns)))
    assert result["error"].values[0] == 0
    assert result["error_of_runs"].values[0] > 0
    assert result.lines[0].endswith("that it is smaller here is chance.")
    assert "the runs are >99% [>99%, >99%] of its variance" in result.lines[2]
    assert "as many runs as possible; there are 4." in result.lines[2]


def test_one_system_against_itself():
    old = pd.DataFrame({"item": [f"q{k}" for k in range(30)], "agent": [1] * 12 + [0] * 18})
    new = old.assign(agent=[0] * 3 + [1] * 9 + [1] * 4 + [0] * 14)
    result = bt.runs.same_system(old, new)
    assert result["flip_rate"].item() == pytest.approx(7 / 30)
    assert result["n"].item() == 30
    assert result["p_value"].item() == pytest.approx(1.0)  # 4 against 3
    assert result["flip_rate_lower"].item() < 7 / 30 < result["flip_rate_upper"].item()
    assert result["error_of_runs"].item() == pytest.approx(np.sqrt(7) / 30)
    assert "Two sets of runs of one system differ at least this much" in result.lines[1]


def runs_of(outcomes):
    """A row for each run of each item, of one system."""
    rows = [(f"q{k}", r, x) for k, own in enumerate(outcomes) for r, x in enumerate(own)]
    return pd.DataFrame(rows, columns=["item", "run", "score"])


def test_systems_that_solve_other_items_each_time_are_not_one():
    """Deterministic systems on 40 items: the noise of runs does not explain what they differ by."""
    one, other = [1] * 20 + [0] * 14 + [1] * 6, [0] * 20 + [1] * 14 + [1] * 6
    result = bt.runs.same_system(*(runs_of([[x] * 6 for x in y]) for y in (one, other)), run="run")
    assert result["p_value"].item() < 0.001
    assert abs(result["difference"].item()) > 1.96 * result["error_of_runs"].item()


@pytest.mark.parametrize("sizes", [(3, 3), (2, 4), None])
def test_p_of_dealt_runs_is_that_of_every_deal(sizes):
    random = np.random.default_rng(3)
    sizes = [sizes or (2 + k % 2, 3) for k in range(4)]
    sets = [[random.integers(0, 2, n[side]) for n in sizes] for side in (0, 1)]
    result = bt.runs.same_system(*map(runs_of, sets), run="run")
    gaps = np.zeros(1)  # of every deal of every item
    for first, second in zip(*sets, strict=True):
        pool = np.r_[first, second]
        chosen = np.array(list(itertools.combinations(range(len(pool)), len(first))))
        hits = pool[chosen].sum(1)
        own = hits / len(first) - (pool.sum() - hits) / len(second)
        gaps = np.add.outer(gaps, own).ravel()
    wanted = (np.abs(gaps) >= abs(4 * result["difference"].item()) - 1e-9).mean()
    assert result["p_value"].item() == pytest.approx(
        wanted, abs=1e-12 + 4 * result["p_value_mcse"].item()
    )
    assert (result["p_value_mcse"].item() > 0) == (len(set(sizes)) > 1)


def test_two_systems_are_not_one_against_itself(simulated):  # noqa: F811
    with pytest.raises(ValueError, match="first has A and B; give the runs of one system"):
        bt.runs.same_system(simulated, simulated)
    frame = pd.DataFrame({"item": ["q1", "q2"], "A": [1, 0], "B": [0, 0]})
    with pytest.raises(ValueError, match="first and second have A and B; give the runs of one"):
        bt.runs.same_system(frame, frame.copy())
    other = simulated.isel(system=[0]).assign_coords(item=[f"x{k}" for k in range(40)])
    with pytest.raises(ValueError, match="no item is in both"):
        bt.runs.same_system(simulated.isel(system=[0]), other)


def test_plan_finds_the_least_error_that_a_budget_pays():
    plan = bt.plan.runs(item_variance=0.03, run_variance=0.2, cost_item=4, cost_run=1, budget=900)
    r = np.arange(1, 200)
    n = 900 // (4 + r)
    error = np.sqrt((0.03 + 0.2 / r) / n)
    assert plan["best_runs"].item() == r[error.argmin()]
    assert plan["best_error"].item() == pytest.approx(error.min())
    np.testing.assert_allclose(plan["error"], error[plan["runs"].values - 1])


def test_free_items_are_run_once():
    plan = bt.plan.runs(item_variance=0.03, run_variance=0.2, cost_item=0, cost_run=1, budget=300)
    assert (plan["best_runs"].item(), plan["best_items"].item()) == (1, 300)


@pytest.mark.parametrize(("items", "runs"), [(12, 5), (60, 5), (200, 4)])
@pytest.mark.parametrize("item", [0.2, 0.02])
def test_intervals_of_the_share_of_runs_and_of_the_best_number_hold_them(items, runs, item):
    """1,000 pilots: with equal variances the runs are 1 / (1 + r), and the best is sqrt(4) = 2."""
    size = items, 1000
    random, ran = np.random.default_rng(7), np.full(size, float(runs))
    values = random.normal(0, item, size) + random.normal(0, 0.2, (runs, *size))
    spread = spread_of_runs(values.sum(0), (values**2).sum(0), ran)
    share = share_of_runs(values.mean(0), spread / runs, 0.95)
    true, best = 0.04 / (0.04 + runs * item**2), max(1.0, 2 * 0.2 / item)
    # few items: Student's t of a log that is skewed; half a per cent of error from 1,000 pilots
    held = ((share[0] <= true) & (true <= share[1])).mean()
    assert held == pytest.approx(0.95, abs=0.025 + 0.015 * (items < 50))
    of = variances(values.mean(0), spread, spread / runs)
    low, high = best_runs_range(of, share, 4.0)
    assert ((low <= best) & (best <= high)).mean() == pytest.approx(held, abs=1e-9)


def test_the_share_of_runs_has_an_interval_in_words_and_none_with_clusters(simulated):  # noqa: F811
    result = bt.runs.noise(simulated)
    value, low, high = (
        result[f"difference_run_share{end}"].values[0, 1] for end in ("", "_lower", "_upper")
    )
    assert 0 < low < value <= high <= 1
    errors = result["difference_error_of_runs"] / result["difference_error"]
    assert value == pytest.approx(min(1.0, errors.values[0, 1] ** 2))
    percents = [numbers.percent(x) for x in (value, low, high)]
    text = "the runs are {}% [{}%, {}%] of its variance".format(*percents)
    assert text in result.lines[-1]
    assert re.search(r"as possible \(95% interval: \d\.\d to any number\)", result.lines[-1])
    limits = np.array([result[f"icc{end}"].values for end in ("_lower", "", "_upper")])
    assert (np.diff(limits, axis=0) > 0).all()
    cluster = np.repeat([f"c{k}" for k in range(10)], 4)
    clustered = bt.runs.noise(simulated.assign_coords(cluster=("item", cluster)))
    assert np.isnan(clustered["difference_run_share_lower"].values[0, 1])
    assert re.search(r"the runs are >?\d+% of its variance", clustered.lines[-1])


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({}, "give scores of repeated runs, or item_variance= and run_variance="),
        ({"item_variance": -1, "run_variance": 1}, "item_variance is -1"),
        ({"item_variance": 0, "run_variance": 0}, "nothing varies"),
        ({"item_variance": 1, "run_variance": 1, "cost_item": -1}, "cost_item is -1"),
        ({"item_variance": 1, "run_variance": 1, "cost_run": 0}, "cost_run is 0"),
        ({"item_variance": 1, "run_variance": 1, "budget": 3}, "two items with one run cost 4"),
    ],
)
def test_bad_plans_are_one_line(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.plan.runs(**choices)


def test_figures_show_estimates_bounds_and_parts_of_the_variance(simulated):  # noqa: F811
    result = bt.runs.reliability(simulated, k=(1, 3, 8))
    ax = bt.plot.reliability(result)
    lines = [line for line in ax.lines if line.get_label() in "AB"]
    np.testing.assert_allclose(
        [line.get_ydata() for line in lines], result["pass_k"].values[:2].T[[0, 1]]
    )
    assert "bounds" in ax.get_title(loc="left")
    noise = bt.runs.noise(simulated)
    bars = plans.noise(noise).patches
    whole = [bars[k].get_width() + bars[k + 2].get_width() for k in range(2)]
    np.testing.assert_allclose(whole, noise["error"].values ** 2)
    with pytest.raises(ValueError, match=r"give what runs.noise returns"):
        bt.plot.noise(result)


def test_page_has_every_answer(simulated, tmp_path: Path):  # noqa: F811
    reliability, noise = bt.runs.reliability(simulated), bt.runs.noise(simulated)
    plan = bt.plan.runs(simulated, cost_item=4)
    page = reliability.report(noise, plan, path=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert page is not None
    for line in (*reliability.lines, *noise.lines, *plan.lines):
        assert line.split(":")[0] in text


def test_two_items_are_no_plan_even_where_the_variance_of_items_is_zero():
    plan = bt.plan.runs(item_variance=0, run_variance=0.4, cost_item=4, cost_run=1, budget=280)
    runs = np.arange(1, 137)
    items = 280 // (4 + runs)
    width = np.sqrt(0.4 / runs / items) * stats.t.ppf(0.975, items - 1)
    best = width.argmin()
    assert (plan["best_runs"].item(), plan["best_items"].item()) == (runs[best], items[best])
    assert plan["best_items"].item() > 10
    assert plan["best_error"].item() == pytest.approx(np.sqrt(0.4 / runs[best] / items[best]))
    assert plan.lines[-1].startswith("The assumed variance between items is 0")


def test_runs_that_never_differ_do_not_show_what_more_runs_would_change():
    for successes in (np.array([[4, 0], [4, 4], [0, 4]]), np.full((3, 2), 4)):
        data = trials(successes, np.full_like(successes, 4), "AB")
        line = next(x for x in bt.runs.noise(data).lines if "the difference" in x)
        assert "the data do not show what more runs would change" in line
        assert "best number" not in line
    with pytest.raises(ValueError, match="vary neither over items nor over runs"):
        bt.plan.runs(data, cost_item=4, cost_run=1)


def test_the_best_number_of_runs_has_the_narrowest_interval_and_says_so():
    plan = bt.plan.runs(item_variance=0.01, run_variance=0.25, cost_item=4, cost_run=1, budget=47)
    n, error = plan.data["n"].values, plan.data["error"].values
    width = error * stats.t.ppf(0.975, n - 1)
    assert plan.data["runs"].values[width.argmin()] == plan.data["best_runs"].item() == 5
    assert error.min() < plan.data["best_error"].item()
    assert plan.lines[1].startswith("Its interval is the narrowest")
    assert plan.lines[0].startswith("For a budget of 47, the best is 5 runs of each of 5 items")


def test_a_plan_of_items_that_hardly_vary_has_the_least_number_of_runs(simulated):  # noqa: F811
    plan = bt.plan.runs(simulated)
    assert plan["item_variance"].item() == 0
    assert plan.lines[-2].startswith("The estimated variance between items is 0")
    assert plan.lines[-1] == f"The best number of runs is {plan['best_lower'].item():.1f} or more."


@pytest.mark.parametrize(("items", "runs", "ability"), [(100, 2, 4.9), (200, 2, 4.9), (50, 3, 1.9)])
def test_a_few_items_that_fail_do_not_tell_the_share_of_the_runs(items, runs, ability):
    """Rates of success from Beta(ability, 0.1), so nearly all items always succeed."""
    random = np.random.default_rng(3)
    hits = random.binomial(runs, random.beta(ability, 0.1, (items, 2000)))
    spread = spread_of_runs(hits, hits, np.full(hits.shape, float(runs)))
    low, high = share_of_runs(hits / runs, spread / runs, 0.95)
    true = 1 / (1 + runs / (ability + 0.1))
    assert ((low <= true) & (true <= high)).mean() >= 0.93


def test_a_code_of_missing_runs_is_no_failure():
    coords = {"system": ["A"], "item": [0, 0, 1, 1, 2, 2], "epoch": ("item", [1, 2] * 3)}
    runs = np.array([[1], [-1], [0], [0], [1], [0]], dtype="int8")
    coded = xr.DataArray(runs, coords, ("item", "system"), attrs={"missing_value": -1})
    plain = coded.astype(float).where(coded >= 0).drop_attrs()
    for choices in ({}, {"success": 0.5}):
        first, second = (bt.runs.reliability(data, k=1, **choices) for data in (coded, plain))
        np.testing.assert_array_equal(first["pass_k"], second["pass_k"])


def test_rounding_is_no_variance():
    """B is a twentieth less than A on every item, in decimals and in whole numbers."""
    rows = itertools.product(range(20), "AB", (1, 2))
    table = pd.DataFrame(rows, columns=["item", "system", "run"])
    table["score"] = 2 * (table["item"] % 7) + (table["system"] == "A")
    for unit in (1, 0.05):
        data = bt.read(table.assign(score=(table["score"] * unit).round(2)), run="run")
        with pytest.raises(ValueError, match="vary neither over items nor over runs"):
            bt.plan.runs(data, budget=100)
    constant = bt.runs.noise(table.assign(score=0.7), run="run")
    assert (constant.data["item_variance"] == 0).all()
    assert constant.data["icc"].isnull().all()


def test_a_plan_of_items_in_clusters_says_that_its_errors_are_too_small():
    random = np.random.default_rng(1)
    rows = pd.DataFrame(
        itertools.product(range(10), range(8), "AB", (1, 2, 3)),
        columns=["cluster", "task", "system", "epoch"],
    )
    rows["item"] = rows["cluster"].astype(str) + "-" + rows["task"].astype(str)
    chance = random.random((10, 2)).clip(0.1, 0.9)
    place = rows["cluster"], rows["system"].map({"A": 0, "B": 1})
    rows["score"] = (random.random(len(rows)) < chance[place]) * 1.0
    columns = ["item", "system", "epoch", "score"]
    clustered, alone = bt.read(rows[[*columns, "cluster"]]), bt.read(rows[columns])
    assert bt.plan.runs(clustered).lines[:-1] == bt.plan.runs(alone).lines
    assert bt.plan.runs(clustered).lines[-1].startswith("! Items come in 10 clusters")


def test_a_table_of_trials_has_the_clusters_of_its_items():
    rng, rows = np.random.default_rng(4), []
    for cluster in range(12):
        right = {system: int(rng.integers(0, 6)) for system in "AB"}
        rows += [
            (f"{cluster}_{k}", system, f"repository {cluster}", right[system], 5, "x")
            for k in range(5)
            for system in "AB"
        ]
    columns = ["item", "system", "cluster", "successes", "trials", "note"]
    table = pd.DataFrame(rows, columns=columns)
    trials = bt.counts.trials_from_table(table)
    reading = trials.attrs["reading"]
    assert reading.endswith("cluster from column 'cluster', ignored columns 'note'")
    runs = table.loc[table.index.repeat(5)].copy()
    runs["epoch"] = runs.groupby(["item", "system"]).cumcount()
    runs["score"] = (runs["epoch"] < runs["successes"]).astype(int)
    one_a_row = bt.read(runs[["item", "system", "cluster", "epoch", "score"]])
    errors = [bt.runs.noise(data).data["difference_error"] for data in (trials, one_a_row)]
    np.testing.assert_allclose(*errors, rtol=1e-12)
    alone = bt.runs.noise(bt.counts.trials_from_table(table.drop(columns="cluster")))
    assert errors[0].max() > 2 * alone.data["difference_error"].max()
    with pytest.raises(ValueError, match="column 'cluster', row 3: blank; give a value"):
        bt.counts.trials_from_table(table.assign(cluster=table["cluster"].where(table.index != 3)))
    table.loc[1, "cluster"] = "another"
    with pytest.raises(ValueError, match="has the cluster 'repository 0' in one run and 'another'"):
        bt.counts.trials_from_table(table)


def test_lower_scores_succeed_up_to_success():
    coords = {"item": ["q", "q"], "epoch": ("item", [1, 2]), "system": ["A", "B"]}
    scores = xr.DataArray([[2.0, 3.0], [2.0, 1.0]], coords, ("item", "system"))
    lower = successes_of(scores.assign_attrs(higher_is_better=False), 2.0)
    assert lower["successes"].values.tolist() == [[2, 1]]
    assert successes_of(scores, 2.0)["successes"].values.tolist() == [[2, 1]]


def test_one_run_varies_as_the_repeated_ones_do():
    coords = {"item": [*"aabc"], "epoch": ("item", [1, 2, 1, 1]), "system": ["A", "B"]}
    values = [[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    runs = RunSums.of(xr.DataArray(values, coords, ("item", "system")))
    assert runs.of_mean[:, 0].tolist() == [0.25, 0.5, 0.5]

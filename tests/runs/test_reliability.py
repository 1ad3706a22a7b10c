"""pass^k of systems and pairs: published values, symmetry, items that count, and bad input."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.runs import Reliability

SHARED = Path(__file__).parents[3] / "shared" / "data" / "terminalbench"
FACTORY, ANTE = "factory_droid_gpt-5_2_at_openai", "ante_gemini-3-pro-preview_at_google"
II_AGENT = "ii-agent-simple_gemini-3-pro-preview_at_gemini"


def trials(successes, tried=5, systems="AB"):
    """Successes (item, system)."""
    successes = np.array(successes)
    return xr.Dataset(
        {
            "successes": (("item", "system"), successes),
            "trials": (("item", "system"), np.broadcast_to(tried, successes.shape).copy()),
        },
        coords={"item": [f"q{k}" for k in range(len(successes))], "system": list(systems)},
    )


@pytest.fixture(scope="module")
def simulated():
    random = np.random.default_rng(2)
    p = random.beta(0.6, 0.5, (40, 1))
    return trials(random.binomial(5, p * [1, 0.8]))


@pytest.fixture(scope="module")
def terminalbench():
    if not SHARED.exists():
        pytest.skip("shared/data is not there")
    table = pd.read_csv(SHARED / "terminalbench_trials.csv.gz")
    table = table[table["trials"] == 5]  # the reference is of items with exactly 5 runs
    return bt.counts.trials_from_table(table, item="task")


def test_single_system_has_the_reference_interval(terminalbench):
    one = terminalbench.sel(system=[FACTORY])
    result = bt.runs.reliability(one, k=(1, 3, 5))
    np.testing.assert_allclose(result["pass_k"][:, 0], [0.6529, 0.5069, 0.4368], atol=5e-5)
    limits = [[result[f"pass_k_{end}"].values[k, 0] for end in ("lower", "upper")] for k in (0, 2)]
    np.testing.assert_allclose(limits, [[0.5666, 0.7301], [0.3360, 0.5417]], atol=6e-5)
    assert result["n"].values[:, 0].tolist() == [87, 87, 87]


def test_posterior_has_the_reference_moments(terminalbench):
    from betterthan.exact.runs import shares_of

    one = terminalbench.sel(system=[FACTORY])
    for k, mean, sd in ((1, 0.651136, 0.041778), (3, 0.506818, 0.048028), (5, 0.4375, 0.052584)):
        chances = Reliability(k).scores(one).values
        law = shares_of(np.nan_to_num(chances), ~np.isnan(chances))
        np.testing.assert_allclose([law.mean[0], law.sd[0]], [mean, sd], atol=5e-7)


@pytest.mark.parametrize(
    ("first", "second", "n", "expected"),
    [
        (ANTE, II_AGENT, 87, {("all", 1): 0.825534197, ("all", 3): 0.894113040,
                              ("all", 5): 0.924205184, ("any", 5): 0.945312500}),
        (FACTORY, ANTE, 86, {("all", 1): 0.528171962, ("all", 3): 0.412947110,
                             ("all", 5): 0.422509491}),
    ],
)  # fmt: skip
def test_pairs_have_the_reference_probabilities(terminalbench, first, second, n, expected):
    pair = terminalbench.sel(system=[first, second])
    for kind in {kind for kind, _ in expected}:
        ks = [k for of, k in expected if of == kind]
        result = bt.runs.reliability(pair, k=ks, kind=kind)
        p = result["dirichlet_prob_better"].sel(system_a=first, system_b=second).values
        np.testing.assert_allclose(p, [expected[kind, k] for k in ks], atol=1e-9)
        assert result["n_units"].values[0, 0, 1] == n


def test_leader_changes_with_k_and_the_answer_says_so(terminalbench):
    result = bt.runs.reliability(terminalbench.sel(system=[FACTORY, ANTE]))
    line = next(line for line in result.lines if "changes with k" in line)
    assert f"{FACTORY} at k = 1; {ANTE} at k = 3, 5" in line


def test_swapping_systems_mirrors_everything(simulated):
    one, other = (
        bt.runs.reliability(simulated, systems=systems) for systems in (["A", "B"], ["B", "A"])
    )
    xr.testing.assert_identical(one["verdict"], other["verdict"].reindex_like(one["verdict"]))
    for name in ("prob_better", "dirichlet_prob_better", "difference_mean", "difference_lower"):
        swapped = other[name].reindex_like(one[name])
        np.testing.assert_allclose(one[name], swapped, atol=1e-9)
    np.testing.assert_allclose(
        one["prob_better"].sel(system_a="A", system_b="B"),
        1 - one["prob_better"].sel(system_a="B", system_b="A"),
        atol=1e-12,
    )


def test_pass_k_falls_and_pass_at_k_rises(simulated):
    every = bt.runs.reliability(simulated, k=range(1, 6))["pass_k"].values
    some = bt.runs.reliability(simulated, k=range(1, 6), kind="any")["pass_k"].values
    assert (np.diff(every, axis=0) < 0).all()
    assert (np.diff(some, axis=0) > 0).all()
    np.testing.assert_allclose(every[0], some[0])


def test_verdicts_are_those_of_a_comparison_by_pass_k(simulated):
    result = bt.runs.reliability(simulated, k=3, ci_kind="hdi")
    comparison = bt.compare(simulated, quantity="pass^3")
    for name in ("prob_better", "difference_mean", "difference_lower", "difference_upper"):
        np.testing.assert_array_equal(result[name].sel(k=3), comparison[name])
    np.testing.assert_array_equal(result["pass_k_lower"][0], comparison["score_lower"])
    assert comparison.data.attrs["quantity"] == "pass^3"
    assert "pass^3: A " in str(comparison)
    assert "Difference in pass^3" in str(comparison)


def test_one_run_is_the_accuracy_of_today():
    single = trials([[1, 0], [1, 1], [0, 0], [1, 0], [1, 1]], tried=1)
    scores = single["successes"].astype(float)
    one, other = (bt.compare(single, quantity="pass^1"), bt.compare(scores))
    np.testing.assert_array_equal(one["prob_better"], other["prob_better"])


def test_all_k_count_the_same_items():
    tried = np.array([[5, 5], [5, 5], [3, 5], [5, 5], [5, 4]])
    data = trials([[5, 3], [4, 4], [3, 5], [0, 1], [2, 2]], tried)
    same, each = (bt.runs.reliability(data, k=(1, 5), each_k=each) for each in (False, True))
    assert same["n"].values.tolist() == [[4, 4], [4, 4]]
    assert each["n"].values.tolist() == [[5, 5], [4, 4]]
    assert (
        "2 items with fewer than 5 runs of a system do not count in its pairs: q2, q4."
        in same.lines
    )
    assert any("may rise with k" in line for line in each.lines)
    complete = bt.runs.reliability(data, k=(1, 5), missing="complete")
    assert complete["n"].values.tolist() == [[3, 3], [3, 3]]


def test_more_runs_than_there_are_have_bounds_and_no_estimate(simulated):
    result = bt.runs.reliability(simulated, k=(5, 8))
    share = result["pass_k"].sel(k=5).values
    np.testing.assert_allclose(result["bound_lower"].sel(k=8), share ** (8 / 5))
    np.testing.assert_allclose(result["bound_upper"].sel(k=8), share)
    assert np.isnan(result["pass_k"].sel(k=8)).all()
    assert (result["verdict"].sel(k=8) == "no_data").all()
    assert (result["pass_k_lower"].sel(k=8) < result["bound_lower"].sel(k=8)).all()
    assert any(
        line.startswith("pass^8 has no estimate: fewer than half of the items have 8 runs")
        for line in result.lines
    )


def test_three_systems_have_a_joint_answer():
    random = np.random.default_rng(5)
    data = trials(random.binomial(5, random.beta(1, 1, (30, 1)) * [1, 0.9, 0.6]), systems="ABC")
    result = bt.runs.reliability(data, k=(1, 5))
    np.testing.assert_allclose(result["prob_best"].sum("system"), 1, atol=1e-9)
    assert result["prob_best"].dims == ("k", "system")
    assert "leads the 3 systems;" in result.lines[0]


def test_a_leader_on_shared_items_is_named_next_to_a_higher_estimate_on_other_items():
    # C is behind A and B on the items of all, and alone on forty easy ones; A has one run more
    runs = np.tile([2, 2, 1], (20, 1)) - (np.arange(60).reshape(20, 3) % 7 == 0)
    runs[1, 0] += 1
    successes = np.r_[runs, np.tile([0, 0, 3], (40, 1))]
    data = trials(successes, np.r_[np.full((20, 3), 3), np.tile([0, 0, 3], (40, 1))], "ABC")
    result = bt.runs.reliability(data, k=1)
    assert result["pass_k"].values.argmax() == 2
    assert "leads the 3 systems on the items that both systems" in result.lines[0]
    assert "(C has 0." in result.lines[0]


@pytest.fixture(scope="module")
def with_failed_runs():
    """Scores of 60 items in 3 runs; the third run of half of the items has no score of B."""
    random, items = np.random.default_rng(1), 60
    table = pd.DataFrame({"item": np.repeat(np.arange(items), 3), "run": [1, 2, 3] * items})
    table["A"], table["B"] = ((random.random(3 * items) < p) * 1.0 for p in (0.93, 0.99))
    table.loc[(table["run"] == 3) & (table["item"] < 30), "B"] = np.nan
    return table


def test_runs_without_a_score_bound_the_answer_by_all_succeed_and_none(with_failed_runs):
    def compared(table, **choices):
        return bt.compare(bt.read(table, run="run"), quantity="pass^2", **choices)

    open_ = compared(with_failed_runs)
    assert open_.attrs["n_blank"] == 30
    assert "if the missing scores are missing at random" in str(open_)
    ends = [
        compared(with_failed_runs.fillna({"B": end}))["prob_better"].values[0, 1] for end in (1, 0)
    ]
    assert ends[0] < 0.01 < 0.99 < ends[1]  # of A, and either is possible
    low, high = open_["missing_probability"].values[0, 1]
    assert low <= ends[0] < ends[1] <= high
    np.testing.assert_allclose(open_["extreme_probability"].values[0, 1], ends)
    assert compared(with_failed_runs, missing="wrong")["prob_better"].values[0, 1] == ends[1]
    assert compared(with_failed_runs.fillna({"B": 1})).attrs["n_blank"] == 0
    told = bt.runs.reliability(bt.read(with_failed_runs, run="run"), k=(1, 2))
    assert told.lines[-1].startswith("! 30 runs without a score are left out; with other outcomes")
    at_random = "is better (probability 0.999) if the missing scores are missing at random."
    assert told.lines[0].endswith(at_random)
    third = bt.read(with_failed_runs.assign(C=with_failed_runs["A"]), run="run")
    several = bt.runs.reliability(third, k=2)
    some = "pairs have a verdict, 2 of them if the missing scores are missing at random."
    assert several.lines[0].endswith(some)
    one = bt.runs.reliability(bt.read(with_failed_runs, run="run"), k=2, systems=["B"])
    assert one.lines[-1].startswith("! 30 runs without a score are left out. If all had failed")
    failed = bt.read(with_failed_runs.fillna(0.0), run="run").sel(system=["B"])
    mean = bt.runs.reliability(failed, k=2)["pass_k"].item()
    assert one.lines[-1].endswith(f"pass^2 would be {mean:.2f}.")


def test_complete_items_of_reliability_are_those_of_which_k_runs_have_a_score(with_failed_runs):
    """One item without two runs does not drop those that lack one of three."""
    few = with_failed_runs.copy()
    few.loc[(few["run"] > 1) & (few["item"] == 40), "B"] = np.nan
    for table, items in ((with_failed_runs, 60), (few, 59)):
        scores = bt.read(table, run="run")
        found = bt.compare(scores, quantity="pass^2", missing="complete")
        assert found["n_scored"].values.tolist() == [items] * 2


def test_a_gate_of_reliability_passes_only_if_runs_without_a_score_may_fail(with_failed_runs):
    old, new = (
        with_failed_runs[["item", "run", side]].rename(columns={side: "score"}) for side in "AB"
    )
    how = {"quantity": "pass^2", "margin": 0.1, "run": "run"}
    assert bt.gate(old, new.fillna(1.0), **how).verdict == "pass"
    assert bt.gate(old, new.fillna(0.0), **how).verdict == "worse"
    open_ = bt.gate(old, new, **how)
    assert open_.verdict == "inconclusive"
    assert "the 30 missing scores could change that" in str(open_)


def test_a_gate_of_reliability_has_the_interval_of_the_comparison():
    """Also of few items of three runs, of which Student's t reaches beyond what is possible."""
    successes = {"old": [3, 1, 3, 0, 3], "new": [0, 1, 2, 0, 3]}
    rows = [
        (side, f"q{k}", run, float(run < right))
        for side, counts in successes.items()
        for k, right in enumerate(counts)
        for run in range(3)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "run", "score"])
    how = {"quantity": "pass^2", "run": "run"}
    old, new = (table[table["system"] == side].drop(columns="system") for side in successes)
    evidence = bt.gate(old, new, margin=0.1, **how).evidence
    pair = bt.compare(table, **how).data.sel(system_a="new", system_b="old")
    limits = [float(pair[f"difference_{end}"]) for end in ("lower", "upper")]
    assert limits == pytest.approx([evidence.lower, evidence.upper], abs=1e-9)
    assert limits[0] >= -1


def test_runs_without_a_score_are_counted_once_for_all_k(with_failed_runs):
    lines = bt.runs.reliability(bt.read(with_failed_runs, run="run"), k=(1, 2)).lines
    assert len(set(lines)) == len(lines)


def test_runs_that_failed_settle_an_item_whatever_its_other_runs_are():
    """8 items whose first run failed, and whose second has no score, have a pass^2 of 0."""
    rows = [
        (side, f"t{item}", run, float(item < 95 or run == (0 if side == "old" else 1)))
        for side in ("old", "new")
        for item in range(100)
        for run in range(2)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "run", "score"])
    crashed = (table["system"] == "new") & table["item"].isin([f"t{k}" for k in range(8)])
    table.loc[crashed, "score"] = np.where(table[crashed]["run"] == 0, 0.0, np.nan)
    how = {"quantity": "pass^2", "run": "run"}
    sides = [table[table["system"] == side].drop(columns="system") for side in ("old", "new")]
    gate = bt.gate(*sides, margin=0.05, **how)
    assert gate.verdict == "inconclusive"
    for missing in (0.0, 1.0):
        filled = bt.gate(*(side.fillna(missing) for side in sides), margin=0.05, **how)
        assert filled.evidence.chances.observed.passes == pytest.approx(
            gate.evidence.chances.worst.passes, abs=1e-9
        )
    statement = " ".join(bt.compare(table, **how).statement())
    assert "stays between 0.998 and 0.998. With any of them old is better." in statement


def test_items_in_clusters_count_as_clusters(simulated):
    cluster = np.repeat([f"c{k}" for k in range(10)], 4)
    simulated = simulated.assign_coords(cluster=("item", cluster))
    clustered = bt.runs.reliability(simulated, k=3)
    assert clustered["n_units"].values[0, 0, 1] == 10
    assert "dirichlet_prob_better" not in clustered.data  # of independent items
    with pytest.raises(ValueError, match="these have clusters; leave it out"):
        bt.runs.reliability(simulated, k=3, dirichlet=True)


def test_rewards_need_the_least_one_that_is_a_success():
    rows = [("q1", 1, 0.9, 0.2), ("q1", 2, 1.0, 1.0), ("q2", 1, 0.5, 1.0), ("q2", 2, 1.0, 0.0)]
    table = pd.DataFrame(rows, columns=["item", "epoch", "A", "B"])
    with pytest.raises(ValueError, match=r"the score of 'A' in row 1 is 0.9; .* pass success="):
        bt.runs.reliability(table, k=1)
    sides = (table[["item", "epoch"]].assign(score=table[name]) for name in "AB")
    for refused in (
        lambda: bt.compare(table, quantity="pass^2"),
        lambda: bt.gate(*sides, margin=0.1, quantity="pass^2"),
    ):  # neither has an option success=
        with pytest.raises(ValueError, match="write each run as 1 or 0 or compare means"):
            refused()
    result = bt.runs.reliability(table, k=(1, 2), success=0.9)
    assert result["pass_k"].values.tolist() == [[0.75, 0.5], [0.5, 0.0]]


def test_missing_runs_are_not_failures():
    rows = [("q1", 1, 1, 1), ("q1", 2, 1, None), ("q2", 1, 1, 0), ("q2", 2, 0, 1), ("q3", 1, 0, 1),
            ("q3", 2, 1, 1)]  # fmt: skip
    table = pd.DataFrame(rows, columns=["item", "epoch", "A", "B"])
    result = bt.runs.reliability(table, k=(1, 2), each_k=True)
    assert result["pass_k"].sel(k=1, system="B").item() == pytest.approx((1 + 0.5 + 1) / 3)
    assert result["n"].sel(k=2).values.tolist() == [3, 2]


def test_epochs_from_0_and_from_1_are_runs_alike():
    first = pd.DataFrame(
        {"item": ["q1", "q1", "q2", "q2"], "epoch": [0, 1, 0, 1], "score": [1, 0, 1, 1]}
    )
    second = first.assign(epoch=first["epoch"] + 1)
    result = bt.runs.reliability({"A": first, "B": second}, k=(1, 2))
    assert (
        result["pass_k"].sel(system="A").values.tolist()
        == result["pass_k"].sel(system="B").values.tolist()
    )
    assert result["n"].values.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"k": 0}, "k is 0; give a whole number of at least 1"),
        ({"k": "3"}, "k is '3'; give one number of runs or more"),
        ({"k": []}, "give one number of runs or more"),
        ({"kind": "most"}, "kind is 'most'; choose one of all, any"),
        ({"missing": "wrong"}, "missing is 'wrong'; choose one of pairwise, complete"),
        ({"success": 1}, "success= is for scores, and these are successes"),
        ({"each_k": 2}, "each_k"),
    ],
)
def test_bad_choices_are_one_line(simulated, choices, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        bt.runs.reliability(simulated, **choices)


def test_one_run_of_every_item_says_what_to_do():
    single = trials([[1, 0], [1, 1]], tried=1)
    with pytest.raises(ValueError, match="one run per item says nothing about run-to-run noise"):
        bt.runs.reliability(single)
    with pytest.raises(ValueError, match="one run per item says nothing about run-to-run noise"):
        bt.runs.noise(single)


def test_comparison_refuses_more_runs_than_there_are_and_what_has_no_meaning(simulated):
    with pytest.raises(ValueError, match=r"pass\^6 needs 6 runs of an item, and 'A' has at most 5"):
        bt.compare(simulated, quantity="pass^6")
    with pytest.raises(ValueError, match=r"quantity is 'pass3'; .* pass\^k or pass@k"):
        bt.compare(simulated, quantity="pass3")
    with pytest.raises(
        ValueError, match=r"quantity='pass\^3' has a closed form; leave out method='mcmc'"
    ):
        bt.compare(simulated, quantity="pass^3", method="mcmc")
    with pytest.raises(ValueError, match=r"needs scores of repeated runs, and these are counts"):
        bt.compare(bt.datasets.contingency_case("a"), quantity="pass^3")


def test_gate_decides_by_pass_k(simulated):
    """As Student's t of the same chances, and with the margin in their units."""
    columns = []
    for system in "AB":
        right = simulated["successes"].sel(system=system).values
        runs = [(f"q{k}", e, int(e < s)) for k, s in enumerate(right) for e in range(5)]
        columns.append(pd.DataFrame(runs, columns=["item", "epoch", "score"]))
    gate = bt.gate(*columns[::-1], margin=0.1, quantity="pass^3")
    pair = bt.compare(simulated, systems=["A", "B"], quantity="pass^3")
    assert gate.evidence.quantity == "pass^3"
    assert gate.evidence.difference == pytest.approx(float(pair["difference_mean"][0, 1]))
    assert gate.evidence.chances.observed.behind == pytest.approx(
        float(pair["prob_better"][1, 0]), abs=1e-9
    )
    assert "quantity=pass^3" in gate.report()
    with pytest.raises(ValueError, match=r"quantity is 'mean'; choose pass\^k or pass@k"):
        bt.gate(*columns, margin=0.1, quantity="mean")


def test_a_system_that_ran_on_easy_items_alone_does_not_lead():
    """C has the highest mean of its own items, and is behind A on the items of both."""
    random = np.random.default_rng(3)
    p = np.repeat([0.95, 0.15], 30)[:, None] * [1, 0.9, 0.8]
    tried = np.full((60, 3), 5)
    tried[30:, 2] = 0
    data = trials(random.binomial(tried, p), tried, systems="ABC")
    result = bt.runs.reliability(data, k=(1, 5))
    assert result["pass_k"].sel(k=1).argmax("system") == 2
    assert all(line.split(": ")[1].startswith("A ") for line in result.lines[:2])
    assert any("Estimates are of the items of each system" in line for line in result.lines)
    pair = bt.runs.reliability(data, systems=["A", "C"], k=1)
    assert "no verdict, because missing runs could change it" in pair.lines[0]


@pytest.mark.parametrize("names", [["A", "B"], ["B", "A"], ["A", "B", "C"]])
def test_systems_that_are_equal_at_some_k_do_not_lead_there(names):
    runs = {"A": [(1, 1), (0, 0)] * 2, "B": [(1, 0)] * 4, "C": [(0, 1)] * 4}
    rows = [
        {"item": k, "system": s, "run": r, "score": runs[s][k][r]}
        for k in range(4)
        for s in names
        for r in (0, 1)
    ]
    lines = bt.runs.reliability(bt.read(pd.DataFrame(rows), run="run"), k=[1, 2]).lines
    assert not any("leading system changes" in line for line in lines)
    if len(names) > 2:
        assert "pass^1 (a run of an item succeeds): none of the 3 systems leads" in lines[1]
        assert "A 0.50" in lines[0]


def test_skewed_differences_of_few_items_are_named_as_compare_names_them():
    successes = np.array([[4, 3], [4, 1], [3, 2], [4, 4], [4, 2], [2, 0]])
    data = trials(successes, np.full_like(successes, 4), "AB")
    notes = [x for x in bt.runs.reliability(data, k=[1, 2], kind="any").lines if x[0] == "!"]
    assert notes == [
        "! Differences in pass@2 of so few items are too skewed for Student's t here: verdicts and "
        "intervals are wrong more often than stated."
    ]


def test_estimates_show_a_single_failure_and_verdicts_that_are_one_sided():
    runs = np.ones((5, 400, 2))
    runs[2, 7, 0] = 0
    for run, item in enumerate((3, 50, 99, 120, 200, 201)):
        runs[run % 5, item, 1] = 0
    coords = {
        "item": np.tile([f"q{k}" for k in range(400)], 5),
        "system": ["a", "b"],
        "epoch": ("item", np.repeat(np.arange(1, 6), 400)),
    }
    answer = bt.runs.reliability(xr.DataArray(runs.reshape(-1, 2), coords, ("item", "system")))
    text = str(answer)
    assert "a 0.998 [" in text  # 399 of 400
    assert "a 0.9995 [" in text  # 1,999 of 2,000
    row = answer.pairs[answer.pairs["k"] == 5].iloc[0]
    assert row["verdict"] == "a_better"
    assert row["difference_lower"] < 0
    assert " †" in text
    assert "†: one-sided; the interval includes 0" in text


def test_runs_that_are_missing_on_hard_items_have_an_answer():
    """The gaps of chances of which some runs are missing are filled once."""
    rng = np.random.default_rng(1)
    hard = rng.random(60)
    rows = [
        (system, f"q{item}", run, int(rng.random() < 1 - hard[item] * 0.8))
        for system in ("old", "new")
        for item in range(60)
        for run in (1, 2, 3)
        if not (hard[item] > 0.7 and system == "new" and rng.random() < 0.4)
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "epoch", "score"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = bt.compare(table, quantity="pass^3")
        reliability = bt.runs.reliability(table, k=3)
    assert "missing with the difficulty of the items" in str(answer)
    verdict = answer.data["verdict"].sel(system_a="old", system_b="new").item()
    assert reliability["verdict"].sel(system_a="old", system_b="new").item() == verdict


def test_each_k_of_three_systems_with_unequal_runs_has_an_answer():
    """The joint model answers for one k, and pairs for the others."""
    rng = np.random.default_rng(0)
    rows = [
        (f"s{s}", f"i{i}", run, int(rng.random() < 0.5 + 0.1 * s))
        for s in range(3)
        for i in range(40)
        for run in range(rng.integers(1, 6))
    ]
    table = pd.DataFrame(rows, columns=["system", "item", "epoch", "score"])
    result = bt.runs.reliability(table, k=(1, 2), each_k=True, rng=1)
    for k in (1, 2):
        alone = bt.runs.reliability(table, k=k, rng=1)
        p = result["prob_better"].sel(k=k, drop=True)
        np.testing.assert_allclose(p, alone["prob_better"].isel(k=0), atol=1e-12)


def test_data_sets_of_unequal_size_are_named():
    rng = np.random.default_rng(2)
    rows = [
        (f"{name}{k}", name, system, run, int(rng.random() < 0.6))
        for name, n in (("large", 30), ("small", 5))
        for k in range(n)
        for system in "AB"
        for run in range(2)
    ]
    table = pd.DataFrame(rows, columns=["item", "dataset", "system", "epoch", "score"])
    said = " ".join(str(bt.runs.reliability(table, k=2)).split())
    assert 'large ones weigh more; compare(..., quantity="pass^2", over="dataset") counts' in said
    with pytest.raises(ValueError, match=r"is of pass\^2, .* is in plan.outlook"):
        bt.plan.replication(bt.compare(table, quantity="pass^2"))

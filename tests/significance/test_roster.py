"""One row a test, and the choices made of them: which are valid, and what each row says."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names
from betterthan.signed import Signature
from betterthan.significance import roster

ALL = ["sign", "mid_p", "trinomial", "randomization"]  # of counts and items
COUNTS = bt.datasets.contingency_case("a")


def graded(seed=0, items=40, systems=4):
    values = np.random.default_rng(seed).integers(0, 5, (items, systems)) / 4
    return xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(systems)]}
    )


def test_every_test_stands_in_one_row():
    assert tuple(spec.name for spec in roster.TESTS) == names.TESTS
    assert len({spec.header for spec in roster.TESTS}) == len(roster.TESTS)
    assert [spec.name for spec in roster.TESTS if spec.needs_items] == [
        *("randomization", "wilcoxon", "t")
    ]
    assert [spec.name for spec in roster.TESTS if spec.needs_ties] == ["trinomial"]


def test_p_values_are_those_of_the_functions():
    data = graded()
    counts = bt.count(data)
    expected = {
        "sign": bt.sign_test(counts)["p_value"],
        "mid_p": bt.sign_test(counts)["mid_p"],
        "trinomial": bt.sign_test(counts, ties="third")["p_value"],
        "randomization": bt.randomization_test(data)["p_value"],
    }
    choices = roster.TestContext(bt.significance.Tests(ALL))
    for spec in choices.tests.on(data):
        found = spec.run(data, counts, choices)
        np.testing.assert_array_equal(found["p_value"], expected[spec.name])
    assert set(expected) == set(ALL)


@pytest.mark.parametrize(
    ("ties", "policy"),
    [("third", "drop"), ("all", "drop"), ("drop", "drop"), ("half", "half"), ("to_a", "to_a")],
)
def test_the_sign_test_cannot_keep_ties(ties, policy):
    counts = bt.count(graded())
    choices = roster.TestContext(bt.significance.Tests(("sign", "mid_p")), ties=ties)
    expected = bt.sign_test(counts, ties=policy)
    for spec, name in zip(choices.tests.on(counts), ("p_value", "mid_p"), strict=True):
        found = spec.run(counts, counts, choices)["p_value"]
        np.testing.assert_array_equal(found, expected[name])
    assert choices.sign_ties == policy


def test_a_sampled_test_says_how_it_was_sampled():
    data = graded(systems=2) + np.random.default_rng(1).normal(0, 1, (40, 2))
    choices = roster.TestContext(bt.significance.Tests("randomization", shuffles=99), rng=5)
    (spec,) = choices.tests.on(data)
    found = spec.run(data, bt.count(data), choices)
    told = {"p_value", "p_value_mcse", "exceedances", "swapped_difference", "favours"}
    assert told == set(found.arrays)
    made = Signature.from_attrs(found.attrs)
    assert (made.shuffles, made.shuffle_seed, made.randomization_method) == (99, 5, "monte_carlo")
    assert spec.words(made) == "randomization of mean (99 random permutations, seed 5)"


def test_words_of_tests_that_are_exact():
    said = Signature(
        sign_ties="to_b", randomization_method="convolution", randomization_statistic="f1"
    )
    assert [roster.get_spec(test).words(said) for test in ALL] == [
        "sign test (ties to the system named second)",
        "mid-p sign test (ties to the system named second)",
        "trinomial test (ties kept)",
        "randomization of f1 (exact, convolution)",
    ]


@pytest.mark.parametrize(
    ("data", "suited"),
    [
        (graded(), ["sign", "randomization"]),
        (graded() > 0.4, ["sign"]),
        (COUNTS, ["sign"]),
    ],
)
def test_without_a_choice_the_tests_suit_the_data(data, suited):
    assert [spec.name for spec in bt.significance.Tests().on(data)] == suited


def test_names_are_kept_in_order_and_choices_are_taken_as_they_are():
    asked = bt.significance.Tests.parse(["mid_p", "sign"])
    assert asked == bt.significance.Tests(which=("mid_p", "sign"))
    assert [spec.name for spec in asked.on(COUNTS)] == ["mid_p", "sign"]
    assert bt.significance.Tests.parse(asked) is asked
    assert bt.significance.Tests.parse(None) == bt.significance.Tests()
    assert bt.significance.Tests.parse("sign").which == ("sign",)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"which": ()}, "which is empty; give one or more of sign, mid_p, mcnemar, trinomial"),
        ({"which": ["signs"]}, "which is 'signs'; choose one of sign, mid_p"),
        ({"which": ["sign", "sign"]}, "test 'sign' occurs more than once"),
        ({"which": 5}, "which is int; give one or more of sign"),
        ({"alpha": 1}, "alpha is 1; give a number between 0 and 1"),
        ({"correction": "max_t"}, "correction is 'max_t'; choose one of none, holm, bh"),
        ({"shuffles": 0.5}, "shuffles is 0.5; give a whole number"),
    ],
)
def test_bad_choices(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.significance.Tests(**choices)


@pytest.mark.parametrize("nothing", [[], (), set()])
def test_comparing_with_an_empty_list_of_tests_is_refused(nothing):
    with pytest.raises(ValueError, match="tests is empty; give one or more of sign, mid_p"):
        bt.compare(COUNTS, tests=nothing)


def test_what_a_test_needs():
    choices = roster.TestContext(bt.significance.Tests(("trinomial",)))
    unknown = bt.datasets.intent_detection()
    with pytest.raises(ValueError, match="the trinomial test needs the number of ties"):
        roster.get_spec("trinomial").run(unknown, unknown, choices)
    with pytest.raises(ValueError, match="and these are counts; choose one of sign"):
        bt.significance.Tests("randomization").on(COUNTS)


def p_of(data, *tests):
    compared = bt.compare(data, tests=list(tests)).data
    return {test: float(compared["p_value"].sel(test=test)[0, 1]) for test in tests}


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_and_t_are_those_of_scipy(seed):
    from scipy import stats

    values = np.random.default_rng(seed).normal([0.3, 0.0], 1, (40, 2))
    data = xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})
    p = p_of(data, "wilcoxon", "t")
    assert p["wilcoxon"] == pytest.approx(stats.wilcoxon(*values.T).pvalue, rel=1e-9)
    assert p["t"] == pytest.approx(stats.ttest_rel(*values.T).pvalue, rel=1e-9)


def test_wilcoxon_counts_every_sign_with_ties_too():
    d = np.array([1, 1, 2, -2, 3, 0, -1, 2])
    data = xr.DataArray(
        np.stack([d, 0 * d], 1), dims=("item", "system"), coords={"system": ["A", "B"]}
    )
    ranks = np.array([2, 2, 5, 5, 7, 2, 5])
    signs = 1 - 2 * ((np.arange(2**7)[:, None] >> np.arange(7)) & 1)
    observed = abs((ranks * np.sign(d[d != 0])).sum())
    expected = (np.abs((signs * ranks).sum(1)) >= observed).mean()
    assert p_of(data, "wilcoxon")["wilcoxon"] == pytest.approx(expected, rel=1e-12)
    many = xr.concat([data] * 30, "item")
    from scipy import stats

    far = stats.wilcoxon(np.tile(d, 30), method="asymptotic").pvalue
    assert p_of(many, "wilcoxon")["wilcoxon"] == pytest.approx(far, rel=1e-6)


def test_mcnemar_is_the_sign_test_without_ties():
    data = (graded(systems=2) > 0.4).astype(float)
    expected = float(bt.sign_test(bt.count(data), ties="drop")["p_value"][0, 1])
    assert p_of(data, "mcnemar") == {"mcnemar": expected}
    assert "McNemar p" in bt.report(bt.compare(data, tests="mcnemar"))
    assert "exact McNemar test (ties dropped)" in bt.report(bt.compare(data, tests="mcnemar"))


def test_equal_systems_have_p_1_and_clusters_are_units():
    data = graded(systems=2)
    same = data.copy(data=np.repeat(data.values[:, :1], 2, axis=1))
    assert p_of(same, "wilcoxon", "t") == {"wilcoxon": 1.0, "t": 1.0}
    clustered = data.assign_coords(cluster=("item", np.repeat(list("abcdefghij"), 4)))
    means = clustered.groupby("cluster").mean().rename(cluster="item")
    p = p_of(clustered, "t", "wilcoxon")
    assert p == pytest.approx(p_of(means, "t", "wilcoxon"), rel=1e-9)
    swapped = data.isel(system=[1, 0])
    assert p_of(swapped, "t", "wilcoxon") == pytest.approx(p_of(data, "t", "wilcoxon"), rel=1e-12)


def test_tests_of_items_refuse_counts_in_one_line():
    for test in ("wilcoxon", "t"):
        with pytest.raises(ValueError, match=f"tests='{test}' needs the scores of single items"):
            bt.compare(COUNTS, tests=test)

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan import names
from betterthan.exact.wins import sign
from betterthan.significance.signs import mcnemar, sign_test

COUNT = st.integers(0, 60)
# fifteen pairs of six systems in one table: eight tables hold twice as many pairs as sixty of one
# pair each
TABLE = st.lists(st.tuples(COUNT, COUNT, COUNT), min_size=15, max_size=15)
UPPER = np.triu_indices(6, 1)
few_tables = settings(max_examples=8)
AB, BA = {"system_a": "A", "system_b": "B"}, {"system_a": "B", "system_b": "A"}
POLICIES = names.TIES[:-1]

# Tables 1 to 3 of Di Eugenio, Glass & Scott 2002; feedback time is left out, as in Table 4: it is
# part of total time.
DIAG = {
    "total time": (29.8, 28.0, False),
    "indicator consultations": (11.4, 5.9, False),
    "RU consultations": (19.2, 18.1, False),
    "parts replaced": (3.85, 3.33, False),
    "essay score": (81, 83, True),
    "RU recollection": (0.72, 0.63, True),
    "usefulness": (4.35, 4.47, True),
    "right track": (4.35, 4.35, True),
    "not misleading": (4.00, 4.12, True),
    "conciseness": (3.47, 3.76, True),
}


def ab(*counts):
    return bt.counts.from_table({("A", "B"): counts})


def table(rows):
    """Each row of counts is one pair of the systems A to F."""
    cells = zip(itertools.combinations("ABCDEF", 2), rows, strict=True)
    return bt.counts.from_table({pair: tuple(row) for pair, row in cells})


def upper(values):
    """What lies above the diagonal of the last two dims."""
    return values[..., *UPPER]


def diag(without=()):
    kept = [row for name, row in DIAG.items() if name not in without]
    better = [np.sign(nlp - orig) * (1 if higher else -1) for orig, nlp, higher in kept]
    counts = [sum(b == side for b in better) for side in (1, -1, 0)]
    return bt.counts.from_table({("DIAG-NLP", "DIAG-orig"): tuple(counts)})


@pytest.mark.parametrize(
    ("without", "policy", "p", "wins", "n"),
    [
        ((), "to_a", 0.0107421875, 9, 10),
        ((), "to_b", 0.0546875, 8, 10),
        ((), "drop", 0.01953125, 8, 9),
        ((), "half", 0.01953125, 8, 9),  # the one tie is odd
        (("total time",), "to_a", 0.01953125, 8, 9),
        (("total time",), "to_b", 0.08984375, 7, 9),
        (("total time",), "drop", 0.03515625, 7, 8),
    ],
)
def test_the_paper(without, policy, p, wins, n):
    cell = {"system_a": "DIAG-NLP", "system_b": "DIAG-orig"}
    test = sign_test(diag(without), ties=policy, alternative="greater").sel(cell)
    assert (test["p_value"].item(), test["wins"].item(), test["n"].item()) == (p, wins, n)
    every = sign_test(diag(without), ties="all", alternative="greater").sel(cell)
    assert every["p_value"].sel(ties_policy=policy).item() == p
    assert every["flips"].item()  # significant or not, as the tie falls


def test_ten_more_ties():
    test = sign_test(ab(8, 1, 11), ties="all", alternative="greater").sel(AB)
    # 8 of 9; the paper's prose says 9 of 9
    assert test["p_value"].sel(ties_policy="drop").item() == 0.01953125
    half = test.sel(ties_policy="half")
    assert half["p_value"].item() == pytest.approx(0.0835342407, abs=5e-11)
    assert (half["wins"].item(), half["n"].item(), half["dropped_ties"].item()) == (13, 19, 1)
    assert test["dropped_ties"].values.tolist() == [0, 11, 1, 0, 0]
    assert test["ties"].item() == 11


def test_mann_whitney_of_the_paper():
    # U = 98 of 17 and 17, printed p = 0.11, by the normal approximation without continuity
    # correction
    rng = np.random.default_rng(0)
    while True:
        x = rng.permutation(34)[:17]
        y = np.setdiff1d(np.arange(34), x)
        if stats.mannwhitneyu(x, y).statistic == 98:
            break
    p = stats.mannwhitneyu(x, y, method="asymptotic", use_continuity=False).pvalue
    assert round(float(p), 3) == 0.109


@pytest.mark.parametrize("alternative", names.ALTERNATIVES)
def test_every_pair_of_published_counts_against_scipy(alternative):
    counts = bt.datasets.intent_detection()
    test = sign_test(counts, alternative=alternative)
    for i, a in enumerate(counts.system_a.values):
        for j, b in enumerate(counts.system_b.values):
            wins, losses = counts.values[i, j, :2]
            cell = test.sel(system_a=a, system_b=b)
            if i == j:
                assert (
                    cell["p_value"].item() == cell["mid_p"].item() == cell["smallest_p"].item() == 1
                )
            else:
                expected = stats.binomtest(wins, wins + losses, 0.5, alternative).pvalue
                assert cell["p_value"].item() == pytest.approx(expected, rel=1e-12)
                assert cell["mid_p"].item() == sign.sign_mid_p(wins, losses, alternative)
    assert (test["ties"].values == -1).all()
    assert (test["dropped_ties"].values == -1).all()


@few_tables
@given(TABLE)
def test_exchanging_the_systems(rows):
    there_rows = [(losses, wins, ties) for wins, losses, ties in rows]
    here, there = (
        sign_test(table(r), ties="all")["p_value"].transpose("ties_policy", ...)
        for r in (rows, there_rows)
    )
    mirror = ["third", "drop", "half", "to_b", "to_a"]
    mirrored = here.sel(ties_policy=mirror).transpose("ties_policy", "system_b", "system_a").values
    np.testing.assert_array_equal(upper(here.values), upper(there.sel(ties_policy=mirror).values))
    np.testing.assert_array_equal(here.values, mirrored)
    for policy in ("third", "drop", "half"):
        np.testing.assert_array_equal(*(t.sel(ties_policy=policy).values for t in (here, there)))


@few_tables
@given(TABLE)
@pytest.mark.parametrize("policy", POLICIES)
def test_greater_one_way_is_less_the_other(policy, rows):
    greater = sign_test(table(rows), ties=policy, alternative="greater")
    less = sign_test(table(rows), ties=policy, alternative="less")
    for name in ("p_value", "mid_p", "smallest_p"):
        np.testing.assert_array_equal(greater[name].values, less[name].values.T)
    np.testing.assert_array_equal(greater["wins"].values, greater["losses"].values.T)
    np.testing.assert_array_equal(greater["n"].values, greater["n"].values.T)


@settings(max_examples=2)
@given(TABLE)
@pytest.mark.parametrize("alternative", names.ALTERNATIVES)
@pytest.mark.parametrize("policy", POLICIES)
def test_one_policy_is_the_upper_triangle_of_all(policy, alternative, rows):
    one = sign_test(table(rows), ties=policy, alternative=alternative)
    every = sign_test(table(rows), ties="all", alternative=alternative).sel(ties_policy=policy)
    for name in one.data_vars:
        both = (
            x[name].transpose("system_a", "system_b").values.astype(float) for x in (one, every)
        )
        np.testing.assert_allclose(*(upper(values) for values in both), rtol=1e-6)
    settled = bt.counts.apply_ties(table(rows), policy).values
    if policy != "third":
        np.testing.assert_array_equal(one["wins"].values, settled[..., 0])
        np.testing.assert_array_equal(one["losses"].values, settled[..., 1])
    p, smallest, needed = (
        upper(one[name].values) for name in ("p_value", "smallest_p", "decisive_needed")
    )
    assert (smallest <= p * (1 + 1e-12)).all()
    decisive = np.array(rows)[:, :2].sum(1)
    assert (p[decisive < needed] > names.ALPHA).all()


@few_tables
@given(TABLE)
@pytest.mark.parametrize("policy", ["drop", "half", "third"])
def test_one_more_win_for_a_loss_makes_p_of_greater_smaller(policy, rows):
    before = sign_test(
        table([(w, l + 1, t) for w, l, t in rows]), ties=policy, alternative="greater"
    )["p_value"]
    after = sign_test(
        table([(w + 1, l, t) for w, l, t in rows]), ties=policy, alternative="greater"
    )["p_value"]
    assert (upper(after.values) <= upper(before.values)).all()


def test_two_systems_that_are_the_same():
    scores = xr.DataArray(
        np.tile([[1.0], [0.0], [1.0], [1.0]], 3),
        dims=("item", "system"),
        coords={"system": ["A", "B", "C"]},
    )
    test = sign_test(scores, ties="all")
    same = test.sel(ties_policy=["third", "drop", "half"])
    assert (same["p_value"].values == 1).all()
    assert (same["mid_p"].sel(ties_policy=["drop", "half"]).values == 1).all()
    assert np.isnan(same["mid_p"].sel(ties_policy="third").values).all()
    assert test["p_value"].sel(AB).sel(ties_policy="to_a").item() == 2 / 2**4
    assert test["ties"].sel(AB).item() == 4
    assert sign_test(scores, alternative="greater")["p_value"].values.min() == 1
    assert mcnemar(3, 0, 0, 1)["p_value"].item() == mcnemar(3, 0, 0, 1)["mid_p"].item() == 1


def test_scores_in_every_policy_against_counts_by_hand():
    rng = np.random.default_rng(6)
    values = rng.integers(0, 3, (80, 4)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABCD")})
    counts = bt.count(scores, missing="complete", margin=1)
    for policy in names.TIES:
        xr.testing.assert_equal(
            sign_test(scores, ties=policy, missing="complete", margin=1),
            sign_test(counts, ties=policy),
        )
    attrs = sign_test(scores, missing="complete", margin=1).attrs
    assert (attrs["missing"], attrs["margin"], attrs["unit"], attrs["n_items"]) == (
        "complete",
        1.0,
        "item",
        80,
    )


def test_pairs_and_datasets():
    counts = bt.counts.from_table(
        {("A", "B"): (8, 1, 11), ("A", "C"): (5, 5, 2), ("B", "C"): (3, 9, 0)}
    )
    for policy in names.TIES:
        expected = sign_test(counts, ties=policy)
        xr.testing.assert_equal(sign_test(bt.counts.to_pairs(counts), ties=policy), expected)
    stacked = xr.concat(
        [counts, counts], pd.Index(["x", "y"], name="dataset"), combine_attrs="override"
    )
    pooled = sign_test(stacked)
    xr.testing.assert_equal(pooled, sign_test(2 * counts))
    assert pooled.attrs["datasets_pooled"] == 2
    other = counts.expand_dims(topic=["x", "y"])
    with pytest.raises(
        ValueError, match=r"counts have dims topic, .*; give \(system_a, system_b, outcome\)"
    ):
        sign_test(other)


def test_a_table_of_measures():
    frame = pd.DataFrame(
        {"measure": ["time", "score"], "A": [3.0, 1.0], "B": [2.0, 1.0], "higher_is_better": [1, 0]}
    )
    counts = bt.counts.from_measures(frame)
    assert counts.sel(AB).values.tolist() == [1, 0, 1]
    xr.testing.assert_identical(sign_test(frame, ties="all"), sign_test(counts, ties="all"))
    assert sign_test(frame).attrs["unit"] == "measure"


def test_relabelling_and_order():
    counts = bt.counts.from_table(
        {("A", "B"): (8, 1, 11), ("A", "C"): (5, 4, 2), ("B", "C"): (3, 9, 0)}
    )
    turned = counts.isel(system_a=[2, 0, 1], system_b=[2, 0, 1])
    for policy in ("third", "drop", "half", "all"):
        here, there = sign_test(counts, ties=policy), sign_test(turned, ties=policy)
        xr.testing.assert_equal(here, there.sel(system_a=list("ABC"), system_b=list("ABC")))
    here, there = (
        sign_test(counts, ties="to_a")["p_value"],
        sign_test(turned, ties="to_b")["p_value"],
    )
    assert (
        here.sel(system_a="A", system_b="C").item() == there.sel(system_a="A", system_b="C").item()
    )


def test_what_could_be_reached():
    test = sign_test(ab(2, 1, 10), ties="all")
    at = test.sel(AB)
    assert at["smallest_p"].sel(ties_policy="drop").item() == 0.25
    assert at["decisive_needed"].sel(ties_policy=["drop", "half", "to_a"]).values.tolist() == [
        6,
        10,
        0,
    ]
    assert at["decisive_needed"].dtype.kind == "i"
    assert not test["flips"].values.diagonal().any()
    assert sign_test(ab(2, 1), alpha=0.25)["decisive_needed"].sel(AB).item() == 3


def test_netcdf_loses_nothing(tmp_path):
    for policy in names.TIES:
        test = sign_test(ab(8, 1, 11), ties=policy)
        test.to_netcdf(tmp_path / f"{policy}.nc")
        back = xr.load_dataset(tmp_path / f"{policy}.nc")
        xr.testing.assert_equal(test, back)
        assert back.attrs.keys() == test.attrs.keys()
        assert (back.attrs["test"], back.attrs["ties"], back.attrs["alpha"]) == (
            "sign test",
            policy,
            0.05,
        )


@given(COUNT, COUNT, st.sampled_from(names.ALTERNATIVES))
def test_mcnemar_is_the_sign_test_of_the_discordant_items(only_a, only_b, alternative):
    test = mcnemar(30, only_a, only_b, 7, alternative=alternative)
    if only_a + only_b:
        expected = stats.binomtest(only_a, only_a + only_b, 0.5, alternative).pvalue
        assert test["p_value"].item() == pytest.approx(expected, rel=1e-12)
    square = sign_test(
        bt.counts.from_contingency(30, only_a, only_b, 7), alternative=alternative
    ).sel(AB)
    for name in ("p_value", "mid_p", "n", "smallest_p"):
        assert test[name].item() == square[name].item()
    assert (test["only_a"].item(), test["only_b"].item(), test.attrs["n_items"]) == (
        only_a,
        only_b,
        37 + only_a + only_b,
    )
    assert not test.sizes


def test_ties_that_are_unknown():
    assert sign_test(ab(8, 1))["p_value"].sel(AB).item() == 0.0390625
    for policy in ("third", "half", "to_a", "to_b", "all"):
        with pytest.raises(ValueError, match=f"ties='{policy}' needs the number of ties"):
            sign_test(ab(8, 1), ties=policy)
    settled = bt.counts.apply_ties(ab(8, 1, 11), "half")
    assert sign_test(settled)["n"].sel(AB).item() == 19
    with pytest.raises(
        ValueError, match="ties='all' needs ties, and in these counts 'half' is applied"
    ):
        sign_test(settled, ties="all")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sign_test(ab(1, 1, 1), ties="split"),
            "ties is 'split'; choose one of third, drop, half",
        ),
        (
            lambda: sign_test(ab(1, 1, 1), alternative="better"),
            "alternative is 'better'; choose one of two-sided",
        ),
        (
            lambda: sign_test(ab(1, 1, 1), alpha=0),
            "alpha is 0; give a number between 0 and 1, both excluded",
        ),
        (lambda: sign_test(ab(1, 1, 1), alpha=1.5), "alpha is 1.5; give a number between 0 and 1"),
        (lambda: sign_test(ab(1, 1, 1), alpha="5%"), "alpha is '5%'; give a number"),
        (lambda: sign_test(ab(1, 1, 1), margin=0.1), "margin=0.1 is for scores; these are counts"),
        (lambda: sign_test(ab(1, 1, 1), missing="wrong"), "missing='wrong' is for scores"),
        (
            lambda: sign_test(ab(1, 1, 10**6), ties="third"),
            "a pair has 1000002 items; the trinomial test takes up to",
        ),
        (lambda: sign_test(np.ones((3, 2))), "data is ndarray; give scores, counts, or a pandas"),
        (lambda: sign_test(ab(1, 1, 1) * 0.5), "hold 0.5; give whole numbers"),
        (lambda: sign_test(ab(1, 1, 1).isel(system_a=0)), "give .system_a, system_b, outcome"),
        (lambda: mcnemar(1, 2, -1, 0), "only_b is -1; give a whole number of at least 0"),
        (lambda: mcnemar(1, 2.5, 1, 0), "only_a is 2.5; give a whole number of at least 0"),
        (lambda: mcnemar(True, 2, 1, 0), "both_right is True; give a whole number"),
        (lambda: mcnemar(1, 2, 1, 0, alternative="more"), "alternative is 'more'; choose one of"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


@few_tables
@given(
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(0, 50)),
        min_size=15,
        max_size=15,
    )
)
def test_the_posterior_under_a_uniform_prior_is_the_one_sided_mid_p(rows):
    behind = 1 - upper(bt.prob_better(table(rows)).values)
    mid_p = upper(sign_test(table(rows), alternative="greater")["mid_p"].values)
    np.testing.assert_allclose(behind, mid_p, rtol=0, atol=1e-13)

"""Two groups of different people: the test of Mann and Whitney, and its Bayesian counterpart."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import betterthan as bt
from betterthan.exact.swaps.rank_tests import exact_rank_sum_p, normal_rank_sum_p
from betterthan.exact.wins.superiority import superiority

RANDOM = np.random.default_rng(5)


def rows(first, second):
    return pd.DataFrame(
        {
            "system": ["orig"] * len(first) + ["nlp"] * len(second),
            "value": [*first, *second],
            "subject": [f"p{k}" for k in range(len(first) + len(second))],
        }
    )


def compared(first, second, **choices):
    return bt.people.mann_whitney(rows(first, second), "value", "system", **choices)


def test_the_published_u_has_the_published_p():
    """Di Eugenio, Glass and Scott 2002, section 3.1: U = 98 of 17 and 17 people, p = 0.11."""
    first = np.arange(17.0)
    # of the second group five are above all of the first, one is above 13, eleven above none
    second = np.array([*(20.0 + k for k in range(5)), 12.5, *(-1.0 - k for k in range(11))])
    found = compared(first, second)
    assert found["u"].values.tolist() == [191, 98]
    expected = stats.mannwhitneyu(first, second, method="exact").pvalue
    assert found["p_value"].item() == pytest.approx(expected, rel=1e-12)
    assert round(found["p_value"].item(), 2) == 0.11
    assert found.attrs["p_method"] == "exact"


def test_ties_are_counted_as_they_are():
    for m, n in ((3, 5), (5, 4), (4, 4)):
        first, second = (RANDOM.integers(1, 6, k).astype(float) for k in (m, n))
        pooled = np.concatenate([first, second])
        above = [
            ((one := pooled[list(chosen)])[:, None] > (rest := np.delete(pooled, chosen))).sum()
            + (one[:, None] == rest).sum() / 2
            for chosen in itertools.combinations(range(m + n), m)
        ]
        u = above[0]  # of the first m, the observed ones
        expected = min(1, 2 * min((np.array(above) <= u).mean(), (np.array(above) >= u).mean()))
        found = compared(first, second)
        assert found["u"].values.tolist() == [u, m * n - u]
        assert found["superiority"].item() == pytest.approx(u / (m * n))
        assert found["p_value"].item() == pytest.approx(expected, rel=1e-12)


def test_large_groups_take_the_normal_approximation():
    first, second = RANDOM.integers(1, 6, 300), RANDOM.integers(2, 7, 300)
    found = compared(first, second)
    assert found.attrs["p_method"] == "normal"
    expected = stats.mannwhitneyu(first, second, method="asymptotic").pvalue
    assert found["p_value"].item() == pytest.approx(expected, rel=1e-9)
    some, others = RANDOM.normal(size=(2, 40))
    exact = exact_rank_sum_p(some, others, 10**9)
    assert normal_rank_sum_p(some, others) == pytest.approx(exact, abs=0.005)
    assert normal_rank_sum_p([2.0, 2.0], [2.0, 2.0]) == 1


def by_hand(first, second):
    """Posterior density of the probability, from the table of all pairs and one more person each,
    who ties with everybody.
    """
    wins = np.full((len(first) + 1, len(second) + 1), 0.5)
    for i, j in itertools.product(range(len(first)), range(len(second))):
        wins[i, j] = 0.5 if first[i] == second[j] else float(first[i] > second[j])
    rows, columns = wins.mean(1), wins.mean(0)
    a, b = (np.var(k, ddof=1) / len(k) for k in (rows, columns))
    df = (a + b) ** 2 / (a**2 / len(first) + b**2 / len(second))
    return stats.t(df, wins.mean(), np.sqrt(a + b))


@pytest.mark.parametrize("sizes", [(5, 5), (5, 12), (17, 17)])
@pytest.mark.parametrize("rounded", [False, True])
def test_the_posterior_is_that_of_an_integral_over_all_pairs(sizes, rounded):
    first, second = RANDOM.normal(0.5, 1, sizes[0]), RANDOM.normal(0, 2, sizes[1])
    if rounded:
        first, second = np.round(first), np.round(second)
    law = by_hand(first, second)
    area = integrate.quad(law.pdf, 0, 1)[0]
    found = compared(first, second, rope=0.1, ci_kind="eti")
    better = integrate.quad(law.pdf, 0.5, 1)[0] / area
    assert found["prob_better"].item() == pytest.approx(better, abs=1e-8)
    within = integrate.quad(law.pdf, 0.4, 0.6)[0] / area
    assert found["prob_equivalent"].item() == pytest.approx(within, abs=1e-8)
    lower, upper = found["lower"].item(), found["upper"].item()
    assert integrate.quad(law.pdf, 0, lower)[0] / area == pytest.approx(0.025, abs=1e-7)
    assert integrate.quad(law.pdf, upper, 1)[0] / area == pytest.approx(0.025, abs=1e-7)
    narrow = compared(first, second)
    ends = narrow["lower"].item(), narrow["upper"].item()
    assert integrate.quad(law.pdf, *ends)[0] / area == pytest.approx(0.95, abs=1e-7)
    assert ends[1] - ends[0] <= upper - lower + 1e-12


def test_large_groups_agree_with_the_bayesian_bootstrap_and_scipy():
    first, second = RANDOM.normal(0.2, 1, 300), RANDOM.normal(0, 3, 200)
    found = compared(first, second, ci_kind="eti")
    wins = (first[:, None] > second).astype(float)
    x, y = RANDOM.dirichlet(np.ones(300), 4000), RANDOM.dirichlet(np.ones(200), 4000)
    draws = ((x @ wins) * y).sum(1)
    assert found["prob_better"].item() == pytest.approx((draws > 0.5).mean(), abs=0.03)
    ends = [found["lower"].item(), found["upper"].item()]
    assert ends == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=0.008)
    greater = stats.brunnermunzel(first, second, alternative="less").pvalue
    assert 1 - found["prob_better"].item() == pytest.approx(1 - greater, abs=0.01)


def test_groups_exchanged_and_values_reversed_are_the_other_answer():
    first, second = RANDOM.integers(1, 6, 9), RANDOM.integers(1, 6, 14)
    one, other = compared(first, second, rope=0.05), compared(second, first, rope=0.05)
    low = compared(first, second, rope=0.05, higher_is_better=False)
    for mirrored in (other, low):
        for name in ("superiority", "prob_better"):
            assert one[name].item() == pytest.approx(1 - mirrored[name].item(), abs=1e-12)
        assert one["lower"].item() == pytest.approx(1 - mirrored["upper"].item(), abs=1e-9)
        assert one["p_value"].item() == pytest.approx(mirrored["p_value"].item())
        assert one["prob_equivalent"].item() == pytest.approx(mirrored["prob_equivalent"].item())
    assert low["u"].values.tolist() == one["u"].values[::-1].tolist()
    assert low["mean"].values.tolist() == one["mean"].values.tolist()
    grown = compared(np.exp(first), np.exp(second), rope=0.05)
    assert grown["prob_better"].item() == pytest.approx(one["prob_better"].item(), abs=1e-12)


def test_groups_that_do_not_overlap_have_an_interval():
    found = compared([5, 5, 5, 4, 4], [1, 2, 2, 3, 3])
    assert found["superiority"].item() == 1
    assert found["p_value"].item() == pytest.approx(2 / 252)
    assert 0.5 < found["lower"].item() < 0.9
    assert found["upper"].item() == 1
    assert found["verdict"].item() == "a_better"
    assert compared([1, 2, 2, 3, 3], [5, 5, 5, 4, 4])["verdict"].item() == "b_better"


def test_the_value_that_all_people_have_keeps_its_sign():
    with pytest.warns(UserWarning, match="all 10 people have the same value \\(-3\\)"):
        compared([-3] * 5, [-3] * 5)


def test_all_values_equal_say_nothing():
    with pytest.warns(UserWarning, match="all 10 people have the same value \\(4\\)"):
        found = compared([4] * 5, [4] * 5, higher_is_better=False, rope=0.1)
    assert found["p_value"].item() == 1
    assert found["prob_better"].item() == 0.5
    assert np.isnan(found["lower"].item())
    assert np.isnan(found["prob_equivalent"].item())
    assert found["verdict"].item() == "undecided"
    assert np.isnan(superiority(np.ones(3), np.ones(3)).prob_above(0.5)).all()


def test_many_people_alike_are_equivalent():
    values = np.arange(400) % 5
    assert compared(values, values, rope=0.1)["verdict"].item() == "equivalent"
    assert compared(values, values)["verdict"].item() == "undecided"


def test_fewer_than_five_people_have_no_verdict():
    assert compared([5, 6, 7, 8], [1, 2, 3, 4, 4])["verdict"].item() == "no_verdict"


def test_rows_of_a_person_are_one_value_and_blank_ones_are_counted():
    table = rows([1, 2, 3, 4, 5], [2, 3, 4, 5, 6])
    again = pd.concat(
        [table.assign(value=table["value"] - 1), table.assign(value=table["value"] + 1)]
    )
    one = bt.people.mann_whitney(table, "value", "system")
    two = bt.people.mann_whitney(again, "value", "system")
    assert two["prob_better"].item() == one["prob_better"].item()
    assert two["n"].values.tolist() == [5, 5]
    table.loc[0, "value"] = np.nan
    found = bt.people.mann_whitney(table, "value", "system", unit=None)
    assert found["n"].values.tolist() == [4, 5]
    assert found.attrs["n_dropped"] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.assign(subject=["a", "b", "c", "d"] * 2), "subject 'a' is in both groups"),
        (lambda t: t.iloc[:5], "group 'nlp' has one person"),
        (lambda t: t.iloc[:4], "column 'system' has one level"),
        (lambda t: t.assign(system=list("aabbccdd")), "column 'system' has 4 groups"),
        (lambda t: t.drop(columns="subject"), "there is no column 'subject'"),
        (lambda t: t.assign(value="x"), "column 'value' holds something that is no number"),
        (
            lambda t: t.assign(value=t["value"].where(t.index != t.index[2], np.inf)),
            "row 2, column .value.: infinite; give a finite number",
        ),
        (lambda t: t.assign(system=[None] * 8), "row 0, column 'system': missing"),
    ],
)
def test_bad_input_is_refused_in_one_line(change, message):
    table = rows([1, 2, 3, 4], [2, 3, 4, 5])
    with pytest.raises(ValueError, match=message) as caught:
        bt.people.mann_whitney(change(table), "value", "system")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"rope": 0.5}, "rope is 0.5"),
        ({"threshold": 0.4}, "threshold"),
        ({"ci_kind": "wide"}, "ci_kind is 'wide'"),
        ({"higher_is_better": 0}, "higher_is_better is 0"),
    ],
)
def test_bad_choices_are_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        compared([1, 2, 3], [2, 3, 4], **choice)


def test_equal_groups_are_named_about_as_often_as_promised():
    named, sets = 0, 300
    for _ in range(sets):
        first, second = RANDOM.normal(0, 1, 10), RANDOM.normal(0, 3, 17)
        named += compared(first, second)["verdict"].item() != "undecided"
    assert named / sets == pytest.approx(0.10, abs=0.05)


def test_nothing_warns_of_ordinary_data():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared([1, 1, 1, 1, 1], [1, 1, 1, 1, 2])


def test_means_of_people_that_differ_by_rounding_alone_are_equal():
    """(.1 + .2 + .3) / 3 is more than (.3 + .2 + .1) / 3."""
    order = {"A": (1, 2, 3), "B": (3, 2, 1)}
    people = [(g, f"{g}{k}", x) for g in order for k in range(10) for x in order[g]]
    table = pd.DataFrame(people, columns=["group", "subject", "whole"])
    for of in (1, 10):
        table["rating"] = table["whole"] / of
        with pytest.warns(UserWarning, match="all 20 people have the same value"):
            found = bt.people.mann_whitney(table, "rating", "group")
        assert (found["superiority"].item(), found["p_value"].item()) == (0.5, 1)


def test_a_level_of_one_unit_is_not_compared():
    table = pd.DataFrame({"subject": [*"abcd"], "bin": [*"xxxy"], "rating": [1, 2, 4, 3]})
    with pytest.raises(ValueError, match="each one level, two or more a level"):
        bt.people.anova(table, "rating", "bin")

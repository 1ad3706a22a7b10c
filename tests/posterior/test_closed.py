import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt

PRINTED = pd.read_csv(Path(__file__).parents[1] / "reference" / "intent_detection.csv", comment="#")
COUNT = st.integers(0, 400)
PRIOR = st.tuples(*[st.floats(0.05, 20)] * 3)


def pair(*counts):
    return bt.counts.to_pairs(bt.counts.from_table({("A", "B"): counts}))


def only(array):
    return float(array.values.squeeze())


@pytest.mark.parametrize(
    "row", list(PRINTED.itertuples(index=False)), ids=lambda r: f"{r.system_a}-{r.system_b}"
)
def test_every_cell_of_table_a3_from_table_a2(row):
    counts = bt.datasets.intent_detection()
    cell = {"system_a": row.system_a, "system_b": row.system_b}
    assert counts.sel(cell).values.tolist() == [row.wins_a, row.wins_b]
    assert (
        f"{100 * bt.prob_better(counts).sel(cell).item():.2f}"
        == f"{row.probability_a_better_percent:.2f}"
    )


@pytest.mark.parametrize(
    ("case", "model", "expected"),
    [
        ("a", "dirichlet", 0.996307373046875),
        ("b", "dirichlet", 0.6890599769822636),
        ("a", "independent", 0.99641068147406),
        ("b", "independent", 0.7099604608263),
    ],
)
def test_the_two_published_cases(case, model, expected):
    p = (
        bt.prob_better(bt.datasets.contingency_case(case), model=model)
        .sel(system_a="A", system_b="B")
        .item()
    )
    assert p == pytest.approx(expected, rel=1e-10)


@given(COUNT, COUNT)
def test_bridge_to_the_binomial_tail(wins, losses):
    n = wins + losses + 1
    exact = Fraction(sum(math.comb(n, k) for k in range(losses + 1, n + 1)), 2**n)
    assert only(bt.prob_better(pair(wins, losses))) == pytest.approx(float(exact), rel=1e-12)


@given(COUNT, COUNT, COUNT, PRIOR)
def test_ties_do_not_move_it_and_swapping_exchanges_it(wins, losses, ties, prior):
    p = only(bt.prob_better(pair(wins, losses, ties), prior=prior))
    assert p == only(bt.prob_better(pair(wins, losses, 0), prior=prior))
    behind = only(bt.prob_better(pair(losses, wins, ties), prior=(prior[1], prior[0], prior[2])))
    assert p + behind == pytest.approx(1, abs=1e-12)


def test_both_sides_of_a_square_are_exact_in_the_tail():
    p = bt.prob_better(bt.counts.from_table({("A", "B"): (900, 100, 0)}))
    loser = p.sel(system_a="B", system_b="A").item()
    assert loser == pytest.approx(stats.binom.cdf(100, 1001, 0.5), rel=1e-9)
    assert 0 < loser < 1e-150


def test_an_informed_prior_speaks_of_the_system_named_first():
    counts = bt.counts.from_table(
        {("A", "B"): (5, 5, 0), ("A", "C"): (3, 4, 1), ("B", "C"): (0, 0, 0)}
    )
    p = bt.prob_better(counts, prior=(8, 2, 1))
    np.testing.assert_allclose(p.values + p.values.T, 1, rtol=1e-12)
    assert p.sel(system_a="A", system_b="B").item() == pytest.approx(
        stats.beta.sf(0.5, 13, 7), rel=1e-12
    )
    assert p.sel(system_a="B", system_b="A").item() == pytest.approx(
        stats.beta.cdf(0.5, 13, 7), rel=1e-12
    )


def test_ties_in_every_policy():
    expected = {"third": (8, 1), "drop": (8, 1), "half": (13, 6), "to_a": (19, 1), "to_b": (8, 12)}
    for policy, (wins, losses) in expected.items():
        p = only(bt.prob_better(pair(8, 1, 11), ties=policy))
        assert p == pytest.approx(stats.beta.sf(0.5, 1 + wins, 1 + losses), rel=1e-12), policy


def test_simulation_is_a_third_road():
    rng = np.random.default_rng(5)
    theta = rng.dirichlet([1 + 29, 1 + 45, 1 + 300], 200_000)
    p = only(bt.prob_better(pair(29, 45, 300)))
    assert (theta[:, 0] > theta[:, 1]).mean() == pytest.approx(
        p, abs=4 * math.sqrt(p * (1 - p) / 200_000)
    )


def test_dims_come_out_as_they_went_in():
    pairs = bt.counts.to_pairs(bt.datasets.intent_detection())
    assert bt.prob_better(pairs).dims == ("pair",)
    assert bt.prob_better(pairs).system_b.values[0] == "NN[n] T"
    stacked = pairs.expand_dims(dataset=["x", "y"])
    assert bt.prob_better(stacked).dims == ("dataset", "pair")


@given(COUNT, COUNT)
def test_bayes_factor_against_its_definition(wins, losses):
    found = only(bt.posterior.bayes_factor(pair(wins, losses), prior=(2.0, 3.5)))
    marginal = stats.betabinom.logpmf(wins, wins + losses, 2.0, 3.5)
    assert math.log(found) == pytest.approx(
        stats.binom.logpmf(wins, wins + losses, 0.5) - marginal, abs=1e-9
    )


def test_bayes_factor_of_a_square_is_of_the_pair():
    factor = bt.posterior.bayes_factor(bt.counts.from_table({("A", "B"): (12, 2)}), prior=(5, 1))
    np.testing.assert_allclose(factor.values, factor.values.T, rtol=1e-12)


def test_decisive_is_the_beta_of_the_appendix():
    posterior = bt.posterior.decisive(bt.datasets.contingency_case("a")).sel(
        system_a="A", system_b="B"
    )
    assert (posterior.a.item(), posterior.b.item()) == (13, 3)
    p = np.array([0.2, 0.5, 0.9])
    found = bt.posterior.decisive_density(bt.datasets.contingency_case("a"), p).sel(
        system_a="A", system_b="B"
    )
    np.testing.assert_allclose(found, stats.beta.pdf(p, 13, 3), rtol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: bt.prob_better(pair(1, 1), model="probit"),
            "model is 'probit'; choose one of dirichlet, independent",
        ),
        (lambda: bt.prob_better(pair(1, 1), model="independent"), "needs the number of ties"),
        (
            lambda: bt.prob_better(pair(1, 1, 1), prior=(0, 1, 1)),
            "prior for win is 0.0; every prior number",
        ),
        (
            lambda: bt.prob_better(pair(1, 1, 1), prior="flat"),
            "prior is 'flat'; choose one of uniform",
        ),
        (lambda: bt.prob_better(pair(1, 1, 1), prior=(1, 1)), "prior has 2 numbers; give 3"),
        (lambda: bt.prob_better(pair(1, 1, 1), prior=(1,)), "prior has 1 number; give 3"),
        (lambda: bt.prob_better(pair(1, 1, 1), ties="all"), "ties is 'all'; choose one of third"),
        (lambda: bt.prob_better(pair(1, 1, 1) - 2), "hold -1"),
        (lambda: bt.prob_better(pair(1, 1, 1) * 0.5), "hold 0.5; give whole numbers"),
        (lambda: bt.prob_better(np.ones(3)), "data is a ndarray; .* counts, with a dim 'outcome'"),
        (
            lambda: bt.posterior.decisive_density(pair(1, 1), [0.5, 1.0]),
            "give probabilities between 0 and 1",
        ),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_contradicting_triangles_are_refused():
    counts = bt.counts.from_table({("A", "B"): (3, 1, 2)})
    counts[0, 1, 0] = 4
    with pytest.raises(
        ValueError, match=r"'A' against 'B' is \[4, 1, 2\].*'B' against 'A' is \[1, 3, 2\]"
    ):
        bt.prob_better(counts)

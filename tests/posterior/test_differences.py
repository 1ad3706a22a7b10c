import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import betterthan as bt

COUNT = st.integers(0, 200)
ROPE = st.floats(0.001, 0.5)


def pair(*counts):
    return bt.counts.to_pairs(bt.counts.from_table({("A", "B"): counts}))


def only(array):
    return float(array.values.squeeze())


@given(COUNT, COUNT, COUNT, ROPE)
def test_masses_are_a_partition_and_swap_exchanges_them(wins, losses, ties, rope):
    masses = bt.prob_equivalent(pair(wins, losses, ties), rope).values[0]
    mirrored = bt.prob_equivalent(pair(losses, wins, ties), rope).values[0]
    assert masses.sum() == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(masses, mirrored[::-1], rtol=1e-9)


@given(COUNT, COUNT, COUNT)
def test_without_a_rope_the_masses_are_who_is_better(wins, losses, ties):
    masses = bt.prob_equivalent(pair(wins, losses, ties), 0).values[0]
    p = only(bt.prob_better(pair(wins, losses, ties)))
    np.testing.assert_allclose(masses, [1 - p, 0, p], atol=1e-12)


@given(COUNT, COUNT, COUNT, st.floats(0.001, 0.999))
def test_quantile_undoes_the_distribution_function(wins, losses, ties, prob):
    counts = pair(wins, losses, ties)
    x = only(bt.posterior.ppf(counts, prob))
    assert only(bt.posterior.cdf(counts, x)) == pytest.approx(prob, abs=1e-9)


@settings(max_examples=30)
@given(COUNT, COUNT, COUNT)
def test_the_hdi_is_the_shortest_interval_and_holds_its_mass(wins, losses, ties):
    counts = pair(wins, losses, ties)
    hdi, eti = bt.difference(counts), bt.difference(counts, ci_kind="eti")
    mass = only(bt.posterior.cdf(counts, only(hdi["upper"]))) - only(
        bt.posterior.cdf(counts, only(hdi["lower"]))
    )
    assert mass == pytest.approx(0.95, abs=1e-9)
    width = only(hdi["upper"] - hdi["lower"])
    assert width <= only(eti["upper"] - eti["lower"]) + 1e-9
    below = np.linspace(0.0005, 0.0495, 15)
    ends = bt.posterior.ppf(counts, np.concatenate([below, below + 0.95])).values[0]
    assert (ends[15:] - ends[:15] >= width - 1e-9).all()


def test_moments_and_interval_against_simulation():
    rng = np.random.default_rng(3)
    theta = rng.dirichlet([1 + 29, 1 + 45, 1 + 80], 400_000)
    d = theta[:, 0] - theta[:, 1]
    found = bt.difference(pair(29, 45, 80), ci_kind="eti")
    assert only(found["mean"]) == pytest.approx(d.mean(), abs=4 * d.std() / 632)
    assert only(found["sd"]) == pytest.approx(d.std(), rel=0.01)
    for end, level in (("lower", 0.025), ("upper", 0.975)):
        assert (d < only(found[end])).mean() == pytest.approx(
            level, abs=4 * np.sqrt(0.025 * 0.975 / 400_000)
        )
    assert only(bt.posterior.sf(pair(29, 45, 80), -0.05)) == pytest.approx(
        (d > -0.05).mean(), abs=0.003
    )


def test_density_integrates_to_the_distribution_function():
    counts = pair(7, 3, 12)
    x = np.linspace(-0.2, 0.7, 4001)
    density = bt.posterior.pdf(counts, x).values[0]
    cdf = bt.posterior.cdf(counts, [-0.2, 0.7]).values[0]
    assert np.trapezoid(density, x) == pytest.approx(cdf[1] - cdf[0], abs=1e-7)


@pytest.mark.parametrize("prior", ["jeffreys", (1, 1, 0.2), (0.2, 0.3, 1), (1, 1, 1)])
@pytest.mark.parametrize("x", [2**-53, -(2**-53), 1e-17, -1e-17, 1e-300, -5e-324])
def test_next_to_no_difference_it_is_who_is_better(prior, x):
    # A and C have no items, so that their posterior is the prior
    counts = bt.counts.from_table({("A", "B"): (18, 9, 13), ("A", "C"): (0, 0, 0)})
    below = bt.posterior.cdf(counts, x, prior=prior)
    above = bt.posterior.sf(counts, x, prior=prior)
    at_zero = bt.posterior.sf(counts, 0, prior=prior)
    np.testing.assert_allclose((below + above).values[0, 1:], 1, rtol=1e-11)
    np.testing.assert_allclose(above.values[0, 1], at_zero.values[0, 1], rtol=1e-12)
    np.testing.assert_allclose(above.values[0, 2], at_zero.values[0, 2], rtol=1e-7)


def test_dropping_ties_speaks_of_the_decisive_examples():
    found = bt.difference(pair(12, 2, 986), ties="drop", ci_kind="eti")
    from_beta = 2 * bt.posterior.decisive(pair(12, 2))["mean"] - 1
    assert only(found["mean"]) == pytest.approx(only(from_beta), rel=1e-12)
    masses = bt.prob_equivalent(pair(12, 2, 986), 0.01, ties="drop").values[0]
    assert masses[2] > 0.99


def test_square_is_antisymmetric():
    counts = bt.counts.from_table(
        {("A", "B"): (30, 20, 50), ("A", "C"): (10, 40, 50), ("B", "C"): (5, 50, 45)}
    )
    found = bt.difference(counts)
    np.testing.assert_array_equal(found["mean"].values, -found["mean"].values.T)
    np.testing.assert_array_equal(found["lower"].values, -found["upper"].values.T)
    masses = bt.prob_equivalent(counts, 0.05)
    np.testing.assert_array_equal(masses.values[..., ::-1], np.swapaxes(masses.values, 0, 1))
    assert masses.sel(system_a="A", system_b="A").values.tolist() == [0, 1, 0]


def test_two_modes_are_told():
    with pytest.warns(UserWarning, match="one interval hides modes"):
        bt.difference(pair(0, 0, 0), prior="jeffreys")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bt.difference(pair(3, 1)), "the size of the difference needs the number of ties"),
        (
            lambda: bt.prob_equivalent(pair(3, 1), 0.1),
            "the probability within a rope needs the number of ties",
        ),
        (lambda: bt.posterior.cdf(pair(3, 1), 0.1), "needs the number of ties"),
        (lambda: bt.prob_equivalent(pair(3, 1, 1), -0.1), "rope is -0.1; give a number from 0"),
        (lambda: bt.prob_equivalent(pair(3, 1, 1), 1), "rope is 1"),
        (
            lambda: bt.difference(pair(3, 1, 1), ci_prob=1),
            "ci_prob is 1; give a number between 0 and 1",
        ),
        (
            lambda: bt.difference(pair(3, 1, 1), ci_kind="central"),
            "ci_kind is 'central'; choose one of hdi, eti",
        ),
        (lambda: bt.posterior.ppf(pair(3, 1, 1), 1.5), "q holds 1.5; give numbers from 0 to 1"),
        (lambda: bt.posterior.cdf(pair(3, 1, 1), "low"), "x is 'low'; give a number or a list"),
        (lambda: bt.posterior.sf(pair(3, 1, 1), "low"), "delta is 'low'; give a number"),
        (lambda: bt.posterior.pdf(pair(3, 1, 1), [[0.1]]), "x has 2 dims"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)

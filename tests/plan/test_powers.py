"""Power of exact tests: published numbers, and enumeration."""

import numpy as np
import pytest
from scipy.stats import binom, multinomial

import betterthan as bt

PUBLISHED = {0.6: (158, 169), 0.7: (37, 42), 0.8: (18, 18), 0.9: (8, 11)}
TWO_SIDED = {0.6: (199, 210), 0.7: (49, 54), 0.8: (20, 23), 0.9: (12, 12)}


@pytest.mark.parametrize("theta", PUBLISHED)
def test_first_and_always(theta):
    for alternative, table in (("greater", PUBLISHED), ("two-sided", TWO_SIDED)):
        found = bt.plan.sign_power(theta=theta, alternative=alternative)
        assert (int(found["first"]), int(found["always"])) == table[theta]


def test_sawtooth():
    found = bt.plan.sign_power([44, 46, 49, 50], 0.7)
    np.testing.assert_allclose(found["power"], [0.7781, 0.7128, 0.8100, 0.7822], atol=5e-5)


def test_example_of_gpower():
    """Odds ratio .25, .4 discordant, 50 items."""
    for alternative, power, level in (
        ("greater", 0.839357, 0.032579),
        ("two-sided", 0.740153, 0.029553),
    ):
        found = bt.plan.mcnemar_power(50, (0.32, 0.08), alternative=alternative)
        assert float(found["power"]) == pytest.approx(power, abs=5e-7)
        assert float(found["level"]) == pytest.approx(level, abs=5e-7)


CONNOR = [
    ((0.2, 0.1), 234, 0.7756, 249),
    ((0.3, 0.15), 155, 0.7738, 166),
    ((0.25, 0.1), 120, 0.7694, 129),
    ((0.1, 0.05), 469, 0.7756, 498),
    ((0.12, 0.08), 979, 0.7828, 1021),
]


@pytest.mark.parametrize(("theta", "n", "power", "needed"), CONNOR)
def test_what_connors_formula_gives(theta, n, power, needed):
    assert float(bt.plan.mcnemar_power(n, theta)["power"]) == pytest.approx(power, abs=5e-5)
    assert int(bt.plan.mcnemar_power(theta=theta)["first"]) == needed


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_by_the_tests_own_p_values(alternative):
    n, theta = 12, (0.5, 0.2, 0.3)
    power = level = 0.0
    for w in range(n + 1):
        for l in range(n + 1 - w):
            counts = bt.counts.from_table({("A", "B"): (w, l, n - w - l)})
            found = bt.sign_test(counts, alternative=alternative)
            if float(found["p_value"].sel(system_a="A", system_b="B")) <= 0.05:
                power += multinomial.pmf([w, l, n - w - l], n, theta)
                level += multinomial.pmf([w, l, n - w - l], n, (0.35, 0.35, 0.3))
    found = bt.plan.mcnemar_power(n, theta[:2], alternative=alternative)
    np.testing.assert_allclose([found["power"], found["level"]], [power, level], atol=1e-12)
    assert level <= 0.05


def test_sign_power_is_a_binomial_tail():
    found = bt.plan.sign_power([40, 100], 0.7, alternative="greater")
    for n, wins, power, level in zip(
        found["n"].values,
        found["wins"].values,
        found["power"].values,
        found["level"].values,
        strict=True,
    ):
        assert power == pytest.approx(binom.sf(wins - 1, n, 0.7), abs=1e-12)
        assert level == pytest.approx(binom.sf(wins - 1, n, 0.5), abs=1e-12)
        assert binom.sf(wins - 2, n, 0.5) > 0.05 >= level


def test_the_least_of_some_numbers_is_not_called_what_is_needed():
    assert bt.plan.sign_power(theta=0.7).lines[0].startswith("49 non-tied items are needed")
    assert bt.plan.sign_power([10, 100, 1000], theta=0.7).lines[0] == (
        "Of these numbers of non-tied items, 100 is the least with a power of 0.8."
    )
    clusters = bt.plan.cluster_power(0.15, sd=0.6, icc=0.1, clusters=10, size=20)
    assert "Cumulative" not in str(clusters)


def test_power_never_reached():
    found = bt.plan.sign_power([5, 10], 0.55)
    assert np.isnan(found["first"])
    assert "None of these" in found.lines[0]

import math
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from betterthan.exact.wins import beta

PRECISE = pd.read_csv(
    Path(__file__).parents[2] / "reference" / "high_precision_beta.csv", dtype=str
)
ANY = st.floats(-4.6, 13.8).map(math.exp)  # 0.01 to 1e6


@pytest.mark.parametrize(
    "row", list(PRECISE.itertuples(index=False)), ids=lambda r: "-".join(r[:4])
)
def test_forty_digits(row):
    a, b, c, d = (float(v) for v in row[:4])
    assert beta.prob_greater(a, b, c, d) == pytest.approx(float(row.greater), rel=1e-9, abs=0)
    assert beta.prob_greater(c, d, a, b) == pytest.approx(float(row.less), rel=1e-9, abs=0)


def finite_sum(a, b, c, d):
    """The published closed form for whole numbers, in exact fractions: P(Y > X) for X ~ Beta(a, b),
    Y ~ Beta(c, d).
    """

    def beta_function(x, y):
        return Fraction(math.factorial(x - 1) * math.factorial(y - 1), math.factorial(x + y - 1))

    total = sum(
        beta_function(a + i, b + d) / ((d + i) * beta_function(1 + i, d) * beta_function(a, b))
        for i in range(c)
    )
    return float(total)


@given(*[st.integers(1, 40)] * 4)
def test_published_sum_for_whole_numbers(a, b, c, d):
    assert beta.prob_greater(c, d, a, b) == pytest.approx(finite_sum(a, b, c, d), rel=1e-10)


@given(ANY, ANY, ANY, ANY)
def test_both_sides_and_both_mirrors(a, b, c, d):
    p = float(beta.prob_greater(a, b, c, d))
    assert 0 <= p <= 1
    assert p + float(beta.prob_greater(c, d, a, b)) == pytest.approx(1, abs=1e-9)
    assert p == pytest.approx(float(beta.prob_greater(d, c, b, a)), rel=1e-9, abs=1e-290)


def test_equal_parameters_are_even_at_any_size():
    for size in (0.01, 0.5, 3.0, 1e3, 1e6, 1e9):
        assert beta.prob_greater(size, 2 * size, size, 2 * size) == pytest.approx(0.5, rel=1e-9)


def test_simulation_is_a_third_road():
    rng = np.random.default_rng(1)
    for a, b, c, d in ((3, 5, 4, 2), (0.5, 0.5, 2.5, 1.5), (40, 20, 300, 200)):
        share = (rng.beta(a, b, 200_000) > rng.beta(c, d, 200_000)).mean()
        p = beta.prob_greater(a, b, c, d)
        assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 200_000))


def test_never_fails_on_twenty_thousand_wild_parameters():
    a, b, c, d = np.exp(np.random.default_rng(2).uniform(np.log(0.01), np.log(1e6), (4, 20_000)))
    p = beta.prob_greater(a, b, c, d)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p + beta.prob_greater(c, d, a, b), 1, atol=1e-9)
    with pytest.raises(ValueError, match="must be positive and finite"):
        beta.prob_greater(1, 1, 0, 1)


def continued_fraction(a, b):
    """P(p < 1/2) for p ~ Beta(a, b) with a > b, to 30 digits."""
    mp.mp.dps = 40
    a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(1) / 2
    c, d = mp.mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    h, m = d, 0
    while True:
        m += 1
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + top * d), 1 + top / c
            h *= d * c
        if abs(d * c - 1) < mp.mpf(10) ** -30:
            break
    log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return float(mp.exp((a + b) * mp.log(x) - log_beta) * h / a)


@pytest.mark.parametrize(
    ("a", "b", "rel"),
    [
        (29, 19, 1e-12),
        (500, 0.01, 1e-9),
        (820.5, 0.5, 1e-9),
        (1200, 1000, 1e-9),
        (7200, 5000, 1e-9),
        (1.001e6, 1e6, 1e-9),
        (1.045e6, 1e6, 1e-9),
        (1.00003e9, 1e9, 1e-6),
        (1.0014e9, 1e9, 1e-6),
    ],
)
def test_above_half_in_the_tail(a, b, rel):
    assert beta.prob_above_half(b, a) == pytest.approx(continued_fraction(a, b), rel=rel, abs=0)


def test_density_of_log_odds_is_the_beta_density():
    x = np.array([0.001, 0.3, 0.5, 0.98])
    for a, b in ((0.01, 0.02), (0.5, 7), (300, 40), (2e4, 3e4)):
        expected = stats.beta.logpdf(x, a, b) + np.log(x * (1 - x))
        np.testing.assert_allclose(
            beta.log_density_of_log_odds(a, b, special.logit(x)), expected, rtol=1e-9, atol=1e-9
        )


def test_stirling_and_log_beta():
    mp.mp.dps = 40
    for z in (0.01, 0.5, 3.0, 15.9, 16.1, 1e4, 1e9):
        exact = mp.loggamma(z) - (mp.mpf(z) - 0.5) * mp.log(z) + z - mp.log(2 * mp.pi) / 2
        assert float(beta.stirling(z)) == pytest.approx(float(exact), rel=1e-9, abs=1e-14)
    exact = mp.loggamma(1e6) + mp.loggamma(2.5) - mp.loggamma(1e6 + 2.5)
    assert float(beta.log_beta(1e6, 2.5)) == pytest.approx(float(exact), rel=1e-14)

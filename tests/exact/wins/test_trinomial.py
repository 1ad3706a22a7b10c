import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from betterthan import names
from betterthan.exact.wins import sign
from betterthan.exact.wins.sign import trinomial_p

SMALL, LARGE = st.integers(0, 10), st.integers(0, 3_000)


def enumerated(wins, losses, ties, alternative):
    """Over all outcomes (i wins, j losses) of the multinomial, in exact fractions."""
    n, d = wins + losses + ties, wins - losses
    q = Fraction(wins + losses, n) if n else Fraction(0)
    extreme = {
        "greater": lambda x: x >= d,
        "less": lambda x: x <= d,
        "two-sided": lambda x: abs(x) >= abs(d),
    }
    total = Fraction(0)
    for i in range(n + 1):
        for j in range(n - i + 1):
            if extreme[alternative](i - j):
                ways = math.comb(n, i) * math.comb(n - i, j)
                total += ways * (q / 2) ** (i + j) * (1 - q) ** (n - i - j)
    return float(total)


@given(SMALL, SMALL, SMALL, st.sampled_from(names.ALTERNATIVES))
def test_against_enumeration(wins, losses, ties, alternative):
    expected = enumerated(wins, losses, ties, alternative)
    assert trinomial_p(wins, losses, ties, alternative) == pytest.approx(expected, rel=1e-12, abs=0)


def test_every_small_count_against_enumeration():
    """Also where one side wins nothing: more could be decisive than were."""
    for counts in itertools.product(range(5), range(5), range(4), names.ALTERNATIVES):
        assert trinomial_p(*counts) == pytest.approx(enumerated(*counts), rel=1e-12, abs=0), counts


def summed(wins, losses, ties):
    """P(D >= wins - losses) as a sum over the number m of decisive items, of binomial tails."""
    n, d = wins + losses + ties, wins - losses
    m = np.arange(d, n + 1)
    weight = stats.binom.logpmf(m, n, (wins + losses) / n)
    least = (m + d + 1) // 2
    tail = np.where(least > 0, special.betainc(np.maximum(least, 1), m - least + 1, 0.5), 1)
    with np.errstate(divide="ignore"):
        return math.exp(special.logsumexp(weight + np.log(tail)))


@given(LARGE, LARGE, LARGE)
def test_against_the_sum_over_decisive_items(wins, losses, ties):
    wins, losses = max(wins, losses), min(wins, losses)
    if wins > losses and ties:
        expected = summed(wins, losses, ties)
        # scipy's log of a binomial probability is what limits the comparison: its log Gammas lose
        # digits with n
        if expected > 1e-280:
            assert trinomial_p(wins, losses, ties, "greater") == pytest.approx(
                expected, rel=1e-10, abs=0
            )


def summed_precisely(wins, losses, ties):
    """As `summed`, its binomial weights in 40 digits; the tails are tested elsewhere."""
    mp.mp.dps = 40
    n, d = wins + losses + ties, wins - losses

    def terms(m):
        least = (m + d + 1) // 2
        tail = sign.sign_p(least, m - least, "greater")
        with np.errstate(divide="ignore"):
            return tail, stats.binom.logpmf(m, n, (wins + losses) / n) + np.log(tail)

    every = np.arange(d, n + 1)
    step = max(len(every) // 1000, 1)  # terms rise and fall: first see where they are large
    _, size = terms(every[::step])
    large = np.flatnonzero(size > size.max() - 60) * step
    m = every[max(large[0] - step, 0) : large[-1] + step + 1]
    tail, size = terms(m)
    inside = np.flatnonzero(size > size.max() - 45)
    odds, first = mp.mpf(wins + losses) / ties, int(m[inside[0]])
    weight = mp.binomial(n, first) * odds**first * (mp.mpf(ties) / n) ** n
    total = mp.mpf(0)
    for k in range(inside[0], inside[-1] + 1):
        total += weight * float(tail[k])
        weight *= odds * int(n - m[k]) / int(m[k] + 1)
    return float(total)


@pytest.mark.parametrize(
    ("wins", "losses", "ties"),
    [
        (5, 0, 995),
        (1, 0, 9_999),
        (3, 1, 9_996),
        (60, 30, 9_910),
        (999, 0, 1),
        (900, 100, 3),
        (520, 480, 1),
        (530, 470, 8),
        (500, 499, 1),
        (5_100, 4_899, 1),
        (400, 100, 1_500),
        (300, 0, 700),
        (2_000, 1_000, 50_000),
        (600, 0, 999_400),
        (250_000, 249_000, 500_000),
        (500_500, 499_498, 2),
    ],
)
def test_corners_against_the_sum(wins, losses, ties):
    expected = summed_precisely(wins, losses, ties)
    assert trinomial_p(wins, losses, ties, "greater") == pytest.approx(expected, rel=1e-12, abs=0)
    assert trinomial_p(losses, wins, ties) == pytest.approx(2 * expected, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("wins", "losses", "ties"), [(300, 40, 260), (199, 0, 1), (20, 0, 380), (120, 115, 2)]
)
def test_corners_in_exact_fractions(wins, losses, ties):
    n, d = wins + losses + ties, wins - losses
    # of coefficients of (q + 2 (1 - q) x + q x^2)^n with whole numbers, x^(n + d) and above
    total = 0
    for m in range(d, n + 1):
        tail = sum(math.comb(m, k) for k in range((m + d + 1) // 2, m + 1))
        total += math.comb(n, m) * (wins + losses) ** m * ties ** (n - m) * tail * 2 ** (n - m)
    exact = float(Fraction(total, (2 * n) ** n))
    assert trinomial_p(wins, losses, ties, "greater") == pytest.approx(exact, rel=1e-12, abs=0)


def test_a_worked_example():
    # real-statistics.com, "Trinomial Test", example 1: 7 positive, 1 negative, 2 ties; printed
    # .049, and .070 by signs
    assert round(float(trinomial_p(7, 1, 2)), 3) == 0.049
    assert round(float(sign.sign_p(7, 1)), 3) == 0.07


@pytest.mark.parametrize(("wins", "losses", "ties"), [(8, 1, 11), (40, 25, 200), (70, 60, 3)])
def test_simulation_is_a_third_road(wins, losses, ties):
    rng = np.random.default_rng(4)
    n, q = wins + losses + ties, (wins + losses) / (wins + losses + ties)
    sampled = rng.multinomial(n, [q / 2, q / 2, 1 - q], 200_000)
    d = sampled[:, 0] - sampled[:, 1]
    for alternative, share in (
        ("greater", (d >= wins - losses).mean()),
        ("less", (d <= wins - losses).mean()),
        ("two-sided", (abs(d) >= wins - losses).mean()),
    ):
        p = float(trinomial_p(wins, losses, ties, alternative))
        assert share == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 200_000))


@given(LARGE, LARGE, LARGE)
def test_symmetries(wins, losses, ties):
    assert trinomial_p(wins, losses, ties) == trinomial_p(losses, wins, ties)
    assert trinomial_p(wins, losses, ties, "greater") == trinomial_p(losses, wins, ties, "less")
    two, greater, less = (float(trinomial_p(wins, losses, ties, a)) for a in names.ALTERNATIVES)
    assert two == pytest.approx(min(1, 2 * min(greater, less)), rel=1e-12, abs=0)
    assert 0 <= two <= 1
    assert trinomial_p(wins, losses, 0) == sign.sign_p(wins, losses)
    if wins > losses:
        assert trinomial_p(wins + 1, losses, ties, "greater") <= trinomial_p(
            wins, losses + 1, ties, "greater"
        )


def test_never_fails_on_wild_counts_and_keeps_within_memory():
    counts = np.exp(np.random.default_rng(5).uniform(0, np.log(330_000), (3, 20_000))).astype(int)
    p = trinomial_p(*counts)
    assert ((p >= 0) & (p <= 1)).all()
    assert p[7] == trinomial_p(*counts[:, 7])
    one, other = trinomial_p(*counts, "greater"), trinomial_p(*counts, "less")
    assert (one + other >= 1 - 1e-12).all()  # both hold the observed difference

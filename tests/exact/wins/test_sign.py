import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from betterthan import names
from betterthan.exact.wins import sign

COUNT = st.integers(0, 300)
SIDES = st.sampled_from(names.ALTERNATIVES)
POLICY = st.sampled_from(names.TIES[:-1])


def exact_tail(w, n):
    return Fraction(sum(math.comb(n, k) for k in range(w, n + 1)), 2**n)


def precise(w, l):
    """P(X >= w) and P(X = w), to 30 digits, by the ratio of neighbouring terms."""
    mp.mp.dps = 40
    n = w + l
    term = total = mp.mpf(1)
    k, least = w, mp.mpf(10) ** -30
    while term > total * least:
        term = term * (n - k) / (k + 1)
        k += 1
        total += term
    at = mp.exp(mp.loggamma(n + 1) - mp.loggamma(w + 1) - mp.loggamma(l + 1) - n * mp.log(2))
    return at * total, at


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [
        (9, 1, 0.0107421875),
        (8, 2, 0.0546875),
        (8, 1, 0.01953125),
        (7, 2, 0.08984375),
        (7, 1, 0.03515625),
    ],
)
def test_the_five_of_the_paper(wins, losses, p):
    assert sign.sign_p(wins, losses, "greater") == p
    assert sign.sign_p(losses, wins, "less") == p


@given(COUNT, COUNT, SIDES)
def test_against_scipy(wins, losses, alternative):
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses, 0.5, alternative).pvalue
        assert sign.sign_p(wins, losses, alternative) == pytest.approx(expected, rel=1e-12, abs=0)


@given(COUNT, COUNT)
def test_against_whole_numbers(wins, losses):
    exact = float(exact_tail(wins, wins + losses))
    assert sign.sign_p(wins, losses, "greater") == pytest.approx(exact, rel=1e-12, abs=0)


@given(COUNT, COUNT, SIDES)
def test_mid_p_by_its_definition(wins, losses, alternative):
    null, at = stats.binom(wins + losses, 0.5), stats.binom.pmf(wins, wins + losses, 0.5)
    greater, less = null.sf(wins) + at / 2, null.cdf(wins - 1) + at / 2
    expected = {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}[
        alternative
    ]
    assert sign.sign_mid_p(wins, losses, alternative) == pytest.approx(expected, rel=1e-11, abs=0)


# at 1e9 near the middle the reference would sum too many terms
LARGE = [
    (n, z)
    for n in (9_999, 10_001, 40_000, 1_000_000, 10**9)
    for z in (0.3, 2, 6, 20, 37)
    if n < 10**9 or z >= 6
]


@pytest.mark.parametrize(("n", "z"), LARGE)
def test_thirty_digits_for_large_counts(n, z):
    wins = int(n / 2 + z * math.sqrt(n) / 2) + 1
    losses = n - wins
    tail, at = precise(wins, losses)
    assert sign.sign_p(wins, losses, "greater") == pytest.approx(float(tail), rel=1e-12, abs=0)
    assert sign.sign_p(wins, losses) == pytest.approx(float(2 * tail), rel=1e-12, abs=0)
    assert sign.sign_mid_p(losses, wins, "less") == pytest.approx(
        float(tail - at / 2), rel=1e-12, abs=0
    )


def test_a_billion_near_the_middle():
    n = 10**9
    for z in (0.0, 0.5, 2.0):
        wins = int(n / 2 + z * math.sqrt(n) / 2)
        # normal, with its continuity correction: what it leaves out is of the order 1 / n
        normal = stats.norm.sf((wins - 0.5 - n / 2) / (math.sqrt(n) / 2))
        assert sign.sign_p(wins, n - wins, "greater") == pytest.approx(normal, rel=1e-8)
    assert sign.sign_p(10**9, 10**9) == 1
    assert sign.sign_p(10**9, 0) == 0
    assert sign.sign_p(0, 10**9, "greater") == 1


@given(COUNT)
def test_even_and_empty_counts_give_one(count):
    assert sign.sign_p(count, count) == 1
    assert sign.sign_mid_p(count, count) == 1
    assert sign.sign_mid_p(count, count, "greater") == 0.5
    assert sign.trinomial_p(count, count, 5) == 1
    for alternative in names.ALTERNATIVES:
        assert sign.sign_p(0, 0, alternative) == 1
        assert sign.trinomial_p(0, 0, count, alternative) == 1


@given(COUNT, COUNT)
def test_exchange_of_the_systems(wins, losses):
    for test in (sign.sign_p, sign.sign_mid_p):
        assert test(wins, losses) == test(losses, wins)
        assert test(wins, losses, "greater") == test(losses, wins, "less")
    both = sign.sign_mid_p(wins, losses, "greater") + sign.sign_mid_p(wins, losses, "less")
    assert both == pytest.approx(1, abs=1e-13)


@given(COUNT, COUNT)
def test_a_loss_turned_into_a_win_makes_greater_smaller(wins, losses):
    for test in (sign.sign_p, sign.sign_mid_p):
        assert test(wins + 1, losses, "greater") <= test(wins, losses + 1, "greater")
    assert sign.sign_mid_p(wins, losses) <= sign.sign_p(wins, losses)


def test_vectorised_as_one_by_one():
    rng = np.random.default_rng(3)
    wins, losses = rng.integers(0, 30_000, (2, 4, 5, 50))
    found = sign.sign_p(wins, losses)
    assert found.shape == (4, 5, 50)
    one = [sign.sign_p(w, l) for w, l in zip(wins.ravel(), losses.ravel(), strict=True)]
    assert found.ravel().tolist() == one
    assert sign.sign_p(np.zeros((0, 2), dtype=int), 1).shape == (0, 2)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), POLICY, SIDES)
def test_smallest_p_is_the_smallest_over_all_splits(wins, losses, ties, policy, alternative):
    decisive = wins + losses
    splits = np.arange(decisive + 1)
    if policy == "third":
        every = sign.trinomial_p(splits, decisive - splits, ties, alternative)
    else:
        every = sign.sign_p(*sign.settle_ties(splits, decisive - splits, ties, policy), alternative)
    assert sign.smallest_p(decisive, ties, policy, alternative) == pytest.approx(
        every.min(), rel=1e-12
    )


@pytest.mark.parametrize("alternative", names.ALTERNATIVES)
@pytest.mark.parametrize("policy", names.TIES[:-1])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.125])
def test_decisive_needed_is_the_first_that_reaches_alpha(policy, alternative, alpha):
    ties = np.array([[0, 1, 2, 7], [20, 21, 60, 61]])
    need = sign.decisive_needed(ties, policy, alternative, alpha)
    decisive = np.arange(300)[:, None, None]
    reached = sign.smallest_p(decisive, ties, policy, alternative) <= alpha
    assert (np.diff(reached.astype(int), axis=0) >= 0).all(), "once reached, more items keep it so"
    np.testing.assert_array_equal(need, reached.argmax(0))


def test_smallest_p_falls_with_the_number_of_decisive_items():
    for ties in (0, 1, 3, 50, 1000, 100_000):
        for alternative in names.ALTERNATIVES:
            p = sign.smallest_p(np.arange(400), ties, "third", alternative)
            assert (np.diff(p[1:][p[1:] > 1e-290]) < 0).all()
            assert p[0] == 1


def test_decisive_needed_in_numbers():
    assert sign.decisive_needed([0, 0, 5]).tolist() == [6, 6, 6]  # dropped ties do not matter
    assert int(sign.decisive_needed(0, alternative="greater")) == 5  # 2 ** -5 < .05
    assert int(sign.decisive_needed(5, "to_a", "greater")) == 0  # the ties alone
    assert int(sign.decisive_needed(0, "drop", "greater", 0.0625)) == 4  # equal is enough
    assert int(sign.decisive_needed(10**9, "half", "greater")) == pytest.approx(
        1.6449 * math.sqrt(10**9), rel=1e-3
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sign.sign_p(3, -1), "counts hold -1; a count is at least 0"),
        (lambda: sign.sign_p(3, 0.5), "counts hold 0.5; give whole numbers"),
        (
            lambda: sign.sign_p(3, 1, "larger"),
            "alternative is 'larger'; choose one of two-sided, greater, less",
        ),
        (lambda: sign.sign_mid_p(3, 1, None), "alternative is None; choose one of"),
        (lambda: sign.trinomial_p(3, 1, 1, "both"), "alternative is 'both'; choose one of"),
        (
            lambda: sign.trinomial_p(10**6, 1, 0),
            "a pair has 1000001 items; the trinomial test takes up to 1000000",
        ),
        (lambda: sign.smallest_p(3, 1, "all"), "ties is 'all'; choose one of third, drop"),
        (lambda: sign.decisive_needed(3, alpha=1), "alpha is 1; give a number between 0 and 1"),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)

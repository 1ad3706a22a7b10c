"""Boundaries, looks and bets: exactness, and simulations that agree."""

import itertools

import numpy as np
import pytest
from plan.walks import verdict_rates
from scipy.stats import binom, multinomial

import betterthan as bt
from betterthan.exact.planning.design import by_threshold, log_e_value, walk


def test_one_look_is_a_single_look():
    for n in (10, 37, 200):
        found = bt.plan.peeking(n, looks=1)
        once = float(found["probability"].sum())
        wins = bt.plan.stopping_boundary(n, looks=1, error=0.1)["wins"].values[0]
        assert once == pytest.approx(float(found["alone"].sum()), abs=1e-15)
        told = bt.plan.stopping_boundary(n, looks=1, error=0.1)["error"].values[0]
        assert told == pytest.approx(2 * binom.sf(wins - 1, n, 0.5), abs=1e-13)


@pytest.mark.parametrize("looks", [None, 5, [7, 20, 33]])
@pytest.mark.parametrize("error", [0.01, 0.05, 0.1])
def test_error_is_kept_and_the_next_one_is_too_large(looks, error):
    n = 33
    found = bt.plan.stopping_boundary(n, looks=looks, error=error)
    assert float(found["error"][-1]) <= error
    at, q = found["look"].values, found.attrs["threshold"]
    same = by_threshold(at, q)
    np.testing.assert_array_equal(np.where(same.a <= at, same.a, -1), found["wins"].values)
    lower = by_threshold(at, q - 1e-9)
    assert walk(lower).so_far[-1].sum() > error


def test_all_paths_of_twelve_items():
    n, looks = 12, [4, 8, 12]
    bound = bt.plan.stopping_boundary(n, looks=looks, error=0.2)
    paths = np.array(list(itertools.product([0, 1], repeat=n))).cumsum(1)[:, np.array(looks) - 1]
    for p in (0.5, 0.7):
        weights = p ** paths[:, -1] * (1 - p) ** (n - paths[:, -1])
        wins, losses = bound["wins"].values, bound["losses"].values
        for_a = (paths >= np.where(wins < 0, n + 1, wins)) * 1
        for_b = (np.array(looks) - paths >= np.where(losses < 0, n + 1, losses)) * 1
        first = np.where((for_a + for_b).any(1), (for_a + for_b).argmax(1), -1)
        rows = np.arange(len(paths))
        told = [weights[(first >= 0) & (x[rows, first] == 1)].sum() for x in (for_a, for_b)]
        found = bt.plan.peeking(n, boundary=bound, theta=(p, 1 - p))
        np.testing.assert_allclose(found["probability"].isel(look=-1).values, told, atol=1e-13)
        stopped = np.where(first < 0, n, np.array(looks)[first])
        assert found.attrs["items"] == pytest.approx(weights @ stopped, abs=1e-12)


def test_as_the_rates_that_the_pages_tell():
    looks = [10, 25, 60]
    found = bt.plan.peeking(60, looks=looks, theta=(0.6, 0.4))
    told = verdict_rates(looks, win=0.6)
    np.testing.assert_allclose(found["probability"].values, told, atol=1e-14)


def test_design_by_simulation():
    rng = np.random.default_rng(2)
    draws, n = 20_000, 80
    p = rng.beta(6, 3, draws)[:, None]
    wins = (rng.random((draws, n)) < p).cumsum(1)
    bound = bt.plan.stopping_boundary(n, looks=8)
    looks = bound["look"].values
    at = wins[:, looks - 1]
    met = (at >= np.where(bound["wins"] < 0, n + 1, bound["wins"])).any(1)
    found = float(bt.plan.peeking(n, boundary=bound, design=(6, 3))["probability"][-1, 0])
    assert abs(met.mean() - found) < 4 * np.sqrt(found * (1 - found) / draws) + 1e-3


@pytest.mark.parametrize("how", [{"theta": (0.2, 0.1, 0.7)}, {"design": (4, 2, 14)}])
def test_looks_with_a_rope_by_enumeration(how):
    """Two looks: the first and, where it says nothing, the second."""
    rope, looks = 0.3, (6, 11)
    found = bt.plan.peeking(11, looks=looks, rope=rope, threshold=0.8, **how).data.isel(look=-1)
    from scipy.stats import dirichlet_multinomial

    def chances(new, had):
        n = int(sum(new[0]))
        if "theta" in how:
            return multinomial.pmf(new, n, how["theta"])
        return dirichlet_multinomial.pmf(new, np.array(how["design"], float) + had, n)

    def ways(n):
        return np.array([(w, l, n - w - l) for w in range(n + 1) for l in range(n + 1 - w)])

    told = {"a_better": 0.0, "b_better": 0.0, "equivalent": 0.0}
    first = ways(6)
    for counts, p in zip(first, chances(first, 0), strict=True):
        now = verdict(counts, rope)
        if now in told:
            told[now] += p
            continue
        then = ways(5)
        for more, q in zip(then, chances(then, counts), strict=True):
            last = verdict(counts + more, rope)
            if last in told:
                told[last] += p * q
    np.testing.assert_allclose(found["probability"].values, list(told.values()), atol=1e-12)


def verdict(counts, rope):
    from betterthan.exact.planning import edges
    from betterthan.exact.planning.edges import Rule

    rule = Rule(rope=rope, threshold=0.8)
    code = edges.verdicts(np.asarray(counts)[None], rule)[0]
    return ["a_better", "b_better", "equivalent", "undecided"][code]


@pytest.mark.parametrize("rho", [0.05, 0.0, -0.05, 0.4])
def test_e_values_are_fair_bets(rho):
    """Their mean over the trinomial at d = rho is 1, and below it is less."""
    n = 60
    w, l = (x.ravel() for x in np.mgrid[: n + 1, : n + 1])
    w, l = w[w + l <= n], l[w + l <= n]
    counts = np.stack([w, l, n - w - l], axis=1)
    value = np.exp(log_e_value(w, l, n - w - l, rho))
    share = 0.3 + abs(rho) / 2
    at = [(share + rho) / 2, (share - rho) / 2, 1 - share]
    assert multinomial.pmf(counts, n, at) @ value == pytest.approx(1, abs=1e-12)
    inside = [(share + rho) / 2 - 0.02, (share - rho) / 2 + 0.02, 1 - share]
    assert multinomial.pmf(counts, n, inside) @ value < 1


def test_e_value_by_plain_integration():
    from scipy.integrate import quad

    for w, l, t, rho in ((12, 2, 30, 0.05), (3, 9, 11, -0.2), (0, 0, 5, 0.1), (7, 0, 0, 0.0)):

        def grown(x, w=w, l=l, t=t, rho=rho):
            return (1 + x * (1 - rho)) ** w * (1 - x * (1 + rho)) ** l * (1 - x * rho) ** t

        told = (1 + rho) * quad(grown, 0, 1 / (1 + rho), epsabs=0, epsrel=1e-12)[0]
        assert np.exp(log_e_value(w, l, t, rho)) == pytest.approx(told, rel=1e-11)


def test_e_value_is_the_bayes_factor_times_twice_the_probability():
    for w, l in ((12, 2), (3, 30), (500, 420)):
        found = bt.plan.e_value((w, l))
        prob = float(bt.plan.replication((w, l))["prob_better"])
        factor = 1 / float(
            bt.posterior.bayes_factor(bt.counts.from_table({("A", "B"): (w, l)}))[0, 1]
        )
        assert float(found["bayes_factor_10"]) == pytest.approx(factor, rel=1e-11)
        told = float(found["e_value"].sel(claim="a_better"))
        assert told == pytest.approx(2 * factor * prob, rel=1e-10)


def test_ties_move_no_bet_without_a_rope():
    assert float(log_e_value(12, 2, 986, 0.0)) == pytest.approx(float(log_e_value(12, 2, 0, 0.0)))


def test_large_counts():
    found = bt.plan.e_value((52_000, 50_000, 898_000), 0.001)
    assert np.isfinite(found["log_e_value"]).all()
    ends = bt.plan.confidence_sequence((52_000, 50_000, 898_000))
    assert float(ends["lower"]) < 0.002 < float(ends["upper"])
    assert float(ends["upper"] - ends["lower"]) < 0.004


def test_confidence_sequence_ends_where_the_bets_reach_it():
    w, l, t, error = 20, 8, 40, 0.05
    found = bt.plan.confidence_sequence((w, l, t), error=error)
    for end in (float(found["lower"]), float(found["upper"])):
        both = np.exp(log_e_value(w, l, t, end)) + np.exp(log_e_value(l, w, t, -end))
        assert both / 2 == pytest.approx(1 / error, rel=1e-6)
    nothing = bt.plan.confidence_sequence((0, 0, 0))
    assert (float(nothing["lower"]), float(nothing["upper"])) == (-1.0, 1.0)


def test_confidence_sequence_covers_at_every_look():
    rng = np.random.default_rng(7)
    theta, n, runs = (0.25, 0.1, 0.65), 60, 300
    d, error = 0.15, 0.1
    new = rng.multinomial(1, theta, (runs, n)).cumsum(1).reshape(-1, 3)
    w, l, t = new.T
    both = np.logaddexp(log_e_value(w, l, t, d), log_e_value(l, w, t, -d)) - np.log(2)
    missed = (both.reshape(runs, n) >= -np.log(error)).any(1).mean()
    assert missed <= error + 4 * np.sqrt(error * (1 - error) / runs)


def test_no_number_of_wins_is_printed_as_none():
    for plan in (bt.plan.stopping_boundary(1, looks=1), bt.plan.sign_power(theta=0.5)):
        assert "−1" not in str(plan)
        assert (plan.data["wins"] == -1).any()

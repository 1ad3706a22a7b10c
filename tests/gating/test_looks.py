"""Looking more than once: the boundary, the e-value, and how often they say what."""

import itertools

import numpy as np
import pytest
from scipy import special

import betterthan as bt
from betterthan.exact.planning.design import log_e_value
from betterthan.exact.planning.edges import wins_needed
from betterthan.gating.boundaries import chance_behind
from betterthan.gating.rule import Cases
from betterthan.gating.sequential import Plan, Stops, look, look_rates

MARGIN, SURE, ERROR = 0.05, 0.95, 0.05


def looked(counts, plan=(4, 200), margin=MARGIN):
    return look(Plan.checked(plan), Cases(counts, counts, counts), margin, SURE)


def test_looks_are_evenly_spread():
    assert Plan.checked((4, 200)).schedule.tolist() == [50, 100, 150, 200]
    assert Plan.checked((3, 20)).schedule.tolist() == [7, 13, 20]


def test_worse_from_the_boundary_on_and_not_before():
    found = looked((20, 30, 350), plan=(2, 60))
    needed = found.needed
    on, before = (looked((50 - k, k, 350), plan=(2, 60)).chances for k in (needed, needed - 1))
    assert on.verdict == "worse"
    assert not before.observed.behind_holds
    assert chance_behind(np.array(50 - needed), np.array(needed)) >= found.boundary > SURE


def test_the_boundary_is_that_of_a_plan():
    plan = bt.plan.stopping_boundary(120, looks=2, error=2 * ERROR)
    assert plan["look"].values.tolist() == Plan.checked((2, 120)).schedule.tolist()
    for m, losses in zip((60, 120), plan["losses"].values.tolist(), strict=True):
        assert looked((m // 2, m // 2, 4 * m), plan=(2, 120)).needed == losses


def test_a_boundary_of_one_look_is_that_of_the_rule():
    found = looked((20, 30, 350), plan=(1, 50))
    # of one look the error is that of the rule, as far as wins are whole numbers
    assert abs(found.needed - int(wins_needed(50, threshold=SURE))) <= 1


def test_pass_from_an_e_value_of_one_over_the_error():
    found = looked((22, 11, 367), plan=(1, 40))
    assert found.e_value == pytest.approx(float(np.exp(log_e_value(22, 11, 367, -MARGIN))))
    assert found.e_needed == pytest.approx(20)
    assert found.chances.verdict == "pass"
    assert looked((1, 1, 20), plan=(1, 4)).chances.verdict == "inconclusive"


def test_the_e_value_is_fair_at_the_margin():
    n, theta = 30, np.array([0.1, 0.15, 0.75])
    w, l = (x.ravel() for x in np.indices((n + 1, n + 1)))
    counts = np.stack([w, l, n - w - l])[:, w + l <= n]
    ways = special.gammaln(n + 1) - special.gammaln(counts + 1).sum(0)
    weight = np.exp(ways + np.log(theta) @ counts)
    total = (weight * np.exp(log_e_value(*counts, -MARGIN))).sum()
    assert total == pytest.approx(1, abs=1e-12)


def test_rates_are_the_sum_over_every_order_of_items():
    never = 10**6
    stops = [Stops(np.array([never, 3, 0]), 0), Stops(np.array([never, 9, 2, 1, 0]), 1)]
    share, win = 0.6, 0.4
    expected = dict.fromkeys(("pass", "worse", "open"), 0.0)
    ties = np.arange(60)
    between = {2: 0.6**2 * (ties + 1) * 0.4**ties}  # ties before the second decisive item
    for first, second in itertools.product(itertools.product((0, 1), repeat=2), repeat=2):
        wins = [sum(first), sum(first) + sum(second)]
        weight = win ** wins[1] * (1 - win) ** (4 - wins[1])
        early = ties >= stops[0].ties[wins[0]]
        behind = ~early & (wins[0] <= stops[0].worse)
        expected["pass"] += weight * between[2][early].sum()
        expected["worse"] += weight * between[2][behind].sum()
        going = np.where(early | behind, 0.0, between[2])
        whole = np.convolve(going, between[2])
        late = np.arange(len(whole)) >= stops[1].ties[wins[1]]
        expected["pass"] += weight * whole[late].sum()
        rest = "worse" if wins[1] <= stops[1].worse else "open"
        expected[rest] += weight * whole[~late].sum()
    found = look_rates(stops, share, (2 * win - 1) * share)
    assert found.passes == pytest.approx(expected["pass"], abs=1e-12)
    assert found.worse == pytest.approx(expected["worse"], abs=1e-12)
    assert found.inconclusive == pytest.approx(expected["open"], abs=1e-12)


def test_rates_are_how_often_simulated_gates_say_it():
    plan, share, runs = Plan.checked((3, 60)), 0.3, 3000
    found = look(plan, Cases((9, 9, 42), (9, 9, 42), (9, 9, 42)), 0.1, SURE)
    rng, said = np.random.default_rng(4), np.zeros(runs, int)
    w, t = np.zeros(runs, int), np.zeros(runs, int)
    before = 0
    for m in plan.schedule.tolist():
        w += rng.binomial(m - before, (1 - 0.1 / share) / 2, runs)
        t += rng.negative_binomial(m - before, share, runs)
        before = m
        passed = log_e_value(w, m - w, t, -0.1) >= np.log(20)
        behind = ~passed & (chance_behind(w, m - w) >= found.boundary)
        said = np.where(said, said, np.where(passed, 1, np.where(behind, 2, 0)))
    rates = dict(found.rates)[-0.1]
    for k, p in ((1, rates.passes), (2, rates.worse)):
        assert abs((said == k).mean() - p) < 4 * np.sqrt(p * (1 - p) / runs)


def test_wrong_verdicts_are_held_over_all_looks_together():
    rates = dict(looked((30, 20, 200), plan=(10, 120)).rates)
    assert rates[0.0].worse <= ERROR
    assert rates[-MARGIN].passes <= ERROR
    assert rates[-2 * MARGIN].worse > 0.8
    for one in rates.values():
        assert one.passes + one.worse + one.inconclusive == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((5, 4), "5 looks are more than 4 non-tied items"),
        ((0, 4), "looks is 0"),
        ((2, 3, 4), "looks takes two numbers"),
        ("24", "looks takes two numbers"),
    ],
)
def test_plans_that_cannot_be(given, said):
    with pytest.raises(ValueError, match=said):
        Plan.checked(given)


def test_more_decisive_items_than_planned_are_refused():
    with pytest.raises(ValueError, match="50 non-tied items, beyond the 40 of the plan"):
        looked((20, 30, 350), plan=(4, 40))


def test_too_many_outcomes_are_not_enumerated():
    assert looked((2, 3, 995), plan=(1, 300)).rates == ()
    assert looked((0, 0, 20), plan=(2, 40)).rates == ()  # nothing says how many will be decisive

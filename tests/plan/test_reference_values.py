"""Every number that was computed elsewhere, by rationals, enumeration, mpmath or Monte Carlo."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special

import betterthan as bt
from betterthan.exact.planning.edges import fewest, wins_needed


def a_of(found, n):
    return float(found["probability"].sel(n=n, verdict="a_better"))


FEWEST = {4: 4, 5: 5, 6: 6, 8: 7, 10: 8, 14: 11, 20: 14, 30: 20, 50: 31, 100: 59, 200: 112}
FEWEST |= {500: 269, 1000: 527, 0: 1, 1: 2, 2: 3, 3: 4}


def test_fewest_wins_for_a_verdict():
    assert {m: int(wins_needed(m)) for m in FEWEST} == FEWEST


@pytest.mark.parametrize("threshold", [0.5000001, 0.8, 0.95, 0.999999, 1 - 1e-12])
@pytest.mark.parametrize(
    "prior", [(1.0, 1.0), (3.0, 0.2), (0.01, 0.01), (200.0, 1.0), (0.1, 300.0)]
)
def test_fewest_wins_are_those_of_a_search(prior, threshold):
    """From one win on to all of them, for priors that the first guess knows least of."""
    m = np.concatenate([np.arange(400), np.arange(400, 60_000, 2999)])

    def enough(wins):
        return (
            special.betainc(prior[1] + np.maximum(m - wins, 0), prior[0] + wins, 0.5) >= threshold
        )

    np.testing.assert_array_equal(wins_needed(m, prior, threshold), fewest(enough, 0, m + 1))


@pytest.mark.parametrize(
    ("n", "share"), [(20, (62, 231)), (50, (463, 1326)), (100, (2017, 5151)), (200, (85, 201))]
)
def test_assurance_of_a_uniform_design(n, share):
    found = bt.plan.assurance([n])
    assert a_of(found, n) == pytest.approx(float(Fraction(*share)), abs=1e-12)


def test_assurance_of_pilots():
    found = bt.plan.assurance([50, 100, 200], design=(6, 3, 11))
    told = found["probability"].sel(verdict="a_better").values
    np.testing.assert_allclose(told, [0.504675855, 0.618128256, 0.697932195], atol=5e-10)
    assert float(found["probability"].sel(n=200, verdict="b_better")) == pytest.approx(
        0.066070351, abs=5e-10
    )
    assert float(found["ceiling"].sel(verdict="a_better")) == 219 / 256
    found = bt.plan.assurance([50, 100, 200], design=(12, 6, 22))
    told = found["probability"].sel(verdict="a_better").values
    np.testing.assert_allclose(told, [0.495053264, 0.641309964, 0.747853431], atol=5e-10)


@pytest.mark.parametrize(
    ("design", "n"),
    [
        ({"design": (12, 6, 22)}, 326),
        ({"design": (30, 15, 55)}, 179),
        ({"design": (60, 30, 110)}, 147),
    ]
    + [
        ({"theta": theta}, n)
        for theta, n in (
            ((0.3, 0.15, 0.55), 121),
            ((0.2, 0.1, 0.7), 181),
            ((0.1, 0.05, 0.85), 363),
            ((0.12, 0.08, 0.8), 769),
        )
    ],
)
def test_items_for_four_in_five(design, n):
    found = bt.plan.items_needed(**design)
    assert int(found["first"]) == n
    if "theta" in design:
        assert int(found["always"]) >= n
    assert float(found["probability"]) >= 0.8
    before = bt.plan.assurance([n - 1], **design)
    assert a_of(before, n - 1) < 0.8


def test_a_pilot_of_20_never_reaches_nine_in_ten():
    found = bt.plan.items_needed((6, 3, 11), target=0.9)
    assert np.isnan(found["first"])
    assert np.isnan(found["always"])
    assert "No number of items" in found.lines[0]


def test_assurance_with_a_rope():
    found = bt.plan.assurance(200, design=(10, 10, 180), rope=0.05)["probability"]
    told = found.sel(verdict=["undecided", "a_better", "b_better", "equivalent"]).values
    np.testing.assert_allclose(told, [0.474483, 0.118243, 0.118243, 0.289031], atol=5e-7)


REPLICATION = [
    ((8, 2, 10), 0.967285, 0.500433318),
    ((14, 6, 30), 0.960823, 0.515614123),
    ((27, 14, 59), 0.978221, 0.597145126),
    ((12, 2, 986), 0.996307, 0.760783650),
    ((60, 30, 110), 0.999242, 0.858162051),
    ((12, 2), None, 0.709195402),
    ((60, 30), None, 0.871216833),
    ((8, 2), None, 0.549756745),
    ((14, 6), None, 0.542631416),
]


@pytest.mark.parametrize(("counts", "prob", "same"), REPLICATION)
def test_replication(counts, prob, same):
    found = bt.plan.replication(counts)
    assert float(found["same"]) == pytest.approx(same, abs=5e-10)
    if prob is not None:
        assert float(found["prob_better"]) == pytest.approx(prob, abs=5e-7)


@pytest.mark.parametrize(
    ("counts", "exact", "normal"),
    [((5300, 5000), 0.822962, 0.823073), ((5084, 4918), 0.502774, 0.504209)],
)
def test_replication_of_many_items_is_close_to_the_normal_one(counts, exact, normal):
    found = bt.plan.replication(counts)
    assert float(found["same"]) == pytest.approx(exact, abs=5e-7)
    assert float(found["same"]) == pytest.approx(normal, abs=2e-3)


@pytest.mark.parametrize(
    ("counts", "kept"), [((8, 2, 10), 0.836765687), ((60, 30, 110), 0.997725942)]
)
def test_verdict_kept_with_as_many_items_more(counts, kept):
    found = bt.plan.foresee(counts, more=sum(counts))
    assert float(found["probability"].sel(verdict="a_better")) == pytest.approx(kept, abs=5e-10)


@pytest.mark.parametrize(
    ("counts", "verdict", "told"),
    [
        ((12, 6, 32), "a_better", 0.73698424),
        ((12, 6, 32), "b_better", 0.00499433),
        ((20, 10, 70), "a_better", 0.820310312),
        ((10, 10, 80), "undecided", 0.905959),
    ],
)
def test_foresight_to_200(counts, verdict, told):
    found = bt.plan.foresee(counts, until=200)["probability"].sel(verdict=verdict)
    assert float(found) == pytest.approx(told, abs=5e-7 if told == 0.905959 else 5e-9)


def met(found):
    return float(found["probability"].isel(look=-1).sum())


EVERY = {4: 1 / 8, 10: 57 / 256, 20: 86559 / 262144, 50: 0.451835, 100: 0.528193}
EVERY |= {200: 0.599538, 500: 0.678296, 1000: 0.728041}
ONCE = {4: 0.125, 5: 0.0625, 10: 0.109375, 14: 0.057373, 20: 0.115318, 50: 0.118920}
ONCE |= {100: 0.088626, 200: 0.103639, 500: 0.097890, 1000: 0.093687}


def test_looking_at_every_item_and_once():
    found = bt.plan.peeking(1000)
    for n, told in EVERY.items():
        now = float(found["probability"].sel(look=n).sum())
        assert now == pytest.approx(told, abs=5e-7 if n > 20 else 1e-14)
    for n, told in ONCE.items():
        assert float(found["alone"].sel(look=n).sum()) == pytest.approx(told, abs=5e-7)


@pytest.mark.parametrize(
    ("step", "told"), [(10, 0.5972), (25, 0.5038), (50, 0.4218), (100, 0.3320)]
)
def test_looking_at_times(step, told):
    assert met(bt.plan.peeking(1000, looks=1000 // step)) == pytest.approx(told, abs=5e-5)


BAYES_FACTOR = {10: 0.00781, 20: 0.01529, 50: 0.02331, 100: 0.02758, 200: 0.03088}
BAYES_FACTOR |= {500: 0.03402, 1000: 0.03571}


def test_a_bayes_factor_of_20_at_every_item():
    found = bt.plan.peeking(1000, bayes_factor=20)
    for n, told in BAYES_FACTOR.items():
        assert float(found["probability"].sel(look=n).sum()) == pytest.approx(told, abs=5e-6)


WINS_BY_BAYES_FACTOR = {10: 10, 20: 17, 50: 36, 100: 66, 200: 124, 500: 289, 1000: 556}


def test_wins_that_a_bayes_factor_of_20_takes():
    for n, wins in WINS_BY_BAYES_FACTOR.items():
        for won, stops in ((wins, True), (wins - 1, False)):
            factor = float(bt.plan.e_value((won, n - won))["bayes_factor_10"])
            assert (factor >= 20) == stops, n


CALIBRATED = [
    (0.05, None, {20: 0.993530, 50: 0.996094, 100: 0.997038, 200: 0.997910}),
    (0.05, None, {500: 0.998337, 1000: 0.998700}),
    (0.10, None, {20: 0.986698, 50: 0.992188, 100: 0.993730, 200: 0.995262}),
    (0.10, None, {500: 0.996307, 1000: 0.996846}),
    (0.05, 10, {100: 0.994272, 200: 0.995723, 500: 0.997179}),
    (0.05, 50, {100: 0.985955, 200: 0.991747, 500: 0.994513}),
]


@pytest.mark.parametrize(("error", "step", "told"), CALIBRATED)
def test_calibrated_thresholds(error, step, told):
    for n, threshold in told.items():
        looks = None if step is None else range(step, n + 1, step)
        found = bt.plan.stopping_boundary(n, looks=looks, error=error)
        assert found.attrs["threshold"] == pytest.approx(threshold, abs=5.1e-7)


RULES = {
    "0.95": (0.804138, 0.135005, 33.0232, {}),
    "boundary": (
        0.708440,
        0.064620,
        81.5310,
        {0.6: (0.6305, 136.6), 0.65: (0.9567, 81.0), 0.7: (0.9992, 47.6)},
    ),
    "bayes factor": (
        0.678641,
        0.054674,
        88.1725,
        {0.6: (0.4756, None), 0.65: (0.9031, None), 0.7: (0.9971, None)},
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_rules_under_a_design_and_under_fixed_truths(rule):
    how = {
        "0.95": {},
        "boundary": {"boundary": bt.plan.stopping_boundary(200)},
        "bayes factor": {"bayes_factor": 20},
    }[rule]
    a, b, items, power = RULES[rule]
    found = bt.plan.peeking(200, design=(6, 3), **how)
    np.testing.assert_allclose(found["probability"].isel(look=-1).values, [a, b], atol=5e-7)
    assert found.attrs["items"] == pytest.approx(items, abs=5e-5)
    for p, (won, items) in power.items():
        found = bt.plan.peeking(200, theta=(p, 1 - p), **how)
        assert float(found["probability"].isel(look=-1)[0]) == pytest.approx(won, abs=5e-5)
        assert items is None or found.attrs["items"] == pytest.approx(items, abs=0.05)


@pytest.mark.parametrize(("p", "told"), [(0.6, 0.8261), (0.65, 0.9921), (0.7, 1.0)])
def test_power_of_one_look_at_975(p, told):
    found = bt.plan.peeking(200, looks=1, threshold=0.975, theta=(p, 1 - p))
    assert float(found["probability"].isel(look=-1)[0]) == pytest.approx(told, abs=5e-5)


@pytest.mark.parametrize(
    ("theta", "some", "equal", "once"),
    [
        ((0.03, 0.03, 0.94), 0.1955, 0.8028, (0.0619, 0.9226)),
        ((0.1, 0.1, 0.8), 0.3556, 0.0729, (0.0987, 0.0712)),
    ],
)
def test_looking_every_20_with_a_rope(theta, some, equal, once):
    found = bt.plan.peeking(300, looks=range(20, 301, 20), theta=theta, rope=0.05).data.isel(
        look=-1
    )
    either = ["a_better", "b_better"]
    for name, (a_or_b, within) in (("probability", (some, equal)), ("alone", once)):
        assert float(found[name].sel(verdict=either).sum()) == pytest.approx(a_or_b, abs=5.1e-5)
        assert float(found[name].sel(verdict="equivalent")) == pytest.approx(within, abs=5.1e-5)


@pytest.mark.parametrize(
    ("counts", "factor", "e"),
    [
        ((12, 2), 12.002930403, 23.917216117),
        ((10, 0), 93.090909, 186.0909),
        ((60, 30), 20.209582966, 40.388517833),
        ((210, 200), 0.069777250, 0.096161420),
    ],
)
def test_e_values(counts, factor, e):
    found = bt.plan.e_value(counts)
    digits = 5e-5 if counts == (10, 0) else 5e-10
    assert float(found["bayes_factor_10"]) == pytest.approx(
        factor, abs=max(digits, 5e-7 * (digits > 1e-6))
    )
    assert float(found["e_value"].sel(claim="a_better")) == pytest.approx(e, abs=digits)


@pytest.mark.parametrize(
    ("counts", "told"), [((60, 30, 110), 0.964152734030), ((12, 2, 986), -3.649350651483)]
)
def test_e_values_beyond_a_rope(counts, told):
    found = bt.plan.e_value(counts, 0.05)["log_e_value"].sel(claim="a_beyond")
    assert float(found) == pytest.approx(told, abs=5e-13 * 4)


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((0, 0, 200), 2838.56222005),
        ((10, 10, 180), 4.10914461159),
        ((12, 2, 986), 1.31193328681e9),
        ((60, 30, 110), 0.0406011465),
    ],
)
def test_e_values_of_equivalence(counts, told):
    found = bt.plan.e_value(counts, 0.05)["e_value"].sel(claim="equivalent")
    assert float(found) == pytest.approx(told, rel=2e-10 if told > 0.1 else 2e-9)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        ((12, 2, 986), (-0.000799, 0.024349)),
        ((60, 30, 110), (0.000161, 0.299601)),
        ((8, 2, 10), (-0.175032, 0.691946)),
        ((0, 0, 200), (-0.026440, 0.026440)),
        ((210, 200, 590), (-0.059389, 0.079459)),
    ],
)
def test_confidence_sequences(counts, ends):
    found = bt.plan.confidence_sequence(counts)
    np.testing.assert_allclose([found["lower"], found["upper"]], ends, atol=5e-7)


@pytest.mark.parametrize(
    ("theta", "rope", "ceiling"),
    [
        ((0.1, 0.1, 0.8), 0.0, [0.05, 0.05, 0, 0.9]),
        ((0.2, 0.1, 0.7), 0.1, [0.95, 0, 0.05, 0]),  # 0.2 - 0.1 is a rounded 0.1
        ((0.1, 0.2, 0.7), 0.1, [0, 0.95, 0.05, 0]),
        ((0.2, 0.1, 0.7), 0.15, [0, 0, 1, 0]),
        ((0.2, 0.1, 0.7), 0.05, [1, 0, 0, 0]),
        ((0.0, 0.0, 1.0), 0.0, [0, 0, 0, 1]),
    ],
)
def test_the_limiting_probability_is_that_of_ever_more_items(theta, rope, ceiling):
    found = bt.plan.assurance([4000], theta=theta, rope=rope)
    np.testing.assert_allclose(found["ceiling"].values, ceiling, atol=1e-12)
    np.testing.assert_allclose(found["probability"].values[0], ceiling, atol=0.003)

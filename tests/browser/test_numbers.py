"""The scripts of the page agree with Python: probabilities, verdicts, number formats."""

import numpy as np
import pytest
from browser.pages import right_or_wrong
from scipy import stats

import betterthan as bt
from betterthan.exact.wins import dirichlet, intervals
from betterthan.posterior.verdicts import decide

pytestmark = pytest.mark.browser
CLOSE = 1e-4  # what is promised
SEEN = 5e-5  # what is kept to


@pytest.fixture
def scripts(open_page):
    """A page whose scripts can be called."""
    return open_page(bt.report(bt.compare(right_or_wrong(3)), format="html", figures=False))


def posteriors():
    rng = np.random.default_rng(1)
    drawn = [
        rng.dirichlet([0.6, 0.6, 0.6]) * 10 ** rng.uniform(0, 6) + rng.choice([0.01, 0.5, 1])
        for _ in range(1500)
    ]
    each = (0.01, 0.5, 1, 2, 3, 50, 1e5)
    grid = [(a, b, t) for a in each for b in each for t in (0.01, 0.5, 2, 900, 1e6)]
    a, b, t = np.array([*drawn, *grid]).T
    middle, spread = dirichlet.mean_difference(a, b, t), dirichlet.sd_difference(a, b, t)
    near = middle + spread * rng.normal(0, 2, len(a))
    x = np.where(rng.random(len(a)) < 0.6, near, 10 ** rng.uniform(-6, -0.1, len(a)))
    return a, b, t, np.clip(x, -0.999, 0.999)


def test_probabilities_are_those_of_the_closed_form(scripts):
    a, b, t, x = posteriors()
    given = np.stack([a, b, t, x], axis=1).tolist()
    found = scripts.evaluate("given => given.map((four) => betterthan.above(...four))", given)
    error = np.abs(np.array(found, dtype=float) - dirichlet.prob_above(a, b, t, x))
    assert error.max() < SEEN < CLOSE
    assert np.median(error) < 1e-7


def test_a_tail_keeps_its_digits(scripts):
    given = [[2.0, 30, 100, 0.02], [1, 40, 20, 0.0], [3, 80, 0, 0.1]]
    found = scripts.evaluate("given => given.map((four) => betterthan.above(...four))", given)
    exact = dirichlet.prob_above(*np.array(given).T)
    assert (exact < 1e-8).all()
    np.testing.assert_allclose(found, exact, rtol=1e-3)


def test_students_t_is_that_of_scipy(scripts):
    given = [[x, k] for x in (-40, -3, -1e-3, 0, 0.4, 2, 9) for k in (1, 2, 5, 30, 4000)]
    found = scripts.evaluate("given => given.map((two) => betterthan.studentBelow(...two))", given)
    x, k = np.array(given).T
    np.testing.assert_allclose(found, stats.t.cdf(x, k), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_intervals_are_those_of_the_closed_form(scripts, kind):
    given = [[13.0, 3, 287], [1, 1, 40], [30, 12, 0], [2, 1, 1], [400, 380, 2000]]
    found = scripts.evaluate(
        """([given, kind]) => given.map(([a, b, t]) =>
          betterthan.interval({a, b, t}, 0.95, kind))""",
        [given, kind],
    )
    a, b, t = np.array(given).T
    exact = intervals.hdi(a, b, t, 0.95)[:2] if kind == "hdi" else intervals.eti(a, b, t, 0.95)
    spread = dirichlet.sd_difference(a, b, t)[:, None]
    assert (np.abs(np.array(found) - np.stack(exact, axis=1)) < 0.01 * spread).all()


def by_the_rule(p, q, within, against, stays, rope, threshold):
    """The one rule of Python, and what goes before it."""
    if stays:
        return stays
    ahead = str(decide(p, q, 0.0, 0.0, threshold)[0])
    if (ahead == "a_better" and against < 0.5) or (ahead == "b_better" and against > 0.5):
        return "split"
    return str(decide(p, q, within, rope, threshold)[0])


def test_verdicts_follow_one_rule(scripts):
    rng = np.random.default_rng(2)
    rows = []
    for k in range(4000):
        p = float(rng.choice([rng.random(), rng.uniform(0.9, 1), rng.uniform(0, 0.1)]))
        within = float(rng.choice([0.0, rng.random(), rng.uniform(0.9, 1)]))
        against = float(rng.random()) if k % 3 == 0 else None
        stays = str(rng.choice(["", "", "", "", "no_data", "no_verdict"]))
        rope, threshold = float(rng.choice([0.0, 0.1])), float(rng.choice([0.6, 0.9, 0.95]))
        rows.append([p, 1 - p, within, against, stays, rope, threshold])
    found = scripts.evaluate(
        """rows => rows.map(([p, q, within, against, stays, rope, threshold]) => betterthan.decide(
          {p, q, within, stays, error: 0, against: against === null ? NaN : against},
          rope, threshold))""",
        rows,
    )
    expected = [by_the_rule(*r[:3], np.nan if r[3] is None else r[3], *r[4:]) for r in rows]
    assert found == expected
    assert set(found) == {
        *("no_data", "no_verdict", "split", "equivalent", "a_better", "b_better", "undecided")
    }


def test_what_was_drawn_is_undecided_within_two_errors(scripts):
    given = [[0.96, 0.001], [0.96, 0.006], [0.94, 0.0]]
    found = scripts.evaluate(
        """given => given.map(([p, error]) => betterthan.decide(
          {p, q: 1 - p, within: 0, stays: "", error, against: NaN}, 0, 0.95))""",
        given,
    )
    assert found == ["a_better", "undecided", "undecided"]


def test_numbers_are_written_as_python_writes_them(scripts):
    from betterthan.results import numbers

    rng = np.random.default_rng(3)
    p = [0.0, 1.0, 0.0005, 0.9995, 0.0625, 0.03125, 0.5, *rng.random(300).tolist()]
    error = [[float(v), float(e)] for v in rng.random(60) for e in 10 ** rng.uniform(-5, -1, 3)]
    sizes = []
    for mean in rng.normal(0, 0.2, 300):
        half = 10 ** rng.uniform(-4, 1.5)
        sizes.append([float(mean), float(mean - half), float(mean + half)])
    near = [0.94968, 0.9499999, 0.0503, 0.92, 0.97, *rng.uniform(0.949, 0.951, 100).tolist()]
    found = scripts.evaluate(
        """([p, error, sizes, near]) => [p.map((v) => betterthan.probability(v, 0)),
          error.map(([v, e]) => betterthan.probability(v, e)),
          sizes.map((three) => betterthan.difference(...three).join(" ")),
          near.map((v) => betterthan.probability(v, 0, 0.95))]""",
        [p, error, sizes, near],
    )
    assert found[0] == [numbers.probability(v) for v in p]
    assert found[1] == [numbers.probability(v, e) for v, e in error]
    assert found[2] == [numbers.difference(*three) for three in sizes]
    assert found[3] == [numbers.probability(v, threshold=0.95) for v in near]

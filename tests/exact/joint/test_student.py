"""Truncated t and Hall's t: published values, numerical integration and narrowest widths."""

import tomllib
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats

from betterthan.exact.joint.student import Student, distribution, hall_inverse, hall_transform
from betterthan.exact.joint.units import pair_means, width_of

REFERENCE = tomllib.loads(
    (Path(__file__).parents[2] / "reference" / "unequal_units.toml").read_text("utf-8")
)


def student(df, mean, error, low=-np.inf, high=np.inf, **more):
    return Student(*(np.array([x]) for x in (mean, error, df)), low, high, **more)


def ends(interval):
    return [float(x[0]) for x in interval]


@pytest.mark.parametrize("name", ["truncated", "truncated_near_one", "truncated_in_the_middle"])
def test_narrowest_intervals_of_the_truncated_t(name):
    reference = REFERENCE[name]
    assert ends(student(*reference["at"]).interval(0.95, "hdi")) == pytest.approx(
        reference["hdi"], abs=5e-12
    )


def test_probability_and_quantiles_of_the_truncated_t():
    reference = REFERENCE["truncated"]
    of = student(*reference["at"])
    assert of.prob_above(0.0)[0] == pytest.approx(reference["prob_above_0"], abs=5e-13)
    assert ends(of.interval(0.95, "eti")) == pytest.approx(reference["eti"], abs=5e-12)


AT = st.tuples(
    st.floats(2.0, 60.0), st.floats(-1.0, 1.0), st.floats(0.01, 5.0), st.floats(-0.99, 0.99)
)


@given(AT)
def test_probabilities_agree_with_the_density_and_both_sides_add_up(at):
    df, mean, error, delta = at
    of = student(df, mean, error, -1.0, 1.0)

    def density(x):  # times a constant
        return (1 + ((x - mean) / error) ** 2 / df) ** (-(df + 1) / 2)

    points = [x for x in (mean - error, mean, mean + error) if -1 < x < 1]
    whole = integrate.quad(density, -1, 1, points=points or None, limit=200)[0]
    above = integrate.quad(
        density, delta, 1, points=[x for x in points if x > delta] or None, limit=200
    )[0]
    assert of.prob_above(delta)[0] == pytest.approx(above / whole, abs=1e-7)
    assert of.prob_above(delta)[0] + of.prob_below(delta)[0] == pytest.approx(1.0, abs=1e-12)


@given(AT)
def test_the_narrowest_interval_holds_its_mass_and_none_is_narrower(at):
    df, mean, error, _ = at
    of = student(df, mean, error, -1.0, 1.0)
    low, high = ends(of.interval(0.9, "hdi"))
    assert -1 <= low < high <= 1
    assert (of.prob_above(low) - of.prob_above(high))[0] == pytest.approx(0.9, abs=1e-9)
    found = optimize.minimize_scalar(
        lambda p: float((of.quantile(p + 0.9) - of.quantile(p))[0]),
        bounds=(0, 0.1),
        method="bounded",
    )
    assert high - low <= found.fun + 1e-6


@given(AT, st.floats(0.001, 0.999))
def test_quantiles_are_the_inverse_of_probabilities(at, prob):
    df, mean, error, _ = at
    of = student(df, mean, error, -1.0, 1.0)
    assert of.prob_below(float(of.quantile(prob)[0]))[0] == pytest.approx(prob, abs=1e-9)


def test_with_fewer_than_two_degrees_of_freedom_only_the_interval_is_cut():
    of, plain = student(1.9, 0.6, 0.4, -1.0, 1.0), student(1.9, 0.6, 0.4)
    assert of.prob_above(0.0)[0] == pytest.approx(plain.prob_above(0.0)[0], rel=1e-12)
    assert ends(of.interval(0.95, "hdi")) == pytest.approx(
        np.clip(ends(plain.interval(0.95, "hdi")), -1, 1)
    )


def test_an_unknown_range_gives_plain_t_to_the_digit():
    of = student(7.0, 0.3, 0.2)
    assert of.prob_above(0.1)[0] == special.stdtr(7.0, (0.3 - 0.1) / 0.2)
    assert ends(of.interval(0.95, "hdi")) == pytest.approx(ends(of.interval(0.95, "eti")))


def test_hall_and_the_less_certain_of_both():
    reference = REFERENCE["skewed"]
    x = np.array(reference["x"])
    n, error = len(x), stats.sem(x)
    assert error == pytest.approx(reference["error"], abs=5e-13)
    assert stats.skew(x) == pytest.approx(reference["skewness"], abs=5e-12)
    t = x.mean() / error
    assert hall_transform(np.array([t]), stats.skew(x), n)[0] == pytest.approx(
        reference["hall"], abs=5e-11
    )
    skewed = {"skewness": np.array([stats.skew(x)]), "units": np.array([n])}
    of = student(n - 1.0, x.mean(), error, **skewed)
    assert student(n - 1.0, x.mean(), error).prob_above(0.0)[0] == pytest.approx(
        reference["prob_t"], abs=5e-13
    )
    assert special.stdtr(n - 1, reference["hall"]) == pytest.approx(
        reference["prob_hall"], abs=5e-12
    )
    assert of.prob_above(0.0)[0] == pytest.approx(reference["prob"], abs=5e-13)
    assert ends(of.interval(0.95, "hdi")) == pytest.approx(reference["interval"], abs=5e-11)


@given(st.floats(-20, 20), st.floats(-3, 3), st.integers(3, 500))
def test_hall_is_monotone_and_inverted(h, skewness, units):
    t = hall_inverse(np.array([h]), skewness, units)
    assert hall_transform(t, skewness, units)[0] == pytest.approx(h, abs=1e-8)
    assert hall_transform(t + 1e-3, skewness, units)[0] >= hall_transform(t, skewness, units)[0]


@given(st.floats(-2, 2), st.floats(-3, 3), st.floats(0.0, 0.5))
def test_exchanging_the_systems_mirrors_every_answer(mean, skewness, rope):
    more = {"skewness": np.array([skewness]), "units": np.array([9])}
    of = student(8.0, mean, 0.5, **more)
    back = student(8.0, -mean, 0.5, **(more | {"skewness": np.array([-skewness])}))
    assert of.prob_above(rope)[0] == pytest.approx(back.prob_below(-rope)[0], abs=1e-14)
    low, high = ends(of.interval(0.9, "eti"))
    assert ends(back.interval(0.9, "eti")) == pytest.approx([-high, -low])


def test_no_error_is_no_answer():
    of = student(5.0, 0.3, 0.0, -1.0, 1.0)
    assert np.isnan(of.prob_above(0.0)[0])
    assert np.isnan(ends(of.interval(0.95, "hdi"))).all()


@pytest.mark.parametrize("df", [0.3, 1.0, 1.7, 2.0, 3.9, 5.0, 8.999])
def test_few_degrees_of_freedom_against_the_incomplete_beta_function(df):
    """Raised by twos to many degrees of freedom, and so by a normal score."""
    z = np.concatenate([np.linspace(-60, 60, 2401), [-1e-300, 0.0]])[:, None]
    column = np.array([df])
    found = distribution(z, column)
    np.testing.assert_allclose(found, special.stdtr(column, z), rtol=0, atol=1e-12)
    assert (np.diff(found[:2401, 0]) > 0).all()
    with mpmath.workdps(30):
        for far in (-2.0, -50.0, -1e4):
            x = df / (df + mpmath.mpf(far) ** 2)
            tail = mpmath.betainc(df / 2, 0.5, 0, x, regularized=True) / 2
            one = distribution(np.array([[far]]), column)[0, 0]
            assert one == pytest.approx(float(tail), rel=1e-11)


def test_many_degrees_of_freedom_keep_their_score_next_to_few():
    z, df = np.full((1, 3), -2.2), np.array([3.0, 12.0, 80.0])
    expected = special.stdtr(df, z)
    np.testing.assert_allclose(distribution(z, df), expected, atol=1e-12)
    np.testing.assert_allclose(distribution(z[:, 1:], df[1:]), expected[:, 1:], atol=1e-8)


def test_next_to_the_middle_of_a_cauchy_distribution():
    """1/2 + z / pi, of which SciPy's own function gives 1/2."""
    found = distribution(np.array([[1e-9]]), np.array([1.0]))
    assert found[0, 0] - 0.5 == pytest.approx(1e-9 / np.pi, rel=1e-6)


def test_an_alike_difference_beyond_a_rope_does_not_depend_on_the_unit_of_scores():
    scores = np.array([[0.0, 1], [5, 6], [20, 21]] * 5)
    once, tenfold = (
        pair_means(k * scores, np.ones((15, 2)), np.arange(15)).prob_below(-0.5 * k)
        for k in (1, 10)
    )
    np.testing.assert_allclose(once, tenfold, rtol=1e-9)


def test_width_is_1_of_shares_whichever_is_better():
    assert width_of(0.5, 1.0) == width_of(-1.0, -0.5) == width_of(0.0, 0.0) == 1.0

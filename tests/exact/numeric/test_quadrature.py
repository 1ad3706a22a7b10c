import numpy as np
import pytest

from betterthan.exact.numeric.quadrature import bisect, integrate, log_mix, panel_masses


@pytest.mark.parametrize(
    ("log_f", "expected"),
    [
        (lambda v: -(v**2) / 2, np.sqrt(2 * np.pi)),
        (lambda v: -((v - 40) ** 2) / 2e-6, np.sqrt(2e-6 * np.pi)),
        (lambda v: -np.abs(v) - np.log(2), 1.0),
        (lambda v: -np.logaddexp(0, v) - np.logaddexp(0, -0.01 * v), None),
        (lambda v: 0.01 * v - 1.01 * np.logaddexp(0, v) - np.log(100) + 0 * v, None),
    ],
)
def test_humps_far_narrow_bent_and_thick(log_f, expected):
    found = integrate(lambda v, rows: log_f(v), np.array([0.0]), np.array([1.0]))[0]
    if expected is None:
        edges = np.concatenate(
            [-np.geomspace(1e-3, 6000, 40_001)[::-1], np.geomspace(1e-3, 6000, 40_001)]
        )
        expected = panel_masses(lambda v: np.exp(log_f(v)), edges[None])[0].sum()
    assert found == pytest.approx(expected, rel=1e-9)


def test_log_mix_is_exact_and_does_not_overflow():
    delta = np.array([-800.0, -1e-12, 0.0, 3.0, 800.0])
    p, q = np.float64(0.25), np.float64(0.75)
    expected = [np.log(0.75), -0.25e-12, 0.0, np.log(0.75 + 0.25 * np.exp(3.0)), 800 + np.log(0.25)]
    np.testing.assert_allclose(log_mix(p, q, delta), expected, rtol=1e-12)


def test_log_mix_keeps_a_part_far_below_rounding():
    q = np.float64(1e-20)
    found = log_mix(1 - q, q, np.array([-900.0, -100.0, -46.0]))
    np.testing.assert_allclose(found[:2], np.log(1e-20), rtol=1e-14)
    assert found[2] == pytest.approx(np.log(1e-20 + np.exp(-46.0)), rel=1e-14)
    with_high = log_mix(1 - q, q, np.array([-900.0, 800.0]))
    np.testing.assert_allclose(with_high, [np.log(1e-20), 800.0], rtol=1e-14)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_ends_in_an_error(value):
    with np.errstate(invalid="ignore"), pytest.raises(ArithmeticError, match="did not settle"):
        bisect(lambda v, rows: v * 0 + value, np.arange(2), np.zeros(2), np.ones(2))


def test_what_never_settles_ends_in_an_error_before_memory_does():
    rng = np.random.default_rng(1)
    pieces = []

    def noise(v, rows):
        pieces.append(len(v))
        return rng.normal(size=v.shape) - np.logaddexp(0, np.abs(v) / 1e9)

    with pytest.raises(ArithmeticError, match="did not settle; please report the counts"):
        bisect(noise, np.arange(1), np.zeros(1), np.ones(1))
    assert sum(pieces) < 2**20

import numpy as np
import pytest

from betterthan.exact.numeric.quadrature import integrate, log_mix, panel_masses


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

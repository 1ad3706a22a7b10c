import math

import pytest

from betterthan.results import numbers


@pytest.mark.parametrize(
    ("p", "mcse", "expected"),
    [
        (0.0, 0.0, "< 0.001"),
        (1.0, 0.0, "> 0.999"),
        (0.99949, 0.0, "0.999"),
        (0.0005, 0.0, "0.001"),
        (0.5, 0.0, "0.500"),
        (math.nan, 0.0, "–"),
        (0.68, 0.0123, "0.68"),
        (0.99988, 0.00018, "> 0.999"),
        (1.0, 0.001, "> 0.99"),
        (0.0, 0.02, "< 0.1"),
    ],
)
def test_probability(p, mcse, expected):
    assert numbers.probability(p, mcse) == expected


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ((0.0, -0.6, 0.6), "+0.00 [−0.60, +0.60]"),
        ((-0.04211, -0.0856, 0.002), "−0.0421 [−0.0856, +0.0020]"),
        ((1e-6, -2e-5, 3e-5), "+0.0000010 [−0.0000200, +0.0000300]"),
        ((-1e-9, -0.2, 0.2), "+0.00 [−0.20, +0.20]"),
        ((math.nan, math.nan, math.nan), "–"),
    ],
)
def test_difference(ends, expected):
    assert numbers.difference(*ends) == expected


def test_digits_are_cut_to_the_monte_carlo_error():
    assert numbers.difference(0.01234, 0.002, 0.02, mcse=0.0012) == "+0.012 [+0.002, +0.020]"


@pytest.mark.parametrize(
    ("p", "expected"), [(0.005, "<1"), (0.0051, "1"), (0.995, ">99"), (0.9949, "99"), (1.0, ">99")]
)
def test_no_per_cent_is_0_or_100(p, expected):
    assert numbers.percent(p) == expected


@pytest.mark.parametrize(
    ("p", "expected"),
    [(0.947, "94.7"), (0.94999, "94.9"), (0.95, "95"), (0.944, "94"), (0.0504, "5.1")],
)
def test_no_per_cent_is_at_a_threshold_that_it_does_not_reach(p, expected):
    assert numbers.percent(p, 0.95) == expected

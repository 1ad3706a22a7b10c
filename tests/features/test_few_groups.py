"""Intervals of coefficients hold what they promise when rows come in few groups."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.exact import regression

SETS = 1000


def held(groups, random, of_groups=True):
    """Share of 95 % intervals that hold a coefficient of 0."""
    of = np.repeat(np.arange(groups), 6)
    count = 0
    for _ in range(SETS):
        x = random.normal(size=(groups, 1))[of] if of_groups else random.normal(size=(len(of), 1))
        y = random.normal(size=groups)[of] + random.normal(size=len(of))
        lower, upper = regression.fit(x, y, of).interval(0.95)
        count += lower[1] <= 0 <= upper[1]
    return count / SETS


@pytest.mark.parametrize("groups", [5, 8, 15])
def test_intervals_of_features_of_groups_cover(groups):
    """.81, .88 and .88 by errors that sum groups, with one fewer degrees of freedom than groups."""
    assert held(groups, np.random.default_rng(groups)) > 0.93


def test_intervals_of_features_of_rows_cover():
    assert held(5, np.random.default_rng(50), of_groups=False) > 0.93


def test_a_group_on_which_a_coefficient_rests_has_an_error_all_the_same():
    """The intercept of one group: nothing of it is left free, and nothing is divided by 0."""
    random = np.random.default_rng(6)
    of = np.repeat(np.arange(6), 4)
    found = regression.fit((of == 0)[:, None].astype(float), random.normal(size=24), of)
    assert np.isfinite(found.errors).all()
    assert (found.freedom > 0).all()


def test_the_report_says_how_many_groups_and_degrees_of_freedom(frame):
    function = bt.features.performance_function(frame, "rating", leave_out="dialogue")
    df = function.fit["df"].sel(feature="x0").item()
    assert 1 < df < 5
    said = f"errors clustered by dialogue, CR2, {df:.1f} degrees of freedom from 6 groups."
    assert said in bt.report(function)


@pytest.fixture
def frame():
    import pandas as pd

    random = np.random.default_rng(1)
    of = np.repeat(np.arange(6), 5)
    x = random.normal(size=6)[of] + random.normal(size=30) / 4
    y = x + random.normal(size=30) / 2
    return pd.DataFrame({"x0": x, "rating": y, "dialogue": of})

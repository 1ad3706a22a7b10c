"""Coefficients, their errors and intervals against statsmodels, alone and in groups."""

import numpy as np
import pytest
import statsmodels.api as sm

from betterthan.exact.regression import least_squares


@pytest.mark.parametrize("columns", [0, 1, 4])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("prob", [0.5, 0.95, 0.999])
def test_fit_is_that_of_statsmodels(columns, grouped, prob):
    random = np.random.default_rng(columns)
    x = random.normal(size=(40, columns)) * np.logspace(-1, 1, columns) + np.arange(columns)
    groups = random.integers(0, 9, 40)  # of unequal size
    y = 3 + random.normal(size=40) + random.normal(size=9)[groups]
    model = sm.OLS(y, np.column_stack([np.ones(40), x]))
    reference = (
        model.fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
        if grouped
        else model.fit()
    )
    found = least_squares.fit(x, y, groups if grouped else None)
    np.testing.assert_allclose(found.coefficients, reference.params, rtol=1e-9)
    np.testing.assert_allclose(found.errors, reference.bse, rtol=1e-9)
    np.testing.assert_allclose(
        np.transpose(found.interval(prob)), reference.conf_int(1 - prob), rtol=1e-8
    )
    np.testing.assert_allclose(found.fitted, reference.fittedvalues, rtol=1e-9)
    assert found.r2 == pytest.approx(reference.rsquared, abs=1e-12)
    assert found.freedom == (8 if grouped else 39 - columns)

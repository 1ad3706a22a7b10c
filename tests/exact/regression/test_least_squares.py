"""Coefficients, their errors and intervals against statsmodels; of groups, formulas."""

import numpy as np
import pytest
import statsmodels.api as sm

from betterthan.exact import regression


@pytest.mark.parametrize("columns", [0, 1, 4])
@pytest.mark.parametrize("prob", [0.5, 0.95, 0.999])
def test_fit_is_that_of_statsmodels(columns, prob):
    random = np.random.default_rng(columns)
    x = random.normal(size=(40, columns)) * np.logspace(-1, 1, columns) + np.arange(columns)
    y = 3 + random.normal(size=40)
    reference = sm.OLS(y, np.column_stack([np.ones(40), x])).fit()
    found = regression.fit(x, y)
    np.testing.assert_allclose(found.coefficients, reference.params, rtol=1e-9)
    np.testing.assert_allclose(found.errors, reference.bse, rtol=1e-9)
    np.testing.assert_allclose(
        np.transpose(found.interval(prob)), reference.conf_int(1 - prob), rtol=1e-8
    )
    np.testing.assert_allclose(found.fitted, reference.fittedvalues, rtol=1e-9)
    assert found.r2 == pytest.approx(reference.rsquared, abs=1e-12)
    assert (found.freedom == 39 - columns).all()


def full(x, y, groups):
    """CR2 and Satterthwaite's degrees of freedom by matrices of all rows."""
    design = np.column_stack([np.ones(len(y)), x])
    bread = np.linalg.inv(design.T @ design)
    maker = np.eye(len(y)) - design @ bread @ design.T
    left, variance, rows = maker @ y, np.zeros_like(bread), []
    for group in np.unique(groups):
        at = np.flatnonzero(groups == group)
        values, vectors = np.linalg.eigh(maker[np.ix_(at, at)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        score = design[at].T @ root @ left[at]
        variance += np.outer(score, score)
        rows.append(maker[:, at] @ root @ design[at] @ bread)  # (row, coefficient)
    errors, freedom = np.sqrt(np.diag(bread @ variance @ bread)), []
    for k in range(len(bread)):
        each = np.column_stack([row[:, k] for row in rows])
        inner = each.T @ each
        freedom.append(np.trace(inner) ** 2 / (inner**2).sum())
    return errors, freedom


@pytest.mark.parametrize("columns", [1, 3])
def test_errors_of_groups_are_those_of_whole_matrices(columns):
    random = np.random.default_rng(columns)
    groups = np.repeat(np.arange(9), random.integers(2, 9, 9))  # of unequal size
    x = random.normal(size=(len(groups), columns)) + random.normal(size=(9, columns))[groups]
    y = random.normal(size=len(groups)) + random.normal(size=9)[groups]
    found = regression.fit(x, y, groups)
    errors, freedom = full(x, y, groups)
    np.testing.assert_allclose(found.errors, errors, rtol=1e-9)
    np.testing.assert_allclose(found.freedom, freedom, rtol=1e-9)
    np.testing.assert_allclose(found.coefficients, regression.fit(x, y).coefficients)


def test_a_mean_of_groups_has_the_formulas_of_clubsandwich():
    """Of R's clubSandwich, tests/testthat/test_intercept_formulas.R."""
    random = np.random.default_rng(14)
    sizes = 1 + random.negative_binomial(2, 0.5, 14)
    groups, total = np.repeat(np.arange(14), sizes), sizes.sum()
    y = 5 + random.normal(size=14)[groups] + random.normal(size=total)
    means = np.bincount(groups, y) / sizes
    variance = (sizes**2 * (means - y.mean()) ** 2 / (1 - sizes / total)).sum() / total**2
    rest = total - sizes
    freedom = total**2 / (
        total**2 * (sizes**2 / rest**2).sum()
        - 2 * total * (sizes**3 / rest**2).sum()
        + (sizes**2 / rest).sum() ** 2
    )
    found = regression.fit(np.empty((total, 0)), y, groups)
    assert found.errors[0] == pytest.approx(np.sqrt(variance), rel=1e-10)
    assert found.freedom[0] == pytest.approx(freedom, rel=1e-10)


def test_two_samples_have_the_degrees_of_freedom_that_were_published():
    """Imbens & Kolesar (2016), section II: 3 of 30 treated, each by itself: 2.5."""
    random = np.random.default_rng(2)
    x, y = np.repeat([1.0, 0.0], [3, 27]), random.normal(size=30)
    found = regression.fit(x[:, None], y, np.arange(30))
    assert found.freedom[1] == pytest.approx(30**2 * 26 * 2 / (3**2 * 2 + 27**2 * 26))
    assert round(found.freedom[1], 1) == 2.5
    apart = y[:3].var(ddof=1) / 3 + y[3:].var(ddof=1) / 27
    assert found.errors[1] == pytest.approx(np.sqrt(apart))

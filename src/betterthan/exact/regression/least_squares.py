"""Least squares: leave-one-out fits without refitting, and clustered standard errors.

Standard errors of least squares whose rows come in groups, also where the groups are few: CR2.

The sum over the rows of a group is taken of residuals times (I - H_gg)^(-1/2), H the hat matrix:
were all rows independent, the variances would be unbiased. Student's t gets the degrees of freedom
of Satterthwaite's approximation under the same assumption, other ones for each coefficient.

Bell & McCaffrey (2002), Survey Methodology 28(2), 169-181; Imbens & Kolesar (2016), Review of
Economics and Statistics 98(4), doi:10.1162/REST_a_00552; Pustejovsky & Tipton (2018), Journal of
Business & Economic Statistics 36(4), doi:10.1080/07350015.2016.1247004.

Least squares and what is left out of it: exact, without refitting.

With hat matrix H and residuals e, the residuals of group g under the fit without g are (I -
H_gg)^-1 e_g, and that fit's sum of squares is smaller by e_g' (I - H_gg)^-1 e_g (Cook & Weisberg
1982, Residuals and Influence, section 2.2).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

_FREE = 1e-9  # a direction of which a group leaves less than this free rests on the group alone


def clustered_errors(
    basis: np.ndarray, inverse: np.ndarray, left: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors of the coefficients, and their degrees of freedom, (coefficient,) each.

    `basis` Q (row, column) and `inverse` R^-1 are of the design QR, `left` are the residuals,
    `groups` numbers from 0.
    """
    count, columns = int(groups.max()) + 1, basis.shape[1]
    scores, squares = np.zeros((count, columns)), np.zeros((count, columns, columns))
    np.add.at(scores, groups, basis * left[:, None])
    np.add.at(squares, groups, basis[:, :, None] * basis[:, None, :])
    # Q_g' (I - Q_g Q_g')^(-1/2) = (I - Q_g' Q_g)^(-1/2) Q_g'
    values, vectors = np.linalg.eigh(squares)
    free = 1 - values
    root = np.where(free > _FREE, free, np.inf) ** -0.5
    swell = (vectors * root[:, None, :]) @ vectors.swapaxes(1, 2)
    parts = np.einsum("gkl,gl,jk->gj", swell, scores, inverse)
    return np.sqrt((parts**2).sum(0)), _freedom(squares, swell, inverse)


def _freedom(squares: np.ndarray, swell: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Trace squared over squared norm of the matrix of the variance, diag(d) - shared shared'."""
    shared = np.einsum("gkl,jl->jgk", squares @ swell, inverse)
    diagonal = np.einsum("jk,gkl,jl->jg", inverse, swell @ squares @ swell, inverse)
    length = (shared**2).sum(-1)
    norm = (diagonal**2 - 2 * diagonal * length).sum(-1)
    norm += (np.einsum("jgk,jgl->jkl", shared, shared) ** 2).sum((-2, -1))
    return (diagonal - length).sum(-1) ** 2 / norm


FREE = 1e-9  # a group that leaves less than this of its own fit free determines it


def standardise(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns with mean 0 and (n - 1) standard deviation 1, their means and deviations."""
    mean, sd = values.mean(0), values.std(0, ddof=1)
    return (values - mean) / sd, mean, sd


def design(x: np.ndarray) -> np.ndarray:
    """Features with a column of ones before them."""
    return np.column_stack([np.ones(len(x)), x])


def residuals(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of y on x with an intercept, and an orthonormal basis whose square is the hat
    matrix.
    """
    basis = np.linalg.qr(design(x))[0]
    return y - basis @ (basis.T @ y), basis


@dataclass(frozen=True)
class Fit:
    """Coefficients, the intercept first, their standard errors, the fitted values and R squared."""

    coefficients: np.ndarray
    errors: np.ndarray
    freedom: np.ndarray  # degrees of freedom of each error
    fitted: np.ndarray
    r2: float

    def interval(self, prob: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the equal-tailed Student's t intervals of the coefficients."""
        reach = special.stdtrit(self.freedom, (1 + prob) / 2) * self.errors
        return self.coefficients - reach, self.coefficients + reach


def fit(x: np.ndarray, y: np.ndarray, groups: np.ndarray | None = None) -> Fit:
    """Fit y on x with an intercept; rows of one of the `groups` (numbers from 0) need not be
    independent.
    """
    basis, triangle = np.linalg.qr(design(x))
    size, columns = basis.shape
    fitted = basis @ (basis.T @ y)
    left = y - fitted
    inverse = linalg.solve_triangular(triangle, np.eye(columns))
    if groups is None:
        free = size - columns
        freedom = np.full(columns, float(free))
        errors = np.sqrt((inverse**2).sum(1) * (left @ left / free))
    else:
        errors, freedom = clustered_errors(basis, inverse, left, groups)
    r2 = 1 - float(left @ left) / float(((y - y.mean()) ** 2).sum())
    return Fit(inverse @ (basis.T @ y), errors, freedom, fitted, r2)


def left_out(x: np.ndarray, y: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of every group under the fit without it (item), and the sum of squares of that fit
    (group).

    `groups` are numbers from 0. Infinite where a group alone determines a coefficient: without it
    there is no fit.
    """
    error, basis = residuals(x, y)
    count = int(groups.max()) + 1
    if count == len(y):
        return _single_left_out(error, basis, groups)
    total = float(error @ error)
    out, squares = np.empty(len(y)), np.empty(count)
    for group in range(count):
        rows = np.flatnonzero(groups == group)
        leverage = np.eye(len(rows)) - basis[rows] @ basis[rows].T
        if linalg.eigvalsh(leverage, subset_by_index=[0, 0])[0] < FREE:
            out[rows], squares[group] = np.inf, np.nan
            continue
        out[rows] = linalg.solve(leverage, error[rows], assume_a="pos")
        squares[group] = total - error[rows] @ out[rows]
    return out, squares


def _single_left_out(
    error: np.ndarray, basis: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`left_out` where every group is one item."""
    free = 1 - (basis**2).sum(1)
    tight = free < FREE
    residual = error / np.where(tight, 1, free)
    squares = np.empty(len(error))
    squares[groups] = np.where(tight, np.nan, error @ error - error * residual)
    return np.where(tight, np.inf, residual), squares


def held_out_r2(errors: np.ndarray, y: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """1 - sum of squared errors over that of y about its mean, and its standard error over groups:
    that of a ratio of two sums.
    """
    error, total = (np.bincount(groups, v**2) for v in (errors, y - y.mean()))
    ratio = error.sum() / total.sum()
    squares = ((error - ratio * total) ** 2).sum() * len(total) / (len(total) - 1)
    return 1 - float(ratio), float(np.sqrt(squares) / total.sum())


def dependent(x: np.ndarray) -> tuple[int, list[int]] | None:
    """The first column that follows from the columns before it (and a constant), and those columns;
    None if none.

    Columns are standardised; a column follows when it leaves less than 1e-7 of its length, as in
    R's `lm`.
    """
    basis = np.linalg.qr(design(x))
    for column in range(x.shape[1]):
        if abs(basis[1][column + 1, column + 1]) < 1e-7 * np.linalg.norm(x[:, column]):
            weights = linalg.lstsq(x[:, :column], x[:, column])[0] if column else np.array([])
            return column, [k for k in range(column) if abs(weights[k]) > 1e-6]
    return None

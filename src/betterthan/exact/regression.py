"""Least squares: leave-one-out fits without refitting, clustered errors, and stepwise selection.

Standard errors of rows that come in groups, also where the groups are few: CR2. The sum over the
rows of a group is taken of residuals times (I - H_gg)^(-1/2), H the hat matrix: were all rows
independent, the variances would be unbiased. Student's t gets the degrees of freedom of
Satterthwaite's approximation under the same assumption, other ones for each coefficient. Bell &
McCaffrey (2002), Survey Methodology 28(2), 169-181; Imbens & Kolesar (2016), Review of Economics
and Statistics 98(4), doi:10.1162/REST_a_00552; Pustejovsky & Tipton (2018), Journal of Business &
Economic Statistics 36(4), doi:10.1080/07350015.2016.1247004.

Leaving groups out is exact, without refitting: with residuals e, the residuals of group g under the
fit without g are (I - H_gg)^-1 e_g, and that fit's sum of squares is smaller by e_g' (I - H_gg)^-1
e_g (Cook & Weisberg 1982, Residuals and Influence, section 2.2).

Features are selected stepwise by AIC, for many folds at once. AIC is that of R's `step`: n log(RSS
/ n) + 2 (features + 1). One matrix per fold holds the cross products of constant, features and
outcome; the sweep operator moves a feature in or out of the fit in place, and the sum of squares
after every possible move is read from it (Goodnight 1979, The American Statistician 33(3),
doi:10.2307/2683825).
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


def dependent(x: np.ndarray) -> tuple[int, list[int], float] | None:
    """The first column that follows from the columns before it (and a constant), those columns, and
    the share of its square that is left; None if none.

    Columns are standardised; a column follows when it leaves less than 1e-7 of its square, which
    stepwise selection leaves out.
    """
    basis = np.linalg.qr(design(x))
    for column in range(x.shape[1]):
        left = basis[1][column + 1, column + 1] ** 2 / (x[:, column] ** 2).sum()
        if left < TOLERANCE:
            weights = linalg.lstsq(x[:, :column], x[:, column])[0] if column else np.array([])
            return column, [k for k in range(column) if abs(weights[k]) > 1e-3], float(left)
    return None


SAME = 1e-9  # AICs this close are equal, and the earlier candidate wins
TOLERANCE = 1e-7  # a feature of which less than this is left cannot enter


@dataclass(frozen=True)
class Search:
    """Where every fold ended, and the way there."""

    inside: np.ndarray  # (fold, feature): chosen
    coefficients: np.ndarray  # (fold, 1 + feature): intercept first, 0 where not chosen
    steps: list[tuple[np.ndarray, np.ndarray]]  # feature moved (-1: none) and AIC after it, by fold


def cross_products(
    x: np.ndarray, y: np.ndarray, groups: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Cross products of constant, x, y without each group in turn (fold, m, m), and how many items
    are left (fold,).

    One fold with everything when there are no groups. Give standardised columns: what is left out
    is subtracted.
    """
    table = np.column_stack([np.ones(len(y)), x, y])
    total = table.T @ table
    if groups is None:
        return total[None], np.array([len(y)])
    return total - within_groups(x, y, groups), len(y) - np.bincount(groups)


def resampled(
    x: np.ndarray, y: np.ndarray, groups: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cross products of samples in which each group stands some `times` (sample, group), and their
    items: how many, and how many different ones.
    """
    within = within_groups(x, y, groups)
    items = np.bincount(groups)
    return np.tensordot(times, within, 1), times @ items, (times > 0) @ items


def within_groups(x: np.ndarray, y: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Cross products of constant, x, y within each group, (group, m, m)."""
    table = np.column_stack([np.ones(len(y)), x, y])
    sums = np.zeros((int(groups.max()) + 1, table.shape[1], table.shape[1]))
    np.add.at(sums, groups, table[:, :, None] * table[:, None, :])
    return sums


def search(
    products: np.ndarray,
    sizes: np.ndarray,
    *,
    add: bool,
    drop: bool,
    everything: bool,
    distinct: np.ndarray | None = None,
) -> Search:
    """Move one feature at a time while AIC falls; `everything` starts with all features inside.

    `distinct` items (fold,) bound how many features there is room for; default: all are distinct.
    """
    room = sizes if distinct is None else distinct
    state, totals, inside = _start(products, everything)
    folds = len(state)
    steps = [(np.full(folds, -1), _aic(state[:, -1, -1], sizes, inside.sum(1)))]
    running = np.arange(folds)
    while running.size:
        now = steps[-1][1].copy()
        part, total, size, free, within = (
            array[running] for array in (state, totals, sizes, room, inside)
        )
        costs = _costs(part, total, size, free, within, add, drop)
        moving, chosen, best = _best_move(costs, now[running])
        running = running[moving]
        if not running.size:
            break
        _sweep(state, running, chosen + 1)
        inside[running, chosen] ^= True
        moved = np.full(folds, -1)
        moved[running], now[running] = chosen, best
        steps.append((moved, now))
    coefficients = state[:, :-1, -1] * np.column_stack([np.ones(len(inside)), inside])
    return Search(inside, coefficients, steps)


def _start(products: np.ndarray, everything: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Products with the constant swept in, and all features where `everything`; each feature's sum
    of squares about the mean; and what is inside.
    """
    state = products.copy()
    every = np.arange(len(state))
    _sweep(state, every, np.zeros(len(state), dtype=int))
    totals = _diagonal(state).copy()
    inside = np.zeros(totals.shape, dtype=bool)
    for k in range(inside.shape[1]) if everything else ():
        ready = every[_left(state, totals)[:, k] > TOLERANCE]
        _sweep(state, ready, np.full(len(ready), k + 1))
        inside[ready, k] = True
    return state, totals, inside


def _best_move(costs: np.ndarray, now: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which folds gain by a move, and of these the feature moved and the AIC after it.

    Drops come before additions, both in the order of the features; the first of equals is taken.
    """
    better = costs < (now - SAME * np.maximum(1, np.abs(now)))[:, None]
    best = np.where(better, costs, np.inf).min(1)
    close = better & (costs <= (best + SAME * np.maximum(1, np.abs(best)))[:, None])
    moving = close.any(1)
    return moving, close.argmax(1)[moving] % (costs.shape[1] // 2), best[moving]


def candidates(products: np.ndarray, size: int, inside: np.ndarray) -> np.ndarray:
    """AIC after moving each feature, in or out, (feature,), of one fold with these features
    inside.
    """
    state = products[None].copy()
    fold = np.array([0])
    for k in (0, *(1 + np.flatnonzero(inside))):
        _sweep(state, fold, np.array([k]))
    totals = products.diagonal()[1:-1] - products[0, 1:-1] ** 2 / products[0, 0]
    sizes = np.array([size])
    costs = _costs(state, totals[None], sizes, sizes, inside[None], True, True)[0]
    return costs.reshape(2, -1).min(0)


def _diagonal(state: np.ndarray) -> np.ndarray:
    """Of the features, (fold, feature)."""
    return np.diagonal(state, axis1=1, axis2=2)[:, 1:-1]


def _left(state: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Share of each feature that those inside leave unexplained."""
    return _diagonal(state) / np.where(totals > TOLERANCE, totals, np.inf)


def _costs(
    state: np.ndarray,
    totals: np.ndarray,
    sizes: np.ndarray,
    room: np.ndarray,
    inside: np.ndarray,
    add: bool,
    drop: bool,
) -> np.ndarray:
    """AIC after each move (fold, 2 x feature): drops first, then additions; infinite where there is
    no such move, or no room.
    """
    rss = state[:, -1:, -1]
    with_y = state[:, 1:-1, -1]
    diagonal = _diagonal(state)
    number = inside.sum(1)[:, None]
    size = sizes[:, None]
    can_add = ~inside & (_left(state, totals) > TOLERANCE) & add
    can_add &= room[:, None] > number + 3
    can_drop = inside & drop
    less = rss - with_y**2 / np.where(can_add, diagonal, 1)
    more = rss + with_y**2 / np.where(can_drop, -diagonal, 1)
    dropped = np.where(can_drop, _aic(np.where(can_drop, more, 1), size, number - 1), np.inf)
    added = np.where(can_add, _aic(np.where(can_add, less, 1), size, number + 1), np.inf)
    return np.concatenate([dropped, added], axis=1)


def _aic(rss: np.ndarray, size: np.ndarray, features: np.ndarray) -> np.ndarray:
    return size * np.log(np.maximum(rss, np.finfo(float).tiny) / size) + 2 * (features + 1)


def _sweep(state: np.ndarray, folds: np.ndarray, which: np.ndarray) -> None:
    """Move one column of each of these folds into the fit, or out of it when it is inside."""
    if not folds.size:
        return
    part = state[folds]
    index = np.arange(len(folds))
    column = part[index, :, which]
    pivot = column[index, which]
    part -= column[:, :, None] * (column / pivot[:, None])[:, None, :]
    part[index, :, which] = part[index, which, :] = column / np.abs(pivot)[:, None]
    part[index, which, which] = -1 / pivot
    state[folds] = part

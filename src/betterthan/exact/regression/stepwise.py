"""Stepwise choice of features by AIC, for many folds at once.

AIC is that of R's `step`: n log(RSS / n) + 2 (features + 1). One matrix per fold holds the cross
products of constant, features and outcome; the sweep operator moves a feature in or out of the fit
in place, and the sum of squares after every possible move is read from it (Goodnight 1979, The
American Statistician 33(3), doi:10.2307/2683825).
"""

from dataclasses import dataclass

import numpy as np

SAME = 1e-9  # AICs this close are equal, and the earlier candidate wins
TOLERANCE = 1e-7  # a feature of which less than this is left cannot enter


@dataclass(frozen=True)
class Search:
    """Where every fold ended, and the way there."""

    inside: np.ndarray  # (fold, feature): chosen
    coefficients: np.ndarray  # (fold, 1 + feature): intercept first, 0 where not chosen
    rss: np.ndarray  # (fold,)
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
    return Search(inside, _weights(state, inside), state[:, -1, -1], steps)


def _weights(state: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Intercept and coefficients, 0 where a feature is not inside."""
    return state[:, :-1, -1] * np.column_stack([np.ones(len(inside)), inside])


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

"""Quantiles and intervals of d by root finding on its inverted distribution."""

import numpy as np
from scipy import special

from betterthan.exact.judged.inversion import CLOSE, LOOSE, above
from betterthan.exact.judged.law import Law

_COARSE, _FINE = 1e-3, 1e-4  # steps in sd at which the coarse and the fine iteration stop
_ROUNDS = 60


def eti(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal-tailed interval of each row."""
    both = law.mirrored().joined(law)
    lower, upper = upper_quantile(both, (1 - prob) / 2).reshape(2, -1)
    return -lower, upper


def hdi(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Narrowest interval of each row and whether it converged; else the equal-tailed one.

    The search is limited to rows whose density has one mode on a grid of heights.
    """
    converged = unimodal(law)
    limits = np.zeros((2, converged.size))
    rows = np.flatnonzero(converged)
    limits[:, rows], converged[rows] = _equal_heights(law.select(rows), prob)
    failed = np.flatnonzero(~converged)
    if failed.size:
        limits[:, failed] = eti(law.select(failed), prob)
    return limits[0], limits[1], converged


def unimodal(law: Law) -> np.ndarray:
    """Whether the density rises once and falls once; looked at where most of the spread
    is that of a signal with hardly a label, for only then can it have more modes.
    """
    spread = law.signal_moments()[1]
    part = law.size * (law.size + 1) * spread
    part /= part.sum(-1, keepdims=True)
    rows = np.flatnonzero(((part > 0.25) & (spread > 0.2)).any(-1))
    single = np.ones(len(law.unlabeled), dtype=bool)
    centre, sd = law.mean_and_sd()
    for row in rows:
        x = np.clip(centre[row] + np.linspace(-4, 4, 49) * sd[row], -0.999, 0.999)
        heights = above(law.select(np.full(x.size, row)), x, LOOSE, 1)[0][:, 1]
        turns = np.sign(np.diff(heights) * (np.abs(np.diff(heights)) > 1e-6 * heights.max()))
        turns = turns[turns != 0]
        single[row] = ((turns[:-1] < 0) & (turns[1:] > 0)).sum() == 0
    return single


def _guess(law: Law, prob: float) -> np.ndarray:
    """Quantile of the scaled Beta with the mean and spread of d."""
    mean, sd = law.mean_and_sd()
    centre, spread = (1 + mean) / 2, sd / 2
    weight = centre * (1 - centre) / spread**2 - 1
    guess = 2 * special.betaincinv(centre * weight, (1 - centre) * weight, prob) - 1
    return np.clip(np.where(np.isfinite(guess), guess, mean), -1 + 1e-12, 1 - 1e-12)


def upper_quantile(law: Law, prob: float) -> np.ndarray:
    """The x of each row with P(d > x) = prob: Newton on log P, bracketed."""
    root, sd = _guess(law, 1 - prob), law.mean_and_sd()[1]
    for close, enough in ((LOOSE, _COARSE), (CLOSE, _FINE)):  # a coarse root, and the root
        low, high, open_ = np.full(root.size, -1.0), np.ones(root.size), np.arange(root.size)
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            x = root[open_]
            mass, height, *_ = above(law.select(open_), x, close, 1)[0].T
            short = mass > prob
            low[open_[short]], high[open_[~short]] = x[short], x[~short]
            root[open_] = _newton(x, mass, height, prob, low[open_], high[open_])
            open_ = open_[np.abs(root[open_] - x) / sd[open_] > enough]
    return root


def _newton(
    x: np.ndarray,
    mass: np.ndarray,
    height: np.ndarray,
    prob: float,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """A step on log P, or to the middle of the bracket."""
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = x + np.log(mass / prob) * mass / height
    inside = (moved > low) & (moved < high)
    return np.where(inside, moved, (low + high) / 2)


def _equal_heights(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Newton for "the mass is prob, the heights are equal", and whether each row converged."""
    tail, sd = (1 - prob) / 2, law.mean_and_sd()[1]
    limits = np.stack([_guess(law, tail), _guess(law, 1 - tail)])
    converged = np.zeros(sd.size, dtype=bool)
    for close, enough in ((LOOSE, _COARSE), (CLOSE, _FINE)):  # a coarse root, and the root
        open_ = np.arange(sd.size)
        converged[:] = False
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            now = limits[:, open_]
            move = _move(now, *_tails_and_slopes(law.select(open_), now, close), 1 - prob)
            limits[:, open_] = np.clip(now + move, (now - 1) / 2, (now + 1) / 2)
            converged[open_] = np.abs(move).max(0) / sd[open_] < enough
            open_ = open_[~converged[open_] & np.isfinite(move).all(0)]
    return limits, converged


def _tails_and_slopes(
    law: Law, limits: np.ndarray, close: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass beyond each bound, height there, and slope of the log height: (bound, row)."""
    both = law.mirrored().joined(law)
    answers, _ = above(both, np.concatenate([-limits[0], limits[1]]), close, 1)
    mass, height, slope, _ = answers.T.reshape(4, 2, -1)
    return mass, height, slope / height * np.array([[-1], [1]])


def _move(
    limits: np.ndarray, mass: np.ndarray, height: np.ndarray, slope: np.ndarray, outside: float
) -> np.ndarray:
    """The Newton step of both ends."""
    (f, g), (low, up) = height, slope
    miss, gap = mass.sum(0) - outside, np.log(g) - np.log(f)
    # solve  f dx - g dy = -miss ;  up dy - low dx = -gap
    scale = f * up - g * low
    dx, dy = (-miss * up - g * gap) / scale, (-f * gap - low * miss) / scale
    limit = 0.5 * (limits[1] - limits[0])
    return np.stack([np.clip(dx, -limit, limit / 2), np.clip(dy, -limit / 2, limit)])

"""Quantiles and intervals of d by root finding on its inverted distribution."""

import numpy as np
from scipy import special

from betterthan.exact.judged.inversion import CLOSE, LOOSE, above
from betterthan.exact.judged.law import Law

_FAR, _NEAR = 1e-3, 1e-4  # moves in sd: above, loose will do; below, the next has nothing to add
_ROUNDS = 60


def eti(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray]:
    """Equal-tailed interval of each row."""
    both = law.turned().beside(law)
    lower, upper = upper_quantile(both, (1 - prob) / 2).reshape(2, -1)
    return -lower, upper


def hdi(law: Law, prob: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Narrowest interval of each row, and whether it was found; else the equal-tailed one.

    It is looked for where the density has one mode, as far as its heights tell.
    """
    found = one_mode(law)
    ends = np.zeros((2, found.size))
    rows = np.flatnonzero(found)
    ends[:, rows], found[rows] = _equal_heights(law.of(rows), prob)
    rest = np.flatnonzero(~found)
    if rest.size:
        ends[:, rest] = eti(law.of(rest), prob)
    return ends[0], ends[1], found


def one_mode(law: Law) -> np.ndarray:
    """Whether the density rises once and falls once; looked at where most of the spread
    is that of a signal with hardly a label, for only then can it have more modes.
    """
    spread = law.of_signals()[1]
    part = law.size * (law.size + 1) * spread
    part /= part.sum(-1, keepdims=True)
    rows = np.flatnonzero(((part > 0.25) & (spread > 0.2)).any(-1))
    single = np.ones(len(law.rest), dtype=bool)
    centre, sd = law.mean_and_sd()
    for row in rows:
        x = np.clip(centre[row] + np.linspace(-4, 4, 49) * sd[row], -0.999, 0.999)
        heights = above(law.of(np.full(x.size, row)), x, LOOSE, 1)[0][:, 1]
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
    found, sd = _guess(law, 1 - prob), law.mean_and_sd()[1]
    for close, enough in ((LOOSE, _FAR), (CLOSE, _NEAR)):  # a coarse root, and the root
        low, high, open_ = np.full(found.size, -1.0), np.ones(found.size), np.arange(found.size)
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            x = found[open_]
            mass, height, *_ = above(law.of(open_), x, close, 1)[0].T
            short = mass > prob
            low[open_[short]], high[open_[~short]] = x[short], x[~short]
            found[open_] = _newton(x, mass, height, prob, low[open_], high[open_])
            open_ = open_[np.abs(found[open_] - x) / sd[open_] > enough]
    return found


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
    """Newton for "the mass is prob, the heights are equal"; whether each row came to an end."""
    tail, sd = (1 - prob) / 2, law.mean_and_sd()[1]
    ends = np.stack([_guess(law, tail), _guess(law, 1 - tail)])
    settled = np.zeros(sd.size, dtype=bool)
    for close, enough in ((LOOSE, _FAR), (CLOSE, _NEAR)):  # a coarse root, and the root
        open_ = np.arange(sd.size)
        settled[:] = False
        for _ in range(_ROUNDS):
            if not open_.size:
                break
            now = ends[:, open_]
            move = _move(now, *_at_ends(law.of(open_), now, close), 1 - prob)
            ends[:, open_] = np.clip(now + move, (now - 1) / 2, (now + 1) / 2)
            settled[open_] = np.abs(move).max(0) / sd[open_] < enough
            open_ = open_[~settled[open_] & np.isfinite(move).all(0)]
    return ends, settled


def _at_ends(law: Law, ends: np.ndarray, close: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass beyond each end, height there, and slope of the log height: (end, row)."""
    both = law.turned().beside(law)
    told, _ = above(both, np.concatenate([-ends[0], ends[1]]), close, 1)
    mass, height, slope, _ = told.T.reshape(4, 2, -1)
    return mass, height, slope / height * np.array([[-1], [1]])


def _move(
    ends: np.ndarray, mass: np.ndarray, height: np.ndarray, slope: np.ndarray, outside: float
) -> np.ndarray:
    """The Newton step of both ends."""
    (f, g), (low, up) = height, slope
    miss, gap = mass.sum(0) - outside, np.log(g) - np.log(f)
    # solve  f dx - g dy = -miss ;  up dy - low dx = -gap
    scale = f * up - g * low
    dx, dy = (-miss * up - g * gap) / scale, (-f * gap - low * miss) / scale
    limit = 0.5 * (ends[1] - ends[0])
    return np.stack([np.clip(dx, -limit, limit / 2), np.clip(dy, -limit / 2, limit)])

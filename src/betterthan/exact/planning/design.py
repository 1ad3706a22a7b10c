"""The design of a comparison: power, sample size, interim looks, and e-values.

Power on clusters before any data comes from their sizes and how alike items are. Items of one
cluster correlate by rho, so the variance of a mean difference is
sd^2 sum((1 - rho) s + rho s^2) / (sum s)^2 for sizes s (Kish 1965, Survey Sampling, chapter 5). The
verdict is by Student's t with the degrees of freedom of these sizes (`exact.joint.units`).

In a sequential analysis decisive items are a walk: w wins after m of them. The share of walks that
have met no verdict yet is carried from item to item, so that no walk is simulated and none is
counted twice.

E-values are evidence that may be looked at after every item. Whoever bets x, from 0 to
1 / (1 + rho), on A each time multiplies what is staked by 1 + x (X - rho) with each item, X being
1, -1 or 0 for win, loss and tie. Where d = E[X] is at most rho this gains nothing on average, so
that what it has grown to is evidence for d > rho, whenever one looks. The mean over all x is taken,
an integral of one hump.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.joint.units import Shares
from betterthan.exact.planning.edges import Rule, edges, fewest, wins_needed
from betterthan.exact.planning.verdicts import Urn
from betterthan.exact.wins.beta import log_bayes_factor_half, prob_above_half
from betterthan.exact.wins.sign import upper_tail
from betterthan.progress import with_bar

_RATIO = 1.1  # of one number of items to the one before, where not every one is tried


def crossing(
    prob: Callable[[np.ndarray], np.ndarray], target: float, most: int, every: int, around: float
) -> tuple[float, float]:
    """The first n at which `prob` reaches `target`, and that from which on it stays there.

    Parameters
    ----------
    prob : callable
        Probabilities at ascending numbers of items.
    target : float
    most : int
        The largest number of items that is thought of.
    every : int
        Up to here every n is looked at. Beyond, n a tenth apart, and every n that is within
        `around` (a share) of a crossing.

    Returns
    -------
    tuple of float
        nan where there is none.

    Examples
    --------
    >>> crossing(lambda n: 1 - 1 / n + 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (5.0, 5.0)
    >>> crossing(lambda n: 1 - 1 / n - 0.05 * (n % 2), 0.8, 1000, 100, 0.1)
    (6.0, 6.0)
    """
    n = np.empty(0, np.int64)
    met = np.empty(0, bool)
    for block in _blocks(most, every):
        n, met = np.concatenate([n, block]), np.concatenate([met, prob(block) >= target])
        if _stays_above(n, met):
            break
    if not met.any():
        return np.nan, np.nan
    close = _candidates(n, met, most, around)
    n, met = np.concatenate([n, close]), np.concatenate([met, prob(close) >= target])
    first, below = n[met].min(), n[~met].max(initial=0)
    later = n[met & (n > below)]
    return float(first), float(later.min()) if len(later) else np.nan


def _blocks(most: int, every: int) -> list[np.ndarray]:
    """Every n to `every`, then some, in blocks that double."""
    every = min(every, most)
    spread = every * _RATIO ** np.arange(1, 1 + max(0.0, np.log(most / every)) / np.log(_RATIO))
    n = np.concatenate([np.arange(1, every + 1), np.rint([*spread, most]).astype(np.int64)])
    n = np.unique(n)
    cuts = np.searchsorted(n, 128 * 2 ** np.arange(32))
    return [block for block in np.split(n, cuts) if len(block)]


def _stays_above(n: np.ndarray, met: np.ndarray) -> bool:
    """Whether the curve has stayed above the target for as many items as it took."""
    below = n[~met].max(initial=0)
    return bool(met.any() and n[-1] >= 2 * below + 32)


def _candidates(n: np.ndarray, met: np.ndarray, most: int, around: float) -> np.ndarray:
    """Untried numbers of items, close to where the curve crosses the target."""
    left, right = n[met].min(), n[~met].max(initial=1)
    parts = [np.arange(int(k * (1 - around)), int(k * (1 + around)) + 2) for k in (left, right)]
    numbers = np.unique(np.concatenate(parts))
    return np.setdiff1d(numbers[(numbers >= 1) & (numbers <= most)], n)


_LEADING = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
ROUND = np.array([5] + [int(x * 10**k) for k in (1, 2, 3) for x in _LEADING] + [10_000])


_Prob = Callable[[np.ndarray, np.ndarray], np.ndarray]


def soonest(prob: _Prob, sure: _Prob, rows: np.ndarray, target: float) -> np.ndarray:
    """For each row a round number at which a probability reaches the target, as it did not at the
    one before; nan where none does up to 10,000.

    Parameters
    ----------
    prob, sure : callable
        Of some rows (their places) at a number of items each: at a glance, and exactly. The last
        number that `sure` is asked of a row is the one that is returned, or 10,000.
    rows : numpy.ndarray of int
        Places of the rows.
    target : float

    Examples
    --------
    >>> rate = np.array([0.01, 0.2, 0])
    >>> curve = lambda rows, n: 1 - np.exp(-rate[rows] * n)
    >>> soonest(curve, curve, np.arange(3), 0.8).tolist()
    [200.0, 10.0, nan]
    """
    items = np.full(len(rows), np.nan)
    place = fewest(lambda k: prob(rows, ROUND[k]) >= target, np.zeros(len(rows)), len(ROUND))
    place = np.minimum(place, len(ROUND) - 1)
    while (open_ := np.flatnonzero(np.isnan(items) & (place < len(ROUND)))).size:
        met = sure(rows[open_], ROUND[place[open_]]) >= target
        items[open_[met]] = ROUND[place[open_[met]]]
        place[open_[~met]] += 1
    return items


def critical_wins(decisive: np.ndarray, alpha: float, alternative: str) -> np.ndarray:
    """Fewest wins that the sign test finds significant; one more than there are where none is.

    Examples
    --------
    >>> critical_wins(np.array([4, 5, 10]), 0.05, "greater").tolist()
    [5, 5, 9]
    """
    allowed = alpha / 2 if alternative == "two-sided" else alpha
    n = np.asarray(decisive, np.int64)

    def significant(wins: np.ndarray) -> np.ndarray:
        return upper_tail(wins, np.maximum(n - wins, 0)) <= allowed * (1 + 1e-12)

    return fewest(significant, 0, n + 1)


def rejections(n: np.ndarray, theta: Any, alpha: float, alternative: str) -> np.ndarray:
    """P(the test is significant) at each n, with these probabilities of win and loss (two numbers,
    of decisive items) or of win, loss and tie (three, of all items).

    Examples
    --------
    >>> rejections(np.array([158]), (0.6, 0.4), 0.05, "greater").round(4).tolist()
    [0.8057]
    """
    win, loss = theta[0], theta[1]
    if alternative == "less":
        win, loss = loss, win
    most = int(n.max(initial=0))
    m = np.arange(most + 1)
    needed = critical_wins(m, alpha, alternative)
    urn = Urn.from_probability([win / (win + loss) if win + loss else 0.5], most)
    power = urn.tails(needed)[0]
    if alternative == "two-sided":
        power = power + urn.swapped().tails(needed)[0]
    if len(theta) == 2:
        return power[n]
    share = Urn.from_probability([min(win + loss, 1.0)], most)
    return np.array([share.term(np.full_like(m, k), m)[0] @ power for k in n])


@dataclass(frozen=True)
class Power:
    """What clusters of these sizes are worth, and how often they give a verdict."""

    error: float  # standard error of the mean difference
    effective_items: float  # as many independent items have this error
    df: float
    better: float  # P(verdict for the better system)
    worse: float


def power(
    sizes: np.ndarray, difference: float, sd: float, correlation: float, threshold: float
) -> Power:
    """Of clusters with these sizes, (cluster,).

    Examples
    --------
    >>> plan = power(np.full(10, 20.0), 0.15, 0.6, 0.1, 0.95)
    >>> round(plan.error, 10), round(plan.effective_items, 7), plan.df, round(plan.better, 9)
    (0.0722495675, 68.9655172, 9.0, 0.607213364)
    """
    items = sizes.sum()
    effect = 1 + ((sizes**2).sum() / items - 1) * correlation
    error = sd * np.sqrt(effect / items)
    df = float(Shares.from_sizes(sizes[:, None]).df[0])
    far, needed = difference / error, special.stdtrit(df, threshold)
    better, worse = (1 - float(special.nctdtr(df, side * far, needed)) for side in (1, -1))
    return Power(float(error), float(items / effect), df, better, worse)


def spread_sizes(clusters: int, mean: float, variation: float) -> np.ndarray:
    """Sizes of clusters with this mean and coefficient of variation: quantiles of a gamma
    distribution at evenly spaced probabilities, moved to the mean.

    Examples
    --------
    >>> spread_sizes(5, 20.0, 0.5).round(1).tolist()
    [7.2, 13.2, 18.5, 24.9, 36.2]
    """
    if not variation:
        return np.full(clusters, float(mean))
    shape = 1 / variation**2
    probs = (np.arange(clusters) + 0.5) / clusters
    sizes = special.gammaincinv(shape, probs)
    # quantiles vary less than the distribution: spread them to the wanted variation
    deviation = sizes / sizes.mean() - 1
    deviation = deviation * variation / np.sqrt((deviation**2).mean())
    return mean * np.maximum(1 + deviation, 1e-3)


_HALVINGS = 50  # of the interval in which a threshold is sought


@dataclass(frozen=True)
class Stops:
    """At each look (ascending), from how many wins it is A, and below how many it is B."""

    looks: np.ndarray
    a: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Met:
    """Share of walks with the verdict A or B better: at any look so far, and at that look only."""

    so_far: np.ndarray  # (looks, 2)
    single_look: np.ndarray  # (looks, 2)
    items: float  # expected decisive items until the verdict, or the last look


def walk(stops: Stops, *, win: float = 0.5, design: tuple[float, float] | None = None) -> Met:
    """Walks whose items are won with probability `win`, or by an urn of Beta parameters `design`.

    Examples
    --------
    >>> met = walk(by_threshold(np.arange(1, 11)))
    >>> met.so_far[-1].sum() * 256, met.single_look[-1].sum()
    (np.float64(57.0), np.float64(0.109375))
    """
    share = np.ones((2, 1))  # with 0, 1, ... wins: that have met no verdict yet, and of all
    so_far, single_look = (np.zeros((len(stops.looks), 2)) for _ in range(2))
    items, look = 0.0, 0
    for m in range(1, int(stops.looks[-1]) + 1):
        items += share[0].sum()
        p = win if design is None else (design[0] + np.arange(m)) / (sum(design) + m - 1)
        grown = np.zeros((2, share.shape[1] + 1))
        grown[:, 1:] = p * share
        grown[:, :-1] += (1 - p) * share
        share = grown
        if m == stops.looks[look]:
            a, b = int(stops.a[look]), int(stops.b[look])
            met = np.stack([share[:, a:].sum(1), share[:, :b].sum(1)], axis=-1)
            so_far[look], single_look[look] = so_far[look - 1] * (look > 0) + met[0], met[1]
            share[0, a:], share[0, :b] = 0.0, 0.0
            look += 1
    return Met(so_far, single_look, items)


def by_threshold(
    looks: np.ndarray, threshold: float = 0.95, prior: tuple[float, ...] = (1.0, 1.0)
) -> Stops:
    """Stops where P(A better) or P(B better) reaches the threshold."""
    a = wins_needed(looks, prior, threshold)
    b = looks + 1 - wins_needed(looks, (prior[1], prior[0]), threshold)
    return Stops(looks, a, b)


def by_bayes_factor(looks: np.ndarray, least: float, prior: tuple[float, ...]) -> Stops:
    """Stops where "one is better" predicts wins and losses so many times better than "none"."""

    def met(wins: np.ndarray, first: float, second: float) -> np.ndarray:
        losses = np.maximum(looks - wins, 0)
        log_bf01 = log_bayes_factor_half(wins.astype(float), losses, first, second)
        ahead = prob_above_half(first + wins, second + losses) > 0.5
        return ahead & (-log_bf01 >= np.log(least))

    a = fewest(lambda k: met(k, prior[0], prior[1]), 0, looks + 1)
    b = looks + 1 - fewest(lambda k: met(k, prior[1], prior[0]), 0, looks + 1)
    return Stops(looks, a, b)


def calibrated(
    looks: np.ndarray, error: float, prior: tuple[float, ...] = (1.0, 1.0)
) -> tuple[Stops, float]:
    """The lowest threshold under which equal systems meet a verdict by the last look with
    probability `error` at most.

    Examples
    --------
    >>> stops, threshold = calibrated(np.arange(1, 21), 0.05)
    >>> round(threshold, 6), stops.a[-1]
    (0.99353, np.int64(16))
    """
    low, high = 0.5, 1.0  # of thresholds: the error is too large, or is not
    errors: dict[bytes, float] = {}  # by stops, which are those of many thresholds
    for _ in with_bar(range(_HALVINGS), _HALVINGS, "boundary"):
        middle = (low + high) / 2
        stops = by_threshold(looks, middle, prior)
        key = np.stack([stops.a, stops.b]).tobytes()
        if key not in errors:
            errors[key] = float(walk(stops).so_far[-1].sum())
        low, high = (low, middle) if errors[key] <= error else (middle, high)
    return by_threshold(looks, high, prior), high


def walk_with_ties(looks: np.ndarray, parts: np.ndarray, rule: Rule, *, fixed: bool = True) -> Met:
    """Share of walks that reached A better, B better, or equivalent.

    Parameters
    ----------
    looks : numpy.ndarray of int
        Numbers of items, ascending.
    parts : numpy.ndarray, (3,)
        Probabilities of win, loss and tie; or Dirichlet parameters if not `fixed`.
    rule : Rule

    Examples
    --------
    >>> theta = np.array([0.03, 0.03, 0.94])
    >>> met = walk_with_ties(np.arange(20, 101, 20), theta, Rule(rope=0.05))
    >>> met.so_far[-1].round(4).tolist()
    [0.054, 0.054, 0.1781]
    """
    share = np.ones((2, 1, 1))  # over wins and losses: without a verdict yet, and of all
    so_far, single_look = (np.zeros((len(looks), 3)) for _ in range(2))
    items, look = 0.0, 0
    for n in range(1, int(looks[-1]) + 1):
        items += share[0].sum()
        share = _grown_with_ties(share, *_chances(parts, n - 1, fixed))
        if n == looks[look]:
            which = _verdicts_with_ties(n, rule)
            met = (share[:, None] * which).sum((2, 3))
            so_far[look], single_look[look] = so_far[look - 1] * (look > 0) + met[0], met[1]
            share[0, which.any(0)] = 0.0
            look += 1
    return Met(so_far, single_look, items)


def _chances(parts: np.ndarray, n: int, fixed: bool) -> tuple[Any, ...]:
    """Probabilities of a win, a loss and a tie after n items, over wins and losses."""
    if fixed:
        return tuple(parts)
    k = np.arange(n + 1)
    won, lost = parts[0] + k[:, None] + 0 * k, parts[1] + k + 0 * k[:, None]
    tied = parts[2] + np.maximum(n - k[:, None] - k, 0)
    return tuple(x / (parts.sum() + n) for x in (won, lost, tied))


def _grown_with_ties(share: np.ndarray, win: Any, loss: Any, tie: Any) -> np.ndarray:
    """After one more item."""
    size = share.shape[1] + 1
    grown = np.zeros((2, size, size))
    grown[:, :-1, :-1] = tie * share
    grown[:, 1:, :-1] += win * share
    grown[:, :-1, 1:] += loss * share
    return grown


def _verdicts_with_ties(n: int, rule: Rule) -> np.ndarray:
    """Which wins and losses are A better, B better and equivalent, (3, wins, losses)."""
    k = np.arange(n + 1)
    limits = edges(n, k, rule)
    wins, m = k[:, None], k[:, None] + k
    inside = m <= n
    m = np.where(inside, m, 0)
    equal = (wins >= limits.low[m]) & (wins < limits.high[m])
    return np.stack([(wins >= limits.a[m]), (wins < limits.b[m]), equal]) & inside


_FALLEN = 45.0  # log units below the top at which the hump is cut
_BISECTIONS = 44  # to 1e-13
_PANELS = np.array([0.0, 0.02, 0.05, 0.1, 0.17, 0.26, 0.37, 0.5, 0.65, 0.82, 1.0])
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@dataclass(frozen=True)
class Stake:
    """What a bet of x has grown to, in logs; counts and rho (rows, 1), x (rows, k)."""

    w: np.ndarray
    l: np.ndarray
    t: np.ndarray
    rho: np.ndarray

    def grown(self, x: np.ndarray) -> np.ndarray:
        """After all items."""
        up, down = 1 - self.rho, 1 + self.rho
        lost = special.xlogy(self.l, np.maximum(1 - x * down, 0.0))
        return self.w * np.log1p(x * up) + lost + self.t * np.log1p(-x * self.rho)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """By x."""
        up, down = 1 - self.rho, 1 + self.rho
        lost = self.l * down / np.maximum(1 - x * down, 1e-300)
        return self.w * up / (1 + x * up) - lost - self.t * self.rho / (1 - x * self.rho)


def log_e_value(w: Any, l: Any, t: Any, rho: Any) -> np.ndarray:
    """Log of the e-value for d > rho, against d <= rho.

    Parameters
    ----------
    w, l, t : array_like
        Wins, losses and ties of A; they broadcast with `rho`.
    rho : array_like of float in (-1, 1)

    Returns
    -------
    numpy.ndarray

    References
    ----------
    I. Waudby-Smith and A. Ramdas (2024), Estimating means of bounded random variables by betting,
    Journal of the Royal Statistical Society B 86(1), 1-27, doi:10.1093/jrsssb/qkad009.

    Examples
    --------
    >>> float(np.exp(log_e_value(12, 2, 986, 0.0)).round(9))
    23.917216117
    """
    arguments = np.broadcast_arrays(*(np.asarray(x, float) for x in (w, l, t, rho)))
    stake = Stake(*(x.reshape(-1, 1) for x in arguments))
    end = 1 / (1 + stake.rho)
    top = _edge(lambda x: stake.slope(x) > 0, np.zeros_like(end), end)
    height = stake.grown(top)
    right = _edge(lambda x: stake.grown(x) > height - _FALLEN, top, end)
    left = top - _edge(lambda x: stake.grown(top - x) > height - _FALLEN, 0 * top, top)
    total = sum(_area(lambda x: stake.grown(x) - height, top, other) for other in (left, right))
    log = np.log(total * (1 + stake.rho[:, 0])) + height[:, 0]
    return log.reshape(arguments[0].shape)[()]


def _edge(inside: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Last point at which `inside`, true from `low` on, holds; `high` if it holds throughout."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        mask = inside(middle)
        low, high = np.where(mask, middle, low), np.where(mask, high, middle)
    return high


def _area(log_height: Any, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Integral between the two, (rows, 1) each, on panels that are narrower near the start."""
    half = np.diff(_PANELS)[:, None] / 2
    places = ((_PANELS[:-1, None] + half) + half * _NODES).ravel()
    weights = (half * _WEIGHTS).ravel()
    x = start + (end - start) * places
    return (np.exp(log_height(x)) @ weights) * np.abs(end - start)[:, 0]


def confidence_limits(
    w: np.ndarray, l: np.ndarray, t: np.ndarray, error: float
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the differences against which no e-value reaches 1 / error, (rows,).

    Examples
    --------
    >>> low, high = confidence_limits(np.array([12]), np.array([2]), np.array([986]), 0.05)
    >>> low.round(6).tolist(), high.round(6).tolist()
    ([-0.000799], [0.024349])
    """
    # the lower bound is the upper one of the exchanged systems: both in one search
    both, exchanged, ties = (np.concatenate(x) for x in ((w, l), (l, w), (t, t)))
    centre = (both - exchanged) / np.maximum(both + exchanged + ties, 1)

    def inside(delta: np.ndarray) -> np.ndarray:
        first, second = np.stack([both, exchanged]), np.stack([exchanged, both])
        logs = log_e_value(first, second, ties, np.stack([delta, -delta]))
        return np.logaddexp(*logs) - np.log(2) < -np.log(error)

    inner = 1 - 1e-12
    edge = _edge(inside, np.clip(centre, -inner, inner), np.full(centre.shape, inner))
    high, low = np.split(np.where(edge >= inner, 1.0, edge), 2)
    return -low, high

"""Predictive probability of each verdict after n more items, from counts or from means on units.

How many of the next m items are of one kind is binomial, or Polya's urn where the share of that
kind is known as well as a Beta distribution. A term is C(m, j) times weights of j, of m - j and of
m, so tables of logarithms of these three give every term; and a tail at m + 1 items is that at m
and a few terms, so that the tails at all m cost as much as one table.

The verdict is the same function of the counts as it is today, at one n or along all of them; the
next items are Dirichlet-multinomial, or multinomial where their probabilities are given. Ties and
decisive items part first, wins and losses then, so that each n is one sum over the decisive items
among n.

Verdicts to come of differences of means on units are by Student's t. K units have the mean
difference x and its error s / sqrt(K). The mean of k more is x + D, D about Student's t of K - 1
degrees of freedom; given D, the spread of those k is that of an F variable. So the verdict on all
K + k, or on the k alone, which looks at a mean and a spread, has a probability that is one integral
over D. Units of unequal size count as df + 1, and units to come, of like sizes, in the same
proportion. At 2 degrees of freedom or fewer t has no variance, and nothing is predicted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import special

from betterthan.exact.joint.student import DF_MIN, Student
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.numeric.quadrature import legendre
from betterthan.exact.planning.edges import Edges, Rule, edges, wins_needed
from betterthan.exact.wins.dirichlet import prob_above, prob_below, prob_within


@dataclass(frozen=True)
class Urn:
    """Log weights of each number of the kind, of the others and of all, (rows, 0 to n)."""

    kind: np.ndarray
    other: np.ndarray
    total: np.ndarray
    share: np.ndarray  # (rows, 1): P(the next one is of the kind) before any data,
    held: np.ndarray  # (rows, 1): prior weight in items; infinite for a known share

    @classmethod
    def from_beta(cls, a: Any, b: Any, n: int) -> "Urn":
        """Polya's urn of a Beta(a, b) share, up to n items; a and b (rows,)."""
        a, b = (np.asarray(x, float).reshape(-1, 1) for x in (a, b))
        kind, other, total = (_rising(x, n) for x in (a, b, a + b))
        return cls(kind, other, total, a / (a + b), a + b)

    @classmethod
    def from_probability(cls, p: Any, n: int) -> "Urn":
        """The binomial of a known share, (rows,)."""
        p = np.asarray(p, float).reshape(-1, 1)
        j = np.arange(n + 1)
        ways = special.gammaln(j + 1.0)
        kind, other = special.xlogy(j, p) - ways, special.xlog1py(j, -p) - ways
        return cls(kind, other, np.broadcast_to(-ways, p.shape[:1] + ways.shape), p, p + np.inf)

    def swapped(self) -> "Urn":
        """The urn of the other kind."""
        return Urn(self.other, self.kind, self.total, 1 - self.share, self.held)

    def term(self, m: Any, j: Any) -> np.ndarray:
        """P(j of m items), (rows, k), for m and j of that shape or (k,); 0 outside of 0 to m."""
        total = _lookup(self.total, np.asarray(m))
        m, j = np.broadcast_arrays(m, j)
        inside = (j >= 0) & (j <= m)
        j = np.where(inside, j, 0)
        logs = _lookup(self.kind, j) + _lookup(self.other, np.where(inside, m - j, 0)) - total
        return np.exp(np.where(inside, logs, -np.inf))

    def next_probability(self, m: Any, j: Any) -> np.ndarray:
        """P(the next is of the kind) after j of m."""
        with np.errstate(invalid="ignore"):
            learned = np.where(np.isinf(self.held), 0.0, (j - m * self.share) / (self.held + m))
        return self.share + learned

    def tails(self, least: Any) -> np.ndarray:
        """P(at least `least` of m items), (rows, n + 1), for m = 0 to n."""
        m = np.arange(self.kind.shape[1])
        least = np.clip(np.broadcast_to(least, self.kind.shape), 0, m + 1)
        first = (least[:, :1] <= 0).astype(float)
        before = least[:, :-1] - 1  # one more of the kind, and they are enough
        grown = self.term(m[:-1], before) * self.next_probability(m[:-1], before)
        grown += self._moved(m[1:], least[:, :-1], least[:, 1:])
        return np.clip(np.cumsum(np.concatenate([first, grown], axis=1), axis=1), 0.0, 1.0)

    def _moved(self, m: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
        """Difference of the tails from `after` on and from `before` on."""
        change = after - before
        difference = np.zeros(before.shape)
        for k in range(int(np.abs(change).max(initial=0))):
            difference -= np.where(change > k, self.term(m, before + k), 0.0)
            difference += np.where(-change > k, self.term(m, before - 1 - k), 0.0)
        return difference


def _rising(a: np.ndarray, n: int) -> np.ndarray:
    """Log of a (a + 1) ... (a + j - 1) / j! for j = 0 to n."""
    steps = np.log1p((a - 1) / (np.arange(n) + 1))
    return np.concatenate([np.zeros((len(a), 1)), np.cumsum(steps, axis=1)], axis=1)


def _lookup(table: np.ndarray, place: np.ndarray) -> np.ndarray:
    if place.ndim == 1:
        return table[:, place]
    return np.take_along_axis(table, place, axis=1)


VERDICTS = ("a_better", "b_better", "equivalent", "undecided")  # in the order of every last axis
_HELD = 2**20  # numbers of an array that is held at once
_NONE = 1e-17  # a probability that changes no sum
_SUMMED = (
    2**20
)  # items whose counts are summed up one by one; nodes err by 0.002 at 20,000, less above
_NODES = 60


@dataclass(frozen=True)
class Items:
    """Distribution of the next items, a row a pair: Dirichlet parameters of win, loss and tie, or
    their probabilities if `fixed`. Without a tie every item is decisive.
    """

    parts: np.ndarray  # (rows, 3) or (rows, 2)
    fixed: bool = False

    def wins(self, n: int) -> Urn:
        """Predictive distribution of the wins among the decisive items."""
        win, loss = self.parts[:, 0], self.parts[:, 1]
        if not self.fixed:
            return Urn.from_beta(win, loss, n)
        both = win + loss
        return Urn.from_probability(
            np.divide(win, both, out=np.full_like(both, 0.5), where=both > 0), n
        )

    def decisive(self, n: int) -> Urn | None:
        """Predictive distribution of the decisive among all items; None without ties."""
        if self.parts.shape[1] == 2:
            return None
        both = self.parts[:, 0] + self.parts[:, 1]
        # shares that add up to 1 but for rounding
        return (
            Urn.from_probability(np.minimum(both, 1.0), n)
            if self.fixed
            else Urn.from_beta(both, self.parts[:, 2], n)
        )

    def take(self, rows: Any) -> "Items":
        """Some of the pairs."""
        return Items(self.parts[rows], self.fixed)


def after(items: Items, had: np.ndarray, more: Any, rule: Rule) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` items, (rows, 4).

    Parameters
    ----------
    items : Items
    had : numpy.ndarray of int, (rows, 3) or (rows, 2)
        Wins, losses and ties that the verdict also looks at.
    more : int or numpy.ndarray of int, (rows,)
    rule : Rule

    Examples
    --------
    >>> pilot = np.array([[12, 6, 32]])
    >>> after(Items(pilot + 1.0), pilot, 150, Rule()).round(4).tolist()
    [[0.737, 0.005, 0.0, 0.258]]
    """
    more = np.broadcast_to(np.asarray(more, np.int64), len(had))
    parts, start = [np.empty((0, 4))], 0
    order = np.argsort(more, kind="stable")
    while start < len(order):  # rows of about as many items, so many at once as are held
        step = max(1, _HELD // (int(more[order[start]]) + 1) // 4)
        rows = order[start : start + step]
        rows = rows[: max(1, _HELD // (int(more[rows[-1]]) + 1))]
        parts.append(_after(items.take(rows), had[rows], more[rows, None], rule))
        start += len(rows)
    # a sum of many terms may pass 1 by its rounding
    return np.clip(np.concatenate(parts)[np.argsort(order)], 0.0, 1.0)


def _after(items: Items, had: np.ndarray, more: np.ndarray, rule: Rule) -> np.ndarray:
    most = int(more.max())
    if most > _SUMMED:
        return _after_many(items, had, more, rule)
    m = np.arange(most + 1)
    within = np.minimum(m, more)
    share = items.decisive(most)
    weights = m == more if share is None else share.term(more + 0 * within, m)
    decisive = (had[:, 0] + had[:, 1])[:, None] + within
    limits = edges(had.sum(1)[:, None] + more, decisive, rule, weights > _NONE)
    parts = _by_decisive(items.wins(most), had, limits, within)
    return _with_undecided([(weights * x).sum(1) for x in parts])


def _after_many(items: Items, had: np.ndarray, more: np.ndarray, rule: Rule) -> np.ndarray:
    """The same for so many items that counts are nearly continuous: at nodes over the decisive."""
    win, loss = items.parts[:, :1], items.parts[:, 1:2]
    z, weights = _normal_nodes()
    if items.parts.shape[1] == 2:
        m, weights = more, np.ones(1)
    else:
        share = win + loss
        total = share + items.parts[:, 2:]
        p = share / total
        grown = 1.0 if items.fixed else (total + more) / (total + 1)
        m = np.rint(more * p + z * np.sqrt(more * p * (1 - p) * grown))
        m = np.clip(m, 0, more).astype(np.int64)
    decisive = (had[:, 0] + had[:, 1])[:, None] + m
    limits = edges(had.sum(1)[:, None] + more, decisive, rule)
    parts = _by_decisive(_LargeUrn(win, loss, m, items.fixed), had, limits, m)
    return _with_undecided([x @ weights for x in parts])


def _normal_nodes() -> tuple[np.ndarray, np.ndarray]:
    """Nodes of a standard normal variable and their weights."""
    z, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return z, weights / weights.sum()


@dataclass(frozen=True)
class _LargeUrn:
    """Like `Urn`, at some large numbers of items m, (rows, k): the share of the kind is Beta(a, b),
    or a / (a + b) if it is `fixed`.
    """

    a: np.ndarray  # (rows, 1)
    b: np.ndarray
    m: np.ndarray
    fixed: bool

    def swapped(self) -> "_LargeUrn":
        """The urn of the other kind."""
        return _LargeUrn(self.b, self.a, self.m, self.fixed)

    def tails(self, least: np.ndarray) -> np.ndarray:
        """P(at least `least` of m items), (rows, k).

        Of the binomial number and the Beta share, the integral is over the narrower one, by nodes
        of the normal distribution; the other is exact.
        """
        a, b, m = (np.broadcast_to(x, np.shape(least))[..., None] for x in (self.a, self.b, self.m))
        least = least[..., None]
        inside = np.clip(least, 1, np.maximum(m, 1))
        z, weights = _normal_nodes()
        if self.fixed:
            tail = special.betainc(inside, m - inside + 1, a / (a + b))[..., 0]
        else:
            x = np.clip((inside - 0.5) / np.maximum(m, 1), 0, 1)
            noise = np.sqrt(x * (1 - x) / np.maximum(m, 1))
            of_share = special.betaincc(a, b, np.clip(x + z * noise, 0, 1)) @ weights
            shares = special.betaincinv(a, b, special.ndtr(z))
            of_number = special.betainc(inside, m - inside + 1, shares) @ weights
            tail = np.where((m < a + b)[..., 0], of_number, of_share)
        return np.where(least <= 0, 1.0, np.where(least > m, 0.0, tail[..., None]))[..., 0]


def _by_decisive(
    wins: Urn | _LargeUrn, had: np.ndarray, limits: Edges, m: np.ndarray
) -> list[np.ndarray]:
    """P(A better), P(B better) and P(equivalent) if m of the next items are decisive, (rows, m)."""
    won = had[:, :1]
    for_a = wins.tails(limits.a - won)
    for_b = wins.swapped().tails(m + 1 + won - limits.b)  # so few wins are so many losses
    if limits.low is limits.b:
        return [for_a, for_b, np.zeros_like(for_a)]
    return [for_a, for_b, wins.tails(limits.low - won) - wins.tails(limits.high - won)]


def _with_undecided(probabilities: Sequence[np.ndarray]) -> np.ndarray:
    """Append the remaining probability, of undecided."""
    a, b, equal = probabilities
    return np.stack([a, b, equal, np.clip(1 - a - b - equal, 0.0, 1.0)], axis=-1)


def curve(items: Items, n: np.ndarray, rule: Rule) -> np.ndarray:
    """The same after n items and none before, for one row of items and many n, (n, 4).

    Examples
    --------
    >>> curve(Items(np.ones((1, 3))), np.array([20, 50]), Rule())[:, 0].round(6).tolist()
    [0.268398, 0.34917]
    """
    if rule.rope:
        rows = np.zeros(len(n), np.int64)
        nothing = np.zeros((len(n), items.parts.shape[1]), np.int64)
        return after(items.take(rows), nothing, n, rule)
    most = int(n.max(initial=0))
    m = np.arange(most + 1)
    wins = items.wins(most)
    for_a = wins.tails(wins_needed(m, rule.prior, rule.threshold))[0]
    for_b = wins.swapped().tails(wins_needed(m, rule.swapped().prior, rule.threshold))[0]
    share = items.decisive(most)
    if share is None:
        a, b = for_a[n], for_b[n]
    else:
        a, b = _summed(share, np.stack([for_a, for_b], axis=1), n)
    return _with_undecided([a, b, np.zeros_like(a)])


def _summed(share: Urn, by_decisive: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Sums over the decisive items among each n, (2, n)."""
    m = np.arange(len(by_decisive))
    step = max(1, _HELD // len(m))
    parts = []
    for start in range(0, len(n), step):
        some = n[start : start + step]
        flat = share.term(np.repeat(some, len(m)), np.tile(m, len(some)))
        parts.append(flat.reshape(len(some), len(m)) @ by_decisive)
    return np.concatenate(parts).T if parts else np.empty((2, 0))


def limit(items: Items, rule: Rule) -> np.ndarray:
    """What no number of items can pass: P(A better, B better, equivalent) for ever more, (rows, 3).

    A difference that is not 0 is found at last; within the rope it is found to be equivalent. At
    the edges errors remain: either verdict on equal systems without a rope, and "equivalent" at
    the rope, each have the probability 1 - threshold.

    Examples
    --------
    >>> limit(Items(np.array([[6.0, 3.0, 11.0]])), Rule())[0, 0].round(6)
    np.float64(0.855469)
    >>> limit(Items(np.array([[0.1, 0.1, 0.8]]), fixed=True), Rule()).round(3).tolist()
    [[0.05, 0.05, 0.0]]
    """
    if items.fixed:
        d, rest = items.parts[:, 0] - items.parts[:, 1], 1 - rule.threshold
        at_edge = np.isclose(np.abs(d), rule.rope, rtol=_NEAR, atol=_NEAR)
        if not rule.rope:
            wrong = np.where(at_edge & (items.parts[:, 0] > 0), rest, 0.0)
            sides = [np.where(at_edge, wrong, beyond) for beyond in (d > 0, d < 0)]
            return np.stack([*sides, np.zeros_like(d)], axis=-1)
        within = np.where(at_edge, rest, np.abs(d) < rule.rope)
        return np.stack([(d > 0) * (1 - within), (d < 0) * (1 - within), within], axis=-1)
    win, loss = items.parts[:, 0], items.parts[:, 1]
    tie = items.parts[:, 2] if items.parts.shape[1] == 3 else np.zeros_like(win)
    within = prob_within(win, loss, tie, rule.rope) if rule.rope else np.zeros_like(win)
    beyond = prob_above(win, loss, tie, rule.rope), prob_below(win, loss, tie, -rule.rope)
    return np.stack([*beyond, within], axis=-1)


def other_side(verdict: np.ndarray) -> np.ndarray:
    """Verdicts as the other system reads them."""
    sides = [verdict == "a_better", verdict == "b_better"]
    return np.select(sides, ["b_better", "a_better"], verdict)


_POINTS = 400
_HALVINGS = 50
_NEAR = 1e-12  # differences of shares that are rounded alike


@dataclass(frozen=True)
class Units:
    """Evidence on each pair, (rows,): its mean difference, the standard error, and the number of
    units.

    For units of unequal size, ``df`` are the degrees of freedom; ``law`` is the posterior behind
    the current verdict, where it is more than Student's t.
    """

    difference: np.ndarray
    error: np.ndarray
    units: np.ndarray
    df: np.ndarray | None = None
    law: Student | None = None

    @classmethod
    def from_pairs(cls, means: PairMeans, sign: float = 1.0) -> Self:
        """From means of pairs; a `sign` of -1 exchanges the systems."""
        law = means.law if sign > 0 else means.law.mirrored()
        return cls(sign * means.difference, means.error, means.units, means.df, law)

    @property
    def freedom(self) -> np.ndarray:
        """Degrees of freedom, at least 1."""
        df = self.units - 1.0 if self.df is None else self.df
        return np.maximum(np.nan_to_num(df), 1.0)

    @property
    def posterior(self) -> Student:
        """Of the mean differences."""
        return self.law or Student(self.difference, self.error, self.freedom)

    @property
    def predicts(self) -> np.ndarray:
        """Whether units to come can be predicted, (rows,)."""
        return (self.freedom > DF_MIN) & (self.error > 0)

    def take(self, rows: np.ndarray) -> "Units":
        """Some of the rows."""
        df = None if self.df is None else self.df[rows]
        law = None if self.law is None else self.law.take(rows)
        return Units(self.difference[rows], self.error[rows], self.units[rows], df, law)

    def today(self, rope: float, threshold: float) -> np.ndarray:
        """Indicator of the current verdict: A better, B better, equivalent, (rows, 3)."""
        posterior = self.posterior
        ahead, behind = posterior.prob_above(0.0), posterior.prob_below(0.0)
        equal = np.zeros(len(ahead), dtype=bool)
        if rope:
            equal = 1 - posterior.prob_above(rope) - posterior.prob_below(-rope) >= threshold
        sides = (ahead >= threshold) & ~equal, (behind >= threshold) & ~equal, equal
        return np.stack(sides, axis=1).astype(float)


def after_units(
    evidence: Units, more: Any, rope: float, threshold: float, *, kept: bool = True
) -> np.ndarray:
    """P(A better, B better, equivalent, undecided) after `more` units, (rows, 4); nan at 2 degrees
    of freedom or fewer, or without a spread.

    Parameters
    ----------
    evidence : Units
    more : int or numpy.ndarray of int, (rows,)
    rope, threshold : float
    kept : bool, default True
        Whether the verdict uses the observed units too, or only the new ones.

    Examples
    --------
    >>> evidence = Units(np.array([0.02]), np.array([0.015]), np.array([50]))
    >>> after_units(evidence, 100, 0.0, 0.95).round(4).tolist()
    [[0.6755, 0.0029, 0.0, 0.3216]]
    """
    # of units of unequal size so many of equal size
    more = (
        np.broadcast_to(more, evidence.difference.shape) * (evidence.freedom + 1) / evidence.units
    )
    good = evidence.predicts
    enough = more > (0 if kept else 1)
    probabilities = np.where(
        enough[:, None], _predicted(evidence, more, rope, threshold, kept), 0.0
    )
    if kept:
        probabilities = np.where(enough[:, None], probabilities, evidence.today(rope, threshold))
    undecided = np.clip(1 - probabilities.sum(1, keepdims=True), 0.0, 1.0)
    return np.where(good[:, None], np.concatenate([probabilities, undecided], axis=1), np.nan)


def _predicted(
    evidence: Units, more: np.ndarray, rope: float, threshold: float, kept: bool
) -> np.ndarray:
    """Predictive probabilities of the three verdicts, (rows, 3)."""
    good = evidence.predicts
    units = np.where(good, evidence.freedom + 1, 2.0)[:, None]
    s = np.where(good, evidence.error, 1.0)[:, None] * np.sqrt(units)
    k = np.where(more > 0, more, 1.0)[:, None]
    node, weight = legendre(_POINTS)
    step = special.stdtrit(units - 1, (1 + node) / 2) * s * np.sqrt(1 / k + 1 / units)
    # the sum of squares of the new units, over this one, is an F variable
    observed = (units - 1) * s**2 + step**2 / (1 / k + 1 / units)
    total, part = (units + k, k / (units + k)) if kept else (k, 1.0)

    def below(error: np.ndarray) -> np.ndarray:
        """P(the standard error of all units used is at most this)."""
        squares = error**2 * np.maximum(total - 1, 1) * total
        df = np.where(k > 1, k - 1, 1.0)
        new = (squares / observed - (1.0 if kept else 0.0)) * units / df
        single = (new >= 0).astype(float)  # one unit has no spread of its own
        spread = special.fdtr(df, units, np.maximum(new, 0))
        return np.where(k > 1, spread, single)

    mean = evidence.difference[:, None] + part * step
    verdicts = _verdicts(mean, np.maximum(total, 2), rope, threshold, below)
    return (verdicts * (weight / 2)).sum(-1).T


def _verdicts(
    mean: np.ndarray, total: np.ndarray, rope: float, threshold: float, below: Any
) -> np.ndarray:
    """P(A better), P(B better) and P(equivalent) given the mean of all, (3, rows, nodes)."""
    quantile = special.stdtrit(total - 1, threshold)
    largest = np.abs(mean) / quantile  # the error with which the sign is just sure
    ahead = below(largest)
    equal = np.zeros_like(ahead)
    if rope:
        equal = below(_narrowest(mean, total, rope, threshold))
        ahead = np.maximum(ahead - equal, 0.0)
    return np.stack([np.where(mean > 0, ahead, 0), np.where(mean < 0, ahead, 0), equal])


def _narrowest(mean: np.ndarray, total: np.ndarray, rope: float, threshold: float) -> np.ndarray:
    """Largest error at which P(|d| <= rope) reaches the threshold; 0 if the mean is outside."""
    room = rope - np.abs(mean)
    low, high = np.zeros_like(mean), np.full_like(mean, 4 * rope)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        up, down = (special.stdtr(total - 1, (end - mean) / middle) for end in (rope, -rope))
        sure = up - down >= threshold
        low, high = np.where(sure, middle, low), np.where(sure, high, middle)
    return np.where(room > 0, low, 0.0)

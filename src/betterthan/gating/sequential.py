"""Sequential gates with interim looks: worse by a stopping boundary, pass by an e-value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan import checks
from betterthan.exact.planning.design import calibrated, log_e_value
from betterthan.exact.planning.edges import fewest, wins_needed
from betterthan.gating.boundaries import Rates, binomial, chance_behind, chance_to_pass
from betterthan.gating.rule import Cases, Chance, Chances, Counts, evaluate_cases

_ENUMERATED = 2**21  # outcomes of one look, up to which each is looked at
_SPREAD = 9  # standard deviations of the number of ties that are kept
_TAIL = 36.0  # and log units of a geometric tail


@dataclass(frozen=True)
class Plan:
    """Evenly spaced looks, up to a maximum number of decisive items."""

    looks: int
    most: int

    @classmethod
    def checked(cls, looks_and_most: Sequence[int]) -> "Plan":
        """A plan of two numbers.

        Raises
        ------
        ValueError
            If they are no whole numbers, or there are more looks than items.
        """
        if not isinstance(looks_and_most, list | tuple) or len(looks_and_most) != 2:
            raise ValueError(
                "looks takes two numbers: how many looks, and the maximum number of non-tied items"
            )
        looks, most = (checks.whole(k, "looks") for k in looks_and_most)
        if looks > most:
            raise ValueError(f"{looks} looks are more than {most} non-tied items; give fewer looks")
        return cls(looks, most)

    @property
    def schedule(self) -> np.ndarray:
        """Numbers of decisive items at which the looks take place."""
        return np.unique(np.rint(self.most * np.arange(1, self.looks + 1) / self.looks)).astype(int)


@dataclass(frozen=True)
class Looked:
    """One of several looks.

    Attributes
    ----------
    plan : Plan
    decisive : int
        Items on which the two differ, so far.
    losses, needed : int
        Of the candidate, and from how many it is worse.
    e_value, e_needed : float
        Evidence against d <= -margin, and from how much on it passes.
    boundary : float
        P(d < 0) from which it is worse at any look.
    chances : Chances
    rates : tuple of (float, Rates)
        For true differences, how probable each verdict is by the last look, exactly; empty where
        these are too many to enumerate.
    """

    plan: Plan
    decisive: int
    losses: int
    needed: int
    e_value: float
    e_needed: float
    boundary: float
    chances: Chances
    rates: tuple[tuple[float, Rates], ...]


def look(plan: Plan, cases: Cases, margin: float, threshold: float) -> Looked:
    """What this look says.

    Parameters
    ----------
    plan : Plan
    cases : Cases
    margin, threshold : float
        Wrong verdicts are held to 1 - threshold on each side, over all looks together.

    Raises
    ------
    ValueError
        If there are more decisive items than were planned.
    """
    error = 1 - threshold
    won, lost, tied = cases.observed
    if won + lost > plan.most:
        raise ValueError(
            f"there are {won + lost} non-tied items, beyond the {plan.most} of the plan; nothing "
            "can be said of looks that were not planned"
        )
    _, boundary = calibrated(plan.schedule, 2 * error)
    return Looked(
        plan=plan,
        decisive=won + lost,
        losses=lost,
        needed=int(wins_needed(won + lost, threshold=boundary)),
        e_value=float(np.exp(log_e_value(won, lost, tied, -margin))),
        e_needed=1 / error,
        boundary=boundary,
        chances=evaluate_cases(cases, lambda counts: _chance(counts, margin, error, boundary)),
        rates=_rates(plan, (won + lost) / (won + lost + tied), margin, error, boundary),
    )


def _chance(counts: Counts, margin: float, error: float, boundary: float) -> Chance:
    """The two probabilities, and whether the e-value and the boundary make a verdict of them."""
    won, lost, tied = map(np.asarray, counts)
    passes, behind = chance_to_pass(won, lost, tied, margin), chance_behind(won, lost)
    enough = float(log_e_value(won, lost, tied, -margin)) >= -np.log(error)
    return Chance(float(passes), float(behind), enough, bool(behind >= boundary))


def _rates(
    plan: Plan, share: float, margin: float, error: float, boundary: float
) -> tuple[tuple[float, Rates], ...]:
    """Of equal systems, and of candidates behind by the margin and by twice that."""
    if not share or _most_ties(plan.most, share) * plan.most > _ENUMERATED:
        return ()
    stops = [_stops(int(m), share, margin, error, boundary) for m in plan.schedule]
    true = [d for d in (0.0, -margin, -2 * margin) if abs(d) <= share]
    return tuple((d, look_rates(stops, share, d)) for d in true)


@dataclass(frozen=True)
class Stops:
    """At a look after m decisive items: for each number of wins from how many ties it passes, and
    up to how many wins it is worse.
    """

    ties: np.ndarray
    worse: int

    @property
    def m(self) -> int:
        """Decisive items."""
        return len(self.ties) - 1


def _stops(m: int, share: float, margin: float, error: float, boundary: float) -> Stops:
    wins, most = np.arange(m + 1), _most_ties(m, share)

    def enough(ties: np.ndarray) -> np.ndarray:
        return log_e_value(wins, m - wins, ties, -margin) >= -np.log(error)

    # a tie is more than a candidate that is behind by the margin gives on average
    ties = fewest(enough, np.zeros(m + 1, np.int64), np.full(m + 1, most))
    return Stops(ties, m - int(wins_needed(m, threshold=boundary)))


def _most_ties(m: int, share: float) -> int:
    """As many as come before m decisive items, for all that matters."""
    return int((m * (1 - share) + _SPREAD * np.sqrt(m * (1 - share)) + _TAIL) / share)


def look_rates(stops: Sequence[Stops], share: float, difference: float) -> Rates:
    """Probability of each verdict by the last look: all outcomes of each look, carried on where
    there was none yet.

    Parameters
    ----------
    stops : sequence of Stops
        Ascending.
    share : float
        Of decisive items; ties come between them.
    difference : float
        The true one, candidate - baseline.
    """
    win, size = (1 + difference / share) / 2, _most_ties(stops[-1].m, share) + 1
    open_, passes, worse, m = np.ones((1, 1)), 0.0, 0.0, 0
    for stop in stops:
        more = stop.m - m
        ties = negative_binomial(np.arange(_most_ties(more, share) + 1), more, share)
        open_, m = _grown(open_, ties, binomial(np.arange(more + 1), more, win))[:size], stop.m
        passed = np.arange(len(open_))[:, None] >= stop.ties
        behind = np.where(passed, False, np.arange(m + 1) <= stop.worse)
        passes, worse = passes + float(open_[passed].sum()), worse + float(open_[behind].sum())
        open_ = np.where(passed | behind, 0.0, open_)
    return Rates(passes, worse, float(open_.sum()))


def negative_binomial(k: np.ndarray, m: int, p: float) -> np.ndarray:
    """P(k failures before the m-th success), each success with probability p.

    Examples
    --------
    >>> negative_binomial(np.arange(3), 1, 0.5).round(12).tolist()
    [0.5, 0.25, 0.125]
    """
    ways = special.gammaln(k + m) - special.gammaln(m) - special.gammaln(k + 1.0)
    return np.exp(ways + m * np.log(p) + special.xlog1py(k, -p))


def _grown(open_: np.ndarray, ties: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """Convolve the outcomes (ties, wins) with the new ones, by Fourier transforms."""
    shape = (open_.shape[0] + len(ties) - 1, open_.shape[1] + len(wins) - 1)
    spectrum = np.fft.rfft2(open_, shape)
    product = spectrum * np.fft.fft(ties, shape[0])[:, None] * np.fft.rfft(wins, shape[1])
    return np.maximum(np.fft.irfft2(product, shape), 0.0)

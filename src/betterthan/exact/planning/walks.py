"""Looking again and again: how many walks of wins and losses have met a verdict by each look.

Decisive items are a walk: w wins after m of them. The share of walks that have met no verdict yet
is carried from item to item, so that no walk is simulated and none is counted twice.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from betterthan.exact.planning.edges import fewest, wins_needed
from betterthan.exact.wins.beta import log_bayes_factor_half, prob_above_half
from betterthan.progress import with_bar

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
        share = _grown(share, p)
        if m == stops.looks[look]:
            a, b = int(stops.a[look]), int(stops.b[look])
            met = np.stack([share[:, a:].sum(1), share[:, :b].sum(1)], axis=-1)
            so_far[look], single_look[look] = so_far[look - 1] * (look > 0) + met[0], met[1]
            share[0, a:], share[0, :b] = 0.0, 0.0
            look += 1
    return Met(so_far, single_look, items)


def _grown(share: np.ndarray, p: Any) -> np.ndarray:
    """After one more item, which is won with probability p."""
    grown = np.zeros((2, share.shape[1] + 1))
    grown[:, 1:] = p * share
    grown[:, :-1] += (1 - p) * share
    return grown


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
    for _ in with_bar(range(_HALVINGS), _HALVINGS, "boundary"):
        middle = (low + high) / 2
        wrong = walk(by_threshold(looks, middle, prior)).so_far[-1].sum()
        low, high = (low, middle) if wrong <= error else (middle, high)
    return by_threshold(looks, high, prior), high

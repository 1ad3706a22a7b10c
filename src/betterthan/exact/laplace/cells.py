"""Log probabilities of what is seen of a system on an item, by ability and difficulty: successes of
repeated trials, and items whose slopes differ.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from scipy import special

from betterthan.exact.laplace.spreads import Spread

Bent = tuple[np.ndarray, np.ndarray, np.ndarray]


def distinct_cells(successes: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Distinct successes and trials (kind, 2), of cells that were tried."""
    both = np.stack([successes, trials], axis=-1)[trials > 0]
    return np.unique(both, axis=0)


@dataclass(frozen=True)
class Repeated:
    """Beta-binomial successes; the rest of the parameters: log spread of difficulties, and what
    says how alike the trials of a cell are.
    """

    kinds: np.ndarray
    node: np.ndarray
    alike: Spread

    def log(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        odds, kappa = self._log_odds(ability, others)
        sums = []
        for log_share in log_success_failure(odds):
            share = kappa * np.exp(log_share)
            terms = [np.log(kappa) + log_share]
            terms += [np.log(share + j) for j in range(1, self._most)]
            sums.append(_summed(terms))
        below = _summed([np.log(kappa + j) for j in range(self._most)])
        return self._by_kind(sums[0], sums[1], below)

    def bent(self, ability: np.ndarray, others: np.ndarray) -> Bent:
        """The same, with its derivatives in the ability."""
        odds, kappa = self._log_odds(ability, others)
        right, wrong = (np.exp(log) for log in log_success_failure(odds))
        both = right * wrong
        turn = kappa * both * (wrong - right)
        first, second = [], []
        for way, share in ((1, right), (-1, wrong)):
            slopes = [way * kappa * both / (kappa * share + j) for j in range(1, self._most)]
            bends = [
                way * turn / (kappa * share + j) - slope**2 for j, slope in enumerate(slopes, 1)
            ]
            first.append(_summed([way * (1 - share), *slopes]))
            second.append(_summed([-both, *bends]))
        return self.log(ability, others), self._by_kind(*first), self._by_kind(*second)

    @property
    def _most(self) -> int:
        return int(self.kinds[:, 1].max())

    def _log_odds(self, ability: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log odds (point, system, node), and the concentration (point, 1, 1)."""
        kappa = 1 / self.alike(others[:, 1]) - 1
        place = np.exp(others[:, :1]) * self.node
        return ability[:, :, None] - place[:, None, :], kappa[:, None, None]

    def _by_kind(self, right: list[Any], wrong: list[Any], below: Any = None) -> np.ndarray:
        return np.stack(
            [right[y] + wrong[n - y] - (below[n] if below else 0.0) for y, n in self.kinds], axis=2
        )


def log_success_failure(odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log probabilities of success and failure at log odds."""
    log = np.minimum(odds, 0) - np.log1p(np.exp(-np.abs(odds)))
    return log, log - odds


def _summed(terms: list[np.ndarray]) -> list[Any]:
    """Sums of the first 0, 1, ... terms."""
    return list(accumulate(terms, initial=0.0))


@dataclass(frozen=True)
class Steep:
    """Items that differ in slope, too (2PL); the rest of the parameters: log spread of
    difficulties, and what says how far log slopes spread.
    """

    kinds: np.ndarray
    node: np.ndarray  # of difficulty and of slope, every pair of them
    slope: np.ndarray
    spread: Spread

    def log(self, ability: np.ndarray, others: np.ndarray) -> np.ndarray:
        """(point, system, kind, node)."""
        odds, _ = self._log_odds(ability, others)
        return self._log(odds)

    def bent(self, ability: np.ndarray, others: np.ndarray) -> Bent:
        """The same, with its derivatives in the ability."""
        odds, steep = self._log_odds(ability, others)
        chance = special.expit(odds)
        first = (self.kinds[:, 0, None] - chance) * steep
        second = np.broadcast_to(-chance * (1 - chance) * steep**2, first.shape)
        return self._log(odds), first, second

    def _log(self, odds: np.ndarray) -> np.ndarray:
        return self.kinds[:, 0, None] * odds + log_success_failure(odds)[1]

    def _log_odds(self, ability: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Log odds (point, system, 1, node), and slopes (point, 1, 1, node)."""
        steep = np.exp(self.spread(others[:, 1])[:, None] * self.slope)[:, None, None, :]
        place = np.exp(others[:, :1]) * self.node
        return (ability[:, :, None] - place[:, None, :])[:, :, None, :] * steep, steep

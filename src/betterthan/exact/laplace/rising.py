"""Sums over clusters of log (x (x + 1) ... (x + k - 1) / x^k), of many tables at once."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from betterthan.exact.wins.clusters import LEAST, log_gamma_beyond

_LOGS = 20  # logarithms take as long as a gamma function and its difference
_SQUARED = 1e-150  # x whose square, and its inverse, are numbers; the limit at 0 is reached before


@dataclass(frozen=True)
class Rising:
    """How many clusters of a table reach beyond each step, or which values k they have."""

    beyond: np.ndarray  # (step, table): clusters with k > 1, 2, ...; of no step where k are large
    value: np.ndarray  # (kind, table): distinct k, where they are large
    often: np.ndarray  # (kind, table): of how many clusters

    @classmethod
    def from_counts(cls, k: np.ndarray) -> "Rising":
        """Of k (cluster, table)."""
        most, none = int(k.max(initial=0)), np.zeros((0, k.shape[1]))
        kinds = [np.unique(values[values > 0], return_counts=True) for values in k.T]
        several = max((len(value) for value, _ in kinds), default=0)
        if most > _LOGS * max(several, 1):
            value, often = np.zeros((2, several, k.shape[1]))
            for table, (values, times) in enumerate(kinds):
                value[: len(values), table], often[: len(values), table] = values, times
            return cls(none, value, often)
        steps = [(k > j).sum(0) for j in range(1, most)]
        return cls(np.array(steps, float).reshape(-1, k.shape[1]), none, none)

    def log(self, x: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Log of the products at points, each of its table."""
        x, total = np.maximum(x, LEAST), np.zeros(x.shape)
        for j, many in enumerate(self.beyond, 1):
            total += many[table] * np.log1p(j / x)
        for k, many in zip(self.value, self.often, strict=True):
            total += many[table] * log_gamma_beyond(x, k[table])
        return total

    def bent(self, x: np.ndarray, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums over steps j of j / (x + j), and of j x / (x + j)^2."""
        x = np.maximum(x, _SQUARED)
        first, second = np.zeros(x.shape), np.zeros(x.shape)
        for j, many in enumerate(self.beyond, 1):
            share = j / (x + j)
            first += many[table] * share
            second += many[table] * share * (1 - share)
        for k, many in zip(self.value, self.often, strict=True):
            # sums of x / (x + j) and of (x / (x + j))^2
            ratio = x * (special.psi(x + k[table]) - special.psi(x))
            square = x**2 * (special.polygamma(1, x) - special.polygamma(1, x + k[table]))
            first += many[table] * (k[table] - ratio)
            second += many[table] * (ratio - square)
        return first, second

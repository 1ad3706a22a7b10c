"""Answers on pairs from independent draws: once they are sorted, every share of them is a place."""

from dataclasses import dataclass

import numpy as np

from betterthan.exact.numeric import weights
from betterthan.exact.numeric.sampling_error import probability_error, quantile_error


@dataclass(frozen=True)
class Sorted:
    """Independent draws (draw, pair) of differences A - B, which rise along the first axis."""

    values: np.ndarray

    @classmethod
    def of(cls, d: np.ndarray) -> "Sorted":
        """From draws (chain, draw, pair) in any order."""
        return cls(np.sort(d.reshape(-1, d.shape[-1]), axis=0))

    def below(self, limit: np.ndarray | float, *, inclusive: bool = False) -> np.ndarray:
        """Number of draws of each pair below the limit, or also at it, by bisection."""
        draws, pairs = self.values.shape
        low, high, pair = np.zeros(pairs, int), np.full(pairs, draws), np.arange(pairs)
        compare = np.less_equal if inclusive else np.less
        for _ in range(draws.bit_length()):
            middle = (low + high) // 2
            # a pair that is done, whose middle may be beyond the last draw, does not move
            is_below = compare(self.values[np.minimum(middle, draws - 1), pair], limit)
            done = low == high
            low = np.where(is_below & ~done, middle + 1, low)
            high = np.where(is_below | done, high, middle)
        return low

    def answers(
        self, rope: float, ci_prob: float, ci_kind: str, *, higher_is_better: bool = True
    ) -> dict[str, np.ndarray]:
        """What `from_draws` answers by `better`, `masses` and `sizes`, but for means and the number
        of draws: (pair, ...).
        """
        draws = len(self.values)
        minus, plus = self.below(0.0), draws - self.below(0.0, inclusive=True)
        lower, upper = self.below(-rope), draws - self.below(rope, inclusive=True)
        if not higher_is_better:
            minus, plus, lower, upper = plus, minus, upper, lower
        p = (plus + 0.5 * (draws - minus - plus)) / draws
        mass = np.stack([lower, draws - lower - upper, upper], axis=-1) / draws
        parts = {"prob_better": p, "prob_better_mcse": probability_error(p, draws)}
        parts |= {"mass": mass, "mass_mcse": probability_error(mass, draws)}
        bounds = weights.sorted_interval(self.values, ci_prob, ci_kind)
        for key, end in zip(("lower", "upper"), bounds, strict=True):
            level = self.below(end, inclusive=True) / draws
            parts[f"difference_{key}"] = end
            parts[f"difference_{key}_mcse"] = quantile_error(
                self.values, level, np.full(level.shape, float(draws))
            )
        return parts

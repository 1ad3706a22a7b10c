"""What the answers of a comparison were computed from, and what follows for items to come."""

from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.planning import fragile
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.units import Units, after_units
from betterthan.exact.planning.verdicts import Items, after
from betterthan.signed import Signature

_SEARCHED = 3  # pairs of which it is searched, with a rope, how many items would have to turn


@dataclass(frozen=True)
class CountsSeen:
    """Wins, losses and ties of each pair, (rows, 3) or (rows, 2)."""

    counts: np.ndarray
    rule: Rule

    @classmethod
    def of(cls, pairs: xr.Dataset, made: Signature) -> "CountsSeen":
        """Of pairs of a comparison."""
        counts = pairs["counts"].transpose(names.PAIR, names.OUTCOME).values.astype(np.int64)
        prior, threshold = made.prior or names.PRIOR, made.threshold or names.VERDICT_PROB
        return cls(counts, Rule(prior[: counts.shape[1]], threshold, made.rope or 0.0))

    @property
    def items(self) -> Items:
        """Those to come."""
        return Items(self.counts + np.asarray(self.rule.prior))

    def take(self, at: np.ndarray) -> "CountsSeen":
        """Some of the pairs."""
        return replace(self, counts=self.counts[at])

    def predicts(self) -> np.ndarray:
        """Of which pairs items to come can be foreseen."""
        return np.ones(len(self.counts), dtype=bool)

    def glance(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4); with a rope roughly."""
        return after(self.items.take(at), self.counts[at], n, replace(self.rule, rough=True))

    def after(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """The same, exactly."""
        return after(self.items.take(at), self.counts[at], n, self.rule)

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh items, (rows, 4)."""
        return after(self.items, np.zeros_like(self.counts), self.counts.sum(1), self.rule)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """How many items would have to go, or to turn."""
        if self.rule.rope and (len(verdict) > _SEARCHED or self.counts.shape[1] < 3):
            return {}
        if self.rule.rope:
            return {"turn": fragile.fewest_turned(self.counts, self.rule).fewest}
        w, l = self.counts[:, 0], self.counts[:, 1]
        for_a = fragile.of_wins_alone(w, l, self.rule)
        for_b = fragile.of_wins_alone(l, w, self.rule.swapped())
        sides = zip(("drop", "turn"), for_a, for_b, strict=False)
        return {name: np.where(verdict == "a_better", a, b) for name, a, b in sides}


_OF_UNITS = (
    *("n_units", "difference_mean", "difference_error", "difference_df", "difference_skewness"),
)


@dataclass(frozen=True)
class UnitsSeen:
    """Differences of means on units."""

    units: Units
    rope: float
    threshold: float

    @classmethod
    def of(cls, pairs: xr.Dataset, made: Signature) -> "UnitsSeen":
        """Of pairs of a comparison."""
        of = {name: pairs[name].values.astype(float) for name in _OF_UNITS if name in pairs}
        n, df = of["n_units"], np.nan_to_num(of["difference_df"], nan=1.0)
        error = np.nan_to_num(of["difference_error"])
        none = np.zeros(len(n), dtype=int)
        most = np.inf if made.difference_most is None else made.difference_most
        middle = np.nan_to_num(of["difference_mean"])
        found = PairMeans(middle, error, n, none, none, df, of.get("difference_skewness"), most)
        units = Units.of(found, -1.0 if made.lower_mean else 1.0)
        return cls(units, made.rope or 0.0, made.threshold or names.VERDICT_PROB)

    def take(self, at: np.ndarray) -> "UnitsSeen":
        """Some of the pairs."""
        return replace(self, units=self.units.take(at))

    def predicts(self) -> np.ndarray:
        """Of which pairs units to come can be foreseen."""
        return self.units.predicts

    def after(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4)."""
        return after_units(self.take(at).units, n, self.rope, self.threshold)

    glance = after

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh units, (rows, 4)."""
        fresh = self.units.units.astype(np.int64)
        return after_units(self.units, fresh, self.rope, self.threshold, kept=False)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """Of means nothing is told."""
        del verdict
        return {}

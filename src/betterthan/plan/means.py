"""Predict verdicts from unit means: graded scores, clusters, or repeated runs."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import __version__, checks, names, schemas
from betterthan.counts.units import CLUSTER, ids_of, item_ids
from betterthan.exact.joint.units import pair_means
from betterthan.exact.planning.units import Units, after_units
from betterthan.exact.planning.verdicts import VERDICTS, other_side
from betterthan.plan.given import SWAPPED, alike, itself, squared


class Means:
    """Mean differences of all pairs of systems on the units that both have."""

    def __init__(self, scores: xr.DataArray, rope: float, threshold: float) -> None:
        scores = schemas.scores(scores)
        values = scores.values.astype(float)
        observed = np.isfinite(values)
        ids = ids_of(scores, CLUSTER) if CLUSTER in scores.coords else item_ids(scores)
        unit = np.unique(ids, return_inverse=True)[1]
        binary = np.isin(values[observed], (0, 1)).all()
        single = len(set(unit.tolist())) == len(unit)
        if single and binary:
            raise ValueError(
                "scores are 0 and 1, one for each item, which are counted; give bt.count(scores)"
            )
        mean_differences = pair_means(
            np.where(observed, values, 0.0),
            observed.astype(float),
            unit,
            most=1.0 if binary else np.inf,
            skewed=len(set(unit.tolist())) == len(set(item_ids(scores).tolist())),
        )
        side = 1.0 if scores.attrs.get("higher_is_better", True) else -1.0
        self.units = Units.from_pairs(mean_differences, side)
        self.systems = [str(s) for s in scores[names.SYSTEM].values]
        self.rope = checks.margin(rope, "rope")
        self.threshold = checks.threshold(threshold)
        self.unit_name = "clusters" if CLUSTER in scores.coords else "items"

    @property
    def items(self) -> np.ndarray:
        """Units of each pair."""
        return self.units.units

    def after(self, more: Any, *, kept: bool = True) -> np.ndarray:
        """P(each verdict) after so many more units, or on so many fresh ones, (rows, 4)."""
        return after_units(self.units, more, self.rope, self.threshold, kept=kept)

    def today(self) -> xr.Dataset:
        """The verdict, the difference and its error."""
        now = np.where(self.some, np.array(VERDICTS)[self._now()], "no_data")
        units, back = self.units, other_side(now).astype("U16")
        return xr.Dataset(
            {
                "now": self.wrap(now.astype("U16"), back, alike(self.rope)),
                "difference": self.wrap(units.difference, -units.difference, 0.0),
                "error": self.wrap(units.error, units.error, 0.0),
                "n": self.wrap(units.units, units.units, 0),
            }
        )

    def probability(self, probabilities: np.ndarray, extra: dict[str, Any]) -> xr.DataArray:
        """Answers (rows, ..., verdict) over both systems."""
        diagonal = itself(self.rope)
        return self.wrap(
            probabilities,
            probabilities[..., SWAPPED],
            diagonal,
            extra | {"verdict": list(VERDICTS)},
        )

    def wrap(
        self, values: np.ndarray, swapped: np.ndarray, diagonal: Any, extra: Any = None
    ) -> xr.DataArray:
        """Over (system_a, system_b) and `extra`."""
        size, extra = len(self.systems), extra or {}
        full = squared(values, swapped, diagonal, (size, size))
        coords = dict.fromkeys(names.SQUARE, self.systems) | extra
        return xr.DataArray(full, dims=(*names.SQUARE, *extra), coords=coords)

    def attrs(self, answer: str) -> dict[str, Any]:
        """Return the attrs of a result."""
        attrs = {"version": __version__, "answer": answer, "units": self.unit_name}
        return attrs | {"rope": self.rope, "threshold": self.threshold}

    def same(self, probabilities: np.ndarray) -> np.ndarray:
        """P(today's verdict), (rows,)."""
        return probabilities[np.arange(len(probabilities)), self._now()]

    @property
    def some(self) -> np.ndarray:
        """Pairs of two units or more that differ, (rows,)."""
        return (self.units.units > 1) & (self.units.error > 0)

    def _now(self) -> np.ndarray:
        """The place of today's verdict among `VERDICTS`, (rows,)."""
        sided = self.units.today(self.rope, self.threshold)
        return np.concatenate([sided, 1 - sided.sum(1, keepdims=True)], axis=1).argmax(1)


def is_scores(data: Any) -> bool:
    """Whether these are scores by item, not counts."""
    return isinstance(data, xr.DataArray) and names.ITEM in data.dims

"""Data as they were loaded: of which kind they are, checked, and of the systems asked for."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import blocks_of, in_blocks
from betterthan.counts.counting import apply_missing
from betterthan.counts.judgments import JUDGMENT, count_judgments
from betterthan.counts.runs import trials_of
from betterthan.counts.shapes import picked


@dataclass(frozen=True)
class LoadedData:
    """Data of one kind: what a model and `advise` look at."""

    kind: str  # scores, blocks (of scores), tallies, counts, judgments or trials
    data: Any
    observed: xr.DataArray  # scores by item, tallies, or counts, as they were observed
    scores: xr.DataArray  # the same under the policy for missing scores
    margin: float = 0.0

    @property
    def graded(self) -> bool:
        """Whether these are scores other than 0 and 1."""
        values = self.scores.values if self.kind == "scores" else np.empty(0)
        return not np.isin(values[~np.isnan(values.astype(float))], (0, 1)).all()

    @property
    def by_item(self) -> bool:
        """Whether items are known, and not only how many were won."""
        return names.ITEM in self.scores.dims

    def of_systems(self, systems: Any) -> Self:
        """Data of some systems, or under other names; see `picked`."""
        if systems is None:
            return self
        observed = picked(self.observed, systems)
        return replace(self, data=picked(self.data, systems), observed=observed, scores=observed)

    def with_policy(self, missing: str, margin: float) -> Self:
        """Scores under a policy for missing ones; of other data the policy is refused."""
        if self.kind == "scores":
            filled = apply_missing(self.data, missing)
            return replace(self, data=filled, scores=filled, margin=margin)
        if missing != "pairwise" and self.kind == "trials":
            raise ValueError(
                f"missing={missing!r} is for scores; a trial that was not made is no failure"
            )
        if self.kind in ("counts", "judgments"):
            checks.for_scores_only(missing=missing, margin=margin)
        return replace(self, margin=margin)


def recognise(data: Any) -> LoadedData:
    """Data in memory, checked, and of which kind they are.

    Raises
    ------
    ValueError
        If they are none of these, or not valid.
    """
    if isinstance(data, xr.Dataset) and "trials" in data:
        trials_of(data)
        with np.errstate(invalid="ignore"):
            share = data["successes"] / data["trials"].where(data["trials"] > 0)
        share = share.transpose(names.ITEM, names.SYSTEM).assign_attrs(data.attrs)
        return _loaded("trials", data, share)
    if isinstance(data, xr.Dataset) and JUDGMENT in data.dims:
        return _loaded("judgments", data, count_judgments(data))
    dims = data.dims if isinstance(data, xr.DataArray) else ()
    if names.ITEM in dims and in_blocks(data):
        return _loaded("blocks", data := blocks_of(data).scores, data)
    for dim, kind in _ARRAYS.items():
        if dim in dims:
            return _loaded(kind, data := getattr(schemas, kind)(data), data)
    if isinstance(data, xr.DataTree):
        raise ValueError(
            "data is a DataTree; give draws to betterthan.fits.compare, your own by "
            "betterthan.fits.adopt"
        )
    what = type(data).__name__
    what += f" with dims ({', '.join(map(str, dims))})" if dims else ""
    raise ValueError(
        f"data is {what}; give scores, tallies, counts, trials or judgments (see betterthan.read), "
        "a path, a DataFrame, logs, a dict of scores by system, or an array (item, system)"
    )


# the kind, and its check in `schemas`, by the dim that tells it: the first that is there
_ARRAYS = {names.TALLY: "tallies", names.ITEM: "scores", names.OUTCOME: "counts"}


def _loaded(kind: str, data: Any, scores: xr.DataArray) -> LoadedData:
    return LoadedData(kind, data, scores, scores)

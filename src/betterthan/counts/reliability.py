"""The quantities pass^k and pass@k of repeated runs, as scores of items."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import origin
from betterthan.counts.successes import SUCCESSES, TRIALS, trials
from betterthan.exact.runs import drawn

_NAME = re.compile(r"pass\s*([\^@])\s*(\d+)")
_KINDS = {"^": "all", "@": "any"}
ONE_RUN = "one run per item says nothing about run-to-run noise; run each item twice or more"


@dataclass(frozen=True)
class Reliability:
    """Whether all of k runs of an item succeed (pass^k), or any (pass@k)."""

    k: int
    kind: str = "all"

    @classmethod
    def parse(cls, quantity: Any) -> Self | None:
        """Of a quantity's name, such as "pass^3"; None for another quantity."""
        match = _NAME.fullmatch(quantity.strip()) if isinstance(quantity, str) else None
        if match is None:
            return None
        return cls(checks.whole(int(match[2]), "k of pass^k"), _KINDS[match[1]])

    @property
    def name(self) -> str:
        """Such as "pass^3"."""
        return f"pass{'^' if self.kind == 'all' else '@'}{self.k}"

    def scores(self, data: xr.Dataset, at_least: int = 1) -> xr.DataArray:
        """Chance of each item that k of its runs succeed, (item, system), without bias; nan for
        fewer than `at_least`, or k, runs.

        Raises
        ------
        ValueError
            If a system has no item with so many runs.
        """
        cells = (names.ITEM, names.SYSTEM)
        successes, tried = (data[key].transpose(*cells).values for key in (SUCCESSES, TRIALS))
        values = drawn(successes, tried, self.k, self.kind)
        values[tried < at_least] = np.nan
        none = np.isnan(values).all(0)
        if none.any():
            needed, system = max(self.k, at_least), str(data[names.SYSTEM].values[none][0])
            raise ValueError(
                f"{self.name} needs {needed} runs of an item, and {system!r} has at most "
                f"{int(tried[:, none].max())}; pass a smaller k, or see bt.runs.reliability for "
                "bounds"
            )
        attrs = data.attrs | {"reliability": self.name}
        return xr.DataArray(values, dims=cells, coords=data.coords, attrs=attrs)


def successes_of(data: Any, success: float | None = None) -> xr.Dataset:
    """Successes and trials (item, system) of scores with runs, or as they are.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system), or successes and trials.
    success : float, optional
        The least score that is a success (the largest, where lower is better).

    Raises
    ------
    ValueError
        If scores are not 0 and 1 and `success` is not passed, or data are of another kind.
    """
    if isinstance(data, xr.Dataset) and {SUCCESSES, TRIALS} <= set(data.data_vars):
        if success is not None:
            raise ValueError("success= is for scores, and these are successes; leave it out")
        return data
    if not isinstance(data, xr.DataArray) or set(data.dims) != {names.ITEM, names.SYSTEM}:
        raise ValueError(
            "data are no scores (item, system); give those of repeated runs, or successes and "
            "trials of each item, see betterthan.counts.trials_from_table"
        )
    values = data.values.astype(float)
    if success is not None:
        success = checks.real(success, "success")
        higher = data.attrs.get("higher_is_better", True)
        passed = np.where(
            np.isnan(values), np.nan, values >= success if higher else values <= success
        )
        attrs = origin(data) | {"higher_is_better": True}
        data = data.copy(data=passed).assign_attrs(attrs)
    odd = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    if success is None and odd.any():
        item, system = np.argwhere(odd)[0]
        raise ValueError(
            f"the score of {str(data[names.SYSTEM].values[system])!r} in row {item + 1} is "
            f"{values[item, system]:g}; runs succeed or fail: pass success=, the least score that "
            "is a success, or compare means"
        )
    return trials(data)

"""Scores in plain arrays: what a command computes with before, or without, loading xarray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from betterthan import names
from betterthan.io.texts import text_array


class Axes(dict[str, "Axis"]):
    """Coordinates by name."""

    @property
    def variables(self) -> Axes:
        """The same: there are no indexes."""
        return self


@dataclass(frozen=True)
class Axis:
    """The values of a coordinate along a dim."""

    values: np.ndarray
    dims: tuple[str, ...]

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return self.values.dtype

    @property
    def variable(self) -> Axis:
        """The same: there is no index."""
        return self

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Axis:
        return Axis(self.values[index], self.dims)


@dataclass
class PlainScores:
    """Scores (item, system), read as the DataArray is that `to_array` makes of them.

    Attributes
    ----------
    values : numpy.ndarray of float, (item, system)
    ids, systems : sequence of str
        Items and systems.
    along_items : dict of str to numpy.ndarray
        Further coordinates of the items.
    attrs : dict
    """

    values: np.ndarray
    ids: Sequence[str]
    systems: Sequence[str]
    along_items: dict[str, np.ndarray]
    attrs: dict[str, Any] = field(default_factory=dict)

    dims = (names.ITEM, names.SYSTEM)

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return self.values.dtype

    @property
    def sizes(self) -> Mapping[str, int]:
        """The number of items and of systems."""
        return dict(zip(self.dims, self.values.shape, strict=True))

    @cached_property
    def coords(self) -> Axes:
        """Items, systems, and further coordinates of the items."""
        axes = Axes({k: Axis(v, (names.ITEM,)) for k, v in self.along_items.items()})
        axes[names.ITEM] = Axis(text_array(list(self.ids)), (names.ITEM,))
        axes[names.SYSTEM] = Axis(text_array(list(self.systems)), (names.SYSTEM,))
        return axes

    def __getitem__(self, name: str) -> Axis:
        return self.coords[name]

    def __len__(self) -> int:
        return len(self.values)

    def copy(self, data: np.ndarray) -> PlainScores:
        """The same with other values."""
        return replace(self, values=data)

    def of_systems(self, systems: Sequence[str]) -> PlainScores:
        """The scores of some systems, in their order."""
        columns = [list(self.systems).index(system) for system in systems]
        return PlainScores(
            self.values[:, columns], self.ids, systems, self.along_items, dict(self.attrs)
        )

"""A comparison as a report shows it: systems from best to worst, of many the first."""

from dataclasses import dataclass

import xarray as xr

from betterthan import names
from betterthan.comparison.pair_rows import ahead_first, best_first
from betterthan.reporting.cells import cell_of
from betterthan.reporting.escapes import on_one_line
from betterthan.signed import Signature

PAIRS_OF = 12  # with more systems than this, the table of pairs shows the first ones
MATRIX_OF = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class Shown:
    """A comparison, its systems from best to worst, names on one line."""

    whole: xr.Dataset  # every system, by the first engine
    first: xr.Dataset  # the systems whose pairs have rows, by the first engine
    engines: xr.Dataset  # those systems, by every engine
    made: Signature
    given: list[str]  # all systems, in the order of the data

    @property
    def systems(self) -> list[str]:
        """Names of all systems."""
        return [str(s) for s in self.whole[names.SYSTEM_A].values]

    @property
    def many(self) -> bool:
        """Whether there are more than two systems."""
        return len(self.systems) > 2

    @property
    def rope(self) -> float:
        """The rope, 0 for none."""
        return self.made.rope or 0.0

    @property
    def engine_names(self) -> list[str]:
        """Engines, the one that is asked first."""
        return [str(engine) for engine in self.engines[names.ENGINE].values]

    def pairs(self) -> list[tuple[int, int]]:
        """Places of the pairs that have rows, the better system first."""
        return ahead_first(self.first)

    def cells(self) -> list[xr.Dataset]:
        """Those pairs, each with its scalars."""
        return [cell_of(self.first, *pair) for pair in self.pairs()]


def shown_of(comparison: xr.Dataset) -> Shown:
    """Order the systems of a comparison."""
    ordered = printable(best_first(comparison))
    few = {dim: slice(PAIRS_OF) for dim in systems_dims(ordered)}
    engines = ordered.isel(few)
    at = {names.ENGINE: 0}
    given = [on_one_line(str(s)) for s in comparison[names.SYSTEM_A].values]
    return Shown(
        ordered.isel(at), engines.isel(at), engines, Signature.from_attrs(comparison.attrs), given
    )


def systems_dims(table: xr.Dataset) -> list[str]:
    """Its dims that are systems."""
    return [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in table.dims]


def printable(table: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    labels = {d: table[d].values for d in systems_dims(table) if d in table.coords}
    return table.assign_coords(
        {d: [on_one_line(str(name)) for name in values] for d, values in labels.items()}
    )

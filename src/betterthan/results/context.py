"""A comparison as a report shows it: systems from best to worst, and the pairs that matter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.columns import cell_of
from betterthan.results.document import ALONE, VERDICT
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import Answer, answer_of
from betterthan.results.robustness import outlook_table
from betterthan.results.rows import best_first
from betterthan.signed import Signature

PAIRS_OF = 12  # systems whose pairs have rows, in tables that choose no pairs
ALL_PAIRS_OF = 10  # with more systems than this, pairs that matter alone have rows
PAIRS_SEEN = 60  # rows that are seen at once
MATRIX_OF = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class Shown:
    """A comparison, its systems from best to worst, names on one line."""

    whole: xr.Dataset  # by the first engine
    engines: xr.Dataset  # by every engine
    made: Signature
    given: list[str]  # all systems, in the order of the data

    @cached_property
    def systems(self) -> list[str]:
        """Names of all systems."""
        return [str(s) for s in self.whole[names.SYSTEM_A].values]

    @property
    def many(self) -> bool:
        """Whether there are more than two systems."""
        return len(self.systems) > 2

    @property
    def verdict_head(self) -> str:
        """What heads a column of verdicts on pairs by themselves."""
        return ALONE if "among_verdict" in self.whole else VERDICT

    @property
    def rope(self) -> float:
        """The rope, 0 for none."""
        return self.made.rope or 0.0

    @property
    def engine_names(self) -> list[str]:
        """Engines, the one that is asked first."""
        return [str(engine) for engine in self.engines[names.ENGINE].values]

    @cached_property
    def answer(self) -> Answer:
        """The facts that its sentences state."""
        return answer_of(self.whole)

    @cached_property
    def outlook(self) -> xr.Dataset:
        """What the pairs that have rows are to expect of more items."""
        pairs = [(self.systems[i], self.systems[j]) for i, j in self.pairs[:PAIRS_SEEN]]
        return outlook_table(self.whole, 0.8, pairs, PAIRS_SEEN)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Places of the pairs that matter, the system ahead first: all of few systems; of many
        those with the best, with the baseline, and of neighbours, where they were compared.
        """
        p = self.whole["prob_better"].transpose(*names.SQUARE).values
        met = _all(len(p)) if len(p) <= ALL_PAIRS_OF else self._matter(len(p))
        return [(j, i) if p[i, j] < 0.5 else (i, j) for i, j in met]

    def _matter(self, n: int) -> list[tuple[int, int]]:
        found = {(0, k) for k in range(1, n)} | {(k, k + 1) for k in range(n - 1)}
        base = self.made.baseline
        if base is not None:
            at = self.systems.index(on_one_line(base))
            found |= {(min(k, at), max(k, at)) for k in range(n) if k != at}
        verdict = self.whole["verdict"].transpose(*names.SQUARE).values
        met = {pair for pair in found if verdict[pair] != "no_data"}
        return sorted(met or found, key=lambda pair: (pair[1], pair[0]))

    @cached_property
    def cells(self) -> list[xr.Dataset]:
        """The first of those pairs, each with its scalars."""
        return [cell_of(self.whole, *pair) for pair in self.pairs[:PAIRS_SEEN]]


def _all(n: int) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in zip(*np.triu_indices(n, 1), strict=True)]


def shown_of(comparison: xr.Dataset) -> Shown:
    """Order the systems of a comparison."""
    ordered = printable(best_first(comparison))
    given = [on_one_line(str(s)) for s in comparison[names.SYSTEM_A].values]
    made = Signature.from_attrs(comparison.attrs)
    return Shown(ordered.isel({names.ENGINE: 0}), ordered, made, given)


def systems_dims(table: xr.Dataset) -> list[str]:
    """Its dims that are systems."""
    return [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in table.dims]


def printable(table: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    labels = {d: table[d].values for d in systems_dims(table) if d in table.coords}
    return table.assign_coords(
        {d: [on_one_line(str(name)) for name in values] for d, values in labels.items()}
    )

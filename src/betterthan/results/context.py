"""A comparison as a report shows it: systems from best to worst, and the pairs that matter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.document import PAIRWISE_VERDICT, VERDICT
from betterthan.results.facts import Answer, answer_facts
from betterthan.results.numbers import on_one_line
from betterthan.results.robustness import outlook_table
from betterthan.results.tables import best_first
from betterthan.signed import Signature

PAIRS_SYSTEMS = 12  # systems whose pairs have rows, in tables that choose no pairs
ALL_PAIRS_SYSTEMS = 10  # with more systems than this, only pairs that matter have rows
BRIEF_SYSTEMS = 5  # systems all of whose pairs are in the brief answer
BRIEF_PAIRS = 12  # of more systems, so many of the pairs that matter
PAIRS_VISIBLE = 60  # rows that are seen at once
PAGE_SYSTEMS = 200  # systems of which a page contains all pairs, and Markdown all rows
MATRIX_SYSTEMS = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class ReportContext:
    """A comparison, its systems from best to worst, names on one line."""

    data: xr.Dataset  # by the first engine
    engines: xr.Dataset  # by every engine
    provenance: Signature
    systems: list[str]
    many: bool  # whether there are more than two systems
    input_order: list[str]  # all systems, in the order of the data
    engine_names: list[str]  # the engine that is read first, and others
    rope: float  # 0 for none
    pairwise_heading: str  # heads a column of pairwise verdicts

    @cached_property
    def answer(self) -> Answer:
        """The facts that its sentences state."""
        return answer_facts(self.data)

    @cached_property
    def outlook(self) -> xr.Dataset:
        """What the pairs that have rows are to expect of more items."""
        pairs = [(self.systems[i], self.systems[j]) for i, j in self.pairs[:PAIRS_VISIBLE]]
        return outlook_table(self.data, 0.8, pairs, PAIRS_VISIBLE)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Places of the pairs that matter, the system ahead first: all of few systems; of many
        those with the best, with the baseline, and of neighbours, where they were compared.
        """
        n, p = len(self.systems), self.data["prob_better"].transpose(*names.SQUARE).values
        if n <= ALL_PAIRS_SYSTEMS:
            pairs = list(zip(*(k.tolist() for k in np.triu_indices(n, 1)), strict=True))
        else:
            matter = {(0, k) for k in range(1, n)} | {(k, k + 1) for k in range(n - 1)}
            matter |= self._pairs_with_baseline
            verdict = self.data["verdict"].transpose(*names.SQUARE).values
            compared = {pair for pair in matter if verdict[pair] != "no_data"}
            pairs = sorted(compared or matter, key=lambda pair: (pair[1], pair[0]))
        return [(j, i) if p[i, j] < 0.5 else (i, j) for i, j in pairs]

    @property
    def _pairs_with_baseline(self) -> set[tuple[int, int]]:
        if self.provenance.baseline is None:
            return set()
        base = self.systems.index(on_one_line(self.provenance.baseline))
        return {(min(k, base), max(k, base)) for k in range(len(self.systems)) if k != base}

    @property
    def brief_wanted(self) -> int:
        """Pairs with the first system and with the baseline."""
        return len(self._pairs_with_baseline | {(0, k) for k in range(1, len(self.systems))})

    @cached_property
    def brief_pairs(self) -> list[tuple[int, int]]:
        """Of few systems all pairs; of more at most twelve: with the baseline, then with the first
        system, undecided ones first.
        """
        n = len(self.systems)
        if n <= BRIEF_SYSTEMS:
            return self.pairs
        verdict = self.data["verdict"].transpose(*names.SQUARE).values.astype(str)
        with_base = self._pairs_with_baseline
        matter = sorted(with_base | {(0, k) for k in range(1, n)})
        compared = [pair for pair in matter if verdict[pair] != "no_data"]
        rank = {p: (p not in with_base, verdict[p] in ("a_better", "b_better")) for p in compared}
        pairs = sorted(sorted(compared, key=rank.__getitem__)[:BRIEF_PAIRS])
        p = self.data["prob_better"].transpose(*names.SQUARE).values
        return [(j, i) if p[i, j] < 0.5 else (i, j) for i, j in pairs]


def report_context(comparison: xr.Dataset) -> ReportContext:
    """Order the systems of a comparison.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.
    """
    engines = printable(best_first(comparison))
    data = engines.isel({names.ENGINE: 0})
    provenance = Signature.from_attrs(comparison.attrs)
    systems = [str(s) for s in data[names.SYSTEM_A].values]
    return ReportContext(
        data=data,
        engines=engines,
        provenance=provenance,
        systems=systems,
        many=len(systems) > 2,
        input_order=[on_one_line(str(s)) for s in comparison[names.SYSTEM_A].values],
        engine_names=[str(engine) for engine in engines[names.ENGINE].values],
        rope=provenance.rope or 0.0,
        pairwise_heading=PAIRWISE_VERDICT if "pairwise_verdict" in data else VERDICT,
    )


def printable(table: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    labels = {dim: table[dim].values.tolist() for dim in systems_dims(table) if dim in table.coords}
    new = {dim: [on_one_line(str(name)) for name in old] for dim, old in labels.items()}
    return table if new == labels else table.assign_coords(new)


def systems_dims(table: xr.Dataset) -> list[str]:
    """Its dims that are systems."""
    return [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in table.dims]

"""A cell: one truth, played many times, and what is told of it. A run goes block by block, so that
any `map` can share it out; the numbers do not depend on how.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from validation.decisions.rates import Rate
from validation.in_step import short

SEED = 20261122
SETS = 4000  # of closed forms
FEW = 200  # of what is integrated, set by set
KEY_SETS = 6

Values = dict[str, np.ndarray]  # (set, ...) of each
Play = Callable[[int, np.random.Generator], Values]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One truth that is not the prior, and the answers tried on it."""

    name: str
    truth: str  # in words
    play: Play  # so many sets, and what was answered
    rates: Callable[[Values], list[Rate]]
    sets: int = SETS
    block: int = 500  # sets played at once
    key_sets: int = KEY_SETS
    key_play: Play | None = None  # a smaller truth, where one set takes long
    # of names of values and rates: what rests on draws along axes whose signs no machine promises
    drawn: str | None = None

    @property
    def family(self) -> str:
        """What it is about: the first word of its name, and the file it is kept in."""
        return self.name.partition("/")[0]


Map = Callable[[Callable[[int], Values], Iterable[int]], Iterable[Values]]


def run(cell: Cell, *, map: Map = map) -> dict[str, Any]:
    """Play all sets of a cell; what is kept of it.

    Parameters
    ----------
    cell : Cell
    map : callable, default map
        That of a pool shares the blocks out to its workers; the numbers stay the same.
    """
    blocks = -(-cell.sets // cell.block)
    parts = list(map(partial(_block, cell), range(blocks)))
    values = {k: np.concatenate([part[k] for part in parts]) for k in parts[0]}
    return {
        "truth": cell.truth,
        "sets": cell.sets,
        "rates": [asdict(one) for one in cell.rates(values)],
        "computes": computes(cell),
    }


def computes(cell: Cell) -> dict[str, Any]:
    """Numbers of a few fixed sets: a kept run holds for as long as they are the same."""
    values = (cell.key_play or cell.play)(cell.key_sets, _random(cell, -1))
    rates = {f"{one.answer}: {one.says}": [one.nominal, one.actual] for one in cell.rates(values)}
    found = {"values": values, "rates": rates}
    return {
        kind: {k: _numbers(v) for k, v in each.items() if not (cell.drawn and cell.drawn in k)}
        for kind, each in found.items()
    }


def _numbers(values: Any) -> list[float]:
    """What JSON and a comparison can hold: -9 where there is nothing."""
    return short(np.nan_to_num(np.asarray(values, dtype=float), nan=-9.0))


def stale(cells: Iterable[Cell], kept: dict[str, Any]) -> Iterator[tuple[Cell, str]]:
    """Cells that were not run, or that compute something else by now, each with what differs."""
    from validation.in_step import what_differs

    for cell in cells:
        found = kept.get(cell.name)
        if found is None:
            yield cell, "not run"
        elif (found["sets"], found["truth"]) != (cell.sets, cell.truth):
            yield cell, f"was {found['sets']} sets of: {found['truth']}"
        elif differs := what_differs(found["computes"], computes(cell)):
            yield cell, differs


def _block(cell: Cell, number: int) -> Values:
    sets = min(cell.block, cell.sets - number * cell.block)
    return cell.play(sets, _random(cell, number))


def _random(cell: Cell, block: int) -> np.random.Generator:
    """Its own for each block: cells that come or go leave the others as they are."""
    return np.random.default_rng([SEED, zlib.crc32(cell.name.encode()), block + 1])

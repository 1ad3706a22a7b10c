"""The gate of simulation-based calibration: how often it stops a right posterior, and one that is
too narrow. No model: truths and posteriors are normal.
"""

from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy import special, stats

from validation import rank_gate
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, rate

NARROW = 0.9  # the width of the wrong posterior over that of the right one
RANKS = 100
_BINS, _LEAST_P = 20, 0.001  # of the chi-square of each quantity, which stood alone before
GATE, BEFORE = "pooled ranks", "chi-square of each quantity, p > .001"


@dataclass(frozen=True)
class Gate:
    """A validation: its simulations, the quantities ranked, and how much these go together."""

    simulations: int
    quantities: int
    correlation: float

    def ranks(self, width: float, sets: int, random: np.random.Generator) -> np.ndarray:
        """Of truths among draws, (set, simulation, quantity)."""
        shape = (sets, self.simulations, self.quantities)
        shared = random.standard_normal((*shape[:2], 1)) * np.sqrt(self.correlation)
        truth = shared + random.standard_normal(shape) * np.sqrt(1 - self.correlation)
        return random.binomial(RANKS - 1, special.ndtr(truth / width))


@cache
def _limit(gate: Gate) -> float:
    alike = np.full((gate.quantities,) * 2, gate.correlation)
    np.fill_diagonal(alike, 1.0)
    return rank_gate.limit(alike, gate.simulations, RANKS)


def _play(gate: Gate, sets: int, random: np.random.Generator) -> Values:
    found: Values = {}
    for told, width in (("right", 1.0), ("narrow", NARROW)):
        ranks = gate.ranks(width, sets, random)
        found[told] = rank_gate.largest(ranks, RANKS) / _limit(gate)
        found[f"p {told}"] = _least_p(ranks)
    return found


def _least_p(ranks: np.ndarray) -> np.ndarray:
    """The smallest p of the chi-square test of one quantity, of each set."""
    bars = np.stack([(ranks * _BINS // RANKS == k).sum(1) for k in range(_BINS)], axis=-1)
    return stats.chisquare(bars, axis=-1).pvalue.min(-1)


def _rates(values: Values) -> list[Rate]:
    rows = []
    for told, says in (("right", "a right posterior fails"), ("narrow", "10 % too narrow fails")):
        nominal = rank_gate.LEVEL if told == "right" else None
        rows.append(rate(GATE, says, values[told] > 1, nominal))
        rows.append(rate(BEFORE, says, values[f"p {told}"] < _LEAST_P))
    return rows


def _cell(simulations: int, quantities: int, correlation: float) -> Cell:
    gate = Gate(simulations, quantities, correlation)
    ranked = "1 quantity" if quantities == 1 else f"{quantities} quantities"
    together = "" if quantities == 1 else f", correlation {correlation:g}"
    name = f"{simulations} simulations of {ranked}{together}"
    return Cell(
        name=f"gates/{name}",
        truth=f"{name}, ranked among {RANKS - 1} draws; posteriors normal, of the right width and "
        f"of {NARROW:g} of it",
        play=partial(_play, gate),
        rates=_rates,
        sets=2000,
        block=200,
        key_sets=4,
    )


CELLS = tuple(
    _cell(n, k, rho)
    for n, k, rho in (
        (200, 1, 0.0),
        (200, 5, 0.3),
        (500, 1, 0.0),
        (500, 4, 0.5),
        (500, 8, 0.3),
        (900, 2, 0.5),
        (1000, 1, 0.0),
        (1250, 1, 0.0),
    )
)

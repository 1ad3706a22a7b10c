"""Two systems whose items come in units that are alike: clusters, repeated runs, dialogues.

An item does what its unit does with probability sqrt(correlation), else it goes its own way, so
that two items of a unit correlate as told.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan import names
from betterthan.exact.joint.units import PairMeans, differences
from betterthan.exact.wins import clusters
from validation.decisions import of_pairs
from validation.decisions.cells import FEW, Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts

DECISIVE = 0.4  # share of items on which the two systems differ
CORRELATIONS = (0.0, 0.3, 0.6, 1.0)
T, CLUSTERED = "t on units", "model of clusters"


@dataclass(frozen=True)
class Truth:
    """P(win) - P(loss), and how many items each unit has."""

    d: float
    sizes: tuple[int, ...]

    def outcomes(self, correlation: float, sets: int, random: np.random.Generator) -> np.ndarray:
        """1, 0 or -1, (set, item), unit after unit."""
        unit = self.unit
        alone = self._drawn((sets, len(unit)), random)
        together = self._drawn((sets, len(self.sizes)), random)[:, unit]
        follows = random.random(alone.shape) < np.sqrt(correlation)
        return np.where(follows, together, alone)

    @property
    def unit(self) -> np.ndarray:
        """Of each item, numbered from 0."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def _drawn(self, shape: tuple[int, int], random: np.random.Generator) -> np.ndarray:
        below = random.random(shape)
        win, loss = (DECISIVE + self.d) / 2, (DECISIVE - self.d) / 2
        return (below < win) * 1 - ((below >= win) & (below < win + loss)) * 1


def on_units(outcome: np.ndarray, sizes: tuple[int, ...]) -> PairMeans:
    """Student's t on sums of units, a pair being a set."""
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    total = np.add.reduceat(outcome.astype(float), first, axis=1).T
    size = np.repeat(np.array(sizes, dtype=float)[:, None], len(outcome), axis=1)
    return differences(total, size, np.zeros_like(total), size, most=1.0)


def counted(outcome: np.ndarray) -> np.ndarray:
    """Wins, losses and ties, (set, outcome)."""
    return np.stack([(outcome == k).sum(1) for k in (1, -1, 0)], axis=1)


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    found: Values = {}
    for rho in CORRELATIONS:
        outcome = truth.outcomes(rho, sets, random)
        t = on_units(outcome, truth.sizes)
        plain = of_pairs.answered(counted(outcome))
        lower, upper = t.interval(names.CI_PROB)
        by_t = {"better": t.prob_above(), "worse": t.prob_below(), "lower": lower, "upper": upper}
        found |= {f"plain {k} {rho}": v for k, v in plain.items() if k != "p"}
        found |= {f"t {k} {rho}": v for k, v in by_t.items()}
    return found


def _rates(truth: Truth, values: Values) -> list[Rate]:
    rows = []
    for short, answer in (("plain", of_pairs.ALONE), ("t", T)):
        for rho in CORRELATIONS:
            better, worse, lower, upper = (
                values[f"{short} {k} {rho}"] for k in ("better", "worse", "lower", "upper")
            )
            told = f"{answer}, correlation {rho:g}"
            rows += of_verdicts(told, better, truth.d, worse=worse)[: 1 if not truth.d else 2]
            rows.append(coverage(told, lower, upper, truth.d))
    return rows


def _cell(d: float, sizes: tuple[int, ...], shape: str) -> Cell:
    truth = Truth(d, sizes)
    kind = f"A better by {d:g}" if d else "equal"
    return Cell(
        name=f"units/{kind}, {shape}",
        truth=f"two systems, {kind}, on units of items: {shape}; they differ on a share of "
        f"{DECISIVE:g} of the items; items of a unit correlate by 0, .3, .6 and 1",
        play=partial(_play, truth),
        rates=partial(_rates, truth),
    )


def _clustered_play(sizes: tuple[int, ...], sets: int, random: np.random.Generator) -> Values:
    found: Values = {}
    for rho in CORRELATIONS:
        outcome = Truth(0.0, sizes).outcomes(rho, sets, random)
        first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        won, lost = (np.add.reduceat(outcome == k, first, axis=1, dtype=int) for k in (1, -1))
        both = [
            clusters.prob_above_half(w, l, *names.PRIOR[:2]) for w, l in zip(won, lost, strict=True)
        ]
        better, worse = np.array(both).T
        found |= {f"better {rho}": better, f"worse {rho}": worse}
    return found


def _clustered_rates(values: Values) -> list[Rate]:
    return [
        of_verdicts(
            f"{CLUSTERED}, correlation {rho:g}",
            values[f"better {rho}"],
            0.0,
            worse=values[f"worse {rho}"],
        )[0]
        for rho in CORRELATIONS
    ]


def _clustered_cell(units: int, size: int) -> Cell:
    return Cell(
        name=f"clustered/equal, {units} units of {size}",
        truth=f"two equal systems on {units} units of {size} items, as under units; the model "
        "`clustered` by quadrature",
        play=partial(_clustered_play, (size,) * units),
        rates=_clustered_rates,
        sets=FEW,
        block=50,
        key_sets=2,
    )


_SHAPES = [(k, s) for s in (5, 20) for k in (3, 5, 10, 20, 40)]
_UNEQUAL = [tuple(int(round(x)) for x in np.geomspace(1, 40, k)) for k in (5, 10)]
CELLS = (
    *(_cell(0.0, (s,) * k, f"{k} units of {s}") for k, s in _SHAPES),
    *(_cell(0.0, sizes, f"{len(sizes)} units of 1 to 40") for sizes in _UNEQUAL),
    *(_cell(0.15, (s,) * k, f"{k} units of {s}") for k, s in ((5, 5), (5, 20), (20, 20))),
    *(_clustered_cell(k, s) for k, s in ((5, 5), (12, 5), (5, 20), (20, 20))),
)

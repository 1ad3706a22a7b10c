"""Tests where nothing is to be found: groups of equal systems, and systems that order at random."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import xarray as xr

from betterthan.orders.chance import tau_test
from betterthan.significance.randomizing import randomization_test
from betterthan.significance.similarity import groups
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, rate

CUTOFF, LEVEL = 0.01, 0.05
_LABELS = {"none": "groups, each pair alone", "holm": "groups, Holm"}
_REFERENCES = ("mean", "best", "weighted", "consensus")
_DOCUMENTS, _SHUFFLES = 4, 999
_ITEMS = "abcdefgh"


@dataclass(frozen=True)
class Equal:
    """Systems that are right on half of a hundred items each, by chance."""

    systems: int
    items: int = 100

    def play(self, sets: int, random: np.random.Generator) -> Values:
        """Whether any two systems are told apart."""
        found = {kind: np.zeros(sets, bool) for kind in _LABELS}
        for k in range(sets):
            scores = xr.DataArray(
                random.integers(0, 2, (self.items, self.systems)).astype(float),
                dims=("item", "system"),
                coords={"system": [f"s{s}" for s in range(self.systems)]},
            )
            test = randomization_test(scores, rng=k)
            for kind, apart in found.items():
                similar = groups(test, cutoff=CUTOFF, correction=kind)["similar"]
                apart[k] = not bool(similar.all())
        return found

    def rates(self, values: Values) -> list[Rate]:
        """By correction; what was promised is that of one pair, or of all together."""
        says = "tells some pair of equal systems apart"
        return [
            rate(answer, says, values[kind], CUTOFF if kind == "holm" else None)
            for kind, answer in _LABELS.items()
        ]

    def cell(self) -> Cell:
        """Its row."""
        return Cell(
            name=f"alike/{self.systems} systems",
            truth=f"{self.systems} systems right on half of {self.items} items, by chance",
            play=self.play,
            rates=self.rates,
            sets=400,
            block=100,
        )


def _play_orders(references: str, sets: int, random: np.random.Generator) -> Values:
    p = np.zeros(sets)
    for k in range(sets):
        orders = {f"d{d}": _document(random) for d in range(_DOCUMENTS)}
        found = tau_test(orders, ["r1", "r2"], references=references, shuffles=_SHUFFLES, rng=k)
        p[k] = found["p_value"].sel(system="A").item()
    return {"p": p}


def _document(random: np.random.Generator) -> dict[str, list[str]]:
    """Two references that differ by one exchange of neighbours, and a system that guesses."""
    first, second = list(_ITEMS), list(_ITEMS)
    k = int(random.integers(len(_ITEMS) - 1))
    second[k], second[k + 1] = second[k + 1], second[k]
    return {"r1": first, "r2": second, "A": [str(x) for x in random.permutation(first)]}


def _rates_orders(values: Values) -> list[Rate]:
    return [rate("tau test", "p <= .05 of a system that guesses", values["p"] <= LEVEL, LEVEL)]


def _cell_orders(references: str) -> Cell:
    return Cell(
        name=f"alike/guessed orders, {references} of two references",
        truth=f"a system that orders the {len(_ITEMS)} items of {_DOCUMENTS} documents at random",
        play=partial(_play_orders, references),
        rates=_rates_orders,
        sets=400,
        block=100,
    )


CELLS = (
    *(Equal(systems).cell() for systems in (5, 10, 20)),
    *(_cell_orders(references) for references in _REFERENCES),
)

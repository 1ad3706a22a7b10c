"""Tests where nothing is to be found: groups of equal systems, and systems that order at random."""

import warnings
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


@dataclass(frozen=True)
class Critical:
    """The critical difference of equal systems, with or without one that is far ahead."""

    kind: str  # right or wrong, graded, graded with unequal spread, or F1
    systems: int
    items: int
    ahead: bool = False

    def play(self, sets: int, random: np.random.Generator) -> Values:
        """Whether any two of the equal systems are further apart."""
        differ, critical = np.zeros(sets, bool), np.zeros(sets)
        for k in range(sets):
            test = randomization_test(
                self._scores(random), correction="tukey", cutoff=LEVEL, shuffles=_SHUFFLES, rng=k
            )
            equal = test["score"].values[self.ahead :]
            critical[k] = float(test["critical_difference"])
            differ[k] = np.ptp(equal) > critical[k] + _ROUNDING
        return {"differ": differ, "critical": critical}

    def _scores(self, random: np.random.Generator) -> xr.DataArray:
        """Items are hard or easy for all systems; the first may be far ahead."""
        shape, first = (self.items, self.systems), np.arange(self.systems) == 0
        ability = 2.0 * (self.ahead & first)
        ease = random.normal(0.4, 1.5, (self.items, 1))
        right = 1 / (1 + np.exp(-ease - ability))
        coords: dict[str, list[str]] = {"system": [f"s{s}" for s in range(self.systems)]}
        if self.kind == "F1":
            length = random.integers(2, 12, (self.items, 1))
            tp = random.binomial(length, right)
            values = np.stack([tp, random.poisson(0.8, shape), length - tp], axis=-1)
            return xr.DataArray(
                values, dims=_TALLIES, coords=coords | {"tally": ["tp", "fp", "fn"]}
            )
        values = (random.random(shape) < right).astype(float)
        if self.kind.startswith("graded"):  # errors of a system on an item, skewed
            spread = np.linspace(0.5, 2.0, self.systems) if self.kind != "graded" else np.array(1.0)
            values = ease + 3 * ability + spread * random.lognormal(0.0, 1.0, shape)
            values -= spread * np.exp(0.5)
        return xr.DataArray(values, dims=("item", "system"), coords=coords)

    def rates(self, values: Values) -> list[Rate]:
        """What is promised where no two systems differ."""
        says = "two equal systems are further apart"
        return [rate("critical difference", says, values["differ"], LEVEL)]

    def cell(self) -> Cell:
        """Its row."""
        others = ", one of them far ahead" if self.ahead else ""
        return Cell(
            name=f"alike/critical difference, {self.kind}, {self.systems} systems, "
            f"{self.items} items{others}",
            truth=f"{self.systems} systems, {self.kind}, on {self.items} items of which some are "
            f"harder for all{others}",
            play=self.play,
            rates=self.rates,
            sets=1000,
            block=100,
        )


_TALLIES = ("item", "system", "tally")
_ROUNDING = 1e-9


def _play_orders(references: str, sets: int, random: np.random.Generator) -> Values:
    p = np.zeros(sets)
    for k in range(sets):
        orders = {f"d{d}": _document(random) for d in range(_DOCUMENTS)}
        with warnings.catch_warnings():  # of two consensus orders one is taken
            warnings.simplefilter("ignore")
            found = tau_test(orders, ["r1", "r2"], references=references, shuffles=_SHUFFLES, rng=k)
        p[k] = found["p_value"].sel(system="A").item()
    return {"p": p}


def _document(random: np.random.Generator) -> dict[str, list[str]]:
    """Two references that differ by one exchange of neighbours, and a system that guesses."""
    first: list[str] = list(_ITEMS)
    second = first.copy()
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
    *(
        Critical(kind, systems, items, ahead).cell()
        for kind in ("right or wrong", "graded", "graded with unequal spread", "F1")
        for systems, items in ((3, 20), (5, 100), (10, 50))
        for ahead in (False, True)
    ),
    *(_cell_orders(references) for references in _REFERENCES),
)

"""Checks of the joint model: how often each fires where the model is right, and in its own case."""

from functools import partial

import numpy as np

from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.groups import fit_groups
from validation.decisions.cells import Cell, Values
from validation.decisions.of_many import evidence_of
from validation.decisions.rates import Rate, rate
from validation.decisions.tables_of_items import Rasch, Scores

_SETS = 400
_FALSE = 0.05  # how often a check may fire where the model is right
GROUPS, COPIES, UNIT = "systems in groups", "near copies", "one dominating unit"


def _play(truth: Rasch, sets: int, random: np.random.Generator) -> Values:
    fired: dict[str, list[bool]] = {GROUPS: [], COPIES: []}
    for _ in range(sets):
        of = evidence_of(truth.draw(random))
        found = fit_groups(of.score, of.variance, of.scale)
        fired[GROUPS].append(abilities.in_groups(found) > 1)
        fired[COPIES].append(abilities.families(of, truth.items) > 0)
    return {name: np.array(values) for name, values in fired.items()}


def _play_units(
    number: int, systems: int, times: float, sets: int, random: np.random.Generator
) -> Values:
    """Units of normal means, of which the first has a standard deviation `times` as large."""
    wide = np.r_[times, np.ones(number - 1)][:, None]
    drawn = [random.normal(size=(number, systems)) * wide for _ in range(sets)]
    means = [units.means(x, np.ones(x.shape)) for x in drawn]
    found = {UNIT: np.array([abilities.dominating(of.parts) is not None for of in means])}
    if times > 1:
        return found
    evidence = [evidence_of(Scores(values=x, unit=np.arange(number), truth=x[0])) for x in drawn]
    return found | {COPIES: np.array([abilities.families(of, number) > 0 for of in evidence])}


def _rates(own: str, values: Values) -> list[Rate]:
    return [rate(k, "fires", v, None if k == own else _FALSE) for k, v in values.items()]


def _cell(name: str, truth: Rasch, own: str = "") -> Cell:
    return Cell(
        name=f"checks/{truth.systems} systems, {truth.items} items, {name}",
        truth=f"{truth.systems} systems on {truth.items} items: {name}",
        play=partial(_play, truth),
        rates=partial(_rates, own),
        sets=_SETS,
        block=50,
    )


def _of_units(number: int, systems: int, times: float) -> Cell:
    name = f"{systems} systems, {number} units" + (", one 10 times as wide" if times > 1 else "")
    return Cell(
        name=f"checks/{name}",
        truth=f"{name}: means of units are normal",
        play=partial(_play_units, number, systems, times),
        rates=partial(_rates, UNIT if times > 1 else ""),
        sets=_SETS,
        block=50,
    )


_ONE = (
    *((3, 100, 0.3), (10, 20, 0.3), (10, 100, 0.3), (20, 20, 0.3), (20, 100, 0.1)),
    *((20, 100, 0.3), (20, 100, 1.0), (20, 500, 0.3), (40, 100, 0.3)),
)
_TWO = [(6, 100, 1.5), (20, 100, 1.0), (20, 100, 2.0), (20, 500, 1.0)]
_SIZES = [(5, 3), (5, 14), (10, 3), (10, 10), (30, 3)]

CELLS = (
    *(
        _cell(f"abilities of sd {sd:g}", Rasch(systems=s, items=n, sd=sd), own="")
        for s, n, sd in _ONE
    ),
    *(
        _cell(
            f"two groups, {gap:g} apart",
            Rasch(systems=s, items=n, sd=0.05, groups=2, gap=gap),
            own=GROUPS,
        )
        for s, n, gap in _TWO
    ),
    *(
        _cell(
            "four families of near copies",
            Rasch(systems=20, items=n, sd=0.3, families=4, copied=0.9),
            own=COPIES,
        )
        for n in (20, 100, 500)
    ),
    *(_of_units(k, s, times) for times in (1.0, 10.0) for k, s in _SIZES),
)

"""Many systems on the same items: each pair alone, and among all systems."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from betterthan import names
from betterthan.counts.shapes import pair_indices
from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.abilities import Abilities, Evidence
from betterthan.exact.numeric import monte_carlo
from betterthan.posterior.verdicts import decide
from validation.decisions import of_pairs
from validation.decisions.cells import FEW, Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate
from validation.decisions.tables_of_items import Graded, Rasch, Scores

T, ALL = "t on units", "among all"
_KEY_SYSTEMS = 20  # of the key, at most
_DRAWS = 4000  # for the best set alone
_ALONE = {"item": of_pairs.ALONE, "t": T, "all": ALL}


def alone(scores: Scores) -> Values:
    """The closed form of each pair, an item being an example, (pair,)."""
    first, second = pair_indices(scores.values.shape[1])
    apart = scores.values[:, first] - scores.values[:, second]
    counts = np.stack([(apart > 0).sum(0), (apart < 0).sum(0), (apart == 0).sum(0)], axis=1)
    found = of_pairs.answered(counts)
    return {k: found[k] for k in ("better", "worse", "lower", "upper")}


def on_units(scores: Scores) -> Values:
    """Student's t of each pair, (pair,)."""
    seen = ~np.isnan(scores.values)
    binary = np.isin(scores.values[seen], (0, 1)).all()
    found = units.pair_means(
        np.where(seen, scores.values, 0.0),
        seen * 1.0,
        scores.unit,
        most=1.0 if binary else np.inf,
        skewed=len(set(scores.unit.tolist())) == len(seen),
    )
    lower, upper = found.interval(names.CI_PROB)
    better = {"better": found.prob_above(), "worse": found.prob_below()}
    return better | {"lower": lower, "upper": upper}


def among_all(scores: Scores, random: np.random.Generator) -> Values:
    """Of each pair (pair,) among all systems, also the probability of a difference within the rope
    (`rope_of`), and which systems are in the best set (system,).
    """
    found, items = Abilities.fit(evidence_of(scores)), len(scores.values)
    alone = abilities.families(found.evidence, items) > 0
    of = found.pairs(names.CI_PROB, names.CI_KIND, rope_of(items), alone=alone)
    best = monte_carlo.ranks(found.draws(_DRAWS, random))[:, 0]
    return {
        "better": of.better,
        "worse": of.worse,
        "lower": of.lower,
        "upper": of.upper,
        "within": of.mass[:, 1],
        "best": monte_carlo.best_set(best, names.CI_PROB),
    }


def rope_of(items: int) -> float:
    """Half width of a region that so many items can tell from its surroundings."""
    return 1 / np.sqrt(items)


def evidence_of(scores: Scores) -> Evidence:
    """What the data say of all systems and of each pair."""
    values, unit = scores.values, scores.unit
    single, right_or_wrong = len(unit) == unit[-1] + 1, np.isin(values, (0.0, 1.0)).all()
    if single and right_or_wrong:
        return abilities.evidence_from_right(values.T @ values, len(values), (1.0, 1.0, 1.0))
    sums = [units.summed(x, unit) for x in (values, np.ones(values.shape))]
    most = 1.0 if right_or_wrong else np.inf
    means = units.means(*sums)
    pairs = units.pair_means(values, np.ones(values.shape), unit, most=most, skewed=single)
    return abilities.evidence_from_means(
        means.mean, means.covariance, means.df, pairs, float((sums[0] / sums[1]).std())
    )


Truth = Rasch | Graded


def _play(truth: Truth, told: tuple[str, ...], sets: int, random: np.random.Generator) -> Values:
    each = [_one(truth, told, random) for _ in range(sets)]
    return {k: np.stack([one[k] for one in each]) for k in each[0]}


def _one(truth: Truth, told: tuple[str, ...], random: np.random.Generator) -> Values:
    scores = truth.draw(random)
    first, second = pair_indices(truth.systems)
    found = {"truth": scores.truth, "d": scores.truth[first] - scores.truth[second]}
    ways: dict[str, Any] = {
        "item": alone,
        "t": on_units,
        "all": partial(among_all, random=random),
    }
    for way in told:
        found |= {f"{way} {k}": v for k, v in ways[way](scores).items()}
    return found


def _rates(truth: Truth, told: tuple[str, ...], values: Values) -> list[Rate]:
    rows = []
    for way in told:
        better, worse, lower, upper = (
            values[f"{way} {k}"] for k in ("better", "worse", "lower", "upper")
        )
        answer, d = _ALONE[way], values["d"]
        rows.append(rate(answer, "verdicts a set", _named(better, worse).sum(1)))
        rows.append(of_verdicts(answer, better, d, worse=worse)[-1])
        rows.append(coverage(answer, lower, upper, d, of="d of a pair"))
        if getattr(truth, "apart", 0):
            rows += _of_the_one_apart(answer, truth.systems - 1, better, (lower, upper), d)
    if "all" not in told:
        return rows
    return [*rows, *_of_the_best(values), *_equivalent(truth, values)]


def _equivalent(truth: Truth, values: Values) -> list[Rate]:
    """Pairs that are called equivalent, and how many of these are not, beside what is expected."""
    within, d = values["all within"], np.abs(values["d"])
    named = within >= names.VERDICT_PROB
    expected = float(np.where(named, 1 - within, 0.0).sum(1).mean())
    wrong = (named & (d > rope_of(truth.items))).sum(1)
    return [
        rate(ALL, "equivalent pairs a set", named.sum(1)),
        rate(ALL, "wrongly equivalent a set", wrong, expected),
    ]


def _named(better: np.ndarray, worse: np.ndarray) -> np.ndarray:
    verdict, _ = decide(np.nan_to_num(better), np.nan_to_num(worse), 0.0, 0.0)
    return verdict != "undecided"


def _of_the_one_apart(
    answer: str, others: int, better: np.ndarray, ends: tuple[np.ndarray, ...], d: np.ndarray
) -> list[Rate]:
    """Of the pairs of the first system, which come first."""
    lower, upper = (end[:, :others] for end in ends)
    sure = better[:, :others] >= names.VERDICT_PROB
    return [
        rate(answer, "names the one apart, in its pairs", sure),
        coverage(answer, lower, upper, d[:, :others], of="d, in pairs of the one apart"),
    ]


def _of_the_best(values: Values) -> list[Rate]:
    truth, inside = values["truth"], values["all best"].astype(bool)
    best = truth == truth.max(1, keepdims=True)
    return [
        rate(ALL, "best set holds the best", inside, names.CI_PROB, among=best),
        rate(ALL, "systems in the best set", inside.sum(1)),
    ]


def _cell(name: str, truth: Truth, sets: int, *told: str, words: str = "") -> Cell:
    ways, small = told or ("item", "all"), replace(truth, systems=_KEY_SYSTEMS)
    made = words or f"abilities of sd {truth.sd:g} (log odds), items of difficulty sd {1.5:g}"
    return Cell(
        name=f"many/{truth.systems} systems, {truth.items} items, {name}",
        truth=f"{truth.systems} systems on {truth.items} items: {made}",
        play=partial(_play, truth, ways),
        rates=partial(_rates, truth, ways),
        sets=sets,
        block=10,
        key_sets=1,
        drawn="best",
        key_play=partial(_play, small, ways) if truth.systems > _KEY_SYSTEMS else None,
    )


def _plain(systems: int, items: int, sd: float, sets: int) -> Cell:
    name = f"abilities of sd {sd:g}" if sd else "equal"
    return _cell(name, Rasch(systems=systems, items=items, sd=sd), sets)


def _special(name: str, sets: int, *told: str, **choices: Any) -> Cell:
    truth = Rasch(**choices)
    return _cell(name, truth, sets, *told, words=f"{name}; items of difficulty sd {1.5:g}")


def _of_items(items: int, sets: int) -> tuple[Cell, ...]:
    """Truths that the prior holds, and that it does not, of 20 systems."""
    shared: Any = {"systems": 20, "items": items}
    return (
        _special("equal", sets, **shared),
        _special("abilities of sd .3", sets, sd=0.3, **shared),
        _special("abilities of sd .1 and one 1.5 above", sets, sd=0.1, apart=1.5, **shared),
        _special("two groups, 1 apart", sets, sd=0.05, groups=2, gap=1.0, **shared),
        _special("two groups, 2 apart", sets, sd=0.1, groups=2, gap=2.0, **shared),
        _special("three groups, 1 apart", sets, sd=0.05, groups=3, gap=1.0, **shared),
        _special("four groups, .7 apart", sets, sd=0.05, groups=4, gap=0.7, **shared),
        _special("abilities of t of 2 degrees, times .15", sets, sd=0.15, heavy=True, **shared),
        _special("four families of near copies", sets, sd=0.3, families=4, copied=0.9, **shared),
    )


CELLS = (
    _plain(3, 10, 0.5, 1000),
    *_of_items(20, 100),
    *_of_items(100, 100),
    *_of_items(500, 100),
    _plain(10, 20, 0.05, FEW),
    _plain(10, 30, 0.3, FEW),
    _plain(10, 100, 0.3, 120),
    _plain(20, 100, 0.1, 80),
    _plain(50, 50, 0.3, 30),
    _plain(50, 200, 0.1, 30),
    _special("two groups, 1.5 apart", FEW, systems=6, items=100, sd=0.05, groups=2, gap=1.5),
    _special("equal and one 1.5 above", 80, systems=20, items=30, apart=1.5),
    _special(
        "abilities of sd .3, two kinds of items with opposite skills of sd .5",
        80,
        systems=10,
        items=30,
        sd=0.3,
        opposite=0.5,
    ),
    _special(
        "abilities of sd .3, two families that share item effects of sd 1",
        80,
        systems=10,
        items=30,
        sd=0.3,
        twins=1.0,
    ),
    _special(
        "equal, 10 clusters",
        100,
        "item",
        "t",
        "all",
        systems=10,
        items=200,
        clusters=10,
        together=1.0,
    ),
    _special(
        "equal, 10 unequal clusters",
        100,
        "item",
        "t",
        "all",
        systems=10,
        items=200,
        sizes=(60, 40, 20, 20, 20, 10, 10, 10, 5, 5),
        together=1.0,
    ),
    _special(
        "equal, 5 clusters",
        100,
        "item",
        "t",
        "all",
        systems=10,
        items=25,
        clusters=5,
        together=1.0,
    ),
    *(
        _special(
            f"abilities of sd .8, {clusters} clusters",
            400,
            "t",
            "all",
            systems=6,
            items=16 * clusters,
            sd=0.8,
            clusters=clusters,
            together=0.5,
        )
        for clusters in (5, 10)
    ),
    _cell(
        "graded",
        Graded(systems=10, items=8, sd=0.1, noise=0.5),
        FEW,
        "t",
        "all",
        words="graded scores, means of sd .1, noise of sd .5",
    ),
    *(
        _cell(
            "graded, " + (f"lognormal, means of sd {sd:g}" if sd else "equal, lognormal"),
            Graded(systems=10, items=30, sd=sd, noise=0.5, skewed=True),
            FEW,
            "t",
            "all",
            words=f"graded scores, means of sd {sd:g}, lognormal noise of sd .5",
        )
        for sd in (0.0, 0.1)
    ),
)

"""Two systems whose items come in clusters of unequal size: verdicts, intervals and tests.

Each answer stands next to the one before it: Student's t of K - 1 degrees of freedom, with the
errors of clusters of equal size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from betterthan import names
from betterthan.exact.joint.units import PairMeans, differences, once
from betterthan.exact.planning.design import power
from betterthan.exact.planning.verdicts import Units, after_units
from betterthan.exact.swaps.flips import flips
from betterthan.exact.wins.beta import log_bayes_factor_half
from betterthan.exact.wins.sign import sign_p
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

BEFORE, NOW, ONCE = "t on K - 1", "jackknife", "each cluster once"
SETS_MANY = 20_000  # closed forms of few clusters
EVEN = 20  # decisive BF01 against no difference is 1 / 20 or less
Totals = Callable[[np.ndarray, float, int, np.random.Generator], np.ndarray]

UNEQUAL = {
    "200, 4 x 5": (200, *[5] * 4),
    "100, 5, 5": (100, 5, 5),
    "300, 7 x 10": (300, *[10] * 7),
    "400, 19 x 5": (400, *[5] * 19),
    "1 to 200, 10": (1, 1, 2, 3, 5, 8, 13, 30, 80, 200),
    "1 to 40, 5": tuple(int(round(x)) for x in np.geomspace(1, 40, 5)),
    "1 to 40, 10": tuple(int(round(x)) for x in np.geomspace(1, 40, 10)),
    "1 to 40, 20": tuple(int(round(x)) for x in np.geomspace(1, 40, 20)),
    "159, 140, 129, 70, 31": (159, 140, 129, 70, 31),
    "45, 11 x 5": (45, *[5] * 11),
}
SEVERAL_LARGE = {
    "60, 60, 4 x 5": (60, 60, *[5] * 4),
    "100, 100, 40 x 5": (100, 100, *[5] * 40),
    "400, 400, 100 x 2": (400, 400, *[2] * 100),
    "350, 350, 100 x 3": (350, 350, *[3] * 100),
    "4 x 175, 100 x 3": (*[175] * 4, *[3] * 100),
}
EQUAL = {"8 x 20": (20,) * 8, "5 x 20": (20,) * 5, "20 x 10": (10,) * 20}
CORRELATIONS = (0.0, 0.1, 0.5)
COPIES = (0.0, 0.3, 1.0)
ACCURACIES = (0.5, 0.8, 0.95)


def before(totals: np.ndarray, sizes: np.ndarray) -> PairMeans:
    """The answer before: no look at how unequal sizes are, totals and sizes (cluster, set)."""
    k, number = len(sizes), sizes.sum(0)
    mean = totals.sum(0) / number
    apart = (totals - sizes * mean) / number
    error = np.sqrt(k / (k - 1) * (apart**2).sum(0))
    won, lost = (totals > 0).sum(0), (totals < 0).sum(0)
    return PairMeans(mean, error, np.full(len(mean), k), won, lost, np.full(len(mean), k - 1.0))


def answered(totals: np.ndarray, sizes: np.ndarray, most: float) -> dict[str, PairMeans]:
    """All three answers of differences, totals and sizes (cluster, set)."""
    nothing = np.zeros_like(totals)
    single, ones = once(totals, sizes)
    return {
        BEFORE: before(totals, sizes),
        NOW: differences(totals, sizes, nothing, sizes, most=most),
        ONCE: differences(single, ones, nothing, ones, most=most),
    }


def _normal(
    sizes: np.ndarray, correlation: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """Cluster totals of normal items that correlate, (cluster, set)."""
    shape = (len(sizes), sets)
    shared = np.sqrt(correlation) * random.standard_normal(shape)
    own = np.sqrt((1 - correlation) * sizes)[:, None] * random.standard_normal(shape)
    return sizes[:, None] * shared + own


def _bounded(
    sizes: np.ndarray, correlation: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """The same with standard deviation 1/2, cut at means of -1 and 1."""
    totals = _normal(sizes, correlation, sets, random) / 2
    return np.clip(totals, -sizes[:, None], sizes[:, None])


def _uneven(
    sizes: np.ndarray, correlation: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """The same with a standard deviation of each cluster's own, and effects with heavy tails."""
    shape = (len(sizes), sets)
    spread = np.exp(0.7 * random.standard_normal(shape))
    shared = np.sqrt(correlation) * random.standard_t(3, shape) / np.sqrt(3)
    own = np.sqrt((1 - correlation) * sizes)[:, None] * random.standard_normal(shape)
    return spread * (sizes[:, None] * shared + own)


def _largest(
    sizes: np.ndarray, correlation: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """The same with a standard deviation three times as large in the largest cluster."""
    wide = np.where(np.arange(len(sizes)) == sizes.argmax(), 3.0, 1.0)
    return wide[:, None] * _normal(sizes, correlation, sets, random)


def _skewed(
    kind: str, sizes: np.ndarray, correlation: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """Effects of clusters that are skewed: most favor one system a little, few the other much."""
    shape = (len(sizes), sets)
    if kind == "exponential":
        shared = random.standard_exponential(shape) - 1
    else:
        shared = np.exp(random.standard_normal(shape)) - np.exp(0.5)
    own = np.sqrt((1 - correlation) * sizes)[:, None] * random.standard_normal(shape)
    return sizes[:, None] * np.sqrt(correlation) * shared + own


def right(
    sizes: np.ndarray, copies: float, p: float, sets: int, random: np.random.Generator
) -> np.ndarray:
    """Correct items of a system of accuracy p, of which a share copy their cluster's own outcome,
    (cluster, set).
    """
    number = np.broadcast_to(sizes.astype(int)[:, None], (len(sizes), sets))
    copying = random.binomial(number, copies)
    own = random.binomial(number - copying, p)
    return copying * (random.random(number.shape) < p) + own.astype(float)


def _verdicts(values: Values, key: str, answers: tuple[str, ...], told: str) -> list[Rate]:
    """How often each answer names one of two equal systems."""
    return [
        of_verdicts(
            f"{answer}, {told}",
            values[f"{key} {answer} better"],
            0.0,
            worse=values[f"{key} {answer} worse"],
        )[0]
        for answer in answers
    ]


def _kept(found: dict[str, PairMeans], key: str) -> Values:
    values: Values = {}
    for answer, of in found.items():
        values[f"{key} {answer} better"] = of.prob_above()
        values[f"{key} {answer} worse"] = of.prob_below()
    lower, upper = found[NOW].interval(names.CI_PROB)
    return values | {f"{key} lower": lower, f"{key} upper": upper}


def _play(
    draw: Totals, most: float, shape: tuple[int, ...], sets: int, random: np.random.Generator
) -> Values:
    sizes = np.array(shape, dtype=float)
    values: Values = {}
    for rho in CORRELATIONS:
        totals = draw(sizes, rho, sets, random)
        wide = np.broadcast_to(sizes[:, None], totals.shape)
        values |= _kept(answered(totals, wide, most), f"{rho}")
    return values | _powers(sizes, sets, random)


def _powers(sizes: np.ndarray, sets: int, random: np.random.Generator) -> Values:
    """Where who knows the variance names the better system in .8 of sets."""
    rho, total = 0.1, sizes.sum()
    error = np.sqrt(((1 - rho) * sizes + rho * sizes**2).sum()) / total
    d = (special.ndtri(names.VERDICT_PROB) + special.ndtri(0.8)) * error
    totals = _normal(sizes, rho, sets, random) + d * sizes[:, None]
    wide = np.broadcast_to(sizes[:, None], totals.shape)
    return _kept(answered(totals, wide, np.inf), "power")


def _rates(values: Values) -> list[Rate]:
    rows: list[Rate] = []
    for rho in CORRELATIONS:
        rows += _verdicts(values, f"{rho}", (BEFORE, NOW, ONCE), f"{rho:g}")
        ends = values[f"{rho} lower"], values[f"{rho} upper"]
        rows.append(coverage(f"{NOW}, {rho:g}", *ends, 0.0))
    sure = {k: values[f"power {k} better"] >= names.VERDICT_PROB for k in (BEFORE, NOW, ONCE)}
    return rows + [rate(f"{k}, 0.1", "names the better system", v) for k, v in sure.items()]


def _play_telling(clusters: int, sets: int, random: np.random.Generator) -> Values:
    """Random sizes, and effects that grow with them; over items they are 0 on average."""
    spread = 20.0  # sizes are 1 and a geometric number of this mean
    sizes = random.geometric(1 / (1 + spread), (clusters, sets)).astype(float)
    weighed = 1 + 2 * spread  # the mean size of the cluster of an item
    effect = 0.5 * (sizes - weighed) / weighed
    totals = sizes * effect + np.sqrt(sizes) * random.standard_normal(sizes.shape)
    return _kept(answered(totals, sizes, np.inf), "any")


def _rates_telling(values: Values) -> list[Rate]:
    rows = _verdicts(values, "any", (BEFORE, NOW), "sizes tell")
    return [*rows, coverage(f"{NOW}, sizes tell", values["any lower"], values["any upper"], 0.0)]


def _play_right(shape: tuple[int, ...], sets: int, random: np.random.Generator) -> Values:
    sizes = np.array(shape, dtype=float)
    values: Values = {}
    for p in ACCURACIES:
        for copies in COPIES:
            a, b = (right(sizes, copies, p, sets, random) for _ in range(2))
            wide = np.broadcast_to(sizes[:, None], a.shape)
            key = f"{p} {copies}"
            values |= _kept(answered(a - b, wide, 1.0), key)
            own = differences(a, wide, np.zeros_like(a), wide)
            lower, upper = own.law.interval(names.CI_PROB, "hdi")
            values |= {f"{key} low": np.clip(lower, 0, 1), f"{key} high": np.clip(upper, 0, 1)}
    return values


def _rates_right(values: Values) -> list[Rate]:
    rows: list[Rate] = []
    for p in ACCURACIES:
        for copies in COPIES:
            key, told = f"{p} {copies}", f"accuracy {p:g}, copies {copies:g}"
            rows += _verdicts(values, key, (BEFORE, NOW), told)
            ends = values[f"{key} low"], values[f"{key} high"]
            rows.append(coverage(f"{NOW}, {told}", *ends, p, of="the accuracy"))
    return rows


def _play_tests(shape: tuple[int, ...], sets: int, random: np.random.Generator) -> Values:
    sizes = np.array(shape, dtype=float)
    values: Values = {}
    for copies in COPIES:
        a, b = (right(sizes, copies, 0.8, sets, random) for _ in range(2))
        apart = a - b
        won, lost = (apart > 0).sum(0), (apart < 0).sum(0)
        # of items, as if each were independent: those that only one of the two has right
        wrong = (sizes[:, None] - b).astype(int)
        only_a = random.hypergeometric(a.astype(int), (sizes[:, None] - a).astype(int), wrong)
        wins = only_a.sum(0)
        losses = wins - apart.sum(0).astype(int)
        values |= {
            f"{copies} flips": flips(apart, 2000, 1)[0],
            f"{copies} sign": np.asarray(sign_p(won, lost)),
            f"{copies} bf": np.exp(log_bayes_factor_half(won, lost, 1.0, 1.0)),
            f"{copies} sign items": np.asarray(sign_p(wins, losses)),
            f"{copies} bf items": np.exp(log_bayes_factor_half(wins, losses, 1.0, 1.0)),
        }
    return values


def _rates_tests(values: Values) -> list[Rate]:
    rows = []
    for copies in COPIES:
        for short, answer in (("", "clusters"), (" items", "items")):
            told = f"{answer}, copies {copies:g}"
            p, bf = values[f"{copies} sign{short}"], values[f"{copies} bf{short}"]
            rows.append(rate(told, "sign test p <= .05", p <= 0.05, 0.05))
            rows.append(rate(told, "BF01 <= 1/20", bf <= 1 / EVEN))
        p = values[f"{copies} flips"]
        rows.append(rate(f"clusters, copies {copies:g}", "flips p <= .05", p <= 0.05, 0.05))
    return rows


def _play_plan(
    shape: tuple[int, ...], rho: float, sets: int, random: np.random.Generator
) -> Values:
    sizes, d, sd = np.array(shape, dtype=float), 0.15, 0.6
    totals = sd * _normal(sizes, rho, sets, random) + d * sizes[:, None]
    wide = np.broadcast_to(sizes[:, None], totals.shape)
    return {"p": differences(totals, wide, np.zeros_like(totals), wide).prob_above()}


def _rates_plan(shape: tuple[int, ...], rho: float, values: Values) -> list[Rate]:
    stated = power(np.array(shape, dtype=float), 0.15, 0.6, rho, names.VERDICT_PROB).better
    return [rate("plan", "names the better system", values["p"] >= names.VERDICT_PROB, stated)]


def _play_again(shape: tuple[int, ...], sets: int, random: np.random.Generator) -> Values:
    """A flat prior of the difference: of those with a verdict, which come out again."""
    sizes, rho = np.array(shape, dtype=float), 0.1
    error = np.sqrt(((1 - rho) * sizes + rho * sizes**2).sum()) / sizes.sum()
    d = random.uniform(-8, 8, sets) * error
    totals = [_normal(sizes, rho, sets, random) + d * sizes[:, None] for _ in range(2)]
    wide = np.broadcast_to(sizes[:, None], totals[0].shape)
    first, second = (differences(t, wide, np.zeros_like(t), wide) for t in totals)
    seen = Units.from_pairs(first)
    again = after_units(seen, len(sizes), 0.0, names.VERDICT_PROB, kept=False)
    ahead = first.prob_above()
    return {"p": ahead, "again": again[:, :2], "second": second.prob_above()}


def _rates_again(values: Values) -> list[Rate]:
    p, second = values["p"], values["second"]
    a, b = p >= names.VERDICT_PROB, p <= 1 - names.VERDICT_PROB
    same = np.where(a, second >= names.VERDICT_PROB, second <= 1 - names.VERDICT_PROB)
    stated = np.where(a, values["again"][:, 0], values["again"][:, 1])
    found = a | b
    return [
        rate(
            "replication", "verdict comes out again", same, float(stated[found].mean()), among=found
        )
    ]


@dataclass(frozen=True)
class _Kind:
    """What is drawn for a size shape."""

    name: str
    said: str
    draw: Totals
    most: float = np.inf  # of a difference


_KINDS = (
    _Kind("normal", "normal items that correlate by 0, .1 and .5 within a cluster", _normal),
    _Kind("uneven", "the same; clusters' sds lognormal (.7) and effects t of 3 df", _uneven),
    _Kind("largest", "the same; the largest cluster's sd is three times as large", _largest),
)
_CUT = _Kind("bounded", "the same; scores within 0 and 1, so that t is truncated", _bounded, 1.0)
_FEW = {"2 x 5": (5, 5), "2 x 20": (20, 20), "100, 100, 1": (100, 100, 1), "3 x 20": (20,) * 3}
_NOT_SOLVED = tuple(
    _Kind(f"{kind} effects", f"effects of clusters {kind}, of mean 0", partial(_skewed, kind))
    for kind in ("exponential", "lognormal")
)


def _cell(kind: _Kind, shape: str, sizes: tuple[int, ...]) -> Cell:
    return Cell(
        name=f"sizes/{kind.name}, {shape}",
        truth=f"two equal systems on clusters of {shape} items; {kind.said}; power at .1 where who "
        "knows the variance has .8",
        play=partial(_play, kind.draw, kind.most, sizes),
        rates=_rates,
        sets=SETS_MANY,
        key_sets=2,
        block=1000,
    )


def _cell_telling(clusters: int) -> Cell:
    return Cell(
        name=f"sizes_tell/{clusters} clusters",
        truth=f"two equal systems on {clusters} clusters of random (geometric) sizes, whose "
        "effects grow with their size and are 0 on average over items",
        play=partial(_play_telling, clusters),
        rates=_rates_telling,
        sets=SETS_MANY,
        key_sets=2,
    )


def _cell_right(shape: str, sizes: tuple[int, ...]) -> Cell:
    return Cell(
        name=f"sizes_right/{shape}",
        truth=f"two equal systems of accuracy .5, .8, .95 on clusters of {shape} items, of which "
        "none, .3 or all copy the outcome of their cluster",
        play=partial(_play_right, sizes),
        rates=_rates_right,
        sets=SETS_MANY,
        key_sets=2,
        block=1000,
    )


def _cell_tests(shape: str, sizes: tuple[int, ...]) -> Cell:
    return Cell(
        name=f"cluster_tests/{shape}",
        truth=f"two equal systems of accuracy .8 on clusters of {shape} items, of which none, .3 "
        "or all copy the outcome of their cluster; tests on clusters and on items",
        play=partial(_play_tests, sizes),
        rates=_rates_tests,
    )


def _cell_plan(shape: str, sizes: tuple[int, ...], rho: float) -> Cell:
    return Cell(
        name=f"cluster_plans/power, {shape}, icc {rho:g}",
        truth=f"A better by .15, items of sd .6 that correlate by {rho:g} in clusters of {shape}",
        play=partial(_play_plan, sizes, rho),
        rates=partial(_rates_plan, sizes, rho),
        sets=SETS_MANY,
    )


def _cell_again(shape: str, sizes: tuple[int, ...]) -> Cell:
    return Cell(
        name=f"cluster_plans/replication, {shape}",
        truth=f"normal items that correlate by .1 in clusters of {shape}, any difference",
        play=partial(_play_again, sizes),
        rates=_rates_again,
        sets=SETS_MANY,
    )


_ALL = UNEQUAL | SEVERAL_LARGE | EQUAL
CELLS = (
    *(_cell(_KINDS[0], *of) for of in _ALL.items()),
    *(_cell(kind, *of) for kind in _KINDS[1:] for of in UNEQUAL.items()),
    *(_cell(_CUT, *of) for of in (_FEW | EQUAL).items()),
    *(_cell(kind, k, EQUAL[k]) for kind in _NOT_SOLVED for k in ("5 x 20", "20 x 10")),
    *(_cell_telling(clusters) for clusters in (6, 10, 20, 40)),
    *(_cell_right(*of) for of in _ALL.items()),
    *(_cell_tests(k, _ALL[k]) for k in ("5 x 20", "20 x 10", "200, 4 x 5", "1 to 40, 10")),
    *(
        _cell_plan(k, _ALL[k], rho)
        for k, rho in (("20 x 10", 0.1), ("159, 140, 129, 70, 31", 0.05), ("1 to 40, 10", 0.1))
    ),
    *(_cell_again(k, _ALL[k]) for k in ("8 x 20", "159, 140, 129, 70, 31", "1 to 40, 10")),
)

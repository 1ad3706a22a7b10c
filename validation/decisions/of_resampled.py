"""Scores of all units together, by weighted units: F1 of documents and of single items, macro F1
with a rare label, mean tau; two systems of the same ability, one far ahead, and several systems
of which the contenders should hold the best.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
import xarray as xr
from scipy import special

from betterthan import names
from betterthan.counts.responses import responses_from
from betterthan.exact.numeric import monte_carlo
from betterthan.scores.resampling import bootstrap, drawn, left_out
from validation.decisions import of_graded
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

DRAWS = 1000
SETS, FEWER = 500, 250
ANSWER = "Bayesian bootstrap, spread for the number of units"
LABELS = 3
SPREADS = (1.0, 2.5, 5.0)  # sd of a document's noise on places 1 to 8, each as often
ITEMS = 8

Draw = Callable[[int, np.random.Generator], np.ndarray]


@dataclass(frozen=True)
class Truth:
    """What is drawn for so many units, and the score of both systems where it is known."""

    draw: Draw
    statistic: str
    score: float = np.nan
    far: bool = False  # A is far ahead; else they are equal
    sets: int = FEWER


def _labelled(values: np.ndarray) -> xr.DataArray:
    """Of (item, system), (item, system, tally) or (item, system, label, tally)."""
    last = {2: (), 3: (names.TALLY,), 4: (names.LABEL, names.TALLY)}[values.ndim]
    coords = {names.SYSTEM: [chr(ord("A") + k) for k in range(values.shape[1])]}
    coords |= {names.TALLY: ["tp", "fp", "fn"]} if last else {}
    return xr.DataArray(values, dims=(names.ITEM, names.SYSTEM, *last), coords=coords)


def _documents(units: int, random: np.random.Generator) -> np.ndarray:
    """Of 2 to 11 mentions; documents are hard for both."""
    length, ease = random.integers(2, 12, (units, 1)), random.beta(6, 2, (units, 1))
    tp = random.binomial(length, np.broadcast_to(ease, (units, 2)))
    return np.stack([tp, random.poisson(0.8 - 0.5 * ease, (units, 2)), length - tp], axis=-1)


DOCUMENTS_F = 2 * 6.5 * 0.75 / (2 * 6.5 * 0.75 + 0.8 - 0.5 * 0.75 + 6.5 * 0.25)


def _items(units: int, random: np.random.Generator) -> np.ndarray:
    """One mention each, found with probability .8 on average."""
    found = (random.random((units, 2)) < random.beta(4, 1, (units, 1))).astype(int)
    return np.stack([found, 1 - found, 1 - found], axis=-1)


def _rare(share: float, units: int, random: np.random.Generator) -> np.ndarray:
    """One of three labels an item, of which the first is rare; wrong answers are of any label."""
    shares = np.array([share, (1 - share) / 2, (1 - share) / 2])
    gold, ease = random.choice(LABELS, units, p=shares), random.beta(8, 2, (units, 1))
    other = random.choice(LABELS, (units, 2), p=shares)
    said = np.where(random.random((units, 2)) < ease, gold[:, None], other)
    is_gold, is_said = (x[..., None] == np.arange(LABELS) for x in (gold[:, None], said))
    return np.stack([is_gold & is_said, is_said & ~is_gold, is_gold & ~is_said], -1).astype(int)


def _taus(far: bool, units: int, random: np.random.Generator) -> np.ndarray:
    """Kendall's tau of noisy places, some documents being harder than others."""
    spread = random.choice(SPREADS, (units, 1)) * np.array([0.3 if far else 1.0, 1.0])
    places = np.arange(ITEMS) + spread[..., None] * random.normal(size=(units, 2, ITEMS))
    first, second = np.triu_indices(ITEMS, 1)
    return np.sign(places[..., second] - places[..., first]).mean(-1)


def _graded(noise: of_graded.Noise, units: int, random: np.random.Generator) -> np.ndarray:
    """Of A the noise, of B nothing: their difference is what is looked at."""
    apart = noise.draw(random, (units, 1))
    return np.concatenate([apart, np.zeros_like(apart)], axis=1)


def expected_tau() -> float:
    """Of places with noise: each pair stands right with a probability of the normal."""
    first, second = np.triu_indices(ITEMS, 1)
    apart = (second - first) / (np.array(SPREADS)[:, None] * np.sqrt(2))
    return float((2 * special.ndtr(apart) - 1).mean())


def _play(truth: Truth, units: int, sets: int, random: np.random.Generator) -> Values:
    rows = [_answered(truth, units, random) for _ in range(sets)]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def _answered(truth: Truth, units: int, random: np.random.Generator) -> dict[str, float | bool]:
    """Of one set, by `bt.scores.bootstrap`."""
    data = _labelled(truth.draw(units, random))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # too few units, or a rare label, is what is asked here
        found = bootstrap(data, statistic=truth.statistic, draws=DRAWS, rng=random)
    pair = found.sel({names.SYSTEM_A: "A", names.SYSTEM_B: "B"})
    of_a = found.sel({names.SYSTEM: "A"})
    ends = {f"d {end}": pair[f"difference_{end}"].item() for end in ("lower", "upper")}
    ends |= {end: of_a[f"score_{end}"].item() for end in ("lower", "upper")}
    verdict = str(pair["verdict"].item())
    kinds = {kind: verdict == kind for kind in ("a_better", "b_better", "no_verdict")}
    return {"better": pair["prob_better"].item(), **ends, **kinds}


def _rates(truth: Truth, values: Values) -> list[Rate]:
    sure = round(1 - names.VERDICT_PROB, 9)
    if truth.far:
        return [
            rate(ANSWER, "names the better system", values["a_better"]),
            rate(ANSWER, "names the worse system", values["b_better"], sure),
        ]
    named = values["a_better"] | values["b_better"]
    found = [
        rate(ANSWER, "names one of two equal systems", named, 2 * sure),
        rate(
            ANSWER, "P(better) alone is sure of one", abs(values["better"] - 0.5) >= 0.5 - sure, 0.1
        ),
        coverage(ANSWER, values["d lower"], values["d upper"], 0.0),
    ]
    if truth.statistic == "macro_f1":
        found.append(rate(ANSWER, "no verdict: rare label", values["no_verdict"]))
    if np.isfinite(truth.score):
        score = coverage(ANSWER, values["lower"], values["upper"], truth.score, of="the score")
        found.append(score)
    return found


def _cell(kind: str, said: str, units: int, truth: Truth) -> Cell:
    return Cell(
        name=f"resampled/{kind}, {units}",
        truth=f"{said}; {units} of them; {DRAWS:,} draws",
        play=partial(_play, truth, units),
        rates=partial(_rates, truth),
        sets=truth.sets,
        block=50,
        key_sets=3,
    )


_NOISY = "mean tau of orders of 8 with normal noise of sd 1, 2.5 or 5 by document"
_KINDS = (
    (
        "F1 of documents",
        "two equal systems, F1 of documents of 2 to 11 mentions",
        Truth(_documents, "f1", DOCUMENTS_F, sets=SETS),
        (5, 10, 20, 50),
    ),
    (
        "F1 of single items",
        "two equal systems, F1 of single mentions, .8",
        Truth(_items, "f1", 0.8, sets=SETS),
        (10, 20, 50, 200),
    ),
    *(
        (
            f"macro F1, rarest label {share:.0%}".replace("%", " %"),
            f"two equal systems, macro F1 of three labels of single items, the rarest {share:g}",
            Truth(partial(_rare, share), "macro_f1"),
            units,
        )
        for share, units in ((0.03, (100, 200)), (0.1, (100,)), (0.2, (100,)), (0.05, (500,)))
    ),
    (
        "tau of documents",
        f"two equal systems, {_NOISY}",
        Truth(partial(_taus, False), "mean", expected_tau()),
        (5, 10, 20, 50),
    ),
    (
        "tau, A far ahead",
        f"{_NOISY}, that of A .3 of it",
        Truth(partial(_taus, True), "mean", far=True),
        (5, 20, 50),
    ),
)
_GRADED = tuple(
    (
        f"mean of {noise.name} scores",
        f"two equal systems with graded scores, differences {noise.name}",
        Truth(partial(_graded, noise), "mean"),
        (5, 20),
    )
    for noise in of_graded.NOISES[:2]
)
_UNEQUAL = {
    "200, 9 x 5": (200, *[5] * 9),
    "200, 19 x 5": (200, *[5] * 19),
    "10 x 20": (20,) * 10,
    "5 x 20": (20,) * 5,
    "1 to 40, 10": tuple(int(round(x)) for x in np.geomspace(1, 40, 10)),
}
_LEFT_OUT = "leaving out one document"


def _long_documents(
    sizes: tuple[int, ...], copies: float, random: np.random.Generator
) -> np.ndarray:
    """Mentions found with probability .8 on average, of which a share goes as its document does."""
    length = np.array(sizes)[:, None]
    copying = random.binomial(np.broadcast_to(length, (len(sizes), 2)), copies)
    whole = random.random((len(sizes), 2)) < 0.8
    tp = copying * whole + random.binomial(length - copying, 0.8)
    fp = random.poisson(0.2 * length, (len(sizes), 2))
    return np.stack([tp, fp, length - tp], axis=-1)


def _unequal_play(sizes: tuple[int, ...], sets: int, random: np.random.Generator) -> Values:
    found: dict[str, list[float]] = {}
    for _ in range(sets):
        for copies in (0.0, 0.5):
            data = _labelled(_long_documents(sizes, copies, random))
            responses = responses_from(data, "f1")
            left = left_out(responses, (0.0, 1.0))
            draws = monte_carlo.widened(drawn(responses, DRAWS, 1), len(sizes), 1)
            apart = draws[:, 0] - draws[:, 1]
            better = nan if left is None else float(left.pairs().prob_above()[0])
            worse = nan if left is None else float(left.pairs().prob_below()[0])
            low, high = (nan, nan) if left is None else left.pairs().interval(names.CI_PROB)
            row = {
                "better": better,
                "worse": worse,
                "lower": float(np.squeeze(low)),
                "upper": float(np.squeeze(high)),
                "weights": float((apart > 0).mean()),
            }
            for key, value in row.items():
                found.setdefault(f"{copies} {key}", []).append(value)
    return {key: np.array(value) for key, value in found.items()}


def _unequal_rates(values: Values) -> list[Rate]:
    rows = []
    for copies in (0.0, 0.5):
        told = f"copies {copies:g}"
        drawn_ = values[f"{copies} weights"]
        rows.append(of_verdicts(f"{ANSWER}, {told}", drawn_, 0.0)[0])
        answer = f"{_LEFT_OUT}, {told}"
        better, worse = values[f"{copies} better"], values[f"{copies} worse"]
        rows.append(of_verdicts(answer, better, 0.0, worse=worse)[0])
        rows.append(coverage(answer, values[f"{copies} lower"], values[f"{copies} upper"], 0.0))
    return rows


def _unequal_cell(shape: str, sizes: tuple[int, ...]) -> Cell:
    return Cell(
        name=f"documents/{shape}",
        truth=f"two equal systems, F1 of documents of {shape} mentions, of which none or half go "
        f"as their document does; {DRAWS:,} draws; prob_better alone",
        play=partial(_unequal_play, sizes),
        rates=_unequal_rates,
        sets=600,
        block=50,
        key_sets=3,
    )


def _documents_of(skill: np.ndarray, units: int, random: np.random.Generator) -> np.ndarray:
    """Of 1 to about 20 mentions, for systems of such log odds to find one; some documents are
    hard.
    """
    length = np.maximum(1, np.rint(np.exp(random.normal(1.5, 0.7, (units, 1))))).astype(int)
    tp = random.binomial(length, special.expit(skill + random.normal(0, 0.7, (units, 1))))
    fp = random.poisson(0.15 * length, (units, len(skill)))
    return np.stack([tp, fp, length - tp], axis=-1)


def _taus_of(skill: np.ndarray, units: int, random: np.random.Generator) -> np.ndarray:
    """Kendall's tau of noisy places; the noise of a system falls with its skill."""
    spread = random.choice(SPREADS, (units, 1)) * np.exp(-skill)
    places = np.arange(ITEMS) + spread[..., None] * random.normal(size=(units, len(skill), ITEMS))
    first, second = np.triu_indices(ITEMS, 1)
    return np.sign(places[..., second] - places[..., first]).mean(-1)


@dataclass(frozen=True)
class Several:
    """Systems whose skills are normal, and what is drawn of them for so many units."""

    draw: Callable[[np.ndarray, int, np.random.Generator], np.ndarray]
    statistic: str
    mean: float
    sd: float
    units: int


def _several_play(truth: Several, systems: int, sets: int, random: np.random.Generator) -> Values:
    """Of each set, whether the contenders hold the best, and which share of systems they are."""
    holds, share = np.empty(sets), np.empty(sets)
    for k in range(sets):
        skill = truth.mean + truth.sd * random.normal(size=systems)
        data = _labelled(truth.draw(skill, truth.units, random))
        inside = bootstrap(data, statistic=truth.statistic, draws=DRAWS, rng=random)["in_best_set"]
        holds[k], share[k] = inside.values[skill.argmax()], inside.mean()
    return {"holds": holds, "share": share}


def _several_rates(values: Values) -> list[Rate]:
    return [
        rate(ANSWER, "best set holds the best", values["holds"], names.CI_PROB),
        rate(ANSWER, "share of systems in the best set", values["share"]),
    ]


def _several_cell(kind: str, said: str, systems: int, truth: Several) -> Cell:
    return Cell(
        name=f"contenders/{kind}, {systems} systems, sd {truth.sd:g}",
        truth=f"{systems} systems, {said}, normal with sd {truth.sd:g}; {truth.units} documents; "
        f"{DRAWS:,} draws",
        play=partial(_several_play, truth, systems),
        rates=_several_rates,
        sets=SETS,
        block=50,
        key_sets=3,
    )


_SEVERAL = (
    ("F1", "log odds to find a mention", _documents_of, "f1", 1.8, (0.03, 0.3), 40),
    ("tau", "log precision of the places", _taus_of, "mean", 0.0, (0.03, 0.3), 20),
)

CELLS = (
    *(
        _several_cell(kind, said, systems, Several(draw, statistic, mean, sd, units))
        for kind, said, draw, statistic, mean, sds, units in _SEVERAL
        for sd in sds
        for systems in (4, 8, 15)
    ),
    *(
        _cell(kind, said, units, truth)
        for kind, said, truth, each in (*_KINDS, *_GRADED)
        for units in each
    ),
    *(_unequal_cell(*of) for of in _UNEQUAL.items()),
)

"""Two systems with graded scores: means by Student's t on items, wins, and means as `compare`
answers unless a quantity is asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from betterthan import names
from betterthan.exact.joint.units import PairMeans, differences
from validation.decisions import of_pairs
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts, rate

T, WINS, BOTH = "means, t or Hall's t on items", "wins", "means, unless wins are against them"


@dataclass(frozen=True)
class Noise:
    """How differences of scores lie around their mean; of mean 0 and standard deviation 1."""

    name: str
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def _normal(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return random.standard_normal(shape)


def _skewed(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 1 - random.standard_exponential(shape)  # a little better on most, much worse on a few


def _t3(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return random.standard_t(3, shape) / np.sqrt(3)


def _bounded(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Of two scores that are mostly near the ends of their range."""
    return (random.beta(0.5, 0.5, shape) - random.beta(0.5, 0.5, shape)) * 2


NOISES = (
    Noise("normal", _normal),
    Noise("skewed", _skewed),
    Noise("t3", _t3),
    Noise("bounded", _bounded),
)
_D = (-0.1, 0.0, 0.5)  # of the means, in standard deviations of the noise


def on_items(difference: np.ndarray) -> PairMeans:
    """Student's t on items, (set, item); a pair is a set."""
    total, one = difference.T, np.ones_like(difference.T)
    return differences(total, one, np.zeros_like(total), one, skewed=True)


def answered(apart: np.ndarray) -> Values:
    """By mean, by wins, and by mean unless wins are against it, of differences (set, item)."""
    t, won = on_items(apart), (apart > 0).sum(1)
    lower, upper = t.interval(names.CI_PROB)
    mean, behind = t.prob_above(), t.prob_below()
    wins = of_pairs.answered(np.stack([won, apart.shape[1] - won, 0 * won], axis=1))
    return {
        "mean better": mean,
        "mean worse": behind,
        "lower": lower,
        "upper": upper,
        "wins better": wins["better"],
        "wins worse": wins["worse"],
        # no verdict by the mean while the other more probably wins more often
        "both better": np.where(wins["better"] < 0.5, 0.0, mean),
        "both worse": np.where(wins["better"] > 0.5, 0.0, behind),
    }


def _play(noise: Noise, n: int, sets: int, random: np.random.Generator) -> Values:
    found: Values = {}
    for d in _D:
        answers = answered(noise.draw(random, (sets, n)) + d)
        found |= {f"{k} {d}": v for k, v in answers.items()}
    return found


def _rates(values: Values) -> list[Rate]:
    rows = []
    for d in _D:
        for short, answer in (("mean", T), ("wins", WINS), ("both", BOTH)):
            better, worse = values[f"{short} better {d}"], values[f"{short} worse {d}"]
            told = f"{answer}, d = {d:g} sd"
            rows += of_verdicts(told, better, d, worse=worse)[: 2 if d else 1]
        lower, upper = values[f"lower {d}"], values[f"upper {d}"]
        rows.append(coverage(f"{T}, d = {d:g} sd", lower, upper, d))
    return rows


def _cell(noise: Noise, n: int) -> Cell:
    return Cell(
        name=f"graded/{noise.name}, {n} items",
        truth=f"two systems with graded scores on {n} items, differences {noise.name} around "
        "d = -.1, 0 and .5 of their standard deviation",
        play=partial(_play, noise, n),
        rates=_rates,
    )


def _exponential(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return random.standard_exponential(shape) - 1


def _lognormal(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.exp(random.standard_normal(shape)) - np.exp(0.5)


def _penalties(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Penalties of error counts: no error in .6 of the items, else a gamma of shape 1/2."""
    some = random.random(shape) < 0.4
    return np.where(some, random.gamma(0.5, 4.0, shape), 0.0) - 0.8


def _wide(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Differences of two lognormals of sd 2 in logs: symmetric, with very heavy tails."""
    return np.exp(2 * random.standard_normal(shape)) - np.exp(2 * random.standard_normal(shape))


def _seldom(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Nothing but zeros in .95 of the items."""
    return np.where(random.random(shape) < 0.05, random.standard_normal(shape), 0.0)


def _ratings(random: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Differences of two ratings from 1 to 5."""
    return random.integers(1, 6, shape) - random.integers(1, 6, shape).astype(float)


SKEWED = (
    Noise("exponential", _exponential),
    Noise("lognormal", _lognormal),
    Noise("penalties", _penalties),
    Noise("normal", _normal),
    Noise("t3", _t3),
    Noise("wide", _wide),
    Noise("5% nonzero", _seldom),
    Noise("ratings", _ratings),
)
BEFORE = "t alone"


def _skewed_play(noise: Noise, n: int, sets: int, random: np.random.Generator) -> Values:
    apart = noise.draw(random, (sets, n))
    now = on_items(apart)
    found: Values = {}
    for answer, of in ((BEFORE, replace(now, skewness=None)), (T, now)):
        lower, upper = of.interval(names.CI_PROB)
        parts = {
            "better": of.prob_above(),
            "worse": of.prob_below(),
            "lower": lower,
            "upper": upper,
        }
        found |= {f"{answer} {k}": v for k, v in parts.items()}
    return found | {"warned": now.too_skewed().astype(float)}


def _skewed_rates(values: Values) -> list[Rate]:
    rows = []
    for answer in (BEFORE, T):
        better, worse = values[f"{answer} better"], values[f"{answer} worse"]
        rows.append(of_verdicts(answer, better, 0.0, worse=worse)[0])
        rows.append(coverage(answer, values[f"{answer} lower"], values[f"{answer} upper"], 0.0))
    return [*rows, rate(T, "warns of skewness", values["warned"])]


def _skewed_cell(noise: Noise, n: int) -> Cell:
    return Cell(
        name=f"skewed/{noise.name}, {n} items",
        truth=f"two systems with equal means on {n} items, differences {noise.name}",
        play=partial(_skewed_play, noise, n),
        rates=_skewed_rates,
        key_sets=2,
    )


CELLS = (
    *(_cell(noise, n) for noise in NOISES for n in (5, 20, 50)),
    *(_skewed_cell(noise, n) for noise in SKEWED for n in (10, 20, 30, 50, 100)),
)

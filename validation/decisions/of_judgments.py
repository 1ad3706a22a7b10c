"""Judgments of equal systems, several of each prompt: it suits some of them, for all its judges.

Of two systems by the pair and by t on prompts; of more by Davidson's model, refitted under weights
on prompts, and as if every judgment were a prompt of its own.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.judgments import rows_by_cluster
from betterthan.counts.shapes import pair_indices
from betterthan.exact.wins import davidson
from betterthan.exact.wins.davidson import Meetings
from betterthan.models import likelihood_data, paired_judgments, shrinkage
from validation.decisions import of_pairs, of_units
from validation.decisions.cells import FEW, Cell, Values
from validation.decisions.rates import Rate, coverage, of_verdicts

T = "t on prompts"
JUDGED, BY_PROMPT = "Davidson, every judgment alone", "Davidson, weights on prompts"
_PRIOR = davidson.Prior(
    shrinkage.SHAPE, shrinkage.RATE, paired_judgments.PRIOR["davidson"], paired_judgments.PLACE
)
_DRAWS = 1000
_TIE = -0.7  # the middle of the prior of Davidson's model: a fifth of ties between equal systems


@dataclass(frozen=True)
class Truth:
    """Prompts, judgments of each, and how much prompts differ in whom they suit, in log odds."""

    prompts: int
    judgments: int
    sd: float

    def outcomes(self, sets: int, random: np.random.Generator) -> np.ndarray:
        """1, 0 or -1, (set, judgment), prompt after prompt."""
        suits = self.sd * random.standard_normal((sets, self.prompts))
        d = np.repeat(suits, self.judgments, axis=1)
        win, loss, _ = np.moveaxis(
            np.exp(paired_judgments.log_probabilities(d, np.full(d.shape, _TIE), "davidson")), -1, 0
        )
        below = random.random(d.shape)
        return (below < win) * 1 - ((below >= win) & (below < win + loss)) * 1


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    outcome = truth.outcomes(sets, random)
    plain = of_pairs.answered(of_units.counted(outcome))
    t = of_units.on_units(outcome, (truth.judgments,) * truth.prompts)
    return {
        "plain better": plain["better"],
        "plain worse": plain["worse"],
        "t better": t.prob_above(),
        "t worse": t.prob_below(),
    }


def _rates(values: Values) -> list[Rate]:
    return [
        of_verdicts(answer, values[f"{short} better"], 0.0, worse=values[f"{short} worse"])[0]
        for short, answer in (("plain", of_pairs.ALONE), ("t", T))
    ]


def _cell(prompts: int, judgments: int, sd: float) -> Cell:
    truth = Truth(prompts, judgments, sd)
    return Cell(
        name=f"judgments/{prompts} prompts, {judgments} judgments of each, sd {sd:g}",
        truth=f"two equal systems, {judgments} judgments of each of {prompts} prompts; prompts "
        f"differ by {sd:g} log odds in whom they suit",
        play=partial(_play, truth),
        rates=_rates,
        block=250,
    )


@dataclass(frozen=True)
class Many:
    """Systems that are equal over prompts but not on one of them, judged in pairs at random."""

    systems: int
    prompts: int
    judgments: int
    sd: float

    def judged(self, random: np.random.Generator) -> xr.Dataset:
        """As `betterthan.io.read_judgments` returns them."""
        prompt = np.repeat(np.arange(self.prompts), self.judgments)
        own = self.sd * random.standard_normal((self.prompts, self.systems))
        a, b = likelihood_data.random_pairs(random, self.systems, len(prompt))
        d = own[prompt, a] - own[prompt, b]
        chances = paired_judgments.log_probabilities(d, np.full(d.shape, _TIE), "davidson")
        systems = np.array([f"s{k}" for k in range(self.systems)])
        outcome = likelihood_data.draw_outcomes(chances, random)
        found = likelihood_data.as_judgments(systems, a, b, outcome, None)
        return found.assign_coords(cluster=("judgment", prompt.astype(str)))


def weighed(judged: xr.Dataset, seed: int) -> Values:
    """Of each pair, by draws of `davidson.by_cluster`."""
    rows, counts = rows_by_cluster(judged, by="cluster", position=False)
    meet = Meetings(rows.a, rows.b, len(rows.systems), place=False)
    found = davidson.weighed(counts, meet, _PRIOR, _DRAWS, seed).draws
    first, second = pair_indices(len(rows.systems))
    d, tail = found[:, first] - found[:, second], (1 - names.CI_PROB) / 2
    lower, upper = np.quantile(d, [tail, 1 - tail], axis=0)
    return {"better": (d > 0).mean(0), "worse": (d < 0).mean(0), "lower": lower, "upper": upper}


def _play_many(truth: Many, sets: int, random: np.random.Generator) -> Values:
    each = []
    for _ in range(sets):
        judged, seed = truth.judged(random), int(random.integers(2**31))
        single = np.arange(judged.sizes["judgment"]).astype(str)
        alone = judged.assign_coords(cluster=("judgment", single))
        parts = {"prompts": weighed(judged, seed), "alone": weighed(alone, seed)}
        each.append({f"{way} {k}": v for way, one in parts.items() for k, v in one.items()})
    return {k: np.stack([one[k] for one in each]) for k in each[0]}


def _rates_many(values: Values) -> list[Rate]:
    rows = []
    for way, answer in (("alone", JUDGED), ("prompts", BY_PROMPT)):
        better, worse, lower, upper = (
            values[f"{way} {k}"] for k in ("better", "worse", "lower", "upper")
        )
        rows.append(of_verdicts(answer, better, 0.0, worse=worse)[0])
        rows.append(coverage(answer, lower, upper, 0.0))
    return rows


def _cell_many(systems: int, prompts: int, judgments: int, sd: float) -> Cell:
    truth = Many(systems, prompts, judgments, sd)
    return Cell(
        name=f"judgments/{systems} systems, {prompts} prompts, {judgments} judgments of each, "
        f"sd {sd:g}",
        truth=f"{systems} equal systems, {judgments} judgments of pairs of them on each of "
        f"{prompts} prompts; prompts differ by {sd:g} log odds in how they suit a system",
        play=partial(_play_many, truth),
        rates=_rates_many,
        sets=FEW,
        block=20,
        key_sets=2,
    )


CELLS = (
    *(_cell(*shape) for shape in ((100, 3, 1.0), (20, 10, 1.0), (20, 10, 3.0))),
    *(_cell_many(*shape) for shape in ((4, 100, 3, 1.0), (4, 20, 20, 1.0), (4, 10, 40, 1.0))),
)

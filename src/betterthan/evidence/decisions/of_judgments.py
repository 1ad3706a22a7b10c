"""Judgments of two equal systems, several of each prompt: a prompt suits one of them for all its
judges.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan.evidence.decisions import of_pairs, of_units
from betterthan.evidence.decisions.cells import Cell, Values
from betterthan.evidence.decisions.rates import Rate, of_verdicts
from betterthan.models import tie_models

T = "t on prompts"
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
            np.exp(tie_models.log_chances_of(d, np.full(d.shape, _TIE), "davidson")), -1, 0
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


CELLS = (_cell(100, 3, 1.0), _cell(20, 10, 1.0), _cell(20, 10, 3.0))

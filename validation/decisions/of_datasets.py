"""Two systems on data sets that disagree: each data set weighs the same, however large it is."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan import names
from validation.decisions import of_pairs
from validation.decisions.cells import Cell, Values
from validation.decisions.rates import Rate, coverage, rate

POOLED, AVERAGE = "all examples pooled", "average of the data sets, each by itself"
_DRAWS = 1000


@dataclass(frozen=True)
class Truth:
    """P(win) - P(loss) of each data set, how many examples it has, and the share of ties."""

    d: tuple[float, ...]
    n: tuple[int, ...]
    ties: float = 0.4

    def counts(self, sets: int, random: np.random.Generator) -> np.ndarray:
        """Wins, losses and ties, (set, data set, outcome)."""
        each = [
            of_pairs.Truth(d, self.ties, n).counts(sets, random)
            for d, n in zip(self.d, self.n, strict=True)
        ]
        return np.stack(each, axis=1)


def averaged(counts: np.ndarray, random: np.random.Generator) -> Values:
    """Draws of the average difference of data sets, from the posterior of each by itself."""
    shape = (len(counts), _DRAWS, *counts.shape[1:])
    theta = random.standard_gamma((counts + np.array(names.PRIOR))[:, None], shape)
    theta /= theta.sum(-1, keepdims=True)
    d = (theta[..., 0] - theta[..., 1]).mean(-1)
    tail = (1 - names.CI_PROB) / 2
    lower, upper = np.quantile(d, [tail, 1 - tail], axis=1)
    return {"better": (d > 0).mean(1), "worse": (d < 0).mean(1), "lower": lower, "upper": upper}


def _play(truth: Truth, sets: int, random: np.random.Generator) -> Values:
    counts = truth.counts(sets, random)
    found = {f"pooled {k}": v for k, v in of_pairs.answered(counts.sum(1)).items()}
    return found | {f"average {k}": v for k, v in averaged(counts, random).items()}


def _rates(truth: Truth, values: Values) -> list[Rate]:
    side = "worse" if truth.d[0] < 0 else "better"  # the first data set is the largest
    sure, middle = names.VERDICT_PROB, float(np.mean(truth.d))
    rows = []
    for short, answer in (("pooled", POOLED), ("average", AVERAGE)):
        lower, upper = values[f"{short} lower"], values[f"{short} upper"]
        rows += [
            rate(
                answer,
                "sides with the largest data set",
                values[f"{short} {side}"] >= sure,
                round(1 - sure, 9),
            ),
            coverage(answer, lower, upper, middle, of="the average d"),
        ]
    return rows


def _cell(name: str, truth: Truth) -> Cell:
    told = ", ".join(f"{d:+g} on {n}" for d, n in zip(truth.d, truth.n, strict=True))
    return Cell(
        name=f"datasets/{name}",
        truth=f"two systems on {len(truth.n)} data sets, equal on average: P(A wins) - P(B wins) "
        f"{told} examples; a share of {truth.ties:g} ties",
        play=partial(_play, truth),
        rates=partial(_rates, truth),
        block=250,
    )


CELLS = (
    _cell("one large of three", Truth((-0.15, 0.075, 0.075), (1000, 30, 30))),
    _cell("one large of five", Truth((-0.2, *(0.05,) * 4), (2000, *(20,) * 4))),
    _cell("four alike", Truth((0.0,) * 4, (50,) * 4)),
)

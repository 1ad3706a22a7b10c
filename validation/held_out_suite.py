"""The average over data sets on held-out items: ``python -m validation.held_out_suite TABLE``.

TABLE has columns ``dataset`` and one of scores of 0 and 1 for each system. Some items of each data
set are drawn, and the average difference of each pair is compared with that of the other items. To
have equal systems, the scores of a pair are exchanged at random on each item.
"""

import argparse

import numpy as np
import pandas as pd

from betterthan import names
from betterthan.counts.shapes import pair_indices
from betterthan.exact.averages import Average, Counts

DRAWN, SETS = (20, 30, 60), 200  # items of the first, second and third data set, and again


def outcomes(table: pd.DataFrame) -> list[np.ndarray]:
    """1, 0 or -1 of each data set, (item, pair)."""
    scores = [part.drop(columns="dataset").to_numpy(float) for _, part in table.groupby("dataset")]
    first, second = pair_indices(scores[0].shape[1])
    return [part[:, first] - part[:, second] for part in scores]


def posterior(drawn: list[np.ndarray]) -> Average:
    """Of the average, each data set once."""
    counts = [np.stack([(d == k).sum(0) for k in (1, -1, 0)], axis=-1) for d in drawn]
    weights = np.full(len(drawn), 1 / len(drawn))
    law = Counts.from_suite(np.stack(counts, axis=1), np.array(names.PRIOR), weights)
    return Average(law, weights)


def held_out(table: pd.DataFrame, random: np.random.Generator) -> dict[str, float]:
    """Rates over sets and pairs: of verdicts on the side that the other items contradict, of
    intervals that hold the other items' average, given its own error, and of equal systems.
    """
    data = outcomes(table)
    rows = []
    for _ in range(SETS):
        drawn, rest = [], []
        for k, part in enumerate(data):
            order = random.permutation(len(part))
            n = DRAWN[k % len(DRAWN)]
            drawn.append(part[order[:n]])
            rest.append(part[order[n:]])
        law = posterior(drawn)
        other = np.mean([d.mean(0) for d in rest], axis=0)
        error = np.sqrt(sum(d.var(0) / len(d) for d in rest)) / len(rest)
        better, (low, high) = law.prob_above(), law.interval(names.CI_PROB)
        wide = np.sqrt(1 + (error / law.sd) ** 2)
        holds = (law.mean - (law.mean - low) * wide <= other) & (
            other <= law.mean + (high - law.mean) * wide
        )
        sure = np.maximum(better, 1 - better) >= names.VERDICT_PROB
        wrong = sure & ((better > 0.5) != (other > 0)) & (np.abs(other) > 2 * error)
        swapped = posterior([d * random.choice([-1, 1], size=d.shape) for d in drawn]).prob_above()
        equal = np.maximum(swapped, 1 - swapped) >= names.VERDICT_PROB
        rows.append([sure.mean(), wrong.mean(), holds.mean(), equal.mean()])
    keys = ("verdicts", "contradicted", "interval holds", "verdicts between equal systems")
    return dict(zip(keys, np.mean(rows, axis=0).round(4).tolist(), strict=True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    print(held_out(pd.read_csv(parser.parse_args().table), np.random.default_rng(1)))

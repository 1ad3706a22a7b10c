"""Under the default prior an interval of F holds a high F as often as it promises."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import betterthan as bt


def coverage(f, items, **choices):
    """Exactly: t = tp / items of tp, fp or fn is binomial, and F = 2t / (1 + t)."""
    k = np.arange(items + 1)
    frame = pd.DataFrame({"system": k.astype(str), "item": "i", "tp": k, "fp": 0, "fn": items - k})
    found = bt.scores.posterior(bt.io.tallies_from_table(frame), **choices)
    holds = (found["lower"] <= f) & (f <= found["upper"])
    return (binom.pmf(k, items, f / (2 - f)) * holds.values).sum()


@pytest.mark.parametrize("items", [10, 20, 50, 100])
@pytest.mark.parametrize("f", [0.8, 0.95])
@pytest.mark.parametrize("kind", ["hdi", "eti"])
def test_the_default_holds_f(f, items, kind):
    # all ones, eti: .75 at .95 and 10 items
    assert coverage(f, items, ci_kind=kind) >= 0.92


def test_all_ones_missed_it_and_can_still_be_asked_for():
    ones = (1.0, 1.0, 1.0)
    assert coverage(0.95, 10, prior=ones, ci_kind="eti") < 0.8
    frame = pd.DataFrame(
        {"system": ["A", "B"], "item": "i", "tp": [30, 3], "fp": [5, 1], "fn": [5, 0]}
    )
    tallies = bt.io.tallies_from_table(frame)
    was = bt.scores.posterior(tallies, prior=ones)
    assert was["mean"].round(3).values.tolist() == [0.836, 0.711]  # as printed before
    assert was.attrs["prior"] == list(ones)
    for statistic in ("precision", "recall"):
        assert bt.scores.posterior(tallies, statistic=statistic).attrs["prior"] == list(ones)
    f_beta = bt.scores.posterior(tallies, statistic="f_beta", beta=1)
    np.testing.assert_allclose(f_beta["mean"], bt.scores.posterior(tallies)["mean"])

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
@pytest.mark.parametrize("f", [0.5, 0.8, 0.95])
def test_the_default_holds_f(f, items):
    assert coverage(f, items) >= 0.9  # all ones: .81 at .95 and 10 items


def test_all_ones_missed_it_and_can_still_be_asked_for():
    ones = (1.0, 1.0, 1.0)
    assert coverage(0.95, 10, prior=ones, ci_kind="eti") < 0.8
    frame = pd.DataFrame({"system": ["A"], "item": "i", "tp": 30, "fp": 5, "fn": 5})
    tallies = bt.io.tallies_from_table(frame)
    was = bt.scores.posterior(tallies, prior=ones)
    assert was["mean"].round(3).item() == 0.836  # as printed before
    assert was.attrs["prior"] == ones
    for statistic in ("precision", "recall"):
        assert bt.scores.posterior(tallies, statistic=statistic).attrs["prior"] == ones
    f_beta = bt.scores.posterior(tallies, statistic="f_beta", beta=1)
    assert f_beta["mean"].item() == pytest.approx(bt.scores.posterior(tallies)["mean"].item())

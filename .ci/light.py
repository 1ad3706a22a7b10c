"""Two tables of results, and every figure of a comparison, in a place without what samples."""

import importlib.util

import matplotlib as mpl
import numpy as np
import pandas as pd

import betterthan as bt

for absent in ("pymc", "nutpie", "arviz", "pytensor"):
    assert importlib.util.find_spec(absent) is None, absent

mpl.use("svg")
right = np.random.default_rng(7).random((200, 3)) < [0.8, 0.6, 0.5]
table = pd.DataFrame(right.astype(int), columns=["new", "old", "baseline"]).rename_axis("item")
table.to_csv("results.csv")
table[["new", "old"]].to_csv("two.csv")

comparison = bt.compare(bt.read("results.csv"))
counts = bt.count(bt.read("two.csv"))
assert bt.report(comparison).index("Answer") < bt.report(comparison).index("Systems")
assert "<svg" in bt.report(comparison, format="html")
bt.plot.matrix(bt.prob_better(comparison["counts"]))
bt.plot.differences(comparison)
bt.plot.outcomes(comparison["counts"])
bt.plot.densities(counts)
bt.plot.simplex(counts)
bt.plot.ranks(bt.scores.bootstrap(bt.read("results.csv"), rng=7))

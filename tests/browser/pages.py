"""Comparisons whose pages are opened."""

import numpy as np
import xarray as xr

import betterthan as bt

HOSTILE = (
    '<script>alert("x")</script>',
    "</script><img src=x onerror=alert(1)>",
    "{{7*7}} ${alert(1)} \u2028 & ' \" `",
)


def right_or_wrong(systems=9, items=40, seed=5):
    """Scores of 0 and 1; the first system is the best."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0.85, 0.4, systems)
    return table((rng.random((items, systems)) < share).astype(float))


def graded(systems=4, items=40, seed=6):
    rng = np.random.default_rng(seed)
    return table(rng.normal(np.linspace(0.6, 0.3, systems), 0.3, (items, systems)))


def in_clusters(systems=14, clusters=5, seed=8):
    """Errors on segments of few documents of unequal size; fewer are better."""
    rng = np.random.default_rng(seed)
    sizes = [20 * 2**k for k in range(clusters)]
    document = np.repeat(np.arange(clusters), sizes)
    hard = rng.gamma(2, 0.4, clusters)[document, None]
    errors = rng.gamma(1, hard * np.linspace(0.8, 1.3, systems), (len(document), systems))
    scores = table(errors.round(2)).assign_coords(cluster=("item", document))
    return scores.assign_attrs(higher_is_better=False)


def mostly_ahead(items=200, seed=1):
    """Scores of which one system has the better ones on most items, the other the better mean."""
    rng = np.random.default_rng(seed)
    ahead = rng.normal(0.6, 0.05, items)
    scores = np.column_stack([ahead, ahead - 0.05, ahead - 0.4 + rng.normal(0, 0.1, items)])
    scores[rng.random(items) < 0.2, 0] -= 1
    return table(scores)


def repeated(systems=3, items=20, runs=3, seed=7):
    """Scores of 0 and 1 of items that were run several times."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0.8, 0.5, systems)
    values = rng.random((items * runs, systems)) < share
    names = [f"i{k // runs}" for k in range(items * runs)]
    scores = table(values.astype(float)).assign_coords(item=names)
    return scores.assign_coords(epoch=("item", [k % runs for k in range(items * runs)]))


def table(values):
    names = [f"system {k}" for k in range(values.shape[1])]
    items = [f"i{k}" for k in range(len(values))]
    return xr.DataArray(values, dims=("item", "system"), coords={"item": items, "system": names})


def hostile():
    a, b, c = HOSTILE
    plain = {(name, "plain"): (5, 4, 35) for name in HOSTILE}
    named = {(a, b): (12, 2, 30), (a, c): (3, 3, 38), (b, c): (1, 9, 34)}
    return bt.counts.from_table(named | plain)

"""The typical difference of graded scores is no difference of means, and none at all where most
differences are next to nothing.
"""

import importlib

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.counts.graded_pairs import differences_of
from betterthan.model_registry import spec_of
from betterthan.models import graded
from betterthan.posterior.pairwise import Fit
from betterthan.posterior.table import Question


def scores_of(a, b):
    values = np.stack([a, b], axis=1)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": ["A", "B"]})


@pytest.fixture(scope="module")
def small_wins():
    """300 items: A ahead by .02 on 282, and 0 on the 18 where B is about .66."""
    random = np.random.default_rng(1)
    b = random.uniform(0.4, 0.8, 300)
    a = b + 0.02 + 0.004 * random.normal(size=300)
    rare = random.choice(300, 18, replace=False)
    a[rare], b[rare] = 0.0, random.normal(0.66, 0.03, 18)
    return scores_of(a, b)


@pytest.fixture(scope="module")
def near_ties():
    """A leaderboard of preferences: ahead by 1e-4 on most items, by far behind on others."""
    random = np.random.default_rng(2)
    b = random.uniform(0.2, 0.9, 300)
    a = b + 1e-4 * random.uniform(0.5, 1.5, 300)
    rare = random.random(300) < 0.15
    a[rare] = b[rare] - random.uniform(0.02, 0.1, rare.sum())
    return scores_of(a, b)


def answer(scores, tree):
    """As `fits.compare` says it of a fit with these differences."""
    posterior = tree["posterior"].to_dataset()
    data = differences_of(scores)
    constant = tree["constant_data"].to_dataset()
    tree = tree.copy()
    tree["constant_data"] = constant.assign(near_ties=("pair", data.near_ties))
    fit = Fit.from_tree(tree, ("graded",))
    reader = importlib.import_module("betterthan.fits.of_counts").read_graded
    assert posterior.attrs["model"] == "graded"
    return reader(fit, Question())


def test_no_verdict_where_most_differences_are_next_to_nothing(near_ties, small_wins):
    tree = bt.datasets.example_fit("graded")
    sure = answer(small_wins, tree)
    assert sure["verdict"].values[0, 1] == "a_better"
    with pytest.warns(UserWarning, match=r"no verdict for 'A' and 'B': 8\d% .*resolution="):
        found = answer(near_ties, tree)
    assert found["verdict"].values.tolist() == [
        ["undecided", "no_verdict"],
        ["no_verdict", "undecided"],
    ]
    assert not found["also_ahead"].any()
    assert found["near_ties"].values[0, 1] > 0.8


def test_what_counts_as_near(near_ties, small_wins):
    assert differences_of(small_wins).near_ties == pytest.approx(0.0)
    apart = (near_ties[:, 0] - near_ties[:, 1]).values
    near = np.abs(apart) < 0.01 * np.quantile(np.abs(apart), 0.9)
    assert differences_of(near_ties).near_ties == pytest.approx(near.mean())


def test_a_resolution_makes_ties(near_ties):
    data = differences_of(near_ties, resolution=1e-3)
    apart = (near_ties[:, 0] - near_ties[:, 1]).values
    assert data.n_tied.tolist() == [(np.abs(apart) <= 1e-3).sum()]
    assert len(data.y) == (np.abs(apart) > 1e-3).sum()
    assert data.near_ties.tolist() == [0.0]
    steps = scores_of(np.array([0.3, 0.5, 0.9]), np.array([0.2, 0.2, 0.2]))
    assert differences_of(steps, resolution=0.1).n_tied.tolist() == [1]  # .3 - .2 is no more
    built = graded.build(near_ties, resolution=1e-3)
    assert len(built.coords["row"]) == len(data.y)
    with pytest.raises(ValueError, match=r"resolution is -1"):
        differences_of(near_ties, resolution=-1)


@pytest.mark.sampled
def test_the_typical_difference_is_not_that_of_means(small_wins):
    mean = small_wins.mean("item").values
    assert mean[0] < mean[1]
    found = bt.fits.compare(graded.fit(small_wins, rng=1, predictive=False))
    assert found["difference_mean"].values[0, 1] == pytest.approx(0.02, abs=0.003)


@pytest.mark.sampled
def test_with_a_resolution_the_near_ties_give_the_answer_of_the_others(near_ties):
    tree = graded.fit(near_ties, resolution=1e-3, rng=1, predictive=False)
    found = bt.fits.compare(tree)
    assert found["verdict"].values[0, 1] == "b_better"
    assert tree["posterior"].attrs["resolution"] == 1e-3


def test_it_is_called_typical_and_never_how_much():
    spec = spec_of("graded")
    said = f"{spec.assumes} {spec.computed} {graded.__doc__}"
    assert "typical difference" in spec.assumes
    assert "how much" not in said

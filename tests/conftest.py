import gc

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import settings

from betterthan.datasets import example_fit
from betterthan.models import performance_function

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("steady")


def pytest_collection_finish():
    gc.set_threshold(100_000, 20, 100)  # compiling a model makes many small objects, and keeps them
    rest_on_what_is_loaded()


@pytest.fixture(scope="module", autouse=True)
def rest_after_a_file():
    yield
    rest_on_what_is_loaded()


def rest_on_what_is_loaded():
    """What is loaded by now stays: the collector need not look through it again and again, as it
    would (statsmodels asks it to at every correction of a p value).
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def regression_frame():
    """35 dialogues with two features and a response, in units of their own."""
    data = performance_function.simulate(35, features=2, rng=8)
    scaled = data["features"].values * [0.2, 30] + [0.5, 100]
    return pd.DataFrame(scaled, columns=["f", "words"]).assign(
        gain=0.1 * data["response"].values + 0.6
    )


@pytest.fixture(scope="session")
def regression_tree():
    """A stored fit, of features and a response named as in the frame: nothing is sampled."""
    tree = example_fit("performance_function")
    groups = {
        name: data.assign_coords(feature=["f", "words"]) if "feature" in data.dims else data
        for name, data in ((name, tree[name].to_dataset()) for name in tree.children)
    }
    groups["posterior"].attrs |= {
        "response": "gain",
        "features": ["f", "words"],
        "feature_low": np.array([0.0, 50.0]),
        "feature_high": np.array([1.0, 200.0]),
    }
    return xr.DataTree.from_dict(groups)

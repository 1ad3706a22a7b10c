import gc

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

from betterthan.models import performance_function
from betterthan.models.sampling import Sampling

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
def regression_trees(regression_frame):
    """A fit, and the same again, without predictions: it compiles nothing."""

    def fit(rng, **more):
        how = {"sampling": Sampling(draws=500), "rng": rng}
        return performance_function.fit(regression_frame, "gain", **how, **more)

    return fit(7), fit(np.int64(7), predictive=False)


@pytest.fixture(scope="session")
def regression_tree(regression_trees):
    return regression_trees[0]


@pytest.fixture(scope="session")
def ratings():
    """Ratings 1 to 4 of 60 dialogues by 10 users."""
    data = performance_function.simulate(60, features=2, groups=10, levels=4, rng=5)
    return pd.DataFrame(data["features"].values, columns=["f", "words"]).assign(
        rating=1 + data["response"].values, user=[f"u{k}" for k in data["group_of"].values]
    )


@pytest.fixture(scope="session")
def ordinal_tree(ratings):
    return performance_function.fit(ratings, "rating", by="user", ordinal=True, rng=7)

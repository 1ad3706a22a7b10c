import pandas as pd
import pytest
from hypothesis import settings

from betterthan.models import performance_function

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def regression_frame():
    """35 dialogues with two features and an outcome, in units of their own."""
    data = performance_function.simulate(35, features=2, rng=8)
    scaled = data["features"].values * [0.2, 30] + [0.5, 100]
    return pd.DataFrame(scaled, columns=["f", "words"]).assign(
        gain=0.1 * data["response"].values + 0.6
    )


@pytest.fixture(scope="session")
def regression_tree(regression_frame):
    return performance_function.fit(regression_frame, "gain", draws=500, rng=7)


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

"""A fit under an array with one prior for each pair."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.models import dirichlet_multinomial as model
from betterthan.models.sampling import Sampling

COUNTS = bt.counts.from_table(
    {("A", "B"): (12, 2, 30), ("A", "C"): (5, 6, 7), ("B", "C"): (1, 2, 3)}
)
ROWS = [[1.0, 2.0, 3.0], [40.0, 5.0, 6.0], [0.5, 9.0, 0.5]]


@pytest.fixture(scope="module")
def tree():
    return model.fit(COUNTS, prior=ROWS, sampling=Sampling(draws=500), rng=3)


@pytest.mark.sampled
def test_fit_agrees_with_the_closed_form(tree, agrees, whole):
    whole(tree)
    agrees(tree, model.closed_form(COUNTS, prior=ROWS))


@pytest.mark.sampled
def test_array_is_kept_with_the_draws(tree, tmp_path, round_trip):
    assert tree["posterior"].attrs["prior"] == "array"
    kept = tree["constant_data"]["prior"]
    assert kept.dims == ("pair", "outcome")
    assert kept["pair"].values.tolist() == ["A vs B", "A vs C", "B vs C"]
    np.testing.assert_array_equal(kept, ROWS)
    round_trip(tree, tmp_path / "fit.nc")

"""`make check` samples nothing, and cannot by accident."""

from pathlib import Path

import pytest

import betterthan as bt
from validation import refit

SOURCE = Path(bt.__file__).parent
VALIDATION = Path(refit.__file__).parent


def test_sampling_without_the_marker_is_an_error():
    counts = bt.counts.from_table({("A", "B"): (8, 1, 11)})
    with pytest.raises(RuntimeError, match="this test samples: mark it"):
        bt.models.beta_binomial.fit(counts, rng=1)
    with pytest.raises(RuntimeError, match="this test samples: mark it"):
        refit.sampled(None, 1)


@pytest.fixture(scope="module")
def kept():
    """Fixtures of a module come before those of a test."""
    with pytest.raises(RuntimeError, match="this test samples"):
        bt.models.beta_binomial.fit(bt.counts.from_table({("A", "B"): (8, 1, 11)}), rng=1)
    return True


def test_sampling_in_a_fixture_is_an_error_too(kept):
    assert kept


def test_the_sampler_is_called_in_two_places():
    calls = ("nutpie.sample(", "pm.sample(")
    files = [*SOURCE.rglob("*.py"), *VALIDATION.rglob("*.py")]
    found = {p.name for p in files for call in calls if call in p.read_text("utf-8")}
    assert found == {"sampling.py", "refit.py"}  # those that conftest.py watches

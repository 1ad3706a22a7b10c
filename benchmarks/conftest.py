"""What rows share."""

import gc

import pytest


@pytest.fixture(autouse=True)
def as_if_alone():
    """What rows before have left in the process is not looked through while this one is timed: the
    collector would do so the more often, the more objects a row makes.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()

"""How rows are timed: in processor time, ours and the other in turns, each as if alone."""

import gc

import pytest

TURNS = 3


def pytest_configure(config):
    config.addinivalue_line("markers", "once: takes too long to take turns")
    # threads that wait are paid for too; what others of this machine do is hardly heard
    config.option.benchmark_timer = "time.process_time"


@pytest.fixture(autouse=True, params=range(TURNS))
def turn(request):
    """What rows before have left in the process is not looked through while this one is timed: the
    collector would do so the more often, the more objects a row makes.
    """
    gc.collect()
    gc.freeze()
    yield request.param
    gc.unfreeze()


def pytest_collection_modifyitems(items):
    """Ours, the other, ours again: what disturbs the machine for a while disturbs both."""
    first: dict = {}
    for place, item in enumerate(items):
        first.setdefault(row_of(item), place)
    kept = [item for item in items if not (item.get_closest_marker("once") and turn_of(item))]
    items[:] = sorted(kept, key=lambda item: (first[row_of(item)], turn_of(item)))


def turn_of(item):
    return item.callspec.params["turn"]


def row_of(item):
    """The test and its parameters, but for who takes the turn."""
    others = {k: v for k, v in item.callspec.params.items() if k not in ("who", "turn")}
    return item.nodeid.partition("[")[0], str(others)

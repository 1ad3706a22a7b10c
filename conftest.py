"""What holds for tests and docstrings alike: nothing samples unless it says so."""

import os
from collections import Counter

import pytest

# Tests compile models for longer than they sample them: the plainest code takes a third off, for
# the same draws. Numba reads this when it is imported.
for name, value in (("OPT", "1"), ("CPU_NAME", "generic"), ("CPU_FEATURES", "")):
    os.environ.setdefault(f"NUMBA_{name}", value)
# Threads of linear algebra beside two workers wait for each other; numpy reads this likewise.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# nor do graphs keep the lines of code that each of their nodes comes from; models that `pm.sample`
# samples share what those of `fit` have compiled, which is without fastmath; and operations in
# predictions are those of Python and numpy, not of C: test_sampling.py compares the two
os.environ.setdefault("PYTENSOR_FLAGS", "traceback__limit=0,numba__fastmath=False,cxx=")

# an example that refits: no stored fit can stand for it
SAMPLED_EXAMPLES = {"betterthan.fits.checking.leave_one_dataset_out"}


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """Files that sample most go first: what takes long must not come last."""
    sampled = Counter()
    for item in items:
        if item.name in SAMPLED_EXAMPLES:
            item.add_marker(pytest.mark.sampled)
        sampled[item.path] += item.get_closest_marker("sampled") is not None
    items.sort(key=lambda item: -sampled[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Sampling in a test without the marker `sampled` is an error, also in its fixtures: `make
    check` stays quick.
    """
    if item.get_closest_marker("sampled"):
        return (yield)
    from betterthan.models import sampling
    from validation import refit

    def refuse(*_, **__):
        raise RuntimeError(
            "this test samples: mark it pytest.mark.sampled, or take a fit from "
            "bt.datasets.example_fit"
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "sample", refuse)
        patch.setattr(refit, "sampled", refuse)
        return (yield)

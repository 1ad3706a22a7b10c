"""What holds for tests and docstrings alike: nothing samples unless it says so, and one worker fits one model."""

from collections import Counter

import pytest

# an example that refits: no stored fit can stand for it
SAMPLED_EXAMPLES = {"betterthan.fits.of_datasets.leave_one_dataset_out"}
# fits that several files share are made on one worker
SHARED = {"regression_tree": "regression", "ordinal_tree": "regression"}


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    """Tests of one file stay together, so that each model is compiled once; those that sample most go first."""
    sampled = Counter()
    group = {}
    for item in items:
        if item.name in SAMPLED_EXAMPLES:
            item.add_marker(pytest.mark.sampled)
        shared = [SHARED[f] for f in getattr(item, "fixturenames", ()) if f in SHARED]
        group[item] = shared[0] if shared else item.nodeid.split("::")[0]
        item.add_marker(pytest.mark.xdist_group(group[item]))
        sampled[group[item]] += item.get_closest_marker("sampled") is not None
    items.sort(key=lambda item: -sampled[group[item]])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Sampling in a test without the marker `sampled` is an error, also in its fixtures: `make check` stays quick."""
    if item.get_closest_marker("sampled"):
        return (yield)
    from betterthan.models import refit, sampling

    def refuse(*_, **__):
        raise RuntimeError(
            "this test samples: mark it pytest.mark.sampled, or take a fit from bt.datasets.example_fit"
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "sample", refuse)
        patch.setattr(refit, "sampled", refuse)
        return (yield)

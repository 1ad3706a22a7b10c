"""What need not be loaded is not."""

import subprocess
import sys

import pytest


def loaded_after(code):
    slow = "('scipy.stats', 'scipy.optimize', 'scipy.sparse')"
    held = f"(m for m in sys.modules if sys.modules[m] and ('.' not in m or m in {slow}))"
    # xarray loads dask.array, and so scipy.sparse, by itself wherever dask is installed
    script = f"import sys\nsys.modules['dask'] = None\n{code}\nprint(' '.join(sorted({held})))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_door_alone_loads_nothing():
    assert not loaded_after("import betterthan") & {
        "numpy",
        "scipy",
        "pandas",
        "xarray",
        "pymc",
        "arviz",
        "matplotlib",
        "distributed",
    }


CLOSED_FORMS = """
import betterthan as bt
bt.compare(bt.datasets.contingency_case('a'), rope=0.01, ties='all')
bt.report(bt.compare(bt.datasets.intent_detection()))
bt.report(bt.compare(bt.datasets.intent_detection()), format='latex')
bt.posterior.prior_sweep(bt.datasets.intent_detection())
"""


def test_closed_forms_load_neither_pymc_nor_arviz_nor_matplotlib():
    loaded = loaded_after(CLOSED_FORMS)
    assert not loaded & {"pymc", "arviz", "matplotlib", "pytensor", "nutpie", "scipy.stats"}
    assert not loaded & {"distributed", "zarr"}
    assert not loaded & {"scipy.optimize", "scipy.sparse"}  # a third of the time of a comparison


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_help_and_version_answer_without_numpy(option):
    given = f"sys.argv = ['betterthan', '{option}']; from betterthan.cli.commands import main"
    loaded = loaded_after(f"{given}\ntry:\n    main()\nexcept SystemExit:\n    pass")
    assert not loaded & {"numpy", "pandas", "xarray", "scipy"}

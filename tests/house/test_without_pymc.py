"""An installation without the libraries that sample says what to install, in Python as well."""

import importlib
import sys

import pytest

import betterthan as bt
from betterthan import libraries
from validation.roster import ROSTER, validation_of


@pytest.fixture
def without_pymc(monkeypatch):
    for name in ("pymc", "nutpie", "arviz"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.parametrize("name", [row.model.__name__.rpartition(".")[2] for row in ROSTER])
def test_a_model_says_what_to_install(name, without_pymc):
    row = validation_of(name)
    shape, form = row.cases[0]
    data = row.given(row.model.simulate(**shape, rng=1))
    with pytest.raises(ModuleNotFoundError, match=r"need pymc.*pip install \.") as error:
        row.model.build(*data.data, **data.named, **form)
    assert error.value.name == "pymc"
    assert "import pymc as pm" in row.model.describe().code


def test_compare_and_draws_say_what_to_install(without_pymc):
    counts = bt.counts.from_table({("A", "B"): (18, 9, 13)})
    with pytest.raises(ModuleNotFoundError, match="closed forms"):
        bt.compare(counts, method="mcmc")
    with pytest.raises(ModuleNotFoundError, match="need arviz"):
        bt.fits.diagnose(bt.datasets.example_fit("davidson"))
    assert bt.compare(counts)["verdict"].sizes == {"system_a": 2, "system_b": 2}


def test_only_the_libraries_that_sample_are_there():
    assert libraries.pm is importlib.import_module("pymc")
    with pytest.raises(AttributeError, match="no attribute 'torch'"):
        libraries.torch  # noqa: B018

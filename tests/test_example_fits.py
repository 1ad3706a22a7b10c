"""The fits that ship with the package are fits, of the models as they are."""

import importlib.util
from pathlib import Path

import arviz as az
import numpy as np
import pytest
from llvmlite.binding import get_host_cpu_name

import betterthan as bt
from betterthan.datasets.published import FITS

spec = importlib.util.spec_from_file_location(
    "example_fits", Path(__file__).parent / "reference" / "example_fits.py"
)
assert spec
assert spec.loader
example_fits = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example_fits)

KNOWN = {"bt": bt, "np": np, "xr": example_fits.xr}


def libraries(tree):
    return tree["posterior"].attrs["versions"].split(", ")[1:]


def test_all_are_there_and_small():
    files = sorted(example_fits.FOLDER.iterdir())
    assert [f.name for f in files] == [f"{name}.nc" for name in FITS]
    assert set(example_fits.CALLS) == set(FITS)
    assert sum(f.stat().st_size for f in files) < 1_500_000


@pytest.mark.parametrize("name", FITS)
def test_is_a_fit_of_the_model_as_it_is(name):
    tree = bt.datasets.example_fit(name)
    assert bt.fits.diagnose(tree).passed
    data, fit = example_fits.CALLS[name]
    assert (tree.attrs["data"], tree.attrs["fit"].split("sampling=")[0]) == (
        data,
        fit.split("{}")[0],
    )
    build = fit.format("").replace(".fit(", ".build(")
    built = eval(build, KNOWN | {"data": eval(data, KNOWN)})
    named = {v.name for v in (*built.free_RVs, *built.deterministics)}
    variables = {v for v in named if not v.endswith("_raw")}
    assert variables - {"tail_less_one"} <= set(
        tree["posterior"].data_vars
    )  # graded.fit gives the tail itself
    assert all(v.dtype == np.float64 for v in tree["posterior"].data_vars.values())
    seen = built.rvs_to_values[built["y"]].eval(mode="FAST_COMPILE")
    np.testing.assert_array_equal(tree["observed_data"]["y"].values, seen)


def test_unknown_fit():
    with pytest.raises(ValueError, match="name is 'rasch'; choose one of clustered, davidson"):
        bt.datasets.example_fit("rasch")


@pytest.mark.sampled
def test_a_stored_fit_equals_a_fresh_one():
    """The same seed gives the same draws, to the digit where libraries and processor are those
    it was made with.
    """
    stored, fresh = bt.datasets.example_fit("davidson"), example_fits.fitted("davidson")
    assert set(fresh.children) == set(stored.children)
    same = libraries(stored) == libraries(fresh) and stored.attrs["cpu"] == get_host_cpu_name()
    for group in stored.children:
        assert set(fresh[group].data_vars) == set(stored[group].data_vars)
        for name, values in stored[group].data_vars.items():
            assert fresh[group][name].dims == values.dims
            if same:
                np.testing.assert_allclose(
                    fresh[group][name].values, values.values, rtol=1e-9, atol=1e-12
                )
    for name in ("ability", "tie", "ability_sd"):
        one, two = (tree["posterior"][name] for tree in (stored, fresh))
        error = np.hypot(az.mcse(one, method="mean"), az.mcse(two, method="mean"))
        assert (
            np.abs(one.mean(("chain", "draw")) - two.mean(("chain", "draw"))) < 4.5 * error
        ).all(), name

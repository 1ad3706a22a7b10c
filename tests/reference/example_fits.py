"""Makes the small fits that ship with the package: python tests/reference/example_fits.py, after a
model has changed.

`tests/test_example_fits.py` proves that one of them equals a fresh fit.
"""

import sys
from pathlib import Path

import numpy as np
import xarray as xr
from llvmlite.binding import get_host_cpu_name

import betterthan as bt

FOLDER = Path(bt.datasets.__file__).parent / "fits"
GROUPS = {"posterior", "sample_stats", "observed_data", "constant_data"}
OF_JUDGMENTS = GROUPS | {"posterior_predictive", "log_likelihood"}
STATS = {"diverging", "energy", "maxdepth_reached"}
SAMPLED = "sampling=bt.models.Sampling(draws=400), rng=1"
JUDGMENTS = "bt.models.davidson.simulate(3, judgments=200, rng=2)"

# name: the call that draws the data, and the call that fits them
CALLS = {
    "clustered": (
        'bt.models.clustered.simulate(20, size=5, rng=3)["counts"]',
        "bt.models.clustered.fit(data, {})",
    ),
    "davidson": (JUDGMENTS, "bt.models.davidson.fit(data, {})"),
    "graded": (
        "xr.DataArray(np.random.default_rng(1).normal([0.6, 0.5], 0.1, size=(40, 2)), "
        "dims=('item', 'system'), "
        "coords={'system': ['A', 'B']})",
        "bt.models.graded.fit(data, {})",
    ),
    "hierarchical": (
        'bt.models.hierarchical.simulate(4, n=40, rng=14)["counts"]',
        "bt.models.hierarchical.fit(data, {})",
    ),
    "mallows": (
        'bt.models.mallows.simulate(1, systems=2, pooling="complete", rng=3)',
        'bt.models.mallows.fit(data, pooling="complete", {})',
    ),
    "performance_function": (
        "bt.models.performance_function.simulate(60, features=2, rng=1)",
        'bt.models.performance_function.fit(data["features"], data["response"], {})',
    ),
    "rao_kupper": (JUDGMENTS, 'bt.models.davidson.fit(data, tie_model="rao_kupper", {})'),
}


def fitted(name: str) -> xr.DataTree:
    """The fit, without what examples do not need."""
    data, fit = CALLS[name]
    groups = OF_JUDGMENTS if data == JUDGMENTS else GROUPS
    more = [] if groups is OF_JUDGMENTS else ["predictive=False"]
    if name in ("clustered", "hierarchical") or groups is OF_JUDGMENTS:
        # drawn by weights unless asked: the examples show what a sampler leaves behind
        more.insert(0, 'sampler="nuts"')
    fit = fit.format(", ".join([SAMPLED, *more]))
    known = {"bt": bt, "np": np, "xr": xr}
    tree = eval(fit, known | {"data": eval(data, known)})
    kept = {k: tree[k].to_dataset() for k in tree.children if k in groups}
    draws, stats = kept["posterior"], kept["sample_stats"]
    # what NUTS moved on says nothing more
    kept["posterior"] = draws.drop_vars([v for v in draws if str(v).endswith("_raw")])
    kept["sample_stats"] = stats[[v for v in stats if v in STATS]]
    small = xr.DataTree.from_dict(kept)
    small.attrs = {"data": data, "fit": fit, "cpu": get_host_cpu_name()}
    return small


def packed(tree: xr.DataTree) -> dict[str, dict[str, dict[str, object]]]:
    """How each variable is written: small, and as it is."""
    how = {"zlib": True, "complevel": 9, "shuffle": True}
    return {f"/{k}": dict.fromkeys(node.data_vars, how) for k, node in tree.children.items()}


def main() -> int:
    """Write them all, or those named."""
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or CALLS:
        tree = fitted(name)
        diagnosis = bt.fits.diagnose(tree)
        if not diagnosis.passed:
            sys.exit(f"{name}: {diagnosis.failures}")
        tree.to_netcdf(FOLDER / f"{name}.nc", engine="h5netcdf", encoding=packed(tree))
        print(name, (FOLDER / f"{name}.nc").stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main())

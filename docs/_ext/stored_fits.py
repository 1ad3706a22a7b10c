"""Draws of the models of the pages, stored in docs/fits: sampling takes most of a build.

The name of a file is a digest of what was sampled: the log density of the model with its data and
its variables at fixed points, the seed, and the length of each chain. If a model still computes the
same, its page reads the draws. If not, the page samples, and the build ends in an error that names
the files to copy and to remove.
"""

import hashlib
import importlib.abc
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).parents[1] / "fits"
FRESH = "BETTERTHAN_DOCS_FRESH"  # a folder for what was sampled, and for the names of what was read
_SAMPLES = ("betterthan.models.sampling", "pymc")  # modules whose function `sample` samples
_STEPS = (0.1, 0.5, 2.0)  # how far the points are from where sampling starts
_LARGE = 20  # numbers a draw
_DISPLAY = {"quiet", "progressbar"}  # no part of what is sampled
_LARGEST = 3_000_000  # bytes of a stored file
_STATS = {"diverging", "energy", "maxdepth_reached"}


def name(model: Any, options: dict[str, Any]) -> str:
    """A digest of what is sampled, in sixteen letters."""
    content = {"asked": options, "computes": _at_points(model)}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _at_points(model: Any) -> dict[str, list[str]]:
    """Log density and all variables, in six digits: rounding differs between machines."""
    from pytensor.compile.mode import Mode

    from betterthan.models.sampling import without_compiler

    parameters = sorted(model.value_vars, key=lambda v: v.name)
    values = sorted(model.unobserved_value_vars, key=lambda v: v.name)
    with without_compiler():  # three evaluations: to compile or to simplify would take all the time
        compiled = model.compile_fn(
            [model.logp(), *values],
            inputs=parameters,
            mode=Mode("py", optimizer=None),
            on_unused_input="ignore",
        )
    start, random = model.initial_point(random_seed=1), np.random.default_rng(1)
    points = [
        {v.name: start[v.name] + step * random.normal(size=start[v.name].shape) for v in parameters}
        for step in _STEPS
    ]
    computed = ("log density", *(v.name for v in values))
    by_name = zip(computed, zip(*map(compiled, points), strict=True), strict=True)
    return {k: [_digits(v) for v in at] for k, at in by_name}


def _digits(values: Any) -> str:
    flat = np.ravel(values).astype(float)
    fixed = np.random.default_rng(2).uniform(0.5, 1.5, size=len(flat))  # none of them near 0
    return f"{flat.shape} {np.abs(flat) @ fixed:.6g} {float(np.linalg.norm(flat)):.6g}"


def with_stored_draws(sample: Callable[..., Any]) -> Callable[..., Any]:
    """The function that samples, or reads the draws if they are stored."""

    def read_or_sample(model: Any = None, **options: Any) -> Any:
        import pymc as pm
        import xarray as xr

        model = pm.modelcontext(model)  # pm.sample is called inside of it
        file = f"{name(model, {k: v for k, v in options.items() if k not in _DISPLAY})}.nc"
        folder = Path(os.environ[FRESH])
        if (STORED / file).exists():
            (folder / file).with_suffix(".read").touch()
            return read(STORED / file)
        tree: xr.DataTree = sample(model=model, **options)
        write(tree, folder / file)
        if (folder / file).stat().st_size > _LARGEST:  # sampled at every build
            (folder / file).unlink()
            return tree
        return read(folder / file)  # what other builds will read

    return read_or_sample


def write(tree: Any, file: Path) -> None:
    """Store draws in five digits, far below the Monte Carlo error.

    Large variables of the sampler itself (``_raw``) are left out; a fit that needs them raises an
    error.
    """
    import xarray as xr

    groups = {k: node.to_dataset() for k, node in tree.children.items()}
    draws, stats = groups["posterior"], groups["sample_stats"]
    large = draws.sizes["chain"] * draws.sizes["draw"] * _LARGE
    raw = [v for v in draws if str(v).endswith("_raw") and draws[v].size > large]
    groups["posterior"] = draws.drop_vars(raw)
    groups["sample_stats"] = stats[[v for v in stats if v in _STATS]]
    packed = {"zlib": True, "complevel": 9, "shuffle": True}
    how = {}
    for k, data in groups.items():
        if k in ("posterior", "sample_stats"):
            drawn = {v: data[v] for v in data if data[v].dtype == np.float64}
            groups[k] = data.assign({v: x.copy(data=_short(x.values)) for v, x in drawn.items()})
        how[f"/{k}"] = dict.fromkeys(data, packed)
    xr.DataTree.from_dict(groups).to_netcdf(file, engine="h5netcdf", encoding=how)


def _short(values: np.ndarray) -> np.ndarray:
    """Rounded to 16 bits, so that the file is small; an error of 1e-5 of a draw."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + np.uint32(64)) & np.uint32(0xFFFFFF80)).view(np.float32)


def read(file: Path) -> Any:
    """Read what `write` stored."""
    import xarray as xr

    tree = xr.load_datatree(file, engine="h5netcdf")
    for group in tree.children:
        data = tree[group].to_dataset()
        single = {v: data[v].astype(float) for v in data if data[v].dtype == np.float32}
        tree[group] = data.assign(single)
    return tree


class _Finder(importlib.abc.MetaPathFinder):
    """Waits for the modules that sample; a page that never samples loads nothing for it."""

    def __init__(self) -> None:
        self.waiting = set(_SAMPLES)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname not in self.waiting:
            return None
        self.waiting.remove(fullname)  # and so the next call finds the file
        spec = importlib.util.find_spec(fullname)
        assert spec is not None
        assert spec.loader is not None
        run = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            run(module)
            module.sample = with_stored_draws(module.sample)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def install() -> None:
    """From here on, stored draws are read."""
    if FRESH in os.environ:
        sys.meta_path.insert(0, _Finder())


def lacking(folder: Path, whole: bool = True) -> list[str]:
    """Commands that bring the stored files in line with what the pages read; none if they are.

    Only a `whole` build shows which files no page reads.
    """
    stored = {p.stem for p in STORED.glob("*.nc")}
    fresh, read_ones = ({p.stem for p in folder.glob(f"*.{k}")} for k in ("nc", "read"))
    here, there = (os.path.relpath(path, STORED.parents[1]) for path in (STORED, folder))
    copies = [f"cp {there}/{k}.nc {here}/" for k in sorted(fresh - stored)]
    unread = sorted(stored - fresh - read_ones) if whole else []
    return copies + [f"git rm {here}/{k}.nc" for k in unread]

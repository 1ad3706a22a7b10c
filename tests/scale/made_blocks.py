"""Scores in blocks, and how often each block was read."""

import sys
import threading
from importlib import metadata
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from betterthan.cli.commands import main


class Read:
    """An array that says which of its blocks were read, as a file would be."""

    def __init__(self, values):
        self.values, self.starts, self.lock = values, [], threading.Lock()
        self.shape, self.dtype, self.ndim = values.shape, values.dtype, values.ndim

    def __getitem__(self, at):
        if at[0].stop != at[0].start:  # dask looks at an empty part, too
            with self.lock:
                self.starts.append(at[0].start)
        return self.values[at]

    def most(self):
        """How often the block was read that was read most."""
        return max(self.starts.count(start) for start in self.starts)


def labelled(values, **attrs):
    """Scores in memory."""
    systems = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(
        values, dims=("item", "system"), coords={"system": systems}, attrs=attrs, name="scores"
    )


def watched(values, rows, **attrs):
    """The same in blocks, and what says how often each was read."""
    import dask.array

    read = Read(values)
    lazy = dask.array.from_array(read, chunks=(rows, -1), name=False, asarray=False)
    return labelled(values, **attrs).copy(data=lazy), read


def right_or_wrong(items, systems, seed=1, missing=0.0):
    """int8 of 0 and 1, with -1 where a score is missing."""
    random = np.random.default_rng(seed)
    values = (random.random((items, systems)) < np.linspace(0.4, 0.6, systems)).astype(np.int8)
    return np.where(random.random(values.shape) < missing, np.int8(-1), values)


def graded(items, systems, seed=1, missing=0.0):
    """Floats between 0 and 2, with NaN where a score is missing."""
    random = np.random.default_rng(seed)
    values = random.random((items, systems)) ** np.linspace(1, 1.1, systems)
    values += random.random((items, 1))
    return np.where(random.random(values.shape) < missing, np.nan, values)


def store(path, values, **attrs):
    """A Zarr store of scores."""
    labelled(values, **attrs).chunk(item=500).to_dataset().to_zarr(
        path, consolidated=False, zarr_format=2
    )
    return path


def run(capsys, *arguments):
    """What the command line prints, says, and its code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["betterthan", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
    out, err = capsys.readouterr()
    return out, err, left.value.code


# steps for workers, who load them from here


def counted(values):
    return ((value, len(values)) for value in values)


def failing(values):
    raise ValueError("this step fails")


def has_betterthan(told):
    """Lets a worker say that it has this version of betterthan, or none."""

    real = metadata.distribution

    def distribution(name):
        if name != "betterthan":
            return real(name)
        if told is None:
            raise metadata.PackageNotFoundError(name)
        return SimpleNamespace(version=told)

    metadata.distribution = distribution

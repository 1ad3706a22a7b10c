"""A netCDF file read by a child process, for libhdf5 may hang, crash or take all memory.

The child has limits of time and memory. It returns arrays and JSON: nothing in them is executed.
"""

import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from betterthan.progress import working

_RIGHT = "give a file that save wrote"
# limits of the child; a large file has a second more for each 10 MB
_SECONDS, _SECONDS_PER_BYTE = 60.0, 1e-7
_MEMORY = 4 * 2**30


def read(path: Path) -> xr.DataTree:
    """The tree that a netCDF file holds.

    Raises
    ------
    ValueError
        If the file cannot be read within the limits.
    """
    seconds = _SECONDS + _SECONDS_PER_BYTE * path.stat().st_size
    environment = {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        "OPENBLAS_NUM_THREADS": "1",  # each thread takes address space
    }
    try:
        with working(f"reading {path.name}, which has no digest"), path.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-P", "-W", "ignore", "-c", _READ],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | environment,
                timeout=seconds,
                check=True,
            )
    except subprocess.TimeoutExpired:
        raise ValueError(
            f"{path}: could not be read within {seconds:.0f} seconds, it may be damaged; {_RIGHT}"
        ) from None
    except subprocess.CalledProcessError:
        raise ValueError(f"{path}: is damaged, or no netCDF file; {_RIGHT}") from None
    except OSError as error:
        raise ValueError(
            f"{path}: has no digest, and the process that should read it cannot start "
            f"({error.strerror}); {_RIGHT}"
        ) from None
    return _unpacked(done.stdout)


def _unpacked(content: bytes) -> xr.DataTree:
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        arrays = iter([held[f"arr_{k}"] for k in range(len(held.files) - 1)])
        groups = json.loads(str(held["groups"]))
    tables = {}
    for path, group in groups.items():
        variables = {k: (dims, next(arrays), attrs) for k, dims, attrs in group["variables"]}
        tables[path] = xr.Dataset(variables, attrs=group["attrs"]).set_coords(group["coords"])
    return xr.DataTree.from_dict(tables)


def main() -> None:
    """Read the netCDF file on standard input, and write what it holds to standard output."""
    with suppress(ImportError, ValueError, OSError):  # not every platform has such a limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, most))
    tree = xr.load_datatree(io.BytesIO(sys.stdin.buffer.read()), engine="h5netcdf")
    np.savez(sys.stdout.buffer, **_packed(tree))


def _packed(tree: xr.DataTree) -> dict[str, Any]:
    """All arrays in their order, and what they are of."""
    arrays: list[np.ndarray] = []
    groups = {}
    for node in tree.subtree:
        table = node.to_dataset(inherit=False)
        arrays += [_no_objects(of.values) for of in table.variables.values()]
        groups[node.path] = {
            "variables": [[k, of.dims, of.attrs] for k, of in table.variables.items()],
            "coords": list(table.coords),
            "attrs": table.attrs,
        }
    described = json.dumps(groups, default=lambda value: value.tolist())
    return {f"arr_{k}": array for k, array in enumerate(arrays)} | {"groups": np.array(described)}


def _no_objects(values: np.ndarray) -> np.ndarray:
    """Text as other tools write it, without objects."""
    return values.astype(str) if values.dtype.kind in "OT" else values


_READ = f"from {__name__} import main; main()"

"""A comparison as a netCDF file: written with a digest, and opened only where it is unchanged.

libhdf5 can crash on a damaged file or never return. So `read` compares a file with its digest
before libhdf5 sees a byte. A file without digest, which another tool wrote, is read by a child
process with limits of time and memory. It returns arrays and JSON: nothing in them is executed.

The digest stands behind the end of the HDF5 file, where no reader looks. A tool that changes the
file in place cuts it off.
"""

import hashlib
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


def read_in_child(path: Path) -> xr.DataTree:
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
        arrays += [_no_objects(variable.values) for variable in table.variables.values()]
        groups[node.path] = {
            "variables": [
                [k, variable.dims, variable.attrs] for k, variable in table.variables.items()
            ],
            "coords": list(table.coords),
            "attrs": table.attrs,
        }
    described = json.dumps(groups, default=lambda value: value.tolist())
    return {f"arr_{k}": array for k, array in enumerate(arrays)} | {"groups": np.array(described)}


def _no_objects(values: np.ndarray) -> np.ndarray:
    """Text as other tools write it, without objects."""
    return values.astype(str) if values.dtype.kind in "OT" else values


# xarray would load dask, to ask what nothing in a file is
_READ = f"import sys; sys.modules['dask'] = None; from {__name__} import main; main()"


_START, _TAIL = b"\nbetterthan: SHA-256 of all bytes before this line is ", b", end of file\n"
_HDF5 = b"\x89HDF\r\n\x1a\n"


def as_bytes(tree: xr.DataTree) -> bytes:
    """The tree as a netCDF file with its digest."""
    written: Any = tree.to_netcdf(engine="h5netcdf")
    content = bytes(written)
    return content + _digest(content)


def read(path: Path) -> xr.DataTree:
    """The tree that a netCDF file holds, in memory.

    Raises
    ------
    ValueError
        If the file is no netCDF file, was changed after it was saved, or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(
            f"{path}: cannot be read ({error.strerror}); give a file you may read"
        ) from None
    body, start, _ = content.rpartition(_START)
    has_digest = bool(start) or content.endswith(_TAIL)
    if has_digest and content[len(body) :] != _digest(body):
        raise ValueError(
            f"{path}: was changed or damaged after it was saved; copy it again, or save it again"
        )
    if not content.startswith(_HDF5):
        problem = "is no netCDF file" if content else "is empty"
        raise ValueError(f"{path}: {problem}; give a file that save wrote")
    if has_digest:
        return xr.load_datatree(io.BytesIO(body), engine="h5netcdf")
    return read_in_child(path)


def _digest(content: bytes) -> bytes:
    return _START + hashlib.sha256(content).hexdigest().encode() + _TAIL

"""A comparison as a netCDF file: written with a digest, and opened only where it is unchanged.

libhdf5 can crash on a damaged file or never return. So `read` compares a file with its digest
before libhdf5 sees a byte. A file without digest, which another tool wrote, is read by a child
process.

The digest stands behind the end of the HDF5 file, where no reader looks. A tool that changes the
file in place cuts it off.
"""

import hashlib
import io
from pathlib import Path
from typing import Any

import xarray as xr

from betterthan.results import child_process

_HEAD, _TAIL = b"\nbetterthan: SHA-256 of all bytes before this line is ", b", end of file\n"
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
    body, head, _ = content.rpartition(_HEAD)
    has_digest = bool(head) or content.endswith(_TAIL)
    if has_digest and content[len(body) :] != _digest(body):
        raise ValueError(
            f"{path}: was changed or damaged after it was saved; copy it again, or save it again"
        )
    if not content.startswith(_HDF5):
        what = "is no netCDF file" if content else "is empty"
        raise ValueError(f"{path}: {what}; give a file that save wrote")
    if has_digest:
        return xr.load_datatree(io.BytesIO(body), engine="h5netcdf")
    return child_process.read(path)


def _digest(content: bytes) -> bytes:
    return _HEAD + hashlib.sha256(content).hexdigest().encode() + _TAIL

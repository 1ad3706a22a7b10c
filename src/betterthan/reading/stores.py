"""Whether a source is a Zarr store, without what reads one."""

from pathlib import Path
from typing import Any

_STORE = ("zarr.json", ".zgroup", ".zarray", ".zmetadata")


def is_store(source: Any) -> bool:
    """Whether a source is a Zarr store."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    try:
        return path.is_dir() and any((path / name).exists() for name in _STORE)
    except (OSError, ValueError):  # no name of a file: whoever reads it says so
        return False

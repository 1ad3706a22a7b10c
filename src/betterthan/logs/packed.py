"""The bytes of a file as they were before they were packed, never more than a cap."""

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from betterthan.io.problems import problem

MOST_BYTES = 2 * 2**30  # that one file, member or line may unpack to
_BUFFER, _LINES = 2**20, 2**17
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def opened(path: Path, name: str, most: int | None = None) -> BinaryIO:
    """The unpacked bytes of a file, plain, gzip or zstd as its first bytes say.

    Parameters
    ----------
    path : path
    name : str
        Of the file, for messages.
    most : int, optional
        Bytes that a packed file may unpack to; `MOST_BYTES` when not given.
    """
    try:
        file: Any = path.open("rb", buffering=_LINES)
    except OSError as error:
        raise problem(name, f"cannot be read ({error.strerror})") from None
    packed = _packing(file.read(4))
    if packed is None:
        file.seek(0)
        return file
    file.close()
    inner = gzip.GzipFile(path) if packed == "gzip" else zstd().ZstdFile(path)
    capped = _Capped(inner, name, packed, MOST_BYTES if most is None else most)
    return io.BufferedReader(capped, _BUFFER)


def zstd() -> Any:
    """The module for Zstandard, in the standard library from Python 3.14."""
    try:
        from compression import zstd  # pyright: ignore[reportMissingImports]
    except ImportError:
        from backports import zstd
    return zstd


def _packing(start: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


class _Capped(io.RawIOBase):
    """Gives what another file holds, and refuses to give more than the cap."""

    def __init__(self, inner: Any, name: str, packed: str, most: int) -> None:
        self._inner, self._name, self._packed = inner, name, packed
        self._most, self._given = most, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            found = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error, zstd().ZstdError) as error:
            what = f"not a whole {self._packed} file ({error}); pack or download it again"
            raise problem(self._name, what) from None
        self._given += len(found)
        if self._given > self._most:
            what = f"unpacks to more than {self._most:,} bytes; unpack it yourself if that is meant"
            raise problem(self._name, what)
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._inner.close()
        super().close()

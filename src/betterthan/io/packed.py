"""The bytes of a file as they were before they were packed, never more than the limit."""

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from betterthan.io.expanding import Expansion
from betterthan.io.problems import problem

_BUFFER, _LINES = 2**20, 2**17
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def opened(path: Path, name: str) -> BinaryIO:
    """The unpacked bytes of a file, plain, gzip or zstd as its first bytes say.

    Parameters
    ----------
    path : path
    name : str
        Of the file, for messages.
    """
    try:
        file: Any = path.open("rb", buffering=_LINES)
    except OSError as error:
        raise problem(name, f"cannot be read ({error.strerror})") from None
    kind = _packing(file.read(4))
    if kind is None:
        file.seek(0)
        return file
    file.close()
    return _unpacked(path, name, kind)


def gunzipped(path: Path, name: str) -> bytes:
    """The unpacked bytes of a file that is gzip as its name says."""
    with _unpacked(path, name, "gzip") as file:
        return file.read()


def zstd() -> Any:
    """The module for Zstandard, in the standard library from Python 3.14."""
    try:
        from compression import zstd  # pyright: ignore[reportMissingImports]
    except ImportError:
        from backports import zstd
    return zstd


def _packing(start: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


def _unpacked(path: Path, name: str, kind: str) -> BinaryIO:
    inner = gzip.GzipFile(path) if kind == "gzip" else zstd().ZstdFile(path)
    return io.BufferedReader(_Counted(inner, kind, Expansion(name, path.stat().st_size)), _BUFFER)


class _Counted(io.RawIOBase):
    """Read another file and count its bytes."""

    def __init__(self, inner: Any, kind: str, expansion: Expansion) -> None:
        self._inner, self._kind, self._expansion = inner, kind, expansion

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error, zstd().ZstdError) as error:
            reason = f"not a whole {self._kind} file ({error}); pack or download it again"
            raise problem(self._expansion.where, reason) from None
        self._expansion.add(len(data))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        data, piece = io.BytesIO(), memoryview(bytearray(_BUFFER))
        while size := self.readinto(piece):
            data.write(piece[:size])
        return data.getvalue()

    def close(self) -> None:
        self._inner.close()
        super().close()

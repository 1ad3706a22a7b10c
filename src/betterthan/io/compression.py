"""Compressed files, and one limit for how much they may expand to."""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from betterthan.io.problems import problem

MOST_BYTES = 2 * 2**30  # that a file, member, line or value expands to, however it is packed
HARMLESS = 2**25  # that any may expand to
RATIO = 200  # bytes for one packed byte: tables and logs reach 20, rarely 100, a bomb 1,000


_LIGHT, _PIECE = 2**23, 2**20  # bytes of JSON that may hold anything; that are looked at together
_WEIGHTS = {b"{": 208, b"[": 64, b",": 48}  # bytes in memory of what begins with a mark
_TIMES = 6  # as many bytes in memory as in the file


def max_expanded(packed: int) -> int:
    """How many bytes some packed bytes may expand to.

    Examples
    --------
    >>> max_expanded(1), max_expanded(10**6), max_expanded(10**9)
    (33554432, 200000000, 2147483648)
    """
    return min(MOST_BYTES, max(HARMLESS, RATIO * packed))


@dataclass
class Expansion:
    """What a file, or a member of an archive, has expanded to so far.

    Attributes
    ----------
    where : str
        Its name, for messages.
    packed : int
        Its bytes before they expand.
    within : Expansion, optional
        That of the archive, in which all its members count.
    right : str
        What to do where that much is meant.
    size : int
        The bytes that it has expanded to.

    Examples
    --------
    >>> packed = Expansion("a.gz", 900)
    >>> packed.add(10**6)
    >>> packed.add(10**8)
    Traceback (most recent call last):
    ...
    ValueError: a.gz: unpacks 900 bytes to more than 33,554,432; unpack it yourself if that is meant
    """

    where: str
    packed: int
    within: "Expansion | None" = None
    right: str = "unpack it yourself if that is meant"
    size: int = 0

    def add(self, size: int) -> None:
        """Count bytes that were expanded; refuse more than the limit, here or in the archive."""
        for level in self._counted():
            level.size += size
            if level.size > max_expanded(level.packed):
                raise self._refusal(level, "")

    def expect(self, size: int) -> None:
        """Refuse what says that it expands to more than the limit, before any of it is read."""
        for level in self._counted():
            if level.size + size > max_expanded(level.packed):
                raise self._refusal(level, f"{level.size + size:,}, ")

    def _counted(self) -> list["Expansion"]:
        return [self] if self.within is None else [self, self.within]

    def _refusal(self, level: "Expansion", target: str) -> ValueError:
        size = f"{level.packed:,} bytes"
        packed_size = size if level is self else f"the {size} of the file, with members before it,"
        most = f"to {target}more than {max_expanded(level.packed):,}"
        return problem(self.where, f"unpacks {packed_size} {most}; {self.right}")


def refuse_crowded(data: bytes, where: str, row: int | None = None) -> None:
    """Refuse one value of JSON that takes far more memory than its bytes: as millions of empty
    lists do.

    Parameters
    ----------
    data : bytes
    where : str
        The name of the file, for messages.
    row : int, optional
    """
    most = _TIMES * len(data)
    if len(data) <= _LIGHT or _weight([data]) <= most:
        return
    weight = _weight(_outside_texts(data))
    if weight > most:
        reason = (
            f"holds so many small values in {len(data):,} bytes that they take {weight:,} bytes of "
            f"memory, more than {most:,}; give parts of it"
        )
        raise problem(where, reason, row=row)


def _weight(pieces: Iterable[bytes]) -> int:
    return sum(piece.count(mark) * weight for piece in pieces for mark, weight in _WEIGHTS.items())


def _outside_texts(data: bytes) -> Iterator[bytes]:
    """What of JSON stands between its texts."""
    data = data.replace(rb"\\", b"").replace(rb"\"", b"")
    inside = 0
    for begin in range(0, len(data), _PIECE):
        parts = data[begin : begin + _PIECE].split(b'"')
        yield b"".join(parts[inside::2])
        inside = (inside + len(parts) - 1) % 2


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

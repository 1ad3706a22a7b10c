"""Compressed files, and one limit for how much they may expand to."""

import gzip
import io
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
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


def refuse_crowded(data: bytes, where: str, row: int | None = None, light: int = _LIGHT) -> int:
    """Refuse one value of JSON that takes far more memory than its bytes, as millions of empty
    lists do; return about how much memory its values take.

    Parameters
    ----------
    data : bytes
    where : str
        The name of the file, for messages.
    row : int, optional
    light : int
        How many bytes may hold anything: no values of these are counted.
    """
    most = _TIMES * len(data)
    if len(data) <= light or _weight([data]) <= len(data):
        return 0
    weight = _weight(_outside_texts(data))
    if weight > most and len(data) > _LIGHT:
        reason = f"holds so many small values in {len(data):,} bytes that they take"
        reason += f" {weight:,} bytes of memory, more than {most:,}; give parts of it"
        raise problem(where, reason, row=row)
    return weight


# bytes in memory of a sample, of digests of what it asks, of a score, of a letter of id and text
_SAMPLE, _DIGESTS, _SCORE, _LETTER = 300, 200, 150, 3
_SMALL = 2**24  # bytes in memory that any logs may take


def most_blanks(size: int) -> int:
    """How many blank cells a table may have that no byte of the file stands for: each takes 8 bytes
    of memory.

    Examples
    --------
    >>> most_blanks(10**6)
    2472152
    """
    return (_SMALL + _TIMES * size // 2) // 8


@dataclass
class Memory:
    """What the logs that are read expand to, and what is kept of them.

    Attributes
    ----------
    sizes : dict of str to int
        Bytes of each file, or member of an archive; the last is the one that is read.
    size : int
        Their sum.
    kept : int
        Bytes in memory.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    size: int = 0
    kept: int = 0

    def keep(self, size_kept: int, row: int | None) -> None:
        """Count bytes in memory; refuse logs whose rows are so small that all they hold takes far
        more memory than the files.
        """
        self.kept += size_kept
        most = _SMALL + _TIMES * self.size
        if self.kept > most:
            reason = f"holds samples of so few bytes that {self.size:,} take more than {most:,}"
            right = "give parts of it, or a table with columns item, system and score"
            reason = f"{reason} bytes of memory; {right}"
            raise problem(next(reversed(self.sizes), ""), reason, row=row)


MEMORY: ContextVar[Memory | None] = ContextVar("memory", default=None)


@contextmanager
def counted_memory() -> Generator[None]:
    """Refuse logs that take far more memory than their files, of those that are read within."""
    before = MEMORY.set(Memory())
    try:
        yield
    finally:
        MEMORY.reset(before)


def count_size(name: str, size: int) -> None:
    """Count what a file, or a member of an archive, expands to."""
    if memory := MEMORY.get():
        more = size - memory.sizes.get(name, 0)
        if more > 0:
            memory.sizes[name] = size
            memory.size += more


def keep(
    items: Sequence[Any], texts: Sequence[str], scores: int, row: int | None, *, hashed: bool
) -> None:
    """Count samples of logs that are kept; see `Memory.keep`.

    Parameters
    ----------
    items : sequence
        Their ids.
    texts : sequence of str
        What is kept of what they ask.
    scores : int
        How many they have.
    row : int, optional
        Where the last of them stands, for messages.
    hashed : bool
        Whether digests are kept of what they ask.
    """
    if memory := MEMORY.get():
        ids = (item for item in items if type(item) is str)
        letters = _LETTER * (sum(map(len, ids)) + sum(map(len, texts)))
        memory.keep((_SAMPLE + _DIGESTS * hashed) * len(items) + _SCORE * scores + letters, row)


def keep_bytes(size: int, row: int | None = None) -> None:
    """Count bytes in memory that are kept of logs; see `Memory.keep`."""
    if memory := MEMORY.get():
        memory.keep(size, row)


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


_BUFFER = 2**20
LINES = 2**17  # bytes that are read at once of what is read by lines
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def opened(path: Path, name: str, buffer: int = LINES) -> BinaryIO:
    """The unpacked bytes of a file, plain, gzip or zstd as its first bytes say.

    Parameters
    ----------
    path : path
    name : str
        Of the file, for messages.
    buffer : int, optional
        How many bytes of a plain file are read at once.
    """
    try:
        file: Any = path.open("rb", buffering=0)
    except OSError as error:
        raise problem(name, f"cannot be read ({error.strerror})") from None
    start = file.read(4)
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    if kind is None:
        file.seek(0)
        if MEMORY.get():
            count_size(name, path.stat().st_size)
        return io.BufferedReader(file, buffer)
    file.close()
    return _unpacked(path, name, kind)


def gunzipped(path: Path, name: str) -> bytes:
    """The unpacked bytes of a file that is gzip as its name says."""
    with _unpacked(path, name, "gzip") as file:
        return file.read()


def zstd() -> Any:
    """The module for Zstandard, in the standard library from Python 3.14."""
    try:
        from compression import zstd  # type: ignore[missing-import]
    except ImportError:
        from backports import zstd
    return zstd


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
        count_size(self._expansion.where, self._expansion.size)
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

"""Members of a zip archive, read raw: also packed with Zstandard, in one frame or many."""

import io
import struct
import zlib
from typing import Any, BinaryIO

from betterthan.io.problems import problem
from betterthan.logs import packed
from betterthan.logs.heads import LogFile
from betterthan.logs.zip_directory import Member

_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4s22xHH")  # of a local header: magic, bytes of name, bytes of extra
_STEP = 2**18


class Archive:
    """A zip file by the names of its members, which are never paths.

    Of members of one name the last is taken, as it was written last.
    """

    def __init__(self, file: LogFile) -> None:
        self.name = file.name
        if file.head.kind != "zip":
            raise problem(self.name, f"is {file.head.kind}, and not a zip file")
        self._infos = file.head.infos
        self._members = {name: k for k, name in enumerate(self._infos.names)}
        self._file: BinaryIO = file.path.open("rb")

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __contains__(self, member: str) -> bool:
        return member in self._members

    @property
    def members(self) -> list[str]:
        """Their names, as they stand in the archive."""
        return list(self._members)

    def read(self, member: str) -> bytes:
        """A member whole; its size and check sum are what the archive says."""
        with self.open(member) as file:
            return file.read()

    def open(self, member: str) -> BinaryIO:
        """A member from its beginning; size and check sum are checked at its end."""
        info = self._infos[self._members[member]]
        where = f"{self.name}, member {member}"
        if info.file_size > packed.MOST_BYTES:
            what = f"unpacks to {info.file_size:,} bytes, more than {packed.MOST_BYTES:,}"
            raise problem(where, what)
        if info.flag_bits & 1:
            raise problem(where, "is encrypted")
        if info.compress_type not in (_STORED, _DEFLATE, _ZSTD):
            raise problem(where, f"is packed in a way that is not read ({info.compress_type})")
        self._file.seek(info.header_offset)
        start = self._file.read(_LOCAL.size)
        if len(start) < _LOCAL.size or not start.startswith(b"PK\3\4"):
            raise problem(where, "does not stand where the archive says; is the file cut?")
        _, name, extra = _LOCAL.unpack(start)
        begin = info.header_offset + _LOCAL.size + name + extra
        return io.BufferedReader(_Member(self._file, begin, info, where), _STEP)


class _Member(io.RawIOBase):
    """What a member unpacks to; any number of frames one after the other."""

    def __init__(self, file: BinaryIO, begin: int, info: Member, where: str) -> None:
        self._file, self._at, self._left = file, begin, info.compress_size
        self._size, self._crc, self._where = info.file_size, info.CRC, where
        self._given, self._sum, self._buffer = 0, 0, memoryview(b"")
        self._unpack = _UNPACKERS[info.compress_type]()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._buffer:
            self._buffer = memoryview(self._next())
        found, self._buffer = self._buffer[: len(buffer)], self._buffer[len(buffer) :]
        buffer[: len(found)] = found
        return len(found)

    def readall(self) -> bytes:
        parts: list[Any] = [self._buffer] if self._buffer else []  # one alone is not copied
        while found := self._next(self._left):
            parts.append(found)
        return b"".join(parts)

    def _next(self, step: int = _STEP) -> bytes:
        """What the next packed bytes unpack to, nothing at the end; there the sums are checked."""
        found = b""
        while not found and self._left:
            found = self._step(step)
        self._given += len(found)
        self._sum = zlib.crc32(found, self._sum)
        if self._given > self._size:
            raise problem(self._where, f"unpacks to more than the {self._size:,} bytes it says")
        if not found and (self._given != self._size or self._sum != self._crc):
            what = "is not what was packed (wrong size or check sum); pack or download it again"
            raise problem(self._where, what)
        return found

    def _step(self, step: int) -> bytes:
        self._file.seek(self._at)
        raw = self._file.read(min(step, self._left))
        self._at += len(raw)
        self._left -= len(raw)
        if not raw:
            raise problem(self._where, "is cut")
        try:
            return self._unpack(raw, self._size - self._given + 1)
        except (zlib.error, packed.zstd().ZstdError, EOFError) as error:
            what = f"cannot be unpacked ({error}); pack or download it again"
            raise problem(self._where, what) from None


def _stored() -> Any:
    return lambda raw, most: raw


def _deflate() -> Any:
    inner = zlib.decompressobj(-zlib.MAX_WBITS)
    return lambda raw, most: inner.decompress(raw, most)


def _frames() -> Any:
    """Unpacks frame by frame; no more than `most` bytes of one piece."""
    zstd = packed.zstd()
    inner = [zstd.ZstdDecompressor()]

    def unpack(raw: bytes, most: int) -> bytes:
        found = []
        while raw and most > 0:
            if inner[0].eof:
                inner[0] = zstd.ZstdDecompressor()
            found.append(inner[0].decompress(raw, most))
            most -= len(found[-1])
            raw = inner[0].unused_data if inner[0].eof else b""
        return b"".join(found)

    return unpack


_UNPACKERS = {_STORED: _stored, _DEFLATE: _deflate, _ZSTD: _frames}

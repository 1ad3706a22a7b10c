"""Members of a zip archive, read raw: also packed with Zstandard, in one frame or many."""

import io
import struct
import zlib
from typing import Any, BinaryIO

from betterthan.io.compression import Expansion, zstd
from betterthan.io.problems import problem
from betterthan.logs.sniffing import LogFile
from betterthan.logs.zip_directory import Member, overlapping

_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4s22xHH")  # of a local header: magic, bytes of name, bytes of extra
_STEP = 2**18
_RIGHT = "if that is meant, write the log as JSON"


class Archive:
    """A zip file by the names of its members, which are never paths.

    Of members of one name the last is taken, as it was written last.
    """

    def __init__(self, file: LogFile) -> None:
        self.name = file.name
        if file.preview.kind != "zip":
            raise problem(self.name, f"is {file.preview.kind}, and not a zip file")
        self._infos = file.preview.infos
        if twice := overlapping(self._infos):
            reason = "holds members {!r} and {!r} in the same bytes; pack or download it again"
            raise problem(self.name, reason.format(*twice))
        self._members = {name: k for k, name in enumerate(self._infos.names)}
        self._file: BinaryIO = file.path.open("rb")
        self._whole = Expansion(self.name, file.path.stat().st_size)

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

    def open(self, member: str, *, whole: bool = True) -> BinaryIO:
        """A member from its beginning; size and check sum are checked at its end.

        Parameters
        ----------
        member : str
        whole : bool, default True
            Whether all of it will be read, so that its size is checked before.
        """
        info = self._infos[self._members[member]]
        where = f"{self.name}, member {member}"
        expansion = Expansion(where, info.compress_size, self._whole, _RIGHT)
        if whole:
            expansion.expect(info.file_size)
        if info.flag_bits & 1:
            raise problem(where, "is encrypted")
        if info.compress_type not in _UNPACKERS:
            raise problem(where, f"is packed in a way that is not read ({info.compress_type})")
        self._file.seek(info.header_offset)
        start = self._file.read(_LOCAL.size)
        if len(start) < _LOCAL.size or not start.startswith(b"PK\3\4"):
            raise problem(where, "does not stand where the archive says; is the file cut?")
        _, name, extra = _LOCAL.unpack(start)
        begin = info.header_offset + _LOCAL.size + name + extra
        return io.BufferedReader(_Member(self._file, begin, info, expansion), _STEP)


class _Member(io.RawIOBase):
    """What a member unpacks to; any number of frames one after the other."""

    def __init__(self, file: BinaryIO, begin: int, info: Member, expansion: Expansion) -> None:
        self._file, self._at, self._left = file, begin, info.compress_size
        self._size, self._crc, self._expansion = info.file_size, info.CRC, expansion
        self._sum, self._packing = 0, _UNPACKERS[info.compress_type]()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer), _STEP)
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        parts: list[bytes] = []  # one alone is not copied
        while part := self._next(self._size - self._expansion.size + 1, self._left):
            parts.append(part)
        return b"".join(parts)

    def _next(self, most: int, step: int) -> bytes:
        """Return at most `most` of the next bytes; none at the end, where the checksum is checked.

        Parameters
        ----------
        most : int
        step : int
            Packed bytes to read at a time.
        """
        data, size, where = b"", self._expansion.size, self._expansion.where
        while not data and (self._left or not self._packing.hungry):
            data = self._unpacked(min(most, self._size - size + 1), step)
        self._expansion.add(len(data))
        self._sum = zlib.crc32(data, self._sum)
        if self._expansion.size > self._size:
            raise problem(where, f"unpacks to more than the {self._size:,} bytes it says")
        if not data and (size != self._size or self._sum != self._crc):
            reason = "is not what was packed (wrong size or check sum); pack or download it again"
            raise problem(where, reason)
        return data

    def _unpacked(self, most: int, step: int) -> bytes:
        raw = self._raw(min(step, self._left)) if self._packing.hungry else b""
        try:
            return self._packing.unpack(raw, most)
        except (zlib.error, zstd().ZstdError, EOFError) as error:
            reason = f"cannot be unpacked ({error}); pack or download it again"
            raise problem(self._expansion.where, reason) from None

    def _raw(self, size: int) -> bytes:
        self._file.seek(self._at)
        raw = self._file.read(size)
        self._at += len(raw)
        self._left -= len(raw)
        if not raw:
            raise problem(self._expansion.where, "is cut")
        return raw


class _Stored:
    """Uncompressed bytes."""

    def __init__(self) -> None:
        self._kept = b""

    @property
    def hungry(self) -> bool:
        """Whether there is nothing left of what came in."""
        return not self._kept

    def unpack(self, raw: bytes, most: int) -> bytes:
        """Return at most `most` of the bytes received so far."""
        data = self._kept or raw
        self._kept = data[most:]
        return data[:most]


class _Deflated:
    """Bytes that were packed by Deflate."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-zlib.MAX_WBITS)

    @property
    def hungry(self) -> bool:
        """Whether more packed bytes are needed."""
        return not self._inner.unconsumed_tail

    def unpack(self, raw: bytes, most: int) -> bytes:
        """At most so many bytes of what came in before and now."""
        return self._inner.decompress(self._inner.unconsumed_tail or raw, most)


class _Frames:
    """Bytes that were packed by Zstandard, in any number of frames."""

    def __init__(self) -> None:
        self._inner = zstd().ZstdDecompressor()

    @property
    def hungry(self) -> bool:
        """Whether more packed bytes are needed."""
        inner = self._inner
        return not inner.unused_data if inner.eof else inner.needs_input

    def unpack(self, raw: bytes, most: int) -> bytes:
        """At most so many bytes of what came in before and now."""
        if self._inner.eof:
            raw = self._inner.unused_data + raw
            self._inner = zstd().ZstdDecompressor()
        return self._inner.decompress(raw, most)


_UNPACKERS: dict[int, Any] = {_STORED: _Stored, _DEFLATE: _Deflated, _ZSTD: _Frames}

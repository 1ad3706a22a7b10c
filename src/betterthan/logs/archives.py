"""Members of a zip archive, read raw: also packed with Zstandard, in one frame or many."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import attrgetter
from typing import Any, BinaryIO

from betterthan.io.compression import Expansion, count_size, zstd
from betterthan.io.json_records import RepeatedKeyError, Window, elements, loads
from betterthan.io.problems import problem
from betterthan.logs.sniffing import LogFile

_STORED, _DEFLATE, _ZSTD = 0, 8, 93
_LOCAL = struct.Struct("<4s22xHH")  # of a local header: magic, bytes of name, bytes of extra
_UTF8 = 0x800  # flag of a name in UTF-8
_STEP = 2**18
_SHORT = 2**22  # bytes of a list
_RIGHT = "if that is meant, write the log as JSON"


class Archive:
    """A zip file by the names of its members, which are never paths.

    Of members of one name the last is taken, as it was written last.
    """

    def __init__(self, file: LogFile) -> None:
        self.name = file.name
        if file.preview.kind != "zip":
            raise problem(self.name, f"is {file.preview.kind}, and not a zip file")
        for first, second in pairwise(sorted(file.preview.infos, key=attrgetter("header_offset"))):
            end = first.header_offset + _LOCAL.size + len(first.filename) + first.compress_size
            if end > second.header_offset:  # as in a zip bomb
                names = f"{first.filename!r} and {second.filename!r}"
                reason = f"holds members {names} in the same bytes; pack or download it again"
                raise problem(self.name, reason)
        self._members = {info.filename: info for info in file.preview.infos}
        self._path = file.path
        self._expansion = Expansion(self.name, file.path.stat().st_size)

    def __contains__(self, member: str) -> bool:
        return member in self._members

    @property
    def members(self) -> list[str]:
        """Their names, as they stand in the archive."""
        return list(self._members)

    def elements(self, member: str) -> Iterable[Any]:
        """The samples in a member, a list; a short one is parsed at once."""
        if self._members[member].file_size <= _SHORT:
            try:
                values = loads(self.read(member))
            except (ValueError, RecursionError, RepeatedKeyError):
                values = None  # what is wrong with it is found below
            if isinstance(values, list):
                return values
        return self._streamed(member)

    def _streamed(self, member: str) -> Iterator[Any]:
        name = f"{self.name}, member {member}"
        with self.open(member) as data:
            window = Window(data, name)
            if window.next() not in ("[", ""):
                raise problem(name, "is no list of samples")
            window.expect("[")
            yield from elements(window)
            window.end()

    def read(self, member: str) -> bytes:
        """A member whole; its size and check sum are what the archive says."""
        with self._member(member, whole=True) as file:
            return file.readall()

    def open(self, member: str, *, whole: bool = True) -> BinaryIO:
        """A member from its beginning; size and check sum are checked at its end.

        Parameters
        ----------
        member : str
        whole : bool, default True
            Whether all of it will be read, so that its size is checked before.
        """
        return io.BufferedReader(self._member(member, whole=whole), _STEP)

    def _member(self, member: str, *, whole: bool) -> "_Member":
        info = self._members[member]
        where = f"{self.name}, member {member}"
        expansion = Expansion(where, info.compress_size, self._expansion, _RIGHT)
        if whole:
            expansion.expect(info.file_size)
            count_size(where, info.file_size)
        if info.flag_bits & 1:
            raise problem(where, "is encrypted")
        if info.compress_type not in (_STORED, _DEFLATE, _ZSTD):
            raise problem(where, f"is packed in a way that is not read ({info.compress_type})")
        file = self._path.open("rb")
        file.seek(max(0, info.header_offset))
        start = file.read(_LOCAL.size)
        is_header = len(start) == _LOCAL.size and start.startswith(b"PK\3\4")
        if info.header_offset < 0 or not is_header:
            file.close()
            raise problem(where, "is not where the archive lists it; check whether the file is cut")
        _, name_size, extra_size = _LOCAL.unpack(start)
        name = file.read(name_size).decode(
            "utf-8" if info.flag_bits & _UTF8 else "cp437", "replace"
        )
        if name != info.orig_filename:
            file.close()
            raise problem(where, f"is named {name!r} in its own header; pack or download it again")
        file.seek(extra_size, io.SEEK_CUR)
        return _Member(file, info, expansion)


class _Member(io.RawIOBase):
    """What a member unpacks to, counted and summed.

    `zipfile` itself unpacks the first frame of Zstandard alone (also that of Python 3.14 and of
    backports.zstd), and ends without a word at the size that the directory says.
    """

    def __init__(self, file: BinaryIO, info: zipfile.ZipInfo, expansion: Expansion) -> None:
        packed = zipfile.ZipInfo(info.filename)
        packed.compress_size = info.compress_size
        if info.compress_type == _ZSTD:  # `zipfile` is to hand on its bytes
            packed.file_size = info.compress_size
        else:
            packed.file_size, packed.compress_type = info.file_size + 1, info.compress_type
        self._inner: Any = zipfile.ZipExtFile(file, "r", packed, close_fileobj=True)
        self._packed = self._inner
        if info.compress_type == _ZSTD:
            self._inner = zstd().ZstdFile(self._packed)
        self._info, self._expansion, self._sum = info, expansion, 0

    def readable(self) -> bool:
        return True

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._next(_STEP), b""))

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _next(self, most: int) -> bytes:
        where, size = self._expansion.where, self._info.file_size
        try:
            data = self._inner.read(min(most, size - self._expansion.size + 1))
        except EOFError as error:
            if not str(error):  # of `zipfile`
                raise problem(where, "is cut") from None
            data = b""  # the last frame has no end
        except (zlib.error, zstd().ZstdError) as error:
            reason = f"cannot be unpacked ({error}); pack or download it again"
            raise problem(where, reason) from None
        self._expansion.add(len(data))
        self._sum = zlib.crc32(data, self._sum)
        if self._expansion.size > size:
            raise problem(where, f"unpacks to more than the {size:,} bytes it says")
        if not data and (self._expansion.size != size or self._sum != self._info.CRC):
            reason = "is not what was packed (wrong size or check sum); pack or download it again"
            raise problem(where, reason)
        return data

    def close(self) -> None:
        self._inner.close()
        self._packed.close()
        super().close()

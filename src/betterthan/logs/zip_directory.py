"""The directory of a zip file, in which a log may have thousands of members."""

import io
import struct
import zipfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

_END = struct.Struct("<4s4H2LH")  # magic, disks, entries on it and in all, size, begin, comment
_ENTRY = struct.Struct("<4s2xBxHH4xLLLHHH8xL")
_NEWEST, _LARGE = 63, 0xFFFFFFFF  # version that zipfile reads; a size that stands elsewhere
_TURNED = {"\0", "\\"}  # zipfile ends a name at the one, and on some systems turns the other


class Member(NamedTuple):
    """Where a member stands, and how it is packed; the names are those of `zipfile.ZipInfo`."""

    filename: str
    flag_bits: int
    compress_type: int
    CRC: int
    compress_size: int
    file_size: int
    header_offset: int


def members_of(path: Path) -> list[Member]:
    """The members of a zip file, in the order of its directory.

    Raises
    ------
    zipfile.BadZipFile, OSError, ValueError, NotImplementedError
        As `zipfile` does.

    Notes
    -----
    A directory as most tools write it (at the end of the file, names in ASCII, no extra fields)
    is read here, several times as fast as by `zipfile`, which reads every other.
    """
    with path.open("rb") as file:
        found = _plain(file)
    if found is not None:
        return found
    with zipfile.ZipFile(path) as archive:
        return [Member(*(getattr(m, k) for k in Member._fields)) for m in archive.infolist()]


def _plain(file: BinaryIO) -> list[Member] | None:
    """The members in a directory of the usual kind, None of any other."""
    length = file.seek(0, io.SEEK_END)
    if length < _END.size:
        return None
    file.seek(length - _END.size)
    magic, disk, of, here, number, size, begin, comment = _END.unpack(file.read())
    whole = magic == b"PK\5\6" and not (disk or of or comment) and here == number < 0xFFFF
    if not whole or begin + size + _END.size != length:
        return None
    file.seek(begin)
    return _entries(file.read(size), number)


def _entries(data: bytes, number: int) -> list[Member] | None:
    found: list[Member] = []
    at, unpack, size = 0, _ENTRY.unpack_from, _ENTRY.size
    make = tuple.__new__  # of so many without a look at each
    letters = data.decode("latin-1")
    for _ in range(number):
        if at + size > len(data):
            return None
        magic, needed, flags, way, crc, packed, whole, name, extra, note, begin = unpack(data, at)
        if magic != b"PK\1\2" or needed > _NEWEST or extra or note:
            return None
        if packed == _LARGE or whole == _LARGE or begin == _LARGE:
            return None
        at += size + name
        text = letters[at - name : at]
        found.append(make(Member, (text, flags, way, crc, packed, whole, begin)))
    names = "".join([one.filename for one in found])
    return found if at == len(data) and names.isascii() and not _TURNED & set(names) else None

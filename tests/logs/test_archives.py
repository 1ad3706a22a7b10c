"""Members of archives are read whole, or refused in one line, however the archive is written."""

import zipfile
import zlib

import pytest

from betterthan.logs.archives import Archive
from betterthan.logs.sniffing import LogFile

from . import made_inspect as made

NAMES = ["header.json", "samples/a b.json", "header.json", ""]


def archive_of(path):
    return Archive(LogFile(path, path.name))


@pytest.fixture
def written(tmp_path):
    def write(names, packing=zipfile.ZIP_DEFLATED, comment=b""):
        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w", packing) as archive:
            archive.comment = comment
            for k, name in enumerate(names):
                archive.writestr(name, b"x" * 100 * k)
        return path

    return write


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_read_and_of_equal_names_the_last(written, packing):
    path = written(NAMES, packing)
    assert LogFile(path, path.name).preview.members == tuple(NAMES)
    archive = archive_of(path)
    assert archive.members == list(dict.fromkeys(NAMES))
    assert {len(archive.read(name)) for name in archive.members} == {100, 200, 300}


def test_an_empty_archive_has_no_members(written):
    assert archive_of(written([])).members == []


@pytest.mark.parametrize(
    ("names", "comment"),
    [(["a.json", "b.json"], b"a comment"), (["a.json", "\u00e9.json"], b"")],
)
def test_a_comment_and_letters_beyond_ascii_do_not_hide_members(written, names, comment):
    archive = archive_of(written(names, comment=comment))
    assert [len(archive.read(name)) for name in names] == [0, 100]


def test_what_stands_before_the_archive_is_counted(written):
    path = written(NAMES[:2])
    path.write_bytes(b"PK#!/bin/sh\n" + path.read_bytes())
    assert archive_of(path).read("samples/a b.json") == b"x" * 100


@pytest.mark.parametrize("method", [made.STORED, made.DEFLATE, made.ZSTD])
@pytest.mark.parametrize("frames", [1, 7])
def test_frames_are_read_one_after_the_other(tmp_path, method, frames):
    data = bytes(range(256)) * 5000
    path = made.archive(tmp_path / "a.eval", [("a", data)], method=method, frames=frames)
    archive = archive_of(path)
    assert archive.read("a") == data
    with archive.open("a") as first, archive.open("a") as second:  # side by side
        assert first.read(3) + second.read(3) + first.read(2) == b"\0\1\2\0\1\2\3\4"


@pytest.mark.parametrize("method", [made.STORED, made.DEFLATE, made.ZSTD])
@pytest.mark.parametrize(
    ("size", "crc", "words"),
    [
        (999, None, "unpacks to more than the 999 bytes it says"),
        (1001, None, "is not what was packed"),
        (None, 5, "is not what was packed"),
    ],
)
def test_a_wrong_size_or_check_sum_is_refused(tmp_path, method, size, crc, words):
    data, path = b"ab" * 500, tmp_path / "a.eval"
    size, crc = size or len(data), crc or zlib.crc32(data)
    archive = archive_of(made.archive(path, [("a", data)], method=method, size=size, crc=crc))
    with pytest.raises(ValueError, match=rf"^a\.eval, member a: {words}"):
        archive.read("a")


def test_a_member_of_four_gigabytes_in_few_bytes_is_refused(written):
    path = written(NAMES[:2])
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = b"\xfe" + b"\xff" * 3  # its size
    path.write_bytes(data)
    with pytest.raises(ValueError, match="unpacks 2 bytes to 4,294,967,294, more than"):
        archive_of(path).read("header.json")


def test_every_cut_and_every_other_byte_is_read_or_refused_in_one_line(written):
    whole = (path := written(NAMES[:2])).read_bytes()
    others = [whole[:k] for k in range(len(whole))]
    for at in range(len(whole)):
        others += [whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :] for bit in (1, 128)]
    refused: list[str] = []
    for data in others:
        path.write_bytes(data)
        try:
            archive = archive_of(path)
            assert {archive.read(name) for name in archive.members} <= {b"", b"x" * 100}
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > len(whole)
    assert all(words.startswith("log.eval") and "\n" not in words for words in refused)

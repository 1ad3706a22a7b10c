"""The directory of a zip file is what `zipfile` reads, also where it is not the usual one."""

import zipfile

import pytest

from betterthan.logs import zip_directory
from betterthan.logs.zip_directory import Member, read_directory

NAMES = ["header.json", "samples/a b.json", "header.json", ""]


def by_zipfile(path):
    with zipfile.ZipFile(path) as archive:
        return [Member(*(getattr(m, k) for k in Member._fields)) for m in archive.infolist()]


def is_read_here(path):
    with path.open("rb") as file:
        return zip_directory._plain(file) is not None


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
def test_the_usual_directory_is_read_as_zipfile_reads_it(written, packing):
    path = written(NAMES, packing)
    assert is_read_here(path)
    assert list(read_directory(path)) == by_zipfile(path)
    assert [one.filename for one in read_directory(path)] == NAMES


def test_an_empty_archive_has_no_members(written):
    path = written([])
    assert is_read_here(path)
    assert list(read_directory(path)) == []


def test_others_are_left_to_zipfile(written):
    noted = written(NAMES[:2], comment=b"a comment")
    assert not is_read_here(noted)
    assert list(read_directory(noted)) == by_zipfile(noted)
    named = written(["a.json", "\u00e9.json"])
    assert not is_read_here(named)
    assert list(read_directory(named)) == by_zipfile(named)


def test_what_stands_before_the_archive_is_counted(written):
    path = written(NAMES[:2])
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())
    assert not is_read_here(path)
    assert list(read_directory(path)) == by_zipfile(path)
    assert read_directory(path)[0].header_offset == len(b"#!/bin/sh\n")


def test_a_member_beyond_four_gigabytes_is_left_to_zipfile(written):
    path = written(NAMES[:2])
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\1\2")
    data[at + 24 : at + 28] = b"\xff" * 4  # the size, which would stand in an extra field
    path.write_bytes(data)
    assert not is_read_here(path)


def test_every_cut_and_every_other_byte_of_the_directory_is_read_as_zipfile_reads_it(written):
    whole = (path := written(NAMES[:2])).read_bytes()
    begin = whole.index(b"PK\1\2")
    others = [whole[:k] for k in range(begin, len(whole))]
    for at in range(begin, len(whole)):
        others += [whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :] for bit in (1, 128)]
    for data in others:
        path.write_bytes(data)
        if not is_read_here(path):
            continue
        assert list(read_directory(path)) == by_zipfile(path)

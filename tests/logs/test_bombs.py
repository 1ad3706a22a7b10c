"""Logs that expand out of all proportion are refused in one line, before memory is taken."""

import gzip
import itertools
import json
import struct
import zlib

import pytest
from limited import refusal

from betterthan.io import compression
from betterthan.io.compression import max_expanded, zstd
from betterthan.logs.archives import Archive
from betterthan.logs.json_values import records
from betterthan.logs.sniffing import LogFile

from . import made_inspect as made

LARGE = 50_000_000  # bytes; in 1,000th of which they pack
FILL = 2**20


def pack(start, unit, size, end=b"", method=made.DEFLATE):
    """What packs to little: a unit again and again; with its size and check sum."""
    block = unit * (FILL // len(unit))
    parts = itertools.chain([start], itertools.repeat(block, size // len(block)), [end])
    inner = zlib.compressobj(6, wbits=-15) if method == made.DEFLATE else zstd().ZstdCompressor()
    packed, sum_, length = [], 0, 0
    for part in parts:
        packed.append(inner.compress(part))
        sum_, length = zlib.crc32(part, sum_), length + len(part)
    return b"".join([*packed, inner.flush()]), length, sum_


def archive(path, members):
    """A zip file of (name, packing, packed, size, check sum, where if not after the last)."""
    body, directory = bytearray(), bytearray()
    for name, method, packed, size, crc, *where in members:
        name = name.encode()
        sizes = (crc, len(packed), size, len(name))
        offset = where[0] if where else len(body)
        if not where:
            body += struct.pack("<4s5H3L2H", b"PK\3\4", 63, 0, method, 0, 33, *sizes, 0)
            body += name + packed
        directory += struct.pack("<4s6H3L5H", b"PK\1\2", 63, 63, 0, method, 0, 33, *sizes, *[0] * 4)
        directory += struct.pack("<2L", 0, offset) + name
    counts = (len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts))
    return path


def plain(name, value):
    data = json.dumps(value).encode()
    return name, made.STORED, data, len(data), zlib.crc32(data)


SUMMARIES = plain("summaries.json", [made.summary("q0")])
HEADER = plain("header.json", made.header())


@pytest.mark.parametrize("method", [made.DEFLATE, made.ZSTD])
def test_summaries_that_expand_a_thousandfold_are_refused_by_what_they_say(tmp_path, method):
    start, end = b'[{"id": 1, "input": "', b'"}]'
    bomb = ("summaries.json", method, *pack(start, b"x" * 64, LARGE, end, method))
    path = archive(tmp_path / "a.eval", [bomb, HEADER])
    said = refusal(path, 100_000_000)
    packed, size = len(bomb[2]), bomb[3]
    assert f"a.eval, member summaries.json: unpacks {packed:,} bytes to {size:,}, more than" in said
    assert f"more than {max_expanded(packed):,}; if that is meant" in said


def test_a_header_that_expands_a_thousandfold_is_refused(tmp_path):
    bomb = ("header.json", made.DEFLATE, *pack(b'{"a": [', b"[],", LARGE))
    said = refusal(archive(tmp_path / "a.eval", [SUMMARIES, bomb]), 100_000_000)
    assert "a.eval, member header.json: unpacks" in said


def test_a_member_that_says_less_than_it_holds_is_refused(tmp_path):
    packed, _, crc = pack(b"[", b"[],", LARGE)
    bomb = ("summaries.json", made.DEFLATE, packed, 1000, crc)
    said = refusal(archive(tmp_path / "a.eval", [bomb, HEADER]), 100_000_000)
    assert "member summaries.json: unpacks to more than the 1,000 bytes it says" in said


def cut(number):
    """Summaries so long that what was asked is looked for in the samples themselves."""
    asked = "x" * 5120 + "...\n(content truncated)"
    return plain("summaries.json", [made.summary(f"q{k}", input=asked) for k in range(number)])


def test_members_in_the_same_bytes_are_refused(tmp_path):
    packed = pack(b'{"id": "', b"x" * 64, 2**24, b'"}')
    first, *others = (f"samples/q{k}_epoch_1.json" for k in range(1000))
    one = (first, made.DEFLATE, *packed)
    same = [(name, made.DEFLATE, *packed, 0) for name in others]
    path = archive(tmp_path / "a.eval", [one, *same, cut(1000), HEADER])
    said = refusal(path, 100_000_000)
    assert f"a.eval: holds members {first!r} and {others[0]!r} in the same bytes" in said


def test_a_member_inside_another_is_refused(tmp_path):
    inner = archive(tmp_path / "inner.zip", [HEADER]).read_bytes()
    outer = ("outer.bin", made.STORED, inner, len(inner), zlib.crc32(inner))
    within = (*HEADER, 30 + len("outer.bin"))
    said = refusal(archive(tmp_path / "a.eval", [outer, within, SUMMARIES]))
    assert "a.eval: holds members 'outer.bin' and 'header.json' in the same bytes" in said


def test_folders_and_members_one_after_the_other_do_not_overlap(tmp_path):
    folders = [(f"{name}/", made.STORED, b"", 0, 0) for name in ("samples", "samples/more", "a")]
    path = archive(tmp_path / "a.eval", [*folders, SUMMARIES, HEADER, plain("header.json", {})])
    assert Archive(LogFile(path, path.name)).members[:2] == ["samples/", "samples/more/"]


def test_members_that_expand_little_each_and_much_together_are_refused(tmp_path):
    packed = pack(b'{"id": "', b"x" * 64, 2**24, b'"}')
    samples = [(f"samples/q{k}_epoch_1.json", made.DEFLATE, *packed) for k in range(30)]
    path = archive(tmp_path / "a.eval", [*samples, cut(30), HEADER])
    said = refusal(path, 150_000_000)
    assert "_epoch_1.json: unpacks the" in said
    assert "bytes of the file, with members before it, to more than" in said


def test_parts_of_a_run_that_died_count_together(tmp_path):
    packed = pack(b'[{"id": "', b"x" * 64, 2**24, b'"}]')
    parts = [(f"_journal/summaries/{k}.json", made.DEFLATE, *packed) for k in range(1, 9)]
    start = {key: made.header()[key] for key in ("version", "eval", "plan")}
    path = archive(tmp_path / "a.eval", [*parts, plain("_journal/start.json", start)])
    assert "with members before it, to" in refusal(path, 200_000_000)


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_a_packed_log_that_expands_a_thousandfold_is_refused(tmp_path, suffix):
    packed = gzip.compress if suffix == "gz" else zstd().compress
    head = json.dumps(made.header())[:-1].encode()
    text = head + b', "samples": [' + b" " * LARGE + b"]}"
    path = tmp_path / f"a.json.{suffix}"
    path.write_bytes(packed(text))
    said = refusal(path, 150_000_000)
    assert f"a.json.{suffix}: unpacks {path.stat().st_size:,} bytes to more than 33,554,432" in said


def test_a_line_that_never_ends_is_refused(tmp_path):
    path = tmp_path / "samples_a.jsonl.gz"
    row = b'{"doc_id": 0, "doc": {}, "target": "", "arguments": [], "resps": [], "acc": 1.0}\n'
    path.write_bytes(gzip.compress(row * 3 + b'{"doc_id": 3, "doc": "' + b"x" * LARGE))
    said = refusal(path, 150_000_000)
    assert "samples_a.jsonl.gz: unpacks" in said


@pytest.mark.parametrize("text", [b"[],", b'{"a":1},', b'"ab",'])
def test_millions_of_small_values_in_one_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    fill = text * (LARGE // len(text))
    path.write_bytes(json.dumps(made.header())[:-1].encode() + b', "more": [' + fill + b"0]}")
    said = refusal(path, 250_000_000)
    assert "a.json: holds so many small values in" in said
    assert "bytes of memory, more than" in said


def test_a_line_of_millions_of_small_values_is_refused(tmp_path):
    path = tmp_path / "samples_a.jsonl"
    row = b'{"doc_id": %d, "doc": {%s}, "target": "", "arguments": [], "resps": [], "acc": 1.0}\n'
    path.write_bytes(row % (0, b"") + row % (1, b'"a": [' + b"[]," * (LARGE // 3) + b"0]"))
    said = refusal(path, 250_000_000)
    assert "samples_a.jsonl, row 2: holds so many small values in" in said


def test_summaries_of_millions_of_small_values_are_refused(tmp_path):
    text = b"[" + b"[]," * (LARGE // 3) + b"0]"
    bomb = ("summaries.json", made.STORED, text, len(text), zlib.crc32(text))
    said = refusal(archive(tmp_path / "a.eval", [bomb, HEADER]), 250_000_000)
    assert "a.eval, member summaries.json" in said


def test_a_line_beyond_the_total_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "MOST_BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": "' + "x" * 1000 + '"}\n')
    with pytest.raises(ValueError, match=r"^a\.jsonl, row 2: is a line of more than 1,000 bytes$"):
        list(records(LogFile(path, path.name)))

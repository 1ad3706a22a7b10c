"""One limit on what packed tables expand to, by ratio and in total."""

import gzip
import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limited import refusal

import betterthan as bt
from betterthan.io import compression
from betterthan.io.compression import Expansion, max_expanded, refuse_crowded

LARGE = 100_000_000  # bytes; in 1,000th of which they pack


def test_the_limit_is_a_ratio_above_a_floor_and_below_a_total():
    assert max_expanded(0) == compression.HARMLESS
    assert max_expanded(10**6) == compression.RATIO * 10**6
    assert max_expanded(10**12) == compression.MOST_BYTES


def test_members_count_in_their_archive():
    whole = Expansion("a.zip", 10**6)
    for k in range(6):
        Expansion(f"a.zip, member {k}", 10, whole).add(33_000_000)
    last = Expansion("a.zip, member 6", 10, whole)
    for refused in (last.expect, last.add):
        with pytest.raises(ValueError, match=r"^a\.zip, member 6: unpacks the 1,000,000 bytes of"):
            refused(33_000_000)


@pytest.mark.parametrize("name", ["r.csv.gz", "r.tsv.gz", "r.jsonl.gz", "r.json.gz"])
def test_a_packed_table_that_expands_a_thousandfold_is_refused(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"item,A,B\n" + b"\n" * LARGE))
    with pytest.raises(ValueError, match=rf"^{name}: unpacks .* bytes to more than 33,554,432"):
        bt.labels.read(path)


def test_a_bomb_of_a_table_takes_little_memory(tmp_path):
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(b"item,A,B\nq,1,0\n" + b"0" * LARGE))
    said = refusal(path, 150_000_000)
    packed = path.stat().st_size
    assert f"r.csv.gz: unpacks {packed:,} bytes to more than {max_expanded(packed):,}" in said


def test_a_zip_file_of_a_table_is_not_unpacked(tmp_path):
    path = tmp_path / "r.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("r.csv", b"0" * LARGE)
    assert "r.csv.zip: " in refusal(path, 50_000_000)


@pytest.mark.parametrize("text", [b"[],", b"{},"])
def test_a_table_of_millions_of_small_values_is_refused(tmp_path, text):
    path = tmp_path / "r.json"
    path.write_bytes(b"[{}," + text * (LARGE // 60) + b"{}]")
    said = refusal(path, 150_000_000)
    assert "r.json" in said


def test_a_line_of_a_table_with_millions_of_small_values_is_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"item": 1, "A": 1}\n{"item": 2, "A": [' + b"[]," * (LARGE // 6) + b"0]}\n")
    assert "r.jsonl, row 2: holds so many small values in" in refusal(path, 250_000_000)


@pytest.mark.parametrize("value", ["{[,]}", '\\"{', "\\", '"'])
def test_marks_in_texts_are_no_values(value):
    texts = json.dumps([value * 100] * (2**23 // len(value) // 100)).encode()
    refuse_crowded(texts, "a.json")


@given(st.recursive(st.text('ab"\\{[,', max_size=4), lambda inner: st.lists(inner, max_size=3)))
def test_what_stands_outside_texts_is_what_json_reads(value):
    data = json.dumps(value).encode()
    marks = re.sub(rb'"(?:[^"\\]|\\.)*"', b"", data)
    assert b"".join(compression._outside_texts(data)) == marks

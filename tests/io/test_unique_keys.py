"""JSON read fast: the same value as json gives, and no key given twice."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.io import json_records
from betterthan.io.json_records import RepeatedKeyError

TEXT = st.text(st.sampled_from('ab":\\ \n\u00e9'), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)
FILL = "x" * json_records._LARGE  # from which keys are counted


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_a_value_is_what_json_reads(value, indent, ascii):
    data = json.dumps([value, FILL], indent=indent, ensure_ascii=ascii).encode()
    assert json_records.loads(data) == [value, FILL]


@given(VALUES, VALUES)
def test_keys_are_counted_or_not_said(value, other):
    data = json.dumps([value, {"k": other}]).encode()
    written, there = (
        json_records.keys_written(data),
        json_records.count_keys([[value, {"k": other}]]),
    )
    assert written == -1 or written >= there


@pytest.mark.parametrize("gap", ["", " ", "\n", "\t \n"])
@pytest.mark.parametrize("key", ["a", r"a\\", r"\"", r"a\": b", ":", r"\u0022"])
@pytest.mark.parametrize("fill", [FILL, "x", r"\": " + FILL, ":" + FILL, r"\\"])
def test_a_key_given_twice_is_refused(gap, key, fill):
    twice = f'{{"{key}"{gap}: 1, "{key}"{gap}: 2}}'
    for text in (twice, f'{{"b": {twice}}}', f"[[{twice}]]"):
        data = f'[{{"z": 1}}, {{"fill": "{fill}"}}, {text}]'.encode()
        with pytest.raises(RepeatedKeyError):
            json_records.loads(data)


def test_what_later_objects_hold_is_counted_too():
    rows = [{"k": 1}] * 100 + [{"k": {"a": 1}}]
    text = json.dumps([*rows, FILL])
    assert json_records.loads(text.encode()) == [*rows, FILL]
    with pytest.raises(RepeatedKeyError):
        json_records.loads(text.replace('{"a": 1}', '{"a": 1, "a": 2}').encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-le", "utf-8-sig"])
def test_other_encodings_are_read_as_json_reads_them(encoding):
    assert json_records.loads('{"a": "é"}'.encode(encoding)) == {"a": "é"}
    with pytest.raises(RepeatedKeyError):
        json_records.loads('{"a": 1, "a": 2}'.encode(encoding))


def test_keys_are_counted_over_pieces():
    for shift in range(4):
        data = json.dumps([" " * shift] + [{"a": '":'}] * (json_records._PIECE // 4)).encode()
        assert json_records.keys_written(data) == json_records._PIECE // 4
    assert json_records.keys_written(b":") == 0

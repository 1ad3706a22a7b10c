"""Text without quotes is read at once, and means what it means to the careful reader."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from betterthan.io import cells, coded_columns, delimited, items
from betterthan.io import texts as long_texts
from betterthan.io.coded_columns import Coded
from betterthan.io.delimited import parse_delimited, parse_plain
from betterthan.io.layouts import layout_by_name, recognise

ODD = """
    0 1 -0 +1 007 1.0 .5 5. 1e3 1E5 1e400 -1e400 1e-400 1_0 nan NaN -nan +nan NA null none inf
    -inf Infinity 0x10 1,5 １ ١ true True false FALSE 99999999999999999999 18446744073709551615
    -9223372036854775809 9007199254740993 0.1 0.30000000000000004 2.2250738585072014e-308 a A b B
    Total mean é ﬁ item system 1e 1d5 - . + 0.12345678901234567890 \ufeffx
""".split()  # noqa: SIM905
CELL = st.sampled_from([*ODD, "", " ", " 1", "1 ", "\t1", "a b", " a", "\x1ca", "1\x0b", "\xa01"])
PLAIN = st.sampled_from(["0", "1", "0.25", "", "3", "1"])
NAME = st.sampled_from(["item", "System", "score", "A", "B", "C", "", "gold", " 1", "dataset", "2"])
END = st.sampled_from(["\n", "\n", "\n", "\r\n"])


@st.composite
def texts(draw):
    header = draw(st.lists(NAME, min_size=2, max_size=4))
    columns = [draw(st.sampled_from([CELL, PLAIN])) for _ in header]
    number = draw(st.integers(1, 12))
    rows = [[draw(column) for column in columns] for _ in range(number)]
    if draw(st.integers(0, 4)) == 0:
        k = draw(st.integers(0, number - 1))
        rows[k] = draw(st.sampled_from([[], ["1"], [*rows[k], "1"], rows[k][:-1], header]))
    end = draw(END)
    text = end.join(";".join(row) for row in [header, *rows]) + draw(
        st.sampled_from([end, "", "\n\n"])
    )
    return draw(st.sampled_from(["", "\ufeff"])) + text


def found(read, *arguments):
    """What a reader gives, or says."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = read(*arguments)
        except ValueError as error:
            return str(error), None
    return sorted(str(one.message) for one in told), result


def number(table, column):
    return cells.numbers(table, column, "no numbers")


def names(table, column):
    return cells.read_once(table, column, cells.system_names)


@given(texts())
@example("item;A\n1;1\n2;2\n" * 2)
@example("A;B\n1;\n2;0.5\n3;nan\n")
@example("A;B\n1;0x10\ninf;1\n3;nan\n")
@example("2;1\n1;0\n1;2\n0;1\n")
def test_the_fast_and_the_careful_reader_agree(text):
    data = text.encode()
    said, table = found(parse_plain, data, "x.csv", ";")
    if said == [] and table is None:
        return
    said_other, other = found(parse_delimited, data, "x.csv", ";")
    assert said == said_other
    if table is None:
        return
    assert list(table.columns) == list(other.columns)
    assert list(table.rows) == list(other.rows)
    for column in table.columns:
        for read in (number, names, cells.whole_numbers, cells.holds_numbers, cells.predictions):
            here, there = found(read, table, column), found(read, other, column)
            assert here[0] == there[0]
            assert listed(here[1]) == listed(there[1])
        assert list(table.columns[column]) == list(other.columns[column])
    same_reading(table, other)


@pytest.mark.parametrize("read", [parse_plain, parse_delimited])
@given(text=texts(), rows=st.integers(1, 5))
@example(text="item;A;B\nq 1;1;0\nQ 1;0;1\nq2;1;0\nq1;0;0\n", rows=2)
@example(text="item;A;B\nq1;1;0\nq2;0;1\nq3;1;0\nq1;0;0\n", rows=2)
@example(text="item;epoch;A;B\nq1;1;1;0\nq1;2;0;1\nq2;1;1;0\nq1;2;0;0\n", rows=2)
@example(text="item;system;score\nq1;A;1\nq1;B;0\nq2;A;0\nq2;B;1\n", rows=2)
@example(text="A;B\n1;0\n0;1\n1;1\n0;0\n", rows=2)
@example(text='item;A;B\n"a\nb";1;0\n"a\tb";0;1\n"a\nb";0;1\n', rows=2)
@example(text="item;A;B\nq1;1;0\ntotal;2;0\nq2;1;0\n", rows=2)
@example(text="item;A\nq1;1\nq2;0\n3;x\n4;1\n", rows=2)
@example(text="item;A\na;\nb;\nc;x\nd;y\n", rows=2)
@example(text="item;A\nq1;x\nq2;y\n007;7\n08;8\n", rows=2)
def test_rows_read_in_blocks_are_the_same_table(read, text, rows):
    said, table = found(read, text.encode(), "x.csv", ";")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_ROWS", rows)
        patch.setattr(delimited, "_BLOCK", rows)
        for module in (long_texts, coded_columns, items):  # no text is one of Python's own
            patch.setattr(module, "BLOCK", rows)
        said_other, other = found(read, text.encode(), "x.csv", ";")
        assert said == said_other
        if table is None:
            assert other is None
            return
        for column in table.columns:
            assert list(table.columns[column]) == list(other.columns[column])
            for of in (number, names, cells.predictions):
                here, there = found(of, table, column), found(of, other, column)
                assert here[0] == there[0]
                assert listed(here[1]) == listed(there[1])
        same_reading(table, other)


@pytest.mark.parametrize("rows", [2, 2**18])
def test_true_and_false_beside_blanks_are_kept(monkeypatch, rows):
    monkeypatch.setattr(delimited, "_ROWS", rows)
    table = parse_plain(b"item;A\nq1;True\nq2;\nq3;False\nq4;True\n", "x.csv", ";")
    assert list(table.columns["A"]) == ["True", "", "False", "True"]
    np.testing.assert_array_equal(number(table, "A"), [1, np.nan, 0, 1])


def listed(values):
    """As a list of what can be compared: NaN is NaN, and 0 is 0 whatever its sign."""
    if isinstance(values, np.ndarray):
        return list(map(repr, (values + 0.0).tolist()))
    return list(values) if isinstance(values, Coded | list) else values


def same_reading(table, other):
    said, layout = found(recognise, table)
    assert found(recognise, other) == (said, layout)
    if layout is None:
        return
    said, reading = found(layout_by_name(layout).reader, table)
    said_other, reading_other = found(layout_by_name(layout).reader, other)
    assert said == said_other
    if reading is not None:
        assert reading.data.identical(reading_other.data)
        assert (reading.summary, reading.ignored) == (reading_other.summary, reading_other.ignored)


@pytest.mark.parametrize(
    "text",
    [
        'item;A\n1;"1"\n2;0\n',
        "item;A\n1;1\n\n2;0\n",
        "item;A\n1;1;2\n2\n",
        "item;A\n1\n2;0;1\n",
        "item;A\r1;1\r2;0\r",
        "item;A\n1;1\r\n2;0\r",
        "item\n1\n2\n",
        "",
        "item;A\n",
        "item;" + "x" * 200_000 + "\n1;1\n2;0\n",
        "item;A\n1;" + "x" * 200_000 + "\n2;0\n",
    ],
)
def test_what_is_unusual_is_left_to_the_careful_reader(text):
    assert parse_plain(text.encode(), "x.csv", ";") is None


def test_plain_text_is_not():
    table = parse_plain(b"item;A;B\r\n1;0.5;x\r\n2;;y\r\n3;1;x", "x.csv", ";")
    assert [list(column) for column in table.columns.values()] == [
        ["1", "2", "3"],
        ["0.5", "", "1"],
        ["x", "y", "x"],
    ]

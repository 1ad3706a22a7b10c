"""A text is the same table however it is quoted, and in blocks of whatever size it is read."""

import csv
import io
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import betterthan
from betterthan.io import cells, delimited, items
from betterthan.io import texts as long_texts
from betterthan.io.delimited import parse_delimited
from betterthan.io.items import as_array
from betterthan.io.layouts import layout_by_name, recognise
from betterthan.io.texts import Coded, Numbers

ODD = """
    0 1 -0 +1 007 1.0 .5 5. 1e3 1E5 1e400 -1e400 1e-400 1_0 nan NaN -nan +nan NA null none inf
    -inf Infinity 0x10 1,5 １ ١ true True false FALSE 99999999999999999999 18446744073709551615
    -9223372036854775809 9007199254740993 0.1 0.30000000000000004 2.2250738585072014e-308 a A b B
    Total mean é ﬁ item system 1e 1d5 - . + 0.12345678901234567890 \ufeffx
""".split()  # noqa: SIM905
BLANKS = ["", " ", " 1", "1 ", "\t1", "a b", " a", "\x1ca", "1\x0b", "\xa01"]
CELL = st.sampled_from([*ODD, *BLANKS])
QUOTED = st.sampled_from(["a\nb", "a\r\nb", "a\rb", "x;y", 'a"b', '"', "1;5", "\n", *ODD[:10]])
PLAIN = st.sampled_from(["0", "1", "0.25", "", "3", "1"])
NAME = st.sampled_from(["item", "System", "score", "A", "B", "C", "", "gold", " 1", "dataset", "2"])
END = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@st.composite
def records(draw):
    header = draw(st.lists(NAME, min_size=1, max_size=4))
    columns = [draw(st.sampled_from([CELL, PLAIN, PLAIN, QUOTED])) for _ in header]
    rows = [[draw(column) for column in columns] for _ in range(draw(st.integers(1, 12)))]
    if draw(st.integers(0, 4)) == 0:
        k = draw(st.integers(0, len(rows) - 1))
        rows[k] = draw(st.sampled_from([["1"], [*rows[k], "1"], rows[k][:-1] or ["x"], header]))
    return [header, *rows]


def as_text(records, quoting, end="\n"):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=";", quoting=quoting, lineterminator=end).writerows(records)
    return buffer.getvalue()


def outcome(read, *arguments):
    """Warnings and the result, or the refusal."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            result = read(*arguments)
        except ValueError as error:
            return str(error), None
    return sorted(str(warning.message) for warning in warned), result


def parsed(text):
    return outcome(parse_delimited, text.encode(), "x.csv", ";")


def number(table, column):
    return cells.numbers(table, column, lambda: "no numbers")


def system_names(table, column):
    return cells.read_once(table, column, cells.system_names)


def listed(values):
    """As a list of what can be compared: NaN is NaN, and 0 is 0 whatever its sign."""
    if isinstance(values, np.ndarray):
        return list(map(repr, (values + 0.0).tolist()))
    return list(values) if isinstance(values, Coded | list) else values


def same_table(table, other, rows=True):
    assert list(table.columns) == list(other.columns)
    if rows:
        assert list(table.rows) == list(other.rows)
    for column in table.columns:
        assert list(table.columns[column]) == list(other.columns[column])
        for read in (number, system_names, cells.whole_numbers, cells.predictions):
            (refusal, values), (refusal_other, others) = (
                outcome(read, source, column) for source in (table, other)
            )
            if rows:
                assert refusal == refusal_other
            assert listed(values) == listed(others)
    if rows:
        same_reading(table, other)


def same_reading(table, other):
    refusal, layout = outcome(recognise, table)
    assert outcome(recognise, other) == (refusal, layout)
    if layout is None:
        return
    refusal, reading = outcome(layout_by_name(layout).reader, table)
    refusal_other, reading_other = outcome(layout_by_name(layout).reader, other)
    assert refusal == refusal_other
    if reading is not None:
        assert as_array(reading.data).identical(as_array(reading_other.data))
        assert (reading.summary, reading.ignored) == (reading_other.summary, reading_other.ignored)


@given(records())
@example([["item", "A"], ["1", "1"], ["2", "2"], ["item", "A"]])
@example([["A", "B"], ["1", ""], ["2", "0.5"], ["3", "nan"]])
@example([["A", "B"], ["1", "0x10"], ["inf", "1"], ["3", "nan"]])
@example([["2", "1"], ["1", "0"], ["1", "2"], ["0", "1"]])
@example([["item", "A"], ["q1", "True"], ["q2", ""], ["q3", "False"], ["q4", "True"]])
def test_quotes_change_no_cell_no_row_and_no_refusal(records):
    plain, quoted = (
        parsed(as_text(records, quoting)) for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)
    )
    assert plain[0] == quoted[0]
    if plain[1] is not None:
        same_table(plain[1], quoted[1])
        assert [list(column) for column in plain[1].columns.values()] == list(
            map(list, zip(*records[1:], strict=True))
        )


@given(records(), END, st.booleans())
def test_the_end_of_a_line_and_a_byte_order_mark_change_no_cell(records, end, mark):
    usual, other = (as_text(records, csv.QUOTE_MINIMAL, line_end) for line_end in ("\n", end))
    (_, table), (_, other_table) = parsed(usual), parsed("\ufeff" * mark + other)
    assert (table is None) == (other_table is None)
    if table is not None:
        same_table(table, other_table, rows=end != "\r")


ROWS = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])


@given(records().flatmap(lambda rows: ROWS.map(lambda q: as_text(rows, q))), st.integers(1, 40))
@example("item;A;B\nq 1;1;0\nQ 1;0;1\nq2;1;0\nq1;0;0\n", 16)
@example("item;A;B\nq1;1;0\nq2;0;1\nq3;1;0\nq1;0;0\n", 16)
@example("item;epoch;A;B\nq1;1;1;0\nq1;2;0;1\nq2;1;1;0\nq1;2;0;0\n", 20)
@example("item;system;score\nq1;A;1\nq1;B;0\nq2;A;0\nq2;B;1\n", 14)
@example("A;B\n1;0\n0;1\n1;1\n0;0\n", 8)
@example('item;A;B\n"a\nb";1;0\n"a\tb";0;1\n"a\nb";0;1\n', 3)
@example("item;A;B\nq1;1;0\ntotal;2;0\nq2;1;0\n", 14)
@example("item;A\nq1;1\nq2;0\n3;x\n4;1\n", 10)
@example("item;A\na;\nb;\nc;x\nd;y\n", 6)
@example("item;A\nq1;x\nq2;y\n007;7\n08;8\n", 10)
@example("item;A\r\nq1;1\r\nq2;0\r\n", 4)
@example("item;A;B\r\nq1;1;\r1\nq2;0;1\r\n", 40)
@example('\n\n\nitem;A\nq1;1\n"q2";0\n', 1)
def test_blocks_of_any_size_make_the_same_table(text, size):
    refusal, table = parsed(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "BLOCK_BYTES", size)
        patch.setattr(delimited, "_COLUMN_BYTES", 0)
        for module in (long_texts, items):  # no text is one of Python's own
            patch.setattr(module, "BLOCK", 2)
        refusal_other, other = parsed(text)
        assert refusal == refusal_other
        if table is None:
            assert other is None
        else:
            same_table(table, other)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("item;A;B\r\n1;0.5;x\r\n2;;y\r\n3;1;x", [2, 3, 4]),
        ("item;A;B\n1;0.5;x\r\n2;;y\r3;1;x\n", [2, 3, 4]),
        ("\n\nitem;A;B\n1;0.5;x\n\n2;;y\n3;1;x\n\n", [4, 6, 7]),
        ('item;"A";B\n1;0.5;x\n2;;"y"\n3;1;x', [2, 3, 4]),
        ('"item";A;B\r1;0.5;x\r2;;y\r3;1;x\r', [2, 3, 4]),
    ],
)
def test_rows_are_numbered_by_the_line_they_start_on(text, rows):
    _, table = parsed(text)
    assert list(table.rows) == rows
    assert [list(column) for column in table.columns.values()] == [
        ["1", "2", "3"],
        ["0.5", "", "1"],
        ["x", "y", "x"],
    ]


@pytest.mark.parametrize("size", [200_000, 2**18])
@pytest.mark.parametrize("text", ["item;A\n1;{}\n2;0\n", "item;{}\n1;1\n2;0\n", 'item;A\n1;"{}\n'])
def test_a_cell_longer_than_csv_reads_is_refused(text, size):
    refusal, _ = parsed(text.format("x" * size))
    assert "field larger than field limit (131072)" in refusal


def test_a_long_cell_in_quotes_goes_on_behind_its_block():
    text = "a\n" * 60_000
    _, table = parsed(f'item;A;B\nq0;1;0\nq1;"{text}";x\nq2;0;1\n')
    assert list(table.rows) == [2, 3, 60_004]
    assert list(table.columns["A"]) == ["1", text, "0"]


def test_reading_text_loads_no_pandas():
    code = (
        "import sys; from betterthan.io.delimited import parse_delimited as parse;"
        "parse(b'item,A,B\\nq1,1,\"0\"\\n', 'x.csv', ',');"
        "print([m for m in ('pandas', 'xarray', 'scipy', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("cell", [cell for cell in [*ODD, *BLANKS] if "," not in cell])
def test_many_columns_are_read_as_few(cell, end):
    def columns(number):
        rows = [["item", "cluster", *(f"s{k}" for k in range(number))]]
        rows += [[f"q{k}", "é", *["1"] * number] for k in range(3)]
        rows[2][2] = cell
        text = "".join(",".join(row) + end for row in rows)
        return parse_delimited(text.encode(), "r.csv", ",").columns

    few, many = columns(2), columns(20)
    for name, column in few.items():
        assert type(many[name]) is type(column)
        assert list(many[name]) == list(column)
        if isinstance(column, Numbers):
            np.testing.assert_array_equal(many[name].values, column.values)


@pytest.mark.parametrize("blank", "\x1c\x1d\x1e\x1f")
def test_a_separator_in_a_number_is_refused_among_many_columns_of_numbers(tmp_path, blank):
    path = tmp_path / "scores.csv"
    rows = [f"q{k}," + ",".join("01"[(k + s) % 2] for s in range(12)) for k in range(40)]
    rows[30] = rows[30][:-1] + f"1{blank}"
    path.write_text("item," + ",".join(f"s{k}" for k in range(12)) + "\n" + "\n".join(rows))
    with pytest.raises(ValueError, match=r"row 32, column 's11'.*not a number"):
        betterthan.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "item,1,2\nq0,1,0\nq1,0,1\n",
        "item,2024,2025\n1,1,0\n2,0,1\n3,1,1\n",
        "1,2\n2,3\n1,1\n2,2\n",
        ",0,1\n1,0.5,1\n2,1,0\n3,1,1\n",
        "item,q1,q2\nq0,1,0\nq1,0,1\n",
        "item,gpt-3,gpt-4\ngpt-1,1,0\ngpt-2,0,1\n",
        "model_a,model_b,winner\nmodel_a,model_b,model_a\nmodel_a,model_b,model_b\n",
        "system1,system2,winner\nA1,A2,A1\nA1,A2,tie\n",
    ],
)
def test_a_header_with_numbers_or_ids_is_one(text):
    columns = parse_delimited(text.encode(), "r.csv", ",").columns
    assert list(columns) == text.partition("\n")[0].split(",")

import re
import subprocess
import sys
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable

from betterthan.results.document import Document, Part, Table
from betterthan.results.text import as_text

ANSI = re.compile(r"\x1b\[[0-9;]*m")
words = st.text("abcdefgh-/[]0123.,系统é", min_size=1, max_size=60)
texts = st.lists(words, min_size=1, max_size=25).map(" ".join)
widths = st.integers(40, 160)


def letters(text):
    return "".join(text.split())


@given(texts, texts, widths)
def test_no_letter_is_lost_and_no_line_too_wide(said, fact, width):
    """A word that is wider than the terminal is folded, not cut."""
    part = Part("Part", facts=[("key", fact)], notes=[said])
    text = as_text(Document("Title", said, [part], [said], answer=[said]), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert letters(text).count(letters(said).lstrip("-")) >= 4
    assert letters(fact) in letters(text)


def by_rich(heads, rows, sides, width):
    out = Console(file=StringIO(), width=width, color_system=None)
    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 1))
    for head, side in zip(heads, sides, strict=True):
        grid.add_column(head, justify="left" if side == "l" else "right")
    for row in rows:
        grid.add_row(*row)
    out.print(grid)
    return [line.rstrip() for line in out.file.getvalue().splitlines()]


def test_a_table_is_as_rich_draws_it():
    heads = ("System", "Other", "Wins", "P(better)")
    rows = [("alpha", "b", "1,000", "0.95"), ("a longer name", "系统", "3", "> 0.999")]
    table = Table(heads, rows, "Caption", left=2)
    drawn = as_text(Document("", parts=[Part("Part", tables=[table])])).splitlines()
    expected = by_rich(heads, rows, table.sides, 110)
    assert [line for line in drawn if line] == ["Caption", *filter(None, expected)]


def test_headings_stand_at_the_bottom_and_names_fold():
    row = ("a-very-long-name-of-a-system " * 2, "0.123")
    table = Table(("System", "A heading of several words that breaks"), [row], "Caption")
    lines = as_text(Document("", parts=[Part("Part", tables=[table])]), 50).splitlines()
    rule = next(k for k, line in enumerate(lines) if set(line.strip()) == {"─"})
    assert lines[rule - 1].lstrip().startswith("System")
    assert lines[rule + 1].rstrip().endswith("0.123")
    assert letters(row[0]) == letters("".join(line[:38] for line in lines[rule + 1 :])).replace(
        "0.123", ""
    )


@pytest.mark.parametrize(
    "answer", ["A is better than B.", "系统 is [bold]better[/bold] than B :smile:"]
)
def test_colour_adds_nothing_but_colour(answer):
    page = Document(
        "Title", "Question?", [Part("Part", notes=["note"])], ["limit"], ["made"], [answer]
    )
    coloured = as_text(page, colour=True)
    assert ANSI.sub("", coloured) == as_text(page)
    assert "\x1b[1m" in coloured


def test_sentences_take_the_whole_width_and_names_next_to_numbers_do_not():
    text = "a sentence of more than thirty-six characters in one cell"
    sentences = Table(("Check", "Finding"), [("one", text)], left=99)
    numbers = Table(("System", "Wins"), [(text, "3")])
    assert text in as_text(Document("", parts=[Part("Part", tables=[sentences])]))
    assert text not in as_text(Document("", parts=[Part("Part", tables=[numbers])]))
    assert text not in as_text(Document("", parts=[Part("Part", tables=[sentences])]), 40)


def test_pieces_of_a_table_of_numbers_repeat_the_first_column():
    heads = tuple(f"Column{k}" for k in range(12))
    table = Table(heads, [tuple(str(k) for k in range(12))], left=0)
    lines = as_text(Document("", parts=[Part("Part", tables=[table])]), 60).splitlines()
    pieces = [line.split() for line in lines if "Column" in line]
    assert [piece[0] for piece in pieces] == ["Column0"] * len(pieces)
    assert len(pieces) > 1
    assert sorted(head for piece in pieces for head in piece[1:]) == sorted(heads[1:])


def test_plain_characters_need_no_library():
    code = (
        "import sys\nfrom betterthan.results.document import Document\n"
        "from betterthan.results.text import as_text\n"
        "as_text(Document('', answer=['words ' * 40, 'x' * 300]))\nprint('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

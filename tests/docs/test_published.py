"""Evaluate every row of the page on published numbers: what is printed, what is computed, and
whether they agree.
"""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SEEDS = Path(__file__).parents[3] / "shared" / "seeds"  # the publications, where there is a copy
PAGE = (DOCS / "reference/published.md").read_text(encoding="utf-8")
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(?::[^\n]*\n\n)?(.*?)^```$", re.S | re.M)
SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^## ", PAGE, flags=re.M)[1:]}
COMPUTED = ["Where", "Printed", "Computed", "Agrees", "Call"]
LACKING = ["Where", "Printed", "Why it cannot be computed"]
DIFFERS = ("rounding", "**no**")
SEED_OF = {
    "Small test sets": "002",
    "The sign test": "000",
    "Randomization": "001",
    "Outcomes of a dialogue system": "003",
    "Information ordering": "004",
}


def rows(text, header):
    """Rows of the tables with this header."""
    lines = [[cell.strip() for cell in line.strip(" |").split(" | ")] for line in text.splitlines()]
    found, inside = [], False
    for line, cells in zip(text.splitlines(), lines, strict=True):
        if line.startswith("|---"):
            continue
        inside = (inside or cells == header) and line.startswith("|")
        if inside and cells != header:
            assert len(cells) == len(header), line
            found.append(dict(zip(header, cells, strict=True)))
    return found


def number(text):
    """A printed number, and its decimals."""
    digits = re.fullmatch(r"(-?[\d,]+(?:\.(\d+))?)(?:%| [a-z]+)?", text)
    assert digits, text
    return float(digits[1].replace(",", "")), len(digits[2] or "")


def stands_for(text, value):
    """Whether the value is what the text says, at the digits of the text."""
    if text in ("yes", "no"):
        return bool(value) is (text == "yes")
    if text.startswith("< "):
        return value < number(text[2:])[0]
    expected, decimals = number(text)
    return abs(value - expected) <= 0.5 * 10.0**-decimals + 1e-9


def differs(row, value):
    """What is wrong with a row, given the value of its call."""
    if not stands_for(row["Computed"], value):
        return f"computed is {value}"
    agrees, _, why = row["Agrees"].partition(": ")
    if (agrees == "yes") != stands_for(row["Printed"], value):
        return f"agrees is {agrees!r}, printed {row['Printed']}, computed {value}"
    if agrees not in ("yes", *DIFFERS) or bool(why) is (agrees == "yes"):
        return "give yes, or rounding or **no** with a reason"
    return ""


@pytest.fixture(scope="module")
def namespace():
    """What the cells of the page define; a section uses its own and those above it."""
    shared, sections = {}, {}
    for title, text in SECTIONS.items():
        for cell in CELL.findall(text):
            exec(compile(cell, title, "exec"), shared)
        sections[title] = dict(shared)
    return sections


@pytest.mark.parametrize("title", SECTIONS)
def test_every_row_is_what_its_call_returns(title, namespace):
    wrong = {}
    for row in rows(SECTIONS[title], COMPUTED):
        value = eval(row["Call"].strip("`"), dict(namespace[title]))
        if problem := differs(row, float(value)):
            wrong[row["Where"]] = problem
    assert wrong == {}


def test_a_wrong_row_is_noticed():
    row = {"Printed": "0.0545", "Computed": "0.0547", "Agrees": "**no**: misprint"}
    assert differs(row, 0.0546875) == ""
    assert differs(row, 0.0545) == "computed is 0.0545"
    assert differs(row | {"Printed": "0.055"}, 0.0546875).startswith("agrees is '**no**'")
    assert differs(row | {"Agrees": "yes"}, 0.0546875).startswith("agrees is 'yes'")
    assert (
        differs(row | {"Agrees": "**no**"}, 0.0546875)
        == "give yes, or rounding or **no** with a reason"
    )
    assert differs({"Printed": "< 0.01", "Computed": "0.0152", "Agrees": "yes"}, 0.0152)
    assert differs({"Printed": "21 cells", "Computed": "21 cells", "Agrees": "yes"}, 20)


def test_the_summary_counts_the_rows():
    header = ["Publication", "Rows", "Agree", "Rounding", "Differ", "Not computable"]
    summary = {row["Publication"]: [int(row[k]) for k in header[1:]] for row in rows(PAGE, header)}
    counted = {}
    for title, text in SECTIONS.items():
        agrees = [row["Agrees"].partition(":")[0] for row in rows(text, COMPUTED)]
        each = [*(agrees.count(k) for k in ("yes", *DIFFERS)), len(rows(text, LACKING))]
        counted[f"[{title}](#{title.lower().replace(' ', '-')})"] = [sum(each), *each]
    assert summary == counted


@pytest.mark.skipif(not SEEDS.is_dir(), reason="there is no copy of the publications")
@pytest.mark.parametrize("title", SECTIONS)
def test_what_is_printed_is_in_the_publication(title):
    (path,) = SEEDS.glob(f"{SEED_OF[title]}_*.txt")
    text = path.read_text(encoding="utf-8").replace("\\", "")
    for row in [*rows(SECTIONS[title], COMPUTED), *rows(SECTIONS[title], LACKING)]:
        if re.fullmatch(r"yes|no|.* [a-z]+|.* to .*", row["Printed"]):
            continue
        printed = row["Printed"].removeprefix("< ")
        plain = printed.lstrip("-").lstrip("0") if "." in printed else printed
        assert re.search(rf"(?<![\d.]){'0?' if '.' in plain else ''}{re.escape(plain)}", text), row

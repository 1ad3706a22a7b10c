"""Pages and notebooks are in the words of the field, and their first sentence is short."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "notebooks"} & set(p.parts)]
CARDS = list((ROOT / "models").glob("*/card.md"))
NOTEBOOKS = list((ROOT / "notebooks").glob("*.ipynb"))
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
TEXTS = sorted([*PAGES, *CARDS, *NOTEBOOKS, *WRITTEN])
# words of this package that readers stopped at, and translations
PRIVATE = re.compile(
    r"\b(told|beside|anew|unasked|among all|doors?|rooms?|roads?|floors?|houses?|the way of"
    r"|would be gone|stands?|verdicts? alone|surely)\b",
    re.I,
)
BARE_DECIMAL = re.compile(r"(?<![\w.)\]])\.\d")
HEAD = re.compile(r"\A---\n.*?^---\n", re.S | re.M)
FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1", re.S | re.M)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$", re.S)
CODE = re.compile(r"`+[^`]*`+")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# titles of publications and quoted words are not ours
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|\*[^*]+\*")


def source(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = (c for c in json.loads(text)["cells"] if c["cell_type"] == "markdown")
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def prose(text):
    """The text without its head, blocks of code, formulas and the targets of links."""
    return LINK.sub(r"\1", FORMULA.sub("x", FENCED.sub("", HEAD.sub("", text))))


def first_sentence(text):
    """Of the first paragraph that is neither a heading, a table, a list nor a picture."""
    for block in re.split(r"\n\s*\n", prose(text)):
        line = " ".join(block.split())
        if re.match(r"[\w`*]", line):
            return re.split(r"(?<=[.!?:])\s+(?=[A-Z`])", line)[0]
    return ""


def misses(text):
    plain = QUOTED.sub("", CODE.sub("", prose(text)))
    return [*PRIVATE.findall(plain), *BARE_DECIMAL.findall(plain)]


def place(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", TEXTS, ids=place)
def test_a_text_is_in_the_words_of_the_field(path):
    assert misses(source(path)) == []


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=place)
def test_the_first_sentence_is_short(path):
    sentence = first_sentence(source(path))
    assert len(re.findall(r"\S*\w\S*", sentence)) <= 30, sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is refused is told beside it.", ["told", "beside"]),
        ("`told` is a name, and [beside](beside.md) a link.", ["beside"]),
        ("p is .05, and 0.05 in `.05`, ...5", [".0"]),
        ("```python\ntold = 1\n```\n\nFine.", []),
        ("The verdict alone does not say it.", ["verdict alone"]),
    ],
)
def test_private_words_are_seen(text, expected):
    assert misses(text) == expected


def test_the_first_sentence_is_taken():
    text = "---\na: b\n---\n\n# Title\n\n![x](y)\n\n- one\n\nShort one. A second.\n"
    assert first_sentence(text) == "Short one."

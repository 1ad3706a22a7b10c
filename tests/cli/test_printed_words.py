"""Help, messages and printed text use the words of the field, in sentences that are read once."""

import ast
import re
from pathlib import Path

import pytest

import betterthan as bt

SOURCE = Path(bt.__file__).parent
PRIVATE = re.compile(
    r"\b(told|beside|anew|unasked|among all|doors?|rooms?|roads?|floors?|house|the way of|"
    r"would be gone|pairs? alone|(better|compared|significant|decided) alone|"
    r"stands? (alone|at|beside|by|in|on|twice|once|up))\b",
    re.IGNORECASE,
)
KEYS = {"labels beside a judge"}  # of saved answers
LONGEST = 30  # words of a sentence
PACKAGES = sorted({path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")})


def texts(tree):
    """Strings of a file that may be printed: all but docstrings."""
    inner, hidden = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values}
            parts = [x.value if isinstance(x, ast.Constant) else "X" for x in node.values]
            yield node.lineno, "".join(map(str, parts))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in inner | hidden:
            yield node.lineno, str(node.value)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_private_word_is_printed(package):
    folder = SOURCE / package
    bad = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in ([folder] if folder.is_file() else folder.rglob("*.py"))
        for line, text in texts(ast.parse(path.read_text("utf-8")))
        if len(text.split()) > 1 and PRIVATE.search(text) and text not in KEYS
    ]
    assert not bad, "\n".join(bad)


def test_no_private_word_is_on_a_page():
    for path in (SOURCE / "results" / "templates").rglob("*.j*"):
        page = re.sub(r"{[{%].*?[%}]}", "", path.read_text("utf-8"))
        for text in re.findall(r'"([^"\n]*)"', page):
            assert not PRIVATE.search(text), f"{path.name}: {text}"


ANSWERS = {
    "two systems": lambda: bt.compare(bt.datasets.contingency_case("a"), rope=0.01),
    "eight systems": lambda: bt.compare(bt.datasets.intent_detection()),
    "a plan": lambda: bt.plan.items_needed(bt.datasets.contingency_case("a")),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_has_short_sentences(answer):
    result = ANSWERS[answer]()
    for line in result.lines if answer == "a plan" else result.statement():
        assert not too_long(line)


def test_every_frozen_answer_has_short_sentences():
    answers = sorted((Path(__file__).parents[1] / "golden" / "frozen").glob("*/answer.txt"))
    assert len(answers) > 40
    for path in answers:
        statement = path.read_text("utf-8").partition("\n\n")[0]
        assert not too_long(" ".join(statement.splitlines())), path.parent.name


def too_long(text):
    """Sentences of more words than may be read once, without what is in brackets."""
    plain = re.sub(r"\([^()]*\)|\[[^]]*\]", "", text)  # numbers, and what they are
    sentences = re.split(r"(?<=[.:;])\s+", plain)
    return [sentence for sentence in sentences if len(sentence.split()) > LONGEST]

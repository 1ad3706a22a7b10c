"""Which text may be a name, an id, a label or a score: one rule for tables, logs and arrays.

It holds no half of a pair of surrogates, and of control characters white space alone. Arrays drop a
U+0000 at the end of a text, so that two names would become one. `named` lists names in a sentence.
No text is a formula of a spreadsheet (`no_formula`) or a command of GitHub Actions (`no_command`).
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FLAW = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_NONZERO = re.compile(r"\s*[+-]?[0.]*[1-9]")
VANISHES = "so close to 0 that it would be read as 0; write 0 if that is meant"
_NUMBERS = re.compile(r"[0-9]+")
LOOK_ALIKE = "differ only by blanks, case or unicode form"
_NAMED = 4  # names in a sentence; more are counted
_LONGEST = 60  # characters of a value shown in a message
_BLANKS = "".join(c for c in map(chr, range(0x3001)) if c.isspace() and not _FLAW.match(c))


JOINERS = "\u200c\u200d"  # within words of Persian and Hindi, and within emoji


def may_print(letter: str) -> bool:
    """Whether a letter may be printed: one that a reader sees, or that joins two of them."""
    return letter.isprintable() or letter in JOINERS


def can_encode(text: str, encoding: str) -> bool:
    """Whether an encoding has every character of a text."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def flaw(text: str) -> str:
    r"""Why a text can be no name; empty where it can.

    Examples
    --------
    >>> flaw("A\0"), flaw("gpt 4\n(new)")
    ('holds a control character (U+0000, character 2); write it without', '')
    """
    flaw = _FLAW.search(text)
    if flaw is None:
        return ""
    at = f"U+{ord(flaw[0]):04X}, character {flaw.start() + 1:,}"
    if flaw[0] >= "\ud800":
        return f"holds half of a character (a lone surrogate, {at}); write it as UTF-8 again"
    return f"holds a control character ({at}); write it without"


def first_flawed(texts: Sequence[str]) -> int | None:
    r"""The place of the first text that can be no name.

    Examples
    --------
    >>> first_flawed(["A", "B\x1b"]), first_flawed(["A", "B"])
    (1, None)
    """
    if not any_flaw("".join(texts)):
        return None
    return next(k for k, text in enumerate(texts) if _FLAW.search(text))


def any_flaw(text: str) -> bool:
    """Whether a text, or one of several put together, can be no name."""
    return not text.isprintable() and _FLAW.search(text) is not None


def spelling(name: str) -> str:
    """What names that look the same have in common.

    Examples
    --------
    >>> spelling(" GPT  4") == spelling("gpt 4"), spelling("q1") == spelling("q10")
    (True, False)
    """
    if not name.isascii():
        import unicodedata

        plain = unicodedata.normalize("NFKC", name)
        # zero-width blanks and marks of direction are there, and nobody sees them
        name = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return " ".join(name.split()).casefold()


def looks_like(name: str, others: Iterable[str]) -> str:
    """In brackets, what of the other names looks like this one, but for its case; else nothing.

    Examples
    --------
    >>> looks_like("c d", ["a", "c  d"]), looks_like("A", ["a"])
    (" ('c d' and 'c  d' differ only by blanks, case or unicode form)", '')
    """
    for other in others:
        if spelling(other) == spelling(name) and other.casefold() != name.casefold():
            return f" ({name!a} and {other!a} {LOOK_ALIKE})"
    return ""


def quoted(value: Any) -> str:
    r"""A value in a message: its repr on one line, cut to 60 characters, or its type.

    Examples
    --------
    >>> quoted("two\nlines"), quoted(range(2)), quoted(object())
    ("'two\\nlines'", 'range(0, 2)', 'a object')
    """
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        text = ""
    if not text or not text.isprintable() or text.startswith(("<", "array(")):
        return f"a {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def stripped(text: str) -> str:
    r"""A text without the white space around it, which U+001C to U+001F are not.

    Examples
    --------
    >>> stripped(" A\n"), stripped("A\x1c")
    ('A', 'A\x1c')
    """
    return text.strip(_BLANKS)


def all_stripped(texts: list[str]) -> list[str]:
    """`stripped` of each text, at once where none has white space around it, as a rule.

    Examples
    --------
    >>> all_stripped(["A", " B"])
    ['A', 'B']
    """
    return texts if list(map(str.strip, texts)) == texts else list(map(stripped, texts))


def natural(texts: Sequence[str]) -> list[int]:
    """The places of texts in their order, in which q2 stands before q10.

    Examples
    --------
    >>> natural(["q10", "q2", "a"])
    [2, 1, 0]
    """
    keys = _NUMBERS.sub(_by_size, "\n".join(texts)).split("\n")
    if len(keys) != len(texts):  # one of several lines
        keys = [_NUMBERS.sub(_by_size, text) for text in texts]
    return sorted(range(len(texts)), key=lambda k: (keys[k], texts[k]))


def _by_size(number: re.Match[str]) -> str:
    """Digits behind how many there are, so that numbers sort as text."""
    digits = number[0].lstrip("0")
    return f"{len(digits):04d}{digits}"


def vanishes(literal: str) -> bool:
    """Whether a number differs from 0 as it is written, and is 0 as a float.

    Examples
    --------
    >>> vanishes("1e-400"), vanishes("0.0"), vanishes("1e-300")
    (True, False, False)
    """
    try:
        return _NONZERO.match(literal) is not None and float(literal) == 0
    except ValueError:  # no number
        return False


def escaped(text: str) -> str:
    r"""A text of which a name is made, such as a prompt: what no name may hold as its escape.

    Examples
    --------
    >>> print(escaped("red \x1b[31m"))
    red \x1b[31m
    """
    return _FLAW.sub(lambda flaw: flaw[0].encode("unicode_escape").decode(), text)


def encodable(texts: Sequence[str]) -> Sequence[str]:
    r"""Free texts as a frame can hold them: each half of a pair of surrogates as its escape.

    Examples
    --------
    >>> print(*encodable(["a\ud800", "b"]))
    a\ud800 b
    """
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [text.encode("utf-8", "backslashreplace").decode() for text in texts]
    return texts


def named(systems: Sequence[str], joint: str = "and", most: int = _NAMED) -> str:
    """Names in a sentence; beyond four they are counted.

    Examples
    --------
    >>> named(["A", "B", "C"]), named(["A", "B"], "or"), named(list("ABCDEF"))
    ('A, B and C', 'A or B', 'A, B, C, D and 2 more')
    """
    if len(systems) > most:
        return f"{', '.join(systems[:most])} and {len(systems) - most} more"
    parts = (", ".join(systems[:-1]), *systems[-1:])
    return f" {joint} ".join(part for part in parts if part)


_FORMULA = "=+-@\t\r\n＝＋－＠"


def no_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula: with an apostrophe before it, where it could.

    Examples
    --------
    >>> no_formula("=1+1"), no_formula("A")
    ("'=1+1", 'A')
    """
    return f"'{text}" if text[:1] in _FORMULA and text else text


def no_formulas(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Rows in which no text is a formula.

    Examples
    --------
    >>> import pandas as pd
    >>> no_formulas(pd.DataFrame({"system": ["=1+1"], "score": [-1]}))["system"].tolist()
    ["'=1+1"]
    """
    texts = [name for name in rows.columns if rows[name].dtype.kind not in "biufcmM"]
    rows = rows.copy()
    for name in texts:
        rows[name] = [no_formula(x) if isinstance(x, str) else x for x in rows[name].tolist()]
    return rows


# a command begins a line, after blanks, or in its older form stands anywhere in it
_COMMAND = re.compile(r"((?:\A|(?<=[\r\n]))[^\S\r\n]*)(?=::)|(?<=##)(?=\[)")


def no_command(text: str, starts_line: bool = True) -> str:
    r"""Text in which GitHub Actions finds no command: with a backslash in it, where it could.

    Examples
    --------
    >>> print(no_command("::error::A"), no_command("::B", starts_line=False))
    \::error::A ::B
    """
    before = "" if starts_line else "."
    return _COMMAND.sub(r"\1\\", before + text)[len(before) :]


def places(text: str) -> int:
    """How many places a text takes; rich is loaded only for text beyond ASCII and common signs."""
    if text.isprintable() and text.translate(_SIGNS).isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


_SIGNS = str.maketrans("", "", "−–─≤≥±†…·×α")  # each takes one place

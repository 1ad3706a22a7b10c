"""Names of systems as harmless text in LaTeX and Markdown."""

from collections.abc import Iterable

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",
    "]": r"{]}",  # else an option of \\ or \item
    "±": r"$\pm$",
    "≤": r"$\le$",
    "–": "--",
    "−": r"$-$",
    "†": r"$\dagger$",
    "✓": r"$\checkmark$",  # of amssymb
    "\N{REPLACEMENT CHARACTER}": "?",  # which pdfLaTeX does not know
}
_MARKDOWN = "\\`*_{}[]<>#|~&$"


def latex(text: str) -> str:
    """Text with every character that LaTeX would act on made plain."""
    plain = on_one_line(str(text)) if str(text).strip() else ""
    return "".join(_LATEX.get(letter, letter) for letter in plain)


def markdown(text: str) -> str:
    """Text with every character that Markdown would act on made plain, on one line."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in plain)


def on_one_line(name: str) -> str:
    """A name as one line of printable characters; blank names show as quotes."""
    joined = " ".join(name.split())
    if joined and joined.isprintable():
        return joined
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in joined) or '""'


def labels_on_one_line(labels: Iterable[object]) -> list[str]:
    """Names as lines of printable characters, for example those of a coordinate."""
    return [on_one_line(str(label)) for label in labels]

"""A page in Markdown, HTML or LaTeX: a template each, their filters, scripts and figures."""

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from io import StringIO
from typing import Any

import numpy as np

from betterthan.results import marks
from betterthan.results.document import Document, Figure, Table
from betterthan.results.escapes import latex, markdown
from betterthan.results.interval_picture import UNICODE, Scale
from betterthan.results.picture import Difference, Picture

# a file follows the files it uses
_ORDER = (
    *("elements", "formats", "numbers", "model", "pair", "state"),
    *("tables", "card", "matrix", "live", "changes", "controls", "page"),
)
_COMMENT = re.compile(r"(?<=[;,{(]) // .*$")  # a comment at the end of a line
_QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_SPACED_SIGN = re.compile(r" ?([=,{}():?;&|]) ?")
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@cache
def scripts() -> Any:
    """All of them in one function of their own, without comments and needless space."""
    from markupsafe import Markup

    folder = files("betterthan.results").joinpath("templates", "scripts")
    lines = [
        line.strip()
        for name in _ORDER
        for line in folder.joinpath(f"{name}.js").read_text("utf-8").splitlines()
    ]
    code = [_COMMENT.sub("", line) for line in lines if line and not line.startswith("//")]
    script = "\n".join(['(function () {"use strict";', *map(_tight, code), "})();"])
    if "</" in script:
        raise ValueError("a script holds '</', which would end it inside a page")
    return Markup(script)


def _tight(line: str) -> str:
    """A line without the spaces beside its signs, but for what stands in quotes."""
    parts = _QUOTED.split(line)
    return "".join(p if k % 2 else _SPACED_SIGN.sub(r"\1", p) for k, p in enumerate(parts))


def script_json(value: Any) -> Any:
    """JSON that holds nothing which could end a script or begin a tag."""
    from markupsafe import Markup

    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_UNSAFE))


@cache
def allowed() -> str:
    """What a browser may do for the page: run these scripts alone, and load nothing."""
    digest = base64.b64encode(hashlib.sha256(str(scripts()).encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        f"form-action 'none'; script-src 'sha256-{digest}'"
    )


# what is written shorter: a glyph at a place, and coordinates to a hundredth of a point
_SHORTER = (
    (re.compile(r"<!--.*?-->", re.S), ""),
    (re.compile(r"\n\s*"), "\n"),
    (re.compile(r"(\d{2,}\.\d\d)\d+"), r"\1"),
    (re.compile(r"(?<=[\"#])DejaVuSans-"), "dv"),
    (re.compile(r'xlink:href="#'), 'href="#'),
    (
        re.compile(r'(<use href="#\w+") transform="translate\((-?\d+)(?:\.\d+)? 0\)"/>'),
        r'\1 x="\2"/>',
    ),
)


def as_svg(figure: Figure) -> str:
    """A figure as SVG, without the XML before it.

    Paths instead of fonts, and no date: the page looks the same everywhere and every time.
    """
    drawing = figure.draw()
    if isinstance(drawing, str):
        return drawing
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        drawn = drawing.figure
        drawn.set_layout_engine("none")  # it was laid out when it was finished
        drawn.savefig(
            buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    svg = buffer.getvalue()
    start = f'<svg role="img" aria-label="{escape(figure.caption)}" '
    text = svg[svg.index("<svg") :].replace("<svg ", start, 1)
    for pattern, short in _SHORTER:
        text = pattern.sub(short, text)
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


_LONG = 18  # characters of a name that needs a column which breaks
# widths of a name's column by how many columns there are at least
_WIDTHS = ((17, "3.8cm"), (8, "2.2cm"), (6, "4cm"), (0, "6cm"))


def as_markdown(page: Document) -> str:
    """The page in Markdown."""
    return _written("page.md.j2", page)


def as_html(page: Document) -> str:
    """The page in HTML, with its figures; it needs nothing from outside."""
    return _written("page.html.j2", page, autoescape=True)


def as_part(page: Document) -> str:
    """The page as a part of another one, such as a notebook."""
    return _written("brief.html.j2", page, autoescape=True)


def as_comment(page: Document) -> str:
    """The page in short Markdown, under a pull request."""
    return _written("comment.md.j2", page)


def as_latex(page: Document) -> str:
    """The page as a document for pdfLaTeX."""
    return _written("page.tex.j2", page, **_LATEX_MARKS)


def _written(template: str, page: Document, **choices: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("betterthan.results", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **choices,
    )
    environment.filters.update(_FILTERS)
    environment.globals |= {"scripts": scripts, "allowed": allowed}
    environment.globals |= {"signs": marks.SIGNS, "keys": KEYS}
    return environment.get_template(template).render(p=page)


def svg(figure: Figure) -> Any:
    """A figure, drawn."""
    from markupsafe import Markup

    return Markup(as_svg(figure))


def shade(table: Table, row: int, column: int) -> Any:
    """Of a cell of a matrix the class of its probability, and whether it is a verdict."""
    from markupsafe import Markup

    value = table.shades[row][column]
    if value != value:  # nan: a system against itself
        return ""
    decided = not table.decided or table.decided[row][column]
    kind = int(marks.classes_of(np.array(value), table.threshold))
    return Markup(f' class="shade h{kind}{" decided" if decided else ""}"')


def keyed(table: Table, row: int) -> Any:
    """Which system, or pair, a row is on."""
    from markupsafe import Markup, escape

    named = zip(("of", "against"), table.keys[row] if table.keys else (), strict=False)
    return Markup("".join(f' data-{how}="{escape(name)}"' for how, name in named))


def soft(text: str) -> Any:
    """A name that may break after its own punctuation rather than anywhere."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_./:-])(?=[^\s<])", r"\1<wbr>", str(escape(text))))


def alignment(table: Table) -> str:
    """Column specification of a LaTeX table; long names get a column that breaks."""
    named = min(table.left, 2)
    longest = max((len(cell) for row in table.rows for cell in row[:named]), default=0)
    if longest <= _LONG:
        return table.sides
    width = next(w for heads, w in _WIDTHS if len(table.heads) >= heads)
    name = r">{\raggedright\arraybackslash}p{" + width + "}"
    return name * named + table.sides[named:]


def breakable(text: str) -> str:
    """A name for LaTeX that may break after an underscore, a slash or a dot."""
    return re.sub(r"(\\_|/|\.|-)(?=\S)", r"\1\\allowbreak{}", latex(text))


def scale_of(picture: Picture) -> Scale:
    """The scale of a picture."""
    values = [value for row in picture.rows if row.limits for value in row.limits]
    return Scale.over(values, picture.lower_is_better)


def ticks(scale: Scale) -> list[tuple[str, str]]:
    """Places and labels of the axis."""
    return [(marks.percent(scale, t), scale.label(t, UNICODE)) for t in scale.ticks()]


def side(scale: Scale, end: str) -> bool:
    """Whether there is room for a word left of zero (low), or right of it."""
    zero = scale.share(0.0)
    return (zero if end == "low" else 1 - zero) > _ROOM


_ROOM = 0.15  # of the width


def row_marks(row: Difference, scale: Scale, picture: Picture) -> Any:
    """The marks of one row of a picture."""
    from markupsafe import Markup

    reference = row.verdict in ("baseline", "reference")
    return Markup(
        marks.interval(scale, row.limits, row.verdict, rope=picture.rope, reference=reference)
    )


def verdicts(picture: Picture) -> list[str]:
    """The verdicts of a picture that have a mark, for its key."""
    shown = {row.verdict for row in picture.rows if row.limits}
    return [verdict for verdict in marks.SIGNS if verdict in shown]


def bar(shares: Any) -> Any:
    """Parts of one bar."""
    from markupsafe import Markup

    return Markup(marks.bar(shares))


KEYS = {
    "better": "better",
    "worse": "worse",
    "equivalent": "practically equivalent",
    "undecided": "undecided: not shown to differ, not shown to be equal",
}
_FILTERS: dict[str, Any] = {
    "scale": scale_of,
    "ticks": ticks,
    "side": side,
    "row_marks": row_marks,
    "verdicts": verdicts,
    "bar": bar,
    "tex": latex,
    "md": markdown,
    "svg": svg,
    "shade": shade,
    "keyed": keyed,
    "alignment": alignment,
    "soft": soft,
    "breakable": breakable,
    "json": script_json,
}
_LATEX_MARKS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}

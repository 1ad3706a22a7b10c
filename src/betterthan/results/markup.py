"""A page in Markdown, HTML or LaTeX, and an answer that shows itself so in a notebook."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from io import StringIO
from typing import Any

from markupsafe import Markup, escape

from betterthan.results import marks
from betterthan.results.document import Document, Figure, Table
from betterthan.results.marks import Scale
from betterthan.results.numbers import latex, markdown
from betterthan.results.text import short_names

# a file follows the files it uses
_ORDER = (
    *("elements", "formats", "numbers", "model", "pair", "state"),
    *("tables", "card", "matrix", "live", "changes", "controls", "page"),
)
_COMMENT = re.compile(r"(?<=[;,{(]) // .*$")  # a comment at the end of a line
_QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_SPACED_SIGN = re.compile(r" ?([=,{}():?;&|+*/<>!\[\]-]) ?")
_LINE_END = re.compile(r"(?<!\w)\n|\n(?!\w)")  # every statement ends with a semicolon or a brace
_CONSTANT = re.compile(r"const (?:[^;{}]|\{[^;{}]*\})*;$")
_ZERO = re.compile(r"(?<![\w.])0(?=\.\d)")  # of a fraction
_SINGLE = re.compile(r"(?<!\w)\((\w+)\)=>")
_UNSAFE = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@cache
def scripts() -> Any:
    """All of them in one function of their own, without comments and needless space."""
    folder = files("betterthan.results").joinpath("templates", "scripts")
    lines = [
        line.strip()
        for name in _ORDER
        for line in folder.joinpath(f"{name}.js").read_text("utf-8").splitlines()
    ]
    code = [_COMMENT.sub("", line) for line in lines if line and not line.startswith("//")]
    script = "\n".join(['(()=>{"use strict";', *_joined(map(_tight, code)), "})();"])
    script = _SINGLE.sub(r"\1=>", _LINE_END.sub("", script)).replace(";}", "}")
    if "</" in script:
        raise ValueError("a script holds '</', which would end it inside a page")
    return Markup(script)


def _joined(lines: Iterable[str]) -> list[str]:
    """Lines, of which neighbors that declare constants are one declaration."""
    joined = [""]
    for line in lines:
        if _CONSTANT.match(joined[-1]) and _CONSTANT.match(line):
            joined[-1] = f"{joined[-1][:-1]},{line.removeprefix('const ')}"
        else:
            joined.append(line)
    return joined


def _tight(line: str) -> str:
    """A line without the spaces beside its signs, but for what stands in quotes."""
    parts = _QUOTED.split(line)
    code = [p if k % 2 else _ZERO.sub("", _SPACED_SIGN.sub(r"\1", p)) for k, p in enumerate(parts)]
    return "".join(code).replace('return "', 'return"')


def script_json(value: Any) -> Any:
    """JSON that holds nothing which could end a script or begin a tag."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, code in _UNSAFE.items():
        text = text.replace(sign, code)
    return Markup(text)


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


def svg(figure: Figure) -> Any:
    """A figure as SVG, without the XML before it.

    Paths instead of fonts, and no date: the page looks the same everywhere and every time.
    """
    drawing = figure.draw()
    if isinstance(drawing, str):
        return Markup(drawing)
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        drawn = drawing.figure
        drawn.set_layout_engine("none")  # it was laid out when it was finished
        metadata = {"Date": None, "Creator": None}
        drawn.savefig(buffer, format="svg", bbox_inches="tight", metadata=metadata)
    written = buffer.getvalue()
    start = f'<svg role="img" aria-label="{html.escape(figure.caption)}" '
    text = written[written.index("<svg") :].replace("<svg ", start, 1)
    for pattern, short in _SHORTER:
        text = pattern.sub(short, text)
    return Markup("".join(c if c.isprintable() or c == "\n" else " " for c in text))


_LONG = 18  # characters of a name that needs a column which breaks
# widths of a name's column by how many columns there are at least
_WIDTHS = ((17, "3.8cm"), (8, "2.2cm"), (6, "4cm"), (0, "6cm"))


def as_markdown(page: Document) -> str:
    """The page in Markdown."""
    return _template("page.md.j2").render(p=page)


def as_html(page: Document) -> str:
    """The page in HTML, with its figures; it needs nothing from outside."""
    template = _template("page.html.j2", autoescape=True)
    return _isolated(template.render(p=page, names=LongNames(page)))


def as_part(page: Document) -> str:
    """The page as a part of another one, such as a notebook."""
    return _isolated(_template("brief.html.j2", autoescape=True).render(p=page, names=LongNames()))


_LETTER = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_RIGHT_TO_LEFT = re.compile(rf"{_LETTER}+(?:[ \u200c\u200d_-]{_LETTER}+)*")
_MARKUP_OR_NAME = re.compile(
    rf"<(script|style|svg|title)\b.*?</\1>|<[^>]*>|{_RIGHT_TO_LEFT.pattern}", re.DOTALL
)


def _isolated(page: str) -> str:
    """A page in which no name in Arabic or Hebrew turns around the numbers and names next to it."""
    if not _RIGHT_TO_LEFT.search(page):
        return page
    return _MARKUP_OR_NAME.sub(lambda m: m[0] if m[0][0] == "<" else f"<bdi>{m[0]}</bdi>", page)


def as_comment(page: Document) -> str:
    """The page in short Markdown, under a pull request."""
    return _template("comment.md.j2").render(p=page)


def as_latex(page: Document) -> str:
    """The page as a document for pdfLaTeX."""
    return _template("page.tex.j2", **_LATEX_MARKS).render(p=page)


@cache
def _template(name: str, **choices: Any) -> Any:
    """Compiled once."""
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
    environment.globals.update(_FUNCTIONS)
    return environment.get_template(name)


def shade(table: Table, row: int, column: int) -> Any:
    """Of a cell of a matrix the class of its color."""
    value = table.shades[row][column]
    if value != value:  # nan: a system against itself
        return ""
    decided = not table.decided or table.decided[row][column]
    return Markup(f' class="shade k{marks.matrix_classes(value, decided)}"')


def drawn(table: Table) -> list[Any]:
    """The interval of each row that is always visible, on one scale."""
    values = [value for limits in table.intervals for value in limits or ()]
    if not values:
        return []
    scale = Scale.over(values) if table.zero else Scale.around(values)
    rows = zip(table.intervals[: table.visible], table.verdicts, strict=False)
    return [Markup(marks.small(scale, limits, verdict, table.zero)) for limits, verdict in rows]


def decision(line: str, long_names: LongNames, marked: bool) -> Any:
    """The first line of an answer, with its probabilities in a lighter weight; a narrow screen
    leaves out a list of long names where all are `marked` in its picture, and what follows a long
    list.
    """
    line, *listed = _LISTED.split(line, maxsplit=1)
    text = _IN_BRACKETS.sub(r'<span class="p">\1</span>', str(long_names.line(line)))
    candidates, *also = _ALSO.split("".join(listed)) if listed else ("",)
    long = len(candidates) > _LONG_LIST
    hidden = long or "; also " in candidates  # where the list takes most of the place
    for part, far in [(candidates, bool(marked and long)), *((part, hidden) for part in also)]:
        if part:
            text += f' <span class="listed{" far" * far}">{long_names.line(part)}</span>'
    return Markup(text)


_LONG_LIST = 130  # characters


_ALSO = re.compile(r" (?=[\d,]+ more (?:is|are) undecided against)")
_LISTED = re.compile(r" (?=P\(best\):|P\(best\) is not available:|Pair by pair, \d)")
_IN_BRACKETS = re.compile(r"(\((?:probability|P\(best\)|P\([^()]*\)) [^()]*\))")


def keyed(table: Table, row: int) -> Any:
    """Which system, or pair, a row is on."""
    named = zip(("of", "against"), table.keys[row] if table.keys else (), strict=False)
    return Markup("".join(f' data-{how}="{escape(name)}"' for how, name in named))


def soft(text: str) -> Any:
    """A name that may break after its own punctuation rather than anywhere."""
    return Markup(re.sub(r"([_/:-]|\.(?!\d))(?=[^\s<])", r"\1<wbr>", str(escape(text))))


class LongNames:
    """Names of systems that a page cuts in the middle; the whole name stays in the text, where a
    reader can search for it, and is the title of its cell.
    """

    def __init__(self, page: Document | None = None) -> None:
        self.short: dict[str, str] = {}
        self.cells: dict[str, Any] = {}
        for _, chapter in page.numbered_chapters if page else ():
            self.short |= short_names(sorted(_systems_named(chapter)))

    def _parts(self, text: str) -> tuple[str, str, str]:
        """What stands before a long name, the name, and what stands after it."""
        before, bracket, rest = text.partition(" (")
        for parts in (
            ("", text.removesuffix(" better"), " better" * text.endswith(" better")),
            (before + bracket, rest.removesuffix(")"), ")"),
        ):
            if parts[1] in self.short:
                return parts
        return text, "", ""

    def title(self, text: str) -> Any:
        """The attribute of a cell whose text is cut."""
        return Markup(f' title="{escape(text)}"') if self._parts(text)[1] else ""

    def cell(self, text: str, side: str = "l") -> Any:
        """The text of a cell."""
        if len(text) <= _SHORT:
            return text
        key = side + text
        if key not in self.cells:
            before, name, after = self._parts(text)
            whole = soft(text) if side == "l" else text
            self.cells[key] = before + self._cut(name) + after if name else whole
        return self.cells[key]

    def line(self, text: str) -> Any:
        """A sentence, whose long names a narrow screen cuts."""
        if not self.short:
            return escape(text)
        longest_first = sorted(self.short, key=len, reverse=True)
        parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
        cut = Markup('<span class="nm">{}</span>').format
        return Markup("").join(cut(self._cut(k)) if k in self.short else k for k in parts)

    def _cut(self, name: str) -> Any:
        start, _, end = self.short[name].partition("…")
        number = "" if name.endswith(end) else f' data-n="{end}"'
        end = "" if number else end
        middle = escape(name[len(start) : len(name) - len(end)])
        return Markup(f'{escape(start)}<i class="cut"{number}>{middle}</i>{escape(end)}')


_SHORT = 20  # characters of a text that stays on one line


def _systems_named(page: Document) -> set[str]:
    """Names of systems in the picture of a page and in its tables."""
    screen = page.screen
    named = set(screen.picture.systems) if screen is not None and screen.picture else set()
    for table in (table for part in page.parts for table in part.tables):
        if table.heads[0] == "System" or table.shades:
            named |= {name for row in table.rows for name in row[: 1 + table.of_pairs]}
    return named


def tallies(table: Table) -> list[Any]:
    """Wins, ties and losses of each row that is always visible as a bar."""
    kinds = {"Wins": "v-better", "Ties": "empty", "Losses": "v-worse"}
    columns = [table.heads.index(heading) for heading in kinds if heading in table.heads]
    if not {"Wins", "Losses"} <= {*table.heads}:
        return []
    bars = []
    for row in table.rows[: table.visible]:
        counts = [int(row[k].replace(",", "")) for k in columns]
        parts = [(kinds[table.heads[k]], n) for k, n in zip(columns, counts, strict=True)]
        bars.append(Markup(marks.stacked(parts)))
    return bars


def labels(table: Table, *drawn: int) -> str:
    """Headings of columns as properties for CSS, which shows them in the cells of a card; places
    in `drawn` have a column without heading before them.
    """
    heads = [*table.heads]
    for place in sorted(drawn, reverse=True):
        heads[place:place] = [""] * (place >= 0)
    quoted = (re.sub(r"(['\\])", r"\\\1", heading) for heading in heads)
    return ";".join(f"--c{k}:'{heading} '" for k, heading in enumerate(quoted, 1) if heading)


def alignment(table: Table) -> str:
    """Column specification of a LaTeX table; long names get a column that breaks."""
    named = min(table.left, 2)
    if max((len(cell) for row in table.rows for cell in row[:named]), default=0) <= _LONG:
        return table.sides
    width = next(w for heads, w in _WIDTHS if len(table.heads) >= heads)
    name = r">{\raggedright\arraybackslash}p{" + width + "}"
    return name * named + table.sides[named:]


def breakable(text: str) -> str:
    """A name for LaTeX that may break after an underscore, a slash or a dot."""
    return re.sub(r"(\\_|/|\.|-)(?=\S)", r"\1\\allowbreak{}", latex(text))


_FILTERS: dict[str, Any] = {"tex": latex, "md": markdown, "json": script_json} | {
    function.__name__: function
    for function in (
        *(svg, shade, keyed, alignment, soft, breakable, drawn, tallies, labels, decision),
        marks.verdict_class,
    )
}
_FUNCTIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        *(scripts, allowed, marks.symbols, marks.bar, marks.stacked),
        marks.includes_zero,
    )
}
_LATEX_MARKS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}

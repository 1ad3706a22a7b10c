"""A page in Markdown, HTML or LaTeX: one template each, and what it needs of filters."""

import re
from typing import Any

from betterthan.results.document import Document, Figure, Table
from betterthan.results.escapes import latex, markdown
from betterthan.results.scripts import allowed, as_json, scripts

_LONG = 18  # characters of a name that needs a column which breaks
_DEEP = 0.86  # from here on a cell is so dark that its ink is light
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
    return environment.get_template(template).render(p=page)


def svg(figure: Figure) -> Any:
    """A figure, drawn."""
    from markupsafe import Markup

    from betterthan.results.figures import as_svg

    return Markup(as_svg(figure))


def shade(table: Table, row: int, column: int) -> Any:
    """Of a cell of a matrix its per cent, for the style, and whether it is decided."""
    from markupsafe import Markup

    value = table.shades[row][column]
    if value != value:  # nan: a system against itself
        return ""
    decided = not table.decided or table.decided[row][column]
    deep = " deep" if decided and value >= _DEEP else ""
    kind = "decided" if decided else "open"
    return Markup(f' class="shade {kind}{deep}" style="--p:{100 * value:.0f}"')


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


_FILTERS: dict[str, Any] = {
    "tex": latex,
    "md": markdown,
    "svg": svg,
    "shade": shade,
    "keyed": keyed,
    "alignment": alignment,
    "soft": soft,
    "breakable": breakable,
    "json": as_json,
}
_LATEX_MARKS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}

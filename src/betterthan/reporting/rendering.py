"""One comparison, four formats."""

import re
from pathlib import Path
from typing import Any

import xarray as xr

from betterthan import checks, names, schemas
from betterthan.files import write_whole
from betterthan.reporting.escapes import latex, markdown
from betterthan.reporting.of_comparison import Content, build_content
from betterthan.reporting.page import Page
from betterthan.reporting.tables import Table

_LONG = 18  # characters of a name that needs a column which breaks
_SUFFIX = {"markdown": "md", "html": "html", "latex": "tex"}


def report(
    comparison: xr.Dataset,
    *,
    format: str = "text",
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
) -> str:
    """Write a comparison up: question, data, model, matrix, pairs, verdicts in words, diagnostics,
    limits, signature.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `compare`.
    format : {"text", "markdown", "html", "latex"}, default "text"
        HTML is one self-contained page. LaTeX is a document for pdfLaTeX; names beyond Latin script
        need LuaLaTeX or XeLaTeX and a font that has them.
    path : str or pathlib.Path, optional
        Also write it to this file, whole or not at all.
    title : str, optional
        Default: the names of two systems, or how many there are.
    figures : bool, default True
        Draw figures into HTML (this loads matplotlib).

    Returns
    -------
    str
        The report.

    Raises
    ------
    ValueError
        If the format is unknown, or the Dataset is not a comparison.

    Examples
    --------
    >>> import betterthan as bt
    >>> text = bt.report(bt.compare(bt.datasets.contingency_case("a")))
    >>> "A is better than B with probability 0.996" in text
    True
    """
    checks.one_of(format, names.FORMATS, "format")
    schemas.comparison(comparison)
    content = build_content(comparison, title)
    if format == "text":
        from betterthan.reporting.plain import text

        written = text(content)
    else:
        drawn: list[tuple[str, str]] = []
        if format == "html" and figures:
            from betterthan.reporting.figures import draw

            drawn = draw(comparison)
        written = _render(format, content, drawn)
    if path is not None:
        write_whole(path, written)
    return written


def write_page(
    page: Page, format: str, path: str | Path | None, drawn: list[tuple[str, str]]
) -> str:
    """Lay a page out in one of the four formats, and write it to a file if one is given."""
    if format == "text":
        from betterthan.reporting.plain import page_text

        written = page_text(page)
    else:
        template = _environment(format).get_template(f"page.{_SUFFIX[format]}.j2")
        written = template.render(p=page, figures=drawn)
    if path is not None:
        write_whole(path, written)
    return written


def _render(format: str, content: Content, drawn: list[tuple[str, str]]) -> str:
    template = _environment(format).get_template(f"report.{_SUFFIX[format]}.j2")
    return template.render(c=content, figures=drawn)


def _environment(format: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("betterthan.reporting", "templates"),
        autoescape=format == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **(_LATEX_MARKS if format == "latex" else {}),
    )
    environment.filters |= {
        "tex": latex,
        "md": markdown,
        "shade": shade,
        "alignment": alignment,
        "soft": soft,
        "breakable": breakable,
    }
    return environment


def shade(value: float) -> str:
    """CSS of a matrix cell: darker where the probability is higher, so that it also reads in
    grey.
    """
    if value != value:  # nan: a system against itself
        return ""
    light = 100 - round(52 * value)
    ink = "#fff" if light < 60 else "#111"
    return f"background:hsl(212 45% {light}%);color:{ink}"


def soft(text: str) -> Any:
    """A name that may break after its own punctuation rather than anywhere."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_./:-])(?=[^\s<])", r"\1<wbr>", str(escape(text))))


def alignment(table: Table) -> str:
    """Column specification of a LaTeX table; long names get a column that breaks."""
    longest = max(
        (len(cell) for row in table.rows for cell in row[: min(table.left, 2)]), default=0
    )
    width = next(
        w
        for heads, w in ((17, "3.8cm"), (8, "2.2cm"), (6, "4cm"), (0, "6cm"))
        if len(table.heads) >= heads
    )
    name = r">{\raggedright\arraybackslash}p{" + width + "}"
    plain = [
        "l" if k < table.left or head == "Verdict" else "r" for k, head in enumerate(table.heads)
    ]
    names_of = min(table.left, 2) if longest > _LONG else 0
    return "".join([name] * names_of + plain[names_of:])


def breakable(text: str) -> str:
    """A name for LaTeX that may break after an underscore, a slash or a dot."""
    return re.sub(r"(\\_|/|\.|-)(?=\S)", r"\1\\allowbreak{}", latex(text))


_LATEX_MARKS: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}

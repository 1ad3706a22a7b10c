"""The formats of a report, a row each, and which of them a file asks for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from betterthan.results import papers
from betterthan.results.document import Document
from betterthan.results.markup import as_html, as_latex, as_markdown
from betterthan.results.text import as_text


@dataclass(frozen=True)
class Format:
    """A format, the suffixes that ask for it, what writes a page in it, whether it shows figures;
    or what writes one comparison in it.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[Document], str] = as_text
    figures: bool = False
    of_comparison: Callable[[xr.Dataset], str] | None = None


FORMATS = (
    Format("text", (".txt",), as_text),
    Format("markdown", (".md",), as_markdown),
    Format("html", (".html", ".htm"), as_html, figures=True),
    Format("latex", (".tex",), as_latex),
)
# of one comparison, for a paper or a pull request
PAPERS = (
    Format("latex-table", (".tex",), of_comparison=papers.as_latex_table),
    Format("latex-macros", (".tex",), of_comparison=papers.as_macros),
    Format("sentence", (".txt",), of_comparison=papers.as_sentence),
    Format("pull-request", (".md",), of_comparison=papers.as_pull_request),
)
NAMES = tuple(form.name for form in (*FORMATS, *PAPERS))
BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}


def chosen(format: Any, path: Any) -> Format:
    """The format that is asked for, by its name or by the suffix of a file; text by default."""
    named = next((form for form in (*FORMATS, *PAPERS) if form.name == format), None)
    if format is not None and named is None:
        raise ValueError(f"format is {_said(format)}; choose one of {', '.join(NAMES)}")
    if path is None:
        return named or FORMATS[0]
    if not isinstance(path, str | Path) or not Path(path).name:
        raise ValueError(f"path is {_said(path)}; give the name of a file")
    suffix = Path(path).suffix.lower()
    if suffix not in BY_SUFFIX and (suffix or named is None):
        raise ValueError(
            f"path {str(path)!r} ends in {suffix or 'no suffix'}; "
            f"give one of {', '.join(BY_SUFFIX)}"
        )
    if named is not None and suffix in named.suffixes:
        return named
    asked = BY_SUFFIX.get(suffix, named)
    if named not in (None, asked):
        raise ValueError(
            f"path {str(path)!r} asks for {asked.name if asked else ''}, but format is "
            f"{named.name}; give one of the two"
        )
    return asked or FORMATS[0]


def _said(value: Any) -> str:
    return repr(value) if isinstance(value, str | Path) else f"a {type(value).__name__}"

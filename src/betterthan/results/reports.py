"""Any answer in any format: reports, papers, JSON, and what `print` and notebooks show."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import xarray as xr

from betterthan import checks, schemas
from betterthan.files import write_whole
from betterthan.results import papers
from betterthan.results.document import Document, joined, without_figures
from betterthan.results.kinds import build_page, find_kind, plain
from betterthan.results.markup import as_html, as_latex, as_markdown
from betterthan.results.numbers import json_value, on_one_line
from betterthan.results.provenance import signature
from betterthan.results.tables import pair_rows, system_rows
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
    write_comparison: Callable[..., str] | None = None


FORMATS = (
    Format("text", (".txt",), as_text),
    Format("markdown", (".md",), as_markdown),
    Format("html", (".html", ".htm"), as_html, figures=True),
    Format("latex", (".tex",), as_latex),
)
# of one comparison, for a paper or a pull request
PAPERS = (
    Format("latex-table", (".tex",), write_comparison=papers.as_latex_table),
    Format("latex-macros", (".tex",), write_comparison=papers.as_macros),
    Format("sentence", (".txt",), write_comparison=papers.as_sentence),
    Format("pull-request", (".md",), write_comparison=papers.as_pull_request),
)
FORMAT_NAMES = tuple(form.name for form in (*FORMATS, *PAPERS))
BY_SUFFIX = {suffix: form for form in FORMATS for suffix in form.suffixes}


def chosen_format(format: Any, path: Any) -> Format:
    """The format that is asked for, by its name or by the suffix of a file; text by default."""
    named = None
    if format is not None:
        checks.one_of(format, FORMAT_NAMES, "format")
        named = next(form for form in (*FORMATS, *PAPERS) if form.name == format)
    if path is None:
        return named or FORMATS[0]
    if not isinstance(path, str | Path) or not Path(path).name:
        raise ValueError(f"path is {checks.quoted(path)}; give the name of a file")
    suffix = Path(path).suffix.lower()
    if suffix not in BY_SUFFIX and (suffix or named is None):
        raise ValueError(
            f"path {checks.quoted(str(path))} ends in {suffix or 'no suffix'}; "
            f"give one of {', '.join(BY_SUFFIX)}"
        )
    if named is not None and suffix in named.suffixes:
        return named
    by_suffix = BY_SUFFIX.get(suffix, named)
    if named is not None and named != by_suffix:
        raise ValueError(
            f"path {checks.quoted(str(path))} asks for {by_suffix.name if by_suffix else ''}, but "
            f"format is {named.name}; give one of the two"
        )
    return by_suffix or FORMATS[0]


def report(
    *answers: Any,
    format: str | None = None,
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
    p_values: str | None = None,
) -> str:
    """Write a report of one or more results, from the answer to the limits.

    The page has the answer first, then tables, data, model, tests, and limits.

    Parameters
    ----------
    *answers
        One or more results, in the order of the page: comparisons from `compare`; results of
        `scores.compare`, `orders.compare`, `orders.kendall_tau`, `orders.agreement`,
        `orders.consensus`, `features.compare`, `features.predict`, `labels.posterior`, `sign_test`,
        `significance.strength`, `significance.groups`, `people.mann_whitney`, `audit`, `gate`,
        `bt.plan`, or `fits.compare`; a fit of a model of pairs, or a tree from `fits.adopt`; a
        performance function and its posterior; confusion matrices; rankings.

        Pass the data that a result needs after it: confusion matrices after the scores, rankings
        after their taus. Several results are chapters of one page, and every comparison on it is
        interactive.
    format : {"text", "markdown", "html", "latex", "latex-table", ...}, optional
        Format of the report. Default: that of the suffix of `path`, else text. HTML is one
        self-contained page. LaTeX is a document for pdfLaTeX; names outside Latin script need
        LuaLaTeX or XeLaTeX and a font that has them.

        For a single comparison also: "latex-table", a booktabs table for a paper; "latex-macros",
        one command per number, for prose; "sentence", one for a paper, with the line to cite;
        "pull-request", short Markdown.
    path : str or pathlib.Path, optional
        File to write the report to, whole or not at all: .txt, .md, .html, .htm, or .tex.
    title : str, optional
        Title of the page. Default: the subject of the first result.
    figures : bool, default True
        Whether to draw figures into HTML, which loads matplotlib.
    p_values : str, optional
        For "latex-table": test of the comparison, such as "sign", whose p-values get a column. They
        are against the baseline, or else against the system that is most probably the best.

    Returns
    -------
    str
        The report. Only the intervals for labels of confusion matrices are sampled, with the seed
        in their ``attrs["seed"]``, else with seed 0.

    Raises
    ------
    ValueError
        If no result is passed or one is of an unknown kind, if the format or the suffix is unknown
        or they contradict each other, if the file cannot be written, or if `p_values` is passed for
        another format or is not a test of the comparison.

    Examples
    --------
    >>> import betterthan as bt
    >>> text = bt.report(bt.compare(bt.datasets.contingency_case("a")))
    >>> "A is better than B (probability 0.996)." in text
    True
    >>> groups = bt.significance.groups(bt.datasets.muc6_similarity("named_entity"))
    >>> bt.report(groups, format="markdown").splitlines()[0]
    '# Homogeneous groups of systems'
    """
    form = chosen_format(format, path)
    if not answers:
        raise ValueError("answers are missing; give at least one, such as what compare returned")
    if p_values is not None and form.name != "latex-table":
        raise ValueError(f"p_values is for format='latex-table', not for {form.name!r}")
    if form.write_comparison is not None:
        choice = {} if p_values is None else {"p_values": p_values}
        written = form.write_comparison(_single_comparison(answers, form.name), **choice)
    else:
        page = joined([build_page(answer) for answer in answers])
        if title is not None and checks.label(title, "title"):
            page = replace(page, title=on_one_line(title))
        if not (checks.flag(figures, "figures") and form.figures):
            page = without_figures(page, inline=form.figures)
        written = form.write(page)
    if path is not None:
        write_whole(path, written)
    return written


def _single_comparison(answers: tuple[Any, ...], format: str) -> Any:
    """The comparison that a format for papers is of."""
    comparison = plain(answers[0])
    if len(answers) > 1:
        raise ValueError(
            f"format={format!r} is of one comparison, and there are {len(answers)} answers; give "
            "one of them"
        )
    if getattr(comparison, "attrs", {}).get("answer") != "comparison":
        kind, others = find_kind(comparison), ", ".join(form.name for form in FORMATS)
        judged = " on judged outcomes" if kind and kind.by == "compare" else ""
        what = f"of {kind.by}{judged}" if kind else f"a {type(comparison).__name__}"
        raise ValueError(
            f"format={format!r} is of one comparison by betterthan.compare, and the answer is "
            f"{what}; choose one of {others}"
        )
    schemas.comparison(comparison)
    return comparison


SCHEMA = "betterthan.comparison/1"  # the number grows if a key changes its meaning


def as_json(comparison: xr.Dataset) -> str:
    """A comparison as JSON: schema, signature, settings, systems, pairs."""
    comparison = plain(comparison)
    document = {
        "schema": SCHEMA,
        "signature": signature(comparison),
        "settings": comparison.attrs,
        "systems": system_rows(comparison).to_dict("records"),
        "pairs": pair_rows(comparison).to_dict("records"),
    }
    written = json.dumps(json_value(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    # a terminal acts on some characters that JSON lets stand
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in written)

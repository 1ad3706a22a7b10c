"""Any answers, one page, in each format."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from betterthan import schemas
from betterthan.files import write_whole
from betterthan.results import formats
from betterthan.results.document import joined, without_figures
from betterthan.results.escapes import on_one_line
from betterthan.results.kinds import kind_of, page_of, plain
from betterthan.results.of_comparison import brief as brief_page
from betterthan.results.text import as_text


def report(
    *answers: Any,
    format: str | None = None,
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
) -> str:
    """Write answers up on one page: the answer first, then tables, data, model, tests, limits.

    Parameters
    ----------
    *answers
        One or more, in the order in which they are to be told: a comparison (from `compare`); what
        `scores.compare`, `orders.compare`, `orders.kendall_tau`, `orders.agreement`,
        `orders.consensus`, `features.compare`, `features.predict`, `labels.posterior`,
        `significance.groups`, `audit` or `fits.compare` returned; a fit of a model of pairs, or a
        tree from `fits.adopt`; a performance function, and its posterior; confusions; orders. What
        one needs beside it is given as another: the confusions after the scores, the orders after
        their taus. Several answers are
        chapters of one page; comparisons on it are all alive, each by itself.
    format : {"text", "markdown", "html", "latex", "latex-table", ...}, optional
        Default: that of the suffix of `path`, else text. HTML is one self-contained page. LaTeX is
        a document for pdfLaTeX; names beyond Latin script need LuaLaTeX or XeLaTeX and a font that
        has them. Of one comparison also "latex-table", a table with booktabs for a paper;
        "latex-macros", a command a number, for prose; "sentence", for a paper, with the line to
        cite; "pull-request", short Markdown.
    path : str or pathlib.Path, optional
        Also write it to this file, whole or not at all: .txt, .md, .html, .htm or .tex.
    title : str, optional
        Default: what the first answer is on.
    figures : bool, default True
        Draw figures into HTML (this loads matplotlib).

    Returns
    -------
    str
        The report. Nothing is sampled for it but the intervals of labels where confusions are
        given, with the seed in their ``attrs["seed"]``, else with seed 0.

    Raises
    ------
    ValueError
        If there is no answer or one of them is of no kind named above, if the format or the suffix
        of the file is unknown, if these two contradict each other, or if the file cannot be
        written.

    Examples
    --------
    >>> import betterthan as bt
    >>> text = bt.report(bt.compare(bt.datasets.contingency_case("a")))
    >>> "A is better than B (probability 0.996)." in text
    True
    >>> found = bt.significance.groups(bt.datasets.muc6_similarity("named_entity"))
    >>> bt.report(found, format="markdown").splitlines()[0]
    '# Systems that cannot be told apart'
    """
    form = formats.chosen(format, path)
    if not answers:
        raise ValueError("answers are missing; give at least one, such as what compare returned")
    if form.of_comparison is not None:
        written = form.of_comparison(_one_comparison(answers, form.name))
        return _put(written, path)
    page = joined([page_of(answer) for answer in answers])
    if title:
        page = replace(page, title=on_one_line(str(title)))
    written = form.write(page if form.figures and figures else without_figures(page))
    return _put(written, path)


def _put(written: str, path: str | Path | None) -> str:
    if path is not None:
        write_whole(path, written)
    return written


def _one_comparison(answers: tuple[Any, ...], format: str) -> Any:
    """The comparison that a format for papers is of."""
    found = plain(answers[0])
    if len(answers) > 1:
        raise ValueError(
            f"format={format!r} is of one comparison, and there are {len(answers)} answers; give "
            "one of them"
        )
    if getattr(found, "attrs", {}).get("answer") != "comparison":
        kind, others = kind_of(found), ", ".join(form.name for form in formats.FORMATS)
        what = f"the answer is of {kind.by}" if kind else f"the answer is a {type(found).__name__}"
        raise ValueError(
            f"format={format!r} is of one comparison by betterthan.compare, and {what}; choose one "
            f"of {others}"
        )
    schemas.comparison(found)
    return found


def brief(comparison: Any, title: str) -> str:
    """The pair, or the matrix, with the words and the diagnostics: a report of a few lines."""
    return as_text(brief_page(plain(comparison), title))

"""A comparison for a paper: a table, a macro a number, a sentence; and for a pull request."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.columns import interval_label
from betterthan.results.comparison_page import page
from betterthan.results.context import ReportContext, report_context
from betterthan.results.document import Table
from betterthan.results.escapes import latex, on_one_line
from betterthan.results.markup import as_comment, breakable
from betterthan.results.pair_tables import matrix_table
from betterthan.results.provenance import signature
from betterthan.results.sentences import paper_sentences
from betterthan.results.systems_table import systems_table

_MATRIX_SYSTEMS = 8  # systems whose matrix fits beside them
_WIDE = 6  # columns from which on a table takes both columns of a page
_LONG = 28  # characters of a name that needs a column which breaks
_LEFT_OUT = ("Correct", "MC error", "Contender")
_COMMENTED = ("Systems", "Audit", "Matrix", "Pairs")  # sections under a pull request


def as_sentence(comparison: xr.Dataset) -> str:
    """For the paper, and the line to cite."""
    context = report_context(comparison)
    version = context.provenance.version
    cited = f"Computed with betterthan {version} ({on_one_line(signature(context.data))})."
    return " ".join([*paper_sentences(context.answer), cited]) + "\n"


def as_pull_request(comparison: xr.Dataset) -> str:
    """Short Markdown: the answer, the systems, and the rest folded."""
    document = page(comparison)
    parts = [
        replace(part, folded=part.heading != "Systems")
        for part in document.parts
        if part.heading in _COMMENTED
    ]
    return as_comment(replace(document, parts=sorted(parts, key=lambda part: part.folded)))


def as_latex_table(comparison: xr.Dataset) -> str:
    """A table of the systems: the best set is bold, and decided pairs are marked."""
    context = report_context(comparison)
    table = _table(context)
    rows = [" & ".join(cells) + r" \\" for cells in _bold(table, context)]
    wide = "*" * (len(table.heads) >= _WIDE)
    long = max(len(row[0]) for row in table.rows) > _LONG
    spec = ("p{3.2cm}" if long else "l") + "r" * (len(table.heads) - 1)
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            rf"\begin{{table{wide}}}[t]",
            r"\centering",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{latex(_caption(context, table))}}}",
            r"\label{tab:betterthan}",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            " & ".join(_heading(heading) for heading in table.heads) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            rf"\end{{table{wide}}}",
            "",
        ]
    )


def _table(context: ReportContext) -> Table:
    """The systems, and the matrix of a few beside them."""
    table = systems_table(context)
    if not context.many and "score" not in context.data:
        table = Table(("System",), [(name,) for name in context.systems])
    square = len(context.systems) <= _MATRIX_SYSTEMS
    counts = ("Better than", "Worse than", "Undecided") if square else ()
    columns = [k for k, heading in enumerate(table.heads) if heading not in (*_LEFT_OUT, *counts)]
    heads = [table.heads[k] for k in columns]
    rows = [[row[k] for k in columns] for row in table.rows]
    if square:
        matrix = matrix_table(context).rows
        numbered = enumerate(zip(rows, matrix, strict=True), 1)
        rows = [[f"{k} {row[0]}", *row[1:], *cells[1:]] for k, (row, cells) in numbered]
        heads += [str(k) for k in range(1, len(rows) + 1)]
    return Table(tuple(heads), [tuple(row) for row in rows])


def _bold(table: Table, context: ReportContext) -> list[list[str]]:
    """Cells for LaTeX, the names of the best set in bold; of two systems that of the better."""
    verdict = context.data["verdict"].transpose(*names.SQUARE).values.astype(str)
    best = (verdict[:, ::-1] == "a_better").any(1) & (len(verdict) == 2)
    if "in_best_set" in context.data:
        best = context.data["in_best_set"].values
    written = [[_name(row[0]), *map(_cell, row[1:])] for row in table.rows]
    return [
        [rf"\textbf{{{row[0]}}}" if in_set else row[0], *row[1:]]
        for row, in_set in zip(written, best, strict=True)
    ]


def _name(text: str) -> str:
    """A name that breaks at its punctuation, ragged where its column does."""
    return rf"\raggedright {breakable(text)}" if len(text) > _LONG else latex(text)


def _cell(text: str) -> str:
    """As LaTeX, without the error that cut its digits; the star of a decided pair is raised."""
    text = text.partition(" ± ")[0]
    marked = re.fullmatch(r"([<>]?)(\d+)(\*?)", text)
    if marked is None:
        return latex(text)
    return f"${marked[1]}{marked[2]}" + "^{*}" * bool(marked[3]) + "$"


def _heading(text: str) -> str:
    return (
        r"\shortstack{" + latex(text).replace(" ", r"\\", 1) + "}" if " " in text else latex(text)
    )


def _caption(context: ReportContext, table: Table) -> str:
    """What was compared, by which model, and what is marked."""
    parts = [
        f"{_subject(context)}; {_model(context)}; {interval_label(context.provenance.to_attrs())}"
    ]
    if "in_best_set" in context.data:
        mass = f"{100 * (context.provenance.ci_prob or names.CI_PROB):g}%"
        parts.append(f"bold: with {mass} the best is one of these")
    elif not context.many:
        parts.append("bold: the better system")
    return "; ".join([*parts, _marks(context, table)]) + "."


def _subject(context: ReportContext) -> str:
    """The systems and the items; of two the sentence for the paper."""
    if not context.many:
        return paper_sentences(context.answer)[0].removesuffix(".")
    n = context.provenance.n_items or 0
    clusters = f" in {context.answer.clusters}" if context.answer.clusters else ""
    return f"{len(context.systems)} systems" + (f" on {n:,} items{clusters}" if n > 0 else "")


def _model(context: ReportContext) -> str:
    prior = context.provenance.prior
    if prior is None:
        return "Student's t on units"
    prior_name, outcomes = (
        ("Beta", "wins") if len(prior) == 2 else ("Dirichlet", "win, loss and tie")
    )
    return f"{prior_name}({', '.join(f'{p:g}' for p in prior)}) prior on {outcomes}"


def _marks(context: ReportContext, table: Table) -> str:
    if not table.heads[-1].isdigit():
        return f"better, worse and open: verdicts at {context.provenance.threshold:g}"
    how = ", from the joint model of all systems" if "pairwise_prob_better" in context.data else ""
    return (
        "numbered columns: probability, in per cent, that the system of the row is better than "
        f"that of the column{how}, * at {context.provenance.threshold:g} or beyond"
    )


def as_macros(comparison: xr.Dataset) -> str:
    """One command a number, for prose."""
    context = report_context(comparison)
    lines = [f"% {on_one_line(signature(context.data))}"]
    for name, value, meaning in [
        *_analysis_macros(context),
        *_system_macros(context),
        *_pair_macros(context),
    ]:
        lines.append(rf"\newcommand{{\bt{name}}}{{{latex(value)}}} % {on_one_line(meaning)}")
    return "\n".join(lines) + "\n"


def _analysis_macros(context: ReportContext) -> list[tuple[str, str, str]]:
    provenance = context.provenance
    macros = [("Systems", f"{len(context.systems):,}", "systems")]
    if provenance.n_items and provenance.n_items > 0:
        macros.append(("Items", f"{provenance.n_items:,}", "items"))
    if provenance.n_units:
        unit = "Clusters" if provenance.unit == "cluster" else "Units"
        macros.append(
            (unit, f"{provenance.n_units:,}", f"{provenance.unit}s, which are what is independent")
        )
    macros.append(
        ("Threshold", f"{provenance.threshold:g}", "probability from which there is a verdict")
    )
    macros.append(("Version", str(provenance.version), "of betterthan"))
    return macros


def _system_macros(context: ReportContext) -> list[tuple[str, str, str]]:
    macros = []
    for k, system in enumerate(context.systems):
        row = context.data.isel({names.SYSTEM: k}) if names.SYSTEM in context.data.dims else None
        macros.append((f"Name{letters(k)}", system, "the system at this place, the best first"))
        if row is None:
            continue
        if "score" in row:
            macros.append(
                (f"Score{letters(k)}", f"{row['score'].item():.3f}", f"score of {system}")
            )
        if "prob_best" in row:
            p = numbers.probability(row["prob_best"].item())
            macros.append((f"Best{letters(k)}", p, f"P({system} is the best)"))
            rank = f"{row['expected_rank'].item():.1f}"
            macros.append((f"Rank{letters(k)}", rank, f"expected rank of {system}"))
    return macros


def _pair_macros(context: ReportContext) -> list[tuple[str, str, str]]:
    """Of the pairs that have rows in a report."""
    held = {str(k): v.values for k, v in context.data.data_vars.items() if v.dims == names.SQUARE}
    return [macro for i, j in context.pairs for macro in _single_pair_macros(context, held, i, j)]


def _single_pair_macros(
    context: ReportContext, held: dict[str, np.ndarray], i: int, j: int
) -> Iterator[tuple[str, str, str]]:
    a, b, name = context.systems[i], context.systems[j], f"{letters(i)}over{letters(j)}"
    meaning = f"P({a} better than {b})"
    yield f"P{name}", numbers.probability(float(held["prob_better"][i, j])), meaning
    if "pairwise_prob_better" in held:
        p = numbers.probability(float(held["pairwise_prob_better"][i, j]))
        yield f"Pairwise{name}", p, f"{meaning}, the pair alone"
    if "difference_mean" in held and not np.isnan(held["difference_mean"][i, j]):
        bounds = (float(held[f"difference_{bound}"][i, j]) for bound in ("mean", "lower", "upper"))
        meaning = f"{context.provenance.difference_is or 'difference'} of {a} and {b}"
        yield f"D{name}", numbers.difference(*bounds), meaning


def letters(place: int) -> str:
    """A place as letters, for commands of LaTeX hold nothing else.

    Examples
    --------
    >>> [letters(k) for k in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    text = ""
    while place >= 0:
        place, last = divmod(place, 26)
        text, place = chr(ord("A") + last) + text, place - 1
    return text

"""A comparison for a paper: a table, a macro a number, a sentence; and for a pull request."""

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.brief import reference
from betterthan.results.comparison_page import page
from betterthan.results.context import ReportContext, report_context
from betterthan.results.document import Table
from betterthan.results.facts import score_label
from betterthan.results.markup import as_comment, breakable
from betterthan.results.methods import tests_in
from betterthan.results.numbers import latex, on_one_line
from betterthan.results.pair_tables import matrix_table, unmarked_verdicts
from betterthan.results.paper_sentences import paper_sentences, place_label
from betterthan.results.provenance import signature
from betterthan.results.sentences import (
    answer_sentences,
    difference_name,
    items_with_both,
    verdict_label,
)
from betterthan.results.tables import NO_VERDICT, best_errors, interval_label
from betterthan.signed import Signature

_MATRIX_SYSTEMS = 8  # systems whose matrix fits beside them
_WIDE = 6  # columns from which on a table takes both columns of a page
_LONG = 28  # characters of a name that needs a column which breaks
_COMMENTED = ("Systems", "Audit", "Matrix", "Pairs")  # sections under a pull request


def as_sentence(comparison: xr.Dataset) -> str:
    """For the paper: the answer, the provenance line, and for its author which numbers to cite and
    what the answer warns of.
    """
    context = report_context(comparison)
    alarms = _alarms(context)
    version = context.provenance.version
    cited = f"Computed with betterthan {version} ({on_one_line(signature(context.data))})."
    joint = [_CITE] if "pairwise_prob_better" in context.data else []
    warned = [f"[State this, too: {' '.join(alarms)}]"] if alarms else []
    counted = _counted_as_worst(context)
    return " ".join([*paper_sentences(context.answer), *counted, cited, *joint, *warned]) + "\n"


def _counted_as_worst(context: ReportContext) -> list[str]:
    """How many missing scores count as the worst, if they do."""
    n = context.provenance.n_blank or 0
    if context.provenance.missing != "wrong" or not n:
        return []
    scores = "score was" if n == 1 else "scores were"
    return [f"{n:,} missing {scores} counted as the worst score."]


def _alarms(context: ReportContext) -> list[str]:
    """What the answer warns of."""
    return [line[2:] for line in answer_sentences(context.answer) if line.startswith("! ")]


_CITE = "[Cite these joint numbers; pairwise ones leave the other systems out.]"


def as_pull_request(comparison: xr.Dataset) -> str:
    """Short Markdown: the answer, the systems, and the rest folded."""
    document = page(comparison)
    parts = [
        replace(part, folded=part.heading != "Systems")
        for part in document.parts
        if part.heading in _COMMENTED
    ]
    return as_comment(replace(document, parts=sorted(parts, key=lambda part: part.folded)))


def as_latex_table(comparison: xr.Dataset, p_values: str | None = None) -> str:
    """A table of the systems, best first, with booktabs.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.
    p_values : str, optional
        A test of the comparison, such as ``sign``: one more column has its p-values against the
        reference, the baseline or else the system most likely the best.

    Returns
    -------
    str
        Contenders for the best are in bold, of two systems the better one. A star in the matrix
        marks a verdict. The caption names rows, quantity, interval, threshold, model, and test.

    Raises
    ------
    ValueError
        If the comparison has no such test.

    Examples
    --------
    >>> import betterthan as bt
    >>> c = bt.compare(bt.datasets.contingency_case("a"), tests=("sign",))
    >>> "sign test against B" in as_latex_table(c.by_engine(), p_values="sign")
    True
    """
    context = report_context(comparison)
    test, cells = ("", []) if p_values is None else _test(context, p_values)
    table = _table(context, cells)
    rows = [" & ".join(row) + r" \\" for row in _bold(table, context)]
    wide = "*" * (len(table.heads) >= _WIDE)
    long = max(len(row[0]) for row in table.rows) > _LONG
    spec = ("p{3.2cm}" if long else "l") + "r" * (len(table.heads) - 1)
    caption = latex(_caption(context, table, test))
    quotes = r"\textquotedbl" in "".join((caption, *rows))
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}" + r" and \usepackage[T1]{fontenc}" * quotes,
            *(f"% State this, too: {on_one_line(alarm)}" for alarm in _alarms(context)),
            rf"\begin{{table{wide}}}[t]",
            r"\centering",
            r"\footnotesize",
            r"\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{caption}}}",
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


def _test(context: ReportContext, name: str) -> tuple[str, list[str]]:
    """What the p-values of a test against a reference are, and these, one a system."""
    tests = tests_in(context.data)
    if name not in tests:
        has = f"has {', '.join(tests)}" if tests else "has no tests"
        raise ValueError(
            f"p_values is {name!r}, but the comparison {has}; pass tests=({name!r},) to compare"
        )
    provenance, baseline = context.provenance, context.provenance.baseline
    place = context.systems.index(on_one_line(baseline)) if baseline else reference(context)[0]
    corrected = context.many and provenance.correction not in (None, "none")
    against = context.data.isel({names.SYSTEM_B: place}).sel({names.TEST: name})
    p, raw = (against[k].values for k in ("p_adjusted" if corrected else "p_value", "p_value"))
    errors = 0 * p
    if name == "randomization" and "p_value_mcse" in against:
        errors = against["p_value_mcse"].values * p / raw
    values = zip(p.tolist(), errors.tolist(), strict=True)
    texts = ["< 0.001" if p < 0.001 else numbers.p_value(p, mcse) for p, mcse in values]
    cells = [*texts[:place], "–", *texts[place + 1 :]]
    n = len(context.systems)
    correction = _CORRECTIONS.get(str(provenance.correction), str(provenance.correction))
    how = f"{correction} correction for {n * (n - 1) // 2} pairs" if corrected else ""
    how = how or ("without correction" if context.many else "")
    on = f"on {provenance.tests_on}" if provenance.tests_on else ""
    statistic = _statistic(provenance) if name == "randomization" else ""
    words = f"{name.replace('_', ' ')} test{statistic} against {context.systems[place]}"
    pooled = "of all items pooled" if provenance.over else ""
    return ", ".join(filter(None, (f"p: two-sided {words}", on, pooled, how))), cells


def _statistic(provenance: Signature) -> str:
    """The statistic of tallies that a test permutes, which is no mean over items."""
    statistic = str(provenance.randomization_statistic)
    if statistic not in _TALLY_STATISTICS:
        return ""
    return f" of {names.STATISTIC_LABELS.get(statistic, statistic)} over all items together"


_TALLY_STATISTICS = ("f1", "f_beta", "macro_f1", "precision", "recall")


_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "bonferroni": "Bonferroni"}


def _table(context: ReportContext, p_values: list[str]) -> Table:
    """The systems: score, P(best), rank, p-values, and the matrix of a few."""
    data, heads, columns = context.data, ["System"], [list(context.systems)]
    if "score" in data:
        heads.append(score_label(context.provenance, "n_right" in data))
        columns.append([_score_text(score) for score in _scores(context)])
        if "score_lower" in data and not _shared(context):
            heads.append(f"{_level(context)} interval")
            bounds = zip(data["score_lower"].values, data["score_upper"].values, strict=True)
            columns.append([numbers.score_range(low, high) for low, high in bounds])
    if "prob_best" in data:
        heads += ["P(best)", "Expected rank"]
        best = zip(data["prob_best"].values.tolist(), best_errors(data).tolist(), strict=True)
        columns.append([numbers.probability(p, error) for p, error in best])
        columns.append([f"{rank:.1f}" for rank in data["expected_rank"].values])
    if p_values:
        heads.append("p")
        columns.append(p_values)
    if len(context.systems) <= _MATRIX_SYSTEMS:
        places = range(1, len(context.systems) + 1)
        columns[0] = [f"{k} {name}" for k, name in zip(places, columns[0], strict=True)]
        heads += [str(k) for k in places]
        columns += map(list, zip(*(row[1:] for row in matrix_table(context).rows), strict=True))
    return Table(tuple(heads), list(zip(*columns, strict=True)))


def _shared(context: ReportContext) -> dict[str, float]:
    """The scores of two systems on the items that both have; empty where none is missing."""
    scores = () if context.many else context.answer.scores
    return {score.system: score.score for score in scores if score.shared}


def _on_shared(context: ReportContext) -> str:
    pair = context.answer.pair
    return f" on {items_with_both(pair)}" if pair and _shared(context) else ""


def _scores(context: ReportContext) -> list[float]:
    """The score of each system, of two systems as their sentences have it."""
    own = dict(zip(context.systems, context.data["score"].values.tolist(), strict=True))
    return list((own | _shared(context)).values())


def _score_text(score: float) -> str:
    return "–" if np.isnan(score) else f"{score:.{numbers.decimals(score, 3)}f}"


def _level(context: ReportContext) -> str:
    return f"{100 * (context.provenance.ci_prob or names.CI_PROB):g}%"


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
    """As LaTeX; the star of a verdict is raised."""
    if (marked := re.fullmatch(r"([<>]?) ?(\d+(?:\.\d+)?)(\*?)", text)) is None:
        return latex(text)
    return f"${marked[1]}{marked[2]}" + "^{*}" * bool(marked[3]) + "$"


def _heading(text: str) -> str:
    heading = latex(text)
    return r"\shortstack{" + heading.replace(" ", r"\\", 1) + "}" if " " in text else heading


def _caption(context: ReportContext, table: Table, test: str) -> str:
    """What the rows are, the quantity, interval, model, threshold, and marks, in sentences."""
    data, provenance = context.data, context.provenance
    parts = [_subject(context)]
    if "score" in data:
        lower = " (lower is better)" if provenance.higher_is_better is False else ""
        quantity = score_label(provenance, "n_right" in data)
        how = f" with its {interval_label(provenance.to_attrs())}" * ("score_lower" in data)
        if "score_lower" not in data and quantity.startswith("Mean"):
            how = " over items"
        if _shared(context):
            how = _on_shared(context)
        elif "score_shared" in data:
            how += ", each on all items that the system has a score for"
        parts.append(f"{quantity}{lower}{how}")
    if "prob_best" in data:
        parts.append("P(best): posterior probability that the system is the best")
    if table.heads[-1].isdigit():
        counts = context.answer.verdict_counts
        none = counts and (counts.n_no_data or counts.n_no_verdict)
        empty = "; empty: no verdict" if none else ""
        unmarked = unmarked_verdicts(context)
        star = "verdict that one of the two is better" if unmarked else "verdict"
        if "equivalent" in unmarked:
            at_most = f"differences of at most {provenance.rope:g}"
            empty = f"; no star for practical equivalence ({at_most}){empty}"
        parts.append(
            "Numbered columns: posterior probability, in percent, that the system of the row is "
            f"better than that of the column; *: {star}, at {provenance.threshold:g} or above"
            f"{empty}"
        )
    parts.append(f"Model: {_model(context)}")
    if "in_best_set" in data:
        parts.append(f"Bold: with posterior probability {_level(context)} the best is one of these")
    elif not context.many:
        parts.append("Bold: the better system, where there is a verdict")
    parts += [text.removesuffix(".") for text in _counted_as_worst(context)]
    parts += [test] if test else []
    return ". ".join(parts) + "."


def _subject(context: ReportContext) -> str:
    """The systems and the items; of two the sentence for the paper."""
    if not context.many:
        return paper_sentences(context.answer)[0].removesuffix(".")
    place, averaged = place_label(context.answer), context.answer.averaged
    on = f"on {place}" if place else ""
    over = f"averaged over {averaged}" if averaged else ""
    return ", ".join(filter(None, (f"{len(context.systems)} systems, best first", on, over)))


def _model(context: ReportContext) -> str:
    """Joint or pairwise, and the prior."""
    prior = context.provenance.prior
    of_all = "pairwise_prob_better" in context.data or context.answer.together
    joint = "joint model of all systems" if of_all else ""
    how = joint or ("each pair compared separately" if context.many else "")
    if context.answer.model:
        return ", ".join(filter(None, (how, f"{context.answer.model} model")))
    if prior is None:
        units = "clusters" if context.provenance.unit == "cluster" else "items"
        sd = context.provenance.prior_sd
        normal = f"normal(0, {sd:g}) prior on the difference" if sd else ""
        return ", ".join(filter(None, (how, f"Student's t on {units}", normal)))
    name, outcomes = ("Beta", "wins") if len(prior) == 2 else ("Dirichlet", "win, loss and tie")
    text = f"{name}({', '.join(f'{p:g}' for p in prior)}) prior on {outcomes}"
    return ", ".join(filter(None, (how, text)))


def as_macros(comparison: xr.Dataset) -> str:
    """One command for each number, for prose, and a comment on which to cite."""
    context = report_context(comparison)
    lines = [f"% {on_one_line(signature(context.data))}"]
    lines += [f"% State this, too: {on_one_line(alarm)}" for alarm in _alarms(context)]
    if "pairwise_prob_better" in context.data:
        lines.append(
            r"% Cite \btP... and \btD..., from the joint model; \btPairwise... leave the other "
            "systems out."
        )
    macros = [*_analysis_macros(context), *_system_macros(context), *_pair_macros(context)]
    for name, value, meaning in macros:
        lines.append(rf"\newcommand{{\bt{name}}}{{{latex(value)}}} % {on_one_line(meaning)}")
    return "\n".join(lines) + "\n"


def _analysis_macros(context: ReportContext) -> Iterator[tuple[str, str, str]]:
    provenance = context.provenance
    yield "Systems", f"{len(context.systems):,}", "systems"
    n = provenance.n_items or 0
    fewest, most = context.answer.n_shared or (n, n)
    if n > 0:
        shared = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        differ = fewest < most or (context.many and n > most and provenance.missing == "pairwise")
        of_pairs = f"; each pair shares {shared} of them" if differ else ""
        yield "Items", f"{n if of_pairs else most:,}", f"items{of_pairs}"
    if provenance.n_units:
        unit = "Clusters" if provenance.unit == "cluster" else "Units"
        yield unit, f"{provenance.n_units:,}", f"independent {provenance.unit}s"
    yield "Threshold", f"{provenance.threshold:g}", "posterior probability that a verdict needs"
    yield "Version", str(provenance.version), "version of betterthan"


def _system_macros(context: ReportContext) -> Iterator[tuple[str, str, str]]:
    scores = _scores(context) if "score" in context.data else []
    on = _on_shared(context)
    for k, system in enumerate(context.systems):
        name = letters(k)
        yield f"Name{name}", system, "the system at this place, best first"
        row = context.data.isel({names.SYSTEM: k}, missing_dims="ignore")
        if "score" in row:
            yield f"Score{name}", _score_text(scores[k]), f"score of {system}{on}"
        if "prob_best" in row:
            p = numbers.probability(row["prob_best"].item(), best_errors(row).item())
            yield f"Best{name}", p, f"P({system} is the best)"
            yield f"Rank{name}", f"{row['expected_rank'].item():.1f}", f"expected rank of {system}"


def _pair_macros(context: ReportContext) -> Iterator[tuple[str, str, str]]:
    """Of the pairs that have rows in a report."""
    held = {str(k): v.values for k, v in context.data.data_vars.items() if v.dims == names.SQUARE}
    threshold = float(context.data.attrs.get("threshold") or 0.0)
    probabilities = [k for k in _PROBABILITIES if k in held]
    for i, j in context.pairs:
        a, b, name = context.systems[i], context.systems[j], f"{letters(i)}over{letters(j)}"
        verdict, meaning = str(held["verdict"][i, j]), f"P({a} better than {b})"
        none = verdict in NO_VERDICT
        p = {
            k: numbers.probability(float(held[k][i, j]), _error(held, k, i, j), threshold)
            for k in probabilities
        }
        yield f"P{name}", "–" if none else p["prob_better"], meaning
        yield f"Verdict{name}", verdict_label(verdict, a, b), f"verdict on {a} and {b}"
        if "pairwise_prob_better" in p:
            pairwise = "–" if verdict == "no_data" else p["pairwise_prob_better"]
            yield f"Pairwise{name}", pairwise, f"{meaning}, pairwise"
        if "difference_mean" in held and not np.isnan(held["difference_mean"][i, j]):
            limits = (float(held[f"difference_{end}"][i, j]) for end in ("mean", "lower", "upper"))
            meaning = f"{difference_name(context.provenance)}, {a} − {b}"
            yield f"D{name}", "–" if none else numbers.difference(*limits), meaning


def _error(held: dict[str, np.ndarray], name: str, i: int, j: int) -> float:
    """The Monte Carlo error of a probability, 0 where it is exact."""
    return float(held[f"{name}_mcse"][i, j]) if f"{name}_mcse" in held else 0.0


_PROBABILITIES = ("prob_better", "pairwise_prob_better")


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

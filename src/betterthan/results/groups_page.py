"""Which systems cannot be told apart: check marks, in the layout of the Message Understanding
Conferences.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import PAGE_SYSTEMS, ReportContext
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.sentences import unit_label
from betterthan.results.tables import single_unit
from betterthan.significance.similarity import Marks, groups_by, ranges
from betterthan.text import named

_HEADING = "Homogeneous groups of systems"
_MARKED_SYSTEMS = 40  # with more systems than this, similar systems are listed by rank
_LETTERS = 24  # characters of the groups of one system; more are counted
_MARK, _ONE_WAY, _UNSETTLED = "✓", "✓!", "✓?"
_LEGENDS = {
    "one_way": f"{_ONE_WAY}: marked in this direction only, so that the pair is in no group.",
    "unsettled": f"{_UNSETTLED}: undecided; more random permutations would show on which side of "
    "the cutoff the pair is.",
}


def page(groups: xr.Dataset) -> Document:
    """The page on groups, from `significance.groups`."""
    a = groups.attrs
    signature = [
        f"betterthan {a['version']}",
        f"groups by {a['test']}",
        f"cutoff={a['cutoff']:g}",
        f"confidence={a['confidence_needed']:g}",
        f"correction={a['correction']}",
        f"systems={groups.sizes[names.SYSTEM]}",
    ]
    return Document(
        _HEADING,
        "Which systems are not significantly different?",
        [
            Part(
                _HEADING,
                tables=[marks_table(groups)],
                notes=[*_critical_difference(groups), on_one_line(str(a["note"]))],
                figures=[Figure("Which systems do not differ", plotted("cliques", groups))],
            ),
            *_p_values(groups),
        ],
        ['"Not significantly different" does not mean equal.'],
        [" | ".join(signature)],
        group_sentences(group_facts(groups)),
    )


def _critical_difference(groups: xr.Dataset) -> list[str]:
    """How far apart scores must be on these items, for any two systems to differ."""
    if "critical_difference" not in groups:
        return []
    value, error = (float(groups[f"critical_difference{end}"]) for end in ("", "_mcse"))
    if np.isnan(value):
        return ["There is no critical difference: so few permutations cannot reach the cutoff."]
    return [
        f"Critical difference: {numbers.estimate(value, error)}. Two systems whose scores are no "
        "further apart cannot be distinguished on this test set."
    ]


def _p_values(groups: xr.Dataset) -> list[Part]:
    """P above the diagonal and, where it was sampled, the confidence in the cutoff below it."""
    number = groups.sizes[names.SYSTEM]
    if "p_adjusted" not in groups or number > _MARKED_SYSTEMS:
        return []
    cells = np.full((number, number), "", dtype=object)
    upper = np.triu_indices(number, 1)
    p = groups["p_adjusted"].values[upper]
    error = groups["p_adjusted_mcse"].values[upper] if "p_adjusted_mcse" in groups else 0 * p
    cells[upper] = list(map(numbers.p_value, p, error))
    below = ""
    if "confidence" in groups:
        cells.T[upper] = [numbers.probability(p) for p in groups["confidence"].values[upper]]
        below = " Below it: the confidence that the true p is at or below the cutoff."
    systems = labels_on_one_line(groups[names.SYSTEM].values)
    ranks = [str(k + 1) for k in range(number)]
    rows = [(system, *row) for system, row in zip(systems, cells.tolist(), strict=True)]
    caption = f"Above the diagonal: p of each pair, as compared with the cutoff.{below}"
    return [Part("p-values", tables=[Table(("System", *ranks), rows, caption)])]


@dataclass(frozen=True, kw_only=True)
class GroupFacts:
    """Facts of `significance.groups`; similar systems are not significantly different."""

    n_systems: int
    n_pairs: int
    n_similar: int  # pairs
    n_one_way: int  # of these, similar in one direction only
    first: str  # the system at rank 1
    similar_to_first: list[str]
    separate: list[str]  # systems that are similar to no other one


def group_facts(groups: xr.Dataset) -> GroupFacts:
    """Facts from the result of `significance.groups`."""
    systems = np.array(labels_on_one_line(groups[names.SYSTEM].values))
    n = len(systems)
    similar = groups["similar"].values & ~np.eye(n, dtype=bool)
    either_way = similar | similar.T
    return GroupFacts(
        n_systems=n,
        n_pairs=n * (n - 1) // 2,
        n_similar=int(either_way.sum()) // 2,
        n_one_way=int((similar != similar.T).sum()) // 2,
        first=str(systems[0]),
        similar_to_first=systems[either_way[0]].tolist(),
        separate=systems[~either_way.any(1)].tolist(),
    )


def group_sentences(facts: GroupFacts) -> list[str]:
    """How many pairs are not significantly different, and which systems differ from all others."""
    if not facts.n_similar:
        return [f"All {facts.n_systems:,} systems differ significantly from each other."]
    are = "is" if facts.n_similar == 1 else "are"
    one_way = f", {facts.n_one_way:,} of them in one direction only" if facts.n_one_way else ""
    pairs = (
        f"{facts.n_similar:,} of {facts.n_pairs:,} pairs of systems {are} not significantly "
        f"different{one_way}."
    )
    if facts.similar_to_first:
        first = f"is not significantly different from {named(facts.similar_to_first)}"
    else:
        first = "differs significantly from all others"
    sentences = [f"{pairs} {facts.first}, at rank 1, {first}."]
    others = [system for system in facts.separate if system != facts.first]
    if others:
        differ = "differs" if len(others) == 1 else "differ"
        sentences.append(f"{named(others)} {differ} significantly from every other system.")
    return sentences


def groups_part(context: ReportContext) -> Part | None:
    """The section on groups of a comparison: by its verdicts, so that no pair is decided in one
    table and alike in another.
    """
    if not context.many:
        return None
    if single_unit(context.data)[np.triu_indices(len(context.systems), 1)].all():
        unit = unit_label(context.provenance)
        why = f"Each pair has a single {unit}, so there is only one independent observation"
        return Part(_HEADING, notes=[f"{why}, and systems are not grouped."])
    try:
        groups = groups_by(_marks(context))
    except ValueError as error:  # more groups than anybody reads
        return Part(_HEADING, notes=[str(error)])
    pairwise = () if "pairwise_verdict" in context.data else _PAIRWISE
    return Part(
        _HEADING, tables=[marks_table(groups)], notes=[str(groups.attrs["note"]), *pairwise]
    )


_RULE = (
    "Two systems are different if the verdict{}, at a posterior probability of {:g}, is that one "
    "of them is better."
)
_PAIRWISE = (
    "These verdicts are pairwise. For groups by a test that is corrected for the number of pairs, "
    "use betterthan.significance.groups.",
)


def _marks(context: ReportContext) -> Marks:
    """Similar are systems of which no verdict names the better one."""
    verdict = context.data["verdict"].transpose(*names.SQUARE).values.astype(str)
    similar = ~np.isin(verdict, ("a_better", "b_better"))
    never = int((verdict[np.triu_indices(len(verdict), 1)] == "no_data").sum())
    joint = " in the joint model of all systems" * ("pairwise_verdict" in context.data)
    rule = _RULE.format(joint, context.provenance.threshold)
    return Marks(context.systems, similar, None, rule, untested=never)


def marks_table(groups: xr.Dataset) -> Table:
    """The table of check marks, or of ranks where there are many systems.

    Parameters
    ----------
    groups : xarray.Dataset
        From `significance.groups`.

    Returns
    -------
    Table
        Columns System, Rank, Score if known, one per rank or "Not different from", and Groups.
    """
    systems = [on_one_line(str(s)) for s in groups[names.SYSTEM].values]
    ranks = [str(k + 1) for k in range(len(systems))]
    columns = {"System": systems, "Rank": ranks}
    if "score" in groups:
        lower = not groups.attrs.get("higher_is_better", True)
        columns[f"Score{' (lower is better)' * lower}"] = _scores(groups["score"].values)
    columns |= _similar(groups, ranks) | {"Groups": _groups(groups)}
    rows = list(zip(*columns.values(), strict=True))
    folding: Any = {"visible": PAGE_SYSTEMS, "elsewhere": "all are in the HTML report"}
    return Table(
        tuple(columns),
        rows,
        _caption(groups),
        marks=True,
        **(folding if len(rows) > PAGE_SYSTEMS else {}),
    )


def _similar(groups: xr.Dataset, ranks: list[str]) -> dict[str, list[str]]:
    """A column for each rank, or the ranks listed."""
    if len(ranks) > _MARKED_SYSTEMS:
        return {"Not different from": _listed(groups["similar"].values)}
    one_way, unsettled = groups["one_way"].values, groups["unsettled"].values
    marks = np.where(one_way, _ONE_WAY, np.where(unsettled, _UNSETTLED, _MARK))
    cells = np.where(groups["similar"].values, marks, "")
    return dict(zip(ranks, cells.T.tolist(), strict=True))


def _caption(groups: xr.Dataset) -> str:
    rule = on_one_line(str(groups.attrs["rule"]))
    if groups.sizes[names.SYSTEM] > _MARKED_SYSTEMS:
        return f"Not different from: ranks of the systems without a significant difference. {rule}"
    similar = groups["similar"].values
    legends = [legend for kind, legend in _LEGENDS.items() if (groups[kind].values & similar).any()]
    first = f"{_MARK}: the systems of row and column are not different."
    return " ".join([first, *legends, rule])


def _listed(similar: np.ndarray) -> list[str]:
    others = similar & ~np.eye(len(similar), dtype=bool)
    return [ranges(int(k) + 1 for k in np.flatnonzero(row)) for row in others]


def _groups(groups: xr.Dataset) -> list[str]:
    """The letters of every system's groups; where there are many, their number."""
    sizes = groups["member"].values.sum(1)
    return [
        str(letters) if len(str(letters)) <= _LETTERS else f"{size:,} groups"
        for letters, size in zip(groups["letters"].values, sizes, strict=True)
    ]


def _scores(scores: np.ndarray) -> list[str]:
    """To as many decimals, from 2 to 4, as write the scores in full."""
    finite = scores[np.isfinite(scores)]
    places = next(
        (k for k in (2, 3) if np.allclose(finite, np.round(finite, k), rtol=0, atol=1e-9)), 4
    )
    return [f"{s:.{places}f}" if np.isfinite(s) else "–" for s in scores]

"""Which systems cannot be told apart: check marks, in the layout of the Message Understanding
Conferences.
"""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers.rows import final_verdicts
from betterthan.comparison.pair_rows import in_one_unit
from betterthan.reporting.answering import said
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts_of_labels import group_facts
from betterthan.reporting.page import Page, Part, Table
from betterthan.reporting.sentences import unit_of
from betterthan.reporting.shown import Shown
from betterthan.significance.marks import Marks
from betterthan.significance.similarity import groups_by, ranges

_HEADING = "Systems that cannot be told apart"
_MARKS_OF = 40  # with more systems than this, similar systems are listed by rank
_LETTERS = 24  # characters of the groups of one system; more are counted
_MARK, _ONE_WAY, _UNSETTLED = "✓", "✓!", "✓?"
_LEGENDS = {
    "one_way": f"{_ONE_WAY}: marked in this direction only, so that the pair is in no group.",
    "unsettled": f"{_UNSETTLED}: not settled; more random permutations would say on which "
    f"side of the cutoff the pair is.",
}


def page(found: xr.Dataset) -> Page:
    """The page on groups, from `significance.groups`."""
    a = found.attrs
    signature = [
        f"betterthan {a['version']}",
        f"groups by {a['test']}",
        f"cutoff={a['cutoff']:g}",
        f"confidence={a['confidence_needed']:g}",
        f"correction={a['correction']}",
        f"systems={found.sizes[names.SYSTEM]}",
    ]
    return Page(
        _HEADING,
        "Which systems can a test not tell apart?",
        [Part(_HEADING, tables=[marks_table(found)], notes=[on_one_line(str(a["note"]))])],
        ["Systems that cannot be told apart need not be equal."],
        [" | ".join(signature)],
        said(group_facts(found), "groups"),
    )


def groups_beside(shown: Shown) -> Part | None:
    """The section on groups of a comparison: by its verdicts, so that no pair is decided in one
    table and alike in another.
    """
    if not shown.many:
        return None
    if in_one_unit(shown.whole)[np.triu_indices(len(shown.systems), 1)].all():
        one = unit_of(shown.made)
        why = f"Each pair has one {one}, so nothing can be said about new {one}s"
        return Part(_HEADING, notes=[f"{why}, and no systems are grouped."])
    try:
        found = groups_by(_marks(shown))
    except ValueError as error:  # more groups than anybody reads
        return Part(_HEADING, notes=[str(error)])
    alone = () if "among_verdict" in shown.whole else _ALONE
    return Part(_HEADING, tables=[marks_table(found)], notes=[str(found.attrs["note"]), *alone])


_RULE = (
    "By the verdicts above: two systems are told apart where a verdict{}, at a probability of "
    "{:g}, names one of them as the better."
)
_ALONE = (
    "A verdict speaks of its pair alone; betterthan.significance.groups makes groups by a test, "
    "corrected for the number of pairs.",
)


def _marks(shown: Shown) -> Marks:
    """Similar are systems of which no verdict names the better one."""
    verdict = final_verdicts(shown.whole)
    similar = ~np.isin(verdict, ("a_better", "b_better"))
    never = int((verdict[np.triu_indices(len(verdict), 1)] == "no_data").sum())
    among = " among all systems" * ("among_verdict" in shown.whole)
    rule = _RULE.format(among, shown.made.threshold)
    return Marks(shown.systems, similar, None, rule, untested=never)


def marks_table(found: xr.Dataset) -> Table:
    """The table of check marks, or of ranks where there are many systems.

    Parameters
    ----------
    found : xarray.Dataset
        From `significance.groups`.

    Returns
    -------
    Table
        Columns System, Rank, Score if known, one per rank or "Not told from", and Groups.
    """
    systems = [on_one_line(str(s)) for s in found[names.SYSTEM].values]
    ranks = [str(k + 1) for k in range(len(systems))]
    columns = {"System": systems, "Rank": ranks}
    if "score" in found:
        columns["Score"] = _scores(found["score"].values)
    columns |= _similar(found, ranks) | {"Groups": _groups(found)}
    rows = list(zip(*columns.values(), strict=True))
    return Table(tuple(columns), rows, _caption(found), marks=True)


def _similar(found: xr.Dataset, ranks: list[str]) -> dict[str, list[str]]:
    """A column for each rank, or the ranks listed."""
    if len(ranks) > _MARKS_OF:
        return {"Not told from": _listed(found["similar"].values)}
    one_way, unsettled = found["one_way"].values, found["unsettled"].values
    marks = np.where(one_way, _ONE_WAY, np.where(unsettled, _UNSETTLED, _MARK))
    cells = np.where(found["similar"].values, marks, "")
    return dict(zip(ranks, cells.T.tolist(), strict=True))


def _caption(found: xr.Dataset) -> str:
    rule = on_one_line(str(found.attrs["rule"]))
    if found.sizes[names.SYSTEM] > _MARKS_OF:
        return f"The ranks of the systems that each system cannot be told apart from. {rule}"
    shown = found["similar"].values
    legends = [legend for what, legend in _LEGENDS.items() if (found[what].values & shown).any()]
    first = f"{_MARK}: the systems of row and column cannot be told apart."
    return " ".join([first, *legends, rule])


def _listed(similar: np.ndarray) -> list[str]:
    others = similar & ~np.eye(len(similar), dtype=bool)
    return [ranges(int(k) + 1 for k in np.flatnonzero(row)) for row in others]


def _groups(found: xr.Dataset) -> list[str]:
    """The letters of every system's groups; where there are many, their number."""
    sizes = found["member"].values.sum(1)
    return [
        str(letters) if len(str(letters)) <= _LETTERS else f"{size:,} groups"
        for letters, size in zip(found["letters"].values, sizes, strict=True)
    ]


def _scores(scores: np.ndarray) -> list[str]:
    """To as many decimals, from 2 to 4, as write the scores in full."""
    known = scores[np.isfinite(scores)]
    places = next(
        (k for k in (2, 3) if np.allclose(known, np.round(known, k), rtol=0, atol=1e-9)), 4
    )
    return [f"{s:.{places}f}" if np.isfinite(s) else "–" for s in scores]

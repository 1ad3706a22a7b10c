"""Tables of check marks: which systems cannot be told apart, in the layout of the Message
Understanding Conferences.
"""

from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import xarray as xr
from rich.cells import cell_len

from betterthan import checks, names
from betterthan.reporting.escapes import latex, markdown, on_one_line
from betterthan.reporting.tables import Table
from betterthan.significance.similarity import ranges

_MARKS_OF = 40  # with more systems than this, similar systems are listed by rank
_LETTERS = 24  # characters of the groups of one system; more are counted
_MARK, _ONE_WAY, _UNSETTLED = "✓", "✓!", "✓?"
_LEGENDS = {
    "one_way": f"{_ONE_WAY}: marked in this direction only, so that the pair is in no group.",
    "unsettled": f"{_UNSETTLED}: not settled; more shuffles would say on which side of the cutoff "
    f"the pair is.",
}
_SCROLL = "overflow-x:auto"
_CELL = "padding:.15rem .4rem;white-space:nowrap;text-align:"


def group_table(groups: xr.Dataset, *, format: str = "text") -> str:
    """Write down which systems cannot be told apart: a check mark for each pair that does not
    differ.

    Parameters
    ----------
    groups : xarray.Dataset
        From `significance.groups`.
    format : {"text", "markdown", "html", "latex"}, default "text"
        HTML is a fragment. So is LaTeX, and needs the packages amssymb and booktabs; wide tables
        are set in small type.

    Returns
    -------
    str
        Rows from best to worst with rank and score, check marks under the ranks, the letters of the
        groups, and notes. With more than 40 systems the ranks that a system cannot be told from are
        listed instead.

    Raises
    ------
    ValueError
        If the format is unknown, or the Dataset is not one of groups.

    Examples
    --------
    >>> import xarray as xr
    >>> from betterthan.significance.similarity import groups
    >>> names = ["A", "B", "C"]
    >>> marks = xr.DataArray(
    ...     [[True, True, False], [True, True, True], [False, True, True]],
    ...     dims=("system_a", "system_b"),
    ...     coords={"system_a": names, "system_b": names, "score": ("system_a", [0.9, 0.8, 0.7])},
    ... )
    >>> print(group_table(groups(marks)))
    Similar systems
    <BLANKLINE>
    System  Rank  Score  1  2  3  Groups
    ------  ----  -----  -  -  -  ------
    A          1   0.90  ✓  ✓     a
    B          2   0.80  ✓  ✓  ✓  ab
    C          3   0.70     ✓  ✓  b
    <BLANKLINE>
    B is in more than one group: where groups overlap, a ranking of their systems is impossible.
    Marks as given, for p ≤ 0.01 with a confidence of at least 0.99.
    <BLANKLINE>
    """
    checks.one_of(format, names.FORMATS, "format")
    write = {"text": _text, "markdown": _markdown, "html": _html, "latex": _latex}[format]
    table = replace(marks_content(groups), caption="Similar systems")
    return write(
        table, [*_legends(groups), *(on_one_line(str(groups.attrs[k])) for k in ("note", "rule"))]
    )


def marks_content(groups: xr.Dataset) -> Table:
    """The table of check marks, or of ranks where there are many systems, for any renderer.

    Parameters
    ----------
    groups : xarray.Dataset
        From `significance.groups`.

    Returns
    -------
    Table
        Columns System, Rank, Score if known, one per rank or "Not told from", and Groups.
    """
    _check(groups)
    systems = [on_one_line(str(s)) for s in groups[names.SYSTEM].values]
    columns = [systems, [str(k + 1) for k in range(len(systems))]]
    heads = ["System", "Rank"]
    if "score" in groups:
        heads.append("Score")
        columns.append(_scores(groups["score"].values))
    if len(systems) <= _MARKS_OF:
        heads += columns[1]
        columns += np.array(_cells(groups)).T.tolist()
        caption = f"{_MARK}: the systems of row and column cannot be told apart."
    else:
        heads.append("Not told from")
        columns.append(_listed(groups["similar"].values))
        caption = "The ranks of the systems that each system cannot be told apart from."
    heads.append("Groups")
    sizes = groups["member"].values.sum(1)
    columns.append(
        [_letters(str(w), int(n)) for w, n in zip(groups["letters"].values, sizes, strict=True)]
    )
    caption = " ".join([caption, *_legends(groups), str(groups.attrs["rule"])])
    return Table(tuple(heads), list(zip(*columns, strict=True)), caption)


def _check(groups: Any) -> None:
    needed = {"similar", "one_way", "unsettled", "member", "letters"}
    if not needed <= set(getattr(groups, "data_vars", ())) or not {"note", "rule"} <= set(
        groups.attrs
    ):
        raise ValueError("expected groups, the Dataset that betterthan.significance.groups returns")


def _cells(groups: xr.Dataset) -> list[list[str]]:
    one_way, unsettled = groups["one_way"].values, groups["unsettled"].values
    marks = np.where(one_way, _ONE_WAY, np.where(unsettled, _UNSETTLED, _MARK))
    return np.where(groups["similar"].values, marks, "").tolist()


def _listed(similar: np.ndarray) -> list[str]:
    others = similar & ~np.eye(len(similar), dtype=bool)
    return [ranges(int(k) + 1 for k in np.flatnonzero(row)) for row in others]


def _legends(groups: xr.Dataset) -> list[str]:
    if groups.sizes[names.SYSTEM] > _MARKS_OF:
        return []
    shown = groups["similar"].values
    return [legend for what, legend in _LEGENDS.items() if (groups[what].values & shown).any()]


def _letters(letters: str, size: int) -> str:
    return letters if len(letters) <= _LETTERS else f"{size:,} groups"


def _scores(scores: np.ndarray) -> list[str]:
    """To as many decimals, from 2 to 4, as write the scores in full."""
    known = scores[np.isfinite(scores)]
    places = next(
        (k for k in (2, 3) if np.allclose(known, np.round(known, k), rtol=0, atol=1e-9)), 4
    )
    return [f"{s:.{places}f}" if np.isfinite(s) else "–" for s in scores]


def _sides(table: Table) -> list[str]:
    """How each column is aligned: l, r, or c for check marks, which are headed by a rank."""
    sides = {"Rank": "r", "Score": "r"}
    return [
        "l" if k == 0 else "c" if h.isdigit() else sides.get(h, "l")
        for k, h in enumerate(table.heads)
    ]


def _text(table: Table, notes: list[str]) -> str:
    lines = [table.heads, *table.rows]
    widths = [max(cell_len(line[k]) for line in lines) for k in range(len(table.heads))]
    rule = tuple("-" * width for width in widths)
    sides = _sides(table)

    def laid(line: tuple[str, ...]) -> str:
        cells = []
        for cell, width, side in zip(line, widths, sides, strict=True):
            gap = " " * (width - cell_len(cell))
            cells.append(gap + cell if side == "r" else cell + gap)
        return "  ".join(cells).rstrip()

    written = [laid(line) for line in (table.heads, rule, *table.rows)]
    return "\n".join([table.caption, "", *written, "", *notes, ""])


def _markdown(table: Table, notes: list[str]) -> str:
    marks = {"l": ":--", "r": "--:", "c": ":-:"}
    lines = [[markdown(cell) for cell in line] for line in (table.heads, *table.rows)]
    lines.insert(1, [marks[side] for side in _sides(table)])
    written = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join(
        [markdown(table.caption), "", *written, "", *(f"- {markdown(n)}" for n in notes), ""]
    )


def _html(table: Table, notes: list[str]) -> str:
    aligned = {"l": "left", "r": "right", "c": "center"}
    styles = [f' style="{_CELL}{aligned[side]}"' for side in _sides(table)]

    def laid(line: tuple[str, ...], head: bool) -> str:
        tags = [
            "th scope='col'" if head else "th scope='row'" if k == 0 else "td"
            for k in range(len(line))
        ]
        cells = zip(tags, styles, line, strict=True)
        return "<tr>" + "".join(f"<{t}{s}>{escape(c)}</{t[:2]}>" for t, s, c in cells) + "</tr>"

    return "\n".join(
        [
            f'<div class="groups" style="{_SCROLL}">',
            '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums">',
            f'<caption style="text-align:left">{escape(table.caption)}</caption>',
            f"<thead>{laid(table.heads, head=True)}</thead>",
            "<tbody>",
            *(laid(row, head=False) for row in table.rows),
            "</tbody>",
            "</table>",
            *(f"<p>{escape(note)}</p>" for note in notes),
            "</div>",
            "",
        ]
    )


def _latex(table: Table, notes: list[str]) -> str:
    size = r"\footnotesize" if len(table.heads) <= 16 else r"\tiny"
    lines = [" & ".join(map(latex, line)) + r" \\" for line in (table.heads, *table.rows)]
    return "\n".join(
        [
            r"% \usepackage{amssymb,booktabs}",
            r"\begin{center}" + size + r"\setlength{\tabcolsep}{3pt}",
            latex(table.caption) + r"\\[2pt]",
            rf"\begin{{tabular}}{{{''.join(_sides(table))}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}\par\smallskip",
            *(latex(note) + r"\par" for note in notes),
            r"\end{center}",
            "",
        ]
    )

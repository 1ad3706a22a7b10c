"""An audit on a terminal, in a notebook and as Markdown: the findings by level, then the table."""

from collections.abc import Iterator
from html import escape
from typing import Any

import pandas as pd

from betterthan.auditing.finding import LEVELS, NOTE, SHOWN, STOP, WARN
from betterthan.io.problems import counted, printable

_ROWS = 20  # of the table that are shown
MEANS = {
    STOP: "the numbers of the comparison mean something else",
    WARN: "they may mean something else",
    NOTE: "for reading",
}


def headline(audit: Any) -> str:
    """How many findings there are of each level."""
    numbers = audit.findings["level"].value_counts()
    names = {STOP: "stop", WARN: "warning", NOTE: "note"}
    told = [counted(int(numbers[k]), name) for k, name in names.items() if numbers.get(k)]
    return ", ".join(told) or "nothing found"


def lines(audit: Any) -> Iterator[tuple[str, str, str]]:
    """Level, code and message of the findings that are shown, and how many more there are."""
    several = audit.table["metric"].nunique() > 1
    tasks = audit.table["task"].nunique() > 1
    for level in LEVELS:
        own = audit.findings[audit.findings["level"] == level]
        for code, rows in own.groupby("code", sort=False):
            for _, row in rows.head(SHOWN).iterrows():
                parts = [row["task"] * tasks, row["metric"] * several]
                about = ", ".join(part for part in parts if part)
                yield level, str(code), printable(row["message"] + f" [{about}]" * bool(about))
            if len(rows) > SHOWN:
                yield level, str(code), f"and {len(rows) - SHOWN} more: .findings has all"


def as_text(audit: Any) -> str:
    """For a terminal and a file: everything on plain lines."""
    found = list(lines(audit))
    wide = max((len(code) for _, code, _ in found), default=0)
    parts = [printable(audit.source)] if audit.source else []
    parts += [headline(audit), ""] if found else [headline(audit)]
    parts += [f"{level:4}  {code:{wide}}  {said}" for level, code, said in found]
    table = denominators(audit)
    return "\n".join([*parts, *(["", table] if table else [])])


def denominators(audit: Any) -> str:
    """The table on plain lines; empty where there is none."""
    table, more = _table(audit)
    return "\n".join([table.to_string(index=False), more]).rstrip() if len(table) else ""


def as_html(audit: Any) -> str:
    """For a notebook."""
    rows = "".join(
        f"<tr><td><b>{level}</b></td><td>{escape(code)}</td>"
        f"<td style='text-align:left'>{escape(said)}</td></tr>"
        for level, code, said in lines(audit)
    )
    table, more = _table(audit)
    written = table.to_html(index=False, border=0, justify="left")
    more = f"<p>{escape(more)}</p>" if more else ""
    head = f"<p>{escape(printable(audit.source))}</p><p><b>{headline(audit)}</b></p>"
    return f"<div>{head}<table>{rows}</table>{written}{more}</div>"


def as_markdown(audit: Any) -> str:
    """Two tables; a bar in a name is no border."""
    found = list(lines(audit))
    table, more = _table(audit)
    parts = [f"**{headline(audit)}**" + (f": {_cell(audit.source)}" if audit.source else "")]
    if found:
        parts.append(_grid(["level", "check", "finding"], found))
    if len(table):
        parts.append(_grid([*table.columns], table.astype(str).to_numpy().tolist()))
    return "\n\n".join([*parts, *([more] if more else [])]) + "\n"


def _grid(head: list[str], rows: Any) -> str:
    body = ["| " + " | ".join(_cell(x) for x in row) + " |" for row in [head, *rows]]
    return "\n".join([body[0], "|" + "---|" * len(head), *body[1:]])


def _cell(text: Any) -> str:
    plain = printable(str(text))
    for mark in ("\\", "|", "<", "*", "_", "`", "["):
        plain = plain.replace(mark, f"\\{mark}")
    return plain


def _table(audit: Any) -> tuple[pd.DataFrame, str]:
    """The table of denominators without columns that say nothing, and what was left out."""
    table = audit.table.head(_ROWS)
    blank = [k for k in ("task", "metric") if k in table and table[k].nunique() <= 1]
    blank += [k for k in ("epochs",) if k in table and (table[k] <= 1).all()]
    table = table.drop(columns=blank)
    if "mean" in table:
        table = table.assign(mean=[f"{x:.3f}" if x == x else "–" for x in table["mean"]])
    for name in ("system", "task", "metric"):
        if name in table:
            table = table.assign(**{name: table[name].map(printable)})
    left = len(audit.table) - len(table)
    return table, f"{left} more rows: .table has all." if left else ""

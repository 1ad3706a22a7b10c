"""A gate on a terminal, in a notebook and as Markdown."""

import textwrap
from html import escape

from betterthan.gating.decision import Decision
from betterthan.gating.words import facts, headline
from betterthan.results.escapes import markdown

_LISTED = 200  # items in a summary


def as_text(of: Decision, width: int | None = None) -> str:
    """The answer, what it rests on, and last the verdict alone.

    Parameters
    ----------
    of : Gate
    width : int, optional
        Columns to wrap at; one line a fact when not given.
    """
    lines = _wrapped("", headline(of), width)
    known = list(facts(of))
    wide = max((len(name) for name, _ in known), default=0)
    for name, said in known:
        lines += _wrapped(f"  {name:{wide}}  ", said, width)
    return "\n".join([*lines, last_line(of)])


def last_line(of: Decision) -> str:
    """What a script reads."""
    return f"gate: {of.verdict}"


def _wrapped(start: str, said: str, width: int | None) -> list[str]:
    if width is None or len(start) + len(said) <= width:
        return [start + said]
    room = max(width - len(start), 20)
    first, *rest = textwrap.wrap(said, room)
    return [start + first, *(" " * len(start) + line for line in rest)]


def as_html(of: Decision) -> str:
    """For a notebook."""
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td style='text-align:left'>{escape(said)}</td></tr>"
        for name, said in facts(of)
    )
    return f"<div><p><b>{escape(headline(of))}</b></p><table>{rows}</table></div>"


def as_markdown(of: Decision) -> str:
    """A heading, a table, and the items that were lost, folded."""
    rows = [
        f"| {markdown(name)} | {markdown(said)} |" for name, said in facts(of) if name != "lost"
    ]
    table = ["| | |", "|---|---|", *rows] if rows else []
    parts = [f"### {last_line(of)}", markdown(headline(of)), "\n".join(table), _lost(of)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _lost(of: Decision) -> str:
    lost = of.evidence.lost if of.evidence is not None else []
    if not lost:
        return ""
    more = [f"- and {len(lost) - _LISTED} more"] if len(lost) > _LISTED else []
    items = [f"- {markdown(item)}" for item in lost[:_LISTED]] + more
    head = f"<details><summary>Items that the candidate lost: {len(lost)}</summary>"
    return "\n".join([head, "", *items, "", "</details>"])

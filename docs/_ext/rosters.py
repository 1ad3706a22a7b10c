"""Tables of what the package knows, written from its rosters: ``{roster} checks``."""

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

Rows = list[tuple[str, ...]]


def _logs() -> Rows:
    from betterthan.logs.roster import READERS

    rows = [(r.tool, r.sentence.replace("`", ""), r.tried, r.system) for r in READERS]
    return [("tool", "files", "tried with", "the system is"), *rows]


def _judgments() -> Rows:
    from betterthan.logs.judgments import JUDGED

    rows = [(kind.tool, kind.note or "as it stands") for kind in JUDGED]
    return [("file of judgments", "how a judgment is read"), *rows]


def _checks() -> Rows:
    from betterthan.auditing.audit import CHECKS

    rows = [(check.code, check.level, check.subject, check.sentence) for check in CHECKS]
    return [("check", "level", "of", "reports"), *rows]


ROSTERS = {"logs": _logs, "judgments": _judgments, "checks": _checks}


class Roster(SphinxDirective):
    """A table with a row for each entry of the roster that is named."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write the table."""
        name = self.arguments[0]
        if name not in ROSTERS:
            raise self.error(f"roster {name!r} is unknown; choose one of {', '.join(ROSTERS)}")
        header, *rows = ROSTERS[name]()
        columns = [nodes.colspec(colwidth=1) for _ in header]
        head = nodes.thead("", _row(header))
        body = nodes.tbody("", *(_row(row) for row in rows))
        group = nodes.tgroup("", *columns, head, body, cols=len(header))
        return [nodes.table("", group, classes=["colwidths-auto"])]


def _row(texts: tuple[str, ...]) -> nodes.row:
    plain = {"support_smartquotes": False}  # options such as --log_samples keep both hyphens
    cells = (nodes.paragraph("", text, **plain) for text in texts)
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def setup(app: Any) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("roster", Roster)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

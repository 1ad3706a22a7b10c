"""The command `audit`: what would make a comparison wrong, and an exit code for scripts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan import names
from betterthan.cli.console import say
from betterthan.cli.sources import inputs_of, reading_options, source_of
from betterthan.files import refuse_inputs, write_whole

_FORMATS = ("text", "markdown", "json")

if TYPE_CHECKING:
    from betterthan.auditing.answer import Audit
    from betterthan.results.machines import Case


def audit(
    files: list[str],
    baseline: str | None = None,
    systems: str | None = None,
    near: bool = False,
    rope: float = names.ROPE,
    strict: bool = False,
    format: str | None = None,
    github: bool = False,
    junit: Path | None = None,
    **reading: Any,
) -> None:
    """Check logs or tables for what would make a comparison wrong.

    The exit code is 1 if there is an error.

    For example:
      betterthan audit logs/
      betterthan audit results.csv --strict
      betterthan audit logs/ --metric acc --format json
    """
    import betterthan as bt
    from betterthan import checks

    choices = reading_options(systems=systems, **reading)
    form = checks.one_of(format or "text", _FORMATS, "format")
    refuse_inputs([junit] if junit is not None else [], inputs_of(files))
    if github:
        from betterthan.results import machines

        machines.summary_file(inputs_of(files))
    result = bt.audit(source_of(files), baseline, near=near, rope=rope, **choices)
    _print(result, form)
    if github or junit is not None:
        _to_machines(result, github, junit)
    if result.level == "stop" or (strict and result.level == "warn"):
        raise SystemExit(1)


def _to_machines(result: "Audit", github: bool, junit: Path | None) -> None:
    """Report to GitHub, and as JUnit XML."""
    from betterthan.results import machines

    if github:
        machines.step_summary(result.to_markdown())
    if junit is not None:
        write_whole(junit, machines.junit("audit", cases_of(result)))
        say(f"wrote {junit}")


def _print(result: "Audit", form: str) -> None:
    """Print in color on a terminal, else as plain lines."""
    from betterthan.auditing.answer import document
    from betterthan.results.text import as_text, coloured, terminal_width

    if form == "text":
        print(as_text(document(result), terminal_width(), colour=coloured()), end="")
    else:
        print(result.to_json() if form == "json" else result.to_markdown(), end="")


def cases_of(audit: "Audit") -> "list[Case]":
    """Return a test case for each finding; errors have failed."""
    from betterthan.results.machines import FAILED, PASSED, Case

    return [
        Case(f"{row['code']}: {row['message']}", FAILED if row["level"] == "stop" else PASSED)
        for row in audit.findings.to_dict("records")
    ]

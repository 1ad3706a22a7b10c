"""The command `gate`: may a candidate replace a baseline, with an exit code for builds."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan import names
from betterthan.cli.console import in_actions, one_file, put_command, say
from betterthan.cli.sources import inputs_of, reading_options
from betterthan.files import refuse_inputs, write_all

if TYPE_CHECKING:
    from betterthan.gating.answer import Gate

_STYLES = {"pass": "bold green", "worse": "bold red", "inconclusive": "bold yellow"}


def gate(
    baseline_file: str,
    candidate: str,
    margin: float | None = None,
    threshold: float = names.VERDICT_PROB,
    max_missing: float = 0.1,
    quantity: str | None = None,
    looks: int | None = None,
    of: int | None = None,
    inconclusive: str | None = None,
    accept: bool = False,
    page: Path | None = None,
    junit: Path | None = None,
    json: Path | None = None,
    **reading: Any,
) -> None:
    """Decide whether CANDIDATE may replace BASELINE, with an exit code for CI.

    Exit code: 0 pass, 1 worse, 2 wrong usage, 3 inconclusive, 4 not comparable. The last line of
    the output names it.

    For example:
      betterthan gate baseline.csv candidate.csv --margin 0.05
      betterthan gate baseline.csv logs/ --metric acc --margin 5% --junit gate.xml
      betterthan gate baseline.csv candidate.csv --accept
    """
    choices = reading_options(**reading)
    if accept:
        return _accept(Path(baseline_file), candidate, choices)
    how: dict[str, Any] = {"margin": margin, "threshold": threshold}
    how |= {"max_missing": max_missing, "looks": _looks(looks, of), "quantity": quantity}
    form, page = one_file(None, page, "a gate", [])
    result = _gated(baseline_file, candidate, inconclusive, [page, junit, json], how, choices)
    pages = {} if page is None else {page: result.report(format=form)}
    _tell(result, inconclusive, junit, json, pages)


def _gated(
    baseline: str,
    candidate: str,
    inconclusive: str | None,
    written: list[Path | None],
    how: dict[str, Any],
    choices: dict[str, Any],
) -> "Gate":
    from betterthan import checks
    from betterthan.gating.deciding import gate as decide
    from betterthan.gating.rule import INCONCLUSIVE_AS

    if how["margin"] is None:
        raise ValueError(
            "--margin is missing; pass how much worse the candidate may be, such as --margin 0.05"
        )
    if inconclusive is not None:
        checks.one_of(inconclusive, INCONCLUSIVE_AS, "inconclusive")
    inputs = inputs_of([baseline, candidate])
    refuse_inputs([path for path in written if path is not None], inputs)
    if _has_summary():
        from betterthan.results import machines

        machines.summary_file(inputs)
    try:
        return decide(baseline, candidate, **how, **choices)
    except FileNotFoundError as error:
        if Path(baseline).exists() or not Path(candidate).exists():
            raise
        hint = f"betterthan gate {baseline} {candidate} --accept writes one"
        raise FileNotFoundError(f"{error}; there is no baseline yet: {hint}") from None


def _has_summary() -> bool:
    return in_actions() and bool(os.environ.get("GITHUB_STEP_SUMMARY"))


def _looks(looks: int | None, most: int | None) -> tuple[int, int] | None:
    if (looks is None) != (most is None):
        raise ValueError("--looks and --of belong together: --looks 4 --of 200")
    return None if looks is None or most is None else (looks, most)


def _accept(baseline: Path, candidate: str, choices: dict[str, Any]) -> None:
    """Write a candidate as the baseline."""
    from betterthan.gating import baseline_files
    from betterthan.gating.inputs import accept_candidate

    refuse_inputs([baseline], inputs_of([candidate]))
    key = baseline_files.signing_key()
    accepted = accept_candidate(candidate, choices)
    baseline_files.write(baseline, accepted, key)
    done = "accepted" if key is None else "accepted and signed"
    print(
        f"{done}: {baseline} holds {len(accepted.rows)} scores of {accepted.about['source']}; "
        "commit it"
    )


def _tell(
    result: "Gate",
    inconclusive: str | None,
    junit: Path | None,
    json: Path | None,
    pages: dict[Path, str],
) -> None:
    """Report to the terminal, files, GitHub and the shell."""
    from betterthan.gating import answer
    from betterthan.gating.rule import exit_code

    if result.reading:
        say(result.reading)
    files: dict[Path, str | bytes] = {**pages}
    if junit is not None:
        files[junit] = answer.junit(result, inconclusive)
    if json is not None:
        files[json] = result.to_json()
    write_all(files)
    if _has_summary():
        from betterthan.results import machines

        machines.step_summary(result.to_markdown())
    _print(result, answer.annotation(result, inconclusive) if in_actions() else "")
    raise SystemExit(exit_code(result.verdict, inconclusive))


def _print(result: "Gate", annotation: str) -> None:
    """The answer first, the verdict last; in colours and wrapped on a terminal, else one line each,
    which scripts read.
    """
    from betterthan.gating.answer import document, last_line
    from betterthan.progress import on_terminal
    from betterthan.results.text import as_text, coloured, painted, terminal_width

    colour, last = coloured(), last_line(result)
    width = terminal_width() if on_terminal(sys.stdout) else sys.maxsize
    *before, _ = as_text(document(result), width, colour=colour).splitlines()
    for line in before:
        print(line)
    if annotation:
        put_command(annotation)
    print(painted(last, _STYLES.get(result.verdict, "bold red")) if colour else last)

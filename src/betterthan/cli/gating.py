"""The commands `audit` and `gate`, whose exit code says whether a build can go on."""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import betterthan as bt
from betterthan import names
from betterthan.cli.console import in_actions, one_file, put, put_command, say, with_options
from betterthan.cli.options import in_printed_options, inputs_of, reading_options, source_of
from betterthan.files import refuse_inputs, write_all

if TYPE_CHECKING:
    from betterthan.auditing.answer import Audit
    from betterthan.gating.answer import Gate
    from betterthan.results.machines import Case

MAX_MISSING = 0.1
_STYLES = {"pass": "bold green", "worse": "bold red", "inconclusive": "bold yellow"}


def gate(
    baseline_file: str,
    candidate: str,
    margin: float | None = None,
    threshold: float = names.VERDICT_PROB,
    max_missing: float = MAX_MISSING,
    quantity: str | None = None,
    limits: str | None = None,
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
    outputs = {"--output": page, "--junit": junit, "--json": json}
    outputs = {option: path for option, path in outputs.items() if path is not None}
    if len(set(outputs.values())) < len(outputs):
        raise ValueError(f"{' and '.join(outputs)} need a file each")
    if accept:
        rule = {"--margin": margin, "--quantity": quantity, "--looks": looks, "--of": of}
        rule |= {"--inconclusive": inconclusive, "--limits": limits}
        passed = [option for option, value in rule.items() if value is not None]
        passed += ["--threshold"] * (threshold != names.VERDICT_PROB)
        passed += ["--max-missing"] * (max_missing != MAX_MISSING) + [*outputs]
        if passed:
            raise ValueError(f"--accept compares nothing; leave out {' and '.join(passed)}")
        return _accept(Path(baseline_file), candidate, choices)
    from betterthan import checks
    from betterthan.gating import answer
    from betterthan.gating.rule import INCONCLUSIVE_AS, exit_code

    how: dict[str, Any] = {"threshold": threshold, "max_missing": max_missing}
    how |= {"looks": _looks(looks, of), "quantity": quantity, "limits": _limits(limits)}
    form, page = one_file(None, page, "a gate", [])
    if margin is None:
        raise ValueError(
            "--margin is missing; pass how much worse the candidate may be, such as --margin 0.05"
        )
    if inconclusive is not None:
        checks.one_of(inconclusive, INCONCLUSIVE_AS, "inconclusive")
    inputs = inputs_of([baseline_file, candidate])
    refuse_inputs(list(outputs.values()), inputs)
    if _has_summary():
        from betterthan.results import machines

        machines.summary_file(inputs)
    result = _gated(baseline_file, candidate, margin=margin, **how, **choices)
    files: dict[Path, str | bytes] = {} if page is None else {page: result.report(format=form)}
    if result.reading:
        say(result.reading)
    if junit is not None:
        files[junit] = answer.junit(result, inconclusive)
    if json is not None:
        files[json] = result.to_json(inconclusive)
    write_all(files)
    if _has_summary():
        from betterthan.results import machines

        machines.step_summary(result.to_markdown())
    _print(result, answer.annotation(result, inconclusive) if in_actions() else "")
    raise SystemExit(exit_code(result.verdict, inconclusive))


def _limits(text: str | None) -> tuple[float, ...] | None:
    """The smallest and the largest score."""
    if text is None:
        return None
    try:
        low, high = (float(number) for number in text.split(","))
    except ValueError:
        raise ValueError(f"--limits is {text!r}; give LOWEST,HIGHEST, such as 1,5") from None
    return low, high


def _gated(baseline: str, candidate: str, **choices: Any) -> "Gate":
    from betterthan.gating.deciding import gate as decide

    try:
        return decide(baseline, candidate, **choices)
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
    scores = f"{len(accepted.rows)} scores of {accepted.about['source']}"
    print(f"{done}: {baseline} holds {scores}; commit it")


def _print(result: "Gate", annotation: str) -> None:
    """The answer first, the verdict last; in colours and wrapped on a terminal, else one line each,
    which scripts read.
    """
    from betterthan.gating.answer import last_line
    from betterthan.progress import on_terminal
    from betterthan.results.text import as_text, coloured, painted, terminal_width

    colour, last = coloured(), last_line(result)
    width = terminal_width() if on_terminal(sys.stdout) else sys.maxsize
    *before, _ = as_text(with_options(result.document()), width, colour=colour).splitlines()
    for line in before:
        print(line)
    if annotation:
        put_command(annotation)
    print(painted(last, _STYLES.get(result.verdict, "bold red")) if colour else last)


_FORMATS = ("text", "markdown", "json")


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
    from betterthan import checks
    from betterthan.results import machines
    from betterthan.results.text import as_text, coloured, terminal_width

    choices = reading_options(systems=systems, **reading)
    form = checks.one_of(format or "text", _FORMATS, "format")
    refuse_inputs([junit] if junit is not None else [], inputs_of(files))
    if github:
        machines.summary_file(inputs_of(files))
    result = bt.audit(source_of(files), baseline, near=near, rope=rope, **choices)
    if form != "json":  # messages name options of the command line
        messages = [in_printed_options(message) for message in result.findings["message"]]
        result = replace(result, findings=result.findings.assign(message=messages))
    if form == "text":
        print(as_text(result.document(), terminal_width(), colour=coloured()), end="")
    else:
        print(result.to_json() if form == "json" else result.to_markdown(), end="")
    if github:
        machines.step_summary(result.to_markdown())
    if junit is not None:
        put(machines.junit("audit", cases_of(result, strict)), junit)
    if result.level == "stop" or (strict and result.level == "warn"):
        raise SystemExit(1)


def cases_of(audit: "Audit", strict: bool) -> "list[Case]":
    """Return a test case for each finding; errors have failed, and so have warnings if strict."""
    from betterthan.results.machines import FAILED, PASSED, Case

    failed = ("stop", "warn") if strict else ("stop",)
    return [
        Case(f"{row['code']}: {row['message']}", FAILED if row["level"] in failed else PASSED)
        for row in audit.findings.to_dict("records")
    ]

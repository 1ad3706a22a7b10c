"""Answers for programs that run tests: JUnit's XML, and the summary of a step on GitHub."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from betterthan.files import same_file
from betterthan.results import numbers
from betterthan.results.tables import NO_VERDICT, pair_rows

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True)
class Case:
    """One thing that was looked at: its name, how it ended, and what is said of it."""

    name: str
    state: str
    message: str = ""


def pair_cases(comparison: Any) -> list[Case]:
    """A case for each pair: undecided is skipped; against a baseline, worse than it has failed.

    Examples
    --------
    >>> import betterthan as bt
    >>> pair_cases(bt.compare(bt.datasets.contingency_case("a")))
    [Case(name='A, B', state='passed', message='A better: P 0.996')]
    """
    baseline = comparison.data.attrs.get("baseline")
    threshold = comparison.data.attrs.get("threshold") or 0.0
    cases = []
    for row in pair_rows(comparison).to_dict("records"):
        system, other, verdict = row["system"], row["other"], str(row["verdict"])
        message = f"{system} {verdict.replace('_', ' ')}"
        if verdict not in NO_VERDICT:
            p = row["within_rope" if verdict == "equivalent" else "prob_better"]
            below = threshold if verdict == "undecided" else 0.0
            message += f": P {numbers.probability(p, threshold=below)}"
        state = PASSED if verdict in ("better", "worse", "equivalent") else SKIPPED
        if baseline is not None and baseline in (system, other):
            loses = (verdict == "better") == (system == baseline)
            state = FAILED if verdict in ("better", "worse") and loses else state
        cases.append(Case(f"{system}, {other}", state, message))
    return cases


def junit(suite: str, cases: Sequence[Case]) -> str:
    """Cases as the XML that JUnit and its readers know.

    Examples
    --------
    >>> print(junit("pairs", [Case("A, B", "skipped", "undecided")]))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuite name="pairs" tests="1" failures="0" skipped="1">
      <testcase classname="pairs" name="A, B">
        <skipped message="undecided" />
      </testcase>
    </testsuite>
    """
    number = {state: sum(case.state == state for case in cases) for state in (FAILED, SKIPPED)}
    root = Xml.Element(
        "testsuite",
        name=suite,
        tests=str(len(cases)),
        failures=str(number[FAILED]),
        skipped=str(number[SKIPPED]),
    )
    for case in cases:
        element = Xml.SubElement(root, "testcase", classname=suite, name=_plain(case.name))
        if case.state == PASSED and case.message:
            Xml.SubElement(element, "system-out").text = _plain(case.message)
        elif case.state != PASSED:
            kind = "failure" if case.state == FAILED else "skipped"
            Xml.SubElement(element, kind, message=_plain(case.message or case.name))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}'


def summary_file(inputs: Iterable[Path] = ()) -> Path:
    """Return the file with the summary of the step that runs.

    Raises
    ------
    ValueError
        If no step of GitHub Actions runs, or the file is no file, has no folder or is an input.
    """
    path = Path(os.environ.get(_SUMMARY, ""))
    if not os.environ.get(_SUMMARY):
        raise ValueError(f"{_SUMMARY} is not set; --github is for a step of GitHub Actions")
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in no folder that exists"
        raise ValueError(f"{_SUMMARY} is {path}, which {what}; set it to a file")
    if any(same_file(path, source) for source in inputs):
        raise ValueError(f"{_SUMMARY} is {path}, a file that is read; set it to another file")
    return path


def step_summary(markdown: str) -> None:
    """Add to the summary of the step that runs.

    Raises
    ------
    ValueError
        If no step of GitHub Actions runs, or its summary cannot be written.
    """
    path = summary_file()
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(markdown.rstrip("\n") + "\n\n")
    except OSError as error:
        raise ValueError(
            f"{_SUMMARY} is {path}, which cannot be written ({error.strerror}); set it to another "
            "file"
        ) from None


def _plain(text: str) -> str:
    """Without the characters that XML does not know."""
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)

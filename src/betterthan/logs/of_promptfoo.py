"""promptfoo: what ``promptfoo eval -o out.json`` and ``-o out.jsonl`` write.

Its CSV cuts scores to two digits and repeats names of columns: it is recognised, and refused.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from betterthan.io.problems import counted, listed, problem
from betterthan.logs.hashing import digest
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_parts import as_text, mapping
from betterthan.logs.json_values import flat, records, whole
from betterthan.logs.occurrences import name_of, numbered
from betterthan.logs.record import ERROR, OK, UNSCORED, Run
from betterthan.logs.score_values import as_score, score_of

_ROWS = {"promptIdx", "testIdx"}
_LONG_ROWS = {"gradingResult", "namedScores", "latencyMs"}  # where its first bytes cut the first
_COLUMN = re.compile(r"\[[^\]]+\] ")  # [provider] prompt
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\] ?(\(|$)", re.MULTILINE)
_SECRET = re.compile("api_?key|secret|password|authorization|cookie", re.IGNORECASE)
_COUNTED = ("Pass", "Fail", "Error")
_FAILED = 2  # failureReason of what never ran; a check that fails is 1
_NO_CSV = (
    "is promptfoo's CSV, which cuts scores to two digits; give its JSON: promptfoo eval -o out.json"
)


@dataclass(frozen=True)
class _Result:
    """One output of a provider to a prompt on a test."""

    row: dict[str, Any]
    place: int
    system: tuple[str, str, Any]  # provider, prompt, and place among the columns
    test: bytes  # digest of the test
    number: int  # of the test in the file


def recognises(head: Head) -> bool:
    """Whether a file is promptfoo's, its CSV too."""
    if head.kind == "text":
        return _is_csv(head.lines)
    if head.kind not in ("object", "lines", "list"):
        return False
    if "evalId" in head.keys and isinstance(head.at("results"), dict):
        return head.has("results.version") or head.has("results.prompts")
    return head.keys >= _ROWS or (head.keys >= _LONG_ROWS and "prompt" in head.keys)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each provider and prompt of each file."""
    left = [file.name for file in files if file.head.kind == "text"]
    logs = sorted(
        (file for file in files if file.head.kind != "text"), key=lambda f: not _is_whole(f)
    )
    if not logs:
        raise problem(left[0], _NO_CSV)
    found: list[Run] = []
    seen: set[str] = set()
    for file in logs:
        about, rows = _opened(file)
        ids = {str(row["id"]) for _, row in rows if row.get("id")}
        if ids and ids <= seen:
            left.append(file.name)
            continue
        seen |= ids
        results = _results(file, rows)
        found += _runs_of(file, about, results)
        if double := len(rows) - len(results):
            what = f"{counted(double, 'row')} of {file.name} given twice, counted once"
            found[-1].said.append(("twice", what))
    if left:
        what = f"{listed(left)} left out: the same evaluation is read from its JSON"
        found[0].said.append(("skipped", what))
    return found


def _is_csv(lines: Sequence[str]) -> bool:
    try:
        header = next(csv.reader(lines), [])
    except csv.Error:
        return False
    columns = [k for k, name in enumerate(header) if _COLUMN.match(name)]
    told = any(header[k + 1 : k + 3] == ["Status", "Score"] for k in columns)
    return bool(columns) and (told or bool(_CELL.search("\n".join(lines[1:]).replace('"', "\n"))))


def _is_whole(file: LogFile) -> bool:
    return "evalId" in file.head.keys


def _opened(file: LogFile) -> tuple[dict[str, Any], list[tuple[int, dict[str, Any]]]]:
    """What is said of the evaluation, and its rows, each with its place."""
    about: dict[str, Any] = {}
    if _is_whole(file):
        about = whole(file)
        rows = about["results"].get("results")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise problem(file.name, "holds no list of results; is it of promptfoo eval?")
        found = list(enumerate(rows, start=1))
    else:
        found = list(records(file))
    if not found:
        raise problem(file.name, "holds no results; run the evaluation first")
    return about, found


def _results(file: LogFile, rows: Sequence[tuple[int, dict[str, Any]]]) -> list[_Result]:
    """The rows by provider, prompt and test; those that are there twice once."""
    found: dict[tuple[Any, int], _Result] = {}
    many: dict[Any, int] = {}
    for place, row in rows:
        system = _system(row)
        many[system] = many.get(system, 0) + 1
        number = row.get("testIdx")
        number = number if isinstance(number, int) else many[system]
        one = _Result(row, place, system, digest(*_test(row), _of_test(row, "description")), number)
        before = found.setdefault((system, number), one)
        if before is not one and _outcome(before) != _outcome(one):
            what = (
                f"testIdx {number} of {system[0]!r} is there twice, with other results in row "
                f"{before.place}; give each evaluation its own file"
            )
            raise problem(file.name, what, row=place)
    _refuse_no_vars(file, list(found.values()))
    return list(found.values())


def _system(row: dict[str, Any]) -> tuple[str, str, Any]:
    provider, prompt = row.get("provider"), row.get("prompt")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if isinstance(prompt, dict):
        prompt = prompt.get("label") or prompt.get("display") or prompt.get("raw")
    column = row.get("promptIdx")
    column = column if isinstance(column, int) else as_text(row.get("promptId"))
    return as_text(provider), as_text(prompt), column


def _test(row: dict[str, Any]) -> tuple[Any, Any]:
    """What a test gives and how it is checked: equal for the repeats of a test."""
    given = row.get("vars") or _of_test(row, "vars")
    return given or {}, _of_test(row, "assert") or []


def _of_test(row: dict[str, Any], key: str) -> Any:
    test = row.get("testCase")
    return test.get(key) if isinstance(test, dict) else None


def _outcome(one: _Result) -> bytes:
    response = one.row.get("response")
    output = response.get("output") if isinstance(response, dict) else response
    keys = ("score", "success", "failureReason", "namedScores")
    return digest(one.test.hex(), output, *(one.row.get(key) for key in keys))


def _refuse_no_vars(file: LogFile, results: Sequence[_Result]) -> None:
    """Refuse tests that have lost what tells them apart."""
    if any(_test(one.row)[0] for one in results):
        return
    sent: dict[Any, set[bytes]] = {}
    for one in results:
        prompt = one.row.get("prompt")
        sent.setdefault((one.system, one.test), set()).add(digest(prompt))
    if any(len(texts) > 1 for texts in sent.values()):
        what = (
            "holds prompts without the vars of their tests, so tests cannot be told apart; run "
            "promptfoo without PROMPTFOO_STRIP_TEST_VARS"
        )
        raise problem(file.name, what)


def _runs_of(file: LogFile, about: dict[str, Any], results: Sequence[_Result]) -> list[Run]:
    repeat = _repeat(about)
    numbers: dict[bytes, list[int]] = {}
    for test, number in sorted({(one.test, one.number) for one in results}):
        numbers.setdefault(test, []).append(number)
    found: dict[Any, Run] = {}
    for one in sorted(results, key=lambda one: one.number):
        if one.system not in found:
            found[one.system] = _run(file, about, one, repeat or 1)
        _add(found[one.system], one, *_nth(numbers[one.test].index(one.number), repeat))
    many = [len(of) for of in numbers.values() if len(of) > 1]
    for run in found.values():
        if repeat is None and many:
            run.epochs = max(many)
            what = (
                f"{counted(len(many), 'test')} stand up to {max(many)} times, taken as repeats; or "
                "the test is given twice: promptfoo's JSON (-o out.json) tells which"
            )
            run.said.append(("repeats", what))
    return [found[system] for system in sorted(found, key=_order)]


def _repeat(about: dict[str, Any]) -> int | None:
    """Runs of each test, where the file says."""
    config = mapping(about.get("config"))
    places = (about.get("runtimeOptions"), config.get("evaluateOptions"), config)
    told = [place.get("repeat") for place in places if isinstance(place, dict)]
    silent = 1 if isinstance(places[0], dict) else None  # what was asked for is there, not repeats
    return next((one for one in told if isinstance(one, int) and one > 0), silent)


def _nth(k: int, repeat: int | None) -> tuple[int, int]:
    """Which of the equal tests the k-th run of a test is of, and which run of that."""
    return (0, k) if repeat is None else divmod(k, repeat)


def _order(system: tuple[str, str, Any]) -> tuple[int, str, str]:
    column = system[2]
    return (column if isinstance(column, int) else 0, system[0], system[1])


def _run(file: LogFile, about: dict[str, Any], one: _Result, repeat: int) -> Run:
    provider, prompt, _ = one.system
    given = one.row.get("provider")
    config = given.get("config") if isinstance(given, dict) else None
    settings = flat(config) if isinstance(config, dict) else {}
    settings = {key: v for key, v in settings.items() if not _SECRET.search(key)}
    return Run(
        tool="promptfoo",
        files=[file.name],
        system=provider or None,
        parts={"prompt": prompt},
        version=str(mapping(about.get("metadata")).get("promptfooVersion", "")),
        config=settings,
        started=str(mapping(about.get("results")).get("timestamp", "")),
        again=str(about.get("evalId") or ""),
        epochs=repeat,
        ordered=False,
        reported=_reported(about, one.system),
        rule="mean of raw",
    )


def _reported(about: dict[str, Any], system: tuple[str, str, Any]) -> dict[str, float]:
    """The means over all rows of a prompt, with what promptfoo counts for those never checked."""
    prompts = mapping(about.get("results")).get("prompts")
    column = system[2]
    if not isinstance(prompts, list) or not isinstance(column, int) or column >= len(prompts):
        return {}
    told = mapping(prompts[column])
    metrics = mapping(told.get("metrics"))
    passed, *rest = (as_score(metrics.get(f"test{what}Count")) or 0 for what in _COUNTED)
    n, total = passed + sum(rest), as_score(metrics.get("score"))
    if not n or total is None or told.get("provider") != system[0]:
        return {}
    return {"score": total / n, "success": passed / n}


def _add(run: Run, one: _Result, copy: int, epoch: int) -> None:
    given, checks = _test(one.row)
    values = list(given.values()) if isinstance(given, dict) else [given]
    told = str(values[0]) if len(values) == 1 else str(given or "")
    prompt = one.row.get("prompt")
    failed = _has_failed(one.row)
    if failed and not run.why:
        run.why = str(one.row.get("error") or "")[:200]
    sample = run.cells.sample(
        numbered(name_of(told, one.test), copy),
        epoch=epoch + 1,
        content=digest(given, checks),
        prompt=digest(prompt.get("raw") if isinstance(prompt, dict) else prompt),
        text=told,
        row=one.place,
        failed=failed,
    )
    status = ERROR if failed else OK if _is_checked(one.row) else UNSCORED
    for metric, value in _scores(one.row):
        score = score_of(value, run.files[0], one.place, metric)
        run.cells.score(sample, metric, score, status)


def _scores(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "score", row.get("score")
    yield "success", row.get("success")
    named = row.get("namedScores")
    for name, value in named.items() if isinstance(named, dict) else ():
        yield f"{name} (named)" if name in ("score", "success") else str(name), value


def _has_failed(row: dict[str, Any]) -> bool:
    reason = row.get("failureReason")
    if reason is not None:
        return reason == _FAILED
    return bool(row.get("error")) and not row.get("gradingResult")


def _is_checked(row: dict[str, Any]) -> bool:
    """Whether a test has a check: without any, promptfoo writes 1 and calls it passed."""
    if isinstance(row.get("testCase"), dict):
        return bool(_of_test(row, "assert"))
    grading = row.get("gradingResult")
    return isinstance(grading, dict) and grading.get("reason") != "No assertions"

"""promptfoo: what ``promptfoo eval -o out.json`` and ``-o out.jsonl`` write.

Its CSV cuts scores to two digits and repeats names of columns: it is recognised, and refused.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from betterthan.io.compression import keep_bytes
from betterthan.io.problems import counted, listed, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_dict,
    as_score,
    flat,
    make_id,
    numbered,
    parse_score,
    read_json,
    records,
    to_text,
)
from betterthan.logs.record import ERROR, OK, UNSCORED, Run, grouped
from betterthan.logs.sniffing import LogFile, Preview

_ROWS = {"promptIdx", "testIdx"}
_LONG_ROWS = {"gradingResult", "namedScores", "latencyMs"}  # where its first bytes cut the first
_COLUMN = re.compile(r"\[[^\]]+\] ")  # [provider] prompt
_CELL = re.compile(r"\[(PASS|FAIL|ERROR)\] ?(\(|$)", re.MULTILINE)
_SECRET = re.compile("api_?key|secret|password|authorization|cookie", re.IGNORECASE)
_COUNTED = ("Pass", "Fail", "Error")
_ROW, _VALUE, _STEP = 900, 64, 2**10  # bytes in memory of a row, of a score; rows between looks
_FAILED = 2  # failureReason of what never ran; a check that fails is 1
_NO_CSV = (
    "is promptfoo's CSV, which cuts scores to two digits; give its JSON: promptfoo eval -o out.json"
)


@dataclass(frozen=True, slots=True)
class _Result:
    """One output of a provider to a prompt on a test: what counts of a row."""

    place: int
    system: tuple[str, str, Any]  # provider, prompt, and place among the columns
    test: bytes  # digest of the test
    number: int  # of the test in the file
    outcome: bytes  # digest of the test, the output and its scores
    content: bytes  # of the variables and the checks
    prompt: bytes  # of what was sent, whole
    raw_prompt: bytes  # of its text
    text: str
    has_vars: bool
    status: str
    error: str
    scores: tuple[tuple[str, Any], ...]
    config: Any  # of the provider


def recognises(preview: Preview) -> bool:
    """Whether a file is promptfoo's, its CSV too."""
    if preview.kind == "text":
        return _is_csv(preview.lines)
    if "evalId" in preview.keys and isinstance(preview.value("results"), dict):
        return preview.has("results.version") or preview.has("results.prompts")
    return preview.keys >= _ROWS or (preview.keys >= _LONG_ROWS and "prompt" in preview.keys)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each provider and prompt of each file."""
    skipped = [file.name for file in files if file.preview.kind == "text"]
    logs = [file for file in files if file.preview.kind != "text"]
    logs.sort(key=lambda file: not _is_whole(file))
    if not logs:
        raise problem(skipped[0], _NO_CSV)
    run_list: list[Run] = []
    known_ids: set[str] = set()
    for file in logs:
        about, rows = _opened(file)
        ids: set[str] = set()
        results, double = _results(file, rows, ids)
        if ids and ids <= known_ids:
            skipped.append(file.name)
            continue
        known_ids |= ids
        run_list += _make_runs(file, about, results)
        if double:
            message = f"{counted(double, 'row')} of {file.name} given twice, counted once"
            run_list[-1].notes.append(("twice", message))
    if skipped:
        message = f"{listed(skipped)} left out: the same evaluation is read from its JSON"
        run_list[0].notes.append(("skipped", message))
    return run_list


def _is_csv(lines: Sequence[str]) -> bool:
    try:
        header = next(csv.reader(lines), [])
    except csv.Error:
        return False
    columns = [k for k, name in enumerate(header) if _COLUMN.match(name)]
    has_status = any(header[k + 1 : k + 3] == ["Status", "Score"] for k in columns)
    cells = "\n".join(lines[1:]).replace('"', "\n")
    return bool(columns) and (has_status or bool(_CELL.search(cells)))


def _is_whole(file: LogFile) -> bool:
    return "evalId" in file.preview.keys


def _opened(file: LogFile) -> tuple[dict[str, Any], Iterable[tuple[int, dict[str, Any]]]]:
    """Return the metadata of the evaluation, and its rows with their positions."""
    if not _is_whole(file):
        return {}, records(file)
    about = read_json(file)
    rows = about["results"].get("results")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise problem(file.name, "holds no list of results; is it of promptfoo eval?")
    return about, enumerate(rows, start=1)


def _results(
    file: LogFile, rows: Iterable[tuple[int, dict[str, Any]]], ids: set[str]
) -> tuple[list[_Result], int]:
    """Group rows by provider, prompt and test; drop duplicates, and count them. Add the ids of the
    rows to `ids`.
    """
    results: dict[tuple[Any, int], _Result] = {}
    counts: dict[Any, int] = {}
    systems: dict[Any, tuple[str, str, Any]] = {}  # one for all results of a system
    for n, (place, row) in enumerate(rows, start=1):
        if row.get("id"):
            ids.add(str(row["id"]))
        system = _system(row)
        system = systems.setdefault(system, system)
        counts[system] = counts.get(system, 0) + 1
        number = row.get("testIdx")
        number = number if isinstance(number, int) else counts[system]
        result = _result(row, place, system, number)
        if not n % _STEP:
            size = _ROW + _VALUE * len(result.scores) + len(result.text)
            keep_bytes(_STEP * size, place)
        first = results.setdefault((system, number), result)
        if first is not result and first.outcome != result.outcome:
            reason = f"testIdx {number} of {system[0]!r} is there twice, with other results in row"
            right = "give each evaluation its own file"
            raise problem(file.name, f"{reason} {first.place}; {right}", row=place)
    if not results:
        raise problem(file.name, "holds no results; run the evaluation first")
    _refuse_no_vars(file, list(results.values()))
    return list(results.values()), sum(counts.values()) - len(results)


def _result(row: dict[str, Any], place: int, system: tuple[str, str, Any], number: int) -> _Result:
    variables, checks = _test(row)
    values = list(variables.values()) if isinstance(variables, dict) else [variables]
    test = digest(variables, checks, _test_field(row, "description"))
    prompt, provider, failed = row.get("prompt"), row.get("provider"), _has_failed(row)
    return _Result(
        place=place,
        system=system,
        test=test,
        number=number,
        outcome=_outcome(row, test),
        content=digest(variables, checks),
        prompt=digest(prompt),
        raw_prompt=digest(prompt.get("raw") if isinstance(prompt, dict) else prompt),
        text=str(values[0]) if len(values) == 1 else str(variables or ""),
        has_vars=bool(variables),
        status=ERROR if failed else OK if _is_checked(row) else UNSCORED,
        error=str(row.get("error") or "")[:200] if failed else "",
        scores=tuple(_scores(row)),
        config=provider.get("config") if isinstance(provider, dict) else None,
    )


def _system(row: dict[str, Any]) -> tuple[str, str, Any]:
    provider, prompt = row.get("provider"), row.get("prompt")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if isinstance(prompt, dict):
        prompt = prompt.get("label") or prompt.get("display") or prompt.get("raw")
    column = row.get("promptIdx")
    column = column if isinstance(column, int) else to_text(row.get("promptId"))
    return to_text(provider), to_text(prompt), column


def _test(row: dict[str, Any]) -> tuple[Any, Any]:
    """Return the inputs and the assertions of a test: equal for its repeats."""
    return row.get("vars") or _test_field(row, "vars") or {}, _test_field(row, "assert") or []


def _test_field(row: dict[str, Any], key: str) -> Any:
    return as_dict(row.get("testCase")).get(key)


def _outcome(row: dict[str, Any], test: bytes) -> bytes:
    response = row.get("response")
    output = response.get("output") if isinstance(response, dict) else response
    keys = ("score", "success", "failureReason", "namedScores")
    return digest(test.hex(), output, *(row.get(key) for key in keys))


def _refuse_no_vars(file: LogFile, results: Sequence[_Result]) -> None:
    """Refuse tests whose variables were stripped: they cannot be distinguished."""
    if any(result.has_vars for result in results):
        return
    sent = grouped(((result.system, result.test), result.prompt) for result in results)
    if any(len(set(texts)) > 1 for texts in sent.values()):
        reason = "holds prompts without the vars of their tests, so tests cannot be distinguished"
        raise problem(file.name, f"{reason}; run promptfoo without PROMPTFOO_STRIP_TEST_VARS")


def _make_runs(file: LogFile, about: dict[str, Any], results: Sequence[_Result]) -> list[Run]:
    repeat = _repeat(about)
    numbers = grouped(sorted({(result.test, result.number) for result in results}))
    runs_by_system: dict[Any, Run] = {}
    for result in sorted(results, key=lambda result: result.number):
        if result.system not in runs_by_system:
            runs_by_system[result.system] = _run(file, about, result, repeat or 1)
        k = numbers[result.test].index(result.number)
        # which of the equal tests it is of, and which run of that
        copy, epoch = (0, k) if repeat is None else divmod(k, repeat)
        _add(runs_by_system[result.system], result, copy, epoch)
    many = [len(positions) for positions in numbers.values() if len(positions) > 1]
    for run in runs_by_system.values():
        if repeat is None and many:
            run.epochs = max(many)
            message = (
                f"{counted(len(many), 'test')} occur up to {max(many)} times, taken as repeats"
            )
            other = "or the test is given twice: promptfoo's JSON (-o out.json) tells which"
            run.notes.append(("repeats", f"{message}; {other}"))
    return [runs_by_system[system] for system in sorted(runs_by_system, key=_order)]


def _repeat(about: dict[str, Any]) -> int | None:
    """Return the number of runs of each test, if the file says it."""
    config = as_dict(about.get("config"))
    places = (about.get("runtimeOptions"), config.get("evaluateOptions"), config)
    repeats = [place.get("repeat") for place in places if isinstance(place, dict)]
    silent = 1 if isinstance(places[0], dict) else None  # what was asked for is there, not repeats
    return next((repeat for repeat in repeats if isinstance(repeat, int) and repeat > 0), silent)


def _order(system: tuple[str, str, Any]) -> tuple[int, str, str]:
    column = system[2]
    return (column if isinstance(column, int) else 0, system[0], system[1])


def _run(file: LogFile, about: dict[str, Any], result: _Result, repeat: int) -> Run:
    provider, prompt, column = result.system
    evaluation = str(about.get("evalId") or "")
    settings = flat(as_dict(result.config))
    return Run(
        tool="promptfoo",
        files=[file.name],
        system=provider or None,
        parts={"prompt": prompt},
        version=str(as_dict(about.get("metadata")).get("promptfooVersion", "")),
        config={key: v for key, v in settings.items() if not _SECRET.search(key)},
        started=str(as_dict(about.get("results")).get("timestamp", "")),
        again=f"{evaluation}/{column}" if evaluation else "",  # columns are no retries of another
        epochs=repeat,
        ordered=False,
        reported=_reported(about, result.system),
        rule="mean of raw",
    )


def _reported(about: dict[str, Any], system: tuple[str, str, Any]) -> dict[str, float]:
    """Return the means over all rows of a prompt; promptfoo counts unchecked rows too."""
    prompts = as_dict(about.get("results")).get("prompts")
    column = system[2]
    if not isinstance(prompts, list) or not isinstance(column, int) or column >= len(prompts):
        return {}
    summary = as_dict(prompts[column])
    metrics = as_dict(summary.get("metrics"))
    passed, *others = (as_score(metrics.get(f"test{outcome}Count")) or 0 for outcome in _COUNTED)
    n, total = passed + sum(others), as_score(metrics.get("score"))
    if not n or total is None or summary.get("provider") != system[0]:
        return {}
    return {"score": total / n, "success": passed / n}


def _add(run: Run, result: _Result, copy: int, epoch: int) -> None:
    failed = result.status == ERROR
    if failed and not run.why:
        run.why = result.error
    sample = run.cells.sample(
        numbered(make_id(result.text, result.test), copy),
        epoch=epoch + 1,
        content=result.content,
        prompt=result.raw_prompt,
        text=result.text,
        row=result.place,
        failed=failed,
    )
    for metric, value in result.scores:
        score = parse_score(value, run.files[0], result.place, metric)
        run.cells.score(sample, metric, score, result.status)


def _scores(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "score", row.get("score")
    yield "success", row.get("success")
    for name, value in as_dict(row.get("namedScores")).items():
        yield f"{name} (named)" if name in ("score", "success") else str(name), value


def _has_failed(row: dict[str, Any]) -> bool:
    if (reason := row.get("failureReason")) is not None:
        return reason == _FAILED
    return bool(row.get("error")) and not row.get("gradingResult")


def _is_checked(row: dict[str, Any]) -> bool:
    """Whether a test has a check: without any, promptfoo writes 1 and calls it passed."""
    if isinstance(row.get("testCase"), dict):
        return bool(_test_field(row, "assert"))
    grading = row.get("gradingResult")
    return isinstance(grading, dict) and grading.get("reason") != "No assertions"

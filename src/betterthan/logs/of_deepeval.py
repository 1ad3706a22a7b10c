"""deepeval: the test runs that it saves in a folder of results."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from betterthan.io.problems import counted, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_dict,
    as_dicts,
    as_list,
    as_score,
    flat,
    is_blank,
    make_id,
    numbered,
    objects,
    occurrences,
    parse_score,
    read_json,
    to_text,
)
from betterthan.logs.record import ERROR, OK, Run
from betterthan.logs.sniffing import LogFile, Preview

_CASES = "testCases", "conversationalTestCases"
_BY_PLACE = re.compile(r"(conversational_)?test_case_\d+")  # the name of a case that has none


def recognises(preview: Preview) -> bool:
    """Whether a file is a test run."""
    if preview.kind != "object" or not isinstance(preview.value("testCases"), list):
        return False
    return bool(preview.keys & {"metricsScores", _CASES[1]}) or preview.has("testCases.metricsData")


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file."""
    return [_run(file) for file in files]


def _run(file: LogFile) -> Run:
    log = read_json(file)
    cases = [case for kind in _CASES for case in objects(log.get(kind), file.name, kind)]
    if not cases:
        raise problem(file.name, "holds no test cases")
    run = _about(file, log, cases)
    contents = [_content(case) for case in cases]
    copies = occurrences(contents)
    for row, (case, content, k) in enumerate(zip(cases, contents, copies, strict=True), start=1):
        _add(run, file, case, row, content, k)
    if not run.metrics:
        reason = f"holds no scores: {counted(len(cases), 'test case')} without metrics"
        raise problem(file.name, reason)
    run.higher_is_better = dict.fromkeys(_lower(cases), False)
    return run


def _add(
    run: Run, file: LogFile, case: dict[str, Any], row: int, content: bytes, copy: int
) -> None:
    text = to_text(case.get("input") or case.get("scenario"))
    item = to_text(case["name"]) if run.own_ids else numbered(make_id(text, content), copy)
    sample = run.cells.sample(item, content=content, text=text, row=row)
    for metric, value, status in _scores(case, file, row):
        run.cells.score(sample, metric, parse_score(value, file.name, row, metric), status)


def _about(file: LogFile, log: dict[str, Any], cases: Sequence[dict[str, Any]]) -> Run:
    """The run without its cells."""
    settings = flat(as_dict(log.get("hyperparameters")))
    system, prompt = settings.pop("model", None), settings.pop("prompt", None)
    names = [to_text(case.get("name")) for case in cases]
    by_place = any(not name or _BY_PLACE.fullmatch(name) for name in names)
    return Run(
        tool="deepeval",
        files=[file.name],
        system=to_text(system) or None,
        parts={} if prompt is None else {"prompt": to_text(prompt)},
        config=settings,
        own_ids=not by_place and len(set(names)) == len(names),
        reported=_reported(file, log),
        judge=_judges(cases),
    )


def _content(case: dict[str, Any]) -> bytes:
    """Digest the inputs and expectations of a case; of a conversation, the user's turns."""
    if "input" in case:
        return digest(*(case.get(key) for key in ("input", "expectedOutput", "context")))
    user_turns = [
        turn.get("content") for turn in as_dicts(case.get("turns")) if turn.get("role") == "user"
    ]
    scenario = [case.get(key) for key in ("scenario", "expectedOutcome", "userDescription")]
    return digest(scenario if any(scenario) else user_turns)


def _scores(case: dict[str, Any], file: LogFile, row: int) -> Iterator[tuple[str, Any, str]]:
    """Yield metric, value and status; a metric with an error has no score."""
    metrics = objects(case.get("metricsData"), file.name, f"metricsData of test case {row}")
    names = [to_text(metric.get("name")) for metric in metrics]
    for metric, name, k in zip(metrics, names, occurrences(names), strict=True):
        yield numbered(name, k), metric.get("score"), OK if is_blank(metric.get("error")) else ERROR


def _lower(cases: Sequence[dict[str, Any]]) -> set[str]:
    """Find metrics that pass below their threshold and never above it: lower is better."""
    passes: dict[bool, set[str]] = {True: set(), False: set()}
    for metric in chain.from_iterable(as_dicts(case.get("metricsData")) for case in cases):
        score, threshold = as_score(metric.get("score")), as_score(metric.get("threshold"))
        if score is not None and threshold is not None and score != threshold:
            below = (score < threshold) == bool(metric.get("success"))
            passes[below].add(to_text(metric.get("name")))
    return passes[True] - passes[False]


def _judges(cases: Sequence[dict[str, Any]]) -> str:
    metrics = chain.from_iterable(as_dicts(case.get("metricsData")) for case in cases)
    models = {to_text(metric.get("evaluationModel")) for metric in metrics}
    return ", ".join(sorted(name for name in models if name and name.lower() != "none"))


def _reported(file: LogFile, log: dict[str, Any]) -> dict[str, float]:
    """Average the listed scores of each metric."""
    means: dict[str, float] = {}
    for metric in objects(log.get("metricsScores"), file.name, "metricsScores"):
        scores = map(as_score, as_list(metric.get("scores")))
        if observed := [score for score in scores if score is not None]:
            means[to_text(metric.get("metric"))] = sum(observed) / len(observed)
    return means

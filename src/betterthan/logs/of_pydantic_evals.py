"""pydantic-evals: an ``EvaluationReport`` as JSON.

A case that failed is not among its cases, so that its averages hide it: it is read from its
failures, an error in every metric.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from betterthan.io.problems import listed, problem
from betterthan.logs.hashing import digest
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.json_parts import as_text, entries, mapping, objects
from betterthan.logs.json_values import flat, whole
from betterthan.logs.occurrences import name_of, numbered, occurrences
from betterthan.logs.record import ERROR, OK, Run
from betterthan.logs.score_values import score_of

_BY_PLACE = re.compile(r"Case \d+")  # the name of a case that has none
_Case = dict[str, Any]


def recognises(head: Head) -> bool:
    """Whether a file is a report."""
    if head.kind != "object" or not isinstance(head.at("cases"), list):
        return False
    whole = isinstance(head.at("failures"), list)
    return whole or head.has("cases.assertions") or head.has("cases.task_duration")


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each report."""
    logs = [whole(file) for file in files]
    cases = [objects(log.get("cases"), f.name, "cases") for f, log in zip(files, logs, strict=True)]
    metrics = _by_evaluator(case for of in cases for case in of)
    return [
        _run(file, log, done, metrics) for file, log, done in zip(files, logs, cases, strict=True)
    ]


def _run(
    file: LogFile, log: dict[str, Any], done: list[_Case], by_evaluator: dict[str, list[str]]
) -> Run:
    failed = objects(log.get("failures"), file.name, "failures")
    cases = done + failed
    if not cases:
        raise problem(file.name, "holds no cases")
    run = _about(file, log, cases)
    scores = [_scores(case, by_evaluator) for case in done]
    own = [metric for of in scores for metric in of]
    metrics = own or [metric for of in by_evaluator.values() for metric in of]
    if not metrics:
        raise problem(file.name, "holds no scores and no assertions")
    scores += [_failed(metrics) for _ in failed]
    _add(run, cases, scores)
    return run


def _add(run: Run, cases: Sequence[_Case], scores: Sequence[dict[str, tuple[Any, str]]]) -> None:
    """The cells of cases, of which those that failed tell of an error."""
    names = [_source(case) for case in cases]
    epochs = occurrences(names)
    run.epochs = max(epochs) + 1
    for k, item in enumerate(_items(cases, names, run.own_ids)):
        sample = run.cells.sample(
            item,
            epoch=epochs[k] + 1,
            content=_content(cases[k]),
            text=as_text(cases[k].get("inputs")),
            row=k + 1,
            failed="error_message" in cases[k],
        )
        for metric, (value, status) in scores[k].items():
            score = score_of(value, run.files[0], k + 1, metric)
            run.cells.score(sample, metric, score, status)


def _about(file: LogFile, log: dict[str, Any], cases: Sequence[_Case]) -> Run:
    """The run without its cells."""
    settings = mapping(log.get("experiment_metadata")) | {"dataset": log.get("dataset_name")}
    names = [_source(case) for case in cases]
    errors = [as_text(case["error_message"]) for case in cases if case.get("error_message")]
    run = Run(
        tool="pydantic-evals",
        files=[file.name],
        system=as_text(log.get("name")) or None,
        config=flat({key: value for key, value in settings.items() if value is not None}),
        own_ids=not any(not name or _BY_PLACE.fullmatch(name) for name in names),
        why=errors[0][:200] if errors else "",
    )
    labels = dict.fromkeys(name for case in cases for name in mapping(case.get("labels")))
    if labels:
        run.said.append(("labels", f"{listed(labels)} left out: text, not scores"))
    return run


def _source(case: _Case) -> str:
    """The name of a case, without the number of its run."""
    return as_text(case.get("source_case_name") or case.get("name"))


def _content(case: _Case) -> bytes:
    return digest(case.get("inputs"), case.get("expected_output"))


def _items(cases: Sequence[_Case], names: Sequence[str], own: bool) -> list[str]:
    """The item of each case: its name, or its content, those of equal content in the order of
    their names, which does not depend on which of them failed.
    """
    if own:
        return list(names)
    contents = [_content(case) for case in cases]
    groups = sorted({(content, name) for content, name in zip(contents, names, strict=True)})
    copies = dict(zip(groups, occurrences(content for content, _ in groups), strict=True))
    return [
        numbered(name_of(as_text(case.get("inputs")), content), copies[content, name])
        for case, content, name in zip(cases, contents, names, strict=True)
    ]


def _scores(case: _Case, by_evaluator: dict[str, list[str]]) -> dict[str, tuple[Any, str]]:
    """Value and status of each metric; those of an evaluator that failed are errors."""
    found = {metric: (_value(one), OK) for metric, one in _results(case).items()}
    for failure in entries(case.get("evaluator_failures")):
        evaluator = as_text(failure.get("name"))
        for key in (_key(failure), evaluator):
            if key in by_evaluator:
                found = _failed(by_evaluator[key]) | found
                break
        else:
            found.setdefault(evaluator, (None, ERROR))
    return found


def _failed(metrics: Iterable[str]) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for metric in metrics:
        found[metric] = None, ERROR
    return found


def _results(case: _Case) -> dict[str, Any]:
    """Scores and assertions by their names."""
    scores, assertions = mapping(case.get("scores")), mapping(case.get("assertions"))
    return scores | {
        f"{name} (assertion)" if name in scores else name: one for name, one in assertions.items()
    }


def _value(one: Any) -> Any:
    return one.get("value") if isinstance(one, dict) else one


def _by_evaluator(cases: Iterable[_Case]) -> dict[str, list[str]]:
    """The metrics that each evaluator gives, by its name and by that with its arguments: what
    failed names its evaluator alone.
    """
    found: dict[str, list[str]] = {}
    for case in cases:
        for metric, one in _results(case).items():
            for key in (_key(one), as_text(mapping(mapping(one).get("source")).get("name"))):
                if key and metric not in found.setdefault(key, []):
                    found[key].append(metric)
    return found


def _key(one: Any) -> str:
    source = mapping(one).get("source")
    return digest(source).hex() if isinstance(source, dict) else ""

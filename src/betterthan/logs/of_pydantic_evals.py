"""pydantic-evals: an ``EvaluationReport`` as JSON.

A case that failed is not among its cases, so that its averages hide it: it is read from its
failures, an error in every metric.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from betterthan.io.problems import listed, problem
from betterthan.logs.hashing import digest
from betterthan.logs.json_values import (
    as_dict,
    as_dicts,
    flat,
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

_BY_PLACE = re.compile(r"Case \d+")  # the name of a case that has none
_FAILED: tuple[Any, str] = None, ERROR  # value and status
_Case = dict[str, Any]


def recognises(preview: Preview) -> bool:
    """Whether a file is a report."""
    if preview.kind != "object" or not isinstance(preview.value("cases"), list):
        return False
    has_failures = isinstance(preview.value("failures"), list)
    return has_failures or preview.has("cases.assertions") or preview.has("cases.task_duration")


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each report."""
    logs = [read_json(file) for file in files]
    cases = [objects(log.get("cases"), f.name, "cases") for f, log in zip(files, logs, strict=True)]
    metrics = _by_evaluator(case for run_cases in cases for case in run_cases)
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
    scored_metrics = [metric for names in scores for metric in names]
    metrics = scored_metrics or [metric for names in by_evaluator.values() for metric in names]
    if not metrics:
        raise problem(file.name, "holds no scores and no assertions")
    scores += [dict.fromkeys(metrics, _FAILED) for _ in failed]
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
            text=to_text(cases[k].get("inputs")),
            row=k + 1,
            failed="error_message" in cases[k],
        )
        for metric, (value, status) in scores[k].items():
            run.cells.score(sample, metric, parse_score(value, run.files[0], k + 1, metric), status)


def _about(file: LogFile, log: dict[str, Any], cases: Sequence[_Case]) -> Run:
    """The run without its cells."""
    settings = as_dict(log.get("experiment_metadata")) | {"dataset": log.get("dataset_name")}
    names = [_source(case) for case in cases]
    errors = [to_text(case["error_message"]) for case in cases if case.get("error_message")]
    run = Run(
        tool="pydantic-evals",
        files=[file.name],
        system=to_text(log.get("name")) or None,
        config=flat({key: value for key, value in settings.items() if value is not None}),
        own_ids=not any(not name or _BY_PLACE.fullmatch(name) for name in names),
        why=errors[0][:200] if errors else "",
    )
    if labels := dict.fromkeys(name for case in cases for name in as_dict(case.get("labels"))):
        run.notes.append(("labels", f"{listed(labels)} left out: text, not scores"))
    return run


def _source(case: _Case) -> str:
    """The name of a case, without the number of its run."""
    return to_text(case.get("source_case_name") or case.get("name"))


def _content(case: _Case) -> bytes:
    return digest(case.get("inputs"), case.get("expected_output"))


def _items(cases: Sequence[_Case], names: Sequence[str], own_ids: bool) -> list[str]:
    """Return the item of each case: its name, or its content; cases of equal content are numbered
    in the order of their names, whichever failed.
    """
    if own_ids:
        return list(names)
    contents = [_content(case) for case in cases]
    groups = sorted({(content, name) for content, name in zip(contents, names, strict=True)})
    copies = dict(zip(groups, occurrences(content for content, _ in groups), strict=True))
    return [
        numbered(make_id(to_text(case.get("inputs")), content), copies[content, name])
        for case, content, name in zip(cases, contents, names, strict=True)
    ]


def _scores(case: _Case, by_evaluator: dict[str, list[str]]) -> dict[str, tuple[Any, str]]:
    """Return value and status of each metric; metrics of a failed evaluator are errors."""
    scores = {metric: (_value(result), OK) for metric, result in _results(case).items()}
    for failure in as_dicts(case.get("evaluator_failures")):
        evaluator = to_text(failure.get("name"))
        for key in (_key(failure), evaluator):
            if key in by_evaluator:
                scores = dict.fromkeys(by_evaluator[key], _FAILED) | scores
                break
        else:
            scores.setdefault(evaluator, _FAILED)
    return scores


def _results(case: _Case) -> dict[str, Any]:
    """Scores and assertions by their names."""
    scores, assertions = as_dict(case.get("scores")), as_dict(case.get("assertions"))
    return scores | {
        f"{name} (assertion)" if name in scores else name: assertion
        for name, assertion in assertions.items()
    }


def _value(result: Any) -> Any:
    return result.get("value") if isinstance(result, dict) else result


def _by_evaluator(cases: Iterable[_Case]) -> dict[str, list[str]]:
    """List the metrics of each evaluator, by its name and by its name with arguments."""
    metrics_by_evaluator: dict[str, list[str]] = {}
    for case in cases:
        for metric, result in _results(case).items():
            for key in (_key(result), to_text(as_dict(as_dict(result).get("source")).get("name"))):
                if key and metric not in metrics_by_evaluator.setdefault(key, []):
                    metrics_by_evaluator[key].append(metric)
    return metrics_by_evaluator


def _key(result: Any) -> str:
    source = as_dict(result).get("source")
    return digest(source).hex() if isinstance(source, dict) else ""

"""Logs of Inspect: .eval archives, also of runs that died, and .json."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from betterthan.io.problems import counted, problem
from betterthan.logs.archives import Archive
from betterthan.logs.elements import fields
from betterthan.logs.hashing import digest, joined
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.inspect_content import given, prompts_of, shown_of
from betterthan.logs.inspect_header import add_reported, declared_metrics, run_of, steps_of
from betterthan.logs.inspect_values import add_scores, values_of
from betterthan.logs.json_values import count, parsed
from betterthan.logs.record import DONE, Run

_HEADER, _START, _ALL = "header.json", "_journal/start.json", "summaries.json"
_PART = re.compile(r"_journal/summaries/(\d+)\.json")


def recognises(head: Head) -> bool:
    """Whether a file is a log of Inspect."""
    if head.kind == "zip":
        return _HEADER in head.members or _START in head.members
    return head.kind == "object" and head.has("version", "status", "eval.task", "eval.run_id")


def runs(files: Sequence[LogFile]) -> list[Run]:
    """The run in each log, from its header and the summaries of its samples alone."""
    return [_of_archive(f) if f.head.kind == "zip" else _of_json(f) for f in files]


@dataclass
class _Seen:
    """Samples by (id, epoch): of two the last counts, which a scoring again wrote."""

    found: dict[tuple[str, int], tuple[int, dict[str, Any], bytes | None]] = field(
        default_factory=dict
    )
    double: int = 0

    def add(self, row: int, sample: dict[str, Any], content: bytes | None) -> None:
        key = (str(sample.get("id")), _epoch(sample))
        self.double += self.found.pop(key, None) is not None
        self.found[key] = (row, sample, content)


def _of_archive(file: LogFile) -> Run:
    with Archive(file) as archive:
        header = _header(archive, file)
        choices = any(step.get("solver") == "multiple_choice" for step in steps_of(header))
        seen = _Seen()
        for row, one in enumerate(_summaries(archive, file), start=1):
            seen.add(row, one, _given(one, archive.name, row, archive, choices))
    return _run(file, header, seen)


def _given(
    sample: dict[str, Any],
    name: str,
    row: int,
    archive: Archive | None = None,
    choices: bool = False,
) -> bytes | None:
    try:
        return given(sample, archive, choices)
    except RecursionError:
        raise problem(name, "is nested too deeply", row=row) from None


def _header(archive: Archive, file: LogFile) -> dict[str, Any]:
    """The header, or what a run that died wrote at its start."""
    member = _HEADER if _HEADER in archive else _START
    name = f"{file.name}, member {member}"
    header = parsed(archive.read(member), name)
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise problem(name, "is no header of an Inspect log")
    return header


def _summaries(archive: Archive, file: LogFile) -> Iterable[dict[str, Any]]:
    """The summaries of all samples, or those a run that died had come to."""
    parts = sorted(
        (int(match[1]), name) for name in archive.members if (match := _PART.fullmatch(name))
    )
    members = [_ALL] if _ALL in archive else [name for _, name in parts]
    for member in members:
        name = f"{file.name}, member {member}"
        found = parsed(archive.read(member), name)
        if not isinstance(found, list):
            raise problem(name, "is no list of samples")
        for row, one in enumerate(found, start=1):
            if not _is_sample(one):
                raise problem(name, "is no sample", row=row, value=one)
            yield one


def _of_json(file: LogFile) -> Run:
    """The run in a log of one JSON object, whose samples are read one by one."""
    header: dict[str, Any] = {}
    seen, row = _Seen(), 0
    with file.open() as data:
        for key, value in fields(data, file.name, frozenset({"samples"})):
            if key != "samples" or value is None:
                header[key] = value
                continue
            row += 1
            if not _is_sample(value):
                raise problem(file.name, "is no sample", row=row, value=value)
            content = _given(value, file.name, row)
            seen.add(row, _summary(value), content)
    if not isinstance(header.get("eval"), dict):
        raise problem(file.name, "is no header of an Inspect log")
    return _run(file, header, seen)


def _summary(sample: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a sample while others are read."""
    kept = {key: sample[key] for key in ("id", "epoch", "error") if key in sample}
    scores = sample.get("scores")
    if isinstance(scores, dict):
        kept["scores"] = {
            name: {"value": score.get("value") if isinstance(score, dict) else score}
            for name, score in scores.items()
        }
    elif isinstance(sample.get("score"), dict):
        kept["score"] = {"value": sample["score"].get("value")}
    return kept | {"input": shown_of(sample)[:80]}


def _run(file: LogFile, header: dict[str, Any], seen: _Seen) -> Run:
    run = run_of(header, file)
    if seen.double:
        said = f"{counted(seen.double, 'sample')} of {file.name} given twice, the last is taken"
        run.said.append(("twice", said))
    prompt, scored = digest(prompts_of(header)), []
    declared = declared_metrics(header)
    one_name = declared[0] if declared else "score"
    for row, sample, content in seen.found.values():
        place = run.cells.sample(
            sample["id"],
            epoch=_epoch(sample),
            content=content,
            prompt=joined(prompt, content),
            text=shown_of(sample),
            row=row,
            failed=sample.get("error") is not None,
        )
        scored.append((place, values_of(sample, one_name)))
        run.why = run.why or _why(sample.get("error"))
    if not len(run.cells) and run.state == DONE:
        raise problem(file.name, "holds no samples; run Inspect with samples logged")
    add_scores(run, scored, declared)
    add_reported(run, header)
    return run


def _is_sample(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str | int | float)


def _epoch(sample: dict[str, Any]) -> int:
    epoch = sample.get("epoch")
    return epoch if type(epoch) is int else count(epoch, 1)


def _why(error: Any) -> str:
    text = error.get("message") if isinstance(error, dict) else error
    return str(text or "").partition("\n")[0]

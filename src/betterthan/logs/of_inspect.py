"""Inspect: .eval archives, also of crashed runs, and .json."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any

from betterthan.io.elements import Window, elements, fields
from betterthan.io.problems import counted, listed, problem, shown
from betterthan.logs.archives import Archive
from betterthan.logs.hashing import all_joined, digest
from betterthan.logs.heads import LogFile, Preview
from betterthan.logs.inspect_content import Contents, digest_plain, input_text, plan_texts
from betterthan.logs.inspect_header import add_reported, declared_metrics, plan_steps, read_run
from betterthan.logs.inspect_values import Scores, add_scores
from betterthan.logs.json_values import as_dict, count, parsed
from betterthan.logs.record import DONE, TEXT_LIMIT, Run
from betterthan.progress import with_bar

_HEADER, _START, _ALL = "header.json", "_journal/start.json", "summaries.json"
_SOME = 500  # summaries that are looked at together
_IDS = {str, int, float, bool}
_PART = re.compile(r"_journal/summaries/(\d+)\.json")


def recognises(preview: Preview) -> bool:
    """Whether a file is a log of Inspect."""
    if preview.kind == "zip":
        return _HEADER in preview.members or _START in preview.members
    return preview.kind == "object" and preview.has("version", "status", "eval.task", "eval.run_id")


def runs(files: Sequence[LogFile], cluster: str | None = None) -> list[Run]:
    """The run in each log, from its header and the summaries of its samples alone.

    Parameters
    ----------
    files : sequence of LogFile
    cluster : str, optional
        The metadata of samples that items of one cluster share.
    """
    contents = Contents()
    bar = with_bar(files, len(files), "reading logs")
    return [_read_log(file, contents, cluster) for file in bar]


def _read_log(file: LogFile, contents: Contents, cluster: str | None) -> Run:
    read_header = _read_archive if file.preview.kind == "zip" else _read_json
    samples = _Samples(with_metadata=cluster is not None)
    header = read_header(file, contents, samples)
    run = _run(file, header, samples)
    if cluster is not None:
        run.cells.cluster = [_shared(samples, row - 1, cluster, file) for row in run.cells.row]
    return run


def _shared(samples: "_Samples", k: int, cluster: str, file: LogFile) -> str:
    """Return the sample's value of the metadata field."""
    metadata = as_dict(samples.metadata[k])
    if metadata.get(cluster) is None:
        existing = f"has {listed(metadata)}" if metadata else "has none"
        reason = f"has no metadata {cluster!r} to be its cluster; it {existing}"
        raise problem(f"{file.name}, sample {shown(samples.ids[k])}", reason)
    return str(metadata[cluster])


@dataclass(frozen=True)
class _Samples:
    """Columns of samples, or of their summaries."""

    with_metadata: bool
    ids: list[Any] = field(default_factory=list)
    epochs: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    errors: list[Any] = field(default_factory=list)
    metadata: list[Any] = field(default_factory=list)
    contents: list[bytes | None] = field(default_factory=list)  # digests of what each asks
    scores: Scores = field(default_factory=Scores)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, batch: Sequence[dict[str, Any]]) -> None:
        """Store the columns of a batch of samples."""
        epochs, most = [sample.get("epoch") for sample in batch], TEXT_LIMIT.get()
        self.ids.extend(sample["id"] for sample in batch)
        self.epochs.extend(epoch if type(epoch) is int else count(epoch, 1) for epoch in epochs)
        self.texts.extend(input_text(sample)[:most] for sample in batch)
        self.errors.extend(sample.get("error") for sample in batch)
        if self.with_metadata:
            self.metadata.extend(sample.get("metadata") for sample in batch)
        self.scores.add(batch)

    def last(self) -> Sequence[int]:
        """The place of each (id, epoch): of two the last, which a scoring again wrote."""
        ids = list(map(str, self.ids))
        if len(set(ids)) == len(ids):
            return range(len(ids))
        keys = zip(ids, self.epochs, strict=True)
        return sorted(dict(zip(keys, range(len(ids)), strict=True)).values())


def _read_archive(file: LogFile, contents: Contents, samples: _Samples) -> dict[str, Any]:
    with Archive(file) as archive:
        header = _header(archive, file)
        choices = any(step.get("solver") == "multiple_choice" for step in plan_steps(header))
        for batch in _summaries(archive):
            plain = None if choices else digest_plain(batch)
            try:
                samples.contents.extend(
                    (contents.digest(sample, archive, choices) for sample in batch)
                    if plain is None
                    else plain
                )
            except RecursionError:
                raise _too_deep(file, len(samples.contents) + 1) from None
            samples.add(batch)
    return header


def _too_deep(file: LogFile, row: int) -> ValueError:
    return problem(file.name, "is nested too deeply", row=row)


def _header(archive: Archive, file: LogFile) -> dict[str, Any]:
    """The header, or what a run that died wrote at its start."""
    member = _HEADER if _HEADER in archive else _START
    name = f"{file.name}, member {member}"
    header = parsed(archive.read(member), name)
    if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
        raise problem(name, "is no header of an Inspect log")
    return header


def _summaries(archive: Archive) -> Iterator[tuple[dict[str, Any], ...]]:
    """Yield batches of summaries, also those that a crashed run had written."""
    for member in [_ALL] if _ALL in archive else _parts(archive):
        name, row = f"{archive.name}, member {member}", 0
        with archive.open(member) as data:
            window = Window(data, name)
            if window.next() not in ("[", ""):
                raise problem(name, "is no list of samples")
            window.expect("[")
            for batch in batched(elements(window), _SOME):
                kinds = {
                    type(sample.get("id")) if type(sample) is dict else None for sample in batch
                }
                if not kinds <= _IDS:
                    k = next(k for k, sample in enumerate(batch) if not _is_sample(sample))
                    raise problem(name, "is no sample", row=row + k + 1, value=batch[k])
                row += len(batch)
                yield batch
            window.end()


def _parts(archive: Archive) -> list[str]:
    """The members that a run writes as it goes, in their order."""
    members = [(int(match[1]), m) for m in archive.members if (match := _PART.fullmatch(m))]
    return [member for _, member in sorted(members)]


def _read_json(file: LogFile, contents: Contents, samples: _Samples) -> dict[str, Any]:
    """The run in a log of one JSON object, whose samples are read one by one."""
    header: dict[str, Any] = {}
    row = 0
    with file.open() as data:
        for key, value in fields(data, file.name, frozenset({"samples"})):
            if key != "samples" or value is None:
                header[key] = value
                continue
            row += 1
            if not _is_sample(value):
                raise problem(file.name, "is no sample", row=row, value=value)
            try:
                samples.contents.append(contents.digest(value))
            except RecursionError:
                raise _too_deep(file, row) from None
            samples.add([value])
    if not isinstance(header.get("eval"), dict):
        raise problem(file.name, "is no header of an Inspect log")
    return header


def _run(file: LogFile, header: dict[str, Any], samples: _Samples) -> Run:
    run, last_samples = read_run(header, file), samples.last()
    if double := len(samples) - len(last_samples):
        message = f"{counted(double, 'sample')} of {file.name} given twice, the last is taken"
        run.notes.append(("twice", message))
    _add_samples(run, header, samples, last_samples)
    if not last_samples and run.state == DONE:
        raise problem(file.name, "holds no samples; run Inspect with samples logged")
    add_scores(run, samples.scores, last_samples, declared_metrics(header))
    add_reported(run, header)
    return run


def _add_samples(
    run: Run, header: dict[str, Any], samples: _Samples, indices: Sequence[int]
) -> None:
    contents, errors = (
        [column[k] for k in indices] for column in (samples.contents, samples.errors)
    )
    run.cells.samples(
        [samples.ids[k] for k in indices],
        epoch=[samples.epochs[k] for k in indices],
        content=contents,
        prompt=all_joined(digest(plan_texts(header)), contents),
        text=[samples.texts[k] for k in indices],
        row=[k + 1 for k in indices],
        failed=[error is not None for error in errors],
    )
    run.why = run.why or next(filter(None, map(_why, filter(None, errors))), "")


def _is_sample(value: Any) -> bool:
    return type(value) is dict and type(value.get("id")) in _IDS


def _why(error: Any) -> str:
    text = error.get("message") if isinstance(error, dict) else error
    return str(text or "").partition("\n")[0]

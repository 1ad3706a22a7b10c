"""Logs of Inspect: .eval archives, also of runs that died, and .json."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import batched, chain, takewhile
from typing import Any

from betterthan.io.compression import keep
from betterthan.io.problems import counted, listed, problem, quoted
from betterthan.logs.archives import Archive
from betterthan.logs.hashing import all_joined, digest
from betterthan.logs.inspect_contents import Contents, input_text
from betterthan.logs.json_values import (
    as_dict,
    as_dicts,
    as_list,
    as_text,
    column,
    fields_in,
    flat,
    number,
    parsed,
    whole,
)
from betterthan.logs.record import DIED, DONE, FAILED, TEXT_LIMIT, Run
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.progress import with_bar
from betterthan.text import all_stripped

_STATES = {"success": DONE, "started": DIED}
_LONGEST = 200  # characters of a setting
_SAMPLED = ("limit", "sample_id", "epochs", "epochs_reducer", "message_limit", "token_limit")
_ROLES = ("grader", "judge", "critic")
_MEANS = ("accuracy", "mean")
STDERR = "stderr"  # the key of a standard error among reduced numbers


def read_run(header: dict[str, Any], file: LogFile) -> Run:
    """The run without its samples."""
    about, stats = as_dict(header.get("eval")), as_dict(header.get("stats"))
    run = Run("inspect", [file.name], ordered=False, rule="mean_of_items")
    run.system = as_text(about.get("model")) or None
    run.version = as_text(as_dict(about.get("packages")).get("inspect_ai"))
    run.started = as_text(stats.get("started_at") or about.get("created"))
    run.finished = as_text(stats.get("completed_at"))
    run.state = _STATES.get(as_text(header.get("status")) or "started", FAILED)
    run.why = as_text(as_dict(header.get("error")).get("message"))
    run.task, run.again = as_text(about.get("task")), as_text(about.get("task_id"))
    declared = as_list(as_dict(about.get("dataset")).get("sample_ids"))
    run.declared = all_stripped(list(map(str, declared)))
    run.epochs = whole(as_dict(about.get("config")).get("epochs"), 1, file.name, None, "epochs")
    run.config = _settings(header, about)
    run.judge, run.scorer, run.notes = _judge(about), _scorers(about), _notes(header)
    return run


def declared_metrics(header: dict[str, Any]) -> list[str]:
    """List the metrics of the declared scorers."""
    metrics: list[str] = []
    for scorer in _scorer_list(as_dict(header.get("eval"))):
        keyed = scorer.get("metrics")
        keys = [key for key in keyed if key != "*"] if isinstance(keyed, dict) else []
        metrics += [f"{scorer['name']}/{key}" for key in keys] or [scorer["name"]]
    return metrics


def add_reported(run: Run, header: dict[str, Any]) -> None:
    """Add the reported mean of each metric, by reducer."""
    metrics = set(run.metrics)
    for score in as_dicts(as_dict(header.get("results")).get("scores")):
        name, scorer = as_text(score.get("name")), as_text(score.get("scorer"))
        metric = f"{scorer}/{name}" if f"{scorer}/{name}" in metrics else name
        means = [as_dict(score.get("metrics")).get(key) for key in _MEANS]
        value = next((number(mean.get("value")) for mean in means if isinstance(mean, dict)), None)
        if metric not in metrics or value is None:
            continue
        reducer = as_text(score.get("reducer")) or "mean"
        into = run.reported if reducer == "mean" else run.reduced.setdefault(reducer, {})
        into[metric] = value
        error = as_dict(as_dict(score.get("metrics")).get(STDERR))
        of_error = number(error.get("value")) if reducer == "mean" else None
        if of_error is not None and not as_dict(error.get("params")):  # such as of clusters
            run.reduced.setdefault(STDERR, {})[metric] = of_error


def plan_steps(header: dict[str, Any]) -> list[dict[str, Any]]:
    """The solvers that were run, with their parameters."""
    return as_dicts(as_dict(header.get("plan")).get("steps"))


def _settings(header: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    config = as_dict(about.get("config"))
    plan = as_dict(header.get("plan"))
    settings = flat(
        {key: as_dict(about.get(key)) for key in ("model_args", "task_args")}
        | {"generate": as_dict(plan.get("config")) | as_dict(about.get("model_generate_config"))}
        | {"task_version": about.get("task_version")}
        | {key: config.get(key) for key in _SAMPLED}
    )
    steps = plan_steps(header)
    for step in steps:
        settings |= flat(as_dict(step.get("params")), f"{step.get('solver')}.")
    settings["solver"] = ", ".join(as_text(s.get("solver")) for s in steps if not s.get("params"))
    settings.pop("generate.max_connections", None)
    return {
        key: _short(value) for key, value in settings.items() if value not in (None, "", "[]", {})
    }


def _short(value: Any) -> Any:
    """A setting, or its beginning with a digest of the whole."""
    if not isinstance(value, str) or len(value) <= _LONGEST:
        return value
    name = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{value[:_LONGEST]}... #{name}"


def _judge(about: dict[str, Any]) -> str:
    roles = as_dict(about.get("model_roles"))
    named = {role: _model(model) for role, model in roles.items()}
    judges = [named[role] for role in _ROLES if role in named] or list(named.values())
    judges += [_model(as_dict(s.get("options")).get("model")) for s in _scorer_list(about)]
    return ", ".join(dict.fromkeys(model for model in judges if model))


def _model(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_model(part) for part in value)
    return as_text(value.get("model") if isinstance(value, dict) else value)


def _scorers(about: dict[str, Any]) -> str:
    return ", ".join(
        scorer["name"] + (json.dumps(options, sort_keys=True) if options else "")
        for scorer in _scorer_list(about)
        for options in [scorer.get("options")]
    )


def _scorer_list(about: dict[str, Any]) -> list[dict[str, Any]]:
    return [scorer for scorer in as_dicts(about.get("scorers")) if as_text(scorer.get("name"))]


def _notes(header: dict[str, Any]) -> list[tuple[str, str]]:
    notes = []
    if header.get("invalidated"):
        notes.append(("invalidated", "the log is marked as invalidated"))
    if as_dict(as_dict(header.get("eval")).get("config")).get("score_on_error"):
        text = "Inspect counts scores of samples that ended in an error (score_on_error)"
        notes.append(("errors", f"{text}; they are left missing"))
    return notes


_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_NONE = object()  # in the place of the score of a sample that has none
_LIST = "its scores are lists, which are no number for an item; score each element by itself"


class Scores:
    """The values that scorers gave samples, a column for each scorer."""

    def __init__(self) -> None:
        self._size = 0
        self.number = 0  # of values, at least one for a sample
        self._columns: dict[str | None, list[Any]] = {}  # None: the only one, which has no name

    def add(self, samples: Sequence[dict[str, Any]]) -> None:
        """Add those of some samples."""
        scored: list[Any] = column(samples, "scores")
        if set(map(type, scored)) != {dict}:
            scored = [_scores(sample) for sample in samples]
        for scorer in dict.fromkeys(chain.from_iterable(scored)):
            stored = self._columns.setdefault(scorer, [])
            stored += [_NONE] * (self._size - len(stored))
            values = column(scored, scorer, _NONE)
            stored += [value.get("value") if type(value) is dict else value for value in values]
        sizes = list(map(len, scored))
        self.number += sum(sizes) + sizes.count(0)
        self._size += len(samples)

    def select(self, samples: Sequence[int], sole: str) -> dict[str, list[Any]]:
        """The values of some samples by scorer, `sole` for the only one; `_NONE` where there is no
        score.
        """
        columns: dict[str, list[Any]] = {}
        for scorer, stored in self._columns.items():
            stored += [_NONE] * (self._size - len(stored))
            values = stored if len(samples) == self._size else [stored[k] for k in samples]
            name = sole if scorer is None else scorer
            if name in columns:
                both = zip(columns[name], values, strict=True)
                values = [second if first is _NONE else first for first, second in both]
            columns[name] = values
        return {
            name: values for name, values in columns.items() if any(v is not _NONE for v in values)
        }


def _scores(sample: dict[str, Any]) -> dict[str | None, Any]:
    scores = sample.get("scores")
    if isinstance(scores, dict):
        return scores
    return {None: sample["score"]} if isinstance(sample.get("score"), dict) else {}


def add_scores(run: Run, scores: Scores, samples: Sequence[int], declared: list[str]) -> None:
    """Add the scores of samples, each with every metric.

    Parameters
    ----------
    run : Run
        With its samples, in the same order.
    scores : Scores
    samples : sequence of int
        The places of these samples among all that have scores.
    declared : list of str
        Metrics of the scorers, for a run of which nothing was scored; the first for a log from
        before there were several scorers.
    """
    columns = _by_metric(scores.select(samples, declared[0] if declared else "score"))
    if not columns and any(run.cells.failed):
        columns = {metric: [None] * len(samples) for metric in declared}
    for metric, values in columns.items():
        words = {word: _as_number(word) for word in {v for v in values if type(v) is str}}
        numbers = [words[v] if type(v) is str else number(v) for v in values]
        run.cells.scores(metric, numbers)
        if "N" in words or None in numbers:
            _tell(run, metric, _odd(values, numbers))


def _by_metric(scores: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the values of each metric; a score with several values gives ``scorer/key``."""
    values_by_metric: dict[str, list[Any]] = {}
    for scorer, values in scores.items():
        keyed = [value for value in values if type(value) is dict]
        if len(keyed) < len(values) - values.count(_NONE):
            values_by_metric[scorer] = [
                None if v is _NONE or type(v) is dict else v for v in values
            ]
        for key in dict.fromkeys(chain.from_iterable(keyed)):
            values_by_metric[f"{scorer}/{key}"] = [
                value.get(key) if type(value) is dict else None for value in values
            ]
    return values_by_metric


def _odd(values: list[Any], numbers: list[float | None]) -> Counter[str]:
    """Count values that are not scores, or that Inspect counts differently than a reader
    expects.
    """
    counts: Counter[str] = Counter()
    for value, raw in zip(values, numbers, strict=True):
        if raw is None and value is not None:
            counts["list" if isinstance(value, list) else f"odd {str(value)[:20]}"] += 1
        elif value == "N":
            counts["N"] += 1
    return counts


def _as_number(word: str) -> float | None:
    score = _WORDS.get(word, _TRUTHS.get(word.lower()))
    return number(word) if score is None else score


def _tell(run: Run, metric: str, counts: Counter[str]) -> None:
    if counts["list"]:
        run.refused[metric] = f"metric {metric}: {_LIST}"
    if counts["N"]:
        message = (
            f"metric {metric}: {counts['N']} of value N (no answer), taken as 0 as Inspect does"
        )
        run.notes.append(("unanswered", message))
    if odd := {key[4:]: n for key, n in counts.items() if key.startswith("odd ")}:
        named = ", ".join(repr(key) for key in list(odd)[:3])
        message = f"metric {metric}: {sum(odd.values())} of values that are no scores ({named})"
        run.notes.append(("unscored", f"{message}, left unscored; Inspect takes them as 0"))


# solvers of Inspect that write messages, and names of parameters of others that are texts
_WRITERS = (
    *("system_message", "user_message", "assistant_message", "prompt_template"),
    *("chain_of_thought", "multiple_choice", "self_critique"),
)
_TEXT_KEY = re.compile(r"(^|_)(template|prompt|message|instruction|prefix|suffix)s?$")


def plan_texts(header: dict[str, Any]) -> list[Any]:
    """What the plan and the settings of a run add to each input: templates and messages.

    Other parameters of a solver, such as a seed or the name of a model, are settings; so is any of
    a solver that is not of Inspect whose name is not that of a text.
    """
    texts = [text for step in plan_steps(header) for text in _step_texts(step, step.get("solver"))]
    plan, about = as_dict(header.get("plan")), as_dict(header.get("eval"))
    settings = [plan.get("config"), about.get("model_generate_config")]
    return texts + [text for config in settings if (text := as_dict(config).get("system_message"))]


def _step_texts(step: dict[str, Any], solver: Any) -> Iterable[Any]:
    """Yield the texts that a solver adds, and those of nested solvers."""
    params = as_dict(step.get("params"))
    any_text = solver in _WRITERS
    texts = {
        key: value
        for key, value in params.items()
        if (any_text and (isinstance(value, str) or value is True))
        or (value and isinstance(value, str | dict | list) and _TEXT_KEY.search(key))
    }
    if texts:
        yield [solver, texts]
    for key, value in params.items():
        if key not in texts:
            for inner in as_dicts(value if isinstance(value, list) else [value]):
                yield from _step_texts(inner, inner.get("name"))


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
    file.release()
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
        raise problem(f"{file.name}, sample {quoted(samples.ids[k])}", reason)
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
    counted: list[int] = field(default_factory=lambda: [0, 0])  # samples and scores, see `keep`

    def __len__(self) -> int:
        return len(self.ids)

    def add(
        self,
        batch: Sequence[dict[str, Any]],
        file: LogFile,
        contents: Contents,
        archive: Archive | None = None,
        choices: bool = False,
    ) -> None:
        """Store the columns of a batch of samples; see `Contents.digest`."""
        try:
            self.contents.extend(contents.digest_all(batch, archive, choices))
        except RecursionError:
            row = len(self.contents) + 1
            raise problem(file.name, "is nested too deeply", row=row) from None
        epochs = column(batch, "epoch")
        most = TEXT_LIMIT.get()
        if set(map(type, epochs)) != {int}:
            rows = enumerate(epochs, len(self.ids) + 1)
            epochs = [whole(epoch, 1, file.name, row, "epoch") for row, epoch in rows]
        self.epochs.extend(epochs)
        self.ids.extend(column(batch, "id"))
        texts = column(batch, "input")
        self.texts.extend([(t if type(t) is str else input_text(t))[:most] for t in texts])
        self.errors.extend(column(batch, "error"))
        if self.with_metadata:
            self.metadata.extend(column(batch, "metadata"))
        self.scores.add(batch)
        k, counted_scores = self.counted
        if len(self.ids) - k >= _SOME:
            scores, hashed = self.scores.number, bool(self.contents and self.contents[-1])
            row = len(self.ids)
            keep(self.ids[k:], self.texts[k:], scores - counted_scores, row, hashed=hashed)
            self.counted[:] = [row, scores]

    def last(self, file: LogFile) -> Sequence[int]:
        """The place of each (id, epoch): of two the last, which a scoring again wrote; two that ask
        different things are two items.
        """
        ids = list(map(str, self.ids))
        if len(set(ids)) == len(ids):
            return range(len(ids))
        keys = list(zip(ids, self.epochs, strict=True))
        last = dict(zip(keys, range(len(ids)), strict=True))
        for k, key in enumerate(keys if len(last) < len(keys) else ()):
            digests = {self.contents[k], self.contents[last[key]]}
            if len(digests - {None}) > 1:
                reason = f"sample {quoted(self.ids[k])} asks something else in row {last[key] + 1}"
                right = "give each sample of the dataset an id that no other has"
                raise problem(file.name, f"{reason}; {right}", row=k + 1)
        return sorted(last.values())


def _read_archive(file: LogFile, contents: Contents, samples: _Samples) -> dict[str, Any]:
    archive = Archive(file)
    header = _header(archive, file)
    choices = any(step.get("solver") == "multiple_choice" for step in plan_steps(header))
    for batch in _summaries(archive):
        samples.add(batch, file, contents, archive, choices)
    return header


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
        for batch in batched(archive.elements(member), _SOME):
            if not _are_samples(batch):
                k = next(k for k, sample in enumerate(batch) if not _is_sample(sample))
                raise problem(name, "is no sample", row=row + k + 1, value=batch[k])
            row += len(batch)
            yield batch


def _parts(archive: Archive) -> list[str]:
    """The members that a run writes as it goes, in their order."""
    members = [(int(match[1]), m) for m in archive.members if (match := _PART.fullmatch(m))]
    return [member for _, member in sorted(members)]


def _read_json(file: LogFile, contents: Contents, samples: _Samples) -> dict[str, Any]:
    """The run in a log of one JSON object, whose samples are read one by one where it is long."""
    header: dict[str, Any] = {}
    row = null_row = 0
    for key, values in fields_in(file, frozenset({"samples"})):
        if key != "samples":
            header[key] = next(iter(values))
            continue
        for batch in batched(values, _SOME if file.small else 4):
            good = batch if _are_samples(batch) else tuple(takewhile(_is_sample_or_null, batch))
            samples.add([value for value in good if value is not None], file, contents)
            if None in good:  # none at all, or one of several
                null_row = row + len(good) - good[::-1].index(None)
            row += len(good)
            if len(good) < len(batch):
                raise problem(file.name, "is no sample", row=row + 1, value=batch[len(good)])
    if null_row and row > 1:
        raise problem(file.name, "is no sample", row=null_row, value=None)
    if not isinstance(header.get("eval"), dict):
        raise problem(file.name, "is no header of an Inspect log")
    return header


def _run(file: LogFile, header: dict[str, Any], samples: _Samples) -> Run:
    run, last_samples = read_run(header, file), samples.last(file)
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
    columns: Any = samples.ids, samples.epochs, samples.contents, samples.texts, samples.errors
    if len(indices) < len(samples):
        columns = ([values[k] for k in indices] for values in columns)
    ids, epochs, contents, texts, errors = columns
    run.cells.samples(
        ids,
        epoch=epochs,
        content=contents,
        prompt=all_joined(digest(plan_texts(header)), contents),
        text=texts,
        row=[k + 1 for k in indices],
        failed=[error is not None for error in errors],
    )
    run.why = run.why or next(filter(None, map(_why, filter(None, errors))), "")


def _are_samples(values: Sequence[Any]) -> bool:
    return set(map(type, values)) == {dict} and set(map(type, column(values, "id"))) <= _IDS


def _is_sample(value: Any) -> bool:
    return type(value) is dict and type(value.get("id")) in _IDS


def _is_sample_or_null(value: Any) -> bool:
    return value is None or _is_sample(value)


def _why(error: Any) -> str:
    text = error.get("message") if isinstance(error, dict) else error
    return str(text or "").partition("\n")[0]

"""Samples of lm-eval, with the results next to them, which alone name the model."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from math import isclose
from pathlib import Path, PurePosixPath
from typing import Any

from betterthan.io.problems import problem
from betterthan.logs.json_values import as_dict, as_dicts, as_text, flat, number, read_json, records
from betterthan.logs.record import UNSCORED, Run
from betterthan.logs.sniffing import LogFile, Preview
from betterthan.progress import with_bar

_NAMING = ("peft", "delta", "pretrained", "model", "path", "engine")  # as lm-eval looks for it
_SETTINGS = ("fewshot_as_multiturn", "chat_template_sha", "system_instruction_sha")
_PLACEHOLDER = -1.0  # of an item that a metric is not of
_CONFIG_KEYS = ("gen_kwargs", "limit", "fewshot_seed")


def add_results(run: Run, results: dict[str, Any]) -> None:
    """Add the results of the task of a run whose samples are read."""
    config, task = as_dict(results.get("config")), run.task
    args = model_args(config.get("model_args"))
    named = next((str(args[key]) for key in _NAMING if args.get(key)), "")
    run.system = as_text(results.get("model_name")) or named or as_text(config.get("model")) or None
    if not named and results.get("model_name"):
        folder = PurePosixPath(run.files[0]).parent.as_posix()
        folder = "FOLDER" if folder == "." else folder
        note = f"lm-eval drew the name {run.system}, as no argument of the model names it"
        run.notes.append(("name", f"{note}; name the system yourself: NAME={folder}"))
    run.version = as_text(results.get("lm_eval_version"))
    run.config = _settings(results, args, task)
    date = number(results.get("date"))
    if date is not None and 0 < date < 2**33:
        run.started = datetime.fromtimestamp(date, UTC).isoformat()
    _add_reported(run, results)
    _tell_missing(run, results)


def list_metrics(results: dict[str, Any] | None, task: str) -> list[str] | None:
    """List the metrics of a task without filters; None if the results name none."""
    task_results = as_dict(as_dict((results or {}).get("results")).get(task))
    names = dict.fromkeys(
        key.partition(",")[0] for key in task_results if number(task_results[key]) is not None
    )
    return [name for name in names if not name.endswith("_stderr")] or None


def model_args(value: Any) -> dict[str, Any]:
    """Parse the arguments of the model; older versions write them as ``a=1,b=2``.

    Examples
    --------
    >>> model_args("pretrained=gpt2,dtype=float16")
    {'pretrained': 'gpt2', 'dtype': 'float16'}
    """
    if isinstance(value, str):
        pairs = [part.partition("=") for part in value.split(",") if "=" in part]
        return {key.strip(): item.strip() for key, _, item in pairs}
    return as_dict(value)


def metric_name(metric: str, chosen: str) -> str:
    """A metric with its filter, as the results name it; the filter none is left out."""
    if not isinstance(metric, str) or not isinstance(chosen, str):
        raise TypeError("the name of a metric or filter is no text")
    return metric if chosen == "none" else f"{metric},{chosen}"


def _settings(results: dict[str, Any], args: dict[str, Any], task: str) -> dict[str, Any]:
    config = as_dict(results.get("config"))
    about = as_dict(as_dict(results.get("configs")).get(task))
    settings = flat({"model_args": args}) | {key: results.get(key) for key in _SETTINGS}
    settings |= {
        "num_fewshot": as_dict(results.get("n-shot")).get(task, about.get("num_fewshot")),
        "task_version": as_dict(results.get("versions")).get(task),
        "repeats": about.get("repeats"),
    }
    settings |= flat({key: config.get(key) for key in _CONFIG_KEYS})
    settings |= flat({"generation": as_dict(about.get("generation_kwargs"))})
    return {key: value for key, value in settings.items() if value is not None}


def _add_reported(run: Run, results: dict[str, Any]) -> None:
    """Add the reported means by metric; skip metrics that are no mean of the items."""
    about = as_dict(as_dict(results.get("configs")).get(run.task))
    listed = {as_text(m.get("metric")): m for m in as_dicts(about.get("metric_list"))}
    other = {name for name, m in listed.items() if m.get("aggregation", "mean") != "mean"}
    # before 0.4.3 only the metrics of the task say what is better
    better = {name: m.get("higher_is_better") for name, m in listed.items()}
    better |= as_dict(as_dict(results.get("higher_is_better")).get(run.task))
    metrics = set(run.metrics)
    for key, value in as_dict(as_dict(results.get("results")).get(run.task)).items():
        metric, _, chosen = key.partition(",")
        of_error = metric.endswith("_stderr")
        metric = metric.removesuffix("_stderr")
        name, reported = metric_name(metric, chosen or "none"), number(value)
        if name not in metrics:
            continue
        if isinstance(stated := better.get(metric), bool):
            run.higher_is_better[name] = stated
        if reported is None or name in run.refused:
            continue
        if metric not in other or (not of_error and _without_placeholders(run, name, reported)):
            into = run.reduced.setdefault("stderr", {}) if of_error else run.reported
            into[name] = reported


def _without_placeholders(run: Run, name: str, reported: float) -> bool:
    """Whether what is reported is the mean without the -1 of other items, which then have no score.

    The tasks of RULER have a metric for each length of context, and -1 in the rows of other
    lengths.
    """
    cells = run.cells
    places = [k for k, metric in enumerate(cells.metric) if metric == name]
    scored = [k for k in places if cells.raw[k] != _PLACEHOLDER]
    if not 0 < len(scored) < len(places):
        return False
    mean = sum(cells.raw[k] for k in scored) / len(scored)
    if not isclose(mean, reported, rel_tol=1e-6, abs_tol=1e-9):
        return False
    for k in places:
        if cells.raw[k] == _PLACEHOLDER:
            cells.status[k] = UNSCORED
    number = f"{len(places) - len(scored)} of {len(places)} rows"
    run.notes.append(("metric", f"-1 in {number} is no {name}, as lm-eval's mean says"))
    return True


def _tell_missing(run: Run, results: dict[str, Any]) -> None:
    counts = as_dict(as_dict(results.get("n-samples")).get(run.task))
    expected, n_items = number(counts.get("effective")), len(set(run.cells.item))
    if expected is not None and expected > n_items:
        note = f"{run.files[0]} holds {n_items} of the {expected:.0f} documents that were run"
        run.notes.append(("rows", note))


_NO_METRICS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash", "sample_len"),
}
_BYPASS = 999  # the score of an answer that is only written down


def add_rows(run: Run, file: LogFile, metrics: list[str] | None) -> None:
    """Add the samples of a file: a document once, with a score for each metric and filter.

    Parameters
    ----------
    run : Run
    file : LogFile
    metrics : list of str, optional
        The metrics of rows that do not name them; all that is no part of a row when not given.
    """
    rows = _Rows(run, metrics)
    for row, record in records(file):
        try:
            rows.add(row, record)
        except KeyError as error:
            reason = f"has no {error.args[0]}, which samples of lm-eval have"
            raise problem(file.name, reason, row=row) from None
        except RecursionError:
            raise problem(file.name, "is nested too deeply", row=row) from None
        except (TypeError, AttributeError):
            reason = "is no sample of lm-eval: an id, a filter, a metric or a hash is no text"
            raise problem(file.name, reason, row=row) from None


class _Rows:
    """The documents of a run while its rows are read: each with the filters it has a row of."""

    def __init__(self, run: Run, metrics: list[str] | None) -> None:
        self._run, self._metrics = run, metrics
        self._places: dict[Any, int] = {}  # the last sample of each document
        self._bits: dict[str, int] = {}  # of each filter
        self._filters: list[int] = []  # of each sample, their bits
        self._names: dict[Any, list[tuple[str, str]]] = {}

    def add(self, row: int, record: dict[str, Any]) -> None:
        """Add a row: of a document that has this filter already, the document again."""
        key, chosen = record["doc_id"], record.get("filter") or "none"
        bit = self._bits.setdefault(chosen, 1 << len(self._bits))
        place = self._places.get(key)
        if place is None or self._filters[place] & bit:
            place = self._places[key] = _sample(self._run, row, record)
            self._filters.append(0)
        self._filters[place] |= bit
        if not isinstance(record.get("metrics"), list | None):
            raise TypeError("metrics is no list")
        metrics = tuple(
            record.get("metrics") or self._metrics or (k for k in record if k not in _NO_METRICS)
        )
        if (metrics, chosen) not in self._names:
            self._names[metrics, chosen] = [(name, metric_name(name, chosen)) for name in metrics]
        _score(self._run, place, record, self._names[metrics, chosen])


def _score(run: Run, place: int, record: dict[str, Any], names: list[tuple[str, str]]) -> None:
    for metric, name in names:
        value = record.get(metric)
        if type(value) is float:
            run.cells.score(place, name, value)
        else:
            _odd(run, place, name, value)


def _sample(run: Run, row: int, record: dict[str, Any]) -> int:
    doc = record["doc"]
    target = record.get("target_hash") or _hash(str(record.get("target")))
    doc_hash = record.get("doc_hash") or _hash(json.dumps(doc, indent=2, ensure_ascii=False))
    content = f"{doc_hash} {target}"
    prompt = record.get("prompt_hash") or _prompt(record.get("arguments"))
    return run.cells.sample(
        record["doc_id"],
        content=_short(content),
        prompt=None if prompt is None else _short(prompt),
        text=_first_text(doc),
        row=row,
    )


def _odd(run: Run, place: int, name: str, value: Any) -> None:
    """A score that is no float: a number still, or none, with the reason."""
    raw = number(value)
    if raw is not None and not (raw == _BYPASS and name.startswith("bypass")):
        run.cells.score(place, name, raw)
        return
    if isinstance(value, list):
        run.refused[name] = (
            f"{name} is an aggregate, not a score of each document: the log holds parts of it "
            f"({value!s:.40}); compare what each document has of its own, such as bits a byte"
        )
    elif raw == _BYPASS:
        run.refused[name] = f"{name} is no score: lm-eval only wrote the answers down"
    elif isinstance(value, dict):
        run.refused[name] = f"{name} is an object, not a number, for each document"
    run.cells.score(place, name, None, UNSCORED)


def _first_text(doc: Any) -> str:
    values = doc.values() if isinstance(doc, dict) else (doc,)
    return next((value for value in values if isinstance(value, str)), "")


def _prompt(arguments: Any) -> str | None:
    """The hash of the first request, as newer versions write it."""
    first = next(iter(arguments.values()), None) if isinstance(arguments, dict) else None
    if isinstance(first, dict):
        text = next(iter(first.values()), None)
    else:
        first = arguments[0] if isinstance(arguments, list) and arguments else None
        text = first[0] if isinstance(first, list) and first else None
    return _hash(text) if isinstance(text, str) else None


def _short(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)(?=\.|$)")
_TASK = re.compile(r"samples_(.+)$")
_ANSWERS = frozenset({"arguments", "resps", "filtered_resps", "target"})
_RESULT_KEYS = frozenset({"configs", "config", "group_subtasks", "groups"})
_NO_SAMPLES = (
    "has the means of tasks and no samples next to it: run lm-eval with --log_samples, and give "
    "the folder"
)
_NO_RESULTS = (
    "names no model, and there is no results_*.json next to it: pass a mapping of name to file"
)


def recognises(preview: Preview) -> bool:
    """Whether a file holds samples or results of lm-eval."""
    return _is_samples(preview) or _is_results(preview)


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file of samples, which is one task."""
    results = [file for file in files if _is_results(file.preview)]
    samples = [file for file in files if not _is_results(file.preview)]
    unmatched = [file for file in results if not any(_together(file, other) for other in samples)]
    for result in list(unmatched):
        if siblings := _siblings(result, "samples_*", _is_samples):
            samples += siblings
            unmatched.remove(result)
    if not samples:
        raise problem(results[0].name, _NO_SAMPLES)
    read: dict[Path, dict[str, Any]] = {}
    bar = with_bar(samples, len(samples), "reading files of samples")
    run_list = [_run(file, _find_results(file, results), read) for file in bar]
    for result in unmatched:
        run_list[0].notes.append(("skipped", f"{result.name} has no samples"))
    return run_list


def _is_samples(preview: Preview) -> bool:
    if not {"doc_id", "doc"} <= preview.keys:
        return False
    return bool(_ANSWERS & preview.keys) or len(preview.keys) == 2  # a document that is cut


def _is_results(preview: Preview) -> bool:
    first = next(iter(as_dict(preview.value("results")).values()), None)
    if preview.kind != "object" or not isinstance(first, dict):
        return False
    keys = preview.keys
    looks_like_results = "alias" in first or any("," in key for key in first)
    cut = len(keys) == 1  # more tasks than are looked at
    whole = {"config", "versions"} <= keys
    return whole or (looks_like_results and (cut or bool(keys & _RESULT_KEYS)))


def _run(file: LogFile, results_file: LogFile | None, read: dict[Path, dict[str, Any]]) -> Run:
    run = Run("lm_eval", [file.name], own_ids=False, ordered=False)
    if results_file is None:
        results = None
        run.notes.append(("name", f"{file.name} {_NO_RESULTS}"))
    else:
        if results_file.path not in read:
            read[results_file.path] = as_dict(read_json(results_file))
        results = read[results_file.path]
        run.files.append(results_file.name)
    run.task = _task(file, list(as_dict((results or {}).get("results"))))
    add_rows(run, file, list_metrics(results, run.task))
    _name_log_likelihoods(run)
    if results is not None:
        add_results(run, results)
    if not run.started and (stamp := _stamp(file)):
        run.started = stamp
    return run


def _name_log_likelihoods(run: Run) -> None:
    """Name what rows hold as a perplexity, of which lm-eval takes exp(-mean): log-likelihoods."""
    cells = run.cells
    for name in run.metrics:
        base, comma, chosen = name.partition(",")
        raws = [raw for raw, metric in zip(cells.raw, cells.metric, strict=True) if metric == name]
        # a perplexity is at least 1; a row may have none
        if base == "perplexity" and not any(raw >= 1 for raw in raws):
            renamed = f"{base}/log-likelihood{comma}{chosen}"
            cells.metric[:] = [renamed if metric == name else metric for metric in cells.metric]
            run.higher_is_better[renamed] = True
            note = (
                f"perplexity of {run.files[0]} is the log-likelihood of each item: more is better"
            )
            run.notes.append(("metric", note))


def _find_results(file: LogFile, results: Iterable[LogFile]) -> LogFile | None:
    """Find the results of the same folder and time, among the files or next to the samples."""
    matches = [other for other in results if _together(other, file)]
    return next(iter(matches or _siblings(file, "results*", _is_results)), None)


def _together(results: LogFile, samples: LogFile) -> bool:
    return results.path.parent == samples.path.parent and _stamp(results) == _stamp(samples)


def _siblings(file: LogFile, pattern: str, recognises: Callable[[Preview], bool]) -> list[LogFile]:
    """List the files of the same folder and time that are recognised."""
    others = [other for other in file.siblings(f"{pattern}.json*") if other.path != file.path]
    return [f for f in others if _stamp(f) == _stamp(file) and recognises(f.preview)]


def _stamp(file: LogFile) -> str:
    match = _STAMP.search(file.path.name)
    return match[1] if match else ""


def _task(file: LogFile, tasks: list[str]) -> str:
    """Return the task that the name of the file ends with; else the name before the time."""
    name = file.path.name
    match = _STAMP.search(name)
    stem = name[: match.start()] if match else name.partition(".json")[0]
    task_match = _TASK.search(stem)
    if task_match and task_match[1] in tasks:
        return task_match[1]
    candidates = [task for task in tasks if stem.endswith(f"_{task}")]
    if candidates or (len(tasks) == 1 and not task_match):
        return max(candidates, key=len) if candidates else tasks[0]
    return task_match[1] if task_match and match else ""

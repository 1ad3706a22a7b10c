"""Read samples of lm-eval, one row for each document and filter."""

import json
from hashlib import blake2b, sha256
from typing import Any

from betterthan.io.problems import problem
from betterthan.logs.heads import LogFile
from betterthan.logs.json_values import number, records
from betterthan.logs.lm_eval_results import metric_name
from betterthan.logs.record import UNSCORED, Run

_NO_METRICS = frozenset(
    [
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "sample_len",
    ]
)
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
        self._places: dict[Any, tuple[int, set[str]]] = {}
        self._names: dict[Any, list[tuple[str, str]]] = {}

    def add(self, row: int, record: dict[str, Any]) -> None:
        """Add a row: of a document that has this filter already, the document again."""
        key, chosen = record["doc_id"], record.get("filter") or "none"
        if key not in self._places or chosen in self._places[key][1]:
            self._places[key] = (_sample(self._run, row, record), set())
        place, filters = self._places[key]
        filters.add(chosen)
        metrics = tuple(
            record.get("metrics") or self._metrics or (k for k in record if k not in _NO_METRICS)
        )
        if (metrics, chosen) not in self._names:
            self._names[metrics, chosen] = [
                (metric, metric_name(metric, chosen)) for metric in metrics
            ]
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
    content = f"{record.get('doc_hash') or _hash(_written(doc))} {target}"
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
    for value in doc.values() if isinstance(doc, dict) else (doc,):
        if isinstance(value, str):
            return value
    return ""


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


def _written(doc: Any) -> str:
    return json.dumps(doc, indent=2, ensure_ascii=False)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

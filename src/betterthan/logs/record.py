"""What every log becomes first: runs, each with its samples and their scores."""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import isfinite
from sys import intern
from typing import Any

import pandas as pd

from betterthan.io.compression import keep
from betterthan.text import all_stripped, stripped

_NAN = float("nan")
_STEP = 2**10  # samples or scores whose memory is counted together
OK, ERROR, UNSCORED, MISSING = STATUSES = ("ok", "error", "unscored", "missing")
DONE, FAILED, DIED = STATES = ("done", "failed", "died")
Frame = Any  # a pandas.DataFrame, inside: pandas is typed in part only
# characters of an item that are kept for messages; all where near copies are looked for
TEXT_LIMIT: ContextVar[int | None] = ContextVar("kept", default=80)


@contextmanager
def full_texts() -> Generator[None]:
    """Keep whole texts of what is read within."""
    before = TEXT_LIMIT.set(None)
    try:
        yield
    finally:
        TEXT_LIMIT.reset(before)


@dataclass
class Cells:
    """The samples of a run and the scores of each, column by column.

    A sample is one run of one item; a score belongs to a sample and a metric.
    """

    item: list[str] = field(default_factory=list)
    epoch: list[int] = field(default_factory=list)
    content: list[bytes | None] = field(default_factory=list)
    prompt: list[bytes | None] = field(default_factory=list)
    cluster: list[str | None] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    row: array[int] = field(default_factory=lambda: array("q"))
    file: list[int] = field(default_factory=list)
    failed: list[bool] = field(default_factory=list)
    score_sample: array[int] = field(default_factory=lambda: array("q"))  # the sample of a score
    metric: list[str] = field(default_factory=list)
    raw: array[float] = field(default_factory=lambda: array("d"))
    status: list[str] = field(default_factory=list)
    kept: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)  # and counted

    def sample(
        self,
        item: Any,
        *,
        epoch: int = 1,
        content: bytes | None = None,
        prompt: bytes | None = None,
        cluster: str | None = None,
        text: str = "",
        row: int = 0,
        file: int = 0,
        failed: bool = False,
    ) -> int:
        """Add a sample, and return its place.

        Parameters
        ----------
        item
            Its id; a whole number is its digits.
        epoch : int, default 1
            Which run of the item this is, from 1.
        content, prompt : bytes, optional
            `hashing.digest` of what the task gives (input, target, choices), and of all that was
            sent to the system.
        cluster : str, optional
            What items of one origin share.
        text : str
            The item as a person knows it; its beginning is kept, for messages.
        row, file : int
            Where it stands: line, record or member, and which of the files of the run.
        failed : bool, default False
            It ended in an error: no score of it counts, whatever number was written.
        """
        self.item.append(_id(item))
        self.epoch.append(epoch)
        self.content.append(content)
        self.prompt.append(prompt)
        self.cluster.append(cluster)
        self.text.append(text[: TEXT_LIMIT.get()])
        self.row.append(row)
        self.file.append(file)
        self.failed.append(failed)
        if not len(self.item) % _STEP:
            self._keep(row)
        return len(self.item) - 1

    def score(self, sample: int, metric: str, raw: float | None, status: str = OK) -> None:
        """Add the number that a tool wrote for a sample, NaN or None where it wrote none.

        What is ``ok`` without a finite number is taken as unscored.
        """
        number = _NAN if raw is None else float(raw)
        self.score_sample.append(sample)
        self.metric.append(intern(metric) if type(metric) is str else metric)
        self.raw.append(number)
        self.status.append(UNSCORED if status == OK and not isfinite(number) else status)
        if not len(self.raw) % _STEP:
            self._keep(self.row[sample])

    def _keep(self, row: int) -> None:
        """Count what came since this was called before."""
        before, self.kept = self.kept, (len(self.item), len(self.raw))
        items, texts = self.item[before[0] :], self.text[before[0] :]
        hashed = self.content[-1] is not None
        keep(items, texts, self.kept[1] - before[1], row or None, hashed=hashed)

    def samples(self, items: Sequence[Any], **columns: Sequence[Any]) -> None:
        """Add samples to none, column by column; see `sample`.

        Parameters
        ----------
        items : sequence
            The id of each.
        **columns : sequence
            The others, all but cluster and file; of texts only the beginnings.
        """
        plain = set(map(type, items)) <= {str}
        self.item = all_stripped(list(items)) if plain else list(map(_id, items))
        self.epoch, self.failed = (list(columns[k]) for k in ("epoch", "failed"))
        self.row = array("q", columns["row"])
        self.content, self.prompt = (list(columns[k]) for k in ("content", "prompt"))
        self.text = list(columns["text"])
        self.cluster: list[str | None] = [None] * len(self.item)
        self.file = [0] * len(self.item)

    def scores(self, metric: str, numbers: Sequence[float | None]) -> None:
        """Add the number that a tool wrote for each sample, None where it wrote none."""
        raw = [_NAN if value is None else float(value) for value in numbers]
        self.score_sample.extend(range(len(self.item)))
        self.metric += [metric] * len(self.item)
        self.raw.extend(raw)
        status = [OK if is_known else UNSCORED for is_known in map(isfinite, raw)]
        if any(self.failed):
            status = [ERROR if f else s for f, s in zip(self.failed, status, strict=True)]
        self.status += status

    def by_sample(self) -> list[list[tuple[str, str, str]]]:
        """The scores of each sample (metric, number as text, status), to compare samples by."""
        scores_by_sample: list[list[tuple[str, str, str]]] = [[] for _ in self.item]
        for sample, *score in zip(
            self.score_sample, self.metric, map(repr, self.raw), self.status, strict=True
        ):
            scores_by_sample[sample].append((score[0], score[1], score[2]))
        return scores_by_sample

    def __len__(self) -> int:
        return len(self.item)


@dataclass
class Run:
    """One log: what was run, how it went, what it reported, and its cells.

    Attributes
    ----------
    tool, version : str
    files : list of str
        By the names they have in messages.
    system : str or None
        As the log names it; None where it never does.
    folder : str
        Of its first file, if that is clear and no mapping names the system.
    parts : dict of str to str
        What else tells systems of one name apart, by what it is (``prompt``); a part that has one
        value in all runs is left out of the name.
    task : str
    config : dict
        Settings, flat: ``{"num_fewshot": 0}``.
    state : {"done", "failed", "died"}
    why : str
        The first error, where there is one.
    again : str
        What a retry shares with the run it goes on from; empty where the tool does not say.
    declared : list of str
        Items that were meant to be run, where the log names them.
    epochs : int
        Runs of an item that were meant.
    own_ids : bool
        Whether the ids are those of the data set, and not places in a list.
    ordered : bool
        Whether the rows stand in the order of the data set.
    reported : dict of str to float
        What the tool says of each metric; recomputed by ``rule``.
    rule : str
        How the tool gets it: a name in `run_checks.RULES`.
    reduced : dict of str to dict of str to float
        What the tool says of each metric by other ways of reducing the runs of an item to one
        score: ``{"at_least_2": {"match": 1.0}}``; under "stderr" its standard errors.
    refused : dict of str to str
        Metrics that are no scores of items, each with the reason; their cells are unscored.
    higher_is_better : dict of str to bool
        Of the metrics of which the log says so.
    judge, scorer : str
        The model that judged, and which scorer with which options.
    notes : list of (code, message)
        What the reader saw that the audit should tell.
    """

    tool: str
    files: list[str]
    system: str | None = None
    parts: dict[str, str] = field(default_factory=dict)
    version: str = ""
    task: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    started: str = ""
    finished: str = ""
    state: str = DONE
    why: str = ""
    again: str = ""
    declared: list[str] = field(default_factory=list)
    epochs: int = 1
    own_ids: bool = True
    ordered: bool = True
    reported: dict[str, float] = field(default_factory=dict)
    rule: str = "mean"
    reduced: dict[str, dict[str, float]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    higher_is_better: dict[str, bool] = field(default_factory=dict)
    judge: str = ""
    scorer: str = ""
    notes: list[tuple[str, str]] = field(default_factory=list)
    folder: str = ""
    cells: Cells = field(default_factory=Cells)

    @property
    def metrics(self) -> list[str]:
        """In the order in which they come."""
        return list(dict.fromkeys(self.cells.metric))


@dataclass(frozen=True)
class Logs:
    """All records of a set of logs, and the runs that they belong to.

    Attributes
    ----------
    records : pandas.DataFrame
        One row for each run, item, epoch, and metric: ``run, system, task, metric, item, item_hash,
        prompt_hash, epoch, score, raw, status, cluster, file, row``. A score is NaN unless its
        status is ``ok``; ``raw`` is the number in the file, whatever the status.
    runs : pandas.DataFrame
        One row for each log: ``tool, version, system, base, task, config, started, finished, state,
        why, declared, epochs, reported, rule, higher_is_better, judge, scorer, files, said,
        refused``.
    """

    records: pd.DataFrame
    runs: pd.DataFrame

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return iter((self.records, self.runs))


def grouped[K, V](pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """The values of each key, in the order they come.

    Examples
    --------
    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _id(item: Any) -> str:
    """An id as text: 7, 7.0 and "7" are one."""
    if isinstance(item, float) and item.is_integer():
        return str(int(item))
    return stripped(str(item))

"""``sacrebleu -sl``: a line for each sentence, ``BLEU|signature = 57.1 ...``.

No line says which sentence it is of: items are the numbers of the lines.
"""

import re
from collections.abc import Iterator, Sequence

from betterthan.io.problems import problem
from betterthan.logs.heads import Head, LogFile
from betterthan.logs.record import Run
from betterthan.logs.score_values import score_of

_LINE = re.compile(r"(BLEU|chrF\d*\+*|TER)\|([^ ]*\bversion:[^ ]+) = (\S+)(?: .*)?")
_LOWER = {"TER"}  # errors
_SAID = (
    ("items", "items are numbers of lines: nothing in the file says what they are of"),
    ("corpus", "means of sentence scores are not the score of the corpus"),
)


def recognises(head: Head) -> bool:
    """Whether the first line is a sentence's score."""
    return head.kind == "text" and _LINE.fullmatch(_first(head.lines)) is not None


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file.

    Raises
    ------
    ValueError
        If scores of one metric have several signatures: they are not the same scores.
    """
    signed: dict[str, tuple[str, str]] = {}
    return [_run(file, signed) for file in files]


def _run(file: LogFile, signed: dict[str, tuple[str, str]]) -> Run:
    """The run in a file; `signed` holds the signature of each metric, and the file it is of."""
    run = Run("sacrebleu", [file.name], rule="corpus", said=list(_SAID))
    for item, row, (metric, signature, value) in _scores(file):
        before = signed.setdefault(metric, (signature, file.name))
        if before[0] != signature:
            what = (
                f"the signature of {metric} is not that of {before[1]}, {before[0]!r}; score all "
                "systems with the same options and version"
            )
            raise problem(file.name, what, row=row, value=signature)
        _add(run, item, row, metric, score_of(value, file.name, row, metric))
    run.version = next(iter(signed.values()))[0].rpartition("version:")[2]
    run.scorer = "; ".join(f"{metric}|{signed[metric][0]}" for metric in run.metrics)
    run.lower = _LOWER & set(run.metrics)
    return run


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")


def _scores(file: LogFile) -> Iterator[tuple[int, int, tuple[str, str, str]]]:
    """Number of the sentence, line, and metric, signature and value.

    Of several metrics each sentence has a line for each, one below the other.
    """
    times: dict[str, int] = {}
    with file.open() as lines:
        for row, line in enumerate(lines, start=1):
            text = line.decode("utf-8-sig", "replace").strip()
            if not text:
                continue
            fit = _LINE.fullmatch(text)
            if fit is None:
                what = "is no line of sacrebleu -sl; is the file cut?"
                raise problem(file.name, what, row=row, value=text)
            metric, signature, value = fit.groups()
            times[metric] = times.get(metric, 0) + 1
            yield times[metric], row, (metric, signature, value)


def _add(run: Run, item: int, row: int, metric: str, score: float) -> None:
    cells = run.cells
    if item > len(cells):
        cells.sample(item, row=row)
    cells.score(item - 1, metric, score)

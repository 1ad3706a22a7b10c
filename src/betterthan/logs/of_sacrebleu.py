"""``sacrebleu -sl``: a line for each sentence, ``BLEU|signature = 57.1 ...``.

No line says which sentence it is of: items are the numbers of the lines.
"""

import re
from collections.abc import Iterator, Sequence

from betterthan.io.problems import counted, problem
from betterthan.logs.json_values import parse_score
from betterthan.logs.record import Run
from betterthan.logs.sniffing import LogFile, Preview

_LINE = re.compile(r"(BLEU|chrF\d*\+*|TER)\|([^ ]*\bversion:[^ ]+) = (\S+)(?: .*)?")
_LOWER = {"TER"}  # errors
_NOTES = (
    ("items", "items are numbers of lines: nothing in the file says what they are of"),
    ("corpus", "means of sentence scores are not the score of the corpus"),
)


def recognises(preview: Preview) -> bool:
    """Whether the first line is a sentence's score."""
    first = next((line.strip() for line in preview.lines if line.strip()), "")
    return preview.kind == "text" and _LINE.fullmatch(first) is not None


def runs(files: Sequence[LogFile]) -> list[Run]:
    """A run for each file."""
    return [_run(file) for file in files]


def check(runs: Sequence[Run]) -> None:
    """Refuse runs whose scores of one metric have several signatures, or that are not of equally
    many sentences: they are not of the same.
    """
    signed: dict[str, tuple[str, str]] = {}
    for run in runs:
        for signature in run.scorer.split("; "):
            _refuse_other(signed, signature, run.files[0], None)
        if len(run.cells) != len(runs[0].cells):  # whichever is lacking, those behind it are others
            reason = (
                f"has {counted(len(run.cells), 'sentence')} and {runs[0].files[0]} "
                f"{len(runs[0].cells)}; sentences are joined by their number, so that all systems "
                "must have all of them"
            )
            raise problem(run.files[0], reason)


def _run(file: LogFile) -> Run:
    run = Run("sacrebleu", [file.name], rule="corpus", notes=list(_NOTES))
    signed: dict[str, tuple[str, str]] = {}
    for item, row, (metric, options, value) in _scores(file):
        _refuse_other(signed, f"{metric}|{options}", file.name, row)
        score = parse_score(value, file.name, row, metric)
        if item > len(run.cells):
            run.cells.sample(item, row=row)
        run.cells.score(item - 1, metric, score)
    run.version = next(iter(signed.values()))[0].rpartition("version:")[2]
    run.scorer = "; ".join(signature for signature, _ in signed.values())
    run.higher_is_better = {metric: metric not in _LOWER for metric in run.metrics}
    return run


def _refuse_other(
    signed: dict[str, tuple[str, str]], signature: str, name: str, row: int | None
) -> None:
    """Refuse a signature that is not the one its metric had before, with the file that it is of."""
    metric = signature.partition("|")[0]
    before, file = signed.setdefault(metric, (signature, name))
    if before != signature:
        reason = f"the signature of {metric} is not that of {file}, {before!r}"
        right = "score all systems with the same options and version"
        raise problem(name, f"{reason}; {right}", row=row, value=signature)


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
            if (fit := _LINE.fullmatch(text)) is None:
                reason = "is no line of sacrebleu -sl; is the file cut?"
                raise problem(file.name, reason, row=row, value=text)
            metric, signature, value = fit.groups()
            times[metric] = times.get(metric, 0) + 1
            yield times[metric], row, (metric, signature, value)

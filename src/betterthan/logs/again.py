"""Merge several logs of one system and task: resumed runs, parts of one run, or repeated runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from betterthan.io.problems import counted, shown
from betterthan.logs.record import DONE, OK, UNSCORED, Cells, Run

AGAIN = ("last", "first", "epochs")
_SAMPLE = ("item", "epoch", "content", "prompt", "cluster", "text", "row", "file", "failed")
_SCORE = ("metric", "raw", "status")


def merge_runs(
    runs: Sequence[Run], systems: Sequence[str], again: str | None
) -> tuple[list[Run], list[str]]:
    """One run for each system and task, and the system of each.

    Parameters
    ----------
    runs : sequence of Run
    systems : sequence of str
        The name of each run.
    again : {"last", "first", "epochs"}, optional
        Which of several finished runs; "epochs" takes each as further epochs.

    Raises
    ------
    ValueError
        If there are several finished runs and `again` is not given.
    """
    if again is not None and again not in AGAIN:
        raise ValueError(f"again is {again!r}; give one of {', '.join(AGAIN)}")
    groups: dict[tuple[str, str], list[Run]] = {}
    for run, system in zip(runs, systems, strict=True):
        groups.setdefault((system, run.task), []).append(without_doubles(run))
    merged_runs = {key: _merge_group(group, key[0], again) for key, group in groups.items()}
    return list(merged_runs.values()), [system for system, _ in merged_runs]


def _merge_group(runs: list[Run], system: str, again: str | None) -> Run:
    runs = _finished(_tries(sorted(runs, key=lambda run: run.started)), system)
    if runs[0].state != DONE or len(runs) == 1 or not _overlap(runs):
        return merged(runs)
    note = ("again", _disagreement(runs, system))
    if again == "epochs":
        return _with_note(_as_epochs(runs), note)
    if again is not None:
        return _with_note(runs[-1] if again == "last" else runs[0], note)
    files = ", ".join(shown(run.files[0]) for run in runs)
    task = f" on task {runs[0].task}" if runs[0].task else ""
    raise ValueError(
        f"{system} was run {len(runs)} times{task}, with equal settings ({files}); say "
        'again="last" or again="first" for one of them, or again="epochs" to take all'
    )


def _finished(runs: list[Run], system: str) -> list[Run]:
    """Keep the finished runs, if there are any; else keep all."""
    finished = [run for run in runs if run.state == DONE]
    if not finished or len(finished) == len(runs):
        return runs
    unfinished = ", ".join(run.files[0] for run in runs if run.state != DONE)
    message = f"an unfinished log of {system} is passed over for a finished one: {unfinished}"
    return [_with_note(finished[0], ("again", message)), *finished[1:]]


def _with_note(run: Run, note: tuple[str, str]) -> Run:
    return replace(run, notes=[*run.notes, note])


def _disagreement(runs: list[Run], system: str) -> str:
    """How many items the first and the last run score otherwise."""
    first, last = (
        dict(zip(run.cells.item, _scores(run.cells), strict=True)) for run in (runs[0], runs[-1])
    )
    both = [item for item in first if item in last]
    differ = sum(first[item] != last[item] for item in both)
    return f"{system} ran {len(runs)} times: {differ} of {counted(len(both), 'item')} differ"


def _tries(runs: list[Run]) -> list[Run]:
    """Tries that share what a retry shares, as one run."""
    groups: dict[object, list[Run]] = {}
    for k, run in enumerate(runs):
        groups.setdefault(run.again or k, []).append(run)
    return [merged(group) for group in groups.values()]


def _overlap(runs: list[Run]) -> bool:
    earlier: set[tuple[str, int]] = set()
    for run in runs:
        samples = set(zip(run.cells.item, run.cells.epoch, strict=True))
        if samples & earlier:
            return True
        earlier |= samples
    return False


def merged(runs: list[Run]) -> Run:
    """One run with the best sample of each item and epoch: scored, then unscored, then failed; of
    equals the later.
    """
    if len(runs) == 1:
        return runs[0]
    samples_by_run = _best_samples(runs)
    last = next((run for run in reversed(runs) if run.state == DONE), runs[-1])
    files, cells = [], Cells()
    for run, samples in zip(runs, samples_by_run, strict=True):
        add(cells, run.cells, samples, shift=len(files))
        files += run.files
    declared = list(dict.fromkeys(item for run in runs for item in run.declared))
    notes = list(dict.fromkeys(note for run in runs for note in run.notes))
    return replace(last, files=files, cells=cells, declared=declared, notes=notes)


def _best_samples(runs: list[Run]) -> list[list[int]]:
    """Choose the best sample of each item and epoch; return the chosen samples of each run."""
    best: dict[tuple[str, int], tuple[int, int, int]] = {}
    for r, run in enumerate(runs):
        for k, rank in enumerate(_ranks(run)):
            key = (run.cells.item[k], run.cells.epoch[k])
            if key not in best or rank >= best[key][0]:
                best[key] = (rank, r, k)
    return [
        sorted(k for _, run_number, k in best.values() if run_number == r) for r in range(len(runs))
    ]


def _ranks(run: Run) -> np.ndarray:
    """Rank each sample: 2 scored, 1 unscored, 0 failed."""
    ranks = np.zeros(len(run.cells), int)
    for sample, status in zip(run.cells.score_sample, run.cells.status, strict=True):
        ranks[sample] = max(ranks[sample], 2 if status == OK else 1 if status == UNSCORED else 0)
    return np.where(np.array(run.cells.failed, bool), 0, ranks)


def _as_epochs(runs: list[Run]) -> Run:
    """All runs, those after the first as further epochs."""
    cells, files, shift = Cells(), [], 0
    for run in runs:
        moved = replace(run.cells, epoch=[epoch + shift for epoch in run.cells.epoch])
        add(cells, moved, range(len(moved)), shift=len(files))
        shift = max(moved.epoch, default=shift)
        files += run.files
    return replace(runs[-1], files=files, cells=cells, epochs=sum(run.epochs for run in runs))


def without_doubles(run: Run) -> Run:
    """A run in which no item and epoch stands twice: equal rows count once.

    Raises
    ------
    ValueError
        If two rows of one item and epoch differ.
    """
    cells = run.cells
    if len(set(zip(cells.item, cells.epoch, strict=True))) == len(cells):
        return run
    places: dict[tuple[str, int], list[int]] = {}
    for k, key in enumerate(zip(cells.item, cells.epoch, strict=True)):
        places.setdefault(key, []).append(k)
    _refuse_other_doubles(run, places)
    first_samples = sorted(first for first, *_ in places.values())
    dropped = len(cells) - len(first_samples)
    distinct = Cells()
    add(distinct, cells, first_samples)
    message = f"{counted(dropped, 'row')} of {run.files[0]} given twice, counted once"
    return replace(run, cells=distinct, notes=[*run.notes, ("twice", message)])


def _refuse_other_doubles(run: Run, places: dict[tuple[str, int], list[int]]) -> None:
    cells, scores = run.cells, _scores(run.cells)
    for (item, epoch), (first, *others) in places.items():
        for k in others:
            if scores[k] != scores[first] or cells.content[k] != cells.content[first]:
                raise ValueError(
                    f"{run.files[cells.file[k]]}, row {cells.row[k]}: item {shown(item)} (epoch "
                    f"{epoch}) stands in row {cells.row[first]} too, with another score or text; "
                    "give each item one row, or tell its runs apart"
                )


def _scores(cells: Cells) -> list[list[tuple[str, str, str]]]:
    scores: list[list[tuple[str, str, str]]] = [[] for _ in range(len(cells))]
    for sample, metric, raw, status in zip(
        cells.score_sample, cells.metric, cells.raw, cells.status, strict=True
    ):
        scores[sample].append((metric, repr(raw), status))
    return [sorted(sample_scores) for sample_scores in scores]


def add(into: Cells, cells: Cells, samples: Sequence[int], shift: int = 0) -> None:
    """Add some samples of other cells with their scores; files are counted on by `shift`."""
    place = np.full(len(cells), -1)
    place[list(samples)] = np.arange(len(into), len(into) + len(samples))
    for name in _SAMPLE:
        values = getattr(cells, name)
        getattr(into, name).extend(
            values[k] + shift if name == "file" else values[k] for k in samples
        )
    samples_of_scores = place[np.array(cells.score_sample, int)]
    rows = np.flatnonzero(samples_of_scores >= 0)
    into.score_sample.extend(samples_of_scores[rows].tolist())
    for name in _SCORE:
        values = getattr(cells, name)
        getattr(into, name).extend(values[k] for k in rows)

"""Check runs before they leave a reader: names that are valid text, and epochs that can be
counted.
"""

from collections.abc import Sequence

from betterthan.io.problems import problem, shown
from betterthan.logs.record import Run
from betterthan.text import first_flawed, flaw

_MOST_EPOCHS = 10**6  # so that those of 2,000 logs, put together, are counted in 32 bits
_MOST_MEANT = 10**7  # runs of items that a log names, beyond those it holds


def checked(run: Run) -> Run:
    """The run, when its names can be names, and its epochs be counted.

    Raises
    ------
    ValueError
        With the file, row and value.
    """
    for role, name in (("system", run.system or ""), ("task", run.task)):
        _refuse(run.files[0], None, role, [name])
    cells = run.cells
    _refuse_item(run, "item", cells.item)
    _refuse_item(run, "cluster", [name or "" for name in cells.cluster])
    _refuse(run.files[0], None, "item", run.declared)
    _refuse_metric(run)
    _refuse_epochs(run)
    return run


def _refuse(file: str, row: int | None, role: str, names: Sequence[str]) -> None:
    k = first_flawed(names)
    if k is not None:
        raise problem(file, f"{role} {shown(names[k])} {flaw(names[k])}", row=row)


def _refuse_item(run: Run, role: str, names: Sequence[str]) -> None:
    k = first_flawed(names)
    if k is not None:
        _refuse(*_place(run, k), role, [names[k]])


def _refuse_metric(run: Run) -> None:
    names = run.metrics
    k = first_flawed(names)
    if k is not None:
        sample = run.cells.score_sample[run.cells.metric.index(names[k])]
        _refuse(*_place(run, sample), "metric", [names[k]])


def _refuse_epochs(run: Run) -> None:
    """Refuse an epoch that is no count, and too many epochs."""
    epochs = run.cells.epoch
    k = next(
        (k for k, epoch in enumerate(epochs) if not -_MOST_EPOCHS <= epoch <= _MOST_EPOCHS), None
    )
    if k is not None:
        file, row = _place(run, k)
        reason = f"an epoch is at most {_MOST_EPOCHS:,}, item {shown(run.cells.item[k])} has"
        raise problem(file, f"{reason} {epochs[k]:,}; number the runs of an item from 1", row=row)
    if len(run.declared) * run.epochs - len(epochs) > _MOST_MEANT:
        reason = f"names {len(run.declared):,} items x {run.epochs:,} runs of each, and holds"
        raise problem(run.files[0], f"{reason} {len(epochs):,}; correct how many runs were meant")


def _place(run: Run, sample: int) -> tuple[str, int | None]:
    """The file and the row of a sample."""
    return run.files[run.cells.file[sample]], run.cells.row[sample] or None

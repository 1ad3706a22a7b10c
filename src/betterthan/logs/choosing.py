"""One metric of some tasks: what was asked for, or the only one there is."""

from collections.abc import Sequence

from betterthan.io.problems import listed, shown
from betterthan.logs.record import OK, Frame, Logs

_NO_SCORE = "no item has a score"


def chosen_records(
    logs: Logs,
    *,
    task: str | Sequence[str] | None = None,
    metric: str | None = None,
    filter: str | None = None,
    epoch: int | None = None,
) -> tuple[Frame, list[str]]:
    """The records of one metric, and what was left out, in words.

    Parameters
    ----------
    logs : Logs
    task : str or list of str, optional
        All tasks that have the metric when not given.
    metric : str, optional
        As the tool writes it; the beginning of a name is enough where one fits.
    filter : str, optional
        Of lm-eval: ``metric="m", filter="f"`` is ``metric="m,f"``.
    epoch : int, optional
        All when not given.

    Raises
    ------
    ValueError
        If there are several metrics and none is named; the message counts each.
        If there is no such task, metric or epoch, or not one score.
    """
    records = _of_tasks(logs.records, task)
    _refuse_aggregate(logs, records, metric)
    counts = _counts(records)
    if not counts:
        raise ValueError(_nothing(logs))
    name = _metric(counts, metric, filter)
    said = []
    with_metric = records[records["metric"] == name]
    lacking = [t for t in _names(records["task"]) if t not in set(with_metric["task"])]
    if lacking:
        said.append(f"without metric {name}: task {listed(lacking)}")
    if epoch is not None:
        with_metric = with_metric[with_metric["epoch"] == epoch]
        if with_metric.empty:
            there = sorted(set(records["epoch"].tolist()))
            raise ValueError(f"there is no epoch {epoch} among {listed(there)}")
    return with_metric, said


def _refuse_aggregate(logs: Logs, records: Frame, metric: str | None) -> None:
    """Refuse a metric that is no score of an item, with what its reader says of it."""
    told: dict[str, str] = {}
    for run in records["run"].unique().tolist():
        told |= logs.runs["refused"][run]
    if not told:
        return
    wanted = [name for name in told if metric is not None and _fits(name, metric, None)]
    scored = _names(records.loc[records["status"] == OK, "metric"])
    if wanted or not scored:
        raise ValueError(told[wanted[0] if wanted else next(iter(told))])


def _of_tasks(records: Frame, task: str | Sequence[str] | None) -> Frame:
    if task is None:
        return records
    wanted = [task] if isinstance(task, str) else list(task)
    there = _names(records["task"])
    for one in wanted:
        if one not in there:
            raise ValueError(f"there is no task {one!r} among {listed(there)}")
    return records[records["task"].isin(wanted)]


def _counts(records: Frame) -> dict[str, tuple[int, int]]:
    """Of each metric that some item is scored by: how many records have a score, of how many."""
    found = {}
    for name, group in records.groupby("metric", observed=True, sort=False):
        scored = int((group["status"] == OK).sum())
        if scored:
            found[str(name)] = scored, len(group)
    return found


def _metric(counts: dict[str, tuple[int, int]], metric: str | None, filter: str | None) -> str:
    wanted = metric if filter is None else f"{metric or ''},{filter}"
    if wanted is None:
        fits = list(counts)
    elif wanted in counts:
        return wanted
    else:
        fits = [name for name in counts if _fits(name, metric, filter)]
    if len(fits) == 1:
        return fits[0]
    told = ", ".join(f"{name} ({_count(*counts[name])})" for name in fits or counts)
    if not fits:
        raise ValueError(f"there is no metric {shown(wanted)} among {told}")
    raise ValueError(f"{len(fits)} metrics: {told}; say metric={fits[0]!r}")


def _fits(name: str, metric: str | None, filter: str | None) -> bool:
    """Whether a name begins with the metric, and ends with the filter."""
    own, _, by = name.partition(",")
    if filter is not None and by != filter:
        return False
    if metric is None:
        return True
    return metric in (own, name) or name.startswith((f"{metric}/", f"{metric},"))


def _count(scored: int, number: int) -> str:
    return f"{scored}" if scored == number else f"{scored} of {number} scored"


def _nothing(logs: Logs) -> str:
    """Why there is no score at all."""
    runs = logs.runs
    states = [f"{s} ({state})" for s, state in zip(runs["system"], runs["state"], strict=True)]
    why = next((why for why in runs["why"] if why), "")
    said = [text for told in runs["said"] for code, text in told if code == "no score"]
    first = f"; first error: {why}" if why else f"; {said[0]}" if said else ""
    return f"{_NO_SCORE}: {listed(states)}{first}"


def _names(column: Frame) -> list[str]:
    return [str(name) for name in column.unique()]

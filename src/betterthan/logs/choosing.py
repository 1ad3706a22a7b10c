"""Choose one metric of some tasks: the requested one, or the only one."""

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
    records = _select_tasks(logs.records, task)
    _refuse_aggregate(logs, records, metric)
    counts = _counts(records)
    if not counts:
        raise ValueError(_nothing(logs))
    name = _metric(counts, metric, filter)
    messages = []
    with_metric = records[records["metric"] == name]
    lacking = [t for t in _names(records["task"]) if t not in set(with_metric["task"])]
    if lacking:
        messages.append(f"without metric {name}: task {listed(lacking)}")
    if epoch is not None:
        with_metric = with_metric[with_metric["epoch"] == epoch]
        if with_metric.empty:
            epochs = sorted(set(records["epoch"].tolist()))
            raise ValueError(f"there is no epoch {epoch} among {listed(epochs)}")
    return with_metric, messages


def _refuse_aggregate(logs: Logs, records: Frame, metric: str | None) -> None:
    """Refuse a metric that is not a score of items, with the reason of its reader."""
    reasons: dict[str, str] = {}
    for run in records["run"].unique().tolist():
        reasons |= logs.runs["refused"][run]
    if not reasons:
        return
    wanted = [name for name in reasons if metric is not None and _fits(name, metric, None)]
    scored = _names(records.loc[records["status"] == OK, "metric"])
    if wanted or not scored:
        raise ValueError(reasons[wanted[0] if wanted else next(iter(reasons))])


def _select_tasks(records: Frame, task: str | Sequence[str] | None) -> Frame:
    if task is None:
        return records
    wanted = [task] if isinstance(task, str) else list(task)
    present = _names(records["task"])
    for name in wanted:
        if name not in present:
            raise ValueError(f"there is no task {name!r} among {listed(present)}")
    return records[records["task"].isin(wanted)]


def _counts(records: Frame) -> dict[str, tuple[int, int]]:
    """Count for each metric the scored records, and all records; leave out metrics without a
    score.
    """
    counts = {}
    for name, group in records.groupby("metric", observed=True, sort=False):
        scored = int((group["status"] == OK).sum())
        if scored:
            counts[str(name)] = scored, len(group)
    return counts


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
    choices = ", ".join(f"{name} ({_count(*counts[name])})" for name in fits or counts)
    if not fits:
        raise ValueError(f"there is no metric {shown(wanted)} among {choices}")
    raise ValueError(f"{len(fits)} metrics: {choices}; say metric={fits[0]!r}")


def _fits(name: str, metric: str | None, filter: str | None) -> bool:
    """Whether a name begins with the metric, and ends with the filter."""
    base, _, filter_name = name.partition(",")
    if filter is not None and filter_name != filter:
        return False
    if metric is None:
        return True
    return metric in (base, name) or name.startswith((f"{metric}/", f"{metric},"))


def _count(scored: int, number: int) -> str:
    return f"{scored}" if scored == number else f"{scored} of {number} scored"


def _nothing(logs: Logs) -> str:
    """Explain why no record has a score."""
    runs = logs.runs
    states = [f"{s} ({state})" for s, state in zip(runs["system"], runs["state"], strict=True)]
    why = next((why for why in runs["why"] if why), "")
    messages = [text for notes in runs["said"] for code, text in notes if code == "no score"]
    first = f"; first error: {why}" if why else f"; {messages[0]}" if messages else ""
    return f"{_NO_SCORE}: {listed(states)}{first}"


def _names(column: Frame) -> list[str]:
    return [str(name) for name in column.unique()]

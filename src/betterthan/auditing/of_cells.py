"""Check single runs of items: errors, unscored runs, and scores written for either."""

from collections.abc import Iterator

from betterthan.auditing.apart import furthest_apart
from betterthan.auditing.finding import WARN, Finding
from betterthan.auditing.seen import records_of, runs_of
from betterthan.auditing.told import are, of, shares, some
from betterthan.logs.record import ERROR, MISSING, UNSCORED, Frame, Logs

ZEROS = {
    "ir_measures": "writes 0 for a query without results",
    "sacrebleu -sl": "gives an empty sentence 0",
}
_NO_ASSERT = "promptfoo"  # calls a test passed that asserts nothing


def errors(logs: Logs) -> Iterator[Finding]:
    """Runs that ended in an error."""
    yield from _of_status(logs, ERROR, "errors")


def unscored(logs: Logs) -> Iterator[Finding]:
    """Runs that the scorer gave no score."""
    yield from _of_status(logs, UNSCORED, "unscored")


def _of_status(logs: Logs, status: str, code: str) -> Iterator[Finding]:
    refused = {m for metrics in runs_of(logs)["refused"] for m in metrics}
    for task, metric, records in _by_metric(logs):
        if metric in refused:
            continue
        has = (records["status"] == status).groupby(records["system"], observed=True)
        every = {str(k): (int(v.sum()), len(v)) for k, v in has}
        counts = {system: count for system, count in every.items() if count[0]}
        if not counts:
            continue
        never = int((records["status"] == MISSING).sum())
        more = f"; {never} more never run" if never and status == ERROR else ""
        cells = records[records["status"] == status]
        about = {"task": task, "metric": metric, "where": _items(cells)}
        number = sum(n for n, _ in counts.values())
        message = f"{code}: {shares(counts)}{_apart(every)}{more}"
        yield Finding(code, message, WARN, tuple(counts), n=number, of=len(records), **about)


def _apart(counts: dict[str, tuple[int, int]]) -> str:
    """Name the two most different of more than two systems."""
    pair = furthest_apart(counts) if len(counts) > 2 else None
    if pair is None:
        return ""
    more, less = (f"{name} {counts[name][0]} of {counts[name][1]}" for name in pair)
    return f"; furthest apart: {more}, {less}"


def unchecked(logs: Logs) -> Iterator[Finding]:
    """Tests that assert nothing, which promptfoo calls passed."""
    runs = runs_of(logs).index[runs_of(logs)["tool"] == _NO_ASSERT]
    unasserted = records_of(logs)[records_of(logs)["run"].isin(runs)]
    unasserted = unasserted[(unasserted["status"] == UNSCORED) & (unasserted["raw"] > 0)]
    for task, records in unasserted.groupby("task", observed=True, sort=False):
        items = list(dict.fromkeys(records["item"].astype(str)))
        tests = f"tests {some(items)} have" if len(items) > 1 else f"test {items[0]!r} has"
        message = f"{tests} no assert: promptfoo calls it passed; left unscored"
        systems = tuple(dict.fromkeys(records["system"].astype(str)))
        yield Finding(
            "unchecked", message, WARN, systems, str(task), n=len(items), where=some(items)
        )


def numbers_on_errors(logs: Logs) -> Iterator[Finding]:
    """Numbers that a tool wrote for runs that ended in an error."""
    for task, metric, records in _by_metric(logs):
        cells = records[(records["status"] == ERROR) & records["raw"].notna()]
        if cells.empty:
            continue
        values = some([f"{x:g}" for x in sorted(set(cells["raw"].tolist()))])
        tool = runs_of(logs)["tool"].loc[cells["run"].iloc[0]]
        n = len(cells)
        message = f"{tool} wrote {values} for {of(n, n, 'run').split(' of ')[1]} that ended in an "
        message += "error; left missing (errors='raw' keeps it)"
        systems = tuple(dict.fromkeys(cells["system"].astype(str)))
        yield Finding(
            "number-on-error", message, "", systems, task, metric, n, len(records), _items(cells)
        )


def zeros(logs: Logs) -> Iterator[Finding]:
    """Items that are 0 by every metric, by tools that write 0 where there was nothing to score."""
    for k, run in runs_of(logs)[runs_of(logs)["tool"].isin([*ZEROS])].iterrows():
        scored = records_of(logs)[
            (records_of(logs)["run"] == k) & records_of(logs)["score"].notna()
        ]
        most = scored.groupby("item", observed=True, sort=False)["score"].max()
        items = [str(item) for item in most.index[most == 0]]
        if items and len(items) < len(most):
            message = (
                f"{run['system']}: {of(len(items), len(most), 'item')} {are(len(items))} 0 by "
            )
            message += f"every metric ({some(items)}): {run['tool']} {ZEROS[run['tool']]}"
            where = some(items)
            yield Finding(
                "zeros", message, "", (run["system"],), "", "", len(items), len(most), where
            )


def _by_metric(logs: Logs) -> Iterator[tuple[str, str, Frame]]:
    groups = records_of(logs).groupby(["task", "metric"], observed=True, sort=False)
    for (task, metric), records in groups:
        yield str(task), str(metric), records


def _items(records: Frame) -> str:
    return some(list(dict.fromkeys(records["item"].astype(str))))

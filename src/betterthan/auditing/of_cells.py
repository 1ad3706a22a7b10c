"""Check single runs of items: errors, unscored runs, and scores written for either."""

from collections.abc import Iterator

from betterthan.auditing.apart import most_different_pair
from betterthan.auditing.finding import WARN, Finding
from betterthan.auditing.seen import record_table, run_table
from betterthan.auditing.told import are, fraction, shares, some
from betterthan.logs.record import ERROR, MISSING, UNSCORED, Frame, Logs

ZEROS = {
    "ir_measures": "writes 0 for a query without results",
    "sacrebleu -sl": "gives an empty sentence 0",
}
_NO_ASSERT = "promptfoo"  # calls a test passed that asserts nothing


def errors(logs: Logs) -> Iterator[Finding]:
    """Runs that ended in an error."""
    yield from _status_findings(logs, ERROR, "errors")


def unscored(logs: Logs) -> Iterator[Finding]:
    """Runs that the scorer gave no score."""
    yield from _status_findings(logs, UNSCORED, "unscored")


def _status_findings(logs: Logs, status: str, code: str) -> Iterator[Finding]:
    refused = {m for metrics in run_table(logs)["refused"] for m in metrics}
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
        message = f"{code}: {shares(counts)}{_extremes_text(every)}{more}"
        yield Finding(code, message, WARN, tuple(counts), n=number, of=len(records), **about)


def _extremes_text(counts: dict[str, tuple[int, int]]) -> str:
    """Name the two most different of more than two systems."""
    pair = most_different_pair(counts) if len(counts) > 2 else None
    if pair is None:
        return ""
    more, less = (f"{name} {counts[name][0]} of {counts[name][1]}" for name in pair)
    return f"; furthest apart: {more}, {less}"


def unchecked(logs: Logs) -> Iterator[Finding]:
    """Tests that assert nothing, which promptfoo calls passed."""
    runs = run_table(logs).index[run_table(logs)["tool"] == _NO_ASSERT]
    unasserted = record_table(logs)[record_table(logs)["run"].isin(runs)]
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
        tool = run_table(logs)["tool"].loc[cells["run"].iloc[0]]
        n = len(cells)
        message = (
            f"{tool} wrote {values} for {fraction(n, n, 'run').split(' of ')[1]} that ended in an "
        )
        message += "error; left missing (errors='raw' keeps it)"
        systems = tuple(dict.fromkeys(cells["system"].astype(str)))
        yield Finding(
            "number-on-error", message, "", systems, task, metric, n, len(records), _items(cells)
        )


def zeros(logs: Logs) -> Iterator[Finding]:
    """Items that are 0 by every metric, by tools that write 0 where there was nothing to score."""
    for k, run in run_table(logs)[run_table(logs)["tool"].isin([*ZEROS])].iterrows():
        scored = record_table(logs)[
            (record_table(logs)["run"] == k) & record_table(logs)["score"].notna()
        ]
        most = scored.groupby("item", observed=True, sort=False)["score"].max()
        items = [str(item) for item in most.index[most == 0]]
        if items and len(items) < len(most):
            message = (
                f"{run['system']}: {fraction(len(items), len(most), 'item')} {are(len(items))} 0 "
                "by "
            )
            message += f"every metric ({some(items)}): {run['tool']} {ZEROS[run['tool']]}"
            where = some(items)
            yield Finding(
                "zeros", message, "", (run["system"],), "", "", len(items), len(most), where
            )


def _by_metric(logs: Logs) -> Iterator[tuple[str, str, Frame]]:
    groups = record_table(logs).groupby(["task", "metric"], observed=True, sort=False)
    for (task, metric), records in groups:
        yield str(task), str(metric), records


def _items(records: Frame) -> str:
    return some(list(dict.fromkeys(records["item"].astype(str))))

"""The two tables of logs, for checks: pandas is typed in part only."""

from betterthan.logs.record import Frame, Logs


def run_table(logs: Logs) -> Frame:
    """A row for each log."""
    return logs.runs


def record_table(logs: Logs) -> Frame:
    """A row for each run, item, epoch and metric."""
    return logs.records

"""Repeated runs in the report of a comparison: which part of an error they are."""

from betterthan.results import numbers
from betterthan.results.context import ReportContext
from betterthan.results.document import Part, Table

_ROWS = 40


def runs_part(context: ReportContext) -> Part | None:
    """Of each system how its runs vary, and both standard errors of its mean."""
    if "run_error" not in context.data:
        return None
    data = context.data
    columns = {
        key: data[f"run_{key}"].values for key in ("number", "mixed", "error", "error_of_runs")
    }
    rows = [
        (
            system,
            f"{columns['number'][i]:.3g}",
            f"{numbers.percent(columns['mixed'][i])}%",
            f"{columns['error'][i]:.3f}",
            f"{columns['error_of_runs'][i]:.3f}",
        )
        for i, system in enumerate(context.systems)
    ]
    heads = ("System", "Runs of an item", "Items with mixed runs")
    heads += ("SE, items like these", "SE, these items only")
    table = Table(
        heads, rows, "Repeated runs: standard errors of the mean of all runs", visible=_ROWS
    )
    note = (
        "Error bars of the runs only understate what new items would show: verdicts are for items "
        "like these. betterthan.plan.runs finds the best number of runs for a budget."
    )
    return Part("Repeated runs", tables=[table], notes=[note])

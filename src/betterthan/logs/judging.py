"""Judgments of known tools, by their content, as `io.read_judgments` gives those of tables."""

import xarray as xr

from betterthan.io.judged import judgments
from betterthan.io.layouts import layout_by_name
from betterthan.io.problems import listed, problem
from betterthan.io.saying import line
from betterthan.logs.heads import LogFile
from betterthan.logs.judged_roster import JUDGED, judgment_kind
from betterthan.signed import Signature


def read_judgments_file(file: LogFile) -> xr.Dataset:
    """The judgments in a file, one by one.

    Returns
    -------
    xarray.Dataset
        As of `io.read_judgments`, with ``judge`` and ``cluster`` where they are known.
        ``attrs["reading"]`` says how a judgment is read.

    Raises
    ------
    ValueError
        If the file is of no known tool, or holds what is no judgment.
    """
    kind = judgment_kind(file.preview)
    if kind is None:
        tools = listed([kind.tool for kind in JUDGED])
        raise problem(file.name, f"holds no judgments of a tool that is read: {tools}")
    table = kind.table(file)
    parsed_judgments = judgments(table)
    summary = line(
        table.source, layout_by_name("judgments"), parsed_judgments.data, [parsed_judgments]
    )
    summary += f"; {kind.note}" if kind.note else ""
    signed = Signature(unit="judgment", source=table.source, reading=summary)
    return parsed_judgments.data.assign_attrs(signed.to_attrs())

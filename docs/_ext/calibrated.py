"""The files of `validation/results/`, which the pages show: cells take them from here."""

import json
from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parents[2] / "validation" / "results"


def table(family: str) -> pd.DataFrame:
    """A row for each rate of a family: ``cell``, ``answer``, ``says``, ``nominal``, ``actual``,
    ``error`` and ``sets``.
    """
    cells = json.loads((FOLDER / f"{family}.json").read_text("utf-8"))
    rows = [
        {"cell": name.partition("/")[2]} | rate | {"sets": record["sets"]}
        for name, record in cells.items()
        for rate in record["rates"]
    ]
    return pd.DataFrame(rows)

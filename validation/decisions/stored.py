"""Finished cells on disk: a JSON file a family, in which each stands as soon as it is finished."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

FOLDER = Path(__file__).resolve().parents[1] / "results"

Records = dict[str, dict[str, Any]]


def read(folder: Path = FOLDER) -> Records:
    """Every finished cell by its name."""
    found: Records = {}
    for path in sorted(folder.glob("*.json")):
        found |= json.loads(path.read_text("utf-8"))
    return found


def write(folder: Path, family: str, cells: Records) -> None:
    """A family anew, as a whole: a run that is stopped leaves the file as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f"{family}.part"
    fresh.write_text(json.dumps(cells, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    fresh.replace(folder / f"{family}.json")


def table(family: str, folder: Path = FOLDER) -> pd.DataFrame:
    """What the cells of a family showed, a row for each rate: ``cell``, ``answer``, ``says``,
    ``nominal``, ``actual``, ``error`` and ``sets``.
    """
    rows = [
        {"cell": name.partition("/")[2]} | rate | {"sets": record["sets"]}
        for name, record in read(folder).items()
        if name.startswith(f"{family}/")
        for rate in record["rates"]
    ]
    return pd.DataFrame(rows)

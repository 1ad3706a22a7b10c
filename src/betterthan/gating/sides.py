"""The two sides of a gate, read and put together item by item; or why they cannot be."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.looking import audit
from betterthan.gating import baseline_files
from betterthan.gating.accepting import as_runs, as_table, of_records, of_scores
from betterthan.gating.baseline_files import Baseline, Kept, is_baseline
from betterthan.gating.baseline_schema import LOGS, TABLE
from betterthan.gating.logs_of_sides import (
    BASELINE,
    CANDIDATE,
    OF_LOGS,
    OWN,
    SIDES,
    Sides,
    asked_of,
    of_logs,
    refuse_several,
)
from betterthan.io.columns import Columns, applied, words
from betterthan.io.files import read_file
from betterthan.io.frames import table_from_frame
from betterthan.io.problems import problem, shown
from betterthan.io.reading import read_tables
from betterthan.logs.choosing import chosen_records
from betterthan.logs.finding import find_files
from betterthan.logs.frames import of_systems, together
from betterthan.logs.reading import logs_of_runs, read_logs, read_runs
from betterthan.logs.record import Logs, Run
from betterthan.reading.finding_logs import logs_in, tables_in

_OF_TABLES = ("item", "system", "score", "ignore", "true", "false", "percent", "decimal", "sep")
_OF_RUNS = ("again", "items", "format")
_DIRECTION = "higher_is_better"
CHOICES = (*_OF_TABLES, *OF_LOGS, *_OF_RUNS, _DIRECTION)


def read_sides(baseline: Any, candidate: Any, choices: Mapping[str, Any]) -> Sides:
    """Read both sides.

    Parameters
    ----------
    baseline, candidate : path, list of paths, pandas.DataFrame or Logs
        What `read` reads of one system; the baseline may be one that was accepted.
    choices : mapping
        Of `CHOICES`; None is not given.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a file cannot be read, holds several systems, or a choice is not valid.
    """
    given = checked(choices)
    if is_baseline(candidate):
        what = "is a baseline that --accept wrote; give the results that are to pass"
        raise problem(str(candidate), what)
    if same := same_content(baseline, candidate):
        return Sides(stops=(same,))
    if not is_baseline(baseline):
        return _read({BASELINE: baseline, CANDIDATE: candidate}, None, given)
    kept = baseline_files.read(baseline)
    if not kept.intact:
        return Sides(stops=(f"{kept.name} was changed after it was accepted; accept it again",))
    if kept.of.about["sources"] == (digests(candidate) or ["-"]):
        return Sides(stops=(f"the candidate is what was accepted as {kept.name}; {_NOTHING_NEW}",))
    found = _read({CANDIDATE: candidate}, kept, given)
    return replace(found, said=(*kept.said, *found.said))


_NOTHING_NEW = "there is no new measurement"
_SAME = f"the candidate is the baseline; {_NOTHING_NEW}"


def checked(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The choices that were made.

    Raises
    ------
    ValueError
        If there is no such choice.
    """
    unknown = [name for name in choices if name not in CHOICES]
    if unknown:
        raise ValueError(f"there is no choice {unknown[0]!r} of a gate; give {', '.join(CHOICES)}")
    asked = {name: value for name, value in choices.items() if value is not None and value != ""}
    # percent=False asks for nothing; higher_is_better=False turns every difference round
    return {k: v for k, v in asked.items() if v is not False or k == _DIRECTION}


def same_content(baseline: Any, candidate: Any) -> str:
    """Why nothing was measured between the two; empty where they differ."""
    if _in_memory(baseline) or _in_memory(candidate):
        same = isinstance(baseline, pd.DataFrame) and baseline.equals(candidate)
        return _SAME if same else ""
    of, to = ([one.file.path for one in find_files(side)] for side in (baseline, candidate))
    shared = {path.resolve() for path in of} & {path.resolve() for path in to}
    if shared:
        one = sorted(shared)[0].name
        return f"{one} is a file of the baseline and of the candidate; {_NOTHING_NEW}"
    sizes = (sorted(path.stat().st_size for path in paths) for paths in (of, to))
    if len({*map(tuple, sizes)}) == 1 and digests(baseline) == digests(candidate):
        return f"the candidate has the content of the baseline, byte for byte; {_NOTHING_NEW}"
    return ""


def _in_memory(source: Any) -> bool:
    return isinstance(source, pd.DataFrame | Logs)


def digests(source: Any) -> list[str]:
    """Of the content of each file, sorted; none of what is in memory."""
    if _in_memory(source):
        return []
    paths = (one.file.path for one in find_files(source))
    return sorted(sha256(path.read_bytes()).hexdigest()[:16] for path in paths)


def _read(source: dict[str, Any], kept: Kept | None, given: Mapping[str, Any]) -> Sides:
    logs_read = any(isinstance(one, Logs) for one in source.values())
    files = None if logs_read else logs_in(source, given.get("format"))
    kind = LOGS if logs_read or files is not None else TABLE
    if kept is not None and kept.of.kind != kind:
        was, now = ("a table", "logs") if kind == LOGS else ("logs", "a table")
        raise problem(kept.name, f"was accepted of {was}, and the candidate is {now}")
    if kind == TABLE:
        return _of_tables(source, kept, given)
    _refuse(given, _OF_TABLES, "logs")
    if files is None:
        return _of_logs(source, kept, given)
    runs, keys = read_runs(files, given.get("items"))
    own: list[Run] = []
    if kept is not None:
        metric = kept.of.about["metric"]
        if not any(metric in run.metrics for run in runs):
            return _without_metric(metric, kept)
        own = as_runs(kept)
    logs = logs_of_runs([*own, *runs], [*([BASELINE] * len(own)), *keys], again=given.get("again"))
    found = of_logs(logs, given)
    return replace(found, said=(*found.said, *([files.said] if files.said else [])))


def _without_metric(metric: str, kept: Kept) -> Sides:
    why = f"the candidate has no score by {shown(metric)}, the metric of {kept.name}"
    return Sides(stops=(why,))


def _of_logs(source: dict[str, Any], kept: Kept | None, given: Mapping[str, Any]) -> Sides:
    """Logs of which those of one side, or of both, were read before."""
    options = {name: given[name] for name in _OF_RUNS if name in given}
    if all(isinstance(side, Logs) for side in source.values()):
        _refuse(options, _OF_RUNS, "logs that were read; pass it to read_logs")
    sides: dict[str, Logs] = {}
    for name, side in source.items():
        if isinstance(side, pd.DataFrame):
            raise ValueError(f"the {name} is a DataFrame; give logs, as the other side is")
        sides[name] = side if isinstance(side, Logs) else read_logs({name: side}, **options)
        if not len(sides[name].records):
            raise ValueError(f"the {name} is Logs without a record; give the logs of one system")
    if kept is None and _identity(sides[BASELINE]).equals(_identity(sides[CANDIDATE])):
        return Sides(stops=(_SAME,))
    if kept is not None:
        metric = kept.of.about["metric"]
        if metric not in sides[CANDIDATE].records["metric"].unique():
            return _without_metric(metric, kept)
        runs = as_runs(kept)
        sides = {BASELINE: logs_of_runs(runs, [BASELINE] * len(runs)), **sides}
    return of_logs(together([_named(logs, name) for name, logs in sides.items()]), given)


def _identity(logs: Logs) -> pd.DataFrame:
    """Records with the files that they are of, whatever the systems are named."""
    of = logs.runs[["files", "started"]].astype(str)
    return logs.records.drop(columns="system").join(of, on="run")


def _named(logs: Logs, side: str) -> Logs:
    """Logs whose system is named as its side; of several systems the names say which side."""
    systems = list(dict.fromkeys(logs.runs["system"].tolist()))
    several = len(systems) > 1
    return of_systems(logs, {name: f"{side} | {name}" if several else side for name in systems})


def _of_tables(source: dict[str, Any], kept: Kept | None, given: Mapping[str, Any]) -> Sides:
    """One table for each side."""
    _refuse(given, (*OF_LOGS, *_OF_RUNS), "tables")
    tables: dict[str, Any] = {}
    better = given.get(_DIRECTION, True)
    if kept is not None:
        tables[BASELINE], better = as_table(kept), _direction(kept, given)
    for name, one in source.items():
        tables[name] = table_of(one, name, given)
    scores = read_tables(tables, higher_is_better=better, names_are="systems")
    if scores.isnull().all():
        return Sides(stops=("no item has a score in any of the tables",))
    return _audited(scores.sel({names.SYSTEM: list(SIDES)}))


def _direction(kept: Kept, given: Mapping[str, Any]) -> bool:
    """Whether higher scores are better: as was accepted, and nothing else may be asked for."""
    better = bool(kept.of.about[_DIRECTION])
    if given.get(_DIRECTION, better) != better:
        said = "higher" if better else "lower"
        raise problem(kept.name, f"was accepted with {said} scores better; accept it again")
    return better


def table_of(source: Any, name: str, given: Mapping[str, Any]) -> Any:
    """The table of one side, its columns and cells as they were told."""
    own: dict[str, Any] = {k: v for k, v in given.items() if k in _OF_TABLES}
    own.update({k: words(given.get(k)) for k in ("ignore", "true", "false")})
    told = Columns(**own)
    one = tables_in({name: source})[name]
    if isinstance(one, list | tuple):
        if len(one) != 1:
            raise ValueError(f"the {name} is {len(one)} tables; give one, of one system")
        (one,) = one
    if isinstance(one, pd.DataFrame):
        return applied(table_from_frame(one, name), told)
    return applied(read_file(Path(one), told.sep), told)


def _refuse(given: Mapping[str, Any], names_of: tuple[str, ...], what: str) -> None:
    """Refuse choices that do not apply."""
    for name in names_of:
        if name in given:
            raise ValueError(f"{name}={given[name]!r} does not apply: what was given is {what}")


def _audited(scores: xr.DataArray) -> Sides:
    """Scores of tables, with what the audit says of them."""
    found = audit(scores, BASELINE).findings
    found = found[~found["code"].isin(OWN)]
    stops = tuple(found["message"][found["level"] == "stop"])
    return Sides(scores, stops, tuple(found["message"][found["level"] == "warn"]))


def accepted_of(candidate: Any, choices: Mapping[str, Any]) -> Baseline:
    """A candidate as a baseline.

    Raises
    ------
    ValueError
        If it cannot be read, holds several systems, or not one score.
    """
    given = checked(choices)
    files = logs_in({CANDIDATE: candidate}, given.get("format"))
    if files is None:
        table = table_of(candidate, CANDIDATE, given)
        twice = {BASELINE: table, CANDIDATE: table}
        better = given.get(_DIRECTION, True)
        scores = read_tables(twice, higher_is_better=better, names_are="systems")
        scores = scores.sel({names.SYSTEM: CANDIDATE}).assign_attrs(source=table.source)
        if scores.isnull().all():
            raise problem(table.source, "holds not one score; there is nothing to accept")
        return of_scores(scores, digests(candidate))
    logs = logs_of_runs(*read_runs(files, given.get("items")), again=given.get("again"))
    refuse_several(logs, (CANDIDATE,))
    records, _ = chosen_records(logs, **asked_of(given))
    return of_records(logs, records, digests(candidate))

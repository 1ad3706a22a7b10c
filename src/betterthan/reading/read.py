"""A file, a folder of logs, a frame or several of them to scores, counts, tallies or judgments."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, overload

import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.runs import trials_from_table
from betterthan.counts.tables import from_measures, warn_of_other_items
from betterthan.io import cells
from betterthan.io.files import table_of
from betterthan.io.layouts import DIRECTION, find, named_systems
from betterthan.io.problems import counted, listed, problem
from betterthan.io.reading import Columns, read_tables, words
from betterthan.io.score_values import (
    finite_scores,
    refuse_doubtful_logs,
    warn_of_data_sets_on_other_scales,
    warn_unlike_scales,
)
from betterthan.io.table import NAMELESS
from betterthan.logs.record import Logs
from betterthan.reading.sources import in_pandas, is_store, runs_in, tables_in, with_judged
from betterthan.text import stripped


class ReadOptions(TypedDict, total=False):
    """How a table or a log is read; `read` documents each option.

    ``systems`` and ``unit`` are not among them: where `compare` reads, they have its own meaning.
    """

    layout: str | None
    names: str | None
    task: str | Sequence[str] | None
    metric: str | None
    filter: str | None
    epoch: int | None
    join: str
    again: str | None
    errors: str
    unscored: str
    format: str | None
    items: Sequence[str] | None
    cluster: str | None
    item: str | None
    system: str | None
    score: str | None
    dataset: str | None
    run: str | None
    ignore: str | Sequence[str] | None
    true: str | Sequence[str] | None
    false: str | Sequence[str] | None
    percent: bool
    decimal: str
    sep: str | None
    higher_is_better: bool | None
    scale: int
    judge: str | Sequence[str] | None
    human: str | None
    strata: str | Sequence[str] | None
    drop: bool
    lazy: bool


_COUNTED = ("successes", "trials")


def trials(source: "str | Path | pd.DataFrame") -> Any:
    """Successes of trials: columns ``system, item, successes, trials``."""
    table = table_of(source)
    columns = {role: find(table, role) for role in ("item", "system")}
    columns |= {role: role if role in table.columns else None for role in _COUNTED}
    for role, column in columns.items():
        if column is None:
            reason = f"layout 'trials' needs a column {role!r} among {listed(table.columns)}"
            raise problem(table.source, reason)
    read: dict[str, Any] = {role: cells.whole_numbers(table, role) for role in _COUNTED}
    for role in ("item", "system"):
        read[role] = cells.labels(table, str(columns[role]), f"each row its {role}")
    counted_trials = trials_from_table(pd.DataFrame(read, index=list(table.rows)))
    detail = counted_trials.attrs["reading"].partition("trials")[2]
    summary = f"{table.source} read as trials{detail}"
    return counted_trials.assign_attrs(source=table.source, reading=summary)


def measures(source: "str | Path | pd.DataFrame") -> "xr.DataArray":
    """Counts of a table of measures: columns ``measure``, ``higher_is_better``, a column a
    system.
    """
    if isinstance(source, pd.DataFrame):
        frame, named = source, "DataFrame"
    else:
        table = table_of(source)
        first, *columns = table.columns
        label = next((c for c in ("measure", *NAMELESS) if c in table.columns), first)
        columns = [column for column in (first, *columns) if column != label]
        index = pd.Index(cells.labels(table, label, "each row its measure"))
        frame = pd.DataFrame({c: cells.numbers(table, c) for c in columns}, index=index)
        named = table.source
    counts = from_measures(frame)
    number = counted(counts.attrs["n_items"], "independent measure")
    systems = named_systems(counts["system_a"].values.tolist())
    left_out = counts.attrs["left_out"]
    more = f", left out: {left_out}" if left_out else ""
    return counts.assign_attrs(reading=f"{named} read as measures: {number} x {systems}{more}")


OTHERS = ("orders", "labels", "confusion", "trials", "measures")


def layout_reader(layout: str) -> Callable[[Any], Any]:
    """Return the reader of one of `OTHERS`, imported when needed."""
    if layout == "orders":
        from betterthan.orders.reading import read

        return read
    if layout in ("trials", "measures"):
        return trials if layout == "trials" else measures
    from betterthan.labels import matrices

    return matrices.read if layout == "labels" else matrices.read_confusion


type Tables = Sequence[str | Path] | Mapping[str, str | Path | pd.DataFrame]
type Source = str | Path | pd.DataFrame | Logs | Tables
_OF_LOGS = ("task", "metric", "filter", "epoch", "join", "errors", "unscored")
_OF_TABLES = ("layout", "names", "unit", "scale")
_OF_COLUMNS = tuple(name for name in vars(Columns()) if name != "metric")  # which logs have, too
_OF_JUDGED = ("judge", "human", "strata", "drop", "lazy")
_DEFAULTS: dict[str, Any] = (
    dict.fromkeys(ReadOptions.__annotations__)
    | {"join": "auto", "errors": "missing", "unscored": "missing", "scale": 1, "decimal": "."}
    | {"percent": False, "drop": False, "lazy": False}
)


# a layout that is any text may be that of judgments too: the first of both is asked first
@overload
def read(source: Source, *, layout: Literal["judgments", "trials"]) -> "xr.Dataset": ...
@overload
def read(
    source: Source,
    *,
    judge: str | Sequence[str],
    human: str,
    strata: str | Sequence[str] | None = None,
    drop: bool = False,
    item: str | None = None,
    ignore: str | Sequence[str] | None = None,
) -> "xr.Dataset": ...
@overload
def read(
    source: Source,
    *,
    systems: Sequence[str] | Mapping[str, str] | Callable[..., str] | None = None,
    unit: str | None = None,
    **options: Unpack[ReadOptions],
) -> "xr.DataArray": ...
def read(
    source: Source,
    *,
    systems: Any = None,
    unit: str | None = None,
    **options: Unpack[ReadOptions],
) -> "xr.DataArray | xr.Dataset":
    """Read the results of several systems: scores of each item, or counts of each pair.

    Parameters
    ----------
    source : path, pandas.DataFrame, Logs, list of paths, or mapping of name to path or DataFrame
        A table, or the logs of an evaluation tool: a file, a folder (all files below it), a pattern
        such as ``"logs/*.eval"``, or the logs from `read_logs`; or a Zarr store of scores. A table
        is CSV, TSV, JSON Lines, JSON (a list of objects), or Parquet, detected by its extension,
        each also with ``.gz``; text is UTF-8. The tool that wrote a log is detected from the
        content.
    layout : str, optional
        Meaning of the columns. Default: detected from their names.

        - ``wide``: a column of item ids (may be absent), and a column of scores for each system.
        - ``long``: ``system, item, score``.
        - ``predictions``: item ids, ``gold``, and a column of predicted labels for each system.
        - ``votes``: ``model_a, model_b, winner``; the winner is a side, a name, or a tie.
        - ``counts``: ``system_a, system_b, wins, losses``; ties are unknown without a column
          ``ties``.
        - ``tallies``: ``system, item, tp, fp, fn`` and an optional ``label``; see
          `io.tallies_from_table`.
        - ``judgments``: those of votes, and an optional ``judge``, each judgment by itself; see
          `io.read_judgments`. Only where the layout is given, like
        - ``orders`` (see `orders.read`), ``labels`` (`labels.read`), ``confusion``
          (`labels.read_confusion`), ``trials`` (``system, item, successes, trials``) and
          ``measures`` (``measure, higher_is_better``, and a column for each system; see
          `counts.from_measures`; recognised in a DataFrame).

        Columns ``dataset``, ``cluster``, and ``epoch`` of the items are optional.
    systems : list of str, mapping of str to str, or callable, optional
        Systems to read: a list selects and orders them, a mapping renames them, and, for logs, a
        callable returns the name of the system of a run. Default: all. With layouts ``wide`` and
        ``predictions`` a list names columns, and no other column is read.
    names : {"systems", "datasets"}, optional
        Meaning of several tables. Default: files with one column of scores are systems, and files
        of the same systems are data sets; or runs, if each has one epoch of the same items.
    task, metric, filter, epoch : optional
        For logs: what to read, if there is more than one. The beginning of a metric's name is
        enough. ``metric`` is also for a long table whose column ``metric`` names several.
    join : {"auto", "id", "content", "order"}, default "auto"
        For logs: what makes two records one item. ``auto`` uses ids if they are those of the data
        set, else the content of the question. Ids with different contents raise an error unless you
        pass this.
    again : {"last", "first", "epochs"}, optional
        For logs: which of several finished runs of one system and task with the same settings to
        keep.
    errors, unscored : {"missing", "raw", "worst"}, default "missing"
        For logs: score of a sample that ended in an error, or has no score: missing, the number
        that the tool wrote, or the worst score.
    format : str, optional
        For logs: tool that wrote them. Default: detected from the content.
    items : list of str, optional
        For logs that list only the solved items (SWE-bench): the ids of the data set.
    cluster : str, optional
        Property that the items of one cluster share. For tables: a column. For logs: the name of a
        metadata field of samples (Inspect), or ``"content"``, so that copies of a question are one
        cluster.
    item, system, score, dataset, run : str, optional
        For tables: name of this column, if it is not the default; runs are the coordinate
        ``epoch``.
    ignore : str or list of str, optional
        For tables: columns to ignore.
    true, false : str or list of str, optional
        For tables: words that mean 1 and 0, such as ``true="C", false="I"``.
    percent : bool, default False
        For tables: whether scores are percentages.
    decimal, sep : str, optional
        For tables: the decimal sign, ``.`` or ``,``, and the separator of cells, such as ``;``.
    higher_is_better : bool, optional
        False if the scores are errors or costs. Default: as the log states, else True; required
        if the columns or the metric are named after errors or costs, such as ``wer_A``.
    unit : {"item", "judgment", "unknown"}, optional
        For counts and votes: what was counted, items that all systems share or separate judgments.
        Default: ``judgment`` for votes and ``unknown`` for counts.
    scale : int, default 1
        For TP/FP/FN counts: see `io.tallies_from_table`.
    judge, human, strata : optional
        For a table of judged outcomes, one row per item and pair: the column, or columns, of the
        judge output, the column of human labels, and columns that further divide the items into
        strata; see `judged.count`.
    drop : bool, default False
        For judged outcomes: leave out human labels on items without judge output, and report how
        many; otherwise they raise an error.
    lazy : bool, default False
        For Parquet files: leave the scores in the files, to be read block by block; several files
        are then parts of one table. A Zarr store is always read this way.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        - ``wide``, ``long``, ``predictions``: scores (item, system), float64, with NaN for missing
          ones, and the item coordinates ``dataset``, ``cluster``, and ``epoch`` if present
        - ``counts``, ``votes``: counts (system_a, system_b, outcome), int64, with a leading
          ``dataset`` if present
        - ``tallies``: see `io.tallies_from_table`
        - ``judgments``: the Dataset of `io.read_judgments`
        - with `judge` and `human`: judged counts
        - logs: scores, with a coordinate ``status`` (item, system)

        ``attrs["reading"]`` is the import summary, one line that is logged, too.

    Raises
    ------
    FileNotFoundError
        If a file does not exist.
    ValueError
        If a file does not have the format of its extension, or is not UTF-8. If no layout fits the
        columns, or more than one. If a cell is not valid for its column; the message names file,
        row, column, and value. If a name, an id, a label, or a score holds a control character
        other than white space, such as U+0000, or half of a surrogate pair. If an item, a system, a
        pair, or a score occurs twice, or counts contradict each other. If there are fewer than two
        systems, or several files differ in their systems. If a column of numbers is plainly not a
        system (a mean or a sum of the others, a range that no score has, the name of a latency or a
        total); pass `systems` then. If a column of predictions shares no or nearly no label with
        gold; pass `systems` then. If two ids or systems differ only by blanks, case, or Unicode
        form and never occur together; if they do, a warning names them. If an argument does not
        apply to the layout. If logs hold several tasks or metrics and none is named, or a system
        was run twice. If items of logs cannot be joined with certainty; the message names the
        argument that helps.

    Notes
    -----
    Rows are joined by item id, never by their order, unless there are no ids. A blank cell is
    missing: never a tie, and wrong only with ``missing="wrong"``. In columns of numbers NA, N/A,
    NaN, null, and None are blank too; elsewhere they are text like any other. The row in a message
    is the line in a text file, the record in JSON and Parquet, and the index label in a DataFrame.

    Examples
    --------
    >>> import betterthan as bt, pandas as pd
    >>> frame = pd.DataFrame({"item": ["q1", "q2", "q3"], "A": [1, 0, 1], "B": [1, 1, None]})
    >>> scores = bt.read(frame)
    >>> scores.attrs["reading"]
    "DataFrame read as wide: 3 items x 2 systems ('A', 'B'), item ids from column 'item', 1 score
    missing"
    >>> votes = pd.DataFrame({"left": ["A", "B"], "right": ["B", "A"], "winner": ["left", "tie"]})
    >>> bt.read(votes).sel(system_a="A", system_b="B").values.tolist()
    [1, 0, 1]
    """
    check_options(options, "read")
    source = in_pandas(source)
    if isinstance(source, Mapping):
        checks.unique([stripped(str(name)) for name in source], "table")
    chosen: dict[str, Any] = _DEFAULTS | dict(options) | {"systems": systems, "unit": unit}
    chosen |= {name: words(chosen[name]) for name in ("ignore", "true", "false")}

    def of(*keys: str) -> dict[str, Any]:
        return {key: chosen[key] for key in keys}

    columns = Columns(**of(*_OF_COLUMNS, "metric"))
    layout, again, items = chosen["layout"], chosen["again"], chosen["items"]
    format, cluster = chosen["format"], chosen["cluster"]
    if layout is None and isinstance(source, pd.DataFrame) and DIRECTION in source.columns:
        layout = None if DIRECTION in columns.ignore else "measures"
    if isinstance(source, Logs):
        from betterthan.logs.frames import select_systems

        before = of("again", "items", "format", "cluster", *["systems"] * callable(systems))
        refuse(before, "the source is logs that were read; pass it to read_logs")
        refuse(of(*_OF_TABLES, *_OF_COLUMNS, *_OF_JUDGED), "the source is logs")
        if not len(source.records):
            raise ValueError("source is Logs without a record; give the logs of two systems")
        return _pivoted(select_systems(source, systems), chosen)
    if chosen["lazy"] or is_store(source):
        from betterthan.reading.blocks import read_blocks

        column_choices = [name for name in _OF_COLUMNS if name != "ignore"]
        others = (*column_choices, "judge", "human", "again", "items", "format")
        refuse(of(*_OF_LOGS, *_OF_TABLES, *others), "the source is scores in blocks")
        return read_blocks(source, **of("systems", "ignore", "higher_is_better"))
    if chosen["judge"] is not None or chosen["human"] is not None:
        from betterthan.reading.sources import read_judged

        taken = ("judge", "human", "strata", "item", "drop", "ignore")
        others = [name for name in _OF_COLUMNS if name not in taken]
        others += ["systems", "again", "items", "format", "higher_is_better"]
        refuse(of(*_OF_LOGS, *_OF_TABLES, *others), "the source is judged outcomes")
        return read_judged(source, **of(*taken))
    for name, value in (("drop", chosen["drop"] or None), ("strata", chosen["strata"])):
        if value is not None:
            choice = f"{name}={checks.quoted(value)} is for judged outcomes"
            raise ValueError(f"{choice}; name their columns, judge and human")
    if layout is not None and layout in OTHERS:
        taken = ("systems", "ignore") if layout == "labels" else ()
        others = (*_OF_COLUMNS, "systems", "names", "unit")
        others += () if chosen["higher_is_better"] else ("higher_is_better",)
        refuse(of(*_OF_LOGS, *(k for k in others if k not in taken)), f"the source is {layout}")
        return layout_reader(layout)(source, **of(*taken))
    logs = runs_in(source, format, items, cluster) if layout is None else None
    if logs is not None:
        from betterthan.logs.reading import combine_runs

        column_choices = [name for name in _OF_COLUMNS if name != "cluster"]
        refuse(of(*_OF_TABLES, *column_choices), "the source is a log")
        return _pivoted(combine_runs(*logs, systems=systems, again=again), chosen)
    log_choices = [name for name in _OF_LOGS if name != "metric"]
    refuse(of(*log_choices, "again", "items"), "the source is a table")
    tables, skipped = tables_in(source)
    tables, how = with_judged(tables)
    result = read_tables(
        tables,
        **of("systems", "higher_is_better", "unit", "scale"),
        layout=layout,
        meanings=columns,
        names_are=chosen["names"],
        folder=tables is not source and not isinstance(source, Mapping),
    )
    if names.OUTCOME in result.dims and isinstance(result, xr.DataArray):
        warn_of_other_items(result)
    if isinstance(systems, Sequence) and names.ITEM in result.dims:
        warn_unlike_scales(result)
    more = [words for words in (how, skipped) if words]
    reading = "; ".join([result.attrs["reading"], *more])
    return result.assign_attrs(reading=reading) if more else result


def _pivoted(logs: Logs, chosen: Mapping[str, Any]) -> "xr.DataArray":
    """The scores of logs, unless they are doubtful and the systems are not named."""
    from betterthan.logs.pivoting import STATUS, pivot_scores
    from betterthan.logs.record import MISSING, STATUSES

    scores = pivot_scores(logs, **{k: chosen[k] for k in (*_OF_LOGS, "higher_is_better")})
    if not isinstance(chosen["systems"], Sequence):
        refuse_doubtful_logs(scores, scores[STATUS] == STATUSES.index(MISSING))
    else:
        warn_unlike_scales(finite_scores(scores))
    warn_of_data_sets_on_other_scales(finite_scores(scores), 1)
    return scores


def refuse(choices: Mapping[str, Any], why: str) -> None:
    """Refuse choices that do not apply."""
    for name, value in choices.items():
        default = _DEFAULTS.get(name)
        absent = value is None or (isinstance(value, tuple) and not value)
        if not (absent or (isinstance(value, str | bool | int) and value == default)):
            raise ValueError(f"{name}={checks.quoted(value)} does not apply: {why}")


def check_options(options: Mapping[str, Any], function: str) -> None:
    """Refuse what is no option of `read`, or is of another kind than its option."""
    for name, value in options.items():
        if name not in _DEFAULTS:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        if value is not None or _DEFAULTS[name] is not None:
            _KINDS.get(name, checks.label)(value, name)


_KINDS: Mapping[str, Callable[[Any, str], Any]] = (  # all others are text
    dict.fromkeys(("task", "items", "ignore", "true", "false", "judge", "strata"), checks.labels)
    | dict.fromkeys(("percent", "higher_is_better", "drop", "lazy"), checks.flag)
    | {"epoch": partial(checks.whole, least=0), "scale": checks.whole}
)


def _with_options(signature: Signature) -> Signature:
    """The signature with each option of `read` as a parameter, as `help` shows it."""
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_DEFAULTS[name], annotation=kind)
        for name, kind in ReadOptions.__annotations__.items()
    ]
    own = [p for p in signature.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    return signature.replace(parameters=[*own, *options])


read.__signature__ = _with_options(signature(read))  # type: ignore[missing-attribute]

"""Records of one metric as scores: the metric, records of one item, and the table of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.items import scores_array
from betterthan.io.layouts import named_systems
from betterthan.io.measure_names import less_is_better, refuse_unknown_direction
from betterthan.io.problems import counted, listed, quoted
from betterthan.io.table import most_cells, refuse_large
from betterthan.io.texts import text_array
from betterthan.logs.record import ERROR, MISSING, OK, STATUSES, UNSCORED, Frame, Logs
from betterthan.signed import Signature

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
    records = with_values(logs.records, "task", task)
    _refuse_aggregate(logs, records, metric)
    if not (counts := _counts(records)):
        raise ValueError(_nothing(logs))
    name = _metric(counts, metric, filter)
    messages = []
    no_metric = records["metric"] == ""  # of runs without any score, which none excuses
    with_metric = records[(records["metric"] == name) | no_metric]
    if no_metric.any():
        with_metric = with_metric.assign(metric=name)
    for column in ("task", "system"):
        present = set(with_metric[column])
        if lacking := [value for value in _names(records[column]) if value not in present]:
            messages.append(f"without metric {name}: {column} {listed(lacking)}")
    if epoch is not None:
        with_metric = with_metric[with_metric["epoch"] == epoch]
        if with_metric.empty:
            epochs = sorted(set(records["epoch"].tolist()))
            raise ValueError(f"there is no epoch {epoch} among {listed(epochs)}")
    return with_metric, messages


def _refuse_aggregate(logs: Logs, records: Frame, metric: str | None) -> None:
    """Refuse a metric that is not a score of items, with the reason of its reader."""
    refused = logs.runs["refused"].loc[records["run"].unique()]
    reasons: dict[str, str] = {k: why for by_item in refused for k, why in by_item.items()}
    if not reasons:
        return
    wanted = [name for name in reasons if metric is not None and _fits(name, metric, None)]
    if wanted or not _names(records.loc[records["status"] == OK, "metric"]):
        raise ValueError(reasons[wanted[0] if wanted else next(iter(reasons))])


def with_values(records: Frame, column: str, wanted: Any) -> Frame:
    """The records with one of some values in a column: a list, a single value, or None for all."""
    if wanted is None:
        return records
    single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
    values = [wanted] if single else list(wanted)
    present = records[column].unique().tolist()
    if absent := [value for value in values if value not in present]:
        raise ValueError(f"there is no {column} {absent[0]!r} among {listed(present)}")
    return records[records[column].isin(values)]


def _counts(records: Frame) -> dict[str, tuple[int, int]]:
    """Count for each metric the scored records, and all records; leave out metrics without a
    score.
    """
    counts = {}
    for name, group in records.groupby("metric", observed=True, sort=False):
        if scored := int((group["status"] == OK).sum()):
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
        raise ValueError(f"there is no metric {quoted(wanted)} among {choices}")
    raise ValueError(f"{len(fits)} metrics: {choices}; pass metric={fits[0]!r}")


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


JOINS = ("auto", "id", "content", "order")
_MAX_LISTED = 2  # cases in a message


def joined(logs: Logs, records: Frame, join: str = "auto") -> tuple[np.ndarray, str]:
    """The item of each record of one task, and by what it was found.

    Parameters
    ----------
    logs : Logs
    records : pandas.DataFrame
        Of one task and metric.
    join : {"auto", "id", "content", "order"}, default "auto"
        By ids, where all logs have those of the data set; else by content, where all logs have
        that. By order only when asked.

    Raises
    ------
    ValueError
        If ids and contents disagree, or there is nothing to join by.
    """
    if join not in JOINS:
        raise ValueError(f"join is {join!r}; give one of {', '.join(JOINS)}")
    if join == "auto":
        join = _best(logs, records)
    if join == "id":
        return records["item"].astype(str).to_numpy(object), join
    return (_by_content if join == "content" else _by_order)(records), join


def conflicting_contents(records: Frame) -> dict[str, dict[bytes, str]]:
    """Find items whose id has several contents; return the beginning of each content."""
    pairs = records[records["item_hash"].notna()].drop_duplicates(["item", "item_hash"])
    twice = pairs[pairs.duplicated("item", keep=False)]
    contents: dict[str, dict[bytes, str]] = {}
    for item, digest, text, system in zip(
        *(twice[k].tolist() for k in ("item", "item_hash", "text", "system")), strict=True
    ):
        contents.setdefault(str(item), {})[digest] = f"{quoted(text)} in {system}"
    return contents


def _best(logs: Logs, records: Frame) -> str:
    runs: Frame = logs.runs.loc[records["run"].unique()]
    hashed = bool(records["item_hash"].notna().all())
    if bool(runs["own_ids"].all()):
        _refuse_other_contents(records)
        _refuse_other_ids(records)
        return "id"
    if hashed:
        return "content"
    lacking = runs.loc[~runs["own_ids"], "system"].astype(str).tolist()
    reason = f"the logs of {lacking[0]} number their items by place and do not hold what was asked"
    if runs["tool"].nunique() > 1:
        reason = f"logs of several tools are joined by id, and those of {lacking[0]} number theirs"
        reason += " by place"
    right = 'pass join="id" to trust the numbers, or join="order"'
    raise ValueError(f"{reason}, so nothing says which belong together; {right}")


def _refuse_other_contents(records: Frame) -> None:
    if not (contents := conflicting_contents(records)):
        return
    few = [(x, list(contents[x].values())[:_MAX_LISTED]) for x in list(contents)[:_MAX_LISTED]]
    cases = "; ".join(f"{quoted(item)} is {' and '.join(texts)}" for item, texts in few)
    ids = counted(records["item"].nunique(), "id")
    right = 'pass join="content" to join by what was asked, or join="id" to trust the ids'
    raise ValueError(f"{len(contents)} of {ids} have different content: {cases}; {right}")


def _refuse_other_ids(records: Frame) -> None:
    """Refuse ids without a common item if the contents have one."""
    if not records["item_hash"].notna().all():
        return
    run, item, digest = (pd.factorize(records[k])[0] for k in ("run", "item", "item_hash"))
    groups = np.split(np.argsort(run, kind="stable"), np.cumsum(np.bincount(run))[:-1])
    # most logs hold the same, which is looked at once
    sets = [(frozenset(item[g].tolist()), frozenset(digest[g].tolist())) for g in groups]
    for k, (ids, digests) in enumerate(sets := list(dict.fromkeys(sets))):
        for other_ids, other_digests in sets[:k]:
            if ids.isdisjoint(other_ids) and digests & other_digests:
                raise ValueError(
                    f"two logs have no id in common, but {len(digests & other_digests)} of "
                    f'{len(digests)} contents; pass join="content" to join by what was asked'
                )


def _by_content(records: Frame) -> np.ndarray:
    """Key records by content; repeated content of a run gets an occurrence number."""
    if records["item_hash"].isna().any():
        run = records.loc[records["item_hash"].isna(), "system"].astype(str).iloc[0]
        raise ValueError(f'the log of {run} does not hold what was asked; pass join="id"')
    run, item, digest = (
        pd.factorize(records[k])[0].astype(np.int64) for k in ("run", "item", "item_hash")
    )
    sample, first = numbered(run, item, digest)
    keys = run[first], digest[first]
    occurrence = np.zeros(len(first), np.int64)
    if len(numbered(*keys)[1]) < len(first):
        samples = records.iloc[first]
        alike = samples.groupby(["run", "item_hash"], observed=True, sort=False)
        _refuse_uneven(samples, alike.size())
        occurrence = alike.cumcount().to_numpy()
    content, named = numbered(keys[1], occurrence)
    return _distinct_names(records["item"].iloc[first[named]].tolist())[content][sample]


def numbered(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of whole numbers by number, the same where all columns are, and the first of each."""
    key = columns[0]
    for column in columns[1:]:
        key = pd.factorize(key)[0].astype(np.int64) * (int(column.max(initial=0)) + 1) + column
    number = pd.factorize(key)[0]
    return number, np.unique(number, return_index=True)[1]


def _refuse_uneven(samples: Frame, copies: Frame) -> None:
    """Refuse contents that occur a different number of times in different logs."""
    if copies.min() == copies.max():  # once each, as most are
        return
    extremes = copies.groupby(level="item_hash").agg(["min", "max"])
    extremes = extremes[extremes["min"] != extremes["max"]]
    if not len(extremes):
        return
    text = samples.loc[samples["item_hash"] == extremes.index[0], "text"].iloc[0]
    low, high = extremes.iloc[0]
    items = f"{counted(len(extremes), 'item')} occur a different number of times in different logs"
    right = 'pass join="id" if the ids can be trusted'
    raise ValueError(f"{items} ({quoted(text)}: {low} and {high} times); {right}")


def _distinct_names(items: Sequence[str]) -> np.ndarray:
    """Name items uniquely; several contents may have the same id."""
    names, used = list(items), set[str]()
    if len(set(names)) < len(names):
        for k, name in enumerate(names):
            while name in used:
                name += "'"
            used.add(name)
            names[k] = name
    return np.array(names, object)


def _by_order(records: Frame) -> np.ndarray:
    keys = np.empty(len(records), object)
    lengths = {}
    for (run, _), group in records.groupby(["run", "epoch"], observed=True, sort=False):
        positions = records.index.get_indexer(group.sort_values(["file", "row"]).index)
        keys[positions] = [str(k) for k in range(1, len(positions) + 1)]
        lengths[run] = len(positions)
    if len(set(lengths.values())) > 1:
        texts: Sequence[str] = [str(n) for n in lengths.values()]
        raise ValueError(f"by order all logs must be equally long; these have {', '.join(texts)}")
    return keys


POLICIES = ("missing", "raw", "worst")
STATUS = "status"
_FILES = 8  # that are named
_DISTINCT, _COPIES = 0.5, 5  # of the items at most, and what they repeat at least, in trials


def pivot_scores(
    logs: Logs,
    *,
    task: str | Sequence[str] | None = None,
    metric: str | None = None,
    filter: str | None = None,
    epoch: int | None = None,
    join: str = "auto",
    errors: str = "missing",
    unscored: str = "missing",
    higher_is_better: bool | None = None,
) -> xr.DataArray:
    """Scores of logs by one metric.

    Parameters
    ----------
    logs : Logs
    task, metric, filter, epoch
        See `chosen_records`.
    join : {"auto", "id", "content", "order"}, default "auto"
        See `joining.joined`.
    errors, unscored : {"missing", "raw", "worst"}, default "missing"
        What a sample counts as that ended in an error, or that the scorer did not score: missing,
        the number that the tool wrote, or the worst score.
    higher_is_better : bool, optional
        As the log says when not given, else True.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        NaN where missing, with coordinates ``status`` (item, system; int8, its
        ``flag_meanings`` in its attrs), and on item ``dataset`` where there are several tasks,
        ``epoch`` where an item was run several times, ``cluster`` where known. ``attrs`` has
        ``reading``, ``source``, ``metric``, ``tool`` and the policies.

    Raises
    ------
    ValueError
        If a choice is missing or unknown, items cannot be joined, or there are fewer than two
        systems.
    """
    policies = {"errors": errors, "unscored": unscored}
    for choice, value in policies.items():
        checks.one_of(value, POLICIES, choice)
    records, messages = chosen_records(logs, task=task, metric=metric, filter=filter, epoch=epoch)
    name = str(records["metric"].iloc[0])
    better = direction(logs, records, name, higher_is_better)
    systems = _systems(logs, records, task)
    _refuse_separate_tasks(records)
    _warn_of_copies(records)
    _warn_unscored_systems(name, epoch, systems, with_values(logs.records, "task", task))
    squares = [_square(logs, group, join, systems) for _, group in _by_task(records)]
    scores, filled = _under(_stacked(squares, systems), squares, policies, better)
    tool = ", ".join(dict.fromkeys(_run_values(logs, records, "tool")))
    options = policies | {"metric": name, "tool": tool, "by": squares[0].by}
    signed = Signature(
        layout="logs",
        unit="item",
        source=_source(logs, records),
        reading=_reading(logs, records, scores, options, [*messages, *filled]),
        higher_is_better=better,
        metric=name,
        tool=tool,
        errors=errors,
        unscored=unscored,
    )
    return scores.assign_attrs(signed.to_attrs() | {"n_missing": int(scores.isnull().sum())})


@dataclass(frozen=True)
class Square:
    """Of one task: scores, what was written, and status, over (unit, system)."""

    task: str
    ids: list[str]
    epochs: np.ndarray
    clusters: np.ndarray | None
    score: np.ndarray
    raw: np.ndarray
    status: np.ndarray
    by: str


def _by_task(records: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    groups = records.groupby("task", observed=True, sort=False)
    return [(str(task), group) for task, group in groups]


def _systems(logs: Logs, records: pd.DataFrame, task: str | Sequence[str] | None) -> list[str]:
    """The systems of the records, and those of logs without any sample."""
    runs, tasks = logs.runs, [task] if isinstance(task, str) else task
    no_sample = ~runs.index.isin(logs.records["run"].unique())
    if tasks is not None:
        no_sample &= runs["task"].isin(tasks)
    present = {*records["system"].unique(), *runs["system"][no_sample]}
    systems = [s for s in dict.fromkeys(runs["system"].astype(str)) if s in present]
    if checks.too_few(systems):
        only = f"only one system, {systems[0]!r}"
        raise ValueError(f"{only}; a comparison needs at least two: give the logs of two systems")
    return systems


def _refuse_separate_tasks(records: pd.DataFrame) -> None:
    """Refuse several tasks of which none was run by two systems."""
    by_task = _by_task(records)
    systems_by_task = {task: list(dict.fromkeys(group["system"])) for task, group in by_task}
    if len(systems_by_task) < 2 or max(map(len, systems_by_task.values())) > 1:
        return
    ran = [f"{quoted(s)} ran {quoted(task)}" for task, (s, *_) in systems_by_task.items()]
    digests = [set(group["item_hash"].dropna()) for _, group in by_task]
    same = len(digests[0] & digests[1])
    hint = f"; {same} of {len(digests[0])} questions are the same, so it may be one under two names"
    right = "give the logs of one task, under one name"
    raise ValueError(
        f"no task was run by two systems: {', '.join(ran)}{hint if same else ''}; {right}"
    )


def _warn_unscored_systems(
    metric: str, epoch: int | None, systems: Sequence[str], records: Frame
) -> None:
    """Warn of systems in the records that the metric, or the epoch, leaves out."""
    others = records[~records["system"].isin(systems)]
    if len(others):
        lacking, metrics = (listed(_names(others[key])) for key in ("system", "metric"))
        reason = (
            f"by {metric}, but by {metrics}" if epoch is None else f"by {metric} in run {epoch}"
        )
        checks.warn(f"{lacking} left out of the comparison: no score {reason}")


def _warn_of_copies(records: pd.DataFrame) -> None:
    """Warn of trials that count as items: contents of one system that have several ids."""
    if records["cluster"].notna().any() or records["item_hash"].isna().any():
        return
    first = records[records["system"] == records["system"].iloc[0]]
    items, contents = (len(first[["task", key]].drop_duplicates()) for key in ("item", "item_hash"))
    if contents <= _DISTINCT * items and items - contents >= _COPIES:
        checks.warn(
            f"{items} items have {contents} distinct contents, and each counts as independent; "
            "pass cluster='content' so that items of one content count as one cluster"
        )


def _square(logs: Logs, records: pd.DataFrame, join: str, systems: list[str]) -> Square:
    named = bool(logs.runs["own_ids"].loc[records["run"].unique()].all())
    if join == "content" or (join == "auto" and not named):
        # samples that were to be run and were not have no content
        never_run = (records["status"] == MISSING) & records["item_hash"].isna()
        records = records[~never_run] if never_run.any() else records
    keys, by = joined(logs, records, join)
    epoch = records["epoch"].to_numpy()
    # the unit of each record, an item in an epoch, and the first record of each unit
    unit, first = numbered(pd.factorize(keys)[0], epoch)
    sizes = {"items": len(first), "systems": len(systems)}
    refuse_large("the logs", most_cells(len(records)), **sizes)
    shape = (len(first), len(systems))
    cells = (unit, pd.Index(systems).get_indexer(pd.Index(records["system"])))
    score, raw = np.full(shape, np.nan), np.full(shape, np.nan)
    status = np.full(shape, STATUSES.index(MISSING), np.int8)
    score[cells], raw[cells] = records["score"], records["raw"]
    status[cells] = records["status"].cat.codes
    return Square(
        str(records["task"].iloc[0]),
        [str(key) for key in keys[first]],
        epoch[first],
        _clusters(records, unit, len(first)),
        score,
        raw,
        status,
        by,
    )


def _clusters(records: pd.DataFrame, unit: np.ndarray, number: int) -> np.ndarray | None:
    """Return the cluster of each unit; None if no log has clusters."""
    codes = records["cluster"].cat.codes.to_numpy()
    if (codes < 0).all():
        return None
    first = np.full(number, -1)
    clustered = codes >= 0
    first[unit[clustered][::-1]] = codes[clustered][::-1]
    differs = clustered & (first[unit] != codes)
    if differs.any():
        item = records["item"].astype(str).iloc[int(differs.argmax())]
        raise ValueError(f"item {item!r} is in two clusters in different logs; give it one")
    labels = records["cluster"].cat.categories.astype(str).to_numpy(object)
    return np.array([labels[k] if k >= 0 else "" for k in first], object)


def _stacked(squares: Sequence[Square], systems: list[str]) -> xr.DataArray:
    """Scores of all tasks, one after the other, of the systems that have any."""
    coords: dict[str, np.ndarray] = {}
    if len(squares) > 1:
        tasks = [square.task for square in squares]
        coords["dataset"] = np.repeat(tasks, [len(square.ids) for square in squares])
    clusters = [square.clusters for square in squares if square.clusters is not None]
    if len(clusters) == len(squares):
        coords["cluster"] = text_array(np.concatenate(clusters).tolist())
    epochs = np.concatenate([square.epochs for square in squares])
    if (epochs != 1).any():
        coords["epoch"] = epochs.astype(np.int64)
    ids = [item for square in squares for item in square.ids]
    return scores_array(np.concatenate([square.score for square in squares]), ids, systems, coords)


def _under(
    scores: xr.DataArray, squares: Sequence[Square], policies: Mapping[str, str], better: bool
) -> tuple[xr.DataArray, list[str]]:
    """Apply the policies for errors and unscored cells; attach the status."""
    status = np.concatenate([square.status for square in squares])
    raw = np.concatenate([square.raw for square in squares])
    values, messages = scores.values.copy(), []
    for kind, policy in ((ERROR, policies["errors"]), (UNSCORED, policies["unscored"])):
        cells = status == STATUSES.index(kind)
        if policy == "raw":
            values[cells] = raw[cells]
        if policy == "worst":
            values[cells] = worst = _worst(scores.values, better)
            number = counted(int(cells.sum()), "cell")
            messages.append(f"{number} of status {kind} taken as {worst:g}")
    flags = {"flag_values": np.arange(len(STATUSES)), "flag_meanings": " ".join(STATUSES)}
    return scores.copy(data=values).assign_coords({STATUS: (scores.dims, status, flags)}), messages


def _worst(values: np.ndarray, better: bool) -> float:
    """The worst end of a share, else the worst score there is."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        return 0.0 if better else 1.0
    return low if better else high


def direction(logs: Logs, records: pd.DataFrame, metric: str, requested: bool | None) -> bool:
    """Return whether higher is better: as the logs state, else as requested, else by the name."""
    by_run: list[dict[str, bool]] = _run_values(logs, records, "higher_is_better")
    stated = {higher[metric] for higher in by_run if metric in higher}
    if len(stated) > 1:
        reason = f"higher {metric} is better in some of the logs and worse in others"
        raise ValueError(f"{reason}; name one task")
    if not stated and requested is None:
        refuse_unknown_direction(_source(logs, records), [metric], records["score"].to_numpy(float))
    if stated and requested not in (None, *stated):
        words = "higher is better" if stated == {True} else "lower is better"
        raise ValueError(f"higher_is_better={requested} contradicts the logs: of {metric} {words}")
    return stated.pop() if stated else requested is not False


def direction_by_name(logs: Logs, metric: str) -> bool | None:
    """False for a metric of errors by its name, of which no tool states the direction."""
    stated = any(metric in higher for higher in logs.runs["higher_is_better"])
    return False if less_is_better([metric]) and not stated else None


def _run_values(logs: Logs, records: pd.DataFrame, column: str) -> list[Any]:
    """Return a column of the runs table for the runs with records."""
    return logs.runs[column].loc[np.unique(records["run"].to_numpy())].tolist()


def _source(logs: Logs, records: pd.DataFrame) -> str:
    files = [name for all_ in _run_values(logs, records, "files") for name in all_]
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    return ", ".join(files[:_FILES]) + more


def _reading(
    logs: Logs,
    records: pd.DataFrame,
    scores: xr.DataArray,
    options: Mapping[str, Any],
    messages: list[str],
) -> str:
    """Summarize in one line what was read."""
    runs = counted(len(_run_values(logs, records, "tool")), "log")
    keys = [scores[k].values.tolist() for k in ("dataset", names.ITEM) if k in scores.coords]
    items = len(set(zip(*keys, strict=True)))
    size = f"{counted(items, 'item')} x {named_systems(scores[names.SYSTEM].values.tolist())}"
    if "epoch" in scores.coords:
        epochs = set(scores["epoch"].values.tolist())
        several = f"up to {counted(len(epochs), 'run')}"
        size += f", {several if len(epochs) > 1 else f'run {max(epochs)}'} of each"
    tasks = [str(task) for task, _ in _by_task(records) if task]
    task = f", task {listed(tasks)}" if tasks else ""
    missing = ", ".join(_lacking(scores[STATUS].values, options))
    of_runs = _run_values(logs, records, "said")
    skipped = dict.fromkeys(text for notes in of_runs for code, text in notes if code == "skipped")
    parts = [f"metric {options['metric']}, joined by {options['by']}", missing, *messages, *skipped]
    return f"{runs} of {options['tool']}{task} read: {size}, {'; '.join(p for p in parts if p)}"


def _lacking(status: np.ndarray, options: Mapping[str, Any]) -> list[str]:
    """Count the cells of each other status, and say how they are treated."""
    parts = []
    policy_by_kind = {ERROR: options["errors"], UNSCORED: options["unscored"]}
    for kind in STATUSES:
        number = int((status == STATUSES.index(kind)).sum())
        if kind != OK and number:
            policy = policy_by_kind.get(kind, "missing")
            treatment = f" (taken as {policy})" if policy != "missing" else ""
            parts.append(f"{counted(number, 'cell')} {kind}{treatment}")
    return parts or ["all cells scored"]

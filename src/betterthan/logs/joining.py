"""Join records into items: by the ids of the data set, or by content."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from betterthan.io.problems import counted, shown
from betterthan.logs.record import Frame, Logs

JOINS = ("auto", "id", "content", "order")
_MAX_LISTED = 2  # cases in a message


@dataclass(frozen=True)
class Joined:
    """The item of each record, and how it was found."""

    key: np.ndarray  # str
    by: str


def joined(logs: Logs, records: Frame, join: str = "auto") -> Joined:
    """The item of each record of one task.

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
        return Joined(records["item"].astype(str).to_numpy(object), "id")
    if join == "content":
        return Joined(_by_content(records), "content")
    return Joined(_by_order(records), "order")


def conflicting_contents(records: Frame) -> dict[str, dict[bytes, str]]:
    """Find items whose id has several contents; return the beginning of each content."""
    hashed = records[records["item_hash"].notna()]
    pairs = hashed.drop_duplicates(["item", "item_hash"])
    twice = pairs[pairs.duplicated("item", keep=False)]
    contents: dict[str, dict[bytes, str]] = {}
    for item, digest, text, system in zip(
        *(twice[k].tolist() for k in ("item", "item_hash", "text", "system")), strict=True
    ):
        contents.setdefault(str(item), {})[digest] = f"{shown(text)} in {system}"
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
    raise ValueError(
        f"the logs of {lacking[0]} number their items by place and do not hold what was asked, so "
        'nothing says which belong together; say join="id" to trust the numbers, or join="order"'
    )


def _refuse_other_contents(records: Frame) -> None:
    contents = conflicting_contents(records)
    if not contents:
        return
    cases = "; ".join(
        f"{shown(item)} is {' and '.join(list(texts.values())[:_MAX_LISTED])}"
        for item, texts in list(contents.items())[:_MAX_LISTED]
    )
    number = records["item"].nunique()
    raise ValueError(
        f"{len(contents)} of {counted(number, 'id')} stand for different content: {cases}; say "
        'join="content" to join by what was asked, or join="id" to trust the ids'
    )


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
                    f"{len(digests)} contents; "
                    'say join="content" to join by what was asked'
                )


def _by_content(records: Frame) -> np.ndarray:
    """Key records by content; repeated content of a run gets an occurrence number."""
    if records["item_hash"].isna().any():
        run = records.loc[records["item_hash"].isna(), "system"].astype(str).iloc[0]
        raise ValueError(f'the log of {run} does not hold what was asked; say join="id"')
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
    return _names(records["item"].iloc[first[named]].tolist())[content][sample]


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
    raise ValueError(
        f"{counted(len(extremes), 'item')} stand a different number of times in different logs "
        f'({shown(text)}: {low} and {high} times); say join="id" if the ids can be trusted'
    )


def _names(items: Sequence[str]) -> np.ndarray:
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

"""Checks of items: scores and their means, ids and contents, and how well items discriminate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import (
    MAX_LISTED,
    NOTE,
    STOP,
    WARN,
    Finding,
    LogTables,
    are,
    both,
    fraction,
    some,
)
from betterthan.counts.counting import gaps_in
from betterthan.counts.units import EPOCH, has_sample, item_ids, several, sums_by_unit
from betterthan.exact.numeric.counting import observed_mean
from betterthan.io.texts import coded, text_array
from betterthan.logs.pivoting import conflicting_contents
from betterthan.logs.record import Frame

_PER_CENT = 5  # above this no score is a share
_COUNTED = 20  # up to this whole numbers may be counts
_MEANS = 3  # listed one by one


def present(scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ids of items, and which the log of each system has, scored or not: (item, system)."""
    items = coded(item_ids(scores).tolist())
    number, _ = sums_by_unit(has_sample(scores).astype(float), items.codes, len(items.distinct))
    return text_array(items.distinct), number > 0


def scored(scores: Any) -> np.ndarray:
    """How many runs of an item each system has scored, (item, system)."""
    return _of_runs(scores)[1].astype(int)


def _of_runs(scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """The sum and the number of the scored runs of each item, (item, system)."""
    items = coded(item_ids(scores).tolist())
    return sums_by_unit(scores.values.astype(float), items.codes, len(items.distinct))


def _systems(scores: Any) -> list[str]:
    return scores[names.SYSTEM].values.astype(str).tolist()


def unmatched(scores: xr.DataArray) -> Iterator[Finding]:
    """Find items that some systems lack."""
    (ids, has_item), systems = present(scores), np.array(_systems(scores))
    lacking = ~has_item.all(axis=1)
    if not lacking.any():
        return
    items: dict[str, list[str]] = {}
    for item, has in zip(ids[lacking].tolist(), has_item[lacking], strict=True):
        items.setdefault(_who(systems, has), []).append(item)
    cases = [
        f"{'item' if len(ids_of_case) == 1 else 'items'} {some(ids_of_case)} {who}"
        for who, ids_of_case in items.items()
    ]
    n, total = int(lacking.sum()), len(ids)
    more = f" and {len(cases) - MAX_LISTED} more groups" if len(cases) > MAX_LISTED else ""
    message = (
        f"{fraction(n, total, 'item')} {are(n, 'lacks', 'lack')} a score of some system: "
        f"{'; '.join(cases[:MAX_LISTED])}{more}"
    )
    affected, where = tuple(systems[~has_item.all(axis=0)].tolist()), some(ids[lacking].tolist())
    yield Finding("unmatched", message, WARN, affected, n=n, of=total, where=where)


def _who(systems: np.ndarray, has: np.ndarray) -> str:
    """Who has an item, or lacks it, whichever is shorter to say."""
    have, lack = systems[has].tolist(), systems[~has].tolist()
    few_have = 0 < len(have) <= len(lack)
    return f"only in {both(have)}" if few_have else f"missing in {both(lack)}"


def disjoint(scores: xr.DataArray) -> Iterator[Finding]:
    """Find pairs of systems without a common item, and systems without any."""
    (items, has_item), systems = present(scores), _systems(scores)
    for k in np.flatnonzero(~has_item.any(0)).tolist():
        yield Finding("no score", f"{systems[k]} has no score", STOP, (systems[k],), of=len(items))
    shared = has_item.T.astype(float) @ has_item
    for i, j in np.argwhere(np.triu(shared == 0, 1)).tolist():
        ids, other_ids = (items[has_item[:, k]].tolist() for k in (i, j))
        if not ids or not other_ids:
            continue
        hint = _matching_hint(ids, other_ids)
        message = f"{systems[i]} and {systems[j]} have no item in common{hint}"
        yield Finding("disjoint", message, STOP, (systems[i], systems[j]), of=len(has_item))


def _matching_hint(ids: list[str], other_ids: list[str]) -> str:
    """Suggest by which change two sets of ids would match."""
    if " / " in ids[0]:  # of several data sets: what stands before it is one of these
        return f" ({ids[0]!r}, {other_ids[0]!r})"
    tails = ([{x.rpartition(sep)[2] for x in k} for k in (ids, other_ids)] for sep in "-_/")
    tail = [first & second for first, second in tails]
    ways = {
        "you ignore case and blanks": {x.strip().casefold() for x in ids}
        & {x.strip().casefold() for x in other_ids},
        "you ignore the part before the last - or _ or /": set().union(*tail),
        "you ignore leading zeros": {x.lstrip("0") for x in ids}
        & {x.lstrip("0") for x in other_ids},
    }
    for way, common in ways.items():
        if len(common) * 2 >= min(len(ids), len(other_ids)):
            return f"; ids match if {way} ({ids[0]!r}, {other_ids[0]!r})"
    return f" ({ids[0]!r}, {other_ids[0]!r})"


def denominators(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems whose means are over different items."""
    has = scored(scores) > 0
    shared = has.all(axis=1)
    if (has == shared[:, None]).all():
        return
    values = item_means(scores)
    (means, common_means), n = map(observed_mean, (values, values[shared])), int(shared.sum())
    message = _means_text(has.sum(axis=0), means, common_means, n)
    if n and _rank_agreement(means, common_means)[0]:
        message += "; the ranking changes"
    yield Finding("denominators", message, WARN, tuple(_systems(scores)), n=n, of=len(has))


def _scores_text(means: np.ndarray) -> list[str]:
    return ["none" if np.isnan(mean) else f"{mean:.3f}" for mean in means.tolist()]


def _means_text(sizes: np.ndarray, means: np.ndarray, common_means: np.ndarray, n: int) -> str:
    """Report the number of items of each mean, and the means over shared items."""
    text = "means are over different items:"
    if len(sizes) > _MEANS:
        return f"{text} {sizes.min()} to {sizes.max()} per system, {n} shared"
    shared = f"; {both(_scores_text(common_means))} on the {n} shared items" if n else ""
    return f"{text} {both(_scores_text(means))} on {both([*sizes])} items{shared}"


def item_means(scores: xr.DataArray) -> np.ndarray:
    """The mean of the scored runs of each item, (item, system)."""
    sums, number = _of_runs(scores)
    return np.where(number > 0, sums / np.maximum(number, 1), np.nan)


def repeats(scores: xr.DataArray) -> Iterator[Finding]:
    """Find items that were run several times."""
    if not several(scores, EPOCH):
        return
    items, number = coded(item_ids(scores).tolist()), scored(scores)
    lacks = sums_by_unit(gaps_in(scores).astype(float), items.codes, len(items.distinct))[0]
    planned = number + lacks.astype(int)
    per = sorted(set(planned[planned > 0].tolist()))
    sums, cells = number.sum(axis=0), int(planned.sum(axis=0).max())
    low, high = int(sums.min()), int(sums.max())
    runs = f"{per[0]}" if len(per) == 1 else f"{per[0]} to {per[-1]}"
    some_scored = f"{low}" if low == high else f"{low}-{high}"
    message = (
        f"{runs} runs per item, {some_scored} of {cells} scored; the sample size is {len(number)} "
        f"items, not {cells}"
    )
    level = NOTE if len(set(number.ravel().tolist())) == 1 else WARN
    yield Finding("repeats", message, level, n=len(number), of=cells)


def ranges(scores: xr.DataArray) -> Iterator[Finding]:
    """Find scores that run to 1 in some systems and to 100 in others."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    if np.isnan(values).all():
        return
    most = np.where(np.isnan(values), -np.inf, values).max(0)
    least, largest = float(np.nanmin(values)), float(most.max())
    share = str(systems[np.where(most >= 0, most, np.inf).argmin()])
    lowest, large = float(most[most >= 0].min(initial=np.inf)), str(systems[most.argmax()])
    counted = largest <= _COUNTED and not (values[~np.isnan(values)] % 1).any()
    if least >= 0 and lowest <= 1 and largest > _PER_CENT and not counted:
        message = (
            f"the highest score of {large} is {largest:g}, of {share} {lowest:g}: are some scores "
            "percentages?"
        )
        yield Finding("range", message, WARN, (share, large), of=len(systems))
    elif least < 0 or largest > 1:
        message = f"scores are between {least:g} and {largest:g}, not between 0 and 1"
        yield Finding("range", message, NOTE, of=len(systems))


_CLUSTER = "; pass cluster='content' to treat them as one cluster"


def other_contents(logs: LogTables) -> Iterator[Finding]:
    """Find ids with different contents; positions in a list are not checked."""
    runs = logs.runs.index[logs.runs["own_ids"]]
    for task, records in _by_task(logs.records[logs.records["run"].isin(runs)]):
        contents = conflicting_contents(records)
        if not contents:
            continue
        total = records["item"].nunique()
        cases = [f"{item} is {both(list(texts.values())[:2])}" for item, texts in contents.items()]
        message = (
            f"{fraction(len(contents), total, 'id')} {are(len(contents), 'has', 'have')} different "
            f"content: {'; '.join(cases[:2])}; pass join='content' to match items by content"
        )
        where = some([*contents])
        yield Finding("content", message, task=task, n=len(contents), of=total, where=where)


def renamed(logs: LogTables) -> Iterator[Finding]:
    """Find contents that have other ids in other systems."""
    runs = logs.runs.index[logs.runs["own_ids"]]
    for task, records in _by_task(logs.records[logs.records["run"].isin(runs)]):
        pairs = records.drop_duplicates(["item", "item_hash"])
        several = pairs.loc[pairs.duplicated("item_hash"), "item_hash"]
        ids = _ids_by_content(records[records["item_hash"].isin(several)])
        other = [by_system for by_system in ids.values() if len(set(by_system.values())) > 1]
        if not other:
            continue
        n, total = len(other), int(pairs["item_hash"].nunique())
        case = both([f"{some(sorted(v))} in {k}" for k, v in list(other[0].items())[:2]])
        message = (
            f"{fraction(n, total, 'item')} {are(n, 'has', 'have')} different ids in different "
            f"systems: {case}"
        )
        yield Finding("renamed", message, task=task, n=n, of=total)


def _ids_by_content(pairs: Frame) -> dict[bytes, dict[str, frozenset[str]]]:
    """Map each content to the ids that each system has for it."""
    ids_by_content: dict[bytes, dict[str, set[str]]] = {}
    columns = (pairs[k].tolist() for k in ("item_hash", "system", "item"))
    for digest, system, item in zip(*columns, strict=True):
        ids_by_content.setdefault(digest, {}).setdefault(str(system), set()).add(str(item))
    return {
        digest: {system: frozenset(ids) for system, ids in ids_by_system.items()}
        for digest, ids_by_system in ids_by_content.items()
    }


def doubled(logs: LogTables) -> Iterator[Finding]:
    """Find items of one system that have the same content."""
    for task, records in _by_task(logs.records):
        pairs = records.drop_duplicates(["system", "item", "item_hash"])
        twice = pairs[pairs.duplicated(["system", "item_hash"], keep=False)]
        if twice.empty:
            continue
        system = str(twice["system"].iloc[0])
        repeated = twice[twice["system"] == system]
        by_content = repeated.groupby("item_hash", sort=False)["item"]
        groups = [sorted(items.astype(str)) for _, items in by_content]
        items = pairs[pairs["system"] == system]
        distinct = int(items["item_hash"].nunique())
        systems = tuple(dict.fromkeys(twice["system"].astype(str)))
        same = [f"items {both(group)} have the same content" for group in groups[:2]]
        message = f"{'; '.join(same)}; {distinct} distinct of {len(items)} items"
        message += _CLUSTER if records["cluster"].isna().all() else ""
        where = some(["=".join(group) for group in groups])
        n = len(items) - distinct
        yield Finding("double", message, "", systems, task, "", n, len(items), where)


def places(logs: LogTables) -> Iterator[Finding]:
    """Find logs whose ids are positions in a list; their items are joined by content."""
    runs = logs.runs[~logs.runs["own_ids"]]
    if len(runs):
        hashed = logs.records[logs.records["run"].isin(runs.index)]["item_hash"].notna().all()
        by = "items are matched by content" if hashed else "the logs contain no content of items"
        systems = tuple(dict.fromkeys(runs["system"]))
        message = f"ids of {runs['tool'].iloc[0]} are positions or random; {by}"
        yield Finding("ids", message, NOTE, systems, n=len(runs), of=len(logs.runs))


def _by_task(records: Frame) -> Iterator[tuple[str, Frame]]:
    """Group the records that have a content hash by task."""
    hashed = records[records["item_hash"].notna()]
    for task, group in hashed.groupby("task", observed=True, sort=False):
        yield str(task), group


_HALF = 0.5  # share of the items from which a ceiling or floor is reported
_TWINS, _NEARLY, _MANY = 10, 0.99, 100
_DRIFT, _LEVEL, _SHUFFLES, _LEAST = 0.3, 0.01, 1_999, 20


def constants(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems with one score throughout."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    alike: dict[float, list[str]] = {}
    for system, column in zip(systems, values.T, strict=True):
        observed = column[~np.isnan(column)]
        if len(observed) > 1 and (observed == observed[0]).all():
            alike.setdefault(float(observed[0]), []).append(str(system))
    for value, constant_systems in alike.items():
        n = int((~np.isnan(values)).sum()) if len(constant_systems) == len(systems) else 0
        which = f"all {n} scores" if n else f"all scores of {some(constant_systems)}"
        about: dict[str, Any] = {"n": len(constant_systems), "of": len(systems)}
        yield Finding("constant", f"{which} are {value:g}", NOTE, tuple(constant_systems), **about)


def ceiling_and_floor(scores: xr.DataArray) -> Iterator[Finding]:
    """Find items on which all systems have the best or the worst possible score."""
    values = item_means(scores)
    complete = values[~np.isnan(values).any(1)]
    if len(complete) < 2:
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    better = scores.attrs.get("higher_is_better", True)
    extremes = {"ceiling": high if better else low, "floor": low if better else high}
    for code, extreme in extremes.items():
        n = int((complete == extreme).all(1).sum())
        if n >= _HALF * len(complete):
            items = fraction(n, len(complete), "shared item")
            message = f"all systems have the score {extreme:g} on {items}"
            yield Finding(code, message, NOTE, n=n, of=len(complete))


def dead(scores: xr.DataArray) -> Iterator[Finding]:
    """Items on which all systems have the same score."""
    values = item_means(scores)
    complete = values[~np.isnan(values).any(1)]
    n = int((complete == complete[:, :1]).all(1).sum())
    if n:
        items = fraction(n, len(complete), "shared item")
        message = f"all systems have equal scores on {items} (non-discriminating items)"
        yield Finding("dead", message, NOTE, n=n, of=len(complete))


def twins(scores: xr.DataArray) -> Iterator[Finding]:
    """Find pairs of systems whose scores are identical."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str).tolist()
    observed = (~np.isnan(values)).astype(float)
    same = np.stack([(column[:, None] == values).sum(0) for column in values.T])
    n = observed.T @ observed
    varied = np.array([len(set(c[~np.isnan(c)].tolist())) > 1 for c in values.T])
    alike = ((same == n) & (n >= _TWINS)) | ((same > _NEARLY * n) & (n >= _MANY))
    for i, j in np.argwhere(np.triu(alike & varied & varied[:, None], 1)).tolist():
        a, b, k, total = systems[i], systems[j], int(same[i, j]), int(n[i, j])
        message = f"{a} and {b} have the same score on {fraction(k, total, 'shared item')}"
        yield Finding("twins", message, NOTE, (a, b), n=k, of=total)


def drift(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems whose scores rise or fall along the file."""
    chance = np.random.default_rng(0)
    for k, system in enumerate(scores[names.SYSTEM].values.astype(str)):
        observed = scores.values[:, k].astype(float)
        observed = observed[~np.isnan(observed)]
        if len(observed) < _LEAST or not (slope := _slope(observed, chance)):
            continue
        first, second = observed[: len(observed) // 2].mean(), observed[len(observed) // 2 :].mean()
        along = "fall" if slope < 0 else "rise"
        message = (
            f"scores of {system} {along} along the file: mean {first:.2f} in the first half, "
            f"{second:.2f} in the second (errors, quota or sorted items?)"
        )
        yield Finding("order", message, NOTE, (str(system),), n=len(observed), of=len(scores))


def _slope(values: np.ndarray, chance: np.random.Generator) -> float:
    """Correlate scores with their position; 0 if a permutation test finds no trend."""
    position = np.arange(len(values)) - (len(values) - 1) / 2
    rho = float(np.corrcoef(position, values)[0, 1]) if values.std() > 0 else 0.0
    if abs(rho) <= _DRIFT:
        return 0.0
    shuffled = np.abs(chance.permuted(np.tile(values, (_SHUFFLES, 1)), axis=1) @ position)
    p = (1 + int((shuffled >= abs(values @ position) - 1e-9).sum())) / (_SHUFFLES + 1)
    return rho if p < _LEVEL else 0.0


def other_winner(by_metric: dict[str, xr.DataArray]) -> Iterator[Finding]:
    """Pairs of metrics that choose different winners, or turn other pairs of systems round."""
    means: dict[str, Frame] = {}
    for metric, scores in by_metric.items():
        sign = 1 if scores.attrs.get("higher_is_better", True) else -1
        systems = scores[names.SYSTEM].values
        means[metric] = pd.DataFrame(sign * item_means(scores), columns=systems).mean()
    for first, second in combinations(means, 2):
        both: Frame = pd.concat([means[first], means[second]], axis=1, join="inner").dropna()
        if len(both) > 1:
            both.columns = [first, second]
            yield from _metric_findings(both)


def _metric_findings(means: Frame) -> Iterator[Finding]:
    """Compare how two metrics, the columns of `means`, rank the systems."""
    first, second = means.columns
    discordant, pairs, tau = _rank_agreement(*means.to_numpy().T)
    opposite = f"{fraction(discordant, pairs, 'pair')} of systems {are(discordant, 'has', 'have')}"
    ranked = f"; {opposite} the opposite order, tau {tau:.2f}" if len(means) > 2 else ""
    a, b = (_best(means[metric]) for metric in (first, second))
    if a.isdisjoint(b):
        message = f"{first} and {second} have different best systems: {some(sorted(a))} by {first}"
        message += f", {some(sorted(b))} by {second}{ranked}"
        yield Finding("metrics", message, NOTE, (*sorted(a), *sorted(b)), n=discordant, of=pairs)
    elif discordant:
        message = f"{first} and {second} rank systems differently{ranked}"
        yield Finding("metrics", message, NOTE, n=discordant, of=pairs)


def _rank_agreement(a: np.ndarray, b: np.ndarray) -> tuple[int, int, float]:
    """Count discordant pairs of systems by two scores of each, and all pairs; compute Kendall's
    tau_b.
    """
    upper = np.triu_indices(len(a), 1)
    x, y = (np.sign(np.round(v[:, None] - v, 12))[upper] for v in (a, b))
    discordant = int((x * y < 0).sum())
    untied = np.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    tau = float((x * y).sum() / untied) if untied else np.nan
    return discordant, len(x), tau


def _best(means: Frame) -> set[str]:
    """Who has the largest mean."""
    return {str(s) for s in means.index[np.isclose(means, means.max())]}

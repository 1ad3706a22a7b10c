"""Checks of scores, item by item: who has which, and over how many its mean is."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import NOTE, SHOWN, STOP, WARN, Finding
from betterthan.auditing.told import are, both, of, some
from betterthan.counts.units import EPOCH, item_ids, several
from betterthan.logs.record import Frame

_PER_CENT = 5  # above this no score is a share
_MEANS = 3  # that are told one by one


def present(scores: xr.DataArray) -> Frame:
    """Whether an item stands in the log of a system, scored or not: a row for each item."""
    there = ~np.isnan(scores.values.astype(float))
    if "status" in scores.coords:
        meanings = scores["status"].attrs["flag_meanings"].split()
        there |= scores["status"].values != meanings.index("missing")
    return _by_item(scores, there)


def scored(scores: xr.DataArray) -> Frame:
    """How many runs of an item a system has scored: a row for each item."""
    return _by_item(scores, ~np.isnan(scores.values.astype(float)), "sum")


def _by_item(scores: xr.DataArray, values: np.ndarray, how: str = "max") -> Frame:
    systems = scores[names.SYSTEM].values.astype(str)
    frame = pd.DataFrame(values, index=item_ids(scores), columns=systems)
    if not frame.index.has_duplicates:
        return frame.astype(int) if how == "sum" else frame
    return frame.groupby(level=0, sort=False).agg(how)


def unmatched(scores: xr.DataArray) -> Iterator[Finding]:
    """Items that not every system has."""
    there = present(scores)
    lacking = there[~there.all(axis=1)]
    if lacking.empty:
        return
    cases = [
        f"{some(list(items))} {who}"
        for who, items in lacking.groupby(lacking.apply(_who, axis=1), sort=False).groups.items()
    ]
    n, whole = len(lacking), len(there)
    more = f" and {len(cases) - SHOWN} more groups" if len(cases) > SHOWN else ""
    said = f"{of(n, whole, 'item')} {are(n)} not in every system: {'; '.join(cases[:SHOWN])}{more}"
    systems = tuple(str(s) for s in there.columns[~there.all(axis=0)])
    yield Finding("unmatched", said, WARN, systems, n=n, of=whole, where=some([*lacking.index]))


def _who(row: Any) -> str:
    """Who has an item, or lacks it, whichever is shorter to say."""
    have, lack = [str(s) for s in row.index[row]], [str(s) for s in row.index[~row]]
    return f"only in {both(have)}" if len(have) <= len(lack) else f"not in {both(lack)}"


def disjoint(scores: xr.DataArray) -> Iterator[Finding]:
    """Pairs of systems without a common item."""
    there = present(scores).astype(float)
    shared = there.T.to_numpy() @ there.to_numpy()
    apart = np.argwhere(np.triu(shared == 0, 1))
    systems = [str(s) for s in there.columns]
    for i, j in apart.tolist():
        own, other = ([str(x) for x in there.index[there.iloc[:, k] > 0]] for k in (i, j))
        if not own or not other:
            continue
        said = f"{systems[i]} and {systems[j]} have no item in common{_alike(own, other)}"
        yield Finding("disjoint", said, STOP, (systems[i], systems[j]), of=len(there))


def _alike(own: list[str], other: list[str]) -> str:
    """By what two sets of ids would be alike, as advice."""
    if " / " in own[0]:  # of several data sets: what stands before it is one of these
        return f" ({own[0]!r}, {other[0]!r})"
    tail = [
        {x.rpartition(sep)[2] for x in own} & {x.rpartition(sep)[2] for x in other} for sep in "-_/"
    ]
    ways = {
        "case and blanks are left aside": {x.strip().casefold() for x in own}
        & {x.strip().casefold() for x in other},
        "what stands before the last - or _ or / is left aside": set().union(*tail),
        "leading zeros are left aside": {x.lstrip("0") for x in own}
        & {x.lstrip("0") for x in other},
    }
    for way, common in ways.items():
        if len(common) * 2 >= min(len(own), len(other)):
            return f"; ids look alike where {way} ({own[0]!r}, {other[0]!r})"
    return f" ({own[0]!r}, {other[0]!r})"


def denominators(scores: xr.DataArray) -> Iterator[Finding]:
    """Means of systems that are over other items than those of others."""
    number = scored(scores)
    has = number > 0
    shared = has.all(axis=1)
    if has.eq(shared, axis=0).all(axis=None):
        return
    values = pd.DataFrame(item_means(scores), index=has.index, columns=has.columns)
    own, common, n = values.mean(), values[shared].mean(), int(shared.sum())
    said = _of_means(has.sum(), own, common, n)
    if n and _turned(own.to_numpy(), common.to_numpy()):
        said += "; systems change places"
    systems = tuple(str(s) for s in has.columns)
    yield Finding("denominators", said, WARN, systems, n=n, of=len(has))


def _of_means(sizes: Frame, own: Frame, common: Frame, n: int) -> str:
    """Over how many items each mean is, and what it is on those that all have."""
    if len(sizes) > _MEANS:
        return f"own means are over {sizes.min()} to {sizes.max()} items, {n} are shared"
    said = f"own means are {both([f'{x:.3f}' for x in own])} over {both([*sizes])} items"
    return said + (f"; on the shared {n}: {both([f'{x:.3f}' for x in common])}" if n else "")


def _turned(own: np.ndarray, common: np.ndarray) -> bool:
    """Whether two systems stand the other way round."""
    before, after = (np.sign(np.round(x[:, None] - x, 12)) for x in (own, common))
    return bool((before * after < 0).any())


def item_means(scores: xr.DataArray) -> np.ndarray:
    """The mean of the scored runs of each item, (item, system)."""
    values = scores.values.astype(float)
    frame: Frame = pd.DataFrame(values, index=item_ids(scores))
    if not frame.index.has_duplicates:
        return values
    return frame.groupby(level=0, sort=False).mean().to_numpy()


def repeats(scores: xr.DataArray) -> Iterator[Finding]:
    """Items that were run several times: their runs are no items."""
    if not several(scores, EPOCH):
        return
    number, rows = scored(scores), pd.Series(item_ids(scores)).value_counts(sort=False)
    per = sorted(set(rows.tolist()))
    sums, cells = number.sum(), int(rows.sum())
    low, high = int(sums.min()), int(sums.max())
    runs = f"{per[0]}" if len(per) == 1 else f"{per[0]} to {per[-1]}"
    some_scored = f"{low}" if low == high else f"{low}-{high}"
    said = (
        f"{runs} runs an item, {some_scored} of {cells} scored; n is {len(rows)} items, not {cells}"
    )
    level = NOTE if len(set(number.to_numpy().ravel().tolist())) == 1 else WARN
    yield Finding("repeats", said, level, n=len(rows), of=cells)


def ranges(scores: xr.DataArray) -> Iterator[Finding]:
    """Scores of which some systems' run to 1 and others' to 100."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    if np.isnan(values).all():
        return
    most = np.where(np.isnan(values), -np.inf, values).max(0)
    least, largest = float(np.nanmin(values)), float(most.max())
    share = str(systems[np.where(most >= 0, most, np.inf).argmin()])
    lowest, large = float(most[most >= 0].min(initial=np.inf)), str(systems[most.argmax()])
    if least >= 0 and lowest <= 1 and largest > _PER_CENT:
        said = f"scores of {large} reach {largest:g}, of {share} {lowest:g}: per cent?"
        yield Finding("range", said, WARN, (share, large), of=len(systems))
    elif least < 0 or largest > 1:
        said = f"scores run from {least:g} to {largest:g}, not within 0 and 1"
        yield Finding("range", said, NOTE, of=len(systems))

"""Check scores item by item: which systems have each item, and over how many items each mean is."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import MAX_LISTED, NOTE, STOP, WARN, Finding
from betterthan.auditing.told import are, both, fraction, some
from betterthan.counts.units import EPOCH, item_ids, several
from betterthan.logs.record import Frame

_PER_CENT = 5  # above this no score is a share
_MEANS = 3  # that are told one by one


def present(scores: xr.DataArray) -> Frame:
    """Mark the items in the log of each system, scored or not: a row for each item."""
    has_item = ~np.isnan(scores.values.astype(float))
    if "status" in scores.coords:
        meanings = scores["status"].attrs["flag_meanings"].split()
        has_item |= scores["status"].values != meanings.index("missing")
    return _by_item(scores, has_item)


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
    """Find items that some systems lack."""
    has_item = present(scores)
    lacking = has_item[~has_item.all(axis=1)]
    if lacking.empty:
        return
    cases = [
        f"{some(list(items))} {who}"
        for who, items in lacking.groupby(lacking.apply(_who, axis=1), sort=False).groups.items()
    ]
    n, total = len(lacking), len(has_item)
    more = f" and {len(cases) - MAX_LISTED} more groups" if len(cases) > MAX_LISTED else ""
    message = (
        f"{fraction(n, total, 'item')} {are(n)} not in every system: "
        f"{'; '.join(cases[:MAX_LISTED])}{more}"
    )
    systems = tuple(str(s) for s in has_item.columns[~has_item.all(axis=0)])
    yield Finding("unmatched", message, WARN, systems, n=n, of=total, where=some([*lacking.index]))


def _who(row: Any) -> str:
    """Who has an item, or lacks it, whichever is shorter to say."""
    have, lack = [str(s) for s in row.index[row]], [str(s) for s in row.index[~row]]
    return f"only in {both(have)}" if len(have) <= len(lack) else f"not in {both(lack)}"


def disjoint(scores: xr.DataArray) -> Iterator[Finding]:
    """Find pairs of systems without a common item."""
    has_item = present(scores).astype(float)
    shared = has_item.T.to_numpy() @ has_item.to_numpy()
    disjoint_pairs = np.argwhere(np.triu(shared == 0, 1))
    systems = [str(s) for s in has_item.columns]
    for i, j in disjoint_pairs.tolist():
        ids, other_ids = ([str(x) for x in has_item.index[has_item.iloc[:, k] > 0]] for k in (i, j))
        if not ids or not other_ids:
            continue
        message = (
            f"{systems[i]} and {systems[j]} have no item in common{_matching_hint(ids, other_ids)}"
        )
        yield Finding("disjoint", message, STOP, (systems[i], systems[j]), of=len(has_item))


def _matching_hint(ids: list[str], other_ids: list[str]) -> str:
    """Suggest by which change two sets of ids would match."""
    if " / " in ids[0]:  # of several data sets: what stands before it is one of these
        return f" ({ids[0]!r}, {other_ids[0]!r})"
    tail = [
        {x.rpartition(sep)[2] for x in ids} & {x.rpartition(sep)[2] for x in other_ids}
        for sep in "-_/"
    ]
    ways = {
        "case and blanks are left aside": {x.strip().casefold() for x in ids}
        & {x.strip().casefold() for x in other_ids},
        "what stands before the last - or _ or / is left aside": set().union(*tail),
        "leading zeros are left aside": {x.lstrip("0") for x in ids}
        & {x.lstrip("0") for x in other_ids},
    }
    for way, common in ways.items():
        if len(common) * 2 >= min(len(ids), len(other_ids)):
            return f"; ids look alike where {way} ({ids[0]!r}, {other_ids[0]!r})"
    return f" ({ids[0]!r}, {other_ids[0]!r})"


def denominators(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems whose means are over different items."""
    number = scored(scores)
    has = number > 0
    shared = has.all(axis=1)
    if has.eq(shared, axis=0).all(axis=None):
        return
    values = pd.DataFrame(item_means(scores), index=has.index, columns=has.columns)
    means, common_means, n = values.mean(), values[shared].mean(), int(shared.sum())
    message = _means_text(has.sum(), means, common_means, n)
    if n and _order_changes(means.to_numpy(), common_means.to_numpy()):
        message += "; systems change places"
    systems = tuple(str(s) for s in has.columns)
    yield Finding("denominators", message, WARN, systems, n=n, of=len(has))


def _means_text(sizes: Frame, means: Frame, common_means: Frame, n: int) -> str:
    """Report the number of items of each mean, and the means over shared items."""
    if len(sizes) > _MEANS:
        return f"own means are over {sizes.min()} to {sizes.max()} items, {n} are shared"
    message = f"own means are {both([f'{x:.3f}' for x in means])} over {both([*sizes])} items"
    return message + (
        f"; on the shared {n}: {both([f'{x:.3f}' for x in common_means])}" if n else ""
    )


def _order_changes(means: np.ndarray, common_means: np.ndarray) -> bool:
    """Return whether two systems change their order."""
    before, after = (np.sign(np.round(x[:, None] - x, 12)) for x in (means, common_means))
    return bool((before * after < 0).any())


def item_means(scores: xr.DataArray) -> np.ndarray:
    """The mean of the scored runs of each item, (item, system)."""
    values = scores.values.astype(float)
    frame: Frame = pd.DataFrame(values, index=item_ids(scores))
    if not frame.index.has_duplicates:
        return values
    return frame.groupby(level=0, sort=False).mean().to_numpy()


def repeats(scores: xr.DataArray) -> Iterator[Finding]:
    """Find items that were run several times."""
    if not several(scores, EPOCH):
        return
    number, rows = scored(scores), pd.Series(item_ids(scores)).value_counts(sort=False)
    per = sorted(set(rows.tolist()))
    sums, cells = number.sum(), int(rows.sum())
    low, high = int(sums.min()), int(sums.max())
    runs = f"{per[0]}" if len(per) == 1 else f"{per[0]} to {per[-1]}"
    some_scored = f"{low}" if low == high else f"{low}-{high}"
    message = (
        f"{runs} runs an item, {some_scored} of {cells} scored; n is {len(rows)} items, not {cells}"
    )
    level = NOTE if len(set(number.to_numpy().ravel().tolist())) == 1 else WARN
    yield Finding("repeats", message, level, n=len(rows), of=cells)


def ranges(scores: xr.DataArray) -> Iterator[Finding]:
    """Find scores that run to 1 in some systems and to 100 in others."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    if np.isnan(values).all():
        return
    most = np.where(np.isnan(values), -np.inf, values).max(0)
    least, largest = float(np.nanmin(values)), float(most.max())
    share = str(systems[np.where(most >= 0, most, np.inf).argmin()])
    lowest, large = float(most[most >= 0].min(initial=np.inf)), str(systems[most.argmax()])
    if least >= 0 and lowest <= 1 and largest > _PER_CENT:
        message = f"scores of {large} reach {largest:g}, of {share} {lowest:g}: per cent?"
        yield Finding("range", message, WARN, (share, large), of=len(systems))
    elif least < 0 or largest > 1:
        message = f"scores run from {least:g} to {largest:g}, not within 0 and 1"
        yield Finding("range", message, NOTE, of=len(systems))

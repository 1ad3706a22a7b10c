"""Judgments of two systems at a time: one row each, and the rows that a likelihood needs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import origin, square_array, to_pairs
from betterthan.io.pair_counts import several_votes_each
from betterthan.io.problems import listed
from betterthan.io.texts import text_array
from betterthan.signed import Signature


def unconnected_systems(met: np.ndarray, systems: list[str]) -> str:
    """The smallest group of systems that none of the others met, by name; empty if all are
    connected.

    Parameters
    ----------
    met : numpy.ndarray, (system, system)
        Anything but 0 where two systems met.
    systems : list of str

    Returns
    -------
    str

    Examples
    --------
    >>> unconnected_systems(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]), ["A", "B", "C"])
    "'C'"
    """
    from scipy.sparse import csgraph

    count, part = csgraph.connected_components(met, directed=False)
    if count < 2:
        return ""
    smallest = np.bincount(part).argmin()
    return listed([s for s, where in zip(systems, part, strict=True) if where == smallest], 5)


JUDGMENT, JUDGE = "judgment", "judge"
_PLACE = np.array([2, 0, 1])  # of the outcomes 0, 1 and -1 among win, loss and tie


@dataclass(frozen=True)
class Rows:
    """Judgments that differ in nothing but their outcome, together: who met whom, before which
    judge, how it went.
    """

    systems: list[str]
    a: np.ndarray  # (row,) places of the systems
    b: np.ndarray
    counts: np.ndarray  # (row, outcome) from the side of a
    judges: list[str]
    judge: np.ndarray  # (row,) places of the judges


def count_judgments(judgments: xr.Dataset, *, by: str | None = None) -> xr.DataArray:
    """Wins, losses and ties in judgments given one by one; see `count`."""
    a, b, outcome, systems = _coded(judgments)
    place, leading_coords = np.zeros(len(a), dtype=int), {}
    if by is not None:
        checks.one_of(by, ("cluster", JUDGE), "by")
        place, labels = pd.factorize(_labels(judgments, by))
        leading_coords = {"cluster": labels.tolist()}
    square = np.zeros((int(place.max()) + 1, len(systems), len(systems), 3), dtype=np.int64)
    np.add.at(square, (place, a, b, _PLACE[outcome]), 1)
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    square = square if by is not None else square[0]
    complete = judgments.attrs.get("n") == judgments.sizes[JUDGMENT]  # none was selected since
    noted = origin(judgments, *("n", "n_missing", "dependent") * complete)  # which the answer says
    return square_array(square, systems, leading_coords).assign_attrs(
        noted | Signature(unit=JUDGMENT, ties="third").to_attrs()
    )


def few_judges(data: xr.Dataset) -> tuple[int, float]:
    """How many judges gave judgments that name them, and how many judges of as many judgments each
    they are worth, if judgments are by judges of several; else none. Judges within a cluster count
    as their cluster does.
    """
    labels = data[JUDGE].values.tolist() if JUDGE in data.coords else []
    sizes = np.array([*Counter(labels).values()], dtype=float)
    clusters = data["cluster"].values.tolist() if "cluster" in data.coords else []
    within_cluster = len({*zip(labels, clusters, strict=False)}) == len(sizes)
    if within_cluster or not several_votes_each(sizes):
        return 0, 0.0
    return len(sizes), float(sizes.sum() ** 2 / (sizes**2).sum())


def judgment_rows(data: Any, *, position: bool, judges: bool) -> Rows:
    """What a model of judgments sees of them.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        Judgments, or counts of judgments.
    position : bool
        Whether it matters which system came first.
    judges : bool
        Whether it matters who judged.

    Returns
    -------
    Rows

    Raises
    ------
    ValueError
        If the data are no judgments, lack what is asked, or their systems are not connected.
    """
    position, judges = checks.flag(position, "position"), checks.flag(judges, "judges")
    if isinstance(data, xr.Dataset):
        *_, systems = _coded(data)
        first, second, outcome = _by_position(data, position)
        who, labels = _judges(data) if judges else (np.zeros(len(first), dtype=int), [])
        keys, place = np.unique(np.stack([first, second, who], axis=1), axis=0, return_inverse=True)
        counts = np.zeros((len(keys), 3), dtype=np.int64)
        np.add.at(counts, (place.ravel(), _PLACE[outcome]), 1)
        rows = Rows(systems, keys[:, 0], keys[:, 1], counts, labels, keys[:, 2])
    else:
        for requested, option in ((position, "position"), (judges, "judges")):
            if requested:
                raise ValueError(
                    f"{option}=True needs judgments one by one, from betterthan.io.read_judgments; "
                    "got counts"
                )
        rows = _from_counts(data)
    met = np.zeros((len(rows.systems), len(rows.systems)))
    met[rows.a, rows.b] = 1.0
    unconnected = unconnected_systems(met, rows.systems)
    if unconnected:
        raise ValueError(
            f"{unconnected} never met any of the other systems, so they cannot be compared with "
            "them; compare each group by itself, or add judgments between the groups"
        )
    if position:
        _check_positions(rows)
    return rows


def _check_positions(rows: Rows) -> None:
    """Refuse judgments in which nothing tells the advantage of the first position from abilities;
    warn where the first system won all, so that only the prior bounds it.
    """
    design = np.zeros((len(rows.a), len(rows.systems) + 1))
    place = np.arange(len(rows.a))
    design[place, rows.a], design[place, rows.b], design[:, -1] = 1.0, -1.0, 1.0
    if np.linalg.matrix_rank(design) < len(rows.systems):  # differences of abilities, and place
        raise ValueError(
            "position=True cannot tell the advantage of the first position from ability: systems "
            "always met in one order; leave it out, or add judgments in the other order"
        )
    first, second = (int(rows.counts[:, k].sum()) for k in (0, 1))
    if bool(first) != bool(second):
        side = "first" if first else "second"
        checks.warn(
            f"the system shown {side} won all of {first + second} judgments that are no tie: only "
            "the prior bounds the advantage of its position, and abilities depend on this prior"
        )


def rows_by_cluster(data: Any, *, by: str, position: bool) -> tuple[Rows, Any]:
    """The rows of judgments, and the counts of each cluster, (cluster, outcome and row).

    Raises
    ------
    ValueError
        If the data are no judgments, their systems are not connected, one has no cluster, or all
        have the same.
    """
    rows = judgment_rows(data, position=position, judges=False)
    if not isinstance(data, xr.Dataset):
        raise ValueError("judgments one by one are needed to see their clusters; got counts")
    checks.one_of(by, ("cluster", JUDGE), "by")
    cluster, labels = pd.factorize(_labels(data, by))
    if len(labels) < 2:
        raise ValueError(
            f"all judgments have the same {by}, {str(labels[0])!r}; two or more are needed to see "
            "them differ"
        )
    a, b, outcome = _by_position(data, position)
    row = {pair: k for k, pair in enumerate(zip(rows.a.tolist(), rows.b.tolist(), strict=True))}
    pair_index = np.array([row[pair] for pair in zip(a.tolist(), b.tolist(), strict=True)])
    cell = _PLACE[outcome] * len(rows.a) + pair_index
    shape = (len(labels), 3 * len(rows.a))
    from scipy import sparse  # slow to import

    return rows, sparse.csr_array((np.ones(len(a)), (cluster, cell)), shape=shape)


def _by_position(data: xr.Dataset, position: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both systems and the outcome as codes; without position, the lower code comes
    first.
    """
    a, b, outcome, _ = _coded(data)
    exchanged = (a > b) & (not position)
    first, second = np.where(exchanged, [b, a], [a, b])
    return first, second, np.where(exchanged, -outcome, outcome)


def _judges(data: xr.Dataset) -> tuple[np.ndarray, list[str]]:
    """The place of each judgment's judge, and the judges."""
    who, labels = pd.factorize(_labels(data, JUDGE))
    if len(labels) < 2:
        raise ValueError(
            f"judges=True needs two judges or more; all judgments are by {str(labels[0])!r}"
        )
    return who, [str(x) for x in labels]


def _labels(data: xr.Dataset, by: str) -> np.ndarray:
    """Who judged, or what was judged: text, one for each judgment."""
    if by not in data.coords:
        raise ValueError(
            f"the judgments have no {by}: read_judgments(..., {by}='name of its column')"
        )
    blank = np.flatnonzero(pd.isna(data[by].values))
    if len(blank):
        raise ValueError(
            f"judgment {int(blank[0]) + 1} has no {by}; give each one, or leave it out"
        )
    return text_array(data[by].values)


def _from_counts(data: Any) -> Rows:
    counts = schemas.counts(data)
    _need_judgments(counts)
    pairs = to_pairs(counts) if names.SYSTEM_A in counts.dims else counts
    pairs = pairs.transpose(names.PAIR, names.OUTCOME)
    a, b = (pairs[k].values.astype(str) for k in names.SQUARE)
    order = counts[names.SYSTEM_A].values if names.SYSTEM_A in counts.dims else ()
    first, second, systems = _places(a, b, order)
    values = pairs.values.astype(np.int64)
    if values.shape[1] == len(names.DECISIVE):  # ties are dropped
        values = np.pad(values, ((0, 0), (0, 1)))
    met = values.sum(1) > 0
    return Rows(systems, first[met], second[met], values[met], [], np.zeros(met.sum(), dtype=int))


def _need_judgments(counts: xr.DataArray) -> None:
    """Refuse counts of anything but separate judgments, and those with a further dim."""
    unit = counts.attrs.get("unit", "unknown")
    if unit == names.ITEM:
        raise ValueError(
            "these pairs come from items that systems share, so they are not independent "
            "judgments and abilities would look surer than they are; fit "
            "betterthan.models.item_response to the scores instead"
        )
    if unit != JUDGMENT:
        raise ValueError(
            "it is unknown what was counted; if these are separate judgments of two systems, say "
            "so: counts.assign_attrs(unit='judgment') or read(..., unit='judgment')"
        )
    schemas.ties_known(counts, "a model of ties")
    extra = [str(d) for d in counts.dims if d not in (*names.SQUARE, names.PAIR, names.OUTCOME)]
    if extra:
        raise ValueError(f"counts have a dim {extra[0]!r}; select or sum over it first")


def _coded(judgments: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Places of the two systems and the outcome of each judgment, and the systems."""
    a, b, outcome = _columns(judgments)
    if (a == b).any():
        k = int((a == b).argmax())
        checks.not_against_itself(str(a[k]), str(b[k]), f"judgment {k + 1}")
    order = judgments[names.SYSTEM].values if names.SYSTEM in judgments.coords else ()
    first, second, systems = _places(a, b, order)
    return first, second, outcome.astype(int), systems


def _places(a: np.ndarray, b: np.ndarray, order: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Places of the systems of both sides, and the systems: in the given order, or as met."""
    systems = [str(s) for s in order] or list(dict.fromkeys(np.stack([a, b], 1).ravel().tolist()))
    place = {s: k for k, s in enumerate(systems)}
    first, second = (np.array([place[s] for s in side]) for side in (a, b))
    return first, second, systems


def _columns(judgments: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Names of the two systems, and the outcome, of each judgment."""
    if (
        not isinstance(judgments, xr.Dataset)
        or not {*names.SQUARE, names.OUTCOME} <= set(judgments.variables)
        or JUDGMENT not in judgments.sizes
    ):
        raise ValueError(
            "expected judgments (system_a, system_b, outcome) over a dim 'judgment'; see "
            "read_judgments"
        )
    schemas.fit_names(judgments)
    outcome = judgments[names.OUTCOME].values
    odd = ~np.isin(outcome, (-1, 0, 1))
    if odd.any():
        raise ValueError(f"an outcome is {outcome[odd][0]}; give 1, 0 or -1 for the first")
    if not len(outcome):
        raise ValueError("there are no judgments")
    a, b = (judgments[k].values.astype(str) for k in names.SQUARE)
    return a, b, outcome

"""Groups of systems that a test cannot tell apart, as the Message Understanding Conferences
reported them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.swaps import cliques, corrections, levels
from betterthan.significance.corrections import adjust

_NAMED = 4  # overlapping systems told by name; more are told by rank
_CORRECTED = {"none": "p", "holm": "Holm-adjusted p", "bh": "Benjamini-Hochberg-adjusted p"}


@dataclass(frozen=True)
class _Marks:
    """Who is similar to whom, in the order of the input."""

    systems: list[str]
    similar: np.ndarray
    score: np.ndarray | None
    rule: str
    confidence: np.ndarray | None = None
    unsettled: np.ndarray | None = None
    untested: int = 0


def groups(
    result: xr.Dataset | xr.DataArray,
    *,
    cutoff: float = names.CUTOFF,
    confidence: float = names.CONFIDENCE,
    correction: str | None = None,
) -> xr.Dataset:
    """Group the systems that cannot be told apart; groups may overlap.

    Two systems differ only if p is at or below the cutoff and, where p was sampled, the confidence
    that the true p is at or below the cutoff is high enough. A group is a largest set of systems no
    two of which differ. Systems of overlapping groups cannot be ranked, whatever their scores.

    Parameters
    ----------
    result : xarray.Dataset or xarray.DataArray, dims (system_a, system_b)
        A two-sided test of every pair, with ``p_value``; if sampled also ``exceedances`` and
        ``shuffles`` (a variable or one of ``attrs``); an optional ``score`` over system. A pair
        with p = NaN was not tested, and is not told apart. Or printed check marks, True or 1 where
        two systems are similar, with an optional coordinate ``score``.
    cutoff : float, default 0.01
        Level of significance. The cutoff and the confidence of printed marks are recorded, not
        used.
    confidence : float, default 0.99
        Confidence needed that the true p is at or below the cutoff. An exact p is certain.
    correction : {"none", "holm", "bh"}, optional
        Adjusts p for the number of pairs; by default Holm's, and none of printed marks. The
        confidence is then that in the cutoff on p itself at the pair's step of the procedure; a
        Holm step also needs that of the steps before, and for "bh" a later step suffices.

    Returns
    -------
    xarray.Dataset
        The systems from best to worst score, or in the order of the input. Over (system_a,
        system_b): ``similar``, each row's own marks; ``one_way``, pairs marked in one direction
        only; ``unsettled``, pairs that are not told apart but might be with more shuffles;
        ``confidence``, if sampled. ``member`` (system, group): the groups, by marks in both
        directions. Over system: ``letters`` of its groups, two systems share one if both are
        marked; ``separate``, when its group differs from all other systems; ``score``, if known.
        ``rank_possible``: all groups are separate. ``attrs`` tell the rule and, in ``note``, what
        overlaps.

    Raises
    ------
    ValueError
        If the result is neither, is one-sided, or lacks what a sampled test needs; if an argument
        is not valid; if there are more than 1,000 groups.

    References
    ----------
    N. Chinchor (1995), Statistical Significance of MUC-6 Results, Sixth Message Understanding
    Conference. For the groups: H.-P. Piepho (2004), JCGS 13(2), 456-466, doi:10.1198/1061860043515.

    Examples
    --------
    >>> import xarray as xr
    >>> marks = xr.DataArray(
    ...     [[True, True, False], [True, True, True], [False, True, True]],
    ...     dims=("system_a", "system_b"),
    ...     coords={"system_a": ["A", "B", "C"], "system_b": ["A", "B", "C"]},
    ... )
    >>> found = groups(marks)
    >>> found["letters"].values.tolist(), found["rank_possible"].item()
    (['a', 'ab', 'b'], False)
    """
    cutoff, confidence = (
        checks.probability(cutoff, "cutoff"),
        checks.probability(confidence, "confidence"),
    )
    printed = isinstance(result, xr.DataArray)
    correction = correction or ("none" if printed else names.CORRECTION)
    checks.one_of(correction, names.CORRECTIONS, "correction")
    if printed and correction != "none":
        raise ValueError(
            f"correction={correction!r} needs p-values; these are check marks, so leave it out"
        )
    asked = (cutoff, confidence, correction)
    marks = (
        _printed(result, *asked[:2])
        if isinstance(result, xr.DataArray)
        else _tested(result, *asked)
    )
    test = "printed marks" if printed else str(result.attrs.get("test", "unknown"))
    return _assembled(marks).assign_attrs(
        version=betterthan.__version__,
        test=test,
        cutoff=cutoff,
        confidence_needed=confidence,
        correction=correction,
    )


def ranges(ranks: Iterable[int]) -> str:
    """Ascending whole numbers, as ranges.

    Examples
    --------
    >>> ranges([3, 4, 5, 9, 11, 12])
    '3-5, 9, 11-12'
    """
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def _printed(marks: xr.DataArray, cutoff: float, confidence: float) -> _Marks:
    systems = _systems(marks, "check marks")
    marks = marks.transpose(*names.SQUARE)
    if marks.dtype.kind not in "biuf" or not np.isin(marks.values, (0, 1)).all():
        raise ValueError(
            "check marks must be True or False; for p-values give the Dataset of the test"
        )
    similar = marks.values.astype(bool)
    itself = np.diagonal(similar)
    if not itself.all() and itself.any():
        k = int(np.argmin(itself))
        raise ValueError(
            f"{systems[k]!r} is not marked as similar to itself, and others are; is its row "
            "shifted?"
        )
    rule = f"Marks as given, for p ≤ {cutoff:g} with a confidence of at least {confidence:g}."
    similar = similar | np.eye(len(systems), dtype=bool)
    return _Marks(
        systems, similar, _score(marks.coords.get("score"), names.SYSTEM_A, systems), rule
    )


def _tested(result: Any, cutoff: float, confidence: float, correction: str) -> _Marks:
    if not isinstance(result, xr.Dataset) or "p_value" not in result:
        raise ValueError(
            "expected a test of every pair, a Dataset with a variable p, or a DataArray of check "
            "marks"
        )
    side = str(result.attrs.get("alternative", "two-sided"))
    if side != "two-sided":
        raise ValueError(f"the test has alternative={side!r}; groups need a two-sided test")
    systems = _systems(result["p_value"], "p_value")
    p = result["p_value"].transpose(*names.SQUARE)
    _symmetric(p.values, systems, "p_value")
    differ = adjust(p, correction=correction).values <= cutoff
    sure, unsettled, sampled = (
        None,
        None,
        bool(result.attrs.get("sampled", "exceedances" in result)),
    )
    if sampled:
        sure = _sure(result, p.values, cutoff, correction, systems)
        differ &= sure >= confidence
        unsettled = ~differ & (sure > 1 - confidence)
    similar = ~differ | np.eye(len(systems), dtype=bool)
    needed = f" with a confidence of at least {confidence:g}" if sampled else ", p being exact"
    rule = f"Two systems differ only if {_CORRECTED[correction]} ≤ {cutoff:g}{needed}."
    untested = int(np.isnan(p.values[np.triu_indices(len(systems), 1)]).sum())
    return _Marks(
        systems,
        similar,
        _score(result.get("score"), names.SYSTEM, systems),
        rule,
        sure,
        unsettled,
        untested,
    )


def _sure(
    result: xr.Dataset, p: np.ndarray, cutoff: float, correction: str, systems: list[str]
) -> np.ndarray:
    """Confidence that each pair's true p is at or below the cutoff, or its step's share of it; 0 on
    the diagonal.
    """
    if "exceedances" not in result or not ("shuffles" in result or "shuffles" in result.attrs):
        raise ValueError(
            "a sampled test needs its exceedances and shuffles, for the confidence in the cutoff"
        )
    b = result["exceedances"].transpose(*names.SQUARE).values
    n = (
        result["shuffles"].transpose(*names.SQUARE).values
        if "shuffles" in result
        else result.attrs["shuffles"]
    )
    n = np.broadcast_to(n, b.shape)
    _symmetric(b, systems, "exceedances")
    upper = np.triu_indices(len(b), 1)
    family, above, shuffled = p[upper], b[upper], n[upper]
    steps = {"holm": corrections.holm_steps, "bh": corrections.bh_steps}.get(correction)
    multiplier = steps(family)[0] if steps else np.ones(family.shape)
    sure = np.nan_to_num(levels.confidence_below(above, shuffled, cutoff / multiplier), nan=0.0)
    ascending = np.lexsort((-sure, family))  # NaN, no test, comes last
    if correction == "holm":
        sure[ascending] = np.minimum.accumulate(sure[ascending])
    elif correction == "bh":
        sure[ascending[::-1]] = np.maximum.accumulate(sure[ascending[::-1]])
    sure[np.isnan(family)] = 0.0
    square = np.zeros(b.shape)
    square[upper] = sure
    return square + square.T


def _assembled(marks: _Marks) -> xr.Dataset:
    order = (
        np.arange(len(marks.systems))
        if marks.score is None
        else np.argsort(-marks.score, kind="stable")
    )
    square = np.ix_(order, order)
    similar, systems = marks.similar[square], np.array(marks.systems)[order]
    mutual = similar & similar.T
    found = cliques.maximal_cliques(mutual)
    member = np.array([[k in clique for clique in map(set, found)] for k in range(len(systems))])
    labels = np.array(cliques.letters(len(found)))
    separate = member @ _closed(found, similar | similar.T)
    unsettled = np.zeros_like(similar) if marks.unsettled is None else marks.unsettled[square]
    variables: dict[str, Any] = {
        "similar": (names.SQUARE, similar),
        "one_way": (names.SQUARE, similar != similar.T),
        "unsettled": (names.SQUARE, unsettled),
        "member": ((names.SYSTEM, names.GROUP), member),
        "letters": (names.SYSTEM, np.array(["".join(labels[row]) for row in member])),
        "separate": (names.SYSTEM, separate),
        "rank_possible": ((), separate.all()),
    }
    if marks.confidence is not None:
        variables["confidence"] = (names.SQUARE, marks.confidence[square])
    if marks.score is not None:
        variables["score"] = (names.SYSTEM, marks.score[order])
    coords = dict.fromkeys((*names.SQUARE, names.SYSTEM), systems) | {names.GROUP: labels}
    note = _note(systems.tolist(), similar, member, marks.untested)
    return xr.Dataset(variables, coords=coords, attrs={"rule": marks.rule, "note": note})


def _closed(found: list[tuple[int, ...]], marked: np.ndarray) -> np.ndarray:
    """Groups out of which no mark, in either direction, leads."""
    everyone = range(len(marked))
    return np.array(
        [
            not marked[np.ix_(group, np.setdiff1d(everyone, group))].any()
            for group in map(list, found)
        ]
    )


def _note(systems: list[str], similar: np.ndarray, member: np.ndarray, untested: int) -> str:
    several = [k for k, row in enumerate(member) if row.sum() > 1]
    if several:
        verb = "is" if len(several) == 1 else "are"
        who = f"The systems at ranks {ranges(k + 1 for k in several)}"
        if len(several) <= _NAMED:
            told = [" ".join(systems[k].split()) for k in several]
            who = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
        note = f"{who} {verb} in more than one group: where groups overlap, a ranking of their systems is impossible"
    elif member.shape[1] == 1:
        note = "No two systems differ, so there is nothing to rank"
    elif member.shape[1] == len(systems):
        note = "Every two systems differ, so they can be ranked"
    else:
        note = "Groups do not overlap, so they can be ranked, but not the systems within a group"
    one_way = int((similar & ~similar.T).sum())
    if one_way and not several:
        note = "Groups overlap only where marks are in one direction"
    for count, what in (
        (one_way, "marked in one direction only and joined in no group"),
        (untested, "not tested"),
    ):
        note += f"; {count} {'pair is' if count == 1 else 'pairs are'} {what}" if count else ""
    return note + "."


def _systems(data: xr.DataArray, what: str) -> list[str]:
    if set(data.dims) != set(names.SQUARE):
        dims = ", ".join(map(str, data.dims)) or "none"
        raise ValueError(f"{what} has dims {dims}; give (system_a, system_b), one test at a time")
    if not set(names.SQUARE) <= set(data.coords):
        raise ValueError(
            f"{what} needs coordinates system_a and system_b with the names of the systems"
        )
    first, second = ([str(s) for s in data[dim].values] for dim in names.SQUARE)
    if first != second:
        raise ValueError("system_a and system_b must name the same systems in the same order")
    checks.unique(first, "system")
    checks.at_least_two(first)
    return first


def _symmetric(values: np.ndarray, systems: list[str], what: str) -> None:
    upper, lower = np.triu(values, 1), np.tril(values, -1).T
    wrong = ~((upper == lower) | (np.isnan(upper) & np.isnan(lower)))
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise ValueError(
            f"{what} of {systems[i]!r} against {systems[j]!r} is {values[i, j]:g} but "
            f"{values[j, i]:g} the other way "
            "round; groups need a two-sided test"
        )


def _score(score: xr.DataArray | None, dim: str, systems: list[str]) -> np.ndarray | None:
    if score is None:
        return None
    if score.dims != (dim,):
        raise ValueError(
            f"score has dims {', '.join(map(str, score.dims)) or 'none'}; give one number per {dim}"
        )
    found = score.reindex({dim: systems}) if dim in score.coords and dim == names.SYSTEM else score
    if found.dtype.kind not in "fiu" or found.size != len(systems):
        raise ValueError(
            f"score is {found.dtype} of {found.size}; give one number for each of {len(systems)} "
            "systems"
        )
    return found.values.astype(float)

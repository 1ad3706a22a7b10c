"""Groups of systems that a test cannot tell apart, as the Message Understanding Conferences
reported them.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.swaps import cliques
from betterthan.signed import Signature
from betterthan.significance.marks import Cutoff, Marks, marks_from_test, marks_in_print

_NAMED = 4  # overlapping systems told by name; more are told by rank


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
    marked = isinstance(result, xr.DataArray)
    correction = correction or ("none" if marked else names.CORRECTION)
    rule = Cutoff(
        checks.probability(cutoff, "cutoff"),
        checks.probability(confidence, "confidence"),
        checks.one_of(correction, names.CORRECTIONS, "correction"),
    )
    if isinstance(result, xr.DataArray):
        marks, test = marks_in_print(result, rule), "printed marks"
    else:
        marks, test = marks_from_test(result, rule), str(result.attrs.get("test", "unknown"))
    signed = Signature(answer="groups", version=betterthan.__version__, correction=correction)
    provenance = signed.to_attrs()
    return groups_by(marks.ranked()).assign_attrs(
        provenance, test=test, cutoff=rule.p, confidence_needed=rule.confidence
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


def groups_by(marks: Marks) -> xr.Dataset:
    """Groups of systems by who is marked as similar to whom, whatever the marks come from."""
    similar = marks.similar
    unsettled = np.zeros_like(similar) if marks.unsettled is None else marks.unsettled
    variables: dict[str, Any] = {
        "similar": (names.SQUARE, similar),
        "one_way": (names.SQUARE, similar != similar.T),
        "unsettled": (names.SQUARE, unsettled),
    }
    if marks.confidence is not None:
        variables["confidence"] = (names.SQUARE, marks.confidence)
    if marks.score is not None:
        variables["score"] = (names.SYSTEM, marks.score)
    joined = _joined(similar)
    coords = dict.fromkeys((*names.SQUARE, names.SYSTEM), np.array(marks.systems))
    note = _note(marks, joined["member"].values)
    return joined.assign(variables).assign_coords(coords).assign_attrs(rule=marks.rule, note=note)


def _joined(similar: np.ndarray) -> xr.Dataset:
    """The groups, their letters, and which systems' groups differ from all other systems."""
    maximal = cliques.maximal_cliques(similar & similar.T)
    member = np.array([[k in clique for clique in map(set, maximal)] for k in range(len(similar))])
    labels = np.array(cliques.letters(len(maximal)))
    separate = member @ _closed(maximal, similar | similar.T)
    variables = {
        "member": ((names.SYSTEM, names.GROUP), member),
        "letters": (names.SYSTEM, np.array(["".join(labels[row]) for row in member])),
        "separate": (names.SYSTEM, separate),
        "rank_possible": ((), separate.all()),
    }
    return xr.Dataset(variables, coords={names.GROUP: labels})


def _closed(maximal: list[tuple[int, ...]], marked: np.ndarray) -> np.ndarray:
    """Groups without marks to other groups, in either direction."""
    everyone = range(len(marked))
    return np.array(
        [
            not marked[np.ix_(group, np.setdiff1d(everyone, group))].any()
            for group in map(list, maximal)
        ]
    )


def _note(marks: Marks, member: np.ndarray) -> str:
    systems, similar = marks.systems, marks.similar
    several = [k for k, row in enumerate(member) if row.sum() > 1]
    if several:
        note = (
            f"{_who(systems, several)} in more than one group: where groups overlap, a ranking of "
            "their systems is impossible"
        )
    elif member.shape[1] == 1:
        note = "No two systems are told apart, which is not evidence that they are equal"
    elif member.shape[1] == len(systems):
        note = "Every two systems are told apart, so they can be ranked"
    else:
        note = "Groups do not overlap, so they can be ranked, but not the systems within a group"
    asymmetric = int((similar & ~similar.T).sum())
    if asymmetric and not several:
        note = "Groups overlap only where marks are in one direction"
    for count, kind in (
        (asymmetric, "marked in one direction only and joined in no group"),
        (marks.untested, "not tested"),
        (marks.too_few, "of too few units for any p at or below the cutoff"),
    ):
        note += f"; {count} {'pair is' if count == 1 else 'pairs are'} {kind}" if count else ""
    return note + "."


def _who(systems: list[str], several: list[int]) -> str:
    """Systems by name, or by rank where they are many, with their verb."""
    if len(several) > _NAMED:
        return f"The systems at ranks {ranges(k + 1 for k in several)} are"
    listed = [" ".join(systems[k].split()) for k in several]
    return (
        f"{', '.join(listed[:-1])} and {listed[-1]} are" if len(listed) > 1 else f"{listed[0]} is"
    )

"""Sentences on the joint answer: systems in groups, and what makes it less trustworthy."""

from collections.abc import Sequence

import numpy as np

from betterthan.exact.joint import model_checks
from betterthan.exact.joint.abilities import Abilities
from betterthan.exact.joint.units import Means

_FEW, _SOME = 20, 50  # items or units below which joint answers, and joint intervals, hold less
_NAMED = 6  # systems of a group that are listed
_NUMBERS = {2: "two", 3: "three"}


def joint_notes(
    found: Abilities, systems: Sequence[str], units: int, unit: str, means: Means | None
) -> tuple[tuple[str, ...], bool]:
    """What is to be known of the joint answer, and whether systems err alike, so that only a pair
    by itself can be called equivalent.

    Parameters
    ----------
    found : Abilities
    systems : sequence of str
    units : int
        How many items, or clusters or items with all their runs.
    unit : str
        What each is called.
    means : Means, optional
        What each unit adds to the errors; None of right and wrong items.
    """
    families = model_checks.families(found.evidence, units)
    lines = [_in_groups(found, systems), _few(units, unit)]
    if families:
        lines.append(
            f"{families} of the {len(systems)} systems make nearly the same errors as another. "
            "The joint model takes errors as independent: between such families its intervals hold "
            "less often than stated, and a pair is equivalent only where it is by itself."
        )
    if means is not None and (largest := model_checks.dominating(means.parts)) is not None:
        lines.append(
            f"One {unit} makes up {100 * largest[1]:.0f}% of the squared differences between the "
            f"systems: the answer is little more than what that {unit} shows."
        )
    return tuple(filter(None, lines)), bool(families)


def _in_groups(found: Abilities, systems: Sequence[str]) -> str:
    """The members of groups, where several groups are more probable than one."""
    number = model_checks.in_groups(found.groups)
    if number == 1:
        return ""
    prob = found.groups.prob_groups
    member = found.groups.members(number)
    named, order = list(enumerate(systems)), np.argsort(-found.evidence.score, kind="stable")
    by_score = [named[k] for k in order.tolist()]
    parts = []
    for group in sorted(set(member.tolist()), reverse=True):
        names_of = [name for k, name in by_score if member[k] == group]
        more = f" and {len(names_of) - _NAMED:,} more" if len(names_of) > _NAMED else ""
        parts.append(", ".join(names_of[:_NAMED]) + more)
    return (
        f"The systems fall into {_NUMBERS[number]} groups (probability of more than one group "
        f"{prob[1:].sum():.2f}): {'; '.join(parts)}."
    )


def _few(units: int, unit: str) -> str:
    """Where joint answers rest on few units."""
    if units >= _SOME:
        return ""
    also = "verdicts are rare and " if units < _FEW else ""
    return (
        f"With {units} {unit}s, {also}joint intervals hold less often than stated where systems "
        "fall into groups or one stands far above the rest."
    )

"""Names of systems: those that look alike, and those that are selected."""

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from shlex import quote
from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.io.problems import listed, problem, shown
from betterthan.io.table import Table
from betterthan.io.texts import Texts, hashes, joined, repeated, text_array, text_blocks

_LONGEST = 1000  # characters of what may still be a name; longer is text
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_HOW = "differ only by blanks, case or unicode form"


def spelling(name: str) -> str:
    """What names that look the same have in common.

    Examples
    --------
    >>> spelling(" GPT  4") == spelling("gpt 4"), spelling("q1") == spelling("q10")
    (True, False)
    """
    if not name.isascii():
        plain = unicodedata.normalize("NFKC", name)
        # zero-width blanks and marks of direction are there, and nobody sees them
        name = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return " ".join(name.split()).casefold()


def alike(values: Iterable[str]) -> list[list[str]]:
    """Groups of two and more distinct names of one spelling, as they first occur."""
    groups: dict[str, list[str]] = {}
    values = values if isinstance(values, Texts) else list(values)
    if all(map(_lower, joined(values))):
        return []
    values = values if isinstance(values, Texts) else list(dict.fromkeys(values))
    spelt = hashes(map(_spellings, text_blocks(values)))
    several = repeated(spelt)
    if not len(several):
        return []
    if isinstance(values, Texts):
        values = dict.fromkeys(values.take(np.flatnonzero(np.isin(spelt, several))))
    for value in values:
        if not value[_LONGEST:]:
            groups.setdefault(spelling(value), []).append(value)
    return [group for group in groups.values() if len(group) > 1]


def _plain(together: str) -> bool:
    """Whether names hold neither blanks nor more than ASCII."""
    return together.isascii() and together.split(maxsplit=1) == [together]


def _lower(together: str) -> bool:
    """Whether names are as they are spelt, all at once."""
    return _plain(together) and together == together.casefold()


def _spellings(values: Sequence[str]) -> list[str]:
    """The spelling of each; of plain names all at once."""
    if _plain("".join(values)):
        return "\n".join(values).casefold().split("\n")
    return list(map(spelling, values))


def tell_alike(source: str, values: Iterable[str], kind: str) -> None:
    """Warn of names that look the same and are taken as different ones."""
    groups = alike(values)
    if groups:
        _warn(source, groups, kind)


def refuse_alike(
    source: str,
    groups: list[list[str]],
    kind: str,
    never_meet: Callable[[str, str], bool],
    why: str,
) -> None:
    """Refuse two names of one spelling if `never_meet` holds, for the reason `why`; warn of the
    others.
    """
    for first, *others in groups:
        for other in others:
            if never_meet(first, other):
                pair = f"{shown(first)} and {shown(other)}"
                raise problem(source, f"{kind} {pair} {_HOW}, and {why}; give them one spelling")
    if groups:
        _warn(source, groups, kind)


def refuse_alike_by_scores(
    source: str, systems: Sequence[str], items: Sequence[str], observed: np.ndarray
) -> None:
    """The same of systems that share no item, and of items that share no system.

    Parameters
    ----------
    source : str
        Of the table, for the message.
    systems, items : sequence of str
        Their names; an item may stand there more than once, in several data sets or runs.
    observed : numpy.ndarray, (item, system), bool
        Where there is a score.
    """
    place = {system: k for k, system in enumerate(systems)}
    why = "never have a score on the same item"
    refuse_alike(
        source,
        alike(systems),
        "systems",
        lambda a, b: not (observed[:, place[a]] & observed[:, place[b]]).any(),
        why,
    )
    groups = alike(items)
    if not groups:
        return
    rows: dict[str, list[int]] = {item: [] for group in groups for item in group}
    for k, item in enumerate(items):
        if item in rows:
            rows[item].append(k)
    refuse_alike(
        source,
        groups,
        "items",
        lambda a, b: not (observed[rows[a]].any(0) & observed[rows[b]].any(0)).any(),
        "no system has a score on both",
    )


def refuse_alike_by_pairs(
    source: str, systems: Sequence[str], a: np.ndarray, b: np.ndarray
) -> None:
    """The same of systems, numbers `a` and `b` in each row, that never meet each other."""
    met = cache(lambda: {*zip(a.tolist(), b.tolist(), strict=True)})
    place = {system: k for k, system in enumerate(systems)}

    def never_meet(first: str, other: str) -> bool:
        pair = place[first], place[other]
        return pair not in met() and pair[::-1] not in met()

    refuse_alike(source, alike(systems), "systems", never_meet, "never meet each other")


def alike_labels(source: str, *columns: Sequence[str]) -> str:
    """What is said of labels that look the same; refused are two that are one number."""
    labels = [label for label in dict.fromkeys(chain(*columns)) if label]
    numbers: dict[float, str] = {}
    for label in labels:
        if PLAIN_NUMBER.fullmatch(label.strip()):
            first = numbers.setdefault(float(label), label)
            if first.strip() != label.strip():
                both = f"labels {shown(first)} and {shown(label)}"
                raise problem(
                    source, f"{both} are one number, written in two ways; write it in one"
                )
    groups = alike(labels)
    return f", {_alike_message(groups, 'labels')}" if groups else ""


def _alike_message(groups: list[list[str]], kind: str) -> str:
    named = " and ".join(shown(name) for name in groups[0])
    more = f" (and {len(groups) - 1} more such names)" if len(groups) > 1 else ""
    return f"{kind} {named}{more} {_HOW}, and are taken as different ones"


def _warn(source: str, groups: list[list[str]], kind: str) -> None:
    warnings.warn(
        str(problem(source, _alike_message(groups, kind))),
        UserWarning,
        skip_file_prefixes=names.PACKAGE,
    )


_MAX_LISTED = 8  # columns in a message, as many as `listed` has


def named_systems(systems: Any) -> list[str] | None:
    """The names, when `systems` is a list of them; None where all are read, or renamed."""
    if systems is None or isinstance(systems, Mapping):
        return None
    if isinstance(systems, str) or not isinstance(systems, Sequence):
        reason = "give a list of names, or a mapping to new names"
        raise ValueError(f"systems is {checks.shown(systems)}; {reason}")
    named = [str(system) for system in systems]
    checks.unique(named, "system")
    checks.at_least_two(named)
    return named


def chosen(table: Table, columns: list[str], systems: Sequence[str] | None) -> list[str]:
    """Return the requested columns, in that order; all without a request."""
    if systems is None:
        return columns
    absent = [system for system in systems if system not in columns]
    if absent:
        reason = f"has no column {absent[0]!r} of a system among {listed(columns)}"
        raise problem(table.source, reason)
    return list(systems)


def how_to_choose(columns: Sequence[str], odd: Sequence[str]) -> str:
    """Both ways to read a table of which `odd` columns may be no systems, in Python and as
    options.
    """
    left = [column for column in columns if column not in odd]
    named = left if len(left) > 1 else columns
    return (
        f"leave {'it' if len(odd) == 1 else 'them'} out: ignore={_in_python(odd)}, "
        f"or --ignore {_as_option(odd)}; "
        f"or name the systems: systems={_in_python(named)}, or --systems {_as_option(named)}"
    )


def _in_python(columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return shown(columns[0])
    more = ", ..." if columns[_MAX_LISTED:] else ""
    return f"[{', '.join(map(shown, columns[:_MAX_LISTED]))}{more}]"


def _as_option(columns: Sequence[str]) -> str:
    return quote(",".join(columns[:_MAX_LISTED])) + (",..." if columns[_MAX_LISTED:] else "")


def select_systems(source: str, data: Any, systems: Sequence[str] | None) -> Any:
    """Select the requested systems of scores, tallies or counts, in that order."""
    if systems is None:
        return data
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    present = data[dims[0]].values.tolist()
    absent = [system for system in systems if system not in present]
    if absent:
        raise problem(source, f"has no system {absent[0]!r} among {listed(present)}")
    return data.sel({dim: list(systems) for dim in dims})


def renamed(data: Any, systems: Any) -> Any:
    """Rename the systems that a mapping names."""
    if not isinstance(systems, Mapping):
        return data
    new = {str(old): str(name) for old, name in systems.items()}
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    present = data[dims[0]].values.tolist()
    absent = [system for system in new if system not in present]
    if absent:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(present)}")
    new_names = [new.get(system, system) for system in present]
    checks.unique(new_names, "system")
    return data.assign_coords({dim: text_array(new_names) for dim in dims})

"""Read ids of items that stay in their files, part by part, and refuse duplicates."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pandas.util import hash_array

from betterthan.io.problems import problem
from betterthan.text import first_flawed, flaw

MOST = 50_000_000  # items; a mark of each takes eight bytes


@dataclass(frozen=True)
class Part:
    """Ids that follow each other in a file."""

    file: str
    row: int  # of the first, from 1
    read: Callable[[], np.ndarray]


def refuse_twice(parts: list[Part]) -> None:
    """Refuse an id that has two rows.

    Parts are compared by marks of 64 bits; what looks the same is read again, and compared itself.

    Raises
    ------
    ValueError
        With both rows; or with the row of an id that no item may have.
    """
    marks = [_marks(part) for part in parts]
    all_marks = np.sort(np.concatenate(marks)) if marks else np.empty(0, np.uint64)
    twice = np.unique(all_marks[1:][all_marks[1:] == all_marks[:-1]])
    first_places: dict[str, str] = {}
    for name, file, row in _with_marks(parts, marks, twice):
        if name in first_places:
            raise problem(
                file,
                f"row {row:,}, column 'item', value {name!r}: duplicate item id, already in "
                f"{first_places[name]}; give each item one row",
            )
        first_places[name] = f"{file}, row {row:,}"


def _marks(part: Part) -> np.ndarray:
    ids = part.read()
    if ids.dtype.kind not in "iufb":
        _refuse_flawed(part, list(map(str, ids.tolist())))
    marked: Any = hash_array  # lazily loaded, so that its type is not known
    return marked(np.asarray(ids).astype(str).astype(object), categorize=False)


def _refuse_flawed(part: Part, ids: list[str]) -> None:
    """Refuse an id with what no name may hold."""
    k = first_flawed(ids)
    if k is not None:
        raise problem(part.file, flaw(ids[k]), row=part.row + k, column="item", value=ids[k])


def _with_marks(
    parts: list[Part], marks: list[np.ndarray], wanted: np.ndarray
) -> Iterator[tuple[str, str, int]]:
    """Yield ids with one of these marks, with file and row."""
    for part, part_marks in zip(parts, marks, strict=True):
        matches = np.flatnonzero(np.isin(part_marks, wanted))
        ids = part.read() if len(matches) else part_marks
        yield from ((str(ids[k]), part.file, part.row + int(k)) for k in matches)

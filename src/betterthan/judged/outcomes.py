"""Parse the words of a column: first system, second system, tie, blank, or unknown."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from betterthan.io import cells
from betterthan.io.problems import listed, problem, shown
from betterthan.io.roles import PAIRS
from betterthan.io.table import Table
from betterthan.io.votes import OUTCOME_WORDS

FIRST, SECOND, TIE, BLANK, UNKNOWN = 0, 1, 2, 3, 4
_NUMBERED = (("model_1", "model_2"), ("system_1", "system_2"))
_SIDES = {"a": FIRST, "b": SECOND, "tie": TIE}


def pair_of(table: Table) -> tuple[str, str]:
    """Return the columns that name both systems."""
    by_name = table.by_name
    for pair in (*PAIRS, *_NUMBERED):
        if set(pair) <= set(by_name):
            return by_name[pair[0]], by_name[pair[1]]
    accepted = " or ".join(f"{a}, {b}" for a, b in (*PAIRS, *_NUMBERED))
    raise problem(
        table.source,
        f"no columns name the two systems of each item; give {accepted} (found "
        f"{listed(list(table.columns))})",
    )


def outcomes(
    table: Table,
    column: str,
    systems: tuple[np.ndarray, np.ndarray],
    words: Mapping[str, str] | None = None,
) -> np.ndarray:
    """The outcome of each cell: `FIRST`, `SECOND`, `TIE`, `BLANK`, or `UNKNOWN`.

    Parameters
    ----------
    table : Table
    column : str
    systems : two numpy.ndarray of str
        The systems of each row; a cell may name one of them.
    words : mapping of str to {"a", "b", "tie"}, optional
        What other words mean.
    """
    if column not in table.columns:
        present = listed(list(table.columns))
        raise problem(table.source, f"there is no column {shown(column)}; found {present}")
    written = np.array([text.strip() for text in cells.texts(table, column)], dtype=object)
    codes_by_word = _words(table, words)
    codes = {text: codes_by_word.get(text.casefold(), UNKNOWN) for text in set(written.tolist())}
    by_word = np.array([codes[text] for text in written.tolist()])
    first, second = (written == names for names in systems)
    return np.select([first, second], [FIRST, SECOND], by_word)


def refuse_unknown(table: Table, column: str, codes: np.ndarray) -> None:
    """Refuse human labels that are no outcome."""
    wrong = np.flatnonzero(codes == UNKNOWN)
    if wrong.size:
        k = int(wrong[0])
        a, b = pair_of(table)
        raise problem(
            table.source,
            f"no outcome; give {a}, {b}, the name of the better system, or tie, or say what it "
            "means: words={'...': 'a'}",
            row=table.rows[k],
            column=column,
            value=cells.texts(table, column)[k],
        )


def _words(table: Table, words: Mapping[str, str] | None) -> dict[str, int]:
    """Map each word in lower case to its code."""
    a, b = (column.casefold() for column in pair_of(table))
    codes_by_word = dict(OUTCOME_WORDS) | {a: FIRST, b: SECOND}
    if a.endswith("1") and b.endswith("2"):
        codes_by_word |= {"1": FIRST, "2": SECOND, "0": TIE}
    for word, side in dict(words or {}).items():
        if side not in _SIDES:
            raise ValueError(f"words[{word!r}] is {shown(side)}; give 'a', 'b' or 'tie'")
        codes_by_word[str(word).casefold()] = _SIDES[side]
    return codes_by_word


def sides(
    table: Table, column: str, systems: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, Any]:
    """The stratum of each row as text, and where it is a side (else None): which system was shown
    first, by its name or as a word.
    """
    codes = outcomes(table, column, systems)
    written = np.array([text.strip() for text in cells.texts(table, column)], dtype=object)
    blank = np.flatnonzero(written == "")
    if blank.size:
        raise problem(
            table.source,
            "blank; give each item its stratum",
            row=table.rows[int(blank[0])],
            column=column,
        )
    return written, codes if np.isin(codes, (FIRST, SECOND)).all() else None

"""Columns of a text, block after block: numbers where a column holds nothing else, or its distinct
cells.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from betterthan.io.roles import ALIASES
from betterthan.io.written import Coded, Coding, Numbers

_NAMED = ("item", "system", "dataset", "cluster", "epoch")
_NAMES = {alias for role in _NAMED for alias in ALIASES[role]}
Blocks = Callable[[Mapping[int, bool]], Iterator[Mapping[int, Any]]]


def collect_columns(blocks: Blocks, header: Sequence[str]) -> list[Coded | Numbers]:
    """The columns of a text.

    Parameters
    ----------
    blocks : callable
        Gives the cells of some rows, then of the next ones: of each column that is asked for
        numbers as an array where they are asked for and all cells are such, else texts as they are
        written, or None where that is not known.
    header : sequence of str
        The names of the columns: 007 is no 7 where they are ids.
    """
    named = [name.strip().casefold() in _NAMES for name in header]
    columns = _grown(blocks, {k: not is_text for k, is_text in enumerate(named)})
    return [columns[k] for k in range(len(header))]


def _grown(blocks: Blocks, may_be_numbers: Mapping[int, bool]) -> dict[int, Any]:
    """Collect columns by index; `may_be_numbers` marks those that may hold numbers."""
    numbers: dict[int, list[np.ndarray]] = {k: [] for k, may in may_be_numbers.items() if may}
    texts = {k: Coding() for k, may in may_be_numbers.items() if not may}
    again: dict[int, bool] = {}  # columns that hold both numbers and texts
    for block in blocks(may_be_numbers):
        for k, cells in block.items():
            kind = getattr(cells, "dtype", np.dtype(object)).kind  # of texts an object
            if kind != "O" and k in numbers:
                numbers[k].append(_narrow(cells))
                continue
            if kind == "O" and cells is not None and not numbers.get(k) and k not in again:
                numbers.pop(k, None)
                texts.setdefault(k, Coding()).add(cells)
                continue
            for store in (numbers, texts):
                store.pop(k, None)
            again[k] = False
    number_columns = {k: np.concatenate(numbers.pop(k)) for k in list(numbers) if numbers[k]}
    again |= {
        k: False
        for k, values in number_columns.items()
        if values.dtype.kind == "f" and np.isinf(values).any()
    }
    number_columns = {k: values for k, values in number_columns.items() if k not in again}
    written = cache(lambda: _grown(blocks, dict.fromkeys(number_columns, False)))
    columns: dict[int, Any] = {k: [] for k in numbers}  # where there are no rows
    columns |= {k: texts.pop(k).done() for k in list(texts)}
    columns |= {
        k: Numbers(values, lambda k=k: written()[k]) for k, values in number_columns.items()
    }
    return columns | (_grown(blocks, again) if again else {})


def _narrow(numbers: np.ndarray) -> np.ndarray:
    """Numbers in a byte each where that holds them, as it holds most scores."""
    with np.errstate(invalid="ignore"):  # NaN, and what is larger than a byte
        small = numbers.astype(np.int8)
    return small if (small == numbers).all() else numbers.astype(np.float64, copy=False)

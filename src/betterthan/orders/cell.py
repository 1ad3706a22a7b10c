"""One cell that holds an order: a > b = c, or a list. What could be read in two ways is refused."""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.io.cells import plain_text
from betterthan.io.problems import shown

_SEPARATORS = "|;,"
_OTHER_SIGNS = "<≤≥≻≺→←＞＜＝"  # of an order too, but not of the ones that are read
_WITHIN = re.compile(r"[\s/\\:~^-]+")
_JSON = 'or give a list in JSON, such as ["a", "b"]'


def groups_of(value: Any) -> list[list[str]]:
    """The items of one cell, first to last, in groups of tied ones; none where it is blank.

    Raises
    ------
    ValueError
        If it is no order, or could be read as two different ones.

    Examples
    --------
    >>> groups_of("a > b = c"), groups_of("a, b"), groups_of('["a, x", "b"]')
    ([['a'], ['b', 'c']], [['a'], ['b']], [['a, x'], ['b']])
    """
    if isinstance(value, list | tuple | np.ndarray):
        groups = _listed(value)
    elif isinstance(value, dict | set):
        raise ValueError(f"is a {type(value).__name__}; give a list of items, the best first")
    else:
        text = plain_text(value).strip()
        groups = _listed(_json(text)) if text.startswith("[") else _written(text)
    _refuse_repeated(groups)
    return groups


def _written(text: str) -> list[list[str]]:
    """Items with signs between them."""
    if not text:
        return []
    other = next((sign for sign in _OTHER_SIGNS if sign in text), None)
    if other:
        raise ValueError(f"has the sign {other!r}; put '>' between items, the best first, {_JSON}")
    between = [sign for sign in _SEPARATORS if sign in text]
    ranked = [sign for sign in ">=" if sign in text]
    if len(between) > 1 or (between and ranked):
        signs = " and ".join(map(repr, [*ranked, *between]))
        raise ValueError(
            f"has {signs} in one order; put '>' between items and '=' between tied ones, or one "
            f"other sign between all, {_JSON}"
        )
    if between:
        groups = [[item.strip()] for item in text.split(between[0])]
    else:
        groups = [[item.strip() for item in group.split("=")] for group in text.split(">")]
    if any(not item for group in groups for item in group):
        raise ValueError("has a blank where an item should stand; every item needs a name")
    return groups


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(
            'begins like a list in JSON, but is none; give ["a", "b"], in double quotes'
        ) from None


def _listed(items: Any) -> list[list[str]]:
    """A list of items, of which none are tied."""
    for item in items:
        if isinstance(item, list | tuple | dict | set | np.ndarray | bool):
            hint = "a list of plain items, the best first, or a > b = c where items are tied"
            raise ValueError(f"holds {shown(item)}; give {hint}")
    groups = [[plain_text(item).strip()] for item in items]
    if [""] in groups:
        raise ValueError("has a blank where an item should stand; every item needs a name")
    return groups


def _refuse_repeated(groups: list[list[str]]) -> None:
    items = [item for group in groups for item in group]
    for k, item in enumerate(items):
        if items.index(item) < k:
            tied = len(items) > len(groups)
            where = "twice" if tied else f"at positions {items.index(item) + 1} and {k + 1}"
            raise ValueError(
                f"item {shown(item)} occurs {where}; every item stands once in an order"
            )


def unseparated(orders: Sequence[list[str]]) -> int | None:
    """Return the first order with one item that may be several with an unknown separator."""
    known_items = {item for items in orders if len(items) > 1 for item in items}
    for k, items in enumerate(orders):
        parts = [part for part in _WITHIN.split(items[0]) if part] if len(items) == 1 else []
        if len(parts) > 1 and (set(parts) <= known_items or not known_items):
            return k
    return None

"""Which column plays which role, by name: the one table of recognised names."""

from collections.abc import Sequence

from betterthan import names
from betterthan.io.table import NAMELESS, Table

# The first name present wins; letter case does not matter.
_NAMES = {
    "item": "item item_id id example example_id instance_id question_id sample_id doc_id uid idx "
    "index i doc document",
    "system": "system model",
    "score": "score",
    "dataset": "dataset task",
    "cluster": "cluster",
    "epoch": "epoch",
    "judge": "judge",
    "gold": "gold label answer reference expected truth",
    "winner": "winner",
    "wins": "wins wins_a",
    "losses": "losses wins_b",
    "ties": "ties",
    "class": "label type class",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
}
ALIASES = {role: tuple(found.split()) for role, found in _NAMES.items()}
PAIRS = (
    ("system_a", "system_b"),
    ("model_a", "model_b"),
    ("left", "right"),
    ("model_x", "model_y"),
)


def candidates(table: Table, role: str) -> list[str]:
    """All columns whose name stands for `role`, the most telling first."""
    by_name = table.by_name
    if role in (names.SYSTEM_A, names.SYSTEM_B):
        side = (names.SYSTEM_A, names.SYSTEM_B).index(role)
        return [by_name[pair[side]] for pair in PAIRS if set(pair) <= set(by_name)]
    matches = [by_name[name] for name in ALIASES[role] if name in by_name]
    if role == "item" and not matches:
        matches = [column for column in NAMELESS if column in table.columns]
    return matches


def find(table: Table, role: str) -> str | None:
    """Return the column that plays `role`, or None."""
    matches = candidates(table, role)
    return matches[0] if matches else None


def missing(table: Table, roles: Sequence[str]) -> list[str]:
    """The roles that no column plays."""
    return [role for role in roles if find(table, role) is None]

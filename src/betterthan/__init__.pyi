from .outcomes.scoring import count_outcomes, item_outcomes
from .outcomes.shapes import apply_ties, swap, to_pairs, to_square
from .outcomes.tables import counts_from_contingency, counts_from_table

__all__ = [
    "apply_ties",
    "count_outcomes",
    "counts_from_contingency",
    "counts_from_table",
    "item_outcomes",
    "swap",
    "to_pairs",
    "to_square",
]

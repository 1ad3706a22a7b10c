from . import models
from .bayes.conjugate import exact_draws
from .bayes.draws import summary
from .bayes.gate import Diagnosis, diagnose
from .io.reading import read
from .outcomes.scoring import count_outcomes, item_outcomes
from .outcomes.shapes import apply_ties, swap, to_pairs, to_square
from .outcomes.tables import counts_from_contingency, counts_from_table

__all__ = [
    "Diagnosis",
    "apply_ties",
    "count_outcomes",
    "counts_from_contingency",
    "counts_from_table",
    "diagnose",
    "exact_draws",
    "item_outcomes",
    "models",
    "read",
    "summary",
    "swap",
    "to_pairs",
    "to_square",
]

from . import models
from .bayes.closed import bayes_factor, decisive, decisive_density, prob_better
from .bayes.conjugate import exact_draws
from .bayes.differences import (
    difference,
    difference_cdf,
    difference_density,
    difference_quantile,
    prob_difference_above,
    prob_equivalent,
)
from .bayes.draws import summary
from .bayes.gate import Diagnosis, diagnose
from .io.reading import read
from .outcomes.scoring import count_outcomes, item_outcomes
from .outcomes.shapes import apply_ties, swap, to_pairs, to_square
from .outcomes.tables import counts_from_contingency, counts_from_table

__all__ = [
    "Diagnosis",
    "apply_ties",
    "bayes_factor",
    "count_outcomes",
    "counts_from_contingency",
    "counts_from_table",
    "decisive",
    "decisive_density",
    "diagnose",
    "difference",
    "difference_cdf",
    "difference_density",
    "difference_quantile",
    "exact_draws",
    "item_outcomes",
    "models",
    "prob_better",
    "prob_difference_above",
    "prob_equivalent",
    "read",
    "summary",
    "swap",
    "to_pairs",
    "to_square",
]

"""The published tables this package reproduces, each with its citation, and small fits to try things on."""

from betterthan.datasets.beetle import beetle_confusion, beetle_function_fits, beetle_functions, beetle_scores
from betterthan.datasets.diag import diag_measures
from betterthan.datasets.examples import example_fit
from betterthan.datasets.intent import contingency_case, intent_detection
from betterthan.datasets.muc6 import muc6_similarity

__all__ = [
    "beetle_confusion",
    "beetle_function_fits",
    "beetle_functions",
    "beetle_scores",
    "contingency_case",
    "diag_measures",
    "example_fit",
    "intent_detection",
    "muc6_similarity",
]

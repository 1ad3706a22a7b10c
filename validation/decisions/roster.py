"""All cells, family by family."""

from validation.decisions import (
    of_alike,
    of_averages,
    of_checks,
    of_datasets,
    of_gates,
    of_graded,
    of_judged,
    of_judgments,
    of_labels,
    of_many,
    of_outcomes,
    of_pairs,
    of_people,
    of_raters,
    of_resampled,
    of_runs,
    of_sizes,
    of_units,
)
from validation.decisions.cells import Cell

CELLS: tuple[Cell, ...] = (
    *of_pairs.CELLS,
    *of_units.CELLS,
    *of_sizes.CELLS,
    *of_graded.CELLS,
    *of_many.CELLS,
    *of_checks.CELLS,
    *of_datasets.CELLS,
    *of_averages.CELLS,
    *of_judgments.CELLS,
    *of_judged.CELLS,
    *of_labels.CELLS,
    *of_gates.CELLS,
    *of_resampled.CELLS,
    *of_people.CELLS,
    *of_raters.CELLS,
    *of_outcomes.CELLS,
    *of_alike.CELLS,
    *of_runs.CELLS,
)
FAMILIES = tuple(dict.fromkeys(cell.family for cell in CELLS))

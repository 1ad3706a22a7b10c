"""The page on what a fitted model, an adopted one, or folds say of all pairs."""

from typing import Any

import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.model_registry import ROSTER
from betterthan.results import rows
from betterthan.results.columns import count, difference, interval_of, number
from betterthan.results.document import Document, Figure, Part, Table, parts_present, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_of
from betterthan.results.pair_tables import COUNTS, P_BETTER, table_of_pairs, verdict
from betterthan.results.provenance import signature
from betterthan.results.sentences import sentences_of
from betterthan.results.systems_table import P_BEST, PAIR_COUNTS, table_of_systems
from betterthan.signed import Signature

_LIMITS = (
    "Undecided means that these data do not settle the matter, not that the systems are equal.",
    "Each pair is answered by itself: of many pairs some reach the threshold by chance.",
)
_ADOPTED = (
    "The model was sampled by the user and adopted. How often its verdicts are right was not "
    "examined here."
)
_PAIRS_OF = 10  # systems up to which every pair has a row
_AS_IN_DATA = {
    "system": names.SYSTEM_A,
    "other": names.SYSTEM_B,
    "mcse": "prob_better_mcse",
    "difference": "difference_mean",
    "lower": "difference_lower",
    "upper": "difference_upper",
}
_ROWS = 20  # systems shown of many


def page(found: xr.Dataset) -> Document:
    """Everything a report says of it."""
    made, data = Signature.from_attrs(found.attrs), rows.leading(found)
    systems: Any = rows.systems(data)
    few = len(systems) <= _PAIRS_OF
    part = Part(
        "Pairs" if few else "Systems",
        tables=[_pairs(rows.pairs(data), made) if few else _systems(systems)],
        figures=_figures(found),
    )
    adopted = made.model == names.ADOPTED
    return Document(
        f"Systems compared by {'an' if adopted else 'the model'} {made.model}",
        "Which system is better?",
        parts_present(part, _model(made)),
        [*(made.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(signature(found))],
        [on_one_line(line) for line in sentences_of(answer_of(found))],
    )


def _pairs(pairs: pd.DataFrame, made: Signature) -> Table:
    """Every pair: P(better), the difference, the verdict, counts."""
    table: Any = pairs.rename(columns=_AS_IN_DATA).replace({"verdict": {"better": "a_better"}})
    sizes = table.get("difference_mean")
    interval = interval_of({"ci_prob": made.ci_prob, "ci_kind": made.ci_kind or "eti"})
    size = difference("Difference", bracketed=interval)
    known = [size] if sizes is not None and sizes.notna().any() else []
    return table_of_pairs(table, [P_BETTER, *known, verdict(), *COUNTS, count("N", "n")])


def _systems(systems: pd.DataFrame) -> Table:
    """The first of many systems: scores, ranks, and how their pairs ended."""
    columns = [
        number("Score", "score", "{:.3f}".format),
        number("Expected rank", "expected_rank", "{:.1f}".format),
        P_BEST,
        *(count(PAIR_COUNTS[name], name) for name in ("better_than", "worse_than", "open")),
    ]
    left = len(systems) - _ROWS
    rest = f"{left} more systems: .systems has them all, .pairs every pair." if left > 0 else ""
    return table_of_systems(systems.head(_ROWS), columns, rest or "Every pair: .pairs.")


def _figures(found: xr.Dataset) -> list[Figure]:
    """The differences and the matrix, where systems form a square."""
    if names.SYSTEM_A not in found.dims:
        return []
    data = rows.leading(found)
    figures = [Figure("P(row better than column)", plotted("matrix", data))]
    if "difference_mean" in data:
        figures.insert(0, Figure("Differences", plotted("differences", data)))
    return figures


def _model(made: Signature) -> Part:
    """The model, how it was sampled, and whether the chains agree."""
    assumes = next((spec.assumes for spec in ROSTER if spec.name == made.model), "")
    facts = [("Model", assumes or str(made.model))]
    if made.draws is not None:
        library = made.inference_library or "own sampler"
        drawn = f"{made.chains} chains x {made.draws} draws, {library}"
        facts.append(("Draws", drawn if made.seed is None else f"{drawn}, seed {made.seed}"))
    if made.rhat_max is not None:
        health = f"R-hat at most {made.rhat_max:.3f}, ESS at least {made.ess_min:.0f}"
        known = made.divergences is not None
        divergences = f"{made.divergences} divergences" if known else "divergences not known"
        facts.append(("Convergence", f"{health}, {divergences}"))
    if made.failures:
        facts.append(("Not to be trusted", " ".join(made.failures)))
    return Part("Model and draws", facts=facts)

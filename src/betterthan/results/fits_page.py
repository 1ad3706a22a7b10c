"""The page on what a fitted model, an adopted one, or folds say of all pairs."""

from typing import Any

import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.model_registry import ROSTER
from betterthan.results import rows
from betterthan.results.brief import answer_context
from betterthan.results.columns import count, difference, interval_label, number
from betterthan.results.comparison_page import matrix_section
from betterthan.results.document import Document, Part, Table, parts_present
from betterthan.results.facts import answer_facts
from betterthan.results.numbers import on_one_line
from betterthan.results.pair_tables import COUNTS, P_BETTER, table_by_pair, verdict, with_marks
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences
from betterthan.results.systems_table import P_BEST, PAIR_COUNTS, table_by_system
from betterthan.signed import Signature

_LIMITS = (
    '"Undecided" does not mean equal.',
    "Verdicts are pairwise: with many pairs, some reach the threshold by chance.",
)
_ADOPTED = "You sampled this model yourself. How often its verdicts are correct was not examined."
_PAIRED_SYSTEMS = 10  # systems up to which every pair has a row
_AS_IN_DATA = {
    "system": names.SYSTEM_A,
    "other": names.SYSTEM_B,
    "mcse": "prob_better_mcse",
    "difference": "difference_mean",
    "lower": "difference_lower",
    "upper": "difference_upper",
}
_ROWS = 20  # systems shown of many


def page(answer: xr.Dataset) -> Document:
    """Everything a report says of it."""
    provenance, data = Signature.from_attrs(answer.attrs), rows.leading(answer)
    systems: Any = rows.systems(data)
    few = len(systems) <= _PAIRED_SYSTEMS
    part = Part(
        "Pairs" if few else "Systems",
        tables=[_pairs(rows.pairs(data), provenance) if few else _systems(systems)],
    )
    context = answer_context(answer)
    matrix = None if context is None or provenance.failures else matrix_section(context)
    adopted = provenance.model == names.ADOPTED
    return Document(
        f"Systems compared by {'an' if adopted else 'the model'} {provenance.model}",
        "Which system is better?",
        parts_present(part, matrix, _model(provenance)),
        [*(provenance.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(signature(answer))],
        [on_one_line(line) for line in answer_sentences(answer_facts(answer))],
    )


def _pairs(pairs: pd.DataFrame, provenance: Signature) -> Table:
    """Every pair: P(better), the difference, the verdict, counts."""
    table: Any = pairs.rename(columns=_AS_IN_DATA).replace({"verdict": {"better": "a_better"}})
    sizes = table.get("difference_mean")
    interval = interval_label(
        {"ci_prob": provenance.ci_prob, "ci_kind": provenance.ci_kind or "eti"}
    )
    size = difference("Difference", bracketed=interval)
    sized = [size] if sizes is not None and sizes.notna().any() else []
    error = number("MC error", "prob_better_mcse", "{:.1g}".format)
    n = len(table)
    caption = "The pair" if n == 1 else f"All {n:,} pairs, the system ahead first"
    if sized:
        sized[0], caption = with_marks(size, table, caption)
    columns = [*sized, P_BETTER, error, *COUNTS, count("N", "n"), verdict()]
    return table_by_pair(table, columns, caption)


def _systems(systems: pd.DataFrame) -> Table:
    """The first of many systems: scores, ranks, and how their pairs ended."""
    columns = [
        number("Score", "score", "{:.3f}".format),
        number("Expected rank", "expected_rank", "{:.1f}".format),
        P_BEST,
        *(count(PAIR_COUNTS[name], name) for name in ("better_than", "worse_than", "undecided")),
    ]
    left = len(systems) - _ROWS
    note = f"{left} more systems: .systems has them all, .pairs every pair." if left > 0 else ""
    caption = f"Systems, best first. {note or 'Every pair: .pairs.'}"
    return table_by_system(systems.head(_ROWS), columns, caption)


def _model(provenance: Signature) -> Part:
    """The model, how it was sampled, and whether the chains agree."""
    assumes = next((spec.assumes for spec in ROSTER if spec.name == provenance.model), "")
    facts = [("Model", assumes or str(provenance.model))]
    if provenance.draws is not None:
        library = provenance.inference_library or "own sampler"
        drawn = f"{provenance.chains} chains x {provenance.draws} draws, {library}"
        facts.append(
            ("Draws", drawn if provenance.seed is None else f"{drawn}, seed {provenance.seed}")
        )
    if provenance.rhat_max is not None:
        health = f"R-hat at most {provenance.rhat_max:.3f}, ESS at least {provenance.ess_min:.0f}"
        counted = provenance.divergences is not None
        divergences = (
            f"{provenance.divergences} divergences" if counted else "divergences not known"
        )
        facts.append(("Convergence", f"{health}, {divergences}"))
    if provenance.failures:
        facts.append(("Failed checks", " ".join(provenance.failures)))
    return Part("Model and draws", facts=facts)

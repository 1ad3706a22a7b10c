"""The page on what a fitted model, an adopted one, or folds say of all pairs."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.model_registry import ROSTER
from betterthan.results import numbers, rows
from betterthan.results.cells import interval_of
from betterthan.results.document import Document, Figure, Part, Table, parts_told, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import answer_of
from betterthan.results.provenance import signature
from betterthan.results.sentences import sentences_of
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
        parts_told(part, _model(made)),
        [*(made.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(signature(found))],
        [on_one_line(line) for line in sentences_of(answer_of(found))],
    )


def _pairs(table: pd.DataFrame, made: Signature) -> Table:
    """Every pair: P(better), the difference, the verdict, counts."""
    columns = {"System": table["system"], "Other": table["other"]}
    columns |= {k: _unless_withheld(v, table) for k, v in _numbers(table, made).items()}
    columns["Verdict"] = table["verdict"].str.replace("_", " ").tolist()
    counted = [c for c in ("wins", "losses", "ties", "n") if c in table]
    columns |= {c.capitalize(): table[c].tolist() for c in counted}
    return _table(columns, left=2)


def _numbers(table: Any, made: Signature) -> dict[str, list[str]]:
    errors = table["mcse"] if "mcse" in table else np.zeros(len(table))
    each = zip(table["prob_better"], errors, strict=True)
    columns = {"P(better)": [numbers.probability(*one) for one in each]}
    if "difference" not in table or not table["difference"].notna().any():
        return columns
    ends = zip(*(table[k] for k in ("difference", "lower", "upper")), strict=True)
    interval = {"ci_prob": made.ci_prob, "ci_kind": made.ci_kind or "eti"}
    head = f"Difference [{interval_of(interval)}]"
    return columns | {head: [numbers.difference(*one) for one in ends]}


def _unless_withheld(cells: list[str], table: pd.DataFrame) -> list[str]:
    """No number where there is no verdict."""
    withheld = table["verdict"].isin(["no_data", "no_verdict"])
    return ["–" if none else cell for cell, none in zip(cells, withheld, strict=True)]


def _systems(systems: pd.DataFrame) -> Table:
    """The first of many systems: scores, ranks, and how their pairs ended."""
    table = systems.head(_ROWS)
    columns: dict[str, Any] = {"System": table["system"]}
    for name, head, places in (("score", "Score", 3), ("expected_rank", "Expected rank", 1)):
        if name in table:
            columns[head] = [f"{v:.{places}f}" for v in table[name]]
    if "prob_best" in table:
        errors: Any = table.get("prob_best_mcse", np.zeros(len(table)))
        each = zip(table["prob_best"], errors, strict=True)
        columns["P(best)"] = [numbers.probability(*one) for one in each]
    ends = {"Better than": "better_than", "Worse than": "worse_than", "Open": "open"}
    columns |= {head: table[name] for head, name in ends.items()}
    left = len(systems) - len(table)
    rest = f"{left} more systems: .systems has them all, .pairs every pair." if left else ""
    return _table(columns, left=1, caption=rest or "Every pair: .pairs.")


def _table(columns: dict[str, Any], left: int, caption: str = "") -> Table:
    cells = [[on_one_line(str(cell)) for cell in column] for column in columns.values()]
    return Table(tuple(columns), list(zip(*cells, strict=True)), caption, left=left)


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

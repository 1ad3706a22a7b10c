"""An answer on a terminal and in a notebook: words, one table, one line how it was made."""

from html import escape
from typing import Any

import numpy as np
import pandas as pd

from betterthan.answers import numbers, rows

_PAIRS_OF = 10  # systems up to which every pair has a row
_ROWS = 20  # systems shown of many


def as_text(comparison: Any) -> str:
    """Words, the table, the signature."""
    table, more = told(comparison)
    parts = ["\n".join(comparison.statement()), table.to_string(index=False)]
    return "\n\n".join([*parts, *([more] if more else []), comparison.signature()])


def as_html(comparison: Any) -> str:
    """The same for a notebook."""
    table, more = told(comparison)
    said = "".join(f"<p><b>{escape(line)}</b></p>" for line in comparison.statement())
    more = f"<p>{escape(more)}</p>" if more else ""
    signed = f"<p><small>{escape(comparison.signature())}</small></p>"
    return f"<div>{said}{table.to_html(index=False, border=0)}{more}{signed}</div>"


def told(comparison: Any) -> tuple[pd.DataFrame, str]:
    """The table a person reads, written out, and what was left out of it."""
    data = rows.leading(comparison.data)
    systems = rows.systems(data)
    if len(systems) <= _PAIRS_OF:
        return _pairs(rows.pairs(data), comparison.made), ""
    shown = _systems(systems.head(_ROWS))
    left = len(systems) - len(shown)
    said = f"{left} more systems: .systems has them all, .pairs every pair." if left else ""
    return shown, said or "Every pair: .pairs."


def _pairs(table: Any, made: Any) -> pd.DataFrame:
    errors = table["mcse"] if "mcse" in table else np.zeros(len(table))
    said = table[["system", "other"]].assign(
        prob_better=[
            numbers.probability(*v) for v in zip(table["prob_better"], errors, strict=True)
        ]
    )
    if "difference" in table and table["difference"].notna().any():
        ends = [table[k] for k in ("difference", "lower", "upper")]
        text = [numbers.difference(*v).partition(" [") for v in zip(*ends, strict=True)]
        said["difference"] = [mean for mean, _, _ in text]
        interval = f"{100 * made.ci_prob:g}% {str(made.ci_kind or 'eti').upper()}"
        said[interval] = [mark.strip() + end for _, mark, end in text]
    said = _withheld(said, table["verdict"])
    counted = [c for c in ("wins", "losses", "ties", "n") if c in table]
    return said.assign(**{c: table[c] for c in counted})


def _withheld(said: Any, verdict: Any) -> Any:
    """The verdict in words, and no number before it where none is given."""
    said.loc[verdict.isin(["no_data", "no_verdict"]), said.columns[2:]] = "–"
    return said.assign(verdict=verdict.str.replace("_", " "))


def _systems(table: Any) -> pd.DataFrame:
    said = table[["system"]].copy()
    for name, places in (("score", 3), ("expected_rank", 1)):
        if name in table:
            said[name] = [f"{v:.{places}f}" for v in table[name]]
    if "prob_best" in table:
        said.insert(
            len(said.columns), "prob_best", [numbers.probability(p) for p in table["prob_best"]]
        )
    ended = ("better_than", "worse_than", "open")
    return said.assign(**{name: table[name] for name in ended})

"""An answer on a terminal and in a notebook: words, one table, one line how it was made."""

from html import escape
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan.answers import numbers, rows
from betterthan.answers.words import difference_of
from betterthan.signed import Signature

_PAIRS_OF = 10  # systems up to which every pair has a row
_ROWS = 20  # systems shown of many


def as_text(comparison: Any) -> str:
    """Words, the table, the signature."""
    table, more = told(comparison)
    parts = ["\n".join([*comparison.statement(), *_audit(comparison)])]
    parts.append(table.to_string(index=False))
    more = [line for line in (more, *_notes(comparison)) if line]
    return _plain("\n\n".join([*parts, *more, comparison.signature()]))


def as_html(comparison: Any) -> str:
    """The same for a notebook."""
    table, more = told(comparison)
    said = "".join(f"<p><b>{escape(line)}</b></p>" for line in comparison.statement())
    said += "".join(f"<p>{escape(line)}</p>" for line in _audit(comparison))
    more = "".join(f"<p>{escape(line)}</p>" for line in (more, *_notes(comparison)) if line)
    signed = f"<p><small>{escape(comparison.signature())}</small></p>"
    return _plain(
        f"<div>{said}{table.to_html(index=False, border=0, justify='left')}{more}{signed}</div>"
    )


def _notes(comparison: Any) -> tuple[str, ...]:
    """What a reader must know of the draws."""
    return (comparison.made.notes or ()) if comparison.made.answer == "pairs" else ()


def _audit(comparison: Any) -> list[str]:
    """What stops a comparison of the scores, or warns of it."""
    return [f"Audit: {line}" for line in comparison.made.audit or ()]


def told(comparison: Any) -> tuple[pd.DataFrame, str]:
    """The table a person reads, written out, and what was left out of it."""
    data = rows.leading(comparison.data)
    systems = rows.systems(data)
    if len(systems) <= _PAIRS_OF:
        return _pairs(rows.pairs(data), comparison.made), _what(data, comparison.made)
    shown = _systems(systems.head(_ROWS))
    left = len(systems) - len(shown)
    said = f"{left} more systems: .systems has them all, .pairs every pair." if left else ""
    return shown, said or "Every pair: .pairs."


def _what(data: xr.Dataset, made: Signature) -> str:
    """What the differences are, and what stands beside."""
    said = []
    if made.difference_is and "difference_mean" in data:
        said.append(f"difference: {difference_of('system', 'other', made).rstrip(',')}")
    if "judge_prob_better" in data:
        said.append("labels alone, judge alone: the same by each, the judge not corrected")
    if "among_prob_better" in data:
        said.append("among all: P(system better), all systems in one joint posterior")
    return "; ".join(said)


def _plain(text: str) -> str:
    """Text without what a terminal would act on: it may stand in the name of a system."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _pairs(table: Any, made: Any) -> pd.DataFrame:
    errors = table["mcse"] if "mcse" in table else np.zeros(len(table))
    said = table[["system", "other"]].assign(
        prob_better=[
            numbers.probability(*v) for v in zip(table["prob_better"], errors, strict=True)
        ]
    )
    said = _withheld(said.assign(**_sizes(table, made)), table["verdict"])
    for name, head in _BESIDE.items():
        if f"{name}_prob_better" in table:
            said[head] = [numbers.probability(p) for p in table[f"{name}_prob_better"]]
    counted = [c for c in ("wins", "losses", "ties", "n") if c in table]
    heads = _OF_JUDGED if made.answer == "judged" else {}
    return said.assign(**{heads.get(c, c): table[c] for c in counted})


def _withheld(said: Any, verdict: Any) -> Any:
    """The verdict in words, and no number before it where none is given."""
    said.loc[verdict.isin(["no_data", "no_verdict"]), said.columns[2:]] = "–"
    return said.assign(verdict=verdict.str.replace("_", " "))


def _sizes(table: Any, made: Any) -> dict[str, list[str]]:
    """Differences and their intervals, written out."""
    if "difference" not in table or not table["difference"].notna().any():
        return {}
    ends = [table[k] for k in ("difference", "lower", "upper")]
    text = [numbers.difference(*v).partition(" [") for v in zip(*ends, strict=True)]
    interval = f"{100 * made.ci_prob:g}% {str(made.ci_kind or 'eti').upper()}"
    return {
        "difference": [mean for mean, _, _ in text],
        interval: [mark.strip() + end for _, mark, end in text],
    }


_BESIDE = {
    **{"mean": "P(mean better)", "wins": "P(wins more)", "among": "among all"},
    **{"gold": "labels alone", "judge": "judge alone"},
}


# what a judge gave is counted by the labels of people
_OF_JUDGED = {"wins": "labelled wins", "losses": "losses", "ties": "ties", "n": "judged"}


def _systems(table: Any) -> pd.DataFrame:
    said = table[["system"]].copy()
    for name, places in (("score", 3), ("expected_rank", 1)):
        if name in table:
            said[name] = [f"{v:.{places}f}" for v in table[name]]
    if "prob_best" in table:
        errors = table.get("prob_best_mcse", np.zeros(len(table)))
        told = zip(table["prob_best"], errors, strict=True)
        said["prob_best"] = [numbers.probability(*v) for v in told]
    ended = ("better_than", "worse_than", "open")
    return said.assign(**{name: table[name] for name in ended})

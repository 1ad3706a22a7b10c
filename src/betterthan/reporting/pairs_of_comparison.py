"""The table of the pairs of a comparison: those that matter."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.answers.rows import difference_of, one_sided
from betterthan.reporting.cells import interval_of
from betterthan.reporting.columns import NO_DATA, Column, difference, number, probability
from betterthan.reporting.engines import ENGINES
from betterthan.reporting.page import Table
from betterthan.reporting.pairs_table import (
    COUNTS,
    P_BETTER,
    pairs_of,
    rope_columns,
    table_of_pairs,
    verdict,
)
from betterthan.reporting.sentences import unit_of
from betterthan.reporting.shown import PAIRS_SEEN, Shown

ONE_SIDED_MARK = " †"
_BESIDE = {"mean": "P(mean better)", "wins": "P(wins more)", "among": "P among all"}


def pairs_table(shown: Shown) -> Table:
    """One row for each pair shown."""
    rows, caption, made = _pairs(shown), _caption(shown), shown.made
    if "difference_lower" in rows and _one_sided(rows).any():
        interval = interval_of(made.to_attrs())
        caption += f".{ONE_SIDED_MARK}: one-sided; the {interval} includes 0"
    rest: Any = {"shown": PAIRS_SEEN, "rest": _rest(shown)}
    return table_of_pairs(rows, _columns(shown), caption, name="pairs", **rest)


def _one_sided(rows: xr.Dataset) -> np.ndarray:
    """Verdicts whose interval includes 0."""
    return one_sided(*(rows[k].values for k in ("verdict", "difference_lower", "difference_upper")))


def _pairs(shown: Shown) -> xr.Dataset:
    """The pairs shown, with the probabilities of the second engine."""
    found = pairs_of(shown.whole, shown.pairs)
    for k in range(1, min(2, len(shown.engine_names))):
        second = shown.engines.isel({names.ENGINE: k})
        both = [v for v in ("prob_better", "prob_better_mcse") if v in second]
        other = pairs_of(second[both], shown.pairs)
        found = found.assign({f"engine_{v}": other[v] for v in both})
    return found


def _columns(shown: Shown) -> list[Column]:
    what = difference_of("system", "other", shown.made).removesuffix(", lower is better,")
    interval = interval_of(shown.made.to_attrs())
    wrong = probability("Sign error", "sign_error", error="prob_better_mcse")
    return [
        *COUNTS,
        P_BETTER,
        *(
            probability(ENGINES[name].beside, "engine_prob_better", blank=NO_DATA)
            for name in shown.engine_names[1:2]
        ),
        *(probability(head, f"{k}_prob_better", blank=NO_DATA) for k, head in _BESIDE.items()),
        number("z", "z", "{:+.1f}".format, blank=NO_DATA),
        verdict(shown.verdict_head, unit=unit_of(shown.made)),
        Column("Missing as wrong", _as_wrong, "verdict_if_wrong", ()),
        difference(f"{what[0].upper()}{what[1:]}", bracketed=interval, mark=ONE_SIDED_MARK),
        *rope_columns(shown.rope),
        number("BF01", "bayes_factor_01", numbers.bayes_factor),
        *([wrong] if shown.many else []),
    ]


def _as_wrong(rows: xr.Dataset) -> list[str]:
    """The answer with missing scores as wrong ones."""
    answers = verdict(name="verdict_if_wrong"), probability("", "prob_better_if_wrong")
    return [", ".join(each) for each in zip(*(one.write(rows) for one in answers), strict=True)]


def _caption(shown: Shown) -> str:
    total = _total(shown)
    if total == 1:
        return "The pair"
    if len(shown.pairs) == total:
        return f"All {total:,} pairs, the system ahead first"
    base = ", with the baseline" if shown.made.baseline else ""
    return f"Pairs with the best{base}, and of neighbours, the system ahead first"


def _rest(shown: Shown) -> str:
    total = _total(shown)
    left = len(shown.pairs) < total
    return f".pairs of the comparison, and pairs.csv, have all {total:,}" if left else ""


def _total(shown: Shown) -> int:
    return len(shown.systems) * (len(shown.systems) - 1) // 2

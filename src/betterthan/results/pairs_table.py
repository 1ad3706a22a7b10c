"""The table of pairs: one row for each that matters, the system ahead first."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import interval_of
from betterthan.results.context import PAIRS_SEEN, Shown
from betterthan.results.document import Table
from betterthan.results.engines import ENGINES
from betterthan.results.rows import difference_of, in_one_unit, of_pairs, one_sided
from betterthan.results.sentences import title_of_verdict, unit_of

ONE_SIDED_MARK = " †"
_BESIDE = {"mean": "P(mean better)", "wins": "P(wins more)", "among": "P among all"}
_AS_WRONG = "Missing as wrong"


def pairs_table(shown: Shown) -> Table:
    """One row for each pair shown."""
    at = _at(shown.whole, shown)
    columns = _counted(at) | _answered(shown, at) | _sized(shown, at)
    verdict = at["verdict"].values.astype(str)
    withheld = np.isin(verdict, ["no_data", "no_verdict"])
    hidden = _hidden(shown, withheld, verdict == "no_data", columns)
    keys = list(zip(*(at[k].values.astype(str).tolist() for k in names.SQUARE), strict=True))
    rows = [
        (*key, *("–" if hidden[c][k] else column[k] for c, column in columns.items()))
        for k, key in enumerate(keys)
    ]
    seen: dict[str, Any] = {"shown": PAIRS_SEEN, "rest": _rest(shown, len(rows))}
    caption = _caption(shown)
    if "difference_lower" in at and _one_sided(at).any():
        caption += (
            f".{ONE_SIDED_MARK}: one-sided; the {interval_of(shown.made.to_attrs())} includes 0"
        )
    return Table(
        ("System", "Other", *columns), rows, caption, left=2, name="pairs", keys=keys, **seen
    )


def _one_sided(at: xr.Dataset) -> np.ndarray:
    """Verdicts whose interval includes 0."""
    lower, upper = (at[f"difference_{end}"].values for end in ("lower", "upper"))
    return one_sided(at["verdict"].values, lower, upper)


def _at(table: xr.Dataset, shown: Shown) -> xr.Dataset:
    """Of any table over both systems the pairs shown, over (pair,)."""
    first, second = np.array(shown.pairs).T
    return of_pairs(table, first, second)


def _caption(shown: Shown) -> str:
    total = len(shown.systems) * (len(shown.systems) - 1) // 2
    if total == 1:
        return "The pair"
    if len(shown.pairs) == total:
        return f"All {total:,} pairs, the system ahead first"
    base = ", with the baseline" if shown.made.baseline else ""
    return f"Pairs with the best{base}, and of neighbours, the system ahead first"


def _rest(shown: Shown, rows: int) -> str:
    total = len(shown.systems) * (len(shown.systems) - 1) // 2
    return f".pairs of the comparison, and pairs.csv, have all {total:,}" if rows < total else ""


def _column(at: xr.Dataset, name: str, write: Callable[..., str]) -> list[str]:
    """A variable as written, with its Monte Carlo error where it has one."""
    values = at[name].values.tolist()
    if f"{name}_mcse" not in at:
        return [write(value) for value in values]
    errors = at[f"{name}_mcse"].values.tolist()
    return [write(*each) for each in zip(values, errors, strict=True)]


def _counted(at: xr.Dataset) -> dict[str, list[str]]:
    heads = ("Wins", "Losses", "Ties")
    counts = at["counts"].transpose(names.OUTCOME, names.PAIR).values
    return {head: [f"{int(n):,}" for n in row] for head, row in zip(heads, counts, strict=False)}


def _answered(shown: Shown, at: xr.Dataset) -> dict[str, list[str]]:
    """P(better) by the first engine and by one beside it, how far they are apart, the verdict."""
    columns = {"P(better)": _column(at, "prob_better", numbers.probability)}
    both = [v for v in ("prob_better", "prob_better_mcse", "z") if v in shown.engines]
    beside = _at(shown.engines[both], shown)
    for name in shown.engine_names[1:2]:
        other = beside.isel({names.ENGINE: 1})
        columns[ENGINES[name].beside] = _column(other, "prob_better", numbers.probability)
    for name, head in _BESIDE.items():
        if f"{name}_prob_better" in at:
            columns[head] = _column(at, f"{name}_prob_better", numbers.probability)
    if "z" in beside:
        columns["z"] = [f"{z:+.1f}" for z in beside["z"].values]
    return columns | _verdicts(shown, at)


def _verdicts(shown: Shown, at: xr.Dataset) -> dict[str, list[str]]:
    sides = [(shown.systems[i], shown.systems[j]) for i, j in shown.pairs]
    said = zip(at["verdict"].values.astype(str), sides, strict=True)
    one = np.where(in_one_unit(at), unit_of(shown.made), "").tolist()
    told = [title_of_verdict(v, *pair, of) for (v, pair), of in zip(said, one, strict=True)]
    columns = {shown.verdict_head: told}
    if "verdict_if_wrong" in at:
        wrong = (at[f"{name}_if_wrong"].values for name in ("verdict", "prob_better"))
        columns[_AS_WRONG] = [
            f"{title_of_verdict(str(v), *pair)}, {numbers.probability(p)}"
            for v, p, pair in zip(*wrong, sides, strict=True)
        ]
    return columns


def _sized(shown: Shown, at: xr.Dataset) -> dict[str, list[str]]:
    """The difference, and what is said of it."""
    columns = {}
    if "difference_mean" in at:
        what = difference_of("system", "other", shown.made).removesuffix(", lower is better,")
        head = f"{what[0].upper()}{what[1:]} [{interval_of(shown.made.to_attrs())}]"
        ends = (at[f"difference_{end}"].values.tolist() for end in ("mean", "lower", "upper"))
        errors = at.get("difference_mean_mcse", at["difference_mean"] * 0).values.tolist()
        marks = np.where(_one_sided(at), ONE_SIDED_MARK, "")
        written = (numbers.difference(*each) for each in zip(*ends, errors, strict=True))
        columns[head] = [text + mark for text, mark in zip(written, marks, strict=True)]
        if shown.rope:
            held = [name for name in ("mass", "mass_mcse") if name in at]
            within = at[held].sel({names.REGION: "rope"})
            columns[f"P(|d| ≤ {shown.rope:g})"] = _column(within, "mass", numbers.probability)
    columns["BF01"] = _column(at, "bayes_factor_01", numbers.bayes_factor)
    if shown.many:
        both = at[["sign_error"]].assign(sign_error_mcse=at["prob_better_mcse"])
        columns["Sign error"] = _column(both, "sign_error", numbers.probability)
    return columns


def _hidden(
    shown: Shown, withheld: np.ndarray, no_data: np.ndarray, columns: dict[str, list[str]]
) -> dict[str, np.ndarray]:
    """Where nothing is to be read: no answer where no verdict is given, nothing without data."""
    always = {"Wins", "Losses", "Ties", shown.verdict_head, _AS_WRONG}
    beside = {*_BESIDE.values(), "z"} | {ENGINES[k].beside for k in shown.engine_names[1:2]}
    none = np.zeros(len(withheld), dtype=bool)
    return {
        head: none if head in always else no_data if head in beside else withheld
        for head in columns
    }

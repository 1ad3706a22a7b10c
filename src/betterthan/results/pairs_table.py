"""The table of pairs of every answer: one row a pair, the system ahead first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import interval_of
from betterthan.results.columns import (
    NO_DATA,
    NO_VERDICT,
    Column,
    cells_of,
    count,
    difference,
    joined,
    number,
    probability,
)
from betterthan.results.context import PAIRS_SEEN, Shown
from betterthan.results.document import VERDICT, Table
from betterthan.results.engines import ENGINES
from betterthan.results.escapes import on_one_line
from betterthan.results.rows import difference_of, in_one_unit, of_pairs, one_sided
from betterthan.results.sentences import title_of_verdict, unit_of

ONE_SIDED_MARK = " †"
_BESIDE = {"mean": "P(mean better)", "wins": "P(wins more)", "among": "P among all"}
_COUNTED = ("wins", "losses", "ties")
P_BETTER = probability("P(better)", "prob_better")
COUNTS = [count(name.capitalize(), name) for name in _COUNTED]
WINS, LOSSES = COUNTS[:2]


def pairs_of(table: xr.Dataset, places: Sequence[tuple[int, int]]) -> xr.Dataset:
    """The pairs at these places of a table over both systems, over (pair,), with their counts by
    name.
    """
    first, second = np.array(places, int).reshape(-1, 2).T
    found = of_pairs(table, first, second)
    if "counts" not in found:
        return found
    counts = found["counts"].transpose(names.OUTCOME, names.PAIR).values
    return found.assign({k: (names.PAIR, n) for k, n in zip(_COUNTED, counts, strict=False)})


def table_of_pairs(
    rows: Any,
    columns: Sequence[Column],
    caption: str = "",
    *,
    left: int = 2,
    name: str = "",
    **seen: Any,
) -> Table:
    """One row for each pair: its systems, and the columns of which the answer has the numbers.

    Parameters
    ----------
    rows : xarray.Dataset or pandas.DataFrame
        With the columns ``system_a`` (the system ahead) and ``system_b``.
    columns : sequence of Column
    caption, left, name, seen
        Of the `Table`.
    """
    heads, cells = cells_of(rows, columns, rows["verdict"].values.astype(str))
    keys = list(sides(rows))
    written = [(*key, *row) for key, row in zip(keys, cells, strict=True)]
    keyed = keys if name else ()
    heads = ("System", "Other", *heads)
    return Table(heads, written, caption, left=left, name=name, keys=keyed, **seen)


def sides(rows: Any) -> Iterator[tuple[str, str]]:
    """The two systems of each row."""
    return zip(*([on_one_line(str(s)) for s in rows[k].values] for k in names.SQUARE), strict=True)


def rope_columns(rope: float | None) -> list[Column]:
    """The probability of a difference within the rope, where there is one."""

    def cells(rows: xr.Dataset) -> Any:
        held = [name for name in ("mass", "mass_mcse") if name in rows]
        return probability("", "mass").write(rows[held].sel({names.REGION: "rope"}))

    return [Column(f"P(|d| ≤ {rope:g})", cells, "mass")] if rope else []


def verdict(
    head: str = VERDICT,
    name: str = "verdict",
    *,
    unit: str = "",
    reasons: Mapping[str, str] | None = None,
) -> Column:
    """The verdict in words, with the name of the better system.

    Parameters
    ----------
    head, name : str
    unit : str, optional
        What a pair has a single one of where that is why it has no verdict, such as a cluster.
    reasons : mapping, optional
        Words for verdicts of pairs that have none.
    """
    words = reasons or {}

    def cells(rows: Any) -> list[str]:
        single = np.where(in_one_unit(rows), unit, "") if unit else [""] * len(rows[name])
        each = zip(rows[name].values.astype(str), sides(rows), single, strict=True)
        return [words.get(v) or title_of_verdict(v, *pair, str(one)) for v, pair, one in each]

    return Column(head, cells, name, ())


def p_value(
    head: str, name: str, favours: str = "favours", *, blank: tuple[str, ...] = ()
) -> Column:
    """A p-value, and in brackets the system that it speaks for: the first where `favours` is 1, the
    other where it is -1.
    """

    def cells(rows: Any) -> list[str]:
        errors = rows.get(f"{name}_mcse", rows[name] * 0).values.tolist()
        each = zip(rows[name].values, errors, rows[favours].values, sides(rows), strict=True)
        return [numbers.p_value(p, mcse) + _for_whom(p, of, pair) for p, mcse, of, pair in each]

    return Column(head, cells, name, blank)


def _for_whom(p: float, favours: float, sides: tuple[str, str]) -> str:
    """The system that a p-value speaks for, as it stands after it; nothing of p = 1."""
    a, b = sides
    return {1: f" ({a})", -1: f" ({b})"}.get(int(favours), "") if p < 1 else ""


def pairs_table(shown: Shown) -> Table:
    """One row for each pair shown."""
    rows, caption, made = _pairs(shown), _caption(shown), shown.made
    if "difference_mean" in rows and any(_marks(rows)):
        interval = interval_of(made.to_attrs())
        caption += f".{ONE_SIDED_MARK}: one-sided; the {interval} includes 0"
    rest: Any = {"shown": PAIRS_SEEN, "rest": _rest(shown)}
    return table_of_pairs(rows, _columns(shown), caption, name="pairs", **rest)


def _marks(rows: xr.Dataset) -> list[str]:
    """A mark on verdicts whose interval includes 0."""
    ends = (rows[k].values for k in ("verdict", "difference_lower", "difference_upper"))
    return np.where(one_sided(*ends), ONE_SIDED_MARK, "").tolist()


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
    wrong = probability("", "prob_better_if_wrong")
    size = difference(f"{what[0].upper()}{what[1:]}", bracketed=interval)
    sign = probability("Sign error", "sign_error", error="prob_better_mcse")
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
        joined("Missing as wrong", ", ", verdict(name="verdict_if_wrong"), wrong),
        joined(size.head, "", size, Column("", _marks), blank=NO_VERDICT),
        *rope_columns(shown.rope),
        number("BF01", "bayes_factor_01", numbers.bayes_factor),
        *([sign] if shown.many else []),
    ]


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

"""Tables of an answer: rows of pairs (the better system first) or systems, columns, and cells."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names, schemas
from betterthan.counts.shapes import systems_of, to_square
from betterthan.results import numbers
from betterthan.results.numbers import on_one_line
from betterthan.signed import Signature

# what an answer holds of each pair, and that with the Monte Carlo error of each
NUMBERS = ("prob_better", "difference_mean", "difference_lower", "difference_upper", "mass")
WITH_ERRORS = {f"{name}{end}" for name in NUMBERS for end in ("", "_mcse")}
_BY_PAIR = (
    *("n", "n_units", "difference_df", "n_dropped", "bayes_factor_01", "sign_error"),
    *("also_ahead", "beyond_rope", "too_close", "z", "ties_flip", "p_flips", "drop", "turn"),
    *("n_gold", "r2", "effective_gold", "effective_gold_lower", "effective_gold_upper"),
    *("unlabelled", "n_missing", "missing_holds", "reason"),
)
# each pair alone, another quantity, labels or judge alone: <name>_prob_better
_ALTERNATIVES = ("pairwise", "mean", "wins", "unit", "gold", "judge")
_BY_SYSTEM = (
    *("score", "score_lower", "score_upper", "n_right", "n_scored", "mean", "ability", "theta"),
    *("prob_best", "prob_best_mcse", "expected_rank", "rank_lower", "rank_upper", "in_best_set"),
)


def pairs(data: xr.Dataset) -> pd.DataFrame:
    """One row a pair: the system that is ahead, the other, and everything from the side of the
    first.

    Parameters
    ----------
    data : xarray.Dataset
        Over (system_a, system_b), or (pair,) with the coordinates system_a and system_b; a dim
        before these, such as target, is a column.
    """
    dims = [str(d) for d in data["prob_better"].dims if d not in (*names.SQUARE, names.PAIR)]
    if not dims:
        by_pair = unordered_pairs(data)
        return oriented(by_pair, b_first(by_pair))
    parts = {value: data.sel({dims[0]: value}) for value in data[dims[0]].values.tolist()}
    tables = [pairs(part).assign(**{dims[0]: value}) for value, part in parts.items()]
    table: Any = pd.concat(tables, ignore_index=True)
    return table[[dims[0], *[c for c in table if c != dims[0]]]]


def leading(data: xr.Dataset) -> xr.Dataset:
    """Of several answers, such as those of engines or targets, the first; of targets that with the
    weights that were passed, if there is one.
    """
    dims = [d for d in data["prob_better"].dims if d not in (*names.SQUARE, names.PAIR)]
    first = {d: int(np.argmax(data[d].values == "given")) if d in data.coords else 0 for d in dims}
    return data.isel(first) if dims else data


def alike(difference: float, *errors: float) -> bool:
    """Whether numbers are within two Monte Carlo errors of each other."""
    return difference <= 2 * math.hypot(*errors)


def best_errors(data: xr.Dataset) -> np.ndarray:
    """The Monte Carlo error of P(best), 0 where nothing was sampled."""
    return (data["prob_best_mcse"] if "prob_best_mcse" in data else 0 * data["prob_best"]).values


def most_likely_best(data: xr.Dataset) -> tuple[int, str]:
    """Which system has the largest P(best), and what it is: other draws may name another one where
    it is tied.
    """
    best, errors = data["prob_best"].values, best_errors(data)
    first, second = np.argsort(-best, kind="stable")[:2]
    tied = alike(best[first] - best[second], errors[first], errors[second])
    return int(first), "tied as most likely the best" if tied else "most likely the best"


def systems(data: xr.Dataset, table_by_pair: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a system: its score, the joint answer where there is one, and how its pairs ended
    (from `pairs`, where these rows are known).
    """
    labels = systems_of(data["prob_better"])
    table: dict[str, Any] = {"system": labels}
    order = list(range(len(labels)))
    if names.SYSTEM in data.coords:
        place = {str(system): k for k, system in enumerate(data[names.SYSTEM].values)}
        order = [place[label] for label in labels]
    for name in (*_BY_SYSTEM, "lower", "upper"):
        if name in data and data[name].dims == (names.SYSTEM,):
            table[name] = data[name].values[order]
    decided: Any = pairs(leading(data)) if table_by_pair is None else table_by_pair
    index = pd.Index(labels)
    first, second = (index.get_indexer(decided[side]) for side in ("system", "other"))
    verdict = decided["verdict"].to_numpy(str)
    for name, word in BY_VERDICT.items():
        met = verdict == ("better" if word.endswith("_better") else word)
        sides = {"a_better": [first], "b_better": [second]}.get(word, [first, second])
        if met.any() or name in ("better_than", "worse_than", "undecided"):
            systems_met = np.concatenate([side[met] for side in sides])
            table[name] = np.bincount(systems_met, minlength=len(labels))
    if names.SYSTEM_A in data["prob_better"].dims:
        places = order_best_first(data)
    else:
        places = np.lexsort((table["worse_than"], -table["better_than"]))
    return pd.DataFrame(table).take(places).reset_index(drop=True)


def in_step(comparison: xr.Dataset) -> xr.Dataset:
    """Its systems in the order of its pairs, where one of them was selected or sorted alone."""
    dims = systems_dims(comparison)
    labels = [comparison[dim].values.tolist() for dim in dims]
    if len(dims) < 2 or all(systems == labels[0] for systems in labels):
        return comparison
    shared = [label for label in labels[0] if all(label in systems for systems in labels)]
    return comparison.sel(dict.fromkeys(dims, shared))


def order_by(data: Any, attrs: Mapping[Any, Any] | None = None) -> np.ndarray | None:
    """What systems are listed by, (system,), the least first: scores where all have one on the same
    items and all are answered jointly, else expected ranks; None where there are none.

    P(best) need not follow the scores: of near copies each is less probably the best. It orders
    systems with the same score, where it differs by more than its Monte Carlo error.
    """
    choices: Any = data.attrs if attrs is None else attrs
    if choices.get("joint_model") == names.AMONG_ALL and "score" in data:
        lower = choices.get("higher_is_better", True) in (False, 0)
        keys = (-data["prob_best"].values.round(2), (1 if lower else -1) * data["score"].values)
        return np.argsort(np.lexsort(keys))
    return data["expected_rank"].values if "expected_rank" in data else None


def pairwise(data: xr.Dataset) -> xr.Dataset:
    """The answers of each pair alone, also where the main ones are of a joint posterior."""
    alone = [str(name) for name in data.data_vars if str(name).startswith("pairwise_")]
    if not alone:
        return data
    columns = {name.removeprefix("pairwise_"): data.variables[name] for name in alone}
    others = {name: data.variables[name] for name in data.data_vars if name not in alone}
    return xr.Dataset(others | columns, data.coords, data.attrs)


def square(data: xr.Dataset) -> pd.DataFrame:
    """P(system of the row better than that of the column); nan on pairs that were not compared."""
    better = data["prob_better"]
    better = as_square(better) if names.PAIR in better.dims else better
    labels = systems_of(better)
    table = pd.DataFrame(better.transpose(*names.SQUARE).values, index=labels, columns=labels)
    return table.rename_axis(index=names.SYSTEM_A, columns=names.SYSTEM_B)


def as_square(better: xr.DataArray) -> xr.DataArray:
    """P(row better than column) from probabilities by pair; NaN where pairs are missing."""
    square = to_square(better, mirror="probability", diagonal=np.nan)
    np.fill_diagonal(square.values, 0.5)
    return square


def unordered_pairs(data: xr.Dataset) -> xr.Dataset:
    """Each unordered pair once, over (pair,), with the other tail of every probability: 1 - p has
    no digits near 1.
    """
    if names.PAIR in data["prob_better"].dims:
        return data.assign(prob_worse=1 - data["prob_better"])
    first, second = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    tails = {}
    for prefix in ("", *(f"{name}_" for name in _ALTERNATIVES)):
        if f"{prefix}prob_better" in data:
            other = data[f"{prefix}prob_better"].transpose(..., names.SYSTEM_B, names.SYSTEM_A)
            tails[f"{prefix}prob_worse"] = ((names.PAIR,), other.values[..., first, second])
    return select_pairs(data, first, second, tails)


def select_pairs(
    data: xr.Dataset, first: np.ndarray, second: np.ndarray, more: Mapping[str, Any] | None = None
) -> xr.Dataset:
    """Of all that is over both systems the pairs of these places, over (pair,), and `more`."""
    labels = np.array([str(s) for s in data[names.SYSTEM_A].values])
    variables: dict[Any, Any] = {}
    for name, variable in data.variables.items():
        if set(names.SQUARE) <= set(variable.dims):
            ordered = variable.dims[:2] == names.SQUARE
            matrix = variable if ordered else variable.transpose(*names.SQUARE, ...)
            dims = (names.PAIR, *matrix.dims[2:])
            variables[name] = (dims, matrix.values[first, second], variable.attrs)
    variables |= more or {}
    dims = {dim for variable in variables.values() for dim in variable[0]}
    coords: dict[Any, Any] = {k: c.variable for k, c in data.coords.items() if set(c.dims) <= dims}
    for side, places in zip(names.SQUARE, (first, second), strict=True):
        coords[side] = (names.PAIR, labels[places])
    return xr.Dataset(variables, coords, data.attrs)


def b_first(by_pair: xr.Dataset) -> np.ndarray:
    """Whether system_b is named first, for it is better, or ahead; over (pair,)."""
    verdict = by_pair["verdict"].values.astype(str)
    ahead = by_pair["prob_better"].values < 0.5
    return (verdict == "b_better") | ((verdict != "a_better") & ahead)


def oriented(by_pair: xr.Dataset, turn: np.ndarray) -> pd.DataFrame:
    """Rows of pairs, over (pair,), everything from the side of the system that is named first."""
    a, b = (by_pair[k].values.astype(str) for k in names.SQUARE)
    better, worse = by_pair["prob_better"].values, by_pair["prob_worse"].values
    table: dict[str, Any] = {
        "system": np.where(turn, b, a),
        "other": np.where(turn, a, b),
        "prob_better": np.where(turn, worse, better),
    }
    errors = by_pair.get("prob_better_mcse")
    if errors is not None and (np.nan_to_num(errors.values) > 0).any():
        table["mcse"] = errors.values
    table |= _differences(by_pair, turn)
    if "difference" in table and "mass" in by_pair and by_pair.attrs.get("rope"):
        table["within_rope"] = by_pair["mass"].sel({names.REGION: "rope"}).values
    table["verdict"] = _verdicts(by_pair["verdict"].values.astype(str), turn)
    if "counts" in by_pair:
        counts = by_pair["counts"].transpose(names.PAIR, names.OUTCOME)
        by = {str(k): counts.sel({names.OUTCOME: k}).values for k in by_pair[names.OUTCOME].values}
        table["wins"] = np.where(turn, by["loss"], by["win"])
        table["losses"] = np.where(turn, by["win"], by["loss"])
        table |= {"ties": by["tie"]} if "tie" in by else {}
    copied = [v for v in _BY_PAIR if v in by_pair and by_pair[v].dims == (names.PAIR,)]
    table |= {v: by_pair[v].values for v in copied} | _tests(by_pair)
    if "z" in table:  # of P(better), which is of the system named first
        table["z"] = np.where(turn, -table["z"], table["z"])
    for name in _ALTERNATIVES:
        if f"{name}_prob_better" in by_pair:
            better, worse = (by_pair[f"{name}_prob_{end}"].values for end in ("better", "worse"))
            table[f"{name}_prob_better"] = np.where(turn, worse, better)
            table |= _differences(by_pair, turn, f"{name}_")
            verdict = by_pair[f"{name}_verdict"].values.astype(str)
            table[f"{name}_verdict"] = _verdicts(verdict, turn)
    return pd.DataFrame(table)


def _verdicts(verdict: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """As the system named first reads them."""
    better = np.where(turn, "b_better", "a_better")
    named = np.isin(verdict, ["a_better", "b_better"])
    return np.where(named, np.where(verdict == better, "better", "worse"), verdict)


def _differences(data: xr.Dataset, turn: np.ndarray, prefix: str = "") -> dict[str, np.ndarray]:
    """The difference with its interval."""
    if f"{prefix}difference_mean" not in data:
        return {}
    bounds = ("mean", "lower", "upper")
    mean, low, high = (data[f"{prefix}difference_{k}"].values for k in bounds)
    return {
        f"{prefix}difference": np.where(turn, -mean, mean),
        f"{prefix}lower": np.where(turn, -high, low),
        f"{prefix}upper": np.where(turn, -low, high),
    }


def _tests(data: xr.Dataset) -> dict[str, np.ndarray]:
    """p-values of each test, or of the one that there is, and for whom it speaks."""
    columns = {}
    for name in ("p_value", "p_adjusted"):
        if name in data and names.TEST in data[name].dims:
            for test in data[names.TEST].values.tolist():
                columns[f"{name}_{test}"] = data[name].sel({names.TEST: test}).values
        elif name in data:
            columns[name] = data[name].values
    if "favours" in data and names.TEST in data["favours"].dims:
        a, b = (data[k].values.astype(object) for k in names.SQUARE)
        for test in data[names.TEST].values.tolist():
            side = data["favours"].sel({names.TEST: test}).values
            columns[f"favours_{test}"] = np.select([side > 0, side < 0], [a, b], "")
    return columns


def at_random(pairs: Any, provenance: Signature) -> bool:
    """Whether verdicts hold only if scores are missing at random: some values of the missing scores
    lead to another, or that is not known.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Rows of `pairs`.
    made : Signature
    """
    if not provenance.n_blank or provenance.missing not in ("pairwise", "complete"):
        return False
    verdicts = pairs["verdict"].tolist()
    if "pairwise_verdict" in pairs:
        verdicts += pairs["pairwise_verdict"].tolist()
    if len(pairs) > 1 and not {"better", "worse", "equivalent", "split"} & set(verdicts):
        return False  # none is given
    if "missing_holds" not in pairs or "pairwise_verdict" in pairs:  # whose bounds are not known
        return True
    holds = pairs["missing_holds"].astype(bool) | pairs["verdict"].isin(["no_data", "no_verdict"])
    return not bool(holds.all())


def one_sided(verdict: Any, lower: Any, upper: Any) -> Any:
    """Where a verdict, which looks at one side, stands next to a two-sided interval that includes
    0.
    """
    better = np.isin(np.asarray(verdict).astype(str), ["better", "worse", "a_better", "b_better"])
    return better & (np.asarray(lower) <= 0) & (np.asarray(upper) >= 0)


BY_VERDICT = {
    "better_than": "a_better",
    "worse_than": "b_better",
    "undecided": "undecided",
    "split": "split",
    "equivalent_to": "equivalent",
    "no_verdict": "no_verdict",
    "never_compared": "no_data",
}
SYSTEM_COLUMNS = (
    *("score", "score_lower", "score_upper", "n_right", "n_scored"),
    *("prob_best", "expected_rank", "rank_lower", "rank_upper", "in_best_set"),
)


def pair_rows(comparison: Any) -> pd.DataFrame:
    """Every pair as a row, from the side of the system that is ahead.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, or its data by engine.

    Returns
    -------
    pandas.DataFrame
        ``system``, ``other``, ``prob_better``, its Monte Carlo error ``mcse`` (where sampled),
        ``difference``, ``lower``, ``upper``, ``within_rope`` (with a rope), ``verdict`` ("better":
        the first is), ``wins``, ``losses``, ``ties`` (where known), ``n``, ``bayes_factor_01``, for
        each test ``p_value_<test>`` and ``p_adjusted_<test>``. With several engines, as many rows
        and a column ``engine``. Rows stand as in the report, the best systems first.

    Examples
    --------
    >>> import betterthan as bt
    >>> row = pair_rows(bt.compare(bt.datasets.contingency_case("a"))).iloc[0]
    >>> row["system"], row["verdict"], row["wins"].item()
    ('A', 'better', 12)
    """
    ordered = best_first(_by_engine(comparison))
    engines = [str(engine) for engine in ordered[names.ENGINE].values]
    by_engine = [unordered_pairs(ordered.isel({names.ENGINE: k})) for k in range(len(engines))]
    turn = b_first(by_engine[0])
    tables = [oriented(by_pair, turn) for by_pair in by_engine]
    if len(engines) == 1:
        return tables[0]
    for table, engine in zip(tables, engines, strict=True):
        table.insert(2, "engine", engine)
    return pd.concat(tables, ignore_index=True)


def system_rows(comparison: Any) -> pd.DataFrame:
    """Every system as a row, the best first.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, or its data by engine.

    Returns
    -------
    pandas.DataFrame
        ``system``; how many others it is ``better_than``, ``worse_than``, ``equivalent_to``,
        ``undecided`` with, ``split`` with (wins and means disagree), has ``no_verdict`` with and
        was ``never_compared`` with; where known ``score`` with ``score_lower`` and
        ``score_upper``, ``n_right``, ``n_scored``, ``prob_best``, ``expected_rank``,
        ``in_best_set``.

    Examples
    --------
    >>> import betterthan as bt
    >>> system_rows(bt.compare(bt.datasets.contingency_case("a")))["better_than"].tolist()
    [1, 0]
    """
    data = _by_engine(comparison)
    needed = [name for name in ("verdict", "n", "n_units", *SYSTEM_COLUMNS) if name in data]
    order = dict.fromkeys(systems_dims(data), order_best_first(data))
    main = data[needed].isel({names.ENGINE: 0}, missing_dims="ignore").isel(order)
    table: dict[str, Any] = {"system": main[names.SYSTEM_A].values.astype(str)}
    more = {v: main[v].values for v in SYSTEM_COLUMNS if v in main}
    return pd.DataFrame(table | pair_counts(main) | more)


def pair_counts(data: xr.Dataset) -> dict[str, np.ndarray]:
    """How many pairs of each system, (system,), have which verdict."""
    verdict = data["verdict"].transpose(*names.SQUARE).values.astype(str)
    verdict = np.where(single_unit(data), "no_verdict", verdict)
    others = ~np.eye(len(verdict), dtype=bool)
    return {name: ((verdict == word) & others).sum(1) for name, word in BY_VERDICT.items()}


def _by_engine(comparison: Any) -> xr.Dataset:
    by_engine = getattr(comparison, "by_engine", None)
    data = comparison if by_engine is None else by_engine()
    schemas.comparison(data)
    return data


def single_unit(main: xr.Dataset) -> np.ndarray:
    """The pairs whose examples are all in one cluster, or all of one item: they were compared, and
    that says nothing about new clusters or items.
    """
    if "n_units" not in main or "n" not in main:
        return np.zeros(main["verdict"].shape, dtype=bool)
    single = (main["verdict"] == "no_data") & (main["n"] > 0) & (main["n_units"] == 1)
    return single.transpose(..., *names.SQUARE, missing_dims="ignore").values


def best_first(comparison: xr.Dataset) -> xr.Dataset:
    """Its systems in the order of `order_best_first`; no copy where they have it already."""
    order = order_best_first(comparison)
    if (order[1:] > order[:-1]).all():
        return comparison
    return comparison.isel(dict.fromkeys(systems_dims(comparison), order))


def systems_dims(table: xr.Dataset) -> list[str]:
    """Its dims that are systems."""
    return [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in table.dims]


def order_best_first(comparison: xr.Dataset) -> np.ndarray:
    """Places of the systems by their scores or expected ranks (`order_by`); where there are none,
    from the one that is most probably better than the others to the least.
    """
    first = {names.ENGINE: 0}
    columns = ("prob_better", "verdict", "expected_rank", "score", "prob_best")
    variables = {k: comparison.variables[k] for k in columns if k in comparison}
    main = {k: v.isel(first, missing_dims="ignore") for k, v in variables.items()}
    if (by := order_by(main, comparison.attrs)) is None:
        by = -mean_better(*(main[k].transpose(*names.SQUARE).values for k in columns[:2]))
    return np.argsort(by, kind="stable")


def mean_better(p: np.ndarray, verdict: np.ndarray) -> np.ndarray:
    """Mean P(better) of each system over those it was compared with; nan where there are none."""
    compared = (verdict != "no_data") & ~np.isnan(p) & ~np.eye(len(p), dtype=bool)
    with np.errstate(invalid="ignore"):
        return np.where(compared, p, 0.0).sum(1) / compared.sum(1)


def ahead_first(
    table: xr.Dataset, pairs: Iterable[tuple[int, int]] | None = None
) -> list[tuple[int, int]]:
    """Places of every pair, or of these, that of the system ahead first."""
    p = table["prob_better"].transpose(*names.SQUARE).values
    places: Any = zip(*np.triu_indices(len(p), 1), strict=True) if pairs is None else pairs
    return [(int(j), int(i)) if p[i, j] < 0.5 else (int(i), int(j)) for i, j in places]


NO_DATA = ("no_data",)
NO_VERDICT = ("no_data", "no_verdict")


@dataclass(frozen=True)
class Column:
    """One column. Its rows are a Dataset over one dim, or a DataFrame."""

    heading: str
    write: Callable[[Any], Iterable[str]]  # one cell a row
    needs: str = ""  # the variable without which the column is left out
    blank: tuple[str, ...] = NO_VERDICT  # of pairs with these verdicts the cell is a dash


def values(
    heading: str,
    variables: Sequence[str],
    write: Callable[..., str],
    *,
    blank: tuple[str, ...] = NO_VERDICT,
    error: str = "",
) -> Column:
    """Several variables in one cell, with their Monte Carlo error where there is one."""

    def cells(rows: Any) -> Iterable[str]:
        used = (*variables, error) if error in rows else variables
        cells_of = zip(*(rows[name].values.tolist() for name in used), strict=True)
        return ["–" if values[0] != values[0] else write(*values) for values in cells_of]  # nan

    return Column(heading, cells, variables[0], blank)


def number(heading: str, name: str, write: Callable[..., str], **choices: Any) -> Column:
    """A variable, with its Monte Carlo error where it has one."""
    choices.setdefault("error", f"{name}_mcse")
    return values(heading, [name], write, **choices)


def probability(heading: str, name: str, **choices: Any) -> Column:
    """A probability, with its Monte Carlo error where it has one."""
    return number(heading, name, numbers.probability, **choices)


def deciding(heading: str, name: str, **choices: Any) -> Column:
    """A probability that decides on the verdict, never rounded up to the threshold of the rows."""

    def cells(rows: Any) -> Iterable[str]:
        write = partial(numbers.probability, threshold=rows.attrs.get("threshold", 0.0))
        return number(heading, name, write, **choices).write(rows)

    return replace(probability(heading, name, **choices), write=cells)


def count(heading: str, name: str) -> Column:
    """Whole numbers, also of pairs without a verdict."""
    return number(heading, name, lambda n: f"{int(n):,}", blank=())


def difference(heading: str, prefix: str = "", *, bracketed: str, **choices: Any) -> Column:
    """A difference with its interval."""
    mean, *bounds = (f"{prefix}difference_{end}" for end in ("mean", "lower", "upper"))
    choices.setdefault("error", f"{mean}_mcse")
    return values(f"{heading} [{bracketed}]", [mean, *bounds], numbers.difference, **choices)


def joined(heading: str, between: str, *columns: Column, blank: tuple[str, ...] = ()) -> Column:
    """Several columns in one."""

    def cells(rows: Any) -> Iterable[str]:
        return map(between.join, zip(*(column.write(rows) for column in columns), strict=True))

    return Column(heading, cells, columns[0].needs, blank)


def along(heading: str, column: Column, dim: str, place: int) -> Column:
    """The column at one place of a further dim."""
    return replace(
        column, heading=heading, write=lambda rows: column.write(rows.isel({dim: place}))
    )


def flag(heading: str, name: str) -> Column:
    """Yes where it is true, else nothing."""
    return Column(heading, lambda rows: ["yes" if v else "" for v in rows[name].values], name)


def written_cells(
    rows: Any, columns: Sequence[Column], verdict: np.ndarray | None = None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """Heads of the columns whose variables there are, and the cells of each row."""
    present = [column for column in columns if not column.needs or column.needs in rows]
    written = [list(column.write(rows)) for column in present]
    if verdict is not None:
        for k, column in enumerate(present):
            blank = np.isin(verdict, column.blank).tolist()
            written[k] = ["–" if b else cell for b, cell in zip(blank, written[k], strict=True)]
    return [column.heading for column in present], list(zip(*written, strict=True))


def pair_cell(table: xr.Dataset, i: int, j: int) -> xr.Dataset:
    """One pair of a table over both systems."""
    return table.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})


def names_in(cell: xr.Dataset) -> tuple[str, str]:
    """The two systems of a cell."""
    a, b = (on_one_line(str(cell[dim].item())) for dim in names.SQUARE)
    return a, b


def probability_in(cell: xr.Dataset, name: str) -> str:
    """A probability, with its Monte Carlo error where it has one."""
    return numbers.probability(cell[name].item(), _error(cell, name))


def p_value_in(cell: xr.Dataset) -> str:
    """The p-value, with its Monte Carlo error where it has one."""
    return numbers.p_value(cell["p_value"].item(), _error(cell, "p_value"))


def failed_checks(failures: Iterable[str]) -> list[tuple[str, str]]:
    """A fact on the convergence checks that failed, if any did."""
    text = " ".join(filter(None, failures))
    return [("Failed checks", text)] if text else []


def interval_label(attrs: Mapping[str, Any]) -> str:
    """Mass and kind of the intervals.

    Examples
    --------
    >>> interval_label({"ci_prob": 0.95, "ci_kind": "hdi"})
    '95% HDI'
    """
    return f"{100 * attrs['ci_prob']:g}% {attrs['ci_kind'].upper()}"


def sampled_by(attrs: Mapping[str, Any]) -> str:
    """How many draws, from which seed."""
    return f"{attrs['draws']} draws, seed {attrs['seed']}"


def _error(cell: xr.Dataset, name: str) -> float:
    error = f"{name}_mcse"
    return float(cell[error].item()) if error in cell else 0.0

"""An answer as tables: one row a pair, the better system first; one row a system."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names, schemas
from betterthan.signed import Signature

_BY_PAIR = (
    *("n", "n_units", "difference_df", "n_dropped", "bayes_factor_01", "sign_error"),
    *("also_ahead", "beyond_rope", "too_close", "z", "ties_flip", "p_flips", "drop", "turn"),
    *("n_gold", "r2", "effective_gold", "effective_gold_lower", "effective_gold_upper"),
    *("unlabelled", "n_missing", "missing_holds", "reason"),
)
# another quantity, all systems at once, labels or judge alone: <name>_prob_better
_BESIDE = ("mean", "wins", "among", "unit", "gold", "judge")
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
    lead = [str(d) for d in data["prob_better"].dims if d not in (*names.SQUARE, names.PAIR)]
    if not lead:
        each = each_pair(data)
        return told(each, turned(each))
    parts = {value: data.sel({lead[0]: value}) for value in data[lead[0]].values.tolist()}
    tables = [pairs(part).assign(**{lead[0]: value}) for value, part in parts.items()]
    whole: Any = pd.concat(tables, ignore_index=True)
    return whole[[lead[0], *[c for c in whole if c != lead[0]]]]


def dataset_of(answer: Any) -> xr.Dataset:
    """The Dataset of an answer that shows itself; a Dataset as it is."""
    return answer if isinstance(answer, xr.Dataset) else answer.data


def leading(data: xr.Dataset) -> xr.Dataset:
    """Of several answers, such as those of targets, the first."""
    lead = [d for d in data["prob_better"].dims if d not in (*names.SQUARE, names.PAIR)]
    return data.isel(dict.fromkeys(lead, 0))


def systems(data: xr.Dataset, ended: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a system: its score, the joint answer where there is one, and how its pairs ended
    (their rows, where they are known).
    """
    labels = _labels(data)
    table: Any = pd.DataFrame({"system": labels})
    order = _places(labels, data)
    for name in _BY_SYSTEM:
        if name in data and data[name].dims == (names.SYSTEM,):
            table[name] = data[name].values[order]
    for end in ("lower", "upper"):
        if end in data and data[end].dims == (names.SYSTEM,):
            table[end] = data[end].values[order]
    decided: Any = pairs(leading(data)) if ended is None else ended
    for name, ahead in (("better_than", "system"), ("worse_than", "other")):
        won = decided[decided["verdict"] == "better"][ahead].value_counts()
        table[name] = table["system"].map(won).fillna(0).astype(int)
    left = decided[decided["verdict"] != "better"]
    either = pd.concat([left["system"], left["other"]]).value_counts()
    table["open"] = table["system"].map(either).fillna(0).astype(int)
    by = order_by(data)
    if by is not None:
        table["order"] = by[order]
    keys = ["better_than", "worse_than"] if by is None else ["order"]
    up = [name != "better_than" for name in keys]
    ordered = table.sort_values(keys, ascending=up, kind="stable").reset_index(drop=True)
    return ordered.drop(columns="order", errors="ignore")


def order_by(data: xr.Dataset) -> np.ndarray | None:
    """What systems are listed by, (system,), the least first: scores where all have one on the same
    items and all are answered jointly, else expected ranks; None where there are none.

    P(best) need not follow the scores: of near copies each is less probably the best.
    """
    if data.attrs.get("joint_model") == names.AMONG_ALL and "score" in data:
        lower = data.attrs.get("higher_is_better", True) in (False, 0)
        return (1 if lower else -1) * data["score"].values
    return data["expected_rank"].values if "expected_rank" in data else None


def final_verdicts(data: xr.Dataset) -> np.ndarray:
    """The verdict that counts on each pair, (system_a, system_b)."""
    alone = data["verdict"].transpose(*names.SQUARE).values.astype(str)
    if "among_verdict" not in data:
        return alone
    return joint_first(alone, data["among_verdict"].transpose(*names.SQUARE).values.astype(str))


def joint_first(alone: np.ndarray, joint: np.ndarray) -> np.ndarray:
    """Joint verdicts, except where the pairwise one is no data, no verdict or a split."""
    return np.where(np.isin(alone, ["no_data", "no_verdict", "split"]), alone, joint)


def final(data: xr.Dataset) -> xr.Dataset:
    """With the joint answer in place of the pairwise one, where there is one."""
    joint = [str(name) for name in data.data_vars if str(name).startswith("among_")]
    found = {name.removeprefix("among_"): data[name] for name in joint if name != "among_verdict"}
    if not joint:
        return data
    verdict = data["verdict"].transpose(*names.SQUARE)
    found["verdict"] = verdict.copy(data=final_verdicts(data))
    return data.assign(found).drop_vars(joint)


def square(data: xr.Dataset) -> pd.DataFrame:
    """P(system of the row better than that of the column); nan on pairs that were not compared."""
    better = data["prob_better"]
    labels = _labels(data)
    if names.SYSTEM_A in better.dims:
        values = better.transpose(*names.SQUARE).values
    else:
        values = np.full((len(labels), len(labels)), np.nan)
        np.fill_diagonal(values, 0.5)
        first, second = (
            [labels.index(s) for s in data[k].values.astype(str)] for k in names.SQUARE
        )
        values[first, second], values[second, first] = better.values, 1 - better.values
    table = pd.DataFrame(values, index=labels, columns=labels)
    return table.rename_axis(index=names.SYSTEM_A, columns=names.SYSTEM_B)


def _labels(data: xr.Dataset) -> list[str]:
    if names.SYSTEM_A in data.dims:
        return [str(s) for s in data[names.SYSTEM_A].values]
    both = np.stack([data[k].values.astype(str) for k in names.SQUARE], axis=1)
    return list(dict.fromkeys(both.ravel().tolist()))


def _places(labels: list[str], data: xr.Dataset) -> list[int]:
    """Where the systems of the pairs stand among those of the table of systems."""
    if names.SYSTEM not in data.coords:
        return list(range(len(labels)))
    at = {str(system): place for place, system in enumerate(data[names.SYSTEM].values)}
    return [at[label] for label in labels]


def each_pair(data: xr.Dataset) -> xr.Dataset:
    """Each unordered pair once, over (pair,), with the other tail of every probability."""
    if names.PAIR in data["prob_better"].dims:
        return data.assign(prob_worse=1 - data["prob_better"])
    first, second = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    return of_pairs(data, first, second, _other_tails(data, first, second))


def of_pairs(
    data: xr.Dataset, first: np.ndarray, second: np.ndarray, more: Mapping[str, Any] | None = None
) -> xr.Dataset:
    """Of all that is over both systems the pairs of these places, over (pair,), and `more`."""
    labels = np.array([str(s) for s in data[names.SYSTEM_A].values])
    found: dict[Any, Any] = {
        name: _of_pairs(of, first, second)
        for name, of in data.variables.items()
        if set(names.SQUARE) <= set(of.dims)
    }
    found |= more or {}
    rest = {dim for of in found.values() for dim in of[0]}
    kept: dict[Any, Any] = {k: of.variable for k, of in data.coords.items() if set(of.dims) <= rest}
    sides = {
        k: (names.PAIR, labels[at]) for k, at in zip(names.SQUARE, (first, second), strict=True)
    }
    return xr.Dataset(found, kept | sides, data.attrs)


def _of_pairs(of: xr.Variable, first: np.ndarray, second: np.ndarray) -> tuple[Any, ...]:
    """A square as dims, values and attrs by pair; the pair stands first."""
    square = of.transpose(*names.SQUARE, ...)
    return (names.PAIR, *square.dims[2:]), square.values[first, second], of.attrs


def _other_tails(data: xr.Dataset, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
    """P(B better) of every kind, for 1 - p has no digits near 1."""
    found = {}
    for prefix in ("", *(f"{name}_" for name in _BESIDE)):
        if f"{prefix}prob_better" in data:
            other = data[f"{prefix}prob_better"].transpose(..., names.SYSTEM_B, names.SYSTEM_A)
            found[f"{prefix}prob_worse"] = ((names.PAIR,), other.values[..., first, second])
    return found


def turned(pairs: xr.Dataset) -> np.ndarray:
    """Whether system_b is named first, for it is better, or ahead."""
    verdict = pairs["verdict"].values.astype(str)
    ahead = pairs["prob_better"].values < 0.5
    return (verdict == "b_better") | ((verdict != "a_better") & ahead)


def told(pairs: xr.Dataset, turn: np.ndarray) -> pd.DataFrame:
    """Rows of pairs, over (pair,), everything from the side of the system that is named first."""
    a, b = (pairs[k].values.astype(str) for k in names.SQUARE)
    table: dict[str, Any] = {
        "system": np.where(turn, b, a),
        "other": np.where(turn, a, b),
        "prob_better": np.where(turn, pairs["prob_worse"].values, pairs["prob_better"].values),
    }
    if "prob_better_mcse" in pairs and (np.nan_to_num(pairs["prob_better_mcse"].values) > 0).any():
        table["mcse"] = pairs["prob_better_mcse"].values
    table |= _size(pairs, turn)
    table["verdict"] = _verdicts(pairs["verdict"].values.astype(str), turn)
    table |= _counted(pairs, turn)
    beside = [v for v in _BY_PAIR if v in pairs and pairs[v].dims == (names.PAIR,)]
    table |= {v: pairs[v].values for v in beside} | _tested(pairs)
    for name in _BESIDE:
        table |= _beside(pairs, turn, name)
    return pd.DataFrame(table)


def _verdicts(verdict: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """As the system named first reads them."""
    better = np.where(turn, "b_better", "a_better")
    named = np.isin(verdict, ["a_better", "b_better"])
    return np.where(named, np.where(verdict == better, "better", "worse"), verdict)


def _beside(pairs: xr.Dataset, turn: np.ndarray, name: str) -> dict[str, np.ndarray]:
    """By another quantity, or among all systems."""
    if f"{name}_prob_better" not in pairs:
        return {}
    better, worse = (pairs[f"{name}_prob_{side}"].values for side in ("better", "worse"))
    found = {f"{name}_prob_better": np.where(turn, worse, better)}
    size = _size(pairs, turn, f"{name}_")
    found |= {f"{name}_{key}": values for key, values in size.items() if key != "within_rope"}
    verdict = pairs[f"{name}_verdict"].values.astype(str)
    return found | {f"{name}_verdict": _verdicts(verdict, turn)}


def _size(data: xr.Dataset, turn: np.ndarray, prefix: str = "") -> dict[str, np.ndarray]:
    """The difference with its interval, and with a rope the mass within it."""
    if f"{prefix}difference_mean" not in data:
        return {}
    ends = ("mean", "lower", "upper")
    mean, low, high = (data[f"{prefix}difference_{k}"].values for k in ends)
    found = {
        "difference": np.where(turn, -mean, mean),
        "lower": np.where(turn, -high, low),
        "upper": np.where(turn, -low, high),
    }
    if "mass" in data and data.attrs.get("rope"):
        found["within_rope"] = data["mass"].sel({names.REGION: "rope"}).values
    return found


def _tested(data: xr.Dataset) -> dict[str, np.ndarray]:
    """p-values of each test, or of the one that there is, and for whom it speaks."""
    found = {}
    for name in ("p_value", "p_adjusted"):
        if name in data and names.TEST in data[name].dims:
            for test in data[names.TEST].values.tolist():
                found[f"{name}_{test}"] = data[name].sel({names.TEST: test}).values
        elif name in data:
            found[name] = data[name].values
    if "favours" in data and names.TEST in data["favours"].dims:
        a, b = (data[k].values.astype(object) for k in names.SQUARE)
        for test in data[names.TEST].values.tolist():
            side = data["favours"].sel({names.TEST: test}).values
            found[f"favours_{test}"] = np.select([side > 0, side < 0], [a, b], "")
    return found


def _counted(data: xr.Dataset, turn: np.ndarray) -> dict[str, np.ndarray]:
    if "counts" not in data:
        return {}
    counts = data["counts"].transpose(names.PAIR, names.OUTCOME)
    by = {str(k): counts.sel({names.OUTCOME: k}).values for k in data[names.OUTCOME].values}
    found = {
        "wins": np.where(turn, by["loss"], by["win"]),
        "losses": np.where(turn, by["win"], by["loss"]),
    }
    return found | ({"ties": by["tie"]} if "tie" in by else {})


def at_random(pairs: Any, made: Signature) -> bool:
    """Whether verdicts hold only if scores are missing at random: some values of the missing scores
    lead to another, or that is not known.

    Parameters
    ----------
    pairs : pandas.DataFrame
        Rows of `pairs`.
    made : Signature
    """
    if not made.n_blank or made.missing not in ("pairwise", "complete"):
        return False
    verdicts = pairs["verdict"].tolist()
    if "among_verdict" in pairs:
        verdicts += pairs["among_verdict"].tolist()
    if len(pairs) > 1 and not {"better", "worse", "equivalent", "split"} & set(verdicts):
        return False  # none is given
    if "missing_holds" not in pairs or "among_verdict" in pairs:  # whose bounds are not known
        return True
    held = pairs["missing_holds"].astype(bool) | pairs["verdict"].isin(["no_data", "no_verdict"])
    return not bool(held.all())


def one_sided(verdict: Any, lower: Any, upper: Any) -> Any:
    """Where a verdict, which looks at one side, stands next to a two-sided interval that includes
    0.
    """
    better = np.isin(np.asarray(verdict).astype(str), ["better", "worse", "a_better", "b_better"])
    return better & (np.asarray(lower) <= 0) & (np.asarray(upper) >= 0)


def difference_of(first: str, second: str, made: Signature) -> str:
    """What the difference is of, with the names of the systems."""
    what = made.difference_is or "difference"
    what = what.replace("P(A wins) - P(B wins)", f"P({first} wins) - P({second} wins)")
    return what + (", lower is better," if made.lower_mean else "")


_ENDED = {
    "better_than": ("a_better",),
    "worse_than": ("b_better",),
    "equivalent_to": ("equivalent",),
    "undecided": ("undecided", "split", "no_verdict"),
    "never_compared": ("no_data",),
}
_OF_SYSTEM = (
    *("score", "score_lower", "score_upper", "n_right", "n_scored"),
    *("prob_best", "expected_rank", "rank_lower", "rank_upper", "in_best_set"),
)


def pair_rows(comparison: Any) -> pd.DataFrame:
    """Every pair as a row, told from the side of the system that is ahead.

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
    each = [each_pair(ordered.isel({names.ENGINE: k})) for k in range(len(engines))]
    turn = turned(each[0])
    tables = [told(pairs, turn) for pairs in each]
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
        ``undecided`` with and ``never_compared`` with; where known ``score`` with
        ``score_lower`` and ``score_upper``, ``n_right``, ``n_scored``, ``prob_best``,
        ``expected_rank``, ``in_best_set``.

    Examples
    --------
    >>> import betterthan as bt
    >>> system_rows(bt.compare(bt.datasets.contingency_case("a")))["better_than"].tolist()
    [1, 0]
    """
    data = _by_engine(comparison)
    return systems_of(best_first(data).isel({names.ENGINE: 0}))


def _by_engine(comparison: Any) -> xr.Dataset:
    by_engine = getattr(comparison, "by_engine", None)
    data = comparison if by_engine is None else by_engine()
    schemas.comparison(data)
    return data


def systems_of(main: xr.Dataset) -> pd.DataFrame:
    """The rows of `system_rows`, of one engine, in the order given."""
    verdict = np.where(in_one_unit(main), "no_verdict", main["verdict"].values.astype(str))
    others = ~np.eye(len(verdict), dtype=bool)
    table: dict[str, Any] = {"system": main[names.SYSTEM_A].values.astype(str)}
    for name, verdicts in _ENDED.items():
        table[name] = (np.isin(verdict, verdicts) & others).sum(1)
    return pd.DataFrame(table | {v: main[v].values for v in _OF_SYSTEM if v in main})


def in_one_unit(main: xr.Dataset) -> np.ndarray:
    """The pairs whose examples are all in one cluster, or all of one item: they were compared, and
    that says nothing about new clusters or items.
    """
    dims = [dim for dim in names.SQUARE if dim in main.dims]
    if "n_units" not in main or "n" not in main:
        return np.zeros(main["verdict"].shape, dtype=bool)
    one = (main["verdict"] == "no_data") & (main["n"] > 0) & (main["n_units"] == 1)
    return one.transpose(..., *dims).values


def best_first(comparison: xr.Dataset) -> xr.Dataset:
    """Its systems by their scores or expected ranks (`order_by`); where there are none, from
    the one that is most probably better than the others to the least.
    """
    known = [k for k in ("prob_better", "verdict", "expected_rank", "score") if k in comparison]
    main = comparison[known].isel({names.ENGINE: 0})
    better = main["prob_better"].where(main["verdict"] != "no_data")
    order = np.argsort(-better.mean(names.SYSTEM_B).values, kind="stable")
    by = order_by(main)
    if by is not None:
        order = np.argsort(by, kind="stable")
    dims = [dim for dim in (*names.SQUARE, names.SYSTEM) if dim in comparison.dims]
    return comparison.isel(dict.fromkeys(dims, order))


def ahead_first(table: xr.Dataset) -> list[tuple[int, int]]:
    """Places of every pair, that of the system ahead first; of any table over both systems."""
    p = table["prob_better"].transpose(*names.SQUARE).values
    pairs = zip(*np.triu_indices(len(p), 1), strict=True)
    return [(int(j), int(i)) if p[i, j] < 0.5 else (int(i), int(j)) for i, j in pairs]

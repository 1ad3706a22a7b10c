"""One function for each kind of data: what its array must hold, said in one line where it does not.

Every message is one line: what is wrong, where, and what would be right.
"""

from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.rounding import without_float_errors

_BLOCK = 2**16  # labels that are looked at together
_MISSING = ("missing_value", "_FillValue")  # attrs with the code of a missing score
_NAMED = (  # what holds names along data
    *(names.SYSTEM, *names.SQUARE, names.LABEL, names.PREDICTED, names.ACTUAL),
    *(names.DATASET, "cluster", "epoch", "judge"),
)


def scores(data: Any) -> Any:
    """Return `data` when it is a DataArray of scores, (item, system) in any order."""
    if not _is_array(data, (names.ITEM, names.SYSTEM)) or names.TALLY in data.dims:
        raise _expected("scores with dims (item, system)", data, "betterthan.read")
    data = with_plain_labels(without_runs_in_ids(data))
    fit_names(data)
    coords = data.coords.variables  # of the array itself an array with attrs would be made anew
    systems = list(map(str, coords[names.SYSTEM].values)) if names.SYSTEM in coords else []
    if not systems:
        raise ValueError("scores need a coordinate 'system' with the names of the systems")
    checks.several_systems(systems)
    if set(data.dims) != {names.ITEM, names.SYSTEM}:
        dims = tuple(map(str, data.dims))
        raise ValueError(f"scores have dims {dims}; give (item, system) alone")
    if data.dtype.kind not in "fiub":
        right = "give numbers, with NaN where a score is missing"
        raise ValueError(f"scores are {data.dtype}; {right}")
    higher = data.attrs.get("higher_is_better", True)
    if not isinstance(higher, bool | int | np.bool_ | np.integer) or higher not in (0, 1):
        raise ValueError(f"attrs['higher_is_better'] is {higher!r}; give True or False")
    _unique_items(data)
    if data.sizes[names.ITEM] == 0:
        raise ValueError("scores hold no items")
    data = without_codes(data)
    _countable_scores(data.values)
    order = (names.ITEM, names.SYSTEM)
    data = data if data.dims == order else data.transpose(*order)
    values = data.values
    equal = without_float_errors(values)
    return data if equal is values else data.copy(data=equal)


def missing_code(scores: Any) -> int | None:
    """The number that stands for a missing score, as attrs say it."""
    held = [scores.attrs[name] for name in _MISSING if name in scores.attrs]
    if not held or scores.dtype.kind == "f":
        return None
    if scores.dtype.kind == "b":
        raise ValueError("scores of True and False have no code for a missing one; give int8")
    number = checks.real(held[0], "attrs['missing_value']", "a whole number")
    limits = np.iinfo(scores.dtype)
    if number != int(number) or not limits.min <= number <= limits.max:
        reason = f"attrs['missing_value'] is {number:g}, which no {scores.dtype} can be"
        raise ValueError(f"{reason}; give a whole number from {limits.min} to {limits.max}")
    return int(number)


def without_codes(scores: Any) -> Any:
    """Scores with NaN where attrs say by which number a missing one is written."""
    if (code := missing_code(scores)) is None:
        return scores
    attrs = {name: value for name, value in scores.attrs.items() if name not in _MISSING}
    scores = scores.astype(float).where(scores != code)  # which would be float32 of int8
    scores.attrs = attrs
    return scores


def without_runs_in_ids(data: Any) -> Any:
    """Scores whose items were stacked with their runs, with the ids of the items alone: else each
    run would be an item.
    """
    indexes = getattr(data, "indexes", {})  # plain scores have none
    levels = list(getattr(indexes.get(names.ITEM), "names", ()))
    ids = [level for level in levels if level not in (names.DATASET, "cluster", "epoch")]
    if "epoch" not in levels or not ids:
        return data
    columns = [data[level].values.tolist() for level in ids]
    plain = columns[0] if len(ids) == 1 else [*map(str, zip(*columns, strict=True))]
    return data.reset_index(names.ITEM).assign_coords({names.ITEM: (names.ITEM, plain)})


def with_plain_labels(data: Any) -> Any:
    """The data, their labels as numpy holds them: pandas and numpy have types of text that much of
    numpy does not take.
    """
    odd = {
        name: (label.dims, np.array(label.values.tolist(), dtype=object).reshape(label.shape))
        for name, label in data.coords.variables.items()
        if not isinstance(label.dtype, np.dtype) or label.dtype.kind == "T"
    }
    return data.assign_coords(odd) if odd else data


def fit_names(data: Any) -> None:
    """Refuse names and labels along data with what none may hold, such as U+0000; of items see
    `_unique_items`.
    """
    held = data.variables if hasattr(data, "data_vars") else data.coords.variables
    for role in _NAMED:
        if role in held and held[role].dtype.kind not in "iufb":
            checks.fit(held[role].values.ravel().tolist(), role)


def _countable_scores(values: np.ndarray) -> None:
    """Refuse scores whose squares are more, or less, than a number can be."""
    if values.dtype.kind in "iu" and (np.abs(values.astype(float)) >= names.EXACT).any():
        checks.refuse_rounded(values.flat, "scores")
    if values.dtype.kind != "f":
        return
    size = np.abs(values)
    large = size > min(names.SCORE_MAX, float(np.finfo(values.dtype).max))
    if large.any():
        row, column = np.argwhere(large)[0]
        value = values[row, column]
        text, right = f"{value:g}", f"at most {names.SCORE_MAX:g} in size"
        if np.isinf(value):
            text, right = "infinite", "a finite number"
        reason = f"score at position ({row}, {column}) is {text}"
        raise ValueError(f"{reason}; give {right} or leave blank")
    if 0 < (top := float(np.nanmax(size, initial=0.0))) < 1 / names.SCORE_MAX:
        raise ValueError(f"the largest score is {top:g}; give scores in a larger unit")


def tallies(data: Any) -> Any:
    """Return `data` when it is a DataArray of tallies: (item, system, tally), with or without a dim
    label.
    """
    if not _is_array(data, (names.ITEM, names.SYSTEM, names.TALLY)):
        wanted = "tallies with dims (item, system, tally)"
        raise _expected(wanted, data, "betterthan.io.tallies_from_table")
    data = with_plain_labels(data)
    _named_tallies(data)
    if data.sizes[names.ITEM] == 0:
        raise ValueError("tallies hold no items")
    _unique_items(data)
    _whole_tallies(data)
    _countable(data, {names.SYSTEM}, "the tallies of a system")
    lead = [d for d in (names.LABEL,) if d in data.dims]
    order = (names.ITEM, names.SYSTEM, *lead, names.TALLY)
    data = data if data.dims == order else data.transpose(*order)
    return data if data.dtype == np.int64 else data.astype(np.int64)


def _named_tallies(data: Any) -> None:
    """Refuse tallies of other dims, other than tp, fp, fn, or of systems without names."""
    if extra := set(data.dims) - {names.ITEM, names.SYSTEM, names.TALLY, names.LABEL}:
        dim = min(map(str, extra))
        raise ValueError(f"tallies have a dim {dim!r}; give (item, system, tally) and label")
    fit_names(data)
    coords = data.coords.variables
    tallies = tuple(map(str, coords[names.TALLY].values)) if names.TALLY in coords else ()
    if tallies != names.TALLIES:
        named = ", ".join(tallies) or "not named"
        raise ValueError(f"tallies are {named}; give a coordinate 'tally' with tp, fp, fn")
    if names.SYSTEM not in coords:
        raise ValueError("tallies need a coordinate 'system' with the names of the systems")
    systems = list(map(str, coords[names.SYSTEM].values))
    checks.several_systems(systems)


def counts(data: Any) -> Any:
    """Return `data` when it is a DataArray of counts whose last dim is the outcome.

    The outcomes are win, loss, tie, or win, loss alone where ties are unknown.
    """
    if not _is_array(data, (names.OUTCOME,)) or names.OUTCOME not in data.coords:
        wanted = "counts with a dim 'outcome' (win, loss, tie)"
        raise _expected(wanted, data, "betterthan.count and betterthan.counts.from_table")
    data = with_plain_labels(data)
    fit_names(data)
    labels = tuple(str(v) for v in data[names.OUTCOME].values)
    if labels not in (names.OUTCOMES, names.DECISIVE):
        right = "give win, loss, tie, or win, loss where ties are unknown"
        raise ValueError(f"outcomes are {', '.join(labels)}; {right}")
    data = data.transpose(..., names.OUTCOME)
    checks.nonnegative_integers(data.values, "counts")
    _countable(data, {names.SYSTEM_A, names.SYSTEM_B, names.PAIR}, "the counts of a pair")
    if names.SYSTEM_A in data.dims and names.SYSTEM_B in data.dims:
        triangles(data)
        if "n_items" in data.attrs and {"n_used", "n_dropped"} <= set(data.coords):
            data = _of_own_items(data)
    return data


def _of_own_items(data: Any) -> Any:
    """Counts with the number of their items, which is of others where they are a part of what was
    counted, or parts put together; without it where it cannot be known.
    """
    of_pair = [dim for dim in data.dims if dim not in names.SQUARE]
    held, used, dropped = (
        part.sum([dim for dim in of_pair if dim in part.dims]).transpose(*names.SQUARE).values
        for part in (data.variable, data["n_used"].variable, data["n_dropped"].variable)
    )
    number = np.unique((held + dropped)[~np.eye(len(held), dtype=bool)]).tolist()
    is_part = not np.array_equal(held, used)
    if not is_part and number == [data.attrs["n_items"]]:
        return data
    attrs = {name: value for name, value in data.attrs.items() if name != "n_items"}
    sizes: dict[str, Any] = {}
    if len(number) == 1 and not (is_part and dropped.any()):  # else which part lacks what?
        attrs |= {"n_items": number[0]}
        sizes = {"n_used": (names.SQUARE, held), "n_dropped": (names.SQUARE, dropped)}
    data = data.drop_vars(["n_used", "n_dropped"]).assign_coords(sizes)
    data.attrs = attrs
    return data


def triangles(data: Any) -> None:
    """Refuse a square of counts whose two triangles contradict each other."""
    data = data.transpose(..., names.SYSTEM_A, names.SYSTEM_B, names.OUTCOME)
    systems = systems_of_square(data)
    checks.unique(systems, "system")
    values = data.values
    turned = np.swapaxes(values, -3, -2)
    wrong = (values != turned[..., [1, 0, 2][: values.shape[-1]]]).any(axis=-1)
    diagonal = np.arange(len(systems))
    wrong[..., diagonal, diagonal] |= (values[..., diagonal, diagonal, :2] > 0).any(axis=-1)
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        here, there = values[at].tolist(), turned[at].tolist()
        raise ValueError(_contradiction(systems[at[-2]], systems[at[-1]], here, there))


def systems_of_square(data: Any) -> list[str]:
    """The systems of a square, which both of its dims must name in the same order."""
    systems, others = ([str(system) for system in data[dim].values] for dim in names.SQUARE)
    if systems != others:
        raise ValueError("system_a and system_b must name the same systems in the same order")
    return systems


def _contradiction(a: str, b: str, here: list[int], there: list[int]) -> str:
    if a == b:
        return f"{a!r} against itself has {here}; wins and losses there must be 0"
    both = f"{a!r} against {b!r} is {here} (win, loss, tie) but {b!r} against {a!r} is {there}"
    return f"{both}; one must be the other with win and loss exchanged"


def confusion(data: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Matrix (..., predicted, actual), class sizes (..., actual) and labels of confusion
    matrices.
    """
    if not _is_array(data, (names.PREDICTED, names.ACTUAL)):
        wanted = "a confusion matrix, dims (predicted, actual)"
        raise _expected(wanted, data, "betterthan.labels.confusion_matrix")
    fit_names(data)
    ordered = data.transpose(..., names.PREDICTED, names.ACTUAL)
    labels = [str(x) for x in ordered[names.PREDICTED].values]
    if labels != [str(x) for x in ordered[names.ACTUAL].values]:
        raise ValueError("predicted and actual must have the same labels in the same order")
    matrix = checks.nonnegative_integers(ordered.values, "cells of the confusion matrix")
    total = matrix.sum((-2, -1), dtype=float)
    checks.exactly_countable(total, "cells of a confusion matrix, summed,")
    actual = matrix.sum(-2)
    if "n_actual" in ordered.coords:
        column = ordered.isel({names.PREDICTED: 0}, drop=True)
        sizes = ordered["n_actual"].broadcast_like(column).transpose(*column.dims)
        actual = sizes.values.astype(np.int64)
    if (actual < matrix.sum(-2)).any():
        reason = "n_actual is below the sum of its column"
        raise ValueError(f"{reason}; it counts all items of the class")
    return matrix, actual, labels


def _countable(data: Any, of: set[str], what: str) -> None:
    """Refuse counts that are too large, or whose sum is: it would be rounded, or wrap."""
    checks.exactly_countable(data.values, what)
    over = tuple(k for k, dim in enumerate(data.dims) if dim not in of)
    checks.exactly_countable(data.values.sum(over, dtype=float), f"{what}, summed,")


def ties_known(data: Any, question: str) -> None:
    """Refuse a question that needs ties where ties are unknown."""
    if data.sizes[names.OUTCOME] == 2 and data.attrs.get("ties", "unknown") == "unknown":
        raise ValueError(
            f"{question} needs the number of ties, which these counts do not have; "
            "give the ties, or ties='drop' to speak of the discordant items alone"
        )


def comparison(data: Any) -> None:
    """Refuse what is not the Dataset that `compare` returns, of at least two systems."""
    if (
        not {"prob_better", "verdict", "counts"} <= set(getattr(data, "data_vars", ()))
        or "version" not in data.attrs
    ):
        raise ValueError("expected a comparison, the Dataset that betterthan.compare returns")
    if data.sizes[names.SYSTEM_A] < 2 or data.sizes[names.SYSTEM_A] != data.sizes[names.SYSTEM_B]:
        raise ValueError(
            "a comparison must keep the same systems, at least two, in system_a and system_b"
        )


def _whole_tallies(data: Any) -> None:
    """Refuse tallies that are missing, negative or fractional, and say of which item and system."""
    values = data.values
    if values.dtype.kind not in "iuf":
        raise ValueError(f"tallies are {values.dtype}; give whole numbers")
    if values.dtype.kind in "iu" and (values.dtype.kind == "u" or values.min() >= 0):
        return
    gone = ~np.isfinite(values)
    for bad, why in (
        (gone, "missing; every system needs tallies for every item, zeros where it found nothing"),
        (values < 0, "negative; a tally is at least 0"),
        (
            ~gone & (values != np.floor(values)),
            "fractional; give partial credit as whole numbers and their scale",
        ),
    ):
        if bad.any():
            at = zip(data.dims, np.argwhere(bad)[0].tolist(), strict=True)
            where = {d: str(data[d].values[k]) if d in data.coords else k for d, k in at}
            text = ", ".join(f"{d} {where[d]!r}" for d in where)
            raise ValueError(f"tally of {text} is {values[bad].flat[0]:g}: {why}")


def _unique_items(scores: Any) -> None:
    coords = [k for k in (names.DATASET, names.ITEM, "epoch") if k in scores.coords]
    keys = [k for k in coords if scores[k].dims == (names.ITEM,)]
    if keys == [names.ITEM] and _differ(scores[names.ITEM]):
        return
    if names.ITEM in keys:
        columns = {k: scores[k].values.tolist() for k in keys}
        checks.fit(columns[names.ITEM], names.ITEM)
        rows = list(zip(*columns.values(), strict=True))
        if len(set(rows)) < len(rows):
            checks.unique(rows if len(keys) > 1 else [row[0] for row in rows], "item")


def _differ(labels: Any) -> bool:
    """Whether no two labels are the same; False where that is not sure. They can be names."""
    numbers = []
    for begin in range(0, len(labels), _BLOCK):
        block = labels[begin : begin + _BLOCK].values.tolist()
        checks.fit(block, names.ITEM)
        numbers.append(np.fromiter(map(hash, block), np.int64, len(block)))
    ordered = np.sort(np.concatenate([np.empty(0, np.int64), *numbers]))
    return not (ordered[1:] == ordered[:-1]).any()


def _is_array(data: Any, dims: tuple[str, ...]) -> bool:
    parts = all(hasattr(data, part) for part in ("dims", "coords", "dtype"))
    return parts and set(dims) <= set(data.dims)


def _expected(wanted: str, data: Any, functions: str) -> ValueError:
    """The refusal of other data than are wanted, and which functions return these."""
    dims, kind = getattr(data, "dims", None), type(data).__name__
    there = f"{kind} with dims {tuple(dims)}" if dims is not None else kind
    if dims is not None and names.TALLY in dims:
        there = "TP/FP/FN counts"
        functions = f"betterthan.counts.tally_scores, which makes scores of them, and {functions}"
    elif dims is not None and names.OUTCOME in dims:
        there = "counts of wins, losses and ties, which do not say of which items"
    return ValueError(f"expected {wanted}, got {there}; see {functions}")

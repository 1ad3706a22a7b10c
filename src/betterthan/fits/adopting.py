"""Take a posterior that the user sampled: from a model of this package, changed or not, or from a
model of his own.
"""

import warnings
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import as_pairs, label_pairs
from betterthan.judged.dataset import is_judged
from betterthan.models.likelihood_data import systems_named
from betterthan.posterior.from_draws import (
    SAMPLES,
    are_all_pairs,
    diagnose,
    joinable,
    position,
    posterior_of,
)

_VARIABLES = {
    "difference": (names.PAIR,),
    "theta": (names.PAIR, names.OUTCOME),
    "p": (names.PAIR,),
}
_WANTED = (
    "theta (pair, outcome), p (pair) or difference (pair), for example by "
    "pm.Deterministic('difference', ..., dims='pair')"
)
_BETWEEN = " vs "
_LISTED_MAX = 4  # variables in a message
_COPIED_ATTRS = ("inference_library", "inference_library_version", "pareto_k", "weights_ess")
_FAR = 1e-4  # from 1, of probabilities that add up to it: draws may be kept in few digits


def adopt(idata: xr.DataTree, counts: xr.DataArray | xr.Dataset | None = None) -> xr.DataTree:
    """Adopt a posterior that you sampled, so that every function for fits accepts it.

    The model may be one from `build`, extended or not, or your own, with any sampler. The
    calibration results of this package hold only for its own models.

    Parameters
    ----------
    idata : xarray.DataTree
        Result of ``pm.sample``, with a group posterior over chain and draw. It holds one of these
        (the first one counts): ``difference`` (pair), P(A wins) - P(B wins), or any other
        difference that is above 0 where A is better; ``theta`` (pair, outcome), the probabilities
        of win, loss, and tie; or ``p`` (pair), the probability that A wins a non-tied item.
    counts : xarray.DataArray, dims (system_a, system_b, outcome) or (pair, outcome), optional
        Data of the model, also by cluster or data set, or judged counts. They name the systems if
        the model does not, and results get their dims. Default: the systems that `build` recorded,
        else those in labels such as "A vs B". Results are then over (system_a, system_b) if these
        are all pairs of their systems, in any order and direction, else over (pair,).

    Returns
    -------
    xarray.DataTree
        The same groups, with the pairs of the posterior. The posterior has coordinates ``system_a``
        and ``system_b`` on pair, and ``difference`` if it follows from ``theta``. If a variable is
        not over pair, constant_data has these coordinates instead, so that ArviZ accepts the
        posterior. ``posterior.attrs["model"]`` is "adopted model".

    Raises
    ------
    ValueError
        If there are no draws, none of the three variables, a value that is not finite or not a
        probability, variables that favor different systems in a draw, pairs of unknown systems, or
        other pairs than those of the counts.

    Warns
    -----
    UserWarning
        If the draws have not converged; the warning has the failures and remedies of
        `fits.diagnose`.

    Examples
    --------
    >>> import arviz as az, numpy as np, betterthan as bt
    >>> p = np.random.default_rng(1).beta(13, 3, size=(4, 1000, 1))  # as your sampler returns it
    >>> labels = {"dims": {"p": ["pair"]}, "coords": {"pair": ["A vs B"]}}
    >>> own = az.from_dict({"posterior": {"p": p}}, **labels)
    >>> answer = bt.prob_better(bt.fits.adopt(own)).sel(system_a="A", system_b="B")
    >>> bool(abs(answer - 0.9963) < 4 * answer.mcse)
    True
    """
    if not isinstance(idata, xr.DataTree) or "posterior" not in idata.children:
        raise ValueError(
            f"idata is a {type(idata).__name__} without a group posterior; give the "
            "xarray.DataTree that pm.sample returned"
        )
    posterior = _answering(posterior_of(idata))
    tree = _aligned(idata.copy(), posterior)
    constant = _constant_data(tree)
    if counts is None:
        a, b = _systems(posterior, constant)
        again = posterior.attrs.get("model") == names.ADOPTED
        square = bool(posterior.attrs["square"]) if again else are_all_pairs(a, b)
    else:
        judged = is_judged(counts)
        pairs, square = (counts, False) if judged else as_pairs(_summed_over_groups(counts, tree))
        order, a, b = _places(posterior, constant, pairs, square)
        posterior = posterior.isel({names.PAIR: order})
        for group in set(tree.children) - {"posterior"}:
            data = tree[group].to_dataset()
            if data.sizes.get(names.PAIR) == len(order):
                tree[group] = data.isel({names.PAIR: order})
        if not judged:
            _refuse_other_counts(tree, pairs, a, labelled=_labels(posterior) is not None)
    _refuse_twice(a, b)
    labels = label_pairs(a, b)
    copied = {k: posterior.attrs[k] for k in _COPIED_ATTRS if k in posterior.attrs}
    attrs = {"model": names.ADOPTED, "square": int(square), **copied}
    attrs |= {"draws": posterior.sizes["draw"], "chains": posterior.sizes["chain"]}
    attrs |= _built_with(constant)
    labelled = posterior.assign_coords(labels)
    bare, data = joinable(labelled), _keeping(_constant_data(tree), labels, len(a))
    if data is not None and names.SYSTEM_A not in bare.coords:
        tree["constant_data"], labelled = data, bare
    tree["posterior"] = labelled
    tree["posterior"].attrs = attrs
    diagnosis = diagnose(tree)
    if not diagnosis.passed:
        warnings.warn(f"not converged: {' '.join(diagnosis.failures)}", stacklevel=2)
    return tree


def _aligned(tree: xr.DataTree, posterior: xr.Dataset) -> xr.DataTree:
    """The tree with the pairs of the posterior in its other groups, where these have more pairs or
    another order.
    """
    labels = _labels(posterior) or []
    for group in set(tree.children) - {"posterior"} if labels else ():
        data = tree[group].to_dataset()
        group_labels = _labels(data)
        if (
            group_labels
            and group_labels != labels
            and set(labels) <= set(group_labels)
            and len(set(group_labels)) == len(group_labels)
        ):
            tree[group] = data.isel({names.PAIR: [group_labels.index(label) for label in labels]})
    return tree


def _keeping(constant: xr.Dataset, labels: dict[str, Any], pairs: int) -> xr.Dataset | None:
    """Group constant_data with the systems of each pair in the place of those that `build`
    recorded; None where it has pairs or systems of its own.
    """
    data = constant.drop_vars(names.IS_SYSTEM, errors="ignore")
    used = {dim for array in data.values() for dim in array.dims}
    if set(names.SQUARE) & used or data.sizes.get(names.PAIR, pairs) != pairs:
        return None
    return data.drop_vars(names.SQUARE, errors="ignore").assign_coords(labels)


def _constant_data(tree: xr.DataTree) -> xr.Dataset:
    return tree["constant_data"].to_dataset() if "constant_data" in tree.children else xr.Dataset()


def _answering(posterior: xr.Dataset) -> xr.Dataset:
    """The posterior with its answering variables checked, and ``difference`` of ``theta`` added."""
    empty = [d for d in SAMPLES if not posterior.sizes.get(d)]
    if empty:
        raise ValueError(
            f"idata has no draws: group posterior has no dim {empty[0]!r} with values; give what "
            "pm.sample returned"
        )
    wanted = {name: (*SAMPLES, *dims) for name, dims in _VARIABLES.items()}
    present = [v for v in _VARIABLES if v in posterior and set(posterior[v].dims) == set(wanted[v])]
    if not present or ("difference" in posterior and "difference" not in present):
        raise ValueError(
            f"idata has {_variable_list(posterior)} in group posterior; give {_WANTED}"
        )
    if not posterior.sizes[names.PAIR]:
        raise ValueError("idata has no pairs: dim 'pair' of group posterior is empty")
    for side in names.SQUARE:
        if side in posterior.dims:
            raise ValueError(
                f"group posterior has a dim {side!r}, which here is a coordinate of pair; rename it"
            )
    numbers = {v: _numbers(posterior[v].transpose(*wanted[v]), v) for v in present}
    checked = posterior.assign(numbers)
    if "theta" in present:
        checked = _in_order(checked)
    _refuse_contradictions(checked[present])
    if "difference" in present or "theta" not in present:
        return checked
    win, loss = (checked["theta"].sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
    return checked.assign(difference=win - loss)


def _refuse_contradictions(posterior: xr.Dataset) -> None:
    """Refuse two variables of which one favors A and the other one B in the same draw."""
    favors = {}  # above 0 where A is better
    for name, array in posterior.data_vars.items():
        favors[name] = array - 0.5 if name == "p" else array
        if name == "theta":
            win, loss = (array.sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
            favors[name] = win - loss
    for (first, a), (other, b) in combinations(favors.items(), 2):
        contradict = (a * b < 0) & (np.minimum(abs(a), abs(b)) > _FAR)
        if contradict.any():
            place = np.argwhere(contradict.values)[0].tolist()
            where = ", ".join(f"{d} {k}" for d, k in zip(contradict.dims, place, strict=True))
            raise ValueError(
                f"{first} and {other} favor different systems at {where}; give variables of one "
                "comparison, or rename the one that is another quantity"
            )


def _variable_list(posterior: xr.Dataset) -> str:
    """The first variables with their dims, as text."""
    every = [
        f"{name} ({', '.join(str(d) for d in array.dims if d not in SAMPLES)})"
        for name, array in posterior.data_vars.items()
    ]
    return ", ".join(every[:_LISTED_MAX] + ["..."] * (len(every) > _LISTED_MAX)) or "nothing"


def _numbers(array: xr.DataArray, name: str) -> xr.DataArray:
    """A variable that answers, checked."""
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} is of dtype {array.dtype}; give numbers")
    array = array.astype(float)
    _refuse_values(array, name)
    return array


def _in_order(posterior: xr.Dataset) -> xr.Dataset:
    """The posterior with outcomes in the order win, loss, tie."""
    labels = posterior[names.OUTCOME].values if names.OUTCOME in posterior.coords else []
    outcomes = [str(k) for k in labels]
    if sorted(outcomes) == sorted(names.OUTCOMES):
        return posterior.assign_coords({names.OUTCOME: outcomes}).sel(
            {names.OUTCOME: list(names.OUTCOMES)}
        )
    raise ValueError(
        f"theta has outcomes {', '.join(outcomes) or 'without names'}; give the coordinate "
        f"outcome: {', '.join(names.OUTCOMES)}"
    )


def _refuse_values(array: xr.DataArray, name: str) -> None:
    values = np.asarray(array.values, float)
    bad = ~np.isfinite(values)
    right = "finite numbers"
    if name != "difference":
        right = "probabilities"
        bad |= (values < 0) | (values > 1)
    if bad.any():
        place = tuple(np.argwhere(bad)[0])
        where = position(array, place)
        raise ValueError(f"{name} is {values[place]:g} at {where}; give {right}")
    if name == "theta" and (far := np.abs(values.sum(-1) - 1).max()) > _FAR:
        raise ValueError(
            f"theta adds up to 1 only within {far:.2g}; give the probabilities of win, loss and tie"
        )


def _systems(posterior: xr.Dataset, constant: xr.Dataset) -> tuple[list[str], list[str]]:
    """The two systems of each pair: as coordinates, as `build` recorded them, or in the labels."""
    if set(names.SQUARE) <= set(posterior.coords):
        a, b = ([str(s) for s in posterior[side].values] for side in names.SQUARE)
        return a, b
    labels = _labels(posterior)
    recorded = systems_named(constant)
    if recorded is not None:
        if labels is not None and labels != _labels(constant):
            raise ValueError(
                f"the posterior has pairs {_few(labels)}, constant_data has "
                f"{_few(_labels(constant) or [])}: pairs were renamed; give counts whose pairs "
                "have the new names"
            )
        return recorded
    if labels is None:
        raise ValueError(
            "pairs have no labels, so their systems are not known; label them as 'A vs B', or give "
            "the counts that the model was built of"
        )
    parts = [label.split(_BETWEEN) for label in labels]
    unclear = [
        label for label, both in zip(labels, parts, strict=True) if len(both) != 2 or not all(both)
    ]
    if unclear:
        raise ValueError(
            f"the pair {unclear[0]!r} does not name two systems; label pairs as 'A vs B', or give "
            "counts whose pairs are labelled as those of idata"
        )
    return [a for a, _ in parts], [b for _, b in parts]


def _few(labels: list[str]) -> str:
    more = ", ..." if len(labels) > 2 else ""
    return ", ".join(map(repr, labels[:2])) + more


def _labels(data: xr.Dataset) -> list[str] | None:
    """Labels of the pairs; None where they have only numbers."""
    if names.PAIR not in data.coords or data[names.PAIR].dtype.kind in "iu":
        return None
    return [str(label) for label in data[names.PAIR].values]


def _summed_over_groups(counts: Any, tree: xr.DataTree) -> Any:
    """Counts by pair or in a square, summed over further dims that the model's data have too."""
    counts = schemas.counts(counts)
    standard = {names.PAIR, *names.SQUARE, names.OUTCOME}
    held = {dim for group in tree.children for dim in tree[group].to_dataset().dims}
    more = [dim for dim in counts.dims if dim not in standard and dim in held]
    return counts.sum(more, keep_attrs=True) if more else counts


def _places(
    posterior: xr.Dataset, constant: xr.Dataset, counts: xr.DataArray | xr.Dataset, square: bool
) -> tuple[list[int], list[str], list[str]]:
    """Where the pairs of the counts are in the posterior, and their systems: in a square in the
    direction that the posterior has.
    """
    size, wanted = posterior.sizes[names.PAIR], counts.sizes[names.PAIR]
    labels = _labels(posterior)
    a, b = ([str(s) for s in counts[side].values] for side in names.SQUARE)
    if labels is None and systems_named(constant) is None and size == wanted:
        return list(range(size)), a, b  # an array without labels is in the order of its data
    wanted_labels = [str(label) for label in counts[names.PAIR].values]
    if labels is None or sorted(labels) != sorted(wanted_labels):  # not as the counts call them
        present = list(zip(*_systems(posterior, constant), strict=True))
        both = list(zip(a, b, strict=True))
        if square:
            both = [
                (y, x) if (y, x) in present and (x, y) not in present else (x, y) for x, y in both
            ]
        labels, wanted_labels = (
            [f"{x}{_BETWEEN}{y}" for x, y in pairs] for pairs in (present, both)
        )
        a, b = [x for x, _ in both], [y for _, y in both]
    if sorted(labels) != sorted(wanted_labels):
        raise ValueError(_other_pairs(labels, wanted_labels))
    return [labels.index(label) for label in wanted_labels], a, b


def _unordered(rows: np.ndarray) -> list[list[float]]:
    """The counts of all pairs, in whatever order and direction these are."""
    return sorted([*sorted(row[:2]), *row[2:]] for row in rows.tolist()) if rows.ndim == 2 else []


def _refuse_other_counts(
    tree: xr.DataTree, counts: xr.DataArray | xr.Dataset, a: list[str], *, labelled: bool
) -> None:
    """Refuse counts of other data than the model had, or of the same data in another order."""
    rows = np.asarray(counts.transpose(names.PAIR, names.OUTCOME).values)
    exchanged = rows[:, [1, 0, *range(2, rows.shape[1])]]
    as_drawn = counts[names.SYSTEM_A].values.astype(str) == a
    rows = np.where(as_drawn[:, None], rows, exchanged)
    constant = _constant_data(tree)
    held = [constant["counts"]] if "counts" in constant else []
    observed = tree["observed_data"].to_dataset() if "observed_data" in tree.children else {}
    held += [
        x
        for x in observed.values()
        if _unordered(x.values) == _unordered(rows) and (names.PAIR in x.dims or not labelled)
    ]
    if {"wins", "n"} <= set(constant) and systems_named(constant) is not None:  # without ties
        wins = constant["wins"]
        held.append(xr.concat([wins, constant["n"] - wins], names.OUTCOME).T)
    for array in held:
        more = [dim for dim in array.dims if dim not in array.dims[-2:]]
        values = array.sum(more).values
        width = values.shape[-1]
        same_shape = values.shape == (len(rows), width) and width in (2, rows.shape[1])
        if same_shape and (differ := (values != rows[:, :width]).any(1)).any():
            k = int(np.argmax(differ))
            was, now = (", ".join(f"{n:g}" for n in side[k]) for side in (values, rows))
            pair = counts[names.PAIR].values[k]
            raise ValueError(
                f"idata was sampled from {was} for the pair {pair}, where the counts have {now}; "
                "give the counts that the model was built of, in their order"
            )


def _built_with(constant: xr.Dataset) -> dict[str, str]:
    """The prior that `build` recorded, in words; the user may have changed the model since."""
    prior = constant.get("prior")
    if prior is None or prior.dims[-1:] != (names.OUTCOME,) or prior.isnull().any():
        return {}
    law = "Dirichlet" if prior.sizes[names.OUTCOME] == 3 else "Beta"
    values = f"({', '.join(f'{x:g}' for x in prior.values)})" if prior.ndim == 1 else " by pair"
    return {"built_with": f"{law}{values} as built"}


def _other_pairs(labels: list[str], wanted_labels: list[str]) -> str:
    """Message on how the pairs of a tree and of the counts differ."""
    missing = [x for x in wanted_labels if x not in labels]
    for only in (x for x in labels if x not in wanted_labels):
        if _BETWEEN.join(reversed(only.split(_BETWEEN))) in missing:
            return (
                f"idata has the pair {only!r}, the counts have it the other way round; give counts "
                "in a square, which has both directions: betterthan.counts.to_square(counts)"
            )
    counted = Counter(labels)
    for several in [x for x in counted if counted[x] > wanted_labels.count(x) > 0]:
        return f"idata has the pair {several!r} {counted[several]} times; give it once"
    where, only = ("idata", next((x for x in labels if x not in wanted_labels), None))
    if only is None:
        where, only = "the counts", missing[0]
    return (
        f"idata has {len(labels)} pairs and the counts {len(wanted_labels)}: {only!r} is in "
        f"{where} alone; give the counts that the model was built of"
    )


def _refuse_twice(a: list[str], b: list[str]) -> None:
    for x, y in zip(a, b, strict=True):
        checks.not_against_itself(x, y, "a pair")
    number = Counter(frozenset(pair) for pair in zip(a, b, strict=True))
    pair, most = number.most_common(1)[0]
    if most > 1:
        raise ValueError(
            f"the pair {' and '.join(sorted(pair))} is there {most} times; give it once"
        )

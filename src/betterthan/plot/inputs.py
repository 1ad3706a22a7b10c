"""Data of figures as counts, probabilities or differences, and which systems they show.

Convert the data to plot to counts, probabilities or differences.

A comparison, the Dataset in it, scores, counts and posterior draws are taken alike. ``attrs`` of
what comes back are those of the data: a figure reads the prior and the rope of a comparison from
them.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import count_data
from betterthan.counts.shapes import as_pairs, pair_indices, to_square
from betterthan.posterior import pairwise
from betterthan.posterior.closed import difference, prob_better, prob_equivalent
from betterthan.posterior.from_draws import posterior_of
from betterthan.posterior.sampled import difference_draws, no_difference
from betterthan.posterior.verdicts import decide
from betterthan.results import tables
from betterthan.signed import Signature


def chosen(systems: Any, present: Sequence[str]) -> dict[str, str]:
    """Map each system to draw to its displayed name: a list selects and orders, a mapping also
    renames.
    """
    if systems is None:
        return {system: system for system in present}
    if isinstance(systems, str) or not isinstance(systems, Iterable):
        raise ValueError(
            f"systems is {checks.quoted(systems)}; give a list of systems, or a mapping from "
            "systems to the names to show"
        )
    wanted = [check_system(system, present, "systems") for system in systems]
    checks.unique(wanted, "system in systems")
    if not wanted:
        raise ValueError("systems is empty; leave it out to draw all")
    new_names = [called(system, systems) for system in systems]
    checks.unique(new_names, "name in systems")
    return dict(zip(wanted, new_names, strict=True))


def picked(data: Any, dims: Sequence[str], systems: Any, order: Iterable[int] | None = None) -> Any:
    """Select the systems to draw, in their order and under their displayed names; all of them in
    `order`.
    """
    present = [str(system) for system in data[dims[0]].values]
    name = chosen(systems, present)
    rows = [present.index(system) for system in name]
    if systems is None and order is not None:
        rows = [int(k) for k in order]
    selected = data.isel(dict.fromkeys(dims, rows))
    return selected.assign_coords({dim: [name[present[k]] for k in rows] for dim in dims})


def called(system: Any, systems: Any) -> str:
    """What a system is called, where `systems` may rename it."""
    return str(systems.get(system, system) if isinstance(systems, Mapping) else system)


def check_system(system: Any, systems: Sequence[str], argument: str) -> str:
    """Return the name of a system when it is one of `systems`."""
    if str(system) not in systems:
        distinct = list(dict.fromkeys(systems))
        listed_names = ", ".join(distinct[:8]) + (", ..." if len(distinct) > 8 else "")
        raise ValueError(
            f"{argument} names {checks.quoted(system)}, which is not among the systems: "
            f"{listed_names}"
        )
    return str(system)


_DIFFERENCE = ("difference_mean", "difference_lower", "difference_upper", "verdict")
_DIFFERENCE_REQUEST = "a difference"
_TIES_UNKNOWN = f"{_DIFFERENCE_REQUEST} needs the number of ties, which these data do not have"
_JUDGMENT = "judgment"


def comparison_dataset(data: Any) -> Any:
    """Return the Dataset of a comparison; other input unchanged."""
    dataset = getattr(data, "data", None)
    dataset = dataset if isinstance(dataset, xr.Dataset) else data
    compares = isinstance(dataset, xr.Dataset) and "prob_better" in dataset
    return tables.in_step(dataset) if compares else dataset


def compared(data: Any) -> xr.Dataset:
    """The Dataset of a comparison of systems over (system_a, system_b)."""
    dataset = comparison_dataset(data)
    if not isinstance(dataset, xr.Dataset) or not {"prob_better", "verdict"} <= set(dataset):
        kind = type(data).__name__
        raise ValueError(f"data is a {kind}; give a comparison, from betterthan.compare")
    return dataset.isel({names.ENGINE: 0}) if names.ENGINE in dataset.dims else dataset


def table_order(data: Any) -> list[str]:
    """The systems of a comparison as its table lists them, best first; empty for other data."""
    if not isinstance(data, xr.Dataset) or "prob_better" not in data:
        return []
    main = tables.leading(data)
    if not _is_square(main["prob_better"]):
        return tables.systems(main)["system"].tolist()
    return [str(system) for system in main[names.SYSTEM_A].values[tables.order_best_first(main)]]


class Reference(NamedTuple):
    """A system that the others are compared with, and its role in words."""

    system: str
    role: str


def reference(data: Any) -> Reference | None:
    """The reference of the printed picture of three systems or more: the baseline, else the system
    most likely the best; None where there is neither.
    """
    systems = table_order(data)
    if len(systems) < 3:
        return None
    baseline = Signature.from_attrs(data.attrs).baseline
    if baseline in systems:
        return Reference(str(baseline), "baseline")
    if "prob_best" not in data or names.SYSTEM not in data["prob_best"].coords:
        return None
    leading = tables.leading(data).sel({names.SYSTEM: systems})
    first, role = tables.most_likely_best(leading)
    return Reference(systems[first], role)


def chosen_reference(
    data: Any, systems: Any, baseline: str | None, all_pairs: bool
) -> Reference | None:
    """The baseline that is named, else, unless all pairs are drawn, that of the data, where it is
    drawn; under the name to show.
    """
    checks.flag(all_pairs, "all_pairs")
    if baseline is not None:
        checks.label(baseline, "baseline")
        if all_pairs:
            raise ValueError("baseline and all_pairs=True contradict each other; pass one of them")
        return Reference(called(baseline, systems), "baseline")
    compared_with = None if all_pairs else reference(data)
    chosen_names = None if systems is None else [str(system) for system in systems]
    if compared_with is None or chosen_names is None:
        return compared_with
    if len(chosen_names) < 3 or compared_with.system not in chosen_names:
        return None
    return compared_with._replace(system=called(compared_with.system, systems))


def verdicts_against(data: xr.Dataset, compared_with: Reference | None) -> dict[str, str]:
    """The verdict of each other system against a reference: better, worse, equivalent, ..."""
    main = tables.leading(data)
    if compared_with is None or not _is_square(main["verdict"]):
        return {}
    column = main["verdict"].sel({names.SYSTEM_B: compared_with.system})
    verdicts = zip(column[names.SYSTEM_A].values, column.values.astype(str), strict=True)
    return {str(a): SIDES.get(v, str(v)) for a, v in verdicts if str(a) != compared_with.system}


SIDES = {"a_better": "better", "b_better": "worse"}
PAIRWISE = "Pairwise, not from the joint model"


def pairs(data: Any, systems: Any = None, *, or_draws: bool = False) -> xr.DataArray:
    """Counts (pair, outcome) of the systems to draw, no pair twice; `or_draws` says whether the
    figure also takes draws.
    """
    pair_counts, _ = as_pairs(_counts(comparison_dataset(data), or_draws))
    return _picked_pairs(pair_counts, systems)


def one_pair(data: Any, systems: Any) -> tuple[str, str, xr.DataArray]:
    """Return names and counts of one pair, from the side of the first system."""
    refuse_means(data)
    first = None if systems is None else _first_of_two(systems)
    a, b, pair = _only(pairs(data, systems, or_draws=True))
    return (b, a, exchanged(pair)) if first == b else (a, b, pair)


def refuse_means(data: Any) -> None:
    """Refuse answers about means on units for a figure of counts."""
    dataset = comparison_dataset(data)
    if isinstance(dataset, xr.Dataset) and "n_units" in dataset:
        raise ValueError(
            "these answers are of means on units, which no counts represent; pass quantity='wins' "
            "to compare where units are items, or give counts"
        )


def pair_draws(tree: xr.DataTree, systems: Any) -> tuple[str, str, dict[str, np.ndarray]]:
    """Return names and draws (draw, ...) of one pair, from the side of the first system."""
    first = None if systems is None else _first_of_two(systems)
    _refuse_other_fits(tree)
    sides = dict(zip(names.SQUARE, pair_names(posterior_of(tree)), strict=True))
    coords = {side: (names.PAIR, labels) for side, labels in sides.items()}
    index = xr.DataArray(np.arange(len(sides[names.SYSTEM_A])), coords, names.PAIR)
    a, b, place = _only(_picked_pairs(index, systems))
    pair_labels = [labels[int(place)] for labels in sides.values()]
    if first == b:
        a, b, pair_labels = b, a, pair_labels[::-1]
    return a, b, pairwise.pair_draws(tree, *pair_labels)


def pair_names(pairs: xr.DataArray | xr.Dataset) -> tuple[list[str], list[str]]:
    """Names of the first and of the second system of every pair."""
    a, b = (pairs[side].values for side in names.SQUARE)
    return [str(s) for s in a], [str(s) for s in b]


def exchanged(counts: xr.DataArray) -> xr.DataArray:
    """Counts from the side of the other system."""
    return counts.copy(data=counts.values[..., [1, 0, 2][: counts.sizes[names.OUTCOME]]])


def probabilities(data: Any, systems: Any = None) -> xr.DataArray:
    """P(row better than column) of the systems to draw; of all, as the table lists them, else the
    best by its mean first.
    ``attrs["joint"]``: whether it is of the joint posterior; ``decided``: where a verdict is.
    """
    data = _answers(data)
    listed = table_order(data)
    if isinstance(data, xr.Dataset) and "prob_better" in data:
        data = answered(data).assign_attrs(data.attrs, joint="pairwise_prob_better" in data)
    dims = data.dims if isinstance(data, xr.DataArray) and names.OUTCOME not in data.dims else ()
    if dims == (names.PAIR,):
        square = tables.as_square(data)
    elif names.PAIR in dims or _is_square(data):  # pairs of several engines or targets are refused
        square = _square(data)
    else:
        square = tables.as_square(prob_better(pairs(data)))
    values = np.asarray(square.values, dtype=float)
    bad = (values < 0) | (values > 1)
    if bad.any():
        raise ValueError(f"data hold the probability {values[bad][0]}; give numbers from 0 to 1")
    best: Any = np.argsort(-_row_means(values), kind="stable")
    present = square[names.SYSTEM_A].values.astype(str).tolist()
    best = [present.index(system) for system in listed] if listed else best
    selected = picked(square, names.SQUARE, systems, best)
    checks.at_least_two(selected[names.SYSTEM_A].values.tolist())
    return selected


def answered(data: xr.Dataset) -> xr.DataArray:
    """P(better) of a comparison, nan where a pair has no verdict: no data, or not converged."""
    better = data["prob_better"]
    by_pair = better.dims == (names.PAIR,)
    if "verdict" not in data or not (by_pair or _is_square(data["verdict"])):
        return better
    verdict = data["verdict"]
    empty, decided = verdict.isin(["no_data", "no_verdict"]), verdict.isin(["a_better", "b_better"])
    if by_pair:
        better = tables.as_square(better.where(~empty))
        return better.assign_coords(decided=to_square(decided, mirror="same"))
    itself = xr.DataArray(np.eye(better.sizes[names.SYSTEM_A], dtype=bool), dims=names.SQUARE)
    return better.where(~empty | itself).assign_coords(decided=decided)


def differences(data: Any, systems: Any = None, rope: float | None = None) -> xr.Dataset:
    """Mean, interval and verdict of the difference of each pair (pair), of one engine.

    `rope` is that of the verdicts on scores, counts and draws; a comparison has its verdicts.
    """
    if isinstance(data, xr.DataTree):
        _refuse_other_fits(data)
        difference_draws(posterior_of(data), _DIFFERENCE_REQUEST)
    data = _answers(data, rope)
    if isinstance(data, xr.Dataset) and _JUDGMENT not in data.sizes:
        return _compared(data, systems)
    counts = pairs(data, systems)
    return _closed(counts, effective_rope(counts, rope))


def posterior(pair: xr.DataArray, prior: Any) -> np.ndarray:
    """Dirichlet parameters of a pair, by the prior given, that of the comparison, or all ones."""
    prior = Signature.from_attrs(pair.attrs).prior if prior is None else prior
    return pair.values + np.array(checks.prior(prior, pair.size))


def named(model: Any) -> str:
    """A model in a message."""
    return f"an {model}" if model == names.ADOPTED else str(model)


def sampled(provenance: Signature) -> str:
    """Describe the number of draws; empty for closed forms."""
    return f"{provenance.draws * (provenance.chains or 1):,} draws" if provenance.draws else ""


def effective_rope(data: xr.DataArray | xr.Dataset, rope: float | None) -> float:
    """Return the given ROPE in the unit of the differences; else that of the comparison."""
    provenance = Signature.from_attrs(data.attrs)
    if rope is None:
        return names.ROPE if provenance.rope is None else provenance.rope
    shares = (None, names.DIFFERENCES["wins"], names.DIFFERENCES["accuracy"])
    own_unit = provenance.model in (names.ADOPTED, names.STUDENT_T, "graded", "mallows")
    if isinstance(data, xr.Dataset) and (own_unit or provenance.difference_is not in shares):
        return checks.margin(rope, "rope", names.OF_DIFFERENCE)
    return checks.rope(rope)


def _answers(data: Any, rope: float | None = None) -> Any:
    """As `comparison_dataset`; of posterior draws what they say of all pairs."""
    if not isinstance(data, xr.DataTree):
        return comparison_dataset(data)
    _refuse_other_fits(data)
    return pairwise.compared(data, rope)


def _refuse_other_fits(tree: xr.DataTree) -> None:
    """Refuse draws that do not hold the outcomes of each pair."""
    model = tree["posterior"].attrs.get("model") if "posterior" in tree.children else None
    if model in pairwise.MODELS:
        return
    if model is None:
        raise ValueError(f"data is {names.UNKNOWN_DRAWS}")
    raise ValueError(
        f"data is a fit of {model}, not of a core model; give betterthan.fits.compare(tree) to "
        "plot.matrix or plot.differences"
    )


def _picked_pairs(data: Any, systems: Any) -> Any:
    """Select the pairs of the systems to draw, and rename them."""
    a, b = pair_names(data)
    if not a:
        raise ValueError("data hold no pairs")
    checks.unique([tuple(sorted(pair)) for pair in zip(a, b, strict=True)], "pair")
    name = chosen(systems, list(dict.fromkeys([*a, *b])))
    selected = [k for k in range(len(a)) if a[k] in name and b[k] in name]
    if not selected:
        raise ValueError(f"data compare no two of {', '.join(map(repr, name))}")
    sides = zip(names.SQUARE, (a, b), strict=True)
    renamed = {side: (names.PAIR, [name[s[k]] for k in selected]) for side, s in sides}
    return data.isel({names.PAIR: selected}).assign_coords(renamed)


def _only(pair_values: xr.DataArray) -> tuple[str, str, xr.DataArray]:
    """Return names and values of the only pair."""
    if len(pair_values) != 1:
        raise ValueError(f"data hold {len(pair_values)} pairs; give systems=(a, b) to choose one")
    (a,), (b,) = pair_names(pair_values)
    return a, b, pair_values[0]


def _counts(data: Any, or_draws: bool = False) -> xr.DataArray:
    """The counts of a comparison, or of scores or judgments; or counts as they are."""
    if isinstance(data, xr.Dataset) and "counts" in data:
        if data.attrs.get("over"):
            raise ValueError(
                "data is an average over data sets, whose counts are of all items pooled; give "
                "one data set, or the counts"
            )
        joint = "pairwise_prob_better" in data
        # attrs say of the counts what is known
        return data["counts"].assign_attrs(data.attrs, joint=joint)
    dims = getattr(data, "dims", ())
    if isinstance(data, xr.DataArray) and names.OUTCOME in dims:
        return _checked_counts(data)
    if isinstance(data, xr.DataArray | xr.Dataset) and {names.ITEM, _JUDGMENT} & set(dims):
        return _checked_counts(count_data(data))
    if isinstance(data, xr.Dataset) and {"prob_better", "verdict"} <= set(data):
        model = data.attrs.get("model")
        draws = ", or the draws that it was made of" * (or_draws and model in pairwise.MODELS)
        raise ValueError(
            f"data are a comparison by {named(model)}, which holds no counts; give scores or "
            f"counts{draws}; plot.matrix and plot.differences draw comparisons"
        )
    has = f" with dims ({', '.join(map(str, dims))})" if isinstance(data, xr.DataArray) else ""
    raise ValueError(
        f"data is a {type(data).__name__}{has}; give a comparison, scores (item, system) or counts "
        "(system_a, system_b, outcome)"
    )


def _checked_counts(counts: xr.DataArray) -> xr.DataArray:
    """The counts, with a warning if they take what belongs together as independent."""
    if reason := str(counts.attrs.get("dependent", "")).rstrip("."):
        right = "plot.matrix and plot.differences draw the comparison of the scores"
        warnings.warn(f"{reason}; {right}", stacklevel=2)
    return counts


def _compared(comparison: xr.Dataset, systems: Any) -> xr.Dataset:
    if comparison.attrs.get("ties") == "unknown":
        raise ValueError(_TIES_UNKNOWN)
    missing = [name for name in _DIFFERENCE if name not in comparison]
    if missing and comparison.attrs.get("model") == names.ADOPTED:
        raise ValueError(
            "a difference needs theta or difference, and the adopted model has p alone; add one of "
            "them to the model"
        )
    if missing and {"prob_better", "verdict"} <= set(comparison):
        model = str(comparison.attrs.get("model"))
        from_draws = model in pairwise.MODELS and "draws" in comparison.attrs
        raise ValueError(no_difference(model, _DIFFERENCE_REQUEST) if from_draws else _TIES_UNKNOWN)
    if missing:
        raise ValueError(
            f"data are no comparison: there is no variable {missing[0]!r}; see betterthan.compare"
        )
    comparison = comparison.assign_attrs(joint="pairwise_verdict" in comparison)
    differences = comparison[list(_DIFFERENCE)]
    if set(differences["verdict"].dims) == {names.PAIR}:
        by_pair = _picked_pairs(differences, systems)
    else:
        square = picked(_square(differences), names.SQUARE, systems)
        by_pair = tables.select_pairs(square, *pair_indices(square.sizes[names.SYSTEM_A]))
    for verdict in np.unique(by_pair["verdict"].values.astype(str)):
        checks.one_of(str(verdict), names.VERDICTS, "verdict")
    return by_pair.rename({name: name.removeprefix("difference_") for name in _DIFFERENCE[:3]})


def _closed(counts: xr.DataArray, rope: float) -> xr.Dataset:
    """Differences and verdicts of counts, in closed form."""
    closed_form = difference(counts)
    prob_first, prob_second = prob_better(counts).values, prob_better(exchanged(counts)).values
    within = prob_equivalent(counts, rope).sel({names.REGION: "rope"}).values
    verdict, _ = decide(prob_first, prob_second, within, rope)
    empty = (counts.sum(names.OUTCOME).values == 0) & (counts.sizes[names.OUTCOME] == 3)
    closed_form["verdict"] = (names.PAIR, np.where(empty, "no_data", verdict))
    return closed_form.assign_attrs(rope=rope, difference_is=names.DIFFERENCES["wins"])


def _first_of_two(systems: Any) -> str:
    """Return the displayed name of the first of two systems."""
    both = list(systems) if isinstance(systems, Mapping | list | tuple) else ()
    if len(both) != 2:
        raise ValueError(f"systems is {checks.quoted(systems)}; give the names of two systems")
    first, second = both
    checks.not_against_itself(str(first), str(second), "systems")
    return called(first, systems)


def _is_square(data: Any) -> bool:
    dims = set(data.dims) if isinstance(data, xr.DataArray) else set()
    return set(names.SQUARE) <= dims and names.OUTCOME not in dims


def _square(data: Any) -> Any:
    """Answers over (system_a, system_b) alone, of the first engine, about systems with names."""
    square = data.isel({names.ENGINE: 0}, drop=True) if names.ENGINE in data.dims else data
    if set(square.dims) != set(names.SQUARE):
        dims = ", ".join(map(str, square.dims))
        raise ValueError(
            f"data have dims ({dims}); give (system_a, system_b) or (pair,): select the others "
            "first"
        )
    for dim in names.SQUARE:
        if dim not in square.coords:
            raise ValueError(f"data need a coordinate {dim!r} with the names of the systems")
    systems = schemas.systems_of_square(square)
    checks.several_systems(systems)
    return square.transpose(*names.SQUARE).assign_coords(dict.fromkeys(names.SQUARE, systems))


def _row_means(values: np.ndarray) -> np.ndarray:
    """Mean of each row without the diagonal and without gaps; one half where nothing is left."""
    use = ~np.isnan(values) & ~np.eye(len(values), dtype=bool)
    total, number = np.where(use, values, 0).sum(1), use.sum(1)
    return np.where(number > 0, total / np.maximum(number, 1), 0.5)

"""The responses of all systems to every item, ready to be summed; totals and scores of TP/FP/FN.

Responses are what tests swap, and what the bootstrap weights.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.counting import first_gap, need_a_shared_item
from betterthan.counts.shapes import labelled, origin
from betterthan.counts.units import refuse_unlabelled
from betterthan.exact.swaps import randomization, ratios
from betterthan.io.texts import text_array
from betterthan.rounding import without_rounding
from betterthan.signed import Signature

TALLY_STATISTICS = ("precision", "recall", "f1", "f_beta")


def tally_totals(tallies: xr.DataArray) -> xr.DataArray:
    """Sum TP/FP/FN counts over all items.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        TP/FP/FN counts.

    Returns
    -------
    xarray.DataArray, dims (system, tally) or (system, tally, label), int64
        Totals, in units of ``attrs["scale"]`` like the input.

    Raises
    ------
    ValueError
        If the data are not TP/FP/FN counts.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"] * 2, "item": ["d1", "d1", "d2", "d2"], "tp": [3, 1, 1, 2]}
    ... ).assign(fp=1, fn=0)
    >>> tally_totals(bt.io.tallies_from_table(frame)).sel(system="A").values.tolist()
    [4, 2, 0]
    """
    totals = schemas.tallies(tallies).sum(names.ITEM, keep_attrs=True)
    order = (names.SYSTEM, names.TALLY, *([names.LABEL] if names.LABEL in totals.dims else []))
    return totals.transpose(*order).rename("totals")


def tally_scores(
    tallies: xr.DataArray, *, statistic: str = "f1", beta: float = 1.0, empty: float = 1.0
) -> xr.DataArray:
    """Score every item from its TP/FP/FN counts, to compare systems item by item.

    The mean of these scores differs from the score of all items together; for that one see
    `randomization_test`.

    Parameters
    ----------
    tallies : xarray.DataArray, dims (item, system, tally), with or without a dim label
        TP/FP/FN counts; labels are summed.
    statistic : {"f1", "precision", "recall", "f_beta"}, default "f1"
        Score to compute.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    empty : float in [0, 1], default 1
        Score of an item where it is 0 / 0. For F1, the system found nothing and there was nothing
        to find; for precision, it found nothing; for recall, there was nothing to find.

    Returns
    -------
    xarray.DataArray, dims (item, system)
        Scores between 0 and 1, with the coordinates of the items.

    Raises
    ------
    ValueError
        If the data are not TP/FP/FN counts, or an argument is not one of its choices.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> frame = pd.DataFrame(
    ...     {"system": ["A", "B"], "item": ["d1", "d1"], "tp": [3, 1], "fp": [1, 0], "fn": [0, 2]}
    ... )
    >>> tally_scores(bt.io.tallies_from_table(frame)).round(3).values.tolist()
    [[0.857, 0.5]]
    """
    checks.one_of(statistic, TALLY_STATISTICS, "statistic")
    if not 0 <= checks.real(empty, "empty", "a score between 0 and 1") <= 1:
        raise ValueError(f"empty is {empty!r}; give a score between 0 and 1")
    if checks.real(beta, "beta", "a positive number") != 1 and statistic != "f_beta":
        raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {statistic!r}")
    tallies = schemas.tallies(tallies)
    summed = tallies.sum(names.LABEL) if names.LABEL in tallies.dims else tallies
    ratio = ratios.ratio_of(statistic, beta)
    x, y = ratios.sums_of(summed.transpose(..., names.TALLY).values, ratio)
    like = summed.isel({names.TALLY: 0}, drop=True).astype(float)
    scores = like.copy(data=ratios.score(x, y, ratio.k)).where(like.copy(data=x + y) > 0, empty)
    provenance = Signature(higher_is_better=True, statistic=statistic).to_attrs()
    return scores.assign_attrs(origin(tallies) | provenance).rename("scores")


@dataclass(frozen=True)
class Responses:
    """Responses (item, system, ...) and the statistic asked of their sums.

    `kind` is sum, ratio, macro, custom (the caller's function of all items) or means (one of their
    weighted means). For a ratio `values` ends in (x, y), for macro in (label, x y). For sums they
    are scores, 0 where `observed` is False; whole numbers in units of 1 / `scale` where that is
    possible.
    """

    kind: str
    statistic: str
    systems: list[str]
    values: np.ndarray
    observed: np.ndarray  # bool (item, system)
    k: int = 1
    scale: int = 1
    higher_is_better: bool = True
    function: Callable[[np.ndarray], Any] | None = None

    @property
    def gaps(self) -> bool:
        """Whether a score is missing."""
        return not self.observed.all()

    @property
    def items(self) -> np.ndarray | int:
        """How many items each system has a score of."""
        whole = self.observed.dtype == bool and not self.gaps
        return len(self.observed) if whole else self.observed.sum(0)


def responses_of(
    data: xr.DataArray, statistic: str | Callable[[np.ndarray], Any] | None, beta: float, unit: str
) -> Responses:
    """Scores or tallies as responses, with items that are swapped together summed."""
    labelled(data, "data", "scores (item, system) or tallies (item, system, tally)")
    is_tallies = names.TALLY in data.dims
    chosen = ("f1" if is_tallies else "mean") if statistic is None else statistic
    if not callable(chosen):
        checks.one_of(chosen, names.STATISTICS, "statistic")
    if checks.real(beta, "beta", "a positive number") != 1 and chosen != "f_beta":
        raise ValueError(f"beta={beta:g} is for statistic='f_beta', not {_name(chosen)!r}")
    data = schemas.tallies(data) if is_tallies else schemas.scores(data)
    return responses_from(data, chosen, beta, unit)


def responses_from(
    data: xr.DataArray,
    chosen: str | Callable[[np.ndarray], Any] | None = None,
    beta: float = 1.0,
    unit: str = names.ITEM,
) -> Responses:
    """The same of scores or tallies that are checked already."""
    is_tallies = names.TALLY in data.dims
    chosen = chosen or ("f1" if is_tallies else "mean")
    if callable(chosen):
        return _custom(data, chosen, unit)
    if is_tallies:
        return _tallied(data, chosen, beta, unit)
    if chosen not in ("mean", "accuracy"):
        raise ValueError(
            f"statistic={chosen!r} needs tallies (item, system, tally); these are scores"
        )
    return _scored(data, chosen, unit)


def score_of(responses: Responses) -> np.ndarray:
    """The statistic of every system over all its items."""
    score = _oriented_score(responses)
    return score if responses.higher_is_better else -score


def _oriented_score(responses: Responses) -> np.ndarray:
    """The same, of which more is better."""
    if responses.kind == "custom":
        return evaluate(responses, np.moveaxis(responses.values, 1, 0))
    sums = responses.values.sum(0)
    if responses.kind == "means":
        return of_means(responses, (sums / responses.observed.sum(0)[0])[None])[0]
    if responses.kind == "sum":
        with np.errstate(invalid="ignore"):
            return sums / responses.items / responses.scale
    scores = ratios.score(sums[..., 0], sums[..., 1], responses.k)
    return scores.mean(-1) if responses.kind == "macro" else scores


def evaluate(responses: Responses, batch: np.ndarray) -> np.ndarray:
    """The caller's function of (batch, item, ...), checked, of which more is better."""
    result = _returned(responses, batch)
    if result.shape != (len(batch),):
        raise ValueError(
            f"statistic {responses.statistic!r} gave shape {result.shape} for responses of shape "
            f"{batch.shape}; it must give one number for each of the first axis, shape "
            f"{(len(batch),)}"
        )
    return _finite(responses, result)


def _finite(responses: Responses, scores: np.ndarray) -> np.ndarray:
    if not np.isfinite(scores).all():
        value = scores[~np.isfinite(scores)][0] * (1 if responses.higher_is_better else -1)
        raise ValueError(f"statistic {responses.statistic!r} gave {value}; it must be finite")
    return scores


def _returned(responses: Responses, values: np.ndarray) -> np.ndarray:
    """What the caller's function returns, as an array of numbers of which more is better."""
    assert responses.function is not None
    what = f"the value of statistic {responses.statistic!r}"
    result = checks.reals(responses.function(values), what, "an array of numbers")
    return result if responses.higher_is_better else -result


def numbers_of(data: Any, function: Callable[[np.ndarray], Any], unit: str) -> Responses:
    """Numbers of any kind (item, system, ...), for a function of their weighted means."""
    dims = tuple(getattr(data, "dims", ()))
    if not {names.ITEM, names.SYSTEM} <= set(dims) or names.SYSTEM not in data.coords:
        raise ValueError(
            "a function of your own needs a DataArray (item, system, ...) that names its systems"
        )
    data = data.transpose(names.ITEM, names.SYSTEM, ...)
    checks.unique(_systems(data), "system")
    checks.at_least_two(_systems(data))
    values = data.values.astype(float)
    if not values.size or not np.isfinite(values).all():
        raise ValueError(
            "a function of your own needs a finite number everywhere; complete the data or leave "
            "items out"
        )
    values, observed = _together(data, unit, values, np.ones(values.shape[:2], dtype=bool))
    also: Any = {"function": function, "higher_is_better": _higher_is_better(data)}
    return Responses("means", _name(function), _systems(data), values, observed, **also)


def of_means(responses: Responses, means: np.ndarray, *, finite: bool = False) -> np.ndarray:
    """The same of means (draw, system, ...): (draw, system)."""
    result = _returned(responses, means)
    if result.shape != means.shape[:2]:
        raise ValueError(
            f"statistic {responses.statistic!r} gave shape {result.shape} for means of shape "
            f"{means.shape}; it must keep the first two axes, shape {means.shape[:2]}"
        )
    return _finite(responses, result) if finite else result


def _scored(scores: xr.DataArray, statistic: str, unit: str) -> Responses:
    raw = scores.values.astype(float)
    observed = ~np.isnan(raw)
    if statistic == "accuracy" and not np.isin(raw[observed], (0.0, 1.0)).all():
        raise ValueError(
            "accuracy needs scores of 0 and 1; one is "
            f"{raw[observed][~np.isin(raw[observed], (0, 1))][0]:g}"
        )
    higher = _higher_is_better(scores)
    integers = randomization.whole_scores(raw)
    values, scale = (np.where(observed, raw, 0.0), 1) if integers is None else integers
    if not higher:
        values = -values
    if unit != names.ITEM:
        _no_gaps(scores, observed, unit)
    if not observed.all():
        need_a_shared_item(observed.T.astype(float) @ observed, _systems(scores))
    values, observed = _together(scores, unit, values, observed)
    if integers is None:
        values = without_rounding(values)
    return Responses(
        "sum", statistic, _systems(scores), values, observed, scale=scale, higher_is_better=higher
    )


def _tallied(tallies: xr.DataArray, statistic: str, beta: float, unit: str) -> Responses:
    if statistic in ("mean", "accuracy"):
        raise ValueError(
            f"statistic={statistic!r} needs scores; these are tallies, which have precision, "
            "recall and F"
        )
    labelled = names.LABEL in tallies.dims
    if statistic == "macro_f1" and not labelled:
        raise ValueError("macro_f1 is a mean over labels; give tallies with a dim 'label'")
    values = tallies.values
    if labelled and statistic in TALLY_STATISTICS:
        values = values.sum(2)
    ratio = ratios.ratio_of(statistic, beta)
    values = np.stack(ratios.sums_of(values, ratio), axis=-1)
    values, observed = _together(tallies, unit, values, np.ones(values.shape[:2], dtype=bool))
    kind = "macro" if statistic == "macro_f1" else "ratio"
    statistic_name = f"f_beta (beta={beta:g})" if statistic == "f_beta" else statistic
    return Responses(kind, statistic_name, _systems(tallies), values, observed, k=ratio.k)


def _custom(data: xr.DataArray, function: Callable[[np.ndarray], Any], unit: str) -> Responses:
    values = data.values
    if names.TALLY not in data.dims:
        values = values.astype(float)
        _no_gaps(data, ~np.isnan(values), "a function of your own")
    if unit != names.ITEM:
        raise ValueError(
            "a function of your own sees single items; sum what is swapped together yourself"
        )
    name = getattr(function, "__name__", type(function).__name__)
    observed = np.ones(values.shape[:2], dtype=bool)
    also: Any = {"function": function, "higher_is_better": _higher_is_better(data)}
    return Responses("custom", name, _systems(data), values, observed, **also)


def _higher_is_better(data: xr.DataArray) -> bool:
    return bool(data.attrs.get("higher_is_better", True))


def _together(
    data: xr.DataArray, unit: str, values: np.ndarray, observed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums over the items with the same value of the coordinate `unit`; `observed` then counts
    items.
    """
    if unit == names.ITEM:
        return values, observed
    if unit not in data.coords or data[unit].dims != (names.ITEM,):
        item_coords = [str(c) for c in data.coords if data[c].dims == (names.ITEM,)]
        raise ValueError(
            f"unit is {checks.quoted(unit)}; give one of "
            f"{', '.join(dict.fromkeys(['item', *item_coords]))}"
        )
    refuse_unlabelled(data, unit)
    labels = data[unit].values
    labels = text_array(labels) if labels.dtype.kind == "O" else labels
    groups, position = np.unique(labels, return_inverse=True)
    summed = np.zeros((len(groups), *values.shape[1:]), dtype=values.dtype)
    np.add.at(summed, position, values)
    counted = np.zeros((len(groups), observed.shape[1]), dtype=np.int64)
    np.add.at(counted, position, observed)
    return summed, counted


def _no_gaps(scores: xr.DataArray, observed: np.ndarray, cause: str) -> None:
    if not observed.all():
        raise ValueError(
            f"{first_gap(scores, ~observed)}: swapping by {cause} needs every score; complete it "
            "or leave the item out"
        )


def _systems(data: xr.DataArray) -> list[str]:
    return list(map(str, data.coords.variables[names.SYSTEM].values))


def _name(statistic: Any) -> str:
    return statistic if isinstance(statistic, str) else getattr(statistic, "__name__", "function")

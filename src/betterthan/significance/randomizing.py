"""Approximate and exact randomization: would swapping two systems' responses give as large a
difference?
"""

from collections.abc import Callable
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from xarray.indexes import PandasIndex

import betterthan
from betterthan import checks, names
from betterthan.blocks.lazy import in_blocks
from betterthan.counts.responses import Responses, responses_of, score_of
from betterthan.counts.shapes import pair_indices
from betterthan.counts.units import unit_of
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps import randomization
from betterthan.signed import Signature
from betterthan.significance import nulls
from betterthan.significance.block_swaps import randomize_blocks
from betterthan.significance.corrections import adjusted_square


def randomization_test(
    data: xr.DataArray | Responses,
    *,
    statistic: str | Callable[[np.ndarray], Any] | None = None,
    beta: float = 1.0,
    alternative: str = "two-sided",
    unit: str | None = None,
    method: str = "auto",
    shuffles: int = names.SHUFFLES,
    stop_after: int | None = None,
    correction: str = names.CORRECTION,
    cutoff: float = names.CUTOFF,
    rng: Any = None,
) -> xr.Dataset:
    """Test every pair of systems by swapping their responses item by item.

    If two systems were the same, their responses to an item could change places. The p-value is the
    share of all 2**n swaps whose difference is at least as large as the observed one; it is exact
    where that share can be computed, and otherwise estimated from random swaps.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system), without gaps also in blocks of items that dask holds; or tallies
        (item, system, tally) with tp, fp, fn and an optional dim label.
    statistic : str or callable, optional
        For scores "mean" (default) or "accuracy" (scores of 0 and 1); for tallies "f1" (default),
        "precision", "recall", "f_beta", all micro-averaged, or "macro_f1" over labels; 0 / 0 is 0.
        Or a function of one system's responses, (batch, item) for scores and (batch, item, ...,
        tally) for tallies, to one number for each of batch.
    beta : float, default 1
        For "f_beta": recall counts beta times as much as precision.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        ``greater``: the system of the row is better.
    unit : str, optional
        Name of an item coordinate: items with the same value of it, such as one document's, are
        swapped together. By default ``cluster`` where items come in clusters; "item" takes items as
        independent.
    method : {"auto", "exact", "monte_carlo"}, default "auto"
        ``auto`` is exact where the null distributions have at most `names.LATTICE_CELLS_MAX` cells
        and take at most `names.LATTICE_WORK_MAX` additions, or there are at most
        `names.ENUMERATION_MAX` items.
    shuffles : int, default 10,000
        Random swaps, the same ones for all pairs.
    stop_after : int, optional
        Stop sampling a pair at this many exceedances (Besag and Clifford); the p-value stays valid.
    correction : {"none", "holm", "bh", "max_t", "tukey"}, default "holm"
        Adds ``p_adjusted``. ``holm`` and ``bh`` see p-values alone. ``max_t`` (Westfall and Young,
        step-down) uses the joint swaps; it is approximate, because one swap exchanges two systems
        and says nothing of a third. ``tukey`` permutes all systems within each item; it is exact
        when no two systems differ, and approximate when some do. Both sample, also where p is
        exact.
    cutoff : float, default 0.01
        The level whose confidence is told.
    rng : int, numpy.random.Generator or None
        Seed; it is recorded.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``p_value``, ``difference`` (of the statistic, A - B), ``n``
        (swapped units both have), ``n_differ`` (those where they differ), ``smallest_p`` (no swap
        of these could give less). If sampled: ``p_value_mcse``, ``exceedances``, ``shuffles``,
        ``confidence`` (probability that the true p is at or below the cutoff) and ``more_shuffles``
        (to be 99 % sure on which side it is). Over system: ``score``. ``attrs`` say which method
        was taken and why.

    Raises
    ------
    ValueError
        If the data are neither scores nor tallies, or lack a response.
        If an argument is not one of its choices, or does not go with the data or with another
        argument. If ``method="exact"`` and the null distribution is too large.

    References
    ----------
    E. W. Noreen (1989), Computer-Intensive Methods for Testing Hypotheses, Wiley. N. Chinchor, L.
    Hirschman and D. Lewis (1993), Evaluating Message Understanding Systems, Computational
    Linguistics 19(3), 409-449.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 0], [1, 0], [1, 1], [1, 0], [1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B"]},
    ... )
    >>> test = randomization_test(scores)
    >>> test["p_value"].sel(system_a="A", system_b="B").item(), test.attrs["method"]
    (0.0625, 'binomial')
    """
    _check_choices(alternative, method, correction)
    cutoff, shuffles = checks.probability(cutoff, "cutoff"), checks.whole(shuffles, "shuffles")
    unit = unit or unit_of(data)
    if in_blocks(data):
        options = {
            "unit": unit,
            "stop_after": stop_after,
            "correction": correction,
            "cutoff": cutoff,
        }
        options |= {"alternative": alternative, "method": method, "shuffles": shuffles}
        return randomize_blocks(
            data, statistic, options, one_seed(rng), sided=_sided, how_sure=_how_sure
        )
    responses = data if isinstance(data, Responses) else responses_of(data, statistic, beta, unit)
    joint = correction if correction in names.JOINT_CORRECTIONS else None
    _agree(responses, alternative, stop_after, joint)
    how, why = nulls.plan(responses, method)
    _no_early_stop(how, stop_after)
    drawn = None
    if how == "monte_carlo" or joint:
        drawn = nulls.Drawn(shuffles, one_seed(rng), stop_after, joint)
    tails = _tails(responses, how, alternative, drawn)
    result = _assembled(responses, tails, alternative, cutoff, correction)
    provenance = _record(responses, how, why, drawn, correction)
    result.attrs = provenance | {"alternative": alternative, "unit": unit, "cutoff": cutoff}
    return result


def _check_choices(alternative: str, method: str, correction: str) -> None:
    """Refuse unknown choices."""
    checks.one_of(alternative, names.ALTERNATIVES, "alternative")
    checks.one_of(method, names.RANDOMIZATIONS, "method")
    checks.one_of(correction, names.CORRECTIONS + names.JOINT_CORRECTIONS, "correction")


def _record(
    responses: Responses, how: str, why: str, drawn: nulls.Drawn | None, correction: str
) -> dict[str, Any]:
    """Provenance of the p-values."""
    provenance = Signature(
        version=betterthan.__version__,
        statistic=responses.statistic,
        n_items=len(responses.values),
        method=how,
        seed=drawn.seed if drawn else None,
        shuffles=drawn.shuffles if drawn else None,
        correction=correction,
    )
    description = {"test": "randomization", "reason": why, "sampled": int(how == "monte_carlo")}
    if drawn and drawn.stop_after:
        description["stop_after"] = drawn.stop_after
    return provenance.to_attrs() | description


def _no_early_stop(how: str, stop_after: int | None) -> None:
    if stop_after is not None and how != "monte_carlo":
        raise ValueError(
            f"stop_after={stop_after} is for sampling, and the exact p is at hand; leave it out"
        )


def _agree(
    responses: Responses, alternative: str, stop_after: int | None, joint: str | None
) -> None:
    """Refuse choices that do not go together."""
    if stop_after is not None:
        checks.whole(stop_after, "stop_after")
    if joint and alternative != "two-sided":
        raise ValueError(
            f"correction={joint!r} is two-sided; use holm with alternative={alternative!r}"
        )
    if joint and stop_after is not None:
        raise ValueError(f"correction={joint!r} needs every shuffle; leave stop_after out")
    if joint == "tukey" and (responses.gaps or responses.kind == "custom"):
        requirement = (
            "a score of every system for every item"
            if responses.gaps
            else "a statistic of this package"
        )
        raise ValueError(f"correction='tukey' needs {requirement}; use max_t or holm")


def _tails(
    responses: Responses, how: str, alternative: str, drawn: nulls.Drawn | None
) -> nulls.Tails:
    tails = [nulls.TWO_SIDED] if alternative == "two-sided" else [nulls.GREATER, nulls.LESS]
    sampled = nulls.sampled_tails(responses, tails, drawn) if drawn else None
    if sampled and how == "monte_carlo":
        return sampled
    exact = nulls.exact_tails(responses, how)
    return nulls.Tails(exact.p[tails], adjusted=sampled.adjusted if sampled else None)


def _assembled(
    responses: Responses, tails: nulls.Tails, alternative: str, cutoff: float, correction: str
) -> xr.Dataset:
    systems, score = responses.systems, score_of(responses)
    n, differ = _units(responses)
    least = 0.5**differ * (2.0 if alternative == "two-sided" else 1.0)
    if tails.shuffles is not None:
        least = np.maximum(least, 1 / (_sided(tails.shuffles, alternative, 1) + 1))
    table: dict[str, Any] = {
        "p_value": _sided(tails.p, alternative, 1.0),
        "difference": _difference(responses, score),
        "n": n,
        "n_differ": differ,
        "smallest_p": np.minimum(least, 1.0),
    }
    table |= _how_sure(tails, alternative, cutoff)
    table["score"] = score
    if tails.adjusted is not None:
        table["p_adjusted"], attrs = _square(tails.adjusted, tails.adjusted, 1.0), {}
    else:
        adjusted = adjusted_square(table["p_value"], correction)
        table["p_adjusted"], attrs = adjusted.values, adjusted.attrs
    result = _blank(tuple(systems), tuple(table)).copy(data=table)
    result.variables["p_adjusted"].attrs.update(attrs)
    return result


def _how_sure(tails: nulls.Tails, alternative: str, cutoff: float) -> dict[str, np.ndarray]:
    """Monte Carlo error and confidence of sampled p-values; nothing for exact ones."""
    if tails.exceedances is None or tails.shuffles is None:
        return {}
    b, shuffles = tails.exceedances, tails.shuffles
    more = randomization.more_shuffles(b, shuffles, cutoff, names.CONFIDENCE)
    return {
        "p_value_mcse": _sided(randomization.monte_carlo_error(b, shuffles), alternative, 0.0),
        "exceedances": _sided(b, alternative, 0),
        "shuffles": _sided(shuffles, alternative, 0),
        "confidence": _sided(randomization.confidence_below(b, shuffles, cutoff), alternative, 0.0),
        "more_shuffles": _sided(more, alternative, 0.0),
    }


@lru_cache(maxsize=8)
def _blank(systems: tuple[str, ...], answers: tuple[str, ...]) -> xr.Dataset:
    """An empty table that takes no memory; cached, as making it takes as long as two thousand
    shuffles. Filling it in makes a copy.
    """
    dims = {name: names.SQUARE if name != "score" else (names.SYSTEM,) for name in answers}
    size = len(systems)
    empty = {name: (d, np.broadcast_to(np.nan, (size,) * len(d))) for name, d in dims.items()}
    return xr.Dataset(empty, coords=_coords(systems))


def _coords(systems: tuple[str, ...]) -> xr.Coordinates:
    """The same names on three dims, from one index."""
    labels = np.array(systems)
    index = PandasIndex(pd.Index(labels, dtype=object), names.SYSTEM, coord_dtype=labels.dtype)
    indexes = {dim: index.rename({}, {names.SYSTEM: dim}) for dim in (*names.SQUARE, names.SYSTEM)}
    for dim, dim_index in indexes.items():
        dim_index.index.name = dim
    variables = {dim: dim_index.create_variables()[dim] for dim, dim_index in indexes.items()}
    return xr.Coordinates(variables, indexes=indexes)


def _sided(values: np.ndarray, alternative: str, diagonal: float) -> np.ndarray:
    """A square from (tail, pair): one tail above the diagonal, its mirror below."""
    if alternative == "two-sided":
        return _square(values[0], values[0], diagonal)
    greater, less = values
    return (
        _square(greater, less, diagonal)
        if alternative == "greater"
        else _square(less, greater, diagonal)
    )


def _square(above: Any, below: Any, diagonal: float) -> np.ndarray:
    systems = (1 + isqrt(1 + 8 * len(above))) // 2
    square = np.full((systems, systems), diagonal, dtype=np.result_type(above))
    first, second = pair_indices(systems)
    square[first, second], square[second, first] = above, below
    return square


def _units(responses: Responses) -> tuple[np.ndarray, np.ndarray]:
    """How many units each pair shares, and in how many of them its responses differ; one system at
    a time.
    """
    items, systems = responses.seen.shape
    values, present = responses.values.reshape(items, systems, -1), responses.seen > 0
    n = np.full((systems, systems), items)
    differ = np.zeros_like(n)
    for k in range(systems):
        different = values[:, k + 1 :] != values[:, k : k + 1]
        different = different.any(-1) if values.shape[2] > 1 else different[..., 0]
        if responses.gaps:
            shared = present[:, k:] & present[:, k : k + 1]
            n[k, k:] = n[k:, k] = np.count_nonzero(shared, axis=0)
            different &= shared[:, 1:]
        differ[k, k + 1 :] = differ[k + 1 :, k] = np.count_nonzero(different, axis=0)
    return n, differ


def _difference(responses: Responses, score: np.ndarray) -> np.ndarray:
    if not responses.gaps:
        return score[:, None] - score[None, :]
    # over the items both have, which the scores of the two systems are not
    present = (responses.seen > 0).astype(float)
    sums = responses.values.T @ present
    with np.errstate(invalid="ignore"):
        difference = (sums - sums.T) / (present.T @ present) / responses.scale
    return difference if responses.higher_is_better else -difference

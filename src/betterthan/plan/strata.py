"""Strata of a test set: each stratum, and both averages over strata."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.counting import count_outcomes
from betterthan.counts.units import CLUSTER, unit_of
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import other_side
from betterthan.exact.wins.beta import prob_above_half
from betterthan.plan import words
from betterthan.plan.answer import Plan
from betterthan.plan.inputs import Pairs, as_counts, check_rule, read_pairs, today

_ULPS = 1e-12  # a difference of shares below this is none


def micro_macro(
    data: xr.DataArray,
    *,
    by: str | None = None,
    prior: Any = None,
    threshold: float = names.VERDICT_PROB,
) -> Plan:
    """Compare micro- and macro-averages over strata, such as data sets or languages.

    The micro-average pools all items, the macro-average weighs every stratum alike. If all systems
    have the same items, both are weighted means of the same differences. They can still favor
    different systems, and the plan reports it.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system), with a coordinate `by` on the items; or counts of strata, with one
        dim before those of the systems, or before ``pair``.
    by : str, optional
        For scores: coordinate that names the strata, such as ``"dataset"``.
    prior, threshold
        Settings of the verdict in each stratum; see `foresee`.

    Returns
    -------
    Plan
        Over (system_a, system_b) or (pair,):

        - ``micro``, ``macro``: differences of the proportions of wins and losses
        - ``differ``: whether these favor different systems
        - ``difference``, ``n``, ``verdict``, ``prob_better`` (stratum): of each stratum

        For scores also ``dead`` (stratum): proportion of non-discriminating items, with the same
        outcome for all systems. They change d and the probability within the ROPE, but never P(A
        better).

    Raises
    ------
    ValueError
        If there are no strata, ties are unknown, or a choice is not valid.

    See Also
    --------
    models.hierarchical : Partial pooling over strata, with ``fits.compare(tree, weights=)``.

    Examples
    --------
    >>> import xarray as xr
    >>> counts = xr.DataArray(
    ...     [[[30, 20, 40]], [[0, 4, 6]]],
    ...     dims=("dataset", "pair", "outcome"),
    ...     coords={"outcome": ["win", "loss", "tie"], "dataset": ["large", "small"]},
    ... )
    >>> plan = micro_macro(counts)
    >>> plan["micro"].values.round(3).tolist(), plan["macro"].values.round(3).tolist()
    ([0.06], [-0.144])
    """
    counts, dead = _counted(data, by)
    pair_dims = {*names.SQUARE, names.PAIR, names.OUTCOME}
    stratum_dims = [str(d) for d in counts.dims if d not in pair_dims]
    if len(stratum_dims) != 1:
        raise ValueError(
            f"counts have dims {', '.join(map(str, counts.dims))}; give those of strata, with one "
            "dim for them, or scores and by="
        )
    stratum = stratum_dims[0]
    pairs = read_pairs(counts, prior, 1.0)  # as a rope does, d needs ties
    summary = _summed(pairs, stratum, check_rule(pairs.parameters.prior, threshold, 0.0)).assign(
        dead
    )
    attrs = pairs.parameters.attrs | {"answer": "strata", "of": stratum, "threshold": threshold}
    summary = summary.assign_attrs(attrs)
    return Plan(summary, words.strata(summary))


def _counted(data: Any, by: Any) -> tuple[xr.DataArray, dict[str, xr.DataArray]]:
    """Counts of strata; of scores also the share of items that are alike for all."""
    if not isinstance(data, xr.DataArray):
        raise ValueError(f"data is {checks.quoted(data)}; give scores and by=, or counts of strata")
    by_item = names.ITEM in data.dims
    if data.attrs.get("clusters") or (by_item and unit_of(data) == CLUSTER):
        raise ValueError(
            "items come in clusters, and strata take them as independent; "
            f"betterthan.compare(data, over={by or names.DATASET!r}) averages on clusters, "
            "data.drop_vars('cluster') drops them"
        )
    if not by_item:
        return as_counts(data), {}
    if not isinstance(by, str):
        raise ValueError(f"by is {checks.quoted(by)}; give the coordinate that names the strata")
    values = data.transpose(names.ITEM, names.SYSTEM)
    alike = values.max(names.SYSTEM) - values.min(names.SYSTEM) <= _ULPS
    return count_outcomes(data, by=by), {"dead": alike.astype(float).groupby(by).mean()}


def _summed(pairs: Pairs, stratum: str, rule: Rule) -> xr.Dataset:
    """Compute each stratum, and both averages."""
    better, verdicts = today(pairs, rule)
    w, l = pairs.counts[:, 0], pairs.counts[:, 1]
    net, n = pairs.wrap(w - l, l - w, 0), pairs.wrap(pairs.items, pairs.items, 0)
    stratum_difference = net / n.where(n > 0)
    micro, macro = (
        net.sum(stratum) / n.sum(stratum).clip(1),
        stratum_difference.mean(stratum).fillna(0.0),
    )
    win, loss = pairs.posterior[:, 0], pairs.posterior[:, 1]
    back = other_side(verdicts).astype("U16")
    variables = {
        "micro": micro,
        "macro": macro,
        "differ": (np.abs(micro) > _ULPS) & (micro * macro < 0),
        "difference": stratum_difference,
        "n": n,
        "prob_better": pairs.wrap(better, prob_above_half(loss, win), 0.5),
        "verdict": pairs.wrap(verdicts.astype("U16"), back, "undecided"),
    }
    return xr.Dataset(variables)

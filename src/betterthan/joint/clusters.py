"""Examples in clusters: the answer for the population of clusters, beside the one as if examples were independent."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.joint.pairs import answers, choices, closed_answer, judged, of_model, say_no_data, signed
from betterthan.models import clustered
from betterthan.outcomes.shapes import to_square

_SAMPLES = ("chain", "draw")


def compare_clusters(
    tree: xr.DataTree, *, rope: float = names.ROPE, prob: float = names.CI_PROB, kind: str = names.CI_KIND
) -> xr.Dataset:
    """Compare systems on examples that come in clusters, from a fit of the clustered model.

    Parameters
    ----------
    tree : xarray.DataTree
        From ``betterthan.models.clustered.fit``.
    rope : float in [0, 1), default 0
        Half width of the region of practical equivalence, as a difference of probabilities.
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b), or (pair,): ``prob_better``, ``difference_mean``, ``difference_lower``,
        ``difference_upper``, ``mass`` (region), each with its ``_mcse``, and ``verdict``; ``prob_better_exact``, the
        same without draws; ``prob_better_independent`` and ``verdict_independent``, as if examples were independent;
        ``n``, ``design_effect`` and ``correlation`` (posterior means, with ``_lower`` and ``_upper``),
        and ``n_effective``, as many independent examples as say the same.

    Raises
    ------
    ValueError
        If the tree is of another model, or an argument is not valid.

    Warns
    -----
    UserWarning
        If the fit has not converged, or a pair has no decisive outcome.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("clustered")  # as bt.models.clustered.fit(counts) returns it
    >>> found = bt.compare_clusters(tree)
    >>> bool(found["n_effective"] < found["n"])
    True
    """
    posterior = of_model(tree, "clustered")
    rope, prob, kind = choices(rope, prob, kind)
    counts = tree["constant_data"].to_dataset()["counts"]
    total = counts.sum("cluster")
    _warn_indecisive(total)
    diagnosis = judged(tree)
    square = bool(posterior.attrs["square"])
    d = posterior["difference"].transpose(*_SAMPLES, names.PAIR)
    result = answers(d, posterior.attrs, rope, prob, kind, diagnosis.passed)
    prior = tuple(np.atleast_1d(posterior.attrs["prior"]))
    shaped = to_square(total) if square else total
    alone, verdict = closed_answer(shaped.astype(np.int64), prior, rope)
    result["prob_better_independent"], result["verdict_independent"] = alone, alone.copy(data=verdict)
    if "correlation" not in posterior.attrs:
        exact = clustered.closed_form(counts, prior=prior).drop_attrs()  # by pair
        # mirrored, P(B better) is 1 - P(A better): of tails below 1e-16 closed_form itself says more
        result["prob_better_exact"] = to_square(exact, mirror="probability", diagonal=0.5) if square else exact
    n = total.sum(names.OUTCOME)
    parts: dict[str, Any] = {"n": n}
    for key in ("design_effect", "correlation"):
        parts |= _told(posterior[key], key, prob)
    parts["n_effective"] = n / parts["design_effect"]
    for key, value in parts.items():
        bare = value.drop_attrs()
        result[key] = to_square(bare, mirror="same") if square else bare
    for key in ("verdict", "verdict_independent"):
        result[key] = say_no_data(result[key], result["n"])
    result.attrs = signed(posterior, diagnosis, rope, prob, kind) | {"n_clusters": counts.sizes["cluster"]}
    return result


def _told(values: xr.DataArray, name: str, prob: float) -> dict[str, xr.DataArray]:
    ends = values.quantile([(1 - prob) / 2, (1 + prob) / 2], dim=_SAMPLES)
    low, high = (ends.isel(quantile=k, drop=True) for k in (0, 1))
    return {name: values.mean(_SAMPLES), f"{name}_lower": low, f"{name}_upper": high}


def _warn_indecisive(total: xr.DataArray) -> None:
    none = total.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME).values == 0
    if none.any():
        k = int(none.argmax())
        more = f", and {int(none.sum()) - 1} more pairs" if none.sum() > 1 else ""
        pair = f"{total[names.SYSTEM_A].values[k]} and {total[names.SYSTEM_B].values[k]}"
        warnings.warn(f"{pair} have no decisive outcome{more}: who is better there is the prior alone", stacklevel=3)

"""Graded scores: by how much a system exceeds another, from a fit of the paired differences."""

import xarray as xr

from betterthan import checks, names
from betterthan.joint.pairs import answers, judged, of_model, signed
from betterthan.outcomes.shapes import to_square

_SAMPLES = ("chain", "draw")


def compare_graded(
    tree: xr.DataTree, *, rope: float = names.ROPE, prob: float = names.CI_PROB, kind: str = names.CI_KIND
) -> xr.Dataset:
    """Compare systems by graded scores, from a fit of the graded model.

    Parameters
    ----------
    tree : xarray.DataTree
        From ``betterthan.models.graded.fit``.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the score.
    prob : float, default 0.95
        Mass of the intervals.
    kind : {"hdi", "eti"}, default "hdi"

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b): ``prob_better``, ``difference_mean``, ``difference_lower``, ``difference_upper`` (in
        units of the score, positive where A is better), ``mass`` (region), each with its ``_mcse``, and ``verdict``;
        ``effect_size`` (posterior mean of centre over scale), ``n`` and ``n_tied``. Of several data sets
        ``prob_better_dataset`` (dataset, ...) and ``prob_better_new``, on one not seen.

    Raises
    ------
    ValueError
        If the tree is of another model, or an argument is not valid.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("graded")  # as bt.models.graded.fit(scores) returns it
    >>> found = bt.compare_graded(tree)
    >>> found["verdict"].sel(system_a="A", system_b="B").item()
    'a_better'
    """
    posterior = of_model(tree, "graded")
    rope, prob = checks.margin(rope, "rope"), checks.probability(prob, "prob")
    checks.one_of(kind, names.CI_KINDS, "kind")
    diagnosis = judged(tree)
    order = (*_SAMPLES, names.PAIR)
    draws = posterior["difference"].transpose(*order)
    result = answers(draws, posterior.attrs, rope, prob, kind, diagnosis.passed)
    result["effect_size"] = to_square(posterior["effect_size"].mean(_SAMPLES).drop_attrs(), mirror="difference")
    constant = tree["constant_data"].to_dataset()
    for key in ("n", "n_tied"):
        result[key] = to_square(constant[key], mirror="same")
    if "dataset_difference" in posterior:
        of_new = answers(posterior["new_difference"].transpose(*order), posterior.attrs, rope, prob, kind, True)
        labels = posterior[names.DATASET].values.tolist()
        each = posterior["dataset_difference"]
        tables = [
            answers(each.sel({names.DATASET: d}, drop=True).transpose(*order), posterior.attrs, rope, prob, kind, True)
            for d in labels
        ]
        named = xr.DataArray(labels, dims=names.DATASET, name=names.DATASET)
        for key in ("prob_better", "prob_better_mcse"):
            result[key.replace("better", "better_new")] = of_new[key]
            result[key.replace("better", "better_dataset")] = xr.concat([t[key] for t in tables], named, join="exact")
    result.attrs = signed(posterior, diagnosis, rope, prob, kind) | {"n_rows": int(posterior.attrs["n_rows"])}
    return result

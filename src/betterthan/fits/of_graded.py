"""Graded scores: by how much a system exceeds another, from a fit of the paired differences."""

import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import to_square
from betterthan.fits.pairs import answers, judged, of_model, signed

_SAMPLES = ("chain", "draw")


def compare_graded(
    tree: xr.DataTree,
    *,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
) -> xr.Dataset:
    """Graded scores, from a fit of the graded model; see `fits.compare`."""
    posterior = of_model(tree, "graded")
    rope, ci_prob = checks.margin(rope, "rope"), checks.probability(ci_prob, "ci_prob")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    diagnosis = judged(tree)
    order = (*_SAMPLES, names.PAIR)
    draws = posterior["difference"].transpose(*order)
    result = answers(draws, posterior.attrs, rope, ci_prob, ci_kind, diagnosis.passed)
    result["effect_size"] = to_square(
        posterior["effect_size"].mean(_SAMPLES).drop_attrs(), mirror="difference"
    )
    constant = tree["constant_data"].to_dataset()
    for key in ("n", "n_tied"):
        result[key] = to_square(constant[key], mirror="same")
    if "dataset_difference" in posterior:
        of_new = answers(
            posterior["new_difference"].transpose(*order),
            posterior.attrs,
            rope,
            ci_prob,
            ci_kind,
            True,
        )
        labels = posterior[names.DATASET].values.tolist()
        each = posterior["dataset_difference"]
        tables = [
            answers(
                each.sel({names.DATASET: d}, drop=True).transpose(*order),
                posterior.attrs,
                rope,
                ci_prob,
                ci_kind,
                True,
            )
            for d in labels
        ]
        named = xr.DataArray(labels, dims=names.DATASET, name=names.DATASET)
        for key in ("prob_better", "prob_better_mcse"):
            result[key.replace("better", "better_new")] = of_new[key]
            result[key.replace("better", "better_dataset")] = xr.concat(
                [t[key] for t in tables], named, join="exact"
            )
    result.attrs = signed(posterior, diagnosis, rope, ci_prob, ci_kind) | {
        "n_rows": int(posterior.attrs["n_rows"])
    }
    return result

"""Evidence for the model of clusters: quadrature, and published tables dealt out to clusters."""

from functools import partial
from typing import Any

import xarray as xr

from betterthan.counts.counting import count_clusters
from betterthan.models import clustered
from betterthan.models.sampling import Sampling
from validation import dealing, distances, refit
from validation.calibration import Form, Scalars, numbered, one_by_one
from validation.designs import Design, scores_of

CLUSTERS, SIZE = 25, 4
_GRID = ((6, 3), (30, 5), (12, 40))  # clusters, and examples of each
_MANY = Sampling(draws=2000)
_AS_REFITS = Sampling(draws=refit.DRAWS)


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Clusters that are alike, and clusters that differ."""
    cases = reference["case"]
    fit = partial(clustered.fit, sampler="nuts", rng=seed, sampling=_MANY, predictive=False)
    alike = fit(dealing.dealt(cases, "cluster", seed), correlation=1 / (1 + dealing.NEAR_ONE))
    rows = []
    for k, (count, size) in enumerate(_GRID):
        data = clustered.simulate(count, size=size, pairs=4, rng=seed + k)["counts"]
        exact = clustered.closed_form(data).values
        z = distances.from_probability(distances.drawn(fit(data), "p") - 0.5, exact)
        rows.append({"clusters": count, "size": size, "max_abs_z_probability": z})
    margin = distances.drawn(alike, "difference")
    return {
        "published": dealing.published(cases, "cluster", seed, margin),
        "quadrature": rows,
    }


def fit_design(design: Design, seed: int) -> xr.DataTree:
    """One of the twenty designs at the default settings."""
    counts = count_clusters(scores_of(design, seed))
    return clustered.fit(counts, sampler="nuts", rng=seed, predictive=False)


def _scalars(data: xr.Dataset) -> Scalars:
    whole = data.assign(difference=data["p"] * 2 * data["s"] - data["s"])
    kept = ("p", "s", "win_correlation", "decisive_correlation", "difference")
    return numbered(whole, kept, most=2)


def _form(name: str, count: int, size: int) -> Form:
    return Form(
        name=name,
        model=clustered,
        simulate=one_by_one(partial(clustered.simulate, count, size=size)),
        build=lambda truth: clustered.build(truth["counts"]),
        data=lambda truth: {"counts": truth["counts"].values},
        scalars=_scalars,
        weighted=lambda truth, seed: clustered.fit(
            truth["counts"], sampler="laplace", sampling=_AS_REFITS, rng=seed, predictive=False
        ),
    )


FORM = _form("clustered", CLUSTERS, SIZE)
LARGER = _form("larger", 5, 40)  # few clusters, of many examples

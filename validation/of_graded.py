"""Evidence for the model of graded scores: pairs against sums over a grid, and Student's own
differences by his t.
"""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from betterthan import names
from betterthan.exact.wins import rasch
from betterthan.models import graded
from betterthan.models.sampling import Sampling
from validation import distances
from validation.calibration import Form, numbered, one_by_one
from validation.designs import Design, graded_scores

DIFFERENCES, DATASETS = 15, 4
_KEPT = ("centre", "scale", "tail", "centre_sd", "dataset_centre")


def agreement(reference: dict[str, Any], seed: int) -> dict[str, Any]:
    """Few items, more items, and what is printed."""
    rows = []
    for k, items in enumerate((8, 40)):
        y = graded.simulate(items, rng=seed + k)["difference"].values[:, 0]
        tree = graded.fit(_scores(y), rng=seed, sampling=Sampling(draws=2000), predictive=False)
        drawn = distances.drawn(tree, "centre").isel(pair=0)
        rows.append({"items": items} | distances.from_weights(drawn, centre(y)))
    return {"quadrature": rows, "published": published(reference["table"])}


def published(table: dict[str, Any]) -> dict[str, float]:
    """The t test less the printed one, and P(better) of the same differences."""
    hours = np.array(table["difference"])
    t, p = stats.ttest_1samp(hours, 0)
    return {
        "error_of_t": float(abs(t - table["t"])),
        "error_of_p": float(abs(p - table["p"])),
        "prob_better": distances.share_above(centre(hours[hours != 0])),
    }


def centre(y: np.ndarray) -> distances.Weighed:
    """Standardised centres and their posterior weights, scale and tail summed out."""
    y = y / np.sqrt((y**2).mean())
    x = np.linspace(-4, 4, 801)
    z, w = rasch.nodes(121)
    unit, mass = np.polynomial.legendre.leggauss(40)
    log = np.full(len(x), -np.inf)
    for u, m in zip((unit + 1) / 2, mass / 2, strict=True):
        tail = 1 - graded._TAIL * np.log1p(-u)
        for node, weight in zip(z, w, strict=True):
            here = _log_likelihood(y, x, graded._SCALE[0] + graded._SCALE[1] * node, tail)
            log = np.logaddexp(log, here + weight + np.log(m))
    return x, distances.weights(log + stats.norm.logpdf(x, 0, graded._CENTRE))


def _log_likelihood(y: np.ndarray, x: np.ndarray, log_scale: float, tail: float) -> np.ndarray:
    """Of y, Student-t around each x."""
    far = ((y - x[:, None]) * np.exp(-log_scale)) ** 2
    centre = stats.t.logpdf(0, tail) - log_scale
    return len(y) * centre - (tail + 1) / 2 * np.log1p(far / tail).sum(1)


def fit_design(design: Design, seed: int) -> xr.DataTree:
    """One of the twenty designs at the default settings."""
    return graded.fit(graded_scores(design, seed), rng=seed, predictive=False)


def _scores(y: np.ndarray, **coords: Any) -> xr.DataArray:
    """Scores of two systems whose differences are y."""
    values = np.stack([y, 0 * y], axis=1)
    labels = {names.SYSTEM: ["A0", "B0"]} | coords
    return xr.DataArray(values, dims=(names.ITEM, names.SYSTEM), coords=labels)


def _model(truth: xr.Dataset) -> Any:
    """It takes the differences as they are."""
    of = truth[names.DATASET].values[truth["dataset_of"].values]
    scores = _scores(truth["difference"].values[:, 0], dataset=(names.ITEM, of))
    return graded.build(scores, standardise=False)


def _data(truth: xr.Dataset) -> dict[str, np.ndarray]:
    y, of = truth["difference"].values[:, 0], truth["dataset_of"].values
    middle = np.array([[np.median(y[of == k])] for k in range(of.max() + 1)])
    return {"observed_difference": y, "middle": middle}


def _form(name: str, differences: int, datasets: int) -> Form:
    return Form(
        name=name,
        model=graded,
        simulate=one_by_one(partial(graded.simulate, differences, datasets=datasets)),
        build=_model,
        data=_data,
        scalars=partial(numbered, kept=_KEPT, most=2),
    )


FORM = _form("graded", DIFFERENCES, DATASETS)
LARGER = _form("larger", 100, 5)

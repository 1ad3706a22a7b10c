"""Graded scores such as BLEU or ratings: the typical difference of two systems on the same item.

Question
--------
What is the typical difference of the graded scores (ratings, BLEU, F1 of an item) of two systems on
the same item?

Model
-----
For each pair of systems by itself, in units of the root mean square of its differences

    tied ~ Beta(1 + ties, 1 + other items)
    differences that are not 0 ~ StudentT(tail, centre, scale), tail the degrees of freedom
    difference = (1 - tied) x centre

A is better when `difference > 0`. Over several data sets the centres are normal around the common
one, with standard deviation `centre_sd`. Ties are set apart because they would draw the scale to 0.

Priors
------
`centre ~ Normal(0, 1)`, `log scale ~ Normal(-0.5, 0.8)`, `tail - 1 ~ Exponential` with mean 29,
`centre_sd ~ HalfNormal(0.5)`.

When it misleads
----------------
- The centre is where most differences are. It is not the difference of the means, and may favor the
  other system. A lead of 0.02 on 282 items and a loss of 0.66 on 18 is typically better and on
  average worse. Ask for the mean where rare large differences count.
- There is no verdict where more than a tenth of the differences are below 1% of their 90th
  percentile. `fit(scores, resolution=...)` sets up to where differences are ties.
- Scores of few steps (1 to 5) are taken as continuous. Count wins as well.
- Clusters are not in the model: several ratings of one item count as several items.

References
----------
Kruschke 2013, Journal of Experimental Psychology: General 142(2), 573-603.
"""

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.graded_pairs import Differences, differences_of
from betterthan.counts.shapes import without_attrs
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import likelihood_data, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.sampling import held

if TYPE_CHECKING:
    import pymc as pm

TARGET_ACCEPT = 0.95
# prior standard deviations of the centre and of its spread over data sets, in units of the
# differences
_CENTRE = 1.0
_SPREAD = 0.5
# of the logarithm of the scale: away from 0, where single items would be peaks of their own
_SCALE = (-0.5, 0.8)
_TAIL = 29.0  # degrees of freedom are 1 more than an exponential variable of this mean


def simulate(items: int, *, pairs: int = 1, datasets: int = 1, rng: Any = None) -> xr.Dataset:
    """Simulate true values from the prior, and standardized differences from these.

    Parameters
    ----------
    items : int
        Number of items in each data set; none of them ties.
    pairs : int, default 1
        Number of pairs of systems.
    datasets : int, default 1
        Number of data sets.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``difference`` (item, pair), and the true values: ``centre``, ``scale``, ``tail`` (pair),
        and for several data sets ``centre_sd`` (pair) and ``dataset_centre`` (dataset, pair).

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(20, rng=1)["difference"].sizes
    Frozen({'item': 20, 'pair': 1})
    """
    n, k = checks.whole(items, "items", 2), checks.whole(pairs, "pairs")
    d = checks.whole(datasets, "datasets")
    random = np.random.default_rng(one_seed(rng))
    centre, scale = random.normal(scale=_CENTRE, size=k), np.exp(random.normal(*_SCALE, size=k))
    tail = 1 + random.exponential(_TAIL, size=k)
    truth = {"centre": centre, "scale": scale, "tail": tail}
    result = xr.Dataset(
        {k: (names.PAIR, v) for k, v in truth.items()}, likelihood_data.simulated(k)
    )
    centres, dataset = centre[None], np.repeat(np.arange(d), n)
    if d > 1:
        result = result.merge(_draw_datasets(centre, dataset, random))
        centres = result["dataset_centre"].values
    y = centres[dataset] + scale * random.standard_t(tail, size=(n * d, k))
    return result.assign(difference=((names.ITEM, names.PAIR), y))


describe = describer(__name__)


def build(scores: xr.DataArray, *, standardise: bool = True, resolution: float = 0.0) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores, with NaN for a missing one; such an item is left out of the pairs of that system. If
        an item coordinate ``dataset`` has two values or more, the centres vary over data sets.
    standardise : bool, default True
        Whether to divide the differences of a pair by their root mean square; the priors are in
        those units. False keeps the units of the score.
    resolution : float, default 0
        Largest difference that is a tie, in units of the score.

    Returns
    -------
    pymc.Model
        For each pair ``centre``, ``scale``, ``tail`` (degrees of freedom), and ``tied``, the
        proportion of items that tie; for several data sets ``centre_sd`` and ``dataset_centre``
        (dataset, pair). ``difference`` (pair), the typical one in units of the score, is the basis
        of `fits.adopt` and `fits.compare`. Data: ``unit`` (pair), the root mean square by which the
        differences are divided. Observed ``y`` (row): the differences that are not ties, pair by
        pair.

    Raises
    ------
    ValueError
        If the data are not scores, two systems share no item, there are too many pairs, or the
        resolution is not at least 0.
    """
    from betterthan.libraries import pm

    data = differences_of(scores, standardise=standardise, resolution=resolution)
    with pm.Model(coords=_coords(data)) as model:
        likelihood_data.name_systems(model, data.names_of_pairs)
        y = pm.Data("observed_difference", data.y, dims="row")
        unit = pm.Data("unit", data.unit, dims=names.PAIR)
        tied = _tie_share(data)
        centre: Any = pm.Normal("centre", 0.0, _CENTRE, dims=names.PAIR)
        pm.Deterministic("difference", centre * (unit * (1 - tied)), dims=names.PAIR)
        scale: Any = pm.LogNormal("scale", *_SCALE, dims=names.PAIR)
        tail: Any = pm.Exponential("tail_less_one", scale=_TAIL, dims=names.PAIR) + 1
        pm.Deterministic("tail", tail, dims=names.PAIR)
        pair = held("pair_of", data.pair)
        location = centre[pair]
        if data.datasets:
            dataset = held("dataset_of", data.dataset)
            location = _dataset_centres(data, centre, scale)[dataset, pair]
        pm.CustomDist(
            "y",
            tail,
            scale,
            location,
            logp=_log_density(pair),
            random=_random(data.pair),
            observed=y,
            dims="row",
            signature="(p),(p),(r)->(r)",
        )
    return model


@documented(TARGET_ACCEPT)
def fit(
    scores: xr.DataArray, *, resolution: float = 0.0, **options: Unpack[FitOptions]
) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    scores : xarray.DataArray, dims (item, system)
        Scores; see `build`.
    resolution : float, default 0
        Largest difference that is a tie, in units of the score. Set it if scores are computed and
        equal ones differ by rounding; otherwise these tiny differences would count as the typical
        ones.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw, pair): ``difference``, the typical one, which is the
        centre times the proportion of items that do not tie, in units of the score;
        ``effect_size``, centre over scale; the other variables of `build`, in standardized units;
        for several data sets ``dataset_difference``, and ``new_difference`` for a new data set.
        Pass it to `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid.
    """
    run = Run.from_options(options)
    data = differences_of(scores, resolution=resolution)
    attrs = {
        "model": "graded",
        "prior": [_CENTRE, _SPREAD, *_SCALE, _TAIL],
        "square": 1,
        "n_rows": len(data.y),
        "resolution": float(resolution),
        "higher_is_better": data.higher_is_better,
    }
    tree = fit_model(
        build(scores, resolution=resolution),
        attrs,
        run,
        pairs=data.names_of_pairs,
        target_accept=TARGET_ACCEPT,
    )
    posterior = tree["posterior"].to_dataset()
    added = {k: without_attrs(v) for k, v in _in_scores(posterior, data).items()}
    tree["posterior"] = posterior.drop_vars("tail_less_one").assign(added)
    labels = {k: data.names_of_pairs[k] for k in (names.PAIR, *names.SQUARE)}
    constant = {k: getattr(data, k) for k in ("n", "n_tied", "unit", "near_ties")}
    tree["constant_data"] = xr.Dataset(
        {k: (names.PAIR, v) for k, v in constant.items()}, coords=labels
    )
    return tree


def _draw_datasets(
    centre: np.ndarray, dataset: np.ndarray, random: np.random.Generator
) -> xr.Dataset:
    """The centres of data sets, how much they vary, and of which data set each item is."""
    shape = int(dataset.max()) + 1, len(centre)
    sd = np.abs(random.normal(scale=_SPREAD, size=len(centre)))
    centres = centre + sd * random.normal(size=shape)
    dims = (names.DATASET, names.PAIR)
    variables: dict[str, Any] = {"centre_sd": (dims[1:], sd), "dataset_centre": (dims, centres)}
    variables["dataset_of"] = ((names.ITEM,), dataset)
    return xr.Dataset(variables, likelihood_data.simulated_labels(dims[:1], shape[:1]))


def _in_scores(posterior: xr.Dataset, data: Differences) -> dict[str, xr.DataArray]:
    """The size of the effect, and by data set differences of all items in units of the score;
    those that tie differ by 0.
    """
    centre = posterior["centre"]
    unit = xr.DataArray(data.unit, dims=names.PAIR, coords={names.PAIR: posterior[names.PAIR]})
    scale = unit * (1 - posterior["tied"])
    variables = {"effect_size": centre / posterior["scale"]}
    if data.datasets:
        random = np.random.default_rng([posterior.attrs["seed"], 1])
        noise = centre.copy(data=random.normal(size=centre.shape))
        variables["dataset_difference"] = posterior["dataset_centre"] * scale
        variables["new_difference"] = (centre + posterior["centre_sd"] * noise) * scale
    return variables


def _coords(data: Differences) -> dict[str, Any]:
    coords: dict[str, Any] = {
        names.PAIR: data.names_of_pairs[names.PAIR].values.tolist(),
        "row": np.arange(len(data.y)),
    }
    return coords | ({names.DATASET: data.datasets} if data.datasets else {})


def _tie_share(data: Differences) -> Any:
    """Conjugate posterior of the tie share, independent of the differences of the other items."""
    from betterthan.libraries import pm

    tied, n = held("n_tied", data.n_tied), held("n", data.n)
    return pm.Beta("tied", 1.0 + tied, 1.0 + n - tied, dims=names.PAIR)


def _dataset_centres(data: Differences, centre: Any, scale: Any) -> Any:
    """Centres (dataset, pair) ~ Normal(centre, centre_sd); the coordinates take the differences as
    normal.
    """
    from betterthan.libraries import pm

    dims = (names.DATASET, names.PAIR)
    sd: Any = pm.HalfNormal("centre_sd", _SPREAD, dims=names.PAIR)
    count, mean = (
        pm.Data(k, v, dims=dims) for k, v in (("rows", data.rows), ("middle", data.middle))
    )
    information = count / scale**2
    deviation = shrinkage.effects("dataset", sd, information, information * (mean - centre), dims)
    return pm.Deterministic("dataset_centre", centre + deviation, dims=dims)


def _log_density(pair: Any) -> Any:
    """Log density of Student-t differences; terms that do not depend on the difference are computed
    once per pair.
    """
    import pytensor.tensor as pt

    def log_density(y: Any, tail: Any, scale: Any, location: Any) -> Any:
        terms: list[Any] = [
            pt.gammaln((tail + 1) / 2),
            pt.gammaln(tail / 2),
            pt.log(tail * np.pi),
            pt.log(scale),
        ]
        constant = terms[0] - terms[1] - terms[2] / 2 - terms[3]
        width, half = 1 / (scale**2 * tail), (tail + 1) / 2
        log_ratio: Any = pt.log1p((y - location) ** 2 * width[pair])
        return constant[pair] - half[pair] * log_ratio

    return log_density


def _random(pair: np.ndarray) -> Any:
    def draw(tail: Any, scale: Any, location: Any, rng: Any = None, size: Any = None) -> np.ndarray:
        return location + scale[..., pair] * rng.standard_t(tail[..., pair])

    return draw

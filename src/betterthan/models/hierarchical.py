"""Counts of several data sets: each has its own three probabilities, drawn to a common mean by as
much as they agree.

Question
--------
On several data sets, is A better on each, over all of them however they are weighed, and on a new
one?

Model
-----
For each pair of systems by itself

    (wins, losses, ties) of data set i ~ Multinomial(n_i, theta_i)
    theta_i ~ Dirichlet(kappa mu)

theta_i is integrated out, so that the counts are Dirichlet-multinomial. It is drawn given mu and
kappa afterwards. The correlation of two items of one data set is 1 / (1 + kappa). At 0 the data
sets are pooled completely; at 1 all items of a data set have the same outcome.

Two crossed factors, such as corpus and language, have `theta = softmax(mu + row + column + cell)`.
The effects are normal, and sum to zero over outcomes and over the levels of their factor.

Priors
------
`mu ~ Dirichlet(1, 1, 1)` and `1 / (1 + kappa) ~ Beta(5, 5)`, which is between 0.21 and 0.79 with
probability 0.95. This prior works against strong pooling. `mu` takes an array with one prior for
each pair or a PyMC distribution. For crossed factors `mu` has standard deviation 1.5, and the
standard deviations of the effects are half-normal with 0.5.

When it misleads
----------------
- With two or three data sets the prior decides how much data sets differ, and so what a new one may
  be like. They are shrunk towards each other little.
- Crossed factors keep a prior under which effects are small. A large cell may pull the others.
- Pairs are independent of each other: that a data set is hard for all systems is not in the model.
- A new data set is one of the same kind. Which kind that is, is your choice of data sets.
- One kappa covers both how often systems differ and who is ahead.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.counts.shapes import probability_like
from betterthan.exact.laplace import tables
from betterthan.exact.laplace.nested import Drawn
from betterthan.exact.laplace.tables import Alike, Thirds, mean_probabilities
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins.beta import prob_above_half
from betterthan.exact.wins.clusters import log_gamma_beyond, log_orders
from betterthan.models import importance, likelihood_data, priors
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented
from betterthan.models.importance import Values, Variable
from betterthan.models.likelihood_data import Groups
from betterthan.models.priors import Prior
from betterthan.posterior.from_draws import joinable

if TYPE_CHECKING:
    import pymc as pm

MEAN_SD = 1.5  # of the normal prior of the mean, on the scale of logits that sum to zero
SPREAD = 0.5  # of the half-normal priors of the standard deviations of effects
FACTORS = ("row", "column", "cell")
# Beta prior of the correlation of two examples of one data set. It holds agreement back: a few data
# sets that tie alike look as if all were alike, and then the largest pulls the others to its side
CORRELATION = (5.0, 5.0)
_CELL = (names.DATASET, names.PAIR, names.OUTCOME)


def simulate(
    datasets: int | tuple[int, int],
    *,
    n: int | Sequence[int] = 50,
    pairs: int = 1,
    prior: Any = None,
    rng: Any = None,
) -> xr.Dataset:
    """Simulate true values from the prior, and counts of every data set from these.

    Parameters
    ----------
    datasets : int or pair of int
        Number of data sets; two numbers are the levels of two crossed factors, ``row`` and
        ``column``.
    n : int or sequence of int, default 50
        Number of items of a pair in each data set; for crossed factors a single number.
    pairs : int, default 1
        Number of pairs of systems.
    prior : str or sequence of three float, optional
        Dirichlet parameters of the mean; crossed factors have their own prior.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``counts`` (dataset, pair, outcome), or (row, column, pair, outcome), and the true values:
        ``theta`` over the same dims, ``mu`` (pair, outcome), and ``correlation`` (pair), or
        ``sigma`` (factor, pair).

    Raises
    ------
    ValueError
        If a number is not whole or too small, or the prior is not valid.

    Examples
    --------
    >>> simulate(3, n=40, rng=1)["counts"].sum("outcome").values.ravel().tolist()
    [40, 40, 40]
    """
    random = np.random.default_rng(one_seed(rng))
    labels = {names.OUTCOME: list(names.OUTCOMES)}
    coords = likelihood_data.simulated(checks.whole(pairs, "pairs")) | labels
    if isinstance(datasets, tuple):
        return _simulate_crossed(datasets, n, random, coords)
    count = checks.whole(datasets, "datasets")
    size = likelihood_data.sizes(n, count, "datasets")
    mu = random.dirichlet(checks.prior(prior), size=pairs)
    rho = random.beta(*CORRELATION, size=pairs)
    theta = priors.draw_dirichlet(random, (1 / rho - 1)[:, None] * mu, (count,))
    values = random.multinomial(size[:, None], theta)
    truth = {"theta": (_CELL, theta), "mu": (_CELL[1:], mu), "correlation": (names.PAIR, rho)}
    coords |= likelihood_data.simulated_labels(_CELL[:1], (count,))
    return xr.Dataset({"counts": (_CELL, values)} | truth, coords)


describe = describer(__name__)


def build(
    counts: xr.DataArray,
    *,
    prior: Any = None,
    concentration: float | None = None,
    centre: Any = None,
) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts with dims (system_a, system_b, outcome) or (pair, outcome), with ties, and one more
        dim, such as ``dataset``, for partial pooling over it. Two more dims are crossed factors.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of the mean probabilities; not for crossed factors. An array has a row
        for each pair, in the order of `counts.to_pairs` or by its labels. A PyMC distribution, such
        as ``pm.Dirichlet.dist(a=[2, 2, 1])``, is the prior of each pair. If a parameter of it has a
        distribution, that parameter is shared by all pairs, so they learn from each other.
    concentration : float, optional
        Fixed value of kappa; a large number is complete pooling. Default: it is estimated, as the
        correlation 1 / (1 + kappa).
    centre : sequence of three float, optional
        Fixed value of mu; with `concentration`, data sets do not learn from each other.

    Returns
    -------
    pymc.Model
        ``mu`` (pair, outcome) and ``correlation`` (pair); for crossed factors ``mu``, ``sigma``
        (factor, pair), and ``theta`` over all dims. Observed ``y``.

    Raises
    ------
    ValueError
        If the data are not counts of several data sets, ties are unknown, there are too many pairs,
        or an argument is not valid.
    """
    from betterthan.libraries import pm

    data = likelihood_data.by_dataset(counts)
    if len(data.levels) == 2:
        if prior is not None or concentration is not None or centre is not None:
            raise ValueError(
                "prior, concentration and centre are for one factor; crossed factors have normal "
                "effects"
            )
        return _build_crossed(data)
    dims = data.dims
    with pm.Model(coords=likelihood_data.coords(data.pairs) | data.levels) as model:
        likelihood_data.name_systems(model, data.pairs)
        values = pm.Data("counts", data.values, dims=dims)
        n = pm.math.sum(values, axis=-1)
        alpha = _mean(prior, centre, data)
        alpha = _concentration(concentration) * alpha
        if concentration is None or centre is None:
            pm.DirichletMultinomial("y", n=n, a=alpha, observed=values, dims=dims)
        else:  # nothing is estimated: data sets are on their own
            theta = _dirichlet("theta", alpha, dims, shape=data.values.shape)
            pm.Multinomial("y", n=n, p=theta, observed=values, dims=dims)
    return model


@documented()
def fit(
    counts: xr.DataArray,
    *,
    prior: Any = None,
    concentration: float | None = None,
    centre: Any = None,
    sampler: str | None = None,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of all pairs, by importance sampling or with PyMC.

    Parameters
    ----------
    counts, prior, concentration, centre
        See `build`.
    sampler : {"laplace", "nuts"} or None
        ``laplace``: importance sampling from an approximation of the posterior, resampled to draws
        of equal weight, in seconds (not for crossed factors, or with a fixed `centre`). ``nuts``:
        PyMC. Default: ``laplace`` if available, and NUTS with a warning if the weights of a pair
        are not reliable (k-hat above 0.7), or the prior is an array or a PyMC distribution.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): ``theta`` (dataset, pair, outcome), drawn
        conditionally if it is integrated out; ``theta_new`` (pair, outcome) of a new data set; and
        the variables of `build`. The counts are in group constant_data. For ``laplace``,
        ``posterior.attrs`` hold ``pareto_k`` (k-hat) and ``weights_ess`` (effective number of
        draws) of the worst pair, and ``proposed``. Pass it to `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid, or if weights are not available
        or not reliable with ``sampler="laplace"``.

    See Also
    --------
    closed_form : Complete pooling and no pooling, without sampling.
    """
    run = Run.from_options(options)
    data = likelihood_data.by_dataset(counts)
    crossed, pair_prior = len(data.levels) == 2, Prior.parse(prior, data.pairs)
    attrs = _attrs(data, pair_prior, concentration, centre)
    builder = partial(build, counts, prior=prior, concentration=concentration, centre=centre)
    datasets = None
    if pair_prior.weighted:
        if crossed or centre is not None:
            sampler = _require_nuts(sampler)
        held = concentration
        if held is not None:
            held = checks.positive_real(held, "concentration")
        datasets = DataSets(data.values, pair_prior.columns(), Alike(CORRELATION, held=held))
    tree = importance.fit_groups(datasets, data, pair_prior, builder, attrs, sampler, run)
    posterior, random = tree["posterior"].to_dataset(), np.random.default_rng([run.seed, 1])
    if crossed:
        added = _new_crossed_theta(posterior, random)
    else:
        added = _draw_datasets(posterior, data, concentration, attrs.get("centre"), random)
    tree["posterior"] = joinable(posterior.assign(added).assign_coords(data.coords))
    constant = {"counts": (data.dims, data.values)} | pair_prior.constant_data
    tree["constant_data"] = xr.Dataset(constant, coords=data.coords)
    return tree


def closed_form(
    counts: xr.DataArray, *, pooling: str = "complete", prior: Any = None
) -> xr.DataArray:
    """Compute P(A better) with complete pooling, or with no pooling, of data sets.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts with one dim more than (system_a, system_b, outcome) or (pair, outcome), such as
        ``dataset``.
    pooling : {"complete", "none"}, default "complete"
        "complete": kappa is infinite; "none": kappa mu is the prior.
    prior : str, sequence of three float or array, optional
        Dirichlet parameters of win, loss, and tie.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b) or (pair,), with "none" after a dim ``dataset``
        Probabilities that A is better.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if the factors are crossed.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = simulate(3, rng=1)["counts"]
    >>> closed_form(counts, pooling="none").dims
    ('dataset', 'pair')
    """
    checks.one_of(pooling, ("complete", "none"), "pooling")
    data = likelihood_data.by_dataset(counts)
    if len(data.levels) != 1:
        raise ValueError("crossed factors have no closed form; sum over one of them, or fit them")
    win, loss, _ = Prior.parse(prior, data.pairs).columns()

    def answer(table: np.ndarray) -> xr.DataArray:
        a, b = win + table[:, 0], loss + table[:, 1]
        better, worse = prob_above_half(a, b), prob_above_half(b, a)
        return probability_like(data.pairs, better, worse, data.square)

    if pooling == "complete":
        return answer(data.values.sum(0))
    (dim, labels), *_ = data.levels.items()
    answers = [answer(table) for table in data.values]
    return xr.concat(answers, xr.DataArray(labels, dims=dim, name=dim), join="exact")


_PRIOR_CROSSED = f"Normal(0, {MEAN_SD:g}) of mu, HalfNormal({SPREAD:g}) of effects"


def _attrs(data: Groups, prior: Prior, concentration: float | None, centre: Any) -> dict[str, Any]:
    attrs: dict[str, Any] = {
        "model": "hierarchical",
        "prior": _PRIOR_CROSSED if len(data.levels) == 2 else prior.recorded,
        "square": int(data.square),
        "factors": list(data.levels),
    }
    if concentration is not None:
        attrs["concentration"] = concentration
    return (
        attrs if centre is None else attrs | {"centre": list(checks.prior(centre, what="centre"))}
    )


def _require_nuts(sampler: str | None) -> str:
    if sampler == "laplace":
        raise ValueError(
            "sampler='laplace' draws one factor whose mean is estimated; crossed factors, and a "
            "centre that is held, are for sampler='nuts'"
        )
    return checks.one_of(sampler or "nuts", importance.SAMPLERS, "sampler")


def _mean(prior: Any, centre: Any, data: Groups) -> Any:
    """Mu (pair, outcome), estimated or held."""
    pair_prior = Prior.parse(prior, data.pairs)
    if centre is None:
        return pair_prior.simplex("mu")
    if not pair_prior.weighted:
        raise ValueError("prior is of mu, which centre holds; give one of the two")
    held = np.array(checks.prior(centre, what="centre"))
    return np.broadcast_to(held / held.sum(), data.values.shape[1:])


def _concentration(held: float | None) -> Any:
    """Kappa (pair, 1), estimated or held."""
    from betterthan.libraries import pm

    if held is not None:
        return checks.positive_real(held, "concentration")
    correlation = pm.Beta("correlation", *CORRELATION, dims=names.PAIR)
    return priors.concentration(correlation)[:, None]


def _dirichlet(name: str, alpha: Any, dims: tuple[str, ...], **shape: Any) -> Any:
    from betterthan.libraries import pm

    transform = priors.decisive_first()
    return pm.Dirichlet(name, a=alpha, dims=dims, default_transform=transform, **shape)


@dataclass(frozen=True)
class DataSets:
    """Counts of data sets and their prior; the parameters are log odds of both shares of each pair,
    the spread is how alike data sets are.
    """

    values: np.ndarray  # (dataset, pair, outcome)
    prior: tuple[float, ...]  # of win, loss and tie
    alike: Alike

    @property
    def thirds(self) -> Thirds:
        """Their density."""
        return Thirds.from_counts(self.values, self.prior, self.alike)

    def draws(self, number: int, random: np.random.Generator) -> Drawn:
        """Of equal weight; k-hat and what they are worth are those of the worst pair."""
        drawn = tables.draws(self.thirds, number, random)
        worst = float(drawn.k_hat.max()), float(drawn.effective.min())
        return Drawn(drawn.r, drawn.x, *worst, drawn.proposed)

    def from_prior(self, number: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of correlations (draw, pair), and of shares (draw, pair, share)."""
        win, loss, tie = self.prior
        size = number, self.values.shape[1]
        betas = (win, loss), (win + loss, tie)
        odds = [priors.draw_log_odds(*beta, random, size) for beta in betas]
        alike = priors.draw_log_odds(*self.alike.prior, random, size)
        return np.arcsinh(alike / self.alike.stretch), np.stack(odds, axis=-1)

    def pointwise(self, v: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Log likelihood of each data set of each pair, (draw, dataset, pair)."""
        kappa, mu = self.alike.kappa(v), mean_probabilities(x)
        log_density = np.empty((len(x), *self.values.shape[:2]))
        for k, counts in enumerate(self.values):
            rising = log_gamma_beyond(kappa[..., None] * mu, counts) + special.xlogy(counts, mu)
            log_density[:, k] = rising.sum(-1) - log_gamma_beyond(kappa, counts.sum(-1))
        return log_density + log_orders(self.values)

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw."""
        variables: dict[str, Variable] = {
            "mu": ((names.PAIR, names.OUTCOME), mean_probabilities(x))
        }
        if self.alike.held is None:
            variables["correlation"] = ((names.PAIR,), special.expit(self.alike.logit(v)))
        return variables

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the mean, and of how alike data sets are, of each draw."""
        densities = {"mu": importance.dirichlet(values["mu"], self.prior)}
        if self.alike.held is None:
            densities["correlation"] = importance.beta(values["correlation"], *self.alike.prior)
        return densities

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated counts of data sets, (draw, dataset, pair, outcome)."""
        kappa = self.alike.held
        if kappa is None:
            kappa = (1 / values["correlation"] - 1)[..., None]
        theta = [priors.draw_dirichlet(random, kappa * values["mu"]) for _ in self.values]
        return random.multinomial(self.values.sum(-1), np.stack(theta, axis=1))


def _draw_datasets(
    posterior: xr.Dataset,
    data: Groups,
    concentration: float | None,
    centre: Sequence[float] | None,
    random: np.random.Generator,
) -> dict[str, Any]:
    """Theta of each data set, and of one not seen, for every draw of the posterior.

    Parameters
    ----------
    posterior : xarray.Dataset
        With ``mu`` and ``correlation``, unless they are held.
    data : Groups
    concentration, centre
        Kappa and parameters of mu where they are held.
    random : numpy.random.Generator
    """
    samples = ("chain", "draw")
    if centre is None:
        mu = posterior["mu"].transpose(*samples, names.PAIR, names.OUTCOME).values
    else:
        held = np.array(centre)
        sizes = (posterior.sizes["chain"], posterior.sizes["draw"], *data.values.shape[1:])
        mu = np.broadcast_to(held / held.sum(), sizes)
    if concentration is None:
        kappa = (1 / posterior["correlation"].transpose(*samples, names.PAIR).values - 1)[..., None]
    else:
        kappa = float(concentration)
    added = {"theta_new": ((*samples, *data.dims[1:]), priors.draw_dirichlet(random, kappa * mu))}
    if "theta" not in posterior:
        theta = [priors.draw_dirichlet(random, kappa * mu + table) for table in data.values]
        added["theta"] = ((*samples, *data.dims), np.stack(theta, axis=2))
    return added


def _simulate_crossed(
    levels: tuple[int, int], n: Any, random: np.random.Generator, coords: dict[str, Any]
) -> xr.Dataset:
    """Truth and counts, as `hierarchical.simulate` returns them for two factors."""
    shape, size = [checks.whole(k, "datasets", 2) for k in levels], int(np.max(n))
    pairs = len(coords[names.PAIR])
    sigma = np.abs(random.normal(scale=SPREAD, size=(3, pairs)))
    mean = _zero_sum(MEAN_SD * random.normal(size=(pairs, 3)), (-1,))
    row, column, cell = (
        _zero_sum(
            random.normal(size=(pairs, *group_shape, 3)), range(-1, -2 - len(group_shape), -1)
        )
        for group_shape in (shape[:1], shape[1:], shape)
    )
    logits = _logits(mean, sigma, row, column, cell)
    theta = np.moveaxis(special.softmax(logits, axis=-1), 0, 2)
    dims = ("row", "column", names.PAIR, names.OUTCOME)
    variables = {
        "counts": (dims, random.multinomial(checks.whole(size, "n"), theta)),
        "theta": (dims, theta),
        "mu": (dims[2:], mean),
        "sigma": (("factor", names.PAIR), sigma),
    }
    labels = likelihood_data.simulated_labels(dims[:2], shape) | {"factor": list(FACTORS)}
    return xr.Dataset(variables, coords=coords | labels)


def _build_crossed(groups: Groups) -> Any:
    """The PyMC model; effects sum to zero over outcomes and over the levels of their factor."""
    from betterthan.libraries import pm

    (first, second), out, dims = tuple(groups.levels), names.OUTCOME, groups.dims
    coords = likelihood_data.coords(groups.pairs) | groups.levels | {"factor": list(FACTORS)}
    with pm.Model(coords=coords) as model:
        likelihood_data.name_systems(model, groups.pairs)
        data = pm.Data("counts", groups.values, dims=dims)
        mean: Any = pm.ZeroSumNormal("mu", MEAN_SD, dims=(names.PAIR, out))
        sigma: Any = pm.HalfNormal("sigma", SPREAD, dims=("factor", names.PAIR))
        row, column, cell = (
            pm.ZeroSumNormal(
                f"{k}_raw", 1.0, n_zerosum_axes=len(factor_dims), dims=(names.PAIR, *factor_dims)
            )
            for k, factor_dims in zip(
                FACTORS, ((first, out), (second, out), (first, second, out)), strict=True
            )
        )
        shaped: Any = pm.math.softmax(_logits(mean, sigma, row, column, cell), axis=-1)
        theta = pm.Deterministic("theta", shaped.dimshuffle(1, 2, 0, 3), dims=dims)
        pm.Multinomial("y", n=pm.math.sum(data, axis=-1), p=theta, observed=data, dims=dims)
    return model


def _logits(mean: Any, sigma: Any, row: Any, column: Any, cell: Any) -> Any:
    """The sum of the effects, (pair, row, column, outcome)."""
    wide = sigma[:, :, None, None, None]
    return (
        mean[:, None, None] + wide[0] * row[:, :, None] + wide[1] * column[:, None] + wide[2] * cell
    )


def _new_crossed_theta(posterior: xr.Dataset, random: np.random.Generator) -> dict[str, Any]:
    """Probabilities at a new level of both factors, whose effects have the same standard
    deviations.
    """
    dims = ("chain", "draw", names.PAIR, names.OUTCOME)
    mean = posterior["mu"].transpose(*dims).values
    sigma = posterior["sigma"].transpose(*dims[:2], "factor", names.PAIR).values
    wide = np.sqrt((sigma**2).sum(2))[..., None]
    new = mean + wide * _zero_sum(random.normal(size=mean.shape), (-1,))
    return {"theta_new": (dims, special.softmax(new, axis=-1))}


def _zero_sum(x: np.ndarray, axes: Iterable[int]) -> np.ndarray:
    """What a standard normal becomes when its means over each of the axes are taken out."""
    for axis in axes:
        x = x - x.mean(axis, keepdims=True)
    return x

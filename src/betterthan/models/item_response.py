"""How able all systems are, from one set of items that they share: the Rasch model, difficulties
integrated out.

Question
--------
How able is each of many systems, from items that all of them share, and how much of the winner's
lead is luck?

Model
-----

    P(system s solves item i) = logistic(mean + ability_s - difficulty_i)
    difficulty_i ~ Normal(0, difficulty_sd)

Difficulties are integrated out by the trapezoidal rule. In repeated trials (k of n), each item has,
for each system, a Beta-distributed probability around that value, with correlation
`trial_correlation`. Otherwise five runs of an item would count as five items.
`discrimination=True` (2PL) lets the slope of items vary.

Priors
------
Abilities are normal with standard deviation `ability_sd ~ Gamma(3, 4)`, less their mean.
`log difficulty_sd ~ Normal(0.3, 0.6)`, `mean ~ Normal(0, 1.5)`, `trial_correlation ~ Beta(1, 3)`.
The standard deviation of log discriminations is half-normal with 0.5.

When it misleads
----------------
- Items are taken as draws of one population that differ in difficulty only. A system that is good
  at one kind of item and bad at another has one ability.
- All systems are shrunk towards one mean. Leave out a system that is known to be apart, such as a
  person.
- Two abilities are never exactly equal. `tied_with_top` lists the systems that are not worse than
  the best one with sufficient probability.

References
----------
Bock & Aitkin 1981, Psychometrika 46, 443-459.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.successes import trials_of
from betterthan.exact.numeric.seeds import one_seed
from betterthan.exact.wins import rasch
from betterthan.models import by_weights, item_likelihoods, items_by_weights, made_up, shrinkage
from betterthan.models.describing import Description, describe_module
from betterthan.models.sampling import Options, Sampling, resolve_sampling

if TYPE_CHECKING:
    import pymc as pm

TARGET_ACCEPT = 0.95
_CELL = (names.ITEM, names.SYSTEM)
_MEAN, _ITEM, _TRIALS = items_by_weights.MEAN, items_by_weights.ITEM, items_by_weights.TRIALS
_DISCRIMINATION = items_by_weights.DISCRIMINATION


def simulate(items: int, *, systems: int = 4, trials: int = 1, rng: Any = None) -> xr.Dataset:
    """Draw the truth from the prior, and successes of every system on every item from the truth.

    Parameters
    ----------
    items : int
    systems : int, default 4
    trials : int, default 1
        Of every system on every item.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), and the truth: ``ability`` (system), ``mean``,
        ``ability_sd``, ``difficulty_sd``, and of repeated trials ``trial_correlation``.

    Raises
    ------
    ValueError
        If a number is not whole or too small.

    Examples
    --------
    >>> simulate(20, systems=3, rng=1)["successes"].sizes
    Frozen({'item': 20, 'system': 3})
    """
    shape = checks.whole(items, "items", 2), checks.whole(systems, "systems", 2)
    n = np.full(shape, checks.whole(trials, "trials"))
    random = np.random.default_rng(one_seed(rng))
    sd, ability = shrinkage.draw_abilities(shape[1], random)
    mean, spread = random.normal(scale=_MEAN), np.exp(random.normal(*_ITEM))
    rho = random.beta(*_TRIALS)
    eta = mean + ability - random.normal(size=(shape[0], 1)) * spread
    truth: dict[str, Any] = {"ability": (names.SYSTEM, ability), "ability_sd": sd}
    truth |= {"mean": mean, "difficulty_sd": spread}
    if trials > 1:
        truth["trial_correlation"] = rho
    successes = rasch.draw_successes(eta, n, truth.get("trial_correlation", 0.0), random)
    data = {"successes": (_CELL, successes), "trials": (_CELL, n)}
    return xr.Dataset(data | truth, coords=made_up.labels(_CELL, shape))


def describe() -> Description:
    """Describe the model: question, mathematics, priors, when it misleads, and its PyMC code.

    Returns
    -------
    betterthan.models.describing.Description
        Prints as text, and as Markdown in a notebook. Each part is an attribute: ``question``,
        ``mathematics``, ``priors``, ``misleads`` and ``code``.

    Raises
    ------
    ValueError
        If Python was started without docstrings (``-OO``).

    Examples
    --------
    >>> "def build(" in describe().code
    True
    """
    return describe_module(__name__)


def build(
    data: xr.DataArray | xr.Dataset, *, discrimination: bool = False, nodes: int | None = None
) -> "pm.Model":
    """The PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system) of 0 and 1, where items of one id in several epochs are trials; or
        ``successes`` of ``trials`` (item, system), from `betterthan.counts.trials` or
        `betterthan.counts.trials_from_table`. What is missing is left out.
    discrimination : bool, default False
        Let items differ in how well they tell systems apart (2PL). It takes many systems to see
        that; expect divergences.
    nodes : int, optional
        Difficulties at which the integral is taken. Default: by the number of systems and trials.

    Returns
    -------
    pymc.Model
        ``ability`` (system), which sum to zero and are log odds, ``ability_sd``, ``difficulty_sd``,
        ``mean``; ``trial_correlation`` of repeated trials, ``discrimination_sd`` if asked for.
        Observed ``y`` (item, system).

    Raises
    ------
    ValueError
        If the scores are not 0 and 1, successes exceed trials, systems are not connected by items,
        or an argument is not valid.
    """
    import pymc as pm

    _refuse_other_kinds(data)
    successes, trials, items, systems = trials_of(data)
    kind = _kind(trials, discrimination)
    x, log_weight = rasch.nodes(_node_count(trials, nodes, discrimination))
    with pm.Model(coords={names.ITEM: items, names.SYSTEM: systems}) as model:
        ability = shrinkage.abilities(successes.sum(0), trials.sum(0))
        mean, spread = pm.Normal("mean", 0.0, _MEAN), pm.LogNormal("difficulty_sd", *_ITEM)
        more: Any = 0.0
        if kind == "repeated":
            more = pm.Beta("trial_correlation", *_TRIALS)
        if kind == "discrimination":
            more = pm.HalfNormal("discrimination_sd", _DISCRIMINATION)
        observed = pm.Data("successes", successes, dims=_CELL)
        pm.CustomDist(
            "y",
            trials,
            ability,
            mean,
            spread,
            more,
            logp=_log_probability(kind, trials, x, log_weight),
            random=_random(kind),
            signature="(s),(s),(),(),()->(s)",
            observed=observed,
            dims=_CELL,
            dtype="int64",
        )
    return model


def fit(
    data: xr.DataArray | xr.Dataset,
    *,
    discrimination: bool = False,
    nodes: int | None = None,
    sampler: str | None = None,
    sampling: Sampling = Sampling(),
    rng: Any = None,
    predictive: bool = True,
    **options: Unpack[Options],
) -> xr.DataTree:
    """Draw the posterior of all systems: by weights, or with PyMC.

    Parameters
    ----------
    data, discrimination, nodes
        See `build`.
    sampler : {"laplace", "nuts"} or None
        ``laplace``: draws from near the posterior, weighted exactly and drawn again with equal
        weights, in seconds. ``nuts``: PyMC. Default: by weights, and by NUTS, with a warning, where
        the weights are not to be trusted (k-hat above 0.7).
    sampling : Sampling, optional
        How many draws and chains; of NUTS also ``tune`` and ``target_accept``, 0.95 here unless
        given.
    rng : int, numpy.random.Generator or None
        The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
        draws.
    predictive : bool, default True
        Whether to add the groups prior, prior_predictive, posterior_predictive, log_likelihood (of
        whole items) and log_prior.
    **options
        ``draws``, ``tune``, ``chains``, ``target_accept`` and ``nuts_sampler`` of `Sampling`, and
        ``random_seed``, which is `rng`, under the names that ``pm.sample`` has for them.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): ``ability`` (system) and the other variables of
        `build`, and ``expected_score`` (system), the share of all such items that a system solves.
        ``posterior.attrs`` hold ``quadrature_error``, by how much the log likelihood changes with
        twice the nodes; and of draws by weights ``pareto_k`` (k-hat), ``weights_ess``, how many
        draws of equal weight they are worth, and ``proposed``. For `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        As `build`, or if an argument is not valid; or with ``sampler="laplace"`` where weights are
        not to be trusted.
    """
    sampling, rng = resolve_sampling(sampling, rng, options)
    _refuse_other_kinds(data)
    successes, trials, items, systems = trials_of(data)
    number, seed = _node_count(trials, nodes, discrimination), one_seed(rng)
    kind = _kind(trials, discrimination)
    both = {"successes": successes, "trials": trials}
    coords = {names.ITEM: items, names.SYSTEM: systems}
    counts = _as_dataset(both, coords)
    model = by_weights.WeightedModel(
        posterior=items_by_weights.build_posterior(kind, successes, trials, number),
        variables=partial(items_by_weights.variables, kind, **both, seed=seed),
        log_prior=partial(items_by_weights.log_prior, kind, successes, trials),
        outcomes=partial(items_by_weights.outcomes, kind, trials),
        observed=counts["successes"],
        labels=coords,
        build=partial(build, data, discrimination=discrimination, nodes=nodes),
        target_accept=TARGET_ACCEPT,
    )
    attrs = _attrs(trials, number, discrimination)
    tree = by_weights.fit_weighted(
        model, attrs, sampler, sampling, seed=seed, predictive=predictive
    )
    posterior = tree["posterior"].to_dataset().assign(expected_score=_expected_score)
    error = _quadrature_error(kind, successes, trials, number, posterior)
    tree["posterior"] = posterior.assign_attrs(quadrature_error=error)
    tree["constant_data"] = counts
    return tree


def _as_dataset(both: dict[str, np.ndarray], coords: dict[str, Any]) -> xr.Dataset:
    return xr.Dataset({k: (_CELL, v) for k, v in both.items()}, coords)


def _attrs(trials: np.ndarray, nodes: int, discrimination: bool) -> dict[str, Any]:
    return {
        "model": "item_response",
        "prior": [shrinkage.SHAPE, shrinkage.RATE, *_ITEM],
        "discrimination": int(discrimination),
        "nodes": nodes,
        "n_items": len(trials),
        "n_missing": int((trials == 0).sum()),
    }


def _refuse_other_kinds(data: Any) -> None:
    if not isinstance(data, xr.Dataset | xr.DataArray):
        raise ValueError(
            f"data is {checks.shown(data)}; give scores (item, system), see betterthan.read, or "
            f"betterthan.counts.trials"
        )


def _expected_score(posterior: xr.Dataset) -> xr.DataArray:
    """Share of all such items that each system solves."""
    ability, mean, spread = (posterior[k].values for k in ("ability", "mean", "difficulty_sd"))
    slope = posterior["discrimination_sd"].values if "discrimination_sd" in posterior else None
    return posterior["ability"].copy(data=rasch.expected_score(ability, mean, spread, slope))


def _kind(trials: np.ndarray, discrimination: bool) -> str:
    repeated = bool((trials > 1).any())
    if discrimination and repeated:
        raise ValueError(
            "discrimination=True is for one trial of each system on each item; these are repeated"
        )
    return "repeated" if repeated else "discrimination" if discrimination else "rasch"


def _node_count(trials: np.ndarray, nodes: int | None, discrimination: bool) -> int:
    if nodes is not None:
        return checks.whole(nodes, "nodes", 5)
    return min(rasch.nodes_needed(trials), 61 if discrimination else 401)


def _quadrature_error(
    kind: str, successes: np.ndarray, trials: np.ndarray, number: int, posterior: xr.Dataset
) -> float:
    """By how much the log likelihood at the posterior mean changes with twice the nodes."""
    more = [items_by_weights.MORE[kind][0]] if kind in items_by_weights.MORE else []
    parameters = [
        posterior[k].mean(("chain", "draw")).values
        for k in ("ability", "mean", "difficulty_sd", *more)
    ]
    values = [
        items_by_weights.log_likelihood(kind, successes, trials, nodes, parameters)
        for nodes in (number, 2 * number)
    ]
    return abs(values[0] - values[1])


def _log_probability(kind: str, trials: np.ndarray, x: np.ndarray, log_weight: np.ndarray) -> Any:
    """A function from successes (item, system) and parameters to the log probability of each item's
    row.
    """
    likelihoods = {
        "rasch": item_likelihoods.once,
        "repeated": item_likelihoods.repeatedly,
        "discrimination": item_likelihoods.discriminating,
    }
    return likelihoods[kind](trials, x, log_weight)


def _random(kind: str) -> Any:
    def draw(
        n: Any, ability: Any, mean: Any, spread: Any, more: Any, rng: Any = None, size: Any = None
    ) -> np.ndarray:
        shape = size if size is not None else n.shape[:-1]
        eta = np.asarray(mean)[..., None] + ability - (spread * rng.normal(size=shape))[..., None]
        if kind == "discrimination":
            eta = np.exp(more * rng.normal(size=shape))[..., None] * eta
        return rasch.draw_successes(
            eta, np.asarray(n), np.asarray(more)[..., None] if kind == "repeated" else 0.0, rng
        )

    return draw

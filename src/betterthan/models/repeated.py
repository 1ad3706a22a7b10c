"""How reliable systems are that ran several times on each item: Beta-binomial successes, items of
unequal difficulty.

Question
--------
Each system ran several times on each item. How able is it, how much do its runs of one item agree,
and how often would it succeed k times out of k on a new item?

Model
-----
The runs of system s on item i succeed with a probability of their own

    p_is ~ Beta(kappa_s m_is, kappa_s (1 - m_is)),    kappa_s = 1 / trial_correlation_s - 1
    m_is = logistic(mean + ability_s - difficulty_i)
    difficulty_i ~ Normal(0, difficulty_sd)
    successes_is ~ Binomial(trials_is, p_is)

The p_is are integrated out, which makes the successes Beta-binomial. The difficulties are
integrated out by the trapezoidal rule: NUTS then moves in a few parameters, not in one for each
item. `trial_correlation` near 1 means that the runs of an item all succeed or all fail, near 0 that
only ability and difficulty decide. With one value for all systems the model is `item_response` of
repeated trials. With a value for each, the best of one run need not be the best of five.

Priors
------
Abilities are normal with standard deviation `ability_sd ~ Gamma(3, 4)`, less their mean.
`log difficulty_sd ~ Normal(0.3, 0.6)` and `mean ~ Normal(0, 1.5)`, in log odds.
`trial_correlation ~ Beta(1, 1)` for each system: every agreement of runs is equally likely.

When it misleads
----------------
- For more runs than a system had, the shape of the Beta decides, not data.
  `betterthan.fits.reliability` gives the bounds that hold for every shape. An example is a test set
  where three in ten items always succeed and three in ten never do. From 4 runs of 40 items, the
  95% interval contained the true pass^16 in 0.81 of simulations, and the bounds in 0.99.
- Items that do not differ in difficulty are far from the prior of `difficulty_sd`. Where every run
  succeeded with probability 0.8, pass^16 was estimated as 0.14 on average, but is 0.03.
- Runs of one item are taken as independent given the item. Runs of one job, which share its
  conditions, are not.
- Runs at temperature 0, or from a cache, are copies of one run.
- Items are taken as draws of one population that differ in difficulty only. A system that is good
  at one kind of item and bad at another has one ability.
- All systems are shrunk towards one mean. Leave out a system that is known to be apart.

References
----------
Griffiths 1973, Biometrics 29(4), 637-648; Bock & Aitkin 1981, Psychometrika 46, 443-459.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.runs import trials_of
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.wins import rasch
from betterthan.models import likelihood_data, repeated_trials, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.item_response import ITEM, MEAN

if TYPE_CHECKING:
    import pymc as pm

TRIALS = (1.0, 1.0)  # Beta prior of the correlation of a system's runs, beyond its ability
_CELL = (names.ITEM, names.SYSTEM)


def simulate(
    items: int, *, systems: int = 3, trials: int | Sequence[int] = 5, rng: Any = None
) -> xr.Dataset:
    """Simulate true values from the prior, and the successes of runs from these.

    Parameters
    ----------
    items : int
        Number of items.
    systems : int, default 3
        Number of systems.
    trials : int or sequence of int, default 5
        Number of runs on every item, of all systems or of each.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``successes`` and ``trials`` (item, system), and the true values: ``ability`` and
        ``trial_correlation`` (system), ``mean``, ``ability_sd``, ``difficulty_sd``.

    Raises
    ------
    ValueError
        If a number is not whole or too small, or trials are not one for each system.

    Examples
    --------
    >>> simulate(20, systems=2, trials=(3, 5), rng=1)["trials"].mean("item").values.tolist()
    [3.0, 5.0]
    """
    shape = checks.whole(items, "items", 2), checks.whole(systems, "systems", 2)
    each = list(trials) if isinstance(trials, Sequence) else [trials] * systems
    if len(each) != systems:
        raise ValueError(f"trials has {checks.numbered(len(each), 'number')}; give {systems}")
    n = np.tile([checks.whole(k, "trials", 2) for k in each], (items, 1))
    random = np.random.default_rng(one_seed(rng))
    sd, ability = shrinkage.draw_abilities(shape[1], random)
    mean, spread = random.normal(scale=MEAN), np.exp(random.normal(*ITEM))
    correlation = random.beta(*TRIALS, size=shape[1])
    eta = mean + ability - random.normal(size=(shape[0], 1)) * spread
    data = {
        "successes": (_CELL, rasch.draw_successes(eta, n, correlation, random)),
        "trials": (_CELL, n),
        "ability": (names.SYSTEM, ability),
        "trial_correlation": (names.SYSTEM, correlation),
        **{"mean": mean, "ability_sd": sd, "difficulty_sd": spread},
    }
    return xr.Dataset(data, coords=likelihood_data.simulated_labels(_CELL, shape))


describe = describer(__name__)


def build(data: xr.DataArray | xr.Dataset) -> "pm.Model":
    """Build the PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system) of 0 and 1, where the rows of one id in several epochs are its runs;
        or ``successes`` of ``trials`` (item, system), from `betterthan.counts.trials` or
        `betterthan.counts.trials_from_table`. Numbers of runs may differ; 0 is a missing item.

    Returns
    -------
    pymc.Model
        ``ability`` (system), log odds with sum zero; ``trial_correlation`` (system);
        ``ability_sd``, ``difficulty_sd``, ``mean``. Observed ``y`` (item, system).

    Raises
    ------
    ValueError
        If the scores are not 0 and 1, successes exceed trials, items do not connect the systems,
        there is one item, or a system ran at most once on each item.
    """
    from betterthan.libraries import pm

    successes, trials, items, systems = _runs_of(data)
    x, log_weight = rasch.nodes(rasch.nodes_needed(trials))
    with pm.Model(coords={names.ITEM: items, names.SYSTEM: systems}) as model:
        ability = shrinkage.abilities(successes.sum(0), trials.sum(0))
        mean, spread = pm.Normal("mean", 0.0, MEAN), pm.LogNormal("difficulty_sd", *ITEM)
        correlation = pm.Beta("trial_correlation", *TRIALS, dims=names.SYSTEM)
        pm.CustomDist(
            "y",
            trials,
            ability,
            mean,
            spread,
            correlation,
            logp=repeated_trials.log_probability(trials, x, log_weight),
            random=repeated_trials.draw,
            signature="(s),(s),(),(),(s)->(s)",
            observed=pm.Data("successes", successes, dims=_CELL),
            dims=_CELL,
            dtype="int64",
        )
    return model


@documented()
def fit(data: xr.DataArray | xr.Dataset, **options: Unpack[FitOptions]) -> xr.DataTree:
    """Sample the posterior of all systems with PyMC.

    Parameters
    ----------
    data
        See `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): the variables of `build`, and ``expected_score``
        (system), the probability that one run of a new item succeeds. The log likelihood is of
        whole items. Pass it to `betterthan.fits.reliability` and `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid.
    """
    run = Run.from_options(options)
    successes, trials, items, systems = _runs_of(data)
    attrs = {
        "model": "repeated",
        "prior": [shrinkage.SHAPE, shrinkage.RATE, *ITEM, *TRIALS],
        "nodes": rasch.nodes_needed(trials),
        "n_items": len(items),
        "n_missing": int((trials == 0).sum()),
    }
    tree = fit_model(build(data), attrs, run)
    expected = repeated_trials.expected_score
    tree["posterior"] = tree["posterior"].to_dataset().assign(expected_score=expected)
    counts = {"successes": (_CELL, successes), "trials": (_CELL, trials)}
    tree["constant_data"] = xr.Dataset(counts, {names.ITEM: items, names.SYSTEM: systems})
    return tree


def _runs_of(data: Any) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    """Successes and trials (item, system), items and systems; refused where runs say nothing."""
    successes, trials, items, systems = trials_of(data)
    if len(items) < 2:
        raise ValueError("data have 1 item; give 2 or more, which differ in difficulty")
    once = [s for s, most in zip(systems, trials.max(0), strict=True) if most < 2]
    if once:
        raise ValueError(
            f"{once[0]!r} ran at most once on each item, which says nothing about run-to-run "
            "noise; run each item twice"
        )
    return successes, trials, items, systems

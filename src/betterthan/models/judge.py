"""Outcomes of a judge that errs, and human labels on some items; the truth of the others is summed
out.

Question
--------
A judge model answered on all items, people on some. Which system is better by the human labels?

Model
-----
For each pair of systems an item has a truth z (win, loss, tie: what people say, or would) and a
judge output y. A few items have both, the others the judge output only; their truth is summed out.

With labels inside (the labelled items are a random part of those at hand)

    phi[z, y] ~ Dirichlet(prior[z] / 3)          over all cells
    gold ~ Multinomial(labelled items, phi)
    y    ~ Multinomial(other items, sum_z phi[z, y])
    theta[z] = sum_y phi[z, y],   difference = theta_win - theta_loss

With labels elsewhere (of another population, of which only the judge's error rates carry over)

    theta ~ Dirichlet(prior),   confusion[z, .] ~ Dirichlet(1, ..., 1)
    gold[z, .] ~ Multinomial(labelled items of truth z, confusion[z, .])
    y ~ Multinomial(other items, theta @ confusion)

A is better when `difference > 0`. All pairs are sampled at once over the dim `pair`; they share no
parameter.

Priors
------
The default is (1, 1, 1), a third of it on each cell of a judge output. With three outputs the
labels on their own then have that prior. With nine it is (3, 3, 3) on the truth, which pulls a
large difference in.

When it misleads
----------------
- Use labels elsewhere only where none of the items at hand can be labelled. On the same 60 labels
  the standard deviation of the difference is 0.24, and 0.089 where they are a random part of the
  items.
- Labels elsewhere carry over only if the judge errs there as here. On harder items, or on answers
  in another style, it does not.
- Labels that were chosen because they looked interesting are no random part of their items.
- Labels are taken as the truth. Where people differ, a majority is theirs.
- A judge output with many items and no label keeps the truth of the prior.
- Several judges who share an error are one judge with that error. Combine their answers into one
  output, and label.
- `arviz.loo` leaves out all unlabelled items of a pair, not an item.
"""

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.judged.dataset import GOLD, JUDGED, SIGNAL, TRUTH, dataset_of, judged_counts
from betterthan.models import likelihood_data, priors
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented, fit_model
from betterthan.models.priors import Prior
from betterthan.posterior import of_judged

if TYPE_CHECKING:
    import pymc as pm

TARGET_ACCEPT = 0.95
_LABELS = ("inside", "elsewhere")
_CELL = (names.PAIR, SIGNAL, TRUTH)
_CELL_PRIOR = float(of_judged.cells_prior((1, 1, 1))[0, 0])


def simulate(
    n: int,
    *,
    gold: int,
    signals: int = 3,
    pairs: int = 1,
    labels: str = "inside",
    prior: Any = None,
    rng: Any = None,
) -> xr.Dataset:
    """Simulate true values from the prior, and judged counts from these.

    Parameters
    ----------
    n : int
        Number of items without a human label, for each pair.
    gold : int
        Number of labeled items of each pair; with "elsewhere", equally many of each truth, as far
        as possible.
    signals : int, default 3
        Number of values of the judge output.
    pairs : int, default 1
        Number of pairs of systems.
    labels : {"inside", "elsewhere"}, default "inside"
        Whether the labeled items are a random part of the judged items, or of another population.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        Judged counts ``gold`` (pair, truth, signal) and ``judged`` (pair, signal), gold included;
        and the true values: ``theta`` (pair, outcome) and ``difference`` (pair).

    Raises
    ------
    ValueError
        If a number is not whole or too small, or a choice is not valid.

    Examples
    --------
    >>> data = simulate(50, gold=10, pairs=2, rng=1)
    >>> data["judged"].sum("signal").values.tolist()
    [60, 60]
    """
    size, shape = checks.whole(n, "n"), checks.whole(pairs, "pairs")
    draw = _draw_inside if _is_inside(labels) else _draw_elsewhere
    random, signal_count = np.random.default_rng(one_seed(rng)), checks.whole(signals, "signals", 2)
    alpha = np.broadcast_to(of_judged.cells_prior(prior), (3, signal_count))
    theta, phi, labelled = draw(random, alpha, shape, checks.whole(gold, "gold"))
    judged = labelled.sum(1) + random.multinomial(size, phi.sum(1))
    named = [*names.OUTCOMES, *(f"signal {k + 1}" for k in range(3, signal_count))][:signal_count]
    who = [(f"A{k}", f"B{k}") for k in range(shape)]
    truth = {"theta": ((names.PAIR, names.OUTCOME), theta)}
    truth |= {"difference": (names.PAIR, theta[:, 0] - theta[:, 1])}
    result = dataset_of(labelled, judged, who, named).assign(truth)
    return result.assign_coords({names.OUTCOME: list(names.OUTCOMES)})


describe = describer(__name__)


def build(counts: xr.Dataset, *, labels: str = "inside", prior: Any = None) -> "pm.Model":
    """Build the PyMC model of all pairs at once.

    Parameters
    ----------
    counts : xarray.Dataset
        Judged counts; see `betterthan.judged.count`.
    labels : {"inside", "elsewhere"}, default "inside"
        Whether the labeled items are a random part of the judged items, or of another population.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, and tie. An array has a row for each pair, in the order
        of `counts.to_pairs` or by its labels. A PyMC distribution, such as
        ``pm.Dirichlet.dist(a=[2, 2, 1])``, is the prior of each pair. If a parameter of it has a
        distribution, that parameter is shared by all pairs, so they learn from each other.

    Returns
    -------
    pymc.Model
        ``theta`` (pair, outcome) and ``difference`` (pair); for "inside" ``share`` (pair, signal)
        and ``given`` (pair, signal, truth), for "elsewhere" ``confusion`` (pair, truth, signal).
        Data ``labelled`` and ``others``, observed ``gold`` and ``y``.

    Raises
    ------
    ValueError
        If the data are not judged counts, there are too many pairs, or a choice is not valid.
    """
    from betterthan.libraries import pm

    pairs, inside = _to_fit(counts), _is_inside(labels)
    labelled_counts = pairs[GOLD].values
    unlabelled = pairs[JUDGED].values - labelled_counts.sum(1)
    with pm.Model(coords=_coords(pairs)) as model:
        likelihood_data.name_systems(model, pairs[JUDGED])
        labelled = pm.Data("labelled", labelled_counts, dims=(names.PAIR, TRUTH, SIGNAL))
        others: Any = pm.Data("others", unlabelled, dims=(names.PAIR, SIGNAL))
        like = _like_inside if inside else _like_elsewhere
        theta, signal = like(labelled, labelled_counts.shape, Prior.parse(prior, pairs))
        pm.Deterministic("difference", theta[:, 0] - theta[:, 1], dims=names.PAIR)
        pm.Multinomial("y", n=others.sum(-1), p=signal, observed=others, dims=_CELL[:2])
    return model


@documented(TARGET_ACCEPT)
def fit(
    counts: xr.Dataset, *, labels: str = "inside", prior: Any = None, **options: Unpack[FitOptions]
) -> xr.DataTree:
    """Sample the posterior of all pairs with PyMC.

    Parameters
    ----------
    counts : xarray.Dataset
        Judged counts, from `judged.count` or `judged.from_table`. Labeled items are included in
        ``judged``; with "elsewhere" they are subtracted again.
    labels : {"inside", "elsewhere"}, default "inside"
        Whether the labeled items are a random part of the judged items, or of another population,
        from which only P(signal | truth) carries over. A random part is far more informative for
        the same number of labels.
    prior : str, sequence of three float, array or PyMC distribution, optional
        Dirichlet parameters of win, loss, and tie; for "inside", the cells of each signal have a
        third of it. For "elsewhere", the signals under each truth have a Dirichlet of ones; for
        "inside" with a distribution, a Dirichlet of thirds. For an array or a PyMC distribution see
        `build`.
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        Variables of `build`, over (chain, draw, pair), in group posterior. Pass it to
        `betterthan.prob_better` or `betterthan.difference`.

    Raises
    ------
    ValueError
        If the data are not judged counts, there are too many pairs, or an argument is not valid.

    See Also
    --------
    closed_form : The same result without sampling, for labels "inside".
    """
    run = Run.from_options(options)
    pairs = _to_fit(counts)
    pair_prior = Prior.parse(prior, pairs)  # a distribution is of theta, numbers are of its cells
    recorded = pair_prior.text if pair_prior.numbers is None else pair_prior.recorded
    return fit_model(
        build(pairs, labels=labels, prior=prior),
        {"model": "judge", "labels": labels, "prior": recorded, "square": 0},
        run,
        pairs=pairs[JUDGED],
        target_accept=TARGET_ACCEPT,
    )


def closed_form(counts: xr.Dataset, *, prior: Any = None) -> xr.DataArray:
    """Compute P(theta_win > theta_loss) without sampling, for labels "inside".

    Parameters
    ----------
    counts : xarray.Dataset
        Judged counts; see `betterthan.judged.count`.
    prior : str, sequence of three float or array, optional
        Dirichlet parameters of win, loss, and tie.

    Returns
    -------
    xarray.DataArray, dims (pair,)
        Probabilities that A is better.

    Raises
    ------
    ValueError
        If the data are not judged counts, or the prior is not valid.

    References
    ----------
    A. Tenenbein (1970), A double sampling scheme for estimating from binomial data with
    misclassifications, JASA 65(331), 1350-1361, doi:10.1080/01621459.1970.10481170.

    Examples
    --------
    >>> import betterthan as bt
    >>> round(closed_form(bt.datasets.pandalm(labels="30")).item(), 6)
    0.92855
    """
    pairs = judged_counts(counts)
    pair_prior = Prior.parse(prior, pairs)
    if not pair_prior.by_pair:
        return of_judged.better(pairs, pair_prior.columns(), "third", "dirichlet")
    answers = [
        of_judged.better(pairs.isel({names.PAIR: [k]}), numbers, "third", "dirichlet")
        for k, numbers in enumerate(zip(*pair_prior.columns(), strict=True))
    ]
    result = xr.concat(answers, names.PAIR, join="exact", combine_attrs="override")
    return result.assign_attrs(prior=pair_prior.recorded)


Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]  # theta, P(truth, signal), labelled items


def _draw_inside(random: np.random.Generator, alpha: np.ndarray, pairs: int, gold: int) -> Drawn:
    """Cells phi ~ Dirichlet(alpha), of which the labelled items are draws too."""
    phi = priors.draw_dirichlet(random, alpha.ravel(), (pairs,))
    cells = (pairs, *alpha.shape)
    labelled = random.multinomial(gold, phi).reshape(cells)
    return phi.reshape(cells).sum(2), phi.reshape(cells), labelled


def _draw_elsewhere(random: np.random.Generator, alpha: np.ndarray, pairs: int, gold: int) -> Drawn:
    """Truths theta ~ Dirichlet, rows of the confusion flat; labelled items have a truth of their
    own.
    """
    theta = priors.draw_dirichlet(random, 3 * alpha[:, 0], (pairs,))
    confusion = random.dirichlet(np.ones(alpha.shape[1]), size=(pairs, 3))
    sizes = np.full(3, gold // 3) + (np.arange(3) < gold % 3)
    labelled = random.multinomial(np.broadcast_to(sizes, (pairs, 3)), confusion)
    return theta, theta[..., None] * confusion, labelled


def _like_inside(labelled: Any, shape: tuple[int, ...], prior: Prior) -> tuple[Any, Any]:
    """theta, and the probabilities of signals; labelled items are seen whole.

    phi ~ Dirichlet is the share of each signal and the truth given it, which are independent, in
    the posterior too: on these coordinates a chain moves freely.
    """
    from betterthan.libraries import pm

    if prior.numbers is None:
        return _like_rows(labelled, shape, prior)
    pairs, _, signals = shape
    if prior.by_pair:
        alpha = prior.parameters()[:, None, :] * np.broadcast_to(_CELL_PRIOR, (signals, 3))
    else:
        alpha = np.broadcast_to(of_judged.cells_prior(prior.numbers).T, (signals, 3))
    share = pm.Dirichlet("share", a=alpha.sum(-1), dims=_CELL[:2], shape=(pairs, signals))
    conditional = pm.Dirichlet(
        "given",
        a=alpha,
        dims=_CELL,
        default_transform=priors.decisive_first(),
        shape=(pairs, signals, 3),
    )
    phi: Any = share[..., None] * conditional
    flat = labelled.transpose(0, 2, 1).reshape((pairs, -1))
    pm.Multinomial("gold", n=flat.sum(-1), p=phi.reshape((pairs, -1)), observed=flat)
    theta = pm.Deterministic("theta", phi.sum(1), dims=(names.PAIR, names.OUTCOME))
    return theta, phi.sum(2)


def _like_rows(labelled: Any, shape: tuple[int, ...], prior: Prior) -> tuple[Any, Any]:
    """The same under a distribution of theta: signals given each truth ~ Dirichlet(1/3, ...)."""
    from betterthan.libraries import pm

    theta, row = prior.simplex("theta"), np.full(shape[2], _CELL_PRIOR)
    confusion = pm.Dirichlet("confusion", a=row, dims=(names.PAIR, TRUTH, SIGNAL))
    cells: Any = theta[:, :, None] * confusion
    flat = labelled.reshape((shape[0], -1))
    pm.Multinomial("gold", n=flat.sum(-1), p=cells.reshape((shape[0], -1)), observed=flat)
    share: Any = pm.Deterministic("share", cells.sum(1), dims=_CELL[:2])
    pm.Deterministic("given", cells.transpose(0, 2, 1) / share[..., None], dims=_CELL)
    return theta, share


def _like_elsewhere(labelled: Any, shape: tuple[int, ...], prior: Prior) -> tuple[Any, Any]:
    """The same; from labelled items only the signals under each truth are learnt."""
    from betterthan.libraries import pm

    theta, dims = prior.simplex("theta"), (names.PAIR, TRUTH, SIGNAL)
    confusion = pm.Dirichlet("confusion", a=np.ones(shape[2]), dims=dims)
    pm.Multinomial("gold", n=labelled.sum(-1), p=confusion, observed=labelled, dims=dims)
    return theta, (theta[:, :, None] * confusion).sum(1)


def _is_inside(labels: str) -> bool:
    return checks.one_of(labels, _LABELS, "labels") == _LABELS[0]


def _to_fit(counts: Any) -> xr.Dataset:
    pairs = judged_counts(counts)
    checks.sampled_pairs(pairs.sizes[names.PAIR], likelihood_data.UNLIMITED)
    return pairs


def _coords(data: xr.Dataset) -> dict[str, Any]:
    return {
        names.PAIR: data[names.PAIR].values.tolist(),
        names.OUTCOME: list(names.OUTCOMES),
        TRUTH: list(names.OUTCOMES),
        SIGNAL: [str(s) for s in data[SIGNAL].values],
    }

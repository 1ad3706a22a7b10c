"""Judgments of two systems at a time, with ties: how able each system is, all of them at once.

Davidson: of systems i and j with abilities x, win : loss : tie = exp(d / 2) : exp(-d / 2) :
exp(tie), d = x_i - x_j. Rao-Kupper: a judge sees a difference only above a threshold. Davidson
(1970), JASA 65(329), 317-328; Rao & Kupper (1967), JASA 62(317), 194-204.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.judgments import Rows, judgment_rows
from betterthan.exact.numeric.seeds import one_seed
from betterthan.models import sampling, shrinkage

if TYPE_CHECKING:
    import pymc as pm

TIE_MODELS = ("davidson", "rao_kupper")
_TIE = {"davidson": (-0.7, 1.5), "rao_kupper": (-0.7, 1.0)}  # normal prior of the tie parameter
_EFFECT = 0.5  # standard deviation of the normal prior of the position
_JUDGES = (-1.2, 0.7)  # of the logarithm of the spread over judges


def simulate(
    systems: int,
    *,
    judgments: int = 200,
    judges: int = 0,
    position: bool = False,
    tie_model: str = "davidson",
    rng: Any = None,
) -> xr.Dataset:
    """Draw the truth from the prior, and judgments on random pairs from the truth.

    Parameters
    ----------
    systems : int
    judgments : int, default 200
        Pairs are drawn with equal probability, first one round that connects all systems.
    judges : int, default 0
        Judges who differ in how often they see a tie, and with `position` in how much they prefer
        the first.
    position : bool, default False
        Whether the system shown first has an advantage.
    tie_model : {"davidson", "rao_kupper"}, default "davidson"
    rng : int, numpy.random.Generator or None

    Returns
    -------
    xarray.Dataset
        ``system_a``, ``system_b``, ``outcome`` (1, 0, -1 for the first) and ``judge`` (judgment),
        as `betterthan.io.read_judgments` returns them, and the truth: ``ability`` (system),
        ``ability_sd``, ``tie``, ``position``, ``judge_tie_sd``, ``judge_position_sd``.

    Raises
    ------
    ValueError
        If a number is not whole or too small, or tie_model is not valid.

    Examples
    --------
    >>> simulate(4, judgments=50, rng=1).sizes["judgment"]
    50
    """
    checks.one_of(tie_model, TIE_MODELS, "tie_model")
    k, n = checks.whole(systems, "systems", 2), checks.whole(judgments, "judgments", systems - 1)
    j = checks.whole(judges, "judges", 0)
    random = np.random.default_rng(one_seed(rng))
    sd, ability = shrinkage.draw_abilities(k, random)
    tie = random.normal(*_TIE[tie_model])
    spread = np.exp(random.normal(*_JUDGES, size=2)) * (j > 0)
    first = random.normal(scale=_EFFECT) * position
    of = random.integers(max(j, 1), size=n)
    each = random.normal(size=(2, max(j, 1))) * spread[:, None]
    each -= each.mean(1, keepdims=True) if j > 1 else 0
    a, b = _random_pairs(random, k, n)
    chances = np.exp(
        _numpy(
            ability[a] - ability[b] + first + each[1][of] * position, tie + each[0][of], tie_model
        )
    )
    outcome = (
        1 - np.array([0, 2, 1])[(random.random(n)[:, None] > chances.cumsum(-1)[:, :2]).sum(-1)]
    )
    labels = np.array([f"s{i}" for i in range(k)])
    truth: dict[str, Any] = {"ability": (names.SYSTEM, ability), "ability_sd": sd, "tie": tie}
    truth |= {"position": first} if position else {}
    truth |= {"judge_tie_sd": spread[0]} if j else {}
    truth |= {"judge_position_sd": spread[1]} if j and position else {}
    beside = {"judge": ("judgment", np.array([f"j{i}" for i in range(max(j, 1))])[of])} if j else {}
    data = {
        "system_a": ("judgment", labels[a]),
        "system_b": ("judgment", labels[b]),
        "outcome": ("judgment", outcome),
    }
    return xr.Dataset(
        data | truth, coords={names.SYSTEM: labels} | beside, attrs={"unit": "judgment"}
    )


def build(
    data: xr.Dataset | xr.DataArray,
    *,
    tie_model: str = "davidson",
    position: bool = False,
    judges: bool = False,
) -> "pm.Model":
    """The PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        Judgments, from `betterthan.io.read_judgments`; or counts of judgments (system_a, system_b,
        outcome) or (pair, outcome), with ``attrs["unit"] = "judgment"``.
    tie_model : {"davidson", "rao_kupper"}, default "davidson"
        How often equal systems tie, and how that falls with their difference.
    position : bool, default False
        Whether the system shown first has an advantage: system_a of the judgments.
    judges : bool, default False
        Whether judges differ in how often they see a tie, and with `position` in how much they
        prefer the first.

    Returns
    -------
    pymc.Model
        ``ability`` (system), which sum to zero and are log odds, ``ability_sd``, ``tie``;
        ``position``, ``judge_tie_sd``, ``judge_position_sd`` where asked for. Observed ``y`` (row,
        outcome).

    Raises
    ------
    ValueError
        If the counts are of items that systems share, or of an unknown unit; if systems are not
        connected by judgments; if position or judges need judgments one by one; or if ties are
        unknown.
    """
    import pymc as pm

    checks.one_of(tie_model, TIE_MODELS, "tie_model")
    rows = judgment_rows(data, position=position, judges=judges)
    coords = {
        names.SYSTEM: rows.systems,
        names.OUTCOME: list(names.OUTCOMES),
        "row": np.arange(len(rows.a)),
    }
    if judges:
        coords["judge"] = rows.judges
    with pm.Model(coords=coords) as model:
        counts = pm.Data("counts", rows.counts, dims=("row", names.OUTCOME))
        ability = shrinkage.abilities(*_won(rows))
        tie: Any = pm.Normal("tie", *_TIE[tie_model])
        d = ability[rows.a] - ability[rows.b]
        if judges:
            tied, first, tried = _of_judges(rows)
            tie = tie + _judge_effect("judge_tie", tied, tried)[rows.judge]
        if position:
            d = d + pm.Normal("position", 0.0, _EFFECT)
            # both were bound above, where there are judges
            d = d + _judge_effect("judge_position", first, tried)[rows.judge] if judges else d  # pyright: ignore[reportPossiblyUnboundVariable]
        p = pm.math.exp(_log_chances(d, tie + 0 * d, tie_model))
        pm.Multinomial(
            "y", n=pm.math.sum(counts, axis=-1), p=p, observed=counts, dims=("row", names.OUTCOME)
        )
    return model


def fit(
    data: xr.Dataset | xr.DataArray,
    *,
    tie_model: str = "davidson",
    position: bool = False,
    judges: bool = False,
    draws: int = names.DRAWS,
    tune: int = names.TUNE,
    chains: int = names.CHAINS,
    target_accept: float = 0.95,
    rng: Any = None,
    predictive: bool = True,
) -> xr.DataTree:
    """Sample the posterior of all systems with PyMC.

    Parameters
    ----------
    data, tie_model, position, judges
        See `build`.
    draws, tune, chains : int
        Draws kept in each chain, steps of adaptation before them, and chains.
    target_accept : float, default 0.95
        Nearer to 1 means smaller steps.
    rng : int, numpy.random.Generator or None
        The seed in use is recorded in ``posterior.attrs["seed"]``; the same seed gives the same
        draws.
    predictive : bool, default True
        Whether to add the groups prior, prior_predictive, posterior_predictive and log_likelihood.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): ``ability`` (system) and the other variables of
        `build`, and ``tie_propensity``, the probability that equal systems tie. The rows, judgments
        that differ in nothing but their outcome, are in group constant_data. For
        `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        As `build`, or if an argument is not valid.
    """
    model = build(data, tie_model=tie_model, position=position, judges=judges)
    rows = judgment_rows(data, position=position, judges=judges)
    attrs = {
        "model": "davidson",
        "prior": [shrinkage.SHAPE, shrinkage.RATE, *_TIE[tie_model]],
        "tie_model": tie_model,
        "position": int(position),
        "judges": int(judges),
        "n_judgments": int(rows.counts.sum()),
    }
    tree = sampling.fit_model(
        model,
        None,
        attrs=attrs,
        draws=draws,
        tune=tune,
        chains=chains,
        target_accept=target_accept,
        rng=rng,
        predictive=predictive,
    )
    posterior = tree["posterior"].to_dataset()
    tie = posterior["tie"]
    propensity: Any = (
        np.tanh(np.exp(tie) / 2) if tie_model == "rao_kupper" else 1 / (1 + 2 * np.exp(-tie))
    )
    tree["posterior"] = posterior.assign(tie_propensity=propensity.drop_attrs())
    tree["constant_data"] = _constant(rows)
    return tree


def _log_chances(d: Any, tie: Any, tie_model: str) -> Any:
    """Log P(win, loss, tie), stacked last, of a difference of abilities."""
    import pymc as pm
    import pytensor.tensor as pt

    if tie_model == "davidson":
        logits: Any = pt.stack([d / 2, -d / 2, tie], axis=-1)
        return logits - pm.math.logsumexp(logits, axis=-1, keepdims=True)
    threshold: Any = pt.exp(tie)
    # P(tie) = s(d + t) - s(d - t) = s(d + t) s(t - d) (1 - exp(-2 t)), s the logistic function
    beyond: list[Any] = [pt.softplus(threshold - d), pt.softplus(threshold + d)]
    within: list[Any] = [pt.softplus(-threshold - d), pt.softplus(d - threshold)]
    width: Any = -2 * threshold
    nearly: Any = pt.expm1(width)
    log: Any = pt.log(-nearly)
    tied: Any = log - within[0] - within[1]
    return pt.stack([-beyond[0], -beyond[1], tied], axis=-1)


def _numpy(d: np.ndarray, tie: np.ndarray, tie_model: str) -> np.ndarray:
    """The same with numpy."""
    from scipy import special

    if tie_model == "davidson":
        logits = np.stack([d / 2, -d / 2, tie + 0 * d], axis=-1)
        return logits - np.asarray(special.logsumexp(logits, axis=-1, keepdims=True))
    win, loss = (special.log_expit(x - np.exp(tie)) for x in (d, -d))
    return np.stack([win, loss, np.log1p(-np.exp(win) - np.exp(loss))], axis=-1)


def _won(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Judgments each system won, a tie being half, and in how many it was."""
    won, tried = np.zeros((2, len(rows.systems)))
    win, loss, tie = rows.counts.T
    for at, own in ((rows.a, win), (rows.b, loss)):
        np.add.at(won, at, own + tie / 2)
        np.add.at(tried, at, win + loss + tie)
    return won, tried


def _judge_effect(name: str, won: np.ndarray, tried: np.ndarray) -> Any:
    """Effects of judges, which sum to zero, and their spread; on coordinates like those of
    abilities.
    """
    import pymc as pm
    import pytensor.tensor as pt

    sd: Any = pm.LogNormal(f"{name}_sd", *_JUDGES)
    share = (won + 0.5) / (tried + 1)
    information = tried * share * (1 - share)
    odds = np.log(share / (1 - share))
    width: Any = pt.reciprocal(pt.sqrt(1 / sd**2 + information))
    mean = width**2 * information * (odds - odds.mean())
    raw: Any = pm.Normal(f"{name}_raw", -mean / width, sd / width, dims="judge")
    each: Any = mean + width * raw
    return pm.Deterministic(f"{name}_effect", each - pt.mean(each), dims="judge")


def _of_judges(rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ties of each judge, judgments won by the system shown first (a tie being half), and
    judgments.
    """
    found = np.zeros((3, len(rows.judges)))
    win, _, tie = rows.counts.T
    for k, own in enumerate((tie, win + tie / 2, rows.counts.sum(1))):
        np.add.at(found[k], rows.judge, own)
    return found[0], found[1], found[2]


def _random_pairs(random: np.random.Generator, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A round in which every system meets one that is connected already, then pairs at random;
    either comes first.
    """
    order = random.permutation(k)
    a = [int(order[i]) for i in range(1, k)]
    b = [int(order[random.integers(i)]) for i in range(1, k)]
    more = n - (k - 1)
    first = random.integers(k, size=more)
    second = (first + random.integers(1, k, size=more)) % k
    a, b = np.append(a, first).astype(int), np.append(b, second).astype(int)
    turned = random.random(n) < 0.5
    return np.where(turned, b, a), np.where(turned, a, b)


def _constant(rows: Rows) -> xr.Dataset:
    coords = {names.SYSTEM: rows.systems, names.OUTCOME: list(names.OUTCOMES)}
    data: dict[str, Any] = {
        "a": ("row", rows.a),
        "b": ("row", rows.b),
        "counts": (("row", "outcome"), rows.counts),
    }
    if rows.judges:
        data["judge_of"] = ("row", rows.judge)
        coords["judge"] = rows.judges
    return xr.Dataset(data, coords=coords)

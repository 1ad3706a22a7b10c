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
from betterthan.models import shrinkage
from betterthan.models.sampling import Sampling, fit_model

if TYPE_CHECKING:
    import pymc as pm

TARGET_ACCEPT = 0.95
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
    tied, placed = _draw_judges(spread, j, random)[:, of]
    a, b = _random_pairs(random, k, n)
    d = ability[a] - ability[b] + first + placed * position
    outcome = _draw_outcomes(_numpy(d, tie + tied, tie_model), random)
    truth: dict[str, Any] = {"ability": (names.SYSTEM, ability), "ability_sd": sd, "tie": tie}
    truth |= {"position": first} if position else {}
    truth |= {"judge_tie_sd": spread[0]} if j else {}
    truth |= {"judge_position_sd": spread[1]} if j and position else {}
    judge = np.array([f"j{i}" for i in range(j)])[of] if j else None
    systems_of = np.array([f"s{i}" for i in range(k)])
    return _as_judgments(systems_of, a, b, outcome, judge).assign(truth)


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

    if not isinstance(data, xr.Dataset | xr.DataArray):
        raise ValueError(
            f"data is {checks.told(data)}; give judgments, see betterthan.io.read_judgments, or "
            f"counts of them"
        )
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
        seen = _seen_by_judges(rows) if judges else {}
        if seen:
            tie = tie + _judge_effect("judge_tie", seen["tied"], seen["tried"])[rows.judge]
        if position:
            d = d + pm.Normal("position", 0.0, _EFFECT)
        if position and seen:
            d = d + _judge_effect("judge_position", seen["first"], seen["tried"])[rows.judge]
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
    sampling: Sampling = Sampling(),
    rng: Any = None,
    predictive: bool = True,
) -> xr.DataTree:
    """Sample the posterior of all systems with PyMC.

    Parameters
    ----------
    data, tie_model, position, judges
        See `build`.
    sampling : Sampling, optional
        How many draws and chains; its ``target_accept`` is 0.95 here unless given.
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
    tree = fit_model(
        model,
        attrs,
        sampling,
        rng=rng,
        predictive=predictive,
        target_accept=TARGET_ACCEPT,
    )
    posterior = tree["posterior"].to_dataset()
    tree["posterior"] = posterior.assign(tie_propensity=_propensity(posterior["tie"], tie_model))
    tree["constant_data"] = _constant(rows)
    return tree


def _propensity(tie: xr.DataArray, tie_model: str) -> xr.DataArray:
    """The probability that equal systems tie."""
    found: Any = (
        np.tanh(np.exp(tie) / 2) if tie_model == "rao_kupper" else 1 / (1 + 2 * np.exp(-tie))
    )
    return found.drop_attrs()


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
    """Effects of judges, which sum to zero, and their spread."""
    import pymc as pm

    sd: Any = pm.LogNormal(f"{name}_sd", *_JUDGES)
    each = shrinkage.log_odds(name, sd, won, tried, "judge")
    return pm.Deterministic(f"{name}_effect", each, dims="judge")


def _seen_by_judges(rows: Rows) -> dict[str, np.ndarray]:
    """Of each judge ties, judgments won by the system shown first (a tie being half), and
    judgments.
    """
    win, _, tie = rows.counts.T
    seen = {"tied": tie, "first": win + tie / 2, "tried": rows.counts.sum(1)}
    judges = len(rows.judges)
    return {k: np.bincount(rows.judge, v, judges).astype(float) for k, v in seen.items()}


def _draw_judges(spread: np.ndarray, judges: int, random: np.random.Generator) -> np.ndarray:
    """What each judge adds to the tie parameter and to the position; of no judge, nothing."""
    each = random.normal(size=(2, max(judges, 1))) * spread[:, None]
    return each - each.mean(1, keepdims=True) if judges > 1 else each


def _draw_outcomes(log_chances: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """1, 0 or -1 for the first system of each row."""
    below = np.exp(log_chances).cumsum(-1)[:, :2]
    win_loss_tie = (random.random(len(below))[:, None] > below).sum(-1)
    return 1 - np.array([0, 2, 1])[win_loss_tie]


def _as_judgments(
    systems: np.ndarray, a: np.ndarray, b: np.ndarray, outcome: np.ndarray, judge: Any
) -> xr.Dataset:
    """As `betterthan.io.read_judgments` returns them."""
    columns = {"system_a": systems[a], "system_b": systems[b], "outcome": outcome}
    coords: dict[str, Any] = {names.SYSTEM: systems}
    if judge is not None:
        coords["judge"] = ("judgment", judge)
    data = {k: ("judgment", v) for k, v in columns.items()}
    return xr.Dataset(data, coords=coords, attrs={"unit": "judgment"})


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

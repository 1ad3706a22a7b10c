"""Judgments of two systems at a time, with ties: how able each system is, all of them at once.

Question
--------
How able is each of many systems, from judgments of two at a time, with ties?

Model
-----
With the difference of abilities `d = ability_A - ability_B` (log odds, which sum to zero)

    win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie)                           Davidson
    P(win) = logistic(d - t), P(loss) = logistic(-d - t), t = exp(tie), else a tie    Rao & Kupper

`position=True` adds the advantage of the system shown first to d. `judges=True` lets judges differ
in `tie`, and with `position` in that advantage.

Priors
------
Abilities are normal with standard deviation `ability_sd ~ Gamma(3, 4)` (mean 0.75), less their
mean. `tie ~ Normal(-0.7, 1.5)`, for Rao-Kupper with standard deviation 1. `position ~ Normal(0,
1.5)`. The logarithms of both standard deviations over judges are normal with mean -1.2 and standard
deviation 0.7.

When it misleads
----------------
- Pairs from items that systems share raise an error, because each item would count in each pair.
  Use `item_response`.
- `fit` takes judgments as independent given abilities, order of presentation and judge. Many
  judgments of one prompt are not. Use `by_cluster`, which reports their `design_effect`.
- The order of presentation has an effect only with `position=True`.
- Each system has one ability. `betterthan.fits.transitivity` looks for cycles and for pairs that
  the abilities do not explain.
- Two systems that never met are compared only through the systems between them.

References
----------
Davidson 1970, JASA 65(329), 317-328. Rao & Kupper 1967, JASA 62(317), 194-204.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr
from scipy import sparse

from betterthan import checks, names
from betterthan.counts.judgments import Rows, judgment_rows
from betterthan.counts.shapes import without_attrs
from betterthan.exact.laplace import judgments as row_models
from betterthan.exact.laplace import nested
from betterthan.exact.laplace.nested import Posterior
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.models import importance, likelihood_data, paired_judgments, shrinkage
from betterthan.models.describing import describer
from betterthan.models.fitting import FitOptions, Run, documented
from betterthan.models.importance import Values, Variable
from betterthan.models.paired_judgments import TIE_MODELS
from betterthan.models.paired_judgments import by_cluster as by_cluster

if TYPE_CHECKING:
    import pymc as pm

TARGET_ACCEPT = 0.95
_EFFECT = paired_judgments.PLACE[1]  # standard deviation of the normal prior of the position
_JUDGES = (-1.2, 0.7)  # of the logarithm of the spread over judges
_ROW_MODELS = {"davidson": row_models.DAVIDSON, "rao_kupper": row_models.RAO_KUPPER}
_SD = nested.gamma(shrinkage.SHAPE, shrinkage.RATE)
_JUDGE_SD = nested.log_normal(*_JUDGES)


def simulate(
    systems: int,
    *,
    judgments: int = 200,
    judges: int = 0,
    position: bool = False,
    tie_model: str = "davidson",
    rng: Any = None,
) -> xr.Dataset:
    """Simulate true values from the prior, and judgments on random pairs from these.

    Parameters
    ----------
    systems : int
        Number of systems.
    judgments : int, default 200
        Number of judgments. Pairs are drawn with equal probability, after one round that connects
        all systems.
    judges : int, default 0
        Number of judges, who differ in how often they report a tie and, with `position`, in how
        much they prefer the first system.
    position : bool, default False
        Whether the system shown first has an advantage.
    tie_model : {"davidson", "rao_kupper"}, default "davidson"
        Model of ties; see `build`.
    rng : int, numpy.random.Generator or None
        Seed of the simulation.

    Returns
    -------
    xarray.Dataset
        ``system_a``, ``system_b``, ``outcome`` (1, 0, -1 for the first), and ``judge`` (judgment),
        as from `betterthan.io.read_judgments`, and the true values: ``ability`` (system),
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
    k = checks.whole(systems, "systems", 2)
    n = checks.whole(judgments, "judgments", k - 1)
    j, position = checks.whole(judges, "judges", 0), checks.flag(position, "position")
    random = np.random.default_rng(one_seed(rng))
    truth = _draw_truth(k, j, position, tie_model, random)
    judge_index = random.integers(max(j, 1), size=n)
    spread = np.array([truth["judge_tie_sd"], truth["judge_position_sd"]])
    tied, placed = likelihood_data.draw_judges(spread, j, random)[:, judge_index]
    a, b = likelihood_data.random_pairs(random, k, n)
    d = truth["ability"][a] - truth["ability"][b] + truth["position"] + placed * position
    chances = paired_judgments.log_probabilities(d, truth["tie"] + tied, tie_model)
    outcome = likelihood_data.draw_outcomes(chances, random)
    truth["ability"] = (names.SYSTEM, truth["ability"])
    included = {"position": position, "judge_tie_sd": j, "judge_position_sd": j and position}
    present = {k: v for k, v in truth.items() if included.get(k, True)}
    system_names = np.array([f"s{i}" for i in range(k)])
    judge = np.array([f"j{i}" for i in range(j)])[judge_index] if j else None
    return likelihood_data.as_judgments(system_names, a, b, outcome, judge).assign(present)


describe = describer(__name__)


def build(
    data: xr.Dataset | xr.DataArray,
    *,
    tie_model: str = "davidson",
    position: bool = False,
    judges: bool = False,
) -> "pm.Model":
    """Build the PyMC model of all systems at once.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        Judgments from `betterthan.io.read_judgments`; or counts of judgments (system_a, system_b,
        outcome) or (pair, outcome), with ``attrs["unit"] = "judgment"``.
    tie_model : {"davidson", "rao_kupper"}, default "davidson"
        Model of how often equal systems tie, and how ties decrease with their difference.
    position : bool, default False
        Whether the system shown first, system_a of the judgments, has an advantage.
    judges : bool, default False
        Whether judges differ in how often they report a tie and, with `position`, in how much they
        prefer the first system.

    Returns
    -------
    pymc.Model
        ``ability`` (system), log odds with sum zero; ``ability_sd``, ``tie``; ``position``,
        ``judge_tie_sd``, and ``judge_position_sd`` if requested. Observed ``y`` (row, outcome).

    Raises
    ------
    ValueError
        If the counts are of items that systems share, or of an unknown unit; if judgments do not
        connect the systems; if position or judges need single judgments; or if ties are unknown.
    """
    from betterthan.libraries import pm

    _refuse_other_kinds(data)
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
        tie: Any = pm.Normal("tie", *paired_judgments.PRIOR[tie_model])
        d, tie = _row_terms(rows, ability, tie, position)
        p = pm.math.exp(paired_judgments.log_chances(d, tie + 0 * d, tie_model))
        pm.Multinomial(
            "y", n=pm.math.sum(counts, axis=-1), p=p, observed=counts, dims=("row", names.OUTCOME)
        )
    return model


@documented(TARGET_ACCEPT)
def fit(
    data: xr.Dataset | xr.DataArray,
    *,
    tie_model: str = "davidson",
    position: bool = False,
    judges: bool = False,
    sampler: str | None = None,
    **options: Unpack[FitOptions],
) -> xr.DataTree:
    """Sample the posterior of all systems, by importance sampling or with PyMC.

    Parameters
    ----------
    data, tie_model, position, judges
        See `build`.
    sampler : {"laplace", "nuts"} or None
        ``laplace``: importance sampling from an approximation of the posterior, resampled to draws
        of equal weight, in seconds. ``nuts``: PyMC. Default: ``laplace``, and NUTS with a warning
        if the weights are not reliable (k-hat above 0.7).
    **options
        How to sample: see `betterthan.models.Sampling`.

    Returns
    -------
    xarray.DataTree
        In group posterior, over (chain, draw): ``ability`` (system) and the other variables of
        `build`, and ``tie_propensity``, the probability that equal systems tie. Judgments that
        differ only in their outcome are the rows in group constant_data. For ``laplace``,
        ``posterior.attrs`` hold ``pareto_k`` (k-hat), ``weights_ess`` (effective number of draws),
        and ``proposed``. Pass it to `betterthan.fits.compare`.

    Raises
    ------
    ValueError
        For the reasons of `build`, or if an argument is not valid, or if the weights are not
        reliable with ``sampler="laplace"``.
    """
    run = Run.from_options(options)
    _refuse_other_kinds(data)
    checks.one_of(tie_model, TIE_MODELS, "tie_model")
    form = {"position": position, "judges": judges}
    rows = judgment_rows(data, **form)
    weights = Weights(rows, tie_model, position)
    coords = {"row": np.arange(len(rows.a)), names.OUTCOME: list(names.OUTCOMES)}
    model = importance.WeightedModel(
        posterior=weights.posterior(),
        weights=weights,
        observed=xr.DataArray(rows.counts, coords, ("row", names.OUTCOME)),
        labels={names.SYSTEM: rows.systems, "judge": rows.judges},
        build=partial(build, data, tie_model=tie_model, **form),
        target_accept=TARGET_ACCEPT,
    )
    attrs = _attrs(rows, tie_model) | {k: int(v) for k, v in form.items()}
    tree = importance.fit_weighted(model, attrs, sampler, run)
    posterior = tree["posterior"].to_dataset()
    propensity = paired_judgments.propensity(posterior["tie"], tie_model)
    tree["posterior"] = posterior.assign(tie_propensity=without_attrs(propensity))
    tree["constant_data"] = _constant(rows)
    return tree


def _attrs(rows: Rows, tie_model: str) -> dict[str, Any]:
    return {
        "model": "davidson",
        "prior": [shrinkage.SHAPE, shrinkage.RATE, *paired_judgments.PRIOR[tie_model]],
        "tie_model": tie_model,
        "n_judgments": int(rows.counts.sum()),
    }


def _refuse_other_kinds(data: Any) -> None:
    if not isinstance(data, xr.Dataset | xr.DataArray):
        raise ValueError(
            f"data is {checks.quoted(data)}; give judgments, see betterthan.io.read_judgments, or "
            f"counts of them"
        )


def _draw_truth(
    systems: int, judges: int, position: bool, tie_model: str, random: np.random.Generator
) -> dict[str, Any]:
    """All of it, 0 where there is no such thing."""
    sd, ability = shrinkage.draw_abilities(systems, random)
    tie = random.normal(*paired_judgments.PRIOR[tie_model])
    tied, placed = np.exp(random.normal(*_JUDGES, size=2)) * (judges > 0)
    first = random.normal(scale=_EFFECT) * position
    truth = {"ability": ability, "ability_sd": sd, "tie": tie, "position": first}
    return truth | {"judge_tie_sd": tied, "judge_position_sd": placed}


def _row_terms(rows: Rows, ability: Any, tie: Any, position: bool) -> tuple[Any, Any]:
    """Difference of abilities of each row, with the position effect, and the tie parameter."""
    from betterthan.libraries import pm

    d = ability[rows.a] - ability[rows.b]
    counts = _judge_counts(rows)
    if rows.judges:
        tie = tie + _judge_effect("judge_tie", counts["judge_tie"], counts["tried"])[rows.judge]
    if position:
        d = d + pm.Normal("position", 0.0, _EFFECT)
    if position and rows.judges:
        won = counts["judge_position"]
        d = d + _judge_effect("judge_position", won, counts["tried"])[rows.judge]
    return d, tie


def _won(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Judgments that each system won, ties as half, and their number."""
    won, tried = np.zeros((2, len(rows.systems)))
    win, loss, tie = rows.counts.T
    for index, wins in ((rows.a, win), (rows.b, loss)):
        np.add.at(won, index, wins + tie / 2)
        np.add.at(tried, index, win + loss + tie)
    return won, tried


def _judge_effect(name: str, won: np.ndarray, tried: np.ndarray) -> Any:
    """Effects of judges, which sum to zero, and their spread."""
    from betterthan.libraries import pm

    sd: Any = pm.LogNormal(f"{name}_sd", *_JUDGES)
    effect = shrinkage.log_odds(name, sd, won, tried, "judge")
    return pm.Deterministic(f"{name}_effect", effect, dims="judge")


def _judge_counts(rows: Rows) -> dict[str, np.ndarray]:
    """Ties of each judge, judgments won by the system shown first (ties as half), and number of
    judgments.
    """
    win, _, tie = rows.counts.T
    totals = {"judge_tie": tie, "judge_position": win + tie / 2, "tried": rows.counts.sum(1)}
    judges = len(rows.judges)
    return {k: np.bincount(rows.judge, v, judges).astype(float) for k, v in totals.items()}


def _constant(rows: Rows) -> xr.Dataset:
    coords = {names.SYSTEM: rows.systems, names.OUTCOME: list(names.OUTCOMES)}
    labels = {"labels": list(rows.systems)}  # what a place stands for, whatever is sorted later
    data: dict[str, Any] = {
        "a": ("row", rows.a, labels),
        "b": ("row", rows.b, labels),
        "counts": (("row", "outcome"), rows.counts),
    }
    if rows.judges:
        data["judge_of"] = ("row", rows.judge)
        coords["judge"] = rows.judges
    return xr.Dataset(data, coords=coords)


@dataclass(frozen=True)
class Weights:
    """The model for importance sampling: normal given its spreads, or nearly so.

    Parameters are abilities, what judges add to tie and to the advantage of the first place, tie,
    and that advantage, where the rows have judges and `position` is true.
    """

    rows: Rows
    tie_model: str
    position: bool

    def posterior(self) -> Posterior:
        """Density of spreads and parameters."""
        kinds = [(len(self.rows.systems), _SD)]
        if self.rows.judges:
            kinds += [(len(self.rows.judges), _JUDGE_SD)] * (1 + self.position)
        others = [paired_judgments.PRIOR[self.tie_model]] + [(0.0, _EFFECT)] * self.position
        prior = nested.Effects(tuple(kinds), np.array(others))
        counts = self.rows.counts.T.astype(float)
        row_model = _ROW_MODELS[self.tie_model]
        return Posterior(prior, row_models.Judgments(counts, *self._designs(), row_model))

    def variables(self, v: np.ndarray, x: np.ndarray) -> dict[str, Variable]:
        """All variables of the PyMC model, of each draw.

        Parameters
        ----------
        v, x : numpy.ndarray
            Spreads in their coordinates, (draw, spread), and parameters, (draw, parameter).
        """
        n, j = len(self.rows.systems), len(self.rows.judges)
        abilities, tied, placed, others = np.split(x, np.cumsum([n, j, j * self.position]), axis=1)
        sd, system_dims = _SD(v[:, 0]), (names.SYSTEM,)
        variables: dict[str, Variable] = {
            "ability_raw": (system_dims, shrinkage.free_abilities(abilities, sd, *self._won)),
            "ability_sd": ((), sd),
            "tie": ((), others[:, 0]),
            "ability": (system_dims, abilities - abilities.mean(1, keepdims=True)),
        }
        variables |= {"position": ((), others[:, 1])} if self.position else {}
        for k, (name, effects) in enumerate((("judge_tie", tied), ("judge_position", placed)), 1):
            if effects.size:
                sd, counts = _JUDGE_SD(v[:, k]), self._by_judge
                raw = shrinkage.free(effects, sd, counts[name], counts["tried"])
                centered = effects - effects.mean(1, keepdims=True)
                variables[f"{name}_sd"] = ((), sd)
                variables[f"{name}_raw"] = (("judge",), raw)
                variables[f"{name}_effect"] = (("judge",), centered)
        return variables

    def log_prior(self, values: Values) -> dict[str, np.ndarray]:
        """Log densities of the variables that have a prior, of each draw; see `variables`."""
        densities = shrinkage.abilities_log_prior(values, *self._won)
        densities["tie"] = importance.normal(values["tie"], *paired_judgments.PRIOR[self.tie_model])
        if "position" in values:
            densities["position"] = importance.normal(values["position"], 0.0, _EFFECT)
        for name in ("judge_tie", "judge_position"):
            if f"{name}_raw" in values:
                sd, raw, counts = values[f"{name}_sd"], values[f"{name}_raw"], self._by_judge
                densities[f"{name}_sd"] = importance.log_normal(sd, *_JUDGES)
                densities[f"{name}_raw"] = shrinkage.log_prior(
                    raw, sd, counts[name], counts["tried"]
                )
        return densities

    def outcomes(self, values: Values, random: np.random.Generator) -> np.ndarray:
        """Replicated judgments, (draw, row, outcome)."""
        ability, tie, rows = values["ability"], values["tie"][:, None], self.rows
        d = ability[:, rows.a] - ability[:, rows.b]
        if "judge_tie_effect" in values:
            tie = tie + values["judge_tie_effect"][:, rows.judge]
        if "position" in values:
            d += values["position"][:, None]
        if "judge_position_effect" in values:
            d += values["judge_position_effect"][:, rows.judge]
        win, loss = paired_judgments.probabilities(d, tie, self.tie_model)
        return importance.draw_tables(win, loss, rows.counts.sum(1), random)

    @cached_property
    def _won(self) -> tuple[np.ndarray, np.ndarray]:
        return _won(self.rows)

    @cached_property
    def _by_judge(self) -> dict[str, np.ndarray]:
        return _judge_counts(self.rows)

    def _designs(self) -> tuple[sparse.csr_array, sparse.csr_array, tuple[slice, ...]]:
        """Which parameters are summed in the difference and in the tie parameter of each row,
        (row, parameter), and those that count less their mean.
        """
        rows, n, j = self.rows, len(self.rows.systems), len(self.rows.judges)
        tie = n + j * (1 + self.position)
        size = (len(rows.a), tie + 1 + self.position)
        everywhere = np.ones(len(rows.a), dtype=int)
        d_terms, tie_terms = [(rows.a, 1.0), (rows.b, -1.0)], [(tie * everywhere, 1.0)]
        if self.position:
            d_terms.append(((tie + 1) * everywhere, 1.0))
        if j:
            tie_terms.append((n + rows.judge, 1.0))
        if j and self.position:
            d_terms.append((n + j + rows.judge, 1.0))
        centered = [slice(n + k * j, n + (k + 1) * j) for k in range(1 + self.position) if j]
        return _design(d_terms, size), _design(tie_terms, size), tuple(centered)


def _design(terms: list[tuple[np.ndarray, float]], size: tuple[int, int]) -> sparse.csr_array:
    """Matrix (row, parameter) with one value in a column of each row, for each term."""
    columns = np.concatenate([column for column, _ in terms])
    values = np.repeat([value for _, value in terms], size[0])
    row = np.tile(np.arange(size[0]), len(terms))
    return sparse.csr_array((values, (row, columns)), shape=size)

"""Tables of answers: of pairs, of all systems jointly, and of means on units.

Every table of answers: probabilities, differences, masses, verdicts and ranks of systems.

Over (system_a, system_b), or (pair,) where the data came by pair: ``prob_better``,
``difference_mean``, ``difference_lower``, ``difference_upper``, ``mass`` (region), each with its
``_mcse``, which is 0 where it is exact.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import Arrays, Table, labels, pair_indices, with_arrays, without_attrs
from betterthan.exact.averages import Average
from betterthan.exact.joint.abilities import Abilities
from betterthan.exact.joint.skeptical import Skeptical
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.numeric import monte_carlo
from betterthan.posterior import from_draws, verdicts

# how the answer for (B, A) follows from that for (A, B): its name there, and what is done to it
_MIRRORED: dict[str, tuple[str, Callable[[np.ndarray], np.ndarray]]] = {
    "prob_better": ("prob_better", lambda x: 1 - x),
    "difference_mean": ("difference_mean", np.negative),
    "difference_lower": ("difference_upper", np.negative),
    "difference_lower_mcse": ("difference_upper_mcse", np.positive),
    "difference_upper": ("difference_lower", np.negative),
    "difference_upper_mcse": ("difference_lower_mcse", np.positive),
    "difference_skewness": ("difference_skewness", np.negative),
    "mass": ("mass", lambda x: x[..., ::-1]),
    "mass_mcse": ("mass_mcse", lambda x: x[..., ::-1]),
}
_ITSELF: dict[str, Any] = {"prob_better": 0.5, "mass": (0.0, 1.0, 0.0)}


@dataclass(frozen=True)
class Question:
    """What is asked of two systems: the rope, the interval, and how sure a verdict must be."""

    rope: float = names.ROPE
    ci_prob: float = names.CI_PROB
    ci_kind: str = names.CI_KIND
    threshold: float = names.VERDICT_PROB

    @classmethod
    def checked(
        cls,
        rope: float,
        ci_prob: float,
        ci_kind: str,
        threshold: float,
        *,
        of_score: bool = False,
        unit: str = "the score",
    ) -> Self:
        """The question, refused where it makes no sense; the rope is a difference of probabilities,
        or of scores, in this unit.
        """
        return cls(
            checks.margin(rope, "rope", unit) if of_score else checks.rope(rope),
            checks.probability(ci_prob, "ci_prob"),
            checks.one_of(ci_kind, names.CI_KINDS, "ci_kind"),
            checks.threshold(threshold),
        )


def of_differences(difference: xr.DataArray, question: Question, *, square: bool) -> xr.Dataset:
    """From draws of a difference for each pair.

    Parameters
    ----------
    difference : xarray.DataArray, dims (chain, draw, pair), coordinates system_a, system_b on pair
    question : Question
    square : bool
        Whether the answer is over (system_a, system_b) rather than (pair,).
    """
    d = difference.transpose("chain", "draw", names.PAIR)
    return of_pairs(of_draws(d.values, question), d, square=square)


def of_posterior(posterior: xr.Dataset, question: Question) -> xr.Dataset:
    """From exact draws or a fit of counts: ``difference``, or ``p`` alone where ties are unknown.

    Without ``difference`` only ``prob_better`` and its error are known.
    """
    square = bool(posterior.attrs["square"])
    if "difference" in posterior:
        return of_differences(posterior["difference"], question, square=square)
    return of_signs(posterior["p"] - 0.5, square=square).drop_vars("ess")


def of_signs(margin: xr.DataArray, *, square: bool) -> xr.Dataset:
    """``prob_better`` alone, with the ESS of its indicator, from draws (chain, draw, pair) of what
    is above 0 where A is better.
    """
    d = margin.transpose("chain", "draw", names.PAIR)
    return of_pairs(from_draws.better(d.values), d, square=square)


def of_joint_draws(
    draws: np.ndarray,
    systems: Sequence[str],
    question: Question,
    *,
    higher_is_better: bool = True,
    independent: bool = False,
    differences_of: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> xr.Dataset:
    """From joint draws of all systems, over (system_a, system_b).

    Parameters
    ----------
    draws : numpy.ndarray, (chain, draw, system)
    systems : sequence of str
    question : Question
    higher_is_better, independent
        See `from_draws.better`.
    differences_of
        See `from_draws.joint_pairs`.
    """
    which: Any = {"higher_is_better": higher_is_better, "independent": independent}
    parts = from_draws.joint_pairs(
        draws, partial(of_draws, question=question, **which), differences_of
    )
    return square_of(parts, list(systems), *pair_indices(len(systems)))


def of_draws(
    d: np.ndarray, question: Question, higher_is_better: bool = True, independent: bool = False
) -> dict[str, np.ndarray]:
    """Answers (pair, ...) from draws (chain, draw, pair) of differences."""
    if independent:
        parts = intervals_of_draws(d, question, higher_is_better)
        return parts | from_draws.means(d, independent=True)
    parts = from_draws.better(d, higher_is_better=higher_is_better)
    parts |= from_draws.masses(d, question.rope, higher_is_better=higher_is_better)
    del parts["ess"]
    return parts | from_draws.sizes(d, question.ci_prob, question.ci_kind)


def intervals_of_draws(
    d: np.ndarray, question: Question, higher_is_better: bool = True
) -> dict[str, np.ndarray]:
    """The same of independent draws, but for the mean."""
    return from_draws.of_independent(
        d, question.rope, question.ci_prob, question.ci_kind, higher_is_better=higher_is_better
    )


def of_pairs(parts: Mapping[str, np.ndarray], pairs: xr.DataArray, *, square: bool) -> xr.Dataset:
    """Answers (pair, ...) under the names that `pairs` has on its dim pair."""
    of = {k: pairs[k].values for k in (names.PAIR, *names.SQUARE)}
    a, b = ([str(s) for s in of[k]] for k in names.SQUARE)
    if square:
        systems = list(dict.fromkeys(s for both in zip(a, b, strict=True) for s in both))
        return square_of(parts, systems, *(np.array([systems.index(s) for s in x]) for x in (a, b)))
    coords = {names.PAIR: of[names.PAIR]} | {k: (names.PAIR, of[k]) for k in names.SQUARE}
    coords |= {names.REGION: list(names.REGIONS)} if "mass" in parts else {}
    return _labelled(parts, (names.PAIR,), coords)


def square_of(
    parts: Mapping[str, np.ndarray], systems: list[str], first: np.ndarray, second: np.ndarray
) -> xr.Dataset:
    """Answers (pair, ...) on the systems at places `first` and `second`, over (system_a, system_b).

    That of (B, A) follows from that of (A, B); a system is no better than itself. ``prob_worse``
    is the other tail of ``prob_better``, where 1 less that has too few digits.
    """
    whole = squares(parts, len(systems), first, second)
    region = {names.REGION: names.REGIONS} if "mass" in parts else {}
    return _labelled(whole, names.SQUARE, labels(tuple(systems), *names.SQUARE, **region))


def squares(
    parts: Mapping[str, np.ndarray], n: int, first: np.ndarray, second: np.ndarray
) -> dict[str, np.ndarray]:
    """The same on n systems as plain arrays (system_a, system_b, ...)."""
    parts, whole = dict(parts), {}
    behind = parts.pop("prob_worse", None)
    for name, values in parts.items():
        other, mirror = _MIRRORED.get(name, (name, np.positive))
        kind = values.dtype if values.dtype.kind == "i" else float
        full = np.empty((n, n, *values.shape[1:]), kind)
        full[:] = _ITSELF.get(name, 0.0)
        full[first, second], full[second, first] = values, mirror(parts[other])
        whole[name] = full
    if behind is not None:
        whole["prob_better"][second, first] = behind
    return whole


def exact(table: xr.Dataset) -> xr.Dataset:
    """A table of closed forms, with an error of 0 for each answer."""
    answers = {str(name): (array.dims, array.values) for name, array in table.data_vars.items()}
    errors = {f"{k}_mcse": (dims, np.zeros_like(values)) for k, (dims, values) in answers.items()}
    return without_attrs(xr.Dataset(answers | errors, table.coords))


def exact_table(
    parts: Mapping[str, np.ndarray],
    systems: Sequence[str],
    question: Question,
    *,
    n: np.ndarray | None = None,
    facts: Collection[str] = (),
) -> Table:
    """The same of squares of closed forms as plain arrays (system_a, system_b, ...), with verdicts.

    Parameters
    ----------
    parts : mapping of str to numpy.ndarray
        ``prob_better`` and others.
    systems : sequence of str
    question : Question
    n : numpy.ndarray, optional
        Number of examples; without any there is no data.
    facts : collection of str
        What is no answer, and has no error.
    """
    errors = {f"{k}_mcse": np.zeros_like(v) for k, v in parts.items() if k not in facts}
    decided = verdicts.of_masses(
        parts,
        parts["prob_better"].T,
        ~np.eye(len(systems), dtype=bool),
        question.rope,
        question.threshold,
        empty=False if n is None else n == 0,
    )
    values = {**parts, **errors, **decided}
    arrays = {k: (_dims(k, names.SQUARE), v) for k, v in values.items()}
    coords: dict[str, Any] = {k: ((k,), np.array(systems)) for k in names.SQUARE}
    if "mass" in parts:
        coords[names.REGION] = (names.REGION,), np.array(names.REGIONS)
    return Table(arrays | coords)


def with_verdicts(
    table: xr.Dataset, question: Question, *, converged: bool = True, n: xr.DataArray | None = None
) -> xr.Dataset:
    """The table with ``verdict`` and ``also_ahead``; of what was sampled also ``too_close``: a side
    reaches the threshold, but by less than two Monte Carlo errors, which is undecided; with a rope
    also ``beyond_rope``: the better system is better by more than the rope.

    Parameters
    ----------
    table : xarray.Dataset
    question : Question
    converged : bool, default True
        Where not, there is no verdict but on a system against itself.
    n : xarray.DataArray, optional
        Number of examples; without any there is no data.
    """
    better = table["prob_better"]
    looked_at = ("prob_better", "mass") if question.rope else ("prob_better",)
    named = [k for name in looked_at for k in (name, f"{name}_mcse") if k in table]
    parts = verdicts.of_masses(
        {name: _plain(table[name], better.dims) for name in named},
        _other_tail(better),
        _off_diagonal(better),
        question.rope,
        question.threshold,
        converged=converged,
        empty=False if n is None else _empty(n, better),
    )
    return with_arrays(table, {name: (better.dims, values) for name, values in parts.items()})


def _plain(answer: xr.DataArray, dims: tuple[Hashable, ...]) -> np.ndarray:
    """Values over these dims, and over the regions in their order."""
    if names.REGION not in answer.dims:
        return answer.transpose(*dims).values
    return answer.transpose(*dims, names.REGION).sel({names.REGION: list(names.REGIONS)}).values


def _empty(n: xr.DataArray, better: xr.DataArray) -> np.ndarray:
    if n.dims == better.dims and n.shape == better.shape:
        return n.values == 0
    return (n == 0).broadcast_like(better).transpose(*better.dims).values


def _off_diagonal(better: xr.DataArray) -> np.ndarray:
    """Where a cell is of two systems, and not of one against itself."""
    if names.SYSTEM_A not in better.dims:
        return np.ones(better.shape, dtype=bool)
    rows, columns = sorted(names.SQUARE, key=better.dims.index)
    others = better[rows].values[:, None] != better[columns].values
    sides = [size if d in names.SQUARE else 1 for d, size in better.sizes.items()]
    return np.broadcast_to(others.reshape(sides), better.shape)


def _other_tail(better: xr.DataArray) -> np.ndarray:
    """P(B better than A), which is not 1 less P(A better than B) where that is tiny."""
    if names.SYSTEM_A not in better.dims:
        return 1 - better.values
    exchanged = {names.SYSTEM_A: names.SYSTEM_B, names.SYSTEM_B: names.SYSTEM_A}
    return better.transpose(*(exchanged.get(str(d), d) for d in better.dims)).values


def of_systems(
    draws: np.ndarray,
    systems: Sequence[str],
    *,
    ci_prob: float = names.CI_PROB,
    higher_is_better: bool = True,
    independent: bool = False,
) -> xr.Dataset:
    """How probable it is that each system is the best of all, and its rank, from joint draws.

    Parameters
    ----------
    draws : numpy.ndarray, (chain, draw, system)
    systems : sequence of str
    ci_prob : float, default 0.95
        With which ``in_best_set`` holds the best one.
    higher_is_better, independent
        See `from_draws.better`.

    Returns
    -------
    xarray.Dataset
        Over system: ``prob_best``, ``expected_rank`` and ``in_best_set`` (the fewest systems that
        hold the best one); over (system, rank) ``prob_rank``. ``*_mcse`` of what is sampled.
    """
    parts = ranks(draws, ci_prob, higher_is_better=higher_is_better, independent=independent)
    places = tuple(range(1, len(systems) + 1))
    return xr.Dataset(parts, coords=labels(tuple(systems), names.SYSTEM, rank=places))


def ranks(
    draws: np.ndarray, ci_prob: float, *, higher_is_better: bool = True, independent: bool = False
) -> Arrays:
    """The same as plain arrays."""
    parts = from_draws.ranks(draws if higher_is_better else -draws, independent=independent)
    parts["in_best_set"] = monte_carlo.best_set(parts["prob_best"], ci_prob)
    dims = (names.SYSTEM, "rank")
    return {name: (dims[: values.ndim], values) for name, values in parts.items()}


def by_system(
    name: str, draws: np.ndarray, question: Question, *, prefix: str = "", independent: bool = False
) -> dict[str, tuple[str, np.ndarray]]:
    """Mean of draws (chain, draw, system) as `name`, its error, and the ends of the interval, whose
    names begin with `prefix`.
    """
    flat = draws.reshape(-1, draws.shape[-1])
    low, high = monte_carlo.interval(flat, question.ci_prob, question.ci_kind)
    error = from_draws.mean_error(draws, independent=independent)
    parts = {name: flat.mean(0), f"{name}_mcse": error}
    parts |= {f"{prefix}lower": low, f"{prefix}upper": high}
    return {key: (names.SYSTEM, values) for key, values in parts.items()}


def _labelled(parts: Mapping[str, np.ndarray], dims: tuple[str, ...], coords: Any) -> xr.Dataset:
    return xr.Dataset({k: (_dims(k, dims), v) for k, v in parts.items()}, coords=coords)


def _dims(name: str, dims: tuple[str, ...]) -> tuple[str, ...]:
    return (*dims, names.REGION) if name.startswith("mass") else dims


DRAWS = 10_000  # for ranks alone: pairs need none


def of_abilities(
    abilities: Abilities,
    systems: Sequence[str],
    question: Question,
    *,
    higher_is_better: bool = True,
    alone: bool = False,
) -> Table:
    """``prob_better``, ``difference_*``, ``mass``, ``verdict`` and ``also_ahead`` over (system_a,
    system_b), with a rope ``beyond_rope``, without draws.

    Parameters
    ----------
    abilities : Abilities
        Of which more is better.
    systems : sequence of str
    question : Question
    higher_is_better : bool, default True
        If not, differences are given as the scores stand: below 0 where A is better.
    alone : bool, default False
        Whether "equivalent" is left to the pair by itself.
    """
    pairs = abilities.pairs(question.ci_prob, question.ci_kind, question.rope, alone=alone)
    parts = {"prob_better": pairs.better, "prob_worse": pairs.worse}
    parts |= _differences(pairs.mean, pairs.lower, pairs.upper, higher_is_better)
    sides = np.stack([pairs.worse, np.zeros_like(pairs.worse), pairs.better], axis=-1)
    parts["mass"] = pairs.mass if question.rope else sides
    square = squares(parts, len(systems), *pair_indices(len(systems)))
    return exact_table(square, systems, question)


def ranks_of(abilities: Abilities, better: np.ndarray, question: Question, seed: int) -> Arrays:
    """``prob_best``, ``expected_rank``, ``rank_lower``, ``rank_upper``, ``in_best_set`` over
    system, and ``prob_rank``, from draws of the same posterior.

    The errors of the draws are normal, those of pairs are not. So a system may be the best of more
    draws than `better`, (system, system), the exact probability to be better than another, allows.
    Such draws are thinned out.
    """
    drawn = abilities.draws(DRAWS, np.random.default_rng(seed))
    most = np.where(np.eye(len(better), dtype=bool), 1.0, better).min(1)
    drawn = monte_carlo.with_best_at_most(drawn, most)[None]
    by_rank = ranks(drawn, question.ci_prob, independent=True)
    below = by_rank["prob_rank"][1].cumsum(1)
    tail = (1 - question.ci_prob) / 2
    low, high = (below > tail).argmax(1) + 1, (below >= 1 - tail - 1e-12).argmax(1) + 1
    return by_rank | {"rank_lower": ((names.SYSTEM,), low), "rank_upper": ((names.SYSTEM,), high)}


def by_pair(
    means: PairMeans, question: Question, *, higher_is_better: bool = True, prior_sd: float = 0.0
) -> dict[str, np.ndarray]:
    """``prob_better``, ``difference_*``, ``mass`` and ``n_units`` of each pair; also the standard
    error, degrees of freedom and, of items, skewness of the difference.

    Parameters
    ----------
    means : PairMeans
        Of scores of which more is better.
    question : Question
    higher_is_better : bool, default True
        If not, differences keep the sign of the scores: below 0 where A is better.
    prior_sd : float, default 0
        Standard deviation of a normal prior of the differences, in their unit; 0 for none.
    """
    if prior_sd:
        means = Skeptical.from_means(means, prior_sd)
    parts = of_average(means, question, higher_is_better=higher_is_better)
    parts["difference_mean"] = np.where(means.units > 1, parts["difference_mean"], np.nan)
    parts |= {
        "n_units": np.asarray(means.units, dtype=np.int64),
        "difference_error": means.error,
        "difference_df": np.where(means.units > 1, means.df, np.nan),
    }
    if means.skewness is not None:
        parts["difference_skewness"] = means.skewness if higher_is_better else -means.skewness
    return parts


def of_average(
    means: PairMeans | Skeptical | Average, question: Question, *, higher_is_better: bool = True
) -> dict[str, np.ndarray]:
    """``prob_better``, ``difference_*`` and ``mass`` of each pair; see `by_pair`."""
    better, worse = means.prob_above(), means.prob_below()
    beyond, behind, within = better, worse, np.zeros_like(better)
    if question.rope:
        beyond, behind = means.prob_above(question.rope), means.prob_below(-question.rope)
        within = np.clip(1 - beyond - behind, 0.0, 1.0)
    ends = means.interval(question.ci_prob, question.ci_kind)
    parts = {"prob_better": better, "prob_worse": worse}
    parts |= _differences(means.expected(), *ends, higher_is_better)
    return parts | {"mass": np.stack([behind, within, beyond], axis=-1)}


def _differences(
    middle: np.ndarray, low: np.ndarray, high: np.ndarray, higher_is_better: bool
) -> dict[str, np.ndarray]:
    """``difference_*`` as the scores stand, of differences above 0 where A is better."""
    if not higher_is_better:
        middle, low, high = -middle, -high, -low
    return {"difference_mean": middle, "difference_lower": low, "difference_upper": high}

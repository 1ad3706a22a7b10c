"""Bayesian bootstrap and jackknife of scores: draws from one set of weighted items.

Scores of units of unequal size, such as F1 of documents, by leaving out one unit at a time.

Random weights of the units say too little of the error where a few units hold most of what the
score counts. The sharp jackknife with Student's t answers then (`exact.joint.jackknife`): the size
of a unit is its share of the score's denominator.
"""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import blocks_of, folded, in_blocks
from betterthan.counts.in_blocks import rule_of
from betterthan.counts.responses import Responses, numbers_of, of_means, responses_of, score_of
from betterthan.counts.shapes import labels, pair_indices
from betterthan.counts.units import in_rows
from betterthan.exact.blocks import added, weighted
from betterthan.exact.joint.student import Student
from betterthan.exact.joint.units import PairMeans, Shares, joined
from betterthan.exact.numeric import monte_carlo
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps import ratios
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import from_draws, table
from betterthan.posterior.table import Question
from betterthan.scores import deciding
from betterthan.scores.deciding import Held, held
from betterthan.signed import provenance_attrs


def unit_columns(responses: Responses) -> np.ndarray:
    """Columns that are summed over units, (unit, column); for means also the items of a unit."""
    columns = responses.values.reshape(len(responses.values), -1).astype(float)
    if responses.kind in ("sum", "means"):
        return np.concatenate([columns, responses.observed.astype(float)[:, :1]], axis=1)
    return columns


def scored(responses: Responses, sums: np.ndarray) -> np.ndarray:
    """Scores (rows, system) from weighted sums (rows, column)."""
    if responses.kind == "sum":
        mean = sums[:, :-1] / sums[:, -1:] / responses.scale
        return mean if responses.higher_is_better else -mean
    if responses.kind == "means":
        means = (sums[:, :-1] / sums[:, -1:]).reshape(len(sums), *responses.values.shape[1:])
        score = of_means(responses, means, finite=True)
        return score if responses.higher_is_better else -score
    shaped = sums.reshape(len(sums), *responses.values.shape[1:])
    x, y = shaped[..., 0], shaped[..., 1]
    bottom = responses.k * x + y
    score = responses.k * x / np.where(bottom > 0, bottom, 1)
    return score.mean(-1) if responses.kind == "macro" else score


def unit_wins(responses: Responses) -> np.ndarray:
    """Number of units on which the system of the row scores better, (system, system)."""
    if responses.kind == "sum":
        scores = responses.values / responses.observed
    elif responses.kind == "means":
        # 0 / 0 of one item wins and loses nothing
        with np.errstate(invalid="ignore", divide="ignore"):
            sizes = responses.observed.reshape(
                *responses.observed.shape, *[1] * (responses.values.ndim - 2)
            )
            scores = of_means(responses, responses.values / sizes)
    else:
        scores = ratios.score(responses.values[..., 0], responses.values[..., 1], responses.k)
        scores = scores.mean(-1) if responses.kind == "macro" else scores
    return np.stack([(scores[:, k : k + 1] > scores).sum(0) for k in range(scores.shape[1])])


DF_MAX = 30.0  # from here on random weights of the units say the same


@dataclass(frozen=True)
class LeftOut:
    """Scores of all systems, more is better, and their changes when a unit is left out."""

    score: np.ndarray  # (system,)
    change: np.ndarray  # (unit, system); nan where nothing is left to score
    size: np.ndarray  # (unit, system)
    unit_score: np.ndarray  # (unit, system): the score of each unit by itself
    low: float  # the range of a score
    high: float

    @property
    def df(self) -> float:
        """Degrees of freedom of all systems together."""
        return float(self._shares.df[0])

    @property
    def single(self) -> np.ndarray:
        """Systems whose score counts a single unit, (system,)."""
        return np.isnan(self.change).any(0)

    @property
    def _shares(self) -> Shares:
        return Shares.from_sizes((self.size / self.size.sum(0)).mean(1, keepdims=True))

    def systems(self) -> Student:
        """The posterior of each score."""
        shares = Shares.from_sizes(self.size)
        estimable = (shares.units > 1) & np.isfinite(self.change).all(0)
        error = np.sqrt((self.change**2).sum(0) / shares.constant)
        df = np.where(estimable, shares.df, 1.0)
        return Student(self.score, np.where(estimable, error, 0.0), df, self.low, self.high)

    def pairs(self) -> PairMeans:
        """The posterior of the difference of each pair; no error where it cannot be had."""
        return joined([self._against(k) for k in range(len(self.score) - 1)])

    def _against(self, k: int) -> PairMeans:
        """One system against those after it."""
        others = slice(k + 1, None)
        shares = Shares.from_sizes(self.size[:, k : k + 1] + self.size[:, others])
        change = self.change[:, k : k + 1] - self.change[:, others]
        estimable = np.isfinite(change).all(0)
        error = np.sqrt((change**2).sum(0) / shares.constant)
        difference = self.unit_score[:, k : k + 1] - self.unit_score[:, others]
        return PairMeans(
            difference=self.score[k] - self.score[others],
            error=np.where(estimable, error, 0.0),
            units=shares.units,
            won=(difference > 0).sum(0),
            lost=(difference < 0).sum(0),
            df=shares.df,
            most=self.high - self.low,
        )

    def draws(self, number: int, seed: int) -> np.ndarray:
        """Joint draws (draw, system): of every pair about Student's t with its error."""
        random = np.random.default_rng(seed)
        z = random.standard_normal((number, len(self.change)))
        chi2 = random.chisquare(self.df, (number, 1))
        moved = z @ np.nan_to_num(self.change) / np.sqrt(self._shares.constant[0])
        return self.score + np.sqrt(self.df / chi2) * moved


def left_out(responses: Responses, limits: tuple[float, float]) -> LeftOut | None:
    """The scores with each unit left out; None where random weights of the units do as well.

    That is where units have one size, where many share the denominator, and of averages over
    labels and functions of your own.
    """
    if responses.kind == "ratio":
        size = responses.k * responses.values[..., 0] + responses.values[..., 1]
        size = size.astype(float)
    elif responses.kind == "sum":
        size = np.broadcast_to(responses.observed, responses.values.shape).astype(float)
    else:
        return None
    low, high = limits if responses.higher_is_better else (-limits[1], -limits[0])
    columns = unit_columns(responses)
    total = columns.sum(0)
    side = 1.0 if responses.higher_is_better else -1.0
    score = side * scored(responses, total[None])[0]
    present = size > 0
    remaining = size.sum(0) - size
    with np.errstate(invalid="ignore", divide="ignore"):
        without = side * scored(responses, total - columns)
        unit_score = side * scored(responses, columns)
    change = np.where(present & (remaining <= 0), np.nan, np.where(present, without - score, 0.0))
    result = LeftOut(score, change, size, np.where(present, unit_score, np.nan), low, high)
    if Shares.from_sizes(size).equal.all() or not result.df < DF_MAX:
        return None
    return result


_NUMBERS = 2**17  # weights held at once: 1 MB stays in the cache
_ABOUT_UNITS = ("n_units", "difference_error", "difference_df")
JACKKNIFE = "jackknife"  # the model of scores that a few units decide
_BLOCK_MOST = 2**28  # bytes of the sums of one block
_ROWS, _MOST = 16, 2**22  # draws at once of many items, and weights then: 32 MB


def bootstrap_draws(
    data: xr.DataArray,
    *,
    statistic: Any = None,
    beta: float = 1.0,
    unit: str | None = None,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.DataArray:
    """Draw the scores of all systems jointly with the Bayesian bootstrap.

    All systems get the same random weights of their common items. `scores.bootstrap` is computed
    from these draws. They are spread further than the weights alone would spread them, for the
    number of units, so a draw near the bound of a score may lie beyond it.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system) without missing values, which dask may hold in blocks of items; or
        TP/FP/FN counts (item, system, tally), with or without a dim label; for a function of your
        own, any numbers (item, system, ...).
    statistic : str or callable, optional
        Statistic to compute. For scores: "mean" (default) or "accuracy". For TP/FP/FN counts: "f1"
        (default), "precision", "recall", "f_beta", or "macro_f1"; see `randomization_test`. Or a
        vectorized function from weighted means (draw, system, ...) to scores (draw, system): any
        ratio of sums, such as ``lambda m: m[..., 0] / m[..., 1]``.
        Lower scores are better where ``attrs["higher_is_better"]`` of the data is False.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    unit : str, optional
        Item coordinate: items with the same value, such as those of one document, share one weight.
        Default: ``cluster`` if items come in clusters, else the item, by the mean of its runs
        (``epoch``). "item" treats every row as an independent item.
    draws : int, default 4,000
        Number of posterior draws.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.DataArray, dims (draw, system)
        Scores. A row is one draw of the population of items, the same for all systems.

    Raises
    ------
    ValueError
        If the data are neither scores nor TP/FP/FN counts, or lack a score, or an argument is not
        valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134,
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray([[1, 0], [1, 1], [0, 1]], **named)
    >>> bootstrap_draws(scores, draws=100, rng=1).sizes
    Frozen({'draw': 100, 'system': 2})
    """
    data, unit = in_rows(data, unit)
    if in_blocks(data) and not callable(statistic):
        return _block_draws(data, statistic, unit, draws, rng)
    responses = _responses(data, statistic, beta, unit)
    draws, seed = checks.whole(draws, "draws", least=2), one_seed(rng)
    rests, few = held(data, responses), left_out(responses, _range(responses))
    attrs = _provenance(responses, few, seed=seed, unit=unit) | rests.to_attrs()
    values = _joint_draws(responses, few, rests, draws, seed)[1]
    return _as_array(values, responses.systems, attrs)


def _as_array(values: np.ndarray, systems: list[str], attrs: dict[str, Any]) -> xr.DataArray:
    coords = {"draw": np.arange(len(values)), names.SYSTEM: systems}
    return xr.DataArray(values, coords, ("draw", names.SYSTEM), "score", attrs)


def _block_draws(
    data: xr.DataArray, statistic: str | None, unit: str, draws: int, rng: object
) -> xr.DataArray:
    """See `bootstrap_draws`: the draws are others than of the same scores in memory, for weights
    depend on the seed and the number of the item alone; how blocks are cut moves nothing.

    Raises
    ------
    ValueError
        If the statistic is not a mean, a score is missing, or items go together.
    """
    blocks, seed = blocks_of(data), one_seed(rng)
    draws = checks.whole(draws, "draws", least=2)
    checks.one_of(statistic or "mean", ("mean", "accuracy"), "statistic of scores in blocks,")
    if unit != names.ITEM:
        raise ValueError(
            f"unit={unit!r} needs scores in memory, and these are in blocks: each item is its own"
        )
    systems = len(blocks.systems)
    if draws * (systems + 1) * 8 > _BLOCK_MOST:
        raise ValueError(
            f"{draws:,} draws of {systems:,} systems are more than a block may hold; give at most "
            f"{_BLOCK_MOST // 8 // (systems + 1):,} draws"
        )
    see = partial(weighted, rule=rule_of(blocks, "error"), draws=draws, seed=seed)
    weighed = folded(blocks, see, added)
    if statistic == "accuracy" and weighed.graded:
        raise ValueError("accuracy needs scores of 0 and 1, and some are others; say mean")
    signed = provenance_attrs(
        model="bayesian_bootstrap",
        statistic=statistic or "mean",
        n_items=blocks.items,
        higher_is_better=blocks.higher_is_better,
        seed=seed,
        unit=unit,
    )
    means = weighed.sums[:, :-1] / weighed.sums[:, -1:]
    wide = monte_carlo.widened(means, blocks.items, seed)
    return _as_array(wide, list(blocks.systems), signed | {"n_weighed": blocks.items})


def bootstrap(
    data: xr.DataArray,
    *,
    statistic: Any = None,
    beta: float = 1.0,
    unit: str | None = None,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
    draws: int = names.BOOTSTRAP_DRAWS,
    rng: Any = None,
) -> xr.Dataset:
    """Compare systems by a score of all items together, with the Bayesian bootstrap.

    It is the Bayesian counterpart of `randomization_test`, for scores such as F1. The items get
    random weights, the same for all systems, and the scores are recomputed for each draw.

    An item that was not observed has no weight. The draws are therefore moved away from their mean
    by sqrt((D + 1) / chi2), for D units and D - 1 degrees of freedom. If units have very unequal
    parts of the denominator (fewer than 30 degrees of freedom), such as F1 over documents of which
    one is long, the jackknife with Student's t replaces the bootstrap. Below 5 units there is a
    warning.

    A verdict needs `threshold` twice: for ``prob_better`` and for ``prob_more_wins``. A
    macro-average has no verdict while a label has fewer than 15 gold items; the result names the
    label.

    Parameters
    ----------
    data, statistic, beta, unit, draws, rng
        See `scores.bootstrap_draws`.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of the score.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, above 0.5.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b):

        - ``prob_better``: equal draws count half
        - ``difference_mean``, ``difference_lower``, ``difference_upper``
        - ``mass`` (region), ``verdict``
        - ``wins``: units on which A has the better score
        - ``prob_more_wins``: P(A wins more often than B), with a uniform prior
        - for scores of 0 and 1, ``prob_better_closed``, which is the same, and ``gap``, how much
          further from one half the bootstrap goes

        Over system:

        - ``score`` of the data; ``score_mean``, ``score_lower``, ``score_upper``
        - ``prob_best``, ``expected_rank``, and ``prob_rank`` (also over rank)
        - ``tied_with_top``: no verdict that the system with the highest score is better
        - ``in_best_set``: fewest systems that contain the best one with probability `ci_prob`, and
          those that no other system beats by more than chance (Hsu 1984)

        Sampled values have Monte Carlo errors, ``*_mcse``. If all units have the same value, the
        bounds of an interval are NaN, and ``prob_better`` of a pair is ``prob_more_wins``. Bounds
        are cut at the range of F1, precision, recall, and accuracy. Higher scores are better,
        unless the data say otherwise. ``attrs["n_weighed"]`` is D; ``attrs["rare_labels"]`` names
        labels with too few gold items.

    Raises
    ------
    ValueError
        For the reasons of `scores.bootstrap_draws`, or if rope, ci_prob, ci_kind, or threshold is
        not valid.

    References
    ----------
    D. B. Rubin (1981), The Bayesian bootstrap, Annals of Statistics 9(1), 130-134,
    doi:10.1214/aos/1176345338.

    Examples
    --------
    >>> import xarray as xr
    >>> named = {"dims": ("item", "system"), "coords": {"system": ["A", "B"]}}
    >>> scores = xr.DataArray([[1, 0]] * 12 + [[0, 1]] * 6 + [[1, 1]] * 20, **named)
    >>> result = bootstrap(scores, rng=1)
    >>> pair = result.sel(system_a="A", system_b="B")
    >>> [round(pair[name].item(), 1) for name in ("prob_better", "prob_more_wins")]
    [0.9, 0.9]
    """
    question = Question.checked(rope, ci_prob, ci_kind, threshold, of_score=True)
    data, unit = in_rows(data, unit)
    responses = _responses(data, statistic, beta, unit)
    if _range(responses) == (0.0, 1.0):
        checks.rope(rope)
    draws, seed = checks.whole(draws, "draws", least=2), one_seed(rng)
    rests, few = held(data, responses), left_out(responses, _range(responses))
    raw, wide = _joint_draws(responses, few, rests, draws, seed)
    pairs = _pair_answers(raw, wide, few, responses, rests, question)
    answers = pairs | _system_answers(raw, wide, few, responses, question)
    answers |= deciding.no_surer_than_pairs(answers, question)
    if rests.units < 2 or rests.rare:
        # draws of a single unit are all alike, and without a verdict no system is the best
        kinds = ("prob_rank", "prob_best", "expected_rank")
        rank_names = [name for name in answers if name.removesuffix("_mcse") in kinds]
        unknown = {name: np.full_like(answers[name], np.nan) for name in rank_names}
        answers |= unknown | {"in_best_set": np.ones_like(answers["in_best_set"])}
    answers |= deciding.within(answers, *_range(responses))
    top = int(np.argmax(answers["score"] if responses.higher_is_better else -answers["score"]))
    answers["tied_with_top"] = answers["verdict"][top] != "a_better"
    single = [] if few is None else np.array(responses.systems)[few.single].tolist()
    deciding.warn(answers, responses.systems, rests, responses.statistic, single)
    of = {"answer": "pairs", "unit": unit, "seed": seed, "draws": draws} | asdict(question)
    attrs = _provenance(responses, few, **of) | rests.to_attrs()
    return _labelled(answers, set(pairs), responses.systems, attrs)


def _responses(data: xr.DataArray, statistic: Any, beta: float, unit: str) -> Responses:
    if not isinstance(data, xr.DataArray):
        raise ValueError(
            f"data is a {type(data).__name__}; give an xarray.DataArray of scores (item, system) "
            "or tallies (item, system, tally)"
        )
    if callable(statistic):
        return numbers_of(data, statistic, unit)
    if statistic is not None:
        checks.one_of(statistic, names.STATISTICS, "statistic")
    responses = responses_of(data, statistic, beta, unit)
    if responses.gaps:
        k = int((responses.observed == 0).any(0).argmax())
        raise ValueError(
            f"{responses.systems[k]!r} lacks a score; the bootstrap weighs items that all systems "
            "share, so complete it or leave the item out"
        )
    return responses


def drawn(responses: Responses, draws: int, seed: int) -> np.ndarray:
    """Scores (draw, system) under random weights."""
    columns = unit_columns(responses)
    # of many items more at once: a draw by itself reads all the scores for one sum each
    rows = max(1, _NUMBERS // len(columns), min(_ROWS, _MOST // len(columns)))
    sums = monte_carlo.weighted_sums(columns, draws, seed, rows)
    return np.concatenate([scored(responses, part) for part in sums])


def _joint_draws(
    responses: Responses, few: LeftOut | None, rests: Held, draws: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draws (draw, system) under random weights, and as far apart as so few units let them be; of
    units of unequal size the score itself, and draws with the errors of leaving one out.
    """
    if few is None:
        raw = drawn(responses, draws, seed)
        return raw, monte_carlo.widened(raw, rests.units, seed)
    side = 1.0 if responses.higher_is_better else -1.0
    return side * few.score[None], side * few.draws(draws, seed)


def _provenance(responses: Responses, few: LeftOut | None, **also: Any) -> dict[str, Any]:
    """How scores were drawn: by weighing units, or, of few, by leaving each out."""
    return provenance_attrs(
        model="bayesian_bootstrap" if few is None else JACKKNIFE,
        df=None if few is None else few.df,
        statistic=responses.statistic,
        n_items=len(responses.values),
        higher_is_better=responses.higher_is_better,
        **also,
    )


def _linear(responses: Responses) -> bool:
    """Whether the score is a mean of units of equal weight: what it is under random weights, on
    average, is then the score itself.
    """
    observed = responses.observed
    return responses.kind == "sum" and bool((observed == observed[0]).all())


def _right_or_wrong(responses: Responses) -> bool:
    """Whether every unit is one item, with a score of 0 or 1."""
    single = responses.kind == "sum" and bool((responses.observed == 1).all())
    values = responses.values if responses.higher_is_better else -responses.values
    return single and bool(np.isin(values, (0, responses.scale)).all())


def _pair_answers(
    raw: np.ndarray,
    wide: np.ndarray,
    few: LeftOut | None,
    responses: Responses,
    rests: Held,
    question: Question,
) -> dict[str, np.ndarray]:
    """Answers (system_a, system_b, ...), with verdicts."""
    places, wins = pair_indices(len(responses.systems)), unit_wins(responses)
    if few is not None:
        better = responses.higher_is_better
        parts = table.by_pair(few.pairs(), question, higher_is_better=better)
        parts = {k: v for k, v in parts.items() if k not in _ABOUT_UNITS}
        answers = table.squares(parts, len(responses.systems), *places)
        answers |= {f"{name}_mcse": np.zeros_like(v) for name, v in answers.items()}
        return deciding.decided(answers, wins, rests, question, np.abs(raw).max())
    intervals = partial(
        table.intervals_of_draws, question=question, higher_is_better=responses.higher_is_better
    )
    parts = from_draws.joint_pairs(wide[None], intervals)
    # of draws as they were: where few units widen them, a mean of the wider ones would be noise
    parts |= from_draws.joint_pairs(raw[None], partial(from_draws.means, independent=True))
    answers = table.squares(parts, len(responses.systems), *places)
    if _linear(responses):
        score = score_of(responses)
        # exactly; the error that draws of it have stays, as that of the draws its ends are from
        answers["difference_mean"] = np.subtract.outer(score, score)
    answers = deciding.decided(answers, wins, rests, question, np.abs(raw).max())
    return answers | _closed(responses, wins, answers["prob_better"])


def _closed(responses: Responses, wins: np.ndarray, sampled: np.ndarray) -> dict[str, np.ndarray]:
    """For scores of 0 and 1 the closed form, and by how much the bootstrap is surer."""
    if not _right_or_wrong(responses):
        return {}
    closed = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    return {"prob_better_closed": closed, "gap": np.abs(sampled - 0.5) - np.abs(closed - 0.5)}


def _system_answers(
    raw: np.ndarray, wide: np.ndarray, few: LeftOut | None, responses: Responses, question: Question
) -> dict[str, np.ndarray]:
    """Answers (system, ...); no interval where all units have the same score."""
    oriented = wide if responses.higher_is_better else -wide
    answers = from_draws.ranks(oriented[None], independent=True)
    ordered = answers["prob_best"], answers["expected_rank"]
    answers["in_best_set"] = monte_carlo.contenders(oriented, *ordered, question.ci_prob)
    answers["score_mean"] = raw.mean(0)
    if few is None:
        answers["score_mean_mcse"] = from_draws.mean_error(raw[None], independent=True)
        bounds = monte_carlo.interval(wide, question.ci_prob, question.ci_kind)
    else:
        answers["score_mean_mcse"] = np.zeros(raw.shape[1])
        bounds = few.systems().interval(question.ci_prob, question.ci_kind)
        bounds = bounds if responses.higher_is_better else (-bounds[1], -bounds[0])
    has_width = monte_carlo.has_width(*bounds, np.abs(raw).max())
    for name, end in zip(("score_lower", "score_upper"), bounds, strict=True):
        answers[name] = np.where(has_width, end, np.nan)
    return answers | {"score": score_of(responses)}


def _labelled(
    answers: dict[str, np.ndarray], pair_names: set[str], systems: list[str], attrs: dict[str, Any]
) -> xr.Dataset:
    """All answers under their names, in one Dataset."""
    pair, system_dims = (*names.SQUARE, names.REGION), (names.SYSTEM, "rank")
    dims = {name: pair if name in pair_names else system_dims for name in answers}
    parts = {name: (dims[name][: values.ndim], values) for name, values in answers.items()}
    order, places = tuple(systems), tuple(range(1, len(systems) + 1))
    other = {names.REGION: names.REGIONS, names.SYSTEM: order, "rank": places}
    return xr.Dataset(parts, coords=labels(order, *names.SQUARE, **other), attrs=attrs)


def _range(responses: Responses) -> tuple[float, float]:
    """What the score of a population can be."""
    if responses.kind in ("ratio", "macro") or _right_or_wrong(responses):
        return 0.0, 1.0
    return -np.inf, np.inf

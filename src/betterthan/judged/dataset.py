"""Judged counts, from a table: gold over (pair, truth, signal), judged over (pair, signal).

Two other questions use the same data. The prediction-powered mean combines graded scores of a judge
and of people. If no item has a label, the tipping point is how one-sided a judge's error would have
to be to change its verdict.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import label_pairs, to_pairs

if TYPE_CHECKING:
    from typing_extensions import TypeIs


TRUTH, SIGNAL, GOLD, JUDGED = "truth", "signal", "gold", "judged"
UNPARSED = "unparsed"
BESIDE, WITHIN = " / ", " | "  # answers of several columns, and strata, in the label of a signal
MOST_SIGNALS = 12
_SKEWED = 10  # labels from which on their skewness is more than a guess
_TURN = {"win": 1, "loss": -1, "tie": 0}


def is_judged(data: Any) -> "TypeIs[xr.Dataset]":
    """Whether these are judged counts."""
    return isinstance(data, xr.Dataset) and {GOLD, JUDGED} <= set(data.data_vars)


def judged_counts(data: Any) -> xr.Dataset:
    """Return `data` when they are judged counts with gold items, (pair, truth, signal).

    Raises
    ------
    ValueError
        If they are not, gold items are not among the judged, there are none, there are too many
        signals, or the judge has one answer only.
    """
    dataset = _arranged(data)
    gold, judged = dataset[GOLD].values, dataset[JUDGED].values
    for name, values in ((GOLD, gold), (JUDGED, judged)):
        checks.nonnegative_integers(values, f"counts of {name} items")
    beyond = np.argwhere(gold.sum(1) > judged)
    if len(beyond):
        k, y = beyond[0]
        pair, signal = dataset[names.PAIR].values[k], dataset[SIGNAL].values[y]
        raise ValueError(
            f"{pair}, signal {str(signal)!r}: {gold[k, :, y].sum():,} gold items, but "
            f"{judged[k, y]:,} judged; judged counts hold the gold items too"
        )
    _refuse_signals(dataset, judged)
    if not gold.any():
        raise ValueError(
            "no item has a label by people, so nothing tells how the judge errs; label a random "
            "part of the items, or see betterthan.judged.tipping for how large a one-sided error "
            "would turn the judge's answer"
        )
    return dataset


def _arranged(data: Any) -> xr.Dataset:
    if not is_judged(data) or not {names.PAIR, TRUTH, SIGNAL} <= set(data.dims):
        raise ValueError(
            f"expected judged counts, got {type(data).__name__}; see betterthan.judged.count and "
            "betterthan.judged.from_table"
        )
    if tuple(map(str, data[TRUTH].values)) != names.OUTCOMES:
        raise ValueError("the truth of judged counts is win, loss, tie, in this order")
    arranged = data[[GOLD, JUDGED]].transpose(names.PAIR, TRUTH, SIGNAL)
    if not set(names.SQUARE) <= set(arranged.coords):
        raise ValueError("judged counts need coordinates system_a and system_b on the dim pair")
    return arranged


def _refuse_signals(dataset: xr.Dataset, judged: np.ndarray) -> None:
    number = dataset.sizes[SIGNAL]
    if number > MOST_SIGNALS:
        raise ValueError(
            f"the judge gives {number} signals, answers by strata; give at most {MOST_SIGNALS}: "
            "fewer strata or columns, or numbers cut into bins"
        )
    observed = dataset[SIGNAL].values[judged.sum(0) > 0]
    if len(observed) < 2:
        answers = f"only {str(observed[0])!r}" if len(observed) else "nothing"
        raise ValueError(
            f"the judge answers {answers}, which says nothing of any item; compare the labels by "
            "people alone"
        )


def dataset_of(
    gold: np.ndarray, judged: np.ndarray, pairs: Sequence[tuple[str, str]], signals: Sequence[str]
) -> xr.Dataset:
    """The Dataset of counts, gold (pair, truth, signal) and judged (pair, signal)."""
    sides = label_pairs([a for a, _ in pairs], [b for _, b in pairs])
    data: dict[str, Any] = {GOLD: ((names.PAIR, TRUTH, SIGNAL), gold.astype(np.int64))}
    data[JUDGED] = ((names.PAIR, SIGNAL), judged.astype(np.int64))
    return xr.Dataset(data, sides | {TRUTH: list(names.OUTCOMES), SIGNAL: list(signals)})


def signal_value(signal: str) -> float:
    """What the judge says by a signal: 1, 0 or -1; answers that differ are a tie; nan where it says
    none.

    Examples
    --------
    >>> [signal_value(s) for s in ("win", "win / loss", "loss / tie | long", "unparsed")]
    [1.0, 0.0, -1.0, nan]
    """
    turns = [_TURN.get(answer) for answer in signal.partition(WITHIN)[0].split(BESIDE)]
    if None in turns:
        return float("nan")
    return float(np.sign(sum(turn for turn in turns if turn is not None)))


def judge_alone(data: xr.Dataset) -> np.ndarray | None:
    """(pair, outcome): what the judge says of all items, without those it says nothing of; None
    where the signals are not named win, loss and tie.
    """
    signs = np.array([signal_value(str(s)) for s in data[SIGNAL].values])
    if np.isnan(signs).all():
        return None
    judged = data[JUDGED].transpose(names.PAIR, SIGNAL).values
    return np.stack([judged[:, signs == turn].sum(1) for turn in (1, -1, 0)], axis=1)


def fingerprint_of(data: xr.Dataset) -> str:
    """A short fingerprint of the counts and the names of pairs and signals."""
    digest = hashlib.sha256()
    for name in (GOLD, JUDGED):
        digest.update(np.ascontiguousarray(data[name].values.astype(np.int64)).tobytes())
    for name in (*names.SQUARE, SIGNAL):
        digest.update("\n".join(map(str, data[name].values)).encode())
    return digest.hexdigest()[:12]


def from_table(
    table: Mapping[tuple[str, str], tuple[Any, Any]],
    *,
    signals: Sequence[str] | None = None,
    labels_by: str = "people",
) -> xr.Dataset:
    """Convert printed numbers of human labels and judge output to judged counts.

    Parameters
    ----------
    table : mapping of (system_a, system_b) to (gold, judged)
        Numbers for each pair. gold: three rows (the truth is a win, a loss, a tie of the first
        system) by one column for each signal of the judge. judged: number of items with each
        signal, including the gold items.
    signals : sequence of str, optional
        Names of the judge outputs, such as ``["win", "loss", "tie", "unparsed"]``; several outputs
        as ``"win / loss"``, strata after ``" | "``. Default for three: win, loss, and tie.
    labels_by : str, default "people"
        Source of the labels that are taken as the truth.

    Returns
    -------
    xarray.Dataset
        ``gold`` (pair, truth, signal) and ``judged`` (pair, signal), int64.

    Raises
    ------
    ValueError
        If a number is negative or fractional, a pair occurs twice, gold items are not among the
        judged ones, no item is gold, there are more than 12 signals, or the judge has only one
        output.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.judged.from_table(
    ...     {("A", "B"): ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))}
    ... )
    >>> float(bt.prob_better(counts).round(6).item())
    0.947146
    """
    if not isinstance(table, Mapping) or not table:
        raise ValueError(
            "table must be a mapping of (system_a, system_b) to (gold, judged), with one pair or "
            "more"
        )
    pairs = [_pair(pair) for pair in table]
    checks.unique([tuple(sorted(pair)) for pair in pairs], "pair")
    entries = zip(pairs, table.values(), strict=True)
    cells = [_cells(f"({a!r}, {b!r})", entry) for (a, b), entry in entries]
    width = {len(judged) for _, judged in cells}
    if len(width) > 1:
        raise ValueError(
            f"pairs have {' and '.join(map(str, sorted(width)))} signals; give each pair the same, "
            "with 0 where a signal did not occur"
        )
    gold, judged = (np.stack(parts) for parts in zip(*cells, strict=True))
    counts = dataset_of(gold, judged, pairs, _signals(signals, gold.shape[2]))
    return judged_counts(counts.assign_attrs(unit=names.ITEM, labels_by=labels_by))


def _pair(pair: Any) -> tuple[str, str]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        text = checks.quoted(pair)
        raise ValueError(f"{text} is not a pair of systems; give (system_a, system_b) in table")
    a, b = map(str, pair)
    checks.not_against_itself(a, b, f"({a!r}, {b!r})")
    return a, b


def _cells(where: str, entry: Any) -> tuple[np.ndarray, np.ndarray]:
    """Gold (truth, signal) and judged (signal) of one pair."""
    try:
        gold, judged = (np.asarray(part) for part in entry)
    except (TypeError, ValueError):
        rows = "3 rows of signals, and one row"
        raise ValueError(f"{where} must be (gold, judged): {rows}") from None
    if gold.ndim != 2 or judged.ndim != 1 or gold.shape != (3, judged.size):
        raise ValueError(
            f"{where} has gold {gold.shape} and judged {judged.shape}; give gold as 3 rows (win, "
            "loss, tie) of as many signals as judged has"
        )
    checked = [checks.nonnegative_integers(part, f"counts of {where}") for part in (gold, judged)]
    return checked[0], checked[1]


def _signals(signals: Sequence[str] | None, number: int) -> list[str]:
    if signals is None:
        return list(names.OUTCOMES) if number == 3 else [f"signal {k + 1}" for k in range(number)]
    named = list(checks.labels(signals, "signals"))
    checks.unique(named, "signal")
    if len(named) != number:
        raise ValueError(f"there are {len(named)} names of signals, and {number} signals")
    return named


def prediction_powered(judge: Any, human: Any, *, ci_prob: float = names.CI_PROB) -> xr.Dataset:
    """Estimate the mean of human scores with the help of a judge's scores (PPI).

    The estimate is mean(human) + weight (mean of judge on the other items - mean of judge on the
    labeled items). The weight minimizes the variance, for many labels: the covariance with the
    human scores is of the labeled items, and the variance of the judge of all items.

    Parameters
    ----------
    judge : array_like of float, (item,)
        Judge's score of each item, or its score of A minus that of B.
    human : array_like of float, (item,)
        The same by people; NaN if there is none. Labeled items must be a random sample.
    ci_prob : float, default 0.95
        Level of the confidence interval.

    Returns
    -------
    xarray.Dataset
        - ``mean``, ``se``: estimate and its standard error for many labels
        - ``lower``, ``upper``: interval, wider than that of ``se``, as the weight is estimated:
          Student's t with the number of labels minus two as degrees of freedom
        - ``weight``: weight of the judge
        - ``human_mean``: mean of the human scores only
        - ``n_gold``, ``n``: labeled items, and all items

    Raises
    ------
    ValueError
        If the lengths differ, a score of the judge is missing or one of people infinite, there are
        fewer than three labels or no item without one, or the judge or people score all labeled
        items the same.

    Warns
    -----
    UserWarning
        If the labeled items are few for errors as skewed as these, as of scores that are mostly the
        highest one: intervals then hold less often than they say.

    References
    ----------
    A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023), PPI++: Efficient prediction-powered
    inference, arXiv:2311.01453.

    Examples
    --------
    >>> import numpy as np
    >>> human = np.array([0.2, 0.5, -0.1, 0.4, np.nan, np.nan, np.nan])
    >>> judge = np.array([0.3, 0.6, 0.1, 0.4, 0.5, 0.2, 0.4])
    >>> result = prediction_powered(judge, human)
    >>> round(result["mean"].item(), 3), round(result["human_mean"].item(), 3)
    (0.263, 0.25)
    """
    from scipy import special

    from betterthan.exact.joint.student import too_skewed

    checks.probability(ci_prob, "ci_prob")
    judge_scores, truth = _scores(judge, human)
    gold = ~np.isnan(truth)
    mean, se, few_se, weight = _powered(truth[gold], judge_scores[gold], judge_scores[~gold])
    m = int(gold.sum())
    off = truth[gold] - weight * judge_scores[gold]
    skewness = np.atleast_1d(_skewness(off - off.mean()))
    if m >= _SKEWED and too_skewed(skewness, np.array([m]), np.array([m]))[0]:
        checks.warn(
            f"{m} labels are few for errors of the judge as skewed as these: intervals of "
            f"{100 * ci_prob:g}% then hold less often; label more items"
        )
    half = special.stdtrit(m - 2, (1 + ci_prob) / 2) * few_se
    estimates = {"mean": mean, "se": se, "lower": mean - half, "upper": mean + half}
    estimates |= {"weight": weight, "human_mean": truth[gold].mean()}
    estimates |= {"n_gold": m, "n": judge_scores.size}
    return xr.Dataset(estimates, attrs={"ci_prob": ci_prob})


def _skewness(off: np.ndarray) -> float:
    spread = (off**2).mean()
    return float((off**3).mean() / spread**1.5) if spread else 0.0


def _powered(y: np.ndarray, f: np.ndarray, f_unlabelled: np.ndarray) -> tuple[float, ...]:
    """Mean, its standard error, that of few labels, and the weight: people's and the judge's scores
    of labelled items, and the judge's of the others.

    Few labels also estimate the weight, a slope as of a regression: it costs a degree of freedom,
    and the more, the further the judge's means of both kinds of items are from each other.
    """
    m, more = y.size, f_unlabelled.size
    spread = np.var(np.concatenate([f, f_unlabelled]), ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + m / more) * spread)
    shift = f_unlabelled.mean() - f.mean()
    residual = np.var(y - weight * f, ddof=1) / m
    of_judge = weight**2 * np.var(f_unlabelled) / more
    few = (m - 1) / (m - 2) * residual * (1 + shift**2 / spread)
    errors = np.sqrt([residual + of_judge, few + of_judge])
    return float(y.mean() + weight * shift), *errors.tolist(), float(weight)


def _numbers(values: Any, argument: str) -> np.ndarray:
    numbers = checks.reals(values, argument, "one score an item")
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1:
        raise ValueError(f"{argument} has shape {numbers.shape}; give one score an item")
    return numbers


def _scores(judge: Any, human: Any) -> tuple[np.ndarray, np.ndarray]:
    judge_scores, truth = _numbers(judge, "judge"), _numbers(human, "human")
    checks.same_items({"judge": judge, "human": human}, "items")
    if judge_scores.size != truth.size:
        raise ValueError(
            f"judge has {judge_scores.size} scores and human {truth.size}; give both for each "
            "item, nan where people gave none"
        )
    if not np.isfinite(judge_scores).all():
        k = int((~np.isfinite(judge_scores)).argmax())
        score = f"score {k + 1} is {judge_scores[k]:g}"
        raise ValueError(f"judge: {score}; the judge scores every item")
    gold = ~np.isnan(truth)
    if np.isinf(truth).any():
        k = int(np.isinf(truth).argmax())
        raise ValueError(f"human: score {k + 1} is {truth[k]:g}; give a number, or nan for none")
    if gold.sum() < 3 or gold.all():
        raise ValueError(
            f"human: {int(gold.sum())} of {truth.size} items have a score by people; give three or "
            "more, and items without one"
        )
    if np.ptp(judge_scores[gold]) == 0:
        raise ValueError("judge: it scores all labelled items the same, which says nothing")
    if np.ptp(truth[gold]) == 0:
        raise ValueError(
            f"human: all {gold.sum()} scores are {truth[gold][0]:g}, which does not show how "
            "scores vary; label more items"
        )
    return judge_scores, truth


def tipping(
    counts: xr.DataArray | xr.Dataset, *, prior: Any = None, threshold: float = names.VERDICT_PROB
) -> xr.Dataset:
    """Compute how one-sided the judge's errors must be to overturn its verdict.

    An error that is the same for both systems shrinks the difference d = P(win) - P(loss) that the
    judge sees by an unknown factor, but cannot change its sign. "A better" then still holds
    (without a ROPE; a ROPE for the judge's d is not one for d). Only an error that favors one side
    can overturn it: a preference for its own family, for longer answers, or for the one shown
    first.

    Parameters
    ----------
    counts : xarray.DataArray or xarray.Dataset
        Judge output: counts over (system_a, system_b, outcome) or (pair, outcome), with ties; or
        judged counts, whose human labels are ignored.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie. Default: all ones.
    threshold : float in (0.5, 1), default 0.95
        Posterior probability needed for a verdict.

    Returns
    -------
    xarray.Dataset, dims (pair,)
        - ``judge_prob_better``, ``judge_difference``, ``judge_verdict``: of the judge output, as if
          it were the truth
        - ``tipping``: bias towards the better system, in P(win) - P(loss), from which the verdict
          no longer holds; 0 if there is no verdict

    Raises
    ------
    ValueError
        If the counts are not valid, ties are unknown, or the signals do not contain the judge's
        answer.

    Examples
    --------
    >>> import betterthan as bt
    >>> result = bt.judged.tipping(bt.counts.from_table({("A", "B"): (210, 120, 170)}))
    >>> result["judge_verdict"].item(), round(result["tipping"].item(), 3)
    ('a_better', 0.121)
    """
    from betterthan.exact.wins import dirichlet, intervals  # load scipy

    pairs = _judge_counts(counts)
    level = checks.threshold(threshold)
    a, b, t = (pairs.values + np.array(checks.prior(prior))).T
    low = intervals.quantile(a, b, t, 1 - level)
    high = intervals.quantile(b, a, t, 1 - level)  # of -d
    estimates = {
        "judge_prob_better": dirichlet.prob_above(a, b, t, 0.0),
        "judge_difference": dirichlet.mean_difference(a, b, t),
        "judge_verdict": np.select([low > 0, high > 0], ["a_better", "b_better"], "undecided"),
        "tipping": np.maximum(np.maximum(low, high), 0.0),
    }
    coords = {k: pairs[k] for k in (names.PAIR, *names.SQUARE)}
    data = {name: (names.PAIR, values) for name, values in estimates.items()}
    return xr.Dataset(data, coords, {"threshold": level, "prior": list(checks.prior(prior))})


def _judge_counts(counts: Any) -> xr.DataArray:
    """Return the judge's counts (pair, outcome)."""
    if is_judged(counts):
        judge_counts = judge_alone(counts)
        if judge_counts is None:
            raise ValueError(
                "the signals do not say what the judge answers; name them win, loss and tie "
                f"(found {', '.join(map(str, counts[SIGNAL].values))})"
            )
        coords = {k: counts[k] for k in (names.PAIR, *names.SQUARE)}
        outcome = {names.OUTCOME: list(names.OUTCOMES)}
        return xr.DataArray(judge_counts, coords | outcome, (names.PAIR, names.OUTCOME))
    counts_checked = schemas.counts(counts)
    if counts_checked.sizes[names.OUTCOME] != 3:
        raise ValueError("ties are unknown; the judge's d = P(win) - P(loss) needs them")
    if names.SYSTEM_A in counts_checked.dims:
        counts_checked = to_pairs(counts_checked)
    return counts_checked.transpose(names.PAIR, names.OUTCOME)

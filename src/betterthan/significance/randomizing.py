"""Approximate and exact randomization: would swapping two systems' responses give as large a
difference?
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.blocks.lazy import Blocks, blocks_of, folded, in_blocks
from betterthan.counts.in_blocks import rule_of
from betterthan.counts.responses import Responses, responses_of, score_of
from betterthan.counts.shapes import labels, pair_indices, square_from_pairs
from betterthan.counts.units import in_rows
from betterthan.exact.blocks import Counted, Sums, both_added, counted_and_swapped
from betterthan.exact.numeric.monte_carlo import one_seed
from betterthan.exact.swaps import randomization
from betterthan.exact.wins.sign import sign_p
from betterthan.signed import provenance_attrs
from betterthan.significance import nulls
from betterthan.significance.corrections import adjusted_square

_ROUNDING = 1e-12  # of the sizes of all scores: sums closer than that are equal
_HELD = 2**22  # sums of pairs at once
_MOST = 2**28  # bytes of the sums of one block
_LOWER = {"higher_is_better": 0}  # recorded where a lower score is better


@dataclass(frozen=True)
class _Options:
    """Choices of a randomization test, checked."""

    alternative: str
    method: str
    correction: str
    cutoff: float
    shuffles: int
    unit: str
    stop_after: int | None

    @property
    def joint(self) -> str | None:
        """The correction, if it takes the joint swaps."""
        return self.correction if self.correction in names.JOINT_CORRECTIONS else None

    @property
    def tails(self) -> list[int]:
        """The tails of the null distribution that answer."""
        return [nulls.TWO_SIDED] if self.alternative == "two-sided" else [nulls.GREATER, nulls.LESS]


def randomization_test(
    data: xr.DataArray | Responses,
    *,
    statistic: str | Callable[[np.ndarray], Any] | None = None,
    beta: float = 1.0,
    alternative: str = "two-sided",
    unit: str | None = None,
    method: str = "auto",
    shuffles: int = names.SHUFFLES,
    stop_after: int | None = None,
    correction: str = names.CORRECTION,
    cutoff: float = names.CUTOFF,
    rng: Any = None,
) -> xr.Dataset:
    """Test every pair of systems with approximate randomization, a paired permutation test.

    If two systems were equal, their responses to an item could change places. The p-value is the
    proportion of all 2**n permutations whose difference is at least as large as the observed one.
    It is exact where this proportion can be computed, and otherwise estimated from random
    permutations.

    Parameters
    ----------
    data : xarray.DataArray
        Scores (item, system), or, without missing values, in blocks of items that dask holds; or
        TP/FP/FN counts (item, system, tally) with an optional dim label.
    statistic : str or callable, optional
        Statistic to compare. For scores: "mean" (default) or "accuracy" (scores of 0 and 1). For
        TP/FP/FN counts: "f1" (default), "precision", "recall", or "f_beta", all micro-averaged, or
        "macro_f1" over labels; 0 / 0 is 0. A function maps the responses of one system, (batch,
        item) for scores and (batch, item, ..., tally) for TP/FP/FN counts, to one number per batch.
        Lower numbers are better where ``attrs["higher_is_better"]`` of the data is False.
    beta : float, default 1
        For "f_beta": weight of recall relative to precision.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Direction of the test. ``greater``: the system of the row is better.
    unit : str, optional
        Item coordinate: items with the same value, such as those of one document, are swapped
        together. Default: ``cluster`` if items come in clusters, else the item, by the mean of its
        runs (``epoch``). "item" treats every row as an independent item.
    method : {"auto", "exact", "monte_carlo"}, default "auto"
        How to compute p. ``auto`` is exact if the null distributions have at most
        `names.LATTICE_CELLS_MAX` cells and take at most `names.LATTICE_WORK_MAX` additions, or
        there are at most `names.ENUMERATION_MAX` items.
    shuffles : int, default 10,000
        Number of random permutations, the same ones for all pairs.
    stop_after : int, optional
        Number of exceedances after which to stop sampling a pair (Besag and Clifford); the p-value
        stays valid.
    correction : {"none", "holm", "bh", "max_t", "tukey"}, default "holm"
        Correction for the number of pairs; it adds ``p_adjusted``. ``holm`` and ``bh`` use only the
        p-values. ``max_t`` (Westfall and Young, step-down) uses joint permutations; it is
        approximate, because one permutation exchanges two systems and leaves a third as it is.
        ``tukey`` permutes all systems within each item; it is exact when no two systems differ, and
        approximate when some do. Both sample, also where p is exact.
    cutoff : float, default 0.01
        Significance level of ``confidence`` and of ``critical_difference``.
    rng : int, numpy.random.Generator or None
        Seed, which the result records.

    Returns
    -------
    xarray.Dataset
        Over (system_a, system_b):

        - ``p_value``, and ``p_adjusted`` after the correction
        - ``difference`` of the statistic, A - B
        - ``n``, ``n_differ``: swapped units of both systems, and those on which they differ
        - ``smallest_p``: attainable with these units
        - if sampled: ``p_value_mcse``, ``exceedances``, ``shuffles``, ``confidence`` (probability
          that the true p is at or below the cutoff), and ``more_shuffles`` (permutations needed to
          know the side of the cutoff with probability 0.99)

        Over system: ``score``. ``attrs["higher_is_better"]`` is 0 if lower scores are better; other
        ``attrs`` record the chosen method and the reason.

        "tukey" adds ``critical_difference`` with ``critical_difference_mcse``: scores that are
        further apart on these items differ significantly (``p_adjusted`` at or below the cutoff).

    Raises
    ------
    ValueError
        If the data are neither scores nor tallies, or lack a response.
        If an argument is not one of its choices, or does not go with the data or with another
        argument. If ``method="exact"`` and the null distribution is too large.

    References
    ----------
    E. W. Noreen (1989), Computer-Intensive Methods for Testing Hypotheses, Wiley. N. Chinchor, L.
    Hirschman and D. Lewis (1993), Evaluating Message Understanding Systems, Computational
    Linguistics 19(3), 409-449.

    Examples
    --------
    >>> import xarray as xr
    >>> scores = xr.DataArray(
    ...     [[1, 0], [1, 0], [1, 0], [1, 1], [1, 0], [1, 0]],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B"]},
    ... )
    >>> test = randomization_test(scores)
    >>> test["p_value"].sel(system_a="A", system_b="B").item(), test.attrs["method"]
    (0.0625, 'binomial')
    """
    data, unit = in_rows(data, unit)
    options = _Options(
        checks.one_of(alternative, names.ALTERNATIVES, "alternative"),
        checks.one_of(method, names.RANDOMIZATIONS, "method"),
        checks.one_of(correction, names.CORRECTIONS + names.JOINT_CORRECTIONS, "correction"),
        checks.probability(cutoff, "cutoff"),
        checks.whole(shuffles, "shuffles"),
        unit,
        stop_after,
    )
    if in_blocks(data):
        return _randomize_blocks(data, statistic, options, one_seed(rng))
    responses = data
    if not isinstance(responses, Responses):
        responses = responses_of(responses, statistic, beta, options.unit)
    _agree(responses, options)
    how, why = nulls.plan(responses, method)
    if stop_after is not None and how != "monte_carlo":
        raise ValueError(
            f"stop_after={stop_after} is for sampling, and the exact p is at hand; leave it out"
        )
    drawn = None
    if how == "monte_carlo" or options.joint:
        drawn = nulls.Drawn(
            options.shuffles, one_seed(rng), stop_after, options.joint, options.cutoff
        )
    tails, score = _tails(responses, how, options, drawn), score_of(responses)
    result = _assembled(
        responses.systems, score, difference_of(responses, score), _units(responses), tails, options
    )
    attrs = _record(responses.statistic, len(responses.values), how, why, drawn, options)
    result.attrs = attrs if responses.higher_is_better else attrs | _LOWER
    return result


def _record(
    statistic: str, items: int, how: str, why: str, drawn: nulls.Drawn | None, options: _Options
) -> dict[str, Any]:
    """Provenance of the p-values."""
    signed = provenance_attrs(
        statistic=statistic,
        n_items=items,
        method=how,
        seed=drawn.seed if drawn else None,
        shuffles=drawn.shuffles if drawn else None,
        correction=options.correction,
    )
    description = {"test": "randomization", "reason": why, "sampled": int(how == "monte_carlo")}
    if drawn and drawn.stop_after:
        description["stop_after"] = drawn.stop_after
    choices = {k: getattr(options, k) for k in ("alternative", "unit", "cutoff")}
    return signed | description | choices


def _agree(responses: Responses, options: _Options) -> None:
    """Refuse choices that do not go together."""
    joint, alternative = options.joint, options.alternative
    if options.stop_after is not None:
        checks.whole(options.stop_after, "stop_after")
    if joint and alternative != "two-sided":
        raise ValueError(
            f"correction={joint!r} is two-sided; use holm with alternative={alternative!r}"
        )
    if joint and options.stop_after is not None:
        raise ValueError(f"correction={joint!r} needs every shuffle; leave stop_after out")
    if joint == "tukey" and (responses.gaps or responses.kind == "custom"):
        requirement = "a statistic of this package"
        if responses.gaps:
            requirement = "a score of every system for every item"
        raise ValueError(f"correction='tukey' needs {requirement}; use max_t or holm")


def _tails(
    responses: Responses, how: str, options: _Options, drawn: nulls.Drawn | None
) -> nulls.Tails:
    sampled = nulls.sampled_tails(responses, options.tails, drawn) if drawn else None
    if sampled and how == "monte_carlo":
        return sampled
    exact = nulls.exact_tails(responses, how)
    joint = {k: getattr(sampled, k) for k in ("adjusted", "critical")} if sampled else {}
    return nulls.Tails(exact.p[options.tails], **joint)


def _assembled(
    systems: list[str],
    score: np.ndarray,
    difference: np.ndarray,
    units: tuple[np.ndarray, np.ndarray],
    tails: nulls.Tails,
    options: _Options,
) -> xr.Dataset:
    """The table of p-values, of so many units that both have and that differ."""
    n, differ = units
    sided = partial(_sided, alternative=options.alternative)
    least = 0.5**differ * (2.0 if options.alternative == "two-sided" else 1.0)
    if tails.shuffles is not None:
        least = np.maximum(least, 1 / (sided(tails.shuffles, diagonal=1) + 1))
    table: dict[str, Any] = {
        "p_value": sided(tails.p, diagonal=1.0),
        "difference": difference,
        "n": n,
        "n_differ": differ,
        "smallest_p": np.minimum(least, 1.0),
    }
    if tails.exceedances is not None and tails.shuffles is not None:
        b, shuffles, cutoff = tails.exceedances, tails.shuffles, options.cutoff
        more = randomization.more_shuffles(b, shuffles, cutoff, names.CONFIDENCE)
        below = randomization.confidence_below(b, shuffles, cutoff)
        table |= {
            "p_value_mcse": sided(randomization.monte_carlo_error(b, shuffles), diagonal=0.0),
            "exceedances": sided(b, diagonal=0),
            "shuffles": sided(shuffles, diagonal=0),
            "confidence": sided(below, diagonal=0.0),
            "more_shuffles": sided(more, diagonal=0.0),
        }
    table["score"] = score
    if tails.adjusted is not None:
        table["p_adjusted"] = square_from_pairs(tails.adjusted, tails.adjusted, 1.0)
        attrs = {}
    else:
        adjusted = adjusted_square(table["p_value"], options.correction)
        table["p_adjusted"], attrs = adjusted.values, adjusted.attrs
    result = _blank(tuple(systems), tuple(table)).copy(data=table)
    result.variables["p_adjusted"].attrs.update(attrs)
    if tails.critical is not None:
        value, error = tails.critical
        result = result.assign(critical_difference=value, critical_difference_mcse=error)
    return result


@lru_cache(maxsize=8)
def _blank(systems: tuple[str, ...], answers: tuple[str, ...]) -> xr.Dataset:
    """An empty table that takes no memory; cached, as making it takes as long as two thousand
    shuffles. Filling it in makes a copy.
    """
    dims = {name: names.SQUARE if name != "score" else (names.SYSTEM,) for name in answers}
    size = len(systems)
    empty = {name: (d, np.broadcast_to(np.nan, (size,) * len(d))) for name, d in dims.items()}
    return xr.Dataset(empty, coords=labels(systems, *names.SQUARE, names.SYSTEM))


def _sided(values: np.ndarray, alternative: str, diagonal: float) -> np.ndarray:
    """A square from (tail, pair): one tail above the diagonal, its mirror below."""
    if alternative == "two-sided":
        return square_from_pairs(values[0], values[0], diagonal)
    greater, less = values if alternative == "greater" else values[::-1]
    return square_from_pairs(greater, less, diagonal)


def _units(responses: Responses) -> tuple[np.ndarray, np.ndarray]:
    """How many units each pair shares, and in how many of them its responses differ; one system at
    a time.
    """
    items, systems = responses.observed.shape
    values, present = responses.values.reshape(items, systems, -1), responses.observed > 0
    n = np.full((systems, systems), items)
    differ = np.zeros_like(n)
    for k in range(systems):
        different = values[:, k + 1 :] != values[:, k : k + 1]
        different = different.any(-1) if values.shape[2] > 1 else different[..., 0]
        if responses.gaps:
            shared = present[:, k:] & present[:, k : k + 1]
            n[k, k:] = n[k:, k] = np.count_nonzero(shared, axis=0)
            different &= shared[:, 1:]
        differ[k, k + 1 :] = differ[k + 1 :, k] = np.count_nonzero(different, axis=0)
    return n, differ


def difference_of(responses: Responses, score: np.ndarray) -> np.ndarray:
    """Differences A - B of these scores (system,), (system_a, system_b)."""
    if not responses.gaps:
        return score[:, None] - score[None, :]
    # over the items both have, which the scores of the two systems are not
    present = (responses.observed > 0).astype(float)
    sums = responses.values.T @ present
    with np.errstate(invalid="ignore"):
        difference = (sums - sums.T) / (present.T @ present) / responses.scale
    return difference if responses.higher_is_better else -difference


def _randomize_blocks(
    data: xr.DataArray, statistic: Any, options: _Options, seed: int
) -> xr.Dataset:
    """The test of scores that come in blocks of items: swaps by the item's number, the same ones
    however blocks are cut; they are others than of the same scores in memory.
    """
    blocks = blocks_of(data)
    _refuse_in_blocks(blocks, statistic, options)
    counted = _read(blocks, options, seed)
    graded, tables = counted.tables.graded, counted.tables
    if graded and options.method == "exact":
        raise ValueError(
            "method='exact' is not possible in blocks of graded scores; use method='monte_carlo'"
        )
    binomial = not graded and options.method != "monte_carlo"
    sign, tails = 1 if blocks.higher_is_better else -1, options.tails
    if binomial or counted.sums is None:
        first, second = pair_indices(len(tables.wins))
        wins, losses = (tables.wins, tables.wins.T)[::sign]
        sides = [names.ALTERNATIVES[tail] for tail in tails]
        # swaps of items on which two systems differ are binomial
        p = [sign_p(wins[first, second], losses[first, second], side) for side in sides]
        answers = nulls.Tails(np.stack(p))
    else:
        exceedances = _exceedances(counted.sums, sign)[tails]
        done = np.full(exceedances.shape, options.shuffles)
        p = randomization.monte_carlo_p(exceedances, done)
        answers = nulls.Tails(p, exceedances, done)
    score = np.diag(tables.sums) / blocks.items
    units = tables.shared, tables.wins + tables.wins.T
    difference = score[:, None] - score
    result = _assembled(list(blocks.systems), score, difference, units, answers, options)
    how, why = "monte_carlo", "scores are in blocks"
    if binomial:
        how, why = "binomial", "every swap counts"
    drawn = None if binomial else nulls.Drawn(options.shuffles, seed)
    attrs = _record(statistic or "mean", blocks.items, how, why, drawn, options)
    result.attrs = attrs if blocks.higher_is_better else attrs | _LOWER
    return result


def _refuse_in_blocks(blocks: Blocks, statistic: Any, options: _Options) -> None:
    """Refuse what needs all scores at once."""
    choices = ("mean", "accuracy")
    if callable(statistic) or (statistic or "mean") not in choices:
        raise ValueError(
            f"statistic is {checks.quoted(statistic)}; of scores in blocks choose one of "
            f"{', '.join(choices)}"
        )
    for name, only in (("unit", names.ITEM), ("stop_after", None)):
        if getattr(options, name) != only:
            raise ValueError(
                f"{name}={getattr(options, name)!r} needs scores in memory, not in blocks"
            )
    checks.one_of(options.correction, names.CORRECTIONS, "correction of scores in blocks,")
    if options.shuffles * (len(blocks.systems) + 1) * 8 > _MOST:
        raise ValueError(
            f"{options.shuffles:,} shuffles of {len(blocks.systems):,} systems are more than a "
            f"block may hold; give at most {_MOST // 8 // (len(blocks.systems) + 1):,} shuffles"
        )


def _read(blocks: Blocks, options: _Options, seed: int) -> Counted:
    """One reading; a second where some blocks hold 0 and 1 alone, and others do not."""
    rule, always = rule_of(blocks, "error"), options.method == "monte_carlo"
    see = partial(counted_and_swapped, rule=rule, draws=options.shuffles, seed=seed)
    counted = folded(blocks, partial(see, always=always), both_added)
    if counted.tables.graded and counted.sums is None:
        return folded(blocks, partial(see, always=True), both_added)
    return counted


def _exceedances(sums: Sums, sign: int) -> np.ndarray:
    """In how many of the same swaps each pair reaches its difference: (tail, pair)."""
    moved, totals = sign * sums.sums[:, :-1], sign * sums.totals[:-1]
    first, second = pair_indices(len(totals))
    step = max(1, _HELD // len(moved))
    parts: list[np.ndarray] = []
    for start in range(0, len(first), step):
        a, b = first[start : start + step], second[start : start + step]
        observed = totals[a] - totals[b]
        swapped = observed - 2 * (moved[:, a] - moved[:, b])
        slack = _ROUNDING * (sums.sizes[a] + sums.sizes[b])
        two = np.abs(swapped) >= np.abs(observed) - slack
        sides = two, swapped >= observed - slack, swapped <= observed + slack
        parts.append(np.stack([side.sum(0) for side in sides]))
    return np.concatenate(parts, axis=1)

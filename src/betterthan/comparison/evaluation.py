"""The data of a comparison: loaded, counted once, summed on the units of evidence, and how far
wins, losses and ties may be trusted: what depends on each other, and what is missing.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import blocks_of
from betterthan.comparison.data import (
    LoadedData,
    Quantity,
    UnitTotals,
    oriented_scores,
    quantity_of,
    recognise,
    unit_totals,
    wins_of_counts,
    wins_of_items,
)
from betterthan.comparison.options import Options
from betterthan.counts.counting import (
    apply_missing,
    counts_and_used,
    gaps_in,
    item_outcomes,
    with_gaps_filled,
)
from betterthan.counts.judgments import count_judgments, few_judges
from betterthan.counts.responses import tally_scores
from betterthan.counts.runs import BINARY_RUNS, TRIALS, Reliability, columns_of_runs, successes_of
from betterthan.counts.shapes import Arrays, Table, fingerprint, systems_of, to_pairs, to_square
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import (
    CLUSTER,
    EPOCH,
    LACKING,
    ids_of,
    item_ids,
    runs_together,
    several,
    unit_of,
    unlabelled,
)
from betterthan.exact.joint.units import once, pair_sums
from betterthan.exact.runs import shares_of
from betterthan.exact.wins import intervals
from betterthan.exact.wins.clusters import design_effect, design_effect_of_sums
from betterthan.io.texts import text_array
from betterthan.posterior.bounds import score_limits
from betterthan.results import numbers
from betterthan.significance.signs import OnClusters, Sums

if TYPE_CHECKING:
    from betterthan.comparison.advice import Advice
    from betterthan.comparison.blocks import BlockTotals


@dataclass(frozen=True, kw_only=True)
class Evaluation(LoadedData):
    """Systems evaluated on the same items, in five stages: ``observed`` scores; ``scores`` under
    the policy for missing ones; ``item_scores``, of which each item stands once; ``raw_counts`` of
    wins, losses and ties; ``counts`` under the policy for ties.
    """

    item_scores: xr.DataArray  # the mean of runs, where a model takes the runs of an item together
    raw_counts: xr.DataArray  # (system_a, system_b, outcome)
    counts: xr.DataArray
    columns: Arrays  # of systems and pairs: score, n_scored, n_dropped
    totals: "UnitTotals | BlockTotals | None"  # on units; None where there are no scores by item
    quantity: Quantity
    unit: str  # item, or cluster
    weight: str = "item"
    ties: str = "third"
    takes: tuple[str, ...] = ()  # of dataset, cluster and epoch, what is taken into account
    advice: "Advice | None" = None
    alone: bool = True  # not one data set of an average, whose items may all be single
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()  # of the notes, those to warn of
    attrs: dict[str, Any] = field(default_factory=dict)  # that describe the data

    @property
    def systems(self) -> list[str]:
        """Their names, in order."""
        return systems_of(self.counts)

    @property
    def ties_known(self) -> bool:
        """Whether the size of a difference can be computed."""
        three = self.counts.sizes[names.OUTCOME] == len(names.OUTCOMES)
        return three or self.counts.attrs.get("ties", "unknown") != "unknown"

    @property
    def single(self) -> bool:
        """Whether each score of an item is an example of its own."""
        return self.alone and self.totals is not None and self.totals.single

    @property
    def in_units(self) -> bool:
        """Whether examples are correlated: items of a cluster, or runs of an item."""
        return self.unit == CLUSTER or (self.totals is not None and self.totals.runs)

    @property
    def examples(self) -> np.ndarray | None:
        """Examples of each pair, ties too, or what is known of them; where ties were dropped, no
        decisive one is no lack of data.
        """
        three = self.raw_counts.sizes[names.OUTCOME] == len(names.OUTCOMES)
        known = three or self.raw_counts.attrs.get("ties") == "unknown"
        return self.raw_counts.values.sum(-1) if known else None

    def scale_of(self, quantity: str) -> float:
        """The width of the scale of a quantity: of means 1 where scores are within 0 and 1, else
        their range.
        """
        if quantity != "mean" or not self.by_item:
            return 1.0
        if self.totals is not None and not isinstance(self.totals, UnitTotals):
            low, high = self.totals.score_limits
        else:
            low, high, _ = score_limits(self.observed, None)
        return high - low or 1.0

    @cached_property
    def net_wins(self) -> tuple[np.ndarray, np.ndarray]:
        """Wins less losses, and examples, of each cluster, (cluster, pair)."""
        if self.by_item:
            net, size = wins_of_items(self.item_scores, self.margin, self.ties)
        else:
            net, size = wins_of_counts(self.item_scores, self.ties)
        return once(net, size) if self.weight == "unit" else (net, size)

    @cached_property
    def clusters(self) -> OnClusters | None:
        """The clusters, where they are the unit of the answer, for tests and Bayes factors: their
        totals, or their wins less losses where wins decide.
        """
        if self.unit != CLUSTER:
            return None
        totals = self.totals
        if isinstance(totals, UnitTotals) and self.quantity.lead != "wins":
            sums = totals.totals, totals.sizes, totals.unit
            each_once = self.weight == "unit"
            return OnClusters.from_sums(
                self.systems, lambda: pair_sums(*sums, each_once=each_once), totals.pairs
            )

        def wins() -> Iterator[Sums]:
            net, size = self.net_wins
            yield net, size, np.zeros_like(net), size

        return OnClusters.from_sums(self.systems, wins)

    def with_units_once(self) -> "Evaluation":
        """The same with each unit counted once in a mean."""
        totals = self.totals
        if isinstance(totals, UnitTotals):
            totals = replace(totals, weight="unit")
        return replace(self, totals=totals, weight="unit")


def load(data: Any, options: Options) -> Evaluation:
    """Scores, tallies, counts, trials or judgments: recognised, checked and counted.

    Raises
    ------
    ValueError
        If they are none of these or not valid, or an option does not fit them.
    """
    loaded = recognise(data).of_systems(options.systems)
    if options.reliability is not None:
        return _evaluate_reliability(loaded, options.reliability, options)
    loaded = loaded.with_policy(options.missing, options.margin)
    advice = None
    if options.method == "advised":
        from betterthan.comparison.advice import advise_on

        advice = advise_on(loaded)
    if loaded.kind == "blocks":
        return _evaluate_blocks(loaded, options)
    if advice is None and loaded.kind == "judgments" and several(loaded.data, CLUSTER):
        counts = count_judgments(loaded.data, by=CLUSTER)  # within the clusters that they name
        counts.attrs["judges"] = few_judges(loaded.data)[0]
        loaded = LoadedData("counts", counts, counts, counts, loaded.margin)
    return evaluate(loaded, options, advice)


def _evaluate_reliability(
    loaded: LoadedData, reliability: Reliability, options: Options
) -> Evaluation:
    """Of each item the chance that k of its runs succeed, as its score.

    Raises
    ------
    ValueError
        If these are no runs that succeed or fail, or a system has too few runs of each item.
    """
    if loaded.kind not in ("scores", "trials"):
        raise ValueError(
            f"quantity={reliability.name!r} needs scores of repeated runs, and these are "
            f"{loaded.kind}; leave it out"
        )
    if loaded.kind == "scores" and options.missing in ("wrong", "error"):
        loaded = replace(loaded, data=apply_missing(loaded.data, options.missing))
    runs = successes_of(loaded.data, right=BINARY_RUNS)
    if reliability.k == 1 and runs[TRIALS].values.max() == 1:  # of one run it is accuracy
        return evaluate(loaded, replace(options, reliability=None, quantity=None))
    chances = reliability.scores(runs)
    few = int((runs[TRIALS].values < reliability.k).any(1).sum())
    of_chances = LoadedData("scores", chances, chances, chances)
    evaluation = evaluate(of_chances.with_policy(options.missing, 0.0), options)
    notes = (
        f"{reliability.name}: {few} of {len(chances)} items have fewer than {reliability.k} "
        "runs of a system, and do not count in its pairs.",
    ) * (few > 0)
    origin = {k: v for k, v in loaded.observed.attrs.items() if k in _OF_DATA}
    attrs = origin | evaluation.attrs | {"data_hash": fingerprint(loaded.observed)}
    columns = evaluation.columns | columns_of_runs(runs)
    return replace(evaluation, columns=columns, notes=notes + evaluation.notes, attrs=attrs)


def evaluate(
    loaded: LoadedData,
    options: Options,
    advice: "Advice | None" = None,
    whole: "Evaluation | None" = None,
) -> Evaluation:
    """Count wins, losses and ties; choose the quantity and the unit of the answer; of one data set
    of an average as of all of them, the whole.
    """
    takes: Sequence[str] = () if options.unit == names.ITEM else (CLUSTER, EPOCH)
    if advice is not None and advice.spec.fitted:
        takes = advice.spec.takes
    if unlabelled(loaded.data, CLUSTER):  # some items have none
        takes = [k for k in takes if k != CLUSTER]
    unit = unit_of(loaded.data, None if CLUSTER in takes else names.ITEM)
    unit = unit if whole is None else whole.unit
    together = EPOCH in takes
    totals = unit_totals(loaded, unit, together=together)
    if options.weight == "unit":
        if unit != CLUSTER:
            raise ValueError(
                "weight='unit' counts each cluster once; here each item is a unit of its own"
            )
        totals = totals and replace(totals, weight="unit")
    advised = advice.options.get("quantity") if advice else None
    if whole is None:
        quantity = quantity_of(loaded.kind, totals, options, advised, together=together)
    else:
        quantity = whole.quantity
    scored = loaded.by_item and names.TALLY not in loaded.scores.dims
    wide = scored and quantity.lead == "mean" and options.question.rope >= 1
    if wide and score_limits(loaded.scores, None)[:2] == (0.0, 1.0):
        checks.rope(options.question.rope)  # no difference is larger
    runs = EPOCH in takes and scored and several(loaded.scores, EPOCH)
    item_scores = loaded.scores
    if runs:
        n_items = len(set(item_ids(loaded.observed).tolist()))
        item_scores = runs_together(loaded.scores).assign_attrs(n_items=n_items)
    count = _count_items if loaded.by_item else _pool_counts
    raw_counts, columns, notes = count(item_scores, options)
    pooled, warned = dependence(item_scores if runs else loaded.observed, takes)
    pooled = pooled if options.over is None else []
    if whole is None:  # an average states none of a data set
        columns |= score_intervals(totals, columns, options)
    if totals is not None and totals.runs:
        columns |= columns_of_runs(loaded.data)
    warned = [*warned, *(_turned_around(loaded) if whole is None else ())]
    notes = [*notes, *pooled, *warned] + [_RUNS] * runs
    checks.at_least_two(systems_of(raw_counts))
    counts, counted = under_policy(raw_counts, options, quantity)
    notes += counted
    attrs = data_attrs(loaded, raw_counts)
    if whole is None:
        attrs["data_hash"] = fingerprint(loaded.observed)
    if loaded.by_item and names.TALLY not in loaded.observed.dims:
        lacking = loaded.observed.coords.get(LACKING)
        gaps = gaps_in(loaded.observed) if lacking is None else lacking.values
        attrs["n_blank"] = int(gaps.sum())
    evaluation = Evaluation(
        **vars(loaded),
        item_scores=item_scores,
        raw_counts=raw_counts,
        counts=counts,
        columns=columns,
        totals=totals,
        quantity=quantity,
        unit=unit,
        weight=options.weight,
        ties=options.ties,
        takes=tuple(takes),
        advice=advice,
        alone=whole is None or whole.single,
        notes=tuple(notes),
        warnings=tuple(warned),
        attrs=attrs,
    )
    return _with_missing_as_wrong(evaluation, options)


_NEGATIVE = (
    "No score is above 0, and lower ones count as better. If the scores were turned around, as by "
    "-scores, set scores.attrs['higher_is_better'] = True."
)


def _turned_around(loaded: LoadedData) -> list[str]:
    """A warning of negative scores of which less is better: xarray keeps the direction of scores
    whose sign is changed.
    """
    if loaded.kind != "scores" or loaded.data.attrs.get("higher_is_better", True):
        return []
    values = loaded.data.values
    return _negative(*(reduce(values, axis=None) for reduce in (np.fmin.reduce, np.fmax.reduce)))


def _negative(low: float, high: float) -> list[str]:
    return [_NEGATIVE] if high <= 0 > low else []


def _evaluate_blocks(loaded: LoadedData, options: Options) -> Evaluation:
    """As `evaluate`, of scores in blocks: each is read at most twice, and none is kept.

    Raises
    ------
    ValueError
        If rows belong together, which blocks do not know.
    """
    from betterthan.comparison import blocks as in_blocks
    from betterthan.counts.in_blocks import counts_of

    blocks = blocks_of(loaded.scores)
    in_blocks.refuse_units(loaded.scores, options)
    totals = in_blocks.block_totals(blocks, options)
    quantity = quantity_of("scores", totals, options, None)
    raw_counts = counts_of(blocks, totals.tables, options.margin)
    raw_counts = raw_counts.assign_attrs(missing=options.missing)
    columns = in_blocks.columns_of(totals, raw_counts)
    columns |= score_intervals(totals, columns, options)
    raw_counts = raw_counts.drop_vars(["n_used", "n_dropped"])
    counts, counted = under_policy(raw_counts, options, quantity)
    pooled, _ = dependence(loaded.scores, (CLUSTER, EPOCH))
    lower = not totals.higher_is_better
    warned = _negative(totals.tables.low, totals.tables.high) if lower else []
    notes = [_IN_BLOCKS, *pooled, *warned, *counted]
    return Evaluation(
        **vars(loaded),
        item_scores=loaded.scores,
        raw_counts=raw_counts,
        counts=counts,
        columns=columns,
        totals=totals,
        quantity=quantity,
        unit=names.ITEM,
        ties=options.ties,
        takes=() if options.unit == names.ITEM else (CLUSTER, EPOCH),
        notes=tuple(notes),
        warnings=tuple(warned),
        attrs=data_attrs(loaded, raw_counts)
        | {"data_hash": f"{totals.tables.mark:016x}", "n_blank": totals.tables.blank},
    )


def score_intervals(
    totals: "UnitTotals | BlockTotals | None", columns: Arrays, options: Options
) -> Arrays:
    """Means with their intervals: by Student's t of graded scores and of units; of right and wrong
    a share, with a uniform prior.
    """
    if totals is None:
        return {}
    interval = options.question.ci_prob, options.question.ci_kind
    counted: dict[str, np.ndarray] = {}
    if totals.single and isinstance(totals, UnitTotals) and totals.reliability:
        # shares of items have a Dirichlet posterior, with half an item at 0 and half at 1
        low, high = shares_of(totals.totals, totals.sizes > 0).interval(*interval)
    elif not totals.single or totals.graded:
        means = totals.means
        return oriented_scores(means.mean, *means.law.interval(*interval), totals.higher_is_better)
    else:
        scored = columns["n_scored"][1]
        right = np.nan_to_num(columns["score"][1] * scored).round().astype(int)
        low, high = intervals.interval(right, scored, *interval)
        counted = {"n_right": right} if totals.higher_is_better else {}
    parts = {"score_lower": low, "score_upper": high} | counted
    return {name: ((names.SYSTEM,), values) for name, values in parts.items()}


def under_policy(
    raw_counts: xr.DataArray, options: Options, quantity: Quantity
) -> tuple[xr.DataArray, list[str]]:
    """Counts under the policy for ties, with notes on ties and the rope, which needs ties to be
    known; refuse a baseline that has no counts.
    """
    counts = policy_applied(raw_counts, options.tie_policy)
    two = raw_counts.sizes[names.OUTCOME] == 2
    unknown = two and raw_counts.attrs.get("ties", "unknown") == "unknown"
    notes = ["Ties are unknown: who is better is answered, by how much is not."] if unknown else []
    rope = options.question.rope
    if rope and quantity.lead != "mean":
        checks.rope(rope)
        schemas.ties_known(counts, "a rope")
        notes += [_LARGE] if rope > names.ROPE_LARGE else []
    if options.baseline is not None:
        checks.one_of(options.baseline, systems_of(counts), "baseline")
    return counts, notes


_OF_DATA = ("source", "reading", "citation", "layout", "tool", "metric", "errors", "unscored")
_IN_BLOCKS = (
    "The scores were read in blocks: they were not audited, not searched for a reason why some are "
    "missing, and single items were not looked at."
)
_RUNS = (
    "Next to the model, wins, losses and tests compare the mean of an item's runs, for runs have "
    "no common order."
)
_LARGE = f"The rope is above {names.ROPE_LARGE:g} of a probability: what lies within it may matter."
_BY_F1 = (
    "The posterior counts items on which one system's F1 is above the other's; a system can be "
    "ahead on most items and behind in F1 over all of them, which is what the randomization test "
    "compares."
)


def _count_items(scores: xr.DataArray, options: Options) -> tuple[xr.DataArray, Arrays, list[str]]:
    """Counts of scores by item, with the score of each system and the items of each pair."""
    tallies = names.TALLY in scores.dims
    values = tally_scores(scores) if tallies else scores
    raw_counts, used = counts_and_used(values, options.margin)
    raw_counts.attrs["missing"] = options.missing
    by_system = values.transpose(names.ITEM, names.SYSTEM).values.astype(float)
    present = ~np.isnan(by_system)
    n = present.sum(0)
    with np.errstate(invalid="ignore"):
        mean = np.where(present, by_system, 0.0).sum(0) / n
    columns: Arrays = {"score": ((names.SYSTEM,), mean), "n_scored": ((names.SYSTEM,), n)}
    columns["n_dropped"] = names.SQUARE, raw_counts.attrs["n_items"] - used
    columns[names.SYSTEM] = (names.SYSTEM,), np.array(systems_of(values))
    return raw_counts, columns, [_BY_F1] if tallies else []


def _pool_counts(counts: xr.DataArray, _: Options) -> tuple[xr.DataArray, Arrays, list[str]]:
    """Counts pooled over data sets and more, as a square."""
    dims = (*names.SQUARE, names.PAIR, names.OUTCOME)
    pooled = counts.sum([d for d in counts.dims if d not in dims], keep_attrs=True)
    pooled = to_square(pooled) if names.PAIR in pooled.dims else pooled
    pooled = pooled.drop_vars(["n_used", "n_dropped"], errors="ignore")
    return pooled.transpose(*names.SQUARE, names.OUTCOME), {}, []


def data_attrs(loaded: LoadedData, raw_counts: xr.DataArray) -> dict[str, Any]:
    """Attributes that describe the data, without looking at single scores."""
    attrs = loaded.observed.attrs
    described = {k: attrs[k] for k in _OF_DATA if k in attrs}
    if names.TALLY in loaded.observed.dims:
        described.setdefault("layout", "tallies")
    described |= {
        "unit": raw_counts.attrs.get("unit", "unknown"),
        "missing": raw_counts.attrs.get("missing", "none"),
        "n_items": int(raw_counts.attrs.get("n_items", -1)),
        "margin": float(raw_counts.attrs.get("margin", 0.0)),
        "higher_is_better": bool(attrs.get("higher_is_better", True)),
    }
    if loaded.by_item and several(loaded.observed, names.DATASET):
        datasets = text_array(loaded.observed[names.DATASET].values)
        labels, number = np.unique(datasets, return_counts=True)
        sizes = zip(labels.tolist(), number.tolist(), strict=True)
        described["datasets"] = ", ".join(f"{label} {size:,}" for label, size in sizes)
    return described


_UNITS_MIN = 5  # of fewer clusters, what they cost is a guess
_WHAT = {EPOCH: "items were run repeatedly", CLUSTER: "items come in clusters"}


def dependence(data: xr.DataArray, taken: Collection[str] = ()) -> tuple[list[str], list[str]]:
    """What is pooled, and what is taken as independent though it is not, which is to be warned of.

    Parameters
    ----------
    data : xarray.DataArray
        Scores, tallies or counts.
    taken : collection of str
        Of dataset, cluster and epoch, what a model takes into account.
    """
    known: dict[str, Sequence[np.ndarray]] = {}  # of each kind of rows, the size of its effect
    if names.ITEM in data.dims:
        several_sets = several(data, names.DATASET)
        datasets = len(set(data[names.DATASET].values.tolist())) if several_sets else 1
        for name in (EPOCH, CLUSTER):
            if name not in taken and several(data, name):
                known[name] = () if names.TALLY in data.dims else _effective(data, name)
    else:
        extra = [str(d) for d in data.dims if d not in _PAIRS and data.sizes[d] > 1]
        datasets = int(np.prod([data.sizes[d] for d in extra if d != CLUSTER]))
        if CLUSTER in extra and CLUSTER not in taken:
            known[CLUSTER] = _effective_counts(data)
    pooled = (
        f"{datasets} data sets are pooled: every example counts the same, so large sets weigh more."
    )
    is_pooled = datasets > 1 and names.DATASET not in taken
    return [pooled] * is_pooled, [_too_sure(name, *of) for name, of in known.items()]


def _effective_counts(counts: xr.DataArray) -> tuple[np.ndarray, ...]:
    """As `_effective`, of counts by cluster."""
    if counts.sizes[CLUSTER] < _UNITS_MIN:
        return ()
    pairs = to_pairs(counts) if names.SYSTEM_A in counts.dims else counts
    pairs = pairs.sum([d for d in pairs.dims if d not in (*_PAIRS, CLUSTER)])
    each = pairs.transpose(CLUSTER, names.PAIR, names.OUTCOME).values.astype(float)
    net, decisive = each[..., 0] - each[..., 1], each[..., :2].sum((0, 2))
    return each.sum((0, 2)), design_effect_of_sums(each.sum(2), net, decisive)


def _effective(scores: xr.DataArray, name: str) -> tuple[np.ndarray, ...]:
    """Examples of each pair, and how many times the variance is that of as many independent
    ones.
    """
    if unlabelled(scores, name):
        return ()
    unit = names.ITEM if name == EPOCH else name
    units, place = np.unique(ids_of(scores, unit), return_inverse=True)
    if len(units) < _UNITS_MIN:
        return ()
    outcomes = item_outcomes(scores)
    observed = outcomes["observed"].values
    return observed.sum(0), design_effect(outcomes["outcome"].values * observed, observed, place)


def _too_sure(name: str, *known: Any) -> str:
    many = _as_many(*known) if known else ""
    return (
        f"The answers are too certain if rows are correlated: {_WHAT[name]} ({name}), but are "
        f"treated as independent.{many} betterthan.advise recommends a model for this."
    )


def _as_many(n: np.ndarray, design: np.ndarray) -> str:
    """How many independent items would say as much, over the pairs."""
    number = n / np.maximum(design, 1.0)
    if not np.isfinite(number).any() or round(low := np.nanmin(number)) >= n.max():
        return ""
    middle = np.nanmedian(number)
    pairs = "" if len(n) == 1 else f" (median of the pairs; at least {low:.0f})"
    return (
        f" The effective sample size is about {middle:.0f}{pairs}, not {int(n.max()):,} "
        "independent items."
    )


_PAIRS = (names.SYSTEM_A, names.SYSTEM_B, names.PAIR, names.OUTCOME)


_NAMED = 3  # systems, and pairs, that are named; more are counted
LEFT_OUT = ("pairwise", "complete")  # policies under which a missing score is not used


def _with_missing_as_wrong(evaluation: Evaluation, options: Options) -> Evaluation:
    """The same where no score is missing, or none for a reason that can be seen; else with
    ``prob_better_if_wrong`` and ``verdict_if_wrong`` over (system_a, system_b), pair by pair in
    closed form, and what to warn of.
    """
    scores = evaluation.observed
    if evaluation.kind != "scores" or options.missing not in LEFT_OUT:
        return evaluation
    if not gaps_in(scores).any():
        return evaluation
    from betterthan.comparison.engines import closed_table
    from betterthan.counts.missing_scores import missing_by_difficulty

    missing = missing_by_difficulty(scores, rng=options.rank_seed)
    if not bool(missing["differs"].any()):
        return evaluation
    # the worst: 0 of scores within 0 and 1, else the worst that was seen
    filled = with_gaps_filled(scores, score_limits(scores, None)[:2])
    loaded = LoadedData("scores", filled, filled, filled, evaluation.margin)
    wrong = evaluate(loaded, options, evaluation.advice, evaluation)
    quantity = evaluation.quantity.lead
    now, then = (closed_table(quantity, data, options) for data in (evaluation, wrong))
    columns: Arrays = {f"{k}_if_wrong": (names.SQUARE, then[k]) for k in ("prob_better", "verdict")}
    columns["missing_differs"] = (names.SYSTEM,), missing["differs"].values
    sentences = [*_difficulty_sentences(missing), _changed_verdicts(evaluation.systems, now, then)]
    warning = (" ".join(sentences),)  # one thing to warn of
    return replace(
        evaluation,
        columns=evaluation.columns | columns,
        notes=evaluation.notes + warning,
        warnings=evaluation.warnings + warning,
    )


def _difficulty_sentences(missing: xr.Dataset) -> list[str]:
    """A sentence on each system whose scores are missing where items are hard, or easy."""
    from betterthan.auditing.answer_checks import difficulty_message

    systems = [str(s) for s in missing[names.SYSTEM].values[missing["differs"].values]]
    tested = int(missing["p_value"].notnull().sum())
    sentences = [
        difficulty_message(missing.sel({names.SYSTEM: s}), tested) for s in systems[:_NAMED]
    ]
    more = len(systems) - _NAMED
    return sentences + ([f"So it is of {more} more systems."] if more > 0 else [])


def _changed_verdicts(systems: Sequence[str], now: Table, then: Table) -> str:
    """What becomes of the verdicts if every missing score is counted as wrong."""
    condition = "With every missing score counted as wrong"
    if len(systems) == 2:
        p, q = (numbers.probability(answer["prob_better"][0, 1]) for answer in (then, now))
        better = " is better than ".join(systems)
        return f"{condition}, {better} with probability {p}; with those left out, {q}."
    pairs = list(zip(*(k.tolist() for k in np.triu_indices(len(systems), 1)), strict=True))
    was, becomes = (answer["verdict"] for answer in (now, then))
    changed = [pair for pair in pairs if was[pair] != becomes[pair]]
    if not changed:
        return f"{condition}, no verdict changes (pair by pair, in closed form)."
    changes = []
    for i, j in changed[:_NAMED]:
        a, b = systems[i], systems[j]
        words = {"a_better": f"{a} better", "b_better": f"{b} better"}
        before, after = (words.get(v, v) for v in (str(was[i, j]), str(becomes[i, j])))
        changes.append(f"{a} and {b}: {before} becomes {after}")
    changes += [f"and {len(changed) - _NAMED} more"] if len(changed) > _NAMED else []
    return f"{condition}, {len(changed)} of {len(pairs)} verdicts change: {'; '.join(changes)}."

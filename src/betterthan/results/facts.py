"""The facts that the sentences on an answer state: typed records, and how its tables fill them.

Everything on a pair is from the side of the system that is ahead. None: not known, or not asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.model_registry import ROSTER
from betterthan.results import tables
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.robustness import (
    Firmness,
    Missing,
    More,
    missing_effects,
    needed,
    pair_prospects,
    separating,
    tie_changes,
)
from betterthan.results.tables import interval_label
from betterthan.signed import Signature

_VERDICTS_NAMED = 2  # verdicts that a sentence names
_PAIRS_NAMED = 3  # pairs without data that a sentence names


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two systems, the one that is ahead first."""

    first: str
    second: str
    verdict: str  # better (the first is), undecided, equivalent, split, no_data, no_verdict
    p: float | None = None  # that the first is better
    p_mcse: float = 0.0
    by: str | None = None  # statistic that was compared, such as F1
    at_random: bool = False  # the verdict holds only if missing scores are missing at random
    wins: int | None = None
    losses: int | None = None
    ties: int | None = None
    ties_unknown: bool = False  # only items that one of the two won were counted
    n: int | None = None  # items that both have, but for ties that are dropped
    n_ties_dropped: int | None = 0  # None if they are dropped, and their number is not known
    ties_won: int | None = None  # ties that count as wins, by a policy
    ties_lost: int | None = None  # and as wins of the other
    n_dropped: int = 0  # items without both scores
    lacking: str | None = None  # the one system that all these lack a score of
    n_units: int | None = None  # clusters, or items with their runs
    unit: str | None = None
    observation: str = names.ITEM  # what a win is counted on
    difference: float | None = None
    difference_lower: float | None = None
    difference_upper: float | None = None
    difference_mcse: float = 0.0
    difference_is: str = "difference"
    interval: str | None = None  # such as 95% HDI
    lower_is_better: bool = False
    one_sided: bool = False  # there is a verdict, and the interval includes 0
    threshold: float = names.VERDICT_PROB
    rope: float = 0.0
    within_rope: float | None = None
    within_rope_mcse: float = 0.0
    beyond_rope: bool | None = None
    beyond_p: float | None = None  # that the first is better by more than the ROPE
    beyond_mcse: float = 0.0
    also_ahead: bool = False  # equivalent, and the first is better by less than the ROPE
    too_close: bool = False  # within two Monte Carlo errors of the threshold
    quantity: str | None = None  # wins, accuracy or mean
    prior_sd: float | None = None  # of a normal prior of differences of clusters and means
    each_unit_once: bool = False  # in the difference, and not each item
    other_quantity: str | None = None  # wins or mean, reported next to it
    other_p: float | None = None  # that the first is better by that
    more_wins_p: float | None = None  # that the first is ahead on more units, of scores
    more_wins_mcse: float = 0.0
    reason: str | None = None  # why there is no verdict

    @property
    def n_both(self) -> int:
        """Items that both have."""
        return (self.n or 0) + (self.n_ties_dropped or 0)


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of one system."""

    system: str
    score: float
    score_lower: float | None = None
    score_upper: float | None = None
    n_right: int | None = None
    n_scored: int | None = None
    shared: bool = False  # on the items that both systems of a pair have


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A system that may be the best, and how probably it is."""

    system: str
    p: float
    p_mcse: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Unbeaten:
    """A system that no other is better than, pair by pair."""

    system: str
    n_worse: int  # systems that it is better than
    n_compared: int | None = None  # systems that it was compared with, where not all others


@dataclass(frozen=True, kw_only=True)
class VerdictCounts:
    """How many pairs end how, by the verdicts that count."""

    n_pairs: int
    joint: bool = False  # verdicts are those of the joint answer
    n_better: int = 0
    n_equivalent: int = 0
    n_undecided: int = 0
    n_split: int = 0
    n_no_data: int = 0
    n_no_verdict: int = 0
    n_missing_decides: int = 0  # of those without a verdict
    no_data_pairs: tuple[str, ...] = ()  # the first three, as "A with B"


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The other systems, by how they compare with the baseline."""

    system: str
    score: float | None = None
    better: tuple[str, ...] = ()
    equivalent: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    split: tuple[str, ...] = ()
    no_verdict: tuple[str, ...] = ()  # or no data
    worse: tuple[str, ...] = ()
    differences: tuple[tuple[str, float], ...] = ()  # of each other system from the baseline
    intervals: tuple[tuple[str, tuple[float, float]], ...] = ()
    score_is: str = "score"
    difference_is: str = ""  # as of a pair


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an answer on two or more systems states."""

    n_systems: int
    units: str = "items"
    n: int | None = None  # units that all pairs have
    n_shared: tuple[int, int] | None = None  # fewest and most that a pair shares, with its ties
    clusters: str | None = None  # such as 12 clusters, of all pairs
    clusters_shared: str | None = None  # that a pair shares, such as 8 to 12 clusters
    averaged: str | None = None  # such as 4 data sets, each counted once
    model: str | None = None  # the advised one that gives the answer, such as hierarchical
    threshold: float = names.VERDICT_PROB
    rope: float = 0.0
    score_is: str = "Mean score"
    lower_is_better: bool = False
    failures: str | None = None  # why there is no verdict at all
    at_random: bool = False
    pair: Pair | None = None  # of two systems
    scores: tuple[Score, ...] = ()  # of two systems, in the order of the pair
    by: str | None = None  # mean score, or the statistic that was compared
    best: tuple[Candidate, ...] = ()  # most probable first
    n_best_set: int | None = None  # how many hold the best with probability best_share
    best_share: float = names.CI_PROB
    rivals: tuple[tuple[str, tuple[str, ...]], ...] = ()  # not beaten by the first, by verdict
    no_joint: str | None = None  # why P(best) is not known
    unbeaten: tuple[Unbeaten, ...] = ()
    verdicts: tuple[Pair, ...] = ()  # those that name a better system, where they are few
    n_judgments: int | None = None  # of all pairs
    verdict_counts: VerdictCounts | None = None
    no_data_as: str = "no item in common, or a single unit"  # why pairs have no data
    ties: str | None = None  # the policy for them
    n_ties_won: int = 0  # of all pairs, that count as wins by this policy
    baseline: Baseline | None = None
    leader: Pair | None = None  # of several systems, the next one against the one that leads
    n_also_undecided: int = 0  # against the leader, of systems outside of the best set
    together: bool = False  # a model of all systems that was fitted gives the answer
    unit_notes: tuple[str, ...] = ()  # those that begin with "!" are warnings
    joint_notes: tuple[str, ...] = ()
    more: More | None = None
    firmness: Firmness | None = None
    missing: Missing | None = None
    ties_change: tuple[str, ...] | None = None  # policies for ties that change verdicts

    @property
    def has_best(self) -> bool:
        """Whether the first is the best as probably as a verdict needs."""
        if self.n_best_set is None:
            return False
        first = self.best[0]
        return first.p - 2 * first.p_mcse >= self.threshold  # as verdicts on drawn probabilities


@dataclass(frozen=True)
class _Compared:
    """What the facts are from: the data of an answer, and its tables of pairs and of systems."""

    data: xr.Dataset
    provenance: Signature
    pairs: Any
    systems: Any

    @cached_property
    def verdicts(self) -> np.ndarray:
        """Of the rows of `pairs`."""
        return self.pairs["verdict"].to_numpy(str)

    @cached_property
    def order(self) -> list[str]:
        """All systems, as the table of systems lists them."""
        return self.systems["system"].tolist()

    def places(self, *systems: str) -> list[int]:
        """Where systems are in tables over both."""
        labels = labels_on_one_line(self.data[names.SYSTEM_A].values)
        return [labels.index(system) for system in systems]

    def against(self, system: str, others: list[str], by: str = "verdict") -> dict[str, list[str]]:
        """The other systems, by what they are against one: better, worse, or another verdict."""
        reverse, verdicts = {"better": "worse", "worse": "better"}, self.pairs[by].to_numpy(str)
        first = self.pairs["system"].to_numpy() == system
        second = self.pairs["other"].to_numpy() == system
        verdict = dict(zip(self.pairs["system"][second], verdicts[second], strict=True))
        for other, end in zip(self.pairs["other"][first], verdicts[first], strict=True):
            verdict[other] = reverse.get(end, end)
        by_verdict: dict[str, list[str]] = {}
        for other in others:
            if other != system and other in verdict:
                by_verdict.setdefault(verdict[other], []).append(other)
        return by_verdict


def answer_facts(comparison: Any, by: str | None = None, units: str | None = None) -> Answer:
    """The facts of any answer on pairs of systems.

    Parameters
    ----------
    comparison : Comparison or xarray.Dataset
        From `compare`, `scores.compare`, `fits.compare` and the like, or its data by engine.
    by : str, optional
        The statistic that was compared, in words.
    units : str, optional
        What was compared on, such as documents. Default: as its attrs say.

    Examples
    --------
    >>> import betterthan as bt
    >>> pair = answer_facts(bt.compare(bt.datasets.contingency_case("a"))).pair
    >>> pair.first, pair.verdict, round(pair.p, 3), pair.wins
    ('A', 'better', 0.996, 12)
    """
    data = comparison if isinstance(comparison, xr.Dataset) else comparison.data
    data = tables.leading(data)
    provenance = Signature.from_attrs(data.attrs)
    pairs: Any = tables.pairs(data)
    systems: Any = tables.systems(data, pairs)
    labels = {name: on_one_line(name) for name in systems["system"].tolist()}
    if any(name != label for name, label in labels.items()):
        systems = systems.assign(system=systems["system"].map(labels))
        pairs = pairs.assign(**{k: pairs[k].map(labels) for k in ("system", "other")})
    compared = _Compared(data, provenance, pairs, systems)
    judged = provenance.observation == "judgment" and "n" in pairs
    failed = provenance.failures and "no_verdict" in pairs["verdict"].tolist()
    answer = Answer(
        n_systems=len(systems),
        units=units or units_label(provenance),
        n=_common_n(pairs, provenance),
        n_shared=_n_shared(pairs, provenance),
        clusters=_clusters(provenance),
        clusters_shared=_clusters(provenance, pairs.get("n_units")),
        averaged=_averaged(provenance, data),
        model=_model(provenance),
        threshold=provenance.threshold or names.VERDICT_PROB,
        rope=provenance.rope or 0.0,
        score_is=score_label(provenance, "n_right" in systems),
        lower_is_better=provenance.higher_is_better is False,
        failures=" ".join(provenance.failures or ()) if failed else None,
        at_random=tables.at_random(pairs, provenance),
        n_judgments=int(pairs["n"].sum()) if judged else None,
        ties=provenance.ties,
        n_ties_won=int(data["ties_won"].sum()) if "ties_won" in data else 0,
        together="prob_best" in data and provenance.method == "advised",
        unit_notes=tuple(map(on_one_line, provenance.unit_notes or ())),
        joint_notes=tuple(map(on_one_line, provenance.joint_notes or ())),
    )
    if len(pairs) == 1:
        pair = _pair(compared, pairs.to_dict("records")[0], by)
        scores = _scores(compared, (pair.first, pair.second))
        answer = replace(answer, by=by, pair=pair, scores=scores)
    elif len(pairs):
        answer = _with_systems(answer, compared, by)
        better = pairs[pairs["verdict"].isin(["better", "worse"])]
        few = better.to_dict("records") if len(better) <= _VERDICTS_NAMED else []
        answer = replace(answer, verdicts=tuple(_pair(compared, k, by) for k in few))
        answer = _with_leader(answer, compared)
    if answer.failures or provenance.answer != "comparison":
        return answer
    more, firmness = _prospects(answer, compared)
    missing = missing_effects(data, provenance.n_blank or 0)
    changes = tie_changes(data)
    return replace(answer, more=more, firmness=firmness, missing=missing, ties_change=changes)


def _common_n(pairs: Any, provenance: Signature) -> int | None:
    """The items, or units, that all pairs have; None where they have not as many."""
    if "n" in pairs and provenance.answer != "judged":
        counts = pairs["n"].unique()
        return int(counts[0]) if len(counts) == 1 and counts[0] == counts[0] else None
    n = provenance.n_items
    return n if n is not None and n >= 0 else None


def _n_shared(pairs: Any, provenance: Signature) -> tuple[int, int] | None:
    """The fewest and the most items, or units, that a pair shares, with ties that are dropped."""
    if "n" not in pairs or provenance.answer == "judged" or provenance.ties == "unknown":
        return None
    shared = pairs["n"]
    if provenance.ties in ("drop", "half"):
        if "n_dropped" not in pairs or (provenance.n_items or -1) < 0:
            return None
        shared = provenance.n_items - pairs["n_dropped"]
    return None if shared.isna().any() else (int(shared.min()), int(shared.max()))


def score_label(provenance: Signature, counted: bool = False) -> str:
    """What the score of a system is; `counted`: how many items it got right is known."""
    if provenance.reliability:
        return provenance.reliability
    if provenance.quantity and provenance.quantity not in names.DIFFERENCES:
        return provenance.quantity  # of all items together, such as F1
    if provenance.layout in ("tallies", "labels"):
        return "Mean F1"
    if provenance.quantity != "accuracy" and not counted:
        return "Mean score"
    return "Error rate" if provenance.higher_is_better is False else "Accuracy"


def score_noun(label: str) -> str:
    """The label of a score within a sentence."""
    return label if label.isupper() else label[:1].lower() + label[1:]


def units_label(provenance: Signature) -> str:
    """What wins are counted on."""
    return f"{provenance.observation if provenance.n_units is None else provenance.unit}s"


def _clusters(provenance: Signature, shared: Any = None) -> str | None:
    if provenance.unit != "cluster" or provenance.n_units is None:
        return None
    number = (provenance.n_units,) if shared is None else (int(shared.min()), int(shared.max()))
    least = f"{number[0]:,} to " if number[0] < number[-1] else ""
    return f"{least}{_clusters_text(number[-1], provenance.weight == 'unit')}"


def _clusters_text(number: int, each_once: bool) -> str:
    once = ", each cluster counted once" if each_once else ""
    return "1 cluster" if number == 1 else f"{number:,} clusters{once}"


def clusters_of(answer: Answer, pair: Pair | None) -> str | None:
    """The clusters of an answer; of a pair those in which both have a score."""
    if answer.clusters is None or pair is None or not pair.n_units:
        return answer.clusters
    return _clusters_text(pair.n_units, pair.each_unit_once)


def _averaged(provenance: Signature, data: xr.Dataset) -> str | None:
    if provenance.over is None:
        return None
    over, _, how = provenance.over.partition(", ")
    what = "data sets" if over == names.DATASET else f"values of {over}"
    return f"{data.sizes[names.DATASET]:,} {what}, {how}"


def _model(provenance: Signature) -> str | None:
    """The advised model in words, where it is not that of wins, losses and ties."""
    assumed = {spec.name for spec in ROSTER if spec.assumes}
    if provenance.method != "advised" or provenance.model not in assumed:
        return None
    return str(provenance.model).replace("_", " ").replace("davidson", "Davidson")


def _pair(compared: _Compared, row: Mapping[str, Any], by: str | None) -> Pair:
    """From a row of `tables.pairs`."""
    data, provenance = compared.data, compared.provenance

    def value(column: str) -> Any:
        return _plain(row.get(column))

    counted = provenance.answer != "judged"  # there, the counts are of the labels alone
    other = provenance.beside_quantity
    other = other if f"{other}_prob_better" in row else None
    bounds = row.get("lower", np.nan), row.get("upper", np.nan)
    interval = {"ci_prob": provenance.ci_prob, "ci_kind": provenance.ci_kind or "eti"}
    beyond = {names.REGION: names.REGIONS[2]}
    return Pair(
        first=row["system"],
        second=row["other"],
        verdict=row["verdict"],
        **{name: value(column) for name, column in _OF_ROW.items()},
        p_mcse=value("mcse") or 0.0,
        by=by,
        at_random=tables.at_random(pd.DataFrame([row]), provenance),
        **{name: value(name) if counted else None for name in ("wins", "losses", "ties")},
        ties_unknown=provenance.ties == "unknown",
        n=(value("n") or (provenance.n_items if by else None)) if counted else None,
        n_ties_dropped=_ties_dropped(row, provenance),
        ties_won=_pair_value(compared, row, "ties_won"),
        ties_lost=_pair_value(compared, _other_side(row), "ties_won"),
        n_dropped=value("n_dropped") or 0,
        lacking=_lacking(row, data, provenance),
        unit=provenance.unit,
        observation=provenance.observation,
        difference_mcse=_error(data, "difference_mean_mcse"),
        difference_is=provenance.difference_is or "difference",
        interval=None if provenance.ci_prob is None else interval_label(interval),
        lower_is_better=provenance.lower_mean,
        one_sided=bool(tables.one_sided(row["verdict"], *bounds)),
        threshold=provenance.threshold or names.VERDICT_PROB,
        rope=provenance.rope or 0.0,
        within_rope_mcse=_error(data, "mass_mcse"),
        beyond_rope=None if value("within_rope") is None else value("beyond_rope"),
        beyond_p=_pair_value(compared, row, "mass", beyond),
        beyond_mcse=_pair_value(compared, row, "mass_mcse", beyond) or value("mcse") or 0.0,
        also_ahead=bool(value("also_ahead")),
        too_close=bool(value("too_close")),
        quantity=provenance.quantity,
        prior_sd=provenance.prior_sd,
        each_unit_once=provenance.weight == "unit",
        other_quantity=other,
        other_p=value(f"{other}_prob_better"),
        more_wins_p=_pair_value(compared, row, "prob_more_wins"),
        more_wins_mcse=_pair_value(compared, row, "prob_more_wins_mcse") or 0.0,
        reason=value("reason") or ("rare_labels" in data.attrs and data.attrs["no_joint"]) or None,
    )


_OF_ROW = {  # fields of a pair, by the columns of `tables.pairs`
    **{"p": "prob_better", "n_units": "n_units", "within_rope": "within_rope"},
    "difference": "difference",
    **{f"difference_{end}": end for end in ("lower", "upper")},
}


def _ties_dropped(row: Mapping[str, Any], provenance: Signature) -> int | None:
    """Items that both systems have, and that are not counted as they are ties: all, or the one
    that is left of an odd number where each system wins half.
    """
    if provenance.ties not in ("drop", "half"):
        return 0
    total, missing = provenance.n_items, row.get("n_dropped")
    known = total is not None and total >= 0 and missing is not None
    return int(total - missing - row["n"]) if known else None


def _lacking(row: Mapping[str, Any], data: xr.Dataset, provenance: Signature) -> str | None:
    """The system of a pair that all dropped items lack a score of; none where both lack some."""
    dropped = row.get("n_dropped") or 0
    if not dropped or "n_scored" not in data:
        return None
    systems = labels_on_one_line(data[names.SYSTEM].values)
    scored = dict(zip(systems, data["n_scored"].values.tolist(), strict=True))
    total = row["n"] + (_ties_dropped(row, provenance) or 0) + dropped
    without = [name for name in (row["system"], row["other"]) if scored[name] < total]
    return without[0] if len(without) == 1 else None


def _pair_value(
    compared: _Compared, row: Mapping[str, Any], name: str, at: Mapping[str, str] | None = None
) -> Any:
    """A number of a table over both systems, from the side of the system ahead."""
    data = compared.data
    if name not in data or not set(names.SQUARE) <= set(data[name].dims):
        return None
    places = compared.places(row["system"], row["other"])
    return _plain(data[name].sel(at or {})[dict(zip(names.SQUARE, places, strict=True))].values[()])


def _error(data: xr.Dataset, name: str) -> float:
    """The Monte Carlo error of a number of scores, orders or predictions, else 0."""
    if data.attrs.get("answer") not in _WITH_ERRORS or name not in data:
        return 0.0
    errors = data[name]
    if names.REGION in errors.dims:
        errors = errors.sel({names.REGION: names.REGIONS[1]})
    finite = errors.values[np.isfinite(errors.values)]
    return float(finite.max()) if finite.size else 0.0


_WITH_ERRORS = ("scores", "orders", "prediction")  # whose differences show their error


def _scores(compared: _Compared, order: tuple[str, ...]) -> tuple[Score, ...]:
    """The scores of the systems, where all have one: of two on the items that both have, where
    the data have these.
    """
    systems, data = compared.systems, compared.data
    if "score" not in systems or bool(systems["score"].isna().any()):
        return ()
    by_name = {row["system"]: row for row in systems.to_dict("records")}
    fields = ("system", "score", "score_lower", "score_upper", "n_right", "n_scored")
    scores = tuple(Score(**{k: _plain(by_name[name].get(k)) for k in fields}) for name in order)
    if len(order) == 1 or "score_shared" not in data:
        return scores
    shared = data["score_shared"].transpose(*names.SQUARE).values
    first, second = compared.places(*order)
    both = (shared[first, second], shared[second, first])
    return tuple(
        Score(system=score.system, score=float(value), shared=True)
        for score, value in zip(scores, both, strict=True)
    )


_JOINT = {"mean": "mean score", "accuracy": None}  # what the joint model is of, if it is said


def _with_systems(answer: Answer, compared: _Compared, by: str | None) -> Answer:
    """With all verdicts, the baseline, and who may be the best, where compared jointly."""
    pairs, systems, provenance = compared.pairs, compared.systems, compared.provenance
    verdicts = compared.verdicts
    beaten = {*pairs["other"][verdicts == "better"], *pairs["system"][verdicts == "worse"]}
    others = len(systems) - 1
    never = systems["never_compared"] if "never_compared" in systems else [0] * len(systems)
    met = [others - int(n) for n in never]
    answer = replace(
        answer,
        by=by or _JOINT.get(quantity := provenance.joint_quantity or "", quantity or None),
        unbeaten=tuple(
            Unbeaten(system=name, n_worse=int(n), n_compared=k if k < others else None)
            for name, n, k in zip(systems["system"], systems["better_than"], met, strict=True)
            if name not in beaten and k  # who met nobody is not unbeaten
        ),
        verdict_counts=_verdict_counts(pairs, verdicts),
        baseline=_baseline(compared),
    )
    if "prob_best" not in systems or bool(systems["prob_best"].isna().all()):
        why = provenance.no_joint or "pairwise answers do not show which system is best"
        return replace(answer, no_joint=why)
    top = systems.sort_values("prob_best", ascending=False, kind="stable").to_dict("records")
    size = sum(bool(row["in_best_set"]) for row in top) if "in_best_set" in systems else None
    best = tuple(
        Candidate(
            system=row["system"],
            p=float(row["prob_best"]),
            p_mcse=_plain(row.get("prob_best_mcse")) or 0.0,
        )
        for row in top
    )
    met = compared.against(best[0].system, [candidate.system for candidate in best])
    rivals = tuple((verdict, tuple(met[verdict])) for verdict in _NOT_BEATEN if verdict in met)
    share = provenance.ci_prob or names.CI_PROB
    return replace(answer, best=best, n_best_set=size, best_share=share, rivals=rivals)


_NOT_BEATEN = ("split", "equivalent", "undecided")


def _with_leader(answer: Answer, compared: _Compared) -> Answer:
    """With how much the leader is ahead of the first that is undecided against it, else of the
    next; with a baseline, differences from it say more.
    """
    pairs = compared.pairs
    if answer.baseline or answer.failures or "difference" not in pairs:
        return answer
    leader = _leader(answer, compared)
    candidates = [candidate.system for candidate in answer.best] or compared.order
    by_verdict = compared.against(leader, candidates)
    behind = sorted(by_verdict.get("worse", []), key=compared.order.index)
    close = ("undecided", *_NOT_BEATEN[:2])
    others = [other for verdict in close for other in by_verdict.get(verdict, [])] + behind
    if not others:
        return answer
    of_pair = pairs["system"].isin([leader, others[0]]) & pairs["other"].isin([leader, others[0]])
    row = pairs[of_pair].to_dict("records")[0]
    row = row if row["other"] == leader else _other_side(row)
    pair = _pair(compared, row, answer.by)
    best = {candidate.system for candidate in answer.best[: answer.n_best_set]}
    return replace(
        answer,
        leader=pair,
        scores=_scores(compared, (pair.second, pair.first)),
        n_also_undecided=len({*by_verdict.get("undecided", [])} - best) if best else 0,
    )


def _other_side(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row of `tables.pairs` with its size from the side of the other system."""
    swapped = {"system": "other", "other": "system", "wins": "losses", "losses": "wins"}
    negated = {"difference": "difference", "lower": "upper", "upper": "lower"}
    sides = {k: row[v] for k, v in swapped.items() if v in row}
    return {**row, **sides, **{k: -row[v] for k, v in negated.items() if v in row}}


def _verdict_counts(pairs: pd.DataFrame, verdicts: np.ndarray) -> VerdictCounts:
    reasons = pairs["reason"].tolist() if "reason" in pairs else []
    without = pairs[verdicts == "no_data"].head(_PAIRS_NAMED)
    met = zip(without["system"].tolist(), without["other"].tolist(), strict=True)
    count = {name: int((verdicts == name).sum()) for name in _VERDICTS}
    return VerdictCounts(
        n_pairs=len(pairs),
        joint="pairwise_verdict" in pairs,
        n_better=count["better"] + count.pop("worse"),
        **{f"n_{verdict}": n for verdict, n in count.items() if verdict != "better"},
        n_missing_decides=reasons.count(names.MISSING_DECIDES),
        no_data_pairs=tuple(f"{a} with {b}" for a, b in met),
    )


_VERDICTS = ("better", "worse", "equivalent", "undecided", "split", "no_data", "no_verdict")


def _baseline(compared: _Compared) -> Baseline | None:
    provenance, pairs, order = compared.provenance, compared.pairs, compared.order
    if provenance.baseline is None:
        return None
    base = on_one_line(provenance.baseline)
    met = compared.against(base, order)
    score = _scores(compared, (base,))
    from_base: dict[str, Any] = {}  # rows of the compared pairs with it, from the other side
    for row in pairs.to_dict("records") if "difference" in pairs else ():
        measured = row["verdict"] not in tables.NO_VERDICT and not np.isnan(row["difference"])
        if measured and base in (row["system"], row["other"]):
            row = row if row["other"] == base else _other_side(row)
            from_base[row["system"]] = row
    others = [system for system in order if system in from_base]
    return Baseline(
        system=base,
        score=score[0].score if score else None,
        **{verdict: tuple(met.get(verdict, ())) for verdict in _VERDICTS[:5]},
        no_verdict=(*met.get("no_verdict", ()), *met.get("no_data", ())),
        differences=tuple((k, from_base[k]["difference"]) for k in others),
        intervals=tuple((k, (from_base[k]["lower"], from_base[k]["upper"])) for k in others),
        score_is=score_noun(score_label(provenance, "n_right" in compared.systems)),
        difference_is=provenance.difference_is or "",
    )


def _prospects(answer: Answer, compared: _Compared) -> tuple[More | None, Firmness | None]:
    """What more items would do, and what would undo the verdict, of the pairs that matter most."""
    data = compared.data
    if answer.pair is not None:
        prospects = pair_prospects(data)
        return (prospects, None) if isinstance(prospects, More) else (None, prospects)
    leader = _leader(answer, compared)
    more: More | None = None
    # an undecided pair with the baseline matters most
    likely = [candidate.system for candidate in answer.best] or compared.order
    for system in [answer.baseline.system, leader] if answer.baseline else [leader]:
        undecided = compared.against(system, likely).get("undecided", [])
        if "pairwise_verdict" in compared.pairs:  # a pair is planned alone
            alone = compared.against(system, compared.order, "pairwise_verdict")
            undecided = [other for other in undecided if other in alone.get("undecided", [])]
        if more is None and undecided:
            best = () if answer.baseline else answer.best[: answer.n_best_set or 0]
            others = [candidate.system for candidate in best if candidate.system != leader]
            more = separating(data, system, undecided[0], others)
    one_best = answer.has_best and not answer.rivals
    alone = one_best if answer.best else len(answer.unbeaten) == 1
    # the verdict on the next system is the decision only where there is one leader
    behind = compared.against(leader, compared.order).get("worse", []) if alone else []
    firmness = pair_prospects(needed(data, (leader, behind[0]))) if behind else None
    return more, firmness if isinstance(firmness, Firmness) else None


def _leader(answer: Answer, compared: _Compared) -> str:
    """The probable best, or the first in the table that no other is better than.

    Of systems with the same score the first in the table leads: P(best) orders them by chance.
    """
    order, systems = compared.order, compared.systems
    if not answer.best:
        return answer.unbeaten[0].system if answer.unbeaten else order[0]
    best = answer.best[0].system
    if compared.provenance.joint_model != names.AMONG_ALL or "score" not in systems:
        return best
    score = systems["score"][order.index(best)]
    return order[systems["score"].tolist().index(score)]


def _plain(value: Any) -> Any:
    """A plain number, text or truth; None for nan."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value

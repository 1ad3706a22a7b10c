"""Robustness of an answer: sample size, fragility, replication, missing scores, and ties."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.planning import edges
from betterthan.exact.planning.design import soonest
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.verdicts import (
    VERDICTS,
    Items,
    Units,
    after,
    after_units,
    other_side,
)
from betterthan.exact.wins.beta import prob_above_half
from betterthan.results import numbers, tables
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.signed import Signature

BY_COUNTS = (None, "dirichlet_multinomial", "beta_binomial")  # models that answer what counts do
_OTHERS = "wins_prob_better", "mean_prob_better"
_NEEDED = (
    *("prob_better", "verdict", "counts", "n", "n_gold", "n_units"),
    *("difference_mean", "difference_lower", "difference_upper"),
    *("difference_error", "difference_df", "difference_skewness"),
    *_OTHERS,
)
_COMPUTED = ("more_items", "more_probability", "more_equivalent", "replicates", "drop", "turn")
_DECIDED = slice(3)  # of `VERDICTS`, all but undecided
_SEARCHED = 3  # decided pairs up to which, with a ROPE, the fewest items to flip are searched
_ITEMS_SEARCHED = 2**20  # whose wins are tried one by one


@dataclass(frozen=True)
class CountEvidence:
    """Wins, losses and ties of each pair, (rows, 3) or (rows, 2)."""

    counts: np.ndarray
    rule: Rule

    @classmethod
    def from_pairs(cls, pairs: xr.Dataset, provenance: Signature) -> "CountEvidence":
        """Of pairs of a comparison."""
        counts = pairs["counts"].transpose(names.PAIR, names.OUTCOME).values.astype(np.int64)
        prior = (provenance.prior or names.PRIOR)[: counts.shape[1]]
        threshold = provenance.threshold or names.VERDICT_PROB
        return cls(counts, Rule(prior, threshold, provenance.rope or 0.0))

    @property
    def items(self) -> Items:
        """Those to come."""
        return Items(self.counts + np.asarray(self.rule.prior))

    def take(self, pairs: np.ndarray) -> "CountEvidence":
        """Some of the pairs."""
        return replace(self, counts=self.counts[pairs])

    def predicts(self) -> np.ndarray:
        """Of which pairs items to come can be foreseen."""
        return np.ones(len(self.counts), dtype=bool)

    def glance(self, pairs: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4); with a rope roughly."""
        return after(self.items.take(pairs), self.counts[pairs], n, replace(self.rule, rough=True))

    def after(self, pairs: np.ndarray, n: np.ndarray) -> np.ndarray:
        """The same, exactly."""
        return after(self.items.take(pairs), self.counts[pairs], n, self.rule)

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh items, (rows, 4)."""
        return after(self.items, np.zeros_like(self.counts), self.counts.sum(1), self.rule)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """How many items would have to go, or to turn."""
        many = len(verdict) > _SEARCHED or int(self.counts.sum(1).max(initial=0)) > _ITEMS_SEARCHED
        if self.rule.rope and (many or self.counts.shape[1] < 3):
            return {}
        if self.rule.rope:
            return {"turn": edges.fewest_flips(self.counts, self.rule).fewest}
        fewest = fewest_changes(self.counts, verdict, self.rule)
        return {name: fewest[name] for name in ("drop", "turn")}


FEWEST = ("drop", "turn", "drop_to_other", "turn_to_other")


def fewest_changes(counts: np.ndarray, verdict: np.ndarray, rule: Rule) -> dict[str, np.ndarray]:
    """Of verdicts without a ROPE, the fewest items that overturn each; nan of undecided ones."""
    w, l = counts[:, 0], counts[:, 1]
    for_a = edges.fewest_from_wins(w, l, rule)
    for_b = edges.fewest_from_wins(l, w, rule.swapped())
    both = zip(FEWEST, for_a, for_b, strict=True)
    sides = [verdict == "a_better", verdict == "b_better"]
    return {name: np.select(sides, [a, b], np.nan) for name, a, b in both}


_BY_UNITS = ("n_units", *(f"difference_{k}" for k in ("mean", "error", "df", "skewness")))


@dataclass(frozen=True)
class UnitEvidence:
    """Differences of means on units."""

    units: Units
    rope: float
    threshold: float

    @classmethod
    def from_pairs(cls, pairs: xr.Dataset, provenance: Signature) -> "UnitEvidence":
        """Of pairs of a comparison."""
        column = {name: pairs[name].values.astype(float) for name in _BY_UNITS if name in pairs}
        n, df = column["n_units"], np.nan_to_num(column["difference_df"], nan=1.0)
        error = np.nan_to_num(column["difference_error"])
        none = np.zeros(len(n), dtype=int)
        most = np.inf if provenance.difference_most is None else provenance.difference_most
        mean = np.nan_to_num(column["difference_mean"])
        means = PairMeans(mean, error, n, none, none, df, column.get("difference_skewness"), most)
        units = Units.from_pairs(means, -1.0 if provenance.lower_mean else 1.0)
        return cls(units, provenance.rope or 0.0, provenance.threshold or names.VERDICT_PROB)

    def take(self, pairs: np.ndarray) -> "UnitEvidence":
        """Some of the pairs."""
        return replace(self, units=self.units.take(pairs))

    def predicts(self) -> np.ndarray:
        """Of which pairs units to come can be foreseen."""
        return self.units.predicts

    def after(self, pairs: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4)."""
        return after_units(self.take(pairs).units, n, self.rope, self.threshold)

    glance = after

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh units, (rows, 4)."""
        fresh = self.units.units.astype(np.int64)
        return after_units(self.units, fresh, self.rope, self.threshold, kept=False)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """No fragility is defined for means."""
        del verdict
        return {}


_NON_TIED = "non-tied "


def outlook_table(data: xr.Dataset, target: float, requested: Any, most: int) -> xr.Dataset:
    """The numbers of `plan.outlook`, over ``pair``, by the engine that is read first.

    Parameters
    ----------
    data : xarray.Dataset
        A comparison.
    target : float
        The probability with which more items are to give a verdict.
    requested : sequence of (str, str), or None for all
        Pairs of systems.
    most : int
        Of how many of them at most, the first ones.
    """
    provenance = Signature.from_attrs(data.attrs)
    pairs = _only(tables.unordered_pairs(tables.leading(needed(data))), requested)
    pairs = pairs.isel({names.PAIR: slice(most)})
    verdict = pairs["verdict"].values.astype("U16")
    # labels alone are not what the verdict on judged items is from
    evidence = None if "n_gold" in data else _evidence(pairs, provenance)
    columns = {name: np.full(len(verdict), np.nan) for name in _COMPUTED}
    disagree = _disagree(pairs, provenance)
    if evidence is not None:
        undecided = np.flatnonzero((verdict == "undecided") & ~disagree)
        for name, values in _more_items(evidence.take(undecided), target).items():
            columns[name][undecided] = values
        decided = np.flatnonzero(np.isin(verdict, VERDICTS[_DECIDED]))
        if decided.size:
            of_decided, same = evidence.take(decided), list(map(VERDICTS.index, verdict[decided]))
            columns["replicates"][decided] = of_decided.again()[np.arange(len(same)), same]
            for name, values in of_decided.firm(verdict[decided]).items():
                columns[name][decided] = values
    copied = {k: v for k, v in data.attrs.items() if k in ("version", "prior", "rope", "threshold")}
    clusters = isinstance(evidence, UnitEvidence) and provenance.unit == "cluster"
    attrs = copied | {"answer": "outlook", "target": target}
    dropped = isinstance(evidence, CountEvidence) and provenance.ties in ("drop", "unknown")
    attrs["of"] = "clusters" if clusters else f"{_NON_TIED * dropped}{provenance.observation}s"
    attrs |= {"pairwise": 1} if "pairwise_verdict" in data else {}
    turn = tables.b_first(pairs)  # where the second system is ahead
    a, b = (pairs[k].values.astype(str) for k in names.SQUARE)
    table: dict[str, Any] = {"now": np.where(turn, other_side(verdict), verdict)}
    table |= {name: pairs[name].values for name in ("n", "n_gold", "n_units") if name in pairs}
    if disagree.any():
        table["wins_and_means_differ"] = disagree
    if "counts" in pairs and provenance.ties not in names.SPLIT_TIES:
        won_or_lost = pairs["counts"].isel({names.OUTCOME: slice(2)})
        table["decisive"] = won_or_lost.sum(names.OUTCOME).values
    sides = zip(names.SQUARE, (np.where(turn, b, a), np.where(turn, a, b)), strict=True)
    coords = {side: (names.PAIR, systems) for side, systems in sides}
    variables = {k: (names.PAIR, values) for k, values in (table | columns).items()}
    return xr.Dataset(variables, coords, attrs)


def _differing(table: xr.Dataset) -> np.ndarray:
    """Pairs of an outlook of which wins and means favor different systems."""
    name = "wins_and_means_differ"
    return table[name].values if name in table else np.zeros(table.sizes[names.PAIR], dtype=bool)


def _disagree(pairs: xr.Dataset, provenance: Signature) -> np.ndarray:
    """Pairs of which wins and means favor different systems: more items could split them, which is
    not predicted.
    """
    disagree, better = np.zeros(pairs.sizes[names.PAIR], dtype=bool), pairs["prob_better"].values
    for name in _OTHERS if provenance.splits else ():
        if name in pairs:
            disagree |= (better - 0.5) * (pairs[name].values - 0.5) < 0
    return disagree


def needed(data: xr.Dataset, systems: Sequence[str] | None = None) -> xr.Dataset:
    """Of a comparison what an outlook is made of, of each pair alone: the rest would be carried
    along for nothing. Of these systems, by their names on one line, or of all.
    """
    alone = {name: f"pairwise_{name}" for name in _NEEDED}
    source = {name: k if k in data else name for name, k in alone.items()}
    variables = {name: data.variables[k] for name, k in source.items() if k in data}
    dims = {dim for variable in variables.values() for dim in variable.dims}
    coords = {k: coord for k, coord in data.coords.items() if set(coord.dims) <= dims}
    part = xr.Dataset(variables, coords, data.attrs)
    if systems is None:
        return part
    labels = labels_on_one_line(data[names.SYSTEM_A].values)
    places = [labels.index(s) for s in systems]
    return part.isel({names.SYSTEM_A: places, names.SYSTEM_B: places})


def _only(pairs: xr.Dataset, requested: Any) -> xr.Dataset:
    """The pairs that are asked for, in whichever direction."""
    if requested is None:
        return pairs
    both = zip(*(pairs[k].values.astype(str).tolist() for k in names.SQUARE), strict=True)
    place = {frozenset(pair): k for k, pair in enumerate(both)}
    if not isinstance(requested, list | tuple | set):
        raise ValueError(f"pairs is {checks.quoted(requested)}; give pairs of names of systems")
    for pair in requested:
        if not isinstance(pair, tuple | list | set | frozenset):
            raise ValueError(f"pairs hold {checks.quoted(pair)}; give two systems for each pair")
    sides = [frozenset(map(str, pair)) for pair in requested]
    for pair in sides:
        if pair not in place:
            raise ValueError(
                f"pairs hold {' and '.join(sorted(pair))}, which were not compared; give two "
                "systems that were"
            )
    return pairs.isel({names.PAIR: [place[pair] for pair in sides]})


def _evidence(pairs: xr.Dataset, provenance: Signature) -> CountEvidence | UnitEvidence | None:
    """What the answers were computed from, where it is counts, or means on units."""
    if (
        provenance.failures
        or provenance.threshold is None
        or provenance.prior_sd
        or provenance.over
        or provenance.unit == names.MEASURE  # of which no new ones are drawn
    ):
        return None
    if "n_units" in pairs:
        return UnitEvidence.from_pairs(pairs, provenance)
    if provenance.model not in BY_COUNTS or "counts" not in pairs or provenance.prior is None:
        return None
    return CountEvidence.from_pairs(pairs, provenance)


def _more_items(pairs: CountEvidence | UnitEvidence, target: float) -> dict[str, np.ndarray]:
    """How many more items undecided pairs need."""
    predictable = pairs.predicts()
    items = np.full(len(predictable), np.nan)
    after_more = np.full((len(predictable), len(VERDICTS)), np.nan)

    def sure(index: np.ndarray, n: np.ndarray) -> np.ndarray:
        after_more[index] = pairs.after(index, n)
        return after_more[index, _DECIDED].sum(1)

    def glance(index: np.ndarray, n: np.ndarray) -> np.ndarray:
        return pairs.glance(index, n)[:, _DECIDED].sum(1)

    index = np.flatnonzero(predictable)
    if index.size:
        items[index] = soonest(glance, sure, index, target)
    return {
        "more_items": items,
        "more_probability": after_more[:, _DECIDED].sum(1),
        "more_equivalent": after_more[:, VERDICTS.index("equivalent")],
    }


def outlook_lines(data: xr.Dataset) -> tuple[str, ...]:
    """One line a pair, of the first few."""
    pairs = (data.isel({names.PAIR: k}) for k in range(data.sizes[names.PAIR]))
    lines = (_outlook_line(pair, data.attrs) for pair in pairs)
    return tuple(line for line in lines if line)[:_LINES]


_LINES = 5


def _outlook_line(pair: xr.Dataset, attrs: dict[str, Any]) -> str:
    """What to expect of a pair; empty where nothing can be predicted."""
    a, b = (str(pair[k].values) for k in names.SQUARE)
    now, units = str(pair["now"].values), attrs["of"]
    if now == "undecided" and pair.get("wins_and_means_differ", False):
        return (
            f"{a} or {b} (undecided): means and wins favor different systems. More {units} may "
            f"split them; for a verdict, choose quantity='mean' or 'wins'."
        )
    if now == "undecided":
        more = "" if np.isnan(pair["more_probability"]) else _items_to_verdict(pair, attrs)
        return more and f"{a} or {b} (undecided{' pairwise' * attrs.get('pairwise', 0)}): {more}."
    again = float(pair["replicates"])
    if np.isnan(again):
        return ""
    text = (
        f"the replication probability (same verdict on as many new {units}) is "
        f"{numbers.probability(again)}"
    )
    if not np.isnan(pair["turn"]):
        text = f"flipping {items_to_flip(pair)} would overturn this verdict; {text}"
    ahead = f"{a} and {b} are practically equivalent"
    ahead = ahead if now == "equivalent" else f"{a} is better than {b}"
    return f"{'Pairwise, ' * attrs.get('pairwise', 0)}{ahead}: {text}."


def items_to_flip(pair: xr.Dataset) -> str:
    """The fewest items that overturn a verdict: ``2 of the 14 non-tied items``."""
    non_tied = str(pair["now"].values) != "equivalent" and "decisive" in pair
    flips, n = int(pair["turn"]), int(pair["decisive"] if non_tied else pair["n"])
    units = f"{_NON_TIED * non_tied}{wins_counted_on(pair.attrs)}"
    return f"the only {units[:-1]}" if n == flips == 1 else f"{flips:,} of the {n:,} {units}"


def wins_counted_on(attrs: dict[Any, Any]) -> str:
    """What wins are counted on, by the attributes of a plan: items, judgments or measures."""
    of = str(attrs.get("of", "items")).removeprefix(_NON_TIED)
    return "items" if of == "clusters" else of


def _items_to_verdict(pair: xr.Dataset, attrs: dict[str, Any]) -> str:
    """How many more items an undecided pair needs, given the data so far."""
    units = attrs["of"]
    if np.isnan(pair["more_items"]):
        return (
            f"more than 10,000 additional {units} would be needed for a verdict with probability "
            f"{attrs['target']:g}"
        )
    both = (float(pair[k]) for k in ("more_probability", "more_equivalent"))
    p, equivalent = map(numbers.probability, both)
    within = f" (practically equivalent: {equivalent})" if attrs["rope"] else ""
    return (
        f"{int(pair['more_items']):,} more {units} would lead to a verdict with probability {p}"
        f"{within}, given the data so far"
    )


TARGET = 0.8  # probability with which more items are to decide
_FURTHEST = 10_000  # items up to which `outlook` looks
# Items, flipped or in a prior, up to which a verdict is fragile. A warning of up to 5 came with 40%
# of the verdicts of simulated data sets (docs/methods/calibration.md), and would not be read.
FRAGILE = 1


@dataclass(frozen=True, kw_only=True)
class More:
    """How many more items an undecided pair needs."""

    first: str
    second: str
    items: int | None = None
    beyond: int | None = None  # more than these, in the place of items
    equivalent: bool = False  # they may also show practical equivalence
    decisive: bool = False  # ties are unknown or dropped: only items that one wins are counted
    others: int = 1  # candidates to separate the first from
    separated: int = 1  # of these, those that the items separate
    split: int = 0  # of these, those on which wins and means may come to disagree
    n_unlabelled: int | None = None  # judged items without a label, of a plan of labels

    @property
    def separates_most(self) -> bool:
        """Whether the items separate most of the other candidates."""
        return 2 * self.separated > self.others

    @property
    def restriction(self) -> str:
        """Which items these are, where they are not all."""
        return " that one of the two wins" if self.decisive else ""


@dataclass(frozen=True, kw_only=True)
class Firmness:
    """What would undo the verdict on a pair, and whether a replication would reach it."""

    first: str
    second: str
    equivalent: bool = False
    replicates: float | None = None  # probability of the same verdict on as many new items
    flips: int | None = None  # fewest decisive items that undo it, had they gone the other way
    decisive: int | None = None  # items that one of the two won
    prior_items: int | None = None  # fewest items of a prior, half won by each, that undo it


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Missing scores, and what other values of them could change."""

    n: int  # scores
    n_pairs: int  # pairs that lack scores
    n_hold: int  # of these, verdicts that hold for every value
    if_wrong: tuple[str, str, float] | None = None  # better, worse, P, were all missing wrong
    n_if_wrong: int | None = None  # of many pairs, other verdicts then
    lowest: float | None = None  # of one pair, P(the system ahead is better) in the worst case
    highest: float | None = None  # and in the best case
    complete: bool = False  # only items that all systems have are compared
    items: bool = True  # of some pair, and not only runs of items


def pair_prospects(pair: xr.Dataset) -> More | Firmness | None:
    """Of an undecided pair how many more items it needs, of a decided one how firm it is.

    Parameters
    ----------
    pair : xarray.Dataset
        A comparison of two systems.
    """
    provenance = Signature.from_attrs(pair.attrs)
    table = outlook_table(pair, TARGET, None, 1)
    first, second = (on_one_line(str(table[k].values[0])) for k in names.SQUARE)
    value = {str(k): v.values[0].item() for k, v in table.data_vars.items()}
    if value["now"] == "undecided":
        return _more(table, 0, pair)
    if math.isnan(value["replicates"]):
        return None
    equivalent = value["now"] == "equivalent"
    flips = "decisive" in value and not (math.isnan(value["turn"]) or equivalent)
    return Firmness(
        first=first,
        second=second,
        equivalent=equivalent,
        replicates=value["replicates"],
        flips=int(value["turn"]) if flips else None,
        decisive=int(value["decisive"]) if flips else None,
        prior_items=None if equivalent else _prior_items(pair, provenance),
    )


def _more(table: xr.Dataset, row: int, data: xr.Dataset) -> More | None:
    """How many more items an undecided pair of an outlook needs; None where nothing is known."""
    first, second = (on_one_line(str(table[k].values[row])) for k in names.SQUARE)
    items, probability = (table[f"more_{k}"].values[row] for k in ("items", "probability"))
    without_ties = data.sizes.get(names.OUTCOME) == 2 and "decisive" in table
    only_prior = without_ties and not table["decisive"].values[row]
    if math.isnan(probability) or only_prior:
        return None
    provenance = Signature.from_attrs(data.attrs)
    within = not math.isnan(items)
    return More(
        first=first,
        second=second,
        items=int(items) if within else None,
        beyond=None if within else _FURTHEST,
        equivalent=bool(provenance.rope),
        decisive=provenance.ties == "unknown" or table.attrs["of"].startswith(_NON_TIED),
    )


_PLANNED = 20  # candidates, at most, that a plan separates from the first


def separating(
    data: xr.Dataset, leader: str, second: str, others: Sequence[str] = ()
) -> More | None:
    """How many more items separate the leader from an undecided second, and from each other
    candidate that so many can; a pair with a pairwise verdict needs none. Of very many candidates
    one pair is planned for.
    """
    planned = others if 2 <= len(others) <= _PLANNED else ()
    compared = list(dict.fromkeys([*planned, second]))
    of_both = needed(data, (leader, *compared))
    kept = of_both[names.SYSTEM_A].values
    table = outlook_table(of_both, TARGET, [(kept[0], other) for other in kept[1:]], len(compared))
    more = _more(table, compared.index(second), of_both)
    if more is None or not planned:
        return more
    table = table.isel({names.PAIR: slice(len(planned))})
    differ = _differing(table)
    undecided = (table["now"].values == "undecided") & ~differ
    if np.isnan(table["more_probability"].values[undecided]).any():
        return more
    items, split = table["more_items"].values, int(differ.sum())
    beyond = int((undecided & np.isnan(items)).sum())
    if split and 2 * (beyond + split) >= len(others):
        return more
    return replace(
        more,
        first=leader,
        second=more.second if more.first == leader else more.first,
        items=None if np.isnan(items).all() else int(np.nanmax(items)),
        beyond=_FURTHEST if beyond else None,
        others=len(others),
        separated=len(others) - beyond - split,
        split=split,
    )


def more_labels(row: Mapping[str, Any], provenance: Signature) -> More | None:
    """How many more human labels of random items an undecided pair of judged items needs: as many
    more effective labels as a mean of independent items with the same error; None where so few
    labels predict nothing.
    """
    n, r2, effective, size = (row[k] for k in ("n", "r2", "effective_gold", "difference"))
    z = special.ndtri((1 + (provenance.ci_prob or names.CI_PROB)) / 2)
    error = (row["upper"] - row["lower"]) / (2 * z)
    units = Units(np.array([size]), np.array([error]), np.array([effective]))
    threshold = provenance.threshold or names.VERDICT_PROB
    evidence = UnitEvidence(units, provenance.rope or 0.0, threshold)
    if not evidence.predicts().all():
        return None
    total = effective + _more_items(evidence, TARGET)["more_items"].item()
    if total < n:  # of which some are from the judge
        total *= (1 - r2) / (1 - r2 * total / n)
    within = not math.isnan(total)
    return More(
        first=row["system"],
        second=row["other"],
        items=_rounded(total - row["n_gold"]) if within else None,
        beyond=None if within else _FURTHEST,
        equivalent=bool(provenance.rope),
        n_unlabelled=int(n - row["n_gold"]),
    )


def _rounded(n: float) -> int:
    """Up, to two digits."""
    unit = 10 ** max(math.floor(math.log10(n)) - 1, 0)
    return math.ceil(n / unit) * unit


def _prior_items(pair: xr.Dataset, provenance: Signature) -> int | None:
    """The fewest items of a prior, half won by each, that undo the verdict, where they are few."""
    prior = provenance.prior or ()
    by_counts = provenance.ties in ("third", "all") and pair.sizes[names.OUTCOME] == len(prior)
    if not by_counts or "n_units" in pair or provenance.model is not None or provenance.over:
        return None
    counts = pair["counts"].transpose(*names.SQUARE, names.OUTCOME).values[0, 1]
    behind, ahead = sorted(float(n + p) for n, p in zip(counts[:2], prior[:2], strict=True))
    items = np.arange(FRAGILE + 1)
    p, threshold = prob_above_half(ahead + items / 2, behind + items / 2), provenance.threshold
    holds = p >= (threshold or names.VERDICT_PROB)
    return int(holds.argmin()) if holds[0] and not holds.all() else None


def missing_effects(data: xr.Dataset, n: int) -> Missing | None:
    """Of how many pairs scores are missing, and how many verdicts hold whatever these are."""
    if "missing_holds" not in data:
        return None
    data = data.transpose(*names.SQUARE, ...)
    upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    lacking = data["n_missing"].values[upper] > 0
    holds = data["missing_holds"].values[upper]
    n_pairs, n_hold = int(lacking.sum()), int((lacking & holds).sum())
    complete = data.attrs.get("missing") == "complete"
    items = "n_dropped" not in data or bool(data["n_dropped"].values[upper].any())
    missing = Missing(n=n, n_pairs=n_pairs, n_hold=n_hold, complete=complete, items=items)
    if len(holds) == 1 and "missing_probability" in data:
        place = (0, 1) if data["prob_better"].values[0, 1] >= 0.5 else (1, 0)
        limits = data["missing_probability"].values[place]
        missing = replace(missing, lowest=float(limits[0]), highest=float(limits[1]))
    if "verdict_if_wrong" not in data:
        return missing
    differs = _verdict_of_shared(data) != data["verdict_if_wrong"].values
    changed = int((differs[upper] & lacking).sum())
    if len(holds) > 1 or not changed:
        return replace(missing, n_if_wrong=changed or None)
    p = float(data["prob_better_if_wrong"].values[0, 1])
    pair = labels_on_one_line(data[names.SYSTEM_A].values)
    first, second = pair if p >= 0.5 else pair[::-1]
    return replace(missing, if_wrong=(first, second, max(p, 1 - p)))


def _verdict_of_shared(data: xr.Dataset) -> np.ndarray:
    """The verdict of each pair on the items that both have, also where it is withheld as the scores
    of the others are missing on hard items.
    """
    verdict, p = (data[k].values for k in ("verdict", "prob_better"))
    if data.attrs.get("rope"):
        return verdict
    threshold = data.attrs.get("threshold") or names.VERDICT_PROB
    shared = np.select([p >= threshold, threshold <= p.T], ["a_better", "b_better"], "undecided")
    return np.where(verdict == "no_verdict", shared, verdict)


def tie_changes(data: xr.Dataset) -> tuple[str, ...] | None:
    """Policies for ties that change verdicts, with the verdict or the number of pairs; None where
    no other policy was asked for.
    """
    if "verdict_by_ties" not in data:
        return None
    by_policy = data["verdict_by_ties"].transpose(names.TIES_POLICY, *names.SQUARE)
    upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    verdicts = {
        str(policy): by_policy.sel({names.TIES_POLICY: policy}).values.astype(str)[upper]
        for policy in by_policy[names.TIES_POLICY].values
    }
    systems = labels_on_one_line(data[names.SYSTEM_A].values)
    if len(systems) == 2:
        a, b = systems
        policies = _POLICIES | {"to_a": f"all to {a}", "to_b": f"all to {b}"}
        better = {"a_better": f"{a} better", "b_better": f"{b} better"}
        by_policy = {policy: str(pair[0]) for policy, pair in verdicts.items()}
        return tuple(
            f"{policies[policy]} ({better.get(verdict, verdict)})"
            for policy, verdict in by_policy.items()
            if verdict != by_policy["third"]
        )
    changed = {policy: pairs != verdicts["third"] for policy, pairs in verdicts.items()}
    policies = {words: changed[policy] for policy, words in _POLICIES.items()}
    policies["all to one side"] = changed["to_a"] | changed["to_b"]
    return tuple(f"{words} ({c.sum():,} of {len(c):,})" for words, c in policies.items() if c.any())


_POLICIES = {"third": "kept", "drop": "dropped", "half": "half each"}

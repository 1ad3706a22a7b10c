"""Robustness of an answer: sample size, fragility, replication, missing scores, and ties."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.joint.units import PairMeans
from betterthan.exact.planning import fragile
from betterthan.exact.planning.edges import Rule
from betterthan.exact.planning.soonest import soonest
from betterthan.exact.planning.units import Units, after_units
from betterthan.exact.planning.verdicts import VERDICTS, Items, after, other_side
from betterthan.posterior.sensitivity import prior_sweep
from betterthan.results import numbers, rows
from betterthan.results.escapes import on_one_line
from betterthan.signed import Signature

_BY_COUNTS = (None, "dirichlet_multinomial", "beta_binomial")  # models that answer what counts do
_NEEDED = (
    *("prob_better", "verdict", "counts", "n", "n_units"),
    *("difference_mean", "difference_lower", "difference_upper"),
    *("difference_error", "difference_df", "difference_skewness"),
)
_TOLD = ("more_items", "more_probability", "more_equivalent", "replicates", "drop", "turn")
_VERDICT = slice(3)  # of `VERDICTS`, all but undecided


_SEARCHED = 3  # pairs of which it is searched, with a rope, how many items would have to turn


@dataclass(frozen=True)
class CountEvidence:
    """Wins, losses and ties of each pair, (rows, 3) or (rows, 2)."""

    counts: np.ndarray
    rule: Rule

    @classmethod
    def of(cls, pairs: xr.Dataset, made: Signature) -> "CountEvidence":
        """Of pairs of a comparison."""
        counts = pairs["counts"].transpose(names.PAIR, names.OUTCOME).values.astype(np.int64)
        prior, threshold = made.prior or names.PRIOR, made.threshold or names.VERDICT_PROB
        return cls(counts, Rule(prior[: counts.shape[1]], threshold, made.rope or 0.0))

    @property
    def items(self) -> Items:
        """Those to come."""
        return Items(self.counts + np.asarray(self.rule.prior))

    def take(self, at: np.ndarray) -> "CountEvidence":
        """Some of the pairs."""
        return replace(self, counts=self.counts[at])

    def predicts(self) -> np.ndarray:
        """Of which pairs items to come can be foreseen."""
        return np.ones(len(self.counts), dtype=bool)

    def glance(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4); with a rope roughly."""
        return after(self.items.take(at), self.counts[at], n, replace(self.rule, rough=True))

    def after(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """The same, exactly."""
        return after(self.items.take(at), self.counts[at], n, self.rule)

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh items, (rows, 4)."""
        return after(self.items, np.zeros_like(self.counts), self.counts.sum(1), self.rule)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """How many items would have to go, or to turn."""
        if self.rule.rope and (len(verdict) > _SEARCHED or self.counts.shape[1] < 3):
            return {}
        if self.rule.rope:
            return {"turn": fragile.fewest_turned(self.counts, self.rule).fewest}
        w, l = self.counts[:, 0], self.counts[:, 1]
        for_a = fragile.of_wins_alone(w, l, self.rule)
        for_b = fragile.of_wins_alone(l, w, self.rule.swapped())
        sides = zip(("drop", "turn"), for_a, for_b, strict=False)
        return {name: np.where(verdict == "a_better", a, b) for name, a, b in sides}


_OF_UNITS = (
    *("n_units", "difference_mean", "difference_error", "difference_df", "difference_skewness"),
)


@dataclass(frozen=True)
class UnitEvidence:
    """Differences of means on units."""

    units: Units
    rope: float
    threshold: float

    @classmethod
    def of(cls, pairs: xr.Dataset, made: Signature) -> "UnitEvidence":
        """Of pairs of a comparison."""
        of = {name: pairs[name].values.astype(float) for name in _OF_UNITS if name in pairs}
        n, df = of["n_units"], np.nan_to_num(of["difference_df"], nan=1.0)
        error = np.nan_to_num(of["difference_error"])
        none = np.zeros(len(n), dtype=int)
        most = np.inf if made.difference_most is None else made.difference_most
        middle = np.nan_to_num(of["difference_mean"])
        found = PairMeans(middle, error, n, none, none, df, of.get("difference_skewness"), most)
        units = Units.of(found, -1.0 if made.lower_mean else 1.0)
        return cls(units, made.rope or 0.0, made.threshold or names.VERDICT_PROB)

    def take(self, at: np.ndarray) -> "UnitEvidence":
        """Some of the pairs."""
        return replace(self, units=self.units.take(at))

    def predicts(self) -> np.ndarray:
        """Of which pairs units to come can be foreseen."""
        return self.units.predicts

    def after(self, at: np.ndarray, n: np.ndarray) -> np.ndarray:
        """P(each verdict) of some pairs after n more, (rows, 4)."""
        return after_units(self.take(at).units, n, self.rope, self.threshold)

    glance = after

    def again(self) -> np.ndarray:
        """P(each verdict) on as many fresh units, (rows, 4)."""
        fresh = self.units.units.astype(np.int64)
        return after_units(self.units, fresh, self.rope, self.threshold, kept=False)

    def firm(self, verdict: np.ndarray) -> dict[str, np.ndarray]:
        """No fragility is defined for means."""
        del verdict
        return {}


def outlook_table(comparison: Any, target: float, pairs: Any, most: int) -> xr.Dataset:
    """The numbers of `plan.outlook`, over ``pair``."""
    target, most = checks.probability(target, "target"), checks.whole(most, "most")
    data = _checked(comparison)
    made = Signature.from_attrs(data.attrs)
    each = _wanted(rows.each_pair(_first_answer(needed(data))), pairs).isel(
        {names.PAIR: slice(most)}
    )
    verdict = each["verdict"].values.astype("U16")
    evidence = _evidence(each, made)
    told = {name: np.full(len(verdict), np.nan) for name in _TOLD}
    if evidence is not None:
        told |= _of_open(evidence, verdict, target) | _of_decided(evidence, verdict)
    found = _labelled(each, verdict, told)
    kept = {k: v for k, v in data.attrs.items() if k in ("version", "prior", "rope", "threshold")}
    of = "clusters" if isinstance(evidence, UnitEvidence) and made.unit == "cluster" else "items"
    return found.assign_attrs(kept | {"answer": "outlook", "target": target, "of": of})


def _checked(comparison: Any) -> xr.Dataset:
    data = getattr(comparison, "data", comparison)
    if not isinstance(data, xr.Dataset) or not {"prob_better", "verdict"} <= set(data.data_vars):
        raise ValueError(
            f"comparison is {checks.shown(comparison)}; give what betterthan.compare returns"
        )
    return data


def needed(data: xr.Dataset) -> xr.Dataset:
    """Of a comparison what an outlook is made of: the rest would be carried along for nothing."""
    return data[[name for name in _NEEDED if name in data]]


def _wanted(each: xr.Dataset, pairs: Any) -> xr.Dataset:
    """The pairs that are asked for, in whichever direction."""
    if pairs is None:
        return each
    both = zip(*(each[k].values.astype(str).tolist() for k in names.SQUARE), strict=True)
    place = {frozenset(pair): k for k, pair in enumerate(both)}
    wanted = [frozenset(map(str, pair)) for pair in pairs]
    for pair in wanted:
        if pair not in place:
            raise ValueError(
                f"pairs hold {' and '.join(sorted(pair))}, which were not compared; give two "
                "systems that were"
            )
    return each.isel({names.PAIR: [place[pair] for pair in wanted]})


def _first_answer(data: xr.Dataset) -> xr.Dataset:
    """By the engine that is read first, and of several answers the first."""
    return rows.leading(data.isel({names.ENGINE: 0}) if names.ENGINE in data.dims else data)


def _evidence(pairs: xr.Dataset, made: Signature) -> CountEvidence | UnitEvidence | None:
    """What the answers were computed from, where it is counts, or means on units."""
    if made.failures or made.threshold is None or made.prior_sd:
        return None
    if "n_units" in pairs:
        return UnitEvidence.of(pairs, made)
    if made.model not in _BY_COUNTS or "counts" not in pairs or made.prior is None:
        return None
    return CountEvidence.of(pairs, made)


def _of_open(
    evidence: CountEvidence | UnitEvidence, verdict: np.ndarray, target: float
) -> dict[str, np.ndarray]:
    """What the undecided pairs need."""
    at = np.flatnonzero(verdict == "undecided")
    part = evidence.take(at)
    each = np.full((len(at), len(VERDICTS)), np.nan)

    def sure(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
        each[rows] = part.after(rows, n)
        return each[rows, _VERDICT].sum(1)

    def glance(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
        return part.glance(rows, n)[:, _VERDICT].sum(1)

    known = np.flatnonzero(part.predicts())
    items = np.full(len(at), np.nan)
    items[known] = soonest(glance, sure, known, target)
    found = {"more_items": items, "more_probability": each[:, _VERDICT].sum(1)}
    found["more_equivalent"] = each[:, VERDICTS.index("equivalent")]
    return {name: _placed(values, at, len(verdict)) for name, values in found.items()}


def _of_decided(
    evidence: CountEvidence | UnitEvidence, verdict: np.ndarray
) -> dict[str, np.ndarray]:
    """How firm the decided ones are."""
    at = np.flatnonzero(np.isin(verdict, VERDICTS[:3]))
    part, which = evidence.take(at), [VERDICTS.index(v) for v in verdict[at]]
    again = part.again()[np.arange(len(at)), which]
    found = {"replicates": again} | part.firm(verdict[at])
    return {name: _placed(values, at, len(verdict)) for name, values in found.items()}


def _placed(values: np.ndarray, at: np.ndarray, number: int) -> np.ndarray:
    full = np.full(number, np.nan)
    full[at] = values
    return full


def _labelled(pairs: xr.Dataset, verdict: np.ndarray, told: dict[str, np.ndarray]) -> xr.Dataset:
    """The system that is ahead first."""
    turn = rows.turned(pairs)
    a, b = (pairs[k].values.astype(str) for k in names.SQUARE)
    table: dict[str, Any] = {"now": np.where(turn, other_side(verdict), verdict)}
    for name in ("n", "n_units"):
        if name in pairs:
            table[name] = pairs[name].values
    if "counts" in pairs:
        won_or_lost = pairs["counts"].isel({names.OUTCOME: slice(2)})
        table["decisive"] = won_or_lost.sum(names.OUTCOME).values
    table |= told
    first, second = np.where(turn, b, a), np.where(turn, a, b)
    coords = {names.SYSTEM_A: (names.PAIR, first), names.SYSTEM_B: (names.PAIR, second)}
    return xr.Dataset({k: (names.PAIR, v) for k, v in table.items()}, coords=coords)


def outlook_lines(data: xr.Dataset) -> tuple[str, ...]:
    """One line a pair, of the first few."""
    lines = [_line_of(data.isel({names.PAIR: k}), data.attrs) for k in range(data.sizes["pair"])]
    return tuple(line for line in lines if line)[:_LINES]


_LINES = 5


def _line_of(one: xr.Dataset, attrs: dict[str, Any]) -> str:
    """What a pair is to expect; nothing where nothing is known."""
    a, b = (str(one[k].values) for k in names.SQUARE)
    now, of = str(one["now"].values), attrs["of"]
    if now == "undecided":
        return "" if np.isnan(one["more_probability"]) else f"{a} or {b}: {_more(one, attrs, of)}."
    again = float(one["replicates"])
    if np.isnan(again):
        return ""
    said = f"on as many fresh {of} alone it has probability {numbers.probability(again)}"
    if not np.isnan(one["turn"]):
        number = one["n"] if now == "equivalent" else one["decisive"]
        turn, of = int(one["turn"]), f"{int(number)}{' decisive' * (now != 'equivalent')} items"
        said = f"{turn} of {of} would have to turn for this verdict to go; {said}"
    ahead = f"{a} and {b} equivalent" if now == "equivalent" else f"{a} better than {b}"
    return f"{ahead}: {said}."


def _more(one: xr.Dataset, attrs: dict[str, Any], of: str) -> str:
    """How many more, as far as the data tell."""
    reached, alike = (
        numbers.probability(float(one[k])) for k in ("more_probability", "more_equivalent")
    )
    if np.isnan(one["more_items"]):
        return (
            f"more than 10,000 more {of} are needed for a verdict with probability "
            f"{attrs['target']:g}"
        )
    said = (
        f"after {int(one['more_items']):,} more {of} there is a verdict with probability {reached}"
    )
    equal = f" (equivalent: {alike})" if attrs["rope"] else ""
    return f"{said}{equal}, as far as the data so far tell"


TARGET = 0.8  # probability with which more items are to decide
_FURTHEST = 10_000  # items up to which `outlook` looks
FRAGILE = 5  # items, turned or in a prior, up to which a verdict is fragile


@dataclass(frozen=True, kw_only=True)
class More:
    """How many more items an undecided pair needs."""

    first: str
    second: str
    items: int | None = None
    beyond: int | None = None  # more than these, in the place of items
    equivalent: bool = False  # they may also show practical equivalence
    decisive: bool = False  # ties are unknown: only items that one of the two wins are counted

    @property
    def of(self) -> str:
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


def more_of(
    data: xr.Dataset, leader: str | None = None, others: list[str] | None = None
) -> More | None:
    """Of two systems, or of the leader with the first other that it is undecided with."""
    pair = _pair(data, leader, others)
    if pair is None:
        return None
    known, first, second = _outlook(pair)
    reached, items = known["more_probability"], known["more_items"]
    if known["now"] != "undecided" or reached != reached or _only_prior(pair):
        return None
    made = Signature.from_attrs(pair.attrs)
    size = {"beyond": _FURTHEST} if items != items else {"items": int(items)}
    more = More(
        first=first,
        second=second,
        equivalent=bool(made.rope),
        decisive=made.ties == "unknown",
    )
    return replace(more, **size)


def firmness_of(
    data: xr.Dataset, leader: str | None = None, others: list[str] | None = None
) -> Firmness | None:
    """Of two systems, or of the leader with the first other that it is better than."""
    pair = _pair(data, leader, others)
    if pair is None:
        return None
    known, first, second = _outlook(pair)
    again, flips = known["replicates"], known["turn"]
    if known["now"] == "undecided" or again != again:
        return None
    equivalent = known["now"] == "equivalent"
    turned = flips == flips and not equivalent
    return Firmness(
        first=first,
        second=second,
        equivalent=equivalent,
        replicates=again,
        flips=int(flips) if turned else None,
        decisive=int(known["decisive"]) if turned else None,
        prior_items=_prior_items(pair),
    )


def _pair(data: xr.Dataset, leader: str | None, others: list[str] | None) -> xr.Dataset | None:
    """The pair that is looked at; None where there is no other system."""
    if leader is None:
        return data
    if not others:
        return None
    data = needed(data)
    systems = [on_one_line(str(s)) for s in data[names.SYSTEM_A].values]
    places = [systems.index(leader), systems.index(others[0])]
    return data.isel(dict.fromkeys(names.SQUARE, places))


def _outlook(pair: xr.Dataset) -> tuple[dict[str, Any], str, str]:
    table = outlook_table(pair, TARGET, None, 1).isel({names.PAIR: 0})
    first, second = (on_one_line(str(table[k].values)) for k in names.SQUARE)
    return {str(k): v.values.item() for k, v in table.data_vars.items()}, first, second


def _only_prior(pair: xr.Dataset) -> bool:
    """Whether there are no wins, no losses, and no known ties: the prior alone would decide."""
    return pair.sizes.get(names.OUTCOME) == 2 and not pair["counts"].values.any()


def _prior_items(pair: xr.Dataset) -> int | None:
    """The fewest items of a prior, half won by each, that undo the verdict, where they are few."""
    made = Signature.from_attrs(pair.attrs)
    kept = made.ties in ("third", "all") and pair.sizes[names.OUTCOME] == len(made.prior or ())
    if not kept or "n_units" in pair or made.model is not None:
        return None
    threshold = made.threshold or names.VERDICT_PROB
    swept = prior_sweep(pair["counts"], priors={"asked": made.prior}, threshold=threshold)
    even = float(swept["pseudo_even"].values[0, 1])
    return int(even) if even <= FRAGILE else None


def missing_of(data: xr.Dataset, n: int) -> Missing | None:
    """Of how many pairs scores are missing, and how many verdicts hold whatever these are."""
    if "missing_holds" not in data:
        return None
    upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    lacking = data["n_missing"].transpose(*names.SQUARE).values[upper] > 0
    holds = data["missing_holds"].transpose(*names.SQUARE).values[upper]
    counted = {"n_pairs": int(lacking.sum()), "n_hold": int((lacking & holds).sum())}
    return Missing(n=n, **counted, **_if_wrong(data, upper))


def _if_wrong(data: xr.Dataset, upper: tuple[np.ndarray, ...]) -> dict[str, Any]:
    """What becomes of verdicts if scores that are missing on hard or easy items were wrong."""
    if "verdict_if_wrong" not in data:
        return {}
    now, then = (
        data[name].transpose(*names.SQUARE).values[upper]
        for name in ("verdict", "verdict_if_wrong")
    )
    changed = int((now != then).sum())
    if len(now) > 1 or not changed:
        return {"n_if_wrong": changed or None}
    p = float(data["prob_better_if_wrong"].transpose(*names.SQUARE).values[0, 1])
    pair = [on_one_line(str(s)) for s in data[names.SYSTEM_A].values]
    first, second = pair if p >= 0.5 else pair[::-1]
    return {"if_wrong": (first, second, max(p, 1 - p))}


def ties_of(data: xr.Dataset) -> tuple[str, ...] | None:
    """Policies for ties that change verdicts, with the verdict or the number of pairs; None where
    no other policy was asked for.
    """
    if "verdict_by_ties" not in data:
        return None
    verdicts = data["verdict_by_ties"].transpose(names.TIES_POLICY, *names.SQUARE)
    upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    pairs = {
        str(policy): verdicts.sel({names.TIES_POLICY: policy}).values.astype(str)[upper]
        for policy in verdicts[names.TIES_POLICY].values
    }
    systems = [on_one_line(str(s)) for s in data[names.SYSTEM_A].values]
    return _tie_changes_of_two(pairs, systems) if len(systems) == 2 else _tie_changes_of_many(pairs)


_POLICIES = {"third": "kept", "drop": "dropped", "half": "half each"}


def _tie_changes_of_two(pairs: dict[str, np.ndarray], systems: list[str]) -> tuple[str, ...]:
    a, b = systems
    words = _POLICIES | {"to_a": f"all to {a}", "to_b": f"all to {b}"}
    better = {"a_better": f"{a} better", "b_better": f"{b} better"}
    verdicts = {policy: str(of[0]) for policy, of in pairs.items()}
    return tuple(
        f"{words[policy]} ({better.get(verdict, verdict)})"
        for policy, verdict in verdicts.items()
        if verdict != verdicts["third"]
    )


def _tie_changes_of_many(pairs: dict[str, np.ndarray]) -> tuple[str, ...]:
    """`to_a` and `to_b` are one: all ties to one side of a pair."""
    changed = {policy: of != pairs["third"] for policy, of in pairs.items()}
    each = {word: changed[policy] for policy, word in _POLICIES.items()}
    each["all to one side"] = changed["to_a"] | changed["to_b"]
    return tuple(f"{word} ({of.sum():,} of {len(of):,})" for word, of in each.items() if of.any())

"""Robustness of an answer: sample size, fragility, missing scores, policies for ties."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.posterior.sensitivity import prior_sweep
from betterthan.results.escapes import on_one_line
from betterthan.results.outlook import needed, outlook_table
from betterthan.signed import Signature

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
    return _of_two(pairs, systems) if len(systems) == 2 else _of_many(pairs)


_POLICIES = {"third": "kept", "drop": "dropped", "half": "half each"}


def _of_two(pairs: dict[str, np.ndarray], systems: list[str]) -> tuple[str, ...]:
    a, b = systems
    words = _POLICIES | {"to_a": f"all to {a}", "to_b": f"all to {b}"}
    better = {"a_better": f"{a} better", "b_better": f"{b} better"}
    verdicts = {policy: str(of[0]) for policy, of in pairs.items()}
    return tuple(
        f"{words[policy]} ({better.get(verdict, verdict)})"
        for policy, verdict in verdicts.items()
        if verdict != verdicts["third"]
    )


def _of_many(pairs: dict[str, np.ndarray]) -> tuple[str, ...]:
    """`to_a` and `to_b` are one: all ties to one side of a pair."""
    changed = {policy: of != pairs["third"] for policy, of in pairs.items()}
    each = {word: changed[policy] for policy, word in _POLICIES.items()}
    each["all to one side"] = changed["to_a"] | changed["to_b"]
    return tuple(f"{word} ({of.sum():,} of {len(of):,})" for word, of in each.items() if of.any())

"""The pages on tests: the sign test, Mann-Whitney, every p-value, and strength of results."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.ties import POLICIES, mirror_of, policy_of
from betterthan.exact.wins import sign
from betterthan.results import numbers
from betterthan.results.document import Document, Part, Table, parts_present
from betterthan.results.methods import MEASURES_INDEPENDENT
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.tables import interval_label, pair_cell
from betterthan.text import named

_PAIRS = 40  # that have rows
_NAMED = 6  # pairs in a sentence
_MARGINAL = 2  # times the level, up to which the paper calls a p marginally significant
_N = (
    "n counts measures, not items or people: how large or how certain a difference is does not "
    "count, and nothing follows for other measures."
)
_LIMITS = (
    MEASURES_INDEPENDENT,
    "A large p does not mean that the systems are equal.",
    "Where a measure is a mean over two groups of different people, its own test is "
    "people.mann_whitney: tests on items pair what is not paired.",
)
_ITEM_LIMITS = (
    "Items are treated as independent; turns of one dialogue or translations are not.",
    _LIMITS[1],
)
_SIDED = (
    "The one-sided p is for the question whether {} is better, if that was the question before the "
    "data were seen (alternative='greater'); else take the two-sided p."
)


def sign_test_page(test: xr.Dataset) -> Document:
    """The page on a sign test, from `sign_test`."""
    systems, a = labels_on_one_line(test[names.SYSTEM_A].values), test.attrs
    every = [*_policies_disagree(test, systems)] if names.TIES_POLICY in test.dims else []
    if every:
        test = test.sel({names.TIES_POLICY: "drop"}, drop=True).assign_attrs(ties="drop")
    measured = names.MEASURE in test.dims
    counted = _count(test, systems) if measured and len(systems) == 2 else None
    if counted:
        table = _p_values(counted)
        lines, part = [*_sentences(counted, table, test.attrs)], _p_part(counted, table, a["alpha"])
    else:
        lines, part = [_pairs_sentence(test, systems)], _pairs_part(test, systems)
    if measured:
        ahead = counted.lead if counted and counted.wins > counted.losses else ""
        lines += [_N, *_usual_rule(_significant(test), ahead, a["alpha"])]
    lines += every
    signature = [
        f"betterthan {a['version']}",
        f"sign test ({a['alternative']}, at {a['alpha']:g})",
        f"ties={a['ties']}",
        f"unit={a['unit']}",
        *([f"n={a['n_items']}"] if a["n_items"] >= 0 else []),
    ]
    published = [("Published in", on_one_line(str(a["citation"])))] if "citation" in a else []
    return Document(
        f"Measures of {named(systems)}" if counted else "Sign test",
        f"Is one system ahead on more {'measures' if measured else 'items'} than chance explains?",
        parts_present(
            _measures_part(test, systems) if measured else None,
            part,
            Part("Data", facts=published) if published else None,
        ),
        _LIMITS if measured else _ITEM_LIMITS,
        [" | ".join(signature)],
        lines,
    )


def _policies_disagree(test: xr.Dataset, systems: list[str]) -> Iterator[str]:
    """On how many pairs the policies for ties lead to other results; those of "drop" are shown."""
    pairs = [*itertools.combinations(range(len(systems)), 2)]
    number = sum(bool(pair_cell(test, i, j)["flips"]) for i, j in pairs)
    of = "" if len(pairs) == 1 else f" of {number:,} of {len(pairs):,} pairs"
    how = f"change the result{of}" if number else "all lead to the same result"
    yield f"Ties: the policies {how}; this page drops ties."


@dataclass(frozen=True)
class _Counted:
    """On how many measures each of two systems is ahead, the one ahead on more first."""

    lead: str
    other: str
    wins: int
    losses: int
    ties: int
    turned: bool  # the second system of the table is the first here

    @property
    def policies(self) -> dict[str, str]:
        """Those for ties that differ here, in words."""
        if not self.ties:
            return {"drop": "no ties"}
        words = {policy.name: policy.words for policy in POLICIES}
        words |= {"to_a": f"ties to {self.lead}", "to_b": f"ties to {self.other}"}
        half = ["half"] * (self.ties > 1)  # of a single tie it is to drop it
        return {policy: words[policy] for policy in ("drop", *half, "to_a", "to_b", "third")}


def _count(test: xr.Dataset, systems: list[str]) -> _Counted:
    best = test["best"].values[test["independent"].values]
    first, second = ((best[:, k] & ~best[:, 1 - k]).sum() for k in (0, 1))
    won, turned = [(systems[0], int(first)), (systems[1], int(second))], bool(second > first)
    (lead, wins), (other, losses) = won[::-1] if turned else won
    return _Counted(lead, other, wins, losses, int(best.all(1).sum()), turned)


def _p_values(counted: _Counted) -> Any:
    """For the leader: successes (``wins`` of ``n``), ``one``- and ``two``-sided p, under every
    policy, with all measures and without one.
    """
    wins, losses, ties = counted.wins, counted.losses, counted.ties
    n = wins + losses + ties
    cells = {f"all {n}": (wins, losses, ties)}
    if wins and n > 1:
        cells[f"without one for {counted.lead}"] = (wins - 1, losses, ties)
    if losses and n > 1:
        cells[f"without one for {counted.other}"] = (wins, losses - 1, ties)
    cases = itertools.product(cells.items(), counted.policies)
    tests = [_tested(*cell, policy) | {"used": used} for (used, cell), policy in cases]
    return pd.DataFrame(tests, [*counted.policies] * len(cells))


def _tested(wins: int, losses: int, ties: int, policy: str) -> dict[str, Any]:
    """The sign test of the leader under one policy."""
    rule = policy_of(policy)
    won, lost = (int(count) for count in rule.settle(wins, losses, ties))
    if rule.keeps_ties:
        test, n = partial(sign.trinomial_p, won, lost, ties), won + lost + ties
    else:
        test, n = partial(sign.sign_p, won, lost), won + lost
    return {"wins": won, "n": n, "one": float(test("greater")), "two": float(test("two-sided"))}


def _sentences(counted: _Counted, table: Any, a: Mapping[str, Any]) -> Iterator[str]:
    """Who is ahead, on how many measures, and p."""
    lead, other, two_sided = counted.lead, counted.other, a["alternative"] == "two-sided"
    policy = mirror_of(a["ties"]) if counted.turned else a["ties"]
    policy = policy if policy in counted.policies else "drop"
    words, first = counted.policies[policy], table.iloc[[*counted.policies].index(policy)]
    one, two = numbers.p_value(first["one"]), numbers.p_value(first["two"])
    p = first["two" if two_sided else "one"]
    p_text = f"(two-sided p = {two})" if two_sided else f"(one-sided p = {one})"
    n = counted.wins + counted.losses + counted.ties
    of = f"{counted.wins} of {n} independent measure{'' if n == 1 else 's'}"
    tied = f", {counted.ties} tied" if counted.ties else ""
    if counted.wins == counted.losses:
        yield f"{lead} and {other} are each ahead on {of}{tied}."
        yield f"Sign test, {words} {p_text}."
        return
    if first["one"] > first["two"]:  # the policy gives more ties to the other system
        yield f"{lead} is ahead on more measures than {other}, but not with {words}."
    elif p <= a["alpha"]:
        yield f"{lead} is ahead on significantly more measures than {other} {p_text}."
    else:
        not_more = "but not on significantly more"
        yield f"{lead} is ahead on more measures than {other}, {not_more} {p_text}."
    yield (
        f"{lead} is ahead on {of}, {other} on {counted.losses}{tied} (sign test, {words}; "
        f"two-sided p = {two}, one-sided p = {one})."
    )
    if len(table) > 1:
        low, high = numbers.p_value(table["one"].min()), numbers.p_value(table["one"].max())
        ties = "Whatever is done with ties" if counted.ties else "With all measures"
        yield f"{ties}, and without any single one, the one-sided p is between {low} and {high}."


def _p_part(counted: _Counted, table: Any, alpha: float) -> Part:
    """Every p-value."""
    rows = [
        (row.used, words, f"{row.wins} of {row.n}", numbers.p_value(row.one),
         "significant" if row.one <= alpha else "marginal" if row.one <= _MARGINAL * alpha else "",
         numbers.p_value(row.two))
        for row, words in zip(table.itertuples(), itertools.cycle(counted.policies.values()))
    ]  # fmt: skip
    notes = ["It does not matter which measure is left out, only which system it favors."]
    notes += [_SIDED.format(counted.lead)] if counted.wins > counted.losses else []
    heads = ("Measures used", "Ties", f"For {counted.lead}", "One-sided p", "Level", "Two-sided p")
    caption = (
        f"All p-values of the sign test, for {counted.lead}. One-sided: significant up to "
        f"{alpha:g}, marginal up to {_MARGINAL * alpha:g}."
    )
    return Part("All p-values", tables=[Table(heads, rows, caption, left=2)], notes=notes)


def _measures_part(test: xr.Dataset, systems: list[str]) -> Part:
    """Every measure by name: whom it favors, and its values."""
    single, rows = "single_p" in test, []
    for k, label in enumerate(labels_on_one_line(test[names.MEASURE].values)):
        row = test.isel({names.MEASURE: k})
        ahead = list(itertools.compress(systems, row["best"].values))
        favors = named(ahead) if len(ahead) < len(systems) else "tie"
        favors = f"✓ {favors}" if row["independent"] else f"left out ({favors})"
        direction = "higher" if row["higher_is_better"] else "lower"
        p = [numbers.p_value(row["single_p"].item())] if single else []
        cells = map(_value, row["value"].values)
        rows.append((label, favors if ahead else "–", direction, *cells, *p))
    heads = ("Measure", "Favors", "Better", *systems, *(["p"] if single else []))
    caption = "Measures, and the system that each favors; left out: not independent"
    if single:
        caption += "; p: of a test on this measure"
    return Part("Measures", tables=[Table(heads, rows, caption, left=3)])


def _value(value: float) -> str:
    return "–" if np.isnan(value) else f"{value:g}".replace("-", "−")


def _significant(test: xr.Dataset) -> dict[str, list[tuple[str, float]]] | None:
    """Independent measures with p at most the level, by the system that they favor; None where
    nothing is known of single measures.
    """
    if "single_p" not in test or test.sizes[names.SYSTEM] != 2:
        return None
    best, p = test["best"].values, test["single_p"].values
    counts = test["independent"].values & (best.sum(1) == 1) & (p <= float(test.attrs["alpha"]))
    labels = labels_on_one_line(test[names.MEASURE].values)
    return {
        system: [(labels[m], float(p[m])) for m in np.flatnonzero(counts & best[:, k])]
        for k, system in enumerate(labels_on_one_line(test[names.SYSTEM].values))
    }


def _usual_rule(
    significant: Mapping[str, list[tuple[str, float]]] | None,
    ahead: str,
    alpha: float = names.ALPHA,
) -> Iterator[str]:
    """What counting significant measures would conclude, next to all measures together."""
    if significant is None:
        return
    listed = {
        system: ", ".join(f"{label} (p = {numbers.p_value(p)})" for label, p in single)
        for system, single in significant.items()
    }
    with_any = [system for system, text in listed.items() if text]
    if not with_any:
        yield (
            f"No single measure is significant at {alpha:g}, so the usual rule, to count "
            "significant measures, names no system."
        )
    elif len(with_any) > 1:
        both = "; ".join(f"{system}: {text}" for system, text in listed.items())
        yield f"Single measures are significant at {alpha:g} for both systems: {both}."
    else:
        (one,) = with_any
        (none,) = set(listed) - {one}
        against = f", against all measures together, which favor {ahead}" * (ahead == none)
        yield (
            f"By the usual rule, to count significant measures, {one} is better{against}. "
            f"Significant at {alpha:g} for {one}: {listed[one]}; for {none}: none."
        )


def _pairs_sentence(test: xr.Dataset, systems: list[str]) -> str:
    """Of two systems p, of more the pairs that are significant."""
    pairs, alpha = [*_ordered(test, systems)], test.attrs["alpha"]
    first, second, cell = pairs[0]
    if len(pairs) == 1:
        unit, p = str(test.attrs["unit"]), numbers.p_value(cell["p_value"].item())
        units = "items" if unit == "unknown" else f"{unit}s"
        wins, losses = _counted_wins(cell, test)
        return f"{first} is ahead on {wins} {units}, {second} on {losses}: p = {p} ({_how(test)})."
    side = {"less": -1, "greater": 1}.get(str(test.attrs["alternative"]))
    significant = [
        f"{a} {'<' if (side or int(cell['favours'])) < 0 else '>'} {b}"
        for a, b, cell in pairs
        if float(cell["p_value"]) <= alpha
    ]
    more = f"; and {len(significant) - _NAMED} more" if len(significant) > _NAMED else ""
    listed = f": {'; '.join(significant[:_NAMED])}{more}" if significant else ""
    return (
        f"{len(significant):,} of {len(pairs):,} pairs are significant at {alpha:g} ({_how(test)}, "
        f"not corrected for the number of pairs){listed}."
    )


def _counted_wins(cell: xr.Dataset, test: xr.Dataset) -> tuple[str, str]:
    """How often each of two systems won, without the ties that a policy gives them."""
    ties, policy = max(int(cell["ties"]), 0), str(test.attrs["ties"])
    shares = {"to_a": (ties, 0), "to_b": (0, ties), "half": (ties // 2, ties // 2)}
    share = shares.get(policy, (0, 0))
    first, second = (int(cell[k]) - n for k, n in zip(("wins", "losses"), share, strict=True))
    return f"{first:,}", f"{second:,}"


def _how(test: xr.Dataset) -> str:
    sided = str(test.attrs["alternative"])
    sided = sided if sided == "two-sided" else f"one-sided ({sided})"
    return f"sign test, {sided}, {policy_of(str(test.attrs['ties'])).words}"


def _ordered(test: xr.Dataset, systems: list[str]) -> Iterator[tuple[str, str, xr.Dataset]]:
    """Each pair, the system ahead first; as the data have them where a direction is asked for, or
    ties go to the system named first or second.
    """
    two_sided = test.attrs["alternative"] == "two-sided"
    two_sided &= test.attrs["ties"] not in ("to_a", "to_b")
    for i, j in itertools.combinations(range(len(systems)), 2):
        behind = two_sided and int(pair_cell(test, i, j)["favours"]) < 0
        first, second = (j, i) if behind else (i, j)
        yield systems[first], systems[second], pair_cell(test, first, second)


def _pairs_part(test: xr.Dataset, systems: list[str]) -> Part:
    rows = [
        (a, b, *_counted_wins(cell, test),
         "–" if cell["ties"] < 0 else f"{int(cell['ties']):,}",
         *(numbers.p_value(float(cell[k])) for k in ("p_value", "mid_p", "smallest_p")))
        for a, b, cell in itertools.islice(_ordered(test, systems), _PAIRS)
    ]  # fmt: skip
    heads = ("System", "Other", "Wins", "Losses", "Ties", "p", "Mid-p", "Smallest p")
    n = len(systems) * (len(systems) - 1) // 2
    caption = "Pairs" if n <= _PAIRS else f"The first {_PAIRS} of {n:,} pairs"
    caption += f"; {_how(test)}; smallest p: that so many non-tied ones can give"
    return Part("Pairs", tables=[Table(heads, rows, caption, left=2)])


def strength_page(strength: xr.Dataset) -> Document:
    """The page on the strength of results, from `significance.strength`."""
    a = strength.attrs
    systems = labels_on_one_line(strength[names.SYSTEM].values)
    if len(systems) != 2 or not np.isin(strength["strongest"], [*strength["tail"], 1.0]).all():
        raise ValueError(
            "this is a part of the strength of two systems, and its levels are of all their "
            "measures; report the whole, or call significance.strength with these measures"
        )
    subsets: Any = strength["tail"].to_dataframe()
    subsets["favours"] = labels_on_one_line(subsets["favours"])
    strongest = {
        system: subsets[(subsets["favours"] == system) & (subsets["m"] == m)]
        for system, m in zip(systems, strength["strongest_m"].values, strict=True)
    }
    signature = [
        f"betterthan {a['version']}",
        f"strength of results ({a['alternative']})",
        f"measures={a['measures']}",
        f"simulations={a['simulations']} seed={a['seed']}",
    ]
    best = {index for rows in strongest.values() for index in rows.index}
    table = _subsets_table(subsets, best, a["measures"])
    first, second = np.array(systems)[np.argsort(strength["strongest"].values, kind="stable")]
    equal = len({*strength["strongest"].values.round(12).tolist()}) == 1
    level, error = (strength[k].item() for k in ("level_overall", "level_overall_mcse"))
    stronger = f"{first} has the stronger results"
    stronger = f"{first} and {second} have equally strong results. {first}" if equal else stronger
    lines = [
        f"{stronger}: {_strongest(strongest[first], a['measures'])}. "
        f"{second}: {_strongest(strongest[second], a['measures'])}.",
        "These subsets were chosen because they are the strongest. If the systems are equal, one "
        f"of them has results as strong with probability {numbers.p_value(level, error)}"
        f"{', so this is no strong evidence' if level > names.ALPHA else ''}.",
        *_usual_rule(_significant_subsets(subsets, systems, a["alternative"]), first),
    ]
    return Document(
        f"Measures of {named(systems)}",
        "How strong is the evidence of all measures together?",
        [Part("Strength", tables=[table], notes=[f"{str(a['note']).capitalize()}."])],
        _LIMITS,
        [" | ".join(signature)],
        lines,
    )


def _subsets_table(subsets: Any, best: set[int], measures: int) -> Table:
    """A row for each subset of the measures in favor of a system, the strongest marked."""
    labelled = names.MEASURE in subsets
    rows = [
        (row.favours, *([on_one_line(row.measure)] if labelled else []),
         numbers.p_value(row.p_value), f"{row.m}", numbers.p_value(row.tail),
         "yes" if row.Index in best else "")
        for row in subsets.itertuples()
    ]  # fmt: skip
    measure = ["Measure"] if labelled else []
    heads = ("For", *measure, "p at most", "Measures", "Probability", "Strongest")
    caption = (
        f"Probability that so many of {measures} measures favor a system at such a one-sided p, if "
        "the systems are equal"
    )
    return Table(heads, rows, caption, left=1 + labelled)


def _strongest(subset: Any, measures: int) -> str:
    """The strongest subset of one system."""
    if subset.empty:
        return "no measure favors it"
    m, p, tail = subset[["m", "p_value", "tail"]].iloc[0]
    return (
        f"{m:.0f} of {measures} measures at p ≤ {numbers.p_value(p)} (probability "
        f"{numbers.p_value(tail)} if the systems are equal)"
    )


def _significant_subsets(
    subsets: Any, systems: list[str], alternative: str
) -> dict[str, list[tuple[str, float]]]:
    """Measures that are significant by the p-values as they were passed, by system."""
    passed = subsets["p_value"] * (2 if alternative == "two-sided" else 1)
    number = subsets.groupby("favours")["m"].diff().fillna(subsets["m"])
    unnamed = [f"{n:.0f} measure{'' if n == 1 else 's'}" for n in number]
    table = subsets.assign(p=passed, label=subsets.get(names.MEASURE, unnamed))
    table = table[table["p"] <= names.ALPHA]
    return {
        system: [
            (on_one_line(row.label), row.p)
            for row in table[table["favours"] == system].itertuples()
        ]
        for system in systems
    }


_RANK_LIMITS = (
    "The groups are different people. People who used both systems are paired: use people.anova, "
    "or compare.",
    "The answer is on other people like these, and on this response alone.",
    "A large p does not mean that the groups are equal.",
)
_METHODS = {
    "exact": "exact, over all divisions of these people into two groups, ties as they are",
    "normal": "normal approximation, corrected for ties and continuity",
}


def mann_whitney_page(test: xr.Dataset) -> Document:
    """The page on two groups, from `people.mann_whitney`."""
    a = test.attrs
    groups = labels_on_one_line(test["level"].values)
    response = on_one_line(str(a["response"]))
    rows = [
        (
            group,
            f"{int(row['n']):,}",
            *(numbers.score(row[k].item()) for k in ("mean", "median")),
            f"{row['u'].item():g}",
        )
        for k, group in enumerate(groups)
        for row in [test.isel(level=k)]
    ]
    better = "higher" if a["higher_is_better"] else "lower"
    caption = f"{response} by group, {better} is better; U: pairs in which its person is better"
    table = Table(("Group", "People", "Mean", "Median", "U"), rows, caption)
    signature = [
        f"betterthan {a['version']}",
        f"Mann-Whitney ({a['p_method']}) and t of placements",
        f"response={response}",
        f"unit={a['unit']}",
        f"rope={a['rope']:g}",
        f"interval={interval_label(a)}",
        f"verdict at {a['threshold']:g}",
        f"dropped={a['n_dropped']}",
    ]
    return Document(
        f"{response} of {groups[0]} and {groups[1]}",
        f"Which of two groups of people has the better {response}?",
        [Part("Groups", tables=[table])],
        _RANK_LIMITS,
        [" | ".join(signature)],
        [*_rank_sentences(test, groups, response)],
    )


def _rank_sentences(test: xr.Dataset, groups: list[str], response: str) -> Iterator[str]:
    """The verdict, the probability that a person is better, and the test; the leader first."""
    a, turned = test.attrs, test["prob_better"].item() < 1 / 2
    first, second = groups[::-1] if turned else groups
    columns = ("prob_better", "superiority", "lower", "upper")
    better, superiority, lower, upper = (test[k].item() for k in columns)
    if turned:
        better, superiority, lower, upper = 1 - better, 1 - superiority, 1 - upper, 1 - lower
    p = numbers.equal_to(better, threshold=a["threshold"])
    verdict = str(test["verdict"].item())
    if verdict == "no_verdict":
        yield f"No verdict: a group has fewer than {names.UNITS_MIN} people."
    elif verdict == "equivalent":
        within = numbers.equal_to(test["prob_equivalent"].item(), threshold=a["threshold"])
        yield (
            f"{first} and {second} are practically equivalent: the probability below is within "
            f"{a['rope']:g} of 1/2 with probability {within.removeprefix('= ')}."
        )
    elif verdict == "undecided":
        yield (
            f"Undecided between {first} and {second}: P({first} better) {p}; a verdict needs "
            f"{a['threshold']:g}."
        )
    else:
        yield f"{first} is better than {second} by {response} (P({first} better) {p})."
    interval = f"; for other people like these it is {lower:.2f} to {upper:.2f}"
    interval = f"{interval} ({interval_label(a)})" if lower == lower else ""
    yield (
        f"{first} has the better {response} in a proportion of {superiority:.2f} of the pairs of "
        f"people, equal ones half{interval}."
    )
    u = " and ".join(f"{value:g}" for value in sorted(test["u"].values))
    p_value = numbers.p_value(test["p_value"].item())
    yield f"Mann-Whitney: U = {u}, two-sided p = {p_value} ({_METHODS[a['p_method']]})."

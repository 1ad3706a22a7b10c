"""The pages on the sign test, and on the strength of results: measures by name, every p-value."""

import itertools
from collections.abc import Iterator, Mapping

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.tables import from_table
from betterthan.counts.ties import POLICIES, mirror_of, policy_of
from betterthan.results import numbers
from betterthan.results.columns import pair_cell
from betterthan.results.document import Document, Part, Table, parts_present
from betterthan.results.escapes import labels_on_one_line, on_one_line
from betterthan.significance.signs import sign_test
from betterthan.text import named

_PAIRS = 40  # that have rows
_MARGINAL = 2  # times the level, up to which the paper calls a p marginally significant
_N = (
    "n counts measures, not items or people: how large or how certain a difference is does not "
    "count, and nothing follows for other measures."
)
_LIMITS = (
    "Measures are treated as independent. Measures that follow from each other, or are correlated, "
    "make one system look better more often than stated.",
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


def page(test: xr.Dataset) -> Document:
    """The page on a sign test, from `sign_test`."""
    systems = labels_on_one_line(test[names.SYSTEM_A].values)
    measured = names.MEASURE in test.dims
    if names.TIES_POLICY in test.dims:
        chosen = test.sel({names.TIES_POLICY: "drop"}, drop=True).assign_attrs(ties="drop")
    else:
        chosen = test
    two = len(systems) == 2
    every = _TwoSystems(chosen, systems) if measured and two else None
    title = f"Measures of {named(systems)}" if measured and two else "Sign test"
    of = "measures" if measured else "items"
    lines = [*(every.sentences() if every else _pair_sentences(chosen, systems))]
    if measured:
        ahead = every.lead if every and every.wins > every.losses else ""
        lines += [_N, *_usual_rule(_significant(chosen), ahead, float(chosen.attrs["alpha"]))]
    return Document(
        title,
        f"Is one system ahead on more {of} than chance explains?",
        parts_present(
            _measures_part(chosen, systems) if measured else None,
            every.part() if every else _pairs_part(chosen, systems),
            _data_part(chosen),
        ),
        _LIMITS if measured else _ITEM_LIMITS,
        [_signature(chosen)],
        lines,
    )


class _TwoSystems:
    """Two systems, the one ahead first, and their p-values under every policy for ties, with all
    measures and without one.
    """

    def __init__(self, test: xr.Dataset, systems: list[str]) -> None:
        best = test["best"].values[test["independent"].values]
        wins, losses = (int((best[:, k] & ~best[:, 1 - k]).sum()) for k in (0, 1))
        self.ties = int(best.all(1).sum())
        (self.wins, self.lead), (self.losses, self.other) = sorted(
            [(wins, systems[0]), (losses, systems[1])], key=lambda side: -side[0]
        )
        self.n = self.wins + self.losses + self.ties
        self.alpha, ties = float(test.attrs["alpha"]), str(test.attrs["ties"])
        self.policy = mirror_of(ties) if losses > wins else ties
        self.two_sided = test.attrs["alternative"] == "two-sided"
        self.variants = {f"all {self.n}": self._tested(0, 0)}
        if self.wins and self.n > 1:
            self.variants[f"without one for {self.lead}"] = self._tested(1, 0)
        if self.losses and self.n > 1:
            self.variants[f"without one for {self.other}"] = self._tested(0, 1)

    def _tested(
        self, fewer_wins: int, fewer_losses: int
    ) -> dict[str, tuple[int, int, float, float]]:
        """By policy: successes of the leader, of how many, one- and two-sided p."""
        cells = (self.wins - fewer_wins, self.losses - fewer_losses, self.ties)
        counts = from_table({("A", "B"): cells})
        one, two = (
            pair_cell(sign_test(counts, ties="all", alternative=alternative), 0, 1)
            for alternative in ("greater", "two-sided")
        )
        columns = (one["wins"], one["n"], one["p_value"], two["p_value"])
        values = zip(*(column.values.tolist() for column in columns), strict=True)
        return dict(zip(one[names.TIES_POLICY].values.tolist(), values, strict=True))

    @property
    def policies(self) -> dict[str, str]:
        """Those that differ here, in words."""
        words = {policy.name: policy.words for policy in POLICIES}
        words |= {"to_a": f"ties to {self.lead}", "to_b": f"ties to {self.other}"}
        if not self.ties:
            return {"drop": "no ties"}
        half = ["half"] * (self.ties > 1)  # of a single tie it is to drop it
        return {policy: words[policy] for policy in ("drop", *half, "to_a", "to_b", "third")}

    def sentences(self) -> Iterator[str]:
        """Who is ahead, on how many measures, and p."""
        first = next(iter(self.variants.values()))
        policy = self.policy if self.ties else "drop"
        _, _, one, two = first[policy]
        p, sided = (two, "two-sided") if self.two_sided else (one, "one-sided")
        p_text = f"({sided} p = {numbers.p_value(p)})"
        tied = f", {self.ties} tied" if self.ties else ""
        measures = f"{self.n} independent measure{'' if self.n == 1 else 's'}"
        words = (self.policies | {"half": "ties split half and half"})[policy]
        if self.wins == self.losses:
            yield f"{self.lead} and {self.other} are each ahead on {self.wins} of {measures}{tied}."
            yield f"Sign test, {words} {p_text}."
            return
        if one > two:  # the policy gives more ties to the other system
            yield f"{self.lead} is ahead on more measures than {self.other}, but not with {words}."
        elif p <= self.alpha:
            yield f"{self.lead} is ahead on significantly more measures than {self.other} {p_text}."
        else:
            than = f"than {self.other}, but not on significantly more"
            yield f"{self.lead} is ahead on more measures {than} {p_text}."
        yield (
            f"{self.lead} is ahead on {self.wins} of {measures}, {self.other} on {self.losses}"
            f"{tied} (sign test, {words}; two-sided p = {numbers.p_value(two)}, one-sided p = "
            f"{numbers.p_value(one)})."
        )
        every = [table[policy][2] for table in self.variants.values() for policy in self.policies]
        if len(every) > 1:
            low, high = numbers.p_value(min(every)), numbers.p_value(max(every))
            ties = "Whatever is done with ties, and" if self.ties else "With all measures, and"
            yield f"{ties} without any single measure, the one-sided p is between {low} and {high}."

    def part(self) -> Part:
        """Every p-value."""
        rows = [
            (used, words, f"{wins} of {n}", numbers.p_value(one), _level(one, self.alpha),
             numbers.p_value(two))
            for used, table in self.variants.items()
            for policy, words in self.policies.items()
            for wins, n, one, two in [table[policy]]
        ]  # fmt: skip
        level = (
            f"One-sided: significant up to {self.alpha:g}, marginal up to "
            f"{_MARGINAL * self.alpha:g}."
        )
        notes = ["It does not matter which measure is left out, only which system it favors."]
        if self.wins != self.losses:
            notes.append(_SIDED.format(self.lead))
        heads = ("Measures used", "Ties", f"For {self.lead}", "One-sided p", "", "Two-sided p")
        caption = f"All p-values of the sign test, for {self.lead}. {level}"
        return Part("All p-values", tables=[Table(heads, rows, caption, left=2)], notes=notes)


def _level(p: float, alpha: float) -> str:
    return "significant" if p <= alpha else "marginal" if p <= _MARGINAL * alpha else ""


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


def _pair_sentences(test: xr.Dataset, systems: list[str]) -> Iterator[str]:
    """Of two systems p, of more the pairs that are significant."""
    alpha, how = float(test.attrs["alpha"]), _how(test)
    pairs = list(_ordered(test, systems))
    if len(systems) == 2:
        first, second, cell = pairs[0]
        unit = str(test.attrs["unit"])
        units = "items" if unit == "unknown" else f"{unit}s"
        yield (
            f"{first} is ahead on {int(cell['wins']):,} {units}, {second} on "
            f"{int(cell['losses']):,}: p = {numbers.p_value(cell['p_value'].item())} ({how})."
        )
        return
    significant = [f"{a} > {b}" for a, b, cell in pairs if float(cell["p_value"]) <= alpha]
    more = f"; and {len(significant) - _NAMED} more" if len(significant) > _NAMED else ""
    listed = f": {'; '.join(significant[:_NAMED])}{more}" if significant else ""
    yield (
        f"{len(significant):,} of {len(pairs):,} pairs are significant at {alpha:g} ({how}, not "
        f"corrected for the number of pairs){listed}."
    )


def _how(test: xr.Dataset) -> str:
    sided = str(test.attrs["alternative"])
    sided = sided if sided == "two-sided" else f"one-sided ({sided})"
    return f"sign test, {sided}, {policy_of(str(test.attrs['ties'])).words}"


_NAMED = 6  # pairs in a sentence


def _ordered(test: xr.Dataset, systems: list[str]) -> Iterator[tuple[str, str, xr.Dataset]]:
    """Each pair, the system ahead first; with a direction asked for, as the data have them."""
    test = test.drop_dims([k for k in (names.MEASURE, names.SYSTEM) if k in test.dims])
    for i, j in itertools.combinations(range(len(systems)), 2):
        cell = pair_cell(test, i, j)
        behind = test.attrs["alternative"] == "two-sided" and int(cell["favours"]) < 0
        i, j = (j, i) if behind else (i, j)
        yield systems[i], systems[j], pair_cell(test, i, j)


def _pairs_part(test: xr.Dataset, systems: list[str]) -> Part:
    rows = [
        (a, b, f"{int(cell['wins']):,}", f"{int(cell['losses']):,}",
         "–" if cell["ties"] < 0 else f"{int(cell['ties']):,}",
         *(numbers.p_value(float(cell[k])) for k in ("p_value", "mid_p", "smallest_p")))
        for a, b, cell in itertools.islice(_ordered(test, systems), _PAIRS)
    ]  # fmt: skip
    heads = ("System", "Other", "Wins", "Losses", "Ties", "p", "Mid-p", "Smallest p")
    n = len(systems) * (len(systems) - 1) // 2
    caption = "Pairs" if n <= _PAIRS else f"The first {_PAIRS} of {n:,} pairs"
    caption += f"; {_how(test)}; smallest p: that so many non-tied ones can give"
    return Part("Pairs", tables=[Table(heads, rows, caption, left=2)])


def _data_part(test: xr.Dataset) -> Part | None:
    if "citation" not in test.attrs:
        return None
    return Part("Data", facts=[("Published in", on_one_line(str(test.attrs["citation"])))])


def _signature(test: xr.Dataset) -> str:
    a = test.attrs
    parts = [
        f"betterthan {a['version']}",
        f"sign test ({a['alternative']}, at {a['alpha']:g})",
        f"ties={a['ties']}",
        f"unit={a['unit']}",
        *([f"n={a['n_items']}"] if a["n_items"] >= 0 else []),
    ]
    return " | ".join(parts)


def strength_page(strength: xr.Dataset) -> Document:
    """The page on the strength of results, from `significance.strength`."""
    a = strength.attrs
    systems = labels_on_one_line(strength[names.SYSTEM].values)
    signature = [
        f"betterthan {a['version']}",
        f"strength of results ({a['alternative']})",
        f"measures={a['measures']}",
        f"simulations={a['simulations']} seed={a['seed']}",
    ]
    part = Part("Strength", tables=[_subsets(strength)], notes=[f"{str(a['note']).capitalize()}."])
    return Document(
        f"Measures of {named(systems)}",
        "How strong is the evidence of all measures together?",
        [part],
        _LIMITS,
        [" | ".join(signature)],
        [*_strength_sentences(strength, systems)],
    )


def _subsets(strength: xr.Dataset) -> Table:
    """A row for each subset of the measures in favor of a system, the strongest marked."""
    labels = strength[names.MEASURE].values.tolist() if names.MEASURE in strength.coords else None
    least = dict(zip(strength[names.SYSTEM].values, strength["strongest_m"].values, strict=True))
    rows = []
    for k in range(strength.sizes["subset"]):
        row = strength.isel(subset=k)
        system, m = row["favours"].item(), int(row["m"])
        label = [on_one_line(labels[k])] if labels else []
        mark = "strongest" if m == least[system] else ""
        cells = (
            numbers.p_value(row["p_value"].item()),
            f"{m}",
            numbers.p_value(row["tail"].item()),
        )
        rows.append((on_one_line(system), *label, *cells, mark))
    heads = ("For", *(["Measure"] if labels else []), "p at most", "Measures", "Probability", "")
    caption = (
        f"Probability that so many of {strength.attrs['measures']} measures favor a system at such "
        "a one-sided p, if the systems are equal"
    )
    return Table(heads, rows, caption, left=2 if labels else 1)


def _strength_sentences(strength: xr.Dataset, systems: list[str]) -> Iterator[str]:
    order = np.argsort(strength["strongest"].values, kind="stable").tolist()
    first, second = (systems[k] for k in order)
    words = [_strongest(strength, k) for k in order]
    yield f"{first} has the stronger results: {words[0]}. {second}: {words[1]}."
    level, error = (strength[k].item() for k in ("level_overall", "level_overall_mcse"))
    yield (
        "These subsets were chosen because they are the strongest. If the systems are equal, one "
        f"of them has results as strong with probability {numbers.p_value(level, error)}"
        f"{', so this is no strong evidence' if level > names.ALPHA else ''}."
    )
    yield _N
    significant = {
        on_one_line(str(system)): [*_single(strength, system)]
        for system in strength[names.SYSTEM].values
    }
    yield from _usual_rule(significant, first)


def _strongest(strength: xr.Dataset, place: int) -> str:
    """The strongest subset of one system."""
    row = strength.isel({names.SYSTEM: place})
    m, n = int(row["strongest_m"]), strength.attrs["measures"]
    if not m:
        return "no measure favors it"
    own = (strength["favours"] == row[names.SYSTEM]) & (strength["m"] == m)
    p = numbers.p_value(strength["p_value"].values[own.values].item())
    tail = numbers.p_value(row["strongest"].item())
    return f"{m} of {n} measures at p ≤ {p} (probability {tail} if the systems are equal)"


def _single(strength: xr.Dataset, system: str) -> Iterator[tuple[str, float]]:
    """Single measures that are significant, by the p-values as they were passed."""
    rows = strength.sel(subset=strength["favours"].values == system)
    times = 2 if strength.attrs["alternative"] == "two-sided" else 1
    before = 0
    for k in range(rows.sizes["subset"]):
        row = rows.isel(subset=k)
        count, before = int(row["m"]) - before, int(row["m"])
        p = times * row["p_value"].item()
        if p <= names.ALPHA:
            label = str(row[names.MEASURE].item()) if names.MEASURE in row.coords else ""
            label = label or ("one measure" if count == 1 else f"{count} measures")
            yield on_one_line(label), p

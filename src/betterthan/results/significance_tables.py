"""Significance in a report: tests next to the posterior, why they differ, and groups of systems."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.wins.sign import sign_mid_p, sign_p
from betterthan.results import numbers
from betterthan.results.context import PAGE_SYSTEMS, PAIRS_VISIBLE, ReportContext
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.methods import MODEL_REASONS, tests_in
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.pair_tables import p_value, pairs_at, table_by_pair, verdict
from betterthan.results.sentences import unit_label
from betterthan.results.tables import NO_DATA, Column, deciding, pair_cell, pairwise, single_unit
from betterthan.signed import Signature
from betterthan.significance.roster import get_spec
from betterthan.significance.similarity import Marks, groups_by, ranges
from betterthan.text import named

REASONS = {
    "opposed": "A test is significant for the other system: the verdict and the test ask two "
    "questions of these data, and the answers go opposite ways.",
    "weights": "The model weighs every data set alike, the test every example: in the test a large "
    "data set outweighs several small ones.",
    "averaged": "The verdict is on an average over data sets, the test on all items pooled: in the "
    "test a large data set outweighs several small ones.",
    "clusters": "The model counts wins and losses within clusters; the test looks at whole "
    "clusters, each of which favors one system.",
    "sizes": "One weighs how large the differences are (a mean), the other counts only which "
    "system was ahead on an item (wins).",
    "together": "The model estimates all systems jointly, from all their results; the test uses "
    "only this pair.",
    "ties": "The verdict gives ties to one of the systems; this test does not.",
    "few": "With so few discordant (untied) items no result could reach a two-sided p of "
    "{alpha:g}, whichever way they fell.",
    "sides": "The probability looks at one side, the p-value at two: on that one side mid-p, the p "
    "that is nearest to such a probability, is at most {alpha:g}.",
    "levels": "The verdict asks for a probability of {threshold:g}, the test for a p of {alpha:g} "
    "on two sides: one of them asks for more.",
    "many": "Significant, but not after correction for {pairs:,} pairs; a posterior "
    "probability speaks of one pair and is not corrected.",
    "rope": "The difference is real but too small to matter: the test asks whether it is 0, the "
    "verdict whether it lies within the rope.",
    "split": "Who is ahead more often and who is ahead in the mean are two systems here, so that "
    "no winner is named; the test looks at one of the two.",
    "prior": "The posterior starts from a prior; the p-value has none.",
    "t": "The probability of a mean is by Student's t; the test assumes no distribution.",
    "model": "The posterior is that of a model which uses more than wins and losses of this pair; "
    "the test does not.",
    "chains": "The chains have not converged, so only the tests speak.",
    "missing": "Missing scores decide, so only the tests speak, which leave these out.",
}

_SIDES = {"a_better": 1, "b_better": -1}

_SIGN_TESTS = ("sign", "mid_p", "mcnemar", "trinomial")


@dataclass(frozen=True)
class Tested:
    """A test of one pair: p, and the system that it favors (1 A, -1 B, 0 neither)."""

    name: str
    p: float
    favours: int
    significant_for: int  # the same, 0 where it is not significant


@dataclass(frozen=True)
class Pair:
    """A verdict on one pair, and what its tests are compared with."""

    verdict: str
    side: int  # the system that it names: 1 A, -1 B, 0 none
    wins: int  # that the posterior counted
    losses: int
    smallest_p: float
    alpha: float
    threshold: float
    of_means: bool  # of a difference of means, which has no prior


def reasons(cell: xr.Dataset, provenance: Signature) -> list[str]:
    """Why the verdict on a pair and its tests differ: keys of `REASONS`, none where they agree."""
    cell = pairwise(cell)
    verdict, alpha = str(cell["verdict"].item()), float(provenance.alpha or names.ALPHA)
    if verdict == "no_data":
        return []
    if verdict == "no_verdict":
        decides = "reason" in cell and str(cell["reason"].item()) == names.MISSING_DECIDES
        return ["missing" if decides else "chains"]
    counts = cell["cluster_counts" if "cluster_counts" in cell else "counts"].values
    pair = Pair(
        verdict=verdict,
        side=_SIDES.get(verdict, 0),
        wins=int(counts[0]),
        losses=int(counts[1]),
        smallest_p=cell["smallest_p"].item(),
        alpha=alpha,
        threshold=float(provenance.threshold or names.VERDICT_PROB),
        of_means=provenance.quantity == "mean",
    )
    columns = (cell[k].values.tolist() for k in (names.TEST, "p_value", "favours"))
    tests = [Tested(str(n), p, f, f if p <= alpha else 0) for n, p, f in zip(*columns, strict=True)]
    differing = [test for test in tests if test.significant_for != pair.side]
    opposed = pair.side != 0 and any(t.significant_for == -pair.side for t in differing)
    keys = ["opposed"] if opposed else []
    if provenance.method == "advised" and provenance.model:
        keys += [MODEL_REASONS.get(provenance.model, "model")] if differing else []
    elif provenance.over:
        keys += ["averaged"] if differing else []
    else:
        keys += [_why(pair, test) for test in differing]
        against = np.sign(pair.wins - pair.losses) == -pair.side != 0
        keys += ["sizes" if pair.of_means else "prior"] if against else []
    # whether correction for the number of pairs changes what the last test says
    adjusted = float(cell["p_adjusted"].values[-1])
    keys += ["many"] if pair.side and tests[-1].p <= alpha < adjusted else []
    return list(dict.fromkeys(keys))


def _why(pair: Pair, test: Tested) -> str:
    """Of wins, losses and ties, why one test says something else than the verdict."""
    counts_signs = test.name in _SIGN_TESTS
    if pair.of_means:
        return _why_means(pair, test, counts_signs)
    ahead = np.sign(pair.wins - pair.losses)
    if counts_signs and test.favours != ahead:
        return "ties"
    counted = ahead if float(np.asarray(sign_p(pair.wins, pair.losses))) <= pair.alpha else 0
    if not counts_signs and counted != test.significant_for:
        return "sizes"  # counted alone, the same items say something else
    if pair.verdict in ("equivalent", "split"):
        return "rope" if pair.verdict == "equivalent" else "split"
    if test.significant_for:
        return "prior" if pair.side else _level(pair)
    if pair.smallest_p > pair.alpha:
        return "few"
    one_sided = float(np.asarray(sign_mid_p(pair.wins, pair.losses))) / 2
    return "sides" if one_sided <= pair.alpha else _level(pair)


def _why_means(pair: Pair, test: Tested, counts_signs: bool) -> str:
    """Of means, why one test says something else than the verdict."""
    if pair.verdict in ("equivalent", "split"):
        return "rope" if pair.verdict == "equivalent" else "split"
    both_sides = float(np.asarray(sign_mid_p(pair.wins, pair.losses))) if counts_signs else test.p
    if pair.side and both_sides / 2 <= pair.alpha < test.p:
        return "sides"
    if counts_signs:
        return "sizes"
    return "few" if pair.smallest_p > pair.alpha else _level(pair)


def _level(pair: Pair) -> str:
    """Whether the levels differ, or else the prior, or Student's t."""
    if not np.isclose(1 - pair.threshold, pair.alpha):
        return "levels"
    return "t" if pair.of_means else "prior"


_ALONE = "Pairwise P(better)"
_CORRECTED = {"holm": "Holm", "bh": "BH"}


def tests_part(context: ReportContext) -> Part | None:
    """The section: a row each pair, and the reasons that the numbers of its last column stand
    for.
    """
    if not tests_in(context.data):
        return None
    data = pairwise(context.data)  # tests are of each pair alone
    cells = [pair_cell(data, *pair) for pair in context.pairs[:PAIRS_VISIBLE]]
    why = [reasons(cell, context.provenance) for cell in cells]
    used = [reason for reason in REASONS if any(reason in keys for keys in why)]
    pointed = [", ".join(str(used.index(reason) + 1) for reason in keys) for keys in why]
    caption = (
        "Posterior and tests side by side; in brackets: the system that the test speaks for; a "
        "number in the last column says why they differ; " + _tested_on(context.provenance)
    )
    rows = _by_test(pairs_at(data, context.pairs[:PAIRS_VISIBLE]))
    columns = [*_test_columns(context), Column("Differ, why", lambda _: pointed, blank=())]
    table = table_by_pair(rows, columns, caption, name="tests")
    compared = [p for p, v in zip(pointed, rows["verdict"].values, strict=True) if v != "no_data"]
    return Part("Posterior and tests", tables=[table], notes=_test_notes(context, used, compared))


def _tested_on(provenance: Signature) -> str:
    """What the tests count: clusters, or items, which may come in clusters that they ignore."""
    pooled = ", pooled over data sets" if provenance.over else ""
    if provenance.tests_on:
        return f"tests count {provenance.tests_on}{pooled}"
    if provenance.ignored:
        return f"tests count items as independent{pooled}, and ignore the {provenance.ignored}"
    return f"tests count {provenance.observation}s{pooled}"


def _test_columns(context: ReportContext) -> list[Column]:
    tests, joint = tests_in(context.data), "pairwise_verdict" in context.data
    corrected = _CORRECTED.get(str(context.provenance.correction)) if context.many else None
    heads = {f"p_value_{test}": get_spec(test).header for test in tests}
    if corrected:
        heads[f"p_adjusted_{tests[-1]}"] = f"{corrected} {get_spec(tests[-1]).header}"
    return [
        deciding(_ALONE if joint else "P(better)", "prob_better", blank=NO_DATA),
        verdict(context.pairwise_heading, unit=unit_label(context.provenance)),
        *(
            p_value(heading, name, f"favours_{name.split('_', 2)[2]}", blank=NO_DATA)
            for name, heading in heads.items()
        ),
    ]


def _by_test(rows: xr.Dataset) -> xr.Dataset:
    """With the p-values of each test by its name."""
    values = {
        f"{name}_{test}": rows[name].sel({names.TEST: test}, drop=True)
        for name in ("p_value", "p_adjusted", "favours")
        for test in tests_in(rows)
        if name in rows
    }
    if "p_value_mcse" in rows:
        values["p_value_randomization_mcse"] = rows["p_value_mcse"]
        if "p_adjusted" in rows:
            factor = values["p_adjusted_randomization"] / values["p_value_randomization"]
            values["p_adjusted_randomization_mcse"] = factor * rows["p_value_mcse"]
    return rows.assign(values)


def _test_notes(context: ReportContext, used: Sequence[str], pointed: Sequence[str]) -> list[str]:
    """The reasons that the rows of compared pairs point to, one sentence each, and whether the rest
    agree.
    """
    systems = len(context.systems)
    values = {
        "alpha": context.provenance.alpha,
        "pairs": systems * (systems - 1) // 2,
        "threshold": context.provenance.threshold,
    }
    notes = [f"{k + 1}. {REASONS[reason].format_map(values)}" for k, reason in enumerate(used)]
    agreeing = sum(not number for number in pointed)
    if agreeing == len(pointed) > 0:
        every = "every pair" if 2 * len(pointed) == systems * (systems - 1) else "every pair shown"
        notes.append(
            f"Posterior and tests agree on {every}: the verdict names a system where the tests are "
            "significant for the same one, and none where they are not significant."
        )
        if context.provenance.ignored:
            notes[-1] += f" Both ignore the {context.provenance.ignored}, and are too certain."
    elif agreeing:
        notes.append(
            f"On the other {agreeing} of {len(pointed)} pairs posterior and tests agree, on the "
            "system too."
        )
    notes += _friedman(context)
    notes.append(
        "A p-value is the probability of a result at least this extreme if the systems were equal; "
        "it is not the probability that they are equal."
    )
    return notes


def _friedman(context: ReportContext) -> list[str]:
    if "friedman_p" not in context.data:
        return []
    statistic, p, n = (context.data[f"friedman_{k}"].item() for k in ("statistic", "p", "n"))
    systems, unit = len(context.systems), context.provenance.unit or names.ITEM
    text = f"Friedman's test of all {systems} systems at once, on the {n:,} {unit}s that all have: "
    if statistic != statistic:
        return [text + "no two differ on any."]
    return [
        f"{text}chi-square {statistic:.1f} on {systems - 1} degrees of freedom, p = "
        f"{numbers.p_value(p)}; it asks whether any differ, not which."
    ]


_HEADING = "Homogeneous groups of systems"
_MARKED_SYSTEMS = 40  # with more systems than this, similar systems are listed by rank
_LETTERS = 24  # characters of the groups of one system; more are counted
_MARK, _ONE_WAY, _UNSETTLED = "✓", "✓!", "✓?"
_LEGENDS = {
    "one_way": f"{_ONE_WAY}: marked in this direction only, so that the pair is in no group.",
    "unsettled": f"{_UNSETTLED}: undecided; more random permutations would show on which side of "
    "the cutoff the pair is.",
}


def groups_page(groups: xr.Dataset) -> Document:
    """The page on groups, from `significance.groups`."""
    a = groups.attrs
    signature = [
        f"betterthan {a['version']}",
        f"groups by {a['test']}",
        f"cutoff={a['cutoff']:g}",
        f"confidence={a['confidence_needed']:g}",
        f"correction={a['correction']}",
        f"systems={groups.sizes[names.SYSTEM]}",
    ]
    return Document(
        _HEADING,
        "Which systems are not significantly different?",
        [
            Part(
                _HEADING,
                tables=[marks_table(groups)],
                notes=[*_critical_difference(groups), on_one_line(str(a["note"]))],
                figures=[Figure("Which systems do not differ", plotted("cliques", groups))],
            ),
            *_p_values(groups),
        ],
        ['"Not significantly different" does not mean equal.'],
        [" | ".join(signature)],
        group_sentences(group_facts(groups)),
    )


def _critical_difference(groups: xr.Dataset) -> list[str]:
    """How far apart scores must be on these items, for any two systems to differ."""
    if "critical_difference" not in groups:
        return []
    value, error = (float(groups[f"critical_difference{end}"]) for end in ("", "_mcse"))
    if np.isnan(value):
        return ["There is no critical difference: so few permutations cannot reach the cutoff."]
    return [
        f"Critical difference: {numbers.estimate(value, error)}. Two systems whose scores are no "
        "further apart cannot be distinguished on this test set."
    ]


def _p_values(groups: xr.Dataset) -> list[Part]:
    """P above the diagonal and, where it was sampled, the confidence in the cutoff below it."""
    number = groups.sizes[names.SYSTEM]
    if "p_adjusted" not in groups or number > _MARKED_SYSTEMS:
        return []
    cells = np.full((number, number), "", dtype=object)
    upper = np.triu_indices(number, 1)
    p = groups["p_adjusted"].values[upper]
    error = groups["p_adjusted_mcse"].values[upper] if "p_adjusted_mcse" in groups else 0 * p
    cells[upper] = list(map(numbers.p_value, p, error))
    below = ""
    if "confidence" in groups:
        cells.T[upper] = [numbers.probability(p) for p in groups["confidence"].values[upper]]
        below = " Below it: the confidence that the true p is at or below the cutoff."
    systems = labels_on_one_line(groups[names.SYSTEM].values)
    ranks = [str(k + 1) for k in range(number)]
    rows = [(system, *row) for system, row in zip(systems, cells.tolist(), strict=True)]
    caption = f"Above the diagonal: p of each pair, as compared with the cutoff.{below}"
    return [Part("p-values", tables=[Table(("System", *ranks), rows, caption)])]


@dataclass(frozen=True, kw_only=True)
class GroupFacts:
    """Facts of `significance.groups`; similar systems are not significantly different."""

    n_systems: int
    n_pairs: int
    n_similar: int  # pairs
    n_one_way: int  # of these, similar in one direction only
    first: str  # the system at rank 1
    similar_to_first: list[str]
    separate: list[str]  # systems that are similar to no other one


def group_facts(groups: xr.Dataset) -> GroupFacts:
    """Facts from the result of `significance.groups`."""
    systems = np.array(labels_on_one_line(groups[names.SYSTEM].values))
    n = len(systems)
    similar = groups["similar"].values & ~np.eye(n, dtype=bool)
    either_way = similar | similar.T
    return GroupFacts(
        n_systems=n,
        n_pairs=n * (n - 1) // 2,
        n_similar=int(either_way.sum()) // 2,
        n_one_way=int((similar != similar.T).sum()) // 2,
        first=str(systems[0]),
        similar_to_first=systems[either_way[0]].tolist(),
        separate=systems[~either_way.any(1)].tolist(),
    )


def group_sentences(facts: GroupFacts) -> list[str]:
    """How many pairs are not significantly different, and which systems differ from all others."""
    if not facts.n_similar:
        return [f"All {facts.n_systems:,} systems differ significantly from each other."]
    are = "is" if facts.n_similar == 1 else "are"
    one_way = f", {facts.n_one_way:,} of them in one direction only" if facts.n_one_way else ""
    pairs = (
        f"{facts.n_similar:,} of {facts.n_pairs:,} pairs of systems {are} not significantly "
        f"different{one_way}."
    )
    first = "differs significantly from all others"
    if facts.similar_to_first:
        first = f"is not significantly different from {named(facts.similar_to_first)}"
    sentences = [f"{pairs} {facts.first}, at rank 1, {first}."]
    if others := [system for system in facts.separate if system != facts.first]:
        differ = "differs" if len(others) == 1 else "differ"
        sentences.append(f"{named(others)} {differ} significantly from every other system.")
    return sentences


def groups_part(context: ReportContext) -> Part | None:
    """The section on groups of a comparison: by its verdicts, so that no pair is decided in one
    table and alike in another.
    """
    if not context.many:
        return None
    if single_unit(context.data)[np.triu_indices(len(context.systems), 1)].all():
        unit = unit_label(context.provenance)
        why = f"Each pair has a single {unit}, so there is only one independent observation"
        return Part(_HEADING, notes=[f"{why}, and systems are not grouped."])
    # similar are systems of which no verdict names the better one
    verdict = context.data["verdict"].transpose(*names.SQUARE).values.astype(str)
    similar = ~np.isin(verdict, ("a_better", "b_better"))
    never = int((verdict[np.triu_indices(len(verdict), 1)] == "no_data").sum())
    joint = "pairwise_verdict" in context.data
    rule = _RULE.format(" in the joint model of all systems" * joint, context.provenance.threshold)
    try:
        groups = groups_by(Marks(context.systems, similar, None, rule, untested=never))
    except ValueError as error:  # more groups than anybody reads
        return Part(_HEADING, notes=[str(error)])
    notes = [str(groups.attrs["note"]), *(() if joint else _PAIRWISE)]
    return Part(_HEADING, tables=[marks_table(groups)], notes=notes)


_RULE = (
    "Two systems are different if the verdict{}, at a posterior probability of {:g}, is that one "
    "of them is better."
)
_PAIRWISE = (
    "These verdicts are pairwise. For groups by a test that is corrected for the number of pairs, "
    "use betterthan.significance.groups.",
)


def marks_table(groups: xr.Dataset) -> Table:
    """The table of check marks, or of ranks where there are many systems.

    Parameters
    ----------
    groups : xarray.Dataset
        From `significance.groups`.

    Returns
    -------
    Table
        Columns System, Rank, Score if known, one per rank or "Not different from", and Groups.
    """
    systems = labels_on_one_line(groups[names.SYSTEM].values)
    ranks = [str(k + 1) for k in range(len(systems))]
    columns = {"System": systems, "Rank": ranks}
    if "score" in groups:
        lower = not groups.attrs.get("higher_is_better", True)
        columns[f"Score{' (lower is better)' * lower}"] = _score_texts(groups["score"].values)
    # the letters of every system's groups; where there are many, their number
    letters = zip(map(str, groups["letters"].values), groups["member"].values.sum(1), strict=True)
    columns |= _similar_columns(groups, ranks)
    columns["Groups"] = [k if len(k) <= _LETTERS else f"{n:,} groups" for k, n in letters]
    rows = list(zip(*columns.values(), strict=True))
    table = Table(tuple(columns), rows, _groups_caption(groups), marks=True)
    if len(rows) <= PAGE_SYSTEMS:
        return table
    return replace(table, visible=PAGE_SYSTEMS, elsewhere="all are in the HTML report")


def _similar_columns(groups: xr.Dataset, ranks: list[str]) -> dict[str, list[str]]:
    """A column for each rank, or the ranks listed."""
    if len(ranks) > _MARKED_SYSTEMS:
        others = groups["similar"].values & ~np.eye(len(ranks), dtype=bool)
        listed = [ranges(int(k) + 1 for k in np.flatnonzero(row)) for row in others]
        return {"Not different from": listed}
    one_way, unsettled = groups["one_way"].values, groups["unsettled"].values
    marks = np.where(one_way, _ONE_WAY, np.where(unsettled, _UNSETTLED, _MARK))
    return dict(zip(ranks, np.where(groups["similar"].values, marks, "").T.tolist(), strict=True))


def _groups_caption(groups: xr.Dataset) -> str:
    rule = on_one_line(str(groups.attrs["rule"]))
    if groups.sizes[names.SYSTEM] > _MARKED_SYSTEMS:
        return f"Not different from: ranks of the systems without a significant difference. {rule}"
    similar = groups["similar"].values
    legends = [legend for kind, legend in _LEGENDS.items() if (groups[kind].values & similar).any()]
    return " ".join([f"{_MARK}: the systems of row and column are not different.", *legends, rule])


def _score_texts(scores: np.ndarray) -> list[str]:
    """To as many decimals, from 2 to 4, as write the scores in full."""
    finite = scores[np.isfinite(scores)]
    full = (k for k in (2, 3) if np.allclose(finite, np.round(finite, k), rtol=0, atol=1e-9))
    places = next(full, 4)
    return [f"{s:.{places}f}" if np.isfinite(s) else "–" for s in scores]

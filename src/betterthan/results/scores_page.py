"""The pages on systems compared by one score, and on systems whose outcomes a judge gave."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import pair_tables, tables
from betterthan.results.brief import answer_context
from betterthan.results.comparison_page import matrix_section
from betterthan.results.context import P_BEST, PAIRS_SYSTEMS, printable, table_by_system
from betterthan.results.document import Document, Figure, Part, parts_present, plotted
from betterthan.results.numbers import on_one_line, share
from betterthan.results.provenance import signature
from betterthan.results.score_sentences import (
    favours,
    judged_facts,
    judged_sentences,
    score_facts,
    score_sentences,
    statistic_label,
    units_label,
    why,
    wins_reason,
    withheld,
)
from betterthan.results.sentences import verdict_label
from betterthan.signed import Signature

_DESCRIBED = 4  # systems whose pairs are told in words

_NO_VERDICT = {"no_verdict": "no verdict: rare label", "no_data": "no verdict: one unit"}

_CORRECTED = {"holm": "Holm p", "bh": "BH p"}


def in_order(comparison: xr.Dataset) -> xr.Dataset:
    """Systems by expected rank, their names on one line."""
    order = np.argsort(comparison["expected_rank"].values, kind="stable")
    return printable(comparison.isel(dict.fromkeys(tables.systems_dims(comparison), order)))


def first_systems(comparison: xr.Dataset, count: int) -> xr.Dataset:
    """The first systems alone."""
    return comparison.isel(dict.fromkeys(tables.systems_dims(comparison), slice(count)))


def pairs_part(comparison: xr.Dataset) -> Part:
    """Every pair: difference, probability, test."""
    first, total = first_systems(comparison, PAIRS_SYSTEMS), comparison.sizes[names.SYSTEM]
    places = tables.ahead_first(first)
    caption = f"All {len(places)} pairs, the system ahead first" if len(places) > 1 else "The pair"
    if first.sizes[names.SYSTEM] < total:
        pairs = total * (total - 1) // 2
        caption = f"The first {PAIRS_SYSTEMS} systems: {len(places)} of {pairs:,} pairs"
    units = units_label(comparison)
    notes = [
        f"Wins and losses: {units} on which the system scores better, or worse, than the other.",
        "In brackets after p: the system that the test favors.",
    ]
    if "prob_better_closed" in comparison:
        notes.append("Closed form: from wins and losses only, with a prior of one each.")
    elif _counts_wins(comparison):
        notes.append("P(wins more): from wins and losses only, with a prior of one each.")
    better = 1 if first.attrs.get("higher_is_better", True) else -1
    score = better * first["score"].values
    losses = first["wins"].transpose(names.SYSTEM_B, names.SYSTEM_A).values
    favours = np.sign(np.subtract.outer(score, score))
    first = first.assign(losses=(names.SQUARE, losses), favours=(names.SQUARE, favours))
    rows = pair_tables.pairs_at(first, places)
    size, *columns = _pair_columns(comparison)
    size, caption = pair_tables.with_marks(size, rows, caption)
    table = pair_tables.table_by_pair(rows, [size, *columns], caption)
    return Part("Pairs", tables=[table], notes=notes)


def _pair_columns(comparison: xr.Dataset) -> list[tables.Column]:
    corrected = _CORRECTED.get(comparison.attrs["correction"])
    more = tables.probability("P(wins more)", "prob_more_wins", blank=())
    several = comparison.sizes[names.SYSTEM] > 2
    return [
        tables.difference("Difference", bracketed=tables.interval_label(comparison.attrs)),
        *pair_tables.rope_columns(comparison.attrs["rope"]),
        pair_tables.P_BETTER,
        tables.number("MC error", "prob_better_mcse", "{:.1g}".format),
        tables.probability("Closed form", "prob_better_closed", blank=()),
        *([more] if _counts_wins(comparison) else []),
        pair_tables.p_value("p", "p_value"),
        *([pair_tables.p_value(corrected, "p_adjusted")] if corrected and several else []),
        pair_tables.WINS,
        pair_tables.LOSSES,
        tables.count("Ties", "equal"),
        pair_tables.verdict(reasons=_NO_VERDICT),
    ]


def _counts_wins(comparison: xr.Dataset) -> bool:
    """Whether P(wins more) has a column here, because no other table has it."""
    elsewhere = {"prob_better_closed", "prob_ahead"} & set(comparison)
    return "prob_more_wins" in comparison and not elsewhere


def words_part(comparison: xr.Dataset) -> Part | None:
    """The first pairs of several in sentences; with two systems the answer has it."""
    if comparison.sizes[names.SYSTEM] == 2:
        return None
    few, statistic = first_systems(comparison, _DESCRIBED), statistic_label(comparison)
    cells = [tables.pair_cell(few, i, j) for i, j in tables.ahead_first(few)]
    return Part("In words", lines=[_sentence(cell, statistic) for cell in cells])


def _sentence(cell: xr.Dataset, statistic: str) -> str:
    (a, b), verdict = tables.names_in(cell), str(cell["verdict"].item())
    p, tested = tables.probability_in(cell, "prob_better"), tables.p_value_in(cell)
    p_value, alpha = cell["p_value"].item(), cell.attrs["alpha"]
    reason = wins_reason(cell, verdict) or why(verdict, p_value, favours(cell), alpha)
    speaks = {1: f" in favor of {a}", -1: f" in favor of {b}"}.get(favours(cell), "")
    if verdict in ("no_verdict", "no_data"):
        reason = withheld(cell)
        systems = f"{a} and {b} ({reason})"
        return f"No verdict on the {statistic} of {systems}; two-sided p = {tested}{speaks}."
    return (
        f"{statistic[:1].upper()}{statistic[1:]} of {a} is better than that of {b} with "
        f"probability {p}; two-sided p = {tested}{speaks}. Verdict: {verdict_label(verdict, a, b)}"
        f"{f' ({reason})' if reason else ''}."
    )


FEW_UNITS = (
    "The bootstrap resamples only the observed units, with a correction for their number; with "
    f"fewer than {names.UNITS_MIN} units, probabilities and intervals are only rough."
)


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of it."""
    comparison = in_order(comparison)
    context = answer_context(comparison)
    parts = parts_present(
        systems_part(comparison),
        pairs_part(comparison),
        None if context is None else matrix_section(context),
        words_part(comparison),
        _data(comparison),
    )
    return Document(
        _title(comparison),
        _question(comparison),
        parts,
        _limits(comparison),
        [_signature(comparison)],
        score_sentences(score_facts(comparison)),
    )


def _title(comparison: xr.Dataset) -> str:
    statistic = statistic_label(comparison)
    systems = [str(s) for s in comparison[names.SYSTEM].values]
    who = f"{systems[0]} and {systems[1]}" if len(systems) == 2 else f"{len(systems)} systems"
    return f"{statistic[:1].upper()}{statistic[1:]} of {who}"


def _question(comparison: xr.Dataset) -> str:
    a = comparison.attrs
    units = "items" if a["unit"] == names.ITEM else f"units by {a['unit']}"
    statistic = statistic_label(comparison)
    return (
        f"Which system has the better {statistic} on the same {a['n_items']:,} {units}, and with "
        "what probability?"
    )


def _data(comparison: xr.Dataset) -> Part:
    a = comparison.attrs
    how = "exact" if a["test_method"] != "monte_carlo" else f"{a['shuffles']:,} random permutations"
    lower = "" if a["higher_is_better"] else ", lower is better"
    units = "items" if a["unit"] == names.ITEM else f"{a['unit']}s"
    drawn = f"{a['draws']:,} joint draws, seed {a['seed']}"
    spread = f"corrected for {a['n_weighed']:,} units" if "n_weighed" in a else "prior zero"
    facts = [
        ("Source", a["reading"] or "data given"),
        ("Statistic", statistic_label(comparison) + lower),
        ("Unit of analysis", f"{a['n_items']:,} {units}"),
        ("Posterior", _left_out(a) or f"Bayesian bootstrap, {spread}, {drawn}"),
        ("Test", f"randomization of the same statistic, two-sided, {how}"),
    ]
    if a["rope"]:
        facts.append(("Practically equivalent", f"a difference of at most {a['rope']:g}"))
    return Part("Data and method", facts=facts)


def _left_out(a: dict[Any, Any]) -> str:
    """How units of unequal size were answered, where they were."""
    if "df" not in a:
        return ""
    return (
        f"Student's t, {a['df']:.1f} degrees of freedom, jackknife standard errors: "
        f"{a['n_weighed']:,} units of unequal size, effective number {a['df'] + 1:.1f}; ranks from "
        f"{a['draws']:,} joint draws, seed {a['seed']}"
    )


def systems_part(comparison: xr.Dataset) -> Part:
    """Every system with its score, P(best) and rank."""
    a, total = comparison.attrs, comparison.sizes[names.SYSTEM]
    score, statistic = ["score_lower", "score_upper"], statistic_label(comparison)
    columns = [
        tables.number(f"{statistic[:1].upper()}{statistic[1:]}", "score", "{:.4f}".format),
        tables.values(tables.interval_label(a), score, _interval, error="score_mean_mcse"),
        tables.values("By itself", ["alone_lower", "alone_upper"], _interval),
        P_BEST,
        tables.number("MC error", "prob_best_mcse", "{:.1g}".format),
        tables.number("Rank", "expected_rank", _rank),
        tables.flag("Not shown to be worse than best", "tied_with_top"),
    ]
    lower = "" if a["higher_is_better"] else "; lower is better"
    caption = f"Systems, best first; rank: posterior mean{lower}"
    held, p = int(comparison["in_best_set"].sum()), f"{a['ci_prob']:g}"
    best_set = f"Contenders: the best system is one of {held} of {total} with probability {p}."
    ranked = bool(comparison["prob_best"].notnull().all())
    notes = [best_set] if total > 2 and ranked else []
    if "alone_lower" in comparison:
        notes.append(
            "By itself: from the counts of the system only, as if all counts were independent, in "
            "closed form."
        )
    if comparison["score_lower"].isnull().any():
        single = "there is a single unit, so there is no interval for new ones"
        why = "the score is the same on every unit, so there is no interval" if ranked else single
        notes.append(f"–: {why}.")
    ranks = Figure("Probability of each rank", plotted("ranks", comparison))
    figures = [ranks] if total > 2 and ranked else []
    table = table_by_system(comparison, columns, caption)
    return Part("Systems", tables=[table], notes=notes, figures=figures)


def _interval(low: float, high: float, error: float = 0.0) -> str:
    if np.isnan(low):
        return "–"
    places = 4 if error == 0 else min(4, max(1, -int(np.floor(np.log10(error)))))
    return f"[{low:.{places}f}, {high:.{places}f}]".replace("-", "−")


def _rank(value: float, error: float = 0.0) -> str:
    places = 0 if error >= 0.5 else 1
    return "–" if np.isnan(value) else f"{value:.{places}f}"


def _limits(comparison: xr.Dataset) -> list[str]:
    threshold = comparison.attrs.get("threshold", names.VERDICT_PROB)
    limits = [
        FEW_UNITS,
        "Items are treated as independent; if they are not, pass unit= with the document or "
        "dialogue that they belong to.",
        f"A verdict needs a posterior probability of at least {threshold:g} for the score and for "
        "having more wins. It is one-sided; the p-value is two-sided.",
    ]
    if comparison.sizes[names.SYSTEM] > 2:
        limits.append(
            "P(best) and ranks are joint over all systems; P(better) of a pair is not corrected "
            "for the number of pairs."
        )
    if comparison.attrs["rope"] == 0:
        limits.append(
            "Without a ROPE (region of practical equivalence), no pair can be practically "
            "equivalent."
        )
    return limits


def _signature(comparison: xr.Dataset) -> str:
    a = comparison.attrs
    weighed = f", D={a['n_weighed']}" if "n_weighed" in a else ""
    shuffles = f", {a['shuffles']} shuffles" if "shuffles" in a else ""
    of = [
        f"{a['statistic']} by {a['unit']}",
        f"jackknife, df={a['df']:.3g}" if "df" in a else f"Bayesian bootstrap{weighed}",
    ]
    threshold = f"verdict at {a.get('threshold', names.VERDICT_PROB):g}"
    decided = [threshold, f"randomization {a['test_method']}{shuffles}"]
    return signature_of_draws(comparison, of, decided)


def signature_of_draws(
    comparison: xr.Dataset, of: Sequence[str], decided: Sequence[str] = ()
) -> str:
    """The provenance line of a comparison by joint draws: of what, and how it was decided."""
    a = comparison.attrs
    parts = [
        *(f"betterthan {a['version']}", *of, tables.sampled_by(a), f"rope={a['rope']:g}"),
        *(f"interval={tables.interval_label(a)}", *decided, f"correction={a['correction']}"),
        *(f"n={a['n_items']}", f"systems={comparison.sizes[names.SYSTEM]}"),
        f"data={a['data_hash']}",
    ]
    return " | ".join(parts)


_LIMITS = (
    "Judge only takes every judge output as correct. It is shown for comparison and is no verdict: "
    "if the judge favors one system, it is wrong with high probability.",
    "R2 is the proportion of the variance of the human labels that the judge outputs explain. "
    "However many items are judged, m labels have an effective number of at most m / (1 - R2).",
    '"Undecided" does not mean equal.',
)


def judged_page(comparison: xr.Dataset) -> Document:
    """Everything a report says of it, from `compare` of judged counts."""
    comparison = printable(tables.best_first(comparison))
    provenance = Signature.from_attrs(comparison.attrs)
    main = comparison.isel({names.ENGINE: 0})
    n = main["n"].transpose(*names.SQUARE).values
    places = tables.ahead_first(main)
    judged = [pair for pair in places if n[pair] > 0]  # those that have examples
    rows = pair_tables.pairs_at(main, judged)
    sections = (_pairs(rows, provenance), _by_source(rows, provenance), _worth(rows))
    details = _judged_data(comparison, provenance), *_engines(comparison, judged)
    parts = parts_present(*sections, *details)
    question = "Which system is better by human labels, given the judge outputs for all items?"
    notes = [on_one_line(note) for note in provenance.notes or ()]
    alarms = [note for note in notes if note.startswith("! ")]
    notes = [note for note in notes if note not in alarms]
    no_joint = [f"P(best) is not available: {provenance.no_joint}."] if len(places) > 1 else []
    limits = [*notes, *no_joint, *_LIMITS]
    signed = [on_one_line(signature(comparison))]
    answer = [*judged_sentences(judged_facts(comparison)), *alarms]
    systems = [str(s) for s in comparison[names.SYSTEM_A].values]
    who = " and ".join(systems) if len(systems) == 2 else f"{len(systems)} systems"
    return Document(f"{who} compared by judged outcomes", question, parts, limits, signed, answer)


def _judged_data(comparison: xr.Dataset, provenance: Signature) -> Part:
    gold, n = (int(comparison[k].sum()) // 2 for k in ("n_gold", "n"))
    prior = ", ".join(f"{p:g}" for p in provenance.prior or ())
    facts = [
        ("Source", on_one_line(provenance.reading or "data given")),
        ("Human labels", f"{gold:,} of {n:,} judged items ({provenance.labels_by})"),
        ("Judge", on_one_line(provenance.judged_by or "data given")),
        ("Model", f"{provenance.modelled}: one Dirichlet each, in closed form"),
        ("Prior", f"Dirichlet({prior}) of win, loss and tie, a third of it on each judge output"),
    ]
    if provenance.rope:
        facts.append(("Practically equivalent", f"a difference of at most {provenance.rope:g}"))
    return Part("Data and method", facts=facts)


def _pairs(rows: xr.Dataset, provenance: Signature) -> Part:
    size = tables.difference("Difference", bracketed=tables.interval_label(provenance.to_attrs()))
    n = rows.sizes[names.PAIR]
    which = "The pair" if n == 1 else f"All {n:,} pairs, the system ahead first"
    caption = f"{which}; judge outputs corrected with human labels"
    size, caption = pair_tables.with_marks(size, rows, caption)
    columns = [
        size,
        *pair_tables.rope_columns(provenance.rope),
        pair_tables.P_BETTER,
        pair_tables.verdict(),
    ]
    return Part("Pairs", tables=[pair_tables.table_by_pair(rows, columns, caption)])


def _by_source(rows: xr.Dataset, provenance: Signature) -> Part:
    """Human labels only, and the judge only, which has no verdict of its own here."""
    interval = tables.interval_label(provenance.to_attrs())
    columns = [*pair_tables.COUNTS]
    for name, by in (("gold", "Human labels only"), ("judge", "Judge only")):
        columns += [
            tables.probability(f"{by}: P(better)", f"{name}_prob_better", blank=()),
            tables.difference(f"{by}: difference", f"{name}_", bracketed=interval, blank=()),
        ]
    notes = ["Judge only: the judge outputs of all items, uncorrected."]
    caption = "Without correction; wins, losses and ties count human labels"
    table = pair_tables.table_by_pair(rows, columns, caption)
    judge = "judge_prob_better" in rows
    return Part("Human labels only and judge only", tables=[table], notes=notes if judge else [])


def _worth(rows: xr.Dataset) -> Part:
    """What the judge adds to the labels."""
    effective = [f"effective_gold{end}" for end in ("", "_lower", "_upper")]
    columns = [
        tables.count("Judged", "n"),
        tables.count("Human labels", "n_gold"),
        tables.number("R2", "r2", "{:.2f}".format),
        tables.values("Effective labels", effective, "{:,.0f} [{:,.0f}, {:,.0f}]".format),
        tables.number("At most", "most", "{:,.0f}".format),
        tables.number("Without label", "unlabelled", share, blank=()),
    ]
    notes = [
        "Effective labels: the number of human labels that would be as informative without a "
        "judge, with its 95% interval. At most: with unlimited judged items. Without label: items "
        "whose judge output no labeled item has."
    ]
    rows = rows.assign(most=rows["n_gold"] / (1 - rows["r2"]))
    table = pair_tables.table_by_pair(rows, columns)
    return Part("Effective number of human labels", tables=[table], notes=notes)


def _engines(comparison: xr.Dataset, places: list[tuple[int, int]]) -> list[Part]:
    """The closed form and PyMC side by side, where both were asked for."""
    engines = [str(e) for e in comparison[names.ENGINE].values]
    if not places or len(engines) < 2:
        return []
    verdicts = comparison["verdict"].variable.isel({names.ENGINE: 0})
    rows = pair_tables.pairs_at(comparison.assign(verdict=verdicts), places)
    columns = [
        tables.along(f"P(better), {engine}", pair_tables.P_BETTER, names.ENGINE, k)
        for k, engine in enumerate(engines)
    ]
    return [Part("Two ways of computing", tables=[pair_tables.table_by_pair(rows, columns)])]

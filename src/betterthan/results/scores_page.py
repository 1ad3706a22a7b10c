"""The page on one score of several systems, from `scores.compare`, and its table of pairs."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results.columns import (
    Column,
    cell_of,
    difference,
    flag,
    interval_of,
    names_in,
    number,
    p_value_in,
    probability,
    probability_in,
    sampled_by,
    values,
)
from betterthan.results.context import PAIRS_OF, printable, systems_dims
from betterthan.results.document import Document, Figure, Part, parts_present, plotted
from betterthan.results.pair_tables import (
    LOSSES,
    P_BETTER,
    WINS,
    p_value,
    pairs_of,
    rope_columns,
    table_of_pairs,
    verdict,
)
from betterthan.results.rows import ahead_first
from betterthan.results.score_sentences import (
    favours,
    of_wins,
    said_of,
    score_sentences,
    scored_of,
    units_of,
    why,
    withheld,
)
from betterthan.results.sentences import title_of_verdict
from betterthan.results.systems_table import P_BEST, table_of_systems

_TOLD = 4  # systems whose pairs are told in words

_NO_VERDICT = {"no_verdict": "no verdict: rare label", "no_data": "no verdict: one unit"}

_CORRECTED = {"holm": "Holm p", "bh": "BH p"}


def in_order(found: xr.Dataset) -> xr.Dataset:
    """Systems by expected rank, their names on one line."""
    order = np.argsort(found["expected_rank"].values, kind="stable")
    return printable(found.isel(dict.fromkeys(systems_dims(found), order)))


def first_of(found: xr.Dataset, count: int) -> xr.Dataset:
    """The first systems alone."""
    return found.isel(dict.fromkeys(systems_dims(found), slice(count)))


def pairs_part(found: xr.Dataset) -> Part:
    """Every pair: difference, probability, test."""
    shown, total = first_of(found, PAIRS_OF), found.sizes[names.SYSTEM]
    places = ahead_first(shown)
    caption = f"All {len(places)} pairs" if len(places) > 1 else "The pair"
    if shown.sizes[names.SYSTEM] < total:
        pairs = total * (total - 1) // 2
        caption = f"The first {PAIRS_OF} systems: {len(places)} of {pairs:,} pairs"
    units = units_of(found)
    notes = [
        f"Wins and losses: {units} on which the system, or the other, scores higher by itself.",
        "In brackets: the system that p speaks for.",
    ]
    if "prob_better_closed" in found:
        notes.append("Closed form: of wins and losses alone, with a prior of one each.")
    elif _counts_wins(found):
        notes.append(f"P(wins more): of the {units} ahead alone, with a prior of one each.")
    table = table_of_pairs(pairs_of(_both_sides(shown), places), _pair_columns(found), caption)
    return Part("Pairs", tables=[table], notes=notes, figures=_matrix_figure(found))


def _both_sides(found: xr.Dataset) -> xr.Dataset:
    """With the wins of the other, and the system whose score is better on the data."""
    better = 1 if found.attrs.get("higher_is_better", True) else -1
    score = better * found["score"].values
    losses = found["wins"].transpose(names.SYSTEM_B, names.SYSTEM_A).values
    favours = np.sign(np.subtract.outer(score, score))
    return found.assign(losses=(names.SQUARE, losses), favours=(names.SQUARE, favours))


def _pair_columns(found: xr.Dataset) -> list[Column]:
    corrected = _CORRECTED.get(found.attrs["correction"])
    more = [probability("P(wins more)", "prob_more_wins", blank=())] if _counts_wins(found) else []
    several = found.sizes[names.SYSTEM] > 2
    return [
        difference("Difference", bracketed=interval_of(found.attrs)),
        P_BETTER,
        probability("closed form", "prob_better_closed", blank=()),
        *more,
        *rope_columns(found.attrs["rope"]),
        p_value("p", "p_value"),
        *([p_value(corrected, "p_adjusted")] if corrected and several else []),
        WINS,
        LOSSES,
        verdict(reasons=_NO_VERDICT),
    ]


def _counts_wins(found: xr.Dataset) -> bool:
    """Whether wins counted alone stand beside, and in no other column or table."""
    return "prob_more_wins" in found and not {"prob_better_closed", "prob_ahead"} & set(found)


def words_part(found: xr.Dataset) -> Part | None:
    """The first pairs of several in sentences; of two systems the answer says it."""
    if found.sizes[names.SYSTEM] == 2:
        return None
    few, told = first_of(found, _TOLD), said_of(found)
    cells = [cell_of(few, i, j) for i, j in ahead_first(few)]
    return Part("In words", lines=[_sentence(cell, told) for cell in cells])


def _sentence(cell: xr.Dataset, told: str) -> str:
    (a, b), verdict = names_in(cell), str(cell["verdict"].item())
    p, tested = probability_in(cell, "prob_better"), p_value_in(cell)
    reason = of_wins(cell, verdict) or why(
        verdict, cell["p_value"].item(), favours(cell), cell.attrs["alpha"]
    )
    speaks = {1: f", for {a}", -1: f", for {b}"}.get(favours(cell), "")
    if verdict in ("no_verdict", "no_data"):
        reason = withheld(cell)
        return f"No verdict on the {told} of {a} and {b} ({reason}); two-sided p {tested}{speaks}."
    return (
        f"{told[:1].upper()}{told[1:]} of {a} is better than that of {b} with probability {p}; "
        f"two-sided p {tested}{speaks}. Verdict: {title_of_verdict(verdict, a, b)}"
        f"{f' ({reason})' if reason else ''}."
    )


def _matrix_figure(found: xr.Dataset) -> list[Figure]:
    if found.sizes[names.SYSTEM] == 2:
        return []

    caption = "Probability that the row is better than the column"
    return [Figure(caption, plotted("matrix", found["prob_better"]))]


FEW_UNITS = (
    "The bootstrap knows only the units that were seen. Its draws are spread further for their "
    f"number; below {names.UNITS_MIN} units, how sure the answer is, is little more than a guess."
)


def page(found: xr.Dataset) -> Document:
    """Everything a report says of it."""
    found = in_order(found)
    parts = parts_present(systems_part(found), pairs_part(found), words_part(found), _data(found))
    answer = score_sentences(scored_of(found))
    return Document(
        _title(found), _question(found), parts, _limits(found), [_signature(found)], answer
    )


def _title(found: xr.Dataset) -> str:
    said, systems = said_of(found), [str(s) for s in found[names.SYSTEM].values]
    who = f"{systems[0]} and {systems[1]}" if len(systems) == 2 else f"{len(systems)} systems"
    return f"{said[:1].upper()}{said[1:]} of {who}"


def _question(found: xr.Dataset) -> str:
    a = found.attrs
    units = "items" if a["unit"] == names.ITEM else f"units by {a['unit']}"
    return (
        f"Which has the better {said_of(found)} on the same {a['n_items']:,} {units}, and how sure "
        "is it?"
    )


def _data(found: xr.Dataset) -> Part:
    a = found.attrs
    how = "exact" if a["test_method"] != "monte_carlo" else f"{a['shuffles']:,} random permutations"
    lower = "" if a["higher_is_better"] else ", lower is better"
    units = "items" if a["unit"] == names.ITEM else f"{a['unit']}s"
    drawn = f"{a['draws']:,} joint draws, seed {a['seed']}"
    spread = f"spread for {a['n_weighed']:,} units" if "n_weighed" in a else "prior zero"
    facts = [
        ("Source", a["reading"] or "data given"),
        ("Statistic", said_of(found) + lower),
        ("Weighed and swapped", f"{a['n_items']:,} {units}"),
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
        f"Student's t, {a['df']:.1f} degrees of freedom, with the errors of leaving out one unit "
        f"at a time: {a['n_weighed']:,} units of unequal size, worth {a['df'] + 1:.1f}; ranks from "
        f"{a['draws']:,} joint draws, seed {a['seed']}"
    )


def _weighed(a: dict[Any, Any]) -> str:
    return f", D={a['n_weighed']}" if "n_weighed" in a else ""


def systems_part(found: xr.Dataset) -> Part:
    """Every system with its score, rank and chance to be the best."""
    a, total = found.attrs, found.sizes[names.SYSTEM]
    score = ["score_lower", "score_upper"]
    columns = [
        number("Score", "score", "{:.4f}".format),
        values(interval_of(a), score, _interval, error="score_mean_mcse"),
        values("by itself", ["alone_lower", "alone_upper"], _interval),
        P_BEST,
        number("Expected rank", "expected_rank", _with_error),
        flag("Not worse than top", "tied_with_top"),
    ]
    caption = "Systems by expected rank; not worse than top: not found worse than the highest score"
    held = int(found["in_best_set"].sum())
    among = f"The best system is among {held} of {total} with probability {a['ci_prob']:g}."
    ranked = bool(found["prob_best"].notnull().all())
    notes = [among] if total > 2 and ranked else []
    if "alone_lower" in found:
        notes.append(
            "By itself: from the counts alone, as if all of them were independent, in closed form."
        )
    if found["score_lower"].isnull().any():
        one = "there is a single unit, which says nothing about new ones"
        why = "the score is the same on every unit, so no interval can be told" if ranked else one
        notes.append(f"–: {why}.")
    ranks = Figure("Probability of each rank", plotted("ranks", found))
    figures = [ranks] if total > 2 and ranked else []
    table = table_of_systems(found, columns, caption)
    return Part("Systems", tables=[table], notes=notes, figures=figures)


def _interval(low: float, high: float, error: float = 0.0) -> str:
    places = 4 if error == 0 else min(4, max(1, -int(np.floor(np.log10(error)))))
    return "–" if np.isnan(low) else f"[{low:.{places}f}, {high:.{places}f}]"


def _with_error(value: float, error: float) -> str:
    if np.isnan(value):
        return "–"
    if error == 0:
        return f"{value:.2f}"
    places = min(3, max(0, -int(np.floor(np.log10(error)))))
    return f"{value:.{places}f} ± {error:.{places}f}"


def _limits(found: xr.Dataset) -> list[str]:
    threshold = found.attrs.get("threshold", names.VERDICT_PROB)
    limits = [
        FEW_UNITS,
        "Items are taken as independent; weigh whole documents or dialogues where they are not "
        "(unit).",
        f"A verdict needs probability {threshold:g} twice: of the score, and of being ahead more "
        "often; it is one-sided, the p-value two-sided.",
    ]
    if found.sizes[names.SYSTEM] > 2:
        limits.append(
            "The probabilities are joint over all systems; those of single pairs are not corrected "
            "for their number."
        )
    if found.attrs["rope"] == 0:
        limits.append(
            "No region of practical equivalence was given: no pair can be found equivalent."
        )
    return limits


def _signature(found: xr.Dataset) -> str:
    a = found.attrs
    shuffles = f", {a['shuffles']} shuffles" if "shuffles" in a else ""
    parts = [
        f"betterthan {a['version']}",
        f"{a['statistic']} by {a['unit']}",
        f"jackknife, df={a['df']:.3g}" if "df" in a else f"Bayesian bootstrap{_weighed(a)}",
        sampled_by(a),
        f"rope={a['rope']:g}",
        f"interval={interval_of(a)}",
        f"verdict at {a.get('threshold', names.VERDICT_PROB):g}",
        f"randomization {a['test_method']}{shuffles}",
        f"correction={a['correction']}",
        f"n={a['n_items']}",
        f"systems={found.sizes[names.SYSTEM]}",
        f"data={a['data_hash']}",
    ]
    return " | ".join(parts)

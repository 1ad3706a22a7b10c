"""The page on systems whose outcomes a judge gave, corrected by labels of people."""

import xarray as xr

from betterthan import names
from betterthan.results.context import printable
from betterthan.results.document import Document, Part, parts_present
from betterthan.results.numbers import on_one_line
from betterthan.results.pair_tables import (
    COUNTS,
    P_BETTER,
    pairs_at,
    rope_columns,
    table_by_pair,
    verdict,
    with_marks,
)
from betterthan.results.provenance import signature
from betterthan.results.score_sentences import judged_facts, judged_sentences
from betterthan.results.tables import (
    ahead_first,
    along,
    best_first,
    count,
    difference,
    interval_label,
    number,
    probability,
    values,
)
from betterthan.signed import Signature

_LIMITS = (
    "Judge only takes every judge output as correct. It is shown for comparison and is no verdict: "
    "if the judge favors one system, it is wrong with high probability.",
    "R2 is the proportion of the variance of the human labels that the judge outputs explain. "
    "However many items are judged, m labels have an effective number of at most m / (1 - R2).",
    '"Undecided" does not mean equal.',
)


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of it, from `compare` of judged counts."""
    comparison = printable(best_first(comparison))
    provenance = Signature.from_attrs(comparison.attrs)
    main = comparison.isel({names.ENGINE: 0})
    n = main["n"].transpose(*names.SQUARE).values
    places = ahead_first(main)
    judged = [pair for pair in places if n[pair] > 0]  # those that have examples
    rows = pairs_at(main, judged)
    tables = (_pairs(rows, provenance), _by_source(rows, provenance), _worth(rows))
    parts = parts_present(
        *tables,
        _data(comparison, provenance),
        *_engines(comparison, judged),
    )
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


def _data(comparison: xr.Dataset, provenance: Signature) -> Part:
    gold, n = (int(comparison[k].sum()) // 2 for k in ("n_gold", "n"))
    facts = [
        ("Source", on_one_line(provenance.reading or "data given")),
        ("Human labels", f"{gold:,} of {n:,} judged items ({provenance.labels_by})"),
        ("Judge", on_one_line(provenance.judged_by or "data given")),
        ("Model", f"{provenance.modelled}: one Dirichlet each, in closed form"),
        (
            "Prior",
            f"Dirichlet({', '.join(f'{p:g}' for p in provenance.prior or ())}) of win, loss and "
            "tie, divided over the judge outputs",
        ),
    ]
    if provenance.rope:
        facts.append(("Practically equivalent", f"a difference of at most {provenance.rope:g}"))
    return Part("Data and method", facts=facts)


def _pairs(rows: xr.Dataset, provenance: Signature) -> Part:
    size = difference("Difference", bracketed=interval_label(provenance.to_attrs()))
    n = rows.sizes[names.PAIR]
    which = "The pair" if n == 1 else f"All {n:,} pairs, the system ahead first"
    caption = f"{which}; judge outputs corrected with human labels"
    size, caption = with_marks(size, rows, caption)
    columns = [size, *rope_columns(provenance.rope), P_BETTER, verdict()]
    return Part("Pairs", tables=[table_by_pair(rows, columns, caption)])


def _by_source(rows: xr.Dataset, provenance: Signature) -> Part:
    """Human labels only, and the judge only, which has no verdict of its own here."""
    interval = interval_label(provenance.to_attrs())
    columns = [*COUNTS]
    for name, by in (("gold", "Human labels only"), ("judge", "Judge only")):
        columns += [
            probability(f"{by}: P(better)", f"{name}_prob_better", blank=()),
            difference(f"{by}: difference", f"{name}_", bracketed=interval, blank=()),
        ]
    notes = ["Judge only: the judge outputs of all items, uncorrected."]
    caption = "Without correction; wins, losses and ties count human labels"
    table = table_by_pair(rows, columns, caption)
    judge = "judge_prob_better" in rows
    return Part("Human labels only and judge only", tables=[table], notes=notes if judge else [])


def _worth(rows: xr.Dataset) -> Part:
    """What the judge adds to the labels."""
    columns = [
        count("Judged", "n"),
        count("Human labels", "n_gold"),
        number("R2", "r2", "{:.2f}".format),
        values(
            "Effective labels",
            [f"effective_gold{end}" for end in ("", "_lower", "_upper")],
            "{:,.0f} [{:,.0f}, {:,.0f}]".format,
        ),
        number("At most", "most", "{:,.0f}".format),
        number("Without label", "unlabelled", "{:.0%}".format, blank=()),
    ]
    notes = [
        "Effective labels: the number of human labels that would be as informative without a "
        "judge, with its 95% interval. At most: with unlimited judged items. Without label: items "
        "whose judge output no labeled item has."
    ]
    rows = rows.assign(most=rows["n_gold"] / (1 - rows["r2"]))
    table = table_by_pair(rows, columns)
    return Part("Effective number of human labels", tables=[table], notes=notes)


def _engines(comparison: xr.Dataset, places: list[tuple[int, int]]) -> list[Part]:
    """The closed form and PyMC side by side, where both were asked for."""
    engines = [str(e) for e in comparison[names.ENGINE].values]
    if not places or len(engines) < 2:
        return []
    verdicts = comparison["verdict"].variable.isel({names.ENGINE: 0})
    rows = pairs_at(comparison.assign(verdict=verdicts), places)
    heads = [f"P(better), {engine}" for engine in engines]
    columns = [along(heading, P_BETTER, names.ENGINE, k) for k, heading in enumerate(heads)]
    return [Part("Two ways of computing", tables=[table_by_pair(rows, columns)])]

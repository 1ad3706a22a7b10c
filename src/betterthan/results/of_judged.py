"""The page on systems whose outcomes a judge gave, corrected by labels of people."""

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import (
    cell_of,
    difference_in,
    interval_of,
    names_in,
    probability_in,
    within_rope,
)
from betterthan.results.context import printable
from betterthan.results.document import Document, Part, Table, parts_told
from betterthan.results.escapes import on_one_line
from betterthan.results.judged_sentences import judged_of, judged_sentences
from betterthan.results.provenance import signature
from betterthan.results.rows import ahead_first, best_first
from betterthan.results.sentences import title_of_verdict
from betterthan.signed import Signature

_LIMITS = (
    "Judge alone takes every answer of the judge for the truth; it is shown to be compared with, "
    "and is no answer: a judge that favours one side makes it confidently wrong.",
    "R2 is how much of the truth the judge's signals tell, estimated from the labels; more judged "
    "items never make more of m labels than m / (1 - R2).",
    "Undecided means that these data do not settle the matter, not that the systems are equal.",
)


def page(found: xr.Dataset) -> Document:
    """Everything a report says of it, from `compare` of judged counts."""
    found = printable(best_first(found))
    made = Signature.from_attrs(found.attrs)
    main = found.isel({names.ENGINE: 0})
    places = ahead_first(main)
    met, first = _met(found, places), _met(main, places)
    tables = (_pairs(first, made), _beside(met, made), _worth(met))
    words = Part("In words", lines=[_sentence(cell, made) for cell in first])
    parts = parts_told(
        *tables, words if len(places) > 1 else None, _data(found, made), *_engines(met)
    )
    asked = (
        "Which system is better by the labels of people, given what the judge says of all items?"
    )
    limits = [*(made.notes or ()), *_joint(made, len(places)), *_LIMITS]
    signed, answer = [on_one_line(signature(found))], judged_sentences(judged_of(found))
    return Document(_title(found), asked, parts, limits, signed, answer)


def _met(found: xr.Dataset, places: list[tuple[int, int]]) -> list[xr.Dataset]:
    """The pairs that have examples."""
    cells = (cell_of(found, *at) for at in places)
    return [cell for cell in cells if cell["n"].item() > 0]


def _title(found: xr.Dataset) -> str:
    systems = [str(s) for s in found[names.SYSTEM_A].values]
    who = " and ".join(systems) if len(systems) == 2 else f"{len(systems)} systems"
    return f"{who} compared by judged outcomes"


def _joint(made: Signature, pairs: int) -> list[str]:
    return [f"There is no joint answer here: {made.no_joint}."] if pairs > 1 else []


def _sentence(cell: xr.Dataset, made: Signature) -> str:
    """One pair, the labels and the judge beside."""
    (a, b), verdict = names_in(cell), str(cell["verdict"].item())
    p, size = probability_in(cell, "prob_better"), difference_in(cell)
    mean, _, ends = size.partition(" [")
    told = {
        "a_better": f"{a} is better than {b} with probability {p}",
        "equivalent": f"{a} and {b} are practically equivalent: with probability "
        f"{within_rope(cell)} they differ by no more than {made.rope:g}",
    }.get(verdict, f"Undecided between {a} and {b}: {a} is better with probability {p}")
    of = f"P({a} wins) - P({b} wins) {mean}, {interval_of(made.to_attrs())} [{ends}"
    return f"{told}; {of}, by {int(cell['n_gold']):,} labels among {int(cell['n']):,} judged items."


def _data(found: xr.Dataset, made: Signature) -> Part:
    gold, n = (int(found[k].sum()) // 2 for k in ("n_gold", "n"))
    facts = [
        ("Source", on_one_line(made.reading or "data given")),
        ("Truth", f"{gold:,} labels of {n:,} judged items ({made.labels_by})"),
        ("Judge", on_one_line(made.judged_by or "data given")),
        ("Model", f"{made.modelled}: a Dirichlet each, in closed form"),
        (
            "Prior",
            f"Dirichlet({', '.join(f'{p:g}' for p in made.prior or ())}) of win, loss and "
            "tie, a third of it on the cells of each signal",
        ),
    ]
    if made.rope:
        facts.append(("Practically equivalent", f"a difference of at most {made.rope:g}"))
    return Part("Data and method", facts=facts)


def _pairs(cells: list[xr.Dataset], made: Signature) -> Part:
    interval = interval_of(made.to_attrs())
    heads = ["System", "Other", f"Difference [{interval}]", "P(better)"]
    heads += [f"P(|d| ≤ {made.rope:g})"] if made.rope else []
    rows = []
    for cell in cells:
        rope = [within_rope(cell)] if made.rope else []
        row = [*names_in(cell), difference_in(cell), probability_in(cell, "prob_better"), *rope]
        rows.append((*row, title_of_verdict(str(cell["verdict"].item()), *names_in(cell))))
    return Part("Pairs", tables=[Table((*heads, "Verdict"), rows, "Corrected by labels", left=2)])


def _beside(cells: list[xr.Dataset], made: Signature) -> Part:
    """Labels alone, and the judge alone, which has no verdict of its own here."""
    judge = bool(cells) and "judge_prob_better" in cells[0]
    heads = ["System", "Other", "Labels alone: wins, losses, ties", "P(better)", "Difference"]
    heads += ["Judge alone: P(better)", "Difference"] if judge else []
    rows = []
    for cell in cells:
        wins = ", ".join(f"{int(x):,}" for x in cell["counts"].values)
        row = [*names_in(cell), wins, *_of(cell, "gold"), *(_of(cell, "judge") if judge else ())]
        rows.append(tuple(row))
    notes = ["Judge alone: its answers of all items as if they were the truth, not corrected."]
    table = Table(tuple(heads), rows, f"By each alone, {interval_of(made.to_attrs())}", left=2)
    return Part("Labels alone and judge alone", tables=[table], notes=notes if judge else [])


def _of(cell: xr.Dataset, name: str) -> tuple[str, str]:
    ends = [cell[f"{name}_difference_{end}"].item() for end in ("mean", "lower", "upper")]
    return numbers.probability(cell[f"{name}_prob_better"].item()), numbers.difference(*ends)


def _worth(cells: list[xr.Dataset]) -> Part:
    """What the judge adds to the labels."""
    heads = ("System", "Other", "Judged", "Labels", "R2", "Worth in labels", "At most", "No label")
    rows = []
    for cell in cells:
        m, r2 = cell["n_gold"].item(), cell["r2"].item()
        row = [*names_in(cell), f"{int(cell['n']):,}", f"{int(m):,}", f"{r2:.2f}"]
        worth = (cell[f"effective_gold{end}"].item() for end in ("", "_lower", "_upper"))
        row += ["{:,.0f} [{:,.0f}, {:,.0f}]".format(*worth), f"{m / (1 - r2):,.0f}"]
        rows.append((*row, f"{100 * cell['unlabelled'].item():.0f}%"))
    notes = [
        "Worth in labels: about as many labels alone as say the same, with 95% bounds; at most: "
        "with judged items without end. No label: items whose signal has none."
    ]
    return Part("What the judge is worth", tables=[Table(heads, rows, left=2)], notes=notes)


def _engines(cells: list[xr.Dataset]) -> list[Part]:
    """The closed form and PyMC side by side, where both were asked for."""
    if not cells or cells[0].sizes[names.ENGINE] < 2:
        return []
    engines = [str(e) for e in cells[0][names.ENGINE].values]
    rows = []
    for cell in cells:
        each = [cell.sel({names.ENGINE: e}) for e in engines]
        rows.append((*names_in(cell), *(probability_in(one, "prob_better") for one in each)))
    heads = ("System", "Other", *(f"P(better), {e}" for e in engines))
    return [Part("Two ways of computing", tables=[Table(heads, rows, left=2)])]

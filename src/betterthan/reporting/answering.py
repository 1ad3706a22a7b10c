"""Sentences that are chosen and filled from facts; the page does the same with the same file.

`sentences.json` (on comparisons) and `sentences_of_kinds.json` (on other answers) are lists, said
in their order, each with
    id     its name,
    of     what it is on, a list: "answer", "pair", "paper", a kind such as "scores"; or "piece",
           which others say,
    group  (optional) of sentences of one group only the first that holds is said,
    line   (optional) sentences of one line, which follow each other, are joined by a blank,
    when   (optional) a condition,
    text   a list of pieces, joined: a template; {"when": condition, "text": pieces}, left out
           where the condition does not hold; or {"say": "id"}, the text of a piece.
A condition is one of
    {"all": [conditions]}, {"any": [conditions]}, {"not": condition}, {"has": "fact"},
    {"eq" | "ne" | "lt" | "le" | "gt" | "ge": ["fact", value]}, {"in": ["fact", [values]]},
where {"fact": "name"} may stand for a value. A fact that is missing, or null, is unequal to, not
below and not in anything: whatever compares it is false (and so is "ne").
A template holds slots {fact} or {fact:format}, filled once:
    none   text as it is, a number as %g, a list of names as "A, B and C", beyond four "A, B, C, D
           and 3 more";
    p      a probability, with the error in fact_mcse (`numbers.probability`);
    n      a whole number with commas;
    pct    a share as whole per cent;
    per    a probability as whole per cent that never rounds to 0 or 100 (`numbers.percent`);
    diff   a difference with the digits that its interval, or its error in fact_mcse, leaves
           (`numbers.difference`); the ends are the facts fact_lower and fact_upper;
    ends   these ends, in brackets;
    score  three decimals; signed, with the sign, too; range, the facts fact_lower and fact_upper
           so, in brackets.
A slot without its fact is an error: a condition should have asked.
"""

import json
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from betterthan.answers import numbers
from betterthan.text import named

Facts = Mapping[str, Any]
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")


@cache
def sentences() -> tuple[dict[str, Any], ...]:
    """All that can be said, in the order in which it is."""
    return (*on_comparisons(), *_read("sentences_of_kinds.json"))


@cache
def on_comparisons() -> tuple[dict[str, Any], ...]:
    """What can be said of a comparison, which its page says again."""
    return _read("sentences.json")


def _read(name: str) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(files("betterthan.reporting").joinpath(name).read_text("utf-8")))


def said(facts: Facts, of: str = "answer") -> list[str]:
    """The sentences on something that hold of the facts.

    Parameters
    ----------
    facts : mapping
        Of `facts` or `pair_facts`.
    of : {"answer", "pair", "paper", ...}, default "answer"
        Or a kind of answer: "scores", "judged".

    Examples
    --------
    >>> said({"first": "A", "second": "B", "verdict": "no_data"}, "pair")
    ['Nothing is said about A and B: they share no example.']
    """
    lines: dict[str, str] = {}
    for one in chosen(facts, of):
        line, text = one.get("line", one["id"]), filled(one["text"], facts)
        lines[line] = f"{lines[line]} {text}" if line in lines else text
    return list(lines.values())


def chosen(facts: Facts, of: str = "answer") -> Iterator[dict[str, Any]]:
    """The sentences that hold."""
    done = set()
    for one in sentences():
        group = one.get("group", one["id"])
        if of in one["of"] and group not in done and holds(one.get("when", {}), facts):
            done.add(group)
            yield one


def holds(when: Mapping[str, Any], facts: Facts) -> bool:
    """Whether a condition holds of the facts."""
    for name, given in when.items():
        if name in _JOINS:
            return _JOINS[name](holds(each, facts) for each in given)
        if name == "not":
            return not holds(given, facts)
        if name == "has":
            return facts.get(given) is not None
        known, value = facts.get(given[0]), given[1]
        value = facts.get(value["fact"]) if isinstance(value, dict) else value
        return known is not None and value is not None and _COMPARES[name](known, value)
    return True


_JOINS = {"all": all, "any": any}
_COMPARES: dict[str, Any] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
} | {"in": lambda known, values: known in values}


def filled(text: str | Sequence[Any], facts: Facts) -> str:
    """Pieces with their slots filled, those whose condition does not hold left out."""
    if isinstance(text, str):
        return _SLOT.sub(lambda slot: written(facts, slot[1], slot[2]), text)
    held = [one for one in text if isinstance(one, str) or holds(one.get("when", {}), facts)]
    each = (piece if isinstance(piece, str) else _text(piece) for piece in held)
    return "".join(filled(piece, facts) for piece in each)


def _text(piece: Mapping[str, Any]) -> Any:
    """Its own, or that of the piece that it says."""
    if "say" not in piece:
        return piece["text"]
    return next(one["text"] for one in sentences() if one["id"] == piece["say"])


def written(facts: Facts, name: str, form: str | None) -> str:
    """One fact as it stands in a sentence."""
    value = facts[name]
    if form == "p":
        return numbers.probability(value, facts.get(f"{name}_mcse", 0.0))
    if form == "n":
        return f"{value:,.0f}"
    if form == "pct":
        return f"{100 * value:.0f}%"
    if form == "per":
        return f"{numbers.percent(value)}%"
    if form == "score":
        return numbers.score(value)
    if form == "signed":
        return numbers.signed_score(value)
    if form == "range":
        return numbers.score_range(facts[f"{name}_lower"], facts[f"{name}_upper"])
    if form in ("diff", "ends"):
        ends = (facts.get(f"{name}_{end}", float("nan")) for end in ("lower", "upper"))
        told = numbers.difference(value, *ends, mcse=facts.get(f"{name}_mcse") or 0.0)
        mean, _, interval = told.partition(" [")
        return mean if form == "diff" else f"[{interval}"
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, int | float) else named(list(value))

"""Public docstrings: a short imperative summary, every parameter, and the terms of the field."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import betterthan as bt
from betterthan.auditing.answer import Audit
from betterthan.gating.answer import Gate
from betterthan.results.comparison import Comparison

MOST_WORDS = 15
VERBS = frozenset(
    [
        *("Adjust", "Adopt", "Build", "Check", "Compare", "Compute", "Convert", "Correlate"),
        *("Count", "Decide", "Describe", "Draw", "Estimate", "Fit", "Group", "List"),
        *("Load", "Plan", "Plot", "Predict", "Read", "Recommend", "Regress", "Remove", "Report"),
        *("Return", "Sample", "Save", "Score", "Simulate", "Sum", "Summarize", "Swap", "Test"),
        *("Analyze", "Write"),
    ]
)
AVOIDED = re.compile(
    r"\b(?:told|beside|anew|unasked|among all|doors?|rooms?|roads?|floors?|houses?|the way of"
    r"|would be gone)\b"
)
SECTION = r"^{}\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]+\n-+\n|\Z)"
OF_MODELS = ("describe", "simulate", "build", "fit", "closed_form", "by_cluster")


def public() -> Iterator[tuple[str, Any]]:
    """Every public function and class by dotted name; of a model, its functions."""
    yield from (("Audit", Audit), ("Comparison", Comparison), ("Gate", Gate))
    spaces = {f"bt.{name}": getattr(bt, name) for name in bt.__all__}
    for space, module in {"bt": bt, **spaces}.items():
        for name in module.__all__ if inspect.ismodule(module) else ():
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                yield f"{space}.{name}", thing
            elif module is bt.models:
                functions = (each for each in OF_MODELS if hasattr(thing, each))
                yield from ((f"{space}.{name}.{each}", getattr(thing, each)) for each in functions)


THINGS = dict(public())
FUNCTIONS = {name: thing for name, thing in THINGS.items() if inspect.isfunction(thing)}
METHODS = {
    f"{name}.{method}": getattr(value, "fget", value)
    for name, thing in THINGS.items()
    if inspect.isclass(thing)
    for parent in thing.__mro__
    for method, value in vars(parent).items()
    if parent.__module__.startswith("betterthan.")
    and not method.startswith("_")
    and (inspect.isfunction(value) or isinstance(value, property))
}


def section(text: str, title: str) -> str:
    """The body of a section, empty if the docstring has none."""
    body = re.search(SECTION.format(title), text, re.M | re.S)
    return body.group(1) if body else ""


def parameters_in(text: str) -> set[str]:
    """The names that the section Parameters describes."""
    heads = re.findall(r"^(\*{0,2}\w[^:\n]*)", section(text, "Parameters"), re.M)
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


DOCSTRINGS = {name: inspect.getdoc(thing) for name, thing in (THINGS | METHODS).items()}


def test_a_summary_is_one_short_sentence():
    summaries = {name: text.partition("\n\n")[0] for name, text in DOCSTRINGS.items()}
    assert not {
        name: summary
        for name, summary in summaries.items()
        if "\n" in summary or not summary.endswith(".") or len(summary.split()) > MOST_WORDS
    }


def test_a_summary_starts_with_an_imperative_verb():
    firsts = {name: DOCSTRINGS[name].split()[0] for name in (*FUNCTIONS, *METHODS)}
    assert not {name: first for name, first in firsts.items() if first not in VERBS}


def test_every_parameter_is_documented():
    missing = {
        name: set(inspect.signature(function).parameters) - parameters_in(DOCSTRINGS[name])
        for name, function in FUNCTIONS.items()
    }
    assert not {name: parameters for name, parameters in missing.items() if parameters}


def test_docstrings_use_the_terms_of_the_field():
    private = {name: AVOIDED.findall(text) for name, text in DOCSTRINGS.items()}
    assert not {name: words for name, words in private.items() if words}


def test_related_functions_have_a_line_each():
    lines = [
        (name, line)
        for name, text in DOCSTRINGS.items()
        for line in section(text, "See Also").splitlines()
    ]
    assert lines
    assert not [each for each in lines if not re.fullmatch(r"[\w.]+ : [^:]+\.", each[1])]

"""The sentences on answers, in a table of situations; each was read once."""

import inspect
import sys

import pytest
from results.situations import SITUATIONS, filled, sentences

from betterthan.results import facts, paper_sentences, score_sentences
from betterthan.results import sentences as answer_sentences
from betterthan.results.facts import Answer, Pair
from betterthan.results.robustness import Firmness


@pytest.mark.parametrize("one", SITUATIONS, ids=lambda one: one["name"])
def test_sentences_of_a_situation(one):
    assert sentences(one["of"], one["facts"]) == one["said"]


def test_an_unknown_fact_is_an_error():
    with pytest.raises(AssertionError, match="probability"):
        filled(facts.Pair, {"first": "A", "second": "B", "verdict": "better", "probability": 0.9})


# functions that write sentences; the others of a module build records, or are used elsewhere
BUILDERS = {
    answer_sentences: {"verdict_label", "unit_label"},
    paper_sentences: set(),
    score_sentences: {
        *("score_facts", "prediction_facts", "_tested", "_by_chance"),
        *("judged_facts", "_judged_pair", "_judged_pairs"),
        *("statistic_label", "units_label", "favours", "withheld", "wins_reason", "why"),
    },
}


@pytest.mark.parametrize("module", BUILDERS, ids=lambda module: module.__name__.split(".")[-1])
def test_a_sentence_that_no_situation_needs(module):
    reached = lines_reached(module.__file__)
    source = inspect.getsource(module).splitlines()
    writers = [
        f.__code__
        for name, f in vars(module).items()
        if inspect.isfunction(f) and f.__module__ == module.__name__
        if name not in BUILDERS[module]
    ]
    lines = {line for code in writers for *_, line in code.co_lines() if line}
    unreached = sorted(lines - reached - {code.co_firstlineno for code in writers})
    assert [source[k - 1].strip() for k in unreached] == []


def lines_reached(file):
    """Lines of a file that run when all situations are written."""
    reached = set()

    def trace(frame, event, arg):
        if frame.f_code.co_filename != file:
            return None
        reached.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for one in SITUATIONS:
            sentences(one["of"], one["facts"])
    finally:
        sys.settrace(before)
    return reached


def test_a_fragile_verdict_of_equivalence_is_called_so():
    pair = Pair(first="A", second="B", verdict="equivalent", p=0.6, within_rope=0.96, rope=0.1)
    firm = Firmness(first="A", second="B", equivalent=True, prior_items=3)
    text = " ".join(
        answer_sentences.answer_sentences(Answer(n_systems=2, pair=pair, firmness=firm))
    )
    assert "would undo the verdict A = B." in text

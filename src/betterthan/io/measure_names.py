"""Measures by the names of columns: of which less is better, and where a table holds several."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain, takewhile

import numpy as np

from betterthan.io.problems import in_python, listed, problem, quoted

_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")  # where a word begins inside of a name
_RECIPROCAL_RANK = "err@"  # expected reciprocal rank, and no error
_NOISE_SENSITIVITY = "noise_sensitivity"  # a share of wrong claims, and no recall


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_AMOUNTS = _set_of(  # never only 0 and 1
    "loss distance deviation divergence regret rank penalty latency runtime duration "
    "elapsed time ms sec secs seconds minutes hours cost price usd dollars energy co2 emissions "
    "bits bpb bpc entropy xent logloss ttft tpot fid smape"
)
_LESS = _AMOUNTS | _set_of(
    "error errors err errs wer cer ter nll perplexity ppl rmse mae mse mape brier ece fpr fnr "
    "eer levenshtein incorrect wrong fail fails failed failure failures mistake mistakes "
    "hallucination hallucinations hallucinated violation violations toxic toxicity unsafe "
    "harm harms harmful bias biased jailbreak jailbreaks jailbroken leak leaks leaked bug bugs "
    "defect defects crash crashes collision collisions timeout timeouts complaint complaints "
    "penalties der miss misses missed retries false misclassified flaw flaws invalid broken "
    "rejected flagged alarm alarms abandoned abandonment escalated escalation escalations "
    "leakage repetition repetitions redundancy contradiction contradictions inconsistency "
    "inconsistencies noisesensitivity major minor hter crps fp fn"
)
_OTHERS = _set_of(
    "acc accuracy correct passed solved success score em f1 bleu rouge rougel rougelsum meteor "
    "chrf comet bertscore bleurt precision recall auc auroc ndcg mrr reward confidence conf "
    "probability prob logprob fluency adequacy coherence relevance faithfulness helpfulness "
    "tokens words length"
)
_RIGHTNESS = _set_of(  # whether an answer was right, which is no answer
    "correct incorrect right wrong passed failed solved success acc accuracy score"
)
RESULTS = _set_of(  # the whole name of a column of one system
    "score scores correct is_correct accuracy acc em exact_match passed success solved f1"
)
_TALLIES = _set_of("tp fp fn")
_DOTTED = re.compile(r"(.*[^\d.])\.[^\W\d][^.]*")  # of a nested record
_UNCLEAR = _set_of(  # what is right on some items, or for one side; errors that some negate
    "refusal refusals refused declined attack attacks mqm"
)
_SYNONYMS = {  # each line one measure, by its first word
    word: line.split()[0]
    for line in """acc accuracy correct passed solved success em reward
        err error errors errs wrong incorrect fail fails failed failure failures mistake mistakes
        latency runtime duration elapsed time
        auc auroc
        perplexity ppl""".splitlines()
    for word in line.split()
}
_STATISTICS = _set_of("rate mean avg average value values percent pct total")
_ANY_MEASURE = frozenset({"score"})
_BETTER = r"(?<![^\W_]){}([ _=-]+is)?[ _=-]+better"
_DOWN = re.compile(f"[↓⬇]|{_BETTER.format('(less|lower|smaller|fewer)')}", re.IGNORECASE)
_UP = re.compile(f"[↑⬆]|{_BETTER.format('(more|higher|larger|bigger)')}", re.IGNORECASE)
_ERRORS = _set_of(  # of which each column may have one of its own
    "error errors err errs wer cer ter nll perplexity ppl rmse mae mse mape brier ece fpr fnr eer"
)
_OPPOSITE = _set_of("no non not free without minus neg negative inverse anti")


def _words(name: str) -> list[str]:
    folded = name.casefold()
    if _RECIPROCAL_RANK in folded or _NOISE_SENSITIVITY in folded:
        folded = folded.replace(_RECIPROCAL_RANK, "").replace(
            _NOISE_SENSITIVITY, "noisesensitivity"
        )
    elif folded != name and _CAMEL_CASE.search(name):
        split = (
            [word] if _is_measure(word.casefold()) else _CAMEL_CASE.split(word)
            for word in _WORD.findall(name)
        )
        return [part.casefold() for parts in split for part in parts]
    return _WORD.findall(folded)


def _shared_words(columns: Sequence[str]) -> frozenset[str]:
    return frozenset.intersection(*map(frozenset, map(_words, columns or [""])))


def less_is_better(columns: Sequence[str], scores: np.ndarray | None = None) -> str | None:
    """The word that all columns share, or one of each, that names a measure of which less is
    better; or its mark in one of them.

    Scores of 0 and 1 are no amounts: ``loss_focal`` is then what a system is called.

    Examples
    --------
    >>> less_is_better(["wer_A", "wer_B"]), less_is_better(["A errors", "B errors"])
    ('wer', 'errors')
    >>> less_is_better(["low_cost", "large"]), less_is_better(["A no error", "B no error"])
    (None, None)
    >>> less_is_better(["A LPIPS ↓", "B LPIPS ↓"]), less_is_better(["A error", "B errors"])
    ('↓', 'error')
    >>> less_is_better(["bits_per_byte"]), less_is_better(["ERR@10"]), less_is_better(["err"])
    ('bits', None, 'err')
    """
    marks = [mark[0] for mark in map(_DOWN.search, columns) if mark]
    if marks or any(map(_UP.search, columns)):
        return marks[0] if marks else None
    shared = _shared_words(columns)
    if not shared & (_LESS | _OPPOSITE) and len(columns) > 1 and all(map(_error, columns)):
        return _error(columns[0])
    if shared & _OPPOSITE or not shared & _LESS:
        return None
    binary = scores is not None and ((scores == 0) | (scores == 1) | np.isnan(scores)).all()
    words = shared & (_LESS - _AMOUNTS if binary else _LESS)
    return next((word for word in _words(columns[0]) if word in words), None)


def _error(column: str) -> str | None:
    """The word of a name that is that of an error."""
    words = _words(column)
    if _OPPOSITE.intersection(words):
        return None
    return next((word for word in words if word in _ERRORS), None)


def refuse_unknown_direction(
    source: str, columns: Sequence[str], scores: np.ndarray | None = None
) -> None:
    """Refuse a measure of which less is better by its name: else the worst system would win."""
    if reason := unknown_direction(columns, scores):
        right = "pass higher_is_better=False, or higher_is_better=True if more is better"
        raise problem(source, f"{reason}; {right}")


def unknown_direction(columns: Sequence[str], scores: np.ndarray | None = None) -> str:
    """Why the direction of scores is to be stated; else nothing."""
    word = less_is_better(columns, scores)
    named = listed(dict.fromkeys(columns))
    if word:
        return f"by its name ({word}), less is better in {named}"
    if unclear := _shared_words(columns) & _UNCLEAR:
        return f"by its name ({min(unclear)}), more may be better or worse in {named}"
    return ""


def measures_in(column: str) -> frozenset[str]:
    """The measures that a name consists of, synonyms as one; none if it has other words.

    Examples
    --------
    >>> sorted(measures_in("Accuracy")), sorted(measures_in("F1 score")), measures_in("gpt wer")
    (['acc'], ['f1'], frozenset())
    """
    words = [word for word in _words(column) if word not in _STATISTICS]
    if not all(map(_is_measure, words)):
        return frozenset()
    measures = frozenset(_SYNONYMS.get(word, word) for word in words)
    return measures - _ANY_MEASURE or measures


def is_named_measure(column: str) -> bool:
    """Whether a name is that of a measure, other than ``score``, which may be any."""
    return bool(measures_in(column) - _ANY_MEASURE)


def other_measures(
    named: Iterable[tuple[str, str]], higher_is_better: bool | None = None
) -> tuple[str, str]:
    """The first source whose column is by its name another measure than that of one before it, and
    why; both empty if there is none. ``score`` is any measure, but of unstated direction no error.

    Parameters
    ----------
    named : iterable of (str, str)
        Each source, and its column of scores.
    """
    known = [(source, column, measures_in(column), _is_error(column)) for source, column in named]
    for k, (source, column, own, error) in enumerate(known):
        for other_source, other_column, others, other_error in known[:k]:
            opposed = {error, other_error} == {True, False}
            if not opposed and (own & others or not own or not others):
                continue
            if _ANY_MEASURE in (own, others) and not (opposed and higher_is_better is not False):
                continue
            reason = f"{quoted(column)} is by its name another measure than {quoted(other_column)}"
            return source, f"{reason} of {other_source}; give both sides one measure"
    return "", ""


def _is_error(column: str) -> bool | None:
    """Whether less is better by a word of a name; None where no word is a measure."""
    if less_is_better([column]):
        return True
    if _UP.search(column):
        return False
    return False if any(map(_is_measure, _words(column))) else None


def refuse_other_measures(
    named: Iterable[tuple[str, str]], higher_is_better: bool | None = None
) -> None:
    """Refuse systems with scores of different measures."""
    source, reason = other_measures(named, higher_is_better)
    if reason:
        raise problem(source, reason)


def refuse_several_measures(source: str, columns: Sequence[str]) -> None:
    """Refuse columns called after systems and several measures, as ``A_bleu, A_ter, B_bleu``, after
    measures alone, as ``passed, seconds``, or after successes and errors, as ``A_acc, B_error``;
    and results of one system next to other columns.
    """
    folded = {*"\n".join(columns).casefold().split("\n")}
    if folded >= _TALLIES:
        right = "give one table of all systems, with columns system, item, tp, fp and fn"
        raise problem(source, f"columns tp, fp and fn are counts of one system; {right}")
    if len(columns) > 1 and all(map(_is_measure, chain(*map(_words, columns)))):
        reason = f"by their names {listed(columns)} are measures and no systems; pass score= with "
        reason += f"one of them if each file is a system, or systems={in_python(columns)}"
        raise problem(source, reason)
    if not RESULTS.isdisjoint(folded) and len(columns) > 1:
        refuse_result(source, next(c for c in columns if c.casefold() in RESULTS))
    if all("." in column for column in columns):
        _refuse_nested(source, columns)
    by_measure = _by_measure(columns)
    if len(by_measure) > 1:
        most = max(by_measure.values(), key=len)
        reason = (
            f"has columns of {len(by_measure)} measures ({listed(by_measure)}), which would be "
            f"compared as systems; pass one measure: systems={in_python(most.values())}"
        )
        raise problem(source, reason)
    # of many columns the first seldom names a measure
    errors = list(takewhile(lambda error: error is not None, map(_is_error, columns)))
    if len(errors) == len(columns) and len({*errors}) == 2:
        error, other = (columns[errors.index(less)] for less in (True, False))
        reason = f"is by its name another measure than {quoted(other)}, of which more is better"
        reason += f"; give all systems one measure, or pass systems={in_python(columns)}"
        raise problem(source, reason, column=error)


def refuse_result(source: str, column: str) -> None:
    """Refuse a column called as the scores of one system, as a system."""
    reason = "by its name holds the scores of one system, and not those of a system called so"
    right = f"pass score={quoted(column)} if each file is a system, else ignore={quoted(column)}"
    raise problem(source, f"{reason}; {right}", column=column)


def _refuse_nested(source: str, columns: Sequence[str]) -> None:
    """Refuse all names of some with all of others behind a point, as of nested records."""
    roots = {match and match[1] for match in map(_DOTTED.fullmatch, columns)}
    leaves = {column.rpartition(".")[2] for column in columns}
    if None in roots or not 1 < len(roots) < len(columns) == len(roots) * len(leaves):
        return
    most = [column for column in columns if column.endswith(f".{min(leaves)}")]
    reason = f"has columns of {len(roots)} names before and {len(leaves)} behind a point, which"
    right = f"pass those of one measure or task: systems={in_python(most)}"
    raise problem(source, f"{reason} would be compared as systems; {right}")


def refuse_rightness(source: str, columns: Sequence[str]) -> None:
    """Refuse columns that by their names say which predictions are right, as predictions."""
    if columns and all(_RIGHTNESS.intersection(_words(column)) for column in columns):
        right = f"pass score={quoted(columns[0])} if it holds the scores of one system"
        if len(columns) > 1:
            right = "leave the labels out (ignore=), and words are true= and false="
        reason = f"by its name says which predictions are right, and holds none; {right}"
        raise problem(source, reason, column=columns[0])


def _by_measure(columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """The column of each system by measure, if some system has several; else nothing."""
    words = [_words(column) for column in columns]
    if min(map(len, words), default=0) < 2:
        return {}
    known = [[word for word in own if _is_measure(word)] for own in words]
    if all(len(measures) == 1 for measures in known):
        by_measure = _grouped(
            columns, words, [own.index(m[0]) for own, m in zip(words, known, strict=True)]
        )
        systems = [system for own in by_measure.values() for system in own]
        return by_measure if len(set(systems)) < len(systems) else {}
    for place in (-1, 0):  # A_p, A_r, A_f1: each system has each measure
        by_measure = _grouped(columns, words, [place] * len(columns))
        systems = {frozenset(own) for own in by_measure.values()}
        if any(map(_is_measure, by_measure)) and len(systems) == 1 and len(systems.pop()) > 1:
            return by_measure
    return {}


def _is_measure(word: str) -> bool:
    return word in _LESS | _OTHERS or word.rstrip("0123456789") in _OTHERS


def _grouped(
    columns: Sequence[str], words: Sequence[list[str]], places: Sequence[int]
) -> dict[str, dict[str, str]]:
    """The columns by the word at its place, and by the others."""
    groups: dict[str, dict[str, str]] = {}
    for column, own, place in zip(columns, words, places, strict=True):
        rest = [word for k, word in enumerate(own) if k != place % len(own)]
        groups.setdefault(own[place], {})[" ".join(rest)] = column
    return groups

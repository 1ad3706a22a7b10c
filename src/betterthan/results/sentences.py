"""The answer on two or more systems in sentences."""

from collections.abc import Iterator
from dataclasses import replace

from betterthan import names
from betterthan.results import numbers
from betterthan.results.facts import (
    Answer,
    Baseline,
    Candidate,
    Pair,
    Score,
    Unbeaten,
    VerdictCounts,
    clusters_of,
)
from betterthan.results.robustness import FRAGILE, TARGET, Firmness, Missing, More
from betterthan.signed import Signature
from betterthan.text import named

OF_DECISIVE = " that one of the two won"  # of items whose ties are not known
AT_RANDOM = " if the missing scores are missing at random"
PROBABLE = 0.8  # P(best) from which a system is probably the best
_CANDIDATES = 4  # possible bests that a sentence names, with their probabilities
_ALSO_NAMED = 5  # and without these
_MUCH = "; shrunk toward 0"
_INTERVALS = 2  # systems up to which the sentence on the baseline has intervals
_TIES_TO = {
    "to_a": "as wins of the system that comes first in the data",
    "to_b": "as wins of the system that comes second in the data",
    "half": "half for each system",
}
_DIFFERENCES = {
    "P(A wins) - P(B wins)": "Difference in win rate",
    "difference of means, in units of the score": "Difference in mean score",
}


def answer_sentences(answer: Answer) -> list[str]:
    """The answer: decision, evidence, what is undecided, warnings; one text a line.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.results.facts import answer_facts
    >>> answer_sentences(answer_facts(bt.compare(bt.datasets.contingency_case("a"))))[0]
    'A is better than B (probability 0.996).'
    """
    if answer.failures:
        on = f" on {answer.pair.first} and {answer.pair.second}" if answer.pair else ""
        return [f"No verdict{on}: {answer.failures}"]
    if answer.pair:
        evidence = " ".join(_evidence(answer, answer.pair))
        lines = [verdict_sentence(answer.pair), *([evidence] if evidence else [])]
    else:
        lines = [_best(answer)]
        lines += [" ".join(_size(answer, answer.leader))] if answer.leader else []
        lines += [baseline_sentence(answer.baseline)] if answer.baseline else []
        lines += [verdicts_sentence(answer.verdict_counts, answer)] if answer.verdict_counts else []
        if answer.n_ties_won:
            n, whose = answer.n_ties_won, _TIES_TO[answer.ties or ""]
            lines.append(f"In each pair, ties count {whose} ({n:,} in all).")
    first, _, alarms = notes(answer)
    lines += [" ".join(first)] if first else []
    return [*lines, *more_sentences(answer), *_warnings(answer), *alarms]


def notes(answer: Answer) -> tuple[list[str], list[str], list[str]]:
    """On units and the joint model: notes of the answer, notes of the report only, and warnings.

    Next to a warning, the answer of many systems has only the notes that it is an average, and how
    many judgments have no winner, and the joint model's on a unit that outweighs all others.
    """
    lines = (*answer.unit_notes, *answer.joint_notes)
    alarms = [line for line in lines if line.startswith("!")]
    calm = [line for line in lines if not line.startswith("!")]
    few = alarms and answer.pair is None
    always = [line for line in answer.joint_notes if line.startswith("One ")]
    always += [k for k in answer.unit_notes if k.startswith(_AVERAGE) or names.NO_WINNER in k]
    first = [line for line in calm if line in always] if few else calm
    return first, [line for line in calm if line not in first], alarms


_AVERAGE = "The answer is the average"  # how the note begins that no warning replaces


def difference_name(described: Pair | Baseline | Signature) -> str:
    """What a difference is of, such as "Difference in accuracy"."""
    quantity = described.difference_is or "difference"
    return _DIFFERENCES.get(quantity) or capital(quantity)


def verdict_label(verdict: str, a: str, b: str, unit: str = "") -> str:
    """A verdict in a word or two, with the name of the better system; `one` is the cluster or item
    that holds all examples of the pair, where there is but one.
    """
    words = {
        "a_better": f"{a} better",
        "b_better": f"{b} better",
        "no_data": f"no verdict: one {unit}" if unit else "not compared",
        "split": "split: wins and means",
        "no_verdict": "no verdict",
    }
    return words.get(verdict, verdict)


def unit_label(provenance: Signature) -> str:
    """What is independent where scores come in clusters, or items in runs; or measures."""
    return str(provenance.unit) if provenance.unit in ("cluster", names.MEASURE) else "item"


# Two systems


def verdict_sentence(pair: Pair) -> str:
    """Which of two systems is better, and how probably."""
    a, b = pair.first, pair.second
    if pair.verdict == "no_data":
        return f"{a} and {b} cannot be compared: {_why_no_data(pair)}."
    if pair.verdict == "no_verdict":
        return f"No verdict on {a} and {b}: {_why_no_verdict(pair)}."
    p, condition = numbers.probability(pair.p or 0.0, pair.p_mcse), AT_RANDOM * pair.at_random
    by = f" by {pair.by}" if pair.by else ""
    if pair.verdict == "split":
        ways = ["has the better score on more items", "has the better mean"]
        ways = ways[::-1] if pair.quantity == "mean" else ways
        against = numbers.probability(1 - (pair.other_p or 0.0))
        return (
            f"No single winner: wins and means disagree. {a} {ways[0]}{condition} (probability "
            f"{p}), but {b} {ways[1]} (probability {against}). Decide which of the two counts."
        )
    if pair.verdict == "better":
        return f"{a} is better than {b}{by} (probability {p}){beyond_rope(pair)}{condition}."
    if pair.verdict == "equivalent":
        within = numbers.probability(pair.within_rope or 0.0, pair.within_rope_mcse)
        return (
            f"{a} and {b} are practically equivalent{by}{condition}: they differ by at most "
            f"{pair.rope:g} with probability {within}.{ahead_within_rope(pair)}"
        )
    if _nothing_decisive(pair):
        ties = "the number of ties is unknown" if pair.ties_unknown else "ties are dropped"
        return f"Undecided: neither {a} nor {b} won an item from the other, and {ties}."
    equals = numbers.equal_to(pair.p or 0.0, pair.p_mcse, pair.threshold)
    if (pair.p or 0.0) < pair.threshold:  # else another rule stops it, which is stated elsewhere
        equals += f"; a verdict needs {pair.threshold:g}"
    close = " The threshold is within two Monte Carlo errors; more draws may decide."
    return (
        f"Undecided: the data do not show whether {a} or {b} is better{by}{condition} "
        f"(P({a} better) {equals}).{close if pair.too_close else ''}"
    )


def _nothing_decisive(pair: Pair) -> bool:
    return pair.wins == 0 and pair.losses == 0 and pair.ties is None


def _why_no_data(pair: Pair) -> str:
    if pair.n and pair.n_units == 1:
        why = f"they have a single {pair.unit or names.ITEM} in common"
        if pair.unit == "cluster":
            why = f"all their {pair.observation}s belong to a single cluster"
        elif pair.unit == "repeated item":
            why = "all their runs belong to a single item"
        return f"{why}, so there is only one independent observation"
    if pair.observation == "judgment":
        return "no judgment compares them"
    return "they have no item in common"


def _why_no_verdict(pair: Pair) -> str:
    if pair.reason == "missing scores decide":
        return _MISSING_DECIDE
    return pair.reason or "the sampler did not converge (see diagnostics)"


_MISSING_DECIDE = (
    "scores are missing with the difficulty of the items, and some values of the missing scores "
    "could lead to another verdict"
)


def beyond_rope(pair: Pair) -> str:
    """Whether the system ahead is better by more than the ROPE; empty without one."""
    if not pair.rope or pair.beyond_rope is None:
        return ""
    p = ""
    if pair.beyond_p is not None:
        p = numbers.probability(pair.beyond_p, pair.beyond_mcse, pair.threshold)
        p = f" (probability {p})"
    whether = "and" if pair.beyond_rope else "but it is undecided whether"
    return f", {whether} by more than {pair.rope:g}{p}"


def _evidence(answer: Answer, pair: Pair) -> Iterator[str]:
    """Scores, difference, counts; no difference where there is no verdict."""
    if pair.verdict == "no_data" or _nothing_decisive(pair):
        return
    yield from _size(answer, pair)
    yield from _counts(pair, answer)
    if pair.other_p is not None and pair.verdict != "split":
        other = {"mean": "mean score", "wins": "wins"}[pair.other_quantity or "wins"]
        p = numbers.probability(pair.other_p)
        yield f"By {other}, {pair.first} is better with probability {p}."
    if pair.more_wins_p is not None:
        p = numbers.probability(pair.more_wins_p, pair.more_wins_mcse)
        yield f"{pair.first} is ahead on more {answer.units} with probability {p}."


def _size(answer: Answer, pair: Pair) -> Iterator[str]:
    """The scores of two systems, and their difference; not the scores where the joint model shrinks
    their difference so much that they would suggest another size.
    """
    shrunken = _shrunken(answer, pair)
    scored = answer.scores and not shrunken.startswith(_MUCH)
    if scored:
        scores = ", ".join(_score_texts(answer.scores))
        notes = ["lower is better"] if answer.lower_is_better else []
        if pair.n_dropped:
            all_scores = not answer.scores[0].shared and answer.n_systems > 2
            both = f"on {items_with_both(pair)}"
            both = both.replace("both", "all scores") if all_scores else both
            shared = answer.scores[0].shared or {s.n_scored for s in answer.scores} == {pair.n_both}
            notes += [both if shared else "each on all its own items"]
        note = f" ({', '.join(notes)})" if notes else ""
        yield f"{capital(answer.by or answer.score_is)}{note}: {scores}."
    if pair.verdict != "no_verdict":
        yield from _difference(pair, pair.lower_is_better and not scored, shrunken)


def items_with_both(pair: Pair) -> str:
    """The items on which the scores of two systems are: ``the 60 items with both``."""
    return f"the {pair.n_both:,} {'items' if pair.n_both != 1 else 'item'} with both"


def _score_texts(scores: tuple[Score, ...]) -> Iterator[str]:
    """Three decimals, or as many digits as tell scores apart that differ."""
    texts = {numbers.score(score.score) for score in scores}
    alike = len(texts) < len({score.score for score in scores})
    for score in scores:
        text = f"{score.score:.6g}" if alike else numbers.score(score.score)
        yield f"{score.system} {text}"


_NEARLY = 0.99  # a difference that is shrunk by less is not worth a remark


def _shrunken(answer: Answer, pair: Pair) -> str:
    """The difference of the scores, or of wins and losses, where that of the joint model, or of the
    prior of a pair, is written as another.
    """
    joint = answer.verdict_counts is not None and answer.verdict_counts.joint
    # counts are pooled, and the difference is not
    pooled = pair.quantity == "wins" and (answer.averaged or pair.each_unit_once)
    of_items = pair.n_units is None and pair.quantity in ("wins", "accuracy")
    by_prior = (of_items or pair.prior_sd is not None) and not pooled
    if pair.difference is None or not (joint or by_prior):
        return ""
    by_wins = pair.quantity == "wins" or pair.difference_is == names.DIFFERENCES["wins"]
    if by_wins and pair.n and pair.wins is not None and pair.losses is not None:
        difference = (pair.wins - pair.losses) / pair.n
    elif not by_wins and len(answer.scores) == 2:
        score = {score.system: score.score for score in answer.scores}
        sign = -1 if answer.lower_is_better and not pair.lower_is_better else 1  # of error rates
        difference = sign * (score[pair.first] - score[pair.second])
    else:
        return ""
    observed = replace(pair, difference=difference)
    text, estimate = (difference_words(p).partition(" ")[0] for p in (observed, pair))
    if text == estimate or abs(pair.difference) >= _NEARLY * abs(difference):
        return ""
    if joint and pair.verdict == "undecided" and abs(pair.difference) < abs(difference) / 2:
        return f"{_MUCH}: the data hardly separate them"
    by = "" if joint else " by the model" if answer.together else " by the prior"
    return f"; shrunk from {text}{by}"


def difference_words(pair: Pair, note: str = "") -> str:
    """The difference and its interval: ``+0.0100 [+0.0024, +0.0180] (95% HDI)``."""
    text = size_text(pair)
    if pair.interval is None or "[" not in text:
        return text.partition(" [")[0]
    one_sided = "; one-sided: the interval includes 0" if pair.one_sided else ""
    return f"{text} ({pair.interval}{note}{one_sided})"


def size_text(pair: Pair) -> str:
    """The difference and its interval: ``+0.0100 [+0.0024, +0.0180]``."""
    optional = (pair.difference_lower, pair.difference_upper)
    bounds = [float("nan") if bound is None else bound for bound in optional]
    return numbers.difference(pair.difference or 0.0, *bounds, mcse=pair.difference_mcse)


def _difference(pair: Pair, lower: bool, note: str) -> Iterator[str]:
    if pair.difference is None:
        return
    quantity = f"Difference in {pair.by}" if pair.by else difference_name(pair)
    better = "; lower is better" if lower else ""
    yield f"{quantity} ({pair.first} − {pair.second}{better}): {difference_words(pair, note)}."


def _counts(pair: Pair, answer: Answer) -> Iterator[str]:
    """``On 880 items: 103 wins, 76 losses, 701 ties for haptik.``"""
    units = answer.units if answer.by else f"{pair.observation}s"
    n = pair.n_both
    place = f"On {n:,} {units if n != 1 else units[:-1]}" if n else ""
    clusters = clusters_of(answer, pair)
    place += f" in {clusters}" if place and clusters else ""
    place += OF_DECISIVE if place and counts_decisive(pair) else ""
    if text := ": ".join(filter(None, (place, outcomes_text(pair)))):
        yield f"{text}."
    if left_out := left_out_text(pair):
        yield f"{left_out}."
    if n and pair.n_dropped > n:
        yield (
            "Check that both systems were tested on the same items: fewer than half have both "
            "scores."
        )


def ahead_within_rope(pair: Pair, *, was: bool = False) -> str:
    """Which of two equivalent systems is better all the same; empty where none is."""
    if not pair.also_ahead:
        return ""
    p = numbers.probability(pair.p or 0.0, pair.p_mcse)
    tense = "was" if was else "is"
    return f" {pair.first} {tense} slightly ahead (probability {p}), but by less than the ROPE."


def counts_decisive(pair: Pair) -> bool:
    """Whether the number of items is of those that one of the two won."""
    return pair.ties_unknown or pair.n_ties_dropped is None


def outcomes_text(pair: Pair) -> str:
    """``103 wins, 76 losses, 701 ties for haptik``; empty where they are not known."""
    if pair.wins is None or pair.losses is None:
        return ""
    counted = [(pair.wins, "win", "wins"), (pair.losses, "loss", "losses")]
    counted += [] if pair.ties is None else [(pair.ties, "tie", "ties")]
    texts = (f"{n:,} {singular if n == 1 else plural}" for n, singular, plural in counted)
    dropped = pair.n_ties_dropped or 0
    ties = f"; {dropped:,} tie{'s are' if dropped > 1 else ' is'} dropped" if dropped else ""
    return f"{', '.join(texts)} for {pair.first}{ties}{_ties_won(pair)}"


def _ties_won(pair: Pair) -> str:
    """``28 ties count as wins of haptik``, by a policy for ties; empty without one."""
    if not (n := pair.ties_won or pair.ties_lost):
        return ""
    both = "each" if pair.ties_won and pair.ties_lost else ""
    whose = both or (pair.first if pair.ties_won else pair.second)
    return f"; {n:,} {'tie counts as a win' if n == 1 else 'ties count as wins'} of {whose}"


def left_out_text(pair: Pair) -> str:
    """``11 items without a score of haptik are left out``; empty where none is."""
    if not pair.n_dropped:
        return ""
    items, lack, are = ("items", "lack", "are")
    if pair.n_dropped == 1:
        items, lack, are = ("item", "lacks", "is")
    which = f"without a score of {pair.lacking}" if pair.lacking else f"that {lack} a score"
    return f"{pair.n_dropped:,} {items} {which} {are} left out"


# Three systems or more


def _best(answer: Answer) -> str:
    n, condition = answer.n_systems, AT_RANDOM * answer.at_random
    by = f" by {answer.by}" if answer.by else ""
    if not answer.best:
        return _without_best(answer, condition)
    first, size = answer.best[0], answer.n_best_set
    if answer.has_best:
        p = numbers.probability(first.p, first.p_mcse)
        best = f"{first.system} is the best of {n:,} systems{by}{condition}"
        return f"{best} (probability {p}){not_beaten(answer)}."
    size = None if size == 1 else size  # one that is less probable than a verdict needs
    others, also = (answer.best[1:size], _also_undecided(answer)) if size else ((), "")
    if first.p >= PROBABLE:
        text = (
            f"{first.system} is probably the best of {n:,} systems{by}{condition} "
            f"(P(best) {numbers.equal_to(first.p, first.p_mcse)}{_near_threshold(answer)})"
        )
        return f"{text}{_not_ruled_out(others)}.{also}"
    share = f"{100 * answer.best_share:g}%"
    how_many = f": the best is one of {size:,} with {share} probability" if size else ""
    how_many = ": any of them may be the best" if size == n else how_many
    listed = answer.best[: size if size and size <= _CANDIDATES else _CANDIDATES - 1]
    candidates = ", ".join(map(_candidate, listed))
    rest = answer.best[len(listed) : size] if size else ()
    n_rest = size - len(listed) if size else 0
    more = f" and {n_rest:,} more candidates" if n_rest else ""
    if 0 < len(rest) == n_rest <= _ALSO_NAMED:
        more = f"; also {', '.join(candidate.system for candidate in rest)}"
    best = f"P(best): {candidates}{more}.{also}"
    return f"No clear winner among {n:,} systems{by}{condition}{how_many}. {best}"


def _also_undecided(answer: Answer) -> str:
    """Why more systems are undecided against the first than may be the best."""
    n, leader = answer.n_also_undecided, answer.leader
    if not n or leader is None:
        return ""
    are, most = "is" if n == 1 else "are", 100 * (1 - answer.best_share)
    first = "the first" if leader.second == answer.best[0].system else leader.second
    return (
        f" {n:,} more {are} undecided against {first} but unlikely to be the best (at most "
        f"{most:.3g}%{' together' * (n > 1)})."
    )


def _near_threshold(answer: Answer) -> str:
    """That P(best) is too close to the threshold for its Monte Carlo error, which may be why."""
    first, threshold = answer.best[0], answer.threshold
    if answer.n_best_set != 1 or abs(first.p - threshold) > 2 * first.p_mcse:
        return ""
    return f"; {threshold:g} is within two Monte Carlo errors"


def _candidate(candidate: Candidate) -> str:
    return f"{candidate.system} ({numbers.probability(candidate.p, candidate.p_mcse)})"


def _not_ruled_out(others: tuple[Candidate, ...]) -> str:
    if not others:
        return ""
    if len(others) >= _CANDIDATES:
        return f", but {len(others):,} others cannot be ruled out"
    return f", but {named([_candidate(candidate) for candidate in others])} cannot be ruled out"


def not_beaten(answer: Answer) -> str:
    """Verdicts of the best that are not for it."""
    clauses = [
        _NOT_BEATEN[verdict].format(
            named(list(systems)) if len(systems) <= _CANDIDATES else f"{len(systems):,} systems"
        )
        for verdict, systems in answer.rivals
    ]
    return f", but {named(clauses)}" if clauses else ""


_NOT_BEATEN = {
    "split": "split with {} (wins and means favor different systems)",
    "equivalent": "practically equivalent to {}",
    "undecided": "undecided against {}",
}


def _without_best(answer: Answer, condition: str) -> str:
    """Pair by pair, where systems were not compared jointly."""
    why = f"P(best) is not available: {answer.no_joint}."
    first, others = answer.unbeaten[:1], answer.n_systems - 1
    if first and first[0].n_worse == others:
        return (
            f"Pair by pair, {first[0].system} is better than each of the other {others:,} systems"
            f"{condition}. {why}"
        )
    on = f" on {answer.n_judgments:,} judgments" if answer.n_judgments else ""
    on += f" in {answer.clusters}" if on and answer.clusters else ""
    text = f"No clear winner among {answer.n_systems:,} systems{on}{condition}."
    if not names_unbeaten(answer):
        return f"{text} {why}"
    named_verdicts = " ".join(map(verdict_sentence, answer.verdicts))
    only = "The only verdict:" if len(answer.verdicts) == 1 else "Verdicts:"
    why = f"{only} {named_verdicts} {why}" if named_verdicts else why
    if len(answer.unbeaten) > _CANDIDATES:
        return f"{text} Pair by pair, {len(answer.unbeaten):,} are unbeaten. {why}"
    are = "1 is" if len(answer.unbeaten) == 1 else f"{len(answer.unbeaten):,} are"
    whom = named(list(_unbeaten(answer.unbeaten, others)))
    return f"{text} Pair by pair, {are} unbeaten: {whom}. {why}"


def _unbeaten(systems: tuple[Unbeaten, ...], others: int) -> Iterator[str]:
    """Names, and how many others each is better than."""
    for k, unbeaten in enumerate(systems):
        met = unbeaten.n_compared
        of = f"{unbeaten.n_worse:,} of {others if met is None else met:,}"
        whole = f"better than {of} {'others' if met is None else 'compared with it'}"
        yield f"{unbeaten.system} ({of if k else whole})"


def names_unbeaten(answer: Answer) -> bool:
    """Whether some pair has a better system, and there is no joint answer to name the best."""
    counts = answer.verdict_counts
    return bool(not answer.best and answer.unbeaten and counts and counts.n_better)


def baseline_sentence(base: Baseline) -> str:
    """How the other systems compare with the baseline."""
    score = "" if base.score is None else f" ({base.score_is} {numbers.score(base.score)})"
    verdicts = [
        ("better", base.better),
        ("practically equivalent", base.equivalent),
        ("undecided", base.undecided),
        ("split", base.split),
        ("no verdict", base.no_verdict),
        ("worse", base.worse),
    ]
    differences, intervals = dict(base.differences), dict(base.intervals)

    def sized(name: str) -> str:
        if name not in differences:
            return name
        if len(intervals) <= _INTERVALS and name in intervals:
            return f"{name} ({numbers.difference(differences[name], *intervals[name])})"
        return f"{name} ({numbers.size(differences[name])})"

    def listed(systems: tuple[str, ...]) -> str:
        few = len(systems) <= _CANDIDATES
        return named(list(map(sized, systems))) if few else f"{len(systems):,} systems"

    text = "; ".join(f"{verdict}: {listed(systems)}" for verdict, systems in verdicts if systems)
    quantity = difference_name(base).removeprefix("Difference in ")
    other = score and base.difference_is and differences and quantity != base.score_is
    by = f" by {quantity}" if other else ""
    return f"Compared with the baseline {base.system}{score}{by}: {text}."


def verdicts_sentence(counts: VerdictCounts, answer: Answer) -> str:
    """How many pairs have a verdict, and what the others are."""
    decided = counts.n_better + counts.n_equivalent
    have = "has" if decided == 1 else "have"
    text = f"{decided:,} of {counts.n_pairs:,} pairs {have} a verdict"
    if not decided:
        text = f"none of {counts.n_pairs:,} pairs has a verdict"
    if counts.n_undecided == counts.n_pairs:
        text = f"all {counts.n_pairs:,} pairs are undecided"
    text = f"all {decided:,} pairs have a verdict" if decided == counts.n_pairs else text
    if not (counts.joint or names_unbeaten(answer)):
        text = f"Pair by pair, {text}"
    if counts.n_equivalent:
        text += f" ({counts.n_equivalent:,} of them: practically equivalent)"
    return capital("; ".join([text, *_without_verdict(counts, answer)])) + "."


def _without_verdict(counts: VerdictCounts, answer: Answer) -> Iterator[str]:
    if 0 < counts.n_undecided < counts.n_pairs:
        yield f"{_are(counts.n_undecided)} undecided"
    if counts.n_split:
        yield f"{_are(counts.n_split)} split (wins and means favor different systems)"
    if counts.n_no_data:
        why = answer.no_data_as
        if answer.n_judgments is not None:
            one = ", or all judgments are of one cluster" * bool(answer.clusters)
            why = f"no judgment compares them{one}"
        if answer.clusters == "1 cluster":
            why = "all items belong to a single cluster"
        elif len(counts.no_data_pairs) == counts.n_no_data:
            why += f" ({', '.join(counts.no_data_pairs)})"
        yield f"{counts.n_no_data:,} cannot be compared: {why}"
    if counts.n_no_verdict:
        have = "has" if counts.n_no_verdict == 1 else "have"
        why = f": {_MISSING_DECIDE}" if counts.n_missing_decides else ""
        yield f"{counts.n_no_verdict:,} {have} none{why}"


def _are(n: int) -> str:
    return f"{n:,} {'is' if n == 1 else 'are'}"


# Sample size and warnings


def more_sentences(answer: Answer) -> Iterator[str]:
    """How many more items would separate two systems."""
    more, units = answer.more, answer.units
    if more is None:
        return
    goal = f"To separate {more.first} from {separated_from(more)}"
    if more.items is not None and more.separates_most:
        items = f"{more.items:,} more {units}{more.restriction}"
        yield f"{goal}, plan for about {items} ({chance_of_verdict(answer)})."
    elif more.beyond is not None:
        items = f"{more.beyond:,} additional {units}{more.restriction}"
        yield f"{goal}, more than {items} would be needed ({chance_of_verdict(answer)})."


def separated_from(more: More) -> str:
    """Whom a plan separates the first system from."""
    equal = ", or to show that they are practically equivalent" if more.equivalent else ""
    if more.others == 1:
        return f"{more.second}{equal}"
    n = more.separated if more.separates_most else more.others - more.separated
    some = "" if n == more.others else f"{n:,} of "
    return f"{some}the {more.others:,} other candidates{equal}"


def chance_of_verdict(answer: Answer) -> str:
    """Of what a plan has which chance, and over what this is averaged."""
    more = answer.more
    on = "" if answer.pair else " on this pair" if not more or more.others == 1 else " on each pair"
    chance = f"{100 * TARGET:g}% chance of a verdict{on}, averaged over plausible differences"
    if more and more.separates_most and more.separated < more.others:
        far = more.others - more.separated - more.split
        chance += f"; {far:,} would need more than {more.beyond:,}" if far else ""
        chance += f"; {more.split:,} may end split between wins and means" if more.split else ""
    if more and more.n_unlabelled is not None and (more.items or 0) > more.n_unlabelled:
        items = "item lacks" if more.n_unlabelled == 1 else "items lack"
        only = f"only {more.n_unlabelled:,} judged {items} one"
        chance += f"; {only if more.n_unlabelled else 'all judged items have one'}"
    return chance


def _warnings(answer: Answer) -> Iterator[str]:
    """Lines that change what a reader should do."""
    if answer.missing:
        yield from _missing(answer.missing, answer)
    if answer.firmness:
        yield from _fragile(answer.firmness, answer)
    verdicts = "verdict" if answer.pair else "pairwise verdicts"
    if answer.ties_change:
        changes = named(answer.ties_change)
        yield f"! Ties: other policies for ties change the {verdicts}: {changes}."
    elif answer.ties_change is not None:
        yield f"Every policy for ties leads to the same {verdicts}."


def _missing(missing: Missing, answer: Answer) -> Iterator[str]:
    difficult = "! Missing data: scores seem to be missing on harder or easier items. With every "
    if missing.if_wrong is not None:
        better, worse, p = missing.if_wrong
        yield (
            f"{difficult}missing score counted as wrong, {better} is better than {worse} with "
            f"probability {numbers.probability(p)}."
        )
    elif missing.n_if_wrong and answer.verdict_counts:
        yield (
            f"{difficult}missing score counted as wrong, {missing.n_if_wrong:,} of "
            f"{answer.verdict_counts.n_pairs:,} pairwise verdicts change."
        )
    pair, holds = answer.pair, missing.n_hold == missing.n_pairs
    if not missing.n or (holds and pair):
        return
    score, are = ("score", "is") if missing.n == 1 else ("scores", "are")
    lacks = pair and pair.n_dropped == missing.n and pair.lacking  # not runs, which both may lack
    lacking = f"{missing.n:,} {score}{f' of {lacks}' if lacks else ''} {are} missing"
    if pair:
        yield f"! Missing data: {lacking}{_missing_limits(missing, pair)}"
        return
    effect = f"in each of the {missing.n_pairs:,} pairs that lack scores, their values could change"
    if missing.n_hold:
        effect = f"for {missing.n_hold:,} of {missing.n_pairs:,} pairs that lack scores,"
    end = " holds whatever their values" * (missing.n_hold > 0)
    yield f"{'' if holds else '! '}Missing data: {lacking}; {effect} the pairwise verdict{end}."


def _missing_limits(missing: Missing, pair: Pair) -> str:
    """Between which limits P(better) stays, for every value of the missing scores."""
    if missing.lowest is None or missing.highest is None:
        return "; other values could lead to another verdict."
    low, high = (numbers.probability(p) for p in (missing.lowest, missing.highest))
    reached = pair.n_units is None and pair.quantity != "mean"  # by some values, not only bounds
    if reached and missing.lowest < 1 - pair.threshold and missing.highest > pair.threshold:
        return (
            ", and their values decide which system is better: "
            f"P({pair.first} better) is between {low} and {high}. Obtain the scores to know."
        )
    if reached and pair.verdict == "better" and missing.lowest > 1 - pair.threshold:
        what = "With some values the pair would be undecided"
    elif pair.verdict == "undecided" and missing.lowest >= pair.threshold:
        what = f"With any of them {pair.first} is better"  # failed runs settle pass^k of an item
    elif pair.verdict in ("undecided", "better") and missing.highest <= 1 - pair.threshold:
        what = f"With any of them {pair.second} is better"
    else:
        what = "Some values may lead to another verdict"
    return (
        f"; whatever their values, P({pair.first} better) stays between {low} and {high}. {what}. "
        "Obtain the scores to know."
    )


def _fragile(firm: Firmness, answer: Answer) -> Iterator[str]:
    """Where a few items undo the verdict."""
    pairwise = "pairwise " if answer.verdict_counts and answer.verdict_counts.joint else ""
    if firm.flips is not None and firm.flips <= FRAGILE:
        again = numbers.probability(firm.replicates or 0.0)
        items = f"{firm.flips:,} of the {firm.decisive:,} non-tied {answer.units}"
        if firm.decisive == 1:
            items = f"the only non-tied {answer.units.removesuffix('s')}"
        yield (
            f"! Fragile: the {pairwise}verdict {firm.first} > {firm.second} would change if "
            f"{items} had gone the other way. A new test set of this "
            f"size would confirm it with probability {again}."
        )
    if firm.prior_items is not None:
        units = answer.units.removesuffix("s") if firm.prior_items == 1 else answer.units
        verdict = f"{firm.first} {'=' if firm.equivalent else '>'} {firm.second}"
        yield (
            f"! Fragile: a prior worth {firm.prior_items:,} more {units}, half won by each, would "
            f"undo the verdict {verdict}."
        )


def capital(text: str) -> str:
    """A text at the start of a sentence; pass^k keeps its case."""
    return text if text.startswith(("pass^", "pass@")) else text[:1].upper() + text[1:]

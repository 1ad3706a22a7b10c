"""The answer on two or more systems in sentences for a paper, in the past tense."""

from dataclasses import replace

from betterthan.results import numbers, sentences, tables
from betterthan.results.facts import Answer, Pair, VerdictCounts, clusters_of
from betterthan.results.robustness import Missing
from betterthan.text import named

_CANDIDATES = 4  # possible bests that a sentence names


def paper_sentences(answer: Answer) -> list[str]:
    """The answer for a paper: who was better, how probably, and which pairs are undecided.

    Parameters
    ----------
    answer : Answer
        From `answer_facts`.

    Returns
    -------
    list of str
        Sentences in the past tense, with the names of the systems; of three systems or more the
        last one names the model, joint or pairwise.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.results.facts import answer_facts
    >>> answer = answer_facts(bt.compare(bt.datasets.contingency_case("a")))
    >>> paper_sentences(answer)[0].partition(" (")[0]
    'On 1,000 items, A was better than B with posterior probability 0.996'
    """
    if answer.failures:
        return [f"No verdict can be reported: {answer.failures}"]
    if answer.pair:
        return [_paper_pair(answer, answer.pair)]
    lines = [_paper_systems(answer)]
    lines += [sentences.baseline_sentence(answer.baseline)] if answer.baseline else []
    if counts := answer.verdict_counts:
        lines.append(_paper_verdicts(counts, answer))
    if answer.missing and answer.missing.n:
        lines.append(_paper_missing(answer.missing))
    return lines


def place_label(answer: Answer) -> str:
    """The items and their clusters or runs: ``529 items in 5 clusters``; where pairs differ in
    their items ``the 20 to 60 items that each pair shares``; empty where that is not known.
    """
    fewest, most = answer.n_shared or (answer.n, answer.n)
    if fewest is None or most is None:
        return ""
    repeated = answer.units == "repeated items"
    held = "items" if answer.n_judgments is None else "judgments"
    units = held if answer.clusters or repeated else answer.units
    units = units.removesuffix("s") if most == 1 else units
    together = answer.pair is None and answer.n_judgments is not None
    clusters = clusters_of(answer, answer.pair)
    if answer.pair is None and not together:
        clusters = answer.clusters_shared or clusters
    clusters = f" in {clusters}" if clusters else ""
    units += f"{clusters}{' with repeated runs' if repeated else ''}"
    if together:
        return f"{answer.n_judgments:,} {units}"
    missing = None if answer.pair else answer.missing
    pairwise = missing and missing.n_pairs and missing.items and not missing.complete
    if fewest == most:
        return f"the {most:,} {units} that each pair shares" if pairwise else f"{most:,} {units}"
    return f"the {fewest:,} to {most:,} {units} that each pair shares"


def _place(answer: Answer) -> str:
    shared = "the items that both share" if answer.pair else "the items that each pair shares"
    averaged = f", averaged over {answer.averaged}" if answer.averaged else ""
    model = f", by the {answer.model} model" if answer.model else ""
    place = place_label(answer)
    if place and answer.pair:
        place += sentences.OF_DECISIVE * sentences.counts_decisive(answer.pair)
    return f"On {place or shared}{averaged}{model},"


def _paper_pair(answer: Answer, pair: Pair) -> str:
    a, b = pair.first, pair.second
    if pair.verdict == "no_data":
        if answer.clusters == "1 cluster":
            return (
                f"All items that {a} and {b} share are in one cluster, so no conclusion about new "
                "clusters is possible."
            )
        return f"{a} and {b} share too little to be compared."
    if pair.verdict == "no_verdict":
        return f"No verdict on {a} and {b} can be reported: {pair.reason}."
    place, condition = _place(answer), sentences.AT_RANDOM * pair.at_random
    counted = _numbers(pair, answer.averaged)
    p = numbers.probability(pair.p or 0.0, pair.p_mcse)
    p = f"with posterior probability {p}{condition}"
    correct = _correct(answer)
    mean, that = ("the mean of ", "that of ") if pair.quantity == "mean" else ("", "")
    if pair.verdict == "better":
        return (
            f"{place} {mean}{a}{correct[0]} was better than {that}{b}{correct[1]} {p}"
            f"{counted}{sentences.beyond_rope(pair)}."
        )
    if pair.verdict == "equivalent":
        within = numbers.probability(pair.within_rope or 0.0, pair.within_rope_mcse)
        return (
            f"{place} {a}{correct[0]} and {b}{correct[1]} were practically equivalent: they "
            f"differed by at most {pair.rope:g} with posterior probability {within}{condition}"
            f"{counted}.{sentences.ahead_within_rope(pair, was=True)}"
        )
    if pair.verdict == "split":
        ways = [f"{a} had a better mean than {b}", f"{b} won more often"]
        if pair.quantity != "mean":
            ways = [f"{a} won more often than {b}", f"{b} had the better mean"]
        against = f"posterior probability {numbers.probability(1 - (pair.other_p or 0.0))}"
        return f"{place} {ways[0]} {p}{counted}, but {ways[1]} with {against}."
    below, limit = numbers.probability(pair.p or 0.0, pair.p_mcse, pair.threshold), ""
    if (pair.p or 0.0) < pair.threshold:  # else another rule stops it
        limit = f", below the threshold of {answer.threshold:g}"
    if pair.too_close:
        limit = f", within two Monte Carlo errors of the threshold of {answer.threshold:g}"
    return (
        f"{place} the comparison of {a}{correct[0]} and {b}{correct[1]} was undecided: {a} was "
        f"better with posterior probability {below}{condition}{counted}{limit}."
    )


def _correct(answer: Answer) -> tuple[str, str]:
    """How many items each system answered correctly, where both are known."""
    if not answer.scores or any(score.n_right is None for score in answer.scores):
        return "", ""
    first, second = answer.scores
    return (
        f" ({first.n_right:,} of {first.n_scored:,} correct)",
        f" ({second.n_right:,} of {second.n_scored:,})",
    )


def _numbers(pair: Pair, averaged: str | None) -> str:
    """The difference, its interval, the counts, and what is left out, in brackets."""
    difference = "" if pair.difference is None else _paper_difference(pair)
    counted = sentences.outcomes_text(pair)
    counted += ", of all items pooled" if counted and averaged else ""
    parts = difference, counted, sentences.left_out_text(pair)
    text = "; ".join(filter(None, parts))
    return f" ({text})" if text else ""


def _paper_difference(pair: Pair) -> str:
    mean, _, interval = sentences.size_text(replace(pair, difference_mcse=0.0)).partition(" [")
    quantity = sentences.difference_name(pair)
    quantity = quantity[:1].lower() + quantity[1:]
    quantity += ", lower is better," if pair.lower_is_better else ""
    interval_text = f", {pair.interval} [{interval}" if interval and pair.interval else ""
    one_sided = "; one-sided: the interval includes 0" if pair.one_sided else ""
    return f"{quantity} {mean}{interval_text}{one_sided}"


def _paper_systems(answer: Answer) -> str:
    """Which system was the best, or which may be."""
    place, n = _place(answer), f"{answer.n_systems:,} systems"
    condition = sentences.AT_RANDOM * answer.at_random
    by = {"mean score": " by the mean", None: ""}.get(answer.by, f" by {answer.by}")
    if not answer.best:
        if not sentences.names_unbeaten(answer):
            return f"{place} {n} were compared pair by pair{condition}."
        whom = named([unbeaten.system for unbeaten in answer.unbeaten], "or")
        if answer.unbeaten[0].n_worse == answer.n_systems - 1:
            others = f"each of the other {answer.n_systems - 1:,} systems{condition}"
            return f"{place} pair by pair, {whom} was better than {others}."
        return f"{place} pair by pair, none of {n} was better than {whom}{condition}."
    first, size = answer.best[0], answer.n_best_set or len(answer.best)
    p = numbers.probability(first.p, first.p_mcse)
    if answer.has_best:
        probably = f"with posterior probability {p}{condition}{sentences.not_beaten(answer)}"
        return f"{place} {first.system} was the best of {n}{by} {probably}."
    whom = named([candidate.system for candidate in answer.best[:size]])
    if first.p >= sentences.PROBABLE:
        others = named([candidate.system for candidate in answer.best[1:size]])
        others = f"{size - 1:,} others" if size > _CANDIDATES else others
        more = f", but {others} could not be ruled out" if size > 1 else ""
        probably = f"(P(best) = {p}){condition}{more}"
        return f"{place} {first.system} was probably the best of {n}{by} {probably}."
    tied = [c for c in answer.best if tables.alike(first.p - c.p, first.p_mcse, c.p_mcse)]
    texts = [numbers.probability(c.p, c.p_mcse) for c in tied]
    p = f"{p} each" if len(tied) > 1 and len(set(texts)) == 1 else named(texts)
    probably = f", most probably {named([c.system for c in tied], 'or')} (P(best) = {p})"
    probably = probably if len(tied) < size else ""
    if size == answer.n_systems:
        anyone = f"any of them may be the best{probably}{condition}"
        return f"{place} there was no clear winner among {n}{by}: {anyone}."
    if size == 1:
        return (
            f"{place} there was no clear winner among {n}{by}: most probably {first.system} was "
            f"the best (P(best) = {p}){condition}."
        )
    whom = f" ({whom})" if size <= _CANDIDATES else ""
    return (
        f"{place} there was no clear winner among {n}{by}: the best was one of {size:,}{whom} with "
        f"posterior probability {answer.best_share:g}{probably}{condition}."
    )


def _paper_missing(missing: Missing) -> str:
    """How many scores are missing."""
    scores = "score was" if missing.n == 1 else "scores were"
    if not missing.items:
        return f"{missing.n:,} {scores} missing, of runs of items that have others."
    on = "all were" if missing.complete else "each pair was"
    have = "all have" if missing.complete else "both have"
    return f"{missing.n:,} {scores} missing; {on} compared on the items that {have}."


def _paper_verdicts(counts: VerdictCounts, answer: Answer) -> str:
    """How many pairs had a verdict, and how many were undecided."""
    decided = counts.n_better + counts.n_equivalent
    text = f"{decided:,} of {counts.n_pairs:,} pairs had a verdict (posterior probability at least "
    text += f"{answer.threshold:g})"
    if counts.n_equivalent:
        text += f", {counts.n_equivalent:,} of them practically equivalent (a difference of at "
        text += f"most {answer.rope:g})"
    if counts.n_undecided:
        were = "was" if counts.n_undecided == 1 else "were"
        text += f"; {counts.n_undecided:,} {were} undecided, which does not mean equal"
    others = {
        "split, as wins and means favor different systems": counts.n_split,
        "not compared": counts.n_no_data,
        "without a verdict": counts.n_no_verdict,
    }
    texts = (f"; {n:,} {'was' if n == 1 else 'were'} {how}" for how, n in others.items() if n)
    text += "".join(texts)
    joint = counts.joint or answer.together
    model = "a joint model of all systems" if joint else "pairwise models"
    return f"{text}. Probabilities and verdicts are from {model}."

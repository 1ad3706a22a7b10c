"""The answer in sentences for a paper: what was compared on what, and the number to cite."""

from betterthan.results import numbers
from betterthan.results.facts import Answer, Pair
from betterthan.results.sentences import AT_RANDOM, beyond_rope, short_of
from betterthan.text import named

_NAMED = 4  # possible bests that a sentence names


def paper_sentences(answer: Answer) -> list[str]:
    """One sentence, and how many pairs stayed undecided.

    Examples
    --------
    >>> import betterthan as bt
    >>> from betterthan.results.facts import answer_of
    >>> answer = answer_of(bt.compare(bt.datasets.contingency_case("a")))
    >>> paper_sentences(answer)[0].partition(" (")[0]
    'On 1,000 items A was better than B with posterior probability 0.996'
    """
    if answer.failures:
        return [f"No verdict can be reported: {answer.failures}"]
    if answer.pair:
        return [_of_two(answer, answer.pair)]
    undecided = answer.ends.n_undecided if answer.ends else 0
    pairs, they = ("pair", "its systems") if undecided == 1 else ("pairs", "they")
    rest = f"{undecided:,} {pairs} stayed undecided, which is not evidence that {they} are equal."
    return [_of_many(answer), *([rest] if undecided else [])]


def _place(answer: Answer) -> str:
    if answer.n is None:
        return "On the items that each pair shares"
    units = "items" if answer.clusters else answer.units
    units = units.removesuffix("s") if answer.n == 1 else units
    return f"On {answer.n:,} {units}" + (f" in {answer.clusters}" if answer.clusters else "")


def _of_two(answer: Answer, pair: Pair) -> str:
    a, b = pair.first, pair.second
    if pair.verdict == "no_data":
        if answer.clusters == "1 cluster":
            return (
                f"All items that {a} and {b} share are in one cluster, so nothing can be said "
                "about new clusters."
            )
        return f"{a} and {b} share too little to be compared."
    if pair.verdict == "no_verdict":
        return f"No verdict on {a} and {b} can be reported: {pair.reason}."
    place, given = _place(answer), AT_RANDOM * pair.at_random
    p = f"with posterior probability {numbers.probability(pair.p or 0.0, pair.p_mcse)}{given}"
    right = _right(answer)
    mean, that = ("the mean of ", "that of ") if pair.quantity == "mean" else ("", "")
    if pair.verdict == "better":
        return (
            f"{place} {mean}{a}{right[0]} was better than {that}{b}{right[1]} {p}"
            f"{_numbers(pair)}{beyond_rope(pair)}."
        )
    if pair.verdict == "equivalent":
        within = numbers.probability(pair.within_rope or 0.0)
        return (
            f"{place} {a}{right[0]} and {b}{right[1]} were practically equivalent, within "
            f"{pair.rope:g} of each other with posterior probability {within}{given}"
            f"{_numbers(pair)}."
        )
    if pair.verdict == "split":
        ways = [f"{a} had a better mean than {b}", f"{b} won more often"]
        if pair.quantity != "mean":
            ways = [f"{a} won more often than {b}", f"{b} had the better mean"]
        against = numbers.probability(1 - (pair.other_p or 0.0))
        return (
            f"{place} {ways[0]} {p}{_numbers(pair)}, but {ways[1]} with posterior probability "
            f"{against}."
        )
    return (
        f"{place} the data did not decide between {a}{right[0]} and {b}{right[1]}: {a} was better "
        f"{_undecided(pair)}{given}{_numbers(pair)}, short of {answer.threshold:g}."
    )


def _undecided(pair: Pair) -> str:
    p = numbers.probability(pair.p or 0.0, pair.p_mcse)
    p = p if pair.p_mcse else short_of(pair.p or 0.0, pair.threshold)
    return f"with posterior probability {p}"


def _right(answer: Answer) -> tuple[str, str]:
    """How many items each system got right, where both are known."""
    if not answer.scores or any(one.n_right is None for one in answer.scores):
        return "", ""
    first, second = answer.scores
    return (
        f" ({first.n_right:,} of {first.n_scored:,} right)",
        f" ({second.n_right:,} of {second.n_scored:,})",
    )


def _numbers(pair: Pair) -> str:
    """The difference, its interval, and the counts, in brackets."""
    parts = []
    if pair.difference is not None:
        parts.append(_difference(pair))
    if pair.wins is not None and pair.losses is not None:
        ties = "" if pair.ties is None else f", {pair.ties:,} {'tie' if pair.ties == 1 else 'ties'}"
        parts.append(f"{pair.wins:,} to {pair.losses:,} in wins{ties}")
    return f" ({'; '.join(parts)})" if parts else ""


def _difference(pair: Pair) -> str:
    ends = [pair.difference_lower, pair.difference_upper]
    known = [float("nan") if end is None else end for end in ends]
    text = numbers.difference(pair.difference or 0.0, *known, mcse=pair.difference_mcse)
    mean, _, interval = text.partition(" [")
    names_ = f"P({pair.first} wins) - P({pair.second} wins)"
    what = pair.difference_is.replace("P(A wins) - P(B wins)", names_)
    what += ", lower is better," if pair.lower_is_better else ""
    shown = f", {pair.interval} [{interval}" if interval and pair.interval else ""
    one_sided = "; one-sided: the interval includes 0" if pair.one_sided else ""
    return f"{what} {mean}{shown}{one_sided}"


def _of_many(answer: Answer) -> str:
    place, n, ends = _place(answer), f"{answer.n_systems:,} systems", answer.ends
    given = AT_RANDOM * answer.at_random
    by = {"mean score": " by the mean", None: ""}.get(answer.by, f" by {answer.by}")
    pairs = ""
    if ends is not None:
        decided = f"{ends.n_better + ends.n_equivalent:,} of {ends.n_pairs:,} pairs"
        among = " among all systems" if ends.joint else ""
        equivalent = f" ({ends.n_equivalent:,} as practically equivalent)"
        equivalent = equivalent if ends.n_equivalent else ""
        pairs = f"{decided} were decided{equivalent}{among} at {answer.threshold:g}"
        if not answer.best:
            comma = "," if given else ""
            return (
                f"{place} {decided} of {n} were decided{equivalent}, each by itself, at a "
                f"posterior probability of {answer.threshold:g}{comma}{given}."
            )
    first, size = answer.best[0], answer.n_best_set or len(answer.best)
    p = numbers.probability(first.p, first.p_mcse)
    if size == 1:
        return (
            f"{place} {first.system} was the best of {n}{by} with posterior probability {p}"
            f"{given}; {pairs}."
        )
    whom = named([one.system for one in answer.best[:size]])
    whom = f" ({whom})" if size <= _NAMED else ""
    return (
        f"{place} the best of {n}{by} was with posterior probability {answer.best_share:g} among "
        f"{size:,}{whom}, most probably {first.system} ({p}){given}; {pairs}."
    )

"""The page on two groups of different people."""

from collections.abc import Iterator

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.document import Document, Part, Table
from betterthan.results.numbers import labels_on_one_line, on_one_line
from betterthan.results.tables import interval_label

_LIMITS = (
    "The groups are different people. People who used both systems are paired: use people.anova, "
    "or compare.",
    "The answer is on other people like these, and on this response alone.",
    "A large p does not mean that the groups are equal.",
)
_METHODS = {
    "exact": "exact, over all divisions of these people into two groups, ties as they are",
    "normal": "normal approximation, corrected for ties and continuity",
}


def page(test: xr.Dataset) -> Document:
    """The page on two groups, from `people.mann_whitney`."""
    a = test.attrs
    groups = labels_on_one_line(test["level"].values)
    response = on_one_line(str(a["response"]))
    rows = [
        (
            group,
            f"{int(row['n']):,}",
            *(numbers.score(row[k].item()) for k in ("mean", "median")),
            f"{row['u'].item():g}",
        )
        for k, group in enumerate(groups)
        for row in [test.isel(level=k)]
    ]
    better = "higher" if a["higher_is_better"] else "lower"
    caption = f"{response} by group, {better} is better; U: pairs in which its person is better"
    table = Table(("Group", "People", "Mean", "Median", "U"), rows, caption)
    signature = [
        f"betterthan {a['version']}",
        f"Mann-Whitney ({a['p_method']}) and t of placements",
        f"response={response}",
        f"unit={a['unit']}",
        f"rope={a['rope']:g}",
        f"interval={interval_label(a)}",
        f"verdict at {a['threshold']:g}",
        f"dropped={a['n_dropped']}",
    ]
    return Document(
        f"{response} of {groups[0]} and {groups[1]}",
        f"Which of two groups of people has the better {response}?",
        [Part("Groups", tables=[table])],
        _LIMITS,
        [" | ".join(signature)],
        [*_sentences(test, groups, response)],
    )


def _sentences(test: xr.Dataset, groups: list[str], response: str) -> Iterator[str]:
    """The verdict, the probability that a person is better, and the test; the leader first."""
    a, turned = test.attrs, test["prob_better"].item() < 1 / 2
    first, second = groups[::-1] if turned else groups
    better, superiority, lower, upper = (
        test[k].item() for k in ("prob_better", "superiority", "lower", "upper")
    )
    if turned:
        better, superiority, lower, upper = 1 - better, 1 - superiority, 1 - upper, 1 - lower
    p, verdict = numbers.equal_to(better), str(test["verdict"].item())
    if verdict == "no_verdict":
        yield f"No verdict: a group has fewer than {names.UNITS_MIN} people."
    elif verdict == "equivalent":
        within = numbers.equal_to(test["prob_equivalent"].item())
        yield (
            f"{first} and {second} are practically equivalent: the probability below is within "
            f"{a['rope']:g} of 1/2 with probability {within.removeprefix('= ')}."
        )
    elif verdict == "undecided":
        yield (
            f"Undecided between {first} and {second}: P({first} better) {p}; a verdict needs "
            f"{a['threshold']:g}."
        )
    else:
        yield f"{first} is better than {second} by {response} (P({first} better) {p})."
    interval = f"; for other people like these it is {lower:.2f} to {upper:.2f}"
    interval = f"{interval} ({interval_label(a)})" if lower == lower else ""
    yield (
        f"{first} has the better {response} in a proportion of {superiority:.2f} of the pairs of "
        f"people, equal ones half{interval}."
    )
    u = " and ".join(f"{value:g}" for value in sorted(test["u"].values))
    p_value = numbers.p_value(test["p_value"].item())
    yield f"Mann-Whitney: U = {u}, two-sided p = {p_value} ({_METHODS[a['p_method']]})."

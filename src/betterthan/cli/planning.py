"""The commands `plan` and `runs`: how many items, will it hold, and how often a system succeeds."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import betterthan as bt
from betterthan import names
from betterthan.cli.console import one_file, put_report, say
from betterthan.cli.options import (
    inputs_of,
    read_arguments,
    reading_options,
    refuse_percentages,
    say_pooled,
    source_of,
)

if TYPE_CHECKING:
    from betterthan.plan import Plan

_WIDEST = 80  # columns of a curve
_MOST, _MOST_BY_ROPE = 10_000, 400  # items that are thought of


def plan(
    pilot: list[str] | None = None,
    systems: str | None = None,
    decisive: float | None = None,
    difference: float | None = None,
    until: int | None = None,
    verdict: str | None = None,
    target: float = 0.8,
    most: int | None = None,
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    page: Path | None = None,
    **reading: Any,
) -> None:
    """Plan the sample size: how many items a verdict needs, and whether it would replicate.

    For example:
      betterthan plan results.csv --systems old,new
      betterthan plan results.csv --until 500 --target 0.9
      betterthan plan --decisive 0.2 --difference 0.05
    """
    from betterthan import checks
    from betterthan.plan.power import TARGETS

    form, page = one_file(None, page, "a plan", inputs_of(pilot or []))
    how = {"rope": checks.margin(rope, "rope"), "threshold": checks.threshold(threshold)}
    wanted = {
        "target": target,
        "of": "a_better" if verdict is None else verdict,
        "most": (_MOST_BY_ROPE if rope else _MOST) if most is None else most,
    }
    checks.one_of(wanted["of"], TARGETS, "--verdict")
    if (not pilot) == (decisive is None and difference is None):
        raise ValueError("give either a file of results, or --decisive 0.2 --difference 0.05")
    if pilot:
        data, counts = _counts(pilot, systems=systems, **reading)
        refuse_percentages(data, rope=rope)
        _refuse_without_verdict(data, how)
        if _on_units(data):
            if verdict is not None or most is not None:
                raise ValueError(
                    "--verdict and --most are for answers of 0 and 1 to independent items; of "
                    "means, clusters and repeated runs the plan is for a verdict on either system"
                )
            plans = _of_units(data, until, target, how) + _of_runs(data)
        else:
            checks.rope(rope)
            if verdict in ("a_better", "b_better"):
                a, b = counts[names.SYSTEM_A].values.tolist()
                print(f"a_better: {a} is better; b_better: {b} is better.")
            plans = _of_pilot(counts if verdict else _ahead_first(counts), until, wanted, how)
    elif until is not None or systems is not None or reading_options(**reading):
        raise ValueError("--until, --systems and options for reading need a file of results")
    else:
        theta = _theta(decisive, difference)
        checks.rope(rope)
        if verdict is None and theta[1] > theta[0]:
            wanted["of"] = "b_better"  # as of a pilot, that of the system ahead
        plans = [_of_guess(theta, wanted, how)]
    if page is not None:  # one page on all of them, the number of items first
        put_report(plans, form, page)


def _theta(decisive: float | None, difference: float | None) -> tuple[float, float, float]:
    """Probabilities of win, loss and tie of a guess."""
    if decisive is None or difference is None:
        raise ValueError(
            "--decisive and --difference belong together: --decisive 0.2 --difference 0.05"
        )
    if not 0 < decisive <= 1:
        raise ValueError(
            f"--decisive is {decisive:g}; give a proportion of items, above 0 and at most 1"
        )
    if not abs(difference) <= decisive:
        raise ValueError(
            f"--difference is {difference:g}, larger than --decisive {decisive:g}; give at most "
            "the proportion of items that one of the two wins"
        )
    return (decisive + difference) / 2, (decisive - difference) / 2, 1 - decisive


def _of_runs(data: Any) -> "list[Plan]":
    """How many runs of how many items, where items were run repeatedly."""
    from betterthan.counts.units import EPOCH, several

    if names.ITEM not in data.dims or not several(data, EPOCH):
        return []
    plan = bt.plan.runs(data)
    _tell("runs and items at the cost of these data, if an item costs as much as a run", [plan])
    say("pass the costs of an item and of a run to betterthan runs")
    return [plan]


def _counts(pilot: list[str], **choices: Any) -> tuple[Any, Any]:
    """The data of a pilot, and the wins, losses and ties of its two systems."""
    data = read_arguments(pilot, **choices)
    say_pooled(data)
    if names.TALLY in data.dims:
        raise ValueError(
            "these are TP/FP/FN counts, and a plan takes scores of items, or wins, losses and "
            "ties; give the score of each item, such as its F1"
        )
    if "judgment" in data.dims:
        raise ValueError(
            "these are judgments by cluster, of which compare says how many more clusters a "
            "verdict needs; without --layout and --cluster the plan is of independent votes"
        )
    counts = data if names.OUTCOME in data.dims else bt.count(data)
    present = counts[names.SYSTEM_A].values.tolist() if names.SYSTEM_A in counts.dims else []
    if len(present) != 2 or names.DATASET in counts.dims:
        raise ValueError(
            f"{len(present)} systems ({', '.join(map(str, present))}); a plan is "
            "for two systems on one data set: choose two with --systems A,B"
        )
    return data, counts


def _refuse_without_verdict(data: Any, how: Mapping[str, Any]) -> None:
    """Refuse scores whose missing ones leave no verdict, which a plan would take as complete."""
    if names.SYSTEM not in data.dims or not bool(data.isnull().any()):
        return
    if bt.compare(data, **how).data["verdict"].values[0, 1] == "no_verdict":
        a, b = data[names.SYSTEM].values.tolist()
        raise ValueError(
            f"there is no verdict on {a} and {b}, as their missing scores may lead to another one, "
            "so none can be planned; complete the scores, or leave out the items that lack one"
        )


def _ahead_first(counts: Any) -> Any:
    """The two systems in the order of their wins, as given where these are equal."""
    won = counts.isel({names.OUTCOME: 0}).values.tolist()
    return counts.isel({key: [1, 0] for key in names.SQUARE}) if won[1][0] > won[0][1] else counts


def _on_units(data: Any) -> bool:
    """Whether verdicts are of means on units: of graded scores, clusters and repeated runs."""
    from betterthan.counts.units import CLUSTER, EPOCH, several

    if names.SYSTEM not in data.dims or names.TALLY in data.dims:
        return False
    if CLUSTER in data.coords and len(set(data[CLUSTER].values.tolist())) == 1:
        raise ValueError(
            "all items are in one cluster, which predicts nothing about new clusters; give items "
            "of several clusters"
        )
    graded = not data.isin((0, 1)).where(data.notnull(), True).all()
    return bool(graded or CLUSTER in data.coords or several(data, EPOCH))


def _of_units(data: Any, until: int | None, target: float, how: dict[str, Any]) -> "list[Plan]":
    """What a pilot of means on units says now and later, and how many units more."""
    parts: list[Plan] = [bt.plan.replication(data, **how)]
    if until is not None:
        parts.insert(0, bt.plan.foresee(data, until=until, **how))
    more = bt.plan.outlook(bt.compare(data, **how), target=target)
    _tell("the items so far", parts)
    _tell("the items so far and more", [more])
    return [more, *parts]


def _of_pilot(
    counts: Any, until: int | None, wanted: dict[str, Any], how: dict[str, Any]
) -> "list[Plan]":
    """What a pilot says now and later, how many items more, and how many of a new set."""
    parts: list[Plan] = [bt.plan.replication(counts, **how)]
    if until is not None:
        parts.insert(0, bt.plan.foresee(counts, until=until, **how))
    more = bt.plan.items_needed(counts, keep=True, **wanted, **how)
    fresh = bt.plan.items_needed(counts, **wanted, **how)
    _tell("the items so far", parts)
    _tell("the items so far and more", [more])
    _tell("a new set of items", [fresh])
    _draw(fresh)
    return [more, fresh, *parts]


def _of_guess(theta: tuple[float, ...], wanted: dict[str, Any], how: dict[str, Any]) -> "Plan":
    """How many items a guess needs, taken as known."""
    needed = bt.plan.items_needed(theta=theta, **wanted, **how)
    _tell("a new set of items", [needed])
    say("a guess asks for too few items: it ignores how uncertain it is; give results instead")
    _draw(needed)
    return needed


def _tell(subject: str, parts: "list[Plan]") -> None:
    """The sentences of a plan; where there is a number of items, that number and its limits too."""
    lines = dict.fromkeys(line for part in parts for line in part.lines)
    if lines:
        print("\n  ".join([f"For {subject}:", *lines]))
    for part in parts:
        if "first" in part:
            print("  " + ", ".join(f"{_HEADS[k]} {_number(part, k)}" for k in _HEADS))


_HEADS = {"first": "items needed", "always": "sufficient from", "ceiling": "limiting probability"}


def _number(part: "Plan", name: str) -> str:
    """A number of items, or why there is none: the target is out of reach, or beyond the most."""
    from betterthan.results import numbers

    value, top = float(part[name]), float(part["ceiling"])
    if name == "ceiling":
        return numbers.probability(value)
    if value == value:
        return f"{value:.0f}"
    return "none" if top < part.attrs["target"] else f"more than {part.attrs['most']:,}"


def _draw(needed: "Plan") -> None:
    """The probability of the verdict along the number of items."""
    import numpy as np

    from betterthan.plan.power import wanted_probability

    attrs, first = needed.attrs, float(needed["first"])
    most = max(20, int(1.6 * first)) if first == first else attrs["most"]
    most = min(most, attrs["most"])
    n_items = np.unique(np.rint(np.linspace(most / _BARS, most, _BARS)).astype(int))
    prob = wanted_probability(attrs, n_items)
    width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
    colour = sys.stdout.isatty()
    for line in bars(n_items.tolist(), prob.tolist(), attrs["target"], width, colour=colour):
        print(line)


_BARS = 10


def bars(
    n_items: list[int], prob: list[float], target: float, width: int, *, colour: bool = False
) -> list[str]:
    """One line each, with a mark where the target is.

    Examples
    --------
    >>> for line in bars([50, 100], [0.4, 0.9], 0.8, 34):
    ...     print(line)
     50 items  0.400  ######       |
    100 items  0.900  #############|
    """
    wide = len(str(max(n_items)))
    room = max(width - wide - 15, 10)
    mark = min(round(target * room), room - 1)
    lines = []
    for n, p in zip(n_items, prob, strict=True):
        bar = ("#" * round(p * room)).ljust(mark)
        bar = f"{bar[:mark]}|{bar[mark + 1 :]}".rstrip()
        bar = f"\x1b[32m{bar}\x1b[0m" if colour and p >= target else bar
        lines.append(f"{n:{wide}} items  {p:.3f}  {bar}")
    return lines


def runs(
    files: list[str],
    k: str = "1,3,5",
    any_run: bool = False,
    success: float | None = None,
    each_k: bool = False,
    systems: str | None = None,
    same: bool = False,
    cost_item: float | None = None,
    cost_run: float | None = None,
    budget: float | None = None,
    missing: str = "pairwise",
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    interval: str = "eti",
    seed: int | None = None,
    format: str | None = None,
    page: Path | None = None,
    **reading: Any,
) -> None:
    """Estimate how probable it is that a system succeeds every time, from repeated runs.

    Prints pass^k for each system with its uncertainty, which system is better, and how much of the
    error is due to the runs.

    For example:
      betterthan runs logs/ -k 1,3,5
      betterthan runs results.csv --run trial --cost-item 4 --cost-run 1
      betterthan runs --same old.json old2.json
    """
    from betterthan import checks

    form, target = one_file(format, page, "runs", inputs_of(files))
    costs = {"cost_item": cost_item, "cost_run": cost_run, "budget": budget}
    if same:
        from betterthan.cli.reading import changed

        options: dict[str, Any] = {"any_run": any_run, "each_k": each_k, "systems": systems, "k": k}
        options |= costs | {"missing": missing, "rope": rope, "threshold": threshold}
        options |= {"ci_prob": ci_prob, "interval": interval}
        _refuse_others(files, changed(runs, options))
        put_report([_same(files, success, seed, reading)], form, target)
        return
    with checks.one_system():
        data = read_arguments(files, systems=systems, **reading)
    reliability = bt.runs.reliability(
        data,
        k=_numbers(k),
        kind="any" if any_run else "all",
        success=success,
        each_k=each_k,
        missing=missing,
        rope=rope,
        threshold=threshold,
        ci_prob=ci_prob,
        ci_kind=interval,
        rng=seed,
    )
    answers: list[Any] = [reliability, bt.runs.noise(data, ci_prob=ci_prob)]
    if costs := {name: cost for name, cost in costs.items() if cost is not None}:
        answers.append(bt.plan.runs(data, ci_prob=ci_prob, **costs))
    put_report(answers, form, target)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"-k is {text!r}; give whole numbers, such as 1,3,5") from None


def _refuse_others(files: list[str], passed: Mapping[str, bool]) -> None:
    """Refuse options that an A/A comparison has no use for."""
    if len(files) != 2:
        raise ValueError(f"--same compares two sets of runs of one system; {len(files)} are given")
    for name, is_passed in passed.items():
        if is_passed:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --same; leave it out")


def _same(files: list[str], success: float | None, seed: int | None, reading: Any) -> Any:
    """Both sets of runs, read as two systems of one comparison."""
    source = source_of(files)
    sides = zip(("first", "second"), files, strict=True)
    named = source if isinstance(source, dict) else dict(sides)
    data = read_arguments([f"{name}={path}" for name, path in named.items()], **reading)
    say("both files are taken as runs of one system")
    sides = [data.sel({names.SYSTEM: [name]}) for name in data[names.SYSTEM].values]
    return bt.runs.same_system(*sides, success=success, rng=seed)

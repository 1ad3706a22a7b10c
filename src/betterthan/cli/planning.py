"""The command `plan`: how many items, and will it hold."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from betterthan import names
from betterthan.cli.console import one_file, put, say
from betterthan.cli.options import Page, Rope, Systems
from betterthan.cli.sources import inputs_of, read_arguments, reading_options, source_of

if TYPE_CHECKING:
    from betterthan.plan import Plan

_WIDEST = 80  # columns of a curve
_MOST, _MOST_BY_ROPE = 10_000, 400  # items that are thought of


def plan(
    pilot: Annotated[
        list[str] | None,
        typer.Option(
            help="Results of two systems so far: a table, logs; twice NAME=FILE, one a system."
        ),
    ] = None,
    decisive: Annotated[
        float | None, typer.Option(help="Share of items that one of the two will win,")
    ] = None,
    difference: Annotated[
        float | None, typer.Option(help="and by how much A wins more of them than B.")
    ] = None,
    until: Annotated[
        int | None, typer.Option(help="Of a pilot: what is said when it has so many items.")
    ] = None,
    rope: Rope = names.ROPE,
    of: Annotated[
        str | None,
        typer.Option(
            help="Verdict: a_better, b_better, either, equivalent or any; of a pilot that the "
            "system ahead is better, if not given."
        ),
    ] = None,
    target: Annotated[float, typer.Option(help="Wanted probability of it.")] = 0.8,
    threshold: Annotated[
        float, typer.Option(help="Probability from which a verdict is given.")
    ] = names.VERDICT_PROB,
    most: Annotated[
        int | None,
        typer.Option(help="Most items that are thought of: 10000; with a rope, slower, 400."),
    ] = None,
    systems: Systems = None,
    output: Page = None,
    **reading: Any,
) -> None:
    """How many items give a verdict, from a pilot or from a guess; of a pilot, will it hold."""
    from betterthan import checks

    form, page = one_file(None, output, "a plan", inputs_of(pilot or []))
    how = {"rope": checks.rope(rope), "threshold": checks.threshold(threshold)}
    wanted = {
        "target": target,
        "of": of or "a_better",
        "most": most or (_MOST_BY_ROPE if rope else _MOST),
    }
    if (pilot is None) == (decisive is None and difference is None):
        raise ValueError(
            "say what is known: --pilot results.csv, or --decisive 0.2 --difference 0.05"
        )
    if pilot is not None:
        counts = _counts(pilot, systems=systems, **reading)
        plans = _of_pilot(counts if of else _ahead_first(counts), until, wanted, how)
        _write(plans, form, page)
        return
    if until is not None or systems is not None or reading_options(**reading):
        raise ValueError("--until, --systems and options for reading are for a --pilot")
    _write([_of_guess(_theta(decisive, difference), wanted, how)], form, page)


def _write(plans: "list[Plan]", form: str, page: Path | None) -> None:
    """One page on all of them, the number of items first, where a file is named for it."""
    import betterthan as bt

    if page is not None:
        put(bt.report(*plans, format=form), page)


def _theta(decisive: float | None, difference: float | None) -> tuple[float, float, float]:
    """Probabilities of win, loss and tie of a guess."""
    if decisive is None or difference is None:
        raise ValueError(
            "--decisive and --difference belong together: --decisive .2 --difference .05"
        )
    if not 0 < decisive <= 1:
        raise ValueError(f"decisive is {decisive:g}; give a share of items, above 0 and at most 1")
    if not abs(difference) <= decisive:
        raise ValueError(
            f"difference is {difference:g}, but only a share of {decisive:g} of the items is "
            "decisive; it cannot be larger than that"
        )
    return (decisive + difference) / 2, (decisive - difference) / 2, 1 - decisive


def _counts(pilot: list[str], **choices: Any) -> Any:
    """Wins, losses and ties of the two systems of a pilot."""
    import betterthan as bt

    source_of(pilot)
    data = read_arguments(pilot, **choices)
    _clustered(data)
    counts = data if names.OUTCOME in data.dims else bt.count(data)
    if names.SYSTEM in data.dims and not data.isin((0, 1)).where(data.notnull(), True).all():
        say("scores are graded: this plan is of winning more items, which a higher mean need not")
    systems_present = (
        counts[names.SYSTEM_A].values.tolist() if names.SYSTEM_A in counts.dims else []
    )
    if len(systems_present) != 2 or names.DATASET in counts.dims:
        raise ValueError(
            f"a plan is of two systems on one set of items, and here are {len(systems_present)} "
            f"({', '.join(map(str, systems_present))}); name two with --systems A,B"
        )
    return counts


def _ahead_first(counts: Any) -> Any:
    """The two systems in the order of their wins, as given where these are equal."""
    won = counts.isel({names.OUTCOME: 0}).values.tolist()
    return counts.isel({key: [1, 0] for key in names.SQUARE}) if won[1][0] > won[0][1] else counts


def _clustered(data: Any) -> None:
    """Say that items in clusters are planned as independent ones; one cluster plans nothing."""
    from betterthan.counts.units import CLUSTER

    if CLUSTER not in data.coords:
        return
    n_clusters = len(set(data[CLUSTER].values.tolist()))
    if n_clusters == 1:
        raise ValueError(
            "all items of the pilot are in one cluster, so nothing can be said about new clusters; "
            "give a pilot with items of several"
        )
    say(
        f"items come in {n_clusters:,} clusters; this plan takes them as independent and asks for "
        "too "
        "few: see betterthan.plan.cluster_power"
    )


def _of_pilot(
    counts: Any, until: int | None, wanted: dict[str, Any], how: dict[str, Any]
) -> "list[Plan]":
    """What a pilot says now and later, how many items more, and how many of a new set."""
    import betterthan as bt

    parts: list[Plan] = [bt.plan.replication(counts, **how)]
    if until is not None:
        parts.insert(0, bt.plan.foresee(counts, until=until, **how))
    more = bt.plan.items_needed(counts, keep=True, **wanted, **how)
    fresh = bt.plan.items_needed(counts, **wanted, **how)
    a, b = counts[names.SYSTEM_A].values.tolist()
    print(f"A is {a}, B is {b}.")
    _tell("the items so far", parts)
    _tell("the items so far and more", [more])
    _tell("a new set of items", [fresh])
    _draw(fresh, wanted, {"design": counts} | how)
    return [more, fresh, *parts]


def _of_guess(theta: tuple[float, ...], wanted: dict[str, Any], how: dict[str, Any]) -> "Plan":
    """How many items a guess needs, taken as known."""
    import betterthan as bt

    needed = bt.plan.items_needed(theta=theta, **wanted, **how)
    _tell("a new set of items", [needed])
    say("a guess taken as known asks for too few: a --pilot says how unsure it is")
    _draw(needed, wanted, {"theta": theta} | how)
    return needed


def _tell(subject: str, parts: "list[Plan]") -> None:
    """The sentences of a plan; where there is a number of items, that number and its limits too."""
    print(f"For {subject}:")
    for line in dict.fromkeys(line for part in parts for line in part.lines):
        print(f"  {line}")
    for part in parts:
        if "first" in part:
            numbers = ((k, float(part[k])) for k in ("first", "always", "ceiling"))
            print("  " + ", ".join(f"{_HEADS[k]} {_number(k, v)}" for k, v in numbers))


_HEADS = {
    "first": "items needed",
    "always": "sufficient from",
    "ceiling": "limiting probability",
}


def _number(name: str, value: float) -> str:
    from betterthan.results import numbers

    if name == "ceiling":
        return numbers.probability(value)
    return "none" if value != value else f"{value:.0f}"


def _draw(needed: "Plan", wanted: dict[str, Any], how: dict[str, Any]) -> None:
    """The probability of the verdict along the number of items."""
    from betterthan.cli.curves import curve

    first = float(needed["first"])
    most = max(20, int(1.6 * first)) if first == first else wanted["most"]
    most = min(most, wanted["most"])
    width = shutil.get_terminal_size((_WIDEST, 24)).columns
    for line in curve(most, wanted, how, min(width, _WIDEST), colour=sys.stdout.isatty()):
        print(line)

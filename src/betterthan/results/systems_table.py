"""The table of the systems: scores, the chance to be the best, ranks, and how the pairs ended."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.context import Shown
from betterthan.results.document import Table
from betterthan.results.facts import score_of
from betterthan.results.rows import final_verdicts, in_one_unit, systems_of

SYSTEMS_SEEN = 40  # rows that are seen at once
_ENDED = {
    "better_than": "Better than",
    "worse_than": "Worse than",
    "open": "Open",
    "equivalent_to": "Equivalent to",
    "never_compared": "Never compared",
}


def systems_table(shown: Shown) -> Table:
    """Every system, the best first."""
    found = systems_of(shown.whole).assign(**ended(shown.whole))
    columns = _scores(found, shown) | _joint(found, shown) | _ends(found, shown)
    systems = found["system"].tolist()
    rows = list(zip(systems, *columns.values(), strict=True))
    keys = [(system,) for system in systems]
    rest = f".systems of the comparison has all {len(rows)}" if len(rows) > SYSTEMS_SEEN else ""
    return Table(
        ("System", *columns),
        rows,
        _caption(shown),
        name="systems",
        keys=keys,
        shown=SYSTEMS_SEEN,
        rest=rest,
    )


def spread_table(shown: Shown) -> list[Table]:
    """Of graded scores how each system's spread; of right and wrong the accuracy says it all."""
    whole = shown.whole
    if "score_quantile" not in whole:
        return []
    found = whole[["score_sd", "score_worst_tenth", "score_quantile"]]
    systems = systems_of(whole)["system"].tolist()
    at = found.sel({names.SYSTEM: systems})
    numbers = np.column_stack(
        [at["score_sd"], at["score_quantile"].transpose(names.SYSTEM, ...), at["score_worst_tenth"]]
    )
    quantiles = [f"{100 * q:g}%" for q in whole["quantile"].values]
    heads = ("System", "Std. deviation", *quantiles, "Mean of the worst tenth")
    rows = [
        (system, *(f"{x:.3g}" for x in row)) for system, row in zip(systems, numbers, strict=True)
    ]
    caption = "How the scores of each system spread over the items: quantiles, and the worst tenth"
    return [Table(heads, rows, caption, name="spread", shown=SYSTEMS_SEEN)]


def ended(whole: xr.Dataset) -> dict[str, np.ndarray]:
    """How the pairs of each system ended."""
    verdict = np.where(in_one_unit(whole), "no_verdict", final_verdicts(whole))
    others = ~np.eye(len(verdict), dtype=bool)
    ends = {
        "better_than": ("a_better",),
        "worse_than": ("b_better",),
        "open": ("undecided", "split", "no_verdict"),
        "equivalent_to": ("equivalent",),
        "never_compared": ("no_data",),
    }
    return {name: (np.isin(verdict, told) & others).sum(1) for name, told in ends.items()}


def _scores(found: pd.DataFrame, shown: Shown) -> dict[str, Any]:
    """The score, its interval, and of how many examples it is."""
    if "score" not in found:
        return {}
    places = _places(found)
    told = [f"{score:.{places}f}" for score in found["score"]]
    head = _head(shown)
    if "score_lower" in found:
        ends = zip(found["score_lower"], found["score_upper"], strict=True)
        known = [f" [{low:.{places}f}, {up:.{places}f}]" if low == low else "" for low, up in ends]
        told = [score + interval for score, interval in zip(told, known, strict=True)]
        head += f" [{100 * (shown.made.ci_prob or names.CI_PROB):g}% interval]"
    columns: dict[str, Any] = {head: told}
    if "n_right" in found:
        told = zip(found["n_right"], found["n_scored"], strict=True)
        columns["Right"] = [f"{right:,} of {of:,}" for right, of in told]
    elif "n_scored" in found:
        columns["Examples scored"] = found["n_scored"].map("{:,}".format).tolist()
    return columns


def _head(shown: Shown) -> str:
    head = score_of(shown.made, "n_right" in shown.whole)
    return f"{head}, lower is better" if shown.made.higher_is_better is False else head


def _places(found: pd.DataFrame) -> int:
    """Decimals of scores: two of few examples, three of many; one of large scores."""
    if np.nanmax(np.abs(found["score"]), initial=0.0) >= 10:
        return 1
    most = found["n_scored"].to_numpy().max() if "n_scored" in found else 0
    return 2 if 0 < most <= 100 else 3


def _joint(found: pd.DataFrame, shown: Shown) -> dict[str, Any]:
    """How probable it is that it is the best of all, and its rank."""
    if "prob_best" not in shown.whole:
        return {}
    errors = shown.whole.get("prob_best_mcse", shown.whole["prob_best"] * 0).values
    by = " by the mean" if shown.made.joint_quantity == "mean" else ""
    told = zip(shown.whole["prob_best"].values.tolist(), errors.tolist(), strict=True)
    columns: dict[str, Any] = {f"P(best{by})": [numbers.probability(*each) for each in told]}
    mass = f"{100 * (shown.made.ci_prob or names.CI_PROB):g}%"
    if "rank_lower" in found:
        ends = zip(*(found[k] for k in ("expected_rank", "rank_lower", "rank_upper")), strict=True)
        head = f"Expected rank [{mass}]"
        columns[head] = [f"{rank:.1f} [{low:g}, {up:g}]" for rank, low, up in ends]
    else:
        columns["Expected rank"] = found["expected_rank"].map("{:.1f}".format).tolist()
    columns["Among the best"] = ["yes" if among else "" for among in found["in_best_set"]]
    return columns


def _ends(found: pd.DataFrame, shown: Shown) -> dict[str, Any]:
    always = {"better_than", "worse_than", "open"}
    some = {name for name in _ENDED if bool(found[name].to_numpy().any())}
    return {
        head: found[name].map(str).tolist()
        for name, head in _ENDED.items()
        if name in always or name in some
    }


def _caption(shown: Shown) -> str:
    if not shown.many:
        return "The two systems"
    how = "among all systems" if "among_verdict" in shown.whole else "each pair by itself"
    best = ""
    if "in_best_set" in shown.whole:
        mass = f"{100 * (shown.made.ci_prob or names.CI_PROB):g}%"
        best = f"; among the best: with {mass} the best of all is one of these"
    first = "the best first"
    if "expected_rank" not in shown.whole:
        first = "the highest mean probability of being better than another first"
    return f"Systems, {first}; better than, worse than and open: {how}{best}"

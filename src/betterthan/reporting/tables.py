"""The tables of a comparison: systems, matrix, pairs, data sets, policies for ties."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.comparison.pair_rows import systems_of
from betterthan.reporting.cells import (
    cell_of,
    difference_in,
    interval_of,
    names_in,
    probability_in,
    within_rope,
)
from betterthan.reporting.engines import ENGINES
from betterthan.reporting.page import Table
from betterthan.reporting.sentences import title_of_verdict
from betterthan.reporting.shown import Shown
from betterthan.reporting.tests_beside import for_whom

_RANKED = {
    "better_than": "Better than",
    "worse_than": "Worse than",
    "equivalent_to": "Equivalent to",
    "undecided": "Undecided",
    "never_compared": "Never compared",
}


def ranking_table(shown: Shown) -> Table:
    """Every system: how many it beats and loses to."""
    rows = systems_of(shown.whole)
    left_out = set() if shown.rope else {"equivalent_to"}
    left_out |= set() if rows["never_compared"].to_numpy().any() else {"never_compared"}
    columns = {head: rows[name].map(str) for name, head in _RANKED.items() if name not in left_out}
    if "score" in rows:
        columns["Mean score"] = rows["score"].map("{:.4f}".format)
        if "score_lower" in rows:
            ends = zip(rows["score_lower"], rows["score_upper"], strict=True)
            head = f"{100 * (shown.made.ci_prob or names.CI_PROB):g}% interval"
            columns[head] = ["–" if low != low else f"[{low:.3g}, {up:.3g}]" for low, up in ends]
        columns["Examples scored"] = rows["n_scored"].map("{:,}".format)
    told = zip(rows["system"], *columns.values(), strict=True)
    caption = "Systems, by their mean probability of being better than another"
    return Table(("System", *columns), list(told), caption, name="systems")


def matrix_table(main: xr.Dataset) -> Table:
    """The matrix of P(row better than column) in percent, without the diagonal and empty pairs."""
    systems = [str(s) for s in main[names.SYSTEM_A].values]
    told = (main["verdict"].values != "no_data") & ~np.eye(len(systems), dtype=bool)
    p = np.where(told, main["prob_better"].values, np.nan)
    written = [["" if v != v else numbers.percent(v) for v in row] for row in p]
    rows = [(name, *row) for name, row in zip(systems, written, strict=True)]
    caption = (
        "Probability, in percent, that the system of the row is better than the system of the "
        "column"
    )
    return Table(("", *systems), rows, caption, shades=[[np.nan, *row] for row in p])


def pairs_table(shown: Shown) -> Table:
    """One row for each pair shown."""
    rows = [_pair_row(shown, i, j) for i, j in shown.pairs()]
    total, systems = len(shown.systems), shown.first.sizes[names.SYSTEM_A]
    pairs = total * (total - 1) // 2
    caption = "The pair" if pairs == 1 else f"All {pairs} pairs"
    if systems < total:
        caption = (
            f"The first {systems} systems: {len(rows)} of {pairs:,} pairs; .pairs of the "
            "comparison has them all"
        )
    return Table(_pair_heads(shown), rows, caption, left=2, name="pairs")


def _pair_heads(shown: Shown) -> tuple[str, ...]:
    ties = ["Ties"] if shown.first.sizes[names.OUTCOME] == 3 else []
    heads = ["A", "B", "Wins", "Losses", *ties, "P(A better)"]
    heads += [ENGINES[name].beside for name in shown.engine_names[1:2]]
    heads += [head for name, head in _BESIDE.items() if f"{name}_prob_better" in shown.first]
    heads += [*(["z"] if "z" in shown.engines else []), "Verdict"]  # in sight, however wide
    heads += [_AS_WRONG] if "verdict_if_wrong" in shown.first else []
    if "difference_mean" in shown.first:
        what = shown.made.difference_is or "Difference"
        heads.append(f"{what[0].upper()}{what[1:]} [{interval_of(shown.made.to_attrs())}]")
        heads += [f"P(|d| ≤ {shown.rope:g})"] if shown.rope else []
    return (*heads, "BF01", *(["Sign error"] if shown.many else []))


def _pair_row(shown: Shown, i: int, j: int) -> tuple[str, ...]:
    cell, beside = cell_of(shown.first, i, j), cell_of(shown.engines, i, j)
    counted = [f"{int(count):,}" for count in cell["counts"].values]
    verdict = str(cell["verdict"].item())
    answered, sized = _answered(shown, beside), _sized(shown, cell)
    if verdict == "no_data":
        answered = ["–"] * len(answered)
    if verdict in ("no_data", "no_verdict"):  # nothing is to be read where no verdict is given
        answered, sized = ["–", *answered[1:]], ["–"] * len(sized)
    beside = [_as_wrong(cell)] if "verdict_if_wrong" in cell else []
    said = title_of_verdict(verdict, "A", "B")
    return (*names_in(cell), *counted, *answered, said, *beside, *sized)


_AS_WRONG = "Missing as wrong"


def _as_wrong(cell: xr.Dataset) -> str:
    """The verdict with every missing score counted as wrong."""
    said = title_of_verdict(str(cell["verdict_if_wrong"].item()), "A", "B")
    return f"{said}, {numbers.probability(cell['prob_better_if_wrong'].item())}"


def _answered(shown: Shown, beside: xr.Dataset) -> list[str]:
    """P(A better) by the first engine and by one beside it, and how far they are apart."""
    engines = range(len(shown.engine_names[:2]))
    found = [probability_in(beside.isel({names.ENGINE: k}), "prob_better") for k in engines]
    others = (f"{name}_prob_better" for name in _BESIDE)
    found += [probability_in(beside, name) for name in others if name in beside]
    return found + ([f"{beside['z'].item():+.1f}"] if "z" in beside else [])


_BESIDE = {"mean": "P(mean of A better)", "wins": "P(A wins more)", "among": "Among all"}


def _sized(shown: Shown, cell: xr.Dataset) -> list[str]:
    """The difference, and what is said of it."""
    found = []
    if "difference_mean" in cell:
        found += [difference_in(cell), *([within_rope(cell)] if shown.rope else [])]
    found.append(numbers.bayes_factor(cell["bayes_factor_01"].item()))
    if shown.many:
        error = cell["prob_better_mcse"].item()
        found.append(numbers.probability(cell["sign_error"].item(), error))
    return found


def joint_table(main: xr.Dataset) -> Table:
    """Every system: how probable it is that it is the best of all, and its rank."""
    rows = []
    for k in np.argsort(main["expected_rank"].values, kind="stable"):
        at = main.isel({names.SYSTEM: k})
        rank, among = f"{at['expected_rank'].item():.1f}", "yes" if at["in_best_set"] else ""
        if "rank_lower" in at:
            rank += f" [{at['rank_lower'].item():g}, {at['rank_upper'].item():g}]"
        system = str(at[names.SYSTEM].item())
        rows.append((system, probability_in(at, "prob_best"), rank, among))
    prob = f"{100 * main.attrs['ci_prob']:g}"
    by = " by the mean" if main.attrs.get("joint_quantity") == "mean" else ""
    ranks = f"Expected rank [{prob}%]" if "rank_lower" in main else "Expected rank"
    heads = ("System", "P(best of all)", ranks, f"Among the best with {prob}%")
    caption = f"All systems at once: who is the best of them{by}, and the rank to expect"
    return Table(heads, rows, caption)


def datasets_table(shown: Shown) -> Table:
    """P(A better) on each data set and on a new one."""
    labels = [str(label) for label in shown.first[names.DATASET].values]
    rows = []
    for cell in shown.cells():
        each = [cell.isel({names.DATASET: k}) for k in range(len(labels))]
        found = [probability_in(at, "prob_better_dataset") for at in each]
        rows.append((*names_in(cell), *found, probability_in(cell, "prob_better_new")))
    caption = "P(A better) on each data set, drawn to what they have in common, and on one not seen"
    return Table(("A", "B", *labels, "a new one"), rows, caption, left=2)


def ties_table(shown: Shown) -> Table:
    """The verdict under every policy for ties."""
    policies = [str(policy) for policy in shown.first[names.TIES_POLICY].values]
    rows = [_policies(cell) for cell in shown.cells()]
    caption = (
        "Verdict and two-sided p under every policy for ties (third: the trinomial test); to_a and "
        f"to_b give them to the A or the B of the row, (A) or (B): for whom the test speaks; a "
        f"test flips at {shown.made.alpha:g}, or to the other system"
    )
    return Table(("A", "B", *policies, "Flips"), rows, caption, left=99)


def _policies(cell: xr.Dataset) -> tuple[str, ...]:
    columns = ("verdict_by_ties", "p_value_by_ties", "favours_by_ties")
    told = [
        f"{title_of_verdict(verdict, 'A', 'B')}, p {numbers.p_value(p)}{for_whom(p, favours)}"
        for verdict, p, favours in zip(*(cell[k].values.tolist() for k in columns), strict=True)
    ]
    if str(cell["verdict"].item()) == "no_data":
        return (*names_in(cell), *["–"] * (len(told) + 1))
    flips = {"verdict": "ties_flip", "test": "p_flips"}
    return (*names_in(cell), *told, ", ".join(k for k, flag in flips.items() if cell[flag].item()))

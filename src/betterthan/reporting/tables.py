"""The tables of a report: systems, matrix, pairs, policies for ties, tests, groups."""

from dataclasses import dataclass, field

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.reporting.sentences import title_of_verdict


@dataclass(frozen=True)
class Table:
    """A table: a heading for each column, rows of text, and which columns are numbers."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    caption: str = ""
    left: int = 1  # columns aligned left, the rest are numbers
    shades: list[list[float]] = field(default_factory=list)  # 0..1 behind a cell, nan for none


_BESIDE = {"mcmc": "by PyMC", "exact": "as if one set, independent"}


def pairs_of(systems: int) -> list[tuple[int, int]]:
    """Every unordered pair, the better ranked first."""
    return [(i, j) for i in range(systems) for j in range(i + 1, systems)]


def ranking_table(main: xr.Dataset) -> Table:
    """Every system: how many it beats and loses to."""
    verdict = main["verdict"].values
    counts = {v: (verdict == v).sum(1) for v in ("a_better", "b_better", "equivalent")}
    itself = 1 if main.attrs["rope"] else 0  # a system is equivalent to itself
    if (verdict == "no_verdict").all():
        itself = 0
    open_ = np.isin(verdict, ["undecided", "no_verdict"]).sum(1) - (1 - itself)
    never = (verdict == "no_data").sum(1)
    heads = ["System", "Better than", "Worse than"]
    columns = [counts["a_better"], counts["b_better"]]
    if itself:
        heads.append("Equivalent to")
        columns.append(counts["equivalent"] - 1)
    heads.append("Undecided")
    columns.append(open_)
    if never.any():
        heads.append("Never compared")
        columns.append(never)
    if "score" in main:
        heads += ["Mean score", "Examples scored"]
    rows = []
    for k, system in enumerate(main[names.SYSTEM_A].values):
        row = [str(system), *(str(int(c[k])) for c in columns)]
        if "score" in main:
            row += [f"{float(main['score'][k]):.4f}", f"{int(main['n_scored'][k]):,}"]
        rows.append(tuple(row))
    return Table(
        tuple(heads), rows, "Systems, by their mean probability of being better than another"
    )


def matrix_table(main: xr.Dataset) -> Table:
    """P(row better than column), for all pairs."""
    systems = [str(s) for s in main[names.SYSTEM_A].values]
    p = main["prob_better"].values
    empty = main["verdict"].values == "no_data"
    rows = [
        (
            name,
            *(
                "" if i == j or empty[i, j] else numbers.percent(p[i, j])
                for j in range(len(systems))
            ),
        )
        for i, name in enumerate(systems)
    ]
    shades = [
        [np.nan, *(np.nan if i == j or empty[i, j] else p[i, j] for j in range(len(systems)))]
        for i in range(len(systems))
    ]
    caption = "Probability, in percent, that the system of the row is better than the system of the column"
    return Table(("", *systems), rows, caption, shades=shades)


def pairs_table(shown: xr.Dataset, beside: xr.Dataset, systems: int) -> Table:
    """One row for each pair shown."""
    size = shown.sizes[names.SYSTEM_A]
    three = shown.sizes[names.OUTCOME] == 3
    sized = "difference_mean" in shown
    heads = ["A", "B", "Wins", "Losses", *(["Ties"] if three else []), "P(A better)"]
    also = beside.sizes[names.ENGINE] > 1
    heads += [_BESIDE.get(str(beside[names.ENGINE].values[1]), "beside")] if also else []
    heads += [*(["z"] if "z" in beside else []), "Verdict"]  # in sight, however wide the table
    interval = f"{100 * shown.attrs['ci_prob']:g}% {shown.attrs['ci_kind'].upper()}"
    heads += [f"Difference [{interval}]"] if sized else []
    heads += [f"P(|d| ≤ {shown.attrs['rope']:g})"] if sized and shown.attrs["rope"] else []
    heads += ["BF01"] + (["Sign error"] if systems > 2 else [])
    rows = [_pair_row(shown, beside, i, j, three, sized, systems > 2) for i, j in pairs_of(size)]
    total = systems * (systems - 1) // 2
    whole = "The pair" if total == 1 else f"All {total} pairs"
    some = f"The first {size} systems: {len(rows)} of {total:,} pairs; betterthan.pair_table has them all"
    caption = whole if size == systems else some
    return Table(tuple(heads), rows, caption, left=2)


def _pair_row(
    shown: xr.Dataset, beside: xr.Dataset, i: int, j: int, three: bool, sized: bool, many: bool
) -> tuple[str, ...]:
    cell = shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
    value = {str(k): v.item() for k, v in cell.data_vars.items() if v.ndim == 0}
    row = [str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())]
    row += [f"{int(c):,}" for c in cell["counts"].values]
    also, z = beside.sizes[names.ENGINE] > 1, "z" in beside
    if value["verdict"] == "no_data":
        after = sized * (1 + bool(shown.attrs["rope"])) + 1 + many
        return (
            *row,
            *["–"] * (1 + also + z),
            title_of_verdict("no_data", "A", "B"),
            *["–"] * after,
        )
    row.append(numbers.probability(value["prob_better"], value["prob_better_mcse"]))
    if also:
        second = beside.isel({names.SYSTEM_A: i, names.SYSTEM_B: j, names.ENGINE: 1})
        row.append(
            numbers.probability(second["prob_better"].item(), second["prob_better_mcse"].item())
        )
    if z:
        row.append(f"{beside['z'].values[i, j]:+.1f}")
    row.append(title_of_verdict(value["verdict"], "A", "B"))
    if sized:
        ends = [value[f"difference_{k}"] for k in ("mean", "lower", "upper")]
        row.append(numbers.difference(*ends, mcse=value["difference_mean_mcse"]))
        if shown.attrs["rope"]:
            at = {names.REGION: "rope"}
            row.append(
                numbers.probability(cell["mass"].sel(at).item(), cell["mass_mcse"].sel(at).item())
            )
    row.append(numbers.bayes_factor(value["bayes_factor_01"]))
    if many:
        row.append(numbers.probability(value["sign_error"], value["prob_better_mcse"]))
    return tuple(row)


def joint_table(main: xr.Dataset) -> Table:
    """Every system: how probable it is that it is the best of all, and its rank."""
    order = np.argsort(main["expected_rank"].values, kind="stable")
    rows = []
    for k in order:
        cell = {
            v: main[v].values[k]
            for v in ("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse")
        }
        best = numbers.probability(float(cell["prob_best"]), float(cell["prob_best_mcse"]))
        row = [str(main[names.SYSTEM].values[k]), best, f"{cell['expected_rank']:.1f}"]
        rows.append((*row, "yes" if main["in_best_set"].values[k] else ""))
    prob = f"{100 * main.attrs['ci_prob']:g}"
    heads = ("System", "P(best of all)", "Expected rank", f"Among the best with {prob}%")
    return Table(
        heads, rows, "All systems at once: who is the best of them, and the rank to expect"
    )


def datasets_table(shown: xr.Dataset) -> Table:
    """P(A better) on each data set and on a new one."""
    labels = [str(d) for d in shown[names.DATASET].values]
    rows = []
    for i, j in pairs_of(shown.sizes[names.SYSTEM_A]):
        cell = shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        found = [
            numbers.probability(p, error)
            for kind in ("dataset", "new")
            for p, error in zip(
                np.atleast_1d(cell[f"prob_better_{kind}"].values),
                np.atleast_1d(cell[f"prob_better_{kind}_mcse"].values),
                strict=True,
            )
        ]
        rows.append((str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item()), *found))
    caption = "P(A better) on each data set, drawn to what they have in common, and on one not seen"
    return Table(("A", "B", *labels, "a new one"), rows, caption, left=2)


def ties_table(ordered: xr.Dataset) -> Table:
    """The verdict under every policy for ties."""
    policies = [str(p) for p in ordered["ties_policy"].values]
    rows = []
    for i, j in pairs_of(ordered.sizes[names.SYSTEM_A]):
        cell = ordered.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        a, b = str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())
        verdicts = [title_of_verdict(str(v), "A", "B") for v in cell["verdict_by_ties"].values]
        said = [
            f"{v}, p {numbers.p_value(p)}"
            for v, p in zip(verdicts, cell["p_value_by_ties"].values, strict=True)
        ]
        flips = [
            what
            for what, flag in (("verdict", "ties_flip"), ("test", "p_flips"))
            if cell[flag].item()
        ]
        rows.append((a, b, *said, ", ".join(flips)))
    caption = (
        "Verdict and two-sided p under every policy for ties (third: the trinomial test); to_a "
        "and to_b give them to "
        f"the A or the B of the row; a test flips at {ordered.attrs['alpha']:g}"
    )
    return Table(("A", "B", *policies, "Flips"), rows, caption, left=99)

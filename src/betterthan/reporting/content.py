"""What a report says, as plain data; the renderers only lay it out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.provenance import signature
from betterthan.reporting import numbers
from betterthan.reporting.sentences import limits, sentence, title_of_verdict

PAIRS_OF = 12  # with more systems than this, the table of pairs shows the first ones
MATRIX_OF = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class Table:
    """A table: a heading for each column, rows of text, and which columns are numbers."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    caption: str = ""
    left: int = 1  # columns aligned left, the rest are numbers
    shades: list[list[float]] = field(default_factory=list)  # 0..1 behind a cell, nan for none


@dataclass(frozen=True)
class Content:
    """Everything a report says."""

    title: str
    question: str
    data: list[tuple[str, str]]
    model: list[tuple[str, str]]
    ranking: Table | None
    matrix: Table | None
    pairs: Table
    sentences: list[str]
    diagnostics: list[tuple[str, str]]
    ties: Table | None
    limits: list[str]
    signature: str


def build_content(comparison: xr.Dataset, title: str | None = None) -> Content:
    """Put a comparison, from `compare`, into words and tables."""
    comparison = _printable(comparison)
    order = order_of(comparison)
    ordered = comparison.isel(
        {d: order for d in (names.SYSTEM_A, names.SYSTEM_B, names.SYSTEM) if d in comparison.dims}
    )
    main = ordered.isel({names.ENGINE: 0})
    shown = main if main.sizes[names.SYSTEM_A] <= PAIRS_OF else _first(main, PAIRS_OF)
    beside = _first(ordered, shown.sizes[names.SYSTEM_A])
    systems = [str(s) for s in main[names.SYSTEM_A].values]
    return Content(
        title=on_one_line(str(title)) if title else _title(systems),
        question=_question(systems, comparison.attrs),
        data=_data(main),
        model=_model(comparison),
        ranking=_ranking(main) if len(systems) > 2 else None,
        matrix=_matrix(main) if 2 < len(systems) <= MATRIX_OF else None,
        pairs=_pairs(shown, beside, len(systems)),
        sentences=_sentences(shown, len(systems)),
        diagnostics=_diagnostics(comparison),
        ties=_ties(_first(ordered, shown.sizes[names.SYSTEM_A])) if "verdict_by_ties" in comparison else None,
        limits=limits(main),
        signature=signature(comparison),
    )


def order_of(comparison: xr.Dataset) -> np.ndarray:
    """Positions of the systems from the one that is most probably better than the others to the least."""
    main = comparison.isel({names.ENGINE: 0})
    better = main["prob_better"].where(main["verdict"] != "no_data")
    return np.argsort(-better.mean(names.SYSTEM_B).values, kind="stable")


def pairs_of(systems: int) -> list[tuple[int, int]]:
    """Every unordered pair, the better ranked first."""
    return [(i, j) for i in range(systems) for j in range(i + 1, systems)]


def _first(data: xr.Dataset, count: int) -> xr.Dataset:
    return data.isel({d: slice(count) for d in (names.SYSTEM_A, names.SYSTEM_B, names.SYSTEM) if d in data.dims})


def _title(systems: list[str]) -> str:
    return f"{systems[0]} and {systems[1]} compared" if len(systems) == 2 else f"{len(systems)} systems compared"


def _printable(comparison: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    dims = [d for d in (names.SYSTEM_A, names.SYSTEM_B, names.SYSTEM) if d in comparison.coords]
    return comparison.assign_coords({d: [on_one_line(str(s)) for s in comparison[d].values] for d in dims})


def on_one_line(name: str) -> str:
    """A name as one line of printable characters; blank names show as quotes."""
    joined = " ".join(name.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in joined) or '""'


def _question(systems: list[str], attrs: dict[str, Any]) -> str:
    rope = attrs["rope"]
    on = "in direct judgments" if attrs["unit"] == "judgment" else "on the same examples"
    asked = (
        f"Is {systems[0]} better than {systems[1]}"
        if len(systems) == 2
        else f"Which of {len(systems)} systems are better than which"
    )
    near = f", and which differ by no more than {rope:g}" if rope and len(systems) > 2 else ""
    near = f", or do they differ by no more than {rope:g}" if rope and len(systems) == 2 else near
    return f"{asked}{near}, given their wins, losses and ties {on}?"


def _data(main: xr.Dataset) -> list[tuple[str, str]]:
    a = main.attrs
    lines = [("Source", a.get("reading") or a.get("source") or "counts given")]
    if "citation" in a:
        lines.append(("Published in", a["citation"]))
    off = ~np.eye(main.sizes[names.SYSTEM_A], dtype=bool)
    n = main["n"].values[off]
    what = "judgments" if a["unit"] == "judgment" else "examples"
    what = f"decisive {what}" if main.sizes[names.OUTCOME] == 2 else what
    lines.append(("Systems", f"{main.sizes[names.SYSTEM_A]}" + (f", in {n.size // 2} pairs" if n.size > 2 else "")))
    lines.append((f"Counted {what} per pair", f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"))
    if a["n_items"] >= 0:
        lines.append(("Examples in all", f"{a['n_items']:,}"))
    if "n_dropped" in main:
        lines.append(("Missing scores", _missing(main["n_dropped"].values[off], a)))
        lines.append(("Better scores are", "higher" if a["higher_is_better"] else "LOWER"))
    if a["margin"]:
        lines.append(("A tie is", f"a score difference of at most {a['margin']:g}"))
    return lines


def _missing(dropped: np.ndarray, attrs: dict[str, Any]) -> str:
    if not attrs["n_blank"]:
        return "none"
    if attrs["missing"] == "wrong":
        return f"{attrs['n_blank']:,}, each counted as the worst score (missing=wrong)"
    low, high, total = int(dropped.min()), int(dropped.max()), attrs["n_items"]
    left = f"{low:,}" if low == high else f"{low:,} to {high:,}, depending on the pair,"
    return f"{attrs['n_blank']:,}; left out: {left} of {total:,} examples (missing={attrs['missing']})"


def _model(comparison: xr.Dataset) -> list[tuple[str, str]]:
    a = comparison.attrs
    prior = ", ".join(f"{p:g}" for p in np.atleast_1d(a["prior"]))
    three = comparison.sizes[names.OUTCOME] == 3
    model = (
        f"win, loss, tie ~ Multinomial(theta), theta ~ Dirichlet({prior}); A is better when theta_win > theta_loss"
        if three
        else f"wins ~ Binomial(wins + losses, p), p ~ Beta({prior}); A is better when p > 1/2"
    )
    policy = {"third": "an outcome of their own", "unknown": "unknown", "all": "an outcome of their own; see below"}
    engines = [str(e) for e in comparison[names.ENGINE].values]
    how = {"exact": "closed form, no sampling error", "mcmc": "PyMC, with Monte Carlo errors"}
    rope = f"at most {a['rope']:g} apart" if a["rope"] else "none (0): no verdict is ever 'equivalent'"
    whose = []
    if np.atleast_1d(a["prior"])[0] != np.atleast_1d(a["prior"])[1]:
        first = ", ".join(str(s) for s in comparison[names.SYSTEM_A].values[:12])
        whose = [("Prior is not even", f"its first number is for whichever system comes first in the data: {first}")]
    return [
        ("Model", model),
        *whose,
        ("Ties", policy.get(str(a["ties"]), str(a["ties"]))),
        ("Computed by", "; ".join(how[e] for e in engines)),
        ("Practically equivalent", rope),
        ("Verdict", f"when its posterior probability is at least {a['verdict_prob']:g}, else undecided"),
    ]


def _ranking(main: xr.Dataset) -> Table:
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
    return Table(tuple(heads), rows, "Systems, by their mean probability of being better than another")


def _matrix(main: xr.Dataset) -> Table:
    systems = [str(s) for s in main[names.SYSTEM_A].values]
    p = main["prob_better"].values
    empty = main["verdict"].values == "no_data"
    rows = [
        (name, *("" if i == j or empty[i, j] else numbers.percent(p[i, j]) for j in range(len(systems))))
        for i, name in enumerate(systems)
    ]
    shades = [
        [np.nan, *(np.nan if i == j or empty[i, j] else p[i, j] for j in range(len(systems)))]
        for i in range(len(systems))
    ]
    caption = "Probability, in percent, that the system of the row is better than the system of the column"
    return Table(("", *systems), rows, caption, shades=shades)


def _pairs(shown: xr.Dataset, beside: xr.Dataset, systems: int) -> Table:
    size = shown.sizes[names.SYSTEM_A]
    three = shown.sizes[names.OUTCOME] == 3
    sized = "difference_mean" in shown
    heads = ["A", "B", "Wins", "Losses", *(["Ties"] if three else []), "P(A better)"]
    also = beside.sizes[names.ENGINE] > 1
    heads += ["by PyMC", "z"] if also else []
    interval = f"{100 * shown.attrs['ci_prob']:g}% {shown.attrs['ci_kind'].upper()}"
    heads += [f"Difference [{interval}]"] if sized else []
    heads += [f"P(|d| ≤ {shown.attrs['rope']:g})"] if sized and shown.attrs["rope"] else []
    heads += ["BF01", "Verdict"]
    rows = [_pair_row(shown, beside, i, j, three, sized, also) for i, j in pairs_of(size)]
    total = systems * (systems - 1) // 2
    whole = "The pair" if total == 1 else f"All {total} pairs"
    some = f"The first {size} systems: {len(rows)} of {total:,} pairs; betterthan.pair_table has them all"
    caption = whole if size == systems else some
    return Table(tuple(heads), rows, caption, left=2)


def _pair_row(
    shown: xr.Dataset, beside: xr.Dataset, i: int, j: int, three: bool, sized: bool, also: bool
) -> tuple[str, ...]:
    cell = shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
    value = {str(k): v.item() for k, v in cell.data_vars.items() if v.ndim == 0}
    row = [str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())]
    row += [f"{int(c):,}" for c in cell["counts"].values]
    if value["verdict"] == "no_data":
        answers = 1 + 2 * also + sized * (1 + bool(shown.attrs["rope"])) + 1
        return (*row, *["–"] * answers, title_of_verdict("no_data", "A", "B"))
    row.append(numbers.probability(value["prob_better"], value["prob_better_mcse"]))
    if also:
        second = beside.isel({names.SYSTEM_A: i, names.SYSTEM_B: j, names.ENGINE: 1})
        row.append(numbers.probability(second["prob_better"].item(), second["prob_better_mcse"].item()))
        row.append(f"{beside['z'].values[i, j]:+.1f}")
    if sized:
        ends = [value[f"difference_{k}"] for k in ("mean", "lower", "upper")]
        row.append(numbers.difference(*ends, mcse=value["difference_mean_mcse"]))
        if shown.attrs["rope"]:
            at = {names.REGION: "rope"}
            row.append(numbers.probability(cell["mass"].sel(at).item(), cell["mass_mcse"].sel(at).item()))
    return (*row, numbers.bayes_factor(value["bayes_factor_01"]), title_of_verdict(value["verdict"], "A", "B"))


def _sentences(shown: xr.Dataset, systems: int) -> list[str]:
    size = shown.sizes[names.SYSTEM_A]
    chosen = pairs_of(size) if size == systems else [(0, j) for j in range(1, size)]
    told = [sentence(shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j}), shown.attrs) for i, j in chosen]
    first = str(shown[names.SYSTEM_A].values[0])
    return told if size == systems else [*told, f"Told here: {first} against the next {size - 1}; the rest in tables."]


def _diagnostics(comparison: xr.Dataset) -> list[tuple[str, str]]:
    a = comparison.attrs
    if "rhat_max" not in a:
        return [("Closed form", "nothing was sampled, so there is nothing to diagnose")]
    gate = "passed" if not a["mcmc_failures"] else "FAILED, so no verdict is given: " + a["mcmc_failures"]
    lines = [
        ("Sampler", f"{a['inference_library']}, {a['chains']} chains of {a['draws']} draws, seed {a['seed']}"),
        ("Worst R-hat", f"{a['rhat_max']:.3f} (limit {names.RHAT_MAX:g})"),
        ("Smallest effective sample size", f"{a['ess_min']:.0f} (limit {names.ESS_MIN})"),
        ("Divergences", f"{a['divergences']}"),
        ("Gate", gate),
    ]
    if "z" in comparison:
        worst = float(np.nanmax(np.abs(comparison["z"].values)))
        lines.append(("Against the closed form", f"largest distance {worst:.1f} Monte Carlo standard errors"))
    return lines


def _ties(ordered: xr.Dataset) -> Table:
    policies = [str(p) for p in ordered["ties_policy"].values]
    rows = []
    for i, j in pairs_of(ordered.sizes[names.SYSTEM_A]):
        cell = ordered.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        a, b = str(cell[names.SYSTEM_A].item()), str(cell[names.SYSTEM_B].item())
        said = [title_of_verdict(str(v), "A", "B") for v in cell["verdict_by_ties"].values]
        rows.append((a, b, *said, "yes" if cell["ties_flip"].item() else ""))
    return Table(
        ("A", "B", *policies, "Flips"),
        rows,
        "Verdict under every policy for ties; to_a and to_b give them to the A or the B of the row",
        left=99,
    )

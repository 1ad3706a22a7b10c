"""What a report says, as plain data; the renderers only lay it out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.signature import signature
from betterthan.reporting.engines import ALSO, BESIDE, HOW, MODELS
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.sentences import limits, multiplicity, sentence
from betterthan.reporting.similar import groups_section
from betterthan.reporting.tables import (
    Table,
    datasets_table,
    joint_table,
    matrix_table,
    pairs_of,
    pairs_table,
    ranking_table,
    ties_table,
)
from betterthan.reporting.tests_beside import (
    agreement_rows,
    reason_notes,
    settings_of_tests,
    tests_of,
)

PAIRS_OF = 12  # with more systems than this, the table of pairs shows the first ones
MATRIX_OF = 20  # with more systems than this, the matrix is a figure only


@dataclass(frozen=True)
class Content:
    """Everything a report says."""

    title: str
    question: str
    data: list[tuple[str, str]]
    model: list[tuple[str, str]]
    ranking: Table | None
    matrix: Table | None
    joint: Table | None
    joint_notes: list[str]
    by_dataset: Table | None
    pairs: Table
    tests: Table | None
    reasons: list[str]
    groups: Table | None
    group_notes: list[str]
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
    tests, reasons = _tests(shown, len(systems))
    groups, group_notes = groups_section(main) if len(systems) > 2 else (None, [])
    return Content(
        title=on_one_line(str(title)) if title else _title(systems),
        question=_question(systems, comparison.attrs),
        data=_data(main),
        model=_model(comparison),
        ranking=ranking_table(main) if len(systems) > 2 else None,
        matrix=matrix_table(main) if 2 < len(systems) <= MATRIX_OF else None,
        joint=joint_table(main) if "prob_best" in main and len(systems) > 2 else None,
        joint_notes=multiplicity(main) if len(systems) > 2 else [],
        by_dataset=datasets_table(shown) if "prob_better_dataset" in shown else None,
        pairs=pairs_table(shown, beside, len(systems)),
        tests=tests,
        reasons=reasons,
        groups=groups,
        group_notes=group_notes,
        sentences=_sentences(shown, len(systems)),
        diagnostics=_diagnostics(comparison),
        ties=ties_table(_first(ordered, shown.sizes[names.SYSTEM_A]))
        if "verdict_by_ties" in comparison
        else None,
        limits=limits(main),
        signature=signature(comparison),
    )


def order_of(comparison: xr.Dataset) -> np.ndarray:
    """Positions of the systems from the one that is most probably better than the others to the
    least.
    """
    main = comparison.isel({names.ENGINE: 0})
    better = main["prob_better"].where(main["verdict"] != "no_data")
    return np.argsort(-better.mean(names.SYSTEM_B).values, kind="stable")


def _first(data: xr.Dataset, count: int) -> xr.Dataset:
    return data.isel(
        {d: slice(count) for d in (names.SYSTEM_A, names.SYSTEM_B, names.SYSTEM) if d in data.dims}
    )


def _title(systems: list[str]) -> str:
    return (
        f"{systems[0]} and {systems[1]} compared"
        if len(systems) == 2
        else f"{len(systems)} systems compared"
    )


def _printable(comparison: xr.Dataset) -> xr.Dataset:
    """Names without line breaks and control characters, which a terminal would act on."""
    dims = [d for d in (names.SYSTEM_A, names.SYSTEM_B, names.SYSTEM) if d in comparison.coords]
    return comparison.assign_coords(
        {d: [on_one_line(str(s)) for s in comparison[d].values] for d in dims}
    )


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
    lines.append(
        (
            "Systems",
            f"{main.sizes[names.SYSTEM_A]}" + (f", in {n.size // 2} pairs" if n.size > 2 else ""),
        )
    )
    lines.append(
        (
            f"Counted {what} per pair",
            f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}",
        )
    )
    if a["n_items"] >= 0:
        lines.append(("Examples in all", f"{a['n_items']:,}"))
    if "datasets" in a:
        lines.append(("Examples of each data set", a["datasets"]))
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
    return (
        f"{attrs['n_blank']:,}; left out: {left} of {total:,} examples (missing={attrs['missing']})"
    )


def _model(comparison: xr.Dataset) -> list[tuple[str, str]]:
    a = comparison.attrs
    prior = ", ".join(f"{p:g}" for p in np.atleast_1d(a["prior"]))
    three = comparison.sizes[names.OUTCOME] == 3
    model = (
        f"win, loss, tie ~ Multinomial(theta), theta ~ Dirichlet({prior}); A is better when "
        f"theta_win > theta_loss"
        if three
        else f"wins ~ Binomial(wins + losses, p), p ~ Beta({prior}); A is better when p > 1/2"
    )
    model = MODELS.get(str(comparison[names.ENGINE].values[0]), model)
    model += "".join(ALSO[k] for k in str(a.get("modelled", "")).split(", ") if k)
    policy = {
        "third": "an outcome of their own",
        "unknown": "unknown",
        "all": "an outcome of their own; see below",
    }
    engines = [str(e) for e in comparison[names.ENGINE].values]
    advised = engines[0] in MODELS
    rope = (
        f"at most {a['rope']:g} apart" if a["rope"] else "none (0): no verdict is ever 'equivalent'"
    )
    whose = []
    if np.atleast_1d(a["prior"])[0] != np.atleast_1d(a["prior"])[1]:
        first = ", ".join(str(s) for s in comparison[names.SYSTEM_A].values[:12])
        whose = [
            (
                "Prior is not even",
                f"its first number is for whichever system comes first in the data: {first}",
            )
        ]
    return [
        ("Model", model),
        *whose,
        ("Ties", policy.get(str(a["ties"]), str(a["ties"]))),
        ("Computed by", "; ".join(HOW[e] for e in (engines[:1] if advised else engines))),
        *([("Beside it", BESIDE)] if advised else []),
        *([("Advised", " ".join(str(a["advice"]).split("\n")[1:]))] if "advice" in a else []),
        ("Practically equivalent", rope),
        *settings_of_tests(comparison),
        (
            "Verdict",
            f"when its posterior probability is at least {a['verdict_prob']:g}, else undecided",
        ),
    ]


def _tests(shown: xr.Dataset, systems: int) -> tuple[Table | None, list[str]]:
    if not tests_of(shown):
        return None, []
    heads, rows, used = agreement_rows(shown, pairs_of(shown.sizes[names.SYSTEM_A]))
    caption = "Posterior and tests side by side; a number in the last column says why they differ"
    return Table(heads, rows, caption, left=2), reason_notes(rows, used, shown.attrs, systems)


def _sentences(shown: xr.Dataset, systems: int) -> list[str]:
    size = shown.sizes[names.SYSTEM_A]
    chosen = pairs_of(size) if size == systems else [(0, j) for j in range(1, size)]
    told = [
        sentence(shown.isel({names.SYSTEM_A: i, names.SYSTEM_B: j}), shown.attrs) for i, j in chosen
    ]
    first = str(shown[names.SYSTEM_A].values[0])
    return (
        told
        if size == systems
        else [*told, f"Told here: {first} against the next {size - 1}; the rest in tables."]
    )


def _diagnostics(comparison: xr.Dataset) -> list[tuple[str, str]]:
    a = comparison.attrs
    if "rhat_max" not in a and "draws" in a:
        return [("Draws", f"{a['draws']:,}, independent, seed {a['seed']}")]
    if "rhat_max" not in a:
        return [("Closed form", "nothing was sampled, so there is nothing to diagnose")]
    gate = (
        "passed"
        if not a["mcmc_failures"]
        else "FAILED, so no verdict is given: " + a["mcmc_failures"]
    )
    lines = [
        (
            "Sampler",
            f"{a['inference_library']}, {a['chains']} chains of {a['draws']} draws, seed "
            f"{a['seed']}",
        ),
        ("Worst R-hat", f"{a['rhat_max']:.3f} (limit {names.RHAT_MAX:g})"),
        ("Smallest effective sample size", f"{a['ess_min']:.0f} (limit {names.ESS_MIN})"),
        ("Divergences", f"{a['divergences']}"),
        ("Gate", gate),
    ]
    if "z" in comparison:
        worst = float(np.nanmax(np.abs(comparison["z"].values)))
        lines.append(
            ("Against the closed form", f"largest distance {worst:.1f} Monte Carlo standard errors")
        )
    return lines

"""The page on a comparison: its first screen, sections and details, and its numbers as JSON, from
which scripts recompute; and the page on what a fitted model, or folds, say of all pairs.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from betterthan import names, schemas
from betterthan.counts.shapes import pair_indices
from betterthan.model_registry import ROSTER
from betterthan.posterior.parameters import prior_of
from betterthan.results import brief, methods, pair_tables, tables
from betterthan.results.context import (
    MATRIX_SYSTEMS,
    P_BEST,
    PAGE_SYSTEMS,
    PAIR_COUNTS,
    ReportContext,
    agreement_part,
    difference_law,
    items_part,
    report_context,
    right_counts,
    runs_part,
    spread_table,
    systems_table,
    table_by_system,
)
from betterthan.results.document import Document, Figure, Part, Table, parts_present
from betterthan.results.facts import answer_facts
from betterthan.results.first_screen import first_screen
from betterthan.results.marks import matrix, matrix_classes
from betterthan.results.numbers import equal_to, labels_on_one_line, on_one_line
from betterthan.results.provenance import signature
from betterthan.results.sentences import answer_sentences
from betterthan.results.significance_tables import groups_part, tests_part
from betterthan.signed import Signature

_DRAWN_SYSTEMS = 400  # systems up to which the matrix is drawn


def page(comparison: xr.Dataset) -> Document:
    """Everything a report says of a comparison, from `compare`."""
    schemas.comparison(comparison)
    context = report_context(comparison)
    systems = context.systems
    sections = parts_present(*(section(context) for section in SECTIONS))
    details = parts_present(*(section(context) for section in DETAILS))
    failed = bool(context.provenance.failures)  # then the reader needs the diagnostics at once
    parts = [replace(part, folded=part.heading == "Audit") for part in sections]
    parts += [replace(p, folded=not (failed and p.heading == "Diagnostics")) for p in details]
    who = f"{len(systems):,} systems" if context.many else " and ".join(systems)
    return Document(
        f"{who} compared",
        _question(context),
        parts,
        methods.limits(context),
        [on_one_line(signature(context.data))],
        answer_sentences(context.answer),
        screen=first_screen(context, brief.rule(context.data, context.provenance)),
        # from which the scripts of a page recompute its results
        data=lambda: {
            "data": page_data(comparison) | {"more": pair_tables.outlook_columns(context)}
        },
    )


def _question(context: ReportContext) -> str:
    ways = {"judgment": "in direct judgments", names.MEASURE: "on these measures"}
    on = ways.get(context.provenance.observation, "on the same items")
    first, second = context.systems[:2]
    better, differ = f"Is {first} better than {second}", ", or do they differ"
    if context.many:
        better = f"Which of {len(context.systems):,} systems are better than which"
        differ = ", and which differ"
    rope = f"{differ} by no more than {context.rope:g}" if context.rope else ""
    what, quantity = "wins, losses and ties", context.provenance.quantity
    if quantity not in (None, "accuracy", "wins"):
        what = "mean scores" if quantity == "mean" else quantity
    return f"{better}{rope}, given their {what} {on}?"


def _systems(context: ReportContext) -> Part | None:
    """All systems; of two, where their scores are known."""
    if not context.many and "score" not in context.data:
        return None
    table, bounds = systems_table(context), ("score_lower", "score", "score_upper")
    if all(name in context.data for name in bounds):
        scores = np.column_stack([context.data[name].values for name in bounds])
        table = replace(table, intervals=_finite(scores), verdicts=["reference"] * len(scores))
    notes = methods.multiplicity(context) if context.many else ()
    return Part("Systems", tables=[table, *spread_table(context)], notes=notes)


def _finite(rows: np.ndarray) -> list[tuple[float, float, float] | None]:
    """Lower, point, upper of each row; None where one of them is missing."""
    return [(a, b, c) if isfinite(a + b + c) else None for a, b, c in rows.tolist()]


def _pairs(context: ReportContext) -> Part:
    table, data = pair_tables.pairs_table(context), context.data
    i, j = np.array(context.pairs[: len(table.rows)], int).reshape(-1, 2).T
    verdicts = data["verdict"].transpose(*names.SQUARE).values[i, j].astype(str)
    intervals = []
    if "difference_mean" in data:
        bounds = [data[f"difference_{k}"].transpose(*names.SQUARE).values[i, j] for k in _BOUNDS]
        square = np.column_stack(bounds)
        square[np.isin(verdicts, tables.NO_VERDICT)] = np.nan
        intervals = _finite(square)
    table = replace(table, intervals=intervals, verdicts=verdicts.tolist(), zero=True)
    return Part("Pairs", tables=[table], notes=pair_tables.opposed_notes(context))


_BOUNDS = ("lower", "mean", "upper")


def matrix_section(context: ReportContext) -> Part | None:
    """P(better) of all pairs of three systems or more: a table, or of many systems a drawing."""
    n = len(context.systems)
    if not 2 < n <= _DRAWN_SYSTEMS:
        return None
    if n <= MATRIX_SYSTEMS:
        return Part("Matrix", tables=[pair_tables.matrix_table(context)])
    caption = "Probability that the row is better than the column, best first; empty: no verdict"
    drawing = partial(matrix, matrix_classes(*pair_tables.matrix_values(context.data)))
    return Part("Matrix", figures=[Figure(caption, drawing, inline=True)])


# a section more is a row more
SECTIONS = (
    partial(brief.audit_part, bounds=True),
    _systems,
    _pairs,
    pair_tables.suite_part,
    matrix_section,
    items_part,
)
DETAILS = (
    runs_part,
    agreement_part,
    pair_tables.outlook_part,
    pair_tables.datasets_part,
    pair_tables.ties_part,
    pair_tables.wins_part,
    groups_part,
    methods.data_part,
    methods.model_part,
    tests_part,
    methods.diagnostics_part,
    methods.barg_part,
)


_LIMITS = (
    '"Undecided" does not mean equal.',
    "Verdicts are pairwise: with many pairs, some reach the threshold by chance.",
)
_ADOPTED = "You sampled this model yourself. How often its verdicts are correct was not examined."
_PAIRED_SYSTEMS = 10  # systems up to which every pair has a row
_AS_IN_DATA = {
    "system": names.SYSTEM_A,
    "other": names.SYSTEM_B,
    "mcse": "prob_better_mcse",
    "difference": "difference_mean",
    "lower": "difference_lower",
    "upper": "difference_upper",
}
_ROWS = 20  # systems shown of many


def fits_page(answer: xr.Dataset) -> Document:
    """Everything a report says of it."""
    provenance, data = Signature.from_attrs(answer.attrs), tables.leading(answer)
    systems: Any = tables.systems(data)
    few = len(systems) <= _PAIRED_SYSTEMS
    part = Part(
        "Pairs" if few else "Systems",
        tables=[_fitted_pairs(tables.pairs(data), provenance) if few else _fitted_systems(systems)],
    )
    context = brief.answer_context(answer)
    matrix = None if context is None or provenance.failures else matrix_section(context)
    adopted = provenance.model == names.ADOPTED
    return Document(
        f"Systems compared by {'an' if adopted else 'the model'} {provenance.model}",
        "Which system is better?",
        parts_present(part, matrix, _model(provenance)),
        [*(provenance.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(signature(answer))],
        [
            *(on_one_line(line) for line in answer_sentences(answer_facts(answer))),
            *_target_lines(answer),
        ],
    )


def _target_lines(answer: xr.Dataset) -> list[str]:
    """Of a fit over data sets: what its answer averages, and the answer on a new data set."""
    if "target" not in answer.dims:
        return []
    passed = "given" in answer["target"].values
    how = "the weights that were passed" if passed else "equal weights"
    line = f"This averages the {answer.sizes[names.DATASET]} data sets with {how}."
    new = tables.pairs(answer.sel(target="new", drop=True))
    if len(new) > 1:
        more = "equal weights and weights by size" if passed else "weights by size"
        return [line, f"Answers for a new data set, and with {more}: .pairs."]
    pair: Any = next(new.itertuples())
    system, equals = on_one_line(pair.system), equal_to(pair.prob_better, pair.mcse)
    verdict = f"{system} is better" if pair.verdict == "better" else str(pair.verdict)
    return [line, f"On a new data set: {verdict.replace('_', ' ')} (P({system} better) {equals})."]


def _fitted_pairs(pairs: pd.DataFrame, provenance: Signature) -> Table:
    """Every pair: P(better), the difference, the verdict, counts."""
    table: Any = pairs.rename(columns=_AS_IN_DATA).replace({"verdict": {"better": "a_better"}})
    sizes = table.get("difference_mean")
    interval = {"ci_prob": provenance.ci_prob, "ci_kind": provenance.ci_kind or "eti"}
    size = tables.difference("Difference", bracketed=tables.interval_label(interval))
    sized = [size] if sizes is not None and sizes.notna().any() else []
    n = len(table)
    caption = "The pair" if n == 1 else f"All {n:,} pairs, the system ahead first"
    if sized:
        sized[0], caption = pair_tables.with_marks(size, table, caption)
    columns = [
        *sized,
        pair_tables.P_BETTER,
        tables.number("MC error", "prob_better_mcse", "{:.1g}".format),
        *pair_tables.COUNTS,
        tables.count("N", "n"),
        pair_tables.verdict(),
    ]
    return pair_tables.table_by_pair(table, columns, caption)


def _fitted_systems(systems: pd.DataFrame) -> Table:
    """The first of many systems: scores, ranks, and how their pairs ended."""
    columns = [
        tables.number("Score", "score", "{:.3f}".format),
        tables.number("Expected rank", "expected_rank", "{:.1f}".format),
        P_BEST,
        *(
            tables.count(PAIR_COUNTS[name], name)
            for name in ("better_than", "worse_than", "undecided")
        ),
    ]
    left = len(systems) - _ROWS
    note = f"{left} more systems: .systems has them all, .pairs every pair." if left > 0 else ""
    caption = f"Systems, best first. {note or 'Every pair: .pairs.'}"
    return table_by_system(systems.head(_ROWS), columns, caption)


def _model(provenance: Signature) -> Part:
    """The model, how it was sampled, and whether the chains agree."""
    assumes = next((spec.assumes for spec in ROSTER if spec.name == provenance.model), "")
    facts = [("Model", assumes or str(provenance.model))]
    if provenance.draws is not None:
        library = provenance.inference_library or "own sampler"
        chains = "" if provenance.chains is None else f"{provenance.chains} chains x "
        seed = "" if provenance.seed is None else f", seed {provenance.seed}"
        facts.append(("Draws", f"{chains}{provenance.draws} draws, {library}{seed}"))
    if provenance.rhat_max is not None:
        health = f"R-hat at most {provenance.rhat_max:.3f}, ESS at least {provenance.ess_min:.0f}"
        n = provenance.divergences
        divergences = "divergences not known" if n is None else f"{n} divergences"
        facts.append(("Convergence", f"{health}, {divergences}"))
    facts += tables.failed_checks(provenance.failures or ())
    return Part("Model and draws", facts=facts)


_MILLION = 10**6  # probabilities are stored in millionths
_DIGITS = {"bf": 3, "tp": 6, "ta": 6}  # significant ones, of p those that a level takes; else:
_ENOUGH = 5
_MANY = 1_000  # pairs above which what is not needed is left out
# above PAGE_SYSTEMS: first systems, paired with each other; neighbors in the ranking on each side
_TOP, _NEAR = 50, 10
# columns of a pair: a name on the page, and the variable
_COLUMNS = {
    "p": "prob_better",
    "pe": "prob_better_mcse",
    "d": "difference_mean",
    "lo": "difference_lower",
    "up": "difference_upper",
    "k": "n_units",
    "e": "difference_error",
    "f": "difference_df",
    "g": "difference_skewness",
    "n": "n",
    "among": "among_prob_better",
    "ad": "among_difference_mean",
    "alo": "among_difference_lower",
    "aup": "among_difference_upper",
    "bf": "bayes_factor_01",
    "wrong": "prob_better_if_wrong",
}
_LEFT_OUT = {"counts": ("p", "d", "pe")}  # what the page has from the counts
_VERDICTS = {"v": "verdict", "wv": "verdict_if_wrong"}


def page_data(comparison: xr.Dataset) -> dict[str, Any]:
    """The choices, the systems, and columns over the pairs (i, j), i < j, of the systems as given.

    Parameters
    ----------
    comparison : xarray.Dataset
        By engine, of `Comparison.by_engine`.

    Returns
    -------
    dict
        Plain JSON; a column of one value is that value. ``kind`` says what the difference of a pair
        follows: "counts" (a Dirichlet posterior), "units" (Student's t), "drawn" (of which the page
        has the answers alone), or "signs" (no difference: ties are unknown).
    """
    joint = comparison.isel({names.ENGINE: 0})
    # scripts of the page recompute pairwise answers; it shows the joint ones first
    data = tables.pairwise(joint)
    if "pairwise_verdict" in joint:
        data = data.assign({f"among_{name}": joint[name] for name in tables.NUMBERS})
    provenance = Signature.from_attrs(comparison.attrs)
    systems = labels_on_one_line(data[names.SYSTEM_A].values)
    place = {name: k for k, name in enumerate(data[names.SYSTEM_A].values.tolist())}
    order = tables.order_best_first(comparison).tolist()
    leaders = [order[0]] if provenance.baseline is None else [order[0], place[provenance.baseline]]
    pairs = kept_pairs(np.array(order), leaders)
    tests = {"names": data[names.TEST].values.tolist() if "p_value" in data else []}
    tests |= {"alpha": provenance.alpha, "correction": provenance.correction}
    n, (first, second) = len(systems), pairs
    number = n * (n - 1) // 2
    left_out = {"kept": (first * n + second).tolist(), "number": number, "top": _TOP, "near": _NEAR}
    return (
        _settings(provenance)
        | (left_out if first.size < number else {})
        | {
            "systems": systems,
            "order": order,
            "kind": difference_law(data),
            "among": "among_prob_better" in data,
            "has_best": len(systems) > 2 and "prob_best" in data,
            "verdicts": list(names.VERDICTS),
            "priors": _priors(data),
            "prior_name": _prior_name(data, provenance),
            "tests": tests,
        }
        | _pair_columns(data, provenance, pairs)
    )


def kept_pairs(order: np.ndarray, leaders: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Places (i, j), i < j, of the systems of each pair that a page contains: of few systems all.

    Of more: pairs of the first systems of the ranking, of neighbors, and with each leader.
    """
    n = len(order)
    if n <= PAGE_SYSTEMS:
        return pair_indices(n)
    near = [np.stack([order[:-k], order[k:]]) for k in range(1, _NEAR + 1)]
    top = order[:_TOP][np.stack(pair_indices(_TOP))]
    with_leaders = [np.stack([np.delete(order, order == k)] * 2) for k in leaders]
    for k, pairs in zip(leaders, with_leaders, strict=True):
        pairs[0] = k
    low, high = np.sort(np.concatenate([top, *near, *with_leaders], axis=1), axis=0)
    codes = np.unique(low * n + high)
    return codes // n, codes % n


def _priors(data: xr.Dataset) -> dict[str, list[float]]:
    """Those that a reader may choose."""
    priors = {name: list(prior) for name, prior in names.PRIORS.items()}
    if difference_law(data) == "counts":
        priors[names.SKEPTICAL] = list(prior_of(names.SKEPTICAL, data["counts"]))
    return priors


def _prior_name(data: xr.Dataset, provenance: Signature) -> str | None:
    """The name of the reported prior, or its numbers where it has none."""
    if not isinstance(provenance.prior, Sequence):
        return None
    text = "/".join(f"{a:.4g}" for a in provenance.prior)
    listed = {name: "/".join(f"{a:.4g}" for a in p) for name, p in _priors(data).items()}
    return next((name for name, numbers in listed.items() if numbers == text), text)


def _settings(provenance: Signature) -> dict[str, Any]:
    """How the answer was made."""
    copied = ("rope", "threshold", "ci_prob", "ci_kind", "ties", "prior", "quantity", "unit")
    baseline, level = provenance.baseline, provenance.ci_prob
    return {name: getattr(provenance, name) for name in copied} | {
        "lower": provenance.lower_mean,
        "other": provenance.beside_quantity,
        "splits": bool(provenance.splits),
        "baseline": None if baseline is None else on_one_line(baseline),
        "reason": names.NOT_CONVERGED if provenance.failures else names.MISSING_DECIDES,
        "difference_is": provenance.difference_is,
        "most": provenance.difference_most,
        # of a normal interval
        "quantile": None if level is None else float(ndtri((1 + level) / 2)),
    }


def _pair_columns(
    data: xr.Dataset, provenance: Signature, pairs: tuple[np.ndarray, np.ndarray]
) -> dict[str, Any]:
    """Columns over the pairs, and how many parts of those that hold whole numbers are one."""
    places = zip(names.SQUARE, pairs, strict=True)
    indexers = {side: xr.DataArray(k, dims=names.PAIR) for side, k in places}
    law = difference_law(data)
    left_out = _LEFT_OUT.get(law, ()) + (("bf",) if pairs[0].size > _MANY else ())
    variables = {**_COLUMNS, **_VERDICTS, "other": f"{provenance.beside_quantity}_prob_better"}
    columns = {
        key: data[name].isel(indexers).values
        for key, name in variables.items()
        if name in data and key not in left_out
    }
    if provenance.rope:  # the page cannot compute masses within the ROPE from draws
        within = {"r": "mass", "re": "mass_mcse"} if law == "drawn" else {}
        for key, name in (within | {"aw": "among_mass"}).items():
            if name in data:
                mass = data[name].isel(indexers).sel({names.REGION: names.REGIONS[1]})
                columns[key] = mass.values
    columns |= _bounds_columns(data, pairs)
    counts = data["counts"].isel(indexers).transpose(names.PAIR, names.OUTCOME).values
    columns |= {key: counts[:, k] for k, key in enumerate("wlt"[: counts.shape[1]])}
    columns |= _test_columns(data, indexers)
    per = _stored_units(columns) | dict.fromkeys(filter(columns.__contains__, _SHARES), _MILLION)
    written = {key: _stored(key, values, per.get(key)) for key, values in columns.items()}
    right = right_counts(data)
    counted = None if right is None else [np.array(right[0])[places] for places in pairs]
    return {"per": per, "right": right, "pairs": written | _derived(columns, counted)}


def _bounds_columns(
    data: xr.Dataset, pairs: tuple[np.ndarray, np.ndarray]
) -> dict[str, np.ndarray]:
    """Between what P(better) lies whatever the missing scores, of the pairs of which a system lacks
    them with the difficulty of the items.
    """
    if "missing_differs" not in data or "missing_probability" not in data:
        return {}
    differs, bounds = data["missing_differs"].values, data["missing_probability"].values[pairs]
    bounds = np.where((differs[pairs[0]] | differs[pairs[1]])[:, None], bounds, np.nan)
    return {"ml": bounds[:, 0], "mh": bounds[:, 1]} if np.isfinite(bounds).any() else {}


def _stored_units(columns: dict[str, np.ndarray]) -> dict[str, int]:
    """Of sizes that are only shown, the whole numbers that they are stored in: a hundredth of the
    last digit that is shown of the narrowest interval, where all sizes have few digits then.
    """
    sizes = {key: columns[key] for key in _SIZES if key in columns}
    widths = [columns[up] - columns[low] for low, up in _ENDS if up in columns]
    widths = [width[np.isfinite(width) & (width > 0)] for width in widths]
    if not any(width.size for width in widths):
        return {}
    places = max(2, 4 - int(np.floor(np.log10(min(w.min() for w in widths if w.size)))))
    largest = max(np.nan_to_num(np.abs(values)).max() for values in sizes.values())
    unit = 10**places
    return {key: int(unit) for key in sizes} if largest * unit < _MILLION * 10 else {}


_SIZES = ("lo", "up", "ad", "alo", "aup")
_ENDS = (("lo", "up"), ("alo", "aup"))


def _derived(columns: dict[str, np.ndarray], right: list[np.ndarray] | None) -> dict[str, str]:
    """Columns that the page computes from others: losses from wins and from how often each system
    is right, ties, and whom a test favors.
    """
    if not {"w", "l", "n"} <= columns.keys():
        return {}
    w, l, n = (columns[key] for key in ("w", "l", "n"))
    rules = {"rest": n - w - l, "sign": np.sign(w - l)}
    derived = {"t": "rest"}
    if right is not None:
        rules["right"], derived["l"] = w - right[0] + right[1], "right"
    derived |= {key: "sign" for key in columns if key.startswith("tf")}
    return {
        key: rule
        for key, rule in derived.items()
        if key in columns and np.array_equal(columns[key], rules[rule])
    }


def _test_columns(data: xr.Dataset, places: dict[str, Any]) -> dict[str, np.ndarray]:
    """Of each test its p, adjusted, and for whom it speaks."""
    columns = {}
    for key, name in {"tp": "p_value", "ta": "p_adjusted", "tf": "favours"}.items():
        for k, test in enumerate(data[names.TEST].values.tolist() if name in data else ()):
            columns[f"{key}{k}"] = data[name].sel({names.TEST: test}).isel(places).values
    return columns


def _stored(key: str, values: np.ndarray, per: int | None) -> Any:
    """The values as a list, or the one where all are the same; whole numbers of a part where there
    are `per` in one.
    """
    if key in _VERDICTS:
        # of the verdict that the page finds by itself no more than that it is one
        stay = names.VERDICTS if key == "wv" else tables.NO_VERDICT
        codes = {v: names.VERDICTS.index(v if v in stay else "undecided") for v in names.VERDICTS}
        column = [codes[str(v)] for v in values]
    elif per:
        finite = np.isfinite(values)
        column = np.rint(np.where(finite, values, 0.0) * per).astype(np.int64).tolist()
        if not finite.all():
            column = [v if k else None for v, k in zip(column, finite.tolist(), strict=True)]
    else:
        column = [_short_number(v, _DIGITS.get(key[:2], _ENOUGH)) for v in values.tolist()]
    return column[0] if column and all(v == column[0] for v in column) else column


_SHARES = ("p", "other", "among", "aw", "wrong", "ml", "mh")


def _short_number(value: Any, digits: int) -> Any:
    """A number with as many digits as are read; null for nan."""
    if not isinstance(value, float):
        return value
    if not np.isfinite(value):
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short

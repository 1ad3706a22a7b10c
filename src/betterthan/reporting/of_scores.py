"""The report on precision, recall and F, and on systems compared by them."""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.answers import numbers
from betterthan.exact.numeric.seeds import one_seed
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.of_labels import labels_part
from betterthan.reporting.page import Page, Part
from betterthan.reporting.rendering import write_page
from betterthan.reporting.sentences import title_of_verdict
from betterthan.reporting.tables import Table, pairs_of

_PAIRS_OF = 12  # with more systems than this, the table of pairs shows the first ones
_SAID = {"f1": "F1", "macro_f1": "macro F1", "mean": "mean score", "tau": "mean tau"}


def measures_report(
    source: Any,
    *,
    confusions: xr.DataArray | None = None,
    format: str = "text",
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
    rng: Any = None,
) -> str:
    """Write up scores of systems, how sure they are and which is better; or one classifier from its
    confusions.

    Parameters
    ----------
    source : xarray.Dataset or xarray.DataArray
        From `scores.compare`; or one confusion matrix (predicted, actual).
    confusions : xarray.DataArray, dims (system, predicted, actual), optional
        From `labels.confusions`, for the scores of each label.
    format : {"text", "markdown", "html", "latex"}, default "text"
        See `report`.
    path : str or pathlib.Path, optional
        Also write it to this file, whole or not at all.
    title : str, optional
    figures : bool, default True
        Draw figures into HTML.
    rng : int, numpy.random.Generator or None
        Seed of the posterior over confusions.

    Returns
    -------
    str
        The report.

    Raises
    ------
    ValueError
        If the source is neither, or the format is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> text = bt.measures_report(bt.datasets.beetle_confusion(), rng=1)
    >>> "always predicting correct" in text
    True
    """
    checks.one_of(format, names.FORMATS, "format")
    compared = {"prob_better", "p_value", "score"} <= set(getattr(source, "data_vars", ()))
    if not compared and names.PREDICTED not in getattr(source, "dims", ()):
        raise ValueError("expected a Dataset of betterthan.scores.compare, or a confusion matrix")
    parts: list[Part] = []
    if compared:
        found = in_order(source)
        parts += [_data(found), systems_part(found), pairs_part(found), words_part(found)]
        limits, signature = _limits(found), _signature(found)
        head, question = _title(found)
    else:
        confusions = (
            source.expand_dims({names.SYSTEM: [""]}) if names.SYSTEM not in source.dims else source
        )
        head, question = (
            "A classifier by its confusions",
            "How good is each label, and how sure is that?",
        )
        limits = ["Items are taken as independent draws; items of one dialogue are not."]
        signature = f"betterthan {betterthan.__version__}"
    if confusions is not None:
        seed = one_seed(rng)
        each = [confusions.isel({names.SYSTEM: k}) for k in range(confusions.sizes[names.SYSTEM])]
        parts += [labels_part(matrix, seed) for matrix in each]
        signature += f" | Dirichlet over cells, {names.BOOTSTRAP_DRAWS} draws, seed {seed}"
    drawn = _figures(source, confusions) if format == "html" and figures else []
    page = Page(on_one_line(str(title)) if title else head, question, parts, limits, signature)
    return write_page(page, format, path, drawn)


def in_order(found: xr.Dataset) -> xr.Dataset:
    """Systems by expected rank, their names on one line."""
    order = np.argsort(found["expected_rank"].values, kind="stable")
    dims = (names.SYSTEM, names.SYSTEM_A, names.SYSTEM_B)
    ordered = found.isel(dict.fromkeys(dims, order))
    return ordered.assign_coords(
        {d: [on_one_line(str(s)) for s in ordered[d].values] for d in dims}
    )


def _said(found: xr.Dataset) -> str:
    return _SAID.get(str(found.attrs["statistic"]), str(found.attrs["statistic"]))


def _title(found: xr.Dataset) -> tuple[str, str]:
    systems = [str(s) for s in found[names.SYSTEM].values]
    who = f"{systems[0]} and {systems[1]}" if len(systems) == 2 else f"{len(systems)} systems"
    units = "items" if found.attrs["unit"] == names.ITEM else f"units by {found.attrs['unit']}"
    question = f"Which has the better {_said(found)} on the same {found.attrs['n_items']:,} {units}, and how sure is it?"
    return f"{_said(found)[:1].upper()}{_said(found)[1:]} of {who}", question


def _data(found: xr.Dataset) -> Part:
    a = found.attrs
    exact = a["test_method"] != "monte_carlo"
    how = "exact" if exact else f"{a['shuffles']:,} shuffles"
    facts = [
        ("Source", a["reading"] or "data given"),
        ("Statistic", _said(found) + ("" if a["higher_is_better"] else ", lower is better")),
        (
            "Weighed and swapped",
            f"{a['n_items']:,} {'items' if a['unit'] == names.ITEM else a['unit'] + 's'}",
        ),
        (
            "Posterior",
            f"Bayesian bootstrap, prior zero, {a['draws']:,} joint draws, seed {a['seed']}",
        ),
        ("Test", f"randomization of the same statistic, two-sided, {how}"),
    ]
    if a["rope"]:
        facts.append(("Practically equivalent", f"a difference of at most {a['rope']:g}"))
    return Part("Data and method", facts=facts)


def systems_part(found: xr.Dataset) -> Part:
    """Every system with its score, rank and chance to be the best."""
    a = found.attrs
    interval = f"{100 * a['ci_prob']:g}% {a['ci_kind'].upper()}"
    alone = "alone_lower" in found
    heads = (
        "System",
        "Score",
        interval,
        *(["by itself"] if alone else []),
        "P(best)",
        "Expected rank",
        "Tied with top",
    )
    rows = []
    for k, system in enumerate(found[names.SYSTEM].values):
        at = found.isel({names.SYSTEM: k})
        error = float(at["score_mean_mcse"])
        row = [str(system), f"{float(at['score']):.4f}", _interval(at, "score", error)]
        row += [_interval(at, "alone", 0.0)] if alone else []
        row.append(numbers.probability(float(at["prob_best"]), float(at["prob_best_mcse"])))
        row.append(_with_error(float(at["expected_rank"]), float(at["expected_rank_mcse"])))
        rows.append((*row, "yes" if at["tied_with_top"] else ""))
    caption = "Systems by expected rank; tied with top: the highest score is not found better"
    held = int(found["in_best_set"].sum())
    note = f"The best system is among {held} of {len(rows)} with probability {a['ci_prob']:g}."
    notes = [note] if len(rows) > 2 else []
    if alone:
        notes.append(
            "By itself: from the counts alone, as if all of them were independent, in closed form."
        )
    return Part("Systems", tables=[Table(heads, rows, caption)], notes=notes)


def pairs_part(found: xr.Dataset) -> Part:
    """Every pair: difference, probability, test."""
    a = found.attrs
    shown = min(found.sizes[names.SYSTEM], _PAIRS_OF)
    rope, closed = bool(a["rope"]), "prob_better_closed" in found
    interval = f"Difference [{100 * a['ci_prob']:g}% {a['ci_kind'].upper()}]"
    corrected = a["correction"] != "none" and found.sizes[names.SYSTEM] > 2
    heads = ["A", "B", interval, "P(A better)", *(["closed form"] if closed else [])]
    heads += [f"P(|d| ≤ {a['rope']:g})"] if rope else []
    heads += [
        "p",
        *([{"holm": "Holm p", "bh": "BH p"}[a["correction"]]] if corrected else []),
        "A ahead",
        "B ahead",
        "Verdict",
    ]
    rows = []
    for i, j in pairs_of(shown):
        cell = found.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        ends = [float(cell[f"difference_{k}"]) for k in ("mean", "lower", "upper", "mean_mcse")]
        row = [
            str(cell[names.SYSTEM_A].item()),
            str(cell[names.SYSTEM_B].item()),
            numbers.difference(*ends),
        ]
        row.append(numbers.probability(float(cell["prob_better"]), float(cell["prob_better_mcse"])))
        row += [numbers.probability(float(cell["prob_better_closed"]))] if closed else []
        at = {names.REGION: "rope"}
        row += (
            [numbers.probability(float(cell["mass"].sel(at)), float(cell["mass_mcse"].sel(at)))]
            if rope
            else []
        )
        row.append(numbers.p_value(float(cell["p_value"]), float(cell.get("p_value_mcse", 0.0))))
        row += [numbers.p_value(float(cell["p_adjusted"]))] if corrected else []
        back = found["wins"].values[j, i]
        row += [
            f"{int(cell['wins']):,}",
            f"{int(back):,}",
            _verdict(str(cell["verdict"].item()), "A", "B"),
        ]
        rows.append(tuple(row))
    total = found.sizes[names.SYSTEM]
    caption = f"All {len(rows)} pairs" if len(rows) > 1 else "The pair"
    if shown < total:
        caption = f"The first {shown} systems: {len(rows)} of {total * (total - 1) // 2:,} pairs"
    notes = ["A ahead, B ahead: items on which one scores higher by itself."]
    if closed:
        notes.append(
            "Closed form: the same probability with a prior of one win and one loss; the "
            "bootstrap has none."
        )
    return Part("Pairs", tables=[Table(tuple(heads), rows, caption, left=2)], notes=notes)


def words_part(found: xr.Dataset) -> Part:
    """The first pairs in sentences."""
    lines = []
    for i, j in pairs_of(min(found.sizes[names.SYSTEM], 4)):
        cell = found.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
        a, b, verdict = (
            str(cell[names.SYSTEM_A].item()),
            str(cell[names.SYSTEM_B].item()),
            str(cell["verdict"].item()),
        )
        p = numbers.probability(float(cell["prob_better"]), float(cell["prob_better_mcse"]))
        said = numbers.p_value(float(cell["p_value"]), float(cell.get("p_value_mcse", 0.0)))
        small = float(cell["p_value"]) <= found.attrs["alpha"]
        start = f"{_said(found)} of {a} is better than that of {b} with probability {p}; two-sided p {said}"
        why = _why(verdict, small, cell)
        lines.append(
            f"{start[:1].upper()}{start[1:]}. Verdict: "
            f"{_verdict(verdict, a, b)}{f' ({why})' if why else ''}."
        )
    return Part("In words", lines=lines)


def _verdict(verdict: str, a: str, b: str) -> str:
    return "no verdict: too few" if verdict == "no_verdict" else title_of_verdict(verdict, a, b)


def _why(verdict: str, small: bool, cell: xr.Dataset) -> str:
    """One clause where posterior and test do not say the same."""
    decided = verdict in ("a_better", "b_better")
    if verdict == "no_verdict":
        return "too few items in favour of one of them for a posterior without a prior"
    if decided and not small:
        return "the probability looks at one side, the p-value at two"
    if verdict == "equivalent" and small:
        return "the difference is real but too small to matter"
    if not decided and small:
        return "the test is significant, the posterior not sure enough"
    return ""


def _interval(at: xr.Dataset, name: str, error: float) -> str:
    places = 4 if error == 0 else min(4, max(1, -int(np.floor(np.log10(error)))))
    return f"[{float(at[f'{name}_lower']):.{places}f}, {float(at[f'{name}_upper']):.{places}f}]"


def _with_error(value: float, error: float) -> str:
    if error == 0:
        return f"{value:.2f}"
    places = min(3, max(0, -int(np.floor(np.log10(error)))))
    return f"{value:.{places}f} ± {error:.{places}f}"


def _limits(found: xr.Dataset) -> list[str]:
    a = found.attrs
    limits = [
        "The bootstrap weighs the items that were seen and has no prior: with few items it is too "
        "sure.",
        "Items are taken as independent; weigh whole documents or dialogues where they are not "
        "(unit).",
        f"A verdict needs probability {names.VERDICT_PROB:g}; it is one-sided, the p-value "
        f"two-sided.",
    ]
    if found.sizes[names.SYSTEM] > 2:
        limits.append(
            "The probabilities are joint over all systems; those of single pairs are not "
            "corrected for their number."
        )
    if a["rope"] == 0:
        limits.append(
            "No region of practical equivalence was given: no pair can be found equivalent."
        )
    return limits


def _signature(found: xr.Dataset) -> str:
    a = found.attrs
    parts = [
        f"betterthan {a['version']}",
        f"{a['statistic']} by {a['unit']}",
        "Bayesian bootstrap, prior zero",
        f"{a['draws']} draws, seed {a['seed']}",
        f"rope={a['rope']:g}",
        f"interval={100 * a['ci_prob']:g}% {a['ci_kind'].upper()}",
        f"verdict at {names.VERDICT_PROB:g}",
        f"randomization {a['test_method']}"
        + (f", {a['shuffles']} shuffles" if "shuffles" in a else ""),
        f"correction={a['correction']}",
        f"n={a['n_items']}",
        f"systems={found.sizes[names.SYSTEM]}",
        f"data={a['data_hash']}",
    ]
    return " | ".join(parts)


def _figures(source: Any, confusions: xr.DataArray | None) -> list[tuple[str, str]]:
    from betterthan.plot.of_labels import confusion as plot_confusion
    from betterthan.plot.ranking import ranks as plot_ranks
    from betterthan.plot.squares import matrix as plot_matrix
    from betterthan.reporting.figures import as_svg, steady_svg

    drawn = []
    with steady_svg():
        if hasattr(source, "data_vars") and source.sizes[names.SYSTEM] > 2:
            drawn.append(("Probability of each rank", as_svg(plot_ranks(source))))
            drawn.append(
                (
                    "Probability that the row is better than the column",
                    as_svg(plot_matrix(source["prob_better"])),
                )
            )
        for k in range(min(confusions.sizes[names.SYSTEM], 4) if confusions is not None else 0):
            matrix = confusions.isel({names.SYSTEM: k}) if confusions is not None else source
            name = str(matrix[names.SYSTEM].item())
            drawn.append(
                (f"Confusions of {name}" if name else "Confusions", as_svg(plot_confusion(matrix)))
            )
    return drawn

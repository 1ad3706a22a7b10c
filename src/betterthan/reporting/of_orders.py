"""The report on systems that order things: against references, against chance, and against each
other.
"""

from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.answers import numbers
from betterthan.counts.fingerprint import fingerprint
from betterthan.orders.agreeing import agreement as order_agreement
from betterthan.orders.median import consensus as consensus_order
from betterthan.orders.ranked import DOCUMENT, POSITION, REFERENCE
from betterthan.orders.taus import kendall_tau
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.of_scores import in_order, pairs_part, systems_part, words_part
from betterthan.reporting.page import Page, Part
from betterthan.reporting.rendering import write_page
from betterthan.reporting.tables import Table

_ROWS = 40  # of a table over systems or documents
_JUDGES_DRAWN = 12


def order_report(
    orders: xr.DataArray,
    reference: Any = None,
    *,
    compared: xr.Dataset | None = None,
    dispersions: xr.Dataset | None = None,
    restrict: str | None = None,
    format: str = "text",
    path: str | Path | None = None,
    title: str | None = None,
    figures: bool = True,
) -> str:
    """Write up how well systems order things, or how far they agree where there is no reference.

    Parameters
    ----------
    orders : xarray.DataArray
        From `orders.read`, `orders.from_lists` or `orders.from_ranks`.
    reference : str, sequence of str, or orders, optional
        See `orders.kendall_tau`. Without one the report has the consensus of all systems and their
        agreement.
    compared : xarray.Dataset, optional
        From `orders.compare` of the same orders.
    dispersions : xarray.Dataset, optional
        From `fits.compare`.
    restrict : {None, "common"}, default None
        See `orders.kendall_tau`.
    format : {"text", "markdown", "html", "latex"}, default "text"
        See `report`.
    path : str or pathlib.Path, optional
        Also write it to this file, whole or not at all.
    title : str, optional
    figures : bool, default True
        Draw figures into HTML.

    Returns
    -------
    str
        The report.

    Raises
    ------
    ValueError
        As `orders.kendall_tau` or `orders.agreement`, or if the format is unknown.

    Examples
    --------
    >>> import betterthan as bt
    >>> orders = bt.orders.from_lists({"ref": list("ABCDE"), "x": list("BACDE"), "y": list("EDCBA")})
    >>> "Kendall's tau" in bt.order_report(orders, "ref")
    True
    """
    checks.one_of(format, names.FORMATS, "format")
    taus = kendall_tau(orders, reference, restrict=restrict) if reference is not None else None
    parts = [_data(orders, taus, reference, compared)]
    if taus is None:
        parts += _without_reference(orders, restrict)
    elif DOCUMENT in taus.dims:
        parts.append(_over_documents(taus, compared))
    else:
        parts.append(_one_document(taus))
    if compared is not None:
        found = in_order(compared)
        parts += [systems_part(found), pairs_part(found), _counted(found), words_part(found)]
    parts += [_dispersions(dispersions)] if dispersions is not None else []
    drawn = _figures(orders, taus) if format == "html" and figures else []
    several = f"{orders.sizes[names.SYSTEM]} systems"
    if taus is None:
        head, question = (
            f"Agreement of {several}",
            "How far do the orders agree, and on which order?",
        )
    else:
        head = f"Orders of {taus.sizes[names.SYSTEM]} systems"
        question = (
            "How near are the orders to the reference, and is one system's nearer than another's?"
        )
    page = Page(
        on_one_line(str(title)) if title else head,
        question,
        parts,
        _limits(taus, compared),
        _signature(orders, reference, compared),
    )
    return write_page(page, format, path, drawn)


def _data(
    orders: xr.DataArray, taus: xr.Dataset | None, reference: Any, compared: xr.Dataset | None
) -> Part:
    facts = [("Source", str(orders.attrs.get("reading", "data given")))]
    if taus is None:
        return Part("Data", facts=facts)
    said = "given"
    if REFERENCE in taus.dims:
        said = ", ".join(map(str, taus[REFERENCE].values))
    elif isinstance(reference, str):
        said = reference
    facts.append(("Reference", on_one_line(str(said))))
    if taus.attrs["n_missing"] or taus.attrs["n_undefined"]:
        facts.append(
            (
                "Without a tau",
                f"{taus.attrs['n_missing']:,} orders missing, {taus.attrs['n_undefined']:,} not "
                f"defined",
            )
        )
    if taus.attrs["restrict"] == "common":
        facts.append(
            ("Items", f"those of both orders; mean coverage {float(taus['coverage'].mean()):.2f}")
        )
    if compared is not None:
        a = compared.attrs
        total = a["n_items"] + a["n_dropped"]
        facts += [
            ("Compared", f"on {a['n_items']:,} of {total:,} documents, which all systems ordered"),
            (
                "Posterior",
                f"Bayesian bootstrap of documents, prior zero, {a['draws']:,} draws, seed "
                f"{a['seed']}",
            ),
            (
                "Test",
                f"swaps of documents, two-sided, "
                f"{'exact' if a['test_method'] != 'monte_carlo' else 'sampled'}",
            ),
        ]
        if REFERENCE in taus.dims:
            facts.insert(2, ("Several references", str(a["references"])))
    return Part("Data and method", facts=facts)


def _one_document(taus: xr.Dataset) -> Part:
    each = (
        taus
        if REFERENCE in taus.dims
        else taus.expand_dims({REFERENCE: [taus.attrs["reference"]]}, -1)
    )
    rows = []
    for system in each[names.SYSTEM].values[:_ROWS]:
        for name in each[REFERENCE].values:
            at = each.sel({names.SYSTEM: system, REFERENCE: name})
            p, ties = float(at["p_value"]), int(at["ties"])
            rows.append(
                (
                    on_one_line(str(system)),
                    on_one_line(str(name)),
                    f"{float(at['tau']):+.3f}",
                    "–" if np.isnan(p) else numbers.p_value(p),
                    f"{float(at['inversions']):.0f}" if at["n_items"] else "–",
                    str(ties),
                    str(int(at["n_items"])),
                    f"{float(at['spearman']):+.3f}",
                )
            )
    heads = ("System", "Reference", "tau", "p", "Inversions", "Ties", "Items", "Spearman")
    note = "p: two-sided, exact, all orders being equally likely; not given where there are ties."
    return Part(
        "Tau",
        tables=[Table(heads, rows, "Kendall's tau against the reference", left=2)],
        notes=[note],
    )


def _over_documents(taus: xr.Dataset, compared: xr.Dataset | None) -> Part:
    tau = taus["tau"].mean(REFERENCE) if REFERENCE in taus.dims else taus["tau"]
    mean = tau.mean(DOCUMENT)
    rows = []
    for k in np.argsort(-mean.values, kind="stable")[:_ROWS]:
        own = tau.isel({names.SYSTEM: int(k)})
        row = [
            on_one_line(str(own[names.SYSTEM].item())),
            f"{float(mean[k]):+.3f}",
            f"{float(own.std(ddof=1)):.3f}",
            f"{float(own.min()):+.2f}",
            f"{float(own.max()):+.2f}",
            f"{int(own.notnull().sum()):,} of {own.size:,}",
        ]
        if compared is not None:
            at = compared.sel({names.SYSTEM: own[names.SYSTEM].item()})
            row += [
                str(int(at["exact_matches"])),
                numbers.p_value(float(at["p_chance"]), float(at["p_chance_mcse"])),
            ]
        rows.append(tuple(row))
    caption = "Kendall's tau over documents" + (
        ", mean over references" if REFERENCE in taus.dims else ""
    )
    heads = ["System", "Mean tau", "SD", "Lowest", "Highest", "Documents"]
    heads += ["Exact matches", "p of chance"] if compared is not None else []
    notes = ["p of chance: one-sided, the mean tau of random orders of the same documents."]
    notes = notes if compared is not None else []
    return Part("Tau", tables=[Table(tuple(heads), rows, caption)], notes=notes)


def _counted(found: xr.Dataset) -> Part:
    """Documents as wins, ties and losses, with the posterior and the test of their numbers
    alone.
    """
    rows = []
    for i in range(min(found.sizes[names.SYSTEM], 8)):
        for j in range(i + 1, min(found.sizes[names.SYSTEM], 8)):
            at = found.isel({names.SYSTEM_A: i, names.SYSTEM_B: j})
            rows.append(
                (
                    str(at[names.SYSTEM_A].item()),
                    str(at[names.SYSTEM_B].item()),
                    str(int(at["ahead"])),
                    str(int(at["equal"])),
                    str(int(at["behind"])),
                    numbers.probability(float(at["prob_ahead"])),
                    numbers.p_value(float(at["p_sign"])),
                )
            )
    heads = ("A", "B", "A ahead", "Equal", "B ahead", "P(A ahead more often)", "Sign test p")
    return Part(
        "Documents counted",
        tables=[Table(heads, rows, "In how many documents one is ahead", left=2)],
    )


def _without_reference(orders: xr.DataArray, restrict: str | None) -> list[Part]:
    agreement = order_agreement(orders, restrict=restrict)
    rows = []
    for k in np.argsort(-agreement["mean_tau"].values, kind="stable")[:_ROWS]:
        at = agreement.isel({names.SYSTEM: int(k)})
        p = float(at["outlier_p"])
        rows.append(
            (
                on_one_line(str(at[names.SYSTEM].item())),
                f"{float(at['mean_tau']):+.3f}",
                "–" if np.isnan(p) else numbers.p_value(max(p, 1e-300)),
            )
        )
    note = "Outlier p: how often a system like the others would agree with them as little, not corrected for many."
    parts = [
        Part(
            "Agreement",
            tables=[
                Table(
                    ("System", "Mean tau with the others", "Outlier p"),
                    rows,
                    "Who agrees with the others",
                )
            ],
            notes=[note],
        )
    ]
    found = consensus_order(orders)
    if DOCUMENT in found.dims:
        return parts
    items = [on_one_line(str(i)) for i in found["order"].values if i]
    method, least = str(found["method"].item()), float(found["least_distance"])
    facts = [
        ("Method", "Kemeny, exact" if method == "kemeny" else "Borda, by mean rank"),
        (
            "Pairs in disagreement",
            f"{float(found['distance']):g}; no order can have fewer than {least:g}",
        ),
    ]
    if method == "kemeny":
        facts.append(("Orders as good as this", f"{int(found['n_best']) - 1:,} more"))
    return [*parts, Part("Consensus", facts=facts, lines=[" > ".join(items)])]


def _dispersions(found: xr.Dataset) -> Part:
    a = found.attrs
    interval = f"{100 * a['ci_prob']:g}% {a['ci_kind'].upper()}"
    rows = []
    for k in np.argsort(-found["theta"].values, kind="stable")[:_ROWS]:
        at = found.isel({names.SYSTEM: int(k)})
        rows.append(
            (
                on_one_line(str(at[names.SYSTEM].item())),
                f"{float(at['theta']):.3f}",
                f"[{float(at['lower']):.3f}, {float(at['upper']):.3f}]",
                f"{float(at['expected_tau']):+.3f}",
                f"[{float(at['new_tau_lower']):+.2f}, {float(at['new_tau_upper']):+.2f}]",
                f"{float(at['prob_best']):.2f}",
            )
        )
    facts = [
        (
            "Model",
            f"Mallows with Kendall distance, {a['pooling']} pooling over documents, seed "
            f"{a['seed']}",
        )
    ]
    if a["failures"]:
        facts.append(("Not to be trusted", " ".join(np.atleast_1d(a["failures"]))))
    heads = (
        "System",
        "theta",
        interval,
        "Expected tau",
        f"tau of a new order of {a['items']} items",
        "P(best)",
    )
    note = "theta: 0 for random orders; the log of how much less probable each further inversion makes an order."
    table = Table(heads, rows, "Concentration around the reference")
    return Part("Concentration", facts=facts, tables=[table], notes=[note])


def _limits(taus: xr.Dataset | None, compared: xr.Dataset | None) -> list[str]:
    limits = [
        "Pairs of items within an order are not independent; the document is the unit of every "
        "comparison."
    ]
    if taus is None:
        limits.append("Agreement is no accuracy: all may agree on a bad order.")
    elif REFERENCE not in taus.dims:
        limits.append("One reference is one good order of several; another would give other taus.")
    if compared is not None:
        limits.append(
            "The bootstrap weighs the documents that were seen and has no prior: with few it is "
            "too sure."
        )
        if compared.attrs["n_dropped"]:
            limits.append(
                "Documents that a system did not order are left out of the comparison, not "
                "counted as wrong."
            )
    return limits


def _signature(orders: xr.DataArray, reference: Any, compared: xr.Dataset | None) -> str:
    parts = [f"betterthan {betterthan.__version__}", "Kendall's tau-b"]
    if isinstance(reference, str):
        parts.append(f"reference={on_one_line(reference)}")
    if compared is not None:
        a = compared.attrs
        parts += [
            f"references={a['references']}",
            f"{a['draws']} draws, seed {a['seed']}",
            f"rope={a['rope']:g}",
            f"interval={100 * a['ci_prob']:g}% {a['ci_kind'].upper()}",
            f"correction={a['correction']}",
            f"n={a['n_items']}",
        ]
    return " | ".join(
        [*parts, f"systems={orders.sizes[names.SYSTEM]}", f"data={fingerprint(orders)}"]
    )


def _figures(orders: xr.DataArray, taus: xr.Dataset | None) -> list[tuple[str, str]]:
    from betterthan.plot.of_orders import orders as plot_orders
    from betterthan.plot.of_orders import tau as plot_tau
    from betterthan.plot.of_orders import tau_distribution
    from betterthan.reporting.figures import as_svg, steady_svg

    drawn = []
    with steady_svg():
        if taus is None:
            if (
                DOCUMENT not in orders.dims
                and orders.sizes.get(POSITION, orders.sizes.get(names.ITEM, 0)) <= 60
            ):
                few = [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]]
                drawn.append(("Orders side by side", as_svg(plot_orders(orders, few))))
        elif DOCUMENT in taus.dims:
            mean = taus["tau"].mean(REFERENCE) if REFERENCE in taus.dims else taus["tau"]
            drawn.append(("Tau of every document", as_svg(plot_tau(mean))))
        elif (
            REFERENCE not in taus.dims
            and len(np.unique(taus["n_items"])) == 1
            and int(taus["n_items"][0]) <= 200
        ):
            shown = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:6]})
            marks = dict(
                zip(map(str, shown[names.SYSTEM].values), shown["tau"].values.tolist(), strict=True)
            )
            drawn.append(
                ("Tau and chance", as_svg(tau_distribution(int(taus["n_items"][0]), marks)))
            )
    return drawn

"""The pages on orders without a reference: agreement, consensus, concentration, and the orders."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.counts.fingerprint import fingerprint
from betterthan.results.cells import interval_of, p_value_in
from betterthan.results.document import Document, Part, Table
from betterthan.results.escapes import on_one_line
from betterthan.results.figures import order_figures
from betterthan.results.of_orders import NOT_INDEPENDENT, ROWS
from betterthan.results.order_sentences import (
    agreement_facts,
    agreement_sentences,
    consensus_facts,
    consensus_sentences,
    dispersion_facts,
    dispersion_sentences,
    document_consensus_facts,
    document_consensus_sentences,
)

_QUESTION = "How far do the orders agree, and on which order?"
_NO_ACCURACY = "Agreement is no accuracy: all may agree on a bad order."
_METHODS = {"kemeny": "Kemeny, exact", "borda": "Borda, by mean rank"}


def page(found: xr.Dataset) -> Document:
    """The page on agreement, from `orders.agreement`."""
    systems = found.sizes[names.SYSTEM]
    order = np.argsort(-found["mean_tau"].values, kind="stable")[:ROWS]
    rows = [_judge_row(found.isel({names.SYSTEM: int(k)})) for k in order]
    heads = ("System", "Mean tau with the others", "Outlier p")
    note = _of_outliers(found)
    table = Table(heads, rows, "Who agrees with the others")
    made = f"betterthan {betterthan.__version__} | Kendall's tau-{found.attrs['variant']}"
    return Document(
        f"Agreement of {systems} systems",
        _QUESTION,
        [Part("Agreement", tables=[table], notes=[note])],
        [NOT_INDEPENDENT, _NO_ACCURACY],
        [f"{made} | systems={systems}"],
        agreement_sentences(agreement_facts(found)),
    )


def _of_outliers(found: xr.Dataset) -> str:
    least = found.attrs["least_p"]
    if least != least:
        return "Outlier p: needs four systems or more that ordered the same items."
    drawn = {
        "document": "on each document its order were that of one of all systems",
        "item": "each item had the rank that one of all systems gave it (about: items of one "
        "document are not independent)",
    }[found.attrs["outlier_unit"]]
    return (
        f"Outlier p: how often a system would agree with the others as little if {drawn}, drawn at "
        f"random; corrected for the number of systems (Holm). It cannot be below {least:.2g} here."
    )


def _judge_row(at: xr.Dataset) -> tuple[str, ...]:
    system, tau = on_one_line(str(at[names.SYSTEM].item())), at["mean_tau"].item()
    return (system, "–" if tau != tau else f"{tau:+.3f}", p_value_in(at, "outlier_p"))


def consensus_page(found: xr.Dataset) -> Document:
    """The page on one order for several, from `orders.consensus`."""
    if names.DOCUMENT in found.dims:
        part = _of_documents(found)
        sentences = document_consensus_sentences(document_consensus_facts(found))
    else:
        part = _of_one(found)
        sentences = consensus_sentences(consensus_facts(found))
    signature = f"betterthan {betterthan.__version__} | consensus of orders"
    return Document(
        "Consensus of orders", _QUESTION, [part], [_NO_ACCURACY], [signature], sentences
    )


def _of_one(found: xr.Dataset) -> Part:
    method = str(found["method"].item())
    least = f"no order can have fewer than {found['least_distance'].item():g}"
    facts = [
        ("Method", _METHODS[method]),
        ("Pairs in disagreement", f"{found['distance'].item():g}; {least}"),
    ]
    if method == "kemeny":
        facts.append(("Orders as good as this", f"{int(found['n_best']) - 1:,} more"))
    return Part("Consensus", facts=facts, lines=[_order(found)])


def _of_documents(found: xr.Dataset) -> Part:
    each = [found.isel({names.DOCUMENT: k}) for k in range(min(found.sizes[names.DOCUMENT], ROWS))]
    rows = [
        (
            on_one_line(str(one[names.DOCUMENT].item())),
            _order(one),
            _METHODS[str(one["method"].item())],
            f"{one['distance'].item():g}",
            f"{one['least_distance'].item():g}",
        )
        for one in each
    ]
    heads = ("Document", "Order", "Method", "Pairs in disagreement", "Fewest possible")
    caption = "The order that disagrees least"
    if len(rows) < found.sizes[names.DOCUMENT]:
        caption += f": the first {len(rows)} of {found.sizes[names.DOCUMENT]:,} documents"
    return Part("Consensus", tables=[Table(heads, rows, caption, left=3)])


def _order(found: xr.Dataset) -> str:
    return " > ".join(on_one_line(str(item)) for item in found["order"].values if item)


def dispersions_page(found: xr.Dataset) -> Document:
    """The page on how concentrated orders are, from `fits.compare` of a Mallows model."""
    a = found.attrs
    pooling = f"{a['pooling']} pooling over documents"
    facts = [("Model", f"Mallows with Kendall distance, {pooling}, seed {a['seed']}")]
    failures = [text for text in np.atleast_1d(a["failures"]).tolist() if text]
    facts += [("Not to be trusted", " ".join(failures))] if failures else []
    order = np.argsort(-found["theta"].values, kind="stable")[:ROWS]
    rows = [_theta_row(found.isel({names.SYSTEM: int(k)})) for k in order]
    new = f"tau of a new order of {a['items']} items"
    heads = ("System", "theta", interval_of(a), "Expected tau on these documents", new, "P(best)")
    note = (
        "theta: 0 for random orders; the log of how much less probable each further inversion "
        "makes an order. Expected tau is of these documents; on others the tau of an order varies "
        "as the last interval says."
    )
    table = Table(heads, rows, "Concentration around the reference")
    signature = f"betterthan {a['version']} | mallows | {a['draws']} draws, seed {a['seed']}"
    return Document(
        "Concentration of orders",
        "How concentrated are the orders of each system around the reference?",
        [Part("Concentration", facts=facts, tables=[table], notes=[note])],
        [],
        [signature],
        dispersion_sentences(dispersion_facts(found)),
    )


def _theta_row(at: xr.Dataset) -> tuple[str, ...]:
    ends = [at[name].item() for name in ("lower", "upper", "new_tau_lower", "new_tau_upper")]
    return (
        on_one_line(str(at[names.SYSTEM].item())),
        f"{at['theta'].item():.3f}",
        f"[{ends[0]:.3f}, {ends[1]:.3f}]",
        f"{at['expected_tau'].item():+.3f}",
        f"[{ends[2]:+.2f}, {ends[3]:+.2f}]",
        f"{at['prob_best'].item():.2f}",
    )


def orders_page(orders: xr.DataArray) -> Document:
    """Whence orders are, and where they are few, the orders: to stand beside what is said of
    them.
    """
    a, systems = orders.attrs, orders.sizes[names.SYSTEM]
    documents = orders.sizes.get(names.DOCUMENT)
    facts = [("Source", str(a.get("reading", "data given")))]
    facts += [("Documents", f"{documents:,}")] if documents else []
    figures = order_figures(orders)
    shown = [Part("Orders", figures=figures)] if figures else []
    return Document(
        f"Orders of {systems} systems",
        parts=[Part("Data and method", facts=facts), *shown],
        signatures=[f"orders: systems={systems} | data={fingerprint(orders)}"],
    )

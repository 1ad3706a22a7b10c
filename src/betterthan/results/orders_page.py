"""The pages on rankings: against a reference, and how far they agree with each other."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.counts.shapes import fingerprint
from betterthan.results import numbers
from betterthan.results.columns import (
    count,
    interval_label,
    number,
    p_value_in,
    probability,
    sampled_by,
)
from betterthan.results.document import Document, Figure, Part, Table, parts_present, plotted
from betterthan.results.escapes import on_one_line
from betterthan.results.order_sentences import (
    agreement_facts,
    agreement_sentences,
    consensus_facts,
    consensus_sentences,
    dispersion_facts,
    dispersion_sentences,
    document_consensus_facts,
    document_consensus_sentences,
    tau_facts,
    tau_sentences,
)
from betterthan.results.pair_tables import p_value, pairs_at, table_by_pair
from betterthan.results.rows import ahead_first
from betterthan.results.score_sentences import score_facts, score_sentences
from betterthan.results.scores_page import (
    FEW_UNITS,
    first_systems,
    in_order,
    pairs_part,
    systems_part,
    words_part,
)
from betterthan.results.systems_table import table_by_system

_JUDGES_DRAWN = 12

_ITEMS_DRAWN = 60

_CHANCE_ITEMS = 200

_MARKED = 6  # systems in the figure of chance


def tau_figures(taus: xr.Dataset) -> list[Figure]:
    """Tau of every document; of one, tau and chance."""
    if names.DOCUMENT in taus.dims:
        return [Figure("Tau of every document", plotted("tau", _mean_taus(taus)))]
    items = np.unique(taus["n_items"].values)
    if names.REFERENCE in taus.dims or len(items) > 1 or items[0] > _CHANCE_ITEMS:
        return []
    return [Figure("Tau and chance", _chance_figure(taus, int(items[0])))]


def order_figures(orders: xr.DataArray) -> list[Figure]:
    """The orders side by side, where they are few and short."""
    items = orders.sizes.get(names.POSITION, orders.sizes.get(names.ITEM, 0))
    if names.DOCUMENT in orders.dims or items > _ITEMS_DRAWN:
        return []
    systems = [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]]
    return [Figure("Orders side by side", plotted("orders", orders, systems))]


def _mean_taus(taus: xr.Dataset) -> xr.DataArray:
    return taus["tau"].mean(names.REFERENCE) if names.REFERENCE in taus.dims else taus["tau"]


def _chance_figure(taus: xr.Dataset, items: int) -> Callable[[], Any]:
    highest = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:_MARKED]})
    systems = map(str, highest[names.SYSTEM].values)
    marks = dict(zip(systems, highest["tau"].values.tolist(), strict=True))
    return plotted("tau_distribution", items, marks)


ROWS = 40  # of a table over systems or documents
_PAIRED_SYSTEMS = 8  # systems whose documents are counted
_QUESTION = "How near are the orders to the reference, and is one system's nearer than another's?"
_NOT_SURE = {
    True: "A mean tau does not say whether one system is surely nearer than another; "
    "orders.compare does.",
    False: "One document does not say whether one system is surely nearer than another.",
}
NOT_INDEPENDENT = (
    "Pairs of items within an order are not independent; the document is the unit of every "
    "comparison."
)


def taus_page(taus: xr.Dataset) -> Document:
    """The page on taus, from `orders.kendall_tau`."""
    part = _over_documents(taus) if names.DOCUMENT in taus.dims else _by_reference(taus)
    limits = [NOT_INDEPENDENT, _NOT_SURE[names.DOCUMENT in taus.dims]]
    if names.REFERENCE not in taus.dims:
        limits.append("One reference is one good order of several; another would give other taus.")
    named = [] if names.REFERENCE in taus.dims else [f"reference={_reference(taus)}"]
    parts = [f"betterthan {betterthan.__version__}", f"Kendall's tau-{taus.attrs['variant']}"]
    signed = " | ".join([*parts, *named, f"systems={taus.sizes[names.SYSTEM]}"])
    sentences = tau_sentences(tau_facts(taus))
    return Document(_title(taus), _QUESTION, [part, _data(taus)], limits, [signed], sentences)


def _title(orders: xr.Dataset) -> str:
    return f"Orders of {orders.sizes[names.SYSTEM]} systems"


def _reference(taus: xr.Dataset) -> str:
    if names.REFERENCE not in taus.dims:
        return on_one_line(str(taus.attrs["reference"]))
    return on_one_line(", ".join(map(str, taus[names.REFERENCE].values)))


def _data(taus: xr.Dataset) -> Part:
    a = taus.attrs
    facts = [("Reference", _reference(taus))]
    if a["n_missing"] or a["n_undefined"]:
        without = f"{a['n_missing']:,} orders missing, {a['n_undefined']:,} not defined"
        facts.append(("Without a tau", without))
    if a["restrict"] == "common":
        covered = f"mean coverage {float(taus['coverage'].mean()):.2f}"
        facts.append(("Items", f"those of both orders; {covered}"))
    return Part("Data and method", facts=facts)


def _by_reference(taus: xr.Dataset) -> Part:
    single = {names.REFERENCE: [taus.attrs.get("reference", "")]}
    by_reference = taus if names.REFERENCE in taus.dims else taus.expand_dims(single, -1)
    partial = taus.attrs["restrict"] == "common"
    rows = [
        _tau_row(by_reference.isel({names.SYSTEM: k, names.REFERENCE: r}), partial)
        for k in range(min(by_reference.sizes[names.SYSTEM], ROWS))
        for r in range(by_reference.sizes[names.REFERENCE])
    ]
    coverage = ["Coverage"] if partial else []
    heads = (
        "System",
        "Reference",
        "tau",
        *coverage,
        "p",
        "Inversions",
        "Ties",
        "Items",
        "Spearman",
    )
    note = "p: two-sided, exact, all orders being equally likely; not given where there are ties."
    table = Table(heads, rows, "Kendall's tau against the reference", left=2)
    return Part("Tau", tables=[table], notes=[note], figures=tau_figures(taus))


def _tau_row(row: xr.Dataset, partial: bool) -> tuple[str, ...]:
    items = int(row["n_items"])
    return (
        on_one_line(str(row[names.SYSTEM].item())),
        on_one_line(str(row[names.REFERENCE].item())),
        f"{row['tau'].item():+.3f}",
        *([f"{row['coverage'].item():.2f}"] if partial else []),
        numbers.p_value(row["p_value"].item()),
        f"{row['inversions'].item():.0f}" if items else "–",
        f"{int(row['ties'])}",
        f"{items}",
        f"{row['spearman'].item():+.3f}",
    )


def _over_documents(taus: xr.Dataset) -> Part:
    several = names.REFERENCE in taus.dims
    tau = taus["tau"].mean(names.REFERENCE) if several else taus["tau"]
    order = np.argsort(-tau.mean(names.DOCUMENT).values, kind="stable")[:ROWS]
    partial = taus.attrs["restrict"] == "common"
    others = [d for d in taus["coverage"].dims if d != names.SYSTEM]
    covered = taus["coverage"].mean(others).values[order] if partial else None
    rows = [
        _documents_row(
            tau.isel({names.SYSTEM: int(k)}), () if covered is None else (f"{covered[place]:.2f}",)
        )
        for place, k in enumerate(order)
    ]
    heads = (
        "System",
        "Mean tau",
        *(["Coverage"] if partial else []),
        "SD",
        "Lowest",
        "Highest",
        "Documents",
    )
    caption = f"Kendall's tau over documents{', mean over references' if several else ''}"
    return Part("Tau", tables=[Table(heads, rows, caption)], figures=tau_figures(taus))


def _documents_row(tau: xr.DataArray, covered: tuple[str, ...]) -> tuple[str, ...]:
    return (
        on_one_line(str(tau[names.SYSTEM].item())),
        f"{float(tau.mean()):+.3f}",
        *covered,
        f"{float(tau.std(ddof=1)):.3f}",
        f"{float(tau.min()):+.2f}",
        f"{float(tau.max()):+.2f}",
        f"{int(tau.notnull().sum()):,} of {tau.size:,}",
    )


def compared_page(comparison: xr.Dataset) -> Document:
    """The page on systems compared by their orders, from `orders.compare`."""
    comparison = in_order(comparison)
    parts = parts_present(
        systems_part(comparison),
        _chance(comparison),
        pairs_part(comparison),
        _counted(comparison),
        words_part(comparison),
        _method(comparison),
    )
    limits = [NOT_INDEPENDENT, FEW_UNITS]
    if comparison.attrs["n_dropped"]:
        limits.append(
            "Documents that a system did not order are left out of the comparison, not counted as "
            "wrong."
        )
    answer = score_sentences(score_facts(comparison))
    return Document(_title(comparison), _QUESTION, parts, limits, [_signature(comparison)], answer)


def _method(comparison: xr.Dataset) -> Part:
    a = comparison.attrs
    total = a["n_items"] + a["n_dropped"]
    drawn = f"{a['draws']:,} draws, seed {a['seed']}"
    how = "exact" if a["test_method"] != "monte_carlo" else "sampled"
    several = [("Several references", str(a["references"]))] if a["references"] != "mean" else []
    facts = [
        *several,
        ("Compared", f"on {a['n_items']:,} of {total:,} documents, which all systems ordered"),
        ("Posterior", f"Bayesian bootstrap of documents, spread for their number, {drawn}"),
        ("Test", f"swaps of documents, two-sided, {how}"),
        ("On these documents", "scores, exact matches, p"),
        ("On more like them", "intervals, probabilities, verdicts"),
    ]
    return Part("Data and method", facts=facts)


def _chance(comparison: xr.Dataset) -> Part:
    columns = [
        number("Mean tau", "score", "{:+.3f}".format),
        count("Exact matches", "exact_matches"),
        number("p of chance", "p_chance", numbers.p_value),
    ]
    note = "p of chance: one-sided, the mean tau of random orders of the same documents."
    caption = "Is an order nearer to the reference than chance?"
    table = table_by_system(first_systems(comparison, ROWS), columns, caption)
    return Part("Chance", tables=[table], notes=[note])


def _counted(comparison: xr.Dataset) -> Part:
    """Documents as wins, ties and losses, with the posterior and the test of their numbers
    alone.
    """
    first = first_systems(comparison, _PAIRED_SYSTEMS)
    counted = pairs_at(first, ahead_first(first))
    rows = counted.assign(favours=np.sign(counted["ahead"] - counted["behind"]))
    columns = [
        *(
            count(heading, k)
            for heading, k in (("Wins", "ahead"), ("Losses", "behind"), ("Ties", "equal"))
        ),
        probability("P(wins more)", "prob_ahead", blank=()),
        p_value("Sign test p", "p_sign"),
    ]
    caption = "In how many documents one is ahead; in brackets: for whom the test speaks"
    return Part("Documents counted", tables=[table_by_pair(rows, columns, caption)])


def _signature(comparison: xr.Dataset) -> str:
    a = comparison.attrs
    parts = [
        f"betterthan {a['version']}",
        "tau",
        f"references={a['references']}",
        sampled_by(a),
        f"rope={a['rope']:g}",
        f"interval={interval_label(a)}",
        f"correction={a['correction']}",
        f"n={a['n_items']}",
        f"systems={comparison.sizes[names.SYSTEM]}",
        f"data={a['data_hash']}",
    ]
    return " | ".join(parts)


_AGREEMENT_QUESTION = "How far do the orders agree, and on which order?"
_NO_ACCURACY = "Agreement is no accuracy: all may agree on a bad order."
_METHODS = {"kemeny": "Kemeny, exact", "borda": "Borda, by mean rank"}


def agreement_page(agreement: xr.Dataset) -> Document:
    """The page on agreement, from `orders.agreement`."""
    systems = agreement.sizes[names.SYSTEM]
    order = np.argsort(-agreement["mean_tau"].values, kind="stable")[:ROWS]
    rows = [_judge_row(agreement.isel({names.SYSTEM: int(k)})) for k in order]
    heads = ("System", "Mean tau with the others", "Outlier p")
    note = _outlier_note(agreement)
    table = Table(heads, rows, "Who agrees with the others")
    signature = f"betterthan {betterthan.__version__} | Kendall's tau-{agreement.attrs['variant']}"
    return Document(
        f"Agreement of {systems} systems",
        _AGREEMENT_QUESTION,
        [Part("Agreement", tables=[table], notes=[note])],
        [NOT_INDEPENDENT, _NO_ACCURACY],
        [f"{signature} | systems={systems}"],
        agreement_sentences(agreement_facts(agreement)),
    )


def _outlier_note(agreement: xr.Dataset) -> str:
    least = agreement.attrs["least_p"]
    if least != least:
        return "Outlier p: needs four systems or more that ordered the same items."
    drawn = {
        "document": "on each document its order were that of one of all systems",
        "item": "each item had the rank that one of all systems gave it (about: items of one "
        "document are not independent)",
    }[agreement.attrs["outlier_unit"]]
    return (
        f"Outlier p: how often a system would agree with the others as little if {drawn}, drawn at "
        f"random; corrected for the number of systems (Holm). It cannot be below {least:.2g} here."
    )


def _judge_row(row: xr.Dataset) -> tuple[str, ...]:
    system, tau = on_one_line(str(row[names.SYSTEM].item())), row["mean_tau"].item()
    return (system, "–" if tau != tau else f"{tau:+.3f}", p_value_in(row, "outlier_p"))


def consensus_page(consensus: xr.Dataset) -> Document:
    """The page on one order for several, from `orders.consensus`."""
    if names.DOCUMENT in consensus.dims:
        part = _document_consensus_part(consensus)
        sentences = document_consensus_sentences(document_consensus_facts(consensus))
    else:
        part = _consensus_part(consensus)
        sentences = consensus_sentences(consensus_facts(consensus))
    signature = f"betterthan {betterthan.__version__} | consensus of orders"
    return Document(
        "Consensus of orders", _AGREEMENT_QUESTION, [part], [_NO_ACCURACY], [signature], sentences
    )


def _consensus_part(consensus: xr.Dataset) -> Part:
    method = str(consensus["method"].item())
    least = f"no order can have fewer than {consensus['least_distance'].item():g}"
    facts = [
        ("Method", _METHODS[method]),
        ("Pairs in disagreement", f"{consensus['distance'].item():g}; {least}"),
    ]
    if method == "kemeny":
        facts.append(("Orders as good as this", f"{int(consensus['n_best']) - 1:,} more"))
    return Part("Consensus", facts=facts, lines=[_order(consensus)])


def _document_consensus_part(consensus: xr.Dataset) -> Part:
    documents = [
        consensus.isel({names.DOCUMENT: k})
        for k in range(min(consensus.sizes[names.DOCUMENT], ROWS))
    ]
    rows = [
        (
            on_one_line(str(document[names.DOCUMENT].item())),
            _order(document),
            _METHODS[str(document["method"].item())],
            f"{document['distance'].item():g}",
            f"{document['least_distance'].item():g}",
        )
        for document in documents
    ]
    heads = ("Document", "Order", "Method", "Pairs in disagreement", "Fewest possible")
    caption = "The order that disagrees least"
    if len(rows) < consensus.sizes[names.DOCUMENT]:
        caption += f": the first {len(rows)} of {consensus.sizes[names.DOCUMENT]:,} documents"
    return Part("Consensus", tables=[Table(heads, rows, caption, left=3)])


def _order(consensus: xr.Dataset) -> str:
    return " > ".join(on_one_line(str(item)) for item in consensus["order"].values if item)


def dispersions_page(dispersions: xr.Dataset) -> Document:
    """The page on how concentrated orders are, from `fits.compare` of a Mallows model."""
    a = dispersions.attrs
    pooling = f"{a['pooling']} pooling over documents"
    facts = [("Model", f"Mallows with Kendall distance, {pooling}, seed {a['seed']}")]
    failures = [text for text in np.atleast_1d(a["failures"]).tolist() if text]
    facts += [("Not to be trusted", " ".join(failures))] if failures else []
    order = np.argsort(-dispersions["theta"].values, kind="stable")[:ROWS]
    rows = [_theta_row(dispersions.isel({names.SYSTEM: int(k)})) for k in order]
    new = f"tau of a new order of {a['items']} items"
    heads = (
        "System",
        "theta",
        interval_label(a),
        "Expected tau on these documents",
        new,
        "P(best)",
    )
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
        dispersion_sentences(dispersion_facts(dispersions)),
    )


def _theta_row(row: xr.Dataset) -> tuple[str, ...]:
    bounds = [row[name].item() for name in ("lower", "upper", "new_tau_lower", "new_tau_upper")]
    return (
        on_one_line(str(row[names.SYSTEM].item())),
        f"{row['theta'].item():.3f}",
        f"[{bounds[0]:.3f}, {bounds[1]:.3f}]",
        f"{row['expected_tau'].item():+.3f}",
        f"[{bounds[2]:+.2f}, {bounds[3]:+.2f}]",
        f"{row['prob_best'].item():.2f}",
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
    parts = [Part("Orders", figures=figures)] if figures else []
    return Document(
        f"Orders of {systems} systems",
        parts=[Part("Data and method", facts=facts), *parts],
        signatures=[f"orders: systems={systems} | data={fingerprint(orders)}"],
    )

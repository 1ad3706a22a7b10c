"""The pages on rankings: against a reference, and how far they agree with each other."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.counts.shapes import fingerprint
from betterthan.io.problems import counted
from betterthan.results import numbers, order_sentences, scores_page, tables
from betterthan.results.context import P_BEST, table_by_system
from betterthan.results.document import Document, Figure, Part, Table, parts_present, plotted
from betterthan.results.numbers import on_one_line
from betterthan.results.pair_tables import p_value, pairs_at, table_by_pair
from betterthan.results.score_sentences import score_facts, score_sentences

_JUDGES_DRAWN = 12

_ITEMS_DRAWN = 60

_CHANCE_ITEMS = 200

_MARKED = 6  # systems in the figure of chance


def tau_figures(taus: xr.Dataset) -> list[Figure]:
    """Tau of every document; of one, tau and chance."""
    if names.DOCUMENT in taus.dims:
        by_document = taus["tau"]
        if names.REFERENCE in taus.dims:
            by_document = by_document.mean(names.REFERENCE)
        return [Figure("Tau of every document", plotted("tau", by_document))]
    items = np.unique(taus["n_items"].values)
    if names.REFERENCE in taus.dims or len(items) > 1 or items[0] > _CHANCE_ITEMS:
        return []
    highest = taus.isel({names.SYSTEM: np.argsort(-taus["tau"].values)[:_MARKED]})
    systems = map(str, highest[names.SYSTEM].values)
    marks = dict(zip(systems, highest["tau"].values.tolist(), strict=True))
    return [Figure("Tau and chance", plotted("tau_distribution", int(items[0]), marks))]


def order_figures(orders: xr.DataArray) -> list[Figure]:
    """The rankings side by side, where they are few and short."""
    items = orders.sizes.get(names.POSITION, orders.sizes.get(names.ITEM, 0))
    if names.DOCUMENT in orders.dims or items > _ITEMS_DRAWN:
        return []
    systems = [str(s) for s in orders[names.SYSTEM].values[:_JUDGES_DRAWN]]
    return [Figure("Rankings side by side", plotted("orders", orders, systems))]


ROWS = 40  # of a table over systems or documents
_PAIRED_SYSTEMS = 8  # systems whose documents are counted
_QUESTION = (
    "How close are the rankings to the reference ranking, and which system's are the closest?"
)
_NOT_SURE = {
    True: "Mean taus alone do not show with what probability one system is closer than another; "
    "orders.compare does.",
    False: "One document does not show whether one system is closer on other documents.",
}
NOT_INDEPENDENT = (
    "Pairs of items within a ranking are not independent; the document is the unit of analysis."
)


def taus_page(taus: xr.Dataset) -> Document:
    """The page on taus, from `orders.kendall_tau`."""
    part = _over_documents(taus) if names.DOCUMENT in taus.dims else _by_reference(taus)
    limits = [NOT_INDEPENDENT, _NOT_SURE[names.DOCUMENT in taus.dims]]
    if names.REFERENCE not in taus.dims:
        limits.append("Another reference ranking can give other taus.")
    named = [] if names.REFERENCE in taus.dims else [f"reference={_reference(taus)}"]
    parts = [f"betterthan {betterthan.__version__}", f"Kendall's tau-{taus.attrs['variant']}"]
    signed = " | ".join([*parts, *named, f"systems={taus.sizes[names.SYSTEM]}"])
    sentences = order_sentences.tau_sentences(order_sentences.tau_facts(taus))
    return Document(_title(taus), _QUESTION, [part, _data(taus)], limits, [signed], sentences)


def _title(orders: xr.Dataset) -> str:
    return f"Rankings of {orders.sizes[names.SYSTEM]} systems"


def _reference(taus: xr.Dataset) -> str:
    if names.REFERENCE not in taus.dims:
        return on_one_line(str(taus.attrs["reference"]))
    return on_one_line(", ".join(map(str, taus[names.REFERENCE].values)))


def _data(taus: xr.Dataset) -> Part:
    a = taus.attrs
    facts = [("Reference", _reference(taus))]
    if a["n_missing"] or a["n_undefined"]:
        missing, undefined = counted(a["n_missing"], "ranking"), counted(a["n_undefined"], "tau")
        facts.append(("Without a tau", f"{missing} missing, {undefined} not defined"))
    if a["restrict"] == "common":
        covered = f"mean coverage {float(taus['coverage'].mean()):.2f}"
        facts.append(("Items", f"those in both rankings; {covered}"))
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
    heads = ("System", "Reference", "tau", *(["Coverage"] if partial else []), "p", "Inversions")
    heads += ("Ties", "Items", "Spearman")
    note = "p: two-sided and exact, if all rankings are equally likely; not available with ties."
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
    rows = xr.Dataset(
        {
            **{"mean": tau.mean(names.DOCUMENT), "sd": tau.std(names.DOCUMENT, ddof=1)},
            **{"lowest": tau.min(names.DOCUMENT), "highest": tau.max(names.DOCUMENT)},
            "n": tau.count(names.DOCUMENT),
            **({"coverage": taus["coverage"].mean(others)} if partial else {}),
        }
    ).isel({names.SYSTEM: order})
    columns = [
        tables.number("Mean tau", "mean", "{:+.3f}".format),
        tables.number("Coverage", "coverage", "{:.2f}".format),
        tables.number("SD", "sd", "{:.3f}".format),
        tables.number("Lowest", "lowest", "{:+.2f}".format),
        tables.number("Highest", "highest", "{:+.2f}".format),
        tables.number("Documents", "n", lambda n: f"{n:,} of {tau.sizes[names.DOCUMENT]:,}"),
    ]
    caption = f"Kendall's tau over documents{', mean over references' if several else ''}"
    return Part("Tau", tables=[table_by_system(rows, columns, caption)], figures=tau_figures(taus))


def compared_page(comparison: xr.Dataset) -> Document:
    """The page on systems compared by their orders, from `orders.compare`."""
    comparison = scores_page.in_order(comparison)
    parts = parts_present(
        scores_page.systems_part(comparison),
        _chance(comparison),
        scores_page.pairs_part(comparison),
        _counted(comparison),
        scores_page.words_part(comparison),
        _method(comparison),
    )
    limits = [NOT_INDEPENDENT, scores_page.FEW_UNITS]
    if comparison.attrs["n_dropped"]:
        limits.append(
            "Documents without a tau of every system are left out of the comparison; they do not "
            "count as wrong. Tau needs a ranking of two items or more that are not all tied."
        )
    answer = score_sentences(score_facts(comparison))
    subject = ["tau", f"references={comparison.attrs['references']}"]
    signed = [scores_page.signature_of_draws(comparison, subject)]
    return Document(_title(comparison), _QUESTION, parts, limits, signed, answer)


def _method(comparison: xr.Dataset) -> Part:
    a = comparison.attrs
    total = a["n_items"] + a["n_dropped"]
    compared = f"on {a['n_items']:,} of {total:,} documents, on which every system has a tau"
    drawn = f"{a['draws']:,} draws, seed {a['seed']}"
    how = "exact" if a["test_method"] != "monte_carlo" else "sampled"
    facts = [
        *([("Several references", str(a["references"]))] if a["references"] != "mean" else []),
        ("Compared", compared),
        ("Posterior", f"Bayesian bootstrap of documents, corrected for their number, {drawn}"),
        ("Test", f"randomization of documents, two-sided, {how}"),
        ("For these documents", "scores, exact matches, p"),
        ("For new documents", "intervals, probabilities, verdicts"),
    ]
    return Part("Data and method", facts=facts)


def _chance(comparison: xr.Dataset) -> Part:
    dropped = comparison.attrs["n_dropped"]
    of_shared = " on shared documents" if dropped else ""
    columns = [
        tables.number(f"Mean tau{of_shared}", "score", "{:+.3f}".format),
        tables.count("Exact matches", "exact_matches"),
        tables.number("p (random rankings)", "p_chance", numbers.p_value),
    ]
    note = "p: one-sided, of a mean tau as high with random rankings of the same documents."
    if dropped:
        columns.insert(1, tables.count("Documents of its own", "n_documents"))
        note += " p and exact matches are of all documents on which the system has a tau."
    caption = "Agreement with the reference ranking, compared with random rankings"
    table = table_by_system(scores_page.first_systems(comparison, ROWS), columns, caption)
    return Part("Chance", tables=[table], notes=[note])


def _counted(comparison: xr.Dataset) -> Part:
    """Documents as wins, ties and losses, with the posterior and the test of their numbers
    alone.
    """
    first = scores_page.first_systems(comparison, _PAIRED_SYSTEMS)
    counted = pairs_at(first, tables.ahead_first(first))
    rows = counted.assign(favours=np.sign(counted["ahead"] - counted["behind"]))
    columns = [
        tables.count("Wins", "ahead"),
        tables.count("Losses", "behind"),
        tables.count("Ties", "equal"),
        tables.probability("P(wins more)", "prob_ahead", blank=()),
        p_value("Sign test p", "p_sign"),
    ]
    caption = "Wins, losses and ties in documents; in brackets after p: the system it favors"
    return Part("Documents counted", tables=[table_by_pair(rows, columns, caption)])


_AGREEMENT_QUESTION = "How far do the rankings agree, and what is their consensus ranking?"
_NO_ACCURACY = "Agreement is not accuracy: all systems can agree on a bad ranking."
_METHODS = {"kemeny": "Kemeny, exact", "borda": "Borda, by mean rank"}


def agreement_page(agreement: xr.Dataset) -> Document:
    """The page on agreement, from `orders.agreement`."""
    systems = agreement.sizes[names.SYSTEM]
    order = np.argsort(-agreement["mean_tau"].values, kind="stable")[:ROWS]
    columns = [
        tables.number(
            "Mean tau with the others", "mean_tau", lambda t: "–" if t != t else f"{t:+.3f}"
        ),
        tables.number("Outlier p", "outlier_p", numbers.p_value),
    ]
    note, rows = _outlier_note(agreement), agreement.isel({names.SYSTEM: order})
    table = table_by_system(rows, columns, "Agreement of each system with the others")
    signature = f"betterthan {betterthan.__version__} | Kendall's tau-{agreement.attrs['variant']}"
    return Document(
        f"Agreement of {systems} systems",
        _AGREEMENT_QUESTION,
        [Part("Agreement", tables=[table], notes=[note])],
        [NOT_INDEPENDENT, _NO_ACCURACY],
        [f"{signature} | systems={systems}"],
        order_sentences.agreement_sentences(order_sentences.agreement_facts(agreement)),
    )


def _outlier_note(agreement: xr.Dataset) -> str:
    least = agreement.attrs["least_p"]
    if least != least:
        return "Outlier p: the test needs four or more systems that ranked the same items."
    drawn = {
        "document": "its ranking of each document came from a system drawn at random",
        "item": "its rank of each item came from a system drawn at random (approximate: items of "
        "one document are not independent)",
    }[agreement.attrs["outlier_unit"]]
    return (
        f"Outlier p: the probability of agreeing as little with the others if {drawn}; corrected "
        f"for the number of systems (Holm). The smallest attainable p here is {least:.2g}."
    )


def consensus_page(consensus: xr.Dataset) -> Document:
    """The page on a consensus ranking, from `orders.consensus`."""
    if names.DOCUMENT in consensus.dims:
        part = _document_consensus_part(consensus)
        documents = order_sentences.document_consensus_facts(consensus)
        sentences = order_sentences.document_consensus_sentences(documents)
    else:
        method = str(consensus["method"].item())
        least = f"no ranking can have fewer than {consensus['least_distance'].item():g}"
        facts = [
            ("Method", _METHODS[method]),
            ("Pairs in disagreement", f"{consensus['distance'].item():g}; {least}"),
        ]
        if method == "kemeny":
            facts.append(("Equally good rankings", f"{int(consensus['n_best']) - 1:,} more"))
        part = Part("Consensus", facts=facts, lines=[_order(consensus)])
        sentences = order_sentences.consensus_sentences(order_sentences.consensus_facts(consensus))
    signature = f"betterthan {betterthan.__version__} | consensus of orders"
    return Document(
        "Consensus ranking", _AGREEMENT_QUESTION, [part], [_NO_ACCURACY], [signature], sentences
    )


def _document_consensus_part(consensus: xr.Dataset) -> Part:
    n = min(consensus.sizes[names.DOCUMENT], ROWS)
    documents = [consensus.isel({names.DOCUMENT: k}) for k in range(n)]
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
    heads = ("Document", "Ranking", "Method", "Pairs in disagreement", "Fewest possible")
    caption = "Consensus ranking of each document"
    if len(rows) < consensus.sizes[names.DOCUMENT]:
        caption += f": the first {len(rows)} of {consensus.sizes[names.DOCUMENT]:,} documents"
    return Part("Consensus", tables=[Table(heads, rows, caption, left=3)])


def _order(consensus: xr.Dataset) -> str:
    return " > ".join(on_one_line(str(item)) for item in consensus["order"].values if item)


def dispersions_page(dispersions: xr.Dataset) -> Document:
    """The page on how concentrated rankings are, from `fits.compare` of a Mallows model."""
    a = dispersions.attrs
    pooling = f"{a['pooling']} pooling over documents"
    facts = [("Model", f"Mallows with Kendall distance, {pooling}, seed {a['seed']}")]
    facts += tables.failed_checks(np.atleast_1d(a["failures"]).tolist())
    order = np.argsort(-dispersions["theta"].values, kind="stable")[:ROWS]
    new, bounds = f"Tau of a new ranking of {a['items']} items", ["new_tau_lower", "new_tau_upper"]
    columns = [
        tables.values("Theta", ["theta"], numbers.score),
        tables.values(tables.interval_label(a), ["lower", "upper"], numbers.score_range),
        tables.values("Expected tau", ["expected_tau"], numbers.signed_score),
        tables.values(new, bounds, lambda *ends: f"[{', '.join(map(numbers.signed, ends))}]"),
        P_BEST,
    ]
    note = (
        "Theta: the concentration; 0 for random rankings. Each further inversion makes a ranking "
        "less probable by a factor of exp(theta). Expected tau is for these documents; the "
        "interval of the tau of a new ranking is for other documents."
    )
    rows = dispersions.isel({names.SYSTEM: order})
    table = table_by_system(rows, columns, "Concentration around the reference")
    return Document(
        "Concentration of rankings",
        "How concentrated are the rankings of each system around the reference ranking?",
        [Part("Concentration", facts=facts, tables=[table], notes=[note])],
        [],
        [f"betterthan {a['version']} | mallows | {a['draws']} draws, seed {a['seed']}"],
        order_sentences.dispersion_sentences(order_sentences.dispersion_facts(dispersions)),
    )


def orders_page(orders: xr.DataArray) -> Document:
    """The source of rankings, and where they are few, the rankings themselves."""
    a, systems = orders.attrs, orders.sizes[names.SYSTEM]
    documents = orders.sizes.get(names.DOCUMENT)
    facts = [("Source", str(a.get("reading", "data given")))]
    facts += [("Documents", f"{documents:,}")] if documents else []
    figures = order_figures(orders)
    parts = [Part("Rankings", figures=figures)] if figures else []
    return Document(
        f"Rankings of {systems} systems",
        parts=[Part("Data and method", facts=facts), *parts],
        signatures=[f"orders: systems={systems} | data={fingerprint(orders)}"],
    )

"""The pages on systems that order things: how near to a reference, and nearer than another."""

import numpy as np
import xarray as xr

import betterthan
from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import interval_of, sampled_by
from betterthan.results.columns import count, number, probability
from betterthan.results.document import Document, Part, Table, parts_told
from betterthan.results.escapes import on_one_line
from betterthan.results.figures import tau_figures
from betterthan.results.of_scores import FEW_UNITS, systems_part
from betterthan.results.order_sentences import tau_facts, tau_sentences
from betterthan.results.pairs_table import p_value, pairs_of, table_of_pairs
from betterthan.results.rows import ahead_first
from betterthan.results.score_pairs import first_of, in_order, pairs_part, words_part
from betterthan.results.score_sentences import score_sentences, scored_of
from betterthan.results.systems_table import table_of_systems

ROWS = 40  # of a table over systems or documents
_PAIRS_OF = 8  # systems whose documents are counted
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


def page(taus: xr.Dataset) -> Document:
    """The page on taus, from `orders.kendall_tau`."""
    part = _over_documents(taus) if names.DOCUMENT in taus.dims else _one_document(taus)
    limits = [NOT_INDEPENDENT, _NOT_SURE[names.DOCUMENT in taus.dims]]
    if names.REFERENCE not in taus.dims:
        limits.append("One reference is one good order of several; another would give other taus.")
    named = [] if names.REFERENCE in taus.dims else [f"reference={_reference(taus)}"]
    made = [f"betterthan {betterthan.__version__}", f"Kendall's tau-{taus.attrs['variant']}"]
    signed = " | ".join([*made, *named, f"systems={taus.sizes[names.SYSTEM]}"])
    sentences = tau_sentences(tau_facts(taus))
    return Document(_title(taus), _QUESTION, [part, _data(taus)], limits, [signed], sentences)


def _title(found: xr.Dataset) -> str:
    return f"Orders of {found.sizes[names.SYSTEM]} systems"


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


def _one_document(taus: xr.Dataset) -> Part:
    alone = {names.REFERENCE: [taus.attrs.get("reference", "")]}
    each = taus if names.REFERENCE in taus.dims else taus.expand_dims(alone, -1)
    partial = taus.attrs["restrict"] == "common"
    rows = [
        _tau_row(each.isel({names.SYSTEM: k, names.REFERENCE: r}), partial)
        for k in range(min(each.sizes[names.SYSTEM], ROWS))
        for r in range(each.sizes[names.REFERENCE])
    ]
    of = ["Coverage"] if partial else []
    heads = ("System", "Reference", "tau", *of, "p", "Inversions", "Ties", "Items", "Spearman")
    note = "p: two-sided, exact, all orders being equally likely; not given where there are ties."
    table = Table(heads, rows, "Kendall's tau against the reference", left=2)
    return Part("Tau", tables=[table], notes=[note], figures=tau_figures(taus))


def _tau_row(at: xr.Dataset, partial: bool) -> tuple[str, ...]:
    items = int(at["n_items"])
    return (
        on_one_line(str(at[names.SYSTEM].item())),
        on_one_line(str(at[names.REFERENCE].item())),
        f"{at['tau'].item():+.3f}",
        *([f"{at['coverage'].item():.2f}"] if partial else []),
        numbers.p_value(at["p_value"].item()),
        f"{at['inversions'].item():.0f}" if items else "–",
        f"{int(at['ties'])}",
        f"{items}",
        f"{at['spearman'].item():+.3f}",
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
            tau.isel({names.SYSTEM: int(k)}), () if covered is None else (f"{covered[at]:.2f}",)
        )
        for at, k in enumerate(order)
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


def _documents_row(own: xr.DataArray, covered: tuple[str, ...]) -> tuple[str, ...]:
    return (
        on_one_line(str(own[names.SYSTEM].item())),
        f"{float(own.mean()):+.3f}",
        *covered,
        f"{float(own.std(ddof=1)):.3f}",
        f"{float(own.min()):+.2f}",
        f"{float(own.max()):+.2f}",
        f"{int(own.notnull().sum()):,} of {own.size:,}",
    )


def compared_page(found: xr.Dataset) -> Document:
    """The page on systems compared by their orders, from `orders.compare`."""
    found = in_order(found)
    parts = parts_told(
        systems_part(found),
        _chance(found),
        pairs_part(found),
        _counted(found),
        words_part(found),
        _method(found),
    )
    limits = [NOT_INDEPENDENT, FEW_UNITS]
    if found.attrs["n_dropped"]:
        limits.append(
            "Documents that a system did not order are left out of the comparison, not counted as "
            "wrong."
        )
    answer = score_sentences(scored_of(found))
    return Document(_title(found), _QUESTION, parts, limits, [_signature(found)], answer)


def _method(found: xr.Dataset) -> Part:
    a = found.attrs
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


def _chance(found: xr.Dataset) -> Part:
    columns = [
        number("Mean tau", "score", "{:+.3f}".format),
        count("Exact matches", "exact_matches"),
        number("p of chance", "p_chance", numbers.p_value),
    ]
    note = "p of chance: one-sided, the mean tau of random orders of the same documents."
    caption = "Is an order nearer to the reference than chance?"
    table = table_of_systems(first_of(found, ROWS), columns, caption)
    return Part("Chance", tables=[table], notes=[note])


def _counted(found: xr.Dataset) -> Part:
    """Documents as wins, ties and losses, with the posterior and the test of their numbers
    alone.
    """
    shown = first_of(found, _PAIRS_OF)
    counted = pairs_of(shown, ahead_first(shown))
    rows = counted.assign(favours=np.sign(counted["ahead"] - counted["behind"]))
    columns = [
        *(
            count(head, k)
            for head, k in (("Wins", "ahead"), ("Losses", "behind"), ("Ties", "equal"))
        ),
        probability("P(wins more)", "prob_ahead", blank=()),
        p_value("Sign test p", "p_sign"),
    ]
    caption = "In how many documents one is ahead; in brackets: for whom the test speaks"
    return Part("Documents counted", tables=[table_of_pairs(rows, columns, caption)])


def _signature(found: xr.Dataset) -> str:
    a = found.attrs
    parts = [
        f"betterthan {a['version']}",
        "tau",
        f"references={a['references']}",
        sampled_by(a),
        f"rope={a['rope']:g}",
        f"interval={interval_of(a)}",
        f"correction={a['correction']}",
        f"n={a['n_items']}",
        f"systems={found.sizes[names.SYSTEM]}",
        f"data={a['data_hash']}",
    ]
    return " | ".join(parts)

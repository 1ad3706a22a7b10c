"""Sentences on rankings: taus against a reference, agreement, consensus and concentration."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.numbers import labels_on_one_line
from betterthan.results.tables import interval_label
from betterthan.text import named

_EQUAL = 1e-9  # taus that differ by no more are equal
_RANDOM = "if all rankings are equally likely"


@dataclass(frozen=True, kw_only=True)
class TauFacts:
    """Facts of `orders.kendall_tau`."""

    references: list[str]
    n_documents: int | None = None  # with a tau of every system; None if there are no documents
    any_defined: bool = False  # whether some system has a tau
    n_undefined: int = 0  # rankings without a tau
    closest: list[str]  # the systems with the highest mean tau; empty if no tau is defined
    farthest: list[str]  # and with the lowest; empty if all are equal
    highest: float = float("nan")
    lowest: float = float("nan")
    p_value: str = ""  # of the highest tau, if it is that of a single ranking


def tau_facts(taus: xr.Dataset) -> TauFacts:
    """Facts from the result of `orders.kendall_tau`."""
    over = [dim for dim in (names.DOCUMENT, names.REFERENCE) if dim in taus.dims]
    several = names.REFERENCE in taus.dims
    shared = taus["tau"].notnull().all(names.SYSTEM)  # systems are compared where each has a tau
    tau = taus["tau"].where(shared).mean(over) if over else taus["tau"]
    references = taus[names.REFERENCE].values if several else [taus.attrs["reference"]]
    closest, farthest = _highest_and_lowest(tau)
    p = float("nan")
    if not over and len(closest) == 1:
        p = taus["p_value"].sel({names.SYSTEM: tau.idxmax()}).item()
    return TauFacts(
        references=labels_on_one_line(references),
        n_documents=_documents(shared),
        any_defined=bool(taus["tau"].notnull().any()),
        n_undefined=int(taus["tau"].isnull().sum()),
        closest=closest,
        farthest=farthest,
        highest=float(tau.max()),
        lowest=float(tau.min()),
        p_value=numbers.p_value(p) if p == p else "",
    )


def _documents(shared: xr.DataArray) -> int | None:
    """How many documents have a tau of every system; None if there are no documents."""
    if names.DOCUMENT not in shared.dims:
        return None
    return int(shared.any([dim for dim in shared.dims if dim != names.DOCUMENT]).sum())


def _highest_and_lowest(values: xr.DataArray) -> tuple[list[str], list[str]]:
    """The systems with the highest value and those with the lowest, none if all are equal."""
    systems = np.array(labels_on_one_line(values[names.SYSTEM].values))
    high, low = float(values.max()), float(values.min())
    highest, lowest = (systems[np.abs(values.values - end) <= _EQUAL] for end in (high, low))
    return highest.tolist(), lowest.tolist() if high - low > _EQUAL else []


def tau_sentences(facts: TauFacts) -> list[str]:
    """Which system is closest to the reference, and how many rankings have no tau."""
    if not facts.closest:
        if facts.any_defined:
            units = "document" if facts.n_documents is not None else "reference ranking"
            return [f"No {units} has a tau of every system, so no system is closest."]
        return ["No tau is defined: rankings are missing, or they share no pair of items."]
    closest, high = named(facts.closest), numbers.signed_score(facts.highest)
    mean = "mean " if facts.n_documents or len(facts.references) > 1 else ""
    rankings = "ranking" if len(facts.references) == 1 else "rankings"
    reference = f"the reference {rankings} {named(facts.references)}"
    over = f" over {facts.n_documents:,} documents" if facts.n_documents else ""
    if facts.farthest:
        p = f" For the highest tau the two-sided p is {facts.p_value} {_RANDOM}."
        lines = [
            f"{closest} {_is(facts.closest)} closest to {reference}{over} ({mean}tau {high}); "
            f"{named(facts.farthest)} {_is(facts.farthest)} farthest "
            f"({numbers.signed_score(facts.lowest)}).{p if facts.p_value else ''}"
        ]
    else:
        has = "has a" if len(facts.closest) == 1 else "have the same"
        p = f" (two-sided p {facts.p_value} {_RANDOM})" if facts.p_value else ""
        lines = [f"{closest} {has} {mean}tau of {high} with {reference}{over}{p}."]
    if facts.n_undefined == 1:
        lines.append("1 ranking has no tau: it is missing, or its tau is not defined.")
    elif facts.n_undefined:
        n = f"{facts.n_undefined:,}"
        lines.append(f"{n} rankings have no tau: they are missing, or their tau is not defined.")
    return lines


def _is(systems: Sequence[str]) -> str:
    return "is" if len(systems) == 1 else "are"


@dataclass(frozen=True, kw_only=True)
class AgreementFacts:
    """Facts of `orders.agreement`."""

    n_systems: int
    n_documents: int
    mean_tau: float | None  # over the pairs of systems; None without any tau
    agreeing_most: list[str]  # the systems with the highest mean tau with the others
    agreeing_least: list[str]  # and with the lowest; empty if all are equal
    highest: float = float("nan")
    lowest: float = float("nan")
    outliers: list[str]
    outlier_p: str  # the smallest corrected p; empty if outliers cannot be tested
    alpha: float = names.ALPHA


def agreement_facts(agreement: xr.Dataset) -> AgreementFacts:
    """Facts from the result of `orders.agreement`."""
    n = agreement.sizes[names.SYSTEM]
    p = agreement["outlier_p"].values
    systems = np.array(labels_on_one_line(agreement[names.SYSTEM].values))
    taus = agreement["tau"].transpose(*names.SQUARE).values[np.triu_indices(n, 1)]
    taus = taus[np.isfinite(taus)]
    most, least = _highest_and_lowest(agreement["mean_tau"])
    return AgreementFacts(
        n_systems=n,
        n_documents=int(agreement.attrs["n_documents"]),
        mean_tau=float(taus.mean()) if taus.size else None,
        agreeing_most=most,
        agreeing_least=least,
        highest=float(agreement["mean_tau"].max()),
        lowest=float(agreement["mean_tau"].min()),
        outliers=systems[p <= names.ALPHA].tolist(),
        outlier_p=numbers.p_value(float(np.nanmin(p))) if np.isfinite(p).any() else "",
    )


def agreement_sentences(facts: AgreementFacts) -> list[str]:
    """How far the systems agree, and which are outliers."""
    lines = []
    if facts.mean_tau is not None:
        over = f" over {facts.n_documents:,} documents" if facts.n_documents > 1 else ""
        mean = (
            f"Kendall's tau between two of the {facts.n_systems:,} systems is "
            f"{numbers.signed_score(facts.mean_tau)} on average{over}."
        )
        if facts.agreeing_least:
            most = f"{named(facts.agreeing_most)} (mean tau {numbers.signed_score(facts.highest)})"
            least = f"{named(facts.agreeing_least)} ({numbers.signed_score(facts.lowest)})"
            mean += f" The highest agreement with the others is that of {most}, the lowest that of "
            mean += f"{least}."
        lines.append(mean)
    if facts.outliers:
        are = "is an outlier: it agrees" if len(facts.outliers) == 1 else "are outliers: they agree"
        lines.append(
            f"{named(facts.outliers)} {are} less with the others than a randomly drawn system "
            f"would (corrected p at most {facts.alpha:g})."
        )
    elif facts.outlier_p:
        lines.append(
            f"No system is a significant outlier (smallest corrected p {facts.outlier_p}). This is "
            "not evidence that all systems rank alike."
        )
    else:
        lines.append(
            "Outliers are not tested: the test needs four or more systems that ranked the same "
            "items."
        )
    return lines


@dataclass(frozen=True, kw_only=True)
class ConsensusFacts:
    """Facts of `orders.consensus` on one set of items."""

    method: str  # "kemeny" or "borda"
    ranking: list[str]  # items, from the first rank to the last
    distance: float  # pairs of items in disagreement, summed over rankings; ties count half
    least_distance: float  # no ranking has a smaller distance
    n_equal: int = 0  # other rankings with the same distance, counted for "kemeny"


def consensus_facts(consensus: xr.Dataset) -> ConsensusFacts:
    """Facts from the result of `orders.consensus` without documents."""
    method = str(consensus["method"].item())
    return ConsensusFacts(
        method=method,
        ranking=labels_on_one_line(item for item in consensus["order"].values if item),
        distance=consensus["distance"].item(),
        least_distance=consensus["least_distance"].item(),
        n_equal=int(consensus["n_best"]) - 1 if method == "kemeny" else 0,
    )


def consensus_sentences(facts: ConsensusFacts) -> list[str]:
    """The consensus ranking, and how far it is from the rankings."""
    ranking = " > ".join(facts.ranking)
    pairs = "pair" if facts.distance == 1 else "pairs"
    disagrees = f"It disagrees with the rankings on {facts.distance:g} {pairs} of items in total"
    if facts.method == "borda":
        return [
            f"The consensus ranking by mean rank (Borda) is {ranking}. {disagrees}; no ranking can "
            f"disagree on fewer than {facts.least_distance:g}."
        ]
    others = {0: "No other ranking is", 1: "1 more ranking is"}
    equal = others.get(facts.n_equal, f"{facts.n_equal:,} more rankings are")
    return [
        f"The consensus ranking (Kemeny, exact) is {ranking}. {disagrees}, the fewest possible. "
        f"{equal} as good."
    ]


@dataclass(frozen=True, kw_only=True)
class DocumentConsensusFacts:
    """Facts of `orders.consensus` on several documents."""

    n_documents: int
    n_exact: int  # by "kemeny"
    n_unique: int  # exact, and no other ranking is as good
    n_mean_rank: int  # by "borda"


def document_consensus_facts(consensus: xr.Dataset) -> DocumentConsensusFacts:
    """Facts from the result of `orders.consensus` over documents."""
    exact = consensus["method"].values == "kemeny"
    return DocumentConsensusFacts(
        n_documents=exact.size,
        n_exact=int(exact.sum()),
        n_unique=int((exact & (consensus["n_best"].values == 1)).sum()),
        n_mean_rank=int((~exact).sum()),
    )


def document_consensus_sentences(facts: DocumentConsensusFacts) -> list[str]:
    """How many documents have an exact consensus ranking, and how many the only best one."""
    sentences = [f"Each of the {facts.n_documents:,} documents has its own consensus ranking."]
    if facts.n_exact:
        are = "is" if facts.n_exact == 1 else "are"
        sentences.append(
            f"{facts.n_exact:,} {are} exact (Kemeny), {facts.n_unique:,} of them without an "
            "equally good alternative."
        )
    if n := facts.n_mean_rank:
        are = "is" if n == 1 else "are"
        sentences.append(f"{n:,} {are} by mean rank (Borda), which need not be the best.")
    return [" ".join(sentences)]


@dataclass(frozen=True, kw_only=True)
class DispersionFacts:
    """Facts of `fits.compare` of a Mallows model."""

    system: str  # the one with the highest theta
    theta: float
    theta_lower: float
    theta_upper: float
    interval: str  # such as "95% HDI"
    expected_tau: float
    prob_best: float
    prob_best_mcse: float = 0.0
    second: str = ""  # the system with the next highest theta; empty if there is only one system
    second_theta: float = float("nan")
    failures: str = ""  # of the convergence diagnostics


def dispersion_facts(dispersions: xr.Dataset) -> DispersionFacts:
    """Facts from the result of `fits.compare` of a Mallows model."""
    failures = [text for text in np.atleast_1d(dispersions.attrs["failures"]).tolist() if text]
    order = np.argsort(-dispersions["theta"].values, kind="stable")
    ranked = dispersions.isel({names.SYSTEM: order})
    systems = labels_on_one_line(ranked[names.SYSTEM].values)
    first = ranked.isel({names.SYSTEM: 0})
    return DispersionFacts(
        system=systems[0],
        theta=first["theta"].item(),
        theta_lower=first["lower"].item(),
        theta_upper=first["upper"].item(),
        interval=interval_label(dispersions.attrs),
        expected_tau=first["expected_tau"].item(),
        prob_best=first["prob_best"].item(),
        prob_best_mcse=float(first.get("prob_best_mcse", 0.0)),
        second=systems[1] if len(systems) > 1 else "",
        second_theta=ranked["theta"][1].item() if len(systems) > 1 else float("nan"),
        failures=" ".join(failures),
    )


def dispersion_sentences(facts: DispersionFacts) -> list[str]:
    """Whose rankings are most concentrated around the reference."""
    if facts.failures:
        return [f"No verdict: {facts.failures}"]
    theta = numbers.score(facts.theta)
    interval = f"{facts.interval} {numbers.score_range(facts.theta_lower, facts.theta_upper)}"
    tau = f"expected tau {numbers.signed_score(facts.expected_tau)}"
    if not facts.second:
        return [
            f"The rankings of {facts.system} have concentration {theta} ({interval}) around the "
            f"reference ranking (Mallows theta; 0 for random rankings; {tau})."
        ]
    p = numbers.probability(facts.prob_best, facts.prob_best_mcse)
    most = (
        f"The rankings of {facts.system} are the most concentrated around the reference ranking "
        f"(probability {p})."
    )
    if facts.prob_best < names.VERDICT_PROB:
        most = (
            "Undecided: the data do not show which rankings are the most concentrated around the "
            f"reference ranking; those of {facts.system} are with probability {p}."
        )
    return [
        most,
        f"Concentration (Mallows theta; 0 for random rankings): {facts.system} {theta} "
        f"({interval}; {tau}), next {facts.second} {numbers.score(facts.second_theta)}.",
    ]

"""What is known of orders: how near to a reference, how far they agree, on which order."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers
from betterthan.reporting.cells import interval_of
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts import Facts, plain

_ALIKE = 1e-9  # taus nearer to each other than this are one


def tau_facts(taus: xr.Dataset) -> Facts:
    """Of `orders.kendall_tau`.

    nearest, farthest: systems, by their (mean) tau, high and low, with n_...; reference;
    n_documents; high_p, of one order; n_without, orders without a tau; n_systems.
    """
    over = [dim for dim in (names.DOCUMENT, names.REFERENCE) if dim in taus.dims]
    tau = taus["tau"].mean(over) if over else taus["tau"]
    several = names.REFERENCE in taus.dims
    named = taus[names.REFERENCE].values if several else [taus.attrs["reference"]]
    told: Facts = {
        "reference": [on_one_line(str(name)) for name in named],
        "n_systems": taus.sizes[names.SYSTEM],
        "n_documents": taus.sizes.get(names.DOCUMENT),
        "n_without": int(taus["tau"].isnull().sum()),
    }
    ends = _ends(tau, "nearest", "farthest")
    if not over and ends.get("n_nearest") == 1:
        p = taus["p_value"].sel({names.SYSTEM: tau.idxmax()}).item()
        told["high_p"] = numbers.p_value(p) if p == p else None
    return plain(told | ends)


def agreement_facts(found: xr.Dataset) -> Facts:
    """Of `orders.agreement`.

    mean_tau of two systems; most and least, systems by their mean tau with the others, high and
    low; outliers, by corrected p at alpha, and outlier_p, the smallest; n_documents, n_systems.
    """
    n = found.sizes[names.SYSTEM]
    p = found["outlier_p"].values
    systems = np.array([on_one_line(str(s)) for s in found[names.SYSTEM].values])
    apart = systems[p <= names.ALPHA].tolist()
    pairs = found["tau"].transpose(*names.SQUARE).values[np.triu_indices(n, 1)]
    known = pairs[np.isfinite(pairs)]
    told: Facts = {
        "n_systems": n,
        "n_documents": int(found.attrs["n_documents"]),
        "mean_tau": float(known.mean()) if known.size else None,
        "outliers": apart,
        "n_outliers": len(apart),
        "alpha": names.ALPHA,
        "outlier_p": numbers.p_value(float(np.nanmin(p))) if np.isfinite(p).any() else None,
    }
    return plain(told | _ends(found["mean_tau"], "most", "least"))


def _ends(values: xr.DataArray, most: str, least: str) -> Facts:
    """Who has the highest and who the lowest value; none is lowest where all are alike."""
    known = values.dropna(names.SYSTEM)
    if not known.size:
        return {}
    systems = [on_one_line(str(s)) for s in known[names.SYSTEM].values]
    high, low = float(known.max()), float(known.min())
    top, bottom = ([s for s, v in zip(systems, known.values, strict=True) if _same(v, end)]
                   for end in (high, low))  # fmt: skip
    bottom = [] if _same(high, low) else bottom
    told: Facts = {"high": high, "low": low, most: top, least: bottom}
    return told | {f"n_{most}": len(top), f"n_{least}": len(bottom)}


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= _ALIKE


def consensus_facts(found: xr.Dataset) -> Facts:
    """Of `orders.consensus`.

    Of one: order (text), method, distance, least_distance, n_as_good (orders besides). Of
    documents: n_documents, n_exact, n_unique, n_mean_rank.
    """
    if names.DOCUMENT in found.dims:
        exact = found["method"].values == "kemeny"
        told = {"n_documents": exact.size, "n_exact": int(exact.sum())}
        told["n_unique"] = int((exact & (found["n_best"].values == 1)).sum())
        return told | {"n_mean_rank": int((~exact).sum())}
    told: dict[str, Any] = {
        name: found[name].item() for name in ("method", "distance", "least_distance")
    }
    items = (on_one_line(str(item)) for item in found["order"].values if item)
    return plain(told | {"order": " > ".join(items), "n_as_good": int(found["n_best"]) - 1})


def dispersion_facts(found: xr.Dataset) -> Facts:
    """Of `fits.compare` of a Mallows model.

    best (or only, where there is one system), p_best, theta (with _lower, _upper), tau, interval;
    next, next_theta: the second highest theta; failures.
    """
    failures = [f for f in np.atleast_1d(found.attrs["failures"]).tolist() if f]
    if failures:
        return {"failures": " ".join(failures)}
    order = np.argsort(-found["theta"].values, kind="stable")
    systems = [on_one_line(str(s)) for s in found[names.SYSTEM].values]
    at = found.isel({names.SYSTEM: int(order[0])})
    told: Facts = {"best" if len(order) > 1 else "only": systems[order[0]]}
    told |= {"theta": at["theta"].item(), "tau": at["expected_tau"].item()}
    told |= {f"theta_{end}": at[end].item() for end in ("lower", "upper")}
    told |= {"p_best": at["prob_best"].item(), "interval": interval_of(found.attrs)}
    if len(order) > 1:
        told |= {"next": systems[order[1]], "next_theta": float(found["theta"][order[1]])}
    return plain(told)

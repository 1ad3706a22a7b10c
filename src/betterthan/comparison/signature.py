"""How a comparison was made: its signature, and the fingerprint of its data."""

from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names

# models that are not of win, loss and tie, so that a Dirichlet prior says nothing of them
PRIORS_OF_THEIR_OWN = ("davidson", "item_response", "graded", "bayesian_bootstrap")


def signature(comparison: xr.Dataset) -> str:
    """One line that says how a comparison was made, to be pasted into a paper.

    Parameters
    ----------
    comparison : xarray.Dataset
        From `compare`.

    Returns
    -------
    str

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.signature(bt.compare(bt.datasets.contingency_case("a"))).split(" | ")[1]
    'prior=Dirichlet(1, 1, 1)'
    """
    checks.comparison(comparison)
    a = comparison.attrs
    parts = [
        f"betterthan {a['version']}",
        f"prior={_prior(a)}",
        f"method={a['method']}"
        + (f" ({_modelled(a)})" if a["method"] == "advised" and "model" in a else ""),
        f"ties={a['ties']}",
        f"missing={a['missing']}",
        f"margin={a['margin']:g}",
        *([] if a["higher_is_better"] else ["lower is better"]),
        f"rope={a['rope']:g}",
        f"interval={100 * a['ci_prob']:g}% {a['ci_kind'].upper()}",
        f"verdict at {a['verdict_prob']:g}",
        f"n={a['n_items'] if a['n_items'] >= 0 else 'by pair'}",
        f"systems={comparison.sizes[names.SYSTEM_A]}",
    ]
    if "tests" in a:
        parts.append(f"tests={_tests(a)}")
    if "seed" in a:
        chains = (
            f"{a['chains']} x {a['draws']} draws, {a['inference_library']}"
            if "chains" in a
            else f"{a['draws']} draws"
        )
        parts.append(f"seed={a['seed']}, {chains}")
    return " | ".join([*parts, f"data={a['data_hash']}"])


def _modelled(a: dict[str, Any]) -> str:
    return ", ".join(filter(None, [str(a["model"]), a.get("modelled", "")]))


def _prior(a: dict[str, Any]) -> str:
    if a.get("model") in PRIORS_OF_THEIR_OWN:
        return "zero" if a["model"] == "bayesian_bootstrap" else f"that of {a['model']}"
    numbers = ", ".join(f"{p:g}" for p in np.atleast_1d(a["prior"]))
    return f"{'Dirichlet' if np.size(a['prior']) == 3 else 'Beta'}({numbers})"


def _tests(a: dict[str, Any]) -> str:
    said = f"{a['tests']} (two-sided, at {a['alpha']:g}, {a['correction']})"
    if "randomization_method" in a:
        said += f", {a['randomization_statistic']} by {a['randomization_method']}"
    return said + (
        f", {a['shuffles']} shuffles, seed {a['shuffle_seed']}" if "shuffles" in a else ""
    )


def signature_parts(
    raw: xr.DataArray,
    counts: xr.DataArray,
    extra: xr.Dataset,
    method: str,
    ties: str,
    choice: dict[str, Any],
) -> dict[str, Any]:
    """What `signature` prints, as attrs."""
    prior = checks.prior(choice["prior"], counts.sizes[names.OUTCOME])
    unknown = counts.attrs.get("ties") == "unknown"
    return {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": list(prior),
        "ties": "unknown" if unknown else ties,
        "missing": raw.attrs.get("missing", "none"),
        "margin": float(raw.attrs.get("margin", 0.0)),
        "rope": choice["rope"],
        "ci_kind": choice["ci_kind"],
        "ci_prob": choice["ci_prob"],
        "verdict_prob": names.VERDICT_PROB,
        "method": method,
        "unit": raw.attrs.get("unit", "unknown"),
        "n_items": int(raw.attrs.get("n_items", -1)),
    } | extra.attrs

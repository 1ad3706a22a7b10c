"""How a comparison was made and what its data hide: signature, fingerprint, notes."""

import hashlib
import warnings
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.clusters import design_effect
from betterthan.outcomes.scoring import item_outcomes
from betterthan.outcomes.shapes import to_square


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
    numbers = ", ".join(f"{p:g}" for p in np.atleast_1d(a["prior"]))
    parts = [
        f"betterthan {a['version']}",
        f"prior={'Dirichlet' if np.size(a['prior']) == 3 else 'Beta'}({numbers})",
        f"method={a['method']}" + (f" ({a['model']})" if a["method"] == "advised" and "model" in a else ""),
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
        parts.append(f"seed={a['seed']}, {a['chains']} x {a['draws']} draws, {a['inference_library']}")
    return " | ".join([*parts, f"data={a['data_hash']}"])


def _tests(a: dict[str, Any]) -> str:
    said = f"{a['tests']} (two-sided, at {a['alpha']:g}, {a['correction']})"
    if "randomization_method" in a:
        said += f", {a['randomization_statistic']} by {a['randomization_method']}"
    return said + (f", {a['shuffles']} shuffles, seed {a['shuffle_seed']}" if "shuffles" in a else "")


def signature_parts(
    raw: xr.DataArray, counts: xr.DataArray, extra: xr.Dataset, method: str, ties: str, choice: dict[str, Any]
) -> dict[str, Any]:
    """What `signature` prints, as attrs."""
    prior = checks.prior(choice["prior"], counts.sizes[names.OUTCOME])
    unknown = counts.attrs.get("ties") == "unknown"
    return {
        "version": betterthan.__version__,
        "prior": list(prior),
        "ties": "unknown" if unknown else ties,
        "missing": raw.attrs.get("missing", "none"),
        "margin": float(raw.attrs.get("margin", 0.0)),
        "rope": choice["rope"],
        "ci_kind": choice["kind"],
        "ci_prob": choice["prob"],
        "verdict_prob": names.VERDICT_PROB,
        "method": method,
        "unit": raw.attrs.get("unit", "unknown"),
        "n_items": int(raw.attrs.get("n_items", -1)),
    } | extra.attrs


def fingerprint(data: xr.DataArray) -> str:
    """A short fingerprint of the data, values and names; the order of items and systems does not matter."""
    if names.PAIR in data.dims:
        data = to_square(data)
    data = data.transpose(*sorted(map(str, data.dims)))
    for dim in data.dims:
        if dim in data.coords and dim != names.OUTCOME:
            data = data.isel({dim: np.argsort(data[dim].values.astype(str), kind="stable")})
    if names.SYSTEM_A in data.dims and names.OUTCOME in data.dims:  # what a system did against itself is no data
        data = data.where(data[names.SYSTEM_A] != data[names.SYSTEM_B], 0).astype(np.int64)
    digest = hashlib.sha256(np.ascontiguousarray(data.values).tobytes())
    for dim in data.dims:
        if dim in data.coords:
            digest.update("\n".join(map(str, data[dim].values)).encode())
    return digest.hexdigest()[:12]


def dependence_notes(scores: xr.DataArray, *, counts_alone: bool = True) -> list[str]:
    """What makes the items of these scores less than independent, or unequal in weight; said as a warning, too.

    `counts_alone` is False where a model beside the counts takes it into account.
    """
    notes = []
    if counts_alone and names.DATASET in scores.coords:
        groups = len(set(scores[names.DATASET].values.tolist()))
        if groups > 1:
            notes.append(pooled_note(groups))
    for name, what in (("epoch", "items were run repeatedly"), ("cluster", "items come in clusters")):
        if name in scores.coords and counts_alone:
            said = (
                f"The {what} ({name}), but are taken as independent: the answers are more certain than they should be."
                + _effective(scores, names.ITEM if name == "epoch" else name)
                + " betterthan.advise says which model takes it into account."
            )
            warnings.warn(said, stacklevel=4)
            notes.append(said)
    return notes


def _effective(scores: xr.DataArray, by: str) -> str:
    """How many independent examples would say as much, over the pairs."""
    if names.TALLY in scores.dims or by not in scores.coords:
        return ""
    outcomes = item_outcomes(scores)
    labels = scores[by].values.astype(str)
    if by == names.ITEM and names.DATASET in scores.coords:
        labels = np.char.add(np.char.add(scores[names.DATASET].values.astype(str), "\0"), labels)
    seen = outcomes["observed"].values
    deff = design_effect(outcomes["outcome"].values * seen, seen, np.unique(labels, return_inverse=True)[1])
    number = seen.sum(0) / np.maximum(deff, 1.0)
    if not np.isfinite(number).any():
        return ""
    low, middle, n = np.nanmin(number), np.nanmedian(number), seen.sum(0).max()
    pairs = (
        f"about {middle:.0f}"
        if seen.shape[1] == 1
        else f"about {middle:.0f} for half of the pairs, {low:.0f} at least,"
    )
    return f" They say as much as {pairs} of {n:,} independent examples."


def pooled_note(datasets: int) -> str:
    """What pooling data sets does."""
    return f"{datasets} data sets are pooled: every example counts the same, so large sets weigh more."

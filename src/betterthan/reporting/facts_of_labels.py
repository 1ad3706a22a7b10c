"""What is known of the labels of classifiers, of groups of systems, and of an audit."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.reporting.cells import interval_of
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts import Facts, plain


def label_facts(found: xr.Dataset, confusions: Facts | None = None) -> Facts:
    """Of `labels.posterior`, with what the confusions say besides.

    macro (F, with _lower, _upper), interval; high_label, low_label with high and low, their F;
    n_labels. Of confusions: system, n (items), baseline (macro F of always predicting usual),
    said_label and confused with n_confused and share: the most frequent error.
    """
    labels = [on_one_line(str(label)) for label in found[names.LABEL].values]
    macro = found["averaged"].sel(average="macro", measure="f")
    f = found["by_label"].sel(measure="f", estimate="score").values
    told: Facts = {"interval": interval_of(found.attrs), "n_labels": len(labels)}
    told["macro"] = macro.sel(estimate="score").item()
    told |= {f"macro_{end}": macro.sel(estimate=end).item() for end in ("lower", "upper")}
    high, low = int(np.nanargmax(f)), int(np.nanargmin(f))
    told |= {"high_label": labels[high], "high": float(f[high])}
    told |= {"low_label": labels[low], "low": float(f[low])}
    return plain(told | (confusions or {}))


def classifier_facts(each: list[Facts]) -> Facts:
    """Of several classifiers: n_systems; best and last by macro F, with high and low."""
    order = sorted(each, key=lambda one: -one["macro"])
    best, last = order[0], order[-1]
    told = {"n_systems": len(each), "best": best["system"], "last": last["system"]}
    return told | {"high": best["macro"], "low": last["macro"]}


def group_facts(found: xr.Dataset) -> Facts:
    """Of `significance.groups`.

    n_systems, n_pairs, n_similar (pairs that cannot be told apart, n_one_way of them one way only);
    first, the
    system at rank 1, with_first and n_with_first; apart and n_apart: told from every other one.
    """
    systems = np.array([on_one_line(str(s)) for s in found[names.SYSTEM].values])
    similar = found["similar"].values & ~np.eye(len(systems), dtype=bool)
    alike = similar | similar.T
    apart = systems[~alike.any(1)].tolist()
    near = systems[alike[0]].tolist()
    return {
        "n_systems": len(systems),
        "n_pairs": len(systems) * (len(systems) - 1) // 2,
        "n_similar": int(alike.sum()) // 2,
        "n_one_way": int((similar != similar.T).sum()) // 2,
        "first": str(systems[0]),
        "with_first": near,
        "n_with_first": len(near),
        "apart": apart,
        "n_apart": len(apart),
    }


def audit_facts(audit: Any, headline: str, lines: list[str]) -> Facts:
    """Of `audit`: its level, its headline, and what it says first."""
    told = {"level": audit.level, "headline": headline}
    return told | ({"first": lines[0]} if lines else {})

"""A gate as JSON, for other programs."""

import json
import math
from dataclasses import asdict
from typing import Any

import betterthan
from betterthan.gating.decision import Decision, Evidence
from betterthan.gating.on_counts import Counts
from betterthan.gating.sequential import Looked

SCHEMA = "betterthan.gate/1"  # the number grows if a key changes its meaning


def as_json(decision: Decision) -> str:
    """Return everything in the decision; unknown values are null."""
    document = {
        "schema": SCHEMA,
        "version": betterthan.__version__,
        "verdict": decision.verdict,
        "exit_code": decision.exit_code,
        "also_behind": decision.also_behind,
        "margin": decision.margin,
        "threshold": decision.threshold,
        "why": list(decision.why),
        "evidence": None if decision.evidence is None else _evidence(decision.evidence),
        "looks": None if decision.looked is None else _looks(decision.looked),
        "reading": decision.reading,
        "warnings": list(decision.warned),
        "notes": list(decision.said),
    }
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def _evidence(evidence: Evidence) -> dict[str, Any]:
    chances = {k: getattr(evidence.chances, k) for k in _CASES}
    further = None
    if evidence.further is not None:
        further = {"units": evidence.further.units, "probability": evidence.further.prob}
    return {
        "quantity": evidence.quantity,
        "unit": evidence.per,
        "n_items": evidence.items,
        "n_units": evidence.units,
        "effective_units": evidence.effective,
        "n_runs": evidence.runs,
        "missing": dict(zip(_SIDES, evidence.missing, strict=True)) | {"cells": evidence.cells},
        "means": dict(zip(_SIDES, evidence.means, strict=True)),
        "higher_is_better": evidence.higher_is_better,
        "difference": {
            "mean": evidence.difference,
            "lower": evidence.lower,
            "upper": evidence.upper,
        },
        "counts": None
        if evidence.cases is None
        else {k: _counts(getattr(evidence.cases, k)) for k in _CASES},
        "prob_within_margin": {k: chance.passes for k, chance in chances.items()},
        "prob_behind": {k: chance.behind for k, chance in chances.items()},
        "more": further,
        "won": evidence.won,
        "lost": evidence.lost,
    }


_SIDES = ("baseline", "candidate")
_CASES = ("observed", "worst", "best")


def _counts(counts: Counts) -> dict[str, int]:
    return dict(zip(("win", "loss", "tie"), counts, strict=True))


def _looks(looked: Looked) -> dict[str, Any]:
    return {
        "at": looked.plan.schedule.tolist(),
        "decisive": looked.decisive,
        "losses": looked.losses,
        "losses_needed": looked.needed,
        "e_value": looked.e_value,
        "e_value_needed": looked.e_needed,
        "rates": [{"difference": d} | asdict(rates) for d, rates in looked.rates],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

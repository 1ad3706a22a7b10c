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


def as_json(of: Decision) -> str:
    """All that was found; what is not known is null."""
    document = {
        "schema": SCHEMA,
        "version": betterthan.__version__,
        "verdict": of.verdict,
        "exit_code": of.exit_code,
        "also_behind": of.also_behind,
        "margin": of.margin,
        "threshold": of.threshold,
        "why": list(of.why),
        "evidence": None if of.evidence is None else _evidence(of.evidence),
        "looks": None if of.looked is None else _looks(of.looked),
        "reading": of.reading,
        "warnings": list(of.warned),
        "notes": list(of.said),
    }
    return json.dumps(_plain(document), indent=2, allow_nan=False) + "\n"


def _evidence(of: Evidence) -> dict[str, Any]:
    chances = {k: getattr(of.chances, k) for k in _CASES}
    further = None
    if of.further is not None:
        further = {"units": of.further.units, "probability": of.further.prob}
    return {
        "quantity": of.quantity,
        "unit": of.per,
        "n_items": of.items,
        "n_units": of.units,
        "effective_units": of.effective,
        "n_runs": of.runs,
        "missing": dict(zip(_SIDES, of.missing, strict=True)) | {"cells": of.cells},
        "means": dict(zip(_SIDES, of.means, strict=True)),
        "higher_is_better": of.higher_is_better,
        "difference": {"mean": of.difference, "lower": of.lower, "upper": of.upper},
        "counts": None if of.cases is None else {k: _counts(getattr(of.cases, k)) for k in _CASES},
        "prob_within_margin": {k: chance.passes for k, chance in chances.items()},
        "prob_behind": {k: chance.behind for k, chance in chances.items()},
        "more": further,
        "won": of.won,
        "lost": of.lost,
    }


_SIDES = ("baseline", "candidate")
_CASES = ("observed", "worst", "best")


def _counts(of: Counts) -> dict[str, int]:
    return dict(zip(("win", "loss", "tie"), of, strict=True))


def _looks(of: Looked) -> dict[str, Any]:
    return {
        "at": of.plan.at.tolist(),
        "decisive": of.decisive,
        "losses": of.losses,
        "losses_needed": of.needed,
        "e_value": of.e_value,
        "e_value_needed": of.e_needed,
        "rates": [{"difference": d} | asdict(rates) for d, rates in of.rates],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

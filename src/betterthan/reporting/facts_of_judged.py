"""What is known of systems compared by a judge that labels of people correct."""

from typing import Any

import xarray as xr

from betterthan import names
from betterthan.answers import rows
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.facts import Facts, final, of_any, pair_facts, plain, standing
from betterthan.signed import Signature


def judged_facts(found: xr.Dataset) -> Facts:
    """Of `compare` of judged outcomes, besides the facts on pairs or on how several stand.

    labels_by; n_gold and n, labels and judged items (of many: in all pairs); bare, the share of
    judged items whose signal has no label. Of two r2, effective_gold (with its
    ends), gold_p and judge_p of the first, judge_opposed; of many effective_least, effective_most,
    r2_least, r2_most, and
    n_judge_other, pairs on which the judge alone has another verdict.
    """
    data = found.isel({names.ENGINE: 0}) if names.ENGINE in found.dims else found
    made = Signature.from_attrs(found.attrs)
    pairs = rows.pairs(data)
    systems = rows.systems(data, pairs)
    met: Any = pairs[pairs["n"] > 0]
    told = of_any(systems, made) | _of_labels(met, made)
    if len(pairs) > 1:
        told |= standing(told, pairs, systems, made)
        return plain(told | _of_many(met))
    row = {k: v for k, v in pairs.to_dict("records")[0].items() if k not in _TALLY}
    return plain(pair_facts(row, made) | told | _of_two(row))


_TALLY = ("wins", "losses", "ties")  # of the labels alone: not what the answer is by


def _of_labels(met: Any, made: Signature) -> Facts:
    n = int(met["n"].sum())
    bare = float((met["unlabelled"] * met["n"]).sum() / n) if n else 0.0
    who = on_one_line(str(made.labels_by or "people"))
    return {"labels_by": who, "n_gold": int(met["n_gold"].sum()), "n": n, "bare": bare}


def _of_two(row: Facts) -> Facts:
    judge = row.get("judge_prob_better")
    worth = ("effective_gold", "effective_gold_lower", "effective_gold_upper")
    told = {name: row.get(name) for name in ("r2", *worth)}
    told |= {"gold_p": row.get("gold_prob_better"), "judge_p": judge}
    return told | {"judge_opposed": judge is not None and judge < 0.5}


def _of_many(met: Any) -> Facts:
    told: Facts = {}
    for name, column in (("effective", "effective_gold"), ("r2", "r2")):
        told |= {
            f"{name}_least": float(met[column].min()),
            f"{name}_most": float(met[column].max()),
        }
    if "judge_verdict" in met:
        told["n_judge_other"] = int((met["judge_verdict"].to_numpy(str) != final(met)).sum())
    return told

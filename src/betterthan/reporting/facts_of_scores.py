"""What is known of systems compared by a score, an order or a prediction: what their answer says.

Besides the facts of `facts` on best, leader and pairs: statistic (in words), n and units;
few_units; of two systems their scores, test_p, test_for and why posterior and test differ, and
what held a verdict back; of orders n_left_out (documents), no_nearer and n_no_nearer (systems whose
orders are not told from chance), chance_p; of predictions outside and n_outside.
"""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.answers import numbers, rows
from betterthan.reporting.cells import cell_of, interval_of, p_value_in
from betterthan.reporting.facts import Facts, plain, standing
from betterthan.reporting.score_pairs import favours, of_wins, said_of, units_of, why, withheld
from betterthan.signed import Signature

_UNTOLD = ("no_verdict", "no_data")


def score_facts(found: xr.Dataset) -> Facts:
    """Of `scores.compare` and `orders.compare`, systems by their expected rank."""
    made = Signature.from_attrs(found.attrs)
    units = int(found.attrs["n_items"])
    told = _named(found, said_of(found), made)
    told |= {"n": units, "units": units_of(found), "few_units": units < names.UNITS_MIN}
    told |= _standing(found, made, told) | _chance(found)
    if found.sizes[names.SYSTEM] == 2:
        told |= _tested(found)
    return plain(told)


def prediction_facts(found: xr.Dataset, response: str) -> Facts:
    """Of `features.predict`, the best component first."""
    made = Signature.from_attrs(found.attrs)
    told = _named(found, f"predicted {response}", made)
    failures = [f for f in np.atleast_1d(found.attrs["failures"]).tolist() if f]
    told |= {"failures": " ".join(failures)} if failures else {}
    told |= _standing(found, made, told) if found.sizes[names.SYSTEM] > 1 else {}
    outside = [str(s) for s in found[names.SYSTEM].values[found["outside"].values != ""]]
    return plain(told | {"outside": outside, "n_outside": len(outside)})


def _named(found: xr.Dataset, statistic: str, made: Signature) -> Facts:
    systems = [str(s) for s in found[names.SYSTEM].values]
    return {
        "kind": "two" if len(systems) == 2 else "many",
        "n_systems": len(systems),
        "n_others": len(systems) - 1,
        "systems": systems,
        "statistic": statistic,
        "lower_score": not found.attrs.get("higher_is_better", True),
        "threshold": made.threshold or names.VERDICT_PROB,
        "rope": made.rope or 0.0,
        "interval": interval_of(found.attrs),
    }


def _standing(found: xr.Dataset, made: Signature, told: Facts) -> Facts:
    """Who is better, or the best; that nothing is told where no verdict is given."""
    pairs: Any = rows.pairs(found)
    if "failures" not in told and pairs["verdict"].isin(_UNTOLD).all():
        told = told | {"failures": f"{withheld(cell_of(found, 0, 1))}."}
    if len(pairs) > 1:
        return told | standing(told, pairs, rows.systems(found, pairs), made)
    row = pairs.to_dict("records")[0]
    return told | _of_two(found, row, str(told["statistic"]))


def _of_two(found: xr.Dataset, row: dict[str, Any], statistic: str) -> Facts:
    first, second = row["system"], row["other"]
    cell = found.sel({names.SYSTEM_A: first, names.SYSTEM_B: second})
    kept = ("verdict", "difference", "within_rope", "beyond_rope", "also_ahead")
    told = {name: row.get(name) for name in kept} | {"first": first, "second": second}
    told |= {"p": row["prob_better"], "p_mcse": row.get("mcse")}
    told |= {"difference_lower": row["lower"], "difference_upper": row["upper"]}
    told["difference_mcse"] = _value(cell, "difference_mean_mcse")
    told["within_rope_mcse"] = _rope_error(cell)
    lower = ", lower is better," if not found.attrs.get("higher_is_better", True) else ""
    told["difference_is"] = f"difference in {statistic}{lower}"
    for place, name in (("first", first), ("second", second)):
        at = found.sel({names.SYSTEM: name})
        told |= {f"{place}_{key}": _value(at, key) for key in ("score", *_ENDS)}
    return told


_ENDS = ("score_lower", "score_upper")


def _value(at: xr.Dataset, name: str) -> float | None:
    return at[name].item() if name in at else None


def _rope_error(cell: xr.Dataset) -> float | None:
    if "mass_mcse" not in cell:
        return None
    return cell["mass_mcse"].sel({names.REGION: names.REGIONS[1]}).item()


def _tested(found: xr.Dataset) -> Facts:
    """What the randomization test says, and why it is another thing than the posterior says."""
    cell = cell_of(found, 0, 1)
    if cell["prob_better"].item() < 0.5:
        cell = cell_of(found, 1, 0)
    verdict, side = str(cell["verdict"].item()), favours(cell)
    of = {1: cell[names.SYSTEM_A], -1: cell[names.SYSTEM_B]}
    told: Facts = {"test_p": p_value_in(cell)}
    told["test_for"] = str(of[side].item()) if side else None
    if verdict not in _UNTOLD:
        told["held_back"] = of_wins(cell, verdict) or None
        told["why"] = why(verdict, cell["p_value"].item(), side, cell.attrs["alpha"]) or None
    return told


def _chance(found: xr.Dataset) -> Facts:
    """Of orders, whether they are nearer to the reference than orders by chance."""
    if "p_chance" not in found:
        return {}
    alpha, p = float(found.attrs.get("alpha", names.ALPHA)), found["p_chance"].values
    far = [str(s) for s in found[names.SYSTEM].values[p > alpha]]
    told = {"no_nearer": far, "n_no_nearer": len(far), "alpha": alpha}
    told["n_left_out"] = int(found.attrs["n_dropped"])
    return told | {"chance_p": numbers.p_value(float(np.max(p)))}

"""How firm an answer is: more items, fresh items, items that turn, missing scores, ties."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import to_pairs
from betterthan.counts.ties import POLICIES, policy_applied
from betterthan.plan.outlooks import needed, outlook
from betterthan.posterior.parameters import settled
from betterthan.posterior.sensitivity import prior_sweep
from betterthan.posterior.verdicts import of_parameters
from betterthan.reporting.escapes import on_one_line
from betterthan.signed import Signature

Facts = dict[str, Any]
_PAIRS_OF = 100  # pairs up to which policies for ties are tried with a rope, which needs quadrature
_TARGET = 0.8  # probability with which more items are to decide
_FEW = 5  # items of a prior that undo a verdict, up to which it is said
_FAR = 10_000  # items up to which `outlook` looks
_WORDS = {"third": "kept", "drop": "dropped", "half": "half each"}


def outlook_facts(data: xr.Dataset, found: Facts) -> Facts:
    """Of two systems what their pair is to expect; of many, of the leader with the first system
    that it is open with, and with the first that it is better than.
    """
    if "leader" not in found:
        return _of_open(data) | _of_decided(data)
    data = needed(data)
    systems = [on_one_line(str(s)) for s in data[names.SYSTEM_A].values]
    told: Facts = {}
    for name, tell in (("open_with", _of_open), ("beats", _of_decided)):
        for other in found[name][:1]:
            places = [systems.index(found["leader"]), systems.index(other)]
            told |= tell(data.isel(dict.fromkeys(names.SQUARE, places)))
    return told


def _of_open(pair: xr.Dataset) -> Facts:
    """What an undecided pair needs."""
    found, first, second = _looked_at(pair)
    reached, items = found["more_probability"], found["more_items"]
    if found["now"] != "undecided" or reached != reached or _nothing(pair):
        return {}
    more = {"open_first": first, "open_second": second, "more_target": _TARGET}
    return more | ({"more_beyond": _FAR} if items != items else {"more_items": int(items)})


def _of_decided(pair: xr.Dataset) -> Facts:
    """How firm a verdict is."""
    found, first, second = _looked_at(pair)
    again, turn, drop = (found[k] for k in ("replicates", "turn", "drop"))
    if found["now"] == "undecided" or again != again:
        return {}
    kept = {"kept_first": first, "kept_second": second, "replicates": again}
    kept |= _undone(pair)
    if found["now"] == "equivalent" or turn != turn:
        return kept
    kept |= {"turn_items": int(turn), "turn_of": int(found["decisive"])}
    return kept | ({"drop_items": int(drop)} if drop == drop else {})


def _undone(pair: xr.Dataset) -> Facts:
    """The fewest items of a prior, half won by each, that undo the verdict, where they are few."""
    made = Signature.from_attrs(pair.attrs)
    kept = made.ties in ("third", "all") and pair.sizes[names.OUTCOME] == len(made.prior or ())
    if not kept or "n_units" in pair or made.model is not None:
        return {}
    threshold = made.threshold or names.VERDICT_PROB
    swept = prior_sweep(pair["counts"], priors={"asked": made.prior}, threshold=threshold)
    even = float(swept["pseudo_even"].values[0, 1])
    return {"pseudo_even": int(even)} if even <= _FEW else {}


def _nothing(pair: xr.Dataset) -> bool:
    """Whether there are no wins, no losses, and no known ties: then the prior alone would speak."""
    return pair.sizes.get(names.OUTCOME) == 2 and not pair["counts"].values.any()


def _looked_at(pair: xr.Dataset) -> tuple[dict[str, Any], str, str]:
    found = outlook(pair, target=_TARGET, most=1).data.isel({names.PAIR: 0})
    first, second = (on_one_line(str(found[k].values)) for k in names.SQUARE)
    return {str(k): v.values.item() for k, v in found.data_vars.items()}, first, second


def missing_facts(data: xr.Dataset) -> Facts:
    """Of how many pairs scores are missing, and how many verdicts hold whatever these are."""
    if "missing_holds" not in data:
        return {}
    upper = np.triu_indices(data.sizes[names.SYSTEM_A], 1)
    touched = data["n_missing"].transpose(*names.SQUARE).values[upper] > 0
    holds = data["missing_holds"].transpose(*names.SQUARE).values[upper]
    told = {"missing_pairs": int(touched.sum()), "missing_holding": int((touched & holds).sum())}
    return told | (_as_wrong(data, upper) if "verdict_if_wrong" in data else {})


def _as_wrong(data: xr.Dataset, upper: tuple[np.ndarray, ...]) -> Facts:
    """What becomes of verdicts if scores that are missing on hard or easy items were wrong."""
    now, then = (
        data[name].transpose(*names.SQUARE).values[upper]
        for name in ("verdict", "verdict_if_wrong")
    )
    changed = int((now != then).sum())
    if len(now) > 1 or not changed:
        return {"missing_wrong_changed": changed} if changed else {}
    p = float(data["prob_better_if_wrong"].transpose(*names.SQUARE).values[0, 1])
    pair = [on_one_line(str(s)) for s in data[names.SYSTEM_A].values]
    first, second = pair if p >= 0.5 else pair[::-1]
    ahead = {"missing_wrong_first": first, "missing_wrong_second": second}
    return ahead | {"missing_wrong_p": max(p, 1 - p)}


def ties_facts(data: xr.Dataset) -> Facts:
    """Under which policies for ties the verdicts on pairs are the same, and under which not."""
    made = Signature.from_attrs(data.attrs)
    verdict = data["verdict"].transpose(*names.SQUARE).values.astype(str)
    if not _tried(data, made, len(verdict)):
        return {}
    of_pairs = verdict[np.triu_indices(len(verdict), 1)]
    pairs = to_pairs(data["counts"])
    now = under(pairs, made, "third")
    told = np.isin(of_pairs, ["a_better", "b_better", "equivalent", "undecided"])
    if (now != of_pairs)[told].any():  # not what was asked for
        return {}
    other = {policy.name: under(pairs, made, policy.name) for policy in POLICIES}
    if len(verdict) == 2 and not told.any():
        return {}
    if len(verdict) == 2:
        return _of_two(data, {name: str(of[0]) for name, of in other.items()})
    changed = {name: (of != now) & told for name, of in other.items()}
    return _of_many(changed, int(told.sum()))


def _tried(data: xr.Dataset, made: Signature, n: int) -> bool:
    """Whether the verdicts are by counts of wins, losses and ties that stand as they came."""
    kept = made.ties in ("third", "all") and made.prior is not None and made.model is None
    known = "counts" in data and data.sizes[names.OUTCOME] == 3 and "n_units" not in data
    few = not made.rope or n * (n - 1) // 2 <= _PAIRS_OF
    if not (kept and known and few):
        return False
    ties = data["counts"].transpose(*names.SQUARE, names.OUTCOME).values[..., 2]
    return (
        bool(ties[np.triu_indices(n, 1)].any())
        and made.method in ("exact", "both")
        and made.quantity != "mean"
    )


def under(pairs: xr.DataArray, made: Signature, policy: str) -> np.ndarray:
    """The verdict of every pair under a policy for ties, of counts (pair, outcome)."""
    a, b, t = settled(policy_applied(pairs, policy), made.prior).values
    return of_parameters(a, b, t, made.rope or 0.0, made.threshold or names.VERDICT_PROB)


def _of_two(data: xr.Dataset, verdict: dict[str, str]) -> Facts:
    a, b = (on_one_line(str(s)) for s in data[names.SYSTEM_A].values)
    words = _WORDS | {"to_a": f"all to {a}", "to_b": f"all to {b}"}
    said = {"a_better": f"{a} better", "b_better": f"{b} better"}
    same = [words[name] for name, of in verdict.items() if of == verdict["third"]]
    other = {name: of for name, of in verdict.items() if of != verdict["third"]}
    changed = [f"{words[name]} ({said.get(of, of)})" for name, of in other.items()]
    return {"ties_same": same, "ties_changed": changed, "n_ties_changed": len(changed)}


def _of_many(changed: dict[str, np.ndarray], told: int) -> Facts:
    """`to_a` and `to_b` together: all ties to one side of a pair, whichever."""
    each = {_WORDS[name]: changed[name] for name in _WORDS}
    each["all to one side"] = changed["to_a"] | changed["to_b"]
    number = {word: int(of.sum()) for word, of in each.items()}
    return {
        "ties_same": [word for word, k in number.items() if not k],
        "ties_changed": [f"{word} ({k:,} of {told:,})" for word, k in number.items() if k],
        "n_ties_changed": sum(k > 0 for k in number.values()),
    }

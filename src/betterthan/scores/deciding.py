"""What resampled scores say of pairs: where units say all the same, and when a verdict is given."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.numeric import weights
from betterthan.exact.wins.beta import prob_above_half
from betterthan.posterior import table
from betterthan.posterior.table import Question
from betterthan.scores.evidence import Held


def decided(
    found: xr.Dataset, wins: np.ndarray, held: Held, asked: Question, size: float
) -> xr.Dataset:
    """The table with ``prob_more_wins`` and verdicts.

    Parameters
    ----------
    found : xarray.Dataset
        Over (system_a, system_b), from joint draws.
    wins : numpy.ndarray, (system, system)
        Units on which the system of the row is ahead.
    held : Held
    asked : Question
    size : float
        The largest absolute score, beside which rounding is judged.
    """
    more = np.asarray(prob_above_half(1.0 + wins, 1.0 + wins.T))
    parts = {"wins": wins, "prob_more_wins": more}
    found = found.assign({name: (names.SQUARE, part) for name, part in parts.items()})
    found = table.with_verdicts(_without_width(found, asked, size), asked)
    return found.assign({k: (names.SQUARE, v) for k, v in _agreed(found, held, asked).items()})


def _without_width(found: xr.Dataset, asked: Question, size: float) -> xr.Dataset:
    """Where all units say the same of a pair there is no interval, and wins say who is better."""
    lower, upper = (found[f"difference_{end}"].values for end in ("lower", "upper"))
    flat = ~weights.told(lower, upper, size) & ~np.eye(found.sizes[names.SYSTEM_A], dtype=bool)
    if not flat.any():
        return found
    pair = xr.DataArray(flat, dims=names.SQUARE)
    none = [f"difference_{end}{of}" for end in ("lower", "upper") for of in ("", "_mcse")]
    parts = {name: found[name].where(~pair) for name in none}
    more = found["prob_more_wins"]
    parts["prob_better"] = found["prob_better"].where(~pair, more)
    parts["prob_better_mcse"] = found["prob_better_mcse"].where(~pair, 0.0)
    masses = _masses(more) if asked.rope == 0 else xr.full_like(found["mass"], np.nan)
    parts["mass"] = found["mass"].where(~pair, masses)
    parts["mass_mcse"] = found["mass_mcse"].where(~pair, masses * 0)
    return found.assign(parts)


def _masses(more: xr.DataArray) -> xr.DataArray:
    """Of both sides, and none between."""
    sides = np.stack([more.values.T, np.zeros(more.shape), more.values], axis=-1)
    return xr.DataArray(sides, dims=(*names.SQUARE, names.REGION))


def _agreed(found: xr.Dataset, held: Held, asked: Question) -> Mapping[str, np.ndarray]:
    """Verdicts that the numbers of wins agree with; none on rare labels, nor on a single unit."""
    more, verdict = found["prob_more_wins"].values, found["verdict"].values
    sure, better = more >= asked.threshold, found["prob_better"].values
    agrees = np.where(verdict == "a_better", sure, sure.T)
    sided = np.isin(verdict, ("a_better", "b_better"))
    verdict = np.where(sided & ~agrees, "undecided", verdict)
    also = found["also_ahead"].values & np.where(better > 0.5, sure, sure.T)
    withheld = "no_data" if held.units < 2 else "no_verdict" if held.rare else ""
    if withheld:
        verdict = np.where(np.eye(len(verdict), dtype=bool), verdict, withheld)
        also = np.zeros_like(also)
    parts = {"verdict": verdict, "also_ahead": also}
    if "beyond_rope" in found:
        named = np.isin(verdict, ("a_better", "b_better"))
        parts["beyond_rope"] = found["beyond_rope"].values & named
    return parts


def behind_top(found: xr.Dataset, higher_is_better: bool) -> np.ndarray:
    """Which systems the one of the highest score is found better than."""
    score = found["score"].values
    top = int(np.argmax(score if higher_is_better else -score))
    return found["verdict"].values[top] == "a_better"


def within(found: xr.Dataset, low: float, high: float) -> xr.Dataset:
    """Ends of intervals cut at what a score, and a difference of two, can be; draws are not."""
    ends = ("lower", "upper")
    parts = {f"score_{end}": found[f"score_{end}"].clip(low, high) for end in ends}
    widest = high - low
    of_two = {f"difference_{end}": found[f"difference_{end}"].clip(-widest, widest) for end in ends}
    return found.assign(parts | of_two)


def warn(found: xr.Dataset, held: Held, statistic: str) -> None:
    """One line for each reason to read less into the answer."""
    systems = found[names.SYSTEM].values.astype(str)
    flat = systems[np.isnan(found["score_lower"].values)].tolist()
    alike = np.argwhere(np.triu(np.isnan(found["difference_lower"].values)))
    pairs = [(str(systems[i]), str(systems[j])) for i, j in alike]
    lines = [few_units(held.units), _rare_line(held), no_width(flat, statistic, pairs)]
    for line in filter(None, lines):
        warnings.warn(line, stacklevel=3)


def few_units(units: int, what: str = "units") -> str:
    """A warning, or nothing."""
    if units >= names.UNITS_MIN:
        return ""
    number = f"{units} {what}" if units != 1 else f"1 {what.removesuffix('s')}"
    return (
        f"the score rests on {number}, fewer than {names.UNITS_MIN}: how sure the answer is, is "
        "little more than a guess"
    )


def _rare_line(held: Held) -> str:
    if not held.rare:
        return ""
    (label, number), *more = held.rare.items()
    others = f" and {len(more)} more labels" if len(more) > 1 else " and another" if more else ""
    return (
        f"{label!r} has {number} gold items{others}; the error of a macro-average rests on the "
        f"rarest label, so there is no verdict below {names.LABEL_ITEMS_MIN}, or where a label is "
        "in one unit alone"
    )


def no_width(systems: list[str], what: str, pairs: Sequence[tuple[str, str]] = ()) -> str:
    """A warning, or nothing: what is the same on every unit, so that nothing tells its error."""
    each, between = [repr(k) for k in systems], [f"{a!r} and {b!r}" for a, b in pairs]
    kinds = ((what, each), ("the difference", between))
    said = "; ".join(f"{kind} of {_first(who)}" for kind, who in kinds if who)
    return f"no interval where all units say the same: {said}" if said else ""


def _first(said: list[str]) -> str:
    more = f" and {len(said) - 3:,} more" if len(said) > 3 else ""
    return ", ".join(said[:3]) + more

"""Describe plans in plain sentences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.robustness import items_to_flip

_VERDICT_TEXTS = {
    "a_better": "{a} better",
    "b_better": "{b} better",
    "equivalent": "equivalent",
    "undecided": "undecided",
}
_NOW = {
    "a_better": "{a} is better",
    "b_better": "{b} is better",
    "equivalent": "Practically equivalent",
    "undecided": "Undecided",
}


def single_pair(data: xr.Dataset) -> tuple[xr.Dataset, dict[str, str]]:
    """The only pair, if there is one, and the names of its systems."""
    if data.sizes.get(names.SYSTEM_A) == 2:
        pair = data.isel({names.SYSTEM_A: 0, names.SYSTEM_B: 1})
    elif data.sizes.get(names.PAIR) == 1:
        pair = data.isel({names.PAIR: 0})
    else:
        return data, {"a": "A", "b": "B"}
    return pair, {k: str(pair[side].values) for k, side in zip("ab", names.SQUARE, strict=True)}


def _verdict_probabilities(probability: xr.DataArray, system_names: dict[str, str]) -> str:
    return ", ".join(
        f"{_VERDICT_TEXTS[str(v)].format(**system_names)} {numbers.probability(float(p))}"
        for v, p in zip(probability["verdict"].values, probability.values, strict=True)
        if p > 0
    )


def _standing(pair: xr.Dataset, system_names: dict[str, str]) -> str:
    threshold = float(pair.attrs.get("threshold") or 0.0)
    p = numbers.equal_to(float(pair["prob_better"]), threshold=threshold)
    verdict = _NOW[str(pair["now"].values)].format(**system_names)
    return f"{verdict}: P({system_names['a']} better) {p} after {_counted(pair['n'], 'items')}."


def _counted(n: Any, units: str) -> str:
    """A number of items or other units."""
    return f"{int(n):,} {units if int(n) != 1 else units.removesuffix('s')}"


def _predicted(pair: xr.Dataset, system_names: dict[str, str], units: str) -> str:
    """The predictive probability of each verdict."""
    probabilities = _verdict_probabilities(pair["probability"], system_names)
    return (
        f"Predictive probability of each verdict after {_counted(pair['n_more'], f'more {units}')}"
        f": {probabilities}."
    )


def _replicated(pair: xr.Dataset, system_names: dict[str, str], units: str) -> str:
    """The probability of the same verdict on new items alone."""
    probability = numbers.probability(float(pair["same"]))
    new = f"on {_counted(pair['n_more'], f'new {units}')}"
    head = f"Replication probability (same verdict {new})"
    if str(pair["now"].values) == "undecided":
        head = f"Probability to be undecided again {new}"
    return (
        f"{head}: {probability}. Each verdict: "
        f"{_verdict_probabilities(pair['probability'], system_names)}."
    )


def foresight(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair after more items; several pairs have a table."""
    return _described(data, _predicted)


def replication(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair on new items alone."""
    return _described(data, _replicated)


def _described(data: xr.Dataset, describe: Callable[..., str]) -> tuple[str, ...]:
    """The verdict on one pair so far, and its probabilities as `describe` words them."""
    pair, system_names = single_pair(data)
    of_means, several = "difference" in data, "more" in data.dims
    if pair["now"].dims or (of_means and several):
        return ()
    if of_means:
        units = str(data.attrs["units"])
        too_few = bool(pair["probability"].isnull().any())
        text = _TOO_FEW if too_few else describe(pair, system_names, units)
        lower = "; lower is better" * data.attrs.get("lower_is_better", 0)
        quantity = data.attrs.get("difference_of", "means")
        split = (_SPLIT,) if pair.get("wins_and_means_differ", False) else ()
        return _difference(pair, system_names, units, quantity, lower), text, *split
    standing = _standing(pair, system_names)
    return (standing,) if several else (standing, describe(pair, system_names, "items"))


_SPLIT = (
    "This is of means; wins favor the other system, so that compare names no single winner unless "
    "you choose quantity='mean' or 'wins'."
)
_TOO_FEW = (
    "Nothing can be predicted: the effective number of units is 3 or less, or the units do not "
    "differ."
)


def _difference(
    pair: xr.Dataset, system_names: dict[str, str], units: str, quantity: str, lower: str
) -> str:
    verdict = _NOW.get(str(pair["now"].values), "").format(**system_names)
    difference, error = f"{float(pair['difference']):+.3g}", f"{float(pair['error']):.3g}"
    what = f"{verdict}: difference" if verdict else "Difference"
    return (
        f"{what} in {quantity} ({system_names['a']} − {system_names['b']}{lower}) "
        f"{difference.replace('-', '−')} (standard error {error}, {_counted(pair['n'], units)})."
    )


def assurance(data: xr.Dataset) -> tuple[str, ...]:
    """Describe what the curve reaches, and its limit."""
    last = data.isel(n=-1) if "n" in data.dims else data
    top = data["ceiling"].sel(verdict="a_better").item()
    return (
        f"Probability of each verdict with {_counted(last['n'], 'items')}: "
        f"{_verdict_probabilities(last['probability'], {'a': 'A', 'b': 'B'})}.",
        "The limiting probability of the verdict A better, with ever more items, is "
        f"{numbers.probability(top)}.",
    )


_TARGET_TEXTS = {
    "a_better": "the verdict {a} better",
    "b_better": "the verdict {b} better",
    "either": "a verdict for either system",
    "equivalent": "the verdict equivalent",
    "any": "any verdict",
}


def needed(data: xr.Dataset, attrs: dict[str, Any]) -> tuple[str, ...]:
    """Say how many items are needed, or that no number suffices."""
    verdict, target = wanted_verdict(attrs), f"{attrs['target']:g}"
    first, always, top = (float(data[k]) for k in ("first", "always", "ceiling"))
    more = " more" if attrs["keep"] else ""
    if np.isnan(first):
        if top < attrs["target"] and attrs["rope"]:  # which may exceed the limit on the way
            return (
                f"No number of items up to {attrs['most']:,}{more} leads to {verdict} with "
                f"probability {target}; the limiting probability is {numbers.probability(top)}.",
            )
        if top < attrs["target"]:
            return (
                f"No number of items leads to {verdict} with probability {target}: the limiting "
                f"probability, with ever more items, is {numbers.probability(top)}.",
            )
        return (
            f"More than {attrs['most']:,}{more} items are needed for {verdict} with probability "
            f"{target}; the limiting probability is {numbers.probability(top)}.",
        )
    if first == 0:
        reached = verdict.replace("any verdict", "a verdict")
        return (
            f"The items so far already give {reached}: no more items are needed. If you add items, "
            f"the limiting probability, with ever more items, is {numbers.probability(top)}.",
        )
    later = always == always != first
    still = f"; from {always:,.0f} items on, it is never lower" if later else ""
    still = "; with many more, it falls below that" if top < attrs["target"] else still
    return (
        f"{first:,.0f}{more} {'item leads' if first == 1 else 'items lead'} to {verdict} with "
        f"probability {target}{still}.",
        f"About {float(data['decisive']):,.0f} of them will be non-tied. The limiting probability, "
        f"with ever more items, is {numbers.probability(top)}.",
    )


def wanted_verdict(attrs: dict[str, Any]) -> str:
    """The verdict that items are planned for."""
    system_names = dict(zip("ab", attrs.get("systems", ("A", "B")), strict=True))
    return _TARGET_TEXTS[attrs["of"]].format(**system_names)


def boundary(data: xr.Dataset) -> tuple[str, ...]:
    """What must be reached, and what equal systems do."""
    wins, looks = data["wins"].values, data["look"].values
    wrong = numbers.probability(float(data["error"].values[-1]))
    if (wins < 0).all():
        return (
            f"No number of wins among {looks[-1]} non-tied items keeps the error at "
            f"{data.attrs['error']:g}.",
        )
    first = int(np.argmax(wins >= 0))
    return (
        "Stop at an interim look as soon as one system has enough wins: "
        f"{wins[first]} of {looks[first]} non-tied items at the earliest, {wins[-1]} of "
        f"{looks[-1]} at the last look.",
        f"If the systems are equal, some of these {len(looks)} looks leads to a verdict with "
        f"probability {wrong}.",
    )


def peeking(data: xr.Dataset) -> tuple[str, ...]:
    """Compare several looks with the last look only."""
    last = data.isel(look=-1)
    unit = "non-tied items" if not data.attrs["rope"] else "items"
    any_look, single_look = (
        float(last[k].sel(verdict=["a_better", "b_better"]).sum()) for k in ("probability", "alone")
    )
    return (
        f"With {data.sizes['look']} looks at up to {int(last['look'])} {unit}, a verdict for A or "
        f"B has probability {numbers.probability(any_look)}; with one look at the end, "
        f"{numbers.probability(single_look)}.",
        f"The expected number of {unit} is {data.attrs['items']:.1f}.",
    )


def staked(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair: the strongest claim."""
    if set(data["e_value"].dims) != {"claim"}:
        return ()
    best = data.isel(claim=int(np.argmax(data["log_e_value"].values)))
    claim = str(best["claim"].values)
    claim = _VERDICT_TEXTS.get(claim, claim.replace("_", " ")).format(a="A", b="B")
    return (
        f"The claim with the highest e-value is {claim}: {float(best['e_value']):.3g}.",
        "If you chose one claim beforehand, you may stop whenever its e-value reaches 20; the "
        "error is then at most 0.05. If you watch several, multiply 20 by their number.",
    )


def sequence(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair."""
    if data["lower"].dims:
        return ()
    limits = numbers.limits(float(data["lower"]), float(data["upper"]))
    share = 100 * (1 - data.attrs["error"])
    return (
        f"Difference in win rate (A − B): {limits} ({share:g}% confidence sequence, valid at every "
        "interim look).",
    )


def fragility(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair: how many items would have to flip, or be removed."""
    pair, system_names = single_pair(data)
    if pair["now"].dims:
        return ()
    verdict = str(pair["now"].values)
    if verdict == "undecided":
        return ("Undecided: there is no verdict that a change of items could overturn.",)
    sentence = (
        f"{_NOW[verdict].format(**system_names)}: flipping {items_to_flip(pair)} would overturn "
        f"this verdict; so would removing {int(pair['drop']):,}."
    )
    if verdict == "equivalent":
        return (sentence,)
    changes = [f"{text} {int(pair[k]):,}" for k, text in _OVER if not np.isnan(pair[k])]
    other = system_names["b" if verdict == "a_better" else "a"]
    reverse = f"A verdict in favor of {other} would require {' or '.join(changes)} items."
    return (sentence, reverse) if changes else (sentence,)


_OVER = (("turn_to_other", "flipping"), ("drop_to_other", "removing"))


def power(data: xr.Dataset, unit: str) -> tuple[str, ...]:
    """At one n, or from which on the target is reached."""
    first, always = float(data["first"]), float(data["always"])
    if "n" not in data.dims:
        rates = (numbers.probability(float(data[k])) for k in ("power", "level"))
        text = "With {} {}: power {}, actual significance level {}."
        return (text.format(int(data["n"]), unit, *rates),)
    if np.isnan(first):
        return (f"None of these numbers of {unit} has a power of {data.attrs['target']:g}.",)
    still = f"; from {always:,.0f} on, it is never lower" if always == always != first else ""
    target, n = f"a power of {data.attrs['target']:g}{still}", data["n"].values
    if np.array_equal(n, np.arange(1, len(n) + 1)):
        return (f"{first:,.0f} {unit} are needed for {target}.",)
    return (f"Of these numbers of {unit}, {first:,.0f} is the least with {target}.",)


def strata(data: xr.Dataset) -> tuple[str, ...]:
    """Say where both averages favor different systems."""
    by = data.attrs["of"]
    differing = data["differ"].values
    if names.SYSTEM_A in data.dims:
        differing = np.triu(differing)
    averages = (
        f"The micro-average (all items pooled) and the macro-average (mean over {by}) favor "
        "different systems in"
    )
    number = int(differing.sum())
    if not number:
        return (f"{averages} no pair.",)
    pairs = "pair" if number == 1 else "pairs"
    return (f"! {averages} {number} {pairs}. Decide which one you report.",)

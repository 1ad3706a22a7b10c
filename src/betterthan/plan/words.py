"""Describe plans in plain sentences."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers

_VERDICT_TEXTS = {
    "a_better": "{a} better",
    "b_better": "{b} better",
    "equivalent": "equivalent",
    "undecided": "undecided",
}
_NOW = {
    "a_better": "{a} is better today",
    "b_better": "{b} is better today",
    "equivalent": "Equivalent today",
    "undecided": "Undecided today",
}


def _names(data: xr.Dataset) -> dict[str, str] | None:
    """The two systems, where there is one pair."""
    if names.SYSTEM_A in data.dims:
        labels = data[names.SYSTEM_A].values
        return {"a": str(labels[0]), "b": str(labels[1])} if len(labels) == 2 else None
    if names.PAIR in data.dims and data.sizes[names.PAIR] == 1:
        return {"a": str(data[names.SYSTEM_A].values[0]), "b": str(data[names.SYSTEM_B].values[0])}
    return {"a": "A", "b": "B"} if not set(data["now"].dims) - {"more"} else None


def _single_pair(data: xr.Dataset) -> xr.Dataset:
    """Select the only pair."""
    if names.SYSTEM_A in data.dims:
        return data.isel({names.SYSTEM_A: 0, names.SYSTEM_B: 1})
    return data.isel({names.PAIR: 0}) if names.PAIR in data.dims else data


def _verdict_probabilities(probability: xr.DataArray, system_names: dict[str, str]) -> str:
    parts = [
        f"{_VERDICT_TEXTS[str(v)].format(**system_names)} {numbers.probability(float(p))}"
        for v, p in zip(probability["verdict"].values, probability.values, strict=True)
        if p > 0
    ]
    return ", ".join(parts)


def _standing(pair: xr.Dataset, system_names: dict[str, str]) -> str:
    p = numbers.probability(float(pair["prob_better"]))
    verdict = _NOW[str(pair["now"].values)].format(**system_names)
    return f"{verdict} (P({system_names['a']} better) {p}, {int(pair['n'])} items)."


def foresight(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair; several pairs have a table."""
    system_names = _names(data)
    if system_names is None or set(_single_pair(data)["now"].dims):
        return ()
    pair = _single_pair(data)
    sentences = [_standing(pair, system_names)]
    if "more" not in pair.dims:
        sentences.append(
            f"With {int(pair['n_more'])} more items: "
            f"{_verdict_probabilities(pair['probability'], system_names)}."
        )
    return tuple(sentences)


def means_foreseen(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair of means."""
    system_names = _names(data)
    if system_names is None or "more" in data.dims:
        return ()
    pair = _single_pair(data)
    if pair["probability"].isnull().any():
        return (_difference(pair, system_names), _TOO_FEW)
    return (
        _difference(pair, system_names),
        f"With {int(pair['n_more'])} more: "
        f"{_verdict_probabilities(pair['probability'], system_names)}.",
    )


def replicated_means(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair of means."""
    system_names = _names(data)
    if system_names is None:
        return ()
    pair = _single_pair(data)
    if pair["probability"].isnull().any():
        return (_difference(pair, system_names), _TOO_FEW)
    probability = numbers.probability(float(pair["same"]))
    sentence = (
        f"On {int(pair['n_more'])} fresh ones alone the same verdict has probability {probability}"
    )
    return (
        _difference(pair, system_names),
        f"{sentence}: {_verdict_probabilities(pair['probability'], system_names)}.",
    )


_TOO_FEW = (
    "Units that are worth 3 of equal size or fewer, or that do not differ, predict nothing about "
    "more of them."
)


def _difference(pair: xr.Dataset, system_names: dict[str, str]) -> str:
    verdict = _NOW.get(str(pair["now"].values), "Nothing is said today").format(**system_names)
    difference, error = (f"{float(pair[k]):.3g}" for k in ("difference", "error"))
    return f"{verdict} (difference of means {difference}, its error {error}, on {int(pair['n'])})."


def replication(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair."""
    system_names = _names(data)
    if system_names is None or set(_single_pair(data)["now"].dims):
        return ()
    pair = _single_pair(data)
    return (
        _standing(pair, system_names),
        f"On {int(pair['n_more'])} fresh items alone the same verdict has probability "
        f"{numbers.probability(float(pair['same']))}: "
        f"{_verdict_probabilities(pair['probability'], system_names)}.",
    )


def assurance(data: xr.Dataset) -> tuple[str, ...]:
    """Describe what the curve reaches, and its limit."""
    last = data.isel(n=-1) if "n" in data.dims else data
    sentences = [
        f"With {int(last['n'])} items: "
        f"{_verdict_probabilities(last['probability'], {'a': 'A', 'b': 'B'})}."
    ]
    top = data["ceiling"].sel(verdict="a_better").item()
    sentences.append(
        f"No number of items gives A better with more than {numbers.probability(top)}."
    )
    return tuple(sentences)


_TARGET_TEXTS = {
    "a_better": "the verdict {a} better",
    "b_better": "the verdict {b} better",
    "either": "a verdict for either system",
    "equivalent": "the verdict equivalent",
    "any": "any verdict",
}


def needed(data: xr.Dataset, attrs: dict[str, Any]) -> tuple[str, ...]:
    """Say how many items are needed, or that no number suffices."""
    system_names = dict(zip("ab", attrs.get("systems", ("A", "B")), strict=True))
    verdict, target = _TARGET_TEXTS[attrs["of"]].format(**system_names), f"{attrs['target']:g}"
    first, always, top = (float(data[k]) for k in ("first", "always", "ceiling"))
    more = " more" if attrs["keep"] else ""
    if np.isnan(first):
        if top < attrs["target"]:
            return (
                f"No number of items gives {verdict} with probability {target}: more and more "
                "items "
                f"come to {numbers.probability(top)} at most.",
            )
        return (
            f"More than {attrs['most']:,}{more} items are needed for {verdict} with probability "
            f"{target}; the ceiling is {numbers.probability(top)}.",
        )
    still = "" if first == always else f", and from {always:.0f} on it stays there"
    if np.isnan(always):
        still = ""
    return (
        f"{first:.0f}{more} items give {verdict} with probability {target}{still}.",
        f"About {float(data['decisive']):.0f} of them will be decisive; more and more items come "
        f"to {numbers.probability(top)} at most.",
    )


def boundary(data: xr.Dataset) -> tuple[str, ...]:
    """What must be reached, and what equal systems do."""
    wins, looks = data["wins"].values, data["look"].values
    wrong = numbers.probability(float(data["error"].values[-1]))
    if (wins < 0).all():
        return (
            f"No number of wins among {looks[-1]} decisive items is sure enough for an error of "
            f"{data.attrs['error']:g}.",
        )
    first = int(np.argmax(wins >= 0))
    return (
        f"Stop at the first look that has the wins: {wins[first]} of {looks[first]} decisive "
        f"items, {wins[-1]} of {looks[-1]} at the last.",
        f"Two equal systems get a verdict by then with probability {wrong}, however often one "
        f"looks at these {len(looks)} times.",
    )


def peeking(data: xr.Dataset) -> tuple[str, ...]:
    """Compare several looks with the last look only."""
    last = data.isel(look=-1)
    unit = "decisive items" if not data.attrs["rope"] else "items"
    any_look, single_look = (
        float(last[k].sel(verdict=["a_better", "b_better"]).sum()) for k in _TWO
    )
    return (
        f"Looked at {data.sizes['look']} times up to {int(last['look'])} {unit}, a verdict for A "
        "or "
        f"B comes with probability {numbers.probability(any_look)}; looked at once, at the end, "
        "with "
        f"{numbers.probability(single_look)}.",
        f"It takes {data.attrs['items']:.1f} {unit} on average.",
    )


_TWO = ("probability", "alone")


def staked(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair: the strongest claim."""
    if set(data["e_value"].dims) != {"claim"}:
        return ()
    best = data.isel(claim=int(np.argmax(data["log_e_value"].values)))
    return (
        f"The strongest claim, {str(best['claim'].values).replace('_', ' ')}, has an e-value of "
        f"{float(best['e_value']):.3g}; one of 20 may be acted on whenever it is reached, with an "
        "error of 0.05.",
    )


def sequence(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair."""
    if data["lower"].dims:
        return ()
    limits = f"{float(data['lower']):+.3f} to {float(data['upper']):+.3f}"
    share = 100 * (1 - data.attrs["error"])
    return (f"P(A wins) - P(B wins) is within {limits}, however often one looks ({share:g} %).",)


def fragility(data: xr.Dataset) -> tuple[str, ...]:
    """Describe one pair: how many items would have to flip, or be removed."""
    system_names = _names(data)
    if system_names is None or set(_single_pair(data)["now"].dims):
        return ()
    pair = _single_pair(data)
    verdict = str(pair["now"].values)
    if verdict == "undecided":
        return ("Undecided: there is no verdict that could go.",)
    side = {
        "a_better": f"{system_names['a']} is better",
        "b_better": f"{system_names['b']} is better",
    }
    n_text = (
        f"{int(pair['decisive'])} decisive items" if verdict in side else f"{int(pair['n'])} items"
    )
    sentence = (
        f"{side.get(verdict, 'Practically equivalent')}: {int(pair['turn'])} of {n_text} would "
        "have "
    )
    sentence += f"to turn for this verdict to go, or {int(pair['drop'])} be dropped."
    if verdict not in side:
        return (sentence,)
    over = [f"{int(pair[k])} {k.split('_')[0]}" for k in _OVER if not np.isnan(pair[k])]
    alternatives = " or ".join(over).replace("turn", "turned").replace("drop", "dropped")
    return (
        (sentence, f"For the other system to be better: {alternatives}.") if over else (sentence,)
    )


_OVER = ("turn_to_other", "drop_to_other")


def power(data: xr.Dataset, unit: str) -> tuple[str, ...]:
    """At one n, or from which on the target is reached."""
    first, always = float(data["first"]), float(data["always"])
    if "n" not in data.dims:
        rates = (numbers.probability(float(data[k])) for k in ("power", "level"))
        return ("With {} {}: power {}, at a level of {}.".format(int(data["n"]), unit, *rates),)
    if np.isnan(first):
        return (f"None of these numbers of {unit} has a power of {data.attrs['target']:g}.",)
    still = f"; from {always:.0f} on it stays there" if always == always != first else ""
    return (f"{first:.0f} {unit} are the first with a power of {data.attrs['target']:g}{still}.",)


def strata(data: xr.Dataset) -> tuple[str, ...]:
    """Say where both averages favor different systems."""
    by = data.attrs["of"]
    differing = data["differ"].values
    if names.SYSTEM_A in data.dims:
        differing = np.triu(differing)
    number = int(differing.sum())
    if not number:
        return (f"All items pooled and each {by} counted alike name the same systems.",)
    return (
        f"Warning: all items pooled and each {by} counted alike name different systems in {number} "
        f"{'pair' if number == 1 else 'pairs'}; say which of the two you mean.",
    )

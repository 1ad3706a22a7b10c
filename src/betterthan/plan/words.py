"""Plans in plain sentences."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers

_SAID = {
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


def _one(data: xr.Dataset) -> xr.Dataset:
    """The one pair."""
    if names.SYSTEM_A in data.dims:
        return data.isel({names.SYSTEM_A: 0, names.SYSTEM_B: 1})
    return data.isel({names.PAIR: 0}) if names.PAIR in data.dims else data


def _each(probability: xr.DataArray, who: dict[str, str]) -> str:
    told = [
        f"{_SAID[str(v)].format(**who)} {numbers.probability(float(p))}"
        for v, p in zip(probability["verdict"].values, probability.values, strict=True)
        if p > 0
    ]
    return ", ".join(told)


def _standing(one: xr.Dataset, who: dict[str, str]) -> str:
    p = numbers.probability(float(one["prob_better"]))
    said = _NOW[str(one["now"].values)].format(**who)
    return f"{said} (P({who['a']} better) {p}, {int(one['n'])} items)."


def foresight(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair; several have their table."""
    who = _names(data)
    if who is None or set(_one(data)["now"].dims):
        return ()
    one = _one(data)
    said = [_standing(one, who)]
    if "more" not in one.dims:
        said.append(f"With {int(one['n_more'])} more items: {_each(one['probability'], who)}.")
    return tuple(said)


def means_foreseen(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair of means."""
    who = _names(data)
    if who is None or "more" in data.dims:
        return ()
    one = _one(data)
    if one["probability"].isnull().any():
        return (_difference(one, who), _TOO_FEW)
    return (
        _difference(one, who),
        f"With {int(one['n_more'])} more: {_each(one['probability'], who)}.",
    )


def means_again(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair of means."""
    who = _names(data)
    if who is None:
        return ()
    one = _one(data)
    if one["probability"].isnull().any():
        return (_difference(one, who), _TOO_FEW)
    again = numbers.probability(float(one["same"]))
    said = f"On {int(one['n_more'])} fresh ones alone the same verdict has probability {again}"
    return (_difference(one, who), f"{said}: {_each(one['probability'], who)}.")


_TOO_FEW = (
    "Units that are worth 3 of equal size or fewer, or that do not differ, predict nothing about "
    "more of them."
)


def _difference(one: xr.Dataset, who: dict[str, str]) -> str:
    said = _NOW.get(str(one["now"].values), "Nothing is said today").format(**who)
    apart, error = (f"{float(one[k]):.3g}" for k in ("difference", "error"))
    return f"{said} (difference of means {apart}, its error {error}, on {int(one['n'])})."


def replication(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair."""
    who = _names(data)
    if who is None or set(_one(data)["now"].dims):
        return ()
    one = _one(data)
    return (
        _standing(one, who),
        f"On {int(one['n_more'])} fresh items alone the same verdict has probability "
        f"{numbers.probability(float(one['same']))}: {_each(one['probability'], who)}.",
    )


def assurance(data: xr.Dataset) -> tuple[str, ...]:
    """What the curve reaches, and what it cannot pass."""
    last = data.isel(n=-1) if "n" in data.dims else data
    said = [f"With {int(last['n'])} items: {_each(last['probability'], {'a': 'A', 'b': 'B'})}."]
    top = data["ceiling"].sel(verdict="a_better").item()
    said.append(f"No number of items gives A better with more than {numbers.probability(top)}.")
    return tuple(said)


_OF = {
    "a_better": "the verdict {a} better",
    "b_better": "the verdict {b} better",
    "either": "a verdict for either system",
    "equivalent": "the verdict equivalent",
    "any": "any verdict",
}


def needed(data: xr.Dataset, attrs: dict[str, Any]) -> tuple[str, ...]:
    """How many items, or that no number will do."""
    who = dict(zip("ab", attrs.get("systems", ("A", "B")), strict=True))
    what, target = _OF[attrs["of"]].format(**who), f"{attrs['target']:g}"
    first, always, top = (float(data[k]) for k in ("first", "always", "ceiling"))
    more = " more" if attrs["keep"] else ""
    if np.isnan(first):
        if top < attrs["target"]:
            return (
                f"No number of items gives {what} with probability {target}: more and more items "
                f"come to {numbers.probability(top)} at most.",
            )
        return (
            f"More than {attrs['most']:,}{more} items are needed for {what} with probability "
            f"{target}; the ceiling is {numbers.probability(top)}.",
        )
    still = "" if first == always else f", and from {always:.0f} on it stays there"
    if np.isnan(always):
        still = ""
    return (
        f"{first:.0f}{more} items give {what} with probability {target}{still}.",
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
    """Some look against the last one alone."""
    last = data.isel(look=-1)
    of = "decisive items" if not data.attrs["rope"] else "items"
    some, alone = (float(last[k].sel(verdict=["a_better", "b_better"]).sum()) for k in _TWO)
    return (
        f"Looked at {data.sizes['look']} times up to {int(last['look'])} {of}, a verdict for A or "
        f"B comes with probability {numbers.probability(some)}; looked at once, at the end, with "
        f"{numbers.probability(alone)}.",
        f"It takes {data.attrs['items']:.1f} {of} on average.",
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
    """Of one pair."""
    if data["lower"].dims:
        return ()
    ends = f"{float(data['lower']):+.3f} to {float(data['upper']):+.3f}"
    share = 100 * (1 - data.attrs["error"])
    return (f"P(A wins) - P(B wins) is within {ends}, however often one looks ({share:g} %).",)


def fragility(data: xr.Dataset) -> tuple[str, ...]:
    """Of one pair: how many would have to turn, or go."""
    who = _names(data)
    if who is None or set(_one(data)["now"].dims):
        return ()
    one = _one(data)
    verdict = str(one["now"].values)
    if verdict == "undecided":
        return ("Undecided: there is no verdict that could go.",)
    side = {"a_better": f"{who['a']} is better", "b_better": f"{who['b']} is better"}
    of = f"{int(one['decisive'])} decisive items" if verdict in side else f"{int(one['n'])} items"
    said = f"{side.get(verdict, 'Practically equivalent')}: {int(one['turn'])} of {of} would have "
    said += f"to turn for this verdict to go, or {int(one['drop'])} be dropped."
    if verdict not in side:
        return (said,)
    over = [f"{int(one[k])} {k.split('_')[0]}" for k in _OVER if not np.isnan(one[k])]
    told = " or ".join(over).replace("turn", "turned").replace("drop", "dropped")
    return (said, f"For the other system to be better: {told}.") if over else (said,)


_OVER = ("turn_to_other", "drop_to_other")


def power(data: xr.Dataset, of: str) -> tuple[str, ...]:
    """At one n, or from which on the target is reached."""
    first, always = float(data["first"]), float(data["always"])
    if "n" not in data.dims:
        told = (numbers.probability(float(data[k])) for k in ("power", "level"))
        return ("With {} {}: power {}, at a level of {}.".format(int(data["n"]), of, *told),)
    if np.isnan(first):
        return (f"None of these numbers of {of} has a power of {data.attrs['target']:g}.",)
    still = f"; from {always:.0f} on it stays there" if always == always != first else ""
    return (f"{first:.0f} {of} are the first with a power of {data.attrs['target']:g}{still}.",)


def strata(data: xr.Dataset) -> tuple[str, ...]:
    """Where the two ways to sum up name different systems."""
    by = data.attrs["of"]
    apart = data["differ"].values
    if names.SYSTEM_A in data.dims:
        apart = np.triu(apart)
    number = int(apart.sum())
    if not number:
        return (f"All items pooled and each {by} counted alike name the same systems.",)
    return (
        f"Warning: all items pooled and each {by} counted alike name different systems in {number} "
        f"{'pair' if number == 1 else 'pairs'}; say which of the two you mean.",
    )

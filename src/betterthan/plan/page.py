"""The page on a plan: its answer, probabilities along the number of items, the next step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.plan.answer import Plan
from betterthan.plan.power import wanted_probability
from betterthan.plan.words import single_pair, wanted_verdict
from betterthan.results import marks, numbers
from betterthan.results.document import Document, Part, Table
from betterthan.results.first_screen import FirstScreen, Step
from betterthan.results.numbers import on_one_line

_NUMBERS = 20  # of items at which a curve is computed
_FEWEST = 20  # items up to which it is drawn at least
# dims that a curve is drawn along
_ALONG = {
    "n": "items",
    "more": "more items",
    "clusters": "clusters",
    "look": "non-tied items so far",
}
_UNITS = {"power of the sign test": "non-tied items"}
_WARNED = "! "


def page(plan: Plan) -> Document:
    """Everything a report says of it."""
    brief = plan.document()
    answer = [line.removeprefix(_WARNED) if not k else line for k, line in enumerate(brief.answer)]
    curve, parts = _wanted_curve(plan), list(brief.parts)
    if curve is not None:
        more = "More items" if plan.attrs["keep"] else "Items"
        rows = [
            (f"{n:,}", numbers.probability(p))
            for n, p in zip(curve["n"].values.tolist(), curve.values.tolist(), strict=True)
        ]
        caption = f"Probability of {on_one_line(wanted_verdict(plan.attrs))}"
        table = Table((more, "Probability"), rows, caption, left=0)
        parts.append(Part("By number of items", tables=[table], folded=True))
    return Document(
        _title(plan),
        parts=parts,
        limits=list(_limits(plan.attrs)),
        signatures=brief.signatures,
        answer=answer,
        screen=_screen(plan, answer, curve) if answer else None,
    )


def _title(plan: Plan) -> str:
    attrs = plan.attrs
    if attrs.get("answer") == "items needed":
        more = "How many more items are needed?"
        return more if attrs["keep"] else "How many items does a new test set need?"
    return plan.document().parts[0].tables[0].caption.partition(";")[0] or "Plan"


def _wanted_curve(plan: Plan) -> xr.DataArray | None:
    """The probability of the wanted verdict along the number of items that are needed."""
    attrs = plan.attrs
    if attrs.get("answer") != "items needed":
        return None
    first = float(plan["first"])
    most = max(_FEWEST, int(1.6 * first)) if first == first else attrs["most"]
    n = np.rint(np.linspace(0, min(most, attrs["most"]), _NUMBERS + 1)[1:])
    n = np.unique(np.append(n, first) if first == first else n).astype(int)
    return xr.DataArray(wanted_probability(attrs, n), dims="n", coords={"n": n})


def _screen(plan: Plan, answer: list[str], curve: xr.DataArray | None) -> FirstScreen:
    lede = [line for line in answer[1:] if not line.startswith(_WARNED)]
    screen = FirstScreen(lede, meta=list(_meta(plan.attrs)), step=_step(plan))
    if curve is not None:
        return replace(screen, **_drawn_curve(plan, curve))
    return replace(screen, **_drawn_verdicts(plan))


def _drawn_curve(plan: Plan, curve: xr.DataArray) -> dict[str, Any]:
    attrs, ceiling = plan.attrs, float(plan["ceiling"])
    levels = [(attrs["target"], f"goal {attrs['target']:g}")]
    levels.append((ceiling, f"limit, with ever more items: {numbers.probability(ceiling)}"))
    kind = {"b_better": "v-worse", "equivalent": "v-equivalent"}.get(attrs["of"], "v-better")
    return {
        "drawing": marks.curves(curve["n"].values, [(kind, curve.values)], levels),
        "drawing_is": f"Probability of {on_one_line(wanted_verdict(attrs))}",
        "drawn_along": "more items" if attrs["keep"] else "items",
    }


_VERDICTS = {
    "a_better": ("v-better", "{a} better"),
    "b_better": ("v-worse", "{b} better"),
    "equivalent": ("v-equivalent", "practically equivalent"),
    "undecided": ("v-undecided", "undecided"),
}


def _drawn_verdicts(plan: Plan) -> dict[str, Any]:
    """The probability of each verdict, or the power, along a number; at one number as parts of a
    bar; nothing of several pairs.
    """
    data, systems = _single_pair(plan.data)
    along = next((dim for dim in _ALONG if dim in data.dims and data.sizes[dim] > 1), None)
    if "power" in data and along:
        unit = _UNITS.get(data.attrs["answer"], "items")
        levels = [(data.attrs["target"], f"goal {data.attrs['target']:g}")]
        some = np.unique(np.linspace(0, data.sizes[along] - 1, 4 * _NUMBERS).astype(int))
        curve = data["power"].isel({along: some})
        drawing = marks.curves(curve[along].values, [("v-better", curve.values)], levels)
        return {"drawing": drawing, "drawing_is": "Power", "drawn_along": unit}
    if "probability" not in data or set(data["probability"].dims) - {"verdict", along}:
        return {}
    parts = [
        (kind, text.format(**systems), data["probability"].sel(verdict=verdict).values)
        for verdict, (kind, text) in _VERDICTS.items()
        if verdict in data["verdict"]
    ]
    parts = [part for part in parts if part[2].max() > 0]
    if not parts:  # of units that are too few nothing can be predicted
        return {}
    drawn = {
        "drawing_is": "Probability of each verdict",
        "drawing_key": [(kind, text) for kind, text, _ in parts],
    }
    if along is None:
        shares = [("empty" if "un" in kind else kind, float(p)) for kind, _, p in parts]
        key = [(kind, f"{text} {numbers.probability(float(p))}") for kind, text, p in parts]
        return drawn | {"drawing": marks.stacked(shares), "drawing_key": key}
    drawing = marks.curves(data[along].values, [(kind, values) for kind, _, values in parts])
    return drawn | {"drawing": drawing, "drawn_along": _ALONG[along]}


def _single_pair(data: xr.Dataset) -> tuple[xr.Dataset, dict[str, str]]:
    """The only pair, where there is one, and its systems."""
    data, _ = single_pair(data)
    sides = dict(zip("ab", names.SQUARE, strict=True))
    if not all(side in data.coords and not data[side].dims for side in sides.values()):
        return data, {"a": "A", "b": "B"}
    return data, {k: on_one_line(str(data[side].values)) for k, side in sides.items()}


def _meta(attrs: dict[str, Any]) -> Iterator[str]:
    """What is planned for."""
    if "systems" in attrs:
        yield " and ".join(map(on_one_line, attrs["systems"]))
    if "target" in attrs:
        yield f"goal: probability {attrs['target']:g}"
    if "threshold" in attrs and attrs.get("answer") != "stopping boundary":
        yield f"verdict at {attrs['threshold']:g}"
    if attrs.get("rope"):
        yield f"ROPE ±{attrs['rope']:g}"


def _step(plan: Plan) -> Step | None:
    """The number of items to plan for; of plans that ask for none, nothing."""
    attrs = plan.attrs
    if "first" not in plan:
        return None
    first, goal = float(plan["first"]), f"{100 * attrs['target']:g}%"
    if "of" not in attrs:  # the power of a test
        unit = _UNITS.get(attrs["answer"], "items")
        return Step(f"Plan for {first:,.0f} {unit}.") if first == first else None
    wanted = on_one_line(wanted_verdict(attrs))
    if first == 0:
        return Step("No more items are needed.", f"The items so far give {wanted}.")
    if first == first:
        more = "more " if attrs["keep"] else ""
        return Step(f"Plan for {first:,.0f} {more}items.", f"{goal} chance of {wanted}.")
    equal = "" if attrs["rope"] else "A plan with a ROPE can be for the verdict equivalent."
    return Step("Choose by cost, speed or risk.", equal)


_PLANNED = ("items needed", "assurance", "foresight", "replication")


def _limits(attrs: dict[str, Any]) -> Iterator[str]:
    if "theta" in attrs:
        yield "A difference taken as known asks for too few items: a pilot says how unsure it is."
    if "design" in attrs:
        yield "The next items are taken to be like those of the pilot or of the design."
    clustered = "clusters" in (attrs.get("units"), attrs.get("unit"))
    if not clustered and attrs.get("answer") in _PLANNED:
        more = "items in clusters need more, see betterthan.plan.cluster_power"
        yield f"Items are taken as independent; {more}."

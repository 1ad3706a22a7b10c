"""How much the data of resampled scores hold: units that count, gold items of each label, and
whether a row is one mention.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.responses import Responses


@dataclass(frozen=True)
class Held:
    """Of one statistic."""

    units: int  # that the statistic rests on
    rare: dict[str, int]  # labels of a macro average, with so few gold items

    def to_attrs(self) -> dict[str, Any]:
        """As attrs that netCDF can hold."""
        rare = ", ".join(f"{label} ({number:,})" for label, number in self.rare.items())
        return {"n_weighed": self.units} | ({"rare_labels": rare} if rare else {})


def held(data: xr.DataArray, responses: Responses) -> Held:
    """What a statistic rests on: the units that hold any of its tallies, for a macro average those
    of the label that is on the fewest.
    """
    values = responses.values
    if responses.kind == "ratio":
        return Held(int(values.reshape(len(values), -1).any(1).sum()), {})
    if responses.kind != "macro":
        return Held(len(values), {})
    gold, labels = _gold(data), _labels(data)
    present = gold > 0  # a label that is only predicted has an F of 0, and no error
    on_units = values.any((1, 3)).sum(0)
    rare = present & ((gold < names.LABEL_ITEMS_MIN) | (on_units < 2))
    named = {labels[k]: int(gold[k]) for k in np.argsort(gold, kind="stable") if rare[k]}
    # one unit says nothing of a label's error, two next to nothing
    fewest = max(int(on_units[present].min(initial=len(values))), min(2, len(values)))
    return Held(fewest, named)


def _gold(data: xr.DataArray) -> np.ndarray:
    """Gold items of each label: the most that a system has."""
    tallies = data.sel({names.TALLY: ["tp", "fn"]}).sum((names.ITEM, names.TALLY))
    return tallies.max(names.SYSTEM).values / int(data.attrs.get("scale", 1))


def _labels(data: xr.DataArray) -> list[str]:
    labelled = names.LABEL in data.coords
    return [str(k) for k in data[names.LABEL].values] if labelled else _numbered(data)


def _numbered(data: xr.DataArray) -> list[str]:
    return [f"label {k + 1}" for k in range(data.sizes[names.LABEL])]


def single_mentions(tallies: xr.DataArray) -> bool:
    """Whether no system has more than one gold and one predicted mention in a row (item, system,
    tally).
    """
    most = int(tallies.attrs.get("scale", 1))
    tp, fp, fn = (tallies.sel({names.TALLY: k}) for k in ("tp", "fp", "fn"))
    return bool((tp + fp <= most).all() and (tp + fn <= most).all())

"""Two ways of computing side by side: which pairs they answer for different systems, and why."""

import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import cell_of, names_in
from betterthan.results.context import PAIRS_SEEN, Shown
from betterthan.results.item_differences import OF_MODELS

_NAMED = 4  # pairs that are named; more are counted
_WHY = {
    "weights": "the model weighs every data set alike, the closed form every example",
    "clusters": "the model counts wins and losses within clusters, the closed form weighs clusters "
    "by Student's t",
    "sizes": "the model weighs how large the differences are, the closed form counts which system "
    "was ahead",
    "together": "the model estimates all systems jointly, the closed form each pair alone",
    "model": "the model uses more than wins and losses of the pair",
}


def opposed_notes(shown: Shown) -> list[str]:
    """A sentence on the pairs that two engines answer for different systems; none without any."""
    if len(shown.engine_names) < 2:
        return []
    cells = [cell_of(shown.engines, *pair) for pair in shown.pairs[:PAIRS_SEEN]]
    found = [cell for cell in cells if _opposed(cell, float(shown.made.threshold or 1.0))]
    if not found:
        return []
    named = "; ".join(_told(cell) for cell in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    model = OF_MODELS.get(shown.engine_names[0], "model")
    why = f": {_WHY[model]}" if shown.made.method == "advised" else ""
    return [
        f"The answer beside speaks for the other system on {len(found)} of {len(cells)} pairs: "
        f"{named}{more}{why}."
    ]


def _opposed(cell: xr.Dataset, threshold: float) -> bool:
    """Whether the first two engines favour different systems, and one of them surely."""
    if str(cell["verdict"].values[0]) in ("no_data", "no_verdict"):
        return False
    first, second = cell["prob_better"].values[:2].tolist()
    sure = max(abs(first - 0.5), abs(second - 0.5)) >= threshold - 0.5
    return sure and (first - 0.5) * (second - 0.5) < 0


def _told(cell: xr.Dataset) -> str:
    a, b = names_in(cell)
    first, second = (numbers.probability(p) for p in cell["prob_better"].values[:2].tolist())
    return f"{a} better than {b} {first} by {_engine(cell, 0)}, {second} by {_engine(cell, 1)}"


def _engine(cell: xr.Dataset, k: int) -> str:
    engine = str(cell[names.ENGINE].values[k])
    return {"exact": "closed form", "mcmc": "PyMC"}.get(engine, engine.replace("_", " "))

"""How an answer was made, as its attrs say it."""

from typing import TYPE_CHECKING, Any

import betterthan
from betterthan import checks, names
from betterthan.comparison.asked import Asked
from betterthan.comparison.engines import Engine
from betterthan.comparison.given import Given
from betterthan.counts.units import CLUSTER

if TYPE_CHECKING:
    from betterthan.comparison.advice import Advice


def signed_of(
    given: Given, asked: Asked, advice: "Advice | None", engines: list[Engine]
) -> dict[str, Any]:
    """How the answer was made."""
    unknown = given.counts.attrs.get("ties") == "unknown"
    by_t = "n_units" in engines[0].answers  # Student's t has no prior of win, loss and tie
    own = by_t or (advice is not None and advice.spec.own_prior)
    # with ties dropped, or given to one side, it is no longer a difference in accuracy
    moved = given.quantity.lead == "accuracy" and asked.ties in ("drop", "to_a", "to_b")
    made = {
        "answer": "comparison",
        "version": betterthan.__version__,
        "prior": None if own else checks.prior(asked.prior, given.counts.sizes[names.OUTCOME]),
        "ties": "unknown" if unknown else asked.ties,
        "method": asked.method,
        "engine": engines[0].name,
        "quantity": given.quantity.lead,
        "beside_quantity": given.quantity.other,
        "splits": None if given.quantity.other is None else not given.quantity.chosen,
        "difference_is": names.DIFFERENCES["wins"] if moved else given.quantity.difference_is,
        "baseline": asked.baseline,
        "advice": None if advice is None else str(advice),
        "notes": given.notes,
        "weight": None if asked.weight == "item" else asked.weight,
    }
    made |= {"prior_sd": asked.prior_sd} if by_t and asked.prior_sd else {}
    made |= _units(given) | {"difference_most": _most(given)} if by_t else {}
    sampled = {k: v for engine in reversed(engines) for k, v in engine.signed.items()}
    return given.signed | made | vars(asked.question) | sampled


def _most(given: Given) -> float | None:
    """The largest difference that there can be; unknown of means of graded scores."""
    of_means = given.quantity.lead == "mean" and given.scores.graded
    return None if of_means else 1.0


def _units(given: Given) -> dict[str, Any]:
    """What the units are, where they are not single items."""
    if given.unit == CLUSTER:
        labels = {str(v) for v in given.plain[CLUSTER].values.tolist()}
        return {"unit": CLUSTER, "n_units": len(labels)}
    scores = given.scores
    if scores is None or not scores.runs:
        return {}
    return {"unit": "repeated item", "n_units": scores.units}

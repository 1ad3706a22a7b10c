"""The answer on systems compared by a score, an order or a prediction, in sentences."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers
from betterthan.results.cells import cell_of, p_value_in
from betterthan.results.facts import Answer, answer_of
from betterthan.results.score_pairs import favours, of_wins, said_of, units_of, why, withheld
from betterthan.results.sentences import sentences_of
from betterthan.text import named

_WITHHELD = ("no_verdict", "no_data")


@dataclass(frozen=True, kw_only=True)
class Scored:
    """The answer, the test of the same difference, and what orders do by chance."""

    answer: Answer
    test_p: str | None = None  # of two systems, as written
    test_favors: str | None = None
    test_differs: str | None = None  # why test and posterior do not agree
    held_back: str | None = None  # why a high probability is no verdict
    n_left_out: int = 0  # documents that a system did not order
    chance_p: str | None = None  # largest p against random orders, as written
    by_chance: tuple[str, ...] = ()  # systems not distinguishable from random orders
    alpha: float = names.ALPHA
    extrapolated: tuple[str, ...] = ()  # predictions outside the range of the fit


def scored_of(found: xr.Dataset) -> Scored:
    """Of `scores.compare` and `orders.compare`."""
    answer = answer_of(found, by=said_of(found), units=units_of(found))
    if np.isin(found["verdict"].values[~np.eye(answer.n_systems, dtype=bool)], _WITHHELD).all():
        answer = replace(answer, failures=f"{withheld(cell_of(found, 0, 1))}.")
    tested = _tested(found) if answer.n_systems == 2 else {}
    return Scored(answer=answer, **tested, **_by_chance(found))


def predicted_of(found: xr.Dataset, response: str) -> Scored:
    """Of `features.predict`."""
    answer = answer_of(found, by=f"predicted {response}")
    failures = [one for one in np.atleast_1d(found.attrs["failures"]).tolist() if one]
    answer = replace(answer, failures=" ".join(failures) or None)
    outside = [str(s) for s in found[names.SYSTEM].values[found["outside"].values != ""]]
    return Scored(answer=answer, extrapolated=tuple(outside))


def score_sentences(scored: Scored) -> list[str]:
    """The answer, then the test and what the numbers rest on."""
    return [*sentences_of(scored.answer), *_additions(scored)]


def _additions(scored: Scored) -> Iterator[str]:
    answer = scored.answer
    if not answer.failures:
        if scored.held_back:
            yield f"No verdict yet: {scored.held_back}."
        if answer.ends and answer.n:
            lower = "; lower is better" if answer.lower_is_better else ""
            yield f"All systems are scored on the same {answer.n:,} {answer.units}{lower}."
    if scored.test_p:
        favors = f", in favor of {scored.test_favors}" if scored.test_favors else ""
        why_not = f"; {scored.test_differs}" if scored.test_differs else ""
        yield (
            "Randomization test of the same difference: two-sided p = "
            f"{scored.test_p}{favors}{why_not}."
        )
    if answer.n is not None and answer.n < names.UNITS_MIN and not answer.failures:
        yield f"! Few units: with {answer.n:,} {answer.units}, the probabilities are only rough."
    if scored.n_left_out:
        units = answer.units if scored.n_left_out > 1 else answer.units.removesuffix("s")
        yield f"{scored.n_left_out:,} {units} that some system did not order are left out."
    if scored.chance_p and not scored.by_chance:
        yield (
            "Each system's orders are closer to the reference than random orders "
            f"(one-sided p at most {scored.chance_p}, each system by itself)."
        )
    elif scored.chance_p:
        yield (
            f"Not distinguishable from random orders at {scored.alpha:g}, each system by itself: "
            f"{named(scored.by_chance)} (one-sided p up to {scored.chance_p})."
        )
    if scored.extrapolated:
        yield (
            "! Extrapolated: the function was fitted to a narrower range of features than those of "
            f"{named(scored.extrapolated)}."
        )


def _tested(found: xr.Dataset) -> dict[str, Any]:
    """What the randomization test says, and why it may differ from the posterior."""
    cell = cell_of(found, 0, 1)
    if cell["prob_better"].item() < 0.5:
        cell = cell_of(found, 1, 0)
    verdict, side = str(cell["verdict"].item()), favours(cell)
    of = {1: cell[names.SYSTEM_A], -1: cell[names.SYSTEM_B]}
    test = {
        "test_p": p_value_in(cell),
        "test_favors": str(of[side].item()) if side else None,
    }
    if verdict in _WITHHELD:
        return test
    differs = why(verdict, cell["p_value"].item(), side, cell.attrs["alpha"])
    return test | {"held_back": of_wins(cell, verdict) or None, "test_differs": differs or None}


def _by_chance(found: xr.Dataset) -> dict[str, Any]:
    """Of orders, whether they are nearer to the reference than random orders."""
    if "p_chance" not in found:
        return {}
    alpha, p = float(found.attrs.get("alpha", names.ALPHA)), found["p_chance"].values
    return {
        "alpha": alpha,
        "n_left_out": int(found.attrs["n_dropped"]),
        "chance_p": numbers.p_value(float(np.max(p))),
        "by_chance": tuple(str(s) for s in found[names.SYSTEM].values[p > alpha]),
    }

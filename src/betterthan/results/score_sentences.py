"""Sentences on systems compared by scores, rankings, predictions or judged outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers, rows
from betterthan.results.columns import (
    names_in,
    p_value_in,
    pair_cell,
    probability_in,
)
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import Answer, answer_facts
from betterthan.results.sentences import answer_sentences
from betterthan.signed import Signature
from betterthan.text import named

_STATISTICS = {"f1": "F1", "macro_f1": "macro F1", "mean": "mean score", "tau": "mean tau"}


def statistic_label(comparison: xr.Dataset) -> str:
    """The statistic, in words."""
    statistic = str(comparison.attrs["statistic"])
    return _STATISTICS.get(statistic, statistic)


def units_label(comparison: xr.Dataset) -> str:
    """What was weighed."""
    unit = str(comparison.attrs.get("unit", names.ITEM))
    unit = names.DOCUMENT if comparison.attrs.get("statistic") == "tau" else unit
    return f"{unit}s"


def favours(cell: xr.Dataset) -> int:
    """The system whose score is better on the data, for which the test of that score speaks."""
    better = 1 if cell.attrs.get("higher_is_better", True) else -1
    a, b = (cell["score"].sel({names.SYSTEM: name}).item() for name in names_in(cell))
    return better * int(np.sign(a - b))


def withheld(cell: xr.Dataset) -> str:
    """Why no verdict is given."""
    rare = cell.attrs.get("rare_labels")
    if str(cell["verdict"].item()) == "no_data" or not rare:
        return "a single unit shows no spread"
    return f"labels with too few gold items: {on_one_line(str(rare))}"


def wins_reason(cell: xr.Dataset, verdict: str) -> str:
    """Why a sure score is no verdict: the number of wins does not agree."""
    better = cell["prob_better"].item()
    threshold = cell.attrs.get("threshold", names.VERDICT_PROB)
    if (
        verdict != "undecided"
        or "prob_more_wins" not in cell
        or max(better, 1 - better) < threshold
    ):
        return ""
    if cell.get("too_close", False):
        return "the threshold is within two Monte Carlo errors; more draws may decide"
    units, p = units_label(cell), probability_in(cell, "prob_more_wins")
    return (
        f"a verdict needs the number of {units} ahead to agree; counted alone they give "
        f"{names_in(cell)[0]} a probability of {p}"
    )


def why(verdict: str, p: float, favours: int, alpha: float) -> str:
    """One clause where posterior and test do not say the same: first for whom, then how surely."""
    decided, small = verdict in ("a_better", "b_better"), p <= alpha
    if decided and small and favours != (1 if verdict == "a_better" else -1):
        return (
            "the test is significant for the other system: the mean of the draws and the score "
            "of the data are on different sides"
        )
    if decided and not small and p / 2 <= alpha:
        return "the probability looks at one side, the p-value at two"
    if decided and not small:
        return "the posterior approximates where items are few; the test is exact on them"
    if verdict == "equivalent" and small:
        return "the difference is real but too small to matter"
    if not decided and small:
        return "the test is significant, the posterior not sure enough"
    return ""


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


def score_facts(comparison: xr.Dataset) -> Scored:
    """Of `scores.compare` and `orders.compare`."""
    answer = answer_facts(comparison, by=statistic_label(comparison), units=units_label(comparison))
    if np.isin(
        comparison["verdict"].values[~np.eye(answer.n_systems, dtype=bool)], _WITHHELD
    ).all():
        answer = replace(answer, failures=f"{withheld(pair_cell(comparison, 0, 1))}.")
    tested = _tested(comparison) if answer.n_systems == 2 else {}
    return Scored(answer=answer, **tested, **_by_chance(comparison))


def prediction_facts(prediction: xr.Dataset, response: str) -> Scored:
    """Of `features.predict`."""
    answer = answer_facts(prediction, by=f"predicted {response}")
    failures = [text for text in np.atleast_1d(prediction.attrs["failures"]).tolist() if text]
    answer = replace(answer, failures=" ".join(failures) or None)
    outside = [str(s) for s in prediction[names.SYSTEM].values[prediction["outside"].values != ""]]
    return Scored(answer=answer, extrapolated=tuple(outside))


def score_sentences(scored: Scored) -> list[str]:
    """The answer, then the test and what the numbers rest on."""
    return [*answer_sentences(scored.answer), *_additions(scored)]


def _additions(scored: Scored) -> Iterator[str]:
    answer = scored.answer
    if not answer.failures:
        if scored.held_back:
            yield f"No verdict yet: {scored.held_back}."
        if answer.verdict_counts and answer.n:
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


def _tested(comparison: xr.Dataset) -> dict[str, Any]:
    """What the randomization test says, and why it may differ from the posterior."""
    cell = pair_cell(comparison, 0, 1)
    if cell["prob_better"].item() < 0.5:
        cell = pair_cell(comparison, 1, 0)
    verdict, side = str(cell["verdict"].item()), favours(cell)
    systems = {1: cell[names.SYSTEM_A], -1: cell[names.SYSTEM_B]}
    test = {
        "test_p": p_value_in(cell),
        "test_favors": str(systems[side].item()) if side else None,
    }
    if verdict in _WITHHELD:
        return test
    differs = why(verdict, cell["p_value"].item(), side, cell.attrs["alpha"])
    return test | {"held_back": wins_reason(cell, verdict) or None, "test_differs": differs or None}


def _by_chance(comparison: xr.Dataset) -> dict[str, Any]:
    """Of orders, whether they are nearer to the reference than random orders."""
    if "p_chance" not in comparison:
        return {}
    alpha, p = float(comparison.attrs.get("alpha", names.ALPHA)), comparison["p_chance"].values
    return {
        "alpha": alpha,
        "n_left_out": int(comparison.attrs["n_dropped"]),
        "chance_p": numbers.p_value(float(np.max(p))),
        "by_chance": tuple(str(s) for s in comparison[names.SYSTEM].values[p > alpha]),
    }


_UNCOVERED = 0.1  # share of judged items without a label of their signal, above which it is stated


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The answer, and what labels and judge contribute."""

    answer: Answer
    labels_by: str
    n_labels: int  # of several pairs: in all
    n_judged: int
    uncovered: float = 0.0  # share of judged items with an answer that no label has
    r2: tuple[float, float] | None = None  # of two systems the same twice; else least and most
    worth: tuple[float, float] | None = None  # in labels; of two systems its bounds
    worth_about: float | None = None  # of two systems
    labels_p: float | None = None  # P(better) of the system ahead by the labels alone
    judge_p: float | None = None  # and by the judge alone
    n_judge_differs: int = 0  # pairs on which the judge alone has another verdict


def judged_facts(comparison: xr.Dataset) -> Judged:
    """Of `compare` of judged outcomes."""
    data = comparison.isel({names.ENGINE: 0}) if names.ENGINE in comparison.dims else comparison
    provenance = Signature.from_attrs(comparison.attrs)
    pairs = rows.pairs(data)
    judged: Any = pairs[pairs["n"] > 0]
    n = int(judged["n"].sum())
    several = _judged_pairs(judged) if len(pairs) > 1 else _judged_pair(pairs.to_dict("records")[0])
    return Judged(
        answer=answer_facts(data),
        labels_by=on_one_line(str(provenance.labels_by or "people")),
        n_labels=int(judged["n_gold"].sum()),
        n_judged=n,
        uncovered=float((judged["unlabelled"] * judged["n"]).sum() / n) if n else 0.0,
        **several,
    )


def _judged_pair(row: dict[str, Any]) -> dict[str, Any]:
    if not row["n"]:
        return {}
    return {
        "r2": (row["r2"], row["r2"]),
        "worth": (row["effective_gold_lower"], row["effective_gold_upper"]),
        "worth_about": row["effective_gold"],
        "labels_p": row["gold_prob_better"],
        "judge_p": row.get("judge_prob_better"),
    }


def _judged_pairs(judged: Any) -> dict[str, Any]:
    if not len(judged):
        return {}
    judge = judged["judge_verdict"].to_numpy(str) if "judge_verdict" in judged else None
    differs = 0 if judge is None else int((judge != judged["verdict"].to_numpy(str)).sum())
    ranges = {
        name: (float(judged[column].min()), float(judged[column].max()))
        for name, column in (("r2", "r2"), ("worth", "effective_gold"))
    }
    return ranges | {"n_judge_differs": differs}


def judged_sentences(judged: Judged) -> list[str]:
    """The answer, then what labels and judge contribute."""
    return [*answer_sentences(judged.answer), *_labels_and_judge(judged)]


def _labels_and_judge(judged: Judged) -> Iterator[str]:
    pair, counts = judged.answer.pair, judged.answer.verdict_counts
    if judged.n_labels and judged.r2 and judged.worth:
        in_all = "" if pair else " in all"
        yield (
            f"The truth is {judged.n_labels:,} labels{in_all} ({judged.labels_by}) among "
            f"{judged.n_judged:,} items that a judge answered."
        )
        yield _worth(judged, judged.r2, judged.worth)
    if pair and judged.labels_p is not None:
        text = f"By the labels alone, P({pair.first} better) is "
        text += numbers.probability(judged.labels_p)
        if judged.judge_p is not None:
            favors = f", which favors {pair.second}" if judged.judge_p < 0.5 else ""
            judge = numbers.probability(judged.judge_p)
            text += f"; by the judge alone, not corrected, {judge}{favors}"
        yield f"{text}."
    if judged.n_judge_differs and counts:
        yield (
            "The judge alone, not corrected, would give another verdict on "
            f"{judged.n_judge_differs:,} of {counts.n_pairs:,} pairs."
        )
    if judged.uncovered > _UNCOVERED:
        yield (
            f"! Labels: {100 * judged.uncovered:.0f}% of the judged items have an answer of the "
            "judge that no labeled item has; these rest on the prior."
        )


def _worth(judged: Judged, r2: tuple[float, float], worth: tuple[float, float]) -> str:
    """How many labels alone would say as much."""
    if judged.worth_about is None:
        return (
            f"Pair by pair, labels and judge together are worth {worth[0]:,.0f} to "
            f"{worth[1]:,.0f} labels (R2 {100 * r2[0]:.0f}% to {100 * r2[1]:.0f}%)."
        )
    return (
        f"The judge explains {100 * r2[0]:.0f}% of it (R2), so labels and judge together are worth "
        f"about {judged.worth_about:,.0f} labels ({worth[0]:,.0f} to {worth[1]:,.0f} with 95%)."
    )
